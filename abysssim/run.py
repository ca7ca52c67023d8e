"""The ordinary batch: a line-up plays many games, the sums become tables, the tables go to a directory."""

import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abysssim.engine.tally import add_games, new_sums
from abysssim.errors import InputError
from abysssim.rules.words import rules_played
from abysssim.simulate import Batch, Chunk, Keeper, Piece, Progress, Scratch, run_chunks
from abysssim.store import (
    RESULTS_FORMAT,
    RESULTS_VERSION,
    Checkpoint,
    GameFiles,
    State,
    Sums,
    add_sums,
    begun,
    code_hash,
    digest_of,
    files_in,
    identity_of,
    machine,
    now,
    package_versions,
    read_json,
    write_json,
    write_tables,
)
from abysssim.tables import Names, Tables, all_tables, as_json
from abysssim.vocabulary import EndTrigger

NOTE = "note."  # sums with this prefix are lists of games: merged, but not by addition, and not in the digest
NOTED = 10  # games in each list

#: What must be the same for a run to be continued: key in the manifest, and how a sentence calls it.
IDENTITY = {
    "rules_hash": "the rules",
    "players": "the number of players",
    "lineup": "the line-up",
    "seed": "the seed",
    "rotate": "--rotate",
    "keep": "--keep",
    "code_hash": "the version of abysssim's code",
}


# --- The worker ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tally:
    """Plays chunks of a batch and sums them up."""

    batch: Batch
    keep: bool = False

    def __call__(self, chunk: Chunk, scratch: Scratch) -> Piece:
        """Return the sums (engine.tally.new_sums and the lists of notable games) of one chunk, and its rows."""
        batch = self.batch
        desk = scratch.desks[0]
        desk.asked[:] = 0
        desk.picked[:] = 0
        rows = batch.play(batch.tasks(chunk), scratch)
        sums = new_sums(
            len(batch.policies), batch.seats, len(batch.rulebook.lords), len(batch.rulebook.locations)
        )
        add_games(sums, rows)
        sums["asked"] += desk.asked
        sums["picked"] += desk.picked
        sums |= _notes(rows)
        return Piece(sums, rows if self.keep else None)

    def warm_up(self) -> float:
        """Compile or load all that a chunk needs; return the seconds it took."""
        started = time.perf_counter()
        self.batch.warm_up()
        self(Chunk(0, 1), self.batch.scratch())
        return time.perf_counter() - started


def _notes(rows: Any) -> Sums:
    """Return the first stalemates and the longest games as (NOTED, 3) arrays: game, rotation, turns; -1 is empty."""
    games = np.stack([rows["game"][:, 0], rows["rotation"][:, 0], rows["game_turns"][:, 0]], axis=1)
    games = games.astype(np.int64)
    stalemates = games[rows["end_trigger"][:, 0] == EndTrigger.STALEMATE]
    return {f"{NOTE}stalemates": _first(stalemates), f"{NOTE}longest": _longest(games)}


def _first(games: Any) -> Any:
    return _filled(games[np.lexsort((games[:, 1], games[:, 0]))])


def _longest(games: Any) -> Any:
    # Equal lengths by number, so that the list does not depend on the order of merging.
    return _filled(games[np.lexsort((games[:, 1], games[:, 0], -games[:, 2]))])


def _filled(games: Any) -> Any:
    result = np.full((NOTED, 3), -1, np.int64)
    result[: min(NOTED, len(games))] = games[:NOTED]
    return result


def merge(total: Sums, part: Sums) -> None:
    """Add the sums of a piece to the total; the lists of notable games keep the foremost of both."""
    for name, order in ((f"{NOTE}stalemates", _first), (f"{NOTE}longest", _longest)):
        both = np.concatenate([total.get(name, part[name][:0]), part[name]])
        total[name] = order(both[both[:, 0] >= 0])
    add_sums(total, {name: values for name, values in part.items() if not name.startswith(NOTE)})


def digest(sums: Sums) -> str:
    """Return the digest of a run: of its exact integer sums, the lists of notable games left out."""
    return digest_of({name: values for name, values in sums.items() if not name.startswith(NOTE)})


# --- A run ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What a run found.

    manifest : as in manifest.json
    sums : engine.tally.new_sums and the lists of notable games
    tables : by name
    digest : of the sums
    games : played in all
    seconds : of play, all sessions together, without compiling and loading
    """

    manifest: dict[str, Any]
    sums: Sums
    tables: Tables
    digest: str
    games: int
    seconds: float

    @property
    def games_per_second(self) -> float:
        """Games over seconds of play."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def summary(self) -> dict[str, Any]:
        """Return the content of summary.json: nothing in it depends on machine, workers or time."""
        about = ("players", "lineup_names", "seed", "rotate", "rules_hash", "changes")
        return {
            "format": RESULTS_FORMAT,
            "version": RESULTS_VERSION,
            "digest": self.digest,
            "games": self.games,
            "blocks": self.manifest["blocks"],
            **{name: self.manifest[name] for name in about},
            "tables": {name: as_json(table) for name, table in self.tables.items()},
        }


def names_of(batch: Batch) -> Names:
    """Return what the axes of a batch's sums are called."""
    rules = batch.rulebook
    record = rules.record[0]
    return Names(
        batch.labels,
        rules.lords,
        rules.locations,
        tuple(i for i in range(len(rules.lords)) if record.lords[i].in_game),
        tuple(i for i in range(len(rules.locations)) if record.locations[i].in_game),
    )


def run_batch(
    batch: Batch,
    games: int,
    *,
    out: Path | None = None,
    jobs: int = 1,
    keep: bool = False,
    resume: bool = False,
    progress: bool = False,
    command: Sequence[str] = (),
    chunk_blocks: int | None = None,
    save_every: float | None = None,
) -> Result:
    """Play a batch, or what is missing of it, and write its results.

    Parameters
    ----------
    games : how many, rounded up to whole deal blocks; a directory may hold more already
    out : directory for the results (docs/results.md); None writes nothing
    keep : also write one row for each seat of each game
    resume : continue what `out` holds; without it `out` must be new or empty
    progress : show it on standard error
    command : for the manifest

    Raises
    ------
    InputError
        If `out` holds results and `resume` is not set, holds other results, or is in use; nothing is written then.
    KeyboardInterrupt
        After Ctrl-C; what was played is in the checkpoint.
    """
    blocks = -(-games // len(batch.permutations))
    tally = Tally(batch, keep)
    manifest = _manifest(batch, keep, command)
    if out is None:
        if keep:
            raise InputError("--keep games needs --out DIR to write them to")
        state = _play(tally, blocks, jobs, None, None, progress, chunk_blocks, save_every, manifest)
        return _finish(batch, state, manifest)
    check_directory(out, manifest, resume)
    with begun(out, manifest):
        checkpoint = Checkpoint(out / "checkpoint.npz", manifest["identity"])
        keeper = _keeper(out, batch, checkpoint) if keep else None
        state = _play(tally, blocks, jobs, checkpoint, keeper, progress, chunk_blocks, save_every, manifest)
        result = _finish(batch, state, manifest)
        _write(out, result)
    return result


def check_directory(out: Path, manifest: dict[str, Any], resume: bool) -> None:
    """Raise InputError unless a run with this manifest may be written to `out`."""
    present = files_in(out, resume, "run")
    if not present:
        return
    if "manifest.json" not in present:
        raise InputError(f"--out {out} holds no run of abysssim (it has no manifest.json), so --resume cannot go on")
    _check_same(out, read_json(out / "manifest.json"), manifest)


def _check_same(out: Path, old: Any, new: dict[str, Any]) -> None:
    """Raise InputError with what differs between the run of a directory and the one asked for."""
    if not isinstance(old, dict) or old.get("format") != RESULTS_FORMAT or old.get("kind") != "run":
        raise InputError(f"--out {out} does not hold results of 'abysssim run', so --resume cannot go on")
    for key, words in IDENTITY.items():
        if old.get(key) != new[key]:
            before, after = _shown(key, old), _shown(key, new)
            raise InputError(
                f"--resume: {words} differs from what {out} was begun with ({before}; now {after}); "
                "give the same, or choose another --out"
            )


def _shown(key: str, manifest: dict[str, Any]) -> str:
    """Return what a sentence says of one side of a difference."""
    if key == "rules_hash":
        return rules_played(manifest.get("expansions", []), manifest.get("changes", {}))
    if key == "lineup":
        names = [seat["policy"] for seat in manifest.get("lineup", [])]
        hashes = "/".join(str(seat["policy_hash"])[:6] for seat in manifest.get("lineup", []))
        return f"{','.join(names)} with weights {hashes}"
    return str(manifest.get(key))


def _play(
    tally: Tally,
    blocks: int,
    jobs: int,
    checkpoint: Checkpoint | None,
    keeper: Keeper | None,
    progress: bool,
    chunk_blocks: int | None,
    save_every: float | None,
    manifest: dict[str, Any],
) -> State:
    """Play what is missing and return the state."""
    state = checkpoint.load() if checkpoint else State()
    turns = len(tally.batch.permutations)
    if state.done.ranges and state.done.ranges[-1][1] > blocks:
        # More was begun before: finish that, so that the blocks are 0 to some number without a hole.
        blocks = state.done.ranges[-1][1]
        print(f"There are {blocks * turns:,} games here already, or begun: all of them count.", file=sys.stderr)
    manifest |= {"jobs": jobs, "started": now()}
    if len(state.done) == blocks:
        return state
    manifest["loading_seconds"] = round(tally.warm_up(), 3)
    options = {} if save_every is None else {"save_every": save_every}
    return run_chunks(
        tally,
        tally.batch.scratch,
        blocks,
        chunk_blocks=chunk_blocks or tally.batch.chunk_blocks,
        jobs=jobs,
        checkpoint=checkpoint,
        keeper=keeper,
        progress=progress_on(sys.stderr, blocks, len(state.done), turns) if progress else None,
        merge=merge,
        **options,
    )


def _keeper(out: Path, batch: Batch, checkpoint: Checkpoint) -> GameFiles:
    rules = batch.rulebook
    files = GameFiles(out, batch.labels, rules.lords, checkpoint.load().parts)
    files.remove_unlisted()
    return files


def _finish(batch: Batch, state: State, manifest: dict[str, Any]) -> Result:
    blocks = len(state.done)
    games = blocks * len(batch.permutations)
    manifest |= {"blocks": blocks, "games": games, "finished": now(), "play_seconds": round(state.seconds, 3)}
    manifest["parts"] = list(state.parts)
    tables = all_tables(state.sums, names_of(batch))
    return Result(manifest, state.sums, tables, digest(state.sums), games, state.seconds)


def _write(out: Path, result: Result) -> None:
    """Write tables, summary and manifest; the manifest last, as it says what is there."""
    write_tables(out / "tables", result.tables)
    write_json(out / "summary.json", result.summary())
    write_json(out / "manifest.json", {**result.manifest, "digest": result.digest})


def _manifest(batch: Batch, keep: bool, command: Sequence[str]) -> dict[str, Any]:
    """Return the manifest of a run that is about to begin."""
    rules = batch.rulebook
    manifest: dict[str, Any] = {
        "format": RESULTS_FORMAT,
        "version": RESULTS_VERSION,
        "kind": "run",
        "rules_hash": rules.rules_hash,
        "changes": dict(rules.changes),
        "expansions": list(rules.expansions),
        "players": batch.seats,
        "lineup_names": [policy.name for policy in batch.lineup],
        "lineup": [_seat(batch, seat) for seat in range(batch.seats)],
        "policies": [_policy(label, policy) for label, policy in zip(batch.labels, batch.policies, strict=True)],
        "rotations": batch.permutations.tolist(),
        "seed": batch.seed,
        "rotate": batch.rotate,
        "keep": keep,
        "code_hash": code_hash(),
        "packages": package_versions(),
        "machine": machine(),
        "command": shlex.join(command),
        "lords": list(rules.lords),
        "locations": list(rules.locations),
    }
    return manifest | {"identity": identity_of([RESULTS_VERSION, {key: manifest[key] for key in IDENTITY}])}


def _seat(batch: Batch, seat: int) -> dict[str, Any]:
    policy = batch.lineup[seat]
    label = batch.labels[int(batch.permutations[0, seat])]
    return {"seat": seat, "policy": label, "policy_hash": policy.policy_hash}


def _policy(label: str, policy: Any) -> dict[str, Any]:
    return {
        "policy": label,
        "kind": policy.kind.name.lower(),
        "policy_hash": policy.policy_hash,
        "noise": policy.noise,
        "weights": dict(policy.weights),
    }


# --- Progress ------------------------------------------------------------------------------------------------------


class _Bar:
    """A progress bar of games on a terminal."""

    def __init__(self, stream: Any, blocks: int, done: int, turns: int, what: str) -> None:
        from tqdm import tqdm

        self.turns = turns
        self.bar = tqdm(
            total=blocks * turns,
            initial=done * turns,
            unit=f" {what}",
            unit_scale=True,
            file=stream,
            dynamic_ncols=True,
        )

    def update(self, blocks: int) -> None:
        self.bar.update(blocks * self.turns)

    def close(self) -> None:
        self.bar.close()


class _Lines:
    """A line now and then where there is no terminal."""

    EVERY = 30.0

    def __init__(self, stream: Any, blocks: int, done: int, turns: int, what: str) -> None:
        self.what = what
        self.stream, self.blocks, self.done, self.turns = stream, blocks, done, turns
        self.before, self.started = done, time.monotonic()
        self.said = self.started

    def update(self, blocks: int) -> None:
        self.done += blocks
        moment = time.monotonic()
        if moment - self.said >= self.EVERY:
            self.said = moment
            rate = (self.done - self.before) / (moment - self.started)
            left = (self.blocks - self.done) / rate
            print(
                f"{self.done * self.turns:,} of {self.blocks * self.turns:,} {self.what}, "
                f"{rate * self.turns:,.0f} a second, {left:,.0f} s left",
                file=self.stream,
                flush=True,
            )

    def close(self) -> None:
        """Nothing is open."""


def progress_on(stream: Any, blocks: int, done: int, turns: int, what: str = "games") -> Progress:
    """Return a progress bar for a terminal, or something quiet for any other stream.

    blocks : deal blocks in all; done : those played before; turns : games of each block; what : those are called
    """
    kind = _Bar if stream.isatty() else _Lines
    return kind(stream, blocks, done, turns, what)
