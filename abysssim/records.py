"""Game records: the engine's log as JSON events that a referee can follow (docs/record.md), read and replayed."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from abysssim.core.layout import KRAKEN
from abysssim.errors import InputError
from abysssim.position import parse_table
from abysssim.rules.rulebook import Rulebook, load, with_kraken
from abysssim.stepping import NO_BAR, Stop, Table, dealt_orders
from abysssim.store import write_text
from abysssim.texts import AREA_WORDS, MONSTER_WORD, RACE_WORDS, ally_text, cause_text, item_text, list_of
from abysssim.vocabulary import EndTrigger, Event

FORMAT = "abysssim-game-record"
VERSION = 1
FACE_UP, DRAWN = "face_up", "drawn"
FINAL = (Event.FINAL_AFFILIATED, Event.FINAL_DISCARDED)

Record = list[dict[str, Any]]


class Entry(NamedTuple):
    """One entry of the engine's log; vocabulary.Event says what a, b, c and d are."""

    event: int
    seat: int
    a: int
    b: int
    c: int
    d: int


def entries_of(log: Any) -> list[Entry]:
    """Return ENTRY records as plain tuples."""
    columns = [log[name].tolist() for name in Entry._fields] if len(log) else [[]] * len(Entry._fields)
    return [Entry(*row) for row in zip(*columns, strict=True)]


def events_of(rulebook: Rulebook, log: Any) -> Record:
    """Return the events in the engine's log, from the first turn on, as docs/record.md describes them."""
    return _Reader(rulebook, entries_of(log)).read()


class _Reader:
    """Reads a log entry by entry; some events take in the entries that follow them."""

    def __init__(self, rulebook: Rulebook, entries: Sequence[Entry]) -> None:
        self.book, self.entries, self.place = rulebook, entries, 0
        self.kraken = with_kraken(rulebook)

    def read(self) -> Record:
        """Return all events up to the final affiliation."""
        events = []
        while self.place < len(self.entries):
            entry = self.entries[self.place]
            if entry.event in FINAL:
                break
            self.place += 1
            kind = Event(entry.event)
            events.append({"event": kind.name.lower(), "seat": entry.seat} | FIELDS[kind](self, entry))
        return events

    def rest(self) -> list[Entry]:
        """Return the entries not read: those from the final affiliation on."""
        return list(self.entries[self.place :])

    def following(self, *kinds: Event) -> list[Entry]:
        """Return the entries of some kinds that follow, and step past them."""
        start = self.place
        while self.place < len(self.entries) and self.entries[self.place].event in kinds:
            self.place += 1
        return list(self.entries[start : self.place])

    def allies(self, kind: Event) -> list[str]:
        """Return the Allies in the entries of a kind that follow."""
        return [ally_text(entry.a, entry.b) for entry in self.following(kind)]

    def lords(self, kind: Event) -> list[str]:
        """Return the Lords in the entries of a kind that follow."""
        return [self.book.lords[entry.a] for entry in self.following(kind)]

    def lord(self, number: int) -> str | None:
        """Return a Lord's key, None for -1."""
        return self.book.lords[number] if number >= 0 else None

    def location(self, number: int) -> str | None:
        """Return a Location's key, None for -1."""
        return self.book.locations[number] if number >= 0 else None

    def cause(self, number: int) -> str:
        """Return the cause of an event."""
        return cause_text(self.book, number)


Fields = Callable[[_Reader, Entry], dict[str, Any]]


def _card(entry: Entry) -> str:
    """Return the card in a (its Race, below 0 for a Monster) and b (its value)."""
    return MONSTER_WORD if entry.a < 0 else ally_text(entry.a, entry.b)


def _offer(reader: _Reader, entry: Entry) -> dict[str, Any]:
    offer = {"explorer": entry.a, "price": entry.b, "bought": bool(entry.c)}
    return offer | _paid_in_nebulis(reader, entry)


def _paid_in_nebulis(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {"nebulis": entry.d} if reader.kraken else {}


def _reward(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "reward": reader.book.rewards[entry.a][entry.b],
        "pearls": entry.c,
        "keys": entry.d,
        "monster_tokens": [token.a for token in reader.following(Event.TOKEN)],
    }


def _leftovers(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {"council": reader.allies(Event.LEFTOVER_ALLY), "discard": entry.a}


def _council(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {"race": RACE_WORDS[entry.a], "cards": reader.allies(Event.COUNCIL_CARD), "cause": reader.cause(entry.b)}


def _recruit(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "lord": reader.lord(entry.a),
        "allies": reader.allies(Event.PAID),
        "pearls": entry.b,
        **_paid_in_nebulis(reader, entry),
        "cost": entry.c,
    }


def _take_lord(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "lord": reader.lord(entry.a),
        "pearls": entry.b,
        "given_up": reader.lord(entry.c),
        "cause": reader.cause(entry.d),
    }


def _discard(reader: _Reader, entry: Entry) -> dict[str, Any]:
    paid = entry.a < 0
    return {
        "card": None if paid else ally_text(entry.a, entry.b),
        "pearls": int(paid),
        "cause": reader.cause(entry.c),
    }


def _draw_locations(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "drawn": [reader.location(tile.a) for tile in reader.following(Event.DRAWN)],
        "kept": reader.location(entry.a),
        "cause": reader.cause(entry.b),
    }


def _control(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "location": reader.location(entry.a),
        "source": DRAWN if entry.b else FACE_UP,
        "lords": reader.lords(Event.KEY_LORD),
        "key_tokens": entry.c,
        "cause": reader.cause(entry.d),
    }


def _end_of_turn(reader: _Reader, entry: Entry) -> dict[str, Any]:
    entries = reader.following(Event.SEAT_STATE, Event.SEAT_NEBULIS)
    states = [state for state in entries if state.event == Event.SEAT_STATE]
    fields = {
        "pearls": [state.a for state in states],
        "key_tokens": [state.b for state in states],
        "hand_sizes": [state.c for state in states],
        "monster_tokens": [state.d for state in states],
    }
    if reader.kraken:
        fields["nebulis"] = [state.a for state in entries if state.event == Event.SEAT_NEBULIS]
    return fields


def _sentinel(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "of": reader.lord(entry.a),
        "area": AREA_WORDS[entry.b],
        "at": item_text(reader.book, entry.b, entry.c),
    }


def _loot(reader: _Reader, entry: Entry) -> dict[str, Any]:
    return {
        "location": reader.location(entry.b),
        "value": entry.a,
        "pearls": entry.c,
        "keys": entry.d,
        "monster_tokens": [token.a for token in reader.following(Event.TOKEN)],
    }


FIELDS: dict[Event, Fields] = {
    Event.TURN: lambda r, e: {"number": e.a, "extra": bool(e.b)},
    Event.GAIN: lambda r, e: {"pearls": e.a, "cause": r.cause(e.b)},
    Event.LOSE: lambda r, e: {"pearls": e.a, "cause": r.cause(e.b)},
    Event.PLOT: lambda r, e: {"pearls": e.b, "lord": r.lord(e.a)},
    Event.USE: lambda r, e: {"lord": r.lord(e.a)},
    Event.PASS: lambda r, e: {},
    Event.EXPLORE: lambda r, e: {},
    Event.RESHUFFLE: lambda r, e: {"cards": e.a},
    Event.REVEAL: lambda r, e: {"card": _card(e), "space": e.c + 1},
    Event.OFFER: _offer,
    Event.TAKE: lambda r, e: {"card": ally_text(e.a, e.b), "space": e.c + 1},
    Event.CONTINUE: lambda r, e: {"threat": e.a + 1},
    Event.FIGHT: lambda r, e: {"threat": e.a + 1, "reward_space": e.b + 1, "space": e.c + 1},
    Event.REWARD: _reward,
    Event.NOTHING_LEFT: lambda r, e: {},
    Event.LEFTOVERS: _leftovers,
    Event.COUNCIL: _council,
    Event.RECRUIT: _recruit,
    Event.AFFILIATE: lambda r, e: {"card": ally_text(e.a, e.b)},
    Event.TAKE_LORD: _take_lord,
    Event.REPLACE: lambda r, e: {"removed": r.lord(e.a), "added": r.lord(e.b), "cause": r.cause(e.c)},
    Event.DECLINE: lambda r, e: {"cause": r.cause(e.a)},
    Event.DISCARD: _discard,
    Event.DISCARD_STACK: _council,
    Event.TURNED: lambda r, e: {"lord": r.lord(e.a), "cause": r.cause(e.b)},
    Event.STEAL: lambda r, e: {"target": e.a, "value": e.b, "cause": r.cause(e.c)},
    Event.EXTRA_TURN: lambda r, e: {"cause": r.cause(e.a)},
    Event.DRAW_LOCATIONS: _draw_locations,
    Event.EXCHANGE: lambda r, e: {"gives": r.location(e.a), "takes": r.location(e.b), "cause": r.cause(e.c)},
    Event.SWAP_WITH_DECK: lambda r, e: {"takes": r.location(e.a), "cause": r.location(e.b)},
    Event.CONTROL: _control,
    Event.REFILL: lambda r, e: {"pearls": e.a, "lords": r.lords(Event.REFILL_LORD)},
    Event.END_TRIGGER: lambda r, e: {"reason": EndTrigger(e.a).name.lower()},
    Event.END_OF_TURN: _end_of_turn,
    Event.NEBULIS: lambda r, e: {"change": e.a, "cause": r.cause(e.b)},
    Event.FIGURE: lambda r, e: {"seat": e.seat if e.seat >= 0 else None},
    Event.TAX: lambda r, e: {"target": e.a, "pearls": e.b, "cause": r.cause(e.c)},
    Event.KRAKEN_TO_COUNCIL: lambda r, e: {"card": ally_text(KRAKEN, e.a), "race": RACE_WORDS[e.b]},
    Event.LOOT: _loot,
    Event.LOOT_LOST: lambda r, e: {"location": r.location(e.b), "value": e.a},
    Event.LOOT_DRAW: lambda r, e: {"card": _card(e), "threat": e.c + 1},
    Event.LOOT_STOP: lambda r, e: {"location": r.location(e.a)},
    Event.LOOT_GONE: lambda r, e: {"location": r.location(e.a)},
    Event.SENTINEL: _sentinel,
    Event.SENTINEL_BACK: lambda r, e: {"of": r.lord(e.a)},
    Event.FROM_DISCARD: lambda r, e: {"card": ally_text(e.a, e.b), "cause": r.cause(e.c)},
    Event.NAME_RACE: lambda r, e: {"race": RACE_WORDS[e.a], "cause": r.cause(e.b)},
    Event.DISCARD_AFFILIATED: lambda r, e: {"card": ally_text(e.a, e.b), "cause": r.cause(e.c)},
    Event.FREED: lambda r, e: {"lord": r.lord(e.a), "location": r.location(e.b), "cause": r.cause(e.c)},
}


def _final_events(rulebook: Rulebook, entries: Iterable[Entry], seats: int) -> Record:
    """Return one affiliation for each seat, also where a hand was empty, then what the Krakens among them do."""
    events: Record = [
        {"event": "final_affiliation", "seat": seat, "affiliated": [], "discarded": []} for seat in range(seats)
    ]
    later = []
    for entry in entries:
        if entry.event in FINAL:
            key = "affiliated" if entry.event == Event.FINAL_AFFILIATED else "discarded"
            events[entry.seat][key].append(ally_text(entry.a, entry.b))
        else:
            later.append(entry)
    return events + _Reader(rulebook, later).read()


@dataclass(frozen=True)
class Origin:
    """Where a game comes from: what the first two lines of its record say.

    Attributes
    ----------
    rulebook
    policies : names by seat
    seed, game : the deal
    position : the position it starts from, as a table; None for a game from the deal
    bar : (seat, Lord's number) that may not be taken, (-1, -1) for none
    """

    rulebook: Rulebook
    policies: Sequence[str]
    seed: int = 0
    game: int = 0
    position: Mapping[str, Any] | None = None
    bar: tuple[int, int] = NO_BAR

    def table(self, policies: Any = None) -> Table:
        """Return a Table that plays the game; `policies` are POLICY records, one a seat."""
        position = None if self.position is None else parse_table(self.position).game
        return Table(self.rulebook, len(self.policies), policies, self.seed, self.game, position, self.bar)

    def opening(self, choices: Sequence[int]) -> Record:
        """Return the events before the first turn."""
        book = self.rulebook
        header: dict[str, Any] = {
            "event": "game",
            "format": FORMAT,
            "version": VERSION,
            "rules_hash": book.rules_hash,
            "changes": dict(book.changes),
            "expansions": list(book.expansions),
            "players": len(self.policies),
            "policies": list(self.policies),
            "seed": self.seed,
            "game": self.game,
            "choices": list(choices),
        }
        if self.bar != NO_BAR:
            header["bar"] = {"seat": self.bar[0], "lord": book.lords[self.bar[1]]}
        if self.position is not None:
            return [header, {"event": "position", "position": dict(self.position)}]
        return [header, self._setup()]

    def _setup(self) -> dict[str, Any]:
        book, rules = self.rulebook, self.rulebook.record[0]
        dealt = dealt_orders(book, len(self.policies), self.seed, self.game)
        slots = int(rules.court_slots)
        setup = {
            "event": "setup",
            "court": [book.lords[lord] for lord in dealt.lords[:slots][::-1]],
            "locations": [book.locations[location] for location in dealt.locations[:1]],
            "pearls": [int(rules.start_pearls)] * len(self.policies),
            "threat": 1,
            "lord_deck": max(len(dealt.lords) - slots, 0),
            "location_deck": len(dealt.locations) - 1,
            "exploration_deck": len(dealt.cards),
        }
        return setup | ({"loot_deck": len(dealt.loot)} if with_kraken(book) else {})


def record_of(origin: Origin, stop: Stop) -> Record:
    """Return the record of a game played with recording on; without its score if the game is not over."""
    reader = _Reader(origin.rulebook, entries_of(stop.entries))
    events = origin.opening(stop.choices) + reader.read()
    if stop.scores is not None:
        events += _final_events(origin.rulebook, reader.rest(), len(origin.policies))
        events.append({"event": "score", **stop.scores.as_table()})
    return events


def write_record(path: Path, record: Record) -> None:
    """Write a record as JSON Lines, atomically."""
    write_text(path, "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in record))


def read_record(path: Path) -> Record:
    """Return the events of a record file.

    Raises
    ------
    InputError
        If it cannot be read, or is not a game record of this version.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        record = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as JSON Lines: {error}") from None
    head = record[0] if record and isinstance(record[0], dict) else {}
    if (head.get("format"), head.get("version")) != (FORMAT, VERSION):
        raise InputError(f"{path} is not a game record ({FORMAT}, version {VERSION}): see its first line")
    return record


def origin_of(record: Record) -> Origin:
    """Return where a recorded game comes from.

    Raises
    ------
    InputError
        If the record names rules that do not exist (any more), or its rules hash is another.
    """
    head = record[0]
    try:
        book = load(head["changes"], head["expansions"])
        policies, seed, game = list_of(head["policies"], "policies"), int(head["seed"]), int(head["game"])
        bar = (int(head["bar"]["seat"]), book.lord_number(head["bar"]["lord"])) if "bar" in head else NO_BAR
        position = record[1]["position"] if record[1]["event"] == "position" else None
    except (KeyError, IndexError, TypeError) as error:
        raise InputError(f"the record's first two lines are not complete: {error!r}") from None
    if book.rules_hash != head.get("rules_hash"):
        raise InputError(
            f"the record was played by other rules: its rules_hash is {head.get('rules_hash')!r},"
            f" that of its changes is now '{book.rules_hash}'"
        )
    return Origin(book, policies, seed, game, position, bar)


def replay(record: Record) -> Record:
    """Play a recorded game again from its deal or position and its choices; return the record of that.

    Equal to `record` if and only if this version of the game plays those choices as that one did.
    """
    origin = origin_of(record)
    choices = [int(choice) for choice in list_of(record[0].get("choices"), "choices")]
    return record_of(origin, origin.table().play(choices))
