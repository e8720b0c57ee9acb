"""What an agent must know of the past of its game before it decides at a table.

Each decision there is made by an agent that knows nothing, in a new process if it is of others. One that remembers
first makes the earlier decisions of its seat in this game once more, in order.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from w51_agents.agent.infos import history_rows, needs_memory
from w51_agents.agent.seeds import process_secret, secret_seed
from w51_agents.isolation.link import AgentFailure
from w51_env.engine.game import Game
from w51_lab.arena.match_loop import decisions_so_far
from w51_table.play.table import Info

_OF_PAST = ("memory", "is_first", "history")  # keys of infos


@dataclass(frozen=True)
class Past:
    """How a game came to a decision. Privileged.

    Attributes:
        game: The game with its rules bound.
        seed: Seed of the deal.
        actions: Action ids of all decisions before.
        seat: The seat that decides.
    """

    game: Game
    seed: int
    actions: Sequence[int]
    seat: int


def remember(
    past: Past | None,
    info: Info | None,
    seed: int,
    agent: Any,
    reset: Callable[[int], None],
    ask: Callable[..., Any],
) -> Info | None:
    """Reset an agent and let it make the earlier decisions of its seat; the info of its next one.

    Args:
        past: How the game came to the decision; None: not known, and nothing is remembered.
        info: What it gets else.
        seed: For its reset; an agent that remembers has the same one for all decisions of a seat in a game.
        agent: What says what it needs.
        reset: Resets it.
        ask: Lets it decide, as `act_batch`. That it fails in an earlier one, as it did then, changes nothing.
    """
    given = None if info is None else dict(info)
    remembers = needs_memory(agent)
    if past is None or not (remembers or history_rows(agent)):
        reset(seed)
        return given
    *before, now = decisions_so_far(past.game, past.seed, past.actions, past.seat, agent)
    reset(secret_seed(process_secret(), "seat", past.seed, past.seat) if remembers else seed)
    for decision in before if remembers else ():
        with suppress(AgentFailure):
            ask(*decision.arguments)
    assert now.infos is not None
    return {**(given or {}), **{key: now.infos[0][key] for key in _OF_PAST if key in now.infos[0]}}
