"""An independent referee: it plays one game again from its record and checks every event.

The referee knows the rules as plain data (the tables of the printed components) and the record, nothing else.
It shares no code with the package. Each method below is a passage of the rules: it says which events must
come next, checks what they claim, and keeps the books. The first event that the rules do not allow raises
`RefereeError`.

Hidden decks are unknown, but not what is in them: a card drawn must be one that is still there.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

Event = dict[str, Any]
Rules = Mapping[str, Any]
Parts = dict[str, int]

FORMAT, VERSION = "abysssim-game-record", 1
SCORE_PARTS = (
    "locations",
    "loot",
    "lords",
    "allies",
    "monster_tokens",
    "nebulis",
    "kraken",
    "scourge",
    "wounds",
)

# What each event must say, apart from its name: field:kind, kinds as in `_is`; "?" allows null.
FIELDS = {
    "game": "format:text version:number rules_hash:text changes:table expansions:texts players:number"
    " policies:list seed:number game:number",
    "setup": "court:texts locations:texts pearls:numbers threat:number lord_deck:number location_deck:number"
    " exploration_deck:number",
    "position": "position:table",
    "turn": "seat:seat number:number extra:flag",
    "gain": "seat:seat pearls:number cause:text",
    "lose": "seat:seat pearls:number cause:text",
    "plot": "seat:seat pearls:number lord:text",
    "use": "seat:seat lord:text",
    "pass": "seat:seat",
    "explore": "seat:seat",
    "reshuffle": "cards:number",
    "reveal": "seat:seat card:text space:number",
    "offer": "seat:seat explorer:seat price:number bought:flag",
    "take": "seat:seat card:text space:number",
    "continue": "seat:seat threat:number",
    "fight": "seat:seat threat:number reward_space:number space:number",
    "reward": "seat:seat reward:text pearls:number keys:number monster_tokens:numbers",
    "nothing_left": "seat:seat",
    "leftovers": "seat:seat council:texts discard:number",
    "council": "seat:seat race:text cards:texts cause:text",
    "recruit": "seat:seat lord:text allies:texts pearls:number cost:number",
    "affiliate": "seat:seat card:text",
    "take_lord": "seat:seat lord:text pearls:number given_up:text? cause:text",
    "replace": "seat:seat removed:text added:text cause:text",
    "decline": "seat:seat cause:text",
    "discard": "seat:seat card:text? pearls:number cause:text",
    "discard_stack": "seat:seat race:text cards:texts cause:text",
    "turned": "seat:seat lord:text cause:text",
    "steal": "seat:seat target:seat value:number cause:text",
    "extra_turn": "seat:seat cause:text",
    "draw_locations": "seat:seat drawn:texts kept:text cause:text",
    "exchange": "seat:seat gives:text takes:text cause:text",
    "swap_with_deck": "seat:seat takes:text? cause:text",
    "control": "seat:seat location:text source:text lords:texts key_tokens:number cause:text",
    "refill": "seat:seat pearls:number lords:texts",
    "end_trigger": "seat:seat reason:text",
    "end_of_turn": "seat:seat pearls:numbers key_tokens:numbers hand_sizes:numbers monster_tokens:numbers",
    "final_affiliation": "seat:seat affiliated:texts discarded:texts",
    "score": "players:tables winners:numbers",
}

# Why an event that comes unasked is against the rules.
UNASKED = {
    "turn": "no turn is due now",
    "gain": "nothing gives Pearls here",
    "lose": "nothing takes Pearls here",
    "offer": "nothing is offered now",
    "control": "control needs enough usable Keys, a Location to take, and the end of the action",
    "draw_locations": "Locations are drawn only for control, or by an Ambassador",
    "refill": "the Court is refilled once, after a recruitment that leaves few Lords",
    "discard": "nothing makes this seat discard now",
    "council": "no Council stack is taken now",
    "turned": "nothing turns a Lord now",
    "use": "a once-per-turn power is used before the action or after control of Locations",
    "reveal": "the exploration is over, or has not begun",
    "affiliate": "one Ally is affiliated, after a recruitment paid for with Allies",
    "end_trigger": "the end is triggered once, and for this reason it is not now",
    "final_affiliation": "the game is not over",
    "score": "the game is not over",
}


class RefereeError(AssertionError):
    """The record breaks a rule.

    Attributes
    ----------
    line
        Number of the event in the record, from 1; one past the last where an event is missing.
    event
        The event at fault, or None where the record ends too soon.
    rule
        What is wrong, in words.
    """

    def __init__(self, line: int, event: Event | None, rule: str) -> None:
        self.line = line
        self.event = event
        self.rule = rule
        super().__init__(f"line {line}: {rule}; event: {event}")


class Card(NamedTuple):
    """An Exploration card; a Monster has the Race "monster" and the value 0."""

    race: str
    value: int

    def __str__(self) -> str:
        return MONSTER_TEXT if self == MONSTER else f"{self.race} {self.value}"


MONSTER_TEXT = "monster"
MONSTER = Card(MONSTER_TEXT, 0)


def card_of(text: str) -> Card:
    """Return the card that a text such as "crab 3" or "monster" names.

    Raises
    ------
    ValueError
        If it names none.
    """
    if text == MONSTER_TEXT:
        return MONSTER
    race, value = text.split(" ")
    return Card(race, int(value))


class LordFacts(NamedTuple):
    """What is printed on a Lord."""

    guild: str
    points: int
    keys: int
    cost: int
    races: int
    power: str
    amount: int


class LocationFacts(NamedTuple):
    """What is printed on a Location."""

    base: int
    each: int
    per: str
    of: str
    max: int | None
    power: str


@dataclass
class OwnLord:
    """A Lord before its owner, free or under a Location."""

    key: str
    turned: bool = False


@dataclass
class OwnLocation:
    """A Location that a seat controls, and the Lords under it."""

    key: str
    lords: list[OwnLord] = field(default_factory=list)


@dataclass
class Seat:
    """All that a seat has."""

    pearls: int = 0
    key_tokens: int = 0
    hand: Counter[Card] = field(default_factory=Counter)
    affiliated: Counter[Card] = field(default_factory=Counter)
    lords: list[OwnLord] = field(default_factory=list)
    locations: list[OwnLocation] = field(default_factory=list)
    monster_tokens: Counter[int] = field(default_factory=Counter)
    turns: int = 0

    def all_lords(self) -> list[OwnLord]:
        """Return the free Lords and those under Locations."""
        return self.lords + [lord for location in self.locations for lord in location.lords]


@dataclass
class FinalState:
    """The game as the record leaves it: the seats, their scores, and what lies on the table."""

    seats: list[Seat]
    scores: list[Parts]
    winners: list[int]
    court: list[str]
    face_up: list[str]
    council: dict[str, Counter[Card]]
    discard: Counter[Card]
    threat: int
    end: tuple[int, str] | None


class Book:
    """The rules as plain data, read by name."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.races: list[str] = list(rules["races"]["names"])
        self.spaces: list[list[str]] = [list(space) for space in rules["threat"]["spaces"]]

    def number(self, name: str) -> int:
        """Return a number of the table `game`."""
        return int(self.rules["game"][name])

    def ruling(self, name: str) -> bool:
        """Tell whether the named alternative is played; the default ruling is false."""
        return bool(self.rules.get("rulings", {}).get(name, False))

    def race_of(self, guild: str) -> str:
        """Return the Race that the Lords of a guild demand, or an empty text."""
        return str(self.rules["guilds"][guild])

    def lord(self, key: str) -> LordFacts:
        """Return what is printed on a Lord."""
        row = self.rules["lords"][key]
        return LordFacts(
            row["guild"],
            row["points"],
            row.get("keys", 0),
            row["cost"],
            row["races"],
            row.get("power", "none"),
            row.get("amount", 0),
        )

    def location(self, key: str) -> LocationFacts:
        """Return what is printed on a Location."""
        row = self.rules["locations"][key]
        maximum = row.get("max")
        return LocationFacts(
            row["base"],
            row.get("each", 0),
            row.get("per", "none"),
            row.get("of", ""),
            maximum if isinstance(maximum, int) else None,
            row.get("power", "none"),
        )

    def in_the_box(self, table: str, expansions: Sequence[str] = ()) -> list[str]:
        """Return the keys of all Lords, or all Locations, that are in the game."""
        return [
            key
            for key, row in self.rules[table].items()
            if row.get("copies", 1) and not set(row.get("not_with", ())) & set(expansions)
        ]

    def exploration_cards(self) -> Counter[Card]:
        """Return the whole Exploration deck."""
        copies = self.rules["races"]["copies"]
        cards = Counter({Card(race, int(value)): n for race in self.races for value, n in copies.items()})
        cards[MONSTER] = self.number("monster_cards")
        return +cards

    def token_pile(self) -> Counter[int]:
        """Return all Monster tokens, by value."""
        return +Counter({int(value): n for value, n in self.rules["monster_tokens"]["values"].items()})


def with_changes(rules: Rules, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the rules with changes made: dotted keys such as "lords.peddler.cost" to values."""
    result: dict[str, Any] = copy.deepcopy(dict(rules))
    for key, value in changes.items():
        *tables, name = key.split(".")
        place = result
        for table in tables:
            place = place.setdefault(table, {})
        place[name] = value
    return result


# --- Scoring


def score(rules: Rules, seats: Sequence[Seat]) -> tuple[list[Parts], list[int]]:
    """Return the score of every seat by parts, and the winners, of a game that is over."""
    book = Book(rules)
    scores = [score_of(book, seats, seat) for seat in range(len(seats))]
    return scores, winners_of(book, seats, scores)


def score_of(book: Book, seats: Sequence[Seat], seat: int) -> Parts:
    """Return the score of one seat by parts; what belongs to no base game is 0."""
    own = seats[seat]
    parts = dict.fromkeys(SCORE_PARTS, 0)
    parts["locations"] = sum(location_score(book, seats, seat, tile.key) for tile in own.locations)
    parts["lords"] = sum(book.lord(lord.key).points for lord in own.all_lords())
    parts["allies"] = sum(max(values) for values in _affiliated_values(own).values())
    parts["monster_tokens"] = sum(value * n for value, n in own.monster_tokens.items())
    parts["total"] = sum(parts.values())
    return parts


def location_score(book: Book, seats: Sequence[Seat], seat: int, key: str) -> int:
    """Return what a Location is worth with the cards of a seat."""
    facts = book.location(key)
    if facts.per == "best_opponent_location":
        count = _best_opponent_location(book, seats, seat)
    else:
        count = _count_for(book, seats[seat], facts)
    worth = facts.base + facts.each * count
    return worth if facts.max is None else min(worth, facts.max)


def _best_opponent_location(book: Book, seats: Sequence[Seat], seat: int) -> int:
    tiles = [tile.key for other, owner in enumerate(seats) if other != seat for tile in owner.locations]
    copied = [key for key in tiles if book.location(key).per != "best_opponent_location"]
    return max((location_score(book, seats, seat, key) for key in copied), default=0)


def _count_for(book: Book, own: Seat, facts: LocationFacts) -> int:
    """Return the number of what a Location counts."""
    lords = own.all_lords()
    points = [book.lord(lord.key).points for lord in lords]
    # A ruling may take from turned Lords all but their points.
    seen = [lord for lord in lords if not (lord.turned and book.ruling("turned_vp_only"))]
    guilds = [book.lord(lord.key).guild for lord in seen]
    keyed = [_has_key_for_towers(book, lord.key) for lord in seen]
    values = _affiliated_values(own)
    counts = {
        "none": 0,
        "lords_of_guild": guilds.count(facts.of),
        "affiliated_of_race": len(values.get(facts.of, [])),
        "guilds_present": len(set(guilds)),
        "weakest_lord_points": min(points, default=0),
        "strongest_lord_points": max(points, default=0),
        "lords": len(lords),
        "lords_with_key": keyed.count(True),
        "lords_without_key": keyed.count(False),
        "weakest_affiliated_of_each_race": sum(min(of_race) for of_race in values.values()),
        "affiliated": own.affiliated.total(),
    }
    return counts[facts.per]


def _has_key_for_towers(book: Book, key: str) -> bool:
    facts = book.lord(key)
    keyless = facts.guild == "ambassador" and book.ruling("ambassador_keyless")
    return facts.keys > 0 and not keyless


def _affiliated_values(own: Seat) -> dict[str, list[int]]:
    """Return the values of the affiliated Allies by Race; a Race without any is left out."""
    values: dict[str, list[int]] = {}
    for card in own.affiliated.elements():
        values.setdefault(card.race, []).append(card.value)
    return values


def winners_of(book: Book, seats: Sequence[Seat], scores: Sequence[Parts]) -> list[int]:
    """Return the seats with most points; of those the richest; of those the ones with the highest Lord."""

    def rank(seat: int) -> tuple[int, int, int]:
        best = max((book.lord(lord.key).points for lord in seats[seat].all_lords()), default=0)
        return scores[seat]["total"], seats[seat].pearls, best

    top = max(rank(seat) for seat in range(len(seats)))
    return [seat for seat in range(len(seats)) if rank(seat) == top]


# --- Payments


def superfluous(allies: Sequence[Card], cost: int) -> Card | None:
    """Return an Ally that a payment can do without: its Race is paid twice, its value is surplus; or None."""
    surplus = sum(card.value for card in allies) - cost
    races = Counter(card.race for card in allies)
    return next((card for card in allies if races[card.race] > 1 and card.value <= surplus), None)


def can_pay(hand: Counter[Card], pearls: int, cost: int, races: int, needed: str) -> bool:
    """Tell whether Allies of exactly `races` Races, one of them `needed` (if any), and Pearls can pay.

    The most valuable set decides: what is superfluous in it can be left out, and it still pays.
    """
    totals: dict[str, int] = {}
    for card in (+hand).elements():
        totals[card.race] = totals.get(card.race, 0) + card.value
    if needed and needed not in totals:
        return False
    others = sorted((total for race, total in totals.items() if race != needed), reverse=True)
    free = races - 1 if needed else races
    if len(others) < free:
        return False
    return totals.get(needed, 0) * bool(needed) + sum(others[:free]) + pearls >= cost


# --- The referee


def referee(events: Iterable[Event], rules: Rules) -> FinalState:
    """Play a record again and return the game as it ends.

    Parameters
    ----------
    events
        The events of one record, in order.
    rules
        The tables of the rules. The changes that the record names are made on top of them.

    Raises
    ------
    RefereeError
        At the first event that the rules do not allow, or whose claims are wrong.
    """
    return Referee(events, rules).run()


class Referee:
    """The books of one game, and the rules as the order in which events must come."""

    def __init__(self, events: Iterable[Event], rules: Rules) -> None:
        self.events = list(events)
        self.rules = rules
        self.at = 0  # the next event
        self.event: Event = {}  # the event being judged
        self.book = Book(rules)
        self.seats: list[Seat] = []
        self.court: list[str] = []  # from the space nearest the deck
        self.lord_deck: set[str] = set()
        self.face_up: list[str] = []
        self.location_deck: set[str] = set()
        self.deck: Counter[Card] = Counter()
        self.discard: Counter[Card] = Counter()
        self.council: dict[str, Counter[Card]] = {}
        self.token_pile: Counter[int] = Counter()
        self.threat = 1
        # What a position says about the next cards of the decks, top first.
        self.lord_tops: list[str] = []
        self.location_tops: list[str] = []
        self.card_tops: list[Card] = []
        self.token_tops: list[int] = []
        # The turn
        self.active = 0
        self.first = 0
        self.used: set[str] = set()
        self.bought: Counter[int] = Counter()
        self.track: list[tuple[Card, int]] = []  # cards on the exploration track, with their spaces
        self.owed: list[tuple[int, str]] = []  # Pearls still due to the explorer, and why
        self.extra_turns = 0
        self.idle_turns = 0
        # The end
        self.due: set[str] = set()  # reasons to end the game that have come up and were not announced
        self.end: tuple[int, str] | None = None
        self.last_turns: list[int] | None = None  # seats that still have their last turn
        self.powers = {
            "opponents_hand_limit": self._cut_opponents,
            "pearls_at_turn_start": self._gain_pearls,
            "opponents_discard_ally": self._opponents_discard,
            "opponents_lose_pearls": self._opponents_lose_pearls,
            "disable_lord_of_each_opponent": self._turn_lords,
            "steal_monster_token": self._steal_tokens,
            "gain_pearls": self._gain_pearls,
            "extra_turn": self._grant_extra_turns,
            "take_council_stack": self._take_stacks,
            "exchange_location": self._exchange_location,
            "recruit_for_pearls": self._recruit_for_pearls,
            "swap_lord_with_court": self._swap_with_court,
            "swap_lord_with_deck": self._swap_with_deck,
            "draw_locations": self._draw_by_ambassador,
        }

    def run(self) -> FinalState:
        """Judge the whole record."""
        self._open_game()
        if self._next_kind() == "position":
            seat = self._open_position()
        else:
            seat = self._open_deal()
        self._play_turns(seat)
        self._final_affiliations()
        return self._score()

    # --- Reading events

    def _fail(self, rule: str) -> NoReturn:
        raise RefereeError(self.at, self.event, rule)

    def _require(self, condition: bool, rule: str) -> None:
        if not condition:
            self._fail(rule)

    def _peek(self) -> Event:
        """Return the next event; an end trigger that is due may stand anywhere, and is judged first."""
        event = self._raw()
        while event.get("event") == "end_trigger" and event.get("reason") in self.due:
            self._announce_end()
            event = self._raw()
        return event

    def _raw(self) -> Event:
        return self.events[self.at] if self.at < len(self.events) else {}

    def _next_kind(self) -> str:
        return str(self._peek().get("event", ""))

    def _next_is(self, kind: str, **fields: Any) -> bool:
        event = self._peek()
        return event.get("event") == kind and all(event.get(name) == value for name, value in fields.items())

    def _advance(self) -> Event:
        """Go on to the next event, which must be complete."""
        if self.at == len(self.events):
            raise RefereeError(self.at + 1, None, "the record ends before the game does")
        self.event = self.events[self.at]
        self.at += 1
        event = self.event.get("event")
        self._require(event in FIELDS, f"there is no event {event!r}")
        for entry in FIELDS[str(event)].split():
            name, kind = entry.split(":")
            self._require(name in self.event, f"{event} lacks the field {name}")
            value = self.event[name]
            good = (value is None and kind.endswith("?")) or self._is(kind.rstrip("?"), value)
            self._require(good, f"{name} of {event} cannot be {value!r}, it must be a {kind.rstrip('?')}")
        return self.event

    def _is(self, kind: str, value: Any) -> bool:
        """Tell whether a value of the record is of a kind."""
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        kinds = {
            "number": whole,
            "seat": whole and value < len(self.seats),
            "text": isinstance(value, str),
            "flag": isinstance(value, bool),
            "table": isinstance(value, dict),
            "list": isinstance(value, list),
        }
        if kind in kinds:
            return kinds[kind]
        return isinstance(value, list) and all(self._is(kind.removesuffix("s"), item) for item in value)

    def _expect(self, kind: str, seat: int | None = None, why: str = "", **fields: Any) -> Event:
        """Take the next event, which must be of this kind and seat and hold these fields."""
        self._peek()
        event = self._advance()
        found = str(event["event"])
        wanted = kind if seat is None else f"{kind} of seat {seat}"
        reason = f" ({why})" if why else ""
        if found != kind:
            unasked = f": {UNASKED[found]}" if found in UNASKED else ""
            self._fail(f"{wanted} must come here{reason}, not {found}{unasked}")
        if seat is not None:
            self._require(self._same(event["seat"], seat), f"{wanted} must come here{reason}")
        for name, value in fields.items():
            self._equal(name, value, why)
        return event

    @staticmethod
    def _same(claimed: Any, value: Any) -> bool:
        return bool(claimed == value) and isinstance(claimed, bool) == isinstance(value, bool)

    def _equal(self, name: str, value: Any, why: str = "") -> None:
        claimed = self.event[name]
        reason = f" ({why})" if why else ""
        self._require(self._same(claimed, value), f"{name} must be {value!r}, not {claimed!r}{reason}")

    def _card(self, text: Any) -> Card:
        try:
            card = card_of(text)
        except (AttributeError, ValueError):
            self._fail(f"{text!r} is not a card")
        if card != MONSTER and card.race not in self.book.races:
            self._fail(f"{text!r} is not a card of the game")
        return card

    def _ally(self, text: Any) -> Card:
        card = self._card(text)
        self._require(card != MONSTER, "a Monster is no Ally")
        return card

    def _allies(self, name: str) -> Counter[Card]:
        return Counter(self._ally(text) for text in self.event[name])

    # --- The start

    def _open_game(self) -> None:
        event = self._expect("game", format=FORMAT, version=VERSION)
        self._require(not event["expansions"], "this referee knows the base game only")
        players = int(self.event["players"])
        self._require(players >= 2, "a game has at least two seats")
        self._require(len(event["policies"]) == players, "policies must name one for each seat")
        self._set_rules(with_changes(self.rules, event["changes"]))
        self.seats = [Seat() for _ in range(players)]

    def _set_rules(self, rules: Rules) -> None:
        self.rules = rules
        self.book = Book(rules)
        self.lord_deck = set(self.book.in_the_box("lords"))
        self.location_deck = set(self.book.in_the_box("locations"))
        self.deck = self.book.exploration_cards()
        self.token_pile = self.book.token_pile()
        self.council = {race: Counter() for race in self.book.races}

    def _open_deal(self) -> int:
        """Judge the setup of a game from the deal and return the seat that begins."""
        self._expect("setup", threat=1)
        self.court = list(self.event["court"])
        slots = min(self.book.number("court_slots"), len(self.lord_deck))
        self._require(len(self.court) == slots, f"{slots} Lords are laid out at the start")
        for lord in self.court:
            self._leave_lord_deck(lord)
        self.face_up = list(self.event["locations"])
        self._require(len(self.face_up) == 1, "one Location is face up at the start")
        self._leave_location_deck(self.face_up[0])
        start = self.book.number("start_pearls")
        self._equal("pearls", [start] * len(self.seats), "each seat starts alike")
        for own in self.seats:
            own.pearls = start
        self._equal("lord_deck", len(self.lord_deck))
        self._equal("location_deck", len(self.location_deck))
        self._equal("exploration_deck", self.deck.total())
        seat = self._peek().get("seat")
        # Any seat may begin.
        self.first = seat if isinstance(seat, int) and 0 <= seat < len(self.seats) else 0
        return self.first

    def _open_position(self) -> int:
        """Set up a game from a position and return the seat to move."""
        position: dict[str, Any] = self._expect("position")["position"]
        for name in ("court", "locations"):
            self._require(name in position, f"a position in a record must say its {name}")
        rulings = {f"rulings.{name}": value for name, value in position.get("rulings", {}).items()}
        self._set_rules(with_changes(self.rules, {**position.get("changes", {}), **rulings}))
        self._equal_players(position)
        self._place_table(position)
        for own, given in zip(self.seats, position.get("player", []), strict=False):
            self._place_player(own, given)
        self.lord_tops = list(position.get("lord_deck", []))
        self.location_tops = list(position.get("location_deck", []))
        self.card_tops = [self._card(text) for text in position.get("exploration_deck", [])]
        self.token_tops = list(position.get("monster_tokens", []))
        return self._place_turn(position)

    def _equal_players(self, position: Mapping[str, Any]) -> None:
        players = position.get("players", len(self.seats))
        self._require(players == len(self.seats), f"the position has {players} seats, not {len(self.seats)}")
        self._require(len(position.get("player", [])) <= players, "the position describes too many seats")

    def _place_table(self, position: Mapping[str, Any]) -> None:
        self.threat = position.get("threat", 1)
        self.court = list(position["court"])
        for lord in self.court:
            self._leave_lord_deck(lord)
        self.face_up = list(position["locations"])
        for location in self.face_up:
            self._leave_location_deck(location)
        for text in position.get("exploration_discard", []):
            self.discard[self._leave_deck(text)] += 1
        for race, cards in position.get("council", {}).items():
            for text in cards:
                self.council[race][self._leave_deck(text)] += 1

    def _place_player(self, own: Seat, given: Mapping[str, Any]) -> None:
        own.pearls = given.get("pearls", 0)
        own.key_tokens = given.get("keys", 0)
        own.hand = Counter(self._leave_deck(text) for text in given.get("hand", []))
        own.affiliated = Counter(self._leave_deck(text) for text in given.get("affiliated", []))
        own.lords = [self._place_lord(lord) for lord in given.get("lords", [])]
        for tile in given.get("locations", []):
            row = {"location": tile} if isinstance(tile, str) else tile
            self._leave_location_deck(row["location"])
            own.locations.append(
                OwnLocation(row["location"], [self._place_lord(lord) for lord in row.get("lords", [])])
            )
        for value in given.get("monster_tokens", []):
            self._leave_token_pile(value)
            own.monster_tokens[value] += 1

    def _place_lord(self, lord: Any) -> OwnLord:
        row = {"lord": lord} if isinstance(lord, str) else lord
        self._leave_lord_deck(row["lord"])
        return OwnLord(row["lord"], bool(row.get("turned", False)))

    def _place_turn(self, position: Mapping[str, Any]) -> int:
        seat: int = position.get("turn", 0)
        ended_by = position.get("ended_by")
        if isinstance(ended_by, int) and ended_by in range(len(self.seats)):
            self.end = (ended_by, "position")
            stop = self.first if self.book.ruling("equal_turns") else ended_by
            later = [seat, *self._clockwise(seat)]
            self.last_turns = later[: later.index(stop)] if stop in later[1:] else later
            self.last_turns.remove(seat)
        return seat

    # --- Turns

    def _clockwise(self, seat: int) -> list[int]:
        """Return the other seats, clockwise."""
        return [(seat + step) % len(self.seats) for step in range(1, len(self.seats))]

    def _play_turns(self, seat: int) -> None:
        """Judge turn after turn until the game is over."""
        while True:
            self._turn(seat, extra=False)
            while self._takes_extra_turn():
                self.extra_turns -= 1
                self._turn(seat, extra=True)
            if self._stalemate():
                return
            if self.last_turns is None:
                seat = (seat + 1) % len(self.seats)
            elif self.last_turns:
                seat = self.last_turns.pop(0)
            else:
                return

    def _takes_extra_turn(self) -> bool:
        if self._stalemate() or (self.end and self.book.ruling("no_extra_after_trigger")):
            self.extra_turns = 0
        return self.extra_turns > 0

    def _stalemate(self) -> bool:
        return self.end is not None and self.end[1] == "stalemate"

    def _turn(self, seat: int, extra: bool) -> None:
        why = "an extra turn" if extra else "turns go clockwise, the last turns once to every other seat"
        own = self.seats[seat]
        own.turns += 1
        self._expect("turn", seat, why, number=own.turns, extra=extra)
        self.active = seat
        self.used = set()
        self.bought = Counter()
        for lord in self._acting(seat, "pearls_at_turn_start"):
            self._gain(seat, self.book.lord(lord.key).amount, lord.key)
        recruited = self._menu()
        self._control_locations()
        while self._next_kind() == "use":
            self._use()
        self._cut_by_commanders(seat)
        self._keep_hand_limit(seat)
        self.idle_turns = 0 if recruited else self.idle_turns + 1
        self._end_of_turn(seat)

    def _menu(self) -> bool:
        """Judge plots and powers until the one action of the turn; tell whether that was a recruitment."""
        actions = {
            "explore": self._explore,
            "council": self._council_action,
            "recruit": self._recruit,
            "pass": self._pass,
        }
        seat = self.active
        while (kind := self._next_kind()) in ("plot", "use"):
            if kind == "plot":
                self._plot()
            else:
                self._use()
        if kind not in actions:
            self._advance()
            reason = f": {UNASKED[kind]}" if kind in UNASKED else ""
            self._fail(f"a plot, a power or an action of seat {seat} must come here, not {kind}{reason}")
        actions[kind]()
        return kind == "recruit"

    def _plot(self) -> None:
        self._expect("plot", self.active, pearls=self.book.number("plot_cost"))
        free = len(self.court) < self.book.number("court_slots")
        self._require(free, "a plot needs a free space in the Court")
        self._require(bool(self.lord_deck), "a plot needs a Lord in the deck")
        self._pay(self.active, self.book.number("plot_cost"))
        self._add_to_court(self.event["lord"])

    def _can_plot(self) -> bool:
        free = len(self.court) < self.book.number("court_slots") and bool(self.lord_deck)
        return free and self.seats[self.active].pearls >= self.book.number("plot_cost")

    def _pass(self) -> None:
        """A seat passes only where it can do nothing at all."""
        self._expect("pass", self.active)
        own = self.seats[self.active]
        self._require(not self._can_plot(), "a seat that can plot may not pass")
        self._require(self._cards_left() == 0, "a seat that can explore may not pass")
        self._require(not self._stacks(), "a seat that can take a Council stack may not pass")
        for key in self.court:
            cost, races, race = self._price(self.active, key)
            payable = can_pay(own.hand, own.pearls, cost, races, race)
            self._require(not payable, f"a seat that can recruit {key} may not pass")
        for lord in own.lords:
            self._require(not self._usable(lord), f"a seat that can use {lord.key} may not pass")

    # --- Pearls

    def _gain(self, seat: int, pearls: int, cause: str) -> None:
        """Judge Pearls from the supply; none at all need not be written."""
        if pearls or self._next_is("gain", seat=seat, cause=cause, pearls=0):
            self._expect("gain", seat, f"{pearls} Pearls by {cause}", cause=cause, pearls=pearls)
            self.seats[seat].pearls += pearls

    def _pay(self, seat: int, pearls: int) -> None:
        own = self.seats[seat]
        self._require(own.pearls >= pearls, f"seat {seat} cannot pay {pearls} Pearls, it has {own.pearls}")
        own.pearls -= pearls

    def _settle(self) -> None:
        """Judge the gains owed to the explorer that stand here, in any order."""
        while self._next_kind() == "gain" and self.owed:
            self._expect("gain", self.active)
            gain = (int(self.event["pearls"]), str(self.event["cause"]))
            self._require(gain in self.owed, f"the Pearls due here are {self.owed}, not {gain}")
            self.owed.remove(gain)
            self.seats[self.active].pearls += gain[0]

    def _settle_all(self) -> None:
        self._settle()
        if self.owed:
            pearls, cause = self.owed[0]
            self._expect("gain", self.active, f"{pearls} Pearls by {cause} are missing")

    # --- Cards

    def _cards_left(self) -> int:
        return self.deck.total() + self.discard.total()

    def _leave_deck(self, text: Any) -> Card:
        card = self._card(text)
        self._require(self.deck[card] > 0, f"no {card} is left in the Exploration deck")
        self.deck[card] -= 1
        return card

    def _leave_lord_deck(self, key: Any) -> None:
        self._require(key in self.lord_deck, f"{key!r} is no Lord that is left in the deck")
        self.lord_deck.remove(key)
        if self.lord_tops:
            top = self.lord_tops.pop(0)
            self._require(key == top, f"{top} is the top of the Lord deck, not {key}")

    def _leave_location_deck(self, key: Any, drawn: bool = True) -> None:
        self._require(key in self.location_deck, f"{key!r} is no Location that is left in the deck")
        self.location_deck.remove(key)
        if drawn and self.location_tops:
            top = self.location_tops.pop(0)
            self._require(key == top, f"{top} is the top of the Location deck, not {key}")

    def _leave_token_pile(self, value: Any) -> None:
        self._require(self.token_pile[value] > 0, f"no Monster token {value!r} is left")
        self.token_pile[value] -= 1
        if self.token_tops:
            top = self.token_tops.pop(0)
            self._require(value == top, f"{top} is the next Monster token, not {value}")

    def _leave_hand(self, seat: int, card: Card) -> None:
        own = self.seats[seat]
        self._require(own.hand[card] > 0, f"seat {seat} holds no {card}")
        own.hand[card] -= 1

    def _add_to_court(self, lord: Any) -> None:
        """Lay a Lord of the deck on the free space farthest from the deck: the rest lie beyond it."""
        self._leave_lord_deck(lord)
        self.court.insert(0, lord)

    def _leave_court(self, lord: Any) -> None:
        self._require(lord in self.court, f"{lord!r} is no Lord of the Court")
        self.court.remove(lord)

    # --- Lords in play

    def _acting(self, seat: int, power: str) -> list[OwnLord]:
        """Return the free, unturned Lords of a seat with a power."""
        free = self.seats[seat].lords
        return [lord for lord in free if not lord.turned and self.book.lord(lord.key).power == power]

    def _protected(self, seat: int, lord: str) -> bool:
        """Tell whether a seat is immune to a Lord: the Shaman's owner is, to every Soldier."""
        return self.book.lord(lord).guild == "soldier" and bool(self._acting(seat, "immune_to_soldiers"))

    def _acting_against(self, seat: int, power: str) -> list[str]:
        """Return the opponents' lasting Lords with a power that reaches a seat."""
        lords = [lord.key for opponent in self._clockwise(seat) for lord in self._acting(opponent, power)]
        return [lord for lord in lords if not self._protected(seat, lord)]

    def _targets(self, seat: int, lord: str) -> Iterator[int]:
        """Yield the opponents that a Lord's power reaches, clockwise."""
        return (opponent for opponent in self._clockwise(seat) if not self._protected(opponent, lord))

    def _free_lord(self, seat: int, key: Any) -> OwnLord:
        for lord in self.seats[seat].lords:
            if lord.key == key:
                return lord
        self._fail(f"{key!r} is no free Lord of seat {seat}")

    # --- Powers once in each own turn

    def _use(self) -> None:
        event = self._expect("use", self.active)
        lord = self._free_lord(self.active, event["lord"])
        self._require(not lord.turned, f"{lord.key} is turned")
        self._require(lord.key not in self.used, f"{lord.key} has been used this turn")
        self._require(self._usable(lord), f"the power of {lord.key} can do nothing now")
        self.used.add(lord.key)
        facts = self.book.lord(lord.key)
        if facts.power == "discard_ally_for_pearls":
            self._discard_ally(self.active, lord.key)
            self._gain(self.active, facts.amount, lord.key)
        elif facts.power == "discard_council_stack":
            self._discard_stack(lord.key)
        else:
            self._replace_court_lord(lord.key)

    def _usable(self, lord: OwnLord) -> bool:
        """Tell whether a Lord has a once-per-turn power, not yet used, that can do something."""
        if lord.turned or lord.key in self.used:
            return False
        can = {
            "discard_ally_for_pearls": self.seats[self.active].hand.total() > 0,
            "discard_council_stack": bool(self._stacks()),
            "replace_court_lord": bool(self.court) and bool(self.lord_deck),
        }
        return can.get(self.book.lord(lord.key).power, False)

    def _discard_stack(self, cause: str) -> None:
        self._expect("discard_stack", self.active, cause=cause)
        self.discard += self._take_stack()

    def _replace_court_lord(self, cause: str) -> None:
        event = self._expect("replace", self.active, cause=cause)
        self._require(event["removed"] in self.court, f"{event['removed']!r} is no Lord of the Court")
        self._leave_lord_deck(event["added"])
        self.court[self.court.index(event["removed"])] = event["added"]

    # --- Exploration

    def _explore(self) -> None:
        self._expect("explore", self.active)
        self._require(self._cards_left() > 0, "there is no card to explore")
        self.track = []
        self.owed = []
        while not self._explore_one():
            pass
        self._clear_track()

    def _explore_one(self) -> bool:
        """Judge one card of the exploration; tell whether it was the last."""
        if self._cards_left() == 0:
            self._nothing_left()
            return True
        card = self._reveal()
        return self._meet_monster() if card == MONSTER else self._meet_ally(card)

    def _reveal(self) -> Card:
        if self.deck.total() == 0:
            self._expect("reshuffle", why="the deck is empty", cards=self.discard.total())
            self.deck, self.discard = +self.discard, Counter()
            self.card_tops = []
        space = len(self.track) + 1
        event = self._expect("reveal", self.active, "the exploration goes on", space=space)
        card = self._leave_deck(event["card"])
        if self.card_tops:
            top = self.card_tops.pop(0)
            self._require(card == top, f"{top} is the top of the Exploration deck, not {card}")
        self.track.append((card, space))
        return card

    def _meet_ally(self, card: Card) -> bool:
        space = self.track[-1][1]
        if self._offer(card):
            self.track.pop()
            return False
        if space == self.book.number("explore_slots"):
            self._take_ally("the Ally on the last space must be taken")
            return True
        if self._next_kind() == "take":
            self._take_ally()
            return True
        return False

    def _offer(self, card: Card) -> bool:
        """Judge the offers of one Ally, clockwise; tell whether it was bought."""
        nth = self.bought.total()
        price = self.book.number("purchase_price_first") + nth * self.book.number("purchase_price_step")
        for opponent in self._clockwise(self.active):
            if not self._may_buy(opponent, price):
                continue
            if self._next_kind() == "offer" and self._peek().get("seat") != opponent:
                self._refuse_offer(price)
            why = f"seat {opponent} may buy for {price}"
            event = self._expect("offer", opponent, why, explorer=self.active, price=price)
            if event["bought"] is True:
                self._buy(opponent, price, card)
                return True
            self._equal("bought", False)
        if self._next_kind() == "offer":
            self._refuse_offer(price)
        return False

    def _may_buy(self, seat: int, price: int) -> bool:
        most = self.book.number("purchases_per_opponent")
        return self.bought[seat] < most and self.seats[seat].pearls >= price

    def _refuse_offer(self, price: int) -> NoReturn:
        """Say why the seat of the next event may not be offered the Ally now."""
        seat = self._advance()["seat"]
        if seat == self.active:
            self._fail("an Ally is offered to the explorer's opponents")
        if self.bought[seat] >= self.book.number("purchases_per_opponent"):
            self._fail(f"seat {seat} has already bought this turn")
        if self.seats[seat].pearls < price:
            self._fail(f"seat {seat} cannot pay {price} Pearls")
        self._fail("an Ally is offered clockwise from the explorer, once to each opponent")

    def _buy(self, seat: int, price: int, card: Card) -> None:
        self._pay(seat, price)
        self.seats[self.active].pearls += price
        self.seats[seat].hand[card] += 1
        self.bought[seat] += 1
        if self.book.ruling("commander_on_purchase"):
            self._cut_by_commanders(seat)

    def _take_ally(self, why: str = "") -> None:
        """Judge the taking of the last unbought Ally of the track."""
        card, space = next(entry for entry in reversed(self.track) if entry[0] != MONSTER)
        self._owe_last_space(space)
        self._expect("take", self.active, why, card=str(card), space=space)
        self.track.remove((card, space))
        self.seats[self.active].hand[card] += 1
        self._settle()

    def _owe_last_space(self, space: int) -> None:
        """Owe the Pearl of the last space; it may stand before or after what is done there."""
        pearls = self.book.number("last_slot_pearls")
        if space == self.book.number("explore_slots") and pearls:
            self.owed.append((pearls, "last_space"))
            self._settle()

    def _meet_monster(self) -> bool:
        space = self.track[-1][1]
        if space == self.book.number("explore_slots") or self._next_kind() != "continue":
            self._fight(space)
            return True
        self.threat = min(self.threat + 1, len(self.book.spaces))
        self._expect("continue", self.active, "a Monster passed raises the threat", threat=self.threat)
        return False

    def _fight(self, space: int) -> None:
        tamers = self._acting_against(self.active, "opponents_threat_back")
        reward_space = max(1, self.threat - sum(self.book.lord(key).amount for key in tamers))
        self._owe_last_space(space)
        self._expect(
            "fight",
            self.active,
            "the Monster is fought",
            threat=self.threat,
            reward_space=reward_space,
            space=space,
        )
        self._settle()
        self.threat = 1
        self._reward(self.book.spaces[reward_space - 1])
        self._settle()

    def _reward(self, printed: Sequence[str]) -> None:
        """Judge the reward: one printed on the space, for which there are Monster tokens enough."""
        event = self._expect("reward", self.active)
        left = self.token_pile.total()
        allowed = [option for option in printed if option.count("M") <= left] or list(printed)
        option = event["reward"]
        self._require(option in allowed, f"the reward must be one of {allowed}, not {option!r}")
        keys = min(option.count("K"), self._key_supply())
        self._equal("pearls", option.count("P"))
        self._equal("keys", keys)
        values = event["monster_tokens"]
        tokens = min(option.count("M"), left)
        self._require(len(values) == tokens, f"{option} draws {tokens} Monster tokens, not {len(values)}")
        own = self.seats[self.active]
        for value in values:
            self._leave_token_pile(value)
            own.monster_tokens[value] += 1
        own.pearls += option.count("P")
        own.key_tokens += keys

    def _key_supply(self) -> int:
        """Return how many Key tokens can be gained; they run out only by a ruling."""
        if not self.book.ruling("keys_binding"):
            return max(len(option) for space in self.book.spaces for option in space)
        return max(0, self.book.number("key_tokens") - sum(own.key_tokens for own in self.seats))

    def _nothing_left(self) -> None:
        """With nothing to draw the last unbought Ally is taken, else the last Monster is fought."""
        if any(card != MONSTER for card, _ in self.track):
            self._take_ally("with nothing left to draw the last unbought Ally is taken")
        elif self.track:
            self._fight(self.track[-1][1])
        else:
            self._expect("nothing_left", self.active, "nothing is left to draw, and the track is empty")

    def _clear_track(self) -> None:
        """Judge the leftovers: Allies to the Council, Monsters to the discard; then the Ship Master."""
        allies = Counter(card for card, _ in self.track if card != MONSTER)
        monsters = len(self.track) - allies.total()
        self._settle()
        if self.track or self._next_is("leftovers"):
            self._expect("leftovers", self.active, "the track is cleared")
            claimed = self._allies("council")
            self._require(claimed == allies, f"{_list(allies)} go to the Council, not {_list(claimed)}")
            self._equal("discard", monsters, "the Monsters on the track")
        for card, n in allies.items():
            self.council[card.race][card] += n
        self.discard[MONSTER] += monsters
        races = len({card.race for card in allies})
        for lord in self._acting(self.active, "pearl_per_race_sent_to_council"):
            if pearls := races * self.book.lord(lord.key).amount:
                self.owed.append((pearls, lord.key))
        self._settle_all()

    # --- The Council

    def _stacks(self) -> list[str]:
        """Return the Races whose stacks are not empty."""
        return [race for race in self.book.races if self.council[race].total()]

    def _take_stack(self) -> Counter[Card]:
        """Take the whole stack that the event names, and check its cards."""
        race = self.event["race"]
        self._require(race in self._stacks(), f"there is no Council stack {race!r}")
        stack = +self.council[race]
        claimed = self._allies("cards")
        self._require(claimed == stack, f"the stack is {_list(stack)}, not {_list(claimed)}")
        self.council[race] = Counter()
        return stack

    def _council(self, cause: str, why: str = "") -> None:
        self._expect("council", self.active, why, cause=cause)
        self.seats[self.active].hand.update(self._take_stack())

    def _council_action(self) -> None:
        self._council("action")
        for lord in self._acting(self.active, "extra_council_stack"):
            for _ in range(self.book.lord(lord.key).amount):
                if self._stacks():
                    self._council(lord.key, "a further stack must be taken")

    # --- Recruitment

    def _price(self, seat: int, key: str) -> tuple[int, int, str]:
        """Return the cost of a Lord to a seat, how many Races it takes, and the Race it demands (or none)."""
        facts = self.book.lord(key)
        recruiters = self._acting_against(seat, "raise_opponent_costs")
        raised = sum(self.book.lord(name).amount for name in recruiters)
        lowered = sum(self._amount(lord) for lord in self._acting(seat, "lower_own_costs"))
        race = "" if self._acting(seat, "any_races") else self.book.race_of(facts.guild)
        return max(0, facts.cost + raised - lowered), facts.races, race

    def _recruit(self) -> None:
        event = self._expect("recruit", self.active)
        key = event["lord"]
        self._leave_court(key)
        allies = self._check_payment(*self._price(self.active, key))
        self._pay(self.active, int(self.event["pearls"]))
        for card in allies:
            self._leave_hand(self.active, card)
        any_value = bool(self._acting(self.active, "affiliate_any"))
        lord = self._join(key)
        self._affiliate(allies, any_value)
        if self.book.ruling("refill_before_power"):
            self._refill()
        self._arrive(lord)
        if not self.book.ruling("refill_before_power"):
            self._refill()

    def _check_payment(self, cost: int, races: int, race: str) -> list[Card]:
        """Judge the payment of the event and return its Allies."""
        self._equal("cost", cost)
        allies = [self._ally(text) for text in list(self.event["allies"])]
        paid = {card.race for card in allies}
        self._require(len(paid) == races, f"exactly {races} Races must be paid, not {len(paid)}")
        self._require(not race or race in paid, f"a {race} must be among the Allies paid")
        total = sum(card.value for card in allies)
        self._equal("pearls", max(0, cost - total), "each missing point costs one Pearl, no more")
        if not self.book.ruling("allow_overpay"):
            extra = superfluous(allies, cost)
            self._require(extra is None, f"{extra} is superfluous in this payment")
        return allies

    def _affiliate(self, allies: list[Card], any_value: bool) -> None:
        """Judge which Ally paid is affiliated: one of the lowest, or any by a power; discard the rest."""
        if not allies:
            return
        event = self._expect("affiliate", self.active, "one of the Allies paid is affiliated")
        card = self._ally(event["card"])
        self._require(card in allies, f"{card} is none of the Allies paid")
        lowest = min(paid.value for paid in allies)
        self._require(any_value or card.value == lowest, f"the lowest Ally paid is affiliated, not {card}")
        self.seats[self.active].affiliated[card] += 1
        self.discard.update(allies)
        self.discard[card] -= 1

    def _join(self, key: str) -> OwnLord:
        """Lay a new Lord before the active seat; the last Lord needed triggers the end."""
        own = self.seats[self.active]
        lord = OwnLord(key)
        own.lords.append(lord)
        if not self.book.ruling("count_at_turn_end"):
            self._count_lords()
        return lord

    def _count_lords(self) -> None:
        if len(self.seats[self.active].all_lords()) >= self.book.number("lords_to_end"):
            self._end_is_due("lords")

    def _refill(self) -> None:
        """Judge the refill: when few Lords are left, Pearls for the seat and Lords to fill the Court."""
        if len(self.court) > self.book.number("refill_when_lords_left"):
            return
        missing = max(0, self.book.number("court_slots") - len(self.court))
        added = min(missing, len(self.lord_deck))
        if added < missing:
            self._end_is_due("refill")
        pearls = self.book.number("refill_pearls")
        twice = self._note_refill_gain(pearls)
        self._expect("refill", self.active, f"{len(self.court)} Lords are left in the Court", pearls=pearls)
        lords = list(self.event["lords"])
        self._require(len(lords) == added, f"{added} Lords must be added to the Court, not {len(lords)}")
        for lord in lords:
            self._add_to_court(lord)
        if not twice:
            self._note_refill_gain(pearls)
        self.seats[self.active].pearls += pearls

    def _note_refill_gain(self, pearls: int) -> bool:
        """The Pearls of the refill may also be written as a gain beside it; they are the same Pearls."""
        if not self._next_is("gain", seat=self.active, cause="refill"):
            return False
        self._expect("gain", self.active, pearls=pearls)
        return True

    # --- Powers on arrival

    def _arrive(self, lord: OwnLord) -> None:
        """Judge all that happens when a Lord arrives before the active seat."""
        power = self.powers.get(self.book.lord(lord.key).power)
        if power is not None:
            power(lord)

    def _amount(self, lord: OwnLord) -> int:
        return self.book.lord(lord.key).amount

    def _gain_pearls(self, lord: OwnLord) -> None:
        self._gain(self.active, self._amount(lord), lord.key)

    def _cut_opponents(self, lord: OwnLord) -> None:
        for opponent in self._targets(self.active, lord.key):
            self._discard_down_to(opponent, self._amount(lord), lord.key)

    def _opponents_discard(self, lord: OwnLord) -> None:
        for opponent in self._targets(self.active, lord.key):
            hand = self.seats[opponent].hand.total()
            self._discard_down_to(opponent, max(0, hand - self._amount(lord)), lord.key)

    def _opponents_lose_pearls(self, lord: OwnLord) -> None:
        for opponent in self._targets(self.active, lord.key):
            own = self.seats[opponent]
            lost = min(own.pearls, self._amount(lord))
            if lost or self._next_is("lose", seat=opponent, cause=lord.key, pearls=0):
                self._expect("lose", opponent, f"by {lord.key}", cause=lord.key, pearls=lost)
                own.pearls -= lost

    def _turn_lords(self, lord: OwnLord) -> None:
        for opponent in self._targets(self.active, lord.key):
            free = [other for other in self.seats[opponent].lords if not other.turned]
            for _ in range(min(self._amount(lord), len(free))):
                event = self._expect("turned", opponent, f"by {lord.key}", cause=lord.key)
                hit = self._free_lord(opponent, event["lord"])
                self._require(not hit.turned, f"{hit.key} is turned already")
                hit.turned = True

    def _steal_tokens(self, lord: OwnLord) -> None:
        for _ in range(self._amount(lord)):
            reached = self._targets(self.active, lord.key)
            victims = [seat for seat in reached if self.seats[seat].monster_tokens.total()]
            if not victims:
                return
            event = self._expect("steal", self.active, f"{lord.key} takes a Monster token", cause=lord.key)
            target, value = event["target"], event["value"]
            self._require(target in victims, f"the target must be one of the seats {victims}, not {target!r}")
            tokens = self.seats[target].monster_tokens
            self._require(tokens[value] > 0, f"seat {target} holds no Monster token {value!r}")
            tokens[value] -= 1
            self.seats[self.active].monster_tokens[value] += 1

    def _grant_extra_turns(self, lord: OwnLord) -> None:
        over = self.end is not None or bool(self.due)
        if over and self.book.ruling("no_extra_after_trigger"):
            return
        for _ in range(self._amount(lord)):
            self._expect("extra_turn", self.active, f"by {lord.key}", cause=lord.key)
            self.extra_turns += 1

    def _take_stacks(self, lord: OwnLord) -> None:
        for _ in range(self._amount(lord)):
            if self._stacks():
                self._council(lord.key, f"{lord.key} takes a stack")

    def _exchange_location(self, lord: OwnLord) -> None:
        own = self.seats[self.active]
        if self._declined(lord, possible=bool(own.locations) and bool(self.face_up)):
            return
        event = self._expect("exchange", self.active, f"{lord.key} acts or is declined", cause=lord.key)
        gives, takes = event["gives"], event["takes"]
        tile = next((tile for tile in own.locations if tile.key == gives), None)
        if tile is None:
            self._fail(f"{gives!r} is no Location of seat {self.active}")
        self._leave_face_up(takes)
        self.face_up.append(tile.key)
        tile.key = self._swap_new_tile(takes)

    def _recruit_for_pearls(self, lord: OwnLord) -> None:
        price = self._amount(lord)
        rich = self.seats[self.active].pearls >= price
        if self._declined(lord, possible=rich and bool(self.court)):
            return
        event = self._take_lord_event(lord, pearls=price, given_up=None)
        self._pay(self.active, price)
        self._leave_court(event["lord"])
        self._arrive(self._join(event["lord"]))

    def _swap_with_court(self, lord: OwnLord) -> None:
        if self._declined(lord, possible=len(self.seats[self.active].lords) > 1 and bool(self.court)):
            return
        event = self._take_lord_event(lord, pearls=0)
        self._leave_court(event["lord"])
        self._give_up(lord)
        self._arrive(self._join(event["lord"]))

    def _swap_with_deck(self, lord: OwnLord) -> None:
        if self._declined(lord, possible=len(self.seats[self.active].lords) > 1 and bool(self.lord_deck)):
            return
        event = self._take_lord_event(lord, pearls=0)
        self._leave_lord_deck(event["lord"])
        self._give_up(lord)
        self._arrive(self._join(event["lord"]))

    def _take_lord_event(self, lord: OwnLord, **fields: Any) -> Event:
        why = f"{lord.key} acts or is declined"
        return self._expect("take_lord", self.active, why, cause=lord.key, **fields)

    def _give_up(self, lord: OwnLord) -> None:
        """Discard the free Lord that the event names, turned or not; not the one whose power acts."""
        given = self._free_lord(self.active, self.event["given_up"])
        self._require(given is not lord, f"{lord.key} cannot give itself up")
        self.seats[self.active].lords.remove(given)

    def _declined(self, lord: OwnLord, possible: bool) -> bool:
        """Tell whether an optional power does nothing; where it could do nothing that need not be written."""
        if self._next_is("decline", seat=self.active, cause=lord.key):
            self._expect("decline", self.active)
            return True
        return not possible

    def _draw_by_ambassador(self, lord: OwnLord) -> None:
        """Judge an Ambassador's draw: one Location is kept, and he alone goes under it; or he stays."""
        number = min(self._amount(lord), len(self.location_deck))
        if number:
            kept = self._draw_locations(lord.key, number, number)
            self._take_location(kept, "drawn", lord.key, [lord])

    # --- Discards

    def _discard_ally(self, seat: int, cause: str) -> None:
        event = self._expect("discard", seat, f"an Ally, by {cause}", cause=cause, pearls=0)
        card = self._ally(event["card"])
        self._leave_hand(seat, card)
        self.discard[card] += 1

    def _discard_down_to(self, seat: int, limit: int, cause: str) -> None:
        while self.seats[seat].hand.total() > limit:
            self._discard_ally(seat, cause)

    def _cut_by_commanders(self, seat: int) -> None:
        for lord in self._acting_against(seat, "opponents_hand_limit"):
            self._discard_down_to(seat, self.book.lord(lord).amount, lord)

    def _keep_hand_limit(self, seat: int) -> None:
        """Judge the hand limit at the turn's end: an Ally too many is discarded or paid for."""
        limit = self.book.number("hand_limit")
        own = self.seats[seat]
        too_many = own.hand.total() - limit if limit else 0
        for _ in range(max(0, too_many)):
            if self._next_is("discard", card=None):
                self._expect("discard", seat, cause="hand_limit", pearls=1)
                self._pay(seat, 1)
            else:
                self._discard_ally(seat, "hand_limit")

    # --- Locations

    def _keys_of(self, lord: OwnLord) -> int:
        """Return the Keys that a free Lord can give."""
        return 0 if lord.turned else self.book.lord(lord.key).keys

    def _control_locations(self) -> None:
        """A seat with Keys enough must take control, again and again, while there is a Location to take."""
        own = self.seats[self.active]
        while self.face_up or self.location_deck:
            keys = own.key_tokens + sum(self._keys_of(lord) for lord in own.lords)
            if keys < self.book.number("keys_per_location"):
                return
            self._control_one(f"seat {self.active} has {keys} usable Keys and must take control")

    def _control_one(self, why: str) -> None:
        """Judge the taking of one face-up Location, or of one that is drawn."""
        event = self._peek()
        kind = self._next_kind()
        location: Any
        if kind == "draw_locations":
            most = min(self.book.number("max_location_draw"), len(self.location_deck))
            location, source = self._draw_locations("control", 1, most), "drawn"
        elif kind == "swap_with_deck":  # a face-up Location that is swapped at once: its name is the cause
            location, source = event.get("cause"), "face_up"
            self._leave_face_up(location)
        elif kind == "control":
            location, source = event.get("location"), "face_up"
            self._leave_face_up(location)
        else:
            self._expect("control", self.active, why)
        self._take_location(location, source, "control", None)

    def _draw_locations(self, cause: str, fewest: int, most: int) -> str:
        """Judge a draw from the Location deck: one is kept, the others go face up. Return the one kept."""
        event = self._expect("draw_locations", self.active, f"by {cause}", cause=cause)
        drawn = list(self.event["drawn"])
        allowed = f"{fewest} to {most}" if fewest < most else f"{most}"
        self._require(fewest <= len(drawn) <= most, f"{allowed} Locations are drawn, not {len(drawn)}")
        for location in drawn:
            self._leave_location_deck(location)
        kept = event["kept"]
        self._require(kept in drawn, "the Location kept must be one of those drawn")
        drawn.remove(kept)
        self.face_up += drawn
        return str(kept)

    def _leave_face_up(self, location: Any) -> None:
        if location not in self.face_up:
            if self._next_kind() in ("control", "swap_with_deck"):
                self._advance()  # so that the error names the event that is wrong
            self._fail(f"{location!r} is no face-up Location")
        self.face_up.remove(location)

    def _take_location(self, location: str, source: str, cause: str, lords: list[OwnLord] | None) -> None:
        """Judge what a Location turns into, and the Keys given for it; an Ambassador gives himself."""
        location = self._swap_new_tile(location)
        why = f"{location} is taken"
        self._expect("control", self.active, why, location=location, source=source, cause=cause)
        own = self.seats[self.active]
        under = [self._free_lord(self.active, key) for key in list(self.event["lords"])]
        tokens = int(self.event["key_tokens"])
        if lords is None:
            self._check_keys(under, tokens)
        else:
            self._require(under == lords and tokens == 0, f"only {cause} goes under this Location")
        own.key_tokens -= tokens
        own.lords = [lord for lord in own.lords if lord not in under]
        own.locations.append(OwnLocation(location, under))

    def _check_keys(self, lords: list[OwnLord], tokens: int) -> None:
        """Judge the Keys given for a Location: enough, and nothing superfluous."""
        self._require(len({lord.key for lord in lords}) == len(lords), "a Lord gives its Keys once")
        held = self.seats[self.active].key_tokens
        self._require(tokens <= held, f"seat {self.active} has {held} Key tokens, not {tokens}")
        keys = [self._keys_of(lord) for lord in lords]
        self._require(0 not in keys, "a turned Lord, or one without a Key, gives no Key")
        needed = self.book.number("keys_per_location")
        given = sum(keys) + tokens
        self._require(given >= needed, f"a Location costs {needed} Keys, not {given}")
        smallest = min([*keys, 1] if tokens else keys)
        self._require(given - smallest < needed, f"{given} Keys are given, and one of them is superfluous")

    def _swap_new_tile(self, location: str) -> str:
        """Judge the swap of a Location that may turn into one of the deck; return what it is then."""
        while self.book.location(location).power == "swap_with_deck":
            if not self.location_deck:
                if self._next_is("swap_with_deck", seat=self.active, takes=None, cause=location):
                    self._expect("swap_with_deck", self.active)
                return location
            why = f"{location} may turn into any Location of the deck"
            event = self._expect("swap_with_deck", self.active, why, cause=location)
            self.location_tops = []  # the deck has been looked through and is shuffled
            if event["takes"] is None:
                return location
            self._leave_location_deck(event["takes"], drawn=False)
            if self.book.ruling("into_deck"):
                self.location_deck.add(location)
            location = event["takes"]
        return location

    # --- The end

    def _end_is_due(self, reason: str) -> None:
        if self.end is None:
            self.due.add(reason)

    def _announce_end(self) -> None:
        """Judge an end trigger that is due: only the first one in a game counts."""
        event = self._advance()
        self._equal("seat", self.active)
        self.end = (self.active, event["reason"])
        self.due.clear()
        others = self._clockwise(self.active)
        stop = others.index(self.first) if self.first in others else len(others)
        self.last_turns = others[:stop] if self.book.ruling("equal_turns") else others

    def _end_of_turn(self, seat: int) -> None:
        if self.book.ruling("count_at_turn_end"):
            self._count_lords()
        full = len(self.court) >= self.book.number("court_slots")
        if self.book.ruling("end_on_empty_deck") and not self.lord_deck and not full:
            self._end_is_due("deck")
        rounds = self.rules["game"].get("stalemate_rounds")
        if rounds and self.idle_turns >= rounds * len(self.seats):
            self._end_is_due("stalemate")
        self._expect(
            "end_of_turn",
            seat,
            "the turn is over",
            pearls=[own.pearls for own in self.seats],
            key_tokens=[own.key_tokens for own in self.seats],
            hand_sizes=[own.hand.total() for own in self.seats],
            monster_tokens=[own.monster_tokens.total() for own in self.seats],
        )
        self._peek()  # the end may be announced after the turn as well
        self._require(not self.due, f"end_trigger is missing: the end is due by {sorted(self.due)}")

    def _final_affiliations(self) -> None:
        """Judge the final affiliations, in any order of seats; that of an empty hand need not be written."""
        waiting = set(range(len(self.seats)))
        while self._next_kind() == "final_affiliation":
            seat = self._advance()["seat"]
            self._require(seat in waiting, f"seat {seat!r} has no final affiliation to do")
            waiting.remove(seat)
            self._final_affiliation(self.seats[seat])
        for seat in sorted(waiting):
            if self.seats[seat].hand.total():
                self._expect("final_affiliation", seat, "the game is over")

    def _final_affiliation(self, own: Seat) -> None:
        hand = +own.hand
        races = {card.race for card in hand}
        affiliated = Counter(min(card for card in hand if card.race == race) for race in races)
        claimed, discarded = self._allies("affiliated"), self._allies("discarded")
        self._require(claimed == affiliated, f"{_list(affiliated)} are affiliated, not {_list(claimed)}")
        rest = hand - affiliated
        self._require(discarded == rest, f"{_list(rest)} are discarded, not {_list(discarded)}")
        own.affiliated += affiliated
        own.hand = Counter()
        self.discard += rest

    def _score(self) -> FinalState:
        event = self._expect("score", why="the game is over")
        scores, winners = score(self.rules, self.seats)
        self._require(len(event["players"]) == len(scores), "score must name every seat")
        for seat, (parts, claimed) in enumerate(zip(scores, event["players"], strict=True)):
            for part, points in parts.items():
                found = claimed.get(part)
                self._require(self._same(found, points), f"seat {seat}: {part} is {points}, not {found!r}")
        self._equal("winners", winners)
        if self.at < len(self.events):
            self._advance()
            self._fail("the record goes on after the score")
        return FinalState(
            self.seats,
            scores,
            winners,
            self.court,
            self.face_up,
            self.council,
            +self.discard,
            self.threat,
            self.end,
        )


def _list(cards: Counter[Card]) -> str:
    """Return cards as text, sorted."""
    return "[" + ", ".join(str(card) for card in sorted((+cards).elements())) + "]"
