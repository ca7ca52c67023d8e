"""Searches from every depleted Loot deck at once: the same recursion as `loot.solve`, on arrays.

The Loot deck is not refilled, so later searches begin with what earlier ones left. An array over decks has one axis a
value; its index there is the number of copies left. Sets of values held are bit masks: bit k stands for values[k].
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from abysssim.errors import InputError
from abysssim.studies.loot import Search

Array = NDArray[np.float64]

#: States (decks times sets of values held) that fit into memory with room to spare: 64 MB a table.
MOST_STATES = 2**23
#: Gains smaller than this, in IP, are rounding: a tie, so stop.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Decks:
    """All decks that can be left of one deck, and what searching is worth in each.

    values : of the Loot, ascending; copies : of each in the whole deck; worths : of rewards in IP, float64 (values,)
    left : copies left of each value, int64 (values, *decks); cards : cards left, int64 (*decks)
    search : expected IP of drawing one more card and playing best after it, float64 (masks, *decks); as much as
    stopping where no card is left. stop : IP of the Loot held, float64 (masks,)
    """

    values: tuple[int, ...]
    copies: tuple[int, ...]
    worths: Array
    left: NDArray[np.int64]
    cards: NDArray[np.int64]
    search: Array
    stop: Array

    @property
    def masks(self) -> range:
        """All sets of values held, as bit masks."""
        return range(1 << len(self.values))

    def held(self, mask: int) -> tuple[int, ...]:
        """Return the values of a mask, ascending."""
        return tuple(self.values[bit] for bit in _bits(mask))

    def gain(self, mask: int) -> Array:
        """Return in each deck how much better it is to search on than to stop, in IP; shape (*decks)."""
        gain: Array = self.search[mask] - self.stop[mask]
        return gain

    def goes_on(self, mask: int) -> NDArray[np.bool_]:
        """Tell for each deck whether best play searches on; with nothing held it must, while a card is left."""
        return (self.cards > 0) & ((mask == 0) | (self.gain(mask) > ROUNDING))

    def twins(self, mask: int) -> NDArray[np.int64]:
        """Return in each deck the cards left that equal one held, int64 (*decks)."""
        twins: NDArray[np.int64] = self.left[_bits(mask)].sum(axis=0)
        return twins

    def chances(self, held: int = 0) -> Array:
        """Return the chance of each deck among those with as many cards; shape (*decks).

        `held` is a mask: one card of each of its values is out of the deck for sure; which others are is even odds.
        Zero for decks that cannot be.
        """
        most = [copies - (held >> bit & 1) for bit, copies in enumerate(self.copies)]
        ways = prod(
            np.array([comb(n, k) for k in range(copies + 1)], dtype=float).reshape(_along(bit, len(most)))
            for bit, (n, copies) in enumerate(zip(most, self.copies, strict=True))
        )
        total = sum(most)
        all_ways = np.array([max(comb(total, n), 1) for n in range(sum(self.copies) + 1)], dtype=float)
        chances: Array = ways / all_ways[self.cards]
        return chances


def count_states(deck: Mapping[int, int]) -> int:
    """Return the number of states, decks times sets of values held, of a deck {value: copies}."""
    return prod(copies + 1 for copies in deck.values()) << len(deck)


def every_deck(search: Search) -> Decks:
    """Return what searching is worth from every deck that can be left of `search.deck`, with `search.worths`.

    Raises InputError where there are more than MOST_STATES states.
    """
    states = count_states(search.deck)
    if states > MOST_STATES:
        raise InputError(
            f"deck has {states:,} states (decks left times values held); at most {MOST_STATES:,} can be laid out"
        )
    values, copies = search.values, tuple(search.deck.values())
    worths = np.array([float(worth) for worth in search.worths.values()])
    left = np.indices([n + 1 for n in copies])
    stop = np.array([sum(values[bit] for bit in _bits(mask)) for mask in range(1 << len(values))], dtype=float)
    decks = Decks(values, copies, worths, left, left.sum(axis=0), np.empty((stop.size, *left.shape[1:])), stop)
    _fill(decks)
    return decks


def _fill(decks: Decks) -> None:
    """Compute `search` in place, from the largest mask down: what a set can become has a larger mask."""
    cards = np.maximum(decks.cards, 1)
    for mask in reversed(decks.masks):
        total = np.zeros(decks.cards.shape)
        for bit, value in enumerate(decks.values):
            after: Array | float
            if mask >> bit & 1:
                after = decks.stop[mask] - value
            else:
                bigger = mask | 1 << bit
                after = _with_one_less(np.maximum(decks.search[bigger], decks.stop[bigger]), bit)
            total += decks.left[bit] * (decks.worths[bit] + after)
        decks.search[mask] = np.where(decks.cards > 0, total / cards, decks.stop[mask])


def _along(axis: int, axes: int) -> tuple[int, ...]:
    """Return the shape that lays a vector along one of so many axes."""
    return tuple(-1 if one == axis else 1 for one in range(axes))


def _with_one_less(array: Array, axis: int) -> Array:
    """Return an array over decks, taken at the deck with one card less on an axis; 0 where there is none to take."""
    shifted = np.zeros_like(array)
    here, there = _step(array.ndim, axis)
    shifted[here] = array[there]
    return shifted


def _step(axes: int, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return the decks with a card to take on an axis, and the decks that taking it leads to."""
    whole = [slice(None)] * axes
    return (
        (*whole[:axis], slice(1, None), *whole[axis + 1 :]),
        (*whole[:axis], slice(None, -1), *whole[axis + 1 :]),
    )


# --- Depletion -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Depleted:
    """A whole search, best play, from a deck of so many cards.

    mean : expected IP if any cards may be missing, all alike. worst, best : over all such decks, which are given.
    """

    cards: int
    mean: float
    worst: float
    worst_deck: dict[int, int]
    best: float
    best_deck: dict[int, int]


def by_cards_left(decks: Decks) -> list[Depleted]:
    """Return what a whole search is worth for every number of cards left, the whole deck first."""
    values, chances = decks.search[0], decks.chances()
    rows = []
    for cards in range(int(decks.cards.max()), -1, -1):
        places = np.argwhere(decks.cards == cards)
        among = values[tuple(places.T)]
        low, high = int(among.argmin()), int(among.argmax())
        mean = float((among * chances[tuple(places.T)]).sum())
        worst, best = _deck(decks, places[low]), _deck(decks, places[high])
        rows.append(Depleted(cards, mean, float(among[low]), worst, float(among[high]), best))
    return rows


def _deck(decks: Decks, place: NDArray[np.int64]) -> dict[int, int]:
    return dict(zip(decks.values, map(int, place), strict=True))


@dataclass(frozen=True)
class Later:
    """One of several searches in a row that begin with what the earlier ones left, all by best play.

    number : 1 for the first. expected_value : IP of Loot and rewards. bust, draws : chance and expected number; cards :
    expected number left in the deck before it.
    """

    number: int
    expected_value: float
    bust: float
    draws: float
    cards: float


def searches_in_a_row(decks: Decks, searches: int) -> Iterator[Later]:
    """Yield what so many searches in a row lead to, from the whole deck; exact but for rounding."""
    weights = np.zeros(decks.cards.shape)
    weights.flat[-1] = 1.0
    for number in range(1, searches + 1):
        before = float((weights * decks.cards).sum())
        after, bust = _one_search(decks, weights)
        left = float((after * decks.cards).sum())
        yield Later(number, float((weights * decks.search[0]).sum()), bust, before - left, before)
        weights = after


def _one_search(decks: Decks, weights: Array) -> tuple[Array, float]:
    """Return the chance of each deck after a search by best play, and that of a bust, from chances before it."""
    reached = {0: weights}
    after = np.zeros_like(weights)
    bust = 0.0
    cards = np.maximum(decks.cards, 1)
    for mask in decks.masks:  # a set comes after all that it can come from
        chances = reached.pop(mask, None)
        if chances is None:
            continue
        goes_on = decks.goes_on(mask)
        after += np.where(goes_on, 0.0, chances)
        for bit in range(len(decks.values)):
            here, there = _step(weights.ndim, bit)
            moved = np.zeros_like(weights)
            moved[there] = np.where(goes_on, chances * decks.left[bit] / cards, 0.0)[here]
            if mask >> bit & 1:
                after += moved
                bust += float(moved.sum())
            else:
                bigger = mask | 1 << bit
                reached[bigger] = reached.get(bigger, 0.0) + moved
    return after, bust


# --- The map -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Map:
    """Search or stop, by the values held (rows) and by how many of the cards left equal one held (columns).

    held : the values of each row. edges : of the columns, shares of the cards left, ascending from 0 to 1, int
    percentages (columns + 1,); the last column includes its right edge. gain : mean over decks of how much better it is
    to search on than to stop, IP, NaN where no deck is (rows, columns). right : the share of decks in which searching
    on is right (rows, columns). whole : the gain with the whole deck less the values held, IP (rows,).
    """

    held: tuple[tuple[int, ...], ...]
    edges: NDArray[np.int64]
    gain: Array
    right: Array
    whole: Array


def search_or_stop(decks: Decks, columns: int = 10) -> Map:
    """Return the map of search or stop over all decks that can be left.

    Every number of cards left counts alike, and among decks with as many cards all ways in which cards can be missing.
    Rows come by how many values are held, then by their sum; columns are of equal width and must divide 100.
    """
    edges = np.arange(0, 101, 100 // columns)
    masks = sorted(
        (mask for mask in decks.masks if mask and all(decks.copies[bit] for bit in _bits(mask))),
        key=lambda mask: (mask.bit_count(), decks.stop[mask], decks.held(mask)),
    )
    shape = (len(masks), columns)
    gain, right, whole = np.full(shape, np.nan), np.full(shape, np.nan), np.empty(len(masks))
    for row, mask in enumerate(masks):
        column = _column(decks, mask, columns)
        weights = np.where(decks.cards > 0, decks.chances(mask), 0.0).ravel()
        total = np.bincount(column, weights, columns)
        some = total > 0
        for table, what in ((gain, decks.gain(mask)), (right, decks.goes_on(mask))):
            table[row, some] = np.bincount(column, weights * what.ravel(), columns)[some] / total[some]
        whole[row] = decks.gain(mask)[tuple(copies - (mask >> bit & 1) for bit, copies in enumerate(decks.copies))]
    return Map(tuple(decks.held(mask) for mask in masks), edges, gain, right, whole)


def _column(decks: Decks, mask: int, columns: int) -> NDArray[np.int64]:
    """Return the column of each deck, int64 (decks,): whole numbers, so that a share on an edge is never rounded."""
    column = decks.twins(mask) * columns // np.maximum(decks.cards, 1)
    return np.minimum(column, columns - 1).ravel()


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
