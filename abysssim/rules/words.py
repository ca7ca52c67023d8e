"""What powers, Locations, rulings and numbers of the rules mean, in words: one table for each."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from abysssim.rules.fields import NO_MAXIMUM
from abysssim.vocabulary import LocationPower, Per, Power, Ruling, Timing

# "{amount}" is the number; "{one|many}" is one word for 1 and another for the rest.
POWERS: dict[Power, str] = {
    Power.NONE: "No power.",
    Power.RAISE_OPPONENT_COSTS: "Lords cost each opponent {amount} more.",
    Power.OPPONENTS_HAND_LIMIT: (
        "Opponents discard down to {amount} {Ally|Allies} in hand, at once and then at the end of each of their turns."
    ),
    Power.OPPONENTS_THREAT_BACK: (
        "Opponents who fight take the reward {amount} {space|spaces} further down the threat track "
        "(the first space stays as it is)."
    ),
    Power.PEARL_PER_RACE_SENT_TO_COUNCIL: (
        "After each of your explorations: {amount} {Pearl|Pearls} for each different Race sent to the Council."
    ),
    Power.PEARLS_AT_TURN_START: "{amount} {Pearl|Pearls}, at once and then at the start of each of your turns.",
    Power.IMMUNE_TO_SOLDIERS: "The powers of your opponents' Soldiers do not concern you.",
    Power.EXTRA_COUNCIL_STACK: "When you ask the Council for support, take {amount} more {stack|stacks}.",
    Power.AFFILIATE_ANY: "When you recruit, affiliate any of the Allies spent instead of the lowest.",
    Power.ANY_RACES: "When you recruit, no particular Race is demanded; the number of Races stays.",
    Power.LOWER_OWN_COSTS: "Lords cost you {amount} less.",
    Power.NEBULIS_PER_PAYMENT: "Pay up to {amount} Nebulis in one payment.",
    Power.NEBULIS_BEFORE_PEARLS: "Pay with Nebulis even if you keep Pearls.",
    Power.NO_NEBULIS_FOR_KRAKENS_IN_HAND: "Krakens in your hand at the end of the game give you no Nebulis.",
    Power.SENTINEL: (
        "On arrival {amount} Nebulis and a Sentinel, which keeps a Lord of the Court, a stack of the Council or a "
        "face-up Location for you; when you take that it comes back and can be placed again."
    ),
    Power.PEARL_WHEN_OPPONENT_RECRUITS: "Gain {amount} {Pearl|Pearls} whenever an opponent recruits a Lord.",
    Power.PURCHASES_PER_TURN: "Buy up to {amount} {Ally|Allies} in each exploration of an opponent.",
    Power.TAX_GAINS_OF_PEARLS: "Whenever an opponent gains 2 Pearls or more at once, take {amount} of them.",
    Power.OPPONENTS_DISCARD_ALLY: "Each opponent discards {amount} {Ally|Allies} of its own choice.",
    Power.OPPONENTS_LOSE_PEARLS: "Each opponent loses up to {amount} {Pearl|Pearls}.",
    Power.DISABLE_LORD_OF_EACH_OPPONENT: (
        "Turn {amount} free {Lord|Lords} of each opponent: it loses its power and its Keys and stays free."
    ),
    Power.STEAL_MONSTER_TOKEN: "Take {amount} random Monster {token|tokens}, each from an opponent of your choice.",
    Power.OPPONENTS_DISCARD_AFFILIATED: (
        "Name a Race: each opponent discards {amount} affiliated {Ally|Allies} of it, of its own choice."
    ),
    Power.GIVE_NEBULIS_TO_EACH_OPPONENT: "Give {amount} of your Nebulis to each opponent.",
    Power.GAIN_PEARLS: "Gain {amount} {Pearl|Pearls}.",
    Power.EXTRA_TURN: "Play {amount} extra {turn|turns} after this one.",
    Power.TAKE_COUNCIL_STACK: "Take {amount} {stack|stacks} from the Council.",
    Power.EXCHANGE_LOCATION: "You may exchange one of your Locations for one lying face up; its Lords move along.",
    Power.RECRUIT_FOR_PEARLS: "You may take another Lord of the Court for {amount} {Pearl|Pearls}.",
    Power.SWAP_LORD_WITH_COURT: "You may discard another of your free Lords and take a Lord of the Court.",
    Power.SWAP_LORD_WITH_DECK: "You may discard another of your free Lords and take the top Lord of the deck.",
    Power.DRAW_LOCATIONS: (
        "Draw {amount} {Location|Locations}, control one of them with this Lord alone and put the others face up."
    ),
    Power.TAKE_ALLY_FROM_DISCARD: "You may take {amount} {Ally|Allies} of your choice from the discard.",
    Power.FREE_LORD: "Free {amount} of your Lords from under its Location: its lasting power and its Keys are back.",
    Power.DISCARD_ALLY_FOR_PEARLS: "Discard an Ally to gain {amount} {Pearl|Pearls}.",
    Power.DISCARD_COUNCIL_STACK: "Discard one stack of the Council.",
    Power.REPLACE_COURT_LORD: "Replace a Lord of the Court by the top Lord of the deck.",
    Power.NEBULIS_TO_PEARL: "Exchange up to {amount} Nebulis, each for a Pearl.",
    Power.ADD_COURT_LORD: "Add a Lord to the Court for nothing.",
}

# Powers whose words say themselves when they act.
SAYS_WHEN = (Power.SENTINEL,)

TIMINGS: dict[Timing, str] = {
    Timing.NONE: "",
    Timing.ONCE: "Once, on arrival",
    Timing.LASTING: "As long as it is free",
    Timing.TURN: "Once in each of your turns while it is free",
}

COUNTS: dict[Per, str] = {
    Per.NONE: "",
    Per.LORDS_OF_GUILD: "for each of your Lords of the guild {of}",
    Per.AFFILIATED_OF_RACE: "for each of your affiliated Allies of the Race {of}",
    Per.GUILDS_PRESENT: "for each guild among your Lords",
    Per.BEST_OPPONENT_LOCATION: "for each IP that your opponents' best Location would be worth to you",
    Per.WEAKEST_LORD_POINTS: "for each IP of your weakest Lord",
    Per.STRONGEST_LORD_POINTS: "for each IP of your strongest Lord",
    Per.LORDS: "for each of your Lords",
    Per.LORDS_WITH_KEY: "for each of your Lords with a Key",
    Per.LORDS_WITHOUT_KEY: "for each of your Lords without a Key",
    Per.WEAKEST_AFFILIATED_OF_EACH_RACE: "for each point of your lowest affiliated Ally of each Race",
    Per.AFFILIATED: "for each of your affiliated Allies",
    Per.NEBULIS: "for each of your Nebulis",
    Per.LOOT: "for each point of the Loot on it",
}

LOCATION_POWERS: dict[LocationPower, str] = {
    LocationPower.NONE: "",
    LocationPower.SWAP_WITH_DECK: "When you take it, you may exchange it for any Location of the deck.",
}

# The default, and what the switch plays instead.
RULINGS: dict[Ruling, tuple[str, str]] = {
    Ruling.KEYS_BINDING: (
        "Key tokens never run out.",
        "There are only as many Key tokens as game.key_tokens says.",
    ),
    Ruling.EQUAL_TURNS: (
        "After the end is triggered every other player has one more turn.",
        "After the end is triggered only the players left in that round have a turn.",
    ),
    Ruling.END_ON_EMPTY_DECK: (
        "An empty Lord deck ends the game when the Court cannot be refilled after a recruitment.",
        "It also does at the end of any turn with an empty Lord deck and a Court that is not full.",
    ),
    Ruling.NO_EXTRA_AFTER_TRIGGER: (
        "Extra turns are played even after the end is triggered.",
        "Extra turns are lost once the end is triggered.",
    ),
    Ruling.ALLOW_OVERPAY: (
        "No Ally may be paid whose Race is paid by another as well and whose value is not needed.",
        "Any Allies of the right number of Races may be paid.",
    ),
    Ruling.REFILL_BEFORE_POWER: (
        "The Court is refilled after the power of the Lord recruited.",
        "The Court is refilled, and its Pearls gained, before that power.",
    ),
    Ruling.COMMANDER_ON_PURCHASE: (
        "The Commander's limit counts at the end of one's own turns.",
        "It also counts at once after a purchase.",
    ),
    Ruling.AMBASSADOR_KEYLESS: (
        "For Towers an Ambassador is a Lord with Keys.",
        "For Towers an Ambassador is a Lord without Keys.",
    ),
    Ruling.TURNED_VP_ONLY: (
        "A turned Lord's guild and printed Keys count for Locations.",
        "A turned Lord counts with its own points only.",
    ),
    Ruling.INTO_DECK: (
        "Black Smokers exchanged for another Location leaves the game.",
        "Black Smokers exchanged for another Location goes back into the deck.",
    ),
    Ruling.COUNT_AT_TURN_END: (
        "Recruiting the last Lord triggers the end, even if a Lord is lost in the same turn.",
        "The Lords are counted at the end of the turn.",
    ),
    Ruling.FIGURE_RECHECK: (
        "The Kraken figure passes to an opponent who catches up with its holder or overtakes it.",
        "At any change of Nebulis every opponent level with the holder or above takes it.",
    ),
    Ruling.NEBULIS_ON_ANY_DISCARD: (
        "Only Krakens paid, and those in hand at the end, give Nebulis.",
        "Krakens discarded for any reason give Nebulis.",
    ),
    Ruling.ONLY_PAID: (
        "The Shareholder's Pearl comes for the Corruptor's Lord too, but never for swaps.",
        "It comes only for Lords paid in the ordinary way.",
    ),
    Ruling.KEYS_REUSABLE: (
        "The Keys of a freed Ambassador stay spent.",
        "The Keys of a freed Ambassador can be used again.",
    ),
    Ruling.LOOT_STAYS: (
        "Loot on a Location given up is lost.",
        "Loot stays on a Location that is given up.",
    ),
    Ruling.NO_LOOT: (
        "The City of Mirrors copies Loot too.",
        "The City of Mirrors does not copy Loot.",
    ),
    Ruling.FLOOR0: (
        "The Kraken's Lair can be worth less than 0.",
        "The Kraken's Lair is never worth less than 0.",
    ),
}

NUMBERS: dict[str, str] = {
    "title": "The name of the ruleset.",
    "players": "The numbers of players that the game is for.",
    "start_pearls": "Pearls of each player at the start.",
    "lords_to_end": "The end is triggered by a player with this many Lords.",
    "court_slots": "Spaces of the Court.",
    "explore_slots": "Spaces of an exploration.",
    "last_slot_pearls": "Pearls for the explorer whose exploration reaches the last space.",
    "refill_when_lords_left": "The Court is refilled when a recruitment leaves this many Lords in it or fewer.",
    "refill_pearls": "Pearls for the player whose recruitment makes the Court be refilled.",
    "keys_per_location": "Keys that control of a Location takes.",
    "max_location_draw": "The most Locations that may be drawn to choose from.",
    "purchase_price_first": "Pearls that the first Ally bought from an explorer costs.",
    "purchase_price_step": "Pearls that each further one of the same exploration costs more.",
    "purchases_per_opponent": "Allies that each opponent may buy in one exploration.",
    "plot_cost": "Pearls for one more Lord in the Court.",
    "key_tokens": "Key tokens in the box; they are a limit only under rulings.keys_binding.",
    "monster_cards": "Monsters among the Exploration cards.",
    "hand_limit": "Allies that may be kept at the end of a turn; 0 is no limit.",
    "stalemate_rounds": "The game ends after this many full rounds without a recruitment.",
}

# The same for the tables of expansions: by dotted key, or by table where it holds a number for each value.
EXPANSION_NUMBERS: dict[str, str] = {
    "allies.kraken": "Krakens among the Exploration cards, by value; each stands for any Race.",
    "nebulis.points_each": "IP of each Nebulis at the end.",
    "nebulis.kraken_figure_points": "IP of the Kraken figure at the end.",
    "nebulis.max_per_payment": "Nebulis that one payment may hold, and only when all Pearls are spent in it.",
    "nebulis.kraken_ally_nebulis": "Nebulis that a Kraken gives when it is paid or left in hand, by its value.",
    "loot.copies": "Loot cards, by value; each is worth its value.",
    "loot.rewards": (
        "What a Loot card brings at once, by value: P a Pearl, K a Key token, M a Monster token, A the top Ally of the "
        "Exploration deck."
    ),
    "sentinels.count": "Sentinels in the box, one for each Lord with that power.",
}


def number_words(key: str) -> str:
    """Return what a rule is, by its dotted key, or the table that it is in; an empty text for what needs no words."""
    if key.startswith("game."):
        return NUMBERS[key.removeprefix("game.")]
    return EXPANSION_NUMBERS.get(key, "")


def fill(template: str, amount: int) -> str:
    """Return a template with the amount and the right form of each ``{one|many}``."""
    text = template.replace("{amount}", str(amount))
    return re.sub(r"\{([^|{}]+)\|([^|{}]+)\}", r"\1" if amount == 1 else r"\2", text)


def power_words(power: Power, amount: int) -> str:
    """Return what a power does, as a sentence with its amount."""
    return fill(POWERS[power], amount)


def lord_words(lord: dict[str, Any]) -> str:
    """Return when and what a Lord of the rules does, e.g. "Once, on arrival: gain 2 Pearls."."""
    power = Power[lord["power"].upper()]
    when = "" if power in SAYS_WHEN else TIMINGS[Timing[lord["timing"].upper()]]
    what = power_words(power, lord["amount"])
    return f"{when}: {what[0].lower()}{what[1:]}" if when else what


def location_words(location: dict[str, Any]) -> str:
    """Return what a Location of the rules is worth and does, e.g. "5 IP, and 2 for each of your Lords ..."."""
    per, base, each = Per[location["per"].upper()], location["base"], location["each"]
    words = f"{base} IP"
    if per != Per.NONE:
        count = COUNTS[per].format(of=location["of"])
        if base == 0:
            words = f"{each} IP {count}"
        else:
            words += f", {'and' if each >= 0 else 'less'} {abs(each)} {count}"
    if location["max"] != NO_MAXIMUM:
        words += f", {location['max']} at the most"
    power = LOCATION_POWERS[LocationPower[location["power"].upper()]]
    sacred = "A Sacred Place: taking it opens the Loot deck." if location.get("sacred") else ""
    return " ".join(part for part in (f"{words}.", power, sacred) if part)


REWARDS = {
    "K": "Key {token|tokens}",
    "P": "{Pearl|Pearls}",
    "M": "Monster {token|tokens}",
    "A": "{Ally|Allies} of the Exploration deck",
}


def rules_played(expansions: Sequence[str], changes: Mapping[str, Any]) -> str:
    """Return which rules are played, as "as printed" or "with Kraken, nebulis.points_each = -2"."""
    parts = [f"with {expansion.title()}" for expansion in expansions]
    parts += [f"{key} = {value}" for key, value in changes.items()] or ["as printed"]
    return ", ".join(parts)


def reward_words(letters: str) -> str:
    """Return a reward of the threat track or of a Loot card in words, e.g. "KPP" as "1 Key token and 2 Pearls"."""
    parts = []
    for letter, words in REWARDS.items():
        count = letters.count(letter)
        if count > 0:
            parts.append(fill("{amount} " + words, count))
    return " and ".join(parts) or "nothing"
