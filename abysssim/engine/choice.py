"""The one gateway through which the rules ask a seat to decide, and the log of what happened.

The rules list options with `ask` and `offer` and read the answer of `choose`. An answer is forced (a replay, a person,
an experiment) as long as forced choices last, then it is the policy's. In stepping mode the first unanswered decision
is copied out, and the rest of the turn is played on without meaning.
"""

import numpy as np

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import DESK, GAME, MAX_CHOICES, MAX_LOG, RULES
from abysssim.policies.decide import decide
from abysssim.vocabulary import Fault, Verb

NOT_SETTLED = -1


@inline
def ask(game, decision, seat):
    """Begin a decision of `seat` with no options yet."""
    game.decision = decision
    game.decider = seat
    game.barred = 0
    game.option_count = 0


@inline
def put_option(game, place, verb, card, target, amount):
    """Write an option of the decision under way."""
    option = game.options[sure(place)]
    option.verb = verb
    option.card = card
    option.target = target
    option.amount = amount


@inline
def offer(game, verb, card, target, amount):
    """Add an option to the decision under way."""
    put_option(game, game.option_count, verb, card, target, amount)
    game.option_count += 1


@inline
def ask_either(game, decision, seat, first, second, card, target, amount):
    """Begin a decision with two options, the verbs `first` and `second` of the same thing."""
    ask(game, decision, seat)
    put_option(game, 0, first, card, target, amount)
    put_option(game, 1, second, card, target, amount)
    game.option_count = 2


@jit
def note_choice(desk, number, pick):
    """Write a choice into the record."""
    if number < MAX_CHOICES:
        desk.chosen[number] = pick
    else:
        desk.error = Fault.RECORD_FULL


@jit
def settle_bars(game, rules, desk):
    """Take the barred Lords or Locations out of the decision; return what its seat takes of the rest, if that is known.

    A bar bites, and the seat knows of it, when its policy wants the Lord, and not before: up to the take that it
    forbids, a game with a bar is the game without it. A bar that the seat knows of leaves nothing to settle.
    """
    seat = game.decider
    player = game.players[seat]
    left = game.barred
    game.barred = 0
    pick = np.int64(-1)
    # Asked as `choose` would ask it: noise is keyed by the count of decisions.
    player.asked += 1
    while pick < 0 and left > 0:
        pick = np.int64(0)
        if game.option_count > 1:
            pick = decide(game, rules, desk.policies[desk.lineup[seat]], seat)
        if is_barred(game, desk, pick):
            note_missed(game, player, game.options[pick])
            withdraw(game, pick)
            game.barred = -1
            left -= 1
            pick = np.int64(-1)
    for place in range(game.option_count - 1, -1, -1):
        if is_barred(game, desk, place):
            withdraw(game, place)
            if place < pick:
                pick -= 1
    if game.option_count > 1 or game.barred < 0:
        # It is counted when it is asked; one that was a decision without the bar stays counted.
        player.asked -= 1
    return pick


@jit
def note_missed(game, player, option):
    """Let a seat know that it may not take the Lord or Location of an option."""
    if option.verb == Verb.LOCATION:
        player.missed_locations |= 1 << option.card
    else:
        player.bar_known[option.card] = 1
        game.lords_version += 1


@jit
def count_barred_locations(game, desk):
    """Count the barred Locations among the options; one that is all there is to take is no choice, and is let pass."""
    if desk.barring and game.option_count > 1:
        for place in range(game.option_count):
            game.barred += is_barred(game, desk, place)


@jit
def is_barred(game, desk, place):
    """Tell whether an option takes a barred Lord or Location (in a decision in which either can be taken)."""
    option = game.options[place]
    if option.verb == Verb.LOCATION:
        return desk.location_bars[game.decider, option.card] == 1
    return (option.verb == Verb.RECRUIT or option.verb == Verb.LORD) and desk.bars[game.decider, option.card] == 1


@jit
def withdraw(game, place):
    """Take an option out of the decision under way."""
    for i in range(place, game.option_count - 1):
        game.options[i] = game.options[i + 1]
    game.option_count -= 1


@jit
def forced_choice(game, desk, number):
    """Return the forced answer to decision `number`; one that does not exist is an error in the record."""
    pick = desk.forced[number] + 0
    if pick < 0 or pick >= game.option_count:
        desk.error = Fault.NOT_AN_OPTION
        return 0
    return pick


@jit
def halt(game, desk):
    """Copy the game out, once, at the first decision that nobody has answered."""
    if not desk.halted:
        desk.positions[1] = game
        desk.halted = 1


@separate((GAME, RULES, DESK), 1)
def answer(game, rules, desk, settled):
    """Return the answer to a decision where choices are forced, written down or stopped at.

    `settled` is the policy's answer, NOT_SETTLED if it has not been asked.
    """
    number = game.decisions
    seat = game.decider
    if number >= desk.forced_count and desk.stepping:
        halt(game, desk)
        return 0
    # Asked even where the answer is forced: what a policy notes for later is then what it notes in ordinary play.
    pick = settled
    if pick == NOT_SETTLED:
        pick = decide(game, rules, desk.policies[desk.lineup[seat]], seat)
    if number < desk.forced_count:
        pick = forced_choice(game, desk, number)
    count_choice(game, desk, pick)
    if desk.recording:
        note_choice(desk, number, pick)
    return pick


@separate((GAME, RULES, DESK), 0)
def choose_of_the_rest(game, rules, desk):
    """Return the number of the option taken once barred Lords are out of the options; nothing may be left then."""
    settled = settle_bars(game, rules, desk)
    if game.option_count <= 1:
        return 0
    game.players[game.decider].asked += 1
    return answer(game, rules, desk, settled)


@inline
def count_choice(game, desk, pick):
    """Count a choice."""
    game.decisions += 1
    desk.picked[sure(game.decision), sure(game.options[sure(pick)].verb)] += 1


@separate((GAME, RULES, DESK), 0)
def choose(game, rules, desk):
    """Return the number of the option taken. A decision with one option is not asked."""
    if game.barred > 0:
        return choose_of_the_rest(game, rules, desk)
    if game.option_count <= 1:
        return 0
    seat = game.decider
    game.players[sure(seat)].asked += 1
    if desk.watched:
        return answer(game, rules, desk, NOT_SETTLED)
    pick = decide(game, rules, desk.policies[sure(desk.lineup[sure(seat)])], seat)
    count_choice(game, desk, pick)
    return pick


@inline
def choose_at_once(game, rules, desk, decide_on):
    """Do what `choose` does with the policies' function for the question asked, which is asked often."""
    if game.barred > 0 or desk.watched:
        return choose(game, rules, desk)
    if game.option_count <= 1:
        return 0
    seat = game.decider
    game.players[sure(seat)].asked += 1
    pick = decide_on(game, rules, desk.policies[sure(desk.lineup[sure(seat)])], seat)
    count_choice(game, desk, pick)
    return pick


@separate((DESK,), 6)
def write_entry(desk, event, seat, a, b, c, d):
    """Write one entry of the log, if the game is not yet halted."""
    if desk.halted == 0:
        if desk.log_count >= MAX_LOG:
            desk.error = Fault.RECORD_FULL
            return 0
        entry = desk.log[desk.log_count]
        entry.event = event
        entry.seat = seat
        entry.a = a
        entry.b = b
        entry.c = c
        entry.d = d
        desk.log_count += 1
    return 0


@inline
def log(desk, event, seat, a, b, c, d):
    """Write down what happened (vocabulary.Event says what the fields hold), if this game is recorded."""
    if desk.recording:
        write_entry(desk, event, seat, a, b, c, d)
