"""Policies: what the files say, what the kernel does with it, and how well and how differently the presets play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abysssim.core.layout import DESK, GAME, ROW, TASK, new
from abysssim.engine.play import play_batch
from abysssim.errors import InputError
from abysssim.policies.presets import Policy, load_policy, policy_records, preset_names
from abysssim.policies.weights import MEANINGS, NAMES
from abysssim.rules.rulebook import load
from abysssim.rules.schema import OF_EXPANSION
from abysssim.vocabulary import Count, Decision, EndTrigger, PolicyKind, Power

PRESETS = ("balanced", "first", "hoarder", "honest", "hunter", "landlord", "random", "rusher", "smuggler", "trader")
STYLES = ("rusher", "landlord", "hoarder", "trader", "hunter")


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


# --- files ----------------------------------------------------------------------------------------------------------


def test_presets_are_listed_and_load() -> None:
    assert tuple(preset_names()) == PRESETS
    hashes = {load_policy(name).policy_hash for name in PRESETS}
    assert len(hashes) == len(PRESETS)


@pytest.mark.parametrize("name", ["balanced", *STYLES])
def test_weighted_presets_have_every_weight(name: str) -> None:
    policy = load_policy(name)
    assert policy.kind == PolicyKind.WEIGHTED
    assert set(policy.weights) == set(NAMES)
    assert policy.title
    assert policy.about


def test_own_file_inherits_from_balanced(tmp_path: Path) -> None:
    policy = load_policy(written(tmp_path, "[weights]\npearl = 2.5\n"))
    balanced = load_policy("balanced")
    assert policy.weights["pearl"] == 2.5
    assert {k: v for k, v in policy.weights.items() if k != "pearl"} == {
        k: v for k, v in balanced.weights.items() if k != "pearl"
    }
    assert policy.policy_hash != balanced.policy_hash


def test_own_file_inherits_from_its_base_beside_it(tmp_path: Path) -> None:
    (tmp_path / "parent.toml").write_text('base = "rusher"\n[weights]\nkey = 9.0\n', encoding="utf-8")
    policy = load_policy(written(tmp_path, 'base = "parent.toml"\nnoise = 0.5\n'))
    assert policy.weights == {**load_policy("rusher").weights, "key": 9.0}
    assert policy.noise == 0.5


def test_name_is_no_part_of_the_hash(tmp_path: Path) -> None:
    assert load_policy(written(tmp_path, "")).policy_hash == load_policy("balanced").policy_hash


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[weights]\nperl = 1.0\n", "weight 'perl' is not known; did you mean 'pearl'?"),
        ("[weights]\npearl = 'much'\n", "weight 'pearl' must be a number"),
        ("[weights]\npearl = true\n", "weight 'pearl' must be a number"),
        ("[weights]\npearl = 1e9\n", "weight 'pearl' must be a number"),
        ("[weights]\npearl = nan\n", "weight 'pearl' must be a number"),
        ("noise = -1\n", "noise must be a number from 0"),
        ("noise = 10001\n", "noise must be a number from 0 to 10000, not 10001"),
        ("[weights]\npearl = -10001\n", "must be a number from -10000 to 10000, not -10001"),
        ("kind = 'wieghted'\n", "did you mean 'weighted'?"),
        ("kind = 'random'\n[weights]\npearl = 1\n", "kind 'random' has no weights"),
        ("nois = 1\n", "key 'nois' is not known"),
        ("base = 'blanced'\n", "did you mean 'balanced'?"),
        ("base = 'random'\n", "base 'random' has no weights"),
        ("base = 'mine.toml'\n", "in a circle"),
        ("weights = 3\n", "weights must be a table"),
        ("title = 3\n", "title must be text"),
        ("[weights\n", "cannot be read as TOML"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=r"^policy ") as refused:
        load_policy(written(tmp_path, text))
    assert told in str(refused.value)


@pytest.mark.parametrize(("name", "told"), [("blanced", "did you mean 'balanced'?"), ("no/such.toml", "no such file")])
def test_unknown_policies_are_refused(name: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        load_policy(name)
    assert told in str(refused.value)


def test_records_hold_1024ths() -> None:
    policy = Policy("p", PolicyKind.WEIGHTED, 0.25, dict.fromkeys(NAMES, 0.0) | {"ip": 1.2345, "pearl": -0.5})
    record = policy_records([policy, load_policy("random")])
    assert record[0].kind == PolicyKind.WEIGHTED
    assert record[0].noise == 256
    assert record[0].weights[NAMES.index("ip")] == 1264
    assert record[0].weights[NAMES.index("pearl")] == -512
    assert record[1].kind == PolicyKind.RANDOM
    assert not record[1].weights.any()


def test_every_weight_says_what_it_means() -> None:
    assert all(MEANINGS[name] for name in NAMES)


# --- play -----------------------------------------------------------------------------------------------------------


class Match:
    """A line-up of policies in every rotation of the seats, over common deals."""

    def __init__(
        self, lineup: list[Policy], deals: int, first: int = 0, expansions: tuple[str, ...] = ()
    ) -> None:
        seats = len(lineup)
        self.names = sorted({policy.name for policy in lineup})
        by_name = {policy.name: policy for policy in lineup}
        self.desk = new(DESK)
        self.desk[0].policies[: len(self.names)] = policy_records([by_name[name] for name in self.names])
        numbers = [self.names.index(policy.name) for policy in lineup]
        turns = [[numbers[(seat + turn) % seats] for seat in range(seats)] for turn in range(seats)]
        tasks = new(TASK, deals * seats)
        tasks.game = np.repeat(np.arange(first, first + deals), seats)
        tasks.rotation = np.tile(np.arange(seats), deals)
        tasks.bar_seat = -1
        self.rows = new(ROW, deals * seats * seats).reshape(deals * seats, seats)
        play_batch(
            load(expansions=expansions).record,
            self.desk,
            new(GAME),
            tasks,
            np.array(turns, dtype=np.int64),
            seats,
            np.array([7, 0], dtype=np.int64),
            self.rows,
        )

    def of(self, policy: str) -> Any:
        """Return the rows of the seats that a policy played."""
        return self.rows[self.rows.policy == self.names.index(policy)]

    def count(self, policy: str, what: Count) -> float:
        """Return how often a seat of the policy did something in a game, on average."""
        return float(self.of(policy).counts[:, what].mean())


def test_balanced_beats_three_random_players() -> None:
    """At least 90 % of the wins; with 800 games the true rate would have to be below 87 % to fail us 1 time in 100."""
    match = Match([load_policy(name) for name in ("balanced", "random", "random", "random")], 200)
    assert match.of("balanced").win12.mean() / 12 >= 0.9


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_winners_among_balanced_players_score_as_people_do(seats: int) -> None:
    rows = Match([load_policy("balanced")] * seats, 150).rows
    assert 60 <= rows.total.max(axis=1).mean() <= 95


def test_games_between_presets_end_by_a_rule() -> None:
    lineups = [["balanced", "rusher", "landlord", "hoarder"], ["trader", "hunter", "rusher"], ["hoarder", "trader"]]
    lineups += [["hunter", "hoarder", "trader", "landlord"]] + [[name] * 4 for name in STYLES]
    for lineup in lineups:
        triggers = Match([load_policy(name) for name in lineup], 100).rows.end_trigger
        assert not np.isin(triggers, (EndTrigger.NONE, EndTrigger.STALEMATE)).any()


def test_styles_are_told_apart_by_what_they_do() -> None:
    """Each style is one seat against three balanced ones; the differences are many standard errors wide."""
    balanced = load_policy("balanced")
    against = {
        name: Match([load_policy(name), balanced, balanced, balanced], 150) for name in STYLES if name != "rusher"
    }

    def more(name: str, what: Count, factor: float) -> bool:
        return against[name].count(name, what) > factor * against[name].count("balanced", what)

    assert more("hunter", Count.FIGHTS, 1.25)
    assert more("landlord", Count.LOCATIONS, 1.2)
    assert more("hoarder", Count.COUNCIL_ACTIONS, 1.25)
    assert more("trader", Count.PURCHASES, 1.25)
    races = Match([load_policy("rusher")] * 4, 150).rows.turns
    assert races.mean() < 0.97 * Match([balanced] * 4, 150).rows.turns.mean()


def test_buyers_prefer_high_cards() -> None:
    match = Match([load_policy("balanced")] * 4, 100)
    assert match.count("balanced", Count.BOUGHT_HIGH) > 2 * match.count("balanced", Count.BOUGHT_LOW)


def test_random_policy_takes_all_options_alike() -> None:
    """`buy` and `pass` are taken with the same chance: 5 standard errors, so a false alarm in a million runs."""
    match = Match([load_policy("random")] * 4, 100)
    desk = match.desk[0]
    asked = int(desk.asked[Decision.OFFER])
    bought = int(match.rows.counts[:, :, Count.PURCHASES].sum())
    assert asked > 5000
    assert abs(bought - asked / 2) < 5 * np.sqrt(asked / 4)


def test_noise_changes_play_and_can_be_repeated() -> None:
    balanced = load_policy("balanced")
    noisy = Policy("noisy", PolicyKind.WEIGHTED, 2.0, balanced.weights)
    quiet_rows = Match([balanced] * 4, 20).rows
    noisy_rows = Match([noisy] * 4, 20).rows
    assert (noisy_rows.total != quiet_rows.total).any()
    assert (noisy_rows.total == Match([noisy] * 4, 20).rows.total).all()


def test_noise_is_tied_to_options_and_leaves_the_decks_alone() -> None:
    """A noise too small to matter changes nothing: draws for policies do not disturb those of the deal."""
    balanced = load_policy("balanced")
    faint = Policy("faint", PolicyKind.WEIGHTED, 0.001, balanced.weights)
    same = Match([balanced] * 4, 30).rows.total == Match([faint] * 4, 30).rows.total
    assert same.all(axis=1).mean() > 0.9


# Weights of what only the Kraken expansion brings.
KRAKEN_WEIGHTS = {
    *NAMES[NAMES.index("nebulis") : NAMES.index("grow_nebulis") + 1],
    *(f"power_{power.name.lower()}" for power in OF_EXPANSION["kraken"][Power]),
}


@pytest.fixture(scope="module")
def plain() -> dict[tuple[str, ...], dict[int, Any]]:
    """Rows of four balanced players, by expansions and the number of deals."""
    balanced = [load_policy("balanced")] * 4
    return {
        expansions: {deals: Match(balanced, deals, expansions=expansions).rows for deals in (60, 2000)}
        for expansions in ((), ("kraken",))
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_weight_matters(name: str, plain: dict[tuple[str, ...], dict[int, Any]]) -> None:
    """Moving any single weight far changes some game of a batch; a choice of Keys is rare, and needs a large one.

    Those of the base game change base games; those of the expansion change nothing there.
    """
    weights = load_policy("balanced").weights
    expansions = ("kraken",) if name in KRAKEN_WEIGHTS else ()
    for deals, rows in plain[expansions].items():
        for change in (6.0, -6.0, 30.0, -30.0):
            moved = Policy("moved", PolicyKind.WEIGHTED, 0.0, {**weights, name: weights[name] + change})
            if expansions:
                assert (Match([moved] * 4, 60).rows.total == plain[()][60].total).all()
            if (Match([moved] * 4, deals, expansions=expansions).rows.total != rows.total).any():
                return
    pytest.fail(f"weight '{name}' changed nothing")
