"""The golden playthroughs are what the engine plays today; if a rule was meant to change, write them anew."""

import difflib

import pytest

from tests.playthroughs.generate import FOLDER, PLAYTHROUGHS, Playthrough, text_of
from w51_env.warehouse51.event_kinds import EVENT_KINDS
from w51_env.warehouse51.rules import PRESETS

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


def test_the_playthroughs_cover_every_preset_and_number_of_players_and_every_kind_of_event():
    warehouse = [playthrough for playthrough in PLAYTHROUGHS if playthrough.game_id.startswith("warehouse51")]
    assert {playthrough.options["preset"] for playthrough in warehouse} == set(PRESETS)
    assert {playthrough.options["num_players"] for playthrough in warehouse} == {3, 4, 5}
    text = "\n".join(playthrough.path.read_text("utf-8") for playthrough in warehouse)
    for kind in EVENT_KINDS:
        words = max(kind.text.replace("}", "{").split("{")[::2], key=len)  # the longest piece between fields
        assert words in text, kind.name


def test_files_stay_small_enough_to_read():
    assert all(playthrough.path.stat().st_size < 100_000 for playthrough in PLAYTHROUGHS)
