"""Reading what a user wants changed: ``KEY=VALUE`` texts, TOML files, tables; all become dotted keys with values."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from abysssim.errors import InputError, nearest
from abysssim.rules.fields import Field, belongs, show
from abysssim.rules.schema import CARD_WORDS, CARDS, KEY, PLAYABLE, RESERVED_KEYS, Expansions, schema_of

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


def read_file(path: Path, expansions: Expansions = ()) -> tuple[bool, Leaves]:
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
        return kind == "whole", check_leaves(tree, expansions)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _first_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return (str(error) or type(error).__name__).splitlines()[0]


def check_leaves(tree: Mapping[Any, Any], expansions: Expansions = ()) -> Leaves:
    """Return the leaves of nested tables (or dotted keys) with every key known and every value checked by itself.

    Raises
    ------
    InputError
        For the first key or value that is wrong.
    """
    return {key: field_of(key, expansions).check(key, value) for key, value in flatten(tree).items()}


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


def field_of(key: str, expansions: Expansions = ()) -> Field:
    """Return the field that a dotted key names; of Lords and Locations also those that a change may add.

    Raises
    ------
    InputError
        If there is no such key; the sentence says what there is and names the nearest, or the expansion that has it.
    """
    schema = schema_of(expansions)
    if key in schema.leaves:
        return schema.leaves[key]
    for expansion in PLAYABLE:
        if expansion not in expansions and _is_of(key, expansion, expansions):
            raise InputError(f"{key} {belongs(expansion)}")
    table, _, rest = key.partition(".")
    if table in CARDS:
        return _card_field(table, key, rest, schema.cards[table])
    near = nearest(key, printed_leaves(expansions))
    if table not in schema.tables:
        raise InputError(f"there is no rule {show(key)}; the tables are {', '.join([*schema.tables, *CARDS])}{near}")
    inside = [leaf for leaf in schema.leaves if leaf.startswith(key + ".")]
    if inside:
        raise InputError(f"{show(key)} is a table; a change names a single rule in it, such as {inside[0]}")
    parent = _longest_table(key, schema.tables)
    names = sorted({leaf[len(parent) + 1 :].split(".")[0] for leaf in schema.leaves if leaf.startswith(parent + ".")})
    raise InputError(f"there is no rule {show(key)}; in {parent} there are {', '.join(names)}{near}")


def _is_of(key: str, expansion: str, expansions: Expansions) -> bool:
    """Tell whether a dotted key names what an expansion that is not played adds to those that are."""
    here, wider = schema_of(expansions), schema_of((*expansions, expansion))
    table, _, rest = key.partition(".")
    card, _, name = rest.partition(".")
    if table not in CARDS:
        return key in wider.leaves or (table in wider.tables and table not in here.tables)
    is_its_field = name in wider.cards[table] and name not in here.cards[table]
    return is_its_field or card in printed_cards(table, (expansion,))[len(printed_cards(table)) :]


def _longest_table(key: str, tables: dict[str, Any]) -> str:
    """Return the longest leading part of a dotted key that is a table of the rules."""
    parts = key.split(".")
    fields: Any = tables
    good: list[str] = []
    for part in parts:
        if not isinstance(fields, dict) or not isinstance(fields.get(part), dict):
            break
        fields = fields[part]
        good.append(part)
    return ".".join(good)


def _card_field(table: str, key: str, rest: str, fields: dict[str, Field]) -> Field:
    """Return the field of ``lords.KEY.FIELD`` or ``locations.KEY.FIELD``."""
    card, _, name = rest.partition(".")
    word = CARD_WORDS[table]
    if not KEY.fullmatch(card) or card in RESERVED_KEYS:
        raise InputError(
            f"{show(card)} cannot be the key of a {word}: it must be lower-case letters, digits and _, "
            f"at most 40, and none of {', '.join(RESERVED_KEYS)}"
        )
    if name in fields:
        return fields[name]
    if not name:
        raise InputError(
            f"{show(key)} is a table; a change names a single rule in it, such as {key}.{next(iter(fields))}"
        )
    hint = nearest(key, [f"{table}.{card}.{field}" for field in fields])
    raise InputError(f"there is no rule {show(key)}; a {word} has {', '.join(fields)}{hint}")


@cache
def printed_leaves(expansions: Expansions = ()) -> Leaves:
    """Return the leaves of the printed game with these expansions, the base game's first; not to be modified."""
    leaves: Leaves = {}
    for name in ("base", *expansions):
        with (Path(__file__).parent / f"{name}.toml").open("rb") as file:
            tree = tomllib.load(file)
        tree.pop(RULESET, None)
        leaves |= flatten(tree)
    return leaves


@cache
def printed_cards(table: str, expansions: Expansions = ()) -> tuple[str, ...]:
    """Return the keys of the printed Lords or Locations in their order, the base game's first."""
    keys = (key.split(".") for key in printed_leaves(expansions))
    return tuple(dict.fromkeys(parts[1] for parts in keys if parts[0] == table))
