"""The shape of everything the compiled core works on: one aligned record each for rules, players, game and desk.

Records are elements of one-element structured arrays seen as ``np.recarray``, so that ``game.players[seat].pearls``
means the same to numba and to plain Python. Sizes are fixed maxima; the loader refuses rules that exceed them.
Counters are at least 16 bits wide (8-bit ones overflowed) and flags are int8 (boolean sub-arrays crash numba).

What no seat may see is in these records too (decks, stacks, hands): nothing hidden lives in a local variable while a
seat is asked, so that a stopped game can be copied, scrambled and dealt again.
"""

from typing import Any

import numpy as np

from abysssim.vocabulary import Count, Decision, Power, Purpose, Verb

MAX_SEATS = 5
RACES = 5
MAX_VALUE = 5
VALUES = MAX_VALUE + 1  # Allies are counted by [Race, value]; index 0 of the value is unused
MAX_LORDS = 64
MAX_LOCATIONS = 32
MAX_PLAYER_LORDS = 32
MAX_COURT = 12
MAX_TRACK = 12
MAX_CARDS = 160  # Exploration cards
MAX_TOKENS = 64
TOKEN_VALUES = 10  # Monster tokens are counted by value, 0 to 9
MAX_SPACES = 10  # of the threat track
MAX_REWARDS = 6  # on one space
MAX_OPTIONS = 64
MAX_CHOICES = 8192
MAX_LOG = 16384
WEIGHTS = 128
MEMO = 192
MONSTER = 15  # as the Race of an Exploration card
CARD_STEP = 8  # a card is Race * CARD_STEP + value


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype(list(fields), align=True)


LORD = _record(
    ("entity", "i8"),  # stable number of the card in deck orders, from its key
    ("guild", "i4"),
    ("race", "i4"),  # demanded, -1 for none
    ("points", "i4"),
    ("keys", "i4"),
    ("cost", "i4"),
    ("races", "i4"),  # how many different Races a payment has
    ("timing", "i4"),
    ("power", "i4"),
    ("amount", "i4"),
    ("in_game", "i4"),
)

LOCATION = _record(
    ("entity", "i8"),
    ("base", "i4"),
    ("each", "i4"),
    ("per", "i4"),
    ("of", "i4"),  # a guild or a Race, -1 for none
    ("max", "i4"),  # the most it can be worth, 32767 where nothing is printed
    ("power", "i4"),
    ("in_game", "i4"),
)

REWARD = _record(("pearls", "i4"), ("keys", "i4"), ("monster_tokens", "i4"))

RULES = _record(
    *[
        (name, "i4")
        for name in (
            "start_pearls lords_to_end court_slots explore_slots last_slot_pearls refill_when_lords_left "
            "refill_pearls keys_per_location max_location_draw purchase_price_first purchase_price_step "
            "purchases_per_opponent plot_cost key_tokens monster_cards hand_limit stalemate_rounds "
            # rulings: 1 where the named alternative is played
            "keys_binding equal_turns end_on_empty_deck no_extra_after_trigger allow_overpay refill_before_power "
            "commander_on_purchase ambassador_keyless turned_vp_only into_deck count_at_turn_end "
            "lord_count location_count spaces"
        ).split()
    ],
    ("ally_copies", "i4", (RACES, VALUES)),
    ("token_copies", "i4", (TOKEN_VALUES,)),
    ("reward_count", "i4", (MAX_SPACES,)),
    ("rewards", REWARD, (MAX_SPACES, MAX_REWARDS)),
    ("lords", LORD, (MAX_LORDS,)),
    ("locations", LOCATION, (MAX_LOCATIONS,)),
)

OPTION = _record(("verb", "i4"), ("card", "i4"), ("target", "i4"), ("amount", "i4"))

HELD_LORD = _record(
    ("lord", "i4"),
    ("location", "i4"),  # the Location it lies under (a Location's number), -1 if it is free
    ("turned", "i4"),
    ("used", "i4"),  # its once-per-turn power, this turn
)

PLAYER = _record(
    ("pearls", "i4"),
    ("key_tokens", "i4"),
    ("hand_size", "i4"),
    ("hand", "i4", (RACES, VALUES)),
    ("race_count", "i4", (RACES,)),  # cards of each Race in hand
    ("race_total", "i4", (RACES,)),  # their total value
    ("affiliated", "i4", (RACES, VALUES)),
    ("monster_token_count", "i4"),
    ("monster_tokens", "i4", (TOKEN_VALUES,)),  # by value; hidden from the others
    ("lord_count", "i4"),
    ("lords", HELD_LORD, (MAX_PLAYER_LORDS,)),  # in the order recruited
    ("location_count", "i4"),
    ("locations", "i4", (MAX_LOCATIONS,)),  # in the order taken
    ("power_count", "i4", (len(Power),)),  # free, unturned Lords with each lasting power
    ("power_amount", "i4", (len(Power),)),  # and the sum of their amounts
    ("limit", "i4"),  # hand limit that this seat's Lords put on the others, 0 for none
    ("bought", "i4"),  # purchases in the exploration under way
    ("turns", "i4"),  # own turns begun
    ("extra_turns", "i4"),  # still to come
    ("asked", "i4"),  # decisions in this turn (anyone's), keys the randomness of policies
    ("bar_known", "i1", (MAX_LORDS,)),  # barred Lords that this seat has already missed
    ("took", "i8"),  # bit mask: Lords taken by a choice of its own
    ("took_turn", "i2", (MAX_LORDS,)),  # own turn in which each was taken
    ("counts", "i4", (len(Count),)),
    ("memo", "i4", (MEMO,)),  # scratch of the policy
)

PAYMENT = _record(
    ("lord", "i4"),
    ("cost", "i4"),
    ("races", "i4"),  # different Races a payment must have
    ("race", "i4"),  # the Race demanded, -1 for none
    ("total", "i4"),  # value paid so far
    ("races_paid", "i4"),
    ("last_race", "i4"),  # the last card paid
    ("last_value", "i4"),
    ("bound", "i4"),  # lowest card paid in a Race with two or more cards, 99 for none
    ("paid", "i4", (RACES, VALUES)),
)

GAME = _record(
    ("number", "i8"),  # of the game under its seed
    ("seed_low", "i8"),
    ("seed_high", "i8"),
    ("seats", "i4"),
    ("seat", "i4"),  # whose turn it is
    ("turn", "i4"),  # turns begun by all seats
    ("decisions", "i4"),
    ("threat", "i4"),  # space of the token, from 0
    ("court_count", "i4"),
    ("court", "i4", (MAX_COURT,)),  # from the space farthest from the deck
    ("court_version", "i4"),  # changes whenever the Court does
    ("lord_deck_count", "i4"),
    ("lord_deck", "i4", (MAX_LORDS,)),  # the top is the last
    ("location_deck_count", "i4"),
    ("location_deck", "i4", (MAX_LOCATIONS,)),
    ("location_shuffles", "i4"),
    ("open_count", "i4"),
    ("open_locations", "i4", (MAX_LOCATIONS,)),  # face up, the longest there first
    ("drawn_count", "i4"),
    ("drawn", "i4", (MAX_LOCATIONS,)),  # tiles in the hand of a seat that must keep one
    ("deck_count", "i4"),
    ("deck", "i4", (MAX_CARDS,)),  # Exploration cards
    ("shuffles", "i4"),
    ("discard_count", "i4"),
    ("discard", "i4", (RACES, VALUES)),
    ("discard_monsters", "i4"),
    ("council", "i4", (RACES, VALUES)),  # the cards of each stack
    ("council_size", "i4", (RACES,)),
    ("track_count", "i4"),
    ("track", "i4", (MAX_TRACK,)),
    ("purchases", "i4"),  # in the exploration under way
    ("token_count", "i4"),
    ("tokens", "i4", (MAX_TOKENS,)),  # the pile of Monster tokens
    ("steals", "i4"),  # keys the random draws of stolen tokens
    ("payment", PAYMENT),
    ("key_sum", "i4"),  # Keys given up so far for a Location
    ("key_least", "i4"),  # the smallest of them
    ("key_last", "i4"),  # the last Lord among them, by its place
    ("key_tokens", "i4"),
    ("key_chosen", "i1", (MAX_PLAYER_LORDS,)),
    ("cause", "i4"),  # whose power is resolved, for the decision under way
    ("end_trigger", "i4"),
    ("ended_by", "i4"),
    ("turns_left", "i4"),  # turns until the end, once it is triggered; -1 before
    ("last_recruitment", "i4"),  # turn of it
    ("finished", "i4"),
    ("extra", "i4"),  # this is an extra turn
    ("decision", "i4"),
    ("decider", "i4"),
    ("option_count", "i4"),
    ("options", OPTION, (MAX_OPTIONS,)),
    ("scratch", "u8", (MAX_CARDS,)),  # for sorting deck orders
    ("players", PLAYER, (MAX_SEATS,)),
)

POLICY = _record(("kind", "i4"), ("noise", "i4"), ("weights", "i4", (WEIGHTS,)))

ENTRY = _record(("event", "i4"), ("seat", "i4"), ("a", "i4"), ("b", "i4"), ("c", "i4"), ("d", "i4"))

# Everything around one game: who plays, what is forced, what is barred, and what is written down.
DESK = _record(
    ("lineup", "i4", (MAX_SEATS,)),  # index of each seat's policy
    ("policies", POLICY, (MAX_SEATS,)),
    ("bars", "i1", (MAX_SEATS, MAX_LORDS)),  # 1: this seat may not take this Lord
    ("from_position", "i4"),  # 1: the game starts from positions[0], at the start of a turn
    ("stepping", "i4"),  # 1: stop where the forced choices run out
    ("stop_at_turn_end", "i4"),  # 1: or at the end of that turn, if that comes first
    ("halted", "i4"),
    ("recording", "i4"),
    ("forced_count", "i4"),
    ("log_count", "i4"),
    ("error", "i4"),
    ("asked", "i8", (len(Decision),)),  # decisions asked, over all games since the desk was cleared
    ("picked", "i8", (len(Decision), len(Verb))),
    ("positions", GAME, (2,)),  # [0] where a game starts, [1] where it was stopped
    ("forced", "i4", (MAX_CHOICES,)),
    ("chosen", "i4", (MAX_CHOICES,)),
    ("log", ENTRY, (MAX_LOG,)),
)

# One game to be played: which deal, which rotation of the line-up, which Lord is barred for which seat.
TASK = _record(("game", "i8"), ("rotation", "i4"), ("bar_seat", "i4"), ("bar_lord", "i4"))

# What is kept of one seat of one game. Shares and margins are stored times 12, so that thirds and quarters are exact.
ROW = _record(
    ("game", "i8"),
    ("took", "i8"),  # bit mask: Lords taken by choice
    ("held", "i8"),  # bit mask: Lords at the end
    ("locations_held", "i8"),  # bit mask: Locations at the end
    ("rotation", "i4"),
    ("seat", "i4"),
    ("policy", "i4"),  # index in the line-up
    ("win12", "i4"),
    ("margin12", "i4"),
    ("total", "i4"),
    ("locations", "i4"),
    ("lords", "i4"),
    ("allies", "i4"),
    ("monster_tokens", "i4"),
    ("pearls", "i4"),
    ("turns", "i4"),  # own
    ("game_turns", "i4"),
    ("decisions", "i4"),  # of the game
    ("end_trigger", "i4"),
    ("ended_by", "i4"),
    ("bar_bit", "i4"),  # 1 if a barred Lord was ever missed
    ("counts", "i4", (len(Count),)),
    ("took_turn", "i2", (MAX_LORDS,)),
)

FIRST_ENTITY = 1 << 24
assert max(Purpose) < FIRST_ENTITY


def new(dtype: np.dtype[Any], count: int = 1) -> Any:
    """Return `count` cleared records of `dtype` as a ``np.recarray`` of shape (count,)."""
    return np.zeros(count, dtype).view(np.recarray)
