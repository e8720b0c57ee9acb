"""Invented summaries, and parsed pages that were made of them."""

from collections import Counter
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from w51_lab.report.summary import SCHEMA

SECTIONS = ("standings", "pairs", "meta-game", "seats", "behaviour", "matches", "replays", "forfeits", "method")


class Page(HTMLParser):
    """A parsed page: tags, the values of attributes, and the text."""

    def __init__(self, path: Path):
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, key, value in self.attributes if key == name]

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(value for tag, key, value in self.attributes if (tag, key) == ("section", "id"))


NO_FORFEITS = {"errors": 0, "illegal": 0, "late": 0, "skipped": 0, "first": None}
_LOTS = {"bought": 2.5, "price": 6.0, "worth": 2.0, "price_less_worth": -0.8}


def around(mean: float, reach: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - reach, "high": mean + reach}


def invented(names: tuple[str, ...] = ("heuristic", "random"), players: int = 4) -> dict[str, Any]:
    """A complete summary of invented numbers; the first agent is the strongest."""
    shares = np.linspace(0.4, 0.1, len(names)).tolist()
    agents = _agents(names, shares)
    matches = _matches(agents, players)
    return {
        "schema": SCHEMA,
        "game": "warehouse51_v1",
        "options": {"num_players": players, "pawn_limit": 4, "start_ingots": 10},
        "players": players,
        "versions": {"w51_env": "1.0", "changed_since": True, "numpy": "2.0"},
        "deals": {"name": "seed 7", "count": 100, "digest": "c0ffee"},
        "seatings": "rotations",
        "games": 400 * len(matches),
        "seconds": 1.5,
        "equal_share": 1 / players,
        "confidence": 0.95,
        "agents": agents,
        "pairs": _pairs(names, shares),
        "payoffs": {"agents": list(names), "table": [[None if a == b else a - b for b in shares] for a in shares]},
        "design_effect": {"win_rate": 0.32},
        "stopped": None,
        "better": "better: a test",
        "seats": [[share + 0.01 * seat for seat in range(players)] for share in shares],
        "seat_errors": [[0.001] * players for _ in shares],
        "matches": matches,
        "behaviour": _behaviour(names),
    }


def _agents(names: tuple[str, ...], shares: list[float]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "seats": 3,
            "games": 2400,
            "win_rate": around(share, 0.01),
            "score": around(50 * share, 0.2),
            "rank": around(3.5 - 4 * share, 0.05),
            "rating": {"mu": 20 + 20 * share, "sigma": 0.9},
            "elo": around(1300 + 800 * share, 20),
            "nash": float(place == 0),
            "nash_skill": share - shares[0],
            "alpha_rank": float(place == 0),
            "forfeits": {**NO_FORFEITS, "errors": place, "first": "ValueError: <b>no</b>" if place else None},
            "decisions": 10000,
            "seconds_per_decision": 1.5e-5,
        }
        for place, (name, share) in enumerate(zip(names, shares, strict=True))
    ]


def _pairs(names: tuple[str, ...], shares: list[float]) -> list[dict[str, Any]]:
    return [
        {
            "first": names[j],
            "second": names[i],
            "win_rate": around(shares[j] - shares[i], 0.02),
            "decided": True,
            "better": names[i],
        }
        for i, j in combinations(range(len(names)), 2)
    ]


def _matches(agents: list[dict[str, Any]], players: int) -> list[dict[str, Any]]:
    return [
        {
            "lineup": [a["name"], *[b["name"]] * (players - 1)],
            "agents": [{key: x[key] for key in ("name", "win_rate", "score", "rank")} for x in (a, b)],
        }
        for a, b in combinations(agents, 2)
    ]


def _behaviour(names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "money": "ingots",
        "point_price": 5,
        "colours": {"blue": "#3b86c0"},
        "statistics": [
            {"group": "pawns", "name": "redeemed", "meaning": "relics", "panel": "relics pawned", "fraction": False},
            {"group": "pawns", "name": "lost", "meaning": "relics", "panel": "relics pawned", "fraction": False},
            {"group": "bids", "name": "won", "meaning": "fraction of bids", "panel": "", "fraction": True},
        ],
        "agents": [
            {
                "name": name,
                "games": 100,
                **_LOTS,
                "prices": [{"category": "blue", "value": 1, **_LOTS}],
                "money_by_lot": [10.0, 12.0, None],
                "points": {"ingots": 4.0, "blue": 7.5},
                "pawns": {"redeemed": 0.3, "lost": 0.2},
                "bids": {"won": 0.125},
            }
            for name in names
        ],
    }
