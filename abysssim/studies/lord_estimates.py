"""From the sums of the study of Lord values to its tables.

The take-value of a Lord is E[outcome - outcome with the bar | the seat took the Lord], a ratio of weighted sums over
the replayed takes. It is the gain over what the seat would do instead, by its own policy: nought if the alternative
is as good, negative if the policy takes the Lord to its own loss. What tells Lords apart is the difference to the
typical Lord, and the classes are of that difference. The typical Lord is the mean take-value of the middle half of
the Lords: as robust as the median against a few odd ones, but not as noisy as the one Lord that happens to be it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abysssim.stats.equivalence import Verdict, classify, more_games, robustness
from abysssim.stats.intervals import pointwise, simultaneous
from abysssim.stats.jackknife import Jackknife, combine, ratio
from abysssim.stats.paired import variance_reduction
from abysssim.stats.regression import gcv_penalty, ridge
from abysssim.stats.shrinkage import shrink
from abysssim.studies.lord_sums import MEASURES, Sums
from abysssim.vocabulary import EndTrigger

SHARE = 12.0
Floats = NDArray[np.float64]

#: The two outcomes: the name of a column's unit, and what a sum is multiplied by to be in it.
OUTCOMES = {"ip": ("margin", 1.0), "win": ("win", 100.0)}


@dataclass(frozen=True)
class LineUpResult:
    """The sums of one line-up, and what is needed to read them."""

    name: str
    policies: tuple[str, ...]
    seats: int
    sums: Sums


def lord_table(result: LineUpResult, cards: pd.DataFrame, regions: dict[str, float]) -> pd.DataFrame:
    """Return one row for each Lord in the game, for one line-up.

    cards: one row a Lord with `lord` (key), `number` and the printed facts. regions: half-width of the region of
    practical equivalence by outcome, `ip` in IP and `win` in percentage points. Columns named `ip_...` are in IP,
    `win_...` in percentage points of win share; `..._low`/`_high` are pointwise 95 % ends,
    `..._low_all`/`_high_all` hold for all Lords of the line-up together.
    """
    keep = cards["number"].to_numpy()
    sums = result.sums
    games = int(sums["games"].sum())
    table = cards.copy()
    table.insert(0, "line_up", result.name)
    table["replays"] = sums["replays"][keep]
    table["moved"] = _share(sums["moved"][keep], sums["replays"][keep])
    takes = sums["takes"].sum(axis=1)[:, keep]
    rate = ratio(takes, (sums["games"] * result.seats)[:, None])
    table["takes_per_game"] = takes.sum(axis=0) / max(games, 1)
    table["take_rate"] = rate.estimate
    for quantile, values in _turn_quantiles(sums["take_turns"][keep]).items():
        table[quantile] = values
    for unit in OUTCOMES:
        _add_outcome(table, sums, keep, unit, rate, regions[unit], games, result.seats)
    return table.reset_index(drop=True)


def _add_outcome(
    table: pd.DataFrame,
    sums: Sums,
    keep: NDArray[np.int64],
    unit: str,
    rate: Jackknife,
    region: float,
    games: int,
    seats: int,
) -> None:
    """Add the columns of one outcome to a table of Lords."""
    name, scale = OUTCOMES[unit]
    weight, base, bar = (sums[key].sum(axis=1)[:, keep] for key in ("weight", f"base_{name}", f"bar_{name}"))
    with_lord = ratio(base, weight, SHARE / scale)
    without = ratio(bar, weight, SHARE / scale)
    value = ratio(base - bar, weight, SHARE / scale)
    _add_estimate(table, f"{unit}_value", value, True)
    table[f"{unit}_variance_reduction"] = variance_reduction(with_lord, without)
    apart = against_typical(value)
    interval = _add_estimate(table, f"{unit}_difference", apart, True)
    table[f"{unit}_verdict"] = [str(verdict) for verdict in classify(interval, region)]
    table[f"{unit}_more_games"] = more_games(apart.estimate, interval, games, region)
    table[f"{unit}_shrunk"] = _shrunk(apart)
    table[f"{unit}_rank"] = table[f"{unit}_shrunk"].rank(ascending=False, method="min").astype("Int64")
    _add_estimate(table, f"{unit}_impact", combine(np.multiply, rate, value), False)
    takes = sums["takes"].sum(axis=1)[:, keep]
    fair = scale / seats if unit == "win" else 0.0
    raw = ratio(sums[f"raw_{name}"][:, keep], takes, SHARE / scale)
    _add_estimate(table, f"{unit}_raw", combine(lambda values: values - fair, raw), False)
    coefficients = _regression(sums, keep, name, games, seats, SHARE / scale)
    table[f"{unit}_regression"] = np.nan if coefficients is None else coefficients.estimate
    table[f"{unit}_regression_se"] = np.nan if coefficients is None else coefficients.se


def _add_estimate(table: pd.DataFrame, name: str, estimates: Jackknife, together: bool) -> Any:
    """Add an estimate with its error and intervals; return the simultaneous interval, or the pointwise one."""
    interval = pointwise(estimates)
    table[name] = estimates.estimate
    table[f"{name}_se"] = estimates.se
    table[f"{name}_low"], table[f"{name}_high"] = interval.lower, interval.upper
    if together:
        interval = simultaneous(estimates)
        table[f"{name}_low_all"], table[f"{name}_high_all"] = interval.lower, interval.upper
    return interval


def against_typical(values: Jackknife) -> Jackknife:
    """Return take-values less that of the typical Lord: the mean of the middle half of those that have an error.

    Which Lords are the middle half is settled by the estimates, so that the difference is linear in them.
    """
    known = np.flatnonzero(np.isfinite(values.estimate) & np.isfinite(values.se))
    order = known[np.argsort(values.estimate[known], kind="stable")]
    middle = order[len(order) // 4 : len(order) - len(order) // 4]
    return combine(lambda found: found - (found[middle].mean() if middle.size else np.nan), values)


def _shrunk(estimates: Jackknife) -> Floats:
    """Return estimates shrunk to their common mean, or as they are where too few have an error."""
    usable = np.isfinite(estimates.se) & (estimates.se > 0)
    if usable.sum() < 2:
        return estimates.estimate
    shrunk = shrink(estimates.estimate, estimates.se).mean
    return np.where(np.isfinite(shrunk), shrunk, estimates.estimate)


def _regression(
    sums: Sums, keep: NDArray[np.int64], name: str, games: int, seats: int, scale: float
) -> Jackknife | None:
    """Return ridge coefficients of the Lords taken, or None with too few games."""
    xtx = sums["xtx"][:, keep][:, :, keep]
    xty, yty = sums[f"xy_{name}"][:, keep], sums[f"yy_{name}"]
    if games * (seats - 1) <= 4 * len(keep) or not xtx.any():
        return None
    penalty = gcv_penalty(xtx, xty, yty, games, seats)
    return ridge(xtx, xty, seats, penalty, scale).coefficients


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def _turn_quantiles(counts: NDArray[np.int64]) -> dict[str, Floats]:
    """Return mean, 10 %, 50 % and 90 % of the own turn of taking, from counts (Lord, turn)."""
    total = counts.sum(axis=1)
    turns = np.arange(counts.shape[1])
    found: dict[str, Floats] = {"turn_mean": _share(counts @ turns, total)}
    reached = counts.cumsum(axis=1)
    for percent in (10, 50, 90):
        place = (reached * 100 >= (total * percent)[:, None]).argmax(axis=1)
        found[f"turn_p{percent}"] = np.where(total > 0, place.astype(np.float64), np.nan)
    return found


def policy_lord_table(result: LineUpResult, cards: pd.DataFrame) -> pd.DataFrame:
    """Return how often each policy of a line-up takes each Lord, and what it is worth to that policy, in IP."""
    keep = cards["number"].to_numpy()
    sums = result.sums
    parts = []
    for number, policy in enumerate(result.policies):
        seats = sums["policy_seats"][:, number]
        takes = sums["takes"][:, number, keep]
        weight = sums["weight"][:, number, keep]
        gained = sums["base_margin"][:, number, keep] - sums["bar_margin"][:, number, keep]
        value = ratio(gained, weight, SHARE)
        interval = pointwise(value)
        part = pd.DataFrame({"line_up": result.name, "policy": policy, "lord": cards["lord"].to_numpy()})
        part["take_rate"] = ratio(takes, seats[:, None]).estimate
        part["ip_value"], part["ip_value_se"] = value.estimate, value.se
        part["ip_value_low"], part["ip_value_high"] = interval.lower, interval.upper
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def behaviour_table(result: LineUpResult) -> pd.DataFrame:
    """Return the means of every measure over the seats of each policy: one row a policy."""
    sums = result.sums
    win = ratio(sums["policy_win"], sums["policy_seats"], SHARE / 100)
    margin = ratio(sums["policy_margin"], sums["policy_seats"], SHARE)
    seats = sums["policy_seats"].sum(axis=0)
    table = pd.DataFrame({"line_up": result.name, "policy": list(result.policies), "seats": seats})
    table["win_share"], table["win_share_se"] = win.estimate, win.se
    table["margin"], table["margin_se"] = margin.estimate, margin.se
    for place, measure in enumerate(MEASURES):
        table[measure] = sums["behaviour"][:, place] / np.maximum(seats, 1)
    return table


def seat_table(result: LineUpResult) -> pd.DataFrame:
    """Return the win share and margin of each place in the turn order."""
    seats = slice(0, result.seats)
    games = result.sums["games"][:, None]
    win = ratio(result.sums["seat_win"][:, seats], games, SHARE / 100)
    margin = ratio(result.sums["seat_margin"][:, seats], games, SHARE)
    table = pd.DataFrame({"line_up": result.name, "seat": np.arange(result.seats)})
    for name, estimates in (("win_share", win), ("margin", margin)):
        interval = pointwise(estimates)
        table[name], table[f"{name}_low"], table[f"{name}_high"] = estimates.estimate, interval.lower, interval.upper
    return table


def end_table(result: LineUpResult) -> pd.DataFrame:
    """Return how many games each end trigger brought to their end."""
    ends = result.sums["ends"]
    names = [trigger.name.lower() for trigger in EndTrigger]
    table = pd.DataFrame({"line_up": result.name, "trigger": names, "games": ends})
    table["share"] = ends / max(int(ends.sum()), 1)
    return table[(table["trigger"] != "none") | (table["games"] > 0)].reset_index(drop=True)


def length_table(result: LineUpResult) -> pd.DataFrame:
    """Return the histogram of game lengths in turns of all seats."""
    lengths = result.sums["lengths"]
    turns = np.flatnonzero(lengths)
    return pd.DataFrame({"line_up": result.name, "turns": turns, "games": lengths[turns]})


def verdict_table(lords: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Return the class of each Lord under every line-up, and over them: robust if 90 % of them agree.

    Over the line-ups it is a class, `undecided` where all are undecided, or `differs`.
    """
    wide = lords.pivot(index="lord", columns="line_up", values=f"{unit}_verdict")
    wide = wide.loc[lords["lord"].drop_duplicates(), list(lords["line_up"].drop_duplicates())]
    over = [robustness([Verdict(verdict) for verdict in row]) for row in wide.to_numpy()]
    table = wide.reset_index()
    table.columns.name = None
    table["overall"] = [str(found.verdict) if found.robust or found.share == 1 else "differs" for found in over]
    return table


def agreement_table(lords: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Return rank correlations (Spearman) of the take-values between line-ups."""
    wide = lords.pivot(index="lord", columns="line_up", values=f"{unit}_value")
    names = list(lords["line_up"].drop_duplicates())
    found = wide[names].corr(method="spearman")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return pd.DataFrame(
        [{"line_up": a, "other": b, "rank_correlation": float(found.loc[a, b])} for a, b in pairs],
        columns=["line_up", "other", "rank_correlation"],
    )
