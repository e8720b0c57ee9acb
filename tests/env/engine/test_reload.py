"""`importlib.reload`, as notebooks call it: what is registered stays so, and everything works on."""

import pytest

from tests.env.engine.scripts import run

RELOAD = """
import importlib, sys, gymnasium, w51_env
from w51_env.engine.registry import register_game

def works():
    env = gymnasium.make("w51_env/Warehouse51-v1", opponents=OPPONENT)
    _, info = env.reset(seed=1)
    over = False
    while not over:  # the end of a game has kernels of its own
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    batch = w51_env.make_vec("mine_v0", 3, seed=1)
    batch.reset()
    batch.step(batch.sample_actions())

register_game("mine_v0", "tests.env.third_game:make")
works()
for name in MODULES or sorted(name for name in sys.modules if name.startswith("w51_env")):
    importlib.reload(importlib.import_module(name))
    works()
"""


SOME = [f"w51_env{name}" for name in ("", ".warehouse51_v1", ".engine.registry", ".compiler.compile", ".engine.loops")]


@pytest.mark.parametrize(
    ("modules", "opponent"), [(SOME, "heuristic"), pytest.param([], "exploiter", marks=pytest.mark.slow)]
)
def test_the_package_and_its_modules_can_be_reloaded(modules: list[str], opponent: str):
    if opponent != "heuristic":
        pytest.importorskip("torch", reason="needs the extra 'train'")
    assert run(RELOAD.replace("MODULES", repr(modules)).replace("OPPONENT", repr(opponent)))[0] == ""
