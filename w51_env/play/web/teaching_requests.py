"""Requests for the rules, pictures of the games and guided games."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from w51_env.core.game import Game
from w51_env.core.registry import make_game, registered_games
from w51_env.play.lessons import lesson_game
from w51_env.play.web.rules import cover, lesson_data, rules_data
from w51_env.play.web.server import Server, form_of


async def lesson(server: Server, request: Request) -> dict[str, Any]:
    """All steps of a guided game."""
    shown = request.path_params["game"], server.words(request).language, form_of(request)
    return {"steps": await asyncio.to_thread(lesson_data, *shown)}


async def cover_of(server: Server, request: Request) -> Response:
    """A lot of a game in play, the same each time."""
    if (game_id := request.path_params["game"]) not in registered_games():
        return Response(status_code=404)
    svg = await asyncio.to_thread(cover, make_game(game_id), server.words(request).language)
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})


async def rules(server: Server, request: Request) -> dict[str, Any]:
    """The rules of a table, or of a replay; nothing of the game itself."""
    name = request.path_params["name"]
    session = await server.tables.get(name)
    game = session.table.game if session is not None else (await server.replays.get(name)).game
    return await _rules_of(game, server, request)


async def lesson_rules(server: Server, request: Request) -> dict[str, Any]:
    """The rules of a guided game."""
    return await _rules_of(lesson_game(request.path_params["game"]), server, request)


async def _rules_of(game: Game, server: Server, request: Request) -> dict[str, Any]:
    return await asyncio.to_thread(rules_data, game, server.words(request).language, form_of(request))
