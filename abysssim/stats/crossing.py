"""Where a curve that is known at a few places falls through nought, with an interval that may be open.

Between neighbouring places the curve is taken as straight. The interval is found the way Fieller (JRSS B 16, 1954,
175-185) found that of a ratio: it holds all places at which the curve, with its error there, cannot be told from
nought. A place of the crossing that is nowhere near the places measured then shows as an open end, and not as a narrow
interval around an extrapolated number.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Floats, floats
from .intervals import t_from_z, z_quantile
from .jackknife import Jackknife

#: Steps between two places at which the error of the curve is looked at.
STEPS = 400


class Course(StrEnum):
    """How a curve runs: through nought downwards, above or below it for certain, upwards through it, or unknown."""

    CROSSES = "crosses"
    ABOVE = "above"
    BELOW = "below"
    RISES = "rises"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Crossing:
    """Where a curve falls through nought, nan if nowhere; the ends of the interval, infinite where it is open."""

    course: Course
    place: float
    low: float
    high: float


def crossing(values: Jackknife, places: ArrayLike, alpha: float = 0.05) -> Crossing:
    """Return where the curve through `values` (K,) at ascending `places` (K,) falls through nought.

    The first fall counts. `ABOVE` and `BELOW` say that the whole curve is on that side, each point at the level alpha;
    `RISES` that it is below for certain, and above later. Raises ValueError for places that do not ascend.
    """
    at = floats(places)
    if at.ndim != 1 or at.shape != values.estimate.shape or at.size < 2 or not (np.diff(at) > 0).all():
        raise ValueError(f"at least two ascending places are needed, one for each value, not {at}")
    fine = np.unique(np.concatenate([np.linspace(a, b, STEPS + 1) for a, b in pairwise(at)]))
    weights = _interpolation(fine, at)
    curve = weights @ values.estimate
    variance = np.einsum("ti,ij,tj->t", weights, values.covariance(), weights)
    # Rounding must not make a variance negative.
    error = np.sqrt(np.maximum(variance, 0.0))
    reach = float(t_from_z(z_quantile(alpha), float(values.dof.min()))) * error
    return _judge(fine, curve > reach, curve < -reach, _fall(values.estimate, at))


def _judge(fine: Floats, above: NDArray[np.bool_], below: NDArray[np.bool_], place: float) -> Crossing:
    """Return the crossing, from where the curve is surely above and surely below."""
    if above.all() or below.all():
        return Crossing(Course.ABOVE if above.all() else Course.BELOW, np.nan, np.nan, np.nan)
    if np.isnan(place):
        if above.any() and below.any():
            return Crossing(Course.RISES, np.nan, np.nan, np.nan)
        # It may fall beyond the last place that is surely above, or before the first that is surely below.
        low = float(fine[above][-1]) if above.any() else -np.inf
        high = float(fine[below][0]) if below.any() else np.inf
        return Crossing(Course.UNDECIDED, np.nan, low, high)
    before, after = fine[above & (fine < place)], fine[below & (fine > place)]
    low = float(before[-1]) if before.size else -np.inf
    high = float(after[0]) if after.size else np.inf
    known = before.size or after.size
    return Crossing(Course.CROSSES if known else Course.UNDECIDED, place, low, high)


def _interpolation(fine: Floats, at: Floats) -> Floats:
    """Return the weights (len(fine), K) that interpolate linearly."""
    return np.stack([np.interp(fine, at, row) for row in np.eye(at.size)], axis=1)


def _fall(values: Floats, at: Floats) -> float:
    """Return where the line through the values first falls through nought, nan if it does not."""
    for k in range(at.size - 1):
        if values[k] >= 0 > values[k + 1]:
            return float(at[k] + (at[k + 1] - at[k]) * values[k] / (values[k] - values[k + 1]))
    return float("nan")
