"""Critical values against tables and integrals; intervals against published values and coverage."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from abysssim.stats.intervals import (
    jeffreys,
    max_abs_z,
    pointwise,
    sidak_z,
    simultaneous,
    simultaneous_z,
    t_from_z,
    wilson,
    z_quantile,
)
from abysssim.stats.jackknife import Estimate, independent_difference, ratio


def test_sidak_values():
    assert round(sidak_z(35), 2) == 3.18
    assert round(sidak_z(63), 2) == 3.35
    assert sidak_z(1) == pytest.approx(1.959964, abs=1e-6)


def test_sidak_is_exact_for_independent_comparisons():
    for m in (2, 35, 1000):
        assert (2 * stats.norm.cdf(sidak_z(m)) - 1) ** m == pytest.approx(0.95, abs=1e-12)


def test_t_from_z_gives_the_tables_values():
    # Student's t, two-sided 5 %: 12.706 (1), 2.262 (9), 2.093 (19), 1.969 (255).
    assert t_from_z(z_quantile(0.05), [1, 9, 19, 255]) == pytest.approx(
        [12.706, 2.262, 2.093, 1.969], abs=6e-4
    )
    assert np.isnan(t_from_z(1.96, 0))


def equicorrelated_z(m: int, rho: float) -> float:
    """Critical max |z| of m equicorrelated normals by a one-dimensional integral over the shared part."""

    u = np.linspace(-9, 9, 2001)
    shared, own = np.sqrt(rho) * u, np.sqrt(1 - rho)

    def miss(c: float) -> float:
        inside = stats.norm.cdf((c - shared) / own) - stats.norm.cdf((-c - shared) / own)
        return float(np.trapezoid(stats.norm.pdf(u) * inside**m, u)) - 0.95

    return float(optimize.brentq(miss, 1.5, 5.0))


@pytest.mark.parametrize(("m", "rho"), [(5, 0.5), (35, 0.3), (35, 0.8)])
def test_max_z_against_the_integral(m, rho):
    # Simulation error about 0.003, so 0.015 is five standard errors.
    correlation = np.full((m, m), rho) + (1 - rho) * np.eye(m)
    assert max_abs_z(correlation) == pytest.approx(equicorrelated_z(m, rho), abs=0.015)


def test_max_z_at_the_two_extremes():
    assert max_abs_z(np.eye(35)) == pytest.approx(sidak_z(35), abs=0.015)
    assert max_abs_z(np.ones((35, 35))) == pytest.approx(1.959964, abs=0.015)


def test_max_z_is_the_same_each_time():
    correlation = np.full((4, 4), 0.4) + 0.6 * np.eye(4)
    assert max_abs_z(correlation, draws=5_000) == max_abs_z(correlation, draws=5_000)


@pytest.mark.parametrize(
    "matrix", [np.ones((2, 3)), np.array([[1.0, np.nan], [np.nan, 1.0]]), np.ones((0, 0))]
)
def test_max_z_refuses_what_is_no_correlation_matrix(matrix):
    with pytest.raises(ValueError, match="correlation matrix"):
        max_abs_z(matrix)


def test_pointwise_interval_of_a_mean_is_students():
    x = np.random.default_rng(1).normal(3, 2, 25)
    interval = pointwise(ratio(x, np.ones(25)))
    low, high = stats.t.interval(0.95, 24, x.mean(), stats.sem(x))
    assert (interval.lower, interval.upper) == pytest.approx((low, high))
    assert interval.half_width == pytest.approx((high - low) / 2)


def test_independent_interval_agrees_with_welchs_test():
    rng = np.random.default_rng(2)
    x, y = rng.normal(0, 1, 30), rng.normal(0, 3, 50)
    interval = pointwise(independent_difference(ratio(x, np.ones(30)), ratio(y, np.ones(50))))
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval()
    assert (interval.lower, interval.upper) == pytest.approx((welch.low, welch.high))


def test_no_interval_from_too_few_groups():
    num, den = np.zeros((256, 2), dtype=np.int64), np.zeros((256, 2), dtype=np.int64)
    den[:19, 0] = den[:20, 1] = 1
    num[:19, 0] = np.arange(19)
    num[:20, 1] = np.arange(20)
    interval = pointwise(ratio(num, den))
    assert np.isnan(interval.lower[0])
    assert np.isfinite(interval.lower[1])
    assert np.isfinite(pointwise(ratio(num, den), min_groups=2).lower[0])


def correlated(rng, groups, sims, m, rho):
    shared = rng.standard_normal((groups, sims, 1))
    return np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal((groups, sims, m))


def test_simultaneous_z_adapts_to_the_correlation():
    data = correlated(np.random.default_rng(3), 256, 1, 35, 0.8)[:, 0, :]
    z = simultaneous_z(ratio(data, np.ones(256)))
    # The correlation is itself estimated from 256 groups, hence the wider tolerance.
    assert z == pytest.approx(equicorrelated_z(35, 0.8), abs=0.06)
    assert z < sidak_z(35) - 0.2


def test_simultaneous_z_leaves_out_what_has_no_error_of_its_own():
    data = np.random.default_rng(4).standard_normal((256, 5))
    den = np.ones((256, 5))
    data[:, 3] = 7.0
    data[:, 4] = den[:, 4] = 0.0
    assert simultaneous_z(ratio(data, den)) == pytest.approx(sidak_z(3), abs=0.02)


def test_simultaneous_z_falls_back_on_sidak():
    rng = np.random.default_rng(5)
    shared = rng.standard_normal((60, 1)) + 0.01 * rng.standard_normal((60, 35))
    assert simultaneous_z(ratio(shared, np.ones(60))) == sidak_z(35)
    assert simultaneous_z(ratio(shared[:, :1], np.ones(60))) == sidak_z(1)


def test_correlations_of_rare_estimates_are_not_trusted():
    rng = np.random.default_rng(6)
    shared = np.repeat(rng.standard_normal((256, 1)), 3, axis=1)
    den = np.ones((256, 3))
    shared[25:, 1:] = den[25:, 1:] = 0.0
    assert simultaneous_z(ratio(shared, den)) == pytest.approx(sidak_z(3), abs=0.02)


def test_simultaneous_coverage():
    # 600 studies of 12 estimates each; 95 % +- 3.6 points is four standard errors, a false alarm of 6e-5.
    sims, m = 600, 12
    data = correlated(np.random.default_rng(7), 256, sims, m, 0.5)
    z = equicorrelated_z(m, 0.5)
    result = ratio(data, np.ones(256))
    half = t_from_z(z, result.dof) * result.se
    assert (np.abs(result.estimate) <= half).all(axis=1).mean() == pytest.approx(0.95, abs=0.036)
    first = ratio(data[:, 0, :], np.ones(256))
    expected = t_from_z(simultaneous_z(first, draws=20_000), first.dof) * first.se
    assert simultaneous(first, draws=20_000).half_width == pytest.approx(expected)
    assert (simultaneous(first, draws=20_000).half_width > pointwise(first).half_width).all()


def test_wilson_published_value():
    # Newcombe, Statistics in Medicine 17 (1998) 857-872: 81 of 263 gives 0.2553 to 0.3662; 0 of 20, 0 to
    # 0.1611.
    interval = wilson([81, 0, 20], [263, 20, 20])
    assert interval.lower == pytest.approx([0.2553, 0.0, 0.8389], abs=5e-5)
    assert interval.upper == pytest.approx([0.3662, 0.1611, 1.0], abs=5e-5)


def test_wilson_against_scipy():
    for hits, n in ((1, 10), (15, 148), (500, 1000)):
        known = stats.binomtest(hits, n).proportion_ci(0.95, "wilson")
        mine = wilson(hits, n)
        assert (mine.lower, mine.upper) == pytest.approx((known.low, known.high))


def test_jeffreys_is_the_beta_quantile_and_touches_the_ends():
    interval = jeffreys([0, 3, 10], [10, 10, 10])
    assert interval.lower[0] == 0
    assert interval.upper[2] == 1
    # Tail areas of the Beta(3.5, 7.5) posterior, checked by integrating its density.
    for end, area in ((interval.lower[1], 0.025), (interval.upper[1], 0.975)):
        mass = integrate.quad(lambda p: p**2.5 * (1 - p) ** 6.5, 0, end)[0]
        whole = integrate.quad(lambda p: p**2.5 * (1 - p) ** 6.5, 0, 1)[0]
        assert mass / whole == pytest.approx(area, abs=1e-6)


def test_proportions_without_trials_or_out_of_range():
    for interval in (wilson([0, 1], [0, 2]), jeffreys([0, 1], [0, 2])):
        assert np.isnan(interval.lower[0])
        assert np.isnan(interval.upper[0])
        assert np.isfinite(interval.upper[1])
    with pytest.raises(ValueError, match="between 0 and"):
        wilson(3, 2)


@pytest.mark.parametrize("interval", [wilson, jeffreys])
def test_average_coverage_of_proportions(interval):
    # Exact, by summing the binomial over all outcomes and averaging over p.
    n = 50
    ends = interval(np.arange(n + 1), n)
    p = np.linspace(0.01, 0.99, 197)[:, None]
    inside = (ends.lower <= p) & (p <= ends.upper)
    coverage = (inside * stats.binom.pmf(np.arange(n + 1), n, p)).sum(axis=1)
    assert coverage.mean() == pytest.approx(0.95, abs=0.01)


def test_levels_and_counts_are_checked():
    with pytest.raises(ValueError, match="alpha"):
        z_quantile(1.0)
    with pytest.raises(ValueError, match="comparisons"):
        sidak_z(0)
    fixed = Estimate(np.array(1.0), np.array(0.5), np.array(0.0))
    assert np.isnan(pointwise(fixed).lower)
