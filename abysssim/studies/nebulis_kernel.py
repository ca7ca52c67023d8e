# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled loops of the study of Nebulis; nebulis_sums.py says what each sum is.

Types here are numba's. Helpers stay in this file, so that numba's own look at the file keeps its cache right.
"""

from abysssim.core.jit import entry_point, jit
from abysssim.vocabulary import Count

GROUPS = 256
SHARE = 12  # win shares and margins are stored times 12
ROUND = 1 << 20  # above any number of Pearls, above any IP of a Lord

NEBULIS_GAINED = int(Count.NEBULIS_GAINED)
NEBULIS_PASSED = int(Count.NEBULIS_PASSED)
NEBULIS_PAID = int(Count.NEBULIS_PAID)
KRAKENS_PAID = int(Count.KRAKENS_PAID)
KRAKENS_LEFT = int(Count.KRAKENS_LEFT)
FIGURE_TAKEN = int(Count.FIGURE_TAKEN)
RECRUITMENTS = int(Count.RECRUITMENTS)
PURCHASES = int(Count.PURCHASES)
SALES = int(Count.SALES)
EXPLORATIONS = int(Count.EXPLORATIONS)
COUNCIL_ACTIONS = int(Count.COUNCIL_ACTIONS)


@jit
def strongest_lord(row, points):
    """Return the IP of the strongest Lord of a row, 0 without one."""
    best = 0
    for lord in range(points.size):
        if (row.held >> lord) & 1:
            best = max(best, points[lord])
    return best


@jit
def rescored(row, each, figure):
    """Return the total of a row under other penalties: of each Nebulis, and of the Kraken figure."""
    return row.total - row.nebulis - row.kraken + each * row.nebulis_held + figure * row.figure_held


@jit
def standing(row, total, strongest):
    """Return a number that orders seats: total, then Pearls, then the strongest Lord (rulebook p. 11)."""
    return (total * ROUND + row.pearls) * ROUND + strongest


@entry_point
def add_rescored(rows, pairs, points, strongest, outcomes):
    """Score games again under every pair of penalties and add the outcomes.

    rows: ROW (games, seats). pairs: int64 (n, 2), IP of each Nebulis and of the figure. points: int64, IP of each Lord.
    strongest: int64 (seats,), scratch. outcomes: int64 (GROUPS, n, policies, 4), added to: seats, win, margin, total.
    """
    seats = rows.shape[1]
    for i in range(rows.shape[0]):
        group = rows[i, 0].game % GROUPS
        for seat in range(seats):
            strongest[seat] = strongest_lord(rows[i, seat], points)
        for k in range(pairs.shape[0]):
            all_totals = 0
            best = -(1 << 62)
            winners = 0
            for seat in range(seats):
                total = rescored(rows[i, seat], pairs[k, 0], pairs[k, 1])
                all_totals += total
                place = standing(rows[i, seat], total, strongest[seat])
                if place > best:
                    best = place
                    winners = 0
                if place == best:
                    winners += 1
            for seat in range(seats):
                total = rescored(rows[i, seat], pairs[k, 0], pairs[k, 1])
                cell = outcomes[group, k, rows[i, seat].policy]
                cell[0] += 1
                if standing(rows[i, seat], total, strongest[seat]) == best:
                    cell[1] += SHARE // winners
                cell[2] += SHARE * total - SHARE // (seats - 1) * (all_totals - total)
                cell[3] += total


@entry_point
def add_cell(rows, place, cells):
    """Add finished games of one cell as they were scored.

    rows: ROW (games, seats). place: of the cell. cells: int64 (GROUPS, cells, policies, MEASURES), added to.
    """
    for i in range(rows.shape[0]):
        group = rows[i, 0].game % GROUPS
        for seat in range(rows.shape[1]):
            row = rows[i, seat]
            cell = cells[group, place, row.policy]
            cell[0] += 1
            cell[1] += row.win12
            cell[2] += row.margin12
            cell[3] += row.total
            cell[4] += row.counts[NEBULIS_GAINED]
            cell[5] += row.counts[NEBULIS_PASSED]
            cell[6] += row.counts[NEBULIS_PAID]
            cell[7] += row.nebulis_held
            cell[8] += row.counts[KRAKENS_PAID]
            cell[9] += row.counts[KRAKENS_LEFT]
            cell[10] += row.counts[FIGURE_TAKEN]
            cell[11] += row.figure_held
            cell[12] += row.counts[RECRUITMENTS]
            cell[13] += row.counts[PURCHASES]
            cell[14] += row.counts[SALES]
            cell[15] += row.counts[EXPLORATIONS]
            cell[16] += row.counts[COUNCIL_ACTIONS]
            cell[17] += row.pearls
            cell[18] += row.turns
