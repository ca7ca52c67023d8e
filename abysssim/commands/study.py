"""``abysssim study``: answer a question about the game by experiment."""

import click

from abysssim.commands import lord_values, nebulis, sacred_places
from abysssim.errors import nearest


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


command.add_command(lord_values.command)
command.add_command(nebulis.command)
command.add_command(sacred_places.command)
