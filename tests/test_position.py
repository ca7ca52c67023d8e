"""Positions: defaults, refusals, both ways; options as text; cases that fail; the commands position and score."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from abysssim.cases import check_case
from abysssim.cli import main
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy, policy_records
from abysssim.position import parse, parse_table, table_of
from abysssim.position_text import contents, to_table, to_text
from abysssim.records import events_of
from abysssim.rules.rulebook import load
from abysssim.scoresheet import score_sheet
from abysssim.texts import find_option, options_texts
from tests.helpers import Table

CASES = Path(__file__).parent / "cases" / "base"
ALL_ALLIES = {"1": 4, "2": 3, "3": 3, "4": 2, "5": 1}  # copies of each value, for each of five Races


def position(**table: Any) -> Any:
    return parse_table({"players": 2, **table})


# --- Defaults ------------------------------------------------------------------------------------------------------


def test_what_is_not_named_has_its_default() -> None:
    found = contents(*position())
    game, players = found["game"], found["players"]
    assert (game["turn"], game["threat"], game["finished"], game["end_trigger"]) == (0, 1, False, "none")
    assert len(game["court"]) == 6
    assert len(game["lord_deck"]) == 29
    assert len(game["locations"]) == 1
    assert len(game["location_deck"]) == 19
    assert len(game["exploration_deck"]) == 71
    assert sorted(game["monster_tokens"]) == [2] * 9 + [3] * 9 + [4] * 2
    assert game["exploration_discard"] == []
    assert not any(game["council"].values())
    for player in players:
        assert player["pearls"] == player["keys"] == 0
        assert not any(player[key] for key in ("hand", "lords", "locations", "affiliated", "monster_tokens"))


def test_the_rest_lies_as_the_game_of_the_deal_lays_it() -> None:
    """The Court and the decks of an empty position are those that a game from the deal begins with."""
    table = Table(load(), ["first", "first"], seed=3)
    first = next(table.turns(8))
    found = contents(*position(seed=3, game=8))["game"]
    assert found["court"] == contents(load(), first)["game"]["court"]
    later = contents(load(), first)["game"]
    for deck in ("exploration_deck", "lord_deck", "location_deck"):
        assert found[deck][len(found[deck]) - len(later[deck]) :] == later[deck]


def test_named_tops_lie_on_top_and_the_rest_keeps_its_order() -> None:
    plain = contents(*position(court=[], locations=[]))["game"]
    tops = {
        "lord_deck": plain["lord_deck"][5:3:-1],
        "location_deck": plain["location_deck"][7:8],
        "exploration_deck": ["monster", "monster", "squid 5"],
    }
    found = contents(*position(court=[], locations=[], **tops))["game"]
    for deck, top in tops.items():
        assert found[deck][: len(top)] == top
        assert sorted(found[deck]) == sorted(plain[deck])
    rest = [lord for lord in plain["lord_deck"] if lord not in tops["lord_deck"]]
    assert found["lord_deck"][2:] == rest


def test_placed_cards_are_not_in_the_deck() -> None:
    found = contents(*position(player=[{"hand": ["crab 5", "crab 1"], "affiliated": ["crab 1"]}, {}]))["game"]
    deck = found["exploration_deck"]
    assert len(deck) == 68
    assert deck.count("crab 5") == 0
    assert deck.count("crab 1") == 2


def test_out_of_game_leaves_the_decks_short() -> None:
    found = contents(*position(out_of_game=["miller", "black_smokers"]))["game"]
    assert len(found["court"]) + len(found["lord_deck"]) == 34
    assert len(found["locations"]) + len(found["location_deck"]) == 19
    assert found["out_of_game"] == ["miller", "black_smokers"]


@pytest.mark.parametrize(
    ("turn", "ended_by", "left"), [(3, 1, 1), (2, 1, 2), (0, 1, 0), (0, 3, 2), (2, 3, 0)]
)
def test_turns_left_after_the_end_is_triggered(turn: int, ended_by: int, left: int) -> None:
    """Four seats: the last turns go clockwise from the seat after the one that brought on the end."""
    assert parse_table({"players": 4, "turn": turn, "ended_by": ended_by}).game.turns_left == left


# --- Refusals ------------------------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"curt": []}, r"position: 'curt' is not known; .*did you mean 'court'"),
    ({"players": 5}, "players must be one of 2, 3, 4"),
    ({"player": [{}]}, r"players is 2, but there are 1 tables"),
    ({"turn": 2}, "position.turn must be a whole number from 0 to 1, not 2"),
    ({"threat": 7}, "position.threat must be a whole number from 1 to 6, not 7"),
    ({"threat": 0}, "position.threat"),
    ({"threat": True}, "position.threat"),
    ({"court": "miller"}, "position.court must be a list"),
    ({"court": ["millar"]}, "position.court: .*'millar'.*did you mean 'miller'"),
    ({"court": ["miller", "miller"]}, r"Lord 'miller' is placed 2 times \(position.court\), but only one exists"),
    (
        {"court": ["miller"], "player": [{"lords": ["miller"]}, {}]},
        r"Lord 'miller' is placed 2 times \(position.player\[0\].lords and position.court\)",
    ),
    (
        {"court": ["miller", "keeper", "reaper", "elder", "sage", "hermit", "tamer"]},
        "position.court has 7 Lords, but the Court has 6 spaces",
    ),
    ({"locations": ["jail"], "location_deck": ["jail"]}, "Location 'jail' is placed 2 times"),
    ({"locations": ["miller"]}, "position.locations: there is no Location"),
    ({"exploration_deck": ["crab 6"]}, "values go from 1 to 5"),
    ({"exploration_deck": ["crap 1"]}, "'crap' is not a Race; .*did you mean 'crab'"),
    ({"exploration_deck": ["crab"]}, "is not a card"),
    ({"exploration_deck": ["monster"] * 7}, "card 'monster' is placed 7 times .* but only 6 exist"),
    ({"council": {"crab": ["squid 1"]}}, "'squid 1' does not belong on the stack of the crab"),
    ({"council": {"crabs": []}}, "'crabs' is not known.*did you mean 'crab'"),
    ({"player": [{"hand": ["monster"]}, {}]}, "'monster' is not a card"),
    ({"player": [{"hand": ["crab 1"] * 5}, {}]}, "card 'crab 1' is placed 5 times .* but only 4 exist"),
    ({"player": [{"pearls": -1}, {}]}, r"position.player\[0\].pearls must be a whole number"),
    ({"player": [{"perls": 1}, {}]}, r"position.player\[0\]: 'perls' is not known; .*did you mean 'pearls'"),
    ({"player": [{"monster_tokens": [4, 4, 4]}, {}]}, "Monster token '4' is placed 3 times .* but only 2 exist"),
    ({"player": [{"monster_tokens": [5]}, {}]}, "Monster token '5' is not in this game"),
    (
        {"player": [{"locations": [{"location": "jail", "lords": [{"lord": "elder", "turned": True}]}]}, {}]},
        "a Lord under a Location is never turned",
    ),
    ({"player": [{"lords": [{"lord": "elder", "turnd": True}]}, {}]}, "'turnd' is not known.*did you mean 'turned'"),
    ({"out_of_game": ["jial"]}, "there is no Lord or Location 'jial'; did you mean 'jail'"),
    ({"ended_by": 2}, "position.ended_by"),
    ({"ended_by": 0, "end_trigger": "lord"}, "position.end_trigger must be one of .*did you mean 'lords'"),
    ({"end_trigger": "lords"}, "end_trigger is given without"),
    ({"ended_by": 1, "rulings": {"equal_turns": True}}, "under the ruling equal_turns seat 0 has no turn"),
    ({"rulings": {"keys_bound": True}}, "keys_b"),
    ({"changes": {"lords.millar.cost": 9}}, "millar"),
    ({"expansions": ["kracken"]}, "the expansion 'kracken' does not exist; .*did you mean 'kraken'"),
    ({"nebulis": 1}, "position: 'nebulis' is not known"),
    ({"kraken_holder": 0}, "position: 'kraken_holder' belongs to the Kraken expansion, which is not in play"),
    ({"loot_deck": [3]}, "position: 'loot_deck' belongs to the Kraken expansion"),
    ({"player": [{"nebulis": 1}, {}]}, r"position.player\[0\]: 'nebulis' belongs to the Kraken expansion"),
    ({"player": [{"sentinels": []}, {}]}, r"position.player\[0\]: 'sentinels' belongs to the Kraken expansion"),
    ({"player": [{"hand": ["kraken 2"]}, {}]}, r"player\[0\].hand: 'kraken 2' belongs to the Kraken expansion"),
    ({"exploration_discard": ["kraken 2"]}, "position.exploration_discard: 'kraken 2' belongs to the Kraken"),
    (
        {"player": [{"locations": [{"location": "jail", "loot": [3]}]}, {}]},
        r"position.player\[0\].locations: 'loot' belongs to the Kraken expansion",
    ),
    (
        {"player": [{"lords": [{"lord": "elder", "spent": True}]}, {}]},
        r"position.player\[0\].lords: 'spent' belongs to the Kraken expansion",
    ),
    ({"rulings": {"keys_binding": True}, "player": [{"keys": 6}, {"keys": 5}]}, "11 Key tokens are held, but only 10"),
    ({"changes": {"lords.miller.copies": 0}, "court": ["miller"]}, "Lord 'miller' is not in this game"),
    ({"history": {"turns": 1, "last_recruitment": 2}}, "last_recruitment must not be more than turns"),
]


@pytest.mark.parametrize(("table", "sentence"), REFUSED, ids=[str(table)[:60] for table, _ in REFUSED])
def test_what_cannot_be_is_refused_by_name(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        position(**table)


def test_text_that_is_no_position_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read as TOML"):
        parse("[position")
    with pytest.raises(InputError, match=r"no table \[position\]"):
        parse("[positon]")


# --- Both ways -----------------------------------------------------------------------------------------------------


def test_every_turn_of_games_is_written_and_read_back() -> None:
    """Random play reaches turned Lords, covered Lords, last turns, extra turns, Lords out of the game."""
    rulebook = load({"lords.peddler.cost": 7, "rulings.into_deck": True, "game.title": 'A "new" Abyss'})
    ended = turned = gone = extra = 0
    for seats in (2, 4):
        table = Table(rulebook, ["random"] * seats, seed=11)
        for number in range(6):
            turns = list(table.turns(number))
            for game in [*turns[number::4], *(game for game in turns if game.extra)]:
                text = to_text(rulebook, game)
                book, again = parse(text)
                assert book.rules_hash == rulebook.rules_hash
                before, after = contents(rulebook, game), contents(book, again)
                if not game.finished:
                    assert after == before
                    assert to_text(book, again) == text
                    assert again.turns_left == game.turns_left or game.ended_by == game.seat
                ended += before["game"]["ended_by"] is not None
                turned += any(isinstance(lord, dict) for player in before["players"] for lord in player["lords"])
                gone += bool(before["game"]["out_of_game"])
                extra += int(game.extra)
    assert min(ended, turned, gone, extra) > 0


def test_a_game_goes_on_from_its_position_as_it_would_have() -> None:
    """From a position written and read back, the same choices give the same game, event by event."""
    rulebook = load()
    policies = policy_records([load_policy("random")] * 3)
    for number in range(6):
        table = Table(rulebook, ["random"] * 3, seed=5)
        turns = list(table.turns(number))
        deal = {"players": 3, "seed": 5, "game": number, "player": [{"pearls": 1}] * 3}
        whole = table_of(parse_table(deal), policies)
        played = whole.play()
        expected = events_of(rulebook, played.entries)
        for game in turns[3::17]:
            if not game.finished:
                stop = table_of(parse(to_text(rulebook, game))).play(played.choices[int(game.decisions) :])
                assert stop.scores == played.scores
                events = events_of(rulebook, stop.entries)
                assert events == expected[len(expected) - len(events) :]


def test_inside_a_turn_there_is_no_position() -> None:
    start = position(seed=1)
    stop = table_of(start).step([])
    assert stop.at_decision
    with pytest.raises(InputError, match="start of a turn"):
        to_table(start.rulebook, stop.game)


# --- Options -------------------------------------------------------------------------------------------------------


def test_an_option_is_found_by_text_or_number() -> None:
    options = ["recruit slaver", "reward KPM", "pay crab 2"]
    assert find_option(options, "recruit slaver") == 0
    assert find_option(options, " Recruit  SLAVER ") == 0
    assert find_option(options, "reward kpm") == 1
    assert find_option(options, "2") == find_option(options, 2) == 2


@pytest.mark.parametrize("choice", ["recruit slave", "3", "-1", ""])
def test_another_choice_is_refused_with_the_legal_ones(choice: str) -> None:
    with pytest.raises(InputError, match="there are 'recruit slaver', 'explore'"):
        find_option(["recruit slaver", "explore"], choice)
    with pytest.raises(InputError, match="did you mean 'recruit slaver'"):
        find_option(["recruit slaver", "explore"], "recruit slave")


def test_every_option_has_a_text_of_its_own() -> None:
    """Random games: no two options of a decision read alike."""
    rulebook = load({"game.hand_limit": 6})
    policies = policy_records([load_policy("random")] * 3)
    table = table_of(parse_table({"players": 3, "changes": {"game.hand_limit": 6}}), policies)
    words = set()
    for game in range(4):
        table.tasks[0].game = game
        choices = table.play().choices
        for number in range(0, len(choices), 3):
            options = options_texts(rulebook, table.step(choices[:number]).game)
            assert len(set(options)) == len(options) > 1
            words |= {option.split()[0] for option in options}
    assert {"recruit", "explore", "council", "pay", "take", "continue", "fight", "reward", "location"} <= words


# --- Cases ---------------------------------------------------------------------------------------------------------

CASE = """
[position]
players = 2
court = ["shepherd", "trader", "elder", "jailer"]
[[position.player]]
hand = ["seahorse 5", "seahorse 3"]
[[position.player]]
[[step]]
seat = 0
has = ["recruit shepherd"]
lacks = ["recruit trader"]
choose = "recruit shepherd"
[[expect.player]]
lords = ["shepherd"]
affiliated = ["seahorse 3"]
pearls = 0
[expect.game]
court = ["trader", "elder", "jailer"]
exploration_discard = ["seahorse 5"]
turn = 1
lord_deck_size = 31
[[expect.score]]
total = 9
"""

WRONG = [
    ("seat = 0", "seat = 1", "step[0].seat: expected 1, found 0"),
    ('has = ["recruit shepherd"]', 'has = ["recruit elder"]', "step[0].has: 'recruit elder' is not among"),
    ('lacks = ["recruit trader"]', 'lacks = ["explore"]', "step[0].lacks: 'explore' is among"),
    ('choose = "recruit shepherd"', 'choose = "recruit elder"', "step[0].choose: 'recruit elder' is not an option"),
    ('lords = ["shepherd"]', "lords = []", "expect.player[0].lords: expected []"),
    ('lords = ["shepherd"]', 'lords = [{ lord = "shepherd", turned = true }]', "expect.player[0].lords"),
    ('affiliated = ["seahorse 3"]', 'affiliated = ["seahorse 5"]', "expect.player[0].affiliated"),
    ("pearls = 0", "pearls = 2", "expect.player[0].pearls: expected 2, found 0"),
    ('court = ["trader", "elder", "jailer"]\ne', 'court = ["elder", "trader", "jailer"]\ne', "expect.game.court"),
    ("turn = 1", "turn = 0", "expect.game.turn: expected 0, found 1"),
    ("lord_deck_size = 31", "lord_deck_size = 30", "expect.game.lord_deck_size"),
    ("total = 9", "total = 8", "expect.score[0].total: expected 8, found 9"),
]


def test_a_case_as_expected(tmp_path: Path) -> None:
    file = tmp_path / "case.toml"
    file.write_text(CASE)
    assert check_case(file) == []


@pytest.mark.parametrize(("right", "wrong", "told"), WRONG)
def test_a_case_that_differs_says_how(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    assert right in CASE
    file = tmp_path / "case.toml"
    file.write_text(CASE.replace(right, wrong))
    differences = check_case(file)
    assert len(differences) == 1
    assert differences[0].startswith(told)


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("lacks", "laks", "did you mean 'lacks'"),
        ("[expect.game]", "[expect.gam]", "did you mean 'game'"),
        ("lord_deck_size", "lord_dek_size", "did you mean 'lord_deck_size'"),
        ('lords = ["shepherd"]', 'lords = ["sheperd"]', "did you mean 'shepherd'"),
        ("[position]", "[positon]", "did you mean 'position'"),
    ],
)
def test_a_case_with_a_wrong_word_is_refused(tmp_path: Path, right: str, wrong: str, sentence: str) -> None:
    file = tmp_path / "case.toml"
    file.write_text(CASE.replace(right, wrong))
    with pytest.raises(InputError, match=sentence):
        check_case(file)


# --- Commands ------------------------------------------------------------------------------------------------------


def call(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def test_position_lists_options_and_steps(tmp_path: Path) -> None:
    file = str(CASES / "recruit_12_master_with_one_pearl.toml")
    listed = call("position", file)
    assert listed.exit_code == 0
    assert "Seat 0 is asked (menu):" in listed.output
    assert "recruit master_of_magic" in listed.output
    told = json.loads(call("position", file, "--choose", "recruit master_of_magic", "--json").output)
    assert (told["seat"], told["decision"], told["options"]) == (0, "payment", ["pay crab 2", "pay seahorse 1"])
    assert told["players"][0]["pearls"] == 2


def test_position_refuses_with_status_2() -> None:
    file = str(CASES / "recruit_12_master_with_one_pearl.toml")
    wrong = call("position", file, "--choose", "recruit traitor")
    assert wrong.exit_code == 2
    assert "'recruit traitor' is not an option here" in wrong.output
    assert "Traceback" not in wrong.output
    assert call("position", "nowhere.toml").exit_code == 2


def test_position_check(tmp_path: Path) -> None:
    file = tmp_path / "case.toml"
    file.write_text(CASE)
    assert call("position", str(file), "--check").exit_code == 0
    file.write_text(CASE.replace("total = 9", "total = 8"))
    failed = call("position", str(file), "--check")
    assert failed.exit_code == 1
    assert "expect.score[0].total: expected 8, found 9" in failed.output
    assert json.loads(call("position", str(file), "--check", "--json").output)["ok"] is False


def test_score_of_the_manuals_board() -> None:
    """The rulebook's example (p. 10-11): 39 of Lords, 14 of Allies, 6 of tokens, 32 of Locations, 91 in all."""
    file = str(CASES / "score_37_the_manuals_board.toml")
    told = json.loads(call("score", file, "--json").output)
    parts = told["players"][0]
    assert (parts["lords"], parts["allies"], parts["monster_tokens"], parts["locations"]) == (39, 14, 6, 32)
    assert parts["total"] == 91 == sum(points for part, points in parts.items() if part != "total")
    assert told["winners"] == [0]
    text = call("score", file).output
    assert "Parliament 10, The Sanctuary 10 and The Abyss 12" in text


@pytest.mark.parametrize(
    ("players", "words"),
    [
        ([{"pearls": 2}, {"pearls": 3}], "seat 1 has the most Pearls (seat 0: 2, seat 1: 3)"),
        (
            [{"lords": ["keeper"]}, {"lords": ["recruiter"], "monster_tokens": [2]}],
            "seat 0 has the strongest Lord (seat 0: 6, seat 1: 4)",
        ),
        ([{"lords": ["keeper"]}, {"lords": ["reaper"]}], "the victory is shared"),
    ],
)
def test_ties_are_explained(players: list[dict[str, Any]], words: str) -> None:
    assert words in " ".join(score_sheet(position(court=[], player=players)).split())


def test_score_counts_hands() -> None:
    """Hand crab 5, crab 2, jellyfish 4 with crab 3 affiliated: crab 2 and jellyfish 4 join, 3 + 4 IP."""
    player = {"hand": ["crab 5", "crab 2", "jellyfish 4"], "affiliated": ["crab 3"]}
    sheet = score_sheet(position(player=[player, {}]))
    assert "Affiliated at the end: jellyfish 4 and crab 2." in sheet
    assert "Allies that score: jellyfish 4 and crab 3." in sheet
