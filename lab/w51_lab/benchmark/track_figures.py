"""Figures of a track, computed from what an entry keeps of each deal; so an entry's figures follow from its deals.

*Cells* are (line-ups, deals, 11) int32 for one opponent: line-up k has k + 1 seats of the agent, the others are the
opponent's. The numbers are sums over all seatings of the deal: wins of the agent's seats in sixtieths (each of k tied
winners has 1 / k), the scores of the agent's and of the opponent's seats, and, of the first half of the lots of each
game and then of the second, worth and price of what the agent's seats bought, worth and price of what the others did.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_lab.behaviour import Parts
from w51_lab.benchmark.adaptation import HALVES, UNTAUGHT, add_lots, gains_of
from w51_lab.statistics.estimates import intervals, over_seeds, win_rate_interval
from w51_lab.statistics.games import Games
from w51_lab.statistics.records import Record

WHOLE = 60  # parts of a win: it can be shared by 1 to 5 winners
_TYPE = "<i4"
NUM_RESULTS = 3  # wins and scores
NUM_COLUMNS = NUM_RESULTS + int(np.prod(HALVES))
_DIGITS, _LAST_DIGIT = 4, 2e-4


def cells_of(games: Games, behaviour: Parts) -> np.ndarray:
    """The cells of a tournament of the format `panel` between the agent, which is the first, and one opponent."""
    players, deals = games.num_players, len(games.deal_ids)
    cells = np.zeros((players - 1, deals, NUM_COLUMNS), np.int64)
    of_agent = games.seats == 0
    at = (games.lineups, games.deal_index)
    for column, values in enumerate((games.wins * WHOLE * of_agent, games.scores * of_agent, games.scores * ~of_agent)):
        np.add.at(cells[:, :, column], at, np.rint(values).astype(np.int64).sum(axis=1))
    halves = halves_of(cells)
    for part in behaviour:
        add_lots(halves, part["lots"], games.deal_ids)
    return cells.astype(np.int32)


def halves_of(cells: np.ndarray) -> np.ndarray:
    """(line-ups, deals, 2, 2, 2) view of what cells keep of the halves of the lots."""
    return cells[:, :, NUM_RESULTS:].reshape(*cells.shape[:2], *HALVES)


def packed(cells: np.ndarray) -> str:
    """Cells as text: little-endian int32, packed by zlib, in base64."""
    return b64encode(zlib.compress(cells.astype(_TYPE).tobytes(), 9)).decode()


def unpacked(text: str, players: int, deals: int) -> np.ndarray:
    """The cells in a text of `packed`; AgentError if it holds anything else."""
    size = (players - 1) * deals * NUM_COLUMNS
    try:
        data = zlib.decompressobj().decompress(b64decode(text, validate=True), 4 * size + 1)
    except (ValueError, zlib.error) as error:
        raise AgentError(f"entry: the cells of a match cannot be read: {error}") from None
    if len(data) != 4 * size:
        raise AgentError(f"entry: the cells of a match have {len(data)} bytes, but {4 * size} are needed")
    return np.frombuffer(data, _TYPE).reshape(players - 1, deals, NUM_COLUMNS)


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
        strength: Mean rate of the agent's seats over all mixtures.
        margin: Score of a seat of the agent less that of one of the opponent.
        first, second: Gains in the halves of the lots.
    """

    alone: Figure
    reverse: Figure
    strength: Figure
    margin: Figure
    first: Figure
    second: Figure


class TrackFigures(Record):
    """The figures of a track.

    Attributes:
        strength: Of all opponents.
        held_out: Of those that an entry should not have met in training; None without one.
        adaptation: The gain of the second half of the lots less that of the first; None without an opponent about whom
            there is anything to learn.
        weakest: The opponent with the least strength.
        members: For each opponent.
    """

    strength: Figure
    held_out: Figure | None
    adaptation: Figure | None
    weakest: str
    members: dict[str, MemberFigures]


def figures(matches: Sequence[tuple[str, int, np.ndarray]], held_out: Collection[str] = ()) -> TrackFigures:
    """The figures of a track.

    Args:
        matches: Opponent, number of players and cells of each match; several of one opponent are in several games.
        held_out: Opponents that an entry should not have met in training.
    """
    names = list(dict.fromkeys(name for name, _, _ in matches))
    by_deal = {name: [_by_deal(cells, players) for agent, players, cells in matches if agent == name] for name in names}
    gains = {
        name: np.mean([gains_of(halves_of(cells)) for agent, _, cells in matches if agent == name], axis=0)
        for name in names
    }
    members = {name: _member(rows, gains[name]) for name, rows in by_deal.items()}
    held_out_rows = [rows for name, rows in by_deal.items() if name in held_out]
    taught = [of_deal[:, 1] - of_deal[:, 0] for name, of_deal in gains.items() if name not in UNTAUGHT]
    return TrackFigures(
        strength=_strength(list(by_deal.values())),
        held_out=_strength(held_out_rows) if held_out_rows else None,
        adaptation=_points(np.mean(taught, axis=0)) if taught else None,
        weakest=min(names, key=lambda name: members[name].strength.mean),
        members=members,
    )


def _by_deal(cells: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates of the agent's seats (line-ups, deals), rates of a lone opponent (deals,), margins (deals,)."""
    seats = np.arange(1, players)[:, None]  # seats of the agent in each line-up
    wins = cells[:, :, 0] / WHOLE  # of `players` games
    rates = wins / seats  # a rate of 1 is the equal share: `players` games, of which a seat wins 1 / players
    reverse = players - wins[-1]
    margins = (cells[:, :, 1] / seats - cells[:, :, 2] / (players - seats)).mean(axis=0) / players
    return rates, reverse, margins


def _member(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], gains: np.ndarray) -> MemberFigures:
    """The figures against one opponent; `gains` are (deals, 2), in the halves of the lots."""
    players = len(rows[0][0]) + 1
    alone, reverse = (
        np.mean([row[which][0] if which == 0 else row[which] for row in rows], axis=0) for which in (0, 1)
    )
    rates, highest = _mean_rates(rows)
    margins = np.mean([margins for _, _, margins in rows], axis=0)
    return MemberFigures(
        alone=_rate(alone, players),
        reverse=_rate(reverse, players),
        strength=_interval(rates, 0.0, highest),
        margin=_points(margins),
        first=_points(gains[:, 0]),
        second=_points(gains[:, 1]),
    )


def _strength(members: Sequence[Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]]) -> Figure:
    """The mean rate of the agent's seats over these opponents, each of which weighs the same."""
    rates = [_mean_rates(rows) for rows in members]
    return _interval(np.mean([rate for rate, _ in rates], axis=0), 0.0, max(highest for _, highest in rates))


def _mean_rates(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, float]:
    """(deals,) mean rate of the agent's seats over all mixtures, and the most that it can be."""
    players = len(rows[0][0]) + 1
    highest = float(np.mean(players / np.arange(1, players)))
    return np.mean([rates.mean(axis=0) for rates, _, _ in rows], axis=0), highest


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
