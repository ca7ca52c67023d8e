"""Searches of a Sacred Place played by the engine, and how far they agree with the exact answer.

One search begins with a whole Loot deck in the engine's own order for its number. A policy of the weighted family whose
worths of rewards are the given ones decides when to stop. Searches do not depend on each other, so standard errors are
exact standard deviations over the root of their number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.layout import DESK, GAME, LOOT_VALUES, new
from abysssim.errors import InputError
from abysssim.policies.presets import Policy, load_policy, policy_records
from abysssim.policies.weights import PHASES, SCALE
from abysssim.rules.rulebook import Rulebook, load
from abysssim.simulate import Chunk, Piece, Progress, run_chunks
from abysssim.studies import search_kernel
from abysssim.studies.loot import End, Number, Outcome, Rule, Search, gain_of_one, outcome
from abysssim.studies.sacred_exact import Row

#: Searches in a chunk: some 100 ms.
CHUNK = 1 << 15
#: Estimates so many standard errors from the exact value or further do not pass. One that is right is so far away once
#: in 15,800 times; all of a run together (some 25 of them) once in 600 runs or less.
PASSES = 4.0
FALSE_ALARM = "6.3e-5 for each number that is compared, if the simulation is right"
SEATS = 2
#: Names of the weights that a kind of reward is worth to the policy, without the phase.
WEIGHTS = {
    "keys": ("key_0", "key_1", "key_2"), "pearls": ("pearl",), "monster_tokens": ("token",), "allies": ("ally",)
}  # fmt: skip

_kernel: Any = search_kernel  # its types are numba's


@dataclass(frozen=True, eq=False)
class Plan:
    """What is simulated: the deck and worths asked about, rules with that deck, and a policy with those worths.

    weighed : the worths as the policy has them, in whole 1024ths of an IP for each thing given
    """

    search: Search
    rulebook: Rulebook
    policy: Policy
    weighed: Mapping[int, Fraction]
    seed: int

    @property
    def rule(self) -> Rule:
        """When the policy searches on: one card more gains IP on average, or nothing."""
        return lambda held, left: gain_of_one(held, left, self.weighed) >= 0

    @property
    def exact(self) -> Outcome:
        """What the policy's rule leads to, exactly."""
        return outcome(self.search, self.rule)


def plan(search: Search, seed: int = 0) -> Plan:
    """Return how a search is simulated.

    Raises
    ------
    InputError
        For a worth that the rewards of the rules cannot have: of a value without a reward, or different worths of the
        same thing.
    """
    rulebook = load(expansions=("kraken",))
    rules = rulebook.record[0]
    amounts: dict[str, Fraction] = {}
    weighed: dict[int, Fraction] = {}
    for value, worth in search.worths.items():
        given = {name: int(rules.loot_rewards[value][name]) for name in WEIGHTS}
        names = [name for name, amount in given.items() if amount]
        if not names and worth:
            raise InputError(f"--rewards gives {float(worth):g} IP for value {value}, which has no reward to simulate")
        if not names:
            weighed[value] = Fraction(0)
            continue
        each = Fraction(round(Fraction(worth) / given[names[0]] * SCALE), SCALE)
        if len(names) > 1 or amounts.setdefault(names[0], each) != each:
            raise InputError(f"--rewards: value {value} cannot be simulated: its reward is part of another value's")
        weighed[value] = each * given[names[0]]
    weights = {
        f"loot_{kind}_{phase}": float(amounts.get(name, Fraction(0)))
        for name, kinds in WEIGHTS.items()
        for kind in kinds
        for phase in PHASES
    }
    base = load_policy("balanced")
    policy = replace(base, name="searcher", noise=0.0, weights={**base.weights, **weights})
    return Plan(search, rulebook, policy, weighed, seed)


@dataclass(frozen=True, eq=False)
class Table:
    """Scratch records of a worker."""

    rules: Any
    desks: Any
    starts: Any
    games: Any


@dataclass(frozen=True, eq=False)
class Player:
    """Plays chunks of searches of a plan: a block is a search."""

    plan: Plan

    @property
    def location(self) -> int:
        """The Sacred Place that is searched: the first of the rules."""
        return int(np.flatnonzero(self.plan.rulebook.record[0].locations["sacred"])[0])

    def scratch(self) -> Table:
        """Return new records, with the game laid out in which searches are played."""
        rules = self.plan.rulebook.record.copy()
        rules[0].loot_copies[:] = [self.plan.search.deck.get(value, 0) for value in range(LOOT_VALUES)]
        table = Table(rules, new(DESK), new(GAME), new(GAME))
        table.desks[0].policies[:1] = policy_records([self.plan.policy])
        seed = np.array([self.plan.seed & 0xFFFFFFFF, self.plan.seed >> 32], dtype=np.int64)
        _kernel.lay_out(table.rules, table.desks, table.starts, SEATS, seed)
        return table

    def play(self, chunk: Chunk, table: Table) -> Piece:
        """Return how the searches of a chunk ended, as the kernel counts them."""
        ends = np.zeros((1 << LOOT_VALUES, LOOT_VALUES + 1), np.int64)
        _kernel.play_searches(
            table.rules, table.desks, table.starts, table.games, chunk.first, chunk.stop, self.location, ends
        )
        return Piece({"ends": ends})


@dataclass(frozen=True, eq=False)
class Simulation:
    """What searches came to: `plan`, their number, and how often each end came."""

    plan: Plan
    searches: int
    ends: Mapping[End, int]
    seconds: float

    def mean(self, what: Callable[[End], Number]) -> float:
        """Return the mean of a function of the end over the searches played."""
        return float(sum((Fraction(n) * Fraction(what(end)) for end, n in self.ends.items()), Fraction(0))) / max(
            self.searches, 1
        )


def simulate(
    asked: Search,
    searches: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int], Progress] | None = None,
) -> Simulation:
    """Play searches by the engine's code.

    Parameters
    ----------
    searches : how many, at least 1
    seed : of the orders of the Loot deck, 0 to 2**64 - 1
    progress : makes what is told of the searches played, from their number

    Raises
    ------
    InputError
        As `plan`.
    KeyboardInterrupt
        After Ctrl-C.
    """
    player = Player(plan(asked, seed))
    player.play(Chunk(0, 1), player.scratch())  # compile, before workers do
    state = run_chunks(
        player.play,
        player.scratch,
        searches,
        chunk_blocks=CHUNK,
        jobs=jobs,
        progress=progress(searches) if progress else None,
    )
    return Simulation(player.plan, searches, _ends(state.sums["ends"]), state.seconds)


def _ends(counts: NDArray[np.int64]) -> dict[End, int]:
    found = {}
    for held, duplicate in np.argwhere(counts > 0):
        values = frozenset(value for value in range(LOOT_VALUES) if int(held) >> value & 1)
        found[End(values, int(duplicate) - 1 if duplicate else None)] = int(counts[held, duplicate])
    return found


# --- The comparison ------------------------------------------------------------------------------------------------


def compared(run: Simulation) -> list[Row]:
    """Return a row for each number that has an exact value: simulated, exact, standard error, difference in it.

    left: of each value, the share of the cards left when a search ends (theory: as in the whole deck, whatever the
    rule); not there for a deck that a search can empty. drawn: cards of each value drawn; theory: the slope of the best
    expected IP in the worth of that value's reward.
    """
    exact, values = run.plan.exact, run.plan.search.values
    whats: dict[str, Callable[[End], Number]] = {
        "expected_value": exact.payoff_of,
        "expected_loot": exact.loot_of,
        "expected_rewards": exact.rewards_of,
        "bust_probability": lambda end: end.duplicate is not None,
        "expected_draws": exact.draws_of,
    }
    rows = [_row(run, name, what, exact.mean(what)) for name, what in whats.items()]
    deck = run.plan.search.deck
    if all(sum(exact.left_of(end).values()) for end in exact.ends):
        for value in values:
            rows.append(_row(run, f"left_{value}", _left(exact, value), Fraction(deck[value], sum(deck.values()))))
    for value in values:
        rows.append(_row(run, f"drawn_{value}", _drawn(value), exact.expected_drawn(value), slope(run.plan, value)))
    return rows


def _left(exact: Outcome, value: int) -> Callable[[End], Number]:
    def share(end: End) -> Number:
        left = exact.left_of(end)
        return Fraction(left[value], sum(left.values()))

    return share


def _drawn(value: int) -> Callable[[End], Number]:
    return lambda end: (value in end.held) + (value == end.duplicate)


def slope(plan: Plan, value: int) -> float:
    """Return by how much the rule's expected IP rises with each IP that a reward is worth more: a difference quotient.

    The rule stays as it is; for the best rule that is the slope of the best expected IP as well.
    """
    step = Fraction(1, 100)
    more = {**plan.search.worths, value: plan.search.worths[value] + step}
    raised = outcome(Search(plan.search.deck, more), plan.rule)
    return float((raised.expected_value - plan.exact.expected_value) / step)


def _row(run: Simulation, name: str, what: Callable[[End], Number], exact: Number, theory: Number | None = None) -> Row:
    """Return one comparison; `theory` is what the exact mean should be by an identity, if there is one."""
    mean, square = run.plan.exact.mean(what), run.plan.exact.mean(lambda end: Fraction(what(end)) ** 2)
    error = sqrt(max(float(square - mean**2), 0.0) / run.searches)
    against = float(exact if theory is None else theory)
    simulated = run.mean(what)
    apart = simulated - against
    # Where nothing can vary, nothing may differ but by rounding.
    z = apart / error if error > 0 else 0.0 if abs(apart) < 1e-9 else float("inf")
    return {
        "quantity": name,
        "simulated": simulated,
        "exact": against,
        "standard_error": error,
        "difference": apart,
        "standard_errors": z,
        "passes": abs(z) <= PASSES,
    }


def distribution(run: Simulation) -> list[Row]:
    """Return a row for each amount of loot, rewards, payoff and draws: its simulated and its exact chance."""
    exact = run.plan.exact
    parts: dict[str, Callable[[End], Number]] = {
        "loot": exact.loot_of, "rewards": exact.rewards_of, "payoff": exact.payoff_of, "draws": exact.draws_of
    }  # fmt: skip
    rows = []
    for name, what in parts.items():
        counts: dict[Number, int] = {}
        for end, count in run.ends.items():
            counts[what(end)] = counts.get(what(end), 0) + count
        chances = exact.distribution(what)
        for amount in sorted({*counts, *chances}):
            chance = float(chances.get(amount, Fraction(0)))
            share = counts.get(amount, 0) / run.searches
            error = sqrt(chance * (1 - chance) / run.searches)
            row = {"of": name, "amount": float(amount), "chance": share, "exact": chance, "standard_error": error}
            rows.append(row)
    return rows


def chi_square(run: Simulation) -> Row:
    """Return the chi-square test that all ends come as often as they should: ends expected under five times are one."""
    from scipy.stats import chi2

    expected = {end: float(chance) * run.searches for end, chance in run.plan.exact.ends.items()}
    rare = [end for end, count in expected.items() if count < 5]
    cells = [(run.ends.get(end, 0), count) for end, count in expected.items() if count >= 5]
    if rare:
        cells.append((sum(run.ends.get(end, 0) for end in rare), sum(expected[end] for end in rare)))
    impossible = sum(count for end, count in run.ends.items() if end not in expected)
    statistic = sum((seen - count) ** 2 / count for seen, count in cells if count > 0)
    freedom = max(len(cells) - 1, 1)
    return {
        "statistic": statistic,
        "degrees_of_freedom": freedom,
        "p_value": float(chi2.sf(statistic, freedom)),
        "impossible_ends": impossible,
    }


def as_json(run: Simulation) -> Row:
    """Return the simulated numbers under the keys of the exact answer, and the comparison."""
    rows = compared(run)
    by_name = {row["quantity"]: row["simulated"] for row in rows}
    agreement = chi_square(run)
    keys = ("expected_value", "expected_loot", "expected_rewards", "bust_probability", "expected_draws")
    return {
        **{key: by_name[key] for key in keys},
        "expected_drawn": {str(value): by_name[f"drawn_{value}"] for value in run.plan.search.values},
        "simulated": {
            "searches": run.searches,
            "seed": run.plan.seed,
            "seconds": round(run.seconds, 3),
            "searches_per_second": round(run.searches / run.seconds) if run.seconds > 0 else None,
            "passes_within": PASSES,
            "false_alarm": FALSE_ALARM,
            "passes": all(row["passes"] for row in rows) and agreement["impossible_ends"] == 0,
            "comparison": rows,
            "chi_square": agreement,
            "distribution": distribution(run),
        },
    }
