"""Games that were never played, with strengths that are known."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from w51_lab.statistics.games import Games


def made(
    strengths: Sequence[float], deals: int, lineup: Sequence[int] | None = None, luck: float = 3.0, seed: int = 0
) -> Games:
    """Games of a line-up (all agents, if none is given), each deal in as many seatings as there are seats.

    A score is 20 plus the agent's strength, the luck of the seat in this deal, the same in all seatings, and noise of
    its own.
    """
    generator = np.random.default_rng(seed)
    places = np.arange(len(strengths)) if lineup is None else np.array(lineup)
    players = len(places)
    turns = (np.arange(players) + np.arange(players)[:, None]) % players
    seats = np.tile(places[turns], (deals, 1, 1))
    scores = (
        20
        + np.array(strengths)[seats]
        + luck * generator.normal(size=(deals, 1, players))
        + 2 * generator.normal(size=seats.shape)
    )
    return played(
        seats.reshape(-1, players),
        scores.round().astype(np.int16).reshape(-1, players),
        np.repeat(np.arange(deals), players),
    )


def played(seats: np.ndarray, scores: np.ndarray, deals: np.ndarray, lineups: np.ndarray | None = None) -> Games:
    """Games with these scores; agents are called a, b, c, ..."""
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: int(seats.max()) + 1])
    ranks = (1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)).astype(np.int8)
    lineups = np.zeros(len(deals), np.int32) if lineups is None else lineups
    return Games(
        names,
        deals.astype(np.int64),
        lineups,
        seats.astype(np.int16),
        scores,
        ranks,
        np.full(len(deals), 40, np.uint16),
    )


def rows_of(games: Games, chosen: Any) -> Games:
    """Some of these games."""
    columns = ("deals", "lineups", "seats", "scores", "ranks", "lengths")
    return replace(games, **{name: getattr(games, name)[chosen] for name in columns})
