"""A training in several processes: the same bytes as in one, for each trainer that learns from rollouts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.agents.networks.as_rank import ROOT, SMALL, in_ranks, learn
from tests.agents.networks.small import ALONE, ONE_LOT
from tests.agents.networks.test_training_threads import PLAIN, POPULATION
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.ranks import RENDEZVOUS
from w51_env import make_game

AGAINST_RANDOM = {"games": 6, "against": ["random"]}
ALL = {"games": [{"num_envs": 18}]}
CASES = {
    "all": {},  # with a teacher, a centralized critic, averaged weights and a pool
    "plain": {"selfplay": PLAIN},
    "population": {"selfplay": POPULATION},
    "recurrent": {"selfplay": {"network": "recurrent", "burn_in": 2}},
    "history": {"selfplay": {"network": "history"}},
    "items": {
        "game": "warehouse51_v1",
        "options": {"preset": "mini"},
        "evaluation": AGAINST_RANDOM,
        "selfplay": {
            **ALONE,
            "network": "items",
            "parts": 4,
            "games": [{"num_players": 3, "num_envs": 18, "vary": {"start_ingots": [6, 8]}}],
        },
    },
    "Alles Futsch!": {
        "game": "alles_futsch_v1",
        "evaluation": AGAINST_RANDOM,
        "selfplay": {**ALONE, **ALL, "kinds_weight": 0.1, "games": [{"num_envs": 18, "opponents": {"heuristic": 1}}]},
    },
    "auction": {
        "game": "auctions_v0",
        "options": {"preset": "coarse"},
        "evaluation": AGAINST_RANDOM,
        "selfplay": {**ALONE, **ALL},
    },
}


@pytest.fixture
def cases(tmp_path, monkeypatch):
    for case in SMALL:
        monkeypatch.setattr(*case)
    network = f"{tmp_path}/opponent.safetensors"
    torch.manual_seed(0)
    game = make_game(ONE_LOT, num_players=2)
    save_network(ActorCritic(game, (16,)), game, Path(network))
    of_two = {"game": ONE_LOT, "options": {"num_players": 2}, "decisions": 1000, "evaluation": AGAINST_RANDOM}
    response = {**ALONE, "start": network, "hidden_sizes": [16], "games": [{"num_envs": 18, "opponents": network}]}
    return {**CASES, "response": {**of_two, "selfplay": response}}


def test_neither_two_processes_nor_another_number_at_a_resumption_change_a_byte(tmp_path, cases):
    cases = {name: cases[name] for name in ("all", "population", "recurrent", "items", "auction")}
    learn(cases, tmp_path / "1")
    alone = learn(cases, tmp_path / "1")
    assert in_ranks(cases, tmp_path / "2", 2) == alone
    assert learn(cases, tmp_path / "2") == learn(cases, tmp_path / "1")
    assert len({*alone.values()}) == len(cases)


@pytest.mark.slow
def test_four_processes_change_no_byte_and_two_go_on(tmp_path, cases):
    learn(cases, tmp_path / "1")
    alone = learn(cases, tmp_path / "1")
    assert in_ranks(cases, tmp_path / "4", 4) == alone
    learn(cases, tmp_path / "1")
    assert in_ranks(cases, tmp_path / "4", 2) == learn(cases, tmp_path / "1")


COMPARED = """
import os
import torch
from w51_agents.agent.interface import AgentError
from w51_agents.training.config import load_config
from w51_agents.training.ranks import joined_ranks
from w51_agents.training.ranks_state import check_alike

torch.backends.cpu.get_cpu_capability = lambda: f"vectors {os.environ['RANK']}"
torch.cuda.is_available = lambda: True
torch.cuda.get_device_name = lambda: f"card {os.environ['RANK']}"
with joined_ranks() as group:
    for device in ("cpu", "cuda"):
        try:
            check_alike(group, load_config("selfplay_quick", [f"selfplay.device={device}"]))
        except AgentError as error:
            print(error)
"""


def test_ranks_with_other_versions_processors_or_cards_refuse_each_other_in_words(tmp_path):
    (tmp_path / "safetensors-0.0.dist-info").mkdir()
    (tmp_path / "safetensors-0.0.dist-info" / "METADATA").write_text("Name: safetensors\nVersion: 0.0\n")
    shared = {**os.environ, "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", RENDEZVOUS: f"file://{tmp_path}/meet"}
    other = {"RANK": "1", "PYTHONPATH": str(tmp_path)}
    line = [sys.executable, "-c", COMPARED]
    with subprocess.Popen(line, cwd=ROOT, env={**shared, **other}, stdout=subprocess.PIPE, text=True) as rank:
        first = subprocess.run(line, cwd=ROOT, env={**shared, "RANK": "0"}, capture_output=True, text=True, check=True)
        assert rank.communicate(timeout=60)[0] == first.stdout
    without, with_cards = first.stdout.splitlines()
    assert "has another processor, version of safetensors than process 0 (on " in without
    assert '): "vectors 1" and "vectors 0"; ' in without
    assert "has another card, processor, version of safetensors than process 0 (on " in with_cards
    assert '): "card 1" and "card 0"; all processes of a training need the same' in with_cards
