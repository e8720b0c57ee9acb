"""The tables of docs/games/warehouse51.md and docs/games/warehouse51_reference.md."""

from collections import Counter
from pathlib import Path

from docs import _tables
from w51_env.views.language import Words
from w51_env.warehouse51 import actions, make
from w51_env.warehouse51.bots import HEURISTIC_FEATURES
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS
from w51_env.warehouse51.event_types import EVENT_TYPES
from w51_env.warehouse51.observe import LAYOUT
from w51_env.warehouse51.relic_checks import SOURCES
from w51_env.warehouse51.relic_set import Relic, RelicSet
from w51_env.warehouse51.relics import built_in_relic_sets, load_relic_set
from w51_env.warehouse51.rules import PRESETS, Warehouse51Options
from w51_env.warehouse51.scoring import PLACE_POINTS
from w51_env.warehouse51.state import CATEGORIES

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/games/warehouse51.md", "docs/games/warehouse51_reference.md")
MARKS = {"rulebook": "ᴮ", "review": "ᴿ", "reconstructed": ""}
FIELDS = ("name", "category", "value", "weapon", "counterfeit", "alignment", "timing", "effect", "amount")
MINI_GAMES = ("mini", "nano")
ACTION_GROUPS = (
    (actions.CHOOSE_DECK, "`reveal`: a deck with a relic left (T1)"),
    (actions.PASS, "`open_auction`; `blind_auction`, as a bid of 0 (T2, T5)"),
    (
        actions.BID + 1,
        "`open_auction`: more than the standing bid; `blind_auction`; never more than one holds (T2, T3, T5)",
    ),
    (actions.DECLINE, "`redeem`, `certify`, `cancel` (E1, E2, E3)"),
    (
        actions.PAWN,
        "before `redeem`: few ingots, an unpawned relic of one's own, a free token, a loan in the reserve (P1, P2, P3)",
    ),
    (actions.REDEEM_RELIC, "`redeem`: a pawned relic of one's own, if one has the ingots (E1)"),
    (
        actions.CERTIFY_RELIC,
        "`certify`; any phase before `cancel` if `certificate_timing` is `anytime`: a relic of one's own (E2)",
    ),
    (actions.CHOOSE_RELIC, "`take`, `give`, `cancel`: a relic that the effect can take, give or save (section 6, E3)"),
    (actions.CHOOSE_GAP, "`look`: a gap not beside the mover (section 6), so never its own, 0 and the last"),
)


def pages() -> dict[str, str]:
    """The pages with their tables filled, by their paths in the repository."""
    relics = load_relic_set("reconstruction-1")
    page = {
        "facts": _tables.facts(
            make(4), "3, 4 or 5", PRESETS, ("relic sets", ", ".join(f"`{name}`" for name in built_in_relic_sets()))
        ),
        "options": _tables.options(Warehouse51Options, PRESETS),
        "majorities": majorities(),
        "effects": effects(),
        "relics": relic_table(relics),
        "relic-sources": sources(relics),
        "actions": _tables.actions(make(4).actions, ACTION_GROUPS),
        "observation": _tables.observation(LAYOUT),
        "heuristic-features": _tables.observation(HEURISTIC_FEATURES),
        "events": _tables.events("warehouse51", EVENT_TYPES),
        "mini-games": mini_games(),
        "mini-relics": mini_relics(),
    }
    return _tables.fill_pages(ROOT, PAGES, page)


def majorities() -> str:
    """G3: points for the highest and the second highest value of each category."""
    return _tables.table(
        ("category", "first", "second"),
        [(name, *points) for name, points in zip(CATEGORIES, PLACE_POINTS, strict=True)],
    )


def effects() -> str:
    """Every kind of effect a relic file may name."""
    rows, words = [], Words()
    for kind in EFFECT_KINDS:
        amount = f"{kind.amount[0]}..{kind.amount[1]}" if kind.amount else ""
        rows.append(
            (
                f"`{kind.name}`",
                kind.alignment,
                kind.timing,
                amount,
                words(f"warehouse51.effect.{kind.name}", amount="*n*"),
            )
        )
    return _tables.table(("effect", "alignment", "timing", "amount *n*", "what it does"), rows)


def relic_table(relics: RelicSet) -> str:
    """Every relic with the source of each of its fields."""
    return _tables.table(
        ("relic", "category", "value", "fist", "counterfeit", "alignment", "timing", "effect", "*n*"),
        [[_field(relic, field) for field in FIELDS] for relic in relics.relics],
    )


def _field(relic: Relic, field: str) -> str:
    value = relic.name["en"] if field == "name" else getattr(relic, field)
    if value is None:
        return ""
    return f"{_yes(value) if isinstance(value, bool) else value}{MARKS[relic.source(field)]}"


def sources(relics: RelicSet) -> str:
    """For each field, the number of relics by source."""
    counts = {
        field: Counter(relic.source(field) for relic in relics.relics if getattr(relic, field) is not None)
        for field in FIELDS
    }
    rows = [(field, *(known[source] for source in SOURCES)) for field, known in counts.items()]
    total = sum(counts.values(), Counter())
    return _tables.table(("field", *SOURCES), [*rows, ("**all**", *(f"**{total[source]}**" for source in SOURCES))])


def mini_games() -> str:
    """The mini games: every option they set."""
    names = [name for name in PRESETS if name in MINI_GAMES]
    keys = list(dict.fromkeys(key for name in names for key in PRESETS[name]))
    standard = Warehouse51Options()
    rows = [(f"`{key}`", *(PRESETS[name].get(key, getattr(standard, key)) for name in names)) for key in keys]
    return _tables.table(("option", *(f"`{name}`" for name in names)), rows)


def mini_relics() -> str:
    """The relics of the mini games."""
    rows = []
    for name in MINI_GAMES:
        for relic in load_relic_set(PRESETS[name]["relics"]).relics:
            auction = "blind" if relic.weapon else "open"
            rows.append(
                (
                    f"`{name}`",
                    relic.name["en"],
                    relic.category,
                    relic.value,
                    auction,
                    _yes(relic.counterfeit),
                    relic.effect_text(),
                )
            )
    return _tables.table(("game", "relic", "category", "value", "auction", "counterfeit", "effect"), rows)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
