"""For behaviour tables, by the rules: what relics were worth by the scoring, and who had seen a counterfeit card."""

import numpy as np

from w51_env.core.compile import entry, records
from w51_env.core.events import log_dtype
from w51_env.core.game import Game
from w51_env.views.event_columns import EventColumns
from w51_env.warehouse51.event_kinds import LOOKED, REVEALED
from w51_env.warehouse51.gaps import knows_gap
from w51_env.warehouse51.payment import share_of_price
from w51_env.warehouse51.scoring import score_game
from w51_env.warehouse51.state import EXPOSED, NO_GAP, OVER

_entry = entry("warehouse51_behaviour")


@_entry
def _score_without(rules, games, log, scores, worth):  # type: ignore[no-untyped-def]
    """Score each game without each of its relics. Overwrites points and scores in `games`."""
    for index in range(games.shape[0]):
        game = games[index]
        if game.phase == OVER:  # a game that did not reach its end has no points
            for relic in range(rules[0].num_relics):
                owner = game.place[relic]
                if owner >= 0:
                    game.place[relic] = EXPOSED
                    game.points[:] = 0
                    score_game(rules[0], game, log[0])
                    worth[index, relic] = scores[index, owner] - game.scores[owner]
                    game.place[relic] = owner


@_entry
def _follow_looks(rules, games, index, kind, seat, a, knew):  # type: ignore[no-untyped-def]
    """Repeat the looks at gaps in the order of the events. Overwrites `looked` and `shown` in `games`."""
    for game in range(games.shape[0]):
        games[game].looked[:] = 0
        games[game].shown = 0
    lot = 0
    for event in range(index.shape[0]):
        game = games[index[event]]
        if kind[event] == LOOKED:
            game.looked[seat[event], a[event]] = 1
        elif kind[event] == REVEALED:
            gap = game.counterfeit_gap[a[event]]
            if gap != NO_GAP:
                for viewer in range(rules[0].num_players):
                    knew[lot, viewer] = knows_gap(rules[0], game, viewer, gap)
            lot += 1


@_entry
def _share_prices(rules, winner, price, shares):  # type: ignore[no-untyped-def]
    for sale in range(shares.shape[0]):
        for seat in range(shares.shape[1]):
            shares[sale, seat] = share_of_price(rules[0], winner[sale], seat, price[sale])


def worth_to_owner(game: Game, states: np.ndarray) -> np.ndarray:
    """(N, relics) int16: the score of a relic's last owner less the owner's score without it; 0 without an owner.

    The points of a majority or a set are lost with any relic that is needed for it, so the worths do not add up to the
    score. The worth of a relic that does harm is negative.
    """
    worth = np.zeros((len(states), int(game.rules["num_relics"][0])), np.int16)
    log = np.zeros(1, log_dtype(1))  # off
    _score_without(records(game.rules), records(states.copy()), records(log), states["scores"].copy(), worth)
    return worth


def known_counterfeits(game: Game, events: EventColumns, states: np.ndarray) -> np.ndarray:
    """(lots, players) bool: the relic is a counterfeit, and the seat had seen its card before it was revealed."""
    knew = np.zeros((int(events.lots.sum()), game.num_players), np.bool_)
    columns = (events.game, events.kind, events.seat, events.a)
    _follow_looks(records(game.rules), records(states.copy()), *columns, knew)
    return knew


def shares_of_prices(game: Game, winner: np.ndarray, price: np.ndarray) -> np.ndarray:
    """(sales, players) int64: what each seat gets of each price (T4, option `payment_to`)."""
    shares = np.zeros((len(winner), game.num_players), np.int64)
    _share_prices(records(game.rules), winner.astype(np.int64), price.astype(np.int64), shares)
    return shares
