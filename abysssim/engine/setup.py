"""Setting up (rulebook p. 2-3)."""

from abysssim.core.jit import jit
from abysssim.core.layout import KRAKEN, MAX_VALUE, RACES
from abysssim.core.rng import (
    order_exploration_cards,
    order_locations,
    order_loot,
    order_lords,
    order_monster_tokens,
)


@jit
def set_up(game, rules):
    """Lay out a cleared game (seats, seed and number are in it) as its deal demands; seat 0 begins."""
    set_up_exploration_cards(game, rules)
    order_monster_tokens(game, rules.token_copies)
    order_lords(game, rules)
    fill_court(game, rules)
    set_up_locations(game, rules)
    if rules.kraken:
        order_loot(game, rules.loot_copies)
    game.kraken_holder = -1
    for seat in range(game.seats):
        game.players[seat].pearls = rules.start_pearls
    game.end_trigger = 0
    game.ended_by = -1
    game.turns_left = -1


@jit
def set_up_exploration_cards(game, rules):
    """Shuffle all Exploration cards, laid on the discard first."""
    for value in range(1, MAX_VALUE + 1):
        for race in range(RACES):
            game.discard[race, value] = rules.ally_copies[race, value]
        game.discard[KRAKEN, value] = rules.kraken_copies[value]
    game.discard_monsters = rules.monster_cards
    order_exploration_cards(game, 0)


@jit
def fill_court(game, rules):
    """Fill the Court from the deck, the space farthest from it first."""
    while game.court_count < rules.court_slots and game.lord_deck_count > 0:
        add_court_lord(game)


@jit
def add_court_lord(game):
    """Put the top Lord of the deck on the free Court space farthest from the deck."""
    game.lord_deck_count -= 1
    game.court[game.court_count] = game.lord_deck[game.lord_deck_count]
    game.court_count += 1
    game.lords_version += 1


@jit
def set_up_locations(game, rules):
    """Shuffle the Locations and turn one face up."""
    count = 0
    for location in range(rules.location_count):
        if rules.locations[location].in_game:
            game.location_deck[count] = location
            count += 1
    game.location_deck_count = count
    order_locations(game, rules, 0)
    game.location_deck_count -= 1
    game.open_locations[0] = game.location_deck[game.location_deck_count]
    game.open_count = 1
