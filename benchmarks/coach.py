"""Whether the coach is right: `python -m benchmarks.coach`.

Games of three kinds of players are reviewed as a table reviews them. Of some decisions the advice and what was played
are judged, each with other random numbers than the advice had. A cost is compared with that in many fresh playouts,
the chances after each decision with the results. The file is written after each game, and the same command goes on
after a stop.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from benchmarks.measure import RESULTS, Games, ResultsFile, machine, wide_console, write_json
from w51_agents import make_agent
from w51_agents.networks.load import PRETRAINED, PRETRAINED_V2
from w51_agents.search.judge import CLEAR, Judge
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

console = wide_console()
COACH = "coach"  # alone among `pretrained-v2`, in each seat in turn; the others play among themselves
KINDS = (COACH, "heuristic", PRETRAINED_V2)
BINS = (0.05, 0.15, 0.3, 0.5, 0.7, 0.9)  # of chances
_LARGE = 0.1  #   of a chance: a movement that a reader of the chart would ask about
_FRESH = 5000  #  pairs of playouts with which a cost is compared
_ADVISED, _REVIEWED = 1_000_000, 2_000_000  # seeds of advice and of reviews begin here


class Decision(NamedTuple):
    """One decision of a game: all that a judge needs."""

    state: np.void
    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int


def main(
    games: Games = 40,
    every: Annotated[int, typer.Option(min=1, help="Of how many decisions one is judged.")] = 40,
    game: Annotated[str, typer.Option(help="Id of the game.")] = "warehouse51_v1",
    players: Annotated[int, typer.Option(help="Number of players.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    json_file: ResultsFile = RESULTS / "coach.json",
) -> None:
    """Play, review and keep."""
    settings = {"game": game, "players": players, "every": every, "seed": seed}
    kept = json.loads(json_file.read_text("utf-8")) if json_file.exists() else {}
    found: dict[str, list[dict[str, Any]]] = kept["games"] if kept.get("settings") == settings else {}
    made = make_game(game, num_players=players)
    judge = Judge(made, PRETRAINED)
    for number in range(games):
        for kind in KINDS:
            done = found.setdefault(kind, [])
            if len(done) > number:
                continue
            decisions, won = play(made, judge, kind, seed + number)
            seats = [
                None if is_coach(kind, seat, seed + number, players) else agent_of(kind) for seat in range(players)
            ]
            done.append({**chart(made, judge, decisions, seats, won), **judged(made, judge, decisions, number, every)})
            write_json(json_file, machine(), [], settings=settings, games=found, playouts=_FRESH)
            console.print(f"{kind} {number}: {done[-1]}", highlight=False)


def play(game: Game, judge: Judge, kind: str, seed: int) -> tuple[list[Decision], np.ndarray]:
    """A game of one kind of players: its decisions, and (num_players,) what each seat won."""
    batch = Batch(game, 1, seed=seed, autoreset="disabled")
    batch.reset()
    agent = make_agent(agent_of(kind), game)
    agent.reset(seed)
    decisions: list[Decision] = []
    while (seat := int(batch.seat[0])) >= 0:
        observation = batch.observation[0].copy()
        mask = batch.action_mask[0].copy()
        state = batch.clone()[0]
        if is_coach(kind, seat, seed, game.num_players):
            determinizer = Determinizer(game, state, seat)
            action = judge.judge(determinizer, observation, mask, _ADVISED + len(decisions)).advice.action
        else:
            action = int(agent.act_batch(observation[None], mask[None])[0])
        decisions.append(Decision(state, seat, observation, mask, action))
        batch.step(np.array([action]))
    return decisions, wins_of(batch.final_ranks)[0]


def agent_of(kind: str) -> str:
    """Name of the agent in the seats where the coach is not."""
    return PRETRAINED_V2 if kind == COACH else kind


def is_coach(kind: str, seat: int, seed: int, players: int) -> bool:
    """Whether a seat does in a game what the coach advises."""
    return kind == COACH and seat == seed % players


def chart(
    game: Game, judge: Judge, decisions: Sequence[Decision], seats: Sequence[str | None], won: np.ndarray
) -> dict[str, Any]:
    """How far the chances after each decision are from the result, and how often they go back at once."""
    states = np.array([one.state for one in decisions], game.record)
    course = judge.course(states, [one.action for one in decisions], seats)
    of_bin = np.digitize(course, BINS)
    bins = [[int(chosen.sum()), float(course[chosen].sum()), float((won * chosen).sum())]
            for chosen in (of_bin == index for index in range(len(BINS) + 1))]  # fmt: skip
    moved = np.diff(course[:-1], axis=0)  # the last decision ends the game: the line goes to the result
    large = reversed_ = 0
    for one, next_one in pairwise(moved):
        seat = np.abs(one).argmax()
        if abs(one[seat]) >= _LARGE:
            large += 1
            reversed_ += bool(-next_one[seat] * np.sign(one[seat]) >= abs(one[seat]) / 2)
    brier = ((course - won) ** 2).mean()
    return {
        "steps": len(decisions),
        "brier": float(brier),
        "brier_of_equal": float(((1 / len(won) - won) ** 2).mean()),
        "bins": bins,
        "large": large,
        "reversed": reversed_,
    }


def judged(game: Game, judge: Judge, decisions: Sequence[Decision], number: int, every: int) -> dict[str, Any]:
    """Of some decisions: whether the advice, and what was played, cost something in the review."""
    result: dict[str, Any] = {"advised": 0, "advice_flagged": 0, "reviewed": 0, "costs": []}
    for at in range(number % every, len(decisions), every):
        one = decisions[at]
        determinizer = Determinizer(game, one.state, one.seat)
        decision = determinizer, one.observation, one.mask
        advice = judge.judge(*decision, _ADVISED + at).advice.action
        result["advised"] += 1
        result["advice_flagged"] += judge.judge(*decision, _REVIEWED + at, advice).is_costly
        verdict = judge.judge(*decision, _REVIEWED + at, one.action)
        result["reviewed"] += 1
        if verdict.is_costly and verdict.rival is not None:
            wins = judge.wins(determinizer, [one.action, verdict.rival.action], _FRESH, seed=at)
            leads = wins[:, 1] - wins[:, 0]
            result["costs"].append(
                [verdict.lead, verdict.error, float(leads.mean()), float(leads.std(ddof=1) / _FRESH**0.5)]
            )
    return result


def within(cost: Sequence[float]) -> bool:
    """Whether a cost agrees with that in fresh playouts, within an interval of both errors."""
    said, error, true, true_error = cost
    return abs(said - true) <= CLEAR * (error**2 + true_error**2) ** 0.5


if __name__ == "__main__":
    typer.run(main)
