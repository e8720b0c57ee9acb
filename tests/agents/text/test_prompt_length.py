"""Prompts keep to their budget of tokens, in every phase of both games, with any options, names and language."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.env.alles_futsch import generate as alles_futsch
from tests.env.properties import generate as warehouse51
from tests.env.properties.generate import PRESET_GAMES
from tests.env.random_policies import random_policies
from w51_agents.language.prompts import LETTERS, turn_prompt
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.views.language import LANGUAGES, Words

TOKENS = 1400
LONGEST = LETTERS * TOKENS
EARLIER = [
    {"event": "none", "seat": 0, "text": f"Something happened, for the time of number {number}."}
    for number in range(200)
]


def phases_with_prompts(game: Game, seed: int, words: Words, num_games: int = 2, every: int = 5) -> set[str]:
    """Check prompts of random games and of their ends; the phases that were reached."""
    batch = Batch(game, num_games, seed=seed, autoreset="disabled", events=True)
    batch.reset()
    policies, phases, met, step = random_policies(game, num_games, seed), set(), set(), 0
    while (batch.seat >= 0).any():
        for row in np.flatnonzero(batch.seat >= 0).tolist():
            phase = int(batch.games["phase"][row])
            if (step + row) % every == 0 or phase not in met:  # some phases are rare
                met.add(phase)
                phases.add(check(game, batch, row, int(batch.seat[row]), words))
        batch.step(policies.choose(batch.action_mask))
        step += 1
    for row, seat in np.ndindex(num_games, game.num_players):
        phases.add(check(game, batch, row, seat, words))
    return phases


def check(game: Game, batch: Batch, row: int, seat: int, words: Words) -> str:
    """A prompt is short enough and holds the names of the legal actions, or of the ends of runs of them."""
    view = batch.view(row, seat, words=words)
    prompt = turn_prompt(view, EARLIER, TOKENS)
    assert len(prompt) <= LONGEST, f"{game.options}: {len(prompt)} characters in the phase {view.phase}"
    actions = prompt.rpartition("Your legal actions:")[2]
    for action in view.actions:
        stem, _, number = action["name"].rpartition("_")
        assert action["name"] in actions or (number.isdigit() and f"{stem}_" in actions)
    return view.phase


@settings(max_examples=12)
@given(data=st.data(), seed=st.integers(0, 1000), language=st.sampled_from(LANGUAGES))
@pytest.mark.parametrize("games", [warehouse51.games, alles_futsch.games], ids=["warehouse51", "alles_futsch"])
def test_a_prompt_of_any_game_is_short_enough(games: Any, data: st.DataObject, seed: int, language: str):
    game = data.draw(games())
    names = data.draw(st.one_of(st.just(()), st.tuples(*[st.text(min_size=1, max_size=30)] * game.num_players)))
    phases_with_prompts(game, seed, Words(language, names))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompts_of_every_phase_are_short_enough_with_long_names_of_agents(language: str):
    names = [f"search:playouts={number}00,prior=pretrained-v2" for number in range(3)]
    phases = phases_with_prompts(PRESET_GAMES["default, 3 players"], 16, Words(language, names), num_games=8)
    assert phases >= {"reveal", "open_auction", "blind_auction", "take", "redeem", "certify", "cancel", "over"}


def test_the_latest_events_have_room_beside_a_table_that_is_too_long():
    batch = Batch(PRESET_GAMES["default, 3 players"], 1, seed=5, autoreset="disabled", events=True)
    batch.reset()
    batch.step(np.array([batch.game.actions.id("choose_deck_blue")]))
    names = ["a name that is longer than it should be " * 30] * 3
    view = batch.view(0, int(batch.seat[0]), news=batch.events(0), words=Words("en", names))
    prompt = turn_prompt(view, EARLIER, TOKENS)
    assert len(prompt) <= LONGEST
    assert "Events since your last decision:" in prompt
    assert "..." in prompt
