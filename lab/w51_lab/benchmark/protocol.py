"""The protocol of the benchmark: games, deals and opponents. A change of anything here needs a new version."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from w51_agents.networks.load import PRETRAINED, PRETRAINED_V1, PRETRAINED_V2
from w51_env.engine.options import OptionValues

PROTOCOL = "w51-bench v6"
# Deals and relic sets held out follow from a commit of this repository that nobody knew when the agents of the first
# entries were trained. Those that later entries are verified with follow from the commit that adds the entry.
BEACON = "b9972c849f684d5bf71963362386f29b237be016"
DEALS = f"deals:{BEACON}"
_FUTSCH_SEARCH = "search:playouts=10,playout_bot=collector"  # plays out with another bot than `heuristic`
MIMIC = f"mimic:heuristic>{PRETRAINED_V2},lots=6"  # of 26
# Attackers search a response to the agent, by its own policy where that can be asked, and by that of a network which
# knows nothing of it, so that no agent hides behind what it says to a search.
ATTACKER = "response:{},playouts=50"
STRANGER = ATTACKER.format(PRETRAINED_V2)
# Networks of self-play that bid more, or less, than they learned to: prices of other populations.
RASH, TIMID = f"style:{PRETRAINED_V2},tilt=0.3", f"style:{PRETRAINED_V2},tilt=-0.3"
WEAK = "mimic:random>heuristic,lots=13"  # for language models, of which many are near random players
# SHA-256 of the files of panel members and attackers in each game: they are frozen.
_V2 = "fcbc957b61c7470f92df3304f2eb68c28f6e5eee15db772dcb3dd84e184c386e"
_FUTSCH_V2 = "8bfbc359cba29af9d6b4145d8e458fd1210adecfb4570d4ea1bd5d3289fc9c35"
PANEL_FILES = {
    "warehouse51_v1": {
        PRETRAINED_V1: "a59cb6a0a9445acc13daf4996aa97e51f576aa72495f0f77b47ad7a49f2f9b7b",
        PRETRAINED: "ad20e20c2f7c5ccb2d63f1f8b728fd9f496e504e6e47eb2237c962edcca4e591",
        **dict.fromkeys((PRETRAINED_V2, MIMIC, RASH, TIMID, STRANGER), _V2),
    },
    "alles_futsch_v1": dict.fromkeys((PRETRAINED_V2, STRANGER), _FUTSCH_V2),
}
# As the scenarios of Melting Pot: how an entry plays with agents that it has not met in training.
HELD_OUT_STYLES = (RASH, TIMID, _FUTSCH_SEARCH)
HELD_OUT = tuple(f"generated:{20_000 + int(BEACON[start : start + 8], 16)}" for start in range(0, 32, 8))
# The size of an entry is the part of the deals that it plays, the first ones of the set. It follows from what the agent
# is: bots and networks play all; a search the first size whose number is not below its playouts; code of others the
# first size whose limit is not below the processor time of a decision over a block, in milliseconds.
FULL, QUICK = "full", "quick"
PARTS = {FULL: 1, "quarter": 4, "twelfth": 12}
PLAYOUTS = {"quarter": 20, "twelfth": math.inf}
LIMITS = {FULL: 0.25, "quarter": 2.5, "twelfth": math.inf}
SIZES = (*PARTS, QUICK)  # quick: the author's choice, for a look
MIN_DEALS = 2  # for an interval


@dataclass(frozen=True)
class Setting:
    """One game with its options, the agents of the panel that play it, and the set of deals."""

    game: str
    options: OptionValues
    panel: tuple[str, ...]
    deals: str = DEALS


@dataclass(frozen=True)
class Track:
    """What one table of the leaderboard is about.

    Attributes:
        title: For people.
        settings: The games; figures of the track are means over them.
        deals, quick_deals: Number of deals of each game, of a full and of a quick entry.
        quick_settings: Number of games of a quick entry, the first ones.
        attack_deals: Number of deals of a full entry in which attackers meet the agent in the first game; 0: none.
    """

    title: str
    settings: tuple[Setting, ...]
    deals: int
    quick_deals: int
    quick_settings: int | None = None
    attack_deals: int = 0

    def played(self, size: str) -> tuple[Setting, ...]:
        """The games of an entry of this size."""
        return self.settings[: self.quick_settings] if size == QUICK else self.settings

    def num_deals(self, size: str) -> int:
        """Number of deals of each game of an entry of this size."""
        return self.quick_deals if size == QUICK else max(MIN_DEALS, self.deals // PARTS[size])

    def num_attack_deals(self, size: str) -> int:
        """Number of deals of each attack on an entry of this size."""
        part = PARTS.get(size, self.attack_deals)
        return max(MIN_DEALS, self.attack_deals // part) if self.attack_deals else 0


def size_for(amount: float, limits: Mapping[str, float] = LIMITS) -> str:
    """The first size whose limit is not below an amount: milliseconds a decision, or playouts."""
    return next(size for size, limit in limits.items() if amount <= limit)


def _warehouse51(players: int, *more: str) -> Setting:
    panel = ("heuristic", PRETRAINED_V1, PRETRAINED_V2, PRETRAINED, MIMIC, *more)
    return Setting("warehouse51_v1", {"num_players": players}, panel)


def _held_out(relics: str) -> Setting:
    panel = ("heuristic", PRETRAINED_V2, PRETRAINED)
    return Setting("warehouse51_v1", {"num_players": 4, "relics": relics}, panel)


def _futsch(players: int) -> Setting:
    return Setting("alles_futsch_v1", {"num_players": players}, ("heuristic", PRETRAINED_V2, _FUTSCH_SEARCH))


TRACKS = {
    "warehouse51-4": Track("Warehouse 51, four players", (_warehouse51(4, RASH, TIMID),), 24, 4, attack_deals=24),
    "warehouse51-3": Track("Warehouse 51, three players", (_warehouse51(3),), 36, 6),
    "warehouse51-5": Track("Warehouse 51, five players", (_warehouse51(5),), 12, 4),
    "held-out": Track("Warehouse 51, relic sets held out", tuple(map(_held_out, HELD_OUT)), 6, 4, 1),
    "alles-futsch-2": Track("Alles Futsch!, two players", (_futsch(2),), 120, 20, attack_deals=24),
    "alles-futsch-4": Track("Alles Futsch!, four players", (_futsch(4),), 24, 6),
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
        (Setting("warehouse51_v1", {"num_players": 4}, (WEAK, "heuristic")),),
        48,
        2,
    )
}
EVERY = {**TRACKS, **LANGUAGE_TRACKS}
MEMBERS = frozenset(name for track in EVERY.values() for setting in track.settings for name in setting.panel)
# The best known rate against each opponent of a track, in multiples of the equal share, and the entry that has it. It
# is the unit of strength, so it stays for a version, before which `python -m benchmarks.entries --freeze` writes it.
BEST_FILE = Path(__file__).with_name("best_known.json")
BEST_KNOWN: Mapping[str, Mapping[str, tuple[float, str]]] = json.loads(BEST_FILE.read_text("utf-8"))


def best_known(track: str, opponent: str) -> float:
    """The best known rate against an opponent; the equal share where none is known."""
    return BEST_KNOWN.get(track, {}).get(opponent, (1.0, ""))[0]
