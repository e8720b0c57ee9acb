"""The terminal's player of playbacks, through Textual's own pilot: every key, at 80 x 24."""

from collections.abc import Awaitable, Callable

import pytest

from tests.table.play.games import InProcessPool, performed, recorded, replayed
from tests.table.terminal.pilot import MINI, no_idea, played, text_of, until
from w51_env.engine.game import ALL
from w51_table.play.playback import Performance

pytest.importorskip("textual")
from textual.pilot import Pilot

from w51_table.terminal.watch_app import WatchApp


def watched(performance: Performance, script: Callable[[Pilot, WatchApp], Awaitable[None]]) -> str:
    """The screen after a script of keys."""
    app = WatchApp(performance, "public", "en")
    return played(app, lambda pilot: script(pilot, app))


def test_keys_step_through_a_game_and_jump_to_lots():
    performance = replayed(recorded(num_players=4))
    playback = performance.playback
    lots, last = [index for index, _ in playback.lots], len(playback.frames) - 1

    async def script(pilot: Pilot, app: WatchApp) -> None:
        stops = []
        for keys in (["right"], ["right"], ["left"], ["pagedown"], ["pagedown"], ["pageup"], ["9", "enter"], ["end"],
                     ["right"], ["home"], ["left"], ["9", "9", "enter"]):  # fmt: skip
            await pilot.press(*keys)
            stops.append(app.now)
        after = [lot for lot in lots if lot > 1]
        assert stops == [1, 2, 1, after[0], after[1], after[0], lots[8], last, last, 0, 0, 0]

    watched(performance, script)


def test_a_game_shows_the_table_the_news_the_action_and_what_the_agent_reports():
    performance = replayed(recorded(num_players=4), "pretrained")
    playback = performance.playback

    async def script(pilot: Pilot, app: WatchApp) -> None:
        await pilot.press(*["pagedown"] * 3)
        frame = playback.frames[app.now]
        view = frame.view("public")
        assert view.news[-1]["text"].split(" ", 2)[-1] in text_of(app, "news")
        await until(pilot, lambda: "pretrained:" in text_of(app, "report"))
        assert "points more than the others" in text_of(app, "report")
        chosen = frame.view(frame.seat).action_texts()[frame.action]
        assert chosen in str(app.query_one("#report").border_title)

    last = watched(performance, script)
    assert "Ann" in last
    assert "lot 3 of" in last


def test_the_viewer_changes_from_the_public_through_the_seats_to_everything():
    performance = replayed(recorded(num_players=4))

    async def script(pilot: Pilot, app: WatchApp) -> None:
        for viewer, gaps in (("public", 0), (0, 2), (1, 2), (2, 2), (3, 2), ("all", 4), ("public", 0)):
            assert app.viewer == viewer
            assert text_of(app, "table").count("Counterfeits in") == gaps
            await pilot.press("v")

    watched(performance, script)


def test_space_plays_a_game_and_stops_it():
    performance = replayed(recorded(num_players=4))

    async def script(pilot: Pilot, app: WatchApp) -> None:
        await pilot.press("plus", "plus", "plus", "space")
        await until(pilot, lambda: app.now >= 3)
        await pilot.press("space")
        now = app.now
        await pilot.pause(0.3)
        assert app.now == now

    watched(performance, script)


def test_a_game_of_agents_is_played_as_far_as_it_is_watched():
    performance = performed("search:playouts=4", "heuristic", "random", **MINI)
    playback = performance.playback

    async def script(pilot: Pilot, app: WatchApp) -> None:
        assert len(playback.frames) == 1
        for number in range(1, 6):
            await pilot.press("right")
            await until(pilot, lambda: app.now == number)  # noqa: B023 - waited for in the loop
            assert len(playback.frames) == number + 1
        await pilot.press("left")
        assert app.now == 4
        while not playback.complete:
            lots = len(playback.lots)
            await pilot.press("pagedown")
            await until(pilot, lambda: len(playback.lots) > lots or playback.complete)  # noqa: B023 - as above
        await pilot.press("pagedown", "pagedown")
        assert app.now == len(playback.frames) - 1

    watched(performance, script)
    assert playback.complete
    assert playback.frames[-1].view(ALL).over
    searched = [performance.explanation(frame.number) for frame in playback.frames if frame.seat == 0]
    assert any(found is not None and found.choices and found.choices[0].playouts for found in searched)


def test_what_the_agent_to_move_reports_is_what_it_then_plays():
    performance, other = (performed("search:playouts=4", "random", "heuristic", **MINI) for _ in range(2))
    playback = performance.playback

    async def script(pilot: Pilot, app: WatchApp) -> None:
        for number in range(6):
            await until(pilot, lambda: text_of(app, "report") != "")
            assert playback.frames[number].action is None
            reported = app.query_one("#report").border_title
            await pilot.press("right")
            await until(pilot, lambda: app.now == number + 1)  # noqa: B023 - waited for in the loop
            texts = playback.frames[number].view(ALL).action_texts()
            assert (
                reported == f"{playback.names[playback.frames[number].seat]}: {texts[playback.frames[number].action]}"
            )

    watched(performance, script)
    for _ in range(6):  # an agent that was not asked before plays the same
        other.advance()
    assert [frame.action for frame in other.playback.frames[:6]] == [frame.action for frame in playback.frames[:6]]


def test_a_watched_game_goes_on_after_an_agent_has_failed_once(monkeypatch: pytest.MonkeyPatch):
    performance = performed("heuristic", "heuristic", "heuristic", **MINI)
    explain, calls = InProcessPool.explain, []

    def fail_at_first(*arguments: object) -> object:
        calls.append(arguments)
        return no_idea() if len(calls) <= 2 else explain(*arguments)

    monkeypatch.setattr(InProcessPool, "explain", fail_at_first)

    async def script(pilot: Pilot, app: WatchApp) -> None:
        await until(pilot, lambda: len(calls) == 1)
        await pilot.press("right")
        await until(pilot, lambda: len(calls) == 2)
        await pilot.press("right")
        await until(pilot, lambda: app.now == 1)

    watched(performance, script)
