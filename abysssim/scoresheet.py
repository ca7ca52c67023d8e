"""The score of an end position for people: what is affiliated, what each Location is worth, how a tie is broken."""

from collections.abc import Sequence
from typing import Any

from abysssim.core.layout import LOOT_VALUES, MAX_VALUE, RACES
from abysssim.position import Position, table_of
from abysssim.rules.rulebook import Rulebook, with_kraken
from abysssim.stepping import Scores, Table
from abysssim.texts import ally_text
from abysssim.transcript import listed, nebulis, paragraph, pearls, score_table


def score_sheet(position: Position) -> str:
    """Return the score of a position, as if the game ended there, as text of 80 columns."""
    table = table_of(position)
    scores = table.score(position.game)
    lines = score_table(scores.players, scores.winners)
    lines += [*paragraph(tie_words(position, scores), ""), ""]
    for seat in range(int(position.game.seats)):
        lines += _seat(position, table, seat)
    return "\n".join(lines)


def tie_words(position: Position, scores: Scores) -> str:
    """Return how a tie at the top was broken, in words; an empty text where there is none."""
    totals = [score["total"] for score in scores.players]
    tied = [seat for seat, total in enumerate(totals) if total == max(totals)]
    if len(tied) == 1:
        return ""
    players = position.game.players
    purses = {seat: int(players[seat].pearls) for seat in tied}
    words = f"Seats {_numbers(tied)} are level at {max(totals)} IP"
    richest = [seat for seat in tied if purses[seat] == max(purses.values())]
    if len(richest) == 1:
        return f"{words}; seat {richest[0]} has the most Pearls ({_compared(purses)})."
    strongest = {seat: _strongest(position.rulebook, players[seat]) for seat in richest}
    best = [seat for seat in richest if strongest[seat] == max(strongest.values())]
    who = "" if len(richest) == len(tied) else f", seats {_numbers(richest)}"
    words += f"{who} also at {pearls(max(purses.values()))}"
    if len(best) == 1:
        return f"{words}; seat {best[0]} has the strongest Lord ({_compared(strongest)})."
    return f"{words}, and their strongest Lords are level too ({max(strongest.values())} IP): the victory is shared."


def _numbers(seats: Sequence[int]) -> str:
    return listed([str(seat) for seat in seats])


def _compared(values: dict[int, int]) -> str:
    return ", ".join(f"seat {seat}: {value}" for seat, value in values.items())


def _strongest(rulebook: Rulebook, player: Any) -> int:
    lords = [player.lords[i].lord for i in range(int(player.lord_count))]
    return max((int(rulebook.record[0].lords[lord].points) for lord in lords), default=0)


def _seat(position: Position, table: Table, seat: int) -> list[str]:
    """Return what a seat scores for, item by item."""
    book, player = position.rulebook, position.game.players[seat]
    lines = [f"Seat {seat}"]
    lords = [int(player.lords[i].lord) for i in range(int(player.lord_count))]
    worth = book.record[0].lords
    if lords:
        lines += paragraph(f"Lords: {listed([f'{book.lord_name(lord)} {int(worth[lord].points)}' for lord in lords])}.")
    if player.location_count:
        tiles = [int(tile) for tile in player.locations[: int(player.location_count)]]
        words = [f"{book.location_name(tile)} {_location(position, table, seat, tile)}" for tile in tiles]
        lines += paragraph(f"Locations: {listed(words)}.")
    final = [ally_text(race, value) for race, value in _lowest_in_hand(player)]
    if final:
        lines += paragraph(f"Affiliated at the end: {listed(final)}.")
    allies = [ally_text(race, value) for race, value in _best_affiliated(player)]
    lines += paragraph(f"Allies that score: {listed(allies)}.")
    tokens = [str(value) for value, count in enumerate(player.monster_tokens) for _ in range(int(count))]
    if tokens:
        lines += paragraph(f"Monster tokens: {listed(tokens)}.")
    if with_kraken(book):
        lines += paragraph(f"Nebulis: {_nebulis(position, table, seat)}.")
    return lines


def _nebulis(position: Position, table: Table, seat: int) -> str:
    """Return what a seat has of Nebulis at the end, those of the Krakens in its hand among them, and the figure."""
    ended = table.end(position.game).game
    held = int(ended.players[seat].nebulis)
    gained = held - int(position.game.players[seat].nebulis)
    krakens = f", {gained} of them for Krakens in hand" if gained else ""
    return nebulis(held) + krakens + (", and the Kraken figure" if ended.kraken_holder == seat else "")


def _location(position: Position, table: Table, seat: int, tile: int) -> str:
    """Return what one Location is worth with its Loot: the score of a seat that has no other."""
    alone = position.game.copy()
    alone.players[seat].locations[0] = tile
    alone.players[seat].location_count = 1
    parts = table.score(alone).players[seat]
    loot = [str(value) for value in range(LOOT_VALUES) if position.game.loot[tile] >> value & 1]
    return f"{parts['locations'] + parts['loot']}" + (f" (Loot {listed(loot)})" if loot else "")


def _lowest_in_hand(player: Any) -> list[tuple[int, int]]:
    lowest = [(race, min(_values(player.hand[race]), default=0)) for race in range(RACES)]
    return [(race, value) for race, value in lowest if value]


def _best_affiliated(player: Any) -> list[tuple[int, int]]:
    kept = dict(_lowest_in_hand(player))
    best = [(race, max([*_values(player.affiliated[race]), kept.get(race, 0)])) for race in range(RACES)]
    return [(race, value) for race, value in best if value]


def _values(counts: Any) -> list[int]:
    return [value for value in range(1, MAX_VALUE + 1) if counts[value] > 0]
