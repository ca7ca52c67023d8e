"""Delete-one-group jackknife of ratios of sums, and of smooth functions of such ratios.

The groups are independent, the games inside one are not, so all uncertainty is taken across groups. With G
groups and the value r_g found without group g, the variance is (G-1)/G * sum((r_g - mean r)^2) (Efron and
Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11). Replicates of different estimates belong to
the same groups, hence differences, covariances and functions of several estimates come from the same matrix.

A group may be empty for an estimate: a rare Lord is not taken in every group. Only the K groups that hold
something speak for that estimate, and its variance must be (K-1)/K * sum over those. So that one formula
serves every column of the replicate matrix, the deviations of such a column are multiplied by sqrt((K-1)/K *
G/(G-1)) and its empty groups are put at the column's mean; columns without empty groups are kept exactly as
they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Counts, Flags, Floats, aligned, divide, floats, grouped, total


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Estimates with their delete-one-group replicates.

    estimate: shape S. replicates: shape (G, *S), scaled for empty groups as the module says. used: shape S,
    the number of groups that held something. An estimate without any data is nan; one with data in a single
    group has a value, but its replicates and its standard error are nan.
    """

    estimate: Floats
    replicates: Floats
    used: Counts

    @property
    def groups(self) -> int:
        """Number of groups, empty ones included."""
        return int(self.replicates.shape[0])

    @property
    def dof(self) -> Floats:
        """Degrees of freedom of the standard errors: groups used less one, shape S."""
        return floats(np.maximum(self.used - 1, 0))

    @cached_property
    def deviations(self) -> Floats:
        """Centred replicates times sqrt((G-1)/G), shape (G, *S): their cross products are the covariances."""
        centred = self.replicates - self.replicates.mean(axis=0)
        return floats(centred * np.sqrt((self.groups - 1) / self.groups))

    @cached_property
    def se(self) -> Floats:
        """Standard errors, shape S."""
        return floats(np.sqrt((self.deviations**2).sum(axis=0)))

    def covariance(self) -> Floats:
        """Covariance matrix of the flattened estimates, shape (P, P); nan where a standard error is nan."""
        flat = self.deviations.reshape(self.groups, -1)
        return floats(flat.T @ flat)

    def correlation(self) -> Floats:
        """Correlation matrix of the flattened estimates, (P, P); nan where a standard error is 0 or nan."""
        se = self.se.reshape(-1)
        result = divide(self.covariance(), np.outer(se, se))
        known = np.isfinite(np.diagonal(result))
        # Rounding must not push a correlation past one.
        result = np.clip(result, -1.0, 1.0)
        result[known, known] = 1.0
        return floats(result)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimates with standard errors and degrees of freedom, all of one shape."""

    estimate: Floats
    se: Floats
    dof: Floats


def delete_one(num: ArrayLike, den: ArrayLike, scale: float = 1.0) -> Floats:
    """Return the ratio without each group in turn, shape (G, ...), not scaled for empty groups.

    num: sums of shape (G, ...). den: sums that broadcast to it, or shape (G,). scale: what the numerators
    were multiplied by to be integers (12 for win shares and margins). nan where no denominator is left.
    """
    top, bottom = _ratio_sums(num, den)
    return _without_each(top, bottom, scale)


def ratio(num: ArrayLike, den: ArrayLike, scale: float = 1.0) -> Jackknife:
    """Estimate ratios of sums, total(num) / (scale * total(den)), from groups.

    Arguments as for delete_one. Raises ValueError for sums that do not fit together.
    """
    top, bottom = _ratio_sums(num, den)
    estimate = divide(total(top, "num"), total(bottom, "den")) / scale
    active = (top != 0) | (bottom != 0)
    used = np.asarray(active.sum(axis=0), dtype=np.int64)
    replicates = _scaled_for_empty(_without_each(top, bottom, scale), active, used)
    return Jackknife(floats(estimate), replicates, used)


def difference(a: Jackknife, b: Jackknife) -> Jackknife:
    """Return a - b for two estimates from the same deals, paired group by group."""
    return combine(np.subtract, a, b)


def independent_difference(a: Jackknife, b: Jackknife) -> Estimate:
    """Return a - b for two estimates from different deals: variances add up.

    Degrees of freedom by Welch and Satterthwaite; the smaller of the two where neither has any error.
    """
    var_a, var_b = a.se**2, b.se**2
    welch = divide((var_a + var_b) ** 2, divide(var_a**2, a.dof) + divide(var_b**2, b.dof))
    dof = floats(np.where(var_a + var_b == 0, np.minimum(a.dof, b.dof), welch))
    return Estimate(floats(a.estimate - b.estimate), floats(np.sqrt(var_a + var_b)), dof)


def combine(function: Callable[..., Any], *parts: Jackknife) -> Jackknife:
    """Estimate a smooth function of estimates from the same groups.

    function is called with arrays shaped like the parts' estimates, once with the estimates and once for each
    replicate; it returns a number or an array. It has to be smooth near the estimates: a ratio of ratios, a
    logarithm, the distance to the median of 35 values; not the rank of one. The groups used of an entry are
    the least among the parts when shapes agree, else the least of all entries that have a standard error.
    Raises ValueError when the parts have different numbers of groups.
    """
    if not parts:
        raise ValueError("combine needs at least one estimate")
    groups = {part.groups for part in parts}
    if len(groups) > 1:
        raise ValueError(f"estimates from the same groups are needed, these have {sorted(groups)} groups")
    estimate = floats(function(*(part.estimate for part in parts)))
    replicates = np.stack(
        [floats(function(*(part.replicates[g] for part in parts))) for g in range(parts[0].groups)]
    )
    return Jackknife(estimate, replicates, _least_used(parts, estimate.shape))


def select(estimates: Jackknife, index: Any) -> Jackknife:
    """Return some of the estimates, numpy indexing on the shape of the estimate; covariances are kept."""
    key = index if isinstance(index, tuple) else (index,)
    return Jackknife(
        floats(estimates.estimate[key]),
        floats(estimates.replicates[(slice(None), *key)]),
        np.asarray(estimates.used[key], dtype=np.int64),
    )


def _ratio_sums(num: ArrayLike, den: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    top = grouped(num, "num")
    return top, aligned(den, top.shape, "den")


def _without_each(top: NDArray[Any], bottom: NDArray[Any], scale: float) -> Floats:
    return floats(divide(total(top, "num") - top, total(bottom, "den") - bottom) / scale)


def _scaled_for_empty(raw: Floats, active: Flags, used: Counts) -> Floats:
    groups = raw.shape[0]
    centre = np.where(active, raw, 0.0).sum(axis=0) / np.maximum(used, 1)
    factor = np.sqrt(divide(np.maximum(used - 1, 0), used) * groups / (groups - 1))
    scaled = np.where(active, centre + factor * (raw - centre), centre)
    result = np.where(used == groups, raw, scaled)
    return floats(np.where(used >= 2, result, np.nan))


def _least_used(parts: tuple[Jackknife, ...], shape: tuple[int, ...]) -> Counts:
    if all(part.used.shape == shape for part in parts):
        return np.asarray(np.min(np.stack([part.used for part in parts]), axis=0), dtype=np.int64)
    every = np.concatenate([part.used.reshape(-1) for part in parts])
    with_error = every[every >= 2]
    least = int(with_error.min()) if with_error.size else 0
    return np.full(shape, least, dtype=np.int64)
