"""Exploring the depths: Allies, purchases, Monsters and the threat track (rulebook p. 4-6)."""

from abysssim.core.index import sure
from abysssim.core.jit import inline, jit, separate
from abysssim.core.layout import (
    CARD_BITS,
    CARD_STEP,
    DESK,
    GAME,
    KRAKEN,
    MAX_SEATS,
    MONSTER,
    RACES,
    RULES,
)
from abysssim.core.payment import opponents_amount, purse_of
from abysssim.core.rng import order_exploration_cards
from abysssim.engine.choice import ask, ask_either, choose, choose_at_once, log, offer
from abysssim.engine.council import discard_to_commander
from abysssim.engine.holdings import add_to_hand, gain_pearls, holder_of, tax_gain
from abysssim.engine.krakens import place_krakens
from abysssim.engine.nebulis import choose_nebulis, settle_sale
from abysssim.policies.decide import decide_on_ally, decide_on_offer
from abysssim.vocabulary import Cause, Count, Decision, Event, Power, Verb

MONSTER_CARD = MONSTER * CARD_STEP
KRAKEN_CARD = KRAKEN * CARD_STEP
LAST_SPACE = int(Cause.LAST_SPACE)


@separate((GAME, RULES, DESK), 1)
def explore(game, rules, desk, seat):
    """Reveal cards until the explorer takes an Ally or fights a Monster; then clear the track."""
    game.players[seat].counts[Count.EXPLORATIONS] += 1
    log(desk, Event.EXPLORE, seat, 0, 0, 0, 0)
    game.track_count = 0
    game.purchases = 0
    for other in range(MAX_SEATS):
        game.players[other].bought = 0
    going_on = True
    while going_on:
        card = reveal(game, desk, seat)
        if card >= MONSTER_CARD:
            going_on = meet_monster(game, rules, desk, seat)
        elif card >= 0:
            going_on = meet_ally(game, rules, desk, seat, card)
        else:
            take_what_is_left(game, rules, desk, seat)
            going_on = False
    clear_track(game, rules, desk, seat)
    return 0


@inline
def can_reveal(game):
    """Tell whether a card is left in the deck or the discard."""
    return game.deck_count + game.discard_count + game.discard_monsters > 0


@inline
def reveal(game, desk, seat):
    """Turn the top card up on the next free space, reshuffling the discard if need be; return it, or -1."""
    if game.deck_count == 0:
        if not can_reveal(game):
            return -1
        reshuffle(game, desk, seat)
    game.deck_count -= 1
    card = game.deck[sure(game.deck_count)]
    if desk.recording:
        race, value = (card // CARD_STEP, card % CARD_STEP) if card < MONSTER_CARD else (-1, 0)
        log(desk, Event.REVEAL, seat, race, value, game.track_count, 0)
    game.track[sure(game.track_count)] = card
    game.track_count += 1
    return card


@jit
def reshuffle(game, desk, seat):
    """Make the discard the new deck; what lies on the track stays there."""
    log(desk, Event.RESHUFFLE, seat, game.discard_count + game.discard_monsters, 0, 0, 0)
    game.shuffles += 1
    order_exploration_cards(game, game.shuffles)


@inline
def meet_ally(game, rules, desk, seat, card):
    """Offer the Ally just revealed clockwise, then to the explorer; True if the exploration goes on."""
    price = purchase_price(game, rules)
    kraken = rules.kraken
    seats = game.seats
    other = seat
    for _ in range(seats - 1):
        other = other + 1 if other + 1 < seats else 0
        buyer = game.players[sure(other)]
        if may_buy(rules, kraken, buyer, price):
            if offer_ally(game, rules, desk, seat, other, card, price):
                return True
    space = game.track_count - 1
    if space == rules.explore_slots - 1:
        gain_pearls(game, rules, desk, seat, rules.last_slot_pearls, LAST_SPACE)
    else:
        ask_either(game, Decision.ALLY, seat, Verb.TAKE, Verb.CONTINUE, card >> CARD_BITS, space, card & CARD_STEP - 1)
        if choose_at_once(game, rules, desk, decide_on_ally) == 1:
            return True
    take_ally(game, desk, seat, space)
    return False


@inline
def may_buy(rules, kraken, buyer, price):
    """Tell whether an opponent can pay for the Ally just revealed and has not bought its share (Hypnotist: more)."""
    if kraken:
        most = max(rules.purchases_per_opponent, buyer.power_amount[Power.PURCHASES_PER_TURN])
        return purse_of(rules, buyer) >= price and buyer.bought < most
    return buyer.pearls >= price and buyer.bought < rules.purchases_per_opponent


@jit
def purchase_price(game, rules):
    """Return the price of the next purchase of this exploration."""
    return rules.purchase_price_first + game.purchases * rules.purchase_price_step


@inline
def offer_ally(game, rules, desk, explorer, seat, card, price):
    """Offer the Ally just revealed to an opponent; True if it is bought (the explorer gets the price)."""
    race = card >> CARD_BITS
    value = card & CARD_STEP - 1
    ask_either(game, Decision.OFFER, seat, Verb.BUY, Verb.PASS, race, explorer, value)
    passed = choose_at_once(game, rules, desk, decide_on_offer)
    if passed:
        log(desk, Event.OFFER, seat, explorer, price, 0, 0)
        return False
    nebulis = choose_nebulis(game, rules, desk, seat, price) if rules.kraken else 0
    log(desk, Event.OFFER, seat, explorer, price, 1, nebulis)
    buy_ally(game, seat, explorer, price - nebulis, race, value)
    if rules.kraken:
        settle_sale(game, rules, desk, seat, explorer, price, nebulis)
    if rules.commander_on_purchase:
        discard_to_commander(game, rules, desk, seat)
    return True


@inline
def buy_ally(game, seat, explorer, pearls, race, value):
    """Move the Ally to the buyer and its Pearls to the explorer; the space is free again."""
    buyer = game.players[seat]
    buyer.pearls -= pearls
    buyer.bought += 1
    buyer.counts[Count.PURCHASES] += 1
    buyer.counts[Count.PURCHASE_PEARLS] += pearls
    if value >= 4:
        buyer.counts[Count.BOUGHT_HIGH] += 1
    if value <= 2:
        buyer.counts[Count.BOUGHT_LOW] += 1
    game.players[explorer].pearls += pearls
    game.players[explorer].counts[Count.SALES] += 1
    game.purchases += 1
    game.track_count -= 1
    add_to_hand(game, seat, race, value)


@jit
def take_ally(game, desk, seat, space):
    """Put the Ally on a space into the explorer's hand."""
    race = game.track[space] >> CARD_BITS
    value = game.track[space] & CARD_STEP - 1
    game.players[seat].counts[Count.ALLIES_TAKEN] += 1
    log(desk, Event.TAKE, seat, race, value, space, 0)
    add_to_hand(game, seat, race, value)
    for i in range(space, game.track_count - 1):
        game.track[i] = game.track[i + 1]
    game.track_count -= 1


@inline
def meet_monster(game, rules, desk, seat):
    """Let the explorer fight the Monster or go on past it; True if the exploration goes on."""
    space = game.track_count - 1
    if space == rules.explore_slots - 1:
        gain_pearls(game, rules, desk, seat, rules.last_slot_pearls, LAST_SPACE)
    else:
        ask_either(game, Decision.MONSTER, seat, Verb.FIGHT, Verb.CONTINUE, game.threat, space, 0)
        if choose(game, rules, desk) == 1:
            game.threat = min(game.threat + 1, rules.spaces - 1)
            game.players[seat].counts[Count.MONSTERS_PASSED] += 1
            log(desk, Event.CONTINUE, seat, game.threat, 0, 0, 0)
            return True
    fight(game, rules, desk, seat, space)
    return False


@jit
def reward_space(game, rules, seat):
    """Return the threat space whose reward the seat would take: opposing Tamers push it back."""
    return max(game.threat - opponents_amount(game, seat, Power.OPPONENTS_THREAT_BACK), 0)


@jit
def fight(game, rules, desk, seat, space):
    """Beat the Monster, take the reward, and put the token back on the first space."""
    reward_from = reward_space(game, rules, seat)
    game.players[seat].counts[Count.FIGHTS] += 1
    log(desk, Event.FIGHT, seat, game.threat, reward_from, space, 0)
    game.threat = 0
    offer_rewards(game, rules, seat, reward_from)
    pick = game.options[choose(game, rules, desk)].card
    take_reward(game, rules, desk, seat, reward_from, pick)


@jit
def offer_rewards(game, rules, seat, space):
    """List the rewards of a space for which enough Monster tokens are left (all, if that leaves none)."""
    ask(game, Decision.REWARD, seat)
    for pick in range(rules.reward_count[space]):
        if rules.rewards[space, pick].monster_tokens <= game.token_count:
            offer(game, Verb.REWARD, pick, space, 0)
    if game.option_count == 0:
        for pick in range(rules.reward_count[space]):
            offer(game, Verb.REWARD, pick, space, 0)


@jit
def take_reward(game, rules, desk, seat, space, pick):
    """Take Pearls, Keys and Monster tokens; tokens are drawn face down."""
    reward = rules.rewards[space, pick]
    game.players[seat].pearls += reward.pearls
    keys = gain_keys(game, rules, seat, reward.keys)
    log(desk, Event.REWARD, seat, space, pick, reward.pearls, keys)
    draw_tokens(game, desk, seat, reward.monster_tokens)
    tax_gain(game, rules, desk, seat, reward.pearls)


@inline
def gain_keys(game, rules, seat, keys):
    """Give Key tokens, as many as there are under the ruling `keys_binding`; return how many."""
    if rules.keys_binding:
        keys = min(keys, keys_in_supply(game, rules))
    game.players[seat].key_tokens += keys
    return keys


@inline
def draw_tokens(game, desk, seat, number):
    """Draw Monster tokens face down, as far as there are any."""
    player = game.players[seat]
    for _ in range(min(number, game.token_count)):
        game.token_count -= 1
        value = game.tokens[game.token_count]
        player.monster_tokens[value] += 1
        player.monster_token_count += 1
        log(desk, Event.TOKEN, seat, value, 0, 0, 0)


@jit
def keys_in_supply(game, rules):
    """Return the Key tokens that no seat holds."""
    keys = rules.key_tokens
    for seat in range(game.seats):
        keys -= game.players[seat].key_tokens
    return max(keys, 0)


@jit
def take_what_is_left(game, rules, desk, seat):
    """End an exploration with nothing left to draw: the last Ally on the track, else the last Monster, else nothing."""
    for space in range(game.track_count - 1, -1, -1):
        if game.track[space] < MONSTER_CARD:
            take_ally(game, desk, seat, space)
            return
    if game.track_count > 0:
        fight(game, rules, desk, seat, game.track_count - 1)
    else:
        log(desk, Event.NOTHING_LEFT, seat, 0, 0, 0, 0)


@inline
def clear_track(game, rules, desk, seat):
    """Send the Allies left over to the Council and the Monsters to the discard; pay the Ship Master."""
    if desk.recording:
        log_leftovers(game, desk, seat)
    races = 0
    krakens = 0
    for space in range(game.track_count):
        card = game.track[space]
        if card < KRAKEN_CARD:
            race = card >> CARD_BITS
            game.council[sure(race), sure(card & CARD_STEP - 1)] += 1
            game.council_size[sure(race)] += 1
            races |= 1 << race
        elif card < MONSTER_CARD:
            game.track[sure(krakens)] = card
            krakens += 1
        else:
            game.discard_monsters += 1
    game.track_count = krakens
    if krakens > 0:
        place_krakens(game, rules, desk, seat)
    pay_ship_master(game, rules, desk, seat, races)


@jit
def log_leftovers(game, desk, seat):
    """Log what is left on the track: the number of Monsters, then the Allies."""
    monsters = 0
    for space in range(game.track_count):
        monsters += 1 if game.track[space] >= MONSTER_CARD else 0
    log(desk, Event.LEFTOVERS, seat, monsters, 0, 0, 0)
    for space in range(game.track_count):
        card = game.track[space]
        if card < KRAKEN_CARD:
            log(desk, Event.LEFTOVER_ALLY, seat, card // CARD_STEP, card % CARD_STEP, 0, 0)


@jit
def pay_ship_master(game, rules, desk, seat, races):
    """Give the explorer the Ship Master's Pearls: for each different Race sent to the Council."""
    amount = game.players[seat].power_amount[Power.PEARL_PER_RACE_SENT_TO_COUNCIL]
    if amount > 0:
        count = 0
        for race in range(RACES):
            count += races >> race & 1
        lord = holder_of(game, rules, seat, Power.PEARL_PER_RACE_SENT_TO_COUNCIL)
        gain_pearls(game, rules, desk, seat, amount * count, lord)
