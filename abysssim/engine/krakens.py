"""Krakens among the Allies: paying with them, and those left over from an exploration (Kraken manual)."""

from abysssim.core.jit import jit, separate
from abysssim.core.kraken_payment import (
    begin_kraken_payment,
    is_complete_with_krakens,
    may_pay_ally,
    may_pay_kraken,
    write_kraken_sums,
)
from abysssim.core.layout import CARD_STEP, DESK, GAME, KRAKEN, MAX_VALUE, RACES, RULES
from abysssim.core.payment import add_card
from abysssim.engine.choice import ask, choose, log, offer
from abysssim.vocabulary import Decision, Event, Verb


@separate((GAME, RULES, DESK), 1)
def choose_cards_with_krakens(game, rules, desk, seat):
    """Ask for the cards of a payment from a hand with Krakens."""
    begin_kraken_payment(game, game.players[seat])
    paying = True
    while paying:
        offer_kraken_payments(game, rules, seat)
        option = game.options[choose(game, rules, desk)]
        paying = option.verb == Verb.PAY
        if paying:
            add_card(game.payment, option.card, option.amount)
    return 0


@jit
def offer_kraken_payments(game, rules, seat):
    """List every next card with which a legal payment can be completed, Krakens last, and `done` if it is complete."""
    payment = game.payment
    player = game.players[seat]
    ask(game, Decision.PAYMENT, seat)
    if payment.last_race != KRAKEN:
        write_kraken_sums(game, player, MAX_VALUE)
        for race in range(max(payment.last_race, 0), RACES):
            for value in range(MAX_VALUE, 0, -1):
                if may_pay_ally(game, rules, player, race, value):
                    offer(game, Verb.PAY, race, 0, value)
    for value in range(MAX_VALUE, 0, -1):
        if may_pay_kraken(game, rules, player, value):
            offer(game, Verb.PAY, KRAKEN, 0, value)
    if is_complete_with_krakens(payment, rules):
        offer(game, Verb.PAY_DONE, 0, 0, 0)


@separate((GAME, RULES, DESK), 1)
def place_krakens(game, rules, desk, seat):
    """Let the explorer choose a Council stack for each Kraken left on the track (Kraken manual)."""
    while game.track_count > 0:
        ask(game, Decision.KRAKEN_STACK, seat)
        for race in range(RACES):
            offer(game, Verb.STACK, race, 0, 0)
        race = game.options[choose(game, rules, desk)].card
        value = game.track[0] & CARD_STEP - 1
        game.council_krakens[race, value] += 1
        game.council_size[race] += 1
        log(desk, Event.KRAKEN_TO_COUNCIL, seat, value, race, 0, 0)
        for i in range(game.track_count - 1):
            game.track[i] = game.track[i + 1]
        game.track_count -= 1
    return 0
