"""The decision of a seat: a switch on the kind of its policy.

The commonest questions have functions of their own: the rules know which of them they ask, and a switch for all of
them would be guessed wrong by the processor most of the time.
"""

import numpy as np

from abysssim.core.jit import jit, separate
from abysssim.core.layout import GAME, POLICY, RULES
from abysssim.policies.features import prepare
from abysssim.policies.payments import next_payment
from abysssim.policies.weighted import decide_ally, decide_by_score, decide_menu, decide_monster, decide_offer, roll
from abysssim.vocabulary import Decision, PolicyKind, Purpose


@jit
def decide_randomly(game, seat):
    """Return an option drawn uniformly: the one with the highest hash."""
    best = np.int64(-1)
    pick = 0
    for i in range(game.option_count):
        bits = roll(game, seat, Purpose.RANDOM_POLICY, game.options[i])
        if bits > best:
            best = bits
            pick = i
    return pick


@separate((GAME, POLICY), 1)
def decide_without_weights(game, policy, seat):
    """Return the choice of a policy outside the weighted family: a random option, or the first."""
    return np.int64(decide_randomly(game, seat)) if policy.kind == PolicyKind.RANDOM else np.int64(0)


@separate((GAME, RULES, POLICY), 1)
def decide_on_offer(game, rules, policy, seat):
    """Do what `decide` does where an Ally is offered for sale."""
    if policy.kind != PolicyKind.WEIGHTED:
        return decide_without_weights(game, policy, seat)
    return np.int64(decide_offer(game, rules, policy, seat))


@separate((GAME, RULES, POLICY), 1)
def decide_on_ally(game, rules, policy, seat):
    """Do what `decide` does where the explorer may take an Ally."""
    if policy.kind != PolicyKind.WEIGHTED:
        return decide_without_weights(game, policy, seat)
    return np.int64(decide_ally(game, rules, policy, seat))


@separate((GAME, RULES, POLICY), 1)
def decide_on_payment(game, rules, policy, seat):
    """Do what `decide` does where the next card of a payment is asked for."""
    if policy.kind != PolicyKind.WEIGHTED:
        return decide_without_weights(game, policy, seat)
    return np.int64(next_payment(game, rules, policy, seat))


@separate((GAME, RULES, POLICY), 1)
def decide_on_menu(game, rules, policy, seat):
    """Do what `decide` does where a seat has its whole turn before it."""
    if policy.kind != PolicyKind.WEIGHTED:
        return decide_without_weights(game, policy, seat)
    return np.int64(decide_menu(game, rules, policy, seat))


@separate((GAME, RULES, POLICY), 1)
def decide(game, rules, policy, seat):
    """Return the number of the option that the seat takes.

    Parameters
    ----------
    game : GAME record; ``decision``, ``decider`` and ``options`` hold the question
    rules : RULES record
    policy : POLICY record
    seat : int64
    """
    decision = game.decision
    if policy.kind != PolicyKind.WEIGHTED:
        return decide_without_weights(game, policy, seat)
    if decision == Decision.MONSTER:
        return np.int64(decide_monster(game, rules, policy, seat))
    if decision == Decision.OFFER:
        return decide_on_offer(game, rules, policy, seat)
    if decision == Decision.ALLY:
        return decide_on_ally(game, rules, policy, seat)
    if decision == Decision.PAYMENT:
        return decide_on_payment(game, rules, policy, seat)
    if decision == Decision.MENU:
        return decide_on_menu(game, rules, policy, seat)
    return np.int64(decide_by_score(game, rules, policy, seat))


@separate((RULES, POLICY), 1)
def get_ready(rules, policy, seats):
    """Let a policy look at the rules before the first game.

    Parameters
    ----------
    rules : RULES record
    policy : POLICY record; its ``tables`` are written
    seats : int64
        At the table.
    """
    if policy.kind == PolicyKind.WEIGHTED:
        prepare(rules, policy, seats)
    return np.int64(0)
