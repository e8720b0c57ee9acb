"""Replays, reviews and games of agents in a real browser."""

from typing import Any

import pytest

from tests.commands import start
from tests.table.play.games import played_at_random
from tests.table.web.browser.pages import (
    COMPUTING,
    NO_CHROMIUM,
    SMALL_PHONE,
    TABLET,
    axe_core,
    check_width,
    findings,
    open_replay,
    play_to_the_end,
    set_up,
    take_action,
)
from w51_table.play.table import PERSON

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


def test_a_replay_is_scrubbed_by_slider_keys_and_lots(new_page, tmp_path):
    page = new_page()
    table = open_replay(page, tmp_path)
    shown = lambda: page.text_content(".picture svg")  # noqa: E731
    begin = shown()
    page.locator("#step").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')) }", 30
    )
    page.wait_for_url("**/30/all")
    at_30 = shown()
    assert at_30 != begin
    page.focus("#main")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/31/all")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/30/all")
    assert shown() == at_30
    page.select_option("#lot", index=3)
    page.wait_for_function("() => location.hash.split('/')[3] !== '30'")
    page.select_option("#viewer", "1")
    page.click("#last")
    page.wait_for_url(f"**/{table.decision}/1")
    assert "Total" in shown()
    page.click("#first")
    page.wait_for_url("**/0/1")
    page.click("#play")
    page.wait_for_url("**/2/1")
    page.click("#play")


def test_a_damaged_replay_is_reported_and_the_page_goes_on(new_page, tmp_path):
    page = new_page()
    page.wait_for_selector("#replay")
    (tmp_path / "bad.json").write_text('{"schema": 2}')
    page.set_input_files("#replay", tmp_path / "bad.json")
    page.wait_for_function("() => document.getElementById('alert').textContent.includes('game: missing')")
    open_replay(page, tmp_path)


def test_everything_fits_a_phone_and_is_large_enough_to_touch(new_page, tmp_path):
    page = new_page(viewport=SMALL_PHONE, has_touch=True, is_mobile=True)
    set_up_visible = page.wait_for_selector("#begin")
    assert set_up_visible
    check_width(page)
    set_up(page, seats=(PERSON, "heuristic", "heuristic"), click=lambda selector: page.tap(selector))
    for _ in range(8):
        page.wait_for_selector(".actions.yours")
        check_width(page)
        for button in page.query_selector_all(".actions button"):
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 40, box
        take_action(page, lambda button: button.tap())
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(".picture svg")
    page.goto(page.url.split("#")[0])
    open_replay(page, tmp_path)
    check_width(page)


def test_the_review_follows_the_picture_on_a_phone_and_its_links_are_large_enough_to_touch(new_page):
    page = new_page(viewport=SMALL_PHONE, has_touch=True, is_mobile=True)
    set_up(page, preset="nano", seats=(PERSON, "random", "random"), click=lambda selector: page.tap(selector))
    play_to_the_end(page)
    check_width(page)
    top = {name: page.locator(name).first.bounding_box()["y"] for name in (".picture", ".review", ".tabs")}
    assert sorted(top, key=top.__getitem__) == [".picture", ".review", ".tabs"]
    assert not page.is_visible("#pace")
    for link in page.query_selector_all(".review .links a"):
        assert link.bounding_box()["height"] >= 44
    page.tap(".actions.ending a[href^='#/replay/']")
    page.wait_for_selector("#step")
    check_width(page)


def test_a_tablet_that_is_turned_gets_the_other_layout_of_the_picture(new_page, tmp_path):
    page = new_page(viewport=TABLET, has_touch=True, is_mobile=True)
    ratio = (
        "() => { const box = document.querySelector('.picture svg').viewBox.baseVal; return box.width / box.height }"
    )
    set_up(page, seats=(PERSON, "heuristic", "random"), click=lambda selector: page.tap(selector))
    for opened in ("table", "replay"):
        assert page.evaluate(ratio) < 1
        page.set_viewport_size({"width": TABLET["height"], "height": TABLET["width"]})
        page.wait_for_function(f"() => document.querySelector('.picture svg') && ({ratio})() > 1")
        check_width(page)
        page.set_viewport_size(TABLET)
        page.wait_for_function(f"() => document.querySelector('.picture svg') && ({ratio})() < 1")
        if opened == "table":
            page.goto(page.url.split("#")[0])
            open_replay(page, tmp_path)


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing(new_page, tmp_path, colours, width):
    script = axe_core()
    size = {"width": width, "height": 844}
    page = new_page(viewport=size, color_scheme=colours, reduced_motion="reduce", bypass_csp=True)
    page.click("a[href='#/lesson/warehouse51_v1']")
    page.wait_for_selector(".picture svg")
    found = findings(page, script, "lesson")
    page.goto(page.url.split("#")[0])
    page.click(".start summary")
    page.wait_for_selector("#option_start_ingots")
    found += findings(page, script, "form")
    set_up(page, seats=(PERSON, "heuristic", "random"))
    for _ in range(4):
        take_action(page)
    page.wait_for_selector(".actions.yours")
    found += findings(page, script, "table")
    page.locator(".picture [data-card]").first.click()
    found += findings(page, script, "card")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog.rules figure svg")
    found += findings(page, script, "rules")
    page.keyboard.press("Escape")
    page.goto(page.url.split("#")[0])
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    play_to_the_end(page)
    found += findings(page, script, "review")
    page.goto(page.url.split("#")[0])
    open_replay(page, tmp_path)
    page.click("aside summary")
    page.click(".beliefs summary")
    page.wait_for_selector(".beliefs table")
    found += findings(page, script, "replay")
    page.goto(page.url.split("#")[0])
    set_up(page, seats=("pretrained", "heuristic", "random"), pace="0.4", begin="#watch")
    page.wait_for_function("() => Number(location.hash.split('/')[3]) > 2")
    found += findings(page, script, "agents")
    page.goto(f"{page.url.split('#')[0]}#/table/{'A' * 16}/x")
    page.wait_for_selector(".nothing")
    found += findings(page, script, "no table")
    assert not found, "\n".join(found)


def step_of(page: Any) -> int:
    return int(page.url.split("/")[-2])


def test_agents_are_watched_at_a_chosen_pace_forward_and_back_with_what_each_reports(new_page):
    page = new_page()
    set_up(page, seats=("search:playouts=50", "pretrained", "heuristic"), pace="null", begin="#watch")
    page.wait_for_function("() => document.querySelector('#agent').value === ''")
    page.wait_for_timeout(700)
    assert step_of(page) == 0
    for step in range(1, 9):
        page.click("#forward")
        page.wait_for_url(f"**/{step}/all")
    found = set()
    for step in range(7, -1, -1):
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(f"**/{step}/all")
        page.wait_for_selector(".thoughts:not(.old) p")
        found.add(page.inner_text(".thoughts p").split(":")[0].lower())
    assert {"search, 50 playouts", "pretrained"} <= found
    page.select_option("#agent", "search:playouts=50")
    page.wait_for_selector(".thoughts:not(.old) .interval")
    page.select_option("#agent", "pretrained")
    page.wait_for_selector(".thoughts:not(.old) .bar")
    shares = "[...document.querySelectorAll('.bar')].map(bar => Number(bar.style.getPropertyValue('--share')))"
    sharp = page.evaluate(shares)
    page.select_option("#temperature", "4")
    assert max(page.evaluate(shares)) < max(sharp)
    assert sum(page.evaluate(shares)) == pytest.approx(1, abs=0.01)
    page.click(".beliefs summary")
    assert page.inner_text(".beliefs thead th:last-child") == "Truth"
    page.select_option("#viewer", "1")
    page.wait_for_function("() => document.querySelectorAll('.beliefs thead th').length === 1")
    page.select_option("#viewer", "all")
    page.keyboard.press("?")
    page.wait_for_selector("dialog.rules h2")
    page.keyboard.press("Escape")
    page.select_option("#pace", "0.4")
    page.click("#play")
    page.wait_for_function("() => Number(location.hash.split('/')[3]) > 10")
    page.click("#play")
    page.wait_for_timeout(2000)
    held = step_of(page)
    page.wait_for_timeout(1500)
    assert step_of(page) == held
    before = page.locator("#lot option").count()
    while page.locator("#lot option").count() == before:
        page.keyboard.press("PageDown")
        page.wait_for_timeout(500)
    page.reload()
    page.wait_for_selector(".picture svg")
    page.click("#last")
    page.wait_for_function("() => document.querySelector('.picture').textContent.includes('Total')")
    page.select_option("#lot", index=2)
    page.wait_for_function("() => !document.querySelector('.picture').textContent.includes('Total')")


@pytest.mark.parametrize("what", ["replay", "agents"])
def test_the_command_watch_opens_a_game_in_the_browser(new_page, tmp_path, what):
    given = ["pretrained", "heuristic", "heuristic"]
    if what == "replay":
        played_at_random(seed=4).replay().save(tmp_path / "game.json")
        given = [str(tmp_path / "game.json"), "--agent", "heuristic"]
    process = start("play.py", "watch", *given, "--browser", "--port", 0, "--folder", tmp_path / "t", "--viewer", 1)
    try:
        page = new_page()
        page.goto(process.stdout.readline().split()[1])
        page.wait_for_selector(".picture svg")
        for step in (1, 2, 3):
            page.click("#forward")
            page.wait_for_url(f"**/{step}/1")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(".thoughts:not(.old) p")
        assert page.input_value("#viewer") == "1"
        assert page.input_value("#agent") == ("heuristic" if what == "replay" else "")
    finally:
        process.kill()
        process.communicate()


def test_a_finished_game_is_saved_as_a_file(new_page, tmp_path):
    page = new_page()
    open_replay(page, tmp_path)
    page.click(".exports summary")
    for kind, begins in (("txt", "# Warehouse 51"), ("svg", "<svg")):
        with page.expect_download(timeout=60_000) as download:
            page.click(f"[data-export={kind}]")
        assert download.value.suggested_filename.endswith(f".{kind}")
        download.value.save_as(tmp_path / "saved")
        assert (tmp_path / "saved").read_text().startswith(begins)


def test_a_costly_decision_is_marked_and_tried_again_from_the_review_and_from_the_replay(new_page):
    page = new_page()
    set_up(page, preset="nano", seats=(PERSON, "heuristic", "heuristic"))
    play_to_the_end(page)
    page.wait_for_selector(".review .practice", timeout=COMPUTING)
    assert page.locator(".review .practice li").count() >= 1
    assert page.inner_text(".axes .axis").endswith("decisions")
    page.click(".review .practice a")
    page.wait_for_selector(".study #retry:visible")
    page.click(".study summary")
    page.wait_for_selector(".moves [aria-current]")
    is_graded = "() => document.querySelector('.study [role=status]').textContent.includes('were costly')"
    page.wait_for_function(is_graded, timeout=COMPUTING)
    step = page.url.split("/")[-2]
    assert page.locator(".moves li").nth(int(step)).get_attribute("aria-current") == "step"
    page.click(".moves li:first-child button")
    page.wait_for_url("**/0/*")
    assert findings(page, axe_core(), "a replay with its study panel") == []
    page.click("#retry")
    page.wait_for_selector("#hint")
    assert "/table/" in page.url
    page.goto(page.url.split("#")[0])
    assert page.locator(".own-practice a").first.get_attribute("href").startswith("#/replay/")  # they stay to be found
