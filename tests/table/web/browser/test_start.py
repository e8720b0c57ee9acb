"""The start page and the guided first game in a real browser."""

import re
import socket
from itertools import cycle

import pytest

from tests.table.web.browser.pages import (
    NO_CHROMIUM,
    PHONE,
    Proxy,
    Server,
    axe_core,
    check_width,
    findings,
    set_up,
    take_action,
)
from w51_env.views.language import LANGUAGES
from w51_table.lessons.exercises import exercises, topics
from w51_table.play.table import PERSON

WIDE = {"width": 1440, "height": 900}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "steps", "result"), [("warehouse51_v1", 9, "19"), ("alles_futsch_v1", 13, "105")])
def test_the_guided_game_by_keyboard_on_a_phone_in_every_language(new_page, language, game, steps, result):
    page = new_page(viewport=PHONE, reduced_motion="reduce")
    page.select_option("#language", language)
    page.wait_for_function("language => document.documentElement.lang === language", arg=language)
    page.focus(f"a[href='#/lesson/{game}']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".picture svg")
    texts = []
    while page.is_visible(".actions button.primary"):
        texts.append(page.inner_text(".lesson-text"))
        others = page.locator(".actions button[data-action]:not(.primary)")
        if others.count():  # who errs is told why, and may try again
            others.first.press("Enter")
            assert len(page.inner_text(".why")) > 40
            page.focus(".actions button.primary")
        assert page.locator(".picture .open").count() >= 1
        page.keyboard.press("Enter")  # the focus is on the action
        page.wait_for_function("before => document.querySelector('.lesson-text').textContent !== before", arg=texts[-1])
        page.wait_for_selector(".actions button.primary:focus, .actions a.button:focus")
    assert len(texts) == steps
    assert result in page.inner_text(".score tbody")


@pytest.mark.parametrize(("game", "steps"), [("warehouse51_v1", 9), ("alles_futsch_v1", 13)])
def test_after_the_guided_game_in_the_picture_one_click_begins_a_game_and_the_way_back_no_other(new_page, game, steps):
    page = new_page()
    page.click(f"a[href='#/lesson/{game}']")
    page.click("#rules")
    page.wait_for_selector("dialog.rules h2")
    page.click("dialog.rules .close")
    for step in range(steps):
        page.wait_for_function(
            "step => document.querySelector('h1').textContent.includes(` ${step} `) && document.querySelector('.open')",
            arg=step + 1,
        )
        page.wait_for_timeout(300)  # the cards are in their places
        page.locator(".picture .open").first.click()
        if page.is_visible(".popup button.primary"):
            page.click(".popup button.primary")
    page.wait_for_function(f"() => document.querySelector('h1').textContent.includes(' {steps + 1} ')")
    page.click(".actions a.primary")
    page.wait_for_url("**/#/table/*")
    page.wait_for_selector(".actions.yours")
    page.go_back()
    page.wait_for_selector("#begin")
    assert page.locator(".tables li").count() == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_short_lessons_with_choices_on_every_screen_in_every_language(new_page, language):
    """Each choice is tried from the first one on; the count of those that were right at once is kept."""
    screens = cycle([({"width": 360, "height": 740}, "dark"), ({"width": 844, "height": 390}, "light"), (WIDE, "dark")])
    page, script = new_page(reduced_motion="reduce"), axe_core()
    page.select_option("#language", language)
    page.wait_for_function("language => document.documentElement.lang === language", arg=language)
    for topic in topics():
        size, scheme = next(screens)
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        page.evaluate("topic => { location.hash = `#/lesson/warehouse51_v1/${topic}`; }", topic)
        page.wait_for_selector("button[data-action]")
        first = 0
        for step, exercise in enumerate(exercises(topic)):
            page.wait_for_function(
                "step => RegExp(` ${step}[. ]`).test(document.querySelector('h1').textContent)", arg=step + 1
            )
            check_width(page)
            for choice in exercise.choices:
                page.click(f"button[data-action='{choice}']")
                assert page.inner_text(".why")
                if choice == exercise.right:
                    break
            first += exercise.choices[0] == exercise.right
            if not step:
                assert not findings(page, script, f"{topic}, {language}")
            if step + 1 < len(exercises(topic)):
                page.click(".actions button.primary")
        assert page.evaluate("topic => JSON.parse(localStorage['w51.topics'])[topic]", topic) == first
    page.goto(page.url.split("#")[0])
    page.click(".topics summary")
    assert page.locator(".topics li:has-text('✓')").count() == len(topics())


def test_a_quick_game_begins_with_one_click(new_page):
    page = new_page()
    page.click("[data-quick=alles_futsch_v1]")
    page.wait_for_selector(".picture svg")
    assert "Max" in page.inner_text(".seats")
    assert "beginner bot" in page.inner_text(".seats")


def test_the_address_shows_no_secret_and_the_browser_remembers_the_seat(new_page):
    page = new_page()
    set_up(page, preset="nano", seats=(PERSON, PERSON, "random"))
    page.wait_for_selector(".actions")
    assert re.fullmatch(r"#/table/[^/]+", page.evaluate("location.hash"))
    page.reload()
    page.wait_for_selector(".seats small")
    assert page.inner_text(".seats li >> nth=0").endswith("you")
    spectators = page.get_attribute("[data-copy=public]", "title")
    other = new_page()
    other.goto(spectators)
    other.wait_for_selector(".picture svg")
    assert not other.is_visible(".actions")


def test_the_same_seed_is_the_same_deal_and_is_said_after_the_game(new_page):
    page = new_page()
    page.fill("#seed", "12345")
    set_up(page, preset="nano", seats=("random", "random", "random"), begin="#watch")
    page.wait_for_selector("#step")
    first = page.text_content(".picture svg")
    page.goto(page.url.split("#")[0])
    page.wait_for_selector("#watch")
    assert page.input_value("#seed") == "12345"
    page.click("#watch")
    page.wait_for_selector(".picture svg")
    assert page.text_content(".picture svg") == first


def test_one_click_begins_another_game_with_the_same_people(new_page):
    page, other = new_page(), new_page()
    set_up(page, preset="nano", seats=(PERSON, PERSON, "random"))
    other.goto(page.get_attribute("[data-copy='1']", "title"))
    other.wait_for_selector(".picture svg")
    for _ in range(60):
        mover = page if page.is_visible(".actions.yours") else other
        if not mover.is_visible(".actions.yours"):
            page.wait_for_timeout(100)
        elif not take_action(mover):
            break
        if page.is_visible(".review"):
            break
    page.click("#again")
    page.wait_for_selector(".actions:not(:has(#again))")
    other.click("#next")
    other.wait_for_selector(".picture svg")
    assert page.evaluate("location.hash") == other.evaluate("location.hash")
    assert not page.is_visible(".review")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("option_start_ingots", "0", "ingots at the start: 0, but an integer from 1 to 70 is allowed"),
        ("seed", "abc", "Seed (empty: any): 'abc', but an integer from 0 to 2**64-1 is allowed"),
    ],
)
def test_a_mistake_in_the_form_is_said_beside_its_field(new_page, field, value, said):
    page = new_page()
    page.click(".start summary")
    page.fill(f"#{field}", value)
    page.click("#begin")
    page.wait_for_selector(".mistake")
    assert page.text_content(f"label:has(#{field}) .mistake") == said
    assert page.get_attribute(f"#{field}", "aria-invalid") == "true"
    assert page.evaluate("() => document.activeElement.id") == field
    assert not page.inner_text("#alert")


@pytest.mark.parametrize("server", [{"language": None}], indirect=True)
def test_the_page_begins_in_the_language_of_the_browser_and_keeps_the_one_that_was_chosen_last(new_page):
    page = new_page(locale="hu-HU")
    page.wait_for_selector("#begin")
    assert page.evaluate("document.documentElement.lang") == "hu"
    late = []
    page.route("**/api/offer?language=fr", lambda route: late.append(route))
    page.select_option("#language", "fr")
    page.select_option("#language", "de")
    is_german = "() => document.documentElement.lang === 'de'"
    page.wait_for_function(is_german)
    with page.expect_response("**/api/offer?language=fr"):
        late[0].continue_()
    page.wait_for_timeout(300)
    assert page.evaluate(is_german)
    page.reload()
    page.wait_for_function(is_german)


def test_the_form_keeps_what_was_chosen_in_another_language_and_after_a_reload(new_page):
    page = new_page()
    page.select_option("#game", "alles_futsch_v1")
    page.select_option("#players", "3")
    page.select_option("#seat2", PERSON)
    page.click(".start summary")
    chosen = {"#name1": "Zoë 🦊", "#seed": "12", "#option_start_money": "90"}
    for field, value in chosen.items():
        page.fill(field, value)
    chosen |= {"#game": "alles_futsch_v1", "#players": "3", "#seat2": PERSON}
    page.focus("#language")
    page.select_option("#language", "fr")
    page.wait_for_function("() => document.documentElement.lang === 'fr'")
    assert page.evaluate("() => document.activeElement.id") == "language"
    assert page.is_visible("#option_start_money")  # the options are still open
    assert {field: page.input_value(field) for field in chosen} == chosen
    page.reload()
    page.wait_for_selector("#begin")
    assert {field: page.input_value(field) for field in chosen} == chosen


def test_a_guest_chooses_a_seat_by_invitation_and_the_host_sees_how_the_game_stands(new_page):
    host = new_page()
    host.fill("#name1", "Bob")
    set_up(host, preset="nano", seats=(PERSON, PERSON, "random"))
    host.click("#invite")
    host.wait_for_selector(".code svg")
    link = host.get_attribute("[data-copy=invitation]", "title")
    guest = new_page(viewport=PHONE)
    guest.goto(link)
    guest.wait_for_selector("[data-seat]")
    assert guest.locator("[data-seat]").count() == 1
    assert not findings(guest, axe_core(), "invitation")
    guest.click("[data-seat='1']")
    guest.wait_for_selector(".picture svg")
    assert "/invite/" not in guest.url
    host.wait_for_selector("#invite", state="detached")
    host.click("dialog .close")
    late = new_page()
    late.goto(link)
    late.wait_for_selector(".choice")
    assert not late.locator("[data-seat]").count()
    assert late.is_visible("a[href$='/public']")
    for page in (host, guest):
        page.goto(page.url.split("#")[0])
        page.wait_for_selector(".tables .state:not(:empty)")
        assert "Bob" in page.inner_text(".tables li")
    states = {page.inner_text(".tables .state").split(" (")[0].lower() for page in (host, guest)}
    assert "your turn" in states or len(states) == 1


def test_a_page_behind_a_proxy_is_played_at_its_address(new_page, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(tmp_path / "proxied", options=("--allow-host", f"w51.localhost:{port}"))
    proxy = Proxy(server, "/games", port)
    host, guest = new_page(), new_page()
    address = f"http://w51.localhost:{port}/games/"
    host.goto(address)
    host.fill("#seed", "12345")
    set_up(host, preset="nano", seats=(PERSON, PERSON, "random"))
    links = [host.get_attribute("[data-copy='1']", "title"), host.get_attribute("[data-copy=public]", "title")]
    host.click("#invite")
    host.wait_for_selector(".code svg")
    links.append(host.get_attribute("[data-copy=invitation]", "title"))
    assert all(link.startswith(f"{address}#/") for link in links)
    guest.goto(links[-1])
    guest.wait_for_selector(".seed:text('12345')")
    guest.click("[data-seat='1']")
    guest.wait_for_selector(".picture svg")
    for page in (host, guest):
        page.wait_for_selector(".seed:text('12345')")
    host.wait_for_selector("#invite", state="detached")
    proxy.close()
    server.kill()
