"""Details of search that a game hardly shows: random numbers of seats and likely actions."""

import numpy as np

from tests.env.warehouse51.table import Table
from w51_agents.agent.bots import BotAgent
from w51_agents.search.imputation import BidImputation
from w51_agents.search.priors import Likeliest
from w51_env import make_game
from w51_env.engine.bots import Bot
from w51_env.engine.determinization import Determinizer
from w51_env.warehouse51.actions import BID, PASS

GAME = make_game("warehouse51_v1", num_players=4)


def sealed_by_all_but_one() -> np.ndarray:
    """(400,) determinizations of a blind auction of equals, in which three of four seats have bid."""
    table = Table(4).decks("sharur", "golden_fleece").ingots(15, 15, 15, 15).play("choose_deck_golden")
    table.play("bid_3", "bid_4", "bid_5")
    return Determinizer(GAME, table.state, 2).draw(400, seed=1)


def test_each_seat_bids_by_numbers_of_its_own_and_the_searching_seat_keeps_its_bid():  # T5
    given = []

    class Lowest:
        def choose(self, observations, action_masks, bits):
            given.append(bits)
            return action_masks.argmax(axis=1)

    states = sealed_by_all_but_one()
    BidImputation(GAME, Lowest()).impute(states, 2)
    assert states["secret_bid"][:, :4].tolist() == [[-1, 0, 4, 0]] * 400
    assert len(given) == 2
    assert not (given[0] == given[1]).any()


def test_bids_of_a_random_player_are_those_of_the_determinization():  # T5
    """Its numbers would be the same for all seats: they differ in their lowest bits alone."""
    states = sealed_by_all_but_one()
    before = states.tobytes()
    BidImputation(GAME, Bot(GAME, "random")).impute(states, 2)
    assert states.tobytes() == before
    bids = states["secret_bid"][:, :4].astype(int)
    assert abs(np.corrcoef(bids[:, 1], bids[:, 3])[0, 1]) < 0.25


def test_a_policy_prior_compares_actions_with_the_likeliest_one():
    """Many actions are likely: even the likeliest has few percent, and others are kept that have less than one."""

    class Flat(BotAgent):
        def policy(self, observations, action_masks):
            return action_masks / 200.0 + 0.015 * (np.arange(action_masks.shape[1]) == BID + 3)

    masks = np.zeros((1, len(GAME.actions)), np.int8)
    masks[0, [PASS, BID + 3, BID + 4]] = 1
    found = Likeliest(GAME, Flat(GAME, "heuristic")).candidates(np.zeros((1, GAME.layout.size), np.int8), masks)
    assert found[0].tolist() == [BID + 3, PASS, BID + 4]
