"""A finished game graded: the chance of each seat after each decision, and what the decisions of a seat cost."""

from collections.abc import Iterator

import numpy as np

from w51_agents.search.grades import Grade, Grader
from w51_env.adapters.agent_seeds import decision_seed
from w51_env.engine.game import ALL, Game
from w51_env.engine.victory import wins_of
from w51_table.play.playback import Playback
from w51_table.replay_viewer.frames import Frame


class GameGrades:
    """What is found of one complete game, computed when it is asked for the first time."""

    def __init__(self, game: Game):
        self._grader = Grader(game)
        self._chances: list[tuple[float, ...]] | None = None
        self._grades: dict[int, dict[int, Grade]] = {}

    def chances(self, playback: Playback) -> list[tuple[float, ...]]:
        """For each decision the chance of each seat after it, 0 to 1, from what the seat that decided knew."""
        if self._chances is None:
            chances = [
                self._grader.chances(frame.determinizer(), action, decision_seed(playback.seed, frame.number))
                for frame, action in _decisions(playback)
            ]
            self._chances = [*chances[:-1], result_of(playback)]
        return self._chances

    def grades(self, playback: Playback, seat: int) -> dict[int, Grade]:
        """The grades of the decisions of a seat, by the number of the frame."""
        if seat not in self._grades:
            self._grades[seat] = {
                frame.number: self._grader.grade(
                    frame.determinizer(),
                    np.flatnonzero(frame.mask).tolist(),
                    action,
                    decision_seed(playback.seed, frame.number),
                )
                for frame, action in _decisions(playback)
                if frame.seat == seat
            }
        return self._grades[seat]


def _decisions(playback: Playback) -> Iterator[tuple[Frame, int]]:
    """The decisions of a complete game: each frame but the last, and the action that was chosen."""
    return ((frame, frame.action) for frame in playback.frames if frame.action is not None)


def result_of(playback: Playback) -> tuple[float, ...]:
    """What each seat won: 1, or a part of it where several won."""
    players = playback.frames[-1].view(ALL).players
    return tuple(wins_of(np.array([player["score"]["rank"] for player in players])).tolist())
