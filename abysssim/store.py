"""What is written to disk: atomic files, the checkpoint of a batch, and the ranges of deal blocks it holds.

A file appears under its name only when it is complete: it is written beside its place and then moved there, so that
whoever stops the program at any moment finds the old file or the new one. The checkpoint is the one place that says
what has been played; whatever it does not list (a part of the kept games, say) does not count and is played again.
"""

import json
import os
import platform
import tempfile
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abysssim.engine.tally import COUNTS
from abysssim.errors import InputError
from abysssim.vocabulary import EndTrigger

if TYPE_CHECKING:
    import pandas as pd

Sums = dict[str, NDArray[np.int64]]

CHECKPOINT_FORMAT = 1
TEMPORARY = ".tmp-"


# --- Files ---------------------------------------------------------------------------------------------------------


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file in the folder of `path`, then move it to `path` in one step."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY, suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        # Without this a power cut could leave the new name with no content.
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        # mkstemp's files are for their owner only; results are as readable as other files.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda file: _write_utf8(file, text))


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; InputError if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as JSON: {error}") from None


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files that a stopped program left in a folder."""
    for file in folder.glob(f"{TEMPORARY}*"):
        file.unlink(missing_ok=True)


def _write_utf8(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


# --- Sums ----------------------------------------------------------------------------------------------------------


def add_sums(total: Sums, part: Sums) -> None:
    """Add `part` to `total` in place, name by name; a name that `total` lacks is copied."""
    for name, values in part.items():
        if name in total:
            total[name] += values
        else:
            total[name] = values.astype(np.int64, copy=True)


def digest_of(sums: Sums) -> str:
    """Return 32 hexadecimal digits: a hash of names, shapes and values, the same on every machine."""
    digest = blake2b(digest_size=16)
    for name in sorted(sums):
        values = np.ascontiguousarray(sums[name], dtype="<i8")
        digest.update(f"{name}{values.shape};".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


# --- What has been played ------------------------------------------------------------------------------------------


@dataclass
class Ranges:
    """A set of deal blocks, kept as sorted ranges [first, stop) that neither touch nor overlap."""

    ranges: list[tuple[int, int]] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return sum(stop - first for first, stop in self.ranges)

    def meets(self, first: int, stop: int) -> bool:
        """Tell whether any block of [first, stop) is in the set."""
        place = bisect_right(self.ranges, (first, 1 << 63))
        before = place > 0 and self.ranges[place - 1][1] > first
        after = place < len(self.ranges) and self.ranges[place][0] < stop
        return before or after

    def add(self, first: int, stop: int) -> None:
        """Add the blocks of [first, stop); ValueError if one of them is in the set already."""
        if self.meets(first, stop) or first >= stop:
            raise ValueError(f"blocks {first} to {stop} cannot be added to {self.ranges}")
        place = bisect_right(self.ranges, (first, stop))
        self.ranges.insert(place, (first, stop))
        if place + 1 < len(self.ranges) and self.ranges[place + 1][0] == stop:
            self.ranges[place] = (first, self.ranges.pop(place + 1)[1])
        if place > 0 and self.ranges[place - 1][1] == first:
            stop = self.ranges.pop(place)[1]
            self.ranges[place - 1] = (self.ranges[place - 1][0], stop)

    def missing(self, stop: int) -> Iterable[tuple[int, int]]:
        """Yield the ranges of [0, stop) that are not in the set, in order."""
        first = 0
        for start, end in self.ranges:
            if first < min(start, stop):
                yield first, min(start, stop)
            first = end
        if first < stop:
            yield first, stop


@dataclass
class State:
    """What a batch has done so far: the blocks played, their sums, the files of kept games, the seconds of play."""

    done: Ranges = field(default_factory=Ranges)
    sums: Sums = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Checkpoint:
    """The file that keeps the State of a batch.

    path : the file (.npz; its folder exists)
    identity : hash of all that decides what each block's sums are, the number of blocks left out
    """

    path: Path
    identity: str

    def load(self) -> State:
        """Return the state on disk, or a new one where there is no file.

        Raises
        ------
        InputError
            If the file is of another batch or cannot be read.
        """
        if not self.path.exists():
            return State()
        try:
            # Opened here: numpy leaves a file that is no archive to the garbage collector.
            with open(self.path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                about = json.loads(bytes(file["about"]).decode())
                sums = {name.removeprefix("sums."): file[name] for name in file.files if name != "about"}
            found = (about["format"], about["identity"])
            state = State(Ranges([(a, b) for a, b in about["done"]]), sums, about["parts"], about["seconds"])
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(f"the checkpoint {self.path} cannot be read: {error}") from None
        if found != (CHECKPOINT_FORMAT, self.identity):
            raise InputError(f"the checkpoint {self.path} belongs to another batch: choose another folder")
        return state

    def save(self, state: State) -> None:
        """Write the state, atomically."""
        about = {
            "format": CHECKPOINT_FORMAT,
            "identity": self.identity,
            "done": state.done.ranges,
            "parts": state.parts,
            "seconds": state.seconds,
        }
        content: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
        content.update({f"sums.{name}": values for name, values in state.sums.items()})
        write_atomically(self.path, lambda file: np.savez(file, **content))


def identity_of(value: Any) -> str:
    """Return 32 hexadecimal digits: a hash of a value made of dicts, lists, text and numbers."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


# --- A directory of results ----------------------------------------------------------------------------------------

PACKAGE = Path(__file__).resolve().parent
DECIDING = ("core", "policies", "engine")  # folders whose code decides what a game is
PACKAGES = ("abysssim", "numpy", "numba", "llvmlite", "pandas", "pyarrow", "scipy", "joblib", "cmaes")
#: How the manifest of a directory begins, of a run or of a study.
RESULTS_FORMAT, RESULTS_VERSION = "abysssim-results", 1


def files_in(out: Path, resume: bool, kind: str) -> list[str]:
    """Return the names in a directory that results shall go to, leftovers not among them.

    kind : what is to be written there: "run", "study"

    Raises
    ------
    InputError
        If `out` is a file, or is not empty while `resume` is not set.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file; it must be a directory, or new")
    names = [path.name for path in out.iterdir() if not path.name.startswith(TEMPORARY)] if out.exists() else []
    if names and not resume:
        raise InputError(f"--out {out} is not empty; choose another directory, or add --resume to continue its {kind}")
    return names


@contextmanager
def begun(out: Path, manifest: Mapping[str, Any]) -> Iterator[None]:
    """Hold a directory of results, made if it is not there; it has a manifest, its first one, from the start."""
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        remove_leftovers(out)
        if not (out / "manifest.json").exists():
            write_json(out / "manifest.json", manifest)
        yield


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone; the lock ends with the process, however it ends.

    Raises InputError if another process holds it. Where the system has no such locks (Windows) nothing is locked.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{folder} is being written by another run; wait for it, or choose another") from None
        yield
    finally:
        os.close(handle)


def code_hash() -> str:
    """Return 16 hexadecimal digits: a hash of the sources that decide what a game is."""
    digest = blake2b(digest_size=8)
    files = [PACKAGE / "vocabulary.py"]
    for folder in DECIDING:
        files += sorted((PACKAGE / folder).glob("*.py"))
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results could depend on."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def now() -> str:
    """Return the time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def machine() -> dict[str, Any]:
    """Return what is known of this machine: system, processor, cores, memory in GiB."""
    import psutil

    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": psutil.cpu_count(logical=True),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
    }


def write_tables(folder: Path, tables: Mapping[str, "pd.DataFrame"]) -> None:
    """Write each table as CSV and as Parquet, each file atomically; floats in CSV have all their digits."""
    folder.mkdir(exist_ok=True)
    remove_leftovers(folder)
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
        write_atomically(folder / f"{name}.parquet", _ToParquet(table))


@dataclass(frozen=True)
class _ToParquet:
    table: "pd.DataFrame"

    def __call__(self, path: Path) -> None:
        self.table.to_parquet(path, index=False)


# --- Kept games ----------------------------------------------------------------------------------------------------

PART_ROWS = 100_000  # rows after which a part of the kept games is written
#: What a run does not keep: nothing is barred or given in it, and what is told apart by Location is for studies.
OF_STUDIES = ("bar_bit", "gift_keys", "gift_lords", "gift_tokens", "took_locations", "location_points")
MASKS = {"took": "took_mask", "held": "held_mask", "locations_held": "locations_mask"}


class GameFiles:
    """Writes one row for each seat of each game to Parquet files in the folder `games`, one file at a time.

    labels : the policies of the line-up, which `ROW.policy` counts
    lords : keys of all Lords
    parts : files that a checkpoint lists already, as paths below `out`
    """

    def __init__(self, out: Path, labels: Sequence[str], lords: Sequence[str], parts: Sequence[str]) -> None:
        """Make the folder; nothing in it is touched."""
        self.out, self.labels, self.lords = out, tuple(labels), tuple(lords)
        self.listed = list(parts)
        self.waiting: list[Any] = []
        (out / "games").mkdir(exist_ok=True)

    def remove_unlisted(self) -> None:
        """Remove files whose games no checkpoint counts: they are played again."""
        remove_leftovers(self.out / "games")
        for file in (self.out / "games").glob("part-*.parquet"):
            if f"games/{file.name}" not in self.listed:
                file.unlink()

    @property
    def full(self) -> bool:
        """Whether enough rows wait for a file of their own."""
        return bool(sum(rows.size for rows in self.waiting) >= PART_ROWS)

    def add(self, rows: Any) -> None:
        """Collect ROW records of shape (games, seats)."""
        self.waiting.append(rows)

    def flush(self) -> list[str]:
        """Write the rows collected, sorted by game, rotation and seat; return the file's path below `out`, if any."""
        if not self.waiting:
            return []
        rows = np.concatenate([rows.reshape(-1) for rows in self.waiting])
        rows = rows[np.lexsort((rows["seat"], rows["rotation"], rows["game"]))]
        self.waiting = []
        name = f"games/part-{len(self.listed):06d}.parquet"
        table = games_table(rows, self.labels, self.lords)
        write_atomically(self.out / name, _WriteTable(table))
        self.listed.append(name)
        return [name]


@dataclass(frozen=True)
class _WriteTable:
    table: Any

    def __call__(self, path: Path) -> None:
        from pyarrow import parquet

        parquet.write_table(self.table, path, compression="zstd")


def games_table(rows: Any, labels: Sequence[str], lords: Sequence[str]) -> Any:
    """Return ROW records (n,) as a flat pyarrow Table: its columns are in docs/results.md."""
    import pyarrow as pa

    triggers = [trigger.name.lower() for trigger in EndTrigger]
    columns: dict[str, Any] = {}
    for name in rows.dtype.names:
        if name == "policy":
            columns[name] = _words(rows[name], labels)
        elif name == "end_trigger":
            columns[name] = _words(rows[name], triggers)
        elif name == "counts":
            for number, count in enumerate(COUNTS):
                columns[count] = pa.array(np.ascontiguousarray(rows[name][:, number]))
        elif name == "took_turn":
            for number, lord in enumerate(lords):
                columns[f"took_turn_{lord}"] = pa.array(np.ascontiguousarray(rows[name][:, number]))
        elif name not in OF_STUDIES:
            columns[MASKS.get(name, name)] = pa.array(np.ascontiguousarray(rows[name]))
    return pa.table(columns)


def _words(numbers: Any, words: Sequence[str]) -> Any:
    import pyarrow as pa

    indices = pa.array(np.ascontiguousarray(numbers, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(words), pa.string()))
