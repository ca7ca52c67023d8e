"""Game records: an independent referee accepts them, they are valid by the schema, and replaying gives them again."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import abysssim
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy, policy_records, preset_names
from abysssim.position import parse_table
from abysssim.records import Origin, Record, origin_of, read_record, record_of, replay, write_record
from abysssim.rules.rulebook import Rulebook, load
from abysssim.vocabulary import Event, Ruling
from tests.referee import RefereeError, referee

PACKAGE = Path(abysssim.__file__).parent
RULES = tomllib.loads((PACKAGE / "rules" / "base.toml").read_text())
SCHEMA = json.loads((PACKAGE / "record.schema.json").read_text())
PRESETS = preset_names()
CHANGES: list[dict[str, object]] = [
    {"game.hand_limit": 8},
    {"game.stalemate_rounds": 3},
    {"game.court_slots": 4, "game.start_pearls": 4},
    {"game.explore_slots": 3, "game.plot_cost": 2},
    {"threat.spaces": [["P"], ["KMM", "KK"]]},
]


def games(rulebook: Rulebook, count: int, seed: int, names: list[str] | None = None) -> Iterator[Record]:
    """Yield records of games of 2, 3 and 4 seats, with one Table for each number of seats."""
    for seats in (2, 3, 4):
        lineup = [(names or PRESETS)[(seat + seed) % len(names or PRESETS)] for seat in range(seats)]
        policies = policy_records([load_policy(name) for name in lineup])
        table = Origin(rulebook, lineup, seed).table(policies)
        for game in range(count):
            table.tasks[0].game = game
            yield record_of(Origin(rulebook, lineup, seed, game), table.play())


@pytest.mark.parametrize("names", [["random"], PRESETS, ["balanced", "random"]], ids=["random", "presets", "mixed"])
def test_referee_accepts_games(names: list[str]) -> None:
    for record in games(load(), 100, 1, names):
        referee(record, RULES)


@pytest.mark.parametrize("ruling", list(Ruling), ids=lambda ruling: ruling.name.lower())
def test_referee_accepts_games_under_each_ruling(ruling: Ruling) -> None:
    for record in games(load({f"rulings.{ruling.name.lower()}": True}), 20, 2, ["random"]):
        referee(record, RULES)


@pytest.mark.parametrize("changes", CHANGES, ids=lambda changes: ",".join(changes))
def test_referee_accepts_games_of_changed_rules(changes: dict[str, object]) -> None:
    for record in games(load(changes), 20, 3, ["random"]):
        referee(record, RULES)


def test_referee_refuses_a_forged_record() -> None:
    record = next(games(load(), 1, 4))
    place = next(i for i, event in enumerate(record) if event["event"] == "recruit")
    forged = json.loads(json.dumps(record))
    forged[place]["pearls"] += 1
    with pytest.raises(RefereeError):
        referee(forged, RULES)


def test_every_line_is_valid_by_the_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    whole = jsonschema.Draft202012Validator(SCHEMA)
    for event in next(games(load(), 1, 5, ["random"]))[::7]:
        whole.validate(event)
    # The schema looks every line up among all events; asking for the right one at once is much faster.
    kinds = SCHEMA["properties"]["event"]["enum"]
    validators = {
        kind: jsonschema.Draft202012Validator({"$ref": f"#/$defs/event_{kind}", "$defs": SCHEMA["$defs"]})
        for kind in kinds
    }
    seen = set()
    for changes in ({}, {"game.hand_limit": 5}):
        for record in games(load(changes), 4, 5, ["random"]):
            for event in record:
                validators[event["event"]].validate(event)
                seen.add(event["event"])
    of_kraken = {kind.name.lower() for kind in Event if kind >= Event.NEBULIS}
    assert not seen & of_kraken
    never = set(kinds) - seen - of_kraken
    assert never <= {"position", "pass", "nothing_left", "extra_turn", "steal", "exchange", "lose", "swap_with_deck"}


@pytest.mark.parametrize(
    "event",
    [
        {"event": "explore"},
        {"event": "explore", "seat": 0, "depth": 3},
        {"event": "take", "seat": 0, "card": "monster", "space": 1},
        {"event": "dance", "seat": 0},
    ],
)
def test_schema_refuses_other_lines(event: dict[str, object]) -> None:
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(event)


def test_replay_equals_the_record() -> None:
    for changes in ({}, {"lords.peddler.cost": 9, "rulings.into_deck": True}):
        for record in games(load(changes), 15, 6, ["balanced", "random"]):
            assert replay(record) == record


def test_replay_of_a_game_from_a_position_and_with_a_bar(tmp_path: Path) -> None:
    table = {"players": 2, "turn": 1, "court": ["miller", "keeper"], "player": [{"pearls": 3}, {"hand": ["squid 5"]}]}
    position = parse_table(table)
    origin = Origin(position.rulebook, ["random", "random"], 0, 0, table, (1, 5))
    played = origin.table(policy_records([load_policy("random")] * 2)).play()
    record = record_of(origin, played)
    write_record(tmp_path / "game.jsonl", record)
    assert read_record(tmp_path / "game.jsonl") == record
    assert replay(record) == record


def test_referee_accepts_a_game_from_a_position() -> None:
    table = {
        "players": 3,
        "turn": 2,
        "court": ["miller", "keeper"],
        "locations": ["jail"],
        "player": [{"pearls": 3, "lords": ["slaver"]}, {"hand": ["squid 5"], "keys": 2}, {}],
    }
    position = parse_table(table)
    policies = policy_records([load_policy("random")] * 3)
    for game in range(20):
        origin = Origin(position.rulebook, ["random"] * 3, 0, game, table)
        referee(record_of(origin, origin.table(policies).play()), RULES)


def test_a_bar_is_kept() -> None:
    rulebook = load()
    policies = policy_records([load_policy("random")] * 2)
    lord = rulebook.lord_number("miller")
    for game in range(20):
        origin = Origin(rulebook, ["random"] * 2, 1, game, None, (0, lord))
        record = record_of(origin, origin.table(policies).play())
        assert record[0]["bar"] == {"seat": 0, "lord": "miller"}
        gets = [event for event in record if event["event"] in ("recruit", "take_lord") and event["lord"] == "miller"]
        # Drawn blindly from the deck (the Schemer) the Lord is not a choice.
        assert all(event["seat"] == 1 or event.get("cause") == "schemer" for event in gets)


def test_scores_are_those_of_the_rows() -> None:
    record = next(games(load(), 1, 8))
    players = record[-1]["players"]
    for score in players:
        parts = {name: points for name, points in score.items() if name != "total"}
        assert score["total"] == sum(parts.values())
    totals = np.array([score["total"] for score in players])
    assert set(record[-1]["winners"]) <= set(np.flatnonzero(totals == totals.max()).tolist())


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with pytest.raises(InputError, match="cannot be read"):
        read_record(file)
    file.write_text("{nonsense")
    with pytest.raises(InputError, match="cannot be read"):
        read_record(file)
    file.write_text('{"event": "game", "format": "other", "version": 1}\n')
    with pytest.raises(InputError, match="not a game record"):
        read_record(file)


def test_a_record_of_other_rules_is_not_replayed() -> None:
    record = next(games(load(), 1, 9))
    record[0] = {**record[0], "rules_hash": "0" * 16}
    with pytest.raises(InputError, match="other rules"):
        origin_of(record)
