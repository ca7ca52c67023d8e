"""Golden transcripts: whole games in plain words, compared line by line, so that a change of play is seen and read."""

from pathlib import Path

import pytest

from abysssim.game import Game
from abysssim.rules.rulebook import load

GOLDEN = Path(__file__).parent / "golden"
GAMES: dict[str, tuple[list[str], tuple[str, ...]]] = {  # policies, expansions
    "two_balanced": (["balanced", "balanced"], ()),
    "three_mixed": (["balanced", "hunter", "landlord"], ()),
    "four_mixed": (["balanced", "rusher", "hoarder", "trader"], ()),
    "four_random": (["random", "random", "random", "random"], ()),
    "four_kraken": (["balanced", "smuggler", "trader", "balanced"], ("kraken",)),
}


def transcript(policies: list[str], expansions: tuple[str, ...]) -> str:
    """Return the transcript of game 0 of seed 1 between these policies."""
    rulebook = load(expansions=expansions)
    game = Game(players=len(policies), policies=policies, seed=1, rulebook=rulebook, asked=[])
    game.play_on()
    return str(game.transcript()) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_transcripts_are_the_golden_ones(name: str) -> None:
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert transcript(*GAMES[name]).splitlines() == expected.splitlines()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in GAMES:
        (GOLDEN / f"{name}.txt").write_text(transcript(*GAMES[name]), encoding="utf-8")
