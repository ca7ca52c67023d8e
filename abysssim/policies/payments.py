# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""Planning a payment: which Allies a seat of the weighted family spends on a Lord, and which of them it affiliates.

The plan looks at every set of Races that may pay and every lowest card, works on sets of reachable totals (as bits),
and keeps the best: few points and Pearls spent, a high and useful lowest card. It is kept in the memo and followed card
by card.
"""

from abysssim.core.jit import jit
from abysssim.core.layout import MAX_LORDS, MAX_VALUE, RACES
from abysssim.core.payment import MAX_SUM
from abysssim.policies.features import (
    CARDS,
    PLAN,
    POINT,
    REST,
    SUMS,
    affiliation_gain,
    has_turn_to_come,
    pearl_worth,
)
from abysssim.policies.weights import SCALE, W

ALL_SUMS = (1 << (MAX_SUM + 1)) - 1
NOTHING = -(1 << 60)
FIELD = 4  # bits for the number of cards of one value in a plan


@jit
def added_sums(a, b):
    """Return as bits every sum of one total from `a` and one from `b`."""
    result = 0
    while a != 0:
        low = a & -a
        result |= (b * low) & ALL_SUMS
        a ^= low
    return result


@jit
def sums_from(player, race, least):
    """Return as bits the totals of all choices, the empty one too, of Allies of `race` worth `least` or more."""
    sums = 1
    for value in range(least, MAX_VALUE + 1):
        for _ in range(player.hand[race, value]):
            sums |= (sums << value) & ALL_SUMS
    return sums


@jit
def is_wanted(payment, races):
    """Tell whether a set of Races (as bits) is of the right size and has the demanded Race."""
    count = 0
    for race in range(RACES):
        count += races >> race & 1
    return count == payment.races and (payment.race < 0 or races >> payment.race & 1 == 1)


@jit
def plan_stamp(game):
    """Return what a plan is for: this turn, this Lord, this number of Lords in the Court."""
    return (game.turn * MAX_LORDS + game.payment.lord) * 2 + 1


@jit
def plan_payment(game, rules, policy, seat):
    """Find the best payment for the Lord being recruited and write it into the memo."""
    player = game.players[seat]
    memo = player.memo
    payment = game.payment
    best = NOTHING
    best_races = 0
    best_least = 0
    best_total = 0
    for race in range(RACES):
        memo[SUMS + race] = 1
    for least in range(MAX_VALUE, 0, -1):
        if add_cards_of_value(player, memo, least):
            for races in range(1, 1 << RACES):
                if is_wanted(payment, races):
                    sums = reachable(memo, races)
                    if sums >> max(payment.cost - player.pearls, 0) != 0:
                        total = cheapest_total(policy, payment, player, sums)
                        score = payment_score(game, rules, policy, seat, races, least, total)
                        if score > best:
                            best = score
                            best_races = races
                            best_least = least
                            best_total = total
    write_plan(game, player, best_races, best_least, best_total)


@jit
def add_cards_of_value(player, memo, value):
    """Let the Allies of one more value pay; return whether there is any."""
    found = False
    for race in range(RACES):
        for _ in range(player.hand[race, value]):
            memo[SUMS + race] |= (memo[SUMS + race] << value) & ALL_SUMS
            found = True
    return found


@jit
def reachable(memo, races):
    """Return as bits the totals that a set of Races can pay, each with one Ally at least."""
    sums = 1
    for race in range(RACES):
        if races >> race & 1:
            sums = added_sums(memo[SUMS + race] & ~1, sums)
            if sums == 0:
                return 0
    return sums


@jit
def cheapest_total(policy, payment, player, sums):
    """Return the reachable total that costs least: points beside Pearls for what is missing.

    Of the totals that are ample only the smallest is looked at, so that no card in it is superfluous.
    """
    point = policy.weights[W.SPEND_POINT]
    pearl = policy.weights[W.SPEND_PEARL] * pearl_worth(policy, player.pearls) // SCALE
    best = NOTHING
    best_total = 0
    for total in range(max(payment.cost - player.pearls, 0), MAX_SUM + 1):
        if sums >> total & 1:
            score = -point * total - pearl * max(payment.cost - total, 0)
            if score > best:
                best = score
                best_total = total
            if total >= payment.cost:
                return best_total
    return best_total


@jit
def payment_score(game, rules, policy, seat, races, least, total):
    """Return how good it is to pay `total` with these Races and no card below `least`."""
    player = game.players[seat]
    memo = player.memo
    payment = game.payment
    points = 0
    count = 0
    gain = 0
    for race in range(RACES):
        if races >> race & 1:
            points += memo[POINT + race]
            count += 1
            if player.hand[race, least] > 0:
                gain = max(gain, affiliation_gain(game, rules, policy, seat, race, least))
    pearls = max(payment.cost - total, 0)
    if not has_turn_to_come(game, seat):
        return gain - pearls - total
    price = policy.weights[W.SPEND_POINT] * points // count // SCALE
    pearl = policy.weights[W.SPEND_PEARL] * pearl_worth(policy, player.pearls) // SCALE
    return gain - price * total - pearl * pearls + policy.weights[W.LOW_CARD] * (MAX_VALUE - least)


@jit
def write_plan(game, player, races, least, total):
    """Choose the cards of a plan: a total for each Race, then its lowest cards that make it up."""
    memo = player.memo
    memo[PLAN] = plan_stamp(game)
    memo[REST + RACES] = 1
    for race in range(RACES - 1, -1, -1):
        memo[CARDS + race] = 0
        memo[REST + race] = memo[REST + race + 1]
        if races >> race & 1:
            memo[SUMS + race] = sums_from(player, race, least) & ~1
            memo[REST + race] = added_sums(memo[SUMS + race], memo[REST + race + 1])
    for race in range(RACES):
        if races >> race & 1:
            part = part_for(memo, race, total)
            memo[CARDS + race] = cards_for(player, race, least, part)
            total -= part


@jit
def part_for(memo, race, total):
    """Return what a Race pays of `total`: as much as it can where its points are worth little, else as little."""
    later = 0
    for other in range(race + 1, RACES):
        later = max(later, memo[POINT + other])
    found = 0
    for part in range(1, total + 1):
        if memo[SUMS + race] >> part & 1 and memo[REST + race + 1] >> (total - part) & 1:
            found = part
            if memo[POINT + race] >= later:
                return part
    return found


@jit
def cards_for(player, race, least, part):
    """Return the cards of `race` (four bits for each value) that total `part`, few of them high."""
    cards = 0
    for value in range(MAX_VALUE, least - 1, -1):
        lower = 1
        for v in range(least, value):
            for _ in range(player.hand[race, v]):
                lower |= (lower << v) & ALL_SUMS
        count = 0
        while part > 0 and count < player.hand[race, value] and lower >> part & 1 == 0:
            part -= value
            count += 1
            if part < 0:
                return cards
        cards |= count << FIELD * value
    return cards


@jit
def next_payment(game, rules, policy, seat):
    """Return the option that follows the plan (made at the first question of a payment)."""
    memo = game.players[seat].memo
    if memo[PLAN] != plan_stamp(game):
        plan_payment(game, rules, policy, seat)
    paid = game.payment.paid
    for i in range(game.option_count):
        option = game.options[i]
        planned = memo[CARDS + option.card] >> FIELD * option.amount & 15
        if option.amount > 0 and planned > paid[option.card, option.amount]:
            return i
    return game.option_count - 1
