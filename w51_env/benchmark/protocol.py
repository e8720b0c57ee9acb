"""The protocol of the benchmark: games, deals and opponents. A change of anything here needs a new version."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from w51_env.agents.policies.load import PRETRAINED, PRETRAINED_V1

PROTOCOL = "w51-bench v1"
DEALS = "deals:v1"
_SEARCH = "search:playouts=10"
# SHA-256 of the files of panel members: the panel is frozen.
PANEL_FILES = {
    PRETRAINED_V1: "a59cb6a0a9445acc13daf4996aa97e51f576aa72495f0f77b47ad7a49f2f9b7b",
    PRETRAINED: "fcbc957b61c7470f92df3304f2eb68c28f6e5eee15db772dcb3dd84e184c386e",
}
# As the scenarios of Melting Pot: how an entry plays with agents that it has not met in training.
HELD_OUT_STYLES = (PRETRAINED_V1, _SEARCH)
HELD_OUT = tuple(f"generated:{seed}" for seed in range(10000, 10004))  # no agent of a run was trained with them


@dataclass(frozen=True)
class Setting:
    """One game with its options, and the agents of the panel that play it."""

    game: str
    options: Mapping[str, Any]
    panel: tuple[str, ...]


@dataclass(frozen=True)
class Track:
    """What one table of the leaderboard is about.

    Attributes:
        title: For people.
        settings: The games; figures of the track are means over them.
        deals, quick_deals: Number of deals of each game, in full and with `--quick`.
        quick_settings: Number of games with `--quick`, the first ones.
    """

    title: str
    settings: tuple[Setting, ...]
    deals: int
    quick_deals: int
    quick_settings: int | None = None

    def played(self, quick: bool) -> tuple[Setting, ...]:
        """The games of an entry."""
        return self.settings[: self.quick_settings] if quick else self.settings

    def num_deals(self, quick: bool) -> int:
        """Number of deals of each game of an entry."""
        return self.quick_deals if quick else self.deals


def _warehouse51(players: int) -> Setting:
    panel = ("random", "heuristic", PRETRAINED_V1, PRETRAINED, _SEARCH)
    return Setting("warehouse51_v0", {"num_players": players}, panel)


def _held_out(relics: str) -> Setting:
    panel = ("random", "heuristic", PRETRAINED, _SEARCH)
    return Setting("warehouse51_v0", {"num_players": 4, "relics": relics}, panel)


def _futsch(players: int) -> Setting:
    return Setting("alles_futsch_v0", {"num_players": players}, ("random", "heuristic", _SEARCH))


TRACKS = {
    "warehouse51-4": Track("Warehouse 51, four players", (_warehouse51(4),), 50, 6),
    "warehouse51-3": Track("Warehouse 51, three players", (_warehouse51(3),), 100, 6),
    "warehouse51-5": Track("Warehouse 51, five players", (_warehouse51(5),), 30, 4),
    "held-out": Track("Warehouse 51, relic sets held out", tuple(map(_held_out, HELD_OUT)), 12, 4, 1),
    "alles-futsch-2": Track("Alles Futsch!, two players", (_futsch(2),), 300, 20),
    "alles-futsch-4": Track("Alles Futsch!, four players", (_futsch(4),), 50, 6),
}
# Exact exploitability in a game whose tree is enumerated.
EXACT = "nano"
EXACT_TITLE = "Exact exploitability in the mini game nano"
EXACT_SETTING = Setting("warehouse51_v0", {"preset": "nano", "reward": "win"}, ())
# For language models alone, in place of all others: few games, since each answer costs money.
LANGUAGE = "language-models"
LANGUAGE_TRACKS = {
    LANGUAGE: Track(
        "Warehouse 51, four players, language models",
        (Setting("warehouse51_v0", {"num_players": 4}, ("random", "heuristic")),),
        4,
        2,
    )
}
EVERY = {**TRACKS, **LANGUAGE_TRACKS}
