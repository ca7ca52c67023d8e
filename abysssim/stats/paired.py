"""Paired differences between two variants played on the same deals, and what the pairing was worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Floats, aligned, divide, floats, grouped
from .jackknife import Jackknife, difference


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """Mean of x - y over blocks, with and without the pairing.

    difference, se: the paired estimate. se_independent: what the standard error would be for as many blocks
    on separate deals. factor: the variance-reduction factor Var(independent) / Var(paired); above 1 pairing
    pays, inf where x - y never varies while x or y does, nan where nothing varies. blocks: their number.
    """

    difference: Floats
    se: Floats
    se_independent: Floats
    factor: Floats
    blocks: Floats


def paired_difference(
    blocks: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    xx: ArrayLike,
    yy: ArrayLike,
    xy: ArrayLike,
    scale: float = 1.0,
) -> PairedDifference:
    """Estimate the mean of x - y from sums over blocks of 1, x, y, x^2, y^2 and xy.

    All sums have a leading group axis and one shape (G, ...); blocks may have the shape (G,). x and y are the
    values of whole blocks, times scale. Integer sums are used without any rounding, however large.
    nan with fewer than two blocks. Raises ValueError for sums that do not fit together.
    """
    shape = grouped(x, "x").shape
    named = {"blocks": blocks, "x": x, "y": y, "xx": xx, "yy": yy, "xy": xy}
    n, sx, sy, sxx, syy, sxy = (_exact_total(values, shape, name) for name, values in named.items())
    # n times the centred sums: n * sum(xx) - sum(x)^2 passes 64 bits soon, Python's integers do not care.
    var_x, var_y = n * sxx - sx * sx, n * syy - sy * sy
    cov = n * sxy - sx * sy
    paired, independent = _positive(var_x + var_y - 2 * cov), _positive(var_x + var_y)
    count = floats(n)
    per_mean = np.where(count >= 2, count * count * (count - 1), 0.0)
    return PairedDifference(
        difference=floats(divide(sx - sy, count) / scale),
        se=floats(np.sqrt(divide(paired, per_mean)) / scale),
        se_independent=floats(np.sqrt(divide(independent, per_mean)) / scale),
        factor=np.where(count >= 2, _factor(independent, paired), np.nan),
        blocks=count,
    )


def variance_reduction(a: Jackknife, b: Jackknife) -> Floats:
    """Return Var(independent) / Var(paired) of a - b for two estimates from the same deals, by the jackknife.

    inf and nan as in PairedDifference.
    """
    return _factor(floats(a.se**2 + b.se**2), floats(difference(a, b).se ** 2))


def _exact_total(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    return np.asarray(aligned(values, shape, name).astype(object).sum(axis=0), dtype=object)


def _positive(values: NDArray[Any]) -> Floats:
    """Turn exact variances into floats; sums of floats may come out just below nought."""
    return floats(np.maximum(floats(values), 0.0))


def _factor(independent: Floats, paired: Floats) -> Floats:
    without_error = (paired == 0) & (independent > 0)
    return floats(np.where(without_error, np.inf, divide(independent, paired)))
