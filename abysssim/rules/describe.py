"""The rules for people: an overview in 80 columns, and one Lord, Location, table or rule in words."""

import json
from textwrap import wrap
from typing import Any

from abysssim.core.layout import RACES
from abysssim.errors import InputError, nearest
from abysssim.rules.changes import Leaves, flatten
from abysssim.rules.checks import Data, in_game, krakens_in
from abysssim.rules.fields import belongs, show
from abysssim.rules.rulebook import Rulebook, load, printed_value
from abysssim.rules.schema import AMOUNTS, CARDS, KRAKEN, PLAYABLE, Expansions
from abysssim.rules.words import RULINGS, fill, location_words, lord_words, number_words, reward_words
from abysssim.vocabulary import Power, Ruling

WIDTH = 80
KEY_WIDTH = 18
# The tables whose keys need no table in front.
SHORT_TABLES = ("lords", "locations", "rulings", "game", "guilds", "nebulis")


def describe(rulebook: Rulebook, name: str | None = None) -> str:
    """Return the text for a Lord, Location, table or dotted key; an overview of the rules without a name.

    Raises
    ------
    InputError
        If the rules have nothing of that name; the sentence names the nearest.
    """
    if name is None:
        return overview(rulebook)
    found = find(rulebook, name)
    table, _, key = found.partition(".")
    if table == "lords" and key in rulebook.data["lords"]:
        return "\n".join(_lord_lines(rulebook, key))
    if table == "locations" and key in rulebook.data["locations"]:
        return "\n".join(_location_lines(rulebook, key))
    if table == "rulings" and key:
        return "\n".join(_ruling_lines(rulebook, key))
    sections = {"lords": lord_table, "locations": location_table, "rulings": ruling_table, "threat": threat_table}
    if found in sections:
        return "\n".join(sections[found](rulebook))
    return "\n".join(_value_lines(rulebook, found))


def details(rulebook: Rulebook, name: str | None = None) -> dict[str, Any]:
    """Return what `describe` tells, as a table for JSON.

    Raises
    ------
    InputError
        If the rules have nothing of that name.
    """
    if name is None:
        return {
            "rules_hash": rulebook.rules_hash,
            "expansions": list(rulebook.expansions),
            "changes": rulebook.changes,
            "rules": rulebook.data,
        }
    found = find(rulebook, name)
    value = value_at(rulebook.data, found)
    told: dict[str, Any] = {"key": found, "value": value, "changes": _changes_below(rulebook, found)}
    table, _, key = found.partition(".")
    if key in rulebook.data.get(table, {}):
        if table == "lords":
            told |= {"race": rulebook.data["guilds"][value["guild"]], "text": lord_words(value)}
        elif table == "locations":
            told |= {"text": location_words(value)}
        elif table == "rulings":
            told |= dict(zip(("default", "alternative"), RULINGS[Ruling[key.upper()]], strict=True))
        elif number_words(found):
            told |= {"text": number_words(found)}
    return told


def find(rulebook: Rulebook, name: str) -> str:
    """Return the dotted key of a thing named by its key, with or without its table, or by its printed name.

    Raises
    ------
    InputError
        If there is none.
    """
    data = rulebook.data
    wanted = name.strip()
    found = _found(data, wanted)
    if found is not None:
        return found
    for expansion in PLAYABLE:
        if expansion not in rulebook.expansions and _found(load(expansions=[expansion]).data, wanted) is not None:
            raise InputError(f"{wanted} {belongs(expansion)}")
    short = [key for table in _short_tables(data) for key in data[table]]
    known = [*data, *short, *flatten(data), *_printed_names(data)]
    raise InputError(
        f"the rules have no {show(name)}: name a Lord, a Location, a table ({', '.join(data)}) "
        f"or a rule such as game.plot_cost{nearest(wanted, known)}"
    )


def _short_tables(data: Data) -> list[str]:
    return [table for table in SHORT_TABLES if table in data]


def _found(data: Data, wanted: str) -> str | None:
    """Return the dotted key of a thing, None if there is no such thing."""
    if _is_there(data, wanted):
        return wanted
    for table in _short_tables(data):
        if wanted in data[table]:
            return f"{table}.{wanted}"
    return _printed_names(data).get(_spoken(wanted))


def _spoken(name: str) -> str:
    return name.casefold().removeprefix("the ")


def _printed_names(data: Data) -> dict[str, str]:
    return {_spoken(card["name"]): f"{table}.{key}" for table in CARDS for key, card in data[table].items()}


def _is_there(data: Data, dotted: str) -> bool:
    place: Any = data
    for part in dotted.split("."):
        if not isinstance(place, dict) or part not in place:
            return False
        place = place[part]
    return True


def value_at(data: Data, dotted: str) -> Any:
    """Return the value or table at a dotted key that is there."""
    place: Any = data
    for part in dotted.split("."):
        place = place[part]
    return place


def toml(value: Any) -> str:
    """Return a value of the rules as TOML writes it."""
    return json.dumps(value, ensure_ascii=False)


def _changes_below(rulebook: Rulebook, dotted: str) -> Leaves:
    return {key: value for key, value in rulebook.changes.items() if key == dotted or key.startswith(dotted + ".")}


def change_lines(changes: Leaves, expansions: Expansions) -> list[str]:
    """Return one line for each change: ``lords.peddler.cost = 9 (printed: 8)``."""
    lines = []
    for key, value in changes.items():
        printed = printed_value(key, expansions)
        lines.append(f"{key} = {toml(value)} ({'new' if printed is None else 'printed: ' + toml(printed)})")
    return lines


def _with_changes(rulebook: Rulebook, dotted: str, lines: list[str]) -> list[str]:
    changed = change_lines(_changes_below(rulebook, dotted), rulebook.expansions)
    return lines + (["", "Changed from the printed game:", *(f"  {line}" for line in changed)] if changed else [])


def _facts(pairs: list[tuple[str, str]]) -> list[str]:
    lines = []
    for word, text in pairs:
        lines += wrap(text, WIDTH, initial_indent=f"  {word:<8} ", subsequent_indent=" " * 11)
    return lines


def _as_data(card: Data, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name}={toml(card[name])}" for name in names)


def _where(rulebook: Rulebook, card: Data) -> str:
    return "" if in_game(card, rulebook.expansions) else "  [not in the game]"


def _cost_words(lord: Data, race: str) -> str:
    if lord["races"] == 1:
        return f"{lord['cost']}, in one Race: {race or 'any'}"
    return f"{lord['cost']}, in {lord['races']} Races, {race + ' among them' if race else 'none of them demanded'}"


def _lord_lines(rulebook: Rulebook, key: str) -> list[str]:
    lord = rulebook.data["lords"][key]
    facts = [
        ("guild", lord["guild"]),
        ("cost", _cost_words(lord, rulebook.data["guilds"][lord["guild"]])),
        ("worth", f"{lord['points']} IP"),
        ("Keys", str(lord["keys"])),
        ("power", lord_words(lord)),
        ("as data", _as_data(lord, ("power", "timing", "amount"))),
    ]
    if lord["not_with"]:
        facts.append(("not with", ", ".join(lord["not_with"])))
    head = f"{lord['name']} (lords.{key}){_where(rulebook, lord)}"
    return _with_changes(rulebook, f"lords.{key}", [head, *_facts(facts)])


def _location_lines(rulebook: Rulebook, key: str) -> list[str]:
    location = rulebook.data["locations"][key]
    names = ("base", "each", "per", "of", "max", "power", *(("sacred",) if "sacred" in location else ()))
    facts = [
        ("worth", location_words(location)),
        ("as data", _as_data(location, names)),
    ]
    head = f"{location['name']} (locations.{key}){_where(rulebook, location)}"
    return _with_changes(rulebook, f"locations.{key}", [head, *_facts(facts)])


def _ruling_lines(rulebook: Rulebook, key: str) -> list[str]:
    default, alternative = RULINGS[Ruling[key.upper()]]
    is_on = rulebook.data["rulings"][key]
    facts = [("false", default), ("true", alternative)]
    return _with_changes(rulebook, f"rulings.{key}", [f"rulings.{key} = {toml(is_on)}", *_facts(facts)])


def _value_lines(rulebook: Rulebook, dotted: str) -> list[str]:
    value = value_at(rulebook.data, dotted)
    leaves = flatten({dotted: value})
    lines: list[str] = []
    for key, leaf in leaves.items():
        table = key.rpartition(".")[0]
        if number_words(table) and not any(line.startswith(table) for line in lines):
            lines += wrap(f"{table}.*: {number_words(table)}", WIDTH, subsequent_indent="    ")
        lines.append(f"{key} = {toml(leaf)}")
        lines += wrap(number_words(key), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return _with_changes(rulebook, dotted, lines)


def overview(rulebook: Rulebook) -> str:
    """Return the whole rules in 80 columns."""
    sections = [
        head_lines(rulebook),
        number_table(rulebook),
        threat_table(rulebook),
        *([kraken_table(rulebook), nebulis_table(rulebook), loot_table(rulebook)] if _has_kraken(rulebook) else []),
        lord_table(rulebook),
        location_table(rulebook),
        ruling_table(rulebook),
    ]
    if rulebook.changes:
        sections.append(["CHANGED FROM THE PRINTED GAME"])
        for line in change_lines(rulebook.changes, rulebook.expansions):
            sections[-1] += wrap(line, WIDTH, initial_indent="  ", subsequent_indent="      ")
    return "\n\n".join("\n".join(section) for section in sections)


def head_lines(rulebook: Rulebook) -> list[str]:
    """Return the title and how many cards of each kind are in the game."""
    data = rulebook.data
    counts = {table: sum(in_game(card, rulebook.expansions) for card in data[table].values()) for table in CARDS}
    copies = data["races"]["copies"]
    cards = RACES * sum(copies.values()) + krakens_in(data) + data["game"]["monster_cards"]
    tokens = data["monster_tokens"]["values"]
    players = ", ".join(str(seats) for seats in rulebook.players)
    played = "".join(f" with {name.title()}" for name in rulebook.expansions)
    return [
        *wrap(f"{data['game']['title']}{played}, for {players} players (rules {rulebook.rules_hash})", WIDTH),
        f"  {counts['lords']} Lords, {counts['locations']} Locations, {cards} Exploration cards, "
        f"{sum(tokens.values())} Monster tokens",
        *_wrapped(f"Allies of each Race by value: {_by_value(copies)}"),
        *_wrapped(f"Monster tokens by value: {_by_value(tokens)}"),
    ]


def _has_kraken(rulebook: Rulebook) -> bool:
    return KRAKEN in rulebook.expansions


def _by_value(copies: dict[str, int]) -> str:
    return ", ".join(f"{count} of {value}" for value, count in copies.items())


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")


def number_table(rulebook: Rulebook) -> list[str]:
    """Return the numbers of the game in two columns."""
    numbers = [(key, value) for key, value in rulebook.data["game"].items() if isinstance(value, int)]
    half = (len(numbers) + 1) // 2
    cells = [f"{key:<24}{value:>4}" for key, value in numbers] + [""]
    rows = [f"  {cells[i]:<36}{cells[i + half]}".rstrip() for i in range(half)]
    return ["THE GAME (game.*)", *rows]


def threat_table(rulebook: Rulebook) -> list[str]:
    """Return the rewards of the threat track, a line for each space."""
    lines = ["THREAT TRACK (threat.spaces)"]
    for number, space in enumerate(rulebook.rewards, start=1):
        text = ", or ".join(f"{reward_words(letters)} ({letters})" for letters in space)
        lines += wrap(text, WIDTH, initial_indent=f"  {number:>2}  ", subsequent_indent=" " * 6)
    return lines


def kraken_table(rulebook: Rulebook) -> list[str]:
    """Return the Krakens by value, and what each gives."""
    given = rulebook.data["nebulis"]["kraken_ally_nebulis"]
    lines = ["KRAKENS (allies.kraken, of any Race; nebulis.kraken_ally_nebulis)"]
    for value, copies in rulebook.data["allies"]["kraken"].items():
        gives = f", {given[value]} Nebulis when it is paid or left in hand" if copies else ""
        lines.append(f"  value {value}: {copies} in the deck{gives}")
    return lines


def nebulis_table(rulebook: Rulebook) -> list[str]:
    """Return what Nebulis and the Kraken figure are worth, and how many a payment may hold."""
    nebulis = rulebook.data["nebulis"]
    return [
        "NEBULIS (nebulis.*)",
        f"  each Nebulis {nebulis['points_each']} IP, the Kraken figure {nebulis['kraken_figure_points']} IP",
        f"  at most {nebulis['max_per_payment']} in one payment, when all Pearls are spent in it",
    ]


def loot_table(rulebook: Rulebook) -> list[str]:
    """Return the Loot by value with its rewards, and the Sentinels."""
    loot = rulebook.data["loot"]
    lines = ["LOOT (loot.*) and Sentinels (sentinels.*)"]
    for value, copies in loot["copies"].items():
        reward = f"{reward_words(loot['rewards'][value])} at once" if copies else "not in the game"
        lines += _wrapped(f"value {value}: {fill('{amount} {card|cards}', copies)}, {reward}")
    return [*lines, f"  Sentinels: {rulebook.data['sentinels']['count']}"]


def _short(key: str) -> str:
    return key if len(key) <= KEY_WIDTH else key[: KEY_WIDTH - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _short_power(lord: Data) -> str:
    low, high = AMOUNTS[Power[lord["power"].upper()]]
    return lord["power"] if low == high else f"{lord['power']} {lord['amount']}"


def lord_table(rulebook: Rulebook) -> list[str]:
    """Return the Lords by guild, in columns."""
    data = rulebook.data
    lines = ["LORDS (lords.*)", f"  {'':<{KEY_WIDTH}} cost Races  IP Keys  power and amount"]
    for guild, race in data["guilds"].items():
        lines.append(f"  {guild} ({race or 'no Race demanded'})")
        for key, lord in data["lords"].items():
            if lord["guild"] == guild:
                power = _short_power(lord) if in_game(lord, rulebook.expansions) else "not in the game"
                numbers = f"{lord['cost']:>4} {lord['races']:>5} {lord['points']:>3} {lord['keys']:>4}"
                lines.append(f"    {_short(key):<{KEY_WIDTH - 2}} {numbers}  {power}")
    return lines


def location_table(rulebook: Rulebook) -> list[str]:
    """Return the Locations and what they are worth."""
    lines = ["LOCATIONS (locations.*)"]
    for key, location in rulebook.data["locations"].items():
        is_in = in_game(location, rulebook.expansions)
        text = location_words(location) if is_in else "not in the game"
        lines += wrap(text, WIDTH, initial_indent=f"  {_short(key):<{KEY_WIDTH}} ", subsequent_indent=" " * 23)
    return lines


def ruling_table(rulebook: Rulebook) -> list[str]:
    """Return what is played for each ruling."""
    lines = ["RULINGS (rulings.*; what is played)"]
    for key, is_on in rulebook.data["rulings"].items():
        text = RULINGS[Ruling[key.upper()]][int(is_on)]
        lines += wrap(f"{key} = {toml(is_on)}: {text}", WIDTH, initial_indent="  ", subsequent_indent="      ")
    return lines
