"""``abysssim position``: list the options of a position, step through it, or check a case."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands.common import print_json, rules_options, with_expansions

if TYPE_CHECKING:
    from abysssim.position import Position
    from abysssim.stepping import Stop


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--choose", "choices", multiple=True, metavar="OPTION", help="Take an option, by its text or number. Repeatable."
)
@click.option("--check", is_flag=True, help="Play the file's steps and verify its expectations; status 1 if they fail.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@rules_options
def command(
    file: Path,
    choices: tuple[str, ...],
    check: bool,
    as_json: bool,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
) -> None:
    """List the legal options of the position in FILE (TOML, see docs/position.md), or step through it.

    \b
    Examples:
      abysssim position slaver.toml
      abysssim position slaver.toml --choose "recruit slaver" --choose "pay done"
      abysssim position slaver.toml --check
    """
    from abysssim.position import read_toml
    from abysssim.rules.rulebook import parse_set

    changes = dict(parse_set(text) for text in sets)
    content = read_toml(file)
    table = with_expansions(content, expansions)
    if check:
        if choices:
            raise click.UsageError("--check plays the steps of the file: it does not go with --choose")
        if table is not content:
            raise click.UsageError("--check plays a case as it is: name its expansions in the file, under [position]")
        _check(file, changes, rules_files, as_json)
    else:
        _step(table, file, choices, changes, rules_files, as_json)


def _check(file: Path, changes: dict[str, Any], rules_files: tuple[Path, ...], as_json: bool) -> None:
    """Print what differs from the expectations and end with status 1 if anything does."""
    from abysssim.cases import check_case

    differences = check_case(file, changes, rules_files)
    if as_json:
        print_json({"ok": not differences, "differences": differences})
    else:
        for difference in differences:
            click.echo(f"{file}: {difference}")
        if not differences:
            click.echo(f"{file}: as expected")
    if differences:
        sys.exit(1)


def _step(
    content: Mapping[str, Any],
    file: Path,
    choices: tuple[str, ...],
    changes: dict[str, Any],
    rules_files: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Take the choices and print where that leads."""
    from abysssim.cases import position_of
    from abysssim.errors import InputError
    from abysssim.position import table_of
    from abysssim.texts import find_option, options_texts

    try:
        position = position_of(content, changes, rules_files)
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from None
    table = table_of(position)
    taken: list[int] = []
    stop = table.step(taken, recording=True)
    for choice in choices:
        if not stop.at_decision:
            raise InputError(f"--choose '{choice}': the game is over, nothing is asked any more")
        taken.append(find_option(options_texts(position.rulebook, stop.game), choice))
        stop = table.step(taken, recording=True)
    if as_json:
        print_json(_as_json(position, stop))
    else:
        click.echo(_as_text(position, stop))


def _as_json(position: "Position", stop: "Stop") -> dict[str, Any]:
    from abysssim.position_text import contents
    from abysssim.records import events_of
    from abysssim.texts import decision_text, options_texts

    book, game = position.rulebook, stop.game
    asked = {
        "seat": int(game.decider) if stop.at_decision else None,
        "decision": decision_text(int(game.decision)) if stop.at_decision else None,
        "options": options_texts(book, game) if stop.at_decision else [],
        "finished": stop.finished,
        "choices": list(stop.choices),
        "events": events_of(book, stop.entries),
        **contents(book, game),
    }
    return asked | ({"score": stop.scores.as_table()} if stop.scores else {})


def _as_text(position: "Position", stop: "Stop") -> str:
    from abysssim.records import events_of
    from abysssim.texts import decision_text, options_texts
    from abysssim.transcript import score_table, transcript
    from abysssim.view import view

    book = position.rulebook
    lines = [view(book, stop.game), transcript(book, events_of(book, stop.entries)), ""]
    if stop.scores is not None:
        lines += ["The game is over.", *score_table(stop.scores.players, stop.scores.winners)]
    else:
        lines.append(f"Seat {int(stop.game.decider)} is asked ({decision_text(int(stop.game.decision))}):")
        lines += [f"{number:4}  {text}" for number, text in enumerate(options_texts(book, stop.game))]
    return "\n".join(lines)
