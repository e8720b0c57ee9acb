"""The search agent: it estimates the outcome of each action in determinizations, by playouts."""

from typing import Any, NamedTuple

import numpy as np

from w51_agents.agent.interface import AgentError, BatchAgent, Infos
from w51_agents.search.agent_playouts import Population
from w51_agents.search.halving import flat_search
from w51_agents.search.imputation import BidImputation
from w51_agents.search.players import Mixture, make_playouts, members
from w51_agents.search.playouts import LeafBatch, Outcomes, Player, Playouts
from w51_agents.search.priors import Prior, make_prior
from w51_agents.search.search_settings import SearchSettings, parse_settings
from w51_agents.search.search_state import Search, SearchState
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import RANDOM, Game

_SEARCHES_AT_ONCE = 64  # bounds memory


def make_search(spec: str, game: Game, *, trust: bool = False) -> "SearchAgent":
    """The search agent of a name such as `search:playouts=2000` or `search:seconds=1`.

    Args:
        spec: `search`, or `search:key=value,key=value`; the keys are the attributes of `SearchSettings`.
        game: The game with its rules bound.
        trust: Checkpoints may name third-party code.

    Raises:
        AgentError: An unknown key, a value that is not allowed, or a prior that cannot be loaded.
    """
    settings = parse_settings(spec)
    name = settings.playout_bot or game.bots[-1]
    player, playouts = make_playouts(game, name, trust=trust)
    imputes = settings.imputation == "bot" and name != RANDOM
    prior = make_prior(game, settings.prior, members(name, game)[0], trust=trust)
    return SearchAgent(game, settings, Parts(player if imputes else None, playouts, prior))


class Parts(NamedTuple):
    """What a search is made of.

    Attributes:
        player: Who has chosen the sealed bids of others; None: any bids that they could make.
        playouts: What plays to the end.
        prior: Proposes the candidates.
    """

    player: Player | Population | None
    playouts: Playouts | Mixture
    prior: Prior


class SearchAgent(BatchAgent):
    """Searches each decision for which the prior proposes two or more actions. It needs `info["determinizer"]`.

    Args:
        game: The game with its rules bound.
        settings: Its settings; those that name its parts are not read.
        parts: What it is made of.

    Attributes:
        needs_determinizer: True; a match passes a `w51_env.engine.determinization.Determinizer` in `info`.
    """

    needs_determinizer = True
    stateless = True
    round_size = 256  # playouts of one round: enough for a compiled call, few enough to stop early

    def __init__(self, game: Game, settings: SearchSettings, parts: Parts):
        self.settings = settings
        self._game = game
        self._playouts, self._prior = parts.playouts, parts.prior
        self._imputation = None if parts.player is None else BidImputation(game, parts.player)
        self._latest: SearchState | None = None  # of the search that began last
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seed the draws: the same seed and decisions give the same actions, unless the search is bound by seconds."""
        self._generator = np.random.default_rng(seed)
        self._prior.reset(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64, an action id for each decision.

        Searches bound by playouts run together, so that they share compiled calls; those bound by seconds run one
        after the other.

        Args:
            observations: (N, layout.size) int8.
            action_masks: (N, num_actions) int8 or bool.
            infos: One dict for each decision, with the key `determinizer`.

        Raises:
            AgentError: No determinizer, or one of another game.
        """
        candidates = self._prior.candidates(observations, action_masks)
        actions = np.array([choices[0] for choices in candidates], np.int64)
        searches: list[tuple[int, Search]] = []
        for index, choices in enumerate(candidates):
            seed = int(self._generator.integers(2**63))
            if len(choices) > 1:
                searches.append((index, self._search(self._determinizer(infos, index), choices, seed)))
        at_once = _SEARCHES_AT_ONCE if self.settings.seconds is None else 1
        for start in range(0, len(searches), at_once):
            self._run(dict(searches[start : start + at_once]), actions)
        return actions

    def explain(
        self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None
    ) -> tuple[int, np.ndarray, np.ndarray]:
        """Decide as `act` does, with its arguments, and return what the search found.

        Returns:
            The action; (K,) int64, the candidates; (D, K) float64, the utility of each candidate in each
            determinization, 0 to 1, nan where it was not played. D is 0 if there was nothing to search.
        """
        self._latest = None
        action = self.act(observation, action_mask, info)
        latest: SearchState | None = self._latest
        if latest is None:
            return action, np.array([action]), np.empty((0, 1))
        return action, latest.candidates, latest.samples

    def _determinizer(self, infos: Infos, index: int) -> Determinizer:
        determinizer = None if infos is None else (infos[index] or {}).get("determinizer")
        if not isinstance(determinizer, Determinizer):
            kind = "no" if determinizer is None else f"{type(determinizer).__name__} as"
            raise AgentError(
                f'search agent: {kind} info["determinizer"], but '
                "a w51_env.engine.determinization.Determinizer for the seat to move is needed"
            )
        game = determinizer.game
        if game.id != self._game.id or game.options != self._game.options:
            raise AgentError(
                f"search agent for {self._game.id} {self._game.options}: "
                f"determinizer of {game.id} {game.options}, but the same game and options are needed"
            )
        return determinizer

    def _state(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> SearchState:
        """What the search of one decision begins with."""
        return SearchState(determinizer, candidates, self.settings, self._imputation, seed)

    def _search(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> Search:
        """The search of one decision; a budget of seconds starts with its first playout."""
        state = self._latest = self._state(determinizer, candidates, seed)
        return (yield from flat_search(state, self.round_size))

    def _run(self, searches: dict[int, Search], actions: np.ndarray) -> None:
        """Run searches together, one round of each at a time, and write the action of each into `actions`."""
        waiting = {index: next(search) for index, search in searches.items()}
        while waiting:
            leaves = [*waiting.values()]
            joined = leaves[0] if len(leaves) == 1 else LeafBatch(*map(np.concatenate, zip(*leaves, strict=True)))
            outcomes, stop = self._playouts.play(joined), 0
            for index, part in list(waiting.items()):
                start, stop = stop, stop + len(part.states)
                try:
                    waiting[index] = searches[index].send(Outcomes(*(array[start:stop] for array in outcomes)))
                except StopIteration as result:
                    actions[index] = result.value
                    del waiting[index]
