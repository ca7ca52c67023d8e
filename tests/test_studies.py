"""What all studies share: their directories, going on with them, and games of theirs that are shown again."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from abysssim.cli import main
from abysssim.errors import InputError
from abysssim.policies.presets import load_policy
from abysssim.studies import settings as reading
from abysssim.studies.result import as_given

NEBULIS = "points = [0]\nfigure = [-5]\n[tuning]\ngenerations = 0\n"
#: A study of each kind that is as small as can be: its settings, and options; POLICY stands for the path of a policy.
SMALL: dict[str, tuple[str, list[str]]] = {
    "lord-values": ("", ["--games", "8", "--policies", "POLICY", "--expansion", "kraken"]),
    "nebulis": (f'balanced = "POLICY"\n{NEBULIS}', ["--games", "8"]),
    "sacred-places": ("rounds = 1\n", ["--games", "64", "--policy", "POLICY"]),
}


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("study", SMALL)
def test_a_study_keeps_its_directory_and_a_game_of_it_can_be_shown(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The report is for the tests of each study.
    monkeypatch.setattr(f"abysssim.commands.{study.replace('-', '_')}._write", lambda out, result: None)
    policy = tmp_path / "odd.toml"
    policy.write_text('base = "balanced"\n')
    text, options = SMALL[study]
    file = tmp_path / "settings.toml"
    file.write_text(text.replace("POLICY", str(policy)))
    out = tmp_path / "out"
    command = ["study", study, str(file), *(one.replace("POLICY", str(policy)) for one in options)]
    command += ["--jobs", "1", "--out", str(out)]
    done = ask(*command, "--json")
    assert done.exit_code == 0, done.output
    manifest: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    assert manifest["study"] == study
    assert manifest["expansions"] == ["kraken"]
    assert manifest["directory"] == str(out)
    assert manifest["finished"] >= manifest["started"]

    shown = ask("play", "--from", str(out), "--game", "3")
    assert shown.exit_code == 0, shown.output
    assert "seat 0 odd, seat 1 odd" in shown.stdout
    assert "Seed 1, game 3." in shown.stdout
    assert "With Kraken." in shown.stdout

    again = ask(*command)
    assert again.exit_code == 2
    assert "is not empty; choose another directory, or add --resume" in again.stderr
    other = ask(*command, "--resume", "--seed", "9")
    assert other.exit_code == 2
    assert "seed differs" in other.stderr
    elsewhere = next(name for name in SMALL if name != study)
    wrong = ask("study", elsewhere, "--out", str(out), "--resume")
    assert wrong.exit_code == 2
    assert f"holds no study {elsewhere}" in wrong.stderr


def test_a_policy_is_called_what_it_is_found_by(tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('base = "balanced"\n')
    assert as_given(load_policy("balanced")) == "balanced"
    assert as_given(load_policy(str(file))) == str(file)


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: reading.read_table(Path("nowhere.toml")), "the settings nowhere.toml cannot be read as TOML"),
        (lambda: reading.check_known({"ga": 1}, ("games", "seed"), "f"), "no setting 'ga'; there are games, seed"),
        (lambda: reading.as_table(3, "region", "f"), "f: region must be a table, not 3"),
        (lambda: reading.as_whole(True, "games", 1, 5, "f"), "games must be a whole number from 1 to 5, not True"),
        (lambda: reading.as_positive(101, "ip", "f"), "ip must be a number above 0 and at most 100, not 101"),
        (lambda: reading.as_name("", "policy", "f"), "policy must be text, not ''"),
        (lambda: reading.counts_of({"seed": -1}, "f"), "seed must be a whole number from 0 to"),
    ],
)
def test_wrong_settings_are_refused_in_words(read: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        read()
    assert words in str(error.value)
