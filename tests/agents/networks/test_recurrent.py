"""`network: recurrent`: sequences of seats are what an unrolled network computes, decision by decision; its agent."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import spread
from tests.agents.networks.small import in_mini
from w51_agents import AgentError, make_agent
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.recurrent.agent import RecurrentPolicyAgent
from w51_agents.networks.recurrent.learning import Sequences
from w51_agents.training.games import seed_agents
from w51_agents.training.rollout import Minibatch
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.engine.batch import Batch

GAME = make_game("warehouse51_v1", num_players=3)
MINI = make_game("warehouse51_v1", preset="mini")  # in which a seat makes some four decisions
STEPS = 12  # in a rollout: games begin, end and go on in it


def recurrent(tmp_path, **changes) -> SelfPlayTrainer:
    settings = {"network": "recurrent", "games": [{"num_players": 3, "num_envs": 16}], "num_steps": STEPS, **changes}
    return SelfPlayTrainer(in_mini(tmp_path, **settings), MINI)


def two_rollouts(trainer):
    """Inputs, masks, seats and dones of two rollouts with the same weights, and what of the second is learned from."""
    played = []
    for _ in range(2):
        trainer.collect()
        rollout = trainer.experience.rollout
        parts = rollout.inputs, rollout.masks, torch.from_numpy(rollout.seats), torch.from_numpy(rollout.dones)
        played.append([part.clone() for part in parts])
    both = [torch.cat(parts) for parts in zip(*played, strict=True)]
    return both, np.flatnonzero(rollout.is_learner)


def one_by_one(network, inputs, masks, seats, dones):
    """Logits (T, N, actions) and values (T, N) of one game after the other, with a state for each seat."""
    logits, values = torch.zeros(masks.shape), torch.zeros(seats.shape)
    for game in range(seats.shape[1]):
        states = {}
        for step in range(len(seats)):
            seat, at = int(seats[step, game]), (slice(step, step + 1), game)
            before = states.get(seat, network.initial_states(1))
            logits[at], values[at], states[seat] = network.step(inputs[at], masks[at], None, before)
            if dones[step, game]:
                states = {}
    return logits, values


def minibatch_of(trainer, rows) -> Minibatch:
    zeros = torch.zeros(trainer.experience.rollout.values.size)
    return Minibatch.of(trainer.experience.rollout, zeros, zeros, {}).select(torch.as_tensor(rows))


@pytest.mark.parametrize("changes", [{}, {"burn_in": 1}, {"burn_in": None}, {"critic": "centralized"}])
def test_sequences_are_what_the_network_computes_decision_by_decision(changes, tmp_path):
    trainer = recurrent(tmp_path, **changes)
    both, rows = two_rollouts(trainer)
    assert all(part.any() for part in both[3].split(STEPS))  # games ended, others go on
    assert 0 < trainer.model.learning.sequences.goes_on.sum() < len(trainer.model.learning.sequences.goes_on)
    assert len(rows) > 0
    rollout, model = trainer.experience.rollout, trainer.model
    minibatch = minibatch_of(trainer, torch.as_tensor(rows)[torch.randperm(len(rows))])
    logits, values = one_by_one(model.network, *both)
    logits, values = (part[STEPS:].flatten(0, 1)[minibatch.numbers] for part in (logits, values))
    found, found_values, _ = model.outputs(minibatch)
    legal = minibatch.legal.clamp_max(logits.shape[1] - 1)
    is_legal = minibatch.legal < logits.shape[1]
    assert torch.allclose(found[is_legal], logits.gather(1, legal)[is_legal], atol=1e-4)
    logprobs = torch.log_softmax(logits, 1).gather(1, minibatch.actions[:, None])[:, 0]
    assert torch.allclose(minibatch.logprobs, logprobs, atol=1e-4)  # it played so, too
    if model.critic is None:
        assert torch.allclose(found_values, values, atol=1e-4)
        assert torch.allclose(rollout.normal_values.flatten()[minibatch.numbers], values, atol=1e-4)


def test_gradients_go_back_to_the_beginning_of_the_rollout(tmp_path):
    trainer = recurrent(tmp_path)
    trainer.collect()
    before = trainer.model.learning.states.clone()
    trainer.collect()
    rollout, network = trainer.experience.rollout, trainer.model.network
    minibatch = minibatch_of(trainer, np.flatnonzero(rollout.is_learner))
    values = torch.zeros(rollout.seats.shape)
    for game in range(values.shape[1]):
        states = before[game].clone().split(1)
        for step in range(STEPS):
            states, at = list(states), (slice(step, step + 1), game)
            seat = rollout.seats[step, game]
            _, values[at], states[seat] = network.step(rollout.inputs[at], rollout.masks[at], None, states[seat])
            if rollout.dones[step, game]:
                states = network.initial_states(len(states)).split(1)
    weights = [*network.memory.parameters(), *network.torso.parameters()]
    expected = torch.autograd.grad(values.flatten()[minibatch.numbers].square().sum(), weights)
    found = torch.autograd.grad(trainer.model.outputs(minibatch).values.square().sum(), weights)
    assert all(part.any() for part in expected)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_seats_and_games_are_sequences_of_their_own():
    seats = np.array([[0, 1], [1, 1], [0, 0], [0, 1], [1, 1]])
    dones = np.array([[0, 0], [0, 1], [1, 0], [0, 0], [0, 0]], bool)
    states = torch.arange(8.0).view(2, 2, 2) * torch.tensor([[[1.0], [0.0]], [[0.0], [1.0]]])
    sequences = Sequences.of(seats, dones, states)
    decisions = [np.flatnonzero(sequences.number == number).tolist() for number in range(len(sequences.starts))]
    # Decision 2 * step + game. In game 0 seat 0 has decided before, in game 1 seat 1.
    assert decisions == [[0, 4], [6], [2], [8], [5], [1, 3], [7, 9]]
    assert sequences.goes_on.tolist() == [True, False, False, False, False, True, False]
    assert sequences.states.tolist() == [[0.0, 1.0], *[[0.0, 0.0]] * 4, [6.0, 7.0], [0.0, 0.0]]
    assert sequences.order.tolist() == [one for of_sequence in decisions for one in of_sequence]
    assert sequences.place.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("burn_in", [2, None])
def test_what_renews_a_state_is_not_learned_from(burn_in, tmp_path):
    trainer = recurrent(tmp_path, burn_in=burn_in)
    trainer.collect()
    went_on = trainer.model.learning.states.any(2).numpy().copy()  # seats that have decided in the games as they are
    trainer.collect()
    rollout = trainer.experience.rollout
    for game in range(went_on.shape[0]):
        counts = np.where(went_on[game], 0, -99)
        for step in range(STEPS):
            seat = rollout.seats[step, game]
            renews = counts[seat] >= 0 and (burn_in is None or counts[seat] < burn_in)
            assert rollout.is_learner[step, game] == (not renews)
            counts[seat] += 1
            if rollout.dones[step, game]:
                counts[:] = -99


def test_an_update_learns_from_no_decision_that_renews_a_state(tmp_path, monkeypatch):
    trainer = recurrent(tmp_path, burn_in=2)
    trainer.update()  # now seats go on whose states are renewed
    learned, learn = [], trainer.learn
    monkeypatch.setattr(trainer, "learn", lambda *given: learned.extend(given[2].tolist()) or learn(*given))
    trainer.update()
    renewed = np.flatnonzero(~trainer.experience.rollout.is_learner)
    assert len(renewed) > 0
    assert learned
    assert not set(learned) & set(renewed)


def test_a_minibatch_has_whole_sequences_of_about_its_size(tmp_path):
    trainer = recurrent(tmp_path, num_steps=20)
    trainer.collect()
    number = trainer.model.learning.sequences.number
    rows = torch.randperm(len(number))
    parts = trainer.model.learning.split(rows, 50)
    assert torch.cat(list(parts)).sort().values.tolist() == list(range(len(number)))
    of_parts = [set(number[part].tolist()) for part in parts]
    assert sum(map(len, of_parts)) == len(set.union(*of_parts))
    assert all(25 <= len(part) <= 75 for part in parts[:-1])
    assert int(number[rows[0]]) in of_parts[0]


def test_an_opponent_is_seeded_at_each_update_and_forgets_nothing(tmp_path):
    save_network(spread(MINI, network="recurrent"), MINI, tmp_path / "past.safetensors")
    games = [{"num_players": 3, "num_envs": 12, "opponents": f"{tmp_path / 'past.safetensors'}:sampled"}]
    trainer = recurrent(tmp_path, num_steps=2, network=None, games=games)
    trainer.update()
    [agent] = trainer.experience.parts[0].agents
    before = agent.memory(36)
    seed_agents(trainer.experience.parts, [0], 1, 5)  # as an update begins
    for parts in zip(before, agent.memory(36), strict=True):
        np.testing.assert_array_equal(*parts)
    assert before[1].any()


# ---- the agent


def decisions_of(batch, has_decided):
    """Observations, masks and infos of the seats to move, as a loop with agents gives them."""
    rows = np.arange(batch.num_games)
    is_first = ~has_decided[rows, batch.seat]
    has_decided[rows, batch.seat] = True
    numbers = rows * batch.game.num_players + batch.seat
    infos = [{"memory": int(one), "is_first": bool(first)} for one, first in zip(numbers, is_first, strict=True)]
    return batch.observation.copy(), batch.action_mask.copy(), infos


def test_a_checkpoint_plays_by_its_name_with_a_state_for_each_game_and_seat(tmp_path):
    network = spread(MINI, network="recurrent")
    save_network(network, MINI, tmp_path / "net.safetensors")
    agent = make_agent(str(tmp_path / "net"), MINI)
    assert isinstance(agent, RecurrentPolicyAgent)
    assert load_network(MINI, tmp_path / "net.safetensors").shape == network.shape
    batch = Batch(MINI, 6, seed=3)
    batch.reset()
    agent.reset(0)
    has_decided = np.zeros((6, 3), bool)
    states, differs = {}, 0
    for _ in range(40):
        observations, masks, infos = decisions_of(batch, has_decided)
        actions = agent.act_batch(observations, masks, infos)
        for index, info in enumerate(infos):
            before = network.initial_states(1) if info["is_first"] else states[info["memory"]]
            arrays = observations[index : index + 1], masks[index : index + 1].astype(bool)
            logits, _, states[info["memory"]] = network.step(*map(torch.from_numpy, arrays), None, before)
            assert logits.argmax() == actions[index]
            forgetful = network.step(*map(torch.from_numpy, arrays), None, network.initial_states(1))[0]
            differs += int(forgetful.argmax() != actions[index])
        np.testing.assert_array_equal(masks[np.arange(6), actions], True)
        batch.step(actions)
        has_decided[batch.done] = False
    assert differs > 0
    with pytest.raises(AgentError, match="pass infos with `memory` and `is_first`"):
        agent.act_batch(observations, masks)


def test_an_agent_that_draws_plays_the_probabilities_of_its_policy():
    agent = RecurrentPolicyAgent(GAME, spread(GAME, network="recurrent"), greedy=False)
    batch = Batch(GAME, 1, seed=3)
    batch.reset()
    observations, masks = (np.repeat(part, 4000, axis=0) for part in (batch.observation, batch.action_mask))
    actions, _ = agent.step(observations, masks, agent.initial_state(4000))
    expected = agent.forward(observations[:1], masks[:1], agent.initial_state(1))[0][0]
    assert np.abs(np.bincount(actions, minlength=len(expected)) / 4000 - expected).max() < 0.03
    with pytest.raises(AgentError, match="decides with the state of a seat"):
        agent.network(torch.from_numpy(observations), torch.from_numpy(masks.astype(bool)))
