"""Agents that print wherever they can, and one that fails."""

import os
import subprocess
import sys

import numpy as np

NOISE = "noise-of-an-agent"


def make_noise() -> None:
    print(NOISE)
    sys.stdout.flush()
    os.write(1, f"{NOISE}\n".encode())
    subprocess.run(["sh", "-c", f"echo {NOISE}; cat"], check=True, timeout=20)  # cat: the input is empty


make_noise()


class Noisy:
    """The first legal action, with noise."""

    def __init__(self, game):
        make_noise()

    def reset(self, seed: int) -> None:
        print(NOISE, end="")

    def act(self, observation, action_mask, info=None) -> int:
        make_noise()
        return int(np.flatnonzero(action_mask)[0])


class Failing(Noisy):
    def act(self, observation, action_mask, info=None) -> int:
        raise ValueError("reason-of-the-failure")
