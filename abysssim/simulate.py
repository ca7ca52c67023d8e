"""Batches of games: chunks of deal blocks, played by several workers, checkpointed and resumed.

`run_chunks` is for every batch and every study: it knows nothing of games. `Batch` is one line-up on one seed under
one set of rules, and what a worker needs to play it.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations as all_orders
from types import FrameType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from abysssim.core.layout import DESK, GAME, ROW, TASK, new
from abysssim.rules.rulebook import Rulebook
from abysssim.store import Checkpoint, State, Sums, add_sums

S = TypeVar("S")

#: Chunks are of this many games: some 100 ms, so that Ctrl-C is prompt, little is lost, and sums are seldom merged.
CHUNK_GAMES = 2048
SAVE_EVERY = 1.0  # seconds between checkpoints


# --- Any batch of chunks -------------------------------------------------------------------------------------------


class Chunk(NamedTuple):
    """The deal blocks [first, stop): a deal block is a game number, played once for each rotation."""

    first: int
    stop: int


class Piece(NamedTuple):
    """What a worker makes of a chunk: int64 sums, and rows to be kept (None: nothing is kept)."""

    sums: Sums
    rows: Any = None


class Keeper(Protocol):
    """Keeps the rows of pieces: `add` collects them, `flush` writes what was collected and names the new files."""

    def add(self, rows: Any) -> None:
        """Collect the rows of one piece."""

    def flush(self) -> list[str]:
        """Write what was collected; return the names of the files written."""

    @property
    def full(self) -> bool:
        """Whether so much was collected that it should be written now."""


class Progress(Protocol):
    """Is told how many blocks were played."""

    def update(self, blocks: int) -> None:
        """Blocks were played."""

    def close(self) -> None:
        """No more will be."""


def run_chunks(
    worker: Callable[[Chunk, S], Piece],
    make_scratch: Callable[[], S],
    blocks: int,
    *,
    chunk_blocks: int,
    jobs: int = 1,
    checkpoint: Checkpoint | None = None,
    keeper: Keeper | None = None,
    progress: Progress | None = None,
    merge: Callable[[Sums, Sums], None] = add_sums,
    save_every: float = SAVE_EVERY,
) -> State:
    """Play deal blocks 0 to `blocks` - 1 and return the merged sums of all of them.

    The contract: the sums of a block depend on nothing but what `checkpoint.identity` is a hash of and the number of
    the block. Then the result is the same for any `jobs`, any `chunk_blocks`, any interruption, and a larger `blocks`
    later continues where a smaller one ended. What the checkpoint holds is not played again; it may hold more
    blocks than asked for.

    Parameters
    ----------
    worker : called as worker(chunk, scratch) for ranges of blocks no longer than `chunk_blocks`; gives the sums over
        them. It runs in a thread of its own (joblib's threads, unless ``joblib.parallel_config`` says otherwise; with
        processes it must be picklable), so it should spend its time in compiled code that gives up the GIL. Compile
        that code before: concurrent first calls would compile it several times.
    make_scratch : makes what one worker at a time may write on; made once a thread.
    blocks : how many blocks are wanted in all, at least 1
    chunk_blocks : blocks a call of `worker`; choose it so that a call takes about 100 ms
    jobs : workers at a time; -1 for one a core
    checkpoint : where the state is kept, and read from at the start; None keeps it in memory alone. It is written
        every `save_every` seconds, at the end, and when Ctrl-C or SIGTERM stops the batch.
    keeper : takes the rows of the pieces; its files are listed in the checkpoint as State.parts
    progress : is told of blocks played
    merge : adds the second sums to the first in place; must not depend on the order of calls

    Returns
    -------
    State
        `sums` by name, `done` (the blocks), `parts`, `seconds` of play, earlier sessions included.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C (or SIGTERM), with the checkpoint written; chunks under way are finished first. A second Ctrl-C
        does not wait for them.
    InputError
        If the checkpoint is of another batch or damaged.
    """
    from joblib import Parallel, delayed

    state = checkpoint.load() if checkpoint else State()
    task = _Task(worker, make_scratch, threading.local())
    with _StopSignal() as stop:
        waiting = stop.until(_cut(state, blocks, chunk_blocks))
        results = Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered", pre_dispatch="2*n_jobs")(
            delayed(task)(chunk) for chunk in waiting
        )
        _collect(results, state, checkpoint, keeper, progress, merge, save_every)
        if stop.received:
            raise KeyboardInterrupt
    return state


def _collect(
    results: Iterator[tuple[Chunk, Piece]],
    state: State,
    checkpoint: Checkpoint | None,
    keeper: Keeper | None,
    progress: Progress | None,
    merge: Callable[[Sums, Sums], None],
    save_every: float,
) -> None:
    """Merge pieces as they come, and save now and then and at the end, whatever ends it."""
    started = time.perf_counter() - state.seconds
    saved = time.monotonic()
    whole = False  # whether there is something to save, and no piece is half merged

    def save() -> None:
        state.seconds = time.perf_counter() - started
        if keeper:
            state.parts += keeper.flush()
        if checkpoint:
            checkpoint.save(state)

    try:
        for chunk, piece in results:
            # A cluster may hand in a chunk twice: it counts once.
            if state.done.meets(*chunk):
                continue
            whole = False
            merge(state.sums, piece.sums)
            state.done.add(*chunk)
            if keeper:
                keeper.add(piece.rows)
            whole = True
            if progress:
                progress.update(chunk.stop - chunk.first)
            if time.monotonic() - saved > save_every or (keeper and keeper.full):
                save()
                saved = time.monotonic()
    finally:
        if whole:
            save()
        if progress:
            progress.close()


def _cut(state: State, blocks: int, chunk_blocks: int) -> list[Chunk]:
    """Cut what is missing along a fixed grid, so that topping up meets whole chunks again."""
    chunks = []
    for first, stop in state.done.missing(blocks):
        while first < stop:
            end = min(stop, (first // chunk_blocks + 1) * chunk_blocks)
            chunks.append(Chunk(first, end))
            first = end
    return chunks


@dataclass(frozen=True)
class _Task(Generic[S]):
    """The worker with its scratch: one for each thread, kept from chunk to chunk."""

    worker: Callable[[Chunk, S], Piece]
    make_scratch: Callable[[], S]
    local: Any

    def __call__(self, chunk: Chunk) -> tuple[Chunk, Piece]:
        if not hasattr(self.local, "scratch"):
            self.local.scratch = self.make_scratch()
        return chunk, self.worker(chunk, self.local.scratch)

    def __getstate__(self) -> dict[str, Any]:
        return {"worker": self.worker, "make_scratch": self.make_scratch}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in {**state, "local": threading.local()}.items():
            object.__setattr__(self, name, value)


class _StopSignal:
    """Turns the first SIGINT or SIGTERM into a wish to stop: no new chunk is begun, those under way are finished."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.received = 0
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "_StopSignal":
        # Only the main thread may set handlers; elsewhere the caller has its own way to stop.
        if threading.current_thread() is threading.main_thread():
            for number in self.SIGNALS:
                self._previous[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def until(self, chunks: list[Chunk]) -> Iterator[Chunk]:
        """Yield chunks until the signal comes."""
        for chunk in chunks:
            if self.received:
                return
            yield chunk

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous = {}


# --- A line-up on a seed -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Batch:
    """What is played: rules, a policy for each seat, a seed.

    rulebook : the rules
    lineup : the policy of each seat; their number is the number of players
    seed : 0 to 2**64 - 1
    rotate : whether each deal is played once for each distinct rotation of the line-up (all distinct orders for two
        or three players), so that no policy profits from its seat
    """

    rulebook: Rulebook
    lineup: tuple[Any, ...]
    seed: int = 0
    rotate: bool = False

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.lineup)

    @cached_property
    def policies(self) -> tuple[Any, ...]:
        """The different policies of the line-up, in the order of their first seats: what `ROW.policy` counts."""
        return tuple(policy for i, policy in enumerate(self.lineup) if self._number_at(i) == i)

    def _number_at(self, seat: int) -> int:
        """Return the first seat with the policy of this one: policies are equal if name and content are."""
        keys = [(policy.name, policy.policy_hash) for policy in self.lineup]
        return keys.index(keys[seat])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What the different policies are called in tables: their names, with a number where two share a name."""
        names = [policy.name for policy in self.policies]
        counts = [names[: i + 1].count(name) for i, name in enumerate(names)]
        return tuple(f"{name} ({k})" if k > 1 else name for name, k in zip(names, counts, strict=True))

    @cached_property
    def permutations(self) -> NDArray[np.int64]:
        """Index into `policies` of the policy at each seat, shape (rotations, seats); the line-up as given is first."""
        firsts = [seat for seat in range(self.seats) if self._number_at(seat) == seat]
        given = tuple(firsts.index(self._number_at(seat)) for seat in range(self.seats))
        return np.array(rotations(given) if self.rotate else [given], dtype=np.int64)

    @cached_property
    def seed_words(self) -> NDArray[np.int64]:
        """Low and high 32 bits of the seed, shape (2,)."""
        return np.array([self.seed & 0xFFFFFFFF, self.seed >> 32], dtype=np.int64)

    @property
    def chunk_blocks(self) -> int:
        """Blocks in a chunk of about `CHUNK_GAMES` games."""
        return max(1, CHUNK_GAMES // len(self.permutations))

    def scratch(self) -> "Scratch":
        """Return new scratch records with the policies at the desk."""
        from abysssim.policies.presets import policy_records

        desks, games = new(DESK), new(GAME)
        desks[0].policies[: len(self.policies)] = policy_records(self.policies)
        return Scratch(desks, games)

    def tasks(self, chunk: Chunk) -> Any:
        """Return the TASK records of a chunk: block by block, rotation by rotation, no bars."""
        turns = len(self.permutations)
        tasks = new(TASK, (chunk.stop - chunk.first) * turns)
        tasks.game = np.repeat(np.arange(chunk.first, chunk.stop), turns)
        tasks.rotation = np.tile(np.arange(turns), chunk.stop - chunk.first)
        tasks.bar_seat = tasks.bar_lord = -1
        return tasks

    def play(self, tasks: Any, scratch: "Scratch") -> Any:
        """Play TASK records (n,) and return a new array of ROW records, shape (n, seats).

        A pure function of the batch and the tasks. The health counters of ``scratch.desks[0]`` (asked, picked)
        are added to.
        """
        from abysssim.engine.play import play_batch

        rows = new(ROW, len(tasks) * self.seats).reshape(len(tasks), self.seats)
        kernel: Any = play_batch  # its types are numba's
        kernel(
            self.rulebook.record,
            scratch.desks,
            scratch.games,
            tasks,
            self.permutations,
            self.seats,
            self.seed_words,
            rows,
        )
        return rows

    def warm_up(self) -> float:
        """Compile or load the engine by playing one game; return the seconds it took.

        Says on standard error when there is something to compile. Call it once in the parent, before workers start.
        """
        from abysssim.core.jit import is_cached, is_compiled

        if is_compiled() and not is_cached():
            print("Compiling the rules, once: this takes up to a minute.", file=sys.stderr, flush=True)
        started = time.perf_counter()
        self.play(self.tasks(Chunk(0, 1))[:1], self.scratch())
        return time.perf_counter() - started


class Scratch(NamedTuple):
    """What one worker writes on: DESK (1,) and GAME (1,)."""

    desks: Any
    games: Any


def rotations(given: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct orders of a line-up that one deal is played in, the given one first.

    All distinct permutations for two or three seats, the distinct cyclic rotations for more.
    """
    if len(given) <= 3:
        orders = list(all_orders(given))
    else:
        orders = [given[-k:] + given[:-k] if k else given for k in range(len(given))]
    return list(dict.fromkeys(orders))
