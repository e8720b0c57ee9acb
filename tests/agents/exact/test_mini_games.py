"""The mini games: how large they are, counted, and that they have the game's main ideas."""

import numpy as np
import pytest
from scipy.stats import chisquare

from w51_agents.exact.tree import Tree
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals
from w51_env.warehouse51.relics import load_relic_set


def test_nano_has_the_size_that_its_relic_file_says(nano: Tree):
    # two orders of the blue deck x 13 places of two counterfeits: both among three gaps 6, one of them 2 x 3, none 1
    assert len(nano.levels[0]) == 26
    assert nano.nodes() == 212_810
    assert [nano.information_states(seat) for seat in range(3)] == [8_127, 10_031, 9_457]
    assert sum(nano.information_states(seat) for seat in range(3)) < 10**5


def test_information_states_tell_apart_what_a_seat_saw_and_nothing_else(nano: Tree):
    # the first decision is player 0's; two of three gaps are beside player 0, so a card in the third is not seen:
    # both counterfeits unseen or in gap 1 look alike, which leaves 1 + 2 + 2 + 2 = 7 of the 13 (deck orders apart)
    first = nano.levels[0]
    assert len(np.unique(first.information[0])) == 7
    for level in nano.levels:
        for seat in range(3):
            mine = level.mover == seat
            same_choices = {
                tuple(pair) for pair in np.stack([level.information[seat][mine], level.choices[mine]]).T.tolist()
            }
            assert len(same_choices) == len(np.unique(level.information[seat][mine]))


@pytest.mark.parametrize("preset", ["nano", "mini"])
def test_deals_come_as_often_as_the_rules_say(preset: str):
    game = warehouse51.make(preset=preset)
    states, probabilities = deals(game)
    places = {state.tobytes(): place for place, state in enumerate(states)}
    batch = Batch(game, 40_000, seed=99, observe=False)
    batch.reset()
    batch.games["stream"] = 0
    counts = np.bincount([places[state.tobytes()] for state in batch.games], minlength=len(states))
    assert chisquare(counts, probabilities * len(batch.games)).pvalue > 0.001


@pytest.mark.parametrize("name", ["nano", "mini"])
def test_mini_games_have_the_main_ideas_and_say_that_they_are_made_up(name: str):
    relics = load_relic_set(name).relics
    assert len({relic.category for relic in relics}) >= 2
    assert {relic.weapon for relic in relics} == {True, False}
    assert any(relic.effect for relic in relics)
    assert load_relic_set(name).blank_counterfeits > 0
    assert all(
        relic.source(key) == "reconstructed" for relic in relics for key in ("name", "category", "value", "effect")
    )


def test_mini_games_are_for_three_and_nobody_can_pawn_in_nano():
    assert warehouse51.make(preset="nano").num_players == warehouse51.make(preset="mini").num_players == 3
    assert warehouse51.make(preset="nano").options["reserve"] == 0


def test_a_deal_of_mini_has_about_ten_million_nodes():
    # Knuth (1975): along random play, the product of the numbers of choices so far is an unbiased estimate of each
    # level's width. With 20,000 games its standard error is below 3 %.
    batch = Batch(warehouse51.make(preset="mini"), 20_000, seed=1, autoreset="disabled", keep_final=False)
    batch.reset()
    width, nodes, pawned = np.ones(batch.num_games), np.ones(batch.num_games), np.zeros(batch.num_games, bool)
    while (running := batch.seat >= 0).any():
        width[running] *= batch.action_mask[running].sum(1)
        nodes[running] += width[running]
        batch.step(batch.sample_actions())
        pawned |= batch.games["pawned"].any(1)
    assert 1e7 < nodes.mean() < 1.6e7
    assert 0.3 < pawned.mean() < 1.0
