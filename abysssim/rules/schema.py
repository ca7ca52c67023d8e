"""What each key of the rules may hold: one field for each key, and the limits that the compiled core sets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

from abysssim.core.layout import (
    LOOT_VALUES,
    MAX_CARDS,
    MAX_COURT,
    MAX_LOCATIONS,
    MAX_LOOT,
    MAX_PLAYER_LORDS,
    MAX_SPACES,
    MAX_TOKENS,
    MAX_TRACK,
    MAX_VALUE,
    RACES,
    TOKEN_VALUES,
)
from abysssim.rules.fields import (
    Field,
    Flag,
    Letters,
    Maximum,
    Number,
    Races,
    Seats,
    Spaces,
    Text,
    Word,
    Words,
    names_of,
)
from abysssim.vocabulary import FIRST_ARROW, FIRST_TURN_POWER, Guild, LocationPower, Per, Power, Race, Ruling, Timing

EXPANSION_NAMES = ("kraken", "leviathan")  # what `not_with` may name
KRAKEN = "kraken"
PLAYABLE = (KRAKEN,)  # of them, those with a data file of their own
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Words that stand beside Lords and Locations in options and records.
RESERVED_KEYS = (
    *("token", "action", "control", "last_space", "refill", "hand_limit"),
    *("krakens", "krakens_in_hand"),
)

# What of the vocabulary is there only with an expansion. Its powers are among it even where they name nothing of the
# expansion: the core resolves them only where it is played.
OF_EXPANSION: dict[str, dict[type[IntEnum], tuple[IntEnum, ...]]] = {
    KRAKEN: {
        Guild: (Guild.SMUGGLER,),
        Ruling: tuple(ruling for ruling in Ruling if ruling >= Ruling.FIGURE_RECHECK),
        Per: (Per.NEBULIS, Per.LOOT),
        Power: (
            Power.NEBULIS_PER_PAYMENT,
            Power.NEBULIS_BEFORE_PEARLS,
            Power.NO_NEBULIS_FOR_KRAKENS_IN_HAND,
            Power.SENTINEL,
            Power.PEARL_WHEN_OPPONENT_RECRUITS,
            Power.PURCHASES_PER_TURN,
            Power.TAX_GAINS_OF_PEARLS,
            Power.OPPONENTS_DISCARD_AFFILIATED,
            Power.GIVE_NEBULIS_TO_EACH_OPPONENT,
            Power.TAKE_ALLY_FROM_DISCARD,
            Power.FREE_LORD,
            Power.NEBULIS_TO_PEARL,
            Power.ADD_COURT_LORD,
        ),
    }
}

Expansions = tuple[str, ...]  # in the order of EXPANSION_NAMES
Fields = dict[str, Any]  # of fields, or of further tables


def absent(words: type[IntEnum], expansions: Expansions) -> dict[str, str]:
    """Return the words of an enumeration that are not there with these expansions, and what they belong to."""
    return {
        word.name.lower(): expansion
        for expansion in PLAYABLE
        if expansion not in expansions
        for word in OF_EXPANSION[expansion].get(words, ())
    }


def present(words: type[IntEnum], expansions: Expansions) -> tuple[str, ...]:
    """Return the words of an enumeration that are there with these expansions."""
    missing = absent(words, expansions)
    return tuple(name for name in names_of(words) if name not in missing)


def _word(words: type[IntEnum], expansions: Expansions) -> Word:
    return Word(present(words, expansions), absent(words, expansions))


def _base_tables(expansions: Expansions) -> Fields:
    return {
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
        "rulings": {name: Flag() for name in present(Ruling, expansions)},
        "guilds": {name: Word((*names_of(Race), "")) for name in present(Guild, expansions)},
        "races": {"names": Races(), "copies": _by_value(1, MAX_VALUE, Number(0, MAX_CARDS // RACES))},
        "monster_tokens": {"values": _by_value(0, TOKEN_VALUES - 1, Number(0, MAX_TOKENS))},
        "threat": {"spaces": Spaces()},
    }


def _kraken_tables() -> Fields:
    letters = Letters("PKMA", 9, "P (Pearl), K (Key token), M (Monster token) and A (top Ally of the Exploration deck)")
    return {
        "allies": {"kraken": _by_value(1, MAX_VALUE, Number(0, MAX_CARDS))},
        "nebulis": {
            "points_each": Number(-20, 20),
            "kraken_figure_points": Number(-20, 20),
            "max_per_payment": Number(0, 9),
            "kraken_ally_nebulis": _by_value(1, MAX_VALUE, Number(0, 9)),
        },
        "loot": {
            "copies": _by_value(0, LOOT_VALUES - 1, Number(0, MAX_LOOT)),
            "rewards": _by_value(0, LOOT_VALUES - 1, letters),
        },
        "sentinels": {"count": Number(0, 9)},
    }


def _by_value(low: int, high: int, field: Field) -> Fields:
    return {str(value): field for value in range(low, high + 1)}


# In these tables a value need not be named: there are no copies of it.
COPIES_BY_VALUE = ("monster_tokens.values", "allies.kraken", "loot.copies")
# In these neither, as long as there are no copies of it in the other table.
NEEDED_WITH_COPIES = {"nebulis.kraken_ally_nebulis": "allies.kraken", "loot.rewards": "loot.copies"}


def _lord_fields(expansions: Expansions) -> dict[str, Field]:
    """Return the fields of one Lord; `copies = 0` takes it out of the game."""
    return {
        "name": Text(),
        "guild": _word(Guild, expansions),
        "points": Number(-50, 100),
        "keys": Number(0, 9),
        "cost": Number(0, 40),
        "races": Number(1, RACES),
        "timing": _word(Timing, expansions),
        "power": _word(Power, expansions),
        "amount": Number(0, MAX_CARDS),
        "copies": Number(0, 1),
        "not_with": Words(EXPANSION_NAMES),
    }


def _location_fields(expansions: Expansions) -> dict[str, Field]:
    """Return the fields of one Location; `copies = 0` takes it out of the game."""
    fields: dict[str, Field] = {
        "name": Text(),
        "base": Number(-50, 100),
        "each": Number(-20, 20),
        "per": _word(Per, expansions),
        "of": Word((*present(Guild, expansions), *names_of(Race), ""), absent(Guild, expansions)),
        "max": Maximum(),
        "power": _word(LocationPower, expansions),
        "copies": Number(0, 1),
        "not_with": Words(EXPANSION_NAMES),
    }
    return fields | ({"sacred": Flag()} if KRAKEN in expansions else {})


@dataclass(frozen=True)
class Schema:
    """All fields of the rules with some expansions.

    Attributes
    ----------
    tables : the fields of everything but Lords and Locations, nested
    leaves : the same by dotted key
    cards : for `lords` and `locations`, the fields of one card
    """

    tables: Fields
    leaves: dict[str, Field]
    cards: dict[str, dict[str, Field]]


@cache
def schema_of(expansions: Expansions) -> Schema:
    """Return the fields of the rules with these expansions; not to be modified."""
    tables = _base_tables(expansions) | (_kraken_tables() if KRAKEN in expansions else {})
    cards = {"lords": _lord_fields(expansions), "locations": _location_fields(expansions)}
    return Schema(tables, dict(leaves(tables, "")), cards)


CARD_WORDS = {"lords": "Lord", "locations": "Location"}
CARDS = tuple(CARD_WORDS)
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
    Power.NEBULIS_PER_PAYMENT: (1, 9),
    Power.NEBULIS_BEFORE_PEARLS: (1, 1),
    Power.NO_NEBULIS_FOR_KRAKENS_IN_HAND: (0, 0),
    Power.SENTINEL: (0, 9),
    Power.PEARL_WHEN_OPPONENT_RECRUITS: (0, 20),
    Power.PURCHASES_PER_TURN: (1, 9),
    Power.TAX_GAINS_OF_PEARLS: (0, 9),
    Power.OPPONENTS_DISCARD_ALLY: (0, 20),
    Power.OPPONENTS_LOSE_PEARLS: (0, 50),
    Power.DISABLE_LORD_OF_EACH_OPPONENT: (0, 10),
    Power.STEAL_MONSTER_TOKEN: (0, 10),
    Power.OPPONENTS_DISCARD_AFFILIATED: (0, 9),
    Power.GIVE_NEBULIS_TO_EACH_OPPONENT: (1, 1),
    Power.GAIN_PEARLS: (0, 50),
    Power.EXTRA_TURN: (0, 5),
    Power.TAKE_COUNCIL_STACK: (1, RACES),
    Power.EXCHANGE_LOCATION: (1, 1),
    Power.RECRUIT_FOR_PEARLS: (0, 50),
    Power.SWAP_LORD_WITH_COURT: (1, 1),
    Power.SWAP_LORD_WITH_DECK: (1, 1),
    Power.DRAW_LOCATIONS: (1, MAX_LOCATIONS),
    Power.TAKE_ALLY_FROM_DISCARD: (1, 9),
    Power.FREE_LORD: (1, 1),
    Power.DISCARD_ALLY_FOR_PEARLS: (0, 20),
    Power.DISCARD_COUNCIL_STACK: (1, 1),
    Power.REPLACE_COURT_LORD: (1, 1),
    Power.NEBULIS_TO_PEARL: (1, 9),
    Power.ADD_COURT_LORD: (1, 1),
}


def timing_of(power: Power) -> Timing:
    """Return the one timing that fits a power: lasting, on arrival, or once in each own turn."""
    if power == Power.NONE:
        return Timing.NONE
    if power < FIRST_ARROW:
        return Timing.LASTING
    return Timing.ONCE if power < FIRST_TURN_POWER else Timing.TURN


def words_of(per: Per, expansions: Expansions = ()) -> tuple[str, ...]:
    """Return what `of` may name for what a Location counts; nothing for most."""
    if per == Per.LORDS_OF_GUILD:
        return present(Guild, expansions)
    return names_of(Race) if per == Per.AFFILIATED_OF_RACE else ()


def leaves(fields: Fields, prefix: str) -> Iterator[tuple[str, Field]]:
    """Yield the dotted key and the field of every leaf of a table."""
    for name, field in fields.items():
        if isinstance(field, dict):
            yield from leaves(field, f"{prefix}{name}.")
        else:
            yield prefix + name, field
