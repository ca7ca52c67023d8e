"""The format of a position (docs/position.md): the keys of its tables, and the entries of its lists."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from abysssim.errors import InputError
from abysssim.rules.rulebook import Rulebook
from abysssim.texts import check_keys, check_known, list_of, number_in, parse_place

# What lies on the table, always written.
TABLE_KEYS = (
    *("threat", "court", "lord_deck", "exploration_deck", "location_deck"),
    *("monster_tokens", "exploration_discard", "council", "locations", "out_of_game"),
)
KEYS = (
    *("expansions", "rulings", "changes", "players", "turn", "seed", "game"),
    *TABLE_KEYS,
    *("ended_by", "end_trigger", "extra_turn", "history", "player"),
)
# What lies in front of a seat, and what it has done.
HELD_KEYS = ("hand", "pearls", "keys", "lords", "locations", "affiliated", "monster_tokens")
PLAYER_HISTORY = ("turns", "extra_turns")
PLAYER_KEYS = (*HELD_KEYS, *PLAYER_HISTORY)
# What only positions of the Kraken expansion have.
KRAKEN_TABLE_KEYS = ("loot_deck", "loot_lost")
KRAKEN_KEYS = (*KRAKEN_TABLE_KEYS, "kraken_holder")
KRAKEN_PLAYER_KEYS = ("nebulis", "sentinels")
# What only the randomness to come and the stalemate depend on: field of GAME by its name here.
HISTORY = {
    "turns": "turn",
    "last_recruitment": "last_recruitment",
    "reshuffles": "shuffles",
    "location_shuffles": "location_shuffles",
    "steals": "steals",
}


class LordEntry(NamedTuple):
    """A Lord in front of a seat: its key, whether it is turned, whether its Keys are spent for good."""

    lord: Any
    turned: bool = False
    spent: bool = False


class LocationEntry(NamedTuple):
    """A Location: its key, the Lords under it and the values of its Loot (None where they are not named)."""

    location: Any
    lords: list[Any] | None = None
    loot: list[Any] | None = None


class SentinelEntry(NamedTuple):
    """A Sentinel: the key of the Lord it belongs to, and where it stands (None: in front of its owner)."""

    of: str
    at: str | None = None


def lord_entry(entry: Any, where: str, kraken: bool) -> LordEntry:
    """Return what a Lord written ``"miller"`` or ``{ lord = "miller", turned = true }`` is; `kraken`: in play."""
    if not isinstance(entry, Mapping):
        return LordEntry(entry)
    check_known(entry, ("lord", "turned"), ("spent",), where, kraken)
    held = LordEntry(entry.get("lord"), entry.get("turned", False), entry.get("spent", False))
    for word, value in (("turned", held.turned), ("spent", held.spent)):
        if "lord" not in entry or not isinstance(value, bool):
            raise InputError(f"{where}: {dict(entry)!r} must have a lord, and {word} true or false")
    return held


def location_entry(entry: Any, where: str, kraken: bool) -> LocationEntry:
    """Return what a Location ``"jail"`` or ``{ location = "jail", lords = ["miller"] }`` is; `kraken`: in play."""
    if not isinstance(entry, Mapping):
        return LocationEntry(entry)
    check_known(entry, ("location", "lords"), ("loot",), where, kraken)
    if "location" not in entry:
        raise InputError(f"{where}: {dict(entry)!r} must have a location")
    lords, loot = (list_of(entry[key], f"{where}.{key}") if key in entry else None for key in ("lords", "loot"))
    return LocationEntry(entry["location"], lords, loot)


def sentinel_entry(rulebook: Rulebook, entry: Any, where: str) -> SentinelEntry:
    """Return what a Sentinel ``{ of = "watcher", at = "court slaver" }`` is, its names checked."""
    check_keys(entry, ("of", "at"), where)
    if "of" not in entry:
        raise InputError(f"{where}: {dict(entry)!r} must have 'of', the Lord that the Sentinel belongs to")
    number_in(rulebook.lord_number, entry["of"], where)
    if "at" in entry:
        parse_place(rulebook, entry["at"], where)
    return SentinelEntry(entry["of"], " ".join(entry["at"].split()) if "at" in entry else None)
