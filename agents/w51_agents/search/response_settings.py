"""Settings of a local best response, and its name: `response:pretrained,playouts=300`."""

import re
from dataclasses import dataclass

from w51_agents.agent.interface import AgentError
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs

RESPONSE = "response:"
PLAYOUTS, LEAST_PASS = 300, 0.001


@dataclass(frozen=True)
class ResponseSettings:
    """Settings of a response.

    Attributes:
        playouts: The most playouts of a decision.
        margin: Weight of the lead in what it maximises, beside the win, 0 to 1.
        least_pass: The least probability of a pass that is searched, relative to the likeliest action, 0 to 1; 0: each.

    Raises:
        AgentError: A value that is not allowed.
    """

    playouts: int = PLAYOUTS
    margin: float = 0.0
    least_pass: float = LEAST_PASS

    def __post_init__(self) -> None:
        check(self.playouts >= 1, "playouts", self.playouts, "an integer of at least 1")
        check(0 <= self.margin <= 1, "margin", self.margin, "a number from 0 to 1")
        check(0 <= self.least_pass <= 1, "least_pass", self.least_pass, "a number from 0 to 1")


def is_response(name: str) -> bool:
    """Whether it is the name of a response."""
    return name.startswith(RESPONSE)


def parse_response(spec: str) -> tuple[str, ResponseSettings]:
    """The agent that is responded to, and the settings, in a name such as `response:pretrained,playouts=300`.

    Raises:
        AgentError: No agent, a key that is given twice, or a value that is not allowed.
    """
    kinds = kinds_of(ResponseSettings)
    name, *pairs = re.split(rf",(?=(?:{'|'.join(kinds)})=)", spec.removeprefix(RESPONSE))
    if not is_response(spec) or not name:
        raise AgentError(f"agent {spec!r}: write {RESPONSE}AGENT or {RESPONSE}AGENT,playouts={PLAYOUTS}")
    parsed = parse_pairs(spec, pairs, kinds)
    try:
        return name, ResponseSettings(**parsed)
    except AgentError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
