"""The size of an entry: slow agents play fewer of the deals, as the protocol says for what they are."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.named.composed import is_composed
from w51_agents.named.registry import BOTS, is_path, is_pickled, split_form
from w51_agents.networks.load import SHIPPED
from w51_agents.search.response_settings import is_response, parse_response
from w51_agents.search.search_settings import is_search
from w51_agents.search.search_settings import parse_settings as search_settings
from w51_agents.system.files import read_text, write_text
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry
from w51_lab.benchmark.matches import plan_of
from w51_lab.benchmark.protocol import (
    CHEAPEST,
    EVERY,
    EXACT,
    FULL,
    PARTS,
    PLAYOUTS,
    QUICK,
    SIZES,
    size_for,
)

_FILE, _MAX_BYTES = "size.txt", 100
_TOLERANCE = 2.0  # other machines, other batches


def check_chosen(size: str | None, agents: Sequence[str]) -> None:
    """AgentError unless an author may choose this size: a quick one, or any if all agents are language models."""
    allowed = [*PARTS, QUICK] if all(map(is_llm, agents)) else [QUICK]
    if size not in (None, *allowed):
        why = "" if len(allowed) > 1 else "; any other size follows from what an agent is, but for language models"
        raise AgentError(f"--size: {size!r}, but allowed is {' or '.join(allowed)}{why}")


def size_in(folder: Path, chosen: str | None, played: Mapping[str, Sequence[str]], *, trust: bool) -> str:
    """The size of the entry whose games are in a folder: kept there, or chosen now.

    Args:
        folder: The folder.
        chosen: The size for which the author asks; None: what follows from the agents.
        played: The tracks that each agent plays. The agent that plays the fewest deals decides.
        trust: Load pickled models.

    Raises:
        AgentError: The folder has games of another size.
    """
    path, quick = folder / _FILE, chosen == QUICK
    if path.exists():
        try:
            size = read_text(path, _MAX_BYTES).strip()
        except (OSError, ValueError) as error:
            raise AgentError(f"benchmark {path}: cannot be read: {error}") from None
        if size not in SIZES or quick != (size == QUICK) or (chosen or size) != size:
            with_it = "without --quick" if chosen is None else f"with {'--quick' if quick else f'--size {chosen}'}"
            raise AgentError(f"benchmark {folder}: has games of size {size!r}; {with_it} give another --folder")
        return size
    size = chosen or size_of_all(played, trust=trust)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(size + "\n", path)
    return size


def size_of_all(played: Mapping[str, Sequence[str]], *, trust: bool) -> str:
    """The size of an entry of these agents, each in its tracks."""
    return _smallest([size_of(agent, names, trust) for agent, names in played.items()])


def _smallest(sizes: Sequence[str]) -> str:
    """The size of an entry whose agents have these sizes."""
    return max(sizes, key=PARTS.__getitem__)


def size_of(agent: str, names: Sequence[str], trust: bool) -> str:
    """The size that an agent has in these tracks; that of code of others is measured."""
    return _size_by_kind(agent) or size_for(milliseconds_of(agent, names, trust))


def _size_by_kind(agent: str) -> str | None:
    """The size that follows from what an agent is; None for code of others.

    That of language models is the least; bots and networks, and what is made of them, play as fast as the engine.
    """
    if is_llm(agent):
        return CHEAPEST
    if is_search(agent):
        return size_for(search_settings(agent).playouts or math.inf, PLAYOUTS)
    if is_response(agent):
        return size_for(parse_response(agent)[1].playouts, PLAYOUTS)
    is_network = split_form(agent)[0] in SHIPPED or is_path(agent) or is_pickled(agent)
    return FULL if agent in BOTS or is_composed(agent) or is_network else None


def milliseconds_of(agent: str, names: Sequence[str], trust: bool) -> float:
    """Mean processor time of a decision, in milliseconds, over a block of games among random players.

    That of the slowest of these tracks, or of the first one in which the agent is so slow that no other one matters; 0
    for agents that play mini games only.
    """
    slowest = 0.0
    for name in names:
        if name != EXACT and PARTS[size_for(slowest)] < max(PARTS.values()):
            slowest = max(slowest, _milliseconds_in(name, agent, trust))
    return slowest


def _milliseconds_in(track: str, agent: str, trust: bool) -> float:
    plan = plan_of(agent, "random", EVERY[track].played(FULL)[0], EVERY[track].num_deals(FULL), trust=trust)
    executor = InProcessExecutor(plan)
    try:
        [block] = executor.results([plan.blocks[0]])
    finally:
        executor.close()
    return 1000 * (block.statistics[0].facts.processor_seconds_per_decision or 0.0)


def check_size(entry: BenchmarkEntry) -> None:
    """AgentError if the agents of an entry should have played more deals."""
    if entry.size not in PARTS:
        return
    time = max((mean_milliseconds(entry.runs, track) for run in entry.runs for track in run.tracks), default=0.0)
    by_time = size_for(_TOLERANCE * time)
    known = [_size_by_kind(run.agent) or by_time for run in entry.runs]
    largest = _smallest(known)
    if PARTS[entry.size] > PARTS[largest]:
        raise AgentError(
            f"entry {entry.name!r}: size {entry.size!r}, but with {time:.3g} ms a decision it has the size {largest!r}"
        )


def mean_milliseconds(runs: Sequence[AgentRun], track: str) -> float:
    """Mean time of a decision of these agents in a track."""
    settings = [played for run in runs if track in run.tracks for played in run.tracks[track].settings]
    matches = [match for played in settings for match in played.matches]
    return sum(one.milliseconds * one.decisions for one in matches) / max(1, sum(one.decisions for one in matches))
