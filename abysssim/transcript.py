"""A game in plain English, from its events: for the table, or as one seat could have seen it."""

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from abysssim.position_text import location_key
from abysssim.rules.rulebook import Rulebook
from abysssim.stepping import PARTS
from abysssim.texts import MONSTER_WORD

WIDTH = 80
EXPLORATION = {"reveal", "offer", "take", "continue", "fight", "reward", "reshuffle", "nothing_left"}
# What can come of a sale, or of the Pearls for the last space, in the middle of an exploration.
ASIDES = {"figure", "tax"}
REASONS = {
    "lords": "Seat {seat} has Lords enough to bring on the end: the last turns follow.",
    "refill": "The Court cannot be refilled, which brings on the end: the last turns follow.",
    "deck": "The Lord deck is empty and the Court not full, which brings on the end: the last turns follow.",
    "stalemate": "Nobody has recruited for so long that the game ends here.",
}
PART_WORDS = {
    "locations": "Locations",
    "loot": "Loot",
    "lords": "Lords",
    "allies": "Allies",
    "monster_tokens": "Monster tokens",
    "nebulis": "Nebulis",
    "kraken": "Kraken figure",
    "scourge": "Scourge",
    "wounds": "Wounds",
}

CAUSES = {
    "hand_limit": "the hand limit",
    "last_space": "the last space",
    "krakens": "Krakens paid",
    "krakens_in_hand": "Krakens in hand",
}

Event = Mapping[str, Any]


def transcript(rulebook: Rulebook, events: Sequence[Event], seat: int | None = None) -> str:
    """Return a game's events as text of 80 columns, turn by turn, with the score at the end.

    `seat` leaves out what that seat could not see: cards that others took or drew unseen, and values of their Monster
    tokens.
    """
    return "\n".join(_Teller(rulebook, seat).tell(events))


def paragraph(text: str, indent: str = "  ") -> list[str]:
    """Return a sentence as lines of at most 80 columns, the later ones indented further."""
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False)


def pearls(count: int) -> str:
    """Return a number of Pearls in words."""
    return "1 Pearl" if count == 1 else f"{count} Pearls"


def nebulis(count: int) -> str:
    """Return a number of Nebulis in words."""
    return many(count, "Nebulis", "Nebulis")


def money(in_pearls: int, in_nebulis: int) -> list[str]:
    """Return Pearls and Nebulis in words, of each only where there is any."""
    return [words(count) for words, count in ((pearls, in_pearls), (nebulis, in_nebulis)) if count]


def listed(items: Sequence[str], nothing: str = "nothing") -> str:
    """Return items as ``a, b and c``."""
    if not items:
        return nothing
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def many(count: int, one: str, more: str | None = None) -> str:
    """Return ``1 card``, ``2 cards``."""
    return f"{count} {one if count == 1 else more or one + 's'}"


class _Teller:
    """Tells events one after the other; an exploration becomes one sentence."""

    def __init__(self, rulebook: Rulebook, viewer: int | None) -> None:
        self.book, self.viewer = rulebook, viewer
        self.lines: list[str] = []
        self.clauses: list[str] = []
        # Whose words do not follow from the names of Lords and Locations alone.
        self.tellers: dict[str, Callable[[Event], str]] = {
            "gain": self._gain,
            "lose": lambda e: f"Seat {e['seat']} loses {pearls(e['pearls'])} ({self.cause(e)}).",
            "plot": self._plot,
            "use": lambda e: f"Seat {e['seat']} uses {self.lord(e['lord'])}.",
            "pass": lambda e: f"Seat {e['seat']} can do nothing and passes.",
            "council": self._council,
            "recruit": self._recruit,
            "affiliate": lambda e: f"Seat {e['seat']} affiliates {e['card']}.",
            "take_lord": self._take_lord,
            "replace": lambda e: f"{self.lord(e['removed'])} leaves the Court, {self.lord(e['added'])} comes in.",
            "decline": lambda e: f"Seat {e['seat']} does not use {self.cause(e)}.",
            "discard": self._discard,
            "discard_stack": lambda e: (
                f"Seat {e['seat']} discards the {e['race']} stack of the Council ({listed(e['cards'])})."
            ),
            "turned": lambda e: f"{self.lord(e['lord'])} of seat {e['seat']} is turned ({self.cause(e)}).",
            "steal": self._steal,
            "extra_turn": lambda e: f"Seat {e['seat']} will have another turn ({self.cause(e)}).",
            "draw_locations": self._draw,
            "exchange": lambda e: (
                f"Seat {e['seat']} exchanges {self.location(e['gives'])} for {self.location(e['takes'])}"
                f" ({self.cause(e)})."
            ),
            "swap_with_deck": self._swap,
            "control": self._control,
            "refill": self._refill,
            "end_trigger": lambda e: REASONS[e["reason"]].format(seat=e["seat"]),
            "final_affiliation": self._final,
            **self._kraken_tellers(),
        }

    def _kraken_tellers(self) -> dict[str, Callable[[Event], str]]:
        return {
            "nebulis": self._nebulis,
            "figure": self._figure,
            "tax": lambda e: (
                f"Seat {e['seat']} takes {pearls(e['pearls'])} of that from seat {e['target']} ({self.cause(e)})."
            ),
            "kraken_to_council": lambda e: (
                f"Seat {e['seat']} lays {e['card']} on the {e['race']} stack of the Council."
            ),
            "sentinel": self._sentinel,
            "sentinel_back": lambda e: f"The Sentinel of {self.lord(e['of'])} comes back to seat {e['seat']}.",
            "loot": self._loot,
            "loot_draw": self._loot_draw,
            "loot_lost": lambda e: (
                f"It is the second Loot {e['value']} on {self.location(e['location'])}: both are lost, and the search"
                " is over."
            ),
            "loot_stop": lambda e: f"Seat {e['seat']} searches {self.location(e['location'])} no further.",
            "loot_gone": lambda e: f"The Loot on {self.location(e['location'])} is lost.",
            "from_discard": lambda e: f"Seat {e['seat']} takes {e['card']} from the discard ({self.cause(e)}).",
            "name_race": lambda e: f"Seat {e['seat']} names the {e['race']} ({self.cause(e)}).",
            "discard_affiliated": lambda e: (
                f"Seat {e['seat']} discards {e['card']}, which was affiliated ({self.cause(e)})."
            ),
            "freed": lambda e: (
                f"Seat {e['seat']} frees {self.lord(e['lord'])} from {self.location(e['location'])} ({self.cause(e)})."
            ),
        }

    def tell(self, events: Sequence[Event]) -> list[str]:
        """Return the lines of all events."""
        for event in events:
            self._tell(event)
        self._end_exploration()
        return self.lines

    def _tell(self, event: Event) -> None:
        kind = event["event"]
        if kind == "game":
            self._head(event)
        elif kind in ("setup", "position"):
            self._opening(event["position"] if kind == "position" else event)
        elif kind == "turn":
            self._turn(event)
        elif kind == "explore":
            self.clauses = [f"Seat {event['seat']} explores"]
        elif kind in EXPLORATION or (kind == "gain" and event["cause"] == "last_space"):
            self._explore(event)
        elif kind == "leftovers":
            self._leftovers(event)
        elif kind == "score":
            self._score(event)
        elif kind in ASIDES and self.clauses:
            words = self.tellers[kind](event).removesuffix(".")
            self.clauses.append(words[:1].lower() + words[1:])
        elif kind != "end_of_turn":
            self._end_exploration()
            self.lines += paragraph(_sentence(self.tellers[kind](event)))

    def lord(self, key: str) -> str:
        """Return a Lord's name, without a capital article."""
        return inside(str(self.book.data["lords"][key]["name"]))

    def location(self, key: str) -> str:
        """Return a Location's name."""
        return inside(str(self.book.data["locations"][key]["name"]))

    def cause(self, event: Event) -> str:
        """Return the name of the Lord or Location that acts, or the words for another cause."""
        cause = event["cause"]
        if cause in self.book.data["lords"]:
            return self.lord(cause)
        if cause in self.book.data["locations"]:
            return self.location(cause)
        return CAUSES.get(cause, str(cause))

    def hidden_from(self, *seats: int) -> bool:
        """Tell whether the viewer is somebody, and none of these seats."""
        return self.viewer is not None and self.viewer not in seats

    # --- The opening

    def _head(self, event: Event) -> None:
        seats = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(event["policies"]))
        title = self.book.data["game"]["title"]
        about = f"{title} for {event['players']}: {seats}. Seed {event['seed']}, game {event['game']}."
        self.lines += paragraph(about, "")
        if event["expansions"]:
            self.lines += paragraph(f"With {listed([name.capitalize() for name in event['expansions']])}.", "")
        if event["changes"]:
            changed = "; ".join(f"{key} = {_value(value)}" for key, value in event["changes"].items())
            self.lines += paragraph(f"Changed rules: {changed}.", "")
        if "bar" in event:
            bar = event["bar"]
            self.lines += paragraph(f"Seat {bar['seat']} may not take {self.lord(bar['lord'])}.", "")

    def _opening(self, table: Event) -> None:
        if table.get("court"):
            court = listed([self.lord(key) for key in table["court"]])
            self.lines += paragraph(_sentence(f"Court, from the space nearest the deck: {court}."), "")
        if table.get("locations"):
            tiles = listed([self.location(location_key(entry)) for entry in table["locations"]])
            self.lines += paragraph(f"Face up: {tiles}.", "")

    def _turn(self, event: Event) -> None:
        self._end_exploration()
        extra = ", an extra turn" if event["extra"] else ""
        self.lines += ["", f"Seat {event['seat']}, turn {event['number']}{extra}"]

    # --- Exploration

    def _explore(self, event: Event) -> None:
        kind, seat = event["event"], event.get("seat")
        if kind == "reveal":
            card = "a Monster" if event["card"] == MONSTER_WORD else event["card"]
            self.clauses.append(f"{card} on space {event['space']}")
        elif kind == "offer":
            deed = "buys it" if event["bought"] else "does not buy it"
            paid = event.get("nebulis", 0)
            price = listed(money(event["price"] - paid, paid), pearls(0))
            self.clauses.append(f"seat {seat} {deed} for {price}")
        elif kind == "take":
            self.clauses.append(f"seat {seat} takes {event['card']}")
        elif kind == "continue":
            self.clauses.append(f"goes on past it, threat {event['threat']}")
        elif kind == "gain":
            self.clauses.append(f"{pearls(event['pearls'])} for the last space")
        elif kind == "fight":
            lower = "" if event["reward_space"] == event["threat"] else f" (reward of space {event['reward_space']})"
            self.clauses.append(f"fights it at threat {event['threat']}{lower}")
        elif kind == "reward":
            self.clauses.append(f"reward {self._reward(event)}")
        elif kind == "reshuffle":
            self.clauses.append(f"{many(event['cards'], 'discarded card')} reshuffled into the deck")
        else:
            self.clauses.append("nothing is left to draw")

    def _reward(self, event: Event, nothing: str = "nothing") -> str:
        gains = [pearls(event["pearls"])] if event["pearls"] else []
        gains += [many(event["keys"], "Key token")] if event["keys"] else []
        tokens = event["monster_tokens"]
        if tokens:
            values = "" if self.hidden_from(event["seat"]) else f" ({', '.join(str(value) for value in tokens)})"
            gains.append(many(len(tokens), "Monster token") + values)
        return listed(gains, nothing)

    def _leftovers(self, event: Event) -> None:
        if event["council"]:
            self.clauses.append(f"to the Council: {', '.join(event['council'])}")
        self._end_exploration()

    def _end_exploration(self) -> None:
        if self.clauses:
            first, *rest = self.clauses
            self.lines += paragraph(f"{first}: {'; '.join(rest)}." if rest else f"{first}.")
            self.clauses = []

    # --- Other events

    def _gain(self, event: Event) -> str:
        return f"Seat {event['seat']} gains {pearls(event['pearls'])} ({self.cause(event)})."

    def _plot(self, event: Event) -> str:
        if event["pearls"] == 0:
            return f"Seat {event['seat']} adds {self.lord(event['lord'])} to the Court."
        return f"Seat {event['seat']} plots: {pearls(event['pearls'])} for {self.lord(event['lord'])} in the Court."

    def _council(self, event: Event) -> str:
        cards = event["cards"]
        what = many(len(cards), "card") if self.hidden_from(event["seat"]) else listed(cards)
        by = "" if event["cause"] == "action" else f" ({self.cause(event)})"
        return f"Seat {event['seat']} takes the {event['race']} stack of the Council: {what}{by}."

    def _recruit(self, event: Event) -> str:
        paid = list(event["allies"]) + money(event["pearls"], event.get("nebulis", 0))
        return (
            f"Seat {event['seat']} recruits {self.lord(event['lord'])} (cost {event['cost']}) with {listed(paid)}."
        )

    def _take_lord(self, event: Event) -> str:
        price = f" for {pearls(event['pearls'])}" if event["pearls"] else ""
        given = f", giving up {self.lord(event['given_up'])}" if event["given_up"] else ""
        return f"Seat {event['seat']} takes {self.lord(event['lord'])}{price}{given} ({self.cause(event)})."

    def _discard(self, event: Event) -> str:
        if event["card"] is None:
            return f"Seat {event['seat']} pays {pearls(event['pearls'])} ({self.cause(event)})."
        return f"Seat {event['seat']} discards {event['card']} ({self.cause(event)})."

    def _steal(self, event: Event) -> str:
        value = "" if self.hidden_from(event["seat"], event["target"]) else f" worth {event['value']}"
        return f"Seat {event['seat']} takes a Monster token{value} from seat {event['target']} ({self.cause(event)})."

    def _draw(self, event: Event) -> str:
        drawn = listed([self.location(key) for key in event["drawn"]])
        if len(event["drawn"]) == 1:
            return f"Seat {event['seat']} draws {drawn}."
        return f"Seat {event['seat']} draws {drawn}, and keeps {self.location(event['kept'])}."

    def _swap(self, event: Event) -> str:
        if event["takes"] is None:
            return f"Seat {event['seat']} keeps {self.cause(event)}."
        return f"Seat {event['seat']} takes {self.location(event['takes'])} in the place of {self.cause(event)}."

    def _control(self, event: Event) -> str:
        lords = [self.lord(key) for key in event["lords"]]
        tokens = [many(event["key_tokens"], "Key token")] if event["key_tokens"] else []
        return f"Seat {event['seat']} controls {self.location(event['location'])} with {listed(lords + tokens)}."

    def _refill(self, event: Event) -> str:
        new = listed([self.lord(key) for key in event["lords"]], "no Lord is left for it")
        return f"Refill: {pearls(event['pearls'])} for seat {event['seat']}, new in the Court: {new}."

    def _final(self, event: Event) -> str:
        discarded = f" and discards {listed(event['discarded'])}" if event["discarded"] else ""
        return f"At the end seat {event['seat']} affiliates {listed(event['affiliated'])}{discarded}."

    # --- The Kraken expansion

    def _nebulis(self, event: Event) -> str:
        deed = "gains" if event["change"] > 0 else "gives up"
        cause = "a Kraken discarded" if event["cause"] == "action" else self.cause(event)
        return f"Seat {event['seat']} {deed} {nebulis(abs(event['change']))} ({cause})."

    def _figure(self, event: Event) -> str:
        if event["seat"] is None:
            return "The Kraken figure goes back to the supply."
        return f"The Kraken figure goes to seat {event['seat']}."

    def _sentinel(self, event: Event) -> str:
        places = {
            "court": lambda at: f"{self.lord(at)} in the Court",
            "council": lambda at: f"the {at} stack of the Council",
            "location": self.location,
        }
        place = places[event["area"]](event["at"])
        return f"Seat {event['seat']} puts the Sentinel of {self.lord(event['of'])} on {place}."

    def _loot(self, event: Event) -> str:
        gains = self._reward(event, "")
        found = f"Seat {event['seat']} finds Loot {event['value']} in {self.location(event['location'])}"
        return f"{found}: {gains}." if gains else f"{found}."

    def _loot_draw(self, event: Event) -> str:
        if event["card"] == MONSTER_WORD:
            return f"A Monster turns up and is discarded: threat {event['threat']}."
        card = "an Ally" if self.hidden_from(event["seat"]) else event["card"]
        return f"Seat {event['seat']} draws {card}."

    # --- The score

    def _score(self, event: Event) -> None:
        self.lines += ["", *score_table(event["players"], event["winners"])]


def score_table(players: Sequence[Mapping[str, int]], winners: Sequence[int]) -> list[str]:
    """Return the score by part, a column a seat; parts that are nowhere in play are left out."""
    parts = [part for part in PARTS if part in PART_WORDS and _matters(part, players)]
    lines = [f"{'IP':16}" + "".join(f"{'seat ' + str(seat):>8}" for seat in range(len(players)))]
    lines += [f"{PART_WORDS[part]:16}" + "".join(f"{score[part]:8}" for score in players) for part in parts]
    lines.append(f"{'Total':16}" + "".join(f"{score['total']:8}" for score in players))
    won = "wins" if len(winners) == 1 else "share the victory"
    seats = listed([str(seat) for seat in winners])
    return [*lines, f"Seat {seats} {won}." if len(winners) == 1 else f"Seats {seats} {won}."]


def _matters(part: str, players: Sequence[Mapping[str, int]]) -> bool:
    return part in ("locations", "lords", "allies", "monster_tokens") or any(score[part] for score in players)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def inside(name: str) -> str:
    """Return a name as it stands inside a sentence."""
    return "the " + name[4:] if name.startswith("The ") else name


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
