"""Sentinels: a Court Lord, a Council stack or a face-up Location reserved for one seat (Kraken manual)."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, RACES, RULES
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.engine.nebulis import gain_nebulis
from abysssim.vocabulary import Area, Decision, Event, Verb


@separate((GAME,), 0)
def offer_sentinel_places(game):
    """Add every place where a Sentinel could be put to the decision: there is one Sentinel in an area at most."""
    if game.reserved_for[Area.COURT] == 0:
        for i in range(game.court_count - 1, -1, -1):
            offer(game, Verb.SENTINEL_COURT, game.court[i], 0, 0)
    if game.reserved_for[Area.COUNCIL] == 0:
        for race in range(RACES):
            offer(game, Verb.SENTINEL_COUNCIL, race, 0, 0)
    if game.reserved_for[Area.LOCATION] == 0:
        for i in range(game.open_count):
            offer(game, Verb.SENTINEL_LOCATION, game.open_locations[i], 0, 0)
    return 0


@separate((GAME, RULES, DESK), 2)
def bring_sentinel(game, rules, desk, seat, lord):
    """Let a Lord with a Sentinel arrive: its Nebulis, and the Sentinel is placed if an area is free for it."""
    gain_nebulis(game, rules, desk, seat, rules.lords[lord].amount, lord)
    game.players[seat].sentinels |= 1 << lord
    game.cause = lord
    ask(game, Decision.SENTINEL, seat)
    offer_sentinel_places(game)
    if game.option_count > 0:
        option = game.options[choose(game, rules, desk)]
        place_sentinel(game, desk, seat, lord, option.verb, option.card)
    return 0


@separate((GAME, RULES, DESK), 3)
def place_waiting_sentinel(game, rules, desk, seat, verb, item):
    """Place the first of the Sentinels that wait in front of a seat."""
    waiting = game.players[seat].sentinels
    lord = 0
    while waiting >> lord & 1 == 0:
        lord += 1
    place_sentinel(game, desk, seat, lord, verb, item)
    return 0


@jit
def place_sentinel(game, desk, seat, lord, verb, item):
    """Put the Sentinel of a Lord on a Court Lord, a stack or a face-up Location."""
    area = verb - Verb.SENTINEL_COURT
    game.players[seat].sentinels &= ~(1 << lord)
    game.reserved_for[area] = seat + 1
    game.reserved_item[area] = item
    game.sentinel_of[area] = lord
    game.lords_version += 1
    log(desk, Event.SENTINEL, seat, lord, area, item, 0)


@jit
def release(game, desk, seat, area, item):
    """Give a seat its Sentinel back that stood on what it has just taken; it rests until the seat's next turn."""
    if game.reserved_for[area] == seat + 1 and game.reserved_item[area] == item:
        lord = game.sentinel_of[area]
        game.reserved_for[area] = 0
        game.players[seat].sentinels_back |= 1 << lord
        game.lords_version += 1
        log(desk, Event.SENTINEL_BACK, seat, lord, 0, 0, 0)
