"""Agents that fail: they forfeit decisions by the stated rule, are reported with what caused it, and stop nothing."""

import time

import numpy as np
import pytest

from tests.lab.arena.small import Outside
from tests.lab.report.test_summary import FACTS
from tests.lab.statistics.made import made
from w51_agents.agent.interface import BatchAgent, SingleAgent
from w51_agents.language.llm.models import Usage
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_lab.arena.match_loop import play
from w51_lab.arena.supervisor import FAILURES_PER_GAME, AgentSupervisor
from w51_lab.report.sentences import usage_lines
from w51_lab.report.summary import summarise

GAME = make_game("warehouse51_v1", num_players=3)


class Faulty(SingleAgent):
    """The first legal action; but what `failure` does at every `every`-th decision."""

    def __init__(self, failure, every: int = 10):
        self.failure, self.every, self.asked = failure, every, 0

    def act(self, observation, action_mask, info=None):
        self.asked += 1
        if self.asked % self.every == 0:
            return self.failure(observation, action_mask)
        return int(np.flatnonzero(action_mask)[0])


def fails(observation, mask):
    raise RuntimeError("no idea")


def cheats(observation, mask):
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])


def hangs(observation, mask):
    while True:
        time.sleep(0.001)


def match(agent, games: int = 4, time_limit: float | None = None) -> tuple[AgentSupervisor, AgentSupervisor, Batch]:
    """An agent against two bots that are asked from outside."""
    agents = {"it": agent, "bot": Outside(GAME, "heuristic")}
    supervisors = [AgentSupervisor(name, it, GAME, games, time_limit, 1) for name, it in agents.items()]
    batch = play(GAME, supervisors, np.tile([0, 1, 1], (games, 1)), np.arange(games, dtype=np.uint64))
    return (*supervisors, batch)


class BadError(RuntimeError):
    def __str__(self):
        raise RuntimeError("not even that")


def raises(error: BaseException):
    def fail(observation, mask):
        raise error

    return fail


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (fails, "errors", "RuntimeError: no idea"),
        (raises(BadError()), "errors", "BadError"),
        (raises(SystemExit(3)), "errors", "SystemExit: 3"),
        (raises(NotImplementedError()), "errors", "NotImplementedError"),
        (cheats, "illegal", "is not legal; legal are"),
        (lambda *shown: 999, "illegal", "ids go from 0 to"),
        (lambda *shown: 4.5, "illegal", "act"),
        (lambda *shown: "5", "illegal", "act"),
        (lambda *shown: None, "illegal", "act"),
        (lambda *shown: [1], "illegal", "act"),
    ],
)
def test_a_failure_forfeits_its_decision_only(failure, kind, message):
    supervisor, other, batch = match(Faulty(failure))
    np.testing.assert_array_less(batch.seat, 0)
    assert supervisor.statistics.failures[kind] > 0
    assert sum(supervisor.statistics.failures.values()) == supervisor.statistics.failures[kind]
    assert message in supervisor.statistics.first.message
    assert sum(other.statistics.failures.values()) == 0


def test_the_first_failure_is_kept_with_observation_and_mask():
    supervisor, _, _ = match(Faulty(cheats, every=1))
    first = supervisor.statistics.first
    assert first.observation.shape == (GAME.layout.size,)
    assert first.mask.any()
    assert first.seat == 0
    assert 0 <= first.row < 4


def test_after_three_failures_in_a_game_the_other_decisions_are_skipped():
    supervisor, _, batch = match(Faulty(fails, every=1), games=5)
    assert supervisor.statistics.failures["errors"] == 5 * FAILURES_PER_GAME
    assert supervisor.statistics.skipped > 0
    np.testing.assert_array_less(batch.seat, 0)


def test_one_bad_position_costs_no_other_in_the_same_call():
    """An agent that can only answer all or none is asked alone about each where it fails."""

    class Picky(BatchAgent):
        def reset(self, seed):
            pass

        def act_batch(self, observations, action_masks, infos=None):
            if (observations.sum(axis=1) % 50 == 0).any():
                raise ValueError("I do not like one of these")
            return (np.asarray(action_masks) != 0).argmax(axis=1)

    supervisor, _, _ = match(Picky(), games=60)
    assert 0 < supervisor.statistics.failures["errors"] < supervisor.statistics.decisions / 5


def test_an_agent_that_does_not_come_to_an_end_is_interrupted():
    begun = time.monotonic()
    supervisor, _, batch = match(Faulty(hangs, every=1), games=2, time_limit=0.02)
    np.testing.assert_array_less(batch.seat, 0)
    assert supervisor.statistics.failures["late"] == 2 * FAILURES_PER_GAME
    assert "over the time limit of 0.02 s for a decision" in supervisor.statistics.first.message
    assert time.monotonic() - begun < 60


def test_an_agent_in_time_loses_nothing():
    supervisor, _, _ = match(Faulty(cheats, every=10**9), time_limit=30.0)
    assert sum(supervisor.statistics.failures.values()) == supervisor.statistics.skipped == 0
    assert supervisor.statistics.decisions > 100
    assert supervisor.statistics.seconds > 0


def test_what_is_played_instead_is_drawn_from_the_seed():
    scores = [match(Faulty(fails, every=3))[2].final_scores.copy() for _ in range(2)]
    np.testing.assert_array_equal(scores[0], scores[1])


# ---- agents that mean harm


class Sly(BatchAgent):
    """Changes what it is shown, so that its answer looks legal."""

    def reset(self, seed):
        pass

    def act_batch(self, observations, action_masks, infos=None):
        observations[:] = 7
        action_masks[:] = 1
        return np.full(len(observations), len(GAME.actions) - 1)


def test_an_agent_cannot_change_what_it_is_judged_by():
    supervisor, _, _ = match(Sly())
    assert supervisor.statistics.failures["illegal"] > 0
    assert not (supervisor.statistics.first.observation == 7).all()


def test_all_decisions_are_skipped_if_reset_fails():
    class Stuck(SingleAgent):
        def reset(self, seed):
            raise ValueError("stuck")

        def act(self, observation, action_mask, info=None):
            raise AssertionError("it is not asked")

    supervisor, _, batch = match(Stuck())
    np.testing.assert_array_less(batch.seat, 0)
    assert supervisor.statistics.failures["errors"] == 1
    assert supervisor.statistics.decisions == 0 < supervisor.statistics.skipped
    assert supervisor.statistics.first.message == "reset: ValueError: stuck"


class Metered(Outside):
    """The heuristic with the usage of a language model: a question for each decision."""

    def __init__(self):
        super().__init__(GAME, "heuristic")
        self.usage = Usage()

    def act_batch(self, observations, action_masks, infos=None):
        self.usage.questions += len(observations)
        self.usage.cost += 0.5 * len(observations)
        return super().act_batch(observations, action_masks, infos)


def test_the_usage_of_a_language_model_is_that_of_its_own_block():
    agent = Metered()
    first, bot, _ = match(agent)
    second, _, _ = match(agent)
    for supervisor in (first, second):
        assert supervisor.statistics.usage["questions"] == supervisor.statistics.decisions > 0
    first.statistics.add(second.statistics)
    facts = first.statistics.facts
    assert facts.usage.questions == agent.usage.questions
    assert bot.statistics.facts.usage is None
    (line,) = usage_lines(summarise(made([0, 1], 2), FACTS, [facts, bot.statistics.facts]))
    assert line.startswith(f"a: {agent.usage.questions:,} questions, 0 tokens read")
    assert f"cost {agent.usage.cost:,.2f}" in line
