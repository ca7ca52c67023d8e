"""What several commands share: options for rules and line-ups, and how they are read."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from abysssim.rules.rulebook import Rulebook

F = TypeVar("F", bound=Callable[..., Any])

SEED = click.IntRange(0, 2**64 - 1)


def expansion_option(function: F) -> F:
    """Add ``--expansion NAME``; pass its values on as `expansions`."""
    return click.option(
        "--expansion",
        "expansions",
        multiple=True,
        metavar="NAME",
        help="Play with an expansion: kraken. Repeatable.",
    )(function)


def rules_options(function: F) -> F:
    """Add ``--expansion``, ``--rules FILE`` and ``--set``; pass on `expansions`, `rules_files` and `sets`."""
    function = click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change one rule, e.g. lords.peddler.cost=9 or rulings.refill_before_power=true. Repeatable.",
    )(function)
    function = click.option(
        "--rules",
        "rules_files",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A TOML file of changes, or a whole ruleset. Repeatable; --set comes last.",
    )(function)
    return expansion_option(function)


def load_rules(sets: tuple[str, ...], rules_files: tuple[Path, ...], expansions: tuple[str, ...]) -> "Rulebook":
    """Return the rulebook that ``--expansion``, ``--rules`` and ``--set`` describe.

    Raises
    ------
    InputError
        For a malformed ``KEY=VALUE`` and whatever `rulebook.load` refuses.
    """
    from abysssim.rules.rulebook import load, parse_set

    return load(changes=dict(parse_set(text) for text in sets), expansions=expansions, files=rules_files)


def with_expansions(table: Mapping[str, Any], expansions: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the table of a position's file with the expansions of the command line, if it names none itself."""
    position = table.get("position")
    if not expansions or not isinstance(position, Mapping) or "expansions" in position:
        return table
    return {**table, "position": {**position, "expansions": list(expansions)}}


def print_json(value: Any) -> None:
    """Print `value` as JSON, alone on standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
