"""The results of a run as text for people, at most 80 columns wide."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from abysssim.rules.words import rules_played
from abysssim.tables import ALL

if TYPE_CHECKING:
    from abysssim.run import Result

WIDTH = 80
NAME = 18  # columns for the name of a policy
BEHAVIOUR = {
    "turns": "turns",
    "explorations": "explore",
    "council_actions": "Council",
    "recruitments": "recruit",
    "purchases": "buy",
    "fights": "Monsters",
    "locations_taken": "Locations",
}
PARTS = {
    "total": "total",
    "locations": "Locations",
    "loot": "Loot",
    "lords": "Lords",
    "allies": "Allies",
    "monster_tokens": "Monsters",
    "nebulis": "Nebulis",
    "kraken": "figure",
}
OF_EXPANSION = ("loot", "nebulis", "kraken")  # shown where anybody has any of it


def summary(result: "Result") -> str:
    """Return the summary of a run."""
    blocks = [
        _head(result),
        _win_shares(result.tables),
        _scores(result.tables),
        _behaviour(result.tables),
        _endings(result.tables),
        _cards(result.tables),
        _look_at(result.tables),
    ]
    return "\n\n".join(block for block in blocks if block)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns of text: the first flush left, the others flush right, cut at `WIDTH`."""
    widths = [max(len(line[i]) for line in (heads, *rows)) for i in range(len(heads))]
    lines = []
    for line in (heads, *rows):
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip()[:WIDTH])
    return "\n".join(lines)


def with_error(value: float, low: float, high: float) -> str:
    """Return a mean and half the width of its interval, to one digit more than the error deserves."""
    if not np.isfinite(value):
        return "-"
    half = (high - low) / 2
    if not np.isfinite(half):
        return f"{value:.2f}"
    return f"{value:.{digits(half)}f} ±{half:.{digits(half)}f}"


def digits(half: float) -> int:
    """Return the decimals that show a half-width with two significant digits, 1 to 4."""
    if half <= 0:
        return 2
    return int(np.clip(1 - np.floor(np.log10(half)), 1, 4))


def _head(result: "Result") -> str:
    manifest = result.manifest
    rules = rules_played(manifest["expansions"], manifest["changes"])
    turns = len(manifest["rotations"])
    deals = f"{result.games:,} games, {manifest['players']} players, seed {manifest['seed']}"
    if turns > 1:
        deals += f", {manifest['blocks']:,} deals in {turns} rotations"
    lines = [deals, f"Line-up: {', '.join(manifest['lineup_names'])}", f"Rules: {rules}"]
    lines.append(f"{result.games_per_second:,.0f} games a second, {result.seconds:,.1f} s; digest {result.digest}")
    return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 3] + "..." for line in lines)


def _win_shares(tables: dict[str, pd.DataFrame]) -> str:
    rows = [[f"policy {row['policy'][:NAME]}", *_outcome(row)] for row in _records(tables["policies"])]
    rows += [[f"seat {row['seat']}", *_outcome(row)] for row in _records(tables["seats"])]
    return table(["", "win share, %", "margin, IP", "total, IP"], rows)


def _outcome(row: dict[Any, Any]) -> list[str]:
    return [with_error(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in ("win_share", "margin", "total")]


def _scores(tables: dict[str, pd.DataFrame]) -> str:
    parts = tables["parts"]
    played = set(parts["part"][parts["mean"] != 0])
    heads = {part: word for part, word in PARTS.items() if part not in OF_EXPANSION or part in played}
    return _wide(parts, "part", heads, "score by part, IP")


def _behaviour(tables: dict[str, pd.DataFrame]) -> str:
    return _wide(tables["behaviour"], "measure", BEHAVIOUR, "a game and seat")


def _wide(long: pd.DataFrame, key: str, heads: dict[str, str], title: str) -> str:
    """Return one line for each policy, one column for each of `heads`."""
    rows = []
    for policy, part in long.groupby("policy", sort=False):
        means = dict(zip(part[key], part["mean"], strict=True))
        rows.append([str(policy)[:NAME], *(f"{means[name]:.2f}" for name in heads)])
    return table([title, *heads.values()], rows)


def _endings(tables: dict[str, pd.DataFrame]) -> str:
    length = tables["length"].iloc[0]
    rows = [
        [
            f"ended by {row['trigger']}",
            f"{100 * row['share']:.2f} %",
            "-" if not row["count"] else f"{row['turns']:.1f}",
            "-" if not row["count"] else f"{row['ender_win_share']:.1f} %",
        ]
        for row in _records(tables["endings"])
    ]
    mean = with_error(length["mean"], length["mean_low"], length["mean_high"])
    text = f"Turns of all seats: mean {mean}, median {length['median']:.0f}"
    text += f", from {length['least']:.0f} to {length['most']:.0f}"
    return text + "\n" + table(["", "games", "turns", "ender wins"], rows)


def _cards(tables: dict[str, pd.DataFrame]) -> str:
    lords, locations = (
        cards[cards["policy"] == ALL].sort_values(rate, ascending=False, kind="stable")
        for cards, rate in ((tables["lords"], "take_rate"), (tables["locations"], "held_rate"))
    )
    left = [f"{row['lord']} {100 * row['take_rate']:.1f}" for row in _records(lords)]
    right = [f"{row['location']} {100 * row['held_rate']:.1f}" for row in _records(locations)]
    return (
        "Lords taken, % of seats, most and least often:\n"
        + _flow(_ends(left))
        + "\nLocations held, % of seats, most and least often:\n"
        + _flow(_ends(right))
    )


def _ends(names: list[str], shown: int = 6) -> list[str]:
    return names if len(names) <= 2 * shown else [*names[:shown], "...", *names[-shown:]]


def _flow(names: Sequence[str]) -> str:
    """Return names in lines of at most `WIDTH` columns."""
    lines = [" "]
    for name in names:
        if len(lines[-1]) + len(name) + 2 > WIDTH:
            lines.append(" ")
        lines[-1] += f" {name}," if name != "..." else " ..."
    return "\n".join(lines).rstrip(",")


def _look_at(tables: dict[str, pd.DataFrame]) -> str:
    notable = tables["games_to_look_at"]
    stalemates = notable[notable["why"] == "stalemate"]["game"].tolist()
    longest = notable[notable["why"] == "longest"].head(3)
    lines = []
    if stalemates:
        lines.append("Stalemates, e.g. games " + ", ".join(str(game) for game in stalemates[:5]))
    pairs = (f"{row['game']} ({row['turns']} turns)" for row in _records(longest))
    lines.append("Longest games: " + ", ".join(pairs))
    return "\n".join(lines)


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return list(frame.to_dict("records"))
