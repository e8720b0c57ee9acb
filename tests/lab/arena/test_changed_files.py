"""Files that a tournament reads by path, of cards and of agents: kept with it, and refused once they have changed."""

import json
import re
import shlex
import signal
from pathlib import Path

import numpy as np
import pytest

from tests.commands import ROOT, invoke, refused, start, succeeded, wait_for
from tests.lab.arena.small import plan_of, stored_blocks
from w51_agents import AgentError
from w51_agents.named.files import check_files, file_data, files_of, module_file
from w51_agents.networks.making import save_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.errors import FileError
from w51_env.warehouse51 import relics
from w51_lab.arena.database import RESULTS
from w51_lab.arena.deals import make_deals
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.commands.evaluate import app

BUILT_IN = (Path(relics.__file__).parent / "relic_sets" / "reconstruction-1.toml").read_text("utf-8")
OTHER = BUILT_IN.replace("value = 3", "value = 1")

WEIGHED = """
import numpy as np
from tests.lab.arena.small import Plain


class Weighed(Plain):
    files = ["{path}"]

    def __init__(self, game):
        self.weight = float(np.loadtxt("{path}"))

    def act(self, observation, action_mask, info=None):
        legal = np.flatnonzero(action_mask)
        return int(legal[int(self.weight) % len(legal)])
"""


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    path = tmp_path / "cards.toml"
    path.write_text(OTHER, "utf-8")
    return path


def weighed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """The name of an agent that declares a file of weights, and this file."""
    weights = folder / "weights.txt"
    weights.write_text("1\n")
    module = f"weighed_{folder.name.rpartition('-')[2]}"
    (folder / f"{module}.py").write_text(WEIGHED.format(path=weights))
    monkeypatch.syspath_prepend(folder)
    return f"{module}:Weighed", weights


# ---- cards


def test_a_stopped_tournament_with_changed_cards_is_refused_and_goes_on_with_those_it_keeps(cards, tmp_path):
    """Ctrl-C, another file of cards, --resume: as a user does it."""
    folder = tmp_path / "cup"
    arguments = ("search:playouts=10", "heuristic", "--players", 3, "--option", f"relics={cards}", "--games", 6000)
    program = start("evaluate.py", *arguments, "--workers", 1, "--out", folder)
    with program:
        try:
            wait_for(lambda: stored_blocks(folder) > 1, 300)
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=300)
        finally:
            program.kill()
    results = (folder / RESULTS).read_bytes()
    cards.write_text(BUILT_IN, "utf-8")
    python, script, *line = shlex.split(re.findall(r"continue with: (.*)", errors)[-1])
    assert (python, script) == ("python", str(ROOT / "evaluate.py"))
    message = f"the file {cards} of the option relics has changed: the SHA-256 of its content was "
    refused(invoke(app, *line), message, "restore the file, or move it away")
    assert (folder / RESULTS).read_bytes() == results
    cards.unlink()  # the folder stands alone
    plan = Store.resume(folder).plan
    assert plan.game.options == make_game("warehouse51_v1", num_players=3, relics=OTHER).options


@pytest.mark.usefixtures("not_laid_out")
def test_the_summary_of_a_finished_folder_is_written_for_its_own_cards_only(cards, tmp_path):
    arguments = ["random", "heuristic", "--players", 3, "--option", f"relics={cards}", "--games", 12]
    succeeded(invoke(app, *arguments, "--out", tmp_path / "cup"))
    summary = json.loads((tmp_path / "cup" / "summary.json").read_text())
    for changed in (BUILT_IN, "no cards"):
        cards.write_text(changed, "utf-8")
        refused(invoke(app, "--resume", tmp_path / "cup"), f"the file {cards} of the option relics has changed")
    cards.write_text(f"# the same cards\n{OTHER}", "utf-8")
    succeeded(invoke(app, "--resume", tmp_path / "cup"))
    cards.unlink()
    succeeded(invoke(app, "--resume", tmp_path / "cup"))
    assert json.loads((tmp_path / "cup" / "summary.json").read_text())["agents"] == summary["agents"]


def test_a_folder_keeps_the_cards_and_their_digest_and_no_block_is_played_with_others(cards, tmp_path):
    store = Store.begin(tmp_path, "cup", Plan(TournamentSpec(agents=("random",), options={"relics": cards}, games=12)))
    cards.write_text(BUILT_IN, "utf-8")
    kept = json.loads((store.folder / SPEC).read_text())
    assert kept["spec"]["options"] == {"relics": store.plan.game.options["relics"]}
    assert kept["option_files"]["relics"]["path"] == str(cards)
    again = Plan(store.plan.spec)  # as each process of a pool makes it
    assert again.game.rules.tobytes() == store.plan.game.rules.tobytes() != make_game("warehouse51_v1").rules.tobytes()


def test_deals_of_other_cards_have_another_digest(cards, tmp_path):
    deals = make_deals("v1", 0, 10)
    other, usual = (make_game("warehouse51_v1", relics=text) for text in (OTHER, BUILT_IN))
    moved = tmp_path / "moved.toml"
    moved.write_text(f"# the same cards\n\n{OTHER}", "utf-8")
    assert deals.digest(other) != deals.digest(usual) == deals.digest(make_game("warehouse51_v1"))
    assert deals.digest(make_game("warehouse51_v1", relics=moved)) == deals.digest(other)


@pytest.mark.parametrize("damage", [[], {"relics": 3}, {"relics": {"path": 3}}, {"chess": {"path": "x"}}])
def test_what_a_stranger_wrote_of_files_is_refused_in_words(cards, tmp_path, damage):
    store = Store.begin(tmp_path, "cup", Plan(TournamentSpec(agents=("random",), options={"relics": cards}, games=12)))
    kept = json.loads((store.folder / SPEC).read_text())
    (store.folder / SPEC).write_text(json.dumps({**kept, "option_files": damage}))
    with pytest.raises(FileError, match="damaged: option_files"):
        Store.resume(store.folder)


# ---- agents


def test_changed_weights_of_an_own_agent_are_noticed_when_a_tournament_goes_on_and_while_games_are_played(
    tmp_path, monkeypatch
):
    name, weights = weighed(tmp_path, monkeypatch)
    store = Store.begin(tmp_path, "cup", plan_of(name, "random"))
    weights.write_text("2\n")
    message = rf"the file of agent '{name}' has changed .*weights\.txt was [0-9a-f]{{64}} and is now"
    with pytest.raises(AgentError, match=message):
        Store.resume(store.folder, [name])
    weights.write_text("1\n")
    store = Store.resume(store.folder, [name])

    def change(games: int, stored: bool) -> None:
        weights.write_text("2\n")

    with pytest.raises(AgentError, match=message):
        run(store.plan, InProcessExecutor(store.plan), store, change)
    assert len(store.load()) == 1


def new_network(folder: Path) -> Path:
    """A checkpoint of a network with random weights."""
    game, path = make_game("warehouse51_v1", preset="mini"), folder / "agent.safetensors"
    save_network(ActorCritic(game, [8], None, False), game, path)
    return path


@pytest.mark.parametrize("prefix", ["", "search:playouts=2,prior=", "search:playouts=2,playout_bot="])
def test_changed_weights_of_a_checkpoint_are_noticed_wherever_its_path_is_named(tmp_path, prefix):
    checkpoint = new_network(tmp_path)
    store = Store.begin(tmp_path, "cup", plan_of(f"{prefix}{checkpoint}", "random"))
    new_network(tmp_path)
    with pytest.raises(AgentError, match=r"has changed since: the SHA-256 of .*agent\.safetensors was"):
        Store.resume(store.folder)


def test_a_tournament_of_a_relative_path_says_where_it_is_not_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store.begin(tmp_path, "cup", plan_of(new_network(tmp_path).name, "random"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with pytest.raises(AgentError, match=r"agent\.safetensors: there is no such file or folder in .*/other"):
        Store.resume(store.folder)


def test_the_script_of_a_language_model_is_one_of_its_files(tmp_path):
    script = tmp_path / "model.py"
    script.write_text("print('[pass]')\n")
    game = make_game("warehouse51_v1")
    (before,) = files_of(f"llm:python {script}", game)
    script.write_text("print('[bid_1]')\n")
    (after,) = files_of(f"llm:python {script}", game)
    assert (before.path, before.sha256 != after.sha256) == (str(script), True)


def test_each_file_of_a_folder_counts(tmp_path):
    class Agent:
        files = (tmp_path / "model",)

    game, inner = make_game("warehouse51_v1"), tmp_path / "model" / "a" / "weights"
    inner.parent.mkdir(parents=True)
    inner.write_bytes(b"1")
    before = {"agent": files_of("x", game, Agent())}
    check_files(file_data(before), before, "here")
    inner.rename(inner.with_name("others"))
    with pytest.raises(AgentError, match="here: the file of agent 'agent' has changed"):
        check_files(file_data(before), {"agent": files_of("x", game, Agent())}, "here")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("weights", "files: 'weights', but a list of paths is needed"),
        ([3], "files: 3, but a path is needed"),
        (["/nowhere/weights"], "one of its files cannot be read: .*/nowhere/weights"),
        (["/dev/zero"], "/dev/zero: a file or a folder is needed"),
    ],
)
def test_files_that_cannot_be_read_are_an_error_in_words(files, message):
    with pytest.raises(AgentError, match=message):
        files_of("x", make_game("warehouse51_v1"), type("Agent", (), {"files": files})())


def test_the_file_of_a_module_is_found_and_its_code_does_not_run(tmp_path, monkeypatch):
    package = tmp_path / "dangerous"
    package.mkdir()
    for name in ("__init__", "inner"):
        (package / f"{name}.py").write_text("raise SystemExit('it ran')\n")
    monkeypatch.chdir(tmp_path)
    assert module_file("dangerous.inner") == str(package / "inner.py")
    assert module_file("dangerous.nothing") is module_file("nothing.at.all") is None
    assert module_file("numpy") == np.__file__
