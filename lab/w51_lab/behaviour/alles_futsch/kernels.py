"""For behaviour tables, by the rules: what the objects of a card would have brought each seat."""

import numpy as np

from w51_env.alles_futsch.event_types import EVENT
from w51_env.alles_futsch.objects import SET_OF, has_buyer, may_buy
from w51_env.alles_futsch.state import NUM_TYPES, OBJECTS
from w51_env.compiler.compile import entry, kernel, records
from w51_env.engine.game import Game
from w51_lab.behaviour.contract import EventColumns

_entry = entry("alles_futsch_behaviour")


@kernel
def money_of_object(rules, game, seat, kind):  # type: ignore[no-untyped-def]
    """A3: money that placing an object brings a seat, if all can pay. It changes what the seats own."""
    if game.lacks[seat] != kind and game.owned[seat, kind] < SET_OF:
        game.owned[seat, kind] += 1
        return int(rules.bonus) if game.owned[seat, kind] == SET_OF else 0
    if has_buyer(rules, game, seat, kind):
        for other in range(rules.num_players):
            if other != seat and may_buy(rules, game, other, kind):
                game.owned[other, kind] += 1
                return int(rules.sale_price)
    if rules.seller_takes and may_buy(rules, game, seat, kind):
        game.owned[seat, kind] += 1
        return -int(rules.fine)
    return 0


@_entry
def _follow_cards(rules, games, before, objects, events, worth):  # type: ignore[no-untyped-def]
    """Repeat who took what, in the order of the events: (M, 5) game, kind, seat, a, b.

    Overwrites `owned` in `games`; `before` is scratch.
    """
    for game in range(games.shape[0]):
        games[game].owned[:] = 0
    lot = 0
    for event in range(events.shape[0]):
        index, kind, seat, a, b = events[event]
        game = games[index]
        if kind == EVENT.TOOK:
            game.owned[seat, a] = b
        elif kind == EVENT.SELECTED:
            before[:] = game.owned
            for bidder in range(rules[0].num_players):
                for type_of in range(NUM_TYPES):
                    for _ in range(objects[a, type_of]):
                        worth[lot, bidder] += money_of_object(rules[0], game, bidder, type_of)
                game.owned[:] = before
            lot += 1


def worth_to_seats(game: Game, events: EventColumns, states: np.ndarray) -> np.ndarray:
    """(lots, players) int64, thousands: what each seat would get at once for placing the objects of a lot.

    Sales and bonuses less fines, by what all owned when the card came up, if all can pay and the first seat that may
    buy an object does.
    """
    worth = np.zeros((int(events.lots.sum()), game.num_players), np.int64)
    rows = np.stack([events.game, events.kind, events.seat, events.a, events.b], axis=1)
    before = np.zeros_like(states["owned"][0])
    _follow_cards(records(game.rules), records(states.copy()), before, OBJECTS, rows, worth)
    return worth
