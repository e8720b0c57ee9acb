"""The parts of self-play's learning: teacher, magnet, critic, opponents who do not learn, and numbers that stay numbers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")

from agents import AgentError, make_agent, registry  # noqa: E402
from agents.agent import BatchAgent  # noqa: E402
from agents.bots import BotAgent  # noqa: E402
from agents.policies.inputs import Inputs  # noqa: E402
from agents.policies.network import ActorCritic, load_network, save_network  # noqa: E402
from agents.training.games import LEARNER, SELF, Tables  # noqa: E402
from agents.training.policy_terms import policy_terms  # noqa: E402
from agents.training.run import Run  # noqa: E402
from agents.training.selfplay import SelfPlayTrainer, begin_with  # noqa: E402
from agents.training.teacher import Teacher  # noqa: E402
from tests.agents.small import ONE_LOT, small, train  # noqa: E402
from w51_env import make_game  # noqa: E402
from w51_env.core.batch import Batch  # noqa: E402
from w51_env.core.errors import OptionError  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
NOBODY = np.zeros(0)


def trainer_of(tmp_path, **changes) -> SelfPlayTrainer:
    """Of tables for three with nothing else, but for what is changed."""
    plain = {
        "tables": [{"players": 3, "games": 16}],
        "critic": "seat",
        "teacher": None,
        "magnet": 0,
        "pool": 0,
        "network": [16],
    }
    config = small("selfplay", tmp_path, decisions=20_000, selfplay={**plain, **changes})
    return SelfPlayTrainer(config, make_game(ONE_LOT))


def all_finite(trainer: SelfPlayTrainer) -> bool:
    return all(
        tensor.isfinite().all() for module in trainer.modules().values() for tensor in module.state_dict().values()
    )


# ---- the teacher


def agreement(trainer: SelfPlayTrainer, name: str) -> float:
    """How often the likeliest action is the bot's, over the decisions of the last rollout."""
    seen, legal = trainer.rollout.observations.flatten(0, 1).numpy(), trainer.rollout.masks.flatten(0, 1).numpy()
    own = trainer.agent(trainer.game).act_batch(seen, legal)
    return float((own == BotAgent(trainer.game, name).act_batch(seen, legal.astype(np.int8))).mean())


def test_one_who_only_imitates_comes_to_choose_as_the_teacher(tmp_path):
    trainer = trainer_of(
        tmp_path,
        teacher="shader",
        teacher_weight=100.0,
        teacher_until=1.0,
        learning_rate=5e-3,
        entropy=0,
        steps_per_update=24,
    )
    trainer.update()
    before = agreement(trainer, "shader")
    for _ in range(30):
        trainer.update()
    assert agreement(trainer, "shader") > max(0.8, before + 0.2)
    trainer.close()


def test_a_teacher_is_asked_by_the_rules_of_each_table(tmp_path):
    tables = Tables([(make_game(ONE_LOT, num_players=players), 5, SELF) for players in (2, 4)], seed=0)
    tables.reset(NOBODY)
    observations, masks = tables.observation[None], tables.mask[None]
    worth = tables.observation[:, 1].astype(int)
    choices = Teacher("shader", tables).choices(observations, masks)
    assert choices.flatten().tolist() == [*(worth[:5] // 2).tolist(), *(worth[5:] * 3 // 4).tolist()]


def test_a_teacher_who_draws_gives_the_same_answers_to_the_same_questions():
    """Whatever it was asked before: a run that goes on asks a new one."""
    tables = Tables([(make_game(ONE_LOT), 50, SELF)], seed=0)
    tables.reset(NOBODY)
    observations, masks = tables.observation[None], tables.mask[None]
    teacher = Teacher("random", tables)
    first = teacher.choices(observations, masks)
    assert len(set(first.flatten().tolist())) > 3
    assert (teacher.choices(observations, masks) == first).all()


def test_a_teacher_that_has_had_its_time_is_not_asked(tmp_path):
    trainer = trainer_of(tmp_path, teacher="shader", teacher_until=0.01)
    trainer.update()
    trainer.decisions = 201  # of 20,000
    trainer.teacher.choices = None  # which cannot be called
    trainer.update()
    trainer.close()


def test_a_teacher_the_game_does_not_have_is_refused(tmp_path):
    with pytest.raises(OptionError, match="shadr"):
        trainer_of(tmp_path, teacher="shadr")


# ---- the magnet


def test_the_magnet_begins_where_the_network_does_and_follows_slowly(tmp_path):
    trainer = trainer_of(tmp_path, magnet=0.1, magnet_pace=0.25)
    start = {name: tensor.clone() for name, tensor in trainer.network.state_dict().items()}
    assert all(torch.equal(tensor, start[name]) for name, tensor in trainer.magnet.state_dict().items())
    trainer.update()
    for name, tensor in trainer.network.state_dict().items():
        assert torch.allclose(
            trainer.magnet.state_dict()[name], start[name] + 0.25 * (tensor - start[name]), atol=1e-5
        ), name
    assert not torch.equal(trainer.network.policy.weight, start["policy.weight"])
    assert not any(parameter.requires_grad for parameter in trainer.magnet.parameters())
    trainer.close()


def test_the_divergence_from_the_magnet_is_none_at_first_and_then_some(tmp_path):
    trainer = trainer_of(tmp_path, magnet=0.1)

    def divergence() -> float:
        seen, masks = trainer.rollout.observations.flatten(0, 1), trainer.rollout.masks.flatten(0, 1)
        logits, _ = trainer.network(seen, masks)
        return float(trainer.divergence_from_magnet(logits, seen, masks).detach())

    trainer.play()
    assert divergence() == 0
    for _ in range(3):
        trainer.update()
    assert 0 < divergence() < np.inf
    trainer.close()


def test_a_strong_magnet_keeps_the_policy_where_it_is(tmp_path):
    def moved(magnet: float) -> float:
        trainer = trainer_of(tmp_path, magnet=magnet, magnet_pace=1e-9, learning_rate=5e-3, steps_per_update=24)
        before = trainer.agent(trainer.game)._network
        for _ in range(10):
            trainer.update()
        seen, masks = trainer.rollout.observations.flatten(0, 1), trainer.rollout.masks.flatten(0, 1)
        with torch.no_grad():
            first, last = (torch.softmax(network(seen, masks)[0], 1) for network in (before, trainer.network))
        trainer.close()
        return float((first - last).abs().sum(1).mean())

    assert moved(100.0) < 0.5 * moved(1e-9)


# ---- the critic


def test_a_critic_of_the_table_knows_what_the_seat_does_not(tmp_path):
    trainer = trainer_of(tmp_path, critic="table")
    trainer.play()
    rollout = trainer.rollout
    seen, masks, all_seen = rollout.observations[0], rollout.masks[0], rollout.all_observations[0]
    assert torch.equal(all_seen[:, : seen.shape[1]], seen)
    with torch.no_grad():
        values = trainer.critic(all_seen)
        _, of_the_seat = trainer.network(seen, masks)
        others = all_seen.clone()
        others[:, seen.shape[1] + 1] = 9 - others[:, seen.shape[1] + 1]  # the worth to the next seat, which is hidden
        changed = trainer.critic(others)
    assert not torch.allclose(values, of_the_seat)
    assert not torch.allclose(values, changed)
    trainer.close()


def test_all_of_a_table_is_shown_clockwise_from_the_seat_to_move():
    game = make_game(ONE_LOT, num_players=3)
    tables = Tables([(game, 6, SELF), (make_game(ONE_LOT, num_players=2), 3, SELF)], seed=0, see_all=True)
    tables.reset(NOBODY)
    for _ in range(7):
        tables.step(np.zeros(9, np.int64), NOBODY)
        (batch, small_batch), size = tables._batches, game.layout.size
        for distance in range(3):
            part = tables.all_observations[:6, distance * size : (distance + 1) * size]
            assert (part == batch.observe((batch.seat + distance) % 3)).all()
        assert (
            tables.all_observations[6:, : 2 * size].reshape(3, 2, size)[:, 1]
            == small_batch.observe((small_batch.seat + 1) % 2)
        ).all()
        assert (tables.all_observations[6:, 2 * size :] == 0).all()


def test_a_checkpoint_has_no_critic_and_plays_without_it(tmp_path):
    trainer = trainer_of(tmp_path, critic="table")
    for _ in range(3):
        trainer.update()
    trainer.write_checkpoint(tmp_path / "one.safetensors")
    loaded = load_network(trainer.game, tmp_path / "one.safetensors")
    assert loaded.state_dict().keys() == trainer.network.state_dict().keys()
    seen, masks = trainer.rollout.observations.flatten(0, 1), trainer.rollout.masks.flatten(0, 1)
    with torch.no_grad():
        assert torch.equal(loaded(seen, masks)[0], trainer.network(seen, masks)[0])
    agent = make_agent(str(tmp_path / "one.safetensors"), trainer.game)
    assert (
        agent.act_batch(seen.numpy(), masks.numpy())
        == trainer.agent(trainer.game).act_batch(seen.numpy(), masks.numpy())
    ).all()
    trainer.close()


# ---- opponents who are agents


def checkpoint(tmp_path, bid: int = 0) -> str:
    """A network that always bids the same, one of two seats that no bot of the game plays alike."""
    game = make_game(ONE_LOT)
    network = ActorCritic(game, [4])
    with torch.no_grad():
        network.policy.weight.zero_()
        network.policy.bias[bid] = 5
    path = tmp_path / f"bids_{bid}.safetensors"
    save_network(network, game, path)
    return str(path)


def test_an_agent_by_its_path_plays_all_seats_but_one_and_is_not_learned_from(tmp_path):
    tables = [{"players": 3, "games": 40, "opponents": checkpoint(tmp_path, 7)}, {"players": 2, "games": 4}]
    trainer = trainer_of(tmp_path, tables=tables, steps_per_update=30)
    trainer.update()
    rollout = trainer.rollout
    theirs = ~rollout.learns
    assert theirs[:, :40].mean() == pytest.approx(2 / 3, abs=0.02)
    assert rollout.learns[:, 40:].all()
    assert (rollout.actions.numpy()[theirs] == 7).all()
    assert len(set(rollout.actions.numpy()[rollout.learns].tolist())) == 10
    assert trainer.decisions <= rollout.learns.sum()
    trainer.close()


def test_who_faces_an_agent_takes_every_seat_in_turn_of_chance(tmp_path):
    tables = Tables([(make_game(ONE_LOT, num_players=4), 300, checkpoint(tmp_path))], seed=0)
    tables.reset(NOBODY)
    first = tables.player.copy()
    assert ((first == LEARNER).sum(1) == 1).all()
    assert ((first == -1).sum(1) == 3).all()
    assert np.bincount((first == LEARNER).argmax(1), minlength=4).min() > 50
    for _ in range(4):
        tables.step(np.zeros(300, np.int64), NOBODY)
    assert tables.done.all()
    assert (tables.learner == (first == LEARNER).argmax(1)).all()
    assert (tables.opponent == LEARNER).all()  # none of the pool
    assert (tables.player != first).any()


def test_an_agent_by_a_registered_name_is_an_opponent_too(tmp_path, monkeypatch):
    class Nine(BatchAgent):
        def reset(self, seed):
            pass

        def act_batch(self, observations, action_masks, infos=None):
            return np.full(len(observations), 9)

    monkeypatch.setitem(registry._FACTORIES, "nine", lambda game: Nine())
    trainer = trainer_of(tmp_path, tables=[{"players": 2, "games": 10, "opponents": "nine"}])
    trainer.play()
    assert (trainer.rollout.actions.numpy()[~trainer.rollout.learns] == 9).all()
    assert 0 < trainer.rollout.learns.mean() < 1
    trainer.close()


def test_a_run_against_an_agent_goes_on_as_if_nothing_had_happened(tmp_path):
    mixed = {"tables": [{"players": 3, "games": 6, "opponents": checkpoint(tmp_path)}, {"players": 2, "games": 6}]}
    whole = train(Run.begin(small("selfplay", tmp_path / "whole", selfplay=mixed)))
    parts = train(Run.begin(small("selfplay", tmp_path / "parts", selfplay=mixed)), 3)
    parts = train(Run.resume(parts.folder))
    for name, tensor in whole.trainer.network.state_dict().items():
        assert torch.equal(tensor, parts.trainer.network.state_dict()[name]), name


def test_an_opponent_that_is_not_there_is_named(tmp_path):
    with pytest.raises(AgentError, match=r"gone\.safetensors"):
        trainer_of(tmp_path, tables=[{"players": 3, "games": 4, "opponents": str(tmp_path / "gone.safetensors")}])


# ---- numbers


@pytest.mark.parametrize("minibatch", [2, 7, 64])
def test_a_last_minibatch_of_one_decision_does_no_harm(tmp_path, minibatch):
    trainer = trainer_of(
        tmp_path, tables=[{"players": 3, "games": 1}], steps_per_update=minibatch * 3 + 1 + 2, minibatch=minibatch
    )
    for _ in range(6):
        trainer.update()
    assert all_finite(trainer)
    trainer.close()


def test_a_single_decision_is_learned_from_without_harm(tmp_path):
    trainer = trainer_of(tmp_path, steps_per_update=2)
    advantages, returns = torch.ones(32), torch.ones(32)
    trainer.play()
    trainer.value.measure(returns[:1], 1.0)
    told = trainer.learn(advantages, returns, torch.tensor([3]), 0.0)
    assert all(np.isfinite(list(told.values())))
    assert all_finite(trainer)
    trainer.close()


def test_a_rollout_too_short_for_any_outcome_teaches_nothing_and_does_no_harm(tmp_path):
    trainer = trainer_of(tmp_path, tables=[{"players": 5, "games": 1}], steps_per_update=2)
    learned = []
    for _ in range(10):
        before = trainer.decisions
        update = trainer.update()
        learned.append(trainer.decisions - before)
        assert np.isnan(update.entropy) == (learned[-1] == 0)
    assert min(learned) == 0 < max(learned)
    assert all_finite(trainer)
    trainer.close()


# ---- beginning


def test_a_run_can_begin_with_the_network_of_another(tmp_path):
    first = trainer_of(tmp_path)
    first.update()
    first.write_checkpoint(tmp_path / "first.safetensors")
    second = trainer_of(tmp_path, start=str(tmp_path / "first.safetensors"))
    for ours, theirs in zip(second.network.state_dict().values(), first.network.state_dict().values(), strict=True):
        assert torch.equal(ours, theirs)
    assert second.decisions == 0
    for trainer in (first, second):
        trainer.close()


def test_a_network_of_another_shape_is_no_beginning(tmp_path):
    first = trainer_of(tmp_path)
    first.write_checkpoint(tmp_path / "first.safetensors")
    first.close()
    for changes in ({"network": [8]}, {"advisor": "shader"}):
        with pytest.raises(
            AgentError,
            match=r"selfplay.start: .*first.safetensors has {'hidden': \[16\], .*}, but the config {'hidden': ",
        ):
            trainer_of(tmp_path, start=str(tmp_path / "first.safetensors"), **changes)


def test_a_network_that_is_told_the_reckoning_can_begin_with_one_that_is_not():
    game = make_game("warehouse51_v0", preset="nano")
    start, network = ActorCritic(game, [8]), ActorCritic(game, [8], reckoning=True)
    start.body.follow(torch.randint(0, 3, (50, game.layout.size), dtype=torch.int8))
    begin_with(network, start, "start")
    batch = Batch(game, 20, seed=1)
    batch.reset()
    mask = torch.from_numpy(batch.action_mask.astype(bool))
    shown = [torch.from_numpy(Inputs(game, reckoning).of(batch.observation)) for reckoning in (False, True)]
    assert shown[1].shape[1] > shown[0].shape[1]
    before, after = (of(rows, mask)[0] for of, rows in zip((start, network), shown, strict=True))
    assert torch.allclose(before, after, atol=1e-6)


def test_only_a_game_with_a_reckoning_can_tell_it(tmp_path):
    with pytest.raises(OptionError, match=r"heuristic features: .* has none"):
        trainer_of(tmp_path, reckoning=True)


# ---- the policy's terms


def test_the_gradients_worked_out_by_hand_are_those_of_autograd():
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn((40, 9), generator=generator).masked_fill(torch.rand((40, 9), generator=generator) < 0.5, -1e9)
    logits[:, 0] = 0.3
    actions = torch.zeros(40, dtype=torch.int64)
    by_logprob, by_entropy = torch.randn((2, 40), generator=generator)

    def gradient(terms) -> tuple[torch.Tensor, ...]:
        leaf = logits.clone().requires_grad_()
        logprob, entropy = terms(leaf)
        (by_logprob * logprob + by_entropy * entropy).sum().backward()
        return logprob.detach(), entropy.detach(), leaf.grad

    def plain(leaf: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        every = torch.log_softmax(leaf, 1)
        return every[:, 0], -(torch.softmax(leaf, 1) * every).sum(1)

    for found, expected in zip(gradient(lambda leaf: policy_terms(leaf, actions)), gradient(plain), strict=True):
        assert torch.allclose(found, expected, atol=1e-6)
