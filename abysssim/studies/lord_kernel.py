# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled loops of the study of Lord values; lord_sums.py says what each sum is.

Types here are numba's. Helpers stay in this file, so that numba's own look at the file keeps its cache right.
"""

import numpy as np

from abysssim.core.jit import entry_point, jit
from abysssim.core.rng import philox

GROUPS = 256
#: Own turns are counted one by one up to this; later ones in the last place.
TURNS = 64
#: Game lengths, in turns of all seats, likewise.
LENGTHS = 512
#: Entities of the draws that pick takes; the decks of the game use none of these.
TAKE_DRAW = 1 << 23
PLACEBO_DRAW = TAKE_DRAW + 1
#: One game in so many is also played with a bar on a Lord that its seat did not take: nothing may change.
PLACEBO_EVERY = 64


@jit
def draws(row, seed, entity):
    """Return three draws of 32 bits (int64) for the game of a row."""
    r0, r1, r2, _ = philox(
        np.uint64(row.rotation),
        np.uint64(entity),
        np.uint64(row.game & 0xFFFFFFFF),
        np.uint64((row.game >> 32) & 0xFFFFFFFF),
        np.uint64(seed[0]),
        np.uint64(seed[1]),
    )
    return np.int64(r0), np.int64(r1), np.int64(r2)


@jit
def put_pick(picks, count, base, seat, lord, weight):
    """Write a pick and return how many there are."""
    pick = picks[count]
    pick.place = base
    pick.seat = seat
    pick.lord = lord
    pick.weight = weight
    return count + 1


@jit
def pick_from_game(rows, base, lords, seed, every, picks, count):
    """Pick one take of a game, or all, and return how many picks there are."""
    seats = rows.shape[1]
    takes = 0
    for seat in range(seats):
        for lord in range(lords):
            takes += (rows[base, seat].took >> lord) & 1
    draw, _, _ = draws(rows[base, 0], seed, TAKE_DRAW)
    chosen = (draw * takes) >> 32
    place = 0
    for seat in range(seats):
        for lord in range(lords):
            if (rows[base, seat].took >> lord) & 1:
                if every:
                    count = put_pick(picks, count, base, seat, lord, 1)
                elif place == chosen:
                    count = put_pick(picks, count, base, seat, lord, takes)
                place += 1
    return count


@jit
def pick_placebo(rows, base, in_game, seed, picks, count):
    """Pick, in one game of `PLACEBO_EVERY`, a Lord that a seat did not take; return how many picks there are."""
    draw, draw_seat, draw_lord = draws(rows[base, 0], seed, PLACEBO_DRAW)
    if draw % PLACEBO_EVERY != 0:
        return count
    seat = (draw_seat * rows.shape[1]) >> 32
    took = rows[base, seat].took
    others = 0
    for lord in range(in_game.shape[0]):
        others += in_game[lord] * (1 - ((took >> lord) & 1))
    chosen = (draw_lord * others) >> 32
    place = 0
    for lord in range(in_game.shape[0]):
        if in_game[lord] and not (took >> lord) & 1:
            if place == chosen:
                count = put_pick(picks, count, base, seat, lord, 0)
            place += 1
    return count


@entry_point
def fill_picks(rows, in_game, seed, every, picks):
    """Fill `picks` (see lord_sums.pick_takes) and return how many there are."""
    count = 0
    for base in range(rows.shape[0]):
        count = pick_from_game(rows, base, in_game.shape[0], seed, every, picks, count)
        count = pick_placebo(rows, base, in_game, seed, picks, count)
    return count


@entry_point
def add_base(
    rows,
    games,
    seat_win,
    seat_margin,
    policy_seats,
    policy_win,
    policy_margin,
    behaviour,
    ends,
    lengths,
    decisions,
    location_holds,
):
    """Add who won, how the policies behaved, and how the games ended."""
    for i in range(rows.shape[0]):
        first = rows[i, 0]
        group = first.game % GROUPS
        games[group] += 1
        ends[first.end_trigger] += 1
        lengths[min(first.game_turns, LENGTHS - 1)] += 1
        decisions[0] += first.decisions
        for seat in range(rows.shape[1]):
            row = rows[i, seat]
            seat_win[group, seat] += row.win12
            seat_margin[group, seat] += row.margin12
            policy_seats[group, row.policy] += 1
            policy_win[group, row.policy] += row.win12
            policy_margin[group, row.policy] += row.margin12
            measures = behaviour[row.policy]
            measures[0] += row.total
            measures[1] += row.locations
            measures[2] += row.loot
            measures[3] += row.lords
            measures[4] += row.allies
            measures[5] += row.monster_tokens
            measures[6] += row.nebulis
            measures[7] += row.kraken
            measures[8] += row.pearls
            measures[9] += row.turns
            for k in range(row.counts.size):
                measures[10 + k] += row.counts[k]
            for location in range(location_holds.shape[0]):
                location_holds[location] += (row.locations_held >> location) & 1


@entry_point
def add_takes(rows, takes, raw_win, raw_margin, seat_takes, take_turns):
    """Add who took which Lord, in which own turn, and how that seat fared."""
    for i in range(rows.shape[0]):
        group = rows[i, 0].game % GROUPS
        for seat in range(rows.shape[1]):
            row = rows[i, seat]
            for lord in range(raw_win.shape[1]):
                if (row.took >> lord) & 1:
                    takes[group, row.policy, lord] += 1
                    raw_win[group, lord] += row.win12
                    raw_margin[group, lord] += row.margin12
                    seat_takes[seat, lord] += 1
                    take_turns[lord, min(max(row.took_turn[lord], 0), TURNS - 1)] += 1


@entry_point
def add_products(rows, xtx, xy_win, xy_margin, yy_win, yy_margin):
    """Add products of Lords taken and outcomes, centred inside each game and times the number of seats."""
    seats = rows.shape[1]
    lords = xtx.shape[1]
    for i in range(rows.shape[0]):
        group = rows[i, 0].game % GROUPS
        sum_win = 0
        sum_margin = 0
        for seat in range(seats):
            sum_win += rows[i, seat].win12
            sum_margin += rows[i, seat].margin12
            yy_win[group] += seats * rows[i, seat].win12 * rows[i, seat].win12
            yy_margin[group] += seats * np.int64(rows[i, seat].margin12) * rows[i, seat].margin12
        yy_win[group] -= sum_win * sum_win
        yy_margin[group] -= sum_margin * sum_margin
        for a in range(lords):
            takers = 0
            for seat in range(seats):
                if (rows[i, seat].took >> a) & 1:
                    takers += 1
                    xy_win[group, a] += seats * rows[i, seat].win12
                    xy_margin[group, a] += seats * rows[i, seat].margin12
            if takers > 0:
                xy_win[group, a] -= takers * sum_win
                xy_margin[group, a] -= takers * sum_margin
                for b in range(lords):
                    both = 0
                    takers_b = 0
                    for seat in range(seats):
                        took = rows[i, seat].took
                        takers_b += (took >> b) & 1
                        both += (took >> a) & (took >> b) & 1
                    xtx[group, a, b] += seats * both - takers * takers_b


@entry_point
def add_differences(
    rows, picks, barred, weight, base_win, bar_win, base_margin, bar_margin, replays, moved, placebo
):
    """Add the outcomes of the barred seat with and without its bar; placebo picks are only checked."""
    for n in range(picks.shape[0]):
        pick = picks[n]
        if pick.weight == 0:
            placebo[0] += 1
            same = True
            for seat in range(rows.shape[1]):
                a = rows[pick.place, seat]
                b = barred[n, seat]
                if a.total != b.total or a.win12 != b.win12 or a.took != b.took or a.turns != b.turns:
                    same = False
            if not same:
                placebo[1] += 1
            continue
        a = rows[pick.place, pick.seat]
        b = barred[n, pick.seat]
        group = a.game % GROUPS
        weight[group, a.policy, pick.lord] += pick.weight
        base_win[group, a.policy, pick.lord] += pick.weight * a.win12
        bar_win[group, a.policy, pick.lord] += pick.weight * b.win12
        base_margin[group, a.policy, pick.lord] += pick.weight * a.margin12
        bar_margin[group, a.policy, pick.lord] += pick.weight * b.margin12
        replays[pick.lord] += 1
        if a.margin12 != b.margin12 or a.win12 != b.win12:
            moved[pick.lord] += 1
