"""The tables of docs/games/alles_futsch.md and docs/games/alles_futsch_reference.md."""

from pathlib import Path

from docs import _tables
from w51_env.alles_futsch import actions, make
from w51_env.alles_futsch.event_types import EVENT_TYPES
from w51_env.alles_futsch.observe import LAYOUT
from w51_env.alles_futsch.rules import PRESETS, AllesFutschOptions

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/games/alles_futsch.md", "docs/games/alles_futsch_reference.md")
ACTION_GROUPS = (
    (actions.SELECT_CARD, "`select`: there is a card in this slot (A2)"),
    (actions.PASS, "`bid`, but not between the two parts of a raise (A2)"),
    (actions.RAISE + 1, "`bid`: the bidder has the money (A2)"),
    (actions.ADD + 1, "`bid`, as the first part: the bidder has the money for at least 1,000 more (A2)"),
    (actions.PLACE_TYPE, "`place`: an object of the type is left (A3)"),
    (actions.SELL_TO + 1, "`sell`: has the type on the table and owns 0 to 4 of it (A3)"),
)


def pages() -> dict[str, str]:
    """The pages with their tables filled, by their paths in the repository."""
    game = make(4)
    tables = {
        "facts": _tables.facts(game, "2, 3, 4 or 5", PRESETS),
        "options": _tables.options(AllesFutschOptions, PRESETS),
        "actions": _tables.actions(game.actions, ACTION_GROUPS),
        "observation": _tables.observation(LAYOUT),
        "events": _tables.events("alles_futsch", EVENT_TYPES),
    }
    return _tables.fill_pages(ROOT, PAGES, tables)
