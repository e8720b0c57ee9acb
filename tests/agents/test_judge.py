"""The judge: bad actions cost, it knows what the seat knows; asked longer, it is surer and of the same opinion."""

import numpy as np
import pytest

from tests.env.warehouse51.table import Table
from w51_agents import make_agent
from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError
from w51_agents.search.course import COURSE
from w51_agents.search.deliberation import Verdict
from w51_agents.search.judge import Judge
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.price_limit import PriceLimit, one_peak
from w51_agents.search.shrinkage import believed
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of


def judged(batch: Batch, judge: Judge, seed: int = 0, action: int | None = None) -> Verdict:
    """The verdict on an action of the seat to move in the first game of a batch."""
    return judge.judge(*asked_of(batch), seed, action)


def asked_of(batch: Batch) -> tuple[Determinizer, np.ndarray, np.ndarray]:
    """What a judge needs to know of it."""
    determinizer = Determinizer(batch.game, batch.clone()[0], int(batch.seat[0]))
    return determinizer, batch.observation[0].copy(), batch.action_mask[0].copy()


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
    assert passed.judged.chance == pytest.approx(0, abs=0.02)
    assert passed.judged.is_mistake
    assert table.game.actions[passed.advice.action].name.startswith("bid")
    assert not bid.judged.is_mistake
    assert bid.advice.chance == pytest.approx(passed.judged.loss, abs=0.1)
    first = judge.consider(*asked_of(batch), 0).candidates[0]  # what others are measured by together
    assert judged(batch, judge, action=int(first)).behind.mean == 0
    assert passed.behind.mean == pytest.approx(passed.judged.loss - bid.judged.loss, abs=0.05)


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


def test_where_actions_are_worth_the_same_none_is_a_mistake():
    game = make_game("warehouse51_v1")
    batch, _, _ = game_of_bots(game, 3)
    judge = Judge(game)
    judge.parts = judge.parts._replace(playouts=Coin(game))
    actions = np.flatnonzero(batch.action_mask[0])[:2]
    mask = np.isin(np.arange(len(game.actions)), actions).astype(np.int8)
    determinizer = Determinizer(game, batch.clone()[0], int(batch.seat[0]))
    several = [
        judge.consider(determinizer, batch.observation[0].copy(), mask, seed, int(actions[0])) for seed in range(40)
    ]
    judge.think(several, 30_000)
    judgements = [one.verdict().judged for one in several]
    assert sum(one.is_mistake for one in judgements) <= 2
    assert np.mean([one.loss for one in judgements]) < 0.01  # the better of two noisy means leads by more


def test_a_decision_with_one_candidate_has_no_alternative():
    game = make_game("warehouse51_v1", preset="nano")
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    mask = np.zeros_like(batch.action_mask[0])
    mask[np.flatnonzero(batch.action_mask[0])[0]] = 1
    determinizer = Determinizer(game, batch.clone()[0], int(batch.seat[0]))
    verdict = Judge(game).judge(determinizer, batch.observation[0].copy(), mask, 7)
    assert verdict.alternative is None
    assert verdict.advice == verdict.judged
    assert verdict.advice.loss == 0


def test_the_course_of_a_game_as_the_bot_plays_it_is_its_result_from_the_first_decision_on():
    game = make_game("warehouse51_v1", preset="nano")
    batch, states, actions = game_of_bots(game)
    course = Judge(game).course.chances(np.array(states, game.record), actions)
    np.testing.assert_array_equal(*np.broadcast_arrays(course, wins_of(batch.final_ranks)[0]))


def test_a_course_is_the_share_of_games_that_are_played_anew_from_each_state():
    game = make_game("alles_futsch_v1", num_players=2)
    _, states, actions = game_of_bots(game)
    part = np.array(states[-24:], game.record)
    judge = Judge(game, "pretrained-v2")
    course = judge.course.chances(part, actions[-24:])
    judge.course._deals_nothing = lambda states, actions: np.zeros(len(states) - 1, bool)  # so that no result is kept
    np.testing.assert_array_equal(course, judge.course.chances(part, actions[-24:]))
    assert course.sum(axis=1) == pytest.approx(1)
    np.testing.assert_array_equal(np.round(course * COURSE * 2), course * COURSE * 2)  # a shared win is half of one


def test_a_network_that_does_not_play_the_game_is_refused():
    with pytest.raises(AgentError, match="exploiter"):
        Judge(make_game("alles_futsch_v1"), "exploiter")


def test_a_review_advises_what_a_hint_does_whatever_was_played():
    game = make_game("warehouse51_v1", preset="nano")
    batch, _, _ = game_of_bots(game, 4)
    judge = Judge(game)
    hint = judged(batch, judge, 3)
    for action in np.flatnonzero(batch.action_mask[0]).tolist():
        verdict = judged(batch, judge, 3, action)
        assert verdict.judged.action == action
        assert verdict.advice.chance == pytest.approx(hint.advice.chance, abs=2 * (hint.error + verdict.error))
        assert verdict.worths[0].loss == 0 <= verdict.worths[-1].loss  # what is said best has the best number
        if action == hint.advice.action:
            assert not verdict.judged.is_mistake


def test_more_playouts_go_to_the_decision_in_doubt_and_make_its_error_smaller():
    table = Table(3, first_player=0).give(0, "ark_of_the_covenant").decks("holy_grail").ingots(10, 10, 10)
    table.play("choose_deck_blue")
    clear, (open_game, _, _) = in_state(table), game_of_bots(make_game("warehouse51_v1", num_players=3), 4)
    judge = Judge(open_game.game)
    considered = []
    for batch, name in ((clear, "pass"), (open_game, None)):
        determinizer = Determinizer(batch.game, batch.clone()[0], int(batch.seat[0]))
        action = None if name is None else batch.game.actions.id(name)
        decision = determinizer, batch.observation[0].copy(), batch.action_mask[0].copy()
        considered.append(judge.consider(*decision, 1, action))
    judge.think(considered, 1000)
    before = [one.verdict() for one in considered]
    judge.think(considered, 4000)
    after = [one.verdict() for one in considered]
    assert after[1].playouts > before[1].playouts
    assert after[1].error < before[1].error
    assert after[0].playouts <= before[0].playouts + 96


def test_a_lost_game_has_no_mistakes_though_it_is_lost_by_more_points():
    batch, _, _ = game_of_bots(make_game("warehouse51_v1", preset="nano"), 4)
    seat = int(batch.seat[0])
    decision = batch.determinizer(0), batch.observation[0].copy(), batch.action_mask[0].copy()
    one = Judge(batch.game).consider(*decision, 1, int(np.flatnonzero(batch.action_mask[0])[-1]))
    is_judged = one.step().actions == one.judged
    scores, ranks = np.full((len(is_judged), batch.game.num_players), 20), np.ones((len(is_judged), 1), int)
    scores[:, seat] = np.where(is_judged, 0, 12) + np.arange(len(is_judged)) % 3
    one.add(Outcomes(scores, np.where(np.arange(batch.game.num_players) == seat, 3, ranks)))
    judgement = one.verdict().judged
    assert not judgement.is_mistake
    assert judgement.loss == 0


def test_who_breaks_a_tie_counts_though_the_scores_are_level():
    batch, _, _ = game_of_bots(make_game("warehouse51_v1", preset="nano"), 4)
    seat, players = int(batch.seat[0]), np.arange(batch.game.num_players)
    decision = batch.determinizer(0), batch.observation[0].copy(), batch.action_mask[0].copy()
    one = Judge(batch.game).consider(*decision, 1, int(np.flatnonzero(batch.action_mask[0])[-1]))
    for _ in range(4):
        actions = one.step().actions
        lead = np.repeat(np.resize([-4, 0, 4, 0], 32), len(actions) // 32)
        wins = np.where(lead == 0, actions != one.judged, lead > 0)
        scores = np.where(players == seat, 20 + lead[:, None], 20)
        one.add(Outcomes(scores, 1 + np.where(players == seat, ~wins[:, None], wins[:, None])))
    judgement = one.verdict().judged
    assert judgement.is_mistake
    assert judgement.loss > 0.3


def test_what_seeds_say_of_one_position_differs_by_no_more_than_the_error_that_they_say():
    game = make_game("warehouse51_v1", preset="nano")
    batch, _, _ = game_of_bots(game, 4)
    judge = Judge(game)
    verdicts = [judged(batch, judge, seed) for seed in range(40)]
    best = verdicts[0].advice.action
    said = [(worth.chance, verdict.error) for verdict in verdicts for worth in verdict.worths if worth.action == best]
    chances, errors = np.transpose(said)
    assert chances.std() <= 1.3 * errors.mean()
    for verdict in verdicts:
        loss = next(worth for worth in verdict.worths if worth.action == best)
        assert loss.loss <= 2 * loss.error


def test_what_is_believed_of_a_difference_is_less_than_measured_and_all_of_a_large_one():
    beliefs = [believed(lead, 0.03, 0.01) for lead in (0.0, 0.03, 0.3)]
    assert 0 == beliefs[0].mean < beliefs[1].mean < 0.02
    assert beliefs[2].mean == pytest.approx(0.3, rel=0.15)
    assert beliefs[0].above < beliefs[1].above < 0.9 < 0.999 < beliefs[2].above


def test_a_price_limit_is_where_bids_fall_below_a_pass():
    def limit(*gains: float) -> PriceLimit:
        bids = np.array([5, 6, 7, 9, 12][: len(gains)])
        return PriceLimit(4, 0.3, bids, np.array(gains), np.zeros(len(gains)), 100)

    assert (limit(0.1, 0.2, 0.1, 0.05, -0.1).highest, limit(0.1, 0.2, 0.1).best) == (10, 6)
    assert (limit(-0.1, -0.2).highest, limit(-0.1, -0.2).best, limit(0.1, 0.05).highest) == (None, None, 6)
    assert one_peak(np.array([0.0, 2.0, 1.0, 3.0, 1.0, 2.0]), np.ones(6)).tolist() == [0.0, 1.5, 1.5, 3.0, 1.5, 1.5]
    assert one_peak(np.array([2.0, 1.0, 0.0, 3.0]), np.array([1, 1, 1, 9])).tolist() == [1.0, 1.0, 1.0, 3.0]


def test_the_last_relic_is_worth_all_that_a_seat_has_and_what_it_cannot_win_by_nothing():
    table = Table(3, first_player=0).give(0, "ark_of_the_covenant").decks("holy_grail").ingots(10, 10, 10)
    table.play("choose_deck_blue")
    batch, judge = in_state(table), Judge(table.game)
    search = judge.limits(Determinizer(batch.game, batch.clone()[0], int(batch.seat[0])), batch.action_mask[0], 1)
    judge.climb(search, 2000)
    found = search.found()
    assert found.passed == 0
    assert found.best is not None
    assert batch.game.actions[found.highest].name == "bid_10"
    assert judge.limits(batch.determinizer(0), np.zeros_like(batch.action_mask[0]), 1) is None


def test_an_agent_that_follows_its_price_limit_takes_the_last_relic():
    table = Table(3, first_player=0).give(0, "ark_of_the_covenant").decks("holy_grail").ingots(10, 10, 10)
    table.play("choose_deck_blue")
    batch = in_state(table)
    agent = make_agent("champion:playouts=800,bids=limit", batch.game)
    agent.reset(1)
    decision = batch.observation[0].copy(), batch.action_mask[0].copy(), {"determinizer": batch.determinizer(0)}
    assert batch.game.actions[agent.act(*decision)].name.startswith("bid")
    with pytest.raises(AgentError, match="bids: 'all', but best or limit is needed"):
        make_agent("champion:bids=all", batch.game)
