"""Adjusted p values against hand calculation, scipy and their guarantees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from abysssim.stats.multiplicity import benjamini_hochberg, holm, p_values

LISTS = hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1))

# The fifteen p values of Benjamini and Hochberg (1995), section 4.1.
THROMBOLYSIS = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip


def test_published_example():
    # Their paper: controlling the false discovery rate at 5 % rejects four, Bonferroni-type control three.
    assert (benjamini_hochberg(THROMBOLYSIS) <= 0.05).sum() == 4
    assert (holm(THROMBOLYSIS) <= 0.05).sum() == 3


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.04; never falling.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


@given(LISTS)
def test_benjamini_hochberg_is_scipys(p):
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p, method="bh"))


@given(LISTS)
def test_order_of_the_corrections(p):
    bh, adjusted = benjamini_hochberg(p), holm(p)
    bonferroni = np.minimum(p * p.size, 1)
    assert (p <= bh + 1e-12).all()
    assert (bh <= adjusted + 1e-12).all()
    assert (adjusted <= bonferroni + 1e-12).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (np.diff(bh[order]) >= 0).all()


@given(LISTS, st.randoms(use_true_random=False))
def test_order_of_the_tests_does_not_matter(p, random):
    order = list(range(p.size))
    random.shuffle(order)
    assert (holm(p)[order] == holm(p[order])).all()
    assert (benjamini_hochberg(p)[order] == benjamini_hochberg(p[order])).all()


def test_missing_tests_are_not_counted_and_shapes_are_kept():
    p = np.array([[0.01, np.nan], [0.04, 0.02]])
    assert holm(p)[0, 0] == pytest.approx(0.03)
    assert np.isnan(holm(p)[0, 1])
    assert benjamini_hochberg(p).shape == (2, 2)
    assert np.isnan(holm([np.nan])).all()


def test_out_of_range_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, 1.1])


def test_p_values():
    assert p_values(1.959964, 1.0) == pytest.approx(0.05, abs=1e-6)
    assert p_values(3.0, 1.0, reference=3.0) == 1
    x = np.random.default_rng(1).normal(0.3, 1, 20)
    mine = p_values(x.mean(), stats.sem(x), 19)
    assert mine == pytest.approx(stats.ttest_1samp(x, 0).pvalue)
    assert np.isnan(p_values([1.0, 1.0], [0.0, 1.0], [5, 0])).all()


def test_family_wise_error_of_holm():
    # 4,000 families of ten true hypotheses, correlated: at most 5 % with any claim. Independent ones come to
    # 4.9 %, these to less; 5 % + 4 standard errors (1.4 points) bounds the false alarm at 3e-5.
    rng = np.random.default_rng(2)
    z = np.sqrt(0.3) * rng.standard_normal((4000, 1)) + np.sqrt(0.7) * rng.standard_normal((4000, 10))
    any_claim = np.mean([(holm(row) <= 0.05).any() for row in p_values(z, 1.0)])
    assert any_claim <= 0.064
    assert any_claim >= 0.02


def test_false_discovery_rate():
    # 2,000 families: 15 true, 5 false hypotheses. The rate is exactly 15/20 * 10 % = 7.5 % for independent
    # tests; the tolerance of 1.4 points is four standard errors (sd of a family's share at most 0.16).
    rng = np.random.default_rng(3)
    z = rng.standard_normal((2000, 20)) + np.r_[np.zeros(15), np.full(5, 3.0)]
    shares = []
    for row in p_values(z, 1.0):
        found = benjamini_hochberg(row) <= 0.10
        shares.append(found[:15].sum() / max(found.sum(), 1))
    assert np.mean(shares) == pytest.approx(0.075, abs=0.014)
