# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""The decisions of the Kraken expansion, as the weighted family takes them: Nebulis, Sentinels, Loot and its Lords."""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import GAME, LOOT_VALUES, MAX_VALUE, POLICY, RULES
from abysssim.core.scoring import affiliated_of_race, highest_affiliated
from abysssim.policies.features import (
    DEMANDED,
    FADE,
    LASTING,
    TOKEN_MEAN,
    card_worth,
    fading,
    is_last_turn,
    keys_worth,
    location_value,
    lord_worth,
    open_standing,
    pearl_worth,
    points_in_hand,
    refresh,
    stack_worth,
)
from abysssim.policies.nebulis import nebulis_cost
from abysssim.policies.weights import BITS, FIRST_LOOT, LOOT_REWARDS, SCALE, W
from abysssim.vocabulary import Decision, Verb

MOST_KEYS = 2  # Keys at hand that make a difference to the worth of one more
LONE = 3  # how much more a rival's only affiliated Ally of a Race hurts than one of several


@separate((GAME, RULES, POLICY), 2)
def score_kraken(game, rules, policy, seat, number):
    """Score an option of a decision that only the Kraken expansion asks."""
    decision = game.decision
    option = game.options[number]
    if decision == Decision.NEBULIS:
        return score_nebulis_paid(game, rules, policy, seat, option.amount)
    if decision == Decision.SENTINEL:
        return score_sentinel(game, rules, policy, seat, option.verb, option.card)
    if decision == Decision.FIGURE or decision == Decision.GIVE_NEBULIS:
        return open_standing(game, rules, option.target)
    if decision == Decision.KRAKEN_STACK:
        return -stack_worth(game, policy, seat, option.card)
    if decision == Decision.SEARCH:
        return search_gain(game, rules, policy, seat, option.card) if option.verb == Verb.SEARCH else 0
    if decision == Decision.RACE:
        return score_named_race(game, seat, option.card)
    if decision == Decision.FROM_DISCARD:
        return card_worth(game, rules, policy, seat, option.card, option.amount) if option.verb == Verb.ALLY else 0
    if decision == Decision.COVERED_LORD:
        memo = game.players[seat].memo
        return fading(memo, policy.tables[LASTING + option.card]) + keys_worth(memo, rules.lords[option.card].keys)
    return -option.amount  # an affiliated Ally to give up


@jit
def score_nebulis_paid(game, rules, policy, seat, nebulis):
    """Score paying so much of a price in Nebulis: Pearls kept, and Nebulis got rid of."""
    player = game.players[seat]
    kept = nebulis * (policy.weights[W.NEBULIS_PEARL] * pearl_worth(policy, player.pearls) >> BITS)
    return kept - nebulis_cost(game, rules, policy, seat, -nebulis, player.memo[FADE])


@jit
def score_sentinel(game, rules, policy, seat, verb, item):
    """Score reserving a Court Lord that is out of reach as yet, a Council stack or a Location."""
    weights = policy.weights
    if verb == Verb.SENTINEL_COUNCIL:
        return weights[W.SENTINEL_STACK] * stack_worth(game, policy, seat, item) >> BITS
    if verb == Verb.SENTINEL_LOCATION:
        return weights[W.SENTINEL_LOCATION] * location_value(game, rules, policy, seat, item) >> BITS
    card = rules.lords[item]
    player = game.players[seat]
    worth = lord_worth(game, rules, policy, seat, item) - weights[W.PAY_POINT] * card.cost
    missing = card.cost - points_in_hand(player.memo, card.races, policy.tables[DEMANDED + item]) - player.pearls
    return (weights[W.SENTINEL_LORD] * worth >> BITS) - weights[W.FAR] * max(missing, 0)


@jit
def loot_reward(game, rules, policy, seat, value):
    """Return what the reward of a Loot is worth to a seat (in its last turn: the IP that it brings)."""
    weights = policy.weights
    reward = rules.loot_rewards[value]
    tokens = min(reward.monster_tokens, game.token_count)
    if is_last_turn(game, seat):
        return tokens * TOKEN_MEAN
    first = FIRST_LOOT + phase(game) * LOOT_REWARDS
    keys = min(game.players[seat].key_tokens + game.players[seat].lord_keys, MOST_KEYS)
    worth = reward.keys * weights[first + keys] + reward.pearls * weights[first + MOST_KEYS + 1]
    return worth + tokens * weights[first + MOST_KEYS + 2] + reward.allies * weights[first + MOST_KEYS + 3]


@jit
def phase(game):
    """Return the phase of the game: 0 up to two Lords of the player with the most, 1 up to four, 2 beyond."""
    most = 0
    for seat in range(game.seats):
        most = max(most, game.players[seat].lord_count)
    return min(max(most - 1, 0) // 2, 2)


@jit
def search_gain(game, rules, policy, seat, location):
    """Return what one more Loot is expected to bring, times the Loot left: to search on is right where it is above 0.

    The one-step rule: nothing better than stopping can come later where the next draw does not pay (a monotone problem;
    Ferguson, Optimal Stopping). What is left in the deck follows from the Loot that lies open or is out of the game.
    """
    gain = 0
    held = game.loot[location]
    for value in range(LOOT_VALUES):
        left = rules.loot_copies[value] - game.loot_lost[value]
        for other in range(rules.location_count):
            left -= game.loot[other] >> value & 1
        if left > 0:
            points = -SCALE * value if held >> value & 1 else SCALE * value
            gain += left * (points + loot_reward(game, rules, policy, seat, value))
    return gain


@jit
def score_named_race(game, seat, race):
    """Score a Race for the Executioner: what opponents lose who have only one affiliated Ally of it, or several."""
    score = 0
    for other in range(game.seats):
        if other != seat:
            count = affiliated_of_race(game, other, race)
            if count == 1:
                score += LONE * highest_affiliated(game.players[other], race)
            elif count > 1:
                score += MAX_VALUE // LONE
    return score


@separate((GAME, RULES, POLICY), 1)
def best_sentinel_place(game, rules, policy, seat):
    """Return the best of the menu's places for a Sentinel, its last options; if none is worth it -1 - their first."""
    refresh(game, rules, policy, seat)
    first = game.option_count
    while game.options[first - 1].verb >= Verb.SENTINEL_COURT:
        first -= 1
    best = policy.weights[W.SENTINEL_LEVEL]
    pick = -1 - first
    for i in range(first, game.option_count):
        option = game.options[i]
        score = score_sentinel(game, rules, policy, seat, option.verb, option.card)
        if score > best:
            best = score
            pick = i
    return pick
