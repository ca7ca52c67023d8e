"""What never happened in a batch: decisions that nobody faced, options that nobody took, cards that nobody held."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abysssim.rules.rulebook import Rulebook
from abysssim.studies.lord_sums import Sums
from abysssim.vocabulary import Decision, EndTrigger, Verb

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
NOTED = 5
#: Lists of games kept in the sums: merged by what is foremost, not by addition.
NOTES = ("longest", "stalemate")


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


def notable_table(line_up: str, sums: Sums) -> pd.DataFrame:
    """Return the longest games and the first stalemates: turns of all seats, deal number, rotation."""
    parts = []
    for kind in NOTES:
        part = pd.DataFrame(sums[kind], columns=["turns", "game", "rotation"])
        part.insert(0, "kind", kind)
        parts.append(part[part["turns"] > 0])
    table = pd.concat(parts, ignore_index=True)
    table.insert(0, "line_up", line_up)
    return table


def notes_of(rows: Any) -> Sums:
    """Return the notable games among ROW records (games, seats) by kind, (NOTED, 3): turns, deal, rotation."""
    games = np.stack([rows[:, 0][name] for name in ("game_turns", "game", "rotation")], axis=1).astype(np.int64)
    stalled = rows[:, 0]["end_trigger"] == EndTrigger.STALEMATE
    return {"longest": foremost(games, "longest"), "stalemate": foremost(games[stalled], "stalemate")}


def foremost(games: NDArray[np.int64], kind: str) -> NDArray[np.int64]:
    """Return the first few of some games (n, 3): the longest first, or in the order of play; empty places are 0."""
    keys = (games[:, 2], games[:, 1], -games[:, 0] if kind == "longest" else games[:, 1])
    order = np.lexsort(keys)[:NOTED]
    kept = np.zeros((NOTED, 3), np.int64)
    kept[: len(order)] = games[order]
    return kept
