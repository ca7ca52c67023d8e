"""No card, token or Key is made or lost, at any turn of any game, and every counter agrees with what it counts."""

import numpy as np
import pytest

from abysssim.core.layout import CARD_STEP, GAME, MONSTER, RACES, TOKEN_VALUES, VALUES
from abysssim.rules.rulebook import load
from tests.helpers import Table

GAMES = 1500


def states(table: Table, first: int, games: int) -> np.ndarray:
    found = [state for game in range(first, first + games) for state in table.turns(game)]
    return np.array([np.asarray(state) for state in found], dtype=GAME)


def exploration_cards(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the Allies [turn, Race, value] and the Monsters [turn] in all places together."""
    allies = state["discard"] + state["council"]
    allies = allies + state["players"]["hand"].sum(axis=1) + state["players"]["affiliated"].sum(axis=1)
    in_deck = np.arange(state["deck"].shape[1]) < state["deck_count"][:, None]
    monsters = state["discard_monsters"] + ((state["deck"] >= MONSTER * CARD_STEP) & in_deck).sum(axis=1)
    for race in range(RACES):
        for value in range(1, VALUES):
            here = (state["deck"] == race * CARD_STEP + value) & in_deck
            allies[:, race, value] += here.sum(axis=1)
    return allies, monsters


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_conservation_at_every_turn(seats: int) -> None:
    rulebook = load()
    table = Table(rulebook, ["random"] * seats, seed=seats)
    for first in range(0, GAMES, 100):
        state = states(table, first, 100)
        check_exploration_cards(state)
        check_monster_tokens(state)
        check_counters(state)
        check_singles(state, "lord_deck", "court", 35, seats)
        check_locations(state, seats)


def check_exploration_cards(state: np.ndarray) -> None:
    allies, monsters = exploration_cards(state)
    printed = np.array([0, 4, 3, 3, 2, 1])
    assert (allies == printed).all()
    assert (monsters == 6).all()
    assert (state["track_count"] == 0).all()


def check_monster_tokens(state: np.ndarray) -> None:
    held = state["players"]["monster_tokens"].sum(axis=1)
    in_pile = np.arange(state["tokens"].shape[1]) < state["token_count"][:, None]
    for value in range(TOKEN_VALUES):
        total = held[:, value] + ((state["tokens"] == value) & in_pile).sum(axis=1)
        assert (total == {2: 9, 3: 9, 4: 2}.get(value, 0)).all()


def check_counters(state: np.ndarray) -> None:
    players = state["players"]
    values = np.arange(VALUES)
    assert (players["hand"].sum(axis=(2, 3)) == players["hand_size"]).all()
    assert (players["hand"].sum(axis=3) == players["race_count"]).all()
    assert ((players["hand"] * values).sum(axis=3) == players["race_total"]).all()
    assert (players["monster_tokens"].sum(axis=2) == players["monster_token_count"]).all()
    assert (state["discard"].sum(axis=(1, 2)) == state["discard_count"]).all()
    assert (state["council"].sum(axis=2) == state["council_size"]).all()
    for field in ("pearls", "key_tokens", "hand", "affiliated", "monster_tokens"):
        assert (players[field] >= 0).all()
    assert ((state["threat"] >= 0) & (state["threat"] <= 5)).all()


def held(state: np.ndarray, seats: int, what: str) -> list[list[int]]:
    """List for each turn the Lords or Locations that seats have."""
    found = []
    for turn in state:
        here: list[int] = []
        for seat in range(seats):
            player = turn["players"][seat]
            if what == "lords":
                here += player["lords"]["lord"][: player["lord_count"]].tolist()
            else:
                here += player["locations"][: player["location_count"]].tolist()
        found.append(here)
    return found


def check_singles(state: np.ndarray, deck: str, row: str, total: int, seats: int) -> None:
    """Every Lord is in one place; those given up for others stay out of the game."""
    gone = 0
    for turn, mine in zip(state, held(state, seats, "lords"), strict=True):
        cards = turn[deck][: turn[deck + "_count"]].tolist() + turn[row][: turn[row + "_count"]].tolist() + mine
        assert len(set(cards)) == len(cards)
        if turn["turn"] == 1:
            gone = 0
        assert total - len(cards) >= gone
        gone = total - len(cards)


def check_locations(state: np.ndarray, seats: int) -> None:
    """Every Location is in one place; only Black Smokers can leave the game, and covered Lords lie under own ones."""
    for turn, mine in zip(state, held(state, seats, "locations"), strict=True):
        tiles = (
            turn["location_deck"][: turn["location_deck_count"]].tolist()
            + turn["open_locations"][: turn["open_count"]].tolist()
            + mine
        )
        assert len(set(tiles)) == len(tiles)
        assert len(tiles) in (19, 20)
        for seat in range(seats):
            player = turn["players"][seat]
            lords = player["lords"][: player["lord_count"]]
            own = set(player["locations"][: player["location_count"]].tolist())
            assert all(where in own for where in lords["location"] if where >= 0)


def test_a_game_played_turn_by_turn_is_the_same_game() -> None:
    table = Table(load(), ["random"] * 4, seed=11)
    rows = table.play(50)
    for game in range(50):
        end = list(table.turns(game))[-1]
        assert end["players"]["pearls"][:4].tolist() == rows["pearls"][game].tolist()
        assert end["turn"] == rows["game_turns"][game, 0]
        assert end["decisions"] == rows["decisions"][game, 0]
