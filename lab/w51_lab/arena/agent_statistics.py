"""What is counted of an agent while it plays: its calls, its failures, what it used; and the same for a summary."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator

from w51_agents.language.llm.decision import Transcribed
from w51_lab.statistics.records import Record

ERROR, ILLEGAL, LATE = "errors", "illegal", "late"
KINDS = (ERROR, ILLEGAL, LATE)

# These types are checked where stored statistics are read.
Count = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Kind = Annotated[str, Field(pattern=f"^({'|'.join(KINDS)})$")]
Bytes = Annotated[
    np.ndarray, PlainValidator(lambda data: np.array(data, np.int8)), PlainSerializer(lambda array: array.tolist())
]


@dataclass(frozen=True)
class Failure:
    """A failed decision.

    Attributes:
        kind: One of KINDS.
        message: What went wrong.
        row: Row of the game in its batch; -1 where `reset` failed.
        seat: Seat of the agent; -1 where `reset` failed.
        observation, mask: Arguments of the call; empty where `reset` failed.
        traceback: Where in the agent's code; "" if unknown.
    """

    kind: Kind
    message: str
    row: int
    seat: int
    observation: Bytes
    mask: Bytes
    traceback: str = ""


@dataclass
class AgentStatistics:
    """Calls and failures of one agent.

    Attributes:
        decisions: Number of decisions that the agent was called for.
        seconds: Wall time of these calls.
        processor_seconds: Processor time of these calls, of all threads; of an isolated agent, that of its process.
        failures: Number of forfeited decisions of each kind.
        skipped: Number of decisions without a call, because too many had failed in their game.
        first: The first failure.
        usage: What a language model used: `questions`, `input_tokens`, `output_tokens`, `cost`; empty for other agents.
        transcript: What a language model was told and said, a record for each decision and note; `game` is the row.
    """

    decisions: Count = 0
    seconds: Number = 0.0
    processor_seconds: Number = 0.0
    failures: dict[str, Count] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    skipped: Count = 0
    first: Failure | None = None
    usage: dict[str, Number] = field(default_factory=dict)
    transcript: list[Transcribed] = field(default_factory=list)

    def add(self, other: "AgentStatistics") -> None:
        """Add the numbers of another block of games; the first failure stays the first."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.processor_seconds += other.processor_seconds
        self.skipped += other.skipped
        self.first = self.first or other.first
        self.transcript = self.transcript + other.transcript
        for kind in KINDS:
            self.failures[kind] += other.failures[kind]
        for key, value in other.usage.items():
            self.usage[key] = self.usage.get(key, 0) + value

    @property
    def forfeited(self) -> int:
        """Number of decisions that the agent did not make: failed ones and skipped ones."""
        return sum(self.failures.values()) + self.skipped

    @property
    def facts(self) -> "AgentFacts":
        """The numbers as a part of a summary."""
        return AgentFacts(
            forfeits=Forfeits(
                errors=self.failures[ERROR],
                illegal=self.failures[ILLEGAL],
                late=self.failures[LATE],
                skipped=self.skipped,
                fraction=min(1.0, self.forfeited / max(1, self.decisions + self.skipped)),
                first=self.first.message if self.first is not None else None,
            ),
            decisions=self.decisions,
            seconds_per_decision=self.seconds / self.decisions if self.decisions else None,
            processor_seconds_per_decision=self.processor_seconds / self.decisions if self.decisions else None,
            usage=UsageFacts.model_validate({"cached_tokens": 0.0, **self.usage}) if self.usage else None,
        )


class Forfeits(Record):
    """Forfeited decisions: of each kind; skipped ones; all as a fraction of the decisions; the first failure."""

    errors: int
    illegal: int
    late: int
    skipped: int
    fraction: float
    first: str | None

    @property
    def count(self) -> int:
        """All forfeited decisions."""
        return self.errors + self.illegal + self.late + self.skipped


class UsageFacts(Record):
    """What a language model used."""

    questions: float
    input_tokens: float
    output_tokens: float
    cached_tokens: float
    cost: float

    @property
    def tokens(self) -> float:
        """Tokens of questions and answers."""
        return self.input_tokens + self.output_tokens


class AgentFacts(Record):
    """How an agent played: its forfeits, the time of its decisions, and what it used if it is a language model."""

    forfeits: Forfeits
    decisions: int
    seconds_per_decision: float | None
    processor_seconds_per_decision: float | None
    usage: UsageFacts | None
