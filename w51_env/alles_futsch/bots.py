"""Bots as kernels. A bot gets what an agent gets: an observation and the legal actions."""

from w51_env.alles_futsch.actions import ADD, BASE, PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.observe import AT, PARTS, read_amount
from w51_env.alles_futsch.state import BID, MAX_OWNED, NUM_TYPES, PLACE, SELECT
from w51_env.compiler.compile import kernel
from w51_env.engine.choices import best_of

BOTS = ("random", "heuristic")

# Found by tournaments of the heuristic against itself with other numbers.
FIRST_VALUE = 0.2  #      worth of a first object of a type, as a fraction of the bonus for the third
SECOND_VALUE = 0.45  #    the same of a second object
CASH_RESERVE = 5  #       thousands never bid
PRICE_FACTOR = 0.85  #    the limit of a bid as a fraction of the fair price
RIVALS_FACTOR = 0.35  #   divided by the number of rivals and added to PRICE_FACTOR

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
def object_value(rules, owned):
    """Thousands that an object is worth to a seat that then owns `owned` of its type."""
    if owned > SET_OF:
        return -float(rules.fine)
    if owned == SET_OF:
        return float(rules.bonus)
    return rules.bonus * (FIRST_VALUE if owned == 1 else SECOND_VALUE)


@kernel
def loss_of_buyer(rules, obs, buyer, a_type):
    """Thousands that a seat loses if it must buy an object of this type; NEVER if it may not."""
    owned = owned_by(obs, buyer, a_type)
    if obs[AT.lacks + buyer * NUM_TYPES + a_type] or owned >= MAX_OWNED:
        return NEVER
    return rules.sale_price - object_value(rules, owned + 1)


@kernel
def sale_value(rules, obs, seller, a_type):
    """Thousands that selling an object is worth: its price, and the seller's gain from the buyer's loss."""
    loss = NEVER
    for buyer in range(rules.num_players):
        if buyer != seller:
            loss = max(loss, loss_of_buyer(rules, obs, buyer, a_type))
    return 0.0 if loss == NEVER else rules.sale_price + loss / (rules.num_players - 1)


@kernel
def card_value(rules, obs, seat, start):
    """Thousands that the card at `start` of the observation is worth to a seat."""
    total = 0.0
    for a_type in range(NUM_TYPES):
        owned = owned_by(obs, seat, a_type)
        for _ in range(obs[start + a_type]):
            if keeps(obs, seat, a_type, owned):
                owned += 1
                total += object_value(rules, owned)
            else:
                total += sale_value(rules, obs, seat, a_type)
    return total


@kernel
def max_bid(rules, obs, seat, start, bidding_only):
    """The highest bid of a seat for a card. Rivals are all other seats, or those still in the auction.

    At the fair price, (own value x rivals + value to the rival that values it most) / players, a seat is indifferent
    between buying and leaving the card to that rival, if the others' money counts as much as its own.
    """
    rivals = rules.num_players - 1
    highest = 0.0
    for other in range(rules.num_players):
        if other != seat and (obs[AT.bidding + other] or not bidding_only):
            highest = max(highest, card_value(rules, obs, other, start))
    price = (card_value(rules, obs, seat, start) * rivals + highest) / rules.num_players
    return min((PRICE_FACTOR + RIVALS_FACTOR / rivals) * price, money_of(obs, seat) - CASH_RESERVE)


@kernel
def card_gain(rules, obs, action):
    """Thousands that a card gains if the seat with the highest limit buys it for the second highest."""
    start = AT.face_up + (action - SELECT_CARD) * NUM_TYPES
    own_bid = max_bid(rules, obs, 0, start, False)
    highest = NEVER
    rival = 0
    for seat in range(1, rules.num_players):
        other = max_bid(rules, obs, seat, start, False)
        if other > highest:
            highest = other
            rival = seat
    if own_bid >= highest:
        return card_value(rules, obs, 0, start) - max(highest, 1.0)
    return (max(own_bid, 1.0) - card_value(rules, obs, rival, start)) / (rules.num_players - 1)


@kernel
def best_bid(rules, obs, legal, count):
    """Outbid the limits of all seats still in the auction at once, but not above the own limit; else pass."""
    standing = rules.minimum_bid - 1
    for seat in range(rules.num_players):
        if obs[AT.leader + seat]:
            standing = read_amount(obs, AT.standing_bid)
    added = read_amount(obs, AT.added)
    own_max = int(max_bid(rules, obs, 0, AT.card, True))
    if standing >= own_max and added == 0:
        return PASS
    enough = standing + 1
    for seat in range(1, rules.num_players):
        if obs[AT.bidding + seat]:
            enough = max(enough, int(max_bid(rules, obs, seat, AT.card, True)) + 1)
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
def loss_by_sale(rules, obs, action):
    """What a seat loses by the sale, then its money; a seat that can't pay is best if that wins the game, else last."""
    seat = action - SELL_TO
    a_type = 0
    while not obs[AT.selling + a_type]:
        a_type += 1
    money = money_of(obs, seat)
    price = rules.sale_price + (rules.fine if owned_by(obs, seat, a_type) >= SET_OF else 0)
    if price > money:
        return -NEVER if is_richest(rules, obs, seat, min(money, rules.sale_price)) else NEVER
    return 1000 * loss_of_buyer(rules, obs, seat, a_type) + money


@kernel
def is_richest(rules, obs, broke, paid):
    """Whether the observer has the most money once seat `broke` has paid it its last `paid`."""
    for seat in range(1, rules.num_players):
        if seat != broke and money_of(obs, seat) >= money_of(obs, 0) + paid:
            return False
    return True


best_card, best_buyer = best_of(card_gain), best_of(loss_by_sale)


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of the bot of index `bot` in BOTS, from 1, which is `heuristic`; `bits` are not used."""
    obs = observation.values
    if obs[AT.phase + SELECT]:
        return best_card(rules, obs, legal, count, legal.actions[0], NEVER)
    if obs[AT.phase + BID]:
        return best_bid(rules, obs, legal, count)
    if obs[AT.phase + PLACE]:
        return best_object(obs, legal, count)
    return best_buyer(rules, obs, legal, count, legal.actions[0], 2 * NEVER)
