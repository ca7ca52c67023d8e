"""Files appear whole or not at all; ranges are sets of blocks; the digest sees every number and no order."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abysssim.errors import InputError
from abysssim.store import (
    Checkpoint,
    GameFiles,
    Ranges,
    State,
    add_sums,
    digest_of,
    locked,
    remove_leftovers,
    write_atomically,
    write_json,
)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=30), st.integers(1, 80))
def test_ranges_are_a_set_of_blocks(tries: list[tuple[int, int]], end: int) -> None:
    ranges, blocks = Ranges(), set[int]()
    for first, length in tries:
        wanted = set(range(first, first + length))
        assert ranges.meets(first, first + length) == bool(blocks & wanted)
        if blocks & wanted:
            with pytest.raises(ValueError, match="cannot be added"):
                ranges.add(first, first + length)
        else:
            ranges.add(first, first + length)
            blocks |= wanted
    assert len(ranges) == len(blocks)
    missing = [block for first, stop in ranges.missing(end) for block in range(first, stop)]
    assert missing == [block for block in range(end) if block not in blocks]
    stops = [stop for _, stop in ranges.ranges]
    assert all(stop < first for stop, (first, _) in zip(stops, ranges.ranges[1:], strict=False)), "ranges touch"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_json(file, {"old": 1})

    def fail(path: Path) -> None:
        path.write_text("half a fi")
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        write_atomically(file, fail)
    assert json.loads(file.read_text()) == {"old": 1}
    assert list(tmp_path.iterdir()) == [file]


def test_leftovers_of_a_killed_program_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".tmp-abc.npz").write_bytes(b"half")
    (tmp_path / "kept.npz").write_bytes(b"whole")
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    sums = {"a": np.arange(6, dtype=np.int64).reshape(2, 3), "b": np.array(2**62)}
    checkpoint = Checkpoint(tmp_path / "c.npz", "me")
    assert len(checkpoint.load().done) == 0
    checkpoint.save(State(Ranges([(0, 4), (8, 9)]), sums, ["games/part-000000.parquet"], 1.5))
    state = checkpoint.load()
    assert state.done.ranges == [(0, 4), (8, 9)]
    assert state.parts == ["games/part-000000.parquet"]
    assert state.seconds == 1.5
    assert digest_of(state.sums) == digest_of(sums)


def test_a_checkpoint_of_another_batch_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    Checkpoint(path, "me").save(State())
    with pytest.raises(InputError, match="another batch"):
        Checkpoint(path, "you").load()
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="cannot be read"):
        Checkpoint(path, "me").load()


def test_the_digest_sees_values_names_and_shapes_but_not_order_or_layout() -> None:
    a, b = np.arange(6, dtype=np.int64).reshape(2, 3), np.array([7])
    reference = digest_of({"a": a, "b": b})
    assert digest_of({"b": b.astype(np.int32), "a": np.asfortranarray(a)}) == reference
    others = [
        {"a": a.reshape(3, 2), "b": b},
        {"a": a, "c": b},
        {"a": a, "b": b + 1},
        {"a": a},
    ]
    assert len({reference, *(digest_of(sums) for sums in others)}) == 5


def test_adding_sums_is_exact_beyond_what_floats_hold() -> None:
    total = {"x": np.array([2**60 + 1])}
    add_sums(total, {"x": np.array([2**60]), "y": np.array([3])})
    assert total["x"].tolist() == [2**61 + 1]
    assert total["y"].tolist() == [3]


def test_two_processes_cannot_hold_one_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with locked(tmp_path), pytest.raises(InputError, match="another run"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_files_of_games_that_no_checkpoint_lists_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("part-000000.parquet", "part-000001.parquet", ".tmp-x.parquet"):
        (folder / name).write_bytes(b"")
    files = GameFiles(tmp_path, ["balanced"], ["peddler"], ["games/part-000000.parquet"])
    files.remove_unlisted()
    assert [path.name for path in folder.iterdir()] == ["part-000000.parquet"]
    assert files.flush() == []
