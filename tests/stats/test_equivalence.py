"""Classes by the region of practical equivalence, the games still needed, and robustness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abysssim.stats.equivalence import (
    IP_MARGIN,
    WIN_SHARE_MARGIN,
    Robustness,
    Verdict,
    classify,
    more_games,
    robustness,
)
from abysssim.stats.intervals import Interval

NUMBERS = st.floats(-10, 10, allow_nan=False)


def around(estimate, half):
    middle, half = np.asarray(estimate, dtype=float), np.asarray(half, dtype=float)
    return Interval(middle - half, middle + half)


def test_margins():
    assert WIN_SHARE_MARGIN == 0.005
    assert IP_MARGIN == 0.5


def test_the_four_classes():
    interval = Interval(
        np.array([0.6, -2.0, -0.4, 0.3, -1.0, np.nan, 0.2]), np.array([0.9, -0.7, 0.5, 0.7, 1.0, np.nan, 0.4])
    )
    assert classify(interval, 0.5).tolist() == [
        "stronger",
        "weaker",
        "equivalent",
        "undecided",
        "undecided",
        "undecided",
        "equivalent",
    ]


def test_significant_yet_equivalent():
    # Zero is far outside this interval, and still the difference is too small to matter.
    assert classify(around(0.002, 0.0001), WIN_SHARE_MARGIN).item() is Verdict.EQUIVALENT


def test_region_around_a_reference():
    interval = Interval(np.array([0.248, 0.26]), np.array([0.252, 0.27]))
    assert classify(interval, WIN_SHARE_MARGIN, 0.25).tolist() == ["equivalent", "stronger"]


@given(NUMBERS, st.floats(0, 5), st.floats(0.01, 5))
def test_classes_mirror_when_the_sign_turns(middle, half, margin):
    mirrored = {"stronger": "weaker", "weaker": "stronger"}
    verdict = classify(around(middle, half), margin).item()
    assert classify(around(-middle, half), margin).item() == mirrored.get(verdict, verdict)


def test_more_games_by_hand():
    # Estimate 0.7, half-width 0.4: the region's edge is 0.2 away, so the half-width must halve: four times
    # the games. Estimate 0.1 with 0.8: 0.4 away, again four times.
    interval = around([0.7, 0.1, 2.0], [0.4, 0.8, 0.1])
    more = more_games([0.7, 0.1, 2.0], interval, 1000, 0.5)
    assert more == pytest.approx([3000, 3000, 0], abs=1)


def test_more_games_on_the_edge_and_without_interval():
    more = more_games([0.5, 0.5], around([0.5, np.nan], [0.1, 0.1]), 1000, 0.5)
    assert more[0] == np.inf
    assert np.isnan(more[1])


@given(NUMBERS, st.floats(0.01, 5), st.integers(100, 10**9))
def test_playing_the_games_needed_decides(middle, half, games):
    distance = abs(abs(middle) - 0.5)
    if distance < 1e-3:
        return
    more = float(more_games(middle, around(middle, half), games, 0.5))
    later = half * np.sqrt(games / (games + more))
    # A hair less for the rounding on the very edge.
    assert classify(around(middle, later * (1 - 1e-9)), 0.5).item() is not Verdict.UNDECIDED


def test_robust_at_nine_in_ten():
    nine = ["stronger"] * 9 + ["undecided"]
    assert robustness(nine) == Robustness(Verdict.STRONGER, 0.9, True)
    assert not robustness([*nine, "weaker"]).robust
    assert robustness(nine, retuned="stronger").robust
    assert not robustness(nine, retuned="equivalent").robust


def test_the_share_is_not_missed_by_a_binary_fraction():
    # 0.55 * 100 comes out just above 55, and 55 of 100 are 55 % all the same.
    assert 0.55 * 100 > 55
    assert robustness(["weaker"] * 55 + ["stronger"] * 45, share=0.55).robust


def test_undecided_everywhere_is_no_robust_claim():
    assert robustness(["undecided"] * 10) == Robustness(Verdict.UNDECIDED, 1.0, False)


def test_a_tie_is_undecided():
    assert robustness(["stronger", "weaker"]).verdict is Verdict.UNDECIDED


def test_bad_verdicts_and_margins():
    with pytest.raises(ValueError, match="at least one"):
        robustness([])
    with pytest.raises(ValueError, match="strong"):
        robustness(["strong"])
    with pytest.raises(ValueError, match="margin"):
        classify(around(0, 1), 0.0)
    with pytest.raises(ValueError, match="share"):
        robustness(["weaker"], share=1.5)
