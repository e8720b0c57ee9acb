"""No leak in the pages of an assistant's table and in datasets: see tests/agents/text/test_leaks.py."""

from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module

import numpy as np
import pytest

from tests.agents.text.test_leaks import GAMES, Story, assert_no_leak
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_lab import datasets
from w51_table.play.agent_pool import Answer
from w51_table.play.table import PERSON, Setup


def assistants_pages(game: Game, story: Story, seat: int) -> list[str]:
    """Every page of an assistant in this seat, and one at the end of the story."""
    pytest.importorskip("mcp", reason="needs the extra 'llm'")
    from w51_table.play import assistant as module

    class Idle:  # no agent is asked: the story has all actions
        def __init__(self, **_: object) -> None: ...

        def ask(self, question: object) -> Future:
            done: Future = Future()
            done.set_result(Answer())
            return done

    seats = tuple(PERSON if other == seat else "random" for other in range(game.num_players))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AgentPool", Idle)
        patch.setattr(module.AssistantTable, "_play_agents", lambda self: None)
        assistant, given = module.AssistantTable(Setup(game.id, game.options, 0, seats)), []
        assistant.table._batch.load(story.deal)
        for action in story.actions:
            if assistant.table.seat == seat:
                given.append(assistant.look())
            assistant.table.play(action)
        return [*given, assistant.look()]


class Scripted:
    """An agent that plays the actions of a story in all seats, and then the first legal ones."""

    def __init__(self, actions: list[int]):
        self._actions = iter(actions)

    def reset(self, seed: int) -> None:
        """Does nothing."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: object = None) -> np.ndarray:
        return np.array([next(self._actions, int(mask.argmax())) for mask in action_masks])


def episode(game: Game, story: Story, seat: int) -> list[bytes]:
    """The decisions of the seat in a dataset, as far as the story goes."""

    class Dealt(Batch):
        def reset(self, seed: object = None) -> None:
            super().reset(seed)
            self.load(story.deal)

    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    batch.load(story.deal)
    decisions = 0
    for action in story.actions:
        decisions += int(batch.seat[0] == seat)
        batch.step(np.array([action]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("w51_lab.arena.match_loop"), "Batch", Dealt)
        episodes = datasets.record(game, ["scripted"], [Scripted(story.actions)], 1, seed=0)
    [mine] = [found for found in episodes if found.seat == seat]
    assert len(mine.actions) >= decisions
    return [part[:decisions].tobytes() for part in (mine.observations, mine.masks, mine.actions)]


@pytest.mark.parametrize("given", [assistants_pages, episode])
@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_is_in_a_page_or_a_dataset(name: str, given: Callable):  # S3, S4, T5, A1
    assert_no_leak(name, given)
