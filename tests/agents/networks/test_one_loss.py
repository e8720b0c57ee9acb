"""What is written as the loss is what a trainer learns by, and an update is read in few files."""

from typing import Any

import pytest
import torch

from benchmarks.crossings import ROOT, crossed
from tests.agents.networks.outside import SPEC as REFERENCE
from tests.agents.networks.outside import ReferenceTrainer
from tests.agents.networks.small import ALONE, ONE_LOT, in_mini, resume, small, train
from w51_agents import AgentError
from w51_agents.training.config import load_config, parse_config
from w51_agents.training.objective import masked_mean
from w51_agents.training.rollout import Minibatch
from w51_agents.training.run import Run
from w51_agents.training.selfplay import Learner, SelfPlayTrainer
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED

MOST_FILES = 18  # six of networks, eight of the training, four of the engine and its compiled code
OUTSIDE = "tests.agents.networks.outside:SPEC"
GAMES = [{"num_players": 2, "num_envs": 12}]
PLAIN = {**ALONE, "games": GAMES}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "teacher": {"teacher": "shader"},
    "average": {"average_kl": 0.1},
    "restarts": {"restart_every": 2},
    "critic": {"critic": "centralized"},
    "base policy": {"base_policy": "shader"},
    "bfloat16": {"precision": "bfloat16"},
    "network of a user": {"network": "tests.agents.networks.outside:Attention"},
    "recurrent": {"network": "recurrent", "average_kl": 0.1},
    "recurrent bfloat16": {"network": "recurrent", "precision": "bfloat16", "critic": "centralized"},
    "opponents": {"pool": 2, "games": [{"num_players": 2, "num_envs": 12, "opponents": "pool"}]},
}


def trainer_of(kind: str, tmp_path) -> Learner:
    """A trainer: self-play of a kind, or that of another class."""
    if kind == "of a user":
        data = {"name": "one", "game": ONE_LOT, "decisions": 900, "reference": {"games": GAMES, "hidden_sizes": [8]}}
        config = parse_config({**data, "trainer": OUTSIDE}, allowed=[OUTSIDE])
        assert isinstance(config, REFERENCE.config)
        return ReferenceTrainer(config, make_game(ONE_LOT))
    game = "warehouse51_v1" if kind == "items" else ONE_LOT
    changes = {"network": "items", "games": [{"num_envs": 12}]} if kind == "items" else KINDS[kind]
    return SelfPlayTrainer(small("selfplay", tmp_path, game=game, selfplay={**PLAIN, **changes}), make_game(game))


@pytest.mark.parametrize("kind", [*KINDS, "items", "of a user"])
def test_an_error_in_the_loss_is_raised_by_every_trainer(kind, tmp_path, monkeypatch):
    trainer = trainer_of(kind, tmp_path)

    def broken(self, minibatch, progress):
        raise RuntimeError("as written")

    monkeypatch.setattr(type(trainer), "loss", broken)
    with pytest.raises(RuntimeError, match="as written"):
        trainer.update()


PENALTIES = {
    "nan": lambda logits, minibatch: logits.sum() * float("nan"),
    "inf": lambda logits, minibatch: logits.exp().sum() + float("inf"),
    "padded": lambda logits, minibatch: 0.01 * logits.square().mean(),
    "padded, not squared": lambda logits, minibatch: -0.01 * logits.mean(),
}


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_loss_that_is_not_finite_or_absurd_ends_the_training_with_a_message(penalty, tmp_path, monkeypatch):
    loss = SelfPlayTrainer.loss

    def naive(self, minibatch, progress):
        losses = loss(self, minibatch, progress)
        return losses._replace(total=losses.total + PENALTIES[penalty](self.model.outputs(minibatch).logits, minibatch))

    with Run.begin(in_mini(tmp_path)) as run:  # rows of decisions with few legal actions are filled up
        train(run, 1)
    before = run.checkpoint.read_bytes()
    monkeypatch.setattr(SelfPlayTrainer, "loss", naive)
    with (
        resume(run.folder) as run,
        pytest.raises(AgentError, match=r"training: the loss is .*, but finite numbers up to"),
    ):
        train(run)
    assert run.checkpoint.read_bytes() == before
    monkeypatch.setattr(SelfPlayTrainer, "loss", loss)
    assert train(resume(run.folder), 1).updates


@torch.no_grad()
def test_a_masked_mean_is_of_legal_actions_alone(tmp_path):
    config = in_mini(tmp_path)
    trainer = SelfPlayTrainer(config, make_game(config.game, **config.options))
    trainer.collect()
    rollout = trainer.experience.rollout
    minibatch = Minibatch.of(rollout, *torch.zeros(2, rollout.actions.numel()), {})
    full, listed = trainer.model.network(minibatch.inputs, minibatch.masks)[0], trainer.model.outputs(minibatch).logits
    of_rows = [row[legal].square().mean() for row, legal in zip(full, minibatch.masks, strict=True)]
    for logits, mask in ((full, minibatch.masks), (listed, minibatch.is_legal)):
        assert torch.allclose(masked_mean(logits.square(), mask), torch.stack(of_rows).mean(), rtol=1e-5)
    assert len(set(minibatch.masks.sum(1).tolist())) > 1


def test_numbers_that_are_none_end_a_training_of_maskable_ppo_with_a_message(tmp_path):
    config = small("maskable_ppo", tmp_path)
    ppo = config.ppo.model_copy(update={"learning_rate": 1e30})
    with Run.begin(config.model_copy(update={"ppo": ppo})) as run, pytest.raises(AgentError, match="training: "):
        train(run)


@pytest.mark.parametrize("kind", KINDS)
def test_the_settings_of_the_loss_change_what_self_play_learns(kind, tmp_path):
    weights = []
    for changed in ({}, {}, {"clip_range": 1e-6}, {"ent_coef": 3.0}):
        data = {**PLAIN, **KINDS[kind], "minibatch_size": 32, **changed}
        trainer = SelfPlayTrainer(small("selfplay", tmp_path, selfplay=data), make_game(ONE_LOT))
        trainer.update()
        weights.append(torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()]))
    assert [torch.equal(weights[0], others) for others in weights[1:]] == [True, False, False]


@pytest.mark.skipif(JIT_DISABLED, reason="compiled code would be Python code of more files")
def test_an_update_of_self_play_is_read_in_few_files():
    def update():
        """As `benchmarks.crossings` has it, of fewer decisions."""
        config = load_config(ROOT / "configs" / "selfplay_quick.yaml", ["selfplay.num_steps=8"])
        call = SelfPlayTrainer(config, make_game(config.game, **config.options)).update
        for _ in range(3):
            call()
        return call

    files = {file for file, _ in crossed(update)}
    assert len(files) <= MOST_FILES, sorted(files)
