"""Reading what a user wants changed: ``KEY=VALUE`` texts, TOML files, tables; all become dotted keys with values."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from abysssim.errors import InputError, nearest
from abysssim.rules.schema import (
    CARD_WORDS,
    CARDS,
    KEY,
    LEAVES,
    RESERVED_KEYS,
    TABLES,
    Field,
    show,
)

Leaves = dict[str, Any]  # dotted key -> value

RULESET = "ruleset"  # the key with which a file says what it is
BARE_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_ '-]*")
MAX_DEPTH = 8


def parse_set(text: str) -> tuple[str, Any]:
    """Return the dotted key and the value of a text ``KEY=VALUE``.

    The value is a TOML value; a bare word that is none is taken as a string.

    Raises
    ------
    InputError
        If there is no key, no value, or the value is neither.
    """
    key, equals, value = text.partition("=")
    key, value = key.strip(), value.strip()
    if not equals or not key:
        raise InputError(f"a change must be KEY=VALUE, such as lords.peddler.cost=9, not {show(text)}")
    if not value:
        raise InputError(f'{key} needs a value after the "=" (an empty text is written "")')
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        parsed = {}
    if list(parsed) == ["value"]:
        return key, parsed["value"]
    if BARE_WORD.fullmatch(value):
        return key, value
    raise InputError(f'{key} must have a TOML value (9, true, "squid", [2, 3]) or a word, not {show(value)}')


def read_file(path: Path) -> tuple[bool, Leaves]:
    """Return whether a TOML file is a whole ruleset (``ruleset = "whole"``), and its leaves, each checked.

    Raises
    ------
    InputError
        If the file cannot be read, is no TOML, or holds a key or a value that does not exist.
    """
    try:
        tree = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the rules file {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, or not UTF-8
        raise InputError(f"the rules file {path} is not TOML: {_first_line(error)}") from None
    kind = tree.pop(RULESET, "changes")
    if kind not in ("whole", "changes"):
        raise InputError(f"{path}: {RULESET} must be 'whole' or 'changes', not {show(kind)}")
    try:
        return kind == "whole", check_leaves(tree)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _first_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return (str(error) or type(error).__name__).splitlines()[0]


def check_leaves(tree: Mapping[Any, Any]) -> Leaves:
    """Return the leaves of nested tables (or dotted keys) with every key known and every value checked by itself.

    Raises
    ------
    InputError
        For the first key or value that is wrong.
    """
    return {key: field_of(key).check(key, value) for key, value in flatten(tree).items()}


def flatten(tree: Mapping[Any, Any]) -> Leaves:
    """Return nested tables as one table of dotted keys; lists are values.

    Raises
    ------
    InputError
        If a key is no text, is given twice, or if tables lie too deep or are empty.
    """
    if not isinstance(tree, Mapping):
        raise InputError(f"changes must be a table of keys and values, not {show(tree)}")
    result: Leaves = {}
    _flatten_into(result, tree, "", 0)
    return result


def _flatten_into(result: Leaves, tree: Mapping[Any, Any], prefix: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InputError(f"{show(prefix[:-1])}: tables of the rules are not nested as deep as this")
    for name, value in tree.items():
        if not isinstance(name, str | int):
            raise InputError(f"a key of the rules must be a text, not {show(name)}")
        try:
            key = prefix + str(name)
        except ValueError:
            raise InputError(f"a key of the rules must be a text, not {show(name)}") from None
        if isinstance(value, Mapping):
            if not value:
                raise InputError(f"{show(key)} is an empty table, which changes nothing")
            _flatten_into(result, value, key + ".", depth + 1)
        elif key in result:
            raise InputError(f"{show(key)} is given twice")
        else:
            result[key] = value


def field_of(key: str) -> Field:
    """Return the field that a dotted key names; of Lords and Locations also those that a change may add.

    Raises
    ------
    InputError
        If there is no such key; the sentence says what there is and names the nearest.
    """
    if key in LEAVES:
        return LEAVES[key]
    table, _, rest = key.partition(".")
    if table in CARDS:
        return _card_field(table, key, rest)
    if table not in TABLES:
        raise InputError(
            f"there is no rule {show(key)}; the tables are {', '.join([*TABLES, *CARDS])}{_nearest_key(key)}"
        )
    inside = [leaf for leaf in LEAVES if leaf.startswith(key + ".")]
    if inside:
        raise InputError(f"{show(key)} is a table; a change names a single rule in it, such as {inside[0]}")
    parent = _longest_table(key)
    names = sorted({leaf[len(parent) + 1 :].split(".")[0] for leaf in LEAVES if leaf.startswith(parent + ".")})
    raise InputError(f"there is no rule {show(key)}; in {parent} there are {', '.join(names)}{_nearest_key(key)}")


def _longest_table(key: str) -> str:
    """Return the longest leading part of a dotted key that is a table of the rules."""
    parts = key.split(".")
    fields: Any = TABLES
    good: list[str] = []
    for part in parts:
        if not isinstance(fields, dict) or not isinstance(fields.get(part), dict):
            break
        fields = fields[part]
        good.append(part)
    return ".".join(good)


def _card_field(table: str, key: str, rest: str) -> Field:
    """Return the field of ``lords.KEY.FIELD`` or ``locations.KEY.FIELD``."""
    card, _, name = rest.partition(".")
    word = CARD_WORDS[table]
    if not KEY.fullmatch(card) or card in RESERVED_KEYS:
        raise InputError(
            f"{show(card)} cannot be the key of a {word}: it must be lower-case letters, digits and _, "
            f"at most 40, and none of {', '.join(RESERVED_KEYS)}"
        )
    fields = CARDS[table]
    if name in fields:
        return fields[name]
    if not name:
        raise InputError(
            f"{show(key)} is a table; a change names a single rule in it, such as {key}.{next(iter(fields))}"
        )
    hint = nearest(key, [f"{table}.{card}.{field}" for field in fields])
    raise InputError(f"there is no rule {show(key)}; a {word} has {', '.join(fields)}{hint}")


def _nearest_key(key: str) -> str:
    return nearest(key, printed_leaves())


@cache
def printed_leaves() -> Leaves:
    """Return the leaves of the printed base game; not to be modified."""
    with (Path(__file__).parent / "base.toml").open("rb") as file:
        tree = tomllib.load(file)
    del tree[RULESET]
    return flatten(tree)
