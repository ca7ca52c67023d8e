"""What commands of studies share: the directory of results, its manifest, progress, and going on with a study."""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abysssim.commands.common import now
from abysssim.errors import InputError

if TYPE_CHECKING:
    from abysssim.report.page import Page
    from abysssim.report.style import Drawing
    from abysssim.rules.rulebook import Rulebook

R = TypeVar("R")


def progress(name: str, blocks: int, done: int, turns: int) -> Any:
    """Say which part of a study begins, and return what is told of its deals; all on standard error."""
    from abysssim.run import progress_on

    click.echo(f"{name}: {blocks * turns:,} games, and their replays", err=True)
    return progress_on(sys.stderr, blocks, done, turns)


def manifest_of(
    study: str, settings: Mapping[str, Any], rulebook: "Rulebook", identities: Sequence[str], jobs: int
) -> dict[str, Any]:
    """Return the manifest of a study that is about to begin; `identities` are of all that decides its sums."""
    from abysssim.store import code_hash, machine, package_versions

    return {
        "format": "abysssim-results",
        "version_of_format": 1,
        "kind": "study",
        "study": study,
        "settings": dict(settings),
        "rules_hash": rulebook.rules_hash,
        "changes": dict(rulebook.changes),
        "expansions": list(rulebook.expansions),
        "code_hash": code_hash(),
        "identities": list(identities),
        "version": package_versions()["abysssim"],
        "packages": package_versions(),
        "machine": machine(),
        "jobs": jobs,
        "command": shlex.join(["abysssim", *sys.argv[1:]]),
        "started": now(),
    }


def check_directory(out: Path, manifest: Mapping[str, Any], resume: bool, may_grow: Sequence[str] = ()) -> None:
    """Raise InputError unless a study may be written to `out`; settings in `may_grow` may differ from before."""
    from abysssim.store import read_json

    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; it must be a directory, or new")
    present = [path.name for path in out.iterdir() if not path.name.startswith(".tmp-")] if out.exists() else []
    if not present:
        return
    if not resume:
        raise InputError(f"--out {out} is not empty; choose another directory, or add --resume to continue its study")
    old = read_json(out / "manifest.json") if "manifest.json" in present else {}
    if not isinstance(old, dict) or old.get("study") != manifest["study"] or "identities" not in old:
        raise InputError(f"--out {out} holds no study {manifest['study']}, so --resume cannot go on")
    if old.get("identities") == manifest["identities"]:
        return
    names = {"rules_hash": "the rules", "code_hash": "the version of abysssim's code"}
    differ = [words for key, words in names.items() if old.get(key) != manifest[key]]
    before = old.get("settings", {})
    differ += [key for key, value in manifest["settings"].items() if key not in may_grow and before.get(key) != value]
    what = " and ".join(differ) or "a policy's weights"
    raise InputError(f"--resume: {what} differs from what {out} was begun with; give the same, or choose another --out")


def in_directory(
    out: Path, manifest: Mapping[str, Any], play: Callable[[], R], write: Callable[[R], None]
) -> R:
    """Play a study with `out` held for it alone, and write what it found; the manifest is there from the start."""
    from abysssim.store import locked, remove_leftovers, write_json

    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        remove_leftovers(out)
        if not (out / "manifest.json").exists():
            write_json(out / "manifest.json", manifest)
        result = play()
        write(result)
    return result


def facts_of_run(manifest: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Return what a report says of where and how it was made."""
    kept = ("command", "started", "version", "machine", "packages")
    return {key: manifest[key] for key in kept} | {"directory": str(out)}


def write_study(
    out: Path,
    manifest: Mapping[str, Any],
    tables: Mapping[str, Any],
    facts: Mapping[str, Any],
    page: "Page",
    drawings: "Sequence[Drawing]",
) -> None:
    """Write the report and its parts; the manifest last, as it says what is there."""
    from abysssim.report.figures import WIDE
    from abysssim.report.results import write_results
    from abysssim.store import write_json

    write_results(out, tables, facts, page, [(drawing, WIDE) for drawing in drawings])
    write_json(out / "manifest.json", {**manifest, **facts, "finished": now()})


def tell(paragraphs: Sequence[str], out: Path | None) -> None:
    """Print the answer, and where the report is."""
    for paragraph in paragraphs:
        click.echo(click.wrap_text(paragraph, 80))
        click.echo()
    if out:
        click.echo(f"The report is {out / 'report.html'}.")
    else:
        click.echo("Add --out DIR for the report, its figures and its tables.")
