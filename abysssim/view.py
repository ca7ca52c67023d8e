"""The table as text: all of it, or what one seat may see."""

from collections.abc import Mapping
from typing import Any

from abysssim.position import contents
from abysssim.rules.rulebook import Rulebook
from abysssim.texts import MONSTER_WORD, card_text
from abysssim.transcript import listed, many, paragraph, pearls
from abysssim.vocabulary import Decision


def view(rulebook: Rulebook, game: Any, seat: int | None = None) -> str:
    """Return a GAME record as text of 80 columns.

    With a seat, other hands, decks, face-down stacks and the values of other seats' Monster tokens are left out;
    sizes are public, as are discards.
    """
    found = contents(rulebook, game)
    table, lines = found["game"], []
    lines += paragraph(f"Turn of seat {table['turn']}. Threat: space {table['threat']}.{_end(table)}", "")
    lines += ["Court, from the space nearest the deck:"]
    lines += [f"  {_lord_line(rulebook, key)}" for key in table["court"]] or ["  no Lord"]
    tiles = [str(rulebook.data["locations"][key]["name"]) for key in table["locations"]]
    lines += paragraph(f"Locations face up: {listed(tiles, 'none')}.", "")
    lines += paragraph(f"Council: {_council(table['council'], seat)}.", "")
    lines += paragraph(f"Discard: {listed(_counted(table['exploration_discard']), 'empty')}.", "")
    lines += paragraph(f"Decks: {_decks(table)}.", "")
    lines += _under_way(rulebook, game, seat)
    for other, player in enumerate(found["players"]):
        lines += _player(rulebook, other, player, seat is None or seat == other, other == seat)
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
        f"{race} {len(cards)}" if seat is not None else f"{race} ({', '.join(card.split()[1] for card in cards)})"
        for race, cards in council.items()
        if cards
    ]
    return listed(stacks, "no stack")


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


def _player(rulebook: Rulebook, seat: int, player: Mapping[str, Any], is_open: bool, is_viewer: bool) -> list[str]:
    you = " (you)" if is_viewer else ""
    lines = ["", f"Seat {seat}{you}: {pearls(player['pearls'])}, {many(player['keys'], 'Key token')}"]
    if is_open:
        lines += paragraph(f"Hand: {listed(_counted(player['hand']), 'empty')}.")
    else:
        lines += paragraph(f"Hand: {many(len(player['hand']), 'card')}.")
    if player["lords"]:
        lines += paragraph(f"Lords: {', '.join(_lord_word(lord) for lord in player['lords'])}.")
    for tile in player["locations"]:
        under = f" with {', '.join(tile['lords'])}" if tile["lords"] else ""
        lines += paragraph(f"Location: {tile['location']}{under}.")
    if player["affiliated"]:
        lines += paragraph(f"Affiliated: {', '.join(_counted(player['affiliated']))}.")
    tokens = player["monster_tokens"]
    if tokens:
        values = f": {', '.join(str(value) for value in tokens)}" if is_open else ""
        lines += paragraph(f"{many(len(tokens), 'Monster token')}{values}.")
    return lines


def _lord_word(lord: Any) -> str:
    return f"{lord['lord']} (turned)" if isinstance(lord, Mapping) else str(lord)
