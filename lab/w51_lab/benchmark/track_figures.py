"""Figures of a track, computed from what an entry keeps of each deal; so an entry's figures follow from its deals.

*Cells* are (line-ups, deals, 3) int32 for one opponent: line-up k has k + 1 seats of the agent, the others are the
opponent's. The numbers are sums over all seatings of the deal: wins of the agent's seats in sixtieths (each of k tied
winners has 1 / k), and the scores of the agent's and of the opponent's seats.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_lab.statistics.estimates import intervals, over_seeds, win_rate_interval
from w51_lab.statistics.games import Games
from w51_lab.statistics.records import Record

WHOLE = 60  # parts of a win: it can be shared by 1 to 5 winners
_TYPE = "<i4"
NUM_COLUMNS = 3
_DIGITS, _LAST_DIGIT = 4, 2e-4


def cells_of(games: Games) -> np.ndarray:
    """The cells of a tournament between the agent, which is the first, and one opponent."""
    deals = len(games.deal_ids)
    cells = np.zeros((int(games.lineups.max()) + 1, deals, NUM_COLUMNS), np.int64)
    of_agent = games.seats == 0
    at = (games.lineups, games.deal_index)
    for column, values in enumerate((games.wins * WHOLE * of_agent, games.scores * of_agent, games.scores * ~of_agent)):
        np.add.at(cells[:, :, column], at, np.rint(values).astype(np.int64).sum(axis=1))
    return cells.astype(np.int32)


def packed(cells: np.ndarray) -> str:
    """Cells as text: little-endian int32, packed by zlib, in base64."""
    return b64encode(zlib.compress(cells.astype(_TYPE).tobytes(), 9)).decode()


def unpacked(text: str, lineups: int, deals: int) -> np.ndarray:
    """The cells in a text of `packed`; AgentError if it holds anything else."""
    size = lineups * deals * NUM_COLUMNS
    try:
        data = zlib.decompressobj().decompress(b64decode(text, validate=True), 4 * size + 1)
    except (ValueError, zlib.error) as error:
        raise AgentError(f"entry: the cells of a match cannot be read: {error}") from None
    if len(data) != 4 * size:
        raise AgentError(f"entry: the cells of a match have {len(data)} bytes, but {4 * size} are needed")
    return np.frombuffer(data, _TYPE).reshape(lineups, deals, NUM_COLUMNS)


class Against(NamedTuple):
    """The games with one opponent in one game.

    Attributes:
        opponent: Its name.
        cells: What is kept of each deal, of all mixtures of two players or more.
        is_own: Whether the opponent is the agent itself.
        best: The best known rate against the opponent, in multiples of the equal share.
    """

    opponent: str
    cells: np.ndarray
    is_own: bool
    best: float

    @property
    def by_deal(self) -> np.ndarray:
        """(deals,) rate of the agent's seats, mean over all mixtures; 1 is the equal share."""
        seats = np.arange(1, len(self.cells) + 1)[:, None]  # `players` games of a deal: a seat wins 1 / players of each
        return np.asarray((self.cells[:, :, 0] / WHOLE / seats).mean(axis=0))


class Figure(Record):
    """A mean with the ends of its interval."""

    mean: float
    low: float
    high: float


class MemberFigures(Record):
    """The figures against one opponent; rates are in multiples of the equal share.

    Attributes:
        alone: Win rate of one seat of the agent among opponents.
        reverse: Of one opponent among seats of the agent.
        rate: Mean rate of the agent's seats over all mixtures.
        margin: Score of a seat of the agent less that of one of the opponent.
        standing: The rate as a part of the best known one.
    """

    alone: Figure
    reverse: Figure
    rate: Figure
    margin: Figure
    standing: Figure


class TrackFigures(Record):
    """The figures of a track.

    Attributes:
        strength: Mean standing over the opponents but the agent itself.
        held_out: The same over those that an entry should not have met in training; None without one.
        weakest: The opponent with the least standing.
        members: For each opponent.
    """

    strength: Figure
    held_out: Figure | None
    weakest: str
    members: dict[str, MemberFigures]


def figures(matches: Sequence[Against], held_out: Collection[str] = ()) -> TrackFigures:
    """The figures of a track.

    Args:
        matches: Several of one opponent are in several games.
        held_out: Opponents that an entry should not have met in training.
    """
    by_name: dict[str, list[Against]] = {}
    for match in matches:
        by_name.setdefault(match.opponent, []).append(match)
    members = {name: _member(rows) for name, rows in by_name.items()}
    others = counted(matches)
    apart = [match for match in matches if match.opponent in held_out and not match.is_own]
    return TrackFigures(
        strength=_standing(others),
        held_out=_standing(apart) if apart else None,
        weakest=min((match.opponent for match in others), key=lambda name: members[name].standing.mean),
        members=members,
    )


def counted(matches: Sequence[Against]) -> list[Against]:
    """The matches that count: all but those of the agent with itself, unless it has no other."""
    return [match for match in matches if not match.is_own] or list(matches)


def standings(matches: Sequence[Against]) -> np.ndarray:
    """(deals,) mean standing over matches, each of which weighs the same."""
    return np.mean([match.by_deal / match.best for match in matches], axis=0)


def ceiling(players: int) -> float:
    """The most that a rate can be: all games won by the agent's seats, mean over the mixtures."""
    return float(np.mean(players / np.arange(1, players)))


def _member(rows: Sequence[Against]) -> MemberFigures:
    """The figures against one opponent."""
    players = len(rows[0].cells) + 1
    alone = np.mean([row.cells[0, :, 0] / WHOLE for row in rows], axis=0)
    reverse = np.mean([players - row.cells[-1, :, 0] / WHOLE for row in rows], axis=0)
    return MemberFigures(
        alone=_rate(alone, players),
        reverse=_rate(reverse, players),
        rate=_interval(np.mean([row.by_deal for row in rows], axis=0), 0.0, ceiling(players)),
        margin=_points(np.mean([_margins(row.cells) for row in rows], axis=0)),
        standing=_standing(rows),
    )


def _margins(cells: np.ndarray) -> np.ndarray:
    """(deals,) score of a seat of the agent less that of one of the opponent, mean over the mixtures, for one game."""
    players = len(cells) + 1
    seats = np.arange(1, players)[:, None]
    return np.asarray((cells[:, :, 1] / seats - cells[:, :, 2] / (players - seats)).mean(axis=0) / players)


def _standing(matches: Sequence[Against]) -> Figure:
    highest = np.mean([ceiling(len(match.cells) + 1) / match.best for match in matches])
    return _interval(standings(matches), 0.0, float(highest))


def win_rate(cells: np.ndarray, players: int) -> Figure:
    """The win rate of the agent's only seat, 0 to 1, from the cells of a line-up."""
    by_deal = cells[0, :, 0] / WHOLE / players
    return _rounded(float(by_deal.mean()), *win_rate_interval(np.clip(by_deal, 0.0, 1.0)))


def _rate(by_deal: np.ndarray, players: int) -> Figure:
    """The rate of one seat, 0 to `players` times the equal share, with Wilson's interval by deal."""
    low, high = win_rate_interval(np.clip(by_deal / players, 0.0, 1.0))
    return _rounded(float(by_deal.mean()), low * players, high * players)


def _interval(by_deal: np.ndarray, minimum: float, maximum: float) -> Figure:
    return _rounded(*intervals(by_deal[:, None], minimum, maximum)[0])


def _points(by_deal: np.ndarray) -> Figure:
    """The mean of differences of points, without a limit."""
    limit = float(np.abs(by_deal).max()) + 1.0
    return _interval(by_deal, -limit, limit)


def _rounded(mean: float, low: float, high: float) -> Figure:
    return Figure(mean=round(mean, _DIGITS), low=round(low, _DIGITS), high=round(high, _DIGITS))


def over_runs(values: Sequence[float]) -> Figure:
    """Mean over trained agents of several seeds, with its interval."""
    return _rounded(*over_seeds(values))


def same(first: Any, second: Any) -> bool:
    """Whether figures, which may be of any size, agree with the second ones, but for the last digit."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, float | int) and isinstance(second, float | int):
        return second - _LAST_DIGIT < first < second + _LAST_DIGIT
    return bool(first == second)
