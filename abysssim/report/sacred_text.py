"""The exact answer about Sacred Places as text for a terminal, and the sentences that its page begins with."""

import textwrap
from collections.abc import Mapping
from typing import Any

from abysssim.report.numbers import listing, number, percent, spelled
from abysssim.studies.loot import Held
from abysssim.studies.sacred_exact import RULE, Answer, held_row, rule_table

WIDTH = 80
#: Decks of more different values have too many sets of values held for a table that one reads.
MOST_VALUES = 6

Answers = Mapping[str, Answer]


def text(answers: Answers, example: bool) -> str:
    """Return everything a player needs at the table, in lines of at most 80 characters.

    answers : by what they are called, in order (one or two). example : whether the worths of the rewards are ours.
    """
    parts = [
        "Sacred Places, exactly: what a search is worth, and when to stop",
        _setting(answers, example),
        *([_position(answers)] if _one(answers).start else []),
        _headline(answers),
        f"{_wrap(RULE)}\n\n{_held(answers)}",
        _counts(answers),
    ]
    return "\n\n".join(parts)


def _one(answers: Answers) -> Answer:
    return next(iter(answers.values()))


def _wrap(paragraph: str) -> str:
    return textwrap.fill(paragraph, WIDTH)


def _setting(answers: Answers, example: bool) -> str:
    deck = _one(answers).search.deck
    loot = listing([f"{copies} of {value}" for value, copies in deck.items()])
    rewarded = list(answers.values())[-1].search.worths
    worths = listing([f"{float(worth):g} for {value}" for value, worth in rewarded.items()])
    whose = "an example; --rewards 3=3,4=2 says yours" if example else "as given"
    return _wrap(
        f"Loot deck: {sum(deck.values())} cards, {loot}. Rewards count nothing (Loot alone), or in IP {worths} "
        f"({whose})."
    )


def _position(answers: Answers) -> str:
    return _wrap(" ".join(position_sentences(answers)))


def position_sentences(answers: Answers) -> list[str]:
    """Return what to do with the values held at the start, one sentence for each setting."""
    start = _one(answers).start
    held = listing([str(value) for value in sorted(start)])
    sentences = [f"You hold {held}: {sum(start)} IP if you stop."]
    for name, given in answers.items():
        best = "search on" if given.goes_on(start) else "stop"
        worth = number(float(given.here.search), 3)
        gain = number(float(given.here.gain), 3, True)
        sentences.append(f"{name[0].upper()}{name[1:]}: {best}; searching on is worth {worth} IP ({gain}).")
    return sentences


def _columns(label: str, cells: list[str], first: int = 36, width: int = 18) -> str:
    return (label.ljust(first) + "".join(cell.rjust(width) for cell in cells)).rstrip()


def _headline(answers: Answers) -> str:
    results = [given.outcome for given in answers.values()]
    start = "from here on" if _one(answers).start else "a whole search"
    lines = [
        _columns("Best play", list(answers)),
        _columns(f"expected IP, {start}", [number(float(one.expected_value), 6) for one in results]),
        _columns("  of Loot kept", [number(float(one.expected_loot), 6) for one in results]),
        _columns("  of rewards", [number(float(one.expected_rewards), 6) for one in results]),
        _columns("chance to bust", [percent(float(one.bust)) for one in results]),
        _columns("cards drawn", [number(float(one.expected_draws), 3) for one in results]),
    ]
    return "\n".join(lines)


def _held(answers: Answers) -> str:
    """Return the table of sets of values held: gains of searching on, in IP, and the advice."""
    first = _one(answers)
    if len(first.search.deck) > MOST_VALUES:
        return _wrap(f"With more than {spelled(MOST_VALUES)} values of Loot the sets are in --json and --out only.")
    rows = [f"{'You hold':12}{'IP':>4}{'twins left':>13}{'duplicate':>12}" + _head(answers)]
    for held in first.values:
        row = held_row(first, held)
        shown = row["held"].replace(",", " ") or "nothing"
        twins = f"{row['twins_left']} of {row['cards_left']}"
        rows.append(
            f"{shown:12}{row['points']:>4}{twins:>13}{percent(row['duplicate_chance'], 0):>12}" + _advice(answers, held)
        )
    note = "(Gain in IP of searching on with best play over stopping. Twins: cards that equal one you hold.)"
    return "\n".join([*rows, "", _wrap(note)])


def _head(answers: Answers) -> str:
    return "".join(f"{name:>18}" for name in answers)


def _advice(answers: Answers, held: Held) -> str:
    cells = []
    for given in answers.values():
        gain = number(float(given.values[held].gain), 2, True)
        cells.append(f"{'search' if given.goes_on(held) else 'STOP':>11}{gain:>7}")
    return "".join(cells)


def _counts(answers: Answers) -> str:
    """Return what simple rules give, in IP and in the chance to bust."""
    lines = [_columns("Simple rules: expected IP, bust", list(answers))]
    kept = {name: {row["rule"]: row for row in rule_table(given)} for name, given in answers.items()}
    names = [rule for rule in next(iter(kept.values())) if rule.startswith("stop after")]
    for rule in ["best play", *names, *_best_totals(answers)]:
        cells = []
        for row in (one[rule] for one in kept.values()):
            cells.append(f"{number(row['expected_value'], 3)}{percent(row['bust_probability'], 0):>7}")
        lines.append(_columns(rule, cells))
    return "\n".join(lines)


def _best_totals(answers: Answers) -> list[str]:
    """Return the best rule of the kind "stop at so many IP" for each setting, without repeats."""
    best = []
    for given in answers.values():
        rows = [row for row in rule_table(given) if row["rule"].startswith("stop at")]
        best.append(str(max(rows, key=lambda row: row["expected_value"])["rule"]))
    return list(dict.fromkeys(best))


def simulated(found: Mapping[str, Any]) -> str:
    """Return what `search_sim.as_json` says, in lines of at most 80 characters."""
    about = found["simulated"]
    lines = [
        f"Sacred Places, simulated: {about['searches']:,} searches by the engine, seed {about['seed']}, "
        f"{about['seconds']:.1f} s",
        "",
        f"{'':22}{'simulated':>12}{'exact':>12}{'std. error':>12}{'difference':>18}",
    ]
    for row in about["comparison"]:
        name = NAMES.get(row["quantity"], row["quantity"])
        if "_" in row["quantity"] and row["quantity"].rsplit("_", 1)[1].isdigit():
            kind, value = row["quantity"].rsplit("_", 1)
            name = f"{SHARES[kind]} {value}"
        mark = "" if row["passes"] else "  FAILS"
        lines.append(
            f"{name:22}{row['simulated']:12.6f}{row['exact']:12.6f}{row['standard_error']:12.6f}"
            f"{row['standard_errors']:+9.2f} std. err.{mark}"
        )
    chi = about["chi_square"]
    verdict = "All agree" if about["passes"] else "NOT all agree"
    return "\n".join(
        [
            *lines,
            "",
            _wrap(
                f"All ends of a search together: chi-square {chi['statistic']:.1f} with {chi['degrees_of_freedom']} "
                f"degrees of freedom, p = {chi['p_value']:.3f}; {chi['impossible_ends']} ends that cannot be."
            ),
            _wrap(
                f"{verdict} within {about['passes_within']:g} standard errors. A false alarm has a chance of "
                f"{about['false_alarm']}."
            ),
            _wrap(IDENTITIES),
        ]
    )


NAMES = {
    "expected_value": "expected IP",
    "expected_loot": "of it Loot",
    "expected_rewards": "of it rewards",
    "bust_probability": "chance to bust",
    "expected_draws": "cards drawn",
}
SHARES = {"left": "share left of", "drawn": "drawn of"}
IDENTITIES = (
    "Share left: when a search ends, each value's share of the cards left is on average what it was in the deck at the "
    "start, whatever the rule. Drawn: the average number of cards of a value is by how much the expected IP rises for "
    "each IP that its reward is worth more."
)
