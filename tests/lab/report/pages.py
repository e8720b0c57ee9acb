"""Invented summaries, and parsed pages that were made of them."""

from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from w51_lab.report.models import FORM, Summary
from w51_lab.report.page import ReplayLink, write_page

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


NO_FORFEITS = {"errors": 0, "illegal": 0, "late": 0, "skipped": 0, "fraction": 0.0, "first": None}
_LOTS = {"bought": 2.5, "price": 6.0, "worth": 2.0, "price_less_worth": -0.8}


def around(mean: float, reach: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - reach, "high": mean + reach}


def written(data: dict[str, Any], folder: Path, replays: Sequence[ReplayLink] = ()) -> Page:
    """The page of a summary of such data."""
    return Page(write_page(Summary.model_validate(data), folder, replays))


def invented(names: tuple[str, ...] = ("heuristic", "random"), players: int = 4) -> dict[str, Any]:
    """The data of a complete summary of invented numbers; the first agent is the strongest."""
    shares = np.linspace(0.4, 0.1, len(names)).tolist()
    agents = _agents(names, shares)
    matches = _matches(agents, players)
    return {
        "form": FORM,
        "game": "warehouse51_v1",
        "options": {"num_players": players, "pawn_limit": 4, "start_ingots": 10},
        "players": players,
        "versions": {"w51_env": "1.0", "changed_since": True, "numpy": "2.0"},
        "deals": {"name": "seed 7", "count": 100, "digest": "c0ffee"},
        "seatings": "rotations",
        "games": 400 * len(matches),
        "seconds": 1.5,
        "equal_share": 1 / players,
        "decides": "win",
        "confidence": 0.95,
        "agents": agents,
        "pairs": _pairs(names, shares),
        "payoffs": {"agents": list(names), "table": [[None if a == b else a - b for b in shares] for a in shares]},
        "design_effect": {"win_rate": 0.32, "score": None},
        "stopped": None,
        "better": "better: a test",
        "seats": [[share + 0.01 * seat for seat in range(players)] for share in shares],
        "seat_errors": [[0.001] * players for _ in shares],
        "matches": matches,
        "panel": None,
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
            "nash": {"mean": float(place == 0), "low": 0.0, "high": 1.0},
            "nash_skill": share - shares[0],
            "alpha_rank": float(place == 0),
            "forfeits": {**NO_FORFEITS, "errors": place, "first": "ValueError: <b>no</b>" if place else None},
            "decisions": 10000,
            "seconds_per_decision": 1.5e-5,
            "processor_seconds_per_decision": None,
            "usage": None,
        }
        for place, (name, share) in enumerate(zip(names, shares, strict=True))
    ]


def _pairs(names: tuple[str, ...], shares: list[float]) -> list[dict[str, Any]]:
    return [
        {
            "first": names[j],
            "second": names[i],
            "win_rate": around(shares[j] - shares[i], 0.02),
            "score": around(0.0, 1.0),
            "rank": around(-0.2, 0.1),
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
            {"group": group, "name": name, "meaning": meaning, "panel": panel, "fraction": not panel, "mean": False}
            for group, name, meaning, panel in (
                ("pawns", "redeemed", "relics", "relics pawned"),
                ("pawns", "lost", "relics", "relics pawned"),
                ("bids", "won", "fraction of bids", ""),
            )
        ],
        "agents": [
            {
                "name": name,
                "games": 100,
                "lots": _LOTS,
                "prices": [{"category": "blue", "value": 1, **_LOTS}],
                "money_by_lot": [10.0, 12.0, None],
                "games_by_lot": [1.0, 1.0, None],
                "money_at_the_end": 12.0,
                "points": {"ingots": 4.0, "blue": 7.5},
                "statistics": {"pawns": {"redeemed": 0.3, "lost": 0.2}, "bids": {"won": 0.125}},
            }
            for name in names
        ],
    }
