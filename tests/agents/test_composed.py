"""Mimics and styles: agents made of others, by name."""

import numpy as np
import pytest

from w51_agents import AgentError, make_agent
from w51_agents.agent.seeds import is_stateless
from w51_agents.named.files import files_of
from w51_env import make_game
from w51_env.engine.batch import Batch

GAMES = [
    make_game("warehouse51_v1", num_players=3, table_statistics=True),
    make_game("warehouse51_v1", num_players=5, preset="hu", relics="generated:1001"),
    make_game("alles_futsch_v1", num_players=2),
]
GAME = GAMES[0]


def decisions(game, count=24, seed=1):
    """The observations, masks, games and seats of all decisions of random games."""
    batch = Batch(game, count, seed=seed, autoreset="disabled")
    batch.reset()
    found, number = [], 0
    while (going := batch.seat >= 0).any():
        rows = np.flatnonzero(going)
        found.append((batch.observation[rows], batch.action_mask[rows], rows, batch.seat[rows].astype(int)))
        number += 1
        batch.step(batch.sample_actions(number))
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_mimic_plays_the_first_lots_as_one_agent_and_then_as_another(game):
    observations, masks, games, seats = decisions(game)
    mimic = make_agent("mimic:random>heuristic,lots=1-8", game)
    begun, lots = mimic.lots(observations)
    assert begun.min() == 0
    assert 5 <= len(set(lots.tolist())) <= 8
    assert lots.min() == 1
    assert lots.max() == 8
    by_seat = {}
    for number, seat, before, drawn in zip(games, seats, begun, lots, strict=True):
        earlier, same = by_seat.setdefault((number, seat), (before, drawn))
        assert earlier <= before  # never back
        assert same == drawn  # one number for a seat of a game
        by_seat[number, seat] = before, drawn
    mimic.reset(5)
    first, then = make_agent("random", game), make_agent("heuristic", game)
    first.reset(5)
    then.reset(5)
    is_first = begun <= lots
    expected = np.empty(len(begun), np.int64)
    expected[is_first] = first.act_batch(observations[is_first], masks[is_first])
    expected[~is_first] = then.act_batch(observations[~is_first], masks[~is_first])
    np.testing.assert_array_equal(mimic.act_batch(observations, masks), expected)
    always = make_agent("mimic:random>heuristic,lots=4", game)
    np.testing.assert_array_equal(always.lots(observations)[1], 4)


def test_a_mimic_tells_the_probabilities_of_the_agent_that_decides():
    pytest.importorskip("torch", reason="needs the extra 'train'")
    observations, masks, _, _ = decisions(GAME, count=6)
    mimic = make_agent("mimic:heuristic>pretrained,lots=4", GAME)
    is_first = np.less_equal(*mimic.lots(observations))
    told = mimic.probabilities(observations, masks)
    np.testing.assert_array_equal(
        told[is_first].argmax(1), make_agent("heuristic", GAME).act_batch(observations, masks)[is_first]
    )
    np.testing.assert_array_equal(told[is_first].max(1), 1)
    then = make_agent("pretrained", GAME).probabilities(observations[~is_first], masks[~is_first])
    np.testing.assert_allclose(told[~is_first], then, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bids", [2, -1])
def test_a_style_bids_that_much_more_or_less_where_this_is_legal(bids):
    observations, masks, _, _ = decisions(GAME)
    start, count = GAME.items.amounts
    plain = make_agent("heuristic", GAME).act_batch(observations, masks)
    styled = make_agent(f"style:heuristic,bids={bids}", GAME).act_batch(observations, masks)
    is_bid = (plain >= start) & (plain < start + count)
    np.testing.assert_array_equal(styled[~is_bid], plain[~is_bid])
    moved = (styled - plain)[is_bid]
    np.testing.assert_array_equal(masks[np.arange(len(styled)), styled], 1)
    assert set(moved.tolist()) == ({0, 1, 2} if bids > 0 else {-1, 0})
    wanted = plain[is_bid] + bids
    is_legal = (
        (wanted >= start) & (wanted < start + count) & (masks[is_bid, wanted.clip(start, start + count - 1)] == 1)
    )
    np.testing.assert_array_equal(moved[is_legal], bids)


def test_a_tilt_multiplies_the_probability_of_each_bid_by_its_exponential():
    pytest.importorskip("torch", reason="needs the extra 'train'")
    from w51_agents.training.opponents import make_opponent

    observations, masks, _, _ = decisions(GAME, count=4)
    start, count = GAME.items.amounts
    name = "style:pretrained-v2,tilt=0.3"
    plain, tilted = (make_agent(one, GAME).policy(observations, masks) for one in ("pretrained-v2", name))
    factors = np.ones(len(GAME.actions))
    factors[start : start + count] = np.exp(0.3 * np.arange(1, count + 1))
    expected = plain * factors
    expected /= expected.sum(1, keepdims=True)
    np.testing.assert_allclose(tilted, expected, rtol=1e-5, atol=1e-5)
    row = int(np.argmax((masks[:, start : start + count] > 0).sum(1)))
    opponent = make_opponent(name, GAME)
    drawn = opponent.act_batch(observations[[row] * 20_000], masks[[row] * 20_000])
    assert np.bincount(drawn, minlength=len(factors)) / 20_000 == pytest.approx(expected[row], abs=0.02)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mimic:heuristic,lots=3", "write mimic:FIRST>THEN,lots=4"),
        ("mimic:heuristic>random", "write mimic:FIRST>THEN,lots=4"),
        ("mimic:heuristic>random,lots=5-2", "lots: '5-2', but a number from 1"),
        ("mimic:heuristic>random,lots=0", "lots: '0', but a number from 1"),
        ("mimic:heuristic>nobody,lots=3", "nobody"),
        ("style:heuristic", "write style:AGENT,bids=1"),
        ("style:heuristic,bids=x", "bids: 'x', but an integer is needed"),
        ("style:heuristic,tilt=0.3", "tilt is for networks, and heuristic is none"),
        ("style:tests.agents.remembering:Nothing,bids=1", "made of bots and networks of this package"),
    ],
)
def test_a_name_that_makes_no_such_agent_says_what_is_wrong(name, message):
    with pytest.raises(AgentError, match=message):
        make_agent(name, GAME)


def test_a_game_without_bids_or_lots_has_no_styles_or_mimics():
    with pytest.raises(AgentError, match="in alles_futsch_v1 no action names an amount"):
        make_agent("style:heuristic,bids=1", GAMES[2])
    with pytest.raises(AgentError, match="do not say how many lots have begun"):
        make_agent("mimic:random>shader,lots=2", make_game("tests.env.third_game:make"))


@pytest.mark.parametrize("name", ["mimic:random>heuristic,lots=2", "style:heuristic,bids=1"])
def test_the_seed_of_the_games_repeats_what_it_draws(name):
    assert is_stateless(make_agent(name, GAME))


def test_the_files_of_a_mimic_are_those_of_its_agents():
    files = files_of("mimic:style:heuristic,bids=1>pretrained:sampled,lots=2", GAME)
    assert files == files_of("pretrained", GAME)
    assert len(files) == 1
