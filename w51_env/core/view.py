"""Views: what one viewer may know of a game, as plain data with its words. Text, pictures, pages and prompts are made
from a view alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from w51_env.core.errors import OptionError
from w51_env.core.events import Event
from w51_env.core.game import ALL, PUBLIC, Data, Game, Position, Rendering, Shown
from w51_env.core.language import ENGLISH, Words
from w51_env.core.options import check_choice
from w51_env.core.registry import make_game, registered_games

SCHEMA = 1


@dataclass(frozen=True)
class View:
    """What a viewer may know of one game. All of it is plain data, which `json` writes as it is. Beside it the view has
    the functions of its game that show it (`rendering`, a `core.game.Rendering`).

    Attributes:
        schema: Version of this shape.
        game: Id of the game, as `warehouse51_v0`.
        language: Of all texts in the view.
        viewer: A seat; `public`; or `all`, which is privileged.
        num_players: Seats in play.
        decision: Decisions made so far in this game.
        phase: What the seat to move decides, by name; `over` at the end.
        seat: The seat to move; None when the game is over.
        over: Whether the game is over.
        title: The name of the game.
        headline: What is going on, in one line: who is to move, and what they decide.
        players: For each seat a dict with `seat`, `name`, and what the game has; at the end `score` with `total`,
            `rank` and, where the game has them, `points` by source.
        table: All else, by name, as the game's `view.py` lists it.
        actions: The legal actions, if the viewer is the seat to move (or `all`): dicts with `id`, `name`, `text`,
            `kind`, and what the action names, as `relic`.
        news: What has happened since the viewer's last decision: dicts with `event`, `seat`, the event's fields by
            name, `forced`, `text`.
    """

    schema: int
    game: str
    language: str
    viewer: int | str
    num_players: int
    decision: int
    phase: str
    seat: int | None
    over: bool
    title: str
    headline: str
    players: list[Data]
    table: Data
    actions: list[Data]
    news: list[Data]
    rendering: Rendering = field(default=Rendering(), repr=False, compare=False)

    def as_data(self) -> Data:
        """The view as one dict; `View.from_data` makes it a view again. Both share the lists and dicts inside."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], rendering: Rendering | None = None) -> "View":
        """The view that `as_data` gave, also after a way through JSON.

        Args:
            data: What `as_data` gave.
            rendering: That of the game; None: that of the registered game of this id, else the general form.

        Raises:
            OptionError: It has other fields or another schema.
        """
        if sorted(data) != sorted(_FIELDS) or data["schema"] != SCHEMA:
            found = data.get("schema", "missing")
            raise OptionError(
                f"view: schema {found} with the fields {', '.join(data)}; {SCHEMA} is needed with {_FIELDS}"
            )
        return cls(**data, rendering=rendering or _rendering_of(data["game"]))


_FIELDS = tuple(each.name for each in fields(View) if each.name != "rendering")


def _rendering_of(game_id: str) -> Rendering:
    return make_game(game_id).rendering if game_id in registered_games() else Rendering()


def make_view(
    game: Game,
    record: Any,
    viewer: int | str,
    *,
    legal: Sequence[int] = (),
    news: Iterable[Event] = (),
    observe: Callable[[int], np.ndarray] | None = None,
    words: Words | None = None,
) -> View:
    """The view of one state. `Batch.view` and the environments call this; it reads nothing that is not given.

    Args:
        game: The game with its rules bound.
        record: The state, a record of `game.record`.
        viewer: A seat, `PUBLIC`, or `ALL`, which is privileged.
        legal: Ids of the legal actions of the seat to move.
        news: Events that the viewer may know.
        observe: The observation of a seat, (layout.size,) int8; needed for a game without a view of its own.
        words: Language and names of the seats; None: English.

    Raises:
        OptionError: An unknown viewer, or names for another number of seats.
    """
    check_viewer(game, viewer)
    words = words or Words(ENGLISH)
    if len(words.names) not in (0, game.num_players):
        raise OptionError(f"names: {len(words.names)} of them, but there are {game.num_players} seats")
    over = bool(record["over"])
    mover = None if over else int(record["seat"])
    position = Position(game, record, viewer, words)
    show = _show_slices(observe) if game.view is None else game.view.show
    phase, headline, players, table = show(position)
    acting = mover is not None and viewer in (mover, ALL)
    return View(
        schema=SCHEMA,
        game=game.id,
        language=words.language,
        viewer=viewer,
        num_players=game.num_players,
        decision=int(record["decisions"]),
        phase=phase,
        seat=mover,
        over=over,
        title=game_title(game, words),
        headline=headline,
        players=players,
        table=table,
        actions=[_action_data(position, int(action)) for action in sorted(legal)] if acting else [],
        news=[event_data(game, words, event) for event in news],
        rendering=game.rendering,
    )


def check_viewer(game: Game, viewer: Any) -> None:
    """OptionError unless it is a seat, `PUBLIC` or `ALL`: None, which is everything elsewhere, is not allowed."""
    check_choice("viewer", viewer, (PUBLIC, ALL, *range(game.num_players)))


def game_title(game: Game, words: Words) -> str:
    """The name of the game in words; of a game without words its name."""
    key = f"{game.name}.title"
    return words(key) if key in words else game.name


def _action_data(position: Position, action: int) -> Data:
    """One legal action of the seat to move as `View.actions` holds it."""
    game, entry = position.game, position.game.actions[action]
    said: Data = {"kind": "", "text": entry.text} if game.view is None else game.view.action(position, action)
    return {"id": action, "name": entry.name, **said}


def event_data(game: Game, words: Words, event: Event) -> Data:
    """One event as `View.news` holds it."""
    seat = event["seat"]
    data: Data = {**event, "seat": seat if seat >= 0 else None}
    said = {"text": game.event_text(event, words)} if game.view is None else game.view.event(game, words, event)
    return {**data, **said}


def final_score(record: Any, seat: int, points: Mapping[str, int] | None = None) -> Data | None:
    """`score` of a seat in `View.players`: total, rank and points by source; None before the end."""
    if not record["over"]:
        return None
    score: Data = {"total": int(record["scores"][seat]), "rank": int(record["ranks"][seat])}
    return score if points is None else {**score, "points": dict(points)}


def _show_slices(observe: Callable[[int], np.ndarray] | None) -> Callable[[Position], Shown]:
    """`ViewFunctions.show` of a game that has none: the slices of the viewer's observation, by name."""

    def show(position: Position) -> Shown:
        game, record, viewer, words = position.game, position.record, position.viewer, position.words
        over = bool(record["over"])
        headline = words("table.over") if over else words("table.to_move", seat=words.seat(int(record["seat"])))
        seats = range(game.num_players)
        players: list[Data] = [
            {"seat": seat, "name": words.seat(seat), "score": final_score(record, seat)} for seat in seats
        ]
        for seat in seats:
            if observe is not None and viewer in (seat, ALL):
                seen = observe(seat)
                players[seat]["observation"] = {name: game.layout.read(seen, name).tolist() for name in game.layout}
        return "over" if over else "move", headline, players, {}

    return show
