"""Confidence sequence and sequential test: formulas, and the error rates they promise."""

import numpy as np
import pytest
from scipy import stats

from abysssim.stats.sequential import (
    MIN_BLOCKS,
    Decision,
    blocks_needed,
    confidence_sequence,
    half_width,
    narrow_enough,
    sprt,
    sprt_bounds,
    sprt_llr,
)


def running(values):
    """Means and standard deviations after each block, along the last axis."""
    t = np.arange(1, values.shape[-1] + 1)
    mean = np.cumsum(values, axis=-1) / t
    centred = np.cumsum(values**2, axis=-1) - t * mean**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return t, mean, np.sqrt(np.maximum(centred, 0) / (t - 1))


def test_half_width_against_the_mixture_it_comes_from():
    # At the edge of the sequence the normal mixture martingale exp(S^2 r^2 / (2 (t r^2 + 1))) / sqrt(t r^2 +
    # 1) is exactly 1/alpha, by which Ville's inequality gives the error rate. Checked by integrating the
    # mixture.
    alpha, tightest, t = 0.05, 400.0, 250
    log_term = -2 * np.log(alpha)
    r = np.sqrt((log_term + np.log(log_term + 1)) / tightest)
    total = t * float(half_width(t, 1.0, alpha, tightest))
    effects = np.linspace(-8 * r, 8 * r, 40_001)
    values = np.exp(effects * total - effects**2 * t / 2) * stats.norm.pdf(effects, scale=r)
    assert np.trapezoid(values, effects) == pytest.approx(1 / alpha, rel=1e-6)


def test_half_width_grows_with_sd_and_falls_with_blocks_and_alpha():
    t = np.arange(1, 5000)
    assert (np.diff(half_width(t, 1.0)) < 0).all()
    assert half_width(t, 2.5) == pytest.approx(2.5 * half_width(t, 1.0))
    assert half_width(100, 1.0, 0.01) > half_width(100, 1.0, 0.05)
    assert half_width(100, 0.0) == 0


def test_the_sequence_is_tightest_where_asked():
    at = half_width(1000, 1.0, tightest_at=1000.0)
    for other in (100.0, 300.0, 3_000.0, 30_000.0):
        assert at < half_width(1000, 1.0, tightest_at=other)
    # Its price there: between 1.4 and 1.7 times the plain interval.
    assert 1.4 < at / (1.959964 / np.sqrt(1000)) < 1.7


def test_confidence_sequence_is_centred():
    interval = confidence_sequence([1.0, 2.0], 100, [0.5, 1.0])
    assert (interval.lower + interval.upper) / 2 == pytest.approx([1.0, 2.0])
    assert interval.half_width == pytest.approx(half_width(100, [0.5, 1.0]))


def test_a_thousand_looks():
    # Plain interval: 53 % of 3,000 runs miss at some look (Armitage, McPherson and Rowe 1969); +- 3.7 points
    # is four standard errors. Confidence sequence: the true rate to this horizon is 2.9 %, seven standard
    # errors below 5 %.
    values = np.random.default_rng(1).standard_normal((3000, 1000))
    t, mean, sd = running(values)
    plain = (np.abs(mean) > 1.959964 / np.sqrt(t)).any(axis=1).mean()
    assert plain == pytest.approx(0.53, abs=0.037)
    looks = slice(19, None)
    outside = np.abs(mean[:, looks]) > half_width(t[looks], sd[:, looks], tightest_at=500.0)
    assert outside.any(axis=1).mean() < 0.05


def test_a_thousand_looks_at_skewed_values():
    # Win shares with p = 1/4, looked at from MIN_BLOCKS on: under 5 % in 2,000 runs. The true rate to this
    # horizon is 3.2 %, 4.5 standard errors below 5 %: a false alarm of 1e-5 at most.
    values = (np.random.default_rng(2).random((2000, 1000)) < 0.25).astype(float)
    t, mean, sd = running(values)
    looks = slice(MIN_BLOCKS - 1, None)
    outside = np.abs(mean[:, looks] - 0.25) > half_width(t[looks], sd[:, looks], tightest_at=500.0)
    assert outside.any(axis=1).mean() < 0.05


def test_blocks_needed_is_the_first_that_will_do():
    for target, sd in ((0.005, 0.43), (0.5, 9.0), (100.0, 1.0)):
        n = blocks_needed(target, sd)
        assert half_width(n, sd) < target
        assert n == 1 or half_width(n - 1, sd) >= target


def test_stopping():
    n = blocks_needed(0.05, 1.0)
    assert narrow_enough(n, 1.0, 0.05)
    assert not narrow_enough(n - 1, 1.0, 0.05)
    assert not narrow_enough(MIN_BLOCKS - 1, 1e-9, 0.05)
    assert not narrow_enough(10**6, 0.0, 0.05)
    assert not narrow_enough(10**6, float("nan"), 0.05)


def test_sprt_bounds():
    assert sprt_bounds() == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert sprt_bounds(0.01, 0.10) == pytest.approx((np.log(0.10 / 0.99), np.log(90)))


def test_llr_is_the_ratio_of_normal_likelihoods():
    x = np.random.default_rng(3).normal(0.4, 2.0, 50)
    sd = x.std(ddof=1)
    direct = (stats.norm.logpdf(x, 1.0, sd) - stats.norm.logpdf(x, -0.5, sd)).sum()
    assert sprt_llr(50, x.mean(), sd, -0.5, 1.0) == pytest.approx(direct)


def test_llr_symmetries():
    assert sprt_llr(100, 0.5, 1.0, 0.0, 1.0) == 0
    assert sprt_llr(100, 0.7, 1.0, 0.0, 1.0) == pytest.approx(-sprt_llr(100, 0.7, 1.0, 1.0, 0.0))
    assert np.isnan(sprt_llr([100], [0.7], [0.0], 0.0, 1.0)).all()


def test_decisions():
    assert sprt(1000, 0.2, 1.0, 0.0, 0.2) is Decision.GO
    assert sprt(1000, 0.0, 1.0, 0.0, 0.2) is Decision.NO_GO
    assert sprt(1000, 0.1, 1.0, 0.0, 0.2) is Decision.CONTINUE
    assert sprt(MIN_BLOCKS - 1, 9.0, 1.0, 0.0, 0.2) is Decision.CONTINUE
    assert sprt(1000, 0.0, 0.0, 0.0, 0.2) is Decision.CONTINUE


def first_decisions(rng, truth, runs=2000, horizon=4000):
    """Outcome (+1 go, -1 no-go, 0 none) and length of tests of 0.15 sd against 0, with a look each block."""
    t, mean, sd = running(truth + rng.standard_normal((runs, horizon)))
    looks = slice(MIN_BLOCKS - 1, None)
    ratio = sprt_llr(t[looks], mean[:, looks], sd[:, looks], 0.0, 0.15)
    lower, upper = sprt_bounds()
    out = (ratio <= lower) | (ratio >= upper)
    first = np.where(out.any(axis=1), out.argmax(axis=1), -1)
    sign = np.sign(ratio[np.arange(runs), first])
    return np.where(first >= 0, sign, 0), first + MIN_BLOCKS


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, 1), (0.15, -1)])
def test_sequential_test_keeps_its_error_rates(truth, wrong):
    # A/A (truth 0) says go in at most 5 % of 2,000 runs, the other way round likewise. The true
    # rate is 4.8 %; 6.8 % is four standard errors above it, a false alarm of 5e-5.
    outcome, length = first_decisions(np.random.default_rng(4), truth)
    assert (outcome == wrong).mean() <= 0.068
    assert (outcome == -wrong).mean() >= 0.93
    # Wald: about 2 * 0.9 * 2.944 / 0.15^2 = 236 blocks on average, against 481 of a fixed-size test
    # with the same error rates ((1.645 + 1.645) / 0.15)^2.
    assert length.mean() < 330


def test_bad_input():
    with pytest.raises(ValueError, match="at least one block"):
        half_width(0, 1.0)
    with pytest.raises(ValueError, match="negative"):
        half_width(10, -1.0)
    with pytest.raises(ValueError, match="negative"):
        sprt_llr(10, 0.0, -1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="equal"):
        sprt_llr(10, 0.0, 1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="less than 1"):
        sprt_bounds(0.5, 0.5)
    with pytest.raises(ValueError, match="beta"):
        sprt_bounds(0.5, 0.0)
    with pytest.raises(ValueError, match="target"):
        blocks_needed(0.0, 1.0)
