"""Snapshots of a run, and the distillation of their mixture into one network."""

import re

import numpy as np
import pytest
import torch

from tests.agents.networks.small import resume, small, train
from w51_agents import AgentError
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.training.config import parse_config
from w51_agents.training.run import Run
from w51_env import make_game, make_vec

ONE_LOT = "tests.env.third_game:make"


def distillation(source, tmp_path, **settings):
    tables = [{"num_players": 2, "num_envs": 32, "opponents": "mixture"}]
    return parse_config(
        {
            "name": "distilled",
            "game": ONE_LOT,
            "options": {"num_players": 2},
            "trainer": "distill",
            "decisions": 8_000,
            "runs": str(tmp_path),
            "distill": {
                "pool_from": str(source),
                "games": tables,
                "hidden_sizes": [32],
                "num_steps": 8,
                "minibatch_size": 128,
                "learning_rate": 0.01,
                **settings,
            },
            "evaluation": {"games": 10, "against": ["random"]},
        },
        "of a test",
    )


def mixture(tmp_path, count: int = 2, **shape):
    """A folder with snapshots: networks of one layer whose policies are sharp, and differ."""
    game = make_game(ONE_LOT, num_players=2)
    (tmp_path / "snapshots").mkdir(parents=True)
    networks = []
    for number in range(count):
        torch.manual_seed(number)
        network = ActorCritic(game, (16,), **shape)
        with torch.no_grad():
            network.policy.weight.normal_(std=1.0)
        save_network(network, game, tmp_path / "snapshots" / f"{number}.safetensors")
        networks.append(network)
    return game, networks


def test_snapshots_are_kept_evenly_over_the_second_half_also_of_a_resumed_run(tmp_path):
    whole = train(Run.begin(small("selfplay", tmp_path / "whole", snapshots=4)))
    parts = train(Run.begin(small("selfplay", tmp_path / "parts", snapshots=4)), 5)
    parts = train(resume(parts.folder))
    kept = [{path.name: path.read_bytes() for path in (run.folder / "snapshots").iterdir()} for run in (whole, parts)]
    assert kept[0] == kept[1]
    assert sorted(kept[0]) == [f"00{number}.safetensors" for number in (1, 2, 3, 4)]
    assert len(set(kept[0].values())) == 4
    assert (whole.folder / "checkpoint.safetensors").read_bytes() == kept[0]["004.safetensors"]


def test_the_distilled_network_plays_as_the_mixture_does(tmp_path):
    game, networks = mixture(tmp_path / "source")
    run = train(Run.begin(distillation(tmp_path / "source", tmp_path)))
    batch = make_vec(ONE_LOT, 400, seed=5, num_players=2)
    batch.reset()  # the first decision: each snapshot comes there as often
    expected = np.mean(
        [ActorCriticAgent(game, network).policy(batch.observation, batch.action_mask) for network in networks], axis=0
    )
    agent = run.trainer.agent(game)
    distance = np.abs(agent.policy(batch.observation, batch.action_mask) - expected).sum(1) / 2
    apart = np.abs(ActorCriticAgent(game, networks[0]).policy(batch.observation, batch.action_mask) - expected)
    assert distance.mean() < 0.1
    assert apart.sum(1).mean() / 2 > 0.3


def test_what_cannot_be_distilled_is_named(tmp_path):
    with pytest.raises(AgentError, match=r"pool_from: missing; games of a mixture need a run with snapshots"):
        Run.begin(distillation(tmp_path, tmp_path, pool_from=None))
    with pytest.raises(AgentError, match=re.escape(f"there are no checkpoints in {tmp_path}/snapshots")):
        Run.begin(distillation(tmp_path, tmp_path))
    mixture(tmp_path / "source")
    games = [{"num_players": 2, "num_envs": 4, "opponents": "self"}]
    with pytest.raises(AgentError, match=r"distill.games: opponents is self, but 'mixture' is needed"):
        Run.begin(distillation(tmp_path / "source", tmp_path, games=games))


def test_snapshots_with_other_inputs_are_refused(tmp_path):
    mixture(tmp_path / "source", count=1, hidden_slices=[next(iter(make_game(ONE_LOT).layout))])
    with pytest.raises(AgentError, match=r"0.safetensors: its inputs are .*, but .* are needed"):
        Run.begin(distillation(tmp_path / "source", tmp_path))
