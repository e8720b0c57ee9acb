"""Requests about a finished game: its end, chances of the seats, costs of decisions, and the game as a file."""

import asyncio
from dataclasses import replace
from mimetypes import types_map

from starlette.requests import Request
from starlette.responses import Response

from w51_agents.search.course import COURSE
from w51_agents.search.deliberation import CLEAR, Verdict
from w51_env.engine.game import ALL
from w51_env.engine.options import check_name
from w51_env.engine.victory import decided_by
from w51_env.pictures.raster import RASTER_THEMES
from w51_env.views.language import Words
from w51_table.play.agent_pool import agent_name
from w51_table.play.coach import judge_network
from w51_table.play.export import FORMATS
from w51_table.play.playback import Playback
from w51_table.play.reasons import habit_of, reason_of
from w51_table.play.review import NAMED, GameReview, accuracy, mistakes, practice, total_loss
from w51_table.play.table import SET_UP, PlayerError
from w51_table.web.advisers import Advisers
from w51_table.web.answer_types import Chances, Cost, Costs, Looked, PracticeStep, Review
from w51_table.web.games import Games
from w51_table.web.messages import score_data, shown
from w51_table.web.page import form_of, number_of
from w51_table.web.replay_requests import frame_of_step
from w51_table.web.work import Exports


class ReviewRequests:
    """Handlers of requests about a finished game."""

    def __init__(self, games: Games, advisers: Advisers, exports: Exports):
        self._games, self._advisers, self._exports = games, advisers, exports

    async def review_of(self, request: Request) -> Review:
        """The end of the game of a table, with everything that was hidden, drawn as from the place of a seat."""
        session = await self._games.session(request)
        playback, words = await self._games.playback(request, over=True)
        seat = number_of(request, "seat")
        drawn_for = seat if seat is not None and 0 <= seat < playback.game.num_players else ALL
        last = replace(playback.frames[-1].view(ALL, words), viewer=drawn_for)
        scores = [(one["score"]["rank"], one["name"], one["score"]["total"], one["seat"]) for one in last.players]
        seed = str(session.table.setup.seed)  # too large for a number of JavaScript
        seen = await asyncio.to_thread(shown, last, form_of(request))
        whole = session.table.view(ALL, words, SET_UP)
        standings = sorted(scores, key=lambda score: score[0])
        judged = decided_by(playback.game) != "payoff"
        return {"seed": seed, **seen, "score": score_data(whole), "standings": standings, "judged": judged}

    async def chances_of(self, request: Request) -> Chances:
        """The chance of each seat to win after each decision."""
        playback, words = await self._games.playback(request, over=True)
        expected = await self._advisers.reviewed(request, playback, GameReview.chances)
        bot = playback.game.bots[-1]
        players = dict.fromkeys(agent_name(player, words) for player in (judge_network(playback.game) or bot, bot))
        return {
            "names": words.seats(playback.game.num_players),
            "chances": expected.round(3).tolist(),
            "playouts": COURSE,
            "players": ", ".join(players),
        }

    async def costs_of(self, request: Request) -> Costs:
        """What decisions of a seat cost, as far as is known; asked again, it is known better until it is refined."""
        playback, words = await self._games.playback(request, over=True)
        seat = request.path_params["seat"]
        if not 0 <= seat < playback.game.num_players:
            raise PlayerError("no_replay")
        return await self._advisers.reviewed(request, playback, lambda review, game: _costs(review, game, seat, words))

    async def looked_at(self, request: Request) -> Looked:
        """What a decision cost that somebody looks at; asked again, it is known better until it is settled."""
        playback, words = await self._games.playback(request, over=True)
        step = frame_of_step(playback, request, decided=True).number
        return await self._advisers.reviewed(request, playback, lambda review, game: _looked(review, game, step, words))

    async def export_of(self, request: Request) -> Response:
        """A finished game as a file."""
        playback, words = await self._games.playback(request, over=True)
        suffix, theme = f".{request.path_params['format']}", request.query_params.get("theme", RASTER_THEMES[0])
        check_name("format", suffix, FORMATS)
        check_name("theme", theme, RASTER_THEMES)
        content = await self._exports.file(request, playback, words, suffix, theme)
        name = f"{request.path_params['name']}{suffix}"
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=types_map[suffix], headers=disposition)


def _costs(review: GameReview, playback: Playback, seat: int, words: Words) -> Costs:
    """One step of the review of a seat; why the worst mistakes were some is said once it is whole."""
    thought, verdicts = review.think(playback, seat), review.verdicts(seat)
    begins = [index for index, _ in playback.lots]
    found, (loss, error) = mistakes(verdicts, begins), total_loss(verdicts.values())
    named = [step for step, _ in found[:NAMED]] if thought.is_whole else []
    costs = [
        _cost(playback, step, verdict, words, _why(review, playback, step, verdict, words) if step in named else "")
        for step, verdict in found
    ]
    frames = [frame for frame in playback.frames if frame.seat == seat]
    return {
        "whole": thought.is_whole,
        "refined": thought.is_refined,
        "decisions": len(frames),
        "accuracy": accuracy(verdicts),
        "loss": loss,
        "error": CLEAR * error,
        "habit": habit_of(frames, verdicts, review.unlikely(seat), words) if thought.is_whole else "",
        "costs": costs,
        "practice": [_practice(playback, step, verdict, words) for step, verdict in practice(verdicts, begins)],
    }


def _looked(review: GameReview, playback: Playback, step: int, words: Words) -> Looked:
    """What one decision cost; why it was a mistake is said once it is settled."""
    verdict, is_settled = review.look(playback, step)
    is_mistake = verdict.judged.is_mistake
    why = _why(review, playback, step, verdict, words) if is_mistake and is_settled else ""
    return {"settled": is_settled, "mistake": is_mistake, "found": _cost(playback, step, verdict, words, why)}


def _why(review: GameReview, playback: Playback, step: int, verdict: Verdict, words: Words) -> str:
    frame = playback.frames[step]
    return reason_of(verdict, review.limit(playback, step), frame.view(frame.seat, words), words)


def _cost(playback: Playback, step: int, verdict: Verdict, words: Words, why: str) -> Cost:
    """The lot of a decision, what was chosen, what was better, and by which share of the win and how many points."""
    frame, better, judged = playback.frames[step], verdict.advice, verdict.judged
    actions = frame.view(frame.seat, words).action_texts()
    return {
        "step": step,
        "where": _lot(playback, step, words),
        "action": actions[judged.action],
        "best": actions[better.action],
        "better": better.action,
        "cost": judged.loss,
        "error": judged.error,
        "points": better.points - judged.points,
        "why": why,
    }


def _practice(playback: Playback, step: int, verdict: Verdict, words: Words) -> PracticeStep:
    frame = playback.frames[step]
    action = frame.view(frame.seat, words).action_texts()[verdict.judged.action]
    return {"step": step, "where": _lot(playback, step, words), "action": action}


def _lot(playback: Playback, step: int, words: Words) -> str:
    """The lot of a decision as a sentence; of one before the first lot what is decided."""
    earlier = [lot for lot in playback.lot_sentences(words) if lot[0] <= step]
    return max(earlier)[1] if earlier else playback.frames[step].view(ALL, words).headline
