"""Recruiting a Lord: payment, affiliation, arrival, the Court (rulebook p. 7-8)."""

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import DESK, GAME, KINDS, KRAKEN, MAX_VALUE, RACES, RULES
from abysssim.core.payment import (
    NO_BOUND,
    add_card,
    begin_payment,
    first_new_race,
    is_complete,
    is_exact_enough,
    last_new_race,
    most_after,
    rest_of_race,
    takes_more,
)
from abysssim.engine.choice import ask, choose, choose_at_once, log, put_option
from abysssim.engine.holdings import take_all_from_hand, tax_gain
from abysssim.engine.krakens import choose_cards_with_krakens
from abysssim.engine.nebulis import choose_nebulis, gain_nebulis_for_krakens, pay_nebulis
from abysssim.engine.powers import arrivals, join, pay_shareholders, remove_from_court, trigger_end
from abysssim.engine.sentinels import release
from abysssim.engine.setup import add_court_lord
from abysssim.policies.decide import decide_on_payment
from abysssim.vocabulary import Area, Count, Decision, EndTrigger, Event, Power, Verb

KINDS_SEEN = 3  # so many kinds of cards are looked at in any case: few payments have more
RACE_OF = np.zeros(1 << RACES, np.int64)  # [bit] the Race that it stands for
for _race in range(RACES):
    RACE_OF[1 << _race] = _race


@separate((GAME, RULES, DESK), 2)
def recruit(game, rules, desk, seat, lord):
    """Pay for a Court Lord, affiliate, let the Lord arrive with its power, and see to the Court."""
    pay(game, rules, desk, seat, lord)
    if rules.kraken:
        gain_nebulis_for_krakens(game, rules, desk, seat)
    affiliate(game, rules, desk, seat)
    remove_from_court(game, lord)
    if rules.kraken:
        release(game, desk, seat, Area.COURT, lord)
    game.players[seat].counts[Count.RECRUITMENTS] += 1
    game.last_recruitment = game.turn
    join(game, rules, desk, seat, lord, True)
    pay_shareholders(game, rules, desk, seat)
    if rules.refill_before_power:
        refill(game, rules, desk, seat)
        arrivals(game, rules, desk, seat, lord)
    else:
        arrivals(game, rules, desk, seat, lord)
        refill(game, rules, desk, seat)
    return 0


@jit
def pay(game, rules, desk, seat, lord):
    """Ask for the payment card by card; Pearls, and Nebulis, make up the missing points."""
    begin_payment(game, rules, seat, lord)
    if game.players[seat].race_count[KRAKEN] > 0:
        choose_cards_with_krakens(game, rules, desk, seat)
    else:
        choose_cards(game, rules, desk, seat)
    settle(game, rules, desk, seat)


@jit
def choose_cards(game, rules, desk, seat):
    """Ask for the cards of a payment from a hand without Krakens."""
    payment = game.payment
    while payment.races_paid < payment.races or takes_more(payment, rules):
        offer_payments(game, rules, seat)
        option = game.options[choose_at_once(game, rules, desk, decide_on_payment)]
        if option.verb == Verb.PAY_DONE:
            break
        add_card(payment, option.card, option.amount)


@jit
def offer_payments(game, rules, seat):
    """List every next card with which a legal payment can be completed, and `done` if it is complete."""
    payment = game.payment
    player = game.players[sure(seat)]
    wanted = payment.races - payment.races_paid
    missing = payment.cost - payment.purse - payment.total
    ask(game, Decision.PAYMENT, seat)
    if payment.races_paid > 0 and takes_more(payment, rules):
        rest = rest_of_race(payment)
        needed = missing - most_after(payment, payment.last_race, wanted)
        if rest >= max(needed, 1):
            offer_payments_of_race(game, rules, seat, payment.last_race, wanted, rest, needed)
    if wanted > 0:
        races = new_races(payment, player, wanted - 1, missing)
        while races != 0:
            race = RACE_OF[sure(races & -races)]
            races &= races - 1
            needed = missing - most_after(payment, race, wanted - 1)
            offer_payments_of_race(game, rules, seat, race, wanted - 1, player.race_total[sure(race)], needed)
    put_option(game, game.option_count, Verb.PAY_DONE, 0, 0, 0)
    game.option_count += 1 if is_complete(payment) else 0


@inline
def new_races(payment, player, wanted, missing):
    """Return (as bits) the Races not paid yet that may come next: they can add what `wanted` later ones cannot."""
    first = first_new_race(payment)
    last = last_new_race(payment)
    later = 1 if wanted > 0 else 0
    races = 0
    for race in range(RACES):
        needed = missing - payment.most[sure(race + 1), sure(wanted)] * later
        spare = player.race_total[race] - max(needed, 1)
        races |= (1 if min(spare, race - first, last - race) >= 0 else 0) << race
    return races


@jit
def offer_payments_of_race(game, rules, seat, race, wanted, rest, needed):
    """List the next cards of one Race with which a legal payment can be completed.

    Those that may come next total `rest`, and lower cards leave less; `needed` is missing with the most that `wanted`
    later Races can add. Where the most is within the bound, a superfluous card need not be feared. Each card is written
    down in any case and counted if it can be paid: a branch would go either way too often.
    """
    payment = game.payment
    player = game.players[sure(seat)]
    same = race == payment.last_race
    highest = payment.last_value if same else MAX_VALUE
    doubled = 0 if same else NO_BOUND  # a card of another Race does not lower the bound
    bound = payment.bound
    least = max(needed, 1)
    safe = needed + payment.purse
    count = game.option_count
    for value in range(MAX_VALUE, 0, -1):
        left = player.hand[sure(race), value] - payment.paid[sure(race), value]
        left = left if value <= highest else 0
        fits = 1 if min(left - 1, rest - least) >= 0 else 0
        if min(rest - safe - min(bound, value + doubled), fits - 1) >= 0:
            fits = 1 if is_exact_enough(game, rules, seat, race, value, wanted) else 0
        put_option(game, count, Verb.PAY, race, 0, value)
        count += fits
        payment.rest[sure(race), value] = rest
        rest -= left * value
    game.option_count = count


@jit
def settle(game, rules, desk, seat):
    """Move the cards out of the hand and take the Pearls, and Nebulis, for the missing points."""
    payment = game.payment
    player = game.players[sure(seat)]
    missing = max(payment.cost - payment.total, 0)
    nebulis = choose_nebulis(game, rules, desk, seat, missing) if rules.kraken else 0
    pearls = missing - nebulis
    player.pearls -= pearls
    player.counts[Count.PEARLS_PAID] += pearls
    player.counts[Count.VALUE_PAID] += payment.total
    log(desk, Event.RECRUIT, seat, payment.lord, pearls, payment.cost, nebulis)
    for i in range(max(payment.kind_count, KINDS_SEEN)):
        race = payment.kind_race[sure(i)]
        value = payment.kind_value[sure(i)]
        number = paid_of_kind(payment, i)
        take_all_from_hand(game, seat, race, value, number)
        player.counts[Count.ALLIES_PAID] += number
    log_payment(game, desk, seat)
    if nebulis > 0:
        pay_nebulis(game, rules, desk, seat, nebulis)


@inline
def paid_of_kind(payment, i):
    """Return how many cards lie in the payment of the kind at place `i`, 0 behind the last kind."""
    number = payment.paid[sure(payment.kind_race[sure(i)]), sure(payment.kind_value[sure(i)])]
    return number if i < payment.kind_count else 0


@jit
def log_payment(game, desk, seat):
    """Log the cards of the payment, one entry each."""
    if desk.recording:
        for race in range(KINDS):
            for value in range(1, MAX_VALUE + 1):
                for _ in range(game.payment.paid[race, value]):
                    log(desk, Event.PAID, seat, race, value, 0, 0)


@jit
def affiliate(game, rules, desk, seat):
    """Affiliate the lowest Ally paid (any of them with the Master of Magic) and discard the rest."""
    payment = game.payment
    offer_affiliations(game, seat)
    if game.option_count > 0:  # not after a payment in Krakens alone
        option = game.options[choose(game, rules, desk)]
        chosen_race = option.card
        chosen_value = option.amount
        game.players[seat].affiliated[chosen_race, chosen_value] += 1
        log(desk, Event.AFFILIATE, seat, chosen_race, chosen_value, 0, 0)
        payment.paid[chosen_race, chosen_value] -= 1
    for i in range(max(payment.kind_count, KINDS_SEEN)):
        number = paid_of_kind(payment, i)
        game.discard[sure(payment.kind_race[sure(i)]), sure(payment.kind_value[sure(i)])] += number
        game.discard_count += number


@jit
def offer_affiliations(game, seat):
    """List the Allies paid that may be affiliated."""
    payment = game.payment
    any_value = game.players[seat].power_count[Power.AFFILIATE_ANY] > 0
    highest = MAX_VALUE if any_value else payment.lowest
    ask(game, Decision.AFFILIATE, seat)
    for race in range(RACES):
        for value in range(payment.lowest, highest + 1):
            put_option(game, game.option_count, Verb.AFFILIATE, race, 0, value)
            game.option_count += 1 if payment.paid[race, sure(value)] > 0 else 0


@jit
def refill(game, rules, desk, seat):
    """With few Lords left in the Court: Pearls, and new Lords. A Court that stays short brings on the end."""
    if game.court_count > rules.refill_when_lords_left:
        return
    pearls = rules.refill_pearls
    game.players[seat].pearls += pearls
    log(desk, Event.REFILL, seat, pearls, 0, 0, 0)
    fill_up(game, rules, desk, seat)
    tax_gain(game, rules, desk, seat, pearls)
    if game.court_count < rules.court_slots:
        trigger_end(game, desk, seat, EndTrigger.REFILL)


@jit
def fill_up(game, rules, desk, seat):
    """Fill the Court from the deck."""
    while game.court_count < rules.court_slots and game.lord_deck_count > 0:
        add_court_lord(game)
        log(desk, Event.REFILL_LORD, seat, game.court[game.court_count - 1], 0, 0, 0)


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
