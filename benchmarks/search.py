"""Strength of search agents by computing time: `python benchmarks/search.py`.

One search agent, response or champion plays copies of another agent, on the same deals in every seat. Run it pinned to
one core, as `taskset -c 1`: the time of a decision is the processor time of the search agent, so other processes on the
core do not count. The file of the results has each block of games, so the same command goes on after a stop.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.progress import Progress
from rich.table import Table

from benchmarks.measure import RESULTS, headline, machine, wide_console, write_json
from w51_agents import make_agent
from w51_agents.agent.interface import BatchAgent
from w51_env import make_game
from w51_lab.arena.matches import Results, play_matches
from w51_lab.statistics.estimates import CONFIDENCE, win_rate_interval

console = wide_console()
_BLOCK = 20  #  games that are played at once


class SearchMatch(NamedTuple):
    """One match of the plan."""

    spec: str
    players: int
    games: int
    against: str = "heuristic"
    game: str = "warehouse51_v1"


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
    SearchMatch("search:playouts=100,prior=pretrained-v1", 4, 80),
    SearchMatch("search:playouts=100", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=100,prior=pretrained-v1", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=300,prior=pretrained-v1", 4, 80, "pretrained-v1"),
    SearchMatch("search:playouts=100,playout_bot=collector", 3, 60, "collector", "alles_futsch_v1"),
)
RESPONSE, CHAMPION = "response:pretrained,playouts=300", "champion"
PLANS = {
    "search": PLAN,
    "responses": (
        SearchMatch(RESPONSE, 4, 400, "pretrained"),
        SearchMatch(RESPONSE, 3, 240, "pretrained"),
        SearchMatch(RESPONSE, 5, 200, "pretrained"),
        SearchMatch("response:pretrained-v2,playouts=300", 4, 120, "pretrained-v2"),
    ),
    "champion": tuple(
        SearchMatch(CHAMPION, players, 240, against)
        for players in (4, 3, 5)
        for against in ("heuristic", "pretrained-v2", "exploiter", "pretrained")
    ),
}


class Timed(BatchAgent):
    """A search agent with a count of its decisions and their processor time in seconds."""

    needs_determinizer = True

    def __init__(self, agent: Any):
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
    games: Annotated[int, typer.Option(help="Games of each match; of a plan, those of this many that it has.")] = 1000,
    against: Annotated[str, typer.Option(help="For named agents: the agent in all other seats.")] = "heuristic",
    game: Annotated[str, typer.Option(help="For named agents: the game.")] = "warehouse51_v1",
    plan: Annotated[str, typer.Option(help=f"Without names: the plan, {', '.join(PLANS)}.")] = "search",
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 0,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="File of the results. Default: the plan's; of names, search.json here."),
    ] = None,
) -> None:
    """Play and print the matches. The file is written after each block of games; what is in it stays, and is not played
    again.
    """
    named = [SearchMatch(spec, number, games, against, game) for spec in specs or () for number in players or (3, 4, 5)]
    json_file = json_file or (Path("search.json") if named else RESULTS / f"{plan}.json")
    facts, measured = machine(), blocks_in(json_file)
    console.print(headline(facts), highlight=False)
    matches = named or [match._replace(games=min(games, match.games)) for match in PLANS[plan]]
    asked = [(match._replace(games=0), seed) for match in matches]
    in_order = dict.fromkeys([*asked, *measured])
    for key, match in zip(asked, matches, strict=True):
        blocks = measured.setdefault(key, [])
        while (left := match.games - sum(block["games"] for block in blocks)) > 0:
            blocks.append(play(match, min(_BLOCK, left), seed + len(blocks)))
            write_json(
                json_file, facts, [], matches=[line_of(*one, measured[one]) for one in in_order if measured.get(one)]
            )
    console.print(table([line_of(*one, measured[one]) for one in asked]))


def blocks_in(json_file: Path) -> dict[tuple[SearchMatch, int], list[dict[str, Any]]]:
    """The blocks of games in a file, by match, however many games it has, and seed."""
    lines = json.loads(json_file.read_text("utf-8"))["matches"] if json_file.exists() else []
    names = (*SearchMatch._fields, "seed")
    return {
        (SearchMatch(*(line[name] for name in names[:-1]))._replace(games=0), line["seed"]): line["blocks"]
        for line in lines
        if "blocks" in line
    }


def play(match: SearchMatch, games: int, seed: int) -> dict[str, Any]:
    """Play a block of games; its results as plain data."""
    game = make_game(match.game, num_players=match.players)
    agent = Timed(make_agent(match.spec, game))
    other = make_agent(match.against, game)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{match.spec}, {match.players} players, seed {seed}", total=games)
        results = play_matches(
            game,
            [(match.spec, agent), (match.against, other)],
            games,
            seed,
            lambda finished: progress.advance(task, finished),
        )
    standings = results.standings()
    console.print(f"{match.spec}, seed {seed}: {standings[0].win_rate:.1%} of {games} games", highlight=False)
    return {
        "seed": seed,
        "games": results.wins[..., 0].size,
        "wins": wins_by_deal(results),
        "scores": [standing.mean_score for standing in standings],
        "ranks": [standing.mean_rank for standing in standings],
        "decisions": agent.decisions,
        "seconds": agent.seconds,
    }


def wins_by_deal(results: Results) -> list[float]:
    """Mean wins of the first agent, which has one seat, in each deal."""
    wins: list[float] = results.wins[:, :, results.lineup == 0].sum(axis=2).mean(axis=1).tolist()
    return wins


def line_of(match: SearchMatch, seed: int, blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The results of a match from its blocks, however many games it was to have."""
    games = [block["games"] for block in blocks]
    wins = np.concatenate([block["wins"] for block in blocks])
    agents = []
    for number, (name, seats, share) in enumerate(
        ((match.spec, 1, wins), (match.against, match.players - 1, 1 - wins))
    ):
        low, high = win_rate_interval(share)
        agents.append(
            {
                "name": name,
                "seats": seats,
                "mean_score": float(np.average([block["scores"][number] for block in blocks], weights=games)),
                "mean_rank": float(np.average([block["ranks"][number] for block in blocks], weights=games)),
                "win_rate": float(share.mean()) / seats,
                "low": low / seats,
                "high": high / seats,
            }
        )
    decisions = sum(block["decisions"] for block in blocks)
    return {
        **match._replace(games=sum(games))._asdict(),
        "seed": seed,
        "decisions": decisions,
        "seconds_per_decision": sum(block["seconds"] for block in blocks) / decisions,
        "deals": len(wins),
        "games_played": sum(games),
        "equal_share": 1 / match.players,
        "confidence": CONFIDENCE,
        "agents": agents,
        "blocks": list(blocks),
    }


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
