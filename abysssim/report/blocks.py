"""Blocks that the reports of all studies have: how policies behaved, how games ended, what was never chosen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from abysssim.report.figures import NARROW, WIDE
from abysssim.report.numbers import count, estimate, interval, listing, number, percent
from abysssim.report.page import Cell, Column, Figure, Paragraph, Section, Table, inline_figure, text_cell
from abysssim.report.style import Drawing
from abysssim.rules.words import rules_played

Tables = Mapping[str, pd.DataFrame]
Info = Mapping[str, Any]

#: Measures of behaviour worth a reader's time, in words; the rest is in the tables.
BEHAVIOUR = {
    "total": "IP",
    "ip_lords": "of it from Lords",
    "ip_locations": "of it from Locations",
    "ip_allies": "of it from Allies",
    "ip_monster_tokens": "of it from Monster tokens",
    "ip_loot": "of it from Loot",
    "ip_nebulis": "of it from Nebulis",
    "ip_kraken": "of it from the Kraken figure",
    "turns": "own turns",
    "explorations": "explorations",
    "allies_taken": "Allies taken exploring",
    "purchases": "Allies bought from others",
    "purchase_pearls": "Pearls paid for them",
    "council_actions": "Council stacks asked for",
    "recruitments": "Lords recruited",
    "pearls_paid": "Pearls paid for Lords",
    "locations": "Locations taken",
    "plots": "plots",
    "fights": "Monsters fought",
    "monsters_passed": "Monsters passed",
    "powers_used": "once-per-turn powers used",
    "pearls": "Pearls left at the end",
}


def each(table: pd.DataFrame) -> Iterator[Any]:
    """Return the rows of a table as named tuples, whose types pandas does not know."""
    return iter(table.itertuples())


def value_cell(value: float, error: float, sign: bool = False) -> Cell:
    """Return a cell with the decimals that the error of its value deserves."""
    return Cell(estimate(value, error, sign), float(value))


def answer_section(paragraphs: Sequence[str]) -> Section:
    """Return the first section of a report: its answer, the first paragraph large."""
    return Section("answer", "The answer", [Paragraph(text, lead=place == 0) for place, text in enumerate(paragraphs)])


def shapes_of(drawings: Sequence[Drawing]) -> dict[str, Figure]:
    """Return figures for a page, wide and narrow, by name."""
    return {drawing.name: inline_figure(drawing, WIDE, NARROW) for drawing in drawings}


def rules_line(facts: Info) -> str:
    """Return the sentence on the rules that a study played."""
    return f"Rules {rules_played(facts['expansions'], facts['changes'])}."


def kicker(expansions: Sequence[str], kind: str = "balance study") -> str:
    """Return the line above a report's title: the game with its expansions, and the kind of study."""
    played = listing([expansion.title() for expansion in expansions])
    return f"Abyss{': ' * bool(played)}{played} \N{MIDDLE DOT} {kind}"


def rules_changed(facts: Info) -> str:
    """Return how many rules were changed as the end of a subtitle; nothing where none was."""
    changes = len(facts["changes"])
    return f", {changes} rule{'s' * (changes > 1)} changed" if changes else ""


# --- Behaviour -----------------------------------------------------------------------------------------------------


def behaviour(tables: Tables, names: Sequence[str], more: Mapping[str, str] | None = None) -> list[Any]:
    """Return the blocks on how policies behaved and how places in the turn order fared, for some line-ups.

    more : measures beside those of BEHAVIOUR, and what they are called
    """
    more = more or {}
    text = "Means for a seat and a game, so that a reader can disbelieve them."
    blocks: list[Any] = [Paragraph(text)]
    for name in names:
        part = tables["behaviour"][tables["behaviour"]["line_up"] == name]
        columns = [Column("", numeric=False), *(Column(policy) for policy in part["policy"])]
        rows = [
            [text_cell("win share (pp)"), *(value_cell(one.win_share, one.win_share_se) for one in each(part))],
            [text_cell("margin (IP)"), *(value_cell(one.margin, one.margin_se, True) for one in each(part))],
        ]
        for key, words in {**BEHAVIOUR, **more}.items():
            rows.append([text_cell(words), *(Cell(number(value, 2), float(value)) for value in part[key])])
        blocks.append(Table(name, columns, rows))
    seats = tables["seats"][tables["seats"]["line_up"].isin(list(names))]
    columns = [
        Column("Place in the turn order", numeric=False),
        *(Column(f"{name}: win share (pp), 95 %") for name in names),
    ]
    rows = []
    for seat in sorted(seats["seat"].unique()):
        row = [Cell(f"{seat + 1}{_ordinal(seat + 1)} to move", str(seat))]
        for one in each(seats[seats["seat"] == seat]):
            half = (one.win_share_high - one.win_share_low) / 4
            ends = interval(one.win_share_low, one.win_share_high, half)
            row.append(Cell(f"{estimate(one.win_share, half)} ({ends})", float(one.win_share)))
        rows.append(row)
    blocks.append(Table("Win share by place in the turn order", columns, rows))
    return blocks


def _ordinal(value: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(value, "th")


# --- Health --------------------------------------------------------------------------------------------------------


def never(tables: Tables, line_up: Info) -> dict[str, list[str]]:
    """Return what never happened under a line-up: decisions that nobody faced and options that nobody chose."""
    options = tables["options"][tables["options"]["line_up"] == line_up["name"]]
    left = options[(options["asked"] > 0) & (options["picked"] == 0)]
    unasked = options.loc[options["asked"] == 0, "decision"].drop_duplicates()
    return {
        "decisions never faced": [_plain(one) for one in unasked],
        "options never chosen": [f"{one.option} ({_plain(one.decision)})" for one in each(left)],
    }


def never_sentence(line_up: Info, names: Mapping[str, Sequence[str]], all_well: str) -> str:
    """Return what never happened under a line-up as a sentence; `all_well` is said where nothing is to be told."""
    found = [f"{what}: {listing(list(which))}" for what, which in names.items() if which]
    return f"{line_up['name']}: {'; '.join(found) or all_well}."


def _plain(name: str) -> str:
    return name.replace("_", " ")


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


def option_table(options: pd.DataFrame) -> Table:
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
            text_cell(_plain(one.decision)),
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
