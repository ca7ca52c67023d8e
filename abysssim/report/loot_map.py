"""The map of search or stop: a figure to print and lay on the table. It says everything without colour."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from abysssim.report.figures import NARROW
from abysssim.report.numbers import number
from abysssim.report.style import Drawing, Palette, new_figure
from abysssim.studies.loot_decks import ROUNDING, Map

ROW = 20.0
#: Above this share of decks in which searching on is right, and below one less it, the advice holds for nearly all.
SURE = 0.95
MARKS = {"search": "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "stop": "\N{BLACK SQUARE}", "either": "?"}
#: IP at which a cell has its full tint.
FULL = 6.0
#: Weakest and strongest tint: stopping is the darker one, so that grey paper shows it.
TINTS = {"search": (0.04, 0.24), "stop": (0.22, 0.5), "either": (0.1, 0.1)}
#: Width of the gap between the column of the whole deck and the others, in columns.
GAP = 0.18


def advice(right: float) -> str:
    """Return "search", "stop" or "either" from the share of decks in which searching on is right."""
    return "search" if right >= SURE else "stop" if right <= 1 - SURE else "either"


def loot_map(name: str, setting: str, chart: Map) -> Drawing:
    """Return the map for one setting of rewards.

    name : of the files. setting : how the rewards are counted, to follow "Search or stop, ".
    """
    caption = (
        f"Search or stop, {setting}. Find the Loot you hold, then the column: of the cards left in the Loot deck, how "
        "many in a hundred equal one you hold? The number is what searching on, with best play, gains on average over "
        f"stopping, in IP. {MARKS['search']} search on; {MARKS['stop']} stop; {MARKS['either']} it depends on which "
        "cards are left, and the mean says which way it leans. The first column is exact for a whole deck less what "
        "you hold. An empty cell cannot happen."
    )
    said = [advice(right) for right in chart.right[np.isfinite(chart.right)]]
    description = (
        f"Map of {len(chart.held)} sets of Loot held by {chart.gain.shape[1]} shares of duplicates left: "
        f"{said.count('search')} cells say search on, {said.count('stop')} say stop. The values are in the tables."
    )

    def draw(palette: Palette, width: float) -> Figure:
        return _draw(chart, setting, palette, width)

    return Drawing(name, caption, description, draw, (draw,))


def _draw(chart: Map, setting: str, palette: Palette, width: float) -> Figure:
    wide = width > NARROW
    rows, columns = chart.gain.shape
    top, bottom, left = (68.0, 30.0, 138.0) if wide else (58.0, 40.0, 62.0)
    height = rows * ROW + top + bottom
    figure = new_figure(width, height)
    axes = figure.add_axes((left / width, bottom / height, (width - left - 4) / width, 1 - (top + bottom) / height))
    axes.patch.set_alpha(0.0)
    axes.set_xlim(-1 - GAP, columns)
    axes.set_ylim(rows, 0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for row in range(rows):
        whole = float(chart.whole[row])
        _cell(axes, palette, row, -1 - GAP, whole, "search" if whole > ROUNDING else "stop", wide)
        for column in range(columns):
            _cell(axes, palette, row, column, float(chart.gain[row, column]), advice(chart.right[row, column]), wide)
        _label(axes, palette, chart.held[row], row, wide)
    _lines(axes, palette, chart)
    _heads(axes, palette, chart, wide)
    _words(figure, palette, setting, wide, width, height)
    return figure


def _cell(axes: Any, palette: Palette, row: int, column: float, gain: float, said: str, wide: bool) -> None:
    """Draw one cell: a tint, a mark, and the gain where there is room for it."""
    if not np.isfinite(gain):
        return
    colour = {"search": palette.equivalent, "stop": palette.stronger, "either": palette.undecided}[said]
    weak, strong = TINTS[said]
    tint = weak + (strong - weak) * min(abs(gain) / FULL, 1.0)
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, alpha=tint, linewidth=0, zorder=1))
    text = {"va": "center", "color": palette.ink, "zorder": 3}
    if not wide:  # a phone has room for the mark alone
        axes.text(column + 0.5, row + 0.53, MARKS[said], ha="center", fontsize=9, **text)
        return
    axes.text(column + 0.12, row + 0.53, MARKS[said], fontsize=11 if said == "search" else 8.5, **text)
    weight = "bold" if said == "stop" else "normal"
    axes.text(column + 0.9, row + 0.53, number(gain, 1, True), ha="right", fontsize=10, fontweight=weight, **text)


def _label(axes: Any, palette: Palette, held: tuple[int, ...], row: int, wide: bool) -> None:
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "ha": "right"}
    axes.annotate(
        " ".join(map(str, held)), (0, row + 0.53), xytext=(-48 if wide else -4, 0), fontsize=10.5 if wide else 9,
        color=palette.ink, fontweight="bold" if wide else "normal", **place,
    )  # fmt: skip
    if wide:
        axes.annotate(
            f"{sum(held)} IP", (0, row + 0.53), xytext=(-6, 0), fontsize=9.5, color=palette.muted, **place
        )


def _lines(axes: Any, palette: Palette, chart: Map) -> None:
    """Draw faint lines between cells, stronger ones where one Loot more is held."""
    rows, columns = chart.gain.shape
    for row in range(1, rows):
        apart = len(chart.held[row]) != len(chart.held[row - 1])
        width, colour = (1.2, palette.muted) if apart else (0.5, palette.line)
        for ends in ((-1 - GAP, -GAP), (0, columns)):
            axes.plot(ends, [row, row], color=colour, linewidth=width, zorder=2)
    for column in range(1, columns):
        axes.plot([column, column], [0, rows], color=palette.line, linewidth=0.5, zorder=2)


def _heads(axes: Any, palette: Palette, chart: Map, wide: bool) -> None:
    columns = chart.gain.shape[1]
    lows, highs = chart.edges[:-1], [*(chart.edges[1:-1] - 1), chart.edges[-1]]
    names = [f"{low}\N{EN DASH}{high} %" if wide else f"{low}" for low, high in zip(lows, highs, strict=True)]
    places = [-0.5 - GAP, *(np.arange(columns) + 0.5)]
    axes.set_yticks([])
    axes.set_xticks(places, ["whole deck" if wide else "whole", *names], color=palette.ink, fontsize=9 if wide else 8)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, pad=4)
    words = "of the cards left, so many equal one you hold" if wide else "% of the cards left that equal one held, from"
    axes.annotate(
        words, (0, 1), xycoords=("data", "axes fraction"), xytext=(0, 20), textcoords="offset points",
        fontsize=10 if wide else 8.5, color=palette.muted,
    )  # fmt: skip


def _words(figure: Figure, palette: Palette, setting: str, wide: bool, width: float, height: float) -> None:
    """Write the title above, and below what the marks mean."""
    title = f"Search or stop, {setting}"
    figure.text(
        6 / width, 1 - 14 / height, title, va="center", fontsize=13 if wide else 11, fontweight="bold",
        color=palette.ink,
    )  # fmt: skip
    key = [f"{MARKS['search']} search on", f"{MARKS['stop']} stop", f"{MARKS['either']} depends on the cards left"]
    figure.text(
        6 / width, 12 / height, " \N{MIDDLE DOT} ".join(key), va="center", fontsize=10 if wide else 9,
        color=palette.ink,
    )  # fmt: skip
    if wide:
        figure.text(
            1 - 4 / width, 12 / height, "numbers: gain of searching on, IP", va="center", ha="right", fontsize=10,
            color=palette.muted,
        )  # fmt: skip
