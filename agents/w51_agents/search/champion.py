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
from w51_agents.networks.load import PRETRAINED, SEATED, load_agent
from w51_agents.search.agent_playouts import Population
from w51_agents.search.believing import BelievingState
from w51_agents.search.judge import Judge
from w51_agents.search.players import make_population
from w51_agents.search.responses import Likeliest, ResponseAgent
from w51_agents.search.search_agent import Parts
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_agents.search.witness import Witness
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
    parts = Parts(player, playouts, Likeliest(game, agent))
    if settings.bids == "limit":
        return LimitAgent(game, search, parts, Judge(game, PRETRAINED if PRETRAINED in agents else None))
    made = ChampionAgent(game, search, parts, [agents[name] for name in names])
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


class LimitAgent(ResponseAgent):
    """Plays as `pretrained` does, and bids by the price limits of a judge where these clearly say otherwise.

    Args:
        game, settings, parts: As of `SearchAgent`.
        judge: Knows the limits.
    """

    def __init__(self, game: Game, settings: SearchSettings, parts: Parts, judge: Judge):
        super().__init__(game, settings, parts)
        self._judge = judge

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        actions = np.array([choices[0] for choices in self._prior.candidates(observations, action_masks)], np.int64)
        for index, mask in enumerate(action_masks):
            seed = int(self._generator.integers(2**63))
            determinizer = self._determinizer({} if infos is None else infos[index] or {})
            search = self._judge.limits(determinizer, mask, seed)
            if search is not None:
                self._judge.climb(search, self.settings.max_playouts or 0)
                actions[index] = search.found().instead_of(int(actions[index]))
        return actions
