"""The options: checked, with presets, and packed into the record that kernels read."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.options import REWARDS, check_options, check_range
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES, FIRST_KINDS, NO_EFFECT
from w51_env.warehouse51.payment import PAYMENTS
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import built_in_relic_sets, is_relic_text, kept_relics, load_relic_set
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT, PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.state import CATEGORIES, MAX_CATEGORIES, MAX_INGOTS, MAX_RELICS

NUM_PLAYERS = (3, 4, 5)
RANDOM_FIRST_PLAYER = -1
CERTIFICATE_TIMINGS = ("end", "anytime")
CERTIFICATE_OWNERS = ("buyer", "owner")
MAX_POINTS = 127  # of a seat: the most that the observation can hold

# Options that no observation shows: an agent is trained for one value of each. New options are appended here.
UNOBSERVED_OPTIONS: tuple[str, ...] = ("relics", "payment_to", "refund")

# What each rulebook has (section 7). An option that a preset does not name has its default.
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "en": {},
    "fr": {"certificate_belongs_to": "owner"},
    "de": {"pawn_limit": 4},
    "hu": {"pawn_limit": 4, "certificate_timing": "anytime"},
    "mini": {
        "num_players": 3,
        "relics": "mini",
        "start_ingots": 2,
        "reserve": 2,
        "pawn_limit": 1,
        "pawn_loan": 2,
        "redeem_price": 3,
        "counterfeits_per_gap": 1,
    },
    "nano": {
        "num_players": 3,
        "relics": "nano",
        "start_ingots": 2,
        "reserve": 0,
        "counterfeits_per_gap": 1,
        "first_player": 0,
    },
}


CHOICES: dict[str, tuple[Any, ...]] = {
    "num_players": NUM_PLAYERS,
    "certificate_timing": CERTIFICATE_TIMINGS,
    "certificate_belongs_to": CERTIFICATE_OWNERS,
    "relics": built_in_relic_sets(),
    "payment_to": PAYMENTS,
}
RANGES = {
    "pawn_limit": (0, MAX_INGOTS),
    "start_ingots": (1, MAX_INGOTS),
    "reserve": (0, MAX_INGOTS),
    "pawn_loan": (1, MAX_INGOTS),
    "redeem_price": (0, MAX_INGOTS),
    "refund": (0, 100),
}


@dataclass(frozen=True)
class Warehouse51Options:
    """Every option of a game.

    Attributes:
        num_players: 3, 4 or 5 (S1).
        first_player: A seat, or "random" (S5).
        pawn_limit: The most ingots a player may hold to pawn a relic: 5 (en, fr) or 4 (de, hu) (P1).
        certificate_timing: "end" or "anytime": when certificates may be placed (E2).
        certificate_belongs_to: "buyer", or "owner" of the relic that gave it, unless it is pawned (E2, R7).
        start_ingots, reserve: Ingots of each player and of the pawnbroker (S2).
        pawn_loan, redeem_price: Ingots for pawning and for redeeming a relic (P1, E1).
        counterfeits_per_gap: Counterfeit cards between two neighbours; None: 2 for 3 players, else 1 (S4).
        relics: A built-in relic set or the path of a relic file, which is read once: the options then hold its cards,
            as a text, or as the name of the built-in set with the same cards.
        reward: "win", "rank" or "margin".
        ask_forced: Leave decisions with a single legal action to the agent, too (T9).
        payment_to: Who gets the price of a relic: the neighbour on the "left" or on the "right", the "bank" (the
            reserve), or all "others" in equal parts; what is left over goes, one ingot each, to the first of them
            from the left (T4).
        refund: Percent of a price that the others get, rounded down, if payment_to is "others"; the reserve gets the
            rest (T4).
    """

    num_players: int = 4
    first_player: int | str = "random"
    pawn_limit: int = 5
    certificate_timing: str = "end"
    certificate_belongs_to: str = "buyer"
    start_ingots: int = 10
    reserve: int = 20
    pawn_loan: int = 5
    redeem_price: int = 10
    counterfeits_per_gap: int | None = None
    relics: str = "reconstruction-1"
    reward: str = "win"
    ask_forced: bool = False
    payment_to: str = "left"
    refund: int = 100

    def __post_init__(self) -> None:
        check_options(self, {name: CHOICES[name] for name in CHOICES if name != "relics"}, RANGES)  # may be a file
        if self.ingots_in_play > MAX_INGOTS:
            raise OptionError(
                f"start_ingots, reserve: {self.num_players} x {self.start_ingots} + {self.reserve} = "
                f"{self.ingots_in_play} ingots, but the box holds {MAX_INGOTS}"
            )
        if self.refund < 100 and self.payment_to != "others":
            raise OptionError(
                f"refund: {self.refund}, but payment_to is {self.payment_to!r}; below 100 it must be 'others'"
            )
        if self.counterfeits_per_gap is not None:
            check_range("counterfeits_per_gap", self.counterfeits_per_gap, 0, MAX_RELICS)
        object.__setattr__(self, "relics", self._checked_relics())  # last, so that errors name what the user passed

    def _checked_relics(self) -> str:
        """What the game keeps of the option `relics`, after checks against the other options."""
        if not isinstance(self.relics, str):
            raise OptionError(
                f"relics: {self.relics!r}, but the name of a built-in relic set or the path of a file is needed"
            )
        relic_set = load_relic_set(self.relics)
        named = repr(relic_set.name if is_relic_text(self.relics) else self.relics)
        dealt = self.gap_cards * self.num_players
        if dealt > relic_set.counterfeit_cards:
            raise OptionError(
                f"relics {named}: {dealt} counterfeit cards are dealt to {self.num_players} players, "
                f"but the set has {relic_set.counterfeit_cards}"
            )
        points = max_points(self.ingots_in_play, relic_set)
        if points > MAX_POINTS:
            raise OptionError(
                f"relics {named}: a seat with all relics and {self.ingots_in_play} ingots has {points} points, "
                f"but at most {MAX_POINTS} fit the score"
            )
        return kept_relics(relic_set)

    @property
    def ingots_in_play(self) -> int:
        """Ingots of all players and of the reserve (S2)."""
        return self.num_players * self.start_ingots + self.reserve

    @property
    def gap_cards(self) -> int:
        """Counterfeit cards in each gap (S4)."""
        if self.counterfeits_per_gap is not None:
            return self.counterfeits_per_gap
        return 2 if self.num_players == 3 else 1


def max_points(ingots: int, relic_set: RelicSet) -> int:
    """The points of a seat that owns all relics of a set and this many ingots (G1, G2, G3)."""
    sizes = Counter(relic.category for relic in relic_set.relics)
    for_a_point = [relic.amount for relic in relic_set.relics if relic.effect == "ingots_per_point" and relic.amount]
    majorities = sum(int(PLACE_POINTS[CATEGORIES.index(category), 0]) for category in sizes)
    return ingots // min([INGOTS_FOR_A_POINT, *for_a_point]) + POINTS_PER_SET * min(sizes.values()) + majorities


_NUMBERS = (
    *("num_players", "first_player", "pawn_limit", "certificates_anytime", "certificate_follows_relic", "start_ingots"),
    *("reserve", "pawn_loan", "redeem_price", "gap_cards", "blank_counterfeits", "reward", "ask_forced", "payment_to"),
    *("num_relics", "refund"),
)
_BY_RELIC = ("category", "value", "weapon", "has_counterfeit", "effect", "amount")
_FIELDS = [
    *((name, "i1") for name in _NUMBERS),
    *((name, "i1", (MAX_CATEGORIES,)) for name in ("deck_start", "deck_size")),
    *((name, "i1", (MAX_RELICS,)) for name in _BY_RELIC),
]


def rules_dtype(effects: Collection[str]) -> np.dtype:
    """The record of the rules of a game whose relics have these effect kinds.

    Its tables by kind end with the last kind in use. Kinds added later do not change them, nor replay digests.
    """
    return _rules_dtype(max([FIRST_KINDS, *(EFFECT_NAMES.index(effect) + 1 for effect in effects)]))


@cache
def _rules_dtype(kinds: int) -> np.dtype:
    by_kind = [
        ("with_effect", "i1", (kinds, MAX_RELICS)),  # [kind]: the relics that have it come first
        ("effect_count", "i1", (kinds,)),  #           [kind]: how many relics have it
    ]
    return np.dtype([*_FIELDS, *by_kind], align=True)


def pack(options: Warehouse51Options, relic_set: RelicSet) -> np.ndarray:
    """(1,) structured, read-only: the options and relic tables as kernels read them."""
    packed = np.zeros(1, rules_dtype(relic_set.effects))
    rules = packed[0]
    rules["num_players"] = options.num_players
    rules["first_player"] = RANDOM_FIRST_PLAYER if options.first_player == "random" else options.first_player
    as_they_are = ("pawn_limit", "start_ingots", "reserve", "pawn_loan", "redeem_price", "gap_cards", "ask_forced")
    for name in (*as_they_are, "refund"):
        rules[name] = getattr(options, name)
    rules["certificates_anytime"] = options.certificate_timing == "anytime"
    rules["certificate_follows_relic"] = options.certificate_belongs_to == "owner"
    rules["blank_counterfeits"] = relic_set.blank_counterfeits
    rules["reward"] = REWARDS.index(options.reward)
    rules["payment_to"] = PAYMENTS.index(options.payment_to)
    rules["num_relics"] = len(relic_set)
    rules["effect"] = NO_EFFECT
    _pack_relics(rules, relic_set)
    rules["deck_start"][1:] = np.cumsum(rules["deck_size"])[:-1]
    packed.flags.writeable = False
    return packed


def _pack_relics(rules: np.void, relic_set: RelicSet) -> None:
    """Write the fields that have a number for each relic, category or kind of effect."""
    for index, relic in enumerate(relic_set.relics):
        category = CATEGORIES.index(relic.category)
        rules["category"][index] = category
        rules["deck_size"][category] += 1
        rules["value"][index] = relic.value
        rules["weapon"][index] = relic.weapon
        rules["has_counterfeit"][index] = relic.counterfeit
        if relic.effect is not None:
            kind = EFFECT_NAMES.index(relic.effect)
            rules["effect"][index] = kind
            rules["amount"][index] = relic.amount or 0
            rules["with_effect"][kind, rules["effect_count"][kind]] = index
            rules["effect_count"][kind] += 1
