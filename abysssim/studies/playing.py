"""What every study does to play: the deals of its arms in chunks, with a checkpoint for each, no deal left out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from abysssim.simulate import Batch, Chunk, Piece, Progress, Scratch, run_chunks
from abysssim.store import Checkpoint, State, Sums, add_sums, code_hash, identity_of
from abysssim.studies.health import NOTES, foremost
from abysssim.vocabulary import Decision, Verb

S = TypeVar("S")

#: Deals that are searched for games to look at.
LOOK_DEALS = 400

#: Makes what is told of the deals played, from the name of what is played, the number of deals, that of those played
#: before, and the games of a deal.
MakeProgress = Callable[[str, int, int, int], Progress]


# --- What is played ------------------------------------------------------------------------------------------------


class Playable(Protocol[S]):
    """An arm of a study: one line-up, and what becomes of its deals."""

    @property
    def name(self) -> str:
        """What progress calls it."""

    @property
    def identity(self) -> str:
        """Hash of all that decides the sums of a deal."""

    @property
    def turns(self) -> int:
        """Games of a deal, replays left out."""

    def scratch(self) -> S:
        """Return new scratch records for a worker."""

    def play(self, chunk: Chunk, scratch: S) -> Piece:
        """Play a chunk of deals and return its sums."""


@cache
def code_at_start() -> str:
    """Return the hash of the sources as they were when first asked for: later edits are not what is running."""
    return code_hash()


def identity_of_arm(study: str, batch: Batch, **more: Any) -> str:
    """Return a hash of what decides the games of a batch, and of what else decides the sums of an arm."""
    return identity_of(
        {
            "study": study,
            "code": code_at_start(),
            "rules": batch.rulebook.rules_hash,
            "lineup": [(policy.name, policy.policy_hash) for policy in batch.lineup],
            "seed": batch.seed,
            **more,
        }
    )


# --- A worker's desks ----------------------------------------------------------------------------------------------


class TwoDesks(NamedTuple):
    """Scratch of a worker: a desk for base games, whose counters say what was asked, and one for replays."""

    base: Scratch
    replay: Scratch


@dataclass(frozen=True, eq=False)
class ReplayedBatch:
    """What arms have in common whose deals are played, and then again with one thing changed."""

    name: str
    batch: Batch

    @property
    def turns(self) -> int:
        """Games of a deal, replays left out."""
        return len(self.batch.permutations)

    def scratch(self) -> TwoDesks:
        """Return new scratch records for a worker."""
        return TwoDesks(self.batch.scratch(), self.batch.scratch())


def clear_counters(scratch: Scratch) -> Any:
    """Set what a desk counts over games to nought and return the desk."""
    desk = scratch.desks[0]
    desk.asked[:] = 0
    desk.picked[:] = 0
    desk.search_count = 0
    return desk


def counters(desk: Any) -> Sums:
    """Return how often a desk asked every decision, (Decision,), and had which answer, (Decision, Verb)."""
    return {
        "asked": desk.asked.astype(np.int64),
        "picked": desk.picked.astype(np.int64).reshape(len(Decision), len(Verb)),
    }


# --- Play ----------------------------------------------------------------------------------------------------------


def merge(total: Sums, part: Sums) -> None:
    """Add sums; of the lists of notable games the foremost stay."""
    for kind in NOTES:
        both = np.concatenate([total.get(kind, part[kind][:0]), part[kind]])
        total[kind] = foremost(both[both[:, 0] > 0], kind)
    add_sums(total, {name: values for name, values in part.items() if name not in NOTES})


def compile_all(arm: Playable[S], batch: Batch) -> None:
    """Compile the play and the adding up: workers that all begin with it would compile it several times."""
    batch.warm_up()
    arm.play(Chunk(0, 1), arm.scratch())


def play_deals(
    arm: Playable[S],
    deals: int,
    *,
    chunk_deals: int,
    jobs: int = 1,
    file: Path | None = None,
    progress: MakeProgress | None = None,
) -> State:
    """Play what is missing of deals 0 to `deals` - 1; what was begun beyond is finished, so that none is left out.

    Parameters
    ----------
    chunk_deals : deals that a worker plays at a time
    jobs : workers; -1 for one a core
    file : the checkpoint; None keeps none

    Raises
    ------
    InputError
        If the checkpoint is of another arm.
    KeyboardInterrupt
        After Ctrl-C, with the checkpoint written.
    """
    checkpoint = Checkpoint(file, arm.identity) if file else None
    state = checkpoint.load() if checkpoint else State()
    if state.done.ranges:
        deals = max(deals, state.done.ranges[-1][1])
    if len(state.done) == deals:
        return state
    return run_chunks(
        arm.play,
        arm.scratch,
        deals,
        chunk_blocks=chunk_deals,
        jobs=jobs,
        checkpoint=checkpoint,
        progress=progress(arm.name, deals, len(state.done), arm.turns) if progress else None,
        merge=merge,
    )
