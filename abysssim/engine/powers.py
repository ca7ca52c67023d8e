"""The powers of the Lords: what happens on arrival, and once in each own turn (rulebook p. 12)."""

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, KINDS, MAX_VALUE, RACES, RULES
from abysssim.core.payment import purse_of
from abysssim.core.rng import below
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.engine.council import choose_stack, discard_of_choice, discard_to_commander, take_stacks
from abysssim.engine.holdings import (
    add_lord,
    add_to_hand,
    discard_ally,
    discard_stack,
    gain_pearls,
    holder_of,
    is_active,
    is_any_stack,
    is_reserved,
    remove_lord,
    reserved_from,
    seat_after,
    turn_over,
    uncover,
)
from abysssim.engine.locations import draw_with_ambassador, exchange_location
from abysssim.engine.nebulis import choose_nebulis, exchange_nebulis, give_to_opponents, pay_nebulis
from abysssim.engine.sentinels import bring_sentinel, release
from abysssim.engine.setup import add_court_lord
from abysssim.vocabulary import (
    Area,
    Count,
    Decision,
    EndTrigger,
    Event,
    Guild,
    Power,
    Purpose,
    Timing,
    Verb,
)


@jit
def trigger_end(game, desk, seat, reason):
    """Bring on the end of the game, once."""
    if game.end_trigger == EndTrigger.NONE:
        game.end_trigger = reason
        game.ended_by = seat
        log(desk, Event.END_TRIGGER, seat, reason, 0, 0, 0)


@jit
def remove_from_court(game, lord):
    """Take a Lord out of the Court; the others slide away from the deck."""
    place = 0
    while game.court[place] != lord:
        place += 1
    for i in range(place, game.court_count - 1):
        game.court[i] = game.court[i + 1]
    game.court_count -= 1
    game.lords_version += 1


@jit
def join(game, rules, desk, seat, lord, by_choice):
    """Lay a newcomer in front of the seat; the last Lord that a seat can have brings on the end."""
    player = game.players[seat]
    if by_choice:
        player.took |= 1 << lord
        player.took_turn[lord] = player.turns
    add_lord(game, rules, seat, lord)
    if player.lord_count >= rules.lords_to_end and not rules.count_at_turn_end:
        trigger_end(game, desk, seat, EndTrigger.LORDS)


@separate((GAME, RULES, DESK), 2)
def arrivals(game, rules, desk, seat, lord):
    """Resolve the arrival of a Lord, and of each further Lord that its power brings."""
    while lord >= 0:
        lord = arrive(game, rules, desk, seat, lord)
    return 0


@jit
def arrive(game, rules, desk, seat, lord):
    """Resolve what happens when a Lord arrives; return the next newcomer, -1 for none."""
    timing = rules.lords[lord].timing
    if timing == Timing.ONCE:
        power = rules.lords[lord].power
        if power >= Power.OPPONENTS_DISCARD_ALLY and power <= Power.OPPONENTS_DISCARD_AFFILIATED:
            strike_opponents(game, rules, desk, seat, lord)
        elif power == Power.RECRUIT_FOR_PEARLS:
            return recruit_for_pearls(game, rules, desk, seat, lord)
        elif power == Power.SWAP_LORD_WITH_COURT or power == Power.SWAP_LORD_WITH_DECK:
            return swap_lord(game, rules, desk, seat, lord)
        else:
            benefit(game, rules, desk, seat, lord)
    elif timing == Timing.LASTING:
        settle_in(game, rules, desk, seat, lord)
    return -1


@jit
def settle_in(game, rules, desk, seat, lord):
    """Apply what a lasting power does at once: the Landlord's first Pearl, the Commander's cut, a Sentinel."""
    card = rules.lords[lord]
    if card.power == Power.PEARLS_AT_TURN_START:
        gain_pearls(game, rules, desk, seat, card.amount, lord)
    elif card.power == Power.OPPONENTS_HAND_LIMIT:
        for step in range(1, game.seats):
            discard_to_commander(game, rules, desk, seat_after(game, seat, step))
    elif card.power == Power.SENTINEL:
        bring_sentinel(game, rules, desk, seat, lord)


@jit
def benefit(game, rules, desk, seat, lord):
    """Resolve an arrow that concerns its owner alone."""
    power = rules.lords[lord].power
    amount = rules.lords[lord].amount
    if power == Power.GAIN_PEARLS:
        gain_pearls(game, rules, desk, seat, amount, lord)
    elif power == Power.EXTRA_TURN:
        give_extra_turns(game, rules, desk, seat, lord)
    elif power == Power.TAKE_COUNCIL_STACK:
        take_stacks(game, rules, desk, seat, amount, lord)
    elif power == Power.EXCHANGE_LOCATION:
        exchange_location(game, rules, desk, seat, lord)
    elif power == Power.DRAW_LOCATIONS:
        draw_with_ambassador(game, rules, desk, seat, lord)
    elif power == Power.GIVE_NEBULIS_TO_EACH_OPPONENT:
        give_to_opponents(game, rules, desk, seat, lord)
    elif power == Power.TAKE_ALLY_FROM_DISCARD:
        for _ in range(amount):
            take_from_discard(game, rules, desk, seat, lord)
    elif power == Power.FREE_LORD:
        free_lord(game, rules, desk, seat, lord)


@jit
def pay_shareholders(game, rules, desk, seat):
    """Pay opponents with a Shareholder: the seat has recruited a Lord."""
    if game.power_count[Power.PEARL_WHEN_OPPONENT_RECRUITS] == 0:
        return
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        amount = game.players[other].power_amount[Power.PEARL_WHEN_OPPONENT_RECRUITS]
        if amount > 0:
            lord = holder_of(game, rules, other, Power.PEARL_WHEN_OPPONENT_RECRUITS)
            gain_pearls(game, rules, desk, other, amount, lord)


@jit
def take_from_discard(game, rules, desk, seat, lord):
    """Let the Healer's owner take an Ally, not a Monster, out of the discard."""
    game.cause = lord
    ask(game, Decision.FROM_DISCARD, seat)
    offer(game, Verb.DECLINE, 0, 0, 0)
    for race in range(KINDS):
        for value in range(1, MAX_VALUE + 1):
            if game.discard[race, value] > 0:
                offer(game, Verb.ALLY, race, 0, value)
    if game.option_count == 1:
        return
    option = game.options[choose(game, rules, desk)]
    if option.verb == Verb.DECLINE:
        log(desk, Event.DECLINE, seat, lord, 0, 0, 0)
        return
    race = option.card
    value = option.amount
    game.discard[race, value] -= 1
    game.discard_count -= 1
    add_to_hand(game, seat, race, value)
    log(desk, Event.FROM_DISCARD, seat, race, value, lord, 0)


@jit
def free_lord(game, rules, desk, seat, lord):
    """Resolve the Liberator: a Lord under one of the seat's Locations is free again; its arrow does not act again."""
    player = game.players[seat]
    game.cause = lord
    ask(game, Decision.COVERED_LORD, seat)
    for i in range(player.lord_count):
        if player.lords[i].location >= 0:
            offer(game, Verb.LORD, player.lords[i].lord, seat, i)
    if game.option_count > 0:
        place = game.options[choose(game, rules, desk)].amount
        held = player.lords[place]
        log(desk, Event.FREED, seat, held.lord, held.location, lord, 0)
        uncover(game, rules, seat, place)


@jit
def give_extra_turns(game, rules, desk, seat, lord):
    """Give the Invoker's turn: in last turns as well, but under a ruling not once the end is brought on."""
    if game.end_trigger == EndTrigger.NONE or not rules.no_extra_after_trigger:
        game.players[seat].extra_turns += rules.lords[lord].amount
        log(desk, Event.EXTRA_TURN, seat, lord, 0, 0, 0)


@jit
def is_protected(game, rules, seat, lord):
    """Tell whether the seat's Shaman keeps this Lord's power away: it is a Soldier's."""
    return rules.lords[lord].guild == Guild.SOLDIER and (game.players[seat].power_count[Power.IMMUNE_TO_SOLDIERS] > 0)


@jit
def strike_opponents(game, rules, desk, seat, lord):
    """Resolve an arrow that hits opponents, clockwise from the recruiter."""
    power = rules.lords[lord].power
    if power == Power.STEAL_MONSTER_TOKEN:
        for _ in range(rules.lords[lord].amount):
            steal_monster_token(game, rules, desk, seat, lord)
        return
    race = name_race(game, rules, desk, seat, lord) if power == Power.OPPONENTS_DISCARD_AFFILIATED else 0
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        if not is_protected(game, rules, other, lord):
            if power == Power.OPPONENTS_DISCARD_ALLY:
                for _ in range(min(rules.lords[lord].amount, game.players[other].hand_size)):
                    discard_of_choice(game, rules, desk, other, lord, 0)
            elif power == Power.OPPONENTS_LOSE_PEARLS:
                lose_pearls(game, desk, other, rules.lords[lord].amount, lord)
            elif power == Power.OPPONENTS_DISCARD_AFFILIATED:
                for _ in range(rules.lords[lord].amount):
                    discard_affiliated(game, rules, desk, other, race, lord)
            else:
                turn_lord(game, rules, desk, seat, other, lord)


@jit
def name_race(game, rules, desk, seat, lord):
    """Ask the Executioner's owner for a Race."""
    game.cause = lord
    ask(game, Decision.RACE, seat)
    for race in range(RACES):
        offer(game, Verb.RACE, race, 0, 0)
    race = game.options[choose(game, rules, desk)].card
    log(desk, Event.NAME_RACE, seat, race, lord, 0, 0)
    return race


@jit
def discard_affiliated(game, rules, desk, seat, race, lord):
    """Make a seat discard one affiliated Ally of a Race, of its own choice."""
    player = game.players[seat]
    game.cause = lord
    ask(game, Decision.DISCARD_AFFILIATED, seat)
    for value in range(1, MAX_VALUE + 1):
        if player.affiliated[race, value] > 0:
            offer(game, Verb.DISCARD, race, 0, value)
    if game.option_count > 0:
        value = game.options[choose(game, rules, desk)].amount
        player.affiliated[race, value] -= 1
        discard_ally(game, race, value)
        log(desk, Event.DISCARD_AFFILIATED, seat, race, value, lord, 0)


@jit
def lose_pearls(game, desk, seat, amount, lord):
    """Return up to `amount` of a seat's Pearls to the supply."""
    lost = min(amount, game.players[seat].pearls)
    game.players[seat].pearls -= lost
    if lost > 0:
        log(desk, Event.LOSE, seat, lost, lord, 0, 0)


@jit
def turn_lord(game, rules, desk, seat, other, lord):
    """Let the recruiter turn free, unturned Lords of an opponent."""
    rival = game.players[other]
    for _ in range(rules.lords[lord].amount):
        game.cause = lord
        ask(game, Decision.OPPONENT_LORD, seat)
        for i in range(rival.lord_count):
            if is_active(rival.lords[i]):
                offer(game, Verb.LORD, rival.lords[i].lord, other, 0)
        if game.option_count > 0:
            victim = game.options[choose(game, rules, desk)].card
            for i in range(rival.lord_count):
                if rival.lords[i].lord == victim:
                    turn_over(game, rules, other, i)
            log(desk, Event.TURNED, other, victim, lord, 0, 0)


@jit
def steal_monster_token(game, rules, desk, seat, lord):
    """Take a random Monster token from an opponent of choice who has one."""
    game.cause = lord
    ask(game, Decision.OPPONENT, seat)
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        if game.players[other].monster_token_count > 0 and not is_protected(game, rules, other, lord):
            offer(game, Verb.TARGET, 0, other, 0)
    if game.option_count == 0:
        return
    target = game.options[choose(game, rules, desk)].target
    value = random_token(game, target)
    for owner, change in ((target, -1), (seat, 1)):
        game.players[owner].monster_tokens[value] += change
        game.players[owner].monster_token_count += change
    log(desk, Event.STEAL, seat, target, value, lord, 0)


@jit
def random_token(game, seat):
    """Return the value of a random Monster token of the seat."""
    player = game.players[seat]
    left = below(game, Purpose.STEAL, game.steals, player.monster_token_count)
    game.steals += 1
    value = 0
    while left >= player.monster_tokens[value]:
        left -= player.monster_tokens[value]
        value += 1
    return value


@jit
def offer_court(game, desk, seat):
    """Add the Court's Lords to the decision, from the space nearest the deck; a known bar leaves one out."""
    for i in range(game.court_count - 1, -1, -1):
        lord = game.court[i]
        if game.players[seat].bar_known[lord] == 0 and not is_reserved(game, seat, Area.COURT, lord):
            offer(game, Verb.LORD, lord, -1, 0)
            game.barred += desk.bars[seat, lord]


@jit
def recruit_for_pearls(game, rules, desk, seat, lord):
    """Let the seat take a second Court Lord for Pearls; return it, or -1."""
    price = rules.lords[lord].amount
    if purse_of(rules, game.players[seat]) < price or game.court_count == 0:
        return -1
    game.cause = lord
    ask(game, Decision.COURT_LORD, seat)
    offer(game, Verb.DECLINE, 0, 0, 0)
    offer_court(game, desk, seat)
    option = game.options[choose(game, rules, desk)]
    if option.verb == Verb.DECLINE:
        log(desk, Event.DECLINE, seat, lord, 0, 0, 0)
        return -1
    newcomer = option.card
    nebulis = choose_nebulis(game, rules, desk, seat, price) if rules.kraken else 0
    game.players[seat].pearls -= price - nebulis
    remove_from_court(game, newcomer)
    game.last_recruitment = game.turn
    log(desk, Event.TAKE_LORD, seat, newcomer, price - nebulis, -1, lord)
    if nebulis > 0:
        log(desk, Event.NEBULIS, seat, -nebulis, lord, 0, 0)
        pay_nebulis(game, rules, desk, seat, nebulis)
    release(game, desk, seat, Area.COURT, newcomer)
    join(game, rules, desk, seat, newcomer, True)
    if rules.only_paid == 0:
        pay_shareholders(game, rules, desk, seat)
    return newcomer


@jit
def swap_lord(game, rules, desk, seat, lord):
    """Let the seat give up another free Lord for one of the Court or the top of the deck; return it, or -1."""
    from_court = rules.lords[lord].power == Power.SWAP_LORD_WITH_COURT
    given_up = np.int64(-1)
    newcomer = np.int64(-1)
    thinking = True
    while thinking:
        thinking = False
        source = court_offers(game, desk, seat) if from_court else game.lord_deck_count
        given_up = choose_own_lord(game, rules, desk, seat, lord) if source > 0 else np.int64(-1)
        if given_up >= 0 and from_court:
            ask(game, Decision.COURT_LORD, seat)
            offer_court(game, desk, seat)
            newcomer = game.options[choose(game, rules, desk)].card
            # A seat that meant to give up a Lord for one that it may not have thinks again.
            thinking = game.barred < 0
    if given_up < 0:
        return np.int64(-1)
    player = game.players[seat]
    gone = player.lords[given_up].lord
    if from_court:
        remove_from_court(game, newcomer)
    else:
        game.lord_deck_count -= 1
        newcomer = game.lord_deck[game.lord_deck_count]
    remove_lord(game, rules, seat, given_up)
    log(desk, Event.TAKE_LORD, seat, newcomer, 0, gone, lord)
    if from_court:
        release(game, desk, seat, Area.COURT, newcomer)
    join(game, rules, desk, seat, newcomer, from_court)
    return newcomer


@jit
def court_offers(game, desk, seat):
    """Return how many Court Lords the seat could take, as far as it knows."""
    ask(game, Decision.COURT_LORD, seat)
    offer_court(game, desk, seat)
    return game.option_count


@jit
def choose_own_lord(game, rules, desk, seat, lord):
    """Ask which free Lord, other than the one that acts, is given up; return its place, or -1."""
    player = game.players[seat]
    game.cause = lord
    ask(game, Decision.OWN_LORD, seat)
    offer(game, Verb.DECLINE, 0, 0, 0)
    for i in range(player.lord_count):
        if player.lords[i].location < 0 and player.lords[i].lord != lord:
            offer(game, Verb.LORD, player.lords[i].lord, seat, i)
    if game.option_count == 1:
        return -1
    option = game.options[choose(game, rules, desk)]
    if option.verb == Verb.DECLINE:
        log(desk, Event.DECLINE, seat, lord, 0, 0, 0)
        return -1
    return option.amount


@jit
def can_use(game, rules, seat, held):
    """Tell whether a once-per-turn Lord is active, unused, and can do something."""
    card = rules.lords[held.lord]
    if card.timing != Timing.TURN or held.used == 1 or not is_active(held):
        return False
    if card.power == Power.DISCARD_ALLY_FOR_PEARLS:
        return game.players[seat].hand_size > 0
    if card.power == Power.DISCARD_COUNCIL_STACK:
        return is_any_stack(game, seat)
    if card.power == Power.NEBULIS_TO_PEARL:
        return game.players[seat].nebulis > 0
    if card.power == Power.ADD_COURT_LORD:
        return game.court_count < rules.court_slots and game.lord_deck_count > 0
    return game.court_count > reserved_from(game, seat, Area.COURT) and game.lord_deck_count > 0


@jit
def offer_uses(game, rules, seat):
    """Add the once-per-turn powers that the seat can use now to the decision."""
    player = game.players[sure(seat)]
    if player.turn_powers == 0:
        return
    for i in range(player.lord_count):
        if can_use(game, rules, seat, player.lords[i]):
            offer(game, Verb.USE, player.lords[i].lord, 0, i)


@jit
def use(game, rules, desk, seat, place):
    """Use a once-per-turn power."""
    held = game.players[seat].lords[place]
    held.used = 1
    lord = held.lord
    power = rules.lords[lord].power
    game.players[seat].counts[Count.POWERS_USED] += 1
    log(desk, Event.USE, seat, lord, 0, 0, 0)
    if power == Power.DISCARD_ALLY_FOR_PEARLS:
        discard_of_choice(game, rules, desk, seat, lord, 0)
        gain_pearls(game, rules, desk, seat, rules.lords[lord].amount, lord)
    elif power == Power.DISCARD_COUNCIL_STACK:
        race = choose_stack(game, rules, desk, seat, lord)
        discard_stack(game, desk, seat, race, lord)
        release(game, desk, seat, Area.COUNCIL, race)
    elif power == Power.NEBULIS_TO_PEARL:
        gain_pearls(game, rules, desk, seat, exchange_nebulis(game, rules, desk, seat, lord), lord)
    elif power == Power.ADD_COURT_LORD:
        add_court_lord(game)
        log(desk, Event.PLOT, seat, game.court[game.court_count - 1], 0, 0, 0)
    else:
        replace_court_lord(game, rules, desk, seat, lord)


@jit
def replace_court_lord(game, rules, desk, seat, lord):
    """Put the top Lord of the deck in the place of a Court Lord, which leaves the game."""
    game.cause = lord
    ask(game, Decision.COURT_LORD, seat)
    for i in range(game.court_count - 1, -1, -1):
        if not is_reserved(game, seat, Area.COURT, game.court[i]):
            offer(game, Verb.LORD, game.court[i], -1, 0)
    removed = game.options[choose(game, rules, desk)].card
    game.lord_deck_count -= 1
    added = game.lord_deck[game.lord_deck_count]
    for i in range(game.court_count):
        if game.court[i] == removed:
            game.court[i] = added
    game.lords_version += 1
    log(desk, Event.REPLACE, seat, removed, added, lord, 0)
    release(game, desk, seat, Area.COURT, removed)
