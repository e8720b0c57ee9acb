"""The presentation of a game: how its views are made and shown, and its behaviour tables. `Game.show` names it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.events import Event
from w51_env.engine.game import ALL, Game, check_viewer
from w51_env.views.language import ENGLISH, Words
from w51_env.views.view import SCHEMA, Data, Rendering, Shown, View, ViewContext, ViewFunctions


@dataclass(frozen=True)
class Presentation:
    """How a game is shown.

    Attributes:
        view: How views of it are made; None: they show the slices of the observation.
        rendering: How views of it are shown: text tables, pictures, explanations, the page of rules.
        behaviour: Tables and statistics of what agents do, a `w51_lab.behaviour.contract.Behaviour`, or where it is,
            `"module:NAME"`; None: the arena records events and outcomes of seats only.
        alternatives: (context of the seat to move) -> (text, state): states in which this seat knows something else,
            made from what it knows alone. None: none.
        positions: How positions as one seat sees them are read and written, a
            `w51_table.positions.position.PositionFormat`, or where it is, `"module:NAME"`. None: they are not.
    """

    view: ViewFunctions | None = None
    rendering: Rendering = field(default_factory=Rendering)
    behaviour: Any = None
    alternatives: Callable[[ViewContext], list[tuple[str, Any]]] | None = None
    positions: Any = None

    def event_text(self, game: Game, event: Event, words: Words | None = None) -> str:
        """An event as a sentence; `words`: language and names of the seats, None: English and `Player 0`."""
        words = words or Words()
        if self.view is not None:
            text: str = self.view.event(game, words, event)["text"]
            return text
        event_type = next(event_type for event_type in game.event_types if event_type.name == event["event"])
        return event_type.text.format(**{**event, "seat": words.seat(event["seat"])})

    def _event_data(self, game: Game, words: Words, event: Event) -> Data:
        """One event as `View.news` holds it."""
        seat = event["seat"] if event["seat"] >= 0 else None
        if self.view is not None:
            return {**event, "seat": seat, **self.view.event(game, words, event)}
        return {**event, "seat": seat, "text": self.event_text(game, event, words)}

    def events_data(self, game: Game, events: Iterable[Event], words: Words | None = None) -> list[Data]:
        """Events as `View.news` holds them; `words`: None: English and `Player 0`."""
        words = words or Words()
        news = [self._event_data(game, words, event) for event in events]
        if self.view is not None and self.view.together is not None:
            self.view.together(game, words, news)
        return news

    def action_data(self, context: ViewContext, action: int) -> Data:
        """One legal action of the seat to move as `View.actions` holds it."""
        entry = context.game.actions[action]
        description: Data = {"kind": "", "text": entry.text} if self.view is None else self.view.action(context, action)
        return {"id": action, "name": entry.name, **description}

    def make_view(
        self,
        game: Game,
        record: Any,
        viewer: int | str,
        *,
        legal: Sequence[int] = (),
        news: Iterable[Event] = (),
        observe: Callable[[int], np.ndarray] | None = None,
        words: Words | None = None,
    ) -> View:
        """The view of one state. `Batch.view` calls this; it reads nothing that is not given.

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
        viewer = check_viewer(game, viewer)
        words = words or Words(ENGLISH)
        if len(words.names) not in (0, game.num_players):
            raise OptionError(f"names: {len(words.names)} of them, but there are {game.num_players} seats")
        over = bool(record["over"])
        mover = None if over else int(record["seat"])
        context = ViewContext(game, record, viewer, words)
        show = _show_slices(observe) if self.view is None else self.view.show
        phase, headline, players, table = show(context)
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
            actions=[self.action_data(context, int(action)) for action in sorted(legal)] if acting else [],
            news=self.events_data(game, news, words),
            rendering=self.rendering,
        )


GENERAL = Presentation()


def game_title(game: Game, words: Words) -> str:
    """The name of the game in words; of a game without words its name."""
    key = f"{game.name}.title"
    return words(key) if key in words else game.name


def final_score(record: Any, seat: int, points: Mapping[str, int] | None = None) -> Data | None:
    """`score` of a seat in `View.players`: total, rank and points by source; None before the end."""
    if not record["over"]:
        return None
    score: Data = {"total": int(record["scores"][seat]), "rank": int(record["ranks"][seat])}
    return score if points is None else {**score, "points": dict(points)}


def _show_slices(observe: Callable[[int], np.ndarray] | None) -> Callable[[ViewContext], Shown]:
    """`ViewFunctions.show` of a game that has none: the slices of the viewer's observation, by name."""

    def show(context: ViewContext) -> Shown:
        game, record, viewer, words = context.game, context.record, context.viewer, context.words
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
