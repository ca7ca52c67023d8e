"""``abysssim study``: answer a question about the game by experiment."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands import sacred_places
from abysssim.commands.common import SEED, load_rules, now, print_json, rules_options
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.errors import InputError, nearest

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.lord_values import Result, Settings


class Studies(click.Group):
    """The group of studies; an unknown one is answered with the nearest name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest study where there is none of that name."""
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            known = list(self.commands)
            ctx.fail(f"no study '{name}'; there are {', '.join(known)}{nearest(name, known)}")
        return super().resolve_command(ctx, args)


@click.group(cls=Studies)
def command() -> None:
    """Answer a question about the game by experiment."""


command.add_command(sacred_places.command)


@command.command("lord-values")
@click.argument("settings_file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--players", type=int, help="Number of players.  [default: 4]")
@click.option(
    "--policies",
    "line_ups",
    multiple=True,
    metavar="NAME,...",
    help="A line-up: a policy for each seat, or one for all. Repeat for several line-ups.",
)
@click.option("--games", type=click.IntRange(1, 10**9), help="Games for each line-up.  [default: 200000]")
@click.option("--seed", type=SEED, help="Seed of all deals, below 2**64.  [default: 1]")
@click.option("--jobs", type=int, default=-1, show_default=True, help="Workers; -1 is one for each core.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write results to this new directory.")
@click.option("--resume", is_flag=True, help="Continue the study in --out, or play more games for it.")
@click.option("--json", "as_json", is_flag=True, help="Print the tables of the report as JSON.")
@rules_options
def lord_values(
    settings_file: Path | None,
    players: int | None,
    line_ups: tuple[str, ...],
    games: int | None,
    seed: int | None,
    jobs: int,
    out: Path | None,
    resume: bool,
    as_json: bool,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
) -> None:
    """What is a Lord worth to the seat that takes it?

    Games are played with and without each take, on the same deals. FILE is a settings file in TOML (see
    analyses/lord_values.toml); options come after it. Ctrl-C keeps what was played: the same command with --resume
    goes on.

    \b
    Examples:
      abysssim study lord-values --out results/lords
      abysssim study lord-values analyses/lord_values.toml --jobs 8
      abysssim study lord-values --players 2 --policies balanced \\
        --set lords.illusionist.cost=9 --json
    """
    from abysssim.commands.run import check_jobs
    from abysssim.studies import lord_values as study

    check_jobs(jobs)
    rulebook = load_rules(sets, rules_files, expansions)
    settings = study.read_settings(settings_file) if settings_file else study.Settings()
    given: dict[str, Any] = {"players": players, "games": games, "seed": seed}
    settings = replace(settings, **{key: value for key, value in given.items() if value is not None})
    if line_ups:
        settings = replace(settings, line_ups=tuple(_line_up(text) for text in line_ups))
    with says_how_to_resume(out):
        result = _study(settings, rulebook, jobs, out, resume)
    if as_json:
        from abysssim.report.results import tables_as_json

        print_json(tables_as_json(result.tables))
    else:
        _tell(result, out)


def _line_up(text: str) -> Any:
    from abysssim.studies.lord_values import LineUp, line_up_name

    names = [name.strip() for name in text.split(",")]
    return LineUp(line_up_name(names), tuple(names))


def _study(settings: "Settings", rulebook: "Rulebook", jobs: int, out: Path | None, resume: bool) -> "Result":
    """Play the study; with `out`, write its directory."""
    from abysssim.run import progress_on
    from abysssim.store import locked, remove_leftovers, write_json
    from abysssim.studies import lord_values as study

    def progress(name: str, blocks: int, done: int, turns: int) -> Any:
        click.echo(f"{name}: {blocks * turns:,} games, and their replays", err=True)
        return progress_on(sys.stderr, blocks, done, turns)

    arms = study.arms_of(settings, rulebook)
    if out is None:
        return study.run(settings, rulebook, jobs=jobs, progress=progress)
    manifest = _manifest(settings, arms, jobs)
    _check_directory(out, manifest, resume)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        remove_leftovers(out)
        if not (out / "manifest.json").exists():
            write_json(out / "manifest.json", manifest)
        result = study.run(settings, rulebook, jobs=jobs, folder=out, progress=progress)
        result.facts.update({key: manifest[key] for key in ("command", "started", "version", "machine", "packages")})
        result.facts["directory"] = str(out)
        _write(out, result, manifest)
    return result


def _write(out: Path, result: "Result", manifest: dict[str, Any]) -> None:
    """Write the report and its parts; the manifest last, as it says what is there."""
    from abysssim.report import figures, lord_values
    from abysssim.report.results import write_results
    from abysssim.store import write_json

    drawings = [(drawing, figures.WIDE) for drawing in lord_values.drawings(result.tables, result.facts)]
    page = lord_values.page(result.tables, result.facts)
    write_results(out, result.tables, result.facts, page, drawings)
    write_json(out / "manifest.json", {**manifest, **result.facts, "finished": now()})


def _manifest(settings: "Settings", arms: list[Any], jobs: int) -> dict[str, Any]:
    """Return the manifest of a study that is about to begin."""
    from abysssim.store import code_hash, machine, package_versions
    from abysssim.studies import lord_values as study

    return {
        "format": "abysssim-results",
        "version_of_format": 1,
        "kind": "study",
        "study": study.NAME,
        "settings": settings.as_table(),
        "rules_hash": arms[0].batch.rulebook.rules_hash,
        "changes": dict(arms[0].batch.rulebook.changes),
        "expansions": list(arms[0].batch.rulebook.expansions),
        "code_hash": code_hash(),
        "identities": [arm.identity for arm in arms],
        "version": package_versions()["abysssim"],
        "packages": package_versions(),
        "machine": machine(),
        "jobs": jobs,
        "command": shlex.join(["abysssim", *sys.argv[1:]]),
        "started": now(),
    }


def _check_directory(out: Path, manifest: dict[str, Any], resume: bool) -> None:
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


def _tell(result: "Result", out: Path | None) -> None:
    """Print the answer, and where the report is."""
    from abysssim.report.lord_values import answer

    for paragraph in answer(result.tables, result.facts):
        click.echo(click.wrap_text(paragraph, 80))
        click.echo()
    if out:
        click.echo(f"The report is {out / 'report.html'}.")
    else:
        click.echo("Add --out DIR for the report, its figures and its tables.")
