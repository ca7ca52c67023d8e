"""Every legal payment is reached in exactly one way, and no illegal one: checked against all subsets of a hand."""

import itertools
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from abysssim.core.layout import GAME, RACES, VALUES, new
from abysssim.core.payment import add_card, begin_payment, can_pay, cost_change, rank_races
from abysssim.engine.recruit import offer_payments
from abysssim.rules.rulebook import Rulebook, load
from abysssim.vocabulary import Power, Verb

pytestmark = pytest.mark.nojit

Card = tuple[int, int]


@numba.njit
def walk_payments(rulebooks: Any, games: Any, lord: int, found: Any) -> int:
    """Follow every sequence of options to its end; write what was paid; return how many ends there are."""
    rules, game = rulebooks[0], games[0]
    path = np.zeros(64, np.int64)
    counts = np.zeros(64, np.int64)
    ends = 0
    while True:
        begin_payment(game, rules, 0, lord)
        depth = 0
        while True:
            offer_payments(game, rules, 0)
            counts[depth] = game.option_count
            if game.option_count == 0:
                return -1
            option = game.options[path[depth]]
            depth += 1
            if option.verb == Verb.PAY_DONE:
                break
            add_card(game.payment, option.card, option.amount)
        found[ends] = game.payment.paid
        ends += 1
        depth -= 1
        while depth >= 0 and path[depth] + 1 >= counts[depth]:
            path[depth] = 0
            depth -= 1
        if depth < 0:
            return ends
        path[depth] += 1


@numba.njit
def affordable(rulebooks: Any, games: Any, lord: int) -> bool:
    game = games[0]
    rank_races(game, 0)
    any_race = 1 if game.players[0].power_count[Power.ANY_RACES] > 0 else 0
    return can_pay(game, rulebooks[0], game.players[0], lord, cost_change(game, 0), any_race) == 1


def lay_out(hand: list[Card], pearls: int, any_races: bool) -> Any:
    games = new(GAME)
    games[0].seats = 2
    player = games[0].players[0]
    player.pearls = pearls
    player.power_count[Power.ANY_RACES] = int(any_races)
    for race, value in hand:
        player.hand[race, value] += 1
        player.race_count[race] += 1
        player.race_total[race] += value
        player.hand_size += 1
    return games


def is_legal(paid: Counter[Card], cost: int, races: int, demanded: int, pearls: int, overpay: bool) -> bool:
    """The rule, said the slow way: Races, demanded Race, total with Pearls, no superfluous card."""
    used = Counter(race for race, _ in paid.elements())
    total = sum(value for _, value in paid.elements())
    if len(used) != races or (demanded >= 0 and demanded not in used) or total + pearls < cost:
        return False
    surplus = total - cost
    return overpay or not any(used[race] > 1 and value <= surplus for race, value in paid)


def legal_payments(
    hand: list[Card], cost: int, races: int, demanded: int, pearls: int, overpay: bool
) -> set[tuple[Card, ...]]:
    kinds = sorted(Counter(hand).items())
    found = set()
    for numbers in itertools.product(*(range(copies + 1) for _, copies in kinds)):
        paid = Counter({kind: number for (kind, _), number in zip(kinds, numbers, strict=True) if number})
        if paid and is_legal(paid, cost, races, demanded, pearls, overpay):
            found.add(tuple(sorted(paid.elements())))
    return found


def engine_payments(rulebook: Rulebook, games: Any, lord: int) -> list[tuple[Card, ...]]:
    found = np.zeros((20000, RACES, VALUES), np.int64)
    ends = walk_payments(rulebook.record, games, lord, found)
    assert ends >= 0, "a step left no option"
    return [
        tuple(sorted((r, v) for r in range(RACES) for v in range(VALUES) for _ in range(int(paid[r, v]))))
        for paid in found[:ends]
    ]


def random_hand(random: np.random.Generator) -> list[Card]:
    deck = [
        (r, v)
        for r in range(RACES)
        for v, copies in zip(range(1, 6), (4, 3, 3, 2, 1), strict=True)
        for _ in range(copies)
    ]
    if random.random() < 0.3:  # poor hands of doubled low cards are where the window is narrow
        deck = [card for card in deck if card[1] <= 2 and card[0] < 3]
    size = int(random.integers(1, 10))
    return [deck[i] for i in random.choice(len(deck), size=size, replace=False)]


@pytest.mark.parametrize("overpay", [False, True])
def test_payments_are_exactly_the_legal_ones(overpay: bool) -> None:
    rulebook = load(changes={"rulings.allow_overpay": overpay})
    random = np.random.default_rng(20 + overpay)
    affordable_hands = 0
    for _ in range(400):
        hand = random_hand(random)
        pearls = int(random.integers(0, 4))
        any_races = bool(random.random() < 0.2)
        lord = int(random.integers(len(rulebook.lords)))
        card = rulebook.record[0].lords[lord]
        games = lay_out(hand, pearls, any_races)
        demanded = -1 if any_races else int(card.race)
        legal = legal_payments(hand, int(card.cost), int(card.races), demanded, pearls, overpay)
        assert affordable(rulebook.record, games, lord) == bool(legal)
        if legal:
            affordable_hands += 1
            reached = engine_payments(rulebook, games, lord)
            assert len(reached) == len(set(reached))
            assert set(reached) == legal
    assert affordable_hands > 40
