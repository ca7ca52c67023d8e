"""Recruiting a Lord: payment, affiliation, arrival, the Court (rulebook p. 7-8)."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, MAX_VALUE, RACES, RULES
from abysssim.core.payment import (
    add_card,
    begin_payment,
    bound_with,
    first_new_race,
    is_complete,
    is_exact_enough,
    last_new_race,
    most_after,
    rest_of_race,
    takes_more,
)
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.engine.holdings import discard_ally, take_from_hand
from abysssim.engine.powers import arrivals, join, remove_from_court, trigger_end
from abysssim.engine.setup import add_court_lord
from abysssim.vocabulary import Count, Decision, EndTrigger, Event, Power, Verb


@separate((GAME, RULES, DESK), 2)
def recruit(game, rules, desk, seat, lord):
    """Pay for a Court Lord, affiliate, let the Lord arrive with its power, and see to the Court."""
    pay(game, rules, desk, seat, lord)
    affiliate(game, rules, desk, seat)
    remove_from_court(game, lord)
    game.players[seat].counts[Count.RECRUITMENTS] += 1
    game.last_recruitment = game.turn
    join(game, rules, desk, seat, lord, True)
    if rules.refill_before_power:
        refill(game, rules, desk, seat)
        arrivals(game, rules, desk, seat, lord)
    else:
        arrivals(game, rules, desk, seat, lord)
        refill(game, rules, desk, seat)
    return 0


@jit
def answer(game, rules, desk):
    """Return the number of the option taken; `choose` need not be called for the only one."""
    return choose(game, rules, desk) if game.option_count > 1 else 0


@jit
def pay(game, rules, desk, seat, lord):
    """Ask for the payment card by card; Pearls make up the missing points."""
    begin_payment(game, rules, seat, lord)
    payment = game.payment
    while payment.races_paid < payment.races or takes_more(payment, rules):
        offer_payments(game, rules, seat)
        option = game.options[answer(game, rules, desk)]
        if option.verb == Verb.PAY_DONE:
            break
        add_card(payment, option.card, option.amount)
    settle(game, desk, seat)


@jit
def offer_payments(game, rules, seat):
    """List every next card with which a legal payment can be completed, and `done` if it is complete."""
    payment = game.payment
    player = game.players[seat]
    wanted = payment.races - payment.races_paid
    missing = payment.cost - player.pearls - payment.total
    ask(game, Decision.PAYMENT, seat)
    if payment.races_paid > 0 and takes_more(payment, rules):
        rest = rest_of_race(payment)
        needed = missing - most_after(payment, payment.last_race, wanted)
        if rest >= max(needed, 1):
            offer_payments_of_race(game, rules, seat, payment.last_race, wanted, rest, needed)
    if wanted > 0:
        for race in range(first_new_race(payment), last_new_race(payment) + 1):
            rest = player.race_total[race]
            needed = missing - most_after(payment, race, wanted - 1)
            if rest >= max(needed, 1):
                offer_payments_of_race(game, rules, seat, race, wanted - 1, rest, needed)
    if is_complete(payment, player):
        offer(game, Verb.PAY_DONE, 0, 0, 0)


@jit
def offer_payments_of_race(game, rules, seat, race, wanted, rest, needed):
    """List the next cards of one Race with which a legal payment can be completed.

    Those that may come next total `rest`, and lower cards leave less; `needed` is missing with the most that `wanted`
    later Races can add. Where the most is within the bound, a superfluous card need not be feared.
    """
    payment = game.payment
    player = game.players[seat]
    highest = payment.last_value if race == payment.last_race else MAX_VALUE
    for value in range(highest, 0, -1):
        left = player.hand[race, value] - payment.paid[race, value]
        if left > 0:
            spare = player.pearls + bound_with(payment, race, value)
            if rest - needed < spare or is_exact_enough(game, rules, seat, race, value, wanted):
                offer(game, Verb.PAY, race, 0, value)
                payment.rest[race, value] = rest
            rest -= left * value
            if rest < max(needed, 1):
                return


@jit
def settle(game, desk, seat):
    """Move the cards out of the hand and take the Pearls for the missing points."""
    payment = game.payment
    player = game.players[seat]
    pearls = max(payment.cost - payment.total, 0)
    player.pearls -= pearls
    player.counts[Count.PEARLS_PAID] += pearls
    player.counts[Count.VALUE_PAID] += payment.total
    log(desk, Event.RECRUIT, seat, payment.lord, pearls, payment.cost, 0)
    for i in range(payment.kind_count):
        race = payment.kind_race[i]
        value = payment.kind_value[i]
        for _ in range(payment.paid[race, value]):
            take_from_hand(game, seat, race, value)
            player.counts[Count.ALLIES_PAID] += 1
    log_payment(game, desk, seat)


@jit
def log_payment(game, desk, seat):
    """Log the cards of the payment, one entry each."""
    if desk.recording:
        for race in range(RACES):
            for value in range(1, MAX_VALUE + 1):
                for _ in range(game.payment.paid[race, value]):
                    log(desk, Event.PAID, seat, race, value, 0, 0)


@jit
def affiliate(game, rules, desk, seat):
    """Affiliate the lowest Ally paid (any of them with the Master of Magic) and discard the rest."""
    payment = game.payment
    offer_affiliations(game, seat)
    option = game.options[answer(game, rules, desk)]
    chosen_race = option.card
    chosen_value = option.amount
    game.players[seat].affiliated[chosen_race, chosen_value] += 1
    log(desk, Event.AFFILIATE, seat, chosen_race, chosen_value, 0, 0)
    payment.paid[chosen_race, chosen_value] -= 1
    for i in range(payment.kind_count):
        race = payment.kind_race[i]
        value = payment.kind_value[i]
        for _ in range(payment.paid[race, value]):
            discard_ally(game, race, value)


@jit
def offer_affiliations(game, seat):
    """List the Allies paid that may be affiliated."""
    payment = game.payment
    any_value = game.players[seat].power_count[Power.AFFILIATE_ANY] > 0
    highest = MAX_VALUE if any_value else payment.lowest
    ask(game, Decision.AFFILIATE, seat)
    for race in range(RACES):
        for value in range(payment.lowest, highest + 1):
            if payment.paid[race, value] > 0:
                offer(game, Verb.AFFILIATE, race, 0, value)


@jit
def refill(game, rules, desk, seat):
    """With few Lords left in the Court: Pearls, and new Lords. A Court that stays short brings on the end."""
    if game.court_count > rules.refill_when_lords_left:
        return
    pearls = rules.refill_pearls
    game.players[seat].pearls += pearls
    log(desk, Event.REFILL, seat, pearls, 0, 0, 0)
    while game.court_count < rules.court_slots and game.lord_deck_count > 0:
        add_court_lord(game)
        log(desk, Event.REFILL_LORD, seat, game.court[game.court_count - 1], 0, 0, 0)
    if game.court_count < rules.court_slots:
        trigger_end(game, desk, seat, EndTrigger.REFILL)


@jit
def plot(game, rules, desk, seat):
    """Pay a Pearl to add a Lord to the Court (rulebook p. 4)."""
    player = game.players[seat]
    player.pearls -= rules.plot_cost
    player.counts[Count.PLOTS] += 1
    add_court_lord(game)
    log(desk, Event.PLOT, seat, game.court[game.court_count - 1], rules.plot_cost, 0, 0)


@jit
def can_plot(game, rules, seat):
    """Tell whether the seat may plot: a Pearl, a free Court space, a Lord in the deck."""
    return (
        game.players[seat].pearls >= rules.plot_cost
        and game.court_count < rules.court_slots
        and game.lord_deck_count > 0
    )
