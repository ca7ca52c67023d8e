"""How a study that plays games is asked for on the command line, and how it answers there."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abysssim.commands.common import SEED, load_rules, print_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from abysssim.report.blocks import Info, Tables
    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.playing import MakeProgress
    from abysssim.studies.result import Result

Command = Callable[..., None]
T = TypeVar("T", bound="DataclassInstance")

GROWS = "Continue the study in --out, or play more games for it."
GOES_ON = "Continue the study in --out."


# --- What is asked -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What every study that plays games is asked for; None is what was not given."""

    settings_file: Path | None
    players: int | None
    games: int | None
    seed: int | None
    jobs: int
    out: Path | None
    resume: bool
    as_json: bool
    sets: tuple[str, ...]
    rules_files: tuple[Path, ...]
    expansions: tuple[str, ...]

    def rulebook(self, expansion: str = "") -> "Rulebook":
        """Return the rulebook that options describe, with an expansion that the study is about in any case."""
        expansions = self.expansions
        if expansion:
            expansions = tuple(dict.fromkeys((*expansions, expansion)))
        return load_rules(self.sets, self.rules_files, expansions)

    def settings(self, settings_from: Callable[[Mapping[str, Any], str], T], **own: Any) -> T:
        """Return the settings of the file, or the default ones, with the options that were given in their place.

        settings_from : makes the study's settings of a table
        own : options that this study alone has
        """
        from abysssim.studies.settings import read_settings

        file = self.settings_file
        settings = read_settings(file, settings_from) if file else settings_from({}, "")
        options = {"players": self.players, "games": self.games, "seed": self.seed, **own}
        wanted: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
        return replace(settings, **wanted)


def study_options(games: str, resume: str = GROWS) -> Callable[[Command], Command]:
    """Add the options of a study that plays games; the command gets them, and those of the rules, as one `Asked`.

    games, resume : the help of those
    """
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

    def decorate(function: Command) -> Command:
        @wraps(function)
        def gathered(**given: Any) -> None:
            asked = Asked(**{field.name: given.pop(field.name) for field in fields(Asked)})
            function(asked, **given)

        command: Command = gathered
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


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


def tell(asked: Asked, result: "Result", answer: "Callable[[Tables, Info], list[str]]", **more: Any) -> None:
    """Print the answer, and where the report is; or as JSON the tables of the report.

    answer : makes the paragraphs of the answer
    more : what the study gives as JSON beside its tables
    """
    from abysssim.report.results import tables_as_json

    if asked.as_json:
        print_json({**tables_as_json(result.tables), **more})
        return
    for paragraph in answer(result.tables, result.facts):
        click.echo(click.wrap_text(paragraph, 80))
        click.echo()
    if asked.out:
        click.echo(f"The report is {asked.out / 'report.html'}.")
    else:
        click.echo("Add --out DIR for the report, its figures and its tables.")
