"""Strength of search agents by computing time: `python benchmarks/search.py`.

One search agent plays copies of another agent, on the same deals in every seat. Run it pinned to one core, as
`taskset -c 1`: the time of a decision is the processor time of the search agent, so other processes on the core do
not count.
"""

import time
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.progress import Progress
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, headline, machine, wide_console, write_json
from w51_env import make_game
from w51_env.agents import make_agent
from w51_env.agents.agent import BatchAgent
from w51_env.agents.search.search_agent import SearchAgent, make_search
from w51_env.arena.matches import play_matches
from w51_env.report.tables import standings_data

console = wide_console()


class SearchMatch(NamedTuple):
    """One match of the plan."""

    spec: str
    players: int
    games: int
    against: str = "heuristic"
    game: str = "warehouse51_v0"


PLAN = (
    SearchMatch("search:playouts=10", 4, 80),
    SearchMatch("search:playouts=30", 4, 80),
    SearchMatch("search:playouts=100", 4, 80),
    SearchMatch("search:playouts=300", 4, 80),
    SearchMatch("search:playouts=1000", 4, 40),
    SearchMatch("search:playouts=100", 3, 60),
    SearchMatch("search:playouts=300", 3, 45),
    SearchMatch("search:playouts=1000", 3, 21),
    SearchMatch("search:playouts=100", 5, 60),
    SearchMatch("search:playouts=300", 5, 50),
    SearchMatch("search:playouts=1000", 5, 20),
    SearchMatch("search:playouts=100,imputation=uniform", 4, 80),
    SearchMatch("search:method=ismcts,playouts=100", 4, 40),
    SearchMatch("search:playouts=100,prior=pretrained-v1", 4, 80),
    SearchMatch("search:playouts=100", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=100,prior=pretrained-v1", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=300,prior=pretrained-v1", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=100", 3, 60, game="alles_futsch_v0"),
)


class Timed(BatchAgent):
    """A search agent with a count of its decisions and their processor time in seconds."""

    needs_determinizer = True

    def __init__(self, agent: SearchAgent):
        self._agent = agent
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Reset the agent and the counts."""
        self._agent.reset(seed)
        self.decisions = 0
        self.seconds = 0.0

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """The agent's actions; arguments as for `SearchAgent.act_batch`."""
        started = time.process_time()
        actions = self._agent.act_batch(observations, action_masks, infos)
        self.seconds += time.process_time() - started
        self.decisions += len(actions)
        return actions


def main(
    specs: Annotated[
        list[str] | None, typer.Argument(help="Names of search agents. Default: all matches of a fixed plan.")
    ] = None,
    players: Annotated[
        list[int] | None, typer.Option(help="For named agents: numbers of players. Default: 3, 4 and 5.")
    ] = None,
    games: Annotated[int, typer.Option(help="For named agents: games of each match.")] = 60,
    against: Annotated[str, typer.Option(help="For named agents: the agent in all other seats.")] = "heuristic",
    game: Annotated[str, typer.Option(help="For named agents: the game.")] = "warehouse51_v0",
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 0,
    json_file: ResultsFile = RESULTS / "search.json",
) -> None:
    """Play and print the matches; the file is written after each match."""
    plan = (
        PLAN
        if not specs
        else [SearchMatch(spec, number, games, against, game) for spec in specs for number in players or (3, 4, 5)]
    )
    facts = machine()
    console.print(headline(facts), highlight=False)
    lines: list[dict[str, Any]] = []
    for match in plan:
        lines.append(play(match, seed))
        write_json(json_file, facts, [], seed=seed, matches=lines)
    console.print(table(lines))


def play(match: SearchMatch, seed: int) -> dict[str, Any]:
    """Play one match; its results as plain data."""
    game = make_game(match.game, num_players=match.players)
    agent = Timed(make_search(match.spec, game))
    other = make_agent(match.against, game)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{match.spec}, {match.players} players", total=match.games)
        results = play_matches(
            game,
            [(match.spec, agent), (match.against, other)],
            match.games,
            seed,
            lambda finished: progress.advance(task, finished),
        )
    data = standings_data(results)
    line = {
        **match._asdict(),
        "decisions": agent.decisions,
        "seconds_per_decision": agent.seconds / agent.decisions,
        **data,
    }
    searcher = data["agents"][0]
    console.print(
        f"{match.spec}, {match.players} players, against {match.against}: "
        f"{searcher['win_rate']:.1%} ({searcher['low']:.1%} to {searcher['high']:.1%})",
        highlight=False,
    )
    return line


def table(lines: Sequence[dict[str, Any]]) -> Table:
    """Win rate against time."""
    made = Table("search agent", "against", "game", box=SIMPLE_HEAD)
    for column in ("players", "games", "ms", "win rate", "equal share", "points ahead"):
        made.add_column(column, justify="right")
    for line in lines:
        searcher, other = line["agents"]
        made.add_row(
            line["spec"],
            line["against"],
            line["game"],
            str(line["players"]),
            str(line["games"]),
            f"{1000 * line['seconds_per_decision']:.1f}",
            f"{searcher['win_rate']:.0%} ({searcher['low']:.0%} to {searcher['high']:.0%})",
            f"{line['equal_share']:.0%}",
            f"{searcher['mean_score'] - other['mean_score']:.1f}",
        )
    return made


if __name__ == "__main__":
    typer.run(main)
