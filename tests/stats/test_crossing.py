"""Where a curve falls through nought: the interval covers, and an end that is not known is open."""

import numpy as np
import pytest

from abysssim.stats.crossing import Course, Crossing, crossing
from abysssim.stats.jackknife import Jackknife, ratio

GROUPS = 256
PLACES = (0.0, 1.0, 2.0, 3.0)


def measured(means: list[float], sd: float, seed: int, shared: float = 0.0) -> Jackknife:
    """Return a curve with normal errors of group means, `shared` of whose variance is common to all places."""
    rng = np.random.default_rng(seed)
    common = rng.normal(0, sd * shared**0.5, (GROUPS, 1))
    own = rng.normal(0, sd * (1 - shared) ** 0.5, (GROUPS, len(means)))
    return ratio(np.array(means) + common + own, np.ones(GROUPS))


def line(seed: int, at: float = 1.3, slope: float = -2.0, shared: float = 0.6) -> Crossing:
    return crossing(measured([slope * (place - at) for place in PLACES], 8.0, seed, shared), PLACES)


def test_the_interval_covers_a_known_crossing() -> None:
    found = [line(seed) for seed in range(400)]
    missed = sum(not one.low <= 1.3 <= one.high for one in found)
    # Binomial with mean 20 and a standard deviation of 4.4: outside 7 to 36 once in 1,000 sets of seeds.
    assert 7 <= missed <= 36
    assert {one.course for one in found} == {Course.CROSSES}
    assert abs(np.mean([one.place for one in found]) - 1.3) < 0.05


def test_a_curve_on_one_side_for_certain_says_so() -> None:
    assert crossing(measured([9.0, 8.0, 7.0, 6.0], 8.0, 1), PLACES).course == Course.ABOVE
    below = crossing(measured([-5.0, -6.0, -7.0, -8.0], 8.0, 2), PLACES)
    assert below.course == Course.BELOW
    assert np.isnan([below.place, below.low, below.high]).all()
    assert crossing(measured([-5.0, -2.0, 4.0, 8.0], 8.0, 3), PLACES).course == Course.RISES


def test_an_end_that_is_not_on_the_grid_is_open() -> None:
    late = crossing(measured([6.0, 4.0, 2.0, -0.05], 8.0, 4), PLACES)
    assert late.high == np.inf
    assert 2.0 < late.low < 3.0
    early = crossing(measured([0.05, -2.0, -4.0, -6.0], 8.0, 5), PLACES)
    assert early.low == -np.inf
    assert 0.0 < early.high < 1.0
    flat = crossing(measured([0.0, 0.0, 0.0, 0.0], 8.0, 6), PLACES)
    assert (flat.course, flat.low, flat.high) == (Course.UNDECIDED, -np.inf, np.inf)


def test_without_a_difference_crossings_are_seldom_claimed() -> None:
    # Nothing is there: four places each wrongly sure in 5 % of the seeds, at most 20 % together.
    claimed = sum(crossing(measured([0.0] * 4, 8.0, seed), PLACES).course != Course.UNDECIDED for seed in range(300))
    assert claimed <= 80


def test_an_exact_curve_has_an_exact_crossing() -> None:
    found = crossing(measured([3.0, 1.0, -1.0, -3.0], 0.0, 1), PLACES)
    assert found.course == Course.CROSSES
    assert found.place == pytest.approx(1.5)
    assert found.low == pytest.approx(1.5, abs=0.01)
    assert found.high == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize("places", [(0.0,), (0.0, 1.0), (0.0, 2.0, 1.0, 3.0)])
def test_places_must_ascend_and_fit(places: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        crossing(measured([1.0, 0.0, -1.0, -2.0], 1.0, 1), places)
