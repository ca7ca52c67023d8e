"""Searches as games had them, held against what the exact theory expects of each.

The engine notes how every search began (`core.layout.SEARCH`): the Loot left, the seat's Keys, the phase. From that and
the policy's weights follow its rule, and the exact mean and variance of what the search brings, all by the recursion of
`loot.outcome`, here on arrays with one row a search. What a search brought, less its mean, is a martingale difference:
the Loot left lies in an order that nobody knows. So sums of them over their exact standard deviation are z values.

Worths are the policy's own, in the kernel's fixed point (IP times SCALE).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.layout import LEFT_BITS, MAX_LOCATIONS, MAX_LOOT
from abysssim.engine.tally import GROUPS
from abysssim.policies.features import TOKEN_MEAN
from abysssim.policies.krakens import MOST_KEYS
from abysssim.policies.weights import FIRST_LOOT, LOOT_REWARDS, PHASES, SCALE
from abysssim.store import Sums
from abysssim.studies.lord_sums import cleared

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: What is compared: IP of Loot and rewards, IP of Loot, whether it bust, cards drawn.
MEASURES = ("payoff", "loot", "bust", "draws")
#: Phases of the game in which a search can fall: those of the weights, and the seat's last turn.
STAGES = (*PHASES, "last turn")
LAST = len(PHASES)
#: Means and variances are summed in whole multiples of one over this, so that sums are exact in any order.
FINE = 1 << 20


@dataclass(frozen=True, eq=False)
class Rewards:
    """What drawing each value of Loot gives, and what a policy holds it to be worth.

    values : of the Loot in the rules (V,). keys, pearls, tokens, allies : of each reward (V,).
    weights : fixed point, (phase, LOOT_REWARDS), in the order of the policy's weights.
    """

    values: Ints
    keys: Ints
    pearls: Ints
    tokens: Ints
    allies: Ints
    weights: Ints


def rewards_of(rules: Any, policy: Any) -> Rewards:
    """Return the rewards of a RULES record as a POLICY record weighs them."""
    values = np.flatnonzero(rules["loot_copies"]).astype(np.int64)
    given = rules["loot_rewards"][values]
    end = FIRST_LOOT + len(PHASES) * LOOT_REWARDS
    weights = np.array(policy["weights"][FIRST_LOOT:end], dtype=np.int64).reshape(len(PHASES), LOOT_REWARDS)
    keys, pearls, tokens, allies = (
        np.asarray(given[name], dtype=np.int64) for name in ("keys", "pearls", "monster_tokens", "allies")
    )
    return Rewards(values, keys, pearls, tokens, allies, weights)


@dataclass(frozen=True, eq=False)
class Starts:
    """How searches began, one row each (n,): `left` (n, V) copies by value; keys; stage (index into STAGES); tokens."""

    left: Ints
    keys: Ints
    stage: Ints
    tokens: Ints

    @property
    def cards(self) -> Ints:
        """Loot left in the deck."""
        return np.asarray(self.left.sum(axis=1), dtype=np.int64)


def phase_of(lords: Any) -> Ints:
    """Return the phase for the most Lords that a seat has: index into PHASES, as `policies.krakens.phase`."""
    phase: Ints = np.minimum(np.maximum(np.asarray(lords, dtype=np.int64) - 1, 0) // 2, LAST - 1)
    return phase


def starts_of(notes: Any, rewards: Rewards) -> Starts:
    """Return how searches began from SEARCH records (n,)."""
    packed = np.asarray(notes["left"], dtype=np.int64)[:, None]
    left = packed >> LEFT_BITS * rewards.values & (1 << LEFT_BITS) - 1
    stage = np.where(notes["last"] == 1, LAST, phase_of(notes["lords"]))
    return Starts(left, notes["keys"].astype(np.int64), stage, notes["tokens"].astype(np.int64))


def worth_with(starts: Starts, rewards: Rewards, mask: int) -> Ints:
    """Return what the reward of each value is worth, drawn with the values of a mask held: fixed point (n, V)."""
    drawn = mask >> np.arange(len(rewards.values)) & 1
    tokens = np.minimum(rewards.tokens, np.maximum(starts.tokens - drawn @ rewards.tokens, 0)[:, None])
    keys = np.minimum(starts.keys + drawn @ rewards.keys, MOST_KEYS)
    weights = rewards.weights[np.minimum(starts.stage, LAST - 1)]
    worth = weights[np.arange(len(keys)), keys][:, None] * rewards.keys
    worth = worth + weights[:, [MOST_KEYS + 1]] * rewards.pearls
    worth = worth + weights[:, [MOST_KEYS + 2]] * tokens + weights[:, [MOST_KEYS + 3]] * rewards.allies
    return np.asarray(np.where((starts.stage == LAST)[:, None], tokens * TOKEN_MEAN, worth), dtype=np.int64)


def goes_on(starts: Starts, rewards: Rewards, mask: int, worth: Ints) -> NDArray[np.bool_]:
    """Tell whether the policy's rule searches on with the values of a mask held, (n,); with nothing held it must.

    As `policies.krakens.search_gain` has it, a gain of nought included.
    """
    held = mask >> np.arange(len(rewards.values)) & 1
    left = starts.left - held
    gain = (np.maximum(left, 0) * (SCALE * rewards.values * (1 - 2 * held) + worth)).sum(axis=1)
    some = left.sum(axis=1) > 0
    return np.asarray(some & ((gain >= 0) | (mask == 0)))


@dataclass(frozen=True, eq=False)
class Expected:
    """Exact mean and variance of each of MEASURES, (n, 4), in IP and cards; `on` : the rule, (n, masks)."""

    mean: Floats
    variance: Floats
    on: NDArray[np.bool_]


def expected(starts: Starts, rewards: Rewards) -> Expected:
    """Return what the policy's rule leads to from every start, exactly but for rounding."""
    count, values = starts.left.shape
    masks = 1 << values
    # By mask: the chance to come there, and that chance times the mean, and mean square, of the rewards so far.
    reached = np.zeros((masks, 3, count))
    reached[0, 0] = 1.0
    first, second = np.zeros((2, len(MEASURES), count))
    on = np.zeros((count, masks), np.bool_)
    for mask in range(masks):
        worth = worth_with(starts, rewards, mask)
        on[:, mask] = goes_on(starts, rewards, mask, worth)
        here = reached[mask]
        loot = float(sum(int(value) for bit, value in enumerate(rewards.values) if mask >> bit & 1))
        size = mask.bit_count()
        _end(first, second, np.where(on[:, mask], 0.0, here), loot, False, size)
        cards = np.maximum(starts.cards - size, 1)
        for bit, value in enumerate(rewards.values):
            held = mask >> bit & 1
            chance = np.where(on[:, mask], np.maximum(starts.left[:, bit] - held, 0) / cards, 0.0)
            moved = _with_reward(here, worth[:, bit] / SCALE) * chance
            if held:
                _end(first, second, moved, loot - value, True, size + 1)
            else:
                reached[mask | 1 << bit] += moved
    mean = first.T
    return Expected(mean, np.maximum(second.T - mean**2, 0.0), on)


def _with_reward(state: Floats, worth: Floats) -> Floats:
    """Return chance, chance times mean and mean square of the rewards, with one more reward."""
    chance, mean, square = state
    return np.stack([chance, mean + worth * chance, square + 2 * worth * mean + worth**2 * chance])


def _end(first: Floats, second: Floats, state: Floats, loot: float, bust: bool, draws: int) -> None:
    """Add an end of searches to the first and second moments of the measures, in place."""
    chance, mean, square = state
    first += np.stack([mean + loot * chance, loot * chance, bust * chance, draws * chance])
    squares = [square + 2 * loot * mean + loot**2 * chance, loot**2 * chance, bust * chance, draws**2 * chance]
    second += np.stack(squares)


@dataclass(frozen=True, eq=False)
class Observed:
    """What searches brought: MEASURES (n, 4), rewards in fixed point (n,), and whether the rule was followed (n,)."""

    measures: Floats
    rewards: Ints
    followed: NDArray[np.bool_]


def observed(notes: Any, starts: Starts, rewards: Rewards, on: NDArray[np.bool_]) -> Observed:
    """Return what searches brought, from SEARCH records (n,) and the rule (n, masks) of `expected`.

    Of two different rewards of Keys, or of Monster tokens, in one search the one of the lower value counts as drawn
    first; with the rules as printed there are none.
    """
    bits = np.arange(len(rewards.values))
    drawn = (notes["held"].astype(np.int64)[:, None] >> rewards.values) & 1
    twin = (notes["duplicate"].astype(np.int64)[:, None] == rewards.values).astype(np.int64)
    masks = drawn @ (1 << bits)
    total = np.zeros(len(notes), np.int64)
    for mask in np.unique(masks):
        rows = np.flatnonzero(masks == mask)
        some = Starts(starts.left[rows], starts.keys[rows], starts.stage[rows], starts.tokens[rows])
        for bit in bits[mask >> bits & 1 == 1]:
            total[rows] += worth_with(some, rewards, int(mask & (1 << bit) - 1))[:, bit]
        total[rows] += (worth_with(some, rewards, int(mask)) * twin[rows]).sum(axis=1)
    bust = twin.sum(axis=1)
    loot = (drawn * rewards.values * (1 - twin)).sum(axis=1)
    measures = np.stack([loot + total / SCALE, loot, bust, drawn.sum(axis=1) + bust], axis=1).astype(np.float64)
    # It went on with what it held when it bust, and before its last card in any case; else it stopped.
    followed = on[np.arange(len(notes)), masks] == (bust == 1)
    return Observed(measures, total, followed)


# --- Sums ----------------------------------------------------------------------------------------------------------


def new_search_sums() -> Sums:
    """Return cleared sums of searches, by name.

    searches, searches_keys: counts by (cards left, stage) and (stage, Keys); search_observed, search_mean,
    search_variance (cards left, stage, MEASURES), times FINE; search_strayed (1): searches that broke the rule;
    search_rewards (g, Location): worth of the rewards, fixed point; search_count (g, Location).
    """
    cells = (MAX_LOOT + 1, len(STAGES))
    names = ("search_observed", "search_mean", "search_variance")
    return cleared(
        {
            "searches": cells,
            "searches_keys": (len(STAGES), MOST_KEYS + 1),
            **{name: (*cells, len(MEASURES)) for name in names},
            "search_strayed": (1,),
            "search_rewards": (GROUPS, MAX_LOCATIONS),
            "search_count": (GROUPS, MAX_LOCATIONS),
        }
    )


def add_searches(sums: Sums, notes: Any, games: Ints, rewards: Rewards) -> None:
    """Add searches, SEARCH (n,), to the sums; `games` (n,) are their deal numbers."""
    if len(notes) == 0:
        return
    starts = starts_of(notes, rewards)
    theory = expected(starts, rewards)
    found = observed(notes, starts, rewards, theory.on)
    cell = (starts.cards, starts.stage)
    np.add.at(sums["searches"], cell, 1)
    np.add.at(sums["searches_keys"], (starts.stage, np.minimum(starts.keys, MOST_KEYS)), 1)
    parts = {"observed": found.measures, "mean": theory.mean, "variance": theory.variance}
    for name, part in parts.items():
        np.add.at(sums[f"search_{name}"], cell, np.rint(part * FINE).astype(np.int64))
    sums["search_strayed"] += int((~found.followed).sum())
    place = (games % GROUPS, notes["location"].astype(np.int64))
    np.add.at(sums["search_rewards"], place, found.rewards)
    np.add.at(sums["search_count"], place, 1)
