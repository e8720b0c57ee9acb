"""Parts of self-play: teacher, averaged weights, centralized critic, finite numbers."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import NOBODY, network_for, trainer_of
from tests.agents.networks.small import ONE_LOT
from w51_agents import make_agent
from w51_agents.agent.bots import BotAgent
from w51_agents.networks.making import load_network, save_network
from w51_agents.training.games import GamesPart
from w51_agents.training.learner_settings import SELF
from w51_agents.training.objective import kl_divergence
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_agents.training.teachers import BotActions, imitation_loss
from w51_env import make_game


def seen_by(trainer: SelfPlayTrainer) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and masks of the last rollout."""
    return trainer.experience.rollout.inputs.flatten(0, 1), trainer.experience.rollout.masks.flatten(0, 1)


def all_finite(trainer: SelfPlayTrainer) -> bool:
    return all(
        tensor.isfinite().all() for module in trainer.modules().values() for tensor in module.state_dict().values()
    )


# ---- the teacher


def agreement(trainer: SelfPlayTrainer, name: str) -> float:
    """How often the likeliest action is the bot's, over the decisions of the last rollout."""
    seen, legal = (part.numpy() for part in seen_by(trainer))
    own = trainer.agent(trainer.game).act_batch(seen, legal)
    return float((own == BotAgent(trainer.game, name).act_batch(seen, legal.astype(np.int8))).mean())


def test_a_network_that_only_imitates_chooses_as_its_teacher(tmp_path):
    trainer = trainer_of(
        tmp_path,
        teacher="shader",
        teacher_weight=100.0,
        teacher_until=1.0,
        learning_rate=2e-2,
        ent_coef=0,
        num_steps=24,
    )
    trainer.update()
    before = agreement(trainer, "shader")
    for _ in range(12):
        trainer.update()
    assert agreement(trainer, "shader") > max(0.8, before + 0.2)


def test_a_bot_acts_by_the_options_of_each_game(tmp_path):
    games = GamesPart([(make_game(ONE_LOT, num_players=players), 5, SELF) for players in (2, 4)], seed=0)
    games.reset(NOBODY)
    observations, masks = games.observation[None], games.mask[None]
    worth = games.observation[:, 1].astype(int)
    choices = BotActions("shader", games.planned)(observations, masks)
    assert choices.flatten().tolist() == [*(worth[:5] // 2).tolist(), *(worth[5:] * 3 // 4).tolist()]


def test_a_bot_that_draws_repeats_its_actions_for_the_same_decisions():
    """Earlier calls do not matter: a resumed run has a new bot."""
    games = GamesPart([(make_game(ONE_LOT), 50, SELF)], seed=0)
    games.reset(NOBODY)
    observations, masks = games.observation[None], games.mask[None]
    teacher = BotActions("random", games.planned)
    first = teacher(observations, masks)
    assert len(set(first.flatten().tolist())) > 3
    np.testing.assert_array_equal(teacher(observations, masks), first)


def test_a_teacher_is_not_called_after_its_part_of_the_training(tmp_path):
    trainer = trainer_of(tmp_path, teacher="shader", teacher_until=0.01)
    trainer.update()
    trainer.decisions = 201  # of 20,000
    trainer.teachers = lambda observations, masks: pytest.fail("the teacher was called")
    trainer.update()


def test_each_kind_of_games_has_its_teacher_or_that_of_the_section_or_none(tmp_path):
    kinds = [{"num_players": 3, "num_envs": 4, "teacher": "shader"}, {"num_players": 3, "num_envs": 4}]
    rows = {}
    for teacher in (None, "random"):
        trainer = trainer_of(tmp_path, games=kinds, teacher=teacher, num_steps=8)
        trainer.collect()
        rows[teacher] = trainer.extra_rows(0.0)["teacher"].reshape(8, 8, -1)
        observations, masks = trainer.experience.rollout.observations.numpy(), trainer.experience.rollout.masks
        shader = BotActions("shader", trainer.experience.planned)(observations, masks.numpy())
        np.testing.assert_array_equal(rows[teacher][:, :4].argmax(2).numpy(), shader[:, :4])
    np.testing.assert_array_equal(rows[None][:, 4:], 0)
    np.testing.assert_array_equal(rows["random"][:, 4:].sum(2), 1)


def test_the_probabilities_of_a_network_are_imitated_not_its_draws(tmp_path):
    game = make_game(ONE_LOT, num_players=3)
    save_network(network_for(game), game, tmp_path / "one.safetensors")
    trainer = trainer_of(tmp_path, teacher=f"{tmp_path}/one.safetensors:sampled", num_steps=8)
    trainer.collect()
    rollout = trainer.experience.rollout
    found = trainer.extra_rows(0.0)["teacher"].numpy()
    agent = make_agent(f"{tmp_path}/one.safetensors:sampled", game)
    expected = agent.policy(rollout.observations.flatten(0, 1).numpy(), rollout.masks.flatten(0, 1).numpy())
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert 0.01 < found.max() < 0.99
    logits = torch.log(torch.from_numpy(expected).float().clamp_min(1e-30))
    legal = torch.arange(found.shape[1]).repeat(len(found), 1)
    entropy = -(expected * np.log(expected.clip(1e-30))).sum(1).mean()
    assert imitation_loss(logits, torch.from_numpy(found), legal).item() == pytest.approx(entropy, rel=1e-4)


# ---- averaged weights


def test_averaged_weights_start_at_the_network_and_follow_it_slowly(tmp_path):
    trainer = trainer_of(tmp_path, average_kl=0.1, average_rate=0.25)
    start = {name: tensor.clone() for name, tensor in trainer.model.network.state_dict().items()}
    assert all(torch.equal(tensor, start[name]) for name, tensor in trainer.moving_average.state_dict().items())
    trainer.update()
    for name, tensor in trainer.model.network.state_dict().items():
        assert torch.allclose(
            trainer.moving_average.state_dict()[name], start[name] + 0.25 * (tensor - start[name]), atol=1e-5
        ), name
    assert not torch.equal(trainer.model.network.policy.weight, start["policy.weight"])
    assert not any(parameter.requires_grad for parameter in trainer.moving_average.parameters())


def test_the_kl_penalty_to_averaged_weights_is_zero_at_first_and_positive_later(tmp_path):
    trainer = trainer_of(tmp_path, average_kl=0.1)

    def kl() -> float:
        seen, masks = seen_by(trainer)
        logits, _ = trainer.model.network(seen, masks)
        return float(kl_divergence(logits, trainer.moving_average(seen, masks)[0]).detach())

    trainer.collect()
    assert kl() == 0
    for _ in range(3):
        trainer.update()
    assert 0 < kl() < np.inf


def test_a_large_kl_penalty_keeps_the_policy_close_to_the_averaged_one(tmp_path):
    def moved(average_kl: float) -> float:
        trainer = trainer_of(tmp_path, average_kl=average_kl, average_rate=1e-9, learning_rate=1e-2, num_steps=24)
        before = trainer.agent(trainer.game).network
        for _ in range(4):
            trainer.update()
        seen, masks = seen_by(trainer)
        with torch.no_grad():
            first, last = (torch.softmax(network(seen, masks)[0], 1) for network in (before, trainer.model.network))
        return float((first - last).abs().sum(1).mean())

    assert moved(100.0) < 0.5 * moved(1e-9)


def test_a_training_restarts_from_averaged_weights_which_play_and_are_kept(tmp_path):
    trainer = trainer_of(tmp_path, restart_every=3, average_rate=0.25)
    for update in range(1, 7):
        trainer.update()
        learned, averaged = (module.state_dict() for module in (trainer.model.network, trainer.moving_average))
        assert torch.equal(learned["policy.weight"], averaged["policy.weight"]) == (update % 3 == 0)
        trainer.write_checkpoint(tmp_path / "kept.safetensors")
        kept = load_network(trainer.game, tmp_path / "kept.safetensors")
        for network in (kept, trainer.agent(trainer.game).network):
            assert all(torch.equal(tensor, averaged[name]) for name, tensor in network.state_dict().items())
            assert not any(parameter.requires_grad for parameter in network.parameters())


def test_without_restarts_the_network_that_learns_plays_and_is_kept(tmp_path):
    trainer = trainer_of(tmp_path, average_kl=0.1)
    trainer.update()
    assert trainer.policy is trainer.model.network


# ---- the critic


def test_a_centralized_critic_depends_on_what_the_seat_cannot_observe(tmp_path):
    trainer = trainer_of(tmp_path, critic="centralized")
    trainer.collect()
    rollout = trainer.experience.rollout
    seen, masks, all_seen = rollout.inputs[0], rollout.masks[0], rollout.all_observations[0]
    assert torch.equal(all_seen[:, : seen.shape[1]], seen)
    with torch.no_grad():
        values = trainer.model.critic(all_seen)
        _, of_the_seat = trainer.model.network(seen, masks)
        others = all_seen.clone()
        others[:, seen.shape[1] + 1] = 9 - others[:, seen.shape[1] + 1]  # the worth to the next seat, which is hidden
        changed = trainer.model.critic(others)
    assert not torch.allclose(values, of_the_seat)
    assert not torch.allclose(values, changed)


def test_all_observations_are_clockwise_from_the_seat_to_move():
    game = make_game(ONE_LOT, num_players=3)
    games = GamesPart([(game, 6, SELF), (make_game(ONE_LOT, num_players=2), 3, SELF)], seed=0, see_all=True)
    games.reset(NOBODY)
    for _ in range(7):
        games.step(np.zeros(9, np.int64), NOBODY)
        (batch, small_batch), size = (seated.batch for seated in games.seated), game.layout.size
        for distance in range(3):
            part = games.all_observations[:6, distance * size : (distance + 1) * size]
            np.testing.assert_array_equal(part, batch.observe((batch.seat + distance) % 3))
        np.testing.assert_array_equal(
            games.all_observations[6:, : 2 * size].reshape(3, 2, size)[:, 1],
            small_batch.observe((small_batch.seat + 1) % 2),
        )
        np.testing.assert_array_equal(games.all_observations[6:, 2 * size :], 0)


def test_a_checkpoint_has_no_critic_and_plays_without_it(tmp_path):
    trainer = trainer_of(tmp_path, critic="centralized")
    for _ in range(3):
        trainer.update()
    trainer.write_checkpoint(tmp_path / "one.safetensors")
    loaded = load_network(trainer.game, tmp_path / "one.safetensors")
    assert loaded.state_dict().keys() == trainer.model.network.state_dict().keys()
    seen, masks = seen_by(trainer)
    with torch.no_grad():
        assert torch.equal(loaded(seen, masks)[0], trainer.model.network(seen, masks)[0])
    agent = make_agent(str(tmp_path / "one.safetensors"), trainer.game)
    np.testing.assert_array_equal(
        agent.act_batch(seen.numpy(), masks.numpy()), trainer.agent(trainer.game).act_batch(seen.numpy(), masks.numpy())
    )


# ---- numbers


@pytest.mark.parametrize("minibatch", [2, 7, 64])
def test_weights_stay_finite_with_a_last_minibatch_of_one_decision(tmp_path, minibatch):
    trainer = trainer_of(
        tmp_path, games=[{"num_players": 3, "num_envs": 1}], num_steps=minibatch * 3 + 1 + 2, minibatch_size=minibatch
    )
    for _ in range(6):
        trainer.update()
    assert all_finite(trainer)


def test_weights_stay_finite_after_learning_from_one_decision(tmp_path):
    trainer = trainer_of(tmp_path, num_steps=2)
    advantages, returns = torch.ones(32), torch.ones(32)
    trainer.collect()
    trainer.model.value_head.update_stats(returns[:1], 1.0)
    losses = trainer.learn(advantages, returns, torch.tensor([3]), 0.0)
    assert all(np.isfinite(list(losses.values())))
    assert all_finite(trainer)


def test_a_rollout_without_valid_advantages_changes_no_count_and_no_number_becomes_nan(tmp_path):
    trainer = trainer_of(tmp_path, games=[{"num_players": 5, "num_envs": 1}], num_steps=2)
    learned = []
    for _ in range(10):
        before = trainer.decisions
        update = trainer.update()
        learned.append(trainer.decisions - before)
        assert (update.losses == {}) == (learned[-1] == 0)
    assert min(learned) == 0 < max(learned)
    assert all_finite(trainer)
