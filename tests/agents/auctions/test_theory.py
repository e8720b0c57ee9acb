"""Theory of auctions on the grid: exact payoffs agree with the engine, equilibria with published figures."""

from typing import Any

import numpy as np
import pytest

from w51_agents.agent.interface import AgentError
from w51_agents.exact.auctions.payoffs import ExactAuction
from w51_agents.exact.auctions.strategies import Equilibrium, solve, solve_by_cfr, strategy_of
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

GAMES = 20_000


def exact(**options: Any) -> ExactAuction:
    return ExactAuction(make_game("auctions_v0", **{"num_players": 2, **options}))


def equilibrium(auction: ExactAuction) -> np.ndarray:
    assert "equilibrium" in auction.game.bots
    return auction.pure(auction.game.rules["equilibrium"][0, 0, 0])


def played(game: Game, bots: list[str], seed: int = 1, num_games: int = GAMES) -> Batch:
    batch = Batch(
        game, num_games, seed=seed, controllers=bots, autoreset="disabled", observe=False, keep_final=False, events=True
    )
    batch.reset()
    return batch


def payoffs(game: Game, bots: list[str]) -> np.ndarray:
    """(games, seats) payoffs in units."""
    return played(game, bots).final_scores[:, : game.num_players] / 100


def assert_mean(values: np.ndarray, expected: float) -> None:
    """The mean is within four standard errors: one test in 16,000 fails by chance."""
    assert abs(values.mean() - expected) < 4 * values.std() / np.sqrt(len(values)) + 1e-9


def revenue(auction: ExactAuction, strategy: np.ndarray) -> float:
    """Units that the bank gets: what the winner's value is worth less what all bidders keep. Bidders are efficient."""
    highest = np.cumsum(auction.chances) ** auction.game.num_players
    best_value = np.diff(highest, prepend=0.0) @ np.arange(len(highest))
    return float(best_value - auction.game.num_players * auction.utility_loss(strategy).value)


@pytest.mark.parametrize("payee", ["bank", "losers"])
@pytest.mark.parametrize("auction", ["first_price", "second_price", "third_price", "all_pay", "english", "dutch"])
def test_exact_payoffs_agree_with_the_engine(auction: str, payee: str):  # L2, L3, L4, L5, L6
    fee, averse = (0 if auction == "dutch" else 1), (0 if auction == "all_pay" else 40)
    options = {"max_value": 10, "max_bid": 10, "reserve": 2, "entry_fee": fee, "risk_aversion": averse}
    one = exact(num_players=4, auction=auction, payee=payee, **options)
    truthful, half = (strategy_of(one, name, make_agent(name, one.game)) for name in ("truthful", "half"))
    assert_mean(payoffs(one.game, ["half", *["truthful"] * 3])[:, 0], one.against(half, truthful))


@pytest.mark.parametrize("values", ["affiliated", "average", "mineral"])
def test_exact_payoffs_agree_with_the_engine_for_values_that_depend_on_each_other(values: str):  # L1
    players = 2 if values == "average" else 3
    one = exact(num_players=players, values=values, max_value=20, max_bid=20)
    truthful, half = (strategy_of(one, name, make_agent(name, one.game)) for name in ("truthful", "half"))
    assert_mean(payoffs(one.game, ["half", *["truthful"] * (players - 1)])[:, 0], one.against(half, truthful))


def test_first_price_bids_are_the_share_of_rivals_among_bidders():  # Vickrey (1961): (n - 1) / n of the value
    for players in (2, 3, 5):
        bids = make_game("auctions_v0", num_players=players).rules["equilibrium"][0, 0, 0]
        assert np.abs(bids - np.arange(101) * (players - 1) / players).max() <= 1


def test_no_bid_does_better_than_the_value_where_the_price_does_not_depend_on_it():  # Vickrey (1961)
    for auction in ("second_price", "english"):
        one = exact(num_players=3, auction=auction)
        truthful = equilibrium(one)
        for rivals in (truthful, strategy_of(one, "half", make_agent("half", one.game))):
            best, _ = one.best_response(rivals)
            assert (one.payoffs(rivals) * truthful).sum(axis=1) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_formats_bring_the_same_revenue(players: int):  # Vickrey (1961), Riley and Samuelson (1981)
    found = {
        name: revenue(one, equilibrium(one))
        for name in ("first_price", "second_price", "all_pay", "english", "dutch")
        for one in [exact(num_players=players, auction=name)]
    }
    assert list(found.values()) == pytest.approx([100 * (players - 1) / (players + 1)] * 5, abs=0.8)


def test_formats_bring_the_same_revenue_in_games_that_are_played():
    for auction in ("first_price", "second_price", "all_pay"):
        one = exact(num_players=3, auction=auction)
        assert_mean(payoffs(one.game, ["equilibrium"] * 3).mean(axis=1), one.utility_loss(equilibrium(one)).value)


PUBLISHED = [  # options, expected payoff of a bidder in units of 100, loss on the grid in percent
    ({"num_players": 2}, 100 / 6, 0.01),  # 1 / (n (n + 1)): Krishna (2009), chapter 2
    ({"num_players": 5}, 100 / 30, 0.91),
    ({"num_players": 3, "auction": "all_pay"}, 100 / 12, 1.66),
    ({"num_players": 4, "auction": "third_price", "max_bid": 150, "bid_step": 2}, 100 / 20, 0.0),  # Kagel, Levin (1993)
    ({"num_players": 3, "risk_aversion": 50}, 100 * 0.2**0.5 / 3.5, 0.49),  # (r / (n - 1 + r)) ** r / (n + r) of x ** r
    ({"num_players": 2, "entry_fee": 10}, 100 * (1 / 6 - 0.05 + 0.1**1.5 / 3), 0.39),  # from the value 0.1 ** 0.5 on
    ({"num_players": 2, "reserve": 50}, 100 / 12, 0.15),  # Riley and Samuelson (1981): where revenue is highest
    ({"values": "average", "auction": "second_price"}, 100 / 24, 0.0),  # Krishna, example 6.2: 5/6 of a value of 1 of 2
    ({"values": "average", "auction": "first_price"}, 100 / 18, 0.05),  # revenue 7/9
    ({"values": "mineral", "auction": "second_price", "num_players": 3}, None, 0.32),
]


@pytest.mark.parametrize(("options", "payoff", "loss"), PUBLISHED)
def test_closed_forms_are_equilibria_with_the_published_payoff(
    options: dict[str, Any], payoff: float | None, loss: float
):
    one = exact(**options)
    found = one.utility_loss(equilibrium(one))
    assert 100 * found.relative == pytest.approx(loss, abs=0.006)  # docs/experiments/equilibrium.md has these numbers
    if payoff is not None:
        assert found.value == pytest.approx(payoff, rel=0.03)


def test_iterated_best_response_finds_the_closed_form():
    one = exact(num_players=3, max_value=50, max_bid=50)
    found = solve(one, 400)
    assert one.utility_loss(found).relative < 0.01
    assert np.abs(found[10:] @ np.arange(-1, 51) - np.arange(10, 51) * 2 / 3).max() < 2.5


def test_cfr_finds_an_equilibrium_in_the_tree_of_all_deals():
    one = exact(max_value=4, max_bid=4)
    assert one.utility_loss(solve_by_cfr(one, 100)).relative < 0.002


def test_two_point_values_have_the_payoff_of_the_mixed_equilibrium():  # (1 - p) (high - low) for the high value
    one = exact(distribution="two_point", low_value=10, high_chance=50, max_value=50, max_bid=50)
    assert one.utility_loss(solve(one, 500)).value == pytest.approx(0.5 * 0.5 * 40, rel=0.05)


def test_naive_bids_for_a_common_value_lose_money():  # the winner's curse: Capen, Clapp and Campbell (1971)
    for players in (3, 4):
        one = exact(values="mineral", auction="second_price", num_players=players)
        naive = one.utility_loss(strategy_of(one, "truthful", make_agent("truthful", one.game))).value
        assert_mean(payoffs(one.game, ["truthful"] * players).mean(axis=1), naive)
        if players == 3:  # the second of three signals is the common value on the average
            assert naive == pytest.approx(0, abs=1e-9)
            assert one.utility_loss(equilibrium(one)).value > 0.1
    assert naive < -0.1


def test_affiliated_values_bring_more_at_the_second_price_than_at_the_first():  # linkage: Milgrom and Weber (1982)
    first, second = (
        exact(values="affiliated", auction=name, max_value=40, max_bid=40) for name in ("first_price", "second_price")
    )
    kept_first = first.utility_loss(solve(first, 400)).value
    kept_second = second.utility_loss(equilibrium(second)).value
    assert kept_first > 1.1 * kept_second  # bidders keep less where more goes to the bank


def test_risk_aversion_raises_first_price_bids():  # Holt (1980): (n - 1) / (n - r) of the value
    one = exact(risk_aversion=50)
    bids = one.game.rules["equilibrium"][0, 0, 0]
    assert np.abs(bids - np.arange(101) / 1.5).max() <= 1
    assert one.utility_loss(equilibrium(one)).relative < 0.01


def test_a_strategy_is_read_from_an_agent_at_both_clocks():
    for auction in ("english", "dutch"):
        one = exact(auction=auction, bid_step=5, reserve=10)
        np.testing.assert_array_equal(
            strategy_of(one, "equilibrium", make_agent("equilibrium", one.game)), equilibrium(one)
        )
        drawn = strategy_of(one, "random", make_agent("random", one.game))
        assert drawn.sum(axis=1) == pytest.approx(1)
        assert drawn[50, 0] == pytest.approx(0.5 if auction == "english" else 0.5**19)


def test_the_agent_of_the_computed_equilibrium_draws_what_was_computed():
    game = make_game("auctions_v0", num_players=2, values="affiliated", max_value=10, max_bid=10)
    agent = make_agent("w51_agents.exact.auctions.strategies:Equilibrium", game)
    one = ExactAuction(game)
    assert isinstance(agent, Equilibrium)
    assert one.utility_loss(strategy_of(one, "equilibrium", agent)).relative < 0.01
    batch = Batch(game, 3000, seed=1, autoreset="disabled")
    batch.reset()
    agent.reset(1)
    actions = agent.act_batch(batch.observation, batch.action_mask)
    np.testing.assert_array_equal(batch.action_mask[np.arange(3000), actions], True)


@pytest.mark.parametrize(
    "options",
    [
        {"num_rounds": 2},
        {"budget": 50},
        {"values": "average", "risk_aversion": 10},
        {"auction": "english", "values": "mineral", "num_players": 3},
    ],
)
def test_options_without_exact_payoffs_are_refused(options: dict[str, Any]):
    with pytest.raises(AgentError, match="exact payoffs are not known here"):
        exact(**options)
