"""Agents that remember, in tournaments, matches and datasets: no decision of another game or seat."""

import threading
import time

import numpy as np
import pytest

from tests.agents.remembering import HERE, Counts, Remembers
from tests.commands import ROOT, invoke, succeeded
from tests.lab.arena.small import Drawn, finish
from w51_agents import AgentError, SingleAgent, make_agent
from w51_agents.agent.infos import DecisionInfos
from w51_agents.agent.memory import per_game
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_lab import datasets
from w51_lab.arena.match_loop import play
from w51_lab.arena.matches import play_matches
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.supervisor import AgentSupervisor

GAME = make_game("warehouse51_v1", preset="mini", num_players=3)


@pytest.mark.parametrize("agent", ["Remembers", "Counts", pytest.param("Remembers,slow=true", marks=pytest.mark.slow)])
@pytest.mark.parametrize("line_up", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_tournament_shows_each_memory_the_decisions_of_one_game_and_seat(agent: str, line_up: int):
    agents = tuple(["random", f"{HERE}:{agent}"][:: 1 if line_up == 1 else -1])
    plan = Plan(TournamentSpec(agents=agents, options={"preset": "mini", "num_players": 3}, games=18))
    try:
        result = finish(plan)
    finally:
        plan.close()
    assert len(result.results) == (18 if "slow" in agent else 3)
    statistics = result.statistics[plan.names.index(agents[1 if line_up == 1 else 0])]
    assert statistics.first is None
    assert statistics.decisions > 50


def test_an_object_in_a_match_plays_as_copies_and_a_recurrent_agent_as_itself():
    remembers, counts = Remembers(GAME), Counts()
    play_matches(GAME, [("it", remembers), ("counts", counts), ("random", make_agent("random", GAME))], 12, seed=1)
    assert remembers.before is None
    assert counts.games == 12
    assert counts.decisions > 50


def test_a_dataset_is_played_with_memories():
    episodes = datasets.record(GAME, ["a", "b"], [Remembers(GAME), Counts()], 6, seed=3)
    assert {episode.agent for episode in episodes} == {"a", "b"}


def test_draws_of_an_object_differ_by_game_and_are_the_same_again():
    def scores(seed: int) -> list[int]:
        agents = [("draws", per_game(Drawn(GAME))), ("random", make_agent("random", GAME))]
        return play_matches(GAME, agents, 12, seed=seed).scores.tolist()

    agent = per_game(Drawn(GAME))
    infos = [{"memory": number, "is_first": True} for number in range(200)]
    mask = np.ones((200, 50), np.int8)
    drawn = []
    for _ in range(2):
        agent.reset(5)
        drawn.append([agent.act_batch(mask, mask, infos).tolist() for _ in range(2)])
    assert drawn[0] == drawn[1]
    assert drawn[0][0] != drawn[0][1]
    assert len(set(drawn[0][0])) > 30


class Falters(Remembers):
    """Fails, or does something illegal, from its fourth decision on in some games."""

    how = "raises"

    def act(self, observation, action_mask, info=None):
        if self.decisions == 3 and info["memory"] % 4 == 1:
            if self.how == "raises":
                raise ValueError("as it must")
            return -1
        return super().act(observation, action_mask, info)


@pytest.mark.parametrize("how", ["raises", "is illegal"])
def test_a_decision_that_fails_does_not_show_the_others_of_its_call_twice(how: str):
    agent = type("It", (Falters,), {"how": how})(GAME)
    supervisors = [AgentSupervisor("it", agent, GAME, 20, None, 1)]
    play(GAME, supervisors, np.zeros((20, 3), np.int64), np.arange(20, dtype=np.uint64))
    failures = supervisors[0].statistics.failures
    assert failures["errors" if how == "raises" else "illegal"] == sum(failures.values()) > 3
    assert ("as it must" if how == "raises" else "-1") in supervisors[0].statistics.first.message


def test_the_infos_of_a_batch_name_the_memory_of_each_game_and_seat():
    batch = Batch(GAME, 4, seed=1, history=8)
    batch.reset()
    infos, agent, rows = DecisionInfos(batch), Counts(), np.arange(4)
    agent.needs_history, seen = 8, set()
    for _ in range(300):
        for info, row, seat in zip(infos.of(agent, rows), rows.tolist(), batch.seat.tolist(), strict=True):
            assert info["memory"] == 3 * row + seat
            assert info["is_first"] == ((row, seat) not in seen)
            seen.add((row, seat))
        lengths = batch.history()[1]
        assert [len(info["history"]) for info in infos.of(agent, rows)] == lengths.tolist()
        batch.step(batch.sample_actions())
        infos.begin(batch.done)
        seen = {(row, seat) for row, seat in seen if not batch.done[row]}
    assert infos.of(Batch, rows) is None


class Unaware(SingleAgent):
    """Says nothing about its memory, and has none."""

    def __init__(self, game):
        self.lock = threading.Lock()  # which has no copy

    def act(self, observation, action_mask, info=None):
        return int(np.flatnonzero(action_mask)[0])


class Declared(Unaware):
    needs_memory = True


class Laden(Unaware):
    def __init__(self, game):
        time.sleep(0.25)


def test_an_object_that_takes_long_to_make_is_named_unless_the_class_says_that_it_remembers(caplog):
    make_agent("tests.lab.arena.test_memory:Laden", GAME)
    assert "Laden': an object is made for each game and seat, and one takes 0." in caplog.text


class One(Unaware):
    needs_memory = False


def test_a_wrong_use_is_an_error_that_names_the_remedy():
    mask = np.ones((2, 9), np.int8)
    with pytest.raises(AgentError, match=r"Counts: remembers, .* pass infos with `memory` and `is_first`"):
        Counts().act_batch(mask, mask)
    with pytest.raises(AgentError, match=r"Declared: remembers, .* infos"):
        make_agent("tests.lab.arena.test_memory:Declared", GAME).act_batch(mask, mask)
    with pytest.raises(AgentError, match=r"Unaware.act_batch: an object of Unaware plays one game; ask `per_game"):
        Unaware(GAME).act_batch(mask, mask)
    with pytest.raises(OptionError, match=r"Unaware: .* cannot be copied .*lock.* needs_memory = False"):
        play_matches(GAME, [("it", Unaware(GAME))], 3)
    assert One(GAME).act_batch(mask, mask).tolist() == [0, 0]
    assert make_agent("tests.lab.arena.test_memory:Unaware", GAME).act_batch(mask, mask).tolist() == [0, 0]
    play_matches(GAME, [("it", One(GAME))], 3)
    shared = Unaware(GAME)
    with pytest.raises(AgentError, match=r"Unaware: the same object was made for two games"):
        play_matches(GAME, [("it", per_game(shared, lambda: shared))], 3)
    with pytest.raises(OptionError, match=r"needs_history: 1.5, but"):
        play_matches(GAME, [("it", type("Half", (Counts,), {"needs_history": 1.5})())], 3)


@pytest.mark.slow
def test_agents_of_the_documentation_play_a_tournament(tmp_path, monkeypatch):
    from w51_lab.commands.evaluate import app

    blocks = (ROOT / "docs/how_to/memory.md").read_text().split("```python\n")[1:]
    for block in blocks:
        first, _, _ = block.partition("\n")
        if first.startswith("# "):
            (tmp_path / first[2:]).write_text(block.partition("```")[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    result = invoke(app, "patient:Patient", "counter:Counter", "random", "--games", 12, "--players", 3)
    assert "patient:Patient" in succeeded(result)[0]
    assert "forfeit" not in result[1] + result[2]
