"""Models and bots at one table: each model reads what its seat may know, and no decision of a model is another's."""

import random

import pytest

from w51_agents.language.env import TextEnv
from w51_agents.language.model_game import ModelGame, seated
from w51_env.engine.errors import GameOverError, OptionError

LINEUPS = [("warehouse51_v1", ["model", "heuristic", "random"]), ("alles_futsch_v1", ["model", "model"])]


def play(game: ModelGame, seed: int) -> list[str]:
    """All prompts of a game with random answers."""
    draws, prompts = random.Random(seed), []
    question = game.reset(seed)
    while question is not None:
        prompts.append(question.prompt)
        question = game.answer(f"Let us see. [{draws.choice(question.legal)}]")
    return prompts


@pytest.mark.parametrize(("name", "players"), LINEUPS)
def test_models_are_asked_until_the_game_is_over_and_have_the_rewards_of_their_seats(name, players):
    game = ModelGame(name, players)
    prompts = play(game, 3)
    assert all("Your legal actions:" in prompt for prompt in prompts)
    results = [game.result(seat) for seat in range(len(players))]
    assert [result["reward"] for result in results] == game.rewards
    assert sum(game.rewards) == pytest.approx(0, abs=1e-6)
    assert any(result["won"] for result in results)
    assert not any(result["refused"] or result["forfeited"] for result in results)
    with pytest.raises(GameOverError, match="reset"):
        game.answer("pass")


def test_prompts_are_those_of_a_game_in_words():
    game, env = ModelGame("warehouse51_v1", ["model"] * 3), TextEnv("warehouse51_v1", num_players=3)
    question = game.reset(1)
    env.reset(1)
    for _ in range(30):
        assert question is not None
        assert (question.seat, question.prompt) == (env.seat, env.prompt())
        env.step(question.legal[0])
        question = game.answer(question.legal[0])


def test_in_a_conversation_the_past_is_told_once():
    game = ModelGame("warehouse51_v1", ["heuristic", "model", "heuristic"], conversation=True)
    prompts = play(game, 1)
    assert not any("Past lots:" in prompt for prompt in prompts[1:])
    assert "Past lots:" in play(ModelGame("warehouse51_v1", ["heuristic", "model", "heuristic"]), 1)[-1]


def test_a_refused_model_reads_why_and_one_mistake_too_many_loses():
    game = ModelGame("warehouse51_v1", ["model", "model", "heuristic"], mistakes=1)
    first = game.reset(1)
    assert first is not None
    for _ in range(3):  # mistakes are counted from the last answer that was understood
        asked = game.question
        again = game.answer("I do not know")
        assert again is not None
        assert again.again
        assert "no action found" in again.prompt
        assert (again.seat, again.legal) == (asked.seat, asked.legal)
        assert "cut off" not in again.prompt
        game.answer(again.legal[0])
    seat = game.question.seat
    assert "cut off" in game.answer(game.question.legal[0], is_cut=True).prompt
    assert game.answer("I do not know") is None
    assert game.forfeited_by == seat
    assert game.rewards[seat] == -1
    assert sum(game.rewards) == pytest.approx(0)
    assert game.result(seat) == {"reward": -1, "won": 0, "refused": game.refused[seat], "forfeited": 1}
    assert game.reset(1) == first
    assert game.refused == [0, 0, 0]


def test_players_keep_their_order_wherever_the_first_one_sits():
    assert [seated("abc", first) for first in range(3)] == [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]]


@pytest.mark.parametrize("players", ["model", [], ["random", "random", "random"], ["model", "nobody", "random"]])
def test_players_that_make_no_game_are_refused(players):
    with pytest.raises(OptionError, match=r"players|nobody"):
        ModelGame("warehouse51_v1", players)
