"""Which games a training plays: those of its config, each with its options, and who has which of their seats."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, product
from typing import NamedTuple

from w51_agents.training.learner_settings import SELF, GameSettings, LearnerSettings
from w51_env.engine.game import Game


class PlannedGames(NamedTuple):
    """Games with the same options and opponents.

    Attributes:
        game: The game with its options.
        num_envs: Number of games at once.
        opponents, teacher: As of `GameSettings`.
    """

    game: Game
    num_envs: int
    opponents: str | Mapping[str, int]
    teacher: str | None = None


def planned_games(settings: LearnerSettings, game: Game) -> list[PlannedGames]:
    """The games of a config, in the order of their rows; those that vary options share out their number."""
    return [planned for one in settings.games for planned in _varied(one, game)]


def _varied(settings: GameSettings, game: Game) -> Iterator[PlannedGames]:
    values = list(product(*settings.vary.values()))
    for number, chosen in enumerate(values):
        num_envs = settings.num_envs * (number + 1) // len(values) - settings.num_envs * number // len(values)
        varied = dict(zip(settings.vary, chosen, strict=True))
        if num_envs:
            made = game.make(**{**game.options, "num_players": settings.num_players, **varied})
            yield PlannedGames(made, num_envs, settings.opponents, settings.teacher)


def num_envs_of(planned: Iterable[PlannedGames]) -> int:
    """Number of all games at once."""
    return sum(games.num_envs for games in planned)


def num_seats_of(planned: Iterable[PlannedGames]) -> int:
    """Number of seats of the largest game."""
    return max(games.game.num_players for games in planned)


def rows_of(planned: Iterable[PlannedGames]) -> list[slice]:
    """The rows of each in arrays of all games."""
    return [slice(*cut) for cut in pairwise(accumulate((games.num_envs for games in planned), initial=0))]


def part_of(planned: Sequence[PlannedGames], part: slice) -> Iterator[PlannedGames]:
    """The games in some rows."""
    for games, rows in zip(planned, rows_of(planned), strict=True):
        if (num_envs := min(rows.stop, part.stop) - max(rows.start, part.start)) > 0:
            yield games._replace(num_envs=num_envs)


def seats_of(planned: PlannedGames) -> tuple[str, ...]:
    """Who has each seat: SELF, which learns, POOL or an agent's name; a shuffle seats them."""
    num_players, opponents = planned.game.num_players, planned.opponents
    if isinstance(opponents, Mapping):
        others = [name for name, count in opponents.items() for _ in range(count)]
        return (*[SELF] * (num_players - len(others)), *others)
    return (SELF, *[opponents] * (num_players - 1))


def players_of(planned: Iterable[PlannedGames]) -> tuple[str, ...]:
    """Who has seats in any of the games; the first is SELF."""
    return tuple(dict.fromkeys([SELF, *(player for games in planned for player in seats_of(games))]))
