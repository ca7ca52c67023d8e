"""What never happened in a batch: decisions that nobody faced, options that nobody took, cards that nobody held."""

from typing import Any

import pandas as pd
from numpy.typing import NDArray

from abysssim.rules.rulebook import Rulebook
from abysssim.studies.lord_sums import Sums
from abysssim.vocabulary import Decision, Verb

#: The options that a decision can have (docs/options.md); a decision whose options all have one verb is left out.
CHOICES: dict[Decision, tuple[Verb, ...]] = {
    Decision.MENU: (Verb.RECRUIT, Verb.EXPLORE, Verb.COUNCIL, Verb.USE, Verb.PLOT),
    Decision.LEFTOVER: (Verb.USE, Verb.DONE),
    Decision.OFFER: (Verb.BUY, Verb.PASS),
    Decision.ALLY: (Verb.TAKE, Verb.CONTINUE),
    Decision.MONSTER: (Verb.FIGHT, Verb.CONTINUE),
    Decision.PAYMENT: (Verb.PAY, Verb.PAY_DONE),
    Decision.LOCATION: (Verb.LOCATION, Verb.DRAW),
    Decision.SMOKERS: (Verb.LOCATION, Verb.DECLINE),
    Decision.KEY: (Verb.KEY_LORD, Verb.KEY_TOKEN),
    Decision.OWN_LORD: (Verb.LORD, Verb.DECLINE),
    Decision.EXCHANGE_GIVE: (Verb.LOCATION, Verb.DECLINE),
}
MOST_LENGTHS = 5


def option_table(line_up: str, sums: Sums) -> pd.DataFrame:
    """Return how often every decision was asked and each kind of option was its answer: a row an option."""
    rows = []
    for decision in Decision:
        asked = int(sums["asked"][decision])
        if decision == Decision.TURN_END:
            continue
        for verb in CHOICES.get(decision, ()):
            picked = int(sums["picked"][decision, verb])
            rows.append((line_up, decision.name.lower(), asked, verb.name.lower().replace("_", " "), picked))
        if decision not in CHOICES:
            rows.append((line_up, decision.name.lower(), asked, "any", asked))
    return pd.DataFrame(rows, columns=["line_up", "decision", "asked", "option", "picked"])


def never_held(rulebook: Rulebook, holds: NDArray[Any]) -> list[str]:
    """Return the names of the Locations in the game that no seat held at the end of any game."""
    record = rulebook.record[0]
    return [
        rulebook.location_name(number)
        for number in range(len(rulebook.locations))
        if record.locations[number]["in_game"] and holds[number] == 0
    ]


def longest_table(line_up: str, sums: Sums) -> pd.DataFrame:
    """Return the longest games: turns of all seats, deal number, rotation."""
    table = pd.DataFrame(sums["longest"], columns=["turns", "game", "rotation"])
    table.insert(0, "line_up", line_up)
    return table[table["turns"] > 0].reset_index(drop=True)
