"""The pages of the benchmark: its tracks, and the leaderboard from benchmarks/leaderboard."""

import io
from pathlib import Path

from docs import _tables
from w51_env.benchmark.entry import About, Entry, read_entry
from w51_env.benchmark.leaderboard import points, track_tables
from w51_env.benchmark.protocol import EVERY, EXACT, EXACT_TITLE

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / "benchmarks" / "leaderboard"
PROTOCOL, BOARD, FIGURE = "docs/benchmark.md", "docs/leaderboard.md", "docs/leaderboard.png"
FILES = (FIGURE,)
_SHOWN = "warehouse51-4"


def pages() -> dict[str, str]:
    """The protocol with its tables, and the leaderboard."""
    about = [(f"`{name}`", field.description or "") for name, field in About.model_fields.items()]
    tables = {
        PROTOCOL: {"tracks": tracks(), "about": _tables.table(("key", "meaning"), about)},
        BOARD: {"leaderboard": "\n\n".join(track_tables(entries()).values())},
    }
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), its_own) for page, its_own in tables.items()}


def entries() -> list[Entry]:
    """The entries of the repository."""
    return [read_entry(path) for path in sorted(ENTRIES.glob("*.json"))]


def tracks() -> str:
    """A row for each track."""
    rows = [
        (
            f"`{name}`",
            track.title,
            ", ".join(f"`{opponent}`" for opponent in track.settings[0].panel),
            f"{len(track.settings)} x {track.deals}" if len(track.settings) > 1 else str(track.deals),
            str(track.quick_deals),
        )
        for name, track in EVERY.items()
    ]
    rows.append((f"`{EXACT}`", EXACT_TITLE, "a best response", "", ""))
    return _tables.table(("track", "games", "panel", "deals", "with `--quick`"), rows)


def files() -> dict[str, bytes]:
    """Strength against the time of a decision."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, milliseconds, strength, low, high in points(entries(), _SHOWN):
        time = max(milliseconds, 0.005)
        axes.errorbar(time, strength, [[strength - low], [high - strength]], fmt="o", capsize=3)
        axes.annotate(name, (time, strength), xytext=(6, 4), textcoords="offset points", fontsize=9)
    axes.axhline(1, color="grey", linewidth=1, linestyle="--")
    axes.margins(x=0.25)
    axes.set(xscale="log", xlabel="milliseconds a decision", ylabel="strength, in equal shares")
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=150)
    return {FIGURE: target.getvalue()}
