"""Messages between the page and the server. What a client gets is made from the view of the client's seat alone."""

import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from w51_agents.language.score_table import lot_lines, score_of
from w51_agents.named.explanation import Explanation
from w51_env.engine.game import PUBLIC, Game
from w51_env.pictures.svg import draw
from w51_env.views import text_table
from w51_env.views.language import Words, words_of
from w51_env.views.view import Data, View
from w51_table.play.advice import AMOUNTS, advice_sentences, bid_of, limit_sentences
from w51_table.play.table import PERSON, SET_UP, error_text
from w51_table.web.message_types import (
    ActionGroup,
    ForSeat,
    Happened,
    Hint,
    NumberedActions,
    PriceCurve,
    ScoreData,
    SeatData,
    Shown,
    SingleAction,
    Skipped,
    State,
)
from w51_table.web.presence import Client
from w51_table.web.session import TableSession

MAX_BYTES = 64 * 1024  # of a message to the page
MAX_RECEIVED = 2048  # bytes of a message from the page
_HISTORY = 40  # decisions whose events a new client gets
_LEVEL = 3  # of zlib: higher ones take longer and gain little
_NO_PARTS = {"id", "name", "kind", "text", "label", *AMOUNTS}  # fields that name nothing in the picture
_MIN_GROUP = 6  # actions that differ by a number become one field


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Hello(_Message):
    """The first message: who visits which table."""

    type: Literal["hello"]
    table: str = Field(max_length=32)
    token: str = Field("", max_length=64)
    language: str = Field(max_length=8)
    form: Literal["wide", "narrow"] = "wide"


class Act(_Message):
    """A decision of the client's seat; null: its last one is taken back."""

    type: Literal["act"]
    decision: int
    action: int | None


class AskHint(_Message):
    """What does the coach advise at this decision: at first sight, and unless `first` once it has played games out?"""

    type: Literal["hint"]
    decision: int
    first: bool = False


class SetDelay(_Message):
    """Seconds between decisions of agents; null: pause."""

    type: Literal["pace"]
    pace: float | None


class StandIn(_Message):
    """Let a bot play the seat of a person who is away, or no longer."""

    type: Literal["stand_in"]
    seat: int
    on: bool


class Hurry(_Message):
    """Let agents play in one go up to the next decision of the client's seat."""

    type: Literal["hurry"]


class Ping(_Message):
    """A question whether the server is there."""

    type: Literal["ping"]


Received = Hello | Act | AskHint | SetDelay | StandIn | Hurry | Ping
_RECEIVED: TypeAdapter[Received] = TypeAdapter(Annotated[Received, Field(discriminator="type")])


def parse(text: str) -> Received | None:
    """A message of a page; None if it is malformed."""
    try:
        return _RECEIVED.validate_json(text)
    except ValidationError:
        return None


def state_message(session: TableSession, client: Client) -> State:
    """The table as a client may see it, and what happened since the last such message."""
    table = session.table
    viewer = PUBLIC if client.seat is None else client.seat
    presence = session.presence
    first = max(SET_UP, table.decision - _HISTORY) if client.sent is None else client.sent
    news = table.game.presentation.events_data(table.game, table.events(viewer, first), client.words)
    taken = session.keys.taken
    seen = _shown_to(session, viewer, client)
    return {
        "type": "state",
        "decision": table.decision,
        "seat": client.seat,
        "turn": table.seat,
        "over": table.over,
        "new": client.sent is None,
        **seen,
        **happened(table.game, news),
        "skipped": _skipped(table.game, news, viewer, client.words),
        "undo": client.seat is not None and session.may_undo(client.seat) > 0,
        "thinking": session.thinking,
        "hurry": session.may_hurry(client.seat),
        "pace": session.delay,
        "seconds": presence.seconds_left(table.seat),
        "windows": 0 if client.seat is None else presence.connections(client.seat),
        "next": session.next,
        "seed": session.typed_seed,
        "failure": error_text(session.failure, client.words) if session.failure else None,
        "seats": [
            {**one, "here": presence.is_here(seat), "taken": seat in taken, "stand_in": seat in presence.stand_ins}
            for seat, one in enumerate(seats_of(session))
        ],
    }


def seats_of(session: TableSession) -> list[SeatData]:
    """Who holds each seat."""
    seats = zip(session.table.setup.names, session.table.setup.seats, session.agents, strict=True)
    return [{"name": name, "person": holder == PERSON, "agent": agent} for name, holder, agent in seats]


def _skipped(game: Game, news: Sequence[Data], viewer: int | str, words: Words) -> Skipped | None:
    """Why the viewer was not asked to bid, from the last such event; None if it was asked."""
    told = [(line, f"{game.name}.skipped.{event['event']}") for line, event in enumerate(news)
            if event["forced"] and event["seat"] == viewer and not game.options["ask_forced"]]  # fmt: skip
    return next((Skipped(line=line, text=words(key)) for line, key in reversed(told) if key in words), None)


def _shown_to(session: TableSession, viewer: int | str, client: Client) -> ForSeat:
    """What clients with the same seat, language and form see, made once for each decision."""
    words = client.words
    key = (viewer, words.language, client.form)
    if key not in session.shown:
        first = session.table.last_decision(viewer) if isinstance(viewer, int) else session.table.decision - 1
        view = session.table.view(viewer, words, first)
        lot, own = view.table.get("lot"), view.players[viewer] if isinstance(viewer, int) else {}
        session.shown[key] = {
            **shown(view, client.form),
            "bidding": bool(lot and lot["running"] and own.get("bidding")),  # in an open auction
            "actions": action_groups(view.actions),
        }
    return session.shown[key]


def happened(game: Game, news: Sequence[Data]) -> Happened:
    """Events, as `View.news` holds them, for a page."""
    kinds = {kind.name: kind for kind in game.event_types}
    told = [(index, event, kinds[event["event"]]) for index, event in enumerate(news)]
    return {
        "news": [event["text"] for event in news],
        "lots": [index for index, _, kind in told if kind.begins_lot],
        "raises": [line for line, _, kind in told if kind.retractable and not (kind.staged or kind.secret)],
        "opened": [(event["seat"], event[kind.fields[0]]) for _, event, kind in told if kind.shows_bid],
        "staged": [
            {
                "line": line,
                "stage": kind.staged,
                "seat": one["seat"],
                "parts": [f"{key}:{one[key]}" for key in kind.fields],
            }
            for line, one, kind in told
            if kind.staged
        ],
    }


def shown(view: View, form: str) -> Shown:
    """The parts of a view that every page shows; the picture is packed. `form` is one of `FORMS`.

    The picture lacks what the page has in words: the headline and the news.
    """
    words, key = words_of(view.language), f"{view.game.rpartition('_v')[0]}.your_turn.{view.phase}"
    return {
        "title": view.title,
        "headline": view.headline,
        "task": words(key) if key in words else view.headline,  # what the seat to move decides
        "picture": pack(draw(replace(view, news=[]), theme="auto", form=form, headline=False)),
        "text": text_table.table(view),
        "score": score_data(view),
    }


def standings(view: View) -> list[tuple[str, str]]:
    """(name, points) of each player, from what the viewer may know; empty if the game has no table of points."""
    if (score := score_of(view)) is None:
        return []
    _, cells = score.rows[score.decides]
    return [(player["name"], cell.text) for player, cell in zip(view.players, cells, strict=True)]


def score_data(view: View) -> ScoreData | None:
    """The points of all seats with their reasons, as a `ScoreTable`; None if the game has no such table."""
    score = score_of(view)
    if score is None:
        return None
    return {
        "names": [player["name"] for player in view.players],
        "title": score.title,
        "rows": [
            (label, [{"text": one.text, "reason": one.reason, "strong": one.strong, "doubtful": one.doubtful}
                     for one in cells])
            for label, cells in score.rows
        ],
        "notes": score.notes,
        "lot": score.lot,
        "decides": score.decides,
        "ledger": score.ledger,
    }  # fmt: skip


def pack(text: str) -> str:
    """A text as zlib packs it, in base64: a picture of 60 kB is sent as 12 kB."""
    return b64encode(zlib.compress(text.encode(), _LEVEL)).decode()


def hint_data(advice: Explanation, view: View, decision: int, *, first: bool = False) -> Hint:
    """What the coach advises at the decision of this number.

    What the lot would bring is left out: the page says it above the actions. At `first` sight there are no reasons.
    """
    on_page, action = lot_lines(view), next(one for one in view.actions if one["id"] == advice.action)
    reasons = [] if first else advice_sentences(advice, view, words_of(view.language))
    return {
        "type": "hint",
        "decision": decision,
        "first": first,
        "agent": advice.agent,
        "action": advice.action,
        "text": action["text"],
        "amount": bid_of(action),
        "reasons": [reason for reason in reasons if reason not in on_page],
        "limit": curve_data(advice, view),
        "whole": advice.is_whole and not first,
    }


def curve_data(advice: Explanation, view: View) -> PriceCurve | None:
    """How high the seat to move may go, by amounts; None where the explanation does not say it."""
    if (limit := advice.limit) is None:
        return None
    amounts = {action["id"]: bid_of(action) for action in view.actions}
    return {
        "highest": amounts.get(limit.highest, 0),
        "text": limit_sentences(advice, view, words_of(view.language))[0],
        "passed": limit.passed,
        "bids": [{"amount": amounts[bid], "chance": chance, "error": error} for bid, chance, error in limit.bids],
    }


def action_groups(actions: Sequence[Data]) -> list[ActionGroup]:
    """The controls of the page. Actions of one kind that differ by a number only become one entry with `choices`, if
    there are many; kinds whose number is of the same name count together: they are parts of one bid.

    Args:
        actions: `View.actions`.
    """
    groups: list[ActionGroup] = []
    by_kind: dict[str, list[Data]] = {}
    for action in actions:
        by_kind.setdefault(action["kind"], []).append(action)
    fields = {kind: _number_field(members) for kind, members in by_kind.items()}
    sizes = Counter(field for kind, members in by_kind.items() for field in [fields[kind]] * len(members))
    numbered = {kind: field for kind, field in fields.items() if field}
    numbers = {kind: [one.get("up_to") or one[field] for one in by_kind[kind]] for kind, field in numbered.items()}
    most: dict[str, int] = {kind: max(found) for kind, found in numbers.items()}
    for kind, members in by_kind.items():
        field = fields[kind]
        if field is not None and sizes[field] >= _MIN_GROUP:
            choices = sorted((action[field], action["id"], action["text"]) for action in members)
            groups.append(NumberedActions(kind=kind, choices=choices, most=most[kind]))
        else:
            for one in members:
                text, number = one.get("label") or one["text"], one.get(field or "")
                groups.append(SingleAction(kind=kind, id=one["id"], text=text, part=part_of(one), number=number))
    return groups


def part_of(action: Data) -> str:
    """The part of the picture that stands for an action, as `pictures.shapes.area` names it."""
    fields = set(action) - _NO_PARTS
    return min((f"{name}:{action[name]}" for name in fields if isinstance(action[name], int | str)), default="lot")


def _number_field(members: Sequence[Data]) -> str | None:
    """The field that is a different integer in each of these actions; None if there is none."""
    for name in sorted(set(members[0]) - {"id"}):
        values = [action.get(name) for action in members]
        if all(isinstance(value, int) for value in values) and len(set(values)) == len(values):
            return name
    return None
