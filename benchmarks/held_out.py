"""`pretrained-v2` with relic sets that it was trained with, and with others: `python -m benchmarks.held_out --json F`.

With four players it plays alone among three heuristics, and a heuristic alone among three of it, with each set.
"""

from typing import Annotated, Any

import typer

from benchmarks.measure import ResultsFile, machine, write_json
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import PRETRAINED_V2
from w51_env import make_game
from w51_lab.arena.matches import play_matches
from w51_lab.report.terminal_tables import match_standings

BOT = "heuristic"
# Those of configs/any_cards.yaml for four players, and the first ones that nothing is trained with (docs/relics.md).
SETS = {
    "trained": ("reconstruction-1", *(f"generated:{seed}" for seed in range(1, 9))),
    "held out": tuple(f"generated:{seed}" for seed in range(10_000, 10_009)),
}


def main(
    json_file: ResultsFile, games: Annotated[int, typer.Option(min=2, help="Of each match and relic set.")] = 800
) -> None:
    """Play, and keep."""
    matches: list[dict[str, Any]] = []
    for kind, relic_sets in SETS.items():
        for relics in relic_sets:
            game = make_game("warehouse51_v1", num_players=4, relics=relics)
            agents = [(name, make_agent(name, game)) for name in (PRETRAINED_V2, BOT)]
            for pair in (agents, agents[::-1]):
                match = match_standings(play_matches(game, pair, games, seed=0)).model_dump()
                matches.append({"kind": kind, "relics": relics, **match})
    write_json(json_file, machine(), [], matches=matches)


if __name__ == "__main__":
    typer.run(main)
