"""Sacred Places, exactly: known values, brute force, chance, identities that hold for any rule, the command."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from itertools import permutations, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from abysssim.cli import main
from abysssim.errors import InputError
from abysssim.report.loot_map import advice
from abysssim.studies import loot_decks
from abysssim.studies.loot import (
    FRESH,
    Held,
    Rule,
    Search,
    best_rule,
    gain_of_one,
    one_step_rule,
    outcome,
    solve,
    stop_after,
    stop_at,
)
from abysssim.studies.loot_decks import by_cards_left, every_deck, search_or_stop, searches_in_a_row
from abysssim.studies.sacred_exact import EXAMPLE_WORTHS, answer, tables
from tests.test_report import Reader

SMALL = {1: 1, 2: 2, 4: 2}
SMALL_WORTHS = {1: Fraction(1, 2), 2: Fraction(0), 4: Fraction(1, 3)}

WORTHS = st.fractions(min_value=-1, max_value=6, max_denominator=20)
COPIES = st.dictionaries(st.integers(1, 9), st.integers(0, 6), min_size=1, max_size=5)
DECKS = COPIES.filter(lambda deck: any(deck.values()))


@st.composite
def searches(draw: Any) -> Search:
    deck = draw(DECKS)
    return Search(deck, {value: draw(WORTHS) for value in deck})


@st.composite
def rules(draw: Any) -> Rule:
    """Draw any rule at all: sets of values held that it searches on with."""
    going = draw(st.sets(st.frozensets(st.integers(1, 9), max_size=5), max_size=20))
    turned = draw(st.booleans())
    return lambda held, left: (held in going) is turned


# --- Known values --------------------------------------------------------------------------------------------------


def test_best_play_for_loot_alone() -> None:
    result = outcome(Search(), best_rule(Search()))
    assert result.expected_value == Fraction(248467, 25300)
    assert float(result.expected_value) == pytest.approx(9.820830, abs=5e-7)
    assert float(result.bust) == pytest.approx(0.434177, abs=5e-7)
    assert float(result.expected_draws) == pytest.approx(2.693043, abs=5e-7)
    assert result.expected_rewards == 0


def test_best_play_with_rewards() -> None:
    exact = outcome(Search(FRESH, EXAMPLE_WORTHS), best_rule(Search(FRESH, EXAMPLE_WORTHS)))
    assert float(exact.expected_value) == pytest.approx(14.433366, abs=5e-7)
    floats = Search(FRESH, {3: 3.0, 4: 2.0, 5: 2.65, 6: 1.5})
    assert outcome(floats, best_rule(floats)).expected_value == pytest.approx(float(exact.expected_value), abs=1e-12)
    assert exact.expected_loot + exact.expected_rewards == exact.expected_value


@pytest.mark.parametrize(("cards", "value"), [(1, 5.4), (2, 8.666667), (3, 9.571449), (4, 9.022714), (5, 8.309219)])
def test_stopping_after_so_many_loot(cards: int, value: float) -> None:
    assert float(outcome(Search(), stop_after(cards)).expected_value) == pytest.approx(value, abs=5e-7)


# --- Brute force ---------------------------------------------------------------------------------------------------


def play(order: tuple[int, ...], deck: Mapping[int, int], rule: Rule) -> tuple[int, list[int], bool]:
    """Search a deck in a given order; return the IP of Loot, the values drawn, and whether it bust."""
    held: list[int] = []
    left = dict(deck)
    for place, value in enumerate(order):
        if held and not rule(frozenset(held), left):
            break
        left[value] -= 1
        if value in held:
            held.remove(value)
            return sum(held), [*order[: place + 1]], True
        held.append(value)
    return sum(held), [*order[: len(held)]], False


def all_orders(deck: Mapping[int, int]) -> list[tuple[int, ...]]:
    return list(permutations([value for value, copies in deck.items() for _ in range(copies)]))


def all_rules(deck: Mapping[int, int]) -> Iterator[Rule]:
    """Yield every rule: each answer for each set that can be held."""
    sets = [held for held in Search(deck).states() if held]
    for answers in product((False, True), repeat=len(sets)):
        goes = dict(zip(sets, answers, strict=True))
        yield lambda held, left, goes=goes: goes[held]


def by_hand(deck: Mapping[int, int], worths: Mapping[int, Fraction], rule: Rule) -> tuple[Fraction, Fraction, Fraction]:
    """Return expected IP, chance to bust and expected draws, over every order of the deck."""
    orders = all_orders(deck)
    ends = [play(order, deck, rule) for order in orders]
    value = sum((points + sum((worths[v] for v in drawn), Fraction(0)) for points, drawn, _ in ends), Fraction(0))
    many = len(orders)
    return value / many, Fraction(sum(end[2] for end in ends), many), Fraction(sum(len(end[1]) for end in ends), many)


def test_every_rule_agrees_with_every_order_of_a_small_deck_and_none_beats_the_best() -> None:
    search = Search(SMALL, SMALL_WORTHS)
    values = []
    for rule in all_rules(SMALL):
        result = outcome(search, rule)
        assert (result.expected_value, result.bust, result.expected_draws) == by_hand(SMALL, SMALL_WORTHS, rule)
        values.append(result.expected_value)
    assert max(values) == solve(search)[frozenset()].search == outcome(search, best_rule(search)).expected_value


@pytest.mark.parametrize("deck", [{3: 1}, {3: 2}, {2: 1, 5: 3, 7: 2}, {0: 1, 1: 1, 2: 1, 3: 1, 4: 1}])
@pytest.mark.parametrize("rule", [stop_after(1), stop_after(2), stop_after(9), stop_at(5)])
def test_simple_rules_agree_with_every_order(deck: dict[int, int], rule: Rule) -> None:
    worths = {value: Fraction(value, 7) for value in deck}
    result = outcome(Search(deck, worths), rule)
    assert (result.expected_value, result.bust, result.expected_draws) == by_hand(deck, worths, rule)


def test_a_search_goes_on_from_what_is_held() -> None:
    search = Search(FRESH, EXAMPLE_WORTHS)
    values, rule = solve(search), best_rule(search)
    for held, value in values.items():
        best = value.search if not held else max(value.search, value.stop)
        assert outcome(search, rule, held).expected_value == best


# --- Chance --------------------------------------------------------------------------------------------------------


def test_shuffled_decks_agree() -> None:
    """Five means of 200,000 searches, each within 4.9 standard errors: one false alarm in 200,000 seeds."""
    worths = np.array([3, 2, 2.65, 1.5, 0])
    loot = np.repeat([3, 4, 5, 6, 7], [3, 4, 5, 6, 7])
    generator = np.random.default_rng(2024)
    many = 200_000
    order = generator.permuted(np.tile(loot - 3, (many, 1)), axis=1)
    held = np.zeros((many, 5), bool)
    left = np.tile([3, 4, 5, 6, 7], (many, 1))
    points, rewards = np.zeros(many), np.zeros(many)
    searching, bust, draws = np.ones(many, bool), np.zeros(many, bool), np.zeros(many)
    values = np.arange(3, 8)
    for card in order.T[:6]:
        rows = np.flatnonzero(searching)
        drawn = card[rows]
        twin = held[rows, drawn]
        left[rows, drawn] -= 1
        draws[rows] += 1
        rewards[rows] += worths[drawn]
        points[rows] += np.where(twin, -values[drawn], values[drawn])
        held[rows, drawn] = True
        bust[rows] = twin
        gain = (left[rows] * (worths + np.where(held[rows], -values, values))).sum(axis=1)
        searching[rows] = ~twin & (gain > 0)
    search = Search(FRESH, EXAMPLE_WORTHS)
    result = outcome(search, best_rule(search))
    exact = [result.expected_value, result.expected_loot, result.expected_rewards, result.bust, result.expected_draws]
    for found, wanted in zip((points + rewards, points, rewards, bust, draws), exact, strict=True):
        assert abs(found.mean() - float(wanted)) < 4.9 * found.std() / np.sqrt(many)


# --- What holds for any rule ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(searches(), rules())
def test_chances_sum_to_one_and_no_rule_beats_the_best(search: Search, rule: Rule) -> None:
    result = outcome(search, rule)
    assert sum(result.ends.values()) == 1
    assert result.expected_value <= outcome(search, best_rule(search)).expected_value
    for what in (result.loot_of, result.rewards_of, result.payoff_of, result.draws_of):
        chances = result.distribution(what)
        assert sum(chances.values()) == 1
        assert sum(amount * chance for amount, chance in chances.items()) == result.mean(what)


@settings(max_examples=40, deadline=None)
@given(searches(), rules())
def test_draws_of_a_value_are_the_slope_of_the_ip_in_its_worth(search: Search, rule: Rule) -> None:
    before = outcome(search, rule)
    for value in search.values:
        more = Search(search.deck, {**search.worths, value: search.worths[value] + 1})
        assert outcome(more, rule).expected_value - before.expected_value == before.expected_drawn(value)
    assert sum(before.expected_drawn(value) for value in search.values) == before.expected_draws


@settings(max_examples=40, deadline=None)
@given(rules(), st.sampled_from([FRESH, {1: 9, 2: 3, 8: 5}]))
def test_shares_of_the_deck_stay_what_they_were(rule: Rule, deck: Mapping[int, int]) -> None:
    result = outcome(Search(deck), rule)

    def share(value: int) -> Any:
        return lambda end: Fraction(result.left_of(end)[value], sum(result.left_of(end).values()))

    for value, copies in deck.items():
        assert result.mean(share(value)) == Fraction(copies, sum(deck.values()))


@settings(max_examples=80, deadline=None)
@given(searches())
def test_looking_one_card_ahead_is_optimal(search: Search) -> None:
    short, best = one_step_rule(search.worths), best_rule(search)
    for held in solve(search):
        assert short(held, search.left(held)) == best(held, search.left(held))
    assert outcome(search, short).expected_value == outcome(search, best).expected_value


@settings(max_examples=60, deadline=None)
@given(searches())
def test_the_sum_of_gains_falls_with_every_loot_and_values_rise_with_worths(search: Search) -> None:
    def gains(held: Held) -> Any:
        left = search.left(held)
        return gain_of_one(held, left, search.worths) * sum(left.values())

    for held in solve(search):
        for value, copies in search.deck.items():
            if copies and value not in held:
                assert gains(held | {value}) <= gains(held)
    richer = Search(search.deck, {value: worth + Fraction(1, 2) for value, worth in search.worths.items()})
    before, after = solve(search), solve(richer)
    assert all(after[held].search >= before[held].search for held in before)


# --- Depleted decks ------------------------------------------------------------------------------------------------


def test_every_depleted_deck_agrees_with_a_search_of_its_own() -> None:
    decks = every_deck(Search(FRESH, EXAMPLE_WORTHS))
    assert decks.search.shape == (32, 4, 5, 6, 7, 8)
    places = np.argwhere(decks.cards > 0)
    for place in np.random.default_rng(5).permutation(places)[:60]:
        search = Search(dict(zip(decks.values, map(int, place), strict=True)), EXAMPLE_WORTHS)
        assert decks.search[0][tuple(place)] == pytest.approx(float(solve(search)[frozenset()].search), abs=1e-9)
    for mask in decks.masks[1:]:
        held = frozenset(decks.held(mask))
        search = Search(FRESH, EXAMPLE_WORTHS)
        left = tuple(search.left(held).values())
        assert decks.gain(mask)[left] == pytest.approx(float(solve(search)[held].gain), abs=1e-9)


def test_values_by_cards_left_are_means_between_the_extremes() -> None:
    decks = every_deck(Search())
    totals = np.bincount(decks.cards.ravel(), decks.chances().ravel())
    assert np.allclose(totals, 1)
    rows = by_cards_left(decks)
    assert [row.cards for row in rows] == list(range(25, -1, -1))
    assert rows[0].mean == pytest.approx(248467 / 25300)
    assert all(row.worst - 1e-9 <= row.mean <= row.best + 1e-9 for row in rows)
    assert rows[-2].mean == pytest.approx(5.4)
    assert rows[-1].mean == 0


def test_searches_in_a_row_follow_the_deck_that_is_left() -> None:
    search = Search({2: 2, 5: 3, 7: 2}, {2: 1, 5: 0, 7: Fraction(1, 2)})
    first, second = searches_in_a_row(every_deck(search), 2)
    result = outcome(search, best_rule(search))
    assert asdict(first) == pytest.approx(
        {
            "number": 1,
            "expected_value": float(result.expected_value),
            "bust": float(result.bust),
            "draws": float(result.expected_draws),
            "cards": 7,
        }
    )
    value = bust = Fraction(0)
    for end, chance in result.ends.items():
        left = Search(result.left_of(end), search.worths)
        then = outcome(left, best_rule(left))
        value, bust = value + chance * then.expected_value, bust + chance * then.bust
    assert second.expected_value == pytest.approx(float(value))
    assert second.bust == pytest.approx(float(bust))
    assert second.cards == pytest.approx(7 - first.draws)


def test_the_map_says_what_the_decks_say() -> None:
    decks = every_deck(Search())
    chart = search_or_stop(decks)
    assert len(chart.held) == 31
    assert chart.held[0] == (3,)
    values = solve(Search())
    assert np.allclose(chart.whole, [float(values[frozenset(held)].gain) for held in chart.held])
    seen = np.isfinite(chart.gain)
    assert (chart.right[seen] >= 0).all()
    assert (chart.right[seen] <= 1 + 1e-12).all()
    # With one 3 held and nothing but 3s left, the next card loses it.
    assert chart.gain[0, 9] == pytest.approx(-3)
    assert advice(chart.right[0, 9]) == "stop"
    assert advice(chart.right[0, 0]) == "search"


def test_a_cell_of_the_map_is_the_mean_over_all_ways_to_lose_cards() -> None:
    deck, held, columns = {2: 2, 5: 3}, frozenset({2}), 4
    chart = search_or_stop(every_deck(Search(deck)), columns)
    others = [2, 5, 5, 5]
    weights, gains = np.zeros(columns), np.zeros(columns)
    for kept in product((False, True), repeat=len(others)):
        cards = [value for value, here in zip(others, kept, strict=True) if here]
        if not cards:
            continue
        search = Search({value: cards.count(value) + (value in held) for value in deck})
        column = min(columns * cards.count(2) // len(cards), columns - 1)
        weight = 1 / comb(len(others), len(cards))
        weights[column] += weight
        gains[column] += weight * float(solve(search)[held].gain)
    row = chart.held.index((2,))
    with np.errstate(invalid="ignore"):
        assert np.allclose(chart.gain[row], gains / weights, equal_nan=True)


# --- Refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deck", "worths", "words"),
    [
        ({10: 1}, {}, "value 10; values are whole, from 0 to 9"),
        ({3: -1}, {}, "-1 Loot of value 3; copies are whole"),
        ({3: 0}, {}, "0 Loot; it must have 1 to 64"),
        ({3: 40, 4: 40}, {}, "80 Loot; it must have 1 to 64"),
        ({3: 3}, {4: 1}, "value 4, which the deck does not have; it has 3"),
        ({3: 3}, {3: -4}, "-4 IP for value 3; a worth is a number of at least -3"),
        ({3: 3}, {3: float("nan")}, "nan IP for value 3"),
    ],
)
def test_what_is_no_search_is_refused(deck: dict[int, int], worths: dict[int, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Search(deck, worths)


def test_a_deck_too_large_to_lay_out_is_refused_and_its_tables_left_out() -> None:
    search = Search(dict.fromkeys(range(8), 5))
    assert loot_decks.count_states(search.deck) > loot_decks.MOST_STATES
    with pytest.raises(InputError, match="states"):
        every_deck(search)
    found = tables(answer(Search({value: 40 if value < 1 else 3 for value in range(8)})))
    assert found["searches"] == found["cards_left"] == []
    assert len(found["held"]) == 256


# --- The command ---------------------------------------------------------------------------------------------------


def command(*options: str) -> Result:
    return CliRunner().invoke(main, ["study", "sacred-places", *options])


def test_json_answers_for_loot_alone_unless_rewards_are_given() -> None:
    done = command("--exact", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["expected_value"] == pytest.approx(9.820830, abs=5e-7)
    assert found["bust_probability"] == pytest.approx(0.434177, abs=5e-7)
    assert found["expected_draws"] == pytest.approx(2.693043, abs=5e-7)
    assert found["fractions"]["expected_value"] == "248467/25300"
    assert "5,7" in found["stop_rule"]["stop"]
    assert "4,7" in found["stop_rule"]["search"]
    assert set(found["tables"]) == {"held", "values", "distribution", "rules", "cards_left", "searches"}
    assert found["with_rewards"]["expected_value"] == pytest.approx(14.433366, abs=5e-7)
    given = json.loads(command("--exact", "--json", "--rewards", "3=3,4=2,5=2.65,6=1.5").stdout)
    assert given["expected_value"] == pytest.approx(14.433366, abs=5e-7)
    assert given["loot_alone"]["expected_value"] == pytest.approx(9.820830, abs=5e-7)
    rules_found = {row["rule"]: row["expected_value"] for row in found["tables"]["rules"]}
    assert rules_found["stop after 3 Loot"] == pytest.approx(9.571449, abs=5e-7)
    payoff = [row for row in found["tables"]["distribution"] if row["of"] == "payoff"]
    assert sum(row["amount"] * row["chance"] for row in payoff) == pytest.approx(found["expected_value"])


def test_what_is_held_comes_out_of_the_deck_given() -> None:
    found = json.loads(command("--exact", "--json", "--deck", "3=1,7=2", "--held", "7, 3").stdout)
    assert found["position"] | {"points": 10, "cards_left": 1, "twins_left": 1, "search": 3.0} == found["position"]
    assert found["position"]["advice"] == "stop"
    assert found["expected_value"] == 10
    assert found["expected_draws"] == 0


@pytest.mark.parametrize(
    "options", [(), ("--held", "7,3"), ("--deck", "0=3,1=2,9=5"), ("--deck", "1=1,2=2,3=3,4=4,5=5,6=6,7=7")]
)
def test_the_text_fits_a_terminal(options: tuple[str, ...]) -> None:
    done = command("--exact", *options)
    assert done.exit_code == 0, done.output
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert "Loot alone" in done.stdout
    assert "with rewards" in done.stdout
    if not options:
        assert "9.820830" in done.stdout
        assert "14.433366" in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--exact", "--deck", "3=3,12=1"), "--deck has a Loot of value 12"),
        (("--exact", "--deck", ""), "--deck must be VALUE=NUMBER"),
        (("--exact", "--deck", "3=1.5"), "--deck has 1.5 Loot of value 3"),
        (("--exact", "--rewards", "8=1"), "--rewards name a Loot of value 8"),
        (("--exact", "--rewards", "3=1e9"), "not '3=1e9'"),
        (("--exact", "--rewards", "3=1,3=2"), "--rewards names value 3 twice"),
        (("--exact", "--held", "7,7"), "--held has value 7 twice"),
        (("--exact", "--held", "9"), "--held has a Loot of value 9"),
        (("--exact", "--held", "x"), "--held must be values such as 7,3"),
    ],
)
def test_bad_input_is_one_sentence(options: tuple[str, ...], words: str) -> None:
    done = command(*options)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_answer_needs_neither_pandas_nor_matplotlib_nor_the_engine() -> None:
    code = (
        "import sys; from abysssim.cli import main\n"
        "main(['study', 'sacred-places', '--exact', '--json'], standalone_mode=False)\n"
        "heavy = {'pandas', 'matplotlib', 'numba', 'scipy', 'abysssim.engine'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_report_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "sacred"
    done = command("--exact", "--out", str(out))
    assert done.exit_code == 0, done.output
    for name in ("search_or_stop_loot_alone", "search_or_stop_with_rewards"):
        assert (out / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "prefers-color-scheme: dark" in (out / "figures" / f"{name}.svg").read_text()
    reader = Reader()
    reader.feed((out / "report.html").read_text())
    assert reader.open == []
    assert all(len(set(rows)) == 1 for rows in reader.tables)
    assert "248467/25300" in reader.text
    summary = json.loads((out / "summary.json").read_text())
    held = pd.read_csv(out / "tables" / "held.csv", dtype={"held": str}, keep_default_na=False)
    assert len(held) == len(summary["tables"]["held"]) == 64
    assert len(pd.read_parquet(out / "tables" / "map.parquet")) == 2 * 31 * 10
    assert json.loads((out / "manifest.json").read_text())["study"] == "sacred-places"
    again = command("--exact", "--out", str(out))
    assert again.exit_code == 2
    assert "is not an empty directory" in again.stderr
