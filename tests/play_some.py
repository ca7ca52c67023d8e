"""Play some games of every number of players and print a digest of all that is kept of them (run as a program)."""

import hashlib

from abysssim.rules.rulebook import load
from tests.helpers import Table

GAMES = 5  # of each line-up: plain Python takes a fifth of a second for each game
LINEUPS = (
    ["balanced", "random"],
    ["random", "balanced", "trader"],
    ["balanced", "random", "landlord", "hoarder"],
)
KRAKEN_LINEUPS = (
    ["smuggler", "random"],
    ["random", "trader", "random"],
    ["balanced", "random", "honest", "random"],
)
RULINGS = ({}, {"rulings.allow_overpay": True, "rulings.into_deck": True, "game.hand_limit": 5})
KRAKEN_RULINGS = RULINGS[1] | {f"rulings.{name}": True for name in ("nebulis_on_any_discard", "loot_stays", "no_loot")}


def digest(games: int) -> str:
    """Return a digest of the rows of `games` games of each line-up under each set of rulings."""
    found = hashlib.blake2b(digest_size=16)
    for expansions, lineups, rulings in (
        ((), LINEUPS, RULINGS),
        (("kraken",), KRAKEN_LINEUPS, ({}, KRAKEN_RULINGS)),
    ):
        for changes in rulings:
            rulebook = load(changes, expansions)
            for policies in lineups:
                found.update(Table(rulebook, policies, seed=3).play(games).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    print(digest(GAMES))
