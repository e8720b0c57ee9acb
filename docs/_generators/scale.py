"""The page docs/lab/scale.md: costs of many machines from benchmarks/results, and the throughput that follows."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from docs import _tables

ROOT = Path(__file__).resolve().parents[2]
PAGE, FIGURE = "docs/lab/scale.md", "docs/lab/scale.png"
FILES = (FIGURE,)
RESULTS = ROOT / "benchmarks" / "results"
CORES = 16  #  of a machine in the model
EPOCHS, MINIBATCH, PARTS = 2, 8192, 6  #  of `standard`
MACHINES = np.array([1, 2, 4, 8, 16, 32, 64, 100, 200, 400])


def pages() -> dict[str, str]:
    """The page with its tables filled in."""
    names = "scale.json", "scale_rllib.json", "ranks.json"
    data, training, ranks = (json.loads((RESULTS / name).read_text("utf-8")) for name in names)
    tables = {
        "blocks": _blocks(data),
        "nodes": _nodes(data),
        "driver": _driver(data),
        "model": _model(data),
        "training": _training(training),
        "runners": _runners(training),
        "ranks": _ranks(ranks),
        "exchanges": _exchanges(ranks),
        "serial": _serial(ranks),
        "rows": _rows(ranks),
        "cores": _cores(ranks),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def files() -> dict[str, bytes]:
    """The figure: games a second by machines, of the cores and of the driver."""
    from matplotlib.figure import Figure

    data = json.loads((RESULTS / "scale.json").read_text("utf-8"))
    figure = Figure(figsize=(6.4, 3.6))
    axes = figure.subplots()
    for name, costs in data["blocks"].items():
        (line,) = axes.loglog(MACHINES, _rate_of_cores(costs), label=f"{name}: all cores")
        driver, colour = _rate_of_driver(data, costs), line.get_color()
        axes.axhline(driver, linestyle="--", color=colour)
        axes.text(MACHINES[-1], driver * 1.1, f"{name}: the driver", fontsize=8, ha="right", color=colour)
    axes.set_xlabel(f"machines with {CORES} cores")
    axes.set_ylabel("games a second")
    axes.legend()
    figure.tight_layout()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    return {FIGURE: content.getvalue()}


def _most_in_flight(data: dict[str, Any]) -> float:
    return float(data["driver"][max(data["driver"], key=int)])


def _microseconds(data: dict[str, Any], costs: dict[str, float]) -> float:
    """Of the driver, for a block."""
    return _most_in_flight(data) + sum(costs[f"us to {step}"] for step in ("pack", "store", "collect at the end"))


def _rate_of_cores(costs: dict[str, float]) -> np.ndarray:
    return MACHINES * CORES * costs["games"] / costs["seconds of play"]


def _rate_of_driver(data: dict[str, Any], costs: dict[str, float]) -> float:
    return 1e6 * costs["games"] / _microseconds(data, costs)


def _blocks(data: dict[str, Any]) -> str:
    names = list(data["blocks"])
    rows = [
        (
            what,
            *(
                f"{data['blocks'][name][what]:,.3g}"
                if what == "seconds of play"
                else f"{data['blocks'][name][what]:,.0f}"
                for name in names
            ),
        )
        for what in data["blocks"][names[0]]
    ]
    return _tables.table(("one block", *names), rows, _machine(data))


def _nodes(data: dict[str, Any]) -> str:
    header = ("blocks", "seconds", "seconds of play, added up", "ms of the driver for a block")

    def cells(one: dict[str, float]) -> tuple[str, ...]:
        driver = 1e3 * one["seconds of the driver"] / one["blocks"]
        return f"{one['blocks']:.0f}", f"{one['seconds']:.1f}", f"{one['seconds of play']:.1f}", f"{driver:.1f}"

    return _by_nodes(data, header, cells)


def _by_nodes(
    data: dict[str, Any], header: tuple[str, ...], cells: Callable[[dict[str, float]], tuple[str, ...]]
) -> str:
    """A row for each number of nodes; `cells`: of its measurements."""
    rows = [(nodes, *cells(one)) for nodes, one in data["nodes"].items()]
    return _tables.table(("nodes", *header), rows, _machine(data))


def _driver(data: dict[str, Any]) -> str:
    rows = [(f"{int(count):,}", f"{spent:,.0f}") for count, spent in data["driver"].items()]
    return _tables.table(("blocks under way", "us of the driver for a block"), rows)


def _model(data: dict[str, Any]) -> str:
    rows = []
    for name, costs in data["blocks"].items():
        limit = 1e6 * costs["seconds of play"] / _microseconds(data, costs)
        rows.append((name, f"{_microseconds(data, costs):,.0f}", f"{limit:,.0f}", f"{limit / CORES:,.0f}"))
    header = ("agents", "us of the driver for a block", "cores that it keeps busy", f"machines with {CORES} cores")
    return _tables.table(header, rows)


def _training(data: dict[str, Any]) -> str:
    """What an iteration of RLlib took on each number of nodes."""
    columns = {
        "decisions": "{decisions:,.0f}",
        "seconds": "{seconds:.2f}",
        "of learning": "{seconds of learning:.2f}",
        "ms of weights": "{ms of weights:.1f}",
        "processor time of the driver": "{seconds of the driver:.2f}",
        "decisions/s": "{rate:,.0f}",
    }

    def cells(one: dict[str, float]) -> tuple[str, ...]:
        more = {"ms of weights": 1e3 * one["seconds of weights"], "rate": one["decisions"] / one["seconds"]}
        return tuple(form.format(**one, **more) for form in columns.values())

    return _by_nodes(data, tuple(columns), cells)


def _runners(data: dict[str, Any]) -> str:
    """The model of an iteration, `s / R + l + w R`, from the iteration on one node, by batch and runners."""
    one = data["nodes"]["1"]
    rate = one["decisions"] / (one["seconds"] - one["seconds of learning"] - one["seconds of weights"])
    learning = one["seconds of learning"] / one["decisions"]
    sizes = tuple(data["batch"] * factor for factor in (1, 10, 100))
    rows = []
    for runners in (1, 2, 4, 16, 100, 1600):
        seconds = [size / rate / runners + learning * size + runners * one["seconds of weights"] for size in sizes]
        rows.append((f"{runners:,}", *(f"{size / spent:,.0f}" for size, spent in zip(sizes, seconds, strict=True))))
    return _tables.table(("env runners", *(f"{size:,} decisions" for size in sizes)), rows)


def _ranks(data: dict[str, Any]) -> str:
    """What processes and threads learned beside one process of one thread."""
    rows = []
    for config, ways in data["configs"].items():
        first = ways["one process"]
        for way, one in ways.items():
            times = (f"{one[key] / first[key]:.2f}" for key in ("rate", "processor"))
            rows.append(
                (f"`{config}`", way, f"{one['rate']:,.0f}", next(times), f"{one['processor']:.1f}", next(times))
            )
    head = ("config", "", "decisions/s", "times", "us of processor time a decision", "times")
    return f"{_tables.table(head, rows)}\n\n{_machine(data)}"


def _exchanges(data: dict[str, Any]) -> str:
    """Processor time of the sum of gradients, by size of network and processes."""
    found = data["exchanges"]
    rows = [(f"`{size}`", *(f"{found[way][size]:.1f}" for way in found)) for size in next(iter(found.values()))]
    heads = (f"{count} processes, {how}, ms" for count, how in (way.split() for way in found))
    return _tables.table(("hidden_sizes", *heads), rows)


def _serial(data: dict[str, Any]) -> str:
    """Processor time of what each process does again, with the decisions a second that it alone would allow."""
    names = {"order": "order of the rows", "means": "mean and deviation of the advantages", "optimizer": "optimizer"}
    spent = {names[part]: one for part, one in data["serial"].items()} | {"all of it": sum(data["serial"].values())}
    rows = [(name, f"{one:.2f}", f"{1e6 / one:,.0f}") for name, one in spent.items()]
    return _tables.table(("each process does again", "us a decision", "decisions/s at most"), rows)


def _rows(data: dict[str, Any]) -> str:
    """Processor time of the loss of a row, by the rows that a process has of a minibatch."""
    least = min(data["rows"].values())
    rows = [(f"{int(count):,}", f"{one:.1f}", f"{one / least:.2f}") for count, one in data["rows"].items()]
    return _tables.table(("rows of a minibatch in a process", "us a row", "times"), rows)


def _cores(data: dict[str, Any]) -> str:
    """The model `w / N + a + e / k`, of `standard`, with `k` times the minibatch and the games."""
    work, again, exchange = _costs(data)
    factors = (1, 4, 16, 128, 1024)
    rows = []
    for cores in (1, 2, 4, 16, 64, 160, 1024):
        spent = [work / cores + again + (cores > 1) * exchange / factor for factor in factors]
        fits = [cores <= PARTS * factor for factor in factors]
        rows.append((f"{cores:,}", *(f"{1e6 / one:,.0f}" if fit else "" for one, fit in zip(spent, fits, strict=True))))
    head = ("cores", *(f"{800 * factor:,} games" for factor in factors))
    return _tables.table(head, rows)


def _costs(data: dict[str, Any]) -> tuple[float, float, float]:
    """Microseconds a decision of `standard`: shared work, what each process does again, and the sum of gradients."""
    again = sum(data["serial"].values())
    exchange = 1e3 * data["exchanges"]["4 messages"]["[128, 128]"] * EPOCHS / MINIBATCH
    return data["configs"]["standard"]["one process"]["processor"] - again, again, exchange


def _machine(data: dict[str, Any]) -> str:
    return f"({_tables.measured(data['machine'])}; load before {data['machine']['load_before']:.1f})"
