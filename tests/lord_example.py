"""A made-up world for the study of Lord values: rows of games in which every Lord's worth is known.

Each Lord is taken by at most one seat; it adds its worth to that seat's points. A barred seat loses exactly that
worth, plus noise of mean nought, so that the take-value of a Lord (in margin) is its worth.
"""

from typing import Any

import numpy as np
import pandas as pd

from abysssim.core.layout import ROW
from abysssim.studies.lord_estimates import LineUpResult
from abysssim.studies.lord_sums import Sums, add_games, add_replays, new_sums, pick_takes

LORDS = 6
SEATS = 4
WORTH = np.array([6.0, 3.0, 3.0, 3.0, 1.0, 9.0])
SEED = np.array([5, 0], dtype=np.int64)


def score(rows: Any, totals: Any) -> None:
    """Write totals, win shares and margins of games, shape (games, seats), by their definitions."""
    best = totals == totals.max(axis=1, keepdims=True)
    rows["total"] = totals
    rows["win12"] = 12 * best // best.sum(axis=1, keepdims=True)
    others = totals.sum(axis=1, keepdims=True) - totals
    rows["margin12"] = 12 * totals - 12 // (SEATS - 1) * others


def base_games(first: int, games: int, rng: Any, policies: int = 1) -> tuple[Any, Any]:
    """Return ROW records (games, seats) of deals from `first` on, and their totals."""
    rows = np.zeros((games, SEATS), ROW)
    owner = rng.integers(0, SEATS, (games, LORDS))
    taken = rng.random((games, LORDS)) < np.array([0.9, 0.7, 0.5, 0.6, 0.8, 0.3])
    owned = (owner[:, None, :] == np.arange(SEATS)[None, :, None]) & taken[:, None, :]
    rows["took"] = (owned.astype(np.int64) << np.arange(LORDS)).sum(axis=2)
    totals = np.rint(40 + rng.normal(0, 8, (games, SEATS)) + owned @ WORTH).astype(np.int64)
    score(rows, totals)
    rows["game"] = (first + np.arange(games))[:, None]
    rows["seat"] = np.arange(SEATS)
    rows["policy"] = np.arange(SEATS) % policies
    rows["turns"] = 15 + rng.integers(0, 3, (games, SEATS))
    rows["game_turns"] = rows["turns"].sum(axis=1, keepdims=True)
    rows["decisions"] = 300
    rows["end_trigger"] = 1
    rows["took_turn"][:, :, :LORDS] = rng.integers(2, 14, (games, SEATS, LORDS))
    rows["counts"] = rng.integers(0, 9, rows["counts"].shape)
    return rows, totals


def barred_games(rows: Any, totals: Any, picks: Any, rng: Any) -> Any:
    """Return the rows of the picked games with their bars; a placebo changes nothing."""
    barred = rows[picks["place"]].copy()
    changed = totals[picks["place"]].astype(float)
    real = np.flatnonzero(picks["weight"] > 0)
    loss = WORTH[picks["lord"][real]] + rng.normal(0, 3, len(real))
    changed[real, picks["seat"][real]] -= loss
    score(barred, np.rint(changed).astype(np.int64))
    return barred


def example_sums(games: int, seed: int, every: bool = False, policies: int = 1) -> Sums:
    """Return the sums of so many games of the made-up world, played in chunks."""
    rng = np.random.default_rng(seed)
    sums = new_sums(LORDS, policies)
    for first in range(0, games, 1000):
        rows, totals = base_games(first, min(1000, games - first), rng, policies)
        picks = pick_takes(rows, np.ones(LORDS, np.int64), SEED, every)
        add_games(sums, rows)
        add_replays(sums, rows, picks, barred_games(rows, totals, picks, rng))
    return sums


def example_cards() -> pd.DataFrame:
    """Return the cards of the made-up Lords."""
    names = ["Ada", "Bo", "Cy", "Di", "Eve", "Flo"]
    return pd.DataFrame(
        {
            "lord": [name.lower() for name in names],
            "number": np.arange(LORDS),
            "name": [f"The {name}" for name in names],
            "guild": ["mage", "farmer"] * 3,
            "cost": [6, 8, 8, 10, 10, 12],
            "races": 2,
            "points": [6, 7, 8, 9, 5, 4],
            "keys": 0,
            "timing": "once",
        }
    )


def example_result(games: int, seed: int, name: str = "all plain", **options: Any) -> LineUpResult:
    """Return the result of one line-up of the made-up world."""
    policies = ("plain", "odd")[: options.get("policies", 1)]
    return LineUpResult(name, policies, SEATS, example_sums(games, seed, **options))
