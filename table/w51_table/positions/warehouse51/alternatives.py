"""States in which a seat knows something else of the lot: what it would do, if it knew."""

from typing import Any

from w51_env.views.view import ViewContext
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.standing import Knowledge
from w51_env.warehouse51.show.state_values import State
from w51_env.warehouse51.state import EXPOSED, IN_DECK, NO_RELIC, UNSOLD

_NAME = "warehouse51"


def alternatives(context: ViewContext) -> list[tuple[str, Any]]:
    """The lot as a counterfeit that the seat knows of, or as one of which it knows nothing: a text and the state.

    Another card takes the place of that of the lot: one of a relic that is out of the game if there is one, else of one
    that nobody has. Which one depends on what the seat knows alone.
    """
    record, words = context.record.copy(), context.words
    state = State(record, context.game)
    if state.lot == NO_RELIC or state.shown or not context.game.rules["gap_cards"][0]:
        return []
    relics = load_relic_set(context.game.options["relics"]).relics
    known = Knowledge(context, state)
    gaps = record["counterfeit_gap"]
    is_known = gaps[state.lot] in known.gaps
    others = [
        index
        for index, relic in enumerate(relics)
        if relic.counterfeit and index != state.lot and (gaps[index] in known.gaps) != is_known
    ]
    if not relics[state.lot].counterfeit or not others:
        return []
    other = min(others, key=lambda index: _weight(state.place[index]))
    gaps[[state.lot, other]] = gaps[[other, state.lot]]
    names = {"relic": relics[state.lot].name_in(words.language), "other": relics[other].name_in(words.language)}
    return [(words(f"{_NAME}.card.{'if_unknown' if is_known else 'if_known'}", **names), record)]


def _weight(place: int) -> int:
    """How much the counterfeit of a relic in this place matters."""
    return 0 if place in (UNSOLD, EXPOSED) else 1 if place == IN_DECK else 2
