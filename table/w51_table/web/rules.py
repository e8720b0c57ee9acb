"""What a page needs to teach a game, and the requests for it: rules with a picture of each phase, and a guided game."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from w51_env.engine.game import PUBLIC, Game
from w51_env.engine.registry import game_from_outside
from w51_env.pictures.svg import draw, draw_lot
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_table.lessons import LessonStep as Step
from w51_table.lessons import lesson_game, lesson_steps
from w51_table.lessons.exercises import exercises
from w51_table.play.agent_pool import Rules as PlayedRules
from w51_table.play.agent_pool import rules_of
from w51_table.play.table import PEOPLE, Setup, Table
from w51_table.web.answer_types import Lesson, LessonStep, Rules
from w51_table.web.games import Games
from w51_table.web.messages import action_groups, happened, pack, shown
from w51_table.web.page import Page, form_of

_SEED = 3  # of the game that the pictures are from
_KEPT = 32
_COVER_DECISIONS = 75
_MAX_CHOICES = 4  # of a step of a lesson


@lru_cache(maxsize=_KEPT)
def rules_data(played: PlayedRules, language: str, form: str) -> Rules:
    """The rules for a page."""
    game = played.game
    words = Words(language, PEOPLE[: game.num_players])
    first_of: dict[str, View] = {}  # each phase
    for view in _views(game, words):
        first_of.setdefault(view.phase, view)
    rendering, first = game.presentation.rendering, next(iter(first_of.values()))
    lines = rendering.explanation(first, words) if rendering.explanation is not None else []
    cards = rendering.cards(first) if rendering.cards is not None else []
    pictures = (draw(replace(view, news=[]), theme="auto", form=form, headline=False) for view in first_of.values())
    headlines = [view.headline for view in first_of.values()]
    return {"lines": lines, "cards": cards, "examples": list(zip(headlines, map(pack, pictures), strict=True))}


@lru_cache(maxsize=_KEPT)
def cover(rules: PlayedRules, language: str) -> str:
    """A lot of the game in play, as SVG: of an auction among its first decisions, as late as possible."""
    game = rules.game
    views = list(islice(_views(game, Words(language, PEOPLE[: game.num_players])), _COVER_DECISIONS))
    auctions = [view for view in views if view.phase in ("open_auction", "bid")]
    return draw_lot((auctions or views)[-1], theme="auto")


@lru_cache(maxsize=_KEPT)
def lesson_data(game_id: str, language: str, form: str) -> list[LessonStep]:
    """The steps of a guided game for a page.

    Raises:
        TableError: The game has no lesson.
    """
    game = lesson_game(game_id)
    return [_step_data(game, step, _some_of(step), form) for step in lesson_steps(game_id, language)]


@lru_cache(maxsize=_KEPT)
def exercise_data(topic: str, language: str, form: str) -> list[LessonStep]:
    """The positions of a short lesson for a page; TableError if there is none of this id."""
    return [_step_data(one.position.game, one.step(language), one.choices, form) for one in exercises(topic)]


def _some_of(step: Step) -> Sequence[int]:
    """The action that a step asks for, with some others if there are many."""
    legal = [action["id"] for action in step.view.actions]
    if step.action is None or len(legal) <= _MAX_CHOICES:
        return legal
    after = legal[(legal.index(step.action) + 1) % len(legal)]
    return sorted({legal[0], step.action, after, legal[-1]})


def _step_data(game: Game, step: Step, choices: Sequence[int], form: str) -> LessonStep:
    return {
        **shown(step.view, form),
        **happened(game, step.view.news),
        "lesson": step.text,
        "why": step.why,
        "choices": action_groups([action for action in step.view.actions if action["id"] in choices]),
        "right": step.action,
    }


class RulesRequests:
    """Handlers of requests for rules and guided games."""

    def __init__(self, games: Games, page: Page):
        self._games, self._page = games, page

    async def lesson(self, request: Request) -> Lesson:
        """All steps of a guided game."""
        shown = request.path_params["game"], self._page.words(request).language, form_of(request)
        return {"steps": await asyncio.to_thread(lesson_data, *shown)}

    async def exercise(self, request: Request) -> Lesson:
        """The positions of a short lesson."""
        shown = request.path_params["topic"], self._page.words(request).language, form_of(request)
        return {"steps": await asyncio.to_thread(exercise_data, *shown)}

    async def cover_of(self, request: Request) -> Response:
        """A lot of a game in play, the same each time."""
        game = game_from_outside(request.path_params["game"])
        svg = await asyncio.to_thread(cover, rules_of(game), self._page.words(request).language)
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})

    async def rules(self, request: Request) -> Rules:
        """The rules of a table, or of a replay; nothing of the game itself."""
        name = request.path_params["name"]
        session = await self._games.tables.get(name)
        game = session.table.game if session is not None else (await self._games.replays.get(name)).game
        return await self._rules_of(game, request)

    async def lesson_rules(self, request: Request) -> Rules:
        """The rules of a guided game."""
        return await self._rules_of(lesson_game(request.path_params["game"]), request)

    async def exercise_rules(self, request: Request) -> Rules:
        """The rules of the positions of a short lesson."""
        return await self._rules_of(exercises(request.path_params["topic"])[0].position.game, request)

    async def _rules_of(self, game: Game, request: Request) -> Rules:
        return await asyncio.to_thread(rules_data, rules_of(game), self._page.words(request).language, form_of(request))


def _views(game: Game, words: Words) -> Iterator[View]:
    """A game of random play, always the same one: each decision as the seat to move sees it, and the end."""
    table = Table(Setup(game.id, dict(game.options), _SEED, ("random",) * game.num_players))
    generator = np.random.default_rng(_SEED)
    while table.seat is not None:
        yield table.view(table.seat, words, table.last_decision(table.seat))
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    yield table.view(PUBLIC, words, table.decision)
