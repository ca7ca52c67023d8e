"""What each key of the rules may hold: one field for each key, and the limits that the compiled core sets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from abysssim.core.layout import (
    MAX_CARDS,
    MAX_COURT,
    MAX_LOCATIONS,
    MAX_PLAYER_LORDS,
    MAX_REWARDS,
    MAX_SEATS,
    MAX_SPACES,
    MAX_TOKENS,
    MAX_TRACK,
    MAX_VALUE,
    RACES,
    TOKEN_VALUES,
)
from abysssim.errors import InputError, nearest
from abysssim.vocabulary import FIRST_ARROW, FIRST_TURN_POWER, Guild, LocationPower, Per, Power, Race, Ruling, Timing

EXPANSION_NAMES = ("kraken", "leviathan")  # what `not_with` may name
NO_MAXIMUM = "none"
MAX_SHOWN = 60
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Words that stand beside Lords and Locations in options and records.
RESERVED_KEYS = ("token", "action", "control", "last_space", "refill", "hand_limit")


def names_of(words: Iterable[Any]) -> tuple[str, ...]:
    """Return the lower-case names of an enumeration's members, as the data files write them."""
    return tuple(word.name.lower() for word in words)


def show(value: Any) -> str:
    """Return a value as a short text for a sentence, as TOML writes it where that is simple."""
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # numbers of thousands of digits, lists nested without end
        return f"a {type(value).__name__} too large to show"
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 4] + " ..."


def one_of(words: Iterable[str]) -> str:
    """Return words as a list for a sentence: ``'a', 'b' or 'c'``."""
    quoted = [f"'{word}'" for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]


def is_whole_number(value: Any) -> bool:
    """Tell whether a value is a whole number; true and false are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def refuse(key: str, value: Any, allowed: str, hint: str = "") -> InputError:
    """Return the error for a value that a key cannot hold."""
    return InputError(f"{key} must be {allowed}, not {show(value)}{hint}")


@dataclass(frozen=True)
class Number:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return f"a whole number from {self.low} to {self.high}"

    def check(self, key: str, value: Any) -> Any:
        """Return the number as an int, or raise InputError."""
        if not is_whole_number(value) or not self.low <= value <= self.high:
            raise refuse(key, value, self.allowed)
        return int(value)


@dataclass(frozen=True)
class Flag:
    """True or false."""

    allowed: str = "true or false"

    def check(self, key: str, value: Any) -> Any:
        """Return the bool, or raise InputError."""
        if not isinstance(value, bool):
            raise refuse(key, value, self.allowed)
        return value


@dataclass(frozen=True)
class Word:
    """One word of a closed list."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return one_of(self.words)

    def check(self, key: str, value: Any) -> Any:
        """Return the word, or raise InputError with the nearest right one."""
        if not isinstance(value, str) or value not in self.words:
            hint = nearest(value, self.words) if isinstance(value, str) else ""
            raise refuse(key, value, self.allowed, hint)
        return value


@dataclass(frozen=True)
class Text:
    """A name for people."""

    allowed: str = "a text of 1 to 80 printable characters"

    def check(self, key: str, value: Any) -> Any:
        """Return the text, or raise InputError."""
        if not isinstance(value, str) or not 1 <= len(value.strip()) <= len(value) <= 80 or not value.isprintable():
            raise refuse(key, value, self.allowed)
        return value


@dataclass(frozen=True)
class Maximum:
    """The most a Location can be worth, or that nothing of the kind is printed on it."""

    allowed: str = f"a whole number from 0 to 1000, or '{NO_MAXIMUM}'"

    def check(self, key: str, value: Any) -> Any:
        """Return the number or the word, or raise InputError."""
        if value == NO_MAXIMUM and isinstance(value, str):
            return value
        if not is_whole_number(value) or not 0 <= value <= 1000:
            raise refuse(key, value, self.allowed)
        return int(value)


@dataclass(frozen=True)
class Words:
    """A list of words of a closed list, each at most once."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return f"a list of {one_of(self.words)}"

    def check(self, key: str, value: Any) -> Any:
        """Return the sorted list, or raise InputError."""
        if not isinstance(value, list | tuple):
            raise refuse(key, value, self.allowed)
        for word in value:
            if not isinstance(word, str) or word not in self.words:
                raise refuse(key, value, self.allowed, nearest(word, self.words) if isinstance(word, str) else "")
        return sorted(set(value))


@dataclass(frozen=True)
class Races:
    """The Races in their fixed order: named for the reader, not to be changed."""

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return f"the five Races in their fixed order, {', '.join(names_of(Race))}"

    def check(self, key: str, value: Any) -> Any:
        """Return the list, or raise InputError."""
        if not isinstance(value, list | tuple) or list(value) != list(names_of(Race)):
            raise refuse(key, value, self.allowed)
        return list(value)


@dataclass(frozen=True)
class Seats:
    """The numbers of players that the game is for."""

    allowed: str = f"a list of different numbers of players from 2 to {MAX_SEATS}"

    def check(self, key: str, value: Any) -> Any:
        """Return the sorted list, or raise InputError."""
        if not isinstance(value, list | tuple) or not value:
            raise refuse(key, value, self.allowed)
        if not all(is_whole_number(seats) and 2 <= seats <= MAX_SEATS for seats in value):
            raise refuse(key, value, self.allowed)
        if len(set(value)) < len(value):
            raise refuse(key, value, self.allowed)
        return sorted(int(seats) for seats in value)


@dataclass(frozen=True)
class Spaces:
    """The threat track: for each space the rewards to choose from, written in K, P and M."""

    allowed: str = (
        f"a list of 1 to {MAX_SPACES} spaces, each a list of 1 to {MAX_REWARDS} different rewards "
        "of 1 to 9 letters P (Pearl), M (Monster token) and K (Key token)"
    )

    def check(self, key: str, value: Any) -> Any:
        """Return the list of lists, or raise InputError that names the space at fault."""
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_SPACES:
            raise refuse(key, value, self.allowed)
        for number, space in enumerate(value, start=1):
            if not _is_space(space):
                raise refuse(key, value, self.allowed, f" (space {number} is {show(space)})")
        return [list(space) for space in value]


def _is_space(space: Any) -> bool:
    if not isinstance(space, list | tuple) or not 1 <= len(space) <= MAX_REWARDS:
        return False
    if not all(isinstance(reward, str) and re.fullmatch("[KPM]{1,9}", reward) for reward in space):
        return False
    return len({"".join(sorted(reward)) for reward in space}) == len(space)


Field = Number | Flag | Word | Text | Maximum | Words | Races | Seats | Spaces
Fields = dict[str, Any]  # of fields, or of further tables

TABLES: Fields = {
    "game": {
        "title": Text(),
        "players": Seats(),
        "start_pearls": Number(0, 50),
        "lords_to_end": Number(1, MAX_PLAYER_LORDS),
        "court_slots": Number(1, MAX_COURT),
        "explore_slots": Number(1, MAX_TRACK),
        "last_slot_pearls": Number(0, 20),
        "refill_when_lords_left": Number(0, MAX_COURT),
        "refill_pearls": Number(0, 20),
        "keys_per_location": Number(1, 9),
        "max_location_draw": Number(1, MAX_LOCATIONS),
        "purchase_price_first": Number(0, 20),
        "purchase_price_step": Number(0, 20),
        "purchases_per_opponent": Number(0, MAX_TRACK),
        "plot_cost": Number(0, 20),
        "key_tokens": Number(0, 100),
        "monster_cards": Number(0, MAX_CARDS),
        "hand_limit": Number(0, MAX_CARDS),
        "stalemate_rounds": Number(1, 200),
    },
    "rulings": {name: Flag() for name in names_of(Ruling)},
    "guilds": {name: Word((*names_of(Race), "")) for name in names_of(Guild)},
    "races": {
        "names": Races(),
        "copies": {str(value): Number(0, MAX_CARDS // RACES) for value in range(1, MAX_VALUE + 1)},
    },
    "monster_tokens": {"values": {str(value): Number(0, MAX_TOKENS) for value in range(TOKEN_VALUES)}},
    "threat": {"spaces": Spaces()},
}

# Fields of one Lord and of one Location; `copies = 0` takes it out of the game.
LORD_FIELDS: dict[str, Field] = {
    "name": Text(),
    "guild": Word(names_of(Guild)),
    "points": Number(-50, 100),
    "keys": Number(0, 9),
    "cost": Number(0, 40),
    "races": Number(1, RACES),
    "timing": Word(names_of(Timing)),
    "power": Word(names_of(Power)),
    "amount": Number(0, MAX_CARDS),
    "copies": Number(0, 1),
    "not_with": Words(EXPANSION_NAMES),
}
LOCATION_FIELDS: dict[str, Field] = {
    "name": Text(),
    "base": Number(-50, 100),
    "each": Number(-20, 20),
    "per": Word(names_of(Per)),
    "of": Word((*names_of(Guild), *names_of(Race), "")),
    "max": Maximum(),
    "power": Word(names_of(LocationPower)),
    "copies": Number(0, 1),
    "not_with": Words(EXPANSION_NAMES),
}
CARDS = {"lords": LORD_FIELDS, "locations": LOCATION_FIELDS}
CARD_WORDS = {"lords": "Lord", "locations": "Location"}
# What a new card must say of itself; enough of it that a misspelt key is never taken for a new card.
NEEDED = {"lords": ("guild", "points", "cost", "races"), "locations": ("name", "base")}

# The amounts that each power can take; where both ends are equal the amount means nothing.
AMOUNTS: dict[Power, tuple[int, int]] = {
    Power.NONE: (0, 0),
    Power.RAISE_OPPONENT_COSTS: (0, 10),
    Power.OPPONENTS_HAND_LIMIT: (0, MAX_CARDS),
    Power.OPPONENTS_THREAT_BACK: (0, MAX_SPACES - 1),
    Power.PEARL_PER_RACE_SENT_TO_COUNCIL: (0, 20),
    Power.PEARLS_AT_TURN_START: (0, 20),
    Power.IMMUNE_TO_SOLDIERS: (0, 0),
    Power.EXTRA_COUNCIL_STACK: (0, RACES - 1),
    Power.AFFILIATE_ANY: (0, 0),
    Power.ANY_RACES: (0, 0),
    Power.LOWER_OWN_COSTS: (0, 40),
    Power.OPPONENTS_DISCARD_ALLY: (0, 20),
    Power.OPPONENTS_LOSE_PEARLS: (0, 50),
    Power.DISABLE_LORD_OF_EACH_OPPONENT: (0, 10),
    Power.STEAL_MONSTER_TOKEN: (0, 10),
    Power.GAIN_PEARLS: (0, 50),
    Power.EXTRA_TURN: (0, 5),
    Power.TAKE_COUNCIL_STACK: (1, RACES),
    Power.EXCHANGE_LOCATION: (1, 1),
    Power.RECRUIT_FOR_PEARLS: (0, 50),
    Power.SWAP_LORD_WITH_COURT: (1, 1),
    Power.SWAP_LORD_WITH_DECK: (1, 1),
    Power.DRAW_LOCATIONS: (1, MAX_LOCATIONS),
    Power.DISCARD_ALLY_FOR_PEARLS: (0, 20),
    Power.DISCARD_COUNCIL_STACK: (1, 1),
    Power.REPLACE_COURT_LORD: (1, 1),
}


def timing_of(power: Power) -> Timing:
    """Return the one timing that fits a power: lasting, on arrival, or once in each own turn."""
    if power == Power.NONE:
        return Timing.NONE
    if power < FIRST_ARROW:
        return Timing.LASTING
    return Timing.ONCE if power < FIRST_TURN_POWER else Timing.TURN


def words_of(per: Per) -> tuple[str, ...]:
    """Return what `of` may name for what a Location counts; nothing for most."""
    if per == Per.LORDS_OF_GUILD:
        return names_of(Guild)
    return names_of(Race) if per == Per.AFFILIATED_OF_RACE else ()


def leaves(fields: Fields, prefix: str) -> Iterator[tuple[str, Field]]:
    """Yield the dotted key and the field of every leaf of a table."""
    for name, field in fields.items():
        if isinstance(field, dict):
            yield from leaves(field, f"{prefix}{name}.")
        else:
            yield prefix + name, field


LEAVES: dict[str, Field] = dict(leaves(TABLES, ""))
