"""CFR+ on the mini game `nano`: exact exploitability of its average and of its last iterate, over iterations and time.

    python -m benchmarks.cfr

It is the yardstick for what learning can reach there. Times are of one core.
"""

import time
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, headline, machine, wide_console, write_json
from w51_agents.exact.cfr import CFRPlus
from w51_agents.exact.exploitability import exploitability_of
from w51_agents.exact.tree import build_tree
from w51_env import make_game

ITERATIONS = (10, 30, 60, 100)


@dataclass(frozen=True)
class SolverPoint:
    """The solver after some iterations.

    Attributes:
        iterations: Number of iterations.
        seconds: Processor time of the iterations, without the tree.
        average, current: Exploitability of the average profile and of the last iterate, in wins.
    """

    iterations: int
    seconds: float
    average: float
    current: float


def main(
    iterations: Annotated[list[int] | None, typer.Argument(help="Numbers of iterations, ascending.")] = None,
    json_file: ResultsFile = RESULTS / "cfr.json",
) -> None:
    """Measure, print and keep."""
    console, facts = wide_console(), machine()
    console.print(headline(facts), highlight=False)
    begun = time.process_time()
    tree = build_tree(make_game("warehouse51_v1", preset="nano", reward="win"))
    solver = CFRPlus(tree)
    built = time.process_time() - begun
    points, spent = [], 0.0
    for count in iterations or ITERATIONS:
        begun = time.process_time()
        solver.run(count - solver.iterations)
        spent += time.process_time() - begun
        profiles = (solver.average(), solver.current())
        points.append(
            SolverPoint(count, spent, *(exploitability_of(tree, profile).exploitability for profile in profiles))
        )
    console.print(table(points))
    console.print(f"The tree has {tree.nodes():,} nodes and was enumerated in {built:.1f} s.", highlight=False)
    write_json(json_file, facts, [], nodes=tree.nodes(), tree_seconds=built, points=[asdict(point) for point in points])


def table(points: list[SolverPoint]) -> Table:
    """A row for each number of iterations."""
    rows = Table(title="CFR+ on nano: exploitability in points", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("iterations", "seconds", "average", "last iterate"):
        rows.add_column(column, justify="right")
    for point in points:
        shares = (f"{100 * share:.2f}" for share in (point.average, point.current))
        rows.add_row(str(point.iterations), f"{point.seconds:.1f}", *shares)
    return rows


if __name__ == "__main__":
    typer.run(main)
