"""No card or token is made or lost, at any turn of any game, and every counter agrees with what it counts."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from abysssim.core.layout import (
    AREAS,
    CARD_STEP,
    GAME,
    KINDS,
    KRAKEN,
    LOOT_VALUES,
    MAX_LORDS,
    MONSTER,
    RACES,
    TOKEN_VALUES,
    VALUES,
    new,
)
from abysssim.engine.holdings import refresh_powers
from abysssim.engine.setup import set_up
from abysssim.engine.turn import pass_the_turn, play_turn
from abysssim.rules.rulebook import load
from abysssim.vocabulary import LASTING_POWERS, Area, LocationPower, Power, Ruling
from tests.helpers import Table

RULINGS = {f"rulings.{ruling.name.lower()}": True for ruling in Ruling}
# Expansions, changed rules, line-up (as many of it as there are seats), games.
PLAYED: dict[str, tuple[tuple[str, ...], dict[str, bool], list[str], int]] = {
    "base": ((), {}, ["random"] * 4, 10_000),
    "kraken": (("kraken",), {}, ["random"] * 4, 6_000),
    "kraken_mixed": (("kraken",), {}, ["balanced", "random", "smuggler", "trader"], 2_000),
    "kraken_rulings": (("kraken",), RULINGS, ["random", "balanced", "random", "random"], 2_000),
}
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
    "Krakens",
    "Loot",
    "the Kraken figure with the wrong seat, or with nobody",
    "a Sentinel on something that is not there",
    "a Sentinel lost, doubled or with another seat",
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
def kraken_fault(game: Any, rules: Any) -> int:
    for value in range(1, VALUES):
        total = game.discard[KRAKEN, value] + cards_in_deck(game, KRAKEN * CARD_STEP + value)
        for race in range(RACES):
            total += game.council_krakens[race, value]
        for seat in range(game.seats):
            total += game.players[seat].hand[KRAKEN, value]
        if total != rules.kraken_copies[value]:
            return 11
    return 0


@numba.njit
def owner_of(game: Any, location: int) -> int:
    """Return the seat that has a Location, -1 for none."""
    for seat in range(game.seats):
        for i in range(game.players[seat].location_count):
            if game.players[seat].locations[i] == location:
                return seat
    return -1


@numba.njit
def loot_fault(game: Any, rules: Any) -> int:
    found = np.zeros(LOOT_VALUES, np.int64)
    for i in range(game.loot_deck_count):
        found[game.loot_deck[i]] += 1
    for location in range(rules.location_count):
        if game.loot[location] != 0:
            if rules.locations[location].sacred == 0:
                return 12
            if rules.loot_stays == 0 and owner_of(game, location) < 0:
                return 12
        for value in range(LOOT_VALUES):
            found[value] += game.loot[location] >> value & 1
    for value in range(LOOT_VALUES):
        if found[value] + game.loot_lost[value] != rules.loot_copies[value]:
            return 12
    return 0


@numba.njit
def figure_fault(game: Any) -> int:
    """The figure is held exactly where somebody has Nebulis, by a seat that has no fewer than any other."""
    most = 0
    for seat in range(game.seats):
        if game.players[seat].nebulis < 0:
            return 9
        most = max(most, game.players[seat].nebulis)
    holder = game.kraken_holder
    if most == 0:
        return 0 if holder == -1 else 13
    return 0 if holder >= 0 and game.players[holder].nebulis == most else 13


@numba.njit
def is_there(game: Any, area: int, item: int) -> bool:
    """Tell whether what a Sentinel stands on lies in its area; a stack is there even when it is empty."""
    if area == Area.COUNCIL:
        return item >= 0 and item < RACES
    lying = game.court[: game.court_count] if area == Area.COURT else game.open_locations[: game.open_count]
    return (lying == item).sum() > 0


@numba.njit
def sentinel_fault(game: Any, rules: Any, owners: Any) -> int:
    """Each Sentinel is in one place once its Lord has come; `owners` keeps 1 + the seat that its Lord came to."""
    for seat in range(game.seats):
        for i in range(game.players[seat].lord_count):
            lord = game.players[seat].lords[i].lord
            if rules.lords[lord].power == Power.SENTINEL and owners[lord] == 0:
                owners[lord] = seat + 1
    found = np.zeros(MAX_LORDS, np.int64)
    for area in range(AREAS):
        owner = game.reserved_for[area]
        if owner != 0:
            if not is_there(game, area, game.reserved_item[area]):
                return 14
            lord = game.sentinel_of[area]
            found[lord] += 1
            if owners[lord] != owner:
                return 15
    for seat in range(game.seats):
        player = game.players[seat]
        for lord in range(MAX_LORDS):
            here = (player.sentinels >> lord & 1) + (player.sentinels_back >> lord & 1)
            found[lord] += here
            if here > 0 and owners[lord] != seat + 1:
                return 15
    for lord in range(MAX_LORDS):
        if found[lord] != (1 if owners[lord] != 0 else 0):
            return 15
    return 0


@numba.njit
def counter_fault(game: Any, rules: Any) -> int:
    keys = 0
    for seat in range(game.seats):
        player = game.players[seat]
        size = 0
        for race in range(KINDS):
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
        if player.pearls < 0 or player.key_tokens < 0 or player.hand.min() < 0 or player.affiliated.min() < 0:
            return 9
        keys += player.key_tokens
    for race in range(RACES):
        if game.council[race].sum() + game.council_krakens[race].sum() != game.council_size[race]:
            return 5
    if game.discard.sum() != game.discard_count:
        return 5
    if rules.keys_binding == 1 and keys > rules.key_tokens:
        return 9
    return 9 if game.threat < 0 or game.threat >= rules.spaces else 0


@numba.njit
def are_powers_unlike(holder: Any, other: Any) -> bool:
    """Compare the lasting powers of a seat, or of all seats together, with those counted anew."""
    for power in range(LASTING_POWERS):
        if holder.power_count[power] != other.power_count[power]:
            return True
        if holder.power_amount[power] != other.power_amount[power]:
            return True
        if holder.soldier_amount[power] != other.soldier_amount[power]:
            return True
    return False


@numba.njit
def power_fault(game: Any, rules: Any, games: Any) -> int:
    """Count the powers and Keys of the free, unturned Lords anew, in another record."""
    games[0] = game
    anew = games[0]
    refresh_powers(anew, rules)
    if are_powers_unlike(game, anew):
        return 10
    for seat in range(game.seats):
        player = game.players[seat]
        other = anew.players[seat]
        if player.turn_powers != other.turn_powers or player.lord_keys != other.lord_keys:
            return 10
        if are_powers_unlike(player, other):
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
        may_go = rules.locations[location].power == LocationPower.SWAP_WITH_DECK and rules.into_deck == 0
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
def fault_of(game: Any, rules: Any, gone: Any, owners: Any, blanks: Any) -> int:
    """Return the number of the first fault of a position, 0 for none."""
    fault = exploration_fault(game, rules)
    if fault == 0:
        fault = counter_fault(game, rules)
    if fault == 0:
        fault = lord_fault(game, gone)
    if fault == 0:
        fault = location_fault(game, rules)
    if fault == 0:
        fault = power_fault(game, rules, blanks[1:])
    if fault == 0:
        fault = kraken_fault(game, rules)
    if fault == 0:
        fault = loot_fault(game, rules)
    if fault == 0:
        fault = figure_fault(game)
    if fault == 0:
        fault = sentinel_fault(game, rules, owners)
    return fault


@numba.njit
def first_fault(
    rulebooks: Any, desks: Any, games: Any, blanks: Any, seats: int, count: int, notes: Any, placed: Any
) -> Any:
    """Play games and check them after every turn; return (fault, game, turn), or how many turns were checked.

    `notes` is scratch; `placed` counts the turns that ended with a Sentinel in each area and, last, with the figure
    held.
    """
    rules = rulebooks[0]
    desk = desks[0]
    turns = 0
    gone = notes[0, : rules.lord_count]
    for number in range(count):
        games[0] = blanks[0]
        game = games[0]
        game.number = number
        game.seats = seats
        set_up(game, rules)
        notes[:] = 0
        while game.finished == 0:
            play_turn(game, rules, desk)
            pass_the_turn(game, rules)
            turns += 1
            fault = fault_of(game, rules, gone, notes[1], blanks)
            if fault == 0 and game.turn == 1 and gone.sum() > 0:
                fault = 6  # nobody can have lost a Lord so soon
            if fault != 0:
                return fault, number, game.turn
            for area in range(AREAS):
                placed[area] += 1 if game.reserved_for[area] > 0 else 0
            placed[AREAS] += 1 if game.kraken_holder >= 0 else 0
    return 0, count, turns


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("played", PLAYED)
def test_nothing_is_made_or_lost_at_any_turn(played: str, seats: int) -> None:
    expansions, changes, lineup, games = PLAYED[played]
    rulebook = load(changes, expansions)
    table = Table(rulebook, lineup[:seats])
    table.play(1)  # makes the separately compiled functions known
    table.desks[0].lineup[:seats] = np.arange(seats)
    notes, placed = np.zeros((2, MAX_LORDS), np.int64), np.zeros(AREAS + 1, np.int64)
    fault, game, turns = first_fault(
        rulebook.record, table.desks, table.games, new(GAME, 2), seats, games, notes, placed
    )
    assert fault == 0, f"{FAULTS[fault]}: game {game}, turn {turns}"
    assert turns > 15 * games
    assert (placed > games // 10 if expansions else placed == 0).all(), "the check has seen Sentinels and the figure"


@pytest.mark.parametrize("rulings", [False, True])
def test_the_figure_costs_one_seat_with_the_most_nebulis(rulings: bool) -> None:
    """After the Krakens in hand have given theirs: 5 IP for one holder where anybody has Nebulis, and 1 IP each."""
    rows = Table(load(RULINGS if rulings else {}, ("kraken",)), ["random", "balanced", "smuggler"], seed=2).play(2_000)
    assert (rows.nebulis == -rows.nebulis_held).all()
    assert np.isin(rows.kraken, (0, -5)).all()
    most = rows.nebulis_held.max(axis=1)
    held = rows.kraken < 0
    assert (held.sum(axis=1) == (most > 0)).all()
    assert (rows.nebulis_held[held] == np.broadcast_to(most[:, None], held.shape)[held]).all()
    assert 0.5 < (most > 0).mean() <= 1


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


def test_the_check_finds_what_is_wrong_with_krakens() -> None:
    table = Table(load(expansions=("kraken",)), ["random"] * 2)
    table.play(1)
    rules, games = table.rulebook.record[0], new(GAME)
    watcher = table.rulebook.lord_number("watcher")
    state = next(table.turns(0))

    def faults(change: Callable[[Any], None]) -> list[int]:
        games[0] = state
        game, owners = games[0], np.zeros(MAX_LORDS, np.int64)
        change(game)
        found = [kraken_fault(game, rules), loot_fault(game, rules), figure_fault(game)]
        return [*found, sentinel_fault(game, rules, owners)]

    def reserve_what_is_gone(game: Any) -> None:
        game.reserved_for[Area.COURT], game.reserved_item[Area.COURT] = 1, game.lord_deck[0]

    def give_a_sentinel(game: Any) -> None:
        game.players[0].sentinels = 1 << watcher

    assert faults(lambda game: None) == [0, 0, 0, 0]
    assert faults(lambda game: game.council_krakens.__setitem__((0, 2), 3)) == [11, 0, 0, 0]
    assert faults(lambda game: game.loot_lost.__setitem__(7, 1)) == [0, 12, 0, 0]
    assert faults(lambda game: game.players[1].__setattr__("nebulis", 1)) == [0, 0, 13, 0]
    assert faults(lambda game: game.__setattr__("kraken_holder", 0)) == [0, 0, 13, 0]
    assert faults(reserve_what_is_gone) == [0, 0, 0, 14]
    assert faults(give_a_sentinel) == [0, 0, 0, 15]


@pytest.mark.parametrize("expansions", [(), ("kraken",)], ids=["base", "kraken"])
def test_a_game_played_turn_by_turn_is_the_same_game(expansions: tuple[str, ...]) -> None:
    table = Table(load(expansions=expansions), ["random"] * 4, seed=11)
    rows = table.play(50)
    for game in range(50):
        end = list(table.turns(game))[-1]
        assert end["players"]["pearls"][:4].tolist() == rows["pearls"][game].tolist()
        assert end["players"]["nebulis"][:4].tolist() == rows["nebulis_held"][game].tolist()
        assert end["turn"] == rows["game_turns"][game, 0]
        assert end["decisions"] == rows["decisions"][game, 0]
