"""The jackknife of ratios against closed forms, direct recomputation and simulated coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from abysssim.stats.intervals import pointwise
from abysssim.stats.jackknife import (
    Jackknife,
    combine,
    delete_one,
    difference,
    independent_difference,
    ratio,
    select,
)

INTEGERS = st.integers(-10_000, 10_000)


def test_worked_example_by_hand():
    # Values 1, 2, 3, 4 with weight one: mean 2.5, s^2 = 5/3, se = sqrt(5/12).
    result = ratio([1, 2, 3, 4], [1, 1, 1, 1])
    assert result.estimate == 2.5
    assert result.replicates == pytest.approx([3, 8 / 3, 7 / 3, 2])
    assert result.se == pytest.approx(np.sqrt(5 / 12))
    assert result.dof == 3


def test_ratio_with_unequal_weights_by_hand():
    # Without each group: 5/3, 4/2, 3/3. Mean 14/9; sum of squares 1/81 + 16/81 + 25/81 = 42/81; times 2/3.
    result = ratio([1, 2, 3], [1, 2, 1])
    assert result.estimate == 1.5
    assert result.replicates == pytest.approx([5 / 3, 2, 1])
    assert result.se == pytest.approx(np.sqrt(28 / 81))


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(np.int64, st.integers(2, 40), elements=INTEGERS), st.integers(1, 1000))
def test_jackknife_of_a_mean_is_the_textbook_standard_error(values, weight):
    result = ratio(values * weight, np.full(values.size, weight))
    expected = values.std(ddof=1) / np.sqrt(values.size)
    assert result.se == pytest.approx(expected, rel=1e-7, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(np.int64, (24, 3), elements=INTEGERS),
    hnp.arrays(np.int64, 24, elements=st.integers(1, 500)),
    st.randoms(use_true_random=False),
    st.integers(1, 23),
)
def test_merging_sums_is_exact_in_any_order_and_on_any_number_of_workers(num, den, random, cut):
    order = list(range(24))
    random.shuffle(order)
    groups = np.arange(24) % 6
    merged = []
    for parts in ([order], [order[:cut], order[cut:]], [[i] for i in reversed(order)]):
        total_num, total_den = np.zeros((6, 3), dtype=np.int64), np.zeros(6, dtype=np.int64)
        for part in parts:
            worker_num, worker_den = np.zeros_like(total_num), np.zeros_like(total_den)
            np.add.at(worker_num, groups[part], num[part])
            np.add.at(worker_den, groups[part], den[part])
            total_num += worker_num
            total_den += worker_den
        merged.append(ratio(total_num, total_den))
    for other in merged[1:]:
        assert (other.replicates == merged[0].replicates).all()
        assert (other.estimate == merged[0].estimate).all()


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(np.int64, (12, 2), elements=INTEGERS),
    hnp.arrays(np.int64, (12, 2), elements=st.integers(0, 5)),
    st.integers(-20, 20),
    st.integers(1, 20),
)
def test_shifting_and_stretching_the_values(num, den, shift, stretch):
    num = np.where(den == 0, 0, num)
    plain, moved = ratio(num, den), ratio(stretch * num + shift * den, den)
    np.testing.assert_allclose(moved.estimate, stretch * plain.estimate + shift, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(moved.se, stretch * plain.se, rtol=1e-6, atol=1e-6)


def test_scale_divides_estimates_and_errors():
    plain, twelfths = ratio([12, 4, 6, 3], [2, 1, 1, 1]), ratio([12, 4, 6, 3], [2, 1, 1, 1], scale=12)
    assert twelfths.estimate == pytest.approx(plain.estimate / 12)
    assert twelfths.se == pytest.approx(plain.se / 12)


def test_a_share_fixed_by_construction_has_no_error():
    games = np.arange(1, 257)
    result = ratio(3 * games, games, scale=12)
    assert result.estimate == 0.25
    assert result.se == 0


def test_empty_groups_count_for_nothing():
    full = ratio([5, 1, 9, 2], [2, 1, 3, 1])
    sparse = ratio([0, 5, 0, 1, 9, 0, 0, 2], [0, 2, 0, 1, 3, 0, 0, 1])
    assert sparse.estimate == pytest.approx(full.estimate)
    assert sparse.se == pytest.approx(full.se)
    assert sparse.used == 4
    assert sparse.dof == full.dof == 3
    assert sparse.groups == 8


def test_columns_without_empty_groups_keep_their_plain_replicates():
    rng = np.random.default_rng(1)
    num, den = rng.integers(0, 50, (16, 4)), rng.integers(1, 50, (16, 4))
    assert (ratio(num, den).replicates == delete_one(num, den)).all()
    for g in (0, 7, 15):
        rest = np.delete(num, g, axis=0).sum(axis=0) / np.delete(den, g, axis=0).sum(axis=0)
        assert delete_one(num, den)[g] == pytest.approx(rest)


def test_no_data_and_data_in_a_single_group():
    result = ratio([[0, 6], [0, 0], [0, 0]], [[0, 2], [0, 0], [0, 0]])
    assert np.isnan(result.estimate[0])
    assert result.estimate[1] == 3
    assert np.isnan(result.se).all()
    assert result.used.tolist() == [0, 1]
    assert result.dof.tolist() == [0, 0]
    assert np.isnan(result.covariance()).all()


def test_one_denominator_serves_many_numerators():
    num = np.arange(24).reshape(4, 3, 2)
    den = np.array([1, 2, 3, 4])
    result = ratio(num, den)
    for i in range(3):
        for j in range(2):
            single = ratio(num[:, i, j], den)
            assert result.estimate[i, j] == pytest.approx(single.estimate)
            assert result.se[i, j] == pytest.approx(single.se)


def test_covariance_of_means_is_the_sample_covariance_over_groups():
    values = np.random.default_rng(2).integers(-40, 40, (64, 5))
    result = ratio(values, np.ones(64, dtype=np.int64))
    expected = np.cov(values.T) / 64
    np.testing.assert_allclose(result.covariance(), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.correlation(), np.corrcoef(values.T), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.sqrt(np.diagonal(result.covariance())), result.se)


@settings(max_examples=30, deadline=None)
@given(
    hnp.arrays(np.int64, (10, 4), elements=INTEGERS),
    hnp.arrays(np.int64, (10, 4), elements=st.integers(0, 3)),
)
def test_covariance_is_positive_semidefinite_with_empty_groups(num, den):
    covariance = ratio(np.where(den == 0, 0, num), den).covariance()
    known = np.isfinite(np.diagonal(covariance))
    values = np.linalg.eigvalsh(covariance[np.ix_(known, known)])
    assert (values >= -1e-9 * max(1.0, values.max(initial=0.0))).all()


def test_paired_difference_of_means_is_the_mean_of_differences():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 100, 40)
    y = x + rng.integers(-3, 4, 40)
    one = np.ones(40, dtype=np.int64)
    result = difference(ratio(x, one), ratio(y, one))
    assert result.estimate == pytest.approx((x - y).mean())
    assert result.se == pytest.approx((x - y).std(ddof=1) / np.sqrt(40))


def test_identical_arms_differ_by_exactly_nothing():
    rng = np.random.default_rng(4)
    arm = ratio(rng.integers(0, 100, (256, 35)), rng.integers(1, 9, (256, 35)), scale=12)
    result = difference(arm, arm)
    assert (result.estimate == 0).all()
    assert (result.se == 0).all()


def test_independent_difference_adds_variances_with_welch_degrees_of_freedom():
    # The Welch formula for means, as in any textbook: unequal variances 4/10 and 9/20.
    x = np.array([1.0, -1.0] * 5) * np.sqrt(4 * 9 / 10)
    y = np.array([1.0, -1.0] * 10) * np.sqrt(9 * 19 / 20)
    result = independent_difference(ratio(x, np.ones(10)), ratio(y, np.ones(20)))
    assert result.se == pytest.approx(np.sqrt(0.4 + 0.45))
    assert result.dof == pytest.approx(0.85**2 / (0.4**2 / 9 + 0.45**2 / 19))


def test_independent_difference_without_any_error_keeps_the_smaller_degrees_of_freedom():
    result = independent_difference(ratio([1, 1, 1], [1, 1, 1]), ratio([2, 2, 2, 2], [1, 1, 1, 1]))
    assert (result.estimate, result.se, result.dof) == (-1, 0, 2)


def test_combine_with_the_identity_changes_nothing_even_with_empty_groups():
    sparse = ratio([[5, 0], [1, 3], [9, 0], [2, 4]], [[2, 0], [1, 1], [3, 0], [1, 1]])
    same = combine(lambda r: r, sparse)
    np.testing.assert_allclose(same.se, sparse.se)
    assert same.used.tolist() == [4, 2]


def test_a_ratio_of_ratios_that_cancels_is_a_ratio():
    rng = np.random.default_rng(5)
    a, b, games = rng.integers(1, 90, 32), rng.integers(50, 90, 32), rng.integers(5, 9, 32)
    share = combine(np.divide, ratio(a, games), ratio(b, games))
    direct = ratio(a, b)
    assert share.estimate == pytest.approx(direct.estimate)
    assert share.replicates == pytest.approx(direct.replicates)
    assert share.se == pytest.approx(direct.se)


def test_combine_agrees_with_the_delta_method():
    rng = np.random.default_rng(6)
    result = ratio(rng.integers(900, 1100, 256), np.full(256, 10))
    assert combine(np.log, result).se == pytest.approx(result.se / result.estimate, rel=1e-3)


def test_distance_to_the_median_uses_covariances():
    rng = np.random.default_rng(7)
    values = rng.integers(0, 20, (50, 3)) + np.array([0, 100, 200])
    result = ratio(values, np.ones(50, dtype=np.int64))
    away = combine(lambda r: r - np.median(r), result)
    assert away.estimate[1] == 0
    assert away.se[1] == 0
    direct = (values[:, 2] - values[:, 1]).std(ddof=1) / np.sqrt(50)
    assert away.se[2] == pytest.approx(direct)


def test_a_number_made_of_several_estimates_has_the_least_groups_among_them():
    parts = ratio([[1, 1, 0], [2, 0, 0], [3, 5, 0], [4, 0, 0]], [[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 0]])
    assert combine(np.nansum, parts).used == 2


def test_select_keeps_rows_and_columns():
    rng = np.random.default_rng(8)
    whole = ratio(rng.integers(0, 9, (16, 4, 3)), rng.integers(1, 9, (16, 4, 3)))
    part = select(whole, (slice(1, 3), 0))
    assert part.estimate.tolist() == whole.estimate[1:3, 0].tolist()
    np.testing.assert_allclose(part.se, whole.se[1:3, 0])
    assert select(whole, np.array([True, False, True, False])).replicates.shape == (16, 2, 3)


def test_large_integers_are_subtracted_exactly():
    # As floats, 2^53 + 1 and 2^53 are the same number.
    big = 2**53
    result = delete_one([big, 1, 2], [1, 1, 1])
    assert result[0] == 1.5
    assert result[1] == (big + 2) / 2
    assert result[2] == (big + 1) // 2


@pytest.mark.parametrize(
    ("num", "den", "message"),
    [
        ([1], [1], "at least two groups"),
        ([1, 2], [1, 2, 3], "3 groups where 2"),
        ([[1, 2], [3, 4]], [[1, 2, 3], [1, 2, 3]], "does not fit"),
        ([1.0, np.nan], [1, 1], "not finite"),
        (["a", "b"], [1, 1], "integers or real numbers"),
        ([2**62, 2**62], [1, 1], "64-bit"),
        (np.array([2**63 + 5, 1], dtype=np.uint64), [1, 1], "64-bit"),
    ],
)
def test_bad_sums_are_refused(num, den, message):
    with pytest.raises(ValueError, match=message):
        ratio(num, den)


def test_parts_with_different_groups_cannot_be_combined():
    with pytest.raises(ValueError, match="same groups"):
        combine(np.add, ratio([1, 2], [1, 1]), ratio([1, 2, 3], [1, 1, 1]))
    with pytest.raises(ValueError, match="at least one"):
        combine(np.add)


def simulated_ratios(rng, sims, groups, blocks, takes_per_block) -> Jackknife:
    """Ratios of true value 1/4: blocks of four games that share a chance of winning, takes at random."""
    chance = rng.beta(1.0, 3.0, (groups, blocks, sims))
    takes = rng.poisson(takes_per_block, (groups, blocks, sims))
    wins = rng.binomial(takes, chance)
    return ratio(12 * wins.sum(axis=1), takes.sum(axis=1), scale=12)


def test_interval_coverage_on_correlated_blocks():
    # 1,500 studies, standard error 0.6 points. Skewness leaves 94.5 %; 92 % is four standard errors below
    # that, a false alarm of 3e-5.
    result = simulated_ratios(np.random.default_rng(11), 1500, 64, 6, 4.0)
    interval = pointwise(result)
    covered = ((interval.lower <= 0.25) & (interval.upper >= 0.25)).mean()
    assert covered == pytest.approx(0.95, abs=0.03)
    # Taking the games for independent would be far too sure of itself: Var = p (1-p) (1 + 4 * 0.2) / n here.
    assert result.se.mean() == pytest.approx(np.sqrt(0.25 * 0.75 * 1.8 / (64 * 6 * 4)), rel=0.05)


def test_interval_coverage_for_a_rare_lord():
    # About 45 of 256 groups hold anything. Skewness leaves 94.4 %; bound and false alarm as above.
    result = simulated_ratios(np.random.default_rng(12), 1500, 256, 1, 0.2)
    assert 30 < result.used.mean() < 60
    interval = pointwise(result)
    covered = ((interval.lower <= 0.25) & (interval.upper >= 0.25)).mean()
    assert 0.92 <= covered <= 0.975


def test_paired_studies_of_no_difference_find_none_in_95_percent():
    # A/A with a shared part: 1,500 studies, 95 % +- 2.3 points is four standard errors, a false alarm of
    # 6e-5.
    rng = np.random.default_rng(13)
    shared = rng.integers(0, 200, (64, 1500))
    one = np.ones(64, dtype=np.int64)
    a = ratio(shared + rng.integers(0, 40, (64, 1500)), one)
    b = ratio(shared + rng.integers(0, 40, (64, 1500)), one)
    interval = pointwise(difference(a, b))
    assert ((interval.lower <= 0) & (interval.upper >= 0)).mean() == pytest.approx(0.95, abs=0.023)
