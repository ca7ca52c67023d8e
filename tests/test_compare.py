"""``abysssim compare``: what it says is what the kept games say, paired by deal where deals are the same."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from abysssim.cli import main
from abysssim.compare import Comparison, as_text, compare, read_run
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy
from abysssim.rules.rulebook import load
from abysssim.run import run_batch
from abysssim.simulate import Batch
from abysssim.stats.intervals import t_from_z, z_quantile

GAMES = 600
GROUPS = 256


def play(out: Path, *policies: str, seed: int = 3, games: int = GAMES, **changes: object) -> Path:
    rules = load({key.replace("__", "."): value for key, value in changes.items()})
    batch = Batch(rules, tuple(load_policy(name) for name in policies), seed)
    run_batch(batch, games, out=out, jobs=2, keep=True)
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "printed": play(folder / "printed", "random", "first"),
        "same": play(folder / "same", "random", "first"),
        "changed": play(folder / "changed", "random", "first", lords__peddler__points=12, game__start_pearls=3),
        "other": play(folder / "other", "first", "first", seed=4),
        "longer": play(folder / "longer", "random", "first", games=GAMES + 1),
        "three": play(folder / "three", "random", "first", "first"),
    }


def compared(runs: dict[str, Path], a: str, b: str) -> Comparison:
    return compare(read_run(runs[a]), read_run(runs[b]))


def effect(found: Comparison, of: str, name: str) -> pd.Series:
    rows = found.effects[(found.effects["of"] == of) & (found.effects["name"] == name)]
    assert len(rows) == 1
    return rows.iloc[0]


def group_totals(out: Path) -> tuple[np.ndarray, np.ndarray]:
    """Sum of totals, and number of seats, of each group, from the kept games."""
    games = pd.read_parquet(out / "games")
    group = games["game"] % GROUPS
    totals = games["total"].groupby(group)
    return totals.sum().to_numpy(float), totals.size().to_numpy(float)


def jackknife_se(values: np.ndarray) -> float:
    return float(np.sqrt((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum()))


def test_equal_runs_have_no_effect_at_all(runs: dict[str, Path]) -> None:
    found = compared(runs, "printed", "same")
    assert found.paired
    assert (found.rules, found.lineup, found.other) == ([], [], [])
    known = found.effects["a"].notna()
    assert known.sum() > 50
    assert (found.effects["difference"][known] == 0).all()
    assert "are the same" in as_text(found)


def test_paired_effects_are_those_of_the_kept_games(runs: dict[str, Path]) -> None:
    found = compared(runs, "printed", "changed")
    assert found.paired
    assert sorted(found.rules) == [("game.start_pearls", None, 3), ("lords.peddler.points", None, 12)]
    (x, n), (y, m) = group_totals(runs["printed"]), group_totals(runs["changed"])
    row = effect(found, "score", "total")
    without = (y.sum() - y) / (m.sum() - m) - (x.sum() - x) / (n.sum() - n)
    half = t_from_z(z_quantile(0.05), GROUPS - 1) * jackknife_se(without)
    assert row["a"] == pytest.approx(x.sum() / n.sum())
    assert row["difference"] == pytest.approx(y.sum() / m.sum() - x.sum() / n.sum())
    assert row["difference_high"] - row["difference"] == pytest.approx(half)
    apart = jackknife_se((x.sum() - x) / (n.sum() - n)) ** 2 + jackknife_se((y.sum() - y) / (m.sum() - m)) ** 2
    assert row["variance_reduction"] == pytest.approx(apart / jackknife_se(without) ** 2)


def test_parts_of_the_change_add_up_and_win_shares_cancel(runs: dict[str, Path]) -> None:
    found = compared(runs, "printed", "changed")
    parts = ("locations", "lords", "allies", "monster_tokens")
    total = sum(effect(found, "score", part)["difference"] for part in parts)
    assert total == pytest.approx(effect(found, "score", "total")["difference"])
    shares = [effect(found, f"seat {seat}", "win share, %")["difference"] for seat in (0, 1)]
    assert sum(shares) == pytest.approx(0.0, abs=1e-9)
    endings = found.effects[found.effects["of"] == "ended by (% of games)"]
    assert endings["difference"].sum() == pytest.approx(0.0, abs=1e-9)
    assert endings["a"].sum() == pytest.approx(100.0)


@pytest.mark.parametrize("other", ["other", "longer", "three"])
def test_other_deals_are_not_paired(runs: dict[str, Path], other: str) -> None:
    found = compared(runs, "printed", other)
    assert not found.paired
    (x, n), (y, m) = group_totals(runs["printed"]), group_totals(runs[other])
    row = effect(found, "score", "total")
    each = [jackknife_se((s.sum() - s) / (k.sum() - k)) for s, k in ((x, n), (y, m))]
    half = (row["difference_high"] - row["difference_low"]) / 2
    assert half == pytest.approx(1.965 * np.hypot(*each), rel=0.005), "t with 255 to 510 degrees of freedom"
    assert np.isnan(row["variance_reduction"])
    assert "not paired" in as_text(found)


def test_what_differs_is_named(runs: dict[str, Path]) -> None:
    found = compared(runs, "printed", "other")
    assert found.lineup == [(0, "random", "first")]
    assert found.other == ["seed: 3, then 4"]
    assert compared(runs, "printed", "longer").other == ["games: 600, then 601"]
    assert "players: 2, then 3" in compared(runs, "printed", "three").other


def test_text_fits_a_terminal_and_json_holds_everything(runs: dict[str, Path]) -> None:
    paths = [str(runs["printed"]), str(runs["changed"])]
    text = CliRunner().invoke(main, ["compare", *paths])
    assert text.exit_code == 0, text.output
    lines = [line for line in text.stdout.splitlines() if not line.startswith(("a: ", "b: "))]
    assert max(map(len, lines)) <= 80
    assert "rule game.start_pearls: as printed, then 3" in lines
    found = json.loads(CliRunner().invoke(main, ["compare", *paths, "--json"]).stdout)
    assert found["paired"] is True
    assert len(found["effects"]["difference"]) == len(compared(runs, "printed", "changed").effects)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no manifest\.json"):
        read_run(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "something else"}')
    with pytest.raises(InputError, match="not of 'abysssim run'"):
        read_run(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "abysssim-results", "kind": "run", "identity": "x"}')
    with pytest.raises(InputError, match="not played any games"):
        read_run(tmp_path)
    result = CliRunner().invoke(main, ["compare", str(tmp_path), str(tmp_path / "nowhere")])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
