"""The tables of the README, docs/lab/speed.md and two recipes, from the figures in benchmarks/results.

To measure again: `python -m benchmarks.renew`.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.measure import readable
from benchmarks.throughput import NUM_GAMES, THREADS
from docs import _strength, _tables
from docs._generators.training import all_responses, both_directions

ROOT = Path(__file__).resolve().parents[2]
README, PAGE = "README.md", "docs/lab/speed.md"
RECIPES = {"openspiel": "docs/recipes/openspiel.md", "jax_callback": "docs/recipes/jax.md"}
RESULTS = ROOT / "benchmarks" / "results"
QUICKSTART = {"MaskablePPO": "quick", "self-play PPO": "bots_quick"}
FIGURE = "docs/pictures/strength.svg"
FILES = (FIGURE,)
GROUPS = ("batch, observations and masks", "batch, no observations")
OTHERS = {
    "PettingZoo, `last()` and `step()`": ("adapters", "PettingZoo AEC, last() and step()"),
    "Gymnasium vector, 1,024 games, decisions of the learner": (
        "adapters",
        "Gymnasium vector, 1024 games, learner's decisions",
    ),
    "Stable-Baselines3, 1,024 games, decisions of the learner": (
        "adapters",
        "SB3 VecEnv, 1024 games, learner's decisions",
    ),
    "Alles Futsch!, 1,024 games, observed, 1 thread": (
        "other games",
        "alles_futsch_v1, 1024 games, 1 thread, observations and masks",
    ),
    "copy of a game, in a batch": ("states", "clone, 1024 games in a call"),
    "redraw of all that a seat cannot know, in a batch": (
        "states",
        "resample_hidden, with new masks, 1024 games in a call",
    ),
    "state of a game": ("states", "state"),
    "import and first step, rules compiled before": ("start: import and first step", "warm"),
    "the same, the very first time": ("start: import and first step", "cold (compiles the rules)"),
}


def pages() -> dict[str, str]:
    """The README, docs/lab/speed.md and the recipes with their tables filled in."""
    tables = {
        README: {
            "quickstart": quickstart({name: _read(file) for name, file in QUICKSTART.items()}, _read("quickstart")),
            "strength": strength(),
            "speed": headline(_read("throughput")),
        },
        PAGE: {
            "speed": speed(_read("throughput")),
            "history": history(_read("history")),
            "peers": peers(_read("peers")),
            "update": update(_read("update")),
            "update_populations": update(_read("update_populations")),
        },
        **{page: {name: rates(_read(name))} for name, page in RECIPES.items()},
    }
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), its_own) for page, its_own in tables.items()}


def files() -> dict[str, bytes]:
    """Win rates of the agents of the repository."""
    return {FIGURE: _strength.figure(_rates())}


def strength(rates: _strength.Rates | None = None) -> str:
    """The paragraph on the networks, with what trained responses and a search win among copies of one."""
    responses: dict[int, dict[str, float]] = {}
    for one in all_responses():
        responses.setdefault(one["players"], {})[one["agent"]] = one["win_rate"]
    search = _read("responses")["matches"][0]["agents"][0]
    commits = [f"`{_read(name)['machine']['commit']}`" for name in (*_strength.RESULTS, "responses")]
    return _strength.paragraph(rates or _rates(), responses, search, commits)


def _rates() -> _strength.Rates:
    return _strength.rates_of([_read(name) for name in _strength.RESULTS])


def _read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def quickstart(runs: dict[str, dict[str, Any]], shipped: dict[str, Any]) -> str:
    """Win rate of each agent of bin/quickstart alone among three copies of each bot, and of the last bot among it.

    Below them are the same rates of agents that come with the repository, on the same deals.
    """
    rows, bots = [], []
    for name, run in runs.items():
        alone, others = both_directions(run["matches"])
        bots = [match["agents"][1]["name"] for match in alone]
        rows.append((name, *_with_intervals([match["agents"][0] for match in (*alone, others[-1])])))
    rates = _strength.rates_of([shipped])
    for name in dict.fromkeys(one for one, _ in rates if one not in bots):
        pairs = [*((name, bot) for bot in bots), (bots[-1], name)]
        rows.append((f"`{name}`", *_with_intervals([rates[pair] for pair in pairs])))
    rows.reverse()  # the strongest first
    first = next(iter(runs.values()))["matches"][0]
    header = ("agent", *(f"alone among three {bot}" for bot in bots), f"one {bots[-1]} among three of it")
    measured = {**runs, "the others": shipped}
    made = {name: _tables.made(run["machine"]) for name, run in measured.items()}
    when = made["the others"] if len({*made.values()}) == 1 else "; ".join(f"{name}: {of}" for name, of in made.items())
    games = f"{first['games']:,} games each; in brackets: {first['confidence']:.0%} interval of these games"
    note = f"({games}. On another processor a training ends some points apart. {when})"
    return _tables.table(header, rows, note)


def _with_intervals(rates: Iterable[_strength.Rate]) -> list[str]:
    return [f"{rate['win_rate']:.1%} ({rate['low']:.1%} to {rate['high']:.1%})" for rate in rates]


def headline(data: dict[str, Any]) -> str:
    """The greatest throughput of one thread with observations, as `3.5 million`."""
    rates = [
        result["value"]
        for result in data["results"]
        if result["group"] == GROUPS[0] and result["name"].endswith(_threads(1))
    ]
    return f"{max(rates) / 1e6:.1f} million"


def speed(data: dict[str, Any]) -> str:
    """Medians of benchmarks/throughput.py: the batch by games and threads, then the adapters, states and start-up."""
    results = {(result["group"], result["name"]): result for result in data["results"]}
    figures = {line: readable(result["value"], result["unit"]) for line, result in results.items()}
    batches = [
        (f"{games:,}", *(figures.get((group, _line(games, threads)), "") for group in GROUPS for threads in THREADS))
        for games in NUM_GAMES
    ]
    header = ("games", *(f"{what}, {_threads(threads)}" for what in ("observed", "unobserved") for threads in THREADS))
    others = [(what, f"{figures[line]} {results[line]['unit']}") for what, line in OTHERS.items()]
    return "\n\n".join((_tables.table(header, batches), _tables.table(("", ""), others), _machine(data)))


def history(data: dict[str, Any]) -> str:
    """Steps per second without and with histories, by benchmarks/history.py."""
    figures = defaultdict(list)
    for result in data["results"]:
        figures[result["group"]].append(readable(result["value"], result["unit"]))
    rows = [(f"`{game}`", *rates, f"{data['ratios'][game]:.2f}") for game, rates in figures.items()]
    return _tables.table(("game", "batch alone, steps/s", "with histories", "ratio"), rows, _machine(data))


def update(data: dict[str, Any]) -> str:
    """The steps of an update of self-play, by benchmarks/update.py."""
    steps, total = data["microseconds"], sum(data["microseconds"].values())
    rows = [(step, f"{spent:.2f}", f"{spent / total:.0%}") for step, spent in steps.items()]
    rows.append(("**all**", f"**{total:.2f}**", f"{1e6 / total:,.0f} decisions/s"))
    return _tables.table(("step", "us", "share"), rows, _machine(data))


def _line(games: int, threads: int) -> str:
    return f"{games} game{'s' * (games > 1)}, {_threads(threads)}"


def _threads(threads: int) -> str:
    return f"{threads} thread{'s' * (threads > 1)}"


def peers(data: dict[str, Any]) -> str:
    """The ratios of benchmarks/peers.py."""
    rows = []
    for result in data["results"]:
        if result["group"] != "w51_env":
            factors = data["ratios"][f"{result['group']} {result['name']}"]
            same = "AEC" if result["group"] == "pettingzoo" else "one game"
            batch = next(name for name in factors if name not in ("AEC", "one game"))
            rate = f"{readable(result['value'], result['unit'])} steps/s"
            rows.append(
                (
                    result["group"],
                    result["name"],
                    rate,
                    f"x {factors[same]:,.1f} ({same})",
                    f"x {factors[batch]:,.0f} ({batch})",
                )
            )
    header = ("library", "game", "its throughput", "w51_env, same way", "w51_env, batch")
    return _tables.table(header, rows, _machine(data))


def rates(data: dict[str, Any]) -> str:
    """The medians of a benchmark with one group."""
    rows = [(result["name"], readable(result["value"], result["unit"])) for result in data["results"]]
    return _tables.table(("", "decisions per second"), rows, _machine(data))


def _machine(data: dict[str, Any]) -> str:
    return f"(Medians; {_tables.measured(data['machine'])})"
