"""One game for people and notebooks: look at the options, choose, undo, let policies play on, read what happened."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abysssim.errors import InputError
from abysssim.policies.presets import Policy, load_policy, policy_records
from abysssim.position import Position, parse_table, read_toml
from abysssim.position_text import table_text, to_table
from abysssim.records import Origin, Record, origin_of, read_record, record_of, write_record
from abysssim.rules.rulebook import Rulebook, load
from abysssim.stepping import NO_BAR, Scores, Stop, seed_of
from abysssim.texts import decision_text, find_option, list_of, options_texts
from abysssim.transcript import score_table, transcript
from abysssim.view import view

DEFAULT_POLICY = "balanced"
HUMAN = "human"


class Game:
    """A game that waits at every decision of the seats that are asked.

    Parameters
    ----------
    players : number of seats (default: as many as policies or the position name, else 2)
    policies : names of presets, paths of policy files, or Policies, one a seat, or one for all seats
    seed, game : the deal; left out with a position, which has its own
    rulebook : the rules; left out with a position
    position : a path to a TOML file, a table, or a Position to start from instead of the deal
    asked : seats whose decisions are put to you (default: all); the policies decide for the others
    bar : (seat, Lord's key) that may not be taken

    Examples
    --------
    >>> game = Game(players=3, seed=7)
    >>> game.options()
    ['take', 'continue']
    >>> scores = game.choose("take").play_on()
    """

    def __init__(
        self,
        players: int | None = None,
        policies: str | Policy | Sequence[str | Policy] = DEFAULT_POLICY,
        seed: int = 0,
        game: int = 0,
        rulebook: Rulebook | None = None,
        position: Path | str | Position | dict[str, Any] | None = None,
        asked: Sequence[int] | None = None,
        bar: tuple[int, str] | None = None,
    ) -> None:
        """Set up the game and go to the first decision; InputError for whatever is wrong."""
        start = None if position is None else _position(position)
        book = start.rulebook if start else rulebook or load()
        lineup = _lineup(policies, int(start.game.seats) if start else players)
        book.check_players(len(lineup))
        if start is not None:
            seed = seed_of(start.game)
            game = int(start.game.number)
        self.rulebook = book
        self.asked = tuple(range(len(lineup))) if asked is None else _seats(asked, len(lineup))
        people = () if asked is None else self.asked
        names = [HUMAN if seat in people else policy.name for seat, policy in enumerate(lineup)]
        barred = NO_BAR if bar is None else (_seats([bar[0]], len(lineup))[0], book.lord_number(bar[1]))
        table = to_table(book, start.game) if start else None
        self._begin(Origin(book, names, seed, game, table, barred), lineup)
        self._advance()

    def _begin(self, origin: Origin, lineup: Sequence[Policy]) -> None:
        self.origin, self.rulebook = origin, origin.rulebook
        self._table = origin.table(policy_records(lineup))
        self._choices: list[int] = []
        self._marks: list[int] = []
        self._stop: Stop

    @classmethod
    def from_record(cls, record: Path | Record) -> "Game":
        """Return the game of a record, at its end; `undo` and `go_to` step back in it."""
        events = record if isinstance(record, list) else read_record(record)
        origin = origin_of(events)
        game = cls.__new__(cls)
        game.asked = tuple(range(len(origin.policies)))
        game._begin(origin, [load_policy(DEFAULT_POLICY)] * len(origin.policies))
        game._choices = [int(choice) for choice in list_of(events[0].get("choices"), "choices")]
        game._marks = list(range(len(game._choices)))
        game._stop = game._table.step(game._choices, recording=True)
        return game

    # --- Where the game stands

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self._stop.finished

    @property
    def seat(self) -> int | None:
        """The seat that is asked, None when the game is over."""
        return None if self.finished else int(self._stop.game.decider)

    @property
    def decision(self) -> str | None:
        """The name of the decision (docs/options.md), None when the game is over."""
        return None if self.finished else decision_text(int(self._stop.game.decision))

    @property
    def choices(self) -> tuple[int, ...]:
        """The numbers of all options taken so far, by every seat."""
        return tuple(self._choices)

    def options(self) -> list[str]:
        """Return the options of the decision as texts, none when the game is over."""
        return [] if self.finished else options_texts(self.rulebook, self._stop.game)

    # --- Going on

    def choose(self, option: str | int) -> "Game":
        """Take an option by its text or number and go on to the next decision that is asked."""
        if self.finished:
            raise InputError("the game is over: there is nothing to choose")
        number = find_option(self.options(), option)
        self._marks.append(len(self._choices))
        self._choices.append(number)
        self._advance()
        return self

    def undo(self) -> "Game":
        """Take the last choice back."""
        if not self._marks:
            raise InputError("nothing has been chosen yet: there is nothing to undo")
        return self.go_to(self._marks[-1])

    def go_to(self, number: int) -> "Game":
        """Go back to where `number` choices (of all seats) had been made."""
        if not 0 <= number <= len(self._choices):
            raise InputError(f"there have been {len(self._choices)} choices, so that {number} cannot be gone to")
        self._choices = self._choices[:number]
        self._marks = [mark for mark in self._marks if mark < number]
        self._stop = self._table.step(self._choices, recording=True)
        return self

    def play_on(self) -> Scores:
        """Let the policies decide for every seat to the end; return the scores."""
        if not self.finished:
            self._marks.append(len(self._choices))
            self._stop = self._table.play(self._choices)
            self._choices = list(self._stop.choices)
        return self.result()

    def _advance(self) -> None:
        """Go on, with the policies' choices for the seats that are not asked, to a decision that is."""
        self._stop = self._table.step(self._choices, recording=True)
        plan: tuple[int, ...] = ()
        while not self.finished and int(self._stop.game.decider) not in self.asked:
            plan = plan or self._table.play(self._choices).choices
            self._choices.append(plan[len(self._choices)])
            self._stop = self._table.step(self._choices, recording=True)

    # --- What happened

    def result(self) -> Scores:
        """Return the scores by seat and the winners; InputError while the game goes on."""
        if self._stop.scores is None:
            raise InputError("the game is not over yet: play_on() lets the policies finish it")
        return self._stop.scores

    def scores_now(self) -> Scores:
        """Return the scores as if the game ended here."""
        return self._stop.scores or self._table.score(self._stop.game)

    def record(self) -> Record:
        """Return the events so far (docs/record.md)."""
        return record_of(self.origin, self._stop)

    def write_record(self, path: Path) -> None:
        """Write the record of the finished game; InputError while it goes on."""
        self.result()
        write_record(path, self.record())

    def transcript(self, seat: int | None = None) -> str:
        """Return what happened in plain English; with a seat, only what that seat could see."""
        return transcript(self.rulebook, self.record(), self._checked(seat))

    def view(self, seat: int | None = None) -> str:
        """Return the table as text; with a seat, only what that seat may see."""
        return view(self.rulebook, self._stop.game, self._checked(seat))

    def position(self) -> str:
        """Return the position at the start of the turn under way as TOML (docs/position.md)."""
        for number in range(len(self._choices), -1, -1):
            stop = self._table.step(self._choices[:number], stop_at_turn_end=True)
            if not stop.at_decision:
                return table_text(to_table(self.rulebook, stop.game))
        return table_text(self._start())

    def _start(self) -> dict[str, Any]:
        """Return the position in which the game began."""
        if self.origin.position is not None:
            return dict(self.origin.position)
        seats, pearls = len(self.origin.policies), int(self.rulebook.record[0].start_pearls)
        deal = {"seed": self.origin.seed, "game": self.origin.game, "player": [{"pearls": pearls}] * seats}
        rules = {"changes": dict(self.rulebook.changes), "expansions": list(self.rulebook.expansions)}
        start = parse_table(rules | deal)
        return to_table(start.rulebook, start.game)

    def _checked(self, seat: int | None) -> int | None:
        return None if seat is None else _seats([seat], len(self.origin.policies))[0]

    def __repr__(self) -> str:
        """Return one line about where the game stands."""
        if self.finished:
            return f"<Game, over: {', '.join(str(score['total']) for score in self.result().players)} IP>"
        return f"<Game, seat {self.seat} is asked: {', '.join(self.options())}>"

    def _repr_html_(self) -> str:
        """Return the table and the options, for notebooks."""
        if self.finished:
            result = self.result()
            return f"<pre>{html.escape(chr(10).join(score_table(result.players, result.winners)))}</pre>"
        asked = None if len(self.asked) == len(self.origin.policies) else self.seat
        items = "".join(f"<li><code>{html.escape(text)}</code></li>" for text in self.options())
        return (
            f"<pre>{html.escape(self.view(asked))}</pre>"
            f"<p>Seat {self.seat} is asked (<code>{self.decision}</code>):</p><ol start='0'>{items}</ol>"
        )


def _position(position: Path | str | Position | dict[str, Any]) -> Position:
    if isinstance(position, Position):
        return position
    if isinstance(position, dict):
        return parse_table(position)
    table = read_toml(Path(position))
    if "position" not in table:
        raise InputError(f"{position} has no table [position]")
    return parse_table(table["position"])


def _lineup(policies: str | Policy | Sequence[str | Policy], players: int | None) -> list[Policy]:
    if isinstance(policies, str | Policy):
        given: list[str | Policy] = [policies] * (2 if players is None else players)
    else:
        given = list(policies)
    if players is not None and len(given) != players:
        raise InputError(f"{len(given)} policies are given for {players} players")
    return [policy if isinstance(policy, Policy) else load_policy(policy) for policy in given]


def _seats(seats: Sequence[int], players: int) -> tuple[int, ...]:
    for seat in seats:
        if not 0 <= seat < players:
            raise InputError(f"there is no seat {seat}; seats are 0 to {players - 1}")
    return tuple(seats)
