"""Positions, read from TOML (docs/position.md) into game records that can be played from, like FEN for chess.

A position is a game at the start of a turn, before its income. What it does not name has a default; cards that it
places nowhere lie in their decks, in the order of the deal, below the tops that it names.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from abysssim.core.layout import (
    CARD_STEP,
    GAME,
    KRAKEN,
    LOOT_VALUES,
    MAX_COURT,
    MAX_PLAYER_LORDS,
    MONSTER,
    RACES,
    VALUES,
    new,
)
from abysssim.errors import InputError, nearest
from abysssim.position_format import (
    HISTORY,
    KEYS,
    KRAKEN_KEYS,
    KRAKEN_PLAYER_KEYS,
    PLAYER_KEYS,
    LordEntry,
    location_entry,
    lord_entry,
    sentinel_entry,
)
from abysssim.rules.rulebook import Rulebook, load, with_kraken
from abysssim.stepping import Table, dealt_orders, seed_of
from abysssim.texts import (
    KRAKEN_WORD,
    RACE_WORDS,
    allies_texts,
    ally_counts,
    card_text,
    check_keys,
    check_known,
    list_of,
    number_in,
    parse_card,
    parse_place,
    parse_race,
    place_text,
    whole_number,
)
from abysssim.vocabulary import Area, EndTrigger, Guild, Power

MOST_PEARLS = 9999


class Position(NamedTuple):
    """Rules and a GAME record at the start of a turn (seed and number of the deal are in it)."""

    rulebook: Rulebook
    game: Any


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table in a TOML file; InputError if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}") from None


def parse(text: str) -> Position:
    """Return the position in a TOML text with a table ``[position]``."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the position cannot be read as TOML: {error}") from None
    if "position" not in table:
        raise InputError(f"there is no table [position]; there are {', '.join(table) or 'none at all'}")
    return parse_table(table["position"])


def parse_table(
    table: Mapping[str, Any], changes: Mapping[str, Any] | None = None, files: Sequence[Path] = ()
) -> Position:
    """Return the position described by a table.

    Parameters
    ----------
    table : the content of ``[position]``
    changes, files : changed rules, as for `rulebook.load`; the position's own come after them

    Raises
    ------
    InputError
        For unknown names, wrong values and whatever cannot lie on a table, by name.
    """
    check_keys(table, (*KEYS, *KRAKEN_KEYS), "position")
    rulebook = _rulebook(table, dict(changes or {}), files)
    check_known(table, KEYS, KRAKEN_KEYS, "position", in_play=with_kraken(rulebook))
    tables = list_of(table.get("player", []), "position.player")
    seats = whole_number(table.get("players", len(tables)), "position.players", 1)
    rulebook.check_players(seats)
    if tables and len(tables) != seats:
        raise InputError(f"position.players is {seats}, but there are {len(tables)} tables [[position.player]]")
    return _Builder(rulebook, table, tables or [{}] * seats).build()


def table_of(position: Position, policies: Any = None) -> Table:
    """Return a Table that plays from the position."""
    game = position.game
    return Table(position.rulebook, int(game.seats), policies, seed_of(game), int(game.number), position=game)


def _rulebook(table: Mapping[str, Any], changes: dict[str, Any], files: Sequence[Path]) -> Rulebook:
    own = table.get("changes", {})
    rulings = table.get("rulings", {})
    for name, value in (("changes", own), ("rulings", rulings)):
        if not isinstance(value, Mapping):
            raise InputError(f"position.{name} must be a table, not {value!r}")
    changes.update(own)
    changes.update({f"rulings.{name}": value for name, value in rulings.items()})
    return load(changes=changes, expansions=list_of(table.get("expansions", []), "position.expansions"), files=files)


class _Places:
    """Where each component lies: refuses more of a kind than the box holds."""

    def __init__(self, word: str, copies: Mapping[Any, int], show: Callable[[Any], str]) -> None:
        self.word, self.copies, self.show = word, copies, show
        self.places: dict[Any, list[str]] = {}

    def put(self, item: Any, where: str) -> None:
        """Note one component, or refuse it."""
        name, printed = self.show(item), self.copies.get(item, 0)
        if printed == 0:
            raise InputError(f"{where}: {self.word} '{name}' is not in this game")
        places = self.places.setdefault(item, [])
        places.append(where)
        if len(places) > printed:
            listed = " and ".join(dict.fromkeys(places))
            one = "only one exists" if printed == 1 else f"only {printed} exist"
            raise InputError(f"{self.word} '{name}' is placed {len(places)} times ({listed}), but {one}")

    def rest(self, dealt: Iterable[Any]) -> list[Any]:
        """Return what of a dealt order is placed nowhere; of equal ones the first are the ones placed."""
        placed = Counter({item: len(places) for item, places in self.places.items()})
        left = []
        for item in dealt:
            if placed[item] > 0:
                placed[item] -= 1
            else:
                left.append(item)
        return left


class _Builder:
    """Builds one GAME record from a table, component by component."""

    def __init__(self, rulebook: Rulebook, table: Mapping[str, Any], players: Sequence[Any]) -> None:
        self.book, self.table, self.players = rulebook, table, players
        self.rules = rulebook.record[0]
        self.game = new(GAME)[0]
        self.seats = len(players)
        self.kraken = with_kraken(rulebook)
        allies = {
            race * CARD_STEP + value: int(self.rules.ally_copies[race, value])
            for race in range(RACES)
            for value in range(1, VALUES)
        }
        krakens = {KRAKEN * CARD_STEP + value: int(count) for value, count in enumerate(self.rules.kraken_copies)}
        monsters = {MONSTER * CARD_STEP: int(self.rules.monster_cards)}
        lords = {i: int(self.rules.lords[i].in_game) for i in range(len(rulebook.lords))}
        owners = [lord for lord, count in lords.items() if count and self.rules.lords[lord].power == Power.SENTINEL]
        locations = {i: int(self.rules.locations[i].in_game) for i in range(len(rulebook.locations))}
        tokens = {value: int(count) for value, count in enumerate(self.rules.token_copies)}
        loot = {value: int(count) for value, count in enumerate(self.rules.loot_copies)}
        self.cards = _Places("card", allies | krakens | monsters, card_text)
        self.lords = _Places("Lord", lords, rulebook.lords.__getitem__)
        self.locations = _Places("Location", locations, rulebook.locations.__getitem__)
        self.tokens = _Places("Monster token", tokens, str)
        self.loot = _Places("Loot", loot, str)
        self.sentinels = _Places("Sentinel", dict.fromkeys(owners, 1), rulebook.lords.__getitem__)

    def build(self) -> Position:
        """Place what is named, then what is not."""
        game = self.game
        seed = whole_number(self.table.get("seed", 0), "position.seed", 0, 2**64 - 1)
        game.seed_low, game.seed_high = seed & 0xFFFFFFFF, seed >> 32
        game.number = whole_number(self.table.get("game", 0), "position.game", 0, 2**62)
        game.seats = self.seats
        game.seat = whole_number(self.table.get("turn", 0), "position.turn", 0, self.seats - 1)
        spaces = int(self.rules.spaces)
        game.threat = whole_number(self.table.get("threat", 1), "position.threat", 1, spaces) - 1
        for seat in range(self.seats):
            self._player(seat)
        self._council()
        self._discard()
        self._out_of_game()
        self._decks()
        self._loot_deck()
        self._figure()
        for seat in range(self.seats):
            self._sentinels(seat)
        self._keys_in_supply()
        self._end()
        self._history()
        return Position(self.book, game)

    def _player(self, seat: int) -> None:
        table, where = self.players[seat], f"position.player[{seat}]"
        check_known(table, PLAYER_KEYS, KRAKEN_PLAYER_KEYS, where, self.kraken)
        player = self.game.players[seat]
        player.pearls = whole_number(table.get("pearls", 0), f"{where}.pearls", 0, MOST_PEARLS)
        player.key_tokens = whole_number(table.get("keys", 0), f"{where}.keys", 0, MOST_PEARLS)
        player.nebulis = whole_number(table.get("nebulis", 0), f"{where}.nebulis", 0, MOST_PEARLS)
        player.turns = whole_number(table.get("turns", 0), f"{where}.turns")
        player.extra_turns = whole_number(table.get("extra_turns", 0), f"{where}.extra_turns", 0, 99)
        hand = self._allies(table.get("hand", []), f"{where}.hand")
        values = np.arange(VALUES)
        player.hand[:] = hand
        player.hand_size = hand.sum()
        player.race_count[:] = hand.sum(axis=1)
        player.race_total[:] = hand @ values
        affiliated = self._allies(table.get("affiliated", []), f"{where}.affiliated")
        if affiliated[KRAKEN].any():
            wrong = allies_texts(affiliated)[-1]
            raise InputError(f"{where}.affiliated: '{wrong}' does not belong here: a Kraken is never affiliated")
        player.affiliated[:] = affiliated[:RACES]
        for value in list_of(table.get("monster_tokens", []), f"{where}.monster_tokens"):
            player.monster_tokens[self._token(value, f"{where}.monster_tokens")] += 1
        player.monster_token_count = player.monster_tokens.sum()
        self._lords_of(player, table, where)

    def _allies(self, texts: Any, where: str) -> Any:
        texts = list_of(texts, where)
        counts = ally_counts(texts, where, krakens=self.kraken)
        for text in texts:
            self.cards.put(parse_card(text, where, krakens=self.kraken), where)
        return counts

    def _token(self, value: Any, where: str) -> int:
        number = whole_number(value, where, 0, len(self.rules.token_copies) - 1)
        self.tokens.put(number, where)
        return number

    def _lord(self, key: Any, where: str) -> int:
        number = number_in(self.book.lord_number, key, where)
        self.lords.put(number, where)
        return number

    def _location(self, key: Any, where: str) -> int:
        number = number_in(self.book.location_number, key, where)
        self.locations.put(number, where)
        return number

    def _loot_card(self, value: Any, where: str) -> int:
        number = whole_number(value, where, 0, LOOT_VALUES - 1)
        self.loot.put(number, where)
        return number

    def _lords_of(self, player: Any, table: Mapping[str, Any], where: str) -> None:
        for entry in list_of(table.get("lords", []), f"{where}.lords"):
            held = lord_entry(entry, f"{where}.lords", self.kraken)
            self._add_lord(player, held, -1, f"{where}.lords")
        for entry in list_of(table.get("locations", []), f"{where}.locations"):
            tile = location_entry(entry, f"{where}.locations", self.kraken)
            location = self._location(tile.location, f"{where}.locations")
            player.locations[player.location_count] = location
            player.location_count += 1
            self._loot_on(location, tile.loot or [], f"{where}.locations")
            for lord in tile.lords or []:
                under = f"{where}.locations, lords under '{self.book.locations[location]}'"
                if isinstance(lord, Mapping):
                    raise InputError(f"{under}: {lord!r} must be a Lord's key: a Lord under a Location is never turned")
                self._add_lord(player, LordEntry(lord), location, under)

    def _add_lord(self, player: Any, entry: LordEntry, location: int, where: str) -> None:
        lord = self._lord(entry.lord, where)
        if player.lord_count == MAX_PLAYER_LORDS:
            raise InputError(f"{where}: a player can have no more than {MAX_PLAYER_LORDS} Lords here")
        if entry.spent and self.rules.lords[lord].guild != Guild.AMBASSADOR:
            raise InputError(f"{where}: '{entry.lord}' cannot be spent, as only an Ambassador that was freed can")
        held = player.lords[player.lord_count]
        held.lord, held.location, held.turned, held.spent = lord, location, int(entry.turned), int(entry.spent)
        player.lord_count += 1

    def _loot_on(self, location: int, values: Sequence[Any], where: str) -> None:
        """Lay Loot on a Location."""
        key = self.book.locations[location]
        if values and not self.rules.locations[location].sacred:
            raise InputError(f"{where}: Loot cannot lie on '{key}', which is no Sacred Place")
        for value in values:
            bit = 1 << self._loot_card(value, f"{where}, loot on '{key}'")
            if self.game.loot[location] & bit:
                raise InputError(f"{where}: Loot {value} lies twice on '{key}', but equal ones are lost")
            self.game.loot[location] |= bit

    def _council(self) -> None:
        table = self.table.get("council", {})
        check_keys(table, RACE_WORDS, "position.council")
        for word, texts in table.items():
            where = f"position.council.{word}"
            counts = self._allies(texts, where)
            race = parse_race(word, where)
            if counts.sum() != counts[[race, KRAKEN]].sum():
                wrong = next(text for text in allies_texts(counts) if not text.startswith((word, KRAKEN_WORD)))
                raise InputError(f"{where}: '{wrong}' does not belong on the stack of the {word}")
            self.game.council[race] = counts[race]
            self.game.council_krakens[race] = counts[KRAKEN]
            self.game.council_size[race] = counts.sum()

    def _discard(self) -> None:
        where = "position.exploration_discard"
        for text in list_of(self.table.get("exploration_discard", []), where):
            card = self._card(text, where)
            if card == MONSTER * CARD_STEP:
                self.game.discard_monsters += 1
            else:
                self.game.discard[divmod(card, CARD_STEP)] += 1
                self.game.discard_count += 1

    def _out_of_game(self) -> None:
        where = "position.out_of_game"
        for key in list_of(self.table.get("out_of_game", []), where):
            if key in self.book.lords:
                self._lord(key, where)
            elif key in self.book.locations:
                self._location(key, where)
            else:
                hint = nearest(str(key), self.book.lords + self.book.locations)
                raise InputError(f"{where}: there is no Lord or Location {key!r}{hint}")

    def _named(self, key: str, item: Callable[[Any, str], int]) -> list[int] | None:
        """Return the numbers named by a list, None where it is not given."""
        if key not in self.table:
            return None
        where = f"position.{key}"
        return [item(entry, where) for entry in list_of(self.table[key], where)]

    def _card(self, text: Any, where: str) -> int:
        card = parse_card(text, where, monsters=True, krakens=self.kraken)
        self.cards.put(card, where)
        return card

    def _face_up(self, entry: Any, where: str) -> int:
        """Return the number of a face-up Location, with the Loot laid on it."""
        tile = location_entry(entry, where, self.kraken)
        if tile.lords is not None:
            raise InputError(f"{where}: {dict(entry)!r} cannot have lords, as it belongs to nobody")
        if tile.loot and not self.rules.loot_stays:
            raise InputError(f"{where}: Loot on {tile.location!r} is possible under the ruling loot_stays only")
        location = self._location(tile.location, where)
        self._loot_on(location, tile.loot or [], where)
        return location

    def _decks(self) -> None:
        """Lay out Court, face-up Locations, decks and the pile of tokens: first what is named, then the rest."""
        game, slots = self.game, int(self.rules.court_slots)
        court = self._named("court", self._lord)
        if court is not None and len(court) > slots:
            raise InputError(f"position.court has {len(court)} Lords, but the Court has {slots} spaces")
        face_up = self._named("locations", self._face_up)
        lord_tops = self._named("lord_deck", self._lord) or []
        location_tops = self._named("location_deck", self._location) or []
        card_tops = self._named("exploration_deck", self._card) or []
        token_tops = self._named("monster_tokens", self._token) or []
        self.dealt = dealt = dealt_orders(self.book, self.seats, seed_of(game), int(game.number))
        lords = self.lords.rest(dealt.lords)
        if court is None:
            court, lords = lords[:slots][::-1], lords[slots:]
        locations = self.locations.rest(dealt.locations)
        if face_up is None:
            face_up, locations = locations[:1], locations[1:]
        self._court(court)
        game.open_count = len(face_up)
        game.open_locations[: len(face_up)] = face_up
        _fill(game.lord_deck, lord_tops + lords)
        game.lord_deck_count = len(lord_tops) + len(lords)
        _fill(game.location_deck, location_tops + locations)
        game.location_deck_count = len(location_tops) + len(locations)
        cards, tokens = card_tops + self.cards.rest(dealt.cards), token_tops + self.tokens.rest(dealt.tokens)
        _fill(game.deck, cards)
        game.deck_count = len(cards)
        _fill(game.tokens, tokens)
        game.token_count = len(tokens)

    def _court(self, court: Sequence[int]) -> None:
        assert len(court) <= MAX_COURT
        self.game.court[: len(court)] = court[::-1]
        self.game.court_count = len(court)
        # Never 0, so that nothing remembered of a cleared record is taken for knowledge of this Court.
        self.game.lords_version = len(court) + 1

    def _loot_deck(self) -> None:
        for value in self._named("loot_lost", self._loot_card) or []:
            self.game.loot_lost[value] += 1
        tops = self._named("loot_deck", self._loot_card) or []
        deck = tops + self.loot.rest(self.dealt.loot)
        _fill(self.game.loot_deck, deck)
        self.game.loot_deck_count = len(deck)

    def _figure(self) -> None:
        self.game.kraken_holder = -1
        if "kraken_holder" in self.table:
            holder = whole_number(self.table["kraken_holder"], "position.kraken_holder", 0, self.seats - 1)
            self.game.kraken_holder = holder

    def _sentinels(self, seat: int) -> None:
        where = f"position.player[{seat}].sentinels"
        for entry in list_of(self.players[seat].get("sentinels", []), where):
            sentinel = sentinel_entry(self.book, entry, where)
            lord = self.book.lord_number(sentinel.of)
            if lord not in self.sentinels.copies:
                owners = [self.book.lords[owner] for owner in self.sentinels.copies]
                hint = nearest(sentinel.of, owners)
                raise InputError(f"{where}: '{sentinel.of}' has no Sentinel; {', '.join(owners)} have one{hint}")
            self.sentinels.put(lord, where)
            if sentinel.at is None:
                self.game.players[seat].sentinels |= 1 << lord
            else:
                self._post(seat, lord, *parse_place(self.book, sentinel.at, where), where)

    def _post(self, seat: int, lord: int, area: int, item: int, where: str) -> None:
        """Place a Sentinel on something that lies there, in an area without one."""
        game, place = self.game, place_text(self.book, area, item)
        there = {
            Area.COURT: game.court[: int(game.court_count)],
            Area.COUNCIL: range(RACES),
            Area.LOCATION: game.open_locations[: int(game.open_count)],
        }
        if item not in there[Area(area)]:
            lies = "in the Court" if area == Area.COURT else "face up"
            raise InputError(f"{where}: no Sentinel can be at '{place}', as that does not lie {lies}")
        if game.reserved_for[area]:
            other = place_text(self.book, area, int(game.reserved_item[area]))
            raise InputError(f"{where}: no Sentinel can be at '{place}', as another is at '{other}': one in each area")
        game.reserved_for[area], game.reserved_item[area], game.sentinel_of[area] = 1 + seat, item, lord

    def _keys_in_supply(self) -> None:
        held = sum(int(player.key_tokens) for player in self.game.players[: self.seats])
        if self.rules.keys_binding and held > self.rules.key_tokens:
            raise InputError(f"position.player: {held} Key tokens are held, but only {self.rules.key_tokens} exist")

    def _end(self) -> None:
        """Note who brought on the end, and how many turns are left after this one."""
        game, table = self.game, self.table
        game.ended_by, game.turns_left = -1, -1
        extra = table.get("extra_turn", False)
        if not isinstance(extra, bool):
            raise InputError(f"position.extra_turn must be true or false, not {extra!r}")
        game.extra = int(extra)
        if "ended_by" not in table:
            if "end_trigger" in table:
                raise InputError("position.end_trigger is given without position.ended_by")
            return
        game.ended_by = whole_number(table["ended_by"], "position.ended_by", 0, self.seats - 1)
        game.end_trigger = self._trigger()
        after = (int(game.seat) - int(game.ended_by)) % self.seats
        if after > 0:
            last = self.seats - 1 - int(game.ended_by) if self.rules.equal_turns else self.seats - 1
            if after > last:
                raise InputError(
                    f"position.turn: under the ruling equal_turns seat {int(game.seat)} has no turn after"
                    f" seat {int(game.ended_by)} brought on the end"
                )
            game.turns_left = last - after

    def _trigger(self) -> int:
        names = [trigger.name.lower() for trigger in (EndTrigger.LORDS, EndTrigger.REFILL, EndTrigger.DECK)]
        enough = self.game.players[int(self.game.ended_by)].lord_count >= self.rules.lords_to_end
        name = self.table.get("end_trigger", "lords" if enough else "refill")
        if name not in names:
            hint = nearest(str(name), names)
            raise InputError(f"position.end_trigger must be one of {', '.join(names)}, not {name!r}{hint}")
        return int(EndTrigger[str(name).upper()])

    def _history(self) -> None:
        history = self.table.get("history", {})
        check_keys(history, HISTORY, "position.history")
        for name, value in history.items():
            self.game[HISTORY[name]] = whole_number(value, f"position.history.{name}", 0, 2**31)
        if self.game.last_recruitment > self.game.turn:
            raise InputError("position.history: last_recruitment must not be more than turns")


def _fill(field: Any, top_first: Sequence[int]) -> None:
    """Write a deck into a field of the record, where the top is the last."""
    field[: len(top_first)] = top_first[::-1]
