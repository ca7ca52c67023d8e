"""Reading the settings of a study from TOML: what all studies check, each error one sentence that names the key.

`where` is what a sentence begins with: the file that holds the settings. All functions raise InputError.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from abysssim.errors import InputError, nearest

T = TypeVar("T")

MAX_GAMES = 1_000_000_000


def read_settings(path: Path, settings_from: Callable[[Mapping[str, Any], str], T]) -> T:
    """Return the settings of a TOML file; what it leaves out is as a study has it by default.

    settings_from : the study's own: makes settings of a table, and of what a sentence begins with
    """
    return settings_from(read_table(path), str(path))


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"the settings {path} cannot be read as TOML: {error}") from None


def check_known(table: Mapping[str, Any], names: Sequence[str], where: str, prefix: str = "") -> None:
    """Refuse a key that is not one of `names`, with the nearest; `prefix` is what comes before it in the file."""
    for key in table:
        if key not in names:
            there_are = f"there are {', '.join(names)}{nearest(key, names)}"
            raise InputError(f"{where}: there is no setting '{prefix}{key}'; {there_are}")


def as_table(value: Any, key: str, where: str) -> dict[str, Any]:
    """Return a value that must be a table."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {key} must be a table, not {value!r}")
    return value


def as_whole(value: Any, key: str, least: int, most: int, where: str) -> int:
    """Return a value that must be a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{where}: {key} must be a whole number from {least} to {most}, not {value!r}")
    return value


def as_positive(value: Any, key: str, where: str) -> float:
    """Return a value that must be a number above 0 and at most 100."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:
        raise InputError(f"{where}: {key} must be a number above 0 and at most 100, not {value!r}")
    return float(value)


def as_name(value: Any, key: str, where: str) -> str:
    """Return a value that must be text, and not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {key} must be text, not {value!r}")
    return value


def counts_of(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return those of players, games and seed that a table of settings names."""
    limits = {"players": (2, 5), "games": (1, MAX_GAMES), "seed": (0, 2**64 - 1)}
    return {key: as_whole(data[key], key, *ends, where) for key, ends in limits.items() if key in data}
