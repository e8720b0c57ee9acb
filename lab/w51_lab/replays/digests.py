"""Digests of what a replay was played with."""

import hashlib
import json

from w51_env.engine.game import Game
from w51_env.engine.options import OptionValues


def options_digest(options: OptionValues) -> str:
    """SHA-256 of all options, independent of their order."""
    return hashlib.sha256(json.dumps(dict(options), sort_keys=True).encode()).hexdigest()


def tables_digest(game: Game) -> str:
    """SHA-256 of the tables that kernels read, without the options, which have a digest of their own."""
    rules = game.rules[0]
    tables = {name: rules[name].tolist() for name in sorted(rules.dtype.names) if name not in game.options}
    return hashlib.sha256(json.dumps(tables).encode()).hexdigest()
