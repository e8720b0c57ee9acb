"""Requests about replays and finished games."""

import asyncio
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from w51_env.core.errors import W51Error
from w51_env.core.game import ALL
from w51_env.play.agent_pool import hint_agent
from w51_env.play.playback import Playback
from w51_env.play.table import PlayerError, TableError, without_paths
from w51_env.play.web.new_game import agent_name, agents_of
from w51_env.play.web.replays import MAX_BYTES as MAX_REPLAY
from w51_env.play.web.replays import about, check_step, question, step_data
from w51_env.play.web.server import Server, body_of
from w51_env.play.web.thoughts import thoughts_data
from w51_env.render.seating import FORMS
from w51_env.views.language import Words


async def new_replay(server: Server, request: Request) -> dict[str, Any]:
    content = await body_of(request, MAX_REPLAY)
    try:
        return {"replay": await asyncio.to_thread(server.replays.add, content)}
    except W51Error as error:
        raise PlayerError("replay_unusable", reason=error) from None


async def _playback(server: Server, request: Request) -> tuple[Playback, Words]:
    playback = await server.replays.get(request.path_params["name"])
    return playback, server.words(request, playback.names)


async def replay_about(server: Server, request: Request) -> dict[str, Any]:
    playback, words = await _playback(server, request)
    return {**about(playback, words), "agents": agents_of(playback.game, server.settings.agents)}


async def advance(server: Server, request: Request) -> dict[str, Any]:
    """Let an agent make the decision of a step, if it is the next one of a table of agents; what there is then."""
    session = await server.tables.get(request.path_params["name"])
    if session is not None:
        await session.advance(request.path_params["step"])
    return about(*await _playback(server, request))


async def step(server: Server, request: Request) -> dict[str, Any]:
    playback, words = await _playback(server, request)
    viewer = request.query_params.get("viewer", ALL)
    seen_by = int(viewer) if viewer.isdecimal() and len(viewer) < 3 else viewer
    form = request.query_params.get("form", FORMS[0])
    return await asyncio.to_thread(step_data, playback, request.path_params["step"], seen_by, words, form)


async def explanation(server: Server, request: Request) -> dict[str, Any]:
    """What an agent reports of the decision of a step; without a name the agent that decided there."""
    playback, words = await _playback(server, request)
    step = request.path_params["step"]
    check_step(playback, step, len(playback.frames) - 1 if playback.complete else len(playback.frames))
    agent = request.query_params.get("agent") or playback.agent_at(step) or hint_agent(playback.game)
    allowed = [*agents_of(playback.game, server.settings.agents), *playback.agents]
    if agent not in allowed:
        raise TableError(f"agent: {agent!r}, but allowed are {', '.join(filter(None, dict.fromkeys(allowed)))}")
    if step == len(playback.frames) - 1 and agent == playback.agents[playback.frames[step].seat]:
        session = await server.tables.get(request.path_params["name"])
        if session is not None:
            await session.explain_next(step)
    if (step, agent) not in playback.explanations:
        answer = await server.ask(await asyncio.to_thread(question, playback, [step], agent, explain=True))
        if answer.explanation is None:
            raise PlayerError("agent_unusable", agent=agent, reason=without_paths(answer.failure))
        playback.explanations[step, agent] = answer.explanation
    found = replace(playback.explanations[step, agent], agent=agent_name(agent, words))
    return await asyncio.to_thread(thoughts_data, found, playback.frames[step], words)


async def replay_file(server: Server, request: Request) -> Response:
    name = request.path_params["name"]
    content = await asyncio.to_thread(server.tables.replay, name)
    if content is None:
        session = await server.tables.get(name)
        if session is None or not session.table.over:
            raise PlayerError("no_table")
        if not session.save_replay() or (content := await asyncio.to_thread(server.tables.replay, name)) is None:
            raise PlayerError("not_written")
    return Response(content, media_type="application/json")
