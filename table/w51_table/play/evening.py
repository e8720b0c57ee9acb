"""Frames and replays of a game at a real table (`positions.evening`)."""

import numpy as np

from w51_env.engine.game import EXTERNAL
from w51_lab.replay_viewer.frames import Frame, frame_of
from w51_lab.replays.beginning import begin_replayed
from w51_lab.replays.replay import Replay
from w51_table.positions.evening import Evening


def frame(evening: Evening, state: np.void) -> Frame:
    """A state of the evening as a frame."""
    batch = begin_replayed(evening.game, 0, (EXTERNAL,) * evening.game.num_players)
    batch.load(np.array([state], evening.game.record))
    return frame_of(batch, len(evening.actions))


def replay_of(evening: Evening) -> Replay:
    """The replay of what has happened; what nobody has told is anything that fits."""
    start, now = evening.start.copy(), evening.state
    for hidden in {"deck", "counterfeit_gap"} & {*(evening.game.record.names or ())}:
        start[hidden] = now[hidden]
    names = evening.words.seats(evening.game.num_players)
    return Replay.record(evening.game, 0, evening.actions, players=names, start=start)
