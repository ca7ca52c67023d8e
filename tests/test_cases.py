"""The rules' cases: positions, steps and expectations as data."""

from pathlib import Path

import pytest

from abysssim.cases import check_case

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.rglob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(FOLDER).with_suffix("")) for file in FILES])
def test_case(file: Path) -> None:
    assert check_case(file) == []


def test_there_are_cases() -> None:
    assert len(FILES) > 600
