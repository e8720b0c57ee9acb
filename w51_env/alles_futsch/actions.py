"""The flat action table: 125 ids.

A bid may be any number of thousands up to what the bidder holds, which would need 1800 ids. A bid is therefore encoded
as a raise in base 20: `raise_1` to `raise_20`, after `add_20`, `add_40`, ... if the raise is larger. Each amount has
exactly one encoding: raises of up to 20,000 take one action, larger ones two, and no other seat acts between the two.
The first bid is a raise over 1,000 less than the least bid allowed.
"""

from w51_env.alles_futsch.state import FACE_UP, MAX_MONEY, MAX_PLAYERS, NUM_TYPES, TYPES, UNIT
from w51_env.engine.game import Action, ActionTable
from w51_env.views.language import Words

BASE = 20
MAX_TWENTIES = MAX_MONEY // BASE

SELECT_CARD = 0  #                        + slot in the face-up row, 0..4
PASS = SELECT_CARD + FACE_UP
RAISE = PASS  #                           + thousands, 1..20
ADD = RAISE + BASE  #                     + twenties, 1..90
PLACE_TYPE = ADD + MAX_TWENTIES + 1  #   + type
SELL_TO = PLACE_TYPE + NUM_TYPES - 1  #   + seats clockwise from the seller, 1..4
NUM_ACTIONS = SELL_TO + MAX_PLAYERS


def action_table() -> ActionTable:
    """All actions with names and readable texts."""
    words, money = Words(), Words().number
    actions = [Action(f"select_{slot}", words("alles_futsch.any.select", slot=slot)) for slot in range(FACE_UP)]
    actions.append(Action("pass", words("alles_futsch.action.pass")))
    actions += [
        Action(f"raise_{raised}", words("alles_futsch.any.bid", money=money(UNIT * raised)))
        for raised in range(1, BASE + 1)
    ]
    actions += [
        Action(f"add_{BASE * twenties}", words("alles_futsch.any.add", money=money(UNIT * BASE * twenties)))
        for twenties in range(1, MAX_TWENTIES + 1)
    ]
    actions += [
        Action(f"place_{name}", words("alles_futsch.action.place", a_type=words(f"alles_futsch.a_type.{name}")))
        for name in TYPES
    ]
    actions += [
        Action(f"sell_to_{distance}", words("alles_futsch.any.sell", distance=distance))
        for distance in range(1, MAX_PLAYERS)
    ]
    return ActionTable(actions)
