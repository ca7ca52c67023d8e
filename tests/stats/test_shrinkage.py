"""Empirical Bayes against published meta-analyses, closed forms and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from abysssim.stats.shrinkage import shrink, tau_squared

# Rubin (1981), coaching in eight schools: effects and standard errors.
SCHOOLS = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
SCHOOLS_SE = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])

# Colditz et al. (1994), thirteen trials of BCG: cases and non-cases, vaccinated and control.
BCG = np.array(
    [
        [4, 119, 11, 128], [6, 300, 29, 274], [3, 228, 11, 209], [62, 13536, 248, 12619],
        [33, 5036, 47, 5761], [180, 1361, 372, 1079], [8, 2537, 10, 619], [505, 87886, 499, 87892],
        [29, 7470, 45, 7232], [17, 1699, 65, 1600], [186, 50448, 141, 27197], [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ]
)  # fmt: skip


def bcg():
    a, b, c, d = BCG.T.astype(float)
    return np.log(a / (a + b)) - np.log(c / (c + d)), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


@pytest.mark.parametrize(
    ("method", "tau2", "mu", "mu_se"),
    [
        # Values in the literature on this data set (random-effects log risk ratio).
        ("dersimonian-laird", 0.3088, -0.7141, 0.1787),
        ("reml", 0.3132, -0.7145, 0.1798),
        ("paule-mandel", 0.3181, -0.7150, 0.1809),
    ],
)
def test_published_meta_analysis(method, tau2, mu, mu_se):
    y, v = bcg()
    assert tau_squared(y, v, method) == pytest.approx(tau2, abs=6e-5)
    result = shrink(y, np.sqrt(v), method)
    assert result.mu == pytest.approx(mu, abs=2e-4)
    assert result.mu_se == pytest.approx(mu_se, abs=2e-4)


@pytest.mark.parametrize("method", ["dersimonian-laird", "reml", "paule-mandel"])
def test_eight_schools_shrink_all_the_way(method):
    # Q = 4.6 on 7 degrees of freedom, so tau is nought; the pooled effect is 7.7 with error 4.1.
    result = shrink(SCHOOLS, SCHOOLS_SE, method)
    assert result.tau == 0
    assert result.mean == pytest.approx(np.full(8, 7.7), abs=0.05)
    assert result.se == pytest.approx(np.full(8, 4.1), abs=0.05)
    assert (result.weight == 0).all()


@pytest.mark.parametrize("method", ["dersimonian-laird", "reml", "paule-mandel"])
def test_equal_variances_have_a_closed_form(method):
    # tau^2 = s^2 - v, and each value moves the share v / s^2 of its way to the mean.
    y = np.array([1.0, 2.0, 4.0, 9.0])
    v = 2.0
    s2 = y.var(ddof=1)
    result = shrink(y, np.full(4, np.sqrt(v)), method)
    assert result.tau**2 == pytest.approx(s2 - v, rel=1e-5)
    assert result.mean == pytest.approx(y + v / s2 * (4 - y), rel=1e-5)
    keep = 1 - v / s2
    assert result.se == pytest.approx(np.full(4, np.sqrt(keep * v + (1 - keep) ** 2 * s2 / 4)), rel=1e-5)


def test_the_noisy_extreme_loses_its_place():
    result = shrink([0.0, 0.1, -0.1, 2.0, 3.0], [0.1, 0.1, 0.1, 0.1, 3.0])
    assert np.argmax([0.0, 0.1, -0.1, 2.0, 3.0]) == 4
    assert np.argmax(result.mean) == 3


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(np.float64, 12, elements=st.floats(-50, 50)),
    hnp.arrays(np.float64, 12, elements=st.floats(0.1, 20)),
)
def test_shrunk_values_lie_between_raw_and_common_mean(y, se):
    result = shrink(y, se)
    low, high = np.minimum(y, result.mu), np.maximum(y, result.mu)
    assert ((result.mean >= low - 1e-9) & (result.mean <= high + 1e-9)).all()
    # More precise estimates keep more of themselves.
    assert (np.diff(result.weight[np.argsort(se)]) <= 1e-12).all()


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.float64, 6, elements=st.floats(-50, 50)), st.floats(-100, 100), st.floats(0.1, 10))
def test_unit_and_origin_do_not_matter(y, shift, unit):
    se = np.linspace(1, 3, 6)
    plain, moved = shrink(y, se), shrink(unit * y + shift, unit * se)
    assert moved.mean == pytest.approx(unit * plain.mean + shift, rel=1e-5, abs=1e-5)


def test_entries_without_an_error_take_no_part():
    full = shrink([1.0, 4.0, 9.0], [0.5, 0.5, 0.5])
    holes = shrink([[1.0, 4.0, 9.0], [np.nan, 100.0, 7.0]], [[0.5, 0.5, 0.5], [1.0, np.nan, 0.0]])
    assert holes.mean[0] == pytest.approx(full.mean)
    assert np.isnan(holes.mean[1]).all()
    assert np.isnan(holes.se[1]).all()


def test_identical_estimates():
    for method in ("dersimonian-laird", "reml", "paule-mandel"):
        assert tau_squared([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], method) == 0


def test_bad_input():
    with pytest.raises(ValueError, match="at least two"):
        shrink([1.0, np.nan], [1.0, 1.0])
    with pytest.raises(ValueError, match="method"):
        tau_squared([1.0, 2.0], [1.0, 1.0], "guess")
    with pytest.raises(ValueError, match="above zero"):
        tau_squared([1.0, 2.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="same length"):
        tau_squared([1.0, 2.0], [1.0])


@pytest.mark.parametrize("method", ["dersimonian-laird", "reml", "paule-mandel"])
def test_simulated_population(method):
    # 150 populations of 35 with tau = 1: the mean tau^2 within 4 standard errors (sd 0.43, hence 0.035 each,
    # and a bias of up to 0.03), shrunk values nearer the truth, and intervals that cover. Coverage has a
    # standard error of 0.4 points and loses a little because tau is estimated: 94 %, so 92 to 97 %.
    rng = np.random.default_rng(4)
    se = np.geomspace(0.2, 3.0, 35)
    found, covered, raw_loss, shrunk_loss = [], [], 0.0, 0.0
    for _ in range(150):
        truth = 5 + rng.standard_normal(35)
        raw = truth + se * rng.standard_normal(35)
        result = shrink(raw, se, method)
        found.append(result.tau**2)
        covered.append((np.abs(result.mean - truth) <= 1.96 * result.se).mean())
        raw_loss += ((raw - truth) ** 2).sum()
        shrunk_loss += ((result.mean - truth) ** 2).sum()
    assert np.mean(found) == pytest.approx(1.0, abs=0.17)
    assert 0.92 <= np.mean(covered) <= 0.97
    assert shrunk_loss < 0.5 * raw_loss
