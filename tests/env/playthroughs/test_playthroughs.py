"""The engine plays the golden playthroughs as they are written; after a change of a rule, they are generated anew."""

import difflib
import importlib
import re

import pytest

from tests.env.playthroughs.generate import FOLDER, PLAYTHROUGHS, Playthrough, text_of
from w51_env.engine.registry import make_game, registered_games
from w51_env.views.language import Words

SHOWN_LINES = 60
NOT_AT_DECISIONS = {"own_secret_bid"}  # set from a seat's secret bid to the end of the auction: it has no decision then


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.name)
def test_the_engine_plays_each_game_as_it_is_written(playthrough: Playthrough):
    golden, now = playthrough.path.read_text("utf-8").splitlines(), text_of(playthrough).splitlines()
    if golden == now:
        return
    difference = list(difflib.unified_diff(golden, now, "as written", "as played", lineterm="", n=4))
    more = f"\n... and {len(difference) - SHOWN_LINES} more lines" if len(difference) > SHOWN_LINES else ""
    pytest.fail(
        f"{playthrough.path.name} differs; if this was meant: python -m tests.env.playthroughs.generate\n"
        + "\n".join(difference[:SHOWN_LINES])
        + more,
        pytrace=False,
    )


def test_there_is_a_file_for_each_playthrough_and_no_other():
    assert {path.name for path in FOLDER.glob("*.txt")} == {playthrough.path.name for playthrough in PLAYTHROUGHS}


@pytest.mark.parametrize("game_id", registered_games())
def test_the_playthroughs_cover_every_option_of_the_presets_and_all_events_phases_actions_and_slices(game_id: str):
    game = make_game(game_id)
    played = [playthrough for playthrough in PLAYTHROUGHS if playthrough.game_id == game_id]
    text = "\n".join(playthrough.path.read_text("utf-8") for playthrough in played)
    options = [make_game(game_id, **playthrough.options).options for playthrough in played]
    presets = importlib.import_module(f"w51_env.{game.name}.rules").PRESETS
    for name in {name for preset in presets.values() for name in preset}:
        assert len({option[name] for option in options}) > 1, f"option {name} has one value in all playthroughs"
    sentences = Words().section(f"{game.name}.event")
    for kind in game.event_types:
        words = max(sentences[kind.name].replace("}", "{").split("{")[::2], key=len)  # the longest piece between fields
        assert words.rstrip(".") in text, f"event {kind.name}"  # the cause stands before the full stop
    phases = game.layout["phase"].meaning.removeprefix("One-hot: ").rstrip(".") if "phase" in game.layout else ""
    for phase in filter(None, phases.split(", ")):
        assert f"\nphase: {phase}\n" in text, f"phase {phase}"
    for verb in {action.name.partition("_")[0] for action in game.actions}:
        assert re.search(rf"^action: \d+ {verb}", text, re.MULTILINE), f"action {verb}"
    for name in set(game.layout) - NOT_AT_DECISIONS:
        assert f"\n{name}: " in text, f"slice {name}"


def test_files_stay_small_enough_to_read():
    assert all(playthrough.path.stat().st_size < 100_000 for playthrough in PLAYTHROUGHS)
