"""Relic sets drawn from a seed, to train and to test agents that play with any cards.

`generated:SEED` is a value of the option `relics`. Seeds of TRAINING are for training; those of TEST never are, so that
an agent can be tested on cards that it has not met. A seed keeps its cards: kinds of effects that are added later
are not drawn.
"""

import random

from w51_env.engine.errors import OptionError
from w51_env.engine.plain_data import MAX_DIGITS
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, FIRST_KINDS
from w51_env.warehouse51.relic_set import Relic, RelicSet
from w51_env.warehouse51.state import CATEGORIES, MAX_RELICS

GENERATED = "generated:"
TRAINING, TEST = range(1, 10_000), range(10_000, 10_020)

_SIZES = (8, 7, 6, 5)  #  of the categories, about
_VALUES = {"neutral": (2, 2, 3), "blessed": (1, 1, 2), "cursed": (2, 3, 3)}
_AMOUNTS = {
    "bid_cap": (5, 12),
    "surcharge": (1, 2),
    "income": (1, 2),
    "gain_ingots": (2, 7),
    "pay_each_other": (1, 3),
    "take_relic": (1, 3),
    "ingots_per_point": (3, 4),
    "redeem_price": (3, 6),
}
_AT_MOST_TWICE = "certificate"  #  every other kind of effect is drawn once at most
_EFFECTS, _WEAPONS, _COUNTERFEITS = 0.65, 0.27, 0.9  #  parts of the relics that have them, about


def seed_of(relics: str) -> int:
    """The seed in `generated:SEED`; OptionError if it is none."""
    seed = relics.removeprefix(GENERATED)
    if not (seed.isascii() and seed.isdigit() and len(seed) <= MAX_DIGITS):
        raise OptionError(f"relics: {relics!r}, but {GENERATED}SEED needs a seed such as {TRAINING[0]}")
    return int(seed)


def generate_relic_set(seed: int) -> RelicSet:
    """The relic set of a seed: 14 to 26 relics, most of them with an effect, most of them with a counterfeit card."""
    draw = random.Random(f"relics {seed}")
    sizes = [max(2, size + draw.randint(-3, 1)) for size in _SIZES]
    while sum(sizes) > MAX_RELICS:
        sizes[sizes.index(max(sizes))] -= 1
    kinds = [kind.name for kind in EFFECT_KINDS[:FIRST_KINDS]] + [_AT_MOST_TWICE]
    draw.shuffle(kinds)
    relics: list[Relic] = []
    for category, size in zip(CATEGORIES, sizes, strict=True):
        for _ in range(size):
            effect = kinds.pop() if kinds and draw.random() < _EFFECTS else None
            relics.append(_draw_relic(draw, len(relics) + 1, category, effect))
    return RelicSet(f"generated:{seed}", tuple(relics))


def _draw_relic(draw: random.Random, number: int, category: str, effect: str | None) -> Relic:
    kind = next((kind for kind in EFFECT_KINDS if kind.name == effect), None)
    alignment = kind.alignment if kind else "neutral"
    return Relic(
        id=f"card_{number}",
        name={"en": f"Card {number}"},
        category=category,
        value=draw.choice(_VALUES[alignment]),
        alignment=alignment,
        timing=kind.timing if kind else None,
        effect=effect,
        amount=draw.randint(*_AMOUNTS[kind.name]) if kind and kind.amount else None,
        weapon=draw.random() < _WEAPONS,
        counterfeit=effect != "certificate" and draw.random() < _COUNTERFEITS,
    )
