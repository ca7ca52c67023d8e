"""``abysssim score``: score an end position, part by part."""

from pathlib import Path

import click

from abysssim.commands.common import print_json, rules_options, with_expansions


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON: IP by seat and part, and the winners.")
@rules_options
def command(
    file: Path,
    as_json: bool,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
) -> None:
    """Score the position in FILE (TOML, see docs/position.md) as if the game ended there.

    Each seat first affiliates the lowest Ally of each Race in its hand.

    \b
    Examples:
      abysssim score table.toml
      abysssim score table.toml --json
    """
    from abysssim.cases import position_of
    from abysssim.errors import InputError
    from abysssim.position import read_toml, table_of
    from abysssim.rules.rulebook import parse_set
    from abysssim.scoresheet import score_sheet

    try:
        table = with_expansions(read_toml(file), expansions)
        position = position_of(table, dict(parse_set(text) for text in sets), rules_files)
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from None
    if as_json:
        print_json(table_of(position).score(position.game).as_table())
    else:
        click.echo(score_sheet(position))
