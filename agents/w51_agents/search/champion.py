"""`champion`, meant as the strongest player here: a search whose playouts have networks and bots in the seats.

Each other seat has the best bot as often as `pretrained` believes it to, else `pretrained`, which also plays on for the
seat that searches. The candidates are its likeliest actions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs
from w51_agents.networks.load import PRETRAINED, load_agent
from w51_agents.search.believing import Believer, BelievingState
from w51_agents.search.players import make_population
from w51_agents.search.price_limit import Ladder, limit_search
from w51_agents.search.responses import Likeliest, ResponseAgent
from w51_agents.search.search_agent import Parts
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import Search, SearchState
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game


@dataclass(frozen=True)
class ChampionSettings:
    """Settings of a champion.

    Attributes:
        playouts: The most playouts of a decision.
        bids: `best`: the best of the actions that `pretrained` thinks of. `limit`: where one may bid for a lot or pass,
            the best bid of a price limit, and elsewhere what `pretrained` would choose.

    Raises:
        AgentError: A value that is not allowed.
    """

    playouts: int = 400
    bids: str = "best"

    def __post_init__(self) -> None:
        check(self.playouts >= 1, "playouts", self.playouts, "an integer of at least 1")
        check(self.bids in ("best", "limit"), "bids", self.bids, "best or limit")


def make_champion(spec: str, game: Game) -> "ChampionAgent":
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
    player, playouts = make_population(game, game.bots[-1], network, draws=False)
    search = SearchSettings(playouts=settings.playouts, margin=0.0, z_threshold=0.0)
    prior = LadderPrior(game, agent) if settings.bids == "limit" else Likeliest(game, agent)
    champion = LimitAgent if settings.bids == "limit" else ChampionAgent
    return champion(game, search, Parts(player, playouts, prior), Believer(game, network))


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


class LadderPrior(Likeliest):
    """The bids that a price limit tries, after a pass; elsewhere the likeliest action of an agent."""

    def __init__(self, game: Game, agent: Any):
        super().__init__(game, agent)
        self._ladder = Ladder(game)

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        likeliest = super().candidates(observations, action_masks)
        ladders = map(self._ladder.of, action_masks)
        return [np.array(ladder) if ladder else best[:1] for ladder, best in zip(ladders, likeliest, strict=True)]


class LimitAgent(ChampionAgent):
    """A champion that bids by price limits alone."""

    def _search(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> Search:
        state = self._latest = self._state(determinizer, candidates, seed)
        return (yield from limit_search(state, self.settings.max_playouts or 0))
