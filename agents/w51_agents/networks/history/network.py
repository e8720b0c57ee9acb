"""A network that reads what happened (`network: history`): attention over the last events that its seat may know.

An event is a token: the sum of learned rows for its type and seat, for each of its fields, and for its age, with a
ReLU. Each head asks with a query of the torso's features, and adds up the tokens by its attention (Vaswani et al.,
arXiv:1706.03762). Keys and values are the tokens themselves: the matrices of keys belong to the queries, those of
values to the layer above. The features of the heads of `ActorCritic` are those of the torso plus a layer of both.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent.interface import AgentError
from w51_agents.networks.history.attention import HIGH, LOW, attend, attention
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.layers import Torso, linear
from w51_agents.networks.network import ActorCritic
from w51_env.engine.event_log import check_rows
from w51_env.engine.events import COLUMNS, EventType
from w51_env.engine.game import Game
from w51_env.engine.options import check_range

EVENTS = 64
_SEATS = 16  #  relative seats, and nobody
_MAX_WIDTH = 4096


class HistoryParts(NamedTuple):
    """The parts of a network's inputs.

    Attributes:
        numbers: (B, numbers) int8, what the first layer reads.
        events: (B, K, 6) int8, the oldest first, then zeros.
    """

    numbers: Tensor
    events: Tensor


class HistoryTorso(Torso):
    """Hidden layers over the observation, and attention over events.

    Args:
        game: The game it plays.
        num_inputs: Number of inputs; the last ones are the events.
        hidden_sizes: Widths of the layers.
        events: Number of events.
        event_width: Length of a token.
        heads: Number of heads.

    Attributes:
        is_compiled: Whether attention is compiled code, where there is any.

    Raises:
        OptionError: A number that is out of range, or too many seats.
    """

    first_rows: Tensor
    is_compiled = True

    def __init__(
        self, game: Game, num_inputs: int, hidden_sizes: Sequence[int], events: int, event_width: int, heads: int
    ):
        check_range("network_settings.event_width", event_width, 1, _MAX_WIDTH)
        check_range("network_settings.heads", heads, 1, _MAX_WIDTH)
        check_range("game.num_players, with `network: history`", game.num_players, 1, _SEATS - 1)
        self._sizes = [num_inputs - events * COLUMNS, events * COLUMNS]
        super().__init__(self._sizes[0], hidden_sizes)
        first, size = first_rows(game.event_types)
        self.register_buffer("first_rows", torch.from_numpy(first), persistent=False)
        self.events = nn.Parameter(torch.randn(size + events, event_width) / 2)
        self.events.data[0] = 0.0
        self.query = linear(self.width, heads * event_width, 1.0)
        self.memory = linear(self.width + heads * event_width, self.width, 2**0.5)
        self.heads = heads

    def read(self, inputs: Tensor) -> HistoryParts:
        """The parts of (B, num_inputs) inputs."""
        first, events = inputs.split(self._sizes, 1)
        return HistoryParts(first, events.unflatten(1, (-1, COLUMNS)))

    def numbers(self, inputs: HistoryParts) -> Tensor:
        return inputs.numbers

    def above(self, units: Tensor, inputs: HistoryParts) -> Tensor:
        features = super().above(units, inputs)
        queries = self.query(features).unflatten(1, (self.heads, -1))
        attended = attend if self.is_compiled else attention
        summed = attended(queries, self.events, inputs.events, self.first_rows)
        return features + functional.relu(self.memory(torch.cat([features, summed.flatten(1)], 1)))


def first_rows(event_types: Sequence[EventType]) -> tuple[np.ndarray, int]:
    """The rows of a table for the numbers of events, so that numbers with the same meaning have the same row.

    Each type has rows of its own for its seat; fields of one name have the same rows in all types.

    Returns:
        first: (1 + event types, 5) int64, as of `attend`.
        size: The number of all these rows, with row 0.
    """
    first = np.zeros((1 + len(event_types), COLUMNS - 1), np.int64)
    size = 1
    of_names = dict[str, int]()

    def first_row(name: str, numbers: int) -> int:
        nonlocal size
        if name not in of_names:
            of_names[name], size = size - LOW, size + numbers
        return of_names[name]

    for row, event_type in enumerate(event_types, 1):
        fields = *event_type.fields, *event_type.secret
        first[row, 0] = first_row(f"seat of {event_type.name}", _SEATS - LOW)
        first[row, 1 : 1 + len(fields)] = [first_row(name, HIGH + 1 - LOW) for name in fields]
        first[row, -1] = first_row("is forced", 2 - LOW)
    return first, size


class HistoryActorCritic(ActorCritic):
    """An `ActorCritic` with attention over events; the arguments are those of `ActorCritic`, without a base policy.

    `network_settings` may have `events`, how many are read (64); `event_width`, numbers of each (32); `heads` (4).

    Raises:
        AgentError: It has a base policy.
        OptionError: One of these is out of range.
    """

    network = "history"  # its name in configs and checkpoints
    torso: HistoryTorso

    def __init__(self, game: Game, *arguments: Any, **named: Any):
        super().__init__(game, *arguments, **named)
        if self.residual is not None:
            raise AgentError("base_policy: a network with `network: history` has none; set it to null")

    def inputs_for(self, game: Game) -> NetworkInputs:
        return NetworkInputs(game, self.heuristic_features, self.hidden_slices, history=self.num_events)

    @property
    def num_events(self) -> int:
        """The number of events that are inputs, the last ones that the seat may know."""
        return check_rows("network_settings.events", self.network_settings.get("events", EVENTS))

    @property
    def inputs(self) -> dict[str, Any]:
        return {**super().inputs, "history": self.num_events}

    def make_torso(
        self,
        game: Game,
        num_inputs: int,
        hidden_sizes: Sequence[int],
        events: int = EVENTS,
        event_width: int = 32,
        heads: int = 4,
    ) -> HistoryTorso:
        return HistoryTorso(game, num_inputs, hidden_sizes, events, event_width, heads)
