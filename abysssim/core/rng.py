"""Keyed randomness: every draw is a pure function of (seed, game, purpose or entity, number of the draw).

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC11):
key = the seed, counter = (draw, purpose or entity, game low, game high). A deck's order sorts one hash for each card:
removing one card leaves the order of all the others. Unsigned 64-bit arithmetic stays inside this module.
"""

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import (
    BUCKET_BITS,
    BUCKETS,
    CARD_STEP,
    COPIES_PUT,
    GAME,
    KINDS,
    LOOT_VALUES,
    MAX_VALUE,
    MONSTER,
    TOKEN_VALUES,
)

M0 = np.uint64(0xD2511F53)
M1 = np.uint64(0xCD9E8D57)
W0 = np.uint64(0x9E3779B9)
W1 = np.uint64(0xBB67AE85)
WORD = np.uint64(0xFFFFFFFF)
S32 = np.uint64(32)
CODE_BITS = 7
SHIFT = np.uint64(CODE_BITS)
CODE_MASK = np.uint64(0x7F)
HASH_MASK = np.uint64(0xFFFFFFFFFFFFFF80)
BUCKET_SHIFT = np.uint64(64 - BUCKET_BITS)

# Entities below layout.FIRST_ENTITY; Lords and Locations carry their own in the rules.
CARD_ENTITY = 1 << 16  # + Race << 12 | value << 8 | copy
TOKEN_ENTITY = 1 << 20  # + value << 8 | copy
LOOT_ENTITY = 1 << 21  # + value << 8 | copy


@inline
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


@inline
def put_card(game, place, entity, code):
    """Write down a card that is to be shuffled: its entity and its code (0 to 127)."""
    game.keys[place] = np.uint64(entity << CODE_BITS | code)


@inline
def hash_cards(game, shuffle, count):
    """Make the sort keys of the cards written down: the hash of each, with its code in the lowest bits."""
    keys = game.keys
    c0 = np.uint64(shuffle) & WORD
    low = np.uint64(game.number) & WORD
    high = (np.uint64(game.number) >> S32) & WORD
    k0 = np.uint64(game.seed_low) & WORD
    k1 = np.uint64(game.seed_high) & WORD
    for i in range(count):
        r0, r1, _, _ = philox(c0, (keys[i] >> SHIFT) & WORD, low, high, k0, k1)
        keys[i] = (((r1 << S32) | r0) & HASH_MASK) | (keys[i] & CODE_MASK)


@separate((GAME,), 2)
def deal_out(game, shuffle, count):
    """Put the keys of the first `count` cards written down in order, the lowest hash first.

    The highest bits of a key all but tell its place: by them the keys are dealt out, with room counted beforehand, and
    a few neighbours change places after that. Unlike a sort, this has next to no branch to mispredict.
    """
    hash_cards(game, shuffle, count)
    keys = game.keys
    dealt = game.dealt
    starts = game.starts
    starts[:] = 0
    for i in range(count):
        starts[keys[i] >> BUCKET_SHIFT] += 1
    start = 0
    for bucket in range(BUCKETS):
        size = starts[bucket]
        starts[bucket] = start
        start += size
    for i in range(count):
        bucket_of = keys[i] >> BUCKET_SHIFT
        dealt[starts[bucket_of]] = keys[i]
        starts[bucket_of] += 1
    for i in range(1, count):
        key = dealt[i]
        place = i
        while place > 0 and dealt[place - 1] > key:
            dealt[place] = dealt[place - 1]
            place -= 1
        dealt[place] = key
    return 0


@inline
def shuffle_cards(game, deck, shuffle, count):
    """Put the codes of the first `count` cards written down into `deck`, the lowest hash first."""
    deal_out(game, shuffle, count)
    for i in range(count):
        deck[i] = np.int64(game.dealt[i] & CODE_MASK)


@inline
def put_allies(game, race, value, copies, count):
    """Write down the copies of one Ally; return the number of cards written down so far.

    The first few are written in any case, and counted if they exist: how many there are is anybody's guess.
    """
    entity = CARD_ENTITY + (race << 12) + (value << 8)
    code = race * CARD_STEP + value
    for copy in range(COPIES_PUT):
        put_card(game, sure(count + copy), entity + copy, code)
    if copies > COPIES_PUT:
        for copy in range(COPIES_PUT, copies):
            put_card(game, count + copy, entity + copy, code)
    return count + copies


@separate((GAME,), 1)
def order_exploration_cards(game, shuffle):
    """Make the discarded Exploration cards, shuffled, the deck.

    Equal cards are told apart by their copy number only, so the order depends on the numbers of cards, not on
    which of two equal cards was discarded first.
    """
    count = 0
    for race in range(KINDS):
        for value in range(1, MAX_VALUE + 1):
            count = put_allies(game, race, value, game.discard[race, value], count)
            game.discard[race, value] = 0
    for copy in range(game.discard_monsters):
        put_card(game, count, CARD_ENTITY + (MONSTER << 12) + copy, MONSTER * CARD_STEP)
        count += 1
    shuffle_cards(game, game.deck, shuffle, count)
    game.deck_count = count
    game.discard_count = 0
    game.discard_monsters = 0
    return 0


@jit
def order_monster_tokens(game, copies):
    """Put a shuffled pile of Monster tokens (`copies` by value) into ``game.tokens``."""
    count = 0
    for value in range(TOKEN_VALUES):
        for copy in range(copies[value]):
            put_card(game, count, TOKEN_ENTITY + (value << 8) + copy, value)
            count += 1
    shuffle_cards(game, game.tokens, 0, count)
    game.token_count = count


@jit
def order_loot(game, copies):
    """Put a shuffled deck of Loot (`copies` by value) into ``game.loot_deck``."""
    count = 0
    for value in range(LOOT_VALUES):
        for copy in range(copies[value]):
            put_card(game, count, LOOT_ENTITY + (value << 8) + copy, value)
            count += 1
    shuffle_cards(game, game.loot_deck, 0, count)
    game.loot_deck_count = count


@jit
def order_lords(game, rules):
    """Put a shuffled deck of all Lords in the game into ``game.lord_deck``."""
    count = 0
    for lord in range(rules.lord_count):
        if rules.lords[lord].in_game:
            put_card(game, count, rules.lords[lord].entity, lord)
            count += 1
    shuffle_cards(game, game.lord_deck, 0, count)
    game.lord_deck_count = count


@jit
def order_locations(game, rules, shuffle):
    """Shuffle the Locations that lie in ``game.location_deck``."""
    count = game.location_deck_count
    for i in range(count):
        location = game.location_deck[i]
        put_card(game, i, rules.locations[location].entity, location)
    shuffle_cards(game, game.location_deck, shuffle, count)
