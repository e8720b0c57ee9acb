"""The pages of the benchmark: its tracks, and the leaderboard from benchmarks/leaderboard."""

import io
import math
from pathlib import Path

from docs import _tables
from w51_env.benchmark.entry import About, BenchmarkEntry, read_entry
from w51_env.benchmark.leaderboard import about_table, points, track_tables
from w51_env.benchmark.protocol import (
    EVERY,
    EXACT,
    EXACT_GAMES,
    EXACT_TITLE,
    HELD_OUT_STYLES,
    LIMITS,
    QUICK,
    SIZES,
    Track,
)

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / "benchmarks" / "leaderboard"
PROTOCOL, BOARD, FIGURE = "docs/benchmark.md", "docs/leaderboard.md", "docs/leaderboard.png"
FILES = (FIGURE,)
_SHOWN = "warehouse51-4"
_LINE, _NAME_WIDTH = 11, 100  #  of the names in the figure, points


def pages() -> dict[str, str]:
    """The protocol with its tables, and the leaderboard."""
    about = [(f"`{name}`", field.description or "") for name, field in About.model_fields.items()]
    tables = {
        PROTOCOL: {
            "tracks": tracks(),
            "about": _tables.table(("key", "meaning"), about),
            "sizes": ", ".join(
                f"`{size}` up to {limit:g} ms" if math.isfinite(limit) else f"`{size}` for slower ones"
                for size, limit in LIMITS.items()
            ),
            "styles": " and ".join(f"`{name}`" for name in HELD_OUT_STYLES),
        },
        BOARD: {
            "leaderboard": "\n\n".join(track_tables(entries(), folded=True).values()),
            "entries": about_table(entries()),
        },
    }
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), its_own) for page, its_own in tables.items()}


def entries() -> list[BenchmarkEntry]:
    """The entries of the repository."""
    return [read_entry(path) for path in sorted(ENTRIES.glob("*.json"))]


def tracks() -> str:
    """A row for each track."""
    rows = [
        (
            f"`{name}`",
            track.title,
            ", ".join(f"`{opponent}`" for opponent in track.settings[0].panel),
            *(_deals(track, size) for size in SIZES),
        )
        for name, track in EVERY.items()
    ]
    rows.append((f"`{EXACT}`", f"{EXACT_TITLE}: {'; '.join(EXACT_GAMES)}", "a best response", *[""] * len(SIZES)))
    return _tables.table(("track", "games", "panel", *(f"`{size}`" for size in SIZES)), rows)


def _deals(track: Track, size: str) -> str:
    games, deals = len(track.played(size)), track.num_deals(size)
    return f"{games} x {deals}" if games > 1 else str(deals)


def files() -> dict[str, bytes]:
    """Strength against the time of a decision."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    shown = sorted(points(entries(), _SHOWN), key=lambda point: -point.strength)
    for point in shown:
        errors = [[point.strength - point.low], [point.high - point.strength]]
        face = "white" if point.size == QUICK else None
        axes.errorbar(point.milliseconds, point.strength, errors, fmt="o", markerfacecolor=face, capsize=3)
    axes.axhline(1, color="grey", linewidth=1, linestyle="--")
    axes.set_xscale("log")
    times = [point.milliseconds for point in shown]
    axes.set_xlim(min(times) / 2, 20 * max(times))  # room for the names
    axes.set(xlabel="milliseconds a decision", ylabel="strength, in equal shares")
    figure.draw_without_rendering()  # settles the layout, and with it where the points are
    names: list[tuple[float, float]] = []
    for point in shown:
        x, y = axes.transData.transform((point.milliseconds, point.strength)) * 72 / figure.dpi
        offset = 4.0
        while any(abs(x - left) < _NAME_WIDTH and abs(y + offset - above) < _LINE for left, above in names):
            offset -= 1  # below the names that are near
        names.append((x, y + offset))
        axes.annotate(point.name, (point.milliseconds, point.strength), (8, offset), textcoords="offset points", size=9)
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=150)
    return {FIGURE: target.getvalue()}
