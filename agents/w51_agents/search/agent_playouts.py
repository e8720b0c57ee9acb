"""Playouts by any agent: as compiled code where its network has that, else it is asked for each decision."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.infos import DecisionInfos, history_rows, reads_past
from w51_agents.agent.interface import Infos, probabilities_of
from w51_agents.networks.fast.first_layer import SLOTS
from w51_agents.search.playouts import Player, Playouts
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import EXTERNAL, NO_ACTION, Game

_SEAT_BITS = np.uint64(40)  # the bits of a random stream from here on say who has each seat


class PlayerPlayouts(Playouts):
    """Plays one action in each of many states; then a player chooses for all seats to the end.

    What it draws follows from the random stream of the state and from the number of decisions, as for bots. So two
    playouts from one state share random numbers (common random numbers).
    """

    def __init__(self, game: Game, player: Player, history: int = 0):
        super().__init__(game, EXTERNAL, history)
        self.player = player

    def choices(self, states: np.ndarray) -> np.ndarray:
        """(N,) int64, the action that is chosen first in a playout from each of (N,) states, were it free."""
        chosen = np.empty(len(states), np.int64)
        for part in self._parts(len(states)):
            batch = self._loaded(states[part])
            self.begin()
            chosen[part] = self.choose(batch)[: part.stop - part.start]
        return chosen

    def begin(self) -> None:
        """Other games begin than those of the decisions before."""

    def _finish(self, batch: Batch) -> None:
        self.begin()
        while (batch.seat >= 0).any():
            batch.step(self.choose(batch))

    def choose(self, batch: Batch) -> np.ndarray:
        """An action for each game of a batch; NO_ACTION where it is over."""
        rows = np.flatnonzero(batch.seat >= 0)
        actions = np.full(batch.num_games, NO_ACTION, np.int64)
        actions[rows] = self.choose_in(batch, rows)
        return actions

    def choose_in(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """(n,) int64, an action in each of (n,) games, none of which is over."""
        return self.player.choose(batch.observation[rows], batch.action_mask[rows], bits_of(batch, rows))


class CompiledPlayouts(PlayerPlayouts):
    """Playouts by a compiled policy, which reads at each decision of a seat what has changed since the last one."""

    player: Any

    def __init__(self, game: Game, policy: Any):
        super().__init__(game, policy)
        self._draws: dict[int, tuple[np.ndarray, ...]] = {}
        self._calls: dict[int, Callable[[int], int]] = {}

    def begin(self) -> None:
        self.player.forget()

    def choose_in(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        slots = rows * self._game.num_players + batch.seat[rows]
        slots[slots >= SLOTS] = -1
        if not self.player.reads_observations:
            seen = batch.observation[rows], batch.action_mask[rows], bits_of(batch, rows)
            return self.player.choose(*seen, slots)
        size = batch.num_games  # there is one batch of each size
        if size not in self._draws:
            arrays = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(size, np.int64)
            listed, kept = np.zeros(1 + size, np.int64), np.zeros(size, np.int64)
            bound = self.player.bind(batch.observation, batch.action_mask, *arrays, rows=listed, slots=kept)
            self._draws[size], self._calls[size] = (*arrays, listed, kept), bound
        streams, decisions, actions, listed, kept = self._draws[size]
        streams[:], decisions[:] = batch.games["stream"], batch.games["decisions"]
        listed[0] = len(rows)
        listed[1 : 1 + len(rows)] = rows
        kept[rows] = slots
        self._calls[size](0)
        return actions[rows]


class Population:
    """A player or a bot in each seat; which of both, two bits of the random stream of a state say.

    Attributes:
        bot_quarters: (num_players,) in how many quarters of the playouts each seat is the bot, 0 to 4; 2 at first.
    """

    def __init__(self, game: Game, player: Player, bot: str):
        self._player, self.bot = player, Bot(game, bot)
        self.bot_quarters = np.full(game.num_players, 2)

    def has_bot(self, streams: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """(N,) bool, whether the bot has (N,) seats in states with (N,) random streams."""
        return ((streams.astype(np.uint64) >> _bits_of_seats(seats)) & np.uint64(3)) < self.bot_quarters[seats]

    def choose_as(self, seat: int, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision of whoever has this seat; else as `Player.choose`.

        All bits of the random streams but the lowest ones are those of `bits`.
        """
        actions, is_bot = np.empty(len(bits), np.int64), self.has_bot(bits, np.full(len(bits), seat))
        for player, rows in ((self.bot, np.flatnonzero(is_bot)), (self._player, np.flatnonzero(~is_bot))):
            if len(rows):
                actions[rows] = player.choose(observations[rows], action_masks[rows], bits[rows])
        return actions


def seat_bots(streams: np.ndarray, is_bot: np.ndarray) -> None:
    """Change (N,) random streams such that a population has its bot in (N, num_players) seats and in no other."""
    for seat, bots in enumerate(is_bot.T):
        both = np.uint64(3) << _bits_of_seats(np.array(seat))
        streams[:] = np.where(bots, streams & ~both, streams | both)


class PopulationPlayouts(PlayerPlayouts):
    """Plays one action in each of many states; then each seat is a player or a bot.

    Args:
        game: The game with its rules bound.
        playouts: Playouts in which the player has all seats.
        bot: The bot.
    """

    def __init__(self, game: Game, playouts: PlayerPlayouts, bot: str):
        super().__init__(game, playouts.player)
        self._playouts = playouts
        self.population = Population(game, playouts.player, bot)

    def begin(self) -> None:
        self._playouts.begin()

    def choose_in(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        actions = np.empty(len(rows), np.int64)
        is_bot = self.population.has_bot(batch.games["stream"][rows], batch.seat[rows].astype(np.int64))
        if len(at := rows[is_bot]):
            seen = batch.observation[at], batch.action_mask[at], bits_of(batch, at)
            actions[is_bot] = self.population.bot.choose(*seen)
        if len(at := rows[~is_bot]):
            actions[~is_bot] = self._playouts.choose_in(batch, at)
        return actions


class RememberingPlayouts(PlayerPlayouts):
    """Playouts by an agent that remembers, or reads what happened: of the game it knows the playout alone."""

    player: "AgentPlayer"

    def __init__(self, game: Game, player: "AgentPlayer"):
        super().__init__(game, player, history_rows(player.agent))

    def _finish(self, batch: Batch) -> None:
        infos = DecisionInfos(batch)
        while len(rows := np.flatnonzero(batch.seat >= 0)):
            actions = np.full(batch.num_games, NO_ACTION, np.int64)
            decisions = batch.observation[rows], batch.action_mask[rows], bits_of(batch, rows)
            actions[rows] = self.player.choose(*decisions, infos.of(self.player.agent, rows))
            batch.step(actions)


class AgentPlayer:
    """Plays as an agent does. What it draws follows from random bits where it tells probabilities."""

    def __init__(self, agent: Any):
        self.agent = agent
        self._reads_more = reads_past(agent)

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray, infos: Infos = None
    ) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`.

        Args:
            observations: (N, size) int8.
            action_masks: (N, actions) int8.
            bits: (N,) uint64.
            infos: What an agent that remembers gets; None: nothing has happened yet.
        """
        if not len(bits):
            return np.zeros(0, np.int64)
        if self._reads_more:
            nothing = np.zeros((0, COLUMNS), np.int16)
            if infos is None:
                infos = [{"memory": row, "is_first": True, "history": nothing} for row in range(len(bits))]
            return self.agent.act_batch(observations, action_masks, infos)
        cumulative = probabilities_of(self.agent, observations, action_masks).astype(np.float64).cumsum(axis=1)
        quantiles = (_mixed(bits) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (cumulative <= (quantiles * cumulative[:, -1])[:, None]).sum(axis=1)


class MimicPlayer:
    """Plays as a mimic does.

    Args:
        agent: The mimic, whose `rows` say which of its agents decides where.
        players: What plays as each of its agents.
    """

    def __init__(self, agent: Any, players: Sequence[Player]):
        self._agent, self._players = agent, players

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`."""
        actions = np.empty(len(bits), np.int64)
        for number, rows in self._agent.rows(observations):
            actions[rows] = self._players[number].choose(observations[rows], action_masks[rows], bits[rows])
        return actions


def agent_playouts(game: Game, agent: Any) -> tuple[Player, Playouts]:
    """An agent as a player of playouts, and the playouts in which it has all seats.

    Args:
        game: The game with its rules bound.
        agent: Any agent; the network of one is compiled if its form can be.
    """
    if isinstance(agent, BotAgent):
        return agent.bot, Playouts(game, agent.bot.name)
    if hasattr(agent, "agents") and hasattr(agent, "rows"):
        mimic = MimicPlayer(agent, [agent_playouts(game, part)[0] for part in agent.agents])
        return mimic, PlayerPlayouts(game, mimic)
    if (policy := _compiled(agent)) is not None:
        return policy, CompiledPlayouts(game, policy)
    player = AgentPlayer(agent)
    return player, RememberingPlayouts(game, player) if reads_past(agent) else PlayerPlayouts(game, player)


def _compiled(agent: Any) -> Any:
    """The policy of an agent as compiled code; None if it has none."""
    network = getattr(agent, "network", None)
    if network is None:
        return None
    from w51_agents.networks.making import compiled_policy, form_of  # PyTorch takes seconds

    if form_of(network).fold is None:
        return None
    shown = {"num_columns": agent.shown.size, "tilt": agent.tilt, "greedy": agent.greedy}
    return compiled_policy(agent.game, network, **shown)


def _bits_of_seats(seats: np.ndarray) -> np.ndarray:
    """(N,) uint64, the lower of two bits of a random stream that say who has each of (N,) seats."""
    return _SEAT_BITS + np.uint64(2) * seats.astype(np.uint64)


def bits_of(batch: Batch, rows: np.ndarray) -> np.ndarray:
    """(n,) uint64, the random bits of the next decision in some games."""
    return batch.games["stream"][rows].astype(np.uint64) ^ batch.games["decisions"][rows].astype(np.uint64)


def _mixed(bits: np.ndarray) -> np.ndarray:
    """(N,) uint64: bits that differ in few places become numbers that have nothing in common (SplitMix64)."""
    with np.errstate(over="ignore"):
        mixed = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
