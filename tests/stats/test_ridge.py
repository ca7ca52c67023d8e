"""Ridge with game fixed effects against explicit regressions on all the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from abysssim.stats.regression import game_products, gcv_penalty, ridge


def simulate(rng, games, players, p, groups=16, noise=3.0, beta=None):
    """Games whose players share a game effect; returns rows, values and group sums of their products."""
    beta = np.arange(p) if beta is None else beta
    x = rng.integers(0, 2, (games, players, p))
    level = rng.integers(-50, 50, (games, 1))
    y = np.rint(10 * (x @ beta) + level + 10 * noise * rng.standard_normal((games, players))).astype(np.int64)
    batches = [game_products(x[g::groups], y[g::groups]) for g in range(groups)]
    xtx, xty, yty = (np.stack([getattr(b, name) for b in batches]) for name in ("xtx", "xty", "yty"))
    return x, y, xtx, xty, yty


def centred(x, y):
    p = x.shape[2]
    return (x - x.mean(axis=1, keepdims=True)).reshape(-1, p), (y - y.mean(axis=1, keepdims=True)).reshape(-1)


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(np.int64, (6, 3, 4), elements=st.integers(-9, 9)),
    hnp.arrays(np.int64, (6, 3), elements=st.integers(-99, 99)),
    st.integers(1, 5),
)
def test_products_are_exact_and_add_up(x, y, cut):
    whole, first, second = (
        game_products(x, y),
        game_products(x[:cut], y[:cut]),
        game_products(x[cut:], y[cut:]),
    )
    assert whole.xtx.dtype == whole.xty.dtype == np.int64
    assert (whole.xtx == first.xtx + second.xtx).all()
    assert (whole.xty == first.xty + second.xty).all()
    assert whole.yty == first.yty + second.yty
    assert whole.games == first.games + second.games
    rows, values = centred(x, y)
    np.testing.assert_allclose(whole.xtx, 3 * rows.T @ rows, atol=1e-8)
    np.testing.assert_allclose(whole.xty, 3 * rows.T @ values, atol=1e-8)
    np.testing.assert_allclose(whole.yty, 3 * values @ values, atol=1e-8)


def test_without_penalty_it_is_least_squares_with_a_dummy_for_each_game():
    x, y, xtx, xty, _ = simulate(np.random.default_rng(1), 60, 4, 5)
    dummies = np.kron(np.eye(60), np.ones((4, 1)))
    full = np.hstack([x.reshape(-1, 5), dummies])
    expected = np.linalg.lstsq(full, y.reshape(-1), rcond=None)[0][:5]
    fit = ridge(xtx, xty, 4, 1e-10)
    assert fit.coefficients.estimate == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert fit.freedom == pytest.approx(5)


def test_with_penalty_it_is_least_squares_with_rows_added():
    x, y, xtx, xty, _ = simulate(np.random.default_rng(2), 40, 3, 4)
    rows, values = centred(x, y)
    augmented = np.vstack([rows, np.sqrt(7.0) * np.eye(4)])
    expected = np.linalg.lstsq(augmented, np.r_[values, np.zeros(4)], rcond=None)[0]
    assert ridge(xtx, xty, 3, 7.0).coefficients.estimate == pytest.approx(expected)
    assert ridge(xtx, xty, 3, 7.0, scale=12).coefficients.estimate == pytest.approx(expected / 12)


def test_a_constant_added_to_a_game_changes_nothing():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 2, (30, 4, 3)), rng.integers(0, 90, (30, 4))
    moved = game_products(x, y + rng.integers(0, 1000, (30, 1)))
    assert (moved.xty == game_products(x, y).xty).all()
    assert moved.yty == game_products(x, y).yty


def test_replicates_are_fits_without_the_group():
    x, y, xtx, xty, _ = simulate(np.random.default_rng(4), 64, 4, 3, groups=8)
    fit = ridge(xtx, xty, 4, 2.0)
    keep = np.arange(64) % 8 != 5
    rest = game_products(x[keep], y[keep])
    alone = np.linalg.solve(rest.xtx / 4 + 2.0 * np.eye(3), rest.xty / 4)
    assert fit.coefficients.replicates[5] == pytest.approx(alone)
    assert fit.coefficients.used.tolist() == [8, 8, 8]


def test_a_column_that_never_varies_is_unknown():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, (32, 4, 3))
    x[:, :, 1] = 1
    x[1:, :, 2] = 0
    x[0, :, 2] = [1, 0, 0, 0]
    y = rng.integers(0, 90, (32, 4))
    batches = [game_products(x[g::8], y[g::8]) for g in range(8)]
    fit = ridge(np.stack([b.xtx for b in batches]), np.stack([b.xty for b in batches]), 4, 1.0)
    assert np.isnan(fit.coefficients.estimate).tolist() == [False, True, False]
    assert np.isnan(fit.coefficients.se).tolist() == [False, True, True]


def test_penalty_by_gcv_minimises_the_criterion_of_the_hat_matrix():
    x, y, xtx, xty, yty = simulate(np.random.default_rng(6), 40, 3, 6, noise=8.0, beta=np.linspace(-1, 1, 6))
    rows, values = centred(x, y)
    m = 40 * 2

    def criterion(penalty):
        hat = rows @ np.linalg.solve(rows.T @ rows + penalty * np.eye(6), rows.T)
        residual = values - hat @ values
        return (residual @ residual / m) / (1 - np.trace(hat) / m) ** 2

    chosen = gcv_penalty(xtx, xty, yty, games=40, players=3)
    others = np.geomspace(1e-3, 1e4, 400)
    assert criterion(chosen) <= min(criterion(other) for other in others) * (1 + 1e-9)
    assert ridge(xtx, xty, 3, chosen).freedom == pytest.approx(
        np.trace(rows @ np.linalg.solve(rows.T @ rows + chosen * np.eye(6), rows.T))
    )


def test_gcv_shrinks_noise_more_than_signal():
    quiet = simulate(np.random.default_rng(7), 100, 4, 5, noise=0.5)[2:]
    loud = simulate(np.random.default_rng(7), 100, 4, 5, noise=30.0)[2:]
    assert gcv_penalty(*quiet, games=100, players=4) < gcv_penalty(*loud, games=100, players=4)


def test_coverage_of_the_jackknife_error():
    # 150 studies of 8 coefficients with rows dependent inside a game through the shared effect; nearly no
    # penalty, so nearly no bias. 1,200 intervals: 95 % +- 2.5 points is four standard errors.
    rng = np.random.default_rng(8)
    beta = np.linspace(-2, 2, 8)
    covered = []
    for _ in range(150):
        _, _, xtx, xty, _ = simulate(rng, 200, 4, 8, groups=40, beta=beta)
        fit = ridge(xtx, xty, 4, 1e-6, scale=10).coefficients
        covered.append(np.abs(fit.estimate - beta) <= 2.0227 * fit.se)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)


def test_bad_input():
    _, _, xtx, xty, yty = simulate(np.random.default_rng(9), 32, 4, 3)
    with pytest.raises(ValueError, match="penalty"):
        ridge(xtx, xty, 4, 0.0)
    with pytest.raises(ValueError, match="players"):
        ridge(xtx, xty, 1, 1.0)
    with pytest.raises(ValueError, match="xtx must be"):
        ridge(xtx, xty[:, :2], 4, 1.0)
    with pytest.raises(ValueError, match="too few"):
        gcv_penalty(xtx, xty, yty, games=1, players=4)
    with pytest.raises(ValueError, match="no column"):
        gcv_penalty(np.zeros_like(xtx), xty, yty, games=32, players=4)
    with pytest.raises(ValueError, match="players"):
        game_products(np.zeros((5, 1, 2), dtype=int), np.zeros((5, 1), dtype=int))
