# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled loop that plays searches of a Sacred Place by the engine's own code, one fresh Loot deck each.

Types here are numba's.
"""

from abysssim.core.jit import entry_point
from abysssim.core.layout import LOOT_VALUES
from abysssim.core.rng import order_loot
from abysssim.engine.loot import search
from abysssim.engine.setup import set_up
from abysssim.policies.decide import get_ready


@entry_point
def lay_out(rulebooks, desks, games, seats, seed):
    """Lay out the game in which searches are played, deal 0 of the seed, and let the policy look at the rules.

    Its Loot deck has all Loot of the rules; `game` and `desk` are modified in place.
    """
    game = games[0]
    game.seats = seats
    game.seed_low = seed[0]
    game.seed_high = seed[1]
    set_up(game, rulebooks[0])
    get_ready(rulebooks[0], desks[0].policies[0], seats)


@entry_point
def play_searches(rulebooks, desks, starts, games, first, stop, location, ends):
    """Play searches number `first` to `stop` - 1 of seat 0 and count how they end.

    Parameters
    ----------
    rulebooks : RULES, shape (1,)
    desks : DESK, shape (1,)
    starts : GAME, shape (1,)
        As every search begins, but for the order of the Loot: see `lay_out`.
    games : GAME, shape (1,)
        Scratch.
    first, stop : int64
        The number of a search is its deal: it keys the order of the Loot deck.
    location : int64
        The Sacred Place that is searched.
    ends : int64, shape (2**LOOT_VALUES, LOOT_VALUES + 1)
        Added to: [values drawn as a bit mask, 1 + the duplicate's value, 0 for none].
    """
    rules = rulebooks[0]
    desk = desks[0]
    for number in range(first, stop):
        games[0] = starts[0]
        game = games[0]
        game.number = number
        order_loot(game, rules.loot_copies)
        desk.search_count = 0
        search(game, rules, desk, 0, location)
        duplicate = 0
        held = game.loot[location]
        for value in range(LOOT_VALUES):
            if game.loot_lost[value] > 0:
                duplicate = 1 + value
                held |= 1 << value
        ends[held, duplicate] += 1
