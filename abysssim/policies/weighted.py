# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""The weighted family: the answer to each question is the option with the highest sum of features times weights."""

import numpy as np

from abysssim.core.index import negative, sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import GAME, KINDS, KRAKEN, MAX_SEATS, POLICY, RACES, RULES
from abysssim.core.payment import purse_of, usable_nebulis
from abysssim.core.rng import draw
from abysssim.core.scoring import score_tokens
from abysssim.policies.features import (
    ARRIVAL,
    DEMANDED,
    FADE,
    LASTING,
    LEAD,
    LEAD_MARK,
    MOST_FIRST,
    TOKEN_MEAN,
    affiliation_gain,
    card_worth,
    fading,
    final_gain,
    has_turn_to_come,
    held_worth,
    is_last_turn,
    keys_worth,
    lacks,
    least_worth,
    location_value,
    lord_kept_away,
    lord_worth,
    may_bound,
    most_worth,
    new_location_value,
    open_standing,
    pearl_worth,
    points_in_hand,
    refresh,
    refresh_standing,
    stack_worth,
)
from abysssim.policies.krakens import best_sentinel_place, score_kraken
from abysssim.policies.nebulis import nebulis_cost
from abysssim.policies.weights import BITS, SCALE, W
from abysssim.vocabulary import Area, Decision, EndTrigger, Power, Purpose, Timing, Verb

LEAST = -(1 << 60)
ROLL = 1 << 31  # numbers of policies' draws have this bit: no shuffle has
ARREARS = 10  # IP of lead or arrears that still matter to whoever could end the game
PLOT_FROM = 6  # points in the three best Races from which plotting is considered
PATIENCE = 3  # rounds without a recruitment that are nothing unusual
RIVAL_PEARLS = 3  # Pearls of an opponent that count as spendable


@jit
def roll(game, seat, purpose, option):
    """Return 32 random bits for an option by its identity, for this seat, turn and decision: its place is no matter."""
    player = game.players[seat]
    identity = (
        ((option.verb & 63) << 18) | ((option.card & 127) << 11) | ((option.target + 1 & 31) << 6) | option.amount & 63
    )
    context = (player.turns & 511) << 11 | (game.seat & 7) << 8 | player.asked & 255
    return draw(game, purpose | seat << 4 | context << 8, ROLL | identity)


@jit
def noise(game, policy, seat, number):
    """Return the random part of an option's score: uniform from 0 to the policy's noise."""
    return (roll(game, seat, Purpose.NOISE, game.options[number]) * policy.noise) >> 32


@inline
def first_if(game, policy, seat, worth, level):
    """Return 0 (buy, take, fight) where `worth` exceeds `level`, else 1."""
    if policy.noise != 0:
        worth += noise(game, policy, seat, 0)
        level += noise(game, policy, seat, 1)
    return 0 if worth > level else 1


# --- Exploration ----------------------------------------------------------------------------------------------------


@inline
def decide_offer(game, rules, policy, seat):
    """Buy the Ally where it is worth more than its price."""
    option = game.options[0]
    if game.end_trigger != EndTrigger.NONE and not has_turn_to_come(game, seat):
        return first_if(game, policy, seat, final_gain(game, seat, option.card, option.amount), 0)
    player = game.players[sure(seat)]
    weights = policy.weights
    price = rules.purchase_price_first + game.purchases * rules.purchase_price_step
    if option.card == KRAKEN or player.nebulis > 0:
        if option.card == KRAKEN or price > player.pearls or player.power_count[Power.NEBULIS_BEFORE_PEARLS] > 0:
            return decide_kraken_offer(game, rules, policy, seat, price)
    level = weights[W.BUY_MARGIN] + price * (pearl_worth(policy, player.pearls - price) + weights[W.BUY_FEED])
    if may_bound(policy):
        if most_worth(player, policy, option.card, option.amount) <= level:
            return 1
        if least_worth(player, policy, option.card, option.amount) > level:
            return 0
    refresh(game, rules, policy, seat)
    return first_if(game, policy, seat, card_worth(game, rules, policy, seat, option.card, option.amount), level)


@separate((GAME, RULES, POLICY), 2)
def decide_kraken_offer(game, rules, policy, seat, price):
    """Buy where a Kraken is offered, or Nebulis can be paid: they go to the explorer, and cost less than nothing."""
    option = game.options[0]
    player = game.players[seat]
    refresh(game, rules, policy, seat)
    nebulis = max(price - player.pearls, 0)
    if player.power_count[Power.NEBULIS_BEFORE_PEARLS] > 0:
        nebulis = min(usable_nebulis(rules, player), price)
    pearls = price - nebulis
    level = policy.weights[W.BUY_MARGIN] + pearls * pearl_worth(policy, player.pearls - pearls)
    level += price * policy.weights[W.BUY_FEED] + nebulis_cost(game, rules, policy, seat, -nebulis, player.memo[FADE])
    return first_if(game, policy, seat, card_worth(game, rules, policy, seat, option.card, option.amount), level)


@inline
def buyers(game, rules, seat):
    """Return how many opponents can still buy in this exploration."""
    price = rules.purchase_price_first + game.purchases * rules.purchase_price_step
    count = 0
    for other in range(game.seats):
        rival = game.players[other]
        if other != seat and purse_of(rules, rival) >= price and rival.bought < rules.purchases_per_opponent:
            count += 1
    return count


@inline
def impatience(game, policy):
    """Return what taking Allies, and then a Lord, is worth beside all else after rounds without a recruitment."""
    turns = game.turn - game.last_recruitment - PATIENCE * game.seats
    if turns < game.seats:
        return 0
    return policy.weights[W.IMPATIENCE] * (turns // game.seats)


@inline
def decide_ally(game, rules, policy, seat):
    """Take the Ally where it is worth more than going on."""
    weights = policy.weights
    option = game.options[0]
    if is_last_turn(game, seat):
        worth = card_worth(game, rules, policy, seat, option.card, option.amount)
        return first_if(game, policy, seat, worth, 2 * SCALE - option.target * SCALE // 2)
    level = (
        weights[W.TAKE_LEVEL]
        - weights[W.TAKE_SPACE] * option.target
        + weights[W.TAKE_BUYERS] * buyers(game, rules, seat)
        - weights[W.TAKE_COUNCIL] * option.amount
        - impatience(game, policy)
    )
    player = game.players[sure(seat)]
    if may_bound(policy) and weights[W.TAKE_THREAT] >= 0 and option.card != KRAKEN:
        if most_worth(player, policy, option.card, option.amount) <= level:
            return 1
    refresh(game, rules, policy, seat)
    worth = card_worth(game, rules, policy, seat, option.card, option.amount)
    level += weights[W.TAKE_THREAT] * threat_worth(game, rules, policy, seat) >> BITS
    return first_if(game, policy, seat, worth, level)


@inline
def reward_worth(game, policy, player, reward, last):
    """Return what a reward of the threat track is worth to a seat (in its `last` turn: the IP that it brings)."""
    tokens = min(reward.monster_tokens, game.token_count)
    if last:
        return tokens * TOKEN_MEAN + keys_worth(player.memo, reward.keys) + reward.pearls
    worth = reward.pearls * pearl_worth(policy, player.pearls) + tokens * policy.weights[W.TOKEN]
    return worth + keys_worth(player.memo, reward.keys)


@inline
def threat_worth(game, rules, policy, seat):
    """Return what fighting now would bring, opposing Tamers apart."""
    player = game.players[sure(seat)]
    last = is_last_turn(game, seat)
    space = sure(game.threat)
    best = 0
    for pick in range(rules.reward_count[space]):
        best = max(best, reward_worth(game, policy, player, rules.rewards[space, pick], last))
    return best


@inline
def decide_monster(game, rules, policy, seat):
    """Fight where the reward is worth more than going on."""
    refresh_standing(game, rules, policy, seat)
    worth = threat_worth(game, rules, policy, seat)
    level = (
        impatience(game, policy)
        + policy.weights[W.FIGHT_LEVEL]
        - policy.weights[W.FIGHT_SPACE] * game.options[0].target
    )
    return first_if(game, policy, seat, worth, level)


# --- Everything else: the option with the highest score --------------------------------------------------------------


@inline
def asks_for_demand(decision):
    """Tell whether an answer weighs Allies (what has a function of its own apart)."""
    return (
        decision == Decision.STACK
        or decision == Decision.DISCARD
        or decision == Decision.COURT_LORD
        or decision >= Decision.NEBULIS
    )


@inline
def decide_by_score(game, rules, policy, seat):
    """Return the option with the highest score, the first of equals."""
    decision = game.decision
    if asks_for_demand(decision):
        refresh(game, rules, policy, seat)
    else:
        refresh_standing(game, rules, policy, seat)
    best = LEAST
    pick = 0
    for i in range(game.option_count):
        if decision >= Decision.LOCATION and decision <= Decision.KEY:
            score = score_holding(game, rules, policy, seat, i)
        elif decision == Decision.LEFTOVER:
            score = score_leftover(game, rules, policy, seat, i)
        elif decision >= Decision.NEBULIS:
            score = score_kraken(game, rules, policy, seat, i)
        else:
            score = score_power(game, rules, policy, seat, i)
        best, pick = better(game, policy, seat, i, score, best, pick)
    return pick


@jit
def decision_mark(game, seat):
    """Return a number for the decision under way, unique in the game for the seat."""
    return game.turn * 4096 + game.players[seat].asked


@inline
def decide_menu(game, rules, policy, seat):
    """Return the best option of the menu, the first of equals (a Council stack last).

    The menu lists Lords first, then the exploration, Council stacks, powers and the plot.
    """
    refresh_standing(game, rules, policy, seat)
    last = is_last_turn(game, seat)
    eager = 0 if last else impatience(game, policy)
    recruiting = game.options[0].verb == Verb.RECRUIT
    base = recruitment_base(game, rules, policy, seat, recruiting, last) + eager
    best = LEAST
    pick = 0
    i = 0
    while i < game.option_count and game.options[sure(i)].verb == Verb.RECRUIT:
        score = base + score_recruitment(game, rules, policy, seat, game.options[sure(i)].card, last)
        best, pick = better(game, policy, seat, i, score, best, pick)
        i += 1
    if game.options[sure(i)].verb == Verb.EXPLORE and i < game.option_count:
        score = score_exploration(game, rules, policy, seat, last)
        best, pick = better(game, policy, seat, i, score, best, pick)
        i += 1
    first_stack = i
    i += stacks(game, seat)
    after_stacks = i
    end = game.option_count
    if game.players[seat].sentinels != 0:
        place = best_sentinel_place(game, rules, policy, seat)
        if place >= 0:
            return place
        end = -1 - place
    while i < end:
        score = score_plot_or_use(game, rules, policy, seat, i, recruiting)
        best, pick = better(game, policy, seat, i, score, best, pick)
        i += 1
    pick = best_with_stacks(game, rules, policy, seat, first_stack, after_stacks, last, eager, best, pick)
    return pick


@inline
def better(game, policy, seat, number, score, best, pick):
    """Return the better score of an option and the best so far, and which option it is."""
    if policy.noise != 0:
        score += noise(game, policy, seat, number)
    return max(score, best), number if score > best else pick


@inline
def stacks(game, seat):
    """Return how many Council stacks the menu lists: those that have a card and are not reserved."""
    count = 0
    for race in range(RACES):
        count += negative(-game.council_size[race])
    if game.reserved_for[Area.COUNCIL] > 0:
        race = game.reserved_item[Area.COUNCIL]
        if game.council_size[race] > 0 and game.reserved_for[Area.COUNCIL] != seat + 1:
            count -= 1
    return count


@inline
def score_plot_or_use(game, rules, policy, seat, number, recruiting):
    """Score what stands at the end of the menu."""
    option = game.options[sure(number)]
    if option.verb == Verb.PLOT:
        return score_plot(game, rules, policy, seat, recruiting)
    return score_use(game, rules, policy, seat, option.card, recruiting)


@inline
def best_with_stacks(game, rules, policy, seat, first, after, last, eager, best, pick):
    """Return the best option, given the best of those that are no Council stacks, which stand from `first` on."""
    if may_bound(policy) and not last and eager + most_of_stacks(game, policy, seat) <= best:
        return pick
    refresh(game, rules, policy, seat)
    for number in range(first, after):
        score = eager + score_council(game, policy, seat, game.options[sure(number)].card, last)
        best, pick = better(game, policy, seat, number, score, best, pick)
    return pick


@inline
def most_of_stacks(game, policy, seat):
    """Return the most that taking any of the Council stacks can score."""
    weights = policy.weights
    player = game.players[sure(seat)]
    card = weights[W.COUNCIL_CARD] + (weights[W.COUNCIL_VALUE] * weights[W.POINT_MOST] >> BITS)
    most = 0
    for race in range(RACES):
        size = game.council_size[race]
        first = policy.tables[sure(MOST_FIRST + (lacks(player, race) & negative(-size)))]
        most = max(most, size * card + first)
    return weights[W.COUNCIL] + most


@inline
def recruitment_base(game, rules, policy, seat, recruiting, last):
    """Return what recruiting is worth whichever Lord it is: Pearls where the Court is refilled, the last chance."""
    if last:
        return 4 * SCALE
    refilled = recruiting and game.court_count - 1 <= rules.refill_when_lords_left
    return rules.refill_pearls * pearl_worth(policy, game.players[sure(seat)].pearls) if refilled else 0


@inline
def score_recruitment(game, rules, policy, seat, lord, last):
    """Score recruiting a Lord: its worth, less what it costs; more where it ends a won game."""
    weights = policy.weights
    score = weights[W.RECRUIT] + lord_worth(game, rules, policy, seat, lord)
    if last:
        return score
    card = rules.lords[lord]
    score -= weights[W.PAY_POINT] * card.cost + weights[W.PAY_RACE] * card.races
    if game.end_trigger == EndTrigger.NONE and brings_the_end(game, rules, seat):
        score += score_end(game, rules, policy, seat, lord)
    return score


@jit
def brings_the_end(game, rules, seat):
    """Tell whether one more recruitment ends the game: enough Lords, or a Court that cannot be refilled."""
    left = game.court_count - 1
    short = rules.court_slots - left > game.lord_deck_count and left <= rules.refill_when_lords_left
    return game.players[seat].lord_count + 1 >= rules.lords_to_end or short


@jit
def score_end(game, rules, policy, seat, lord):
    """Score bringing on the end: by the lead over the best opponent, who still has a turn."""
    memo = game.players[seat].memo
    mark = decision_mark(game, seat)
    if memo[LEAD_MARK] != mark:
        memo[LEAD_MARK] = mark
        memo[LEAD] = open_lead(game, rules, seat)
    lead = memo[LEAD] + SCALE * rules.lords[lord].points - policy.weights[W.END_RIVALS]
    lead = min(max(lead, -ARREARS * SCALE), ARREARS * SCALE)
    return policy.weights[W.END] + (policy.weights[W.END_LEAD] * lead >> BITS)


@jit
def open_lead(game, rules, seat):
    """Return how far the seat, who knows its own Monster tokens, is ahead of the best opponent (1024ths)."""
    unseen = TOKEN_MEAN * game.players[seat].monster_token_count
    own = open_standing(game, rules, seat) - unseen + SCALE * score_tokens(game, seat)
    rival = LEAST
    for other in range(game.seats):
        if other != seat:
            rival = max(rival, open_standing(game, rules, other))
    return own - rival


@inline
def score_exploration(game, rules, policy, seat, last):
    """Score exploring: more with a good reward waiting and with opponents who can buy."""
    weights = policy.weights
    if last:
        return weights[W.LAST_EXPLORE]
    score = weights[W.EXPLORE] + (weights[W.EXPLORE_THREAT] * threat_worth(game, rules, policy, seat) >> BITS)
    rich = -min(game.players[sure(seat)].pearls, RIVAL_PEARLS)
    for other in range(MAX_SEATS):  # a place where nobody sits has no Pearls
        rich += min(game.players[other].pearls, RIVAL_PEARLS)
    return score + weights[W.EXPLORE_RICH] * rich


@inline
def score_council(game, policy, seat, race, last):
    """Score taking a Council stack: its size is public, its cards are not."""
    weights = policy.weights
    if last:
        return weights[W.LAST_COUNCIL] * final_gain(game, seat, race, np.int64(2))
    return weights[W.COUNCIL] + stack_worth(game, policy, seat, race)


@inline
def score_plot(game, rules, policy, seat, recruiting):
    """Score plotting: for a rich hand and purse that the Court has nothing for."""
    weights = policy.weights
    points = max(game.richest[1], game.richest[2], game.richest[3], PLOT_FROM)
    score = (
        weights[W.PLOT]
        + weights[W.PLOT_PEARL] * game.players[sure(seat)].pearls
        + weights[W.PLOT_POINT] * (points - PLOT_FROM)
        + weights[W.PLOT_GAP] * (rules.court_slots - game.court_count)
    )
    if recruiting:
        score -= weights[W.PLOT_RECRUIT]
    return score


@jit
def score_use(game, rules, policy, seat, lord, can_recruit):
    """Score using a once-per-turn power before the action: at once if it pays, else not."""
    gain = LEAST
    power = rules.lords[lord].power
    if power == Power.DISCARD_ALLY_FOR_PEARLS:
        gain = slaver_gain(game, rules, policy, seat, lord)
    elif power == Power.REPLACE_COURT_LORD and not can_recruit:
        gain = policy.weights[W.OPPORTUNIST]
    elif power == Power.NEBULIS_TO_PEARL:
        gain = 1
    elif power == Power.ADD_COURT_LORD:
        gain = 0 if can_recruit or is_last_turn(game, seat) else 1
    return at_once_if(gain)


@jit
def at_once_if(gain):
    """Return a score that beats everything for a gain, and loses to everything otherwise."""
    return np.int64(1 << 50) if gain > 0 else np.int64(-(1 << 50))


@jit
def least_card(game, rules, policy, seat):
    """Return the worth of the Ally in hand that is missed least."""
    least = 1 << 50
    player = game.players[seat]
    for race in range(KINDS):
        if player.race_count[race] > 0:
            for value in range(1, 6):
                if player.hand[race, value] > 0:
                    least = min(least, held_worth(game, rules, policy, seat, race, value))
    return least


@jit
def slaver_gain(game, rules, policy, seat, lord):
    """Return the profit of discarding the least useful Ally for the Slaver's Pearls."""
    if is_last_turn(game, seat):
        return LEAST
    refresh(game, rules, policy, seat)
    pearls = rules.lords[lord].amount * pearl_worth(policy, game.players[seat].pearls)
    return pearls - least_card(game, rules, policy, seat) - policy.weights[W.SLAVER]


@jit
def score_leftover(game, rules, policy, seat, number):
    """Score a once-per-turn power after the action: `done` counts nothing."""
    option = game.options[number]
    if option.verb == Verb.DONE:
        return 0
    power = rules.lords[option.card].power
    if power == Power.DISCARD_ALLY_FOR_PEARLS:
        return slaver_gain(game, rules, policy, seat, option.card)
    if power == Power.DISCARD_COUNCIL_STACK:
        most = 0
        for race in range(RACES):
            most = max(most, game.council_size[race])
        return policy.weights[W.ORACLE] * most - policy.weights[W.ORACLE_LEVEL]
    if power == Power.NEBULIS_TO_PEARL:
        return 1
    if power == Power.ADD_COURT_LORD:
        return -1
    return policy.weights[W.OPPORTUNIST_DENY]


# --- Locations and Keys ---------------------------------------------------------------------------------------------


@inline
def score_holding(game, rules, policy, seat, number):
    """Score a Location, a number to draw, or a Key to give up."""
    option = game.options[number]
    verb = option.verb
    if verb == Verb.LOCATION:
        return new_location_value(game, rules, policy, seat, option.card)
    if verb == Verb.DRAW:
        return policy.weights[W.DRAW_1 + min(option.amount, 4) - 1]
    if verb == Verb.KEY_TOKEN:
        return -policy.weights[W.KEEP_TOKEN]
    if verb == Verb.KEY_LORD:
        return -(power_left(game, rules, policy, seat, option.card) * policy.weights[W.KEEP_POWER] >> BITS)
    return 0


@jit
def power_left(game, rules, policy, seat, lord):
    """Return what a Lord's lasting or once-per-turn power is still worth while it is free."""
    memo = game.players[seat].memo
    return fading(memo, policy.tables[LASTING + lord])


# --- Powers ---------------------------------------------------------------------------------------------------------


@inline
def score_power(game, rules, policy, seat, number):
    """Score an option that a power, a discard or an affiliation gives."""
    decision = game.decision
    option = game.options[number]
    if decision == Decision.AFFILIATE:
        return affiliation_gain(game, rules, policy, seat, option.card, option.amount)
    if decision == Decision.REWARD:
        reward = rules.rewards[option.target, option.card]
        return reward_worth(game, policy, game.players[seat], reward, is_last_turn(game, seat))
    if decision == Decision.DISCARD:
        return score_discard(game, rules, policy, seat, option)
    if decision == Decision.STACK:
        return score_stack(game, rules, policy, seat, option.card)
    if decision == Decision.OPPONENT_LORD:
        return score_target(game, rules, policy, option.target, option.card)
    if decision == Decision.OPPONENT:
        return open_standing(game, rules, option.target)
    if decision == Decision.COURT_LORD:
        return score_court_lord(game, rules, policy, seat, option)
    if decision == Decision.OWN_LORD:
        return score_own_lord(game, rules, policy, seat, option)
    return score_exchange(game, rules, policy, seat, option)


@inline
def score_discard(game, rules, policy, seat, option):
    """Score giving up an Ally, or a Pearl instead."""
    if option.verb == Verb.PAY_PEARL:
        return -pearl_worth(policy, game.players[seat].pearls)
    return -held_worth(game, rules, policy, seat, option.card, option.amount)


@jit
def score_stack(game, rules, policy, seat, race):
    """Score a stack to take or, for the Oracle, to discard: the one that others gain most by and this seat least."""
    if rules.lords[game.cause].power == Power.DISCARD_COUNCIL_STACK:
        return policy.weights[W.ORACLE] * game.council_size[race] * 2 - stack_worth(game, policy, seat, race)
    return stack_worth(game, policy, seat, race)


@jit
def score_target(game, rules, policy, other, lord):
    """Score a Lord of an opponent to turn: its power and Keys count, its points stay."""
    weights = policy.weights
    card = rules.lords[lord]
    score = weights[W.STRIKE_KEY] * card.keys
    if card.timing == Timing.LASTING or card.timing == Timing.TURN:
        score += weights[W.STRIKE_POWER]
    return score


@jit
def score_court_lord(game, rules, policy, seat, option):
    """Score a Court Lord to take, or (the Opportunist) to remove."""
    weights = policy.weights
    if option.verb == Verb.DECLINE:
        return 0
    lord = option.card
    cause = rules.lords[game.cause]
    worth = lord_worth(game, rules, policy, seat, lord)
    if cause.power == Power.RECRUIT_FOR_PEARLS:
        worth -= cause.amount * pearl_worth(policy, game.players[seat].pearls) - weights[W.RECRUIT]
        if game.end_trigger == EndTrigger.NONE and brings_the_end(game, rules, seat):
            worth += score_end(game, rules, policy, seat, lord)
    elif cause.power == Power.REPLACE_COURT_LORD:
        player = game.players[seat]
        card = rules.lords[lord]
        missing = card.cost - points_in_hand(player.memo, card.races, policy.tables[DEMANDED + lord])
        worth = weights[W.DENY] * (policy.tables[ARRIVAL + lord] - weights[W.PAY_POINT] * card.cost) >> BITS
        worth += weights[W.FAR] * max(missing - player.pearls, -3)
    return worth


@jit
def held_lord_worth(game, rules, policy, seat, lord):
    """Return what a free Lord that the seat has is still worth to it: points, Keys, the rest of its power."""
    card = rules.lords[lord]
    worth = policy.weights[W.IP] * card.points + power_left(game, rules, policy, seat, lord)
    worth += fading(game.players[seat].memo, card.keys * policy.weights[W.KEY])
    for i in range(game.players[seat].lord_count):
        held = game.players[seat].lords[i]
        if held.lord == lord and held.turned:
            worth = policy.weights[W.IP] * card.points
    return worth


@jit
def score_own_lord(game, rules, policy, seat, option):
    """Score a free Lord to give up for another: what the other is expected to be worth, less its own worth."""
    weights = policy.weights
    if option.verb == Verb.DECLINE:
        return 0
    gain = weights[W.SCHEMER_DRAW]
    if rules.lords[game.cause].power == Power.SWAP_LORD_WITH_COURT:
        gain = LEAST
        for i in range(game.court_count):
            lord = game.court[i]
            if game.players[seat].bar_known[lord] == 0 and lord != lord_kept_away(game, seat):
                gain = max(gain, lord_worth(game, rules, policy, seat, lord))
    return gain - held_lord_worth(game, rules, policy, seat, option.card) - weights[W.SWAP_LEVEL]


@jit
def score_exchange(game, rules, policy, seat, option):
    """Score the Illusionist's exchange, and what Black Smokers turns into: declining counts nothing."""
    if option.verb == Verb.DECLINE:
        return 0
    value = location_value(game, rules, policy, seat, option.card)
    if game.decision != Decision.EXCHANGE_GIVE:
        return new_location_value(game, rules, policy, seat, option.card)
    best = LEAST
    for i in range(game.open_count):
        best = max(best, new_location_value(game, rules, policy, seat, game.open_locations[i]))
    return best - value
