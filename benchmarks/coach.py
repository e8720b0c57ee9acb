"""Whether the coach is right: `python -m benchmarks.coach`.

Games of one seat among two `pretrained` are reviewed as a table reviews them: of five ways to play badly and of three
agents. Some decisions are judged again: with many fresh playouts, with other seeds, and as a hint would. The file is
written after each game, and the same command goes on after a stop.
"""

import json
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from benchmarks.measure import RESULTS, Games, ResultsFile, machine, wide_console, write_json
from w51_agents import make_agent
from w51_agents.networks.load import PRETRAINED
from w51_agents.search.deliberation import CLEAR, Verdict
from w51_agents.search.judge import Judge
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of
from w51_table.play.review import REVIEWED, accuracy, mistakes, total_loss

console = wide_console()
BINS = (0.05, 0.15, 0.3, 0.5, 0.7, 0.9)  # of chances
COSTLY = 0.03  #  of the win: a decision that has to be flagged
_FRESH = 5000  #  pairs of playouts with which a cost is compared
_AGAIN = 2000  #  playouts of a decision that is judged again, as a doubtful one gets in a review
_SEEDS = 10  #    of a costly decision
_OTHERS = 1_000_000  # seeds of hints and of other reviews begin here

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
}


def main(
    games: Games = 40,
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    players: Annotated[int, typer.Option(help="Number of players.")] = 3,
    json_file: ResultsFile = RESULTS / "coach.json",
) -> None:
    """Play, review and keep."""
    settings = {"players": players, "seed": seed}
    kept = json.loads(json_file.read_text("utf-8")) if json_file.exists() else {}
    found: dict[str, list[dict[str, Any]]] = kept["games"] if kept.get("settings") == settings else {}
    game = make_game("warehouse51_v1", num_players=players)
    judge = Judge(game, PRETRAINED)
    for number in range(games):
        for way in WAYS:
            done = found.setdefault(way, [])
            if len(done) > number:
                continue
            decisions, won = play(game, way, seed + number)
            seat = (seed + number) % players
            done.append(
                {**reviewed(game, judge, decisions, seat, seed + number), **charted(game, judge, decisions, seat, won)}
            )
            write_json(json_file, machine(), [], settings=settings, games=found, playouts=_FRESH)
            console.print(f"{way} {number}: {done[-1]}", highlight=False)


def play(game: Game, way: str, seed: int) -> tuple[list[Decision], np.ndarray]:
    """A game of one seat that plays in a way among `pretrained`: all decisions, and (num_players,) what seats won."""
    batch = Batch(game, 1, seed=seed, autoreset="disabled")
    batch.reset()
    choose, generator = WAYS[way], np.random.default_rng(seed)
    others, own = make_agent(PRETRAINED, game), make_agent(PRETRAINED if choose else way, game)
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


def reviewed(game: Game, judge: Judge, decisions: Sequence[Decision], seat: int, seed: int) -> dict[str, Any]:
    """The review of a seat, and how right it is."""
    own = [at for at, one in enumerate(decisions) if one.seat == seat]
    begun = time.process_time()
    considered = {at: judge.consider(*decisions[at].asked(game), at, decisions[at].action) for at in own}
    judge.think([*considered.values()], REVIEWED)
    seconds = time.process_time() - begun
    verdicts = {at: one.verdict() for at, one in considered.items()}
    loss, error = total_loss(verdicts)
    flagged = [at for at, _ in mistakes(verdicts)]
    others = [at for at in own if at not in flagged and verdicts[at].alternative is not None]
    drawn = np.random.default_rng(seed).permutation(others).tolist()[:1]
    return {
        "decisions": len(own),
        "flagged": len(flagged),
        "loss": loss,
        "error": error,
        "accuracy": accuracy(verdicts),
        "seconds": seconds,
        "costs": [fresh(game, judge, decisions[at], verdicts[at], at) for at in [*flagged[:1], *drawn]],
        "again": [again(game, judge, decisions[at], at) for at in drawn],
    }


def fresh(game: Game, judge: Judge, one: Decision, verdict: Verdict, at: int) -> dict[str, Any]:
    """The loss of a decision as said, in fresh playouts, and, if it has to be flagged, in what share of seeds it is."""
    judged = verdict.judged
    other = verdict.alternative if judged == verdict.advice else verdict.advice
    assert other is not None
    wins = judge.wins(one.asked(game)[0], [judged.action, other.action], _FRESH, _OTHERS + at)
    leads = wins[:, 1] - wins[:, 0]
    true, error = float(leads.mean()), float(leads.std(ddof=1) / _FRESH**0.5)
    said = judged.loss if judged != verdict.advice else -other.loss
    shares = []
    if true >= COSTLY:
        for number in range(_SEEDS):
            deliberation = judge.consider(*one.asked(game), _OTHERS + number, one.action)
            judge.think([deliberation], _AGAIN)
            shares.append(deliberation.verdict().judged.is_mistake)
    said_error = judged.error if judged != verdict.advice else other.error
    return {"said": [said, said_error], "true": [true, error], "flagged": judged.is_mistake, "seeds": shares}


def again(game: Game, judge: Judge, one: Decision, at: int) -> dict[str, Any]:
    """Whether the advice of one seed is flagged with another, and what hints and reviews say of the best action."""
    verdicts = []
    action = None
    for number in range(4):  # a hint, a review of its advice, and both again
        deliberation = judge.consider(*one.asked(game), 2 * _OTHERS + 10 * at + number, action)
        judge.think([deliberation], _AGAIN)
        verdicts.append(deliberation.verdict())
        action = verdicts[0].advice.action if number % 2 == 0 else None
    chances = {(worth.action, number): (worth.chance, (verdict.error**2 + worth.error**2) ** 0.5)
               for number, verdict in enumerate(verdicts) for worth in verdict.worths}  # fmt: skip
    best = verdicts[0].advice.action
    said = [chances[best, number] for number in range(4) if (best, number) in chances]
    pairs = [(first, second) for place, first in enumerate(said) for second in said[:place]]
    agree = [abs(one - two) <= CLEAR * (error**2 + other**2) ** 0.5 for (one, error), (two, other) in pairs]
    return {"flagged": verdicts[1].judged.is_mistake, "agree": agree}


def charted(game: Game, judge: Judge, decisions: Sequence[Decision], seat: int, won: np.ndarray) -> dict[str, Any]:
    """How far the chances after each decision are from the result, and how much the seat lost by its own decisions."""
    states = np.array([one.state for one in decisions], game.record)
    course = judge.course.chances(states, [one.action for one in decisions])
    of_bin = np.digitize(course, BINS)
    bins = [[int(chosen.sum()), float(course[chosen].sum()), float((won * chosen).sum())]
            for chosen in (of_bin == index for index in range(len(BINS) + 1))]  # fmt: skip
    moved = np.diff(course[:, seat], prepend=1 / game.num_players)
    fallen = -sum(moved[at] for at, one in enumerate(decisions) if one.seat == seat)
    return {
        "steps": len(decisions),
        "fallen": float(fallen),
        "brier": float(((course - won) ** 2).mean()),
        "brier_of_equal": float(((1 / len(won) - won) ** 2).mean()),
        "bins": bins,
    }


if __name__ == "__main__":
    typer.run(main)
