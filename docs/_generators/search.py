"""Tables of the strength of search agents and of the judge, from files in benchmarks/results.

To measure again: `python -m benchmarks.renew search search_network responses champion coach`.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coach import BINS, COSTLY
from docs import _tables
from experiments.foresight import DEPTHS
from experiments.searched import LOTS_TOGETHER
from w51_agents.search.deliberation import CLEAR
from w51_lab.statistics.estimates import over_seeds, win_rate_interval
from w51_table.play.coach import COACH

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "experiments" / "results"
PAGE, JUDGE_PAGE = "docs/lab/search.md", "docs/search.md"
_PLAIN = re.compile(r"search:playouts=\d+")
LEAST = 5  # decisions of a kind of change that is shown
_OF_ROUNDS = (("response", 1), ("found", 2), ("gain", 2))  # with the digits after the point
_HEADER = ("agent", "players", "against", "games", "ms per decision", "win rate (95 %)", "equal share", "points ahead")


def pages() -> dict[str, str]:
    """The page with its tables filled in."""
    by_bots, by_network, responses, champion = (
        json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))
        for name in ("search", "search_network", "responses", "champion")
    )
    lines = by_bots["matches"]
    plain = [line for line in lines if _is_plain(line)]
    tables = {
        "strength": strength(plain, by_bots["machine"]),
        "variants": strength([line for line in lines if line not in plain], by_bots["machine"]),
        "network": strength(by_network["matches"], by_network["machine"]),
        "responses": strength(responses["matches"], responses["machine"]),
        "champion": strength(champion["matches"], champion["machine"]),
        "win_value": win_value(json.loads((EXPERIMENTS / "win_value.json").read_text("utf-8"))),
        **expert_iteration(
            *(json.loads((EXPERIMENTS / f"expert_{name}.json").read_text("utf-8")) for name in ("iteration", "late"))
        ),
        **foresight(json.loads((EXPERIMENTS / "foresight.json").read_text("utf-8"))),
        "withstand": withstand(json.loads((EXPERIMENTS / "withstand.json").read_text("utf-8"))),
        "local_responses": local_responses(json.loads((EXPERIMENTS / "local_responses.json").read_text("utf-8"))),
    }
    of_coach = json.loads((ROOT / "benchmarks" / "results" / "coach.json").read_text("utf-8"))
    of_judge = {"coach": coach(of_coach), "bars": bars(of_coach), "calibration": calibration(of_coach)}
    return {
        PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables),
        JUDGE_PAGE: _tables.fill((ROOT / JUDGE_PAGE).read_text("utf-8"), of_judge),
    }


def coach(data: dict[str, Any]) -> str:
    """What reviews say of games, and how right that is, by the way that the reviewed seat played."""
    rows = []
    for way, games in data["games"].items():
        charted = [game for game in games if "fallen" in game]
        costs = [cost for game in games for cost in game.get("costs", [])]
        agree = [one["within"] for game in games for one in game.get("agree", [])]
        rows.append(
            (
                way if " " in way or way == "all-in" else f"`{way}`",
                len(games),
                f"{sum(game['flagged'] for game in games)} of {sum(game['decisions'] for game in games):,}",
                f"{sum(game['flagged'] > 0 for game in games)}",
                _mean([100 * game["accuracy"] for game in games if game["accuracy"] is not None], 0),
                _mean([100 * game["loss"] for game in games], 0),
                _mean([100 * game["fallen"] for game in charted], 0),
                f"{sum(map(_within, costs))} of {len(costs)}",
                f"{sum(some for some, _ in agree)} of {sum(of for _, of in agree)}",
            )
        )
    header = (
        "the seat",
        "games",
        "decisions flagged",
        "in games",
        "accuracy, %",
        "points lost a game: said",
        "by the chart",
        f"losses within the interval of {data['playouts']:,} fresh playouts",
        "hints and reviews that agree",
    )
    everything = [game for games in data["games"].values() for game in games]
    both = np.array([(game["loss"], game["fallen"]) for game in everything if "fallen" in game])
    spent, drawn = (np.mean([game[key] for game in everything if key in game]) for key in ("seconds", "course_seconds"))
    note = (
        f"(Means of games with 95 % intervals. A review took {spent:.0f} seconds of a busy core, a chart {drawn:.0f}. "
        f"What is said and the chart correlate by {np.corrcoef(both.T)[0, 1]:.2f} in {len(both)} games. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(header, rows, note)


def bars(data: dict[str, Any]) -> str:
    """How often other seeds flag what costs enough, how often they flag advice, and whether they agree."""
    games = [game for way in data["games"].values() for game in way]
    costly = [cost for game in games for cost in game.get("costs", []) if cost["seeds"]]
    near = [cost for cost in costly if cost["true"][0] < 2 * COSTLY]
    of_coach = data["games"].get(COACH, [])
    advised = [[int(number < game["flagged"]), 1] for game in of_coach for number in range(game["decisions"])]
    agree = [one for game in games for one in game.get("agree", [])]
    shares = {
        f"flagged by a seed: decisions that cost {COSTLY:.0%} or more": [_seeds(cost) for cost in costly],
        f"of these, that cost less than {2 * COSTLY:.0%}": [_seeds(cost) for cost in near],
        "advice of the coach that its review flags": advised,
        "two hints or reviews of one action that differ by no more than the interval of both": [
            one["within"] for one in agree
        ],
        "hints or reviews that find what another one advises no worse, within the interval": [
            one["best"] for one in agree
        ],
    }
    rows = [(name, *_share(parts)) for name, parts in shares.items() if parts]
    spread, error = (np.mean([one[key] for one in agree]) for key in ("spread", "error"))
    note = (
        f"({len(costly)} decisions with 10 seeds each; advice in {len(of_coach)} of the games, its decisions as if "
        f"independent; {len(agree)} decisions with {data['settings']['seeds']} seeds each, of hints and reviews in "
        f"turn. Its chance differs by {100 * spread:.1f} points between seeds, with a standard error of "
        f"{100 * error:.1f} said.)"
    )
    return _tables.table(("", "measured", "95 %"), rows, note)


def _seeds(cost: dict[str, Any]) -> list[int]:
    return [sum(cost["seeds"]), len(cost["seeds"])]


def _share(parts: list[list[int]]) -> tuple[str, str]:
    """A share, and its interval by what it consists of."""
    some, of = (sum(part[at] for part in parts) for at in (0, 1))
    low, high = win_rate_interval(np.array([part / whole for part, whole in parts]))
    return f"{some} of {of}, {some / max(1, of):.1%}", f"{low:.0%} to {high:.0%}"


def _within(cost: dict[str, Any]) -> bool:
    """Whether a loss agrees with that in fresh playouts, within an interval of both errors."""
    (said, error), (true, true_error) = cost["said"], cost["true"]
    return bool(abs(said - true) <= CLEAR * (error**2 + true_error**2) ** 0.5)


def calibration(data: dict[str, Any]) -> str:
    """What share of the win seats got whose chance was in each bin."""
    games = [game["bins"] for games in data["games"].values() for game in games if "bins" in game]
    sums = [[sum(bins[index][part] for bins in games) for part in range(3)] for index in range(len(BINS) + 1)]
    ends = (0, *BINS, 1)
    rows = [
        (f"{low:.0%} to {high:.0%}", f"{count:,}", f"{chance / count:.1%}", f"{won / count:.1%}")
        for low, high, (count, chance, won) in zip(ends[:-1], ends[1:], sums, strict=True)
        if count
    ]
    return _tables.table(("chance", "seats at steps", "mean chance", "won"), rows)


def win_value(data: dict[str, Any]) -> str:
    """What each predictor explains of the variance of wins, by quarter of the game, in percent."""
    rows = [
        (cell["players"], name, *(f"{100 * one:.1f}" for one in cell[name]))
        for cell in data["cells"]
        for name in ("hidden layers", "standing", "own layers")
    ]
    cell = data["cells"][0]
    note = (
        f"(% of the variance of wins of {cell['agent']} among its copies, in {cell['held_out']:,} states of games that "
        f"were not fitted; {cell['games']:,} games, one seed, {cell['seconds']:.0f} seconds of a busy core. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(("players", "of", *("first", "second", "third", "last quarter")), rows, note)


def expert_iteration(data: dict[str, Any], late: dict[str, Any]) -> dict[str, str]:
    """What a response won and found in each round, in all of the game and at its end, what of it can be learned, and
    when in the game a search gains what; in points.
    """
    explained, lots, fitted = (
        next(cell for cell in of["cells"] if key in cell)
        for of, key in ((data, "part"), (data, "lots"), (late, "epochs"))
    )
    found = [100 * cell["found"][0] for cell in data["cells"] if "found" in cell]
    gained = sum(count * gain for _, count, gain, _, _ in lots["lots"])
    by_lots = [
        (
            f"{least} to {least + LOTS_TOGETHER - 1}",
            f"{count:,}",
            f"{100 * gain:.2f} ± {196 * error:.2f}",
            f"{count * gain / gained:.0%}",
            f"{100 * spread:.1f}",
        )
        for least, count, gain, error, spread in lots["lots"]
    ]
    of_lots = ("lots to come", "decisions", "a search gains, points", "of all gains", "deviation of the second action")
    epochs = [
        (number, *(f"{100 * gain:.3f} ± {196 * error:.3f}" for gain, error in row))
        for number, row in enumerate(fitted["epochs"], 1)
    ]
    of_epochs = ("epoch", f"{fitted['fitted']:,} decisions that it learns from", f"{fitted['held_out']:,} others")
    last = [cell for cell in late["cells"] if "found" in cell][-1]
    passes, seen = (next(cell[key] for cell in late["cells"] if key in cell) for key in ("passes", "part"))
    without, with_them = (f"{100 * gain:.2f} ± {196 * error:.2f}" for gain, error in passes["gains"])
    return {
        "expert_iteration": _rounds(data),
        "expert_late": _rounds(late),
        "lots": _tables.table(of_lots, by_lots),
        "late_fit": _tables.table(of_epochs, epochs),
        "late_spread": f"{100 * last['spread']:.0f}",
        "late_part": f"{seen:.0%}",
        "passes_share": f"{passes['share']:.0%}",
        "passes_worth": f"{100 * passes['worth']:.1f}",
        "passes_spread": f"{100 * passes['spread']:.0f}",
        "passes_with": with_them,
        "passes_without": without,
        "late_noise": f"{100 * last['noise']:.0f}",
        "explained": f"{explained['part']:.1%} of {explained['decisions']:,} decisions",
        "found": f"{min(found):.1f} to {max(found):.1f}",
    }


def _rounds(data: dict[str, Any]) -> str:
    """What a response won and found in each round, in points, and what the network learned of it."""
    cells = [cell for cell in data["cells"] if "found" in cell]
    rows = [
        (
            cell["round"],
            *(f"{100 * cell[key][0]:.{places}f} ± {196 * cell[key][1]:.{places}f}" for key, places in _OF_ROUNDS),
            f"{cell['nats'][0]:.3f}",
            f"{cell['found'][2]:,}",
        )
        for cell in cells
    ]
    settings = data["settings"]
    note = (
        f"(Points, with 95 % intervals; `{settings['agent']}` at first, rate {settings['rate']:g}, "
        f"{settings['playouts']} playouts a decision, {cells[0]['response'][2]} games a round. "
        f"{_tables.measured(data['machine'])})"
    )
    header = (
        "round",
        "the response wins",
        "a search gains in a decision",
        "the network has gained",
        "nats",
        "decisions",
    )
    return _tables.table(header, rows, note)


def foresight(data: dict[str, Any]) -> dict[str, str]:
    """What a response changes, by kind and what is gained; and what is explained by how far one looks."""
    *games, judged = data["cells"]
    settings = data["settings"]
    decisions = judged["decisions"]
    changes = dict(judged["changes"])
    changes.pop("none", None)
    found = sum(share * gain for share, gain, _ in changes.values())
    rows = [
        (kind, f"{share:.1%}", f"{100 * gain:+.1f} ± {196 * error:.1f}", f"{share * gain / found:.0%}")
        for kind, (share, gain, error) in sorted(changes.items(), key=lambda one: -one[1][0] * one[1][1])
        if share * decisions >= LEAST
    ]
    note = (
        f"({decisions:,} decisions with two candidates or more, {settings['players']} players, `{settings['agent']}`, "
        f"{settings['playouts']} playouts each, of {32 * len(games)} games and of two rounds of [expert "
        "iteration](#expert-iteration); "
        f"kinds of {LEAST} decisions or more. {100 * found:.2f} points a decision in all. "
        f"{_tables.measured(data['machine'])})"
    )
    depths = [(depth, f"{part:.0%}") for depth, part in zip(DEPTHS, judged["explained"], strict=True)]
    header = ("in place of what the network would do", "of all decisions", "gain, points", "of all gains")
    return {
        "changes": _tables.table(header, rows, note),
        "depths": _tables.table(("lots that have been turned over since", "explained"), depths),
        "foresight": f"{100 * judged['deviation']:.1f} points in {judged['auctions']:,} decisions",
    }


def local_responses(data: dict[str, Any]) -> str:
    """What a best response and a local one win against the policy of each rule, by rounds, in points."""
    rows = [
        (
            cell["rule"],
            *(
                f"{100 * best:.1f} ({100 * local:.1f})"
                for best, local in zip(cell["exploitability"], cell["local"], strict=True)
            ),
        )
        for cell in data["cells"]
    ]
    note = (
        f"(Points above the policy's own share, of a best response and, in brackets, of a local one; from "
        f"`{data['settings']['agent']}`. {sum(cell['seconds'] for cell in data['cells']):.0f} s. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(("rule", *(f"{rounds} rounds" for rounds in data["cells"][0]["rounds"])), rows, note)


def withstand(data: dict[str, Any]) -> str:
    """How exploitable networks are that learn on in several ways, in points, means of all seeds with intervals."""
    steps, rows = data["settings"]["steps"], []
    shown = sorted({0, 2, steps // 2, steps})
    for way in dict.fromkeys(cell["way"] for cell in data["cells"]):
        cells = [cell for cell in data["cells"] if cell["way"] == way]
        values = [[100 * cell["steps"][step]["best"] for cell in cells] for step in shown]
        values += [[100 * cell["steps"][-1][name] for cell in cells] for name in ("local", "mixture")]
        seconds = sum(cell["seconds"] for cell in cells) / len(cells)
        rows.append((way, *map(_mean, values), len(cells), f"{seconds:.0f}"))
    header = (
        "way",
        *(f"after {step}" for step in shown),
        "a local one",
        "mixture of all steps",
        "seeds",
        "seconds each",
    )
    return _tables.table(header, rows, f"({_tables.measured(data['machine'])})")


def _mean(values: Sequence[float], digits: int = 1) -> str:
    """A mean with its 95 % interval by Student's t."""
    if len(values) < 2:
        return ", ".join(f"{value:.{digits}f}" for value in values)
    mean, low, high = (f"{value:.{digits}f}" for value in over_seeds(values))
    return f"{mean} [{low}, {high}]"


def strength(lines: list[dict[str, Any]], machine: dict[str, Any]) -> str:
    """A table with a row for each match."""
    return _tables.table(_HEADER, [_row(line) for line in lines], f"({_tables.measured(machine)})")


def _is_plain(line: dict[str, Any]) -> bool:
    return bool(_PLAIN.fullmatch(line["spec"])) and line["against"] == "heuristic" and line["game"] == "warehouse51_v1"


def _row(line: dict[str, Any]) -> tuple[str, ...]:
    searcher, other = line["agents"]
    against = line["against"] if line["game"] == "warehouse51_v1" else f"{line['against']}, {line['game']}"
    return (
        f"`{line['spec']}`",
        str(line["players"]),
        against,
        str(line.get("games_played", line["games"])),
        f"{1000 * line['seconds_per_decision']:.1f}",
        f"**{searcher['win_rate']:.0%}** ({searcher['low']:.0%} to {searcher['high']:.0%})",
        f"{line['equal_share']:.0%}",
        f"{searcher['mean_score'] - other['mean_score']:+.1f}",
    )
