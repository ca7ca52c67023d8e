"""The referee, judged by short records written by hand: it accepts what is allowed and names what is not."""

import copy
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.referee import (
    Book,
    Card,
    Event,
    FinalState,
    OwnLocation,
    OwnLord,
    RefereeError,
    Seat,
    can_pay,
    card_of,
    location_score,
    numbers_of_races,
    referee,
    score,
    superfluous,
    winners_of,
    with_changes,
)

PRINTED = Path(__file__).parents[1] / "abysssim" / "rules"
RULES = tomllib.loads((PRINTED / "base.toml").read_text(encoding="utf-8"))
BOOK = Book(RULES)


def with_kraken() -> dict[str, Any]:
    """Return the rules of the base game with the tables of the Kraken expansion."""
    rules = copy.deepcopy(RULES)
    for name, table in tomllib.loads((PRINTED / "kraken.toml").read_text(encoding="utf-8")).items():
        rules[name] = {**rules.get(name, {}), **table} if isinstance(table, dict) else table
    return rules


KRAKEN_RULES = with_kraken()
KRAKEN_BOOK = Book(KRAKEN_RULES)


def ev(event: str, seat: int | None = None, **fields: Any) -> Event:
    """Return one event."""
    return {"event": event} | ({} if seat is None else {"seat": seat}) | fields


def game(players: int = 2, **changes: Any) -> Event:
    """Return the first line; changes are named with `__` for the dot."""
    return ev(
        "game",
        format="abysssim-game-record",
        version=1,
        rules_hash="",
        expansions=[],
        players=players,
        policies=["first"] * players,
        seed=7,
        game=0,
        changes={key.replace("__", "."): value for key, value in changes.items()},
    )


def turn(seat: int, number: int = 1, extra: bool = False) -> Event:
    return ev("turn", seat, number=number, extra=extra)


def gain(seat: int, pearls: int, cause: str) -> Event:
    return ev("gain", seat, pearls=pearls, cause=cause)


def reveal(seat: int, card: str, space: int) -> Event:
    return ev("reveal", seat, card=card, space=space)


def offer(seat: int, price: int, bought: bool, explorer: int = 0) -> Event:
    return ev("offer", seat, explorer=explorer, price=price, bought=bought)


def take(seat: int, card: str, space: int) -> Event:
    return ev("take", seat, card=card, space=space)


def fight(seat: int, threat: int, reward_space: int, space: int) -> Event:
    return ev("fight", seat, threat=threat, reward_space=reward_space, space=space)


def reward(seat: int, text: str, tokens: list[int] | None = None, keys: int | None = None) -> Event:
    number = text.count("K") if keys is None else keys
    return ev("reward", seat, reward=text, pearls=text.count("P"), keys=number, monster_tokens=tokens or [])


def leftovers(seat: int, council: list[str], discard: int = 0) -> Event:
    return ev("leftovers", seat, council=council, discard=discard)


def council(seat: int, race: str, cards: list[str], cause: str = "action") -> Event:
    return ev("council", seat, race=race, cards=cards, cause=cause)


def recruit(seat: int, lord: str, allies: list[str], cost: int, pearls: int = 0) -> list[Event]:
    """Return a recruitment in which one of the lowest Allies is affiliated."""
    lowest = min(allies, key=lambda text: card_of(text).value)
    return [
        ev("recruit", seat, lord=lord, allies=allies, pearls=pearls, cost=cost),
        ev("affiliate", seat, card=lowest),
    ]


def discard(seat: int, card: str | None, cause: str, pearls: int = 0) -> Event:
    return ev("discard", seat, card=card, pearls=pearls, cause=cause)


def control(
    seat: int,
    location: str,
    lords: list[str],
    tokens: int = 0,
    source: str = "face_up",
    cause: str = "control",
) -> Event:
    return ev("control", seat, location=location, source=source, lords=lords, key_tokens=tokens, cause=cause)


def drawn(seat: int, tiles: list[str], kept: str, cause: str = "control") -> Event:
    return ev("draw_locations", seat, drawn=tiles, kept=kept, cause=cause)


def swap(seat: int, takes: str | None) -> Event:
    return ev("swap_with_deck", seat, takes=takes, cause="black_smokers")


def take_lord(seat: int, lord: str, cause: str, given_up: str | None = None, pearls: int = 0) -> Event:
    return ev("take_lord", seat, lord=lord, pearls=pearls, given_up=given_up, cause=cause)


def decline(seat: int, cause: str) -> Event:
    return ev("decline", seat, cause=cause)


def end(
    seat: int,
    pearls: list[int],
    hands: list[int],
    keys: list[int] | None = None,
    tokens: list[int] | None = None,
) -> Event:
    none = [0] * len(pearls)
    return ev(
        "end_of_turn",
        seat,
        pearls=pearls,
        key_tokens=keys or none,
        hand_sizes=hands,
        monster_tokens=tokens or none,
    )


COURT = ["trader", "elder", "miller", "keeper", "recruiter"]


def scene(*players: dict[str, Any], **position: Any) -> list[Event]:
    """Return the first two lines of a game from a position, with a Court of five Lords if none is given."""
    table = {"court": COURT, "locations": ["parliament"], "turn": 0, "players": len(players), **position}
    return [game(len(players)), ev("position", position={**table, "player": list(players)})]


Lines = list[Event | list[Event]]


def flat(lines: Lines) -> list[Event]:
    return [event for line in lines for event in (line if isinstance(line, list) else [line])]


def fault(start: list[Event], *lines: Event | list[Event]) -> RefereeError:
    """Return what the referee says about a record that does not reach the end of the game."""
    with pytest.raises(RefereeError) as caught:
        referee([*start, *flat(list(lines))], KRAKEN_RULES if start[0]["expansions"] else RULES)
    return caught.value


def accepts(start: list[Event], *lines: Event | list[Event]) -> None:
    """Check that nothing is wrong with these lines but that the record ends after them."""
    error = fault(start, *lines)
    assert error.event is None, error
    assert error.line == len(start) + len(flat(list(lines))) + 1


def refuses(words: str, start: list[Event], *lines: Event | list[Event]) -> None:
    """Check that the last of these lines is what is wrong, and that the referee says so in these words."""
    error = fault(start, *lines)
    assert words in error.rule, error
    assert error.event == flat([*start, *lines])[-1]
    assert error.line == len(start) + len(flat(list(lines)))


# --- A whole game from the deal, short because the first Lord ends it


def whole_game() -> list[Event]:
    """Return a game of four turns that ends with the first Lord; everybody starts with nine Pearls."""
    return flat(
        [
            game(game__lords_to_end=1, game__start_pearls=9),
            ev(
                "setup",
                court=["slaver", "commander", "miller", "peddler", "jailer", "shaman"],
                pearls=[9, 9],
                threat=1,
                locations=["parliament"],
                lord_deck=29,
                location_deck=19,
                exploration_deck=71,
            ),
            turn(0),
            ev("explore", 0),
            reveal(0, "crab 5", 1),
            offer(1, 1, bought=True),
            reveal(0, "monster", 1),
            ev("continue", 0, threat=2),
            reveal(0, "crab 3", 2),
            take(0, "crab 3", 2),
            leftovers(0, [], 1),
            end(0, [10, 8], [1, 1]),
            turn(1),
            ev("explore", 1),
            reveal(1, "monster", 1),
            fight(1, 2, 2, 1),
            reward(1, "PM", [3]),
            leftovers(1, [], 1),
            end(1, [10, 9], [1, 1], tokens=[0, 1]),
            turn(0, 2),
            recruit(0, "commander", ["crab 3"], cost=8, pearls=5),
            ev("end_trigger", 0, reason="lords"),
            end(0, [5, 9], [0, 1], tokens=[0, 1]),
            turn(1, 2),
            ev("explore", 1),
            reveal(1, "crab 1", 1),
            offer(0, 1, bought=False, explorer=1),
            reveal(1, "squid 1", 2),
            offer(0, 1, bought=False, explorer=1),
            take(1, "squid 1", 2),
            leftovers(1, ["crab 1"]),
            end(1, [5, 9], [0, 2], tokens=[0, 1]),
            ev("final_affiliation", 0, affiliated=[], discarded=[]),
            ev("final_affiliation", 1, affiliated=["crab 5", "squid 1"], discarded=[]),
            ev("score", players=[points(lords=4, allies=3), points(allies=6, monster_tokens=3)], winners=[1]),
        ]
    )


def points(**parts: int) -> dict[str, int]:
    names = (
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
    return {name: parts.get(name, 0) for name in names} | {"total": sum(parts.values())}


def test_a_whole_game_is_recomputed() -> None:
    final = referee(whole_game(), RULES)
    assert isinstance(final, FinalState)
    assert [seat.pearls for seat in final.seats] == [5, 9]
    assert final.seats[0].lords == [OwnLord("commander")]
    assert final.seats[0].affiliated == Counter([Card("crab", 3)])
    assert final.seats[1].affiliated == Counter([Card("crab", 5), Card("squid", 1)])
    assert final.seats[1].monster_tokens == Counter([3])
    assert final.discard == Counter({card_of("monster"): 2})
    assert +final.council["crab"] == Counter([Card("crab", 1)])
    assert final.court == ["slaver", "miller", "peddler", "jailer", "shaman"]
    assert (final.threat, final.end, final.winners) == (1, (0, "lords"), [1])
    assert [parts["total"] for parts in final.scores] == [7, 9]


def test_changes_already_made_in_the_rules_change_nothing() -> None:
    record = whole_game()
    changed = with_changes(RULES, record[0]["changes"])
    assert referee(record, changed).scores == referee(record, RULES).scores
    assert RULES["game"]["lords_to_end"] == 7


def place(record: list[Event], event: str, nth: int = 0) -> int:
    return [i for i, line in enumerate(record) if line["event"] == event][nth]


@pytest.mark.parametrize(
    ("event", "nth", "fields", "words"),
    [
        ("game", 0, {"version": 2}, "version must be 1"),
        ("game", 0, {"policies": ["first"]}, "one for each seat"),
        ("setup", 0, {"pearls": [1, 9]}, "pearls must be [9, 9]"),
        ("setup", 0, {"threat": 2}, "threat must be 1"),
        ("setup", 0, {"court": ["slaver"] * 6}, "no Lord that is left"),
        ("setup", 0, {"court": ["slaver"]}, "6 Lords are laid out"),
        ("setup", 0, {"locations": ["jail", "depths"]}, "one Location"),
        ("setup", 0, {"exploration_deck": 70}, "exploration_deck must be 71"),
        ("turn", 1, {"seat": 0}, "clockwise"),
        ("turn", 2, {"number": 3}, "number must be 2"),
        ("turn", 1, {"extra": True}, "extra must be False"),
        ("reveal", 0, {"space": 2}, "space must be 1"),
        ("reveal", 1, {"space": 2}, "space must be 1"),
        ("reveal", 4, {"card": "crab 5"}, "no crab 5 is left"),
        ("reveal", 0, {"card": "crab 6"}, "no crab 6 is left"),
        ("reveal", 0, {"card": "whale 1"}, "is not a card"),
        ("offer", 0, {"price": 2}, "price must be 1"),
        ("offer", 0, {"explorer": 1}, "explorer must be 0"),
        ("offer", 0, {"bought": 1}, "it must be a flag"),
        ("continue", 0, {"threat": 3}, "threat must be 2"),
        ("take", 0, {"card": "crab 2"}, "card must be 'crab 3'"),
        ("fight", 0, {"reward_space": 1}, "reward_space must be 2"),
        ("fight", 0, {"threat": 1}, "threat must be 2"),
        ("reward", 0, {"reward": "K"}, "one of ['PP', 'PM', 'MM']"),
        ("reward", 0, {"pearls": 2}, "pearls must be 1"),
        ("reward", 0, {"keys": 1}, "keys must be 0"),
        ("reward", 0, {"monster_tokens": []}, "draws 1 Monster tokens"),
        ("reward", 0, {"monster_tokens": [5]}, "no Monster token 5"),
        ("leftovers", 0, {"discard": 0}, "discard must be 1"),
        ("leftovers", 2, {"council": []}, "go to the Council"),
        ("recruit", 0, {"lord": "seeker"}, "no Lord of the Court"),
        ("recruit", 0, {"cost": 7}, "cost must be 8"),
        ("recruit", 0, {"pearls": 6}, "pearls must be 5"),
        ("recruit", 0, {"allies": ["crab 5"], "pearls": 3}, "holds no crab 5"),
        ("affiliate", 0, {"card": "crab 1"}, "none of the Allies paid"),
        ("end_trigger", 0, {"reason": "refill"}, "for this reason it is not now"),
        ("end_trigger", 0, {"seat": 1}, "seat must be 0"),
        ("end_of_turn", 0, {"pearls": [9, 9]}, "pearls must be [10, 8]"),
        ("end_of_turn", 0, {"hand_sizes": [1, 0]}, "hand_sizes must be [1, 1]"),
        ("end_of_turn", 1, {"monster_tokens": [0, 0]}, "monster_tokens must be [0, 1]"),
        ("end_of_turn", 1, {"key_tokens": [0, 1]}, "key_tokens must be [0, 0]"),
        ("final_affiliation", 1, {"affiliated": ["crab 5"]}, "are affiliated"),
        ("final_affiliation", 1, {"discarded": ["crab 1"]}, "are discarded"),
        (
            "score",
            0,
            {"players": [points(lords=4), points(allies=6, monster_tokens=3)]},
            "seat 0: allies is 3",
        ),
        ("score", 0, {"winners": [0]}, "winners must be [1]"),
    ],
)
def test_one_wrong_claim_is_found(event: str, nth: int, fields: dict[str, Any], words: str) -> None:
    record = copy.deepcopy(whole_game())
    line = place(record, event, nth)
    record[line] |= fields
    with pytest.raises(RefereeError) as caught:
        referee(record, RULES)
    assert words in caught.value.rule
    assert (caught.value.line, caught.value.event) == (line + 1, record[line])


@pytest.mark.parametrize(
    ("event", "nth", "words"),
    [
        ("setup", 0, "setup must come here"),
        ("turn", 1, "turn of seat 1"),
        ("explore", 0, "an action of seat 0 must come here, not reveal"),
        ("offer", 0, "seat 1 may buy for 1"),
        ("continue", 0, "fight of seat 0 must come here"),
        ("reward", 0, "reward of seat 1 must come here"),
        ("leftovers", 0, "the track is cleared"),
        ("end_of_turn", 2, "the turn is over"),
        ("final_affiliation", 1, "the game is over"),
    ],
)
def test_a_missing_event_is_found(event: str, nth: int, words: str) -> None:
    record = whole_game()
    line = place(record, event, nth)
    del record[line]
    with pytest.raises(RefereeError, match="must come here") as caught:
        referee(record, RULES)
    assert words in caught.value.rule
    assert caught.value.line == line + 1


def test_a_missing_end_trigger_is_found() -> None:
    record = whole_game()
    del record[place(record, "end_trigger")]
    with pytest.raises(RefereeError, match="end_trigger is missing"):
        referee(record, RULES)


def test_fields_and_lines_too_many_or_too_few() -> None:
    record = whole_game()
    del record[3]["seat"]
    with pytest.raises(RefereeError, match="explore lacks the field seat"):
        referee(record, RULES)
    with pytest.raises(RefereeError, match="there is no event 'win'"):
        referee([*whole_game()[:2], ev("win", 0)], RULES)
    with pytest.raises(RefereeError, match="goes on after the score"):
        referee([*whole_game(), turn(0, 3)], RULES)
    with pytest.raises(RefereeError, match="ends before the game does") as caught:
        referee(whole_game()[:-1], RULES)
    assert caught.value.event is None
    assert caught.value.line == len(whole_game())


def test_last_turns_are_one_for_every_other_seat() -> None:
    record = whole_game()
    first_end = place(record, "final_affiliation")
    with pytest.raises(RefereeError, match="no turn is due now"):
        referee([*record[:first_end], turn(0, 3)], RULES)
    last_turn = place(record, "turn", 3)
    with pytest.raises(RefereeError, match="the game is not over"):
        referee([*record[:last_turn], *record[first_end:]], RULES)


# --- Exploration (cases 1 to 11)

POOR: dict[str, Any] = {}
RICH = {"pearls": 9}


def test_buyers_pay_one_two_three_once_each_and_clockwise() -> None:
    start = [*scene(POOR, RICH, RICH, RICH), turn(0), ev("explore", 0)]
    first = [reveal(0, "crab 1", 1), offer(1, 1, False), offer(2, 1, True)]
    second = [reveal(0, "crab 2", 1), offer(1, 2, True)]
    third = [reveal(0, "crab 3", 1), offer(3, 3, True)]
    ending = [reveal(0, "crab 4", 1), take(0, "crab 4", 1), leftovers(0, [])]
    accepts(start, first, second, third, ending, end(0, [6, 7, 8, 6], [1, 1, 1, 1]))
    refuses(
        "seat 2 has already bought",
        start,
        first,
        reveal(0, "crab 2", 1),
        offer(1, 2, False),
        offer(2, 2, True),
    )
    refuses("clockwise", start, reveal(0, "crab 1", 1), offer(2, 1, True))
    refuses("opponents", start, reveal(0, "crab 1", 1), offer(0, 1, True))
    refuses("seat 3 may buy", start, first[:2], offer(2, 1, False), take(0, "crab 1", 1))
    refuses("nothing is offered now", start, first, offer(3, 1, True))
    refuses("price must be 2", start, first, reveal(0, "crab 2", 1), offer(1, 1, True))
    # The one who bought ends the offer, and the explorer must go on.
    refuses("reveal of seat 0 must come here", start, first, take(0, "crab 1", 1))


def test_a_seat_that_cannot_pay_is_not_offered() -> None:
    start = [*scene(POOR, {"pearls": 1}, RICH), turn(0), ev("explore", 0), reveal(0, "crab 1", 1)]
    lines = [offer(1, 1, False), offer(2, 1, True), reveal(0, "crab 2", 1)]
    refuses("seat 1 cannot pay 2", start, lines, offer(1, 2, True))
    accepts(start, lines, take(0, "crab 2", 1), leftovers(0, []))


def five_refused() -> list[Event]:
    return [
        turn(0),
        ev("explore", 0),
        reveal(0, "crab 1", 1),
        reveal(0, "squid 1", 2),
        reveal(0, "squid 2", 3),
        reveal(0, "monster", 4),
        ev("continue", 0, threat=2),
        reveal(0, "squid 3", 5),
    ]


def test_the_last_space_must_be_taken_and_brings_a_pearl() -> None:
    start = [*scene(POOR, POOR), *five_refused()]
    cleared = leftovers(0, ["crab 1", "squid 2", "squid 1"], 1)
    accepts(start, take(0, "squid 3", 5), gain(0, 1, "last_space"), cleared, end(0, [1, 0], [1, 0]))
    accepts(start, gain(0, 1, "last_space"), take(0, "squid 3", 5), cleared, end(0, [1, 0], [1, 0]))
    refuses("last_space are missing", start, take(0, "squid 3", 5), cleared, end(0, [0, 0], [1, 0]))
    refuses("last space must be taken", start, reveal(0, "crab 2", 6))
    refuses(
        "nothing gives Pearls",
        start,
        take(0, "squid 3", 5),
        gain(0, 1, "last_space"),
        cleared,
        gain(0, 1, "x"),
    )


def test_the_ship_master_is_paid_for_the_races_sent() -> None:
    start = [*scene({"lords": ["ship_master"]}, POOR), *five_refused(), take(0, "squid 3", 5)]
    cleared = leftovers(0, ["crab 1", "squid 1", "squid 2"], 1)
    paid = [gain(0, 1, "last_space"), cleared, gain(0, 2, "ship_master")]
    accepts(start, paid, end(0, [3, 0], [1, 0]))
    refuses("ship_master are missing", start, paid[:2], end(0, [1, 0], [1, 0]))
    refuses("the Pearls due here are", start, paid[:2], gain(0, 3, "ship_master"))
    turned = [*scene({"lords": [{"lord": "ship_master", "turned": True}]}, POOR), *five_refused()]
    refuses("nothing gives Pearls", turned, take(0, "squid 3", 5), paid)


def test_a_monster_on_the_last_space_must_be_fought() -> None:
    start = [*scene(POOR, POOR), *five_refused()[:-3], ev("reveal", 0, card="crab 2", space=4)]
    last = [reveal(0, "monster", 5)]
    refuses("the Monster is fought", start, last, ev("continue", 0, threat=2))
    fought = [fight(0, 1, 1, 5), reward(0, "P"), gain(0, 1, "last_space")]
    accepts(
        start,
        last,
        fought,
        leftovers(0, ["crab 1", "squid 1", "squid 2", "crab 2"], 1),
        end(0, [2, 0], [0, 0]),
    )


def test_the_threat_stays_on_the_last_space() -> None:
    start = [*scene(POOR, POOR, threat=6), turn(0), ev("explore", 0), reveal(0, "monster", 1)]
    again = [ev("continue", 0, threat=6), reveal(0, "monster", 2), fight(0, 6, 6, 2), reward(0, "KK")]
    accepts(start, again, leftovers(0, [], 2), end(0, [0, 0], [0, 0], keys=[2, 0]))
    refuses("threat must be 6", start, ev("continue", 0, threat=7))


def test_the_tamer_lowers_the_reward_unless_the_shaman_protects() -> None:
    lines = [turn(0), ev("explore", 0), reveal(0, "monster", 1)]
    tamed = scene(POOR, {"lords": ["tamer"]}, threat=5)
    accepts(tamed, lines, fight(0, 5, 4, 1), reward(0, "KP"))
    refuses("reward_space must be 4", tamed, lines, fight(0, 5, 5, 1))
    accepts(scene(POOR, {"lords": ["tamer"]}), lines, fight(0, 1, 1, 1))
    accepts(scene({"lords": ["shaman"]}, {"lords": ["tamer"]}, threat=5), lines, fight(0, 5, 5, 1))
    turned = {"lords": [{"lord": "tamer", "turned": True}]}
    accepts(scene(POOR, turned, threat=5), lines, fight(0, 5, 5, 1))


def test_rewards_need_monster_tokens() -> None:
    held = [2] * 9 + [3] * 9 + [4]
    start = [
        *scene(POOR, {"monster_tokens": held}, threat=2),
        turn(0),
        ev("explore", 0),
        reveal(0, "monster", 1),
    ]
    accepts(start, fight(0, 2, 2, 1), reward(0, "PM", [4]))
    refuses("one of ['PP', 'PM']", start, fight(0, 2, 2, 1), reward(0, "MM", [4, 4]))
    refuses("no Monster token 3 is left", start, fight(0, 2, 2, 1), reward(0, "PM", [3]))


def test_keys_bind_only_by_a_ruling() -> None:
    lines = [turn(0), ev("explore", 0), reveal(0, "monster", 1), fight(0, 6, 6, 1)]
    holder = {"keys": 9}
    accepts(scene(POOR, holder, threat=6), lines, reward(0, "KK"))
    binding = scene(POOR, holder, threat=6, rulings={"keys_binding": True})
    accepts(binding, lines, reward(0, "KK", keys=1))
    refuses("keys must be 1", binding, lines, reward(0, "KK"))


def few_cards(*deck: str, discard: tuple[str, ...] = (), pearls: int = 0) -> list[Event]:
    """Return a position in which the opponent has affiliated all Allies but those named; Monsters are out."""
    cards = BOOK.exploration_cards() - Counter(card_of(text) for text in (*deck, *discard))
    del cards[card_of("monster")]
    other = {"affiliated": [str(card) for card in cards.elements()], "pearls": pearls}
    changes = {"game.monster_cards": sum(text == "monster" for text in deck)}
    return scene(POOR, other, exploration_deck=list(deck), exploration_discard=list(discard), changes=changes)


def test_an_empty_deck_is_made_of_the_discard() -> None:
    start = [
        *few_cards("crab 1", discard=("squid 1", "squid 2")),
        turn(0),
        ev("explore", 0),
        reveal(0, "crab 1", 1),
    ]
    accepts(
        start,
        ev("reshuffle", cards=2),
        reveal(0, "squid 2", 2),
        take(0, "squid 2", 2),
        leftovers(0, ["crab 1"]),
    )
    refuses("the deck is empty", start, reveal(0, "squid 2", 2))
    refuses("cards must be 2", start, ev("reshuffle", cards=3))
    refuses("no crab 1 is left", start, ev("reshuffle", cards=2), reveal(0, "crab 1", 2))
    refuses("reveal of seat 0", few_cards("crab 1"), turn(0), ev("explore", 0), ev("reshuffle", cards=1))


def test_with_nothing_left_the_last_ally_or_monster_is_met() -> None:
    begun = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1), reveal(0, "squid 1", 2)]
    accepts(few_cards("crab 1", "squid 1"), begun, take(0, "squid 1", 2), leftovers(0, ["crab 1"]))
    refuses("card must be 'squid 1'", few_cards("crab 1", "squid 1"), begun, take(0, "crab 1", 1))
    refuses("nothing left", few_cards("crab 1", "squid 1"), begun, leftovers(0, ["crab 1", "squid 1"]))
    monster = [turn(0), ev("explore", 0), reveal(0, "monster", 1), ev("continue", 0, threat=2)]
    accepts(few_cards("monster"), monster, fight(0, 2, 2, 1), reward(0, "PP"), leftovers(0, [], 1))
    sold = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1), offer(1, 1, True)]
    accepts(few_cards("crab 1", pearls=1), sold, ev("nothing_left", 0), end(0, [1, 0], [0, 1]))
    accepts(
        few_cards("crab 1", pearls=1), sold, ev("nothing_left", 0), leftovers(0, []), end(0, [1, 0], [0, 1])
    )
    refuses("track is empty", few_cards("crab 1", pearls=1), sold, end(0, [1, 0], [0, 1]))


def test_only_a_seat_without_any_action_passes() -> None:
    blocked = few_cards()
    accepts(blocked, turn(0), ev("pass", 0), end(0, [0, 0], [0, 0]))
    refuses("can explore", scene(POOR, POOR), turn(0), ev("pass", 0))
    refuses("no card to explore", blocked, turn(0), ev("explore", 0))
    refuses("can plot", scene(RICH, POOR), turn(0), ev("pass", 0))
    stacked = few_cards("crab 1")
    stacked[1]["position"] |= {"council": {"crab": ["crab 1"]}, "exploration_deck": []}
    refuses("Council stack", stacked, turn(0), ev("pass", 0))
    armed = few_cards("seahorse 5", "seahorse 3")
    armed[1]["position"]["exploration_deck"] = []
    armed[1]["position"]["court"] = ["shepherd", "reaper", "trader"]
    armed[1]["position"]["player"][0] = {"hand": ["seahorse 5", "seahorse 3"]}
    refuses("can recruit shepherd", armed, turn(0), ev("pass", 0))


def test_known_tops_of_decks_come_in_order() -> None:
    start = scene(RICH, POOR, exploration_deck=["crab 2", "crab 3"], lord_deck=["jailer"], court=COURT)
    accepts(start, turn(0), ev("plot", 0, pearls=1, lord="jailer"), ev("explore", 0), reveal(0, "crab 2", 1))
    refuses("crab 2 is the top", start, turn(0), ev("explore", 0), reveal(0, "crab 3", 1))
    refuses("jailer is the top", start, turn(0), ev("plot", 0, pearls=1, lord="seeker"))


# --- Plot and Council


def test_a_plot_costs_a_pearl_and_needs_a_free_space() -> None:
    start = [*scene({"pearls": 2}, POOR), turn(0)]
    plot = ev("plot", 0, pearls=1, lord="jailer")
    refuses("free space", start, plot, ev("plot", 0, pearls=1, lord="seeker"))
    refuses("no Lord that is left", start, ev("plot", 0, pearls=1, lord="miller"))
    refuses("pearls must be 1", start, ev("plot", 0, pearls=0, lord="jailer"))
    refuses("cannot pay 1 Pearls", scene(POOR, POOR), turn(0), plot)


def test_a_stack_is_taken_whole_and_a_second_by_the_alchemist() -> None:
    stacks = {"crab": ["crab 1", "crab 4"], "squid": ["squid 2"]}
    start = [*scene(POOR, POOR, council=stacks), turn(0)]
    taken = council(0, "crab", ["crab 4", "crab 1"])
    accepts(start, taken, end(0, [0, 0], [2, 0]))
    refuses("no Council stack", start, council(0, "jellyfish", []))
    refuses("the stack is", start, council(0, "crab", ["crab 4"]))
    refuses("cause must be 'action'", start, council(0, "crab", ["crab 1", "crab 4"], "alchemist"))
    alchemist = [*scene({"lords": ["alchemist"]}, POOR, council=stacks), turn(0)]
    accepts(alchemist, taken, council(0, "squid", ["squid 2"], "alchemist"), end(0, [0, 0], [3, 0]))
    refuses("a further stack", alchemist, taken, end(0, [0, 0], [2, 0]))
    only_one = [*scene({"lords": ["alchemist"]}, POOR, council={"crab": ["crab 1", "crab 4"]}), turn(0)]
    accepts(only_one, taken, end(0, [0, 0], [2, 0]))


# --- Recruitment (cases 12 to 23)

EXAMPLE = {"hand": ["shellfish 5", "shellfish 1", "crab 2", "seahorse 1", "jellyfish 3"], "pearls": 2}


def example(**own: Any) -> list[Event]:
    """Return the manual's example: Master of Magic, Slaver and Traitor in the Court."""
    return [*scene({**EXAMPLE, **own}, POOR, court=["master_of_magic", "slaver", "traitor"]), turn(0)]


REFILL = ev("refill", 0, pearls=2, lords=["keeper", "reaper", "miller", "shepherd"])


@pytest.mark.parametrize(
    ("lord", "allies", "cost", "pearls", "left"),
    [
        ("master_of_magic", ["jellyfish 3", "crab 2", "shellfish 5"], 10, 0, 2),
        ("master_of_magic", ["jellyfish 3", "shellfish 5", "seahorse 1"], 10, 1, 2),
        ("master_of_magic", ["jellyfish 3", "shellfish 5", "shellfish 1", "seahorse 1"], 10, 0, 1),
        ("slaver", ["shellfish 5", "shellfish 1"], 8, 2, 3),
    ],
)
def test_the_manuals_example(lord: str, allies: list[str], cost: int, pearls: int, left: int) -> None:
    start = example()
    accepts(start, recruit(0, lord, allies, cost, pearls), REFILL, end(0, [4 - pearls, 0], [left, 0]))


@pytest.mark.parametrize(
    ("words", "lord", "allies", "cost", "pearls"),
    [
        ("exactly 1 Races", "slaver", ["shellfish 5", "crab 2"], 8, 1),
        ("exactly 3 Races", "master_of_magic", ["jellyfish 3", "shellfish 5"], 10, 2),
        ("a squid must be among", "traitor", ["jellyfish 3", "shellfish 5", "crab 2"], 12, 2),
        ("pearls must be 3", "slaver", ["shellfish 5"], 8, 2),
        ("cannot pay 3 Pearls", "slaver", ["shellfish 5"], 8, 3),
        ("pearls must be 0", "master_of_magic", ["jellyfish 3", "crab 2", "shellfish 5"], 10, 1),
        ("holds no shellfish 4", "slaver", ["shellfish 5", "shellfish 4"], 8, 0),
        ("cost must be 10", "master_of_magic", ["jellyfish 3", "crab 2", "shellfish 5"], 9, 0),
        ("a Monster is no Ally", "slaver", ["monster"], 8, 8),
    ],
)
def test_wrong_payments(words: str, lord: str, allies: list[str], cost: int, pearls: int) -> None:
    refuses(words, example(), recruit(0, lord, allies, cost, pearls)[0])


def test_superfluous_allies_are_not_paid() -> None:
    paid = recruit(0, "slaver", ["shellfish 5", "shellfish 3", "shellfish 1"], 8)
    hand = {"hand": ["shellfish 5", "shellfish 3", "shellfish 1"]}
    refuses("shellfish 1 is superfluous", scene(hand, POOR, court=["slaver", *COURT]), turn(0), paid[0])
    allowed = scene(hand, POOR, court=["slaver", *COURT], rulings={"allow_overpay": True})
    accepts(allowed, turn(0), paid)
    needed = [Card("crab", 5), Card("crab", 4)]
    assert superfluous(needed, 6) is None
    assert superfluous([*needed, Card("crab", 3)], 8) == Card("crab", 4)


def test_the_lowest_ally_is_affiliated_or_any_by_the_master_of_magic() -> None:
    paid = ev("recruit", 0, lord="miller", allies=["seahorse 5", "crab 3"], pearls=0, cost=8)
    own = {"hand": ["seahorse 5", "crab 3"]}
    accepts(scene(own, POOR), turn(0), paid, ev("affiliate", 0, card="crab 3"))
    high = ev("affiliate", 0, card="seahorse 5")
    refuses("the lowest Ally paid is affiliated", scene(own, POOR), turn(0), paid, high)
    accepts(scene({**own, "lords": ["master_of_magic"]}, POOR), turn(0), paid, high)
    turned = {"lord": "master_of_magic", "turned": True}
    refuses("the lowest Ally", scene({**own, "lords": [turned]}, POOR), turn(0), paid, high)
    tied = ev("recruit", 0, lord="reaper", allies=["seahorse 4", "squid 4"], pearls=0, cost=7)
    hand = {"hand": ["seahorse 4", "squid 4"]}
    for card in hand["hand"]:
        accepts(scene(hand, POOR, court=["reaper", *COURT]), turn(0), tied, ev("affiliate", 0, card=card))


def test_an_arriving_master_of_magic_does_not_act_yet() -> None:
    paid = recruit(0, "master_of_magic", ["jellyfish 3", "crab 2", "shellfish 5"], 10)
    refuses("the lowest Ally", example(), paid[0], ev("affiliate", 0, card="shellfish 5"))


def test_costs_by_recruiter_treasurer_shaman_and_diplomat() -> None:
    hand = {"hand": ["seahorse 5", "crab 5"]}
    court = ["miller", "trader", "elder", "keeper"]

    def paid(cost: int, pearls: int = 0) -> list[Event]:
        return [turn(0), *recruit(0, "miller", hand["hand"], cost, pearls)]

    raised = {"lords": ["recruiter"]}
    accepts(scene(hand, raised, court=court), paid(10))
    refuses("cost must be 10", scene(hand, raised, court=court), paid(8)[:-1])
    accepts(scene({**hand, "lords": ["treasurer"]}, raised, court=court), paid(8))
    accepts(scene({**hand, "lords": ["treasurer", "shaman"]}, raised, court=court), paid(6))
    accepts(
        scene({**hand, "lords": ["diplomat"]}, POOR, court=["reaper", *court]),
        turn(0),
        recruit(0, "reaper", hand["hand"], 7),
    )
    # The Diplomat frees the Races, not their number.
    spider = {"hand": ["crab 5", "crab 4"], "lords": ["diplomat"]}
    accepts(
        scene(spider, POOR, court=["shepherd", *court]), turn(0), recruit(0, "shepherd", spider["hand"], 8)
    )
    bare = recruit(0, "reaper", spider["hand"], 7)
    refuses("exactly 2 Races", scene(spider, POOR, court=["reaper", *court]), turn(0), bare[0])


def test_can_pay_looks_for_the_best_set_of_races() -> None:
    hand = Counter([Card("crab", 5), Card("crab", 1), Card("squid", 2), Card("jellyfish", 3)])
    assert can_pay(hand, 0, 9, 2, "crab")
    assert not can_pay(hand, 0, 10, 2, "crab")
    assert can_pay(hand, 1, 10, 2, "crab")
    assert can_pay(hand, 0, 9, 2, "")
    assert not can_pay(hand, 9, 5, 2, "seahorse")
    assert not can_pay(hand, 9, 5, 4, "")


def test_the_court_is_refilled_when_two_are_left() -> None:
    paid = [turn(0), *recruit(0, "slaver", ["shellfish 5", "shellfish 1"], 8, 2)]
    start = example()[:-1]
    refuses("one of the Allies paid is affiliated", start, paid[:-1], REFILL)
    refuses("2 Lords are left", start, paid, end(0, [0, 0], [3, 0]))
    refuses("4 Lords must be added", start, paid, ev("refill", 0, pearls=2, lords=["keeper", "reaper"]))
    refuses("pearls must be 2", start, paid, ev("refill", 0, pearls=0, lords=REFILL["lords"]))
    again = ev("refill", 0, pearls=2, lords=["keeper", "reaper", "miller", "keeper"])
    refuses("no Lord that is left", start, paid, again)
    accepts(start, paid, REFILL, gain(0, 2, "refill"), end(0, [2, 0], [3, 0]))
    four = scene(EXAMPLE, POOR, court=["slaver", "traitor", "trader", "elder"])
    accepts(four, paid, end(0, [0, 0], [3, 0]))
    refuses("refilled once", four, paid, REFILL)


def deck_of(*deck: str, court: list[str], **own: Any) -> list[Event]:
    """Return a position whose Lord deck holds the Lords named; the opponent has all others covered."""
    held = [*own.get("lords", []), *court, *deck]
    others = [key for key in BOOK.in_the_box("lords") if key not in held]
    return scene(
        own, {"locations": [{"location": "jail", "lords": others}]}, court=court, lord_deck=list(deck)
    )


def test_a_refill_that_fails_ends_the_game() -> None:
    start = deck_of("keeper", court=["slaver", "traitor", "trader"], **EXAMPLE)
    paid = [turn(0), *recruit(0, "slaver", ["shellfish 5", "shellfish 1"], 8, 2)]
    refill = ev("refill", 0, pearls=2, lords=["keeper"])
    trigger = ev("end_trigger", 0, reason="refill")
    ended = end(0, [2, 0], [3, 0])
    for order in ([refill, trigger, ended], [refill, ended, trigger]):
        accepts(start, paid, order)
    error = fault(start, paid, refill, ended, turn(1))
    assert "end_trigger is missing" in error.rule
    empty = deck_of(court=["slaver", "traitor", "trader"], **EXAMPLE)
    accepts(empty, paid, ev("refill", 0, pearls=2, lords=[]), trigger, ended)
    three_left = deck_of(court=["slaver", "traitor", "trader", "elder"], **EXAMPLE)
    accepts(three_left, paid, end(0, [0, 0], [3, 0]), turn(1))


# --- Powers on arrival


def arriving(
    lord: str, *others: dict[str, Any], own: dict[str, Any] | None = None, **position: Any
) -> list[Event]:
    """Return a position in which seat 0 recruits a Lord for one Pearl; what follows is its power."""
    court = position.pop("court", COURT)
    changes = {f"lords.{lord}.cost": 6, f"lords.{lord}.races": 1, "guilds.ambassador": "crab"}
    changes |= {f"guilds.{guild}": "crab" for guild in RULES["guilds"]}
    owner = {"pearls": 1, **(own or {}), "hand": ["crab 5", *(own or {}).get("hand", [])]}
    rest = [key for key in court if key != lord]
    start = scene(owner, *(others or [POOR]), court=[lord, *rest], changes=changes, **position)
    return [*start, turn(0), *recruit(0, lord, ["crab 5"], 6, 1)]


def test_jailer() -> None:
    others: list[dict[str, Any]] = [
        {"hand": ["crab 1", "squid 2"]},
        {"hand": ["crab 2"], "lords": ["shaman"]},
        POOR,
    ]
    start = arriving("jailer", *others)
    accepts(start, discard(1, "crab 1", "jailer"), end(0, [0] * 4, [0, 1, 1, 0]))
    refuses("an Ally, by jailer", start, end(0, [0] * 4, [0, 2, 1, 0]))
    refuses("holds no crab 2", start, discard(1, "crab 2", "jailer"))
    refuses(
        "nothing makes this seat discard",
        start,
        discard(1, "crab 1", "jailer"),
        discard(2, "crab 2", "jailer"),
    )
    refuses("pearls must be 0", start, discard(1, None, "jailer", pearls=1))


def test_seeker() -> None:
    start = arriving("seeker", {"pearls": 5}, {"pearls": 1}, {"pearls": 3, "lords": ["shaman"]})
    loses = [ev("lose", 1, pearls=2, cause="seeker"), ev("lose", 2, pearls=1, cause="seeker")]
    accepts(start, loses, end(0, [0, 3, 0, 3], [0] * 4))
    refuses("pearls must be 1", start, loses[0], ev("lose", 2, pearls=2, cause="seeker"))
    refuses("nothing takes Pearls", start, loses, ev("lose", 3, pearls=2, cause="seeker"))
    refuses("lose of seat 1", start, end(0, [0, 5, 1, 3], [0] * 4))


def test_assassin() -> None:
    turned = {"lord": "shaman", "turned": True}
    start = arriving(
        "assassin",
        {"lords": ["keeper", "reaper"]},
        {"lords": [turned, "oracle"]},
        court=["trader", "elder", "miller"],
    )
    hit = [ev("turned", 1, lord="reaper", cause="assassin"), ev("turned", 2, lord="oracle", cause="assassin")]
    accepts(start, hit, end(0, [0] * 3, [0] * 3))
    refuses("turned of seat 2", start, hit[0], end(0, [0] * 3, [0] * 3))
    refuses("turned already", start, hit[0], ev("turned", 2, lord="shaman", cause="assassin"))
    refuses("no free Lord of seat 1", start, ev("turned", 1, lord="trader", cause="assassin"))
    safe = arriving("assassin", {"lords": ["shaman"]})
    refuses("nothing turns a Lord", safe, ev("turned", 1, lord="shaman", cause="assassin"))


def test_hunter() -> None:
    start = arriving("hunter", {"monster_tokens": [2, 3]}, {"monster_tokens": [4], "lords": ["shaman"]})

    def steal(target: int, value: int) -> Event:
        return ev("steal", 0, target=target, value=value, cause="hunter")

    accepts(start, steal(1, 3), end(0, [0] * 3, [0] * 3, tokens=[1, 1, 1]))
    refuses("holds no Monster token 4", start, steal(1, 4))
    refuses("one of the seats [1]", start, steal(2, 4))
    refuses("takes a Monster token", start, end(0, [0] * 3, [0] * 3, tokens=[0, 2, 1]))
    accepts(arriving("hunter", POOR), end(0, [0, 0], [0, 0]))


def test_commander_on_arrival_and_at_turn_ends() -> None:
    seven = [f"jellyfish {value}" for value in (1, 1, 2, 2, 3, 3, 4)]
    start = arriving("commander", {"hand": seven}, {"hand": ["seahorse 1"] * 3 + ["seahorse 2"] * 3})
    cut = discard(1, "jellyfish 4", "commander")
    accepts(start, cut, end(0, [0] * 3, [0, 6, 6]))
    refuses("an Ally, by commander", start, end(0, [0] * 3, [0, 7, 6]))
    refuses("nothing makes this seat discard", start, cut, discard(1, "jellyfish 3", "commander"))
    owner = {"lords": ["commander"]}
    later = scene({"hand": seven[1:]}, owner, council={"crab": ["crab 1"]})
    taken = [turn(0), council(0, "crab", ["crab 1"])]
    accepts(later, taken, discard(0, "crab 1", "commander"), end(0, [0, 0], [6, 0]))
    refuses("an Ally, by commander", later, taken, end(0, [0, 0], [7, 0]))
    protected = scene({"hand": seven[1:], "lords": ["shaman"]}, owner, council={"crab": ["crab 1"]})
    accepts(protected, taken, end(0, [0, 0], [7, 0]))


def test_commander_and_purchases() -> None:
    six = {"hand": [f"jellyfish {value}" for value in (1, 1, 2, 2, 3, 3)], "pearls": 1}
    lines = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1), offer(1, 1, True)]
    owner = {"lords": ["commander"]}
    accepts(
        scene(owner, six),
        lines,
        reveal(0, "crab 2", 1),
        take(0, "crab 2", 1),
        leftovers(0, []),
        end(0, [1, 0], [1, 7]),
    )
    at_once = scene(owner, six, rulings={"commander_on_purchase": True})
    refuses("an Ally, by commander", at_once, lines, reveal(0, "crab 2", 1))
    accepts(at_once, lines, discard(1, "crab 1", "commander"), reveal(0, "crab 2", 1))


def test_merchants_gain_on_arrival_and_the_landlord_at_turn_starts() -> None:
    for lord, pearls in (("trader", 3), ("peddler", 2), ("shopkeeper", 1), ("landlord", 1)):
        start = arriving(lord)
        accepts(start, gain(0, pearls, lord), end(0, [pearls, 0], [0, 0]))
        refuses(f"{pearls} Pearls by {lord}", start, end(0, [0, 0], [0, 0]))
    start = scene({"lords": ["landlord"]}, POOR)
    accepts(start, turn(0), gain(0, 1, "landlord"), ev("explore", 0))
    refuses("1 Pearls by landlord", start, turn(0), ev("explore", 0))


def test_invoker_gives_an_extra_turn() -> None:
    start = arriving("invoker", council={"crab": ["crab 1"]})
    granted = [ev("extra_turn", 0, cause="invoker"), end(0, [0, 0], [0, 0])]
    accepts(
        start,
        granted,
        turn(0, 2, extra=True),
        council(0, "crab", ["crab 1"]),
        end(0, [0, 0], [1, 0]),
        turn(1),
    )
    refuses("extra_turn of seat 0", start, end(0, [0, 0], [0, 0]))
    refuses("an extra turn", start, granted, turn(1))


def test_apprentice_takes_a_stack() -> None:
    start = arriving("apprentice", council={"squid": ["squid 1"]})
    accepts(start, council(0, "squid", ["squid 1"], "apprentice"), end(0, [0, 0], [1, 0]))
    refuses("apprentice takes a stack", start, end(0, [0, 0], [0, 0]))
    accepts(arriving("apprentice"), end(0, [0, 0], [0, 0]))


def test_corruptor_takes_a_second_lord_for_pearls() -> None:
    start = arriving(
        "corruptor",
        {"lords": ["recruiter"]},
        own={"pearls": 6},
        court=["peddler", "elder", "miller", "reaper"],
    )
    start[-2]["cost"], start[-2]["pearls"] = 8, 3
    start[1]["position"]["player"][0]["pearls"] = 8
    second = take_lord(0, "peddler", "corruptor", pearls=5)
    accepts(start, second, gain(0, 2, "peddler"), end(0, [2, 0], [0, 0]))
    accepts(start, decline(0, "corruptor"), end(0, [5, 0], [0, 0]))
    refuses("acts or is declined", start, end(0, [5, 0], [0, 0]))
    refuses("pearls must be 5", start, take_lord(0, "peddler", "corruptor", pearls=7))
    refuses("no Lord of the Court", start, take_lord(0, "jailer", "corruptor", pearls=5))
    refuses("given_up must be None", start, take_lord(0, "peddler", "corruptor", "corruptor", pearls=5))
    poor = arriving("corruptor", own={"pearls": 5})
    accepts(poor, end(0, [4, 0], [0, 0]))
    refuses("the turn is over", poor, take_lord(0, "trader", "corruptor", pearls=5))


def test_corruptor_and_refill() -> None:
    court = ["keeper", "reaper"]
    added = ["miller", "landowner", "trader", "elder"]
    start = arriving("corruptor", own={"pearls": 4}, court=court)
    refill = ev("refill", 0, pearls=2, lords=added)
    accepts(start, refill, end(0, [5, 0], [0, 0]))
    first = arriving("corruptor", own={"pearls": 4}, court=court, rulings={"refill_before_power": True})
    accepts(first, refill, take_lord(0, "landowner", "corruptor", pearls=5), end(0, [0, 0], [0, 0]))
    rich = arriving("corruptor", own={"pearls": 6}, court=[*court, "sage"])
    both = [take_lord(0, "reaper", "corruptor", pearls=5), refill]
    accepts(rich, both, end(0, [2, 0], [0, 0]))


def test_traitor_and_schemer_swap_another_free_lord() -> None:
    turned = {"lords": [{"lord": "reaper", "turned": True}, "oracle"]}
    traitor = arriving("traitor", own=turned, court=["trader", "elder", "miller", "keeper"])
    accepts(
        traitor, take_lord(0, "trader", "traitor", "reaper"), gain(0, 3, "trader"), end(0, [3, 0], [0, 0])
    )
    accepts(traitor, decline(0, "traitor"), end(0, [0, 0], [0, 0]))
    refuses("cannot give itself up", traitor, take_lord(0, "trader", "traitor", "traitor"))
    refuses("no free Lord", traitor, take_lord(0, "trader", "traitor", None))
    refuses(
        "3 Pearls by trader", traitor, take_lord(0, "trader", "traitor", "reaper"), end(0, [0, 0], [0, 0])
    )
    accepts(arriving("traitor"), end(0, [0, 0], [0, 0]))
    schemer = arriving("schemer", own=turned)
    accepts(schemer, take_lord(0, "peddler", "schemer", "oracle"), gain(0, 2, "peddler"))
    refuses("left in the deck", schemer, take_lord(0, "trader", "schemer", "oracle"))


def test_illusionist_exchanges_a_location() -> None:
    own = {"locations": [{"location": "jail", "lords": ["reaper", "oracle"]}]}
    start = arriving("illusionist", own=own, locations=["black_smokers", "depths"])

    def exchange(gives: str, takes: str) -> Event:
        return ev("exchange", 0, gives=gives, takes=takes, cause="illusionist")

    accepts(start, exchange("jail", "depths"), end(0, [0, 0], [0, 0]))
    accepts(start, decline(0, "illusionist"), end(0, [0, 0], [0, 0]))
    accepts(start, exchange("jail", "black_smokers"), swap(0, "chasm"), end(0, [0, 0], [0, 0]))
    refuses("may turn into", start, exchange("jail", "black_smokers"), end(0, [0, 0], [0, 0]))
    refuses("no Location of seat 0", start, exchange("depths", "jail"))
    refuses("no face-up Location", start, exchange("jail", "chasm"))
    accepts(arriving("illusionist"), end(0, [0, 0], [0, 0]))


def test_ambassadors_draw_and_go_under_the_location_alone() -> None:
    start = arriving("sage", own={"lords": ["reaper"]})
    draw = drawn(0, ["jail", "depths"], "depths", "sage")
    under = control(0, "depths", ["sage"], source="drawn", cause="sage")
    accepts(start, draw, under, end(0, [0, 0], [0, 0]))
    refuses("2 Locations are drawn", start, drawn(0, ["jail"], "jail", "sage"))
    refuses("one of those drawn", start, drawn(0, ["jail", "depths"], "parliament", "sage"))
    refuses("no Location that is left", start, drawn(0, ["jail", "parliament"], "jail", "sage"))
    refuses(
        "only sage goes under",
        start,
        draw,
        control(0, "depths", ["sage", "reaper"], source="drawn", cause="sage"),
    )
    refuses("draw_locations of seat 0", start, control(0, "parliament", ["sage"], cause="sage"))


# --- Powers once in each turn


def test_powers_once_in_each_own_turn() -> None:
    own = {"hand": ["crab 1", "crab 2"], "lords": ["slaver", {"lord": "opportunist", "turned": True}]}
    start = [*scene(own, POOR), turn(0)]
    used = [ev("use", 0, lord="slaver"), discard(0, "crab 2", "slaver"), gain(0, 2, "slaver")]
    accepts(start, used, ev("plot", 0, pearls=1, lord="jailer"), ev("explore", 0))
    refuses("has been used", start, used, ev("use", 0, lord="slaver"))
    refuses("is turned", start, ev("use", 0, lord="opportunist"))
    refuses("no free Lord", start, ev("use", 0, lord="oracle"))
    refuses("2 Pearls by slaver", start, used[:2], ev("explore", 0))
    explored = [ev("explore", 0), reveal(0, "squid 1", 1), take(0, "squid 1", 1), leftovers(0, [])]
    accepts(start, explored, used, end(0, [2, 0], [2, 0]))
    refuses("before the action or after control", start, explored[:2], ev("use", 0, lord="slaver"))


def test_oracle_and_opportunist() -> None:
    own = {"lords": ["oracle", "opportunist"]}
    start = [*scene(own, POOR, council={"crab": ["crab 1"]}), turn(0)]
    stack = ev("discard_stack", 0, race="crab", cards=["crab 1"], cause="oracle")
    replaced = ev("replace", 0, removed="elder", added="jailer", cause="opportunist")
    accepts(
        start,
        ev("use", 0, lord="oracle"),
        stack,
        ev("use", 0, lord="opportunist"),
        replaced,
        ev("explore", 0),
    )
    refuses("can do nothing", scene(own, POOR), turn(0), ev("use", 0, lord="oracle"))
    refuses("left in the deck", start, ev("use", 0, lord="opportunist"), {**replaced, "added": "trader"})
    refuses(
        "no Lord of the Court", start, ev("use", 0, lord="opportunist"), {**replaced, "removed": "jailer"}
    )
    refuses("discard_stack of seat 0", start, ev("use", 0, lord="oracle"), ev("explore", 0))


# --- Locations (cases 24 to 28)

ACTION = [turn(0), council(0, "crab", ["crab 1"])]


def keyed(*lords: Any, keys: int = 0, **position: Any) -> list[Event]:
    """Return a position with Keys, and a turn up to its action."""
    return [
        *scene({"lords": list(lords), "keys": keys}, POOR, council={"crab": ["crab 1"]}, **position),
        *ACTION,
    ]


def test_control_must_be_taken_with_keys_enough() -> None:
    start = keyed("shaman", "reaper", keys=1)
    accepts(start, control(0, "parliament", ["shaman", "reaper"], 1), end(0, [0, 0], [1, 0]))
    accepts(start, drawn(0, ["jail"], "jail"), control(0, "jail", ["shaman", "reaper"], 1, "drawn"))
    refuses("3 usable Keys and must take control", start, end(0, [0, 0], [1, 0], keys=[1, 0]))
    refuses("no face-up Location", start, control(0, "jail", ["shaman", "reaper"], 1))
    refuses("costs 3 Keys, not 2", start, control(0, "parliament", ["shaman", "reaper"]))
    refuses("has 1 Key tokens", start, control(0, "parliament", ["shaman"], 2))
    refuses("source must be 'face_up'", start, control(0, "parliament", ["shaman", "reaper"], 1, "drawn"))
    refuses(
        "control needs enough usable Keys", keyed("shaman", keys=1), control(0, "parliament", ["shaman"], 1)
    )


def test_no_key_is_superfluous_and_turned_lords_give_none() -> None:
    four = keyed("shaman", "reaper", keys=2)
    for lords, tokens in ((["shaman", "reaper"], 1), (["reaper"], 2)):
        accepts(four, control(0, "parliament", lords, tokens))
    refuses("superfluous", four, control(0, "parliament", ["shaman", "reaper"], 2))
    turned = {"lord": "reaper", "turned": True}
    accepts(keyed("shaman", turned, keys=1), end(0, [0, 0], [1, 0], keys=[1, 0]))
    refuses(
        "gives no Key", keyed("shaman", turned, keys=2), control(0, "parliament", ["reaper", "shaman"], 2)
    )
    refuses("gives no Key", keyed("trader", keys=3, court=["elder"]), control(0, "parliament", ["trader"], 3))
    refuses("gives its Keys once", four, control(0, "parliament", ["reaper", "reaper"], 1))
    refuses("superfluous", keyed("sage", keys=3), control(0, "parliament", ["sage"], 1))


def test_control_is_taken_again_while_keys_are_left() -> None:
    start = keyed(keys=6)
    first = control(0, "parliament", [], 3)
    accepts(
        start,
        first,
        drawn(0, ["jail", "chasm"], "jail"),
        control(0, "jail", [], 3, "drawn"),
        end(0, [0, 0], [1, 0]),
    )
    refuses("must take control", start, first, end(0, [0, 0], [1, 0], keys=[3, 0]))


def test_draws_for_control() -> None:
    start = keyed(keys=3)
    five = ["jail", "chasm", "depths", "abyss", "barracks"]
    refuses("1 to 4 Locations are drawn, not 5", start, drawn(0, five, "jail"))
    refuses("not 0", start, drawn(0, [], "jail"))
    refuses("one of those drawn", start, drawn(0, five[:2], "depths"))
    # What was not kept lies face up and is not in the deck.
    again = [*keyed(keys=6), drawn(0, five[:2], "jail"), control(0, "jail", [], 3, "drawn")]
    accepts(again, control(0, "chasm", [], 3))
    refuses("no Location that is left", again, drawn(0, ["chasm"], "chasm"))


def test_without_a_location_the_keys_are_kept() -> None:
    tiles = BOOK.in_the_box("locations")
    start = [
        *scene({"keys": 3}, {"locations": tiles}, council={"crab": ["crab 1"]}, locations=[]),
        *ACTION,
    ]
    accepts(start, end(0, [0, 0], [1, 0], keys=[3, 0]))


def test_black_smokers_may_turn_into_another_location() -> None:
    start = keyed(keys=6, locations=["black_smokers"])
    accepts(start, swap(0, None), control(0, "black_smokers", [], 3))
    swapped = [swap(0, "jail"), control(0, "jail", [], 3)]
    refuses("may turn into", start, control(0, "black_smokers", [], 3))
    refuses("location must be 'jail'", start, swap(0, "jail"), control(0, "black_smokers", [], 3))
    refuses("no Location that is left", start, swap(0, "parliament") | {"takes": "no_such_place"})
    refuses("no Location that is left", start, swapped, drawn(0, ["black_smokers"], "black_smokers"))
    back = keyed(keys=6, locations=["black_smokers"], rulings={"into_deck": True})
    accepts(back, swapped, drawn(0, ["black_smokers"], "black_smokers"), swap(0, "chasm"))
    draw = drawn(0, ["depths", "black_smokers"], "black_smokers")
    accepts(keyed(keys=3), draw, swap(0, "jail"), control(0, "jail", [], 3, "drawn"))
    refuses("left in the deck", keyed(keys=3), draw, swap(0, "depths"))


def test_a_covered_shaman_protects_no_longer() -> None:
    own = {"lords": ["shaman", "reaper"], "keys": 1, "hand": ["squid 1"]}
    jailer = ev("recruit", 1, lord="jailer", allies=["crab 5"], pearls=0, cost=5)
    changes = {"lords.jailer.cost": 5, "lords.jailer.races": 1}
    other = {"hand": ["crab 5"]}
    start = scene(own, other, council={"crab": ["crab 1"]}, court=["jailer", *COURT], changes=changes)
    covered = [
        *ACTION,
        control(0, "parliament", ["shaman", "reaper"], 1),
        end(0, [0, 0], [2, 1]),
        turn(1),
        jailer,
    ]
    accepts(start, covered, ev("affiliate", 1, card="crab 5"), discard(0, "squid 1", "jailer"))


# --- Limits at the end of a turn


def test_hand_limit_is_discarded_to_or_paid_for() -> None:
    hand = [f"{race} {value}" for race in ("jellyfish", "squid") for value in (1, 1, 1, 2, 2, 2)] + ["crab 5"]
    start = [
        *scene(
            {"hand": hand, "pearls": 1}, POOR, council={"crab": ["crab 1"]}, changes={"game.hand_limit": 12}
        ),
        *ACTION,
    ]
    paid, cut = discard(0, None, "hand_limit", pearls=1), discard(0, "crab 1", "hand_limit")
    accepts(start, paid, cut, end(0, [0, 0], [13, 0]))
    accepts(start, cut, discard(0, "crab 5", "hand_limit"), end(0, [1, 0], [12, 0]))
    refuses("cannot pay 1 Pearls", start, paid, paid)
    refuses("by hand_limit", start, cut, end(0, [1, 0], [13, 0]))
    refuses("cause must be 'hand_limit'", start, discard(0, "crab 1", "commander"))


# --- The end (case 32 and rulings)

SIX = ["aquaculturalist", "landowner", "peddler", "shopkeeper", "schemer", "jailer"]


def seventh(players: int, seat: int = 0, lord: str = "shepherd", **position: Any) -> list[Event]:
    """Return a position in which a seat recruits its seventh Lord."""
    seats: list[dict[str, Any]] = [{} for _ in range(players)]
    seats[seat] = {"lords": SIX, "hand": ["seahorse 5", "seahorse 3"]}
    changes = {"guilds.mage": "seahorse"}
    stacks = {"crab": ["crab 1"], "squid": ["squid 1"], "jellyfish": ["jellyfish 1"]}
    start = scene(*seats, court=[lord, *COURT], turn=seat, council=stacks, changes=changes, **position)
    return [*start, turn(seat), *recruit(seat, lord, ["seahorse 5", "seahorse 3"], 8)]


def idle_turns(*seats: int, players: int, number: int = 1, extra: bool = False) -> list[Event]:
    """Return turns in which each seat takes one of the stacks of one card."""
    lines, hands = [], [0] * players
    for seat, race in zip(seats, ("crab", "squid", "jellyfish"), strict=False):
        hands[seat] += 1
        lines += [
            turn(seat, number, extra),
            council(seat, race, [f"{race} 1"]),
            end(seat, [0] * players, list(hands)),
        ]
    return lines


def test_every_other_seat_has_one_last_turn() -> None:
    trigger = [ev("end_trigger", 1, reason="lords"), end(1, [0] * 4, [0] * 4)]
    start = seventh(4, seat=1)
    after = ev("final_affiliation", 2, affiliated=["crab 1"], discarded=[])
    accepts(start, trigger, idle_turns(2, 3, 0, players=4), after)
    refuses("turn of seat 0", start, trigger, idle_turns(2, 3, players=4), after)
    refuses("no turn is due", start, trigger, idle_turns(2, 3, 0, players=4), turn(1, 2))
    error = fault(start, trigger[1], turn(2))
    assert "end_trigger is missing" in error.rule
    refuses("the end is triggered once", start, trigger[0], trigger[0])


def test_equal_turns_finish_the_round() -> None:
    trigger = [ev("end_trigger", 1, reason="lords"), end(1, [0] * 4, [0] * 4)]
    equal = seventh(4, seat=1, rulings={"equal_turns": True})
    final = ev("final_affiliation", 2, affiliated=["crab 1"], discarded=[])
    accepts(equal, trigger, idle_turns(2, 3, players=4), final)
    refuses("no turn is due", equal, trigger, idle_turns(2, 3, players=4), turn(0))
    last = [ev("end_trigger", 2, reason="lords"), end(2, [0] * 3, [0] * 3)]
    none = ev("final_affiliation", 2, affiliated=[], discarded=[])
    accepts(seventh(3, seat=2, rulings={"equal_turns": True}), last, none)
    first = [ev("end_trigger", 0, reason="lords"), end(0, [0] * 3, [0] * 3)]
    accepts(seventh(3, rulings={"equal_turns": True}), first, idle_turns(1, 2, players=3), none | {"seat": 0})


def test_the_invoker_at_the_end() -> None:
    trigger, granted = ev("end_trigger", 0, reason="lords"), ev("extra_turn", 0, cause="invoker")
    over = end(0, [0, 0], [0, 0])
    start = seventh(2, lord="invoker")
    accepts(start, trigger, granted, over, idle_turns(0, players=2, number=2, extra=True), turn(1))
    refuses("an extra turn", start, trigger, granted, over, turn(1))
    none = seventh(2, lord="invoker", rulings={"no_extra_after_trigger": True})
    accepts(none, trigger, over, turn(1))
    refuses("end_of_turn of seat 0", none, trigger, granted)


def test_counting_lords_at_the_turn_end() -> None:
    start = seventh(2, rulings={"count_at_turn_end": True})
    trigger, over = ev("end_trigger", 0, reason="lords"), end(0, [0, 0], [0, 0])
    accepts(start, over, trigger, turn(1))
    error = fault(start, over, turn(1))
    assert "end_trigger is missing" in error.rule


def test_an_empty_deck_ends_the_game_by_a_ruling() -> None:
    begun = [turn(0), ev("explore", 0), reveal(0, "squid 1", 1), take(0, "squid 1", 1), leftovers(0, [])]
    start, over = deck_of(court=["slaver", "traitor"]), end(0, [0, 0], [1, 0])
    accepts(start, begun, over, turn(1))
    start[1]["position"]["rulings"] = {"end_on_empty_deck": True}
    accepts(start, begun, over, ev("end_trigger", 0, reason="deck"), turn(1))
    error = fault(start, begun, over, turn(1))
    assert "end_trigger is missing" in error.rule


def test_a_stalemate_ends_the_game() -> None:
    one_round = scene(
        POOR, POOR, council={"crab": ["crab 1"], "squid": ["squid 1"]}, changes={"game.stalemate_rounds": 1}
    )
    turns = idle_turns(0, 1, players=2)
    final = ev("final_affiliation", 0, affiliated=["crab 1"], discarded=[])
    stale = ev("end_trigger", 1, reason="stalemate")
    accepts(one_round, turns, stale, final)
    accepts(one_round, turns[:-1], stale, turns[-1], final)
    refuses("for this reason it is not now", one_round, turns[:3], stale | {"seat": 0})


def test_a_position_in_the_last_turns() -> None:
    start = scene(POOR, POOR, POOR, turn=0, ended_by=2, council={"crab": ["crab 1"], "squid": ["squid 1"]})
    final = ev("final_affiliation", 0, affiliated=["crab 1"], discarded=[])
    accepts(start, idle_turns(0, 1, players=3), final)
    refuses("no turn is due", start, idle_turns(0, 1, players=3), turn(2))


def test_final_affiliation_takes_the_lowest_of_each_race() -> None:
    own = {"hand": ["crab 5", "crab 2", "jellyfish 4"], "affiliated": ["crab 3"], "locations": ["chasm"]}
    start = scene(POOR, own, ended_by=1, council={"squid": ["squid 1"]})
    last = [turn(0), council(0, "squid", ["squid 1"]), end(0, [0, 0], [1, 3])]
    finals = [
        ev("final_affiliation", 0, affiliated=["squid 1"], discarded=[]),
        ev("final_affiliation", 1, affiliated=["crab 2", "jellyfish 4"], discarded=["crab 5"]),
    ]
    result = [points(allies=1), points(allies=7, locations=11)]
    final = referee([*start, *last, *finals, ev("score", players=result, winners=[1])], RULES)
    assert final.scores == result
    wrong = ev("final_affiliation", 1, affiliated=["crab 5", "jellyfish 4"], discarded=["crab 2"])
    refuses("are affiliated", start, last, finals[0], wrong)
    refuses("no final affiliation to do", start, last, finals[0], finals[0])
    refuses("final_affiliation of seat 1", start, last, finals[0], ev("score", players=result, winners=[1]))


# --- Scoring


def board(
    lords: str = "", affiliated: str = "", locations: str = "", tokens: tuple[int, ...] = (), pearls: int = 0
) -> Seat:
    """Return a seat; Lords are separated by spaces (a `*` turns one), Allies by commas."""
    return Seat(
        pearls=pearls,
        lords=[OwnLord(key.rstrip("*"), key.endswith("*")) for key in lords.split()],
        affiliated=Counter(card_of(text.strip()) for text in affiliated.split(",") if text),
        locations=[OwnLocation(key) for key in locations.split()],
        monster_tokens=Counter(tokens),
    )


def test_the_manuals_scored_board_makes_91() -> None:
    own = board(
        "keeper slaver master_of_magic elder seeker corruptor schemer",
        "jellyfish 3, jellyfish 1, crab 3, seahorse 2, shellfish 1, squid 5",
        "parliament sanctuary abyss",
        (2, 4),
    )
    own.locations[0].lords = [own.lords.pop(0), own.lords.pop(0)]  # covered Lords count like free ones
    scores, winners = score(RULES, [own, Seat()])
    assert scores[0] == points(locations=10 + 10 + 12, lords=39, allies=14, monster_tokens=6)
    assert scores[0]["total"] == 91
    assert winners == [0]
    worth = [location_score(BOOK, [own, Seat()], 0, tile.key) for tile in own.locations]
    assert worth == [6 + 2 * 2, 4 + 3 * 2, 12]
    # The misprinted sum of the transcript is right for the first two tiles alone.
    own.locations.pop()
    assert score(RULES, [own, Seat()])[0][0]["total"] == 79


def test_the_french_scored_board_makes_70() -> None:
    own = board(
        "corruptor invoker slaver aquaculturalist sage commander",  # 6 + 8 + 5 + 11 + 4 + 4
        "jellyfish 4, crab 3, seahorse 3, shellfish 2, squid 2",
        "abyss",
        (2, 4),
    )
    scores, winners = score(RULES, [Seat(), own])
    assert scores[1] == points(locations=12, lords=38, allies=4 + 3 + 3 + 2 + 2, monster_tokens=2 + 4)
    assert scores[1]["total"] == 70
    assert winners == [1]


LORDS = "keeper miller* elder jailer slaver"  # 6k, 10, 3 (three Keys), 7, 5k
ALLIES = "crab 1, crab 4, squid 2, squid 3, jellyfish 5"


@pytest.mark.parametrize(
    ("location", "worth"),
    [
        ("sargasso_silos", 5 + 2 * 2),
        ("dockworks", 5 + 2),
        ("hydrozoa_reserves", 6),
        ("parliament", 6),
        ("barracks", 7 + 2),
        ("sargasso_fields", 3),
        ("giant_clams", 3),
        ("sanctuary", 4 + 3),
        ("oceanic_senate", 4 + 3 * 2),
        ("chasm", 5 + 3 * 2),
        ("abyss", 2 * 4),
        ("depths", 2 * 3),
        ("throne_room", 10),
        ("jail", 15 - 5),
        ("closed_tower", 3 * 3),
        ("lost_tower", 3 * 2),
        ("chamber_of_allies", 3 + 1 + 2 + 5),
        ("coral_barrier", 20 - 5),
        ("black_smokers", 0),
        ("city_of_mirrors", 5 + 3 * 2),
    ],
)
def test_every_location(location: str, worth: int) -> None:
    own, other = board(LORDS, ALLIES, location), board("", "crab 5", "chasm black_smokers sargasso_fields")
    assert location_score(BOOK, [own, other], 0, location) == worth
    # The opponent has one crab: its own Chasm is worth less than the copy.
    assert location_score(BOOK, [own, other], 1, "chasm") == 8


def test_locations_of_a_seat_without_cards() -> None:
    seats = [Seat(), Seat()]
    for location, worth in {
        "depths": 0,
        "throne_room": 0,
        "jail": 15,
        "city_of_mirrors": 0,
        "abyss": 0,
    }.items():
        assert location_score(BOOK, seats, 0, location) == worth


@pytest.mark.parametrize(
    ("ruling", "location", "worth"),
    [
        ("ambassador_keyless", "closed_tower", 3 * 2),
        ("ambassador_keyless", "lost_tower", 3 * 3),
        ("turned_vp_only", "sargasso_silos", 5 + 2),
        ("turned_vp_only", "lost_tower", 3),
        ("turned_vp_only", "throne_room", 10),
        ("turned_vp_only", "jail", 15 - 5),
    ],
)
def test_rulings_on_towers_and_turned_lords(ruling: str, location: str, worth: int) -> None:
    book = Book(with_changes(RULES, {f"rulings.{ruling}": True}))
    assert location_score(book, [board(LORDS, ALLIES), Seat()], 0, location) == worth


def test_the_abyss_has_a_maximum_that_a_change_can_move() -> None:
    own = board("keeper jailer slaver shaman traitor elder")
    assert location_score(BOOK, [own], 0, "abyss") == 12
    dearer = with_changes(RULES, {"locations.abyss.each": 3})
    assert location_score(Book(dearer), [own], 0, "abyss") == 12
    assert location_score(Book(with_changes(dearer, {"locations.abyss.max": 20})), [own], 0, "abyss") == 18


def winners(*seats: Seat) -> list[int]:
    scores = score(RULES, seats)[0]
    return winners_of(BOOK, seats, scores)


def test_ties() -> None:
    one, two = "miller keeper", "landowner elder"  # 16 and 15 points; highest 10 and 12
    equal = board(two, tokens=(), affiliated="crab 1")
    assert winners(board(one), equal) == [1]
    assert winners(board(one, pearls=1), equal) == [0]
    assert winners(board(one, pearls=3), board(two, pearls=9)) == [0]
    assert winners(board(one), board("corruptor trader", "crab 1"), equal) == [2]
    assert winners(board(one), board(one), board("elder")) == [0, 1]


# --- The Kraken expansion: a whole game


def kraken_game(players: int = 2, **changes: Any) -> Event:
    """Return the first line of a game with the expansion."""
    return game(players, **changes) | {"expansions": ["kraken"]}


def sea(*players: dict[str, Any], **position: Any) -> list[Event]:
    """Return the first two lines of a game of the expansion from a position, as `scene` does."""
    line = scene(*players, **position)[1]
    line["position"]["expansions"] = ["kraken"]
    return [kraken_game(len(players)), line]


def with_nebulis(line: Event, nebulis: int = 0) -> Event:
    """Return an offer or a recruitment that says how many Nebulis are paid."""
    return line | {"nebulis": nebulis}


def buys(seat: int, price: int, nebulis: int = 0, explorer: int = 0) -> Event:
    return with_nebulis(offer(seat, price, bought=True, explorer=explorer), nebulis)


def refrains(seat: int, price: int, explorer: int = 0) -> Event:
    return with_nebulis(offer(seat, price, bought=False, explorer=explorer))


def pays(seat: int, lord: str, allies: list[str], cost: int, pearls: int = 0, nebulis: int = 0) -> Event:
    return ev("recruit", seat, lord=lord, allies=allies, pearls=pearls, cost=cost, nebulis=nebulis)


def affiliates(seat: int, card: str) -> Event:
    return ev("affiliate", seat, card=card)


def nebulis(seat: int, change: int, cause: str) -> Event:
    return ev("nebulis", seat, change=change, cause=cause)


def figure(seat: int | None) -> Event:
    return {"event": "figure", "seat": seat}


def tax(seat: int, target: int, pearls: int = 1) -> Event:
    return ev("tax", seat, target=target, pearls=pearls, cause="highwayman")


def over(
    seat: int, pearls: list[int], hands: list[int], nebulis: list[int] | None = None, **rest: list[int]
) -> Event:
    """Return the end of a turn of the expansion."""
    return end(seat, pearls, hands, **rest) | {"nebulis": nebulis or [0] * len(pearls)}


def whole_kraken_game() -> list[Event]:
    """Return a game of four turns that ends with the first Lord; everybody starts with one Pearl."""
    return flat(
        [
            kraken_game(game__lords_to_end=1),
            ev(
                "setup",
                court=["cleaner", "commander", "miller", "peddler", "jailer", "shaman"],
                pearls=[1, 1],
                threat=1,
                locations=["parliament"],
                lord_deck=47,
                location_deck=25,
                exploration_deck=78,
                loot_deck=25,
            ),
            turn(0),
            ev("explore", 0),
            reveal(0, "kraken 4", 1),
            buys(1, 1),
            reveal(0, "kraken 2", 1),
            reveal(0, "squid 4", 2),
            take(0, "squid 4", 2),
            leftovers(0, []),
            ev("kraken_to_council", 0, card="kraken 2", race="crab"),
            over(0, [2, 0], [1, 1]),
            turn(1),
            ev("explore", 1),
            reveal(1, "kraken 3", 1),
            buys(0, 1, explorer=1),
            reveal(1, "crab 1", 1),
            take(1, "crab 1", 1),
            leftovers(1, []),
            over(1, [1, 1], [2, 2]),
            turn(0, 2),
            pays(0, "cleaner", ["squid 4", "kraken 3"], 7),
            nebulis(0, 2, "krakens"),
            figure(0),
            affiliates(0, "squid 4"),
            ev("end_trigger", 0, reason="lords"),
            over(0, [1, 1], [0, 2], [2, 0]),
            turn(1, 2),
            council(1, "crab", ["kraken 2"]),
            over(1, [1, 1], [0, 3], [2, 0]),
            ev("final_affiliation", 0, affiliated=[], discarded=[]),
            ev("final_affiliation", 1, affiliated=["crab 1"], discarded=["kraken 4", "kraken 2"]),
            nebulis(1, 4, "krakens_in_hand"),
            figure(1),
            ev(
                "score",
                players=[points(lords=7, allies=4, nebulis=-2), points(allies=1, nebulis=-4, kraken=-5)],
                winners=[0],
            ),
        ]
    )


def test_a_whole_game_of_the_expansion_is_recomputed() -> None:
    final = referee(whole_kraken_game(), KRAKEN_RULES)
    assert [seat.nebulis for seat in final.seats] == [2, 4]
    assert final.figure == 1
    assert final.seats[0].affiliated == Counter([Card("squid", 4)])
    assert final.discard == Counter([Card("kraken", 3), Card("kraken", 4), Card("kraken", 2)])
    assert [parts["total"] for parts in final.scores] == [9, -8]
    assert final.loot_lost == Counter()
    assert final.sentinels == []


@pytest.mark.parametrize(
    ("event", "nth", "fields", "words"),
    [
        ("game", 0, {"expansions": ["leviathan"]}, "knows the base game and the Kraken expansion"),
        ("game", 0, {"expansions": []}, "not those of these expansions"),
        ("setup", 0, {"exploration_deck": 71}, "exploration_deck must be 78"),
        ("setup", 0, {"lord_deck": 29}, "lord_deck must be 47"),
        ("setup", 0, {"location_deck": 19}, "location_deck must be 25"),
        ("setup", 0, {"loot_deck": 24}, "loot_deck must be 25"),
        ("reveal", 0, {"card": "kraken 5"}, "no kraken 5 is left"),
        ("offer", 0, {"nebulis": 1}, "has 0 Nebulis, not 1"),
        ("kraken_to_council", 0, {"race": "kraken"}, "there is no stack"),
        ("kraken_to_council", 0, {"card": "kraken 4"}, "card must be 'kraken 2'"),
        ("leftovers", 0, {"council": ["kraken 2"]}, "go to the Council"),
        ("recruit", 0, {"nebulis": 1}, "Nebulis are not paid of a price of 0"),
        ("nebulis", 0, {"change": 3}, "change must be 2"),
        ("nebulis", 0, {"seat": 1}, "seat 1 has no Nebulis to gain"),
        ("nebulis", 0, {"cause": "action"}, "cause must be 'krakens'"),
        ("figure", 0, {"seat": 1}, "goes to one of [0]"),
        ("affiliate", 0, {"card": "kraken 3"}, "none of the Allies paid"),
        ("end_of_turn", 2, {"nebulis": [0, 0]}, "nebulis must be [2, 0]"),
        ("council", 0, {"cards": []}, "the stack is [kraken 2]"),
        ("final_affiliation", 1, {"affiliated": ["crab 1", "kraken 2"]}, "are affiliated"),
        ("nebulis", 1, {"change": 3}, "change must be 4"),
        ("figure", 1, {"seat": 0}, "goes to one of [1]"),
        ("score", 0, {"players": [points(lords=7, allies=4), points(allies=1)]}, "seat 0: nebulis is -2"),
        (
            "score",
            0,
            {"players": [points(lords=7, allies=4, nebulis=-2), points(allies=1, nebulis=-4)]},
            "seat 1: kraken is -5",
        ),
    ],
)
def test_one_wrong_claim_about_krakens_is_found(event: str, nth: int, fields: dict[str, Any], words: str) -> None:
    record = copy.deepcopy(whole_kraken_game())
    line = place(record, event, nth)
    record[line] |= fields
    with pytest.raises(RefereeError) as caught:
        referee(record, KRAKEN_RULES)
    assert words in caught.value.rule
    assert (caught.value.line, caught.value.event) == (line + 1, record[line])


@pytest.mark.parametrize(
    ("event", "nth", "words"),
    [
        ("kraken_to_council", 0, "goes to a stack of choice"),
        ("nebulis", 0, "Nebulis by krakens"),
        ("figure", 0, "it goes to one of [0]"),
        ("nebulis", 1, "Nebulis by krakens_in_hand"),
        ("figure", 1, "it goes to one of [1]"),
    ],
)
def test_a_missing_event_of_the_expansion_is_found(event: str, nth: int, words: str) -> None:
    record = whole_kraken_game()
    line = place(record, event, nth)
    del record[line]
    with pytest.raises(RefereeError, match="must come here") as caught:
        referee(record, KRAKEN_RULES)
    assert words in caught.value.rule
    assert caught.value.line == line + 1


def test_the_base_game_knows_nothing_of_the_expansion() -> None:
    with pytest.raises(RefereeError, match="not those of these expansions"):
        referee(whole_game(), KRAKEN_RULES)
    refuses("there is no event 'figure'", scene(POOR, POOR), turn(0), figure(0))
    refuses("not a card of the game", scene(POOR, POOR), turn(0), ev("explore", 0), reveal(0, "kraken 2", 1))
    record = whole_kraken_game()
    del record[place(record, "recruit")]["nebulis"]
    with pytest.raises(RefereeError, match="recruit lacks the field nebulis"):
        referee(record, KRAKEN_RULES)


# --- Payments with Krakens (cases 38 and 39)


def test_numbers_of_races() -> None:
    assert list(numbers_of_races({"crab", "squid"}, 0, "")) == [2]
    assert list(numbers_of_races({"crab", "squid"}, 2, "crab")) == [2, 3, 4]
    assert list(numbers_of_races({"crab", "squid"}, 2, "seahorse")) == [3, 4]
    assert list(numbers_of_races({"crab", "squid"}, 0, "seahorse")) == []
    assert list(numbers_of_races(set(), 3, "")) == [1, 2, 3]
    assert list(numbers_of_races(set(), 0, "")) == []


@pytest.mark.parametrize(
    ("lord", "allies", "cost", "gained", "low"),
    [
        ("seeker", ["kraken 3", "seahorse 5"], 7, 2, "seahorse 5"),
        ("seeker", ["kraken 4", "kraken 3"], 7, 5, None),
        ("aquaculturalist", ["kraken 2", "crab 4", "shellfish 5"], 9, 1, "crab 4"),
        ("reaper", ["seahorse 3", "squid 1", "kraken 4"], 7, 3, "squid 1"),
        ("keeper", ["kraken 4", "kraken 3", "kraken 2"], 6, 6, None),
        ("outlaw", ["crab 5", "kraken 4", "kraken 3"], 7, 5, "crab 5"),
    ],
)
def test_payments_with_krakens(lord: str, allies: list[str], cost: int, gained: int, low: str | None) -> None:
    start = [*sea({"hand": allies}, POOR, court=[lord, "elder", "trader", "miller"]), turn(0)]
    rest = [affiliates(0, low)] if low else []
    used = [pays(0, lord, allies, cost), nebulis(0, gained, "krakens"), figure(0), *rest]
    accepts(start, used, over(0, [0, 0], [0, 0], [gained, 0]))
    refuses("change must be", start, used[0], nebulis(0, gained + 1, "krakens"))
    if low:
        refuses("affiliate of seat 0 must come here", start, used[:-1], over(0, [0, 0], [0, 0], [gained, 0]))


@pytest.mark.parametrize(
    ("words", "lord", "allies", "cost"),
    [
        ("a seahorse must be among", "shepherd", ["crab 5", "kraken 4"], 8),
        ("a seahorse must be among", "grower", ["crab 4", "squid 4", "kraken 2"], 9),
        ("exactly 3 Races must be paid, not 0 with 2 Krakens", "keeper", ["kraken 4", "kraken 4"], 6),
        ("exactly 1 Races must be paid, not 2 with 1 Krakens", "outlaw", ["crab 4", "squid 4", "kraken 2"], 7),
        ("crab 5 is superfluous", "outlaw", ["crab 5", "crab 3", "kraken 4"], 7),
        ("cannot pay 3 Pearls", "outlaw", ["kraken 4"], 7),
    ],
)
def test_wrong_payments_with_krakens(words: str, lord: str, allies: list[str], cost: int) -> None:
    start = [*sea({"hand": allies}, POOR, court=[lord, "elder", "trader", "miller"]), turn(0)]
    missing = max(0, cost - sum(card_of(text).value for text in allies))
    refuses(words, start, pays(0, lord, allies, cost, missing))


def test_can_pay_with_krakens() -> None:
    hand = Counter([Card("crab", 5), Card("squid", 2), Card("kraken", 4)])
    assert can_pay(hand, 0, 9, 2, "seahorse")
    assert not can_pay(hand, 0, 10, 2, "seahorse")
    assert can_pay(hand, 0, 11, 2, "crab")
    assert can_pay(hand, 0, 11, 3, "seahorse")
    assert can_pay(hand, 0, 4, 1, "seahorse")
    assert not can_pay(hand, 0, 5, 1, "seahorse")
    assert not can_pay(hand, 9, 1, 4, "")


def test_the_master_of_magic_affiliates_no_kraken() -> None:
    hand = ["crab 5", "squid 2", "kraken 3"]
    start = [
        *sea(
            {"hand": hand, "lords": ["master_of_magic"]}, POOR, court=["aquaculturalist", "elder", "trader", "miller"]
        ),
        turn(0),
        pays(0, "aquaculturalist", hand, 9),
        nebulis(0, 2, "krakens"),
        figure(0),
    ]
    accepts(start, affiliates(0, "crab 5"))
    refuses("none of the Allies paid", start, affiliates(0, "kraken 3"))


# --- Nebulis as money


def short(pearls: int, held: int, *lords: str, **position: Any) -> list[Event]:
    """Return a position in which seat 0 misses two points for the Shepherd."""
    own = {"hand": ["seahorse 4", "seahorse 2"], "pearls": pearls, "nebulis": held, "lords": list(lords)}
    court = ["shepherd", "elder", "trader", "miller"]
    return [*sea(own, POOR, court=court, kraken_holder=0 if held else None, **position), turn(0)]


def shepherd(pearls: int, nebulis: int) -> Event:
    return pays(0, "shepherd", ["seahorse 4", "seahorse 2"], 8, pearls, nebulis)


def test_nebulis_pay_what_the_last_pearls_do_not() -> None:
    low = affiliates(0, "seahorse 2")
    accepts(short(1, 2), shepherd(1, 1), low, over(0, [0, 0], [0, 0], [1, 0]))
    accepts(short(1, 1), shepherd(1, 1), figure(None), low, over(0, [0, 0], [0, 0]))
    refuses("it goes to one of [None]", short(1, 1), shepherd(1, 1), low)
    refuses("only when all Pearls are", short(2, 2), shepherd(1, 1))
    refuses("at most 1 Nebulis", short(0, 2), shepherd(0, 2))
    refuses("pearls must be 1", short(1, 2), shepherd(0, 1))
    refuses("cannot pay 2 Pearls", short(1, 2), shepherd(2, 0))
    refuses("has 0 Nebulis", short(1, 0), shepherd(1, 1))


def test_outlaw_and_counterfeiter() -> None:
    low = affiliates(0, "seahorse 2")
    accepts(short(0, 3, "outlaw"), shepherd(0, 2), low)
    refuses("at most 2 Nebulis", short(0, 3, "outlaw"), pays(0, "shepherd", ["seahorse 2"], 8, 3, 3))
    refuses("only when all Pearls are", short(1, 3, "outlaw"), shepherd(0, 2))
    accepts(short(2, 2, "counterfeiter"), shepherd(1, 1), low)
    accepts(short(2, 2, "counterfeiter"), shepherd(2, 0), low)
    refuses("at most 1 Nebulis", short(2, 2, "counterfeiter"), shepherd(0, 2))
    accepts(short(2, 3, "outlaw", "counterfeiter"), shepherd(0, 2), low)
    exact = short(2, 2, "counterfeiter")
    exact[1]["position"]["player"][0]["hand"] = ["seahorse 4", "seahorse 4"]
    refuses("not paid of a price of 0", exact, pays(0, "shepherd", ["seahorse 4", "seahorse 4"], 8, 0, 1))


def test_allies_are_bought_for_nebulis() -> None:
    begun = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1)]
    start = [*sea(POOR, {"nebulis": 2}, kraken_holder=1), *begun]
    rest = [reveal(0, "squid 1", 1), take(0, "squid 1", 1), leftovers(0, [])]
    accepts(start, buys(1, 1, 1), figure(0), rest, over(0, [0, 0], [1, 1], [1, 1]))
    refuses("it goes to one of [0]", start, buys(1, 1, 1), rest[0])
    refuses("cannot pay 1 Pearls", start, buys(1, 1, 0))
    refuses("nebulis must be 0", start, with_nebulis(refrains(1, 1), 1))
    refuses("seat 1 may buy", start, take(0, "crab 1", 1))
    richer = [*sea(POOR, {"nebulis": 2, "pearls": 1}, kraken_holder=1), *begun]
    refuses("only when all Pearls are", richer, buys(1, 1, 1))
    keeps = [*sea(POOR, {"nebulis": 2, "pearls": 1, "lords": ["counterfeiter"]}, kraken_holder=1), *begun]
    accepts(keeps, buys(1, 1, 1), figure(0), rest, over(0, [0, 1], [1, 1], [1, 1]))


def test_the_hypnotist_buys_twice() -> None:
    own = {"pearls": 9, "lords": ["hypnotist"]}
    first = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1), buys(1, 1), reveal(0, "crab 2", 1)]
    third = [buys(1, 2), reveal(0, "crab 3", 1)]
    start = [*sea(POOR, own), *first]
    accepts(start, third, take(0, "crab 3", 1), leftovers(0, []), over(0, [3, 6], [1, 2]))
    refuses("has already bought", start, third, buys(1, 3))
    turned = {"pearls": 9, "lords": [{"lord": "hypnotist", "turned": True}]}
    refuses("has already bought", [*sea(POOR, turned), *first], buys(1, 2))


def test_the_corruptors_lord_may_be_paid_with_a_nebulis() -> None:
    hand = ["squid 5", "squid 4", "squid 1"]
    court = ["corruptor", "landowner", "keeper", "elder", "miller", "reaper"]

    def start(pearls: int, held: int) -> list[Event]:
        own = {"hand": hand, "pearls": pearls, "nebulis": held}
        table = sea(own, POOR, court=court, kraken_holder=0)
        return [*table, turn(0), pays(0, "corruptor", hand, 10), affiliates(0, "squid 1")]

    taken = [take_lord(0, "miller", "corruptor", pearls=4), nebulis(0, -1, "corruptor")]
    accepts(start(4, 2), taken, over(0, [0, 0], [0, 0], [1, 0]))
    refuses("Nebulis by corruptor", start(4, 2), taken[:1], over(0, [0, 0], [0, 0], [2, 0]))
    refuses("only when all Pearls are", start(5, 2), taken[0])
    refuses("at most 1 Nebulis", start(4, 2), take_lord(0, "miller", "corruptor", pearls=3))
    refuses("the turn is over", start(3, 2), take_lord(0, "miller", "corruptor", pearls=3))
    accepts(start(3, 2), over(0, [3, 0], [0, 0], [2, 0]))


# --- The Kraken figure


def gains(value: int, *held: int, holder: int | None, **position: Any) -> list[Event]:
    """Return a position with Nebulis of all seats in which seat 0 recruits the Grower with a Kraken."""
    hand = ["seahorse 5", "squid 3", f"kraken {value}"]
    players: list[dict[str, Any]] = [{"nebulis": number} for number in held]
    players[0]["hand"] = hand
    start = sea(*players, court=["grower", "elder", "trader", "miller"], kraken_holder=holder, **position)
    return [*start, turn(0), pays(0, "grower", hand, 9), nebulis(0, value - 1, "krakens")]


def test_the_figure_goes_to_whoever_catches_up() -> None:
    low, none = affiliates(0, "squid 3"), figure(None)
    accepts(gains(2, 0, 0, holder=None), figure(0), low)
    refuses("it goes to one of [0]", gains(2, 0, 0, holder=None), low)
    accepts(gains(2, 0, 2, holder=1), low)
    refuses("does not change hands here", gains(2, 0, 2, holder=1), figure(0))
    accepts(gains(3, 0, 2, holder=1), figure(0), low)
    accepts(gains(4, 0, 2, holder=1), figure(0), low)
    accepts(gains(2, 2, 2, holder=1), figure(0), low)
    refuses("goes to one of [0]", gains(3, 0, 2, holder=1), none)
    # Level before and after: nothing, but for the ruling.
    accepts(gains(2, 0, 2, 2, holder=1), low)
    refuses("does not change hands here", gains(2, 0, 2, 2, holder=1), figure(2))
    recheck = gains(2, 0, 2, 2, holder=1, rulings={"figure_recheck": True})
    accepts(recheck, figure(2), low)
    refuses("it goes to one of [2]", recheck, low)


def fenced(*held: int, holder: int = 0) -> list[Event]:
    """Return a position in which seat 0 recruits the Fence."""
    players: list[dict[str, Any]] = [{"nebulis": number} for number in held]
    players[0]["hand"] = ["crab 5", "crab 2"]
    start = sea(*players, court=["fence", "elder", "trader", "miller"], kraken_holder=holder)
    return [*start, turn(0), pays(0, "fence", ["crab 5", "crab 2"], 7), affiliates(0, "crab 2")]


def test_the_fence_gives_in_one_event() -> None:
    gives = [nebulis(0, -2, "fence"), nebulis(1, 1, "fence"), nebulis(2, 1, "fence")]
    highest = fenced(4, 3, 2)
    accepts(highest, gives, figure(1), over(0, [0] * 3, [0] * 3, [2, 4, 3]))
    accepts(highest, gives[::-1], figure(1))
    refuses("goes to one of [1]", highest, gives, figure(2))
    refuses("nebulis must come here", highest, gives[:2], figure(1))
    refuses("2 Nebulis are given, not 3", highest, nebulis(0, -3, "fence"))
    refuses("up to 1 Nebulis", highest, nebulis(1, 2, "fence"))
    alike = fenced(3, 1, 1)
    for taker in (1, 2):
        accepts(alike, gives, figure(taker), over(0, [0] * 3, [0] * 3, [1, 2, 2]))
    refuses("goes to one of [1, 2]", alike, gives, figure(0))
    one = fenced(1, 0, 0)
    accepts(one, nebulis(0, -1, "fence"), nebulis(2, 1, "fence"), figure(2))
    refuses("up to 0 Nebulis", one, nebulis(2, 1, "fence"), nebulis(1, 1, "fence"))
    accepts(fenced(0, 2, 0, holder=1), over(0, [0] * 3, [0] * 3, [0, 2, 0]))
    refuses("nothing brings or takes Nebulis", fenced(0, 2, 0, holder=1), nebulis(0, -1, "fence"))


def test_the_ferryman_turns_a_nebulis() -> None:
    own = {"nebulis": 1, "lords": ["ferryman"]}
    start = [*sea(own, POOR, kraken_holder=0, council={"crab": ["crab 1"]}), turn(0)]
    used = [ev("use", 0, lord="ferryman"), nebulis(0, -1, "ferryman"), figure(None), gain(0, 1, "ferryman")]
    taken = council(0, "crab", ["crab 1"])
    accepts(start, used, taken, over(0, [1, 0], [1, 0]))
    accepts(start, taken, used, over(0, [1, 0], [1, 0]))
    refuses("it goes to one of [None]", start, used[:2], used[3])
    refuses("1 Pearls by ferryman", start, used[:3], taken)
    refuses("can do nothing", [*sea({"lords": ["ferryman"]}, POOR), turn(0)], used[0])
    accepts(start, used, ev("plot", 0, pearls=1, lord="jailer"))


# --- Lords of the expansion


def test_the_highwayman_taxes_gains_of_two() -> None:
    owner = {"lords": ["highwayman"]}
    fought = [turn(0), ev("explore", 0), reveal(0, "monster", 1), fight(0, 2, 2, 1)]
    start = sea(POOR, owner, threat=2)
    cleared = leftovers(0, [], 1)
    accepts(start, fought, reward(0, "PP"), tax(1, 0), cleared, over(0, [1, 1], [0, 0]))
    refuses("highwayman taxes 2 Pearls", start, fought, reward(0, "PP"), cleared)
    refuses("pearls must be 1", start, fought, reward(0, "PP"), tax(1, 0, 2))
    refuses("target must be 0", start, fought, reward(0, "PP"), tax(1, 1))
    accepts(start, fought, reward(0, "PM", [2]), cleared)
    refuses("no gain of two Pearls", start, fought, reward(0, "PM", [2]), tax(1, 0))
    for free in ({"lords": ["shaman"]}, POOR):
        safe = sea(free, owner if free else {"lords": [{"lord": "highwayman", "turned": True}]}, threat=2)
        accepts(safe, fought, reward(0, "PP"), cleared, over(0, [2, 0], [0, 0]))
        refuses("no gain of two Pearls", safe, fought, reward(0, "PP"), tax(1, 0))


def test_the_highwayman_taxes_sales_by_their_pearls() -> None:
    sold = [turn(0), ev("explore", 0), reveal(0, "crab 1", 1), buys(1, 1), reveal(0, "crab 2", 1)]
    start = [*sea(POOR, {"pearls": 1}, {"pearls": 2, "lords": ["highwayman"]}), *sold]
    rest = [reveal(0, "squid 1", 1), take(0, "squid 1", 1), leftovers(0, [])]
    accepts(start, buys(2, 2), tax(2, 0), rest, over(0, [2, 0, 1], [1, 1, 1]))
    refuses("highwayman taxes 2 Pearls", start, buys(2, 2), rest[0])
    mixed = {"pearls": 1, "nebulis": 1, "lords": ["highwayman"]}
    start = [*sea(POOR, {"pearls": 1}, mixed, kraken_holder=2), *sold]
    accepts(start, buys(2, 2, 1), figure(0), rest, over(0, [2, 0, 0], [1, 1, 1], [1, 0, 0]))
    refuses("no gain of two Pearls", start, buys(2, 2, 1), figure(0), tax(2, 0))


def test_the_highwayman_taxes_each_gain_by_itself() -> None:
    hand = ["shellfish 5", "crab 3", "squid 2"]
    court, deck = ["trader", "elder", "miller"], ["jailer", "keeper", "reaper", "shepherd"]
    start = sea({"hand": hand}, {"lords": ["highwayman"]}, court=court, lord_deck=deck)
    begun = [turn(0), pays(0, "trader", hand, 10), affiliates(0, "squid 2"), gain(0, 3, "trader"), tax(1, 0)]
    refill = ev("refill", 0, pearls=2, lords=deck)
    accepts(start, begun, refill, tax(1, 0), over(0, [3, 2], [0, 0]))
    refuses("highwayman taxes 2 Pearls", start, begun, refill, over(0, [4, 1], [0, 0]))


def test_the_shareholder_is_paid_before_the_power() -> None:
    hand = ["crab 5", "squid 2"]
    start = sea({"hand": hand}, {"lords": ["shareholder"]}, court=["seeker", "elder", "trader", "miller"])
    begun = [turn(0), pays(0, "seeker", hand, 7), affiliates(0, "squid 2")]
    lost = ev("lose", 1, pearls=1, cause="seeker")
    accepts(start, begun, gain(1, 1, "shareholder"), lost, over(0, [0, 0], [0, 0]))
    refuses("1 Pearls by shareholder", start, begun, over(0, [0, 0], [0, 0]))
    refuses("1 Pearls by shareholder", start, begun, lost)


def test_the_shareholder_and_further_lords() -> None:
    hand = ["squid 5", "squid 4", "squid 1"]
    court = ["corruptor", "landowner", "keeper", "elder", "miller", "reaper"]
    own, other = {"hand": hand, "pearls": 5}, {"lords": ["shareholder"]}
    begun = [turn(0), pays(0, "corruptor", hand, 10), affiliates(0, "squid 1"), gain(1, 1, "shareholder")]
    taken = take_lord(0, "miller", "corruptor", pearls=5)
    start = sea(own, other, court=court)
    accepts(start, begun, taken, gain(1, 1, "shareholder"), over(0, [0, 2], [0, 0]))
    refuses("1 Pearls by shareholder", start, begun, taken, over(0, [0, 1], [0, 0]))
    only = sea(own, other, court=court, rulings={"only_paid": True})
    accepts(only, begun, taken, over(0, [0, 1], [0, 0]))
    hand = ["squid 3", "crab 3", "jellyfish 2"]
    swapping = sea({"hand": hand, "lords": ["miller"]}, other, court=["schemer", *COURT[:2], "reaper"])
    swapped = [turn(0), pays(0, "schemer", hand, 8), affiliates(0, "jellyfish 2"), gain(1, 1, "shareholder")]
    accepts(swapping, swapped, take_lord(0, "keeper", "schemer", "miller"), over(0, [0, 1], [0, 0]))


def test_the_healer_takes_an_ally_from_the_discard() -> None:
    hand = ["jellyfish 5", "jellyfish 3"]
    discarded = ["crab 2", "kraken 3", "monster"]
    court = ["healer", "elder", "trader", "miller"]
    start = [
        *sea({"hand": hand}, POOR, court=court, exploration_discard=discarded),
        turn(0),
        pays(0, "healer", hand, 7),
        affiliates(0, "jellyfish 3"),
    ]

    def healed(card: str) -> Event:
        return ev("from_discard", 0, card=card, cause="healer")

    for card in ("crab 2", "kraken 3", "jellyfish 5"):
        accepts(start, healed(card), over(0, [0, 0], [1, 0]))
    accepts(start, decline(0, "healer"), over(0, [0, 0], [0, 0]))
    refuses("acts or is declined", start, over(0, [0, 0], [0, 0]))
    refuses("a Monster is no Ally", start, healed("monster"))
    refuses("no jellyfish 3 is in the discard", start, healed("jellyfish 3"))


def test_the_executioner_names_a_race() -> None:
    hand = ["crab 4", "jellyfish 3", "squid 2"]
    victims: list[dict[str, Any]] = [
        {"affiliated": ["squid 1", "squid 3"]},
        {"affiliated": ["squid 4"], "lords": ["shaman"]},
        {"affiliated": ["crab 1"]},
    ]
    court = ["executioner", "elder", "trader", "miller"]
    start = [
        *sea({"hand": hand}, *victims, court=court),
        turn(0),
        pays(0, "executioner", hand, 9),
        affiliates(0, "squid 2"),
    ]

    def named(race: str) -> Event:
        return ev("name_race", 0, race=race, cause="executioner")

    def loses(seat: int, card: str) -> Event:
        return ev("discard_affiliated", seat, card=card, cause="executioner")

    accepts(start, named("squid"), loses(1, "squid 3"), over(0, [0] * 4, [0] * 4))
    accepts(start, named("seahorse"), over(0, [0] * 4, [0] * 4))
    refuses("names a Race", start, over(0, [0] * 4, [0] * 4))
    refuses("is no Race", start, named("kraken"))
    refuses("an affiliated squid", start, named("squid"), over(0, [0] * 4, [0] * 4))
    refuses("a squid must be discarded", start, named("squid"), loses(1, "crab 1"))
    refuses("has affiliated no squid 4", start, named("squid"), loses(1, "squid 4"))
    refuses("nothing makes this seat", start, named("squid"), loses(1, "squid 3"), loses(2, "squid 4"))


def test_the_recipient_adds_a_lord_for_nothing() -> None:
    own = {"lords": ["recipient"], "pearls": 1}
    start = [*sea(own, POOR, court=COURT[:4]), turn(0)]
    free, paid_for = ev("plot", 0, pearls=0, lord="jailer"), ev("plot", 0, pearls=1, lord="seeker")
    used = ev("use", 0, lord="recipient")
    accepts(start, used, free, paid_for, ev("explore", 0))
    refuses("plot of seat 0 must come here", start, used, ev("explore", 0))
    refuses("pearls must be 0", start, used, paid_for)
    refuses("pearls must be 1", start, free)
    refuses("has been used", start, used, free, used)
    full = [*sea(own, POOR, court=[*COURT, "reaper"]), turn(0)]
    refuses("can do nothing", full, used)


def liberating(under: list[str], free: tuple[str, ...] = (), **position: Any) -> list[Event]:
    hand = ["squid 5", "crab 4"]
    own = {"hand": hand, "lords": list(free), "locations": [{"location": "jail", "lords": under}]}
    court = ["liberator", "elder", "trader", "miller"]
    start = sea(own, POOR, court=court, council={"crab": ["crab 1"]}, **position)
    return [*start, turn(0), pays(0, "liberator", hand, 9), affiliates(0, "crab 4")]


def freed(lord: str, location: str = "jail") -> Event:
    return ev("freed", 0, lord=lord, location=location, cause="liberator")


def test_the_liberator_frees_a_covered_lord() -> None:
    done = over(0, [0, 0], [0, 0])
    start = liberating(["keeper", "peddler"])
    for lord in ("keeper", "peddler"):
        accepts(start, freed(lord), done)
    refuses("frees a covered Lord", start, done)
    refuses("is not under jail", start, freed("reaper"))
    refuses("nothing gives Pearls", start, freed("peddler"), gain(0, 2, "peddler"))
    accepts(liberating([]), done)
    refuses("nothing frees a Lord", liberating([]), freed("keeper"))
    keyed = liberating(["keeper"], ("grower", "reaper"))
    accepts(keyed, freed("keeper"), control(0, "parliament", ["grower", "reaper", "keeper"]), done)
    refuses("must take control", keyed, freed("keeper"), done)


def test_a_freed_ambassadors_keys_stay_spent() -> None:
    done = over(0, [0, 0], [0, 0])
    accepts(liberating(["sage"]), freed("sage"), done)
    refuses("enough usable Keys", liberating(["sage"]), freed("sage"), control(0, "parliament", ["sage"]))
    again = liberating(["sage"], rulings={"keys_reusable": True})
    accepts(again, freed("sage"), control(0, "parliament", ["sage"]), done)
    refuses("must take control", again, freed("sage"), done)
    spent = {"lords": [{"lord": "sage", "spent": True}]}
    start = [*sea(spent, POOR, council={"crab": ["crab 1"]}), turn(0), council(0, "crab", ["crab 1"])]
    accepts(start, over(0, [0, 0], [1, 0]))


# --- Sentinels


def placed(seat: int, of: str, area: str, at: str) -> Event:
    return ev("sentinel", seat, of=of, area=area, at=at)


def back(seat: int, of: str = "watcher") -> Event:
    return ev("sentinel_back", seat, of=of)


def watching(*sentinels: dict[str, str], seat: int = 1, players: int = 2, **own: Any) -> list[dict[str, Any]]:
    """Return seats of which one has the Watcher and Sentinels."""
    seats: list[dict[str, Any]] = [{} for _ in range(players)]
    seats[0] |= own
    seats[seat] |= {"lords": ["watcher"], "nebulis": 1, "sentinels": list(sentinels)}
    return seats


def on(thing: str, of: str = "watcher") -> dict[str, str]:
    return {"of": of, "at": thing}


def test_a_sentinel_arrives_with_a_nebulis_and_must_be_placed() -> None:
    hand = ["crab 3", "squid 2"]

    def start(*sentinels: dict[str, str], **position: Any) -> list[Event]:
        table = {"court": ["vigil", "elder", "trader", "miller"], "kraken_holder": 1, **position}
        begun = [turn(0), pays(0, "vigil", hand, 5), affiliates(0, "squid 2")]
        return [*sea(*watching(*sentinels, hand=hand), **table), *begun, nebulis(0, 1, "vigil"), figure(0)]

    for area, at in (("court", "elder"), ("council", "squid"), ("location", "parliament")):
        accepts(start(), placed(0, "vigil", area, at), over(0, [0, 0], [0, 0], [1, 1]))
    done = over(0, [0, 0], [0, 0], [1, 1])
    refuses("must be placed", start(), done)
    refuses("nothing a Sentinel can be placed on", start(), placed(0, "vigil", "court", "vigil"))
    refuses("nothing a Sentinel can be placed on", start(), placed(0, "vigil", "location", "jail"))
    refuses("not in 'court'", start(on("court elder")), placed(0, "vigil", "court", "trader"))
    refuses("no Sentinel of watcher", start({"of": "watcher"}), placed(0, "watcher", "court", "trader"))
    refuses("Nebulis by vigil", start()[:-2], placed(0, "vigil", "court", "elder"))
    nowhere = start(on("court elder"), on("council crab", "lookout"), locations=[])
    accepts(nowhere, done)
    refuses("no Sentinel is placed now", nowhere, placed(0, "vigil", "court", "trader"))


def test_a_waiting_sentinel_is_placed_in_a_later_turn_only() -> None:
    table = {"kraken_holder": 0, "council": {"crab": ["crab 1"], "squid": ["squid 1"]}}
    taken = council(0, "crab", ["crab 1"])
    start = [*sea(*watching({"of": "watcher"}, seat=0), **table), turn(0)]
    accepts(start, placed(0, "watcher", "court", "elder"), taken, over(0, [0, 0], [1, 0], [1, 0]))
    accepts(start, taken, over(0, [0, 0], [1, 0], [1, 0]))
    refuses("no Sentinel of vigil", start, placed(0, "vigil", "court", "elder"))
    refuses("no Sentinel is placed now", start, taken, placed(0, "watcher", "court", "elder"))
    # One that comes back in this turn waits for the next.
    seats = watching(on("court elder"), seat=0)
    seats[0]["lords"].append("opportunist")
    used = [
        ev("use", 0, lord="opportunist"),
        ev("replace", 0, removed="elder", added="jailer", cause="opportunist"),
        back(0),
    ]
    replaced = [*sea(*seats, **table), turn(0), *used]
    refuses("no Sentinel of watcher", replaced, placed(0, "watcher", "court", "jailer"))
    next_turn = [taken, over(0, [0, 0], [1, 0], [1, 0]), turn(1), council(1, "squid", ["squid 1"])]
    done = over(1, [0, 0], [1, 1], [1, 0])
    accepts(replaced, next_turn, done, turn(0, 2), placed(0, "watcher", "court", "jailer"))


def test_nobody_else_takes_what_a_sentinel_reserves() -> None:
    hand = ["seahorse 5", "seahorse 3"]
    court = ["shepherd", "elder", "trader", "miller"]
    theirs = sea(*watching(on("court shepherd"), hand=hand), court=court, kraken_holder=1)
    refuses("reserved by a Sentinel of seat 1", theirs, turn(0), pays(0, "shepherd", hand, 8))
    own = sea(*watching(on("court shepherd"), seat=0, hand=hand), court=court, kraken_holder=0)
    taken = [turn(0), pays(0, "shepherd", hand, 8), affiliates(0, "seahorse 3")]
    done = over(0, [0, 0], [0, 0], [1, 0])
    accepts(own, taken, back(0), done)
    refuses("sentinel_back is missing", own, taken, done)
    refuses("no Sentinel comes back", own, taken, back(0), back(0))

    stacks = {"crab": ["crab 1"], "squid": ["squid 1"]}
    stacked = sea(*watching(on("council crab")), council=stacks, kraken_holder=1)
    refuses("reserved by a Sentinel", stacked, turn(0), council(0, "crab", ["crab 1"]))
    accepts(stacked, turn(0), council(0, "squid", ["squid 1"]), over(0, [0, 0], [1, 0], [0, 1]))
    alchemist = sea(*watching(on("council crab"), lords=["alchemist"]), council=stacks, kraken_holder=1)
    accepts(alchemist, turn(0), council(0, "squid", ["squid 1"]), over(0, [0, 0], [1, 0], [0, 1]))
    oracle = sea(*watching(on("council crab"), lords=["oracle"]), council={"crab": ["crab 1"]}, kraken_holder=1)
    refuses("can do nothing", oracle, turn(0), ev("use", 0, lord="oracle"))

    tiles = sea(
        *watching(on("location parliament"), keys=3), council=stacks, locations=["parliament", "jail"], kraken_holder=1
    )
    begun = [turn(0), council(0, "squid", ["squid 1"])]
    refuses("reserved by a Sentinel", tiles, begun, control(0, "parliament", [], 3))
    accepts(tiles, begun, control(0, "jail", [], 3), over(0, [0, 0], [1, 0], [0, 1]))
    last = [key for key in KRAKEN_BOOK.in_the_box("locations") if key != "parliament"]
    players = watching(on("location parliament"), keys=3)
    players[1]["locations"] = last
    alone = sea(*players, council=stacks, locations=["parliament"], kraken_holder=1)
    accepts(alone, begun, over(0, [0, 0], [1, 0], [0, 1], keys=[3, 0]))


def test_powers_do_not_reach_what_a_sentinel_reserves() -> None:
    hand = ["squid 5", "crab 4", "jellyfish 3"]
    court = ["traitor", "reaper", "slaver", "elder", "trader"]
    seats = watching(on("court reaper"), hand=hand, lords=["miller"])
    start = [
        *sea(*seats, court=court, kraken_holder=1),
        turn(0),
        pays(0, "traitor", hand, 12),
        affiliates(0, "jellyfish 3"),
    ]
    refuses("reserved by a Sentinel", start, take_lord(0, "reaper", "traitor", "miller"))
    accepts(start, take_lord(0, "slaver", "traitor", "miller"))
    seats = watching(on("court elder"), lords=["opportunist"])
    used = [turn(0), ev("use", 0, lord="opportunist")]
    wrong = ev("replace", 0, removed="elder", added="jailer", cause="opportunist")
    refuses("reserved by a Sentinel", sea(*seats, kraken_holder=1), used, wrong)
    tower = watching(on("location depths"), hand=["jellyfish 5", "jellyfish 4", "jellyfish 1"], locations=["jail"])
    court = ["illusionist", "elder", "trader", "miller"]
    begun = [turn(0), pays(0, "illusionist", tower[0]["hand"], 10), affiliates(0, "jellyfish 1")]
    exchange = ev("exchange", 0, gives="jail", takes="depths", cause="illusionist")
    refuses(
        "reserved by a Sentinel",
        sea(*tower, court=court, locations=["depths", "abyss"], kraken_holder=1),
        begun,
        exchange,
    )
    accepts(
        sea(*tower, court=court, locations=["depths"], kraken_holder=1), begun, over(0, [0, 0], [0, 0], [0, 1])
    )


# --- Loot (cases 45 and 47)


def loot(value: int, reward: str = "", tokens: list[int] | None = None, at: str = "megalodon") -> Event:
    pearls, keys = reward.count("P"), reward.count("K")
    return ev("loot", 0, location=at, value=value, pearls=pearls, keys=keys, monster_tokens=tokens or [])


def lost(value: int, at: str = "megalodon") -> Event:
    return ev("loot_lost", 0, location=at, value=value)


STOP = ev("loot_stop", 0, location="megalodon")


def searching(other: dict[str, Any] | None = None, **position: Any) -> list[Event]:
    """Return a turn in which seat 0 has just taken the Megalodon."""
    table = {"council": {"crab": ["crab 1"]}, "locations": ["megalodon"], **position}
    return [*sea({"keys": 3}, other or POOR, **table), *ACTION, control(0, "megalodon", [], 3)]


def test_the_search_of_a_sacred_place() -> None:
    start = searching()
    found = [loot(3, "K"), loot(7), loot(3, "K"), lost(3)]
    accepts(start, found, over(0, [0, 0], [1, 0], keys=[2, 0]))
    accepts(start, found[:2], STOP, over(0, [0, 0], [1, 0], keys=[1, 0]))
    accepts(start, loot(4, "PP"), loot(5, "M", [4]), STOP, over(0, [2, 0], [1, 0], tokens=[1, 0]))
    refuses("searched until it is stopped", start, STOP)
    refuses("searched until it is stopped", start, loot(7), over(0, [0, 0], [1, 0]))
    refuses("searched until it is stopped", start, over(0, [0, 0], [1, 0]))
    refuses("a duplicate", start, found[:3], STOP)
    refuses("a duplicate", start, found[:3], loot(6))
    refuses("value must be 3", start, found[:3], lost(7))
    refuses("no Sacred Place is searched now", start, found, loot(7))
    refuses("this Loot is no duplicate", start, loot(7), lost(7))
    refuses("keys must be 1", start, loot(3))
    refuses("pearls must be 0", start, loot(7, "PP"))
    refuses("1 Monster tokens are drawn", start, loot(5))
    refuses("location must be 'megalodon'", start, loot(7, at="battlefield"))
    refuses("no Loot 8 is left", start, loot(8))
    refuses("no Loot 3 is left", searching(loot_lost=[3, 3, 3]), loot(3, "K"))
    refuses("4 is the top of the Loot deck", searching(loot_deck=[4]), loot(3, "K"))


def test_an_empty_loot_deck_ends_the_search() -> None:
    pile = [value for value, n in KRAKEN_BOOK.loot_pile().items() for _ in range(n)]
    done = over(0, [0, 0], [1, 0])
    accepts(searching(loot_lost=pile), done)
    refuses("no Sacred Place", searching(loot_lost=pile), loot(7))
    pile.remove(7)
    accepts(searching(loot_lost=pile), loot(7), done)
    refuses("turn is over", searching(loot_lost=pile), loot(7), STOP)


def test_loot_without_monster_tokens_left() -> None:
    held = {"monster_tokens": [2] * 9 + [3] * 9 + [4] * 2}
    accepts(searching(held), loot(5), STOP)


def drawn_card(card: str, threat: int) -> Event:
    return ev("loot_draw", 0, card=card, threat=threat)


def test_loot_may_give_the_top_ally() -> None:
    start = searching()
    accepts(start, loot(6), drawn_card("kraken 4", 1), STOP, over(0, [0, 0], [2, 0]))
    accepts(start, loot(6), drawn_card("monster", 2), drawn_card("monster", 3), drawn_card("squid 1", 3), STOP)
    refuses("the top Ally is drawn", start, loot(6), STOP)
    refuses("the top Ally is drawn", start, loot(6), drawn_card("monster", 2), STOP)
    refuses("threat must be 2", start, loot(6), drawn_card("monster", 1))
    refuses("threat must be 1", start, loot(6), drawn_card("squid 1", 2))
    refuses("threat must be 6", searching(threat=6), loot(6), drawn_card("monster", 7))
    refuses("no card is drawn for a Loot", start, loot(7), drawn_card("squid 1", 1))
    refuses("crab 2 is the top", searching(exploration_deck=["crab 2"]), loot(6), drawn_card("crab 3", 1))


def test_the_loot_of_a_second_place_is_counted_by_itself() -> None:
    own = {"keys": 3, "locations": [{"location": "battlefield", "loot": [7, 4]}]}
    start = sea(own, POOR, council={"crab": ["crab 1"]}, locations=["megalodon"])
    begun = [*ACTION, control(0, "megalodon", [], 3)]
    accepts(start, begun, loot(7), STOP)
    refuses("no duplicate", start, begun, loot(7), lost(7))


def test_loot_pearls_are_taxed() -> None:
    start = searching({"lords": ["highwayman"]})
    accepts(start, loot(4, "PP"), tax(1, 0), STOP, over(0, [1, 1], [1, 0]))
    refuses("highwayman taxes 2 Pearls", start, loot(4, "PP"), STOP)


def exchanging(**position: Any) -> list[Event]:
    hand = ["jellyfish 5", "jellyfish 4", "jellyfish 1"]
    own = {"hand": hand, "locations": [{"location": "megalodon", "lords": ["keeper"], "loot": [7, 3]}]}
    table = {"court": ["illusionist", "elder", "trader", "miller"], "locations": ["jail"], **position}
    begun = [turn(0), pays(0, "illusionist", hand, 10), affiliates(0, "jellyfish 1")]
    takes = table["locations"][0]
    exchange = ev("exchange", 0, gives="megalodon", takes=takes, cause="illusionist")
    return [*sea(own, POOR, **table), *begun, exchange]


def test_loot_on_a_location_given_up_is_lost() -> None:
    gone, done = ev("loot_gone", 0, location="megalodon"), over(0, [0, 0], [0, 0])
    accepts(exchanging(), gone, done)
    refuses("Loot on a Location given up", exchanging(), done)
    stays = exchanging(rulings={"loot_stays": True})
    accepts(stays, done)
    refuses("no Loot is given up", stays, gone)
    other = exchanging(locations=["battlefield"])
    found = [loot(7, at="battlefield"), STOP | {"location": "battlefield"}]
    accepts(other, gone, found, done)
    refuses("searched until", other, gone, done)
    # What stays is there for the next owner, and a like of it is a duplicate.
    again = exchanging(rulings={"loot_stays": True}, council={"crab": ["crab 1"]})
    again[1]["position"]["player"][1] = {"keys": 3}
    taken = [done | {"key_tokens": [0, 3]}, turn(1), council(1, "crab", ["crab 1"]), control(1, "megalodon", [], 3)]
    seven = loot(7) | {"seat": 1}
    accepts(again, taken, seven, lost(7) | {"seat": 1}, over(1, [0, 0], [0, 1]))
    refuses("a duplicate", again, taken, seven, STOP | {"seat": 1})


def test_an_ambassador_may_find_a_sacred_place() -> None:
    hand = ["jellyfish 3", "crab 2", "seahorse 2", "shellfish 2", "squid 1"]
    start = sea({"hand": hand}, POOR, court=["hermit", "trader", "miller", "reaper"])
    begun = [
        turn(0),
        pays(0, "hermit", hand, 10),
        affiliates(0, "squid 1"),
        drawn(0, ["megalodon"], "megalodon", "hermit"),
        control(0, "megalodon", ["hermit"], source="drawn", cause="hermit"),
    ]
    accepts(start, begun, loot(7), STOP, over(0, [0, 0], [0, 0]))
    refuses("searched until", start, begun, over(0, [0, 0], [0, 0]))


# --- Krakens left over, discarded, and in hand at the end


def test_krakens_left_on_the_track() -> None:
    lines = [
        turn(0),
        ev("explore", 0),
        reveal(0, "kraken 2", 1),
        reveal(0, "crab 1", 2),
        reveal(0, "kraken 4", 3),
        reveal(0, "squid 1", 4),
        take(0, "squid 1", 4),
        leftovers(0, ["crab 1"]),
    ]
    sent = [
        ev("kraken_to_council", 0, card="kraken 2", race="squid"),
        ev("kraken_to_council", 0, card="kraken 4", race="jellyfish"),
    ]
    start = sea(POOR, POOR)
    accepts(start, lines, sent, over(0, [0, 0], [1, 0]))
    refuses("card must be 'kraken 2'", start, lines, sent[1])
    refuses("kraken 4 goes to a stack", start, lines, sent[0], over(0, [0, 0], [1, 0]))
    taken = [*sent, over(0, [0, 0], [1, 0]), turn(1), council(1, "squid", ["kraken 2"])]
    accepts(start, lines, taken, over(1, [0, 0], [1, 1]))
    # The Ship Master is paid for the crab alone.
    master = sea({"lords": ["ship_master"]}, POOR)
    accepts(master, lines, sent, gain(0, 1, "ship_master"), over(0, [1, 0], [1, 0]))
    refuses("the Pearls due here are", master, lines, sent, gain(0, 3, "ship_master"))


def test_krakens_discarded_give_nothing_but_by_a_ruling() -> None:
    own = {"hand": ["kraken 3"], "lords": ["slaver"]}
    used = [turn(0), ev("use", 0, lord="slaver"), discard(0, "kraken 3", "slaver")]
    paid = gain(0, 2, "slaver")
    accepts(sea(own, POOR), used, paid, ev("explore", 0))
    refuses("gain of seat 0", sea(own, POOR), used, nebulis(0, 2, "action"))
    ruled = sea(own, POOR, rulings={"nebulis_on_any_discard": True})
    accepts(ruled, used, nebulis(0, 2, "action"), figure(0), paid, ev("explore", 0))
    refuses("Nebulis by action", ruled, used, paid)


def test_krakens_and_the_hand_limit() -> None:
    def start(*hand: str, pearls: int = 0) -> list[Event]:
        table = {"council": {"crab": ["crab 1"]}, "changes": {"game.hand_limit": 2}}
        return [*sea({"hand": list(hand), "pearls": pearls}, POOR, **table), *ACTION]

    cut = discard(0, "crab 1", "hand_limit")
    accepts(start("kraken 2", "kraken 3"), cut, over(0, [0, 0], [2, 0]))
    refuses("a Kraken is not discarded", start("kraken 2", "kraken 3"), discard(0, "kraken 2", "hand_limit"))
    refuses("by hand_limit", start("kraken 2", "kraken 3"), over(0, [0, 0], [3, 0]))
    three = start("kraken 2", "kraken 3", "kraken 4")
    accepts(three, cut, over(0, [0, 0], [3, 0]))
    paid = start("kraken 2", "kraken 3", "kraken 4", pearls=1)
    accepts(paid, cut, discard(0, None, "hand_limit", pearls=1), over(0, [0, 0], [3, 0]))
    refuses("by hand_limit", paid, cut, over(0, [1, 0], [3, 0]))


def ending(*players: dict[str, Any], **position: Any) -> list[Event]:
    """Return a game in which seat 0 has had the last turn, up to the final affiliations."""
    table = {"ended_by": 1, "council": {"squid": ["squid 1"]}, **position}
    hands = [len(player.get("hand", [])) + (seat == 0) for seat, player in enumerate(players)]
    held = [player.get("nebulis", 0) for player in players]
    lines = [turn(0), council(0, "squid", ["squid 1"]), over(0, [0] * len(players), hands, held)]
    for seat, player in enumerate(players):
        own = ["squid 1"] if seat == 0 else []
        lines.append(ev("final_affiliation", seat, affiliated=own, discarded=player.get("hand", [])))
    return [*sea(*players, **table), *lines]


def total(start: list[Event], *lines: Event, parts: list[dict[str, int]]) -> None:
    """Check that a game ends with these lines and scores."""
    best = max(part["total"] for part in parts)
    winners_now = [seat for seat, part in enumerate(parts) if part["total"] == best]
    record = [*start, *lines, ev("score", players=parts, winners=winners_now)]
    assert referee(record, KRAKEN_RULES).scores == parts


def test_krakens_in_hand_at_the_end() -> None:
    own = {"hand": ["kraken 4", "kraken 2"]}
    gained = nebulis(1, 4, "krakens_in_hand")
    start = ending(POOR, own)
    total(start, gained, figure(1), parts=[points(allies=1), points(nebulis=-4, kraken=-5)])
    refuses("Nebulis by krakens_in_hand", start, ev("score", players=[], winners=[]))
    free = ending(POOR, {**own, "lords": ["cleaner"]})
    total(free, parts=[points(allies=1), points(lords=7)])
    refuses("score must come here", free, gained)
    covered = ending(POOR, {**own, "locations": [{"location": "black_smokers", "lords": ["cleaner"]}]})
    total(covered, gained, figure(1), parts=[points(allies=1), points(lords=7, nebulis=-4, kraken=-5)])


def test_all_hands_are_one_event() -> None:
    two, three = {"hand": ["kraken 2"], "nebulis": 2}, {"hand": ["kraken 3"], "nebulis": 1}
    both = [nebulis(1, 1, "krakens_in_hand"), nebulis(0, 2, "krakens_in_hand")]
    start = ending(three, two, kraken_holder=1)
    result = [points(allies=1, nebulis=-3, kraken=-5), points(nebulis=-3)]
    total(start, *both, figure(0), parts=result)
    total(start, *both[::-1], figure(0), parts=result)
    alike = ending({"nebulis": 1}, {"hand": ["kraken 3"]}, {"hand": ["kraken 3"]}, kraken_holder=0)
    gained = [nebulis(1, 2, "krakens_in_hand"), nebulis(2, 2, "krakens_in_hand")]
    for taker in (1, 2):
        result = [points(allies=1, nebulis=-1), points(nebulis=-2), points(nebulis=-2)]
        result[taker] = points(nebulis=-2, kraken=-5)
        total(alike, *gained, figure(taker), parts=result)
    refuses("goes to one of [1, 2]", alike, gained, figure(0))


def test_the_figure_from_the_supply_at_the_end() -> None:
    one = {"hand": ["kraken 3"]}
    start = ending(one, one, {"hand": ["kraken 3"]})
    gained = [nebulis(seat, 2, "krakens_in_hand") for seat in range(3)]
    accepts(start, gained, figure(2))
    refuses("goes to one of [2]", start, gained, figure(0))
    two = ending(one, one, POOR)
    accepts(two, gained[:2], figure(0))
    refuses("goes to one of [0]", two, gained[:2], figure(1))
    most = ending({"hand": ["kraken 2"]}, {"hand": ["kraken 4"]}, POOR)
    accepts(most, nebulis(0, 1, "krakens_in_hand"), nebulis(1, 3, "krakens_in_hand"), figure(1))


# --- Scoring of the expansion


def sea_score(*seats: Seat, figure: int | None = None, **rulings: bool) -> list[dict[str, int]]:
    rules = with_changes(KRAKEN_RULES, {f"rulings.{name}": value for name, value in rulings.items()})
    return score(rules, seats, figure)[0]


def test_scores_of_the_expansion() -> None:
    own = board("grower fence", "crab 4, crab 1, squid 2", "megalodon gambling_den krakens_lair abyss", (3,))
    own.locations[0].lords = [OwnLord("outlaw"), OwnLord("ferryman")]
    own.locations[0].loot = [7, 4]
    own.nebulis = 2
    parts = sea_score(own, board("inheritor"), figure=0)
    den, lair, abyss = 5 + 2 * 3, 15 - 3 * 2, 2 * 2
    assert parts[0] == points(
        locations=den + lair + abyss, loot=11, lords=26, allies=6, monster_tokens=3, nebulis=-2, kraken=-5
    )
    assert parts[1] == points(lords=7)


def test_the_lair_and_the_mirrors_under_rulings() -> None:
    lair = board(locations="krakens_lair")
    lair.nebulis = 6
    assert sea_score(lair)[0]["locations"] == -3
    assert sea_score(lair, floor0=True)[0]["locations"] == 0
    sacred = board(locations="megalodon parliament")
    sacred.locations[0].loot = [7, 6]
    mirrors = board(locations="city_of_mirrors")
    assert sea_score(mirrors, sacred)[0] == points(locations=13)
    assert sea_score(mirrors, sacred, no_loot=True)[0] == points(locations=6)
    copied = sea_score(mirrors, lair)
    assert copied[0] == points(locations=15)
