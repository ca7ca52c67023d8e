"""p values, and what many of them at once are worth.

Holm (Scandinavian Journal of Statistics 6 (1979) 65-70) keeps the chance of any false claim below the level,
however the tests depend on one another; Benjamini and Hochberg (JRSS B 57 (1995) 289-300) keep the expected
share of false findings below it, for tests that are independent or positively dependent. Claims take the
first, lists of what to look at next take the second.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .arrays import Floats, divide, floats


def p_values(
    estimate: ArrayLike, se: ArrayLike, dof: ArrayLike | None = None, reference: ArrayLike = 0.0
) -> Floats:
    """Return two-sided p values of estimate = reference, by t when dof is given, else by the normal law.

    nan where the standard error is nan or zero, or dof is not above zero.
    """
    size = np.abs(divide(floats(estimate) - floats(reference), se))
    if dof is None:
        return floats(2 * stats.norm.sf(size))
    size, degrees = np.broadcast_arrays(size, floats(dof))
    usable = degrees > 0
    tails = 2 * stats.t.sf(size, np.where(usable, degrees, 1.0))
    return floats(np.where(usable, tails, np.nan))


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p values, in the shape given; nan entries are no tests and stay nan."""
    return _adjusted(p, _holm_sorted)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return Benjamini and Hochberg's adjusted p values, in the shape given; nan entries stay nan."""
    return _adjusted(p, _hochberg_sorted)


def _holm_sorted(p: Floats) -> Floats:
    return floats(np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def _hochberg_sorted(p: Floats) -> Floats:
    raw = p * p.size / np.arange(1, p.size + 1)
    return floats(np.minimum.accumulate(raw[::-1])[::-1])


def _adjusted(p: ArrayLike, adjust_sorted: Callable[[Floats], Floats]) -> Floats:
    values = floats(p)
    tested = ~np.isnan(values)
    known = values[tested]
    if ((known < 0) | (known > 1)).any():
        raise ValueError("p values must lie between 0 and 1")
    out = np.full(values.shape, np.nan)
    if known.size:
        order = np.argsort(known, kind="stable")
        adjusted = np.empty(known.size)
        adjusted[order] = np.minimum(adjust_sorted(known[order]), 1.0)
        out[tested] = adjusted
    return out
