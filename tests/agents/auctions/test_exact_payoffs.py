"""Exact payoffs are those of games: every deal of small auctions, each decision, every set of options."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from w51_agents.agent.interface import AgentError
from w51_agents.exact.auctions.payoffs import ExactAuction
from w51_agents.exact.auctions.strategies import Equilibrium, solve
from w51_env import make_game
from w51_env.auctions.state import CENTS, FORMATS, UNIT_FORMATS, VALUES
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals
from w51_env.engine.errors import OptionError
from w51_env.engine.game import NO_ACTION

SMALL: dict[str, Any] = {"max_value": 4, "max_bid": 4}


def auction_of(**options: Any) -> ExactAuction:
    return ExactAuction(make_game("auctions_v0", **{**SMALL, **options}))


@cache
def dealt(num_players: int, values: str, max_value: int) -> tuple[np.ndarray, np.ndarray]:
    """All deals, which no other option changes, with their probabilities."""
    return deals(make_game("auctions_v0", num_players=num_players, values=values, max_value=max_value, max_bid=1))


def played(one: ExactAuction, rivals: np.ndarray) -> np.ndarray:
    """(signals, decisions): the payoffs of the first seat in games on the engine, one for each deal and own decision.

    Args:
        one: The auction.
        rivals: (signals,) the decision of each rival: a pass, or the highest price that is taken.
    """
    game, legal = one.game, np.flatnonzero(one.legal)
    states, chances = dealt(*(game.options[name] for name in ("num_players", "values", "max_value")))
    own, states = np.repeat(legal, len(states)), np.tile(states, len(legal))
    chosen = rivals[states["signals"]]
    chosen[:, 0] = own
    batch = Batch(game, len(states), autoreset="disabled", observe=False, keep_final=False)
    batch.reset()
    for name in ("signals", "common", "lot"):
        batch.games[name] = states[name]
    batch.refresh()
    while (batch.seat >= 0).any():
        decision, price = chosen[np.arange(len(states)), batch.seat], 1 + batch.games["clock"].astype(int)
        if game.options["auction"] in ("english", "dutch"):
            decision = np.where(decision >= price, price, 0)
        batch.step(np.where(batch.seat >= 0, decision, NO_ACTION))
    weighted = np.zeros((len(one.chances), len(one.legal)))
    scores = batch.games["scores"][:, 0] / CENTS * np.tile(chances, len(legal))
    np.add.at(weighted, (states["signals"][:, 0], own), scores)
    return weighted / one.chances[:, None]


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("auction", [one for one in FORMATS if one not in UNIT_FORMATS])
def test_exact_payoffs_of_every_set_of_options_are_those_of_games(auction: str, values: str):  # L1, L2, L3, L4, L5, L6
    grid = {
        "num_players": (2, 3),
        "bid_step": (1, 2),
        "reserve": (0, 2),
        "entry_fee": (0, 1),
        "payee": ("bank", "losers"),
        "risk_aversion": (0, 40),
        "keep_values": (False, True),
    }
    draw, known = np.random.default_rng(0), 0
    for chosen in product(*grid.values()):
        options = {"auction": auction, "values": values, **dict(zip(grid, chosen, strict=True))}
        try:
            one = auction_of(**options)
        except (OptionError, AgentError):  # no such game, or its payoffs are not known
            continue
        rivals = draw.choice(np.flatnonzero(one.legal), len(one.chances))
        found, expected = one.payoffs(np.eye(len(one.legal))[rivals]), played(one, rivals)
        assert found[:, one.legal] == pytest.approx(expected[:, one.legal], abs=1e-6), options
        known += 1
    assert known >= 12


def test_the_mean_value_of_six_bidders_is_rounded_as_in_games():  # L1
    one = auction_of(num_players=6, values="average", auction="second_price", max_value=2, max_bid=2)
    rivals = np.array([1, 2, 3])
    found = one.payoffs(np.eye(len(one.legal))[rivals])
    assert found[:, one.legal] == pytest.approx(played(one, rivals)[:, one.legal], abs=1e-6)


@pytest.mark.parametrize(
    "options", [{"reserve": 1}, {"entry_fee": 1}, {"auction": "english"}, {"auction": "dutch"}, {"auction": "all_pay"}]
)
def test_a_pass_wins_nothing_where_all_pass(options: dict[str, Any]):  # L4
    one = auction_of(**{"num_players": 2, "values": "average", **options})
    passes = one.pure(np.full(len(one.chances), -1))
    assert one.payoffs(passes)[:, 0] == pytest.approx(0)
    assert one.utility_loss(passes).value == pytest.approx(0)


def test_the_computed_equilibrium_earns_what_is_computed():  # L4
    one = auction_of(num_players=2, values="average", reserve=1)
    computed = one.utility_loss(solve(one))
    agent, batch = Equilibrium(one.game), Batch(one.game, 20_000, seed=1, autoreset="disabled", keep_final=False)
    batch.reset()
    agent.reset(1)
    while (batch.seat >= 0).any():
        batch.step(agent.act_batch(batch.observation, batch.action_mask))
    earned = batch.final_scores[:, :2].mean(axis=1) / CENTS
    assert abs(earned.mean() - computed.value) < 4 * earned.std() / len(earned) ** 0.5
    assert computed.relative < 0.01


@pytest.mark.parametrize("auction", ["english", "dutch"])
def test_the_computed_equilibrium_refuses_a_clock(auction: str):
    with pytest.raises(AgentError, match=f"auction: '{auction}', but .* plays sealed bids"):
        Equilibrium(make_game("auctions_v0", num_players=2, auction=auction, **SMALL))
