"""The deal of the day in a real browser: played once, compared, and shared."""

import pytest

from tests.table.web.browser.pages import (
    NO_CHROMIUM,
    PHONE,
    axe_core,
    check_width,
    findings,
    play_to_the_end,
)
from w51_env.views.language import LANGUAGES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


def play_at_once(page):
    """Play to the end, with agents that decide at once."""
    page.click("[role=tab]:text('Seats')")
    page.click("summary:text('Options')")
    page.select_option("#pace", "0")
    play_to_the_end(page)


def test_a_day_is_played_once_compared_and_shared_and_another_game_says_that_it_does_not_count(new_page):
    page = new_page(viewport=PHONE, reduced_motion="reduce")
    page.click("a[href='#/day/alles_futsch_v1']")
    page.fill("#day-name", "<i>Ann</i>")
    page.click("#begin-day")
    page.wait_for_selector(".actions.yours")
    page.go_back()
    page.click("a.primary[href^='#/table/']")  # it was begun: there is no other one
    play_at_once(page)
    page.click("#to-day")
    page.wait_for_selector(".day svg text:text('<i>Ann</i>')")
    for _ in range(30):  # until the agents have played it
        if page.locator(".day .agent").count() == 6:
            break
        page.wait_for_timeout(2000)
        page.reload()
        page.wait_for_selector(".day svg")
    assert page.locator(".day .own").count() == 3
    check_width(page)
    assert not findings(page, axe_core(), "day")
    with page.expect_download() as saved:
        page.click("#save-day")
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    link = page.get_attribute("[data-copy=day]", "title")
    other = new_page()
    other.goto(link)
    other.wait_for_selector("#begin-day")
    assert not other.is_visible(".day")
    page.click("#day-again")
    page.wait_for_selector(".actions.yours")
    play_at_once(page)
    assert "does not count" in page.inner_text(".actions.ending")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_the_day_fits_every_screen_in_every_language(new_page, language, scheme):
    page = new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.select_option("#language", language)
    page.wait_for_function("language => document.documentElement.lang === language", arg=language)
    page.evaluate("location.hash = '#/day/warehouse51_v1'")
    page.wait_for_selector("#begin-day")
    for size in ({"width": 360, "height": 740}, {"width": 844, "height": 390}, {"width": 1440, "height": 900}):
        page.set_viewport_size(size)
        check_width(page)
    assert not findings(page, axe_core(), f"day, {language}, {scheme}")
