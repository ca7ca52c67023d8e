"""Every legal payment is reached in exactly one way, and no illegal one: checked against all subsets of a hand."""

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

from abysssim.core.jit import is_compiled
from abysssim.core.kraken_payment import begin_kraken_payment, can_pay_with_krakens
from abysssim.core.layout import GAME, KINDS, KRAKEN, RACES, VALUES, new
from abysssim.core.payment import add_card, begin_payment, can_pay, cost_change, purse_of, rank_races
from abysssim.engine.recruit import offer_kraken_payments, offer_payments
from abysssim.rules.rulebook import Rulebook, load
from abysssim.vocabulary import Power, Verb

pytestmark = pytest.mark.nojit

Card = tuple[int, int]
KRAKENS = (2, 2, 3, 3, 3, 4, 4)  # as printed
HANDS = 400 if is_compiled() else 40  # plain Python is a hundred times slower


@dataclass(frozen=True)
class Buyer:
    """A seat that would recruit a Lord, and what weighs on the price."""

    hand: list[Card]
    pearls: int = 0
    nebulis: int = 0
    outlaw: bool = False
    any_races: bool = False
    change: int = 0  # of all costs


@dataclass(frozen=True)
class Price:
    """What a Lord demands of a seat, and what the seat can add to its Allies."""

    cost: int
    races: int
    demanded: int  # a Race, -1 for none
    purse: int
    overpay: bool


@numba.njit
def walk_payments(rulebooks: Any, games: Any, lord: int, found: Any) -> int:
    """Follow every sequence of options to its end; write what was paid; return how many ends there are."""
    rules, game = rulebooks[0], games[0]
    krakens = game.players[0].race_count[KRAKEN] > 0
    path = np.zeros(64, np.int64)
    counts = np.zeros(64, np.int64)
    ends = 0
    while True:
        begin_payment(game, rules, 0, lord)
        if krakens:
            begin_kraken_payment(game, game.players[0])
        depth = 0
        while True:
            if krakens:
                offer_kraken_payments(game, rules, 0)
            else:
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
    rules, game = rulebooks[0], games[0]
    player = game.players[0]
    rank_races(game, 0)
    any_race = 1 if player.power_count[Power.ANY_RACES] > 0 else 0
    change, purse = cost_change(game, 0), purse_of(rules, player)
    if player.race_count[KRAKEN] > 0:
        return can_pay_with_krakens(game, rules, player, lord, change, any_race, purse) == 1
    return can_pay(game, rules, player, lord, change, any_race, purse) == 1


def lay_out(buyer: Buyer) -> Any:
    games = new(GAME)
    games[0].seats = 2
    player = games[0].players[0]
    player.pearls = buyer.pearls
    player.nebulis = buyer.nebulis
    player.power_count[Power.ANY_RACES] = int(buyer.any_races)
    player.power_amount[Power.NEBULIS_PER_PAYMENT] = 2 if buyer.outlaw else 0
    player.power_amount[Power.LOWER_OWN_COSTS] = max(-buyer.change, 0)
    games[0].power_amount[Power.RAISE_OPPONENT_COSTS] = max(buyer.change, 0)
    for race, value in buyer.hand:
        player.hand[race, value] += 1
        player.race_count[race] += 1
        player.race_total[race] += value
        player.hand_size += 1
    return games


def price_for(buyer: Buyer, rulebook: Rulebook, lord: int, overpay: bool) -> Price:
    card = rulebook.record[0].lords[lord]
    dirty = min(buyer.nebulis, 2 if buyer.outlaw else 1) if rulebook.expansions else 0
    return Price(
        cost=int(card.cost) + buyer.change,
        races=int(card.races),
        demanded=-1 if buyer.any_races else int(card.race),
        purse=buyer.pearls + dirty,
        overpay=overpay,
    )


def is_enough(paid: Counter[Card], price: Price) -> bool:
    """The rule, said the slow way: number of Races, demanded Race, total with what the purse can add."""
    races = {race for race, _ in paid if race != KRAKEN}
    krakens = sum(number for (race, _), number in paid.items() if race == KRAKEN)
    if not len(races) <= price.races <= len(races) + krakens:
        return False
    if price.demanded >= 0 and price.demanded not in races and len(races) == price.races:
        return False  # with fewer Races than shown some Kraken stands for the one demanded
    return sum(value for _, value in paid.elements()) + price.purse >= price.cost


def has_superfluous_card(paid: Counter[Card], price: Price) -> bool:
    """Tell whether an Ally, never a Kraken, could be left out: its Race is paid by another Ally as well."""
    used = Counter(race for race, _ in paid.elements())
    surplus = sum(value for _, value in paid.elements()) - price.cost
    return any(race != KRAKEN and used[race] > 1 and value <= surplus for race, value in paid)


def legal_payments(hand: list[Card], price: Price, seen: Counter[str]) -> set[tuple[Card, ...]]:
    """Return the legal ones of all choices of cards; note in `seen` which parts of the rule have told."""
    kinds = sorted(Counter(hand).items())
    found = set()
    for numbers in itertools.product(*(range(copies + 1) for _, copies in kinds)):
        paid = Counter({kind: number for (kind, _), number in zip(kinds, numbers, strict=True) if number})
        if not paid or not is_enough(paid, price):
            continue
        if not price.overpay and has_superfluous_card(paid, price):
            seen["superfluous"] += 1
            continue
        found.add(tuple(sorted(paid.elements())))
        races = {race for race, _ in paid if race != KRAKEN}
        krakens = sum(paid[KRAKEN, value] for value in range(VALUES))
        seen["demanded by a Kraken"] += price.demanded >= 0 and price.demanded not in races
        seen["more Krakens than Races missing"] += krakens > price.races - len(races)
        seen["Krakens alone"] += not races
        seen["Nebulis needed"] += sum(value for _, value in paid.elements()) + price.purse == price.cost
    return found


def engine_payments(rulebook: Rulebook, games: Any, lord: int) -> list[tuple[Card, ...]]:
    found = np.zeros((20000, KINDS, VALUES), np.int64)
    ends = walk_payments(rulebook.record, games, lord, found)
    assert ends >= 0, "a step left no option"
    return [
        tuple(sorted((r, v) for r in range(KINDS) for v in range(VALUES) for _ in range(int(paid[r, v]))))
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


def random_krakens(random: np.random.Generator) -> list[Card]:
    """Return up to four Krakens: printed ones mostly, sometimes of any value that rules can have."""
    deck = KRAKENS if random.random() < 0.8 else (1, 1, 2, 3, 4, 5, 5)
    size = int(random.integers(0, 5))
    return [(KRAKEN, deck[i]) for i in random.choice(len(deck), size=size, replace=False)]


def random_buyer(random: np.random.Generator, kraken: bool) -> Buyer:
    hand = random_hand(random)
    pearls = int(random.integers(0, 4))
    any_races = bool(random.random() < 0.2)
    if not kraken:
        return Buyer(hand, pearls, any_races=any_races)
    krakens = random_krakens(random)
    return Buyer(
        hand=hand[: max(9 - len(krakens), 0)] + krakens,
        pearls=int(random.integers(0, 3)),
        nebulis=int(random.integers(0, 4)),
        outlaw=bool(random.random() < 0.3),
        any_races=any_races,
        change=int(random.choice([-2, 0, 0, 2])),
    )


@pytest.mark.parametrize("expansions", [(), ("kraken",)], ids=["base", "kraken"])
@pytest.mark.parametrize("overpay", [False, True])
def test_payments_are_exactly_the_legal_ones(overpay: bool, expansions: tuple[str, ...]) -> None:
    rulebook = load({"rulings.allow_overpay": overpay}, expansions)
    random = np.random.default_rng(20 + overpay)
    affordable_hands = 0
    seen: Counter[str] = Counter()
    for _ in range(HANDS):
        buyer = random_buyer(random, bool(expansions))
        lord = int(random.integers(len(rulebook.lords)))
        games = lay_out(buyer)
        legal = legal_payments(buyer.hand, price_for(buyer, rulebook, lord, overpay), seen)
        assert affordable(rulebook.record, games, lord) == bool(legal)
        if legal:
            affordable_hands += 1
            reached = engine_payments(rulebook, games, lord)
            assert len(reached) == len(set(reached))
            assert set(reached) == legal
    assert affordable_hands > HANDS // 10
    assert overpay or seen["superfluous"] > HANDS // 10
    if expansions:
        told = ("demanded by a Kraken", "more Krakens than Races missing", "Krakens alone", "Nebulis needed")
        assert min(seen[part] for part in told) > HANDS // 10


def test_an_own_lord_is_paid_with_krakens_as_the_manual_says() -> None:
    """The Seeker (7, two Races, crab): a Kraken 3 as crab with a seahorse 5; Krakens 3 and 4 alone; never 4 and a 5."""
    rulebook = load(expansions=("kraken",))
    seeker = rulebook.lord_number("seeker")
    crab, seahorse, shellfish = 1, 2, 3
    hand = [(seahorse, 5), (KRAKEN, 3), (KRAKEN, 4)]
    assert set(engine_payments(rulebook, lay_out(Buyer(hand)), seeker)) == {
        ((seahorse, 5), (KRAKEN, 3)),
        ((seahorse, 5), (KRAKEN, 4)),
        ((seahorse, 5), (KRAKEN, 3), (KRAKEN, 4)),
        ((KRAKEN, 3), (KRAKEN, 4)),
    }
    # Two Races and neither is the crab: a Kraken beside them would be a third Race or leave the crab unpaid.
    hand = [(seahorse, 5), (shellfish, 5), (KRAKEN, 4)]
    assert ((seahorse, 5), (shellfish, 5), (KRAKEN, 4)) not in engine_payments(rulebook, lay_out(Buyer(hand)), seeker)
    # A crab 1 with Krakens: never superfluous where no other crab is paid.
    hand = [(crab, 1), (KRAKEN, 4), (KRAKEN, 4)]
    assert ((crab, 1), (KRAKEN, 4), (KRAKEN, 4)) in engine_payments(rulebook, lay_out(Buyer(hand)), seeker)
