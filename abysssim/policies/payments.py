# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,assignment"
"""Planning a payment: which Allies a seat of the weighted family spends on a Lord, and which of them it affiliates.

The plan looks at every set of Races that may pay and every lowest card, works on sets of reachable totals (as bits),
and keeps the best: few points and Pearls spent, a high and useful lowest card. It is kept in the memo and followed card
by card. Hands differ too much for a processor to foresee: what can be computed for all Races and values alike is.
"""

from itertools import combinations

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import GAME, KRAKEN, MAX_LORDS, MAX_VALUE, POLICY, RACES, RULES
from abysssim.core.payment import ALL_SUMS, added_sums
from abysssim.policies.features import (
    CARDS,
    EXTRA,
    FADE,
    HIGH,
    PLAN,
    POINT,
    REST,
    has_turn_to_come,
    pearl_worth,
    refresh,
)
from abysssim.policies.nebulis import nebulis_cost
from abysssim.policies.weights import BITS, W
from abysssim.vocabulary import Per

LOWER = HIGH  # [value] what the lower cards of a Race can total, while a plan is written
NOTHING = -(1 << 40)
FIELD = 4  # bits for the number of cards of one value in a plan
PARTS = np.array([0] + [1024 // size for size in range(1, RACES + 1)])  # the mean of so many, in 1024ths
OPTIONS_SEEN = 4  # so many options are looked at in any case

# A choice is a set of Races and the lowest card that may pay. The choices of one size of set have places, those of
# higher cards first, and are kept as bits: SETS bits for each lowest card.
SETS = 10  # the most sets of one size
SHORT = (1 << SETS) - 1
RANKS = 63  # a choice at a lower place is better where all else is the same
TOTALS = 127
_SETS = [list(combinations(range(RACES), size)) for size in range(RACES + 1)]


def _sets_that(test):
    """Return as bits, by size and by a set of Races (as bits), the sets that pass a test together with it."""
    return np.array(
        [
            [
                sum(1 << i for i, chosen in enumerate(sets) if test(sum(1 << race for race in chosen), races))
                for races in range(1 << RACES)
            ]
            for sets in _SETS
        ]
    )


WITHIN = _sets_that(lambda chosen, races: chosen & ~races == 0)
TOUCHING = _sets_that(lambda chosen, races: chosen & races != 0)
HOLDING = _sets_that(lambda chosen, races: chosen & races == races)
MODULUS = 67  # it has another remainder for every bit
PLACE = np.zeros(MODULUS, np.int64)  # [bit % MODULUS] the place of the bit
CHOICE = np.zeros((RACES + 1, MODULUS), np.int64)  # [size, bit % MODULUS] Races, three bits for each, and lowest card
for _place in range(63):
    PLACE[(1 << _place) % MODULUS] = _place
    for _size, _sets in enumerate(_SETS):
        if _place < SETS * MAX_VALUE and _place % SETS < len(_sets):
            _races = sum(race << 3 * i for i, race in enumerate(_sets[_place % SETS]))
            CHOICE[_size, (1 << _place) % MODULUS] = (MAX_VALUE - _place // SETS) << 3 * RACES | _races


@inline
def place_of(bit):
    """Return the place of the one bit that is set."""
    return PLACE[sure(bit % MODULUS)]


@inline
def choice_at(size, bit):
    """Return the choice that a bit stands for."""
    return CHOICE[sure(size), sure(bit % MODULUS)]


@inline
def least_of(choice):
    """Return the lowest card of a choice."""
    return choice >> 3 * RACES


@inline
def race_of(choice, number):
    """Return a Race of a choice by its number."""
    return choice >> 3 * number & 7


@inline
def all_if(condition):
    """Return a mask of all bits, of none where the condition does not hold."""
    return -1 if condition else 0


@jit
def plan_stamp(game):
    """Return what a plan is for: this turn, this Lord, this number of Lords in the Court."""
    return (game.turn * MAX_LORDS + game.payment.lord) * 2 + 1


@separate((GAME, RULES, POLICY), 1)
def plan_payment(game, rules, policy, seat):
    """Find the best payment for the Lord being recruited and write it into the memo."""
    player = game.players[sure(seat)]
    payment = game.payment
    player.memo[PLAN] = plan_stamp(game)
    player.memo[CARDS + KRAKEN] = 0
    begin_plan(game, rules, seat)
    cells = lay_out(player, payment)
    if player.race_count[KRAKEN] > 0:
        plan_with_krakens(game, rules, policy, seat, cells)
    else:
        _, choice, total = plan_allies(game, rules, policy, seat, cells, payment.races, payment.cost, payment.race)
        write_plan(player, payment, payment.races, choice, total)
    return 0


@jit
def plan_with_krakens(game, rules, policy, seat, cells):
    """Find the best payment from a hand with Krakens: with every number of each value, and every number of Races left.

    Their Nebulis do not matter here: they come as well if the Krakens are left over.
    """
    player = game.players[seat]
    payment = game.payment
    memo = player.memo
    best = np.int64(NOTHING)
    best_krakens = np.int64(0)
    best_choice = np.int64(0)
    best_total = np.int64(0)
    best_size = np.int64(-1)
    krakens = np.int64(0)  # as in the plan: four bits for the number of each value
    while krakens >= 0:
        count, points = totals_of(krakens)
        price = price_of_krakens(policy, memo, count, points)
        for size in range(max(payment.races - count, 0), payment.races + 1):
            demanded = payment.race if size == payment.races else -1
            rest = payment.cost - points
            score, choice, total = plan_rest(game, rules, policy, seat, cells, size, rest, demanded, count)
            if score > NOTHING and score - price > best:
                best = score - price
                best_krakens = krakens
                best_choice = choice
                best_total = total
                best_size = size
        krakens = np.int64(next_krakens(player, krakens))
    if best_size > 0:
        write_plan(player, payment, best_size, best_choice, best_total)
    else:
        for race in range(RACES):
            memo[CARDS + race] = 0
    memo[CARDS + KRAKEN] = best_krakens


@inline
def totals_of(krakens):
    """Return how many Krakens a plan has, and their points."""
    count = 0
    points = 0
    for value in range(1, MAX_VALUE + 1):
        number = krakens >> FIELD * value & 15
        count += number
        points += number * value
    return count, points


@inline
def next_krakens(player, krakens):
    """Return the next choice of Krakens from a hand, -1 after the last."""
    for value in range(1, MAX_VALUE + 1):
        if krakens >> FIELD * value & 15 < player.hand[KRAKEN, value]:
            return krakens + np.int64(1 << FIELD * value)
        krakens &= ~np.int64(15 << FIELD * value)
    return np.int64(-1)


@inline
def price_of_krakens(policy, memo, count, points):
    """Return what Krakens are worth that are paid: the points that are missed most, and that they fit anywhere."""
    most = 0
    for race in range(RACES):
        most = max(most, memo[POINT + race])
    worth = count * policy.weights[W.KRAKEN] + points * (policy.weights[W.KRAKEN_POINT] * most >> BITS)
    return policy.weights[W.KRAKEN_SPEND] * worth >> BITS


@inline
def plan_rest(game, rules, policy, seat, cells, size, cost, demanded, krakens):
    """Return score, choice and total of the best payment of what Krakens leave to pay; all may be paid already."""
    if size > 0:
        return plan_allies(game, rules, policy, seat, cells, size, cost, demanded)
    missing = max(cost, 0)
    payable = krakens > 0 and missing <= game.payment.purse
    pearl = policy.weights[W.SPEND_PEARL] * pearl_worth(policy, game.players[seat].pearls) >> BITS
    return (-pearl * missing if payable else NOTHING), np.int64(0), np.int64(0)


@jit
def plan_allies(game, rules, policy, seat, cells, size, cost, demanded):
    """Return score, choice and total of the best payment of `size` Races; the score is NOTHING where there is none."""
    player = game.players[sure(seat)]
    payment = game.payment
    weights = policy.weights
    low = max(cost - payment.purse, 0)
    pearls = player.pearls
    spend = weights[W.SPEND_POINT]
    pearl = weights[W.SPEND_PEARL] * pearl_worth(policy, player.pearls) >> BITS
    if not has_turn_to_come(game, seat):  # what is left then is worth next to nothing
        spend = 4
        pearl = 1
    relief = 0  # what a Nebulis that is paid in the place of a Pearl is worth, beside the Pearl
    if player.nebulis > 0:
        relief = pearl - nebulis_cost(game, rules, policy, seat, -1, player.memo[FADE])
    spared = relief * (payment.purse - pearls)
    best = ranked(NOTHING, 0, 0)
    left = choices_of(cells, size, demanded)
    while left != 0:
        bit = left & -left
        left ^= bit
        choice = choice_at(size, bit)
        most, points, gain = choice_totals(player, payment, size, choice)
        gain = gain * weights[W.AFFILIATE] + weights[W.LOW_CARD] * (MAX_VALUE - least_of(choice))
        price = (spend * points >> 10) * PARTS[sure(size)] >> 10
        bound = gain - min(price, pearl) * cost + spared if most >= low else NOTHING
        if ranked(bound, place_of(bit), 0) > best:
            sums = reachable(payment, size, choice)
            total = next_total(sums, low)
            missing = max(cost - total, 0)
            score = gain - price * total - pearl * missing + relief * max(missing - pearls, 0)
            best = max(best, ranked(score, place_of(bit), total))
            # Where points are worth more than Pearls, the smallest total is best. An ample total that is not the
            # smallest may have a superfluous card.
            while price < max(pearl, 0) and total < min(cost, most):
                total = next_total(sums, total + 1)
                missing = max(cost - total, 0)
                score = gain - price * total - pearl * missing + relief * max(missing - pearls, 0)
                best = max(best, ranked(score, place_of(bit), total))
    place = RANKS - (best >> 7 & RANKS)
    return best >> 13, choice_at(size, np.int64(1) << place), TOTALS - (best & TOTALS)


@inline
def ranked(score, place, total):
    """Return a score that also tells the place of the choice and the total, the lower the better."""
    return (score << 13) + (RANKS - place << 7) + TOTALS - total


@inline
def choice_totals(player, payment, size, choice):
    """Return for a choice the most it can pay, the worth of its points, and the IP of affiliating its lowest card."""
    memo = player.memo
    least = least_of(choice)
    most = 0
    points = 0
    gain = 0
    for number in range(size):
        race = race_of(choice, number)
        most += payment.plan_most[sure(least), sure(race)]
        points += memo[sure(POINT + race)]
        # Of a Race without a card of that value none can be affiliated.
        step = max(least - memo[sure(HIGH + race)], 0) + memo[sure(EXTRA + race)]
        gain = max(gain, step & all_if(player.hand[sure(race), sure(least)] > 0))
    return most, points, gain


@inline
def begin_plan(game, rules, seat):
    """Write the highest affiliated Ally of each Race, and what affiliating one adds beside its value."""
    player = game.players[sure(seat)]
    memo = player.memo
    for race in range(RACES):
        high = 0
        for value in range(1, MAX_VALUE + 1):
            high = value if player.affiliated[race, value] > 0 else high
        memo[HIGH + race] = high
        memo[EXTRA + race] = 0
    for i in range(player.location_count):
        tile = rules.locations[sure(player.locations[i])]
        counts = tile.per == Per.AFFILIATED_OF_RACE
        memo[sure(EXTRA + (tile.of if counts else 0))] += tile.each if counts else 0


@inline
def with_card(sums, value, count, number):
    """Return sums (as bits) with one more card of a value, if `count` are as many as `number`."""
    return sums | (sums << value & (ALL_SUMS if count >= number else 0))


@inline
def with_cards(sums, value, count):
    """Return sums (as bits) with `count` more cards of a value; there are seldom more than two."""
    sums = with_card(with_card(sums, value, count, 1), value, count, 2)
    for _ in range(count - 2):
        sums = with_card(sums, value, 1, 1)
    return sums


@inline
def lay_out(player, payment):
    """Write what each Race can pay from each lowest card on; return (as bits) which cards there are, by value."""
    cells = 0
    for race in range(RACES):
        sums = 1
        most = 0
        for value in range(MAX_VALUE, 0, -1):
            count = player.hand[race, value]
            sums = with_cards(sums, value, count)
            most += count * value
            payment.plan_sums[value, race] = sums - 1
            payment.plan_most[value, race] = most
            cells |= (1 if count > 0 else 0) << RACES * (MAX_VALUE - value) + race
    return cells


@inline
def choices_of(cells, size, demanded):
    """Return (as bits) the choices of so many Races, the demanded one among them, from the cards there are."""
    fitting = HOLDING[sure(size), sure(1 << demanded if demanded >= 0 else 0)]
    held = 0
    choices = 0
    for level in range(MAX_VALUE):
        added = cells >> RACES * level & (1 << RACES) - 1
        held |= added
        choices |= (fitting & WITHIN[sure(size), sure(held)] & TOUCHING[sure(size), sure(added)]) << SETS * level
    return choices


@inline
def reachable(payment, size, choice):
    """Return as bits the totals that a choice can pay, each with one Ally of each Race at least."""
    least = least_of(choice)
    sums = payment.plan_sums[sure(least), sure(race_of(choice, 0))]
    for number in range(1, size):
        sums = added_sums(payment.plan_sums[sure(least), sure(race_of(choice, number))], sums)
    return sums


@inline
def next_total(sums, total):
    """Return the next total from `total` on that is among some totals (as bits); there must be one."""
    sums = sums >> total << total
    return place_of(sums & -sums)


@jit
def write_plan(player, payment, size, choice, total):
    """Choose the cards of a plan: a total for each Race, then its lowest cards that make it up."""
    memo = player.memo
    least = least_of(choice)
    for race in range(RACES):
        memo[CARDS + race] = 0
    # What may be paid up to each Race so that the later ones can add what is then missing.
    paid = np.int64(1) << total
    for number in range(size - 1, 0, -1):
        memo[sure(REST + number)] = paid
        paid = before_race(player, race_of(choice, number), least, paid)
    memo[REST] = paid
    spent = 0
    for number in range(size):
        race = race_of(choice, number)
        part = best_part(memo, race, payment.plan_sums[sure(least), sure(race)] & memo[sure(REST + number)] >> spent)
        memo[sure(CARDS + race)] = cards_for(player, race, least, part)
        spent += part


@inline
def before_race(player, race, least, paid):
    """Return (as bits) what was paid before a Race paid with one card or more from `least` on, from what is then."""
    before = 0
    for value in range(1, MAX_VALUE + 1):
        count = player.hand[sure(race), value] & all_if(value >= least)
        before |= (before | paid) >> value & all_if(count > 0)
        before |= (before | paid) >> value & all_if(count > 1)
        for _ in range(count - 2):
            before |= (before | paid) >> value
    return before


@inline
def best_part(memo, race, parts):
    """Return of what a Race may pay (as bits) the least where its points are worth much, else the most."""
    later = 0
    for other in range(1, RACES):
        later = max(later, memo[POINT + other] & all_if(other > race))
    lowest = parts & -parts
    highest = parts | parts >> 1
    highest |= highest >> 2
    highest |= highest >> 4
    highest |= highest >> 8
    highest |= highest >> 16
    highest |= highest >> 32
    highest -= highest >> 1
    return place_of(lowest if memo[sure(POINT + race)] >= later else highest)


@jit
def cards_for(player, race, least, part):
    """Return the cards of `race` (four bits for each value) that total `part`, few of them high."""
    if part < 2 * least:  # too little for two cards
        return 1 << FIELD * part
    memo = player.memo
    sums = 1
    for value in range(1, MAX_VALUE + 1):
        memo[LOWER + value] = sums
        sums = with_cards(sums, value, player.hand[sure(race), value] & all_if(value >= least))
    cards = 0
    for value in range(MAX_VALUE, 0, -1):
        lower = memo[LOWER + value]
        for _ in range(2):
            more = 1 - (lower >> part & 1)
            part -= value * more
            cards += more << FIELD * value
        while lower >> part & 1 == 0:
            part -= value
            cards += 1 << FIELD * value
    return cards


@inline
def is_planned(game, memo, place):
    """Tell whether an option, if there is one at that place, pays the next card of the plan."""
    option = game.options[sure(place)]
    there = all_if(place < game.option_count)  # what stands behind the options may be anything
    race = option.card & there
    value = option.amount & there
    planned = memo[sure(CARDS + race)] >> FIELD * value & 15
    return planned > game.payment.paid[sure(race), sure(value)] and value > 0


@jit
def next_payment(game, rules, policy, seat):
    """Return the option that follows the plan (made at the first question of a payment)."""
    memo = game.players[sure(seat)].memo
    if memo[PLAN] != plan_stamp(game):
        refresh(game, rules, policy, seat)
        plan_payment(game, rules, policy, seat)
    pick = game.option_count - 1
    for place in range(game.option_count - 1, OPTIONS_SEEN - 1, -1):
        pick = place if is_planned(game, memo, place) else pick
    for place in range(OPTIONS_SEEN - 1, -1, -1):
        pick = place if is_planned(game, memo, place) else pick
    return pick
