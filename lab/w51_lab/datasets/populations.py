"""Behaviour tables of populations of agents as a data set to cite: with codebook, digests, licence, how it was made."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from w51_agents.console.settings import to_yaml
from w51_agents.named.versions import Versions, versions
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import write_json, write_text
from w51_env import __version__, make_game
from w51_env.engine.errors import FileError, OptionError
from w51_env.engine.options import OptionValues
from w51_lab.arena.deals import DealFacts
from w51_lab.arena.plan import Plan
from w51_lab.arena.seatings import PERMUTATIONS, ROTATIONS
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour import schemas
from w51_lab.behaviour.writing import write_tables
from w51_lab.statistics.records import Record

LICENCE = "MIT"
SUMS, CARD, FACTS = "SHA256SUMS", "README.md", "dataset.json"
POPULATIONS = {  # the agents of each; of two agents the first is alone among copies of the second
    "heuristic": ("heuristic",),
    "pretrained-v2": ("pretrained-v2",),
    "pretrained-v2_among_heuristics": ("pretrained-v2", "heuristic"),
    "heuristic_among_random": ("heuristic", "random"),
}
_CARD = """\
---
{header}---

# {title}

{games:,} games of `{game}` as behaviour tables: what each seat bid, paid, won and held. The deals of all populations
begin alike (seed {seed}): deal 7 has the same cards in each. In a population of two agents the first has one seat in
each game, and every seat of each deal; copies of the second have the others.

| folder | agents | games | digest of the deals |
| --- | --- | --: | --- |
{rows}

Each folder has a Parquet file for each table. `codebook.csv` describes each column of each table: type, unit, meaning,
texts; the metadata of the files do, too. `deal`, `lineup` and `game` name a game; the games of a deal have the same
cards, so take means by `deal` before you compute an interval.

Made by w51_env {version}:

    {command}

The same command with the same versions (`dataset.json`) makes the same tables on the same kind of processor. Check them
with `sha256sum -c {sums}`.

Licence: {licence}. To cite: w51_env contributors, *{title}*, w51_env {version}, seed {seed}, and the
SHA-256 of `{sums}`.
"""


class Population(Record):
    """What was played of one population."""

    agents: list[str]
    games: int
    deals: DealFacts


class DataSetFacts(Record):
    """How the data set was made, as `dataset.json` has it; the populations by name."""

    game: str
    options: OptionValues
    seed: int | None
    games: int
    licence: str
    command: str
    versions: Versions
    populations: dict[str, Population]


def plans_of(game_id: str, options: OptionValues, games: int, seed: int) -> dict[str, Plan]:
    """The tournament of each population, with an equal part of the games and deals that begin alike; by its name.

    Copies of one agent play each deal once, as their seats are all alike. In a game without the bot `heuristic` each
    bot plays among its copies.
    """
    bots = make_game(game_id, **options).bots
    populations = POPULATIONS if "heuristic" in bots else {bot: (bot,) for bot in bots}
    each = games // len(populations)
    if each < 2:
        raise OptionError(f"games: {games}, but at least {2 * len(populations)} are needed: 2 of each population")
    return {
        name: Plan(
            TournamentSpec(
                game=game_id,
                options=dict(options),
                agents=agents,
                games=each,
                seatings=PERMUTATIONS if len(agents) == 1 else ROTATIONS,
                seed=seed,
                behaviour=True,
            )
        )
        for name, agents in populations.items()
    }


def write_populations(
    plans: dict[str, Plan], results: dict[str, TournamentResult], command: str, folder: Path
) -> list[Path]:
    """Write the data set into a folder; the paths, `SHA256SUMS` of the tables last: with it the data set is whole.

    Args:
        plans: The tournament of each population, by its name.
        results: Its games.
        command: The command line that makes the data set.
        folder: The folder; it is created if there is none.

    Raises:
        FileError: A file cannot be written.
        MissingPackageError: pyarrow is missing.
    """
    paths, folder = [], folder.resolve()
    for name, plan in plans.items():
        parts = results[name].behaviour
        paths += write_tables(plan.game, plan.names, schemas(plan.game), parts, folder / name, with_csv=False)
    with report_os_errors(f"data set {folder}: cannot be written"):
        sums = "".join(f"{digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in sorted(paths))
        facts = _facts(plans, results, command)
        paths += [write_json(facts, folder / FACTS), write_text(_card(facts, paths), folder / CARD)]
        return [*paths, write_text(sums, folder / SUMS)]


def check_new(folder: Path) -> None:
    """FileError if the folder has a data set already."""
    if (folder / SUMS).exists():
        raise FileError(f"data set {folder}: is complete already; check it with: sha256sum -c {SUMS}")


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _facts(plans: dict[str, Plan], results: dict[str, TournamentResult], command: str) -> DataSetFacts:
    first = next(iter(plans.values()))
    return DataSetFacts(
        game=first.game.id,
        options=dict(first.game.options),
        seed=first.spec.seed,
        games=sum(len(result.games.seats) for result in results.values()),
        licence=LICENCE,
        command=command,
        versions=versions(),
        populations={
            name: Population(agents=list(plan.names), games=len(results[name].games.seats), deals=plan.deal_facts)
            for name, plan in plans.items()
        },
    )


def _card(facts: DataSetFacts, paths: Sequence[Path]) -> str:
    """The page of the data set, with the header that hubs of data sets read, and show one of the tables by."""
    title = f"Behaviour of populations in {facts.game}"
    written = {path.name for path in paths}
    shown = next((name for name in ("stakes.parquet", "bids.parquet") if name in written), "seats.parquet")
    configs = [{"config_name": name, "data_files": f"{name}/{shown}"} for name in facts.populations]
    header = to_yaml({"license": LICENCE.lower(), "pretty_name": title, "configs": configs})
    rows = [
        f"| `{name}/` | {_agents(one.agents)} | {one.games:,} | `{one.deals.digest[:16]}` |"
        for name, one in facts.populations.items()
    ]
    texts = {"header": header, "title": title, "rows": "\n".join(rows), "sums": SUMS}
    return _CARD.format(**{**dict(facts), **texts, "version": __version__})


def _agents(names: Sequence[str]) -> str:
    return f"copies of {names[0]}" if len(names) == 1 else f"{names[0]} among copies of {names[1]}"
