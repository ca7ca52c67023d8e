"""What the study of Lord values counts in every game: exact integer sums, in groups of deals.

Base games are played first. From each, one take (a seat and a Lord that it took by its own choice) is picked, or all of
them; the same deal is then played again with that Lord barred for that seat, and both outcomes are added up under
the Lord. Sums are int64, merged by addition, so they are the same in any order and on any number of workers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.jit import entry_point
from abysssim.core.layout import MAX_LOCATIONS, MAX_SEATS, TASK
from abysssim.core.rng import philox
from abysssim.vocabulary import Count, EndTrigger

Sums = dict[str, NDArray[np.int64]]

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

PICK = np.dtype([("base", "i8"), ("seat", "i8"), ("lord", "i8"), ("weight", "i8")])

#: What is summed for each policy, over its seats: row fields first, then all of `Count`.
SEAT_FIELDS = ("total", "locations", "lords", "allies", "monster_tokens", "pearls", "turns")
MEASURES = (*SEAT_FIELDS, *(count.name.lower() for count in Count))


def new_sums(lords: int, policies: int) -> Sums:
    """Return cleared sums for one line-up, by name; `g` below is the group, deal number mod 256.

    games (g); seat_win, seat_margin (g, seat); policy_seats, policy_win, policy_margin (g, policy);
    takes (g, policy, Lord), raw_win, raw_margin (g, Lord): seats that took a Lord and their outcomes;
    weight, base_win, bar_win, base_margin, bar_margin (g, policy, Lord): replayed takes, weighted, and the outcomes
    of that seat without and with the bar; replays, moved (Lord): replays, and those in which the seat's result moved;
    placebo (2): replays with a bar that should not matter, and those in which any seat's result moved;
    seat_takes (seat, Lord); take_turns (Lord, own turn); behaviour (policy, MEASURES); ends (EndTrigger);
    lengths (turns); decisions (1); location_holds (Location); xtx (g, Lord, Lord), xy_win, xy_margin (g, Lord),
    yy_win, yy_margin (g): products inside games for the regression, times the number of seats.
    Outcomes are win shares and margins times 12.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "games": (GROUPS,),
        "seat_win": (GROUPS, MAX_SEATS),
        "seat_margin": (GROUPS, MAX_SEATS),
        "policy_seats": (GROUPS, policies),
        "policy_win": (GROUPS, policies),
        "policy_margin": (GROUPS, policies),
        "takes": (GROUPS, policies, lords),
        "raw_win": (GROUPS, lords),
        "raw_margin": (GROUPS, lords),
        "weight": (GROUPS, policies, lords),
        "base_win": (GROUPS, policies, lords),
        "bar_win": (GROUPS, policies, lords),
        "base_margin": (GROUPS, policies, lords),
        "bar_margin": (GROUPS, policies, lords),
        "replays": (lords,),
        "moved": (lords,),
        "placebo": (2,),
        "seat_takes": (MAX_SEATS, lords),
        "take_turns": (lords, TURNS),
        "behaviour": (policies, len(MEASURES)),
        "ends": (len(EndTrigger),),
        "lengths": (LENGTHS,),
        "decisions": (1,),
        "location_holds": (MAX_LOCATIONS,),
        "xtx": (GROUPS, lords, lords),
        "xy_win": (GROUPS, lords),
        "xy_margin": (GROUPS, lords),
        "yy_win": (GROUPS,),
        "yy_margin": (GROUPS,),
    }
    return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}


def pick_takes(rows: NDArray[Any], in_game: NDArray[np.int64], seed: NDArray[np.int64], every: bool) -> NDArray[Any]:
    """Return the takes to replay as PICK records, in the order of the games.

    rows: ROW (games, seats). in_game: 1 for each Lord in the game. seed: low and high 32 bits. every: all takes with
    weight 1; otherwise one take of each game, uniform over its takes and a pure function of (seed, deal, rotation),
    weighted by their number. Placebo picks (weight 0) are added for one game in `PLACEBO_EVERY`.
    """
    takes = int(np.bitwise_count(rows["took"]).sum()) if every else len(rows)
    picks = np.zeros(takes + len(rows), PICK)
    return picks[: fill_picks(rows, in_game, seed, every, picks)]


def bar_tasks(rows: NDArray[Any], picks: NDArray[Any]) -> Any:
    """Return the TASK records that play the picked games again, each with its bar."""
    tasks = np.zeros(len(picks), TASK).view(np.recarray)
    first_seats = rows[picks["base"], 0]
    tasks.game = first_seats["game"]
    tasks.rotation = first_seats["rotation"]
    tasks.bar_seat = picks["seat"]
    tasks.bar_lord = picks["lord"]
    return tasks


def add_games(sums: Sums, rows: NDArray[Any]) -> None:
    """Add base games, ROW (games, seats), to the sums."""
    add_base(
        rows,
        sums["games"],
        sums["seat_win"],
        sums["seat_margin"],
        sums["policy_seats"],
        sums["policy_win"],
        sums["policy_margin"],
        sums["behaviour"],
        sums["ends"],
        sums["lengths"],
        sums["decisions"],
        sums["location_holds"],
    )
    add_takes(
        rows,
        sums["takes"],
        sums["raw_win"],
        sums["raw_margin"],
        sums["seat_takes"],
        sums["take_turns"],
    )
    add_products(
        rows, sums["xtx"], sums["xy_win"], sums["xy_margin"], sums["yy_win"], sums["yy_margin"]
    )


def add_replays(sums: Sums, rows: NDArray[Any], picks: NDArray[Any], barred: NDArray[Any]) -> None:
    """Add replays: base rows ROW (games, seats), PICK (n,), and the barred games ROW (n, seats) in the same order."""
    add_differences(
        rows,
        picks,
        barred,
        sums["weight"],
        sums["base_win"],
        sums["bar_win"],
        sums["base_margin"],
        sums["bar_margin"],
        sums["replays"],
        sums["moved"],
        sums["placebo"],
    )


@entry_point
def fill_picks(rows, in_game, seed, every, picks):  # type: ignore[no-untyped-def]
    """Fill `picks` (see pick_takes) and return how many there are."""
    count = 0
    seats = rows.shape[1]
    lords = in_game.shape[0]
    for base in range(rows.shape[0]):
        first = rows[base, 0]
        low = np.uint64(first.game & 0xFFFFFFFF)
        high = np.uint64((first.game >> 32) & 0xFFFFFFFF)
        number = np.uint64(first.rotation)
        k0 = np.uint64(seed[0])
        k1 = np.uint64(seed[1])
        takes = 0
        for seat in range(seats):
            for lord in range(lords):
                takes += (rows[base, seat].took >> lord) & 1
        r0, r1, r2, r3 = philox(number, np.uint64(TAKE_DRAW), low, high, k0, k1)
        chosen = (np.int64(r0) * takes) >> 32
        place = 0
        for seat in range(seats):
            for lord in range(lords):
                if (rows[base, seat].took >> lord) & 1:
                    if every or place == chosen:
                        pick = picks[count]
                        pick.base = base
                        pick.seat = seat
                        pick.lord = lord
                        pick.weight = 1 if every else takes
                        count += 1
                    place += 1
        r0, r1, r2, r3 = philox(number, np.uint64(PLACEBO_DRAW), low, high, k0, k1)
        if np.int64(r0) % PLACEBO_EVERY == 0:
            seat = (np.int64(r1) * seats) >> 32
            others = 0
            for lord in range(lords):
                others += in_game[lord] * (1 - ((rows[base, seat].took >> lord) & 1))
            chosen = (np.int64(r2) * others) >> 32
            place = 0
            for lord in range(lords):
                if in_game[lord] and not (rows[base, seat].took >> lord) & 1:
                    if place == chosen:
                        pick = picks[count]
                        pick.base = base
                        pick.seat = seat
                        pick.lord = lord
                        pick.weight = 0
                        count += 1
                    place += 1
    return count


@entry_point
def add_base(  # type: ignore[no-untyped-def]
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
            measures[2] += row.lords
            measures[3] += row.allies
            measures[4] += row.monster_tokens
            measures[5] += row.pearls
            measures[6] += row.turns
            for k in range(row.counts.size):
                measures[7 + k] += row.counts[k]
            for location in range(location_holds.shape[0]):
                location_holds[location] += (row.locations_held >> location) & 1


@entry_point
def add_takes(rows, takes, raw_win, raw_margin, seat_takes, take_turns):  # type: ignore[no-untyped-def]
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
def add_products(rows, xtx, xy_win, xy_margin, yy_win, yy_margin):  # type: ignore[no-untyped-def]
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
def add_differences(  # type: ignore[no-untyped-def]
    rows, picks, barred, weight, base_win, bar_win, base_margin, bar_margin, replays, moved, placebo
):
    """Add the outcomes of the barred seat with and without its bar; placebo picks are only checked."""
    for n in range(picks.shape[0]):
        pick = picks[n]
        if pick.weight == 0:
            placebo[0] += 1
            same = True
            for seat in range(rows.shape[1]):
                a = rows[pick.base, seat]
                b = barred[n, seat]
                if a.total != b.total or a.win12 != b.win12 or a.took != b.took or a.turns != b.turns:
                    same = False
            if not same:
                placebo[1] += 1
            continue
        a = rows[pick.base, pick.seat]
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
