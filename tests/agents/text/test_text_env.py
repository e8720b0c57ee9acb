"""A game in words: prompts hold what the seat may know, in limited space; answers move the game or change nothing."""

import random
import re
from dataclasses import replace

import pytest

from tests.env.third_game import make as make_third_game
from w51_agents.language.answers import AnswerError
from w51_agents.language.env import TextEnv
from w51_agents.language.prompts import LETTERS, MAX_TOKENS, rules_page, turn_prompt
from w51_env import make_game
from w51_env.engine.errors import GameOverError, W51Error
from w51_env.warehouse51.relics import load_relic_set

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


@pytest.mark.parametrize(
    ("game", "players", "language"), [(*game, "en") for game in GAMES[:3]] + [(*game, "hu") for game in GAMES[1::2]]
)
def test_a_whole_game_is_played_in_words_with_prompts_of_limited_length(game, players, language):
    env = TextEnv(game, num_players=players, language=language)
    prompts = play(env, seed=players)
    assert max(map(len, prompts)) <= LETTERS * MAX_TOKENS
    assert not any("left out" in prompt for prompt in prompts)
    assert sum(env.rewards) == pytest.approx(0, abs=1e-6)
    assert all(f"{seat}" in prompts[-1] for seat in range(players))


def test_a_game_without_texts_of_its_own_is_played_in_words():
    env = TextEnv(make_third_game(num_players=3))
    prompts = play(env, seed=1)
    assert "Your legal actions:" in prompts[0]
    assert env.rules == ""


def test_the_same_seed_and_answers_give_the_same_prompts():
    first, second = (TextEnv("warehouse51_v1", preset="mini") for _ in range(2))
    assert play(first, 5) == play(second, 5)


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
    assert len(turn_prompt(view, [], tokens=400)) <= 1600
    assert "choose_deck_red" in turn_prompt(view, [], tokens=1)


def test_what_is_left_out_is_said():
    env = TextEnv("warehouse51_v1", num_players=3)
    play(env, seed=1)
    told = env._journal.before_decision(0), env._journal.since_decision(0)
    events = [event for part in told for event in env.game.presentation.events_data(env.game, part)]
    view = env.view(0)
    whole, short = (turn_prompt(replace(view, news=[]), events, tokens) for tokens in (8000, 1200))
    lots = [int(number) for number in re.findall(r"^(\d+) \| ", short, re.MULTILINE)]
    assert lots == list(range(lots[0], 27))
    assert f"({lots[0] - 1} older ones are left out: the prompt has at most 1,200 tokens.)" in short
    assert re.findall(r"^(\d+) \| ", whole, re.MULTILINE) == [str(number) for number in range(1, 27)]


def test_past_lots_are_a_table_with_buyer_price_bids_and_the_first_to_pass():
    env = TextEnv("warehouse51_v1", num_players=3, first_player=0)
    env.reset(seed=1)
    for answer in ("choose_deck_green", "bid_3", "bid_5", "pass", "pass"):
        env.step(answer)
    view = env.view(env.seat)
    assert (view.phase, env.seat) == ("reveal", 2)
    relic = view.table["relics"][view.players[2]["collection"][0]["relic"]]
    row = f"1 | {relic['name']} (green {relic['value']}) | Player 2 | 5 | Player 0 | - | 3 | 5 | Player 0 | "
    assert row in env.prompt()


def test_actions_are_one_line_only_where_their_texts_count_up():
    def prompt(*texts: str) -> str:
        actions = [{"id": at, "name": f"go_{at}", "kind": "", "text": text} for at, text in enumerate(texts)]
        return turn_prompt(replace(env.view(env.seat), actions=actions), [])

    env = TextEnv("warehouse51_v1")
    env.reset(seed=1)
    assert "- go_0 ... go_2: bid 9 ... bid 11\n" in prompt("bid 9", "bid 10", "bid 11")
    assert "- go_0 ... go_2: bid 9,000 ... bid 11,000\n" in prompt("bid 9,000", "bid 10,000", "bid 11,000")
    assert "- go_1: to Player 3\n" in prompt("to Player 2", "to Player 3", "to Player 0")
    assert "- go_1: between 2 and 3\n" in prompt("between 1 and 2", "between 2 and 3", "between 3 and 4")


def test_a_prompt_says_points_now_known_counterfeits_and_what_actions_cost():
    game = make_game("warehouse51_v1", num_players=3, first_player=0)
    env = TextEnv(game)
    env.reset(seed=1)
    record = env._batch.games
    grail = [relic.id for relic in load_relic_set(game.options["relics"]).relics].index("holy_grail")
    record[0]["place"][grail], record[0]["buyer"][grail], record[0]["counterfeit_gap"][grail] = 1, 1, 0
    env._batch.refresh()
    env.step("choose_deck_green")
    prompt = env.prompt()
    assert env.seat == 1
    assert "Holy Grail (owned by you)" in prompt
    assert "YOUR COUNTERFEITS, lost at the end unless certified or cancelled: Holy Grail" in prompt
    assert "Player 1: 2 (ingots 2); total values: blue 0" in prompt
    assert "bid_1 ... bid_10: bid 1 ... bid 10 (you pay the bid to Player 2 if you win)" in prompt
    assert "Points that the lot would add now, without its price: Player 0 +" in prompt


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
