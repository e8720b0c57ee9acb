"""Answers in words: what people and language models write is read as one legal action, or refused with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from w51_agents.language.answers import AnswerError, AnswerReader, ranges
from w51_agents.language.env import TextEnv
from w51_env import make_game
from w51_env.engine.game import Game
from w51_env.views.view import Data

GAME = make_game("warehouse51_v1", num_players=4)
READER = AnswerReader(GAME.actions)


def ids(*names: str, game: Game = GAME) -> list[Data]:
    """Legal actions as a view has them."""
    found = [(game.actions.id(name), name) for name in names]
    return [{"id": index, "name": name, "text": game.actions[index].text} for index, name in found]


LEGAL = ids("pass", *(f"bid_{amount}" for amount in range(4, 11)), "pawn_unicorns_horn")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "the answer is empty; answer with the name of one of these: pass, bid_4 ... bid_10, pawn_unicorns_horn"),
        ("What a fine relic", 'no action found in "What a fine relic"'),
        ("pawn_muramasa", "pawn_muramasa is not legal now"),
        ("bid_3", "bid_3 is not legal now"),
        ("bid_40", '"bid_40" is too high: the highest is 10, bid_10; answer with'),
        ("bid 99", '"bid 99" is too high: the highest is 10, bid_10'),
        ("I would bid ninety-nine ingots", "is too high: the highest is 10, bid_10"),
        ('{"action": "bid_99"}', '"bid_99" is too high'),
        ('{"bid": 99}', '"bid 99" is too high'),
        ("99", '"99" is too high: the highest is 10, bid_10'),
        ("bid 1,000,000", "is too high"),
        ("bid 1 000 000", "is too high"),
        ("bid 1\u202f000", "is too high"),
        ("bid_1_000", "is too high"),
        ("bid 5-7", "no action found"),
        ("bid 5 \u2013 7", "no action found"),
        ("bid 10**9", "no action found"),
        ("bid 2 * 5", "no action found"),
        (f"bid {'9' * 5000}", "is too high"),
        ("bid 5 is too little.\nI bid 99", '"I bid 99" is too high'),
        ("bid 5 or bid 99", "is too high"),
        ("bid 0099", "is too high"),
        ("bid -5", 'no action found in "bid -5"'),
        ("bid 5.5", 'no action found in "bid 5.5"'),
        ("bid five hundred", '"bid five hundred" is too high'),
        ("bid twenty-four", '"bid twenty-four" is too high'),
        ("I bid 5 or 6", "names 2 actions, bid_5, bid_6"),
        ("<think>bid 5</think>", "the answer is empty"),
        ("pass or bid 5", "names 2 actions, pass, bid_5"),
        ("[99999]", '"99999" is too high'),
        ("#13", 'no action found in "#13"'),
        ('{"action": null}', "no action found"),
    ],
)
def test_an_answer_that_is_not_one_legal_action_is_refused_with_the_reason(answer, message):
    with pytest.raises(AnswerError) as failure:
        READER.read(answer, LEGAL)
    assert message in str(failure.value)
    assert "bid_4 ... bid_10" in str(failure.value)


def test_the_text_of_an_action_that_has_brackets_is_that_action():
    env = TextEnv("alles_futsch_v1")
    actions = env.view(env.reset(seed=1)).actions
    assert "[" in actions[0]["text"]
    assert AnswerReader(env.game.actions).read(actions[0]["text"], actions) == actions[0]["id"]


def test_a_bid_in_two_parts_is_too_high_above_what_both_can_be():
    actions = make_game("alles_futsch_v1").actions
    texts = {"raise_20": "bid 20,000", "add_20": "bid more than 20,000 ..."}
    legal: list[Data] = [{"id": actions.id(name), "name": name, "text": text} for name, text in texts.items()]
    legal[1]["up_to"] = 40_000
    reader = AnswerReader(actions)
    for answer, reason in {
        "bid 41,000": "too high: the highest is 40000, add_20",
        "bid 40,000": "no action found",
        "raise_21": "too high: the highest is 20, raise_20",
        "raise by 21,000": "too high: the highest is 20000, raise_20",
        "add_40": "too high: the highest is 20, add_20",
    }.items():
        with pytest.raises(AnswerError, match=reason):
            reader.read(answer, legal)


@pytest.mark.parametrize("answer", [None, 5, b"bid 5", ["bid_5"]])
def test_an_answer_that_is_no_text_is_refused(answer):
    with pytest.raises(AnswerError, match="but text is needed"):
        READER.read(answer, LEGAL)


def test_a_number_is_an_amount_and_never_the_number_of_an_action():
    assert READER.read("70", ids("pass", "bid_70")) == GAME.actions.id("bid_70")
    with pytest.raises(AnswerError, match="no action found"):
        READER.read("4", ids("pass", "bid_70"))


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_every_action_is_found_by_its_name(game):
    made = make_game(game)
    actions = made.actions
    reader = AnswerReader(actions)
    for index, action in enumerate(actions):
        legal = ids(action.name, game=made)
        assert reader.read(action.name, legal) == index
        assert reader.read(f"I choose [{action.name.replace('_', ' ')}].", legal) == index


@given(st.text(max_size=300))
def test_any_text_is_an_action_or_an_answer_error(answer):
    try:
        action = READER.read(answer, LEGAL)
    except AnswerError:
        return
    assert action in [legal["id"] for legal in LEGAL]


def test_runs_of_numbers_are_joined():
    assert ranges(["pass", "bid_1", "bid_2", "bid_3", "bid_5"]) == ["pass", "bid_1 ... bid_3", "bid_5"]


def test_an_action_is_found_by_its_text_in_the_view():
    actions = make_game("alles_futsch_v1").actions
    legal = [{"id": actions.id("raise_1"), "name": "raise_1", "text": "bid 67,000"}]
    assert AnswerReader(actions).read("Then I bid 67,000!", legal) == legal[0]["id"]
    assert AnswerReader(actions).read("Then I raise by 1,000", legal) == legal[0]["id"]
