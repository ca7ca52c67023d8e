"""Taking control of Locations, and spending Keys (rulebook p. 9)."""

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import DESK, GAME, RULES
from abysssim.core.rng import order_locations
from abysssim.engine.choice import ask, choose, count_barred_locations, log, offer
from abysssim.engine.holdings import cover, is_active, is_reserved, keys_of, reserved_from, usable_keys
from abysssim.engine.loot import lose_loot, search_if_sacred
from abysssim.engine.sentinels import release
from abysssim.vocabulary import Area, Cause, Count, Decision, Event, LocationPower, Verb

CONTROL = int(Cause.CONTROL)
NO_KEY = 99


@inline
def can_control(game, rules, seat):
    """Tell whether a seat has the Keys for a Location, and one is left."""
    return usable_keys(game.players[sure(seat)]) >= rules.keys_per_location and (
        game.open_count > reserved_from(game, seat, Area.LOCATION) or game.location_deck_count > 0
    )


@separate((GAME, RULES, DESK), 1)
def control_locations(game, rules, desk, seat):
    """Take control of Locations as long as the seat can."""
    while can_control(game, rules, seat):
        control_location(game, rules, desk, seat)
    return 0


@jit
def control_location(game, rules, desk, seat):
    """Choose a Location, face up or drawn, then the Keys for it."""
    option = game.options[choose_location(game, rules, desk, seat)]
    drawn = 1 if option.verb == Verb.DRAW else 0
    if drawn:
        location = draw_and_keep(game, rules, desk, seat, option.amount, CONTROL)
        game.players[seat].counts[Count.LOCATIONS_DRAWN] += 1
    else:
        location = option.card
        remove_open(game, location)
    taken = location
    location = swap_black_smokers(game, rules, desk, seat, taken)
    add_location(game, seat, location)
    choose_keys(game, rules, desk, seat)
    cover_lords(game, rules, desk, seat, location, drawn, CONTROL)
    release(game, desk, seat, Area.LOCATION, taken)
    search_if_sacred(game, rules, desk, seat, location)


@jit
def choose_location(game, rules, desk, seat):
    """Ask for a face-up Location or a number to draw; return the option's number."""
    ask(game, Decision.LOCATION, seat)
    for i in range(game.open_count):
        if not is_reserved(game, seat, Area.LOCATION, game.open_locations[i]):
            offer(game, Verb.LOCATION, game.open_locations[i], 0, 0)
    for count in range(1, min(rules.max_location_draw, game.location_deck_count) + 1):
        offer(game, Verb.DRAW, 0, 0, count)
    return choose_tile(game, rules, desk, seat)


@jit
def choose_tile(game, rules, desk, seat):
    """Ask which Location to take; return the option's number. It is noted if it was a choice."""
    choices = game.option_count
    count_barred_locations(game, desk)
    pick = choose(game, rules, desk)
    option = game.options[pick]
    if choices > 1 and option.verb == Verb.LOCATION:
        game.players[seat].took_locations |= 1 << option.card
    return pick


@jit
def draw_and_keep(game, rules, desk, seat, count, cause):
    """Draw `count` Locations, let the seat keep one, and turn the others face up; return the one kept."""
    game.cause = cause
    game.drawn_count = count
    ask(game, Decision.KEEP, seat)
    for i in range(count):
        game.location_deck_count -= 1
        game.drawn[i] = game.location_deck[game.location_deck_count]
        offer(game, Verb.LOCATION, game.drawn[i], 0, 0)
    kept = game.options[choose_tile(game, rules, desk, seat)].card
    log(desk, Event.DRAW_LOCATIONS, seat, kept, cause, 0, 0)
    for i in range(count):
        log(desk, Event.DRAWN, seat, game.drawn[i], 0, 0, 0)
        if game.drawn[i] != kept:
            add_open(game, game.drawn[i])
    game.drawn_count = 0
    return kept


@jit
def add_open(game, location):
    """Turn a Location face up, after those that lie there."""
    game.open_locations[game.open_count] = location
    game.open_count += 1


@jit
def remove_open(game, location):
    """Take a face-up Location away."""
    place = 0
    while game.open_locations[place] != location:
        place += 1
    for i in range(place, game.open_count - 1):
        game.open_locations[i] = game.open_locations[i + 1]
    game.open_count -= 1


@jit
def add_location(game, seat, location):
    """Lay a Location in front of a seat."""
    player = game.players[seat]
    player.locations[player.location_count] = location
    player.location_count += 1
    player.counts[Count.LOCATIONS] += 1


@jit
def swap_black_smokers(game, rules, desk, seat, location):
    """Let a seat that takes Black Smokers take any Location of the deck instead; return what it has in the end.

    The deck, once looked through, is shuffled. Black Smokers leaves the game, or goes into the deck under a ruling.
    """
    if rules.locations[location].power != LocationPower.SWAP_WITH_DECK or game.location_deck_count == 0:
        return location
    offer_deck(game, rules, seat)
    option = game.options[choose_tile(game, rules, desk, seat)]
    taken = -1
    if option.verb == Verb.LOCATION:
        taken = option.card
        replace_in_deck(game, rules, taken, location)
    log(desk, Event.SWAP_WITH_DECK, seat, taken, location, 0, 0)
    game.location_shuffles += 1
    order_locations(game, rules, game.location_shuffles)
    return taken if taken >= 0 else location


@jit
def offer_deck(game, rules, seat):
    """List every Location of the deck, in the order of the data files."""
    ask(game, Decision.SMOKERS, seat)
    offer(game, Verb.DECLINE, 0, 0, 0)
    for location in range(rules.location_count):
        for i in range(game.location_deck_count):
            if game.location_deck[i] == location:
                offer(game, Verb.LOCATION, location, 0, 0)


@jit
def replace_in_deck(game, rules, taken, given):
    """Take a Location out of the deck; under the ruling `into_deck` the one given up goes in."""
    place = 0
    while game.location_deck[place] != taken:
        place += 1
    if rules.into_deck:
        game.location_deck[place] = given
    else:
        game.location_deck_count -= 1
        game.location_deck[place] = game.location_deck[game.location_deck_count]


@jit
def choose_keys(game, rules, desk, seat):
    """Ask Key by Key which are spent: Lords in the order recruited, then tokens; none may be superfluous."""
    player = game.players[seat]
    game.key_sum = 0
    game.key_least = NO_KEY
    game.key_last = -1
    game.key_tokens = 0
    for i in range(player.lord_count):
        game.key_chosen[i] = 0
    while game.key_sum < rules.keys_per_location:
        offer_keys(game, rules, seat)
        option = game.options[choose(game, rules, desk)]
        if option.verb == Verb.KEY_TOKEN:
            add_key(game, 1)
            game.key_tokens += 1
            game.key_last = player.lord_count
        else:
            add_key(game, keys_of(rules, player.lords[option.amount]))
            game.key_last = option.amount
            game.key_chosen[option.amount] = 1


@jit
def add_key(game, keys):
    """Add a Lord's Keys, or a token, to those spent."""
    game.key_sum += keys
    game.key_least = min(game.key_least, keys)


@jit
def offer_keys(game, rules, seat):
    """List the next Keys with which a sufficient set without a superfluous Key can be completed."""
    player = game.players[seat]
    ask(game, Decision.KEY, seat)
    for i in range(game.key_last + 1, player.lord_count):
        keys = keys_of(rules, player.lords[i])
        if keys > 0 and is_active(player.lords[i]) and keys_suffice(game, rules, seat, i, keys, player.key_tokens):
            offer(game, Verb.KEY_LORD, player.lords[i].lord, 0, i)
    tokens = player.key_tokens - game.key_tokens
    if tokens > 0 and keys_suffice(game, rules, seat, player.lord_count, 1, tokens - 1):
        offer(game, Verb.KEY_TOKEN, 0, 0, 0)


@jit
def keys_suffice(game, rules, seat, place, keys, tokens):
    """Tell whether, after giving `keys` with the item at `place`, a set with nothing superfluous can be completed.

    A set is free of superfluous Keys if it would not do without its smallest item. Smallest items are tried in turn.
    """
    needed = rules.keys_per_location
    total = game.key_sum + keys
    least = min(game.key_least, keys)
    if total >= needed:
        return total - least < needed
    for smallest in range(1, least + 1):
        sums = key_sums(game, rules, seat, place, smallest, tokens if smallest == 1 else 0)
        for more in range(needed - total, needed - total + smallest):
            if sums >> more & 1:
                return True
    return False


@jit
def key_sums(game, rules, seat, place, smallest, tokens):
    """Return as bits what the Lords after `place` with at least `smallest` Keys, and tokens, can add up to."""
    player = game.players[seat]
    sums = 1
    for i in range(place + 1, player.lord_count):
        keys = keys_of(rules, player.lords[i])
        if keys >= smallest and is_active(player.lords[i]):
            sums |= sums << keys
    for _ in range(min(tokens, rules.keys_per_location)):
        sums |= sums << 1
    return sums


@jit
def cover_lords(game, rules, desk, seat, location, drawn, cause):
    """Slide the Lords whose Keys were spent under the Location; tokens go back to the supply."""
    player = game.players[seat]
    log(desk, Event.CONTROL, seat, location, drawn, game.key_tokens, cause)
    player.key_tokens -= game.key_tokens
    for i in range(player.lord_count):
        if game.key_chosen[i]:
            cover(game, rules, seat, i, location)
            log(desk, Event.KEY_LORD, seat, player.lords[i].lord, 0, 0, 0)


@jit
def draw_with_ambassador(game, rules, desk, seat, lord):
    """Draw Locations with an Ambassador's arrow: one is kept, and only the Ambassador slides under it."""
    count = min(rules.lords[lord].amount, game.location_deck_count)
    if count == 0:
        return
    location = draw_and_keep(game, rules, desk, seat, count, lord)
    location = swap_black_smokers(game, rules, desk, seat, location)
    add_location(game, seat, location)
    player = game.players[seat]
    game.key_tokens = 0
    for i in range(player.lord_count):
        game.key_chosen[i] = 1 if player.lords[i].lord == lord else 0
    cover_lords(game, rules, desk, seat, location, 1, lord)
    search_if_sacred(game, rules, desk, seat, location)


@jit
def exchange_location(game, rules, desk, seat, lord):
    """Let the seat exchange one of its Locations for a face-up one; the Lords under it move along."""
    player = game.players[seat]
    if player.location_count == 0 or game.open_count == reserved_from(game, seat, Area.LOCATION):
        return
    game.cause = lord
    ask(game, Decision.EXCHANGE_GIVE, seat)
    offer(game, Verb.DECLINE, 0, 0, 0)
    for i in range(player.location_count):
        offer(game, Verb.LOCATION, player.locations[i], 0, i)
    option = game.options[choose(game, rules, desk)]
    if option.verb == Verb.DECLINE:
        log(desk, Event.DECLINE, seat, lord, 0, 0, 0)
        return
    place = option.amount
    given = player.locations[place]
    ask(game, Decision.EXCHANGE_TAKE, seat)
    for i in range(game.open_count):
        if not is_reserved(game, seat, Area.LOCATION, game.open_locations[i]):
            offer(game, Verb.LOCATION, game.open_locations[i], 0, given)
    taken = game.options[choose_tile(game, rules, desk, seat)].card
    remove_open(game, taken)
    add_open(game, given)
    log(desk, Event.EXCHANGE, seat, given, taken, lord, 0)
    lose_loot(game, rules, desk, seat, given)
    release(game, desk, seat, Area.LOCATION, taken)
    taken = swap_black_smokers(game, rules, desk, seat, taken)
    player.locations[place] = taken
    for i in range(player.lord_count):
        if player.lords[i].location == given:
            player.lords[i].location = taken
    search_if_sacred(game, rules, desk, seat, taken)
