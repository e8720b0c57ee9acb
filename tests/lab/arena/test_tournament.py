"""Tournaments: the same results for any number of workers, in any order, stopped when decided."""

import random
from contextlib import closing

import numpy as np
import pytest

from tests.lab.arena.small import DRAWN, FORGETFUL, KILLER, finish, plan_of, same
from w51_agents import AgentError
from w51_env.engine.errors import MissingPackageError
from w51_lab.arena import sizing
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan
from w51_lab.arena.sizing import size_line, sized
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor, ProcessPool, make_executor
from w51_lab.report.summary import summary_of
from w51_lab.report.tournament_files import check_installed


class Shuffled(InProcessExecutor):
    """Plays the blocks in another order."""

    def results(self, blocks):
        waiting = list(blocks)
        random.Random(3).shuffle(waiting)
        yield from super().results(waiting)


def test_every_deal_is_played_by_every_line_up_in_every_seating():
    plan = plan_of("heuristic", "random", "random", format="pairs", games=36)
    games = finish(plan).games
    assert len(games.seats) == len(games.deal_ids) * 6 * 3
    for lineup in range(6):
        own = games.of_lineup(lineup)
        assert (own.seat_counts.sum(axis=0) > 0).sum() == 2


def test_a_game_is_ascribed_to_the_deal_from_whose_seed_it_is_played():
    plan = plan_of("heuristic", "random", "random", games=60, time_limit=None, replays=60)
    result = play_block(plan, plan.blocks[0])
    assert len(set(result.deals)) > 3
    assert [replay.row for replay in result.replays] == list(range(len(result.deals)))
    assert [replay.seed for replay in result.replays] == plan.deals.seeds[result.deals].tolist()


def test_blocks_share_the_memory_of_all_games():
    plan = plan_of("heuristic", "random", "random", games=60, time_limit=9.0)  # a deal a block
    played = finish(plan)
    assert len(played.results) > 1
    assert all(np.shares_memory(result.scores, played.games.scores) for result in played.results)
    assert same(played, run(plan, Shuffled(plan)))


@pytest.mark.parametrize(
    ("agent", "workers"), [("search:playouts=2", 1), pytest.param(DRAWN, 2, marks=pytest.mark.slow)]
)
def test_results_are_the_same_for_any_number_of_workers(agent: str, workers: int):
    plan = plan_of("heuristic", agent, games=24)
    here = finish(plan)
    with closing(ProcessPool(plan, workers)) as executor:
        there = run(plan, executor)
    assert same(here, there)
    assert summary_of(plan, here).agents[0].win_rate == summary_of(plan, there).agents[0].win_rate


def test_neither_the_order_of_blocks_nor_what_an_agent_remembers_of_one_matters():
    plan = plan_of("heuristic", DRAWN, FORGETFUL, games=12)
    assert same(finish(plan), run(plan, Shuffled(plan)))


@pytest.mark.slow
def test_a_block_whose_process_dies_is_played_again(tmp_path, monkeypatch):
    monkeypatch.setenv("KILLER", str(tmp_path / "killed"))
    monkeypatch.setenv("KILL_ONCE", "1")
    plan = plan_of(KILLER, "random", games=12)
    with closing(ProcessPool(plan, 2)) as executor:
        there = run(plan, executor)
    assert (tmp_path / "killed").exists()
    assert same(finish(plan), there)


@pytest.mark.slow
def test_an_agent_that_kills_its_process_each_time_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("KILLER", str(tmp_path / "killed"))
    plan = plan_of(KILLER, "random", games=12)
    message = r"workers: killed 4 times, .* in games of random, tests.lab.arena.small:Killer"
    with closing(ProcessPool(plan, 1)) as executor, pytest.raises(AgentError, match=message):
        run(plan, executor)


def test_bots_are_played_by_threads_with_the_same_results():
    plan = Plan(TournamentSpec(agents=("heuristic", "random"), games=600))
    assert isinstance(make_executor(plan, 2), InProcessExecutor)
    assert same(run(plan, InProcessExecutor(plan, 1)), run(plan, InProcessExecutor(plan, 2)))


def test_repeated_names_get_numbers():
    assert plan_of("random", "random", "random").names == ("random", "random (2)", "random (3)")


# ---- which seatings


@pytest.mark.parametrize(
    ("agents", "games", "seatings"),
    [
        (("heuristic", "random", "search:playouts=1"), 600, "permutations"),
        (("heuristic", "random", "search:playouts=1"), 599, "rotations"),
        (("heuristic", "heuristic", "random"), 6000, "rotations"),  # to swap two of a kind is the same game again
    ],
)
def test_all_permutations_are_played_where_they_leave_enough_deals(agents, games, seatings):
    assert plan_of(*agents, games=games).seatings == seatings


@pytest.mark.parametrize(
    ("package", "asked", "message"),
    [
        ("jinja2", "report", r"a report: needs jinja2: pip install 'w51_env\[arena\]'"),
        ("openskill", "ratings", r"ratings: needs openskill: pip install 'w51_env\[arena\]'"),
        ("open_spiel", "alpha", r"alpha-rank: needs open_spiel: pip install 'w51_env\[games\]'"),
    ],
)
def test_a_package_that_the_end_needs_is_missed_before_the_beginning(
    monkeypatch, package: str, asked: str, message: str
):
    monkeypatch.setattr("w51_lab.report.tournament_files.find_spec", lambda name: None if name == package else name)
    with pytest.raises(MissingPackageError, match=message):
        check_installed(**{"report": False, "ratings": False, "alpha": False, asked: True})
    check_installed(**{"report": True, "ratings": True, "alpha": True, asked: False})


# ---- stops when decided


def test_a_tournament_stops_when_every_difference_is_decided():
    plan = Plan(TournamentSpec(agents=("heuristic", "random"), games=40_000, until_decided=True))
    played = finish(plan)
    assert played.stopped is not None
    assert played.stopped < len(plan.deals.seeds)
    assert len(played.games.deal_ids) == played.stopped
    summary = summary_of(plan, played)
    assert summary.stopped.model_dump() == {
        "deals": played.stopped,
        "of": len(plan.deals.seeds),
        "reason": "all differences decided",
    }
    assert summary.pairs[0].better == "heuristic"


def test_where_it_ends_does_not_depend_on_which_block_came_first():
    plan = plan_of("heuristic", "random", games=600, until_decided=True)
    first, second = finish(plan), run(plan, Shuffled(plan))
    assert first.stopped == second.stopped is not None
    assert same(first, second)


def test_a_tournament_stops_when_its_intervals_are_as_narrow_as_asked_for():
    plan = plan_of("heuristic", "random", games=6000, precision=12, time_limit=None)
    needed: list[int] = []
    played = run(plan, Shuffled(plan), on_size=needed.append)
    assert played.stopped is not None
    assert same(played, finish(plan))
    assert 25 < played.stopped < len(plan.deals.seeds)
    assert needed[-1] == pytest.approx(played.stopped, rel=0.6)
    summary = summary_of(plan, played)
    (pair,) = summary.pairs
    assert pair.win_rate.high - pair.win_rate.low <= 0.12
    assert summary.stopped.reason == "all intervals of differences narrow enough"
    earlier = finish(plan_of("heuristic", "random", games=played.stopped * 3, precision=12, time_limit=None))
    assert earlier.stopped != played.stopped  # the number that is planned is part of the boundary


def test_games_of_a_precision_are_planned_and_said_before_they_are_played(monkeypatch: pytest.MonkeyPatch):
    spec, needed = sized(TournamentSpec(agents=("heuristic", "random"), precision=20))
    plan = Plan(spec)
    assert (len(plan.deals.seeds), plan.seatings) == (48, "rotations")
    with monkeypatch.context() as patched:
        patched.setattr(sizing, "collect", None)  # the count is handed on: no deal is played a second time
        (line,) = size_line(plan, needed)
    assert [line] == list(size_line(plan))
    assert line.startswith("an interval 20 points wide needs about 48 deals (192 games)")
    for changed in ({"until_decided": True}, {"agents": ("heuristic",)}):
        with pytest.raises(AgentError, match="precision: needs two agents or more, and goes without until_decided"):
            sized(spec.model_copy(update=changed))


def test_equals_play_to_the_end():
    plan = plan_of("random", "random", games=300, until_decided=True)
    played = finish(plan)
    assert played.stopped is None
    assert not summary_of(plan, played).pairs[0].decided
