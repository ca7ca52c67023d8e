"""``abysssim play``: play one game and print it, sit in, or show a game of a run and what a barred Lord changes."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abysssim.commands.common import SEED, load_rules, rules_options
from abysssim.errors import InputError

if TYPE_CHECKING:
    from abysssim.game import Game
    from abysssim.policies.presets import Policy
    from abysssim.rules.rulebook import Rulebook

DEFAULT_PLAYERS = 4
DEFAULT_POLICY = "balanced"
HELP = "An option's number or text takes it; 'undo', 'view', 'log' and 'quit' do what they say."


@dataclass(frozen=True)
class Deal:
    """What is to be played: rules, policies by seat, seed and number of the game."""

    rulebook: "Rulebook"
    lineup: Sequence["Policy"]
    seed: int
    game: int

    def start(self, asked: Sequence[int], bar: tuple[int, str] | None = None) -> "Game":
        """Return the game at the first decision of the seats that are asked."""
        from abysssim.game import Game

        return Game(None, self.lineup, self.seed, self.game, self.rulebook, asked=asked, bar=bar)


@click.command()
@click.option("--players", type=int, help=f"Number of players [default: of the policies, else {DEFAULT_PLAYERS}].")
@click.option(
    "--policies",
    metavar="NAME,...",
    help="A policy for each seat, from seat 0, or one for all: names of presets or paths of TOML files "
    f"[default: {DEFAULT_POLICY}].",
)
@click.option("--seed", type=SEED, help="Seed of the deals, below 2**64 [default: 0].")
@click.option("--game", type=click.IntRange(0, 2**62), default=0, show_default=True, help="Number of the deal.")
@click.option("--human", type=int, metavar="SEAT", help="Play this seat yourself.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Write the game's record (JSON Lines).")
@click.option(
    "--from", "source", type=click.Path(path_type=Path), metavar="DIR", help="Show a game of these results again."
)
@click.option("--rotation", type=click.IntRange(0), help="With --from: the rotation [default: 0].")
@click.option("--bar", metavar="SEAT:LORD", help="Show beside it the game in which the seat may not take the Lord.")
@rules_options
def command(
    players: int | None,
    policies: str | None,
    seed: int | None,
    game: int,
    human: int | None,
    record: Path | None,
    source: Path | None,
    rotation: int | None,
    bar: str | None,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
) -> None:
    """Play one game and print it, sit in, or show a game of a run again.

    \b
    Examples:
      abysssim play --seed 7
      abysssim play --players 3 --human 0
      abysssim play --expansion kraken --seed 7
      abysssim play --policies balanced,random --game 12 --record game.jsonl
      abysssim play --from results/four --game 517 --bar 2:peddler
    """
    if source is not None:
        given = {"players": players, "policies": policies, "seed": seed, "set": sets, "rules": rules_files}
        _refuse_beside_from({**given, "expansion": expansions, "human": human})
        deal = _deal_of(source, game, rotation or 0)
    else:
        if rotation is not None:
            raise click.UsageError("--rotation is for a game of a run: it goes with --from only")
        lineup = _lineup(policies or DEFAULT_POLICY, players)
        deal = Deal(load_rules(sets, rules_files, expansions), lineup, seed or 0, game)
    if human is not None:
        if bar is not None:
            raise click.UsageError("--bar compares two games of policies: it does not go with --human")
        played = _sit_in(deal, human)
    else:
        played = deal.start(asked=())
        click.echo(played.transcript())
        if bar is not None:
            _show_bar(deal, played, bar)
    if record is not None and played.finished:
        played.write_record(record)
        click.echo(f"The record is in {record}.", err=True)


def _refuse_beside_from(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value not in (None, ()):
            raise click.UsageError(f"--from says all about the game: it does not go with --{name}")


def _lineup(text: str, players: int | None) -> Sequence["Policy"]:
    from abysssim.commands.run import read_lineup

    names = text.split(",")
    if players is None:
        players = len(names) if len(names) > 1 else DEFAULT_PLAYERS
    lineup: Sequence[Policy] = read_lineup(text, players)
    return lineup


# --- A game of a run -----------------------------------------------------------------------------------------------


def _deal_of(source: Path, game: int, rotation: int) -> Deal:
    """Return a game of a directory of results: its rules, line-up and seed are in the manifest."""
    from abysssim.rules.rulebook import load
    from abysssim.store import code_hash, read_json

    path = source / "manifest.json"
    manifest = read_json(path)
    try:
        rulebook = load(manifest["changes"], manifest.get("expansions", ()))
        lineup = _manifest_lineup(manifest, rotation)
        seed = int(manifest["seed"] if "seed" in manifest else manifest["settings"]["seed"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not say what game it was ({error!r} is missing or wrong)") from None
    if rulebook.rules_hash != manifest.get("rules_hash"):
        raise InputError(f"{path}: these results were played by other rules than its changes give now")
    if manifest.get("code_hash") != code_hash():
        click.echo("These results were played by another version of the program: the game may differ.", err=True)
    return Deal(rulebook, lineup, seed, game)


def _manifest_lineup(manifest: dict[str, Any], rotation: int) -> Sequence["Policy"]:
    """Return the policies by seat in a rotation, those of a run with the very weights that it played."""
    from abysssim.policies.presets import Policy, load_policy
    from abysssim.simulate import rotations
    from abysssim.vocabulary import PolicyKind

    if manifest.get("kind") == "run":
        policies = [
            Policy(one["policy"], PolicyKind[one["kind"].upper()], one["noise"], one["weights"])
            for one in manifest["policies"]
        ]
        orders = manifest["rotations"]
    else:
        names = list(manifest["line_ups"][0]["policies"])
        kinds = list(dict.fromkeys(names))
        policies = [load_policy(name) for name in kinds]
        _check_same_policies(policies, manifest["line_ups"][0]["policy_hashes"])
        orders = rotations(tuple(kinds.index(name) for name in names))
    if rotation >= len(orders):
        raise InputError(f"--rotation must be below {len(orders)}, the number of rotations played, not {rotation}")
    return [policies[number] for number in orders[rotation]]


def _check_same_policies(policies: Sequence["Policy"], hashes: dict[str, str]) -> None:
    """Refuse policies whose weights are no longer those that a study played with."""
    for policy in policies:
        if hashes.get(policy.name, policy.policy_hash) != policy.policy_hash:
            raise InputError(f"policy '{policy.name}' has changed since these results were played")


# --- What a barred Lord changes ------------------------------------------------------------------------------------


def _show_bar(deal: Deal, played: "Game", text: str) -> None:
    """Print where the game goes another way if a seat may not take a Lord, how it goes there, and both scores."""
    from abysssim.transcript import inside, paragraph, score_table, transcript

    seat, lord = _seat_and_lord(text)
    barred = deal.start(asked=(), bar=(seat, lord))
    name = inside(deal.rulebook.lord_name(deal.rulebook.lord_number(lord)))
    before, after = played.record(), barred.record()
    parting = _parting(before, after)
    click.echo()
    if parting is None:
        click.echo("\n".join(paragraph(f"Barring seat {seat} from {name} changes nothing in this game.", "")))
        return
    turn = max(place for place in range(parting + 1) if after[place]["event"] == "turn")
    where = f"seat {after[turn]['seat']}'s turn {after[turn]['number']}"
    click.echo("\n".join(paragraph(f"IF SEAT {seat} MAY NOT TAKE {name.upper()}, the games part in {where}:", "")))
    click.echo(transcript(deal.rulebook, after[turn:]))
    first, second = played.result(), barred.result()
    click.echo("\nThe game as it was:")
    click.echo("\n".join(score_table(first.players, first.winners)))
    margins = [_margin(result.players, seat) for result in (first, second)]
    words = f"Seat {seat}'s margin over the others' mean: {margins[0]:+.1f} IP as it was, {margins[1]:+.1f} IP barred."
    click.echo("\n" + "\n".join(paragraph(words, "")))


def _seat_and_lord(text: str) -> tuple[int, str]:
    seat, colon, lord = text.partition(":")
    if not colon or not seat.strip().isdecimal():
        raise InputError(f"--bar must be SEAT:LORD, like 2:peddler, not '{text}'")
    return int(seat), lord.strip()


def _parting(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> int | None:
    """Return the place of the first event in which two games differ, None if they are the same."""
    # The first line differs in any case: it names the bar.
    for place, (one, other) in enumerate(zip(before, after, strict=False)):
        if place > 0 and one != other:
            return place
    return None


def _margin(players: Sequence[dict[str, int]], seat: int) -> float:
    rivals = [score["total"] for other, score in enumerate(players) if other != seat]
    return players[seat]["total"] - sum(rivals) / len(rivals)


# --- Sitting in ----------------------------------------------------------------------------------------------------


def _sit_in(deal: Deal, seat: int) -> "Game":
    """Put one seat's decisions to the person at the keyboard (or the lines of standard input)."""
    game = deal.start(asked=[seat])
    told = _tell_news(game, seat, [])
    click.echo(f"\n{HELP}")
    show_table = True
    while not game.finished:
        _ask(game, seat, show_table)
        line = _read()
        if line is None or line == "quit":
            click.echo("You leave the game.")
            return game
        show_table = line == "view"
        if line == "log":
            click.echo(f"\n{game.transcript(seat)}")
        elif line and not show_table:
            try:
                told = _tell_news(game.undo() if line == "undo" else game.choose(line), seat, told)
                show_table = True
            except InputError as error:
                click.echo(f"{error}.")
    return game


def _read() -> str | None:
    """Return the next line of standard input in lower case, None at its end."""
    click.echo("> ", nl=False)
    line = sys.stdin.readline()
    return line.strip().lower() if line else None


def _tell_news(game: "Game", seat: int, told: list[str]) -> list[str]:
    """Print what of the transcript is not among the lines told already; return all of its lines."""
    lines = game.transcript(seat).splitlines()
    first = next((i for i, pair in enumerate(zip(lines, told, strict=False)) if pair[0] != pair[1]), len(told))
    # A sentence that goes on is told again from its beginning.
    while 0 < first < len(lines) and lines[first].startswith("    "):
        first -= 1
    click.echo("\n".join(lines[first:]))
    return lines


def _ask(game: "Game", seat: int, show_table: bool) -> None:
    """Print the table as the seat sees it, if wanted, and its options."""
    if show_table:
        click.echo(f"\n{game.view(seat)}")
    click.echo(f"\nYou are seat {seat} ({game.decision}):")
    for number, option in enumerate(game.options()):
        click.echo(f"{number:4}  {option}")
