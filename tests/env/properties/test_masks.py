"""Masks are exact: what the engine allows is what the slow reference reads in the rules, in thousands of states."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings

from tests.env.properties.generate import PRESET_GAMES, games
from tests.env.properties.reference import PHASE_NAMES, Reference, all_plain
from tests.env.random_policies import random_policies
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.state import PHASES


def compare(batch: Batch, which: np.ndarray) -> Iterator[str]:
    """Compare the masks of some games with the reference; yields their phases."""
    game = batch.game
    for state, mask in zip(all_plain(batch.games[which]), batch.action_mask[which], strict=True):
        reference = Reference(game, state)
        allowed, legal = {game.actions[action].name for action in np.flatnonzero(mask)}, reference.legal()
        assert allowed == legal, (
            f"{reference.phase} of {game.options}\nonly the engine: {sorted(allowed - legal)}\n"
            f"only the reference: {sorted(legal - allowed)}\n{reference.state}"
        )
        yield reference.phase


def play_and_compare(game: Game, num_games: int, seed: int, every: int) -> Counter[str]:
    """Play games to their ends, comparing every `every`th state and the last ones. Returns the numbers of states
    compared, by phase.
    """
    batch = Batch(game, num_games, seed=seed, autoreset="disabled")
    batch.reset()
    policies = random_policies(game, num_games, seed)
    compared: Counter[str] = Counter()
    step = 0
    while (batch.seat >= 0).any():
        chosen = np.arange(step % every, num_games, every)
        compared.update(compare(batch, chosen[batch.seat[chosen] >= 0]))
        batch.step(policies.choose(batch.action_mask))
        step += 1
    compared.update(compare(batch, np.arange(num_games)))
    return compared


def test_the_reference_knows_every_phase():
    assert PHASE_NAMES == PHASES, "PHASE_NAMES of reference.py are not PHASES of state.py"
    assert [name for name in PHASES if name != "over" and not hasattr(Reference, f"_{name}")] == []


def test_masks_are_exact_in_every_preset_and_phase():  # T1, T2, T3, T5, P1, P2, P3, P4, E1, E2, E3
    compared: Counter[str] = Counter()
    for seed, (name, game) in enumerate(PRESET_GAMES.items()):
        every = 2 if name.startswith("every effect") else 24  # a phase of one effect is rare
        compared += play_and_compare(game, num_games=128, seed=seed, every=every)
    for phase in PHASE_NAMES:
        assert compared[phase] >= 40, f"only {compared[phase]} states of phase {phase}"
    assert compared.total() >= 12_000


@settings(max_examples=25)
@given(game=games())
def test_masks_are_exact_for_any_options_and_any_relic_set(game: Game):
    play_and_compare(game, num_games=8, seed=3, every=2)
