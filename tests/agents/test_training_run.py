"""A run and its folder: start, resume, errors, and whole files after any failure."""

import errno
import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")
pytest.importorskip("safetensors", reason="needs the extra 'train'")

from tests.agents.small import ONE_LOT, TRAINERS, after, learned, resume, rows, small, train
from tests.commands import run as command
from tests.system.test_files import is_free
from tests.warehouse51.relic_files import relic, write_relic_file
from w51_env import __version__, make_game
from w51_env.agents import AgentError
from w51_env.agents.policies.checkpoint import read_checkpoint, write_checkpoint
from w51_env.agents.policies.load import load_agent
from w51_env.agents.policies.network import ActorCritic, save_network
from w51_env.agents.training import run as module
from w51_env.agents.training.config import config_text, load_config
from w51_env.agents.training.pool import Pool
from w51_env.agents.training.registry import TrainerSpec
from w51_env.agents.training.run import STATE, Run
from w51_env.agents.training.trainer_state import load_state, save_state
from w51_env.arena.evaluation import BaselineMatches
from w51_env.core.errors import FileError
from w51_env.system import files
from w51_env.versions import git

pytestmark = pytest.mark.usefixtures("one_thread")
RELICS = [
    relic(f"thing_{number}", ("blue", "green", "golden", "red")[number % 4], value=1 + number % 3)
    for number in range(24)
]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- resuming


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_stopped_and_resumed_run_ends_equal_to_an_uninterrupted_one(trainer, tmp_path):
    whole = train(Run.begin(small(trainer, tmp_path / "whole")))
    assert whole.complete
    assert len(rows(whole.folder)) > 6
    parts = train(Run.begin(small(trainer, tmp_path / "parts")), 2)
    for updates in (1, 0, 3, None):
        assert not parts.complete
        parts = train(resume(parts.folder), updates)
    assert parts.complete
    assert rows(parts.folder) == rows(whole.folder)
    assert learned(parts.folder) == learned(whole.folder)


@pytest.mark.parametrize(
    "bots", [{}, {"teacher": "random"}, {"base_policy": "shader"}, {"base_policy": "random"}], ids=str
)
def test_a_run_with_one_kind_of_game_and_a_bot_resumes_to_the_same_end(bots, tmp_path):
    plain = {
        "games": [{"num_players": 3, "num_envs": 8}],
        "critic": "local",
        "average_kl": 0,
        "pool": 0,
        "teacher": None,
        **bots,
    }
    whole = train(Run.begin(small("selfplay", tmp_path / "whole", selfplay=plain)))
    parts = train(Run.begin(small("selfplay", tmp_path / "parts", selfplay=plain)), 3)
    parts = train(resume(parts.folder))
    assert learned(parts.folder) == learned(whole.folder)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_updates_after_the_last_checkpoint_are_repeated_equally(trainer, tmp_path):
    run = Run.begin(small(trainer, tmp_path))
    train(run, 3)
    kept = (run.folder / "state.safetensors").read_bytes()
    at_three = rows(run.folder)
    after = rows(train(resume(run.folder), 3).folder)
    (run.folder / "state.safetensors").write_bytes(kept)  # as if it had been killed before the next checkpoint
    again = train(resume(run.folder), 1)
    assert rows(again.folder) == after[:4]
    assert rows(again.folder)[:3] == at_three
    assert rows(train(resume(run.folder), 2).folder) == after


def test_evaluations_during_training_do_not_change_it(tmp_path):
    """They come by the clock, so the same run has them at other times."""
    often = {
        "games": 12,
        "games_while_training": 6,
        "against": ["random", "shader"],
        "num_players": [2, 3],
        "minutes": 1e-9,
    }
    whole = train(Run.begin(small("selfplay", tmp_path / "whole")))
    watched = train(Run.begin(small("selfplay", tmp_path / "watched", evaluation=often), BaselineMatches), 3)
    watched = train(resume(watched.folder, BaselineMatches))
    assert learned(watched.folder)["arrays"] == learned(whole.folder)["arrays"]
    matches = rows(watched.folder, "strength.csv")
    assert [(row["players"], row["against"]) for row in matches[:4]] == [
        ("2", "random"),
        ("2", "shader"),
        ("3", "random"),
        ("3", "shader"),
    ]
    assert len(matches) == 4 * len(rows(watched.folder))
    assert len({(row["decisions"], row["players"], row["against"]) for row in matches}) == len(matches)


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    run = train(Run.begin(small("selfplay", tmp_path, decisions=200)))
    before, state = content(run.folder), learned(run.folder)
    again = resume(run.folder)
    assert again.complete
    train(again)
    assert learned(again.folder) == state
    after = content(run.folder)
    for name in ("progress.csv", "strength.csv", "config.yaml", "versions.json"):
        assert after[name] == before[name]


def test_runs_of_one_name_have_different_folders(tmp_path):
    config = small("selfplay", tmp_path)
    folders = [train(Run.begin(config), 0).folder.name for _ in range(3)]
    assert folders == ["one", "one-2", "one-3"]


# ---- output files


def test_versions_and_the_whole_config_are_written(tmp_path):
    config = small("selfplay", tmp_path)
    folder = train(Run.begin(config), 0).folder
    versions = json.loads((folder / "versions.json").read_text())
    assert versions["w51_env"] == __version__
    assert versions["numpy"] == np.__version__
    assert versions["commit"] == git("rev-parse", "HEAD")
    assert load_config(folder / "config.yaml", allowed=[config.game]) == config
    assert (folder / "config.yaml").read_text() == config_text(config)
    assert (
        yaml.safe_load((folder / "config.yaml").read_text())["selfplay"]["gamma"] == 1.0
    )  # which the test did not name


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_checkpoint_plays_as_the_trainer_does(trainer, tmp_path):
    run = train(Run.begin(small(trainer, tmp_path)), 3)
    game = make_game(run.game.make.__module__ + ":make", num_players=3)
    generator = np.random.default_rng(0)
    observations = generator.integers(0, 2, (500, game.layout.size)).astype(np.int8)
    masks = generator.random((500, len(game.actions))) < 0.5
    masks[:, 0] = True
    expected = run.trainer.agent(game).act_batch(observations, masks)
    assert len(set(expected.tolist())) > 1
    assert (load_agent(game, run.folder).act_batch(observations, masks) == expected).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_checkpoint_whose_weights_are_not_finite_is_refused(trainer, value, tmp_path):
    run = train(Run.begin(small(trainer, tmp_path)), 0)
    checkpoint = read_checkpoint(run.checkpoint, run.game)
    name = min(checkpoint.weights)
    weights = {**checkpoint.weights, name: np.full(checkpoint.weights[name].shape, value)}
    write_checkpoint(replace(checkpoint, weights=weights), run.game, run.checkpoint)
    with pytest.raises(AgentError, match=f"checkpoint .*: {name} has values that are not finite"):
        load_agent(run.game, run.folder)


def test_a_policy_whose_logits_overflow_is_an_error_in_words(tmp_path):
    run = train(Run.begin(small("maskable_ppo", tmp_path)), 0)
    checkpoint = read_checkpoint(run.checkpoint, run.game)
    weights = {name: np.full(array.shape, 1e38, np.float32) for name, array in checkpoint.weights.items()}
    write_checkpoint(replace(checkpoint, weights=weights), run.game, run.checkpoint)
    agent = load_agent(run.game, run.folder)
    with pytest.raises(AgentError, match="its logits are not finite"):
        agent.act_batch(np.ones((1, run.game.layout.size), np.int8), np.ones((1, len(run.game.actions)), bool))


# ---- errors


def test_a_missing_run_is_named(tmp_path):
    with pytest.raises(FileError, match=r"run .*nowhere: there is no such folder"):
        resume(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"run .*file: there is no such folder"):
        resume(tmp_path / "file")
    with pytest.raises(FileError, match=r"is not the folder of a run: it has no state\.safetensors"):
        resume(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "turned"])
def test_a_damaged_state_is_refused_and_no_file_changes(damage, tmp_path):
    folder = train(Run.begin(small("selfplay", tmp_path)), 2).folder
    state = (folder / "state.safetensors").read_bytes()
    bad = state[: len(state) // 2] if damage == "cut" else state[:-5] + bytes([state[-5] ^ 1]) + state[-4:]
    (folder / "state.safetensors").write_bytes(bad)
    before = content(folder)
    with pytest.raises(AgentError, match=r"state\.safetensors: .*damaged"):
        resume(folder)
    assert content(folder) == before
    (folder / "state.safetensors").write_bytes(state)
    assert len(train(resume(folder), 1).updates) == 3


def test_a_run_whose_relic_file_changed_is_refused_and_goes_on_with_the_cards_it_keeps(tmp_path):
    path = write_relic_file(tmp_path, *RELICS)
    tables = [{"num_players": 3, "num_envs": 2}]
    plain = {"games": tables, "num_steps": 4, "critic": "local", "average_kl": 0, "pool": 0, "teacher": None}
    options = {"relics": path, "counterfeits_per_gap": 0, "num_players": 3}
    evaluation = {"games": 6, "games_while_training": 3, "against": ["random"], "num_players": [3]}
    config = small(
        "selfplay", tmp_path / "runs", game="warehouse51_v0", options=options, selfplay=plain, evaluation=evaluation
    )
    folder = train(Run.begin(config), 1).folder
    before = content(folder)
    assert "thing_3" in yaml.safe_load((folder / "config.yaml").read_text())["options"]["relics"]
    write_relic_file(tmp_path, {**RELICS[0], "value": 3}, *RELICS[1:])
    status, _, errors = command("train.py", "--resume", folder)
    assert status == 2
    assert f"the file {path} of the option relics has changed: the SHA-256 of its content was " in errors
    assert content(folder) == before
    Path(path).unlink()  # the folder stands alone
    assert len(train(resume(folder), 1).updates) == 2
    write_relic_file(tmp_path, *RELICS)
    assert len(train(resume(folder), 1).updates) == 3


def test_changed_weights_of_an_opponent_or_a_baseline_are_noticed_when_a_run_goes_on(tmp_path):
    game = make_game("warehouse51_v0", preset="mini")
    agent = tmp_path / "agent.safetensors"
    save_network(ActorCritic(game, [8], None, False), game, agent)
    plain = {"games": [{"num_players": 3, "num_envs": 2, "opponents": str(agent)}], "num_steps": 4, "teacher": None}
    evaluation = {"games": 6, "games_while_training": 3, "against": [str(agent)], "num_players": [3]}
    config = small(
        "selfplay",
        tmp_path / "runs",
        game="warehouse51_v0",
        options={"preset": "mini"},
        selfplay={**plain, "critic": "local", "average_kl": 0, "pool": 0},
        evaluation=evaluation,
    )
    folder = train(Run.begin(config), 1).folder
    weights = agent.read_bytes()
    save_network(ActorCritic(game, [8], None, False), game, agent)
    with pytest.raises(
        AgentError, match=r"the file of agent '.*agent\.safetensors' has changed since: the SHA-256 of .* was"
    ):
        resume(folder)
    agent.write_bytes(weights)
    assert len(train(resume(folder), 1).updates) == 2


def test_a_run_goes_on_without_the_checkpoint_that_it_started_from(tmp_path):
    game = make_game("warehouse51_v0", preset="mini")
    start = tmp_path / "start.safetensors"
    save_network(ActorCritic(game, [8], None, False), game, start)
    plain = {"games": [{"num_players": 3, "num_envs": 2}], "num_steps": 4, "teacher": None, "hidden_sizes": [8]}
    config = small(
        "selfplay",
        tmp_path / "runs",
        game="warehouse51_v0",
        options={"preset": "mini"},
        selfplay={**plain, "start": str(start), "base_policy": None, "heuristic_features": False, "pool": 0},
        evaluation={"games": 6, "against": ["random"]},
    )
    folder = train(Run.begin(config), 1).folder
    start.unlink()
    assert len(train(resume(folder), 1).updates) == 2


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_checkpoint_for_other_relics_is_refused(trainer, tmp_path):
    options = {"relics": write_relic_file(tmp_path, *RELICS), "counterfeits_per_gap": 0, "num_players": 3}
    tables = {"games": [{"num_players": 3, "num_envs": 2}], "num_steps": 4, "teacher": None}
    evaluation = {"games": 6, "against": ["random"]}
    config = small(
        trainer,
        tmp_path,
        game="warehouse51_v0",
        opponents="random",
        options=options,
        selfplay=tables,
        evaluation=evaluation,
    )
    run = train(Run.begin(config), 0)
    assert load_agent(run.game, run.folder)
    (tmp_path / "other").mkdir()
    path = write_relic_file(tmp_path / "other", {**RELICS[0], "value": 3}, *RELICS[1:])
    others = make_game("warehouse51_v0", **{**options, "relics": path})
    with pytest.raises(
        AgentError,
        match=r"checkpoint .*: trained with relics=.*, but the game has relics=.*; the agent plays only",
    ):
        load_agent(others, run.folder)


# ---- a full disk


def fill(monkeypatch) -> None:
    """From now on there is no room for states and checkpoints."""

    def full(self, content, *rest, write=Path.write_bytes):
        if self.suffix == ".safetensors":
            write(self, content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, content)

    monkeypatch.setattr(Path, "write_bytes", full)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_full_disk_leaves_the_last_good_files_and_the_run_can_be_resumed(trainer, tmp_path, monkeypatch):
    run = train(Run.begin(small(trainer, tmp_path / "one")), 2)
    before = content(run.folder)
    with monkeypatch.context() as patch:
        fill(patch)
        with pytest.raises(OSError, match="No space left"):
            train(resume(run.folder), 2)
    after = content(run.folder)
    for name in ("state.safetensors", "checkpoint.safetensors"):
        assert after[name] == before[name]
    assert not [path.name for path in run.folder.iterdir() if path.name.startswith(".unfinished")]
    resumed = train(resume(run.folder))
    assert learned(resumed.folder) == learned(train(Run.begin(small(trainer, tmp_path / "two"))).folder)


def test_a_run_that_cannot_start_leaves_no_folder(tmp_path, monkeypatch):
    fill(monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        Run.begin(small("selfplay", tmp_path))
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_a_folder_is_for_one_process_at_a_time(tmp_path):
    with Run.begin(small("selfplay", tmp_path)) as first:
        first.train(lambda update, matches: None, after(1))
        before = content(first.folder)
        status, _, errors = command("train.py", "--resume", first.folder, "--allow", ONE_LOT)
        assert (status, content(first.folder)) == (2, before)
        assert f"run {first.folder}: another process uses it" in errors


def test_a_run_that_cannot_be_resumed_does_not_stay_locked(tmp_path):
    folder = train(Run.begin(small("maskable_ppo", tmp_path, decisions=10))).folder
    with pytest.raises(AgentError, match="names third-party code"):
        Run.resume(folder)
    resume(folder).close()
    assert is_free(folder)


def test_a_file_that_cannot_be_written_comes_with_the_command_that_continues_the_run(tmp_path):
    with (
        pytest.raises(FileError, match=r"No space left on device\. The last checkpoint is intact; .* --resume"),
        Run.begin(small("selfplay", tmp_path)),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_half_written_files_of_a_killed_run_are_removed(tmp_path):
    folder = train(Run.begin(small("selfplay", tmp_path)), 1).folder

    class Killed(BaseException):
        pass

    def write(path: Path) -> None:
        path.write_bytes(b"half")
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", lambda self, missing_ok: None)  # one who is killed clears nothing away
        with pytest.raises(Killed):
            files.write_atomic(folder / "state.safetensors", write)
    assert len([path for path in folder.iterdir() if path.name.startswith(".unfinished")]) == 1
    train(resume(folder), 1)
    assert not [path for path in folder.iterdir() if path.name.startswith(".unfinished")]


def test_the_digest_of_rules_depends_on_the_game_and_all_its_numbers():
    digests = [
        module.rules_digest(make_game(*made, **options))
        for made, options in (
            (["warehouse51_v0"], {}),
            (["warehouse51_v0"], {"preset": "hu"}),
            (["alles_futsch_v0"], {}),
        )
    ]
    assert len(set(digests)) == 3
    assert module.rules_digest(make_game("warehouse51_v0")) == digests[0]


@pytest.mark.parametrize(("trainer", "section"), [("maskable_ppo", "ppo"), ("selfplay", "selfplay")])
def test_a_network_is_made_only_in_the_sizes_of_the_weights_in_the_state(tmp_path, monkeypatch, trainer, section):
    folder = train(Run.begin(small(trainer, tmp_path)), 1).folder
    with state_of(folder) as state:
        state.facts["config"][section]["hidden_sizes"] = [8, 20_000, 8]
    monkeypatch.setattr(TrainerSpec, "load", None)
    with pytest.raises(AgentError, match=r"the weights do not fit the network: hidden_sizes is \(8, 20000, 8\)"):
        resume(folder)


NAN = float("nan")
FACTS = [
    ("selfplay", "trainer", {}),
    ("selfplay", "progress", [{"decisions": 1}]),
    ("selfplay", "seconds", "long"),
    ("selfplay", "rules", None),
    ("selfplay", "config", []),
    *(("maskable_ppo", "trainer/numpy_position", position) for position in (-(10**9), -1, 625, 10**9)),
    ("maskable_ppo", "trainer/python", [2**40] * 625),
    ("selfplay", "trainer/games/generator/bit_generator", "MT19937"),
    ("maskable_ppo", "trainer/decisions", NAN),
    ("maskable_ppo", "trainer/updates", [1]),
    ("maskable_ppo", "trainer/updates", -1),
    ("maskable_ppo", "trainer/outcomes", [["a", None, 1]]),
    ("maskable_ppo", "trainer/python", 3),
    ("selfplay", "trainer/decisions", NAN),
    ("selfplay", "trainer/updates", True),
    ("selfplay", "trainer/pool/slots", 1),
    ("selfplay", "progress/0/entropy", "much"),
    ("selfplay", "progress/0/decisions", 2**64),
    ("selfplay", "progress/0/decisions", NAN),
    ("selfplay", "strength", [{"decisions": None}]),
]
ARRAYS = [
    ("maskable_ppo", "episode_starts", np.zeros((2, 3), bool)),
    ("maskable_ppo", "numpy", np.zeros(3, np.uint32)),
    ("maskable_ppo", "optimizer/0.exp_avg", np.zeros(3, np.float32)),
    ("maskable_ppo", "policy/value_net.bias", np.full(1, NAN, np.float32)),
    ("selfplay", "optimizer/0.exp_avg_sq", np.float32(1)),
    ("selfplay", "optimizer/0.step", np.float32(NAN)),
    ("selfplay", "optimizer/0.step", np.float32(-1)),
    ("selfplay", "optimizer/1.exp_avg_sq", np.full(8, -1, np.float32)),
    ("selfplay", "games/policies", np.full((18, 4), 7)),
    ("selfplay", "games/policies", np.full((18, 4), -2)),
    ("selfplay", "games/opponent", np.full(18, 3)),
    ("selfplay", "games/next_learner_seat", np.full(18, 4)),
    ("selfplay", "games/learner_seat", np.zeros(18, np.float32)),
    ("selfplay", "pool/losses", np.full(2, NAN)),
    ("selfplay", "pool/losses", np.full(2, 2.0)),
]


@contextmanager
def state_of(folder: Path):
    """The state in a folder, which is written with what the caller changes in it."""
    state = load_state(folder / STATE)
    yield state
    save_state(state, folder / STATE)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of each trainer's run, after some updates."""
    return {name: train(Run.begin(small(name, tmp_path_factory.mktemp(name))), 4).folder for name in TRAINERS}


def copy_of(folder: Path, parent: Path) -> Path:
    return Path(shutil.copytree(folder, parent / "one", ignore=shutil.ignore_patterns(".lock")))


@pytest.mark.parametrize(("trainer", "key", "value"), FACTS)
def test_facts_of_a_state_that_no_trainer_writes_are_refused(trained, tmp_path, trainer, key, value):
    folder = copy_of(trained[trainer], tmp_path)
    with state_of(folder) as state:
        *sections, last = key.split("/")
        inner = state.facts
        for section in sections:
            inner = inner[int(section) if isinstance(inner, list) else section]
        inner[last] = value
    with pytest.raises(AgentError, match="its state has values that do not fit"):
        resume(folder)


@pytest.mark.parametrize(("trainer", "name", "array"), ARRAYS)
def test_arrays_of_a_state_that_no_trainer_writes_are_refused(trained, tmp_path, trainer, name, array):
    folder = copy_of(trained[trainer], tmp_path)
    with state_of(folder) as state:
        assert f"trainer/{name}" in state.arrays
        state.arrays[f"trainer/{name}"] = np.asarray(array)
    with pytest.raises(AgentError, match="its state has values that do not fit"):
        resume(folder)


def test_a_fault_of_the_code_is_no_refused_state(trained, tmp_path, monkeypatch):
    folder = copy_of(trained["selfplay"], tmp_path)
    monkeypatch.setattr(Pool, "restore", None)
    with pytest.raises(TypeError, match="not callable"):
        resume(folder)
    monkeypatch.undo()
    resume(folder).close()
