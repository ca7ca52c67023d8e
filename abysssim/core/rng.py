"""Keyed randomness: every draw is a pure function of (seed, game, purpose or entity, number of the draw).

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC11):
key = the seed, counter = (draw, purpose or entity, game low, game high). A deck's order sorts one hash for each card:
removing one card leaves the order of all the others. Unsigned 64-bit arithmetic stays inside this module.
"""

import numpy as np

from abysssim.core.jit import jit
from abysssim.core.layout import CARD_STEP, MAX_VALUE, MONSTER, RACES, TOKEN_VALUES

M0 = np.uint64(0xD2511F53)
M1 = np.uint64(0xCD9E8D57)
W0 = np.uint64(0x9E3779B9)
W1 = np.uint64(0xBB67AE85)
WORD = np.uint64(0xFFFFFFFF)
S32 = np.uint64(32)
CODE_MASK = np.uint64(0x7F)
HASH_MASK = np.uint64(0xFFFFFFFFFFFFFF80)

# Entities below layout.FIRST_ENTITY; Lords and Locations carry their own in the rules.
CARD_ENTITY = 1 << 16  # + Race << 12 | value << 8 | copy
TOKEN_ENTITY = 1 << 20  # + value << 8 | copy


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Return the four 32-bit words of one Philox4x32-10 block, all as uint64."""
    for _ in range(10):
        p0 = M0 * c0
        p1 = M1 * c2
        c0, c1, c2, c3 = (p1 >> S32) ^ c1 ^ k0, p1 & WORD, (p0 >> S32) ^ c3 ^ k1, p0 & WORD
        k0 = (k0 + W0) & WORD
        k1 = (k1 + W1) & WORD
    return c0, c1, c2, c3


@jit
def hash_64(game, entity, number):
    """Return 64 random bits (uint64) for an entity and the number of a draw or shuffle."""
    r0, r1, _, _ = philox(
        np.uint64(number) & WORD,
        np.uint64(entity) & WORD,
        np.uint64(game.number) & WORD,
        (np.uint64(game.number) >> S32) & WORD,
        np.uint64(game.seed_low),
        np.uint64(game.seed_high),
    )
    return (r1 << S32) | r0


@jit
def draw(game, purpose, number):
    """Return 32 random bits as int64 for a purpose and the number of the draw."""
    return np.int64(hash_64(game, purpose, number) & WORD)


@jit
def below(game, purpose, number, limit):
    """Return a random int64 in 0 .. limit - 1 (bias below 2**-25 for the small limits of this game)."""
    return (draw(game, purpose, number) * limit) >> 32


@jit
def put_code(game, place, entity, shuffle, code):
    """Write the sort key of one card: its hash, with the card's code (0 to 127) in the lowest bits."""
    game.scratch[place] = (hash_64(game, entity, shuffle) & HASH_MASK) | np.uint64(code)


@jit
def place_of(game, number, count):
    """Return the place of key `number` among the first `count` keys, the lowest first, equal ones as they lie.

    Counting the lower keys is quadratic and still faster than sorting: it has no branch to mispredict, and it runs in
    vectors.
    """
    scratch = game.scratch
    key = scratch[number]
    place = 0
    for i in range(number):
        place += np.int64(scratch[i] <= key)
    for i in range(number + 1, count):
        place += np.int64(scratch[i] < key)
    return place


@jit
def code_at(game, place):
    """Return the code of the card whose key was written at `place`."""
    return np.int64(game.scratch[place] & CODE_MASK)


@jit
def order_exploration_cards(game, allies, monsters, shuffle):
    """Put a shuffled deck of `allies` ([Race, value] counts) and `monsters` into ``game.deck``.

    Equal cards are told apart by their copy number only, so the order depends on the numbers of cards, not on
    which of two equal cards was discarded first.
    """
    count = 0
    for race in range(RACES):
        for value in range(1, MAX_VALUE + 1):
            for copy in range(allies[race, value]):
                entity = CARD_ENTITY + (race << 12) + (value << 8) + copy
                put_code(game, count, entity, shuffle, race * CARD_STEP + value)
                count += 1
    for copy in range(monsters):
        put_code(game, count, CARD_ENTITY + (MONSTER << 12) + copy, shuffle, MONSTER * CARD_STEP)
        count += 1
    for i in range(count):
        game.deck[place_of(game, i, count)] = code_at(game, i)
    game.deck_count = count


@jit
def order_monster_tokens(game, copies):
    """Put a shuffled pile of Monster tokens (`copies` by value) into ``game.tokens``."""
    count = 0
    for value in range(TOKEN_VALUES):
        for copy in range(copies[value]):
            put_code(game, count, TOKEN_ENTITY + (value << 8) + copy, 0, value)
            count += 1
    for i in range(count):
        game.tokens[place_of(game, i, count)] = code_at(game, i)
    game.token_count = count


@jit
def order_lords(game, rules):
    """Put a shuffled deck of all Lords in the game into ``game.lord_deck``."""
    count = 0
    for lord in range(rules.lord_count):
        if rules.lords[lord].in_game:
            put_code(game, count, rules.lords[lord].entity, 0, lord)
            count += 1
    for i in range(count):
        game.lord_deck[place_of(game, i, count)] = code_at(game, i)
    game.lord_deck_count = count


@jit
def order_locations(game, rules, shuffle):
    """Shuffle the Locations that lie in ``game.location_deck``."""
    count = game.location_deck_count
    for i in range(count):
        location = game.location_deck[i]
        put_code(game, i, rules.locations[location].entity, shuffle, location)
    for i in range(count):
        game.location_deck[place_of(game, i, count)] = code_at(game, i)
