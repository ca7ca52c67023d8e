"""Policies as data: presets that come with the package, and a user's own TOML files of weights.

A file names its `kind` (weighted, random or first), for a weighted one the preset it is `base`d on, an optional
`noise` (IP) and `[weights]`; what it does not name it inherits. Unknown names are refused with the nearest right one.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from abysssim.core import layout
from abysssim.errors import InputError, nearest
from abysssim.policies.weights import MEANINGS, NAMES, SCALE
from abysssim.vocabulary import PolicyKind

FOLDER = Path(__file__).resolve().parent
FALLBACK = "balanced"
# The largest weight or noise, in IP: far above any that makes sense, and low enough for the planner of payments, which
# ranks products of two weights, points and Pearls inside 64 bits (with up to a hundred Pearls).
MOST = 10_000.0
KEYS = ("title", "about", "kind", "base", "noise", "weights")
MAX_DEPTH = 8  # of policies based on policies


@dataclass(frozen=True)
class Policy:
    """A policy as data: its name, kind, noise (IP) and every weight by name (IP or as the weight's meaning says)."""

    name: str
    kind: PolicyKind
    noise: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    title: str = ""
    about: str = ""
    source: str = ""

    @property
    def policy_hash(self) -> str:
        """A hash of what decides: kind, noise and weights as the kernel gets them; not the name."""
        digest = blake2b(digest_size=8)
        digest.update(
            repr((int(self.kind), fixed(self.noise), [fixed(self.weights.get(n, 0.0)) for n in NAMES])).encode()
        )
        return digest.hexdigest()


def fixed(value: float) -> int:
    """Return a weight as the kernel's fixed-point integer."""
    return round(value * SCALE)


def preset_names() -> list[str]:
    """Return the names of the presets that come with the package, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_policy(name: str | Path) -> Policy:
    """Return the policy of a preset's name or of a TOML file's path.

    Raises
    ------
    InputError
        If there is no such preset or file, or the file is not a right policy.
    """
    return _load(str(name), 0)


def _load(name: str, depth: int) -> Policy:
    if depth > MAX_DEPTH:
        raise InputError(f"policy '{name}': policies are based on each other in a circle or more than {MAX_DEPTH} deep")
    path = _path_of(name)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"policy '{name}': the file cannot be read as TOML ({error})") from error
    return _policy(data, path, depth)


def _path_of(name: str) -> Path:
    if not name.endswith(".toml") and "/" not in name:
        path = FOLDER / f"{name}.toml"
        if path.is_file():
            return path
        names = preset_names()
        raise InputError(
            f"policy '{name}' is not known; there are {', '.join(names)}, or the path of a TOML file"
            + nearest(name, names)
        )
    path = Path(name)
    if not path.is_file():
        raise InputError(f"policy '{name}': there is no such file")
    return path


def _policy(data: dict[str, Any], path: Path, depth: int) -> Policy:
    for key in data:
        if key not in KEYS:
            raise InputError(
                f"policy '{path.stem}': key '{key}' is not known; there are {', '.join(KEYS)}{nearest(key, KEYS)}"
            )
    kind = _kind(data.get("kind", "weighted"), path)
    noise = _number(data.get("noise", 0.0), "noise", path, least=0.0)
    texts = {key: data.get(key, "") for key in ("title", "about")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"policy '{path.stem}': {key} must be text, not {text!r}")
    weights: dict[str, float] = {}
    if kind == PolicyKind.WEIGHTED:
        weights = _weights(data, path, depth)
    elif "weights" in data or "base" in data or noise:
        raise InputError(f"policy '{path.stem}': kind '{kind.name.lower()}' has no weights, base or noise")
    return Policy(path.stem, kind, noise, weights, source=str(path), **texts)


def _kind(value: object, path: Path) -> PolicyKind:
    names = [kind.name.lower() for kind in PolicyKind]
    if not isinstance(value, str) or value not in names:
        hint = nearest(str(value), names)
        raise InputError(f"policy '{path.stem}': kind {value!r} is not known; it is one of {', '.join(names)}{hint}")
    return PolicyKind[value.upper()]


def _weights(data: dict[str, Any], path: Path, depth: int) -> dict[str, float]:
    given = data.get("weights", {})
    if not isinstance(given, dict):
        raise InputError(f"policy '{path.stem}': weights must be a table of names and numbers, not {given!r}")
    for name in given:
        if name not in MEANINGS:
            raise InputError(f"policy '{path.stem}': weight '{name}' is not known{nearest(name, NAMES)}")
    weights = _inherited(data, path, depth, given)
    for name, value in given.items():
        weights[name] = _number(value, f"weight '{name}'", path)
    return weights


def _inherited(data: dict[str, Any], path: Path, depth: int, given: Mapping[str, object]) -> dict[str, float]:
    base = data.get("base")
    if base is None and path == FOLDER / f"{FALLBACK}.toml":
        missing = [name for name in NAMES if name not in given]
        if missing:
            raise InputError(f"policy '{FALLBACK}': weight '{missing[0]}' is missing; others inherit from it")
        return {}
    if base is None:
        base = FALLBACK
    if not isinstance(base, str):
        raise InputError(f"policy '{path.stem}': base must be the name of a preset or a path, not {base!r}")
    parent = _load(base if "/" not in base and not base.endswith(".toml") else str(path.parent / base), depth + 1)
    if parent.kind != PolicyKind.WEIGHTED:
        raise InputError(f"policy '{path.stem}': base '{base}' has no weights to inherit")
    return dict(parent.weights)


def _number(value: object, what: str, path: Path, least: float = -MOST) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= MOST:
        raise InputError(f"policy '{path.stem}': {what} must be a number from {least:g} to {MOST:g}, not {value!r}")
    return float(value)


def policy_records(policies: Sequence[Policy]) -> Any:
    """Return the policies as POLICY records for the kernel, shape (len(policies),)."""
    records = layout.new(layout.POLICY, len(policies))
    for record, policy in zip(records, policies, strict=True):
        record.kind = int(policy.kind)
        record.noise = fixed(policy.noise)
        for index, name in enumerate(NAMES):
            record.weights[index] = fixed(policy.weights.get(name, 0.0))
    return records
