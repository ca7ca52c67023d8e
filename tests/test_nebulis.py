"""The study of Nebulis: scoring again, equal cells, break-even, resuming, the report, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from abysssim.cli import main
from abysssim.core.layout import ROW
from abysssim.errors import InputError
from abysssim.report import nebulis as report
from abysssim.report.page import render
from abysssim.report.style import png_bytes, svg_text
from abysssim.rules.rulebook import load
from abysssim.simulate import Chunk
from abysssim.studies import nebulis as study
from abysssim.studies import nebulis_estimates as estimates
from abysssim.studies.lord_sums import of_lords
from abysssim.studies.nebulis_sums import MEASURES, OUTCOMES, Penalty, add_rescored, new_sums
from abysssim.studies.settings import read_settings
from abysssim.studies.tuning import Budget
from tests.test_report import Reader

KRAKEN = load(expansions=("kraken",))
TINY = Budget(generations=1, candidates=4, deals=2, verdict=32)
SMALL = study.Settings(games=64, points=(0, -1, -3), figure=(0, -5), budget=TINY)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    return study.plan_of(SMALL, KRAKEN)


@pytest.fixture(scope="module")
def sums(plan: study.Plan) -> dict[str, Any]:
    """The sums of the line-up with one smuggler."""
    sweep = plan.sweeps[1]
    return sweep.play(Chunk(0, 24), sweep.scratch()).sums


# --- Scoring again -------------------------------------------------------------------------------------------------


def rescored_in_python(game: Any, pair: Penalty, points: Any) -> list[tuple[int, int, int]]:
    """Return win, margin (times 12) and total of each seat of a game, by the words of the rules."""
    totals = [
        int(seat["total"] - seat["nebulis"] - seat["kraken"])
        + pair.points * int(seat["nebulis_held"])
        + (pair.figure if seat["figure_held"] else 0)
        for seat in game
    ]
    held = [[int(points[lord]) for lord in range(len(points)) if int(seat["held"]) >> lord & 1] for seat in game]
    strongest = [max(lords, default=0) for lords in held]
    standing = [(total, int(seat["pearls"]), best) for total, seat, best in zip(totals, game, strongest, strict=True)]
    winners = standing.count(max(standing))
    found = []
    for place, total in zip(standing, totals, strict=True):
        others = (sum(totals) - total) / (len(game) - 1)
        found.append((12 // winners if place == max(standing) else 0, round(12 * (total - others)), total))
    return found


def test_scoring_again_is_what_plain_python_makes_of_the_rows(plan: study.Plan) -> None:
    batch = plan.sweeps[1].batches[plan.grid.own]
    rows = batch.play(batch.tasks(Chunk(0, 40)), batch.scratch())
    pairs = [Penalty(0, 0), Penalty(-1, -5), Penalty(-3, -10), Penalty(-20, 0), Penalty(7, -1)]
    points = of_lords(batch.rulebook, "points")
    found = new_sums(1, len(pairs), 2)["rescored"]
    add_rescored(found, rows, pairs, points)
    expected = np.zeros_like(found)
    for game in rows:
        for place, pair in enumerate(pairs):
            for seat, outcome in zip(game, rescored_in_python(game, pair, points), strict=True):
                expected[int(seat["game"]) % 256, place, seat["policy"]] += [1, *outcome]
    assert np.array_equal(found, expected)
    assert not np.array_equal(found[:, 0], found[:, 1])


def test_equal_seats_share_a_game_and_pearls_then_lords_decide() -> None:
    rows = np.zeros((1, 3), ROW)
    rows["total"], rows["pearls"], rows["policy"] = 50, [4, 4, 3], [0, 1, 2]
    points = np.array([6, 9])
    both = new_sums(1, 1, 3)["rescored"]
    add_rescored(both, rows, [Penalty(-1, -5)], points)
    assert both[0, 0, :, 1].tolist() == [6, 6, 0]
    rows["held"] = [1, 2, 3]
    one = new_sums(1, 1, 3)["rescored"]
    add_rescored(one, rows, [Penalty(-1, -5)], points)
    assert one[0, 0, :, 1].tolist() == [0, 12, 0]


def test_scored_again_under_the_rules_own_pair_nothing_changes(plan: study.Plan, sums: dict[str, Any]) -> None:
    own = plan.grid.cells.index(plan.grid.own)
    assert np.array_equal(sums["rescored"][:, own], sums["cells"][:, own, :, : len(OUTCOMES)])
    assert sums["cells"][..., 0].sum() == 24 * 4 * 4 * len(plan.grid.cells)
    # Other penalties move policies, so that games differ.
    other = plan.grid.cells.index(Penalty(-3, -5))
    assert not np.array_equal(sums["rescored"][:, other], sums["cells"][:, other, :, : len(OUTCOMES)])


def test_what_is_counted_hangs_together(sums: dict[str, Any]) -> None:
    totals = {name: sums["cells"][..., place].sum() for place, name in enumerate(MEASURES)}
    lost = totals["nebulis_passed"] + totals["nebulis_paid"] + totals["nebulis_held"]
    assert totals["nebulis_gained"] == lost
    assert 0 < totals["figure_held"] <= totals["seats"] / 4
    assert totals["figure_taken"] >= totals["figure_held"]
    assert totals["purchases"] == totals["sales"]
    assert totals["win"] == 12 * totals["seats"] / 4
    assert totals["margin"] == 0


# --- Equal cells ---------------------------------------------------------------------------------------------------


def test_equal_cells_differ_by_nothing(plan: study.Plan) -> None:
    # "Tuned" policies that are the same as before: the arms play the same games.
    same = study.sweeps_of(SMALL, plan.grid, dict.fromkeys(plan.grid.tuned, plan.cast), estimates.TUNED)[1]
    sweep = plan.sweeps[1]
    deals = Chunk(0, 40)
    swept = [
        estimates.from_sums(
            one.arm, one.line_up, one.play(deals, one.scratch()).sums, cells=tuple(one.batches),
            policies=one.first.labels, sides=(1, -1), own=plan.grid.own, seats=4,
        )
        for one in (sweep, same)
    ]  # fmt: skip
    table = estimates.effect_table(swept)
    assert set(table["effect"]) == {"adaptation"}
    for outcome in estimates.SCALES:
        assert (table[outcome] == 0).all()
        assert (table[f"{outcome}_se"] == 0).all()
        assert np.isinf(table[f"{outcome}_variance_reduction"]).all()


# --- Break-even ----------------------------------------------------------------------------------------------------


def made_up(slope: float, at: float, seed: int) -> estimates.Swept:
    """Return sums in which the smuggler's margin falls with the points of a Nebulis and is 0 at `at`, plus noise."""
    cells = tuple(Penalty(-p, -5) for p in range(4))
    rng = np.random.default_rng(seed)
    margin = np.array([slope * (at - place) for place in range(4)])
    sums = np.zeros((256, 4, 2, len(OUTCOMES)), np.int64)
    noise = rng.normal(0, 8, (256, 40, 1)) + rng.normal(0, 3, (256, 40, 4))
    sums[:, :, :, 0] = 40
    sums[:, :, 0, 2] = np.rint(12 * (margin + noise)).sum(axis=1).astype(np.int64)
    sums[:, :, 1, 2] = -sums[:, :, 0, 2]
    sums[:, :, :, 1] = 120
    return estimates.Swept("played", "one", cells, ("smuggler", "honest"), (1, -1), sums, Penalty(-1, -5), 4)


def test_break_even_covers_what_was_put_in() -> None:
    axes = estimates.axes_of((0, -1, -2, -3), (-5,), Penalty(-1, -5))
    assert [axis.name for axis in axes] == ["points"]
    rows = [estimates.break_even_table([made_up(2.0, 1.4, seed)], axes).iloc[0] for seed in range(60)]
    missed = sum(not row["low"] <= 1.4 <= row["high"] for row in rows)
    # Binomial with mean 3: more than nine misses once in 900 sets of seeds.
    assert missed <= 9
    assert all(row["course"] == "crosses" for row in rows)
    pays = estimates.break_even_table([made_up(2.0, 9.0, 1)], axes).iloc[0]
    assert pays["course"] == "above"
    assert estimates.break_even_table([made_up(2.0, -5.0, 1)], axes).iloc[0]["course"] == "below"


def test_where_the_honest_seat_is_the_odd_one_its_loss_is_what_smuggling_brings() -> None:
    one = made_up(2.0, 1.4, 1)
    other = replace(one, policies=("honest", "smuggler"), sides=(-1, 1))
    assert np.array_equal(estimates.advantage(other, "margin").estimate, -estimates.advantage(one, "margin").estimate)


def test_axes_go_through_the_pair_of_the_rules() -> None:
    axes = {axis.name: axis for axis in estimates.axes_of((0, -1, -2), (0, -5, -10), Penalty(-1, -5))}
    assert axes["points"].cells == (Penalty(0, -5), Penalty(-1, -5), Penalty(-2, -5))
    assert axes["figure"].places == (0.0, 5.0, 10.0)
    assert axes["both"].cells == (Penalty(0, 0), Penalty(-1, -5), Penalty(-2, -10))
    assert axes["both"].places == (0.0, 1.0, 2.0)
    assert set(estimates.axes_of((0, -1), (0, -5), Penalty(0, -5))[0].places) == {0.0, 1.0}


# --- The whole study -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A tiny study from the command line: its directory and its tables as JSON."""
    folder = tmp_path_factory.mktemp("nebulis")
    file = folder / "tiny.toml"
    file.write_text(
        "games = 96\nplayers = 3\npoints = [0, -1]\nfigure = [0, -5]\n"
        "[tuning]\ngenerations = 1\ncandidates = 4\ndeals = 2\nverdict = 64\n"
    )
    out = folder / "out"
    done = CliRunner().invoke(main, ["study", "nebulis", str(file), "--jobs", "1", "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    return out, json.loads(done.stdout)


def test_digest_does_not_depend_on_workers_or_on_interruptions(tmp_path: Path) -> None:
    settings = replace(SMALL, players=2, points=(-1, -2), figure=(-5,))
    whole = study.run(study.plan_of(settings, KRAKEN), jobs=2)
    study.run(study.plan_of(replace(settings, games=32), KRAKEN), jobs=1, folder=tmp_path)
    resumed = study.run(study.plan_of(settings, KRAKEN), jobs=1, folder=tmp_path)
    assert resumed.facts["digest"] == whole.facts["digest"]
    pd.testing.assert_frame_equal(resumed.tables["cells"], whole.tables["cells"])
    pd.testing.assert_frame_equal(resumed.tables["tuning"], whole.tables["tuning"])
    assert [one["name"] for one in whole.facts["line_ups"]] == ["all balanced", "smuggler against honest"] * 2


def test_json_has_the_tables_of_the_report(results: tuple[Path, dict[str, Any]]) -> None:
    out, tables = results
    assert {"break_even", "cells", "effects", "curves", "behaviour", "figure", "tuning", "games", "ends"} <= set(tables)
    assert {one["arm"] for one in tables["cells"]} == set(estimates.ARMS)
    assert len(tables["tuning"]) == 4 * 3
    summary = json.loads((out / "summary.json").read_text())
    assert summary["tables"]["break_even"] == tables["break_even"]
    assert summary["own"] == {"points": -1, "figure": -5}
    assert (out / "figures" / "penalty_map.png").exists()


def test_the_report_is_whole_and_in_order(results: tuple[Path, dict[str, Any]]) -> None:
    reader = Reader()
    reader.feed((results[0] / "report.html").read_text(encoding="utf-8"))
    assert reader.open == []
    assert all(link.startswith("#") for link in reader.links)
    assert reader.headings == [
        "The answer",
        "Where smuggling pays",
        "The numbers",
        "What moves with it",
        "How the policies played",
        "Health",
        "Games to look at",
        "Method and provenance",
    ]
    assert all(len(set(rows)) == 1 for rows in reader.tables)
    for words in ("one smuggler among two honest seats", "where 33.3 would be fair", "3 players", "--expansion kraken"):
        assert words in reader.text


@pytest.mark.parametrize(
    ("course", "ends", "words"),
    [
        ("crosses", (1.5, 1.2, 1.9), "stops paying at \N{MINUS SIGN}1.50 IP for each Nebulis (95 %"),
        ("crosses", (2.9, 2.2, np.nan), "pays up to \N{MINUS SIGN}2.20 IP for each Nebulis at least"),
        ("above", (np.nan, np.nan, np.nan), "pays all the way from 0 to \N{MINUS SIGN}3 IP"),
        ("below", (np.nan, np.nan, np.nan), "pays nowhere from 0 to \N{MINUS SIGN}3 IP"),
        ("undecided", (np.nan, np.nan, 0.4), "stops paying at \N{MINUS SIGN}0.40 IP for each Nebulis at the latest"),
        ("undecided", (np.nan, np.nan, np.nan), "nothing can be told yet"),
    ],
)
def test_break_even_in_words(course: str, ends: tuple[float, float, float], words: str) -> None:
    columns = ["axis", "course", "penalty", "low", "high", "first", "last"]
    row = next(pd.DataFrame([("points", course, *ends, 0.0, 3.0)], columns=columns).itertuples())
    assert words in report.break_even_words(row)


def test_a_report_of_a_study_without_tuning(plan: study.Plan) -> None:
    settings = replace(SMALL, games=16, budget=Budget(generations=0), points=(0,), figure=(-5,))
    result = study.run(study.plan_of(settings, KRAKEN))
    assert "tuning" not in result.tables
    text = render(report.page(result.tables, {**result.facts}))
    assert "No policy was tuned" in text
    drawing = report.drawings(result.tables, result.facts)[0]
    assert svg_text(drawing, drawing.draw, 360, "map").startswith("<svg")
    assert png_bytes(drawing, 360, 1.0).startswith(b"\x89PNG")


# --- Settings and refusals -----------------------------------------------------------------------------------------


def test_settings_file_of_the_analysis_is_the_default() -> None:
    file = Path(__file__).parents[1] / "analyses" / "nebulis.toml"
    assert read_settings(file, study.settings_from) == study.Settings()


def test_the_default_grid_and_the_pairs_that_are_tuned_for() -> None:
    grid = study.plan_of(study.Settings(), KRAKEN).grid
    assert len(grid.cells) == 20
    corners = {Penalty(0, 0), Penalty(0, -10), Penalty(-3, 0), Penalty(-3, -10)}
    ends = {Penalty(0, -5), Penalty(-3, -5), Penalty(-1, 0), Penalty(-1, -10)}
    assert set(grid.tuned) == corners | ends | {Penalty(-1, -5), Penalty(-2, -10)}
    changed = load({"nebulis.points_each": -4}, expansions=("kraken",))
    assert study.plan_of(study.Settings(), changed).grid.own == Penalty(-4, -5)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"point": [0]}, "did you mean 'points'"),
        ({"points": [1]}, "from -20 to 0"),
        ({"points": []}, "a list of whole numbers"),
        ({"figure": [0, 0]}, "twice"),
        ({"smuggler": 3}, "the name of a preset"),
        ({"tuning": {"generation": 1}}, "did you mean 'generations'"),
        ({"tuning": {"candidates": 1}}, "tuning.candidates must be a whole number"),
        ({"players": 9}, "players must be a whole number"),
    ],
)
def test_wrong_settings_are_refused_in_words(data: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as error:
        study.settings_from(data, "file")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_what_cannot_be_studied_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="needs the Kraken expansion"):
        study.plan_of(SMALL, load())
    with pytest.raises(InputError, match="at least one pair beside"):
        study.plan_of(replace(SMALL, points=(-1,), figure=(-5,)), KRAKEN)
    with pytest.raises(InputError, match="both 'honest'"):
        study.plan_of(replace(SMALL, smuggler="honest"), KRAKEN)
    with pytest.raises(InputError, match="must be weighted"):
        study.plan_of(replace(SMALL, smuggler="random"), KRAKEN)
    with pytest.raises(InputError, match="players must be one of"):
        study.plan_of(replace(SMALL, players=5), KRAKEN)


def test_a_directory_of_another_study_is_refused(results: tuple[Path, dict[str, Any]]) -> None:
    out = results[0]
    for more, words in (((), "--resume"), (("--resume", "--seed", "9"), "differs")):
        done = CliRunner().invoke(main, ["study", "nebulis", "--jobs", "1", "--out", str(out), *more])
        assert done.exit_code == 2
        assert words in done.stderr
