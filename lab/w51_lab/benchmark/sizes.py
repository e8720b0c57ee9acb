"""The size of an entry: slow agents play fewer of the deals, as the protocol says for their time a decision."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.system.files import read_text, write_atomic
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry
from w51_lab.benchmark.play import plan_of
from w51_lab.benchmark.protocol import EVERY, EXACT, FULL, MIN_DEALS, PARTS, QUICK, SIZES, size_for

_FILE, _MAX_BYTES = "size.txt", 100
_TOLERANCE = 2.0  # other machines, other batches


def size_in(folder: Path, quick: bool, played: Mapping[str, Sequence[str]], *, trust: bool) -> str:
    """The size of the entry whose games are in a folder: kept there, or chosen now.

    Args:
        folder: The folder.
        quick: Whether the author asks for a quick entry.
        played: The tracks that each agent plays. The slowest agent decides.
        trust: Load pickled models.

    Raises:
        AgentError: The folder has games of another size.
    """
    path = folder / _FILE
    if path.exists():
        try:
            size = read_text(path, _MAX_BYTES).strip()
        except (OSError, ValueError) as error:
            raise AgentError(f"benchmark {path}: cannot be read: {error}") from None
        if size not in SIZES or quick != (size == QUICK):
            with_it = "with" if quick else "without"
            raise AgentError(f"benchmark {folder}: has games of size {size!r}; {with_it} --quick give another --folder")
        return size
    size = (
        QUICK
        if quick
        else size_for(max(milliseconds_of(agent, names, trust) for agent, names in played.items()), len(played))
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(path, lambda place: place.write_text(size + "\n", "utf-8"))
    return size


def milliseconds_of(agent: str, names: Sequence[str], trust: bool) -> float:
    """Mean processor time of a decision, in milliseconds, in the slowest of these tracks: a deal among random players.

    0 for language models, whose track is small, and for agents that play mini games only.
    """
    tracks = [] if is_llm(agent) else [name for name in names if name != EXACT]
    return max((_milliseconds_in(name, agent, trust) for name in tracks), default=0.0)


def _milliseconds_in(track: str, agent: str, trust: bool) -> float:
    plan = plan_of(agent, "random", EVERY[track].played(FULL)[0], MIN_DEALS, trust=trust)
    executor = InProcessExecutor(plan)
    try:
        _, block = executor.results([plan.blocks[0]] * 2)  # the first time, it may compile
    finally:
        executor.close()
    return 1000 * (block.statistics[0].facts["processor_seconds_per_decision"] or 0.0)


def check_size(entry: BenchmarkEntry) -> None:
    """AgentError if the agents of an entry are so fast that they should have played more deals."""
    time = max((mean_milliseconds(entry.runs, track) for run in entry.runs for track in run.tracks), default=0.0)
    largest = size_for(_TOLERANCE * time, len(entry.runs))
    if entry.size in PARTS and PARTS[entry.size] > PARTS[largest]:
        raise AgentError(
            f"entry {entry.name!r}: size {entry.size!r}, but with {time:.3g} ms a decision it has the size {largest!r}"
        )


def mean_milliseconds(runs: Sequence[AgentRun], track: str) -> float:
    """Mean time of a decision of these agents in a track."""
    settings = [played for run in runs if track in run.tracks for played in run.tracks[track].settings]
    matches = [match for played in settings for match in played.matches]
    return sum(one.milliseconds * one.decisions for one in matches) / max(1, sum(one.decisions for one in matches))
