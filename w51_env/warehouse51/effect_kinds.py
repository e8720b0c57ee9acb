"""The kinds of relic effects, as data: what a relic file may name and the ids that kernels use.

New kinds are appended, so that ids never change. No built-in relic needs to have a kind.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from w51_env.engine.layout import ids_of


@dataclass(frozen=True)
class EffectKind:
    """One kind of effect.

    Attributes:
        name: Its name in relic files.
        timing, alignment: Those of every relic of this kind.
        amount: (least, greatest) amount, or None if it takes none.
    """

    name: str
    timing: str
    alignment: str
    amount: tuple[int, int] | None


EFFECT_KINDS = (
    EffectKind("certificate", "immediate", "blessed", None),
    EffectKind("cancels_counterfeit", "end_of_game", "blessed", None),
    EffectKind("wins_ties", "scoring", "blessed", None),
    EffectKind("loses_ties", "scoring", "cursed", None),
    EffectKind("may_match_bid", "permanent", "blessed", None),
    EffectKind("wins_blind_ties", "permanent", "blessed", None),
    EffectKind("always_reveals", "permanent", "blessed", None),
    EffectKind("bid_cap", "permanent", "cursed", (1, 70)),
    EffectKind("surcharge", "permanent", "cursed", (1, 70)),
    EffectKind("income", "permanent", "blessed", (1, 70)),
    EffectKind("lifts_curses", "permanent", "blessed", None),
    EffectKind("gain_ingots", "immediate", "blessed", (1, 70)),
    EffectKind("pay_each_other", "immediate", "cursed", (1, 70)),
    EffectKind("take_relic", "immediate", "blessed", (1, 3)),
    EffectKind("give_relic", "immediate", "cursed", None),
    EffectKind("look_at_counterfeits", "immediate", "blessed", None),
    EffectKind("ingots_per_point", "scoring", "blessed", (1, 70)),
    EffectKind("redeem_price", "end_of_game", "blessed", (0, 70)),
)

EFFECT_NAMES = tuple(kind.name for kind in EFFECT_KINDS)
EFFECT = ids_of(EFFECT_NAMES)  # `EFFECT.BID_CAP`
NO_EFFECT = -1
FIRST_KINDS = EFFECT.REDEEM_PRICE + 1  # the kinds that the game began with

Part = TypeVar("Part")


def parts_in_use(added: Sequence[tuple[str, Part]], effects: Collection[str]) -> list[Part]:
    """The added parts of a table, (effect kind, part), up to the last one that these effect kinds need.

    So the tables of a game do not change when kinds are added that it does not use: its trained agents still load.
    A part before one in use is kept: every part has one position in all games.
    """
    needed = [position for position, (kind, _) in enumerate(added) if kind in effects]
    return [part for _, part in added[: max(needed, default=-1) + 1]]
