"""Requests about a finished game: its end, chances of the seats, grades of decisions, and the game as a file."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from w51_agents.search.grades import MORE
from w51_env.engine.game import ALL
from w51_env.engine.options import check_name
from w51_env.views.language import Words
from w51_table.pictures.raster import RASTER_THEMES
from w51_table.play.export import FORMATS
from w51_table.play.grading import GameGrades
from w51_table.play.playback import Playback
from w51_table.play.table import SET_UP, PlayerError
from w51_table.web.messages import score_data, shown
from w51_table.web.server import Server, form_of

_CLEAR = 2.0  # standard errors above which a cost is told
TYPES = {
    ".html": "text/html",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
}


async def review_of(server: Server, request: Request) -> dict[str, Any]:
    """The end of the game of a table, with everything that was hidden."""
    session = await server.session(request)
    playback = await finished(server, request)
    last = playback.frames[-1].view(ALL, server.words(request, playback.names))
    scores = [(player["score"]["rank"], player["name"], player["score"]["total"]) for player in last.players]
    seed = str(session.table.setup.seed)  # too large for a number of JavaScript
    seen = await asyncio.to_thread(shown, last, form_of(request))
    whole = session.table.view(ALL, server.words(request, playback.names), SET_UP)
    standings = sorted(scores, key=lambda score: score[0])
    return {"seed": seed, **seen, "score": score_data(whole, Words(whole.language)), "standings": standings}


async def chances_of(server: Server, request: Request) -> dict[str, Any]:
    """The chance of each seat to win after each decision."""
    playback = await finished(server, request)
    expected = await server.graded(request, playback, GameGrades.chances)
    chances = [[round(chance, 3) for chance in after] for after in expected]
    names = server.words(request, playback.names).seats(playback.game.num_players)
    return {"names": names, "chances": chances, "playouts": MORE, "bot": playback.game.bots[-1]}


async def grades_of(server: Server, request: Request) -> dict[str, Any]:
    """What decisions of a seat cost, the most first: those whose cost is clear."""
    playback = await finished(server, request)
    seat = request.path_params["seat"]
    if not 0 <= seat < playback.game.num_players:
        raise PlayerError("no_replay")
    grades = await server.graded(request, playback, lambda grader, game: grader.grades(game, seat))
    clear = [step for step, grade in grades.items() if grade.cost > _CLEAR * grade.error]
    clear.sort(key=lambda step: -grades[step].cost)
    words = server.words(request, playback.names)
    rows = [{**_texts(playback, step, grades[step].best, words), "step": step,
             "cost": grades[step].cost, "error": grades[step].error} for step in clear]  # fmt: skip
    return {"decisions": len(grades), "costs": rows}


async def finished(server: Server, request: Request) -> Playback:
    """The game of the name in the address; PlayerError if there is none, or it is not over."""
    playback = await server.replays.get(request.path_params["name"])
    if playback.frames[-1].seat >= 0:
        raise PlayerError("not_over")
    return playback


def _texts(playback: Playback, step: int, best: int, words: Words) -> dict[str, str]:
    """The lot of a decision, the action that was chosen, and a better one."""
    frame = playback.frames[step]
    assert frame.action is not None
    view = frame.view(frame.seat, words)
    actions = view.action_texts()
    where = max((lot for lot in playback.lot_sentences(words) if lot[0] <= step), default=(0, view.headline))[1]
    return {"where": where, "action": actions[frame.action], "best": actions[best]}


async def export_of(server: Server, request: Request) -> Response:
    """A finished game as a file."""
    playback = await finished(server, request)
    suffix, theme = f".{request.path_params['format']}", request.query_params.get("theme", RASTER_THEMES[0])
    check_name("format", suffix, FORMATS)
    check_name("theme", theme, RASTER_THEMES)
    content = await server.exports.file(request, playback, server.words(request, playback.names), suffix, theme)
    name = f"{request.path_params['name']}{suffix}"
    return Response(
        content, media_type=TYPES[suffix], headers={"content-disposition": f'attachment; filename="{name}"'}
    )
