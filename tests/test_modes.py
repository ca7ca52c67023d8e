"""The same integers compiled, as plain Python, and compiled with every index checked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.play_some import GAMES, digest

ROOT = Path(__file__).parents[1]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_every_mode_plays_the_same_games(mode: str) -> None:
    """An index out of bounds inside separately compiled code is only printed, so nothing may be."""
    found = run("-m", "tests.play_some", **{mode: "1"})
    assert found.stderr == ""
    assert found.stdout.strip() == digest(GAMES)


def test_the_small_set_passes_with_the_jit_off() -> None:
    found = run("-m", "pytest", "-m", "nojit", "-p", "no:cacheprovider", NUMBA_DISABLE_JIT="1")
    assert found.returncode == 0, found.stdout[-2000:]
    assert " passed" in found.stdout


def test_an_edited_source_changes_the_place_of_compiled_code(tmp_path: Path) -> None:
    """A copy of the package with one more comment in an engine file must not find the old compiled code."""
    import shutil

    shutil.copytree(ROOT / "abysssim", tmp_path / "abysssim", ignore=shutil.ignore_patterns("__pycache__"))
    ask = "from abysssim.core.jit import cache_folder; print(cache_folder('engine'), cache_folder('policies'))"
    environment = {"PYTHONPATH": str(tmp_path), "ABYSSSIM_CACHE": str(tmp_path / "cache")}

    def places() -> list[str]:
        found = subprocess.run(
            [sys.executable, "-c", ask],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return found.stdout.split()

    before = places()
    with open(tmp_path / "abysssim" / "engine" / "council.py", "a") as file:
        file.write("# more\n")
    engine_edited = places()
    with open(tmp_path / "abysssim" / "core" / "scoring.py", "a") as file:
        file.write("# more\n")
    core_edited = places()
    assert before[0] != engine_edited[0]
    assert before[1] == engine_edited[1]
    assert engine_edited[0] != core_edited[0]
    assert engine_edited[1] != core_edited[1]
