"""Functions that are compiled apart and called by symbol answer, and fail, as if they were called in the usual way."""

from pathlib import Path

import numpy as np
import pytest

from abysssim.core import jit
from abysssim.core.layout import new

CELL = np.dtype([("value", "i8")])
OTHERS = dict(jit._separate)  # what the package waits to compile is not compiled here
jit._separate.clear()


@jit.separate((CELL,), 2)
def halve(cell, low, high):  # type: ignore[no-untyped-def]
    if cell.value < low:
        raise ValueError("too low")
    if cell.value > high:
        raise OverflowError("too high")
    return cell.value // 2


@jit.separate((CELL,), 1)
def halve_twice(cell, low):  # type: ignore[no-untyped-def]
    cell.value = halve(cell, low, 100)
    return halve(cell, low, 100)


@jit.inline
def quarter_or_half(cell, low, twice):  # type: ignore[no-untyped-def]
    return halve_twice(cell, low) if twice else halve(cell, low, 50)


@jit.entry_point
def answers(cells, low, twice):  # type: ignore[no-untyped-def]
    total = 0
    for i in range(cells.shape[0]):
        total += quarter_or_half(cells[i], low, twice)
    return total


OWN = dict(jit._separate)
jit._separate.clear()
jit._separate.update(OTHERS)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ABYSSSIM_CACHE", str(tmp_path))
    monkeypatch.setattr(jit, "_separate", OWN)
    monkeypatch.setattr(jit, "is_cached", lambda: True)


def cells_of(*values: int) -> np.ndarray:
    cells = new(CELL, len(values))
    cells.value = values
    return cells


def test_they_return_what_they_compute_and_write_what_they_write() -> None:
    cells = cells_of(40, 20)
    assert answers(cells, 0, 0) == 20 + 10
    assert answers(cells, 0, 1) == 10 + 5
    assert cells.value.tolist() == [20, 10]


def test_an_exception_comes_out_whole_however_deep_it_was_raised() -> None:
    with pytest.raises(ValueError, match="too low"):
        answers(cells_of(40, 3), 10, 0)
    with pytest.raises(OverflowError, match="too high"):
        answers(cells_of(40, 60), 10, 0)
    with pytest.raises(ValueError, match="too low"):
        answers(cells_of(40, 12), 10, 1)
    assert answers(cells_of(40, 12), 0, 1) == 10 + 3
