"""The most surprising games of a tournament, and their pages."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.lab.arena.small import finish
from w51_agents.agent.interface import BatchAgent
from w51_agents.named import registry
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan
from w51_lab.arena.recorded_games import RecordedGame
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.store import Store
from w51_lab.arena.surprise import SWING, UPSET, Candidate, SurpriseLog, most_surprising
from w51_lab.report.summary import summary_of
from w51_lab.report.tournament_files import write_results


class Moody(BatchAgent):
    """A random agent whose value estimates swing in the games in which its seat has 3 or more legal actions once."""

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: object = None) -> np.ndarray:
        return (self._generator.random(action_masks.shape) * action_masks).argmax(axis=1)

    def values(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return action_masks.sum(axis=1) / 100


@pytest.fixture(autouse=True)
def moody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._FACTORIES, "moody", lambda game: Moody())


def plan(**changes: object) -> Plan:
    fields = {"agents": ("heuristic", "random"), "options": {"preset": "mini"}, "games": 60, "surprising": 4, **changes}
    return Plan(TournamentSpec(**fields))  # type: ignore[arg-type]


def upset(winner: int, row: int = 0) -> Candidate:
    return Candidate(UPSET, winner, 5.0, RecordedGame(row, 1, ("external",), ()))


def swing(size: float, row: int) -> Candidate:
    return Candidate(SWING, -1, size, RecordedGame(row, 1, ("external",), ()))


SEATS = [np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])]


def test_swings_and_upsets_take_turns_the_largest_first():
    candidates = [[swing(0.2, 0), swing(0.9, 1), upset(1, 2), upset(0, 0)]]
    found = most_surprising(candidates, SEATS, [1600, 1400], ["strong", "weak"], 3)
    assert [surprise.candidate.game.row for surprise in found] == [1, 2, 0]
    assert found[0].reason == "value swing 0.90"
    assert found[1].reason.startswith("upset: weak wins, expected 19%")


def test_a_win_of_the_higher_rated_is_no_upset():
    assert most_surprising([[upset(0)]], SEATS, [1600, 1400], ["strong", "weak"], 3) == []


def test_a_game_is_kept_once():
    found = most_surprising([[swing(0.5, 1), upset(1, 1)]], SEATS, [1600, 1400], ["strong", "weak"], 3)
    assert len(found) == 1


def test_a_block_keeps_the_largest_swings_of_its_critics():
    made = plan(agents=("heuristic", "moody"))
    result = play_block(made, made.blocks[0])
    swings = [candidate for candidate in result.candidates if candidate.kind == SWING]
    assert len(swings) == 4
    assert [candidate.size for candidate in swings] == sorted((candidate.size for candidate in swings), reverse=True)
    assert swings[0].size > 0


def test_a_candidate_is_played_again_to_the_same_end():
    made = plan(agents=("heuristic", "moody"))
    result = play_block(made, made.blocks[0])
    assert result.candidates
    for game in (candidate.game for candidate in result.candidates):
        names = [made.names[agent] for agent in result.seats[game.row]]
        replay = game.replay(made.game, names)
        replay.verify()
        assert replay.final.over
        assert replay.final.scores == tuple(result.scores[game.row])


def test_without_the_option_nothing_is_kept():
    made = plan(surprising=0)
    assert play_block(made, made.blocks[0]).candidates == []


@pytest.mark.slow
def test_the_report_links_each_kept_game_to_its_page_also_after_a_resumption(tmp_path: Path):
    made = plan(replays=1)
    store = Store.begin(tmp_path, "cup", made)
    played = finish(made, store)
    assert [result.candidates for result in store.load().values()] == [result.candidates for result in played.results]
    report = write_results(made, played, summary_of(made, played), store.folder).read_text("utf-8")
    pages = sorted(path.name for path in (store.folder / "replays").glob("*.html"))
    assert len(pages) >= 2
    for page in pages:
        assert f'href="replays/{page}"' in report
        assert f'href="replays/{page.replace("html", "json")}"' in report
    assert "upset: random wins" in report


def test_a_shared_win_is_no_upset():
    made = plan(agents=("heuristic", "random"))
    log = SurpriseLog(made.game, made.agents, np.array([[1, 0], [1, 0]]), 1)
    ranks, scores = np.array([[1, 1], [1, 2]]), np.array([[9, 9], [9, 3]])
    batch = SimpleNamespace(final_scores=scores, final_ranks=ranks)
    kept = SimpleNamespace(game=lambda row, batch: row)
    found = log.candidates(batch, kept)  # type: ignore[arg-type]
    assert [(candidate.winner, candidate.size, candidate.game) for candidate in found] == [(1, 6.0, 1)]
    batch.final_ranks[1] = 1
    assert log.candidates(batch, kept) == []  # type: ignore[arg-type]
