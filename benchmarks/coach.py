"""Whether the coach is right: `python -m benchmarks.coach`.

Games of one seat among two `pretrained` are reviewed as a table reviews them: of five ways to play badly, and of three
agents; every second one gets its chart of chances. Of the first games of each way, and of one that follows the coach,
two decisions are judged again, with many fresh playouts: the one that is said to cost next to 3 % of the win, and one
at random. If the first one does, it is judged with other seeds; the other one as hints and as reviews do. One game of
each way after the other is played, the file is written after each, and the same command goes on after a stop.
"""

import itertools
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from benchmarks.measure import RESULTS, Games, ResultsFile, machine, wide_console, write_json
from w51_agents import make_agent
from w51_agents.networks.load import PRETRAINED
from w51_agents.search.deliberation import CLEAR, Verdict
from w51_agents.search.judge import QUICK, WHOLE, Judge
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of
from w51_table.play.coach import COACH
from w51_table.play.review import REVIEWED, accuracy, total_loss

console = wide_console()
BINS = (0.05, 0.15, 0.3, 0.5, 0.7, 0.9)  # of chances
COSTLY = 0.03  #  of the win: a decision that has to be flagged
_FRESH = 5000  #  pairs of playouts with which a cost is compared
_NEAR = 0.015, 0.08  # what a decision is said to cost that may be judged again
_SEEDS = 10  #    of a costly decision
_AGREE = 20  #    seeds of hints and reviews of another one
_OTHERS = 1_000_000  # seeds of these, and of advice, begin here

Choose = Callable[[list[tuple[int, int]], int, np.random.Generator], int]  # of (amount, action) and a pass


class Decision(NamedTuple):
    """One decision of a game: all that a judge needs."""

    state: np.void
    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int

    def asked(self, game: Game) -> tuple[Determinizer, np.ndarray, np.ndarray]:
        """The first arguments of `Judge.consider`."""
        return Determinizer(game, self.state, self.seat), self.observation, self.mask


def _twice(bids: list[tuple[int, int]], passing: int, generator: np.random.Generator) -> int:
    return min(bids, key=lambda bid: abs(bid[0] - 2 * bids[0][0]))[1]


def _low(bids: list[tuple[int, int]], passing: int, generator: np.random.Generator) -> int:
    return int(generator.choice([passing, *(action for _, action in bids[:3])]))


# What each way to play chooses where one may bid or pass; elsewhere it plays as `pretrained`. The last ones are agents.
WAYS: dict[str, Choose | None] = {
    "bids half at random": _low,
    "twice the price": _twice,
    "all-in": lambda bids, passing, generator: bids[-1][1],
    "never bids": lambda bids, passing, generator: passing,
    "any bid": lambda bids, passing, generator: int(generator.choice([passing, *(action for _, action in bids)])),
    "heuristic": None,
    PRETRAINED: None,
    "champion:playouts=50": None,
    COACH: None,
}


class Advised:
    """Does what the coach advises at first sight of a second."""

    def __init__(self, judge: Judge):
        self._judge, self._seed = judge, 0

    def reset(self, seed: int) -> None:
        self._seed = 3 * _OTHERS + 1000 * seed

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, infos: list[dict[str, Any]]) -> np.ndarray:
        self._seed += 1
        one = self._judge.consider(infos[0]["determinizer"], observations[0], masks[0], self._seed)
        self._judge.think([one], QUICK)
        return np.array([one.verdict().advice.action])


def main(
    games: Games = 40,
    examined: Annotated[int, typer.Option(help="The first games of each way, whose losses are measured anew.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    players: Annotated[int, typer.Option(help="Number of players.")] = 3,
    json_file: ResultsFile = RESULTS / "coach.json",
) -> None:
    """Play, review and keep."""
    settings = {"players": players, "seed": seed, "playouts": REVIEWED, "seeds": _AGREE}
    kept = json.loads(json_file.read_text("utf-8")) if json_file.exists() else {}
    found: dict[str, list[dict[str, Any]]] = kept["games"] if kept.get("settings") == settings else {}
    game = make_game("warehouse51_v1", num_players=players)
    judge = Judge(game, PRETRAINED)
    for number, way in itertools.product(range(games), WAYS):
        done, is_examined = found.setdefault(way, []), number < examined
        if (way == COACH and not is_examined) or (len(done) > number and (not is_examined or "costs" in done[number])):
            continue
        decisions, won = play(game, judge, way, seed + number)
        seat = (seed + number) % players
        told = reviewed(game, judge, decisions, seat, seed + number, is_examined)
        if number % 2 == 0:
            told |= charted(game, judge, decisions, seat, won)
        done[number : number + 1] = [told]
        write_json(json_file, machine(), [], settings=settings, games=found, playouts=_FRESH, kinds=kinds(found))
        console.print(f"{way} {number}: {told}", highlight=False)


def play(game: Game, judge: Judge, way: str, seed: int) -> tuple[list[Decision], np.ndarray]:
    """A game of one seat that plays in a way among `pretrained`: all decisions, and (num_players,) what seats won."""
    batch = Batch(game, 1, seed=seed, autoreset="disabled")
    batch.reset()
    choose, generator = WAYS[way], np.random.default_rng(seed)
    others = make_agent(PRETRAINED, game)
    own = Advised(judge) if way == COACH else make_agent(PRETRAINED if choose else way, game)
    others.reset(seed)
    own.reset(seed)
    decisions: list[Decision] = []
    while (seat := int(batch.seat[0])) >= 0:
        observation, mask = batch.observation[0].copy(), batch.action_mask[0].copy()
        state = batch.clone()[0]
        is_own = seat == seed % game.num_players
        infos = [{"determinizer": Determinizer(game, state, seat)}]
        action = int((own if is_own else others).act_batch(observation[None], mask[None], infos)[0])
        if is_own and choose is not None:
            action = _in_auction(game, mask, choose, generator, action, way)
        decisions.append(Decision(state, seat, observation, mask, action))
        batch.step(np.array([action]))
    return decisions, wins_of(batch.final_ranks)[0]


def _in_auction(
    game: Game, mask: np.ndarray, choose: Choose, generator: np.random.Generator, action: int, way: str
) -> int:
    """What a way to play chooses, where one may bid or pass; else the action."""
    names = {int(each): game.actions[int(each)].name for each in np.flatnonzero(mask)}
    bids = [(int(name.removeprefix("bid_")), each) for each, name in names.items() if name.startswith("bid_")]
    passing = next((each for each, name in names.items() if name == "pass"), None)
    if passing is None or not bids or (way == "bids half at random" and generator.random() < 0.5):
        return action
    return choose(bids, passing, generator)


def reviewed(
    game: Game, judge: Judge, decisions: Sequence[Decision], seat: int, seed: int, is_examined: bool
) -> dict[str, Any]:
    """The review of a seat, and how right it is."""
    own = [at for at, one in enumerate(decisions) if one.seat == seat]
    begun = time.process_time()
    considered = {at: judge.consider(*decisions[at].asked(game), at, decisions[at].action) for at in own}
    judge.think([*considered.values()], REVIEWED)
    seconds = time.process_time() - begun
    verdicts = {at: one.verdict() for at, one in considered.items()}
    loss, error = total_loss(verdicts.values())
    told: dict[str, Any] = {
        "decisions": len(own),
        "flagged": sum(one.judged.is_mistake for one in verdicts.values()),
        "loss": loss,
        "error": error,
        "accuracy": accuracy(verdicts),
        "seconds": seconds,
    }
    if is_examined:
        near = [at for at in own if _NEAR[0] <= verdicts[at].judged.loss <= _NEAR[1]]
        nearest = sorted(near, key=lambda at: abs(verdicts[at].judged.loss - COSTLY))[:1]
        open_ones = [at for at in own if at not in nearest and verdicts[at].alternative is not None]
        drawn = np.random.default_rng(seed).permutation(open_ones).tolist()[:1]
        told["costs"] = [
            fresh(game, judge, decisions[at], verdicts[at], at, at in nearest) for at in [*nearest, *drawn]
        ]
        told["agree"] = [agreement(game, judge, decisions[at]) for at in drawn]
    return told


def fresh(game: Game, judge: Judge, one: Decision, verdict: Verdict, at: int, is_repeated: bool) -> dict[str, Any]:
    """The loss of a decision as said and in fresh playouts; of one that costs enough whether other seeds flag it."""
    judged = verdict.judged
    other = verdict.alternative if judged == verdict.advice else verdict.advice
    assert other is not None
    wins = judge.wins(one.asked(game)[0], [judged.action, other.action], _FRESH, _OTHERS + at)
    leads = wins[:, 1] - wins[:, 0]
    true, error = float(leads.mean()), float(leads.std(ddof=1) / _FRESH**0.5)
    said = [judged.loss, judged.error] if judged != verdict.advice else [-other.loss, other.error]
    seeds = range(_OTHERS, _OTHERS + _SEEDS) if is_repeated and true >= COSTLY else ()
    flagged = [asked(game, judge, one, seed, one.action).judged.is_mistake for seed in seeds]
    return {"said": said, "true": [true, error], "flagged": judged.is_mistake, "seeds": flagged}


def asked(game: Game, judge: Judge, one: Decision, seed: int, action: int | None, playouts: int = WHOLE) -> Verdict:
    """The verdict with another seed; by default as surely as a review gets that is read for a while."""
    deliberation = judge.consider(*one.asked(game), seed, action)
    judge.think([deliberation], playouts)
    return deliberation.verdict()


def agreement(game: Game, judge: Judge, one: Decision) -> dict[str, Any]:
    """What hints and reviews say of one action, and with which error, and what they say is best."""
    verdicts = [
        asked(game, judge, one, 2 * _OTHERS + seed, (None, one.action)[seed % 2], QUICK) for seed in range(_AGREE)
    ]
    best = verdicts[0].advice.action
    found = [(worth.chance, (verdict.error**2 + worth.error**2) ** 0.5)
             for verdict in verdicts for worth in verdict.worths if worth.action == best]  # fmt: skip
    pairs = [(first, second) for place, first in enumerate(found) for second in found[:place]]
    within = [abs(one - two) <= CLEAR * math.hypot(error, other) for (one, error), (two, other) in pairs]
    lost = [next(worth.loss <= CLEAR * worth.error for worth in verdict.worths if worth.action == best)
            for verdict in verdicts if any(worth.action == best for worth in verdict.worths)]  # fmt: skip
    return {
        "within": [sum(within), len(within)],
        "best": [sum(lost), len(lost)],
        "spread": float(np.std([chance for chance, _ in found])),
        "error": float(np.mean([e for _, e in found])),
    }


def kinds(found: dict[str, list[dict[str, Any]]]) -> list[list[float]]:
    """Share and standard deviation of three kinds of differences, as fresh playouts have them (most likely ones).

    Of the decisions that were drawn at random, where the result of the game was open.
    """
    costs = [game["costs"][-1]["true"] for games in found.values() for game in games if game.get("costs")]
    true, errors = np.array([cost for cost in costs if cost[1] > 0.001]).reshape(-1, 2).T
    if not len(true):
        return []
    shares, spreads = np.full(3, 1 / 3), np.array([0.005, 0.03, 0.2])
    for _ in range(1000):
        variances = spreads[:, None] ** 2 + errors**2
        weights = shares[:, None] * np.exp(-(true**2) / (2 * variances)) / variances**0.5
        weights /= weights.sum(axis=0)
        part = spreads[:, None] ** 2 / variances  # of what was measured that is no noise
        shares = weights.mean(axis=1)
        spreads = ((weights * ((part * true) ** 2 + part * errors**2)).sum(axis=1) / weights.sum(axis=1)) ** 0.5
        spreads = np.maximum(spreads, 0.001)
    return np.column_stack([shares, spreads]).round(3).tolist()


def charted(game: Game, judge: Judge, decisions: Sequence[Decision], seat: int, won: np.ndarray) -> dict[str, Any]:
    """How far the chances after each decision are from the result, and how much the seat lost by its own decisions."""
    states, begun = np.array([one.state for one in decisions], game.record), time.process_time()
    course = judge.course.chances(states, [one.action for one in decisions])
    seconds = time.process_time() - begun
    of_bin = np.digitize(course, BINS)
    bins = [[int(chosen.sum()), float(course[chosen].sum()), float((won * chosen).sum())]
            for chosen in (of_bin == index for index in range(len(BINS) + 1))]  # fmt: skip
    moved = np.diff(course[:, seat], prepend=1 / game.num_players)
    fallen = -sum(moved[at] for at, one in enumerate(decisions) if one.seat == seat)
    return {
        "steps": len(decisions),
        "course_seconds": seconds,
        "fallen": float(fallen),
        "brier": float(((course - won) ** 2).mean()),
        "brier_of_equal": float(((1 / len(won) - won) ** 2).mean()),
        "bins": bins,
    }


if __name__ == "__main__":
    typer.run(main)
