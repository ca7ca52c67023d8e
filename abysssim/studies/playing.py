"""What every study does to play: chunks of one line-up, with a checkpoint, without leaving a deal out."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from abysssim.simulate import Batch, Chunk, Piece, Progress, Scratch, run_chunks
from abysssim.store import Checkpoint, State, Sums, add_sums, code_hash
from abysssim.studies.health import NOTES, foremost

#: Makes what is told of the deals played, from a name, their number, that of those played before, and the games of a
#: deal.
MakeProgress = Callable[[str, int, int, int], Progress]


class TwoDesks(NamedTuple):
    """Scratch of a worker: a desk for base games, whose counters say what was asked, and one for replays."""

    base: Scratch
    replay: Scratch


def two_desks(batch: Batch) -> TwoDesks:
    """Return new scratch records for a worker."""
    return TwoDesks(batch.scratch(), batch.scratch())


@cache
def code_at_start() -> str:
    """Return the hash of the sources as they were when first asked for: later edits are not what is running."""
    return code_hash()


def merge(total: Sums, part: Sums) -> None:
    """Add sums; of the lists of notable games the foremost stay."""
    for kind in NOTES:
        if kind in part:
            both = np.concatenate([total.get(kind, part[kind][:0]), part[kind]])
            total[kind] = foremost(both[both[:, 0] > 0], kind)
    add_sums(total, {name: values for name, values in part.items() if name not in NOTES})


def play_arm(
    name: str,
    batch: Batch,
    identity: str,
    worker: Callable[[Chunk, TwoDesks], Piece],
    games: int,
    *,
    chunk_blocks: int | None = None,
    jobs: int = 1,
    file: Path | None = None,
    progress: MakeProgress | None = None,
) -> State:
    """Play what is missing of one line-up. What was begun beyond `games` is finished, so that no deal is left out.

    Parameters
    ----------
    name : for the progress
    identity : hash of all that decides the sums of a deal
    worker : as in `run_chunks`
    games : base games, rounded up to whole deals
    chunk_blocks : deals in a chunk; twice those of an ordinary batch where it is left out
    file : the checkpoint; None keeps none

    Raises
    ------
    InputError
        If the checkpoint is of another batch.
    KeyboardInterrupt
        After Ctrl-C, with the checkpoint written.
    """
    turns = len(batch.permutations)
    blocks = -(-games // turns)
    checkpoint = Checkpoint(file, identity) if file else None
    state = checkpoint.load() if checkpoint else State()
    if state.done.ranges:
        blocks = max(blocks, state.done.ranges[-1][1])
    if len(state.done) == blocks:
        return state
    return run_chunks(
        worker,
        Desks(batch),
        blocks,
        chunk_blocks=chunk_blocks or 2 * batch.chunk_blocks,
        jobs=jobs,
        checkpoint=checkpoint,
        progress=progress(name, blocks, len(state.done), turns) if progress else None,
        merge=merge,
    )


class Desks:
    """Makes scratch records of a batch when it is called; unlike a closure it can be sent to another process."""

    def __init__(self, batch: Batch) -> None:
        """Remember the batch."""
        self.batch = batch

    def __call__(self) -> TwoDesks:
        """Return new scratch records for a worker."""
        return two_desks(self.batch)


def clear_counters(scratch: Scratch) -> Any:
    """Set what a desk counts over games to nought and return the desk."""
    desk = scratch.desks[0]
    desk.asked[:] = 0
    desk.picked[:] = 0
    desk.search_count = 0
    return desk
