"""``abysssim run`` as a user meets it: refusals, Ctrl-C, kill -9, resumption, output."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from abysssim.cli import main
from abysssim.simulate import Batch

RUN = [sys.executable, "-c", "from abysssim.cli import main; main()", "run"]
LONG = ["--players", "4", "--games", "30000", "--seed", "9"]


def invoke(*args: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, args)])


def as_json(*args: object) -> dict[str, Any]:
    result = invoke(*args, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def refusal(*args: object) -> str:
    result = invoke(*args)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""
    return result.stderr


@pytest.fixture(scope="module")
def undisturbed() -> str:
    """Digest of the long run that the interrupted ones are compared with; also fills the compile cache."""
    return str(as_json(*LONG)["digest"])


def start(out: Path, *more: str) -> subprocess.Popen[str]:
    # One worker, so that there is time to interrupt it; it is resumed by two.
    command = [*RUN, *LONG, "--jobs", "1", "--out", str(out), *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never appeared"
        time.sleep(0.02)


def test_ctrl_c_is_prompt_and_resumes(undisturbed: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out)
    wait_for(out / "checkpoint.npz")
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - asked < 5
    assert process.returncode == 130
    assert "--resume" in errors
    assert "Traceback" not in errors
    assert not (out / "summary.json").exists(), "the run was over before it was interrupted"
    assert as_json(*LONG, "--out", out, "--resume")["digest"] == undisturbed


def test_a_killed_run_resumes(undisturbed: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, "--keep", "games")
    wait_for(out / "checkpoint.npz")
    process.kill()
    process.communicate()
    (out / ".tmp-left.npz").write_bytes(b"half")
    (out / "games" / "part-000099.parquet").write_bytes(b"not in the checkpoint")
    assert not (out / "summary.json").exists(), "the run was over before it was killed"
    assert as_json(*LONG, "--out", out, "--keep", "games", "--resume")["digest"] == undisturbed
    assert not list(out.glob(".tmp-*"))
    games = pd.read_parquet(out / "games", columns=["game", "seat", "policy", "win12"])
    assert len(games) == 30_000 * 4
    assert not games.duplicated(["game", "seat"]).any()
    assert games["policy"].unique().tolist() == ["balanced"]


SMALL = ["--players", 2, "--policies", "random", "--seed", 1]


def test_resume_starts_finishes_repeats_and_tops_up(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    first = as_json(*SMALL, "--games", 300, "--out", out, "--resume")
    again = as_json(*SMALL, "--games", 300, "--out", out, "--resume")
    assert again == first, "a finished run is shown again"
    more = as_json(*SMALL, "--games", 700, "--out", out, "--resume")
    assert more["digest"] == as_json(*SMALL, "--games", 700)["digest"]
    fewer = invoke(*SMALL, "--games", 300, "--out", out, "--resume", "--json")
    assert json.loads(fewer.stdout) == more
    assert "700 games" in fewer.stderr


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "out"
    as_json(*SMALL, "--games", 20, "--out", out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert "--resume" in refusal(*SMALL, "--games", 30, "--out", out)
    for change, words in (
        (["--players", 3, "--policies", "random", "--seed", 1], "number of players"),
        (["--players", 2, "--policies", "first", "--seed", 1], "line-up"),
        (["--players", 2, "--policies", "random", "--seed", 2], "seed differs"),
        ([*SMALL, "--set", "lords.peddler.cost=9"], "lords.peddler.cost = 9"),
        ([*SMALL, "--rotate"], "--rotate differs"),
        ([*SMALL, "--keep", "games"], "--keep differs"),
    ):
        assert words in refusal(*change, "--games", 30, "--out", out, "--resume")
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all my work")
    assert "not empty" in refusal(*SMALL, "--out", tmp_path)
    assert "manifest.json" in refusal(*SMALL, "--out", tmp_path, "--resume")
    assert "is a file" in refusal(*SMALL, "--out", tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--players", 7], "2, 3, 4"),
        (["--players", 4, "--policies", "balanced,random"], "one for each of 4 players, not 2"),
        (["--players", 4, "--policies", "balancd"], "did you mean 'balanced'"),
        (["--players", 4, "--seed", 2**64], "--seed"),
        (["--players", 4, "--seed", -1], "--seed"),
        (["--players", 4, "--games", 0], "--games"),
        (["--players", 4, "--jobs", 0], "--jobs must be"),
        (["--players", 4, "--keep", "games"], "--out"),
        (["--players", 4, "--set", "lords.pedler.cost=9"], "peddler"),
        ([], "--players"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(args: list[object], words: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = [] if "--keep" in args else ["--out", out]
    assert words in refusal(*args, *more)
    assert not out.exists()


def test_json_has_the_keys_that_scripts_rely_on(tmp_path: Path) -> None:
    result = invoke(*SMALL, "--games", 50, "--seed", 2**64 - 1, "--json", "--out", tmp_path / "out")
    found = json.loads(result.stdout)
    for key in ("digest", "games", "games_per_second", "seconds"):
        assert result.stdout.count(f'"{key}":') == 1
    assert found["games"] == 50
    assert found["games_per_second"] == pytest.approx(50 / found["seconds"], rel=0.1)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary == {key: value for key, value in found.items() if key not in ("games_per_second", "seconds")}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["seed"] == 2**64 - 1
    assert manifest["digest"] == found["digest"]


def test_rotation_rounds_up_to_whole_deals_and_says_so() -> None:
    result = invoke("--players", 3, "--policies", "random,first,balanced", "--games", 31, "--rotate", "--json")
    assert json.loads(result.stdout)["games"] == 36
    assert "36 games" in result.stderr


def test_the_summary_fits_a_terminal(tmp_path: Path) -> None:
    policy = tmp_path / "a_policy_with_a_long_name_for_a_table.toml"
    policy.write_text('base = "balanced"\n')
    result = invoke("--players", 3, "--policies", f"random,{policy},balanced", "--games", 90, "--rotate")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    for last_column in ("total, IP", "Monsters", "Locations", "ender wins"):
        assert any(line.endswith(last_column) for line in result.stdout.splitlines()), last_column


def test_a_crash_of_the_second_kind_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours must not look like bad input."""

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Batch, "play", broken)
    result = invoke(*SMALL, "--games", 10)
    assert isinstance(result.exception, RuntimeError)


def test_help_names_every_default() -> None:
    text = invoke("--help").stdout
    for words in ("balanced", "100000", "--resume", "default: 0"):
        assert words in text
