"""The report of the study of Sacred Places: from its tables and facts to a page, figures and sentences."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from abysssim.report import figures, sacred_figures
from abysssim.report.blocks import (
    Info,
    Tables,
    answer_section,
    behaviour,
    each,
    endings,
    kicker,
    option_table,
    rules_changed,
    rules_line,
    shapes_of,
    value_cell,
)
from abysssim.report.figures import short_name
from abysssim.report.loot_map import loot_map
from abysssim.report.numbers import count, estimate, interval, listing, number, percent, spelled
from abysssim.report.page import Cell, Column, Figure, Listing, Page, Paragraph, Section, Table, text_cell
from abysssim.report.provenance import play_command, provenance_of
from abysssim.report.sacred_figures import PHASES
from abysssim.report.style import Drawing
from abysssim.studies.loot import Search, outcome, stop_at
from abysssim.studies.loot_decks import MOST_STATES, count_states, every_deck, search_or_stop

#: Measures of behaviour beside those that every study shows.
SEARCHING = {"searches": "searches", "loot_drawn": "Loot drawn", "busts": "busts"}
MAP = "search_or_stop_"  # how the names of the maps begin
VERDICTS = {True: "agrees", False: "differs"}


# --- Figures -------------------------------------------------------------------------------------------------------


def drawings(tables: Tables, facts: Info) -> list[Drawing]:
    """Return the figures of the report, in its order: shadow values, Locations, and a map for each phase."""
    return [
        sacred_figures.shadow_values(with_before(tables)),
        sacred_figures.location_yields(tables["locations"]),
        *maps(tables),
        figures.lengths(_of(tables["lengths"], _shown(facts)), facts["players"]),
    ]


def _shown(facts: Info) -> list[str]:
    """Return the line-ups whose behaviour is shown: as given, and with the worths that were found."""
    names = [one["name"] for one in facts["line_ups"]]
    return [names[0], names[-1]]


def _of(table: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    return table[table["line_up"].isin(names)]


def with_before(tables: Tables) -> pd.DataFrame:
    """Return the shadow values with `before`: what the policy held each reward to be worth in the first round."""
    first = tables["rounds"][tables["rounds"]["round"] == 1].set_index("weight")["played"]
    shadow = tables["shadow"].copy()
    names = [_weight(one.reward, one.phase, one.keys) for one in each(shadow)]
    shadow["before"] = [first.get(name, np.nan) for name in names]
    return shadow


def _weight(reward: str, phase: str, keys: str) -> str:
    return f"loot_{reward}_{keys.rstrip('+')}_{phase}" if reward == "key" else f"loot_{reward}_{phase}"


def maps(tables: Tables) -> list[Drawing]:
    """Return the map of search or stop for each phase, with the worths of the Keys that searchers most often had."""
    found = []
    for phase in PHASES:
        part, keys = usual(tables, phase)
        search = _search(part)
        if count_states(search.deck) > MOST_STATES:
            continue
        held = {"0": "no Key", "1": "one Key", "2+": "two Keys"}[keys]
        setting = f"{phase} game, {held} at hand"
        found.append(loot_map(f"{MAP}{phase}", setting, search_or_stop(every_deck(search))))
    return found


def _maps(tables: Tables, shapes: Mapping[str, Figure]) -> list[Any]:
    """Return the maps with what they are for, a paragraph before them."""
    found = [figure for name, figure in shapes.items() if name.startswith(MAP)]
    text = (
        "One map for each phase of the game, told by the player with the most Lords: early with up to two, middle with "
        "three or four, late with five or more. Rewards count as found here; a Key counts for a seat with as many Keys "
        "as most had when they searched. In a seat's last turn only Loot and Monster tokens count."
    )
    return [Paragraph(text), *found] if found else []


def usual(tables: Tables, phase: str) -> tuple[pd.DataFrame, str]:
    """Return the worths in a phase with the number of Keys that most searchers had, and that number as text."""
    part = tables["worths"][tables["worths"]["phase"] == phase]
    keys = str(part.sort_values("searches", ascending=False, kind="stable")["keys"].iloc[0])
    return part[part["keys"] == keys], keys


# --- The page ------------------------------------------------------------------------------------------------------


def page(tables: Tables, facts: Info) -> Page:
    """Return the report as a page."""
    shapes = shapes_of(drawings(tables, facts))
    sections = [
        answer_section(answer(tables, facts)),
        Section("figure", "What rewards are worth", [shapes["shadow_values"]]),
        Section("map", "Search or stop, to print", _maps(tables, shapes)),
        Section("table", "The numbers", _numbers(tables)),
        Section("wins", "Stopping for IP and stopping for wins", _wins(tables)),
        Section("locations", "Sacred Places among the Locations", [shapes["location_yields"], *_locations(tables)]),
        Section("searches", "Searches against the theory", _searches(tables)),
        Section("policies", "How the policies played", behaviour(tables, _shown(facts), SEARCHING)),
        Section("health", "Health", [*_health(tables, facts), shapes["game_lengths"]]),
        Section("games", "Games to look at", _games(tables, facts)),
        Section("method", "Method and provenance", _method(tables, facts)),
    ]
    return Page(
        title="What is in a Sacred Place?",
        kicker=kicker(facts["expansions"]),
        subtitle=(
            f"{facts['players']} players with the policy {facts['policy']}, {_rounds_played(facts)} of "
            f"gifts, {count(facts['games'])} games in all{rules_changed(facts)}."
        ),
        sections=[section for section in sections if section.blocks],
    )


# --- The answer ----------------------------------------------------------------------------------------------------


def answer(tables: Tables, facts: Info) -> list[str]:
    """Return the answer in a few sentences and what it holds for, as paragraphs of plain text."""
    sentences = [_worth_sentence, _rule_sentence, _duel_sentence, _yield_sentence]
    return [*(make(tables) for make in sentences), _holds_for(facts)]


def _value(one: Any, name: str, sign: bool = False) -> str:
    """Return an estimate with its interval: "3.1 (2.9 to 3.4)"."""
    error = one[f"{name}_se"]
    ends = interval(one[f"{name}_low"], one[f"{name}_high"], error, sign)
    return f"{estimate(one[name], error, sign)} ({ends})"


def _worth_sentence(tables: Tables) -> str:
    """Return what rewards are worth over the whole game, and where the phase matters most."""
    shadow = tables["shadow"]
    whole = shadow[shadow["phase"] == "any"].set_index("reward")
    names = {"key": "a Key", "pearl": "a Pearl", "token": "a Monster token", "ally": "an Ally"}
    parts = [f"{name} {_value(whole.loc[key], 'ip')}" for key, name in names.items()]
    keys = shadow[(shadow["reward"] == "key") & (shadow["phase"] != "any") & (shadow["keys"] != "any")]
    keys = keys[keys["ip_low"].notna()].sort_values("ip")
    text = f"Worth to the seat that finds it in a Sacred Place, in IP with 95 % intervals: {listing(parts)}. "
    if len(keys) > 1:
        least, most = keys.iloc[0], keys.iloc[-1]
        text += (
            f"A Key's worth hangs on when it comes and on the Keys held: from {_value(least, 'ip')} ({_when(least)}) "
            f"to {_value(most, 'ip')} ({_when(most)})."
        )
    return text


def _when(one: Any) -> str:
    held = {"0": "none", "1": "one", "2+": "two or more"}[one["keys"]]
    return f"{one['phase']}, {held} held"


def _rule_sentence(tables: Tables) -> str:
    """Return the best rule in the middle of the game, what it yields, and the best rule of one number."""
    worths, keys = usual(tables, "middle")
    rule = tables["stop_rules"]
    rule = rule[(rule["phase"] == "middle") & (rule["keys"] == keys)]
    lengths = rule.assign(size=rule["held"].str.count(",") + 1)
    stops = [
        f"{spelled(size)}: {_advice(int((part['ip_best'] == 'stop').sum()), len(part))}"
        for size, part in ((size, lengths[lengths["size"] == size]) for size in range(1, 1 + lengths["size"].max()))
    ]
    search = _search(worths)
    points = range(min(search.deck), sum(search.deck) + 1)
    simple = {point: float(outcome(search, stop_at(point)).expected_value) for point in points}
    best = max(simple, key=lambda point: simple[point])
    value = float(rule["ip_value"].iloc[0])
    return (
        f"With these worths, in the middle of the game and with a whole Loot deck, best play yields {number(value, 1)} "
        f"IP, rewards included, and busts in {percent(float(rule['ip_bust'].iloc[0]), 0)} of searches. By the number "
        f"of Loot held it says, {'; '.join(stops)}. Whoever wants one number: stop at {best} IP of Loot, which costs "
        f"{number(value - simple[best], 2)} IP a search."
    )


def _advice(stops: int, sets: int) -> str:
    """Return what best play says of all sets of one size."""
    if stops in (0, sets):
        return "stop" if stops else "search on"
    return f"stop with {stops} of {sets} sets"


def _search(worths: pd.DataFrame) -> Search:
    """Return the search with the deck and the worths for IP of a few rows of the table of worths."""
    deck = {int(one.value): int(one.copies) for one in each(worths)}
    return Search(deck, {int(one.value): float(one.ip) for one in each(worths)})


def _duel_sentence(tables: Tables) -> str:
    rules, duels = tables["stop_rules"], tables["stop_games"]
    differ = int((rules["ip_best"] != rules["win_best"]).sum())
    first = duels.iloc[0]
    clear = first["win_low"] > 0 or first["win_high"] < 0
    return (
        f"Stopping for wins instead of IP gives another advice in {differ} of {len(rules)} sets (of Loot, phase and "
        f"Keys); one seat that does, among others that stop for IP, wins {_value(first, 'win', True)} percentage "
        f"points more than its fair share{'' if clear else ', which chance alone explains'}."
    )


def _yield_sentence(tables: Tables) -> str:
    sacred, others, apart = (tables["sacred"].iloc[place] for place in range(3))
    return (
        f"A Sacred Place comes to {_value(sacred, 'yield')} IP for its holder, {number(sacred['rewards'], 1)} of it in "
        f"rewards, other Locations to {_value(others, 'yield')}. Taking one, over what else its taker would have done, "
        f"is worth {_value(sacred, 'ip', True)} IP against {_value(others, 'ip', True)}: a difference of "
        f"{_value(apart, 'ip', True)}."
    )


def _rounds_played(facts: Info) -> str:
    return f"{spelled(facts['rounds'])} round{'s' * (facts['rounds'] > 1)}"


def _holds_for(facts: Info) -> str:
    settled = (
        "the last round moved no worth by more than chance explains"
        if facts["settled"]
        else "the worths had NOT settled when the rounds were used up"
    )
    return (
        f"This holds for {facts['players']} players who all play {facts['policy']} with the worths found here "
        f"({_rounds_played(facts)}; {settled}). {rules_line(facts)}"
    )


# --- The tables ----------------------------------------------------------------------------------------------------


def _span(one: Any, name: str, sign: bool = False) -> Cell:
    low, high = getattr(one, f"{name}_low"), getattr(one, f"{name}_high")
    return Cell(interval(low, high, getattr(one, f"{name}_se"), sign), float(low))


def _estimate(one: Any, name: str, sign: bool = False) -> Cell:
    return value_cell(getattr(one, name), getattr(one, f"{name}_se"), sign)


def _numbers(tables: Tables) -> list[Any]:
    columns = [
        Column("Reward", numeric=False), Column("Phase", numeric=False), Column("Keys held", numeric=False),
        Column("Worth (IP)", "what one adds to own IP less the mean of the others"), Column("95 %"),
        Column("Own IP"), Column("95 %"), Column("Win share (pp)"), Column("95 %"),
        Column("Worth for wins (IP)", "win share over what one IP more at the end adds to it"), Column("95 %"),
        Column("Gifts"), Column("Result moved", "share of gifts after which the seat's result was another"),
        Column("Variance reduction", "how many times more independent games the same precision would take (IP)"),
        Column("(win share)", "likewise"),
    ]  # fmt: skip
    rows = []
    for one in each(tables["shadow"]):
        cells = [_estimate(one, "ip"), _span(one, "ip"), _estimate(one, "own"), _span(one, "own")]
        cells += [_estimate(one, "win"), _span(one, "win"), _estimate(one, "win_worth"), _span(one, "win_worth")]
        factors = [
            Cell(number(value, 1), float(value)) for value in (one.ip_variance_reduction, one.win_variance_reduction)
        ]
        words = [text_cell(one.reward), text_cell(one.phase), text_cell(one.keys)]
        counts = [Cell(count(one.gifts), one.gifts), Cell(percent(one.moved, 0), one.moved)]
        rows.append([*words, *cells, *counts, *factors])
    return [Table("Shadow values in the last round; a Pearl is half a gift of two", columns, rows), _rounds(tables)]


def _rounds(tables: Tables) -> Table:
    rounds = tables["rounds"]
    numbers = sorted(rounds["round"].unique())
    columns = [Column("Weight", numeric=False), Column("Before")]
    for one in numbers:
        columns += [Column(f"Round {one} (IP)"), Column(f"Round {one}: 95 %")]
        columns.append(Column(f"Round {one}: from", numeric=False))
    rows = []
    for name, part in rounds.groupby("weight", sort=False):
        row = [text_cell(str(name)), Cell(number(float(part["played"].iloc[0]), 2), float(part["played"].iloc[0]))]
        for one in each(part):
            ends = interval(one.ip - 1.97 * one.ip_se, one.ip + 1.97 * one.ip_se, one.ip_se)
            row += [value_cell(one.ip, one.ip_se), Cell(ends, float(one.ip)), text_cell(one.source)]
        rows.append(row)
    caption = "Every round: what the rewards were found to be worth, and played with in the next"
    return Table(caption, columns, rows, folded=True)


def _wins(tables: Tables) -> list[Any]:
    one_ip = tables["one_ip"]
    more, less = (one_ip[one_ip["change"] == words].iloc[-1] for words in ("one IP more", "one IP less"))
    text = (
        f"At the end one IP more would have brought a seat {_value(more, 'win')} percentage points of win share, and "
        f"one less would have cost {_value(less, 'win')}. What a reward is worth for wins is its win share over the "
        "first of these. Below, one seat plays the first policy and all others the second; they differ only in when "
        "they stop."
    )
    columns = [
        Column("One seat", numeric=False), Column("The others", numeric=False), Column("Games"),
        Column("Win share over fair (pp)"), Column("95 %"), Column("Margin (IP)"), Column("95 %"),
        Column("Loot drawn", "a game, by that seat"), Column("by others"), Column("Busts"), Column("by others"),
        Column("Loot IP"), Column("of others"),
    ]  # fmt: skip
    rows = []
    for one in each(tables["stop_games"]):
        names = [f"{name}{whose}" for name in ("loot_drawn", "busts", "ip_loot") for whose in ("", "_of_others")]
        counts = [getattr(one, name) for name in names]
        rows.append(
            [
                text_cell(one.policy), text_cell(one.among), Cell(count(one.games), one.games),
                _estimate(one, "win", True),
                _span(one, "win", True), _estimate(one, "ip", True), _span(one, "ip", True),
                *(Cell(number(value, 2), float(value)) for value in counts),
            ]
        )  # fmt: skip
    return [Paragraph(text), Table("What each way of stopping yields", columns, rows), *_differences(tables)]


def _differences(tables: Tables) -> list[Any]:
    columns = [
        Column("Phase", numeric=False), Column("Keys held", numeric=False),
        Column("For IP search, for wins stop", numeric=False), Column("For IP stop, for wins search", numeric=False),
        Column("IP of the rule for IP"), Column("IP of the rule for wins"), Column("Bust, for IP"), Column("for wins"),
    ]  # fmt: skip
    rows = []
    for (phase, keys), part in tables["stop_rules"].groupby(["phase", "keys"], sort=False):
        cells = [text_cell(str(phase)), text_cell(str(keys))]
        for says in ("search", "stop"):
            sets = part[(part["ip_best"] == says) & (part["win_best"] != says)]["held"]
            cells.append(text_cell("; ".join(held.replace(",", " ") for held in sets) or "nowhere"))
        first: Any = part.iloc[0]
        cells += [Cell(number(first[name], 3), float(first[name])) for name in ("ip_value", "win_value")]
        cells += [Cell(percent(first[name]), float(first[name])) for name in ("ip_bust", "win_bust")]
        rows.append(cells)
    return [Table("Where the two rules differ: Loot held, nothing else gone from the deck", columns, rows)]


def _locations(tables: Tables) -> list[Any]:
    text = (
        "The yield is what a Location comes to for those who hold it at the end: points, Loot, and for Sacred Places "
        "the rewards of the search at their shadow worth. The margin of holders is biased: it mixes the Location with "
        "the position of those who can take it. The take-value is causal: the same deal played again, its taker "
        "barred from that Location wherever there was another option. It is a gain over the next best thing, not over "
        "nothing; what a seat expects of face-up Locations before it has missed the one barred is not changed."
    )
    columns = [
        Column("Location", numeric=False), Column("Sacred", numeric=False), Column("Yield (IP)"), Column("95 %"),
        Column("of it rewards"), Column("Held per game"), Column("Take-value (IP)"),
        Column("95 % for all", "holds for all Locations together"), Column("Take-value (pp)"),
        Column("95 % for all (pp)"), Column("Margin of holders (IP)", "biased"),
        Column("Win share of holders (pp)", "biased"),
        Column("Replays"), Column("Variance reduction"),
    ]  # fmt: skip
    rows = []
    # `yield` is no name for an attribute.
    for one in each(tables["locations"].rename(columns=lambda name: name.replace("yield", "whole"))):
        spans = [
            Cell(interval(one.ip_low_all, one.ip_high_all, one.ip_se, True), float(one.ip_low_all)),
            Cell(interval(one.win_low_all, one.win_high_all, one.win_se, True), float(one.win_low_all)),
        ]
        rows.append(
            [
                text_cell(short_name(one.name)), text_cell("sacred" if one.sacred else ""), _estimate(one, "whole"),
                _span(one, "whole"), Cell(number(one.rewards, 1), one.rewards),
                Cell(number(one.held_per_game, 2), one.held_per_game), _estimate(one, "ip", True), spans[0],
                _estimate(one, "win", True), spans[1], _estimate(one, "holder_ip", True),
                _estimate(one, "holder_win", True),
                Cell(count(one.replays), one.replays),
                Cell(number(one.ip_variance_reduction, 1), float(one.ip_variance_reduction)),
            ]
        )  # fmt: skip
    return [Paragraph(text), Table("What every Location yields", columns, rows)]


def _searches(tables: Tables) -> list[Any]:
    tests = tables["search_tests"]
    passed = int(tests["passes"].sum())
    text = (
        "Every search of every game was held against the exact theory for its deck, its seat's Keys and the policy's "
        f"own worths. {spelled(passed).capitalize()} of {spelled(len(tests))} comparisons agree, and "
        f"{count(tests['strayed'].max())} searches broke the rule that their policy should follow. A comparison passes "
        "within four standard errors and, over states of the deck, with p above 0.001: a false alarm in about one of "
        "940 comparisons."
    )
    columns = [
        Column("Games", numeric=False), Column("Measure", numeric=False), Column("Searches"), Column("Seen"),
        Column("Expected"), Column("Standard errors apart"), Column("Chi-square over states"),
        Column("Degrees of freedom"),
        Column("p"), Column("Verdict", numeric=False),
    ]  # fmt: skip
    rows = [
        [
            text_cell(one.part), text_cell(one.measure), Cell(count(one.searches), one.searches),
            Cell(number(one.seen, 4), one.seen), Cell(number(one.expected, 4), one.expected),
            Cell(number(one.z, 2, True), one.z), Cell(number(one.chi_square, 1), one.chi_square),
            Cell(str(one.degrees_of_freedom), one.degrees_of_freedom), Cell(number(one.p_value, 3), one.p_value),
            text_cell(VERDICTS[bool(one.passes)]),
        ]
        for one in each(tests)
    ]  # fmt: skip
    return [Paragraph(text), Table("Seen and expected", columns, rows), *_by_deck(tables)]


def _by_deck(tables: Tables) -> list[Any]:
    columns = [
        Column("Loot left before it"), Column("Searches"), Column("IP, seen"), Column("expected"),
        Column("standard errors"),
        Column("Busts, seen"), Column("expected"), Column("standard errors"), Column("Cards, seen"), Column("expected"),
        Column("standard errors"),
    ]  # fmt: skip
    blocks = []
    for part, table in tables["searches"].groupby("part", sort=False):
        rows = []
        for one in each(table):
            row = [Cell(str(one.cards_left), one.cards_left), Cell(count(one.searches), one.searches)]
            for name in ("payoff", "bust", "draws"):
                seen, expected, z = (getattr(one, f"{name}{end}") for end in ("", "_expected", "_z"))
                show = percent if name == "bust" else number
                row += [Cell(show(seen, 2), seen), Cell(show(expected, 2), expected), Cell(number(z, 1, True), z)]
            rows.append(row)
        blocks.append(Table(f"{part}: searches by the Loot left in the deck", columns, rows, folded=True))
    return blocks


# --- Health, games, method -----------------------------------------------------------------------------------------


def _health(tables: Tables, facts: Info) -> list[Any]:
    items = [
        f"{count(facts['placebo'][0])} games were also played with a gift of nothing; the result of "
        f"{count(facts['placebo'][1])} was another (none should be).",
        f"{count(facts['late_gifts'])} gifts were for a turn that their game did not come to (none should be).",
    ]
    few = tables["rounds"][tables["rounds"]["source"] != "cell"]
    if len(few):
        names = [f"{one.weight} (round {one.round})" for one in each(few)]
        items.append(f"Too few gifts of its own, so that the mean of its phase stands in: {listing(names)}.")
    else:
        items.append("Every worth is from gifts in its own phase and with its own number of Keys.")
    for line_up in facts["line_ups"]:
        if line_up["name"] in _shown(facts):
            items += endings(tables, line_up)
    never = facts["line_ups"][-1]["locations_never_held"]
    items.append(f"Locations never held at the end: {listing([short_name(one) for one in never]) or 'none'}.")
    return [Listing(items), option_table(_of(tables["options"], _shown(facts)))]


def _games(tables: Tables, facts: Info) -> list[Any]:
    columns = [
        Column("Search", numeric=False), Column("Game"), Column("Seat"), Column("Sacred Place", numeric=False),
        Column("Drawn", numeric=False), Column("Duplicate", numeric=False), Column("Loot kept (IP)"),
        Column("Command", numeric=False),
    ]  # fmt: skip
    rows = [
        [
            text_cell(one.kind), Cell(str(one.game), one.game), Cell(str(one.seat), one.seat),
            text_cell(short_name(one.location)), text_cell(one.held),
            text_cell(str(one.duplicate) if one.duplicate >= 0 else "none"), Cell(str(one.loot), one.loot),
            Cell(play_command(facts, one.game), code=True),
        ]
        for one in each(tables["games"])
    ]  # fmt: skip
    text = "Searches among the first deals of the first round. Seats and games count from 0."
    return [Paragraph(text), Table("Searches worth a look", columns, rows)]


def _method(tables: Tables, facts: Info) -> list[Any]:
    shadow = tables["shadow"]
    whole = shadow[shadow["phase"] == "any"]
    factors = [f"{number(one.ip_variance_reduction, 1)} for the {one.reward}" for one in each(whole)]
    items = [
        "Each deal is played with one policy at all seats. One own turn of one seat is drawn, uniformly over all "
        "turns of the game (weighted by their number), and the deal is played again four times, with a Key, two "
        "Pearls, a Monster token, or the top Ally given to that seat as that turn begins. Up to there the games are "
        "the same. A shadow value is the mean difference of the outcome. A token counts where the pile had one left.",
        "The start of a turn stands for the end of the seat's turn before it, when Loot is drawn; a reward found in "
        "the last turn is not among them: there a policy counts a token at its mean and the rest as nothing.",
        "Chance is keyed (seed, game, card), so that games with and without a gift share all decks. Variance "
        f"reduction for IP, all phases: {listing(factors)}.",
        "The worths found are what the policy plays with in the next round, on fresh deals, until no worth is "
        "further from that played with than chance explains (95 % for all together, both rounds' errors counted). "
        "They are used as estimated, not smoothed and not forced into any order; a cell with fewer than 400 gifts "
        "takes its phase's mean.",
        "Errors are by the jackknife over 256 groups of deals; a deal is played once for each rotation of its line-up.",
        "Maps: exact, by dynamic programming, with the worths of the last round; a Key's worth is that of the first "
        "Key found in the search.",
    ]
    line_ups = [
        f"{one['name']}: {', '.join(dict.fromkeys(one['policies']))}; seed {one['seed']}, {count(one['games'])} games, "
        f"{count(one['replays'])} replays, digest {one['digest']}"
        for one in facts["line_ups"]
    ]
    more = [("Worths for IP", deck_names(facts["ip_worths"])), ("Worths for wins", deck_names(facts["win_worths"]))]
    return [Listing(items), provenance_of(facts, line_ups, more=more, called="Part")]


def deck_names(worths: Info) -> str:
    """Return worths by weight as text."""
    return ", ".join(f"{name.removeprefix('loot_').replace('_', ' ')} {value:.2f}" for name, value in worths.items())


