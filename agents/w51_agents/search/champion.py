"""`champion`, meant as the strongest player here: a search whose playouts have networks and bots in the seats.

Each other seat has each of them as often as what it has done makes it likely. `pretrained` plays on for the seat that
searches, and its likeliest actions are the candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import Agent, AgentError, Infos
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs
from w51_agents.networks.load import SEATED, load_agent
from w51_agents.search.agent_playouts import Population
from w51_agents.search.believing import BelievingState
from w51_agents.search.players import make_population
from w51_agents.search.price_limit import Ladder, limit_search
from w51_agents.search.responses import Likeliest, ResponseAgent
from w51_agents.search.search_agent import Parts
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import Search, SearchState
from w51_agents.search.witness import Witness
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
    agents: dict[str, Any] = {game.bots[-1]: BotAgent(game, game.bots[-1])}
    for name in SEATED:
        try:
            agents[name] = load_agent(game, name)
        except AgentError:  # it does not play this game
            continue
    names, agent = list(agents), [*agents.values()][-1]
    if not Witness.follows(game):
        names = names[-1:]
    player, playouts = make_population(game, names, draws=False)
    search = SearchSettings(playouts=settings.playouts, margin=0.0, z_threshold=0.0)
    prior = LadderPrior(game, agent) if settings.bids == "limit" else Likeliest(game, agent)
    champion = LimitAgent if settings.bids == "limit" else ChampionAgent
    made = champion(game, search, Parts(player, playouts, prior), [agents[name] for name in names])
    made.another = partial(make_champion, spec, game)
    return made


class ChampionAgent(ResponseAgent):
    """A search among players, of whom it believes something by what it has seen of each seat.

    Args:
        game, settings, parts: As of `SearchAgent`.
        players: The players of the playouts, the last one for its own seat.

    Attributes:
        another: Makes another one.
    """

    stateless = True
    another: Any

    def __init__(self, game: Game, settings: SearchSettings, parts: Parts, players: Sequence[Agent]):
        super().__init__(game, settings, parts)
        self._population = parts.player
        self._witness = Witness(game, players) if isinstance(parts.player, Population) else None
        self.needs_memory = self._witness is not None
        self.needs_history = Witness.rows if self._witness else 0

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        if self._witness is None or infos is None:
            return super().act_batch(observations, action_masks, infos)
        seen = [{**(info or {}), "shares": self._witness.shares(info or {})} for info in infos]
        actions = super().act_batch(observations, action_masks, seen)
        for info, action in zip(seen, actions.tolist(), strict=True):
            self._witness.keep(info, action)
        return actions

    def _state(self, info: Mapping[str, Any], candidates: np.ndarray, seed: int) -> SearchState:
        determinizer, seating = self._determinizer(info), None
        if isinstance(self._population, Population):
            shares = info["shares"]
            shares[determinizer.seat] = np.eye(shares.shape[1])[-1]
            seating = partial(self._population.seat, shares)
        return BelievingState(determinizer, candidates, self.settings, self._imputation, seed, seating)

    def __deepcopy__(self, memo: Any) -> "ChampionAgent":
        made: ChampionAgent = self.another()
        return made


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

    def _search(self, info: Mapping[str, Any], candidates: np.ndarray, seed: int) -> Search:
        state = self._latest = self._state(info, candidates, seed)
        return (yield from limit_search(state, self.settings.max_playouts or 0))
