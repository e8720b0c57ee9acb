"""The text table of a view: plain in a log, with colour in a terminal, and the render modes that print it."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from w51_agents.language.prompts import rules_page
from w51_env import alles_futsch_v1, make_game, make_vec, register_game, warehouse51_v1
from w51_env.engine import registry
from w51_env.engine.batch import Batch
from w51_env.views import text_table as text
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering, View


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture(params=["warehouse51_v1", "alles_futsch_v1", "tests.env.third_game:make"])
def view(request: pytest.FixtureRequest):
    batch = make_vec(request.param, 1, seed=1, autoreset="disabled")
    batch.reset()
    for drawn in range(40):
        if batch.seat[0] < 0:
            break
        batch.step(batch.sample_actions(drawn))
    return batch.view(0, "all")


def test_colour_adds_codes_and_changes_no_word(view):
    plain, coloured = text.table(view), text.table(view, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b")


def test_a_terminal_gets_colour_and_a_log_does_not(view):
    terminal, log = Terminal(), io.StringIO()
    text.show(view, terminal)
    text.show(view, log)
    assert terminal.getvalue() == text.table(view, colour=True) + "\n"
    assert log.getvalue() == text.table(view) + "\n"


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colour_gets_none(view, variable: str, value: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(variable, value)
    terminal = Terminal()
    text.show(view, terminal)
    assert "\x1b" not in terminal.getvalue()


@pytest.mark.parametrize("module", [warehouse51_v1, alles_futsch_v1])
def test_human_prints_what_ansi_returns(module, capsys: pytest.CaptureFixture):
    printing, returning = module.env(render_mode="human", render_seat=1), module.env(render_mode="ansi", render_seat=1)
    printing.reset(seed=3)
    returning.reset(seed=3)
    assert capsys.readouterr().out == returning.render() + "\n"
    assert printing.render() is None


def test_functions_of_a_game_that_is_not_registered_show_its_views():
    rendering = Rendering(
        table=lambda view, words, paint: [paint("title", f"Worth: {view.players[1]['observation']['worth']}")],
        explanation=lambda view, words: ["The highest bid wins."],
        rules_page=lambda game: f"A lot for {game.num_players} players.",
    )
    game = replace(make_game("tests.env.third_game:make"), show=Presentation(rendering=rendering))
    batch = Batch(game, 1, seed=0)
    batch.reset()
    view = batch.view(0, 1)
    assert text.table(view) == f"Worth: {batch.games['worth'][0, 1]}"
    assert text.table(View.from_data(view.as_data(), rendering)) == text.table(view)
    assert text.table(View.from_data(view.as_data())).startswith("one_lot: ")  # found by the id alone
    assert text.explanation(view) == ["The highest bid wins."]
    assert rules_page(game) == "A lot for 3 players."


def test_a_registered_game_of_one_file_has_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "one_file_game.py").write_text("from tests.env.third_game import make\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    register_game("one_lot_v0", "one_file_game:make")
    try:
        batch = make_vec("one_lot_v0", 1, seed=0)
        batch.reset()
        assert text.table(batch.view(0, 1)).startswith("one_lot: Player 0 is to move")
    finally:
        del registry._FACTORIES["one_lot_v0"]
