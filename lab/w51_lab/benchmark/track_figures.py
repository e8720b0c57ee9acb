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

WHOLE = 60  # parts of a win: it can be shared by 1 to 5 winners
_TYPE = "<i4"
NUM_RESULTS = 3  # wins and scores
NUM_COLUMNS = NUM_RESULTS + int(np.prod(HALVES))
_DIGITS, _LAST_DIGIT = 4, 2e-4


def cells_of(games: Games, behaviour: Parts) -> np.ndarray:
    """The cells of a tournament of the format `panel` between the agent, which is the first, and one opponent.

    Args:
        games: Its games.
        behaviour: The behaviour tables of these games.
    """
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


def figures(matches: Sequence[tuple[str, int, np.ndarray]], held_out: Collection[str] = ()) -> dict[str, Any]:
    """The figures of a track.

    Args:
        matches: Opponent, number of players and cells of each match; several of one opponent are in several games.
        held_out: Opponents that an entry should not have met in training.

    Returns:
        `members`: for each opponent `alone` (win rate of one seat of the agent among opponents), `reverse` (of one
        opponent among seats of the agent), `strength`, `margin` (score of a seat of the agent less that of one of the
        opponent), `first` and `second` (of which the gains in the halves of the lots, `adaptation`), each `mean`,
        `low`, `high`; `strength` of all, `held_out` of those opponents (None without one), `adaptation` (the gain of
        the second half less that of the first; None without an opponent about whom there is anything to learn), and
        `weakest`, the opponent with the least strength. Rates are in multiples of the equal share; strength is the
        mean rate of the agent's seats over all mixtures.
    """
    names = list(dict.fromkeys(name for name, _, _ in matches))
    by_deal = {name: [_by_deal(cells, players) for agent, players, cells in matches if agent == name] for name in names}
    gains = {
        name: np.mean([gains_of(halves_of(cells)) for agent, _, cells in matches if agent == name], axis=0)
        for name in names
    }
    members = {name: {**_member(rows), **_gained(gains[name])} for name, rows in by_deal.items()}
    held_out_rows = [rows for name, rows in by_deal.items() if name in held_out]
    taught = [of_deal[:, 1] - of_deal[:, 0] for name, of_deal in gains.items() if name not in UNTAUGHT]
    return {
        "strength": _strength(list(by_deal.values())),
        "held_out": _strength(held_out_rows) if held_out_rows else None,
        "adaptation": _points(np.mean(taught, axis=0)) if taught else None,
        "weakest": min(names, key=lambda name: members[name]["strength"]["mean"]),
        "members": members,
    }


def _by_deal(cells: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates of the agent's seats (line-ups, deals), rates of a lone opponent (deals,), margins (deals,)."""
    seats = np.arange(1, players)[:, None]  # seats of the agent in each line-up
    wins = cells[:, :, 0] / WHOLE  # of `players` games
    rates = wins / seats  # a rate of 1 is the equal share: `players` games, of which a seat wins 1 / players
    reverse = players - wins[-1]
    margins = (cells[:, :, 1] / seats - cells[:, :, 2] / (players - seats)).mean(axis=0) / players
    return rates, reverse, margins


def _member(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> dict[str, Any]:
    players = len(rows[0][0]) + 1
    alone, reverse = (
        np.mean([row[which][0] if which == 0 else row[which] for row in rows], axis=0) for which in (0, 1)
    )
    rates, highest = _mean_rates(rows)
    margins = np.mean([margins for _, _, margins in rows], axis=0)
    return {
        "alone": _rate(alone, players),
        "reverse": _rate(reverse, players),
        "strength": _interval(rates, 0.0, highest),
        "margin": _points(margins),
    }


def _gained(gains: np.ndarray) -> dict[str, Any]:
    """The figures of (deals, 2) gains in the halves of the lots."""
    return {"first": _points(gains[:, 0]), "second": _points(gains[:, 1])}


def _strength(members: Sequence[Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]]) -> dict[str, float]:
    """The mean rate of the agent's seats over these opponents, each of which weighs the same."""
    rates = [_mean_rates(rows) for rows in members]
    return _interval(np.mean([rate for rate, _ in rates], axis=0), 0.0, max(highest for _, highest in rates))


def _mean_rates(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, float]:
    """(deals,) mean rate of the agent's seats over all mixtures, and the most that it can be."""
    players = len(rows[0][0]) + 1
    highest = float(np.mean(players / np.arange(1, players)))
    return np.mean([rates.mean(axis=0) for rates, _, _ in rows], axis=0), highest


def _rate(by_deal: np.ndarray, players: int) -> dict[str, float]:
    """The rate of one seat, 0 to `players` times the equal share, with Wilson's interval by deal."""
    low, high = win_rate_interval(np.clip(by_deal / players, 0.0, 1.0))
    return _rounded(float(by_deal.mean()), low * players, high * players)


def _interval(by_deal: np.ndarray, minimum: float, maximum: float) -> dict[str, float]:
    return _rounded(*intervals(by_deal[:, None], minimum, maximum)[0])


def _points(by_deal: np.ndarray) -> dict[str, float]:
    """The mean of differences of points, without a limit."""
    limit = float(np.abs(by_deal).max()) + 1.0
    return _interval(by_deal, -limit, limit)


def _rounded(mean: float, low: float, high: float) -> dict[str, float]:
    return {"mean": round(mean, _DIGITS), "low": round(low, _DIGITS), "high": round(high, _DIGITS)}


def over_runs(values: Sequence[float]) -> dict[str, float]:
    """Interquartile mean over trained agents of several seeds, with its interval."""
    return _rounded(*over_seeds(values))


def same(first: Any, second: Any) -> bool:
    """Whether figures, which may be of any size, agree with the second ones, but for the last digit."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, float | int) and isinstance(second, float | int):
        return second - _LAST_DIGIT < first < second + _LAST_DIGIT
    return bool(first == second)
