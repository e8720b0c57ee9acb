"""The kinds of relic effects, as data: what a relic file may name and the ids that kernels use.

New kinds are appended, so that ids never change. No built-in relic needs to have a kind.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True)
class EffectKind:
    """One kind of effect.

    Attributes:
        name: Its name in relic files.
        timing, alignment: Those of every relic of this kind.
        amount: (least, greatest) amount, or None if it takes none.
        text: What it does; {} stands for the amount.
    """

    name: str
    timing: str
    alignment: str
    amount: tuple[int, int] | None
    text: str


EFFECT_KINDS = (
    EffectKind("certificate", "immediate", "blessed", None, "take a certificate of authenticity"),
    EffectKind("cancels_counterfeit", "end_of_game", "blessed", None, "may cancel one counterfeit"),
    EffectKind("wins_ties", "scoring", "blessed", None, "wins all ties"),
    EffectKind("loses_ties", "scoring", "cursed", None, "loses all ties"),
    EffectKind("may_match_bid", "permanent", "blessed", None, "may match the standing bid of an open auction"),
    EffectKind("wins_blind_ties", "permanent", "blessed", None, "wins ties in blind auctions"),
    EffectKind("always_reveals", "permanent", "blessed", None, "is always the revealer"),
    EffectKind("bid_cap", "permanent", "cursed", (1, 70), "may never bid more than {}"),
    EffectKind("surcharge", "permanent", "cursed", (1, 70), "pays {} more to the reserve for each auction won"),
    EffectKind("income", "permanent", "blessed", (1, 70), "gets {} from the reserve after each auction"),
    EffectKind("lifts_curses", "permanent", "blessed", None, "other curses of the owner do not work"),
    EffectKind("gain_ingots", "immediate", "blessed", (1, 70), "take {} from the reserve"),
    EffectKind("pay_each_other", "immediate", "cursed", (1, 70), "pay {} to each other player"),
    EffectKind(
        "take_relic", "immediate", "blessed", (1, 3), "take an unpawned relic of value {} or less from another player"
    ),
    EffectKind("give_relic", "immediate", "cursed", None, "give another unpawned relic to the left neighbour"),
    EffectKind(
        "look_at_counterfeits", "immediate", "blessed", None, "look at the counterfeits of a gap not beside you"
    ),
    EffectKind("ingots_per_point", "scoring", "blessed", (1, 70), "each {} ingots score a point"),
    EffectKind("redeem_price", "end_of_game", "blessed", (0, 70), "redeems for {}"),
)

(
    CERTIFICATE,
    CANCELS_COUNTERFEIT,
    WINS_TIES,
    LOSES_TIES,
    MAY_MATCH_BID,
    WINS_BLIND_TIES,
    ALWAYS_REVEALS,
    BID_CAP,
    SURCHARGE,
    INCOME,
    LIFTS_CURSES,
    GAIN_INGOTS,
    PAY_EACH_OTHER,
    TAKE_RELIC,
    GIVE_RELIC,
    LOOK_AT_COUNTERFEITS,
    INGOTS_PER_POINT,
    REDEEM_PRICE,
) = range(len(EFFECT_KINDS))
NO_EFFECT = -1
FIRST_KINDS = REDEEM_PRICE + 1  # the kinds that warehouse51_v0 began with

EFFECT_NAMES = tuple(kind.name for kind in EFFECT_KINDS)

Part = TypeVar("Part")


def parts_in_use(added: Sequence[tuple[str, Part]], effects: Collection[str]) -> list[Part]:
    """The added parts of a table, (effect kind, part), up to the last one that these effect kinds need.

    So the tables of a game do not change when kinds are added that it does not use: its trained agents still load.
    A part before one in use is kept: every part has one position in all games.
    """
    needed = [position for position, (kind, _) in enumerate(added) if kind in effects]
    return [part for _, part in added[: max(needed, default=-1) + 1]]
