"""An independent referee: it plays one game again from its record and checks every event.

The referee knows the rules as plain data (the tables of the printed components) and the record, nothing else.
It shares no code with the package. Each method below is a passage of the rules: it says which events must
come next, checks what they claim, and keeps the books. The first event that the rules do not allow raises
`RefereeError`.

Hidden decks are unknown, but not what is in them: a card drawn must be one that is still there.

With the Kraken expansion it also keeps the Nebulis, the Kraken figure, the Loot and the Sentinels. What only that
expansion has stands at the end of each section, or in a section of its own.
"""

import copy
import itertools
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

# What the Kraken expansion adds: fields of the events above, and events of its own.
KRAKEN_FIELDS = {
    "setup": "loot_deck:number",
    "offer": "nebulis:number",
    "recruit": "nebulis:number",
    "end_of_turn": "nebulis:numbers",
    "nebulis": "seat:seat change:signed cause:text",
    "figure": "seat:seat?",
    "tax": "seat:seat target:seat pearls:number cause:text",
    "kraken_to_council": "seat:seat card:text race:text",
    "sentinel": "seat:seat of:text area:text at:text",
    "sentinel_back": "seat:seat of:text",
    "loot": "seat:seat location:text value:number pearls:number keys:number monster_tokens:numbers",
    "loot_draw": "seat:seat card:text threat:number",
    "loot_lost": "seat:seat location:text value:number",
    "loot_stop": "seat:seat location:text",
    "loot_gone": "seat:seat location:text",
    "from_discard": "seat:seat card:text cause:text",
    "name_race": "seat:seat race:text cause:text",
    "discard_affiliated": "seat:seat card:text cause:text",
    "freed": "seat:seat lord:text location:text cause:text",
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
    "nebulis": "nothing brings or takes Nebulis here",
    "figure": "the Kraken figure does not change hands here",
    "tax": "no gain of two Pearls or more is taxed here",
    "kraken_to_council": "no Kraken is left on the track",
    "sentinel": "no Sentinel is placed now",
    "sentinel_back": "no Sentinel comes back now",
    "loot": "no Sacred Place is searched now",
    "loot_draw": "no card is drawn for a Loot now",
    "loot_lost": "this Loot is no duplicate",
    "loot_gone": "no Loot is given up",
    "from_discard": "nothing is taken from the discard now",
    "discard_affiliated": "nothing makes this seat discard an affiliated Ally now",
    "freed": "nothing frees a Lord now",
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
KRAKEN = "kraken"
TAXED_FROM = 2  # Pearls gained at once


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
    sacred: bool


@dataclass
class OwnLord:
    """A Lord before its owner, free or under a Location."""

    key: str
    turned: bool = False
    spent: bool = False  # an Ambassador that was freed: its Keys give no Location any more


@dataclass
class OwnLocation:
    """A Location that a seat controls, the Lords under it and the Loot on it."""

    key: str
    lords: list[OwnLord] = field(default_factory=list)
    loot: list[int] = field(default_factory=list)


@dataclass
class Sentinel:
    """A Sentinel of a seat, on a thing of an area (`court`, `council`, `location`) or waiting."""

    seat: int
    of: str
    area: str = ""
    at: str = ""
    since: int = -1  # the turn in which it came to wait; it may be placed in a later one


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
    nebulis: int = 0

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
    figure: int | None
    loot_lost: Counter[int]
    sentinels: list[Sentinel]


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
            bool(row.get("sacred", False)),
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
        krakens = self.rules.get("allies", {}).get(KRAKEN, {})
        cards |= Counter({Card(KRAKEN, int(value)): n for value, n in krakens.items()})
        cards[MONSTER] = self.number("monster_cards")
        return +cards

    def token_pile(self) -> Counter[int]:
        """Return all Monster tokens, by value."""
        return +Counter({int(value): n for value, n in self.rules["monster_tokens"]["values"].items()})

    def nebulis(self, name: str) -> int:
        """Return a number of the table `nebulis`."""
        return int(self.rules["nebulis"][name])

    def nebulis_of(self, krakens: Iterable[Card]) -> int:
        """Return the Nebulis that Krakens give."""
        given = {int(value): n for value, n in self.rules["nebulis"]["kraken_ally_nebulis"].items()}
        return sum(given[card.value] for card in krakens)

    def loot_pile(self) -> Counter[int]:
        """Return all Loot cards, by value."""
        return +Counter({int(value): n for value, n in self.rules["loot"]["copies"].items()})

    def loot_reward(self, value: int) -> str:
        """Return the reward of a Loot card, such as "PP"."""
        return {int(printed): str(reward) for printed, reward in self.rules["loot"]["rewards"].items()}[value]


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


def score(rules: Rules, seats: Sequence[Seat], figure: int | None = None) -> tuple[list[Parts], list[int]]:
    """Return the score of every seat by parts, and the winners, of a game that is over."""
    book = Book(rules)
    scores = [score_of(book, seats, seat, figure) for seat in range(len(seats))]
    return scores, winners_of(book, seats, scores)


def score_of(book: Book, seats: Sequence[Seat], seat: int, figure: int | None = None) -> Parts:
    """Return the score of one seat by parts; what the game does not have is 0."""
    own = seats[seat]
    parts = dict.fromkeys(SCORE_PARTS, 0)
    parts["locations"] = sum(location_score(book, seats, seat, tile.key) for tile in own.locations)
    parts["loot"] = sum(sum(tile.loot) for tile in own.locations)
    parts["lords"] = sum(book.lord(lord.key).points for lord in own.all_lords())
    parts["allies"] = sum(max(values) for values in _affiliated_values(own).values())
    parts["monster_tokens"] = sum(value * n for value, n in own.monster_tokens.items())
    if own.nebulis:
        parts["nebulis"] = own.nebulis * book.nebulis("points_each")
    if figure == seat:
        parts["kraken"] = book.nebulis("kraken_figure_points")
    parts["total"] = sum(parts.values())
    return parts


def location_score(book: Book, seats: Sequence[Seat], seat: int, key: str) -> int:
    """Return what a Location is worth with the cards of a seat, but for the Loot on it."""
    facts = book.location(key)
    if facts.per == "best_opponent_location":
        count = _best_opponent_location(book, seats, seat)
    else:
        count = _count_for(book, seats[seat], facts)
    worth = facts.base + facts.each * count
    if facts.per == "nebulis" and book.ruling("floor0"):
        worth = max(0, worth)
    return worth if facts.max is None else min(worth, facts.max)


def _best_opponent_location(book: Book, seats: Sequence[Seat], seat: int) -> int:
    """Return the worth of the best Location of an opponent with a seat's own cards, and the Loot on it."""
    tiles = [tile for other, owner in enumerate(seats) if other != seat for tile in owner.locations]
    copied = [tile for tile in tiles if book.location(tile.key).per != "best_opponent_location"]
    with_loot = not book.ruling("no_loot")
    worths = [location_score(book, seats, seat, tile.key) + sum(tile.loot) * with_loot for tile in copied]
    return max(worths, default=0)


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
        "nebulis": own.nebulis,
        "loot": 0,  # scored as a part of its own
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
    """Return an Ally that a payment can do without: its Race is paid twice, its value is surplus; or None.

    A Kraken is never superfluous, nor does it pay a Race a second time.
    """
    surplus = sum(card.value for card in allies) - cost
    ordinary = [card for card in allies if card.race != KRAKEN]
    races = Counter(card.race for card in ordinary)
    return next((card for card in ordinary if races[card.race] > 1 and card.value <= surplus), None)


def numbers_of_races(ordinary: set[str], krakens: int, needed: str) -> range:
    """Return the numbers of Races that a payment can be: each of its Krakens stands for any Race.

    `ordinary` are the Races of the other Allies paid, `needed` is the Race that must be among them all, if any.
    """
    demanded = bool(needed) and needed not in ordinary  # a Kraken must stand for it
    if demanded and not krakens:
        return range(0)
    fewest = max(len(ordinary) + demanded, 1)
    return range(fewest, len(ordinary) + krakens + 1)


def can_pay(hand: Counter[Card], pearls: int, cost: int, races: int, needed: str) -> bool:
    """Tell whether Allies of exactly `races` Races, one of them `needed` (if any), and Pearls can pay.

    The most valuable set decides: what is superfluous in it can be left out, and it still pays.
    """
    totals: dict[str, int] = {}
    krakens = [card.value for card in (+hand).elements() if card.race == KRAKEN]
    for card in (+hand).elements():
        if card.race != KRAKEN:
            totals[card.race] = totals.get(card.race, 0) + card.value
    for number in range(len(totals) + 1):
        for paid in itertools.combinations(totals, number):
            worth = sum(totals[race] for race in paid) + sum(krakens)
            if worth + pearls >= cost and races in numbers_of_races(set(paid), len(krakens), needed):
                return True
    return False


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
        self.fields = dict(FIELDS)
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
        self.kraken = False  # is the expansion played?
        self.figure: int | None = None  # the seat with the Kraken figure
        self.loot_deck: Counter[int] = Counter()
        self.loot_lost: Counter[int] = Counter()
        self.loot_left: dict[str, list[int]] = {}  # on face-up Locations, by a ruling
        self.sentinels: list[Sentinel] = []
        self.coming_back: list[Sentinel] = []  # Sentinels that are back and were not announced
        # What a position says about the next cards of the decks, top first.
        self.lord_tops: list[str] = []
        self.location_tops: list[str] = []
        self.card_tops: list[Card] = []
        self.token_tops: list[int] = []
        self.loot_tops: list[int] = []
        # The turn
        self.turn = 0  # number of turns begun by all seats
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
            "give_nebulis_to_each_opponent": self._give_nebulis,
            "sentinel": self._bring_sentinel,
            "take_ally_from_discard": self._take_from_discard,
            "opponents_discard_affiliated": self._discard_affiliated,
            "free_lord": self._free_covered_lord,
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
        """Return the next event; what is due and may stand anywhere is judged first.

        That is an end trigger, and the news that a Sentinel has come back.
        """
        while True:
            event = self._raw()
            if event.get("event") == "end_trigger" and event.get("reason") in self.due:
                self._announce_end()
            elif event.get("event") == "sentinel_back" and self._due_back(event):
                self._sentinel_back()
            else:
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
        self._require(event in self.fields, f"there is no event {event!r}")
        for entry in self.fields[str(event)].split():
            name, kind = entry.split(":")
            self._require(name in self.event, f"{event} lacks the field {name}")
            value = self.event[name]
            good = (value is None and kind.endswith("?")) or self._is(kind.rstrip("?"), value)
            self._require(good, f"{name} of {event} cannot be {value!r}, it must be a {kind.rstrip('?')}")
        return self.event

    def _is(self, kind: str, value: Any) -> bool:
        """Tell whether a value of the record is of a kind."""
        signed = isinstance(value, int) and not isinstance(value, bool)
        whole = signed and value >= 0
        kinds = {
            "number": whole,
            "signed": signed,
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
        known = card.race in self.book.races or (self.kraken and card.race == KRAKEN)
        if card != MONSTER and not known:
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
        known = event["expansions"] in ([], [KRAKEN])
        self._require(known, "this referee knows the base game and the Kraken expansion")
        self.kraken = bool(event["expansions"])
        for name, fields in KRAKEN_FIELDS.items() if self.kraken else ():
            self.fields[name] = f"{self.fields.get(name, '')} {fields}"
        self._require(self.kraken == ("nebulis" in self.rules), "the rules are not those of these expansions")
        players = int(self.event["players"])
        self._require(players >= 2, "a game has at least two seats")
        self._require(len(event["policies"]) == players, "policies must name one for each seat")
        self._set_rules(with_changes(self.rules, event["changes"]))
        self.seats = [Seat() for _ in range(players)]

    def _set_rules(self, rules: Rules) -> None:
        self.rules = rules
        self.book = Book(rules)
        expansions = [KRAKEN] if self.kraken else []
        self.lord_deck = set(self.book.in_the_box("lords", expansions))
        self.location_deck = set(self.book.in_the_box("locations", expansions))
        self.deck = self.book.exploration_cards()
        self.token_pile = self.book.token_pile()
        self.council = {race: Counter() for race in self.book.races}
        if self.kraken:
            self.loot_deck = self.book.loot_pile()

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
        if self.kraken:
            self._equal("loot_deck", self.loot_deck.total())
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
        for seat, given in enumerate(position.get("player", [])):
            self._place_player(seat, given)
        for value in position.get("loot_lost", []):
            self._leave_loot_deck(value)
            self.loot_lost[value] += 1
        self.figure = position.get("kraken_holder")
        self.lord_tops = list(position.get("lord_deck", []))
        self.location_tops = list(position.get("location_deck", []))
        self.card_tops = [self._card(text) for text in position.get("exploration_deck", [])]
        self.token_tops = list(position.get("monster_tokens", []))
        self.loot_tops = list(position.get("loot_deck", []))
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
        for key in position.get("out_of_game", []):
            if key in self.lord_deck:
                self._leave_lord_deck(key)
            else:
                self._leave_location_deck(key)

    def _place_player(self, seat: int, given: Mapping[str, Any]) -> None:
        own = self.seats[seat]
        own.pearls = given.get("pearls", 0)
        own.key_tokens = given.get("keys", 0)
        own.hand = Counter(self._leave_deck(text) for text in given.get("hand", []))
        own.affiliated = Counter(self._leave_deck(text) for text in given.get("affiliated", []))
        own.lords = [self._place_lord(lord) for lord in given.get("lords", [])]
        for tile in given.get("locations", []):
            row = {"location": tile} if isinstance(tile, str) else tile
            self._leave_location_deck(row["location"])
            under = [self._place_lord(lord) for lord in row.get("lords", [])]
            own.locations.append(OwnLocation(row["location"], under, list(row.get("loot", []))))
            for value in row.get("loot", []):
                self._leave_loot_deck(value)
        for value in given.get("monster_tokens", []):
            self._leave_token_pile(value)
            own.monster_tokens[value] += 1
        own.nebulis = given.get("nebulis", 0)
        for row in given.get("sentinels", []):
            area, _, at = row.get("at", "").partition(" ")
            self.sentinels.append(Sentinel(seat, row["of"], area, at))

    def _place_lord(self, lord: Any) -> OwnLord:
        row = {"lord": lord} if isinstance(lord, str) else lord
        self._leave_lord_deck(row["lord"])
        return OwnLord(row["lord"], bool(row.get("turned", False)), bool(row.get("spent", False)))

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
        self.turn += 1
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
        before = {"plot": self._plot, "use": self._use, "sentinel": self._place_waiting_sentinel}
        while (kind := self._next_kind()) in before and (kind != "sentinel" or self.kraken):
            before[kind]()
        if kind not in actions:
            self._advance()
            reason = f": {UNASKED[kind]}" if kind in UNASKED else ""
            self._fail(f"a plot, a power or an action of seat {seat} must come here, not {kind}{reason}")
        actions[kind]()
        return kind == "recruit"

    def _plot(self) -> None:
        self._add_lord(self.book.number("plot_cost"))

    def _add_lord(self, price: int) -> None:
        """Judge the adding of a Lord to the Court, for Pearls or, by a power, for none."""
        self._expect("plot", self.active, "a Lord is added to the Court", pearls=price)
        free = len(self.court) < self.book.number("court_slots")
        self._require(free, "a plot needs a free space in the Court")
        self._require(bool(self.lord_deck), "a plot needs a Lord in the deck")
        self._pay(self.active, price)
        self._add_to_court(self.event["lord"])

    def _can_plot(self) -> bool:
        free = self._court_has_room()
        return free and self.seats[self.active].pearls >= self.book.number("plot_cost")

    def _court_has_room(self) -> bool:
        return len(self.court) < self.book.number("court_slots") and bool(self.lord_deck)

    def _pass(self) -> None:
        """A seat passes only where it can do nothing at all."""
        self._expect("pass", self.active)
        own = self.seats[self.active]
        self._require(not self._can_plot(), "a seat that can plot may not pass")
        self._require(self._cards_left() == 0, "a seat that can explore may not pass")
        self._require(not self._stacks(), "a seat that can take a Council stack may not pass")
        means = own.pearls + min(own.nebulis, self._most_nebulis(self.active))
        for key in self._court_for(self.active):
            cost, races, race = self._price(self.active, key)
            payable = can_pay(own.hand, means, cost, races, race)
            self._require(not payable, f"a seat that can recruit {key} may not pass")
        for lord in own.lords:
            self._require(not self._usable(lord), f"a seat that can use {lord.key} may not pass")
        waiting = bool(self._placeable(self.active)) and bool(self._free_areas())
        self._require(not waiting, "a seat that can place a Sentinel may not pass")

    # --- Pearls

    def _gain(self, seat: int, pearls: int, cause: str) -> None:
        """Judge Pearls from the supply; none at all need not be written."""
        if pearls or self._next_is("gain", seat=seat, cause=cause, pearls=0):
            self._expect("gain", seat, f"{pearls} Pearls by {cause}", cause=cause, pearls=pearls)
            self.seats[seat].pearls += pearls
            self._tax(seat, pearls)

    def _tax(self, seat: int, pearls: int) -> None:
        """Judge what opponents' Lords take of Pearls just gained at once; nothing of a single Pearl."""
        if pearls < TAXED_FROM:
            return
        for opponent in self._clockwise(seat):
            for lord in self._acting(opponent, "tax_gains_of_pearls"):
                if self._protected(seat, lord.key):
                    continue
                taken = min(self._amount(lord), self.seats[seat].pearls)
                why = f"{lord.key} taxes {pearls} Pearls gained at once"
                self._expect("tax", opponent, why, target=seat, pearls=taken, cause=lord.key)
                self.seats[seat].pearls -= taken
                self.seats[opponent].pearls += taken

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
            self._tax(self.active, gain[0])

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

    def _leave_loot_deck(self, value: Any) -> None:
        self._require(self.loot_deck[value] > 0, f"no Loot {value!r} is left")
        self.loot_deck[value] -= 1
        if self.loot_tops:
            top = self.loot_tops.pop(0)
            self._require(value == top, f"{top} is the top of the Loot deck, not {value}")

    def _add_to_court(self, lord: Any) -> None:
        """Lay a Lord of the deck on the free space farthest from the deck: the rest lie beyond it."""
        self._leave_lord_deck(lord)
        self.court.insert(0, lord)

    def _leave_court(self, lord: Any) -> None:
        self._require(lord in self.court, f"{lord!r} is no Lord of the Court")
        self._release("court", lord)
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
        elif facts.power == "nebulis_to_pearl":
            self._turn_nebulis(lord)
        elif facts.power == "add_court_lord":
            self._add_lord(0)
        else:
            self._replace_court_lord(lord.key)

    def _usable(self, lord: OwnLord) -> bool:
        """Tell whether a Lord has a once-per-turn power, not yet used, that can do something."""
        if lord.turned or lord.key in self.used:
            return False
        can = {
            "discard_ally_for_pearls": self.seats[self.active].hand.total() > 0,
            "discard_council_stack": bool(self._stacks()),
            "replace_court_lord": bool(self._court_for(self.active)) and bool(self.lord_deck),
            "nebulis_to_pearl": self.seats[self.active].nebulis > 0,
            "add_court_lord": self._court_has_room(),
        }
        return can.get(self.book.lord(lord.key).power, False)

    def _discard_stack(self, cause: str) -> None:
        self._expect("discard_stack", self.active, cause=cause)
        self.discard += self._take_stack()

    def _replace_court_lord(self, cause: str) -> None:
        event = self._expect("replace", self.active, cause=cause)
        self._require(event["removed"] in self.court, f"{event['removed']!r} is no Lord of the Court")
        self._release("court", event["removed"])
        self._leave_lord_deck(event["added"])
        self.court[self.court.index(event["removed"])] = event["added"]

    def _turn_nebulis(self, lord: OwnLord) -> None:
        """Judge a Nebulis that goes to the supply, and what comes for it."""
        self._change_nebulis({self.active: -1}, lord.key)
        self._gain(self.active, self._amount(lord), lord.key)

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
        self._reshuffle()
        space = len(self.track) + 1
        event = self._expect("reveal", self.active, "the exploration goes on", space=space)
        card = self._leave_deck(event["card"])
        self._check_top(card)
        self.track.append((card, space))
        return card

    def _reshuffle(self) -> None:
        """Judge that an empty deck is made of the discard."""
        if self.deck.total() == 0:
            self._expect("reshuffle", why="the deck is empty", cards=self.discard.total())
            self.deck, self.discard = +self.discard, Counter()
            self.card_tops = []

    def _check_top(self, card: Card) -> None:
        if self.card_tops:
            top = self.card_tops.pop(0)
            self._require(card == top, f"{top} is the top of the Exploration deck, not {card}")

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
            if self.kraken:
                self._equal("nebulis", 0, "nothing is paid")
        if self._next_kind() == "offer":
            self._refuse_offer(price)
        return False

    def _may_buy(self, seat: int, price: int) -> bool:
        return self.bought[seat] < self._most_purchases(seat) and self._can_afford(seat, price)

    def _most_purchases(self, seat: int) -> int:
        allowed = [self._amount(lord) for lord in self._acting(seat, "purchases_per_turn")]
        return max([self.book.number("purchases_per_opponent"), *allowed])

    def _refuse_offer(self, price: int) -> NoReturn:
        """Say why the seat of the next event may not be offered the Ally now."""
        seat = self._advance()["seat"]
        if seat == self.active:
            self._fail("an Ally is offered to the explorer's opponents")
        if self.bought[seat] >= self._most_purchases(seat):
            self._fail(f"seat {seat} has already bought this turn")
        if not self._can_afford(seat, price):
            self._fail(f"seat {seat} cannot pay {price} Pearls")
        self._fail("an Ally is offered clockwise from the explorer, once to each opponent")

    def _buy(self, seat: int, price: int, card: Card) -> None:
        before = self._nebulis()
        nebulis = self._nebulis_paid(seat, price) if self.kraken else 0
        self._pay(seat, price - nebulis)
        self.seats[self.active].pearls += price - nebulis
        self.seats[seat].nebulis -= nebulis
        self.seats[self.active].nebulis += nebulis
        self.seats[seat].hand[card] += 1
        self.bought[seat] += 1
        self._look_at_figure(before)
        self._tax(self.active, price - nebulis)
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
        self._tax(self.active, option.count("P"))

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
        krakens = [card for card, _ in self.track if card.race == KRAKEN]
        allies = Counter(card for card, _ in self.track if card != MONSTER) - Counter(krakens)
        monsters = len(self.track) - allies.total() - len(krakens)
        self._settle()
        if allies or monsters or self._next_is("leftovers"):
            self._expect("leftovers", self.active, "the track is cleared")
            claimed = self._allies("council")
            self._require(claimed == allies, f"{_list(allies)} go to the Council, not {_list(claimed)}")
            self._equal("discard", monsters, "the Monsters on the track")
        for card, n in allies.items():
            self.council[card.race][card] += n
        self.discard[MONSTER] += monsters
        for card in krakens:
            self._settle()
            self._send_kraken(card)
        races = len({card.race for card in allies})
        for lord in self._acting(self.active, "pearl_per_race_sent_to_council"):
            if pearls := races * self.book.lord(lord.key).amount:
                self.owed.append((pearls, lord.key))
        self._settle_all()

    def _send_kraken(self, card: Card) -> None:
        """Judge a Kraken left on the track: it goes to a stack of the explorer's choice."""
        why = f"{card} goes to a stack of choice"
        event = self._expect("kraken_to_council", self.active, why, card=str(card))
        self._require(event["race"] in self.book.races, f"there is no stack {event['race']!r}")
        self.council[event["race"]][card] += 1

    # --- The Council

    def _stacks(self) -> list[str]:
        """Return the Races whose stacks are not empty, but those that another seat reserves."""
        open_to_it = [race for race in self.book.races if not self._reserved("council", race)]
        return [race for race in open_to_it if self.council[race].total()]

    def _take_stack(self) -> Counter[Card]:
        """Take the whole stack that the event names, and check its cards."""
        race = self.event["race"]
        self._release("council", race)
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
        before = self._nebulis()
        self._pay(self.active, int(self.event["pearls"]))
        self.seats[self.active].nebulis -= int(self.event.get("nebulis", 0))
        for card in allies:
            self._leave_hand(self.active, card)
        any_value = bool(self._acting(self.active, "affiliate_any"))
        lord = self._join(key)
        self._look_at_figure(before)
        self._use_krakens([card for card in allies if card.race == KRAKEN])
        self._affiliate([card for card in allies if card.race != KRAKEN], any_value)
        self._pay_shareholders()
        if self.book.ruling("refill_before_power"):
            self._refill()
        self._arrive(lord)
        if not self.book.ruling("refill_before_power"):
            self._refill()

    def _check_payment(self, cost: int, races: int, race: str) -> list[Card]:
        """Judge the payment of the event and return its Allies."""
        self._equal("cost", cost)
        allies = [self._ally(text) for text in list(self.event["allies"])]
        paid = {card.race for card in allies if card.race != KRAKEN}
        krakens = sum(card.race == KRAKEN for card in allies)
        self._require(bool(allies) and self._stand_for(paid, krakens, races), self._wrong_races(races, paid, krakens))
        numbers = numbers_of_races(paid, krakens, race)
        self._require(races in numbers, f"a {race} must be among the Allies paid")
        total = sum(card.value for card in allies)
        missing = max(0, cost - total)
        nebulis = self._nebulis_paid(self.active, missing) if self.kraken else 0
        self._equal("pearls", missing - nebulis, "each missing point costs one Pearl, no more")
        if not self.book.ruling("allow_overpay"):
            extra = superfluous(allies, cost)
            self._require(extra is None, f"{extra} is superfluous in this payment")
        return allies

    @staticmethod
    def _stand_for(paid: set[str], krakens: int, races: int) -> bool:
        """Tell whether Allies of these Races and Krakens can be exactly so many Races."""
        return races in numbers_of_races(paid, krakens, "")

    @staticmethod
    def _wrong_races(races: int, paid: set[str], krakens: int) -> str:
        with_krakens = f" with {krakens} Krakens" if krakens else ""
        return f"exactly {races} Races must be paid, not {len(paid)}{with_krakens}"

    def _affiliate(self, allies: list[Card], any_value: bool) -> None:
        """Judge which Ally paid is affiliated: one of the lowest, or any by a power; discard the rest.

        Krakens are not among them: they are used, and never affiliated.
        """
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

    def _use_krakens(self, krakens: list[Card]) -> None:
        """Judge the Krakens of a payment: they are discarded and bring Nebulis, all in one."""
        self.discard.update(krakens)
        self._change_nebulis({self.active: self.book.nebulis_of(krakens)} if krakens else {}, "krakens")

    def _pay_shareholders(self) -> None:
        """Judge what opponents gain when the active seat has recruited."""
        for opponent in self._clockwise(self.active):
            for lord in self._acting(opponent, "pearl_when_opponent_recruits"):
                if not self._protected(self.active, lord.key):
                    self._gain(opponent, self._amount(lord), lord.key)

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
        self._tax(self.active, pearls)

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
        if self._declined(lord, possible=bool(own.locations) and bool(self._face_up_for(self.active))):
            return
        event = self._expect("exchange", self.active, f"{lord.key} acts or is declined", cause=lord.key)
        gives, takes = event["gives"], event["takes"]
        tile = next((tile for tile in own.locations if tile.key == gives), None)
        if tile is None:
            self._fail(f"{gives!r} is no Location of seat {self.active}")
        self._leave_face_up(takes)
        self.face_up.append(tile.key)
        self._give_up_loot(tile)
        tile.key = self._swap_new_tile(takes)
        tile.loot = self.loot_left.pop(tile.key, [])
        self._search(tile)

    def _recruit_for_pearls(self, lord: OwnLord) -> None:
        price = self._amount(lord)
        possible = self._can_afford(self.active, price) and bool(self._court_for(self.active))
        if self._declined(lord, possible):
            return
        event = self._take_lord_event(lord, given_up=None)
        pearls, key = int(event["pearls"]), event["lord"]
        nebulis = price - pearls
        self._require(nebulis == 0 or self.kraken, f"pearls must be {price}, not {pearls}")
        self._check_nebulis(self.active, nebulis, price)
        self._pay(self.active, pearls)
        self._change_nebulis({self.active: -nebulis} if nebulis else {}, lord.key)
        self._leave_court(key)
        newcomer = self._join(key)
        if not self.book.ruling("only_paid"):
            self._pay_shareholders()
        self._arrive(newcomer)

    def _swap_with_court(self, lord: OwnLord) -> None:
        others = len(self.seats[self.active].lords) > 1
        if self._declined(lord, possible=others and bool(self._court_for(self.active))):
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
        if card.race == KRAKEN and self.book.ruling("nebulis_on_any_discard"):
            self._change_nebulis({seat: self.book.nebulis_of([card])}, "action")

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
            if not own.pearls and all(card.race == KRAKEN for card in +own.hand):
                return  # Krakens cannot be discarded here
            if self._next_is("discard", card=None):
                self._expect("discard", seat, cause="hand_limit", pearls=1)
                self._pay(seat, 1)
                continue
            if str(self._peek().get("card")).startswith(KRAKEN):
                self._advance()
                self._fail("a Kraken is not discarded for the hand limit")
            self._discard_ally(seat, "hand_limit")

    # --- Locations

    def _keys_of(self, lord: OwnLord) -> int:
        """Return the Keys that a free Lord can give."""
        return 0 if lord.turned or lord.spent else self.book.lord(lord.key).keys

    def _control_locations(self) -> None:
        """A seat with Keys enough must take control, again and again, while there is a Location to take."""
        own = self.seats[self.active]
        while self._face_up_for(self.active) or self.location_deck:
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
        if self._reserved("location", location) and self._next_kind() in ("control", "swap_with_deck"):
            self._advance()
        self._release("location", location)
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
        tile = OwnLocation(location, under, self.loot_left.pop(location, []))
        own.locations.append(tile)
        self._search(tile)

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

    # --- Nebulis and the Kraken figure

    def _nebulis(self) -> list[int]:
        return [own.nebulis for own in self.seats]

    def _most_nebulis(self, seat: int) -> int:
        """Return how many Nebulis one payment of a seat may hold."""
        if not self.kraken:
            return 0
        allowed = [self._amount(lord) for lord in self._acting(seat, "nebulis_per_payment")]
        return max([self.book.nebulis("max_per_payment"), *allowed])

    def _can_afford(self, seat: int, price: int) -> bool:
        own = self.seats[seat]
        return own.pearls + min(own.nebulis, self._most_nebulis(seat)) >= price

    def _nebulis_paid(self, seat: int, price: int) -> int:
        """Return the Nebulis that the event says are paid of a price, and check them."""
        paid = int(self.event["nebulis"])
        self._check_nebulis(seat, paid, price)
        return paid

    def _check_nebulis(self, seat: int, paid: int, price: int) -> None:
        """Judge the Nebulis in a payment: only what the Pearls do not cover, but for a power."""
        own = self.seats[seat]
        self._require(0 <= paid <= price, f"{paid} Nebulis are not paid of a price of {price}")
        self._require(paid <= own.nebulis, f"seat {seat} has {own.nebulis} Nebulis, not {paid}")
        most = self._most_nebulis(seat)
        self._require(paid <= most, f"at most {most} Nebulis may be in one payment, not {paid}")
        needed = max(0, price - own.pearls)
        if not self._acting(seat, "nebulis_before_pearls"):
            self._require(paid <= needed, f"Nebulis are paid only when all Pearls are: {needed}, not {paid}")
        self._require(paid >= needed, f"seat {seat} cannot pay {price - paid} Pearls, it has {own.pearls}")

    def _change_nebulis(self, changes: Mapping[int, int], cause: str) -> None:
        """Judge Nebulis that come and go at once, one event for each seat, in any order; then the figure."""
        before = self._nebulis()
        due = dict(changes)
        while due:
            self._expect("nebulis", why=f"Nebulis by {cause}: {due}", cause=cause)
            seat = self.event["seat"]
            self._require(seat in due, f"seat {seat} has no Nebulis to gain or lose by {cause}")
            self._equal("change", due.pop(seat))
            self.seats[seat].nebulis += int(self.event["change"])
        self._look_at_figure(before)

    def _look_at_figure(self, before: list[int]) -> None:
        """Judge who has the Kraken figure after an event, by the Nebulis before it and now."""
        now = self._nebulis()
        if now == before:
            return
        if not any(now):
            takers: list[int | None] = [] if self.figure is None else [None]
        else:
            takers = list(self._takers(before, now))
        if takers:
            event = self._expect("figure", why=f"it goes to one of {takers}")
            self._require(event["seat"] in takers, f"the figure goes to one of {takers}, not {event['seat']!r}")
            self.figure = event["seat"]

    def _takers(self, before: list[int], now: list[int]) -> list[int]:
        """Return the seats that may take the figure: of those who qualify the ones with most Nebulis."""
        holder = self.figure
        if holder is None:
            gainers = [seat for seat, nebulis in enumerate(now) if nebulis > before[seat]]
            most = max((now[seat] for seat in gainers), default=0)
            alike = [seat for seat in gainers if now[seat] == most]
            if len(alike) > 1 and self.end is not None:
                return [min(alike, key=self._clockwise_from(self.end[0]).index)]
            return alike
        others = self._clockwise(holder)
        if self.book.ruling("figure_recheck"):
            caught_up = [seat for seat in others if now[seat] >= now[holder]]
        else:
            below = [seat for seat in others if before[seat] < before[holder] and now[seat] >= now[holder]]
            level = [seat for seat in others if before[seat] == before[holder] and now[seat] > now[holder]]
            caught_up = below + level
        most = max((now[seat] for seat in caught_up), default=0)
        return [seat for seat in caught_up if now[seat] == most]

    def _clockwise_from(self, seat: int) -> list[int]:
        """Return all seats, clockwise from the one after this, this one last."""
        return [*self._clockwise(seat), seat]

    # --- Sentinels

    def _reserved(self, area: str, at: Any) -> bool:
        """Tell whether a Sentinel of another seat keeps a thing from the active one."""
        return any((it.area, it.at) == (area, at) and it.seat != self.active for it in self.sentinels)

    def _court_for(self, seat: int) -> list[str]:
        reserved = {it.at for it in self.sentinels if it.area == "court" and it.seat != seat}
        return [lord for lord in self.court if lord not in reserved]

    def _face_up_for(self, seat: int) -> list[str]:
        reserved = {it.at for it in self.sentinels if it.area == "location" and it.seat != seat}
        return [location for location in self.face_up if location not in reserved]

    def _release(self, area: str, at: Any) -> None:
        """Judge that the active seat takes or removes a thing: not another seat's; its own Sentinel comes back."""
        for sentinel in self.sentinels:
            if (sentinel.area, sentinel.at) == (area, at):
                owner = sentinel.seat
                self._require(owner == self.active, f"{at} is reserved by a Sentinel of seat {owner}")
                sentinel.area, sentinel.at, sentinel.since = "", "", self.turn
                self.coming_back.append(sentinel)

    def _due_back(self, event: Event) -> bool:
        return any((it.seat, it.of) == (event.get("seat"), event.get("of")) for it in self.coming_back)

    def _sentinel_back(self) -> None:
        event = self._advance()
        back = next(it for it in self.coming_back if (it.seat, it.of) == (event["seat"], event["of"]))
        self.coming_back.remove(back)

    def _free_areas(self) -> dict[str, list[str]]:
        """Return what a Sentinel may be placed on, by area: an area holds one Sentinel of all seats."""
        areas = {"court": self.court, "council": self.book.races, "location": self.face_up}
        taken = {it.area for it in self.sentinels}
        return {area: list(things) for area, things in areas.items() if things and area not in taken}

    def _placeable(self, seat: int) -> list[Sentinel]:
        """Return the waiting Sentinels of a seat that have not come back in this turn."""
        return [it for it in self.sentinels if it.seat == seat and not it.area and it.since < self.turn]

    def _place(self, why: str, sentinels: list[Sentinel]) -> None:
        event = self._expect("sentinel", self.active, why)
        sentinel = next((it for it in sentinels if it.of == event["of"]), None)
        if sentinel is None:
            self._fail(f"no Sentinel of {event['of']} can be placed by seat {self.active} now")
        area, at, free = event["area"], event["at"], self._free_areas()
        self._require(area in free, f"a Sentinel may be placed in {list(free)}, not in {area!r}")
        self._require(at in free[area], f"{at!r} is nothing a Sentinel can be placed on there")
        sentinel.area, sentinel.at = area, at

    def _place_waiting_sentinel(self) -> None:
        self._place("before the action", self._placeable(self.active))

    def _bring_sentinel(self, lord: OwnLord) -> None:
        """Judge the arrival of a Lord with a Sentinel: first Nebulis, then it is placed where that can be done."""
        self._change_nebulis({self.active: self._amount(lord)}, lord.key)
        sentinel = Sentinel(self.active, lord.key, since=self.turn)
        self.sentinels.append(sentinel)
        if self._free_areas():
            self._place(f"the Sentinel of {lord.key} must be placed", [sentinel])

    # --- Loot

    def _give_up_loot(self, tile: OwnLocation) -> None:
        """Judge the Loot on a Location that goes face up: it is lost, or stays by a ruling."""
        if tile.loot and self.book.ruling("loot_stays"):
            self.loot_left[tile.key] = tile.loot
        elif tile.loot:
            self._expect("loot_gone", self.active, "Loot on a Location given up is lost", location=tile.key)
            self.loot_lost.update(tile.loot)
        tile.loot = []

    def _search(self, tile: OwnLocation) -> None:
        """Judge the search of a Sacred Place just taken: Loot after Loot until it is stopped or a duplicate."""
        if not self.book.location(tile.key).sacred:
            return
        first = True
        while self.loot_deck.total():
            if not first and self._next_is("loot_stop"):
                self._expect("loot_stop", self.active, location=tile.key)
                return
            first = False
            if self._draw_loot(tile):
                return

    def _draw_loot(self, tile: OwnLocation) -> bool:
        """Judge one Loot card, its reward and what it does to its like; tell whether the search is over."""
        why = f"{tile.key} is searched until it is stopped"
        event = self._expect("loot", self.active, why, location=tile.key)
        value = int(event["value"])
        self._leave_loot_deck(value)
        reward = self.book.loot_reward(value)
        self._take_reward(reward)
        for _ in range(reward.count("A")):
            self._draw_ally()
        if value not in tile.loot:
            tile.loot.append(value)
            return False
        self._expect("loot_lost", self.active, "a duplicate", location=tile.key, value=value)
        tile.loot.remove(value)
        self.loot_lost[value] += 2
        return True

    def _take_reward(self, reward: str) -> None:
        """Judge the Pearls, Keys and Monster tokens of a Loot, as far as the supply goes."""
        own = self.seats[self.active]
        keys = min(reward.count("K"), self._key_supply())
        tokens = min(reward.count("M"), self.token_pile.total())
        self._equal("pearls", reward.count("P"))
        self._equal("keys", keys)
        values = self.event["monster_tokens"]
        self._require(len(values) == tokens, f"{tokens} Monster tokens are drawn, not {len(values)}")
        for value in values:
            self._leave_token_pile(value)
            own.monster_tokens[value] += 1
        own.pearls += reward.count("P")
        own.key_tokens += keys
        self._tax(self.active, reward.count("P"))

    def _draw_ally(self) -> None:
        """Judge the drawing of the top Ally: Monsters on the way raise the threat and are discarded."""
        while any(card != MONSTER for card in +(self.deck + self.discard)) or self._next_is("loot_draw"):
            self._reshuffle()
            event = self._expect("loot_draw", self.active, "the top Ally is drawn")
            card = self._leave_deck(event["card"])
            self._check_top(card)
            if card != MONSTER:
                self._equal("threat", self.threat)
                self.seats[self.active].hand[card] += 1
                return
            self.threat = min(self.threat + 1, len(self.book.spaces))
            self._equal("threat", self.threat, "a Monster on top raises the threat")
            self.discard[MONSTER] += 1

    # --- Powers of the expansion

    def _give_nebulis(self, lord: OwnLord) -> None:
        """Judge Nebulis given to each opponent, or to some of choice where there are too few; one event."""
        opponents = self._clockwise(self.active)
        each = self._amount(lord)
        before = self._nebulis()
        left = min(self.seats[self.active].nebulis, each * len(opponents))
        if not left:
            return
        given: Counter[int] = Counter()
        paid = 0
        while paid > -left or given.total() < left:
            self._expect("nebulis", why=f"{lord.key} gives {left} Nebulis to opponents", cause=lord.key)
            seat, change = self.event["seat"], int(self.event["change"])
            if seat == self.active:
                self._require(change < 0 and paid + change >= -left, f"{left} Nebulis are given, not {-change}")
                paid += change
            else:
                most = min(each - given[seat], left - given.total())
                self._require(0 < change <= most, f"seat {seat} is given up to {most} Nebulis, not {change}")
                given[seat] += change
            self.seats[seat].nebulis += change
        self._look_at_figure(before)

    def _take_from_discard(self, lord: OwnLord) -> None:
        for _ in range(self._amount(lord)):
            if self._declined(lord, possible=any(card != MONSTER for card in +self.discard)):
                return
            why = f"{lord.key} acts or is declined"
            event = self._expect("from_discard", self.active, why, cause=lord.key)
            card = self._ally(event["card"])
            self._require(self.discard[card] > 0, f"no {card} is in the discard")
            self.discard[card] -= 1
            self.seats[self.active].hand[card] += 1

    def _discard_affiliated(self, lord: OwnLord) -> None:
        targets = list(self._targets(self.active, lord.key))
        if not any(self.seats[seat].affiliated.total() for seat in targets) and not self._next_is("name_race"):
            return
        event = self._expect("name_race", self.active, f"{lord.key} names a Race", cause=lord.key)
        race = event["race"]
        self._require(race in self.book.races, f"{race!r} is no Race")
        for seat in targets:
            own = self.seats[seat]
            for _ in range(min(self._amount(lord), len(_affiliated_values(own).get(race, [])))):
                why = f"an affiliated {race}, by {lord.key}"
                card = self._ally(self._expect("discard_affiliated", seat, why, cause=lord.key)["card"])
                self._require(card.race == race, f"a {race} must be discarded, not {card}")
                self._require(own.affiliated[card] > 0, f"seat {seat} has affiliated no {card}")
                own.affiliated[card] -= 1
                self.discard[card] += 1

    def _free_covered_lord(self, lord: OwnLord) -> None:
        """Judge the freeing of a Lord under a Location: it acts again, but its arrival is not repeated."""
        own = self.seats[self.active]
        for _ in range(self._amount(lord)):
            if not any(tile.lords for tile in own.locations):
                return
            event = self._expect("freed", self.active, f"{lord.key} frees a covered Lord", cause=lord.key)
            under = [
                (tile, other)
                for tile in own.locations
                for other in tile.lords
                if (tile.key, other.key) == (event["location"], event["lord"])
            ]
            self._require(bool(under), f"{event['lord']} is not under {event['location']}")
            tile, freed = under[0]
            tile.lords.remove(freed)
            ambassador = self.book.lord(freed.key).guild == "ambassador"
            freed.spent = ambassador and not self.book.ruling("keys_reusable")
            own.lords.append(freed)

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
        nebulis = {"nebulis": [own.nebulis for own in self.seats]} if self.kraken else {}
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
            **nebulis,
        )
        self._require(not self.coming_back, "sentinel_back is missing: a Sentinel has come back")
        self._peek()  # the end may be announced after the turn as well
        self._require(not self.due, f"end_trigger is missing: the end is due by {sorted(self.due)}")

    def _final_affiliations(self) -> None:
        """Judge the final affiliations, in any order of seats; that of an empty hand need not be written."""
        krakens = [[card for card in own.hand.elements() if card.race == KRAKEN] for own in self.seats]
        waiting = set(range(len(self.seats)))
        while self._next_kind() == "final_affiliation":
            seat = self._advance()["seat"]
            self._require(seat in waiting, f"seat {seat!r} has no final affiliation to do")
            waiting.remove(seat)
            self._final_affiliation(self.seats[seat])
        for seat in sorted(waiting):
            if self.seats[seat].hand.total():
                self._expect("final_affiliation", seat, "the game is over")
        self._final_nebulis(krakens)

    def _final_nebulis(self, krakens: list[list[Card]]) -> None:
        """Judge the Nebulis that the Krakens in all hands give, as one event."""
        spared = "no_nebulis_for_krakens_in_hand"
        changes = {
            seat: self.book.nebulis_of(cards)
            for seat, cards in enumerate(krakens)
            if cards and not self._acting(seat, spared)
        }
        self._change_nebulis(changes, "krakens_in_hand")

    def _final_affiliation(self, own: Seat) -> None:
        hand = +own.hand
        races = {card.race for card in hand if card.race != KRAKEN}
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
        scores, winners = score(self.rules, self.seats, self.figure)
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
            self.figure,
            +self.loot_lost,
            self.sentinels,
        )


def _list(cards: Counter[Card]) -> str:
    """Return cards as text, sorted."""
    return "[" + ", ".join(str(card) for card in sorted((+cards).elements())) + "]"
