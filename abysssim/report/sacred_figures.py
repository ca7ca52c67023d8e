"""The figures of the study of Sacred Places: shadow values, and what Locations yield."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from abysssim.report.figures import NARROW, SERIES_MARKS, short_name
from abysssim.report.numbers import number
from abysssim.report.style import Drawing, Palette, dress, new_figure

ROW = 18.0
#: Rows of the figure of shadow values: the reward, the Keys held, and what they are called.
REWARDS = {
    ("key", "0"): "Key, none held",
    ("key", "1"): "Key, one held",
    ("key", "2+"): "Key, two or more",
    ("pearl", "any"): "Pearl",
    ("token", "any"): "Monster token",
    ("ally", "any"): "Ally",
}
PHASES = ("early", "middle", "late")


def shadow_rows(shadow: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return for each row of the figure its three phases, in order."""
    found = {}
    for (reward, keys), name in REWARDS.items():
        part = shadow[(shadow["reward"] == reward) & (shadow["keys"] == keys) & (shadow["phase"] != "any")]
        found[(reward, name)] = part.set_index("phase").loc[list(PHASES)]
    return found


def shadow_values(shadow: pd.DataFrame) -> Drawing:
    """Return what rewards are worth in IP and for wins, by phase and Keys held, with intervals."""
    rows = shadow_rows(shadow)
    panels = {"ip": "for IP", "win_worth": "for wins, in IP"}
    caption = (
        "What a reward is worth to the seat that finds it, by the most Lords that a player has (early: up to two; "
        "middle: three or four; late: five or more). Marks are estimates, lines 95 % intervals. For IP: what it adds "
        "to own IP less the mean of the others. For wins: what it adds to the chance to win, over what one IP more at "
        "the end adds. The cross is what the policy held it to be worth before the study."
    )
    said = [f"{name} {number(part['ip'].to_dict()['middle'], 1)} IP" for (_, name), part in rows.items()]
    description = f"Shadow values with intervals; in the middle of the game {', '.join(said)}. All are in the table."

    def wide(palette: Palette, width: float) -> Figure:
        return _shadow_panels(rows, panels, palette, width)

    def alone(key: str) -> Any:
        return lambda palette, width: _shadow_panels(rows, {key: panels[key]}, palette, width)

    return Drawing("shadow_values", caption, description, wide, tuple(alone(key) for key in panels))


def _shadow_panels(
    rows: dict[tuple[str, str], pd.DataFrame], panels: dict[str, str], palette: Palette, width: float
) -> Figure:
    step = 3 * ROW * 0.8 + 10
    top, bottom, left = 52.0, 42.0, 112.0
    height = len(rows) * step + top + bottom
    figure = new_figure(width, height)
    gap = 20.0
    panel = (width - left - gap * (len(panels) - 1) - 10) / len(panels)
    low, high = _limits(rows, panels)
    for place, (key, title) in enumerate(panels.items()):
        start = left + place * (panel + gap)
        axes = figure.add_axes((start / width, bottom / height, panel / width, 1 - (top + bottom) / height))
        dress(axes, palette)
        axes.axvline(0, color=palette.muted, linewidth=0.8, zorder=1)
        for row, part in enumerate(rows.values()):
            for series, phase in enumerate(PHASES):
                _shadow_mark(axes, palette, part.loc[phase], key, row + (series - 1) * 0.27, series)
            if row:
                axes.axhline(row - 0.5, color=palette.line, linewidth=0.7, zorder=0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(low, high)
        axes.spines["left"].set_visible(False)
        names = [name for _, name in rows] if place == 0 else [""] * len(rows)
        axes.set_yticks(range(len(rows)), names, color=palette.ink)
        axes.set_title(title, fontsize=11.5, color=palette.ink, loc="left", fontweight="bold", pad=8)
        axes.set_xlabel("IP", fontsize=10.5)
    _phase_legend(figure, palette, width, height)
    return figure


def _limits(rows: dict[tuple[str, str], pd.DataFrame], panels: dict[str, str]) -> tuple[float, float]:
    """Return the ends of the axis: the same for all panels, so that they can be compared."""
    names = [f"{key}{end}" for key in panels for end in ("_low", "_high")]
    shown = [part[[*names, *(["before"] if "ip" in panels else [])]].to_numpy(dtype=float) for part in rows.values()]
    low, high = min(0.0, float(np.nanmin(shown))), max(1.0, float(np.nanmax(shown)))
    pad = 0.04 * (high - low)
    return low - pad, high + pad


def _shadow_mark(axes: Any, palette: Palette, one: Any, key: str, y: float, series: int) -> None:
    colour = palette.series(series)
    if np.isfinite(one[f"{key}_low"]):
        axes.plot([one[f"{key}_low"], one[f"{key}_high"]], [y, y], color=colour, linewidth=2.4, zorder=2)
        axes.plot(
            [one[key]], [y], marker=SERIES_MARKS[series], markersize=6.5, color=colour, markeredgecolor=palette.paper,
            markeredgewidth=0.8, zorder=3,
        )  # fmt: skip
    if key == "ip" and np.isfinite(one["before"]):
        axes.plot([one["before"]], [y], marker="x", markersize=5.5, color=palette.ink, markeredgewidth=1.2, zorder=4)


def _phase_legend(figure: Figure, palette: Palette, width: float, height: float) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker=SERIES_MARKS[place], color=palette.series(place), linewidth=2.4, label=phase)
        for place, phase in enumerate(PHASES)
    ]
    handles.append(Line2D([], [], marker="x", color=palette.ink, linewidth=0, label="before"))
    legend = figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, fontsize=10,
        handletextpad=0.4, columnspacing=1.2, borderaxespad=0.1,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_color(palette.ink)


def location_yields(locations: pd.DataFrame) -> Drawing:
    """Return what each Location yields to its holder, and what taking it is worth."""
    table = locations[np.isfinite(locations["yield_low"])].reset_index(drop=True)
    panels = {"yield": "IP at the end, with rewards", "ip": "take-value, IP"}
    caption = (
        "What every Location yields to its holder at the end, the Loot on it and the rewards of its search included "
        "(left), and what taking it adds to the margin over the same game without that take (right). Diamonds are "
        "Sacred Places, rings the others. Lines are 95 % intervals for one Location. On the right nought is the next "
        "best Location, not none."
    )
    sacred = table[table["sacred"]]
    description = (
        f"{len(sacred)} Sacred Places among {len(table)} Locations, yields from "
        f"{number(float(table['yield'].min()), 1)} to {number(float(table['yield'].max()), 1)} IP. All are in the "
        "table."
    )

    def wide(palette: Palette, width: float) -> Figure:
        return _location_panels(table, panels, palette, width)

    def alone(key: str) -> Any:
        return lambda palette, width: _location_panels(table, {key: panels[key]}, palette, width)

    return Drawing("location_yields", caption, description, wide, tuple(alone(key) for key in panels))


def _location_panels(table: pd.DataFrame, panels: dict[str, str], palette: Palette, width: float) -> Figure:
    top, bottom, left = 30.0, 42.0, 166.0 if width > NARROW else 150.0
    height = len(table) * ROW + top + bottom
    figure = new_figure(width, height)
    gap = 22.0
    panel = (width - left - gap * (len(panels) - 1) - 10) / len(panels)
    for place, (key, title) in enumerate(panels.items()):
        start = left + place * (panel + gap)
        axes = figure.add_axes((start / width, bottom / height, panel / width, 1 - (top + bottom) / height))
        dress(axes, palette)
        if key == "ip":
            axes.axvline(0, color=palette.muted, linewidth=0.8, zorder=1)
        for row in range(len(table)):
            _location_mark(axes, palette, table.iloc[row], key, row)
        axes.set_ylim(len(table) - 0.4, -0.6)
        axes.spines["left"].set_visible(False)
        axes.set_yticks(range(len(table)), [short_name(name) for name in table["name"]] if place == 0 else [])
        if place:
            axes.set_yticks([])
        _bold_sacred(axes, palette, list(table["sacred"]))
        axes.set_title(title, fontsize=11.5, color=palette.ink, loc="left", fontweight="bold", pad=8)
        axes.set_xlabel("IP", fontsize=10.5)
    return figure


def _location_mark(axes: Any, palette: Palette, one: Any, key: str, row: int) -> None:
    if not np.isfinite(one[f"{key}_low"]):
        return
    colour = palette.series2 if one["sacred"] else palette.series1
    axes.plot([one[f"{key}_low"], one[f"{key}_high"]], [row, row], color=colour, linewidth=2.6, zorder=2)
    face = colour if one["sacred"] else palette.paper
    marker = "D" if one["sacred"] else "o"
    axes.plot(
        [one[key]], [row], marker=marker, markersize=6.5, markerfacecolor=face, markeredgecolor=colour,
        markeredgewidth=1.3, zorder=3,
    )  # fmt: skip


def _bold_sacred(axes: Any, palette: Palette, sacred: Sequence[bool]) -> None:
    for label, bold in zip(axes.get_yticklabels(), sacred, strict=False):
        label.set_color(palette.ink)
        label.set_fontweight("bold" if bold else "normal")
