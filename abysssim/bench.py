"""How fast games are played on this machine.

Everything is measured in processes of their own, which share a compile cache made for the occasion: the first of them
compiles into it (that is the cold compile), the others load from it, so that what is timed is a warm process.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from abysssim.policies.presets import load_policy
from abysssim.rules.rulebook import load
from abysssim.run import Tally
from abysssim.simulate import Batch, Chunk, Scratch, run_chunks
from abysssim.vocabulary import PolicyKind

POLICY = "balanced"
SEED = 5
SECONDS = 2.0  # of each measurement
STARTS = 3  # warm starts, of which the median counts
SHARE_GAMES = 1_500  # replayed to tell engine and policy apart
MAIN_PLAYERS = 4


# --- In the measured process ---------------------------------------------------------------------------------------


def start(expansions: Sequence[str] = ()) -> dict[str, float]:
    """Play one game; return the seconds that loading (or compiling) took inside this process."""
    return {"loading_seconds": Tally(_batch(2, expansions)).warm_up()}


def speed(players: int, jobs: int, seconds: float, expansions: Sequence[str] = ()) -> dict[str, float]:
    """Play for about `seconds` and return games, seconds and decisions."""
    batch = _batch(players, expansions)
    worker = Tally(batch)
    worker.warm_up()
    options: dict[str, Any] = {"chunk_blocks": batch.chunk_blocks, "jobs": jobs}
    trial = run_chunks(worker, batch.scratch, batch.chunk_blocks * 2 * jobs, **options)
    chunks = max(1, round(seconds / trial.seconds * 2)) * jobs
    state = run_chunks(worker, batch.scratch, batch.chunk_blocks * chunks, **options)
    games, _, _, decisions = state.sums["games"].sum(axis=0).tolist()
    return {"games": games, "seconds": state.seconds, "decisions": decisions}


def shares(players: int, expansions: Sequence[str] = ()) -> dict[str, float]:
    """Play games freely, then again with every choice forced; return the seconds of both.

    Forced games have seats that would take the first option, which costs next to nothing, and are otherwise the same:
    their time is the engine's, the rest is the policy's.
    """
    batch = _batch(players, expansions)
    scratch = batch.scratch()
    tasks = batch.tasks(Chunk(0, SHARE_GAMES))
    Tally(batch).warm_up()
    free, forced, empty = [], [], []
    for number in range(SHARE_GAMES):
        task = tasks[number : number + 1]
        choices, result = _recorded(batch, scratch, task)
        free.append(_timed(batch, scratch, task))
        scratch.desks[0].forced[: len(choices)] = choices
        scratch.desks[0].forced_count = len(choices)
        kinds = scratch.desks[0].policies["kind"].copy()
        scratch.desks[0].policies["kind"] = PolicyKind.FIRST
        forced.append(_timed(batch, scratch, task))
        scratch.desks[0].policies["kind"] = kinds
        _same(result, batch.play(task, scratch))
        scratch.desks[0].forced_count = 0
        empty.append(_timed(batch, scratch, task[:0]))
    overhead = statistics.median(empty) * SHARE_GAMES
    return {"free": sum(free) - overhead, "engine": sum(forced) - overhead}


def _recorded(batch: Batch, scratch: Scratch, task: Any) -> tuple[Any, Any]:
    """Return all choices of a game and its rows."""
    scratch.desks[0].recording = 1
    rows = batch.play(task, scratch)
    scratch.desks[0].recording = 0
    return scratch.desks[0].chosen[: int(scratch.games[0].decisions)].copy(), rows


def _timed(batch: Batch, scratch: Scratch, task: Any) -> float:
    started = time.perf_counter()
    batch.play(task, scratch)
    return time.perf_counter() - started


def _same(one: Any, other: Any) -> None:
    if one.tobytes() != other.tobytes():
        raise RuntimeError("a game with all its choices forced came out differently")


def _batch(players: int, expansions: Sequence[str]) -> Batch:
    return Batch(load(expansions=expansions), (load_policy(POLICY),) * players, SEED)


# --- In the process that measures ----------------------------------------------------------------------------------


def bench(
    players: Sequence[int] = (2, 3, 4), seconds: float = SECONDS, expansions: Sequence[str] = ()
) -> dict[str, Any]:
    """Measure and return what ``bench --json`` prints; the main figures are for four players on one core.

    Raises InputError for numbers of players that the game is not for, and for expansions that cannot be played.
    """
    rulebook = load(expansions=expansions)
    given = [f"--expansion={name}" for name in rulebook.expansions]
    for seats in players:
        rulebook.check_players(seats)
    main = MAIN_PLAYERS if MAIN_PLAYERS in players else max(players)
    with tempfile.TemporaryDirectory(prefix="abysssim-bench-") as cache:
        _, cold = _measured(cache, "start", *given)
        starts = [_measured(cache, "start", *given) for _ in range(STARTS)]
        rows = [_speed(cache, seats, jobs, seconds, given) for seats in players for jobs in sorted({1, cores()})]
        split, _ = _measured(cache, "shares", str(main), *given)
    first = next(row for row in rows if row["players"] == main and row["jobs"] == 1)
    warm = statistics.median(wall for _, wall in starts)
    names = {"games_per_second": "games_a_second", "decisions_per_game": "decisions", "ns_per_decision": "ns"}
    return {
        **{key: first[name] for key, name in names.items()},
        "cold_compile_seconds": round(cold - warm, 2),
        "warm_start_seconds": round(warm, 2),
        "details": {
            "policy": POLICY,
            "expansions": list(rulebook.expansions),
            "main_players": main,
            "measurements": {key: [row[key] for row in rows] for key in rows[0]},
            "loading_seconds": round(statistics.median(found["loading_seconds"] for found, _ in starts), 3),
            "engine_share": round(split["engine"] / split["free"], 3),
            "policy_share": round(1 - split["engine"] / split["free"], 3),
            "cores": cores(),
        },
    }


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _speed(cache: str, players: int, jobs: int, seconds: float, given: Sequence[str]) -> dict[str, Any]:
    found, _ = _measured(cache, "speed", str(players), str(jobs), str(seconds), *given)
    return {
        "players": players,
        "jobs": jobs,
        "games_a_second": round(found["games"] / found["seconds"], 1),
        "decisions": round(found["decisions"] / found["games"], 2),
        # of one core: with several, each has its own clock
        "ns": round(found["seconds"] * jobs / found["decisions"] * 1e9, 1),
    }


def _measured(cache: str, *args: str) -> tuple[dict[str, float], float]:
    """Run one measurement in a process of its own; return what it found and its wall time, start included."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "abysssim.bench", *args],
        env={**os.environ, "ABYSSSIM_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a measurement failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found, time.perf_counter() - started


def as_text(found: dict[str, Any]) -> str:
    """Return the measurements for people, at most 80 columns wide."""
    from abysssim.summary import table

    details = found["details"]
    columns = details["measurements"]
    rows = [
        [f"{players} players", str(jobs), f"{games:,.0f}", f"{decisions:.0f}", f"{ns:.0f}"]
        for players, jobs, games, decisions, ns in zip(*(columns[key] for key in columns), strict=True)
    ]
    heads = [f"all {details['policy']}", "cores", "games a second", "decisions a game", "ns a decision"]
    return "\n".join(
        [
            table(heads, rows),
            "",
            f"Of the time of a game, {100 * details['engine_share']:.0f} % go to the rules and "
            f"{100 * details['policy_share']:.0f} % to the policy.",
            f"First compile {found['cold_compile_seconds']:.1f} s; start of a warm process "
            f"{found['warm_start_seconds']:.2f} s, first game included.",
        ]
    )


def _main(args: Sequence[str]) -> None:
    """Take one measurement and print it as JSON; this is what the processes run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["start", "speed", "shares"])
    parser.add_argument("numbers", nargs="*")
    parser.add_argument("--expansion", dest="expansions", action="append", default=[])
    given = parser.parse_args(args)
    if given.what == "start":
        found = start(given.expansions)
    elif given.what == "speed":
        found = speed(int(given.numbers[0]), int(given.numbers[1]), float(given.numbers[2]), given.expansions)
    else:
        found = shares(int(given.numbers[0]), given.expansions)
    print(json.dumps(found))


if __name__ == "__main__":
    _main(sys.argv[1:])
