"""Bots as kernels. A bot gets what an agent gets: an observation and the legal actions.

`collector` and `heuristic` compute the same with other numbers (`bot_numbers`). To `collector` first and second objects
are steps to a bonus; `heuristic` knows that who has sets sells all that comes later, and that time runs out.
"""

from w51_env.alles_futsch import bot_numbers as numbers
from w51_env.alles_futsch.actions import ADD, BASE, PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.bot_numbers import number_of
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.observe import AT, PARTS, read_amount
from w51_env.alles_futsch.state import BID, MAX_OWNED, NUM_TYPES, PLACE, SELECT
from w51_env.compiler.compile import kernel

BOTS = ("random", "collector", "heuristic")
HEURISTIC = BOTS.index("heuristic")

NEVER = -1e9


@kernel
def money_of(obs, seat):
    """Thousands of a seat. Seats in this module are relative to the observer."""
    return read_amount(obs, AT.money + PARTS * seat)


@kernel
def owned_by(obs, seat, a_type):
    """Objects of one type that a seat owns."""
    return int(obs[AT.owned + seat * NUM_TYPES + a_type])


@kernel
def keeps(obs, seat, a_type, owned):
    """A3: whether a seat that owns `owned` of a type takes one more from a card that it bought."""
    return not obs[AT.lacks + seat * NUM_TYPES + a_type] and owned < SET_OF


@kernel
def time_left(rules, obs):
    """0 to 1: how much of the game seems to be left, by the deck and by the money of the poorest seat."""
    poorest = money_of(obs, 0)
    for seat in range(1, rules.num_players):
        poorest = min(poorest, money_of(obs, seat))
    return min(obs[AT.deck_left] / numbers.WHOLE_DECK, poorest / float(rules.start_money))


@kernel
def object_value(rules, obs, bot, owned):
    """Thousands that an object is worth to a seat that then owns `owned` of its type."""
    if owned > SET_OF:
        return -float(rules.fine)
    if owned == SET_OF:
        return float(rules.bonus)
    value = rules.bonus * number_of(rules, bot, numbers.FIRST_VALUE if owned == 1 else numbers.SECOND_VALUE)
    if bot == HEURISTIC:  # a set that is never finished is worth nothing
        part = number_of(rules, bot, numbers.LATE_LOSS)
        value *= 1.0 - part + part * time_left(rules, obs)
    return value


@kernel
def loss_of_buyer(rules, obs, bot, buyer, a_type):
    """Thousands that a seat loses if it must buy an object of this type; NEVER if it may not."""
    owned = owned_by(obs, buyer, a_type)
    if obs[AT.lacks + buyer * NUM_TYPES + a_type] or owned >= MAX_OWNED:
        return NEVER
    return rules.sale_price - object_value(rules, obs, bot, owned + 1)


@kernel
def sale_value(rules, obs, bot, seller, a_type):
    """Thousands that selling an object is worth: its price, and the seller's gain from the buyer's loss."""
    loss = NEVER
    for buyer in range(rules.num_players):
        if buyer != seller:
            loss = max(loss, loss_of_buyer(rules, obs, bot, buyer, a_type))
    if loss == NEVER:
        return 0.0
    price = rules.sale_price * number_of(rules, bot, numbers.PRICE_WEIGHT)
    return price + number_of(rules, bot, numbers.LOSS_WEIGHT) * loss / (rules.num_players - 1)


@kernel
def card_value(rules, obs, bot, seat, start):
    """Thousands that the card at `start` of the observation is worth to a seat."""
    total = 0.0
    for a_type in range(NUM_TYPES):
        owned = owned_by(obs, seat, a_type)
        for _ in range(obs[start + a_type]):
            if keeps(obs, seat, a_type, owned):
                owned += 1
                total += object_value(rules, obs, bot, owned)
                if bot == HEURISTIC:  # who has a set sells the next ones
                    total += number_of(rules, bot, numbers.LATER_SALES) * time_left(rules, obs)
            else:
                total += sale_value(rules, obs, bot, seat, a_type)
    return total


@kernel
def max_bid(rules, obs, bot, seat, start, bidding_only):
    """The highest bid of a seat for a card. Rivals are all other seats, or those still in the auction.

    At the fair price, (own value x rivals + value to the rival that values it most) / players, a seat is indifferent
    between buying and leaving the card to that rival, if the others' money counts as much as its own. `heuristic` gives
    the rival's value another weight.
    """
    rivals = rules.num_players - 1
    highest = 0.0
    for other in range(rules.num_players):
        if other != seat and (obs[AT.bidding + other] or not bidding_only):
            highest = max(highest, card_value(rules, obs, bot, other, start))
    weight = number_of(rules, bot, numbers.RIVAL_WEIGHT)
    price = (card_value(rules, obs, bot, seat, start) * (rules.num_players - weight) + highest * weight) / (
        rules.num_players
    )
    factor = number_of(rules, bot, numbers.PRICE_FACTOR) + number_of(rules, bot, numbers.RIVALS_FACTOR) / rivals
    return min(factor * price, money_of(obs, seat) - number_of(rules, bot, numbers.CASH_RESERVE))


@kernel
def card_gain(rules, obs, bot, action):
    """Thousands that a card gains if the seat with the highest limit buys it for the second highest."""
    start = AT.face_up + (action - SELECT_CARD) * NUM_TYPES
    own_bid = max_bid(rules, obs, bot, 0, start, False)
    highest = NEVER
    rival = 0
    for seat in range(1, rules.num_players):
        other = max_bid(rules, obs, bot, seat, start, False)
        if other > highest:
            highest = other
            rival = seat
    if own_bid >= highest:
        return card_value(rules, obs, bot, 0, start) - max(highest, 1.0)
    return (max(own_bid, 1.0) - card_value(rules, obs, bot, rival, start)) / (rules.num_players - 1)


@kernel
def best_bid(rules, obs, bot, legal, count):
    """Outbid the limits of all seats still in the auction at once, but not above the own limit; else pass."""
    standing = rules.minimum_bid - 1
    for seat in range(rules.num_players):
        if obs[AT.leader + seat]:
            standing = read_amount(obs, AT.standing_bid)
    added = read_amount(obs, AT.added)
    own_max = int(max_bid(rules, obs, bot, 0, AT.card, True))
    if standing >= own_max and added == 0:
        return PASS
    enough = standing + 1
    for seat in range(1, rules.num_players):
        if obs[AT.bidding + seat]:
            enough = max(enough, int(max_bid(rules, obs, bot, seat, AT.card, True)) + 1)
    left = min(enough, own_max) - standing - added
    if added == 0 and left > BASE:
        return ADD + (left - 1) // BASE
    return RAISE + max(1, min(left, legal.actions[count - 1] - RAISE))


@kernel
def best_object(obs, legal, count):
    """Objects to keep first: after a sale that ends the game their bonus is not paid."""
    for position in range(count):
        a_type = legal.actions[position] - PLACE_TYPE
        if keeps(obs, 0, a_type, owned_by(obs, 0, a_type)):
            return legal.actions[position]
    return legal.actions[0]


@kernel
def loss_by_sale(rules, obs, bot, action):
    """What a seat loses by the sale, then its money; a seat that can't pay is best if that wins the game, else last.

    To `heuristic` money counts as much as it says, another sum if the observer is the richest.
    """
    seat = action - SELL_TO
    a_type = 0
    while not obs[AT.selling + a_type]:
        a_type += 1
    money = money_of(obs, seat)
    price = rules.sale_price + (rules.fine if owned_by(obs, seat, a_type) >= SET_OF else 0)
    if price > money:
        return -NEVER if is_richest(rules, obs, seat, min(money, rules.sale_price)) else NEVER
    weight = numbers.MONEY_WEIGHT_OF_RICHEST if is_richest(rules, obs, 0, 0) else numbers.MONEY_WEIGHT
    return 1000 * loss_of_buyer(rules, obs, bot, seat, a_type) + number_of(rules, bot, weight) * money


@kernel
def is_richest(rules, obs, broke, paid):
    """Whether the observer has the most money once seat `broke` has paid it its last `paid`."""
    for seat in range(1, rules.num_players):
        if seat != broke and money_of(obs, seat) >= money_of(obs, 0) + paid:
            return False
    return True


@kernel
def best_card(rules, obs, bot, legal, count):
    """The card whose auction gains most."""
    best, highest = int(legal.actions[0]), NEVER
    for position in range(count):
        gain = card_gain(rules, obs, bot, int(legal.actions[position]))
        if gain > highest:
            best, highest = int(legal.actions[position]), gain
    return best


@kernel
def best_buyer(rules, obs, bot, legal, count):
    """The seat that the sale hurts most."""
    best, highest = int(legal.actions[0]), 2 * NEVER
    for position in range(count):
        loss = loss_by_sale(rules, obs, bot, int(legal.actions[position]))
        if loss > highest:
            best, highest = int(legal.actions[position]), loss
    return best


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of the bot of index `bot` in BOTS, from 1; `bits` are not used."""
    obs = observation.values
    if obs[AT.phase + SELECT]:
        return best_card(rules, obs, bot, legal, count)
    if obs[AT.phase + BID]:
        return best_bid(rules, obs, bot, legal, count)
    if obs[AT.phase + PLACE]:
        return best_object(obs, legal, count)
    return best_buyer(rules, obs, bot, legal, count)
