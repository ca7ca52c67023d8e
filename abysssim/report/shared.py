"""What the reports of studies share: cells, how games ended, how often options were chosen, how to see a game again."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from abysssim.report.numbers import count, estimate, listing, number, percent
from abysssim.report.page import Cell, Column, Facts, Table, text_cell

Tables = Mapping[str, pd.DataFrame]
Info = Mapping[str, Any]


def each(table: pd.DataFrame) -> Iterator[Any]:
    """Return the rows of a table as named tuples, whose types pandas does not know."""
    return iter(table.itertuples())


def value_cell(value: float, error: float, sign: bool = False) -> Cell:
    """Return a cell with a value as its error deserves."""
    return Cell(estimate(value, error, sign), float(value))


def endings(tables: Tables, line_up: Info) -> list[str]:
    """Return sentences on how the games of a line-up ended, the longest, and those that did not end by the rules."""
    name = line_up["name"]
    ends = tables["ends"][(tables["ends"]["line_up"] == name) & (tables["ends"]["games"] > 0)]
    places = 1 if ends["share"].min() > 0.01 else 3
    parts = [f"{percent(one.share, places)} {_trigger(one.trigger)}" for one in each(ends)]
    items = [f"{name}: of the games ended {listing(parts)}."]
    for kind, words in (("longest", "the longest games had"), ("stalemate", "games without an end by the rules:")):
        games = _game_list(tables, line_up, kind)
        if games:
            items.append(f"{name}: {words} {listing(games)}.")
    return items


def options_table(options: pd.DataFrame) -> Table:
    """Return how often each kind of option was chosen, folded."""
    shares = options["picked"] / options["asked"].where(options["asked"] > 0)
    columns = [
        Column("Decision", numeric=False),
        Column("Option", numeric=False),
        Column("Line-up", numeric=False),
        Column("Asked"),
        Column("Chosen"),
    ]
    rows = [
        [
            text_cell(one.decision.replace("_", " ")),
            text_cell(one.option),
            text_cell(one.line_up),
            Cell(count(one.asked), float(one.asked)),
            Cell(percent(one.share), float(one.share)),
        ]
        for one in each(options.assign(share=shares)[options["option"] != "any"])
    ]
    return Table("How often each kind of option was chosen", columns, rows, folded=True)


def _game_list(tables: Tables, line_up: Info, kind: str) -> list[str]:
    """Return the first three notable games of a kind, as words."""
    notable = tables["notable"]
    found = notable[(notable["line_up"] == line_up["name"]) & (notable["kind"] == kind)].head(3)
    turned = line_up["rotations"] > 1
    return [
        f"{one.turns} turns (game {one.game}{f', rotation {one.rotation}' if turned else ''})" for one in each(found)
    ]


def _trigger(name: str) -> str:
    return {
        "lords": "with a last Lord (the seventh, as printed)",
        "refill": "with a Court that could not be refilled",
        "deck": "with an empty Lord deck",
        "stalemate": "as a stalemate, because nobody recruited for many rounds",
    }.get(name, f"with {name}")


def play_command(facts: Info, game: int, rotation: int, bar: str = "") -> str:
    """Return the command that plays one game of the study, and beside it that with a Lord barred."""
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
    parts += [f"--set {shlex.quote(f'{key}={as_toml(value)}')}" for key, value in facts["changes"].items()]
    return " ".join(parts)


def _rotated(lineup: Sequence[str], rotation: int) -> list[str]:
    """Return the policies by seat in a rotation of the line-up, as the batch numbers them."""
    from abysssim.simulate import rotations

    kinds = list(dict.fromkeys(lineup))
    orders = rotations(tuple(kinds.index(name) for name in lineup))
    return [kinds[kind] for kind in orders[rotation]]


def as_toml(value: Any) -> str:
    """Return a value as TOML: JSON's texts, numbers, truth values and lists are the same."""
    return json.dumps(value, ensure_ascii=False)


def provenance_of(facts: Info, line_ups: Sequence[str], speed: str = "") -> Facts:
    """Return what it takes to repeat a study. line_ups: a text for each; speed: what to add to the speed."""
    changes = "; ".join(f"{key} = {as_toml(value)}" for key, value in facts["changes"].items()) or "none"
    provenance = [
        ("Command", facts.get("command", "")),
        ("Rules", f"{facts['rules_hash']} (base game{''.join(f' + {one}' for one in facts['expansions'])})"),
        ("Changes to the rules", changes),
        ("Seed", str(facts["seed"])),
        *((f"Line-up {place + 1}", text) for place, text in enumerate(line_ups)),
        ("Speed", f"{count(facts['games'])} games in {number(facts['seconds'], 1)} s{speed}"),
        ("Version", str(facts.get("version", ""))),
        ("Date", str(facts.get("started", ""))),
        ("Digest", facts["digest"]),
    ]
    kept = [(name, value) for name, value in provenance if value]
    return Facts(kept, frozenset({"Command", "Digest"}))
