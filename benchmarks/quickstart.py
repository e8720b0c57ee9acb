"""The agents of the repository in the table of bin/quickstart: `python -m benchmarks.quickstart --json FILE`.

They play the matches that bin/quickstart prints, on the deals of the agents that it trains, which are measured by
`python -m benchmarks.strength quick` and `bots_quick`.
"""

from typing import Annotated

import typer

from benchmarks.measure import ResultsFile, machine, write_json
from bin.quickstart import CONFIGS, of_repository
from w51_agents.training.config import load_config

CONFIG = CONFIGS / "quick.yaml"


def main(
    json_file: ResultsFile,
    games: Annotated[int | None, typer.Option(min=4, help="Of each match. Default: those of the quickstart.")] = None,
) -> None:
    """Play and keep."""
    facts = machine()
    changes = [f"evaluation.games={games}"] if games else []
    played = of_repository({CONFIG.stem: load_config(CONFIG, changes)})
    write_json(json_file, facts, [], matches=[match for matches in played.values() for match in matches])


if __name__ == "__main__":
    typer.run(main)
