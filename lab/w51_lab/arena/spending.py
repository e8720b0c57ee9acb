"""What language models will use in a tournament, and limits of it, at which the tournament stops between games."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from w51_agents.agent.interface import UnreachableError
from w51_agents.language.llm.llm_agent import LLMAgent
from w51_agents.named.registry import make_agent
from w51_env.engine.game import RANDOM
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.match_loop import StrictRunner, play
from w51_lab.arena.plan import Plan

_FORECAST = 20  # games by which decisions are counted
_READ, _WRITTEN = 1300, 300  # tokens of a turn and of an answer, as they are in games of bots; the rules are counted


def forecast(plans: Sequence[Plan]) -> Iterator[str]:
    """A sentence for each language model: about how many decisions, tokens and what cost the games will be.

    Args:
        plans: The tournaments, of the same agents or of some of them.
    """
    models: dict[str, tuple[LLMAgent, float]] = {}
    for plan in plans:
        for name, agent, decisions in _decisions_of_models(plan):
            models[name] = agent, decisions + (models[name][1] if name in models else 0)
    for name, (agent, decisions) in models.items():
        read, written = round(decisions) * (agent.rules_tokens + _READ), round(decisions) * _WRITTEN
        prices = agent.settings.input_price, agent.settings.output_price
        cost = 1e-6 * (read * prices[0] + written * prices[1])
        costs = f", a cost of {cost:,.2f}" if cost else ""
        yield (
            f"{name}: about {decisions:,.0f} decisions; with {agent.rules_tokens + _READ:,} tokens read and "
            f"{_WRITTEN} written for each, {read + written:,} tokens{costs}; a memory and long answers need more"
        )


def _decisions_of_models(plan: Plan) -> Iterator[tuple[str, LLMAgent, float]]:
    """The language models of a tournament, and about how many decisions they will make: as many as random players."""
    models = [(index, agent) for index, agent in enumerate(plan.agents) if isinstance(agent, LLMAgent)]
    if not models:
        return
    random = StrictRunner(RANDOM, make_agent(RANDOM, plan.game), plan.game)
    seated = np.zeros((_FORECAST, plan.game.num_players), np.int64)
    lengths = play(plan.game, [random], seated, np.arange(_FORECAST, dtype=np.uint64)).final_length
    for index, agent in models:
        seats = sum(int((plan.seated(block) == index).sum()) for block in plan.blocks)
        yield plan.names[index], agent, seats * lengths.mean() / plan.game.num_players


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
        if self.max_cost is None and self.max_tokens is None:
            return  # called after each block, so that sums of all games would be quadratic
        used = [agent.usage for result in results for agent in result.statistics]
        cost = sum(usage.get("cost", 0) for usage in used)
        tokens = sum(usage.get("input_tokens", 0) + usage.get("output_tokens", 0) for usage in used)
        if self.max_cost is not None and cost >= self.max_cost:
            raise SpendingError(f"the games have cost {cost:,.2f}, and --max-cost is {self.max_cost:,.2f}")
        if self.max_tokens is not None and tokens >= self.max_tokens:
            raise SpendingError(f"the games have used {tokens:,.0f} tokens, and --max-tokens is {self.max_tokens:,}")
