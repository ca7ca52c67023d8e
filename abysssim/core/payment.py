"""What a Lord costs a seat, and which payments are legal (rulebook p. 7-8). Nothing here changes a hand.

A payment is a sequence of cards in Race order, within a Race from high to low, so that every payment is reached in
exactly one way. It is legal when it has exactly the number of different Races shown, the demanded Race among them, is
worth the cost together with one Pearl for each missing point, and has no superfluous card: none whose Race is paid by
another card as well and whose value is not more than the surplus (not asked for under ``rulings.allow_overpay``).
"""

import numpy as np

from abysssim.core.jit import jit
from abysssim.core.layout import MAX_VALUE, RACES
from abysssim.vocabulary import Power

NO_BOUND = 99  # no Race has two cards in the payment: none can be superfluous
MAX_SUM = 62  # sums are bits of an int64


@jit
def opponents_amount(game, seat, power):
    """Return the sum of the opponents' amounts of a lasting power that reach `seat`: a Shaman blocks Soldiers."""
    player = game.players[seat]
    total = game.power_amount[power] - player.power_amount[power]
    if total != 0 and player.power_count[Power.IMMUNE_TO_SOLDIERS] > 0:
        total -= game.soldier_amount[power] - player.soldier_amount[power]
    return total


@jit
def cost_change(game, seat):
    """Return what lasting powers add to the cost of every Lord for `seat`: opposing Recruiters, its own Treasurer."""
    return (
        opponents_amount(game, seat, Power.RAISE_OPPONENT_COSTS)
        - game.players[seat].power_amount[Power.LOWER_OWN_COSTS]
    )


@jit
def lord_cost(game, rules, seat, lord):
    """Return what `lord` costs `seat` now, in points of value."""
    return max(rules.lords[lord].cost + cost_change(game, seat), 0)


@jit
def demanded_race(game, rules, seat, lord):
    """Return the Race that a payment for `lord` must contain, -1 for none (the Diplomat lifts the demand)."""
    if game.players[seat].power_count[Power.ANY_RACES] > 0:
        return -1
    return rules.lords[lord].race


@jit
def best_total(player, first, wanted, demanded):
    """Return the most that `wanted` Races from `first` on total, `demanded` among them; -1 if impossible."""
    total = 0
    used = 0
    if demanded >= first:
        if wanted == 0 or player.race_count[demanded] == 0:
            return -1
        total = player.race_total[demanded]
        used = 1 << demanded
        wanted -= 1
    for _ in range(wanted):
        best = -1
        best_race = -1
        for race in range(first, RACES):
            if used >> race & 1 == 0 and player.race_total[race] > best and player.race_count[race] > 0:
                best = player.race_total[race]
                best_race = race
        if best_race < 0:
            return -1
        used |= 1 << best_race
        total += best
    return total


@jit
def ranking_key(player, race):
    """Return a number that orders the Races of a hand by their totals, the earlier Race first among equals."""
    return player.race_total[race] * 8 + RACES - 1 - race


@jit
def put_rank(game, place, key, count):
    """Write the Race that comes at `place` of the ranking, and the total of the Races so far (-1 without cards)."""
    game.rank[RACES - 1 - (key & 7)] = place
    game.richest[place + 1] = game.richest[place] + (key >> 3) if place < count else -1


@jit
def rank_races(game, seat):
    """Order the Races in a hand by their totals, so that `can_pay` need not search for each Lord of the Court."""
    player = game.players[seat]
    a, b, c = ranking_key(player, 0), ranking_key(player, 1), ranking_key(player, 2)
    d, e = ranking_key(player, 3), ranking_key(player, 4)
    # A sorting network for five: the shortest there is.
    a, b = max(a, b), min(a, b)
    d, e = max(d, e), min(d, e)
    c, e = max(c, e), min(c, e)
    c, d = max(c, d), min(c, d)
    a, d = max(a, d), min(a, d)
    b, e = max(b, e), min(b, e)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    count = 0
    for race in range(RACES):
        count += 1 if player.race_count[race] > 0 else 0
    game.richest[0] = 0
    put_rank(game, 0, a, count)
    put_rank(game, 1, b, count)
    put_rank(game, 2, c, count)
    put_rank(game, 3, d, count)
    put_rank(game, 4, e, count)


@jit
def can_pay(game, rules, seat, lord, change):
    """Tell whether `seat` has any legal payment for `lord` (superfluous cards can always be left out).

    The hand is ranked (`rank_races`); `change` is its `cost_change`.
    """
    player = game.players[seat]
    races = rules.lords[lord].races
    demanded = demanded_race(game, rules, seat, lord)
    total = game.richest[races]
    if total < 0:
        return False
    if demanded >= 0:
        if player.race_count[demanded] == 0:
            return False
        if game.rank[demanded] >= races:
            total = game.richest[races - 1] + player.race_total[demanded]
    return total + player.pearls >= rules.lords[lord].cost + change


@jit
def begin_payment(game, rules, seat, lord):
    """Lay out an empty payment for `lord` in the record."""
    payment = game.payment
    payment.lord = lord
    payment.cost = lord_cost(game, rules, seat, lord)
    payment.races = rules.lords[lord].races
    payment.race = demanded_race(game, rules, seat, lord)
    payment.total = 0
    payment.races_paid = 0
    payment.last_race = 0
    payment.last_value = MAX_VALUE
    payment.bound = NO_BOUND
    for race in range(RACES):
        for value in range(1, MAX_VALUE + 1):
            payment.paid[race, value] = 0


@jit
def is_new_race(payment, race):
    """Tell whether a card of `race`, next in order, is the first of its Race in the payment."""
    return race != payment.last_race or payment.races_paid == 0


@jit
def add_card(payment, race, value):
    """Put a card into the payment."""
    if is_new_race(payment, race):
        payment.races_paid += 1
    else:
        payment.bound = min(payment.bound, value)
    payment.paid[race, value] += 1
    payment.total += value
    payment.last_race = race
    payment.last_value = value


@jit
def is_complete(game, rules, seat):
    """Tell whether what lies in the payment is a legal payment."""
    payment = game.payment
    if payment.races_paid != payment.races:
        return False
    if payment.race >= 0 and not race_is_paid(payment, payment.race):
        return False
    surplus = payment.total - payment.cost
    if surplus + game.players[seat].pearls < 0:
        return False
    return surplus < payment.bound or rules.allow_overpay == 1


@jit
def race_is_paid(payment, race):
    """Tell whether the payment has a card of `race`."""
    for value in range(1, MAX_VALUE + 1):
        if payment.paid[race, value] > 0:
            return True
    return False


@jit
def most_after(payment, player, race):
    """Return the most that the Races after `race` can add once a card of `race` is paid; -1 if none can be paid now."""
    wanted = payment.races - payment.races_paid
    if is_new_race(payment, race):
        wanted -= 1
    if wanted < 0:
        return -1
    demanded = payment.race
    if 0 <= demanded < race and not race_is_paid(payment, demanded):
        return -1
    return best_total(player, race + 1, wanted, demanded)


@jit
def rest_of_race(payment, player, race, highest):
    """Return the total of the cards of `race` worth `highest` or less that are not in the payment yet."""
    total = 0
    for value in range(1, highest + 1):
        total += value * (player.hand[race, value] - payment.paid[race, value])
    return total


@jit
def is_exact_enough(game, rules, seat, race, value):
    """Tell whether a payment that can be made rich enough can also be kept free of superfluous cards.

    That is asked of a card which comes next in order. If no Race would have two cards, any completion that is rich
    enough can be thinned to a legal one. Otherwise the total must not pass the cost by the lowest doubled card or
    more: the sum of what is still added must fall into a window. Cards are worth at most five, so that a window of five
    is always hit between the least and the most that can be added; a narrower one is searched exactly.
    """
    payment = game.payment
    player = game.players[seat]
    wanted = payment.races - payment.races_paid
    bound = payment.bound
    if is_new_race(payment, race):
        wanted -= 1
    else:
        bound = min(bound, value)
    if bound == NO_BOUND or rules.allow_overpay == 1:
        return True
    low = payment.cost - player.pearls - payment.total - value
    high = payment.cost + bound - 1 - payment.total - value
    if least_total(player, race + 1, wanted, payment.race) > high:
        return False
    if high - low + 1 >= MAX_VALUE:
        return True
    return can_reach(game, seat, race, value, wanted, low, high)


@jit
def least_card(player, race):
    """Return the lowest value of `race` in hand, 0 if there is none."""
    for value in range(1, MAX_VALUE + 1):
        if player.hand[race, value] > 0:
            return value
    return 0


@jit
def least_total(player, first, wanted, demanded):
    """Return the least that one card of each of `wanted` Races from `first` on totals, `demanded` among them."""
    total = 0
    used = 0
    if demanded >= first:
        total = least_card(player, demanded)
        used = 1 << demanded
        wanted -= 1
    for _ in range(wanted):
        best = NO_BOUND
        best_race = -1
        for race in range(first, RACES):
            if used >> race & 1 == 0 and player.race_count[race] > 0:
                least = least_card(player, race)
                if least < best:
                    best = least
                    best_race = race
        used |= 1 << best_race
        total += best
    return total


@jit
def shifted_sums(sums, added):
    """Return the bits of all sums of one from `sums` and one from `added` (both as bits)."""
    result = 0
    for amount in range(MAX_SUM + 1):
        if added >> amount & 1:
            result |= sums << amount & ((1 << MAX_SUM + 1) - 1)
    return result


@jit
def race_sums(player, race):
    """Return as bits the totals of all non-empty choices of cards of `race`."""
    sums = 1
    for value in range(1, MAX_VALUE + 1):
        for _ in range(player.hand[race, value]):
            sums |= sums << value & ((1 << MAX_SUM + 1) - 1)
    return sums & ~np.int64(1)


@jit
def can_reach(game, seat, race, value, wanted, low, high):
    """Tell whether cards of exactly `wanted` later Races, and lower ones of `race`, can total `low` to `high`."""
    player = game.players[seat]
    payment = game.payment
    reach = game.reach
    sums = 1
    for v in range(1, value + 1):
        left = player.hand[race, v] - payment.paid[race, v] - (1 if v == value else 0)
        for _ in range(left):
            sums |= sums << v & ((1 << MAX_SUM + 1) - 1)
    reach[0] = sums
    for count in range(1, RACES + 1):
        reach[count] = 0
    for later in range(race + 1, RACES):
        if player.race_count[later] > 0:
            added = race_sums(player, later)
            for count in range(wanted - 1, -1, -1):
                more = shifted_sums(reach[count], added)
                if later == payment.race:
                    reach[count + 1] = more
                else:
                    reach[count + 1] |= more
            if later == payment.race:
                reach[0] = 0
    for total in range(max(low, 0), min(high, MAX_SUM) + 1):
        if reach[wanted] >> total & 1:
            return True
    return False
