"""The study of Lord values: what is picked, what is summed, what is estimated, and that it can be stopped."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from abysssim.cli import main
from abysssim.errors import InputError
from abysssim.rules.rulebook import load
from abysssim.simulate import Chunk
from abysssim.studies import lord_values as study
from abysssim.studies.lord_estimates import lord_table, policy_lord_table, seat_table, verdict_table
from abysssim.studies.lord_sums import bar_tasks, pick_takes
from abysssim.studies.settings import read_settings
from tests.lord_example import (
    LORDS,
    SEATS,
    SEED,
    WORTH,
    base_games,
    example_cards,
    example_result,
    example_sums,
)

ALL = np.ones(LORDS, np.int64)
REGIONS = {"ip": 0.5, "win": 0.5}
QUICK = study.LineUp("all balanced", ("balanced",))


# --- What is picked ------------------------------------------------------------------------------------------------


def test_every_take_is_picked_once_with_weight_one() -> None:
    rows, _ = base_games(0, 300, np.random.default_rng(1))
    picks = pick_takes(rows, ALL, SEED, True)
    real = picks[picks["weight"] > 0]
    expected = [
        (game, seat, lord)
        for game in range(300)
        for seat in range(SEATS)
        for lord in range(LORDS)
        if int(rows[game, seat]["took"]) >> lord & 1
    ]
    assert [(int(p["place"]), int(p["seat"]), int(p["lord"])) for p in real] == expected
    assert set(real["weight"]) == {1}


def test_one_take_of_each_game_is_uniform_and_weighted_by_their_number() -> None:
    rows, _ = base_games(0, 4000, np.random.default_rng(2))
    picks = pick_takes(rows, ALL, SEED, False)
    real = picks[picks["weight"] > 0]
    takes = np.array([[int(t).bit_count() for t in row] for row in rows["took"]]).sum(axis=1)
    assert list(real["place"]) == list(np.flatnonzero(takes))
    assert np.array_equal(real["weight"], takes[takes > 0])
    places = []
    for pick in real[real["weight"] == 4]:
        owned = [
            (seat, lord)
            for seat in range(SEATS)
            for lord in range(LORDS)
            if int(rows[pick["place"], seat]["took"]) >> lord & 1
        ]
        places.append(owned.index((int(pick["seat"]), int(pick["lord"]))))
    counts = np.bincount(places, minlength=4)
    # Chi-square with three degrees of freedom: above 16.27 once in 1,000 seeds.
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 16.27


def test_a_pick_depends_on_seed_deal_and_rotation_alone() -> None:
    rows, _ = base_games(0, 200, np.random.default_rng(3))
    whole = pick_takes(rows, ALL, SEED, False)
    half = pick_takes(rows[100:], ALL, SEED, False)
    half["place"] += 100
    assert np.array_equal(whole[whole["place"] >= 100], half)
    assert not np.array_equal(whole, pick_takes(rows, ALL, SEED + 1, False))
    turned = rows.copy()
    turned["rotation"] = 1
    assert not np.array_equal(whole, pick_takes(turned, ALL, SEED, False))


def test_a_placebo_bars_a_lord_in_the_game_that_its_seat_did_not_take() -> None:
    rows, _ = base_games(0, 6400, np.random.default_rng(4))
    in_game = ALL.copy()
    in_game[2] = 0
    placebos = pick_takes(rows, in_game, SEED, False)
    placebos = placebos[placebos["weight"] == 0]
    # Binomial with mean 100 and a standard deviation of 9.9: outside four of them once in 16,000 seeds.
    assert abs(len(placebos) - 100) < 40
    for pick in placebos:
        assert pick["lord"] != 2
        assert not int(rows[pick["place"], pick["seat"]]["took"]) >> int(pick["lord"]) & 1


# --- What is summed ------------------------------------------------------------------------------------------------


def test_sums_agree_with_plain_arithmetic() -> None:
    rng = np.random.default_rng(5)
    rows, _ = base_games(0, 1000, rng, policies=2)
    sums = example_sums(1000, 5, policies=2)
    owned = (rows["took"][:, :, None] >> np.arange(LORDS)) & 1
    for policy in range(2):
        seats = rows["policy"][0] == policy
        assert np.array_equal(sums["takes"].sum(axis=0)[policy], owned[:, seats].sum(axis=(0, 1)))
        assert sums["policy_win"].sum(axis=0)[policy] == rows["win12"][:, seats].sum()
        assert sums["behaviour"][policy, 0] == rows["total"][:, seats].sum()
    assert np.array_equal(sums["raw_margin"].sum(axis=0), (owned * rows["margin12"][:, :, None]).sum(axis=(0, 1)))
    assert np.array_equal(sums["games"], np.bincount(np.arange(1000) % 256))
    inside = owned - owned.mean(axis=1, keepdims=True)
    products = np.einsum("gsa,gsb->ab", inside, inside) * SEATS
    assert np.allclose(sums["xtx"].sum(axis=0), products)
    margins = rows["margin12"] - rows["margin12"].mean(axis=1, keepdims=True)
    assert np.allclose(sums["xy_margin"].sum(axis=0), np.einsum("gsa,gs->a", inside, margins) * SEATS)
    assert np.allclose(sums["yy_margin"].sum(), (margins**2).sum() * SEATS)
    assert sums["take_turns"].sum() == owned.sum()


# --- What is estimated ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [False, True])
def test_take_values_recover_known_worths(every: bool) -> None:
    table = lord_table(example_result(8000, 6, every=every), example_cards(), REGIONS)
    # Six estimates within four standard errors: a false alarm once in 2,600 seeds.
    assert (np.abs(table["ip_value"] - WORTH) < 4 * table["ip_value_se"]).all()
    # The middle half of 6, 3, 3, 3, 1, 9 by rank: all but the least and the greatest.
    typical = (6 + 3 + 3 + 3) / 4
    assert (np.abs(table["ip_difference"] - (WORTH - typical)) < 4 * table["ip_difference_se"]).all()
    assert list(table["ip_verdict"].iloc[[0, 4, 5]]) == ["stronger", "weaker", "stronger"]
    assert (table["ip_difference_low_all"] <= table["ip_difference_low"]).all()
    assert (table["ip_variance_reduction"] > 1).all()
    assert list(table["ip_rank"].iloc[[5, 0, 4]]) == [1, 2, 6]


def test_a_lord_as_good_as_the_typical_one_is_equivalent() -> None:
    result = example_result(20000, 10)
    for name in ("base_margin", "bar_margin", "weight", "base_win", "bar_win"):
        # Five Lords alike.
        result.sums[name][:, :, [0, 4, 5]] = result.sums[name][:, :, [1, 2, 3]]
    table = lord_table(result, example_cards(), {"ip": 1.0, "win": 1.0})
    assert set(table["ip_verdict"]) == {"equivalent"}
    assert (table["ip_more_games"] == 0).all()


def test_a_line_up_without_a_name_gets_one() -> None:
    assert study.line_up_name(["balanced"]) == "all balanced"
    assert study.line_up_name(["balanced", "my/odd.toml", "balanced"]) == "2 balanced + odd"


def test_impact_is_rate_times_value_and_equals_the_unconditional_mean() -> None:
    sums = example_sums(2000, 7, every=True)
    table = lord_table(example_result(2000, 7, every=True), example_cards(), REGIONS)
    gained = (sums["base_margin"] - sums["bar_margin"]).sum(axis=(0, 1))
    # Without the Lord's take nothing changes, so the sum over takes is the sum over all seats of all games.
    assert np.allclose(table["ip_impact"], gained / 12 / (2000 * SEATS))
    assert np.allclose(table["ip_impact"], table["take_rate"] * table["ip_value"])


def test_a_lord_taken_too_seldom_is_undecided_and_without_interval() -> None:
    result = example_result(2000, 8)
    for name in ("weight", "base_margin", "bar_margin", "base_win", "bar_win"):
        result.sums[name][10:, :, 1] = 0
    table = lord_table(result, example_cards(), REGIONS)
    assert table["ip_verdict"].iloc[1] == "undecided"
    assert np.isnan(table["ip_difference_low"].iloc[1])
    assert np.isnan(table["ip_more_games"].iloc[1])


def test_win_shares_are_in_percentage_points_and_add_up() -> None:
    result = example_result(4000, 9, policies=2)
    assert seat_table(result)["win_share"].sum() == pytest.approx(100)
    rates = policy_lord_table(result, example_cards())
    table = lord_table(result, example_cards(), REGIONS)
    both = rates.groupby("lord", sort=False)["take_rate"].mean().to_numpy()
    assert np.allclose(both, table["take_rate"])


def test_a_class_is_robust_only_if_the_line_ups_agree() -> None:
    lords = pd.DataFrame(
        {
            "line_up": ["one"] * 3 + ["two"] * 3,
            "lord": ["ada", "bo", "cy"] * 2,
            "ip_verdict": ["stronger", "weaker", "undecided", "stronger", "equivalent", "undecided"],
        }
    )
    table = verdict_table(lords, "ip").set_index("lord")
    assert table.loc["ada", "overall"] == "stronger"
    assert table.loc["bo", "overall"] == "differs"
    assert table.loc["cy", "overall"] == "undecided"


# --- The bar in the engine -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm() -> study.Arm:
    settings = study.Settings(games=64, takes="all", line_ups=(QUICK,))
    return study.arms_of(settings, load())[0]


def test_a_bar_changes_nothing_where_its_lord_was_not_taken(arm: study.Arm) -> None:
    scratch = arm.scratch()
    rows = arm.batch.play(arm.batch.tasks(Chunk(0, 24)), scratch.base)
    lords = len(arm.batch.rulebook.lords)
    picks = np.zeros(24 * SEATS * lords, dtype=[("place", "i8"), ("seat", "i8"), ("lord", "i8"), ("weight", "i8")])
    picks["place"], picks["seat"], picks["lord"] = (
        part.ravel() for part in np.meshgrid(np.arange(24), np.arange(SEATS), np.arange(lords), indexing="ij")
    )
    barred = arm.batch.play(bar_tasks(rows, picks), scratch.replay)
    base = rows[picks["place"]]
    own = np.arange(len(picks))
    bitten = barred[own, picks["seat"]]["bar_bit"] == 1
    took = (base[own, picks["seat"]]["took"] >> picks["lord"]) & 1 == 1
    same = np.all(
        [(base[name] == barred[name]).all(axis=1) for name in ("total", "win12", "took", "turns", "pearls")], axis=0
    )
    assert same[~took].all()
    assert np.array_equal(bitten, took)
    # So that, without sampling, impact is the mean over all games of the unconditional difference.
    gain = base[own, picks["seat"]]["margin12"].astype(int) - barred[own, picks["seat"]]["margin12"]
    assert gain.sum() == gain[took].sum() != 0
    assert not ((barred[own, picks["seat"]]["took"] >> picks["lord"]) & 1).any()
    assert took.sum() > 400


def test_playing_without_a_bar_again_gives_the_same_sums(arm: study.Arm) -> None:
    first = arm.play(Chunk(0, 16), arm.scratch()).sums
    again = arm.play(Chunk(0, 16), arm.scratch()).sums
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert first["games"].sum() == 16
    assert first["replays"].sum() == first["takes"].sum()


# --- Settings ------------------------------------------------------------------------------------------------------


def test_settings_file_of_the_analysis_is_the_default() -> None:
    file = Path(__file__).parents[1] / "analyses" / "lord_values.toml"
    settings = read_settings(file, study.settings_from)
    assert settings.as_table() == study.Settings().as_table()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"game": 3}, "did you mean 'games'"),
        ({"games": 0}, "games must be a whole number"),
        ({"games": True}, "games must be a whole number"),
        ({"takes": "al"}, "did you mean 'all'"),
        ({"region": {"ips": 1.0}}, "did you mean 'ip'"),
        ({"region": {"ip": 0}}, "above 0"),
        ({"region": 3}, "region must be a table"),
        ({"line_up": []}, "one or more"),
        ({"line_up": [{"policies": []}]}, "line_up[0].policies"),
        ({"line_up": [{"policy": ["balanced"]}]}, "did you mean 'policies'"),
    ],
)
def test_wrong_settings_are_refused_in_words(data: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as error:
        study.settings_from(data, "file")
    assert words in str(error.value)


def test_line_ups_must_fit_the_players() -> None:
    settings = study.Settings(line_ups=(study.LineUp("three", ("balanced",) * 3),))
    with pytest.raises(InputError, match="3 policies for 4 players"):
        study.arms_of(settings, load())
    assert [len(line_up.policies) for line_up in study.Settings(players=2).lineups] == [1, 2]
    twice = study.Settings(line_ups=(QUICK, QUICK))
    with pytest.raises(InputError, match="two line-ups are called"):
        study.arms_of(twice, load())


# --- The whole study -----------------------------------------------------------------------------------------------


def test_digest_does_not_depend_on_workers_or_on_interruptions(tmp_path: Path) -> None:
    rulebook = load()
    settings = study.Settings(games=600, line_ups=(QUICK,))
    whole = study.run(settings, rulebook, jobs=2)
    part = study.Settings(games=300, line_ups=(QUICK,))
    study.run(part, rulebook, jobs=1, folder=tmp_path)
    resumed = study.run(settings, rulebook, jobs=1, folder=tmp_path)
    assert resumed.facts["digest"] == whole.facts["digest"]
    assert whole.facts["line_ups"][0]["games"] == 600
    pd.testing.assert_frame_equal(whole.tables["lords"], resumed.tables["lords"])


def test_a_lord_out_of_the_game_is_out_of_the_tables() -> None:
    changed = load({"lords.peddler.copies": 0, "lords.landlord.cost": 7})
    result = study.run(study.Settings(games=300, line_ups=(QUICK,)), changed, jobs=1)
    lords = result.tables["lords"]
    assert "peddler" not in set(lords["lord"])
    assert len(lords) == 34
    assert lords.set_index("lord").loc["landlord", "cost"] == 7
    assert result.facts["changes"] == changed.changes


def test_json_holds_the_tables_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["study", "lord-values", "--policies", "balanced", "--games", "300", "--jobs", "1", "--out", str(out)]
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    tables = json.loads(done.stdout)
    assert len(tables["lords"]) == 35
    assert {"lords", "verdicts", "behaviour", "ends", "games"} <= set(tables)
    summary = json.loads((out / "summary.json").read_text())
    assert summary["tables"]["lords"] == tables["lords"]
    assert (out / "report.html").exists()
    assert (out / "figures" / "lord_values.svg").exists()
    csv = pd.read_csv(out / "tables" / "lords.csv")
    assert np.allclose(csv["ip_value"], pd.read_parquet(out / "tables" / "lords.parquet")["ip_value"], equal_nan=True)
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 2
    assert "--resume" in again.stderr
    other = CliRunner().invoke(main, [*arguments, "--resume", "--seed", "9"])
    assert other.exit_code == 2
    assert "seed differs" in other.stderr


def test_an_unknown_study_is_answered_with_the_nearest() -> None:
    done = CliRunner().invoke(main, ["study", "lord-value"])
    assert done.exit_code == 2
    assert "did you mean 'lord-values'" in done.output
