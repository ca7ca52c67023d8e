"""What a seat holds, and how it changes: Allies, Pearls, Lords and their lasting powers."""

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import DESK, GAME, KRAKEN, MAX_VALUE, RACES, RULES
from abysssim.engine.choice import log
from abysssim.vocabulary import LASTING_POWERS, Area, Event, Guild, Power, Timing

TAXED_FROM = 2  # Pearls gained at once that the Highwayman taxes


@inline
def add_to_hand(game, seat, race, value):
    """Put an Ally into a hand."""
    player = game.players[sure(seat)]
    player.hand[sure(race), sure(value)] += 1
    player.race_count[sure(race)] += 1
    player.race_total[sure(race)] += value
    player.hand_size += 1
    player.hand_version += 1


@inline
def take_from_hand(game, seat, race, value):
    """Take an Ally out of a hand."""
    player = game.players[sure(seat)]
    player.hand[sure(race), sure(value)] -= 1
    player.race_count[sure(race)] -= 1
    player.race_total[sure(race)] -= value
    player.hand_size -= 1
    player.hand_version += 1


@inline
def take_all_from_hand(game, seat, race, value, number):
    """Take so many Allies of one kind out of a hand."""
    player = game.players[sure(seat)]
    player.hand[sure(race), sure(value)] -= number
    player.race_count[sure(race)] -= number
    player.race_total[sure(race)] -= value * number
    player.hand_size -= number
    player.hand_version += number


@inline
def discard_ally(game, race, value):
    """Put an Ally on the Exploration discard."""
    game.discard[sure(race), sure(value)] += 1
    game.discard_count += 1


@inline
def gain_pearls(game, rules, desk, seat, pearls, cause):
    """Give Pearls from the supply (rulebook p. 3: it is never short)."""
    if pearls > 0:
        game.players[seat].pearls += pearls
        log(desk, Event.GAIN, seat, pearls, cause, 0, 0)
        tax_gain(game, rules, desk, seat, pearls)


@inline
def tax_gain(game, rules, desk, seat, pearls):
    """Let opposing Highwaymen take their part of a gain of several Pearls at once (Kraken manual)."""
    if game.power_count[Power.TAX_GAINS_OF_PEARLS] > 0 and pearls >= TAXED_FROM:
        pay_tax(game, rules, desk, seat, pearls)


@separate((GAME, RULES, DESK), 2)
def pay_tax(game, rules, desk, seat, pearls):
    """Pay opposing Highwaymen, clockwise, as far as the gain goes; a Shaman keeps Soldiers away."""
    player = game.players[seat]
    immune = player.power_count[Power.IMMUNE_TO_SOLDIERS] > 0
    for step in range(1, game.seats):
        other = seat_after(game, seat, step)
        rival = game.players[other]
        amount = rival.power_amount[Power.TAX_GAINS_OF_PEARLS]
        if immune:
            amount -= rival.soldier_amount[Power.TAX_GAINS_OF_PEARLS]
        taken = min(amount, pearls)
        if taken > 0:
            pearls -= taken
            player.pearls -= taken
            rival.pearls += taken
            lord = holder_of(game, rules, other, Power.TAX_GAINS_OF_PEARLS)
            log(desk, Event.TAX, other, seat, taken, lord, 0)
    return 0


@jit
def add_lord(game, rules, seat, lord):
    """Lay a Lord in front of a seat, free and not turned."""
    player = game.players[seat]
    held = player.lords[player.lord_count]
    held.lord = lord
    held.location = -1
    held.turned = 0
    held.used = 0
    held.spent = 0
    player.lord_count += 1
    count_powers(game, rules, seat, held, 1)


@jit
def remove_lord(game, rules, seat, place):
    """Take the Lord at `place` out of the game."""
    player = game.players[seat]
    if is_active(player.lords[place]):
        count_powers(game, rules, seat, player.lords[place], -1)
    for i in range(place, player.lord_count - 1):
        player.lords[i].lord = player.lords[i + 1].lord
        player.lords[i].location = player.lords[i + 1].location
        player.lords[i].turned = player.lords[i + 1].turned
        player.lords[i].used = player.lords[i + 1].used
        player.lords[i].spent = player.lords[i + 1].spent
    player.lord_count -= 1


@inline
def is_active(held):
    """Tell whether a Lord's power and Keys work: it is free and not turned."""
    return held.location < 0 and held.turned == 0


@jit
def turn_over(game, rules, seat, place):
    """Turn the active Lord at `place`: its power and Keys stop."""
    held = game.players[seat].lords[place]
    held.turned = 1
    count_powers(game, rules, seat, held, -1)


@jit
def cover(game, rules, seat, place, location):
    """Slide the Lord at `place` under a Location: its power and Keys stop."""
    held = game.players[seat].lords[place]
    if is_active(held):
        count_powers(game, rules, seat, held, -1)
    held.location = location


@jit
def uncover(game, rules, seat, place):
    """Free the Lord at `place` from its Location: power and Keys work again, but an Ambassador's Keys stay spent."""
    held = game.players[seat].lords[place]
    held.location = -1
    held.used = 0
    if rules.lords[held.lord].guild == Guild.AMBASSADOR and rules.keys_reusable == 0:
        held.spent = 1
    count_powers(game, rules, seat, held, 1)


@inline
def keys_of(rules, held):
    """Return the Keys that a free, unturned Lord gives."""
    return rules.lords[held.lord].keys if held.spent == 0 else 0


@jit
def count_powers(game, rules, seat, held, change):
    """Bring up to date what the free, unturned Lords come to: `held` is a new one of them (1) or no longer one (-1)."""
    player = game.players[seat]
    card = rules.lords[held.lord]
    game.lords_version += 1
    player.lord_keys += change * keys_of(rules, held)
    if card.timing == Timing.LASTING:
        count_power(game, card.power, change, change * card.amount, card.guild)
        count_power(player, card.power, change, change * card.amount, card.guild)
    elif card.timing == Timing.TURN:
        player.turn_powers += change


@jit
def count_power(holder, power, count, amount, guild):
    """Add to the lasting powers of a seat, or to those of all seats (`holder` is a PLAYER or GAME record)."""
    holder.power_count[power] += count
    holder.power_amount[power] += amount
    if guild == Guild.SOLDIER:
        holder.soldier_amount[power] += amount


@jit
def clear_powers(holder):
    """Forget the lasting powers of a seat, or those of all seats."""
    for power in range(LASTING_POWERS):
        holder.power_count[power] = 0
        holder.power_amount[power] = 0
        holder.soldier_amount[power] = 0


@jit
def refresh_powers(game, rules):
    """Count everything that the free, unturned Lords come to anew, as a game needs that starts from a position."""
    clear_powers(game)
    for seat in range(game.seats):
        player = game.players[seat]
        clear_powers(player)
        player.turn_powers = 0
        player.lord_keys = 0
        for i in range(player.lord_count):
            if is_active(player.lords[i]):
                count_powers(game, rules, seat, player.lords[i], 1)


@inline
def opponents_have(game, seat, power):
    """Tell whether an opponent has a lasting power."""
    return game.power_count[power] > game.players[sure(seat)].power_count[power]


@inline
def seat_after(game, seat, step):
    """Return the seat that comes `step` places clockwise (fewer than there are seats)."""
    other = seat + step
    return other - game.seats if other >= game.seats else other


@jit
def holder_of(game, rules, seat, power):
    """Return the number of the seat's first active Lord with a lasting power, -1 for none."""
    player = game.players[seat]
    for i in range(player.lord_count):
        held = player.lords[i]
        if rules.lords[held.lord].power == power and is_active(held):
            return held.lord
    return -1


@inline
def usable_keys(player):
    """Return the Keys a seat can spend: its tokens and those of its free, unturned Lords."""
    return player.key_tokens + player.lord_keys


@jit
def clear_stack(game, race):
    """Empty a Council stack."""
    for value in range(1, MAX_VALUE + 1):
        game.council[race, value] = 0
        game.council_krakens[race, value] = 0
    game.council_size[race] = 0


@jit
def log_stack(game, desk, seat, race):
    """Log the cards of a Council stack, one entry each."""
    if desk.recording:
        for value in range(1, MAX_VALUE + 1):
            for _ in range(game.council[race, value]):
                log(desk, Event.COUNCIL_CARD, seat, race, value, 0, 0)
        for value in range(1, MAX_VALUE + 1):
            for _ in range(game.council_krakens[race, value]):
                log(desk, Event.COUNCIL_CARD, seat, KRAKEN, value, 0, 0)


@jit
def discard_stack(game, desk, seat, race, lord):
    """Discard a whole Council stack."""
    log(desk, Event.DISCARD_STACK, seat, race, lord, 0, 0)
    log_stack(game, desk, seat, race)
    for value in range(1, MAX_VALUE + 1):
        game.discard[race, value] += game.council[race, value]
        game.discard[KRAKEN, value] += game.council_krakens[race, value]
    game.discard_count += game.council_size[race]
    clear_stack(game, race)


@inline
def is_reserved(game, seat, area, item):
    """Tell whether another seat's Sentinel stands on a Court Lord, a stack or a face-up Location (Kraken manual)."""
    owner = game.reserved_for[area]
    return owner > 0 and owner != seat + 1 and game.reserved_item[area] == item


@inline
def reserved_from(game, seat, area):
    """Return how many things of an area (0 or 1) another seat's Sentinel keeps from this seat."""
    return 1 if game.reserved_for[area] > 0 and game.reserved_for[area] != seat + 1 else 0


@jit
def is_any_stack(game, seat):
    """Tell whether there is a Council stack with a card that the seat may take."""
    for race in range(RACES):
        if game.council_size[race] > 0 and not is_reserved(game, seat, Area.COUNCIL, race):
            return True
    return False
