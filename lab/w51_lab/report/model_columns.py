"""Columns of a table of agents where language models played: whose decisions they were, tokens, cost, what they did."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Agent = Mapping[str, Any]
_PLAY = ("price", "worth", "price_less_worth")  # mean of the lots that an agent bought


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
    value: Callable[[Agent], float | None]
    form: str

    def text(self, agent: Agent) -> str:
        """The value as it is read; empty if unknown."""
        value = self.value(agent)
        return "" if value is None else format(value, self.form)


def model_columns(summary: Mapping[str, Any]) -> list[ModelColumn]:
    """The columns for a summary; none if no language model played. With `--behaviour` also what the agents did."""
    if not any(agent.get("usage") for agent in summary["agents"]):
        return []
    columns = [
        ModelColumn("forfeited", "decisions not its own", lambda agent: agent["forfeits"]["fraction"], ".2%"),
        ModelColumn(
            "tokens_per_game", "tokens a game", lambda agent: _per_game(agent, "input_tokens", "output_tokens"), ",.0f"
        ),
        ModelColumn("cost_per_game", "cost a game", lambda agent: _per_game(agent, "cost"), ",.4f"),
    ]
    behaviour = summary.get("behaviour")
    if not behaviour:
        return columns
    played = {agent["name"]: agent for agent in behaviour["agents"]}
    keys = [("", name) for name in _PLAY] + [
        (one["group"], one["name"]) for one in behaviour["statistics"] if one["panel"]
    ]
    return columns + [_played(played, group, name) for group, name in keys]


def _played(agents: Mapping[str, Agent], group: str, name: str) -> ModelColumn:
    head = f"{group}: {name}" if group else name

    def value(agent: Agent) -> float | None:
        found = agents.get(agent["name"], {})
        number: float | None = (found.get(group) or {}).get(name) if group else found.get(name)
        return number

    return ModelColumn(f"{group}_{name}".strip("_"), head.replace("_", " "), value, ".2f")


def _per_game(agent: Agent, *keys: str) -> float | None:
    usage = agent.get("usage")
    return sum(usage[key] for key in keys) / agent["games"] if usage else None
