"""What the studies share: reading settings, playing deals to a checkpoint, merging sums, and what a result is."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from abysssim.errors import InputError, nearest
from abysssim.simulate import Chunk, Piece, Progress, run_chunks
from abysssim.store import Checkpoint, State, Sums, add_sums, code_hash
from abysssim.studies.health import NOTES, foremost

S = TypeVar("S")

MAX_GAMES = 1_000_000_000
#: Makes what is told of the deals played, from what is played, the number of deals, that of those played before, and
#: the games of a deal.
MakeProgress = Callable[[str, int, int, int], Progress]


@dataclass(frozen=True, eq=False)
class Result:
    """What a study found: its tables by name, and facts about how they came about (JSON values)."""

    tables: dict[str, pd.DataFrame]
    facts: dict[str, Any]


# --- Settings ------------------------------------------------------------------------------------------------------


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a settings file in TOML; InputError if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"the settings {path} cannot be read as TOML: {error}") from None


def check_known(table: Mapping[str, Any], names: Sequence[str], where: str, prefix: str = "") -> None:
    """Raise InputError, with the nearest name, for a key of a table of settings that does not exist."""
    for key in table:
        if key not in names:
            there_are = f"there are {', '.join(names)}{nearest(key, names)}"
            raise InputError(f"{where}: there is no setting '{prefix}{key}'; {there_are}")


def counts_of(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return those of players, games and seed that a table of settings names; InputError for a wrong value."""
    limits = {"players": (2, 5), "games": (1, MAX_GAMES), "seed": (0, 2**64 - 1)}
    return {key: whole(data[key], key, *ends, where) for key, ends in limits.items() if key in data}


def table_of(value: Any, key: str, where: str) -> dict[str, Any]:
    """Return a setting that must be a table; InputError if it is none."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {key} must be a table, not {value!r}")
    return value


def whole(value: Any, key: str, least: int, most: int, where: str) -> int:
    """Return a setting that must be a whole number in a range; InputError if it is not."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{where}: {key} must be a whole number from {least} to {most}, not {value!r}")
    return value


def positive(value: Any, key: str, where: str) -> float:
    """Return a setting that must be a number above 0, at most 100; InputError if it is not."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:
        raise InputError(f"{where}: {key} must be a number above 0 and at most 100, not {value!r}")
    return float(value)


# --- Play ----------------------------------------------------------------------------------------------------------


@cache
def running_code() -> str:
    """Return the hash of the sources as they were when first asked for: later edits are not what is running."""
    return code_hash()


def merge(total: Sums, part: Sums) -> None:
    """Add sums; of the lists of notable games the foremost stay."""
    for kind in NOTES:
        both = np.concatenate([total.get(kind, part[kind][:0]), part[kind]])
        total[kind] = foremost(both[both[:, 0] > 0], kind)
    add_sums(total, {name: values for name, values in part.items() if name not in NOTES})


def play_deals(
    play: Callable[[Chunk, S], Piece],
    scratch: Callable[[], S],
    deals: int,
    *,
    name: str,
    turns: int,
    chunk_deals: int,
    jobs: int,
    checkpoint: Checkpoint | None,
    progress: MakeProgress | None,
) -> State:
    """Play what is missing of deals 0 to `deals` - 1; what was begun beyond is finished, so that none is left out.

    play, scratch : as `worker` and `make_scratch` of simulate.run_chunks
    name, turns : what is played, and games of a deal, for `progress`
    chunk_deals : deals a call of `play`
    """
    state = checkpoint.load() if checkpoint else State()
    if state.done.ranges:
        deals = max(deals, state.done.ranges[-1][1])
    if len(state.done) == deals:
        return state
    return run_chunks(
        play,
        scratch,
        deals,
        chunk_blocks=chunk_deals,
        jobs=jobs,
        checkpoint=checkpoint,
        progress=progress(name, deals, len(state.done), turns) if progress else None,
        merge=merge,
    )
