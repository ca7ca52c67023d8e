"""What the study of Nebulis counts in every game: exact integer sums, in groups of deals (deal number mod 256)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abysssim.studies import nebulis_kernel
from abysssim.studies.lord_kernel import LENGTHS
from abysssim.studies.nebulis_kernel import GROUPS
from abysssim.vocabulary import Decision, EndTrigger, Verb

Sums = dict[str, NDArray[np.int64]]

_kernel: Any = nebulis_kernel  # its types are numba's

#: Last axis of the sums of games scored again.
OUTCOMES = ("seats", "win", "margin", "total")
#: Last axis of the sums of games played; the first four are OUTCOMES. win and margin are times 12.
MEASURES = (
    *OUTCOMES,
    "nebulis_gained",
    "nebulis_passed",
    "nebulis_paid",
    "nebulis_held",
    "krakens_paid",
    "krakens_left",
    "figure_taken",
    "figure_held",
    "recruitments",
    "purchases",
    "sales",
    "explorations",
    "council_actions",
    "pearls",
    "turns",
)


class Penalty(NamedTuple):
    """A pair of penalties, in IP: of each Nebulis at the end, and of the Kraken figure."""

    points: int
    figure: int

    def __str__(self) -> str:
        """Return it as "-1/-5", with true minus signs."""
        return "/".join(f"\N{MINUS SIGN}{-part}" if part < 0 else str(part) for part in self)


def new_sums(cells: int, rescored: int, policies: int) -> Sums:
    """Return cleared sums of one line-up, by name; `g` below is the group.

    cells (g, cell, policy, MEASURES): games as they were played under each pair of penalties; rescored (g, pair,
    policy, OUTCOMES): those under the rules' own pair, scored again under each. Of the games under the rules' own pair:
    ends (EndTrigger), lengths (turns), asked (Decision), picked (Decision, Verb).
    """
    shapes: dict[str, tuple[int, ...]] = {
        "cells": (GROUPS, cells, policies, len(MEASURES)),
        "rescored": (GROUPS, rescored, policies, len(OUTCOMES)),
        "ends": (len(EndTrigger),),
        "lengths": (LENGTHS,),
        "asked": (len(Decision),),
        "picked": (len(Decision), len(Verb)),
    }
    return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}


def add_cell(cells: NDArray[np.int64], rows: NDArray[Any], place: int) -> None:
    """Add games, ROW (games, seats), of the cell at a place to the sums (g, cell, policy, MEASURES)."""
    _kernel.add_cell(rows.view(np.recarray), place, cells)


def add_rescored(
    outcomes: NDArray[np.int64], rows: NDArray[Any], pairs: Sequence[Penalty], points: NDArray[np.int64]
) -> None:
    """Score games, ROW (games, seats), again under every pair and add to the sums (g, pair, policy, OUTCOMES).

    Who holds what at the end, Pearls and Lords stay as they are; winners, ties (Pearls, then the strongest Lord) and
    margins follow from the new totals. points: IP of each Lord.
    """
    strongest = np.zeros(rows.shape[1], np.int64)
    _kernel.add_rescored(rows.view(np.recarray), np.array(pairs, np.int64), points, strongest, outcomes)


def add_ends(sums: Sums, rows: NDArray[Any]) -> None:
    """Add how games, ROW (games, seats), ended and how long they were."""
    first = rows[:, 0]
    sums["ends"] += np.bincount(first["end_trigger"], minlength=len(EndTrigger))
    sums["lengths"] += np.bincount(np.minimum(first["game_turns"], LENGTHS - 1), minlength=LENGTHS)
