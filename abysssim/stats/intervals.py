"""Confidence intervals: pointwise, simultaneous over a family, and for proportions.

Student's t is the reference law, with the groups used less one as degrees of freedom. For 256 groups that is
1.969 against the normal 1.960 and makes no difference; for a rare Lord that is present in 20 groups it is
2.093, and the normal law would be too sure. A family's critical value is found as a z, and turned into t at
the same level for each estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .arrays import Flags, Floats, check_level, floats
from .jackknife import Estimate, Jackknife

#: Below this many groups no interval is given: group sums of rare events are then too skew for any t.
MIN_GROUPS = 20
#: Below this many groups a correlation is mostly noise; nought in its place can only widen intervals.
MIN_GROUPS_CORRELATION = 30
DRAWS = 200_000
SEED = 5_021


@dataclass(frozen=True, eq=False)
class Interval:
    """Lower and upper ends, of one shape; nan where no interval can be given."""

    lower: Floats
    upper: Floats

    @property
    def half_width(self) -> Floats:
        """Half the distance between the ends."""
        return floats((self.upper - self.lower) / 2)


def z_quantile(alpha: float) -> float:
    """Return the normal quantile of a two-sided level, 1.96 for alpha = 0.05."""
    check_level(alpha)
    return float(-special.ndtri(alpha / 2))


def t_from_z(z: float, dof: ArrayLike) -> Floats:
    """Return the t quantiles that have the tail probability of z; nan where dof is not above zero."""
    degrees = floats(dof)
    usable = degrees > 0
    quantiles = -special.stdtrit(np.where(usable, degrees, 1.0), special.ndtr(-z))
    return floats(np.where(usable, quantiles, np.nan))


def sidak_z(comparisons: int, alpha: float = 0.05) -> float:
    """Return the critical value for the largest of so many |z|: exact if independent, else on the safe side.

    Sidak, JASA 62 (1967) 626-633: 3.18 for 35 comparisons, 3.35 for 63.
    """
    check_level(alpha)
    if comparisons < 1:
        raise ValueError(f"the number of comparisons must be at least 1, not {comparisons}")
    # log1p and expm1 keep the digits of a tiny level.
    return z_quantile(float(-np.expm1(np.log1p(-alpha) / comparisons)))


def max_abs_z(correlation: ArrayLike, alpha: float = 0.05, draws: int = DRAWS, seed: int = SEED) -> float:
    """Return the critical value of max |z| for normal variables with this correlation matrix (P, P).

    Simulated with a fixed seed, hence the same each time. At 200,000 draws the standard error is about 0.003.
    Raises ValueError when the matrix is not square, not finite or not symmetric.
    """
    check_level(alpha)
    matrix = floats(correlation)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(f"a correlation matrix must be square, its shape is {matrix.shape}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, atol=1e-8):
        raise ValueError("a correlation matrix must be finite and symmetric")
    # Eigenvalues rather than Cholesky: with as many estimates as groups the matrix is singular.
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = np.random.default_rng(seed)
    largest = np.empty(draws)
    for start in range(0, draws, 20_000):
        stop = min(start + 20_000, draws)
        normals = rng.standard_normal((stop - start, matrix.shape[0]))
        largest[start:stop] = np.abs(normals @ root.T).max(axis=1)
    return float(np.quantile(largest, 1.0 - alpha))


def simultaneous_z(
    estimates: Jackknife,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = SEED,
    min_groups: int = MIN_GROUPS,
) -> float:
    """Return the critical z for all the estimates together, from their correlation over groups.

    Only estimates with an error of their own count as comparisons. Falls back on Sidak when there are fewer
    than two groups a comparison, and never exceeds it.
    """
    usable = _usable(estimates, min_groups)
    comparisons = int(usable.sum())
    fallback = sidak_z(max(comparisons, 1), alpha)
    if comparisons < 2 or estimates.groups < 2 * comparisons:
        return fallback
    correlation = estimates.correlation()[np.ix_(usable, usable)]
    noisy = estimates.used.reshape(-1)[usable] < MIN_GROUPS_CORRELATION
    correlation[noisy, :] = 0.0
    correlation[:, noisy] = 0.0
    np.fill_diagonal(correlation, 1.0)
    return min(fallback, max_abs_z(correlation, alpha, draws, seed))


def pointwise(estimates: Jackknife | Estimate, alpha: float = 0.05, min_groups: int = MIN_GROUPS) -> Interval:
    """Return t intervals, each for its own estimate; nan below min_groups groups.

    A standard error of zero gives an interval of no width. That says no group differed from the others, which
    is right for a quantity fixed by construction and proves little about a rare event.
    """
    return _around(estimates, z_quantile(alpha), min_groups)


def simultaneous(
    estimates: Jackknife,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = SEED,
    min_groups: int = MIN_GROUPS,
) -> Interval:
    """Return intervals that hold for all the estimates together; nan as in pointwise."""
    return _around(estimates, simultaneous_z(estimates, alpha, draws, seed, min_groups), min_groups)


def wilson(successes: ArrayLike, trials: ArrayLike, alpha: float = 0.05) -> Interval:
    """Return Wilson's score interval of a proportion (JASA 22 (1927) 209-212).

    Trials must be independent; for correlated ones divide both numbers by the design effect first (real
    numbers are allowed). nan where there are no trials.
    """
    hits, n = _proportion(successes, trials)
    z2 = z_quantile(alpha) ** 2
    # Without trials the ends are set aside below; one trial in their place keeps the formula quiet.
    filled = np.where(n > 0, n, 1.0)
    share = hits / filled
    centre = (share + z2 / (2 * filled)) / (1 + z2 / filled)
    half = np.sqrt(z2 * (share * (1 - share) / filled + z2 / (4 * filled**2))) / (1 + z2 / filled)
    lower = np.where(hits == 0, 0.0, np.maximum(centre - half, 0.0))
    upper = np.where(hits == n, 1.0, np.minimum(centre + half, 1.0))
    return Interval(floats(np.where(n > 0, lower, np.nan)), floats(np.where(n > 0, upper, np.nan)))


def jeffreys(successes: ArrayLike, trials: ArrayLike, alpha: float = 0.05) -> Interval:
    """Return the equal-tailed Jeffreys interval of a proportion, reaching 0 and 1 when all trials agree.

    Brown, Cai and DasGupta, Statistical Science 16 (2001) 101-133. The choice for very rare events. Trials as
    for wilson; nan where there are none.
    """
    check_level(alpha)
    hits, n = _proportion(successes, trials)
    some = n > 0
    filled, got = np.where(some, n, 1.0), np.where(some, hits, 0.0)
    lower = special.betaincinv(got + 0.5, filled - got + 0.5, alpha / 2)
    upper = special.betaincinv(got + 0.5, filled - got + 0.5, 1 - alpha / 2)
    lower = np.where(some, np.where(hits == 0, 0.0, lower), np.nan)
    upper = np.where(some, np.where(hits == n, 1.0, upper), np.nan)
    return Interval(floats(lower), floats(upper))


def _usable(estimates: Jackknife, min_groups: int) -> Flags:
    se, used = estimates.se.reshape(-1), estimates.used.reshape(-1)
    return np.asarray(np.isfinite(se) & (se > 0) & (used >= min_groups), dtype=np.bool_)


def _around(estimates: Jackknife | Estimate, z: float, min_groups: int) -> Interval:
    dof = floats(estimates.dof)
    half = np.where(dof >= min_groups - 1, t_from_z(z, dof) * estimates.se, np.nan)
    return Interval(floats(estimates.estimate - half), floats(estimates.estimate + half))


def _proportion(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    hits, n = np.broadcast_arrays(floats(successes), floats(trials))
    if not ((hits >= 0) & (hits <= n)).all():
        raise ValueError("successes must lie between 0 and the number of trials")
    return floats(hits), floats(n)
