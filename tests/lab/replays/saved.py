"""Replays in files, for tests, and ways to change them."""

import json
from pathlib import Path
from typing import Any

import pytest

from w51_env.engine.batch import Batch
from w51_env.engine.errors import ReplayError
from w51_env.engine.registry import make_game
from w51_lab.replays.digests import options_digest
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay

WAREHOUSE = "warehouse51_v1"


def played(action_seed: int = 0, seed: int = 5, **options: Any) -> Replay:
    """A random game to its end, recorded."""
    batch = Batch(make_game(WAREHOUSE, **options), 1, seed=seed, autoreset="disabled")
    batch.reset()
    recorder = Recorder(
        batch,
        players=[f"player {seat}" for seat in range(batch.game.num_players)],
        metadata={"table": 7, "event": "Çup"},
    )
    while not recorder.replays:
        recorder.step(batch.sample_actions(action_seed))
    return recorder.replays[0]


def change(path: Path, **values: Any) -> dict[str, Any]:
    """Write the file again with some keys changed; None takes a key out."""
    data = {key: value for key, value in {**json.loads(path.read_text("utf-8")), **values}.items() if value is not None}
    path.write_text(json.dumps(data), "utf-8")
    return data


def change_options(path: Path, **changed: Any) -> None:
    """Change options as another version of the package may have written them, with a digest that fits."""
    data = json.loads(path.read_text("utf-8"))
    options = {**data["options"], **changed}
    change(path, options=options, digests={**data["digests"], "options": options_digest(options)})


def fault(path: Path) -> str:
    """The error of loading a file; it always names the file."""
    with pytest.raises(ReplayError) as caught:
        Replay.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")
