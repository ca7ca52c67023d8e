"""``abysssim rules``: show the rules in words, and check a file of changes."""

from pathlib import Path

import click

from abysssim.commands.common import expansion_option, load_rules, print_json, rules_options
from abysssim.errors import InputError


@click.group(name="rules")
def command() -> None:
    """Show the rules, or check a file of changes.

    \b
    Examples:
      abysssim rules show
      abysssim rules show peddler --set lords.peddler.cost=9
      abysssim rules show rulings
      abysssim rules show nebulis --expansion kraken
      abysssim rules check my-rules.toml
    """


@command.command()
@click.argument("name", required=False)
@rules_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(
    name: str | None,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show all rules, or one Lord, Location, table or rule by NAME."""
    from abysssim.rules.describe import describe, details

    rulebook = load_rules(sets, rules_files, expansions)
    if as_json:
        print_json(details(rulebook, name))
    else:
        click.echo(describe(rulebook, name))


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@expansion_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(file: Path, expansions: tuple[str, ...], as_json: bool) -> None:
    """Check FILE, a TOML file of changes or a whole ruleset, and print what it changes.

    Ends with status 2, and one sentence about the first thing that is wrong, if the rules cannot be played.
    """
    from abysssim.rules.describe import change_lines

    try:
        rulebook = load_rules((), (file,), expansions)
    except InputError as error:
        if as_json:
            print_json({"ok": False, "error": str(error)})
        raise
    if as_json:
        print_json({"ok": True, "rules_hash": rulebook.rules_hash, "changes": rulebook.changes})
        return
    changes = change_lines(rulebook.changes, rulebook.expansions)
    many = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    click.echo(f"{file}: can be played, with {many} to the printed game (rules {rulebook.rules_hash})")
    for line in changes:
        click.echo(f"  {line}")
