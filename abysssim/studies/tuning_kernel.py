# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled loop of tuning. Types here are numba's."""

from abysssim.core.jit import entry_point

GROUPS = 256
SHARE = 12  # margins are stored times 12


@entry_point
def add_margins(rows, policy, margins):
    """Add the margins (times 12) of one policy's seats to int64 (GROUPS, 2): seats, margins."""
    for i in range(rows.shape[0]):
        group = rows[i, 0].game % GROUPS
        for seat in range(rows.shape[1]):
            if rows[i, seat].policy == policy:
                margins[group, 0] += 1
                margins[group, 1] += rows[i, seat].margin12
