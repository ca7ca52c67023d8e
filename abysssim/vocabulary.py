"""The words of the game, as integers: one enumeration for each closed list that rules, engine and policies share.

Members are named as in the data files (upper case here, lower case there). The module imports nothing of the package.
"""

from enum import IntEnum


class Race(IntEnum):
    """The Races of the Allies, in the order that options and payments follow."""

    JELLYFISH = 0
    CRAB = 1
    SEAHORSE = 2
    SHELLFISH = 3
    SQUID = 4


class Guild(IntEnum):
    """The guilds of the Lords."""

    FARMER = 0
    SOLDIER = 1
    MERCHANT = 2
    POLITICIAN = 3
    MAGE = 4
    AMBASSADOR = 5
    SMUGGLER = 6


class Timing(IntEnum):
    """When a Lord's power acts."""

    NONE = 0
    ONCE = 1  # the arrow: on arrival
    LASTING = 2  # while the Lord is free and not turned
    TURN = 3  # once in each own turn while free and not turned


class Power(IntEnum):
    """The kinds of power a Lord can have; each takes an amount from the data."""

    NONE = 0
    # lasting
    RAISE_OPPONENT_COSTS = 1
    OPPONENTS_HAND_LIMIT = 2
    OPPONENTS_THREAT_BACK = 3
    PEARL_PER_RACE_SENT_TO_COUNCIL = 4
    PEARLS_AT_TURN_START = 5
    IMMUNE_TO_SOLDIERS = 6
    EXTRA_COUNCIL_STACK = 7
    AFFILIATE_ANY = 8
    ANY_RACES = 9
    LOWER_OWN_COSTS = 10
    NEBULIS_PER_PAYMENT = 11
    NEBULIS_BEFORE_PEARLS = 12
    NO_NEBULIS_FOR_KRAKENS_IN_HAND = 13
    SENTINEL = 14
    PEARL_WHEN_OPPONENT_RECRUITS = 15
    PURCHASES_PER_TURN = 16
    TAX_GAINS_OF_PEARLS = 17
    # once, on arrival: first those that hit opponents
    OPPONENTS_DISCARD_ALLY = 18
    OPPONENTS_LOSE_PEARLS = 19
    DISABLE_LORD_OF_EACH_OPPONENT = 20
    STEAL_MONSTER_TOKEN = 21
    OPPONENTS_DISCARD_AFFILIATED = 22
    GIVE_NEBULIS_TO_EACH_OPPONENT = 23
    GAIN_PEARLS = 24
    EXTRA_TURN = 25
    TAKE_COUNCIL_STACK = 26
    EXCHANGE_LOCATION = 27
    RECRUIT_FOR_PEARLS = 28
    SWAP_LORD_WITH_COURT = 29
    SWAP_LORD_WITH_DECK = 30
    DRAW_LOCATIONS = 31
    TAKE_ALLY_FROM_DISCARD = 32
    FREE_LORD = 33
    # once in each own turn
    DISCARD_ALLY_FOR_PEARLS = 34
    DISCARD_COUNCIL_STACK = 35
    REPLACE_COURT_LORD = 36
    NEBULIS_TO_PEARL = 37
    ADD_COURT_LORD = 38


FIRST_ARROW = Power.OPPONENTS_DISCARD_ALLY
FIRST_TURN_POWER = Power.DISCARD_ALLY_FOR_PEARLS
LASTING_POWERS = int(FIRST_ARROW)  # lasting powers, and NONE, come first


class Per(IntEnum):
    """What a Location counts."""

    NONE = 0
    LORDS_OF_GUILD = 1
    AFFILIATED_OF_RACE = 2
    GUILDS_PRESENT = 3
    BEST_OPPONENT_LOCATION = 4
    WEAKEST_LORD_POINTS = 5
    STRONGEST_LORD_POINTS = 6
    LORDS = 7
    LORDS_WITH_KEY = 8
    LORDS_WITHOUT_KEY = 9
    WEAKEST_AFFILIATED_OF_EACH_RACE = 10
    AFFILIATED = 11
    NEBULIS = 12
    LOOT = 13


class LocationPower(IntEnum):
    """What a Location does when it is taken."""

    NONE = 0
    SWAP_WITH_DECK = 1


class Ruling(IntEnum):
    """Where the sources disagree: the named alternative of each disputed rule (off = the default ruling)."""

    KEYS_BINDING = 0
    EQUAL_TURNS = 1
    END_ON_EMPTY_DECK = 2
    NO_EXTRA_AFTER_TRIGGER = 3
    ALLOW_OVERPAY = 4
    REFILL_BEFORE_POWER = 5
    COMMANDER_ON_PURCHASE = 6
    AMBASSADOR_KEYLESS = 7
    TURNED_VP_ONLY = 8
    INTO_DECK = 9
    COUNT_AT_TURN_END = 10
    FIGURE_RECHECK = 11
    NEBULIS_ON_ANY_DISCARD = 12
    ONLY_PAID = 13
    KEYS_REUSABLE = 14
    LOOT_STAYS = 15
    NO_LOOT = 16
    FLOOR0 = 17


class Area(IntEnum):
    """Where a Sentinel can stand."""

    COURT = 0
    COUNCIL = 1
    LOCATION = 2


class Decision(IntEnum):
    """The questions a seat can be asked."""

    MENU = 0
    LEFTOVER = 1
    OFFER = 2
    ALLY = 3
    MONSTER = 4
    REWARD = 5
    STACK = 6
    PAYMENT = 7
    AFFILIATE = 8
    LOCATION = 9
    KEEP = 10
    SMOKERS = 11
    KEY = 12
    DISCARD = 13
    COURT_LORD = 14
    OWN_LORD = 15
    OPPONENT_LORD = 16
    OPPONENT = 17
    EXCHANGE_GIVE = 18
    EXCHANGE_TAKE = 19
    TURN_END = 20  # never asked: where a stepped game stops at the end of a turn
    NEBULIS = 21  # how much of a price is paid with Nebulis
    SENTINEL = 22
    FIGURE = 23  # which of the opponents that are level gets the Kraken figure
    GIVE_NEBULIS = 24
    KRAKEN_STACK = 25  # the Council stack for a Kraken left over
    SEARCH = 26
    RACE = 27
    DISCARD_AFFILIATED = 28
    FROM_DISCARD = 29
    COVERED_LORD = 30


class Verb(IntEnum):
    """The first word of an option's text; `card`, `target` and `amount` hold the rest."""

    RECRUIT = 0  # card: Lord
    EXPLORE = 1
    COUNCIL = 2  # card: Race
    USE = 3  # card: Lord
    PLOT = 4
    PASS = 5
    DONE = 6
    BUY = 7  # card: Race, amount: value, target: the explorer
    TAKE = 8  # card: Race, amount: value
    CONTINUE = 9
    FIGHT = 10
    REWARD = 11  # card: number of the reward on its space, target: the space
    STACK = 12  # card: Race
    PAY = 13  # card: Race, amount: value
    PAY_DONE = 14
    AFFILIATE = 15  # card: Race, amount: value
    LOCATION = 16  # card: Location
    DRAW = 17  # amount: how many
    KEY_LORD = 18  # card: Lord
    KEY_TOKEN = 19
    DISCARD = 20  # card: Race, amount: value
    PAY_PEARL = 21
    LORD = 22  # card: Lord, target: its owner, or -1 for the Court
    DECLINE = 23
    TARGET = 24  # target: seat
    NEBULIS = 25  # amount
    SENTINEL_COURT = 26  # card: Lord
    SENTINEL_COUNCIL = 27  # card: Race
    SENTINEL_LOCATION = 28  # card: Location
    GIVE = 29  # target: seat
    RACE = 30  # card: Race
    SEARCH = 31
    STOP = 32
    ALLY = 33  # card: Race, amount: value


class EndTrigger(IntEnum):
    """What brought on the end of the game."""

    NONE = 0
    LORDS = 1
    REFILL = 2
    DECK = 3
    STALEMATE = 4


class PolicyKind(IntEnum):
    """The kinds of policy that the compiled core knows."""

    FIRST = 0
    RANDOM = 1
    WEIGHTED = 2


class Count(IntEnum):
    """What is counted for each seat in each game, beside its score."""

    EXPLORATIONS = 0
    COUNCIL_ACTIONS = 1
    COUNCIL_CARDS = 2
    RECRUITMENTS = 3
    PLOTS = 4
    PURCHASES = 5
    PURCHASE_PEARLS = 6
    SALES = 7
    ALLIES_TAKEN = 8
    FIGHTS = 9
    MONSTERS_PASSED = 10
    POWERS_USED = 11
    LOCATIONS = 12
    LOCATIONS_DRAWN = 13
    ALLIES_PAID = 14
    VALUE_PAID = 15
    PEARLS_PAID = 16
    PASSES = 17
    BOUGHT_HIGH = 18  # purchases of a 4 or a 5
    BOUGHT_LOW = 19  # purchases of a 1 or a 2
    NEBULIS_GAINED = 20  # from Krakens, Lords and explorers' sales
    NEBULIS_PASSED = 21  # to other seats
    NEBULIS_PAID = 22  # to the supply
    KRAKENS_PAID = 23
    KRAKENS_LEFT = 24  # in hand at the end
    FIGURE_TAKEN = 25  # times that the figure came to the seat
    LOOT_DRAWN = 26
    SEARCHES = 27
    BUSTS = 28


class Event(IntEnum):
    """The kinds of entry in the engine's log, from which a game record is written (docs/record.md).

    The comments name what the fields a, b, c, d of an entry hold; `seat` is a field of its own.
    """

    TURN = 0  # a own turn, b 1 if extra
    GAIN = 1  # a Pearls, b Lord or a negative Cause
    LOSE = 2  # a Pearls, b Lord
    PLOT = 3  # a Lord, b Pearls
    USE = 4  # a Lord
    PASS = 5
    EXPLORE = 6
    RESHUFFLE = 7  # a cards
    REVEAL = 8  # a Race (-1 a Monster), b value, c space from 0
    OFFER = 9  # a explorer, b price, c 1 if bought, d Nebulis paid (in the place of Pearls)
    TAKE = 10  # a Race, b value, c space
    CONTINUE = 11  # a threat space from 0
    FIGHT = 12  # a threat, b reward space, c space of the Monster
    REWARD = 13  # a space, b reward, c Pearls, d Keys
    TOKEN = 14  # a value of a Monster token drawn; follows REWARD
    NOTHING_LEFT = 15
    LEFTOVERS = 16  # a Monsters discarded; LEFTOVER_ALLY entries follow
    LEFTOVER_ALLY = 17  # a Race, b value
    COUNCIL = 18  # a Race, b Lord or Cause; COUNCIL_CARD entries follow
    COUNCIL_CARD = 19  # a Race, b value
    RECRUIT = 20  # a Lord, b Pearls, c cost, d Nebulis; PAID entries follow
    PAID = 21  # a Race, b value
    AFFILIATE = 22  # a Race, b value
    TAKE_LORD = 23  # a Lord, b Pearls, c Lord given up or -1, d Lord that acts
    REPLACE = 24  # a removed, b added, c Lord that acts
    DECLINE = 25  # a Lord that acts
    DISCARD = 26  # a Race (-1 a Pearl was paid), b value, c Lord or Cause
    DISCARD_STACK = 27  # a Race, b Lord; COUNCIL_CARD entries follow
    TURNED = 28  # a Lord, b Lord that acts
    STEAL = 29  # a target, b value, c Lord that acts
    EXTRA_TURN = 30  # a Lord that acts
    DRAW_LOCATIONS = 31  # a kept, b Lord or Cause; DRAWN entries follow
    DRAWN = 32  # a Location
    EXCHANGE = 33  # a given, b taken, c Lord that acts
    SWAP_WITH_DECK = 34  # a taken or -1, b Location that acts
    CONTROL = 35  # a Location, b 1 if drawn, c Key tokens, d Lord or Cause; KEY_LORD entries follow
    KEY_LORD = 36  # a Lord
    REFILL = 37  # a Pearls; REFILL_LORD entries follow
    REFILL_LORD = 38  # a Lord
    END_TRIGGER = 39  # a EndTrigger
    END_OF_TURN = 40  # SEAT_STATE entries follow
    SEAT_STATE = 41  # seat, a Pearls, b Key tokens, c hand size, d Monster tokens
    FINAL_AFFILIATED = 42  # a Race, b value
    FINAL_DISCARDED = 43  # a Race, b value
    NEBULIS = 44  # a change, b Lord or Cause
    FIGURE = 45  # seat: who gets the Kraken figure, -1: back to the supply
    TAX = 46  # a seat taxed, b Pearls, c Lord
    KRAKEN_TO_COUNCIL = 47  # a value, b Race of the stack
    LOOT = 48  # a value, b Location, c Pearls, d Keys; TOKEN entries follow
    LOOT_LOST = 49  # a value, b Location: both Loot of that value are lost and the search is over
    LOOT_DRAW = 50  # a Race (-1 a Monster), b value, c threat space from 0
    LOOT_STOP = 51  # a Location
    LOOT_GONE = 52  # a Location: all its Loot is lost (it was given up)
    SENTINEL = 53  # a Lord it belongs to, b Area, c Lord, Race or Location
    SENTINEL_BACK = 54  # a Lord it belongs to
    FROM_DISCARD = 55  # a Race, b value, c Lord
    NAME_RACE = 56  # a Race, b Lord
    DISCARD_AFFILIATED = 57  # a Race, b value, c Lord
    FREED = 58  # a Lord, b Location, c Lord that acts
    SEAT_NEBULIS = 59  # seat, a Nebulis; follows SEAT_STATE


class Cause(IntEnum):
    """Causes in the log that are not a Lord (Lords are their index, from 0)."""

    ACTION = -2
    CONTROL = -3
    LAST_SPACE = -4
    REFILL = -5
    HAND_LIMIT = -6
    KRAKENS = -7
    KRAKENS_IN_HAND = -8


class Fault(IntEnum):
    """What can go wrong in the compiled core, which has no exceptions."""

    NONE = 0
    NOT_AN_OPTION = 1  # a forced choice that is not offered
    RECORD_FULL = 2  # more choices or events than a record holds


class Purpose(IntEnum):
    """What a draw of keyed randomness is for; entities (cards) use numbers from 2**24 on."""

    MONSTER_TOKEN = 1
    STEAL = 2
    RANDOM_POLICY = 3
    NOISE = 4
