"""Exact expected payoffs of two lots in turn, for bidders who want one: first prices, all rivals play one strategy.

The losers of the first round know its price, which is the highest bid. Given that and the number in [0, 1] that the
winner drew for ties, the other rivals are independent, so all follows from one of them (`payoffs.py`).
"""

import numpy as np

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.exact.auctions.payoffs import TIES, UtilityLoss
from w51_agents.exact.exploitability import policy_of
from w51_env.auctions.values import chances_of
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

InTurn = tuple[np.ndarray, np.ndarray]  # first (values, bids), then (values, prices, bids): the probability of each bid
_KNOWN = {"auction": "first_price", "num_rounds": 2, "one_each": True, "values": "private", "payee": "bank"}
_NONE = ("reserve", "entry_fee", "budget", "risk_aversion", "bidders")


class ExactSequence:
    """The payoffs of `auctions_v0` with `preset="sequence"`, also for other grids, laws and numbers of bidders.

    Raises:
        AgentError: Other options.
    """

    def __init__(self, game: Game):
        for name, known in {**_KNOWN, **dict.fromkeys(_NONE)}.items():
            if (game.options[name] != known) if known else game.options[name]:
                raise AgentError(f"{name}: {game.options[name]!r}, but exact payoffs in turn need {known or 'none'}")
        self.game = game
        self.chances = chances_of(game)[0]
        self._values = self.chances.nonzero()[0]
        self.chances = self.chances[self._values]
        self._bids = np.arange(int(game.rules["highest"][0]) + 1)
        self._gains = self._values[:, None] - self._bids * game.options["bid_step"]  # (values, bids)

    def loss(self, strategy: InTurn) -> UtilityLoss:
        """Mean payoffs of a round: of a seat if all play the strategy, and of a best response to it."""
        first, second = strategy
        wins, then = self._met(strategy)
        at_first = self._gains * wins
        later = self._gains[:, None, None, :] * then  # (values, own first bids, prices, second bids)
        value = (first * (at_first + np.einsum("vbpc,vpc->vb", later, second))).sum(axis=1)
        best = (at_first + later.max(axis=3).sum(axis=2)).max(axis=1)
        return UtilityLoss(float(self.chances @ value) / 2, float(self.chances @ best) / 2)

    def _met(self, strategy: InTurn) -> tuple[np.ndarray, np.ndarray]:
        """(bids,) the chance to win the first lot; (own bids, prices, bids) to lose it at a price and win the next."""
        first, second = strategy
        rivals, drawn = self.game.num_players - 1, self.chances @ first  # of a rival's first bid
        wins, then = np.zeros(len(drawn)), np.zeros((len(drawn),) * 3)
        own, price = self._bids[:, None], self._bids
        for tie, weight in TIES:
            below = first.cumsum(axis=1) - (1 - tie) * first  # (values, prices): a rival ranks below this winner
            wins += weight * (self.chances @ below) ** rivals
            lost = weight * rivals * drawn * np.where(own < price, 1.0, np.where(own == price, tie, 0.0))
            for by, share in TIES:
                lower = second.cumsum(axis=2) - (1 - by) * second
                left = np.einsum("v,vp,vpc->pc", self.chances, below, lower) ** (rivals - 1)
                then += share * lost[:, :, None] * left
        return wins, then

    def strategy_of(self, name: str, agent: Agent) -> InTurn:
        """What an agent without memory does at each value, and then at each price, in the mean over who has won."""
        policy, players = policy_of(self.game, name, agent), self.game.num_players
        count, size = len(self._values), len(self._bids)
        batch = Batch(self.game, count * size, seed=0, autoreset="disabled", keep_final=False)
        batch.reset()
        batch.games["signals"][:, 0] = np.repeat(self._values, size)
        batch.refresh()
        first = policy(batch.observation, batch.action_mask)[::size, 1 : size + 1]
        batch.games["round"], prices = 1, 1 + np.tile(self._bids, count)
        seconds = []
        for winner in range(1, players):
            for field, empty in (("wins", 0), ("last", 0), ("bidding", 1)):
                batch.games[field][:, :players] = empty
            batch.games["wins"][:, winner], batch.games["bidding"][:, winner] = 1, 0
            batch.games["last"][:, winner], batch.games["last_winner"] = prices, winner
            batch.refresh()
            seconds.append(policy(batch.observation, batch.action_mask)[:, 1 : size + 1])
        return first, np.mean(seconds, axis=0).reshape(count, size, size)
