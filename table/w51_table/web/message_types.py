"""What the server sends over a WebSocket, and the parts that answers of requests share: types of JSON objects.

mypy checks what makes them, `outgoing` what is sent. `docs/generate.py` writes from them a JSON schema, the types of
the page's JavaScript, and docs/messages.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

STRICT = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)
strict = with_config(STRICT)


@strict
class SingleAction(TypedDict):
    """A legal action that is a button."""

    kind: str
    id: int
    text: str
    part: str
    """The part of the picture that stands for it."""
    number: int | None
    """The amount of a bid."""


@strict
class NumberedActions(TypedDict):
    """Legal actions of one kind that differ by a number: one field."""

    kind: str
    choices: Sequence[tuple[int, int, str]]
    """Number, action id, and text of each, the least number first."""
    most: int
    """The highest number that they lead to, perhaps with a second action."""


ActionGroup = SingleAction | NumberedActions


@strict
class ScoreCellData(TypedDict):
    """A number of a table of points, as `ScoreCell`."""

    text: str
    reason: str
    strong: bool
    doubtful: bool


@strict
class ScoreData(TypedDict):
    """The points of all seats with their reasons, as `ScoreTable`."""

    names: Sequence[str]
    title: str
    rows: Sequence[tuple[str, Sequence[ScoreCellData]]]
    notes: Sequence[str]
    lot: Sequence[str]
    decides: int
    ledger: int


@strict
class Shown(TypedDict):
    """The parts of a view that every page shows."""

    title: str
    headline: str
    task: str
    """What the seat to move decides."""
    picture: str
    """SVG, packed by zlib, in base64; empty if the message would be too long."""
    text: str
    """The table in words; empty if the message would be too long."""
    score: ScoreData | None


@strict
class StagedEvent(TypedDict):
    """An event on which the page dwells."""

    line: int
    """Its index in `news`."""
    stage: Literal["sale", "turn", "leave", "note"]
    seat: int | None
    parts: Sequence[str]
    """The parts of the picture that it may name."""


@strict
class Happened(TypedDict):
    """Events."""

    news: Sequence[str]
    lots: Sequence[int]
    """Indices of those in `news` that begin a lot."""
    raises: Sequence[int]
    """Indices of bids and passes of an open auction."""
    opened: Sequence[tuple[int, int]]
    """Seat and amount of each secret bid that was shown."""
    staged: Sequence[StagedEvent]


@strict
class SeatData(TypedDict):
    """Who holds a seat."""

    name: str
    person: bool
    agent: str
    """What the page calls the agent; empty for people."""


@strict
class PresentSeat(SeatData):
    """A seat of a table."""

    here: bool
    taken: bool
    """Somebody has come to it."""
    stand_in: bool
    """A bot plays for a person who is away."""


@strict
class Skipped(TypedDict):
    """Why the seat was not asked to bid."""

    line: int
    """Index of the event in `news`."""
    text: str


@strict
class ForSeat(Shown):
    """What clients with the same seat, language and form see."""

    bidding: bool
    """In an open auction."""
    actions: Sequence[ActionGroup]


@strict
class State(ForSeat, Happened):
    """The table as a client may see it, and what happened since the last such message."""

    type: Literal["state"]
    decision: int
    """Number of the next decision."""
    seat: int | None
    """The client's; null for those who watch."""
    turn: int | None
    """The seat to move; null if the game is over."""
    over: bool
    new: bool
    """It tells the table anew."""
    skipped: Skipped | None
    undo: bool
    """The client may take its last decision back."""
    thinking: bool
    hurry: bool
    """The client may let agents play in one go up to its next decision."""
    pace: float | None
    seconds: float | None
    """Left for the decision; null: no clock."""
    windows: int
    """Connections of the client's seat."""
    next: str | None
    """The table of the next game."""
    seed: str | None
    """The seed, if somebody typed it."""
    failure: str | None
    seats: Sequence[PresentSeat]


@strict
class BidWorth(TypedDict):
    """What a bid is worth."""

    amount: int
    chance: float
    error: float
    """Standard error of what it is better or worse by than a pass."""


@strict
class PriceCurve(TypedDict):
    """How high to go for a lot."""

    highest: int
    """The highest bid that is no worse than a pass; 0: none is."""
    text: str
    """That in a sentence."""
    passed: float
    """The chance to win after a pass."""
    bids: Sequence[BidWorth]


@strict
class Hint(TypedDict):
    """What the coach advises at a decision."""

    type: Literal["hint"]
    decision: int
    first: bool
    """At first sight, without reasons."""
    agent: str
    action: int
    text: str
    amount: int
    """Of a bid; 0 for other actions."""
    reasons: Sequence[str]
    limit: PriceCurve | None
    """How high to go for the lot; null at first sight, and where there is nothing to bid for."""
    whole: bool
    """Nothing more is to be learned; else another hint follows while nobody decides."""


@strict
class Busy(TypedDict):
    """The coach has too much to do for this visitor."""

    type: Literal["busy"]
    decision: int
    text: str


@strict
class Pong(TypedDict):
    """The answer to a ping."""

    type: Literal["pong"]


Sent = State | Hint | Busy | Pong
Data = Mapping[str, Any]  # what the rules of a game make for its own form: `views.view.Data`
