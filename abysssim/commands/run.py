"""``abysssim run``: play a batch of games and write its results."""

import sys
from pathlib import Path
from typing import Any

import click

from abysssim.commands.common import SEED, load_rules, print_json, rules_options
from abysssim.commands.interrupt import says_how_to_resume

DEFAULT_GAMES = 100_000


@click.command()
@click.option("--players", type=int, required=True, help="Number of players.")
@click.option(
    "--policies",
    default="balanced",
    show_default=True,
    metavar="NAME,...",
    help="A policy for each seat, from seat 0, or one for all: names of presets or paths of TOML files.",
)
@click.option(
    "--games", type=click.IntRange(1, 10**12), default=DEFAULT_GAMES, show_default=True, help="How many games."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of all deals, below 2**64.")
@click.option("--rotate", is_flag=True, help="Play each deal once for each distinct rotation of the policies.")
@click.option("--jobs", type=int, default=-1, show_default=True, help="Workers; -1 is one for each core.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write results to this new directory.")
@click.option("--resume", is_flag=True, help="Continue the run in --out, or play more games for it.")
@click.option("--keep", type=click.Choice(["games"]), help="Also write every game to DIR/games (Parquet).")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@rules_options
def command(
    players: int,
    policies: str,
    games: int,
    seed: int,
    rotate: bool,
    jobs: int,
    out: Path | None,
    resume: bool,
    keep: str | None,
    as_json: bool,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
) -> None:
    """Play a batch of games and write its results.

    Without --out the summary is only printed. Ctrl-C keeps what was played: the same command with --resume goes on.

    \b
    Examples:
      abysssim run --players 4 --games 100000
      abysssim run --players 4 --policies balanced,rusher,hoarder,trader \\
        --rotate --seed 7 --out results/four
      abysssim run --players 2 --set lords.peddler.cost=9 --out results/peddler
    """
    from abysssim.run import run_batch
    from abysssim.simulate import Batch
    from abysssim.summary import summary

    check_jobs(jobs)
    rulebook = load_rules(sets, rules_files, expansions)
    rulebook.check_players(players)
    batch = Batch(rulebook, read_lineup(policies, players), seed, rotate)
    announce_rounding(games, len(batch.permutations))
    with says_how_to_resume(out):
        result = run_batch(
            batch,
            games,
            out=out,
            jobs=jobs,
            keep=keep == "games",
            resume=resume,
            progress=True,
            command=["abysssim", *sys.argv[1:]],
        )
    if as_json:
        content: dict[str, Any] = result.summary()
        timing = {"games_per_second": round(result.games_per_second, 1), "seconds": round(result.seconds, 3)}
        print_json({**content, **timing})
    else:
        click.echo(summary(result))
        if out:
            click.echo(f"\nResults are in {out}.")


def read_lineup(text: str, players: int) -> tuple[Any, ...]:
    """Return the policies of all seats from ``a,b,c,d``, or from one for all.

    Raises InputError for a wrong number of policies and for whatever load_policy refuses.
    """
    from abysssim.errors import InputError
    from abysssim.policies.presets import load_policy

    names = [name.strip() for name in text.split(",")]
    if len(names) not in (1, players):
        raise InputError(f"--policies must name one policy, or one for each of {players} players, not {len(names)}")
    loaded = {name: load_policy(name) for name in dict.fromkeys(names)}
    return tuple(loaded[name] for name in (names * players if len(names) == 1 else names))


def check_jobs(jobs: int) -> None:
    """Raise InputError unless the number of workers is at least 1, or -1."""
    from abysssim.errors import InputError

    if jobs < 1 and jobs != -1:
        raise InputError(f"--jobs must be at least 1, or -1 for one worker for each core, not {jobs}")


def announce_rounding(games: int, turns: int) -> None:
    """Say on standard error when the number of games is rounded up to whole deal blocks."""
    if games % turns:
        more = -(-games // turns) * turns
        click.echo(f"Playing {more:,} games: each deal is played {turns} times, once a rotation.", err=True)
