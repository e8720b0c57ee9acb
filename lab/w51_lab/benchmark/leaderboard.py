"""Entries as tables: Markdown for each track of the leaderboard; CSV and LaTeX for papers."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from w51_agents.system.files import csv_table, write_text
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry
from w51_lab.benchmark.matches import against
from w51_lab.benchmark.places import interval_of, places_of, strength_of
from w51_lab.benchmark.protocol import (
    ATTACKER,
    BEST_KNOWN,
    EVERY,
    EXACT,
    EXACT_GAMES,
    EXACT_TITLE,
    HELD_OUT_STYLES,
    LANGUAGE,
    PROTOCOL,
    QUICK,
)
from w51_lab.benchmark.sizes import mean_milliseconds
from w51_lab.benchmark.track_figures import Against, Figure, MemberFigures, TrackFigures, unpacked, win_rate
from w51_lab.report.exports import CSV, LATEX, latex_table, markdown_table
from w51_lab.report.result_table import Column, Item, filled_table

MAX_FORFEITS = 0.01  # in any match of an entry that has a place: what is drawn at random is not the agent's
MIN_MILLISECONDS = 0.01  # bots decide within the engine
_HELPED = {True: "yes", False: "no", None: "not said"}
_CSV = ("track", "agent", "size", "seeds", "opponent", "figure", "mean", "low", "high")
_PANEL = "panel"
_ExactRow = tuple[float, tuple[str, ...]]  # points in the first mini game, and the cells


class Line(NamedTuple):
    """The agents of an entry in a track, and the place of the entry."""

    entry: BenchmarkEntry
    runs: Sequence[AgentRun]
    track: str
    place: str = ""

    @property
    def figures(self) -> list[TrackFigures]:
        """The figures of each agent."""
        return [run.tracks[self.track].figures for run in self.runs]

    def matches(self, run: AgentRun) -> list[Against]:
        """The games of one of the agents with each opponent."""
        return against(run.agent, self.track, run.tracks[self.track].settings)


def lines_of(entries: Sequence[BenchmarkEntry], track: str) -> list[Line]:
    """The entries in a track: the strongest is first; those without a place follow."""
    runs_of = [(entry, [run for run in entry.runs if track in run.tracks]) for entry in entries]
    lines = [Line(entry, runs, track) for entry, runs in runs_of if runs]
    lines.sort(key=lambda line: (why_unplaced(line), -strength_of(line.runs, track).mean))
    places = places_of([[line.matches(run) for run in line.runs] for line in lines if not why_unplaced(line)])
    places += [why_unplaced(line) for line in lines[len(places) :]]
    return [line._replace(place=place) for line, place in zip(lines, places, strict=True)]


def why_unplaced(line: Line) -> str:
    """Why an entry has no place in a track; empty if it has one."""
    return "forfeits" if forfeits_of(line) > MAX_FORFEITS else "quick" if line.entry.size == QUICK else ""


def forfeits_of(line: Line) -> float:
    """The part of the decisions of the agents that were drawn at random, in the match where it is most."""
    tracks = [run.tracks[line.track] for run in line.runs]
    matches = [match for track in tracks for played in track.settings for match in played.matches]
    return max(match.forfeits for match in [*matches, *(match for track in tracks for match in track.attacks)])


def track_tables(entries: Sequence[BenchmarkEntry]) -> dict[str, str]:
    """A Markdown section for each track that an entry has, with the single opponents last, and one for mini games."""
    sections = {}
    for name, track in EVERY.items():
        if lines := lines_of(entries, name):
            columns = [*_NAMES, *_MEASURED, _HELP, *(_USAGE if name == LANGUAGE else ())]
            opponents = [(line, opponent) for line in lines for opponent in line.figures[0].members]
            tables = (filled_table(track.title, lines, columns), filled_table(track.title, opponents, _AGAINST))
            sections[name] = "\n\n".join([f"## {track.title}", *map(markdown_table, tables)])
    if known := sorted(row for entry in entries for run in entry.runs if (row := _exact_row(entry, run)) is not None):
        exact: list[Column[_ExactRow]] = _columns(lambda row: row[1], ("entry", *EXACT_GAMES))
        table = markdown_table(filled_table(EXACT_TITLE, known, exact))
        sections[EXACT] = f"## {EXACT_TITLE}\n\n{table}"
    return sections


def _exact_row(entry: BenchmarkEntry, run: AgentRun) -> _ExactRow | None:
    """The points of an agent in the first mini game, and its row; None if they are not known."""
    points = [run.exact[name].points if name in run.exact else None for name in EXACT_GAMES]
    if points[0] is None:
        return None
    name = entry.name if len(entry.runs) == 1 else f"{entry.name}, {run.agent}"
    return points[0], (name, *("" if one is None else f"{one:.2f}" for one in points))


def name_of(entry: BenchmarkEntry, runs: Sequence[AgentRun]) -> str:
    """The name of an entry, with the number of its seeds."""
    return entry.name + (f" ({len(runs)} seeds)" if len(runs) > 1 else "") + (" (quick)" if entry.size == QUICK else "")


def agents_of(runs: Sequence[AgentRun]) -> str:
    """The names of the agents themselves, which the author does not choose; of several seeds the first."""
    return runs[0].agent + (f" and {len(runs) - 1} more" if len(runs) > 1 else "")


def _deals(line: Line) -> str:
    """Number of deals of each game."""
    settings = line.runs[0].tracks[line.track].settings
    count = settings[0].matches[0].deals.count
    return str(count) if len(settings) == 1 else f"{len(settings)} x {count}"


def _held_out(line: Line) -> str:
    """Strength among the styles that are held out; without a claim if the entry met one of them in training."""
    panel = line.figures[0].members
    if met := [name for name in line.entry.about.met if name in HELD_OUT_STYLES and name in panel]:
        return f"met {', '.join(met)}"
    return _known([one.held_out for one in line.figures])


def exploited_by(line: Line) -> tuple[str, Figure] | None:
    """The attacker that wins most, and its win rate alone among copies; None without attacks."""
    players = line.runs[0].tracks[line.track].settings[0].players
    by_attacker: dict[str, list[Figure]] = {}
    for run in line.runs:
        for match in run.tracks[line.track].attacks:
            name = "its own policy" if match.opponent == ATTACKER.format(run.agent) else match.opponent
            cells = unpacked(match.cells, 1, match.deals.count)
            by_attacker.setdefault(name, []).append(win_rate(cells, players))
    found = {name: interval_of(rates) for name, rates in by_attacker.items()}
    return max(found.items(), key=lambda item: item[1].mean) if found else None


def _exploited(line: Line) -> str:
    if (found := exploited_by(line)) is None:
        return ""
    name, rate = found
    return f"{rate.mean:.0%} [{rate.low:.0%}, {rate.high:.0%}], {name}"


def _known(values: Sequence[Figure | None]) -> str:
    """A figure of several agents; empty if one does not have it."""
    found = [value for value in values if value is not None]
    return _text(interval_of(found)) if len(found) == len(values) else ""


def _weakest(line: Line) -> str:
    """The opponent against which the agents are weakest, and their standing."""
    own = {match.opponent for run in line.runs for match in line.matches(run) if match.is_own}
    members = [one.members for one in line.figures]
    means = {name: mean(one[name].standing.mean for one in members) for name in members[0]}
    weakest = min([name for name in means if name not in own] or means, key=lambda name: means[name])
    return f"{weakest}: {means[weakest]:.2f}"


def _milliseconds(line: Line) -> str:
    milliseconds = mean_milliseconds(line.runs, line.track)
    return f"{milliseconds:.2g}" if milliseconds >= MIN_MILLISECONDS else f"< {MIN_MILLISECONDS}"


def _usage(line: Line) -> tuple[str, ...]:
    """Model and prompts, questions, tokens, cost, and the fraction of answers that were invalid."""
    matches = [match for run in line.runs for played in run.tracks[line.track].settings for match in played.matches]
    used = Counter(dict.fromkeys(("questions", "cost", "input_tokens", "output_tokens"), 0.0))
    for match in matches:
        used.update(match.usage)
    decisions = sum(one.decisions for one in matches)
    forfeited = sum(one.forfeits * one.decisions for one in matches)
    invalid = max(0.0, used["questions"] - (decisions - forfeited))  # each decision that was made has one valid answer
    models = dict.fromkeys(f"{one.model['model']}, {one.model['prompts']}" for one in matches if one.model)
    return (
        "; ".join(models),
        f"{used['questions']:,.0f}",
        f"{used['input_tokens'] + used['output_tokens']:,.0f}",
        f"{used['cost']:.2f}",
        f"{invalid / max(1, used['questions']):.1%}",
    )


def _columns(cells: Callable[[Item], Sequence[str]], titles: Sequence[str]) -> list[Column[Item]]:
    """The columns of a function that makes the cells of all of them."""

    def column(index: int, title: str) -> Column[Item]:
        return Column(title, lambda row: cells(row)[index])

    return [column(index, title) for index, title in enumerate(titles)]


_Against = tuple[Line, str]  # and an opponent


def _against(title: str, figure_of: Callable[[MemberFigures], Figure]) -> Column[_Against]:
    """A figure of the agents of a line and an opponent."""

    def cell(row: _Against) -> str:
        line, opponent = row
        return _text(interval_of([figure_of(one.members[opponent]) for one in line.figures]))

    return Column(title, cell)


def _text(value: Figure) -> str:
    return f"{value.mean:.2f} [{value.low:.2f}, {value.high:.2f}]"


_NAMES: tuple[Column[Line], ...] = (
    Column("place", lambda line: line.place),
    Column("entry", lambda line: name_of(line.entry, line.runs)),
    Column("agent", lambda line: agents_of(line.runs)),
)
_MEASURED: tuple[Column[Line], ...] = (
    Column("strength", lambda line: _text(strength_of(line.runs, line.track))),
    Column("deals", _deals),
    Column("held-out styles", _held_out),
    Column("weakest against", _weakest),
    Column("exploited by", _exploited),
    Column("ms a decision", _milliseconds),
    Column("forfeits", lambda line: f"{forfeits_of(line):.1%}"),
)
_HELP: Column[Line] = Column("heuristic's help", lambda line: _HELPED[line.entry.about.uses_heuristic])
_USAGE = _columns(_usage, ("model, prompts", "questions", "tokens", "cost", "invalid answers"))
_AGAINST: tuple[Column[_Against], ...] = (
    Column("entry", lambda row: name_of(row[0].entry, row[0].runs)),
    Column("against", lambda row: row[1]),
    _against("alone", lambda of: of.alone),
    _against("reverse", lambda of: of.reverse),
    _against("rate", lambda of: of.rate),
    Column("best known", lambda row: _best(*row)),
    _against("margin", lambda of: of.margin),
)


def _best(line: Line, opponent: str) -> str:
    """The unit of a standing, and who has it."""
    rate, who = BEST_KNOWN.get(line.track, {}).get(opponent, (1.0, ""))
    return f"{rate:.2f}, {who}"


def write_entry_table(entry: BenchmarkEntry, path: Path) -> None:
    """Write the figures in the form that the suffix of the file names, as `report.exports.check_table` allows.

    A CSV file has a row for each figure and opponent; `panel` stands for all opponents together. LaTeX has a row for
    each track, Markdown the tables of the leaderboard.
    """
    lines = [line for track in EVERY for line in lines_of([entry], track)]
    if path.suffix == CSV:
        text = csv_table(_CSV, (row for line in lines for row in _figures(line)))
    elif path.suffix == LATEX:
        quick = " Quick: few deals, wide intervals." if entry.size == QUICK else ""
        note = f"{entry.name} in {PROTOCOL}, in parts of the best known, with 95% intervals.{quick}"
        title: Column[Line] = Column("track", lambda line: EVERY[line.track].title)
        text = latex_table(filled_table(entry.name, lines, (title, *_MEASURED), note))
    else:
        text = "\n\n".join(track_tables([entry]).values()) + "\n"
    write_text(text, path)


def _figures(line: Line) -> Iterator[tuple[object, ...]]:
    """The rows of a CSV file."""
    start, figures = (line.track, line.entry.name, line.entry.size, len(line.runs)), line.figures
    yield (*start, _PANEL, "forfeits", *3 * (forfeits_of(line),))
    of_panel: dict[str, Sequence[Figure | None]] = {
        "strength": [one.strength for one in figures],
        "held_out": [one.held_out for one in figures],
    }
    for which, values in of_panel.items():
        if found := [value for value in values if value is not None]:
            yield (*start, _PANEL, which, *_ends(interval_of(found)))
    for opponent in figures[0].members:
        for which in dict(figures[0].members[opponent]):
            of_members = [getattr(one.members[opponent], which) for one in figures]
            yield (*start, opponent, which, *_ends(interval_of(of_members)))


def _ends(figure: Figure) -> tuple[float, float, float]:
    return figure.mean, figure.low, figure.high
