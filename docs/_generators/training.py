"""The tables of training results, from benchmarks/results.

To measure again: `python -m benchmarks.renew`.
"""

import json
import tempfile
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from docs import _tables
from w51_agents.training.run_facts import MatchRow
from w51_lab.statistics.estimates import student_quantile
from w51_lab.trainings import curves

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
KINDS = ("average", "current")  # profiles of CFR+
PAGE, CARD = "docs/lab/training.md", "agents/w51_agents/pretrained/README.md"
FIGURE = "docs/lab/responses.png"
FILES = (FIGURE,)
CARD_TABLES = {  # and in which form the networks play
    "pretrained": "greedy actions, but for `pretrained-v2`",
    "pretrained_v2": "`pretrained-v2` draws its actions, the other networks take the likeliest",
    "exploiter": "greedy actions, but for `pretrained-v2`",
    "futsch": "greedy actions",
    "futsch_v2": "greedy actions",
}
RESPONSES_TO_V2 = ROOT / "experiments" / "any_cards" / "responses.json"
RESPONSES = ROOT / "experiments" / "table_reader" / "responses.json"
FROM_NOTHING = ROOT / "experiments" / "results" / "from_nothing.json"


def pages() -> dict[str, str]:
    """The page of results and the model card with their tables."""
    tables = {
        PAGE: {
            "trainers": trainers(_read("trainers")),
            "duel": duel(_read("duel")),
            "ablations": ablations(_read("ablations")),
            "standard": strength(_read("standard")),
            "cfr": cfr(_read("cfr")),
            "exploitability": exploitability(_read("exploitability")),
            "from_nothing": from_nothing(json.loads(FROM_NOTHING.read_text("utf-8"))),
        },
        CARD: {
            **{name: strength(_read(name), forms) for name, forms in CARD_TABLES.items()},
            "responses": responses(all_responses(), _read("responses")["matches"]),
            "held_out": held_out(_read("held_out")),
        },
    }
    return {page: _tables.fill((ROOT / page).read_text("utf-8"), its_own) for page, its_own in tables.items()}


def files() -> dict[str, bytes]:
    """The figure: win rates of the responses to `pretrained-v2` over their decisions, for each number of players."""
    matches = [
        MatchRow(seconds=0.0, players=response["players"], against=one["response"], mean_score=0.0, **point)
        for response in json.loads(RESPONSES_TO_V2.read_text("utf-8"))
        for one in response["responses"]
        for point in one["curve"]
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "curves.png")
        curves.draw_strength(matches, "Best responses to pretrained-v2: warehouse51_v1", path)
        return {FIGURE: path.read_bytes()}


def _read(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def strength(data: dict[str, Any], forms: str = "greedy actions") -> str:
    """The matches of an agent, as `benchmarks/strength.py` keeps them."""
    matches, others = both_directions(data["matches"])
    rows = []
    for number, match in enumerate(matches):
        share = f"{match['equal_share']:.1%}"
        row = [match["players"], match["agents"][1]["name"], *_rate(match), *(_rate(others[number]) if others else ())]
        rows.append((*row, share))
    interval = f"{matches[0]['confidence']:.0%} interval"
    reverse = ("one of them among copies of it", interval) if others else ()
    header = ("players", "opponents", "alone among them", interval, *reverse, "equal share")
    fewest = min(match["games"] for match in matches)  # as many as the number of players divides
    games = f"{fewest:,} games each, every seating on the same deals"
    note = f"({games}; {forms}. {_tables.made(data['machine'])})"
    return _tables.table(header, rows, note)


def held_out(data: dict[str, Any]) -> str:
    """Mean win rates over relic sets that an agent was trained with, and over others."""
    rows, matches = [], data["matches"]
    for kind in dict.fromkeys(match["kind"] for match in matches):
        pair = both_directions([match for match in matches if match["kind"] == kind])
        rows.append(
            (kind, len(pair[0]), *(_over_sets([match["agents"][0]["win_rate"] for match in one]) for one in pair))
        )
    header = (
        "relic sets",
        "number",
        "`pretrained-v2` alone among three `heuristic`",
        "one `heuristic` among three of it",
    )
    games = f"Four players, {matches[0]['games']:,} games each; means over the sets with 95% intervals"
    note = f"({games}. Equal share: 25%. {_tables.made(data['machine'])})"
    return _tables.table(header, rows, note)


def _over_sets(rates: list[float]) -> str:
    error = student_quantile(len(rates) - 1) * stdev(rates) / len(rates) ** 0.5
    return f"{mean(rates):.1%} ± {error:.1%}"


def all_responses() -> list[dict[str, Any]]:
    """What was measured of best responses to the networks of the repository, by their names."""
    return [one for path in (RESPONSES, RESPONSES_TO_V2) for one in json.loads(path.read_text("utf-8"))]


def responses(data: list[dict[str, Any]], searches: list[dict[str, Any]]) -> str:
    """Best responses to agents: each `exploit.json` of train.py, the better of two as it plays new deals; searches."""
    rows = []
    for response in data:
        equal_share = f"{response['equal_share']:.1%}"
        for each in response["responses"]:
            one = {**each, **response} if each["response"] == response["response"] else each
            budget = f"{one['decisions'] / 1e6:.1f} million decisions", f"{one['seconds'] / 60:.0f} min"
            rows.append(
                (response["agent"], response["players"], one["response"], *budget, *_interval(one), equal_share)
            )
    for match in searches:
        playouts = f"{match['spec'].partition('playouts=')[2]} playouts a decision"
        seconds = match["seconds_per_decision"] * match["decisions"] / match["games_played"]
        cost, equal_share = (playouts, f"{seconds:.1f} s a game"), f"{match['equal_share']:.1%}"
        rows.append((match["against"], match["players"], "search", *cost, *_rate(match), equal_share))
    for agent, players in [row[:2] for row in rows if row[2] == "search"]:
        numbers = [number for number, row in enumerate(rows) if row[:2] == (agent, players)]
        largest = max(numbers, key=lambda number: float(rows[number][5].rstrip("%")))
        rows[largest] = (*rows[largest][:5], f"**{rows[largest][5]}**", *rows[largest][6:])
    header = ("agent", "players", "response", "budget", "time", "wins", "95% interval", "equal share")
    return _tables.table(header, sorted(rows, key=lambda row: (row[0], (4, 3, 5).index(row[1]))))


def both_directions(matches: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The matches of the learner alone among copies of each other agent, and those of each alone among copies of it."""
    learner = matches[0]["agents"][0]["name"]
    alone, among = ([match for match in matches if match["agents"][place]["name"] == learner] for place in (0, 1))
    return alone, among


def _rate(match: dict[str, Any]) -> tuple[str, str]:
    """Win rate of the agent that is alone in a match, and its interval."""
    return _interval(match["agents"][0])


def _interval(rate: dict[str, Any]) -> tuple[str, str]:
    return f"{rate['win_rate']:.1%}", f"{rate['low']:.1%} to {rate['high']:.1%}"


def trainers(data: dict[str, Any]) -> str:
    """Decisions per second of processor time of each trainer."""
    rates = data["decisions_a_second"]
    rows = [(name, f"{rate:,.0f}", f"{rate / rates['maskable_ppo']:.2f}") for name, rate in rates.items()]
    width = data["width"]
    header = ("trainer", f"decisions/s, two layers of {width}", "ratio")
    threads = f"PyTorch with {data['threads']} thread{'s' * (data['threads'] > 1)}"
    note = f"(Seconds of processor time; {threads}; {_tables.measured(data['machine'])})"
    return _tables.table(header, rows, note)


def duel(data: dict[str, Any]) -> str:
    """One agent of each trainer against three of the other, after the same time."""
    rows = []
    for match in data["matches"]:
        alone, other = match["agents"][:2]
        rows.append(
            (
                alone["name"],
                f"three of {other['name']}",
                f"{alone['win_rate']:.1%}",
                f"{alone['low']:.1%} to {alone['high']:.1%}",
            )
        )
    header = ("one", "against", "win rate", "95% interval")
    learned = ", ".join(f"{name} {decisions:,}" for name, decisions in data["decisions"].items())
    threads = f"PyTorch with {data['threads']} thread{'s' * (data['threads'] > 1)}"
    learning = f"{data['minutes']:g} minutes of training each, {threads}"
    games = f"{data['matches'][0]['games']:,} games each; the equal share is 25%"
    note = f"({learning}; decisions: {learned}. {games}. {_tables.measured(data['machine'])})"
    return _tables.table(header, rows, note)


def ablations(data: dict[str, Any]) -> str:
    """The last point of each learning curve."""
    rows = []
    for name, by_seed in data["curves"].items():
        last = [curve["win_rate"][-1] for curve in by_seed.values()]
        rows.append((name, f"{sum(last) / len(last):.1%}", ", ".join(f"{share:.1%}" for share in last)))
    settings = data["settings"]
    measured = f"win rate against three heuristic bots in {settings['games']:,} games, so each is within 2 points"
    note = f"({settings['decisions']:,} decisions each; {measured}. {_tables.made(data['machine'])})"
    return _tables.table(("variant", "win rate, mean", "of each seed"), rows, note)


def from_nothing(data: dict[str, Any]) -> str:
    """What each variant of self-play from nothing wins in all its matches, in percent."""
    rows = []
    for name in dict.fromkeys(cell["variant"] for cell in data["cells"]):
        cells = [cell for cell in data["cells"] if cell["variant"] == name]
        columns = [[cell[part][other][0] for cell in cells] for other in (0, 1) for part in ("alone", "resists")]
        columns.insert(1, [cell["greedy"][0] for cell in cells])
        columns += [[cell[part][0] for cell in cells if part in cell] for part in ("new cards", "response")]
        entropy = mean(cell["entropy"] for cell in cells)
        rows.append((name, len(cells), f"{entropy:.2f}", *map(_over_seeds, columns)))
    header = (
        *("variant", "seeds", "entropy, nats", "alone among heuristics", "the same, greedy", "one heuristic among it"),
        *("alone among `pretrained-v1`", "one `pretrained-v1` among it"),
        *("alone among heuristics, new cards", "response"),
    )
    settings = data["settings"]
    games, seconds = 4 * settings["deals"], sum(cell["seconds"] for cell in data["cells"])
    note = (
        f"(Wins in %, means with 95 % intervals over the seeds; {settings['decisions']:,} decisions a training, "
        f"{games:,} games a match, responses of {settings['response']:,} decisions. The equal share is 25 %. "
        f"{seconds / 60:.0f} minutes in all on one core. {_tables.measured(data['machine'])})"
    )
    return _tables.table(header, rows, note)


def _over_seeds(rates: list[float]) -> str:
    """The mean of the rates of some seeds, in percent, and half of its interval; of one or two seeds, the rates."""
    if len(rates) < 3:
        return ", ".join(f"{100 * rate:.1f}" for rate in rates)
    reach = student_quantile(len(rates) - 1) * stdev(rates) / len(rates) ** 0.5
    return f"{100 * mean(rates):.1f} ± {100 * reach:.1f}"


def exploitability(data: dict[str, Any]) -> str:
    """Of each agent in the mini game: exact best responses beside those that training found."""
    rows, fractions = [], []
    for agent in data["agents"]:
        response, fraction = agent["response"], agent["found"] / agent["exploitability"]
        ends = (100 * (response[end] - response["equal_share"]) for end in ("low", "high"))
        points = (f"{100 * agent[key]:.1f}" for key in ("exploitability", "found"))
        seats = (", ".join(f"{100 * share:.1f}" for share in agent[key]) for key in ("own", "best", "learned"))
        rows.append((agent["agent"], *seats, *points, f"{fraction:.0%}", " to ".join(f"{end:.1f}" for end in ends)))
        fractions.append(fraction)
    games = data["agents"][0]["response"]["games"]
    header = (
        "agent",
        "against its copies",
        "exact best response",
        "learned response",
        "exploitability, points",
        "found by training, points",
        "fraction found",
        f"the same, estimated from {games:,} games, points",
    )
    entropies = ", ".join(f"{entropy:.3f} ({name.partition(', ')[2]})" for name, entropy in data["entropies"].items())
    note = (
        f"(One seed. The self-play networks learned from {data['selfplay']:,} decisions, each response from "
        f"{data['decisions']:,}; two layers of 256, without a base policy. Training found {min(fractions):.0%} to "
        f"{max(fractions):.0%} of the exploitability. Mean entropy of a decision at the end of self-play, in nats: "
        f"{entropies}. {_tables.made(data['machine'])})"
    )
    return _tables.table(header, rows, note)


def cfr(data: dict[str, Any]) -> str:
    """CFR+ in the mini game: exploitability over its iterations."""
    rows = [
        (f"{point['iterations']}", f"{point['seconds']:.1f}", *(f"{100 * point[kind]:.2f}" for kind in KINDS))
        for point in data["points"]
    ]
    header = ("iterations", "seconds", "average, points", "last iterate, points")
    enumeration = f"To enumerate the tree of {data['nodes']:,} nodes takes {data['tree_seconds']:.1f} s more"
    note = f"(One core. {enumeration}. {_tables.measured(data['machine'])})"
    return _tables.table(header, rows, note)
