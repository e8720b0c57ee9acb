"""A replay in a file."""

from pathlib import Path

import pytest

from tests.lab.replays.saved import played


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    played(preset="mini").save(path)
    return path
