"""The shape of everything the compiled core works on: one aligned record each for rules, players, game and desk.

Records are elements of one-element structured arrays seen as ``np.recarray``, so that ``game.players[seat].pearls``
means the same to numba and to plain Python. Sizes are fixed maxima; the loader refuses rules that exceed them.
What the rules compute with is int64, so that a helper is compiled for one type and not once for each mix of widths;
flags are int8 (boolean sub-arrays crash numba); what is only written down (log, rows) is narrower.

What no seat may see is in these records too (decks, stacks, hands): nothing hidden lives in a local variable while a
seat is asked, so that a stopped game can be copied, scrambled and dealt again.
"""

from typing import Any

import numpy as np

from abysssim.vocabulary import LASTING_POWERS, Count, Decision, Purpose, Verb

MAX_SEATS = 5
RACES = 5
MAX_VALUE = 5
VALUES = MAX_VALUE + 1  # Allies are counted by [Race, value]; index 0 of the value is unused
KRAKEN = RACES  # stands for the Race of a Kraken, which is none and any
KINDS = RACES + 1
AREAS = 3  # where a Sentinel can stand (vocabulary.Area)
LOOT_VALUES = 10  # Loot is counted by value, 0 to 9
MAX_LOOT = 64
MAX_SUM = 62  # sums of cards are bits of an int64
MAX_LORDS = 64
MAX_LOCATIONS = 32
MAX_PLAYER_LORDS = 32
MAX_COURT = 12
MAX_TRACK = 12
MAX_CARDS = 160  # Exploration cards
COPIES_PUT = 3  # copies of an Ally that are written down before a shuffle whether they exist or not
MAX_TOKENS = 64
TOKEN_VALUES = 10  # Monster tokens are counted by value, 0 to 9
MAX_SPACES = 10  # of the threat track
MAX_REWARDS = 6  # on one space
MAX_OPTIONS = 64
MAX_CHOICES = 16384
MAX_LOG = 65536
MAX_SEARCHES = 1 << 14
LEFT_BITS = 6  # of the copies left of one value, in SEARCH.left
WEIGHTS = 192
TABLES = 864
MEMO = 80
BUCKET_BITS = 7  # of a sort key, for shuffling
BUCKETS = 1 << BUCKET_BITS
MONSTER = 15  # as the Race of an Exploration card
CARD_BITS = 3
CARD_STEP = 1 << CARD_BITS  # a card is Race * CARD_STEP + value


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype(list(fields), align=True)


LORD = _record(
    ("entity", "i8"),  # stable number of the card in deck orders, from its key
    ("guild", "i8"),
    ("race", "i8"),  # demanded, -1 for none
    ("points", "i8"),
    ("keys", "i8"),
    ("cost", "i8"),
    ("races", "i8"),  # how many different Races a payment has
    ("timing", "i8"),
    ("power", "i8"),
    ("amount", "i8"),
    ("in_game", "i8"),
)

LOCATION = _record(
    ("entity", "i8"),
    ("points", "i8"),  # for itself
    ("each", "i8"),
    ("per", "i8"),
    ("of", "i8"),  # a guild or a Race, -1 for none
    ("most", "i8"),  # the most it can be worth, 32767 where nothing is printed
    ("power", "i8"),
    ("sacred", "i8"),  # 1: taking it opens the Loot deck
    ("in_game", "i8"),
)

REWARD = _record(("pearls", "i8"), ("keys", "i8"), ("monster_tokens", "i8"), ("allies", "i8"))

RULES = _record(
    *[
        (name, "i8")
        for name in (  # noqa: SIM905 - a table of words reads better than a column of strings
            "start_pearls lords_to_end court_slots explore_slots last_slot_pearls refill_when_lords_left "
            "refill_pearls keys_per_location max_location_draw purchase_price_first purchase_price_step "
            "purchases_per_opponent plot_cost key_tokens monster_cards hand_limit stalemate_rounds "
            # rulings: 1 where the named alternative is played
            "keys_binding equal_turns end_on_empty_deck no_extra_after_trigger allow_overpay refill_before_power "
            "commander_on_purchase ambassador_keyless turned_vp_only into_deck count_at_turn_end "
            "figure_recheck nebulis_on_any_discard only_paid keys_reusable loot_stays no_loot floor0 "
            # the Kraken expansion; kraken is 1 where it is played
            "kraken nebulis_points figure_points max_nebulis_per_payment "
            "lord_count location_count spaces"
        ).split()
    ],
    ("ally_copies", "i8", (RACES, VALUES)),
    ("kraken_copies", "i8", (VALUES,)),
    ("kraken_nebulis", "i8", (VALUES,)),  # that a Kraken of each value gives
    ("loot_copies", "i8", (LOOT_VALUES,)),
    ("loot_rewards", REWARD, (LOOT_VALUES,)),
    ("token_copies", "i8", (TOKEN_VALUES,)),
    ("reward_count", "i8", (MAX_SPACES,)),
    ("rewards", REWARD, (MAX_SPACES, MAX_REWARDS)),
    ("lords", LORD, (MAX_LORDS,)),
    ("locations", LOCATION, (MAX_LOCATIONS,)),
)

OPTION = _record(("verb", "i8"), ("card", "i8"), ("target", "i8"), ("amount", "i8"))

HELD_LORD = _record(
    ("lord", "i8"),
    ("location", "i8"),  # the Location it lies under (a Location's number), -1 if it is free
    ("turned", "i1"),
    ("used", "i1"),  # its once-per-turn power, this turn
    ("spent", "i1"),  # 1: its Keys are spent for good (an Ambassador that was freed)
)

PLAYER = _record(
    ("pearls", "i8"),
    ("nebulis", "i8"),
    ("key_tokens", "i8"),
    ("hand_size", "i8"),
    ("hand_version", "i8"),  # changes whenever the hand does
    ("hand", "i8", (KINDS, VALUES)),
    ("race_count", "i8", (KINDS,)),  # cards of each Race in hand
    ("race_total", "i8", (KINDS,)),  # their total value
    ("affiliated", "i8", (RACES, VALUES)),
    ("monster_token_count", "i8"),
    ("monster_tokens", "i8", (TOKEN_VALUES,)),  # by value; hidden from the others
    ("lord_count", "i8"),
    ("lords", HELD_LORD, (MAX_PLAYER_LORDS,)),  # in the order recruited
    ("location_count", "i8"),
    ("locations", "i8", (MAX_LOCATIONS,)),  # in the order taken
    ("power_count", "i8", (LASTING_POWERS,)),  # free, unturned Lords with each lasting power
    ("power_amount", "i8", (LASTING_POWERS,)),  # and the sum of their amounts
    ("soldier_amount", "i8", (LASTING_POWERS,)),  # of it, what the Soldiers among them give (the Shaman blocks that)
    ("turn_powers", "i8"),  # free, unturned Lords with a once-per-turn power
    ("lord_keys", "i8"),  # Keys of the free, unturned Lords
    ("sentinels", "i8"),  # bit mask: Lords whose Sentinels wait in front of the seat, to be placed
    ("sentinels_back", "i8"),  # likewise, those that came back in this turn: they rest until the next
    ("bought", "i8"),  # purchases in the exploration under way
    ("turns", "i8"),  # own turns begun
    ("extra_turns", "i8"),  # still to come
    ("asked", "i8"),  # decisions in this turn (anyone's), keys the randomness of policies
    ("bar_known", "i1", (MAX_LORDS,)),  # barred Lords that this seat has already missed
    ("took", "i8"),  # bit mask: Lords taken by a choice of its own
    ("took_turn", "i2", (MAX_LORDS,)),  # own turn in which each was taken
    ("took_locations", "i8"),  # bit mask: Locations taken where there was a choice
    ("missed_locations", "i8"),  # bit mask: barred Locations that this seat has wanted
    ("counts", "i8", (len(Count),)),
    ("memo", "i8", (MEMO,)),  # scratch of the policy
)

PAYMENT = _record(
    ("lord", "i8"),
    ("cost", "i8"),
    ("races", "i8"),  # different Races a payment must have
    ("race", "i8"),  # the Race demanded, -1 for none
    ("purse", "i8"),  # the most that Pearls and Nebulis can add
    ("total", "i8"),  # value paid so far
    ("races_paid", "i8"),
    ("krakens_paid", "i8"),
    ("last_race", "i8"),  # the last card paid
    ("last_value", "i8"),
    ("bound", "i8"),  # lowest card paid in a Race with two or more cards, 99 for none
    ("paid", "i8", (KINDS, VALUES)),
    ("rest", "i8", (RACES, VALUES)),  # of each card offered: the total of the cards of its Race from it on
    ("lowest", "i8"),  # lowest card paid
    ("kind_count", "i8"),
    ("kind_race", "i8", (KINDS * MAX_VALUE + 1,)),  # the different cards paid, in the order paid
    ("kind_value", "i8", (KINDS * MAX_VALUE + 1,)),
    ("most", "i8", (RACES + 1, RACES)),  # [first, number] most that so many Races from one on can add, below 0 if none
    ("most_free", "i8", (RACES + 1, RACES)),  # likewise, whether or not the demanded Race is among them
    ("kraken_sums", "i8", (KINDS + 1,)),  # sums (as bits) that so many Krakens or more can add
    # Scratch of the policy's planner, [lowest card, Race]: totals that the Race can pay (as bits), the most of them.
    ("plan_sums", "i8", (VALUES, RACES)),
    ("plan_most", "i8", (VALUES, RACES)),
)

GAME = _record(
    ("number", "i8"),  # of the game under its seed
    ("seed_low", "i8"),
    ("seed_high", "i8"),
    ("seats", "i8"),
    ("seat", "i8"),  # whose turn it is
    ("turn", "i8"),  # turns begun by all seats
    ("decisions", "i8"),
    ("threat", "i8"),  # space of the token, from 0
    ("power_count", "i8", (LASTING_POWERS,)),  # these three as every PLAYER has them, over all seats
    ("power_amount", "i8", (LASTING_POWERS,)),
    ("soldier_amount", "i8", (LASTING_POWERS,)),
    ("court_count", "i8"),
    ("court", "i8", (MAX_COURT,)),  # from the space farthest from the deck
    ("lords_version", "i8"),  # changes whenever a Lord moves, is turned or is barred
    ("lord_deck_count", "i8"),
    ("lord_deck", "i8", (MAX_LORDS,)),  # the top is the last
    ("location_deck_count", "i8"),
    ("location_deck", "i8", (MAX_LOCATIONS,)),
    ("location_shuffles", "i8"),
    ("open_count", "i8"),
    ("open_locations", "i8", (MAX_LOCATIONS,)),  # face up, the longest there first
    ("drawn_count", "i8"),
    ("drawn", "i8", (MAX_LOCATIONS,)),  # tiles in the hand of a seat that must keep one
    ("deck_count", "i8"),
    ("deck", "i8", (MAX_CARDS,)),  # Exploration cards
    ("shuffles", "i8"),
    ("discard_count", "i8"),
    ("discard", "i8", (KINDS, VALUES)),
    ("discard_monsters", "i8"),
    ("council", "i8", (RACES, VALUES)),  # the cards of each stack, Krakens apart
    ("council_krakens", "i8", (RACES, VALUES)),  # the Krakens in each stack
    ("council_size", "i8", (RACES,)),
    ("kraken_holder", "i8"),  # the seat with the Kraken figure, -1 for nobody
    ("nebulis_before", "i8", (MAX_SEATS,)),  # before the event under way, as far as the figure is concerned
    ("reserved_for", "i8", (AREAS,)),  # 1 + the seat whose Sentinel stands in an area, 0 for none
    ("reserved_item", "i8", (AREAS,)),  # the Lord, Race or Location that it stands on
    ("sentinel_of", "i8", (AREAS,)),  # the Lord that it belongs to
    ("loot_deck_count", "i8"),
    ("loot_deck", "i8", (MAX_LOOT,)),
    ("loot", "i8", (MAX_LOCATIONS,)),  # bit mask: values of the Loot on each Location
    ("loot_lost", "i8", (LOOT_VALUES,)),  # Loot out of the game, by value
    ("searched", "i8"),  # the Location whose search is under way
    ("track_count", "i8"),
    ("track", "i8", (MAX_TRACK,)),
    ("purchases", "i8"),  # in the exploration under way
    ("token_count", "i8"),
    ("tokens", "i8", (MAX_TOKENS,)),  # the pile of Monster tokens
    ("steals", "i8"),  # keys the random draws of stolen tokens
    ("payment", PAYMENT),
    ("key_sum", "i8"),  # Keys given up so far for a Location
    ("key_least", "i8"),  # the smallest of them
    ("key_last", "i8"),  # the last Lord among them, by its place
    ("key_tokens", "i8"),
    ("key_chosen", "i1", (MAX_PLAYER_LORDS,)),
    ("cause", "i8"),  # whose power is resolved, for the decision under way
    ("end_trigger", "i8"),
    ("ended_by", "i8"),
    ("turns_left", "i8"),  # turns until the end, once it is triggered; -1 before
    ("last_recruitment", "i8"),  # turn of it
    ("gift_keys", "i8"),  # Keys that the seat had when its gift came, -1 if it did not
    ("gift_lords", "i8"),  # the most Lords that a seat had then
    ("gift_tokens", "i8"),  # Monster tokens in the pile then
    ("finished", "i8"),
    ("extra", "i8"),  # this is an extra turn
    ("decision", "i8"),
    ("decider", "i8"),
    ("barred", "i8"),  # options that the seat may not take, before it is asked; -1 if it wanted one of them
    ("option_count", "i8"),
    ("options", OPTION, (MAX_OPTIONS,)),
    ("keys", "u8", (MAX_CARDS + COPIES_PUT,)),  # of the cards that are shuffled
    ("dealt", "u8", (MAX_CARDS,)),  # these keys, dealt out by their highest bits
    ("starts", "i8", (BUCKETS,)),  # where the keys of each bucket begin
    ("richest", "i8", (RACES + 1,)),  # total of the richest n Races in that hand, below 0 if there are fewer
    ("reach", "i8", (RACES + 1,)),  # sums that a payment can reach, as bits, by the number of Races
    ("kraken_reach", "i8", (KINDS + 1,)),  # sums of so many Krakens, as bits
    ("players", PLAYER, (MAX_SEATS,)),
)

POLICY = _record(
    ("kind", "i8"),
    ("noise", "i8"),
    ("weights", "i8", (WEIGHTS,)),
    ("tables", "i8", (TABLES,)),  # what it makes of the rules before the first game
)

ENTRY = _record(("event", "i4"), ("seat", "i4"), ("a", "i4"), ("b", "i4"), ("c", "i4"), ("d", "i4"))

# One search of a Sacred Place, for studies: how it began, and what was drawn.
SEARCH = _record(
    ("left", "i8"),  # copies of each value in the Loot deck at its start, LEFT_BITS bits each
    ("task", "i4"),  # number of the game in its batch
    ("seat", "i4"),
    ("location", "i4"),
    ("keys", "i4"),  # usable Keys of the seat at the start
    ("lords", "i4"),  # the most Lords that a seat had
    ("tokens", "i4"),  # Monster tokens in the pile at the start
    ("last", "i4"),  # 1: the end of the game had been brought on
    ("held", "i4"),  # bit mask: values drawn, the duplicate's among them
    ("duplicate", "i4"),  # its value, -1 if none came
)

# Everything around one game: who plays, what is forced, what is barred, and what is written down.
DESK = _record(
    ("lineup", "i8", (MAX_SEATS,)),  # index of each seat's policy
    ("policies", POLICY, (MAX_SEATS,)),
    ("bars", "i1", (MAX_SEATS, MAX_LORDS)),  # 1: this seat may not take this Lord
    ("location_bars", "i1", (MAX_SEATS, MAX_LOCATIONS)),  # 1: nor this Location, where there is another option
    ("gift_seat", "i8"),  # who gets a gift, at the start of which of its own turns (0: nobody), and what
    ("gift_turn", "i8"),
    ("gift", REWARD),
    ("barring", "i8"),  # 1: there is such a bar, found out before a game starts
    ("from_position", "i8"),  # 1: the game starts from positions[0], at the start of a turn
    ("stepping", "i8"),  # 1: stop where the forced choices run out
    ("stop_at_turn_end", "i8"),  # 1: or at the end of that turn, if that comes first
    ("halted", "i8"),
    ("recording", "i8"),
    ("watched", "i8"),  # 1: choices are forced, written down or stopped at, found out when a game starts
    ("forced_count", "i8"),
    ("log_count", "i8"),
    ("error", "i8"),  # vocabulary.Fault
    ("asked", "i8", (len(Decision),)),  # decisions asked, over all games since the desk was cleared
    ("picked", "i8", (len(Decision), len(Verb))),
    ("task", "i8"),  # number of the game under way in its batch
    ("search_count", "i8"),  # searches since this was set to 0; those beyond MAX_SEARCHES are only counted
    ("searches", SEARCH, (MAX_SEARCHES,)),
    ("positions", GAME, (2,)),  # [0] where a game starts, [1] where it was stopped
    ("blank", GAME, (1,)),  # a cleared game, copied before every deal
    ("forced", "i4", (MAX_CHOICES,)),
    ("chosen", "i4", (MAX_CHOICES,)),
    ("log", ENTRY, (MAX_LOG,)),
)

# One game to be played: which deal, which rotation of the line-up, which Lord or Location is barred for which seat.
# And a gift: to which seat, at the start of which of its own turns (0: none).
TASK = _record(
    ("game", "i8"),
    ("rotation", "i8"),
    ("bar_seat", "i8"),
    ("bar_lord", "i8"),  # -1 for none
    ("bar_location", "i8"),  # 1 + its number, 0 for none
    ("gift_seat", "i8"),
    ("gift_turn", "i8"),
    ("gift", REWARD),
)

# What is kept of one seat of one game. Shares and margins are stored times 12, so that thirds and quarters are exact.
ROW = _record(
    ("game", "i8"),
    ("took", "i8"),  # bit mask: Lords taken by choice
    ("held", "i8"),  # bit mask: Lords at the end
    ("locations_held", "i8"),  # bit mask: Locations at the end
    ("took_locations", "i8"),  # bit mask: Locations taken where there was a choice
    ("rotation", "i4"),
    ("seat", "i4"),
    ("policy", "i4"),  # index in the line-up
    ("win12", "i4"),
    ("margin12", "i4"),
    ("total", "i4"),
    ("locations", "i4"),
    ("loot", "i4"),
    ("lords", "i4"),
    ("allies", "i4"),
    ("monster_tokens", "i4"),
    ("nebulis", "i4"),  # in IP
    ("kraken", "i4"),  # in IP, of the figure
    ("pearls", "i4"),
    ("nebulis_held", "i4"),
    ("figure_held", "i4"),  # 1 if it holds the Kraken figure at the end
    ("turns", "i4"),  # own
    ("game_turns", "i4"),
    ("decisions", "i4"),  # of the game
    ("end_trigger", "i4"),
    ("ended_by", "i4"),
    ("bar_bit", "i4"),  # 1 if the barred Lord or Location was ever missed
    ("gift_keys", "i4"),  # Keys that the seat with the gift had when it came, -1 if it did not
    ("gift_lords", "i4"),  # the most Lords that a seat had then
    ("gift_tokens", "i4"),  # Monster tokens in the pile then
    ("counts", "i4", (len(Count),)),
    ("took_turn", "i2", (MAX_LORDS,)),
    ("location_points", "i2", (MAX_LOCATIONS,)),  # IP of each Location held, its Loot included
)

FIRST_ENTITY = 1 << 24
assert max(Purpose) < FIRST_ENTITY


def new(dtype: np.dtype[Any], count: int = 1) -> Any:
    """Return `count` cleared records of `dtype` as a ``np.recarray`` of shape (count,)."""
    return np.zeros(count, dtype).view(np.recarray)
