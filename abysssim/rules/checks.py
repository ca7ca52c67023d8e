"""Completing a ruleset card by card, and what its parts must be to one another and to the compiled core."""

from collections.abc import Mapping, Sequence
from typing import Any

from abysssim.core.layout import (
    MAX_CARDS,
    MAX_LOCATIONS,
    MAX_LOOT,
    MAX_LORDS,
    MAX_OPTIONS,
    MAX_PLAYER_LORDS,
    MAX_SUM,
    MAX_TOKENS,
    RACES,
)
from abysssim.errors import InputError, nearest
from abysssim.rules.changes import Leaves, printed_cards, printed_leaves
from abysssim.rules.fields import NO_MAXIMUM, one_of
from abysssim.rules.schema import (
    AMOUNTS,
    CARD_WORDS,
    CARDS,
    COPIES_BY_VALUE,
    KRAKEN,
    NEEDED,
    NEEDED_WITH_COPIES,
    Expansions,
    schema_of,
    timing_of,
    words_of,
)
from abysssim.vocabulary import Per, Power

Data = dict[str, Any]  # the checked rules: tables by name, as in base.toml

# The highest Lord number is a bit of a signed 64-bit mask.
MOST_LORDS = MAX_LORDS - 1


def complete(given: Leaves, expansions: Expansions = ()) -> Data:
    """Return the nested tables of a ruleset from its leaves, with what may be left out filled in.

    Raises
    ------
    InputError
        If a key is missing, or a Lord or Location contradicts itself.
    """
    data = _complete_tables(given, expansions)
    for table in CARDS:
        cards: dict[str, Data] = {}
        for key, value in given.items():
            if key.startswith(table + "."):
                _, card, name = key.split(".")
                cards.setdefault(card, {})[name] = value
        finish = _complete_lord if table == "lords" else _complete_location
        order = _in_order(printed_cards(table, expansions), cards)
        data[table] = {card: finish(card, cards[card], expansions) for card in order}
    return data


def _in_order(printed: tuple[str, ...], cards: Mapping[str, Data]) -> list[str]:
    """Return the printed cards in their order, then the others by name: numbers must not depend on a file's order."""
    return [card for card in printed if card in cards] + sorted(set(cards) - set(printed))


def _complete_tables(given: Leaves, expansions: Expansions) -> Data:
    data: Data = {}
    printed = printed_leaves(expansions)
    for key in schema_of(expansions).leaves:
        value = given[key] if key in given else _left_out(key, given, expansions)
        *tables, name = key.split(".")
        is_nothing = value is None or (value == 0 and ".".join(tables) in COPIES_BY_VALUE)
        if is_nothing and key not in printed:
            continue
        place = data
        for table in tables:
            place = place.setdefault(table, {})
        place[name] = value
    return data


def _left_out(key: str, given: Leaves, expansions: Expansions) -> Any:
    """Return the value of a rule that is not given, None where there is nothing to say of it."""
    table, _, value = key.rpartition(".")
    if table in COPIES_BY_VALUE:
        return 0
    allowed = schema_of(expansions).leaves[key].allowed
    if table not in NEEDED_WITH_COPIES:
        whose = "" if key in schema_of(()).leaves else ", as an expansion is played"
        raise InputError(f"the ruleset lacks {key}, which must be {allowed}{whose}")
    copies = f"{NEEDED_WITH_COPIES[table]}.{value}"
    if given.get(copies, 0) > 0:
        raise InputError(f"{copies} needs {key} as well, which must be {allowed}")
    return printed_leaves(expansions).get(key)


def _complete_card(table: str, card: str, given: Data, defaults: Data, expansions: Expansions) -> Data:
    missing = [name for name in NEEDED[table] if name not in given]
    if missing:
        word, near = CARD_WORDS[table], nearest(card, printed_cards(table, expansions))
        raise InputError(f"there is no {word} '{card}', and a new one needs {', '.join(missing)} as well{near}")
    defaults = {"name": card.replace("_", " ").title(), "copies": 1, "not_with": [], **defaults}
    return {name: given[name] if name in given else defaults[name] for name in schema_of(expansions).cards[table]}


def _complete_lord(card: str, given: Data, expansions: Expansions) -> Data:
    power = Power[given.get("power", "none").upper()]
    low, high = AMOUNTS[power]
    if low != high and "amount" not in given:
        raise InputError(
            f"lords.{card}.amount is missing: the power '{power.name.lower()}' needs a whole number "
            f"from {low} to {high}"
        )
    timing = timing_of(power).name.lower()
    defaults = {"keys": 0, "power": "none", "timing": timing, "amount": low}
    lord = _complete_card("lords", card, given, defaults, expansions)
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
    return lord


def _complete_location(card: str, given: Data, expansions: Expansions) -> Data:
    per = Per[given.get("per", "none").upper()]
    if per != Per.NONE and "each" not in given:
        raise InputError(f"locations.{card}.each is missing: it says what each of its '{given['per']}' is worth")
    words = words_of(per, expansions)
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
    defaults = {"each": 0, "per": "none", "of": "", "max": NO_MAXIMUM, "power": "none", "sacred": False}
    return _complete_card("locations", card, given, defaults, expansions)


def in_game(card: Data, expansions: Expansions) -> bool:
    """Tell whether a Lord or Location is in the game with these expansions."""
    return card["copies"] > 0 and not set(card["not_with"]) & set(expansions)


def check_together(data: Data, expansions: Expansions) -> None:
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
    if KRAKEN in expansions:
        _check_kraken(data, expansions)
    _check_options(data, expansions)


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
    krakens = krakens_in(data)
    cards = allies + krakens + game["monster_cards"]
    seats = game["players"][-1]
    least = game["explore_slots"] + seats
    if not max(allies, 1) <= cards <= MAX_CARDS:
        wild = ", allies.kraken" if krakens else ""
        raise InputError(
            f"races.copies (for each of {RACES} Races){wild} and game.monster_cards must add up to at most "
            f"{MAX_CARDS} Exploration cards, not {cards}"
        )
    if allies < least:
        raise InputError(
            f"races.copies must give at least {least} Allies, enough for the {game['explore_slots']} spaces of an "
            f"exploration and {seats} players, not {allies}"
        )


def krakens_in(data: Data) -> int:
    """Return how many Krakens there are among the Exploration cards."""
    return sum(data["allies"]["kraken"].values()) if "allies" in data else 0


def _cards_in(data: Data, table: str, expansions: Expansions) -> list[Data]:
    return [card for card in data[table].values() if in_game(card, expansions)]


def _check_number(
    data: Data, table: str, expansions: Expansions, most: int, least: int, enough: str
) -> list[Data]:
    """Check how many cards a table has, and how many it leaves in the game; return those.

    most : of the table; least : in the game; enough : what so many are enough for
    """
    cards = _cards_in(data, table, expansions)
    if len(data[table]) > most:
        raise InputError(f"{table} must be at most {most}, those out of the game included, not {len(data[table])}")
    if len(cards) < least:
        raise InputError(f"{table} must leave at least {least} in the game, {enough}, not {len(cards)}")
    return cards


def _check_lords(data: Data, expansions: Expansions) -> None:
    game = data["game"]
    seats, slots = game["players"][-1], game["court_slots"]
    enough = f"enough for the {slots} spaces of the Court and {seats} players"
    lords = _check_number(data, "lords", expansions, MOST_LORDS, slots + seats, enough)
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


def _check_locations(data: Data, expansions: Expansions) -> None:
    seats = data["game"]["players"][-1]
    _check_number(data, "locations", expansions, MAX_LOCATIONS, seats, f"one for each of {seats} players")


def _check_kraken(data: Data, expansions: Expansions) -> None:
    _check_dearest(_cards_in(data, "lords", expansions))
    loot = sum(data["loot"]["copies"].values())
    if loot > MAX_LOOT:
        raise InputError(f"loot.copies must add up to at most {MAX_LOOT} cards, not {loot}")
    lords = _cards_in(data, "lords", expansions)
    keepers = sum(lord["power"] == "sentinel" for lord in lords)
    if data["sentinels"]["count"] < keepers:
        raise InputError(
            f"sentinels.count must be at least {keepers}, one for each Lord in the game with the power 'sentinel', "
            f"not {data['sentinels']['count']}"
        )
    most = data["nebulis"]["max_per_payment"] + sum(
        lord["amount"] for lord in lords if lord["power"] == "nebulis_per_payment"
    )
    if most >= MAX_OPTIONS:  # paying none is an option as well
        raise InputError(
            f"nebulis.max_per_payment and the Lords with the power 'nebulis_per_payment' must add up to at most "
            f"{MAX_OPTIONS - 1} Nebulis, not {most}"
        )


def _check_dearest(lords: Sequence[Data]) -> None:
    """Check that what can be paid for a Lord, with Krakens among it, fits the bits of a number."""
    raised = sum(lord["amount"] for lord in lords if lord["power"] == "raise_opponent_costs")
    dearest = max(lord["cost"] for lord in lords) + raised
    if dearest > MAX_SUM:
        raise InputError(
            f"lords must not come to cost more than {MAX_SUM} with Krakens in play, not {dearest} as the dearest does "
            "once its price is raised as far as opponents can"
        )


def _check_options(data: Data, expansions: Expansions) -> None:
    most = most_menu_options(data, expansions)
    if most > MAX_OPTIONS:
        raise InputError(
            f"game.court_slots, the Lords with a power for each turn and, with Sentinels, the Locations must keep a "
            f"turn at {MAX_OPTIONS} options or fewer, not allow {most}"
        )


def most_menu_options(data: Data, expansions: Expansions) -> int:
    """Return how many options the menu of a turn can have at the most; whatever else is asked fits in any case.

    Recruiting from a full Court (so that no Lord can be added to it), exploring, each stack, each power for each turn;
    with a Sentinel waiting also everything that it can stand on.
    """
    lords = _cards_in(data, "lords", expansions)
    court = data["game"]["court_slots"]
    uses = min(sum(lord["timing"] == "turn" for lord in lords), MAX_PLAYER_LORDS)
    menu = court + 1 + RACES + uses
    if any(lord["power"] == "sentinel" for lord in lords):
        menu += court + RACES + len(_cards_in(data, "locations", expansions))
    return int(menu)
