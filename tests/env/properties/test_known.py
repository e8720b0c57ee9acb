"""What the heuristic knows: the same from a state as from the observation, and nothing that its seat cannot know."""

import numpy as np
from hypothesis import given, settings

from tests.env.properties.generate import every_preset, games
from tests.env.properties.knowledge import CHANGES
from tests.env.properties.test_leaks import batch_of, random_states
from w51_env.compiler.compile import JIT_DISABLED, entry, records, rows
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game
from w51_env.warehouse51.bots.known import KNOWN, SEEN, know, recall

GAMES = 3 if JIT_DISABLED else 50


@entry("tests")
def know_all(rules, states, seats, known, seen):
    for index in range(states.shape[0]):
        know(rules[0], states[index], seats[index], known[index], seen[index])


@entry("tests")
def recall_all(rules, observations, known):
    for index in range(observations.shape[0]):
        recall(rules[0], observations[index], known[index])


def known_of(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    """(N, size) int8: what the seat knows of the states."""
    known, seen = records(np.zeros(len(states), KNOWN)), records(np.zeros(len(states), SEEN))
    know_all(game.rules, states, np.full(len(states), seat, np.int8), known, seen)
    return known.view(np.int8).reshape(len(known), -1)


def recalled(game: Game, observations: np.ndarray) -> np.ndarray:
    """(N, size) int8: the same from observations."""
    known = records(np.zeros(len(observations), KNOWN))
    recall_all(game.rules, rows(observations), known)
    return known.view(np.int8).reshape(len(known), -1)


def assert_known_is_observed(game: Game, states: np.ndarray) -> None:
    batch = batch_of(game, states)
    for seat in range(game.num_players):
        known = known_of(game, states, seat)
        assert known.any()
        assert known.tobytes() == recalled(game, batch.observe(seat)).tobytes(), f"seat {seat} of {game.options}"


@every_preset
def test_it_knows_of_a_state_what_its_observation_says(game: Game):
    assert_known_is_observed(game, random_states(game, GAMES, seed=1))


@settings(max_examples=3 if JIT_DISABLED else 20)
@given(game=games())
def test_it_knows_of_a_state_what_its_observation_says_with_any_relics_and_options(game: Game):
    assert_known_is_observed(game, random_states(game, GAMES, seed=2))


@every_preset
def test_it_knows_nothing_that_its_seat_cannot_know(game: Game):
    states = random_states(game, GAMES, seed=3)
    for seat in range(game.num_players):
        known = known_of(game, states, seat)
        other = batch_of(game, states)
        other.resample_hidden(seat, 3)
        assert known_of(game, other.games, seat).tobytes() == known.tobytes(), "resample_hidden"
        for change in CHANGES[game.name]:
            generator = np.random.default_rng(3)
            changed = states.copy()
            for state in changed:
                change(game, state, seat, generator)
            assert known_of(game, changed, seat).tobytes() == known.tobytes(), change.__name__


@settings(max_examples=2 if JIT_DISABLED else 10)
@given(game=games())
def test_it_decides_in_a_batch_as_outside_also_between_random_players(game: Game):
    """Its thoughts last from decision to decision of one call, whatever others did in between."""
    controllers = ["heuristic", "random", "heuristic", "heuristic", "random"][: game.num_players]
    inside = Batch(game, GAMES, seed=4, controllers=controllers, autoreset="disabled")
    outside, bot, bits = Batch(game, GAMES, seed=4, autoreset="disabled"), Bot(game, "heuristic"), np.zeros(GAMES, "u8")
    inside.reset()
    outside.reset()
    while (outside.seat >= 0).any():
        chosen = bot.choose(outside.observation, outside.action_mask, bits)
        at_random = np.isin(outside.seat, [1, 4])
        outside.step(np.where(at_random, outside.sample_actions(), chosen))
    assert outside.games.tobytes() == inside.games.tobytes()
