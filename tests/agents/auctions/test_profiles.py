"""Bidders that differ, two units, two items: exact payoffs are those of games, closed forms have no better response."""

from typing import Any

import numpy as np
import pytest

from w51_agents.agent.interface import AgentError
from w51_agents.exact.auctions.profiles import ExactProfile
from w51_agents.exact.auctions.sequence import ExactSequence
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.auctions.state import CENTS
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals

SMALL: dict[str, Any] = {"max_value": 3, "max_bid": 3, "ask_forced": True}
UNITS = ("discriminatory", "uniform_price", "vickrey")
CASES: list[dict[str, Any]] = [
    {"num_players": 2, "bidders": "0 2/1 3 2 2 40"},
    {"num_players": 3, "bidders": "0 1/1 3/0 2 1 1 30", "auction": "second_price", "reserve": 1},
    {"num_players": 3, "bidders": "0 1/1 3/0 2", "auction": "third_price", "entry_fee": 1},
    {"num_players": 3, "bidders": "0 1/1 2/0 2", "auction": "all_pay"},
    *({"num_players": 3, "auction": name, "max_value": 2, "max_bid": 2} for name in UNITS),
    *({"num_players": 2, "auction": name, "max_bid": 4, "reserve": 2, "bid_step": 2} for name in UNITS),
    *({"num_players": 3, "auction": name, "one_each": True} for name in UNITS),
    *(
        {"num_players": 2, "items": 2, "auction": name, "synergy": 50, "max_value": 2}
        for name in ("first_price", "second_price", "all_pay")
    ),
]


def exact(**options: Any) -> ExactProfile:
    return ExactProfile(make_game("auctions_v0", **options))


def played(one: ExactProfile, seat: int, chosen: list[np.ndarray]) -> np.ndarray:
    """(values, decisions): what each decision of a seat earns in games on the engine, one for each deal.

    Args:
        one: The auction.
        seat: The seat.
        chosen: Of each seat the number of its decision at each of its values.
    """
    states, chances = deals(one.game)
    dealt = np.stack([states["signals"], states["second_signals"]], axis=2)
    at = [(dealt[:, None, other] == values).all(axis=2).argmax(axis=1) for other, values in enumerate(one.values)]
    own = np.repeat(np.arange(len(one.decisions)), len(states))
    decided = [np.tile(choices[rows], len(one.decisions)) for choices, rows in zip(chosen, at, strict=True)]
    decided[seat] = own
    batch = Batch(one.game, len(own), autoreset="disabled", observe=False, keep_final=False)
    batch.reset()
    for name in ("signals", "second_signals", "lot", "second_lot"):
        batch.games[name] = np.tile(states[name].T, len(one.decisions)).T
    batch.refresh()
    for other in range(one.game.num_players):
        for number in range(1 + int(one.game.rules["two_bids"][0])):
            batch.step(one.decisions[decided[other], number])
    scores = batch.games["scores"][:, seat] / CENTS * np.tile(chances, len(one.decisions))
    weighted = np.zeros((len(one.values[seat]), len(one.decisions)))
    np.add.at(weighted, (np.tile(at[seat], len(one.decisions)), own), scores)
    return weighted / one.chances[seat][:, None]


@pytest.mark.parametrize("options", CASES, ids=lambda options: str(list(options.values())))
def test_exact_payoffs_are_those_of_games(options: dict[str, Any]):  # L4, L5, L6, L7, L8, L9
    one, draw = exact(**{**SMALL, **options}), np.random.default_rng(0)
    for seat in range(options["num_players"]):
        chosen = [draw.integers(len(one.decisions), size=len(values)) for values in one.values]
        found = one.payoffs(seat, [np.eye(len(one.decisions))[choices] for choices in chosen])
        assert found == pytest.approx(played(one, seat, chosen), abs=1e-9)


PUBLISHED: list[tuple[dict[str, Any], list[float] | None, float]] = [  # payoffs in units, loss on the grid in %
    ({"num_players": 2, "bidders": "10 50/10 90", "max_bid": 60}, None, 0.46),  # Plum (1992)
    ({"num_players": 3, "auction": "discriminatory", "one_each": True}, [100 / 4], 0.2),  # revenue equivalence
    ({"num_players": 3, "auction": "vickrey", "one_each": True}, [100 / 4], 0.0),
    ({"preset": "units"}, [10 * 2 / 3], 0.0),  # Noussair (1995): nothing is bid for a second unit, nothing paid
    ({"preset": "units", "auction": "vickrey"}, [10 * 0.4], 0.0),
    ({"preset": "items", "synergy": 0}, [2 * 10 / 6], 0.69),  # two first-price auctions
]


@pytest.mark.parametrize(("options", "payoffs", "loss"), PUBLISHED)
def test_closed_forms_are_equilibria_with_the_published_payoff(
    options: dict[str, Any], payoffs: list[float] | None, loss: float
):
    one = exact(**options)
    found = one.losses(one.strategies_of("equilibrium", make_agent("equilibrium", one.game)))
    assert max(100 * each.relative for each in found) <= loss
    if payoffs is not None:
        assert [each.value for each in found] == pytest.approx(payoffs * len(found), rel=0.12)


def test_both_of_two_ranges_bid_up_to_the_same_amount():  # Plum (1992): w1 w2 / (w1 + w2) above the least value
    bids = make_game("auctions_v0", num_players=2, bidders="10 50/10 90").rules["equilibrium"][0, 0]
    assert [bids[0, 50], bids[1, 90]] == pytest.approx([10 + 40 * 80 / 120] * 2, abs=0.5)
    assert (bids[0, 11:51] >= bids[1, 11:51]).all()  # the weaker one bids more for the same value


def test_fictitious_play_finds_the_closed_form_and_what_has_none():
    one = exact(num_players=2, bidders="0 10/0 20", max_value=20, max_bid=20)
    assert max(each.relative for each in one.losses(one.solve(200))) < 0.01
    discriminatory = exact(preset="units", auction="discriminatory", max_value=5, max_bid=5)
    assert "equilibrium" not in discriminatory.game.bots
    assert max(each.relative for each in discriminatory.losses(discriminatory.solve(200))) < 0.02


@pytest.mark.parametrize("auction", ["first_price", "second_price"])
def test_lots_in_turn_earn_what_revenue_equivalence_says(auction: str):  # Weber (1983): 1 / 4 of two lots in sum
    one = played_by("equilibrium", preset="sequence", max_value=100, max_bid=100, auction=auction)
    assert abs(one.mean() - 100 / 8) < 4 * one.std() / len(one) ** 0.5 + 0.1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_exact_payoffs_in_turn_are_those_of_games(players: int):  # L9
    one = ExactSequence(make_game("auctions_v0", preset="sequence", num_players=players))
    for name in ("equilibrium", "half"):
        found = one.loss(one.strategy_of(name, make_agent(name, one.game)))
        payoffs = played_by(name, **one.game.options)
        assert abs(payoffs.mean() - found.value) < 4 * payoffs.std() / len(payoffs) ** 0.5 + 1e-9
        assert found.relative < 0.01 or name == "half"


def played_by(bot: str, **options: Any) -> np.ndarray:
    """(games,) mean payoffs of a seat, in units."""
    game = make_game("auctions_v0", **options)
    bots = [bot] * game.num_players
    batch = Batch(game, 20_000, seed=1, controllers=bots, autoreset="disabled", observe=False, keep_final=False)
    batch.reset()
    return np.asarray(batch.final_scores[:, : game.num_players].mean(axis=1) / CENTS)


@pytest.mark.parametrize("options", [{"num_rounds": 2}, {"auction": "english"}, {"values": "average"}, {"items": 2}])
def test_auctions_without_exact_payoffs_are_refused(options: dict[str, Any]):
    with pytest.raises(AgentError, match="exact payoffs"):
        exact(**options)
    with pytest.raises(AgentError, match="exact payoffs in turn need"):
        ExactSequence(make_game("auctions_v0", **options))
