"""The report of the exact answer about Sacred Places: from the answers to tables, figures and a page."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from abysssim.report.blocks import Tables, kicker, shapes_of
from abysssim.report.loot_map import loot_map
from abysssim.report.numbers import listing, number, percent
from abysssim.report.page import (
    Cell,
    Column,
    Facts,
    Listing,
    Page,
    Paragraph,
    Section,
    Table,
    text_cell,
)
from abysssim.report.sacred_text import MOST_VALUES, Answers, position_sentences
from abysssim.report.style import Drawing
from abysssim.studies import sacred_exact as study
from abysssim.studies.loot_decks import MOST_STATES, Map, count_states, every_deck, search_or_stop

# --- Facts, tables, figures ----------------------------------------------------------------------------------------


def facts(answers: Answers, asked: study.Answer) -> dict[str, Any]:
    """Return what the answers hold for, and the headline numbers of that which was asked."""
    alone, rewarded = answers.values()
    return {
        "study": study.NAME,
        "exact": True,
        "deck": study.deck_name(asked.search.deck),
        "held": study.set_name(asked.start),
        "rewards": study.deck_name(rewarded.search.worths),
        "line_ups": [],
        "fractions": study.fractions(asked),
        "loot_alone": study.summary(alone),
        "with_rewards": study.summary(rewarded),
    }


def tables(answers: Answers) -> dict[str, pd.DataFrame]:
    """Return the tables of all settings one under another, and the map; column `setting` tells them apart."""
    found = {name: study.tables(given) for name, given in answers.items()}
    joined = {
        table: pd.DataFrame([{"setting": name, **row} for name, one in found.items() for row in one[table]])
        for table in next(iter(found.values()))
    }
    charts = _maps(answers)
    if charts:
        joined["map"] = pd.DataFrame([{"setting": name, **row} for name, c in charts.items() for row in _map_rows(c)])
    return {name: table for name, table in joined.items() if len(table)}


def _map_rows(chart: Map) -> list[dict[str, Any]]:
    return [
        {
            "held": study.set_name(held),
            "from_percent": int(chart.edges[column]),
            "to_percent": int(chart.edges[column + 1]),
            "gain": float(chart.gain[row, column]),
            "search_is_right": float(chart.right[row, column]),
        }
        for row, held in enumerate(chart.held)
        for column in range(chart.gain.shape[1])
    ]


def _maps(answers: Answers) -> dict[str, Map]:
    """Return a map for each setting; none for a deck with too many values for a map that one can read."""
    deck = next(iter(answers.values())).search.deck
    if len(deck) > MOST_VALUES or count_states(deck) > MOST_STATES:
        return {}
    return {name: search_or_stop(every_deck(given.search)) for name, given in answers.items()}


def drawings(answers: Answers) -> list[Drawing]:
    """Return the maps of search or stop."""
    return [
        loot_map(f"search_or_stop_{name.lower().replace(' ', '_')}", _setting(name, answers[name]), chart)
        for name, chart in _maps(answers).items()
    ]


def _setting(name: str, given: study.Answer) -> str:
    worths = {value: worth for value, worth in given.search.worths.items() if worth}
    return f"{name} (in IP {study.deck_name(worths)})" if worths else name


# --- The page ------------------------------------------------------------------------------------------------------


def page(answers: Answers, frames: Tables, about: Mapping[str, Any]) -> Page:
    """Return the report as a page."""
    deck = next(iter(answers.values())).search.deck
    sections = [
        Section("answer", "The answer", _answer(answers)),
        Section("map", "Search or stop: two maps to print", list(shapes_of(drawings(answers)).values())),
        Section("whole", "The rule with a whole deck", _held(answers, frames["held"])),
        Section("rules", "Simple rules beside best play", _rules(answers, frames["rules"])),
        Section("payoff", "What comes of a search", _payoff(answers, frames)),
        Section("depletion", "Later searches", _depletion(answers, frames)),
        Section("method", "Method and provenance", _method(about)),
    ]
    return Page(
        title="When to stop searching a Sacred Place?",
        kicker=kicker(["kraken"], "exact study"),
        subtitle=(
            f"A Loot deck of {sum(deck.values())} cards; rewards worth nothing, and worth "
            f"{about['rewards']} IP. No game was played: these are expectations, not estimates."
        ),
        sections=[section for section in sections if section.blocks],
    )


def _answer(answers: Answers) -> list[Any]:
    sentences = []
    for name, given in answers.items():
        result = given.outcome
        sentences.append(
            f"{name[0].upper()}{name[1:]}: best play is worth {number(float(result.expected_value), 2)} IP, busts in "
            f"{percent(float(result.bust))} of searches and draws {number(float(result.expected_draws), 2)} cards."
        )
    blocks: list[Any] = [Paragraph(" ".join(sentences), lead=True)]
    if next(iter(answers.values())).start:
        blocks.append(Paragraph(" ".join(position_sentences(answers))))
    return [*blocks, Paragraph(study.RULE)]


def _ip(value: float, places: int = 2, sign: bool = False) -> Cell:
    return Cell(number(value, places, sign), float(value))


def _share(value: float) -> Cell:
    return Cell(percent(value), float(value))


def _side_by_side(answers: Answers, frame: pd.DataFrame, key: str) -> list[tuple[str, list[Any]]]:
    """Return the keys of a table in order, each with its row under every setting."""
    parts = [frame[frame["setting"] == name].to_dict("records") for name in answers]
    return [(str(rows[0][key]), list(rows)) for rows in zip(*parts, strict=True)]


def _held(answers: Answers, frame: pd.DataFrame) -> list[Any]:
    columns = [
        Column("You hold", numeric=False),
        Column("IP held"),
        Column("Cards left"),
        Column("Twins left", "cards that equal one you hold"),
        Column("Chance of a duplicate"),
    ]
    for name in answers:
        columns += [
            Column(f"{name}: gain (IP)", "of searching on with best play over stopping"),
            Column(f"{name}: best", numeric=False),
        ]
    rows = []
    for held, both in _side_by_side(answers, frame, "held"):
        one = both[0]
        row = [
            Cell(held.replace(",", " ") or "nothing", f"{one['loot']} {one['points']:02d} {held}"),
            Cell(str(one["points"]), one["points"]),
            Cell(str(one["cards_left"]), one["cards_left"]),
            Cell(str(one["twins_left"]), one["twins_left"]),
            _share(one["duplicate_chance"]),
        ]
        for given in both:
            row += [_ip(given["gain"], 2, True), text_cell(given["advice"])]
        rows.append(row)
    return [Table("Every set of Loot held, nothing else gone from the deck", columns, rows)]


def _rules(answers: Answers, frame: pd.DataFrame) -> list[Any]:
    columns = [Column("Rule", numeric=False)]
    for name in answers:
        columns += [Column(f"{name}: IP"), Column(f"{name}: bust"), Column(f"{name}: cards drawn")]
    rows: list[list[Cell]] = []
    for rule, both in _side_by_side(answers, frame, "rule"):
        row = [Cell(rule, f"{len(rows):03d}")]
        for given in both:
            row += [_ip(given["expected_value"], 3), _share(given["bust_probability"]), _ip(given["expected_draws"])]
        rows.append(row)
    return [Table("Expected IP of simple rules", columns, rows)]


def _payoff(answers: Answers, frames: Tables) -> list[Any]:
    names = {"loot": "Loot IP", "rewards": "IP of rewards", "payoff": "IP of both", "draws": "cards drawn"}
    columns = [
        Column("Loot", numeric=False), Column("Copies"), Column("Reward (IP)"), Column("Drawn on average"),
        Column("Kept", "share of searches that end with it"), Column("Busts", "share of searches that it ends"),
    ]  # fmt: skip
    blocks: list[Any] = []
    for name in answers:
        part = frames["values"][frames["values"]["setting"] == name].to_dict("records")
        rows = [
            [
                Cell(str(one["value"]), one["value"]), Cell(str(one["copies"]), one["copies"]), _ip(one["reward"]),
                _ip(one["drawn"], 3), _share(one["kept_chance"]), _share(one["bust_chance"]),
            ]
            for one in part
        ]  # fmt: skip
        blocks.append(Table(f"{name}: by value of Loot, best play", columns, rows))
    columns = [Column("", numeric=False), Column("Amount"), Column("Chance"), Column("So much or more")]
    for name in answers:
        part = frames["distribution"][frames["distribution"]["setting"] == name].to_dict("records")
        rows = [
            [
                Cell(names[str(one["of"])], f"{one['of']} {one['amount']:08.3f}"), _ip(one["amount"]),
                _share(one["chance"]), _share(one["chance_at_least"]),
            ]
            for one in part
        ]  # fmt: skip
        blocks.append(Table(f"{name}: distributions, best play", columns, rows, folded=True))
    return blocks


def _depletion(answers: Answers, frames: Tables) -> list[Any]:
    if "searches" not in frames:
        return []
    blocks: list[Any] = [
        Paragraph(
            "The Loot deck is never refilled. That changes a search less than one might think: whatever rule the "
            "searches follow, each value's expected share of the cards left stays what it was."
        )
    ]
    columns = [Column("Search", numeric=False), Column("Cards before it", "expected")]
    for name in answers:
        columns += [Column(f"{name}: IP"), Column(f"{name}: bust")]
    rows = []
    for search, both in _side_by_side(answers, frames["searches"], "search"):
        row = [Cell(search, int(search)), Cell(listing([number(one["cards_before"], 1) for one in both]), "")]
        for given in both:
            row += [_ip(given["expected_value"], 3), _share(given["bust_probability"])]
        rows.append(row)
    blocks.append(Table("Searches in a row from one deck, best play in each", columns, rows))
    columns = [
        Column("Cards left", numeric=False), Column("Mean (IP)", "any cards may be missing, all alike"),
        Column("Least (IP)"), Column("in this deck", numeric=False), Column("Most (IP)"),
        Column("in this deck", numeric=False),
    ]  # fmt: skip
    for name in answers:
        part = frames["cards_left"][frames["cards_left"]["setting"] == name].to_dict("records")
        rows = [
            [
                Cell(str(one["cards"]), one["cards"]), _ip(one["mean"], 3), _ip(one["worst"]),
                text_cell(str(one["worst_deck"])), _ip(one["best"]), text_cell(str(one["best_deck"])),
            ]
            for one in part
        ]  # fmt: skip
        blocks.append(Table(f"{name}: a whole search by the cards left", columns, rows, folded=True))
    return blocks


def _method(about: Mapping[str, Any]) -> list[Any]:
    items = [
        "Dynamic programming over every set of values held and every number of copies left: the value of a state is "
        "the better of stopping and of the mean over the next card.",
        "The first card must be drawn. A duplicate gives its reward, takes both equal cards away and ends the search; "
        "an empty deck ends it too.",
        "Drawing a value of which c copies are left lowers the sum of all gains of one more card by (2c \N{MINUS SIGN} "
        "1) times the value, plus its reward. Once stopping is right it stays right, so that looking one card ahead "
        "is optimal (Ferguson, Optimal Stopping and Applications, chapter 5: the monotone case).",
        "In the maps a cell is the mean over every deck that can be left with that share of twins: every number of "
        "cards left counts alike, and among decks of as many cards every choice of the missing cards.",
        "A worth of rewards in IP holds for one owner at one time. It does not say what wins games.",
    ]
    whole = about["fractions"].get("expected_value", "")
    provenance = [
        ("Command", str(about.get("command", ""))),
        ("Loot deck", str(about["deck"])),
        ("Held", str(about["held"])),
        ("Rewards", str(about["rewards"])),
        ("Expected IP as a fraction", whole),
        ("Version", str(about.get("version", ""))),
        ("Date", str(about.get("started", ""))),
    ]
    return [Listing(items), Facts([pair for pair in provenance if pair[1]], frozenset({"Command"}))]
