"""Asking the Council for support, and giving Allies up: discards to a limit or for a power (rulebook p. 6, 12)."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, KINDS, KRAKEN, MAX_VALUE, RACES, RULES
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.engine.holdings import (
    add_to_hand,
    clear_stack,
    discard_ally,
    holder_of,
    is_active,
    is_any_stack,
    is_reserved,
    log_stack,
    opponents_have,
    seat_after,
    take_from_hand,
)
from abysssim.engine.nebulis import gain_nebulis
from abysssim.engine.sentinels import release
from abysssim.vocabulary import Area, Cause, Count, Decision, Event, Guild, Power, Verb

ACTION = int(Cause.ACTION)
HAND_LIMIT = int(Cause.HAND_LIMIT)
NO_LIMIT = 9999


@jit
def ask_council(game, rules, desk, seat, race):
    """Take a whole stack unseen; with the Alchemist also further ones, compulsory while one is left."""
    game.players[seat].counts[Count.COUNCIL_ACTIONS] += 1
    take_stack(game, desk, seat, race, ACTION)
    more = game.players[seat].power_amount[Power.EXTRA_COUNCIL_STACK]
    if more > 0:
        take_stacks(game, rules, desk, seat, more, holder_of(game, rules, seat, Power.EXTRA_COUNCIL_STACK))


@jit
def take_stacks(game, rules, desk, seat, count, lord):
    """Let the seat take `count` stacks one after the other, as far as there are any."""
    for _ in range(count):
        if is_any_stack(game, seat):
            take_stack(game, desk, seat, choose_stack(game, rules, desk, seat, lord), lord)


@jit
def choose_stack(game, rules, desk, seat, lord):
    """Ask, for a Lord's power, for a Council stack that is not empty; return its Race."""
    game.cause = lord
    ask(game, Decision.STACK, seat)
    for race in range(RACES):
        if game.council_size[race] > 0 and not is_reserved(game, seat, Area.COUNCIL, race):
            offer(game, Verb.STACK, race, 0, 0)
    return game.options[choose(game, rules, desk)].card


@jit
def take_stack(game, desk, seat, race, cause):
    """Put all cards of a stack into the seat's hand."""
    log(desk, Event.COUNCIL, seat, race, cause, 0, 0)
    log_stack(game, desk, seat, race)
    game.players[seat].counts[Count.COUNCIL_CARDS] += game.council_size[race]
    for value in range(1, MAX_VALUE + 1):
        for _ in range(game.council[race, value]):
            add_to_hand(game, seat, race, value)
        for _ in range(game.council_krakens[race, value]):
            add_to_hand(game, seat, KRAKEN, value)
    clear_stack(game, race)
    release(game, desk, seat, Area.COUNCIL, race)


@separate((GAME, RULES, DESK), 3)
def discard_of_choice(game, rules, desk, seat, cause, may_pay):
    """Make the seat discard one Ally of its choice (or, if `may_pay` is 1, a Pearl instead).

    Krakens are not for the hand limit.
    """
    player = game.players[seat]
    game.cause = cause
    ask(game, Decision.DISCARD, seat)
    for race in range(RACES if cause == HAND_LIMIT else KINDS):
        for value in range(1, MAX_VALUE + 1):
            if player.hand[race, value] > 0:
                offer(game, Verb.DISCARD, race, 0, value)
    if may_pay:
        offer(game, Verb.PAY_PEARL, 0, 0, 0)
    option = game.options[choose(game, rules, desk)]
    if option.verb == Verb.PAY_PEARL:
        player.pearls -= 1
        log(desk, Event.DISCARD, seat, -1, 0, cause, 0)
    else:
        race = option.card
        value = option.amount
        take_from_hand(game, seat, race, value)
        discard_ally(game, race, value)
        log(desk, Event.DISCARD, seat, race, value, cause, 0)
        if race == KRAKEN and rules.nebulis_on_any_discard:
            gain_nebulis(game, rules, desk, seat, rules.kraken_nebulis[value], cause)
    return 0


@jit
def commander_against(game, rules, seat):
    """Return the strictest Commander that reaches the seat, -1 for none: the seat may keep its amount of Allies."""
    strictest = -1
    limit = NO_LIMIT
    immune = game.players[seat].power_count[Power.IMMUNE_TO_SOLDIERS] > 0
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        rival = game.players[other]
        if rival.power_count[Power.OPPONENTS_HAND_LIMIT] > 0:
            for i in range(rival.lord_count):
                lord = rival.lords[i].lord
                card = rules.lords[lord]
                if card.power == Power.OPPONENTS_HAND_LIMIT and is_active(rival.lords[i]):
                    blocked = immune and card.guild == Guild.SOLDIER
                    if not blocked and card.amount < limit:
                        limit = card.amount
                        strictest = lord
    return strictest


@jit
def discard_to_commander(game, rules, desk, seat):
    """Cut a hand to the limit that opposing Commanders set, cards of the seat's own choice."""
    lord = commander_against(game, rules, seat) if opponents_have(game, seat, Power.OPPONENTS_HAND_LIMIT) else -1
    if lord >= 0:
        while game.players[seat].hand_size > rules.lords[lord].amount:
            discard_of_choice(game, rules, desk, seat, lord, 0)


@jit
def discard_to_hand_limit(game, rules, desk, seat):
    """Apply martial law: for each Ally above the limit, discard one or pay a Pearl."""
    if rules.hand_limit > 0:
        player = game.players[seat]
        for _ in range(player.hand_size - rules.hand_limit):
            if player.pearls > 0 or player.hand_size > player.race_count[KRAKEN]:
                discard_of_choice(game, rules, desk, seat, HAND_LIMIT, 1 if player.pearls > 0 else 0)
