"""Indices of arrays in compiled code."""

import numpy as np

from abysssim.core.jit import inline


@inline
def sure(number):
    """Return an index that is never negative as unsigned: numba need not look whether it counts from the end."""
    return np.uint64(number)
