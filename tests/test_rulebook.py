"""The printed game as loaded, changes to it, and every kind of input that must be refused with one sentence."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from abysssim.cli import main
from abysssim.core import layout
from abysssim.errors import InputError
from abysssim.rules import words
from abysssim.rules.changes import flatten, printed_leaves
from abysssim.rules.checks import most_lords_of_a_seat
from abysssim.rules.describe import describe, details
from abysssim.rules.fields import Number
from abysssim.rules.record import entity
from abysssim.rules.rulebook import Rulebook, load, parse_set
from abysssim.rules.schema import AMOUNTS, CARDS, schema_of
from abysssim.vocabulary import Guild, LocationPower, Per, Power, Race, Ruling, Timing
from tests.helpers import Table

LEAVES = schema_of(()).leaves
FIELDS = schema_of(()).cards
PRINTED_FILE = Path(layout.__file__).parents[1] / "rules" / "base.toml"

# As printed on the Lords: cost, Races, IP, Keys.
LORDS = {
    "soldier": {
        "recruiter": (10, 2, 4, 1), "jailer": (6, 3, 7, 0), "seeker": (7, 2, 7, 0), "assassin": (10, 1, 6, 0),
        "commander": (8, 1, 4, 1), "tamer": (6, 3, 4, 1), "hunter": (8, 2, 6, 0),
    },
    "merchant": {
        "ship_master": (6, 3, 5, 1), "trader": (10, 3, 9, 0), "peddler": (8, 1, 9, 0), "landlord": (10, 2, 5, 1),
        "slaver": (8, 1, 5, 1), "shopkeeper": (6, 3, 9, 0),
    },
    "mage": {
        "shaman": (6, 3, 5, 1), "invoker": (8, 1, 8, 0), "apprentice": (6, 3, 9, 0), "oracle": (8, 2, 5, 1),
        "alchemist": (7, 1, 5, 1), "illusionist": (10, 1, 9, 0), "master_of_magic": (10, 3, 6, 1),
    },
    "politician": {
        "opportunist": (6, 3, 5, 1), "corruptor": (10, 1, 6, 0), "traitor": (12, 3, 6, 0), "schemer": (8, 3, 6, 0),
        "diplomat": (8, 1, 5, 1), "treasurer": (10, 2, 5, 1),
    },
    "farmer": {
        "keeper": (6, 3, 6, 1), "reaper": (7, 2, 6, 1), "shepherd": (8, 1, 6, 1), "miller": (8, 2, 10, 0),
        "aquaculturalist": (9, 3, 11, 0), "landowner": (10, 1, 12, 0),
    },
    "ambassador": {"hermit": (10, 5, 5, 3), "sage": (10, 5, 4, 3), "elder": (10, 5, 3, 3)},
}  # fmt: skip
ARROWS = {
    "jailer", "seeker", "assassin", "hunter", "trader", "peddler", "shopkeeper", "invoker",
    "apprentice", "illusionist", "corruptor", "traitor", "schemer", "hermit", "sage", "elder",
}  # fmt: skip
ONCE_A_TURN = {"slaver", "oracle", "opportunist"}
DEMANDED = {
    "soldier": "crab",
    "merchant": "shellfish",
    "mage": "jellyfish",
    "politician": "squid",
    "farmer": "seahorse",
}
# As printed on the Locations: IP for itself, IP for each of what it counts.
LOCATIONS = {
    "sargasso_silos": (5, 2), "dockworks": (5, 2), "hydrozoa_reserves": (6, 2), "parliament": (6, 2),
    "barracks": (7, 2), "sargasso_fields": (3, 3), "giant_clams": (3, 3), "sanctuary": (4, 3),
    "oceanic_senate": (4, 3), "chasm": (5, 3), "abyss": (0, 2), "depths": (0, 2), "throne_room": (0, 1),
    "jail": (15, -1), "closed_tower": (0, 3), "lost_tower": (0, 3), "chamber_of_allies": (3, 1),
    "coral_barrier": (20, -1), "city_of_mirrors": (0, 1), "black_smokers": (0, 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def printed() -> Rulebook:
    return load()


# The printed game


def test_the_printed_lords(printed: Rulebook) -> None:
    rules = printed.record[0]
    assert rules.lord_count == len(printed.lords) == 35
    assert sorted(printed.lords) == sorted(key for guild in LORDS.values() for key in guild)
    for guild, lords in LORDS.items():
        for key, (cost, races, points, keys) in lords.items():
            lord = rules.lords[printed.lord_number(key)]
            assert (lord.cost, lord.races, lord.points, lord.keys) == (cost, races, points, keys), key
            assert Guild(lord.guild).name.lower() == guild
            assert lord.race == (Race[DEMANDED[guild].upper()] if guild in DEMANDED else -1)
            assert lord.in_game == 1


def test_the_printed_timings(printed: Rulebook) -> None:
    rules = printed.record[0]
    for i, key in enumerate(printed.lords):
        timing = Timing(rules.lords[i].timing)
        assert (timing == Timing.ONCE) == (key in ARROWS), key
        assert (timing == Timing.TURN) == (key in ONCE_A_TURN), key
        assert (timing == Timing.NONE) == (key in LORDS["farmer"]), key


@pytest.mark.parametrize(
    ("key", "power", "amount"),
    [
        ("recruiter", Power.RAISE_OPPONENT_COSTS, 2),
        ("seeker", Power.OPPONENTS_LOSE_PEARLS, 2),
        ("commander", Power.OPPONENTS_HAND_LIMIT, 6),
        ("trader", Power.GAIN_PEARLS, 3),
        ("slaver", Power.DISCARD_ALLY_FOR_PEARLS, 2),
        ("corruptor", Power.RECRUIT_FOR_PEARLS, 5),
        ("treasurer", Power.LOWER_OWN_COSTS, 2),
        ("elder", Power.DRAW_LOCATIONS, 3),
        ("landowner", Power.NONE, 0),
    ],
)
def test_printed_powers(printed: Rulebook, key: str, power: Power, amount: int) -> None:
    lord = printed.record[0].lords[printed.lord_number(key)]
    assert (lord.power, lord.amount) == (power, amount)


def test_the_printed_locations(printed: Rulebook) -> None:
    rules = printed.record[0]
    assert rules.location_count == len(printed.locations) == 20
    assert set(printed.locations) == set(LOCATIONS)
    for key, worth in LOCATIONS.items():
        tile = rules.locations[printed.location_number(key)]
        assert (tile.points, tile.each) == worth, key
        assert tile.most == (12 if key == "abyss" else 32767)
        assert (tile.power == LocationPower.SWAP_WITH_DECK) == (key == "black_smokers")
    parliament = rules.locations[printed.location_number("parliament")]
    assert (parliament.per, parliament.of) == (Per.LORDS_OF_GUILD, Guild.POLITICIAN)
    chasm = rules.locations[printed.location_number("chasm")]
    assert (chasm.per, chasm.of) == (Per.AFFILIATED_OF_RACE, Race.CRAB)
    assert rules.locations[printed.location_number("jail")].of == -1


def test_the_printed_decks_and_tokens(printed: Rulebook) -> None:
    rules = printed.record[0]
    assert rules.ally_copies.sum() == 65
    assert rules.ally_copies.sum() + rules.monster_cards == 71
    assert [list(race) for race in rules.ally_copies] == [[0, 4, 3, 3, 2, 1]] * 5
    assert list(rules.token_copies) == [0, 0, 9, 9, 2, 0, 0, 0, 0, 0]
    assert rules.key_tokens == 10


def test_the_printed_threat_track(printed: Rulebook) -> None:
    assert printed.rewards == (
        ("P", "M"), ("PP", "PM", "MM"), ("K",), ("KP", "KM"), ("KPP", "KPM", "KMM"), ("KK",),
    )  # fmt: skip
    rules = printed.record[0]
    assert rules.spaces == 6
    assert list(rules.reward_count[:7]) == [2, 3, 1, 2, 3, 1, 0]
    fifth = [(r.keys, r.pearls, r.monster_tokens) for r in rules.rewards[4, :3]]
    assert fifth == [(1, 2, 0), (1, 1, 1), (1, 0, 2)]


def test_the_printed_numbers_and_rulings(printed: Rulebook) -> None:
    rules = printed.record[0]
    numbers = {
        "start_pearls": 1, "lords_to_end": 7, "court_slots": 6, "explore_slots": 5, "last_slot_pearls": 1,
        "refill_when_lords_left": 2, "refill_pearls": 2, "keys_per_location": 3, "max_location_draw": 4,
        "purchase_price_first": 1, "purchase_price_step": 1, "purchases_per_opponent": 1, "plot_cost": 1,
        "monster_cards": 6, "hand_limit": 0,
    }  # fmt: skip
    assert {name: rules[name] for name in numbers} == numbers
    assert all(rules[ruling.name.lower()] == 0 for ruling in Ruling)
    assert printed.players == (2, 3, 4)
    assert printed.changes == {}
    assert printed.lord_name(printed.lord_number("peddler")) == "The Peddler"
    assert printed.location_name(printed.location_number("jail")) == "The Jail"


def test_every_number_and_ruling_reaches_the_record() -> None:
    """A value away from the printed one must be seen in the field of its name."""
    for key, field in LEAVES.items():
        table, _, name = key.partition(".")
        if table == "game" and isinstance(field, Number):
            value = 3 if printed_leaves()[key] != 3 else 4
            assert load({key: value}).record[0][name] == value, key
        if table == "rulings":
            assert load({key: True}).record[0][name] == 1, key


def test_entities_are_stable_and_apart(printed: Rulebook) -> None:
    rules = printed.record[0]
    numbers = [int(lord.entity) for lord in rules.lords[:35]] + [int(tile.entity) for tile in rules.locations[:20]]
    assert len(set(numbers)) == 55
    assert all(layout.FIRST_ENTITY <= number < 2**31 for number in numbers)
    # SHA-256 of "lord:peddler", as sha256sum gives it, first 16 digits.
    assert entity("lord:peddler") == 2**24 + 0xF8C87846D798BC0A % (2**31 - 2**24)
    changed = load({"lords.aardvark": {"guild": "mage", "points": 1, "cost": 6, "races": 1}})
    assert changed.lords[:35] == printed.lords
    assert changed.lords[35] == "aardvark"
    assert [lord.entity for lord in changed.record[0].lords[:35]] == numbers[:35]


def test_no_decision_can_have_more_options_than_fit() -> None:
    """The longest list of each kind that rules within the loader's limits can bring about."""
    menu = layout.MAX_COURT + layout.RACES + layout.MAX_PLAYER_LORDS + len(["explore", "plot", "pass"])
    cards = layout.RACES * layout.MAX_VALUE + 1
    locations = layout.MAX_LOCATIONS + 1  # open ones and draws are together never more than all Locations
    keys = layout.MAX_PLAYER_LORDS + 1
    assert max(menu, cards, locations, keys, layout.MAX_REWARDS, layout.MAX_SEATS) <= layout.MAX_OPTIONS


# Changes


def test_a_change_as_dotted_key_as_table_as_text_and_as_file(tmp_path: Path) -> None:
    file = tmp_path / "changes.toml"
    file.write_text('lords.peddler.cost = 9\n[races]\ncopies = { 1 = 5 }\n[guilds]\nfarmer = "crab"\n')
    tree = {"lords": {"peddler": {"cost": 9}}, "races": {"copies": {1: 5}}, "guilds": {"farmer": "crab"}}
    texts = ["lords.peddler.cost=9", "races.copies.1 = 5", "guilds.farmer=crab"]
    books = [load(tree), load(flatten(tree)), load(dict(parse_set(text) for text in texts)), load(files=[file])]
    for book in books:
        assert book.changes == {"lords.peddler.cost": 9, "races.copies.1": 5, "guilds.farmer": "crab"}
        assert book.rules_hash == books[0].rules_hash
        assert book.record.tobytes() == books[0].record.tobytes()
    rules = books[0].record[0]
    assert rules.lords[books[0].lord_number("peddler")].cost == 9
    assert list(rules.ally_copies[:, 1]) == [5] * 5
    assert all(rules.lords[books[0].lord_number(key)].race == Race.CRAB for key in LORDS["farmer"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.b=9", 9),
        (" a.b = -1 ", -1),
        ("a.b=true", True),
        ("a.b=squid", "squid"),
        ('a.b="squid"', "squid"),
        ('a.b=""', ""),
        ("a.b=The Great Peddler", "The Great Peddler"),
        ("a.b=[2, 3]", [2, 3]),
        ('a.b=[["P"], ["K"]]', [["P"], ["K"]]),
        ("a.b={ 1 = 2 }", {"1": 2}),
        ("a.b=x=y", None),
        ("a.b=1\nc=2", None),
    ],
)
def test_texts_of_changes(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(InputError, match="a TOML value"):
            parse_set(text)
    else:
        assert parse_set(text) == ("a.b", value)


def test_a_printed_value_is_no_change() -> None:
    assert load({"lords.peddler.cost": 8, "rulings.into_deck": False, "game.players": [4, 3, 2]}).changes == {}


def test_later_changes_win(tmp_path: Path) -> None:
    first, second = tmp_path / "1.toml", tmp_path / "2.toml"
    first.write_text("game.plot_cost = 2\ngame.start_pearls = 3\n")
    second.write_text("game.plot_cost = 3\n")
    book = load({"game.start_pearls": 5}, files=[first, second])
    assert book.changes == {"game.plot_cost": 3, "game.start_pearls": 5}


def test_cards_out_of_the_game_keep_their_numbers(printed: Rulebook) -> None:
    book = load({"lords.peddler.copies": 0, "locations.jail.copies": 0})
    assert book.lords == printed.lords
    assert book.record[0].lords[book.lord_number("peddler")].in_game == 0
    assert book.record[0].lords[:35]["in_game"].sum() == 34
    assert book.record[0].locations[:20]["in_game"].sum() == 19


def test_a_new_lord_and_a_new_location() -> None:
    book = load(
        {
            "lords.pearl_diver": {
                "guild": "merchant", "points": 7, "cost": 8, "races": 2, "power": "gain_pearls", "amount": 4,
            },
            "locations.reef": {
                "name": "The Reef", "base": 2, "each": 1, "per": "lords_of_guild", "of": "ambassador", "max": 4,
            },
        }
    )  # fmt: skip
    lord = book.record[0].lords[35]
    assert (lord.guild, lord.race, lord.keys, lord.timing, lord.in_game) == (
        Guild.MERCHANT, Race.SHELLFISH, 0, Timing.ONCE, 1,
    )  # fmt: skip
    assert book.lord_name(35) == "Pearl Diver"
    tile = book.record[0].locations[20]
    assert (tile.points, tile.each, tile.of, tile.most) == (2, 1, Guild.AMBASSADOR, 4)
    assert load(book.changes).record.tobytes() == book.record.tobytes()


def test_another_power_brings_its_timing() -> None:
    book = load({"lords.peddler.power": "any_races"})
    lord = book.record[0].lords[book.lord_number("peddler")]
    assert (lord.power, lord.timing, lord.amount) == (Power.ANY_RACES, Timing.LASTING, 0)
    same_amount = load({"lords.peddler.power": "opponents_lose_pearls", "lords.peddler.amount": 2})
    assert load(same_amount.changes).rules_hash == same_amount.rules_hash
    no_power = load({"lords.peddler.power": "none"}).data["lords"]["peddler"]
    assert (no_power["timing"], no_power["amount"]) == ("none", 0)


CHANGES: list[dict[str, Any]] = [
    {"game.title": "Deep Abyss", "game.players": [2]},
    {"monster_tokens.values.7": 3, "monster_tokens.values.2": 0},
    {"threat.spaces": [["P"], ["KM", "MM"]]},
    {"locations.parliament": {"per": "affiliated_of_race", "of": "squid"}},
    {"locations.parliament": {"per": "lords"}},
    {"locations.abyss.max": "none"},
    {"locations.jail.max": 9},
    {"lords.peddler.guild": "ambassador", "guilds.ambassador": "squid"},
    {"lords.hunter.not_with": ["leviathan", "kraken"]},
    {"rulings.refill_before_power": True, "rulings.equal_turns": True},
    {"lords.tamer.copies": 0, "lords.miller": {"power": "extra_turn", "amount": 2}},
]


@pytest.mark.parametrize("changes", CHANGES)
def test_changes_round_trip(changes: dict[str, Any]) -> None:
    book = load(changes)
    assert book.changes
    again = load(json.loads(json.dumps(book.changes)))
    assert again.data == book.data
    assert again.changes == book.changes
    assert again.rules_hash == book.rules_hash != load().rules_hash
    assert again.record.tobytes() == book.record.tobytes()


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    changes = {"lords.zebra": {"guild": "mage", "points": 1, "cost": 6, "races": 1}, "lords.peddler.cost": 9}
    changes |= {"lords.ape": {"guild": "mage", "points": 1, "cost": 6, "races": 1}}
    leaves = list(flatten(changes).items())
    book = load(changes)
    for seed in range(5):
        random.Random(seed).shuffle(leaves)
        other = load(dict(leaves))
        assert other.rules_hash == book.rules_hash
        assert other.lords == book.lords
        assert other.record.tobytes() == book.record.tobytes()


def test_the_hash_differs_where_the_rules_do() -> None:
    hashes = {load(changes).rules_hash for changes in CHANGES} | {load().rules_hash}
    assert len(hashes) == len(CHANGES) + 1


def test_the_printed_file_is_a_whole_ruleset(printed: Rulebook) -> None:
    assert load(files=[PRINTED_FILE]).rules_hash == printed.rules_hash


def test_a_whole_ruleset_stands_alone(tmp_path: Path) -> None:
    lines = [
        line.replace("cost = 8, ", "cost = 9, ") if line.startswith("peddler ") else line
        for line in PRINTED_FILE.read_text().splitlines()
        if not line.startswith(("tamer ", "jail "))
    ]
    file = tmp_path / "mine.toml"
    file.write_text("\n".join(lines))
    book = load(files=[file])
    assert book.changes == {"lords.peddler.cost": 9, "lords.tamer.copies": 0, "locations.jail.copies": 0}
    assert load(book.changes).record.tobytes() == book.record.tobytes()


@pytest.mark.parametrize("gone", ["plot_cost", "stalemate_rounds", "into_deck", "mage = ", "names", "players"])
def test_a_whole_ruleset_lacks_nothing(tmp_path: Path, gone: str) -> None:
    text = PRINTED_FILE.read_text()
    start = text.index(f"\n{gone}") + 1
    end = text.index("\n", start) + 1
    file = tmp_path / "mine.toml"
    file.write_text(text[:start] + text[end:])
    with pytest.raises(InputError, match=rf"mine\.toml: the ruleset lacks \w+\.{gone.split()[0]}, which must be "):
        load(files=[file])


# What must be refused

REFUSED = [
    # unknown keys, with the nearest right one
    ({"lords.peddler.cots": 9}, "there is no rule 'lords.peddler.cots'", "did you mean 'lords.peddler.cost'?"),
    ({"lords.pedler.cost": 9}, "there is no Lord 'pedler'", "did you mean 'peddler'?"),
    ({"locations.jial.base": 9}, "there is no Location 'jial'", "did you mean 'jail'?"),
    ({"peddler.cost": 9}, "there is no rule 'peddler.cost'", "did you mean 'lords.peddler.cost'?"),
    ({"refill_pearls": 3}, "there is no rule 'refill_pearls'", "did you mean 'game.refill_pearls'?"),
    ({"game.plotcost": 3}, "there is no rule 'game.plotcost'", "did you mean 'game.plot_cost'?"),
    ({"game": {"plot_cost": {"first": 3}}}, "there is no rule 'game.plot_cost.first'", "in game there are"),
    ({"rulings.equal_turn": True}, "there is no rule 'rulings.equal_turn'", "did you mean 'rulings.equal_turns'?"),
    ({"races.copies.6": 1}, "there is no rule 'races.copies.6'", "in races.copies there are 1, 2, 3, 4, 5"),
    ({"races.copies.0": 1}, "there is no rule 'races.copies.0'", "1, 2, 3, 4, 5"),
    ({"monster_tokens.values.10": 1}, "monster_tokens.values.10", "0, 1, 2"),
    ({"guilds.soldiers": "crab"}, "guilds.soldiers", "did you mean 'guilds.soldier'?"),
    ({"guilds.smugglers": "crab"}, "guilds.smugglers", "in guilds there are ambassador, farmer"),
    ({"threat.spaces.2": ["P"]}, "there is no rule 'threat.spaces.2'", "in threat there are spaces"),
    ({"kraken.points": 1}, "there is no rule 'kraken.points'", "the tables are game, rulings"),
    ({"": 1}, "there is no rule ''", "the tables are"),
    # tables where a value belongs, and the reverse
    ({"game": 3}, "'game' is a table", "such as game.title"),
    ({"lords": 3}, "cannot be the key of a Lord", "lower-case letters"),
    ({"lords.peddler": 3}, "'lords.peddler' is a table", "such as lords.peddler.name"),
    ({"races.copies": [4, 3, 3, 2, 1]}, "'races.copies' is a table", "such as races.copies.1"),
    ({"lords": {}}, "'lords' is an empty table", "changes nothing"),
    ({"lords": {"peddler": {}}}, "'lords.peddler' is an empty table", "changes nothing"),
    ({"lords": {"peddler": {"cost": 9}}, "lords.peddler.cost": 9}, "'lords.peddler.cost' is given twice", ""),
    ({(1, 2): 3}, "a key of the rules must be a text", "(1, 2)"),
    # keys that a new card cannot have
    ({"lords.Peddler.cost": 9}, "'Peddler' cannot be the key of a Lord", "lower-case"),
    ({"lords.token.cost": 9}, "'token' cannot be the key of a Lord", "none of token"),
    ({"locations.peddler": {"name": "Peddler", "base": 9}}, "must have another key", "'peddler' is a Lord"),
    # wrong types
    ({"game.plot_cost": True}, "game.plot_cost must be a whole number from 0 to 20, not true", ""),
    ({"game.plot_cost": 1.0}, "game.plot_cost must be a whole number from 0 to 20, not 1.0", ""),
    ({"game.plot_cost": "1"}, "game.plot_cost must be a whole number from 0 to 20, not '1'", ""),
    ({"game.plot_cost": [1]}, "game.plot_cost must be a whole number from 0 to 20, not [1]", ""),
    ({"game.plot_cost": None}, "game.plot_cost must be a whole number from 0 to 20, not None", ""),
    ({"game.plot_cost": float("nan")}, "game.plot_cost must be a whole number from 0 to 20, not nan", ""),
    ({"rulings.into_deck": 1}, "rulings.into_deck must be true or false, not 1", ""),
    ({"rulings.into_deck": "yes"}, "rulings.into_deck must be true or false, not 'yes'", ""),
    ({"game.title": 3}, "game.title must be a text", "not 3"),
    ({"game.title": ""}, "game.title must be a text", "not ''"),
    ({"lords.peddler.name": "Two\nlines"}, "lords.peddler.name must be a text", "printable"),
    ({"lords.peddler.name": "x" * 81}, "lords.peddler.name must be a text of 1 to 80", "..."),
    # values out of range
    ({"lords.peddler.cost": -1}, "lords.peddler.cost must be a whole number from 0 to 40, not -1", ""),
    ({"lords.peddler.cost": 41}, "lords.peddler.cost must be a whole number from 0 to 40, not 41", ""),
    ({"lords.peddler.cost": 10**5000}, "lords.peddler.cost must be", "too large to show"),
    ({"lords.peddler.points": 101}, "lords.peddler.points must be a whole number from -50 to 100, not 101", ""),
    ({"lords.peddler.races": 0}, "lords.peddler.races must be a whole number from 1 to 5, not 0", ""),
    ({"lords.peddler.races": 6}, "lords.peddler.races must be a whole number from 1 to 5, not 6", ""),
    ({"lords.peddler.keys": -1}, "lords.peddler.keys must be", "not -1"),
    ({"lords.peddler.copies": 2}, "lords.peddler.copies must be a whole number from 0 to 1, not 2", ""),
    ({"races.copies.1": -1}, "races.copies.1 must be a whole number from 0 to 32, not -1", ""),
    ({"game.explore_slots": 13}, "game.explore_slots must be a whole number from 1 to 12, not 13", ""),
    ({"game.court_slots": 0}, "game.court_slots must be a whole number from 1 to 12, not 0", ""),
    ({"game.keys_per_location": 0}, "game.keys_per_location must be", "not 0"),
    ({"game.stalemate_rounds": 0}, "game.stalemate_rounds must be", "not 0"),
    ({"locations.jail.max": -1}, "locations.jail.max must be a whole number from 0 to 1000, or 'none', not -1", ""),
    # names that do not exist
    ({"guilds.farmer": "carb"}, "guilds.farmer must be", "did you mean 'crab'?"),
    ({"guilds.farmer": 2}, "guilds.farmer must be 'jellyfish', 'crab', 'seahorse'", "not 2"),
    ({"lords.peddler.guild": "merchants"}, "lords.peddler.guild must be", "did you mean 'merchant'?"),
    ({"lords.peddler.power": "gain_pearl"}, "lords.peddler.power must be", "did you mean 'gain_pearls'?"),
    ({"lords.peddler.timing": "onse"}, "lords.peddler.timing must be", "did you mean 'once'?"),
    ({"locations.jail.per": "lord"}, "locations.jail.per must be", "did you mean 'lords'?"),
    ({"locations.jail.power": "swap"}, "locations.jail.power must be 'none' or 'swap_with_deck'", "not 'swap'"),
    ({"lords.tamer.not_with": ["krakn"]}, "lords.tamer.not_with must be", "did you mean 'kraken'?"),
    ({"lords.tamer.not_with": "kraken"}, "lords.tamer.not_with must be a list", "not 'kraken'"),
    ({"races.names": ["crab"]}, "races.names must be the five Races in their fixed order", "not ['crab']"),
    # parts that do not fit
    ({"lords.peddler.timing": "lasting"}, "lords.peddler.timing must be 'once'", "'gain_pearls' is, not 'lasting'"),
    ({"lords.miller.timing": "once"}, "lords.miller.timing must be 'none'", "not 'once'"),
    ({"lords.miller.amount": 1}, "lords.miller.amount must be 0", "not 1"),
    ({"lords.illusionist.amount": 2}, "lords.illusionist.amount must be 1", "with the power 'exchange_location'"),
    ({"lords.invoker.amount": 6}, "lords.invoker.amount must be a whole number from 0 to 5", "not 6"),
    ({"lords.elder.amount": 0}, "lords.elder.amount must be a whole number from 1 to 32", "not 0"),
    ({"lords.miller.power": "gain_pearls"}, "lords.miller.amount is missing", "from 0 to 50"),
    ({"locations.parliament.of": "crab"}, "locations.parliament.of must be 'farmer', 'soldier'", "not 'crab'"),
    ({"locations.chasm.of": "mage"}, "locations.chasm.of must be 'jellyfish', 'crab'", "not 'mage'"),
    ({"locations.jail.of": "mage"}, "locations.jail.of must be left out", "not 'mage'"),
    ({"locations.jail.per": "lords_of_guild"}, "locations.jail.of must be", "is missing"),
    ({"locations.reef.each": 1}, "there is no Location 'reef'", "a new one needs name, base as well"),
    ({"locations.reef": {"name": "Reef", "base": 1, "per": "lords"}}, "locations.reef.each is missing", "'lords'"),
    ({"lords.diver": {"guild": "mage", "cost": 6}}, "there is no Lord 'diver'", "needs points, races as well"),
    # the threat track
    ({"threat.spaces": []}, "threat.spaces must be a list of 1 to 10 spaces", "not []"),
    ({"threat.spaces": [["P"]] * 11}, "threat.spaces must be a list of 1 to 10 spaces", ""),
    ({"threat.spaces": [["P"], []]}, "threat.spaces must be", "(space 2 is [])"),
    ({"threat.spaces": [["P"], ["PX"]]}, "threat.spaces must be", "(space 2 is ['PX'])"),
    ({"threat.spaces": [["KP", "PK"]]}, "threat.spaces must be", "different rewards"),
    ({"threat.spaces": [["P", "K", "M", "PP", "PK", "PM", "KK"]]}, "threat.spaces must be", "1 to 6 different"),
    ({"threat.spaces": "P"}, "threat.spaces must be", "not 'P'"),
    ({"threat.spaces": ["P"]}, "threat.spaces must be", "(space 1 is 'P')"),
    # numbers of players
    ({"game.players": []}, "game.players must be a list", "not []"),
    ({"game.players": [1, 2]}, "game.players must be a list", "from 2 to 5"),
    ({"game.players": [6]}, "game.players must be a list", "not [6]"),
    ({"game.players": [2, 2]}, "game.players must be a list of different", ""),
    ({"game.players": [True, 2]}, "game.players must be a list", ""),
    ({"game.players": 4}, "game.players must be a list", "not 4"),
    # decks too small or too large for the table
    ({"races.copies": {str(v): 0 for v in range(1, 6)}}, "at least 9 Allies", "not 0"),
    ({"races.copies.1": 23}, "at most 160 Exploration cards, not 166", ""),
    ({"game.monster_cards": 96}, "at most 160 Exploration cards, not 161", ""),
    ({"monster_tokens.values.2": 54}, "monster_tokens.values must add up to at most 64 tokens, not 65", ""),
    ({"game.refill_when_lords_left": 7}, "must be at most game.court_slots (6), not 7", ""),
    ({f"lords.{key}.copies": 0 for guild in ("soldier", "mage", "merchant", "farmer") for key in LORDS[guild]},
     "lords must leave at least 10 in the game", "not 9"),
    ({f"locations.{key}.copies": 0 for key in list(LOCATIONS)[:17]}, "locations must leave at least 4", "not 3"),
    ({"game.lords_to_end": 31}, "game.lords_to_end", "below 33 Lords, not allow 34"),
    ({f"lords.x{i}": {"guild": "mage", "points": 1, "cost": 6, "races": 1} for i in range(29)},
     "lords must be at most 63", "not 64"),
    ({f"locations.x{i}": {"name": "Reef", "base": 1} for i in range(13)}, "locations must be at most 32", "not 33"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "says", "also"), REFUSED)
def test_refused_with_one_sentence(changes: dict[Any, Any], says: str, also: str) -> None:
    with pytest.raises(InputError) as caught:
        load(changes)
    sentence = str(caught.value)
    assert says in sentence
    assert also in sentence
    assert "\n" not in sentence


def test_changes_must_be_a_table() -> None:
    with pytest.raises(InputError, match="changes must be a table"):
        load([("game.plot_cost", 2)])  # type: ignore[arg-type]


def test_tables_without_end_are_refused() -> None:
    endless: dict[str, Any] = {}
    endless["game"] = endless
    with pytest.raises(InputError, match="not nested as deep"):
        load(endless)


def test_numbers_of_numpy_are_whole_numbers() -> None:
    book = load({"lords.peddler.cost": np.int64(9)})
    assert book.changes == {"lords.peddler.cost": 9}
    assert json.dumps(book.changes)


@pytest.mark.parametrize("text", ["", "=", "=3", "lords.peddler.cost", "lords.peddler.cost="])
def test_malformed_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_set(text)


@pytest.mark.parametrize(
    "value", ["[1, 2", "1 2", "'a", "[" * 5000, "9" * 5000, "#", "1\n[game]", "\x00", "2024-13-45"]
)
def test_malformed_values_are_refused(value: str) -> None:
    with pytest.raises(InputError, match="a TOML value"):
        parse_set("game.plot_cost=" + value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"game.plot_cost 3", "is not TOML"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"game.plot_cost = 1\ngame.plot_cost = 2", "is not TOML"),
        (b"x = " + b"[" * 5000, "is not TOML"),
        (b"ruleset = 3", "ruleset must be 'whole' or 'changes', not 3"),
        (b"ruleset = 'whole'", "the ruleset lacks game.title"),
        (b"[game]\nplotcost = 3", "rules.toml: there is no rule 'game.plotcost'"),
        (b"[game]\nplot_cost = 2024-01-01", "rules.toml: game.plot_cost must be a whole number"),
        (b"[[lords]]\ncost = 3", "cannot be the key of a Lord"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(files=[file])
    assert says in str(caught.value)
    assert "rules.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(InputError, match="cannot read the rules file"):
            load(files=[path])


def test_a_whole_ruleset_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "changes.toml"
    file.write_text("game.plot_cost = 2")
    assert load(files=[PRINTED_FILE, file]).changes == {"game.plot_cost": 2}
    with pytest.raises(InputError, match="must be the first"):
        load(files=[file, PRINTED_FILE])


def test_numbers_of_players_and_keys(printed: Rulebook) -> None:
    assert printed.check_players(4) == 4
    with pytest.raises(InputError, match=r"players must be one of 2, 3, 4 \(game.players\), not 5"):
        printed.check_players(5)
    with pytest.raises(InputError, match=r"there is no Lord 'pedler' .*did you mean 'peddler'"):
        printed.lord_number("pedler")
    with pytest.raises(InputError, match=r"there is no Location 'jial' .*did you mean 'jail'"):
        printed.location_number("jial")


def test_the_most_lords_of_a_seat() -> None:
    """Seven at the trigger, or six and a last turn after one of its own; an Invoker and a Corruptor add one each."""
    invoker, corruptor = {"power": "extra_turn", "amount": 1}, {"power": "recruit_for_pearls", "amount": 5}
    assert most_lords_of_a_seat(7, []) == 8
    assert most_lords_of_a_seat(7, [invoker, corruptor]) == 10


ANY_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["none", "crab", "mage", "K"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
KNOWN_KEYS = sorted(printed_leaves())
ANY_KEY = (
    st.sampled_from(KNOWN_KEYS)
    | st.text(max_size=20)
    | st.builds(lambda table, card, name: f"{table}.{card}.{name}",
                st.sampled_from(sorted(CARDS)), st.sampled_from(["peddler", "jail", "new", "x.y", ""]),
                st.sampled_from([*FIELDS["lords"], *FIELDS["locations"]]))
)  # fmt: skip
NEAR_VALUE = st.integers(-3, 20) | st.booleans() | st.sampled_from(["none", "once", "mage", "crab", "lords", ""])


def refusal(changes: dict[str, Any]) -> str | None:
    """Return the sentence with which changes are refused, None if they load; any other exception is a failure."""
    try:
        load(changes)
    except InputError as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(ANY_KEY, ANY_VALUE | NEAR_VALUE, max_size=4))
def test_any_garbage_loads_or_is_refused(changes: dict[str, Any]) -> None:
    sentence = refusal(changes)
    if sentence is None:
        book = load(changes)
        assert load(book.changes).rules_hash == book.rules_hash
    else:
        assert sentence
        assert "\n" not in sentence


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_change_or_is_refused(text: str) -> None:
    try:
        key, value = parse_set(text)
    except InputError:
        return
    assert "\n" not in (refusal({key: value}) or "")


# Playing by changed rules

EXTREMES: list[dict[str, Any]] = [
    {},
    {key: field.low for key, field in LEAVES.items() if isinstance(field, Number) and key.startswith("game.")}
    | {"game.stalemate_rounds": 60},
    {f"rulings.{ruling.name.lower()}": True for ruling in Ruling if f"rulings.{ruling.name.lower()}" in LEAVES},
    {
        "game.start_pearls": 50, "game.purchase_price_step": 0, "game.purchases_per_opponent": 12, "game.plot_cost": 0,
        "game.explore_slots": 12, "game.court_slots": 12, "game.refill_when_lords_left": 12, "game.lords_to_end": 20,
    },
    {f"lords.{key}.cost": 40 for guild in LORDS.values() for key in guild} | {"game.stalemate_rounds": 3},
    {"threat.spaces": [["M"]], "monster_tokens.values": {2: 0, 3: 0, 4: 0}, "game.monster_cards": 90},
    {"lords.elder.amount": 32, "lords.invoker.amount": 5, "lords.apprentice.amount": 5, "lords.alchemist.amount": 4},
    {f"lords.x{i}": {"guild": "mage", "points": 1, "cost": 1, "races": 1, "amount": 1,
                     "power": "discard_ally_for_pearls", "keys": 9 if i % 5 == 0 else 0} for i in range(28)}
    | {f"locations.y{i}": {"name": "Reef", "base": 1, "power": "swap_with_deck"} for i in range(12)}
    | {"game.lords_to_end": 29, "game.court_slots": 12, "races.copies.1": 20, "game.keys_per_location": 9},
    {"lords.commander.amount": 0, "lords.jailer.amount": 20, "lords.tamer.amount": 9, "lords.seeker.amount": 50},
]  # fmt: skip


@pytest.mark.parametrize("changes", EXTREMES)
def test_games_by_extreme_rules_end_without_error(changes: dict[str, Any]) -> None:
    """What the loader lets pass, the engine must be able to play."""
    for seats in (2, 4):
        table = Table(load(changes), ["random"] * seats)
        rows = table.play(25)
        assert table.desks[0].error == 0
        assert (rows.end_trigger > 0).all()
        assert (rows.win12.sum(axis=1) == 12).all()


# Words


def test_every_word_is_there() -> None:
    assert set(words.POWERS) == set(AMOUNTS) == set(Power)
    assert set(words.COUNTS) == set(Per)
    assert set(words.RULINGS) == set(Ruling)
    assert set(words.TIMINGS) == set(Timing)
    assert set(words.LOCATION_POWERS) == set(LocationPower)
    assert {f"game.{name}" for name in words.NUMBERS} == {key for key in LEAVES if key.startswith("game.")}
    for power in Power:
        for amount in (1, 2):
            assert not set("{|}") & set(words.power_words(power, amount))


def test_amounts_in_words() -> None:
    assert words.power_words(Power.GAIN_PEARLS, 1) == "Gain 1 Pearl."
    assert words.power_words(Power.GAIN_PEARLS, 3) == "Gain 3 Pearls."
    assert words.reward_words("KPP") == "1 Key token and 2 Pearls"
    jail, abyss = (load().data["locations"][key] for key in ("jail", "abyss"))
    assert words.location_words(jail) == "15 IP, less 1 for each of your Lords."
    assert words.location_words(abyss) == "2 IP for each guild among your Lords, 12 at the most."


def test_the_overview_names_everything_in_80_columns(printed: Rulebook) -> None:
    text = describe(printed)
    assert max(len(line) for line in text.splitlines()) <= 80
    for key in [*printed.lords, *printed.locations, *printed.data["rulings"]]:
        assert f" {key} " in text
    changed = describe(load({"lords.a_lord_with_a_very_long_name_indeed.guild": "mage",
                             "lords.a_lord_with_a_very_long_name_indeed.points": 1,
                             "lords.a_lord_with_a_very_long_name_indeed.cost": 1,
                             "lords.a_lord_with_a_very_long_name_indeed.races": 1,
                             "lords.tamer.copies": 0}))  # fmt: skip
    assert max(len(line) for line in changed.splitlines()) <= 80
    assert "lords.tamer.copies = 0 (printed: 1)" in changed


@pytest.mark.parametrize("name", ["peddler", "lords.peddler", "The Peddler", "PEDDLER"])
def test_a_lord_in_words(name: str) -> None:
    text = describe(load({"lords.peddler.amount": 3}), name)
    assert "The Peddler (lords.peddler)" in text
    assert "8, in one Race: shellfish" in text
    assert "Once, on arrival: gain 3 Pearls." in text
    assert "lords.peddler.amount = 3 (printed: 2)" in text


@pytest.mark.parametrize("name", [*LORDS["mage"], *LOCATIONS, *CARDS, "game", "rulings", "threat", "plot_cost", "races",
                                  "races.copies.1", "equal_turns", "mage", "monster_tokens"])  # fmt: skip
def test_everything_can_be_shown(printed: Rulebook, name: str) -> None:
    assert describe(printed, name)
    assert json.loads(json.dumps(details(printed, name)))["key"].endswith(name)


def test_an_unknown_name_is_refused(printed: Rulebook) -> None:
    with pytest.raises(InputError, match=r"the rules have no 'pedler'.*did you mean 'peddler'"):
        describe(printed, "pedler")


# The command line


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["rules", *arguments])


def test_show_on_the_command_line() -> None:
    shown = run("show", "peddler", "--set", "lords.peddler.cost=9", "--json")
    assert shown.exit_code == 0
    told = json.loads(shown.stdout)
    assert told["value"]["cost"] == 9
    assert told["race"] == "shellfish"
    assert told["changes"] == {"lords.peddler.cost": 9}
    everything = json.loads(run("show", "--json").stdout)
    assert everything["rules_hash"] == load().rules_hash
    assert everything["rules"] == load().data
    assert "LORDS" in run("show").stdout


@pytest.mark.parametrize("arguments", [("show", "pedler"), ("show", "--set", "lords.pedler.cost=9")])
def test_bad_input_on_the_command_line(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("abysssim: ")
    assert "did you mean 'peddler'?" in result.stderr
    assert result.stderr.count("\n") == 1


def test_check_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("lords.peddler.cost = 9")
    good = run("check", str(file))
    assert good.exit_code == 0
    assert "lords.peddler.cost = 9 (printed: 8)" in good.stdout
    told = json.loads(run("check", str(file), "--json").stdout)
    assert told == {"ok": True, "rules_hash": load({"lords.peddler.cost": 9}).rules_hash,
                    "changes": {"lords.peddler.cost": 9}}  # fmt: skip
    file.write_text("lords.peddler.cost = 99")
    bad = run("check", str(file))
    assert bad.exit_code == 2
    assert "lords.peddler.cost must be a whole number from 0 to 40, not 99" in bad.stderr
    assert json.loads(run("check", str(file), "--json").stdout)["ok"] is False
