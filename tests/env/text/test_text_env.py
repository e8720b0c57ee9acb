"""A game in words: prompts hold what the seat may know, in limited space; answers move the game or change nothing."""

import random

import pytest

from tests.env.third_game import make as make_third_game
from w51_env import make_game
from w51_env.engine.errors import GameOverError, W51Error
from w51_env.text.answers import AnswerError
from w51_env.text.env import TextEnv
from w51_env.text.prompts import MAX_PROMPT, rules_page, turn_prompt

GAMES = [("warehouse51_v1", 3), ("warehouse51_v1", 5), ("alles_futsch_v1", 2), ("alles_futsch_v1", 5)]


def play(env: TextEnv, seed: int) -> list[str]:
    """All prompts of a game with random answers."""
    draws = random.Random(seed)
    env.reset(seed)
    prompts = []
    while not env.over:
        prompts.append(env.prompt())
        env.step(f"I choose [{draws.choice(env.view(env.seat).actions)['name']}].")
    return [*prompts, *map(env.prompt, range(env.game.num_players))]


@pytest.mark.parametrize(("game", "players"), GAMES)
@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_whole_game_is_played_in_words_with_prompts_of_limited_length(game, players, language):
    env = TextEnv(game, num_players=players, language=language)
    prompts = play(env, seed=players)
    assert max(map(len, prompts)) <= MAX_PROMPT
    assert sum(env.rewards) == pytest.approx(0, abs=1e-6)
    assert all(f"{seat}" in prompts[-1] for seat in range(players))


def test_a_game_without_texts_of_its_own_is_played_in_words():
    env = TextEnv(make_third_game(num_players=3))
    prompts = play(env, seed=1)
    assert "Your legal actions:" in prompts[0]
    assert env.rules == ""


def test_the_same_seed_and_answers_give_the_same_prompts():
    assert play(TextEnv("warehouse51_v1"), 5) == play(TextEnv("warehouse51_v1"), 5)


def test_a_prompt_names_the_events_since_the_seats_own_last_decision():
    env = TextEnv("warehouse51_v1", num_players=3)
    env.reset(seed=1)
    first = env.seat
    env.step("choose_deck_blue")
    while env.seat != first:
        env.step("pass")
    news = env.prompt().partition("Events since your last decision:")[2]
    assert news.count("passes.") == 2
    assert "turns over" in news


def test_an_answer_that_is_not_legal_changes_nothing():
    env = TextEnv("warehouse51_v1")
    env.reset(seed=1)
    before = env.prompt()
    with pytest.raises(AnswerError, match="bid_3 is not legal now"):
        env.step("bid 3")
    assert env.prompt() == before


def test_misuse_is_named():
    env = TextEnv("warehouse51_v1", preset="nano")
    with pytest.raises(W51Error, match="reset"):
        env.prompt()
    play(env, 1)
    with pytest.raises(GameOverError, match="name a seat"):
        env.prompt()
    with pytest.raises(GameOverError, match="reset begins the next one"):
        env.step("pass")
    with pytest.raises(W51Error, match="seat: 7"):
        env.prompt(7)
    with pytest.raises(W51Error, match="language: 'xx'"):
        TextEnv("warehouse51_v1", language="xx")


def test_the_table_and_the_actions_stay_whole_in_little_space():
    env = TextEnv("warehouse51_v1")
    env.reset(seed=1)
    view = env.view(env.seat)
    short = turn_prompt(view, ["something happened"] * 100, longest=700)
    assert len(short) <= 700
    assert short.count("something happened") < 10
    assert "choose_deck_red" in turn_prompt(view, ["something happened"], longest=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pawn_limit": 4}, "if you hold 4 ingots or fewer"),
        ({"certificate_timing": "anytime"}, "at any decision of theirs"),
        ({"certificate_belongs_to": "owner"}, "who own the relic that gave them"),
        ({"num_players": 3}, "2 face down in each gap"),
        ({"redeem_price": 7}, "redeemed for 7 ingots"),
        ({"start_ingots": 8, "reserve": 12}, "Each player has 8 ingots, the pawnbroker's reserve has 12."),
        ({"preset": "nano"}, "Nano"),
    ],
)
def test_the_rules_page_states_the_options(options, words):
    game = make_game("warehouse51_v1", **options)
    page = rules_page(game)
    if words == "Nano":
        from w51_env.warehouse51.relics import load_relic_set

        assert all(name in page for name in load_relic_set(game.options["relics"]).names)
        assert "Excalibur" not in page
    else:
        assert words in page
    assert len(page) < 6000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start_money": 100}, "Each player has 100,000."),
        ({}, "the same player selects"),
        ({"no_bid_selector": "left"}, "the left neighbour selects"),
        ({"no_buyer": "taken"}, "the seller takes it and pays the fine"),
        ({"deck_exhausted": "end"}, "cannot be filled up"),
        ({"minimum_bid": 5}, "at least\n5,000"),
        ({"sale_price": 25, "fine": 5, "bonus": 15}, "sold for 25,000"),
    ],
)
def test_the_rules_page_of_alles_futsch_states_the_options(options, words):
    assert words in rules_page(make_game("alles_futsch_v1", **options))
