"""An entry of the benchmark: one JSON file with results, what they were made with, and what verifies them."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from w51_agents.agent.interface import AgentError
from w51_agents.agent.seeds import SECRET_PATTERN
from w51_agents.console.settings import mistakes_of, parse_yaml
from w51_agents.system.errors import reason_of
from w51_agents.system.files import read_text, write_text
from w51_agents.system.json_text import JsonObject
from w51_env.engine.plain_data import is_clear
from w51_lab.arena.store import read_object
from w51_lab.benchmark.protocol import MEMBERS, PROTOCOL, SIZES
from w51_lab.benchmark.track_figures import TrackFigures

MAX_BYTES = 20_000_000
_MAX_MESSAGE = 1000  # letters on a file of another form
_MARKUP = "<>|`[]"


def _check_words(text: str) -> str:
    if set(text) & set(_MARKUP) and text not in MEMBERS:
        raise ValueError(f"but one line without {' '.join(_MARKUP)} is needed")
    return text


def _check_line(text: str) -> str:
    if not is_clear(text):
        raise ValueError("but one line of printable letters is needed")
    return text


def _check_date(text: str) -> str:
    datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    return text


_Line = Annotated[str, Field(max_length=1000), AfterValidator(_check_line)]
_IN_WORDS = (AfterValidator(_check_line), AfterValidator(_check_words))
_Words = Annotated[str, Field(max_length=400), *_IN_WORDS]
_Name = Annotated[str, Field(min_length=1, max_length=80), *_IN_WORDS]
_Link = Annotated[str, Field(max_length=400, pattern=r"^(https?://[A-Za-z0-9_.~:/?#@!$&*+,;=%-]+)?$")]
_Size = Annotated[str, Field(pattern=f"^({'|'.join(SIZES)})$")]
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(strict=True, ge=0, le=10**15)]
_Amount = Annotated[float, Field(strict=True, ge=0, le=1e12)]
_Fraction = Annotated[float, Field(strict=True, ge=0, le=1)]
_Players = Annotated[int, Field(strict=True, ge=2, le=16)]
_Plain = bool | Annotated[int, Field(ge=-(2**63), lt=2**64)] | float | _Line | None
USAGE = Literal["questions", "input_tokens", "output_tokens", "cached_tokens", "cost"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class About(_Part):
    """What the author says of the agent; nothing of it can be verified."""

    method: _Words = Field("", description="What it is, in a sentence.")
    uses_heuristic: Annotated[bool, Field(strict=True)] | None = Field(
        None, description="Whether the heuristic serves in inputs, opponents, imitation or playouts."
    )
    met: tuple[_Words, ...] = Field((), max_length=20, description="Agents of the panel that it met in training.")
    decisions: _Count | None = Field(None, description="Decisions of its training, of one seed.")
    seconds: _Amount | None = Field(None, description="Wall time of its training, of one seed.")
    hardware: _Words = Field("", description="Of training and of this benchmark.")
    link: _Link = Field("", description="Paper or code: `http://` or `https://`.")


class Deals(_Part):
    """The deals of a match; the digest includes cards and options."""

    name: _Line
    count: _Count
    digest: _Line


class Match(_Part):
    """The games of the agent with one opponent, or of one attacker among copies of the agent.

    Attributes:
        opponent: Name in the panel, or the attacker.
        deals: Which they are.
        files: SHA-256 of the files of both agents, by name.
        secret: From it the seeds of agents of others are computed.
        slow: Which agents were slow, which decides on the blocks.
        decisions, milliseconds: Decisions of the agent, and the mean processor time of one; of a language model, the
            wall time.
        forfeits: Fraction of decisions that were forfeited.
        usage: Of a language model: questions, tokens, cost.
        model: Of a language model: its name, how it was asked, and the version of the prompts.
        cells: What is kept of each deal (`track_figures.packed`); wins and scores of the agent, or of the attacker.
    """

    opponent: _Line
    deals: Deals
    files: dict[_Line, Annotated[tuple[_Digest, ...], Field(max_length=100)]]
    secret: str = Field(pattern=SECRET_PATTERN)
    slow: tuple[_Line, ...] = Field(max_length=2)
    decisions: _Count
    milliseconds: _Amount
    forfeits: _Fraction
    usage: dict[USAGE, _Amount] = {}
    model: dict[_Line, _Plain] = Field({}, max_length=100)
    cells: str = Field(max_length=2_000_000)


class Played(_Part):
    """One game of a track.

    Attributes:
        game, options: Its id and options.
        cards: SHA-256 of the features of its cards; empty where they follow from the options.
        players: Number of seats.
        matches: One for each opponent.
    """

    game: _Line
    options: dict[_Line, _Plain]
    cards: _Line
    players: _Players
    matches: tuple[Match, ...] = Field(max_length=100)


class TrackEntry(_Part):
    """The games of a track, the figures that follow from them (`track_figures.figures`), and attacks on the agent."""

    settings: tuple[Played, ...] = Field(max_length=100)
    figures: TrackFigures
    attacks: tuple[Match, ...] = Field((), max_length=10)


class Exact(_Part):
    """Exact exploitability in a mini game, in points (hundredths of a win); None with the reason why it is unknown."""

    points: Annotated[float, Field(strict=True, ge=0, le=100)] | None
    reason: _Line = ""


class AgentRun(_Part):
    """All tracks of one agent; the agents of an entry are those of several seeds.

    Attributes:
        agent: Its name.
        tracks: Those that it plays.
        refused: Those that it cannot play, each with the reason.
        exact: Exploitability in each mini game, by its name in the protocol; empty if it was not asked for.
    """

    agent: Annotated[_Line, Field(min_length=1)]
    tracks: dict[_Line, TrackEntry]
    refused: dict[_Line, _Line] = {}
    exact: dict[_Line, Exact] = {}


class BenchmarkEntry(_Part):
    """An entry of the benchmark.

    Attributes:
        protocol: Its version.
        name: Name of the method.
        size: Which part of the deals was played.
        date: UTC.
        versions: Of this package and others.
        about: What the author says.
        runs: One for each agent.
        digest: SHA-256 of all other fields.
    """

    protocol: str
    name: _Name
    size: _Size
    date: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}$"), AfterValidator(_check_date)]
    versions: dict[_Line, _Plain] = Field(max_length=100)
    about: About = About()
    runs: tuple[AgentRun, ...] = Field(min_length=1, max_length=100)
    digest: str = ""


def digest_of(data: JsonObject) -> str:
    """SHA-256 of the data of an entry but its digest."""
    others = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


def write_entry(entry: BenchmarkEntry, path: Path) -> Path:
    """Write an entry with its digest, atomically."""
    data = entry.model_dump(mode="json")
    return write_text(json.dumps({**data, "digest": digest_of(data)}, indent=1) + "\n", path)


def read_entry(path: Path) -> BenchmarkEntry:
    """The entry in a file; AgentError if it is damaged, changed by hand, or of another version of the protocol."""
    data = read_object(path, "entry", MAX_BYTES)
    if data.get("protocol") != PROTOCOL:
        raise AgentError(f"entry {path}: protocol {data.get('protocol')!r}, but this is {PROTOCOL!r}")
    try:
        entry = BenchmarkEntry.model_validate(data)
    except ValidationError as error:
        raise AgentError(
            f"entry {path}: {shorten('; '.join(mistakes_of(error, BenchmarkEntry)), _MAX_MESSAGE)}"
        ) from None
    if entry.digest != (now := digest_of(data)):
        raise AgentError(f"entry {path}: its digest is {entry.digest[:12]}, but that of its content is {now[:12]}")
    return entry


def check_name(name: str) -> str:
    """The name of an entry; AgentError if it cannot be one."""
    try:
        return TypeAdapter(_Name).validate_python(name)
    except ValidationError as error:
        raise AgentError(f"name {name!r}: {error.errors()[0]['msg']}; give it another one with --name") from None


def read_about(path: Path | None) -> About:
    """What a YAML file says of an agent; AgentError with every mistake."""
    if path is None:
        return About()
    try:
        text = read_text(path, 100_000)
    except (OSError, ValueError) as error:
        raise AgentError(f"about {path}: cannot be read: {reason_of(error)}") from None
    try:
        return About.model_validate(parse_yaml(text, f"about {path}:", AgentError) or {})
    except ValidationError as error:
        raise AgentError(f"about {path}: {'; '.join(mistakes_of(error, About))}") from None
