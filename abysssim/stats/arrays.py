"""Checks and exact totals that the estimators share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

_INT64_MAX = float(2**63 - 1)


def floats(values: ArrayLike) -> Floats:
    """Return the values as a float64 array."""
    return np.asarray(values, dtype=np.float64)


def grouped(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return sums with a leading group axis as int64 (integers) or float64 (anything else that is real).

    Raises ValueError when there are fewer than two groups, or when a sum is not finite or not a number.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold integers or real numbers, not {array.dtype}")
    if array.ndim == 0 or array.shape[0] < 2:
        raise ValueError(f"{name} needs a leading axis of at least two groups, its shape is {array.shape}")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds a sum that is not finite")
        return array.astype(np.float64)
    if array.dtype.kind == "u" and array.size and float(array.max()) >= _INT64_MAX:
        raise ValueError(f"{name} holds a sum beyond 64-bit integers")
    return array.astype(np.int64)


def total(sums: NDArray[Any], name: str) -> NDArray[Any]:
    """Add up the groups; exact for integers.

    Raises ValueError when 64-bit integers could overflow, because numpy would wrap round in silence.
    """
    if sums.dtype.kind == "i" and sums.size:
        largest = np.abs(sums.astype(np.float64)).sum(axis=0).max()
        if largest >= _INT64_MAX:
            raise ValueError(f"the total of {name} is beyond 64-bit integers")
    result: NDArray[Any] = np.asarray(sums.sum(axis=0))
    return result


def aligned(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Return grouped sums broadcast to a shape; an array of shape (groups,) serves all that follows it.

    Raises ValueError when the shapes do not fit.
    """
    array = grouped(values, name)
    if array.ndim == 1:
        array = array.reshape((-1,) + (1,) * (len(shape) - 1))
    if array.shape[0] != shape[0]:
        raise ValueError(f"{name} has {array.shape[0]} groups where {shape[0]} are expected")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name} of shape {array.shape} does not fit sums of shape {shape}") from None


def divide(top: ArrayLike, bottom: ArrayLike) -> Floats:
    """Divide, with nan (and no warning) wherever the denominator is zero."""
    numerator, denominator = np.broadcast_arrays(floats(top), floats(bottom))
    out = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def check_level(alpha: float, name: str = "alpha") -> None:
    """Raise ValueError unless a probability lies strictly between 0 and 1."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {alpha}")


def check_positive(value: float, name: str) -> None:
    """Raise ValueError unless a number is finite and above zero."""
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number above zero, not {value}")
