"""The picture of the web table as an interface, in a real browser: cards, areas, bids, sizes, motion."""

from typing import Any

import pytest

from tests.table.play.games import performed
from tests.table.web.browser.pages import (
    NO_CHROMIUM,
    PATIENCE,
    PHONE,
    check_width,
    confirm,
    play_to,
    set_up,
    take_action,
)
from w51_env.engine.game import ALL
from w51_env.views.language import LANGUAGES, Words
from w51_table.play.export import ExportOptions, export
from w51_table.play.table import PERSON

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]

SMALLEST = """() => Math.min(...[...document.querySelectorAll('main *')].filter((element) => element.checkVisibility()
  && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())).map((element) =>
  parseFloat(getComputedStyle(element).fontSize) * (element.getScreenCTM ? element.getScreenCTM().d : 1)))"""


def tap_an_action(page: Any) -> bool:
    """Take an action by taps on the picture and on the window that it opens; False if the game is over."""
    page.wait_for_function("""() => !document.querySelector('.review').hidden
        || document.querySelector('.actions.yours')
        && [...document.querySelectorAll('.picture .open')].some((area) => area.getClientRects().length)""")
    if page.is_visible(".review"):
        return False
    before = page.get_attribute(".actions", "data-decision")
    areas = page.locator(".picture .open:visible")
    areas.nth(int(before) % areas.count()).tap()
    panel = page.locator(".popup button[data-action]")
    if panel.count():
        panel.nth(int(before) % panel.count()).tap()
    confirm(page, before, lambda button: button.tap())
    return True


@pytest.mark.parametrize(("game", "preset"), [("warehouse51_v1", "mini"), ("alles_futsch_v1", "mini")])
def test_a_whole_game_by_touch_on_the_picture_alone(new_page, game, preset):
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    seats = (PERSON, "random") if game == "alles_futsch_v1" else (PERSON, "random", "random")
    set_up(page, game, preset=preset, seats=seats, click=page.tap)
    page.add_style_tag(content=".dock { display: none }")  # there is nothing else to touch
    for _ in range(200):
        if not tap_an_action(page):
            break
    page.wait_for_selector(".actions.ending", state="attached")


def test_on_a_phone_a_sentence_says_what_a_tap_does_and_what_glows_below_is_found(new_page):
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.fill("#seed", "7")  # its first lot lets the buyer look at a gap
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"), click=page.tap)
    play_to(page, ".amount")
    page.fill(".amount input", "5")
    page.tap(".amount .primary")
    page.wait_for_selector("#find")
    assert page.inner_text(".tap") == "Tap the gap that you look at. To pawn a relic, tap it."
    assert page.locator(".actions button[data-action]").count() == 0
    page.tap("#find")
    gap = page.locator('[data-part^="gap:"].open:visible').first
    assert 0 < gap.bounding_box()["y"] < PHONE["height"] - 150
    gap.tap()
    page.wait_for_selector("text=Tap a deck")
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("server", [{"program": "tests/table/web/browser/serve_third_game.py"}], indirect=True)
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1024, "height": 768}])
def test_a_game_without_a_picture_of_its_own_is_played_by_touch_on_the_picture(new_page, viewport):
    page = new_page(viewport=viewport, has_touch=True)
    set_up(page, "one_lot_v0", seats=(PERSON, "shader", "shader"), click=page.tap)
    page.add_style_tag(content=".dock { display: none }")
    assert tap_an_action(page)
    while tap_an_action(page):
        pass
    page.wait_for_selector(".actions.ending", state="attached")


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1024, "height": 768}, {"width": 1440, "height": 900}])
@pytest.mark.parametrize(("game", "players"), [("warehouse51_v1", 5), ("alles_futsch_v1", 4)])
def test_no_text_is_smaller_than_11_pixels(new_page, viewport, game, players):
    page = new_page(viewport=viewport)
    page.wait_for_function("() => document.querySelector('.cover svg') && !document.querySelector('.cover:empty')")
    assert page.evaluate(SMALLEST) >= 11
    set_up(page, game, seats=(PERSON, *["random"] * (players - 1)))
    page.wait_for_selector(".actions.yours")
    assert page.evaluate(SMALLEST) >= 11
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.click("#rules")
    page.wait_for_selector("dialog.rules figure svg")
    assert page.evaluate(SMALLEST.replace("main *", "dialog *")) >= 11


@pytest.mark.parametrize("width", [390, 800, 1024, 1440])
def test_an_exported_page_has_the_font_of_the_pictures_and_no_smaller_text(chromium, tmp_path, width):
    performance = performed("random", "random", "random", preset="mini")
    playback = performance.playback
    for _ in range(12):
        performance.advance()
    export(ExportOptions(playback, ALL, Words("en", playback.names)), tmp_path / "game.html")
    page = chromium.new_page(viewport={"width": width, "height": 768})
    page.goto((tmp_path / "game.html").as_uri() + "#12")
    page.wait_for_function(
        "() => document.fonts.size === 2 && [...document.fonts].every(one => one.status === 'loaded')"
    )
    assert page.evaluate(SMALLEST) >= 11
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key, step in (("ArrowLeft", 11), ("End", 12), ("Home", 0), ("ArrowRight", 1)):
        page.keyboard.press(key)
        page.wait_for_function(f"() => location.hash === '#{step}'", timeout=PATIENCE)
    page.click("[title^=Play]")
    page.wait_for_function("() => location.hash === '#3'", timeout=PATIENCE)
    page.close()


def test_on_a_phone_seats_lot_own_cards_and_bids_are_in_sight_together(new_page):
    page = new_page(viewport=PHONE)
    set_up(page, seats=(PERSON, "heuristic", "random", "random"))
    play_to(page, ".amount input")
    page.evaluate("() => scrollTo(0, 0)")
    dock = page.locator(".actions").bounding_box()
    assert dock["y"] + dock["height"] <= PHONE["height"] + 1
    place = page.locator(".picture svg > g").nth(2).bounding_box()  # after the strip of seats and the lot
    assert place["y"] + place["height"] <= page.locator(".dock").bounding_box()["y"] + 20


def test_on_a_phone_all_else_is_in_tabs(new_page):
    page = new_page(viewport=PHONE)
    set_up(page, seats=(PERSON, "heuristic", "random", "random"))
    page.wait_for_selector(".actions.yours")
    assert page.locator("[role=tabpanel]:visible").count() == 1
    shown = [".picture svg >> nth=1", ".points", ".log", ".seats"]
    for index, (tab, content) in enumerate(zip(("others", "points", "news", "seats"), shown, strict=True)):
        page.click(f"#tab-{tab}")
        assert [page.is_visible(other) for other in shown] == [at == index for at in range(4)], content
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.id") == "tab-others"
    assert page.is_visible(shown[0])


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_ingots_fly_unless_less_motion_is_wanted(new_page, motion):
    page = new_page(reduced_motion=motion)
    page.evaluate("""() => {
        window.flown = 0;
        new MutationObserver((changes) => {
            const added = changes.flatMap((change) => [...change.addedNodes]);
            flown += added.filter((one) => one.classList?.contains("flying")).length;
        }).observe(document.body, { childList: true });
    }""")
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"))
    for _ in range(60):
        take_action(page)
        if " pays " in page.inner_text(".log"):
            break
    page.wait_for_timeout(1500)
    assert (page.evaluate("() => flown") > 0) == (motion != "reduce")
    assert not page.query_selector_all(".flying")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_card_glides_to_its_collection_and_a_counterfeit_out_of_it(new_page, motion):
    page = new_page(reduced_motion=motion)
    page.evaluate("""() => {
        window.moved = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...how) {
            moved.push(this.dataset.tip?.split('\\n')[0]);
            return animate.apply(this, how);
        };
    }""")
    page.click("a[href='#/lesson/warehouse51_v1']")
    moved = []
    is_at = "step => document.querySelector('h1')?.textContent.includes(` ${step} `)"
    for step in range(1, 10):
        page.wait_for_function(is_at, arg=step)
        page.wait_for_timeout(300)
        page.evaluate("() => { moved.length = 0 }")
        page.click(".actions button.primary")
        page.wait_for_function(is_at, arg=step + 1)
        page.wait_for_timeout(300)
        moved.append(set(page.evaluate("() => moved")))
    if motion == "reduce":
        assert not any(moved)
    else:
        assert "Lantern" in moved[1]  # it is bought
        assert "Dagger" in moved[-1]  # it is turned over


def test_sounds_are_made_only_if_they_are_wanted(new_page):
    page = new_page(reduced_motion="reduce")
    page.evaluate("""() => {
        window.notes = 0;
        const make = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { notes += 1; return make.call(this); };
    }""")
    set_up(page, seats=(PERSON, "random", "random"))
    for _ in range(3):
        take_action(page)
    assert page.evaluate("notes") == 0
    page.check("#sounds")
    before = page.evaluate("notes")
    assert before > 0  # a sample
    for _ in range(6):
        take_action(page)
    assert page.evaluate("notes") > before


def test_a_card_says_what_it_is_on_a_click_and_by_keyboard(new_page):
    page = new_page()
    set_up(page, seats=(PERSON, "random", "random"))
    page.click(".picture [data-part^='gap:'] [data-card] >> nth=0")  # a counterfeit card that the seat knows
    assert "known to be a counterfeit" in page.inner_text(".popup").lower()
    page.keyboard.press("Escape")
    assert not page.is_visible(".popup")
    assert page.evaluate("() => document.activeElement.dataset.card") == ""
    page.keyboard.press("ArrowRight")
    assert "counterfeit" in page.inner_text(".card-tip").lower()  # the focus is enough
    page.keyboard.press("Enter")
    assert page.is_visible(".popup")


def test_rules_are_a_key_away_with_a_picture_of_each_phase(new_page):
    page = new_page()
    set_up(page, seats=(PERSON, "random", "random"))
    page.wait_for_selector(".picture svg")
    page.keyboard.press("?")
    page.wait_for_selector("dialog.rules figure svg")
    assert "Excalibur" in page.inner_text("dialog.rules")
    assert page.locator("dialog.rules figure").count() >= 6
    page.click(".contents button >> nth=-1")  # to the pictures
    assert page.locator("dialog.rules figure").first.bounding_box()["y"] < 900
    page.click("dialog.rules .close", timeout=5000)  # it stays in sight
    page.wait_for_selector("dialog.rules", state="detached")


def test_a_high_bid_is_asked_about_again_unless_that_is_switched_off(new_page):
    page = new_page()
    set_up(page, "alles_futsch_v1", preset="short", seats=(PERSON, "random"))
    play_to(page, ".amount input")
    before = page.get_attribute(".actions", "data-decision")
    page.click("text=All")
    bid = page.inner_text(".amount .primary")
    assert bid.split()[-1] in page.text_content(".picture svg")  # all that the seat has
    page.click(".amount .primary")
    assert page.get_attribute(".actions", "data-decision") == before
    assert "Really all that you have?" in page.inner_text(".actions")
    page.click("[data-confirm=no]")
    page.fill(".amount input", "-3")
    assert page.is_disabled(".amount .primary")
    assert page.inner_text(".amount .primary").endswith(f"{bid.split()[-1]} is possible")
    page.click("text=All")
    page.click(".options summary")
    page.uncheck("#confirm")
    page.click(".amount .primary")  # two actions of the game, one bid of the page
    page.wait_for_function("before => document.querySelector('.actions').dataset.decision - before >= 2", arg=before)
    assert bid.split()[-1] in page.text_content(".log")


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_points_of_five_players_with_long_names_fit_beside_the_table(new_page, game, language):
    page = new_page(viewport={"width": 1440, "height": 900})
    page.select_option("#language", language)
    page.wait_for_function("language => document.documentElement.lang === language", arg=language)
    page.select_option("#game", game)
    page.select_option("#players", "5")
    for seat, name in enumerate(("Kunigunde Hohenstein", "Maximilian von Waldburg", "Szentgyörgyvölgyi Ágost")):
        page.fill(f"#name{seat}", name)
    set_up(page, game, seats=(PERSON, *["random"] * 4))
    page.wait_for_selector(".score .points")
    check_width(page)
    widths = page.eval_on_selector(".score .scroll", "box => [box.scrollWidth, box.clientWidth]")
    assert widths[0] <= widths[1]
