"""A training on several threads: the same bytes as on one, in whatever order the parts of the games play."""

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.agents.networks.selfplay import trainer_of
from tests.agents.networks.small import small
from w51_agents import make_agent
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.system import processes
from w51_agents.training import learner_settings, selfplay
from w51_agents.training.games import make_parts
from w51_agents.training.plan import planned_games
from w51_agents.training.player import play_all
from w51_agents.training.ranks import Ranks
from w51_agents.training.rollout import Minibatch
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_agents.training.share import Share, part_rows
from w51_agents.training.threads import make_threads
from w51_env import make_game

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def in_small_parts(monkeypatch):
    """Parts of four games, and losses of sixteen rows."""
    monkeypatch.setattr(learner_settings, "_MIN_PART", 4)
    monkeypatch.setattr(SelfPlayTrainer, "rows_at_once", 16)


def weights_after(tmp_path, **changes) -> dict[str, bytes]:
    config = small("selfplay", tmp_path, **changes)
    trainer = SelfPlayTrainer(config, make_game(config.game, **config.options))
    for _ in range(2):
        trainer.update()
    assert len(trainer.experience.parts) == 4
    return {name: array.tobytes() for name, array in trainer.state().arrays.items()}


PLAIN = {"critic": "local", "teacher": None, "average_kl": 0}
POPULATION = {  # bots, compiled snapshots, and seats that learn in one game
    **PLAIN,
    "pool_every": 1,
    "games": [
        {"num_players": 4, "num_envs": 9, "opponents": {"shader": 1, "pool": 1}},
        {"num_players": 3, "num_envs": 5, "opponents": {"pool": 1}},
        {"num_players": 5, "num_envs": 4, "opponents": {"random": 2}},
    ],
}


@pytest.mark.parametrize("settings", [{}, PLAIN, POPULATION, {"network": "recurrent"}, {"network": "history"}])
def test_the_number_of_threads_changes_no_byte(settings, tmp_path):
    alone = weights_after(tmp_path, threads=1, selfplay=settings)
    assert weights_after(tmp_path, threads=3, selfplay=settings) == alone
    if not settings:
        assert weights_after(tmp_path, threads=8) == alone != weights_after(tmp_path, threads=1, seed=2)


def test_parts_that_play_by_turns_as_with_a_gpu_change_no_byte(tmp_path, monkeypatch):
    """With a GPU, one part steps while the device computes for another; here the processor is the device."""
    steps = []

    def by_turns(plays, threads, alternate):
        def noted(number, play):
            for _ in play:
                steps.append(number)
                yield

        play_all([noted(number, play) for number, play in enumerate(plays)], None, alternate=True)

    one_after_the_other = weights_after(tmp_path, threads=1)
    monkeypatch.setattr(selfplay, "play_all", by_turns)
    assert weights_after(tmp_path, threads=1) == one_after_the_other
    assert steps[:8] == [0, 1, 2, 3, 0, 1, 2, 3]


def test_each_game_of_each_kind_is_in_one_part(tmp_path):
    config = small("selfplay", tmp_path)
    assert part_rows(18, CPU) == [slice(0, 4), slice(4, 9), slice(9, 13), slice(13, 18)]
    share = Share(Ranks(), part_rows(18, CPU), 1, CPU)
    parts = make_parts(config, planned_games(config.selfplay, make_game(config.game)), share, NetworkInputs)
    planned = [[(games.game.num_players, games.num_envs) for games in part.planned] for part in parts]
    assert planned == [[(3, 4)], [(3, 4), (2, 1)], [(2, 3), (4, 1)], [(4, 5)]]
    for part in parts:
        part.reset(np.zeros(0))
    seeds = np.concatenate([seated.batch.seeds for part in parts for seated in part.seated])
    assert len(set(seeds.tolist())) == 18
    for part in parts:
        part.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_gradient_of_parts_is_that_of_the_whole(tmp_path, monkeypatch, threads):
    trainer = trainer_of(tmp_path, threads=threads, critic="centralized")
    trainer.update()
    size = trainer.experience.rollout.actions.numel()
    batch = Minibatch.of(trainer.experience.rollout, *torch.randn(2, size), {})
    results = []
    for rows_at_once in (16, 1000):
        monkeypatch.setattr(SelfPlayTrainer, "rows_at_once", rows_at_once)
        means = trainer.set_gradients(batch, [torch.arange(37)], 0.0)
        results.append([*means.values(), *(parameter.grad for parameter in trainer.model.critic.parameters())])
    assert all(torch.allclose(*pair, atol=1e-5) for pair in zip(*results, strict=True))
    assert trainer.model.network.value.last.weight.grad is None  # the critic has the values


def test_an_error_in_a_thread_is_raised_to_the_caller():
    def fails():
        yield
        raise RuntimeError("as agents do")

    with make_threads(2) as threads, pytest.raises(RuntimeError, match="as agents do"):
        play_all([iter(()), fails()], threads, alternate=False)


@pytest.mark.parametrize(
    ("text", "expected"), [("150000 100000", 1), ("max 100000", 3), ("50000 100000", 1), ("no", 3)]
)
def test_a_quota_of_processor_time_limits_the_cores(tmp_path, monkeypatch, text, expected):
    (tmp_path / "cpu.max").write_text(text)
    monkeypatch.setattr(processes, "_CGROUP", tmp_path)
    monkeypatch.setattr(processes.os, "sched_getaffinity", lambda process: {0, 1, 2})
    assert processes.usable_cores() == expected


def test_a_loaded_machine_is_said_in_words_and_another_is_not(monkeypatch):
    monkeypatch.setattr(processes, "usable_cores", lambda: 2)
    monkeypatch.setattr(processes.os, "getloadavg", lambda: (6.2, 0.0, 0.0), raising=False)
    assert (
        "about 6 other processes want its cores, and this one may use 2; it will take about 4.1"
        in processes.load_note()
    )
    monkeypatch.setattr(processes.os, "getloadavg", lambda: (1.2, 0.0, 0.0), raising=False)
    assert processes.load_note() is None


def test_a_network_decides_alike_whatever_threads_pytorch_has_and_leaves_their_number(monkeypatch):
    agent = make_agent("pretrained", game := make_game("warehouse51_v1"))
    monkeypatch.setattr(agent, "_logits", lambda observations, masks: np.full(masks.shape, torch.get_num_threads()))
    torch.set_num_threads(3)
    logits = agent._all_logits(np.zeros((4, game.layout.size), np.int8), np.ones((4, len(game.actions)), np.int8))
    np.testing.assert_array_equal(logits, 1)
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(("size", "count"), [(100, 1), (1024, 4), (2048, 2)])
def test_each_group_of_games_has_the_same_part_of_every_minibatch(size, count):
    share = Share(Ranks(), part_rows(64, CPU, 4), count, CPU)
    rows = torch.randperm(64 * 100)[:6000]
    minibatches = [*share.minibatches(rows, size, Tensor.split)]
    assert [len(groups) for groups in minibatches] == [count] * len(minibatches)
    for number, of_group in enumerate(zip(*minibatches, strict=True)):
        joined, first = torch.cat(of_group), 64 // count * number
        kept = (rows % 64 >= first) & (rows % 64 < first + 64 // count)
        assert torch.equal(joined, rows[kept])  # in the order in which they were shuffled
    for groups in minibatches[:-1]:
        assert sum(map(len, groups)) == pytest.approx(size, abs=count)
