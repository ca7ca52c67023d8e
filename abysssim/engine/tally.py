"""From rows to sums: what a batch keeps of its games when it does not keep the games.

All sums are int64 and merge by addition. Those that estimates are made of have a leading axis of `GROUPS` groups (game
number mod 256): a group holds whole deal blocks, so groups are independent of one another.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.jit import entry_point, inline
from abysssim.vocabulary import Count, Decision, EndTrigger, Verb

Sums = dict[str, NDArray[np.int64]]

GROUPS = 256
#: Scores are counted one by one from LEAST_SCORE to LEAST_SCORE + SCORES - 1; those beyond in the first or last place.
SCORES = 384
LEAST_SCORE = -64
#: Game lengths, in turns of all seats, likewise from 0.
LENGTHS = 512

PARTS = ("locations", "loot", "lords", "allies", "monster_tokens", "nebulis", "kraken")
#: What is counted, by name; Locations taken are not to be confused with the IP of Locations.
COUNTS = tuple("locations_taken" if count == Count.LOCATIONS else count.name.lower() for count in Count)
#: Last axis of `seats`. win and margin are times 12.
MEASURES = (
    "games",
    "win",
    "win_squared",
    "margin",
    "margin_squared",
    "total",
    "total_squared",
    *(name for part in PARTS for name in (part, f"{part}_squared")),
    "pearls",
    "turns",
    *COUNTS,
)
assert len(set(MEASURES)) == len(MEASURES)
FIRST_PART = MEASURES.index("locations")
PEARLS = MEASURES.index("pearls")
FIRST_COUNT = PEARLS + 2
#: Last axis of `lords`: taken by choice (and win, margin of the takers), held at the end, own turn of taking.
LORD_MEASURES = ("took", "took_win", "took_margin", "held", "took_turn")
#: Last axis of `locations`: held at the end (and win, margin of the holders).
LOCATION_MEASURES = ("held", "held_win", "held_margin")
#: Last axis of `games`.
GAME_MEASURES = ("games", "turns", "turns_squared", "decisions")
#: Last axis of `ends`: games with that end trigger, win of the seat that brought it on, turns.
END_MEASURES = ("games", "ender_win", "turns")


def new_sums(policies: int, seats: int, lords: int, locations: int) -> Sums:
    """Return cleared sums by name; `g` below is the group.

    seats (g, policy, seat, MEASURES), lords (g, policy, Lord, LORD_MEASURES), locations (g, policy, Location,
    LOCATION_MEASURES), games (g, GAME_MEASURES), ends (g, EndTrigger, END_MEASURES); histograms: scores (policy,
    total), winning_scores (total, joint winners each counted), lengths (turns); asked (Decision), picked (Decision,
    Verb).
    """
    shapes: dict[str, tuple[int, ...]] = {
        "seats": (GROUPS, policies, seats, len(MEASURES)),
        "lords": (GROUPS, policies, lords, len(LORD_MEASURES)),
        "locations": (GROUPS, policies, locations, len(LOCATION_MEASURES)),
        "games": (GROUPS, len(GAME_MEASURES)),
        "ends": (GROUPS, len(EndTrigger), len(END_MEASURES)),
        "scores": (policies, SCORES),
        "winning_scores": (SCORES,),
        "lengths": (LENGTHS,),
        "asked": (len(Decision),),
        "picked": (len(Decision), len(Verb)),
    }
    return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}


def add_games(sums: Sums, rows: NDArray[Any]) -> None:
    """Add finished games, ROW of shape (games, seats), to all sums but asked and picked (which the desk counts)."""
    add_rows(
        rows,
        sums["seats"],
        sums["lords"],
        sums["locations"],
        sums["games"],
        sums["ends"],
        sums["scores"],
        sums["winning_scores"],
        sums["lengths"],
    )


@inline
def add_part(cell, part, points):
    """Add a part of the score, by its place in PARTS, and its square."""
    cell[FIRST_PART + 2 * part] += points
    cell[FIRST_PART + 2 * part + 1] += points * points


@entry_point
def add_rows(
    rows, seats, lords, locations, games, ends, scores, winning_scores, lengths
):
    """Add rows to the sums (see new_sums), which are modified in place."""
    for i in range(rows.shape[0]):
        first = rows[i, 0]
        group = first.game % GROUPS
        turns = np.int64(first.game_turns)
        games[group, 0] += 1
        games[group, 1] += turns
        games[group, 2] += turns * turns
        games[group, 3] += first.decisions
        lengths[min(turns, LENGTHS - 1)] += 1
        end = ends[group, first.end_trigger]
        end[0] += 1
        if first.ended_by >= 0:
            end[1] += rows[i, first.ended_by].win12
        end[2] += turns
        for seat in range(rows.shape[1]):
            row = rows[i, seat]
            win = np.int64(row.win12)
            margin = np.int64(row.margin12)
            score = np.int64(row.total)
            cell = seats[group, row.policy, seat]
            cell[0] += 1
            cell[1] += win
            cell[2] += win * win
            cell[3] += margin
            cell[4] += margin * margin
            cell[5] += score
            cell[6] += score * score
            add_part(cell, 0, np.int64(row.locations))
            add_part(cell, 1, np.int64(row.loot))
            add_part(cell, 2, np.int64(row.lords))
            add_part(cell, 3, np.int64(row.allies))
            add_part(cell, 4, np.int64(row.monster_tokens))
            add_part(cell, 5, np.int64(row.nebulis))
            add_part(cell, 6, np.int64(row.kraken))
            cell[PEARLS] += row.pearls
            cell[PEARLS + 1] += row.turns
            for k in range(row.counts.size):
                cell[FIRST_COUNT + k] += row.counts[k]
            place = min(max(score - LEAST_SCORE, 0), SCORES - 1)
            scores[row.policy, place] += 1
            if win > 0:
                winning_scores[place] += 1
            for lord in range(lords.shape[2]):
                if (row.took >> lord) & 1:
                    lords[group, row.policy, lord, 0] += 1
                    lords[group, row.policy, lord, 1] += win
                    lords[group, row.policy, lord, 2] += margin
                    lords[group, row.policy, lord, 4] += row.took_turn[lord]
                lords[group, row.policy, lord, 3] += (row.held >> lord) & 1
            for location in range(locations.shape[2]):
                if (row.locations_held >> location) & 1:
                    locations[group, row.policy, location, 0] += 1
                    locations[group, row.policy, location, 1] += win
                    locations[group, row.policy, location, 2] += margin
