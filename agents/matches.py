"""Agents against each other on equal terms: every deal is played once for each seating, so that luck and seat fall to all alike."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent, AgentError
from agents.scripted import ScriptedAgent
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.loops import EXTERNAL, NO_ACTION

CONFIDENCE = 0.95
_Z = 1.959964  #       normal quantile of a two-sided 95 % interval
_GAMES_AT_ONCE = 4096


@dataclass(frozen=True)
class Standing:
    """How one agent did. `low` and `high` bound its win share with 95 % confidence, deals taken as the independent draws.

    Attributes:
        seats: Places it has at each table, of `num_players`.
        mean_score, mean_rank: Over all its seats; ranks from 1.
        win_share: Mean share of a victory for one of its seats; a victory of k winners counts 1 / k for each.
    """

    name: str
    seats: int
    mean_score: float
    mean_rank: float
    win_share: float
    low: float
    high: float


@dataclass(frozen=True)
class Results:
    """What a match brought. Arrays are (deals, seatings, places): place p of the line-up, wherever it sat.

    Attributes:
        names: The agents.
        places: (num_players,) int64, which agent has each place.
        scores, ranks, shares: int16, int8, float64: final totals, ranks from 1, share of the victory.
    """

    names: tuple[str, ...]
    places: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    shares: np.ndarray

    @property
    def par(self) -> float:
        """The win share of equals."""
        return 1.0 / len(self.places)

    def standings(self) -> list[Standing]:
        """One for each agent, in the order of the line-up."""
        return [self._standing(agent) for agent in range(len(self.names))]

    def _standing(self, agent: int) -> Standing:
        own = self.places == agent
        by_deal = self.shares[:, :, own].mean(axis=(1, 2))
        share = float(by_deal.mean())
        error = _Z * float(by_deal.std(ddof=1)) / math.sqrt(len(by_deal)) if len(by_deal) > 1 else math.inf
        return Standing(
            self.names[agent],
            int(own.sum()),
            float(self.scores[:, :, own].mean()),
            float(self.ranks[:, :, own].mean()),
            share,
            max(0.0, share - error),
            min(1.0, share + error),
        )


def play_matches(
    game: Game,
    agents: Sequence[tuple[str, Agent]],
    games: int,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda finished: None,
) -> Results:
    """Let agents play each other, on the same deals in every seat.

    Each deal has a circular order of the players of its own, drawn from the seed, and is played `num_players` times, all moved
    one seat on each time. If there are fewer agents than seats, the seats that are left go to the second, third, ... in turn
    (to the first, if it is alone): so the first meets copies of the others.

    Args:
        game: The game with its rules bound.
        agents: (name, agent), at most one for each seat.
        games: How many to play, rounded up to whole rounds of `num_players` seatings.
        seed: The same seed gives the same deals, orders and results.
        on_progress: Called with the number of games finished since the last call.

    Raises:
        AgentError: No agents, or more than seats.
        IllegalActionError: An agent chose an action that is not legal.
    """
    players = game.num_players
    places = line_up(len(agents), players)
    deals = -(-games // players)
    sequence = np.random.SeedSequence(seed)
    seeds = sequence.generate_state(deals, np.uint64)
    generator = np.random.default_rng(sequence.spawn(1)[0])
    orders = generator.permuted(np.tile(np.arange(players), (deals, 1)), axis=1)
    for _, agent in agents:
        agent.reset(int(generator.integers(2**63)))

    # seated[deal, seating, seat] is the place of the line-up that sits there.
    turns = (np.arange(players) - np.arange(players)[:, None]) % players
    seated = orders[:, turns]
    scores = np.empty(seated.shape, np.int16)
    ranks = np.empty(seated.shape, np.int8)
    step = max(1, _GAMES_AT_ONCE // players)
    for start in range(0, deals, step):
        part = slice(start, min(start + step, deals))
        table = seated[part].reshape(-1, players)
        batch = _play(game, [agent for _, agent in agents], places[table], np.repeat(seeds[part], players), on_progress)
        rows = np.arange(len(table))[:, None]
        for finals, results in ((batch.final_scores, scores), (batch.final_ranks, ranks)):
            by_place = np.empty_like(finals)
            by_place[rows, table] = finals
            results[part] = by_place.reshape(results[part].shape)
    first = ranks == 1
    shares = first / first.sum(axis=2, keepdims=True)
    return Results(tuple(name for name, _ in agents), places, scores, ranks, shares)


def line_up(num_agents: int, num_players: int) -> np.ndarray:
    """(num_players,) int64: which agent has each place at the table; see `play_matches`.

    Raises:
        AgentError: No agents, or more than seats.
    """
    if not 1 <= num_agents <= num_players:
        raise AgentError(f"agents: {num_agents}, but 1 to {num_players} can sit down to a game of {num_players}")
    others = range(1, num_agents) if num_agents > 1 else range(1)
    left_over = [others[place % len(others)] for place in range(num_players - num_agents)]
    return np.array([*range(num_agents), *left_over])


def _play(game: Game, agents: Sequence[Agent], seated: np.ndarray, seeds: np.ndarray, on_progress: Callable[[int], None]) -> Batch:
    """Play one game for each row of `seated` (N, num_players), agents by seat; bots play inside the batch."""
    bots = np.array([agent.bot.index if isinstance(agent, ScriptedAgent) else EXTERNAL for agent in agents])
    asked = bool((bots == EXTERNAL).any())
    batch = Batch(game, len(seated), controllers=bots[seated], autoreset="disabled", observe=asked, keep_final=False)
    batch.reset(seed=seeds)
    finished = 0
    games = np.arange(len(seated))
    while True:
        running = batch.seat >= 0
        on_progress(len(seated) - int(running.sum()) - finished)
        finished = len(seated) - int(running.sum())
        if not running.any():
            return batch
        mover = np.where(running, seated[games, batch.seat], -1)
        actions = np.full(len(seated), NO_ACTION, np.int64)
        for index, agent in enumerate(agents):
            chosen = np.flatnonzero(mover == index)
            if len(chosen):
                actions[chosen] = agent.act_batch(batch.observation[chosen], batch.action_mask[chosen])
        batch.step(actions)
