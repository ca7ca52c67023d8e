"""Playing games from deal to score: the compiled entry point of the engine."""

import numpy as np

from abysssim.core.jit import entry_point, inline, jit
from abysssim.core.layout import KRAKEN, MAX_LOCATIONS, MAX_LORDS, MAX_SEATS, MAX_VALUE, RACES
from abysssim.core.scoring import (
    location_worth,
    score_allies,
    score_kraken,
    score_loot,
    score_lords,
    score_nebulis,
    score_tokens,
    strongest_lord,
)
from abysssim.engine.choice import halt, log
from abysssim.engine.holdings import discard_ally, refresh_powers, take_all_from_hand, take_from_hand
from abysssim.engine.nebulis import gain_nebulis_for_hands
from abysssim.engine.setup import set_up
from abysssim.engine.turn import pass_the_turn, play_turn
from abysssim.policies.decide import get_ready
from abysssim.vocabulary import Decision, Event

SHARE = 12  # win shares and margins are stored times 12: halves, thirds and quarters are exact
ROUND_TOTAL = 1 << 20


@entry_point
def play_batch(rulebooks, desks, games, tasks, permutations, seats, seed, rows):
    """Play every task to its end.

    Parameters
    ----------
    rulebooks : RULES, shape (1,)
    desks : DESK, shape (1,)
        Line-up, forced choices and modes; counters are added to, log and snapshot written.
    games : GAME, shape (1,)
        Scratch; holds the last game's final state afterwards.
    tasks : TASK, shape (n,)
    permutations : int64, shape (rotations, seats)
        Index of the policy at each seat for each rotation.
    seats : int64
    seed : int64, shape (2,)
        Low and high 32 bits.
    rows : ROW, shape (n, seats), or (0, seats) to keep nothing
        Written.
    """
    rules = rulebooks[0]
    desk = desks[0]
    for number in range(MAX_SEATS):
        get_ready(rules, desk.policies[number], seats)
    barring = is_barring(desk)
    for number in range(tasks.shape[0]):
        task = tasks[number]
        for seat in range(seats):
            desk.lineup[seat] = permutations[task.rotation, seat]
        if desk.from_position:
            games[0] = desk.positions[0]
        else:
            games[0] = desk.blank[0]
        game = games[0]
        game.number = task.game
        game.seats = seats
        game.seed_low = seed[0]
        game.seed_high = seed[1]
        desk.task = number
        set_bars(desk, task, 1)
        desk.barring = barring | (1 if task.bar_seat >= 0 else 0)
        desk.gift_seat = task.gift_seat
        desk.gift_turn = task.gift_turn
        desk.gift = task.gift
        play_game(game, rules, desk)
        set_bars(desk, task, 0)
        if rows.shape[0] > 0:
            write_rows(game, rules, desk, task, rows[number])
    count_asked(desk)


@jit
def count_asked(desk):
    """Bring the counts of decisions up to date with those of choices."""
    for decision in range(desk.asked.size):
        desk.asked[decision] = desk.picked[decision].sum()


@jit
def set_bars(desk, task, bar):
    """Put up (1) or take away (0) what a task bars."""
    if task.bar_seat >= 0:
        if task.bar_lord >= 0:
            desk.bars[task.bar_seat, task.bar_lord] = bar
        if task.bar_location > 0:
            desk.location_bars[task.bar_seat, task.bar_location - 1] = bar


@jit
def is_barring(desk):
    """Return 1 if some seat may not take some Lord or Location in any of the games, else 0."""
    found = 0
    for seat in range(MAX_SEATS):
        for lord in range(MAX_LORDS):
            found |= desk.bars[seat, lord]
        for location in range(MAX_LOCATIONS):
            found |= desk.location_bars[seat, location]
    return found


@jit
def play_game(game, rules, desk):
    """Set up if need be, play turn by turn, and finish."""
    desk.halted = 0
    desk.log_count = 0
    desk.watched = 1 if desk.stepping or desk.recording or desk.forced_count > 0 else 0
    if desk.from_position:
        refresh_powers(game, rules)
        for seat in range(game.seats):
            # What was noted when the position was taken need not be true of the hand, or the policy, of now.
            game.players[seat].memo[:] = 0
    else:
        set_up(game, rules)
    game.gift_keys = -1
    while game.finished == 0 and desk.halted == 0:
        play_turn(game, rules, desk)
        pass_the_turn(game, rules)
        stop_at_turn_end(game, desk)
    if desk.halted == 0:
        affiliate_hands(game, desk)
        if rules.kraken:
            discard_krakens(game, rules, desk)


@inline
def stop_at_turn_end(game, desk):
    """Halt a stepped game at the end of a turn, if that is asked for and the forced choices are used up."""
    if desk.stop_at_turn_end and game.finished == 0 and game.decisions >= desk.forced_count:
        if desk.halted == 0:
            game.decision = Decision.TURN_END
            game.option_count = 0
            halt(game, desk)


@jit
def affiliate_hands(game, desk):
    """At the end each seat affiliates the lowest Ally of each Race in hand and discards the rest (rulebook p. 10)."""
    for seat in range(game.seats):
        player = game.players[seat]
        for race in range(RACES):
            missing = 1
            for value in range(1, MAX_VALUE + 1):
                number = player.hand[race, value]
                kept = min(number, missing)
                missing -= kept
                log_final_allies(desk, seat, race, value, number, kept)
                take_all_from_hand(game, seat, race, value, number)
                player.affiliated[race, value] += kept
                game.discard[race, value] += number - kept
                game.discard_count += number - kept


@inline
def log_final_allies(desk, seat, race, value, number, kept):
    """Log what becomes of the Allies of one kind at the end: `kept` of them is affiliated, the others are discarded."""
    if desk.recording:
        for i in range(number):
            log(desk, Event.FINAL_AFFILIATED if i < kept else Event.FINAL_DISCARDED, seat, race, value, 0, 0)


@jit
def discard_krakens(game, rules, desk):
    """At the end the Krakens in all hands are discarded and give their Nebulis at once (Kraken manual)."""
    log_krakens(game, desk)
    gain_nebulis_for_hands(game, rules, desk)
    for seat in range(game.seats):
        for value in range(1, MAX_VALUE + 1):
            for _ in range(game.players[seat].hand[KRAKEN, value]):
                take_from_hand(game, seat, KRAKEN, value)
                discard_ally(game, KRAKEN, value)


@jit
def log_krakens(game, desk):
    """Log the Krakens that are discarded at the end, before the Nebulis that they give."""
    if desk.recording:
        for seat in range(game.seats):
            for value in range(1, MAX_VALUE + 1):
                for _ in range(game.players[seat].hand[KRAKEN, value]):
                    log(desk, Event.FINAL_DISCARDED, seat, KRAKEN, value, 0, 0)


@jit
def standing(game, rules, seat, total):
    """Return a number that orders the seats: total, then Pearls, then the strongest Lord (rulebook p. 11)."""
    return (total * ROUND_TOTAL + game.players[seat].pearls) * ROUND_TOTAL + strongest_lord(game, rules, seat)


@jit
def write_rows(game, rules, desk, task, rows):
    """Write what is kept of each seat of a finished game."""
    sum_of_totals = 0
    best = np.int64(-(1 << 62))
    winners = 0
    for seat in range(game.seats):
        row = rows[seat]
        write_score(game, rules, seat, row)
        write_seat(game, rules, desk, seat, row)
        row.game = task.game
        row.rotation = task.rotation
        row.gift_keys = game.gift_keys
        row.gift_lords = game.gift_lords
        row.gift_tokens = game.gift_tokens
        row.bar_bit = 0
        if task.bar_seat == seat:
            row.bar_bit = was_missed(game.players[seat], task)
        sum_of_totals += row.total
        place = standing(game, rules, seat, np.int64(row.total))
        if place > best:
            best = place
            winners = 0
        if place == best:
            winners += 1
    for seat in range(game.seats):
        row = rows[seat]
        rivals = game.seats - 1
        row.margin12 = SHARE * row.total - SHARE // rivals * (sum_of_totals - row.total)
        row.win12 = 0
        if standing(game, rules, seat, np.int64(row.total)) == best:
            row.win12 = SHARE // winners


@jit
def was_missed(player, task):
    """Return 1 if the seat ever wanted what the task bars for it."""
    missed = 0
    if task.bar_lord >= 0:
        missed |= player.bar_known[task.bar_lord]
    if task.bar_location > 0:
        missed |= player.missed_locations >> (task.bar_location - 1) & 1
    return missed


@jit
def write_score(game, rules, seat, row):
    """Write a seat's score by part."""
    row.loot = score_loot(game, rules, seat) if rules.kraken else 0
    row.locations = -row.loot
    player = game.players[seat]
    for i in range(player.location_count):
        points = location_worth(game, rules, seat, player.locations[i])
        row.location_points[player.locations[i]] = points
        row.locations += points
    row.lords = score_lords(game, rules, seat)
    row.allies = score_allies(game, seat)
    row.monster_tokens = score_tokens(game, seat)
    row.nebulis = score_nebulis(game, rules, seat)
    row.kraken = score_kraken(game, rules, seat)
    row.total = row.locations + row.loot + row.lords + row.allies + row.monster_tokens + row.nebulis + row.kraken


@jit
def write_seat(game, rules, desk, seat, row):
    """Write how a seat came to its score."""
    player = game.players[seat]
    row.seat = seat
    row.policy = desk.lineup[seat]
    row.pearls = player.pearls
    row.nebulis_held = player.nebulis
    row.figure_held = 1 if game.kraken_holder == seat else 0
    row.turns = player.turns
    row.game_turns = game.turn
    row.decisions = game.decisions
    row.end_trigger = game.end_trigger
    row.ended_by = game.ended_by
    row.took = player.took
    row.took_locations = player.took_locations
    row.held = 0
    for i in range(player.lord_count):
        row.held |= 1 << player.lords[i].lord
    row.locations_held = 0
    for i in range(player.location_count):
        row.locations_held |= 1 << player.locations[i]
    for i in range(player.counts.size):
        row.counts[i] = player.counts[i]
    for lord in range(rules.lord_count):
        row.took_turn[lord] = player.took_turn[lord]
