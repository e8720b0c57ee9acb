"""The tables of the experiments, from experiments/results. To run again: `python -m experiments.NAME`."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docs import _tables
from docs._payee import payee
from experiments.analysis import (
    FIRST,
    MEASURES,
    PERCENT,
    PLAYERS,
    TOLD_AT,
    fit,
    kind_of,
    odds,
    over_all,
    p_value,
    redrawn_weights,
    series,
    table_of,
    unlike_first,
)  # fmt: skip
from w51_lab.statistics.estimates import Interval, holm, over_seeds, student_p, student_quantile
from w51_lab.statistics.metagame import nash_average

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "experiments" / "results"
FORMS = ("greedy", "sampled", "mixture")
Data = dict[str, Any]


def pages() -> dict[str, str]:
    """The page of each experiment with its table."""
    filled = {}
    for name, table in TABLES.items():
        page = f"docs/experiments/{name}.md"
        text = table(json.loads((RESULTS / f"{name}.json").read_text("utf-8")))
        filled[page] = _tables.fill((ROOT / page).read_text("utf-8"), {name: text})
    return filled


def exploitability(data: Data) -> str:
    """Exploitability of each learner at the end of its training, all seeds, in points."""
    rows = []
    for name in dict.fromkeys(curve["learner"] for curve in data["curves"]):
        last = [curve["points"][-1] for curve in data["curves"] if curve["learner"] == name]
        least = [min(row["sampled"] for row in curve["points"]) for curve in data["curves"] if curve["learner"] == name]
        rows.append((name, *(_points(row[form] for row in last) for form in FORMS), _points(least)))
    header = ("learner", *(f"{form}, at the end" for form in FORMS), "least, sampled")
    seconds = sum(curve["seconds"] for curve in data["curves"]) / len(data["curves"])
    note = (
        f"(Points, a number for each seed; {data['decisions']:,} decisions each, {seconds:.0f} s on one core. Uniform "
        f"random play: {_points([data['uniform']])}; CFR+ after 100 iterations: {100 * data['cfr']:.2f}. "
        f"{_tables.measured(data['machine'])})"
    )
    return _tables.table(header, rows, note)


def auctions(data: Data) -> str:
    """The measures of each form by agent; then prices of one lot in equilibrium."""
    rows = [
        (
            cell["agent"] + (f", seed {cell['seed']}" if cell["training_seconds"] else ""),
            cell["form"],
            *(f"{cell[key]:.2f}" for key in ("price", "unsold")),
            f"{cell['efficiency']:.1f}",
            f"{100 * cell['worth_of_most']:.1f}",
        )
        for cell in sorted((cell for cell in data["cells"] if "form" in cell), key=lambda cell: cell["agent"])
    ]
    header = ("agent", "auctions", "price", "unsold, %", "to the seat of most worth, %", "worth of the most, %")
    lots = [
        (cell["worth"], *(", ".join(f"{price:.0f}" for price in cell[form]) for form in ("open", "blind")))
        for cell in data["cells"]
        if "one_lot" in cell
    ]
    settings = data["settings"]
    note = f"{settings['decisions']:,} decisions a training, {settings['games']:,} games a row"
    return (
        f"{_with_note(header, rows, data, note)}\n\nPrices of one lot in all equilibria:\n\n"
        f"{_tables.table(('worth', 'open', 'blind'), lots)}"
    )


def pairs(data: Data) -> str:
    """The effects of each pair, with intervals by deal, or over trainings."""
    rows, marked, judged = [], *_judged(data)
    for cell in data["cells"]:
        option, _, values = cell["pair"].replace(":reconstruction-1", "").partition("=")
        for row in cell["effects"]:
            interval = over_all(row)
            known = not math.isnan(interval.low)
            ends = f" [{interval.low:+.2f}, {interval.high:+.2f}]{marked[id(row)]}" if known else ""
            means = f"{row['first']:.2f} → {row['second']:.2f}"
            pair = f"{option}: {values.replace(',', ' → ')}"
            rows.append((pair, cell["agent"], MEASURES[row["measure"]], means, f"{interval.mean:+.2f}{ends}"))
    settings = data["settings"]
    note = (
        f"{settings['games']:,} pairs of games a row and training; trained: {settings['seeds']} trainings of "
        f"{settings['decisions']:,} decisions for each side. In square brackets: 95 % interval over deals, of trained "
        f"agents over trainings by Student's t. {judged}"
    )
    return _with_note(("pair", "agent", "number", "means", "difference"), rows, data, note)


def _judged(data: Data) -> tuple[dict[int, str], str]:
    """A star for each difference, by its identity, that is none of chance if all of the page are judged together."""
    rows = [row for cell in data["cells"] for row in cell["effects"]]
    answered = holm([p_value(row) for row in rows])
    apart = sum(low > 0 or high < 0 for _, low, high in map(over_all, rows))
    text = (
        f"{apart} of {len(rows)} intervals exclude 0; \\*: {sum(answered)} differences that are none of chance if all "
        "are judged together (Holm, 5 %)"
    )
    return {id(row): " \\*" * answer for row, answer in zip(rows, answered, strict=True)}, text


def effects(data: Data) -> str:
    """A table for each kind of pair: a row for each of its pairs, with its effects side by side."""
    kinds: dict[tuple[str, bool], list[Data]] = {}
    for cell in data["cells"]:
        kinds.setdefault(kind_of(cell), []).append(cell)
    marked, judged = _judged(data)
    tables = []
    for cells in kinds.values():
        names = list(dict.fromkeys(row["measure"] for cell in cells for row in cell["effects"]))
        rows = []
        for cell in cells:
            found = {row["measure"]: row for row in cell["effects"]}
            texts = (_effect(found[name], marked) if name in found else "" for name in names)
            rows.append((*_who(cell), *texts))
        tables.append((("pair", "agents", *(MEASURES[name] for name in names)), rows))
    settings = data["settings"]
    trainings = f", {settings['seeds']} trainings of {settings['decisions']:,} decisions for each side"
    is_trained = any(row["over_trainings"] for cell in data["cells"] for row in cell["effects"])
    independent = "trainings by Student's t" if is_trained else "deals"
    note = (
        f"{settings['games']:,} pairs of games a row{trainings if is_trained else ''}. Means of both sides; in square "
        f"brackets the 95 % interval of the difference over {independent}. {judged}"
    )
    *first, last = tables
    return "\n\n".join([*(_tables.table(*table) for table in first), _with_note(*last, data, note)])


def _who(cell: Data) -> tuple[str, str]:
    """The two sides of a pair, and its agents."""
    option, _, values = cell["pair"].partition("=")
    agents, sides = cell["agent"].replace(" ", " among "), f"{option}: {values.replace(',', ' → ')}"
    if option == "agent":
        (agent, first), (_, second) = (value.rsplit("-", 1) for value in values.split(","))
        agents, sides = f"{agent} among {agents}", f"{first} → {second}"
    return sides, f"{agents}, {cell['num_players']} players" if "num_players" in cell else agents


def _effect(row: Data, marked: Mapping[int, str]) -> str:
    scale, digits = (100, 1) if row["measure"] in PERCENT else (1, 2)
    interval = over_all(row)
    means = " → ".join(f"{scale * row[side]:.{digits}f}" for side in ("first", "second"))
    if math.isnan(interval.low):
        return means
    return f"{means} [{scale * interval.low:+.{digits}f}, {scale * interval.high:+.{digits}f}]{marked[id(row)]}"


def generalisation(data: Data) -> str:
    """Wins of each agent in each game, of an equal share."""
    cells = {(cell["agent"], *_game_of(cell)): cell["wins"] for cell in data["cells"]}
    agents = list(dict.fromkeys(cell["agent"] for cell in data["cells"]))
    rows = []
    for game in dict.fromkeys(_game_of(cell) for cell in data["cells"]):
        wins = [cells.get((agent, *game), ()) for agent in agents]
        rows.append((*game, *("refuses" if rates is None else _interval(rates) if rates else "" for rates in wins)))
    header = ("players", "cards", "preset", *agents)
    decisions = max(cell.get("decisions", 0) for cell in data["cells"])
    note = f"{data['settings']['deals']:,} deals a row, each from every seat; {decisions:,} decisions of each expert"
    return "\n\n".join((_with_note(header, rows, data, note), kinds_of_sets(data)))


def _game_of(cell: Data) -> tuple[int, str, str]:
    return cell["num_players"], cell["relics"], cell["preset"]


def kinds_of_sets(data: Data) -> str:
    """Means over sets that `pretrained-v2` met and over new ones, and their difference, with sets as the draws."""
    found = [cell for cell in data["cells"] if cell["num_players"] == 4 and cell["relics"].startswith("generated:")]

    def of(agent: str, kind: str) -> np.ndarray:
        by_seed = {int(cell["relics"][10:]): cell["wins"][0] for cell in found if cell["agent"] == agent}
        return np.array([by_seed[seed] for seed in sorted(by_seed) if (seed > 1000) == (kind == "new")])

    gains = {kind: of("expert", kind) - of("generalist", kind) for kind in ("met", "new")}
    parts = {kind: of("pretrained-v2", kind) / of("expert", kind) for kind in gains}
    measures = {
        "expert less generalist, last four of each (the question)": {kind: gain[4:] for kind, gain in gains.items()},
        "expert less generalist, all": gains,
        **{name: {kind: of(name, kind) for kind in gains} for name in ("pretrained-v2", "generalist", "expert")},
        "pretrained-v2 as a part of the expert": parts,
    }
    tests = [apart(measure["met"], measure["new"]) for measure in measures.values()]
    stars = [False, *holm([p for _, p in tests[1:]])]
    rows = [
        (name, *(_interval(over_seeds(measure[kind])) for kind in gains), _interval(test[0], "+") + " \\*" * star)
        for (name, measure), test, star in zip(measures.items(), tests, stars, strict=True)
    ]
    return _tables.table(("wins, of an equal share", *gains, "new less met"), rows)


def apart(first: np.ndarray, second: np.ndarray) -> tuple[Interval, float]:
    """The mean of the second values less that of the first, with its interval by Student's t; and its p-value."""
    ahead, freedom = float(second.mean() - first.mean()), len(first) + len(second) - 2
    error = math.hypot(*(float(one.std(ddof=1)) / len(one) ** 0.5 for one in (first, second)))
    reach = student_quantile(freedom) * error
    return Interval(ahead, ahead - reach, ahead + reach), student_p(ahead / error, freedom)


def scaling(data: Data) -> str:
    """The fitted exponent of each series, and its odds at both ends."""
    rows = []
    for label, curves in series(data).items():
        for name, amounts, rates, trainings in curves:
            line = fit(amounts, rates[:, 0], trainings)
            first, last = (float(np.mean(odds(rates[amounts == end, 0]))) for end in (amounts.min(), amounts.max()))
            known = not np.isnan(line["low"])
            exponent = f"{line['exponent']:.2f}" + (f" [{line['low']:.2f}, {line['high']:.2f}]" if known else "")
            ends = f"{amounts.min():,.0f} to {amounts.max():,.0f}"
            rows.append((label, name, ends, f"{first:.3f} to {last:.3f}", exponent))
    settings = data["settings"]
    note = f"{settings['deals']:,} deals a point, {settings['search_deals']:,} for search"
    return _with_note(("over", "of", "from, to", "odds, heuristic = 1", "exponent"), rows, data, note)


def psro(data: Data) -> str:
    """The meta-game: what each response won against its mixture, and the equilibrium of the whole population."""
    cells = [cell for cell in data["cells"] if "iteration" in cell]
    weights = nash_average(table_of(cells)).weights
    redrawn = redrawn_weights(cells, PLAYERS * data["settings"]["deals"])
    low, high = np.quantile(redrawn, (0.025, 0.975), axis=0)
    shares = [_interval(share) for share in zip(weights, low, high, strict=True)]
    alone = f"one agent is alone in {100 * (redrawn.max(axis=1) > 0.99).mean():.0f} % of them"
    rows = [(FIRST, "", "", shares[0])]
    for cell, share in zip(cells, shares[1:], strict=True):
        mixture = ", ".join(f"{share:.2f}" for share in cell["mixture"])
        won = 100 * np.dot(cell["mixture"], np.array(cell["wins"])[:, 0])
        rows.append((f"response {cell['iteration']}", mixture, f"{won:.1f}", share))
    header = (
        "agent",
        "learned against",
        f"wins against it, % ({100 / PLAYERS:.0f}: equal)",
        "share in the last mixture",
    )
    exact = [
        (cell["mini"], ", ".join(f"{100 * value:.2f}" for value in cell["exploitability"]), f"{cell['seconds']:.0f}")
        for cell in data["cells"]
        if "mini" in cell
    ]
    settings = data["settings"]
    note = f"{settings['decisions']:,} decisions a response, {settings['deals']:,} deals an entry; in square brackets "
    note += f"95 % of redraws of the wins: {alone}"
    mini = _tables.table(("mini game", "exploitability after 0, 1, 2, ... iterations, points", "seconds"), exact)
    return f"{_with_note(header, rows, data, note)}\n\n{mini}"


def memory(data: Data) -> str:
    """Win rates of one among three, a number for each seed, with half of the largest interval."""
    names = [name for name in data["cells"][0] if " among " in name]
    rows = [
        (
            name,
            _points(cell[name][0] for cell in data["cells"]),
            f"{100 * max(cell[name][1] for cell in data['cells']):.1f}",
        )
        for name in names
    ]
    settings = data["settings"]
    note = f"{settings['decisions']:,} decisions a training, {settings['deals']:,} deals a match, each from every seat"
    return _with_note(("one among three", "wins, %, of each seed", "± at most"), rows, data, note)


def remembering(data: Data) -> str:
    """The exploitability of what CFR+ finds, and of networks, a number for each seed."""
    solved = {True: "CFR+, remembers all", False: "CFR+, forgets"}
    answers = [cell for cell in data["cells"] if "answers" in cell]
    rows: list[tuple[str, str, str]] = [
        (f"honest, answered by who {how}", f"{100 * cell[name]:.2f}", "")
        for cell in answers
        for how, name in (("remembers", "exploitability"), ("forgets", "forgets"))
    ]
    rows += [
        (solved[cell["solved"]], f"{100 * cell['exploitability']:.2f}", f"{cell['states']:,}")
        for cell in data["cells"]
        if "solved" in cell
    ]
    for arm in dict.fromkeys(cell["arm"] for cell in data["cells"] if "arm" in cell):
        values = [cell["exploitability"] for cell in data["cells"] if cell.get("arm") == arm]
        rows.append((f"self-play, {arm}", ", ".join(f"{100 * value:.2f}" for value in values), ""))
    settings = data["settings"]
    note = f"{settings['iterations']:,} iterations, {settings['decisions']:,} decisions a training"
    return _with_note(("play", "exploitability, %, of each seed", "states in which a seat moves"), rows, data, note)


def populations(data: Data) -> str:
    """How soon each network tells who plays, and what it wins among whom: means over seeds, with each seed."""
    told, won = [], []
    by_arm = {arm: [cell for cell in data["cells"] if cell["arm"] == arm] for arm in _arms(data)}
    stages_of = {arm: np.array([[share for share, _ in cell["told"]] for cell in of]) for arm, of in by_arm.items()}
    stars = _stars([np.hstack([stages_of[arm], _wins(cells)]) for arm, cells in by_arm.items()])
    for (arm, cells), starred in zip(by_arm.items(), stars, strict=True):
        told.append((arm, *(f"{_range(list(seeds), 1)}{next(starred)}" for seeds in 100 * stages_of[arm].T)))
        won.append(
            (arm, *(_means([cell["wins"][name] for cell in cells]) + next(starred) for name in cells[0]["wins"]))
        )
    settings = data["settings"]
    trainings = f"{settings['decisions']:,} decisions a training, {len(data['cells'])} trainings"
    deals = f"{settings['deals']:,} deals a match, {settings['held_out_deals']} against who is held out"
    ends = (*TOLD_AT[1:], None)
    stages = (f"{low} to {end - 1}" if end else f"{low} or more" for low, end in zip(TOLD_AT, ends, strict=True))
    first = _tables.table(("kinds told, %, after own decisions", *stages), told)
    header = ("wins alone, %", *(f"among {name}" for name in data["cells"][0]["wins"]))
    brackets = "In brackets, above: the lowest and the highest of the trainings of a network; below: each of them"
    note = f"{trainings}, {deals}, each from every seat; ±: 95 % interval over deals. {brackets}. {_STARRED}"
    return f"{first}\n\n{_with_note(header, won, data, note)}"


def reading(data: Data) -> str:
    """What each network wins, alone and against a lone one: means over seeds, with each seed."""
    cells = {arm: [cell for cell in data["cells"] if cell["arm"] == arm] for arm in _arms(data)}
    stars = _stars([_wins(of_arm) for of_arm in cells.values()])
    rows = [
        (arm, *(_means([cell["wins"][name] for cell in of_arm]) + next(starred) for name in of_arm[0]["wins"]))
        for (arm, of_arm), starred in zip(cells.items(), stars, strict=True)
    ]
    settings, header = data["settings"], ("network", *(_match(name) for name in data["cells"][0]["wins"]))
    note = f"{settings['decisions']:,} decisions a training, {settings['deals']:,} deals a match, each from every seat"
    note = f"Wins in %; {note}; ±: 95 % interval over deals; in brackets: each seed. {_STARRED}"
    return _with_note(header, rows, data, note)


_STARRED = (
    "\\*: unlike the first row, by Student's t over trainings, if all differences to it on this page are judged "
    "together (Holm, 5 %)"
)


def _wins(cells: Sequence[Data]) -> np.ndarray:
    """(trainings, matches) win rates."""
    return np.array([[rate for rate, _ in cell["wins"].values()] for cell in cells])


def _stars(arms: Sequence[np.ndarray]) -> list[Iterator[str]]:
    """Of each arm the stars of its measures; the first has none."""
    unlike = [np.zeros(arms[0].shape[1], bool), *unlike_first(arms)]
    return [iter([" \\*" * bool(one) for one in measures]) for measures in unlike]


def _match(name: str) -> str:
    how, other = name.split(" ", 1)
    return f"alone among `{other}`" if how == "among" else f"a lone `{other}` among it"


def _arms(data: Data) -> list[str]:
    return list(dict.fromkeys(cell["arm"] for cell in data["cells"]))


def _means(rates: Sequence[Sequence[float]]) -> str:
    """Of rates with half their intervals, one for each seed: the mean with half its interval, and each."""
    wins, reach = 100 * np.array(rates).T
    half = float(np.sqrt((reach**2).sum())) / len(reach)
    return f"{wins.mean():.1f} ± {half:.1f} ({', '.join(f'{one:.1f}' for one in wins)})"


def _points(values: Any) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values)


def _interval(values: Sequence[float], sign: str = "") -> str:
    mean, low, high = values
    return f"{mean:{sign}.2f} [{low:{sign}.2f}, {high:{sign}.2f}]"


def _range(values: list[float], digits: int) -> str:
    mean = float(np.mean(values))
    ends = f" ({min(values):.{digits}f} to {max(values):.{digits}f})" if len(values) > 1 else ""
    return f"{mean:.{digits}f}{ends}"


def _with_note(header: tuple[str, ...], rows: list[tuple[Any, ...]], data: Data, note: str) -> str:
    """A table, and under it sizes, wall time and the machine."""
    minutes = sum(cell["seconds"] for cell in data["cells"]) / 60
    measured = _tables.measured(data["machine"], data["cells"])
    return _tables.table(header, rows, f"({note}; {minutes:.0f} minutes on one busy core. {measured})")


def equilibrium(data: Data) -> str:
    """What each learner loses in each auction, in percent: the mean over seeds, the least and the greatest."""
    found: dict[tuple[int, int, int], list[Data]] = {}
    auctions, learners = ([cell[key] for cell in data["cells"]] for key in ("auction", "learner"))
    for cell in data["cells"]:
        place = auctions.index(cell["auction"]), learners.index(cell["learner"]), cell["decisions"]
        found.setdefault(place, []).append(cell)
    rows = []
    for place in sorted(found):
        first, *_ = cells = found[place]
        losses = [
            _range([100 * cell[form][key] for cell in cells], 2) if form in first else ""
            for key in ("against_equilibrium", "loss")
            for form in FORMS[1::-1]
        ]
        unit = "" if "greedy" in first or not place[2] else " iterations"
        seconds = f"{max(cell['processor_seconds'] for cell in cells):.0f}"
        rows.append((first["auction"], first["learner"], f"{place[2]:,}{unit}", len(cells), *losses, seconds))
    against, best = "against the equilibrium", "against a best response"
    losses = [f"{key}, {form}" for key in (against, best) for form in FORMS[1::-1]]
    note = "Percent of the payoff; seconds of processor time of the longest training"
    return _with_note(("auction", "learner", "decisions", "seeds", *losses, "seconds"), rows, data, note)


def lots(data: Data) -> str:
    """What each seat earns and loses, of learners in the mean over seeds with its interval."""
    rows = []
    for auction, learner in dict.fromkeys((cell["auction"], cell["learner"]) for cell in data["cells"]):
        cells = [cell for cell in data["cells"] if (cell["auction"], cell["learner"]) == (auction, learner)]
        payoffs = " / ".join(f"{value:.2f}" for value in np.mean([cell["payoffs"] for cell in cells], axis=0))
        worst = {key: [100 * max(cell[key]) for cell in cells if key in cell] for key in ("losses", "greedy")}
        losses = (_of_seeds(values) if values else "" for values in worst.values())
        seconds = max(cell["processor_seconds"] for cell in cells)
        rows.append((auction, learner, len(cells), payoffs, *losses, f"{seconds:.0f}"))
    header = ("auction", "learner", "seeds", "payoff", "loss, sampled", "loss, greedy", "seconds")
    note = (
        f"{data['settings']['decisions']:,} decisions a training. Payoff of each seat, in units; loss: what a best "
        "response gains, percent of what it gets, of the seat that loses most; in brackets the 95 % interval over "
        "seeds by Student's t; processor time of the longest training"
    )
    return _with_note(header, rows, data, note)


def published_ppo(data: Data) -> str:
    """Exploitability of each learner after equal parts of its training."""
    settings, rows = data["settings"], []
    for game, learner in dict.fromkeys((cell["game"], cell["learner"]) for cell in data["cells"]):
        cells = [cell for cell in data["cells"] if (cell["game"], cell["learner"]) == (game, learner)]
        curves = np.array([cell["exploitability"] for cell in cells])
        seconds = max(cell["processor_seconds"] for cell in cells)
        rows.append((game, learner, len(cells), *(_of_seeds(values.tolist()) for values in curves.T), f"{seconds:.0f}"))
    parts = range(1, settings["points"] + 1)
    after = (f"after {settings['decisions'] * part // settings['points']:,}" for part in parts)
    note = (
        "Half of NashConv, in chips or in wins less losses; in brackets the 95 % interval over seeds by Student's t; "
    )
    note += "processor time of the longest training"
    return _with_note(("game", "learner", "seeds", *after, "seconds"), rows, data, note)


def _of_seeds(values: Sequence[float]) -> str:
    """The mean of several seeds with its interval; the value of one."""
    return _interval(over_seeds(values)) if len(values) > 1 else f"{values[0]:.2f}"


def collusion(data: Data) -> str:
    """Prices, revenue and the gain over the equilibrium of one round, with intervals over trainings; then CFR+."""
    rows, trained = [], [cell for cell in data["cells"] if "condition" in cell]
    for name in dict.fromkeys(cell["condition"] for cell in trained):
        cells = [cell for cell in trained if cell["condition"] == name]
        means = [over_seeds([cell[key] for cell in cells]) for key in ("revenue", "gain")]
        first, last = (np.mean([cell["learned"]["prices"][at] for cell in cells]) for at in (0, -1))
        prices = f"{np.mean([cell['learned']['price'] for cell in cells]):.2f} ({first:.2f}, {last:.2f})"
        each = ", ".join(f"{cell['gain']:+.2f}" for cell in cells)
        rows.append((name, prices, *(_interval(mean) for mean in means), each))
    header = ("condition", "price (first, last round)", "revenue", "gain", "gain of each training")
    solved = [cell for cell in data["cells"] if "solved" in cell]
    exact = [
        (
            cell["solved"],
            *(f"{cell[key]:.3f}" for key in ("price", "payoff", "gap")),
            f"{cell['price'] / solved[0]['price']:.2f}",
        )
        for cell in solved
    ]
    settings, static = data["settings"], np.mean([cell["static"]["price"] for cell in trained])
    note = f"{settings['decisions']:,} decisions a training, {settings['games']:,} games of {settings['rounds']} rounds"
    note = f"{note} each; price in the equilibrium of one round: {static:.2f}"
    small = ("CFR+, values and bids 0 to 4", "price", "payoff", "a best response gains", "price, of that of one round")
    return f"{_with_note(header, rows, data, note)}\n\n{_tables.table(small, exact)}"


TABLES: Mapping[str, Callable[[Data], str]] = (
    {
        function.__name__: function
        for function in (
            exploitability,
            auctions,
            pairs,
            generalisation,
            scaling,
            psro,
            memory,
            equilibrium,
            collusion,
            remembering,
            populations,
            reading,
            payee,
            published_ppo,
        )
        if (RESULTS / f"{function.__name__}.json").exists()
    }
    | dict.fromkeys(("payment", "knowing", "bluff"), effects)
    | dict.fromkeys(("asymmetric", "units", "items"), lots)
)
