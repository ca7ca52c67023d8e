"""What the study of Lord values counts in every game: exact integer sums, in groups of deals.

Base games are played first. From each, one take (a seat and a Lord that it took by its own choice) is picked, or all of
them; the same deal is then played again with that Lord barred for that seat, and both outcomes are added up under
the Lord. Sums are int64, merged by addition, so they are the same in any order and on any number of workers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.layout import MAX_LOCATIONS, MAX_SEATS, TASK
from abysssim.rules.rulebook import Rulebook
from abysssim.studies import lord_kernel
from abysssim.studies.lord_kernel import GROUPS, LENGTHS, TURNS
from abysssim.vocabulary import Count, EndTrigger

Sums = dict[str, NDArray[np.int64]]

_kernel: Any = lord_kernel  # its types are numba's

PICK = np.dtype([("place", "i8"), ("seat", "i8"), ("lord", "i8"), ("weight", "i8")])

#: What is summed for each policy, over its seats: row fields first (the parts of the score as `ip_...`), then `Count`.
SEAT_FIELDS = (
    "total",
    "ip_locations",
    "ip_loot",
    "ip_lords",
    "ip_allies",
    "ip_monster_tokens",
    "ip_nebulis",
    "ip_kraken",
    "pearls",
    "turns",
)
MEASURES = (*SEAT_FIELDS, *(count.name.lower() for count in Count))


def of_lords(rulebook: Rulebook, field: str) -> NDArray[np.int64]:
    """Return a field of every Lord's record, shape (Lords,): "points" or "in_game", say."""
    return np.ascontiguousarray(rulebook.record[0].lords[field][: len(rulebook.lords)], dtype=np.int64)


def new_base_sums(policies: int) -> Sums:
    """Return cleared sums of base games for one line-up, by name; `g` below is the group, deal number mod 256.

    games (g); seat_win, seat_margin (g, seat); policy_seats, policy_win, policy_margin (g, policy); behaviour
    (policy, MEASURES); ends (EndTrigger); lengths (turns); decisions (1); location_holds (Location). Outcomes are win
    shares and margins times 12.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "games": (GROUPS,),
        "seat_win": (GROUPS, MAX_SEATS),
        "seat_margin": (GROUPS, MAX_SEATS),
        "policy_seats": (GROUPS, policies),
        "policy_win": (GROUPS, policies),
        "policy_margin": (GROUPS, policies),
        "behaviour": (policies, len(MEASURES)),
        "ends": (len(EndTrigger),),
        "lengths": (LENGTHS,),
        "decisions": (1,),
        "location_holds": (MAX_LOCATIONS,),
    }
    return cleared(shapes)


def cleared(shapes: dict[str, tuple[int, ...]]) -> Sums:
    """Return int64 zeros of these shapes."""
    return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}


def new_sums(lords: int, policies: int) -> Sums:
    """Return cleared sums for one line-up: those of `new_base_sums`, and by name, `g` being the group:

    takes (g, policy, Lord), raw_win, raw_margin (g, Lord): seats that took a Lord and their outcomes;
    weight, base_win, bar_win, base_margin, bar_margin (g, policy, Lord): replayed takes, weighted, and the outcomes
    of that seat without and with the bar; replays, moved (Lord): replays, and those in which the seat's result moved;
    placebo (2): replays with a bar that should not matter, and those in which any seat's result moved;
    seat_takes (seat, Lord); take_turns (Lord, own turn); xtx (g, Lord, Lord), xy_win, xy_margin (g, Lord),
    yy_win, yy_margin (g): products inside games for the regression, times the number of seats.
    Outcomes are win shares and margins times 12.
    """
    shapes: dict[str, tuple[int, ...]] = {
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
        "xtx": (GROUPS, lords, lords),
        "xy_win": (GROUPS, lords),
        "xy_margin": (GROUPS, lords),
        "yy_win": (GROUPS,),
        "yy_margin": (GROUPS,),
    }
    return new_base_sums(policies) | cleared(shapes)


def pick_takes(rows: NDArray[Any], in_game: NDArray[np.int64], seed: NDArray[np.int64], every: bool) -> NDArray[Any]:
    """Return the takes to replay as PICK records, in the order of the games.

    rows: ROW (games, seats). in_game: 1 for each Lord in the game. seed: low and high 32 bits. every: all takes with
    weight 1; otherwise one take of each game, uniform over its takes and a pure function of (seed, deal, rotation),
    weighted by their number. Placebo picks (weight 0) are added for one game in `lord_kernel.PLACEBO_EVERY`.
    """
    takes = int(np.bitwise_count(rows["took"]).sum()) if every else len(rows)
    picks = np.zeros(takes + len(rows), PICK).view(np.recarray)
    return picks[: _kernel.fill_picks(_records(rows), in_game, seed, every, picks)]


def _records(array: NDArray[Any]) -> Any:
    """Return records whose fields are attributes, with the jit on and off."""
    return array.view(np.recarray)


def bar_tasks(rows: NDArray[Any], picks: NDArray[Any]) -> Any:
    """Return the TASK records that play the picked games again, each with its bar."""
    tasks = np.zeros(len(picks), TASK).view(np.recarray)
    first_seats = rows[picks["place"], 0]
    tasks.game = first_seats["game"]
    tasks.rotation = first_seats["rotation"]
    tasks.bar_seat = picks["seat"]
    tasks.bar_lord = picks["lord"]
    return tasks


def add_base_games(sums: Sums, rows: NDArray[Any]) -> None:
    """Add base games, ROW (games, seats), to the sums of `new_base_sums`."""
    _kernel.add_base(
        _records(rows),
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


def add_games(sums: Sums, rows: NDArray[Any]) -> None:
    """Add base games, ROW (games, seats), to the sums of `new_sums`."""
    add_base_games(sums, rows)
    rows = _records(rows)
    _kernel.add_takes(
        rows,
        sums["takes"],
        sums["raw_win"],
        sums["raw_margin"],
        sums["seat_takes"],
        sums["take_turns"],
    )
    _kernel.add_products(
        rows, sums["xtx"], sums["xy_win"], sums["xy_margin"], sums["yy_win"], sums["yy_margin"]
    )


def add_replays(sums: Sums, rows: NDArray[Any], picks: NDArray[Any], barred: NDArray[Any]) -> None:
    """Add replays: base rows ROW (games, seats), PICK (n,), and the barred games ROW (n, seats) in the same order."""
    rows, picks, barred = _records(rows), _records(picks), _records(barred)
    _kernel.add_differences(
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
