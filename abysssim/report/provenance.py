"""How to see a game of a study again, and what it takes to repeat the study."""

import shlex
from collections.abc import Sequence

from abysssim.report.blocks import Info
from abysssim.report.numbers import count, number
from abysssim.report.page import Facts
from abysssim.rules.describe import toml


def play_command(facts: Info, game: int, rotation: int = 0, bar: str = "") -> str:
    """Return the command that plays a game of a study's first line-up, and beside it that with a Lord barred."""
    if facts.get("directory"):
        parts = [f"abysssim play --from {shlex.quote(facts['directory'])} --game {game}"]
        parts += [f"--rotation {rotation}"] * (rotation > 0)
    else:
        parts = [deal_command(facts, facts["line_ups"][0]["policies"], game, rotation)]
    if bar:
        parts.append(f"--bar {bar}")
    return " ".join(parts)


def deal_command(facts: Info, lineup: Sequence[str], game: int, rotation: int) -> str:
    """Return the command that plays a deal of a study by its seed, with the policies of a line-up in a rotation."""
    parts = [f"abysssim play --seed {facts['seed']} --game {game} --players {facts['players']}"]
    parts.append(f"--policies {shlex.quote(','.join(_rotated(lineup, rotation)))}")
    parts += [f"--expansion {name}" for name in facts["expansions"]]
    parts += [f"--set {shlex.quote(f'{key}={toml(value)}')}" for key, value in facts["changes"].items()]
    return " ".join(parts)


def _rotated(lineup: Sequence[str], rotation: int) -> list[str]:
    """Return the policies by seat in a rotation of the line-up, as the batch numbers them."""
    from abysssim.simulate import rotations

    kinds = list(dict.fromkeys(lineup))
    orders = rotations(tuple(kinds.index(name) for name in lineup))
    return [kinds[kind] for kind in orders[rotation]]


def provenance_of(
    facts: Info,
    line_ups: Sequence[str],
    *,
    more: Sequence[tuple[str, str]] = (),
    called: str = "Line-up",
    speed: str = "",
) -> Facts:
    """Return what it takes to repeat a study.

    Parameters
    ----------
    line_ups : a text for each
    more : facts of one study, before the line-ups
    called : what a line-up is in this study
    speed : what to add to the speed
    """
    changes = "; ".join(f"{key} = {toml(value)}" for key, value in facts["changes"].items()) or "none"
    provenance = [
        ("Command", facts.get("command", "")),
        ("Rules", f"{facts['rules_hash']} (base game{''.join(f' + {one}' for one in facts['expansions'])})"),
        ("Changes to the rules", changes),
        ("Seed", str(facts["seed"])),
        *more,
        *((f"{called} {place}", text) for place, text in enumerate(line_ups, 1)),
        ("Speed", f"{count(facts['games'])} games in {number(facts['seconds'], 1)} s{speed}"),
        ("Version", str(facts.get("version", ""))),
        ("Date", str(facts.get("started", ""))),
        ("Digest", facts["digest"]),
    ]
    kept = [(name, value) for name, value in provenance if value]
    return Facts(kept, frozenset({"Command", "Digest"}))
