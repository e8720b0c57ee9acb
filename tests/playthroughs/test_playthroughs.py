"""The golden playthroughs are what the engine plays today; if a rule was meant to change, write them anew."""

import difflib
from importlib import import_module

import pytest

from tests.playthroughs.generate import FOLDER, PLAYTHROUGHS, Playthrough, text_of
from w51_env.core.registry import make_game, registered_games

SHOWN_LINES = 60


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.name)
def test_the_engine_plays_each_game_as_its_file_says(playthrough: Playthrough):
    golden, now = playthrough.path.read_text("utf-8").splitlines(), text_of(playthrough).splitlines()
    if golden == now:
        return
    difference = list(difflib.unified_diff(golden, now, "as written", "as played now", lineterm="", n=4))
    more = f"\n... and {len(difference) - SHOWN_LINES} more lines" if len(difference) > SHOWN_LINES else ""
    pytest.fail(
        f"{playthrough.path.name} differs; if this was meant: python tests/playthroughs/generate.py\n"
        + "\n".join(difference[:SHOWN_LINES])
        + more,
        pytrace=False,
    )


def test_there_is_a_file_for_each_playthrough_and_no_other():
    assert {path.name for path in FOLDER.glob("*.txt")} == {playthrough.path.name for playthrough in PLAYTHROUGHS}


@pytest.mark.parametrize("game_id", registered_games())
def test_the_playthroughs_cover_every_preset_and_number_of_players_and_every_kind_of_event(game_id: str):
    rules = import_module(f"w51_env.{game_id.rpartition('_v')[0]}.rules")
    played = [playthrough for playthrough in PLAYTHROUGHS if playthrough.game_id == game_id]
    assert {playthrough.options["preset"] for playthrough in played} == set(rules.PRESETS)
    assert {playthrough.options["num_players"] for playthrough in played} == set(rules.NUM_PLAYERS)
    text = "\n".join(playthrough.path.read_text("utf-8") for playthrough in played)
    for kind in make_game(game_id).event_kinds:
        words = max(kind.text.replace("}", "{").split("{")[::2], key=len)  # the longest piece between fields
        assert words in text, kind.name


def test_files_stay_small_enough_to_read():
    assert all(playthrough.path.stat().st_size < 100_000 for playthrough in PLAYTHROUGHS)
