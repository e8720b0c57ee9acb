"""`network: history`: compiled attention is what PyTorch computes, what it reads, how it learns; its agent."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import spread
from tests.agents.networks.small import in_mini
from tests.env.engine.batches import stepped
from w51_agents import AgentError, make_agent
from w51_agents.agent.infos import DecisionInfos
from w51_agents.named.explanation import explain_decision
from w51_agents.networks.history.agent import HistoryPolicyAgent
from w51_agents.networks.history.attention import CompiledAttention, attention
from w51_agents.networks.history.network import first_rows
from w51_agents.networks.making import save_network
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.training.rollout import Minibatch
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game, registered_games
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_lab.arena.matches import play_matches

GAME = make_game("warehouse51_v1", num_players=3)
MINI = make_game("warehouse51_v1", preset="mini")
EVENTS = 12
HISTORY = {"network": "history", "network_settings": {"events": EVENTS}}
SETTINGS = {"network": "history", "network_settings": {"events": EVENTS, "event_width": 8, "heads": 2}}


def played(game, games=6, steps=40, rows=EVENTS) -> Batch:
    return stepped(game, games, steps, seed=3, history=rows)


# ---- attention


@pytest.mark.skipif(JIT_DISABLED, reason="compares compiled code")
@pytest.mark.parametrize("width", [8, 32, 35])
def test_compiled_attention_and_its_gradients_are_those_of_pytorch(width):
    rows, lengths = played(GAME, rows=30, steps=12).history()
    assert lengths.min() < 30 == lengths.max()
    events = torch.from_numpy(np.clip(rows, -128, 127).astype(np.int8))
    events[0] = 0  # a game without events
    first, size = first_rows(GAME.event_types)
    generator = torch.Generator().manual_seed(2)
    table = torch.randn(size + 30, width, generator=generator)
    table[0] = 0
    queries = torch.randn(len(events), 3, width, generator=generator)
    found = []
    for attend in (attention, CompiledAttention.apply):
        parts = queries.clone().requires_grad_(), table.clone().requires_grad_()
        summed = attend(*parts, events, torch.from_numpy(first))
        loss = (summed * torch.linspace(-1, 1, width)).square().sum()
        found.append([summed, *torch.autograd.grad(loss, parts)])
    for expected, computed in zip(*found, strict=True):
        assert expected.abs().max() > 0.1
        assert torch.allclose(expected, computed, rtol=1e-4, atol=1e-4)
    assert not found[1][0][0].any()


@pytest.mark.parametrize("game_id", registered_games())
def test_no_two_meanings_of_a_number_share_a_row_of_the_table(game_id):
    kinds = make_game(game_id).event_types
    first, size = first_rows(kinds)
    owners = {}
    for row, kind in enumerate(kinds, 1):
        names = [f"seat of {kind.name}", *kind.fields, *kind.secret]
        for column, name in enumerate(names):
            for number in range(-1, 16 if column == 0 else 127):
                at = int(first[row, column]) + number
                assert 0 < at < size
                assert owners.setdefault(at, (name, number)) == (name, number)
        assert not first[row, len(names) : -1].any()
    assert len({number for _, number in owners.values()}) == 128


def test_a_longer_past_and_the_seats_of_others_change_what_it_plays():
    agent = HistoryPolicyAgent(GAME, spread(GAME, **HISTORY))
    batch = played(GAME)
    rows, _ = batch.history()
    given = batch.observation, batch.action_mask
    usual = agent.forward(*given, rows)
    assert np.abs(usual - agent.forward(*given, np.zeros_like(rows))).max() > 1e-3
    others = rows.copy()
    others[..., 1][rows[..., 1] == 2] = 3
    assert (others != rows).any()
    assert np.abs(usual - agent.forward(*given, others)).max() > 1e-3
    order = rows.copy()
    order[:, :2] = rows[:, 1::-1]
    assert np.abs(usual - agent.forward(*given, order)).max() > 1e-5


# ---- training


@pytest.mark.parametrize("changes", [{}, {"critic": "centralized"}, {"hidden_slices": ["bidding"]}])
def test_what_is_learned_from_is_what_was_played(changes, tmp_path):
    trainer = SelfPlayTrainer(in_mini(tmp_path, **SETTINGS, **changes), MINI)
    trainer.update()
    assert not trainer.model.network.torso.events[0].any()
    trainer.collect()
    rollout, model = trainer.experience.rollout, trainer.model
    assert rollout.inputs[..., -EVENTS * 6 :].any()
    with torch.no_grad():
        minibatch = Minibatch.of(rollout, *torch.zeros(2, rollout.actions.numel()), {})
        logits, values, _ = model.outputs(minibatch)
    logprobs = torch.log_softmax(logits, 1).gather(1, minibatch.column_of(minibatch.actions)[:, None])[:, 0]
    assert torch.allclose(rollout.logprobs.flatten(), logprobs, atol=1e-4)
    assert torch.allclose(rollout.normal_values.flatten(), values, atol=1e-4)


# ---- the agent


def test_a_checkpoint_plays_by_its_name_in_a_match_and_is_asked_with_its_history(tmp_path):
    network = spread(GAME, **HISTORY)
    save_network(network, GAME, tmp_path / "net.safetensors")
    agent = make_agent(str(tmp_path / "net"), GAME)
    assert isinstance(agent, HistoryPolicyAgent)
    assert agent.needs_history == EVENTS
    batch = played(GAME, rows=40)
    infos = DecisionInfos(batch).of(agent, np.arange(6))
    actions = agent.act_batch(batch.observation, batch.action_mask, infos)
    inputs = np.concatenate([batch.observation, batch.history(last=EVENTS)[0].reshape(6, -1)], 1)
    masks = torch.from_numpy(batch.action_mask.astype(bool))
    logits = network(torch.from_numpy(inputs.astype(np.int8)), masks)[0]
    assert actions.tolist() == logits.argmax(1).tolist()
    play_matches(GAME, [("reads", agent), ("random", make_agent("random", GAME))], games=6)
    with pytest.raises(AgentError, match="pass infos with `memory` and `is_first`, and `history`"):
        agent.act_batch(batch.observation, batch.action_mask)


def test_without_events_there_is_no_decision_and_a_hint_shows_the_action():
    network, batch = spread(GAME, **HISTORY), played(GAME)
    with pytest.raises(OptionError, match="history reads events, but was given none"):
        ActorCriticAgent(GAME, network).act_batch(batch.observation, batch.action_mask)
    agent = HistoryPolicyAgent(GAME, network)
    [info] = DecisionInfos(batch).of(agent, np.arange(1))
    shown = explain_decision("reads", agent, GAME, batch.observation[0], batch.action_mask[0], info)
    assert shown.action == agent.act(batch.observation[0], batch.action_mask[0], info)
    assert shown.choices == ()


def test_an_agent_that_draws_plays_the_probabilities_of_its_policy():
    agent = HistoryPolicyAgent(GAME, spread(GAME, **HISTORY), greedy=False)
    batch = played(GAME, games=1)
    given = [np.repeat(part, 4000, axis=0) for part in (batch.observation, batch.action_mask)]
    actions = agent.act_batch(*given, [{"history": batch.history()[0][0]}] * 4000)
    expected = agent.forward(batch.observation, batch.action_mask, batch.history()[0])[0]
    assert np.abs(np.bincount(actions, minlength=len(expected)) / 4000 - expected).max() < 0.03


# ---- as an opponent


@pytest.mark.parametrize("network", ["history", "recurrent"])
def test_an_opponent_in_training_is_told_what_it_needs(network, tmp_path):
    save_network(spread(MINI, network=network), MINI, tmp_path / "opponent.safetensors")
    games = [{"num_players": 3, "num_envs": 8, "opponents": str(tmp_path / "opponent.safetensors")}]
    trainer = SelfPlayTrainer(in_mini(tmp_path, games=games), MINI)
    [agent] = trainer.experience.parts[0].agents
    asked, act_batch = [], agent.act_batch

    def keeping(observations, masks, infos=None):
        asked.extend(infos)
        return act_batch(observations, masks, infos)

    agent.act_batch = keeping
    trainer.collect()
    if network == "history":
        assert max(len(info["history"]) for info in asked) > 10
    else:
        assert {info["is_first"] for info in asked} == {True, False}
