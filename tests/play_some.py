"""Play some games of every number of players and print a digest of all that is kept of them (run as a program)."""

import hashlib

from abysssim.rules.rulebook import load
from tests.helpers import Table

LINEUPS = (
    ["balanced", "random"],
    ["random", "balanced", "trader"],
    ["balanced", "random", "landlord", "hoarder"],
)
RULINGS = ({}, {"rulings.allow_overpay": True, "rulings.into_deck": True, "game.hand_limit": 5})


def digest(games: int) -> str:
    """Return a digest of the rows of `games` games of each line-up under each set of rulings."""
    found = hashlib.blake2b(digest_size=16)
    for changes in RULINGS:
        rulebook = load(changes=changes)
        for policies in LINEUPS:
            found.update(Table(rulebook, policies, seed=3).play(games).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    print(digest(6))
