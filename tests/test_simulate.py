"""Batches: the same sums whatever the workers, the chunks and the interruptions; and sums that are what they say."""

import math
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from abysssim.engine.tally import COUNTS, GROUPS, LEAST_SCORE, MEASURES, PARTS
from abysssim.policies.presets import load_policy
from abysssim.rules.rulebook import load
from abysssim.run import Tally, digest, run_batch
from abysssim.simulate import Batch, Chunk, Piece, rotations, run_chunks
from abysssim.stats.intervals import pointwise
from abysssim.stats.jackknife import independent_difference
from abysssim.store import Checkpoint, Sums, add_sums, digest_of
from abysssim.tables import mean_of
from abysssim.vocabulary import EndTrigger


def batch(*names: str, seed: int = 3, rotate: bool = False, expansions: tuple[str, ...] = ()) -> Batch:
    return Batch(load(expansions=expansions), tuple(load_policy(name) for name in names), seed, rotate)


# --- Chunks of anything --------------------------------------------------------------------------------------------


def squares(chunk: Chunk, scratch: list[Chunk]) -> Piece:
    """Sum something that no two sets of blocks share, exactly."""
    scratch.append(chunk)
    blocks = range(chunk.first, chunk.stop)
    return Piece({"n": np.array([len(blocks)]), "s": np.array([sum(b * b for b in blocks), sum(b**3 for b in blocks)])})


def expected(blocks: int) -> list[int]:
    """Closed forms of the sums of squares and cubes of 0 to blocks - 1."""
    n = blocks - 1
    return [n * (n + 1) * (2 * n + 1) // 6, (n * (n + 1) // 2) ** 2]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_sums_depend_on_neither_jobs_nor_chunk_size(jobs: int, size: int) -> None:
    state = run_chunks(squares, list, 100, chunk_blocks=size, jobs=jobs)
    assert state.sums["s"].tolist() == expected(100)
    assert state.done.ranges == [(0, 100)]


def test_topping_up_plays_only_what_is_missing(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", "squares")
    run_chunks(squares, list, 100, chunk_blocks=16, checkpoint=checkpoint)
    seen: list[Chunk] = []
    state = run_chunks(squares, lambda: seen, 150, chunk_blocks=16, checkpoint=checkpoint)
    assert state.sums["s"].tolist() == expected(150)
    assert seen[0] == (100, 112), "the grid of chunks is the same as from the start"
    assert sum(chunk.stop - chunk.first for chunk in seen) == 50
    finished = run_chunks(squares, lambda: seen, 150, chunk_blocks=16, checkpoint=checkpoint)
    assert sum(chunk.stop - chunk.first for chunk in seen) == 50
    assert finished.sums["s"].tolist() == expected(150)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_played(tmp_path: Path, jobs: int, number: signal.Signals) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", "squares")
    before = signal.getsignal(number)

    def stopped(chunk: Chunk, scratch: list[Chunk]) -> Piece:
        if chunk.first == 40:
            os.kill(os.getpid(), number)
        return squares(chunk, scratch)

    with pytest.raises(KeyboardInterrupt):
        run_chunks(stopped, list, 10_000, chunk_blocks=10, jobs=jobs, checkpoint=checkpoint)
    assert signal.getsignal(number) == before
    done = len(checkpoint.load().done)
    assert 50 <= done < 10_000
    state = run_chunks(squares, list, 10_000, chunk_blocks=10, jobs=jobs, checkpoint=checkpoint)
    assert state.sums["s"].tolist() == expected(10_000)


def test_a_worker_that_fails_loses_nothing_that_was_merged(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", "squares")

    def failing(chunk: Chunk, scratch: list[Chunk]) -> Piece:
        if chunk.first == 40:
            raise RuntimeError("broken")
        return squares(chunk, scratch)

    with pytest.raises(RuntimeError, match="broken"):
        run_chunks(failing, list, 100, chunk_blocks=10, checkpoint=checkpoint)
    assert checkpoint.load().done.ranges == [(0, 40)]


def test_a_piece_that_was_half_merged_is_never_saved(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", "squares")

    def interrupted(total: Sums, part: Sums) -> None:
        add_sums(total, {"n": part["n"]})
        if int(total["n"][0]) > 40:
            raise KeyboardInterrupt
        add_sums(total, {"s": part["s"]})

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_chunks(
                squares, list, 100, chunk_blocks=10, checkpoint=checkpoint, merge=interrupted, save_every=0.0
            )
    assert checkpoint.load().done.ranges == [(0, 40)]
    state = run_chunks(squares, list, 100, chunk_blocks=10, checkpoint=checkpoint)
    assert state.sums["s"].tolist() == expected(100)
    assert state.sums["n"].tolist() == [100]


def test_each_worker_has_a_scratch_of_its_own() -> None:
    busy: set[int] = set()
    lock = threading.Lock()

    def exclusive(chunk: Chunk, scratch: list[Chunk]) -> Piece:
        with lock:
            assert id(scratch) not in busy, "two workers write on one scratch"
            busy.add(id(scratch))
        time.sleep(0.001)
        with lock:
            busy.remove(id(scratch))
        return squares(chunk, scratch)

    assert run_chunks(exclusive, list, 40, chunk_blocks=1, jobs=4).sums["s"].tolist() == expected(40)


# --- Line-ups ------------------------------------------------------------------------------------------------------


LINE_UPS = [(0, 0), (0, 1), (0, 0, 0), (0, 0, 1), (0, 1, 2), (0, 0, 0, 0), (0, 1, 2, 3), (0, 1, 0, 1)]


@pytest.mark.parametrize("given", LINE_UPS)
def test_rotations_are_distinct_and_put_every_policy_on_every_seat_equally_often(given: tuple[int, ...]) -> None:
    found = rotations(given)
    assert found[0] == given
    assert len(set(found)) == len(found)
    multiset = math.factorial(len(given))
    for policy in set(given):
        multiset //= math.factorial(given.count(policy))
    cyclic = {given[k:] + given[:k] for k in range(len(given))}
    assert len(found) == (multiset if len(given) <= 3 else len(cyclic))
    for policy in set(given):
        for seat in range(len(given)):
            assert sum(order[seat] == policy for order in found) * len(given) == len(found) * given.count(policy)


def test_seeds_reach_to_64_bits() -> None:
    high = batch("random", "random", seed=2**64 - 1)
    assert high.seed_words.tolist() == [2**32 - 1, 2**32 - 1]
    batches = [batch("random", "random", seed=seed) for seed in (0, 2**63, 2**64 - 1)]
    rows = [each.play(high.tasks(Chunk(0, 4)), high.scratch()) for each in batches]
    assert len({each["total"].tobytes() for each in rows}) == 3


# --- Games ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[(), ("kraken",)], ids=["base", "kraken"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Batch, Path, str]:
    """One run of 1,200 games in four rotations with every game kept."""
    out = tmp_path_factory.mktemp("run") / "out"
    played = batch("balanced", "balanced", "random", "first", rotate=True, expansions=request.param)
    result = run_batch(played, 1_200, out=out, jobs=2, keep=True, save_every=0.0)
    return played, out, result.digest


def games_of(out: Path) -> pd.DataFrame:
    return pd.read_parquet(out / "games").sort_values(["game", "rotation", "seat"], ignore_index=True)


def test_the_digest_is_the_same_for_any_jobs_chunks_and_resumption(
    kept: tuple[Batch, Path, str], tmp_path: Path
) -> None:
    played, _, reference = kept
    assert run_batch(played, 1_200, jobs=1, chunk_blocks=17).digest == reference
    run_batch(played, 444, out=tmp_path / "out", chunk_blocks=50)
    topped = run_batch(played, 1_200, out=tmp_path / "out", chunk_blocks=64, resume=True)
    assert topped.digest == reference
    assert topped.games == 1_200


def test_another_seed_line_up_or_number_of_games_has_another_digest(kept: tuple[Batch, Path, str]) -> None:
    played, _, reference = kept
    line_up, expansions = ("balanced", "balanced", "random", "first"), played.rulebook.expansions
    other = ("balanced", "balanced", "first", "random")
    others = [
        run_batch(batch(*line_up, seed=4, rotate=True, expansions=expansions), 1_200).digest,
        run_batch(batch(*line_up, rotate=True, expansions=expansions), 1_204).digest,
        run_batch(batch(*other, rotate=True, expansions=expansions), 1_200).digest,
    ]
    assert len({reference, *others}) == 4


def test_sums_are_those_of_the_kept_games(kept: tuple[Batch, Path, str]) -> None:
    played, out, reference = kept
    games = games_of(out)
    assert len(games) == 1_200 * 4
    sums = Checkpoint(out / "checkpoint.npz", "").path
    with np.load(sums) as file:
        found = {name.removeprefix("sums."): file[name] for name in file.files if name.startswith("sums.")}
    assert digest(found) == reference
    group, policy, seat = games["game"] % GROUPS, games["policy"].cat.codes, games["seat"]
    values = {name: games[name].to_numpy(np.int64) for name in (*PARTS, "total", "pearls", "turns", *COUNTS)}
    values |= {"win": games["win12"].to_numpy(np.int64), "margin": games["margin12"].to_numpy(np.int64)}
    values["games"] = np.ones(len(games), np.int64)
    for place, name in enumerate(MEASURES):
        value = values[name.removesuffix("_squared")] ** (2 if name.endswith("_squared") else 1)
        table = np.zeros((GROUPS, 3, 4), np.int64)
        np.add.at(table, (group, policy, seat), value)
        assert (found["seats"][..., place] == table).all(), name
    check_cards(games, found, played)
    check_games(games, found)


def bit(masks: pd.Series, number: int) -> np.ndarray:
    return (masks.to_numpy(np.int64) >> number) & 1


def check_cards(games: pd.DataFrame, found: dict[str, np.ndarray], played: Batch) -> None:
    policy = games["policy"].cat.codes.to_numpy()
    for number, lord in enumerate(played.rulebook.lords):
        took = bit(games["took_mask"], number)
        held = bit(games["held_mask"], number)
        turn = games[f"took_turn_{lord}"].to_numpy(np.int64)
        assert ((turn > 0) == (took == 1)).all()
        for code in range(3):
            mine = policy == code
            totals = [took, took * games["win12"], took * games["margin12"], held, took * turn]
            assert found["lords"][:, code, number].sum(axis=0).tolist() == [int(x[mine].sum()) for x in totals]
    for number in range(len(played.rulebook.locations)):
        held = bit(games["locations_mask"], number)
        for code in range(3):
            mine = policy == code
            totals = [held, held * games["win12"], held * games["margin12"]]
            assert found["locations"][:, code, number].sum(axis=0).tolist() == [int(x[mine].sum()) for x in totals]


def check_games(games: pd.DataFrame, found: dict[str, np.ndarray]) -> None:
    first = games[games["seat"] == 0]
    assert found["games"].sum(axis=0).tolist() == [
        len(first),
        first["game_turns"].sum(),
        (first["game_turns"] ** 2).sum(),
        first["decisions"].sum(),
    ]
    assert found["asked"].sum() == first["decisions"].sum()
    assert (found["picked"].sum(axis=1) == found["asked"]).all()
    for trigger in EndTrigger:
        ended = first[first["end_trigger"] == trigger.name.lower()]
        enders = games[(games["end_trigger"] == trigger.name.lower()) & (games["ended_by"] == games["seat"])]
        assert found["ends"][:, trigger].sum(axis=0).tolist() == [
            len(ended),
            enders["win12"].sum(),
            ended["game_turns"].sum(),
        ]
    lengths = np.bincount(first["game_turns"], minlength=len(found["lengths"]))
    assert (found["lengths"] == lengths).all()
    winners = games[games["win12"] > 0]["total"] - LEAST_SCORE
    assert (found["winning_scores"] == np.bincount(winners, minlength=len(found["winning_scores"]))).all()
    longest = first.sort_values(["game_turns", "game", "rotation"], ascending=[False, True, True]).head(10)
    assert found["note.longest"].tolist() == longest[["game", "rotation", "game_turns"]].to_numpy().tolist()


def test_win_shares_and_margins_of_each_game_add_up(kept: tuple[Batch, Path, str]) -> None:
    games = games_of(kept[1])
    each = games.groupby(["game", "rotation"], observed=True)
    assert (each["win12"].sum() == 12).all()
    assert (each["margin12"].sum() == 0).all()
    assert (games["total"] == games[list(PARTS)].sum(axis=1)).all()
    best = each["total"].transform("max")
    assert (games[games["win12"] > 0]["total"] == best[games["win12"] > 0]).all()


def test_all_games_of_a_run_are_distinct(kept: tuple[Batch, Path, str]) -> None:
    games = games_of(kept[1])
    assert not games.duplicated(["game", "rotation", "seat"]).any()
    what_happened = [name for name in games.columns if name not in ("game", "rotation", "seat", "policy")]
    stories = games.groupby(["game", "rotation"])[what_happened].apply(lambda rows: hash(rows.to_csv(index=False)))
    assert stories.is_unique


def test_tables_agree_in_csv_and_parquet(kept: tuple[Batch, Path, str]) -> None:
    tables = kept[1] / "tables"
    names = {path.stem for path in tables.iterdir()}
    both = {f"{name}.{kind}" for name in names for kind in ("csv", "parquet")}
    assert both == {path.name for path in tables.iterdir()}
    for name in names:
        text = pd.read_csv(tables / f"{name}.csv", dtype=str, keep_default_na=False)
        binary = pd.read_parquet(tables / f"{name}.parquet")
        assert list(text.columns) == list(binary.columns)
        for column in binary.columns:
            a, b = text[column], binary[column]
            if pd.api.types.is_numeric_dtype(b):
                numbers = [float(value or "nan") for value in a]
                np.testing.assert_array_equal(numbers, b.to_numpy(float), err_msg=f"{name} {column}")
            else:
                assert a.tolist() == b.tolist(), (name, column)


def test_equal_policies_under_two_names_show_no_difference(tmp_path: Path) -> None:
    """With each deal played in both orders equal policies exchange their results: the difference is nought exactly."""
    copy = tmp_path / "copy.toml"
    copy.write_text('base = "balanced"\n')
    played = Batch(load(), (load_policy("balanced"), load_policy(copy)), 5, rotate=True)
    assert len(played.permutations) == 2, "two names are two policies, whatever their weights"
    table = run_batch(played, 256, jobs=2).tables["policies"]
    assert table["policy"].tolist() == ["balanced", "copy"]
    assert table["margin"].tolist() == [0.0, 0.0]
    assert table["win_share"].tolist() == [50.0, 50.0]


def test_independent_runs_of_one_line_up_differ_as_often_as_they_should() -> None:
    """A/A runs: pairs of seeds differ by more than a 95 % interval of the difference in 5 % of 100 pairs.

    More than 12 of 100 would have a chance of 0.15 %, none at all one of 0.6 %.
    """
    found = []
    for seed in range(200):
        played = batch("random", "first", seed=1_000 + seed)
        sums = Tally(played)(Chunk(0, 100), played.scratch()).sums
        found.append(mean_of(sums["seats"].sum(axis=(1, 2)), "total"))
    missed = 0
    for a, b in zip(found[::2], found[1::2], strict=True):
        interval = pointwise(independent_difference(a, b))
        missed += not interval.lower <= 0.0 <= interval.upper
    assert 1 <= missed <= 12


def test_the_digest_does_not_depend_on_lists_of_games() -> None:
    sums = {"a": np.array([1]), "note.longest": np.array([[1, 2, 3]])}
    assert digest(sums) == digest_of({"a": np.array([1])})
