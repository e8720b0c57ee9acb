"""One agent in populations of others, in both directions: `python -m benchmarks.populations AGENT --json FILE`.

The agent plays alone among copies of each other agent, and each of them alone among copies of it, at each number of
players and with each relic set. Networks that draw their actions play in compiled form.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.measure import ResultsFile, machine, wide_console, write_json
from w51_agents.agent import Agent
from w51_agents.registry import split_label
from w51_agents.training.opponents import make_opponent
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.arena.matches import play_matches

OTHERS = ("heuristic", "pretrained-v1", "pretrained", "exploiter")
RELICS = "reconstruction-1"


def main(
    agent: Annotated[str, typer.Argument(help="Its name or path; `LABEL=NAME` gives it a label.")],
    json_file: ResultsFile,
    others: Annotated[list[str] | None, typer.Option("--other", help="Another agent; can be repeated.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="A number of players; can be repeated.")] = None,
    relics: Annotated[list[str] | None, typer.Option(help="A relic set; can be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 4000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals.")] = 0,
) -> None:
    """Play, print, and keep."""
    table = Table("players", "relics", "one", "among", "wins, %", "95 % interval", "share")
    rows = []
    for count in players or [4]:
        for name in relics or [RELICS]:
            game = make_game("warehouse51_v1", num_players=count, relics=name)
            for row in rates(game, agent, others or OTHERS, games, seed):
                rows.append({"players": count, "relics": name, **row})
                low, high = 100 * row["low"], 100 * row["high"]
                shown = [f"{100 * row['win_rate']:.1f}", f"{low:.1f} to {high:.1f}", f"{100 / count:.1f}"]
                table.add_row(str(count), name, row["one"], row["among"], *shown)
    wide_console().print(table)
    write_json(json_file, machine(), [], agent=agent, games=games, seed=seed, matches=rows)


def rates(game: Game, name: str, others: Sequence[str], games: int, seed: int) -> Iterator[dict[str, Any]]:
    """The win rates of one agent alone among each of the others, and of each of them alone among it."""
    mine = _agent(game, name)
    for other in others:
        pair = mine, _agent(game, other)
        for one, rest in (pair, pair[::-1]):
            result = play_matches(game, [one, rest], games, seed).standings()[0]
            rate = {"win_rate": result.win_rate, "low": result.low, "high": result.high}
            yield {"one": one[0], "among": rest[0], **rate}


def _agent(game: Game, name: str) -> tuple[str, Agent]:
    label, made = split_label(name)
    return label or made, make_opponent(made, game)


if __name__ == "__main__":
    typer.run(main)
