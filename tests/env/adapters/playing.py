"""A fixed policy, the engine's own account of a learner's games against random bots, and PettingZoo turn by turn."""

import copy
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """(N,) int64: some legal action for each row, a function of what is seen; -1 where nothing is legal."""
    counts = masks.sum(axis=1)
    pick = (observations.astype(np.int64) @ np.arange(1, observations.shape[1] + 1)) % np.maximum(counts, 1)
    actions = (masks.astype(bool) & (np.cumsum(masks, axis=1) == pick[:, None] + 1)).argmax(axis=1)
    return np.where(counts > 0, actions, -1)


def comparable(info: Any) -> Any:
    """An info with its arrays as bytes: `repr` takes most of the time of a test, and leaves out parts of long ones."""
    if isinstance(info, dict):
        return {key: comparable(part) for key, part in info.items()}
    if isinstance(info, np.ndarray):
        parts = info.tobytes() if info.dtype != object else [comparable(part) for part in info]
        return info.dtype, info.shape, parts
    return repr(info)


@dataclass
class Episode:
    """What a learner lived through in one game."""

    reward: float = 0.0
    seen: list[int] = field(default_factory=list)  # checksums of its observations, the last of the end of the game
    scores: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()

    def see(self, observation: np.ndarray) -> None:
        self.seen.append(zlib.crc32(observation.tobytes()))


def engine_episodes(game: Game, seeds: np.ndarray, learner_seats: np.ndarray) -> list[Episode]:
    """The same games with all seats external: `choose` for the learner, the random bot's choice for the others."""
    batch = Batch(game, len(seeds), autoreset="disabled")
    batch.reset(seeds)
    episodes = [Episode() for _ in seeds]
    while (batch.seat >= 0).any():
        learning = np.flatnonzero(batch.seat == learner_seats)
        for index in learning:
            episodes[index].see(batch.observation[index])
        actions = batch.sample_actions().astype(np.int64)  # the random bot draws the same numbers
        actions[learning] = choose(batch.observation[learning], batch.action_mask[learning])
        batch.step(actions)
        for index in np.flatnonzero(batch.done):
            episode, seat = episodes[index], learner_seats[index]
            episode.reward = float(batch.rewards[index, seat])
            episode.scores, episode.ranks = tuple(batch.final_scores[index]), tuple(batch.final_ranks[index])
            episode.see(batch.final_observation[index, seat])
    return episodes


def learner_vec_env(*arguments: Any, **options: Any) -> Any:
    """A `LearnerVecEnv`; without Stable-Baselines3 the test is skipped."""
    pytest.importorskip("stable_baselines3", reason="needs the extra 'sb3'")
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv

    return LearnerVecEnv(*arguments, **options)


def first_legal(env, choice: int = 0) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[choice])


def play(env, decisions: int) -> None:
    for _ in range(decisions):
        env.step(first_legal(env))


def play_out(env) -> list[tuple]:
    """All that the agents are given until the end, as comparable data."""
    given = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        given.append(
            (agent, *(part.tobytes() for part in observation.values()), reward, terminated, truncated, repr(info))
        )
        env.step(None if terminated else first_legal(env, -1))
    return given


def snapshot(env) -> tuple:
    raw = env.unwrapped
    dicts = raw.rewards, raw._cumulative_rewards, raw.terminations, raw.truncations, raw.agents
    return env.state().tobytes(), copy.deepcopy(dicts), raw.agent_selection, repr(raw.infos)
