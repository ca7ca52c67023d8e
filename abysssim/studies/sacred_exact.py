"""The exact half of the study of Sacred Places: its question, and the answer as plain tables.

Tables are lists of rows (dicts of text and floats), so that the answer needs no pandas. Sets of values held are text
as ``--held`` takes it: "3,7", and "" for none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from abysssim.studies.loot import (
    NOTHING,
    Held,
    Number,
    Outcome,
    Rule,
    Search,
    Value,
    best_rule,
    outcome,
    solve,
    stop_after,
    stop_at,
)
from abysssim.studies.loot_decks import MOST_STATES, Decks, by_cards_left, count_states, every_deck, searches_in_a_row

NAME = "sacred-places"
#: What rewards might be worth in IP, for comparison where nobody says: a Key, two Pearls, a Monster token, an Ally. All
#: are guesses but that of the Monster token, which is the mean of all tokens.
EXAMPLE_WORTHS: Mapping[int, Number] = {3: Fraction(3), 4: Fraction(2), 5: Fraction(53, 20), 6: Fraction(3, 2)}
#: Searches in a row from one deck that are followed.
IN_A_ROW = 6

Row = dict[str, Any]


def set_name(held: Held | tuple[int, ...]) -> str:
    """Return values held as text: "3,7"."""
    return ",".join(map(str, sorted(held)))


@dataclass(frozen=True)
class Answer:
    """Best play in one search from the values held at `start`, and the value of every state."""

    search: Search
    start: Held
    values: Mapping[Held, Value]
    outcome: Outcome

    @property
    def here(self) -> Value:
        """The value of the state that was asked about."""
        return self.values[self.start]

    def goes_on(self, held: Held) -> bool:
        """Tell whether best play draws another card: with nothing held it must."""
        return sum(self.search.left(held).values()) > 0 and (not held or self.values[held].gain > 0)


def answer(search: Search, start: Held = NOTHING) -> Answer:
    """Return best play in a search; InputError for values at `start` that the deck does not have."""
    start = search.check_held(start)
    return Answer(search, start, solve(search), outcome(search, best_rule(search), start))


def example_worths(deck: Mapping[int, int]) -> dict[int, Number]:
    """Return EXAMPLE_WORTHS of those values that a deck has."""
    return {value: worth for value, worth in EXAMPLE_WORTHS.items() if value in deck}


# --- The answer as tables ------------------------------------------------------------------------------------------


def summary(given: Answer) -> Row:
    """Return the headline numbers: expected IP, bust, draws, and what each reward was taken to be worth."""
    result = given.outcome
    return {
        "rewards": {str(value): float(worth) for value, worth in given.search.worths.items()},
        **_numbers(result),
        "expected_drawn": {str(value): float(result.expected_drawn(value)) for value in given.search.values},
    }


def fractions(given: Answer) -> dict[str, str]:
    """Return the headline numbers as fractions; empty where a worth is a float."""
    result = given.outcome
    found = {
        "expected_value": result.expected_value,
        "bust_probability": result.bust,
        "expected_draws": result.expected_draws,
    }
    return {} if any(isinstance(value, float) for value in found.values()) else {k: str(v) for k, v in found.items()}


def stop_rule(given: Answer) -> Row:
    """Return the optimal rule: in words, and which sets of values to search on with and to stop with."""
    sets = [held for held in given.values if held]
    return {
        "words": RULE,
        "search": [set_name(held) for held in sets if given.goes_on(held)],
        "stop": [set_name(held) for held in sets if not given.goes_on(held)],
    }


RULE = (
    "Add up, over the Loot left in the deck, value plus reward for every card you do not hold, and value less reward "
    "for every card that equals one you hold. Search on while the first sum is the greater."
)


def tables(given: Answer) -> dict[str, list[Row]]:
    """Return all tables of one answer; the last two are empty for a deck with too many states to lay out."""
    decks = every_deck(given.search) if count_states(given.search.deck) <= MOST_STATES else None
    return {
        "held": held_table(given),
        "values": value_table(given),
        "distribution": distribution_table(given.outcome),
        "rules": rule_table(given),
        "cards_left": cards_left_table(decks) if decks else [],
        "searches": searches_table(decks) if decks else [],
    }


def held_table(given: Answer) -> list[Row]:
    """Return a row for every set of values that can be held, with the gain of searching on and the advice."""
    return [held_row(given, held) for held in given.values]


def held_row(given: Answer, held: Held) -> Row:
    """Return what there is to say about one set of values held."""
    value, left = given.values[held], given.search.left(held)
    cards, twins = sum(left.values()), sum(left[one] for one in held)
    return {
        "held": set_name(held),
        "loot": len(held),
        "points": value.stop,
        "cards_left": cards,
        "twins_left": twins,
        "duplicate_chance": twins / cards if cards else 0.0,
        "stop": float(value.stop),
        "search": float(value.search),
        "gain": float(value.gain),
        "gain_of_one": float(value.once),
        "advice": "search" if given.goes_on(held) else "stop",
    }


def value_table(given: Answer) -> list[Row]:
    """Return a row for every value of Loot: what its reward is worth, how many are drawn, how often one is kept."""
    result = given.outcome
    return [
        {
            "value": value,
            "copies": copies,
            "reward": float(given.search.worths[value]),
            "drawn": float(result.expected_drawn(value)),
            "kept_chance": float(result.kept(value)),
            "bust_chance": float(result.busted_by(value)),
        }
        for value, copies in given.search.deck.items()
    ]


def distribution_table(result: Outcome) -> list[Row]:
    """Return the chances of Loot IP, reward IP, both together, and the number of cards drawn."""
    parts = {
        "loot": result.loot_of, "rewards": result.rewards_of, "payoff": result.payoff_of, "draws": result.draws_of
    }  # fmt: skip
    rows = []
    for name, what in parts.items():
        at_least = Fraction(1)
        for amount, chance in result.distribution(what).items():
            rows.append(
                {"of": name, "amount": float(amount), "chance": float(chance), "chance_at_least": float(at_least)}
            )
            at_least -= chance
    return rows


def simple_rules(search: Search) -> dict[str, Rule]:
    """Return best play and the rules that it is compared with, by name."""
    values = [value for value, copies in search.deck.items() if copies]
    alone = best_rule(Search(search.deck))
    rules = {"best play": best_rule(search), "best play for Loot alone": alone}
    rules |= {f"stop after {count} Loot": stop_after(count) for count in range(1, len(values) + 1)}
    return rules | {f"stop at {points} IP": stop_at(points) for points in range(min(values), sum(values) + 1)}


def rule_table(given: Answer) -> list[Row]:
    """Return a row for best play and for each simple rule, from the values held at the start."""
    return [
        {"rule": name, **_numbers(outcome(given.search, rule, given.start))}
        for name, rule in simple_rules(given.search).items()
    ]


def _numbers(result: Outcome) -> Row:
    return {
        "expected_value": float(result.expected_value),
        "expected_loot": float(result.expected_loot),
        "expected_rewards": float(result.expected_rewards),
        "bust_probability": float(result.bust),
        "expected_draws": float(result.expected_draws),
    }


def cards_left_table(decks: Decks) -> list[Row]:
    """Return a row for every number of cards left: what a whole search is worth, and the decks worth least and most."""
    return [
        {
            "cards": one.cards,
            "mean": one.mean,
            "worst": one.worst,
            "worst_deck": deck_name(one.worst_deck),
            "best": one.best,
            "best_deck": deck_name(one.best_deck),
        }
        for one in by_cards_left(decks)
    ]


def deck_name(deck: Mapping[int, Number]) -> str:
    """Return copies, or worths, by value as text: "3=3,4=4"."""
    return ",".join(f"{value}={float(count):g}" for value, count in deck.items())


def searches_table(decks: Decks) -> list[Row]:
    """Return a row for the first, the second ... search from one deck, all by best play."""
    return [
        {
            "search": one.number,
            "cards_before": one.cards,
            "expected_value": one.expected_value,
            "bust_probability": one.bust,
            "expected_draws": one.draws,
        }
        for one in searches_in_a_row(decks, IN_A_ROW)
    ]


def as_json(asked: Answer, alone: Answer, rewarded: Answer) -> Row:
    """Return the whole answer as JSON can hold it: that which was asked, and the headline numbers of both settings."""
    return {
        "study": NAME,
        "exact": True,
        "deck": {str(value): copies for value, copies in asked.search.deck.items()},
        "held": sorted(asked.start),
        **summary(asked),
        "fractions": fractions(asked),
        "stop_rule": stop_rule(asked),
        "position": held_row(asked, asked.start),
        "loot_alone": summary(alone),
        "with_rewards": summary(rewarded),
        "tables": tables(asked),
    }
