"""Policies see only what their seat may see: whatever is hidden may be anything else, and the choice is the same."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from abysssim.core.layout import CARD_STEP, KINDS, KRAKEN, MONSTER, RACES, VALUES
from abysssim.policies.presets import preset_names
from abysssim.rules.rulebook import load
from abysssim.vocabulary import Decision
from tests.helpers import Table

OF_KRAKEN = (
    Decision.NEBULIS,
    Decision.SENTINEL,
    Decision.FIGURE,
    Decision.GIVE_NEBULIS,
    Decision.KRAKEN_STACK,
    Decision.SEARCH,
    Decision.RACE,
    Decision.DISCARD_AFFILIATED,
    Decision.FROM_DISCARD,
    Decision.COVERED_LORD,
)


def hidden_part(state: Any, asked: Any, deck: str) -> Any:
    """Return the cards of a deck that nobody has seen when the question is asked; the top is the last."""
    drawn = int(state[deck + "_count"]) - int(asked[deck + "_count"])
    return state[deck][: int(state[deck + "_count"]) - max(drawn, 0)]


def scramble_allies(state: Any, asked: Any, seat: int, seats: int, random: np.random.Generator) -> None:
    """Deal again the Allies in the deck, the face-down stacks and the other hands; every size stays as it is.

    The hand of the seat whose turn it is stays: another would not have led to the same question.
    """
    others = [other for other in range(seats) if other not in (seat, int(state["seat"]))]
    deck = hidden_part(state, asked, "deck")
    places = np.flatnonzero(deck < MONSTER * CARD_STEP)
    pool = [int(card) for card in deck[places]]
    for other in others:
        pool += cards(state["players"][other]["hand"])
    random.shuffle(pool)
    for other in others:
        size = int(state["players"][other]["hand_size"])
        deal_hand(state["players"][other], [pool.pop() for _ in range(size)])
    deck[places] = pool
    if (asked["council_size"] >= state["council_size"]).all():
        scramble_stacks(state, deck, random)
    random.shuffle(deck)


def scramble_stacks(state: Any, deck: Any, random: np.random.Generator) -> None:
    """Exchange cards of each stack for cards of the same Race, or Krakens, in the deck.

    A stack shows its Race and its size; a Kraken lies in it face down like the others.
    """
    for race in range(RACES):
        places = np.flatnonzero((deck // CARD_STEP == race) | (deck // CARD_STEP == KRAKEN))
        mine = [race * CARD_STEP + v for v in range(VALUES) for _ in range(int(state["council"][race, v]))]
        mine += [KRAKEN * CARD_STEP + v for v in range(VALUES) for _ in range(int(state["council_krakens"][race, v]))]
        pool = np.array([*deck[places], *mine], dtype=np.int64)
        random.shuffle(pool)
        deck[places] = pool[: len(places)]
        stack = pool[len(places) :]
        state["council"][race] = np.bincount(stack[stack // CARD_STEP == race] % CARD_STEP, minlength=VALUES)
        state["council_krakens"][race] = np.bincount(stack[stack // CARD_STEP == KRAKEN] % CARD_STEP, minlength=VALUES)


def cards(counts: Any) -> list[int]:
    return [r * CARD_STEP + v for r in range(KINDS) for v in range(VALUES) for _ in range(int(counts[r, v]))]


def deal_hand(player: Any, hand: list[int]) -> None:
    player["hand"] = 0
    for card in hand:
        player["hand"][card // CARD_STEP, card % CARD_STEP] += 1
    player["race_count"] = player["hand"].sum(axis=1)
    player["race_total"] = (player["hand"] * np.arange(VALUES)).sum(axis=1)


def scramble(state: Any, asked: Any, random: np.random.Generator) -> None:
    """Change everything that the seat which is asked may not see."""
    seat, seats = int(asked["decider"]), int(asked["seats"])
    for deck in ("lord_deck", "location_deck", "loot_deck"):
        random.shuffle(hidden_part(state, asked, deck))
    scramble_allies(state, asked, seat, seats, random)
    drawn = int(state["token_count"]) - int(asked["token_count"])
    pile = state["tokens"][: int(state["token_count"]) - drawn]
    held = [v for s in range(seats) if s != seat for v in token_values(state["players"][s])]
    pool = [*pile.tolist(), *held]
    random.shuffle(pool)
    for other in range(seats):
        if other != seat:
            player = state["players"][other]
            mine = [pool.pop() for _ in range(int(player["monster_token_count"]))]
            player["monster_tokens"] = np.bincount(np.array(mine, dtype=np.int64), minlength=10)
    pile[:] = pool


def token_values(player: Any) -> list[int]:
    return [value for value, count in enumerate(player["monster_tokens"]) for _ in range(int(count))]


class Turn:
    """One turn, to be asked again about any of its decisions, from changed positions as well."""

    def __init__(self, table: Table, state: Any) -> None:
        self.table = table
        self.state = state
        self.desk = table.desks[0]
        self.first = int(state["decisions"])
        self.desk.recording = 1
        self.desk.stop_at_turn_end = 1
        before = self.desk.picked.sum(axis=1)
        self._play(state)
        self.kinds = {Decision(int(d)) for d in np.flatnonzero(self.desk.picked.sum(axis=1) - before)}
        end = self.desk.positions[1] if self.desk.halted else table.games[0]
        self.count = int(end.decisions) - self.first
        self.choices = self.desk.chosen[: self.first + self.count].copy()
        self.desk.recording = 0
        self.desk.stop_at_turn_end = 0

    def _play(self, state: Any) -> None:
        self.desk.positions[0] = state
        self.desk.from_position = 1
        self.table.play(1, int(state["number"]))
        self.desk.from_position = 0

    def asked(self, state: Any, number: int) -> Any:
        """Return the position at the turn's decision `number`, from `state`, or None if play goes another way."""
        self.desk.forced[: len(self.choices)] = self.choices
        self.desk.forced_count = self.first + number
        self.desk.stepping = 1
        self._play(state)
        self.desk.stepping = 0
        self.desk.forced_count = 0
        found = self.desk.positions[1].copy() if self.desk.halted and not self.desk.error else None
        self.desk.error = 0
        return found if found is not None and found["decisions"] == self.first + number else None

    def answer(self, state: Any, number: int) -> int:
        """Return what the policy picks at the turn's decision `number`, from `state`."""
        self.desk.forced_count = self.first + number
        self.desk.recording = 1
        self._play(state)
        self.desk.recording = 0
        self.desk.forced_count = 0
        return int(self.desk.chosen[self.first + number])


def options(asked: Any) -> list[tuple[int, ...]]:
    return [tuple(option.tolist()) for option in asked["options"][: int(asked["option_count"])]]


def compare(turn: Turn, number: int, random: np.random.Generator) -> Decision | None:
    """Ask one decision of a turn again with all hidden zones scrambled; return it, or None if play led elsewhere."""
    state = turn.state
    asked = turn.asked(state, number)
    if asked is None or asked["shuffles"] != state["shuffles"]:
        return None
    changed = state.copy()
    scramble(changed, asked, random)
    again = turn.asked(changed, number)
    if again is None or options(again) != options(asked) or again["decider"] != asked["decider"]:
        return None  # an opponent's hand showed in an answer before
    assert turn.answer(changed, number) == turn.choices[turn.first + number]
    return Decision(int(asked["decision"]))


def turns_of(table: Table, game: int) -> Iterator[Turn]:
    for state in [state for state in table.turns(game) if not state["finished"]]:
        turn = Turn(table, state)
        if turn.count:
            yield turn


@pytest.mark.parametrize("expansions", [(), ("kraken",)], ids=["base", "kraken"])
@pytest.mark.parametrize("policy", sorted(set(preset_names()) - {"first"}))
def test_whatever_is_hidden_the_choice_is_the_same(policy: str, expansions: tuple[str, ...]) -> None:
    """Ask one decision of every turn of some games again, with all hidden zones scrambled."""
    table = Table(load(expansions=expansions), [policy] * 4, seed=5)
    random = np.random.default_rng(8)
    compared: Counter[Decision | None] = Counter()
    for game in range(15):
        for turn in turns_of(table, game):
            compared[compare(turn, int(random.integers(turn.count)), random)] += 1
    assert compared.total() - compared[None] > 150
    assert min(compared[d] for d in (Decision.MENU, Decision.OFFER, Decision.ALLY, Decision.PAYMENT)) > 10


def games_with(table: Table, decision: Decision, games: int) -> list[int]:
    """Return the first games in which a decision is asked."""
    found: list[int] = []
    for game in range(4_000):
        before = int(table.desks[0].asked[decision])
        table.play(1, game)
        if int(table.desks[0].asked[decision]) > before:
            found.append(game)
            if len(found) == games:
                break
    return found


def compare_all(table: Table, decision: Decision, games: int, random: np.random.Generator) -> int:
    """Ask a decision again wherever it is asked in the first games that have it; return how often that was possible."""
    compared = 0
    for game in games_with(table, decision, games):
        for turn in turns_of(table, game):
            if decision not in turn.kinds:
                continue
            for number in range(turn.count):
                asked = turn.asked(turn.state, number)
                if asked is not None and asked["decision"] == decision:
                    compared += any(compare(turn, number, random) is not None for _ in range(3))
    return compared


@pytest.mark.parametrize("policy", sorted(set(preset_names()) - {"first"}))
def test_whatever_is_hidden_the_decisions_of_kraken_are_the_same(policy: str) -> None:
    """The rare decisions of the expansion, each looked for in many games."""
    table = Table(load(expansions=("kraken",)), [policy] * 4, seed=6)
    random = np.random.default_rng(9)
    compared = {decision: compare_all(table, decision, 4, random) for decision in OF_KRAKEN}
    assert min(compared.values()) >= 2, compared
