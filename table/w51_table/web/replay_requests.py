"""Requests about replays and finished games: step by step, as each viewer may see it, with what agents report."""

import asyncio
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from w51_agents.named.explanation import Explanation
from w51_env.engine.errors import W51Error
from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import agent_name, hint_agent
from w51_table.play.coach import COACH
from w51_table.play.playback import Playback, parse_viewer
from w51_table.play.table import PlayerError, TableError, error_text
from w51_table.web.advisers import Advisers
from w51_table.web.answer_types import Alternative, Beliefs, KeptReplay, ReplayAbout, ReplayStep, StepThoughts
from w51_table.web.games import Games
from w51_table.web.messages import shown
from w51_table.web.new_game import agents_of
from w51_table.web.page import body_of, form_of
from w51_table.web.registry import MAX_REPLAY
from w51_table.web.thoughts import alternatives, beliefs_data, thoughts_data
from w51_table.web.work import visitor_at

NO_AGENT = "none"  # the page asks for no agent


class ReplayRequests:
    """Handlers of requests about replays and finished games."""

    def __init__(self, games: Games, advisers: Advisers):
        self._games, self._advisers, self._extras = games, advisers, advisers.extras

    async def new_replay(self, request: Request) -> KeptReplay:
        content = await body_of(request, MAX_REPLAY)
        try:
            return {"replay": await asyncio.to_thread(self._games.replays.add, content, visitor_at(request))}
        except W51Error as error:
            raise PlayerError("replay_unusable", reason=error) from None

    async def about(self, request: Request) -> ReplayAbout:
        """What the page needs beside the steps: how many there are, lots, names, agents."""
        playback, words = await self._games.playback(request)
        usual = "" if any(playback.agents) else hint_agent(playback.game)
        return {
            "steps": len(playback.frames),
            "complete": playback.complete,
            "over": playback.frames[-1].seat < 0,
            "lots": playback.lot_sentences(words),
            "names": words.seats(playback.game.num_players),
            "decide": any(playback.agents),
            "people": [seat for seat, agent in enumerate(playback.agents) if agent is None],
            "beliefs": playback.game.presentation.rendering.beliefs is not None,
            "adviser": self._extras.shown(playback.default_agent or usual),
            "failure": error_text(playback.failure, words) if playback.failure else None,
            "agents": [COACH, *agents_of(playback.game, self._extras)],
        }

    async def advance(self, request: Request) -> ReplayAbout:
        """Let an agent make the decision of a step, if it is the next one of a table of agents; what there is then."""
        session = await self._games.tables.get(request.path_params["name"])
        if session is not None:
            await session.advance(request.path_params["step"])
        return await self.about(request)

    async def step(self, request: Request) -> ReplayStep:
        """One step as a viewer may see it, with the action that was chosen there."""
        playback, words = await self._games.playback(request)
        frame, form = frame_of_step(playback, request), form_of(request)
        view = frame.view(_viewer(playback, request), words)
        chosen = None if frame.action is None else view.action_texts().get(frame.action)
        news = [event["text"] for event in view.news]
        seen = await asyncio.to_thread(shown, view, form)
        return {**seen, "news": news, "action": chosen}

    async def explanation(self, request: Request) -> StepThoughts:
        """What an agent reports of the decision of a step; without a name the agent that decided there."""
        playback, words = await self._games.playback(request)
        frame = frame_of_step(playback, request, decided=True)
        agent = self._agent(request, playback, frame)
        if frame is playback.frames[-1] and agent == playback.agents[frame.seat]:
            session = await self._games.tables.get(request.path_params["name"])
            if session is not None:
                await session.advance(frame.number, play=False)
        found = playback.explanations.get((frame.number, agent))
        if found is None or not found.is_whole:
            playback.explanations[frame.number, agent] = await self._ask(request, playback, frame, agent)
        explained = self._named(playback.explanations[frame.number, agent], words)
        asked_for_another = not request.query_params.get("agent") and playback.agent_at(frame.number) is None
        named = {"name": words.seat(frame.seat), "agent": explained.agent}
        note = words("page.person_decides", **named) if asked_for_another else ""
        thoughts = await asyncio.to_thread(thoughts_data, explained, frame, words)
        return {**thoughts, "note": note}

    def _agent(self, request: Request, playback: Playback, frame: Frame) -> str:
        """Name of the agent that a request asks about; TableError if it is none of the form and of the game."""
        own = {self._extras.shown(one): one for one in (*playback.agents, playback.default_agent) if one}
        allowed = {name: self._extras.agent(name) for name in (COACH, *agents_of(playback.game, self._extras))} | own
        asked = request.query_params.get("agent", "")
        if asked and asked not in allowed:
            raise TableError(f"agent: {asked!r}, but allowed are {', '.join(allowed)}")
        return allowed[asked] if asked else playback.agent_at(frame.number) or hint_agent(playback.game)

    def _named(self, explained: Explanation, words: Words) -> Explanation:
        """The same, by the name that the page has for the agent."""
        return replace(explained, agent=agent_name(self._extras.shown(explained.agent), words))

    async def _ask(self, request: Request, playback: Playback, frame: Frame, agent: str) -> Explanation:
        game = playback.game_id, playback.seed, playback.actions_before(frame.number)
        return await self._advisers.explained(request, frame, agent, *game)

    async def beliefs(self, request: Request) -> Beliefs:
        """What a viewer, or each seat, must believe at a step, and what the agent would do if its seat knew more."""
        playback, words = await self._games.playback(request)
        frame, viewer = frame_of_step(playback, request), _viewer(playback, request)
        data = await asyncio.to_thread(beliefs_data, frame, viewer, words)
        found: list[Alternative] = []
        if viewer in (ALL, frame.seat) and request.query_params.get("agent") != NO_AGENT:
            agent = self._agent(request, playback, frame)
            for text, changed in await asyncio.to_thread(alternatives, frame, words):
                explained = self._named(await self._ask(request, playback, changed, agent), words)
                found.append({**thoughts_data(explained, changed, words), "text": text})
        return {**data, "alternatives": found}

    async def replay_file(self, request: Request) -> Response:
        name = request.path_params["name"]
        content = await asyncio.to_thread(self._games.tables.replay, name)
        if content is None:
            session = await self._games.session(request)
            if not session.table.over:
                raise PlayerError("no_table")
            if (
                not session.save_replay()
                or (content := await asyncio.to_thread(self._games.tables.replay, name)) is None
            ):
                raise PlayerError("not_written")
        return Response(content, media_type="application/json")


def frame_of_step(playback: Playback, request: Request, *, decided: bool = False) -> Frame:
    """The frame of the step in the address; TableError if there is none, or with `decided` if nobody decides there."""
    count = len(playback.frames) - (decided and playback.complete)
    if not 0 <= (step := request.path_params["step"]) < count:
        raise TableError(f"step: {step}, but 0 to {count - 1} is allowed")
    return playback.frames[step]


def _viewer(playback: Playback, request: Request) -> int | str:
    return parse_viewer(request.query_params.get("viewer", ALL), playback.game)
