"""A case: a position, steps, expectations, in one TOML file (docs/position.md)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abysssim.errors import InputError
from abysssim.position import Position, parse_table, read_toml, table_of
from abysssim.position_format import (
    HELD_KEYS,
    KRAKEN_PLAYER_KEYS,
    LordEntry,
    SentinelEntry,
    location_entry,
    lord_entry,
    sentinel_entry,
)
from abysssim.position_text import contents
from abysssim.rules.rulebook import with_kraken
from abysssim.stepping import PARTS, Stop, Table
from abysssim.texts import (
    RACE_WORDS,
    check_keys,
    check_known,
    find_option,
    list_of,
    number_in,
    options_texts,
    parse_card,
    whole_number,
)

KEYS = ("title", "position", "step", "expect")
STEP_KEYS = ("seat", "options", "has", "lacks", "choose")
EXPECT_KEYS = ("player", "game", "score")
SIZES = {
    "lord_deck_size": "lord_deck",
    "exploration_deck_size": "exploration_deck",
    "location_deck_size": "location_deck",
    "monster_tokens_size": "monster_tokens",
}
GAME_KEYS = (
    *("turn", "threat", "court", "council", "locations", "exploration_discard", "out_of_game"),
    *("finished", "end_trigger", "ended_by", "winners"),
    *SIZES,
)
# What only cases of the Kraken expansion can expect.
KRAKEN_SIZES = {"loot_deck_size": "loot_deck"}
KRAKEN_GAME_KEYS = ("kraken_holder", "loot_lost", *KRAKEN_SIZES)
SCORE_KEYS = (*PARTS, "total")


def position_of(table: Mapping[str, Any], changes: Mapping[str, Any] | None, files: Sequence[Path]) -> Position:
    """Return the position of a case's table; InputError for unknown keys and whatever `parse_table` refuses."""
    check_keys(table, KEYS, "the file")
    if "position" not in table:
        raise InputError("the file has no table [position]")
    return parse_table(table["position"], changes, files)


def check_case(path: Path, changes: Mapping[str, Any] | None = None, files: Sequence[Path] = ()) -> list[str]:
    """Play the steps of a case and return what differs from its expectations, one sentence each.

    Expectations are read at whichever comes first after the last step: the next choice or the end of that turn;
    without steps, in the position itself.
    """
    table = read_toml(path)
    try:
        position = position_of(table, changes, files)
        return _Check(position, table).run()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


class _Check:
    """One case under way."""

    def __init__(self, position: Position, table: Mapping[str, Any]) -> None:
        self.position, self.table = position, table
        self.seats = int(position.game.seats)
        self.kraken = with_kraken(position.rulebook)
        self.desk: Table = table_of(position)
        self.choices: list[int] = []
        self.differences: list[str] = []

    def run(self) -> list[str]:
        """Play the steps, as far as they can be played, then compare."""
        steps = list_of(self.table.get("step", []), "step")
        for number, step in enumerate(steps):
            if not self._step(number, step):
                return self.differences
        self._expect(self._end(bool(steps)))
        return self.differences

    def _step(self, number: int, step: Any) -> bool:
        where = f"step[{number}]"
        check_keys(step, STEP_KEYS, where)
        stop = self.desk.step(self.choices)
        if not stop.at_decision:
            self.differences.append(f"{where}: the game is over before it")
            return False
        options = options_texts(self.position.rulebook, stop.game)
        if "seat" in step:
            seat = whole_number(step["seat"], f"{where}.seat", 0, self.seats - 1)
            self._compare(f"{where}.seat", seat, int(stop.game.decider))
        if "options" in step:
            self._compare(f"{where}.options", list_of(step["options"], f"{where}.options"), options)
        for option in list_of(step.get("has", []), f"{where}.has"):
            if option not in options:
                self.differences.append(f"{where}.has: '{option}' is not among {options}")
        for option in list_of(step.get("lacks", []), f"{where}.lacks"):
            if option in options:
                self.differences.append(f"{where}.lacks: '{option}' is among {options}")
        return self._choose(step, where, options)

    def _choose(self, step: Mapping[str, Any], where: str, options: Sequence[str]) -> bool:
        if "choose" not in step:
            return True
        try:
            self.choices.append(find_option(options, step["choose"]))
        except InputError as error:
            self.differences.append(f"{where}.choose: {error}")
            return False
        return True

    def _end(self, stepped: bool) -> Stop:
        if not stepped:
            return Stop(self.position.game, (), (), None)
        return self.desk.step(self.choices, stop_at_turn_end=True)

    def _compare(self, where: str, wanted: Any, found: Any) -> None:
        if wanted != found:
            self.differences.append(f"{where}: expected {wanted!r}, found {found!r}")

    def _compare_lists(self, where: str, wanted: Sequence[Any], found: Sequence[Any]) -> None:
        if Counter(wanted) != Counter(found):
            self.differences.append(f"{where}: expected {list(wanted)!r}, found {list(found)!r}")

    def _expect(self, stop: Stop) -> None:
        expect = self.table.get("expect", {})
        check_keys(expect, EXPECT_KEYS, "expect")
        found = contents(self.position.rulebook, stop.game)
        for key in ("player", "score"):
            if len(list_of(expect.get(key, []), f"expect.{key}")) > self.seats:
                raise InputError(f"expect.{key} has more tables than there are seats ({self.seats})")
        for seat, player in enumerate(expect.get("player", [])):
            self._expect_player(f"expect.player[{seat}]", player, found["players"][seat])
        self._expect_game(expect.get("game", {}), found["game"], stop)
        scores = stop.scores or self.desk.score(stop.game)
        for seat, score in enumerate(expect.get("score", [])):
            check_keys(score, SCORE_KEYS, f"expect.score[{seat}]")
            for part, points in score.items():
                self._compare(f"expect.score[{seat}].{part}", points, scores.players[seat][part])

    def _expect_player(self, where: str, wanted: Any, found: Mapping[str, Any]) -> None:
        check_known(wanted, HELD_KEYS, KRAKEN_PLAYER_KEYS, where, self.kraken)
        for key, value in wanted.items():
            place = f"{where}.{key}"
            if key == "lords":
                self._compare_lists(place, self._lords(value, place), self._lords(found[key], place))
            elif key == "locations":
                self._expect_locations(place, value, found[key])
            elif key == "sentinels":
                self._compare_lists(place, self._sentinels(value, place), self._sentinels(found[key], place))
            elif key in ("hand", "affiliated"):
                self._compare_lists(place, self._cards(value, place), found[key])
            elif key == "monster_tokens":
                self._compare_lists(place, list_of(value, place), found[key])
            else:
                self._compare(place, value, found[key])

    def _lords(self, entries: Any, where: str) -> list[LordEntry]:
        lords = [lord_entry(entry, where, self.kraken) for entry in list_of(entries, where)]
        for held in lords:
            number_in(self.position.rulebook.lord_number, held.lord, where)
        return lords

    def _sentinels(self, entries: Any, where: str) -> list[SentinelEntry]:
        return [sentinel_entry(self.position.rulebook, entry, where) for entry in list_of(entries, where)]

    def _cards(self, texts: Any, where: str) -> list[str]:
        """Return a list of cards as texts, each checked to be one."""
        cards: list[str] = list_of(texts, where)
        for text in cards:
            parse_card(text, where, monsters=True, krakens=self.kraken)
        return cards

    def _expect_locations(self, where: str, wanted: Any, found: Sequence[Any]) -> None:
        """Compare Locations, and the Lords under them and the Loot on them where those are named."""
        entries = [location_entry(entry, where, self.kraken) for entry in list_of(wanted, where)]
        tiles = {tile.location: tile for tile in (location_entry(entry, where, self.kraken) for entry in found)}
        for entry in entries:
            number_in(self.position.rulebook.location_number, entry.location, where)
            for lord in entry.lords or []:
                number_in(self.position.rulebook.lord_number, lord, where)
        self._compare_lists(where, [entry.location for entry in entries], list(tiles))
        for entry in entries:
            tile = tiles.get(entry.location, entry)
            if entry.lords is not None:
                self._compare_lists(f"{where}, lords under '{entry.location}'", entry.lords, tile.lords or [])
            if entry.loot is not None:
                self._compare_lists(f"{where}, loot on '{entry.location}'", entry.loot, tile.loot or [])

    def _expect_game(self, wanted: Any, found: Mapping[str, Any], stop: Stop) -> None:
        check_known(wanted, GAME_KEYS, KRAKEN_GAME_KEYS, "expect.game", self.kraken)
        sizes = SIZES | KRAKEN_SIZES
        for key, value in wanted.items():
            where = f"expect.game.{key}"
            if key == "council":
                check_keys(value, RACE_WORDS, where)
                for race, cards in value.items():
                    self._compare_lists(f"{where}.{race}", self._cards(cards, where), found["council"][race])
            elif key == "winners":
                winners = (stop.scores or self.desk.score(stop.game)).winners
                self._compare_lists(where, list_of(value, where), winners)
            elif key in sizes:
                self._compare(where, value, len(found[sizes[key]]))
            elif key == "locations":
                self._expect_locations(where, value, found[key])
            elif key == "court":
                self._compare(where, value, found[key])
            elif isinstance(found[key], list):
                self._compare_lists(where, list_of(value, where), found[key])
            else:
                self._compare(where, value, found[key])
