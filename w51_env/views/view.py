"""Views: what one viewer may know of a game, as plain data with its words, and the functions by which a game makes and
shows them. Text, pictures, pages and prompts are made from a view alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from w51_env.engine.errors import OptionError
from w51_env.engine.events import Event
from w51_env.engine.game import Game
from w51_env.engine.registry import make_game, registered_games
from w51_env.views.language import Paint, Words

SCHEMA = 1


@dataclass(frozen=True)
class ViewContext:
    """One state of a game and how it is to be described: what the functions of `ViewFunctions` get.

    Attributes:
        game: The game with its rules bound.
        record: The state, a record of `game.record`.
        viewer: A seat, `PUBLIC` or `ALL`. No function may use more of the state than this viewer may know.
        words: The words of the viewer's language.
    """

    game: Game
    record: Any
    viewer: int | str
    words: Words


Data = dict[str, Any]  # plain data: None, bool, int, str, lists and dicts of these
Shown = tuple[str, str, list[Data], Data]


@dataclass(frozen=True)
class ViewFunctions:
    """How a game makes its views.

    Attributes:
        show: (context) -> (phase, headline, players, table): the fields of `View` of these names.
        action: (context, action id) -> what `View.actions` says of an action of the seat to move but for `id`, `name`.
        event: (game, words, event) -> what `View.news` says of an event but for `event`, `seat`, `forced`.
        together: (game, words, news) changes what the news say of an event by those before it. None: nothing.
    """

    show: Callable[[ViewContext], Shown]
    action: Callable[[ViewContext, int], Data]
    event: Callable[[Game, Words, Event], Data]
    together: Callable[[Game, Words, list[Data]], None] | None = None


@dataclass(frozen=True)
class Rendering:
    """How a game is shown. Each function reads a view (`View`) and never the state. A part that is None has a
    general form.

    Attributes:
        table: (view, words, paint) -> lines of the text table; `views.language.Words` and `Paint`. None: the slices of
            the observation.
        picture: (view, palette, form) -> the sheet of a picture: `pictures.paint.Palette`, one of
            `pictures.seating.FORMS`, `pictures.shapes.Sheet`. None: text in boxes (`pictures.generic`).
        explanation: (view, words) -> lines: the rules in short, and the cards of the game. None: nothing.
        rules_page: (game) -> the rules as plain English text, for a language model. None: nothing.
        score_table: (view, words) -> the points of all seats if the game ended now, with their reasons
            (`w51_agents.language.score_table.ScoreTable`). None: nothing.
        beliefs: (view, words) -> (name, probability) of what may be hidden, as the viewer must believe it; the same
            names for all viewers. None: nothing.
        briefing: (view, events) -> the notes of a player (`w51_agents.language.briefing.Briefing`); the events are all
            that the viewer may know, as in `View.news`. None: the events before the news, as sentences.
        confirmed: Kinds of actions that are offered last.
        cards: (view) -> SVG, 36 x 44, of the cards that the last lines of `explanation` are about. None: no pictures.
    """

    table: Callable[[Any, Words, Paint], list[str]] | None = None
    picture: Callable[[Any, Any, str], Any] | None = None
    explanation: Callable[[Any, Words], list[str]] | None = None
    rules_page: Callable[[Game], str] | None = None
    score_table: Callable[[Any, Words], Any] | None = None
    beliefs: Callable[[Any, Words], list[tuple[str, float]]] | None = None
    briefing: Callable[[Any, Sequence[Data]], Any] | None = None
    confirmed: frozenset[str] = frozenset()
    cards: Callable[[Any], list[str]] | None = None


@dataclass(frozen=True)
class View:
    """What a viewer may know of one game. All of it is plain data, which `json` writes as it is. Beside it the view has
    the functions of its game that show it (`rendering`, a `Rendering`).

    Attributes:
        schema: Version of this shape.
        game: Id of the game, as `warehouse51_v1`.
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
            `kind`, and what the action names, as `relic`; `label`, the text of its button, if that says more.
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

    def action_texts(self) -> dict[int, str]:
        """The texts of the legal actions, by id."""
        return {action["id"]: action["text"] for action in self.actions}

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
            schema = data.get("schema", "missing")
            raise OptionError(
                f"view: schema {schema} with the fields {', '.join(data)}; {SCHEMA} is needed with {_FIELDS}"
            )
        if rendering is None:
            registered = data["game"] in registered_games()
            rendering = make_game(data["game"]).presentation.rendering if registered else Rendering()
        return cls(**data, rendering=rendering)


_FIELDS = tuple(each.name for each in fields(View) if each.name != "rendering")
