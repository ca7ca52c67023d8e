"""What a seat of the weighted family knows and values: named features on fixed-point integers.

Everything is read from what the seat may see: its own hand, and what lies open. Numbers are 1024ths of an IP. What
changes seldom is kept in the seat's scratch memory (`memo`), under a stamp of what it was computed from.
"""

from abysssim.core.index import negative, sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import GAME, KRAKEN, MAX_LORDS, MAX_SEATS, MAX_VALUE, MEMO, POLICY, RACES, RULES, TABLES
from abysssim.core.payment import all_ordered, cost_change, purse_of
from abysssim.core.scoring import (
    highest_affiliated,
    location_worth,
    score_allies,
    score_kraken,
    score_locations,
    score_lords,
    score_nebulis,
    strongest_lord,
    weakest_lord,
)
from abysssim.policies.nebulis import kraken_worth, nebulis_cost
from abysssim.policies.weights import BITS, FIRST_POWER, SCALE, W
from abysssim.vocabulary import Area, EndTrigger, Guild, LocationPower, Per, Power, Timing

# Places in the tables of a policy, written by `prepare`.
ARRIVAL = 0  # [Lord] its IP and what its arrow brings
LASTING = ARRIVAL + MAX_LORDS  # [Lord] its power while free, over a whole game
NOW = LASTING + MAX_LORDS  # [Lord] 1 if its arrow brings what depends on the standing
DEMANDED = NOW + MAX_LORDS  # [Lord] the Race that its payment must have, RACES for none
COUNTED_KEYS = DEMANDED + MAX_LORDS  # [Lord] its Keys, but for an Ambassador's, which are spent at once
PULL = COUNTED_KEYS + MAX_LORDS  # [points missing] share of a Lord's worth that a point brings nearer, in 1024ths
PULLS = 13  # more missing points than that are no further away
LEAST_FIRST = PULL + PULLS  # [1 without one in hand, else 0] the least that a first Ally is worth beside its points
MOST_FIRST = LEAST_FIRST + 2  # likewise the most
BOUNDED = MOST_FIRST + 2  # 1 where the weights keep the demand in bounds (`least_worth`, `most_worth`)
LORDS_A_GAME = 7  # scale of the horizon: a lasting power is weighed over this many Lords still to come
COURT = BOUNDED + 1  # [Lords still to come, Lord] what a Lord is worth as one to save up for
assert COURT + (LORDS_A_GAME + 1) * MAX_LORDS <= TABLES

# Places in the memo.
STANDING_STAMP = 0  # what the standing was read from; 0 before the first time
LEFT = STANDING_STAMP + 1  # Lords still to come until somebody ends the game
FADE = LEFT + 1  # share of it in a whole game, in 1024ths
COURT_NOW = FADE + 1  # where the row of COURT begins that holds now
KEY_STAMP = COURT_NOW + 1  # what the worths of Keys were computed from
KEY_WORTH = KEY_STAMP + 1  # [number of Keys] what so many more are worth
KEY_WORTHS = 5  # more Keys than that at once count no more
HAND_STAMP = KEY_WORTH + KEY_WORTHS  # what the demand was computed from
# [Race], and a last place that stands for no Race: what Lords demand that demand none.
POINT = HAND_STAMP + 1  # worth of a point
FIRST = POINT + RACES + 1  # worth of a first Ally, 0 with one in hand
TOTAL = FIRST + RACES + 1  # points in hand
NONE = TOTAL + RACES + 1  # 1 without one in hand
BEST = NONE + RACES + 1  # [number of Races] total of the best Races in hand
PLAN = BEST + RACES + 1  # what the payment plan is for
CARDS = PLAN + 1  # [Race, Krakens last] cards to pay: four bits for each value
REST = CARDS + RACES + 1  # [Race] scratch of the planner
LEAD_MARK = REST + RACES + 1  # decision that LEAD is for
LEAD = LEAD_MARK + 1  # IP ahead of the best opponent
HIGH = LEAD + 1  # [Race] scratch of the planner: its highest affiliated Ally
assert HIGH + RACES < MEMO
NO_LIMIT = 1 << 20
# The planner's scratch lies where nothing is kept at that time.
EXTRA = CARDS  # [Race] what own Locations add for an affiliated Ally

TOKEN_MEAN = 2714  # what an unseen Monster token scores on average (2.65 IP)
LOOT_A_GAME = 16  # Loot left in the deck from which a Sacred Place yields as much as it ever does


@inline
def pearl_worth(policy, pearls):
    """Return what one more Pearl is worth to a seat that holds `pearls`."""
    worth = policy.weights[W.PEARL] - policy.weights[W.PEARL_GLUT] * pearls
    return max(worth, policy.weights[W.PEARL_LEAST])


@inline
def is_last_turn(game, seat):
    """Tell whether the seat is in its last turn: the end has been brought on and no extra turn is left."""
    return game.end_trigger != EndTrigger.NONE and game.seat == seat and game.players[seat].extra_turns == 0


@inline
def has_turn_to_come(game, seat):
    """Tell whether the seat has another turn after the one under way."""
    if game.end_trigger == EndTrigger.NONE:
        return True
    if game.seat == seat:
        return game.players[seat].extra_turns > 0
    if game.turns_left < 0:
        return True
    return (seat - game.seat) % game.seats <= game.turns_left


@jit
def final_gain(game, seat, race, value):
    """Return the IP that one more Ally in hand adds if nothing else is affiliated: the lowest of each Race counts.

    Of a Kraken nothing good can come any more.
    """
    if race == KRAKEN:
        return -1
    player = game.players[seat]
    lowest = 0
    for v in range(MAX_VALUE, 0, -1):
        if player.hand[race, v] > 0:
            lowest = v
    held = highest_affiliated(player, race)
    now = value if lowest == 0 else min(lowest, value)
    return max(held, now) - max(held, lowest)


@inline
def lords_left(game, rules):
    """Return how many Lords the leader still lacks to the end of the game."""
    most = 0
    for seat in range(MAX_SEATS):  # a place where nobody sits has no Lords
        most = max(most, game.players[seat].lord_count)
    return max(min(rules.lords_to_end - most, 1 + game.lord_deck_count // game.seats), 0)


# --- Lords ----------------------------------------------------------------------------------------------------------


@jit
def prepare(rules, policy, seats):
    """Write into the tables of a policy what each Lord is worth whatever the standing of the game."""
    tables = policy.tables
    for lord in range(rules.lord_count):
        card = rules.lords[lord]
        arrival = policy.weights[W.IP] * card.points
        lasting = 0
        if card.timing == Timing.ONCE:
            arrival += arrow_worth(policy, card, seats)
        elif card.timing != Timing.NONE:
            lasting = policy.weights[FIRST_POWER + card.power] * power_units(card)
        tables[ARRIVAL + lord] = arrival
        tables[LASTING + lord] = lasting
        tables[NOW + lord] = 1 if depends_on_standing(card.power) else 0
        tables[DEMANDED + lord] = card.race if card.race >= 0 else RACES
        tables[COUNTED_KEYS + lord] = 0 if card.guild == Guild.AMBASSADOR else card.keys
        for left in range(LORDS_A_GAME + 1):
            later = lasting + policy.weights[W.KEY] * min(card.keys, 2)
            tables[COURT + left * MAX_LORDS + lord] = max(arrival + (later * share_left(left) >> 10), 0)
    tables[LEAST_FIRST + 1] = policy.weights[W.NEW_RACE]
    tables[MOST_FIRST + 1] = policy.weights[W.FIRST_MOST]
    tables[BOUNDED] = keeps_bounds(policy.weights)
    near = max(policy.weights[W.DEMAND_NEAR], 1)
    tables[PULL] = policy.weights[W.DEMAND_MET] * 1024 // near
    for missing in range(1, PULLS):
        tables[PULL + missing] = SCALE * 1024 // (missing * SCALE + near)


@jit
def depends_on_standing(power):
    """Tell whether `arrow_now` weighs an arrow."""
    return (
        power == Power.TAKE_COUNCIL_STACK
        or power == Power.OPPONENTS_LOSE_PEARLS
        or power == Power.DISABLE_LORD_OF_EACH_OPPONENT
        or power == Power.STEAL_MONSTER_TOKEN
        or power == Power.EXCHANGE_LOCATION
        or power == Power.RECRUIT_FOR_PEARLS
        or power == Power.SWAP_LORD_WITH_COURT
        or power == Power.SWAP_LORD_WITH_DECK
        or power == Power.GIVE_NEBULIS_TO_EACH_OPPONENT
        or power == Power.FREE_LORD
        or power == Power.SENTINEL
    )


@jit
def keeps_bounds(weights):
    """Return 1 if no demand can make an Ally worth less than none does, nor more than the most, else 0."""
    least = min(weights[W.DEMAND], weights[W.DEMAND_OTHER], weights[W.DEMAND_MET], weights[W.LACKING_RACE])
    ordered_weights = weights[W.POINT] <= weights[W.POINT_MOST] and weights[W.NEW_RACE] <= weights[W.FIRST_MOST]
    return 1 if least >= 0 and weights[W.COUNCIL_VALUE] >= 0 and ordered_weights else 0


@jit
def power_units(card):
    """Return how often the weight of a lasting power counts: its amount, where twice is worth twice."""
    power = card.power
    if power == Power.OPPONENTS_HAND_LIMIT or power == Power.IMMUNE_TO_SOLDIERS:
        return 1
    if power == Power.AFFILIATE_ANY or power == Power.ANY_RACES:
        return 1
    if power == Power.DISCARD_COUNCIL_STACK or power == Power.REPLACE_COURT_LORD:
        return 1
    if power >= Power.NEBULIS_PER_PAYMENT and power <= Power.SENTINEL:
        return 1
    if power == Power.PURCHASES_PER_TURN:
        return card.amount - 1
    return card.amount


@jit
def arrow_worth(policy, card, seats):
    """Return what an arrow brings that does not depend on the standing."""
    power = card.power
    weight = policy.weights[FIRST_POWER + power]
    if power == Power.OPPONENTS_DISCARD_ALLY or power == Power.OPPONENTS_DISCARD_AFFILIATED:
        return weight * card.amount * (seats - 1)
    if power == Power.TAKE_ALLY_FROM_DISCARD:
        return weight * card.amount
    if power == Power.EXTRA_TURN:
        return weight * card.amount
    if power == Power.GAIN_PEARLS:
        return weight * (policy.weights[W.PEARL] * card.amount >> BITS)
    if power == Power.DRAW_LOCATIONS:
        return weight + policy.weights[W.DRAW_MORE] * (card.amount - 1)
    return 0


@jit
def arrow_now(game, rules, policy, seat, lord):
    """Return what an arrow brings that depends on the standing."""
    player = game.players[seat]
    power = rules.lords[lord].power
    weight = policy.weights[FIRST_POWER + power]
    if power == Power.TAKE_COUNCIL_STACK:
        most = 0
        for race in range(RACES):
            most = max(most, game.council_size[race])
        return weight * most
    if power == Power.OPPONENTS_LOSE_PEARLS:
        lost = 0
        for other in range(game.seats):
            if other != seat:
                lost += min(game.players[other].pearls, rules.lords[lord].amount)
        return weight * lost
    if power == Power.DISABLE_LORD_OF_EACH_OPPONENT:
        return weight * opponents_with_free_lords(game, seat)
    if power == Power.STEAL_MONSTER_TOKEN:
        for other in range(game.seats):
            if other != seat and game.players[other].monster_token_count > 0:
                return weight
        return 0
    if power == Power.EXCHANGE_LOCATION:
        return weight * exchange_gain(game, rules, policy, seat) >> BITS
    if power == Power.RECRUIT_FOR_PEARLS:
        return weight if player.pearls >= rules.lords[lord].amount and game.court_count > 1 else 0
    if power == Power.SWAP_LORD_WITH_COURT or power == Power.SWAP_LORD_WITH_DECK:
        for i in range(player.lord_count):
            if player.lords[i].location < 0:
                return weight
        return 0
    if rules.kraken == 1:
        return kraken_arrow_now(game, rules, policy, seat, lord)
    return 0


@separate((GAME, RULES, POLICY), 2)
def kraken_arrow_now(game, rules, policy, seat, lord):
    """Return what an arrival brings that the Kraken expansion adds and that depends on the standing."""
    player = game.players[seat]
    fade = player.memo[FADE]
    power = rules.lords[lord].power
    if power == Power.SENTINEL:
        return -nebulis_cost(game, rules, policy, seat, rules.lords[lord].amount, fade)
    weight = policy.weights[FIRST_POWER + power]
    if power == Power.GIVE_NEBULIS_TO_EACH_OPPONENT:
        given = min(player.nebulis, game.seats - 1)
        return -(weight * nebulis_cost(game, rules, policy, seat, -given, fade) >> BITS)
    best = 0
    for i in range(player.lord_count):
        if player.lords[i].location >= 0:
            freed = player.lords[i].lord
            worth = fading(player.memo, policy.tables[LASTING + freed])
            best = max(best, worth + keys_worth(player.memo, policy.tables[COUNTED_KEYS + freed]))
    return weight * best >> BITS


@jit
def opponents_with_free_lords(game, seat):
    """Return how many opponents have a free Lord that is not turned."""
    count = 0
    for other in range(game.seats):
        if other != seat:
            rival = game.players[other]
            free = 0
            for i in range(rival.lord_count):
                if rival.lords[i].location < 0 and rival.lords[i].turned == 0:
                    free = 1
            count += free
    return count


@jit
def lord_adds(game, rules, seat, location, lord):
    """Return the IP that one more Lord adds to a Location (1024ths), from its guild, Keys and points."""
    tile = rules.locations[location]
    card = rules.lords[lord]
    per = tile.per
    step = 0
    if per == Per.LORDS_OF_GUILD:
        step = 1 if card.guild == tile.of else 0
    elif per == Per.LORDS:
        step = 1
    elif per == Per.LORDS_WITH_KEY:
        step = 1 if card.keys > 0 else 0
    elif per == Per.LORDS_WITHOUT_KEY:
        step = 1 if card.keys == 0 else 0
    elif per == Per.STRONGEST_LORD_POINTS:
        step = max(card.points - strongest_lord(game, rules, seat), 0)
    elif per == Per.WEAKEST_LORD_POINTS:
        step = min(card.points - weakest_lord(game, rules, seat), 0)
    elif per == Per.GUILDS_PRESENT:
        step = 1
        for i in range(game.players[seat].lord_count):
            if rules.lords[game.players[seat].lords[i].lord].guild == card.guild:
                step = 0
    return SCALE * tile.each * step


@jit
def synergy(game, rules, policy, seat, lord):
    """Return what a Lord adds to the seat's Locations."""
    player = game.players[seat]
    total = 0
    for i in range(player.location_count):
        total += lord_adds(game, rules, seat, player.locations[i], lord)
    return policy.weights[W.SYNERGY] * total >> BITS


@inline
def share_left(left):
    """Return, in 1024ths, which share of a whole game so many Lords still to come are."""
    return 1024 * left // LORDS_A_GAME


@inline
def fading(memo, worth):
    """Return what is left of a worth that lasts as long as the game."""
    return worth * memo[FADE] >> 10


@inline
def keys_worth(memo, keys):
    """Return what `keys` more Keys are worth."""
    return memo[KEY_WORTH + min(keys, KEY_WORTHS - 1)]


@inline
def weigh_keys(rules, policy, memo, held):
    """Write what further Keys are worth: a set completed at once, or a share that fades with the game."""
    needed = rules.keys_per_location
    sets = 0
    for keys in range(1, KEY_WORTHS):
        if held + keys >= (sets + 1) * needed:
            sets += 1
        loose = held + keys - sets * needed if sets > 0 else keys
        worth = sets * policy.weights[W.KEY_LAST] + fading(memo, loose * policy.weights[W.KEY])
        memo[KEY_WORTH + keys] = worth if held < needed else 0  # a set waits in vain: no Location is left


@jit
def lord_worth(game, rules, policy, seat, lord):
    """Return what a Lord is worth to the seat if it had it now."""
    player = game.players[sure(seat)]
    tables = policy.tables
    memo = player.memo
    worth = tables[sure(ARRIVAL + lord)] + fading(memo, tables[sure(LASTING + lord)])
    worth += keys_worth(memo, tables[sure(COUNTED_KEYS + lord)])
    if tables[sure(NOW + lord)]:
        worth += arrow_now(game, rules, policy, seat, lord)
    if player.location_count > 0:
        worth += synergy(game, rules, policy, seat, lord)
    return worth


# --- Locations ------------------------------------------------------------------------------------------------------


@jit
def growth(game, rules, policy, seat, location):
    """Return what a Location is expected to gain until the end (1024ths)."""
    tile = rules.locations[location]
    per = tile.per
    weights = policy.weights
    left = game.players[seat].memo[LEFT]
    rate = 0
    extra = 0
    if per == Per.LORDS_OF_GUILD:
        rate = weights[W.GROW_GUILD]
    elif per == Per.AFFILIATED_OF_RACE:
        rate = weights[W.GROW_RACE]
        extra = weights[W.GROW_RACE] if game.players[seat].race_count[tile.of] == 0 else SCALE
    elif per == Per.GUILDS_PRESENT:
        rate = weights[W.GROW_ABYSS]
    elif per == Per.WEAKEST_LORD_POINTS:
        rate = weights[W.GROW_WEAKEST]
    elif per == Per.STRONGEST_LORD_POINTS:
        rate = weights[W.GROW_STRONGEST]
    elif per == Per.LORDS:
        rate = weights[W.GROW_LORDS]
    elif per == Per.LORDS_WITH_KEY:
        rate = weights[W.GROW_KEYED]
    elif per == Per.LORDS_WITHOUT_KEY:
        rate = weights[W.GROW_UNKEYED]
    elif per == Per.WEAKEST_AFFILIATED_OF_EACH_RACE:
        rate = weights[W.GROW_CHAMBER]
    elif per == Per.AFFILIATED:
        rate = weights[W.GROW_AFFILIATED]
        extra = 2 * SCALE
    elif per == Per.NEBULIS:
        rate = weights[W.GROW_NEBULIS]
    return tile.each * (left * rate + extra)


@jit
def location_value(game, rules, policy, seat, location):
    """Return what a Location is expected to score for the seat at the end."""
    worth = SCALE * location_worth(game, rules, seat, location) + growth(game, rules, policy, seat, location)
    return min(worth, SCALE * rules.locations[location].most)


@jit
def new_location_value(game, rules, policy, seat, location):
    """Return what a Location is expected to score if the seat takes it now: Black Smokers may become another."""
    value = location_value(game, rules, policy, seat, location)
    if rules.locations[location].power == LocationPower.SWAP_WITH_DECK and game.location_deck_count > 0:
        value = max(value, policy.weights[W.SMOKERS])
    if rules.locations[location].sacred == 1:
        value += policy.weights[W.SACRED] * min(game.loot_deck_count, LOOT_A_GAME) // LOOT_A_GAME
    return value


@jit
def exchange_gain(game, rules, policy, seat):
    """Return what exchanging the seat's worst Location for the best open one would gain, at least 0."""
    player = game.players[seat]
    if player.location_count == 0 or game.open_count == 0:
        return 0
    worst = location_value(game, rules, policy, seat, player.locations[0])
    for i in range(1, player.location_count):
        worst = min(worst, location_value(game, rules, policy, seat, player.locations[i]))
    best = location_value(game, rules, policy, seat, game.open_locations[0])
    for i in range(1, game.open_count):
        best = max(best, location_value(game, rules, policy, seat, game.open_locations[i]))
    return max(best - worst, 0)


# --- Allies: what the Court asks for --------------------------------------------------------------------------------


@inline
def refresh_standing(game, rules, policy, seat):
    """Bring up to date what hangs on the Lords that lie open and on the seat's Key tokens."""
    player = game.players[sure(seat)]
    memo = player.memo
    stamp = (game.lords_version << 16) + player.key_tokens + 1
    if memo[STANDING_STAMP] != stamp:
        memo[STANDING_STAMP] = stamp
        memo[LEFT] = lords_left(game, rules)
        left = min(memo[LEFT], LORDS_A_GAME)
        keys = player.key_tokens + player.lord_keys
        key_stamp = (keys << 4) + left + 1
        if memo[KEY_STAMP] != key_stamp:
            memo[KEY_STAMP] = key_stamp
            memo[FADE] = share_left(left)
            memo[COURT_NOW] = COURT + left * MAX_LORDS
            weigh_keys(rules, policy, memo, keys)


@inline
def refresh(game, rules, policy, seat):
    """Bring the demand for each Race up to date, if the Court, the hand, the purse or the Keys have changed."""
    player = game.players[sure(seat)]
    stamp = (game.lords_version << 16) + player.hand_version
    stamp = ((stamp << 12) + purse_of(rules, player) << 8) + player.key_tokens + 1
    if player.memo[HAND_STAMP] != stamp:
        player.memo[HAND_STAMP] = stamp
        weigh_anew(game, rules, policy, seat)


@separate((GAME, RULES, POLICY), 1)
def weigh_anew(game, rules, policy, seat):
    """Bring the standing and the demand for each Race up to date."""
    refresh_standing(game, rules, policy, seat)
    rank_races(game.players[sure(seat)])
    add_demand(game, rules, policy, seat)
    return 0


@inline
def rank_races(player):
    """Note the total of each Race in hand, and add up the best ones."""
    total = player.race_total
    memo = player.memo
    memo[TOTAL + RACES] = NO_LIMIT
    memo[NONE + RACES] = 0
    for race in range(RACES):
        memo[TOTAL + race] = total[race]
        memo[NONE + race] = negative(total[race] - 1)
    e, d, c, b, a = all_ordered(total[0], total[1], total[2], total[3], total[4])
    memo[BEST + 1] = a
    memo[BEST + 2] = a + b
    memo[BEST + 3] = a + b + c
    memo[BEST + 4] = a + b + c + d
    memo[BEST + 5] = a + b + c + d + e
    memo[BEST] = 0
    if player.race_count[KRAKEN] > 0:
        # Krakens are points of whatever Races are paid.
        for number in range(RACES + 1):
            memo[BEST + number] += player.race_total[KRAKEN]


@inline
def points_in_hand(memo, races, demanded):
    """Return the points of the best Races in hand, the demanded one among them (RACES for none).

    A demanded Race that is not among the best takes the place of the last of them.
    """
    return min(memo[sure(BEST + races)], memo[sure(BEST + races - 1)] + memo[sure(TOTAL + demanded)])


@inline
def clear_demand(memo):
    """Clear the demand; return the number of Races in hand."""
    kinds = RACES
    for race in range(RACES):
        memo[POINT + race] = 0
        memo[FIRST + race] = 0
        kinds -= memo[NONE + race]
    return kinds


@inline
def lord_kept_away(game, seat):
    """Return the Court Lord that another seat's Sentinel stands on, -1 for none."""
    owner = game.reserved_for[Area.COURT]
    return game.reserved_item[Area.COURT] if owner > 0 and owner != seat + 1 else -1


@inline
def add_demand(game, rules, policy, seat):
    """Write what a point of each Race, and the first Ally of each Race, is worth in view of the Court.

    There are next to no branches here: they would go either way too often.
    """
    player = game.players[sure(seat)]
    memo = player.memo
    tables = policy.tables
    reach = purse_of(rules, player) - cost_change(game, seat)
    kept_away = lord_kept_away(game, seat)
    krakens = player.race_count[KRAKEN]
    tame = negative(krakens - 1)  # 1 without a Kraken, which would stand for a Race that is not in hand
    any_race = player.power_count[Power.ANY_RACES] > 0
    court = memo[COURT_NOW]
    kinds = clear_demand(memo) + krakens
    lacking = 0
    other = 0
    for i in range(game.court_count):
        lord = game.court[i]
        if player.bar_known[sure(lord)] == 0 and lord != kept_away:
            card = rules.lords[sure(lord)]
            races = card.races
            demanded = tables[sure(DEMANDED + lord)]
            if any_race:
                demanded = RACES
            too_many = negative(kinds - races)  # it cannot be paid yet
            missing = card.cost - reach - points_in_hand(memo, races, demanded)
            missing = max(missing, too_many | memo[sure(NONE + demanded)] & tame)
            pull = tables[sure(court + lord)] * tables[sure(PULL + min(missing, PULLS - 1))] >> 10
            lacking += pull * too_many
            memo[sure(POINT + demanded)] += pull
            memo[sure(FIRST + demanded)] += pull
            other += pull
    write_points(memo, policy.weights, lacking, other)


@inline
def write_points(memo, weights, lacking, other):
    """Turn the pull of the Court's Lords into the worth of a point, and of a first Ally, of each Race."""
    other = weights[W.DEMAND_OTHER] * other >> BITS
    for race in range(RACES):
        pull = memo[POINT + race] + other
        memo[POINT + race] = min(weights[W.POINT] + (weights[W.DEMAND] * pull >> BITS), weights[W.POINT_MOST])
        first = weights[W.NEW_RACE] + (weights[W.LACKING_RACE] * (memo[FIRST + race] + lacking) >> BITS)
        memo[FIRST + race] = min(first, weights[W.FIRST_MOST]) * memo[NONE + race]


@inline
def may_bound(policy):
    """Tell whether what an Ally is worth is known to lie from `least_worth` to `most_worth`, without the demand."""
    return policy.tables[BOUNDED] == 1 and policy.noise == 0


@inline
def lacks(player, race):
    """Return 1 if no Ally of the Race is in hand, else 0."""
    return negative(player.race_count[sure(race)] - 1)


@inline
def least_worth(player, policy, race, value):
    """Return the least that one more Ally in hand can be worth: without any demand."""
    worth = policy.weights[W.POINT] * value + policy.weights[sure(W.VALUE_1 - 1 + value)]
    return worth + policy.tables[sure(LEAST_FIRST + lacks(player, race))]


@inline
def most_worth(player, policy, race, value):
    """Return the most that one more Ally in hand can be worth: with all the demand that counts."""
    worth = policy.weights[W.POINT_MOST] * value + policy.weights[sure(W.VALUE_1 - 1 + value)]
    return worth + policy.tables[sure(MOST_FIRST + lacks(player, race))]


@inline
def card_worth(game, rules, policy, seat, race, value):
    """Return what one more Ally in hand is worth to the seat (after `refresh`)."""
    if game.end_trigger != EndTrigger.NONE and not has_turn_to_come(game, seat):
        return SCALE * final_gain(game, seat, race, value)
    memo = game.players[sure(seat)].memo
    if race == KRAKEN:
        return kraken_worth(game, rules, policy, seat, value, memo, POINT, RACES, memo[FADE])
    worth = memo[sure(POINT + race)] * value + memo[sure(FIRST + race)]
    return worth + policy.weights[sure(W.VALUE_1 - 1 + value)]


@inline
def held_worth(game, rules, policy, seat, race, value):
    """Return what an Ally in hand is worth to the seat: it is missed more where it is the only one of its Race."""
    memo = game.players[seat].memo
    if race == KRAKEN:
        return kraken_worth(game, rules, policy, seat, value, memo, POINT, RACES, memo[FADE])
    worth = memo[POINT + race] * value + policy.weights[W.VALUE_1 - 1 + value]
    if game.players[seat].race_count[race] == 1:
        worth += policy.weights[W.NEW_RACE]
    return worth


@inline
def affiliation_gain(game, rules, policy, seat, race, value):
    """Return what affiliating an Ally adds: IP above the best of its Race, and the seat's Locations of that Race."""
    player = game.players[seat]
    gain = max(value - highest_affiliated(player, race), 0)
    for i in range(player.location_count):
        tile = rules.locations[player.locations[i]]
        if tile.per == Per.AFFILIATED_OF_RACE and tile.of == race:
            gain += tile.each
    return gain * policy.weights[W.AFFILIATE]


@inline
def stack_worth(game, policy, seat, race):
    """Return what the cards of a stack are worth to the seat."""
    weights = policy.weights
    memo = game.players[sure(seat)].memo
    card = weights[W.COUNCIL_CARD] + (weights[W.COUNCIL_VALUE] * memo[sure(POINT + race)] >> BITS)
    return game.council_size[sure(race)] * card + memo[sure(FIRST + race)]


# --- The standing ----------------------------------------------------------------------------------------------------


@jit
def open_standing(game, rules, seat):
    """Return what everybody can see of a seat's score, Monster tokens at their average (1024ths)."""
    points = score_lords(game, rules, seat) + score_locations(game, rules, seat) + score_allies(game, seat)
    points += score_nebulis(game, rules, seat) + score_kraken(game, rules, seat)
    return SCALE * points + TOKEN_MEAN * game.players[seat].monster_token_count
