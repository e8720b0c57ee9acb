"""Agents against each other on equal terms: every deal is played once for each seating, so that luck and seat fall to all alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np

from agents.agent import Agent, AgentError
from agents.intervals import share_interval
from agents.scripted import ScriptedAgent
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.loops import EXTERNAL, NO_ACTION

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
        seats = int(own.sum())
        by_deal = self.shares[:, :, own].sum(axis=2).mean(axis=1)  # of all its seats, which is what can reach 0 and 1
        low, high = share_interval(by_deal)
        return Standing(
            self.names[agent],
            seats,
            float(self.scores[:, :, own].mean()),
            float(self.ranks[:, :, own].mean()),
            float(by_deal.mean()) / seats,
            low / seats,
            high / seats,
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
        AgentError: No agents, or more than seats; no games; an agent answered something else than a legal action for each question.
    """
    if not isinstance(games, int | np.integer) or isinstance(games, bool) or games < 1:
        raise AgentError(f"games: {games!r}, but an integer of at least 1 is needed")
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
        batch = _play(game, agents, places[table], np.repeat(seeds[part], players), on_progress)
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


def _play(
    game: Game, agents: Sequence[tuple[str, Agent]], seated: np.ndarray, seeds: np.ndarray, on_progress: Callable[[int], None]
) -> Batch:
    """Play one game for each row of `seated` (N, num_players), agents by seat; bots play inside the batch."""
    bots = np.array([agent.bot.index if isinstance(agent, ScriptedAgent) else EXTERNAL for _, agent in agents])
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
        for index, (name, agent) in enumerate(agents):
            chosen = np.flatnonzero(mover == index)
            if len(chosen):
                answer = agent.act_batch(batch.observation[chosen], batch.action_mask[chosen])
                actions[chosen] = check_answer(name, answer, batch.action_mask[chosen], game)
        batch.step(actions)


def check_answer(name: str, answer: Any, masks: np.ndarray, game: Game) -> np.ndarray:
    """The answer of `act_batch` as an array; AgentError, naming the agent, unless it is a legal action for each mask."""
    try:
        actions = np.asarray(answer)
    except (TypeError, ValueError):  # lists of unequal length
        actions = np.asarray(None)
    if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
        came = f"{actions.dtype} of shape {actions.shape}" if isinstance(answer, np.ndarray) else shorten(repr(answer), 60)
        raise AgentError(f"agent {name!r}: act_batch gave {came}, but integers of shape ({len(masks)},) are needed")
    known = (actions >= 0) & (actions < len(game.actions))
    wrong = np.flatnonzero(~known | (masks[np.arange(len(masks)), np.where(known, actions, 0)] == 0))
    if len(wrong):
        raise AgentError(f"agent {name!r}: {_illegal(int(actions[wrong[0]]), masks[wrong[0]], game)}")
    return actions


def _illegal(action: int, mask: np.ndarray, game: Game) -> str:
    name = game.actions[action].name if 0 <= action < len(game.actions) else f"ids go from 0 to {len(game.actions) - 1}"
    legal = ", ".join(f"{choice} ({game.actions[choice].name})" for choice in np.flatnonzero(mask))
    return f"action {action} ({name}) is not legal; legal are {legal}"
