"""A run that cannot go on: missing, damaged and changed files, and whole files after any failure."""

import errno
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.agents.networks.small import (
    ALONE,
    ONE_LOT,
    TRAINERS,
    content,
    in_mini,
    learned,
    resume,
    small,
    state_of,
    train,
)
from tests.agents.system.test_files import are_free
from tests.commands import invoke, refused
from tests.env.warehouse51.relic_files import relic, write_relic_file
from w51_agents import AgentError
from w51_agents.commands.export import _training
from w51_agents.commands.export import app as export_app
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.system import files
from w51_agents.training.read_files import rules_digest
from w51_agents.training.registry import TrainerSpec
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_env.engine.errors import FileError
from w51_lab.commands.train import app

MINI = make_game("warehouse51_v1", preset="mini")
RELICS = [
    relic(f"thing_{number}", ("blue", "green", "golden", "red")[number % 4], value=1 + number % 3)
    for number in range(24)
]


# ---- errors


def test_a_missing_run_is_named(tmp_path):
    with pytest.raises(FileError, match=r"run .*nowhere: there is no such folder"):
        resume(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"run .*file: there is no such folder"):
        resume(tmp_path / "file")
    with pytest.raises(FileError, match=r"is not the folder of a run: it has no state\.safetensors"):
        resume(tmp_path)


def test_a_run_whose_relic_file_changed_is_refused_and_goes_on_with_the_cards_it_keeps(tmp_path):
    path = write_relic_file(tmp_path, *RELICS)
    options = {"relics": path, "counterfeits_per_gap": 0, "num_players": 3}
    settings = {"selfplay": {**ALONE, "num_steps": 4}, "evaluation": {"games": 6, "against": ["random"]}}
    config = small("selfplay", tmp_path / "runs", game="warehouse51_v1", options=options, **settings)
    folder = train(Run.begin(config), 1).folder
    before = content(folder)
    assert "thing_3" in yaml.safe_load((folder / "config.yaml").read_text())["options"]["relics"]
    write_relic_file(tmp_path, {**RELICS[0], "value": 3}, *RELICS[1:])
    refused(
        invoke(app, "--resume", folder),
        f"the file {path} of the option relics has changed: the SHA-256 of its content was ",
    )
    assert content(folder) == before
    Path(path).unlink()  # the folder stands alone
    assert len(train(resume(folder), 1).updates) == 2
    write_relic_file(tmp_path, *RELICS)
    assert len(train(resume(folder), 1).updates) == 3


def saved(path: Path, width: int = 8) -> str:
    save_network(ActorCritic(MINI, [width]), MINI, path)
    return str(path)


def against(opponent: str, folder: Path, **changes: Any) -> TrainingConfig:
    games = [{"num_players": 3, "num_envs": 2, "opponents": opponent}]
    return in_mini(folder, games=games, num_steps=4, **changes)


def test_changed_weights_of_an_opponent_or_a_baseline_are_noticed_when_a_run_goes_on(tmp_path):
    agent = saved(tmp_path / "agent.safetensors")
    weights = Path(agent).read_bytes()
    for config in (against(agent, tmp_path / "one"), in_mini(tmp_path / "two", against=agent, num_steps=4)):
        folder = train(Run.begin(config), 1).folder
        saved(Path(agent), 4)
        changed = r"the file of agent '.*agent\.safetensors' has changed since: the SHA-256 of .* was"
        with pytest.raises(AgentError, match=changed):
            resume(folder)
        Path(agent).write_bytes(weights)
        assert len(train(resume(folder), 1).updates) == 2


@pytest.mark.parametrize("name", ["runs/first", "first"])
def test_a_run_with_an_opponent_of_a_relative_path_says_that_it_goes_on_where_it_was_begun(name, tmp_path, monkeypatch):
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / "other").mkdir()
    saved(tmp_path / name / "checkpoint.safetensors")
    monkeypatch.chdir(tmp_path)
    folder = train(Run.begin(against(name, tmp_path / "runs")), 1).folder
    monkeypatch.chdir(tmp_path / "other")
    with pytest.raises(AgentError, match=rf"{name}/checkpoint\.safetensors is not found from .*/other\. Go on in"):
        resume(folder)
    monkeypatch.chdir(tmp_path)
    assert len(train(resume(folder), 1).updates) == 2


def test_a_run_goes_on_without_the_checkpoint_that_it_started_from(tmp_path):
    start = saved(tmp_path / "start.safetensors")
    folder = train(Run.begin(in_mini(tmp_path / "runs", hidden_sizes=[8], start=start, num_steps=4)), 1).folder
    Path(start).unlink()
    assert len(train(resume(folder), 1).updates) == 2


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
    run = train(Run.begin(small(trainer, tmp_path / "one")), 1)
    before = content(run.folder)
    with monkeypatch.context() as patch:
        fill(patch)
        with pytest.raises(OSError, match="No space left"):
            train(resume(run.folder), 1)
    after = content(run.folder)
    for name in ("state.safetensors", "checkpoint.safetensors"):
        assert after[name] == before[name]
    assert not [path.name for path in run.folder.iterdir() if path.name.startswith(".unfinished")]
    assert learned(train(resume(run.folder), 1).folder) == learned(train(Run.begin(small(trainer, tmp_path)), 2).folder)


def test_a_run_that_cannot_start_leaves_no_folder(tmp_path, monkeypatch):
    fill(monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        Run.begin(small("selfplay", tmp_path))
    assert not any(tmp_path.iterdir())


def test_a_folder_is_for_one_process_at_a_time_and_not_locked_by_a_run_that_cannot_be_resumed(tmp_path):
    folder = train(Run.begin(small("maskable_ppo", tmp_path / "ended", decisions=10))).folder
    with pytest.raises(AgentError, match="names third-party code"):
        Run.resume(folder)
    resume(folder).close()
    with Run.begin(small("selfplay", tmp_path)) as run:
        assert are_free(run.folder, folder) == [False, True]


def test_a_file_that_cannot_be_written_comes_with_the_command_that_continues_the_run(tmp_path):
    with (
        pytest.raises(FileError, match=r"No space left on device\. The last checkpoint is intact; .* --resume"),
        Run.begin(small("selfplay", tmp_path)),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_half_written_files_of_a_killed_run_are_removed(tmp_path):
    folder = train(Run.begin(small("selfplay", tmp_path)), 1).folder
    (left := folder / f"{files._UNFINISHED}state.safetensors").touch()
    resume(folder).close()
    assert not left.exists()


def test_the_digest_of_rules_depends_on_the_game_and_all_its_numbers():
    digests = [
        rules_digest(make_game(*made, **options))
        for made, options in (
            (["warehouse51_v1"], {}),
            (["warehouse51_v1"], {"preset": "hu"}),
            (["alles_futsch_v1"], {}),
        )
    ]
    assert len(set(digests)) == 3
    assert rules_digest(make_game("warehouse51_v1")) == digests[0]


@pytest.mark.parametrize(("trainer", "section"), [("maskable_ppo", "ppo"), ("selfplay", "selfplay")])
def test_a_network_is_made_only_in_the_sizes_of_the_weights_in_the_state(tmp_path, monkeypatch, trainer, section):
    folder = train(Run.begin(small(trainer, tmp_path)), 1).folder
    with state_of(folder) as state:
        state.facts["config"][section]["hidden_sizes"] = [8, 20_000, 8]
    (folder / "config.yaml").unlink()  # or written anew, as the state
    monkeypatch.setattr(TrainerSpec, "make", None)
    with pytest.raises(AgentError, match=r"the weights do not fit the network: hidden_sizes is \(8, 20000, 8\)"):
        resume(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed: 1", "seed: 7", "edited since the run began: seed was 1, but is 7; restore it, or begin another run"),
        ("learning_rate:", "learning_rates:", "learning_rate"),
        ("seed: 1", "seed: 1\nextra: 1", "extra was missing, but is 1"),
        ("seed: 1", "seed: [", "not valid YAML"),
        ("seed: 1", "seed: \udcff", "cannot be read"),
    ],
)
def test_an_edited_config_of_a_run_is_refused_with_its_key(tmp_path, old, new, message):
    """`--resume` would not follow it, and `w51 export` would publish it."""
    folder = train(Run.begin(small("selfplay", tmp_path)), 2).folder
    path = folder / "config.yaml"
    text = path.read_text()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode(errors="surrogateescape"))
    refused(invoke(app, "--resume", folder, "--allow", ONE_LOT), message)
    export = ("--game", ONE_LOT, "--players", 3)
    refused(invoke(export_app, folder, tmp_path / "policy.pt2", *export), message)
    assert not (tmp_path / "policy.pt2").exists()
    path.write_text(f"# a comment\n{text}")
    Run.resume(folder, allowed=[ONE_LOT]).close()


def test_a_card_has_the_figures_of_the_state_and_not_those_of_an_edited_log(tmp_path):
    folder = train(Run.begin(small("selfplay", tmp_path)), 2).folder
    log = folder / "progress.csv"
    head, *rows = log.read_text().splitlines()
    decisions = int(rows[-1].split(",")[0])
    log.write_text("\n".join([head, *rows[:-1], rows[-1].replace(str(decisions), "999999", 1)]) + "\n")
    assert _training(str(folder)).startswith(f"{decisions:,} decisions in ")


def test_a_config_in_a_state_that_is_nested_as_deep_as_json_is_read_is_refused(tmp_path):
    folder = train(Run.begin(small("selfplay", tmp_path)), 1).folder
    with state_of(folder) as state:
        for _ in range(900):
            state.facts["config"] = {"a": state.facts["config"]}
    with pytest.raises(AgentError, match=r"config\.yaml: (cannot be read|edited)"):
        Run.resume(folder)
