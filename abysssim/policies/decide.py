"""The decision of a seat: a switch on the kind of its policy."""

import numpy as np

from abysssim.core.jit import jit, separate
from abysssim.core.layout import GAME, POLICY, RULES
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
