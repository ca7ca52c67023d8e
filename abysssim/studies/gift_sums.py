"""Gifts to a seat at a turn, and bars on Locations: which games are played again, and what is summed of them.

Base games are played first. In each, one own turn of one seat is drawn, uniformly over all turns of the game, and
counts as often as the game has turns; the deal is played again once for each kind of gift, which that seat gets at the
start of that turn. Up to there both games are the same. Likewise one Location that a seat took by choice is drawn, and
the deal is played again with that Location barred for that seat.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abysssim.core.layout import MAX_LOCATIONS, MAX_LORDS, REWARD, TASK
from abysssim.core.rng import philox
from abysssim.engine.tally import GROUPS
from abysssim.policies.krakens import MOST_KEYS
from abysssim.policies.weights import PHASES
from abysssim.store import Sums
from abysssim.studies.lord_sums import cleared
from abysssim.studies.search_checks import phase_of

Ints = NDArray[np.int64]

#: Kinds of gifts, and how much of what is given: Pearls come in twos, as Loot gives them.
GIFTS = ("key", "pearls", "token", "ally")
AMOUNTS = {"key": ("keys", 1), "pearls": ("pearls", 2), "token": ("monster_tokens", 1), "ally": ("allies", 1)}
PEARLS_GIVEN = 2
#: Outcomes of the seat with the gift: IP ahead of the mean of the others and win share (both times 12), own IP.
OUTCOMES = ("margin12", "win12", "total")
#: One game in so many is also played with a gift of nothing: nothing may change.
PLACEBO_EVERY = 64
SHARE = 12
#: Entities of the draws that pick turns and Locations; the decks of the game use none of these.
TURN_DRAW, BAR_DRAW = (1 << 23) + 2, (1 << 23) + 3
PICK = np.dtype([("place", "i8"), ("seat", "i8"), ("turn", "i8"), ("weight", "i8")])
BAR = np.dtype([("place", "i8"), ("seat", "i8"), ("location", "i8"), ("weight", "i8")])

_philox: Any = getattr(philox, "py_func", philox)  # as plain Python it works on whole arrays


def draws_of(rows: NDArray[Any], seed: Ints, entity: int) -> tuple[Ints, Ints]:
    """Return two draws of 32 bits for each game of ROW (games, seats), a pure function of seed, deal and rotation."""
    first = rows[:, 0]
    game = first["game"].astype(np.uint64)
    word = np.uint64(0xFFFFFFFF)
    words = (first["rotation"].astype(np.uint64), np.full(len(rows), entity, np.uint64))
    key = (np.full(len(rows), seed[0], np.uint64), np.full(len(rows), seed[1], np.uint64))
    r0, r1, _, _ = _philox(*words, game & word, game >> np.uint64(32), *key)
    return r0.astype(np.int64), r1.astype(np.int64)


# --- Gifts ---------------------------------------------------------------------------------------------------------


def pick_turns(rows: NDArray[Any], seed: Ints) -> NDArray[Any]:
    """Return one own turn for each game of ROW (games, seats) as PICK records (games,), in the order of the games."""
    draw, _ = draws_of(rows, seed, TURN_DRAW)
    reached = rows["turns"].astype(np.int64).cumsum(axis=1)
    chosen = draw * reached[:, -1] >> 32
    seat = (reached <= chosen[:, None]).sum(axis=1)
    places = np.arange(len(rows))
    picks = np.zeros(len(rows), PICK)
    picks["place"], picks["seat"], picks["weight"] = places, seat, reached[:, -1]
    picks["turn"] = 1 + chosen - reached[places, seat] + rows["turns"][places, seat]
    return picks


def placebos(rows: NDArray[Any], picks: NDArray[Any], seed: Ints) -> NDArray[Any]:
    """Return those of the picks whose game is also played with a gift of nothing."""
    _, draw = draws_of(rows, seed, TURN_DRAW)
    chosen: NDArray[Any] = picks[draw[picks["place"]] % PLACEBO_EVERY == 0]
    return chosen


def gift_tasks(rows: NDArray[Any], picks: NDArray[Any], kinds: Sequence[str]) -> Any:
    """Return the TASK records that play the picked games again, all with the first kind of gift, then the next ...

    A kind that is not one of GIFTS is a gift of nothing.
    """
    tasks = _again(rows, picks, len(kinds))
    tasks.bar_seat = tasks.bar_lord = -1
    tasks.gift_seat = np.tile(picks["seat"], len(kinds))
    tasks.gift_turn = np.tile(picks["turn"], len(kinds))
    for number, kind in enumerate(kinds):
        tasks.gift[number * len(picks) : (number + 1) * len(picks)] = gift_of(kind)
    return tasks


def gift_of(kind: str) -> Any:
    """Return the REWARD record of a kind of gift; nothing for one that is not of GIFTS."""
    gift = np.zeros((), REWARD)
    if kind in AMOUNTS:
        name, amount = AMOUNTS[kind]
        gift[name] = amount
    return gift


def _again(rows: NDArray[Any], picks: NDArray[Any], times: int) -> Any:
    first = rows[picks["place"], 0]
    tasks = np.zeros(times * len(picks), TASK).view(np.recarray)
    tasks.game, tasks.rotation = np.tile(first["game"], times), np.tile(first["rotation"], times)
    return tasks


def new_gift_sums() -> Sums:
    """Return cleared sums of gifts, by name; `g` is the group and a cell is (kind of gift, phase, Keys held before it).

    gifts, gifts_moved (cell): games with a gift, and those in which the seat's result moved; a Monster token counts
    where the pile had one left; gift_weight (g, cell);
    gift_OUTCOME, gift_base_OUTCOME (g, cell): outcomes with and without the gift, weighted; placebo (2): gifts of
    nothing, and those that changed a result; late_gifts (1): gifts that their game did not come to; ip_win (g): win
    share times 12 that one IP more would have brought its seat, summed over seats; ip_lost (g): that one IP less would
    have cost; ip_seats (g).
    """
    cell = (len(GIFTS), len(PHASES), MOST_KEYS + 1)
    return cleared(
        {
            "gifts": cell,
            "gifts_moved": cell,
            "gift_weight": (GROUPS, *cell),
            **{f"gift_{part}{name}": (GROUPS, *cell) for part in ("", "base_") for name in OUTCOMES},
            "placebo": (2,),
            "late_gifts": (1,),
            "ip_win": (GROUPS,),
            "ip_lost": (GROUPS,),
            "ip_seats": (GROUPS,),
        }
    )


def add_gifts(sums: Sums, rows: NDArray[Any], picks: NDArray[Any], given: NDArray[Any]) -> None:
    """Add replays with gifts: base ROW (games, seats), PICK (n,), and ROW (len(GIFTS) * n, seats) of `gift_tasks`."""
    count = len(picks)
    base = rows[picks["place"], picks["seat"]]
    group = base["game"] % GROUPS
    for kind in range(len(GIFTS)):
        with_gift = given[kind * count : (kind + 1) * count][np.arange(count), picks["seat"]]
        came = with_gift["gift_keys"] >= 0
        sums["late_gifts"] += int((~came).sum())
        if GIFTS[kind] == "token":
            # A policy counts a token for nothing where none is left.
            came &= with_gift["gift_tokens"] > 0
        keys = np.clip(with_gift["gift_keys"], 0, MOST_KEYS)
        cell = (np.full(count, kind), phase_of(with_gift["gift_lords"]), keys)
        weight = np.where(came, picks["weight"], 0)
        np.add.at(sums["gifts"], cell, came)
        moved = came & ((base["margin12"] != with_gift["margin12"]) | (base["win12"] != with_gift["win12"]))
        np.add.at(sums["gifts_moved"], cell, moved)
        np.add.at(sums["gift_weight"], (group, *cell), weight)
        for name in OUTCOMES:
            np.add.at(sums[f"gift_{name}"], (group, *cell), weight * with_gift[name])
            np.add.at(sums[f"gift_base_{name}"], (group, *cell), weight * base[name])


def add_placebos(sums: Sums, rows: NDArray[Any], picks: NDArray[Any], given: NDArray[Any]) -> None:
    """Add replays with a gift of nothing: base ROW (games, seats), PICK (n,), ROW (n, seats)."""
    base = rows[picks["place"]]
    same = np.all([(base[name] == given[name]).all(axis=1) for name in ("total", "win12", "took", "turns")], axis=0)
    sums["placebo"] += [len(picks), int((~same).sum())]


# --- One IP more ---------------------------------------------------------------------------------------------------


def win_with(rows: NDArray[Any], points: Ints, extra: int) -> Ints:
    """Return each seat's win share, times 12, if it alone had `extra` IP more at the end: shape (games, seats).

    rows : ROW (games, seats); points : printed IP of each Lord, (Lords,). Ties as in the game: more Pearls, then the
    stronger Lord, then shared.
    """
    own, theirs = _standing(rows, points, extra), _standing(rows, points, 0)
    shares = np.zeros(rows.shape, np.int64)
    for seat in range(rows.shape[1]):
        others = np.delete(theirs, seat, axis=1)
        above, level = (others > own[:, [seat]]).any(axis=1), (others == own[:, [seat]]).sum(axis=1)
        shares[:, seat] = np.where(above, 0, SHARE // (1 + level))
    return shares


def _standing(rows: NDArray[Any], points: Ints, extra: int) -> Ints:
    """Return numbers that order the seats as the engine does: IP, then Pearls, then the strongest Lord."""
    strongest = np.zeros(rows.shape, np.int64)
    for lord, printed in enumerate(points[:MAX_LORDS]):
        strongest = np.maximum(strongest, np.where(rows["held"] >> lord & 1, printed, 0))
    total = rows["total"].astype(np.int64) + extra
    standing: Ints = ((total << 20) + rows["pearls"] << 20) + strongest
    return standing


def add_one_ip(sums: Sums, rows: NDArray[Any], points: Ints) -> None:
    """Add what one IP more, and one less, would have changed for each seat of ROW (games, seats)."""
    group = rows["game"][:, 0] % GROUPS
    base = rows["win12"].astype(np.int64)
    np.add.at(sums["ip_win"], group, (win_with(rows, points, 1) - base).sum(axis=1))
    np.add.at(sums["ip_lost"], group, (base - win_with(rows, points, -1)).sum(axis=1))
    np.add.at(sums["ip_seats"], group, rows.shape[1])


# --- Locations -----------------------------------------------------------------------------------------------------


def pick_locations(rows: NDArray[Any], seed: Ints) -> NDArray[Any]:
    """Return one Location taken by choice for each game of ROW (games, seats) that has one, as BAR records."""
    taken = rows["took_locations"][:, :, None] >> np.arange(MAX_LOCATIONS) & 1
    flat = taken.reshape(len(rows), -1).cumsum(axis=1)
    draw, _ = draws_of(rows, seed, BAR_DRAW)
    chosen = draw * flat[:, -1] >> 32
    place = (flat <= chosen[:, None]).sum(axis=1)
    some = np.flatnonzero(flat[:, -1] > 0)
    picks = np.zeros(len(some), BAR)
    picks["place"], picks["weight"] = some, flat[some, -1]
    picks["seat"], picks["location"] = place[some] // MAX_LOCATIONS, place[some] % MAX_LOCATIONS
    return picks


def location_tasks(rows: NDArray[Any], picks: NDArray[Any]) -> Any:
    """Return the TASK records that play the picked games again, each with its bar."""
    tasks = _again(rows, picks, 1)
    tasks.bar_seat, tasks.bar_lord, tasks.bar_location = picks["seat"], -1, 1 + picks["location"]
    return tasks


def new_location_sums() -> Sums:
    """Return cleared sums of Locations, by name; `g` is the group.

    location_held, location_points, location_win12, location_margin12 (g, Location): seats that hold one at the end,
    its IP (Loot included), and their outcomes; bars, bars_bit (Location): replays with a bar, and those in which its
    seat wanted the Location; bar_weight, bar_OUTCOME, bar_base_OUTCOME (g, Location), weighted.
    """
    shape = (GROUPS, MAX_LOCATIONS)
    ends = ("held", "points", "win12", "margin12")
    return cleared(
        {
            **{f"location_{name}": shape for name in ends},
            "bars": (MAX_LOCATIONS,),
            "bars_bit": (MAX_LOCATIONS,),
            "bar_weight": shape,
            **{f"bar_{part}{name}": shape for part in ("", "base_") for name in OUTCOMES},
        }
    )


def add_locations(sums: Sums, rows: NDArray[Any]) -> None:
    """Add who holds which Location at the end of ROW (games, seats), and what it is worth."""
    group = rows["game"][:, 0] % GROUPS
    held = rows["locations_held"][:, :, None] >> np.arange(MAX_LOCATIONS) & 1
    np.add.at(sums["location_held"], group, held.sum(axis=1))
    np.add.at(sums["location_points"], group, rows["location_points"].astype(np.int64).sum(axis=1))
    for name in ("win12", "margin12"):
        np.add.at(sums[f"location_{name}"], group, (held * rows[name].astype(np.int64)[:, :, None]).sum(axis=1))


def add_bars(sums: Sums, rows: NDArray[Any], picks: NDArray[Any], barred: NDArray[Any]) -> None:
    """Add replays with a bar: base ROW (games, seats), BAR (n,), and ROW (n, seats) of `location_tasks`."""
    base = rows[picks["place"], picks["seat"]]
    found = barred[np.arange(len(picks)), picks["seat"]]
    place = (base["game"] % GROUPS, picks["location"])
    np.add.at(sums["bars"], picks["location"], 1)
    np.add.at(sums["bars_bit"], picks["location"], found["bar_bit"])
    np.add.at(sums["bar_weight"], place, picks["weight"])
    for name in OUTCOMES:
        np.add.at(sums[f"bar_{name}"], place, picks["weight"] * found[name])
        np.add.at(sums[f"bar_base_{name}"], place, picks["weight"] * base[name])
