"""Random games agree with the reference: winners, prices, money, payoffs, ranks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.auctions import reference
from tests.env.auctions.generate import options, options_of_lots
from w51_env import auctions
from w51_env.auctions.state import CENTS
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


def play(game: Game, seed: int) -> tuple[np.void, list[dict[str, Any]], list[np.void]]:
    """The last state of a random game, its events, and the state in which each round began."""
    batch = Batch(game, 1, seed=seed, autoreset="disabled", events=True)
    batch.reset()
    events, begun = list(batch.events(0)), [batch.games[0].copy()]
    while not batch.done[0]:
        batch.step(batch.sample_actions())
        events += batch.events(0)
        if batch.games[0]["round"] > begun[-1]["round"] and not batch.done[0]:
            begun.append(batch.games[0].copy())
    return batch.games[0].copy(), events, begun


def rounds_of(events: list[dict[str, Any]], players: int) -> list[dict[str, Any]]:
    """Of each round: the shown bids, who won, at what price."""
    rounds: list[dict[str, Any]] = []
    for event in events:
        kind, seat = event["event"], event["seat"]
        if kind == "round_begins":
            rounds.append({"bids": [None] * players, "left": {}})
        elif kind in ("shown", "claimed"):
            bid = event["bid" if kind == "shown" else "price"]
            rounds[-1]["bids"][seat] = None if bid < 0 else bid
        elif kind == "left":
            rounds[-1]["left"][seat] = event["price"]
        elif kind in ("sold", "unsold"):
            rounds[-1].update(winner=seat if kind == "sold" else None, price=event.get("price"))
    return rounds


def bids_at_a_rising_clock(game: Game, one: dict[str, Any]) -> list[int | None]:
    """The highest price that each seat has taken: who never left took at least one step more than the price paid."""
    step, reserve = game.options["bid_step"], game.options["reserve"]
    bids = [one["left"].get(seat) for seat in range(game.num_players)]
    taken = [None if bid is None or bid == reserve else bid - step for bid in bids]
    for seat, bid in enumerate(bids):
        if bid is None:
            alone = one["price"] == reserve and all(bid is None for other, bid in enumerate(taken) if other != seat)
            taken[seat] = reserve if alone else min(one["price"] + step, game.options["max_bid"])
    return taken


@settings(max_examples=25)
@given(game=options().map(lambda chosen: auctions.make(**chosen)))
def test_random_games_go_as_in_the_reference(game: Game):  # L1, L2, L3, L4, L5, L6
    options, players = game.options, game.num_players
    last, events, begun = play(game, seed=len(repr(game)))
    rounds = rounds_of(events, players)
    assert len(rounds) == options["num_rounds"]
    total, money = np.zeros(players), np.full(players, options["budget"])
    for one, dealt in zip(rounds, begun, strict=False):
        bids = bids_at_a_rising_clock(game, one) if options["auction"] == "english" else one["bids"]
        winner, signals = one["winner"], dealt["signals"][:players].tolist()
        possible = reference.winners(bids)
        assert winner in possible if possible else winner is None
        if winner is not None:
            assert one["price"] == reference.price(options, bids)
        got = np.array(reference.money(options, bids, winner), float)
        money += got.astype(int)
        if winner is not None:
            got[winner] += float(reference.worth(options, signals, int(dealt["common"]), winner))
        total += [gain if options["keep_values"] else reference.utility(options, gain) for gain in got]
    if len(begun) == len(rounds):  # every round had a decision
        assert np.abs(last["scores"][:players] / CENTS - total / len(rounds)).max() < 0.4
        assert (money >= 0).all() or not options["budget"]
        assert not options["budget"] or (last["money"][:players] == money).all()
    scores = last["scores"][:players].tolist()
    assert last["ranks"][:players].tolist() == [1 + sum(other > score for other in scores) for score in scores]


@settings(max_examples=40)
@given(chosen=options_of_lots())
def test_lots_and_bidders_that_differ_go_as_in_the_reference(chosen: dict[str, Any]):  # L7, L8, L9
    game = auctions.make(**chosen)
    players = game.num_players
    last, events, begun = play(game, seed=len(repr(game)))
    values = np.stack([begun[0]["signals"], begun[0]["second_signals"]], axis=1)[:players].tolist()
    bidders = [list(map(int, one.split())) for one in chosen["bidders"].split("/") if one]
    for bidder, pair in zip(bidders, values, strict=False):
        assert all(bidder[0] <= value <= bidder[1] for value in pair[: 1 + int(game.rules["two_bids"][0])])
    sold = [(event["seat"], event["price"]) for event in events if event["event"] == "sold"]
    if game.rules["in_turn"][0]:
        assert all(event["event"] not in ("shown", "claimed") for event in events) or game.options["auction"] == "dutch"
        assert len({seat for seat, _ in sold}) == len(sold)  # each wins one at most
        return
    bids = np.stack([last["shown"], last["second_shown"]], axis=1)[:players].astype(int)
    assert sorted(sold) == sorted(reference.sales(game.options, bids.tolist(), sold))
    expected = reference.gains(game.options, values, bids.tolist(), sold)
    for seat, gain in enumerate(expected):
        risk = {"risk_aversion": (*bidders[seat], 0, 0, 0)[4] if bidders else 0}
        assert last["scores"][seat] / CENTS == pytest.approx(
            reference.utility({**game.options, **risk}, gain), abs=0.01
        )
