"""Sacred Places, played: searches against the exact answer, gifts, bars on Locations, re-scoring, the whole study."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from abysssim.cli import main
from abysssim.core.layout import ROW, new
from abysssim.engine.tally import COUNTS
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy, policy_records
from abysssim.rules.rulebook import Rulebook, load
from abysssim.simulate import Batch, Chunk
from abysssim.stepping import Table
from abysssim.studies import gift_sums as gifts
from abysssim.studies import sacred_games as study
from abysssim.studies import search_checks as checks
from abysssim.studies.loot import FRESH, Search, one_step_rule, outcome
from abysssim.studies.sacred_exact import EXAMPLE_WORTHS
from abysssim.studies.search_sim import as_json, plan, simulate
from abysssim.studies.settings import read_settings
from abysssim.vocabulary import Event
from tests import helpers

SEATS = 4
DEALS = 40


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load(expansions=("kraken",))


@pytest.fixture(scope="module")
def arm(rulebook: Rulebook) -> study.Arm:
    batch = Batch(rulebook, (load_policy("balanced"),) * SEATS, seed=5, rotate=True)
    return study.Arm("test", batch, gifts=True, bars=True)


@pytest.fixture(scope="module")
def rows(arm: study.Arm) -> Any:
    return arm.batch.play(arm.batch.tasks(Chunk(0, DEALS)), arm.batch.scratch())


# --- Searches by the engine ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("worths", "deck"),
    [
        ({}, FRESH),
        (EXAMPLE_WORTHS, FRESH),
        ({3: Fraction(8), 4: Fraction(-1), 5: Fraction(0), 6: Fraction(1, 3)}, {3: 1, 4: 3, 5: 5, 6: 2, 7: 4}),
    ],
)
def test_searches_of_the_engine_agree_with_the_exact_answer(worths: Any, deck: Any) -> None:
    run = simulate(Search(deck, worths), 60_000, seed=11)
    found = as_json(run)["simulated"]
    # Some 15 numbers within four standard errors each: a false alarm once in 1,000 seeds, and the seed is fixed.
    assert found["passes"], found["comparison"]
    assert found["chi_square"]["impossible_ends"] == 0
    assert found["chi_square"]["p_value"] > 0.001
    assert sum(run.ends.values()) == run.searches == 60_000
    assert run.plan.exact.expected_value == pytest.approx(float(outcome(run.plan.search, one_step_rule(
        dict(run.plan.search.worths))).expected_value), abs=1e-9)  # fmt: skip


def test_a_simulation_is_the_same_for_any_number_of_workers() -> None:
    assert simulate(Search(), 70_000, seed=3, jobs=2).ends == simulate(Search(), 70_000, seed=3).ends
    assert simulate(Search(), 1000, seed=4).ends != simulate(Search(), 1000, seed=3).ends


def test_worths_that_no_reward_has_are_refused() -> None:
    with pytest.raises(InputError, match="value 7, which has no reward"):
        plan(Search(FRESH, {7: Fraction(1)}))


# --- Searches of games ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [0, 1, 2])
@pytest.mark.parametrize("deck", [FRESH, {3: 1, 4: 0, 5: 2, 6: 5, 7: 1}, {3: 2, 4: 1, 5: 0, 6: 0, 7: 0}])
def test_what_is_expected_of_a_search_is_what_enumeration_gives(arm: study.Arm, deck: Any, keys: int) -> None:
    rewards = arm.rewards
    starts = checks.Starts(np.array([list(deck.values())]), np.array([keys]), np.array([1]), np.array([9]))
    theory = checks.expected(starts, rewards)
    # Stopping by hand: every order of draws, with rewards as the policy weighs them at that moment.
    found = _enumerated(starts, rewards, 0, 1.0, 0.0)
    means = np.sum([chance * np.array(end) for chance, end in found], axis=0)
    squares = np.sum([chance * np.array(end) ** 2 for chance, end in found], axis=0)
    assert theory.mean[0] == pytest.approx(means)
    assert theory.variance[0] == pytest.approx(squares - means**2, abs=1e-9)


def _enumerated(
    starts: checks.Starts, rewards: checks.Rewards, mask: int, chance: float, gained: float
) -> list[tuple[float, tuple[float, ...]]]:
    worth = checks.worth_with(starts, rewards, mask)
    held = [int(value) for bit, value in enumerate(rewards.values) if mask >> bit & 1]
    left = starts.left[0] - [mask >> bit & 1 for bit in range(len(rewards.values))]
    if not left.sum() or not checks.goes_on(starts, rewards, mask, worth)[0]:
        return [(chance, (sum(held) + gained, sum(held), 0, len(held)))]
    ends: list[tuple[float, tuple[float, ...]]] = []
    for bit, value in enumerate(rewards.values):
        part, more = chance * left[bit] / left.sum(), gained + float(worth[0, bit]) / checks.SCALE
        if left[bit] and value in held:
            ends.append((part, (sum(held) - int(value) + more, sum(held) - int(value), 1, len(held) + 1)))
        elif left[bit]:
            ends += _enumerated(starts, rewards, mask | 1 << bit, part, more)
    return ends


def test_searches_of_games_are_noted_and_follow_the_rule(arm: study.Arm) -> None:
    scratch = arm.batch.scratch()
    rows = arm.batch.play(arm.batch.tasks(Chunk(0, 200)), scratch)
    notes = study.noted(scratch.desks[0])
    sums = checks.new_search_sums()
    checks.add_searches(sums, notes, rows["game"][notes["task"], 0], arm.rewards)
    assert sums["search_strayed"] == 0
    for name, total in (("searches", len(notes)), ("busts", int((notes["duplicate"] >= 0).sum()))):
        assert rows["counts"][:, :, COUNTS.index(name)].sum() == total
    drawn = np.bitwise_count(notes["held"]) + (notes["duplicate"] >= 0)
    assert rows["counts"][:, :, COUNTS.index("loot_drawn")].sum() == drawn.sum()
    assert np.array_equal(rows["location_points"].sum(axis=2), rows["locations"] + rows["loot"])


# --- Gifts ---------------------------------------------------------------------------------------------------------


def test_turns_are_picked_uniformly_and_weighted_by_their_number(rows: Any) -> None:
    picks = gifts.pick_turns(rows, np.array([5, 0]))
    own = rows["turns"][picks["place"], picks["seat"]]
    assert ((picks["turn"] >= 1) & (picks["turn"] <= own)).all()
    assert np.array_equal(picks["weight"], rows["turns"].sum(axis=1))
    made = new(ROW, 20_000 * SEATS).reshape(20_000, SEATS)
    made["game"] = np.arange(20_000)[:, None]
    made["turns"] = [3, 2, 1, 4]
    many = gifts.pick_turns(made, np.array([1, 2]))
    counts = np.bincount(many["seat"] * 4 + many["turn"] - 1, minlength=16)
    counts = counts[counts > 0]
    assert len(counts) == 10
    # Chi-square with nine degrees of freedom: above 27.88 once in 1,000 seeds.
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.88


def test_a_gift_of_nothing_changes_nothing(arm: study.Arm, rows: Any) -> None:
    picks = gifts.pick_turns(rows, arm.batch.seed_words)
    again = arm.batch.play(gifts.gift_tasks(rows, picks, ("nothing",)), arm.batch.scratch())
    for name in set(rows.dtype.names) - {"gift_keys", "gift_lords", "gift_tokens"}:
        assert np.array_equal(rows[name], again[name]), name
    assert (again["gift_keys"] >= 0).all()


def test_keys_lords_and_tokens_at_a_gift_are_those_of_the_turn_before(rulebook: Rulebook, rows: Any) -> None:
    picks = gifts.pick_turns(rows, np.array([5, 0]))[:12]
    batch = Batch(rulebook, (load_policy("balanced"),) * SEATS, seed=5)
    noted = batch.play(gifts.gift_tasks(rows, picks, ("key",)), batch.scratch())
    table = helpers.Table(rulebook, ["balanced"] * SEATS, seed=5)
    for pick, row in zip(picks, noted[:, 0], strict=True):
        before = None
        for position in table.turns(int(rows["game"][pick["place"], 0])):
            if position.players[pick["seat"]].turns >= pick["turn"]:
                break
            before = position
        if before is None:  # the first turn of the game
            assert (row["gift_keys"], row["gift_lords"]) == (0, 0)
            continue
        player = before.players[pick["seat"]]
        free = [held for held in player.lords[: player.lord_count] if held.location < 0 and not held.turned]
        keys = [int(rulebook.record[0].lords[held.lord].keys) for held in free if not held.spent]
        assert row["gift_keys"] == player.key_tokens + sum(keys)
        assert row["gift_lords"] == max(int(one.lord_count) for one in before.players[:SEATS])
        assert row["gift_tokens"] == before.token_count


def test_a_gift_of_pearls_changes_nothing_before_its_turn(rulebook: Rulebook, rows: Any) -> None:
    picks = gifts.pick_turns(rows, np.array([5, 0]))[:6]
    for pick in picks:
        records = policy_records([load_policy("balanced")] * SEATS)
        table = Table(rulebook, SEATS, records, seed=5, game=int(rows["game"][pick["place"], 0]))
        base = table.play().entries
        table.tasks[0].gift_seat, table.tasks[0].gift_turn = pick["seat"], pick["turn"]
        table.tasks[0].gift = gifts.gift_of("pearls")
        given = table.play().entries
        turns = (base["event"] == Event.TURN) & (base["seat"] == pick["seat"])
        starts = np.flatnonzero(turns & (base["a"] == pick["turn"]))
        first = int(starts[0])
        assert np.array_equal(base[: first + 1], given[: first + 1])
        assert not np.array_equal(base, given)


def test_one_ip_more_is_the_engines_own_order_of_the_seats(rulebook: Rulebook, rows: Any) -> None:
    points = np.asarray(rulebook.record[0].lords["points"], dtype=np.int64)
    assert np.array_equal(gifts.win_with(rows, points, 0), rows["win12"])
    for extra in (1, -1, 3):
        found = gifts.win_with(rows, points, extra)
        for game in range(DEALS):
            for seat in range(SEATS):
                assert found[game, seat] == _plain_win(rows[game], points, seat, extra)


def _plain_win(game: Any, points: Any, lucky: int, extra: int) -> int:
    standing = []
    for seat, row in enumerate(game):
        lords = [int(points[lord]) for lord in range(len(points)) if int(row["held"]) >> lord & 1]
        standing.append((int(row["total"]) + extra * (seat == lucky), int(row["pearls"]), max(lords, default=0)))
    best = [seat for seat in range(len(game)) if standing[seat] == max(standing)]
    return 12 // len(best) if lucky in best else 0


# --- Bars on Locations ---------------------------------------------------------------------------------------------


def test_a_barred_location_is_missed_where_it_was_taken_by_choice_and_nowhere_else(
    arm: study.Arm, rows: Any
) -> None:
    locations = len(arm.batch.rulebook.locations)
    picks = np.zeros(12 * SEATS * locations, gifts.BAR)
    picks["place"], picks["seat"], picks["location"] = (
        part.ravel() for part in np.meshgrid(np.arange(12), np.arange(SEATS), np.arange(locations), indexing="ij")
    )
    barred = arm.batch.play(gifts.location_tasks(rows, picks), arm.batch.scratch())
    base, own = rows[picks["place"]], np.arange(len(picks))
    took = base[own, picks["seat"]]["took_locations"] >> picks["location"] & 1 == 1
    bitten = barred[own, picks["seat"]]["bar_bit"] == 1
    assert np.array_equal(bitten, took)
    names = ("total", "win12", "took", "turns", "pearls", "locations_held")
    same = np.all([(base[name] == barred[name]).all(axis=1) for name in names], axis=0)
    assert same[~took].all()
    assert not same[took].all()
    assert took.sum() > 40


def test_one_location_of_each_game_is_picked_and_weighted_by_their_number(arm: study.Arm, rows: Any) -> None:
    picks = gifts.pick_locations(rows, arm.batch.seed_words)
    taken = rows["took_locations"][picks["place"], picks["seat"]] >> picks["location"] & 1
    assert taken.all()
    counts = np.bitwise_count(rows["took_locations"]).sum(axis=1)
    assert np.array_equal(picks["place"], np.flatnonzero(counts))
    assert np.array_equal(picks["weight"], counts[counts > 0])


# --- The whole study -----------------------------------------------------------------------------------------------


def test_settings_file_of_the_analysis_is_the_default() -> None:
    file = Path(__file__).parents[1] / "analyses" / "sacred_places.toml"
    assert read_settings(file, study.settings_from) == study.Settings()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"game": 3}, "did you mean 'games'"),
        ({"games": 0}, "games must be a whole number"),
        ({"rounds": 9}, "rounds must be a whole number from 1 to 4"),
        ({"policy": 3}, "policy must be text"),
    ],
)
def test_wrong_settings_are_refused_in_words(data: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        study.settings_from(data, "file")


def test_rules_and_policies_that_the_study_cannot_use_are_refused(rulebook: Rulebook) -> None:
    with pytest.raises(InputError, match="--expansion kraken"):
        study.check(study.Settings(), load())
    with pytest.raises(InputError, match="does not weigh rewards"):
        study.check(study.Settings(policy="random"), rulebook)


def test_digest_does_not_depend_on_workers_or_on_interruptions(tmp_path: Path, rulebook: Rulebook) -> None:
    settings = study.Settings(games=300, rounds=1)
    whole = study.run(settings, rulebook, jobs=2)
    assert whole.facts["placebo"][1] == 0
    assert whole.facts["late_gifts"] == 0

    class Tired(Exception):
        pass

    def progress(name: str, blocks: int, done: int, turns: int) -> Any:
        if name == "Locations":
            raise Tired
        return type("Quiet", (), {"update": lambda self, blocks: None, "close": lambda self: None})()

    with pytest.raises(Tired):
        study.run(settings, rulebook, jobs=1, folder=tmp_path, progress=progress)
    assert (tmp_path / "checkpoint-5.npz").exists()
    resumed = study.run(settings, rulebook, jobs=1, folder=tmp_path)
    assert resumed.facts["digest"] == whole.facts["digest"]
    pd.testing.assert_frame_equal(whole.tables["shadow"], resumed.tables["shadow"])


def test_a_policy_of_the_study_is_a_file_that_loads(tmp_path: Path) -> None:
    policy = study.with_worths(load_policy("balanced"), "IP-best", {"loot_pearl_late": 0.12345})
    file = tmp_path / "IP-best.toml"
    file.write_text(study.policy_file(policy))
    assert load_policy(file).policy_hash == policy.policy_hash


# --- The command ---------------------------------------------------------------------------------------------------


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["study", "sacred-places", *arguments])


def test_simulated_json_has_the_keys_of_the_exact_answer_and_the_comparison() -> None:
    done = ask("--simulate", "20000", "--rewards", "3=3,4=2,5=2.65,6=1.5", "--jobs", "1", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    exact = json.loads(ask("--exact", "--rewards", "3=3,4=2,5=2.65,6=1.5", "--json").stdout)
    assert set(exact) | {"simulated"} == set(found)
    assert found["expected_value"] != exact["expected_value"]
    assert found["expected_value"] == pytest.approx(exact["expected_value"], abs=0.2)
    names = {row["quantity"] for row in found["simulated"]["comparison"]}
    assert {"expected_value", "bust_probability", "expected_draws", "left_7", "drawn_3"} <= names
    text = ask("--simulate", "20000", "--jobs", "1")
    assert "All agree within 4 standard errors" in text.output
    assert max(map(len, text.output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--exact", "--simulate", "5"], "give one of them"),
        (["--simulate", "5", "--held", "3"], "--held does not go with --simulate"),
        (["--exact", "--games", "5"], "--games does not go with --exact"),
        (["--simulate", "5", "--players", "3"], "--players does not go with --simulate"),
        (["--rewards", "3=3"], "--rewards goes with --exact or --simulate"),
        (["--simulate", "5", "--rewards", "7=1"], "value 7, which has no reward"),
        (["--policy", "balansed"], "did you mean 'balanced'"),
        (["--players", "9"], "players"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], words: str) -> None:
    done = ask(*arguments)
    assert done.exit_code == 2, done.output
    assert words in done.stderr


def test_a_study_writes_its_report_and_its_json_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One map stands for three, which are drawn alike: drawing takes longer than this study.
    monkeypatch.setattr("abysssim.report.sacred_places.PHASES", ("late",))
    out = tmp_path / "out"
    settings = tmp_path / "settings.toml"
    settings.write_text("games = 250\nrounds = 1\n")
    done = ask(str(settings), "--jobs", "1", "--out", str(out), "--json")
    assert done.exit_code == 0, done.output
    assert "round 1: 250 games, replays not counted" in done.stderr
    found = json.loads(done.stdout)
    assert {"shadow", "rounds", "one_ip", "stop_games", "stop_rules", "locations", "searches", "worths"} <= set(found)
    assert set(found["weights"]) == {"ip", "win"}
    summary = json.loads((out / "summary.json").read_text())
    assert summary["tables"]["shadow"] == found["shadow"]
    figures = ("figures/shadow_values.svg", "figures/search_or_stop_late.png")
    for name in ("report.html", "policies/IP-best.toml", *figures):
        assert (out / name).exists(), name
    again = ask(str(settings), "--jobs", "1", "--out", str(out))
    assert again.exit_code == 2
    assert "--resume" in again.stderr
    other = ask(str(settings), "--jobs", "1", "--out", str(out), "--resume", "--games", "260")
    assert other.exit_code == 2
    assert "games differs" in other.stderr
    # Going on with what is whole plays nothing; the report that it would write again is the one above.
    monkeypatch.setattr("abysssim.commands.sacred_places._write", lambda out, result: None)
    whole = ask(str(settings), "--jobs", "1", "--out", str(out), "--resume")
    assert whole.exit_code == 0
    assert "games, replays not counted" not in whole.stderr
    assert json.loads((out / "manifest.json").read_text())["digest"] == summary["digest"]
