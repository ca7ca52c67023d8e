"""The decision of a seat: a switch on the kind of its policy."""

import numpy as np

from abysssim.core.jit import jit, separate
from abysssim.core.layout import GAME, POLICY, RULES
from abysssim.policies.features import prepare
from abysssim.policies.weighted import decide_weighted, roll
from abysssim.vocabulary import PolicyKind, Purpose


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
    kind = policy.kind
    if kind == PolicyKind.WEIGHTED:
        return np.int64(decide_weighted(game, rules, policy, seat))
    if kind == PolicyKind.RANDOM:
        return np.int64(decide_randomly(game, seat))
    return np.int64(0)


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
