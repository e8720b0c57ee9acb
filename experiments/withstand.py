"""Which way of learning withstands a search? In a game that is solved: `python -m experiments.withstand`.

A network has learned a mini game by self-play for a while, and can be exploited. It learns on, by each of several ways,
step by step. After each step it is known exactly how exploitable it is, by a best response and by a local one, which
is what `response:NAME` measures with unlimited playouts. docs/lab/search.md has the result.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from matplotlib.figure import Figure

from benchmarks.measure import ROOT
from experiments import lab
from experiments.expert_iteration import Decisions, learn
from experiments.local_responses import Iteration, exploitabilities
from experiments.psro_mini import GAME, SEATS
from experiments.searched import Asked, Search, Searched
from w51_agents.exact.exploitability import profile_of
from w51_agents.exact.tree import Tree, build_tree
from w51_agents.named.registry import make_agent
from w51_agents.networks.making import load_network, save_network
from w51_env import make_game

ENVS = 256
CONFIG, COMMON = (
    "selfplay_quick",
    [
        f"options={json.dumps(GAME)}",
        "selfplay.shaping=null",
        "selfplay.compiled=false",
        "selfplay.num_steps=16",
        "selfplay.ent_coef=0.02",
        "selfplay.final_ent_coef=0.02",
    ],
)
PLAYOUTS = 16  #        of a decision of a response that others learn against
SEARCHED, BATCHES, RATE = 64, 3, 4.0  #  playouts of a decision that is learned from, batches of games, rate of a step
EPOCHS = 60
Way = Callable[[Sequence[Path], int], Path]  # the next checkpoint after these, with a seed


def main(
    steps: Annotated[int, typer.Option(min=1, help="Steps of each way.")] = 6,
    decisions: Annotated[int, typer.Option(min=1, help="Of self-play, at first and in each step.")] = 20_000,
    seeds: Annotated[int, typer.Option(min=1, help="First networks.")] = 3,
    runs: lab.Runs = lab.RUNS / "withstand",
    data: lab.DataFile = lab.RESULTS / "withstand.json",
    figure: lab.FigurePath = ROOT / "docs" / "lab" / "withstand",
) -> None:
    """Learn, judge, draw."""
    torch.set_num_threads(1)
    tree = build_tree(make_game("warehouse51_v1", **GAME))
    ways = Ways(tree, decisions, runs)
    cells = ({"way": way, "seed": seed} for seed, way in product(range(1, seeds + 1), ways.all))
    settings = {"steps": steps, "decisions": decisions}
    draw(lab.measured(data, settings, cells, partial(ways.measure, steps)), figure)


class Ways:
    """Ways to learn on.

    Args:
        tree: The game.
        decisions: Of self-play, at first and in each step.
        runs: Folder of the networks.

    Attributes:
        all: The ways, by name.
    """

    def __init__(self, tree: Tree, decisions: int, runs: Path):
        self._tree, self._decisions, self._runs = tree, decisions, runs
        self._first: Any = None
        self._kept = list[Decisions]()
        self.all: dict[str, Way] = {
            "self-play": self._self_play,
            "a pull to averaged weights": partial(self._self_play, changes=["selfplay.average_kl=0.2"]),
            "responses by search as opponents": self._against_responses,
            "a pool of the last steps, with their responses": self._against_pool,
            "expert iteration, worth of all rounds": self._from_worth,
        }

    def measure(self, steps: int, way: str, seed: int) -> dict[str, Any]:
        """One way: after each step how exploitable the network is, and the mixture of all steps."""
        first = self._self_play([], seed)
        self._first, self._kept = load_network(self._tree.game, first), []
        networks, rows, profiles = [first], [], []
        while True:
            agent = make_agent(f"{networks[-1]}:sampled", self._tree.game)
            profiles.append(profile_of(self._tree, "network", agent))
            best, local = exploitabilities(Iteration(self._tree, profiles[-1]))
            mixture, _ = exploitabilities(Iteration(self._tree, self._tree.mixture(profiles)))
            rows.append({"best": best, "local": local, "mixture": mixture})
            if len(networks) > steps:
                return {"steps": rows}
            networks.append(self.all[way](networks, 1000 * len(networks) + seed))

    def _self_play(
        self, networks: Sequence[Path], seed: int, games: Sequence[str] = (), changes: Sequence[str] = ()
    ) -> Path:
        """Learns against itself in most games, and in others, as the config has them."""
        start = [f"selfplay.start={networks[-1]}"] if networks else []
        played = [f"{{num_players: {SEATS}, num_envs: {ENVS - 32 * len(games)}}}", *games]
        own = [f"decisions={self._decisions}", f"seed={seed}", f"selfplay.games=[{', '.join(played)}]"]
        with lab.trained(CONFIG, [*COMMON, *own, *start, *changes], self._runs) as run:
            return run.checkpoint

    def _against_responses(self, networks: Sequence[Path], seed: int) -> Path:
        return self._self_play(networks, seed, [with_others(_response(networks[-1]))])

    def _against_pool(self, networks: Sequence[Path], seed: int) -> Path:
        earlier = [f"{path}:sampled" for path in networks[:-1][-2:]]
        responses = [_response(path) for path in networks[::-1][:2]]
        return self._self_play(networks, seed, [with_others(one) for one in (*earlier, *responses)])

    def _from_worth(self, networks: Sequence[Path], seed: int) -> Path:
        """Learns what a search finds its actions to be worth, in the games of a response among copies."""
        game, network = self._tree.game, load_network(self._tree.game, networks[-1]).requires_grad_(True)
        search = Search(f"{networks[-1]}:sampled", game, Asked(SEARCHED))
        played = [search.play(100 * seed + number) for number in range(BATCHES)]
        found = Searched._make(map(np.concatenate, zip(*played, strict=True)))
        self._kept.append(Decisions.of(self._first, game, found))
        torch.manual_seed(seed)
        decisions = Decisions.joined(self._kept)
        for _ in range(EPOCHS):
            learn(network, decisions, RATE * len(self._kept))
        path = self._runs / f"{networks[-1].stem}.{seed}.safetensors"
        save_network(network, game, path)
        return path


def _response(path: Path) -> str:
    return f"response:{path}:sampled,playouts={PLAYOUTS}"


def with_others(opponent: str) -> str:
    """Games in which another agent has one seat."""
    return f"{{num_players: {SEATS}, num_envs: 32, opponents: {{'{opponent}': 1}}}}"


def draw(data: dict[str, Any], path: Path) -> None:
    """The mean of all seeds by steps: a best response as lines, a local one dotted; and the mixture of all steps."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for number, way in enumerate(dict.fromkeys(cell["way"] for cell in data["cells"])):
        curves = {
            name: 100 * np.array([[row[name] for row in cell["steps"]] for cell in data["cells"] if cell["way"] == way])
            for name in ("best", "local", "mixture")
        }
        style: dict[str, Any] = {"color": lab.COLOURS[number]}
        for one in curves["best"]:
            panels[0].plot(one, linewidth=0.5, alpha=0.5, **style)
        panels[0].plot(curves["best"].mean(0), label=way, marker=lab.MARKERS[number], **style)
        panels[0].plot(curves["local"].mean(0), linestyle=":", **style)
        panels[1].plot(curves["mixture"].mean(0), marker=lab.MARKERS[number], **style)
    lab.plain_axes(panels[0], "The network: a best response, and a local one (dotted)", xlabel="steps", ylim=(0, None))
    lab.plain_axes(panels[1], "The mixture of all steps: a best response", xlabel="steps")
    panels[0].set_ylabel("exploitability, points")
    figure.legend(fontsize=8, loc="outside lower center", ncols=3)
    lab.save(figure, path)


if __name__ == "__main__":
    typer.run(main)
