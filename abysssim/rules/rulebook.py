"""From TOML and changes to one checked Rulebook: tables for people, one record for the engine."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from abysssim.errors import InputError, nearest
from abysssim.rules.changes import Leaves, check_leaves, flatten, parse_set, printed_leaves, read_file
from abysssim.rules.checks import Data, check_together, complete
from abysssim.rules.fields import one_of, show
from abysssim.rules.record import to_record
from abysssim.rules.schema import AMOUNTS, CARDS, EXPANSION_NAMES, PLAYABLE, Expansions, words_of
from abysssim.vocabulary import Per, Power

__all__ = ["Rulebook", "load", "parse_set"]


@dataclass(frozen=True, eq=False)
class Rulebook:
    """Checked rules. Lords and Locations are numbered by their place in `lords` and `locations`.

    Attributes
    ----------
    data : the tables, as in base.toml (and, after them, in those of the expansions), with the changes in them and
        every default filled in; not to be modified
    changes : dotted key -> value of all that differs from the printed game with these expansions;
        ``load(changes, expansions)`` gives the same rules
    expansions : names of the expansions in play, in one order however they were given
    record : RULES, shape (1,), what the compiled core reads
    lords, locations : table keys, those out of the game included
    rewards : for each threat space, its rewards as printed ("KPM")
    rules_hash : 16 hexadecimal digits, equal for equal rules on every machine
    """

    data: Data
    changes: Leaves
    expansions: Expansions
    record: Any
    lords: tuple[str, ...]
    locations: tuple[str, ...]
    rewards: tuple[tuple[str, ...], ...]
    rules_hash: str

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of players that the game is for, in order."""
        return tuple(self.data["game"]["players"])

    def lord_name(self, number: int) -> str:
        """Return the printed name of a Lord."""
        return str(self.data["lords"][self.lords[number]]["name"])

    def location_name(self, number: int) -> str:
        """Return the printed name of a Location."""
        return str(self.data["locations"][self.locations[number]]["name"])

    def lord_number(self, key: str) -> int:
        """Return the number of the Lord with this table key; InputError if there is none."""
        return _number(key, self.lords, "Lord")

    def location_number(self, key: str) -> int:
        """Return the number of the Location with this table key; InputError if there is none."""
        return _number(key, self.locations, "Location")

    def check_players(self, players: int) -> int:
        """Return a number of players that the game is for; InputError for any other."""
        if players not in self.players:
            allowed = ", ".join(str(seats) for seats in self.players)
            raise InputError(f"players must be one of {allowed} (game.players), not {players}")
        return players


def _number(key: str, keys: tuple[str, ...], word: str) -> int:
    if key not in keys:
        raise InputError(f"there is no {word} {show(key)} among the {len(keys)} of these rules{nearest(key, keys)}")
    return keys.index(key)


def with_kraken(rulebook: Rulebook) -> bool:
    """Tell whether the Kraken expansion is in play."""
    return bool(rulebook.record[0].kraken)


def load(
    changes: Mapping[str, Any] | None = None,
    expansions: Sequence[str] = (),
    files: Sequence[Path] = (),
) -> Rulebook:
    """Return the printed game with the changes of files and then of `changes` applied, checked as a whole.

    Parameters
    ----------
    changes : nested tables or dotted keys ({"lords.peddler.cost": 9}); may add Lords and Locations
    expansions : names of the expansions that are played, in any order; what they add to the printed game (tables,
        rulings, Lords, Locations) can be changed with them only
    files : TOML files of changes; the first may be a whole ruleset (``ruleset = "whole"``), which stands in the
        place of the printed game with its expansions: what it leaves out of their tables is an error, and Lords and
        Locations that it does not name are out of the game

    Raises
    ------
    InputError
        For the first thing that is wrong: one sentence with the key, the value, and what is allowed.
    """
    played = check_expansions(expansions)
    leaves = dict(printed_leaves(played))
    for number, file in enumerate(files):
        whole, given = read_file(file, played)
        if whole and number > 0:
            raise InputError(f"{file}: a whole ruleset must be the first of the rules files")
        leaves = _whole(given, file, played) if whole else _changed(leaves, given)
    leaves = _changed(leaves, check_leaves(changes or {}, played))
    return _rulebook(complete(leaves, played), played)


def check_expansions(expansions: Sequence[str]) -> Expansions:
    """Return the expansions in their fixed order.

    Raises
    ------
    InputError
        If they are no list of different names of expansions that can be played.
    """
    if not isinstance(expansions, list | tuple):
        raise InputError(f"expansions must be a list of names, such as [{show(PLAYABLE[0])}], not {show(expansions)}")
    for number, name in enumerate(expansions):
        if name not in PLAYABLE:
            hint = nearest(name, PLAYABLE) if isinstance(name, str) else ""
            can = "cannot be played yet" if name in EXPANSION_NAMES else "does not exist"
            raise InputError(f"the expansion {show(name)} {can}; there is {one_of(PLAYABLE)}{hint}")
        if name in expansions[:number]:
            raise InputError(f"the expansion {show(name)} is given twice")
    return tuple(name for name in PLAYABLE if name in expansions)


def _changed(leaves: Leaves, given: Leaves) -> Leaves:
    """Return leaves with changes. Another power drops the old one's timing and amount, another `per` the old `of`."""
    leaves = dict(leaves)
    for key, value in given.items():
        if leaves.get(key) != value:
            for name in _dependants(key):
                leaves.pop(name, None)
    return leaves | given


def _dependants(key: str) -> tuple[str, ...]:
    table, _, rest = key.partition(".")
    stem, _, name = rest.partition(".")
    if table == "lords" and name == "power":
        return f"lords.{stem}.timing", f"lords.{stem}.amount"
    if table == "locations" and name == "per":
        return (f"locations.{stem}.of",)
    return ()


def _whole(given: Leaves, file: Path, expansions: Expansions) -> Leaves:
    """Return the leaves of a whole ruleset, with the printed cards that it leaves out, out of the game."""
    try:
        complete(given, expansions)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    leaves = dict(given)
    named = {tuple(key.split(".")[:2]) for key in given}
    for key, value in printed_leaves(expansions).items():
        table, card = key.split(".")[:2]
        if table in CARDS and (table, card) not in named:
            leaves[key] = value
            leaves[f"{table}.{card}.copies"] = 0
    return leaves


@cache
def _printed(expansions: Expansions) -> Leaves:
    """Return the leaves of the printed game with every default filled in."""
    return flatten(complete(check_leaves(printed_leaves(expansions), expansions), expansions))


def printed_value(key: str, expansions: Expansions = ()) -> Any:
    """Return what the printed game with these expansions has at a dotted key, None if it has nothing there."""
    return _printed(expansions).get(key)


def _differences(data: Data, expansions: Expansions) -> Leaves:
    """Return what differs from the printed game, so that `load` builds the same rules from it."""
    printed = _printed(expansions)
    changes: Leaves = {}
    for key, value in flatten(data).items():
        if key not in printed or printed[key] != value or _goes_along(key, data, printed):
            changes[key] = value
    return changes


def _goes_along(key: str, data: Data, printed: Leaves) -> bool:
    """Tell whether a value must be named although it equals the printed one: what it belongs to has changed."""
    table, _, rest = key.partition(".")
    stem, _, name = rest.partition(".")
    if table == "lords" and name == "amount":
        power = data["lords"][stem]["power"]
        low, high = AMOUNTS[Power[power.upper()]]
        return low != high and printed.get(f"lords.{stem}.power") != power
    if table == "locations" and name == "of":
        per = data["locations"][stem]["per"]
        return bool(words_of(Per[per.upper()])) and printed.get(f"locations.{stem}.per") != per
    return False


def _hash(data: Data, expansions: Expansions) -> str:
    text = json.dumps({"data": data, "expansions": expansions}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rulebook(data: Data, expansions: Expansions) -> Rulebook:
    check_together(data, expansions)
    return Rulebook(
        data=data,
        changes=_differences(data, expansions),
        expansions=expansions,
        record=to_record(data, expansions),
        lords=tuple(data["lords"]),
        locations=tuple(data["locations"]),
        rewards=tuple(tuple(space) for space in data["threat"]["spaces"]),
        rules_hash=_hash(data, expansions),
    )
