"""Positions, options and cases of the Kraken expansion."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abysssim.cases import check_case
from abysssim.core.layout import CARD_STEP, KRAKEN, OPTION, new
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy, policy_records
from abysssim.position import parse, parse_table, table_of
from abysssim.position_text import contents, to_text
from abysssim.records import events_of
from abysssim.rules.rulebook import load
from abysssim.texts import allies_texts, ally_counts, card_text, find_option, option_text, parse_card, parse_place
from abysssim.vocabulary import Area, Race, Verb
from tests.helpers import Table

BOOK = load(expansions=["kraken"])


def position(**table: Any) -> Any:
    return parse_table({"players": 2, "expansions": ["kraken"], **table})


def held(**player: Any) -> Any:
    return position(player=[player, {}])


# --- Texts ---------------------------------------------------------------------------------------------------------


def test_krakens_are_cards_after_the_five_races() -> None:
    code = parse_card("kraken 3", "here", krakens=True)
    assert code == KRAKEN * CARD_STEP + 3
    assert card_text(code) == "kraken 3"
    counts = ally_counts(["kraken 2", "squid 1", "kraken 2"], "here", krakens=True)
    assert allies_texts(counts) == ["squid 1", "kraken 2", "kraken 2"]
    with pytest.raises(InputError, match=r"'krake' is not a Race; .*did you mean 'kraken'"):
        parse_card("krake 3", "here", krakens=True)


def option(verb: Verb, card: int = 0, target: int = 0, amount: int = 0) -> str:
    record = new(OPTION)[0]
    record.verb, record.card, record.target, record.amount = verb, card, target, amount
    return option_text(BOOK, record)


def test_options_of_the_expansion_as_text() -> None:
    slaver, jail = BOOK.lord_number("slaver"), BOOK.location_number("jail")
    texts = [
        option(Verb.NEBULIS, amount=1),
        option(Verb.SENTINEL_COURT, slaver),
        option(Verb.SENTINEL_COUNCIL, Race.CRAB),
        option(Verb.SENTINEL_LOCATION, jail),
        option(Verb.GIVE, target=2),
        option(Verb.RACE, Race.SQUID),
        option(Verb.SEARCH),
        option(Verb.STOP),
        option(Verb.ALLY, Race.CRAB, amount=5),
        option(Verb.PAY, KRAKEN, amount=3),
    ]
    assert texts == [
        "nebulis 1",
        "sentinel court slaver",
        "sentinel council crab",
        "sentinel location jail",
        "give 2",
        "race squid",
        "search",
        "stop",
        "ally crab 5",
        "pay kraken 3",
    ]
    assert [find_option(texts, text) for text in texts] == list(range(len(texts)))


def test_every_verb_has_a_text_of_its_own() -> None:
    texts = [option(verb) for verb in Verb]
    assert len(set(texts)) == len(texts)


def test_places_of_sentinels() -> None:
    assert parse_place(BOOK, "council crab", "here") == (Area.COUNCIL, Race.CRAB)
    assert parse_place(BOOK, "court slaver", "here") == (Area.COURT, BOOK.lord_number("slaver"))
    for wrong in ("slaver", "cuort slaver", 3, ""):
        with pytest.raises(InputError, match="no place for a Sentinel; write 'court LORD'"):
            parse_place(BOOK, wrong, "here")
    with pytest.raises(InputError, match="did you mean 'slaver'"):
        parse_place(BOOK, "court slavr", "here")


# --- Reading -------------------------------------------------------------------------------------------------------


def test_defaults() -> None:
    book, game = position()
    found = contents(book, game)
    table = found["game"]
    assert game.kraken_holder == table["kraken_holder"] == -1
    assert table["loot_lost"] == []
    assert sorted(table["loot_deck"]) == [3] * 3 + [4] * 4 + [5] * 5 + [6] * 6 + [7] * 7
    assert len(table["exploration_deck"]) == 78
    assert sum(card.startswith("kraken") for card in table["exploration_deck"]) == 7
    assert all(player["nebulis"] == 0 and player["sentinels"] == [] for player in found["players"])


def test_a_base_position_has_nothing_of_the_expansion() -> None:
    found = contents(*parse_table({"players": 2}))
    assert not {"loot_deck", "loot_lost", "kraken_holder"} & set(found["game"])
    assert not {"nebulis", "sentinels"} & set(found["players"][0])
    assert "kraken" not in to_text(*parse_table({"players": 2})).replace("krakens_lair", "")


WHOLE = """
[position]
expansions = ["kraken"]
rulings = { loot_stays = true }
players = 2
turn = 1
court = ["slaver", "miller"]
exploration_deck = ["kraken 4"]
exploration_discard = ["crab 1", "kraken 2", "monster"]
council = { crab = ["crab 2", "kraken 3"], squid = ["kraken 3"] }
locations = ["parliament", { location = "megalodon", loot = [3] }]
loot_deck = [7, 7, 3]
loot_lost = [5, 5]
kraken_holder = 1

[[position.player]]
hand = ["crab 1", "kraken 2"]
nebulis = 2
lords = ["watcher", { lord = "elder", spent = true }, { lord = "sage", turned = true, spent = true }]
locations = [{ location = "battlefield", lords = ["vigil"], loot = [7, 3] }, "jail"]
sentinels = [{ of = "vigil" }, { of = "watcher", at = "council crab" }]

[[position.player]]
nebulis = 3
sentinels = [{ of = "lookout", at = "location megalodon" }]
"""


def test_everything_is_read_and_written() -> None:
    book, game = parse(WHOLE)
    found = contents(book, game)
    table, (first, second) = found["game"], found["players"]
    assert table["kraken_holder"] == 1
    assert table["loot_deck"][:3] == [7, 7, 3]
    assert table["loot_lost"] == [5, 5]
    assert len(table["loot_deck"]) == 25 - 2 - 3
    assert table["exploration_deck"][0] == "kraken 4"
    assert len(table["exploration_deck"]) == 78 - 8
    assert table["council"]["crab"] == ["crab 2", "kraken 3"]
    assert table["council"]["squid"] == ["kraken 3"]
    assert game.council_size.tolist() == [0, 2, 0, 0, 1]
    assert table["exploration_discard"] == ["crab 1", "kraken 2", "monster"]
    assert table["locations"] == ["parliament", {"location": "megalodon", "loot": [3]}]
    assert "megalodon" not in table["out_of_game"]
    assert first["hand"] == ["crab 1", "kraken 2"]
    assert (game.players[0].hand_size, game.players[0].race_total[KRAKEN]) == (2, 2)
    assert first["lords"][1:] == [{"lord": "elder", "spent": True}, {"lord": "sage", "turned": True, "spent": True}]
    assert first["locations"][0] == {"location": "battlefield", "lords": ["vigil"], "loot": [3, 7]}
    assert first["sentinels"] == [{"of": "watcher", "at": "council crab"}, {"of": "vigil"}]
    assert second["sentinels"] == [{"of": "lookout", "at": "location megalodon"}]
    text = to_text(book, game)
    book_again, again = parse(text)
    assert contents(book_again, again) == found
    assert to_text(book_again, again) == text


def test_all_but_the_placed_lies_in_the_order_of_the_deal() -> None:
    plain, placed = contents(*position())["game"], contents(*held(hand=["kraken 4"]))["game"]
    rest = list(plain["exploration_deck"])
    rest.remove("kraken 4")
    assert placed["exploration_deck"] == rest
    lost = contents(*position(loot_lost=[6]))["game"]["loot_deck"]
    loot = list(plain["loot_deck"])
    loot.remove(6)
    assert lost == loot


def test_every_turn_of_games_is_written_and_read_back() -> None:
    seen: Counter[str] = Counter()
    for rulings in ({}, {"rulings.loot_stays": True, "loot.copies.7": 30, "game.keys_per_location": 1}):
        book = load(rulings, ["kraken"])
        for seats in (2, 4):
            table = Table(book, ["random"] * seats, seed=11)
            for number in range(4):
                for game in list(table.turns(number))[number::4]:
                    text = to_text(book, game)
                    book_again, again = parse(text)
                    assert book_again.rules_hash == book.rules_hash
                    found = contents(book, game)
                    if not game.finished:
                        assert contents(book_again, again) == found
                        assert to_text(book_again, again) == text
                    seen.update(what_is_in(found))
    assert set(seen) == {"nebulis", "figure", "placed", "waiting", "loot", "lost", "stacked"}


def what_is_in(found: dict[str, Any]) -> Iterator[str]:
    """Yield what of the expansion a position shows."""
    table, players = found["game"], found["players"]
    yield from ("lost" for _ in table["loot_lost"])
    if table["kraken_holder"] >= 0:
        yield "figure"
    if any(card.startswith("kraken") for stack in table["council"].values() for card in stack):
        yield "stacked"
    for player in players:
        yield from ("nebulis" for _ in range(player["nebulis"]))
        yield from ("placed" if "at" in sentinel else "waiting" for sentinel in player["sentinels"])
        yield from ("loot" for tile in player["locations"] if "loot" in tile)


def test_a_game_goes_on_from_its_position_as_it_would_have() -> None:
    """From a position written and read back, the same choices give the same game, event by event."""
    policies = policy_records([load_policy("random")] * 3)
    for number in range(4):
        table = Table(BOOK, ["random"] * 3, seed=5)
        turns = list(table.turns(number))
        deal = {"players": 3, "seed": 5, "game": number, "player": [{"pearls": 1}] * 3, "expansions": ["kraken"]}
        played = table_of(parse_table(deal), policies).play()
        expected = events_of(BOOK, played.entries)
        for game in turns[3::17]:
            if not game.finished:
                stop = table_of(parse(to_text(BOOK, game))).play(played.choices[int(game.decisions) :])
                assert stop.scores == played.scores
                events = events_of(BOOK, stop.entries)
                assert events == expected[len(expected) - len(events) :]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"player": [{"hand": ["kraken 4"] * 3}, {}]}, "card 'kraken 4' is placed 3 times .* but only 2 exist"),
    ({"player": [{"hand": ["kraken 1"]}, {}]}, "card 'kraken 1' is not in this game"),
    ({"player": [{"affiliated": ["kraken 2"]}, {}]}, "affiliated: 'kraken 2' .* a Kraken is never affiliated"),
    ({"council": {"crab": ["squid 1", "kraken 2"]}}, "'squid 1' does not belong on the stack of the crab"),
    ({"loot_lost": [3, 3], "loot_deck": [3, 3]}, "Loot '3' is placed 4 times .* but only 3 exist"),
    ({"loot_deck": [8]}, "position.loot_deck: Loot '8' is not in this game"),
    ({"loot_deck": ["3"]}, "position.loot_deck must be a whole number from 0 to 9, not '3'"),
    ({"kraken_holder": 2}, "position.kraken_holder must be a whole number from 0 to 1, not 2"),
    ({"kraken_holdr": 1}, "'kraken_holdr' is not known; .*did you mean 'kraken_holder'"),
    ({"player": [{"nebulis": -1}, {}]}, r"position.player\[0\].nebulis must be a whole number"),
    (
        {"player": [{"locations": [{"location": "jail", "loot": [3]}]}, {}]},
        "Loot cannot lie on 'jail', which is no Sacred Place",
    ),
    (
        {"player": [{"locations": [{"location": "megalodon", "loot": [3, 3]}]}, {}]},
        "Loot 3 lies twice on 'megalodon'",
    ),
    ({"locations": [{"location": "megalodon", "loot": [3]}]}, "under the ruling loot_stays only"),
    ({"locations": [{"location": "megalodon", "lords": []}]}, "cannot have lords"),
    ({"player": [{"lords": [{"lord": "miller", "spent": True}]}, {}]}, "'miller' cannot be spent"),
    ({"player": [{"lords": [{"lord": "elder", "spent": 1}]}, {}]}, "must have a lord, and spent true or false"),
    ({"player": [{"sentinels": [{"of": "miller"}]}, {}]}, "'miller' has no Sentinel; watcher, vigil, lookout have one"),
    ({"player": [{"sentinels": [{"of": "wacher"}]}, {}]}, "did you mean 'watcher'"),
    ({"player": [{"sentinels": [{"at": "council crab"}]}, {}]}, "must have 'of'"),
    ({"player": [{"sentinels": ["watcher"]}, {}]}, "sentinels must be a table, not 'watcher'"),
    (
        {"player": [{"sentinels": [{"of": "watcher"}]}, {"sentinels": [{"of": "watcher"}]}]},
        "Sentinel 'watcher' is placed 2 times .* but only one exists",
    ),
    (
        {
            "player": [
                {"sentinels": [{"of": "watcher", "at": "council crab"}]},
                {"sentinels": [{"of": "vigil", "at": "council squid"}]},
            ]
        },
        r"position.player\[1\].sentinels: .*another is at 'council crab': one in each area",
    ),
    (
        {"court": ["miller"], "player": [{"sentinels": [{"of": "watcher", "at": "court slaver"}]}, {}]},
        "no Sentinel can be at 'court slaver', as that does not lie in the Court",
    ),
    (
        {"locations": ["jail"], "player": [{"sentinels": [{"of": "watcher", "at": "location megalodon"}]}, {}]},
        "no Sentinel can be at 'location megalodon', as that does not lie face up",
    ),
    ({"player": [{"sentinels": [{"of": "watcher", "at": "council crabs"}]}, {}]}, "did you mean 'crab'"),
]


@pytest.mark.parametrize(("table", "sentence"), REFUSED, ids=[str(table)[:60] for table, _ in REFUSED])
def test_what_cannot_be_is_refused_by_name(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        position(**table)


# --- Cases ---------------------------------------------------------------------------------------------------------

CASE = (
    WHOLE
    + """
[[expect.player]]
nebulis = 2
hand = ["kraken 2", "crab 1"]
lords = ["watcher", { lord = "sage", turned = true, spent = true }, { lord = "elder", spent = true }]
locations = [{ location = "battlefield", loot = [3, 7] }, "jail"]
sentinels = [{ of = "watcher", at = "council crab" }, { of = "vigil" }]
[[expect.player]]
sentinels = [{ of = "lookout", at = "location megalodon" }]
[expect.game]
kraken_holder = 1
loot_lost = [5, 5]
loot_deck_size = 20
council = { crab = ["kraken 3", "crab 2"] }
locations = ["parliament", { location = "megalodon", loot = [3] }]
"""
)

WRONG = [
    ("nebulis = 2\nhand = [\"kraken", "nebulis = 1\nhand = [\"kraken", "expect.player[0].nebulis: expected 1, found 2"),
    ('["kraken 2", "crab 1"]', '["crab 1"]', "expect.player[0].hand"),
    ('{ lord = "elder", spent = true }]\nloc', '"elder"]\nloc', "expect.player[0].lords"),
    ("loot = [3, 7]", "loot = [3]", "expect.player[0].locations, loot on 'battlefield': expected [3], found [3, 7]"),
    ('"council crab" }, { of = "vigil" }]\n[[', '"council squid" }, { of = "vigil" }]\n[[', "expect.player[0].s"),
    ("[expect.game]\nkraken_holder = 1", "[expect.game]\nkraken_holder = -1", "expect.game.kraken_holder: expected -1"),
    ("loot_lost = [5, 5]\nloot_deck_size", "loot_lost = [5]\nloot_deck_size", "expect.game.loot_lost"),
    ("loot_deck_size = 20", "loot_deck_size = 21", "expect.game.loot_deck_size: expected 21, found 20"),
    ('["kraken 3", "crab 2"]', '["kraken 4", "crab 2"]', "expect.game.council.crab"),
]


def case(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "case.toml"
    file.write_text(text)
    return check_case(file)


def test_a_case_as_expected(tmp_path: Path) -> None:
    assert case(tmp_path, CASE) == []
    less = CASE.replace('[{ location = "battlefield", loot = [3, 7] }, "jail"]', '["battlefield", "jail"]')
    assert case(tmp_path, less) == []


@pytest.mark.parametrize(("right", "wrong", "told"), WRONG)
def test_a_case_that_differs_says_how(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    assert CASE.count(right) == 1
    (difference,) = case(tmp_path, CASE.replace(right, wrong))
    assert difference.startswith(told)


@pytest.mark.parametrize(
    "wanted",
    ["[[expect.player]]\nnebulis = 0", "[expect.game]\nkraken_holder = -1", "[expect.game]\nloot_deck_size = 0"],
)
def test_a_base_case_cannot_expect_what_belongs_to_the_expansion(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(InputError, match="belongs to the Kraken expansion, which is not in play"):
        case(tmp_path, f"[position]\nplayers = 2\n{wanted}\n")
