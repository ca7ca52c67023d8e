"""Records and transcripts of the Kraken expansion: every event, its schema and its words, and whole games."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import abysssim
from abysssim.core.layout import ENTRY, KRAKEN, new
from abysssim.game import Game
from abysssim.policies.presets import load_policy, policy_records
from abysssim.position import parse_table
from abysssim.records import Origin, Record, events_of, record_of, replay
from abysssim.rules.rulebook import load
from abysssim.scoresheet import score_sheet
from abysssim.transcript import transcript
from abysssim.vocabulary import Area, Cause, Event, Race

SCHEMA = json.loads((Path(abysssim.__file__).parent / "record.schema.json").read_text())
BOOK = load(expansions=["kraken"])
WATCHER, ELDER, SLAVER = (BOOK.lord_number(key) for key in ("watcher", "elder", "slaver"))
JAIL, MEGALODON = (BOOK.location_number(key) for key in ("jail", "megalodon"))
# Asking for the right kind at once is much faster than looking a line up among all.
VALIDATORS = {
    kind: jsonschema.Draft202012Validator({"$ref": f"#/$defs/event_{kind}", "$defs": SCHEMA["$defs"]})
    for kind in SCHEMA["properties"]["event"]["enum"]
}


def is_valid(event: dict[str, Any]) -> bool:
    """Tell whether a line of a record is valid."""
    return bool(VALIDATORS[event["event"]].is_valid(event))


def logged(*entries: tuple[int, ...]) -> Record:
    """Return the events of log entries (event, seat, a, b, c, d)."""
    log = new(ENTRY, len(entries))
    for place, entry in enumerate(entries):
        log[place] = (*entry, *([0] * (6 - len(entry))))
    return events_of(BOOK, log)


# --- Every event ---------------------------------------------------------------------------------------------------

EVENTS: list[tuple[list[tuple[int, ...]], dict[str, Any], str]] = [
    (
        [(Event.NEBULIS, 1, 2, Cause.KRAKENS)],
        {"event": "nebulis", "seat": 1, "change": 2, "cause": "krakens"},
        "Seat 1 gains 2 Nebulis (Krakens paid).",
    ),
    (
        [(Event.NEBULIS, 1, -1, BOOK.lord_number("ferryman"))],
        {"event": "nebulis", "seat": 1, "change": -1, "cause": "ferryman"},
        "Seat 1 gives up 1 Nebulis (the Ferryman).",
    ),
    ([(Event.FIGURE, 2)], {"event": "figure", "seat": 2}, "The Kraken figure goes to seat 2."),
    ([(Event.FIGURE, -1)], {"event": "figure", "seat": None}, "The Kraken figure goes back to the supply."),
    (
        [(Event.TAX, 1, 0, 1, BOOK.lord_number("highwayman"))],
        {"event": "tax", "seat": 1, "target": 0, "pearls": 1, "cause": "highwayman"},
        "Seat 1 takes 1 Pearl of that from seat 0 (the Highwayman).",
    ),
    (
        [(Event.KRAKEN_TO_COUNCIL, 0, 3, Race.CRAB)],
        {"event": "kraken_to_council", "seat": 0, "card": "kraken 3", "race": "crab"},
        "Seat 0 lays kraken 3 on the crab stack of the Council.",
    ),
    (
        [(Event.SENTINEL, 0, WATCHER, Area.COURT, SLAVER)],
        {"event": "sentinel", "seat": 0, "of": "watcher", "area": "court", "at": "slaver"},
        "Seat 0 puts the Sentinel of the Watcher on the Slaver in the Court.",
    ),
    (
        [(Event.SENTINEL, 0, WATCHER, Area.COUNCIL, Race.SQUID)],
        {"event": "sentinel", "seat": 0, "of": "watcher", "area": "council", "at": "squid"},
        "Seat 0 puts the Sentinel of the Watcher on the squid stack of the Council.",
    ),
    (
        [(Event.SENTINEL, 0, WATCHER, Area.LOCATION, JAIL)],
        {"event": "sentinel", "seat": 0, "of": "watcher", "area": "location", "at": "jail"},
        "Seat 0 puts the Sentinel of the Watcher on the Jail.",
    ),
    (
        [(Event.SENTINEL_BACK, 0, WATCHER)],
        {"event": "sentinel_back", "seat": 0, "of": "watcher"},
        "The Sentinel of the Watcher comes back to seat 0.",
    ),
    (
        [(Event.LOOT, 1, 5, MEGALODON, 0, 0), (Event.TOKEN, 1, 4)],
        {
            "event": "loot",
            "seat": 1,
            "location": "megalodon",
            "value": 5,
            "pearls": 0,
            "keys": 0,
            "monster_tokens": [4],
        },
        "Seat 1 finds Loot 5 in the Megalodon: 1 Monster token (4).",
    ),
    (
        [(Event.LOOT, 1, 7, MEGALODON, 0, 0)],
        {
            "event": "loot",
            "seat": 1,
            "location": "megalodon",
            "value": 7,
            "pearls": 0,
            "keys": 0,
            "monster_tokens": [],
        },
        "Seat 1 finds Loot 7 in the Megalodon.",
    ),
    (
        [(Event.LOOT_DRAW, 1, Race.CRAB, 5, 2)],
        {"event": "loot_draw", "seat": 1, "card": "crab 5", "threat": 3},
        "Seat 1 draws crab 5.",
    ),
    (
        [(Event.LOOT_DRAW, 1, -1, 0, 2)],
        {"event": "loot_draw", "seat": 1, "card": "monster", "threat": 3},
        "A Monster turns up and is discarded: threat 3.",
    ),
    (
        [(Event.LOOT_LOST, 1, 3, MEGALODON)],
        {"event": "loot_lost", "seat": 1, "location": "megalodon", "value": 3},
        "It is the second Loot 3 on the Megalodon: both are lost, and the search is over.",
    ),
    (
        [(Event.LOOT_STOP, 1, MEGALODON)],
        {"event": "loot_stop", "seat": 1, "location": "megalodon"},
        "Seat 1 searches the Megalodon no further.",
    ),
    (
        [(Event.LOOT_GONE, 1, MEGALODON)],
        {"event": "loot_gone", "seat": 1, "location": "megalodon"},
        "The Loot on the Megalodon is lost.",
    ),
    (
        [(Event.FROM_DISCARD, 0, KRAKEN, 4, BOOK.lord_number("healer"))],
        {"event": "from_discard", "seat": 0, "card": "kraken 4", "cause": "healer"},
        "Seat 0 takes kraken 4 from the discard (the Healer).",
    ),
    (
        [(Event.NAME_RACE, 0, Race.CRAB, BOOK.lord_number("executioner"))],
        {"event": "name_race", "seat": 0, "race": "crab", "cause": "executioner"},
        "Seat 0 names the crab (the Executioner).",
    ),
    (
        [(Event.DISCARD_AFFILIATED, 1, Race.CRAB, 2, BOOK.lord_number("executioner"))],
        {"event": "discard_affiliated", "seat": 1, "card": "crab 2", "cause": "executioner"},
        "Seat 1 discards crab 2, which was affiliated (the Executioner).",
    ),
    (
        [(Event.FREED, 0, ELDER, JAIL, BOOK.lord_number("liberator"))],
        {"event": "freed", "seat": 0, "lord": "elder", "location": "jail", "cause": "liberator"},
        "Seat 0 frees the Elder from the Jail (the Liberator).",
    ),
    (
        [(Event.RECRUIT, 0, SLAVER, 1, 8, 1), (Event.PAID, 0, KRAKEN, 3), (Event.PAID, 0, Race.CRAB, 3)],
        {
            "event": "recruit",
            "seat": 0,
            "lord": "slaver",
            "allies": ["kraken 3", "crab 3"],
            "pearls": 1,
            "nebulis": 1,
            "cost": 8,
        },
        "Seat 0 recruits the Slaver (cost 8) with kraken 3, crab 3, 1 Pearl and 1 Nebulis.",
    ),
    (
        [(Event.PLOT, 0, SLAVER, 0)],
        {"event": "plot", "seat": 0, "pearls": 0, "lord": "slaver"},
        "Seat 0 adds the Slaver to the Court.",
    ),
]


def words(events: Record, seat: int | None = None) -> str:
    return " ".join(transcript(BOOK, events, seat).split())


@pytest.mark.parametrize(("entries", "event", "told"), EVENTS, ids=[told for _, _, told in EVENTS])
def test_an_entry_becomes_an_event_and_a_sentence(
    entries: list[tuple[int, ...]], event: dict[str, Any], told: str
) -> None:
    assert logged(*entries) == [event]
    assert is_valid(event)
    assert not is_valid({**event, "more": 1})
    assert words([event]) == told


def test_all_events_of_the_expansion_are_tried() -> None:
    assert {event["event"] for _, event, _ in EVENTS} >= {
        kind.name.lower() for kind in Event if Event.NEBULIS <= kind < Event.SEAT_NEBULIS
    }


def test_the_end_of_a_turn_has_everyones_nebulis() -> None:
    (event,) = logged(
        (Event.END_OF_TURN, 1),
        (Event.SEAT_STATE, 0, 3, 1, 5, 2),
        (Event.SEAT_NEBULIS, 0, 2),
        (Event.SEAT_STATE, 1, 4, 0, 6, 1),
        (Event.SEAT_NEBULIS, 1, 0),
    )
    assert (event["pearls"], event["key_tokens"], event["nebulis"]) == ([3, 4], [1, 0], [2, 0])
    assert (event["hand_sizes"], event["monster_tokens"]) == ([5, 6], [2, 1])
    assert is_valid(event)


def test_a_sale_for_nebulis_is_told_inside_the_exploration() -> None:
    events = logged(
        (Event.EXPLORE, 0),
        (Event.REVEAL, 0, KRAKEN, 3, 0),
        (Event.OFFER, 1, 0, 2, 1, 1),
        (Event.TAX, 2, 0, 1, BOOK.lord_number("highwayman")),
        (Event.FIGURE, 0),
        (Event.REVEAL, 0, Race.CRAB, 1, 0),
        (Event.TAKE, 0, Race.CRAB, 1, 0),
    )
    assert events[2] == {"event": "offer", "seat": 1, "explorer": 0, "price": 2, "bought": True, "nebulis": 1}
    assert all(is_valid(event) for event in events)
    assert words(events) == (
        "Seat 0 explores: kraken 3 on space 1; seat 1 buys it for 1 Pearl and 1 Nebulis; seat 2 takes 1 Pearl of that"
        " from seat 0 (the Highwayman); the Kraken figure goes to seat 0; crab 1 on space 1; seat 0 takes crab 1."
    )


def test_others_do_not_see_what_loot_brings() -> None:
    events = logged(
        (Event.LOOT, 1, 5, MEGALODON, 0, 0),
        (Event.TOKEN, 1, 4),
        (Event.LOOT, 1, 6, MEGALODON, 0, 0),
        (Event.LOOT_DRAW, 1, -1, 0, 2),
        (Event.LOOT_DRAW, 1, Race.CRAB, 5, 2),
    )
    assert "crab 5" in words(events, 1)
    assert "token (4)" in words(events, 1)
    for_others = words(events, 0)
    assert "Seat 1 draws an Ally." in for_others
    assert "A Monster turns up" in for_others
    assert "(4)" not in for_others


@pytest.mark.parametrize(
    "event",
    [
        {"event": "affiliate", "seat": 0, "card": "kraken 2"},
        {"event": "discard_affiliated", "seat": 0, "card": "kraken 2", "cause": "executioner"},
        {"event": "kraken_to_council", "seat": 0, "card": "crab 2", "race": "crab"},
        {"event": "nebulis", "seat": 0, "change": 0, "cause": "fence"},
        {"event": "sentinel", "seat": 0, "of": "watcher", "area": "deck", "at": "slaver"},
        {"event": "loot_draw", "seat": 0, "card": "crab 6", "threat": 1},
    ],
)
def test_schema_refuses_other_lines(event: dict[str, Any]) -> None:
    assert not is_valid(event)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(event)


# --- Whole games ---------------------------------------------------------------------------------------------------


def test_records_of_games_are_valid_and_play_again() -> None:
    seen: set[str] = set()
    for seats in (2, 4):
        names = ["random"] * seats
        for game in range(6):
            origin = Origin(BOOK, names, 3, game)
            record = record_of(origin, origin.table(policy_records([load_policy("random")] * seats)).play())
            assert replay(record) == record
            assert (record[0]["expansions"], record[1]["loot_deck"]) == (["kraken"], 25)
            assert [event for event in record if not is_valid(event)] == []
            check_nebulis(record)
            seen.update(event["event"] for event in record)
            assert transcript(BOOK, record, 0)
    assert seen > {"nebulis", "figure", "kraken_to_council", "sentinel", "sentinel_back", "loot", "loot_stop"}


def check_nebulis(record: Record) -> None:
    """Follow everyone's Nebulis through a record, and at its end the Kraken figure."""
    held, holder = [0] * len(record[0]["policies"]), None
    for event in record:
        kind, seat = event["event"], event.get("seat")
        if kind == "nebulis":
            held[seat] += event["change"]
        elif kind in ("offer", "recruit"):
            held[seat] -= event["nebulis"]
            if kind == "offer":
                held[event["explorer"]] += event["nebulis"]
        elif kind == "figure":
            holder = seat
        elif kind == "end_of_turn":
            assert event["nebulis"] == held
    scores = record[-1]["players"]
    assert [score["nebulis"] for score in scores] == [-count for count in held]
    assert [score["kraken"] for score in scores] == [-5 * (seat == holder) for seat in range(len(scores))]


def test_krakens_in_hand_come_after_the_affiliations() -> None:
    table = {
        "expansions": ["kraken"],
        "players": 2,
        "turn": 1,
        "ended_by": 0,
        "council": {"crab": ["crab 1"]},
        "player": [{"hand": ["kraken 4", "kraken 2", "crab 1"]}, {}],
    }
    game = Game(position=table)
    record = game.choose("council crab").record()
    assert [event["event"] for event in record[-5:]] == [
        "final_affiliation",
        "final_affiliation",
        "nebulis",
        "figure",
        "score",
    ]
    assert record[-5]["discarded"] == ["kraken 2", "kraken 4"]
    assert record[-3] == {"event": "nebulis", "seat": 0, "change": 4, "cause": "krakens_in_hand"}
    assert record[-1]["players"][0]["nebulis"] == -4
    assert "Seat 0 gains 4 Nebulis (Krakens in hand)." in game.transcript()


def test_records_of_the_base_game_have_nothing_of_the_expansion() -> None:
    record = Game(players=2, policies="random", seed=1, asked=[]).record()
    assert not any("nebulis" in event for event in record)
    assert "loot_deck" not in record[1]


# --- Views and score sheets ----------------------------------------------------------------------------------------

TABLE: dict[str, Any] = {
    "expansions": ["kraken"],
    "rulings": {"loot_stays": True},
    "court": ["slaver", "miller"],
    "council": {"crab": ["crab 2", "kraken 3"]},
    "locations": ["parliament", {"location": "abandoned_convoy", "loot": [3]}],
    "loot_lost": [5, 5],
    "kraken_holder": 1,
    "player": [
        {
            "hand": ["kraken 2", "kraken 4"],
            "nebulis": 1,
            "locations": [{"location": "megalodon", "loot": [3, 7]}],
            "lords": ["watcher", {"lord": "elder", "spent": True}],
            "sentinels": [{"of": "vigil"}, {"of": "watcher", "at": "court slaver"}],
        },
        {"nebulis": 2, "sentinels": [{"of": "lookout", "at": "council crab"}], "hand": ["kraken 2"]},
    ],
}


def view(seat: int | None, **changed: Any) -> str:
    return " ".join(Game(position={**TABLE, **changed}).view(seat).split())


def test_a_view_shows_the_table_of_the_expansion() -> None:
    for seat in (None, 0, 1):
        text = view(seat)
        assert "Locations face up: Parliament and The Abandoned Convoy (Loot 3)." in text
        assert "Loot deck: 3, 4 x 4, 3 x 5, 6 x 6, 6 x 7. Loot lost: 2 x 5." in text
        assert "Reserved: court slaver for seat 0 and council crab for seat 1." in text
        assert "1 Nebulis, 0 Key tokens Hand" in text
        assert "2 Nebulis, 0 Key tokens, the Kraken figure Hand" in text
        assert "Location: megalodon (Loot 3 and 7)." in text
        assert "Lords: watcher, elder (Keys spent)." in text
        assert "Sentinels: watcher (court slaver), vigil (waiting)." in text


def test_krakens_are_hidden_as_other_cards_are() -> None:
    assert "Council: crab (2, kraken 3)." in view(None)
    assert "Council: crab 2." in view(0)
    assert "kraken" not in view(1).replace("kraken 2.", "")
    other = {**TABLE["player"][0], "hand": ["squid 1", "squid 2"]}
    elsewhere = {"player": [other, TABLE["player"][1]], "council": {"crab": ["crab 1"] * 2}}
    assert view(1) == view(1, **elsewhere, seed=3, loot_deck=[7, 6])


def test_a_view_of_the_base_game_has_nothing_of_the_expansion() -> None:
    assert not {"Nebulis", "Loot", "Sentinel"} & set(Game().view().replace(":", "").split())


def test_the_score_sheet_shows_loot_and_nebulis() -> None:
    sheet = " ".join(score_sheet(parse_table(TABLE)).split())
    assert "Locations: The Megalodon 10 (Loot 3 and 7)." in sheet
    assert "Loot 10 0" in sheet
    assert "Nebulis: 5 Nebulis, 4 of them for Krakens in hand, and the Kraken figure." in sheet
    assert "Nebulis: 3 Nebulis, 1 of them for Krakens in hand." in sheet
    assert "Nebulis -5 -3" in sheet
    assert "Kraken figure -5 0" in sheet
