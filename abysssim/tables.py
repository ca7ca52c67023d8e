"""From the sums of a batch to its tables. docs/results.md says what every column is.

Means come with `..._low` and `..._high`, the ends of a 95 % interval by the jackknife over groups of deal blocks; they
are empty below 20 groups. Win shares are in per cent, scores and margins in IP, rates in events for each seat and game.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abysssim.engine.tally import (
    END_MEASURES,
    FIRST_COUNT,
    GAME_MEASURES,
    LEAST_SCORE,
    LOCATION_MEASURES,
    LORD_MEASURES,
    MEASURES,
    PARTS,
    Sums,
)
from abysssim.stats.intervals import pointwise
from abysssim.stats.jackknife import Jackknife, ratio
from abysssim.vocabulary import Decision, EndTrigger, Verb

SHARE = 12.0
ALL = "all"
#: How each measure of a seat is scaled: per cent for win shares, IP for margins (both summed times 12).
SCALES = {"win": SHARE / 100, "margin": SHARE}
OUTCOMES = {"win_share": "win", "margin": "margin", "total": "total"}

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Names:
    """What the axes of the sums are called: policies (labels), Lords and Locations (keys), and what is in play.

    lords_in_game, locations_in_game : numbers of the cards in the game; the others have no rows
    """

    policies: tuple[str, ...]
    lords: tuple[str, ...]
    locations: tuple[str, ...]
    lords_in_game: tuple[int, ...]
    locations_in_game: tuple[int, ...]


def all_tables(sums: Sums, names: Names) -> Tables:
    """Return every table of a batch by name."""
    return {
        "policies": policy_table(sums, names),
        "seats": seat_table(sums),
        "policy_seats": policy_seat_table(sums, names),
        "parts": part_table(sums, names),
        "behaviour": behaviour_table(sums, names),
        "lords": card_table(sums, names, "lord"),
        "locations": card_table(sums, names, "location"),
        "length": length_table(sums),
        "endings": ending_table(sums),
        "turns": turns_table(sums),
        "scores": score_table(sums, names),
        "decisions": decision_table(sums),
        "games_to_look_at": notable_table(sums),
    }


def measure(name: str) -> int:
    """Return the place of a measure on the last axis of the sums `seats`."""
    return MEASURES.index(name)


def mean_of(sums: NDArray[np.int64], name: str) -> Jackknife:
    """Estimate the mean of a measure for each seat and game, from `seats` sums of shape (g, ..., MEASURES)."""
    return ratio(sums[..., measure(name)], sums[..., measure("games")], SCALES.get(name, 1.0))


def spread(estimates: Jackknife, prefix: str) -> dict[str, Any]:
    """Return columns with an estimate and the ends of its interval."""
    interval = pointwise(estimates)
    return {prefix: estimates.estimate, f"{prefix}_low": interval.lower, f"{prefix}_high": interval.upper}


def _outcomes(sums: NDArray[np.int64]) -> dict[str, Any]:
    columns: dict[str, Any] = {"played": sums[..., measure("games")].sum(axis=0)}
    for column, name in OUTCOMES.items():
        columns.update(spread(mean_of(sums, name), column))
    columns["total_sd"] = _deviation(sums, "total")
    return columns


def _deviation(sums: NDArray[np.int64], name: str) -> NDArray[np.float64]:
    """Return the standard deviation of a score over seats and games."""
    games = sums[..., measure("games")].sum(axis=0)
    first = sums[..., measure(name)].sum(axis=0) / np.maximum(games, 1)
    second = sums[..., measure(f"{name}_squared")].sum(axis=0) / np.maximum(games, 1)
    return np.where(games > 0, np.sqrt(np.maximum(second - first**2, 0.0)), np.nan)


def policy_table(sums: Sums, names: Names) -> pd.DataFrame:
    """Return win share, margin and score of each policy."""
    return pd.DataFrame({"policy": list(names.policies), **_outcomes(sums["seats"].sum(axis=2))})


def seat_table(sums: Sums) -> pd.DataFrame:
    """Return win share, margin and score of each place in the turn order."""
    by_seat = sums["seats"].sum(axis=1)
    return pd.DataFrame({"seat": np.arange(by_seat.shape[1]), **_outcomes(by_seat)})


def policy_seat_table(sums: Sums, names: Names) -> pd.DataFrame:
    """Return win share, margin and score of each policy at each seat that it sat on."""
    groups, policies, seats, measures = sums["seats"].shape
    flat = sums["seats"].reshape(groups, policies * seats, measures)
    table = pd.DataFrame(
        {"policy": np.repeat(list(names.policies), seats), "seat": np.tile(np.arange(seats), policies)}
        | _outcomes(flat)
    )
    return table[table["played"] > 0].reset_index(drop=True)


def _by_policy(sums: Sums, names: Names) -> list[tuple[str, NDArray[np.int64]]]:
    """Return `seats` sums (g, MEASURES) of all policies together, and of each where there are several."""
    by_policy = sums["seats"].sum(axis=2)
    found = [(ALL, by_policy.sum(axis=1))]
    if len(names.policies) > 1:
        found += [(name, by_policy[:, i]) for i, name in enumerate(names.policies)]
    return found


def part_table(sums: Sums, names: Names) -> pd.DataFrame:
    """Return the score by part, its total first: for all policies together and for each."""
    rows = []
    for policy, cells in _by_policy(sums, names):
        for part in ("total", *PARTS):
            row = {"policy": policy, "part": part, **spread(mean_of(cells, part), "mean")}
            rows.append({**row, "sd": _deviation(cells, part)})
    return _frame(rows)


def behaviour_table(sums: Sums, names: Names) -> pd.DataFrame:
    """Return what the policies did, for each seat and game: for all policies together and for each."""
    rows = []
    for policy, cells in _by_policy(sums, names):
        for name in ("turns", "pearls", *MEASURES[FIRST_COUNT:]):
            rows.append({"policy": policy, "measure": name, **spread(mean_of(cells, name), "mean")})
    return _frame(rows)


def card_table(sums: Sums, names: Names, kind: str) -> pd.DataFrame:
    """Return how often Lords (or Locations) are taken and held, and how their owners fare.

    Owners' results are not what a card is worth: they mix it with the position of those who can afford it.
    """
    measures: tuple[str, ...]
    if kind == "lord":
        measures, cards, keep, all_cells = LORD_MEASURES, names.lords, names.lords_in_game, sums["lords"]
    else:
        measures, cards = LOCATION_MEASURES, names.locations
        keep, all_cells = names.locations_in_game, sums["locations"]
    seats = sums["seats"][..., measure("games")].sum(axis=2)
    groups = [(ALL, all_cells.sum(axis=1), seats.sum(axis=1))]
    if len(names.policies) > 1:
        groups += [(name, all_cells[:, i], seats[:, i]) for i, name in enumerate(names.policies)]
    frames = []
    for policy, cells, played in groups:
        cells = cells[:, list(keep)]
        columns: dict[str, Any] = {"policy": policy, kind: [cards[i] for i in keep]}
        columns |= _card_columns({name: cells[..., i] for i, name in enumerate(measures)}, played)
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _card_columns(cells: dict[str, NDArray[np.int64]], played: NDArray[np.int64]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    owners = "took" if "took" in cells else "held"
    if "took" in cells:
        columns["taken"] = cells["took"].sum(axis=0)
        columns |= spread(ratio(cells["took"], played[:, None]), "take_rate")
        columns["take_turn"] = ratio(cells["took_turn"], cells["took"]).estimate
    columns["held"] = cells["held"].sum(axis=0)
    columns |= spread(ratio(cells["held"], played[:, None]), "held_rate")
    columns |= spread(ratio(cells[f"{owners}_win"], cells[owners], SHARE / 100), "owner_win_share")
    return columns | spread(ratio(cells[f"{owners}_margin"], cells[owners], SHARE), "owner_margin")


def length_table(sums: Sums) -> pd.DataFrame:
    """Return the length of games: turns of all seats, and decisions."""
    games = sums["games"]
    rows = []
    for name in ("turns", "decisions"):
        column = games[:, GAME_MEASURES.index(name)]
        rows.append({"measure": name, **spread(ratio(column, games[:, 0]), "mean"), **_quantiles(sums, name)})
    return _frame(rows)


def _quantiles(sums: Sums, name: str) -> dict[str, float]:
    """Return least, median and greatest length in turns; decisions have no histogram."""
    if name != "turns":
        return {"least": np.nan, "median": np.nan, "most": np.nan}
    reached = np.cumsum(sums["lengths"])
    median = float(np.searchsorted(reached, (reached[-1] + 1) // 2))
    lengths = np.flatnonzero(sums["lengths"])
    return {"least": float(lengths[0]), "median": median, "most": float(lengths[-1])}


def ending_table(sums: Sums) -> pd.DataFrame:
    """Return what brought games to their end, how long they were, and how the seat that ended them fared."""
    triggers = [trigger for trigger in EndTrigger if trigger != EndTrigger.NONE or sums["ends"][:, trigger].any()]
    cells = sums["ends"][:, triggers]
    count, wins, turns = (cells[..., END_MEASURES.index(name)] for name in END_MEASURES)
    return pd.DataFrame(
        {"trigger": [trigger.name.lower() for trigger in triggers], "count": count.sum(axis=0)}
        | spread(ratio(count, sums["games"][:, 0][:, None]), "share")
        | {"turns": ratio(turns, count).estimate}
        | spread(ratio(wins, count, SHARE / 100), "ender_win_share")
    )


def turns_table(sums: Sums) -> pd.DataFrame:
    """Return the histogram of game lengths in turns of all seats."""
    turns = np.flatnonzero(sums["lengths"])
    return pd.DataFrame({"turns": turns, "count": sums["lengths"][turns]})


def score_table(sums: Sums, names: Names) -> pd.DataFrame:
    """Return the histograms of totals: of each policy, and of winners."""
    frames = []
    kinds = [*zip(names.policies, sums["scores"], strict=True), ("winners", sums["winning_scores"])]
    for kind, counts in kinds:
        places = np.flatnonzero(counts)
        frames.append(pd.DataFrame({"of": kind, "total": places + LEAST_SCORE, "count": counts[places]}))
    return pd.concat(frames, ignore_index=True)


def decision_table(sums: Sums) -> pd.DataFrame:
    """Return how often each question was asked and each kind of answer given, those that never came included."""
    rows = []
    for decision in Decision:
        asked = int(sums["asked"][decision])
        for verb in Verb:
            picked = int(sums["picked"][decision, verb])
            if picked:
                rows.append(_answer(decision, asked, verb.name.lower(), picked))
        if not asked and decision != Decision.TURN_END:
            rows.append(_answer(decision, 0, "", 0))
    return _frame(rows)


def _answer(decision: Decision, asked: int, verb: str, picked: int) -> dict[str, Any]:
    share = picked / asked if asked else np.nan
    return {"decision": decision.name.lower(), "asked": asked, "answer": verb, "picked": picked, "share": share}


def notable_table(sums: Sums) -> pd.DataFrame:
    """Return games to look at: the first stalemates and the longest games."""
    rows = [("stalemate", game, rotation, turns) for game, rotation, turns in sums["note.stalemates"] if game >= 0]
    rows += [("longest", game, rotation, turns) for game, rotation, turns in sums["note.longest"] if game >= 0]
    found = {
        "why": [row[0] for row in rows],
        "game": np.array([row[1] for row in rows], np.int64),
        "rotation": np.array([row[2] for row in rows], np.int64),
        "turns": np.array([row[3] for row in rows], np.int64),
    }
    return pd.DataFrame(found)


def _frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame([{key: _plain(value) for key, value in row.items()} for row in rows])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def as_json(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a table as plain columns; nan and infinity become None."""
    plain: Callable[[Any], Any] = lambda value: (  # noqa: E731
        None if isinstance(value, float) and not np.isfinite(value) else _plain(value)
    )
    return {str(name): [plain(value) for value in table[name].tolist()] for name in table.columns}
