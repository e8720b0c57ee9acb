"""Agents that try to learn what is hidden from them, and note in the folder POOLING what they got."""

import os
import threading
from pathlib import Path

import numpy as np

from w51_agents.agent.interface import BatchAgent, SingleAgent
from w51_env.engine.batch import Batch

_ROOTS, _BLOCKS = 20, 4  # root seeds and first deals of blocks that are tried; the tournament has two deals
_DEALS = 30
_memory: list[bytes] = []  # lasts as long as the process


def note(name: str, text: str) -> None:
    with (Path(os.environ["POOLING"]) / name).open("a") as file:
        file.write(f"{text}\n")


class Pools(BatchAgent):
    """Keeps all observations in a variable of its module, and notes what its process has."""

    stateless = True  # says it

    def __init__(self, game):
        pass

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations, action_masks, infos=None):
        _memory.extend(observation.tobytes() for observation in observations)
        for observation in observations:
            note(f"process-{os.getpid()}", observation.tobytes().hex())
        return (self._generator.random(action_masks.shape) * action_masks).argmax(axis=1)


class Threaded(Pools):
    """Has a thread from the beginning."""

    def __init__(self, game):
        threading.Thread(target=threading.Event().wait, daemon=True).start()


class Derives(SingleAgent):
    """Looks for the root seed of the tournament in its own seed, and for its observations in the deals of seed 0."""

    def __init__(self, game):
        deals = np.random.SeedSequence(0).generate_state(_DEALS, np.uint64)
        batch = Batch(game, _DEALS)
        batch.reset(seed=deals)
        self._known = {row.tobytes() for seat in range(game.num_players) for row in batch.observe(seat)}

    def reset(self, seed: int) -> None:
        note("seeds", str(seed))
        for root in range(_ROOTS):
            for start in range(_BLOCKS):
                for agent in (0, 1):
                    for place in ((0, start, agent), (0, start, agent, 0)):
                        found = np.random.SeedSequence((root, 2, *place)).generate_state(1, np.uint64)[0]
                        if int(found) == seed:
                            note("root", str(root))

    def act(self, observation, action_mask, info=None) -> int:
        note("known" if observation.tobytes() in self._known else "unknown", "")
        return int(np.flatnonzero(action_mask)[0])


class Waits(SingleAgent):
    """Takes a while for each decision."""

    def __init__(self, game):
        self._wait = threading.Event()

    def act(self, observation, action_mask, info=None) -> int:
        self._wait.wait(0.1)
        return int(np.flatnonzero(action_mask)[0])
