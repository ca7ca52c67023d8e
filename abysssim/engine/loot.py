"""Searching a Sacred Place: the Loot deck, its rewards, and stopping in time (Kraken manual)."""

from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import CARD_BITS, CARD_STEP, DESK, GAME, LEFT_BITS, LOOT_VALUES, MAX_SEARCHES, RULES
from abysssim.engine.choice import ask_either, choose, log
from abysssim.engine.explore import MONSTER_CARD, draw_tokens, gain_keys, reshuffle
from abysssim.engine.holdings import add_to_hand, tax_gain, usable_keys
from abysssim.vocabulary import Count, Decision, EndTrigger, Event, Verb


@inline
def search_if_sacred(game, rules, desk, seat, location):
    """Search a Location that has just been taken, if it is a Sacred Place."""
    if rules.locations[location].sacred:
        search(game, rules, desk, seat, location)


@separate((GAME, RULES, DESK), 2)
def search(game, rules, desk, seat, location):
    """Draw Loot until the seat stops, draws a duplicate, or none is left."""
    game.searched = location
    game.players[seat].counts[Count.SEARCHES] += 1
    number = note_search(game, desk, seat, location)
    searching = True
    while searching and game.loot_deck_count > 0:
        value = draw_loot(game, rules, desk, seat, location)
        if game.loot[location] >> value & 1:
            lose_duplicate(game, desk, seat, location, value)
            desk.searches[number].held |= 1 << value
            desk.searches[number].duplicate = value
            searching = False
        else:
            game.loot[location] |= 1 << value
            desk.searches[number].held = game.loot[location]
            searching = game.loot_deck_count > 0 and searches_on(game, rules, desk, seat, location)
    return 0


@jit
def note_search(game, desk, seat, location):
    """Note for studies how a search begins; return its place among those noted (the last one where there is no room).

    What a policy may weigh is noted as it is before the first draw.
    """
    number = min(desk.search_count, MAX_SEARCHES - 1)
    desk.search_count += 1
    note = desk.searches[number]
    note.task = desk.task
    note.seat = seat
    note.location = location
    note.keys = usable_keys(game.players[seat])
    note.lords = 0
    for other in range(game.seats):
        note.lords = max(note.lords, game.players[other].lord_count)
    note.tokens = game.token_count
    note.last = 1 if game.end_trigger != EndTrigger.NONE and game.players[seat].extra_turns == 0 else 0
    note.left = 0
    for place in range(game.loot_deck_count):
        note.left += 1 << LEFT_BITS * game.loot_deck[place]
    note.held = 0
    note.duplicate = -1
    return number


@jit
def searches_on(game, rules, desk, seat, location):
    """Ask the seat whether it goes on."""
    ask_either(game, Decision.SEARCH, seat, Verb.SEARCH, Verb.STOP, location, 0, 0)
    stops = choose(game, rules, desk)
    if stops:
        log(desk, Event.LOOT_STOP, seat, location, 0, 0, 0)
    return stops == 0


@jit
def draw_loot(game, rules, desk, seat, location):
    """Draw the top Loot and take its reward at once; return its value."""
    player = game.players[seat]
    game.loot_deck_count -= 1
    value = game.loot_deck[game.loot_deck_count]
    reward = rules.loot_rewards[value]
    player.counts[Count.LOOT_DRAWN] += 1
    player.pearls += reward.pearls
    keys = gain_keys(game, rules, seat, reward.keys)
    log(desk, Event.LOOT, seat, value, location, reward.pearls, keys)
    draw_tokens(game, desk, seat, reward.monster_tokens)
    tax_gain(game, rules, desk, seat, reward.pearls)
    for _ in range(reward.allies):
        draw_ally(game, rules, desk, seat)
    return value


@jit
def draw_ally(game, rules, desk, seat):
    """Draw the top Ally of the Exploration deck; Monsters in its way raise the threat and are discarded."""
    for _ in range(game.deck_count + game.discard_count + game.discard_monsters):
        if game.deck_count == 0:
            reshuffle(game, desk, seat)
        game.deck_count -= 1
        card = game.deck[game.deck_count]
        if card < MONSTER_CARD:
            race = card >> CARD_BITS
            value = card & CARD_STEP - 1
            log(desk, Event.LOOT_DRAW, seat, race, value, game.threat, 0)
            add_to_hand(game, seat, race, value)
            return
        game.discard_monsters += 1
        game.threat = min(game.threat + 1, rules.spaces - 1)
        log(desk, Event.LOOT_DRAW, seat, -1, 0, game.threat, 0)


@jit
def lose_duplicate(game, desk, seat, location, value):
    """Take both Loot of a value out of the game."""
    game.loot[location] &= ~(1 << value)
    game.loot_lost[value] += 2
    game.players[seat].counts[Count.BUSTS] += 1
    log(desk, Event.LOOT_LOST, seat, value, location, 0, 0)


@jit
def lose_loot(game, rules, desk, seat, location):
    """Take the Loot on a Location that is given up out of the game (under a ruling it stays)."""
    if game.loot[location] != 0 and rules.loot_stays == 0:
        for value in range(LOOT_VALUES):
            game.loot_lost[value] += game.loot[location] >> value & 1
        game.loot[location] = 0
        log(desk, Event.LOOT_GONE, seat, location, 0, 0, 0)
