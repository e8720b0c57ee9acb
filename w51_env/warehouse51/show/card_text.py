"""What a card panel says of a relic, from a view alone."""

from typing import Any

from w51_env.views.language import Words
from w51_env.views.view import View

_NAME = "warehouse51"


def card_text(view: View, relic_id: str, words: Words, owned: Any = None) -> str:
    """Lines: name; category and value; effect; how it was bought, `owned`; whether it may be a counterfeit; sources."""
    relic = view.table["relics"][relic_id]
    lines = [relic["name"], f"{words(f'{_NAME}.category.' + relic['category'])} {relic['value']}"]
    if relic["weapon"]:
        lines.append(words(f"{_NAME}.rules.weapon"))
    if relic["effect"]:
        alignment = words(f"{_NAME}.alignment.{relic['alignment']}")
        lines.append(words("table.labelled", label=alignment, text=relic["effect_text"]))
    if owned is not None:
        lines += [words(f"{_NAME}.text.{key}") for key in ("pawned", "certified") if owned[key]]
        if owned["buyer"] is not None:
            buyer = view.players[owned["buyer"]]["name"]
            lines.append(words(f"{_NAME}.text.bought", seat=buyer, ingots=owned["price"]))
    lines.append(belief_text(view, relic_id, words))
    if relic["value_source"] in ("rulebook", "review"):
        lines.append(words(f"{_NAME}.card.{relic['value_source']}"))
    return "\n".join(lines)


def belief_text(view: View, relic_id: str, words: Words) -> str:
    """What the viewer knows of the relic's counterfeit card."""
    belief = view.table["beliefs"][relic_id]
    if belief in (0, 1):
        return words(f"{_NAME}.card.{'fake' if belief else 'genuine'}")
    return words(f"{_NAME}.card.believed", percent=words.decimal(100 * belief, ".1f"))
