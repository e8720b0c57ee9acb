"""The legal actions of the seat to move."""

from w51_env.alles_futsch.actions import ADD, BASE, PASS, PLACE_TYPE, RAISE, SELECT_CARD, SELL_TO
from w51_env.alles_futsch.objects import may_buy
from w51_env.alles_futsch.state import BID, FACE_UP, NO_CARD, NUM_TYPES, PLACE, SELECT, SELL
from w51_env.compiler.compile import kernel


@kernel
def legal_actions(rules, game, legal):
    """Write the legal action ids of the seat to move to `legal.actions`. Returns their number: 0 at the end."""
    phase = game.phase
    count = 0
    if phase == SELECT:  # A2
        for slot in range(FACE_UP):
            if game.face_up[slot] != NO_CARD:
                legal.actions[count] = SELECT_CARD + slot
                count += 1
    elif phase == BID:  # A2
        spare = int(game.money[game.seat]) - int(game.standing_bid) - int(game.added)
        if game.added == 0:
            legal.actions[count] = PASS
            count += 1
            for twenties in range(1, (spare - 1) // BASE + 1):  # at least 1 is left for the second part
                legal.actions[count] = ADD + twenties
                count += 1
        for raised in range(1, min(BASE, spare) + 1):
            legal.actions[count] = RAISE + raised
            count += 1
    elif phase == PLACE:  # A3
        for a_type in range(NUM_TYPES):
            if game.to_place[a_type] > 0:
                legal.actions[count] = PLACE_TYPE + a_type
                count += 1
    elif phase == SELL:  # A3
        for distance in range(1, rules.num_players):
            if may_buy(rules, game, (game.seat + distance) % rules.num_players, game.selling):
                legal.actions[count] = SELL_TO + distance
                count += 1
    return count
