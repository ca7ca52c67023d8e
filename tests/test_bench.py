"""The measurements measure what they say, on a small scale and without the cold compile (which takes a minute)."""

import time
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from abysssim import bench
from abysssim.cli import main
from abysssim.simulate import Batch, Scratch
from abysssim.vocabulary import PolicyKind


def in_process(cache: str, what: str, *numbers: str) -> tuple[dict[str, float], float]:
    """Take a measurement here instead of in a process of its own."""
    started = time.perf_counter()
    if what == "start":
        found = bench.start()
    elif what == "speed":
        found = bench.speed(int(numbers[0]), int(numbers[1]), float(numbers[2]))
    else:
        found = bench.shares(int(numbers[0]))
    return found, time.perf_counter() - started


def test_speed_counts_games_decisions_and_seconds() -> None:
    started = time.perf_counter()
    found = bench.speed(2, 2, 0.2)
    assert 0 < found["seconds"] < time.perf_counter() - started
    assert found["games"] >= 512
    assert 50 < found["decisions"] / found["games"] < 500


def test_forced_games_are_the_same_games_and_ask_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    play = Batch.play

    def watched(batch: Batch, tasks: Any, scratch: Scratch) -> Any:
        rows = play(batch, tasks, scratch)
        played.append((set(scratch.desks[0].policies["kind"][:1]), int(scratch.desks[0].forced_count), rows.tobytes()))
        return rows

    monkeypatch.setattr(bench, "SHARE_GAMES", 3)
    monkeypatch.setattr(Batch, "play", watched)
    bench.shares(4)
    # A game is written down, played freely, forced for its time, and forced again to compare.
    for game in range(3):
        written, free, forced, compared, _ = played[-15:][5 * game : 5 * game + 5]
        assert written[:2] == free[:2] == ({PolicyKind.WEIGHTED}, 0)
        assert forced[0] == {PolicyKind.FIRST}
        assert forced[1] == compared[1] > 100
        assert written[2] == free[2] == forced[2] == compared[2]


def test_a_forced_game_that_comes_out_differently_is_refused() -> None:
    with pytest.raises(RuntimeError, match="came out differently"):
        bench._same(np.arange(3), np.arange(1, 4))


def test_the_report_has_the_keys_that_scripts_rely_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_measured", in_process)
    monkeypatch.setattr(bench, "SHARE_GAMES", 20)
    found = bench.bench([2, 3], seconds=0.05)
    assert list(found)[:5] == [
        "games_per_second",
        "decisions_per_game",
        "ns_per_decision",
        "cold_compile_seconds",
        "warm_start_seconds",
    ]
    assert found["details"]["main_players"] == 3
    a_game = found["decisions_per_game"] * found["ns_per_decision"] / 1e9
    assert a_game * found["games_per_second"] == pytest.approx(1.0, rel=0.01)
    assert max(map(len, bench.as_text(found).splitlines())) <= 80


@pytest.mark.parametrize(("players", "words"), [("2,x", "not '2,x'"), ("2,9", "2, 3, 4")])
def test_bad_numbers_of_players_are_refused(players: str, words: str) -> None:
    result = CliRunner().invoke(main, ["bench", "--players", players])
    assert result.exit_code == 2
    assert words in result.stderr
