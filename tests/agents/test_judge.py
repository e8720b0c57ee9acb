"""The judge: bad actions cost, it knows what the seat knows, and leads are not measured where rivals are chosen."""

import numpy as np
import pytest

from tests.env.warehouse51.table import Table
from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError
from w51_agents.search.judge import COURSE, TESTED, Judge, Verdict
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of


def judged(batch: Batch, judge: Judge, seed: int = 0, action: int | None = None) -> Verdict:
    """The verdict on an action of the seat to move in the first game of a batch."""
    determinizer = Determinizer(batch.game, batch.clone()[0], int(batch.seat[0]))
    return judge.judge(determinizer, batch.observation[0].copy(), batch.action_mask[0].copy(), seed, action)


def in_state(table: Table) -> Batch:
    batch = Batch(table.game, 1, autoreset="disabled")
    batch.load(np.array([table.state], table.game.record))
    return batch


def game_of_bots(game: Game, steps: int = 10_000) -> tuple[Batch, list[np.void], list[int]]:
    """A game of the best bot after some decisions, with the states and the actions so far."""
    batch, bot = Batch(game, 1, seed=3, autoreset="disabled"), BotAgent(game, game.bots[-1])
    batch.reset()
    bot.reset(0)
    states, actions = [], []
    while batch.seat[0] >= 0 and len(actions) < steps:
        states.append(batch.clone()[0])
        actions.append(int(bot.act_batch(batch.observation.copy(), batch.action_mask.copy())[0]))
        batch.step(np.array(actions[-1:]))
    return batch, states, actions


def test_to_pass_the_last_relic_costs_the_game_and_a_bid_for_it_nothing():
    table = Table(3, first_player=0).give(0, "ark_of_the_covenant").decks("holy_grail").ingots(10, 10, 10)
    table.play("choose_deck_blue")
    batch, judge = in_state(table), Judge(table.game)
    passed, bid = (judged(batch, judge, action=table.game.actions.id(name)) for name in ("pass", "bid_1"))
    assert passed.judged.chance == 0
    assert passed.is_costly
    assert passed.rival == passed.advice
    assert table.game.actions[passed.advice.action].name.startswith("bid")
    assert not bid.is_costly
    assert bid.advice.chance == pytest.approx(passed.lead, abs=0.1)


@pytest.mark.parametrize(
    ("game_id", "players", "network"), [("warehouse51_v1", 4, None), ("alles_futsch_v1", 2, "pretrained-v2")]
)
def test_states_that_look_the_same_have_one_verdict_and_one_advice(game_id: str, players: int, network: str | None):
    game = make_game(game_id, num_players=players)
    source, _, _ = game_of_bots(game, 30)
    redrawn = Batch(game, 1, seed=3, autoreset="disabled")
    redrawn.load(source.clone())
    redrawn.resample_hidden(int(source.seat[0]), 5)
    assert (source.clone() != redrawn.clone()).any()
    judge = Judge(game, network)
    for action in (None, int(np.flatnonzero(source.action_mask[0])[-1])):
        assert judged(source, judge, 1, action) == judged(redrawn, judge, 1, action)


class Coin:
    """Playouts that an action does not change: a winner is drawn for each."""

    def __init__(self, game: Game):
        self._players, self._generator = game.num_players, np.random.default_rng(5)

    def play(self, leaves: LeafBatch) -> Outcomes:
        scores = self._generator.permuted(np.tile(np.arange(self._players), (len(leaves.states), 1)), axis=1)
        return Outcomes(scores.astype(np.int16), (self._players - scores).astype(np.int8))


def test_where_all_actions_are_worth_the_same_no_lead_is_found():
    game = make_game("warehouse51_v1")
    batch, _, _ = game_of_bots(game, 3)
    judge = Judge(game)
    judge._playouts = Coin(game)
    action = int(np.flatnonzero(batch.action_mask[0])[0])
    verdicts = [judged(batch, judge, seed, action) for seed in range(60)]
    leads = np.array([verdict.lead for verdict in verdicts])
    assert abs(leads.mean()) < 3 * leads.std() / len(leads) ** 0.5  # the best of many on their own playouts leads
    assert leads.std() == pytest.approx(np.mean([verdict.error for verdict in verdicts]), rel=0.35)
    assert sum(verdict.is_costly for verdict in verdicts) <= 1  # 2 of 100


def test_a_decision_with_one_candidate_is_judged_without_a_rival():
    game = make_game("warehouse51_v1", preset="nano")
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    mask = np.zeros_like(batch.action_mask[0])
    mask[np.flatnonzero(batch.action_mask[0])[0]] = 1
    determinizer = Determinizer(game, batch.clone()[0], int(batch.seat[0]))
    verdict = Judge(game).judge(determinizer, batch.observation[0].copy(), mask, 7)
    assert (verdict.rival, verdict.alternative, verdict.lead, verdict.playouts) == (None, None, 0.0, TESTED)
    assert verdict.advice == verdict.judged


def test_the_course_of_a_game_as_the_bot_plays_it_is_its_result_from_the_first_decision_on():
    game = make_game("warehouse51_v1", preset="nano")
    batch, states, actions = game_of_bots(game)
    course = Judge(game).course(np.array(states, game.record), actions)
    np.testing.assert_array_equal(course, wins_of(batch.final_ranks)[0])


def test_a_course_is_the_share_of_games_that_are_played_anew_from_each_state():
    game = make_game("alles_futsch_v1", num_players=2)
    _, states, actions = game_of_bots(game)
    part = np.array(states[-24:], game.record)
    judge = Judge(game, "pretrained-v2")
    course = judge.course(part, actions[-24:])
    judge._deals_nothing = lambda states, actions: np.zeros(len(states) - 1, bool)  # so that no result is kept
    np.testing.assert_array_equal(course, judge.course(part, actions[-24:]))
    assert course.sum(axis=1) == pytest.approx(1)
    np.testing.assert_array_equal(np.round(course * COURSE * 2), course * COURSE * 2)  # a shared win is half of one


def test_a_network_that_does_not_play_the_game_is_refused():
    with pytest.raises(AgentError, match="exploiter"):
        Judge(make_game("alles_futsch_v1"), "exploiter")


def test_the_rival_is_the_best_of_those_that_were_played_longest(monkeypatch):
    """One that was given up after a lucky start is none."""

    def searched(state):
        yield LeafBatch(state.draw(1), np.zeros(1, np.int64))
        state.samples = np.array([[0.5, 0.9, 0.6, 0.5], [0.5, np.nan, 0.6, 0.5]])
        return 0

    batch, _, _ = game_of_bots(make_game("warehouse51_v1"), 1)
    determinizer = Determinizer(batch.game, batch.games[0], int(batch.seat[0]))
    state, judge = SearchState(determinizer, np.array([3, 5, 7, 9]), SearchSettings(), None, 1), Judge(batch.game)
    monkeypatch.setattr("w51_agents.search.judge.flat_search", searched)
    monkeypatch.setattr(judge, "_play", lambda leaves: None)
    assert judge._rival(state) == 7


def test_what_is_better_in_a_review_is_what_is_advised():
    game = make_game("warehouse51_v1", preset="nano")
    batch, _, _ = game_of_bots(game, 4)
    judge = Judge(game)
    advised = judged(batch, judge, 3).advice.action
    for action in np.flatnonzero(batch.action_mask[0]).tolist():
        verdict = judged(batch, judge, 3, action)
        assert verdict.judged.action == action
        if action == advised:
            assert not verdict.is_costly
        else:
            assert verdict.rival.action == advised
