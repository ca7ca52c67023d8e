"""The figures of the study of Nebulis: the map of penalties, and what smuggling brings along three lines through it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from abysssim.report.figures import NARROW, SERIES_MARKS
from abysssim.report.numbers import number
from abysssim.report.style import Drawing, Palette, dress, new_figure

#: The arms in the order of the legend, and what they are called.
ARM_WORDS = {"rescored": "scored again", "played": "policies see it", "tuned": "tuned for it"}
LINES: dict[str, Any] = {"rescored": (0, (1.5, 1.5)), "played": "-", "tuned": (0, (5, 2))}
AXIS_WORDS = {
    "points": "IP lost by each Nebulis",
    "figure": "IP lost by the holder of the figure",
    "both": "both penalties, times the rules' own",
}
PAYS, FAIR, COSTS = "\N{BLACK UP-POINTING TRIANGLE}", "\N{WHITE DIAMOND}", "\N{BLACK DOWN-POINTING TRIANGLE}"
#: Percentage points of win share at which a cell has its full tint, and the strongest tint.
FULL, TINT = 15.0, 0.5


# --- the map -------------------------------------------------------------------------------------------------------


def penalty_map(cells: pd.DataFrame, arm: str, own: tuple[int, int], fair: float, seat: str) -> Drawing:
    """Return the map of the win share of the odd seat by pair of penalties, for one arm.

    cells : rows of table `cells` of that arm, line-up and policy. own : the rules' own pair. fair : the fair win share
    in percentage points. seat : whose win share it is, in words.
    """
    caption = (
        f"Win share of {seat}, in percent, by what each Nebulis costs (down) and what the Kraken figure costs "
        f"(across), in IP. Fair is {number(fair, 1)}: {PAYS} smuggling pays, {COSTS} it costs, {FAIR} neither can be "
        "told apart (95 %, each cell for itself). The line is where it breaks even, between the cells as if straight; "
        "the heavy frame is the pair of the rules."
    )
    shares = cells["win_share"]
    description = (
        f"Map of {len(cells)} pairs of penalties ({arm}). The win share of {seat} goes from {number(shares.min(), 1)} "
        f"to {number(shares.max(), 1)} percent; all values are in the table."
    )

    def draw(palette: Palette, width: float) -> Figure:
        return _draw_map(cells, own, fair, palette, width)

    return Drawing("penalty_map", caption, description, draw, (draw,))


def _draw_map(cells: pd.DataFrame, own: tuple[int, int], fair: float, palette: Palette, width: float) -> Figure:
    points = sorted(cells["points"].unique(), reverse=True)
    figures = sorted(cells["figure"].unique(), reverse=True)
    row_height, top, bottom, left = 46.0, 58.0, 10.0, 74.0 if width > NARROW else 52.0
    height = row_height * len(points) + top + bottom
    figure = new_figure(width, height)
    panel = min(width - left - 6, 116.0 * len(figures))
    axes = figure.add_axes((left / width, bottom / height, panel / width, 1 - (top + bottom) / height))
    axes.patch.set_alpha(0.0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlim(0, len(figures))
    axes.set_ylim(len(points), 0)
    excess = np.full((len(points), len(figures)), np.nan)
    for cell in cells.itertuples():
        row, column = points.index(cell.points), figures.index(cell.figure)
        excess[row, column] = float(cell.win_share) - fair  # type: ignore[arg-type]
        _draw_cell(axes, palette, row, column, cell, fair, width > NARROW)
    _draw_contour(axes, palette, excess)
    if own[0] in points and own[1] in figures:
        place = (figures.index(own[1]), points.index(own[0]))
        axes.add_patch(Rectangle(place, 1, 1, fill=False, edgecolor=palette.ink, linewidth=2.6, zorder=5))
    _label_map(axes, palette, points, figures)
    return figure


def _draw_cell(axes: Any, palette: Palette, row: int, column: int, cell: Any, fair: float, wide: bool) -> None:
    """Draw one cell: a tint by how far from fair, a mark that says which way, and the number."""
    mark = PAYS if cell.win_share_low > fair else COSTS if cell.win_share_high < fair else FAIR
    colour = {PAYS: palette.equivalent, COSTS: palette.stronger, FAIR: palette.undecided}[mark]
    tint = 0.06 + (TINT - 0.06) * min(abs(cell.win_share - fair) / FULL, 1.0)
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, alpha=tint, linewidth=0, zorder=1))
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor=palette.paper, linewidth=1.5, zorder=2))
    size = 12.0 if wide else 11.0
    style = {"va": "center", "ha": "center", "color": palette.ink, "zorder": 6}
    # The line of breaking even may run behind the number.
    halo = [withStroke(linewidth=4.0, foreground=palette.paper)]
    text = number(cell.win_share, 1)
    axes.text(column + 0.5, row + 0.36, text, fontsize=size, fontweight="bold", path_effects=halo, **style)
    axes.text(column + 0.5, row + 0.76, mark, fontsize=9.5, **style)


def _draw_contour(axes: Any, palette: Palette, excess: Any) -> None:
    """Draw where the win share is fair, between the middles of the cells."""
    rows, columns = excess.shape
    if min(rows, columns) > 1 and np.isfinite(excess).all() and excess.min() < 0 < excess.max():
        across, down = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        axes.contour(across, down, excess, levels=[0.0], colors=[palette.muted], linewidths=2.4, zorder=4)


def _label_map(axes: Any, palette: Palette, points: Sequence[int], figures: Sequence[int]) -> None:
    axes.set_xticks(np.arange(len(figures)) + 0.5, [number(one, 0) for one in figures], color=palette.ink)
    axes.set_yticks(np.arange(len(points)) + 0.5, [number(one, 0) for one in points], color=palette.ink)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, pad=5)
    axes.set_xlabel("IP of the Kraken figure", color=palette.muted, fontsize=10.5, loc="left", labelpad=9)
    axes.xaxis.set_label_position("top")
    axes.set_ylabel("IP of each Nebulis", color=palette.muted, fontsize=10.5)


# --- along the axes ------------------------------------------------------------------------------------------------


def curves(table: pd.DataFrame, seat: str) -> Drawing:
    """Return what smuggling brings in IP along each axis, a line for each arm.

    table : rows of table `curves` of one line-up. seat : whose margin it is, in words.
    """
    axes = list(table["axis"].drop_duplicates())
    caption = (
        f"What smuggling brings: margin of {seat}, in IP, with 95 % intervals, by what is lost. Above the line at "
        "nought smuggling pays. Dotted: the games under the rules' own penalties, scored again. Solid: the policies "
        "see the penalties. Dashed: their weights were tuned again for them. Where one penalty moves, the other is the "
        "rules' own."
    )
    description = "Margin along " + ", ".join(AXIS_WORDS[axis] for axis in axes) + "; values in the table."

    def wide(palette: Palette, width: float) -> Figure:
        return _draw_curves(table, axes, palette, width)

    def alone(axis: str) -> Any:
        return lambda palette, width: _draw_curves(table, [axis], palette, width)

    return Drawing("along_the_axes", caption, description, wide, tuple(alone(axis) for axis in axes))


def _draw_curves(table: pd.DataFrame, names: Sequence[str], palette: Palette, width: float) -> Figure:
    height, top, bottom, left, gap = 300.0, 40.0, 48.0, 60.0, 18.0
    figure = new_figure(width, height)
    panel = (width - left - 8 - gap * (len(names) - 1)) / len(names)
    # With few games there are no intervals.
    low = float(np.nanmin([table["margin_low"].min(), table["margin"].min(), 0.0]))
    high = float(np.nanmax([table["margin_high"].max(), table["margin"].max(), 0.0]))
    pad = 0.05 * max(high - low, 1.0)
    for place, name in enumerate(names):
        start = left + place * (panel + gap)
        axes = figure.add_axes((start / width, bottom / height, panel / width, 1 - (top + bottom) / height))
        dress(axes, palette, "y")
        axes.axhline(0, color=palette.ink, linewidth=1.2, zorder=1)
        _draw_arms(axes, palette, table[table["axis"] == name])
        axes.set_ylim(low - pad, high + pad)
        axes.set_xlabel(AXIS_WORDS[name], fontsize=10.5)
        if place == 0:
            axes.set_ylabel("margin (IP)")
            legend = axes.legend(
                loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=3, frameon=False, fontsize=10, handlelength=2.2,
                columnspacing=1.1, borderaxespad=0.2,
            )  # fmt: skip
            for text in legend.get_texts():
                text.set_color(palette.ink)
        else:
            axes.set_yticklabels([])
    return figure


def _draw_arms(axes: Any, palette: Palette, table: pd.DataFrame) -> None:
    """Draw the arms on one axis, marks a little apart so that their intervals can be told apart."""
    span = float(table["place"].max() - table["place"].min())
    for place, (arm, words) in enumerate(ARM_WORDS.items()):
        part = table[table["arm"] == arm]
        if part.empty:
            continue
        at = part["place"] + (place - 1) * 0.012 * span
        reach = [part["margin"] - part["margin_low"], part["margin_high"] - part["margin"]]
        colour = palette.series(place)
        axes.errorbar(at, part["margin"], yerr=reach, fmt="none", ecolor=colour, elinewidth=1.6, zorder=2)
        axes.plot(
            at, part["margin"], color=colour, linestyle=LINES[arm], linewidth=1.6, marker=SERIES_MARKS[place],
            markersize=6, markeredgecolor=palette.paper, markeredgewidth=0.7, zorder=3, label=words,
        )  # fmt: skip
    axes.margins(x=0.06)
