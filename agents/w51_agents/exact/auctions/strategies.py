"""Strategies of agents in an auction of one round, the equilibrium on the grid, and an agent that plays it."""

from functools import cache

import numpy as np

from w51_agents.agent.interface import Agent, AgentError, BatchAgent, Infos
from w51_agents.exact.auctions.payoffs import ExactAuction, Strategy
from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import policy_of
from w51_agents.exact.tree import Policy, build_tree
from w51_env.auctions.actions import BID
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals
from w51_env.engine.game import Game

_ITERATIONS = 1000


def strategy_of(auction: ExactAuction, name: str, agent: Agent) -> Strategy:
    """(signals, decisions): the probabilities with which an agent decides at each signal.

    At a rising clock the agent is asked at each price with all rivals still in, as only the price matters.

    Args:
        auction: The auction.
        name: Name of the agent, for messages.
        agent: An agent without memory.

    Raises:
        AgentError: The agent draws its actions but has no method `probabilities`, or it chooses an illegal action.
    """
    policy, count = policy_of(auction.game, name, agent), len(auction.legal)
    if auction.game.options["auction"] not in ("english", "dutch"):
        return _asked(auction, policy)[:, :count]
    lowest, steps = int(auction.game.rules["lowest"][0]), range(int(auction.game.rules["lowest"][0]), count - 1)
    takes = np.stack([_asked(auction, policy, clock)[:, BID + clock] for clock in steps], axis=1)
    decided = np.zeros((len(takes), count))
    if auction.game.options["auction"] == "dutch":
        waited = np.cumprod(1 - takes[:, ::-1], axis=1)[:, ::-1]
        decided[:, BID + lowest :] = takes * np.append(waited[:, 1:], np.ones((len(takes), 1)), axis=1)
    else:
        decided[:, BID + lowest :] = np.cumprod(takes, axis=1) * np.append(
            1 - takes[:, 1:], np.ones((len(takes), 1)), axis=1
        )
    decided[:, 0] = 1 - decided.sum(axis=1)
    return decided


def _asked(auction: ExactAuction, policy: Policy, clock: int | None = None) -> np.ndarray:
    """(signals, actions): what the first seat does at each signal, at the first decision or at a price of the clock."""
    signals = np.arange(len(auction.chances))
    batch = Batch(auction.game, len(signals), seed=0, autoreset="disabled", keep_final=False)
    batch.reset()
    batch.games["signals"][:, 0] = signals
    if clock is not None:
        batch.games["clock"] = clock
        if auction.game.options["auction"] == "english" and clock > int(auction.game.rules["lowest"][0]):
            batch.games["shown"][:, : auction.game.num_players] = clock  # the price before, as a decision
    batch.refresh()
    return policy(batch.observation, batch.action_mask)


def solve(auction: ExactAuction, iterations: int = _ITERATIONS) -> Strategy:
    """A symmetric equilibrium on the grid, approximately: the average of iterated best responses (fictitious play).

    What it misses is `auction.utility_loss` of the result, which falls about as 1 / iterations.

    Args:
        auction: The auction.
        iterations: Best responses; each takes some milliseconds.
    """
    strategy = np.tile(auction.legal / auction.legal.sum(), (len(auction.chances), 1))
    for number in range(1, iterations + 1):
        weight = 2 / (number + 1)  # the average weighs later responses more
        strategy = (1 - weight) * strategy + weight * auction.best_response(strategy)[1]
    return strategy


def solve_by_cfr(auction: ExactAuction, iterations: int) -> Strategy:
    """What the first seat does in the average strategy of CFR+, on the tree of all deals: for small sealed auctions.

    Raises:
        OptionError, AgentError: The auction has too many deals or nodes.
    """
    tree = build_tree(auction.game)
    solver = CFRPlus(tree)
    solver.run(iterations)
    signals, first = deals(auction.game)[0]["signals"][:, 0], tree.levels[1]
    strategy = np.zeros((len(auction.chances), len(auction.legal)))
    strategy[signals[first.parent], first.action] = solver.average()[0]
    return strategy


@cache
def _solved(game: Game) -> Strategy:
    return solve(ExactAuction(game))


class Equilibrium(BatchAgent):
    """Plays the equilibrium that `solve` finds; for options in which the game's bot `equilibrium` has no closed form.

    Its name in commands is `w51_agents.exact.auctions.strategies:Equilibrium`. It plays formats without a clock.

    Args:
        game: The game with its rules bound.

    Raises:
        AgentError: A clock, or options for which exact payoffs are not known.
    """

    def __init__(self, game: Game):
        if (auction := game.options["auction"]) in ("english", "dutch"):
            raise AgentError(f"auction: {auction!r}, but the computed equilibrium plays sealed bids alone")
        self._game = game
        self._strategy = _solved(game)
        self._random = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, num_actions) floats: the probability of each action."""
        seen = self._game.layout.to_int8(observations)
        signals = self._game.layout.read(seen, "signal").reshape(-1)
        chances = np.zeros((len(signals), len(self._game.actions)))
        chances[:, : self._strategy.shape[1]] = self._strategy[signals]
        return chances

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        chances = self.probabilities(observations, action_masks).cumsum(axis=1)
        drawn = self._random.random((len(chances), 1)) * chances[:, -1:]
        return np.asarray((drawn >= chances).sum(axis=1))
