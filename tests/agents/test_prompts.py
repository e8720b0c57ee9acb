"""The version of what language models read: results are compared only between equal texts."""

import hashlib

import pytest

from w51_agents.language.answers import AnswerError
from w51_agents.language.env import TextEnv
from w51_agents.language.llm import interface
from w51_agents.language.prompts import PROMPTS, system_prompt, wording

DIGESTS = {
    "w51-prompts v1": {"warehouse51_v1": "9c7bce296e447519", "alles_futsch_v1": "ae37c5bcd9238eb1"},
    "w51-prompts v2": {"warehouse51_v1": "9c7bce296e447519", "alles_futsch_v1": "40f178d0780fd2a6"},
    "w51-prompts v3": {"warehouse51_v1": "74ec6a9a5cf4d661", "alles_futsch_v1": "003b4d9599542c28"},
}


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_changed_prompts_have_a_new_version(game):
    """If this fails, raise `VERSION`, add its file of wordings and list its digests: results name the version."""
    env = TextEnv(game)
    env.reset(seed=1)
    texts = [system_prompt(env.game, form) for form in ("text", "schema", "tool")]
    texts += [wording(name) for name in ("again", "note_request", "left_out", "turns_left_out")]
    for number in range(60):
        texts.append(env.prompt())
        actions = env.view(env.seat).actions
        env.step(actions[number % len(actions)]["name"])
    assert hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16] == DIGESTS[PROMPTS][game]


def test_another_evaluator_plays_by_plain_functions_of_text():
    env = TextEnv("alles_futsch_v1")
    env.reset(seed=1)
    view = env.view(env.seat)
    assert "ALLES FUTSCH!: the rules" in interface.system_prompt(env.game)
    name = interface.legal_actions(view)[-1]
    assert f"- {name}: " in interface.turn_prompt(view, [])
    assert interface.parse_answer(env.game, view, f"I choose [{name}]") == env.game.actions.id(name)
    with pytest.raises(AnswerError):
        interface.parse_answer(env.game, view, "hm")
