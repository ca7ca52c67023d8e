"""The figures of the study of Lord values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from abysssim.report.numbers import number
from abysssim.report.style import Drawing, Palette, dress, new_figure, one_panel

#: The marks of the classes: a reader tells them apart without colour.
MARKS = {"stronger": "^", "weaker": "v", "equivalent": "o", "undecided": "D"}
SERIES_MARKS = ("o", "s", "D", "^", "v")
WIDE, NARROW = 820, 360
ROW = 18.0
MOST_PANELS = 3


def short_name(name: str) -> str:
    """Return a Lord's name without its article."""
    return name.removeprefix("The ")


def _order(lords: pd.DataFrame) -> list[str]:
    """Return the keys of the Lords, the most valuable under the first line-up first; unmeasured ones last."""
    first = lords[lords["line_up"] == lords["line_up"].iloc[0]]
    return list(first.sort_values("ip_shrunk", ascending=False, na_position="last")["lord"])


def _in_order(lords: pd.DataFrame, line_up: str, order: Sequence[str]) -> pd.DataFrame:
    return lords[lords["line_up"] == line_up].set_index("lord").loc[list(order)]


# --- the one figure ----------------------------------------------------------------------------------------------


def forest(lords: pd.DataFrame, region: float) -> Drawing:
    """Return the forest plot: every Lord against the typical one, a panel for each line-up."""
    line_ups = list(lords["line_up"].drop_duplicates())
    shown = line_ups[:MOST_PANELS]

    def wide(palette: Palette, width: float) -> Figure:
        return _forest_panels(lords, shown, region, palette, width)

    def alone(line_up: str) -> Any:
        return lambda palette, width: _forest_panels(lords, [line_up], region, palette, width)

    more = f" The table below has all {len(line_ups)} line-ups." if len(line_ups) > MOST_PANELS else ""
    caption = (
        "What each Lord is worth to the seat that takes it, in IP against the typical Lord. Thick lines are 95 % "
        "intervals for one Lord, thin lines hold for all Lords together. Inside the shaded band a difference is too "
        f"small to matter (±{region:g} IP). The order is that of the first panel, with uncertain values pulled to the "
        f"middle.{more}"
    )
    leaders = _in_order(lords, shown[0], _order(lords)).head(3)
    description = (
        f"Forest plot of {lords['lord'].nunique()} Lords. Highest under {shown[0]}: "
        + ", ".join(
            f"{short_name(name)} {number(value, 1, True)} IP"
            for name, value in zip(leaders["name"], leaders["ip_difference"], strict=True)
        )
        + ". All values are in the table."
    )
    return Drawing("lord_values", caption, description, wide, tuple(alone(name) for name in shown))


def _forest_panels(
    lords: pd.DataFrame, line_ups: Sequence[str], region: float, palette: Palette, width: float
) -> Figure:
    order = _order(lords)
    rows = len(order)
    top, bottom, left = 34.0, 44.0, 118.0 if width > NARROW else 104.0
    height = rows * ROW + top + bottom
    figure = new_figure(width, height)
    gap, words = 16.0, 74.0 if width > NARROW else 0.0
    panel = (width - left - words * len(line_ups) - gap * (len(line_ups) - 1) - 6) / len(line_ups)
    low, high = _forest_limits(lords, line_ups, region)
    for place, line_up in enumerate(line_ups):
        start = left + place * (panel + words + gap)
        axes = figure.add_axes(
            (start / width, bottom / height, panel / width, 1 - (top + bottom) / height)
        )
        dress(axes, palette)
        table = _in_order(lords, line_up, order)
        axes.axvspan(-region, region, color=palette.band, linewidth=0, zorder=0.5)
        axes.axvline(0, color=palette.muted, linewidth=0.8, zorder=1)
        for row, (_, lord) in enumerate(table.iterrows()):
            _forest_row(axes, palette, row, lord, low, high, words > 0)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_xlim(low, high)
        axes.spines["left"].set_visible(False)
        axes.set_yticks(range(rows), [])
        if place == 0:
            axes.set_yticklabels([short_name(name) for name in table["name"]], color=palette.ink)
        axes.set_title(line_up, fontsize=11.5, color=palette.ink, loc="left", fontweight="bold", pad=10)
        axes.set_xlabel("IP against the typical Lord", fontsize=10.5)
    return figure


def _forest_limits(lords: pd.DataFrame, line_ups: Sequence[str], region: float) -> tuple[float, float]:
    """Return the axis' ends: they hold all estimates and all but very long intervals."""
    shown = lords[lords["line_up"].isin(line_ups) & lords["ip_difference_low"].notna()]
    if shown.empty:
        return -4 * region, 4 * region
    least, most = min(shown["ip_difference"].min(), -region), max(shown["ip_difference"].max(), region)
    low = max(shown["ip_difference_low_all"].min(), least - (most - least))
    high = min(shown["ip_difference_high_all"].max(), most + (most - least))
    low, high = min(low, -2 * region), max(high, 2 * region)
    pad = 0.03 * (high - low)
    return float(low - pad), float(high + pad)


def _forest_row(
    axes: Any, palette: Palette, row: int, lord: pd.Series, low: float, high: float, words: bool
) -> None:
    verdict = str(lord["ip_verdict"])
    colour = getattr(palette, verdict)
    if np.isfinite(lord["ip_difference_low"]):
        ends = np.clip([lord["ip_difference_low_all"], lord["ip_difference_high_all"]], low, high)
        axes.plot(ends, [row, row], color=colour, linewidth=1.1, zorder=2, solid_capstyle="butt")
        ends = np.clip([lord["ip_difference_low"], lord["ip_difference_high"]], low, high)
        axes.plot(ends, [row, row], color=colour, linewidth=3.2, zorder=3, solid_capstyle="butt")
    known = np.isfinite(lord["ip_difference_low"])
    if known:
        hollow = verdict == "undecided"
        axes.plot(
            [lord["ip_difference"]],
            [row],
            marker=MARKS[verdict],
            markersize=6.2 if verdict == "undecided" else 7.4,
            markerfacecolor=palette.paper if hollow else colour,
            markeredgecolor=colour if hollow else palette.paper,
            markeredgewidth=1.3 if hollow else 0.9,
            zorder=4,
        )
    if words:
        text = verdict if known else "too rare"
        weight = "bold" if verdict in ("stronger", "weaker") else "normal"
        axes.annotate(
            text, (1, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
            va="center", fontsize=10, color=colour, fontweight=weight,
        )  # fmt: skip


# --- price against value -----------------------------------------------------------------------------------------


def price(lords: pd.DataFrame) -> Drawing:
    """Return take-value against the printed cost, names in columns, under the first line-up."""
    line_up = lords["line_up"].iloc[0]
    table = lords[(lords["line_up"] == line_up) & lords["ip_value_low"].notna()]
    caption = (
        f"Cost against value under {line_up}: what a Lord is worth to its taker, in IP, by its printed cost. Short "
        "lines are the means of equal cost. Marks are those of the first figure."
    )
    description = "Take-value of each Lord in columns of equal cost; the values are in the table."

    def wide(palette: Palette, width: float) -> Figure:
        return _price(table, palette, width, len(table))

    def narrow(palette: Palette, width: float) -> Figure:
        return _price(table, palette, width, 8)

    return Drawing("cost_against_value", caption, description, wide, (narrow,))


def _nothing(palette: Palette, width: float) -> Figure:
    """Return a figure that says that there is nothing to show yet."""
    figure = new_figure(width, 60)
    words = "Too few games for an interval of any Lord."
    figure.text(0.02, 0.5, words, va="center", fontsize=11, color=palette.muted)
    return figure


def _price(table: pd.DataFrame, palette: Palette, width: float, labels: int) -> Figure:
    if table.empty:
        return _nothing(palette, width)
    height = 470.0 if width > NARROW else 400.0
    figure, axes = one_panel(palette, width, height, (46, 12, 46, 20), "y")
    costs = sorted(table["cost"].unique())
    apart = (table["ip_value"] - table.groupby("cost")["ip_value"].transform("mean")).abs()
    named = set(apart.sort_values(ascending=False).index[:labels])
    low, high = table["ip_value"].min(), table["ip_value"].max()
    pad = 0.07 * max(high - low, 1.0)
    axes.set_ylim(low - pad, high + pad)
    axes.set_xlim(-0.25, len(costs) - 0.25)
    spacing = (high - low + 2 * pad) * 13.0 / (height - 66)
    for column, cost in enumerate(costs):
        part = table[table["cost"] == cost].sort_values("ip_value")
        mean = part["ip_value"].mean()
        axes.plot([column - 0.14, column + 0.06], [mean, mean], color=palette.muted, linewidth=1.2, zorder=1)
        names = part[part.index.isin(named)]
        heights = declutter(names["ip_value"].to_numpy(dtype=float), spacing, low - pad / 2, high + pad / 2)
        for _, lord in part.iterrows():
            verdict = str(lord["ip_verdict"])
            colour = getattr(palette, verdict)
            hollow = verdict == "undecided"
            axes.plot(
                [column],
                [lord["ip_value"]],
                marker=MARKS[verdict],
                markersize=6.2 if hollow else 7.6,
                markerfacecolor=palette.paper if hollow else colour,
                markeredgecolor=colour if hollow else palette.paper,
                markeredgewidth=1.2 if hollow else 0.8,
                zorder=3,
            )
        side = -1 if column == len(costs) - 1 and width <= NARROW else 1
        for (_, lord), place in zip(names.iterrows(), heights, strict=True):
            _leader(axes, palette, column, float(lord["ip_value"]), float(place), short_name(lord["name"]), side)
    axes.set_xticks(range(len(costs)), [str(cost) for cost in costs])
    axes.set_xlabel("printed cost")
    axes.set_ylabel("worth to its taker (IP)")
    return figure


def _leader(axes: Any, palette: Palette, column: int, value: float, place: float, name: str, side: int) -> None:
    """Write a name beside its mark, with a hairline where it had to move."""
    edge = column + side * 0.1
    axes.plot([column + side * 0.03, edge], [value, place], color=palette.line, linewidth=0.8, zorder=2)
    axes.annotate(
        name, (edge, place), xytext=(side * 2, 0), textcoords="offset points", va="center",
        ha="left" if side > 0 else "right", fontsize=9.5, color=palette.ink,
    )  # fmt: skip


def declutter(values: NDArray[np.float64], spacing: float, low: float, high: float) -> NDArray[np.float64]:
    """Return places near ascending values that are at least `spacing` apart and, if they fit, inside low .. high."""
    places = values.astype(float).copy()
    for _ in range(200):
        gaps = np.diff(places)
        tight = np.flatnonzero(gaps < spacing * 0.999)
        if not tight.size:
            break
        for k in tight:
            push = (spacing - (places[k + 1] - places[k])) / 2
            if push > 0:
                places[k] -= push
                places[k + 1] += push
    if places.size:
        places += max(low - places[0], 0.0)
        places -= max(places[-1] - high, 0.0)
    return places


# --- raw against causal ------------------------------------------------------------------------------------------


def raw_against_value(lords: pd.DataFrame) -> Drawing:
    """Return the raw win rate of takers against the take-value, both in percentage points."""
    line_up = lords["line_up"].iloc[0]
    table = lords[(lords["line_up"] == line_up) & lords["win_value_low"].notna() & lords["win_raw"].notna()]
    agreement = table["win_value"].corr(table["win_raw"], method="spearman") if len(table) > 2 else np.nan
    caption = (
        f"Why the raw win rate misleads ({line_up}). Across: what taking the Lord changes in the chance to win. Up: "
        "how much more often its takers win than their fair share, which also measures who can afford it and when. "
        f"The two rankings agree to {number(agreement, 2)} (rank correlation); named are the Lords whose places "
        "differ most."
    )
    description = "Scatter of the raw win rate against the take-value in percentage points; values in the table."

    def draw(palette: Palette, width: float) -> Figure:
        return _raw(table, palette, width)

    return Drawing("raw_against_value", caption, description, draw, (draw,))


def _raw(table: pd.DataFrame, palette: Palette, width: float) -> Figure:
    if table.empty:
        return _nothing(palette, width)
    height = 420.0 if width > NARROW else 340.0
    figure, axes = one_panel(palette, width, height, (52, 24, 48, 16), "both")
    moved = (table["win_value"].rank() - table["win_raw"].rank()).abs()
    order = list(moved.sort_values(ascending=False).index[: 14 if width > NARROW else 7])
    axes.errorbar(
        table["win_value"], table["win_raw"], xerr=1.96 * table["win_value_se"].fillna(0), fmt="none",
        ecolor=palette.line, elinewidth=1.2, zorder=1,
    )  # fmt: skip
    taken = np.sqrt(table["take_rate"] / max(float(table["take_rate"].max()), 1e-9))
    axes.scatter(
        table["win_value"], table["win_raw"], s=20 + 50 * taken, color=palette.series1, edgecolor=palette.paper,
        linewidth=0.9, zorder=3,
    )  # fmt: skip
    axes.set_xlabel("take-value (percentage points)")
    axes.set_ylabel("raw, above the fair share (percentage points)")
    axes.margins(0.08)
    _name_points(axes, table.loc[order], table, palette)
    return figure


def _name_points(axes: Any, named: pd.DataFrame, table: pd.DataFrame, palette: Palette) -> None:
    """Write names beside their points, those first in `named` first, where there is room."""
    axes.figure.draw_without_rendering()
    points = axes.transData.transform(table[["win_value", "win_raw"]].to_numpy(dtype=float))
    boxes = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    frame = axes.get_window_extent()
    for _, lord in named.iterrows():
        x, y = axes.transData.transform((lord["win_value"], lord["win_raw"]))
        text = short_name(lord["name"])
        size = 5.9 * len(text)
        for side in (1, -1):
            box = (x + 7, y - 6, x + 7 + size, y + 6) if side > 0 else (x - 7 - size, y - 6, x - 7, y + 6)
            inside = frame.x0 < box[0] and box[2] < frame.x1 + 20
            if inside and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                axes.annotate(
                    text, (lord["win_value"], lord["win_raw"]), xytext=(7 * side, 0), textcoords="offset points",
                    va="center", ha="left" if side > 0 else "right", fontsize=9.5, color=palette.ink,
                )  # fmt: skip
                break


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


# --- who takes it, when ------------------------------------------------------------------------------------------


def taking(lords: pd.DataFrame, by_policy: pd.DataFrame) -> Drawing:
    """Return how often each policy takes each Lord, and in which of its turns, in the line-up with most policies."""
    policies = by_policy.groupby("line_up", sort=False)["policy"].nunique()
    line_up = str(policies.idxmax())
    table = lords[lords["line_up"] == line_up].sort_values("take_rate", ascending=False)
    rates = by_policy[by_policy["line_up"] == line_up]
    caption = (
        f"How often a seat takes each Lord in a game, by policy, and in which of its own turns ({line_up}): from the "
        "turn by which a tenth of the takes have happened to that of nine tenths; the mark is the median."
    )
    description = "Share of games in which a seat of each policy takes each Lord, and the turns; values in the table."

    def wide(palette: Palette, width: float) -> Figure:
        return _taking(table, rates, palette, width, True)

    def rates_only(palette: Palette, width: float) -> Figure:
        return _taking(table, rates, palette, width, False)

    return Drawing("who_takes_it_and_when", caption, description, wide, (rates_only,))


def _taking(table: pd.DataFrame, rates: pd.DataFrame, palette: Palette, width: float, turns: bool) -> Figure:
    rows = len(table)
    names = list(rates["policy"].drop_duplicates())
    top, bottom, left = 44.0, 44.0, 118.0 if turns else 104.0
    height = rows * 16.0 + top + bottom
    figure = new_figure(width, height)
    panel = (width - left - 34) * 0.56 if turns else width - left - 14
    axes = figure.add_axes((left / width, bottom / height, panel / width, 1 - (top + bottom) / height))
    dress(axes, palette)
    place = {lord: row for row, lord in enumerate(table["lord"])}
    spread = rates.groupby("lord")["take_rate"].agg(["min", "max"]) * 100
    for lord, row in place.items():
        axes.plot(spread.loc[lord], [row, row], color=palette.line, linewidth=2.4, zorder=1, solid_capstyle="round")
    for number_, policy in enumerate(names):
        part = rates[rates["policy"] == policy]
        axes.scatter(
            100 * part["take_rate"], [place[lord] for lord in part["lord"]], s=32, marker=SERIES_MARKS[number_ % 5],
            color=palette.series(number_), edgecolor=palette.paper, linewidth=0.7, zorder=3, label=policy,
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_xlabel("taken by a seat, in % of its games")
    _rows(axes, palette, [short_name(name) for name in table["name"]])
    legend = axes.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=5 if turns else 3, frameon=False, fontsize=10,
        handletextpad=0.3, columnspacing=1.2, borderaxespad=0.2,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_color(palette.ink)
    if turns:
        start = left + panel + 26
        other = figure.add_axes(
            (start / width, bottom / height, (width - start - 8) / width, 1 - (top + bottom) / height)
        )
        _taking_turns(other, table, palette)
    return figure


def _taking_turns(axes: Any, table: pd.DataFrame, palette: Palette) -> None:
    dress(axes, palette)
    for row, (_, lord) in enumerate(table.iterrows()):
        if np.isfinite(lord["turn_p50"]):
            ends = [lord["turn_p10"], lord["turn_p90"]]
            axes.plot(ends, [row, row], color=palette.series1, linewidth=3, alpha=0.35, solid_capstyle="round")
            axes.plot([lord["turn_p50"]], [row], marker="o", markersize=5.5, color=palette.series1)
    axes.set_xlim(left=0)
    axes.set_xlabel("own turn of taking")
    _rows(axes, palette, [])


def _rows(axes: Any, palette: Palette, names: list[str]) -> None:
    """Put one row a Lord, the first at the top."""
    count = len(names) or len(axes.lines) // 2
    axes.set_yticks(range(len(names)), names, color=palette.ink)
    axes.set_ylim(max(count, 1) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    if not names:
        axes.set_yticks([])


# --- how long games last -----------------------------------------------------------------------------------------


def lengths(table: pd.DataFrame, seats: int) -> Drawing:
    """Return the distribution of game lengths, in rounds, for every line-up."""
    line_ups = list(table["line_up"].drop_duplicates())
    caption = "How long games last: turns of all seats, share of games, for each line-up."
    description = "Distribution of game lengths in turns for " + ", ".join(line_ups) + "."

    def draw(palette: Palette, width: float) -> Figure:
        figure, axes = one_panel(palette, width, 240.0, (46, 16, 44, 32), "y")
        for place, line_up in enumerate(line_ups):
            part = table[table["line_up"] == line_up]
            bins = (part["turns"] // seats) * seats
            shares = 100 * part.groupby(bins)["games"].sum() / part["games"].sum()
            axes.step(
                shares.index + seats / 2, shares, where="mid", color=palette.series(place), linewidth=1.8,
                label=line_up, linestyle=("-", (0, (5, 2)), (0, (1.5, 1.5)))[place % 3],
            )  # fmt: skip
            axes.fill_between(shares.index + seats / 2, shares, step="mid", color=palette.series(place), alpha=0.1)
        axes.set_xlabel("turns of all seats")
        axes.set_ylabel("% of games")
        axes.set_ylim(bottom=0)
        legend = axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False, fontsize=10)
        for text in legend.get_texts():
            text.set_color(palette.ink)
        return figure

    return Drawing("game_lengths", caption, description, draw, (draw,))
