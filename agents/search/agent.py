"""The search agent: it asks what would become of each action, in worlds that its seat cannot tell from the true one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.agent import AgentError, BatchAgent
from agents.search.flat import flat_search
from agents.search.ismcts import tree_search
from agents.search.playouts import Playouts
from agents.search.priors import make_prior, rollout_bot
from agents.search.problem import Problem, Search
from agents.search.secrets import Guesses
from agents.search.settings import SearchSettings
from w51_env.core.determinization import Determinizer
from w51_env.core.game import Game
from w51_env.core.loops import RANDOM_BOT

_TOGETHER = 64  # searches, to bound memory


class SearchAgent(BatchAgent):
    """Searches each decision that has two or more legal actions worth a thought. It must be given `info["determinizer"]`.

    Args:
        game: The game it shall play.
        settings: How it searches.

    Attributes:
        needs_determinizer: True; a match passes a `w51_env.core.determinization.Determinizer` in `info`.

    Raises:
        AgentError: A bot or checkpoint in the settings that cannot play this game.
    """

    needs_determinizer = True

    def __init__(self, game: Game, settings: SearchSettings):
        self.settings = settings
        self._game = game
        rollout = rollout_bot(game, settings.rollout)
        self._prior = make_prior(game, settings.prior, rollout)
        self._playouts = Playouts(game, rollout)
        knows_secrets = settings.secrets == "bot" and rollout != game.bots[RANDOM_BOT]
        self._guesses = Guesses(game, rollout) if knows_secrets else None
        self.reset(0)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._generator = np.random.default_rng(seed)
        self._prior.reset(seed)

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """See `Agent.act_batch`; decisions that are bound by playouts are searched together, by seconds one after the other.

        Raises:
            AgentError: There are no worlds to search, or they are of another game.
        """
        candidates = self._prior.candidates(observations, action_masks)
        actions = np.array([choices[0] for choices in candidates], np.int64)
        searches: list[tuple[int, Search]] = []
        for index, choices in enumerate(candidates):
            seed = int(self._generator.integers(2**63))
            if len(choices) > 1:
                searches.append((index, self._search(self._determinizer(infos, index), choices, seed)))
        together = _TOGETHER if self.settings.seconds is None else 1
        for start in range(0, len(searches), together):
            self._run(dict(searches[start : start + together]), actions)
        return actions

    def _determinizer(self, infos: Sequence[dict[str, Any]] | None, index: int) -> Determinizer:
        info = None if infos is None else infos[index]
        worlds = None if info is None else info.get("determinizer")
        if not isinstance(worlds, Determinizer):
            given = 'no info["determinizer"]' if worlds is None else f'{type(worlds).__name__} as info["determinizer"]'
            raise AgentError(
                f"a search agent was given {given}, but it needs the w51_env.core.determinization.Determinizer "
                "of the seat to move"
            )
        if worlds.game.id != self._game.id or worlds.game.options != self._game.options:
            raise AgentError(
                f"a search agent for {self._game.id} {self._game.options} was given worlds of {worlds.game.id} {worlds.game.options}"
            )
        return worlds

    def _search(self, worlds: Determinizer, candidates: np.ndarray, seed: int) -> Search:
        """The search of one decision; its clock runs from its first playout."""
        problem = Problem(worlds, candidates, self.settings, self._guesses, seed)
        if self.settings.method == "flat":
            return (yield from flat_search(problem))
        return (yield from tree_search(problem, self._prior, self.settings.exploration))

    def _run(self, searches: dict[int, Search], actions: np.ndarray) -> None:
        """Carry on all searches, a round of each at a time: so their playouts share the compiled calls. Each writes its action."""
        waiting = {index: next(search) for index, search in searches.items()}
        while waiting:
            played = self._playouts.play(*(np.concatenate(parts) for parts in zip(*waiting.values(), strict=True)))
            start = 0
            for index, (worlds, _) in list(waiting.items()):
                ends = played[start : start + len(worlds)]
                start += len(worlds)
                try:
                    waiting[index] = searches[index].send(ends)
                except StopIteration as found:
                    actions[index] = found.value
                    del waiting[index]
