"""The directory of a study that is run from the command line: may it be written to, and its manifest."""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from abysssim.errors import InputError

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.result import Result

R = TypeVar("R", bound="Result")

#: What a report says of where and how it was made.
OF_THE_REPORT = ("command", "started", "version", "machine", "packages")


def head_of(study: str) -> dict[str, Any]:
    """Return how the manifest of a study begins, played or computed."""
    from abysssim.store import RESULTS_FORMAT, RESULTS_VERSION, now, package_versions

    packages = package_versions()
    return {
        "format": RESULTS_FORMAT,
        "version_of_format": RESULTS_VERSION,
        "kind": "study",
        "study": study,
        "version": packages["abysssim"],
        "packages": packages,
        "command": shlex.join(["abysssim", *sys.argv[1:]]),
        "started": now(),
    }


def manifest_of(
    study: str, settings: Mapping[str, Any], rulebook: "Rulebook", identities: Sequence[str], jobs: int
) -> dict[str, Any]:
    """Return the manifest of a study that is about to be played; `identities` are of all that decides its sums."""
    from abysssim.store import code_hash, machine

    return {
        **head_of(study),
        "settings": dict(settings),
        "rules_hash": rulebook.rules_hash,
        "changes": dict(rulebook.changes),
        "expansions": list(rulebook.expansions),
        "code_hash": code_hash(),
        "identities": list(identities),
        "machine": machine(),
        "jobs": jobs,
    }


def in_directory(
    run: Callable[[Path | None], R],
    write: Callable[[Path, R], None],
    manifest: Mapping[str, Any],
    out: Path | None,
    *,
    resume: bool,
    may_grow: Sequence[str] = (),
) -> R:
    """Play a study; with `out`, keep its checkpoints there and write its results, the manifest last.

    Parameters
    ----------
    run : plays, with checkpoints in a directory or without
    write : writes all but the manifest to a directory
    may_grow : settings that may differ from those that a study was begun with

    Raises
    ------
    InputError
        If `out` holds something else, or results while `resume` is not set; nothing is written then.
    """
    from abysssim.store import begun, now, write_json

    if out is None:
        return run(None)
    check_directory(out, manifest, resume, may_grow)
    with begun(out, manifest):
        result = run(out)
        result.facts.update({key: manifest[key] for key in OF_THE_REPORT}, directory=str(out))
        write(out, result)
        write_json(out / "manifest.json", {**manifest, **result.facts, "finished": now()})
    return result


def check_directory(out: Path, manifest: Mapping[str, Any], resume: bool, may_grow: Sequence[str] = ()) -> None:
    """Raise InputError unless a study may be written to `out`; settings in `may_grow` may differ from before."""
    from abysssim.store import files_in, read_json

    present = files_in(out, resume, "study")
    if not present:
        return
    old = read_json(out / "manifest.json") if "manifest.json" in present else {}
    if not isinstance(old, dict) or old.get("study") != manifest["study"] or "identities" not in old:
        raise InputError(f"--out {out} holds no study {manifest['study']}, so --resume cannot go on")
    if old["identities"] == manifest["identities"]:
        return
    names = {"rules_hash": "the rules", "code_hash": "the version of abysssim's code"}
    differ = [words for key, words in names.items() if old.get(key) != manifest[key]]
    before = old.get("settings", {})
    differ += [key for key, value in manifest["settings"].items() if key not in may_grow and before.get(key) != value]
    what = " and ".join(differ) or "a policy's weights"
    raise InputError(f"--resume: {what} differs from what {out} was begun with; give the same, or choose another --out")
