"""Seeds of agents. To an agent of others a seed must not lead: neither to the deal nor to the seeds of other games.

The agents of this package draw from the seed of the games, so that a seed alone repeats them. All other agents get
seeds that are computed with a secret, which they do not have.
"""

import hashlib
import os
import re
import secrets
import sys
from functools import cache
from typing import Any

import numpy as np

from w51_env.engine.imports import is_own

SECRET_VARIABLE = "W51_ENV_SECRET"  #  an environment variable; equal secrets give equal seeds
SECRET_PATTERN = "[0-9a-f]{64}"


def is_stateless(agent: Any) -> bool:
    """Whether an agent keeps nothing from one decision for another but the state of its draws.

    A class of this distribution declares it with `stateless = True`. The declaration of any other class does not count,
    and neither does one that is inherited from a class of this distribution.
    """
    kind = type(agent)
    if not is_own(kind.__module__) or not vars(kind).get("stateless", False):
        return False
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


def process_secret() -> str:
    """The secret of this process, 64 hexadecimal digits: that of the environment variable W51_ENV_SECRET, or a new one.

    A value of the variable that is no such number is hashed.
    """
    value = os.environ.get(SECRET_VARIABLE)
    if not value:
        return _drawn()
    return value if re.fullmatch(SECRET_PATTERN, value) else hashlib.blake2b(value.encode(), digest_size=32).hexdigest()


@cache
def _drawn() -> str:
    return secrets.token_hex(32)


def secret_seed(secret: str, *place: object) -> int:
    """The seed at a place, 0 to 2**64-1: a keyed hash, so that without the secret no other seed follows from it.

    Args:
        secret: Any text.
        *place: Numbers and texts that tell this place from all others.
    """
    key = hashlib.blake2b(secret.encode()).digest()
    return int.from_bytes(hashlib.blake2b(repr(place).encode(), key=key, digest_size=8).digest(), "little")


def decision_seed(seed: int, decision: int) -> int:
    """The seed of an agent's draws for one decision of a game: the same each time that this decision is reached."""
    return int(np.random.SeedSequence([seed, decision]).generate_state(1)[0])


def agent_seed(agent: Any, seed: int, *place: object) -> int:
    """The seed for `agent.reset`: `seed` for an agent of this package, else that of the place and this process."""
    return seed if is_stateless(agent) else secret_seed(process_secret(), *place)
