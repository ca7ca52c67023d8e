"""``abysssim bench``: how fast games are played here."""

import click

from abysssim.commands.common import expansion_option, print_json


@click.command()
@click.option("--players", default="2,3,4", show_default=True, metavar="N,...", help="Numbers of players to measure.")
@expansion_option
@click.option("--json", "as_json", is_flag=True, help="Print the measurements as JSON.")
def command(players: str, expansions: tuple[str, ...], as_json: bool) -> None:
    """Measure how fast games are played here, on one core and on all.

    Takes about a minute. The line-up is `balanced` on every seat. Compiling is measured too, in an empty cache of its
    own; the usual one is not touched.
    """
    from abysssim.bench import as_text, bench

    found = bench(read_players(players), expansions=expansions)
    if as_json:
        print_json(found)
    else:
        click.echo(as_text(found))


def read_players(text: str) -> list[int]:
    """Return the numbers in ``2,3,4``; InputError for anything else."""
    from abysssim.errors import InputError

    try:
        return list(dict.fromkeys(int(number) for number in text.split(",")))
    except ValueError:
        raise InputError(f"--players must be numbers with commas between, as in 2,3,4, not '{text}'") from None
