"""``abysssim study``: answer a question about the game by experiment."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands import sacred_places, studying
from abysssim.commands.common import SEED, load_rules, print_json, rules_options
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.errors import nearest

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
        from abysssim.report.lord_values import answer

        studying.tell(answer(result.tables, result.facts), out)


def _line_up(text: str) -> Any:
    from abysssim.studies.lord_values import LineUp, line_up_name

    names = [name.strip() for name in text.split(",")]
    return LineUp(line_up_name(names), tuple(names))


def _study(settings: "Settings", rulebook: "Rulebook", jobs: int, out: Path | None, resume: bool) -> "Result":
    """Play the study; with `out`, write its directory."""
    from abysssim.studies import lord_values as study

    arms = study.arms_of(settings, rulebook)
    if out is None:
        return study.run(settings, rulebook, jobs=jobs, progress=studying.progress)
    identities = [arm.identity for arm in arms]
    manifest = studying.manifest_of(study.NAME, settings.as_table(), rulebook, identities, jobs)
    studying.check_directory(out, manifest, resume, may_grow=("games",))

    def write(result: "Result") -> None:
        from abysssim.report import lord_values as report

        result.facts.update(studying.facts_of_run(manifest, out))
        page, drawings = report.page(result.tables, result.facts), report.drawings(result.tables, result.facts)
        studying.write_study(out, manifest, result.tables, result.facts, page, drawings)

    return studying.in_directory(
        out,
        manifest,
        lambda: study.run(settings, rulebook, jobs=jobs, folder=out, progress=studying.progress),
        write,
    )
