"""Indices and signs in compiled code, without tests that a processor would guess wrong."""

import numpy as np

from abysssim.core.jit import inline


@inline
def sure(number):
    """Return an index that is never negative as unsigned: numba need not look whether it counts from the end."""
    return np.uint64(number)


@inline
def negative(number):
    """Return 1 for a number below 0, else 0: its sign bit."""
    return -(number >> 63)
