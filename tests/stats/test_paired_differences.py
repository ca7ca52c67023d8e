"""Paired differences and variance-reduction factors against direct calculation from the blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from abysssim.stats.jackknife import ratio
from abysssim.stats.paired import paired_difference, variance_reduction


def sums(x, y, groups=8):
    """Sums of 1, x, y, xx, yy, xy in groups, by block index."""
    index = np.arange(len(x)) % groups
    columns = [np.ones_like(x), x, y, x * x, y * y, x * y]
    out = np.zeros((6, groups, *x.shape[1:]), dtype=x.dtype)
    for row, column in zip(out, columns, strict=True):
        np.add.at(row, index, column)
    return out


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(2, 60)), elements=st.integers(-700, 700)))
def test_against_the_blocks_themselves(blocks):
    x, y = blocks
    n = x.size
    result = paired_difference(*sums(x, y))
    assert result.blocks == n
    assert result.difference == pytest.approx((x - y).mean())
    assert result.se == pytest.approx((x - y).std(ddof=1) / np.sqrt(n))
    independent = x.var(ddof=1) + y.var(ddof=1)
    assert result.se_independent == pytest.approx(np.sqrt(independent / n))
    if (x - y).std() > 0:
        assert result.factor == pytest.approx(independent / (x - y).var(ddof=1))


def test_many_columns_and_one_count():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 99, (100, 3)), rng.integers(0, 99, (100, 3))
    whole = sums(x, y)
    result = paired_difference(whole[0][:, 0], *whole[1:], scale=12)
    for j in range(3):
        single = paired_difference(*sums(x[:, j], y[:, j]))
        assert result.difference[j] == pytest.approx(single.difference / 12)
        assert result.se[j] == pytest.approx(single.se / 12)
        assert result.factor[j] == pytest.approx(single.factor)


def test_extremes_of_pairing():
    x = np.arange(16)
    same = paired_difference(*sums(x, x))
    assert same.factor == np.inf
    assert same.se == 0
    assert paired_difference(*sums(x, x[::-1].copy())).factor == pytest.approx(0.5)
    flat = np.ones_like(x)
    assert np.isnan(paired_difference(*sums(flat, flat)).factor)
    assert np.isnan(paired_difference(*sums(x[:1], x[1:2])).se)
    assert np.isnan(paired_difference(*sums(x[:1], x[1:2])).factor)


def test_known_correlation():
    # Correlation 0.8 and equal variances: factor 1 / (1 - 0.8) = 5. With 20,000 blocks its relative standard
    # error is sqrt(2 (1 + 0.8) / 20,000) at most, 1.4 %; six times that is allowed.
    rng = np.random.default_rng(2)
    shared, own = rng.standard_normal((20_000, 1)), rng.standard_normal((20_000, 2))
    x, y = (np.sqrt(0.8) * shared + np.sqrt(0.2) * own).T
    assert paired_difference(*sums(x, y)).factor == pytest.approx(5.0, rel=0.08)
    # From 256 group means the relative error is 12 % at most; four times that.
    counts, x_sums, y_sums = sums(x, y, 256)[:3]
    assert variance_reduction(ratio(x_sums, counts), ratio(y_sums, counts)) == pytest.approx(5.0, rel=0.48)


def test_factor_by_the_jackknife_equals_that_of_group_means():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 50, 256)
    y = x + rng.integers(-5, 6, 256)
    one = np.ones(256, dtype=np.int64)
    direct = (x.var(ddof=1) + y.var(ddof=1)) / (x - y).var(ddof=1)
    assert variance_reduction(ratio(x, one), ratio(y, one)) == pytest.approx(direct)
    assert variance_reduction(ratio(x, one), ratio(x, one)) == np.inf


def test_sums_beyond_what_squares_fit_into_64_bits():
    # Two values 1 apart on top of a large offset: the variance is 1/4 n/(n-1), whatever the offset.
    n, offset = 1_000_000, 1_000_000
    half = n // 2
    x_sum, xx_sum = half * offset + half * (offset + 1), half * offset**2 + half * (offset + 1) ** 2
    y_sum, yy_sum, xy_sum = n * offset, n * offset**2, half * offset**2 + half * (offset + 1) * offset
    split = [[value - value // 3, value // 3] for value in (n, x_sum, y_sum, xx_sum, yy_sum, xy_sum)]
    result = paired_difference(*split)
    assert result.difference == 0.5
    assert result.se == pytest.approx(np.sqrt(0.25 / (n - 1)), rel=1e-12)
    assert result.factor == 1.0


def test_sums_that_do_not_fit():
    with pytest.raises(ValueError, match="yy of shape"):
        paired_difference([1, 1], np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 2)), [1, 1])
