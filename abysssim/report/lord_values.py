"""The report of the study of Lord values: from its tables and facts to a page, figures and sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from abysssim.report import figures
from abysssim.report.blocks import (
    Info,
    Tables,
    answer_section,
    behaviour,
    each,
    endings,
    kicker,
    never,
    never_sentence,
    option_table,
    rules_changed,
    rules_line,
    shapes_of,
    value_cell,
)
from abysssim.report.figures import short_name
from abysssim.report.numbers import count, decimals, interval, listing, number, percent, rough, spelled
from abysssim.report.page import Cell, Column, Listing, Page, Paragraph, Section, Table, text_cell
from abysssim.report.provenance import play_command, provenance_of
from abysssim.report.style import Drawing

CLASSES = ("stronger", "weaker", "equivalent", "undecided")


def drawings(tables: Tables, facts: Info) -> list[Drawing]:
    """Return the figures of the report, in its order."""
    lords = tables["lords"]
    return [
        figures.forest(lords, facts["region"]["ip"]),
        figures.price(lords),
        figures.raw_against_value(lords),
        figures.taking(lords, tables["lords_by_policy"]),
        figures.lengths(tables["lengths"], facts["players"]),
    ]


def page(tables: Tables, facts: Info) -> Page:
    """Return the report as a page."""
    shapes = shapes_of(drawings(tables, facts))
    names = [line_up["name"] for line_up in facts["line_ups"]]
    games = sum(line_up["games"] for line_up in facts["line_ups"])
    changed = rules_changed(facts)
    sections = [
        answer_section(answer(tables, facts)),
        Section("figure", "Every Lord against the typical one", [shapes["lord_values"]]),
        Section("table", "The numbers", _numbers(tables, facts)),
        Section(
            "moves",
            "What moves with it",
            [
                shapes["cost_against_value"],
                shapes["raw_against_value"],
                shapes["who_takes_it_and_when"],
                *_cross_checks(tables, names),
                *_by_policy(tables, names),
            ],
        ),
        Section("policies", "How the policies played", behaviour(tables, names)),
        Section("health", "Health", [*_health(tables, facts), shapes["game_lengths"]]),
        Section("games", "Games to look at", _games(tables, facts)),
        Section("method", "Method and provenance", _method(tables, facts)),
    ]
    return Page(
        title="What is a Lord worth?",
        kicker=kicker(facts["expansions"]),
        subtitle=(
            f"{facts['players']} players, {spelled(len(names))} line-up{'s' * (len(names) > 1)} of policies, "
            f"{count(games)} games and as many replays with one Lord barred{changed}."
            if facts["takes"] == "one"
            else f"{facts['players']} players, {count(games)} games, all takes replayed with the Lord barred{changed}."
        ),
        sections=sections,
    )


# --- 1. The answer -------------------------------------------------------------------------------------------------


def answer(tables: Tables, facts: Info) -> list[str]:
    """Return two or three sentences and what they hold for, as paragraphs of plain text."""
    name = facts["line_ups"][0]["name"]
    lords = tables["lords"]
    first = lords[lords["line_up"] == name]
    paragraphs = [f"{_classes(first, facts)} {_leaders(first)}".strip(), _typical(first)]
    if len(facts["line_ups"]) > 1:
        paragraphs.append(_across(tables, facts))
    paragraphs.append(_holds_for(facts))
    return [text for text in paragraphs if text]


def _classes(first: pd.DataFrame, facts: Info) -> str:
    region = facts["region"]["ip"]
    counts = {verdict: int((first["ip_verdict"] == verdict).sum()) for verdict in CLASSES}
    words = {
        "equivalent": f"worth as much to {_those(counts['equivalent'])} taker as the typical one, within {region:g} IP",
        "stronger": "stronger",
        "weaker": "weaker",
        "undecided": "undecided so far",
    }
    parts = [
        f"{spelled(counts[verdict])} {'is' if counts[verdict] == 1 else 'are'} {words[verdict]}"
        for verdict in ("equivalent", "stronger", "weaker", "undecided")
        if counts[verdict]
    ]
    return f"Of {len(first)} Lords, {listing(parts)}."


def _those(how_many: int) -> str:
    return "its" if how_many == 1 else "their"


def _leaders(first: pd.DataFrame) -> str:
    """Return the sentences that name the strongest and the weakest, with intervals for all Lords together."""
    sentences: list[str] = []
    for verdict in ("stronger", "weaker"):
        ranked = first[first["ip_verdict"] == verdict].sort_values("ip_difference", ascending=verdict == "weaker")
        amounts = [f"the {short_name(lord.name)} {{}}by {_amount(lord)}" for lord in each(ranked.head(3))]
        if amounts:
            than = "" if sentences else "than the typical Lord "
            text = listing([amounts[0].format(f"is {verdict} {than}"), *(one.format("") for one in amounts[1:])])
            sentences.append(f"{text[0].upper()}{text[1:]}.")
    return " ".join([*sentences, "These intervals hold for all Lords together (95 %)."]) if sentences else ""


def _amount(lord: Any) -> str:
    """Return how far a Lord is from the typical one: "3.9 IP (2.9 to 4.8)"."""
    places = decimals(lord.ip_difference_se)
    low, high = sorted((abs(lord.ip_difference_low_all), abs(lord.ip_difference_high_all)))
    return f"{number(abs(lord.ip_difference), places)} IP ({number(low, places)} to {number(high, places)})"


def _typical(first: pd.DataFrame) -> str:
    measured = first[first["ip_value_low"].notna()]
    if measured.empty:
        return ""
    middle = (measured["ip_value"] - measured["ip_difference"]).mean()
    share = (measured["win_value"] - measured["win_difference"]).mean()
    return (
        f"Taking the typical Lord is worth {number(middle, 1, True)} IP and {number(share, 1, True)} percentage points "
        "of win share, against the same game in which that seat may not take it and plays on with what is left."
    )


def _across(tables: Tables, facts: Info) -> str:
    """Return how far the line-ups agree."""
    verdicts = tables["verdicts"]
    lords = tables["lords"].drop_duplicates("lord").set_index("lord")["name"]
    agreed = verdicts[verdicts["overall"].isin(("stronger", "weaker", "equivalent"))]
    parts = []
    for verdict in ("stronger", "weaker"):
        names = [short_name(lords[key]) for key in agreed.loc[agreed["overall"] == verdict, "lord"]]
        parts.append(f"{verdict}: {listing(names)}" if names else f"{verdict}: none")
    pair = tables["agreement"]
    agree = number(pair["rank_correlation"].iloc[0], 2) if len(pair) == 1 else ""
    ranks = f" The rankings agree to {agree} (rank correlation)." if agree else ""
    same = len(agreed)
    return (
        f"{spelled(same).capitalize()} of the {len(verdicts)} Lords {'is' if same == 1 else 'are'} in the same decided "
        f"class under every line-up ({'; '.join(parts)}).{ranks}"
    )


def _holds_for(facts: Info) -> str:
    line_ups = [
        f"{one['name']} ({listing(list(dict.fromkeys(one['policies'])))})" for one in facts["line_ups"]
    ]
    return (
        f"This holds for {facts['players']} players and these policies: {listing(line_ups)}. Who plays differently "
        f"may find other Lords strong. {rules_line(facts)}"
    )


# --- 3. The table --------------------------------------------------------------------------------------------------


def _rank(value: Any) -> Cell:
    rank = float("nan") if pd.isna(value) else float(value)
    return Cell(number(rank, 0), rank)


def _verdict(text: str) -> Cell:
    order = {"stronger": 0, "undecided": 2, "equivalent": 1, "weaker": 3}
    return Cell(text, f"{order.get(text, 4)} {text}", verdict=text)


def _numbers(tables: Tables, facts: Info) -> list[Any]:
    region = facts["region"]
    together = (
        "Classes are of the difference to the typical Lord (the mean of the middle half of the Lords), from intervals "
        "that hold for all Lords of a line-up together: "
        f"equivalent if wholly within \N{PLUS-MINUS SIGN}{region['ip']:g} IP "
        f"(\N{PLUS-MINUS SIGN}{region['win_share']:g} percentage points of win share), stronger or weaker if wholly "
        "outside, else undecided."
    )
    blocks: list[Any] = [Paragraph(together)]
    for place, line_up in enumerate(facts["line_ups"]):
        blocks.append(_lord_table(tables, line_up, place > 0))
    if len(facts["line_ups"]) > 1:
        blocks.append(_side_by_side(tables, [one["name"] for one in facts["line_ups"]]))
    return blocks


def _lord_table(tables: Tables, line_up: Info, folded: bool) -> Table:
    lords = tables["lords"]
    part = lords[lords["line_up"] == line_up["name"]].sort_values("ip_shrunk", ascending=False)
    columns = [
        Column("Lord", numeric=False),
        Column("Class (IP)", "of the difference to the typical Lord", numeric=False),
        Column("Against the typical Lord (IP)", "take-value less that of the typical Lord"),
        Column("95 % for all", "interval that holds for all Lords together"),
        Column("Worth to its taker (IP)", "take-value: margin with the Lord less margin with the Lord barred"),
        Column("Win share against the typical (pp)", "percentage points"),
        Column("95 % for all (pp)", "interval that holds for all Lords together"),
        Column("Class (win share)", "of the difference to the typical Lord", numeric=False),
        Column("Rank", "by the shrunken difference"),
        Column("Shrunken (IP)", "difference pulled to the common mean by what its error deserves (empirical Bayes)"),
        Column("Taken per game"),
        Column("Cost"),
        Column("Printed IP"),
        Column("Guild", numeric=False),
        Column("Games to decide", "how many more games would decide the class, if the estimate stayed where it is"),
    ]
    rows = []
    for lord in each(part):
        spread, share = lord.ip_difference_se, lord.win_difference_se
        more = rough(lord.ip_more_games) if lord.ip_more_games > 0 else "decided"
        rows.append(
            [
                text_cell(short_name(lord.name)),
                _verdict(lord.ip_verdict),
                value_cell(lord.ip_difference, spread, True),
                Cell(
                    interval(lord.ip_difference_low_all, lord.ip_difference_high_all, spread, True),
                    float(lord.ip_difference_low_all),
                ),
                value_cell(lord.ip_value, lord.ip_value_se, True),
                value_cell(lord.win_difference, share, True),
                Cell(
                    interval(lord.win_difference_low_all, lord.win_difference_high_all, share, True),
                    float(lord.win_difference_low_all),
                ),
                _verdict(lord.win_verdict),
                _rank(lord.ip_rank),
                value_cell(lord.ip_shrunk, spread, True),
                Cell(number(lord.takes_per_game, 2), float(lord.takes_per_game)),
                Cell(str(lord.cost), lord.cost),
                Cell(str(lord.points), lord.points),
                text_cell(lord.guild),
                Cell(more, float(lord.ip_more_games)),
            ]
        )
    name = f"{line_up['name']}: {count(line_up['games'])} games, {count(line_up['replays'])} replays"
    return Table(name, columns, rows, folded)


def _side_by_side(tables: Tables, names: Sequence[str]) -> Table:
    """Return the rankings of all line-ups next to each other: a ranking under one is an artefact of it."""
    lords, verdicts = tables["lords"], tables["verdicts"].set_index("lord")
    columns = [Column("Lord", numeric=False), Column("Under all line-ups", numeric=False)]
    for name in names:
        columns += [Column(f"{name}: rank"), Column(f"{name} (IP)"), Column(f"{name}: class", numeric=False)]
    by_name = {name: lords[lords["line_up"] == name].set_index("lord") for name in names}
    rows = []
    order = by_name[names[0]].sort_values("ip_shrunk", ascending=False).index
    verdicts = verdicts.loc[order]
    for key, overall in zip(list(verdicts.index), list(verdicts["overall"]), strict=True):
        row = [text_cell(short_name(str(by_name[names[0]].loc[key, "name"]))), _verdict(str(overall))]
        for name in names:
            lord: Any = by_name[name].loc[key]
            row.append(_rank(lord["ip_rank"]))
            row.append(value_cell(lord["ip_difference"], lord["ip_difference_se"], True))
            row.append(_verdict(lord["ip_verdict"]))
        rows.append(row)
    caption = "The rankings side by side, against the typical Lord: a ranking under one line-up is an artefact of it."
    return Table(caption, columns, rows)


# --- 4. What moves with it -----------------------------------------------------------------------------------------


def _cross_checks(tables: Tables, names: Sequence[str]) -> list[Any]:
    columns = [
        Column("Lord", numeric=False),
        Column("Take-value (IP)", "causal: with the Lord less with the Lord barred"),
        Column("Raw margin of takers (IP)", "biased: mixes the Lord with the position of those who can afford it"),
        Column("Regression (IP)", "descriptive: ridge regression of margins on Lords taken, games as fixed effects"),
        Column("Take-value (pp)", "percentage points of win share"),
        Column("Raw, above fair share (pp)", "biased"),
        Column("Regression (pp)", "descriptive"),
        Column("Impact per seat and game (IP)", "chance that a seat takes it, times take-value"),
        Column("Own turn of taking", "mean"),
        Column("Variance reduction (IP)", "how many times more independent games the same precision would take"),
        Column("Result moved", "share of replays in which the taker's result was another"),
    ]
    text = (
        "Three ways to put a number on a Lord. Only the take-value is causal. The raw win rate is biased, because "
        "Lords are taken by those who can afford them; the regression counts a Lord's own points in full and forgets "
        "what else the Allies would have bought, so that it is higher for every Lord; only its order says something."
    )
    blocks: list[Any] = [Paragraph(text)]
    for place, name in enumerate(names):
        part = tables["lords"][tables["lords"]["line_up"] == name].sort_values("ip_shrunk", ascending=False)
        rows = [
            [
                text_cell(short_name(lord.name)),
                value_cell(lord.ip_value, lord.ip_value_se, True),
                value_cell(lord.ip_raw, lord.ip_raw_se, True),
                value_cell(lord.ip_regression, lord.ip_regression_se, True),
                value_cell(lord.win_value, lord.win_value_se, True),
                value_cell(lord.win_raw, lord.win_raw_se, True),
                value_cell(lord.win_regression, lord.win_regression_se, True),
                value_cell(lord.ip_impact, lord.ip_impact_se, True),
                Cell(number(lord.turn_mean, 1), float(lord.turn_mean)),
                Cell(number(lord.ip_variance_reduction, 1), float(lord.ip_variance_reduction)),
                Cell(percent(lord.moved, 0), float(lord.moved)),
            ]
            for lord in each(part)
        ]
        blocks.append(Table(f"{name}: take-value, raw and regression side by side", columns, rows, place > 0))
    return blocks


def _by_policy(tables: Tables, names: Sequence[str]) -> list[Any]:
    """Return for each mixed line-up how often each policy takes a Lord and what it is worth to that policy."""
    blocks = []
    for name in names:
        part = tables["lords_by_policy"][tables["lords_by_policy"]["line_up"] == name]
        policies = list(part["policy"].drop_duplicates())
        if len(policies) < 2:
            continue
        lords = tables["lords"][tables["lords"]["line_up"] == name].sort_values("ip_shrunk", ascending=False)
        columns = [Column("Lord", numeric=False)]
        for policy in policies:
            columns += [Column(f"{policy}: taken"), Column(f"{policy}: take-value (IP)")]
        found = part.set_index(["lord", "policy"])
        rows = []
        for lord in each(lords):
            row = [text_cell(short_name(lord.name))]
            for policy in policies:
                one: Any = found.loc[(lord.lord, policy)]
                row.append(Cell(percent(one["take_rate"]), float(one["take_rate"])))
                row.append(value_cell(one["ip_value"], one["ip_value_se"], True))
            rows.append(row)
        blocks.append(Table(f"{name}: by policy, taken by a seat in a game, and worth to it", columns, rows, True))
    return blocks


# --- 6. Health -----------------------------------------------------------------------------------------------------


def _health(tables: Tables, facts: Info) -> list[Any]:
    items = []
    for line_up in facts["line_ups"]:
        items.append(_never(tables, line_up))
        items += endings(tables, line_up)
    return [Listing(items), option_table(tables["options"])]


def _never(tables: Tables, line_up: Info) -> str:
    """Return what never happened under a line-up, as a sentence."""
    lords = tables["lords"][tables["lords"]["line_up"] == line_up["name"]]
    names = {
        "Lords never taken": [short_name(one) for one in lords.loc[lords["takes_per_game"] == 0, "name"]],
        "Locations never held at the end": [short_name(one) for one in line_up["locations_never_held"]],
        **never(tables, line_up),
    }
    all_well = "every Lord was taken, every Location held, every decision faced and every kind of option chosen"
    return never_sentence(line_up, names, all_well)


# --- 7. Games to look at -------------------------------------------------------------------------------------------


def _games(tables: Tables, facts: Info) -> list[Any]:
    columns = [
        Column("Lord", numeric=False),
        Column("How", numeric=False),
        Column("Game"),
        Column("Seat"),
        Column("Own turn"),
        Column("Margin (IP)", "of the taker"),
        Column("Barred (IP)", "of the same seat when it may not take the Lord"),
        Column("Command", numeric=False),
    ]
    rows = [
        [
            text_cell(short_name(one.name)),
            text_cell(one.kind),
            Cell(str(one.game), one.game),
            Cell(str(one.seat), one.seat),
            Cell(str(one.turn), one.turn),
            Cell(number(one.margin, 1, True), one.margin),
            Cell(number(one.barred_margin, 1, True), one.barred_margin),
            Cell(play_command(facts, one.game, one.rotation, f"{one.seat}:{one.lord}"), code=True),
        ]
        for one in each(tables["games"])
    ]
    text = (
        "Replays with a bar, from the first deals of the first line-up: one typical of the Lord, the one in which it "
        "helped its taker most, and the one in which it helped least. Seats and games count from 0. The command prints "
        "the game, and where and how it goes another way with the bar."
    )
    return [Paragraph(text), Table("Games worth a look", columns, rows)]


# --- 8. Method -----------------------------------------------------------------------------------------------------


def _method(tables: Tables, facts: Info) -> list[Any]:
    lords = tables["lords"]
    measured = lords[lords["ip_difference_low"].notna()]
    half = (measured["ip_difference_high_all"] - measured["ip_difference_low_all"]).median() / 2
    factor = measured["ip_variance_reduction"].replace(np.inf, np.nan).median()
    win_factor = measured["win_variance_reduction"].replace(np.inf, np.nan).median()
    replays = sum(one["placebo_replays"] for one in facts["line_ups"])
    changed = sum(one["placebo_changed"] for one in facts["line_ups"])
    sampling = (
        "One take of each game, uniform over its takes, is replayed and weighted by their number."
        if facts["takes"] == "one"
        else "Every take of each game is replayed."
    )
    items = [
        "Each deal is played, once for each distinct rotation of the line-up over the seats. Where a seat took a Lord "
        "by its own choice, the same deal is played again and that seat may not take that Lord. The take-value is the "
        "mean of result less barred result over takes, for the margin over the mean of the opponents (IP) and for win "
        f"share. {sampling}",
        "Chance is keyed (seed, game, card), so that both games share all decks; this is worth a factor of "
        f"{number(factor, 1)} (IP) and {number(win_factor, 1)} (win share) in the variance, in the median over Lords.",
        "Errors are by the jackknife over 256 groups of deals. Intervals for all Lords together use the distribution "
        "of the largest deviation, from the correlation over the groups. They hold for one line-up and one outcome "
        f"at a time. The median half-width is {number(half, 2)} IP.",
        "A Lord taken by a blind draw (the Schemer) is no choice and cannot be barred.",
        f"Self-check: {count(replays)} replays barred a Lord that its seat did not take; the result "
        f"of {count(changed)} was another (none should be).",
    ]
    line_ups = [
        f"{one['name']}: {', '.join(one['policies'])}; {count(one['deals'])} deals, {count(one['games'])} games, "
        f"{count(one['replays'])} replays, digest {one['digest']}"
        for one in facts["line_ups"]
    ]
    return [Listing(items), provenance_of(facts, line_ups)]
