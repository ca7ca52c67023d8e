"""What a study found: its tables, and the facts that a reader needs to judge and to repeat it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from abysssim.policies.presets import FOLDER, Policy
from abysssim.rules.rulebook import Rulebook
from abysssim.simulate import Batch
from abysssim.store import State, digest_of, identity_of


@dataclass(frozen=True, eq=False)
class Result:
    """What a study found: its tables by name, and facts about how they came about (JSON values)."""

    tables: dict[str, pd.DataFrame]
    facts: dict[str, Any]


def as_given(policy: Policy) -> str:
    """Return what `load_policy` finds a policy by: a preset's name, or the path of a file.

    A policy that a study made has a name alone.
    """
    return policy.source if policy.source and Path(policy.source).parent != FOLDER else policy.name


def line_up_facts(name: str, batch: Batch, state: State, **more: Any) -> dict[str, Any]:
    """Return the facts of one line-up that was played; `more` are those of one study, or stand in for some here."""
    rotations = len(batch.permutations)
    return {
        "name": name,
        "policies": [as_given(policy) for policy in batch.lineup],
        "policy_hashes": {policy.name: policy.policy_hash for policy in batch.policies},
        "deals": len(state.done),
        "games": len(state.done) * rotations,
        "rotations": rotations,
        **more,
        "seconds": round(state.seconds, 3),
        "digest": digest_of(state.sums),
    }


def shared_facts(rulebook: Rulebook, line_ups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that every study has: the rules, the line-ups, and what they add up to."""
    games = sum(one["games"] + one.get("replays", 0) for one in line_ups)
    seconds = sum(one["seconds"] for one in line_ups)
    return {
        "expansions": list(rulebook.expansions),
        "rules_hash": rulebook.rules_hash,
        "changes": dict(rulebook.changes),
        "line_ups": list(line_ups),
        "games": games,
        "seconds": round(seconds, 3),
        "games_per_second": round(games / seconds) if seconds > 0 else None,
        "digest": identity_of([one["digest"] for one in line_ups]),
    }
