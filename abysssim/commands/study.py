"""``abysssim study``: answer a question about the game by experiment."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands import nebulis, sacred_places
from abysssim.commands.common import load_rules, print_json, rules_options
from abysssim.commands.directory import in_directory, manifest_of, progress_of, study_options, tell
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.errors import nearest

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.common import Result
    from abysssim.studies.lord_values import Settings


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


command.add_command(nebulis.command)
command.add_command(sacred_places.command)


@command.command("lord-values")
@study_options("Games for each line-up.  [default: 200000]")
@click.option(
    "--policies",
    "line_ups",
    multiple=True,
    metavar="NAME,...",
    help="A line-up: a policy for each seat, or one for all. Repeat for several line-ups.",
)
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
    from abysssim.studies import lord_values as study

    def progress(name: str, blocks: int, done: int, turns: int) -> Any:
        return progress_of(f"{name}: {blocks * turns:,} games, and their replays", blocks, done, turns)

    arms = study.arms_of(settings, rulebook)
    return in_directory(
        lambda folder: study.run(settings, rulebook, jobs=jobs, folder=folder, progress=progress),
        _write,
        lambda: manifest_of(study.NAME, settings.as_table(), rulebook, [arm.identity for arm in arms], jobs),
        out,
        resume,
    )


def _write(out: Path, result: "Result") -> None:
    """Write the report and its parts."""
    from abysssim.report import figures, lord_values
    from abysssim.report.results import write_results

    drawings = [(drawing, figures.WIDE) for drawing in lord_values.drawings(result.tables, result.facts)]
    page = lord_values.page(result.tables, result.facts)
    write_results(out, result.tables, result.facts, page, drawings)


def _tell(result: "Result", out: Path | None) -> None:
    """Print the answer, and where the report is."""
    from abysssim.report.lord_values import answer

    tell(answer(result.tables, result.facts), out)
