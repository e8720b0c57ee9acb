"""Requests about replays and finished games."""

import asyncio
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from w51_agents.explanation import Explanation
from w51_agents.policies.load import VALUES_ARE_WINS
from w51_env.engine.errors import W51Error
from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_table.play.agent_pool import hint_agent, plays_here
from w51_table.play.grading import result_of
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError, TableError, without_paths
from w51_table.replay_viewer.frames import Frame
from w51_table.web.new_game import agent_name, agents_of
from w51_table.web.replays import MAX_BYTES as MAX_REPLAY
from w51_table.web.replays import about, check_step, check_viewer, question, step_data
from w51_table.web.server import Server, body_of, form_of
from w51_table.web.thoughts import alternatives, beliefs_data, chance_of, thoughts_data

NO_AGENT = "none"  # the page asks for no agent


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
    return {**about(playback, words), "agents": agents_of(playback.game, server.extras)}


async def advance(server: Server, request: Request) -> dict[str, Any]:
    """Let an agent make the decision of a step, if it is the next one of a table of agents; what there is then."""
    session = await server.tables.get(request.path_params["name"])
    if session is not None:
        await session.advance(request.path_params["step"])
    return about(*await _playback(server, request))


async def step(server: Server, request: Request) -> dict[str, Any]:
    playback, words = await _playback(server, request)
    shown_to = _viewer(request), words, form_of(request)
    return await asyncio.to_thread(step_data, playback, request.path_params["step"], *shown_to)


def _viewer(request: Request) -> int | str:
    viewer = request.query_params.get("viewer", ALL)
    return int(viewer) if viewer.isdecimal() and len(viewer) < 3 else viewer


async def explanation(server: Server, request: Request) -> dict[str, Any]:
    """What an agent reports of the decision of a step; without a name the agent that decided there."""
    playback, words = await _playback(server, request)
    step = request.path_params["step"]
    check_step(playback, step, len(playback.frames) - 1 if playback.complete else len(playback.frames))
    agent = _agent(server, request, playback, step)
    if step == len(playback.frames) - 1 and agent == playback.agents[playback.frames[step].seat]:
        session = await server.tables.get(request.path_params["name"])
        if session is not None:
            await session.explain_next(step)
    explained = replace(await _explained(server, request, playback, step, agent), agent=_shown(server, agent, words))
    asked_for_another = not request.query_params.get("agent") and playback.agent_at(step) is None
    note = words("page.person_decides", name=words.seat(playback.frames[step].seat)) if asked_for_another else ""
    return {"note": note, **await asyncio.to_thread(thoughts_data, explained, playback.frames[step], words)}


def _agent(server: Server, request: Request, playback: Playback, step: int) -> str:
    """Name of the agent that a request asks about; TableError if it is none of the form and of the game."""
    shown = server.extras.shown
    asked = server.extras.agent(request.query_params.get("agent", ""))
    agent = asked or playback.agent_at(step) or hint_agent(playback.game)
    allowed = [*agents_of(playback.game, server.extras), *(shown(one) for one in playback.agents if one)]
    if shown(agent) not in allowed:
        raise TableError(f"agent: {agent!r}, but allowed are {', '.join(dict.fromkeys(allowed))}")
    return agent


def _shown(server: Server, agent: str, words: Words) -> str:
    return agent_name(server.extras.shown(agent), words)


async def _explained(server: Server, request: Request, playback: Playback, step: int, agent: str) -> Explanation:
    """What an agent reports of a step; asked the first time."""
    if (step, agent) not in playback.explanations:
        playback.explanations[step, agent] = await _ask(server, request, playback, playback.frames[step], agent)
    return playback.explanations[step, agent]


async def _ask(server: Server, request: Request, playback: Playback, frame: Frame, agent: str) -> Explanation:
    answer = await server.ask(request, await asyncio.to_thread(question, playback, frame, agent))
    if answer.explanation is None:
        raise PlayerError("agent_unusable", agent=server.extras.shown(agent), reason=without_paths(answer.failure))
    return answer.explanation


async def beliefs(server: Server, request: Request) -> dict[str, Any]:
    """What a viewer, or each seat, must believe at a step, and what the agent would do if its seat knew more."""
    playback, words = await _playback(server, request)
    step, viewer = request.path_params["step"], _viewer(request)
    check_viewer(playback, viewer)
    check_step(playback, step, len(playback.frames))
    frame = playback.frames[step]
    data = await asyncio.to_thread(beliefs_data, frame, viewer, words)
    data["alternatives"] = []
    if viewer in (ALL, frame.seat) and request.query_params.get("agent") != NO_AGENT:
        agent = _agent(server, request, playback, step)
        for text, changed in await asyncio.to_thread(alternatives, frame, words):
            explained = await _ask(server, request, playback, changed, agent)
            explained = replace(explained, agent=_shown(server, agent, words))
            data["alternatives"].append({"text": text, **thoughts_data(explained, changed, words)})
    return data


async def values(server: Server, request: Request) -> dict[str, Any]:
    """After each decision the chance that a trained network gave each seat at its latest decision; empty without one.

    Only the seat to move is asked, since the network has learned values of decisions. The last chances are the result.
    """
    playback, words = await _playback(server, request)
    game = playback.game
    if playback.frames[-1].seat >= 0:
        raise PlayerError("not_over")
    chances: list[list[float]] = []
    network = VALUES_ARE_WINS[0]
    if plays_here(network, game):
        latest = [1 / game.num_players] * game.num_players
        for step, frame in enumerate(playback.frames[:-1]):
            explained = await _explained(server, request, playback, step, network)
            latest[frame.seat] = chance_of(network, explained, game.num_players) or 0.0
            chances.append([round(chance, 3) for chance in latest])
        chances = [*chances[1:], list(result_of(playback))]
    return {"agent": network, "names": words.seats(game.num_players), "chances": chances}


async def replay_file(server: Server, request: Request) -> Response:
    name = request.path_params["name"]
    content = await asyncio.to_thread(server.tables.replay, name)
    if content is None:
        session = await server.session(request)
        if not session.table.over:
            raise PlayerError("no_table")
        if not session.save_replay() or (content := await asyncio.to_thread(server.tables.replay, name)) is None:
            raise PlayerError("not_written")
    return Response(content, media_type="application/json")
