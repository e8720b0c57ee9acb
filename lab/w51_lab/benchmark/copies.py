"""Whether an entry is the work that it says: it is no copy of another one."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.named.composed import is_composed, parts_of
from w51_agents.named.files import files_of
from w51_agents.named.registry import BOTS, is_class, split_form
from w51_agents.networks.load import SHIPPED, shipped_path
from w51_agents.search.search_settings import is_champion, is_search
from w51_env import make_game
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry
from w51_lab.benchmark.protocol import TRACKS
from w51_lab.benchmark.track_figures import unpacked

MAX_EQUAL = 0.5  # of the deals of a track; of two agents that differ, at most an eighth of a match was found equal
_RANDOM, _HEURISTIC = BOTS
_WORD = re.compile(r"[\w-]+")


def check_copies(entry: BenchmarkEntry, others: Sequence[BenchmarkEntry]) -> None:
    """AgentError if an agent of an entry is that of another seed, of another entry or of this package.

    An agent that reads the files of another one, such as a search with its network, is no copy, but the name of its
    entry says so: all words of the name of the other one are in its own.

    Args:
        entry: The entry.
        others: Entries with which it is compared; it is no copy of itself.
    """
    shipped = _shipped()
    for number, run in enumerate(entry.runs):
        for before in entry.runs[:number]:
            if _is_same(run, before) or _equal(run, before) > MAX_EQUAL:
                raise AgentError(
                    f"entry {entry.name!r}: {before.agent} and {run.agent} are one agent, but each seed needs its own"
                )
        for name, digests in shipped.items():
            if digests & _files(run) and not _has_words(entry.name, name):
                raise AgentError(_without_name(entry, run, name))
        for other in others:
            for its_run in other.runs if other != entry else ():
                _compare(entry, run, other, its_run)


def _compare(entry: BenchmarkEntry, run: AgentRun, other: BenchmarkEntry, its_run: AgentRun) -> None:
    if _is_same(run, its_run):
        name = other.name
        if run.agent != its_run.agent and split_form(its_run.agent)[1] is not None:
            name = name.partition(":")[0]  # of `pretrained:greedy` the agent without its form
        if _has_words(entry.name, name) or _is_origin(entry, run, other, its_run):
            return
        raise AgentError(_without_name(entry, run, name))
    if (equal := _equal(run, its_run)) > MAX_EQUAL:
        raise AgentError(
            f"entry {entry.name!r}: a copy: {equal:.0%} of the deals of {run.agent} end as those of {other.name!r}"
        )


def _without_name(entry: BenchmarkEntry, run: AgentRun, name: str) -> str:
    return f"entry {entry.name!r}: {run.agent} is {name} or reads its files; its name must contain {name!r}"


def _has_words(name: str, other: str) -> bool:
    """Whether all words of the other name are in this one, as those of `pretrained` in `pretrained:greedy`."""
    words, others = (set(_WORD.findall(text.lower())) for text in (name, other))
    return bool(others) and others <= words


def _is_origin(entry: BenchmarkEntry, run: AgentRun, other: BenchmarkEntry, its_run: AgentRun) -> bool:
    """Whether the other agent reads the files of this one and more, and its entry says so."""
    files = _files(run)
    return bool(files) and files < _files(its_run) and _has_words(other.name, entry.name)


def is_of_package(agent: str) -> bool:
    """Whether this is the name of an agent of this package, which is the same everywhere."""
    if is_composed(agent):
        return all(map(is_of_package, parts_of(agent)))
    return is_search(agent) or is_champion(agent) or split_form(agent)[0] in (*BOTS, *SHIPPED)


def _is_same(run: AgentRun, other: AgentRun) -> bool:
    """Whether two agents are one by their files, or by their names if they have no files."""
    files, others = _files(run), _files(other)
    if not files or not others:
        return files == others and run.agent == other.agent
    one, two = (name.partition(":")[2] if is_class(name) else "" for name in (run.agent, other.agent))
    return one == two and (files <= others or others <= files)


def _files(run: AgentRun) -> set[str]:
    """The digests of the files that an agent read in any match."""
    matches = (match for track in run.tracks.values() for played in track.settings for match in played.matches)
    return {digest for match in matches for digest in match.files.get(run.agent, ())}


def _shipped() -> dict[str, set[str]]:
    """The digests of the files of each network that comes with this package."""
    games = [make_game(name) for name in sorted({one.game for track in TRACKS.values() for one in track.settings})]
    return {
        name: {file.sha256 for game in games if shipped_path(game, name).exists() for file in files_of(name, game)}
        for name in SHIPPED
    }


def _equal(run: AgentRun, other: AgentRun) -> float:
    """In the track where it is most: the part of the deals and line-ups of both in which wins and points are equal."""
    rates = [0.0]
    for track in run.tracks.keys() & other.tracks.keys():
        equal = [(one == two).all(axis=2).ravel() for one, two in _cells(track, run, other)]
        rates.append(float(np.concatenate(equal).mean()))
    return max(rates)


def _cells(track: str, run: AgentRun, other: AgentRun) -> Iterator[list[np.ndarray]]:
    """The cells of both in each match of a track, of the deals that both have."""
    for played, its_played in zip(run.tracks[track].settings, other.tracks[track].settings, strict=False):
        for pair in zip(played.matches, its_played.matches, strict=True):
            counts = [match.deals.count for match in pair]
            yield [
                unpacked(match.cells, played.players - 1, count)[:, : min(counts)]
                for match, count in zip(pair, counts, strict=True)
            ]
