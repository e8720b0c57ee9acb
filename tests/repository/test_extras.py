"""With few extras installed: a constructor or a command asks only for what it uses, and names it."""

import re

import pytest

from tests.commands import python
from tests.extras import run_with

ID = "w51_env/Warehouse51-v1"
RENDER = "RasterError: rgb_array: needs thorvg-python, which comes with: pip install 'w51_env[render]'"
SMALL = "decisions=512 num_envs=8 ppo.num_steps=16 ppo.minibatch_size=64 evaluation.games=8"
SHOW = """
import gymnasium, w51_env
from w51_env import alles_futsch_v1, warehouse51_v1

def show(env):  # an environment that was reset
    try:
        env.render()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

"""
GYMNASIUM = f"""
for mode in ("rgb_array", "human", "ansi"):
    env = gymnasium.make("{ID}", render_mode=mode, opponents=["heuristic", "search:playouts=2", "random"])
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    show(env)

for mode in ("rgb_array", "ansi"):
    envs = gymnasium.make_vec("{ID}", num_envs=2, render_mode=mode)
    envs.reset(seed=1)
    envs.step(envs.unwrapped.action_masks().argmax(axis=1))
    show(envs)
"""
PETTINGZOO = """
for game in (warehouse51_v1, alles_futsch_v1):
    for make in (game.env, game.raw_env):
        for mode in ("rgb_array", "human", "ansi"):
            env = make(render_mode=mode)
            env.reset(seed=1)
            env.step(int(env.last()[0]["action_mask"].argmax()))
            show(env)
"""
OWN_TESTS = """
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
import tests.env.third_game

for name in ("Warehouse51", "AllesFutsch"):
    check_env(gymnasium.make(f"w51_env/{name}-v1").unwrapped)
    assert gymnasium.make_vec(f"w51_env/{name}-v1").metadata["render_modes"] == ["ansi"]
for game in (warehouse51_v1, alles_futsch_v1):
    api_test(game.env(), num_cycles=50)
    seed_test(game.env, num_cycles=20)
    render_test(game.env)
"""
SB3 = f"""
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_util import make_vec_env
from w51_env.adapters.sb3_vec_env import LearnerVecEnv

for envs in (make_vec_env("{ID}", n_envs=2, seed=1), LearnerVecEnv("warehouse51_v1", 2, render_mode="rgb_array")):
    envs.reset()
    envs.step(get_action_masks(envs).argmax(axis=1))
    try:
        envs.get_images()
    except Exception as error:
        print(f"{{type(error).__name__}}: {{error}}")
"""
TRAINING = f"""
from sb3_contrib import MaskablePPO

MaskablePPO("MlpPolicy", "{ID}", n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=1).learn(16)
"""


@pytest.mark.parametrize(
    ("extras", "program", "refused"),  # pictures that are refused
    [
        ("", GYMNASIUM + PETTINGZOO + OWN_TESTS, 6),
        ("sb3", SB3, 2),
        pytest.param("sb3", TRAINING, 0, marks=pytest.mark.slow),  # PyTorch imports its compiler for an optimizer
    ],
    ids=["none", "sb3", "sb3, training"],
)
def test_environments_are_made_and_played_in_every_render_mode_and_only_a_picture_needs_the_extra(
    extras, program, refused
):
    done = run_with(extras, SHOW + program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Error") == done.stdout.count(RENDER) == refused, done.stdout


def test_openspiel_needs_only_its_own_extra():
    pytest.importorskip("pyspiel", reason="needs the extra 'games'")
    program = "from w51_env.adapters import openspiel; print(openspiel.make('alles_futsch_v1').new_initial_state())"
    done = run_with("games", program)
    assert done.returncode == 0, done.stderr


ADAPTERS = {"sb3_vec_env": "sb3", "openspiel": "games", "rllib": "rllib"}
IMPORTS = f"""
import importlib.machinery, sys

for module in {[*ADAPTERS, "rllib"]}:
    try:
        importlib.import_module(f"w51_env.adapters.{{module}}")
    except ImportError as error:
        print(error.__cause__, error)
    if module == "rllib":  # from now on Ray is found, but lacks a part
        sys.meta_path.insert(0, importlib.machinery.PathFinder)
        sys.path.insert(0, sys.argv[1])
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> list[str]:
    """Why each adapter cannot be imported, and that of RLlib with a broken Ray."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "ray" / "rllib").mkdir(parents=True)
    (folder / "ray" / "__init__.py").touch()
    (folder / "ray" / "rllib" / "__init__.py").write_text("raise ImportError('some dependencies are missing')")
    return run_with("", IMPORTS, folder).stdout.splitlines()


def test_an_adapter_without_its_library_names_the_extra(printed):
    assert [line.rpartition("comes with: ")[2] for line in printed[:3]] == [
        f"pip install 'w51_env[{x}]'" for x in ADAPTERS.values()
    ]


def test_rllib_without_what_ray_needs_beside_it_names_the_extra(printed):
    assert printed[3].startswith("some dependencies are missing")
    assert printed[3].endswith("it comes with: pip install 'w51_env[rllib]'")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extras", "arguments"),
    [
        ("arena", "evaluate heuristic search:playouts=2 --games 4"),
        ("train", "play export heuristic random random {}/game.html"),
        ("train", "play export heuristic random random {}/game.svg"),
        ("train", "train --config quick " + SMALL),
        ("train,arena", "dataset {}/data heuristic random --games 2"),
    ],
)
def test_a_command_needs_the_extras_of_what_it_does_only(tmp_path, extras, arguments):
    command = arguments.format(tmp_path)
    folder = f"import os; os.chdir({str(tmp_path)!r}); "
    done = run_with(extras, f"{folder}from w51_agents.console.w51 import main; main({command.split()!r})")
    assert done.returncode == 0, done.stderr


LACKING = {  # the extras that are installed and a command: the extras that it names
    ("", "play"): "train,arena,play",
    ("train", "play"): "play",
    ("train", "play terminal"): "play",
    ("train", "play export heuristic random random {}/game.gif"): "render",
    ("play", "play assistant"): "llm",
    ("arena", "train --config selfplay_quick"): "train",
    ("train,arena", "dataset {}/data heuristic random --games 2 --format minari"): "offline",
}
IN_FORKS = """
import os, sys
from tests.extras import only, owners
owners()
refused = 0
for extras, command in {cases}:
    if extras:
        import w51_agents.commands.options  # with packages that all of these extras have
    if not os.fork():
        only(extras.split(","))
        from w51_agents.console.w51 import main
        main(command.split())
        os._exit(0)
    refused += os.wait()[1] != 0
sys.exit(refused)
"""


def test_a_command_names_the_extra_that_it_lacks(tmp_path):
    cases = [(extras, command.format(tmp_path)) for extras, command in LACKING]
    done = python("-c", IN_FORKS.format(cases=cases))
    assert done.returncode == len(cases), done.stderr
    assert re.findall(r"pip install 'w51_env\[([\w,]+)\]'", done.stderr) == [*LACKING.values()]
