"""The progress display of a training run: one line of 80 columns."""

import io

from w51_agents.console.terminal import StatusLine
from w51_agents.training.run_facts import MatchRow
from w51_agents.training.trainer import Update
from w51_lab.trainings.display import bar, status_of

FIXED = {"decisions": 2_900_000, "games": 7, "losses": {"entropy": 1.2, "value_loss": 0.1}}


def update(**changes) -> Update:
    return Update(**{**dict.fromkeys(("mean_return", "win_rate", "mean_score"), 0.25), **FIXED, **changes})


def test_bar_rate_and_time_left_fit_80_columns():
    matches = [MatchRow(1, 1.0, 4, "heuristic", 400, 5.0, 0.2, 0.1, 0.3)]
    line = f"self-play PPO {bar(2_900_000, 5_800_000)}  {status_of(update(), matches, 5_800_000, 48_123.4)}"
    assert line.startswith("self-play PPO [########........]  50%  48,123/s  1:00 left  win rate 25.0%")
    assert line.index("win rate 25.0%") < 66


def test_80_columns_leave_out_whole_figures():
    line = f"training {bar(2_900_000, 5_800_000)}  {status_of(update(), [], 5_800_000, 48_123.4)}"
    assert len(line) > 80
    screen = io.StringIO()
    StatusLine(screen).show(line)
    shown = screen.getvalue().removeprefix("\r\x1b[J").rstrip()
    assert line.startswith(f"{shown}  ")
    assert shown.endswith("win rate 25.0%")


def test_no_result_is_printed_before_a_game_is_finished_and_in_pure_self_play():
    nan = float("nan")
    text = status_of(update(games=0, mean_return=nan, win_rate=nan, mean_score=nan), [], 5_800_000, 100.0)
    assert "win rate" not in text
    assert "nan" not in text
    assert "entropy" in text
