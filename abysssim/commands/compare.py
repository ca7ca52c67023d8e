"""``abysssim compare``: what changed between two runs."""

from pathlib import Path

import click

from abysssim.commands.common import print_json


@click.command()
@click.argument("a", type=click.Path(path_type=Path), metavar="DIR")
@click.argument("b", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def command(a: Path, b: Path, as_json: bool) -> None:
    """Say what changed between two runs, and what it did to the game.

    Runs with the same seed and as many games have played the same deals: their differences are paired, which makes
    them much more exact.

    \b
    Example:
      abysssim run --players 4 --out results/printed
      abysssim run --players 4 --set lords.peddler.cost=9 --out results/peddler
      abysssim compare results/printed results/peddler
    """
    from abysssim.compare import as_text, compare, read_run

    found = compare(read_run(a), read_run(b))
    if as_json:
        print_json(found.as_json())
    else:
        click.echo(as_text(found))
