"""Requests for the deal of the day."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from w51_env.engine.registry import make_game
from w51_env.views.language import Words
from w51_env.views.presentation import game_title
from w51_table.play.agent_pool import agent_name
from w51_table.play.game_log import Kept
from w51_table.play.table import PERSON, USUAL_DELAY, PlayerError
from w51_table.web.answer_types import DayData, DayResult, MadeDay
from w51_table.web.days import OPPONENT, PLAYERS, SEAT, Day, Days, today
from w51_table.web.games import Games
from w51_table.web.page import Page, bearer, parsed_body
from w51_table.web.work import visitor_at

_MAX_BODY = 1024  # bytes


class PlayDay(BaseModel):
    """How somebody plays the deal of the day: `again`, who has seen its cards before, for nothing."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field("", max_length=64)
    again: bool = False


class DayRequests:
    """Handlers of requests for the deal of the day."""

    def __init__(self, games: Games, days: Days, page: Page):
        self._games, self._days, self._page = games, days, page

    async def day(self, request: Request) -> DayData:
        """The deal of a day: with results for who has played it, shown by the own table, and once the day is over."""
        game_id = request.path_params["game"]
        when = _date(request)
        words = self._page.words(request)
        day = await self._days.of(game_id, when)
        own, over = request.query_params.get("table", ""), False
        session = await self._games.tables.get(own) if own in day.people else None
        if session is not None and session.keys.seat_of(bearer(request)) == SEAT:
            over = session.table.over
        else:
            own = ""
        return {
            "title": game_title(make_game(game_id), words),
            "date": when.isoformat(),
            "today": when == today(),
            "opponents": [agent_name(OPPONENT, words)] * (PLAYERS - 1),
            "played": sum(one is not None for one in day.people.values()),
            "over": over,
            "results": _results(day, own, words) if over or when < today() else [],
        }

    async def play(self, request: Request) -> MadeDay:
        """A table with the deal of today."""
        form = await parsed_body(request, PlayDay, _MAX_BODY)
        game_id, when = request.path_params["game"], today()
        setup = self._days.setup(game_id, when, PERSON, form.name)
        extra: Kept = {"pace": USUAL_DELAY, "clock": None, "labels": {}}
        name, tokens = await self._games.tables.create(setup, extra, visitor=visitor_at(request))
        if not form.again:
            self._days.count(game_id, when, name)
        return {"table": name, "token": tokens[SEAT], "names": setup.names, "date": when.isoformat()}


def _date(request: Request) -> date:
    """The date that a request asks for; without one that of today."""
    text = request.query_params.get("date", "")
    try:
        return date.fromisoformat(text) if text else today()
    except ValueError:
        raise PlayerError("no_day") from None


def _results(day: Day, own: str, words: Words) -> list[DayResult]:
    """All results, the best first."""
    agents = [(one, agent_name(name, words), True, False) for name, one in day.agents.items()]
    people = [(one, one.name, False, table == own) for table, one in day.people.items() if one is not None]
    found = sorted([*agents, *people], key=lambda entry: (entry[0].rank, -entry[0].points))
    return [
        {"name": name, "agent": is_agent, "own": is_own, "points": one.points, "rank": one.rank}
        for one, name, is_agent, is_own in found
    ]
