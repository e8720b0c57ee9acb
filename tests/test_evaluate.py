"""evaluate.py, run as a program."""

import json

import pytest

from tests.commands import run


def test_it_prints_a_table_and_writes_it(tmp_path):
    status, printed, _ = run("evaluate.py", "heuristic", "random", "--games", 400, "--seed", 3, "--json", tmp_path / "table.json")
    assert status == 0
    data = json.loads((tmp_path / "table.json").read_text())
    heuristic, random = data["agents"]
    assert (data["games"], data["deals"], data["seatings"]) == (400, 100, 4)
    assert (heuristic["seats"], random["seats"]) == (1, 3)
    assert heuristic["low"] > data["par"] > random["high"]
    assert heuristic["win_share"] + 3 * random["win_share"] == pytest.approx(1)
    for standing in data["agents"]:
        assert f"{standing['win_share']:.1%}" in printed
        assert f"{standing['mean_score']:.2f}" in printed


def test_the_same_seed_gives_the_same_table():
    first, second, other = (
        run("evaluate.py", "random", "random", "random", "--players", 3, "--games", 60, "--seed", seed) for seed in (1, 1, 2)
    )
    assert first[1] == second[1] != other[1]


@pytest.mark.parametrize(
    ("arguments", "option", "value"),
    [
        (["--option", "num_players=3"], "num_players", 3),
        (["--option", "num_players=3", "--players", 3], "num_players", 3),
        (["--option", "preset=de"], "pawn_limit", 4),
    ],
)
def test_players_and_preset_are_options_as_any_other(arguments: list, option: str, value: object, tmp_path):
    status, _, _ = run("evaluate.py", "random", *arguments, "--games", 4, "--json", tmp_path / "table.json")
    assert status == 0
    assert json.loads((tmp_path / "table.json").read_text())["options"][option] == value


@pytest.mark.parametrize("players", [2, 5])
def test_the_other_game_is_played_too(players: int):
    status, printed, _ = run("evaluate.py", "heuristic", "random", "--game", "alles_futsch_v0", "--players", players, "--games", 100)
    assert status == 0
    assert "heuristic" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["heuristc"], "heuristic"),
        (["heuristic"] * 6, "6"),
        (["runs/of-nobody"], "runs/of-nobody"),
        (["random", "--players", 7], "num_players: 7"),
        (["random", "--preset", "fancy"], "fancy"),
        (["random", "--game", "chess_v0"], "chess_v0"),
        (["random", "--option", "pawn_limits=2"], "pawn_limits"),
        (["random", "--option", "pawn_limit"], "pawn_limit"),
        (["random", "--players", 4, "--option", "num_players=3"], "num_players: --players has 4, but --option 3"),
        (["random", "--preset", "fr", "--option", "preset=de"], "preset: --preset has 'fr', but --option 'de'"),
        (["random", "--option", "preset=[de]"], "preset: ['de'] is unknown"),
        (["random", "--json", "no/such/folder/table.json"], "no/such/folder"),
        (["random", "--games", 1], "games"),
    ],
)
def test_bad_input_is_told_in_words_before_any_game(arguments: list, message: str):
    status, printed, errors = run("evaluate.py", *arguments)
    assert status == 2
    assert message in errors
    assert "Traceback" not in errors
    assert "win share" not in printed
