"""One option of a game, or an agent, and two values of it, as two tournaments that are equal in all else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.console.settings import parse_yaml
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, W51Error, unknown
from w51_env.engine.game import Game
from w51_env.engine.options import OptionValues
from w51_env.engine.registry import make_game
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.behaviour.contract import Column, behaviour_of

SIDES = ("first", "second")
AGENT = "agent"  # in the place of an option: the rules are the same, and another agent plays in the first place
_DEALS = 256  # that are compared
_MAX_VALUE = 40  # letters of a value in a text


@dataclass(frozen=True)
class OptionChange:
    """An option of a game, or AGENT, and two values, as they were given."""

    option: str
    values: tuple[Any, Any]

    @property
    def labels(self) -> tuple[str, str]:
        """`option=value` of both sides, short enough for texts."""
        texts = (" ".join(str(value).split()) for value in self.values)
        first, second = (text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}..." for text in texts)
        return f"{self.option}={first}", f"{self.option}={second}"


def parse_change(text: str) -> OptionChange:
    """`payment_to=left,bank` as a change; the values are YAML. OptionError if it is none."""
    option, separator, values = text.partition("=")
    parsed = parse_yaml(f"[{values}]", f"{text}: the values are") if separator and option else None
    if not isinstance(parsed, list) or len(parsed) != 2:
        raise OptionError(f"pair {text!r}: OPTION=FIRST,SECOND is needed, as payment_to=left,bank")
    return OptionChange(option, (parsed[0], parsed[1]))


def games_of(game_id: str, options: OptionValues, change: OptionChange) -> tuple[Game, Game]:
    """The two games of a pair.

    Raises:
        OptionError: The option is unknown, is given for both sides, or changes the number of seats; a value is not
            allowed; or both values make the same game, or are the same agent.
    """
    option = change.option
    if option == AGENT:
        if change.values[0] == change.values[1]:
            raise OptionError(f"{AGENT}: {change.values[0]!r} on both sides, but two agents are needed")
        return (game := make_game(game_id, **options)), game
    known = [name for name in make_game(game_id, **options).options if name != "num_players"]
    if option == "num_players":
        raise OptionError("num_players: changes the number of seats, so the seats of the two games are no pairs")
    if option not in known:
        raise OptionError(unknown("option", option, known))
    if option in options:
        raise OptionError(f"{option}: given for both sides as {options[option]!r}, and as the option that differs")
    first, second = (make_game(game_id, **{**options, option: value}) for value in change.values)
    if first.num_players != second.num_players:
        raise OptionError(
            f"{option}: {first.num_players} seats with {change.values[0]!r} and {second.num_players} with "
            f"{change.values[1]!r}, but the seats of the two games have to be pairs"
        )
    if first.options == second.options or first.rules.tobytes() == second.rules.tobytes():
        raise OptionError(
            f"{option}: {change.values[0]!r} and {change.values[1]!r} make the same game, but not to differ"
        )
    return first, second


class OptionPair:
    """Two tournaments that differ in one option: the same agents by name, deals, line-ups, seatings and draws.

    Args:
        spec: What both sides have in common; `behaviour` is set.
        change: The option that differs. AGENT: an agent that is called so comes before those of `spec`.
        agents: The agents of the second side where they are others, as those that were trained for its rules; else
            those of `spec`. They are called as those of the first side.

    Attributes:
        change: The option that differs.
        plans: The tournaments of the first and the second side.

    Raises:
        AgentError: An agent cannot play one of the sides, or as `Plan`.
        OptionError: As `games_of`.
    """

    def __init__(self, spec: TournamentSpec, change: OptionChange, agents: Sequence[str] | None = None):
        self.change = change
        games_of(spec.game, spec.options, change)
        if change.option == AGENT:
            spec = spec.model_copy(update={"names": (AGENT, *(spec.names or spec.agents))})
        first = _plan(spec, change, 0, None)
        others = {"agents": tuple(agents)} if agents is not None else {}
        spec = spec.model_copy(update={"names": first.names, **others})
        self.plans = first, _plan(spec, change, 1, first)

    @property
    def games(self) -> tuple[Game, Game]:
        """The games of both sides."""
        return self.plans[0].game, self.plans[1].game

    def unequal(self) -> tuple[str, ...]:
        """What chance draws otherwise on the second side; empty: all deals are equal. As `drawn_otherwise`."""
        return drawn_otherwise(*self.games, self.plans[0].deals.seeds[:_DEALS])


def _plan(spec: TournamentSpec, change: OptionChange, side: int, other: Plan | None) -> Plan:
    """The tournament of a side, with the deals and secrets of the other; errors name the side."""
    changed: dict[str, Any] = {"behaviour": True}  # fields of a specification, which checks them
    if change.option == AGENT:
        changed["agents"] = (str(change.values[side]), *spec.agents)
    else:
        changed["options"] = {**spec.options, change.option: change.values[side]}
    if other is not None:
        changed["seatings"] = other.seatings
    try:
        plan = Plan(spec.model_copy(update=changed), other.state if other is not None else None)
    except W51Error as error:
        raise AgentError(f"{change.labels[side]}: {error}") from None
    if other is not None and not np.array_equal(plan.deals.seeds, other.deals.seeds):
        raise AgentError(
            f"{change.labels[side]}: third-party agents get secret deals, so the deals differ; give a seed"
        )
    return plan


def drawn_otherwise(first: Game, second: Game, seeds: np.ndarray) -> tuple[str, ...]:
    """What chance draws otherwise in two games of equal seeds: fields of the state after the set-up, and `cards`.

    A field that is the same in all deals of both games, as the ingots that a seat begins with, is not drawn. `cards`:
    the cards themselves differ, so equal numbers are no equal lots.
    """
    states = [_dealt(game, seeds) for game in (first, second)]
    others = ["cards"] if _cards(first) != _cards(second) else []
    for name in first.record.names or ():
        one, other = (state[name] for state in states)
        drawn = any((values != values[0]).any() for values in (one, other))
        if drawn and (one.shape != other.shape or (one != other).any()):
            others.append(name)
    return tuple(others)


def _dealt(game: Game, seeds: np.ndarray) -> np.ndarray:
    batch = Batch(game, len(seeds), autoreset="disabled", observe=False, keep_final=False)
    batch.reset(seed=seeds)
    return np.asarray(batch.games.copy())


def _cards(game: Game) -> list[tuple[str, ...] | None]:
    """The texts of the columns that describe a card."""
    return [column.labels for column in card_columns(game)]


def card_columns(game: Game) -> tuple[Column, ...]:
    """The columns of the table `lots` that describe the card; empty if the game has no such table or no cards."""
    behaviour = behaviour_of(game)
    if behaviour is None or not behaviour.card:
        return ()
    columns = {column.name: column for column in behaviour.schemas(game)["lots"].columns}
    return tuple(columns[name] for name in behaviour.card)
