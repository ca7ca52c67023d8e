"""What several tests share: playing games through the compiled entry point and looking at them turn by turn."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abysssim.core.layout import DESK, GAME, ROW, TASK, new
from abysssim.engine.play import play_batch
from abysssim.policies.presets import load_policy, policy_records
from abysssim.rules.rulebook import Rulebook


class Table:
    """One set of scratch records and a line-up, to play any game of a seed."""

    def __init__(self, rulebook: Rulebook, policies: list[str], seed: int = 0) -> None:
        self.rulebook = rulebook
        self.seats = len(policies)
        self.desks = new(DESK)
        self.games = new(GAME)
        records = policy_records([load_policy(name) for name in policies])
        self.desks[0].policies[: self.seats] = records
        self.permutations = np.arange(self.seats, dtype=np.int64).reshape(1, -1)
        self.seed = np.array([seed & 0xFFFFFFFF, seed >> 32], dtype=np.int64)

    def play(self, games: int, first: int = 0, bar: tuple[int, int] = (-1, -1)) -> Any:
        """Play `games` games and return their rows, shape (games, seats)."""
        tasks = new(TASK, games)
        tasks.game = np.arange(first, first + games)
        tasks.bar_seat, tasks.bar_lord = bar
        rows = new(ROW, games * self.seats).reshape(games, self.seats)
        play_batch(
            self.rulebook.record, self.desks, self.games, tasks, self.permutations, self.seats, self.seed, rows
        )
        return rows

    def turns(self, game: int) -> Iterator[Any]:
        """Yield a copy of the GAME record at the end of every turn, and at last the end position."""
        desk = self.desks[0]
        desk.stop_at_turn_end = 1
        desk.from_position = 0
        try:
            while True:
                self.play(1, game)
                if not desk.halted:
                    yield self.games[0].copy()
                    return
                yield desk.positions[1].copy()
                desk.positions[0] = desk.positions[1]
                desk.from_position = 1
        finally:
            desk.stop_at_turn_end = 0
            desk.from_position = 0
