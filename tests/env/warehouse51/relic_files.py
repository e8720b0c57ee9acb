"""Relic files for what the built-in set can't show: several relics of one kind, other amounts, blank cards, kinds of
effects that no built-in relic has.
"""

import json
from pathlib import Path
from typing import Any

from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, FIRST_KINDS

_KINDS = {kind.name: kind for kind in EFFECT_KINDS}
_BUILT_IN = Path(warehouse51.__file__).parent / "relic_sets" / "reconstruction-1.toml"
_WITHOUT_EFFECT = 'alignment = "neutral"\n'
SWORD, CHAIN = "relic[0] ('sword'): ", "relic[1] ('chain'): "  # where mistakes in the relics of GOOD are
GOOD = """\
schema = 1
name = "of a test"
counterfeits = 2

[[relic]]
id = "sword"
name = { en = "Sword", fr = "Épée" }
category = "blue"
value = 2
alignment = "neutral"
weapon = true
counterfeit = true
sources = { name = "review" }

[[relic]]
id = "chain"
name = { en = "Chain" }
category = "red"
value = 1
alignment = "cursed"
timing = "permanent"
effect = "bid_cap"
amount = 3
weapon = false
counterfeit = true
"""


def every_kind() -> str:
    """The built-in relics as a text for the option `relics`: those without an effect have the kinds added later.

    So tests of whole games meet every kind of effect, and a new one without a change of the tests.
    """
    text = _BUILT_IN.read_text("utf-8")
    for kind in EFFECT_KINDS[FIRST_KINDS:]:
        assert _WITHOUT_EFFECT in text, f"no relic is left for {kind.name}: take one of a kind that two relics have"
        lines = [f'alignment = "{kind.alignment}"', f'timing = "{kind.timing}"', f'effect = "{kind.name}"']
        lines += [] if kind.amount is None else [f"amount = {min(max(2, kind.amount[0]), kind.amount[1])}"]
        text = text.replace(_WITHOUT_EFFECT, "\n".join(lines) + "\n", 1)
    return text


def relic(
    relic_id: str, category: str, value: int = 1, effect: str | None = None, amount: int | None = None, **marks: bool
) -> dict[str, Any]:
    """One [[relic]] table; its alignment and timing are those of its effect. `marks`: weapon, counterfeit."""
    entry: dict[str, Any] = {
        "id": relic_id,
        "category": category,
        "value": value,
        "weapon": False,
        "counterfeit": False,
    }
    entry |= marks
    if effect is None:
        return {**entry, "alignment": "neutral"}
    entry |= {"alignment": _KINDS[effect].alignment, "timing": _KINDS[effect].timing, "effect": effect}
    return entry if amount is None else {**entry, "amount": amount}


def relic_text(*relics: dict[str, Any], blank_counterfeits: int = 0) -> str:
    """The relics as a text for the option `relics`."""
    counterfeits = sum(entry["counterfeit"] for entry in relics)
    lines = ["schema = 1", 'name = "of a test"', f"counterfeits = {counterfeits}"]
    lines += [f"blank_counterfeits = {blank_counterfeits}"]
    for entry in relics:
        lines += ["[[relic]]", f'name = {{ en = "{entry["id"].replace("_", " ")}" }}']
        lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
    return "\n".join(lines) + "\n"


def write_relic_file(folder: Path, *relics: dict[str, Any], blank_counterfeits: int = 0) -> str:
    """Write the relics to a file and return its path, for the option `relics`."""
    path = folder / "relics.toml"
    path.write_text(relic_text(*relics, blank_counterfeits=blank_counterfeits), "utf-8")
    return str(path)


def table_with(folder: Path, *relics: dict[str, Any], num_players: int = 4, **options: Any) -> Table:
    """A table where these relics are played, without counterfeits unless the options say so."""
    return Table(num_players, relics=write_relic_file(folder, *relics), **{"counterfeits_per_gap": 0, **options})
