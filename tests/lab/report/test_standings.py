"""What is shown of matches: tables that fit a terminal, pictures in which each match has a label of its own."""

import numpy as np
from rich.console import Console

from w51_lab.arena.matches import Results
from w51_lab.report.terminal_tables import standings_table


def fake(first: str, other: str, share: float = 1.0) -> Results:
    """A match of 100 deals of four, of which `first` wins this share."""
    winner = np.where(np.arange(400).reshape(100, 4) < 400 * share, 0, 1)
    wins = np.eye(4)[winner]
    ranks = np.where(wins == 1, 1, 2).astype(np.int8)
    return Results((first, other), np.array([0, 1, 1, 1]), (100 * wins).astype(np.int16), ranks, wins)


def lines_of(results: Results, width: int) -> list[str]:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(standings_table(results, "a title"))
    return capture.get().splitlines()


def test_a_table_has_room_for_a_name_of_20_characters_in_80_columns():
    lines = lines_of(fake("alles_futsch_quick-2", "random"), 80)
    assert [line.split()[0] for line in lines[3:5]] == ["alles_futsch_quick-2", "random"]
    assert lines[3].rstrip().endswith("100.0%")
    assert not any("…" in line for line in lines)


def test_a_longer_name_is_folded_and_the_numbers_stay():
    lines = lines_of(fake("runs/alles_futsch_quick-17/checkpoint.zip", "random"), 80)
    assert lines[3].split()[0] + lines[4].split()[0] == "runs/alles_futsch_quick-17/checkpoint.zip"
    assert lines[3].rstrip().endswith("100.0%")


def test_a_name_is_shown_as_it_is():
    assert any("[red]x[/]" in line for line in lines_of(fake("[red]x[/]", "random"), 80))


def test_each_match_of_a_picture_is_labelled_with_both_names(tmp_path, monkeypatch):
    from w51_lab.trainings import curves
    from w51_lab.trainings.evaluation import draw_evaluation

    drawn = []
    monkeypatch.setattr(curves, "save_figure", lambda figure, path: drawn.append(figure))
    matches = [fake("quick", "random", 0.9), fake("quick", "heuristic", 0.1), fake("heuristic", "random")]
    draw_evaluation(matches, "a title", tmp_path / "picture.png")
    labels = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert labels == ["quick\nagainst random", "quick\nagainst heuristic", "heuristic\nagainst random"]
