# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""Planning a payment: which Allies a seat of the weighted family spends on a Lord, and which of them it affiliates.

The plan looks at every set of Races that may pay and every lowest card, works on sets of reachable totals (as bits),
and keeps the best: few points and Pearls spent, a high and useful lowest card. It is kept in the memo and followed card
by card.
"""

from itertools import combinations

import numpy as np

from abysssim.core.jit import jit
from abysssim.core.layout import MAX_LORDS, MAX_VALUE, RACES
from abysssim.core.payment import ALL_SUMS, added_sums
from abysssim.core.scoring import highest_affiliated
from abysssim.policies.features import (
    CARDS,
    EXTRA,
    HIGH,
    MOST,
    PLAN,
    POINT,
    REST,
    SUMS,
    has_turn_to_come,
    pearl_worth,
    refresh,
)
from abysssim.policies.weights import BITS, W
from abysssim.vocabulary import Per

LOWER = HIGH  # [value] what the lower cards of a Race can total, while a plan is written
NOTHING = -(1 << 60)
FIELD = 4  # bits for the number of cards of one value in a plan
PARTS = np.array([0] + [1024 // size for size in range(1, RACES + 1)])  # the mean of so many, in 1024ths
ALL_RACES = (1 << RACES) - 1
# The sets of Races (as bits) by their size and the Race demanded (0 for none, 1 for the first): five bits for each set.
RACE_SETS = np.zeros((RACES + 1, RACES + 1), np.int64)
for _size in range(1, RACES + 1):
    for _demanded in range(RACES + 1):
        _sets = [sum(1 << race for race in chosen) for chosen in combinations(range(RACES), _size)]
        _fitting = [races for races in _sets if _demanded == 0 or races >> _demanded - 1 & 1]
        RACE_SETS[_size, _demanded] = sum(races << RACES * i for i, races in enumerate(_fitting))


@jit
def sums_from(player, race, least):
    """Return as bits the totals of all choices, the empty one too, of Allies of `race` worth `least` or more."""
    sums = 1
    for value in range(least, MAX_VALUE + 1):
        for _ in range(player.hand[race, value]):
            sums |= (sums << value) & ALL_SUMS
    return sums


@jit
def plan_stamp(game):
    """Return what a plan is for: this turn, this Lord, this number of Lords in the Court."""
    return (game.turn * MAX_LORDS + game.payment.lord) * 2 + 1


@jit
def plan_payment(game, rules, policy, seat):
    """Find the best payment for the Lord being recruited and write it into the memo."""
    player = game.players[seat]
    payment = game.payment
    low = max(payment.cost - player.pearls, 0)
    spend = policy.weights[W.SPEND_POINT]
    pearl = policy.weights[W.SPEND_PEARL] * pearl_worth(policy, player.pearls) >> BITS
    if not has_turn_to_come(game, seat):  # what is left then is worth next to nothing
        spend = 4
        pearl = 1
    best = NOTHING
    best_races = 0
    best_least = 0
    best_total = 0
    begin_plan(game, rules, policy, seat)
    held = 0
    for least in range(MAX_VALUE, 0, -1):
        added = add_cards_of_value(player, least)
        held |= added
        sets = RACE_SETS[payment.races, payment.race + 1] if added != 0 else 0
        while sets != 0:
            races = sets & ALL_RACES
            sets >>= RACES
            if races & held == races and races & added != 0:
                most, points, gain = set_totals(player, races, least)
                gain = gain * policy.weights[W.AFFILIATE] + policy.weights[W.LOW_CARD] * (MAX_VALUE - least)
                price = (spend * points >> 10) * PARTS[payment.races] >> 10
                if most >= low and gain - min(price, pearl) * payment.cost > best:
                    sums = reachable(player, races)
                    total = next_total(sums, low)
                    looking = True
                    while looking:
                        score = gain - price * total - pearl * max(payment.cost - total, 0)
                        if score > best:
                            best = score
                            best_races = races
                            best_least = least
                            best_total = total
                        # Where points are worth more than Pearls, the smallest total is best. An ample total that is
                        # not the smallest may have a superfluous card.
                        looking = total < payment.cost and total < most and price < max(pearl, 0)
                        if looking:
                            total = next_total(sums, total + 1)
    write_plan(game, player, best_races, best_least, best_total)


@jit
def set_totals(player, races, least):
    """Return for a set of Races the most it can pay, the worth of its points, and the IP of affiliating `least`."""
    memo = player.memo
    most = 0
    points = 0
    gain = 0
    for race in range(RACES):
        if races >> race & 1:
            most += memo[MOST + race]
            points += memo[POINT + race]
            if player.hand[race, least] > 0:
                gain = max(gain, max(least - memo[HIGH + race], 0) + memo[EXTRA + race])
    return most, points, gain


@jit
def begin_plan(game, rules, policy, seat):
    """Clear the planner's totals, and write what affiliating an Ally of each Race adds beside its value."""
    player = game.players[seat]
    memo = player.memo
    for race in range(RACES):
        memo[SUMS + race] = 1
        memo[MOST + race] = 0
        memo[HIGH + race] = highest_affiliated(player, race) if player.race_count[race] > 0 else 0
        memo[EXTRA + race] = 0
    for i in range(player.location_count):
        tile = rules.locations[player.locations[i]]
        if tile.per == Per.AFFILIATED_OF_RACE:
            memo[EXTRA + tile.of] += tile.each


@jit
def add_cards_of_value(player, value):
    """Let the Allies of one more value pay; return (as bits) the Races that have any."""
    memo = player.memo
    found = 0
    for race in range(RACES):
        count = player.hand[race, value]
        if count > 0:
            found |= 1 << race
            memo[MOST + race] += count * value
            sums = memo[SUMS + race]
            for _ in range(count):
                sums |= (sums << value) & ALL_SUMS
            memo[SUMS + race] = sums
    return found


@jit
def reachable(player, races):
    """Return as bits the totals that a set of Races can pay, each with one Ally at least."""
    memo = player.memo
    sums = 1
    for race in range(RACES):
        if races >> race & 1:
            of_race = memo[SUMS + race] & ~1
            sums = of_race if sums == 1 else added_sums(of_race, sums)
    return sums


@jit
def next_total(sums, total):
    """Return the next total from `total` on that is among some totals (as bits); there must be one."""
    while sums >> total & 1 == 0:
        total += 1
    return total


@jit
def write_plan(game, player, races, least, total):
    """Choose the cards of a plan: a total for each Race, then its lowest cards that make it up."""
    memo = player.memo
    memo[PLAN] = plan_stamp(game)
    rest = 1
    for race in range(RACES - 1, -1, -1):
        memo[CARDS + race] = 0
        memo[REST + race + 1] = rest
        if races >> race & 1:
            sums = memo[SUMS + race] if least == 1 else sums_from(player, race, least)
            memo[SUMS + race] = sums & ~1
            if races & ((1 << race) - 1) != 0:
                rest = added_sums(sums & ~1, rest)
    for race in range(RACES):
        if races >> race & 1:
            part = part_for(player, race, total)
            memo[CARDS + race] = cards_for(player, race, least, part)
            total -= part


@jit
def part_for(player, race, total):
    """Return what a Race pays of `total`: as little as it can where its points are worth much, else as much."""
    memo = player.memo
    rest = memo[REST + race + 1]
    if rest == 1:  # it is the last to pay
        return total
    later = 0
    for other in range(race + 1, RACES):
        later = max(later, memo[POINT + other])
    part, step = (1, 1) if memo[POINT + race] >= later else (total, -1)
    while memo[SUMS + race] >> part & 1 == 0 or rest >> (total - part) & 1 == 0:
        part += step
    return part


@jit
def cards_for(player, race, least, part):
    """Return the cards of `race` (four bits for each value) that total `part`, few of them high."""
    if part < 2 * least:  # too little for two cards
        return 1 << FIELD * part
    memo = player.memo
    sums = 1
    for value in range(least, MAX_VALUE + 1):
        memo[LOWER + value] = sums
        for _ in range(player.hand[race, value]):
            sums |= (sums << value) & ALL_SUMS
    cards = 0
    value = MAX_VALUE
    while part > 0:
        while memo[LOWER + value] >> part & 1 == 0:
            part -= value
            cards += 1 << FIELD * value
        value -= 1
    return cards


@jit
def next_payment(game, rules, policy, seat):
    """Return the option that follows the plan (made at the first question of a payment)."""
    memo = game.players[seat].memo
    if memo[PLAN] != plan_stamp(game):
        refresh(game, rules, policy, seat)
        plan_payment(game, rules, policy, seat)
    paid = game.payment.paid
    for i in range(game.option_count):
        option = game.options[i]
        planned = memo[CARDS + option.card] >> FIELD * option.amount & 15
        if option.amount > 0 and planned > paid[option.card, option.amount]:
            return i
    return game.option_count - 1
