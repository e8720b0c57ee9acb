"""Relics as numbers, for networks that play with any relic set."""

import numpy as np

from w51_env.engine.items import ItemTable
from w51_env.engine.layout import Layout
from w51_env.warehouse51.actions import BID, CERTIFY_RELIC, CHOOSE_RELIC, PAWN, REDEEM_RELIC
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.relic_set import Relic, RelicSet
from w51_env.warehouse51.state import CATEGORIES, MAX_INGOTS, MAX_RELICS

_NAMES = (
    *CATEGORIES,
    *(f"value_{category}" for category in CATEGORIES),
    *("is_relic", "weapon", "counterfeit", "blessed", "cursed", "amount"),
    *EFFECT_NAMES,
)


def item_table(relic_set: RelicSet, layout: Layout) -> ItemTable:
    """The table of a relic set; an index that the set does not use has zeros."""
    features = np.zeros((MAX_RELICS, len(_NAMES)), np.int8)
    for index, relic in enumerate(relic_set.relics):
        for name, value in _features_of(relic).items():
            features[index, _NAMES.index(name)] = value
    slices = tuple(name for name, part in layout.items() if part.shape[-1] == MAX_RELICS)
    runs = (PAWN, REDEEM_RELIC, CERTIFY_RELIC, CHOOSE_RELIC)
    return ItemTable(features, _NAMES, len(CATEGORIES), slices, runs, (BID + 1, MAX_INGOTS), "relics")


def _features_of(relic: Relic) -> dict[str, int]:
    """The features that are not 0."""
    features = {
        relic.category: 1,
        f"value_{relic.category}": relic.value,
        "is_relic": 1,
        "weapon": int(relic.weapon),
        "counterfeit": int(relic.counterfeit),
        "amount": relic.amount or 0,
    }
    if relic.alignment != "neutral":
        features[relic.alignment] = 1
    if relic.effect is not None:
        features[relic.effect] = 1
    return features
