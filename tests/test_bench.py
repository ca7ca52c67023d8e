"""The measurements measure what they say, on a small scale and without the cold compile (which takes a minute)."""

import time

import pytest
from click.testing import CliRunner

from abysssim import bench
from abysssim.cli import main


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


def test_forced_games_are_the_same_games_and_take_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SHARE_GAMES", 100)
    found = bench.shares(4)
    assert 0 < found["engine"] < found["free"]


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
