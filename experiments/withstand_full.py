"""Does `pretrained` come to withstand a search, if it learns on in some way? `python -m experiments.withstand_full`.

The whole game with four players, where nothing is exact: after each part of a training the network is judged by what
a response wins among copies of it, on the same deals, and by what it wins among others. docs/lab/search.md has the
result.
"""

import json
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments import lab
from w51_agents.named.registry import make_agent
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_env import make_game

CONFIG = lab.CONFIGS.parent / "experiments" / "table_reader" / "reader_withstand.yaml"
RESPONSE = "response:pretrained,playouts=16"
WAYS: dict[str, list[str]] = {
    "self-play": [],
    "responses by search as opponents": [XX],
    "a critic that sees all seats": ["selfplay.critic=centralized"],
}
PLAYOUTS, SEED = 100, 5  #  of the response, and of the deals
OTHERS = ("heuristic", "pretrained-v2")


def main(
    way: Annotated[list[str] | None, typer.Option(help="Ways to learn on; none: all.")] = None,
    stop: Annotated[list[int] | None, typer.Option(help="Decisions after which it is judged.")] = None,
    deals: Annotated[int, typer.Option(min=2, help="Of a response, which plays each from four seats.")] = 30,
    runs: lab.Runs = lab.RUNS / "withstand_full",
    data: lab.DataFile = lab.RESULTS / "withstand_full.json",
) -> None:
    """Learn, judge."""
    cells = ({"way": one, "decisions": each} for one, each in product(way or WAYS, stop or (0, 4_000_000, 8_000_000)))
    for cell in lab.measured(data, {"deals": deals, "playouts": PLAYOUTS}, cells, partial(measure, runs, deals))[
        "cells"
    ]:
        print(json.dumps(cell))


def measure(runs: Path, deals: int, way: str, decisions: int) -> dict[str, Any]:
    """What a response wins among copies of the network, and the network among others, by deals."""
    name = str(reached(runs, way, decisions)) if decisions else "pretrained"
    game = make_game("warehouse51_v1", num_players=4)

    def wins(one: str, among: str, number: int) -> list[float]:
        return [
            float(each) for each in lab.wins_alone(game, make_agent(one, game), make_agent(among, game), number, SEED)
        ]

    rows = {f"among {other}": wins(name, other, 250) for other in OTHERS}
    rows |= {f"lone {other}": wins(other, name, 250) for other in OTHERS}
    return {"response": wins(f"response:{name},playouts={PLAYOUTS}", name, deals), **rows}


def reached(runs: Path, way: str, decisions: int) -> Path:
    """The checkpoint of a way after so many decisions; a training that was stopped goes on."""
    kept = runs / f"{way}.{decisions}.safetensors"
    if not kept.exists():
        folder = runs / way.replace(" ", "_")
        config = load_config(CONFIG, [*WAYS[way], f"runs={runs}", f"name={folder.name}"])
        runs.mkdir(parents=True, exist_ok=True)
        with Run.resume(folder, None) if (folder / STATE).exists() else Run.begin(config, None) as run:
            run.train(lambda update, matches: None, lambda: run.trainer.decisions >= decisions)
            kept.write_bytes(run.checkpoint.read_bytes())
    return kept


if __name__ == "__main__":
    typer.run(main)
