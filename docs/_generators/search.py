"""Tables of the strength of search agents, from search.json and search_network.json in benchmarks/results.

To measure again: `python -m benchmarks.renew search search_network`.
"""

import json
import re
from pathlib import Path
from typing import Any

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "experiments" / "results"
PAGE = "docs/lab/search.md"
_PLAIN = re.compile(r"search:playouts=\d+")
_HEADER = ("agent", "players", "against", "games", "ms per decision", "win rate (95 %)", "equal share", "points ahead")


def pages() -> dict[str, str]:
    """The page with its tables filled in."""
    lines, by_network = _lines("search"), _lines("search_network")
    plain = [line for line in lines if _is_plain(line)]
    tables = {
        "strength": strength(plain),
        "variants": strength([line for line in lines if line not in plain]),
        "network": strength(by_network),
        "win_value": win_value(json.loads((EXPERIMENTS / "win_value.json").read_text("utf-8"))),
        "expert_iteration": expert_iteration(json.loads((EXPERIMENTS / "expert_iteration.json").read_text("utf-8"))),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def win_value(data: dict[str, Any]) -> str:
    """What each predictor explains of the variance of wins, by quarter of the game, in percent."""
    rows = [
        (cell["players"], name, *(f"{100 * one:.1f}" for one in cell[name]))
        for cell in data["cells"]
        for name in ("hidden layers", "standing", "own layers")
    ]
    cell = data["cells"][0]
    note = (
        f"(% of the variance of wins of {cell['agent']} among its copies, in {cell['held_out']:,} states of games that "
        f"were not fitted; {cell['games']:,} games, one seed, {cell['seconds'] / 60:.0f} minutes on a busy core. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(("players", "of", *("first", "second", "third", "last quarter")), rows, note)


def expert_iteration(data: dict[str, Any]) -> str:
    """What copies of a network gained from searched decisions, and how they and searches on them do in matches."""
    gains = [
        (
            cell["iteration"],
            cell["penalty"],
            f"{cell['nats']:.3f}",
            f"{1000 * cell['gain']:.2f} ± {1000 * cell['error']:.2f}",
            *(_interval(match) for match in cell["matches"]),
        )
        for cell in data["cells"]
        if "gain" in cell
    ]
    agent, learned = data["settings"]["agent"], data["cells"][0]["learned"]
    pairs = [
        name
        for other in (agent, "heuristic")
        for name in (f"alone among three `{other}`", f"one `{other}` among three of it")
    ]
    header = ("iteration", "penalty", "distance, nats", "gain of a decision, thousandths ± standard error", *pairs)
    note = (
        f"({learned:,} searched decisions of {data['settings']['playouts']} playouts to learn from in the first "
        f"iteration; matches of {data['settings']['games']:,} games, 95% intervals, equal share 25%, actions drawn. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(header, gains, note)


def _interval(match: dict[str, Any]) -> str:
    return f"{match['wins']:.1%} ({match['low']:.1%} to {match['high']:.1%})"


def _lines(name: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))[
        "matches"
    ]
    return lines


def strength(lines: list[dict[str, Any]]) -> str:
    """A table with a row for each match."""
    return _tables.table(_HEADER, [_row(line) for line in lines])


def _is_plain(line: dict[str, Any]) -> bool:
    return bool(_PLAIN.fullmatch(line["spec"])) and line["against"] == "heuristic" and line["game"] == "warehouse51_v1"


def _row(line: dict[str, Any]) -> tuple[str, ...]:
    searcher, other = line["agents"]
    against = line["against"] if line["game"] == "warehouse51_v1" else f"{line['against']}, {line['game']}"
    return (
        f"`{line['spec']}`",
        str(line["players"]),
        against,
        str(line.get("games_played", line["games"])),
        f"{1000 * line['seconds_per_decision']:.1f}",
        f"**{searcher['win_rate']:.0%}** ({searcher['low']:.0%} to {searcher['high']:.0%})",
        f"{line['equal_share']:.0%}",
        f"{searcher['mean_score'] - other['mean_score']:+.1f}",
    )
