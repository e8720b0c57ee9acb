"""Requests about a game at a real table. The browser keeps it, and sends it with each request: nothing is kept here."""

from concurrent.futures import CancelledError
from dataclasses import replace
from threading import Event

from starlette.requests import Request
from starlette.responses import Response

from w51_agents.language.score_table import lot_lines
from w51_agents.system.json_text import parse_json
from w51_env.engine.errors import OptionError
from w51_env.engine.game import EXTERNAL, PUBLIC
from w51_env.engine.options import check_name
from w51_env.engine.registry import game_from_outside
from w51_env.views.language import Words
from w51_env.views.view import Data
from w51_lab.replay_viewer.frames import frame_of
from w51_lab.replays.beginning import begin_replayed
from w51_table.play.agent_pool import agent_name, hint_agent
from w51_table.play.coach import COACH
from w51_table.play.evening import frame, replay_of
from w51_table.play.table import PlayerError
from w51_table.positions.evening import Evening, UnseenError
from w51_table.positions.position import position_format
from w51_table.web.advisers import Advisers
from w51_table.web.answer_types import Advice, BlankPosition, NeedsReveal, RealTable
from w51_table.web.messages import action_groups, shown
from w51_table.web.new_game import agents_of
from w51_table.web.page import Page, body_of, form_of, number_of
from w51_table.web.thoughts import beliefs_data, thoughts_data
from w51_table.web.work import WorkQueue

_MAX_BYTES = 256 * 1024  # of an evening


class AdviceRequests:
    """Handlers of requests about a game at a real table."""

    def __init__(self, advisers: Advisers, page: Page, evenings: WorkQueue):
        self._advisers, self._page, self._evenings, self._extras = advisers, page, evenings, advisers.extras

    async def blank(self, request: Request) -> BlankPosition:
        """What the form of a position needs: its words, and a table of so many players before the first auction."""
        words, players = self._page.words(request), number_of(request, "players")
        game = game_from_outside(request.path_params["game"], {} if players is None else {"num_players": players})
        names = position_format(game).names(game, words)
        view = frame_of(begin_replayed(game, 0, (EXTERNAL,) * game.num_players), 0).view(PUBLIC, words)
        return {
            "words": words.section("advice"),
            "categories": words.section(f"{game.name}.category"),
            "agents": [(name, agent_name(name, words)) for name in (COACH, *agents_of(game, self._extras))],
            "first": hint_agent(game),  # whose answer is there at once, while the coach plays games out
            "cards": names,
            "table": view.table,
            "players": view.players,
        }

    async def table(self, request: Request) -> NeedsReveal | RealTable:
        """The table now, as the player sees it, and what may happen next; or what an event has to say that it shows."""
        words, form = self._page.words(request), form_of(request)
        try:
            evening = await self._evening(request, words)
        except UnseenError as error:
            reveal = error.reveal
            game = error.game
            names = position_format(game).names(game, words)
            asks = words(f"{game.name}.reveal.{reveal.kind}")
            choices = [(one, names[one]) for one in reveal.choices]
            return {"needs": {"asks": asks, "least": reveal.least, "size": reveal.size, "choices": choices}}
        return await self._evenings.run(request, lambda stopped: _table_data(evening, form))

    async def advice(self, request: Request) -> Advice:
        """What the coach, or an agent, would do at the decision of the player, how sure it is, and why."""
        words = self._page.words(request)
        evening = await self._evening(request, words)
        allowed = [COACH, *agents_of(evening.game, self._extras)]
        agent = check_name("agent", request.query_params.get("agent") or COACH, allowed)
        if (state := evening.advised()) is None:
            raise PlayerError("not_asked")
        decision = frame(evening, state)
        explained = await self._advisers.explained(request, decision, self._extras.agent(agent), evening.game.id, 0)
        explanation = replace(explained.likeliest(), agent=agent_name(agent, words))
        view = decision.view(decision.seat, evening.words)
        return {
            **thoughts_data(explanation, decision, evening.words),
            "text": view.action_texts()[explanation.action],
            "reasons": lot_lines(view),
        }

    async def replay(self, request: Request) -> Response:
        """The replay of the evening."""
        evening = await self._evening(request, self._page.words(request))
        content = await self._evenings.run(request, lambda stopped: replay_of(evening).encode())
        return Response(content, media_type="application/json")

    async def _evening(self, request: Request, words: Words) -> Evening:
        """The evening that a page sends; its game is played as long as somebody waits for it."""
        content = await body_of(request, _MAX_BYTES)
        try:
            data = parse_json(content.decode())
        except ValueError as error:
            raise OptionError(f"table: {error}") from None

        def played(stopped: Event) -> Evening:
            def check() -> None:
                if stopped.is_set():
                    raise CancelledError

            return Evening(data, words, check)

        return await self._evenings.run(request, played)


def _table_data(evening: Evening, form: str) -> RealTable:
    now = frame(evening, evening.state)
    words = evening.words
    names = [action.name for action in evening.game.actions]
    deciding = [frame(evening, state) for state in evening.deciding()]
    views = [one.view(one.seat, words) for one in deciding]
    actions = [action for view in views for action in view.actions]
    highest = [max(action.get("ingots", 0) for action in view.actions) for view in views]
    sealed = [(one.seat, bid) for one, bid in zip(deciding, highest, strict=True)]
    is_sealed, position = evening.is_sealed, _position(evening)
    return {
        **shown(now.view(evening.seat, words), form),
        "news": evening.news,
        "over": now.seat < 0,
        "turn": None if now.seat < 0 else now.seat,
        "seats": words.seats(evening.game.num_players),
        "sealed": sealed if is_sealed else [],
        "actions": action_groups([action for action in actions if not is_sealed or "ingots" not in action]),
        "names": {action["id"]: names[action["id"]] for action in actions},
        "advised": any(one.seat == evening.seat for one in deciding),
        "beliefs": beliefs_data(now, evening.seat, words),
        "position": position,
        "python": "" if position is None else evening.python(),
    }


def _position(evening: Evening) -> Data | None:
    """The position now; None once nothing is hidden."""
    try:
        return evening.position()
    except OptionError:
        return None
