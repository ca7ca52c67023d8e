"""Classes by a region of practical equivalence, and what it takes to leave "undecided".

With millions of games every difference is significant; what matters is whether it is large. A difference
whose interval lies wholly inside the region is equivalent, one whose interval lies wholly outside is stronger
or weaker, and the rest is undecided. With simultaneous intervals all the classes of a table hold together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Floats, check_level, check_positive, floats
from .intervals import Interval

#: Half-width of the region for a win share: half a percentage point.
WIN_SHARE_MARGIN = 0.005
#: Half-width of the region for Influence Points.
IP_MARGIN = 0.5


class Verdict(StrEnum):
    """Where an interval lies with respect to the region of practical equivalence."""

    STRONGER = "stronger"
    WEAKER = "weaker"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Robustness:
    """A verdict over line-ups: the commonest class, its share of the line-ups, and whether it is robust."""

    verdict: Verdict
    share: float
    robust: bool


def classify(interval: Interval, margin: float, reference: ArrayLike = 0.0) -> NDArray[np.object_]:
    """Return the Verdict of each interval, an object array of the interval's shape.

    margin: half-width of the region, in the unit of the interval. reference: the middle of the region (0 for
    a difference, 1/n for a win share among n). Ends that are nan are undecided.
    """
    check_positive(margin, "margin")
    lower, upper = np.broadcast_arrays(interval.lower - floats(reference), interval.upper - floats(reference))
    out = np.full(lower.shape, Verdict.UNDECIDED, dtype=object)
    out[(lower >= -margin) & (upper <= margin)] = Verdict.EQUIVALENT
    out[lower > margin] = Verdict.STRONGER
    out[upper < -margin] = Verdict.WEAKER
    return out


def more_games(
    estimate: ArrayLike, interval: Interval, games: ArrayLike, margin: float, reference: ArrayLike = 0.0
) -> Floats:
    """Return how many games more would decide each estimate, if it stayed where it is now.

    Half-widths shrink with the square root of the games, so the total needed is games * (half-width /
    distance to the nearer edge of the region) squared. 0 where decided, inf on the very edge, nan without an
    interval.
    """
    check_positive(margin, "margin")
    now = floats(estimate)
    # The wider side, for intervals that are not symmetric.
    half = np.maximum(interval.upper - now, now - interval.lower)
    distance = np.abs(np.abs(now - floats(reference)) - margin)
    played = floats(games)
    half, distance, played = np.broadcast_arrays(half, distance, played)
    needed = np.full(half.shape, np.inf)
    np.divide(half, distance, out=needed, where=distance > 0)
    needed = np.where(np.isnan(half), np.nan, np.ceil(played * needed**2))
    decided = classify(interval, margin, reference) != Verdict.UNDECIDED
    return floats(np.where(decided, 0.0, np.maximum(needed - played, 0.0)))


def robustness(
    verdicts: Iterable[Verdict | str], share: float = 0.9, retuned: Verdict | str | None = None
) -> Robustness:
    """Return the verdict over policy line-ups.

    Robust is a class other than undecided that holds for at least that share of the line-ups and, when the
    verdict with policies tuned again is given, for that one too. A tie for the commonest class goes to
    undecided.
    Raises ValueError without verdicts or for an unknown one.
    """
    if share != 1.0:
        check_level(share, "share")
    counts = Counter(Verdict(verdict) for verdict in verdicts)
    if not counts:
        raise ValueError("robustness needs the verdict of at least one line-up")
    (verdict, most), *rest = counts.most_common()
    lineups = counts.total()
    if rest and rest[0][1] == most:
        return Robustness(Verdict.UNDECIDED, counts[Verdict.UNDECIDED] / lineups, False)
    # 9 of 10 is 90 %, whatever binary fractions make of it.
    enough = most >= share * lineups - 1e-9
    same = retuned is None or Verdict(retuned) is verdict
    return Robustness(verdict, most / lineups, enough and same and verdict is not Verdict.UNDECIDED)
