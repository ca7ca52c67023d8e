"""The words of the public formats: cards, Lords, Locations and options as text, and back (docs/options.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from abysssim.core.layout import CARD_STEP, MAX_VALUE, MONSTER, RACES
from abysssim.errors import InputError, nearest
from abysssim.rules.rulebook import Rulebook
from abysssim.vocabulary import Cause, Decision, Race, Verb

MONSTER_WORD = "monster"
RACE_WORDS = tuple(race.name.lower() for race in Race)

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
}
LORD_VERBS = {Verb.RECRUIT: "recruit", Verb.USE: "use", Verb.KEY_LORD: "key", Verb.LORD: "lord"}
RACE_VERBS = {Verb.COUNCIL: "council", Verb.STACK: "stack"}
CARD_VERBS = {Verb.PAY: "pay", Verb.AFFILIATE: "affiliate", Verb.DISCARD: "discard"}


def ally_text(race: int, value: int) -> str:
    """Return an Ally as text: ``crab 3``."""
    return f"{RACE_WORDS[race]} {value}"


def card_text(code: int) -> str:
    """Return an Exploration card (Race * CARD_STEP + value) as text: ``crab 3`` or ``monster``."""
    race, value = divmod(int(code), CARD_STEP)
    return MONSTER_WORD if race >= MONSTER else ally_text(race, value)


def allies_texts(counts: Any) -> list[str]:
    """Return counts by [Race, value] as texts, by Race and from low to high."""
    return [
        ally_text(race, value)
        for race in range(RACES)
        for value in range(1, MAX_VALUE + 1)
        for _ in range(int(counts[race, value]))
    ]


def parse_race(text: Any, where: str) -> int:
    """Return the number of a Race; `where` names the place in an InputError."""
    if text not in RACE_WORDS:
        hint = nearest(str(text), RACE_WORDS)
        raise InputError(f"{where}: {text!r} is not a Race; there are {', '.join(RACE_WORDS)}{hint}")
    return RACE_WORDS.index(text)


def parse_card(text: Any, where: str, *, monsters: bool = False) -> int:
    """Return the code of a card written ``crab 3`` (or ``monster``, where that is allowed)."""
    if monsters and text == MONSTER_WORD:
        return MONSTER * CARD_STEP
    words = text.split() if isinstance(text, str) else []
    if len(words) != 2 or not words[1].isdecimal():
        allowed = "'crab 3'" + (" or 'monster'" if monsters else "")
        hint = nearest(str(text), [MONSTER_WORD]) if monsters else ""
        raise InputError(f"{where}: {text!r} is not a card; write a Race and a value like {allowed}{hint}")
    race = parse_race(words[0], where)
    value = int(words[1])
    if not 1 <= value <= MAX_VALUE:
        raise InputError(f"{where}: {text!r} is not a card; values go from 1 to {MAX_VALUE}")
    return race * CARD_STEP + value


def ally_counts(texts: Sequence[Any], where: str) -> Any:
    """Return Allies given as texts as counts by [Race, value], int64 of shape (RACES, MAX_VALUE + 1)."""
    counts = np.zeros((RACES, MAX_VALUE + 1), np.int64)
    for text in texts:
        counts[divmod(parse_card(text, where), CARD_STEP)] += 1
    return counts


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
    if verb == Verb.DRAW:
        return f"draw {int(option.amount)}"
    assert verb == Verb.TARGET
    return f"target {int(option.target)}"


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
