"""Who says what a decision is worth: the coach, and agents."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

from starlette.requests import Request

from w51_agents.named.explanation import Explanation
from w51_env.engine.registry import make_game, registered_games
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import AgentPool, Answer, Question, frame_question, hint_agent, only_make
from w51_table.play.coach import COACH, Coach
from w51_table.play.playback import Playback
from w51_table.play.review import GameReview
from w51_table.play.table import PlayerError, without_paths
from w51_table.web.new_game import Extras
from w51_table.web.work import Waiting, WorkQueue, visitor_at, wait_for

_Found = TypeVar("_Found")


class Advisers:
    """The coach and the agents that visitors ask, each visitor in turn.

    Attributes:
        extras: The agents of the command line, and how the page names them.
    """

    def __init__(self, pool: AgentPool, extras: Extras):
        self.extras = extras
        self._pool = pool
        self._asked = Waiting()
        self._hints, self._reviews = WorkQueue("hints", 30.0), WorkQueue("reviews", 60.0)
        self._coaches = Coach(), Coach()  # of hints and of reviews, each in its own thread
        self._reviewed: WeakKeyDictionary[Playback, GameReview] = WeakKeyDictionary()

    async def ask(self, request: Request, question: Question) -> Answer:
        """The answer of an agent to somebody who steps through a game; the errors are those of `Waiting.wait`."""
        return await self._asked.wait(request, partial(self._pool.ask, question))

    def advise(self, visitor: str, frame: Frame, seed: int) -> Future[Explanation]:
        """What the coach advises a visitor at a decision; `seed` is that of the game. PlayerError if too many ask."""
        return self._hints.submit(visitor, partial(self._coaches[0].advise, frame, seed))

    async def explained(
        self, request: Request, frame: Frame, agent: str, game_id: str, seed: int, actions: Sequence[int] | None = None
    ) -> Explanation:
        """What the coach or an agent reports of a decision; `seed` and the `actions` before are the game's.

        Raises:
            PlayerError: The agent failed, or too many wait.
            ClientDisconnect: As of `wait_for`.
        """
        self.extras.check_cards(frame.game, [agent])
        if agent == COACH:
            return await wait_for(request, self.advise(visitor_at(request), frame, seed))
        answer = await self.ask(request, await asyncio.to_thread(frame_question, frame, agent, game_id, seed, actions))
        if answer.explanation is None:
            raise self.unusable(agent, answer.failure)
        return answer.explanation

    def unusable(self, agent: str, failure: str | None) -> PlayerError:
        """The error that visitors see of an agent that failed."""
        return PlayerError("agent_unusable", agent=self.extras.shown(agent), reason=without_paths(failure, agent))

    async def reviewed(
        self, request: Request, playback: Playback, find: Callable[[GameReview, Playback], _Found]
    ) -> _Found:
        """What `find` computes of a finished game; the errors are those of `WorkQueue.run`."""
        review = self._reviewed.setdefault(playback, GameReview(self._coaches[1]))
        return await self._reviews.run(request, lambda stopped: find(review, playback))

    def start_agents(self) -> None:
        """Begin to load the quick agents and the coach, so that no client waits for it."""
        for game_id in registered_games():
            game = make_game(game_id)
            for agent in sorted({*game.bots, hint_agent(game)}):
                self._pool.ask(only_make(agent, game))
            self._hints.submit("", partial(self._coaches[0].judge, game))

    def close(self) -> None:
        """End all work."""
        self._hints.close()
        self._reviews.close()
