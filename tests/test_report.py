"""The report: numbers as words, figures that follow the theme, and one page that needs nothing else."""

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

from abysssim.report import figures, lord_values
from abysssim.report.blocks import kicker
from abysssim.report.numbers import decimals, estimate, interval, listing, number, percent, rough
from abysssim.report.page import Cell, Column, Page, Section, Table, render
from abysssim.report.provenance import play_command
from abysssim.report.style import DARK, LIGHT, ROLES, STAND_INS, png_bytes, svg_file, svg_text
from abysssim.studies import lord_estimates as estimates
from abysssim.studies.health import foremost, option_table
from abysssim.vocabulary import Decision, Verb
from tests.lord_example import SEATS, example_cards, example_result

NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
VOID = {"meta", "link", "br", "img", "input", "hr"}


# --- Numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "places"), [(0.3, 2), (0.034, 3), (2.1, 1), (14.0, 0), (150.0, 0), (1e-9, 4), (0.0, 1), (np.nan, 1)]
)
def test_a_value_has_one_digit_more_than_its_error_deserves(error: float, places: int) -> None:
    assert decimals(error) == places


def test_numbers_as_text() -> None:
    assert number(-1234567.891, 1) == f"\N{MINUS SIGN}1{NARROW_SPACE}234{NARROW_SPACE}567.9"
    assert number(0.5, 1, sign=True) == "+0.5"
    assert number(-0.04, 1) == "0.0"
    assert number(float("nan")) == "\N{EN DASH}"
    assert estimate(2.3456, 0.31, True) == "+2.35"
    assert interval(-1.0, 2.0, 0.5) == "\N{MINUS SIGN}1.00 to 2.00"
    assert percent(0.1234) == f"12.3{NARROW_SPACE}%"
    assert (rough(812.0), rough(45_200.0), rough(2.31e6)) == ("about 812", "about 45 thousand", "about 2.3 million")
    assert listing(["a", "b", "c"]) == "a, b and c"


# --- Figures -------------------------------------------------------------------------------------------------------


def test_decluttered_places_keep_order_and_distance() -> None:
    values = np.array([1.0, 1.01, 1.02, 5.0])
    places = figures.declutter(values, 0.5, 0.0, 6.0)
    assert (np.diff(places) >= 0.49).all()
    assert np.abs(places - values).max() < 0.7
    assert figures.declutter(np.array([9.9, 10.0]), 1.0, 0.0, 10.0).max() <= 10.0


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    results = [example_result(3000, 1), example_result(2000, 2, "mixed <&>", policies=2)]
    for result in results:
        result.sums["asked"] = np.zeros(len(Decision), np.int64)
        result.sums["picked"] = np.zeros((len(Decision), len(Verb)), np.int64)
        result.sums["asked"][Decision.OFFER] = 10
        result.sums["picked"][Decision.OFFER, Verb.PASS] = 10
    cards = example_cards()
    regions = {"ip": 0.5, "win": 0.5}

    def each(make: Any) -> pd.DataFrame:
        return pd.concat([make(result) for result in results], ignore_index=True)

    lords = each(lambda result: estimates.lord_table(result, cards, regions))
    game = {"lord": "ada", "name": "The Ada", "kind": "typical", "game": 7, "rotation": 0, "seat": 2, "turn": 5}
    return {
        "lords": lords,
        "verdicts": estimates.verdict_table(lords, "ip"),
        "agreement": estimates.agreement_table(lords, "ip"),
        "lords_by_policy": each(lambda result: estimates.policy_lord_table(result, cards)),
        "behaviour": each(estimates.behaviour_table),
        "seats": each(estimates.seat_table),
        "ends": each(estimates.end_table),
        "lengths": each(estimates.length_table),
        "options": each(lambda result: option_table(result.name, result.sums)),
        "notable": pd.DataFrame(
            {"line_up": ["all plain"], "kind": ["longest"], "turns": [99], "game": [12], "rotation": [0]}
        ),
        "games": pd.DataFrame([{**game, "margin": 4.0, "barred_margin": -2.0, "gain": 6.0}]),
    }


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    one = {"deals": 3000, "rotations": 1, "replays": 3040, "placebo_replays": 40, "placebo_changed": 0}
    one |= {"locations_never_held": ["The Abyss"], "digest": "d" * 32}
    return {
        "players": SEATS,
        "seed": 1,
        "takes": "one",
        "region": {"ip": 0.5, "win_share": 0.5},
        "lords": 6,
        "expansions": [],
        "rules_hash": "0123456789abcdef",
        "changes": {"lords.ada.cost": 7},
        "line_ups": [
            {**one, "name": "all plain", "policies": ["plain"] * 4, "games": 3000},
            {**one, "name": "mixed <&>", "policies": ["plain", "odd"] * 2, "games": 2000},
        ],
        "games": 10_080,
        "seconds": 1.5,
        "digest": "e" * 32,
        "command": "abysssim study lord-values",
    }


def test_figures_take_their_colours_from_the_page(tables: Any, facts: Any) -> None:
    for drawing in lord_values.drawings(tables, facts):
        shapes = [svg_text(drawing, draw, 400, drawing.name) for draw in (drawing.draw, *drawing.narrow)]
        for text in shapes:
            assert not any(getattr(STAND_INS, role) in text for role in ROLES)
            assert "var(--ink)" in text
            assert "DejaVu" not in text
            assert text.startswith("<svg")
            assert 'role="img"' in text
        assert svg_text(drawing, drawing.draw, 400, drawing.name) == shapes[0]
        assert "prefers-color-scheme: dark" in svg_file(shapes[0])
    assert png_bytes(lord_values.drawings(tables, facts)[0], 400, 1.0).startswith(b"\x89PNG")


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_stands_out_from_the_paper(palette: Any) -> None:
    # WCAG 2: 4.5 for text, 3 for marks.
    wanted = {"ink": 7, "muted": 4.5, "stronger": 4.5, "weaker": 4.5, "equivalent": 4.5, "undecided": 3}
    for role, least in wanted.items():
        light, dark = sorted((_luminance(getattr(palette, role)), _luminance(palette.paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= least, role


# --- The page ------------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Collects what the tests look at, and checks that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.rows: list[int] = []
        self.tables: list[list[int]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append(0)
        if tag in ("td", "th"):
            self.tables[-1][-1] += 1
        for name in ("src", "href", "xlink:href"):
            if name in values:
                self.links.append(values[name] or "")
        if "id" in values:
            self.anchors.add(values["id"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


@pytest.fixture(scope="module")
def html(tables: Any, facts: Any) -> str:
    return render(lord_values.page(tables, facts))


def test_page_is_whole_and_needs_no_network(html: str) -> None:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:] for link in reader.links if not link.startswith("#m")} <= reader.anchors
    assert not re.search(r"@import|url\((?!#)", html)
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html


def test_sections_are_in_the_order_of_a_report(html: str) -> None:
    reader = Reader()
    reader.feed(html)
    assert reader.headings == [
        "The answer",
        "Every Lord against the typical one",
        "The numbers",
        "What moves with it",
        "How the policies played",
        "Health",
        "Games to look at",
        "Method and provenance",
    ]


def test_every_row_of_a_table_has_all_columns(html: str) -> None:
    reader = Reader()
    reader.feed(html)
    assert len(reader.tables) > 6
    for rows in reader.tables:
        assert len(set(rows)) == 1


def test_classes_are_words_and_names_are_escaped(html: str) -> None:
    reader = Reader()
    reader.feed(html)
    for words in ("stronger", "weaker", "mixed <&>", "lords.ada.cost = 7", "0123456789abcdef"):
        assert words in reader.text
    assert "mixed <&>" not in html
    assert "options never chosen: buy (offer)" in reader.text


def test_answer_names_leaders_intervals_and_whom_it_holds_for(tables: Any, facts: Any) -> None:
    text = " ".join(lord_values.answer(tables, facts))
    assert text.startswith("Of 6 Lords,")
    assert "the Flo" in text.replace("The Flo", "the Flo")
    assert "stronger than the typical Lord by" in text
    assert "all Lords together" in text
    assert "4 players" in text
    assert "plain" in text
    assert "lords.ada.cost = 7" in text


def test_games_worth_noting_are_the_longest_and_the_first_stalemates() -> None:
    games = np.array([[50, 3, 0], [70, 2, 1], [70, 2, 0], [60, 1, 0]])
    assert foremost(games, "longest").tolist()[:4] == [[70, 2, 0], [70, 2, 1], [60, 1, 0], [50, 3, 0]]
    assert foremost(games, "stalemate").tolist()[0] == [60, 1, 0]
    assert foremost(games[:0], "stalemate").sum() == 0


def test_answer_without_any_decided_lord() -> None:
    lords = pd.DataFrame({"name": ["The Ada"], "ip_verdict": ["undecided"], "ip_difference": [0.1]})
    assert lord_values._leaders(lords) == ""


def test_command_of_a_game_gives_seats_changes_and_bar(facts: Any) -> None:
    command = play_command(facts, 7, 0, "2:ada")
    for part in ("--game 7", "--bar 2:ada", "--set lords.ada.cost=7", "--policies plain,plain,plain,plain"):
        assert part in command
    kept = play_command({**facts, "directory": "my results"}, 7, 2, "2:ada")
    assert kept == "abysssim play --from 'my results' --game 7 --rotation 2 --bar 2:ada"


def test_texts_cannot_break_out_of_the_page() -> None:
    table = Table("<b>", [Column("<i>", numeric=False)], [[Cell("<script>", "x")]])
    text = render(Page("<t>", "<s>", "<k>", [Section("a", "<h>", [table])]))
    for tag in ("<b>", "<i>", "<t>", "<s>", "<k>", "<h>"):
        assert tag not in text
    assert text.count("<script>") == 1


@pytest.mark.parametrize(
    ("expansions", "line"),
    [
        ([], "Abyss \N{MIDDLE DOT} balance study"),
        (["kraken"], "Abyss: Kraken \N{MIDDLE DOT} balance study"),
        (["kraken", "leviathan"], "Abyss: Kraken and Leviathan \N{MIDDLE DOT} balance study"),
    ],
)
def test_the_line_above_the_title_says_what_is_played(expansions: list[str], line: str) -> None:
    assert kicker(expansions) == line
