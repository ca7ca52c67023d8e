"""The one gateway through which the rules ask a seat to decide, and the log of what happened.

The rules list options with `ask` and `offer` and read the answer of `choose`. An answer is forced (a replay, a person,
an experiment) as long as forced choices last, then it is the policy's. In stepping mode the first unanswered decision
is copied out, and the rest of the turn is played on without meaning.
"""

from abysssim.core.jit import jit, separate
from abysssim.core.layout import DESK, GAME, MAX_CHOICES, MAX_LOG, RULES
from abysssim.policies.decide import decide
from abysssim.vocabulary import Fault


@jit
def ask(game, decision, seat):
    """Begin a decision of `seat` with no options yet."""
    game.decision = decision
    game.decider = seat
    game.option_count = 0


@jit
def offer(game, verb, card, target, amount):
    """Add an option to the decision under way."""
    option = game.options[game.option_count]
    option.verb = verb
    option.card = card
    option.target = target
    option.amount = amount
    game.option_count += 1


@separate((GAME, RULES, DESK), 0)
def choose(game, rules, desk):
    """Return the number of the option taken. A decision with one option is not asked."""
    if game.option_count == 1:
        return 0
    number = game.decisions
    seat = game.decider
    game.players[seat].asked += 1
    if number >= desk.forced_count and desk.stepping:
        halt(game, desk)
        return 0
    # Asked even where the answer is forced: what a policy notes for later is then what it notes in ordinary play.
    pick = decide(game, rules, desk.policies[desk.lineup[seat]], seat)
    if number < desk.forced_count:
        pick = forced_choice(game, desk, number)
    game.decisions += 1
    desk.asked[game.decision] += 1
    desk.picked[game.decision, game.options[pick].verb] += 1
    if desk.recording:
        note_choice(desk, number, pick)
    return pick


@jit
def note_choice(desk, number, pick):
    """Write a choice into the record."""
    if number < MAX_CHOICES:
        desk.chosen[number] = pick
    else:
        desk.error = Fault.RECORD_FULL


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


@jit
def log(desk, event, seat, a, b, c, d):
    """Write one entry (vocabulary.Event says what the fields hold), if this game is recorded and not yet halted."""
    if desk.recording and desk.halted == 0:
        if desk.log_count >= MAX_LOG:
            desk.error = Fault.RECORD_FULL
            return
        entry = desk.log[desk.log_count]
        entry.event = event
        entry.seat = seat
        entry.a = a
        entry.b = b
        entry.c = c
        entry.d = d
        desk.log_count += 1
