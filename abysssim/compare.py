"""What changed between two runs: rules, line-up, and their effect on scores, wins, length and behaviour.

Where both runs played the same deals, group by group, differences are paired: most of the luck cancels.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from abysssim.engine.tally import (
    COUNTS,
    END_MEASURES,
    GAME_MEASURES,
    LOCATION_MEASURES,
    LORD_MEASURES,
    PARTS,
    Sums,
)
from abysssim.errors import InputError
from abysssim.stats.intervals import pointwise
from abysssim.stats.jackknife import Jackknife, difference, independent_difference, ratio
from abysssim.stats.paired import variance_reduction
from abysssim.store import RESULTS_FORMAT, Checkpoint, Ranges, read_json
from abysssim.summary import table, with_error
from abysssim.tables import SHARE, mean_of, measure
from abysssim.vocabulary import EndTrigger

Manifest = dict[str, Any]
SHOWN_CARDS = 8  # Lords and Locations in the text, those that changed most


@dataclass(frozen=True)
class Run:
    """A run read from its directory."""

    path: Path
    manifest: Manifest
    sums: Sums
    done: Ranges

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.sums["games"][:, 0].sum())

    @property
    def labels(self) -> list[str]:
        """Policies, in the order of the sums."""
        return [str(policy["policy"]) for policy in self.manifest["policies"]]


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side.

    rules : one (key, value in a, value in b) for each rule that differs; None stands for the printed value
    lineup : one (seat, policy of a, policy of b) for each seat whose policy differs
    other : sentences on whatever else differs
    paired : whether both played the same deals
    effects : `of`, `name`, `a`, `b`, `difference`, `..._low`, `..._high`, `variance_reduction` (empty unless paired);
        win shares and endings in per cent
    """

    a: Run
    b: Run
    rules: list[tuple[str, Any, Any]]
    lineup: list[tuple[int, str, str]]
    other: list[str]
    paired: bool
    effects: pd.DataFrame = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison for ``--json``."""
        from abysssim.tables import as_json

        return {
            "a": _about(self.a),
            "b": _about(self.b),
            "rules": [{"rule": key, "a": was, "b": now} for key, was, now in self.rules],
            "lineup": [{"seat": seat, "a": was, "b": now} for seat, was, now in self.lineup],
            "other": self.other,
            "paired": self.paired,
            "effects": as_json(self.effects),
        }


def read_run(path: Path) -> Run:
    """Return the run of a results directory.

    Raises InputError if there is none, or nothing has been played.
    """
    if not (path / "manifest.json").is_file():
        raise InputError(f"{path} holds no results of 'abysssim run' (there is no manifest.json)")
    manifest = read_json(path / "manifest.json")
    if not isinstance(manifest, dict) or manifest.get("format") != RESULTS_FORMAT or manifest.get("kind") != "run":
        raise InputError(f"{path} holds results, but not of 'abysssim run'")
    state = Checkpoint(path / "checkpoint.npz", str(manifest.get("identity"))).load()
    if not state.sums:
        raise InputError(f"the run in {path} has not played any games yet; resume it first")
    return Run(path, manifest, state.sums, state.done)


def compare(a: Run, b: Run) -> Comparison:
    """Return what differs between two runs."""
    paired = _same_deals(a, b)
    first, second = _estimates(a), _estimates(b)
    rows = [_effect(key, first[key], second[key], paired) for key in first if key in second]
    return Comparison(
        a,
        b,
        _rule_differences(a.manifest["changes"], b.manifest["changes"]),
        _lineup_differences(a.manifest, b.manifest),
        _other_differences(a, b),
        paired,
        pd.DataFrame(rows),
    )


def _same_deals(a: Run, b: Run) -> bool:
    """Tell whether the groups of both runs hold the same deals, played in as many rotations."""
    same = all(a.manifest[key] == b.manifest[key] for key in ("seed", "players"))
    rotations = len(a.manifest["rotations"]) == len(b.manifest["rotations"])
    return same and rotations and a.done.ranges == b.done.ranges


def _rule_differences(a: Manifest, b: Manifest) -> list[tuple[str, Any, Any]]:
    keys = dict.fromkeys([*a, *b])
    return [(key, a.get(key), b.get(key)) for key in keys if key not in a or key not in b or a[key] != b[key]]


def _lineup_differences(a: Manifest, b: Manifest) -> list[tuple[int, str, str]]:
    found = []
    for one, other in zip(a["lineup"], b["lineup"], strict=False):
        if one != other:
            names = [one["policy"], other["policy"]]
            if names[0] == names[1]:
                names = [f"{seat['policy']} with weights {seat['policy_hash'][:6]}" for seat in (one, other)]
            found.append((int(one["seat"]), names[0], names[1]))
    return found


def _other_differences(a: Run, b: Run) -> list[str]:
    words = {"players": "players", "seed": "seed", "rotate": "rotation", "code_hash": "code of abysssim"}
    found = [
        f"{word}: {a.manifest[key]}, then {b.manifest[key]}"
        for key, word in words.items()
        if a.manifest[key] != b.manifest[key]
    ]
    if a.manifest["expansions"] != b.manifest["expansions"]:
        played = [", ".join(run.manifest["expansions"]) or "none" for run in (a, b)]
        found.append(f"expansions: {played[0]}, then {played[1]}")
    if a.games != b.games:
        found.append(f"games: {a.games:,}, then {b.games:,}")
    return found


# --- Effects -------------------------------------------------------------------------------------------------------


def _estimates(run: Run) -> dict[tuple[str, str], Jackknife]:
    """Return every quantity that is compared, by (what it is of, its name)."""
    sums = run.sums
    seats = sums["seats"].sum(axis=1)
    policies = sums["seats"].sum(axis=2)
    everyone = policies.sum(axis=1)
    found = {("score", part): mean_of(everyone, part) for part in ("total", *PARTS)}
    for i, label in enumerate(run.labels):
        for name in ("win", "margin", "total"):
            found[f"policy {label}", _words(name)] = mean_of(policies[:, i], name)
    for seat in range(seats.shape[1]):
        for name in ("win", "margin"):
            found[f"seat {seat}", _words(name)] = mean_of(seats[:, seat], name)
    found |= _lengths_and_endings(sums)
    found |= {("behaviour", name): mean_of(everyone, name) for name in ("turns", "pearls", *COUNTS)}
    played = everyone[:, measure("games")]
    for kind, names in (("lords", LORD_MEASURES), ("locations", LOCATION_MEASURES)):
        place = names.index("took" if kind == "lords" else "held")
        cards = sums[kind].sum(axis=1)[..., place]
        for number, card in enumerate(run.manifest[kind]):
            if cards[:, number].any():
                found[f"{kind} (% of seats)", card] = ratio(cards[:, number], played, 0.01)
    return found


def _words(name: str) -> str:
    return "win share, %" if name == "win" else name


def _lengths_and_endings(sums: Sums) -> dict[tuple[str, str], Jackknife]:
    games = sums["games"][:, 0]
    found = {
        ("length", name): ratio(sums["games"][:, GAME_MEASURES.index(name)], games) for name in ("turns", "decisions")
    }
    for trigger in EndTrigger:
        count = sums["ends"][:, trigger, END_MEASURES.index("games")]
        if trigger != EndTrigger.NONE:
            found["ended by (% of games)", trigger.name.lower()] = ratio(count, games, 0.01)
    wins = sums["ends"].sum(axis=1)[:, END_MEASURES.index("ender_win")]
    found["length", "ender wins, %"] = ratio(wins, games, SHARE / 100)
    return found


def _effect(key: tuple[str, str], a: Jackknife, b: Jackknife, paired: bool) -> dict[str, Any]:
    change = difference(b, a) if paired else independent_difference(b, a)
    interval = pointwise(change)
    factor = float(variance_reduction(b, a)) if paired else np.nan
    return {
        "of": key[0],
        "name": key[1],
        "a": float(a.estimate),
        "b": float(b.estimate),
        "difference": float(change.estimate),
        "difference_low": float(interval.lower),
        "difference_high": float(interval.upper),
        "variance_reduction": factor,
    }


def _about(run: Run) -> dict[str, Any]:
    keys = ("rules_hash", "changes", "lineup_names", "players", "seed", "rotate")
    about = {"directory": str(run.path), "games": run.games}
    return about | {key: run.manifest[key] for key in keys}


# --- Text ----------------------------------------------------------------------------------------------------------


def as_text(found: Comparison) -> str:
    """Return the comparison for people, at most 80 columns wide."""
    lines = [f"a: {found.a.path}, {found.a.games:,} games", f"b: {found.b.path}, {found.b.games:,} games", ""]
    for key, was, now in found.rules:
        lines.append(f"rule {key}: {_value(was)}, then {_value(now)}")
    for seat, before, after in found.lineup:
        lines.append(f"seat {seat}: {before}, then {after}")
    lines += found.other
    if not (found.rules or found.lineup or found.other):
        lines.append("Rules, line-up and deals are the same.")
    if found.paired:
        lines.append("Both played the same deals: differences are paired.")
    else:
        lines.append("Not the same set of deals: differences are not paired, and less exact.")
    lines.append("Differences are b - a with 95 % intervals.")
    for of, part in found.effects.groupby("of", sort=False):
        lines += ["", _block(str(of), part)]
    return "\n".join(lines)


def _value(value: Any) -> str:
    return "as printed" if value is None else str(value)


def _block(of: str, part: pd.DataFrame) -> str:
    if of.startswith(("lords", "locations")) and len(part) > SHOWN_CARDS:
        largest = part["difference"].abs().sort_values(ascending=False, kind="stable").index[:SHOWN_CARDS]
        part = part.loc[largest]
        of += ", most changed"
    rows = []
    for row in part.to_dict("records"):
        change = with_error(row["difference"], row["difference_low"], row["difference_high"])
        factor = row["variance_reduction"]
        shown = "" if np.isnan(factor) else f"{factor:.1f}"
        rows.append([str(row["name"])[:22], f"{row['a']:.2f}", f"{row['b']:.2f}", change, shown])
    return table([of[:34], "a", "b", "difference", "variance / paired"], rows)
