"""Files of strangers run no code: the folder of a run or of a tournament, a config."""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.agents.networks.small import ONE_LOT, small, train
from tests.commands import printed_by
from w51_agents.agent.interface import AgentError
from w51_agents.console.settings import to_yaml
from w51_agents.training.config import ConfigError, config_text, load_config, parse_config
from w51_agents.training.run import Run
from w51_agents.training.trainer_state import load_state, save_state
from w51_env.engine.errors import FileError, OptionError
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.store import SPEC, Store
from w51_lab.benchmark import verify
from w51_lab.replays.replay import MAX_BYTES
from w51_table.play.game_log import GameLog
from w51_table.play.table import TableError

SYSTEM, PLAIN = "os:system", "tests.lab.arena.small:Plain"


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A file that exists only if code of the stranger ran."""
    return tmp_path / "it_ran"


def tournament(tmp_path: Path, **changes: object) -> Path:
    """The folder of a tournament whose specification a stranger changed."""
    store = Store.begin(tmp_path, "cup", Plan(TournamentSpec(agents=("random",), games=4)))
    data = json.loads((store.folder / SPEC).read_text())
    data["spec"] |= changes
    (store.folder / SPEC).write_text(json.dumps(data))
    return store.folder


def changed_run(tmp_path: Path, **changes: object) -> Path:
    """The folder of a run whose config a stranger changed, in its state, too."""
    run = train(Run.begin(small("maskable_ppo", tmp_path, decisions=10)))
    state = load_state(run.folder / "state.safetensors")
    state.facts["config"] |= changes
    save_state(state, run.folder / "state.safetensors")
    (run.folder / "config.yaml").write_text(to_yaml(state.facts["config"]))
    return run.folder


def attack(mark: Path) -> dict[str, object]:
    return {"game": SYSTEM, "options": {"command": f"touch {mark}"}}


def config(tmp_path: Path) -> Path:
    """A config with a function in the place of its game."""
    (tmp_path / "one.yaml").write_text(config_text(small("maskable_ppo", tmp_path)).replace(ONE_LOT, SYSTEM))
    return tmp_path / "one.yaml"


CODE = {  # what reads the file of a stranger, and the error
    "a function in a tournament": (
        lambda folder, mark: Store.resume(tournament(folder, **attack(mark))),
        r"cup: names third-party code: os:system; .* add --allow os:system",
    ),
    "a class in a tournament": (
        lambda folder, mark: Store.resume(tournament(folder, agents=["random", "sly:Agent"])),
        "--allow sly:Agent",
    ),
    "a function in a run": (
        lambda folder, mark: Run.resume(changed_run(folder, **attack(mark))),
        r"one: names third-party code: os:system; .* add --allow os:system",
    ),
    "a class in a run": (
        lambda folder, mark: Run.resume(changed_run(folder, evaluation={"against": ["sly:Agent"]})),
        f"--allow {ONE_LOT} --allow sly:Agent",
    ),
    "a function in a config": (
        lambda folder, mark: load_config(config(folder)),
        r"one.yaml: names third-party code: os:system",
    ),
}


@pytest.mark.parametrize(("make", "resume"), [(tournament, Store.resume), (changed_run, Run.resume)])
def test_no_file_that_a_stranger_names_in_an_option_is_opened(tmp_path, make, resume):
    os.mkfifo(tmp_path / "pipe")  # to read it would never end
    folder = make(tmp_path, game="warehouse51_v1", options={"relics": str(tmp_path / "pipe")})
    with pytest.raises(OptionError, match=r"relics: '.*, but allowed here are mini, nano, reconstruction-1"):
        resume(folder)


@pytest.mark.parametrize("agent", ["os:abort", "planted:Agent", "/etc/passwd", "search:prior=runs/x", "sb3:x.zip"])
def test_an_entry_names_no_code_and_no_file_that_the_command_line_does_not_name(agent, monkeypatch):
    run = SimpleNamespace(agent=agent)
    for check in ("check_size", "check_whole", "check_copies"):
        monkeypatch.setattr(verify, check, lambda *entry: None)
    with pytest.raises(AgentError, match=r"names code or files: .*; nothing was imported or opened"):
        verify.verify(SimpleNamespace(name="x", runs=[run]), 0.1)


@pytest.mark.parametrize(("read", "message"), CODE.values(), ids=CODE)
def test_no_code_that_the_file_of_a_stranger_names_is_imported_or_called(read, message, tmp_path, mark, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sly.py").write_text(f"open({str(mark)!r}, 'w')\n")
    with pytest.raises(AgentError, match=message):
        read(tmp_path, mark)
    assert not mark.exists()


def test_a_tournament_folder_cannot_say_that_it_is_trusted(tmp_path):
    folder = tournament(tmp_path, agents=["sb3:model.zip"], trust=True)
    with pytest.raises(AgentError, match=r"a pickled model, .* allow it with --trust"):
        Store.resume(folder)
    with pytest.raises(AgentError, match="there is no such file"):
        Store.resume(folder, trust=True)


def test_a_class_that_the_command_line_allows_is_resumed(tmp_path):
    folder = Store.begin(tmp_path, "cup", Plan(TournamentSpec(agents=(PLAIN, "random"), games=4))).folder
    with pytest.raises(AgentError, match="names third-party code"):
        Store.resume(folder)
    assert Store.resume(folder, [PLAIN]).plan.names[0] == PLAIN


def test_a_factory_that_the_command_line_names_is_allowed(tmp_path):
    (tmp_path / "one.yaml").write_text(config_text(small("maskable_ppo", tmp_path)))
    assert load_config(tmp_path / "one.yaml", [f"game={ONE_LOT}"]).game == ONE_LOT
    assert load_config(tmp_path / "one.yaml", allowed=[ONE_LOT]).game == ONE_LOT


READ = """
import sys
from pathlib import Path
from w51_lab.replays.replay import Replay
from w51_table.play.game_log import GameLog
for path in map(Path, sys.argv[1:]):
    for read in (Replay.load, GameLog.open):
        try:
            read(path)
        except Exception as error:
            print(error)
"""


def test_a_replay_or_a_table_that_never_ends_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    printed = printed_by("-c", READ, tmp_path / "pipe", tmp_path / "device").splitlines()
    assert [line.rpartition("/")[2] for line in printed] == [
        "pipe: cannot be read: it is no file",
        "pipe: cannot be read: it is no file",
        "device: cannot be read: it is no file",
        "device: cannot be read: it is a link",
    ]


def test_a_table_is_refused_by_its_size_before_it_is_parsed(tmp_path):
    path = tmp_path / "large.table"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(TableError, match=r"large\.table: cannot be read: larger than 4,000,000 bytes"):
        GameLog.open(path)


ALIASES = "a: &a [x, x]\nb: &b [*a, *a]\nname: [*b, *b]\n"


STRANGE = {
    "aliases": (ALIASES, "alias 'a' is not allowed"),
    "a list in itself": ("name: &a [*a]", "alias 'a' is not allowed"),
    "a large number": ("decisions: " + "9" * 5000, "Exceeds the limit"),
    "a larger number": ("seed: " + "9" * 4000, "not valid YAML: integer 99999999999999999999 ... is beyond 64 bits"),
    "a negative number": ("seed: -" + "9" * 20, "is beyond 64 bits"),
    "a number of base 60": ("seed: 1" + ":59" * 300, "seed: .*: input should be a valid integer"),
    "no integer": ("seed: !!int ''", "not valid YAML"),
    "no bool": ("seed: !!bool x", "not valid YAML"),
    "no time": ("seed: !!timestamp x", "not valid YAML"),
    "large": ("x" * 2_000_000, "larger than 1,000,000 bytes"),
    "slow": ("[" + "1," * 200_000 + "]", "400,002 characters, but at most 200,000 are allowed"),
    "a key twice": ("decisions: 1\ndecisions: 2", "key 'decisions' is given twice"),
    "a key of a section twice": ("evaluation: {games: 2, minutes: 1, games: 4}", "key 'games' is given twice"),
    "a flag as a number": ("decisions: yes", "decisions: True: value error, true is no value of this key"),
    "a flag among numbers": ("evaluation: {num_players: [3, on]}", "true is no value of this key"),
    "a fraction": ("decisions: 1.5", "decisions: 1.5: input should be a valid integer"),
    "an infinite number": ("decisions: .inf", "decisions: inf: input should be a finite number"),
    "a name with a letter of no width": ("name: a\u200db", "a name of visible letters is needed"),
    "nested": ("[" * 500 + "]" * 500, "not valid YAML"),
    "an object": ("!!python/object/apply:os.system [ls]", "not valid YAML"),
}


@pytest.mark.parametrize(("text", "message"), STRANGE.values(), ids=STRANGE)
def test_a_strange_config_is_an_error_in_words(tmp_path: Path, text: str, message: str):
    (tmp_path / "one.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(tmp_path / "one.yaml")


MANY = {f"k{number}": 1 for number in range(17_000)}
THOUSANDS = {  # of mistakes
    "keys": MANY,
    "keys of a section": {"ppo": MANY},
    "a section of another trainer": {"trainer": "selfplay", "ppo": MANY},
    "one long key": {"k" * 150_000: 1},
    "one long value": {"decisions": "k" * 150_000},
    "values": {"opponents": [1] * 50_000},
}


@pytest.mark.parametrize("data", THOUSANDS.values(), ids=THOUSANDS)
def test_of_thousands_of_mistakes_in_a_config_the_first_are_said(data: dict[str, object]):
    begun = time.process_time()
    with pytest.raises(ConfigError) as error:
        parse_config(data, "test")
    assert time.process_time() - begun < 3
    assert len(str(error.value)) < 15_000


def test_the_message_on_a_file_of_thousands_of_mistakes_is_short(tmp_path: Path):
    (tmp_path / "one.yaml").write_text("".join(f"k{number}: 1\n" for number in range(3_000)))
    with pytest.raises(ConfigError, match=r"k0: unknown key") as error:
        load_config(tmp_path / "one.yaml")
    assert str(error.value).endswith("\n  and more mistakes")


@pytest.mark.parametrize("number", ["100000", "1e5", "1.0e+5", "100_000", "0.1e6", "100000.0"])
def test_whole_numbers_of_any_form_are_integers(number: str, tmp_path: Path):
    assert load_config("quick", [f"decisions={number}"]).decisions == 100_000
    (tmp_path / "one.yaml").write_text(f"name: one\ndecisions: {number}\n")
    assert load_config(tmp_path / "one.yaml").decisions == 100_000
    assert parse_config({"name": "one", "decisions": float(number)}, "test").decisions == 100_000


def test_texts_that_look_like_numbers_are_texts_again(tmp_path: Path):
    config = parse_config({"name": "1e5", "decisions": 5, "runs": "010"}, "test")
    (tmp_path / "one.yaml").write_text(config_text(config))
    assert load_config(tmp_path / "one.yaml") == config


def test_a_config_that_does_not_fit_into_memory_is_an_error(tmp_path: Path):
    wide = [65_536, 65_536]
    with pytest.raises(ValueError, match=r"hidden_sizes: .*4,294,967,296 weights, but at most 500,000,000 are allowed"):
        load_config("quick", [f"ppo.hidden_sizes={wide}"])
    config = small("selfplay", tmp_path)
    long = config.model_copy(update={"selfplay": config.selfplay.model_copy(update={"num_steps": 10**12})})
    with pytest.raises(AgentError, match="do not fit into memory"):
        Run.begin(long)


def test_a_link_in_a_run_folder_lets_nothing_be_written_elsewhere(tmp_path: Path):
    run = train(Run.begin(small("maskable_ppo", tmp_path, decisions=10)))
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (run.folder / "progress.csv").unlink()
    (run.folder / "progress.csv").symlink_to(mine)
    with pytest.raises(FileError, match=r"progress\.csv: is a link, but only files and folders are allowed"):
        Run.resume(run.folder, allowed=[ONE_LOT])
    assert mine.read_text() == "mine"
