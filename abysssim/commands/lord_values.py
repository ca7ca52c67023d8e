"""``abysssim study lord-values``: what a Lord is worth to the seat that takes it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands.common import load_rules, rules_options
from abysssim.commands.directory import in_directory, manifest_of
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.commands.studying import print_tables, progress_of, study_options, tell, with_options

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
def command(
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
    settings = with_options(settings, players=players, games=games, seed=seed)
    if line_ups:
        settings = replace(settings, line_ups=tuple(_line_up(text) for text in line_ups))
    with says_how_to_resume(out):
        result = _study(settings, rulebook, jobs, out, resume)
    if as_json:
        print_tables(result)
    else:
        from abysssim.report.lord_values import answer

        tell(answer(result.tables, result.facts), out)


def _line_up(text: str) -> Any:
    from abysssim.studies.lord_values import LineUp, line_up_name

    names = [name.strip() for name in text.split(",")]
    return LineUp(line_up_name(names), tuple(names))


def _study(settings: "Settings", rulebook: "Rulebook", jobs: int, out: Path | None, resume: bool) -> "Result":
    """Play the study; with `out`, write its directory."""
    from abysssim.studies import lord_values as study

    progress = progress_of(", and their replays")
    identities = [arm.identity for arm in study.arms_of(settings, rulebook)]
    return in_directory(
        lambda folder: study.run(settings, rulebook, jobs=jobs, folder=folder, progress=progress),
        _write,
        manifest_of(study.NAME, settings.as_table(), rulebook, identities, jobs),
        out,
        resume=resume,
        may_grow=("games",),
    )


def _write(out: Path, result: "Result") -> None:
    """Write the report and its parts."""
    from abysssim.report.lord_values import page
    from abysssim.report.results import write_results

    write_results(out, result, page(result.tables, result.facts))
