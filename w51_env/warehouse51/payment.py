"""T4: who gets the price of a relic, by the options `payment_to` and `refund`."""

from w51_env.compiler.compile import kernel
from w51_env.engine.seats import NOBODY, left_of, relative, right_of

PAYMENTS = ("left", "right", "bank", "others")
TO_LEFT, TO_RIGHT, TO_BANK, TO_OTHERS = range(len(PAYMENTS))


@kernel
def payee_of(rules, winner):
    """The one seat that gets the whole price; NOBODY if the reserve gets it or all others share it."""
    if rules.payment_to == TO_LEFT:
        return left_of(rules, winner)
    if rules.payment_to == TO_RIGHT:
        return right_of(rules, winner)
    return NOBODY


@kernel
def share_of_price(rules, winner, seat, price):
    """Ingots of a price that a seat gets.

    Others share `refund` percent of it, rounded down, in equal parts; ingots of these that are left over go one each to
    the first seats from the winner's left. The reserve gets what no seat gets.
    """
    distance = relative(rules, seat, winner)
    if distance == 0 or rules.payment_to == TO_BANK:
        return 0
    if rules.payment_to == TO_OTHERS:
        others = int(rules.num_players) - 1
        shared = int(price) * int(rules.refund) // 100
        return shared // others + (1 if distance <= shared % others else 0)
    return price if seat == payee_of(rules, winner) else 0
