"""The kinds of values that a key of the rules may hold: each says what it allows and checks a value."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abysssim.core.layout import MAX_REWARDS, MAX_SEATS, MAX_SPACES
from abysssim.errors import InputError, nearest
from abysssim.vocabulary import Race

NO_MAXIMUM = "none"
MAX_SHOWN = 60


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


def belongs(expansion: str) -> str:
    """Return what a sentence says of a thing that is there only with an expansion."""
    return f"belongs to the {expansion.title()} expansion (--expansion {expansion})"


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
    """One word of a closed list; `elsewhere` says to which expansion a word belongs that is not in it."""

    words: tuple[str, ...]
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return one_of(self.words)

    def check(self, key: str, value: Any) -> Any:
        """Return the word, or raise InputError with the nearest right one."""
        if isinstance(value, str) and value in self.elsewhere:
            raise refuse(key, value, self.allowed, f": that {belongs(self.elsewhere[value])}")
        if not isinstance(value, str) or value not in self.words:
            hint = nearest(value, self.words) if isinstance(value, str) else ""
            raise refuse(key, value, self.allowed, hint)
        return value


@dataclass(frozen=True)
class Letters:
    """A text made of some letters, in any order, which may be empty."""

    letters: str
    most: int
    meaning: str

    @property
    def allowed(self) -> str:
        """What the field holds, in words."""
        return f"a text of 0 to {self.most} letters {self.meaning}"

    def check(self, key: str, value: Any) -> Any:
        """Return the text, or raise InputError."""
        if not isinstance(value, str) or len(value) > self.most or not set(value) <= set(self.letters):
            raise refuse(key, value, self.allowed)
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


Field = Number | Flag | Word | Letters | Text | Maximum | Words | Races | Seats | Spaces
