"""How a study that plays games is run from the command line: its directory, its manifest, its progress, its last
words."""

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abysssim.commands.common import SEED, now
from abysssim.errors import InputError

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.common import Result

F = TypeVar("F", bound=Callable[..., Any])


def study_options(games: str) -> Callable[[F], F]:
    """Add the options of a study that plays games; `games` is the help of ``--games``."""
    options = (
        click.argument("settings_file", metavar="[FILE]", required=False, type=click.Path(path_type=Path)),
        click.option("--players", type=int, help="Number of players.  [default: 4]"),
        click.option("--games", type=click.IntRange(1, 10**9), help=games),
        click.option("--seed", type=SEED, help="Seed of all deals, below 2**64.  [default: 1]"),
        click.option("--jobs", type=int, default=-1, show_default=True, help="Workers; -1 is one for each core."),
        click.option(
            "--out", type=click.Path(path_type=Path), metavar="DIR", help="Write results to this new directory."
        ),
        click.option("--resume", is_flag=True, help="Continue the study in --out, or play more games for it."),
        click.option("--json", "as_json", is_flag=True, help="Print the tables of the report as JSON."),
    )

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def progress_of(text: str, blocks: int, done: int, turns: int) -> Any:
    """Say what is played on standard error, and return what is told of the blocks played."""
    from abysssim.run import progress_on

    click.echo(text, err=True)
    return progress_on(sys.stderr, blocks, done, turns)


def manifest_of(
    name: str, settings: dict[str, Any], rulebook: "Rulebook", identities: Sequence[str], jobs: int
) -> dict[str, Any]:
    """Return the manifest of a study that is about to begin.

    identities : hashes of all that decides what is played, the number of games left out
    """
    from abysssim.store import code_hash, machine, package_versions

    return {
        "format": "abysssim-results",
        "version_of_format": 1,
        "kind": "study",
        "study": name,
        "settings": settings,
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


def in_directory(
    run: Callable[[Path | None], "Result"],
    write: Callable[[Path, "Result"], None],
    make_manifest: Callable[[], dict[str, Any]],
    out: Path | None,
    resume: bool,
) -> "Result":
    """Run a study; with `out`, keep its checkpoints there and write its results, the manifest last.

    Raises
    ------
    InputError
        If `out` holds something else, or results while `resume` is not set; nothing is written then.
    """
    from abysssim.store import locked, remove_leftovers, write_json

    if out is None:
        return run(None)
    manifest = make_manifest()
    check_directory(out, manifest, resume)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        remove_leftovers(out)
        if not (out / "manifest.json").exists():
            write_json(out / "manifest.json", manifest)
        result = run(out)
        result.facts.update({key: manifest[key] for key in ("command", "started", "version", "machine", "packages")})
        result.facts["directory"] = str(out)
        write(out, result)
        write_json(out / "manifest.json", {**manifest, **result.facts, "finished": now()})
    return result


def check_directory(out: Path, manifest: dict[str, Any], resume: bool) -> None:
    """Raise InputError unless this study may be written to `out`."""
    from abysssim.store import read_json

    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; it must be a directory, or new")
    present = [path.name for path in out.iterdir() if not path.name.startswith(".tmp-")] if out.exists() else []
    if not present:
        return
    if not resume:
        raise InputError(f"--out {out} is not empty; choose another directory, or add --resume to continue its study")
    old = read_json(out / "manifest.json") if "manifest.json" in present else {}
    if not isinstance(old, dict) or old.get("study") != manifest["study"]:
        raise InputError(f"--out {out} holds no study {manifest['study']}, so --resume cannot go on")
    if old.get("identities") == manifest["identities"]:
        return
    names = {"rules_hash": "the rules", "code_hash": "the version of abysssim's code"}
    differ = [words for key, words in names.items() if old.get(key) != manifest[key]]
    before = old.get("settings", {})
    differ += [key for key, value in manifest["settings"].items() if key != "games" and before.get(key) != value]
    what = " and ".join(differ) or "a policy's weights"
    raise InputError(f"--resume: {what} differs from what {out} was begun with; give the same, or choose another --out")


def tell(paragraphs: Sequence[str], out: Path | None) -> None:
    """Print the answer, and where the report is."""
    for paragraph in paragraphs:
        click.echo(click.wrap_text(paragraph, 80))
        click.echo()
    if out:
        click.echo(f"The report is {out / 'report.html'}.")
    else:
        click.echo("Add --out DIR for the report, its figures and its tables.")
