"""Game records, written as positions (docs/position.md): what a record holds, as tables and as TOML text."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abysssim.core.layout import AREAS, KRAKEN, LOOT_VALUES
from abysssim.errors import InputError
from abysssim.position_format import HISTORY, KRAKEN_TABLE_KEYS, PLAYER_HISTORY, TABLE_KEYS
from abysssim.rules.rulebook import Rulebook, with_kraken
from abysssim.stepping import seed_of
from abysssim.texts import MONSTER_WORD, RACE_WORDS, allies_texts, card_text, place_text
from abysssim.vocabulary import EndTrigger

LINE = 100  # characters of TOML before a list is broken


def contents(rulebook: Rulebook, game: Any) -> dict[str, Any]:
    """Return all that a GAME record holds, hidden things included, as ``{"game": {...}, "players": [...]}``.

    The keys are those of the position format and of ``[expect.game]``; decks are listed top first.
    """
    lords, locations = rulebook.lords, rulebook.locations
    table = {
        "turn": int(game.seat),
        "threat": int(game.threat) + 1,
        "court": [lords[i] for i in game.court[: int(game.court_count)][::-1]],
        "lord_deck": [lords[i] for i in game.lord_deck[: int(game.lord_deck_count)][::-1]],
        "exploration_deck": [card_text(i) for i in game.deck[: int(game.deck_count)][::-1]],
        "location_deck": [locations[i] for i in game.location_deck[: int(game.location_deck_count)][::-1]],
        "monster_tokens": [int(i) for i in game.tokens[: int(game.token_count)][::-1]],
        "exploration_discard": allies_texts(game.discard) + [MONSTER_WORD] * int(game.discard_monsters),
        "council": _council_table(game),
        "locations": [_face_up_table(rulebook, game, int(i)) for i in game.open_locations[: int(game.open_count)]],
        "finished": bool(game.finished),
        "end_trigger": EndTrigger(int(game.end_trigger)).name.lower(),
        "ended_by": int(game.ended_by) if game.end_trigger else None,
    }
    players = [_player_table(rulebook, game, game.players[seat]) for seat in range(int(game.seats))]
    if with_kraken(rulebook):
        table |= _loot_table(game) | {"kraken_holder": int(game.kraken_holder)}
        for seat, player in enumerate(players):
            player |= {"nebulis": int(game.players[seat].nebulis), "sentinels": _sentinels_table(rulebook, game, seat)}
    table["out_of_game"] = _out_of_game(rulebook, game, table, players)
    return {"game": table, "players": players}


def _council_table(game: Any) -> dict[str, list[str]]:
    stacks = {}
    for race, word in enumerate(RACE_WORDS):
        counts = np.zeros_like(game.discard)
        counts[race], counts[KRAKEN] = game.council[race], game.council_krakens[race]
        stacks[word] = allies_texts(counts)
    return stacks


def _loot_table(game: Any) -> dict[str, list[int]]:
    return {
        "loot_deck": [int(value) for value in game.loot_deck[: int(game.loot_deck_count)][::-1]],
        "loot_lost": _values(game.loot_lost),
    }


def _values(counts: Any) -> list[int]:
    """Return what is counted by value as a list, low values first."""
    return [value for value, count in enumerate(counts) for _ in range(int(count))]


def _loot_of(game: Any, location: int) -> dict[str, list[int]]:
    """Return the Loot on a Location, nothing at all where there is none."""
    values = [value for value in range(LOOT_VALUES) if game.loot[location] >> value & 1]
    return {"loot": values} if values else {}


def _face_up_table(rulebook: Rulebook, game: Any, location: int) -> str | dict[str, Any]:
    loot = _loot_of(game, location)
    return {"location": rulebook.locations[location]} | loot if loot else rulebook.locations[location]


def location_key(entry: str | Mapping[str, Any]) -> str:
    """Return the key of a Location as `contents` has it."""
    return entry if isinstance(entry, str) else str(entry["location"])


def _sentinels_table(rulebook: Rulebook, game: Any, seat: int) -> list[dict[str, str]]:
    """Return a seat's Sentinels, those that stand somewhere first."""
    placed = [
        {
            "of": rulebook.lords[game.sentinel_of[area]],
            "at": place_text(rulebook, area, int(game.reserved_item[area])),
        }
        for area in range(AREAS)
        if game.reserved_for[area] == 1 + seat
    ]
    waiting = int(game.players[seat].sentinels | game.players[seat].sentinels_back)
    return placed + [{"of": key} for lord, key in enumerate(rulebook.lords) if waiting >> lord & 1]


def _lord_table(rulebook: Rulebook, held: Any) -> str | dict[str, Any]:
    marks = {word: True for word in ("turned", "spent") if held[word]}
    return {"lord": rulebook.lords[held.lord]} | marks if marks else rulebook.lords[held.lord]


def _player_table(rulebook: Rulebook, game: Any, player: Any) -> dict[str, Any]:
    held = [player.lords[i] for i in range(int(player.lord_count))]
    return {
        "hand": allies_texts(player.hand),
        "pearls": int(player.pearls),
        "keys": int(player.key_tokens),
        "lords": [_lord_table(rulebook, lord) for lord in held if lord.location < 0],
        "locations": [
            {
                "location": rulebook.locations[location],
                "lords": [rulebook.lords[lord.lord] for lord in held if lord.location == location],
            }
            | _loot_of(game, location)
            for location in player.locations[: int(player.location_count)]
        ],
        "affiliated": allies_texts(player.affiliated),
        "monster_tokens": _values(player.monster_tokens),
    }


def _out_of_game(
    rulebook: Rulebook, game: Any, table: Mapping[str, Any], players: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the Lords and Locations that have left a game in progress."""
    rules = rulebook.record[0]
    seen = {*table["court"], *table["lord_deck"], *table["location_deck"]}
    seen |= {location_key(entry) for entry in table["locations"]}
    seen |= {rulebook.locations[i] for i in game.drawn[: int(game.drawn_count)]}
    for player in players:
        seen |= {lord["lord"] if isinstance(lord, dict) else lord for lord in player["lords"]}
        for location in player["locations"]:
            seen |= {location["location"], *location["lords"]}
    lords = [key for key, card in zip(rulebook.lords, rules.lords, strict=False) if card.in_game]
    locations = [key for key, card in zip(rulebook.locations, rules.locations, strict=False) if card.in_game]
    return [key for key in lords + locations if key not in seen]


def to_table(rulebook: Rulebook, game: Any) -> dict[str, Any]:
    """Return a GAME record at the start (or after the end) of a turn as a table that `parse_table` reads.

    Raises
    ------
    InputError
        Inside a turn: the position format cannot say what has already happened in it.
    """
    if game.option_count > 0 and not game.finished:
        raise InputError("a position can be written at the start of a turn only, not at a decision inside it")
    whole = contents(rulebook, game)
    table: dict[str, Any] = {}
    if rulebook.expansions:
        table["expansions"] = list(rulebook.expansions)
    if rulebook.changes:
        table["changes"] = dict(rulebook.changes)
    table["players"] = int(game.seats)
    table |= {"seed": seed_of(game), "game": int(game.number)}
    table |= {key: whole["game"][key] for key in ("turn", *TABLE_KEYS)}
    table["council"] = {race: cards for race, cards in table["council"].items() if cards}
    if with_kraken(rulebook):
        table |= {key: whole["game"][key] for key in KRAKEN_TABLE_KEYS}
        if game.kraken_holder >= 0:
            table["kraken_holder"] = int(game.kraken_holder)
    if game.end_trigger and game.end_trigger != EndTrigger.STALEMATE:
        table |= {key: whole["game"][key] for key in ("ended_by", "end_trigger")}
    if game.extra:
        table["extra_turn"] = True
    table["history"] = {name: int(game[field]) for name, field in HISTORY.items() if game[field]}
    table["player"] = []
    for seat, player in enumerate(whole["players"]):
        more = {name: int(game.players[seat][name]) for name in PLAYER_HISTORY if game.players[seat][name]}
        table["player"].append(player | more)
    return table


def to_text(rulebook: Rulebook, game: Any) -> str:
    """Return a GAME record at the start of a turn as TOML; `parse` gives the same game back."""
    return table_text(to_table(rulebook, game))


def table_text(table: Mapping[str, Any]) -> str:
    """Return a position's table as TOML."""
    lines = ["[position]"]
    lines += [f"{_toml_key(key)} = {_broken(value)}" for key, value in table.items() if key != "player"]
    for player in table["player"]:
        lines += ["", "[[position.player]]"]
        lines += [f"{_toml_key(key)} = {_broken(value)}" for key, value in player.items() if value not in ([], 0)]
    return "\n".join(lines) + "\n"


def _broken(value: Any) -> str:
    """Return a value as TOML, a long list over several lines."""
    text = _toml(value)
    if not isinstance(value, list) or len(text) <= LINE:
        return text
    lines = [""]
    for item in value:
        piece = _toml(item) + ","
        if len(lines[-1]) + len(piece) >= LINE or not lines[-1]:
            lines.append("    " + piece)
        else:
            lines[-1] += " " + piece
    return "[" + "\n".join(lines) + "\n]"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items())
        return "{ " + inside + " }" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
