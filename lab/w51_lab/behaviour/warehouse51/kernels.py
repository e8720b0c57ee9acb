"""For behaviour tables, by the rules: what relics were worth by the scoring, and who had seen a counterfeit card."""

import numpy as np

from w51_env.compiler.compile import entry, kernel
from w51_env.engine.events import log_dtype
from w51_env.engine.game import Game
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.gaps import knows_gap
from w51_env.warehouse51.payment import share_of_price
from w51_env.warehouse51.scoring import score_game
from w51_env.warehouse51.state import EXPOSED, NO_GAP, OVER
from w51_lab.behaviour.contract import EventColumns

_entry = entry("warehouse51_behaviour")


@kernel
def score_with(rules, game, relic, place, log):  # type: ignore[no-untyped-def]
    """Score a game with a relic in another place. Overwrites points, scores and the place."""
    game.place[relic] = place
    game.points[:] = 0
    score_game(rules, game, log)


@_entry
def _score_with_each(rules, games, log, worth):  # type: ignore[no-untyped-def]
    """Score each game with each of its relics in each collection, and without it. Overwrites `games`."""
    for index in range(games.shape[0]):
        game = games[index]
        for relic in range(rules[0].num_relics):
            owner, pawned = game.place[relic], game.pawned[relic]
            # A game that did not reach its end has no points; a counterfeit brings nobody any.
            if game.phase != OVER or (owner < 0 and game.counterfeit_gap[relic] != NO_GAP):
                continue
            score_with(rules[0], game, relic, EXPOSED, log[0])
            for seat in range(rules[0].num_players):
                worth[index, relic, seat] = -game.scores[seat]
            for seat in range(rules[0].num_players):
                game.pawned[relic] = pawned if seat == owner else 0
                score_with(rules[0], game, relic, seat, log[0])
                worth[index, relic, seat] += game.scores[seat]
            game.place[relic], game.pawned[relic] = owner, pawned


@_entry
def _follow_looks(rules, games, index, kind, seat, a, knew):  # type: ignore[no-untyped-def]
    """Repeat the looks at gaps in the order of the events. Overwrites `looked` and `shown` in `games`."""
    for game in range(games.shape[0]):
        games[game].looked[:] = 0
        games[game].shown = 0
    lot = 0
    for event in range(index.shape[0]):
        game = games[index[event]]
        if kind[event] == EVENT.LOOKED:
            game.looked[seat[event], a[event]] = 1
        elif kind[event] == EVENT.REVEALED:
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


def worth_to_seats(game: Game, states: np.ndarray) -> np.ndarray:
    """(N, relics, players) int16: a seat's score with a relic in its collection at the end less that without it.

    0 for a relic that was exposed as a counterfeit, or would have been. The points of a majority or a set are lost with
    any relic that is needed for it, so the worths do not add up to the score. The worth of a relic that does harm is
    negative. A relic is as pawned as it was for its owner, and redeemed for others.
    """
    worth = np.zeros((len(states), int(game.rules["num_relics"][0]), game.num_players), np.int16)
    log = np.zeros(1, log_dtype(1))  # off
    _score_with_each(game.rules, states.copy(), log, worth)
    return worth


def known_counterfeits(game: Game, events: EventColumns, states: np.ndarray) -> np.ndarray:
    """(lots, players) bool: the relic is a counterfeit, and the seat had seen its card before it was revealed."""
    knew = np.zeros((int(events.lots.sum()), game.num_players), np.bool_)
    columns = map(np.ascontiguousarray, (events.game, events.kind, events.seat, events.a))
    _follow_looks(game.rules, states.copy(), *columns, knew)
    return knew


def shares_of_prices(game: Game, winner: np.ndarray, price: np.ndarray) -> np.ndarray:
    """(sales, players) int64: what each seat gets of each price (T4, option `payment_to`)."""
    shares = np.zeros((len(winner), game.num_players), np.int64)
    _share_prices(game.rules, winner.astype(np.int64), price.astype(np.int64), shares)
    return shares
