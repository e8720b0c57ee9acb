"""The pages of the benchmark: its tracks, and the leaderboard from benchmarks/leaderboard."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from docs import _tables
from docs._scatter import NamedPoint, scatter
from w51_agents.agent.interface import AgentError
from w51_lab.benchmark.copies import check_copies
from w51_lab.benchmark.entry import About, BenchmarkEntry, read_entry
from w51_lab.benchmark.leaderboard import MIN_MILLISECONDS, agents_of, name_of, track_tables
from w51_lab.benchmark.places import strength_of
from w51_lab.benchmark.protocol import (
    BEACON,
    BEST_KNOWN,
    EVERY,
    EXACT,
    EXACT_GAMES,
    EXACT_TITLE,
    HELD_OUT_STYLES,
    LIMITS,
    PLAYOUTS,
    QUICK,
    SIZES,
    Track,
)
from w51_lab.benchmark.sizes import mean_milliseconds
from w51_lab.benchmark.whole import check_whole
from w51_lab.report.exports import markdown_table
from w51_lab.report.result_table import Cell, Column, filled_table
from w51_lab.statistics.estimates import over_seeds

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / "benchmarks" / "leaderboard"
PROTOCOL, BOARD, FIGURE = "docs/benchmark.md", "docs/leaderboard.md", "docs/leaderboard.svg"
MINI_GAMES = "docs/experiments/mini_games.md"
FILES = (FIGURE,)
_SHOWN = "warehouse51-4"
_MINI = {"nano": "`nano`, points of win rate", "all-pay": "all-pay auction, % of the equilibrium's payoff"}
_SOLVED = ("all-pay, 3 bidders", "fictitious play")
_TUNING = 100  # the seed with which experiments/mini_games.py chooses settings


def pages() -> dict[str, str]:
    """The protocol with its tables, and the leaderboard."""
    about = [(f"`{name}`", field.description or "") for name, field in About.model_fields.items()]
    tables = {
        PROTOCOL: {
            "tracks": tracks(),
            "about": _tables.table(("key", "meaning"), about),
            "sizes": _limits(LIMITS, " ms", "slower ones"),
            "playouts": _limits(PLAYOUTS, " playouts", "others"),
            "beacon": f"`{BEACON[:12]}`",
            "best": best(),
            "styles": "\n".join(f"- `{name}`" for name in HELD_OUT_STYLES),
        },
        BOARD: {
            "methods": methods(),
            "leaderboard": "\n\n".join(board()),
            "entries": about_table(entries()),
        },
        MINI_GAMES: {"tried": tried()},
    }
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), its_own) for page, its_own in tables.items()}


def _limits(limits: Mapping[str, float], unit: str, others: str) -> str:
    """The sizes with their limits."""
    return ", ".join(
        f"`{size}` up to {limit:g}{unit}" if math.isfinite(limit) else f"`{size}` for {others}"
        for size, limit in limits.items()
    )


@cache
def entries() -> tuple[BenchmarkEntry, ...]:
    """The entries of the repository; AgentError if one is not whole."""
    found = tuple(read_entry(path) for path in sorted(ENTRIES.glob("*.json")))
    for entry in found:
        check_whole(entry)
    return found


def problems() -> list[str]:
    """Entries that are copies of others, or have the name of another one."""
    found, known = [], entries()
    for entry in known:
        if sum(entry.name == other.name for other in known) > 1:
            found.append(f"entry {entry.name!r}: another entry has this name")
        try:
            check_copies(entry, known)
        except AgentError as error:
            found.append(str(error))
    return found


def board() -> Iterator[str]:
    """The section of each track, whose single opponents are shown on demand."""
    for name, section in track_tables(entries()).items():
        tables, _, against = section.rpartition("\n\n")
        folded = f"<details><summary>Against each opponent</summary>\n\n{against}\n\n</details>"
        yield section if name == EXACT else f"{tables}\n\n{folded}"


def methods() -> str:
    """The exact exploitability of what each method has learned, in games of three players; means over trainings."""
    data = _results("mini_games")
    cells = data["cells"]
    rows = [
        (
            name,
            *(
                _over_seeds([cell["gain"] for cell in _trainings(cells, game, name) if cell["seed"] != _TUNING])
                for game in _MINI
            ),
        )
        for name in dict.fromkeys(cell["method"] for cell in cells)
    ]
    nano, auctions = _results("exploitability"), _results("equilibrium")["cells"]
    solved = max(
        (cell for cell in auctions if (cell["auction"], cell["learner"]) == _SOLVED), key=lambda cell: cell["decisions"]
    )
    rows += [
        ("*that know the game*: CFR+, 100 iterations", f"{100 * nano['cfr']:.2f}", ""),
        (
            f"*that know the game*: fictitious play, {solved['decisions']:,}",
            "",
            f"{100 * solved['sampled']['loss']:.2f}",
        ),
        ("*uniform*", f"{100 * nano['uniform']:.1f}", ""),
    ]
    return _tables.table(("method", *_MINI.values()), rows, f"({_tables.measured(data['machine'], cells)})")


def tried() -> str:
    """The settings that were tried of each method, with what a best response gains, and the chosen ones."""
    cells = _results("mini_games")["cells"]
    rows = []
    for name, game in product(dict.fromkeys(cell["method"] for cell in cells), _MINI):
        found = [cell for cell in _trainings(cells, game, name) if cell["seed"] == _TUNING]
        best = min((cell["gain"] for cell in found), default=None)
        texts = [
            f"{', '.join(f'{key} {value:g}' for key, value in cell['settings'].items())}: {100 * cell['gain']:.1f}"
            + " \\*" * (cell["gain"] == best)
            for cell in found
        ]
        rows.append((name, game, "; ".join(texts)))
    return _tables.table(("method", "game", "settings: what a best response gains"), rows)


def _results(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "experiments" / "results" / f"{name}.json").read_text("utf-8"))
    return found


def _trainings(cells: Sequence[dict[str, Any]], game: str, method: str) -> list[dict[str, Any]]:
    return [cell for cell in cells if (cell["game"], cell["method"]) == (game, method)]


def _over_seeds(values: Sequence[float]) -> str:
    """Hundredths: the mean with its interval over trainings."""
    if len(values) < 2:
        return ""
    mean, low, high = over_seeds([100 * value for value in values])
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def about_table(entries: Sequence[BenchmarkEntry]) -> str:
    """What the authors say of their entries, as Markdown; nothing of it can be verified."""
    columns: list[Column[BenchmarkEntry]] = [
        Column("entry", lambda entry: name_of(entry, entry.runs)),
        Column("agent", lambda entry: agents_of(entry.runs)),
        Column("method", lambda entry: Cell(entry.about.method or "not said", link=entry.about.link)),
        Column("seeds", lambda entry: str(len(entry.runs))),
        Column("decisions", lambda entry: "" if entry.about.decisions is None else f"{entry.about.decisions:,}"),
        Column("hours", lambda entry: "" if entry.about.seconds is None else f"{entry.about.seconds / 3600:.1f}"),
        Column("met", lambda entry: ", ".join(entry.about.met)),
        Column("hardware", lambda entry: entry.about.hardware),
        Column("date", lambda entry: entry.date[:10]),
        Column("version, commit", _sources),
    ]
    table = filled_table("What the authors say", entries, columns)
    return markdown_table(table)


def _sources(entry: BenchmarkEntry) -> str:
    """The version of the package, and the first digits of the commit."""
    return f"{entry.versions.get('w51_env')}, {str(entry.versions.get('commit') or '')[:8]}"


def tracks() -> str:
    """A row for each track."""
    rows = [
        (
            f"`{name}`",
            track.title,
            ", ".join(f"`{opponent}`" for opponent in track.settings[0].panel),
            *(_deals(track, size) for size in SIZES),
            str(track.attack_deals or ""),
        )
        for name, track in EVERY.items()
    ]
    rows.append((f"`{EXACT}`", f"{EXACT_TITLE}: {'; '.join(EXACT_GAMES)}", "a best response", *[""] * (len(SIZES) + 1)))
    return _tables.table(("track", "games", "panel", *(f"`{size}`" for size in SIZES), "attacks"), rows)


def best() -> str:
    """The best known rate against each opponent of each track, and how much it is of the heuristic's kin."""
    rows = [
        (f"`{track}`", f"`{opponent}`", f"{rate:.2f}", f"`{who}`", _kinship(track, opponent))
        for track, opponents in BEST_KNOWN.items()
        for opponent, (rate, who) in opponents.items()
    ]
    return _tables.table(("track", "opponent", "best known rate", "of", "correlation"), rows)


def _kinship(track: str, opponent: str) -> str:
    """The correlation over entries of rates against an opponent and against the heuristic; "" of fewer than five.

    Its 95 % interval is that of Fisher's transformation.
    """
    members = {
        run.agent: run.tracks[track].figures.members
        for entry in entries()
        for run in entry.runs
        if track in run.tracks and run.agent not in (opponent, "heuristic", "random")
    }
    rates = [(one[opponent].rate.mean, one["heuristic"].rate.mean) for one in members.values()]
    if len(rates) < 5 or opponent == "heuristic":
        return ""
    found = np.corrcoef(np.array(rates).T)[0, 1]
    low, high = np.tanh(np.arctanh(found) + np.array([-1.96, 1.96]) / (len(rates) - 3) ** 0.5)
    return f"{found:.2f} [{low:.2f}, {high:.2f}]"


def _deals(track: Track, size: str) -> str:
    games, deals = len(track.played(size)), track.num_deals(size)
    return f"{games} x {deals}" if games > 1 else str(deals)


class Point(NamedTuple):
    """An entry in a figure."""

    name: str
    size: str
    milliseconds: float  # of a decision
    strength: float
    low: float
    high: float


def points(entries: Sequence[BenchmarkEntry], track: str) -> list[Point]:
    """Each entry in a track, for a figure."""
    rows = []
    for entry in entries:
        if runs := [run for run in entry.runs if track in run.tracks]:
            strength, time = strength_of(runs, track), max(MIN_MILLISECONDS, mean_milliseconds(runs, track))
            rows.append(Point(entry.name, entry.size, time, strength.mean, strength.low, strength.high))
    return rows


def files() -> dict[str, bytes]:
    """Strength against the time of a decision."""
    shown = sorted(points(entries(), _SHOWN), key=lambda point: -point.strength)
    named = [
        NamedPoint(point.name, point.milliseconds, point.strength, point.low, point.high, point.size == QUICK)
        for point in shown
    ]
    alt = "Strength over the time of a decision, with a point for each entry"
    drawn = scatter(named, "leaderboard", alt, "milliseconds a decision", "strength", line=1)
    return {FIGURE: drawn}
