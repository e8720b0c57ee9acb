"""The terminal's table, through Textual's own pilot: every key, at 80 x 24 and wide."""

import io
import threading
from functools import partial
from pathlib import Path

import pytest

from tests.table.play.games import InProcessPool
from tests.table.terminal.pilot import MINI, NARROW, WIDE, played, screen, text_of, until
from w51_agents.named.explanation import Explanation
from w51_env import make_game
from w51_env.views.language import LANGUAGES, Words
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import failed
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table, TableError

pytest.importorskip("textual")
from rich.console import Console
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import OptionList

from w51_table.terminal.parts import Page, Panel, Wrapped, news_text
from w51_table.terminal.play_app import PlayApp, find_number


def new_table(folder: Path, *agents: str, game_id: str = "warehouse51_v1", seed: int = 5, **options: object) -> PlayApp:
    """You, called Ann, in seat 0."""
    seats = (PERSON, *agents)
    game = make_game(game_id, **{"num_players": len(seats), **options})
    table = Table(Setup(game_id, dict(game.options), seed, seats, ("Ann", *(f"bot {i}" for i in range(len(agents))))))
    return PlayApp(table, GameLog.create(folder / "x.table", table), "en", InProcessPool())


def is_your_turn(app: PlayApp) -> bool:
    return app.table.over or (app.table.seat == 0 and len(app.query_one("#actions", OptionList).options) > 0)


async def your_turn(pilot: Pilot) -> None:
    """Wait for the turn of seat 0, or the end."""
    await until(pilot, partial(is_your_turn, pilot.app))


def options_of(app: PlayApp) -> list[str]:
    return [str(option.prompt) for option in app.query_one("#actions", OptionList).options]


async def to_the_end(pilot: Pilot) -> None:
    """Play the first action of each decision."""
    app = pilot.app
    assert isinstance(app, PlayApp)
    while not app.table.over:
        await your_turn(pilot)
        before = app.table.decision
        if app.table.over:
            return
        assert not options_of(app)[0].startswith("pawn")  # Enter by habit
        await pilot.press("enter")
        await until(pilot, lambda: app.table.decision > before)  # noqa: B023 - waited for in the loop


@pytest.mark.parametrize(
    ("game_id", "bot", "options"),
    [
        ("warehouse51_v1", "heuristic", MINI),
        ("alles_futsch_v1", "heuristic", MINI),
        ("auctions_v0", "half", {"bidders": "0 60/0 100/10 50 2 2 30"}),
        ("auctions_v0", "half", {"preset": "units"}),
        ("auctions_v0", "half", {"preset": "items"}),
        ("auctions_v0", "half", {"preset": "sequence"}),
        ("tests.env.third_game:make", "shader", {}),
    ],
)
def test_a_whole_game_is_played_with_the_keyboard(game_id: str, bot: str, options: dict, tmp_path: Path):
    app = new_table(tmp_path, bot, "random", game_id=game_id, **options)
    last = played(app, to_the_end, WIDE)
    assert app.table.over
    assert last.splitlines()[0].rstrip().endswith(f"bot 0: {bot}, bot 1: random")
    assert "The game is over" in last
    if options:  # a game that is not registered has no replays
        assert Replay.load(tmp_path / "x.json").final.over
        assert "rank 1" in last


def test_legal_actions_stand_in_words_and_a_number_finds_the_bid(tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        while not any("bid 4" in text for text in options_of(app)):
            await pilot.press("enter")
            await your_turn(pilot)
        mask = app.table.action_mask
        assert len(options_of(app)) == mask.sum()
        await pilot.press("4")
        actions = app.query_one("#actions", OptionList)
        assert str(actions.get_option_at_index(actions.highlighted or 0).prompt) == "bid 4"
        decision = app.table.decision
        app._usual = 2
        await pilot.press("enter")
        await until(pilot, lambda: app.table.decision > decision)
        assert app.table.game.actions[app.table.actions[decision]].name == "bid_4"

    app = new_table(tmp_path, "heuristic", "random", **MINI)
    played(app, script)


def test_an_unusual_bid_is_asked_about_unless_the_coach_would_bid_it(tmp_path: Path, monkeypatch):
    async def script(pilot: Pilot) -> None:
        await until(pilot, lambda: is_your_turn(app) and "bid 9" in options_of(app))
        names = {action.name: index for index, action in enumerate(app.table.game.actions)}
        best = names["bid_3"]
        monkeypatch.setattr(InProcessPool, "explain", lambda *asked: Explanation("it", best))
        decision = app.table.decision
        await pilot.press("9", "9", "enter")  # no such bid
        assert app.query_one("#actions", OptionList).highlighted is None
        for bid in ("8", "9"):
            await pilot.press(bid, "enter")
            await until(pilot, lambda: len(app._notifications) > 0)
            assert app.table.decision == decision
            app.clear_notifications()
        best = names["bid_8"]
        await pilot.press("8", "enter")
        await until(pilot, lambda: app.table.decision > decision)
        assert app.table.game.actions[app.table.actions[decision]].name == "bid_8"

    app = new_table(tmp_path, "heuristic", "random", first_player=1)
    played(app, script)


def test_a_decision_is_taken_back_while_an_agent_thinks_and_else_the_reason_is_said(tmp_path: Path, monkeypatch):
    app = new_table(tmp_path, "heuristic", "heuristic", first_player=1)
    thinks, ask = threading.Event(), InProcessPool.ask
    said: list[str] = []
    monkeypatch.setattr(app, "notify", lambda text, **_: said.append(text))
    monkeypatch.setattr(InProcessPool, "ask", lambda *asked: thinks.wait(60) and ask(*asked))

    async def script(pilot: Pilot) -> None:
        thinks.set()
        await until(pilot, lambda: is_your_turn(app) and "bid 1" in options_of(app))
        await pilot.press("u")
        assert said.pop().startswith("Nothing can be taken back")
        thinks.clear()
        before = app.table.decision
        await pilot.press("enter")
        await pilot.press("u")
        assert app.table.decision == before
        thinks.set()
        await pilot.pause(0.3)
        assert app.table.decision == before  # the answer of the agent came too late
        assert app.table.seat == 0

    played(app, script)


def test_a_number_is_found_as_a_word():
    texts = ["pass", "bid 1", "bid 12", "bid 12,000", "pawn 13 monkeys"]
    assert [find_number(typed, texts) for typed in ("1", "12", "13", "2")] == [1, 2, 4, None]


def test_the_hint_is_what_the_coach_advises_with_the_reasons_and_the_coach_is_loaded_when_it_is_asked(tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await until(pilot, lambda: is_your_turn(app) and app.view().table["lot"] is not None)
        assert not app._coach._judges
        before = app.table.decision
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, Page))
        advice = app._coach.conclude(app.table.frame(), app.table.setup.seed)
        lines = app.screen._lines  # type: ignore[attr-defined]
        assert lines[0] == f"Coach: {app.view().action_texts()[advice.action]}"
        assert any(line.startswith(f"It won {advice.choices[0].utility:.0%} ± ") for line in lines)
        assert "You would pay bot 0." in lines
        assert app.table.decision == before
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)

    app = new_table(tmp_path, "heuristic", "random", first_player=1, **MINI)
    played(app, script)


def test_the_last_screen_of_a_small_terminal_begins_with_the_scores(tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        await pilot.press("pagedown")
        await to_the_end(pilot)

    app = new_table(tmp_path, "heuristic", "heuristic", **MINI)
    lines = played(app, script).splitlines()
    assert lines[2].startswith(" Points: ")
    assert [", rank " in line for line in lines[3:6]] == [True] * 3


def test_the_page_of_rules_names_every_relic_and_is_closed_by_its_key(tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        await pilot.press("e")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        lines = "\n".join(app.screen._lines)
        assert all(relic["name"] in lines for relic in app.view().table["relics"].values())
        page = app.screen.query_one("#page")
        await pilot.press("pagedown")
        assert page.scroll_y == 8
        await pilot.press("pagedown", "down", "pageup")
        assert page.scroll_y == 9
        await pilot.press("e")
        assert not isinstance(app.screen, Page)

    app = new_table(tmp_path, "heuristic", "random")
    played(app, script)


def test_nothing_hidden_is_on_the_screen_before_the_end(tmp_path: Path):
    """Another deal of everything that the seat can not know gives the same screen."""
    app = new_table(tmp_path, "heuristic", "heuristic", seed=3, first_player=0)
    first = played(app, your_turn, WIDE)
    other = app.table.info()["determinizer"].draw(1, seed=9)
    assert (other["deck"] != app.table.record["deck"]).any()
    (tmp_path / "x.table").unlink()
    app = new_table(tmp_path, "heuristic", "heuristic", seed=3, first_player=0)
    app.table._batch.load(other)
    assert played(app, your_turn, WIDE) == first


def test_a_game_goes_on_from_its_file(tmp_path: Path):
    async def some(pilot: Pilot) -> None:
        for _ in range(4):
            await your_turn(pilot)
            await pilot.press("enter")
        await your_turn(pilot)
        await pilot.press("q")

    app = new_table(tmp_path, "random", "heuristic", **MINI)
    played(app, some)
    app.game_log.close()
    kept = list(app.table.actions)
    game_log, table = GameLog.open(tmp_path / "x.table")
    assert table.actions == kept
    resumed = PlayApp(table, game_log, "en", InProcessPool())
    played(resumed, to_the_end)
    (tmp_path / "whole").mkdir()
    whole = new_table(tmp_path / "whole", "random", "heuristic", **MINI)
    played(whole, to_the_end)
    assert resumed.table.actions == whole.table.actions  # agents play as if it had not been interrupted


def test_an_agent_that_fails_plays_a_random_action_and_says_so(tmp_path: Path, monkeypatch):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.decision > 1)
        await pilot.pause()
        assert any("no idea" in notification.message for notification in app._notifications)

    app = new_table(tmp_path, "heuristic", "random", first_player=0, **MINI)
    monkeypatch.setattr(InProcessPool, "answer", lambda self, question: failed(question, "no idea"))
    played(app, script)


@pytest.mark.parametrize("size", [(40, 10), (60, 16), NARROW, WIDE])
def test_all_panels_are_on_the_screen(size: tuple[int, int], tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        await pilot.pause()
        regions = [app.query_one(f"#{name}").region for name in ("headline", "table", "news", "actions")]
        assert all(region.right <= size[0] and region.bottom < size[1] for region in regions)
        assert min(region.height for region in regions[1:]) >= 3
        if size[0] >= 80:
            assert all(region.width >= 30 for region in regions)
            assert regions[2].height >= 9
        side_by_side = regions[1].right <= regions[2].x
        assert side_by_side == (size[0] >= 116)

    app = new_table(tmp_path, "heuristic", "random")
    lines = played(app, script, size).splitlines()
    assert (max(map(len, lines)), len(lines)) == size
    assert lines[0].startswith(" Warehouse 51 · Ann")
    assert "h hint" in lines[-1]


def test_a_key_changes_the_language_of_everything(tmp_path: Path):
    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        for language in (*LANGUAGES[1:], LANGUAGES[0]):
            before = screen(app)
            await pilot.press("g")
            await pilot.pause()
            assert app.words.language == language
            assert screen(app).splitlines()[-1] != before.splitlines()[-1]  # keys
            assert text_of(app, "table") != before
            seen.add("\n".join(options_of(app)))

    seen: set[str] = set()
    app = new_table(tmp_path, "heuristic", "random")
    played(app, script)
    assert len(seen) == len(LANGUAGES)


def test_numbers_of_every_language_stand_in_the_news():
    for language in LANGUAGES:
        words = Words(language)
        sentence = words("alles_futsch.event.bid", seat="Ada", money=words.number(30_000))
        assert news_text([sentence]).plain == f"• {sentence}"
    assert news_text(["\x1b[2Ja"]).plain == "• ?[2Ja"


def test_what_does_not_fit_into_a_line_goes_on_below_it_and_indented():
    lines = Text("• the hammer of Thor\n  red 2  Peaches of Immortality\n\n• a")
    console = Console(width=14, record=True, file=io.StringIO())
    console.print(Wrapped(lines))
    shown = [line.rstrip() for line in console.export_text().splitlines()]
    assert shown == ["• the hammer", "  of Thor", "  red 2", "    Peaches of", "    Immortalit", "    y", "", "• a"]


def test_a_short_page_is_no_taller_than_its_text(tmp_path: Path):
    app = new_table(tmp_path, "heuristic", "random", **MINI)

    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        assert app.screen.query_one(Panel).region.height == len(app.words("terminal.help_play").splitlines()) + 2

    played(app, script)


def test_a_decision_that_cannot_be_written_is_not_played_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    app = new_table(tmp_path, "heuristic", "random", **MINI)

    def full(*arguments: object) -> None:
        raise TableError("table x: cannot be written: No space left on device")

    async def script(pilot: Pilot) -> None:
        await your_turn(pilot)
        before = app.table.decision
        monkeypatch.setattr(app.game_log, "play", full)
        await pilot.press("enter")
        await until(pilot, lambda: app.return_code == 2)
        assert app.table.decision == before

    played(app, script)
    assert "table x: cannot be written: No space left on device" in capsys.readouterr().err
