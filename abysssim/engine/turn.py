"""A turn: income, plot and action, Locations, leftover powers, limits (rulebook p. 4)."""

from abysssim.core.index import negative, sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.kraken_payment import can_pay_with_krakens
from abysssim.core.layout import DESK, GAME, KRAKEN, MAX_SEATS, RACES, RULES
from abysssim.core.payment import can_pay, cost_change, purse_of, rank_races
from abysssim.engine.choice import ask, choose, choose_at_once, log, offer, put_option, withdraw
from abysssim.engine.council import ask_council, discard_to_commander, discard_to_hand_limit
from abysssim.engine.explore import can_reveal, draw_tokens, explore, gain_keys
from abysssim.engine.holdings import gain_pearls, is_active, is_reserved, seat_after, usable_keys
from abysssim.engine.locations import can_control, control_locations
from abysssim.engine.loot import draw_ally
from abysssim.engine.powers import offer_uses, trigger_end, use
from abysssim.engine.recruit import can_plot, plot, recruit
from abysssim.engine.sentinels import offer_sentinel_places, place_waiting_sentinel
from abysssim.policies.decide import decide_on_menu
from abysssim.vocabulary import Area, Count, Decision, EndTrigger, Event, Power, Timing, Verb


@inline
def play_turn(game, rules, desk):
    """Play the turn of ``game.seat``."""
    seat = game.seat
    begin_turn(game, rules, desk, seat)
    take_action(game, rules, desk, seat)
    if can_control(game, rules, seat):
        control_locations(game, rules, desk, seat)
    if game.players[sure(seat)].turn_powers > 0:
        use_leftovers(game, rules, desk, seat)
    discard_to_commander(game, rules, desk, seat)
    discard_to_hand_limit(game, rules, desk, seat)
    check_end(game, rules, desk, seat)
    log_end_of_turn(game, rules, desk, seat)


@inline
def begin_turn(game, rules, desk, seat):
    """Count the turn, make once-per-turn powers fresh, and pay income."""
    player = game.players[sure(seat)]
    game.turn += 1
    player.turns += 1
    for other in range(MAX_SEATS):
        game.players[other].asked = 0
    log(desk, Event.TURN, seat, player.turns, game.extra, 0, 0)
    if player.turn_powers > 0:
        for i in range(player.lord_count):
            player.lords[i].used = 0
    player.sentinels |= player.sentinels_back
    player.sentinels_back = 0
    if player.turns == desk.gift_turn and seat == desk.gift_seat:
        give_gift(game, rules, desk, seat)
    if player.power_amount[Power.PEARLS_AT_TURN_START] > 0:
        pay_income(game, rules, desk, seat)


@separate((GAME, RULES, DESK), 1)
def give_gift(game, rules, desk, seat):
    """Give a seat what an experiment has for it, as if it had found it, and note how it stood."""
    game.gift_keys = usable_keys(game.players[seat])
    game.gift_tokens = game.token_count
    game.gift_lords = 0
    for other in range(game.seats):
        game.gift_lords = max(game.gift_lords, game.players[other].lord_count)
    gift = desk.gift
    game.players[seat].pearls += gift.pearls
    gain_keys(game, rules, seat, gift.keys)
    draw_tokens(game, desk, seat, gift.monster_tokens)
    for _ in range(gift.allies):
        draw_ally(game, rules, desk, seat)
    return 0


@jit
def pay_income(game, rules, desk, seat):
    """Pay a seat the Pearls of its Landlords."""
    player = game.players[seat]
    for i in range(player.lord_count):
        held = player.lords[i]
        card = rules.lords[held.lord]
        if card.power == Power.PEARLS_AT_TURN_START and card.timing == Timing.LASTING and is_active(held):
            gain_pearls(game, rules, desk, seat, card.amount, held.lord)


@inline
def take_action(game, rules, desk, seat):
    """Let the seat plot and use powers until it takes an action: explore, ask the Council, or recruit."""
    acting = True
    while acting:
        offer_menu(game, rules, desk, seat)
        pick = choose_at_once(game, rules, desk, decide_on_menu)
        if game.option_count == 0:
            # The only option was a barred Lord.
            offer(game, Verb.PASS, 0, 0, 0)
        option = game.options[sure(pick)]
        verb = option.verb
        if verb == Verb.PLOT:
            plot(game, rules, desk, seat)
        elif verb == Verb.USE:
            use(game, rules, desk, seat, option.amount)
        elif verb >= Verb.SENTINEL_COURT and verb <= Verb.SENTINEL_LOCATION:
            place_waiting_sentinel(game, rules, desk, seat, verb, option.card)
        else:
            acting = False
            if verb == Verb.RECRUIT:
                recruit(game, rules, desk, seat, option.card)
            elif verb == Verb.EXPLORE:
                explore(game, rules, desk, seat)
            elif verb == Verb.COUNCIL:
                ask_council(game, rules, desk, seat, option.card)
            else:
                game.players[seat].counts[Count.PASSES] += 1
                log(desk, Event.PASS, seat, 0, 0, 0, 0)


@inline
def offer_menu(game, rules, desk, seat):
    """List what the seat may do in its turn."""
    ask(game, Decision.MENU, seat)
    offer_recruitments(game, rules, desk, seat)
    if can_reveal(game):
        offer(game, Verb.EXPLORE, 0, 0, 0)
    offer_stacks(game)
    if game.reserved_for[Area.COUNCIL] > 0:
        withdraw_reserved(game, seat, Verb.COUNCIL, Area.COUNCIL)
    offer_uses(game, rules, seat)
    if can_plot(game, rules, seat):
        offer(game, Verb.PLOT, 0, 0, 0)
    if game.players[sure(seat)].sentinels != 0:
        offer_sentinel_places(game)
    if game.option_count == 0:
        offer(game, Verb.PASS, 0, 0, 0)


@inline
def offer_stacks(game):
    """Add the Council stacks that are not empty to the menu.

    Each is written down in any case and counted if it has a card: a branch would go either way too often.
    """
    count = game.option_count
    for race in range(RACES):
        size = game.council_size[race]
        put_option(game, count, Verb.COUNCIL, race, 0, size)
        count += negative(-size)
    game.option_count = count


@inline
def offer_recruitments(game, rules, desk, seat):
    """List the Court Lords that the seat can pay for, from the space nearest the deck; a known bar leaves one out."""
    rank_races(game, seat)
    change = cost_change(game, seat)
    player = game.players[sure(seat)]
    if player.race_count[KRAKEN] > 0:
        offer_recruitments_with_krakens(game, rules, seat, change)
    else:
        any_race = negative(-player.power_count[Power.ANY_RACES])
        purse = purse_of(rules, player)
        count = game.option_count
        for i in range(game.court_count - 1, -1, -1):
            lord = game.court[sure(i)]
            put_option(game, count, Verb.RECRUIT, lord, 0, 0)
            # Written down in any case, and counted if it can be paid.
            count += can_pay(game, rules, player, lord, change, any_race, purse)
        game.option_count = count
    if game.reserved_for[Area.COURT] > 0:
        withdraw_reserved(game, seat, Verb.RECRUIT, Area.COURT)
    if desk.barring:
        for i in range(game.option_count):
            game.barred += desk.bars[seat, game.options[i].card]


@separate((GAME, RULES), 2)
def offer_recruitments_with_krakens(game, rules, seat, change):
    """List the Court Lords that a seat with Krakens can pay for."""
    player = game.players[seat]
    any_race = 1 if player.power_count[Power.ANY_RACES] > 0 else 0
    purse = purse_of(rules, player)
    for i in range(game.court_count - 1, -1, -1):
        lord = game.court[i]
        if can_pay_with_krakens(game, rules, player, lord, change, any_race, purse):
            offer(game, Verb.RECRUIT, lord, 0, 0)
    return 0


@separate((GAME,), 3)
def withdraw_reserved(game, seat, verb, area):
    """Take what another seat's Sentinel stands on out of the menu."""
    for place in range(game.option_count - 1, -1, -1):
        option = game.options[place]
        if option.verb == verb and is_reserved(game, seat, area, option.card):
            withdraw(game, place)
    return 0


@jit
def use_leftovers(game, rules, desk, seat):
    """Let the seat use once-per-turn powers that it has not used yet, after Locations."""
    using = True
    while using:
        ask(game, Decision.LEFTOVER, seat)
        offer_uses(game, rules, seat)
        if game.option_count == 0:
            return
        offer(game, Verb.DONE, 0, 0, 0)
        option = game.options[choose(game, rules, desk)]
        if option.verb == Verb.DONE:
            using = False
        else:
            use(game, rules, desk, seat, option.amount)


@inline
def check_end(game, rules, desk, seat):
    """Check the ends that are looked for at the end of a turn: two rulings, and the stalemate."""
    if rules.count_at_turn_end and game.players[sure(seat)].lord_count >= rules.lords_to_end:
        trigger_end(game, desk, seat, EndTrigger.LORDS)
    if rules.end_on_empty_deck and game.lord_deck_count == 0 and game.court_count < rules.court_slots:
        trigger_end(game, desk, seat, EndTrigger.DECK)
    if game.turn - game.last_recruitment >= rules.stalemate_rounds * game.seats:
        trigger_end(game, desk, seat, EndTrigger.STALEMATE)


@inline
def log_end_of_turn(game, rules, desk, seat):
    """Log what every seat holds, so that a reader can check."""
    if desk.recording:
        log(desk, Event.END_OF_TURN, seat, 0, 0, 0, 0)
        for other in range(game.seats):
            player = game.players[other]
            log(
                desk,
                Event.SEAT_STATE,
                other,
                player.pearls,
                player.key_tokens,
                player.hand_size,
                player.monster_token_count,
            )
            if rules.kraken:
                log(desk, Event.SEAT_NEBULIS, other, player.nebulis, 0, 0, 0)


@inline
def pass_the_turn(game, rules):
    """Find whose turn is next, or that the game is over (rulebook p. 10: every other player gets one more)."""
    player = game.players[sure(game.seat)]
    ending = game.end_trigger != EndTrigger.NONE
    if game.end_trigger == EndTrigger.STALEMATE:
        game.finished = 1
        return
    if player.extra_turns > 0 and not (ending and rules.no_extra_after_trigger):
        player.extra_turns -= 1
        game.extra = 1
        return
    player.extra_turns = 0
    game.extra = 0
    if ending:
        if game.turns_left < 0:
            game.turns_left = turns_after_trigger(game, rules)
        if game.turns_left == 0:
            game.finished = 1
            return
        game.turns_left -= 1
    game.seat = seat_after(game, game.seat, 1)


@jit
def turns_after_trigger(game, rules):
    """Return how many turns are played after the one that triggered the end."""
    if rules.equal_turns:
        return game.seats - 1 - game.ended_by
    return game.seats - 1
