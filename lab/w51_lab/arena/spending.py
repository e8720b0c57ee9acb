"""What language models will use in a tournament, and limits of it, at which the tournament stops between games."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from w51_agents.agent.interface import UnreachableError
from w51_agents.language.llm.llm_agent import LLMAgent
from w51_agents.named.registry import make_agent
from w51_env.engine.game import RANDOM
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.match_loop import StrictRunner, play
from w51_lab.arena.plan import Block, Plan

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


@dataclass
class SpendingLimit:
    """What all language models of one or more tournaments may use together.

    Attributes:
        max_cost: By the prices in their names; None: no limit.
        max_tokens: Tokens of questions and answers; None: no limit.
        cost, tokens: What tournaments that have ended have used.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    cost: float = 0.0
    tokens: float = 0.0
    _played: Mapping[int, BlockResult] = field(default_factory=dict, init=False)

    @property
    def spent(self) -> tuple[float, float]:
        """The cost and the tokens so far, those of the tournament that is being played included."""
        used = [used_by(result) for result in list(self._played.values())]
        return self.cost + sum(one[0] for one in used), self.tokens + sum(one[1] for one in used)

    def portions(self, blocks: Sequence[Block], results: Mapping[int, BlockResult]) -> Iterator[list[Block]]:
        """The blocks in portions, which are played one after the other, so that no game begins that cannot be paid for.

        The first one is a single block, by which the others are judged: each counts as the dearest one so far from the
        moment at which it begins. Without a limit all are one portion.

        Args:
            blocks: What is left to play.
            results: What has been played; more of it each time.

        Raises:
            SpendingError: The next block cannot be paid for.
        """
        self._played, left = results, list(blocks)
        while left:
            affordable = self._affordable([used_by(result) for result in results.values()], 2 * len(left))
            count = -(-affordable // 2)  # then what a game needs is known better
            yield left[:count]
            left = left[count:]

    def count(self, results: Iterable[BlockResult]) -> None:
        """The games of a tournament that has ended, which later ones must add to."""
        for cost, tokens in map(used_by, results):
            self.cost += cost
            self.tokens += tokens
        self._played = {}

    def _affordable(self, used: Sequence[tuple[float, float]], most: int) -> int:
        """How many blocks can begin now, `most` at the most, after those that have used this much."""
        limits = (
            ("cost", self.cost, self.max_cost, "{:,.2f}", "--max-cost"),
            ("used", self.tokens, self.max_tokens, "{:,.0f} tokens", "--max-tokens"),
        )
        for index, (verb, before, limit, form, option) in enumerate(limits):
            if limit is None:
                continue
            spent, dearest = before + sum(one[index] for one in used), max((one[index] for one in used), default=0.0)
            if spent + dearest > limit or spent >= limit:
                said = f"the games have {verb} {form.format(spent)}"
                said += f", the next one may need {form.format(dearest)}" if spent < limit else ""
                raise SpendingError(f"{said}, and {option} is {limit:,}")
            most = min(most, math.floor((limit - spent) / dearest) if dearest else most) if used else 1
        return most


def used_by(result: BlockResult) -> tuple[float, float]:
    """The cost and the tokens of all language models in a block."""
    usage = [agent.usage for agent in result.statistics]
    tokens = sum(one.get("input_tokens", 0) + one.get("output_tokens", 0) for one in usage)
    return sum(one.get("cost", 0) for one in usage), tokens
