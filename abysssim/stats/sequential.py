"""Looking at the data more than once: a confidence sequence, and a go / no-go test.

Both work on the values of deal blocks, which are independent, and both only need their number, mean and
standard deviation so far.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, check_level, check_positive, floats
from .intervals import Interval

#: No stop before this many blocks: the standard deviation must be known well enough first.
MIN_BLOCKS = 100


class Decision(StrEnum):
    """Outcome of a sequential test so far."""

    GO = "go"
    NO_GO = "no-go"
    CONTINUE = "continue"


def half_width(blocks: ArrayLike, sd: ArrayLike, alpha: float = 0.05, tightest_at: float = 1_000.0) -> Floats:
    """Return the half-width of the asymptotic confidence sequence for a mean after so many blocks.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52 (2024) 2613-2640, theorem 2.2:
    the interval mean -+ half-width covers at all block counts together with probability 1 - alpha, so that
    one may stop whenever one likes. sd: standard deviation of a block's value so far. tightest_at: the number
    of blocks at which the sequence is to be narrowest, fixed before any is seen.
    Raises ValueError for a level outside (0, 1), no blocks or a negative sd.
    """
    check_level(alpha)
    check_positive(tightest_at, "tightest_at")
    t, spread = floats(blocks), floats(sd)
    if not (t > 0).all():
        raise ValueError("a confidence sequence needs at least one block")
    if (spread < 0).any():
        raise ValueError("a standard deviation cannot be negative")
    r2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / tightest_at
    t_r2 = t * r2
    return floats(spread * np.sqrt(2 * (t_r2 + 1) / (t * t_r2) * np.log(np.sqrt(t_r2 + 1) / alpha)))


def confidence_sequence(
    mean: ArrayLike, blocks: ArrayLike, sd: ArrayLike, alpha: float = 0.05, tightest_at: float = 1_000.0
) -> Interval:
    """Return the interval of the confidence sequence around a running mean; arguments as for half_width."""
    half = half_width(blocks, sd, alpha, tightest_at)
    return Interval(floats(floats(mean) - half), floats(floats(mean) + half))


def narrow_enough(
    blocks: int,
    sd: float,
    target: float,
    alpha: float = 0.05,
    tightest_at: float = 1_000.0,
    min_blocks: int = MIN_BLOCKS,
) -> bool:
    """Return whether to stop: at least min_blocks played and the half-width under the target.

    A standard deviation of zero never stops a run, since it says that the spread has not been seen yet.
    """
    check_positive(target, "target")
    if blocks < min_blocks or not sd > 0:
        return False
    return bool(half_width(blocks, sd, alpha, tightest_at) < target)


def blocks_needed(target: float, sd: float, alpha: float = 0.05, tightest_at: float = 1_000.0) -> int:
    """Return the least number of blocks at which the half-width is under the target."""
    check_positive(target, "target")
    check_positive(sd, "sd")
    enough = 1
    while half_width(enough, sd, alpha, tightest_at) >= target:
        enough *= 2
    # The half-width falls with every block, so bisection finds the first that will do.
    short = enough // 2
    while enough - short > 1:
        middle = (enough + short) // 2
        if half_width(middle, sd, alpha, tightest_at) < target:
            enough = middle
        else:
            short = middle
    return enough


def sprt_llr(blocks: ArrayLike, mean: ArrayLike, sd: ArrayLike, s0: float, s1: float) -> Floats:
    """Return the log-likelihood ratio of mean s1 against mean s0, n (s1 - s0) (2 mean - s0 - s1) / (2 sd^2).

    sd: standard deviation of a block's value, estimated from the blocks themselves, which makes the test a
    generalised SPRT. nan where sd is zero. Raises ValueError when s0 equals s1 or sd is negative.
    """
    if s0 == s1:
        raise ValueError("the two means to tell apart are equal")
    n, s, spread = np.broadcast_arrays(floats(blocks), floats(mean), floats(sd))
    if (spread < 0).any():
        raise ValueError("a standard deviation cannot be negative")
    ratio = np.full(n.shape, np.nan)
    np.divide(n * (s1 - s0) * (2 * s - s0 - s1), 2 * spread**2, out=ratio, where=spread > 0)
    return ratio


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Return Wald's lower and upper bound, log(beta / (1 - alpha)) and log((1 - beta) / alpha).

    alpha: chance of go when s0 is true. beta: chance of no-go when s1 is true. -+2.944 at 5 % and 5 %.
    """
    check_level(alpha)
    check_level(beta, "beta")
    if alpha + beta >= 1:
        raise ValueError(f"alpha and beta must add up to less than 1, not {alpha + beta}")
    return float(np.log(beta / (1 - alpha))), float(np.log((1 - beta) / alpha))


def sprt(
    blocks: int,
    mean: float,
    sd: float,
    s0: float,
    s1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    min_blocks: int = MIN_BLOCKS,
) -> Decision:
    """Return the state of the test of s1 ("go") against s0 ("no-go") on block means.

    Nothing is decided before min_blocks, nor while the standard deviation is zero.
    """
    lower, upper = sprt_bounds(alpha, beta)
    ratio = float(sprt_llr(blocks, mean, sd, s0, s1))
    if blocks < min_blocks or np.isnan(ratio) or lower < ratio < upper:
        return Decision.CONTINUE
    return Decision.GO if ratio >= upper else Decision.NO_GO
