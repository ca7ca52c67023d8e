"""``abysssim study nebulis``: what the two penalties of the Kraken expansion do."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abysssim.commands.common import rules_options
from abysssim.commands.directory import in_directory, manifest_of
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.commands.studying import Asked, progress_of, study_options, tell

if TYPE_CHECKING:
    from abysssim.studies.nebulis import Plan
    from abysssim.studies.result import Result


@click.command("nebulis")
@study_options("Games for each pair of penalties and line-up.  [default: 28000]")
@click.option("--generations", type=click.IntRange(0, 10**4), help="Of each tuning; 0 for none.  [default: 24]")
@rules_options
def command(asked: Asked, generations: int | None) -> None:
    """What do the penalties for Nebulis and for the Kraken figure do?

    Pairs of penalties are tried on the same deals: games scored again, games played by policies that see the penalties,
    and games of policies tuned for them. FILE is a settings file in TOML (see analyses/nebulis.toml); options come
    after it. The Kraken expansion is always played. Ctrl-C keeps what was played: the same command with --resume goes
    on.

    \b
    Examples:
      abysssim study nebulis --out results/nebulis
      abysssim study nebulis analyses/nebulis.toml --players 2 --jobs 8
      abysssim study nebulis --games 4000 --generations 0 --json
    """
    from abysssim.commands.run import check_jobs
    from abysssim.studies import nebulis as study

    check_jobs(asked.jobs)
    rulebook = asked.rulebook(study.EXPANSION)
    settings = asked.settings(study.settings_from)
    if generations is not None:
        settings = replace(settings, budget=replace(settings.budget, generations=generations))
    with says_how_to_resume(asked.out):
        result = _study(asked, study.plan_of(settings, rulebook))
    from abysssim.report.nebulis import answer

    tell(asked, result, answer)


def _study(asked: Asked, plan: "Plan") -> "Result":
    """Play the study; with a directory to write to, write it."""
    from abysssim.studies import nebulis as study

    own = plan.grid.rulebooks[plan.grid.own]
    return in_directory(
        lambda folder: study.run(plan, jobs=asked.jobs, folder=folder, progress=progress_of()),
        _write,
        manifest_of(study.NAME, plan.settings.as_table(), own, plan.identities, asked.jobs),
        asked.out,
        resume=asked.resume,
        may_grow=("games",),
    )


def _write(out: Path, result: "Result") -> None:
    """Write the report and its parts."""
    from abysssim.report.nebulis import page
    from abysssim.report.results import write_results

    write_results(out, result, page(result.tables, result.facts))
