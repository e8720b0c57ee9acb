"""The protocol of the benchmark: games, deals and opponents. A change of anything here needs a new version."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from w51_agents.networks.load import PRETRAINED, PRETRAINED_V1, PRETRAINED_V2
from w51_env.engine.options import OptionValues

PROTOCOL = "w51-bench v5"
DEALS = "deals:v1"
_SEARCH = "search:playouts=10"
_OF_FUTSCH = "collector"  # the bot that was the best one when its tracks were made
_FUTSCH_SEARCH = f"{_SEARCH},playout_bot={_OF_FUTSCH}"
MIMIC = f"mimic:heuristic>{PRETRAINED_V2},lots=6"  # of 26
# SHA-256 of the files of panel members: the panel is frozen.
_V2 = "fcbc957b61c7470f92df3304f2eb68c28f6e5eee15db772dcb3dd84e184c386e"
PANEL_FILES = {
    PRETRAINED_V1: "a59cb6a0a9445acc13daf4996aa97e51f576aa72495f0f77b47ad7a49f2f9b7b",
    PRETRAINED_V2: _V2,
    MIMIC: _V2,
    PRETRAINED: "ad20e20c2f7c5ccb2d63f1f8b728fd9f496e504e6e47eb2237c962edcca4e591",
}
# As the scenarios of Melting Pot: how an entry plays with agents that it has not met in training.
HELD_OUT_STYLES = (PRETRAINED_V1, _SEARCH, _FUTSCH_SEARCH)
HELD_OUT = tuple(f"generated:{seed}" for seed in range(10000, 10004))  # no agent of a run was trained with them
# The size of an entry is the part of the deals that it plays, the first ones of the set. It follows from what the agent
# is: bots and networks play all; a search the first size whose number is not below its playouts; code of others the
# first size whose limit is not below the processor time of a decision over a block, in milliseconds.
FULL, QUICK, OF_SEEDS = "full", "quick", "quarter"  # agents of several seeds play no more than a quarter each
PARTS = {FULL: 1, "quarter": 4, "twelfth": 12}
PLAYOUTS = {"quarter": 20, "twelfth": math.inf}
LIMITS = {FULL: 0.25, "quarter": 2.5, "twelfth": math.inf}
TIMED = ("w51-bench v5",)  # versions with entries whose sizes follow from time for every agent
SIZES = (*PARTS, QUICK)  # quick: the author's choice, for a look
MIN_DEALS = 2  # for an interval


@dataclass(frozen=True)
class Setting:
    """One game with its options, and the agents of the panel that play it."""

    game: str
    options: OptionValues
    panel: tuple[str, ...]


@dataclass(frozen=True)
class Track:
    """What one table of the leaderboard is about.

    Attributes:
        title: For people.
        settings: The games; figures of the track are means over them.
        deals, quick_deals: Number of deals of each game, of a full and of a quick entry.
        quick_settings: Number of games of a quick entry, the first ones.
    """

    title: str
    settings: tuple[Setting, ...]
    deals: int
    quick_deals: int
    quick_settings: int | None = None

    def played(self, size: str) -> tuple[Setting, ...]:
        """The games of an entry of this size."""
        return self.settings[: self.quick_settings] if size == QUICK else self.settings

    def num_deals(self, size: str) -> int:
        """Number of deals of each game of an entry of this size."""
        return self.quick_deals if size == QUICK else max(MIN_DEALS, self.deals // PARTS[size])


def size_for(amount: float, limits: Mapping[str, float] = LIMITS) -> str:
    """The first size whose limit is not below an amount: milliseconds a decision, or playouts."""
    return next(size for size, limit in limits.items() if amount <= limit)


def _warehouse51(players: int, *more: str) -> Setting:
    panel = ("random", "heuristic", PRETRAINED_V1, PRETRAINED_V2, PRETRAINED, MIMIC, *more)
    return Setting("warehouse51_v1", {"num_players": players}, panel)


def _held_out(relics: str) -> Setting:
    panel = ("random", "heuristic", PRETRAINED_V2, PRETRAINED)
    return Setting("warehouse51_v1", {"num_players": 4, "relics": relics}, panel)


def _futsch(players: int) -> Setting:
    return Setting("alles_futsch_v1", {"num_players": players}, ("random", _OF_FUTSCH, _FUTSCH_SEARCH))


TRACKS = {
    "warehouse51-4": Track("Warehouse 51, four players", (_warehouse51(4, _SEARCH),), 50, 6),
    "warehouse51-3": Track("Warehouse 51, three players", (_warehouse51(3),), 100, 6),
    "warehouse51-5": Track("Warehouse 51, five players", (_warehouse51(5),), 30, 4),
    "held-out": Track("Warehouse 51, relic sets held out", tuple(map(_held_out, HELD_OUT)), 12, 4, 1),
    "alles-futsch-2": Track("Alles Futsch!, two players", (_futsch(2),), 300, 20),
    "alles-futsch-4": Track("Alles Futsch!, four players", (_futsch(4),), 50, 6),
}
# Exact exploitability, in games whose trees are enumerated.
EXACT = "mini-games"
EXACT_TITLE = "Exact exploitability in mini games"
EXACT_GAMES = {
    name: Setting("warehouse51_v1", {"preset": "nano", "reward": "win", **options}, ())
    for name, options in {
        "nano": {},
        "nano, one ingot": {"start_ingots": 1},
        "nano, no counterfeits": {"counterfeits_per_gap": 0},
    }.items()
}
# For language models alone, in place of all others. Each answer costs money, so their authors choose the size.
CHEAPEST = "twelfth"  # the least that has a place
LANGUAGE = "language-models"
LANGUAGE_TRACKS = {
    LANGUAGE: Track(
        "Warehouse 51, four players, language models",
        (Setting("warehouse51_v1", {"num_players": 4}, ("random", "heuristic")),),
        48,
        2,
    )
}
EVERY = {**TRACKS, **LANGUAGE_TRACKS}
