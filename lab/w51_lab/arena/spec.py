"""The specification of a tournament, which is stored with its results."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from w51_agents.agent.interface import AgentError
from w51_agents.console.settings import mistakes_of
from w51_agents.isolation.isolated import MEMORY_LIMIT
from w51_agents.named.registry import split_label


class TournamentSpec(BaseModel):
    """The specification of a tournament.

    The options of `evaluate.py` are made from these fields: names, types, defaults and help.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    agents: tuple[str, ...] = Field(
        max_length=300,
        description="random, heuristic, pretrained, the folder of a run, a checkpoint, search:playouts=200, "
        "sb3:model.zip, module:Class,key=value or module:function; :sampled or :greedy after a network. NAME=AGENT "
        "gives it a name in tables. With fewer agents than "
        "seats, the second, third, ... agents take the remaining seats in turn.",
    )
    names: tuple[str, ...] = Field(
        (), description="What the agents are called, empty for their own names; else `agents` may be NAME=AGENT."
    )
    game: str = Field("warehouse51_v1", description="Id of a registered game, or module:function.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the game.")  # as `OptionValues`
    games: int = Field(4000, ge=2, le=10_000_000, description="Number of games, rounded up to whole deals.")
    format: Literal["match", "pairs", "panel", "groups"] = Field(
        "match",
        description="match: one line-up. pairs: each agent alone among copies of each other agent. panel: the first "
        "agent in every mixture with each other agent. groups: all line-ups of different agents.",
    )
    seatings: Literal["auto", "permutations", "rotations"] = Field(
        "auto", description="Seatings of each deal. auto: permutations if they leave 100 deals or more, else rotations."
    )
    deals: str | None = Field(
        None,
        description="Published set of deals: deals:v1, or deals:HASH of a commit. Default: deals drawn from the seed.",
        examples=["deals:v1"],
    )
    seed: int | None = Field(
        None,
        ge=0,
        description="Seed of the deals and of the agents of this package. Default: 0; with third-party agents a secret "
        "one. The same seed gives the same results, for any number of workers.",
    )
    until_decided: bool = Field(
        False, description="Stop as soon as a sequential test has decided every difference of two agents."
    )
    precision: float | None = Field(
        None,
        gt=0,
        description="Stop as soon as the interval of every difference of two agents is so many points wide, of scores "
        "or ranks where these decide. Without --games as many are planned as random players would need.",
    )
    time_limit: float | None = Field(
        None, gt=0, description="Seconds for one decision; an agent that takes longer forfeits it. Default: no limit."
    )
    behaviour: bool = Field(False, description="Also record tables of what the agents do; needs --out.")
    replays: int = Field(0, ge=0, description="Number of games whose replays are kept; needs --out.")
    surprising: int = Field(0, ge=0, description="Number of most surprising games whose replays are kept; needs --out.")
    memory_limit: float = Field(
        MEMORY_LIMIT, gt=0, le=1_000_000, description="GiB of memory for the data of each isolated agent."
    )
    trust: bool = Field(False, description="Load pickled models, which can run any code.")

    @property
    def stops_early(self) -> bool:
        """Whether results are looked at while games are played."""
        return self.until_decided or self.precision is not None

    @model_validator(mode="before")
    @classmethod
    def _labels(cls, data: Any) -> Any:
        """`NAME=AGENT` as a name and an agent."""
        agents = data.get("agents") if isinstance(data, dict) else None
        if not isinstance(agents, list | tuple) or data.get("names") or not all(isinstance(one, str) for one in agents):
            return data
        labels, named = zip(*map(split_label, agents), strict=True) if agents else ((), ())
        return {**data, "agents": named, "names": labels} if any(labels) else data


def parse_spec(data: Any, source: str) -> TournamentSpec:
    """Return the specification in plain data; AgentError with every mistake."""
    try:
        return TournamentSpec.model_validate(data)
    except ValidationError as error:
        raise AgentError(f"{source}: {'; '.join(mistakes_of(error, TournamentSpec))}") from None


def unique_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, with ` (2)`, ` (3)` ... after repeated ones."""
    unique: list[str] = []
    for name in names:
        number = sum(name == other for other in names[: len(unique)]) + 1
        unique.append(name if number == 1 else f"{name} ({number})")
    return tuple(unique)
