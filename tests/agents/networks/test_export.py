"""Policies as files: the same probabilities as the agent, without this package; what cannot be exported."""

import hashlib
import json
import os
import re
import subprocess
import sys
from itertools import product

import numpy as np
import onnx
import onnxruntime
import pytest
import sb3_contrib
import torch

from tests.agents.every import decisions
from tests.agents.networks.selfplay import spread
from tests.commands import ROOT, invoke, refused
from w51_agents import AgentError, make_agent
from w51_agents.commands import export
from w51_agents.commands.export import app
from w51_agents.networks.export import SUFFIXES, export_policy
from w51_agents.networks.making import agent_of_network, save_network
from w51_agents.networks.maskable import MaskablePPOAgent, save_policy
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_env import make_game
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_env.engine.batch import Batch
from w51_env.engine.errors import FileError, W51Error

# A program without this package: it reads a file and inputs, and writes what the file computes.
ELSEWHERE = """
import sys

import numpy as np

sys.modules["w51_env"] = None  # an import of it fails
arrays = dict(np.load("inputs.npz"))
if sys.argv[1].endswith(".onnx"):
    import onnxruntime

    session = onnxruntime.InferenceSession(sys.argv[1])
    assert "torch" not in sys.modules
    compute = lambda part: session.run(["probabilities"], part)[0]
else:
    import torch

    policy = torch.export.load(sys.argv[1]).module()
    compute = lambda part: policy(*map(torch.from_numpy, part.values())).detach().numpy()
np.savez("found.npz", all=compute(arrays), first=compute({name: array[:1] for name, array in arrays.items()}))
"""


def maskable(game, dtype: str) -> MaskablePPOAgent:
    envs = LearnerVecEnv(game, 2, observation_dtype=dtype)
    layers = {"net_arch": [16, 8], "activation_fn": torch.nn.ReLU}  # as those of a checkpoint
    model = sb3_contrib.MaskablePPO("MlpPolicy", envs, policy_kwargs=layers, seed=1, device="cpu")
    for parameter in model.policy.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return MaskablePPOAgent(game, model.policy)


GAME = make_game("warehouse51_v1", num_players=3)
AGENTS = {
    "plain": lambda: ActorCriticAgent(GAME, spread(GAME)),
    "hidden": lambda: ActorCriticAgent(GAME, spread(GAME, hidden_slices=("counterfeit_left",)), greedy=False),
    "items": lambda: ActorCriticAgent(GAME, spread(GAME, network="items")),
    "maskable": lambda: maskable(GAME, "int8"),
    "maskable_float": lambda: maskable(GAME, "float32"),
    "history": lambda: agent_of_network(GAME, spread(GAME, network="history", network_settings={"events": 12})),
    "recurrent": lambda: agent_of_network(GAME, spread(GAME, network="recurrent")),
    "alles_futsch": lambda: ActorCriticAgent(futsch := make_game("alles_futsch_v1"), spread(futsch)),
}
FAST = {(kind, ".pt2") for kind in ("items", "maskable", "history", "recurrent")}  # tests below have the others


def computed(path, **arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the file computes of all decisions, and of the first alone, in a process without this package."""
    np.savez(path.parent / "inputs.npz", **arrays)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", ELSEWHERE, path.name]
    subprocess.run(command, cwd=path.parent, env=env, check=True, timeout=300)
    found = np.load(path.parent / "found.npz")
    return found["all"], found["first"]


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [pytest.param(*one, marks=[] if one in FAST else [pytest.mark.slow]) for one in product(AGENTS, SUFFIXES)],
)
def test_a_file_has_the_probabilities_of_its_agent(kind, suffix, tmp_path):
    agent = AGENTS[kind]()
    path = tmp_path / f"policy{suffix}"
    about = export_policy(agent, path)
    assert about["difference"] < 2e-5  # sums of float32 differ by processor
    if suffix == ".onnx":
        takes_any_number_of_decisions(path)
    if (kind, suffix) in {("plain", ".onnx"), ("hidden", ".pt2")}:  # the export itself compares all, in this process
        observations, masks = decisions(agent.game, num_games=20, steps=20)
        expected = agent.policy(observations, masks)
        assert len(np.unique(expected.argmax(axis=1))) > 2
        found, first = computed(path, observation=observations, mask=masks)
        np.testing.assert_allclose(found, expected, atol=1e-5)
        np.testing.assert_array_equal(found[masks == 0], 0)
        np.testing.assert_allclose(first, expected[:1], atol=1e-5)


def takes_any_number_of_decisions(path) -> None:
    graph = onnx.load(path).graph
    assert {value.type.tensor_type.shape.dim[0].dim_param for value in (*graph.input, *graph.output)} == {"batch"}


def test_a_recurrent_network_has_its_states_in_a_file_and_needs_no_package(tmp_path):
    agent, path = AGENTS["recurrent"](), tmp_path / "policy.onnx"
    about = export_policy(agent, path)
    assert about["state"] == 8
    assert about["difference"] < 1e-5
    takes_any_number_of_decisions(path)
    session = onnxruntime.InferenceSession(path)
    batch = Batch(GAME, 1, seed=5)
    batch.reset()
    states = np.zeros((2, 3, 1, 8), np.float32)  # of the file and of the agent, by seat
    met = []
    for _ in range(25):
        observation, mask, seat = batch.observation.copy(), batch.action_mask.copy(), int(batch.seat[0])
        arrays = {"observation": observation, "mask": mask, "state": states[0, seat].copy()}
        found, states[0, seat] = session.run(["probabilities", "next_state"], arrays)
        expected, states[1, seat] = agent.forward(observation, mask, states[1, seat])
        np.testing.assert_allclose(found, expected, atol=1e-5)
        np.testing.assert_array_equal(found[mask == 0], 0)
        met.append({**arrays, "expected": expected})
        batch.step(expected.argmax(1))
    together = {name: np.concatenate([one[name] for one in met]) for name in met[0]}
    expected = together.pop("expected")
    assert len(np.unique(expected.argmax(axis=1))) > 2
    found, first = computed(path, **together)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(first, expected[:1], atol=1e-5)


def test_a_file_that_plays_otherwise_than_its_agent_is_not_written(tmp_path):
    agent = AGENTS["plain"]()
    policy, agent.policy = agent.policy, lambda *arrays: policy(*arrays) * 0.99
    with pytest.raises(AgentError, match=r"probabilities differ from the agent's by 0\.0"):
        export_policy(agent, tmp_path / "policy.pt2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "file", "error", "message"),
    [
        ("random", "policy.onnx", AgentError, "BotAgent is no policy of a network"),
        ("search:playouts=2", "policy.onnx", AgentError, "is no policy of a network"),
        ("random", "policy.txt", AgentError, "a name that ends in .pt2 or .onnx is needed"),
        ("random", "none/policy.onnx", FileError, "cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_refused(name, file, error, message, tmp_path):
    with pytest.raises(error, match=message):
        export_policy(make_agent(name, GAME), tmp_path / file)


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"heuristic_features": True}, "the heuristic features"),
        ({"base_policy": "heuristic"}, "the action of 'heuristic'"),
    ],
)
def test_a_network_that_reads_what_only_this_package_computes_is_refused(settings, what, tmp_path):
    save_network(spread(GAME, **settings), GAME, tmp_path / "net.safetensors")
    refused(
        invoke(app, tmp_path / "net", tmp_path / "policy.pt2", "--players", 3),
        f"export: the network reads {what}, which only this package computes",
    )
    assert not (tmp_path / "policy.pt2").exists()


def test_onnx_without_its_packages_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(W51Error, match=re.escape("ONNX files: pip install 'w51_env[export]'")):
        export_policy(AGENTS["plain"](), tmp_path / "policy.onnx")
    assert not (tmp_path / "policy.onnx").exists()


def test_the_card_of_a_run_says_how_it_was_trained(tmp_path, monkeypatch):
    save_network(spread(GAME), GAME, tmp_path / "checkpoint.safetensors")
    (tmp_path / "config.yaml").write_text("trainer: selfplay\nseed: 3\n")
    (tmp_path / "progress.csv").write_text("decisions,games,seconds\n1000,2,1.5\n64552,354,9.6\n")
    made: list[dict] = []
    monkeypatch.setattr(export, "export_policy", lambda *arguments: made.append(export_policy(*arguments)) or made[0])
    status, _, _ = invoke(app, tmp_path, tmp_path / "policy.pt2", "--players", 3)
    assert status == 0
    assert made[0]["difference"] < 1e-5
    card = (tmp_path / "policy.pt2.md").read_text()
    assert "64,552 decisions in 10 s.\n\n```yaml\ntrainer: selfplay\nseed: 3\n```" in card
    monkeypatch.setattr(export, "export_policy", lambda *arguments: made[0])  # is tried above
    assert invoke(app, "pretrained:greedy", tmp_path / "policy.pt2")[0] == 0
    assert (
        "`agents/w51_agents/pretrained/README.md` there, *How it was trained*"
        in (tmp_path / "policy.pt2.md").read_text()
    )
    (tmp_path / "progress.csv").write_text("decisions\n")
    status, _, errors = invoke(app, tmp_path, tmp_path / "policy.pt2", "--players", 3)
    assert (status, "its config or its log cannot be read" in errors) == (2, True)


@pytest.mark.slow
def test_the_command_writes_a_file_and_its_card_for_programs_without_this_package(tmp_path):
    game = make_game("warehouse51_v1", num_players=4)
    agent = maskable(game, "float32")
    save_policy(agent._policy, [16, 8], game, tmp_path / "net.safetensors")
    arguments = ["mine=net.safetensors", "policy.onnx", "--players", "4"]
    command = [sys.executable, "-m", "w51_env", "export", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True, timeout=300)
    assert "policy.onnx.md: its model card" in done.stdout
    observations, masks = decisions(game, num_games=20, steps=20)
    found, _ = computed(tmp_path / "policy.onnx", observation=observations, mask=masks)
    np.testing.assert_allclose(found, agent.policy(observations, masks), atol=1e-5)
    card = (tmp_path / "policy.onnx.md").read_text()
    for file in ("policy.onnx", "net.safetensors"):
        assert hashlib.sha256((tmp_path / file).read_bytes()).hexdigest() in card
    about = about_of(tmp_path / "policy.onnx")
    assert about["agent"] == "mine"
    assert about["actions"] == [action.name for action in game.actions]
    assert about["options"] == game.options


def about_of(path) -> dict:
    session = onnxruntime.InferenceSession(path)
    return json.loads(session.get_modelmeta().custom_metadata_map["w51_env"])
