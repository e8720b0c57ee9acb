"""Check of the arena's statistics on real games: `python benchmarks/arena_statistics.py`.

Heuristic agents that sometimes act at random play once; matches are resampled from their deals. In a match of equal
agents the names are permuted for every deal, so the true difference is exactly 0. The benchmark measures the coverage
of 95 % intervals, how often the sequential test calls equal agents different, how often and how soon it finds a true
difference of 2 points of win rate, beside other stopping rules, and design effects.
"""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, headline, machine, wide_console, write_json
from w51_agents import make_agent
from w51_agents.agent.interface import Agent, BatchAgent
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.arena.matches import play_matches
from w51_lab.statistics.estimates import design_effect, intervals, win_rate_interval
from w51_lab.statistics.games import Games
from w51_lab.statistics.sequential import LOOK_EVERY, sequential_test, sequential_tests

GAME = "warehouse51_v1"
MISTAKES = 0.02  #  of equal agents
# Probability of a random action of the first agent and of its three opponents; it wins 2 points less.
TRUE_DIFFERENCES = {
    "deterministic opponents": (0.005, 0.0),
    "opponents with random mistakes": (0.026, 0.02),
}
ALPHA = 0.05
Rule = Callable[[np.ndarray], int]  # number of deals after which a rule decides a difference, 0 if never


class MistakenHeuristic(BatchAgent):
    """The heuristic with random mistakes: each action is a random legal one with a small probability."""

    def __init__(self, game: Game, mistakes: float):
        self._agent, self._mistakes = make_agent("heuristic", game), mistakes

    def reset(self, seed: int) -> None:
        """Start new games with this seed."""
        self._agent.reset(seed)
        self._generator = np.random.default_rng(seed)

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """Return (N,) actions, some of them random."""
        actions = self._agent.act_batch(observations, action_masks)
        mistaken = np.flatnonzero(self._generator.random(len(actions)) < self._mistakes)
        legal = action_masks[mistaken] != 0
        actions[mistaken] = (legal * self._generator.random(legal.shape)).argmax(axis=1)
        return actions


def main(
    deals: Annotated[int, typer.Option(min=100, help="Deals of the match of equal agents.")] = 5000,
    unequal_deals: Annotated[int, typer.Option(min=100, help="Deals of each match with a true difference.")] = 6000,
    repetitions: Annotated[int, typer.Option(min=10, help="Resampled matches of each kind.")] = 200,
    more: Annotated[int, typer.Option(min=10, help="Resampled matches where many are cheap.")] = 2000,
    json_file: ResultsFile = (RESULTS / "arena_statistics.json"),
) -> None:
    """Play, measure, print and write the results."""
    console, facts = wide_console(), machine()
    console.print(headline(facts), highlight=False)
    game = make_game(GAME, num_players=4)
    with console.status("Playing equal agents ..."):
        equals = games_of(game, [MistakenHeuristic(game, MISTAKES) for _ in range(4)], deals)
    played = {}
    for name, (first, others) in TRUE_DIFFERENCES.items():
        with console.status(f"Playing {name} ..."):
            opponent = MistakenHeuristic(game, others) if others else make_agent("heuristic", game)
            played[name] = games_of(game, [MistakenHeuristic(game, first), opponent], unequal_deals)
    far = games_of(game, [make_agent("heuristic", game), make_agent("random", game)], 1000)
    coverage = [row for size in (10, 40, 200, 1000) for row in covered(equals, size, more)] + [
        row for size in (10, 40, 200) for row in covered_made(size, more)
    ]
    show(console, "Coverage of 95 % intervals", coverage)
    alarms = [row for size in (200, 1000, 2500) for row in false_alarms(equals, size, more)]
    alarms += [row for size in (1000, 2500) for row in false_alarms(equals, size, repetitions)[:1]]
    alarms.append(any_pair(equals, 1000, more))
    show(console, "Equal agents called different", alarms)
    intervals_found = [
        row
        for name, games in played.items()
        for size in (1000, 2500, 5000)
        for row in power(name, games, size, repetitions)
    ]
    show(console, "A true difference of 2 points", intervals_found)
    effects = [
        design_effects(name, games)
        for name, games in {"equals": equals, **played, "heuristic against random": far}.items()
    ]
    show(console, "Design effects", effects)
    write_json(json_file, facts, [], coverage=coverage, alarms=alarms, found=intervals_found, design_effects=effects)


def games_of(game: Game, agents: Sequence[Agent], deals: int) -> Games:
    """Return a match, each deal in all four rotations, with agents by position instead of seat."""
    names = [f"agent {number}" for number in range(len(agents))]
    results = play_matches(game, list(zip(names, agents, strict=True)), deals * game.num_players, seed=1)
    rows = results.scores.shape[0] * results.scores.shape[1]
    seats = np.tile(results.lineup, (rows, 1)).astype(np.int16)
    return Games(
        tuple(names),
        np.repeat(np.arange(deals), game.num_players),
        np.zeros(rows, np.int32),
        seats,
        results.scores.reshape(rows, -1),
        results.ranks.reshape(rows, -1),
        np.zeros(rows, np.uint16),
    )


def drawn_equals(values: np.ndarray, deals: int, generator: np.random.Generator) -> np.ndarray:
    """Return (deals, agents) values of a match of equal agents, resampled from (D, agents) with permuted names."""
    return generator.permuted(values[generator.integers(0, len(values), deals)], axis=1)


def covered(equals: Games, deals: int, repetitions: int) -> list[dict[str, Any]]:
    """Coverage of intervals in matches of real games."""
    generator = np.random.default_rng(deals)
    tables = {name: equals.by_deal(getattr(equals, name)) for name in ("wins", "scores", "ranks")}
    draws = {
        name: np.stack([drawn_equals(table, deals, generator) for _ in range(repetitions)], axis=1)
        for name, table in tables.items()
    }
    first = {name: values[:, :, 0] for name, values in draws.items()}
    wins = np.array([win_rate_interval(column) for column in first["wins"].T])
    kinds = {
        "win rate": float(((wins[:, 0] <= 0.25) & (wins[:, 1] >= 0.25)).mean()),
        "score": holding(first["scores"], tables["scores"].mean(), 0.0, 60.0),
        "rank": holding(first["ranks"], tables["ranks"].mean(), 1.0, 4.0),
        "difference of win rates": holding(draws["wins"][:, :, 0] - draws["wins"][:, :, 1], 0.0, -1.0, 1.0),
        "difference of scores": holding(draws["scores"][:, :, 0] - draws["scores"][:, :, 1], 0.0, -60.0, 60.0),
    }
    return [
        {"games": "real", "figure": name, "deals": deals, "matches": repetitions, "held": held}
        for name, held in kinds.items()
    ]


def covered_made(deals: int, repetitions: int) -> list[dict[str, Any]]:
    """Coverage of intervals for known distributions, from symmetric to very skewed."""
    generator = np.random.default_rng(deals)
    shape = (deals, repetitions)
    kinds = {
        "normal": holding(generator.normal(size=shape), 0.0, -9.0, 9.0),
        "exponential": holding(generator.exponential(size=shape), 1.0, 0.0, 20.0),
        "nine of ten are 0": holding(
            (generator.random(shape) < 0.1) * generator.choice([-0.5, -0.25, 0.25], shape), -1 / 60, -1.0, 1.0
        ),
    }
    return [
        {"games": "made", "figure": name, "deals": deals, "matches": repetitions, "held": held}
        for name, held in kinds.items()
    ]


def holding(columns: np.ndarray, truth: float, minimum: float, maximum: float) -> float:
    return float(np.mean([interval.low <= truth <= interval.high for interval in intervals(columns, minimum, maximum)]))


def rules(planned: int) -> dict[str, Rule]:
    """Return the stopping rules: that of the arena, and others."""
    return {
        "arena": lambda differences: sequential_test(differences, planned).at or 0,
        "confidence sequence": lambda differences: crossing(np.abs(z_scores(differences)), endless_boundary(planned)),
        "betting": lambda differences: crossing(
            log_capital(differences, planned), np.full(planned, math.log(2 / ALPHA))
        ),
        "one look at the end": lambda differences: planned if abs(z_scores(differences)[-1]) > 1.96 else 0,
        "95 % interval at every look": lambda differences: crossing(
            np.abs(z_scores(differences)), np.full(planned, 1.96)
        ),
    }


def crossing(path: np.ndarray, boundary: np.ndarray) -> int:
    """Return the first look at which a path (deals,) is beyond the boundary (deals,), 0 if there is none."""
    looks = np.arange(LOOK_EVERY, len(path) + 1, LOOK_EVERY)
    beyond = np.flatnonzero(path[looks - 1] > boundary[looks - 1])
    return int(looks[beyond[0]]) if len(beyond) else 0


def z_scores(differences: np.ndarray) -> np.ndarray:
    """Return (deals,) running means divided by their standard errors."""
    deals = np.arange(1, len(differences) + 1)
    mean = np.cumsum(differences) / deals
    variance = np.maximum(np.cumsum(differences**2) / deals - mean**2, 1e-9)
    return mean * np.sqrt(deals / variance)


def endless_boundary(tuned_for: int) -> np.ndarray:
    """Boundary of z scores: confidence sequence of Waudby-Smith and others (2024), tightest near `tuned_for` deals."""
    deals = np.arange(1, tuned_for + 1)
    scaled = deals * (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA) + 1)) / tuned_for
    return np.sqrt(2 * (scaled + 1) / scaled * np.log(np.sqrt(scaled + 1) / ALPHA))


def log_capital(differences: np.ndarray, tuned_for: int) -> np.ndarray:
    """Log capital (deals,) of bets against a mean of 0 (Waudby-Smith and Ramdas, Estimating means by betting, 2024)."""
    scaled, deals = differences / 2, np.arange(1, len(differences) + 1)
    mean = (np.cumsum(scaled)) / (deals + 1)
    variance = (0.25 + np.cumsum((scaled - mean) ** 2)) / (deals + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    stake = np.minimum(np.sqrt(2 * math.log(2 / ALPHA) / (tuned_for * before)), 1.0)
    return np.maximum(np.cumsum(np.log1p(stake * scaled)), np.cumsum(np.log1p(-stake * scaled)))


def false_alarms(equals: Games, deals: int, repetitions: int) -> list[dict[str, Any]]:
    """Return how often each rule calls two equal agents different."""
    wins, generator = equals.by_deal(equals.wins), np.random.default_rng(deals + repetitions)
    matches = [drawn_equals(wins, deals, generator) for _ in range(repetitions)]
    return [
        {
            "rule": name,
            "deals": deals,
            "matches": repetitions,
            "called": float(np.mean([rule(rates[:, 0] - rates[:, 1]) > 0 for rates in matches])),
        }
        for name, rule in rules(deals).items()
    ]


def any_pair(equals: Games, deals: int, repetitions: int) -> dict[str, Any]:
    """Return how often any of the six pairs of four equal agents is called different."""
    wins, generator = equals.by_deal(equals.wins), np.random.default_rng(deals)
    first, second = np.triu_indices(4, 1)
    called = 0
    for _ in range(repetitions):
        drawn = drawn_equals(wins, deals, generator)
        called += any(test.better for test in sequential_tests(drawn[:, first] - drawn[:, second], deals))
    return {"rule": "arena, any of six pairs", "deals": deals, "matches": repetitions, "called": called / repetitions}


def power(name: str, games: Games, planned: int, repetitions: int) -> list[dict[str, Any]]:
    """Return how often each rule finds the difference, and after how many deals; all deals if it does not."""
    by_deal, generator = games.by_deal(games.wins), np.random.default_rng(planned)
    differences = by_deal[:, 1] - by_deal[:, 0]
    matches = [generator.choice(differences, planned) for _ in range(repetitions)]
    rows = []
    for rule_name, rule in rules(planned).items():
        if rule_name.startswith("95 %"):
            continue  # not valid: it calls equal agents different
        ends = np.array([rule(match) for match in matches])
        rows.append(
            {
                "opponents": name,
                "difference": float(differences.mean()),
                "deviation of a deal": float(differences.std()),
                "planned deals": planned,
                "rule": rule_name,
                "found": float((ends > 0).mean()),
                "mean deals": float(np.where(ends > 0, ends, planned).mean()),
            }
        )
    return rows


def design_effects(name: str, games: Games) -> dict[str, Any]:
    return {
        "match": name,
        **{figure: design_effect(games, getattr(games, figure)) for figure in ("wins", "scores", "ranks")},
    }


def show(console: Console, title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print rows with the same keys as a table."""
    table = Table(*rows[0], title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
