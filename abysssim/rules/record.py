"""The checked rules as the one record that the compiled core reads."""

import hashlib
from typing import Any

from abysssim.core.layout import FIRST_ENTITY, RULES, new
from abysssim.errors import InputError
from abysssim.rules.checks import Data, in_game
from abysssim.rules.fields import NO_MAXIMUM
from abysssim.rules.schema import KRAKEN, Expansions
from abysssim.vocabulary import Guild, LocationPower, Per, Power, Race, Timing

LAST_ENTITY = 2**31
UNLIMITED = 32767


def entity(text: str) -> int:
    """Return the stable number of a card from FIRST_ENTITY to 2**31 - 1, from ``lord:KEY`` or ``location:KEY``."""
    digest = hashlib.sha256(text.encode()).digest()
    return FIRST_ENTITY + int.from_bytes(digest[:8], "big") % (LAST_ENTITY - FIRST_ENTITY)


def check_entities(data: Data) -> None:
    """Check that no two cards have the same stable number.

    Raises
    ------
    InputError
        If two have (a chance of about one in a million for a hundred cards): another key helps.
    """
    seen: dict[int, str] = {}
    for word, table in (("lord", "lords"), ("location", "locations")):
        for key in data[table]:
            other = seen.setdefault(entity(f"{word}:{key}"), key)
            if other != key:
                raise InputError(f"{table}.{key} must have another key: its number in deck orders is that of '{other}'")


def to_record(data: Data, expansions: Expansions) -> Any:
    """Return the RULES record, shape (1,), of checked rules."""
    check_entities(data)
    rulebook = new(RULES)
    rules = rulebook[0]
    for name, value in data["game"].items():
        if name not in ("title", "players"):
            rules[name] = value
    for name, value in data["rulings"].items():
        rules[name] = value
    for value, copies in data["races"]["copies"].items():
        rules.ally_copies[:, int(value)] = copies
    for value, copies in data["monster_tokens"]["values"].items():
        rules.token_copies[int(value)] = copies
    _fill_threat(rules, data["threat"]["spaces"])
    if KRAKEN in expansions:
        _fill_kraken(rules, data)
    rules.lord_count = len(data["lords"])
    for i, (key, lord) in enumerate(data["lords"].items()):
        _fill_lord(rules.lords[i], key, lord, data["guilds"], expansions)
    rules.location_count = len(data["locations"])
    for i, (key, location) in enumerate(data["locations"].items()):
        _fill_location(rules.locations[i], key, location, expansions)
    return rulebook


def _fill_threat(rules: Any, spaces: list[list[str]]) -> None:
    rules.spaces = len(spaces)
    for i, space in enumerate(spaces):
        rules.reward_count[i] = len(space)
        for j, letters in enumerate(space):
            _fill_reward(rules.rewards[i, j], letters)


def _fill_reward(reward: Any, letters: str) -> None:
    reward.pearls = letters.count("P")
    reward.keys = letters.count("K")
    reward.monster_tokens = letters.count("M")
    reward.allies = letters.count("A")


def _fill_kraken(rules: Any, data: Data) -> None:
    nebulis = data["nebulis"]
    rules.kraken = 1
    rules.nebulis_points = nebulis["points_each"]
    rules.figure_points = nebulis["kraken_figure_points"]
    rules.max_nebulis_per_payment = nebulis["max_per_payment"]
    for value, copies in data["allies"]["kraken"].items():
        rules.kraken_copies[int(value)] = copies
    for value, gained in nebulis["kraken_ally_nebulis"].items():
        rules.kraken_nebulis[int(value)] = gained
    for value, copies in data["loot"]["copies"].items():
        rules.loot_copies[int(value)] = copies
    for value, letters in data["loot"]["rewards"].items():
        _fill_reward(rules.loot_rewards[int(value)], letters)


def _fill_lord(record: Any, key: str, lord: Data, guilds: dict[str, str], expansions: Expansions) -> None:
    race = guilds[lord["guild"]]
    record.entity = entity(f"lord:{key}")
    record.guild = Guild[lord["guild"].upper()]
    record.race = Race[race.upper()] if race else -1
    for name in ("points", "keys", "cost", "races", "amount"):
        record[name] = lord[name]
    record.timing = Timing[lord["timing"].upper()]
    record.power = Power[lord["power"].upper()]
    record.in_game = in_game(lord, expansions)


def _fill_location(record: Any, key: str, location: Data, expansions: Expansions) -> None:
    per = Per[location["per"].upper()]
    of = location["of"].upper()
    record.entity = entity(f"location:{key}")
    record.points = location["base"]
    record.each = location["each"]
    record.per = per
    record.of = -1
    if of:
        record.of = Guild[of] if per == Per.LORDS_OF_GUILD else Race[of]
    record.most = UNLIMITED if location["max"] == NO_MAXIMUM else location["max"]
    record.power = LocationPower[location["power"].upper()]
    record.sacred = location.get("sacred", False)
    record.in_game = in_game(location, expansions)
