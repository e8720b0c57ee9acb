"""What is stored of a block beside its columns, as JSON: statistics of its agents, and which games have replays.

It is checked when it is read, because a file may be untrusted.
"""

import json

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from w51_env.arena.blocks import BlockResult
from w51_env.arena.plan import Block, Plan
from w51_env.arena.supervisor import KINDS, AgentStatistics, Count, Number
from w51_env.arena.surprise import SWING, Candidate


class BlockFacts(BaseModel):
    """What is stored of a block beside the columns."""

    model_config = ConfigDict(extra="forbid", strict=True)

    block: Block
    seconds: Number
    statistics: list[AgentStatistics]
    replays: list[Count]
    candidates: list[Candidate] = Field(default_factory=list)


def facts_text(result: BlockResult) -> str:
    """The facts of a block as JSON."""
    facts = BlockFacts(
        block=result.block,
        seconds=result.seconds,
        statistics=result.statistics,
        replays=[row for row, _ in result.replays],
        candidates=result.candidates,
    )
    return json.dumps(facts.model_dump(mode="json"))


def facts_of(text: str) -> BlockFacts:
    """The facts in a file."""
    try:
        return BlockFacts.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def check_facts(facts: BlockFacts, plan: Plan, games: int) -> None:
    """ValueError unless the facts can be those of a block with so many games."""
    sizes = {"observation": plan.game.layout.size, "mask": len(plan.game.actions)}
    if len(facts.statistics) != len(plan.names):
        raise ValueError(f"statistics of {len(facts.statistics)} agents, but there are {len(plan.names)}")
    for statistics in facts.statistics:
        if set(statistics.failures) != set(KINDS):
            raise ValueError(f"failures: {', '.join(statistics.failures)}, but {', '.join(KINDS)} are needed")
        for name, size in sizes.items():
            if statistics.first is not None and (length := len(getattr(statistics.first, name))) not in (0, size):
                raise ValueError(f"first failure: {name} of {length} numbers, but {size} are needed")
    if any(row >= games for row in [*facts.replays, *(candidate.row for candidate in facts.candidates)]):
        raise ValueError(f"a replay of a row that is not one of {games} games")
    if any(
        (candidate.kind == SWING) != (candidate.winner < 0) or candidate.winner >= len(plan.names)
        for candidate in facts.candidates
    ):
        raise ValueError(f"a winner that is not one of {len(plan.names)} agents")
