"""What is stored of a block beside its columns, as JSON: statistics of its agents, and which games have replays.

It is checked when it is read, because a file may be untrusted.
"""

import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from w51_env.arena.blocks import BlockResult
from w51_env.arena.plan import Plan
from w51_env.arena.supervisor import KINDS, AgentStatistics, Failure
from w51_env.arena.surprise import SWING

Count = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Failure(_Data):
    kind: Literal["errors", "illegal", "late"]
    message: str
    row: int
    seat: int
    observation: list[Annotated[int, Field(ge=-128, le=127)]]
    mask: list[Annotated[int, Field(ge=0, le=1)]]
    traceback: str = ""


class _Statistics(_Data):
    decisions: Count
    seconds: Number
    processor_seconds: Number = 0.0
    failures: dict[str, Count]
    skipped: Count
    first: _Failure | None
    usage: dict[str, Number] = Field(default_factory=dict)

    def as_statistics(self) -> AgentStatistics:
        """The statistics as the supervisor has them."""
        statistics = AgentStatistics(**self.model_dump(exclude={"first"}))
        if self.first is not None:
            arrays = {name: np.array(getattr(self.first, name), np.int8) for name in ("observation", "mask")}
            statistics.first = Failure(**{**self.first.model_dump(), **arrays})
        return statistics


class _Candidate(_Data):
    kind: Literal["swing", "upset"]
    row: Count
    winner: Annotated[int, Field(ge=-1)]
    size: Annotated[float, Field(allow_inf_nan=False)]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    controllers: list[str]
    actions: list[int]


class BlockFacts(_Data):
    """What is stored of a block beside the columns."""

    block: dict[str, int]
    seconds: Number
    statistics: list[_Statistics]
    replays: list[Count]
    candidates: list[_Candidate] = Field(default_factory=list)


def facts_text(result: BlockResult) -> str:
    """The facts of a block as JSON."""
    facts = {
        "block": asdict(result.block),
        "seconds": result.seconds,
        "statistics": [_statistics_data(statistics) for statistics in result.statistics],
        "replays": [row for row, _ in result.replays],
        "candidates": [asdict(candidate) for candidate in result.candidates],
    }
    return json.dumps(facts)


def _statistics_data(statistics: AgentStatistics) -> dict[str, Any]:
    data = {**vars(statistics)}
    if statistics.first is not None:
        first = statistics.first
        data["first"] = {**vars(first), "observation": first.observation.tolist(), "mask": first.mask.tolist()}
    return data


def facts_of(text: str) -> BlockFacts:
    """The facts in a file."""
    try:
        return BlockFacts.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def check_facts(facts: BlockFacts, plan: Plan, games: int) -> None:
    """ValueError unless the facts can be those of a block with so many games."""
    sizes = {"observation": plan.game.layout.size, "mask": len(plan.game.actions)}
    if len(facts.statistics) != len(plan.names):
        raise ValueError(f"statistics of {len(facts.statistics)} agents, but there are {len(plan.names)}")
    for agent_facts in facts.statistics:
        if set(agent_facts.failures) != set(KINDS):
            raise ValueError(f"failures: {', '.join(agent_facts.failures)}, but {', '.join(KINDS)} are needed")
        for name, size in sizes.items():
            if agent_facts.first is not None and (length := len(getattr(agent_facts.first, name))) not in (0, size):
                raise ValueError(f"first failure: {name} of {length} numbers, but {size} are needed")
    if any(row >= games for row in [*facts.replays, *(candidate.row for candidate in facts.candidates)]):
        raise ValueError(f"a replay of a row that is not one of {games} games")
    if any(
        (candidate.kind == SWING) != (candidate.winner < 0) or candidate.winner >= len(plan.names)
        for candidate in facts.candidates
    ):
        raise ValueError(f"a winner that is not one of {len(plan.names)} agents")
