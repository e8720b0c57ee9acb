"""The tables of docs/games/auctions.md."""

from pathlib import Path

from docs import _tables
from w51_env.auctions import actions, make
from w51_env.auctions.event_types import EVENT_TYPES
from w51_env.auctions.observe import LAYOUT
from w51_env.auctions.rules import PRESETS, AuctionOptions

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/games/auctions.md",)
ACTION_GROUPS = (
    (0, "at a clock: the price is not taken; else if there is a reserve, a fee or too little money (L2, L3)"),
    (actions.BID, "from the reserve to the highest bid, within the budget; at a clock its price alone (L2, L3)"),
)


def pages() -> dict[str, str]:
    """The page with its tables filled, by its path in the repository."""
    tables = {
        "facts": _tables.facts(make(), "2, 3, 4, 5 or 6", PRESETS),
        "options": _tables.options(AuctionOptions, PRESETS),
        "actions": _tables.actions(make().actions, ACTION_GROUPS),
        "observation": _tables.observation(LAYOUT),
        "events": _tables.events("auctions", EVENT_TYPES),
    }
    return _tables.fill_pages(ROOT, PAGES, tables)
