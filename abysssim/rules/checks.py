"""Completing a ruleset card by card, and what its parts must be to one another and to the compiled core."""

from collections.abc import Mapping
from typing import Any

from abysssim.core.layout import MAX_CARDS, MAX_LOCATIONS, MAX_LORDS, MAX_PLAYER_LORDS, MAX_TOKENS, RACES
from abysssim.errors import InputError, nearest
from abysssim.rules.changes import Leaves, printed_leaves
from abysssim.rules.schema import (
    AMOUNTS,
    CARD_WORDS,
    CARDS,
    LEAVES,
    LOCATION_FIELDS,
    LORD_FIELDS,
    NEEDED,
    NO_MAXIMUM,
    one_of,
    timing_of,
    words_of,
)
from abysssim.vocabulary import Per, Power

Data = dict[str, Any]  # the checked rules: tables by name, as in base.toml

# The highest Lord number is a bit of a signed 64-bit mask.
MOST_LORDS = MAX_LORDS - 1
OPTIONAL = "monster_tokens.values."  # values without a copy need not be named


def complete(given: Leaves) -> Data:
    """Return the nested tables of a ruleset from its leaves, with what may be left out filled in.

    Raises
    ------
    InputError
        If a key is missing, or a Lord or Location contradicts itself.
    """
    data = _complete_tables(given)
    for table in CARDS:
        cards: dict[str, Data] = {}
        for key, value in given.items():
            if key.startswith(table + "."):
                _, card, name = key.split(".")
                cards.setdefault(card, {})[name] = value
        finish = _complete_lord if table == "lords" else _complete_location
        data[table] = {card: finish(card, cards[card]) for card in _in_order(table, cards)}
    return data


def _in_order(table: str, cards: Mapping[str, Data]) -> list[str]:
    """Return the printed cards in their order, then the others by name: numbers must not depend on a file's order."""
    printed = list(dict.fromkeys(key.split(".")[1] for key in printed_leaves() if key.startswith(table + ".")))
    return [card for card in printed if card in cards] + sorted(set(cards) - set(printed))


def _complete_tables(given: Leaves) -> Data:
    data: Data = {}
    for key in LEAVES:
        if key not in given:
            if key.startswith(OPTIONAL):
                continue
            raise InputError(f"the ruleset lacks {key}, which must be {LEAVES[key].allowed}")
        if key.startswith(OPTIONAL) and given[key] == 0 and key not in printed_leaves():
            continue
        *tables, name = key.split(".")
        place = data
        for table in tables:
            place = place.setdefault(table, {})
        place[name] = given[key]
    return data


def _complete_card(table: str, card: str, given: Data, defaults: Data) -> Data:
    missing = [name for name in NEEDED[table] if name not in given]
    if missing:
        known = dict.fromkeys(key.split(".")[1] for key in printed_leaves() if key.startswith(table + "."))
        word = CARD_WORDS[table]
        raise InputError(
            f"there is no {word} '{card}', and a new one needs {', '.join(missing)} as well{nearest(card, known)}"
        )
    defaults = {"name": card.replace("_", " ").title(), "copies": 1, "not_with": [], **defaults}
    return {name: given[name] if name in given else defaults[name] for name in CARDS[table]}


def _complete_lord(card: str, given: Data) -> Data:
    power = Power[given.get("power", "none").upper()]
    low, high = AMOUNTS[power]
    if low != high and "amount" not in given:
        raise InputError(
            f"lords.{card}.amount is missing: the power '{power.name.lower()}' needs a whole number "
            f"from {low} to {high}"
        )
    timing = timing_of(power).name.lower()
    lord = _complete_card("lords", card, given, {"keys": 0, "power": "none", "timing": timing, "amount": low})
    if lord["timing"] != timing:
        raise InputError(
            f"lords.{card}.timing must be '{timing}', which is what the power '{lord['power']}' is, "
            f"not '{lord['timing']}'"
        )
    if not low <= lord["amount"] <= high:
        allowed = f"a whole number from {low} to {high}" if low != high else f"{low}, as nothing else fits,"
        raise InputError(
            f"lords.{card}.amount must be {allowed} with the power '{lord['power']}', not {lord['amount']}"
        )
    assert list(lord) == list(LORD_FIELDS)
    return lord


def _complete_location(card: str, given: Data) -> Data:
    per = Per[given.get("per", "none").upper()]
    if per != Per.NONE and "each" not in given:
        raise InputError(f"locations.{card}.each is missing: it says what each of its '{given['per']}' is worth")
    words = words_of(per)
    of = given.get("of", "")
    if words and of not in words:
        told = f"not '{of}'" if of else "and is missing"
        raise InputError(
            f"locations.{card}.of must be {one_of(words)} where per is '{given['per']}', {told}{nearest(of, words)}"
        )
    if not words and of:
        raise InputError(
            f"locations.{card}.of must be left out (or \"\") where per is '{per.name.lower()}', not '{of}'"
        )
    defaults = {"each": 0, "per": "none", "of": "", "max": NO_MAXIMUM, "power": "none"}
    location = _complete_card("locations", card, given, defaults)
    assert list(location) == list(LOCATION_FIELDS)
    return location


def in_game(card: Data, expansions: tuple[str, ...]) -> bool:
    """Tell whether a Lord or Location is in the game with these expansions."""
    return card["copies"] > 0 and not set(card["not_with"]) & set(expansions)


def check_together(data: Data, expansions: tuple[str, ...]) -> None:
    """Check what the parts of a ruleset must be to one another.

    Raises
    ------
    InputError
        If there are too few or too many cards for the table or for the compiled core.
    """
    for card in data["locations"]:
        if card in data["lords"]:
            raise InputError(f"locations.{card} must have another key: '{card}' is a Lord already")
    _check_numbers(data)
    _check_exploration(data)
    _check_lords(data, expansions)
    _check_locations(data, expansions)


def _check_numbers(data: Data) -> None:
    game = data["game"]
    if game["refill_when_lords_left"] > game["court_slots"]:
        raise InputError(
            f"game.refill_when_lords_left must be at most game.court_slots ({game['court_slots']}), "
            f"not {game['refill_when_lords_left']}"
        )
    tokens = sum(data["monster_tokens"]["values"].values())
    if tokens > MAX_TOKENS:
        raise InputError(f"monster_tokens.values must add up to at most {MAX_TOKENS} tokens, not {tokens}")


def _check_exploration(data: Data) -> None:
    game = data["game"]
    allies = RACES * sum(data["races"]["copies"].values())
    cards = allies + game["monster_cards"]
    seats = game["players"][-1]
    least = game["explore_slots"] + seats
    if not max(allies, 1) <= cards <= MAX_CARDS:
        raise InputError(
            f"races.copies (for each of {RACES} Races) and game.monster_cards must add up to at most {MAX_CARDS} "
            f"Exploration cards, not {cards}"
        )
    if allies < least:
        raise InputError(
            f"races.copies must give at least {least} Allies, enough for the {game['explore_slots']} spaces of an "
            f"exploration and {seats} players, not {allies}"
        )


def _check_lords(data: Data, expansions: tuple[str, ...]) -> None:
    game = data["game"]
    lords = [lord for lord in data["lords"].values() if in_game(lord, expansions)]
    seats = game["players"][-1]
    least = game["court_slots"] + seats
    if len(data["lords"]) > MOST_LORDS:
        raise InputError(
            f"lords must be at most {MOST_LORDS}, those out of the game included, not {len(data['lords'])}"
        )
    if len(lords) < least:
        raise InputError(
            f"lords must leave at least {least} in the game, enough for the {game['court_slots']} spaces of the Court "
            f"and {seats} players, not {len(lords)}"
        )
    most = min(most_lords_of_a_seat(game["lords_to_end"], lords), len(lords))
    if most > MAX_PLAYER_LORDS:
        raise InputError(
            f"game.lords_to_end and the Lords that bring further Lords or turns must keep a player below "
            f"{MAX_PLAYER_LORDS + 1} Lords, not allow {most}"
        )


def most_lords_of_a_seat(lords_to_end: int, lords: list[Data]) -> int:
    """Return how many Lords a seat can come to hold.

    It starts a round with fewer than `lords_to_end`; then come one recruitment in this turn and one in the last turn,
    and one more for each extra turn and for each Lord bought by another's power. No Lord comes twice.
    """
    turns = sum(lord["amount"] for lord in lords if lord["power"] == "extra_turn")
    bought = sum(lord["power"] == "recruit_for_pearls" for lord in lords)
    return int(lords_to_end + 1 + turns + bought)


def _check_locations(data: Data, expansions: tuple[str, ...]) -> None:
    locations = [location for location in data["locations"].values() if in_game(location, expansions)]
    seats = data["game"]["players"][-1]
    if len(data["locations"]) > MAX_LOCATIONS:
        raise InputError(
            f"locations must be at most {MAX_LOCATIONS}, those out of the game included, not {len(data['locations'])}"
        )
    if len(locations) < seats:
        raise InputError(
            f"locations must leave at least {seats} in the game, one for each of {seats} players, not {len(locations)}"
        )
