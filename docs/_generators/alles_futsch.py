"""The tables of docs/games/alles_futsch.md and docs/games/alles_futsch_reference.md."""

import json
from pathlib import Path

from docs import _tables
from w51_env.alles_futsch import actions, make
from w51_env.alles_futsch.event_types import EVENT_TYPES
from w51_env.alles_futsch.heuristic_features import HEURISTIC_FEATURES
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
        "heuristic-features": _tables.observation(HEURISTIC_FEATURES),
        "events": _tables.events("alles_futsch", EVENT_TYPES),
        "ends": ends(),
    }
    return _tables.fill_pages(ROOT, PAGES, tables)


def ends() -> str:
    """What agents lose in ends of games that are solved."""
    data = json.loads((ROOT / "experiments" / "results" / "futsch_ends.json").read_text("utf-8"))
    rows = [
        (
            f"`{cell['agent']}`",
            f"{100 * cell['least']:.1f} ± {200 * cell['error']:.1f}",
            f"{100 * cell['most']:.1f}",
            f"{100 * cell['mistakes']:.1f}%",
        )
        for cell in data["cells"]
    ]
    header = ("agent", "points of the chance to win lost in a decision, at least", "at most", "mistakes")
    solved, looked_at = (f"{data['settings'][key]:,}" for key in ("solved", "looked_at"))
    note = (
        f"({solved} of {looked_at} decisions in which the poorer player has at most 70,000; ± are two standard errors "
        f"by game. {_tables.measured(data['machine'])})"
    )
    return _tables.table(header, rows, note)
