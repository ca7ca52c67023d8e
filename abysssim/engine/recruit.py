"""Recruiting a Lord: payment, affiliation, arrival, the Court (rulebook p. 7-8)."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, MAX_VALUE, RACES, RULES
from abysssim.core.payment import (
    add_card,
    begin_payment,
    is_complete,
    is_exact_enough,
    most_after,
    rest_of_race,
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
def pay(game, rules, desk, seat, lord):
    """Ask for the payment card by card; Pearls make up the missing points."""
    begin_payment(game, rules, seat, lord)
    payment = game.payment
    paying = True
    while paying:
        offer_payments(game, rules, seat)
        option = game.options[choose(game, rules, desk)]
        if option.verb == Verb.PAY_DONE:
            paying = False
        else:
            add_card(payment, option.card, option.amount)
    settle(game, desk, seat)


@jit
def offer_payments(game, rules, seat):
    """List every next card with which a legal payment can be completed, and `done` if it is complete."""
    payment = game.payment
    player = game.players[seat]
    ask(game, Decision.PAYMENT, seat)
    for race in range(payment.last_race, RACES):
        if player.race_count[race] > 0:
            most_later = most_after(payment, player, race)
            if most_later >= 0:
                offer_payments_of_race(game, rules, seat, race, most_later)
    if is_complete(game, rules, seat):
        offer(game, Verb.PAY_DONE, 0, 0, 0)


@jit
def offer_payments_of_race(game, rules, seat, race, most_later):
    """List the next cards of one Race with which a legal payment can be completed.

    `most_later` is the most that later Races can add; what is missing then must come from this one, and lower cards
    leave it less.
    """
    payment = game.payment
    player = game.players[seat]
    highest = payment.last_value if race == payment.last_race else MAX_VALUE
    missing = payment.cost - player.pearls - payment.total - most_later
    rest = rest_of_race(payment, player, race, highest)
    for value in range(highest, 0, -1):
        left = player.hand[race, value] - payment.paid[race, value]
        if left > 0:
            if rest < missing:
                return
            if is_exact_enough(game, rules, seat, race, value):
                offer(game, Verb.PAY, race, 0, value)
            rest -= left * value


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
    for race in range(RACES):
        for value in range(1, MAX_VALUE + 1):
            for _ in range(payment.paid[race, value]):
                take_from_hand(game, seat, race, value)
                player.counts[Count.ALLIES_PAID] += 1
                log(desk, Event.PAID, seat, race, value, 0, 0)


@jit
def affiliate(game, rules, desk, seat):
    """Affiliate the lowest Ally paid (any of them with the Master of Magic) and discard the rest."""
    offer_affiliations(game, seat)
    option = game.options[choose(game, rules, desk)]
    chosen_race = option.card
    chosen_value = option.amount
    game.players[seat].affiliated[chosen_race, chosen_value] += 1
    log(desk, Event.AFFILIATE, seat, chosen_race, chosen_value, 0, 0)
    game.payment.paid[chosen_race, chosen_value] -= 1
    for race in range(RACES):
        for value in range(1, MAX_VALUE + 1):
            for _ in range(game.payment.paid[race, value]):
                discard_ally(game, race, value)


@jit
def offer_affiliations(game, seat):
    """List the Allies paid that may be affiliated."""
    paid = game.payment.paid
    lowest = MAX_VALUE
    for value in range(MAX_VALUE, 0, -1):
        for race in range(RACES):
            if paid[race, value] > 0:
                lowest = value
    any_value = game.players[seat].power_count[Power.AFFILIATE_ANY] > 0
    ask(game, Decision.AFFILIATE, seat)
    for race in range(RACES):
        for value in range(1, MAX_VALUE + 1):
            if paid[race, value] > 0 and (any_value or value == lowest):
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
