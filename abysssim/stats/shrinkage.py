"""Empirical Bayes shrinkage of many estimates towards their common mean.

The model: estimate i is normal around its true value with known variance v_i, true values are normal around
mu with variance tau^2. In a ranking the largest raw value tends to be the noisiest one; shrunk values give
each estimate the weight its precision deserves (Efron and Morris, JASA 70 (1975) 311-319). The raw value is
to be shown beside the shrunk one.

Correlation between the estimates is left out, which matters little as long as it is weak.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from .arrays import Floats, floats

Method = Literal["paule-mandel", "dersimonian-laird", "reml"]


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """Shrunk values, and the population they were shrunk to.

    mean, se: posterior means and standard deviations in the shape given, with the uncertainty of mu and not
    that of tau in se; nan where an estimate had no usable standard error. weight: the share of its own raw
    value that each estimate keeps. mu, mu_se: the common mean. tau: the spread of true values.
    """

    mean: Floats
    se: Floats
    weight: Floats
    mu: float
    mu_se: float
    tau: float


def shrink(estimate: ArrayLike, se: ArrayLike, method: Method = "paule-mandel") -> Shrinkage:
    """Shrink estimates with known standard errors towards their common mean.

    method: how tau^2 is found. Paule and Mandel (J. Res. NBS 87 (1982) 377-385) is the default: it assumes no
    law and has little bias; DerSimonian and Laird (1986) is its first step, REML assumes normality. Entries
    whose estimate or standard error is nan, or whose standard error is zero, take no part.
    Raises ValueError with fewer than two usable estimates, or for an unknown method.
    """
    raw, errors = np.broadcast_arrays(floats(estimate), floats(se))
    usable = np.isfinite(raw) & np.isfinite(errors) & (errors > 0)
    y, v = floats(raw[usable]), floats(errors[usable] ** 2)
    if y.size < 2:
        raise ValueError(f"shrinkage needs at least two estimates with a standard error, not {y.size}")
    tau2 = tau_squared(y, v, method)
    mu, mu_var = _common_mean(y, v, tau2)
    keep = tau2 / (tau2 + v)
    mean, spread, weight = (np.full(raw.shape, np.nan) for _ in range(3))
    mean[usable] = keep * y + (1 - keep) * mu
    spread[usable] = np.sqrt(keep * v + (1 - keep) ** 2 * mu_var)
    weight[usable] = keep
    return Shrinkage(mean, spread, weight, mu, float(np.sqrt(mu_var)), float(np.sqrt(tau2)))


def tau_squared(estimate: ArrayLike, variance: ArrayLike, method: Method = "paule-mandel") -> float:
    """Return the variance of the true values, nought when the estimates differ no more than their errors do.

    estimate, variance: vectors of at least two; variances above zero. Raises ValueError for an unknown
    method.
    """
    y, v = floats(estimate), floats(variance)
    if y.ndim != 1 or y.shape != v.shape or y.size < 2:
        raise ValueError("tau^2 needs two vectors of the same length, at least 2")
    if not (np.isfinite(y).all() and np.isfinite(v).all() and (v > 0).all()):
        raise ValueError("tau^2 needs finite estimates and variances above zero")
    if method == "paule-mandel":
        return _paule_mandel(y, v)
    if method == "dersimonian-laird":
        return _dersimonian_laird(y, v)
    if method == "reml":
        return _reml(y, v)
    raise ValueError(f"method must be paule-mandel, dersimonian-laird or reml, not {method!r}")


def _common_mean(y: Floats, v: Floats, tau2: float) -> tuple[float, float]:
    weights = 1 / (v + tau2)
    return float((weights * y).sum() / weights.sum()), float(1 / weights.sum())


def _excess(tau2: float, y: Floats, v: Floats) -> float:
    """Return how far the weighted sum of squares exceeds its expectation at this tau^2."""
    mu, _ = _common_mean(y, v, tau2)
    return float(((y - mu) ** 2 / (v + tau2)).sum() - (y.size - 1))


def _paule_mandel(y: Floats, v: Floats) -> float:
    if _excess(0.0, y, v) <= 0:
        return 0.0
    # At this tau^2 each term is below (y - mu)^2 / tau^2, so the excess cannot be positive.
    ceiling = float(np.ptp(y)) ** 2 * y.size / (y.size - 1)
    return float(optimize.brentq(_excess, 0.0, ceiling, args=(y, v), xtol=1e-14 * ceiling, rtol=1e-12))


def _dersimonian_laird(y: Floats, v: Floats) -> float:
    weights = 1 / v
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    return float(max(_excess(0.0, y, v) / scale, 0.0))


def _reml(y: Floats, v: Floats) -> float:
    def loss(tau2: float) -> float:
        mu, mu_var = _common_mean(y, v, tau2)
        spread = v + tau2
        return float(np.log(spread).sum() - np.log(mu_var) + ((y - mu) ** 2 / spread).sum())

    ceiling = float(np.ptp(y)) ** 2 * y.size
    if ceiling == 0:
        return 0.0
    # A coarse scan first: the likelihood may have more than one hump, and its top may be at nought.
    grid = np.concatenate([[0.0], np.geomspace(1e-8 * ceiling, ceiling, 200)])
    best = int(np.argmin([loss(float(tau2)) for tau2 in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, grid.size - 1)])
    options = {"xatol": 1e-9 * high}
    found = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options=options)
    return float(found.x) if loss(float(found.x)) < loss(0.0) else 0.0
