"""Limits of what language models may use in a tournament, which stops between games."""

from collections.abc import Iterable
from dataclasses import dataclass

from w51_agents.agent import UnreachableError
from w51_lab.arena.blocks import BlockResult


class SpendingError(UnreachableError):
    """Language models have used as much as they may: a tournament ends, and can go on later."""


@dataclass(frozen=True)
class SpendingLimit:
    """What all language models of a tournament may use together.

    Attributes:
        max_cost: By the prices in their names; None: no limit.
        max_tokens: Tokens of questions and answers; None: no limit.
    """

    max_cost: float | None = None
    max_tokens: int | None = None

    def check(self, results: Iterable[BlockResult]) -> None:
        """SpendingError if these games have used as much, or more."""
        used = [agent.usage for result in results for agent in result.statistics]
        cost = sum(usage.get("cost", 0) for usage in used)
        tokens = sum(usage.get("input_tokens", 0) + usage.get("output_tokens", 0) for usage in used)
        if self.max_cost is not None and cost >= self.max_cost:
            raise SpendingError(f"the games have cost {cost:,.2f}, and --max-cost is {self.max_cost:,.2f}")
        if self.max_tokens is not None and tokens >= self.max_tokens:
            raise SpendingError(f"the games have used {tokens:,.0f} tokens, and --max-tokens is {self.max_tokens:,}")
