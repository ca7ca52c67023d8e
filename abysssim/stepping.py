"""One game at a time, for people: it is run again from its start for every question, with forced choices.

The engine has no way to pause. A game is a pure function of deal, rules, line-up and forced choices, and takes well
under a millisecond, so that "what if" is simply another run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from abysssim.core.layout import DESK, GAME, MAX_CHOICES, MAX_LOG, MAX_SEATS, POLICY, ROW, TASK, new
from abysssim.engine.play import play_batch
from abysssim.errors import InputError
from abysssim.rules.rulebook import Rulebook
from abysssim.vocabulary import Decision, Fault

PARTS = ("locations", "loot", "lords", "allies", "monster_tokens", "nebulis", "kraken", "scourge", "wounds")
NO_BAR = (-1, -1)


@dataclass(frozen=True)
class Scores:
    """The score of every seat by part (signed IP that add up to `total`) and the seats that win."""

    players: tuple[dict[str, int], ...]
    winners: tuple[int, ...]

    def as_table(self) -> dict[str, Any]:
        """Return ``{"players": [...], "winners": [...]}``."""
        return {"players": [dict(parts) for parts in self.players], "winners": list(self.winners)}


@dataclass(frozen=True)
class Stop:
    """Where a run stopped: at a decision, at the end of a turn, or at the end of the game.

    Attributes
    ----------
    game : GAME record, a copy
    entries : ENTRY records of what happened until then, empty unless asked for
    choices : numbers of all options taken until then (complete only for a recorded game that has ended)
    scores : at the end of the game, else None
    """

    game: Any
    entries: Any
    choices: tuple[int, ...]
    scores: Scores | None

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.scores is not None

    @property
    def at_decision(self) -> bool:
        """Whether a seat is asked here."""
        return self.scores is None and int(self.game.decision) != Decision.TURN_END


class Table:
    """Scratch records, rules, deal and line-up: plays one game as often as it is asked to.

    Parameters
    ----------
    rulebook
    seats : number of seats
    policies : POLICY records, one a seat; None plays the first option everywhere
    seed, game : the deal
    position : GAME record at the start of a turn, from which the game is played instead of the deal
    bar : (seat, Lord) that may not be taken
    """

    def __init__(
        self,
        rulebook: Rulebook,
        seats: int,
        policies: Any = None,
        seed: int = 0,
        game: int = 0,
        position: Any = None,
        bar: tuple[int, int] = NO_BAR,
    ) -> None:
        """Lay out the records; nothing is played yet."""
        self.rulebook, self.seats, self.seed_number, self.game = rulebook, seats, seed, game
        self.desks, self.games, self.tasks = new(DESK), new(GAME), new(TASK)
        self.desks[0].policies[:seats] = new(POLICY, MAX_SEATS)[:seats] if policies is None else policies
        self.tasks[0].game = game
        self.tasks[0].bar_seat, self.tasks[0].bar_lord = bar
        self.permutations = np.arange(seats, dtype=np.int64).reshape(1, -1)
        self.seed = np.array([seed & 0xFFFFFFFF, seed >> 32], dtype=np.int64)
        self.position = position

    def step(self, choices: Sequence[int], *, stop_at_turn_end: bool = False, recording: bool = False) -> Stop:
        """Force `choices` and stop at the next decision (or before it, at the end of the turn)."""
        return self._run(choices, self.position, 1, int(stop_at_turn_end), int(recording))

    def play(self, choices: Sequence[int] = (), *, recording: bool = True) -> Stop:
        """Force `choices`, then let the policies play on to the end."""
        return self._run(choices, self.position, 0, 0, int(recording))

    def score(self, game: Any) -> Scores:
        """Return the scores of a GAME record as if it ended here: hands are affiliated, nothing else is played."""
        scores = self.end(game).scores
        assert scores is not None
        return scores

    def end(self, game: Any) -> Stop:
        """Return how the game ends if it ends where a GAME record stands."""
        ended = game.copy()
        ended.finished = 1
        return self._run((), ended, 0, 0, 0)

    def _run(self, choices: Sequence[int], position: Any, stepping: int, stop_at_turn_end: int, recording: int) -> Stop:
        desk = self.desks[0]
        if len(choices) > MAX_CHOICES:
            raise InputError(f"a game has at most {MAX_CHOICES} choices, not {len(choices)}")
        desk.stepping, desk.stop_at_turn_end, desk.recording, desk.error = stepping, stop_at_turn_end, recording, 0
        desk.forced_count = len(choices)
        desk.forced[: len(choices)] = choices
        desk.from_position = int(position is not None)
        if position is not None:
            desk.positions[0] = position
        rows = new(ROW, self.seats).reshape(1, self.seats)
        play_batch(  # type: ignore[no-untyped-call]
            self.rulebook.record, self.desks, self.games, self.tasks, self.permutations, self.seats, self.seed, rows
        )
        if desk.error == Fault.RECORD_FULL:
            raise InputError(f"the game is longer than a record: {MAX_CHOICES} choices or {MAX_LOG} events at most")
        if desk.error:
            raise InputError("a forced choice is not an option where it is to be taken")
        return self._stop(choices, rows[0], bool(recording))

    def _stop(self, choices: Sequence[int], rows: Any, recorded: bool) -> Stop:
        desk = self.desks[0]
        entries = desk.log[: int(desk.log_count)].copy() if recorded else desk.log[:0]
        if desk.halted:
            return Stop(desk.positions[1].copy(), entries, tuple(choices), None)
        game = self.games[0].copy()
        made = desk.chosen[: int(game.decisions)] if recorded else choices
        return Stop(game, entries, tuple(int(choice) for choice in made), scores_of(rows))


def scores_of(rows: Any) -> Scores:
    """Return the scores in ROW records of one game, shape (seats,)."""
    players = tuple(
        {part: int(row[part]) if part in row.dtype.names else 0 for part in PARTS} | {"total": int(row.total)}
        for row in rows
    )
    return Scores(players, tuple(seat for seat, row in enumerate(rows) if row.win12 > 0))


def seed_of(game: Any) -> int:
    """Return the seed of a GAME record's deal."""
    return int(game.seed_low) | int(game.seed_high) << 32


class Dealt(NamedTuple):
    """The orders of a deal, top first: Exploration cards (codes), Lords, Locations, values of tokens and of Loot."""

    cards: list[int]
    lords: list[int]
    locations: list[int]
    tokens: list[int]
    loot: list[int]


def dealt_orders(rulebook: Rulebook, seats: int, seed: int, number: int) -> Dealt:
    """Return the orders in which a deal lays out the components."""
    rules = rulebook.record[0]
    game = Table(rulebook, seats, None, seed, number).step((), stop_at_turn_end=True).game
    # Cards that were drawn before the first decision are still in the records, above the counts of the decks.
    counts = (
        int(rules.ally_copies.sum() + rules.monster_cards + rules.kraken_copies.sum()),
        int(rules.lords["in_game"].sum()),
        int(rules.locations["in_game"].sum()),
        int(rules.token_copies.sum()),
        int(rules.loot_copies.sum()),
    )
    fields = (game.deck, game.lord_deck, game.location_deck, game.tokens, game.loot_deck)
    return Dealt(*([int(item) for item in field[:count][::-1]] for field, count in zip(fields, counts, strict=True)))
