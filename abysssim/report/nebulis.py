"""The report of the study of Nebulis: from its tables and facts to a page, figures and sentences."""

from typing import Any

import numpy as np
import pandas as pd

from abysssim.report import figures, nebulis_figures
from abysssim.report.blocks import (
    Info,
    Tables,
    answer_section,
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
from abysssim.report.nebulis_figures import ARM_WORDS
from abysssim.report.numbers import count, decimals, estimate, interval, listing, number, percent, spelled
from abysssim.report.page import Cell, Column, Listing, Page, Paragraph, Section, Table, text_cell
from abysssim.report.provenance import deal_command, provenance_of
from abysssim.report.style import Drawing

HEADLINE = "played"
AXES = {
    "points": "points for each Nebulis",
    "figure": "points of the figure",
    "both": "both penalties together",
}
UNITS = {"points": "IP for each Nebulis", "figure": "IP for the figure", "both": "times both penalties"}
EFFECTS = {
    "mechanical": "Mechanical (scored again, against the rules' own pair)",
    "behaviour": "Behaviour (policies see it, against scored again)",
    "adaptation": "Adaptation (tuned, against policies as they are)",
}
BEHAVIOUR = {
    "nebulis_gained": "Nebulis taken",
    "nebulis_passed": "Nebulis passed on to others",
    "nebulis_paid": "Nebulis paid to the supply",
    "nebulis_held": "Nebulis held at the end",
    "krakens_paid": "Krakens paid",
    "krakens_left": "Krakens left in hand at the end",
    "figure_taken": "times that the figure came",
    "figure_held": "figure held at the end",
    "recruitments": "Lords recruited",
    "purchases": "Allies bought from others",
    "sales": "Allies sold to others",
    "explorations": "explorations",
    "council_actions": "Council stacks asked for",
    "pearls": "Pearls left at the end",
    "turns": "own turns",
}


def drawings(tables: Tables, facts: Info) -> list[Drawing]:
    """Return the figures of the report, in its order."""
    line_up = odd_line_up(facts)
    return [
        nebulis_figures.penalty_map(
            _cells(tables, HEADLINE, line_up, facts["names"]["smuggler"]),
            ARM_WORDS[HEADLINE],
            (facts["own"]["points"], facts["own"]["figure"]),
            100 / facts["players"],
            _seat(facts),
        ),
        nebulis_figures.curves(tables["curves"][tables["curves"]["line_up"] == line_up], _seat(facts)),
        figures.lengths(tables["lengths"], facts["players"]),
    ]


def odd_line_up(facts: Info) -> str:
    """Return the name of the line-up with one smuggler."""
    return str(facts["line_ups"][1]["name"])


def _seat(facts: Info) -> str:
    others = facts["players"] - 1
    return f"one smuggler among {spelled(others)} honest seats" if others > 1 else "a smuggler against an honest seat"


def _cells(tables: Tables, arm: str, line_up: str, policy: str) -> pd.DataFrame:
    cells = tables["cells"]
    return cells[(cells["arm"] == arm) & (cells["line_up"] == line_up) & (cells["policy"] == policy)]


def page(tables: Tables, facts: Info) -> Page:
    """Return the report as a page."""
    shapes = shapes_of(drawings(tables, facts))
    sections = [
        answer_section(answer(tables, facts)),
        Section("figure", "Where smuggling pays", [shapes["penalty_map"]]),
        Section("table", "The numbers", _numbers(tables, facts)),
        Section("moves", "What moves with it", [shapes["along_the_axes"], *_effects(tables, facts)]),
        Section("policies", "How the policies played", _behaviour(tables, facts)),
        Section("health", "Health", [*_health(tables, facts), shapes["game_lengths"]]),
        Section("games", "Games to look at", _games(tables, facts)),
        Section("method", "Method and provenance", _method(tables, facts)),
    ]
    cells = len(facts["points"]) * len(facts["figure"])
    return Page(
        title="What do the penalties for Nebulis do?",
        kicker=kicker(facts["expansions"]),
        subtitle=(
            f"{facts['players']} players, {cells} pairs of penalties on the same deals, {count(facts['games'])} games"
            f"{rules_changed(facts)}."
        ),
        sections=sections,
    )


# --- 1. The answer -------------------------------------------------------------------------------------------------


def answer(tables: Tables, facts: Info) -> list[str]:
    """Return two or three sentences and what they hold for, as paragraphs of plain text."""
    paragraphs = [f"{_now(tables, facts)} {_where(tables, facts)}", _other_arms(tables, facts)]
    return [*(text for text in paragraphs if text), _holds_for(facts)]


def _now(tables: Tables, facts: Info) -> str:
    """Return what smuggling brings under the rules' own penalties."""
    cells = _cells(tables, HEADLINE, odd_line_up(facts), facts["names"]["smuggler"])
    own = facts["own"]
    cell = next(each(cells[(cells["points"] == own["points"]) & (cells["figure"] == own["figure"])]))
    word = "gains" if cell.margin_low > 0 else "loses" if cell.margin_high < 0 else "is level within the error,"
    amount = cell.margin if word.startswith("is") else abs(cell.margin)
    ends = (cell.margin_low, cell.margin_high)
    low, high = ends if word != "loses" else (-ends[1], -ends[0])
    share = number(cell.win_share, decimals(cell.win_share_se))
    return (
        f"At {number(own['points'], 0)} IP for each Nebulis and {number(own['figure'], 0)} for the Kraken figure, "
        f"{_seat(facts)} {word} {estimate(amount, cell.margin_se)} IP (95 %: {interval(low, high, cell.margin_se)}) on "
        f"the others' mean and wins {share} % of the games, where {number(100 / facts['players'], 1)} would be fair."
    )


def _where(tables: Tables, facts: Info) -> str:
    """Return where smuggling stops paying along the axes, as sentences."""
    rows = _break_even(tables, HEADLINE, odd_line_up(facts))
    return " ".join(
        f"With {_fixed(one.axis, facts)}, {break_even_words(one)}{_as_pair(one, facts)}." for one in each(rows)
    )


def _as_pair(one: Any, facts: Info) -> str:
    """Return what a multiple of the rules' own pair comes to, in IP."""
    if one.axis != "both" or one.course != "crosses":
        return ""
    own, places = facts["own"], _places(one)
    nebulis, figure = (number(one.penalty * own[key], max(places - 1, 1)) for key in ("points", "figure"))
    return f", which is {nebulis} IP for each Nebulis and {figure} for the figure"


def _break_even(tables: Tables, arm: str, line_up: str, outcome: str = "margin") -> pd.DataFrame:
    table = tables["break_even"]
    return table[(table["arm"] == arm) & (table["line_up"] == line_up) & (table["outcome"] == outcome)]


def _fixed(axis: str, facts: Info) -> str:
    own = facts["own"]
    return {
        "points": f"the figure at {number(own['figure'], 0)}",
        "figure": f"each Nebulis at {number(own['points'], 0)}",
        "both": "both in the proportion of the rules",
    }[axis]


def break_even_words(one: Any) -> str:
    """Return where smuggling stops paying on one axis, in words: a row of table `break_even`."""
    span = _span(one.axis, one.first, one.last, 0)
    if one.course == "above":
        return f"smuggling pays all the way from {span}"
    if one.course == "below":
        return f"smuggling pays nowhere from {span}"
    if one.course == "rises":
        return f"smuggling pays only at the heavier penalties from {span}"
    if one.course == "crosses" and np.isfinite(one.low) and np.isfinite(one.high):
        places = _places(one)
        return (
            f"smuggling stops paying at {_place(one.axis, one.penalty, places)} "
            f"(95 %: {_number(one.axis, one.low, places)} to {_number(one.axis, one.high, places)})"
        )
    if np.isfinite(one.high):
        return f"smuggling stops paying at {_place(one.axis, one.high, 2)} at the latest (95 %)"
    if np.isfinite(one.low):
        return f"smuggling pays up to {_place(one.axis, one.low, 2)} at least (95 %)"
    return f"nothing can be told yet about smuggling from {span}"


def _places(one: Any) -> int:
    """Return the decimals that a crossing deserves."""
    return max(decimals((one.high - one.low) / 4), 1) if np.isfinite(one.high - one.low) else 2


def _place(axis: str, place: float, places: int) -> str:
    """Return a place on an axis: IP with their sign, or a multiple of the rules' own pair."""
    return f"{_number(axis, place, places)} {UNITS[axis]}"


def _span(axis: str, low: float, high: float, places: int) -> str:
    return f"{_number(axis, low, places)} to {_number(axis, high, places)} {UNITS[axis]}"


def _number(axis: str, place: float, places: int) -> str:
    return number(place if axis == "both" else 0.0 - place, places)


def _other_arms(tables: Tables, facts: Info) -> str:
    """Return what the other arms say of both penalties together."""
    sentences = []
    for arm, words in (("rescored", "If nobody played otherwise"), ("tuned", "After all were tuned for it")):
        rows = _break_even(tables, arm, odd_line_up(facts))
        for one in each(rows[rows["axis"] == "both"]):
            sentences.append(f"{words}, {break_even_words(one)}.")
    if not sentences:
        return ""
    return f"The same with both in the proportion of the rules, by the other arms: {' '.join(sentences)}"


def _holds_for(facts: Info) -> str:
    names = facts["policies"]
    return (
        f"This holds for {facts['players']} players and these policies: {names['smuggler']} (smuggling), "
        f"{names['honest']} (honest). Who plays differently may find other penalties right. {rules_line(facts)}"
    )


# --- 3. The table --------------------------------------------------------------------------------------------------


def _numbers(tables: Tables, facts: Info) -> list[Any]:
    text = (
        "Smuggling pays where the margin of the smuggling seat is above 0, or its win share above the fair one; where "
        "the honest seat is the odd one out, where that one falls behind. Penalties are IP; along both together they "
        "are multiples of the rules' own pair. Each interval is for itself (95 %)."
    )
    blocks: list[Any] = [Paragraph(text), _break_even_table(tables)]
    mixed = [one["name"] for one in facts["line_ups"] if one["arm"] == HEADLINE and len(set(one["policies"])) > 1]
    for place, line_up in enumerate(mixed):
        blocks.append(_cell_table(tables, facts, line_up, place > 0))
    return blocks


def _break_even_table(tables: Tables) -> Table:
    columns = [
        Column("Line-up", numeric=False),
        Column("Arm", numeric=False),
        Column("Along", numeric=False),
        Column("By margin: stops paying at"),
        Column("95 %", "of the margin's"),
        Column("By win share: stops paying at"),
        Column("95 %", "of the win share's"),
    ]
    table = tables["break_even"]
    keys = table[["line_up", "arm", "axis"]].drop_duplicates()
    rows = []
    for key in each(keys):
        part = table[(table["line_up"] == key.line_up) & (table["arm"] == key.arm) & (table["axis"] == key.axis)]
        row = [text_cell(key.line_up), text_cell(ARM_WORDS[key.arm]), text_cell(AXES[key.axis])]
        for outcome in ("margin", "win_share"):
            row += _break_even_cells(next(each(part[part["outcome"] == outcome])))
        rows.append(row)
    return Table("Where smuggling stops paying", columns, rows)


def _break_even_cells(one: Any) -> list[Cell]:
    words = {"above": "pays everywhere", "below": "pays nowhere", "rises": "pays late only", "undecided": "undecided"}
    places = _places(one)
    ends = [_number(one.axis, end, places) if np.isfinite(end) else "open" for end in (one.low, one.high)]
    crosses = one.course == "crosses"
    shown = " to ".join(ends) if crosses or one.course == "undecided" else number(np.nan)
    place = _number(one.axis, one.penalty, places) if crosses else words[one.course]
    return [Cell(place, float(one.penalty)), Cell(shown, float(one.low))]


def _cell_table(tables: Tables, facts: Info, line_up: str, folded: bool) -> Table:
    """Return what becomes of the odd seat in every cell: a row a pair of penalties, columns by arm."""
    policy = _odd_policy(tables, line_up)
    parts = {arm: _cells(tables, arm, line_up, policy).set_index(["points", "figure"]) for arm in ARM_WORDS}
    arms = [arm for arm, part in parts.items() if len(part)]
    columns = [Column("Nebulis / figure", "IP of each Nebulis, and of the Kraken figure", numeric=False)]
    for arm in arms:
        name = ARM_WORDS[arm]
        columns += [Column(f"{name}: margin (IP)"), Column("95 %"), Column(f"{name}: win share (%)")]
    rows = []
    key: Any
    for key in parts[HEADLINE].index:
        own = key == (facts["own"]["points"], facts["own"]["figure"])
        row = [_pair_cell(key[0], key[1], " (rules)" if own else "")]
        for arm in arms:
            row += _outcome_cells(parts[arm].loc[key]) if key in parts[arm].index else [Cell(number(np.nan))] * 3
        rows.append(row)
    return Table(f"{line_up}: the {policy} seat by pair of penalties", columns, rows, folded)


def _pair_cell(points: int, figure: int, more: str = "") -> Cell:
    """Return a cell with a pair of penalties; milder pairs sort first."""
    return Cell(f"{number(points, 0)} / {number(figure, 0)}{more}", f"{100 - points:03d} {100 - figure:03d}")


def _outcome_cells(one: Any) -> list[Cell]:
    return [
        value_cell(one["margin"], one["margin_se"], True),
        Cell(interval(one["margin_low"], one["margin_high"], one["margin_se"], True), float(one["margin_low"])),
        value_cell(one["win_share"], one["win_share_se"]),
    ]


def _odd_policy(tables: Tables, line_up: str) -> str:
    """Return the policy of the odd seat: the first that the tables list."""
    return str(tables["cells"].loc[tables["cells"]["line_up"] == line_up, "policy"].iloc[0])


# --- 4. What moves with it -----------------------------------------------------------------------------------------


def _effects(tables: Tables, facts: Info) -> list[Any]:
    text = (
        "What a pair of penalties does to the odd seat, step by step. Mechanical: the same games scored again. "
        "Behaviour: what the policies change when they see the penalties. Adaptation: what changes when their weights "
        "are tuned for them. All differences are between the same deals."
    )
    blocks: list[Any] = [Paragraph(text)]
    line_up = odd_line_up(facts)
    policy = _odd_policy(tables, line_up)
    table = tables["effects"]
    for effect, words in EFFECTS.items():
        part = table[
            (table["effect"] == effect) & (table["line_up"] == line_up) & (table["policy"] == policy)
        ]
        if len(part):
            caption = f"{line_up}, {policy}: {words[0].lower()}{words[1:]}"
            blocks.append(_effect_table(part, caption))
    return blocks


def _effect_table(part: pd.DataFrame, caption: str) -> Table:
    columns = [
        Column("Nebulis / figure", numeric=False),
        Column("Margin (IP)"),
        Column("95 %"),
        Column("Win share (pp)", "percentage points"),
        Column("95 %"),
        Column("Variance reduction (IP)", "how many times more independent games the same precision would take"),
        Column("Variance reduction (win share)"),
    ]
    rows = [
        [
            _pair_cell(one.points, one.figure),
            value_cell(one.margin, one.margin_se, True),
            Cell(interval(one.margin_low, one.margin_high, one.margin_se, True), float(one.margin_low)),
            value_cell(one.win_share, one.win_share_se, True),
            Cell(interval(one.win_share_low, one.win_share_high, one.win_share_se, True), float(one.win_share_low)),
            _factor(one.margin_variance_reduction),
            _factor(one.win_share_variance_reduction),
        ]
        for one in each(part)
    ]
    return Table(caption, columns, rows, folded=True)


def _factor(value: float) -> Cell:
    return Cell("the same games" if np.isinf(value) else number(value, 1), float(value))


# --- 5. How the policies played ------------------------------------------------------------------------------------


def _behaviour(tables: Tables, facts: Info) -> list[Any]:
    text = "Means for a seat and a game, so that a reader can disbelieve them."
    blocks: list[Any] = [Paragraph(text), _own_behaviour(tables, facts), *_by_cell(tables), _figure_table(tables)]
    return [*blocks, *_tuning(tables)]


def _own_behaviour(tables: Tables, facts: Info) -> Table:
    """Return what every policy did, and how it fared, under the rules' own penalties."""
    own = facts["own"]

    def here(table: pd.DataFrame) -> pd.DataFrame:
        cell = (table["points"] == own["points"]) & (table["figure"] == own["figure"])
        found: pd.DataFrame = table[cell & (table["arm"] == HEADLINE)]
        return found

    part, fared = here(tables["behaviour"]), here(tables["cells"])
    columns = [Column("", numeric=False), *(Column(f"{one.policy}, {one.line_up}") for one in each(part))]
    rows = [
        [text_cell("win share (%)"), *(value_cell(one.win_share, one.win_share_se) for one in each(fared))],
        [text_cell("margin (IP)"), *(value_cell(one.margin, one.margin_se, True) for one in each(fared))],
        [text_cell("IP"), *(value_cell(one.ip, one.ip_se) for one in each(fared))],
    ]
    for key, words in BEHAVIOUR.items():
        rows.append([text_cell(words), *(Cell(number(value, 2), float(value)) for value in part[key])])
    return Table("Under the rules' own penalties", columns, rows)


def _by_cell(tables: Tables) -> list[Table]:
    """Return how the use of Nebulis moves with the penalties: a table a line-up."""
    table = tables["behaviour"]
    shown = ("nebulis_gained", "nebulis_passed", "nebulis_paid", "nebulis_held", "krakens_paid", "krakens_left")
    columns = [Column("Nebulis / figure", numeric=False), Column("Arm", numeric=False), Column("Policy", numeric=False)]
    columns += [Column(BEHAVIOUR[measure]) for measure in shown]
    found = []
    for line_up in table["line_up"].drop_duplicates():
        rows = [
            [
                _pair_cell(one.points, one.figure),
                text_cell(ARM_WORDS[one.arm]),
                text_cell(one.policy),
                *(Cell(number(getattr(one, measure), 2), float(getattr(one, measure))) for measure in shown),
            ]
            for one in each(table[table["line_up"] == line_up])
        ]
        found.append(Table(f"{line_up}: Nebulis and Krakens by pair of penalties", columns, rows, folded=True))
    return found


def _figure_table(tables: Tables) -> Table:
    columns = [
        Column("Line-up", numeric=False),
        Column("Nebulis / figure", numeric=False),
        Column("Arm", numeric=False),
        Column("Comes to a seat", "times a game; the first time included"),
        Column("Nobody has it at the end"),
        Column("The odd policy has it", "at the end, any of its seats"),
        Column("If it fell to all seats alike"),
    ]
    rows = [
        [
            text_cell(one.line_up),
            _pair_cell(one.points, one.figure),
            text_cell(ARM_WORDS[one.arm]),
            Cell(number(one.taken_in_a_game, 2), float(one.taken_in_a_game)),
            Cell(percent(one.nobody), float(one.nobody)),
            Cell(percent(one.held), float(one.held)),
            Cell(percent(one.held_if_even), float(one.held_if_even)),
        ]
        for one in each(tables["figure"][tables["figure"]["held_if_even"] < 0.99])
    ]
    return Table("The Kraken figure: how often it moves, and who has it at the end", columns, rows, folded=True)


def _tuning(tables: Tables) -> list[Any]:
    if "tuning" not in tables:
        return []
    table = tables["tuning"]
    weights = [name for name in table.columns if name.startswith("weight_")]
    columns = [
        Column("Policy", numeric=False),
        Column("Nebulis / figure", numeric=False),
        Column("Gain on fresh deals (IP)", "margin of the tuned candidate less that of the policy as it is"),
        Column("At least (97.5 %)"),
        Column("Kept", numeric=False),
        *(Column(name.removeprefix("weight_")) for name in weights),
    ]
    rows = [
        [
            text_cell(one.policy),
            _pair_cell(one.points, one.figure),
            value_cell(one.gain, one.gain_se, True),
            Cell(estimate(one.gain_low, one.gain_se, True), float(one.gain_low)),
            text_cell("the tuned weights" if one.better else "the weights as they were"),
            *(Cell(number(getattr(one, name), 2), float(getattr(one, name))) for name in weights),
        ]
        for one in each(table)
    ]
    kept = int((~table["better"]).sum())
    text = (
        f"Of {len(table)} searches for better weights {spelled(len(table) - kept)} found some that fresh deals show "
        f"better; in the {spelled(kept)} others the policy stays as it is."
    )
    return [Paragraph(text), Table("What tuning found, and what fresh deals say of it", columns, rows, folded=True)]


# --- 6. Health, 7. Games -------------------------------------------------------------------------------------------


def _health(tables: Tables, facts: Info) -> list[Any]:
    items = []
    for line_up in (one for one in facts["line_ups"] if one["arm"] == HEADLINE):
        all_well = "every decision was faced and every option chosen"
        items.append(never_sentence(line_up, never(tables, line_up), all_well))
        items += endings(tables, line_up)
    return [Paragraph("Under the rules' own penalties."), Listing(items), option_table(tables["options"])]


def _games(tables: Tables, facts: Info) -> list[Any]:
    columns = [
        Column("Why", numeric=False),
        Column("Game"),
        Column("Seat"),
        Column("Nebulis taken"),
        Column("Held at the end"),
        Column("Penalty (IP)"),
        Column("Margin (IP)", "of the smuggler"),
        Column("Command", numeric=False),
    ]
    lineup = facts["line_ups"][1]["policies"]
    rows = [
        [
            text_cell(one.kind),
            Cell(str(one.game), one.game),
            Cell(str(one.seat), one.seat),
            Cell(str(one.nebulis_gained), one.nebulis_gained),
            Cell(str(one.nebulis_held), one.nebulis_held),
            Cell(number(one.penalty, 0), one.penalty),
            Cell(number(one.margin, 1, True), one.margin),
            Cell(deal_command(facts, lineup, one.game, one.rotation), code=True),
        ]
        for one in each(tables["games"])
    ]
    text = (
        f"From the first deals of the line-up {odd_line_up(facts)}, under the rules' own penalties. Seats and games "
        f"count from 0. The command prints the game."
    )
    return [Paragraph(text), Table("Games worth a look", columns, rows)]


# --- 8. Method -----------------------------------------------------------------------------------------------------


def _method(tables: Tables, facts: Info) -> list[Any]:
    played = tables["cells"][tables["cells"]["arm"] == HEADLINE]
    half = ((played["margin_high"] - played["margin_low"]) / 2).max()
    effects = tables["effects"].replace([np.inf, 0.0], np.nan)
    factors = effects.groupby("effect", sort=False)["margin_variance_reduction"].median()
    words = listing([f"{number(factor, 1)} ({effect})" for effect, factor in factors.items()])
    tuning = facts["tuning"]
    items = [
        "Every pair of penalties, every arm and every line-up plays the same deals, each once for every distinct "
        "rotation of the line-up over the seats. Differences are paired; in the median over pairs that is worth a "
        f"factor of {words} in the variance of the margin.",
        "Scored again: totals, winners, ties (Pearls, then the strongest Lord) and margins follow exactly from what "
        "each seat held at the end; a margin is then a straight line in both penalties. In the other arms it is taken "
        "as straight between neighbouring cells.",
        "Errors are by the jackknife over 256 groups of deals. The interval of a break-even holds all penalties at "
        "which the margin, with its error there, cannot be told from 0 (after Fieller); an end off the grid is open. "
        f"The widest 95 % interval of a cell's margin is \N{PLUS-MINUS SIGN}{number(half, 2)} IP. All intervals are "
        f"for one number at a time.",
        _tuning_words(tuning),
    ]
    line_ups = [
        f"{one['name']}, {ARM_WORDS[one['arm']]}: {', '.join(one['policies'])}; {one['cells']} pairs, "
        f"{count(one['deals'])} deals, {count(one['games'])} games, digest {one['digest']}"
        for one in facts["line_ups"]
    ]
    return [Listing(items), provenance_of(facts, line_ups, speed=", tuning left out")]


def _tuning_words(tuning: Info) -> str:
    if not tuning["generations"]:
        return "No policy was tuned (generations = 0)."
    return (
        f"Tuning: CMA-ES, {tuning['generations']} generations of {tuning['candidates']} candidates on "
        f"{tuning['deals']} deals each, for {tuning['cells']} pairs: the smuggler among honest seats as they are, the "
        "honest one among honest seats and one smuggler as they are, the balanced one among its like. A smuggler "
        "never counts Nebulis dearer nor Krakens lower than the balanced policy does, an honest one never cheaper nor "
        f"higher. The candidate replaces the policy only if {count(tuning['verdict'])} fresh deals show it better "
        "(97.5 %)."
    )
