"""The map of search or stop: a figure to print and lay on the table. It says everything without colour."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from abysssim.report.figures import NARROW
from abysssim.report.numbers import number
from abysssim.report.style import Drawing, Palette, new_figure
from abysssim.studies.loot_decks import Map

ROW = 20.0
#: Above this share of decks in which searching on is right, and below one less it, the advice holds for nearly all.
SURE = 0.95
SEARCH, STOP, EITHER = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK SQUARE}", "?"
#: IP at which a cell has its full tint.
FULL = 6.0


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
        f"stopping, in IP. {SEARCH} search on; {STOP} stop; {EITHER} it depends on which cards are left: the mean says "
        "which way it leans. Framed cells are those of a whole deck less what you hold; an empty cell cannot happen."
    )
    stops = sum(advice(right) == "stop" for right in chart.right[np.isfinite(chart.right)])
    searches = sum(advice(right) == "search" for right in chart.right[np.isfinite(chart.right)])
    description = (
        f"Map of {len(chart.held)} sets of Loot held by ten shares of duplicates left: {searches} cells say search on, "
        f"{stops} say stop. All values are in the table."
    )

    def draw(palette: Palette, width: float) -> Figure:
        return _draw(chart, setting, palette, width)

    return Drawing(name, caption, description, draw, (draw,))


def _draw(chart: Map, setting: str, palette: Palette, width: float) -> Figure:
    wide = width > NARROW
    rows, columns = chart.gain.shape
    top, bottom, left = (78.0, 30.0, 150.0) if wide else (62.0, 40.0, 62.0)
    figure = new_figure(width, rows * ROW + top + bottom)
    height = rows * ROW + top + bottom
    axes = figure.add_axes((left / width, bottom / height, (width - left - 4) / width, 1 - (top + bottom) / height))
    axes.patch.set_alpha(0.0)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for row in range(rows):
        for column in range(columns):
            _cell(axes, palette, chart, row, column, wide)
        _label(axes, palette, chart.held[row], row, wide)
    _borders(axes, palette, chart)
    _heads(axes, palette, chart, wide)
    _title(figure, palette, setting, wide, width, height)
    return figure


def _cell(axes: Any, palette: Palette, chart: Map, row: int, column: int, wide: bool) -> None:
    gain, right = float(chart.gain[row, column]), float(chart.right[row, column])
    if not np.isfinite(gain):
        return
    said = advice(right)
    colour = palette.stronger if said == "stop" else palette.equivalent if said == "search" else palette.undecided
    tint = 0.06 + 0.26 * min(abs(gain) / FULL, 1.0)
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, alpha=tint, linewidth=0, zorder=1))
    mark = {"search": SEARCH, "stop": STOP, "either": EITHER}[said]
    value = number(gain, 1, True)
    if wide:
        axes.text(column + 0.12, row + 0.53, mark, va="center", fontsize=8.5, color=palette.ink, zorder=3)
        axes.text(
            column + 0.9, row + 0.53, value, va="center", ha="right", fontsize=10, color=palette.ink, zorder=3,
            fontweight="bold" if said == "stop" else "normal",
        )  # fmt: skip
    else:
        # A phone has room for the mark alone; the table has the numbers.
        axes.text(column + 0.5, row + 0.53, mark, va="center", ha="center", fontsize=9, color=palette.ink, zorder=3)


def _label(axes: Any, palette: Palette, held: tuple[int, ...], row: int, wide: bool) -> None:
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    text = " ".join(map(str, held))
    right = -48 if wide else -4
    axes.annotate(
        text, (0, row + 0.53), xytext=(right, 0), ha="right", fontsize=10.5 if wide else 9, color=palette.ink,
        fontweight="bold" if wide else "normal", **place,
    )  # fmt: skip
    if wide:
        axes.annotate(
            f"{sum(held)} IP", (0, row + 0.53), xytext=(-6, 0), ha="right", fontsize=9.5, color=palette.muted, **place
        )


def _borders(axes: Any, palette: Palette, chart: Map) -> None:
    """Draw a heavy line where "search" ends, faint lines between sizes, and frames around the whole deck's cells."""
    rows, columns = chart.gain.shape
    for row in range(1, rows):
        apart = len(chart.held[row]) != len(chart.held[row - 1])
        width, colour = (1.2, palette.muted) if apart else (0.5, palette.line)
        axes.plot([0, columns], [row, row], color=colour, linewidth=width, zorder=2)
    for column in range(columns + 1):
        axes.plot([column, column], [0, rows], color=palette.line, linewidth=0.5, zorder=2)
    for row, column in enumerate(chart.fresh):
        axes.add_patch(
            Rectangle(
                (column + 0.03, row + 0.07), 0.94, 0.86, fill=False, edgecolor=palette.ink, linewidth=1.6, zorder=4
            )
        )


def _heads(axes: Any, palette: Palette, chart: Map, wide: bool) -> None:
    columns = chart.gain.shape[1]
    axes.set_yticks([])
    if wide:
        last = int(chart.edges[-1])
        names = [f"{low}\N{EN DASH}{high - (high < last)} %" for low, high in zip(chart.edges, chart.edges[1:], strict=False)]
    else:
        names = [f"{low}" for low in chart.edges[:-1]]
    axes.set_xticks(np.arange(columns) + 0.5, names, color=palette.ink, fontsize=9.5 if wide else 8.5)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, pad=4)
    axes.xaxis.set_label_position("top")
    words = "of the cards left, so many equal one you hold" if wide else "equal to one you hold, from % of the cards left"
    axes.set_xlabel(words, fontsize=10 if wide else 9, color=palette.muted, labelpad=6, loc="left")


def _title(figure: Figure, palette: Palette, setting: str, wide: bool, width: float, height: float) -> None:
    figure.text(
        6 / width, 1 - 14 / height, f"Search or stop, {setting}" if wide else "Search or stop", va="center",
        fontsize=13 if wide else 11.5, fontweight="bold", color=palette.ink,
    )  # fmt: skip
    key = [f"{SEARCH} search on", f"{STOP} stop", f"{EITHER} depends on the cards left"]
    legend = "     ".join(key) if wide else "   ".join([key[0], key[1], f"{EITHER} depends"])
    frame = "     framed: a whole deck" if wide else "   framed: whole deck"
    figure.text(6 / width, 12 / height, legend + frame, va="center", fontsize=10 if wide else 8.5, color=palette.ink)
    if wide:
        figure.text(
            1 - 4 / width, 12 / height, "numbers: gain of searching on, IP", va="center", ha="right", fontsize=10,
            color=palette.muted,
        )  # fmt: skip
