"""Whole games with the Kraken expansion: the base game inside it, extreme rules, what is asked, how presets fare."""

from typing import Any

import numpy as np
import pytest

from abysssim.core.layout import MAX_LOG
from abysssim.policies.presets import load_policy, policy_records
from abysssim.records import Origin, record_of, replay
from abysssim.rules.rulebook import load
from abysssim.vocabulary import Decision, EndTrigger, Event, Ruling
from tests.helpers import Table

KRAKEN = ("kraken",)
RULINGS = {f"rulings.{ruling.name.lower()}": True for ruling in Ruling}
OF_KRAKEN = [d for d in Decision if d >= Decision.NEBULIS]
STYLES = ("balanced", "hoarder", "honest", "hunter", "landlord", "rusher", "smuggler", "trader")


# --- The base game inside ------------------------------------------------------------------------------------------


def emptied() -> dict[str, Any]:
    """Return the changes that leave nothing of the expansion but its name."""
    base, kraken = load(), load(expansions=KRAKEN)
    lords = set(kraken.lords) - set(base.lords)
    locations = set(kraken.locations) - set(base.locations)
    assert (len(lords), len(locations)) == (18, 6)
    changes: dict[str, Any] = {f"lords.{lord}.copies": 0 for lord in lords}
    changes |= {f"locations.{location}.copies": 0 for location in locations}
    return changes | {f"allies.kraken.{value}": 0 for value in (2, 3, 4)}


INSIDE = [
    ["random", "random"],
    ["balanced", "random", "trader"],
    ["hunter", "balanced", "hoarder", "landlord"],
    ["rusher", "random", "smuggler", "honest"],
]


@pytest.mark.parametrize("lineup", INSIDE, ids="-".join)
def test_without_its_parts_it_is_the_base_game(lineup: list[str]) -> None:
    """The same deals, the same choices, the same log and the same rows, with the rulings of the base game too."""
    rulings = {key: True for key in RULINGS if key in ("rulings.into_deck", "rulings.refill_before_power")}
    for changes in ({}, rulings):
        with_kraken = Table(load(emptied() | changes, KRAKEN), lineup, seed=4)
        without = Table(load(changes), lineup, seed=4)
        assert (with_kraken.play(150) == without.play(150)).all()
        for game in range(150, 155):
            told = [moves_of(table, game) for table in (with_kraken, without)]
            assert told[0] == told[1]


def moves_of(table: Table, game: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the choices and the log of a game, without what a seat has of Nebulis at the end of a turn."""
    desk = table.desks[0]
    desk.recording = 1
    rows = table.play(1, game)
    desk.recording = 0
    assert 0 < desk.log_count < MAX_LOG
    entries = [tuple(int(part) for part in entry) for entry in desk.log[: int(desk.log_count)]]
    entries = [entry for entry in entries if entry[0] != Event.SEAT_NEBULIS]
    return desk.chosen[: int(rows.decisions[0, 0])].tolist(), entries


# --- Stepping and replay -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_game_stepped_through_is_the_game_that_was_played(seats: int) -> None:
    """Its choices forced up to any place lead to the decision of that number, and the rest plays itself again."""
    random = np.random.default_rng(seats)
    lineup = ["balanced", "random", "smuggler", "trader"][:seats]
    policies = policy_records([load_policy(name) for name in lineup])
    for changes in ({}, RULINGS):
        origin = Origin(load(changes, KRAKEN), lineup, 12, 3)
        whole = origin.table(policies).play()
        record = record_of(origin, whole)
        assert replay(record) == record
        for number in random.choice(len(whole.choices), size=12, replace=False):
            table = origin.table(policies)
            stop = table.step(whole.choices[:number])
            assert stop.at_decision
            assert stop.game["decisions"] == number
            assert stop.game["option_count"] > whole.choices[number]
            assert record_of(origin, table.play(whole.choices[:number])) == record


# --- Extreme rules -------------------------------------------------------------------------------------------------

LORDS = sorted(set(load(expansions=KRAKEN).lords))
EXTREMES: list[dict[str, Any]] = [
    RULINGS,
    {"loot.copies": dict.fromkeys(range(10), 6) | {9: 10}, "game.keys_per_location": 1,
     "loot.rewards": {0: "AAAAAAAAA", 1: "KKKKKKKKK", 2: "MMMMMMMMM", 8: "PPPPPPPPP", 9: "PKMA"}},
    {"loot.copies": {3: 0, 4: 0, 5: 0, 6: 0, 7: 0}},
    {"allies.kraken": dict.fromkeys(range(1, 6), 20),
     "nebulis.kraken_ally_nebulis": dict.fromkeys(range(1, 6), 9), "races.copies": {2: 0, 3: 0, 4: 0}},
    {"nebulis.max_per_payment": 9, "lords.outlaw.amount": 9, "lords.ferryman.amount": 9, "nebulis.points_each": 20,
     "nebulis.kraken_figure_points": 20, "lords.watcher.amount": 9, "lords.vigil.amount": 9},
    {"nebulis.max_per_payment": 0, "game.start_pearls": 0, "game.plot_cost": 0},
    {"game.hand_limit": 5, "allies.kraken": {2: 20, 3: 20, 4: 20}} | RULINGS,
    {"game.hand_limit": 1, "lords.commander.amount": 0, "rulings.nebulis_on_any_discard": True, "allies.kraken.2": 60},
    {f"lords.x{i}": {"guild": "smuggler", "points": 1, "cost": 1, "races": 1, "amount": i % 10, "power": "sentinel"}
     for i in range(6)} | {"sentinels.count": 9, "game.lords_to_end": 12},
    {"lords.highwayman.amount": 9, "lords.executioner.amount": 9, "lords.healer.amount": 9, "lords.shareholder.amount":
     20, "lords.hypnotist.amount": 9, "lords.inheritor.amount": 50, "lords.landlord.amount": 20},
    {f"locations.{key}.copies": 0 for key in load().locations} | {"game.keys_per_location": 1},
    {f"locations.{key}.sacred": True for key in load(expansions=KRAKEN).locations} | RULINGS,
    {f"lords.{key}.cost": 40 for key in LORDS} | {"game.stalemate_rounds": 3},
    {f"lords.{key}.cost": 1 for key in LORDS} | {f"lords.{key}.races": 1 for key in LORDS},
]  # fmt: skip


@pytest.mark.parametrize("changes", EXTREMES, ids=[next(iter(changes)) for changes in EXTREMES])
def test_games_by_extreme_rules_of_kraken_end_without_error(changes: dict[str, Any]) -> None:
    """What the loader lets pass, the engine must be able to play."""
    rulebook = load(changes, KRAKEN)
    for lineup in (["random"] * 2, ["balanced", "random", "smuggler", "random"]):
        table = Table(rulebook, lineup)
        rows = table.play(25)
        assert table.desks[0].error == 0
        assert (rows.end_trigger > 0).all()
        assert (rows.win12.sum(axis=1) == 12).all()
        assert (rows.nebulis_held >= 0).all()
        assert (rows.pearls >= 0).all()


# --- How it is played ----------------------------------------------------------------------------------------------


def test_every_decision_of_kraken_is_asked_between_presets() -> None:
    """2,000 games of four presets each; the rarest is the figure's holder choosing between opponents who are level."""
    asked = np.zeros(len(Decision), np.int64)
    for lineup in (["balanced", "smuggler", "trader", "hoarder"], ["rusher", "hunter", "honest", "landlord"]):
        table = Table(load(expansions=KRAKEN), lineup, seed=1)
        table.play(1_000)
        asked += table.desks[0].asked
    assert [decision.name for decision in Decision if asked[decision] == 0] == ["TURN_END"]
    assert all(asked[decision] >= 5 for decision in OF_KRAKEN)


@pytest.mark.parametrize(
    "lineup",
    [["balanced", "smuggler", "trader", "honest"], ["rusher", "hunter", "hoarder", "landlord"],
     ["smuggler", "honest", "hunter"], ["balanced", "trader"], ["smuggler"] * 4, ["honest"] * 4, ["balanced"] * 2],
    ids="-".join,
)  # fmt: skip
def test_games_between_presets_end_by_a_rule(lineup: list[str]) -> None:
    triggers = Table(load(expansions=KRAKEN), lineup, seed=2).play(150).end_trigger
    assert not np.isin(triggers, (EndTrigger.NONE, EndTrigger.STALEMATE)).any()


def test_balanced_beats_three_random_players() -> None:
    """At least 90 % of the wins; with 800 games the true rate would have to be below 87 % to fail us 1 time in 100."""
    assert wins_against_random("balanced", 200) >= 0.9


@pytest.mark.parametrize("name", STYLES)
def test_every_preset_beats_three_random_players(name: str) -> None:
    """At least 75 % of the wins, three times what is fair."""
    assert wins_against_random(name, 50) >= 0.75


def wins_against_random(name: str, deals: int) -> float:
    """Return a policy's share of wins against three random players, every deal from every seat."""
    shares = []
    for seat in range(4):
        lineup = ["random"] * 4
        lineup[seat] = name
        shares.append(Table(load(expansions=KRAKEN), lineup, seed=7).play(deals).win12[:, seat].mean() / 12)
    return float(np.mean(shares))
