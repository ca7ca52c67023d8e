"""The command line: a group that loads a command only when it is called, and turns bad input into one sentence."""

import importlib
import sys
from typing import Any

import click

from abysssim.errors import InputError

COMMANDS = {
    "run": "Play a batch of games and write its results.",
    "compare": "Say what changed between two runs.",
    "study": "Answer a question about the game by experiment.",
    "play": "Play one game and print it, or sit in.",
    "position": "List the legal options of a position, or step through it.",
    "score": "Score an end position, part by part.",
    "rules": "Show the rules, or check a file of changes.",
    "bench": "Measure how fast games are played here.",
}


class LazyGroup(click.Group):
    """A group whose commands live in ``abysssim.commands`` and are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of a user's first steps."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"abysssim.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command where there is none of that name."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from abysssim.errors import nearest

            ctx.fail(f"no command '{name}'; there are {', '.join(COMMANDS)}{nearest(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input ends it with one sentence and status 2."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            click.echo(f"abysssim: {error}", err=True)
            sys.exit(2)


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(package_name="abysssim", prog_name="abysssim")
def main() -> None:
    """Play the board game Abyss by the million and learn what is balanced.

    \b
    Examples:
      abysssim run --players 4 --games 100000
      abysssim study lord-values --out results/lords
      abysssim play --seed 7
      abysssim rules show peddler

    An unofficial research tool; Abyss belongs to its publisher and authors.
    """
