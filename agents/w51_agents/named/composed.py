"""Agents made of others: a mimic plays as one agent for some lots and then as another; a style bids otherwise.

Responses (`search.responses`) have names of this kind, too.

`mimic:heuristic>pretrained,lots=4`; `mimic:heuristic>pretrained,lots=1-8`, where the deal says for how many;
`style:heuristic,bids=1`; `style:pretrained,tilt=0.3`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from w51_agents.agent.infos import reads_past
from w51_agents.agent.interface import Agent, AgentError, BatchAgent, Infos, allows_threads, probabilities_of
from w51_agents.agent.name_settings import check, parse_pairs
from w51_agents.search.response_settings import RESPONSE, is_response, parse_response
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

MIMIC, STYLE = "mimic:", "style:"
_LOTS = re.compile(r"(\d{1,3})(?:-(\d{1,3}))?")
_MIX = np.uint64(0x9E3779B97F4A7C15)


def is_composed(name: str) -> bool:
    """Whether it is the name of a mimic, a style or a response."""
    return name.startswith((MIMIC, STYLE, RESPONSE))


def parts_of(name: str) -> list[str]:
    """The names of the agents that such an agent is made of; AgentError if the name is none of one."""
    return [parse_response(name)[0]] if is_response(name) else _parse(name)[0]


def make_composed(name: str, game: Game, make: Callable[[str, Game], Agent]) -> Agent:
    """The mimic or the style of a name.

    Raises:
        AgentError: The name is none of such an agent, or the game shows no lots or has no bids.
    """
    parts, settings = _parse(name)
    agents = [make(part, game) for part in parts]
    for part, agent in zip(parts, agents, strict=True):
        if reads_past(agent):
            raise AgentError(f"agent {name!r}: {part} remembers, and plays by its own name only")
    if name.startswith(MIMIC):
        return MimicAgent(game, agents, settings["lots"])
    amounts = _amounts(name, game)
    if tilt := settings.get("tilt"):
        tilted: Any = agents[0]
        if not hasattr(tilted, "tilt"):
            raise AgentError(f"agent {name!r}: tilt is for networks, and {parts[0]} is none; bids=1 is for all agents")
        tilted.tilt = np.float32(tilt) * amounts.clip(0)
    return StyledAgent(agents, amounts, settings["bids"]) if settings.get("bids") else agents[0]


def _parse(name: str) -> tuple[list[str], dict[str, Any]]:
    """The names of the agents, and the settings."""
    if name.startswith(MIMIC):
        body, _, text = name.removeprefix(MIMIC).rpartition(",lots=")
        first, _, then = body.partition(">")
        match = _LOTS.fullmatch(text)
        if not (first and then and match):
            raise AgentError(f"agent {name!r}: write mimic:FIRST>THEN,lots=4 or mimic:FIRST>THEN,lots=1-8")
        lots = int(match[1]), int(match[2] or match[1])
        check(1 <= lots[0] <= lots[1], f"agent {name!r}: lots", text, "a number from 1, or two of them in order,")
        return [first, then], {"lots": lots}
    agent, *pairs = re.split(r",(?=(?:bids|tilt)=)", name.removeprefix(STYLE))
    settings = parse_pairs(name, pairs, {"bids": int, "tilt": float})
    if not agent or not settings:
        raise AgentError(f"agent {name!r}: write style:AGENT,bids=1 or, for a network, style:AGENT,tilt=0.3")
    check(abs(settings.get("bids", 0)) <= 100, f"agent {name!r}: bids", settings.get("bids"), "at most 100")
    check(abs(settings.get("tilt", 0.0)) <= 10.0, f"agent {name!r}: tilt", settings.get("tilt"), "from -10 to 10")
    return [agent], settings


def _amounts(name: str, game: Game) -> np.ndarray:
    """(actions,) int64, the amount that each action names, or -1."""
    if game.items is None:
        raise AgentError(f"agent {name!r}: in {game.id} no action names an amount")
    amounts, (start, count) = np.full(len(game.actions), -1), game.items.amounts
    amounts[start : start + count] = np.arange(1, count + 1)
    return amounts


class ComposedAgent(BatchAgent):
    """An agent that asks others."""

    def __init__(self, agents: list[Agent]):
        self.agents = agents

    @property
    def allows_threads(self) -> bool:
        """Whether all of them do."""
        return all(map(allows_threads, self.agents))

    def reset(self, seed: int) -> None:
        for agent in self.agents:
            agent.reset(seed)


class MimicAgent(ComposedAgent):
    """Plays as one agent for some lots, then as another.

    How many lots have begun is public. Where there is a range, their number is a function of what stays the same for
    the seat through a game, so it needs no memory.

    Args:
        game: The game.
        agents: The first one, and the one after it.
        lots: The least and the greatest number of lots.

    Raises:
        AgentError: The game does not say how many lots are left.
    """

    stateless = True

    def __init__(self, game: Game, agents: list[Agent], lots: tuple[int, int]):
        super().__init__(agents)
        if not game.lots_left or not game.fixed_slices:
            raise AgentError(f"mimic: the observations of {game.id} do not say how many lots have begun")
        self._layout, self._lots = game.layout, lots
        self._left = game.layout[game.lots_left].slice
        places = np.arange(game.layout.size)
        self._fixed = np.concatenate([places[game.layout[name].slice] for name in game.fixed_slices])
        with np.errstate(over="ignore"):
            self._factors = (np.arange(1, 1 + len(self._fixed), dtype=np.uint64) * _MIX) | np.uint64(1)
        batch = Batch(game, 1, seed=0)
        batch.reset()
        self._all_lots = int(batch.observation[0, self._left].sum())
        batch.close()

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids; `infos` is not used."""
        actions = np.zeros(len(observations), np.int64)
        for number, rows in self.rows(observations):
            actions[rows] = self.agents[number].act_batch(observations[rows], action_masks[rows])
        return actions

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, num_actions) float32, those of the agent that decides; 1 for its action if it does not tell them."""
        result = np.zeros(action_masks.shape, np.float32)
        for number, rows in self.rows(observations):
            result[rows] = probabilities_of(self.agents[number], observations[rows], action_masks[rows])
        return result

    def rows(self, observations: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """The number of each agent that decides, and the rows where it does."""
        begun, lots = self.lots(self._layout.to_int8(observations))
        for number, rows in enumerate(map(np.flatnonzero, (begun <= lots, begun > lots))):
            if len(rows):
                yield number, rows

    def lots(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) lots that have begun, and (N,) lots that the first agent plays, of (N, size) int8 observations."""
        begun = self._all_lots - observations[:, self._left].sum(1, dtype=np.int64)
        with np.errstate(over="ignore"):
            bits = (observations[:, self._fixed].astype(np.uint64) * self._factors).sum(1)
            bits = (bits ^ (bits >> np.uint64(31))) * _MIX
        low, high = self._lots
        return begun, low + ((bits >> np.uint64(33)) % np.uint64(high - low + 1)).astype(np.int64)


class StyledAgent(ComposedAgent):
    """Bids more or less than another agent: the legal bid that is nearest to its bid and a number, on its side.

    Args:
        agents: The other one.
        amounts: (actions,) the amount that each action names, or -1.
        bids: What is added to its bids.
    """

    stateless = True

    def __init__(self, agents: list[Agent], amounts: np.ndarray, bids: int):
        super().__init__(agents)
        self._is_bid, self._bids = amounts >= 0, bids

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids; `infos` is not used."""
        actions = np.array(self.agents[0].act_batch(observations, action_masks), np.int64)
        rows = np.flatnonzero(self._is_bid[actions])
        step, masks = int(np.sign(self._bids)), np.asarray(action_masks)[rows]
        chosen = actions[rows]
        for distance in range(1, abs(self._bids) + 1):
            moved = (actions[rows] + step * distance).clip(0, len(self._is_bid) - 1)
            fits = self._is_bid[moved] & (masks[np.arange(len(rows)), moved] != 0)
            chosen = np.where(fits, moved, chosen)
        actions[rows] = chosen
        return actions
