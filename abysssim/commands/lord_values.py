"""``abysssim study lord-values``: what a Lord is worth to the seat that takes it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands.common import rules_options
from abysssim.commands.directory import in_directory, manifest_of
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.commands.studying import Asked, progress_of, study_options, tell

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.lord_values import Settings
    from abysssim.studies.result import Result


@click.command("lord-values")
@study_options("Games for each line-up.  [default: 200000]")
@click.option(
    "--policies",
    "line_ups",
    multiple=True,
    metavar="NAME,...",
    help="A line-up: a policy for each seat, or one for all. Repeat for several line-ups.",
)
@rules_options
def command(asked: Asked, line_ups: tuple[str, ...]) -> None:
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

    check_jobs(asked.jobs)
    rulebook = asked.rulebook()
    settings = asked.settings(
        study.settings_from, line_ups=tuple(_line_up(text) for text in line_ups) if line_ups else None
    )
    with says_how_to_resume(asked.out):
        result = _study(asked, settings, rulebook)
    from abysssim.report.lord_values import answer

    tell(asked, result, answer)


def _line_up(text: str) -> Any:
    from abysssim.studies.lord_values import LineUp, line_up_name

    names = [name.strip() for name in text.split(",")]
    return LineUp(line_up_name(names), tuple(names))


def _study(asked: Asked, settings: "Settings", rulebook: "Rulebook") -> "Result":
    """Play the study; with a directory to write to, write it."""
    from abysssim.studies import lord_values as study

    progress = progress_of(", and their replays")
    identities = [arm.identity for arm in study.arms_of(settings, rulebook)]
    return in_directory(
        lambda folder: study.run(settings, rulebook, jobs=asked.jobs, folder=folder, progress=progress),
        _write,
        manifest_of(study.NAME, settings.as_table(), rulebook, identities, asked.jobs),
        asked.out,
        resume=asked.resume,
        may_grow=("games",),
    )


def _write(out: Path, result: "Result") -> None:
    """Write the report and its parts."""
    from abysssim.report.lord_values import page
    from abysssim.report.results import write_results

    write_results(out, result, page(result.tables, result.facts))
