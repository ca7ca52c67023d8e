"""Paying with Krakens (Kraken expansion): each stands for a Race of choice, whether other Allies paid have it or not.

A payment of `r` different Races and `k` Krakens is legal where the Races of the Krakens can be chosen so that it has
exactly the number of Races shown: r is not more than that, r + k is not less. The demanded Race is paid by an Ally of
that Race, or by a Kraken where r is less than the number shown. A Kraken is never superfluous, and does not make an
Ally of its Race so. Krakens come last in the order of a payment. Nothing here changes a hand.
"""

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import jit
from abysssim.core.layout import KRAKEN, MAX_SUM, MAX_VALUE, RACES
from abysssim.core.payment import (
    ALL_SUMS,
    IMPOSSIBLE,
    NO_BOUND,
    added_sums,
    bound_with,
    fill_most,
    race_sums,
)


@jit
def can_pay_with_krakens(game, rules, player, lord, change, any_race, purse):
    """Return 1 if a seat with Krakens has a legal payment for `lord` and knows of no bar, else 0 (see `can_pay`)."""
    if player.bar_known[lord]:
        return 0
    card = rules.lords[lord]
    richest = game.richest
    krakens = min(player.race_count[KRAKEN], card.races)
    total = richest[card.races]
    if any_race == 0 and card.race >= 0:
        of_race = player.race_total[card.race]
        total = min(total, richest[card.races - 1] + of_race) if of_race > 0 else IMPOSSIBLE
    for fewer in range(1, krakens + 1):
        total = max(total, richest[card.races - fewer])
    return 1 if total + player.race_total[KRAKEN] + purse >= card.cost + change else 0


@jit
def begin_kraken_payment(game, player):
    """Write into the record what Krakens, and any Races, can add to a payment that has just been begun."""
    payment = game.payment
    fill_most(payment.most, player, payment.race)
    fill_most(payment.most_free, player, -1)


@jit
def write_kraken_sums(game, player, highest):
    """Write what so many Krakens or more, none above `highest`, can add to those paid (as bits)."""
    payment = game.payment
    exact = game.kraken_reach
    for number in range(RACES + 1):
        exact[number] = 0
    exact[0] = 1
    for value in range(1, highest + 1):
        for _ in range(player.hand[KRAKEN, value] - payment.paid[KRAKEN, value]):
            # The last place stands for five Krakens or more.
            exact[RACES] |= (exact[RACES] | exact[RACES - 1]) << value & ALL_SUMS
            for number in range(RACES - 1, 0, -1):
                exact[number] |= exact[number - 1] << value & ALL_SUMS
    payment.kraken_sums[RACES] = exact[RACES]
    for number in range(RACES - 1, -1, -1):
        payment.kraken_sums[number] = payment.kraken_sums[number + 1] | exact[number]


@jit
def is_demand_met(payment):
    """Tell whether the demanded Race is among the Races paid by Allies, or none is demanded."""
    if payment.race < 0:
        return True
    for value in range(1, MAX_VALUE + 1):
        if payment.paid[payment.race, value] > 0:
            return True
    return False


@jit
def is_complete_with_krakens(payment, rules):
    """Tell whether what lies in the payment is a legal payment."""
    missing_races = payment.races - payment.races_paid
    if missing_races < 0 or missing_races > payment.krakens_paid:
        return False
    if missing_races == 0 and not is_demand_met(payment):
        return False
    if payment.total + payment.purse < payment.cost:
        return False
    return rules.allow_overpay == 1 or payment.bound == NO_BOUND or payment.total - payment.cost < payment.bound


@jit
def may_pay_kraken(game, rules, player, value):
    """Tell whether a payment can be completed after one more Kraken, which is the next card in its order."""
    payment = game.payment
    if player.hand[KRAKEN, value] <= payment.paid[KRAKEN, value]:
        return False
    if payment.last_race == KRAKEN and value > payment.last_value:
        return False
    missing_races = payment.races - payment.races_paid
    if missing_races == 0 and not is_demand_met(payment):
        return False
    payment.paid[KRAKEN, value] += 1
    write_kraken_sums(game, player, value)
    payment.paid[KRAKEN, value] -= 1
    sums = payment.kraken_sums[max(missing_races - payment.krakens_paid - 1, 0)]
    return hits_window(payment, rules, payment.bound, value, sums)


@jit
def hits_window(payment, rules, bound, value, sums):
    """Tell whether some sum, added to the payment and a card of `value`, pays the cost with nothing superfluous.

    Nothing is superfluous where the surplus stays below `bound`, the lowest card paid of a Race with two or more.
    """
    low = max(payment.cost - payment.purse - payment.total - value, 0)
    sums = sums >> min(low, MAX_SUM) << min(low, MAX_SUM)
    if low > MAX_SUM or sums == 0:
        return False
    if bound == NO_BOUND or rules.allow_overpay == 1:
        return True
    high = payment.cost + bound - 1 - payment.total - value
    return high >= 0 and sums & ((np.int64(2) << min(high, MAX_SUM)) - 1) != 0


@jit
def may_pay_ally(game, rules, player, race, value):
    """Tell whether a payment can be completed after one more Ally, not of the Krakens, by any number of Krakens."""
    payment = game.payment
    if player.hand[race, value] <= payment.paid[race, value] or race < payment.last_race:
        return False
    if race == payment.last_race and value > payment.last_value:
        return False
    missing_races = payment.races - payment.races_paid - (1 if race != payment.last_race else 0)
    if missing_races < 0:
        return False
    met = is_demand_met(payment) or race == payment.race
    bound = bound_with(payment, race, value)
    if bound == NO_BOUND or rules.allow_overpay == 1:
        return can_be_rich(game, player, race, value, missing_races, met)
    for later in range(missing_races + 1):
        if met or later < missing_races or race < payment.race:
            sums = later_sums(game, player, race, value, later, later == missing_races and not met)
            if hits_window(payment, rules, bound, value, added_sums(payment.kraken_sums[missing_races - later], sums)):
                return True
    return False


@jit
def can_be_rich(game, player, race, value, missing_races, met):
    """Tell whether enough can be added after a card: lower ones of its Race, later Races, Krakens for those missing."""
    payment = game.payment
    same = 0
    for v in range(1, value + 1):
        same += v * (player.hand[race, v] - payment.paid[race, v] - (1 if v == value else 0))
    krakens = player.race_count[KRAKEN]
    best = IMPOSSIBLE
    for later in range(max(missing_races - krakens, 0), missing_races + 1):
        if met or later < missing_races:
            best = max(best, payment.most_free[race + 1, later])
        elif race < payment.race:
            best = max(best, payment.most[race + 1, later])
    # No Kraken has been paid yet: they come last.
    return payment.total + value + same + best + player.race_total[KRAKEN] + payment.purse >= payment.cost


@jit
def later_sums(game, player, race, value, wanted, demanded):
    """Return (as bits) what lower cards of a Race and cards of exactly `wanted` later Races can total.

    With `demanded`, the demanded Race is among those later ones.
    """
    payment = game.payment
    reach = game.reach
    sums = np.int64(1)
    for v in range(1, value + 1):
        for _ in range(player.hand[race, v] - payment.paid[race, v] - (1 if v == value else 0)):
            sums |= sums << v & ALL_SUMS
    reach[0] = sums
    for count in range(1, RACES + 1):
        reach[count] = 0
    for later in range(race + 1, RACES):
        must = demanded and later == payment.race
        added = race_sums(player, later) if player.race_count[later] > 0 else np.int64(0)
        for count in range(wanted, 0, -1):
            more = added_sums(added, reach[sure(count - 1)])
            reach[count] = more if must else reach[count] | more
        if must:
            reach[0] = 0
    return reach[wanted]
