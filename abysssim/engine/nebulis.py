"""Nebulis: money that nobody wants, and the Kraken figure that goes to whoever has most of it (Kraken manual)."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, KRAKEN, MAX_VALUE, RULES
from abysssim.core.payment import usable_nebulis
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.engine.holdings import seat_after, tax_gain
from abysssim.vocabulary import Cause, Count, Decision, Event, Power, Verb

KRAKENS = int(Cause.KRAKENS)
KRAKENS_IN_HAND = int(Cause.KRAKENS_IN_HAND)


@separate((GAME, RULES, DESK), 2)
def choose_nebulis(game, rules, desk, seat, price):
    """Return how much of a price the seat pays in Nebulis.

    Only what its Pearls do not cover: all of them are spent then. With the Counterfeiter it may keep Pearls, and is
    asked.
    """
    player = game.players[seat]
    if player.nebulis == 0:
        return 0
    least = max(price - player.pearls, 0)
    most = min(usable_nebulis(rules, player), price)
    if player.power_count[Power.NEBULIS_BEFORE_PEARLS] == 0 or most <= least:
        return least
    ask(game, Decision.NEBULIS, seat)
    for amount in range(least, most + 1):
        offer(game, Verb.NEBULIS, 0, 0, amount)
    return game.options[choose(game, rules, desk)].amount


@jit
def begin_event(game):
    """Note what every seat has before an event that moves Nebulis."""
    for seat in range(game.seats):
        game.nebulis_before[seat] = game.players[seat].nebulis


@jit
def move_nebulis(game, desk, seat, change, cause):
    """Give Nebulis to a seat, or take them from it, inside an event."""
    player = game.players[seat]
    player.nebulis += change
    if change > 0:
        player.counts[Count.NEBULIS_GAINED] += change
    log(desk, Event.NEBULIS, seat, change, cause, 0, 0)


@jit
def gain_nebulis(game, rules, desk, seat, nebulis, cause):
    """Give a seat Nebulis from the supply, as an event of its own."""
    if nebulis > 0:
        begin_event(game)
        move_nebulis(game, desk, seat, nebulis, cause)
        settle_figure(game, rules, desk)


@jit
def pay_nebulis(game, rules, desk, seat, nebulis):
    """Return the Nebulis of a payment to the supply; the payment itself is logged by whoever asks for it."""
    begin_event(game)
    game.players[seat].nebulis -= nebulis
    game.players[seat].counts[Count.NEBULIS_PAID] += nebulis
    settle_figure(game, rules, desk)


@jit
def pass_nebulis(game, rules, desk, seat, explorer, nebulis):
    """Pay an explorer in Nebulis for an Ally."""
    begin_event(game)
    game.players[seat].nebulis -= nebulis
    game.players[seat].counts[Count.NEBULIS_PASSED] += nebulis
    game.players[explorer].nebulis += nebulis
    game.players[explorer].counts[Count.NEBULIS_GAINED] += nebulis
    settle_figure(game, rules, desk)


@jit
def give_to_opponents(game, rules, desk, seat, lord):
    """Resolve the Fence: a Nebulis for each opponent, for opponents of choice where there are too few."""
    player = game.players[seat]
    begin_event(game)
    given = 0  # as bits: opponents that were given one
    for _ in range(min(player.nebulis, game.seats - 1)):
        other = choose_receiver(game, rules, desk, seat, lord, given)
        given |= 1 << other
        move_nebulis(game, desk, seat, -1, lord)
        player.counts[Count.NEBULIS_PASSED] += 1
        move_nebulis(game, desk, other, 1, lord)
    settle_figure(game, rules, desk)


@jit
def choose_receiver(game, rules, desk, seat, lord, given):
    """Return the next opponent to be given a Nebulis; there is nothing to ask where there are enough for all."""
    game.cause = lord
    ask(game, Decision.GIVE_NEBULIS, seat)
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        if given >> other & 1 == 0:
            offer(game, Verb.GIVE, 0, other, 0)
    if game.players[seat].nebulis >= game.option_count:
        return game.options[0].target
    return game.options[choose(game, rules, desk)].target


@jit
def exchange_nebulis(game, rules, desk, seat, lord):
    """Resolve the Ferryman: return Nebulis to the supply; return how many, each brings a Pearl."""
    nebulis = min(rules.lords[lord].amount, game.players[seat].nebulis)
    begin_event(game)
    move_nebulis(game, desk, seat, -nebulis, lord)
    game.players[seat].counts[Count.NEBULIS_PAID] += nebulis
    settle_figure(game, rules, desk)
    return nebulis


@jit
def gain_nebulis_for_krakens(game, rules, desk, seat):
    """Give a seat the Nebulis of the Krakens that it has just paid, all at once."""
    payment = game.payment
    if payment.krakens_paid > 0:
        nebulis = 0
        for value in range(1, MAX_VALUE + 1):
            nebulis += payment.paid[KRAKEN, value] * rules.kraken_nebulis[value]
        game.players[seat].counts[Count.KRAKENS_PAID] += payment.krakens_paid
        gain_nebulis(game, rules, desk, seat, nebulis, KRAKENS)


@jit
def gain_nebulis_for_hands(game, rules, desk):
    """At the end give all seats the Nebulis of the Krakens in their hands, at once; a free Cleaner spares a seat."""
    begin_event(game)
    moved = False
    for seat in range(game.seats):
        player = game.players[seat]
        nebulis = 0
        for value in range(1, MAX_VALUE + 1):
            nebulis += player.hand[KRAKEN, value] * rules.kraken_nebulis[value]
        player.counts[Count.KRAKENS_LEFT] += player.race_count[KRAKEN]
        if nebulis > 0 and player.power_count[Power.NO_NEBULIS_FOR_KRAKENS_IN_HAND] == 0:
            move_nebulis(game, desk, seat, nebulis, KRAKENS_IN_HAND)
            moved = True
    if moved:
        settle_figure(game, rules, desk)


@separate((GAME, RULES, DESK), 0)
def settle_figure(game, rules, desk):
    """After an event that moved Nebulis: see who has the Kraken figure now."""
    holder = game.kraken_holder
    most = most_of_qualified(game, rules, holder)
    if most > 0:
        move_figure(game, desk, choose_new_holder(game, rules, desk, holder, most))
    elif holder >= 0 and has_nobody_nebulis(game):
        move_figure(game, desk, -1)
    return 0


@jit
def has_nobody_nebulis(game):
    """Tell whether all Nebulis lie in the supply."""
    for seat in range(game.seats):
        if game.players[seat].nebulis > 0:
            return False
    return True


@jit
def is_qualified(game, rules, holder, seat):
    """Tell whether a seat could take the figure: it has caught up with the holder in this event, or passed it."""
    nebulis = game.players[seat].nebulis
    if seat == holder or nebulis == 0:
        return False
    if holder < 0:
        return True
    ahead = nebulis - game.players[holder].nebulis
    behind_before = game.nebulis_before[seat] < game.nebulis_before[holder]
    return ahead > 0 or (ahead == 0 and (behind_before or rules.figure_recheck == 1))


@jit
def most_of_qualified(game, rules, holder):
    """Return the most Nebulis of a seat that could take the figure, 0 if none could."""
    most = 0
    for seat in range(game.seats):
        if is_qualified(game, rules, holder, seat):
            most = max(most, game.players[seat].nebulis)
    return most


@jit
def choose_new_holder(game, rules, desk, holder, most):
    """Return who takes the figure: of several with equally many the one that the holder chooses.

    Where nobody holds it, it is the earliest in turn order from the seat after the one who brought on the end.
    """
    first = holder
    if holder < 0:
        first = game.ended_by if game.ended_by >= 0 else game.seat
    ask(game, Decision.FIGURE, first)
    for step in range(1, game.seats + 1):
        other = seat_after(game, first, step)
        if is_qualified(game, rules, holder, other) and game.players[other].nebulis == most:
            offer(game, Verb.GIVE, 0, other, 0)
    if holder < 0:
        return game.options[0].target
    return game.options[choose(game, rules, desk)].target


@jit
def move_figure(game, desk, seat):
    """Give the Kraken figure to a seat, or back to the supply (-1)."""
    if seat >= 0:
        game.players[seat].counts[Count.FIGURE_TAKEN] += 1
    game.kraken_holder = seat
    log(desk, Event.FIGURE, seat, 0, 0, 0, 0)


@separate((GAME, RULES, DESK), 4)
def settle_sale(game, rules, desk, seat, explorer, price, nebulis):
    """Pass the Nebulis of a purchase to the explorer; its Pearls can be taxed."""
    if nebulis > 0:
        pass_nebulis(game, rules, desk, seat, explorer, nebulis)
    tax_gain(game, rules, desk, explorer, price - nebulis)
    return 0
