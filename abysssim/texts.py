"""The words of the public formats: cards, Lords, Locations and options as text, and back (docs/options.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from abysssim.core.layout import CARD_STEP, KINDS, MONSTER, VALUES
from abysssim.errors import InputError, nearest
from abysssim.rules.rulebook import Rulebook
from abysssim.vocabulary import Area, Cause, Decision, Race, Verb

MONSTER_WORD = "monster"
RACE_WORDS = tuple(race.name.lower() for race in Race)
KRAKEN_WORD = "kraken"
KIND_WORDS = (*RACE_WORDS, KRAKEN_WORD)  # by the first index of counts by [Race, value]
AREA_WORDS = tuple(area.name.lower() for area in Area)
NOT_IN_PLAY = "belongs to the Kraken expansion, which is not in play (position.expansions = [\"kraken\"])"

PLAIN = {
    Verb.EXPLORE: "explore",
    Verb.PLOT: "plot",
    Verb.PASS: "pass",
    Verb.DONE: "done",
    Verb.BUY: "buy",
    Verb.TAKE: "take",
    Verb.CONTINUE: "continue",
    Verb.FIGHT: "fight",
    Verb.PAY_DONE: "pay done",
    Verb.KEY_TOKEN: "key token",
    Verb.PAY_PEARL: "pay pearl",
    Verb.DECLINE: "decline",
    Verb.SEARCH: "search",
    Verb.STOP: "stop",
}
LORD_VERBS = {Verb.RECRUIT: "recruit", Verb.USE: "use", Verb.KEY_LORD: "key", Verb.LORD: "lord"}
RACE_VERBS = {Verb.COUNCIL: "council", Verb.STACK: "stack", Verb.RACE: "race"}
CARD_VERBS = {Verb.PAY: "pay", Verb.AFFILIATE: "affiliate", Verb.DISCARD: "discard", Verb.ALLY: "ally"}
AMOUNT_VERBS = {Verb.DRAW: "draw", Verb.NEBULIS: "nebulis"}
SEAT_VERBS = {Verb.TARGET: "target", Verb.GIVE: "give"}
SENTINEL_VERBS = {
    Verb.SENTINEL_COURT: Area.COURT,
    Verb.SENTINEL_COUNCIL: Area.COUNCIL,
    Verb.SENTINEL_LOCATION: Area.LOCATION,
}


def ally_text(race: int, value: int) -> str:
    """Return an Ally as text: ``crab 3``, or ``kraken 3`` for the Race number KRAKEN."""
    return f"{KIND_WORDS[race]} {value}"


def card_text(code: int) -> str:
    """Return an Exploration card (Race * CARD_STEP + value) as text: ``crab 3`` or ``monster``."""
    race, value = divmod(int(code), CARD_STEP)
    return MONSTER_WORD if race >= MONSTER else ally_text(race, value)


def allies_texts(counts: Any) -> list[str]:
    """Return counts by [Race, value] as texts, by Race and from low to high, Krakens (if counted) last."""
    return [
        ally_text(race, value)
        for race in range(len(counts))
        for value in range(1, VALUES)
        for _ in range(int(counts[race, value]))
    ]


def parse_race(text: Any, where: str, known: tuple[str, ...] = RACE_WORDS) -> int:
    """Return the number of a Race among those known; `where` names the place in an InputError."""
    if text not in known:
        hint = nearest(str(text), known)
        raise InputError(f"{where}: {text!r} is not a Race; there are {', '.join(known)}{hint}")
    return known.index(text)


def parse_card(text: Any, where: str, *, monsters: bool = False, krakens: bool = False) -> int:
    """Return the code of a card written ``crab 3``, and ``monster`` or ``kraken 3`` where those are allowed."""
    if monsters and text == MONSTER_WORD:
        return MONSTER * CARD_STEP
    words = text.split() if isinstance(text, str) else []
    if len(words) != 2 or not words[1].isdecimal():
        allowed = "'crab 3'" + (" or 'monster'" if monsters else "")
        hint = nearest(str(text), [MONSTER_WORD]) if monsters else ""
        raise InputError(f"{where}: {text!r} is not a card; write a Race and a value like {allowed}{hint}")
    if words[0] == KRAKEN_WORD and not krakens:
        raise InputError(f"{where}: '{text}' {NOT_IN_PLAY}")
    race = parse_race(words[0], where, KIND_WORDS if krakens else RACE_WORDS)
    value = int(words[1])
    if not 1 <= value < VALUES:
        raise InputError(f"{where}: {text!r} is not a card; values go from 1 to {VALUES - 1}")
    return race * CARD_STEP + value


def ally_counts(texts: Sequence[Any], where: str, *, krakens: bool = False) -> Any:
    """Return Allies given as texts as counts by [Race, value], int64 of shape (KINDS, VALUES)."""
    counts = np.zeros((KINDS, VALUES), np.int64)
    for text in texts:
        counts[divmod(parse_card(text, where, krakens=krakens), CARD_STEP)] += 1
    return counts


def item_text(rulebook: Rulebook, area: int, item: int) -> str:
    """Return what a Sentinel in an area stands on: a Lord's key, a Race or a Location's key."""
    return (rulebook.lords, RACE_WORDS, rulebook.locations)[area][item]


def place_text(rulebook: Rulebook, area: int, item: int) -> str:
    """Return where a Sentinel stands: ``court slaver``, ``council crab``, ``location jail``."""
    return f"{AREA_WORDS[area]} {item_text(rulebook, area, item)}"


def parse_place(rulebook: Rulebook, text: Any, where: str) -> tuple[int, int]:
    """Return area and item of a place written as `place_text` writes it."""
    words = text.split() if isinstance(text, str) else []
    if len(words) != 2 or words[0] not in AREA_WORDS:
        hint = nearest(words[0], AREA_WORDS) if words else ""
        raise InputError(
            f"{where}: {text!r} is no place for a Sentinel;"
            f" write 'court LORD', 'council RACE' or 'location LOCATION'{hint}"
        )
    area = Area(AREA_WORDS.index(words[0]))
    if area == Area.COUNCIL:
        return area, parse_race(words[1], where)
    return area, number_in(rulebook.lord_number if area == Area.COURT else rulebook.location_number, words[1], where)


def cause_text(rulebook: Rulebook, cause: int) -> str:
    """Return the cause of an event: a Lord's key, or the word for one of vocabulary.Cause."""
    return rulebook.lords[cause] if cause >= 0 else Cause(cause).name.lower()


def decision_text(decision: int) -> str:
    """Return the name of a decision as docs/options.md has it."""
    return Decision(decision).name.lower()


def option_text(rulebook: Rulebook, option: Any) -> str:
    """Return an option (OPTION record) as text: ``recruit slaver``, ``pay crab 3``."""
    verb, card = Verb(int(option.verb)), int(option.card)
    if verb in PLAIN:
        return PLAIN[verb]
    if verb in LORD_VERBS:
        return f"{LORD_VERBS[verb]} {rulebook.lords[card]}"
    if verb in RACE_VERBS:
        return f"{RACE_VERBS[verb]} {RACE_WORDS[card]}"
    if verb in CARD_VERBS:
        return f"{CARD_VERBS[verb]} {ally_text(card, int(option.amount))}"
    if verb == Verb.REWARD:
        return f"reward {rulebook.rewards[int(option.target)][card]}"
    if verb == Verb.LOCATION:
        return f"location {rulebook.locations[card]}"
    if verb in AMOUNT_VERBS:
        return f"{AMOUNT_VERBS[verb]} {int(option.amount)}"
    if verb in SENTINEL_VERBS:
        return f"sentinel {place_text(rulebook, SENTINEL_VERBS[verb], card)}"
    return f"{SEAT_VERBS[verb]} {int(option.target)}"


def options_texts(rulebook: Rulebook, game: Any) -> list[str]:
    """Return the options of the decision that a GAME record is stopped at, in their order."""
    return [option_text(rulebook, game.options[i]) for i in range(int(game.option_count))]


def find_option(options: Sequence[str], choice: str | int) -> int:
    """Return the number of the option meant by its text or its number (0 is the first).

    Raises
    ------
    InputError
        If it is neither, naming the legal options and the nearest.
    """
    text = " ".join(str(choice).lower().split())
    lowered = [option.lower() for option in options]
    if text in lowered:
        return lowered.index(text)
    if text.isdecimal() and int(text) < len(options):
        return int(text)
    legal = ", ".join(f"'{option}'" for option in options)
    raise InputError(f"'{choice}' is not an option here; there are {legal}{nearest(text, options)}")


def check_keys(table: Any, known: Sequence[str] | Mapping[str, Any], where: str) -> None:
    """Refuse what is not a table and keys that are not known, with the nearest right name."""
    if not isinstance(table, Mapping):
        raise InputError(f"{where} must be a table, not {table!r}")
    for key in table:
        if key not in known:
            raise InputError(f"{where}: '{key}' is not known; there are {', '.join(known)}{nearest(key, known)}")


def check_known(table: Any, known: Sequence[str], kraken: Sequence[str], where: str, in_play: bool) -> None:
    """Refuse keys that are not known, and those of the Kraken expansion where it is not in play."""
    if isinstance(table, Mapping) and not in_play:
        for key in table:
            if key in kraken:
                raise InputError(f"{where}: '{key}' {NOT_IN_PLAY}")
    check_keys(table, (*known, *kraken) if in_play else known, where)


def whole_number(value: object, where: str, low: int = 0, high: int | None = None) -> int:
    """Return an integer within bounds, or refuse it by name."""
    bounds = f"from {low} to {high}" if high is not None else f"from {low} on"
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        raise InputError(f"{where} must be a whole number {bounds}, not {value!r}")
    return value


def list_of(value: Any, where: str) -> list[Any]:
    """Return a list, or refuse what is none."""
    if not isinstance(value, list | tuple):
        raise InputError(f"{where} must be a list, not {value!r}")
    return list(value)


def number_in(finder: Callable[[str], int], key: Any, where: str) -> int:
    """Return the number of a Lord or Location key found by `finder`, with its place named in an InputError."""
    if not isinstance(key, str):
        raise InputError(f"{where}: {key!r} is not a key; write it like 'miller'")
    try:
        return finder(key)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
