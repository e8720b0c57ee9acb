"""Playing a PettingZoo environment turn by turn, and all of it as comparable data."""

import copy

import numpy as np


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
