"""How a study that plays games is asked for on the command line, and how it answers there."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abysssim.commands.common import SEED, load_rules, print_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.playing import MakeProgress
    from abysssim.studies.result import Result

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound="DataclassInstance")

GROWS = "Continue the study in --out, or play more games for it."
GOES_ON = "Continue the study in --out."


# --- What is asked -------------------------------------------------------------------------------------------------


def study_options(games: str, resume: str = GROWS) -> Callable[[F], F]:
    """Add the options of a study that plays games; `games` and `resume` are the help of those."""
    options = (
        click.argument("settings_file", metavar="[FILE]", required=False, type=click.Path(path_type=Path)),
        click.option("--players", type=int, help="Number of players.  [default: 4]"),
        click.option("--games", type=click.IntRange(1, 10**9), help=games),
        click.option("--seed", type=SEED, help="Seed of all deals, below 2**64.  [default: 1]"),
        click.option("--jobs", type=int, default=-1, show_default=True, help="Workers; -1 is one for each core."),
        click.option(
            "--out", type=click.Path(path_type=Path), metavar="DIR", help="Write a report to this new directory."
        ),
        click.option("--resume", is_flag=True, help=resume),
        click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON."),
    )

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def with_options(settings: T, **given: Any) -> T:
    """Return settings (a dataclass) with the options that were given in the place of what a file says."""
    wanted: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return replace(settings, **wanted)


def load_rules_with(
    expansion: str, sets: tuple[str, ...], rules_files: tuple[Path, ...], expansions: tuple[str, ...]
) -> "Rulebook":
    """Return the rulebook that options describe, with an expansion that the study is about in any case."""
    return load_rules(sets, rules_files, tuple(dict.fromkeys((*expansions, expansion))))


# --- What is answered ----------------------------------------------------------------------------------------------


def progress_of(more: str = "") -> "MakeProgress":
    """Return what says which part of a study begins and tells of its deals, on standard error.

    more : what to say of games that are not counted
    """

    def make(name: str, deals: int, done: int, turns: int) -> Any:
        from abysssim.run import progress_on

        click.echo(f"{name}: {deals * turns:,} games{more}", err=True)
        return progress_on(sys.stderr, deals, done, turns)

    return make


def print_tables(result: "Result", **more: Any) -> None:
    """Print the tables of the report as JSON, and what else a study gives."""
    from abysssim.report.results import tables_as_json

    print_json({**tables_as_json(result.tables), **more})


def tell(paragraphs: Sequence[str], out: Path | None) -> None:
    """Print the answer, and where the report is."""
    for paragraph in paragraphs:
        click.echo(click.wrap_text(paragraph, 80))
        click.echo()
    if out:
        click.echo(f"The report is {out / 'report.html'}.")
    else:
        click.echo("Add --out DIR for the report, its figures and its tables.")
