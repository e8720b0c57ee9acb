"""What the server answers to requests: types of JSON objects, as those of `message_types`."""

from collections.abc import Mapping, Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from w51_table.play.table import Option
from w51_table.web.message_types import ActionGroup, Data, Happened, PriceCurve, SeatData, Shown, strict


@strict
class PresetOffer(TypedDict):
    """Rules of a game by name."""

    name: str
    players: int
    options: Mapping[str, Option]
    agents: Sequence[str]


@strict
class OptionOffer(TypedDict):
    """An option of a game."""

    name: str
    value: Option
    choices: Sequence[Option] | None
    """The values that are allowed; null: others, too."""


@strict
class LevelOffer(TypedDict):
    """A level of the quick game."""

    name: str
    agent: str
    """Whom one meets."""
    rating: int


@strict
class GameOffer(TypedDict):
    """A game that tables may have."""

    id: str
    title: str
    players: Sequence[int]
    default_players: int
    presets: Sequence[PresetOffer]
    agents: Sequence[str]
    options: Sequence[OptionOffer]
    levels: Sequence[LevelOffer]
    """Of the quick game, the weakest first."""
    topics: Sequence[str]
    """Ids of its short lessons."""


@strict
class NewGameOffer(TypedDict):
    """What the form of a new table offers."""

    games: Sequence[GameOffer]
    paces: Sequence[float | None]
    """Seconds; null: paused."""
    clocks: Sequence[int | None]
    lessons: Sequence[str]
    """Ids of the games that have one."""


@strict
class Offer(NewGameOffer):
    """What the page begins with."""

    language: str
    languages: Sequence[str]
    words: Mapping[str, str]
    address: str | None
    """For links that others open; null: that of the page."""


@strict
class MadeTable(TypedDict):
    """A new table."""

    table: str
    tokens: Sequence[str]
    """Of each seat; empty for agents."""
    names: Sequence[str]


@strict
class TableStatus(TypedDict):
    """How a game stands, for one of its people."""

    over: bool
    yours: bool
    headline: str
    standings: Sequence[tuple[str, str]]
    """Name and points of each player."""


@strict
class Invitation(TypedDict):
    """The link with which others choose a seat, and its QR code as SVG."""

    link: str
    qr: str


@strict
class InvitedSeat(SeatData):
    """A seat, for somebody with an invitation."""

    free: bool


@strict
class Invited(TypedDict):
    """A table, for somebody with an invitation."""

    title: str
    seats: Sequence[InvitedSeat]
    seed: str | None
    """The seed, if somebody typed it."""


@strict
class TakenSeat(TypedDict):
    """The token of a seat."""

    token: str


@strict
class Rematch(TypedDict):
    """The table of the next game."""

    table: str


@strict
class DayResult(TypedDict):
    """How somebody has fared with the deal of a day."""

    name: str
    agent: bool
    own: bool
    """It is the table that the request names."""
    points: float
    rank: int


@strict
class DayData(TypedDict):
    """The deal of a day: the same cards for everybody at this server."""

    title: str
    """Of the game."""
    date: str
    today: bool
    opponents: Sequence[str]
    played: int
    """People who have played it."""
    over: bool
    """The own game."""
    results: Sequence[DayResult]
    """The best first; empty until the own game, or the day, is over."""


@strict
class MadeDay(TypedDict):
    """A table with the deal of a day, and its date."""

    table: str
    token: str
    names: Sequence[str]
    date: str


@strict
class Rules(TypedDict):
    """The rules of a game with its options."""

    lines: Sequence[str]
    cards: Sequence[str]
    """SVG of those that the last lines are about."""
    examples: Sequence[tuple[str, str]]
    """A headline and a packed picture for each phase."""


@strict
class LessonStep(Shown, Happened):
    """A step of a lesson."""

    lesson: str
    why: str
    """Why no other choice than the right one."""
    choices: Sequence[ActionGroup]
    """None at the end of a guided game."""
    right: int | None
    """Id of one of them."""


@strict
class Lesson(TypedDict):
    """A guided game, or a short lesson."""

    steps: Sequence[LessonStep]


@strict
class KeptReplay(TypedDict):
    """The name of a replay."""

    replay: str


@strict
class ReplayAbout(TypedDict):
    """A replay without its steps."""

    steps: int
    complete: bool
    """No step will be added."""
    over: bool
    lots: Sequence[tuple[int, str]]
    """The step where each lot begins, and with what."""
    names: Sequence[str]
    decide: bool
    """An agent decides at some seat."""
    people: Sequence[int]
    beliefs: bool
    adviser: str
    failure: str | None
    agents: Sequence[str]


@strict
class ReplayStep(Shown):
    """A step as a viewer may see it."""

    news: Sequence[str]
    action: str | None
    """What was chosen there."""


@strict
class ChoiceData(TypedDict):
    """What an agent reports of one action, as `Choice`."""

    action: int
    text: str
    probability: float | None
    utility: float | None
    error: float | None
    playouts: int
    points: float | None
    chosen: bool
    """By the agent."""
    played: bool
    """In the game."""


@strict
class Thoughts(TypedDict):
    """What an agent reports of a decision; texts are empty if there are none."""

    title: str
    value: str
    why: str
    """A line for each reason."""
    choices: Sequence[ChoiceData]
    """Best first."""
    limit: PriceCurve | None
    whole: bool
    """Nothing more is to be learned; else the next request goes on."""


@strict
class StepThoughts(Thoughts):
    """What an agent reports of a step."""

    note: str


@strict
class Alternative(Thoughts):
    """What an agent would do if the seat knew something else."""

    text: str


@strict
class Believed(TypedDict):
    """Probabilities that viewers know."""

    names: Sequence[str]
    """Of the columns."""
    rows: Sequence[tuple[str, Sequence[float]]]
    """A name, and a probability for each column."""


@strict
class Beliefs(Believed):
    """What viewers must believe at a step, and what an agent would do if its seat knew more."""

    alternatives: Sequence[Alternative]


@strict
class Moves(TypedDict):
    """The decisions of a game so far."""

    moves: Sequence[tuple[int, str]]
    """Seat, and text of the action."""


@strict
class MadeAgain(TypedDict):
    """A new table with the game up to a step."""

    table: str
    token: str
    """Of the person; empty if agents play on."""
    step: int
    """From which to watch."""


@strict
class Review(Shown):
    """The end of a game, with everything that was hidden."""

    seed: str
    standings: Sequence[tuple[int, str, float, int]]
    """Rank, name, points and seat, the best first."""
    judged: bool
    """Whether decisions are judged: the coach knows chances to win, which do not count where the game pays payoffs."""


@strict
class Chances(TypedDict):
    """The chance of each seat to win after each decision."""

    names: Sequence[str]
    chances: Sequence[Sequence[float]]
    playouts: int
    players: str
    """Who plays to the end."""


@strict
class Cost(TypedDict):
    """What a decision cost."""

    step: int
    where: str
    action: str
    best: str
    better: int
    """The action id of `best`."""
    cost: float
    """Share of the wins."""
    error: float
    points: float
    why: str
    """In a sentence; of the worst ones, once the review is whole."""


@strict
class Looked(TypedDict):
    """What one decision cost that somebody looks at."""

    settled: bool
    """Nothing more is to be learned; else the next request goes on."""
    mistake: bool
    """The cost is clear."""
    found: Cost


@strict
class PracticeStep(TypedDict):
    """A decision that is worth another try."""

    step: int
    where: str
    action: str
    """What was chosen."""


@strict
class Costs(TypedDict):
    """What decisions of a seat cost, as far as is known."""

    whole: bool
    """All is there, the habit and why mistakes were some, too."""
    refined: bool
    """Nothing more is to be learned; else the next request goes on."""
    decisions: int
    accuracy: float | None
    """0 to 1; null: nothing that was chosen could change the chance to win."""
    loss: float
    """Share of the wins that all decisions together cost beside the first sight of the coach; below 0: gained."""
    error: float
    """Two standard errors of it."""
    habit: str
    """What the bids have in common that cost the chance; empty if they have nothing."""
    costs: Sequence[Cost]
    """Those whose cost is clear, the most first."""
    practice: Sequence[PracticeStep]


@strict
class BlankPosition(TypedDict):
    """What the form of a position needs."""

    words: Mapping[str, str]
    categories: Mapping[str, str]
    agents: Sequence[tuple[str, str]]
    """Name, and what the page calls it."""
    first: str
    """Whose answer is there at once."""
    cards: Mapping[str, str]
    table: Data
    """`View.table` before the first auction."""
    players: Sequence[Data]
    """`View.players`."""


@strict
class Reveal(TypedDict):
    """What an event has to say that it shows."""

    asks: str
    least: int
    size: int
    choices: Sequence[tuple[str, str]]


@strict
class NeedsReveal(TypedDict):
    """An event shows something hidden: what?"""

    needs: Reveal


@strict
class RealTable(Shown):
    """A real table now, and what may happen next."""

    news: Sequence[str]
    over: bool
    turn: int | None
    seats: Sequence[str]
    sealed: Sequence[tuple[int, int]]
    """Seat and highest bid of each that bids in secret."""
    actions: Sequence[ActionGroup]
    names: Mapping[int, str]
    """Of actions, by id."""
    advised: bool
    beliefs: Believed
    position: Data | None
    """The position now; null once nothing is hidden."""
    python: str
    """A program that loads it."""


@strict
class Advice(Thoughts):
    """What the coach, or an agent, would do."""

    text: str
    reasons: Sequence[str]


@strict
class Mistake(TypedDict):
    """Why a request was refused; of a position also the field that is wrong."""

    error: str
    field: NotRequired[str]
    most: NotRequired[int | None]
