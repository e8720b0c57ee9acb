"""`champion`, meant as the strongest player here: a search whose playouts have networks and bots in the seats.

Each other seat has the best bot as often as `pretrained` believes it to, else `pretrained`, which also plays on for the
seat that searches. The candidates are its likeliest actions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError, Infos
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs
from w51_agents.networks.load import PRETRAINED, load_agent
from w51_agents.search.believing import Believer, BelievingState
from w51_agents.search.judge import Judge
from w51_agents.search.players import make_population
from w51_agents.search.priors import Likeliest
from w51_agents.search.response_settings import LEAST_PASS
from w51_agents.search.responses import ResponseAgent
from w51_agents.search.search_agent import Parts
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game


@dataclass(frozen=True)
class ChampionSettings:
    """Settings of a champion.

    Attributes:
        playouts: The most playouts of a decision.
        bids: `best`: the best of the actions that `pretrained` thinks of. `limit`: what `pretrained` would choose, but
            the best bid of a price limit, or a pass, where that is better by two standard errors.

    Raises:
        AgentError: A value that is not allowed.
    """

    playouts: int = 400
    bids: str = "best"

    def __post_init__(self) -> None:
        check(self.playouts >= 1, "playouts", self.playouts, "an integer of at least 1")
        check(self.bids in ("best", "limit"), "bids", self.bids, "best or limit")


def make_champion(spec: str, game: Game) -> ResponseAgent:
    """The champion of a name, `champion` or `champion:playouts=50`.

    Raises:
        AgentError: An unknown key, or a value that is not allowed.
    """
    text = spec.partition(":")[2]
    pairs = parse_pairs(spec, text.split(",") if text else (), kinds_of(ChampionSettings))
    try:
        settings = ChampionSettings(**pairs)
    except AgentError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
    network: str | None = PRETRAINED
    try:
        agent: Any = load_agent(game, PRETRAINED)
    except AgentError:  # it does not play this game
        network, agent = None, BotAgent(game, game.bots[-1])
    search = SearchSettings(playouts=settings.playouts, margin=0.0, z_threshold=0.0)
    if settings.bids == "limit":
        return LimitAgent(game, search, Judge(game, network))
    population = make_population(game, game.bots[-1], network, draws=False)
    parts = Parts(*population, Likeliest(game, agent, LEAST_PASS))
    return ChampionAgent(game, search, parts, Believer(game, network))


class ChampionAgent(ResponseAgent):
    """A search among players of whom it believes something.

    Args:
        game, settings, parts: As of `SearchAgent`.
        believer: Says how likely the bot has each seat; where it believes nothing, nobody is a bot.
    """

    stateless = True

    def __init__(self, game: Game, settings: SearchSettings, parts: Parts, believer: Believer):
        super().__init__(game, settings, parts)
        self._believer = believer

    def _state(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> SearchState:
        bots = self._believer.bots(determinizer)
        known = np.zeros(self._game.num_players) if bots is None else bots
        return BelievingState(determinizer, candidates, self.settings, self._imputation, seed, known)


class LimitAgent(ResponseAgent):
    """Plays as `pretrained` does, and bids by the price limits of a judge where these clearly say otherwise.

    Args:
        game, settings: As of `SearchAgent`.
        judge: Knows the limits.
    """

    def __init__(self, game: Game, settings: SearchSettings, judge: Judge):
        super().__init__(game, settings, judge.parts)
        self._judge = judge

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        actions = np.array([choices[0] for choices in self._prior.candidates(observations, action_masks)], np.int64)
        for index, mask in enumerate(action_masks):
            seed = int(self._generator.integers(2**63))
            search = self._judge.limits(self._determinizer(infos, index), mask, seed)
            if search is not None:
                self._judge.climb(search, self.settings.max_playouts or 0)
                actions[index] = search.found().instead_of(int(actions[index]))
        return actions
