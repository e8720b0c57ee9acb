"""Processes in which agents decide: fast and slow agents, and agents that fail."""

import math
import os
import sys
import time

import numpy as np
import pytest

from tests.lab.arena.small import Plain
from w51_agents.agent.seeds import SECRET_VARIABLE
from w51_agents.networks.load import POINTS
from w51_env import make_game
from w51_table.play.agent_pool import AgentPool, Question, hint_agent, only_make
from w51_table.play.table import PERSON, Setup, Table

pytestmark = pytest.mark.slow  # processes that load the rules

HERE = "tests.table.play.test_agent_pool"


class Sleeper(Plain):
    """An agent that takes its time."""

    seconds = 5.0

    def act(self, observation, action_mask, info=None):
        time.sleep(self.seconds)
        return super().act(observation, action_mask)


class Endless(Sleeper):
    seconds = 1e6


class Raising(Sleeper):
    def act(self, observation, action_mask, info=None):
        raise KeyError("lost")


class Illegal(Sleeper):
    def act(self, observation, action_mask, info=None):
        return int(np.flatnonzero(action_mask == 0)[0])


class Curious(Sleeper):
    def act(self, observation, action_mask, info=None):
        raise ValueError(f"{sys.argv} {sys.orig_argv[1:]} {SECRET_VARIABLE in os.environ}")


@pytest.fixture(scope="module")
def pool():
    pool = AgentPool(slow=2, time_limit=60.0)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(Setup("warehouse51_v1", {"num_players": 3}, 5, (PERSON, "random", "random")))


def question(table: Table, agent: str, **more) -> Question:
    decision = table.observation, table.action_mask
    return Question(table.setup.game, table.game, agent, table.agent_seed(), decision, table.info(), **more)


@pytest.mark.parametrize("agent", ["random", "heuristic", "pretrained", "search:playouts=5"])
def test_the_same_question_has_the_same_legal_answer(pool, table, agent):
    answers = [pool.ask(question(table, agent)).result(120) for _ in range(2)]
    assert answers[0].failure is None
    assert table.action_mask[answers[0].action]
    assert answers[0].action == answers[1].action


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (f"{HERE}:Raising", "KeyError: 'lost'"),
        (f"{HERE}:Illegal", "is not legal"),
        (f"{HERE}:Curious", "ValueError: [''] [] False"),
        ("nonsense", "is unknown"),
    ],
)
def test_an_agent_that_fails_loses_its_decision_and_the_next_one_is_answered(pool, table, agent, reason):
    answer = pool.ask(question(table, agent)).result(120)
    assert reason in answer.failure
    assert table.action_mask[answer.action]
    assert pool.ask(question(table, "search:playouts=5")).result(120).failure is None


def test_a_slow_agent_delays_no_bot_and_no_other_slow_agent(pool, table):
    for _ in range(2):
        pool.ask(only_make(f"{HERE}:Sleeper", table.game)).result(120)
    pool.ask(question(table, "heuristic")).result(120)
    slow = [pool.ask(question(table, f"{HERE}:Sleeper")) for _ in range(2)]
    quick = pool.ask(question(table, "heuristic"))
    quick.result(4.0)
    assert not slow[0].done()
    begun = time.monotonic()
    assert [answer.result(120).failure for answer in slow] == [None, None]
    assert time.monotonic() - begun < 9.0  # at the same time, not one after the other


def test_an_agent_that_never_answers_is_stopped_at_the_time_limit(table):
    pool = AgentPool(slow=1, time_limit=10.0)
    pool.ask(only_make("search:playouts=5", table.game)).result(120)
    answer = pool.ask(question(table, f"{HERE}:Endless")).result(120)
    assert "over the time limit" in answer.failure
    pool.close()


def test_an_explanation_says_what_the_agent_expects(pool, table):
    answer = pool.ask(question(table, hint_agent(table.game), explain=True)).result(120)
    assert answer.explanation.agent == "pretrained"
    assert answer.explanation.unit == POINTS
    assert math.isfinite(answer.explanation.value)
    assert answer.action == answer.explanation.action
    assert hint_agent(make_game("alles_futsch_v1")) == "pretrained"
    assert hint_agent(make_game("tests.env.third_game:make")) == "shader"
