"""The Kraken expansion as loaded, changes to it, and what of it is refused without it."""

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from abysssim.cli import main
from abysssim.core import layout
from abysssim.errors import InputError
from abysssim.rules.changes import flatten, printed_cards, printed_leaves
from abysssim.rules.checks import most_menu_options
from abysssim.rules.describe import describe, details
from abysssim.rules.fields import Number
from abysssim.rules.rulebook import Rulebook, load, parse_set, printed_value
from abysssim.rules.schema import AMOUNTS, OF_EXPANSION, schema_of, timing_of
from abysssim.vocabulary import Guild, Per, Power, Race, Ruling, Timing

KRAKEN = ("kraken",)
FOLDER = Path(layout.__file__).parents[1] / "rules"
RULINGS = ("figure_recheck", "nebulis_on_any_discard", "only_paid", "keys_reusable", "loot_stays", "no_loot", "floor0")

# As printed on the Lords: cost, Races, IP, Keys, timing, power, amount.
LORDS = {
    "smuggler": {
        "ferryman": (7, 1, 5, 1, "turn", "nebulis_to_pearl", 1),
        "outlaw": (7, 1, 6, 1, "lasting", "nebulis_per_payment", 2),
        "counterfeiter": (7, 1, 5, 1, "lasting", "nebulis_before_pearls", 1),
        "fence": (7, 1, 8, 0, "once", "give_nebulis_to_each_opponent", 1),
        "cleaner": (7, 1, 7, 1, "lasting", "no_nebulis_for_krakens_in_hand", 0),
        "watcher": (5, 2, 4, 0, "lasting", "sentinel", 1),
        "vigil": (5, 2, 4, 0, "lasting", "sentinel", 1),
        "lookout": (5, 2, 4, 0, "lasting", "sentinel", 1),
    },
    "merchant": {
        "shareholder": (9, 2, 5, 1, "lasting", "pearl_when_opponent_recruits", 1),
        "inheritor": (10, 2, 7, 0, "once", "gain_pearls", 5),
    },
    "mage": {
        "hypnotist": (9, 2, 5, 1, "lasting", "purchases_per_turn", 2),
        "healer": (7, 1, 7, 0, "once", "take_ally_from_discard", 1),
    },
    "soldier": {
        "highwayman": (9, 2, 4, 1, "lasting", "tax_gains_of_pearls", 1),
        "executioner": (9, 3, 5, 0, "once", "opponents_discard_affiliated", 1),
    },
    "politician": {
        "recipient": (7, 2, 5, 1, "turn", "add_court_lord", 1),
        "liberator": (9, 2, 8, 0, "once", "free_lord", 1),
    },
    "farmer": {
        "grower": (9, 2, 7, 1, "none", "none", 0),
        "oyster_farmer": (12, 1, 13, 0, "none", "none", 0),
    },
}
DEMANDED = {
    "smuggler": -1,
    "merchant": Race.SHELLFISH,
    "mage": Race.JELLYFISH,
    "soldier": Race.CRAB,
    "politician": Race.SQUID,
    "farmer": Race.SEAHORSE,
}
# As printed on the Locations: IP for itself, IP for each, what it counts, a Sacred Place or not.
LOCATIONS = {
    "gambling_den": (5, 2, Per.LORDS_OF_GUILD, 0),
    "krakens_lair": (15, -3, Per.NEBULIS, 0),
    "cetacean_graveyard": (0, 1, Per.LOOT, 1),
    "abandoned_convoy": (0, 1, Per.LOOT, 1),
    "megalodon": (0, 1, Per.LOOT, 1),
    "battlefield": (0, 1, Per.LOOT, 1),
}


@pytest.fixture(scope="module")
def base() -> Rulebook:
    return load()


@pytest.fixture(scope="module")
def kraken() -> Rulebook:
    return load(expansions=KRAKEN)


def with_kraken(*texts: str) -> Rulebook:
    return load(dict(parse_set(text) for text in texts), KRAKEN)


# The printed game


def test_the_printed_lords(kraken: Rulebook) -> None:
    rules = kraken.record[0]
    assert rules.lord_count == len(kraken.lords) == 53
    assert sorted(kraken.lords[35:]) == sorted(key for guild in LORDS.values() for key in guild)
    for guild, lords in LORDS.items():
        for key, (cost, races, points, keys, timing, power, amount) in lords.items():
            lord = rules.lords[kraken.lord_number(key)]
            assert (lord.cost, lord.races, lord.points, lord.keys) == (cost, races, points, keys), key
            assert (Timing(lord.timing).name.lower(), Power(lord.power).name.lower()) == (timing, power), key
            assert (lord.amount, lord.in_game) == (amount, 1), key
            assert Guild(lord.guild).name.lower() == guild, key
            assert lord.race == DEMANDED[guild], key
            assert kraken.lord_name(kraken.lord_number(key)) == "The " + key.replace("_", " ").title()


def test_the_printed_locations(kraken: Rulebook) -> None:
    rules = kraken.record[0]
    assert rules.location_count == len(kraken.locations) == 26
    assert sorted(kraken.locations[20:]) == sorted(LOCATIONS)
    for key, worth in LOCATIONS.items():
        tile = rules.locations[kraken.location_number(key)]
        assert (tile.points, tile.each, tile.per, tile.sacred) == worth, key
        assert (tile.most, tile.power, tile.in_game) == (32767, 0, 1), key
        assert tile.of == (Guild.SMUGGLER if key == "gambling_den" else -1), key
    assert rules.locations[:20]["sacred"].sum() == 0
    assert kraken.location_name(kraken.location_number("krakens_lair")) == "The Kraken's Lair"


def test_the_printed_krakens_nebulis_and_loot(kraken: Rulebook) -> None:
    rules = kraken.record[0]
    assert rules.kraken == 1
    assert list(rules.kraken_copies) == [0, 0, 2, 3, 2, 0]
    assert list(rules.kraken_nebulis) == [0, 0, 1, 2, 3, 0]
    assert (rules.nebulis_points, rules.figure_points, rules.max_nebulis_per_payment) == (-1, -5, 1)
    assert list(rules.loot_copies) == [0, 0, 0, 3, 4, 5, 6, 7, 0, 0]
    rewards = [tuple(int(part) for part in reward) for reward in rules.loot_rewards]
    assert rewards == [(0, 0, 0, 0)] * 3 + [(0, 1, 0, 0), (2, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)] + [(0, 0, 0, 0)] * 3
    assert kraken.data["sentinels"] == {"count": 3}
    assert all(rules[name] == 0 for name in RULINGS)


def test_the_base_cards_keep_their_numbers(base: Rulebook, kraken: Rulebook) -> None:
    assert kraken.lords[:35] == base.lords
    assert kraken.locations[:20] == base.locations
    assert kraken.record[0].lords[:35].tobytes() == base.record[0].lords[:35].tobytes()
    assert kraken.record[0].locations[:20].tobytes() == base.record[0].locations[:20].tobytes()
    assert (kraken.changes, kraken.expansions) == ({}, KRAKEN)


def test_the_base_game_is_without_it(base: Rulebook) -> None:
    rules = base.record[0]
    assert base.rules_hash == "e7d3daa528bf7cd1"  # as it was before there were expansions
    assert base.data.keys() == {"game", "rulings", "guilds", "races", "monster_tokens", "threat", "lords", "locations"}
    assert not set(RULINGS) & set(base.data["rulings"])
    assert "smuggler" not in base.data["guilds"]
    assert not any("sacred" in location for location in base.data["locations"].values())
    numbers = ("kraken", "nebulis_points", "figure_points", "max_nebulis_per_payment", *RULINGS)
    assert all(rules[name] == 0 for name in numbers)
    for table in ("kraken_copies", "kraken_nebulis", "loot_copies"):
        assert rules[table].sum() == 0
    assert rules.rewards["allies"].sum() == 0
    assert rules.locations["sacred"].sum() == 0


def test_every_leaf_of_its_file_belongs_to_it() -> None:
    own = {key: value for key, value in printed_leaves(KRAKEN).items() if key not in printed_leaves()}
    assert len(printed_leaves()) + len(own) == len(printed_leaves(KRAKEN))
    assert all(printed_value(key, KRAKEN) == value for key, value in own.items())
    assert all(printed_value(key) is None for key in own)
    assert printed_cards("lords", KRAKEN)[35:] == tuple(tomllib.loads((FOLDER / "kraken.toml").read_text())["lords"])


def test_what_belongs_to_it_has_its_timings_and_amounts() -> None:
    words = OF_EXPANSION["kraken"]
    used = {power for lords in LORDS.values() for *_, power, _ in lords.values()}
    assert {power.name.lower() for power in words[Power]} == used - {"none", "gain_pearls"}
    assert {timing_of(Power(power)) for power in words[Power]} == {Timing.LASTING, Timing.ONCE, Timing.TURN}
    assert tuple(ruling.name.lower() for ruling in words[Ruling]) == RULINGS
    assert set(AMOUNTS) == set(Power)


# Changes

CHANGES = [
    ("nebulis.points_each=-2", lambda rules, book: rules.nebulis_points == -2),
    ("nebulis.kraken_figure_points=-8", lambda rules, book: rules.figure_points == -8),
    ("nebulis.max_per_payment=2", lambda rules, book: rules.max_nebulis_per_payment == 2),
    ("nebulis.kraken_ally_nebulis.4=2", lambda rules, book: rules.kraken_nebulis[4] == 2),
    ("allies.kraken.4=3", lambda rules, book: rules.kraken_copies[4] == 3),
    ("allies.kraken.2=0", lambda rules, book: rules.kraken_copies[2] == 0),
    ("loot.copies.3=4", lambda rules, book: rules.loot_copies[3] == 4),
    ('loot.rewards.3="KP"', lambda rules, book: tuple(rules.loot_rewards[3]) == (1, 1, 0, 0)),
    ('loot.rewards.7="AAM"', lambda rules, book: tuple(rules.loot_rewards[7]) == (0, 0, 1, 2)),
    ('loot.rewards.6=""', lambda rules, book: tuple(rules.loot_rewards[6]) == (0, 0, 0, 0)),
    ("lords.fence.cost=8", lambda rules, book: rules.lords[book.lord_number("fence")].cost == 8),
    ("lords.outlaw.amount=3", lambda rules, book: rules.lords[book.lord_number("outlaw")].amount == 3),
    ("lords.peddler.guild=smuggler", lambda rules, book: rules.lords[book.lord_number("peddler")].race == -1),
    ("guilds.smuggler=squid", lambda rules, book: rules.lords[book.lord_number("fence")].race == Race.SQUID),
    ("locations.jail.sacred=true", lambda rules, book: rules.locations[book.location_number("jail")].sacred == 1),
    ("locations.jail.per=nebulis", lambda rules, book: rules.locations[13].per == Per.NEBULIS),
    ("lords.fence.copies=0", lambda rules, book: rules.lords[book.lord_number("fence")].in_game == 0),
    ('lords.peddler.not_with=["kraken"]', lambda rules, book: rules.lords[book.lord_number("peddler")].in_game == 0),
    ("rulings.floor0=true", lambda rules, book: rules.floor0 == 1),
    ("rulings.into_deck=true", lambda rules, book: rules.into_deck == 1),
    ("sentinels.count=4", lambda rules, book: book.data["sentinels"]["count"] == 4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "holds"), CHANGES)
def test_a_change_is_loaded_and_round_trips(text: str, holds: Any, kraken: Rulebook) -> None:
    book = with_kraken(text)
    assert holds(book.record[0], book)
    key, value = parse_set(text)
    assert book.changes == {key: value}
    assert book.rules_hash != kraken.rules_hash
    again = load(json.loads(json.dumps(book.changes)), book.expansions)
    assert (again.data, again.changes, again.rules_hash) == (book.data, book.changes, book.rules_hash)
    assert again.record.tobytes() == book.record.tobytes()


@pytest.mark.parametrize("name", RULINGS)
def test_every_ruling_reaches_the_record(name: str) -> None:
    assert with_kraken(f"rulings.{name}=true").record[0][name] == 1


def test_new_values_of_krakens_and_loot() -> None:
    book = with_kraken(
        "allies.kraken.5=1", "nebulis.kraken_ally_nebulis.5=4", "loot.copies.9=2", 'loot.rewards.9="K"',
        "allies.kraken.1=0",
    )  # fmt: skip
    assert list(book.record[0].kraken_copies) == [0, 0, 2, 3, 2, 1]
    assert book.record[0].kraken_nebulis[5] == 4
    assert (book.record[0].loot_copies[9], book.record[0].loot_rewards[9].keys) == (2, 1)
    assert "1" not in book.data["allies"]["kraken"]
    assert load(book.changes, KRAKEN).rules_hash == book.rules_hash


def test_another_power_and_new_cards() -> None:
    book = with_kraken(
        "lords.peddler.power=purchases_per_turn", "lords.peddler.amount=3", "locations.wreck.name=The Wreck",
        "locations.wreck.base=1", "locations.wreck.sacred=true", "locations.wreck.per=loot", "locations.wreck.each=2",
    )  # fmt: skip
    peddler = book.record[0].lords[book.lord_number("peddler")]
    assert (peddler.power, peddler.timing, peddler.amount) == (Power.PURCHASES_PER_TURN, Timing.LASTING, 3)
    wreck = book.record[0].locations[26]
    assert (book.locations[26], wreck.sacred, wreck.per, wreck.each) == ("wreck", 1, Per.LOOT, 2)
    assert load(book.changes, KRAKEN).record.tobytes() == book.record.tobytes()


def test_the_hash_depends_on_the_rules_alone(base: Rulebook, kraken: Rulebook) -> None:
    changes = dict(parse_set(text) for text, _ in CHANGES if "lords.peddler" not in text and "locations" not in text)
    leaves = list(flatten(changes).items())
    hashes = set()
    for seed in range(5):
        random.Random(seed).shuffle(leaves)
        hashes.add(load(dict(leaves), list(KRAKEN)).rules_hash)
    assert len(hashes) == 1
    assert len({base.rules_hash, kraken.rules_hash, *hashes}) == 3


def printed_file(folder: Path, *without: str) -> Path:
    """Write the printed game with the expansion as one whole ruleset; lines that begin with `without` are left out."""
    texts = [(FOLDER / name).read_text() for name in ("base.toml", "kraken.toml")]
    tables: dict[str, list[str]] = {}
    for text in texts:
        lines: list[str] = []
        for line in text.splitlines():
            if line.startswith("["):
                lines = tables.setdefault(line.split("]")[0] + "]", [])
            elif not line.startswith(("ruleset", *without)):
                lines.append(line)
    file = folder / "whole.toml"
    filled = ["\n".join([head, *lines]) for head, lines in tables.items() if "=" in "".join(lines)]
    file.write_text('ruleset = "whole"\n' + "\n".join(filled))
    return file


def test_a_whole_ruleset_with_the_expansion(tmp_path: Path, kraken: Rulebook) -> None:
    assert load(expansions=KRAKEN, files=[printed_file(tmp_path)]).rules_hash == kraken.rules_hash
    book = load(expansions=KRAKEN, files=[printed_file(tmp_path, "fence ", "jail ", "megalodon ", "kraken = ")])
    assert book.changes == {
        "allies.kraken.2": 0, "allies.kraken.3": 0, "allies.kraken.4": 0,
        "lords.fence.copies": 0, "locations.jail.copies": 0, "locations.megalodon.copies": 0,
    }  # fmt: skip
    assert load(book.changes, KRAKEN).record.tobytes() == book.record.tobytes()
    assert load(book.changes, KRAKEN).rules_hash == book.rules_hash


def test_a_whole_ruleset_lacks_nothing(tmp_path: Path) -> None:
    keys = {"points_each": "nebulis.points_each", "smuggler =": "guilds.smuggler", "count =": "sentinels.count"}
    for gone, key in keys.items():
        with pytest.raises(InputError, match=rf"whole\.toml: the ruleset lacks {key}.*, as an expansion is played"):
            load(expansions=KRAKEN, files=[printed_file(tmp_path, gone)])
    with pytest.raises(InputError, match=r"loot.copies.3 needs loot.rewards.3 as well, which must be a text"):
        load(expansions=KRAKEN, files=[printed_file(tmp_path, "rewards")])
    with pytest.raises(InputError, match=r"base\.toml: the ruleset lacks rulings.figure_recheck"):
        load(expansions=KRAKEN, files=[FOLDER / "base.toml"])
    with pytest.raises(InputError, match=r"whole\.toml: rulings.figure_recheck belongs to the Kraken expansion"):
        load(files=[printed_file(tmp_path)])


def test_values_that_a_whole_ruleset_does_not_name(tmp_path: Path) -> None:
    """What it leaves out of a table by value is named as a change, so that the rules can be built again."""
    text = (FOLDER / "base.toml").read_text().replace("values = { 2 = 9, 3 = 9, 4 = 2 }", "values = { 2 = 9 }")
    file = tmp_path / "whole.toml"
    file.write_text(text)
    book = load(files=[file])
    assert book.changes == {"monster_tokens.values.3": 0, "monster_tokens.values.4": 0}
    assert load(book.changes).rules_hash == book.rules_hash


def test_its_file_is_a_file_of_changes(kraken: Rulebook) -> None:
    assert load(expansions=KRAKEN, files=[FOLDER / "kraken.toml"]).rules_hash == kraken.rules_hash


# What must be refused

WITHOUT = [
    "nebulis.points_each=-2", "nebulis.points=1", "allies.kraken.4=3", "loot.copies.3=4", "sentinels.count=2",
    "guilds.smuggler=crab", "rulings.floor0=true", "lords.fence.cost=8", "lords.fence.cots=8",
    "locations.megalodon.base=1", "locations.jail.sacred=true", "lords.peddler.guild=smuggler",
    "lords.peddler.power=sentinel", "locations.jail.per=loot", "locations.parliament.of=smuggler",
]  # fmt: skip


@pytest.mark.parametrize("text", WITHOUT)
def test_what_belongs_to_it_is_refused_without_it(text: str) -> None:
    key, value = parse_set(text)
    with pytest.raises(InputError, match=r"belongs to the Kraken expansion \(--expansion kraken\)$") as caught:
        load({key: value})
    assert str(caught.value).startswith(key)
    assert "\n" not in str(caught.value)


REFUSED = [
    ("nebulis.points_each=-21", "nebulis.points_each must be a whole number from -20 to 20, not -21"),
    ("nebulis.kraken_figure_points=21", "nebulis.kraken_figure_points must be a whole number from -20 to 20, not 21"),
    ("nebulis.max_per_payment=10", "nebulis.max_per_payment must be a whole number from 0 to 9, not 10"),
    ("nebulis.kraken_ally_nebulis.4=10", "nebulis.kraken_ally_nebulis.4 must be a whole number from 0 to 9, not 10"),
    ("nebulis.kraken_ally_nebulis.6=1", "in nebulis.kraken_ally_nebulis there are 1, 2, 3, 4, 5"),
    ("nebulis.point_each=1", "did you mean 'nebulis.points_each'?"),
    ("nebulis=1", "'nebulis' is a table; a change names a single rule in it, such as nebulis.points_each"),
    ("allies.kraken.6=1", "in allies.kraken there are 1, 2, 3, 4, 5"),
    ("allies.kraken.4=-1", "allies.kraken.4 must be a whole number from 0 to 160, not -1"),
    ("allies.kraken.4=90", "allies.kraken and game.monster_cards must add up to at most 160 Exploration"),
    ("allies.kraken.5=1", "allies.kraken.5 needs nebulis.kraken_ally_nebulis.5 as well, which must be a whole number"),
    ("loot.copies.9=1", "loot.copies.9 needs loot.rewards.9 as well, which must be a text of 0 to 9 letters P (Pearl)"),
    ("loot.copies.10=1", "in loot.copies there are 0, 1, 2"),
    ("loot.copies.3=43", "loot.copies must add up to at most 64 cards, not 65"),
    ("loot.rewards.3=X", "loot.rewards.3 must be a text of 0 to 9 letters P (Pearl), K (Key token)"),
    ("loot.rewards.3=KKKKKKKKKK", "loot.rewards.3 must be a text of 0 to 9 letters"),
    ("loot.rewards.3=3", "loot.rewards.3 must be a text of 0 to 9 letters"),
    ("sentinels.count=2", "sentinels.count must be at least 3, one for each Lord in the game"),
    ("sentinels.count=10", "sentinels.count must be a whole number from 0 to 9, not 10"),
    ("guilds.smuggler=carb", "did you mean 'crab'?"),
    ("rulings.floor=true", "did you mean 'rulings.floor0'?"),
    ("lords.fense.cost=8", "did you mean 'fence'?"),
    ("lords.outlaw.amount=10", "lords.outlaw.amount must be a whole number from 1 to 9 with the power"),
    ("lords.fence.amount=2", "lords.fence.amount must be 1, as nothing else fits, with the power"),
    ("lords.cleaner.amount=1", "lords.cleaner.amount must be 0, as nothing else fits, with the power"),
    ("lords.fence.timing=lasting", "lords.fence.timing must be 'once'"),
    ("locations.megalodon.sacred=1", "locations.megalodon.sacred must be true or false, not 1"),
    ("locations.megalodon.of=mage", "locations.megalodon.of must be left out"),
    ("game.court_slots=12", "must keep a turn at 64 options or fewer, not allow 66"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_refused_with_one_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        with_kraken(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_more_sentinels_than_the_box_has_are_refused() -> None:
    fourth = {"lords.peddler.power": "sentinel", "lords.peddler.amount": 1}
    with pytest.raises(InputError, match=r"sentinels.count must be at least 4, .* not 3"):
        load(fourth, KRAKEN)
    assert load(fourth | {"sentinels.count": 4}, KRAKEN)
    assert load(fourth | {"lords.vigil.copies": 0}, KRAKEN)


def test_no_payment_can_offer_too_many_nebulis() -> None:
    outlaws = {f"lords.x{i}": {"guild": "smuggler", "points": 1, "cost": 1, "races": 1, "amount": 9,
                               "power": "nebulis_per_payment"} for i in range(7)}  # fmt: skip
    with pytest.raises(InputError, match="must add up to at most 63 Nebulis, not 66"):
        load(outlaws, KRAKEN)


def test_no_menu_can_have_more_options_than_fit(base: Rulebook, kraken: Rulebook) -> None:
    """A Court of 6 (and a stack for each Race) twice, exploring, the Lords with a power for each turn, 26 Locations."""
    assert most_menu_options(kraken.data, KRAKEN) == 2 * (6 + 5) + 1 + 5 + 26
    assert most_menu_options(base.data, ()) == 6 + 5 + 1 + 3
    assert load({"game.court_slots": 11}, KRAKEN)
    lookers = {f"lords.{key}.copies": 0 for key in ("watcher", "vigil", "lookout")}
    assert load({"game.court_slots": 12} | lookers, KRAKEN)


@pytest.mark.parametrize(
    ("expansions", "says"),
    [
        (["krakn"], "the expansion 'krakn' does not exist; there is 'kraken'; did you mean 'kraken'?"),
        (["leviathan"], "the expansion 'leviathan' cannot be played yet; there is 'kraken'"),
        (["kraken", "leviathan"], "the expansion 'leviathan' cannot be played yet"),
        (["kraken", "kraken"], "the expansion 'kraken' is given twice"),
        ("kraken", "expansions must be a list of names, such as ['kraken'], not 'kraken'"),
        ([3], "the expansion 3 does not exist"),
        (None, "expansions must be a list of names"),
    ],
)
def test_expansions_that_are_refused(expansions: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load(expansions=expansions)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


KEYS = sorted({*printed_leaves(KRAKEN), *schema_of(KRAKEN).leaves})
VALUES = st.integers(-3, 20) | st.booleans() | st.sampled_from(["none", "smuggler", "sentinel", "loot", "KP", "A", ""])


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4))
def test_any_change_loads_or_is_refused(changes: dict[str, Any]) -> None:
    try:
        book = load(changes, KRAKEN)
    except InputError:
        return
    assert load(book.changes, KRAKEN).rules_hash == book.rules_hash


def test_the_ends_of_every_range_can_be_loaded() -> None:
    tables = ("nebulis", "allies", "loot", "sentinels")
    for key, field in schema_of(KRAKEN).leaves.items():
        if key.split(".")[0] in tables and isinstance(field, Number) and field.high < 30 and key != "sentinels.count":
            assert load({key: field.low}, KRAKEN)
            assert load({key: field.high}, KRAKEN)


# Words


def test_the_overview_names_everything_in_80_columns(kraken: Rulebook) -> None:
    text = describe(kraken)
    assert max(len(line) for line in text.splitlines()) <= 80
    for key in [*kraken.lords, *kraken.locations, *RULINGS]:
        assert f" {key} " in text
    assert text.startswith("Abyss with Kraken, for 2, 3, 4 players")
    for words in (
        "53 Lords, 26 Locations, 78 Exploration cards",
        "value 4: 2 in the deck, 3 Nebulis when it is paid or left in hand",
        "each Nebulis -1 IP, the Kraken figure -5 IP",
        "value 3: 3 cards, 1 Key token at once",
        "value 7: 7 cards, nothing at once",
        "Sentinels: 3",
    ):
        assert words in text


def test_the_overview_of_the_base_game_is_without_it(base: Rulebook) -> None:
    text = describe(base)
    assert "KRAKENS" not in text
    assert "smuggler" not in text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("fence", "Once, on arrival: give 1 of your Nebulis to each opponent."),
        ("The Fence", "cost     7, in one Race: any"),
        ("watcher", "On arrival 1 Nebulis and a Sentinel"),
        ("hypnotist", "As long as it is free: buy up to 2 Allies in each exploration of an"),
        ("nebulis", "nebulis.max_per_payment = 1\n    Nebulis that one payment may hold"),
        ("points_each", "nebulis.points_each = -1\n    IP of each Nebulis at the end."),
        ("allies", "allies.kraken.3 = 3"),
        ("loot", 'loot.rewards.4 = "PP"'),
        ("megalodon", "1 IP for each point of the Loot on it. A Sacred Place: taking it"),
        ("krakens_lair", "15 IP, less 3 for each of your Nebulis."),
        ("floor0", "never worth less than 0"),
        ("sentinels", "sentinels.count = 3"),
    ],
)
def test_a_thing_in_words(kraken: Rulebook, name: str, says: str) -> None:
    text = describe(kraken, name)
    assert says in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert json.loads(json.dumps(details(kraken, name)))["key"]


def test_changes_in_words() -> None:
    text = describe(with_kraken("nebulis.points_each=-2", "allies.kraken.5=1", "nebulis.kraken_ally_nebulis.5=4"))
    assert "nebulis.points_each = -2 (printed: -1)" in text
    assert "allies.kraken.5 = 1 (new)" in text
    assert "value 5: 1 in the deck, 4 Nebulis" in text


def test_a_thing_of_the_expansion_is_not_shown_without_it(base: Rulebook) -> None:
    for name in ("fence", "nebulis", "The Megalodon", "loot.copies.3"):
        with pytest.raises(InputError, match=rf"^{name} belongs to the Kraken expansion \(--expansion kraken\)$"):
            describe(base, name)


# The command line


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def test_show_on_the_command_line(kraken: Rulebook) -> None:
    shown = run("rules", "show", "fence", "--expansion", "kraken", "--set", "lords.fence.cost=8", "--json")
    assert shown.exit_code == 0
    told = json.loads(shown.stdout)
    assert (told["value"]["cost"], told["race"], told["changes"]) == (8, "", {"lords.fence.cost": 8})
    everything = json.loads(run("rules", "show", "--expansion", "kraken", "--json").stdout)
    assert everything["expansions"] == ["kraken"]
    assert everything["rules_hash"] == kraken.rules_hash
    assert everything["rules"] == kraken.data


def test_check_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("nebulis.points_each = -2")
    good = run("rules", "check", str(file), "--expansion", "kraken")
    assert good.exit_code == 0
    assert "nebulis.points_each = -2 (printed: -1)" in good.stdout
    bad = run("rules", "check", str(file))
    assert bad.exit_code == 2
    assert "nebulis.points_each belongs to the Kraken expansion" in bad.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("rules", "show"),
        ("run", "--players", "2", "--games", "1"),
        ("play", "--players", "2"),
        ("study", "lord-values", "--games", "1"),
        ("bench",),
    ],
)
def test_a_wrong_expansion_on_the_command_line(command: tuple[str, ...]) -> None:
    result = run(*command, "--expansion", "krakn")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "abysssim: the expansion 'krakn' does not exist; there is 'kraken'; did you mean 'kraken'?\n"
    )


@pytest.mark.parametrize("command", ["position", "score"])
def test_the_expansions_of_a_position(tmp_path: Path, command: str) -> None:
    """Those of the command line are for a file that names none; the file's own come first."""
    file = tmp_path / "position.toml"
    file.write_text("[position]\nplayers = 2\n")
    result = run(command, str(file), "--expansion", "krakn")
    assert result.exit_code == 2
    assert "the expansion 'krakn' does not exist" in result.stderr
    file.write_text('[position]\nplayers = 2\nexpansions = ["leviathan"]\n')
    result = run(command, str(file), "--expansion", "kraken")
    assert result.exit_code == 2
    assert "the expansion 'leviathan' cannot be played yet" in result.stderr


def test_a_case_names_its_own_expansions(tmp_path: Path) -> None:
    file = tmp_path / "case.toml"
    file.write_text("[position]\nplayers = 2\n")
    result = run("position", str(file), "--check", "--expansion", "kraken")
    assert result.exit_code == 2
    assert "name its expansions in the file" in result.stderr


def test_play_from_results_takes_no_expansion(tmp_path: Path) -> None:
    result = run("play", "--from", str(tmp_path), "--expansion", "kraken")
    assert result.exit_code == 2
    assert "does not go with --expansion" in result.stderr
