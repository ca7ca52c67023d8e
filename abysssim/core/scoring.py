"""What Lords, Locations, Allies and Monster tokens are worth to a seat (rulebook p. 9-11). Nothing moves here."""

from abysssim.core.jit import jit
from abysssim.core.layout import LOOT_VALUES, MAX_VALUE, RACES, TOKEN_VALUES
from abysssim.vocabulary import Guild, Per

NO_LORD = 9999


@jit
def counts_for_locations(rules, held):
    """Tell whether a Lord's guild and Keys count for Locations: turned ones do, unless the ruling says points only."""
    return held.turned == 0 or rules.turned_vp_only == 0


@jit
def lords_of_guild(game, rules, seat, guild):
    """Return how many Lords of `guild` the seat has, free or under a Location."""
    player = game.players[seat]
    count = 0
    for i in range(player.lord_count):
        held = player.lords[i]
        if rules.lords[held.lord].guild == guild and counts_for_locations(rules, held):
            count += 1
    return count


@jit
def guilds_present(game, rules, seat):
    """Return how many different guilds the seat's Lords have."""
    player = game.players[seat]
    seen = 0
    count = 0
    for i in range(player.lord_count):
        held = player.lords[i]
        bit = 1 << rules.lords[held.lord].guild
        if seen & bit == 0 and counts_for_locations(rules, held):
            seen |= bit
            count += 1
    return count


@jit
def has_key(rules, lord):
    """Tell whether Towers see a Key on the Lord (Ambassadors show three; keyless under a ruling)."""
    if rules.ambassador_keyless == 1 and rules.lords[lord].guild == Guild.AMBASSADOR:
        return False
    return rules.lords[lord].keys > 0


@jit
def lords_with_key(game, rules, seat, wanted):
    """Return how many of the seat's Lords have (`wanted` true) or lack a printed Key."""
    player = game.players[seat]
    count = 0
    for i in range(player.lord_count):
        held = player.lords[i]
        if has_key(rules, held.lord) == wanted and counts_for_locations(rules, held):
            count += 1
    return count


@jit
def strongest_lord(game, rules, seat):
    """Return the IP of the seat's strongest Lord, 0 without a Lord."""
    player = game.players[seat]
    best = 0
    for i in range(player.lord_count):
        best = max(best, rules.lords[player.lords[i].lord].points)
    return best


@jit
def weakest_lord(game, rules, seat):
    """Return the IP of the seat's weakest Lord, 0 without a Lord."""
    player = game.players[seat]
    least = NO_LORD
    for i in range(player.lord_count):
        least = min(least, rules.lords[player.lords[i].lord].points)
    return 0 if least == NO_LORD else least


@jit
def affiliated_of_race(game, seat, race):
    """Return how many affiliated Allies of `race` the seat has."""
    player = game.players[seat]
    count = 0
    for value in range(1, MAX_VALUE + 1):
        count += player.affiliated[race, value]
    return count


@jit
def affiliated_count(game, seat):
    """Return how many affiliated Allies the seat has."""
    count = 0
    for race in range(RACES):
        count += affiliated_of_race(game, seat, race)
    return count


@jit
def highest_affiliated(player, race):
    """Return the highest affiliated value of `race`, 0 if there is none."""
    for value in range(MAX_VALUE, 0, -1):
        if player.affiliated[race, value] > 0:
            return value
    return 0


@jit
def lowest_affiliated(player, race):
    """Return the lowest affiliated value of `race`, 0 if there is none."""
    for value in range(1, MAX_VALUE + 1):
        if player.affiliated[race, value] > 0:
            return value
    return 0


@jit
def weakest_affiliated_total(game, seat):
    """Return the sum over Races of the lowest affiliated Ally."""
    total = 0
    for race in range(RACES):
        total += lowest_affiliated(game.players[seat], race)
    return total


@jit
def loot_total(game, location):
    """Return what the Loot on a Location comes to."""
    total = 0
    for value in range(LOOT_VALUES):
        total += value * (game.loot[location] >> value & 1)
    return total


@jit
def counted(game, rules, seat, location):
    """Return how much of what a Location counts the seat has (the City of Mirrors apart)."""
    tile = rules.locations[location]
    per = tile.per
    if per == Per.LORDS_OF_GUILD:
        return lords_of_guild(game, rules, seat, tile.of)
    if per == Per.AFFILIATED_OF_RACE:
        return affiliated_of_race(game, seat, tile.of)
    if per == Per.GUILDS_PRESENT:
        return guilds_present(game, rules, seat)
    if per == Per.WEAKEST_LORD_POINTS:
        return weakest_lord(game, rules, seat)
    if per == Per.STRONGEST_LORD_POINTS:
        return strongest_lord(game, rules, seat)
    if per == Per.LORDS:
        return game.players[seat].lord_count
    if per == Per.LORDS_WITH_KEY:
        return lords_with_key(game, rules, seat, True)
    if per == Per.LORDS_WITHOUT_KEY:
        return lords_with_key(game, rules, seat, False)
    if per == Per.WEAKEST_AFFILIATED_OF_EACH_RACE:
        return weakest_affiliated_total(game, seat)
    if per == Per.AFFILIATED:
        return affiliated_count(game, seat)
    if per == Per.NEBULIS:
        return game.players[seat].nebulis
    if per == Per.LOOT:
        return loot_total(game, location)
    return 0


@jit
def printed_worth(game, rules, seat, location):
    """Return what a Location other than the City of Mirrors is worth to the seat now, in IP."""
    tile = rules.locations[location]
    worth = min(tile.points + tile.each * counted(game, rules, seat, location), tile.most)
    if tile.per == Per.NEBULIS and rules.floor0 == 1:
        return max(worth, 0)
    return worth


@jit
def copied_worth(game, rules, seat, location):
    """Return what a Location is worth to the seat if the City of Mirrors copies it: with its Loot, but for a ruling."""
    if rules.locations[location].per == Per.LOOT and rules.no_loot == 1:
        return rules.locations[location].points
    return printed_worth(game, rules, seat, location)


@jit
def best_opponent_location(game, rules, seat):
    """Return the most that an opponent's Location would be worth with the seat's own cards; mirrors copy no mirror."""
    best = 0
    for other in range(game.seats):
        if other != seat:
            rival = game.players[other]
            for i in range(rival.location_count):
                location = rival.locations[i]
                if rules.locations[location].per != Per.BEST_OPPONENT_LOCATION:
                    best = max(best, copied_worth(game, rules, seat, location))
    return best


@jit
def location_worth(game, rules, seat, location):
    """Return what a Location is worth to the seat now, in IP, whether it has it or not."""
    tile = rules.locations[location]
    if tile.per == Per.BEST_OPPONENT_LOCATION:
        return min(tile.points + tile.each * best_opponent_location(game, rules, seat), tile.most)
    return printed_worth(game, rules, seat, location)


@jit
def score_locations(game, rules, seat):
    """Return the IP of the seat's Locations, their Loot included."""
    player = game.players[seat]
    total = 0
    for i in range(player.location_count):
        total += location_worth(game, rules, seat, player.locations[i])
    return total


@jit
def score_loot(game, rules, seat):
    """Return the IP of the Loot on the seat's Locations."""
    player = game.players[seat]
    total = 0
    for i in range(player.location_count):
        location = player.locations[i]
        if rules.locations[location].per == Per.LOOT:
            total += location_worth(game, rules, seat, location) - rules.locations[location].points
    return total


@jit
def score_nebulis(game, rules, seat):
    """Return the IP of the seat's Nebulis."""
    return rules.nebulis_points * game.players[seat].nebulis


@jit
def score_kraken(game, rules, seat):
    """Return the IP of the Kraken figure, if the seat holds it."""
    return rules.figure_points if rules.kraken == 1 and game.kraken_holder == seat else 0


@jit
def score_lords(game, rules, seat):
    """Return the IP of the seat's Lords, free, turned or under a Location."""
    player = game.players[seat]
    total = 0
    for i in range(player.lord_count):
        total += rules.lords[player.lords[i].lord].points
    return total


@jit
def score_allies(game, seat):
    """Return the IP of the seat's affiliated Allies: the highest of each Race."""
    total = 0
    for race in range(RACES):
        total += highest_affiliated(game.players[seat], race)
    return total


@jit
def score_tokens(game, seat):
    """Return the IP of the seat's Monster tokens."""
    total = 0
    for value in range(TOKEN_VALUES):
        total += value * game.players[seat].monster_tokens[value]
    return total
