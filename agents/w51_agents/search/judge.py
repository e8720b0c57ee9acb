"""The judge: what actions are worth, by games that are played to the end. Hints, costs and charts are its opinion."""

from collections.abc import Sequence

import numpy as np

from w51_agents.search.believing import Believer, BelievingState
from w51_agents.search.course import Course
from w51_agents.search.deliberation import Deliberation, Verdict
from w51_agents.search.imputation import BidImputation
from w51_agents.search.players import make_population
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.price_limit import Ladder, LimitSearch
from w51_agents.search.priors import make_prior
from w51_agents.search.search_agent import Parts
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.compiler.compile import repeated
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

QUICK, WHOLE = 1500, 6000  # playouts of one decision: of a first answer, and after which nothing more is to be learned
_AT_ONCE = 1024  #  playouts of several decisions that are played together
_NO_DOUBT = 0.0004  # of the win: what more playouts could correct


class Judge:
    """Judges decisions and positions of one game.

    In the playouts each seat is played by a network or by the game's best bot, as likely as the network believes;
    where it believes nothing, one is as likely as the other. A judgement is worth what these are.

    Args:
        game: The game with its rules bound.
        network: Name of a network without memory that plays this game, as `pretrained`; it proposes the candidates,
            too. None: the bot does both.

    Attributes:
        parts: Who plays, and proposes the candidates.
        course: The chances of a whole game.

    Raises:
        AgentError: There is no such network, or it cannot play this game.
        MissingPackageError: PyTorch, for a network.
    """

    def __init__(self, game: Game, network: str | None = None):
        bot = game.bots[-1]
        player, playouts = make_population(game, bot, network)
        self.parts = Parts(player, playouts, make_prior(game, network, bot))
        self._imputation, self._believer = BidImputation(game, player), Believer(game, network)
        self._ladder = Ladder(game)
        self.course = Course(game, playouts, network)

    def consider(
        self,
        determinizer: Determinizer,
        observation: np.ndarray,
        mask: np.ndarray,
        seed: int,
        action: int | None = None,
    ) -> Deliberation:
        """Begin to judge a decision, from what the seat that decides knows; `think` plays.

        What the prior proposes is considered, and the action.

        Args:
            determinizer: Of the seat that decides.
            observation: (layout.size,) int8, what it observes.
            mask: (num_actions,) int8, its legal actions.
            seed: Seed of the determinizations. With the same seed any action is judged by the same ones.
            action: The action that is asked about; None: only what is best is.
        """
        self.parts.prior.reset(seed)
        proposed = self.parts.prior.candidates(observation[None], mask[None])[0].tolist()
        asked = [] if action is None else [action]
        state = self.state(determinizer, [*proposed, *asked], seed)
        return Deliberation(state, action, action is not None and action not in proposed)

    def state(self, determinizer: Determinizer, actions: Sequence[int], seed: int) -> SearchState:
        """A decision between some actions."""
        bots, candidates = self._believer.bots(determinizer), np.array(list(dict.fromkeys(actions)))
        return BelievingState(determinizer, candidates, SearchSettings(), self._imputation, seed, bots)

    def think(self, several: Sequence[Deliberation], playouts: int) -> bool:
        """Play some playouts of decisions, first where more of them can correct most; whether they are needed still."""
        while playouts > 0:
            doubts = [(one.doubt(), number) for number, one in enumerate(several)]
            doubtful = [number for doubt, number in sorted(doubts, reverse=True) if doubt > _NO_DOUBT]
            if not doubtful:
                return False
            chosen = [several[doubtful[0]]]
            for number in doubtful[1:]:
                if sum(one.size for one in chosen) + several[number].size > min(playouts, _AT_ONCE):
                    break
                chosen.append(several[number])
            playouts -= self._step(chosen)
        return True

    def limits(self, determinizer: Determinizer, mask: np.ndarray, seed: int) -> LimitSearch | None:
        """Begin to ask how high the seat may go for the lot, `climb` plays; None if there is nothing to bid for."""
        candidates = self._ladder.of(mask)
        return LimitSearch(self.state(determinizer, candidates, seed)) if candidates else None

    def climb(self, search: LimitSearch, playouts: int) -> None:
        """Play some playouts of bids for a lot."""
        while playouts > 0:
            leaves = search.step()
            search.add(self.play(leaves))
            playouts -= len(leaves.actions)

    def _step(self, several: Sequence[Deliberation]) -> int:
        """One step of some decisions, played together; the number of playouts."""
        steps = [one.step() for one in several]
        outcomes = self.play(LeafBatch(*(np.concatenate(parts) for parts in zip(*steps, strict=True))))
        ends = np.cumsum([len(step.actions) for step in steps])
        for one, end, step in zip(several, ends, steps, strict=True):
            part = slice(end - len(step.actions), end)
            one.add(Outcomes(outcomes.scores[part], outcomes.ranks[part]))
        return int(ends[-1])

    def judge(
        self,
        determinizer: Determinizer,
        observation: np.ndarray,
        mask: np.ndarray,
        seed: int,
        action: int | None = None,
    ) -> Verdict:
        """The verdict on a decision after all playouts that are worth while; arguments as of `consider`."""
        deliberation = self.consider(determinizer, observation, mask, seed, action)
        self.think([deliberation], WHOLE)
        return deliberation.verdict()

    def wins(self, determinizer: Determinizer, actions: Sequence[int], count: int, seed: int) -> np.ndarray:
        """(count, K) floats: the wins of the seat that decides in playouts of `count` new determinizations, after each
        of (K,) different actions.
        """
        state = self.state(determinizer, actions, seed)
        leaves = LeafBatch(repeated(state.draw(count), len(actions)), np.tile(state.candidates, count))
        return wins_of(self.play(leaves).ranks)[:, state.seat].reshape(count, -1)

    def play(self, leaves: LeafBatch) -> Outcomes:
        """How playouts end."""
        return self.parts.playouts.play(leaves)
