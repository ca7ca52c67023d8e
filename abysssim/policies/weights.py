"""The weights of the weighted family, by name: the one list that the kernel and the loader of presets share.

A weight is written in a preset as a decimal number (IP, unless its meaning says otherwise) and reaches the kernel
times 1024, as an integer: an argmax over floats may flip between machines.
"""

from enum import IntEnum
from typing import Any

from abysssim.core.layout import WEIGHTS
from abysssim.vocabulary import Power

BITS = 10  # binary places of a weight in the kernel: to divide by the scale is to shift
SCALE = 1 << BITS  # a preset's 1.0 in the kernel

# What the rewards of Loot are worth (IP), by phase of the game: the most Lords that a seat has.
PHASES = {"early": "up to two Lords", "middle": "three or four Lords", "late": "five Lords or more"}
_REWARDS = {
    "key_0": "a Key with none at hand",
    "key_1": "a Key with one at hand",
    "key_2": "a Key with two or more at hand",
    "pearl": "a Pearl",
    "token": "a Monster token",
    "ally": "an Ally",
}
_LOOT = {
    f"loot_{reward}_{phase}": f"{found} found in a Sacred Place with {lords} of a player at most"
    for phase, lords in PHASES.items()
    for reward, found in _REWARDS.items()
}

# name -> meaning; the position is the index into POLICY.weights.
_GENERAL: dict[str, str] = {
    # what things are worth
    "ip": "a printed Influence Point of a Lord",
    "pearl": "a Pearl, when there are none",
    "pearl_glut": "by how much each Pearl held makes a further one worth less",
    "pearl_least": "what a Pearl is worth however many there are",
    "key": "a Key that does not complete a set, at the start of the game",
    "key_last": "a Key that completes a set: a Location at once",
    "token": "a Monster token",
    "point": "a point of an Ally of a Race that no Court Lord asks for",
    "point_most": "the most a point of an Ally can be worth",
    "demand": "multiplier of what the Court's Lords add to a point (Lord's worth for each point still missing)",
    "demand_near": "points added to those missing: high makes far and near Lords alike",
    "demand_other": "share of the demand that goes to every Race, since all help to pay",
    "demand_met": "share of the demand that is left for a Lord already affordable",
    "new_race": "the first Ally of a Race in hand",
    "first_most": "the most the first Ally of a Race can be worth beside its points",
    "lacking_race": "multiplier of the demand for a Race not in hand, where a Lord needs more Races",
    "value_1": "an Ally of 1, beside its point",
    "value_2": "an Ally of 2, beside its points",
    "value_3": "an Ally of 3, beside its points",
    "value_4": "an Ally of 4, beside its points",
    "value_5": "an Ally of 5, beside its points",
    # explorations
    "buy_margin": "profit that a purchase must bring",
    "buy_feed": "cost of each Pearl that a purchase gives to the explorer",
    "take_level": "what an Ally on the first space must be worth to be taken",
    "take_space": "by how much each space further lowers that",
    "take_buyers": "how much each opponent who can still buy raises it",
    "take_threat": "share of the waiting reward's worth that raises it",
    "take_council": "cost of leaving a point to the Council: lowers it",
    "fight_level": "what a reward must be worth on the first space",
    "fight_space": "by how much each space further lowers that",
    # the menu
    "explore": "exploring",
    "explore_threat": "share of the waiting reward's worth added to exploring",
    "explore_rich": "each Pearl that opponents could spend (three each at most), added to exploring",
    "council": "asking for the Council's support",
    "council_card": "each card of a stack, beside its points",
    "council_value": "points expected of an unseen card in a stack (points, not IP)",
    "recruit": "recruiting",
    "pay_point": "each point of a Lord's cost",
    "pay_race": "each Race of a Lord's payment",
    "plot": "plotting",
    "plot_pearl": "each Pearl held, added to plotting",
    "plot_point": "each point that the three best Races in hand hold above six, added to plotting",
    "plot_gap": "each free space of the Court, added to plotting",
    "plot_recruit": "taken off plotting where a Lord can be recruited",
    "opportunist": "replacing a Court Lord when none can be recruited",
    "opportunist_deny": "replacing a Court Lord at the end of the turn",
    "oracle": "each card of the stack that the Oracle discards",
    "oracle_level": "what that must come to",
    "slaver": "profit that the Slaver must bring",
    "impatience": "recruiting, the Council and taking Allies, for each round (after three) without a recruitment",
    # Lords
    "synergy": "multiplier of the IP that a Lord adds to own Locations",
    "end_lead": "each IP of lead (or arrears, up to ten), where a recruitment brings on the end",
    "end_rivals": "IP that opponents are expected to add in their last turn",
    "end": "bringing on the end",
    "last_explore": "exploring in the last turn",
    "last_council": "asking the Council in the last turn, for a Race without an affiliated Ally",
    # payment
    "affiliate": "multiplier of the IP that the affiliated Ally adds",
    "spend_point": "multiplier of the worth of points spent",
    "spend_pearl": "multiplier of the worth of Pearls spent",
    "low_card": "multiplier of a card's value that makes it better to keep high cards",
    # Locations and Keys
    "draw_1": "drawing one Location",
    "draw_2": "drawing two Locations",
    "draw_3": "drawing three Locations",
    "draw_4": "drawing four Locations",
    "grow_guild": "growth of a guild's Location with each Lord still to come (share of its step)",
    "grow_race": "growth of a Race's Location with each Lord still to come (share of its step)",
    "grow_abyss": "growth of a Location that counts guilds (share of its step)",
    "grow_weakest": "change of the weakest Lord with each one still to come (IP)",
    "grow_strongest": "change of the strongest Lord with each one still to come (IP)",
    "grow_lords": "change of a Location that counts Lords (share of its step)",
    "grow_keyed": "growth of a Location that counts Lords with Keys (share of its step)",
    "grow_unkeyed": "growth of a Location that counts Lords without Keys (share of its step)",
    "grow_chamber": "change of the weakest Allies with each Lord still to come (IP)",
    "grow_affiliated": "change of a Location that counts affiliated Allies (share of its step)",
    "smokers": "Black Smokers, while there are Locations in the deck to swap it for",
    "keep_power": "multiplier of a Lord's lasting power when it would be covered",
    "keep_token": "keeping a Key token",
    # other seats and other Lords
    "deny": "multiplier of a Lord's worth to others when the Opportunist removes it",
    "far": "each point missing, when the Opportunist removes a Lord",
    "strike_power": "multiplier of the power of a Lord that the Assassin may turn",
    "strike_key": "each Key of a Lord that the Assassin may turn",
    "swap_level": "profit that giving up a Lord must bring",
    "schemer_draw": "what a Lord from the deck is expected to be worth",
    "draw_more": "each further tile that an Ambassador draws",
    # the Kraken expansion
    "nebulis": "multiplier of the IP that a Nebulis more costs at the end",
    "nebulis_pass": "share of a Nebulis that is expected to be got rid of before the end, at the start of the game",
    "figure": "multiplier of the IP of the Kraken figure, where a Nebulis more would bring or keep it",
    "figure_near": "share of that for the second most Nebulis, level or one behind (halves with each one further)",
    "kraken": "a Kraken in hand, beside its points",
    "kraken_point": "multiplier of the worth of a Kraken's points in hand",
    "kraken_spend": "multiplier of the worth of Krakens paid, their Nebulis left out",
    "nebulis_pearl": "worth of a Pearl kept by paying a Nebulis (multiplier of a Pearl's worth)",
    "sentinel_lord": "multiplier of the worth of a Court Lord that a Sentinel would reserve",
    "sentinel_stack": "multiplier of the worth of a stack that a Sentinel would reserve",
    "sentinel_location": "multiplier of the value of a Location that a Sentinel would reserve",
    "sentinel_level": "what placing a Sentinel again must be worth",
    **_LOOT,
    "sacred": "what a Sacred Place is expected to yield, its rewards included",
    "grow_nebulis": "change of a Location that counts Nebulis with each Lord still to come (share of its step)",
}
_POWERS: dict[str, str] = {
    "power_raise_opponent_costs": "for each point",
    "power_opponents_hand_limit": "",
    "power_opponents_threat_back": "for each space",
    "power_pearl_per_race_sent_to_council": "for each Pearl",
    "power_pearls_at_turn_start": "for each Pearl",
    "power_immune_to_soldiers": "",
    "power_extra_council_stack": "for each stack",
    "power_affiliate_any": "",
    "power_any_races": "",
    "power_lower_own_costs": "for each point",
    "power_nebulis_per_payment": "",
    "power_nebulis_before_pearls": "",
    "power_no_nebulis_for_krakens_in_hand": "",
    "power_sentinel": "",
    "power_pearl_when_opponent_recruits": "for each Pearl",
    "power_purchases_per_turn": "",
    "power_tax_gains_of_pearls": "for each Pearl",
    "power_opponents_discard_ally": "for each Ally and opponent",
    "power_opponents_lose_pearls": "for each Pearl that an opponent holds and loses",
    "power_disable_lord_of_each_opponent": "for each opponent with a free Lord",
    "power_steal_monster_token": "where an opponent has a token",
    "power_opponents_discard_affiliated": "for each Ally and opponent",
    "power_give_nebulis_to_each_opponent": "multiplier of what passing Nebulis on is worth",
    "power_gain_pearls": "multiplier of the Pearls' worth",
    "power_extra_turn": "for each turn",
    "power_take_council_stack": "for each card of the largest stack",
    "power_exchange_location": "multiplier of the gain in sight",
    "power_recruit_for_pearls": "where the Pearls are there",
    "power_swap_lord_with_court": "where there is a free Lord",
    "power_swap_lord_with_deck": "where there is a free Lord",
    "power_draw_locations": "for the Location, with one tile drawn",
    "power_take_ally_from_discard": "for each Ally",
    "power_free_lord": "multiplier of what the Lord freed is worth",
    "power_discard_ally_for_pearls": "for each Pearl",
    "power_discard_council_stack": "",
    "power_replace_court_lord": "",
    "power_nebulis_to_pearl": "",
    "power_add_court_lord": "",
}

MEANINGS: dict[str, str] = {**_GENERAL, **{name: f"the power: {text}" for name, text in _POWERS.items()}}
NAMES: tuple[str, ...] = tuple(MEANINGS)
assert len(NAMES) <= WEIGHTS

_enum: Any = IntEnum  # made from the list above: no type checker can know the members
W = _enum("W", [(name.upper(), index) for index, name in enumerate(NAMES)])

FIRST_LOOT = NAMES.index(next(iter(_LOOT)))  # [phase, reward] in the order of the two tables above
LOOT_REWARDS = len(_REWARDS)
FIRST_POWER = NAMES.index("power_raise_opponent_costs") - 1  # the weights of the powers follow the order of Power
assert [name for name in NAMES if name.startswith("power_")] == [
    "power_" + power.name.lower() for power in Power if power != Power.NONE
]
