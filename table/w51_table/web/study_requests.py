"""Requests of those who study a game: its decisions as a list, and a decision that is made again at a new table."""

import asyncio

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request

from w51_env.views.language import Words
from w51_table.play.agent_pool import hint_agent
from w51_table.play.game_log import Kept
from w51_table.play.playback import Playback
from w51_table.play.table import PERSON, Setup, TableError
from w51_table.web.answer_types import MadeAgain, Moves
from w51_table.web.games import Games
from w51_table.web.new_game import Extras
from w51_table.web.page import parsed_body
from w51_table.web.replay_requests import frame_of_step
from w51_table.web.work import visitor_at

_MAX_BODY = 256  # bytes


class Again(BaseModel):
    """How a decision is made again: with an action agents play on after it, without one a person decides."""

    model_config = ConfigDict(extra="forbid", strict=True)

    action: int | None = None


class StudyRequests:
    """Handlers of requests of those who study a game."""

    def __init__(self, games: Games, extras: Extras):
        self._games, self._extras = games, extras

    async def moves(self, request: Request) -> Moves:
        """The decisions of a game so far: for each step the seat and the text of the action."""
        playback, words = await self._games.playback(request)
        return {"moves": await asyncio.to_thread(_moves, playback, words)}

    async def again(self, request: Request) -> MadeAgain:
        """A new table with the game up to a step: its name, the token of the person, and the step to watch from.

        The seats of other people are played by the agent that the page proposes; all agents sit where they sat.
        """
        playback = await self._games.replays.get(request.path_params["name"])
        frame = frame_of_step(playback, request, decided=True)
        action = (await parsed_body(request, Again, _MAX_BODY)).action
        if action is not None and not (0 <= action < len(frame.mask) and frame.mask[action]):
            raise TableError(f"action: {action}, but it is not legal at step {frame.number}")
        agents = [agent or hint_agent(playback.game) for agent in playback.agents]
        if action is None:
            agents[frame.seat] = PERSON
        setup = Setup(playback.game_id, dict(playback.game.options), playback.seed, tuple(agents), playback.names)
        self._extras.check_cards(playback.game, agents)
        extra: Kept = {"labels": self._extras.labels(agents)}
        before = playback.actions_before(frame.number)
        played, visitor = before if action is None else [*before, action], visitor_at(request)
        name, tokens = await self._games.tables.create(setup, extra, played, visitor=visitor)
        return {"table": name, "token": tokens[frame.seat], "step": frame.number + (action is not None)}


def _moves(playback: Playback, words: Words) -> list[tuple[int, str]]:
    return [
        (frame.seat, frame.view(frame.seat, words).action_texts()[frame.action])
        for frame in playback.frames
        if frame.action is not None
    ]
