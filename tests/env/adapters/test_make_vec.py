"""`make_vec`, the registry of games behind all interfaces, and what an import of the package loads."""

import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import w51_env
from w51_env import make_vec, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError

ADAPTERS = Path(w51_env.__file__).parent / "adapters"


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_make_vec_gives_a_batch_of_the_game_with_its_options_and_hands_each_argument_on():
    arguments = {"seating": "rotate", "autoreset": "next_step", "illegal_action": "lose", "threads": 2, "events": True}
    controllers = ["external", "random", "random"]
    batch = make_vec(
        "warehouse51_v1", 5, num_players=3, preset="hu", seed=1, controllers=controllers, observe=False, **arguments
    )
    batch.reset()
    assert isinstance(batch, Batch)
    assert (batch.num_games, batch.game.options["pawn_limit"], batch.rewards.shape) == (5, 4, (5, 3))
    assert batch.events(0)[0]["event"] == "set_up"
    assert batch.controllers[0].tolist() == [-1, 0, 0]
    assert (batch.autoreset, batch.illegal_action, batch.threads) == ("next_step", "lose", 2)
    assert not batch.observation.any()


def test_an_unknown_game_is_named_with_the_nearest_known():
    with pytest.raises(
        OptionError, match=r"game: 'warehouse52_v1' is unknown; known are warehouse51_v1.*did you mean 'warehouse51_v1'"
    ):
        make_vec("warehouse52_v1")


def test_gymnasium_knows_every_registered_game():
    assert "warehouse51_v1" in w51_env.registered_games()
    for game_id in w51_env.registered_games():
        assert any(spec.kwargs.get("game") == game_id for spec in gymnasium.registry.values())
    assert gymnasium.spec("w51_env/Warehouse51-v1").vector_entry_point is not None


def test_the_package_of_the_rules_stays_importable_beside_the_entry_module():
    from w51_env import warehouse51_v1

    assert warehouse51.make(3).id == "warehouse51_v1" == warehouse51_v1.raw_env().game.id


def test_importing_the_package_loads_none_of_the_big_libraries_and_code_of_no_game_needs_numba():
    big = ["stable_baselines3", "torch", "numba", "matplotlib"]
    code = f"import sys, w51_env; print([name for name in {big} if name in sys.modules])"
    code += """
from w51_env.compiler import machine_code
machine_code._provide_runtime = None  # of Numba, for code that allocates
for game in w51_env.registered_games():
    batch = w51_env.make_vec(game, 2)
    batch.reset()
    batch.step(batch.sample_actions())
"""
    assert run_python(code).strip() == "[]"


def test_import_and_first_step_take_at_most_four_times_the_import_of_numba_when_warm():
    code = (
        "import time, w51_env; batch = w51_env.make_vec('warehouse51_v1', 1); batch.reset(); "
        "batch.step(batch.sample_actions()); print(time.process_time())"
    )
    numba = "import time, numba; print(time.process_time())"
    # Again: the first may compile, and the machine may be busy.
    ratios = (float(run_python(code)) / float(run_python(numba)) for _ in range(4))
    assert any(ratio < 4.0 for ratio in ratios)


def test_adapters_know_no_game():
    for path in ADAPTERS.glob("*.py"):
        text = re.sub("warehouse51[_-]v1", "", path.read_text().lower())  # ids, in examples and as defaults
        assert "warehouse51" not in text, path.name
        assert "relic" not in text, path.name
