"""The table as text: all of it, or what one seat may see."""

from collections.abc import Mapping, Sequence
from typing import Any

from abysssim.position_text import contents, location_key
from abysssim.rules.rulebook import Rulebook, with_kraken
from abysssim.texts import MONSTER_WORD, card_text
from abysssim.transcript import listed, many, nebulis, paragraph, pearls
from abysssim.vocabulary import Decision


def view(rulebook: Rulebook, game: Any, seat: int | None = None) -> str:
    """Return a GAME record as text of 80 columns.

    With a seat, other hands, decks, face-down stacks and the values of other seats' Monster tokens are left out;
    sizes are public, as are discards and what Loot is left.
    """
    found = contents(rulebook, game)
    table, lines = found["game"], []
    lines += paragraph(f"Turn of seat {table['turn']}. Threat: space {table['threat']}.{_end(table)}", "")
    lines += ["Court, from the space nearest the deck:"]
    lines += [f"  {_lord_line(rulebook, key)}" for key in table["court"]] or ["  no Lord"]
    tiles = [_tile(rulebook, entry) for entry in table["locations"]]
    lines += paragraph(f"Locations face up: {listed(tiles, 'none')}.", "")
    lines += paragraph(f"Council: {_council(table['council'], seat)}.", "")
    lines += paragraph(f"Discard: {listed(_counted(table['exploration_discard']), 'empty')}.", "")
    lines += paragraph(f"Decks: {_decks(table)}.", "")
    if with_kraken(rulebook):
        lines += _kraken(table, found["players"])
    lines += _under_way(rulebook, game, seat)
    for other, player in enumerate(found["players"]):
        lines += _head(other, player, other == seat, table.get("kraken_holder") == other)
        lines += _player(player, seat is None or seat == other)
    return "\n".join(lines)


def _end(table: Mapping[str, Any]) -> str:
    if table["finished"]:
        return " The game is over."
    if table["ended_by"] is not None:
        return f" Seat {table['ended_by']} has brought on the end ({table['end_trigger']})."
    return ""


def _lord_line(rulebook: Rulebook, key: str) -> str:
    card = rulebook.data["lords"][key]
    race = rulebook.data["guilds"][card["guild"]] or "any"
    keys = many(card["keys"], "Key") if card["keys"] else "no Key"
    races = many(card["races"], "Race")
    price = f"cost {card['cost']:2}, {races:7} {'(' + race + ')':11}"
    return f"{key:17} {price} {card['points']:2} IP, {keys:6} {card['guild']}"


def _council(council: Mapping[str, list[str]], seat: int | None) -> str:
    stacks = [
        f"{race} {len(cards)}" if seat is not None else f"{race} ({', '.join(_inside_stack(cards, race))})"
        for race, cards in council.items()
        if cards
    ]
    return listed(stacks, "no stack")


def _inside_stack(cards: list[str], race: str) -> list[str]:
    """Return the cards of a stack, those of its own Race by their value alone."""
    return [card.removeprefix(f"{race} ") for card in cards]


def _tile(rulebook: Rulebook, entry: str | Mapping[str, Any]) -> str:
    return str(rulebook.data["locations"][location_key(entry)]["name"]) + _loot(entry)


def _loot(entry: str | Mapping[str, Any]) -> str:
    """Return the Loot on a Location in brackets, an empty text where there is none."""
    values = [] if isinstance(entry, str) else entry.get("loot", [])
    return f" (Loot {listed([str(value) for value in values])})" if values else ""


def _kraken(table: Mapping[str, Any], players: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what lies on the table of the Kraken expansion; Loot cards lie open, but for their order in the deck."""
    deck = _counted([str(value) for value in sorted(table["loot_deck"])])
    lines = paragraph(f"Loot deck: {', '.join(deck) or 'empty'}.", "")
    if table["loot_lost"]:
        lines += paragraph(f"Loot lost: {', '.join(_counted([str(value) for value in table['loot_lost']]))}.", "")
    reserved = [
        f"{sentinel['at']} for seat {seat}"
        for seat, player in enumerate(players)
        for sentinel in player["sentinels"]
        if "at" in sentinel
    ]
    return lines + (paragraph(f"Reserved: {listed(reserved)}.", "") if reserved else [])


def _decks(table: Mapping[str, Any]) -> str:
    return listed(
        [
            many(len(table["lord_deck"]), "Lord"),
            many(len(table["location_deck"]), "Location"),
            many(len(table["exploration_deck"]), "Exploration card"),
            many(len(table["monster_tokens"]), "Monster token"),
        ]
    )


def _counted(cards: list[str]) -> list[str]:
    """Return cards with equal ones counted."""
    return [card if cards.count(card) == 1 else f"{cards.count(card)} x {card}" for card in dict.fromkeys(cards)]


def _under_way(rulebook: Rulebook, game: Any, seat: int | None) -> list[str]:
    """Return what lies on the exploration track, is being paid, or was drawn by the seat that must keep one."""
    lines = []
    if game.track_count > 0 and not game.finished:
        track = [card_text(card).replace(MONSTER_WORD, "Monster") for card in game.track[: int(game.track_count)]]
        lines += paragraph(f"On the track: {', '.join(track)}.", "")
    if game.drawn_count > 0 and seat in (None, int(game.decider)):
        drawn = [rulebook.location_name(int(tile)) for tile in game.drawn[: int(game.drawn_count)]]
        lines += paragraph(f"Drawn: {listed(drawn)}.", "")
    if int(game.decision) == Decision.PAYMENT and game.option_count > 0:
        payment = game.payment
        lord = rulebook.lords[int(payment.lord)]
        lines += paragraph(f"Paying for {lord}: {int(payment.total)} of {int(payment.cost)} laid out.", "")
    return lines


def _head(seat: int, player: Mapping[str, Any], is_viewer: bool, has_figure: bool) -> list[str]:
    you = " (you)" if is_viewer else ""
    has = [pearls(player["pearls"])]
    has += [nebulis(player["nebulis"])] if "nebulis" in player else []
    has += [many(player["keys"], "Key token")]
    has += ["the Kraken figure"] if has_figure else []
    return ["", f"Seat {seat}{you}: {', '.join(has)}"]


def _player(player: Mapping[str, Any], is_open: bool) -> list[str]:
    if is_open:
        lines = paragraph(f"Hand: {listed(_counted(player['hand']), 'empty')}.")
    else:
        lines = paragraph(f"Hand: {many(len(player['hand']), 'card')}.")
    if player["lords"]:
        lines += paragraph(f"Lords: {', '.join(_lord_word(lord) for lord in player['lords'])}.")
    for tile in player["locations"]:
        under = f" with {', '.join(tile['lords'])}" if tile["lords"] else ""
        lines += paragraph(f"Location: {tile['location']}{_loot(tile)}{under}.")
    if player["affiliated"]:
        lines += paragraph(f"Affiliated: {', '.join(_counted(player['affiliated']))}.")
    tokens = player["monster_tokens"]
    if tokens:
        values = f": {', '.join(str(value) for value in tokens)}" if is_open else ""
        lines += paragraph(f"{many(len(tokens), 'Monster token')}{values}.")
    if player.get("sentinels"):
        posts = [f"{sentinel['of']} ({sentinel.get('at', 'waiting')})" for sentinel in player["sentinels"]]
        lines += paragraph(f"Sentinels: {', '.join(posts)}.")
    return lines


def _lord_word(lord: Any) -> str:
    if not isinstance(lord, Mapping):
        return str(lord)
    marks = [words for mark, words in (("turned", "turned"), ("spent", "Keys spent")) if mark in lord]
    return f"{lord['lord']} ({', '.join(marks)})"
