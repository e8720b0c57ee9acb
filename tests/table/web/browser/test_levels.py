"""Levels of the quick game in a real browser: who wins goes up, and this browser keeps it."""

import json

import pytest

from tests.table.web.browser.pages import NO_CHROMIUM, PHONE, check_width, play_to_the_end, set_up
from w51_table.play.table import PERSON

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


def test_a_quick_game_is_against_beginners_and_its_end_rates_once_and_offers_the_next_level(new_page):
    page = new_page(viewport=PHONE, reduced_motion="reduce")
    page.click("[data-quick=warehouse51_v1]")
    page.wait_for_selector(".picture svg")
    assert json.loads(page.evaluate("localStorage['w51.level_tables']"))[0]["level"] == "beginner"
    page.goto(page.url.split("#")[0])
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))  # a short game in the place of that one
    page.evaluate("""() => localStorage.setItem('w51.level_tables', JSON.stringify([
        { table: location.hash.split('/')[2], game: 'warehouse51_v1', level: 'beginner' }]))""")
    play_to_the_end(page)
    page.wait_for_selector("#next-level")
    kept = json.loads(page.evaluate("localStorage['w51.levels']"))["warehouse51_v1"]
    has_won = "You win" in page.inner_text("h1") or "shared" in page.inner_text("h1")
    assert kept["level"] == ("casual" if has_won else "beginner")
    assert (kept["rating"] > 480) == has_won
    said = page.inner_text(".level-news")
    assert ("You go up" in said) == has_won
    check_width(page)
    page.reload()
    page.wait_for_selector("#next-level")
    assert page.inner_text(".level-news") == said
    assert json.loads(page.evaluate("localStorage['w51.levels']"))["warehouse51_v1"] == kept
    page.goto(page.url.split("#")[0])
    page.wait_for_selector("[data-level=warehouse51_v1]")
    assert page.input_value("[data-level=warehouse51_v1]") == kept["level"]
    page.select_option("[data-level=warehouse51_v1]", "solid")
    page.click("[data-quick=warehouse51_v1]")
    page.wait_for_selector(".seats small", state="attached")
    assert "heuristic bot" in page.text_content(".seats")
