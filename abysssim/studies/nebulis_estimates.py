"""From the sums of the study of Nebulis to its tables.

Three arms are told apart. In arm "rescored" the games played under the rules' own penalties are scored again under
others; in arm "played" the policies see the other penalties; in arm "tuned" their weights were tuned again under them.
All cells and arms of a line-up play the same deals, so every difference is paired, group by group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abysssim.stats.crossing import crossing
from abysssim.stats.intervals import pointwise
from abysssim.stats.jackknife import Jackknife, combine, difference, ratio, select
from abysssim.stats.paired import variance_reduction
from abysssim.studies.nebulis_sums import MEASURES, OUTCOMES, Penalty, Sums

SHARE = 12.0
RESCORED, PLAYED, TUNED = "rescored", "played", "tuned"
ARMS = (RESCORED, PLAYED, TUNED)

#: The outcomes: the name of a table's columns, the sum, and what the sum is divided by to be in percentage points or
#: IP.
SCALES = {"win_share": ("win", SHARE / 100), "margin": ("margin", SHARE), "ip": ("total", 1.0)}
#: Differences between arms: their name, the arm, the one it is set against.
EFFECTS = {"behaviour": (PLAYED, RESCORED), "adaptation": (TUNED, PLAYED)}
#: The mechanical effect is that of arm "rescored" against the rules' own penalties.
MECHANICAL = "mechanical"


@dataclass(frozen=True, eq=False)
class Swept:
    """The outcomes of one arm and line-up in every cell.

    sums : int64 (g, cell, policy, m); the first of the last axis are OUTCOMES, all are MEASURES where games were
    played. policies : labels, in the order of the sums. sides : for each, whether it is the smuggler (1), the honest
    one (-1) or neither (0). own : the rules' own pair. fair : win share of a seat in percentage points.
    """

    arm: str
    line_up: str
    cells: tuple[Penalty, ...]
    policies: tuple[str, ...]
    sides: tuple[int, ...]
    sums: NDArray[np.int64]
    own: Penalty
    seats: int

    @property
    def fair(self) -> float:
        """Win share of a seat whose policy is as good as the others', in percentage points."""
        return 100 / self.seats

    def mean(self, outcome: str) -> Jackknife:
        """Return an outcome of SCALES, or a measure, per seat and game: estimates (cell, policy)."""
        name, scale = SCALES.get(outcome, (outcome, 1.0))
        return ratio(self.sums[..., MEASURES.index(name)], self.sums[..., 0], scale)


def from_sums(arm: str, line_up: str, sums: Sums, **about: Any) -> Swept:
    """Return one arm of a line-up from its sums by name (nebulis_sums.new_sums)."""
    return Swept(arm, line_up, sums=sums["rescored" if arm == RESCORED else "cells"], **about)


# --- Cells and effects ---------------------------------------------------------------------------------------------


def cell_table(swept: Sequence[Swept]) -> pd.DataFrame:
    """Return a row for each arm, line-up, cell and policy: win share (percentage points), margin and IP with 95 %
    ends."""
    parts = []
    for one in swept:
        table = _frame(one)
        for outcome in SCALES:
            _add(table, outcome, one.mean(outcome))
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def effect_table(swept: Sequence[Swept]) -> pd.DataFrame:
    """Return a row for each effect, line-up, cell and policy: paired differences with their variance reduction."""
    by_key = {(one.arm, one.line_up): one for one in swept}
    parts = []
    for one in swept:
        if one.arm == RESCORED:
            own = [one.cells.index(one.own)] * len(one.cells)
            parts.append(_effects(MECHANICAL, one, one, list(range(len(one.cells))), own))
    for effect, (arm, against) in EFFECTS.items():
        for one in swept:
            other = by_key.get((against, one.line_up))
            if one.arm == arm and other is not None:
                places = [other.cells.index(cell) for cell in one.cells]
                parts.append(_effects(effect, one, other, list(range(len(one.cells))), places))
    return pd.concat(parts, ignore_index=True)


def _effects(effect: str, one: Swept, other: Swept, these: list[int], those: list[int]) -> pd.DataFrame:
    table = _frame(one).drop(columns="arm")
    table.insert(0, "effect", effect)
    for outcome in SCALES:
        a, b = select(one.mean(outcome), (these,)), select(other.mean(outcome), (those,))
        _add(table, outcome, difference(a, b))
        table[f"{outcome}_variance_reduction"] = variance_reduction(a, b).reshape(-1)
    return table


def _frame(one: Swept) -> pd.DataFrame:
    """Return the first columns of a table with a row for each cell and policy."""
    rows = [
        (one.arm, one.line_up, cell.points, cell.figure, policy) for cell in one.cells for policy in one.policies
    ]
    return pd.DataFrame(rows, columns=["arm", "line_up", "points", "figure", "policy"])


def _add(table: pd.DataFrame, name: str, estimates: Jackknife) -> None:
    """Add an estimate (cell, policy) with its standard error and the ends of its 95 % interval."""
    interval = pointwise(estimates)
    table[name], table[f"{name}_se"] = estimates.estimate.reshape(-1), estimates.se.reshape(-1)
    table[f"{name}_low"], table[f"{name}_high"] = interval.lower.reshape(-1), interval.upper.reshape(-1)


# --- Where smuggling stops paying ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """A line through the grid: the cells on it, mildest first, and where they stand on it.

    places : IP of a Nebulis or of the figure without its sign, or multiples of the rules' own pair.
    """

    name: str
    cells: tuple[Penalty, ...]
    places: tuple[float, ...]

    def only(self, cells: Sequence[Penalty]) -> "Axis":
        """Return the axis with those of its cells that are among some others."""
        kept = [(cell, place) for cell, place in zip(self.cells, self.places, strict=True) if cell in cells]
        return Axis(self.name, tuple(cell for cell, _ in kept), tuple(place for _, place in kept))


POINTS, FIGURE, BOTH = "points", "figure", "both"


def axes_of(points: Sequence[int], figure: Sequence[int], own: Penalty) -> tuple[Axis, ...]:
    """Return the three axes: points of each Nebulis, points of the figure, and both in the proportion of the rules.

    The other penalty is the rules' own. Axes with fewer than two cells are left out, as is the last one where the
    rules' own pair has a nought in it.
    """
    grid = [Penalty(p, f) for p in sorted(points, reverse=True) for f in sorted(figure, reverse=True)]
    lines = {
        POINTS: [(cell, 0.0 - cell.points) for cell in grid if cell.figure == own.figure],
        FIGURE: [(cell, 0.0 - cell.figure) for cell in grid if cell.points == own.points],
        BOTH: [
            (cell, abs(cell.points / own.points))
            for cell in grid
            if own.points and own.figure and cell.points * own.figure == cell.figure * own.points
        ],
    }
    found = []
    for name, line in lines.items():
        ordered = sorted(line, key=lambda item: item[1])
        if len(ordered) > 1:
            found.append(Axis(name, tuple(cell for cell, _ in ordered), tuple(place for _, place in ordered)))
    return tuple(found)


def advantage(one: Swept, outcome: str) -> Jackknife:
    """Return by how much smuggling pays in each cell, estimates (cell,): above 0 where it does.

    That is the smuggler's margin (IP), or win share above the fair one (percentage points), where the smuggler is the
    odd one out; where the honest policy is, it is what that one loses.
    """
    odd = 0  # the first seat's policy is the odd one: the sums list policies by their first seats
    value = select(one.mean(outcome), (slice(None), odd))
    fair = one.fair if outcome == "win_share" else 0.0
    sign = one.sides[odd]
    return combine(lambda found: sign * (found - fair), value)


def break_even_table(swept: Sequence[Swept], axes: Sequence[Axis]) -> pd.DataFrame:
    """Return where smuggling stops paying: a row for each arm, line-up, axis and outcome (margin, win share).

    `penalty` is the place on the axis with the ends `low` and `high` of its 95 % interval; an end that is not on the
    grid is missing (nan). `course`: "crosses"; "above", smuggling pays on the whole axis; "below", nowhere on it;
    "rises", it pays only at the higher penalties; "undecided".
    """
    rows = []
    for one, axis in _lines(swept, axes):
        places = [one.cells.index(cell) for cell in axis.cells]
        for outcome in ("margin", "win_share"):
            found = crossing(select(advantage(one, outcome), (places,)), axis.places)
            ends = [end if np.isfinite(end) else np.nan for end in (found.place, found.low, found.high)]
            rows.append((one.arm, one.line_up, axis.name, outcome, str(found.course), *ends, *axis_ends(axis)))
    columns = ["arm", "line_up", "axis", "outcome", "course", "penalty", "low", "high", "first", "last"]
    return pd.DataFrame(rows, columns=columns)


def axis_ends(axis: Axis) -> tuple[float, float]:
    """Return the mildest and the hardest place of an axis."""
    return axis.places[0], axis.places[-1]


def curve_table(swept: Sequence[Swept], axes: Sequence[Axis]) -> pd.DataFrame:
    """Return by how much smuggling pays along each axis: a row for each arm, line-up, axis and cell."""
    parts = []
    for one, axis in _lines(swept, axes):
        places = [one.cells.index(cell) for cell in axis.cells]
        table = pd.DataFrame({"arm": one.arm, "line_up": one.line_up, "axis": axis.name, "place": axis.places})
        table["points"] = [cell.points for cell in axis.cells]
        table["figure"] = [cell.figure for cell in axis.cells]
        for outcome in ("margin", "win_share"):
            _add(table, outcome, select(advantage(one, outcome), (places,)))
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def _lines(swept: Sequence[Swept], axes: Sequence[Axis]) -> Iterator[tuple[Swept, Axis]]:
    """Return each arm of a line-up with a smuggler and an honest seat, and each axis with at least two of its cells."""
    for one in swept:
        for axis in axes:
            kept = axis.only(one.cells)
            if len(one.policies) > 1 and len(kept.cells) > 1:
                yield one, kept


# --- Behaviour -----------------------------------------------------------------------------------------------------


def behaviour_table(swept: Sequence[Swept]) -> pd.DataFrame:
    """Return the means of every measure for a seat and a game: a row for each arm that is played, line-up, cell,
    policy.

    `nebulis_..._se` are standard errors of the Nebulis taken and held.
    """
    parts = []
    for one in swept:
        if one.arm == RESCORED:
            continue
        table = _frame(one)
        table["seats"] = one.sums[..., 0].sum(axis=0).reshape(-1)
        for measure in MEASURES[len(OUTCOMES) :]:
            mean = one.mean(measure)
            table[measure] = mean.estimate.reshape(-1)
            if measure in ("nebulis_gained", "nebulis_held"):
                table[f"{measure}_se"] = mean.se.reshape(-1)
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def figure_table(swept: Sequence[Swept]) -> pd.DataFrame:
    """Return what becomes of the Kraken figure: a row for each arm that is played, line-up and cell.

    taken_in_a_game : how often it comes to a seat; nobody : share of games at whose end nobody has it; held :
    share at whose end the seats of `policy`, the odd one, have it; held_if_even : what that would be if it fell to all
    seats alike where somebody has it.
    """
    rows = []
    for one in swept:
        if one.arm == RESCORED:
            continue
        totals = one.sums.sum(axis=0)  # (cell, policy, measure)
        games = totals[:, :, 0].sum(axis=1) / one.seats
        taken = totals[:, :, MEASURES.index("figure_taken")].sum(axis=1) / games
        held = totals[:, :, MEASURES.index("figure_held")] / games[:, None]
        for place, cell in enumerate(one.cells):
            somebody = float(held[place].sum())
            seats = float(totals[place, 0, 0] / totals[place, :, 0].sum())
            rows.append(
                (
                    one.arm, one.line_up, cell.points, cell.figure, one.policies[0], float(taken[place]),
                    1 - somebody, float(held[place, 0]), seats * somebody,
                )
            )  # fmt: skip
    columns = ["arm", "line_up", "points", "figure", "policy", "taken_in_a_game", "nobody", "held", "held_if_even"]
    return pd.DataFrame(rows, columns=columns)
