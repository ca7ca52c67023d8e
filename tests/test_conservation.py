"""No card or token is made or lost, at any turn of any game, and every counter agrees with what it counts."""

from typing import Any

import numba
import numpy as np
import pytest

from abysssim.core.layout import CARD_STEP, GAME, MONSTER, RACES, TOKEN_VALUES, VALUES, new
from abysssim.engine.holdings import refresh_powers
from abysssim.engine.setup import set_up
from abysssim.engine.turn import pass_the_turn, play_turn
from abysssim.rules.rulebook import load
from abysssim.vocabulary import LASTING_POWERS, LocationPower
from tests.helpers import Table

GAMES = 10_000
FAULTS = (
    "none",
    "Allies",
    "Monsters",
    "Monster tokens",
    "a counter of a hand",
    "a counter of the Council or the discard",
    "a Lord in two places, or back in the game",
    "a Location in two places, or one other than Black Smokers gone",
    "a Lord under a Location that its owner does not have",
    "a negative number, or a threat off the track",
    "a count of powers or Keys",
)


@numba.njit
def cards_in_deck(game: Any, card: int) -> int:
    count = 0
    for i in range(game.deck_count):
        if game.deck[i] == card:
            count += 1
    return count


@numba.njit
def exploration_fault(game: Any, rules: Any) -> int:
    for race in range(RACES):
        for value in range(1, VALUES):
            total = game.discard[race, value] + game.council[race, value]
            total += cards_in_deck(game, race * CARD_STEP + value)
            for seat in range(game.seats):
                total += game.players[seat].hand[race, value] + game.players[seat].affiliated[race, value]
            if total != rules.ally_copies[race, value] or game.track_count != 0:
                return 1
    if game.discard_monsters + cards_in_deck(game, MONSTER * CARD_STEP) != rules.monster_cards:
        return 2
    for value in range(TOKEN_VALUES):
        total = 0
        for i in range(game.token_count):
            total += 1 if game.tokens[i] == value else 0
        for seat in range(game.seats):
            total += game.players[seat].monster_tokens[value]
        if total != rules.token_copies[value]:
            return 3
    return 0


@numba.njit
def counter_fault(game: Any, rules: Any) -> int:
    for seat in range(game.seats):
        player = game.players[seat]
        size = 0
        for race in range(RACES):
            count = 0
            total = 0
            for value in range(VALUES):
                count += player.hand[race, value]
                total += value * player.hand[race, value]
            size += count
            if count != player.race_count[race] or total != player.race_total[race]:
                return 4
        if size != player.hand_size or player.monster_tokens.sum() != player.monster_token_count:
            return 4
        if player.pearls < 0 or player.key_tokens < 0 or player.hand.min() < 0:
            return 9
    for race in range(RACES):
        if game.council[race].sum() != game.council_size[race]:
            return 5
    if game.discard.sum() != game.discard_count:
        return 5
    return 9 if game.threat < 0 or game.threat >= rules.spaces else 0


@numba.njit
def power_fault(game: Any, rules: Any, games: Any) -> int:
    """Count the powers and Keys of the free, unturned Lords anew, in another record."""
    games[0] = game
    anew = games[0]
    refresh_powers(anew, rules)
    for power in range(LASTING_POWERS):
        if game.power_count[power] != anew.power_count[power] or game.power_amount[power] != anew.power_amount[power]:
            return 10
        if game.soldier_amount[power] != anew.soldier_amount[power]:
            return 10
    for seat in range(game.seats):
        player = game.players[seat]
        other = anew.players[seat]
        if player.turn_powers != other.turn_powers or player.lord_keys != other.lord_keys:
            return 10
        for power in range(LASTING_POWERS):
            if player.power_count[power] != other.power_count[power]:
                return 10
            if player.power_amount[power] != other.power_amount[power]:
                return 10
            if player.soldier_amount[power] != other.soldier_amount[power]:
                return 10
    return 0


@numba.njit
def lord_fault(game: Any, gone: Any) -> int:
    """Look for a Lord in two places; `gone` notes those that have left the game, and none may come back."""
    seen = np.zeros(gone.size, np.int64)
    for i in range(game.lord_deck_count):
        seen[game.lord_deck[i]] += 1
    for i in range(game.court_count):
        seen[game.court[i]] += 1
    for seat in range(game.seats):
        for i in range(game.players[seat].lord_count):
            seen[game.players[seat].lords[i].lord] += 1
    for lord in range(gone.size):
        if seen[lord] > 1 or (gone[lord] and seen[lord]):
            return 6
        gone[lord] = 1 - seen[lord]
    return 0


@numba.njit
def location_fault(game: Any, rules: Any) -> int:
    seen = np.zeros(rules.location_count, np.int64)
    for i in range(game.location_deck_count):
        seen[game.location_deck[i]] += 1
    for i in range(game.open_count):
        seen[game.open_locations[i]] += 1
    for seat in range(game.seats):
        for i in range(game.players[seat].location_count):
            seen[game.players[seat].locations[i]] += 1
    for location in range(rules.location_count):
        may_go = rules.locations[location].power == LocationPower.SWAP_WITH_DECK
        if seen[location] > 1 or (seen[location] == 0 and not may_go):
            return 7
    return covered_fault(game)


@numba.njit
def covered_fault(game: Any) -> int:
    for seat in range(game.seats):
        player = game.players[seat]
        for i in range(player.lord_count):
            where = player.lords[i].location
            found = where < 0
            for k in range(player.location_count):
                found = found or player.locations[k] == where
            if not found:
                return 8
    return 0


@numba.njit
def first_fault(rulebooks: Any, desks: Any, games: Any, blanks: Any, seats: int, first: int, count: int) -> Any:
    """Play games and check them after every turn; return (fault, game, turn), or how many turns were checked."""
    rules = rulebooks[0]
    desk = desks[0]
    turns = 0
    gone = np.zeros(rules.lord_count, np.int64)
    for number in range(first, first + count):
        games[0] = blanks[0]
        game = games[0]
        game.number = number
        game.seats = seats
        set_up(game, rules)
        gone[:] = 0
        while game.finished == 0:
            play_turn(game, rules, desk)
            pass_the_turn(game, rules)
            turns += 1
            fault = exploration_fault(game, rules)
            if fault == 0:
                fault = counter_fault(game, rules)
            if fault == 0:
                fault = lord_fault(game, gone)
            if fault == 0:
                fault = location_fault(game, rules)
            if fault == 0:
                fault = power_fault(game, rules, blanks[1:])
            if fault != 0:
                return fault, number, game.turn
    return 0, first + count, turns


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_is_made_or_lost_at_any_turn(seats: int) -> None:
    rulebook = load()
    table = Table(rulebook, ["random"] * seats)
    table.play(1)  # makes the separately compiled functions known
    table.desks[0].lineup[:seats] = np.arange(seats)
    fault, game, turns = first_fault(rulebook.record, table.desks, table.games, new(GAME, 2), seats, 0, GAMES)
    assert fault == 0, f"{FAULTS[fault]}: game {game}, turn {turns}"
    assert turns > 20 * GAMES


def test_the_check_finds_what_is_wrong() -> None:
    """Rules that promise another card than the game has must be caught."""
    table = Table(load(), ["random"] * 2)
    table.play(1)
    other = load(changes={"game.monster_cards": 7})
    games = new(GAME)
    state = next(table.turns(0))
    games[0] = state
    assert exploration_fault(games[0], other.record[0]) == 2
    assert exploration_fault(games[0], table.rulebook.record[0]) == 0
    games[0].players[0].hand[0, 1] += 1
    assert exploration_fault(games[0], table.rulebook.record[0]) == 1


def test_a_game_played_turn_by_turn_is_the_same_game() -> None:
    table = Table(load(), ["random"] * 4, seed=11)
    rows = table.play(50)
    for game in range(50):
        end = list(table.turns(game))[-1]
        assert end["players"]["pearls"][:4].tolist() == rows["pearls"][game].tolist()
        assert end["turn"] == rows["game_turns"][game, 0]
        assert end["decisions"] == rows["decisions"][game, 0]
