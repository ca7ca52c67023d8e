# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""What Nebulis cost a seat of the weighted family, and what a Kraken, which brings them, is worth to it (1024ths)."""

from abysssim.core.jit import jit
from abysssim.core.layout import MAX_VALUE
from abysssim.policies.weights import BITS, SCALE, W
from abysssim.vocabulary import Power

FAR = 6  # so many Nebulis behind the foremost, the Kraken figure is no matter


@jit
def figure_share(game, policy, seat, change):
    """Return in 1024ths how much of the Kraken figure a seat must expect to have with `change` more Nebulis.

    All of it where that makes it the foremost, a share that falls with the distance where it does not.
    """
    own = game.players[seat].nebulis + change
    most = 0
    for other in range(game.seats):
        if other != seat:
            most = max(most, game.players[other].nebulis)
    behind = most - own
    if own <= 0 or behind > FAR:
        return 0
    if behind < 0 or (behind == 0 and (change > 0 or game.kraken_holder == seat)):
        return SCALE
    return policy.weights[W.FIGURE_NEAR] >> max(behind - 1, 0)


@jit
def nebulis_cost(game, rules, policy, seat, change, fade):
    """Return what `change` more Nebulis (fewer, if below 0) cost a seat; `fade` is the share of the game to come."""
    weights = policy.weights
    points = -rules.nebulis_points * change * weights[W.NEBULIS]
    moved = figure_share(game, policy, seat, change) - figure_share(game, policy, seat, 0)
    figure = -rules.figure_points * (moved * weights[W.FIGURE] >> BITS)
    kept = SCALE - (weights[W.NEBULIS_PASS] * fade >> 10)  # what is not expected to be got rid of in time
    return (points + figure) * kept >> BITS


@jit
def kraken_worth(game, rules, policy, seat, value, memo, first_point, races, fade):
    """Return what one more Kraken in hand is worth to a seat: its points wherever they are missed, less its Nebulis.

    `memo` holds from `first_point` on what a point of each of so many `races` is worth. The Nebulis come whether it is
    paid or left over, unless a Cleaner spares the seat.
    """
    best = 0
    for race in range(races):
        best = max(best, memo[first_point + race])
    worth = policy.weights[W.KRAKEN] + value * (best * policy.weights[W.KRAKEN_POINT] >> BITS)
    nebulis = rules.kraken_nebulis[min(value, MAX_VALUE)]
    if game.players[seat].power_count[Power.NO_NEBULIS_FOR_KRAKENS_IN_HAND] > 0:
        return worth
    return worth - nebulis_cost(game, rules, policy, seat, nebulis, fade)
