"""Columns of a table of agents where language models played: whose decisions they were, tokens, cost, what they did."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from w51_lab.behaviour.summary import AgentBehaviour, StatisticFacts
from w51_lab.report.models import AgentSummary, Summary


class ModelColumn(NamedTuple):
    """One column.

    Attributes:
        name: In a file of values.
        head: In a table to read.
        value: Of an agent of a summary; None if unknown.
        form: How a value is written in a table to read.
    """

    name: str
    head: str
    value: Callable[[AgentSummary], float | None]
    form: str

    def text(self, agent: AgentSummary) -> str:
        """The value as it is read; empty if unknown."""
        value = self.value(agent)
        return "" if value is None else format(value, self.form)


def model_columns(summary: Summary) -> list[ModelColumn]:
    """The columns for a summary; none if no language model played. With `--behaviour` also what the agents did."""
    if not any(agent.usage for agent in summary.agents):
        return []
    columns = [
        ModelColumn("forfeited", "decisions not its own", lambda agent: agent.forfeits.fraction, ".2%"),
        ModelColumn("tokens_per_game", "tokens a game", lambda agent: _per_game(agent, "tokens"), ",.0f"),
        ModelColumn("cost_per_game", "cost a game", lambda agent: _per_game(agent, "cost"), ",.4f"),
    ]
    if not summary.behaviour:
        return columns
    played = {agent.name: agent for agent in summary.behaviour.agents}
    columns += [
        _played(played, "price", lambda agent: agent.lots.price if agent.lots else None),
        _played(played, "worth", lambda agent: agent.lots.worth if agent.lots else None),
        _played(played, "price_less_worth", lambda agent: agent.lots.price_less_worth if agent.lots else None),
    ]
    return columns + [_statistic(played, one) for one in summary.behaviour.statistics if one.panel]


def _played(
    agents: Mapping[str, AgentBehaviour], name: str, value_of: Callable[[AgentBehaviour], float | None], group: str = ""
) -> ModelColumn:
    head = f"{group}: {name}" if group else name
    column = f"{group}_{name}".strip("_")
    return ModelColumn(column, head.replace("_", " "), lambda agent: value_of(agents[agent.name]), ".2f")


def _statistic(agents: Mapping[str, AgentBehaviour], one: StatisticFacts) -> ModelColumn:
    return _played(agents, one.name, lambda agent: agent.statistic(one.group, one.name), one.group)


def _per_game(agent: AgentSummary, of: Literal["tokens", "cost"]) -> float | None:
    usage = agent.usage
    return None if usage is None else (usage.tokens if of == "tokens" else usage.cost) / agent.games
