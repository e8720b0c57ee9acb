"""Networks for any items as they learn: compiled code computes what the layers do, with several sets of items."""

import numpy as np
import pytest
import torch

from tests.agents.networks.small import ALONE, small
from w51_agents import AgentError
from w51_agents.networks.fast.layers import list_legal
from w51_agents.networks.items.learning import ItemLearner, ItemObservations
from w51_agents.networks.layers import ILLEGAL, gather_legal
from w51_agents.networks.making import make_network
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns")

STEPS, ROWS = 60, 120
GAMES = [{"num_players": 4, "num_envs": 12, "vary": {"relics": ["reconstruction-1", "generated:3"]}}]


def games_and_rows():
    """Games of two numbers of players and two sets of cards; rows and masks of states in the middle of each."""
    options = [(3, "reconstruction-1"), (5, "reconstruction-1"), (4, "generated:3")]
    games = [make_game("warehouse51_v1", num_players=players, relics=relics) for players, relics in options]
    learner = ItemLearner(games)
    rows, masks = [], []
    for seed, game in enumerate(games):
        batch, inputs = Batch(game, ROWS, seed=seed), ItemObservations(game, learner.tables)
        batch.reset()
        for _ in range(STEPS):
            batch.step(batch.sample_actions())
        written = np.zeros((ROWS, inputs.size), inputs.dtype)
        inputs.write(batch.observation, written)
        rows.append(written)
        masks.append(batch.action_mask.astype(bool))
    return games, learner, torch.from_numpy(np.concatenate(rows)), torch.from_numpy(np.concatenate(masks))


def test_logits_values_and_gradients_are_those_of_the_layers():
    games, learner, rows, masks = games_and_rows()
    assert len(learner.tables) == 2
    network = make_network(games[0], "items", hidden_sizes=[24, 16])
    with torch.no_grad():
        network.torso.update_stats(learner.expand(rows))
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    legal = list_legal(masks)
    weights, results = torch.randn(legal.shape) * (is_legal := legal < masks.shape[1]), []
    dense, of_layers = network(learner.expand(rows), masks)
    for logits, values in ((gather_legal(dense, legal), of_layers), learner(network, rows, legal)):
        gradients = torch.autograd.grad((logits * weights).mean() + values.mean(), list(network.parameters()))
        results.append([torch.where(is_legal, logits, 0.0), values, *gradients])
        assert (logits[~is_legal] <= ILLEGAL).all()
    for expected, found in zip(*results, strict=True):
        assert (size := expected.abs().max()) > 0
        assert (found - expected).norm() < 1e-3 * expected.norm() + 1e-6 * size


def test_rows_become_the_inputs_that_each_game_has():
    games, learner, rows, _ = games_and_rows()
    network = make_network(games[0], "items", hidden_sizes=[8])
    expanded = learner.expand(rows).numpy()
    for number, game in enumerate(games):
        part = slice(number * ROWS, (number + 1) * ROWS)
        assert (expanded[part] == network.inputs_for(game)(rows[part, :-1].contiguous().numpy())).all()


def test_a_training_is_refused_if_compiled_code_computes_something_else(tmp_path, monkeypatch):
    settings = {**ALONE, "games": GAMES, "network": "items", "hidden_sizes": [16], "num_steps": 16}
    config = small("selfplay", tmp_path, game="warehouse51_v1", selfplay=settings)
    trainer = SelfPlayTrainer(config, make_game("warehouse51_v1"))
    assert trainer.model.is_compiled
    trainer.update()
    rows_of = ItemLearner.rows_of
    monkeypatch.setattr(
        ItemLearner, "rows_of", lambda learner, torso: (1.05 * rows_of(learner, torso)[0], torso.first.bias)
    )
    trainer = SelfPlayTrainer(config, make_game("warehouse51_v1"))
    with pytest.raises(AgentError, match="compiled code computes other"):
        trainer.update()


def test_a_step_of_the_optimizer_is_that_of_the_layers(tmp_path):
    """It reads a gradient as it lies in memory: one that is right, but lies otherwise, makes a wrong step."""
    settings = {**ALONE, "games": GAMES, "network": "items", "hidden_sizes": [24, 16], "num_steps": 16}
    config = small("selfplay", tmp_path, game="warehouse51_v1", selfplay={**settings, "update_epochs": 1})
    steps = []
    for is_compiled in (False, True):
        trainer = SelfPlayTrainer(config, make_game("warehouse51_v1"))
        trainer.model.is_compiled = is_compiled
        before = trainer.model.network.torso.first.weight.clone()
        trainer.model.split = lambda rows, size: [rows]  # one step, as rounding soon leads further apart
        trainer.update()
        steps.append(trainer.model.network.torso.first.weight - before)
    assert (steps[0] - steps[1]).norm() < 1e-2 * steps[0].norm()
