"""One search of a Sacred Place, exactly: an optimal-stopping problem over the Loot left and the values held.

A search draws Loot one by one. A card of value v gives its reward at once, worth w(v) IP. If v is held already, both
equal cards are lost and the search is over, though rewards are kept; else v is held and its owner may stop or search
on. At the end each Loot held scores its value. An empty deck ends the search, and the first card is not optional.

A search holds each value at most once and a duplicate ends it, so what is left in the deck follows from the deck at
the start and the values held: one search from one deck has 2**(number of values) states. For the same reason one worth
a value is enough, even where a worth depends on what the seat owns (the third Key helps less than the first): call
again with the worths of that seat. Only the second of two equal rewards, which comes with the bust, could differ.

Everything is computed in the numbers that are given: Fractions stay exact, floats are floats. `loot_decks` does the
same for every depleted deck at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import isfinite
from typing import NamedTuple

from abysssim.core.layout import LOOT_VALUES, MAX_LOOT
from abysssim.errors import InputError

Number = Fraction | float
Held = frozenset[int]
Left = Mapping[int, int]
#: Tells whether to search on, from the values held and the copies of each value left in the deck.
Rule = Callable[[Held, Left], bool]

#: The Loot deck as printed: copies of each value.
FRESH: Mapping[int, int] = {3: 3, 4: 4, 5: 5, 6: 6, 7: 7}
NOTHING: Held = frozenset()


# --- The problem ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Search:
    """A search that begins with a given deck, and what each reward is worth.

    deck : copies of each value in the deck before the first card, {value: copies}
    worths : IP that the reward of a value is worth, {value: IP}; 0 where it is left out

    Raises InputError for a value or a number of copies that no deck has, and for a worth that is no number, is below
    minus its value, or belongs to a value that the deck does not know. (Below -v a new Loot would cost IP, and looking
    one step ahead would no longer be enough.)
    """

    deck: Mapping[int, int] = field(default_factory=lambda: FRESH)
    worths: Mapping[int, Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check deck and worths, sort them by value, and fill in the worths that were left out."""
        _check_deck(self.deck)
        _check_worths(self.worths, self.deck)
        object.__setattr__(self, "deck", dict(sorted(self.deck.items())))
        object.__setattr__(self, "worths", {value: self.worths.get(value, Fraction(0)) for value in self.deck})

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the Loot, in ascending order."""
        return tuple(self.deck)

    def left(self, held: Held) -> dict[int, int]:
        """Return the copies of each value left in the deck when these values have been drawn, and no duplicate."""
        return {value: copies - (value in held) for value, copies in self.deck.items()}

    def states(self, start: Held = NOTHING) -> Iterator[Held]:
        """Yield the sets of values that a search can hold from `start` on, smaller ones first, then by their sum."""
        free = [value for value, copies in self.deck.items() if copies and value not in start]
        for size in range(len(free) + 1):
            for added in sorted(combinations(free, size), key=lambda some: (sum(some), some)):
                yield start | set(added)

    def check_held(self, held: Iterable[int]) -> Held:
        """Return values as a set; InputError if one of them is given twice or not in the deck."""
        values = list(held)
        for value in values:
            if not self.deck.get(value):
                known = ", ".join(str(one) for one, copies in self.deck.items() if copies)
                raise InputError(f"held has a Loot of value {value}, but the deck has values {known} only")
            if values.count(value) > 1:
                raise InputError(f"held has value {value} twice, but a duplicate is lost and ends the search")
        return frozenset(values)


def _check_deck(deck: Mapping[int, int]) -> None:
    for value, copies in deck.items():
        if not isinstance(value, int) or not 0 <= value < LOOT_VALUES:
            raise InputError(f"deck has a Loot of value {value!r}; values are whole, from 0 to {LOOT_VALUES - 1}")
        if not isinstance(copies, int) or not 0 <= copies <= MAX_LOOT:
            raise InputError(f"deck has {copies!r} Loot of value {value}; copies are whole, from 0 to {MAX_LOOT}")
    if not 1 <= sum(deck.values()) <= MAX_LOOT:
        raise InputError(f"deck has {sum(deck.values())} Loot; it must have 1 to {MAX_LOOT}")


def _check_worths(worths: Mapping[int, Number], deck: Mapping[int, int]) -> None:
    for value, worth in worths.items():
        if value not in deck:
            known = ", ".join(map(str, sorted(deck)))
            raise InputError(f"rewards name a Loot of value {value}, which the deck does not have; it has {known}")
        if not isfinite(worth) or worth < -value:
            raise InputError(f"rewards give {worth} IP for value {value}; a worth is a number of at least {-value}")


# --- Values and the best rule --------------------------------------------------------------------------------------


class Value(NamedTuple):
    """What a state is worth from here on, in IP; rewards drawn before do not count.

    stop : IP of the Loot held. search : expected IP of drawing one more card and playing best after it. once : expected
    gain of drawing exactly one more card. With an empty deck `search` equals `stop` and `once` is 0.
    """

    stop: int
    search: Number
    once: Number

    @property
    def gain(self) -> Number:
        """How much better it is to search on than to stop; negative where stopping is right."""
        return self.search - self.stop


def gain_of_one(held: Held, left: Left, worths: Mapping[int, Number]) -> Number:
    """Return the expected gain in IP of drawing one more card and stopping; 0 with an empty deck.

    A new value v adds v + w(v); a duplicate of v loses the one held and adds w(v).
    """
    cards = sum(left.values())
    total: Number = Fraction(0)
    for value, copies in left.items():
        total = total + copies * (worths[value] - value if value in held else worths[value] + value)
    return total / cards if cards else Fraction(0)


def solve(search: Search) -> dict[Held, Value]:
    """Return the value of every set of values that the search can hold, by dynamic programming.

    The largest sets come first in the recursion: nothing is worth more than what it can still become. With nothing
    held a card must be drawn, so `search` is the expected value of a whole search under best play.
    """
    best: dict[Held, Number] = {}
    found: dict[Held, Value] = {}
    for held in reversed(list(search.states())):
        stop, left = sum(held), search.left(held)
        cards = sum(left.values())
        go: Number = Fraction(0) if cards else Fraction(stop)
        for value, copies in left.items():
            if copies:
                after = stop - value if value in held else best[held | {value}]
                go = go + Fraction(copies, cards) * (search.worths[value] + after)
        found[held] = Value(stop, go, gain_of_one(held, left, search.worths))
        best[held] = max(go, stop) if held else go
    return dict(reversed(found.items()))


# --- Rules ---------------------------------------------------------------------------------------------------------


def best_rule(search: Search) -> Rule:
    """Return the rule with the highest expected IP for this search, by dynamic programming; it stops on a tie."""
    values = solve(search)
    return lambda held, left: values[held].gain > 0


def one_step_rule(worths: Mapping[int, Number]) -> Rule:
    """Return the rule that searches on if one more card, and then stopping, gains IP on average.

    It is optimal with worths of at least -v, whatever the deck: drawing u takes c(u)(u + w(u)) out of the sum of gains
    and puts (c(u) - 1)(w(u) - u) in, which lowers it by (2c(u) - 1)u + w(u) >= 0. Once searching on is wrong it stays
    wrong, and in such monotone problems looking one step ahead is enough (Ferguson, Optimal Stopping and Applications,
    chapter 5). `worths` must name every value of the deck.
    """
    return lambda held, left: gain_of_one(held, left, worths) > 0


def stop_after(cards: int) -> Rule:
    """Return the rule that stops as soon as so many different Loot are held."""
    return lambda held, left: len(held) < cards


def stop_at(points: int) -> Rule:
    """Return the rule that stops as soon as the Loot held are worth so many IP."""
    return lambda held, left: sum(held) < points


# --- What a rule leads to ------------------------------------------------------------------------------------------


class End(NamedTuple):
    """How a search can end: the values held (before any loss), and the value of the duplicate, if it ended it."""

    held: Held
    duplicate: int | None


@dataclass(frozen=True)
class Outcome:
    """What becomes of a search under a rule.

    search : the deck and the worths. start : the values held when it is looked at; only what is drawn after counts for
    rewards and draws. ends : the chance of each end; order of drawing does not matter, so these are all.
    """

    search: Search
    start: Held
    ends: Mapping[End, Fraction]

    def loot_of(self, end: End) -> int:
        """Return the IP of the Loot kept."""
        return sum(end.held) - (end.duplicate or 0)

    def rewards_of(self, end: End) -> Number:
        """Return the IP that the rewards drawn since `start` are worth."""
        worths = self.search.worths
        total = sum((worths[value] for value in end.held - self.start), Fraction(0))
        return total if end.duplicate is None else total + worths[end.duplicate]

    def draws_of(self, end: End) -> int:
        """Return how many cards were drawn since `start`."""
        return len(end.held - self.start) + (end.duplicate is not None)

    def left_of(self, end: End) -> dict[int, int]:
        """Return the copies of each value left in the deck."""
        return {value: n - (value == end.duplicate) for value, n in self.search.left(end.held).items()}

    def mean(self, what: Callable[[End], Number]) -> Number:
        """Return the expectation of a function of the end."""
        return sum((chance * what(end) for end, chance in self.ends.items()), Fraction(0))

    def distribution(self, what: Callable[[End], Number]) -> dict[Number, Fraction]:
        """Return the chance of each value that a function of the end can take, in ascending order."""
        chances: dict[Number, Fraction] = {}
        for end, chance in self.ends.items():
            chances[what(end)] = chances.get(what(end), Fraction(0)) + chance
        return dict(sorted(chances.items()))

    def payoff_of(self, end: End) -> Number:
        """Return the IP of the Loot kept and of the rewards drawn since `start`."""
        return self.loot_of(end) + self.rewards_of(end)

    @cached_property
    def expected_value(self) -> Number:
        """Expected IP, of Loot and rewards together."""
        return self.mean(self.payoff_of)

    @property
    def expected_loot(self) -> Number:
        """Expected IP of the Loot kept."""
        return self.mean(self.loot_of)

    @property
    def expected_rewards(self) -> Number:
        """Expected IP of the rewards drawn since `start`."""
        return self.mean(self.rewards_of)

    @property
    def bust(self) -> Number:
        """The chance that a duplicate ends the search."""
        return self.mean(lambda end: end.duplicate is not None)

    @property
    def expected_draws(self) -> Number:
        """Expected number of cards drawn since `start`."""
        return self.mean(self.draws_of)

    def expected_drawn(self, value: int) -> Number:
        """Return the expected number of cards of a value drawn since `start`: the slope of the IP in its worth."""
        return self.mean(lambda end: (value in end.held - self.start) + (value == end.duplicate))

    def kept(self, value: int) -> Number:
        """Return the chance that a search ends with a Loot of this value."""
        return self.mean(lambda end: value in end.held and value != end.duplicate)

    def busted_by(self, value: int) -> Number:
        """Return the chance that a duplicate of this value ends the search."""
        return self.mean(lambda end: value == end.duplicate)


def outcome(search: Search, rule: Rule, start: Iterable[int] = NOTHING) -> Outcome:
    """Return what becomes of a search under a rule, from the values held at `start`.

    The rule is asked after every card that is no duplicate while Loot is left, and at `start` if anything is held.
    Raises InputError for values at `start` that the deck does not have.
    """
    first = search.check_held(start)
    reached: dict[Held, Fraction] = {first: Fraction(1)}
    ends: dict[End, Fraction] = {}
    for held in search.states(first):
        chance = reached.get(held)
        if not chance:
            continue
        left = search.left(held)
        cards = sum(left.values())
        if not cards or (held and not rule(held, left)):
            ends[End(held, None)] = chance
            continue
        for value, copies in left.items():
            part = chance * Fraction(copies, cards)
            if value in held and copies:
                ends[End(held, value)] = part
            elif copies:
                after = held | {value}
                reached[after] = reached.get(after, Fraction(0)) + part
    return Outcome(search, first, ends)
