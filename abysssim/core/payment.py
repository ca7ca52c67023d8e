"""What a Lord costs a seat, and which payments are legal (rulebook p. 7-8). Nothing here changes a hand.

A payment is a sequence of cards in Race order, within a Race from high to low, so that every payment is reached in
exactly one way. It is legal when it has exactly the number of different Races shown, the demanded Race among them, is
worth the cost together with one Pearl for each missing point, and has no superfluous card: none whose Race is paid by
another card as well and whose value is not more than the surplus (not asked for under ``rulings.allow_overpay``).
"""

import numpy as np

from abysssim.core.index import negative, sure
from abysssim.core.jit import inline, jit
from abysssim.core.layout import KINDS, KRAKEN, MAX_SUM, MAX_VALUE, RACES
from abysssim.vocabulary import Power

NO_BOUND = 99  # no Race has two cards in the payment: none can be superfluous
IMPOSSIBLE = -(1 << 20)  # what too few Races come to
ALL_SUMS = (1 << MAX_SUM + 1) - 1


@jit
def opponents_amount(game, seat, power):
    """Return the sum of the opponents' amounts of a lasting power that reach `seat`: a Shaman blocks Soldiers."""
    player = game.players[sure(seat)]
    total = game.power_amount[power] - player.power_amount[power]
    if total != 0 and player.power_count[Power.IMMUNE_TO_SOLDIERS] > 0:
        total -= game.soldier_amount[power] - player.soldier_amount[power]
    return total


@jit
def cost_change(game, seat):
    """Return what lasting powers add to the cost of every Lord for `seat`: opposing Recruiters, its own Treasurer."""
    return (
        opponents_amount(game, seat, Power.RAISE_OPPONENT_COSTS)
        - game.players[sure(seat)].power_amount[Power.LOWER_OWN_COSTS]
    )


@inline
def usable_nebulis(rules, player):
    """Return how many Nebulis a seat could pay at once: one, or more with the Outlaw (Kraken manual)."""
    most = max(rules.max_nebulis_per_payment, player.power_amount[Power.NEBULIS_PER_PAYMENT])
    return min(player.nebulis, most)


@inline
def purse_of(rules, player):
    """Return the most that a seat can pay at once: all its Pearls, and the Nebulis that may be added to them."""
    return player.pearls + (usable_nebulis(rules, player) if rules.kraken else 0)


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
def put_richest(game, number, total):
    """Write what the richest `number` Races come to, the poorest of which comes to `total`."""
    game.richest[number] = game.richest[number - 1] + total + IMPOSSIBLE * negative(total - 1)


@inline
def ordered(a, b):
    """Return two numbers, the lower first."""
    return min(a, b), max(a, b)


@inline
def all_ordered(a, b, c, d, e):
    """Return five numbers, the lowest first: by a sorting network, the shortest there is."""
    a, b = ordered(a, b)
    d, e = ordered(d, e)
    c, e = ordered(c, e)
    c, d = ordered(c, d)
    b, e = ordered(b, e)
    a, d = ordered(a, d)
    a, c = ordered(a, c)
    b, d = ordered(b, d)
    b, c = ordered(b, c)
    return a, b, c, d, e


@jit
def rank_races(game, seat):
    """Sum up the richest Races of a hand, so that `can_pay` need not search for each Lord of the Court."""
    total = game.players[sure(seat)].race_total
    e, d, c, b, a = all_ordered(total[0], total[1], total[2], total[3], total[4])
    game.richest[0] = 0
    put_richest(game, 1, a)
    put_richest(game, 2, b)
    put_richest(game, 3, c)
    put_richest(game, 4, d)
    put_richest(game, 5, e)


@inline
def can_pay(game, rules, player, lord, change, any_race, purse):
    """Return 1 if a seat without Krakens has a legal payment for `lord` and knows of no bar, else 0.

    Superfluous cards can always be left out. The hand is ranked (`rank_races`); `change` is the seat's `cost_change`;
    `any_race` is 1 if the Diplomat lifts the demand; `purse` is the seat's `purse_of`. All is arithmetic: branches
    would go either way too often.
    """
    card = rules.lords[sure(lord)]
    of_race = player.race_total[sure(max(card.race, 0))]
    # The demanded Race is among the richest, or takes the place of the last of them; without it nothing can be paid.
    demanded = game.richest[sure(card.races - 1)] + of_race + IMPOSSIBLE * negative(of_race - 1)
    free = game.richest[sure(card.races)]
    total = free + (min(free, demanded) - free) * (1 - (any_race | negative(card.race)))
    barred = IMPOSSIBLE * np.int64(player.bar_known[sure(lord)])
    return 1 - negative(total + purse + barred - card.cost - change)


@jit
def begin_payment(game, rules, seat, lord):
    """Lay out an empty payment for `lord` in the record."""
    payment = game.payment
    player = game.players[sure(seat)]
    for race in range(KINDS):
        for value in range(1, MAX_VALUE + 1):
            payment.paid[race, value] = 0
    payment.lord = lord
    payment.cost = lord_cost(game, rules, seat, lord)
    payment.races = rules.lords[lord].races
    payment.race = demanded_race(game, rules, seat, lord)
    payment.purse = purse_of(rules, player)
    payment.total = 0
    payment.races_paid = 0
    payment.krakens_paid = 0
    payment.last_race = -1
    payment.last_value = MAX_VALUE
    payment.bound = NO_BOUND
    payment.lowest = MAX_VALUE
    payment.kind_count = 0
    if payment.races > 1 and player.race_count[KRAKEN] == 0:
        fill_most(payment.most, player, payment.race)


@jit
def fill_most(most, player, demanded):
    """Write the most that any number of Races, from any Race on, can add, with the demanded Race among them."""
    most[RACES, 0] = 0
    for number in range(1, RACES):
        most[RACES, number] = IMPOSSIBLE
    for race in range(RACES - 1, 0, -1):
        without = IMPOSSIBLE if race == demanded else 0
        total = player.race_total[race] if player.race_total[race] > 0 else IMPOSSIBLE
        most[race, 0] = most[race + 1, 0] + without
        for number in range(1, RACES):
            most[race, number] = max(most[race + 1, number] + without, most[race + 1, number - 1] + total)


@jit
def bound_with(payment, race, value):
    """Return the lowest card of a Race with two or more once the payment has one more card."""
    return min(payment.bound, value) if race == payment.last_race and race != KRAKEN else payment.bound


@jit
def add_card(payment, race, value):
    """Put a card into the payment."""
    payment.bound = bound_with(payment, race, value)
    payment.races_paid += 1 if race != payment.last_race and race != KRAKEN else 0
    payment.krakens_paid += 1 if race == KRAKEN else 0
    # Written down in any case, and counted if it is new: there is always a place more than kinds before.
    payment.kind_race[sure(payment.kind_count)] = race
    payment.kind_value[sure(payment.kind_count)] = value
    payment.kind_count += 1 if payment.paid[sure(race), sure(value)] == 0 else 0
    payment.paid[sure(race), sure(value)] += 1
    payment.total += value
    payment.lowest = min(payment.lowest, value) if race != KRAKEN else payment.lowest
    payment.last_race = race
    payment.last_value = value


@jit
def is_complete(payment):
    """Tell whether what lies in the payment is a legal payment.

    As every card on the way can be completed to one, the demanded Race is paid and no card is superfluous.
    """
    return payment.races_paid == payment.races and payment.total + payment.purse >= payment.cost


@jit
def takes_more(payment, rules):
    """Tell whether a second card of a Race might still be paid: with the cost covered it is superfluous."""
    return payment.total < payment.cost or rules.allow_overpay == 1


@jit
def first_new_race(payment):
    """Return the first Race that may come next after the last one paid: the demanded one, if one Race is wanted."""
    if payment.last_race < payment.race and payment.races - payment.races_paid == 1:
        return payment.race
    return payment.last_race + 1


@jit
def last_new_race(payment):
    """Return the last Race that may come next after the last one paid: the demanded one is not passed over."""
    return payment.race if payment.last_race < payment.race else RACES - 1


@jit
def most_after(payment, race, wanted):
    """Return the most that `wanted` Races after `race` can add."""
    return payment.most[race + 1, wanted] if wanted > 0 else 0


@jit
def rest_of_race(payment):
    """Return the total of the cards that may still follow those paid of the last Race."""
    return payment.rest[payment.last_race, payment.last_value] - payment.last_value


@jit
def is_exact_enough(game, rules, seat, race, value, wanted):
    """Tell whether a payment that can be made rich enough can also be kept free of superfluous cards.

    That is asked of a card which comes next in order, after which `wanted` Races are wanted. If no Race would have two
    cards, any completion that is rich enough can be thinned to a legal one. Otherwise the total must not pass the cost
    by the lowest doubled card or more: the sum of what is still added must fall into a window. Cards are worth at most
    five, so that a window of five is always hit between the least and the most that can be added; a narrower one is
    searched exactly.
    """
    payment = game.payment
    player = game.players[seat]
    bound = bound_with(payment, race, value)
    if bound == NO_BOUND or rules.allow_overpay == 1:
        return True
    low = payment.cost - payment.purse - payment.total - value
    high = low + payment.purse + bound - 1
    least = least_total(player, race + 1, wanted, payment.race)
    if least > high:
        return False
    if least >= low or high - low + 1 >= MAX_VALUE:
        return True
    return can_reach(game, seat, race, value, wanted, low, high)


@inline
def least_card(player, race):
    """Return the lowest value of `race` in hand, NO_BOUND if there is none."""
    least = NO_BOUND
    for value in range(MAX_VALUE, 0, -1):
        least = value if player.hand[sure(race), value] > 0 else least
    return least


@inline
def least_if_new(player, race, first, demanded):
    """Return the lowest card of a Race from `first` on, made the lowest of all if it is demanded."""
    least = least_card(player, race) - (NO_BOUND if race == demanded else 0)
    return least if race >= first else NO_BOUND


@jit
def least_total(player, first, wanted, demanded):
    """Return the least that one card of each of `wanted` Races from `first` on totals, `demanded` among them."""
    if wanted == 0:
        return 0
    a, b, c, d, e = all_ordered(
        least_if_new(player, 0, first, demanded),
        least_if_new(player, 1, first, demanded),
        least_if_new(player, 2, first, demanded),
        least_if_new(player, 3, first, demanded),
        least_if_new(player, 4, first, demanded),
    )
    total = a + (NO_BOUND if demanded >= first else 0)
    total += b if wanted > 1 else 0
    total += c if wanted > 2 else 0
    total += d if wanted > 3 else 0
    return total + (e if wanted > 4 else 0)


@jit
def added_sums(a, b):
    """Return as bits every sum of one total from `a` and one from `b`: three of `a` at a time, few have more."""
    result = 0
    while a != 0:
        for _ in range(3):
            low = a & -a
            result |= (b * low) & ALL_SUMS
            a ^= low
    return result


@jit
def race_sums(player, race):
    """Return as bits the totals of all non-empty choices of cards of `race`."""
    sums = 1
    for value in range(1, MAX_VALUE + 1):
        for _ in range(player.hand[race, value]):
            sums |= sums << value & ALL_SUMS
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
            sums |= sums << v & ALL_SUMS
    reach[0] = sums
    for count in range(1, RACES + 1):
        reach[count] = 0
    for later in range(race + 1, RACES):
        if player.race_count[later] > 0:
            added = race_sums(player, later)
            for count in range(wanted - 1, -1, -1):
                more = added_sums(added, reach[count])
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
