"""The review of a finished game: chances of the seats, and what decisions cost; the longer it is asked the surer."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from w51_agents.search.deliberation import Deliberation, Verdict
from w51_agents.search.judge import WHOLE
from w51_agents.search.price_limit import PriceLimit
from w51_env.engine.game import ALL
from w51_env.engine.victory import wins_of
from w51_table.play.coach import Coach
from w51_table.play.playback import Playback

_SLICE = 1500  #  playouts at a time
REVIEWED, REFINED = 9000, 60_000  # of all decisions of a seat: until a review is whole, and as long as it is read
_LIMIT = 800  #   of the price limit of a mistake
NAMED = 3  #     mistakes that are named, and positions to practise
_HALF = 0.03  #   of the win: a decision that costs as much is half right


@dataclass
class SeatReview:
    """What the decisions of a seat were worth.

    Attributes:
        considered: The decisions, by the number of the frame.
        playouts: How many they have had.
        is_refined: No more of them are needed.
    """

    considered: dict[int, Deliberation]
    playouts: int = 0
    is_refined: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all that a review has can be said, though more playouts may make it surer."""
        return self.is_refined or self.playouts >= REVIEWED


class GameReview:
    """What a coach says of one complete game, computed when it is asked for."""

    def __init__(self, coach: Coach):
        self.coach = coach
        self._chances: np.ndarray | None = None
        self._considered: dict[int, Deliberation] = {}
        self._seats: dict[int, SeatReview] = {}
        self._limits: dict[int, PriceLimit | None] = {}

    def chances(self, playback: Playback) -> np.ndarray:
        """(N, num_players): for each decision the chance of each seat after it, everything known; last, the result."""
        if self._chances is None:
            frames = playback.frames[:-1]
            states = np.array([frame.state for frame in frames], playback.game.record)
            actions, course = playback.actions_before(len(frames)), self.coach.judge(playback.game).course
            self._chances = course.chances(states, actions, playback.agents)
            self._chances[-1:] = result_of(playback)
        return self._chances

    def think(self, playback: Playback, seat: int) -> SeatReview:
        """Play games from the decisions of a seat, first where it matters most."""
        if seat not in self._seats:
            steps = [frame.number for frame in playback.frames if frame.seat == seat]
            self._seats[seat] = SeatReview({step: self._consider(playback, step) for step in steps})
        review = self._seats[seat]
        if not review.is_refined:
            goes_on = self.coach.judge(playback.game).think([*review.considered.values()], _SLICE)
            review.playouts += _SLICE
            review.is_refined = not goes_on or review.playouts >= REFINED
        return review

    def look(self, playback: Playback, step: int) -> tuple[Verdict, bool]:
        """What one decision was worth, played on alone while somebody looks at it; whether that is all to be known."""
        one, judge = self._consider(playback, step), self.coach.judge(playback.game)
        goes_on = one.playouts < WHOLE and judge.think([one], _SLICE)
        return one.verdict(), not goes_on or one.playouts >= WHOLE

    def _consider(self, playback: Playback, step: int) -> Deliberation:
        """The playouts of a decision so far."""
        if step not in self._considered:
            frame = playback.frames[step]
            self._considered[step] = self.coach.consider(frame, playback.seed, frame.action)
        return self._considered[step]

    def verdicts(self, seat: int) -> dict[int, Verdict]:
        """What is known of the decisions of a seat, from what it knew, by the number of the frame."""
        review = self._seats[seat]
        return {number: one.verdict() for number, one in review.considered.items() if one.is_begun}

    def unlikely(self, seat: int) -> int:
        """The number of decisions in which the seat chose what the coach would hardly ever have considered."""
        return sum(one.is_unlikely for one in self._seats[seat].considered.values())

    def limit(self, playback: Playback, step: int) -> PriceLimit | None:
        """How high the seat of a decision could have gone; None if there was nothing to bid for."""
        if step not in self._limits:
            search = self.coach.limits(playback.frames[step], playback.seed)
            if search is not None:
                self.coach.judge(playback.game).climb(search, _LIMIT)
            self._limits[step] = None if search is None else search.found()
        return self._limits[step]


def of_lots(verdicts: dict[int, Verdict], begins: Sequence[int]) -> list[tuple[int, Verdict]]:
    """The most costly decision of each lot, with its frame, the most costly first: who raises and raises errs once.

    Args:
        verdicts: What is known of decisions, by the number of the frame.
        begins: The frames where lots begin.
    """
    worst: dict[int, tuple[int, Verdict]] = {}
    for step, verdict in sorted(verdicts.items(), key=lambda one: -one[1].judged.loss):
        worst.setdefault(bisect_right(begins, step), (step, verdict))
    return list(worst.values())


def total_loss(verdicts: Iterable[Verdict]) -> tuple[float, float]:
    """What decisions cost together, in parts of a win, and its standard error; below 0, what they gained.

    Beside what the first sight would have chosen, as the course of the game is: the best action of each decision is
    found by looking at many, and nobody finds it always.
    """
    behind = [verdict.behind for verdict in verdicts]
    return sum(one.mean for one in behind), math.sqrt(sum(one.error**2 for one in behind))


def accuracy(verdicts: dict[int, Verdict]) -> float | None:
    """The mean of how right decisions were, 0 to 1; of those between actions that differ. None if there were none."""
    right = [
        0.5 ** (verdict.judged.loss / _HALF)
        for verdict in verdicts.values()
        if max(worth.loss for worth in verdict.worths) > _HALF / 10
    ]
    return sum(right) / len(right) if right else None


def mistakes(verdicts: dict[int, Verdict], begins: Sequence[int]) -> list[tuple[int, Verdict]]:
    """Of each lot the most costly decision, if it cost a part of the win that matters, with its frame."""
    return [(step, verdict) for step, verdict in of_lots(verdicts, begins) if verdict.judged.is_mistake]


def practice(verdicts: dict[int, Verdict], begins: Sequence[int]) -> list[tuple[int, Verdict]]:
    """The decisions of a seat that are most worth another try: the most costly of three lots."""
    choices = {step: verdict for step, verdict in verdicts.items() if verdict.alternative is not None}
    return of_lots(choices, begins)[:NAMED]


def result_of(playback: Playback) -> tuple[float, ...]:
    """What each seat won: 1, or a part of it where several won."""
    players = playback.frames[-1].view(ALL).players
    return tuple(wins_of(np.array([player["score"]["rank"] for player in players])).tolist())
