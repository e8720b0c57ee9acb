"""Games for the tests of terminal, playbacks and files, and agents that decide in the same process."""

from concurrent.futures import Future
from functools import cache
from typing import Any

import numpy as np

from w51_agents import make_agent
from w51_agents.agent.interface import check_actions
from w51_agents.named.explanation import explain_decision
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import W51Error
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import AgentPool, Answer, Question, failed
from w51_table.play.playback import Performance, Playback
from w51_table.play.table import Setup, Table


def played_at_random(
    game: str = "warehouse51_v1", seed: int = 3, names: tuple[str, ...] = ("Ann", "Ben", "Cem"), **options: object
) -> Table:
    """A finished game of random play, with a seat for each name."""
    table = Table(Setup(game, {"num_players": len(names), **options}, seed, names))
    generator = np.random.default_rng(seed)
    while not table.over:
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    return table


@cache
def recorded(game_id: str = "warehouse51_v1", **options: object) -> Replay:
    """A whole game of bots, with names."""
    game = make_game(game_id, **options)
    players = game.num_players
    batch = Batch(game, 1, controllers=["external"] + ["heuristic"] * (players - 1), seed=5, autoreset="disabled")
    batch.reset()
    recorder = Recorder(batch, players=["Ann", "Bob", "Cleo", "Dan", "Eve"][:players])
    while not recorder.replays:
        legal = np.flatnonzero(batch.action_mask[0])
        recorder.step(legal[:1])
    return recorder.replays[0]


class InProcessPool(AgentPool):
    """Answers at once, in this process."""

    def __init__(self, **settings: Any):
        pass

    def ask(self, question: Question) -> "Future[Answer]":
        future: Future[Answer] = Future()
        try:
            future.set_result(self.answer(question))
        except W51Error as error:
            future.set_result(failed(question, str(error)))
        return future

    def answer(self, question: Question) -> Answer:
        game, info = question.game, question.info
        agent = make_agent(question.agent, game)
        agent.reset(question.seed)
        if question.explain:
            found = explain_decision(question.agent, agent, game, *question.decision, info)
            return Answer(found.action, found)
        if question.decision is None:
            return Answer()
        observations, masks = (array[None] for array in question.decision)
        actions = agent.act_batch(observations, masks, None if info is None else [info])
        return Answer(int(check_actions(question.agent, actions, masks, game)[0]))

    def close(self) -> None:
        pass


def performed(*agents: str, game: str = "warehouse51_v1", seed: int = 3, **options: object) -> Performance:
    """A game that agents play now, as far as it is watched."""
    table = Table(Setup(game, {"num_players": len(agents), **options}, seed, agents))
    return Performance(Playback.of_table(table), InProcessPool(), table)


def replayed(replay: Replay, default_agent: str | None = None) -> Performance:
    """A replay of which an agent says what it thinks."""
    return Performance(Playback.of_replay(replay, default_agent), InProcessPool())
