"""`train.py --seeds`, `--show-config`, and what a message says of a key that is an option of the game."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
import yaml

from tests.agents.networks.small import learned, train
from tests.commands import ROOT, invoke, refused, succeeded
from w51_agents.training import threads
from w51_agents.training.config import config_data, load_config
from w51_agents.training.explained import keys_of
from w51_agents.training.registry import registered_trainers, trainer_spec
from w51_agents.training.run import Run
from w51_lab.commands.train import app
from w51_lab.trainings import many
from w51_lab.trainings.many import parse_seeds

SMALL = ["--config", "selfplay_quick", "name=s", "decisions=9000", "options.preset=nano", "options.num_players=3"]
SMALL += ["evaluation.games=30", "evaluation.decisions=3000", "evaluation.games_while_training=12"]
SMALL += ["evaluation.against=random", "selfplay.games=[{num_players: 3, num_envs: 16, opponents: self}]"]


def test_several_seeds_are_trained_reported_together_and_gone_on_with(tmp_path):
    line = (*SMALL, f"runs={tmp_path}", "--seeds")
    printed, _ = succeeded(invoke(app, *line, "1-2"))
    assert "2 seeds" in printed
    assert "Training 2 runs, 2 at a time" in printed
    alone = train(Run.begin(load_config("selfplay_quick", [*SMALL[3:], f"runs={tmp_path}", "name=alone", "seed=2"])))
    assert learned(tmp_path / "s-seeds" / "s-seed-2") == learned(alone.folder)
    printed, _ = succeeded(invoke(app, *line, "1,2,7"))  # the first two are complete
    assert printed.count("Trained for") == 1
    assert parse_seeds("3") == [1, 2, 3]
    found = json.loads((tmp_path / "s-seeds" / "seeds.json").read_text())
    assert [run["seed"] for run in found["runs"]] == [1, 2, 7]
    alone, reverse = found["results"]
    assert (alone["alone"], alone["among"], reverse["alone"]) == ("trained", "random", "random")
    assert len(alone["by_seed"]) == 3
    middle = sum(alone["by_seed"]) / 3
    assert alone["mean"] == pytest.approx(middle)
    assert 0 <= alone["low"] <= alone["mean"] <= alone["high"] <= 1
    assert (tmp_path / "s-seeds" / "seeds.png").read_bytes().startswith(b"\x89PNG")
    table = (tmp_path / "s-seeds" / "seeds.tex").read_text()
    assert f"trained & random & 3 & 33.3\\% & {100 * alone['mean']:.1f}\\% & " in table
    errors = refused(invoke(app, *line, "1,2", "seed=5", "selfplay.learning_rate=0.01"))
    assert "has another selfplay" in errors.replace("\n", " ")


def test_one_of_the_seeds_is_a_job_of_its_own_which_the_others_find(tmp_path, monkeypatch):
    monkeypatch.setattr(many, "usable_cores", lambda: 1)
    line = (*SMALL, f"runs={tmp_path}", "--seeds")
    printed, _ = succeeded(invoke(app, *line, "2-2"))
    assert printed.count("Trained for") == 1
    assert not (tmp_path / "s-seeds" / "seeds.json").exists()
    printed, _ = succeeded(invoke(app, *line, "1-2"))
    assert printed.count("Trained for") == 1
    assert (tmp_path / "s-seeds" / "seeds.json").exists()


def test_the_values_of_a_key_are_trained_and_reported_together_and_gone_on_with(tmp_path):
    line = (*SMALL, f"runs={tmp_path}", "--sweep", "selfplay.learning_rate=1e-3,2e-3")
    printed, _ = succeeded(invoke(app, *line))
    assert "2 settings" in printed
    folder = tmp_path / "s-sweep"
    found = json.loads((folder / "sweep.json").read_text())
    assert list(found) == ["selfplay.learning_rate=1e-3", "selfplay.learning_rate=2e-3"]
    assert (folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    (row,) = [one for one in (folder / "sweep.tex").read_text().splitlines() if "1e-3 & random & 3 & " in one]
    assert " to " not in row  # of one training there is no interval
    rates = [yaml.safe_load(path.read_text())["selfplay"]["learning_rate"] for path in folder.glob("*/config.yaml")]
    assert sorted(rates) == [1e-3, 2e-3]
    (tmp_path / "other").mkdir()
    folder.rename(tmp_path / "other" / "s-sweep")
    printed, _ = succeeded(invoke(app, *line, f"runs={tmp_path / 'other'}"))
    assert "Trained for" not in printed
    refused(invoke(app, *SMALL, "name=a/b"), "name: 'a/b': ", "the name of one folder is needed")


@pytest.mark.parametrize("text", ["seed", "seed=", "seed=1", "seed=1,1", "=1,2", "selfplay.rate=1,2"])
def test_a_sweep_that_is_none_is_refused_before_anything_is_made(tmp_path, text):
    refused(invoke(app, *SMALL, f"runs={tmp_path / 'runs'}", "--sweep", text))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("text", ["1--2", "1-", "x", "1,1", "5-1", "1-1000"])
def test_seeds_that_are_none_are_refused_before_anything_is_made(tmp_path, text):
    refused(invoke(app, *SMALL, f"runs={tmp_path / 'runs'}", "--seeds", text), f"--seeds {text}")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["quick", "selfplay_quick", "exploit", "any_cards"])
def test_a_shown_config_is_the_config_with_a_comment_above_each_key(name, tmp_path):
    _, printed, _ = invoke(app, "--config", name, "seed=7", "--show-config")
    config = load_config(name, ["seed=7"])
    assert yaml.safe_load(printed) == config_data(config)
    (tmp_path / "again.yaml").write_text(printed)
    assert load_config(tmp_path / "again.yaml") == config
    assert re.search(r"# Seed of games, network and learning\.\nseed: 7\n", printed)


def test_every_key_of_every_trainer_says_what_it_means():
    for trainer in registered_trainers():
        unsaid = [key.name for key in keys_of(trainer_spec(trainer).config) if not key.meaning]
        assert not unsaid, trainer


def test_an_option_of_the_game_is_recognised_among_keys():
    _, _, errors = invoke(app, "--config", "quick", "reward=win")
    assert "reward: an option of the game; write options.reward" in errors
    _, _, errors = invoke(app, "--config", "quick", "learning_rate=0.1")
    assert "learning_rate: a key of ppo; write ppo.learning_rate" in errors


def test_the_types_of_keys_are_in_words():
    keys = {key.name: key.type for key in keys_of(trainer_spec("selfplay").config)}
    assert keys["selfplay.precision"] == "`float32` or `bfloat16`"
    assert keys["selfplay.games[].num_players"] == "integer, at least 2"
    assert keys["selfplay.update_epochs"] == "integer, at least 1"
    assert keys["torch_threads"] == "integer or `null`, at least 1, at most 1,024"
    assert keys["selfplay.hidden_sizes"] == "list of integer, at least 1, at most 65,536"


# In a process of its own: Ray leaves threads and signal handlers behind.
TWO_MACHINES = """
import sys
from pathlib import Path

from ray.cluster_utils import Cluster as Nodes

from tests.agents.networks.small import learned, train
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_lab.trainings.cluster import train_on_cluster

out = Path(sys.argv[1])
changes = [*sys.argv[2:], "decisions=30000", "checkpoint_minutes=0.02", "evaluation.decisions=1000000"]
configs = {out / name: load_config("selfplay_quick", [*changes, f"name={name}", f"seed={seed}"])
           for seed, name in enumerate("ab")}
nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
second, legs = [nodes.add_node(num_cpus=1)], []

def kill_one(folder, leg):
    legs.append(leg.decisions)
    if second and len(legs) > 1:
        nodes.remove_node(second.pop(), allow_graceful=False)

assert train_on_cluster(configs, nodes.address, [], kill_one, lambda: False)
nodes.shutdown()
assert not second and len(legs) > 3, legs
for folder, config in configs.items():
    alone = train(Run.begin(config.model_copy(update={"runs": str(out / "alone")})))
    assert learned(folder) == learned(alone.folder)
print("the same")
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra 'ray'")
def test_a_machine_of_a_cluster_that_dies_loses_no_run(tmp_path):
    line = [sys.executable, "-c", TWO_MACHINES, str(tmp_path), *SMALL[3:]]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert done.stdout.strip().endswith("the same"), done.stderr


def test_a_run_goes_on_with_another_number_of_threads_and_keeps_its_config(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "_used", None)
    succeeded(invoke(app, *SMALL[:3], *SMALL[4:], "decisions=3000", "threads=1", f"runs={tmp_path}"))
    refused(invoke(app, "--resume", tmp_path / "s", "threads=0"), "threads=0: an integer of 1 to 1,024 is needed")
    for _ in range(2):
        succeeded(invoke(app, "--resume", tmp_path / "s", "threads=3"))
        assert threads.thread_count(1) == 3
