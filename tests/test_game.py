"""A game for people: options, choices, undo, what a seat may see, transcripts, and the command play."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from abysssim.cli import main
from abysssim.errors import InputError
from abysssim.game import Game
from abysssim.policies.presets import load_policy
from abysssim.position import parse_table
from abysssim.records import read_record, replay
from abysssim.rules.rulebook import load
from abysssim.store import code_hash, write_json


def call(*arguments: str, lines: str | None = None) -> Any:
    return CliRunner().invoke(main, ["play", *arguments], input=lines)


# --- Game ----------------------------------------------------------------------------------------------------------


def test_a_game_waits_at_every_decision() -> None:
    game = Game(players=3, seed=7)
    asked = 0
    while not game.finished:
        options = game.options()
        assert len(options) > 1
        assert game.seat in (0, 1, 2)
        game.choose(options[-1] if asked % 3 == 0 else 0)
        asked += 1
    assert len(game.choices) == asked
    assert game.options() == []
    assert game.seat is None
    assert game.result().winners


def test_other_seats_are_played_by_their_policies() -> None:
    game = Game(players=3, seed=7, asked=[1])
    while not game.finished:
        assert game.seat == 1
        game.choose(0)
    assert [event["policies"] for event in game.record()[:1]] == [["balanced", "human", "balanced"]]


def test_undo_takes_back_the_last_own_choice() -> None:
    game = Game(players=3, seed=2, asked=[2])
    seen = []
    for _ in range(6):
        seen.append((game.options(), game.view(2), game.transcript()))
        game.choose(0)
    for before in reversed(seen):
        game.undo()
        assert (game.options(), game.view(2), game.transcript()) == before
    with pytest.raises(InputError, match="nothing to undo"):
        game.undo()


def test_another_choice_after_undo_leads_elsewhere() -> None:
    game = Game(players=2, seed=2)
    first = game.choose(0).transcript()
    assert game.undo().choose(1).transcript() != first


def test_policies_play_on_as_if_nobody_had_asked() -> None:
    whole = Game(players=4, seed=9, asked=[])
    stepped = Game(players=4, seed=9)
    assert stepped.play_on() == whole.result()
    assert stepped.record() == whole.record()


def test_a_game_begins_at_a_position(tmp_path: Path) -> None:
    table = {"players": 2, "turn": 1, "court": ["miller"], "player": [{}, {"hand": ["seahorse 5", "crab 3"]}]}
    game = Game(position=table)
    assert game.seat == 1
    assert "recruit miller" in game.options()
    file = tmp_path / "position.toml"
    file.write_text(Game(position=parse_table(table)).position())
    assert Game(position=file).options() == game.options()


def test_the_position_of_a_turn_leads_to_the_same_decision() -> None:
    game = Game(players=2, policies="random", seed=4)
    for _ in range(40):
        while game.decision != "menu":
            game.choose(0)
        again = Game(position=tomllib.loads(game.position())["position"])
        while again.decision != "menu":
            again.choose(0)
        assert again.seat == game.seat or game.options() == again.options()
        game.choose(len(game.options()) - 1)


def test_a_record_becomes_a_game_again() -> None:
    played = Game(players=3, policies="random", seed=5, asked=[])
    again = Game.from_record(played.record())
    assert again.result() == played.result()
    assert again.record() == played.record()
    again.go_to(10)
    assert len(again.choices) == 10
    assert not again.finished


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"players": 5}, "players must be one of 2, 3, 4"),
        ({"players": 3, "policies": ["random", "random"]}, "2 policies are given for 3 players"),
        ({"policies": "balancd"}, "did you mean 'balanced'"),
        ({"asked": [2]}, "there is no seat 2; seats are 0 to 1"),
        ({"bar": (0, "pedler")}, "did you mean 'peddler'"),
        ({"position": "nowhere.toml"}, "cannot be read"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Game(**arguments)


def test_results_before_the_end_are_refused(tmp_path: Path) -> None:
    game = Game()
    with pytest.raises(InputError, match="not over"):
        game.result()
    with pytest.raises(InputError, match="not over"):
        game.write_record(tmp_path / "game.jsonl")
    game.play_on()
    with pytest.raises(InputError, match="the game is over"):
        game.choose(0)


def test_a_notebook_shows_options_and_result() -> None:
    game = Game(players=2)
    assert "<li><code>take</code></li>" in game._repr_html_() or "<li><code>buy</code></li>" in game._repr_html_()
    game.play_on()
    assert "Total" in game._repr_html_()
    assert "over" in repr(game)


# --- What a seat may see -------------------------------------------------------------------------------------------

SHOWN = {"players": 2, "court": ["miller", "keeper"], "locations": ["jail"], "council": {"crab": ["crab 1"]}}
MINE = {"hand": ["squid 2"], "pearls": 1}


def test_what_is_hidden_does_not_change_a_view() -> None:
    """Another hand, stack, deck order, and other token values of equal number: the seat sees the same table."""
    theirs = {"hand": ["crab 2", "crab 5"], "monster_tokens": [2, 3]}
    others = {"hand": ["squid 1", "jellyfish 4"], "monster_tokens": [4, 4]}
    one = Game(position={**SHOWN, "player": [MINE, theirs]})
    other = Game(position={**SHOWN, "council": {"crab": ["crab 4"]}, "seed": 9, "player": [MINE, others]})
    assert one.view(0) == other.view(0)
    assert one.view(1) != other.view(1)
    assert one.view() != other.view()
    assert "squid 2" in one.view(0)
    assert "crab 5" in one.view(1)
    assert "crab 5" not in one.view(0)


def test_a_transcript_for_a_seat_hides_what_others_drew() -> None:
    game = Game(position={**SHOWN, "turn": 1, "threat": 1, "exploration_deck": ["monster"], "monster_tokens": [4]})
    game.choose("council crab")
    assert "crab stack of the Council: crab 1" in game.transcript()
    assert "crab stack of the Council: crab 1" in game.transcript(1)
    assert "crab stack of the Council: 1 card" in game.transcript(0)
    game.undo().choose("explore").choose("fight").choose("reward M")
    assert "token (4)" in game.transcript(1)
    assert "token (4)" in game.transcript()
    assert "(4)" not in game.transcript(0)


# --- Transcript ----------------------------------------------------------------------------------------------------


def test_a_transcript_is_readable() -> None:
    game = Game(players=4, policies="random", seed=1, asked=[])
    lines = game.transcript().splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[0].startswith("Abyss for 4: seat 0 random")
    assert lines[-2].split()[1:] == [str(score["total"]) for score in game.result().players]
    assert any(line.startswith("Seat 0, turn 1") for line in lines)


def test_a_transcript_tells_a_known_turn() -> None:
    """Crab 3 on the first space is bought for 1 Pearl; then the explorer takes squid 1."""
    game = Game(
        position={
            **SHOWN,
            "exploration_deck": ["crab 3", "squid 1"],
            "player": [{}, {"pearls": 1}],
        }
    )
    game.choose("explore").choose("buy").choose("take")
    told = "Seat 0 explores: crab 3 on space 1; seat 1 buys it for 1 Pearl; squid 1 on space 1; seat 0 takes squid 1."
    assert told in " ".join(game.transcript().split())


def test_every_event_can_be_told() -> None:
    for seed in range(8):
        for rules in ({}, {"game.hand_limit": 5}, {"rulings.into_deck": True}):
            game = Game(players=4, policies="random", seed=seed, rulebook=load(rules), asked=[])
            assert game.transcript(0)
            assert game.transcript()


# --- The command ---------------------------------------------------------------------------------------------------


def test_play_prints_a_game_and_writes_its_record(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    result = call("--players", "3", "--policies", "random", "--seed", "7", "--game", "2", "--record", str(file))
    assert result.exit_code == 0
    game = Game(players=3, policies="random", seed=7, game=2, asked=[])
    assert result.output.startswith(game.transcript())
    record = read_record(file)
    assert record == game.record()
    assert replay(record) == record


def test_a_person_plays_without_a_terminal() -> None:
    result = call("--players", "2", "--human", "0", "--seed", "3", lines="0\nhop\nview\nlog\nundo\n" + "0\n" * 400)
    assert result.exit_code == 0
    assert "'hop' is not an option here" in result.output
    assert "You are seat 0 (" in result.output
    assert "Total" in result.output.splitlines()[-2]
    assert max(len(line) for line in result.output.splitlines() if "is not an option" not in line) <= 100


@pytest.mark.parametrize("lines", ["quit\n", "", "1\n"])
def test_a_person_may_leave(lines: str) -> None:
    result = call("--players", "2", "--human", "0", lines=lines)
    assert result.exit_code == 0
    assert "You leave the game." in result.output


def test_a_person_does_not_see_other_hands() -> None:
    result = call("--players", "2", "--human", "0", "--seed", "3", lines="0\n" * 30)
    assert "Seat 1: " in result.output
    block = result.output.split("\nSeat 1: ")[1].splitlines()
    assert block[1].strip().endswith(("cards.", "card."))


def test_play_shows_what_a_bar_changes() -> None:
    plain = Game(players=2, policies="random", seed=1, asked=[]).record()
    taken = next(event for event in plain if event["event"] == "recruit")
    seat, lord = taken["seat"], taken["lord"]
    result = call("--players", "2", "--policies", "random", "--seed", "1", "--bar", f"{seat}:{lord}")
    assert result.exit_code == 0
    assert f"IF SEAT {seat} MAY NOT TAKE" in result.output
    assert result.output.count("Total") == 3
    other = Game(players=2, policies="random", seed=1, asked=[], bar=(seat, lord)).result().players
    assert str(other[seat]["total"]) in result.output


def test_a_bar_that_never_bites_changes_nothing() -> None:
    taken = {
        event["lord"]
        for event in Game(players=2, policies="first", seed=1, asked=[]).record()
        if event["event"] in ("recruit", "take_lord") and event["seat"] == 0
    }
    lord = next(key for key in load().lords if key not in taken)
    result = call("--players", "2", "--policies", "first", "--seed", "1", "--bar", f"0:{lord}")
    assert result.exit_code == 0
    assert "changes nothing in this game" in " ".join(result.output.split()) or "MAY NOT TAKE" in result.output


def test_a_game_of_a_run_is_shown_again(tmp_path: Path) -> None:
    book = load({"lords.peddler.cost": 9})
    manifest = {
        "kind": "run",
        "rules_hash": book.rules_hash,
        "changes": book.changes,
        "expansions": [],
        "seed": 12,
        "policies": [
            {"policy": "random", "kind": "random", "noise": 0.0, "weights": {}},
            {"policy": "first", "kind": "first", "noise": 0.0, "weights": {}},
        ],
        "rotations": [[0, 1], [1, 0]],
    }
    write_json(tmp_path / "manifest.json", manifest)
    result = call("--from", str(tmp_path), "--game", "3", "--rotation", "1")
    assert result.exit_code == 0
    expected = Game(policies=["first", "random"], seed=12, game=3, rulebook=book, asked=[])
    assert result.stdout.rstrip("\n") == expected.transcript()
    assert "another version of the program" in result.stderr
    assert call("--from", str(tmp_path), "--rotation", "2").exit_code == 2
    write_json(tmp_path / "manifest.json", {**manifest, "rules_hash": "0" * 16})
    assert "other rules" in call("--from", str(tmp_path)).output


def test_a_game_of_a_study_is_shown_again(tmp_path: Path) -> None:
    book = load()
    line_up = {"policies": ["random", "random"], "policy_hashes": {"random": load_policy("random").policy_hash}}
    manifest = {
        "kind": "study",
        "rules_hash": book.rules_hash,
        "changes": {},
        "seed": 12,
        "line_ups": [line_up],
        "code_hash": code_hash(),
    }
    write_json(tmp_path / "manifest.json", manifest)
    result = call("--from", str(tmp_path), "--game", "3")
    assert result.output.rstrip("\n") == Game(policies="random", seed=12, game=3, asked=[]).transcript()
    write_json(tmp_path / "manifest.json", {**manifest, "line_ups": [{**line_up, "policy_hashes": {"random": "0"}}]})
    assert "policy 'random' has changed" in call("--from", str(tmp_path)).output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "5"], "players must be one of 2, 3, 4"),
        (["--policies", "random,random", "--players", "3"], "must name one policy, or one for each of 3"),
        (["--bar", "peddler"], "--bar must be SEAT:LORD"),
        (["--bar", "0:pedler"], "did you mean 'peddler'"),
        (["--human", "4"], "there is no seat 4"),
        (["--from", "nowhere"], "cannot be read"),
        (["--from", "nowhere", "--seed", "3"], "does not go with --seed"),
        (["--from", "nowhere", "--policies", "random"], "does not go with --policies"),
        (["--rotation", "1"], "goes with --from only"),
        (["--human", "0", "--bar", "0:miller"], "does not go with --human"),
    ],
)
def test_bad_input_ends_with_status_2(arguments: list[str], words: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_json_is_kept_apart() -> None:
    """A record goes to its file, never to standard output."""
    result = call("--players", "2", "--policies", "first")
    with pytest.raises(json.JSONDecodeError):
        json.loads(result.output)
