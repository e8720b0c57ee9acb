"""The web table in a real browser, with the server as a process of its own.

Chromium is found by its usual names on the PATH, or named by the variable CHROMIUM.
"""

import re

import pytest

from tests.table.web.browser.pages import (
    COMPUTING,
    NO_CHROMIUM,
    SMALL_PHONE,
    Server,
    check_width,
    play_to_the_end,
    set_up,
    take_action,
)
from w51_env.views.language import LANGUAGES
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


def test_short_game_from_the_form_to_the_score_sheet(new_page):
    page = new_page()
    page.fill("#seed", str(2**64 - 1))
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    page.wait_for_selector(".score table")
    assert page.inner_text(".score h2") == "If the game ended now"
    play_to_the_end(page)
    assert page.inner_text(".score summary") == "Score sheet"
    assert re.fullmatch(r"(You win|.+ wins), \d+ to \d+|A shared victory at .+", page.inner_text("h1"))
    assert str(2**64 - 1) in page.inner_text(".review")
    page.wait_for_selector(".review .chances", timeout=COMPUTING)
    assert page.inner_text(".review h3") == "The mistakes that mattered most"
    assert page.inner_text(".review .accuracy").startswith("Accuracy")
    assert "Total" in page.text_content(".picture svg")


@pytest.mark.parametrize(
    ("game", "seats"),
    [("warehouse51_v1", (PERSON, "pretrained", "heuristic", "random")), ("alles_futsch_v1", (PERSON, "heuristic"))],
)
def test_a_whole_game_of_each_kind_from_the_form_to_the_review(new_page, game, seats):
    page = new_page()
    set_up(page, game, seats=seats)
    page.click("#hint")
    page.wait_for_function("() => /: .+\\./.test(document.querySelector('.hint').textContent)", timeout=COMPUTING)
    play_to_the_end(page)
    page.wait_for_selector(".review .chances", timeout=COMPUTING)
    assert page.locator(".ending .points").count() == (game == "alles_futsch_v1")  # where the money went
    assert page.locator(".review .legend li").count() == len(seats)
    with page.expect_download() as download:
        page.click(".review a[download]")
    assert '"final"' in download.value.path().read_text("utf-8")
    page.click(".review .plot")  # in the middle
    page.wait_for_selector("#step")
    last = int(page.get_attribute("#step", "max"))
    assert abs(int(page.input_value("#step")) - last / 2) <= last / 20 + 1
    page.wait_for_selector(".decision:not(:empty)")
    page.wait_for_selector(".thoughts p")


def test_a_game_goes_on_after_the_server_was_killed_and_started_again(new_page, server: Server):
    page = new_page()
    set_up(page, seats=(PERSON, "heuristic", "random"))
    for _ in range(6):
        take_action(page)
    page.wait_for_selector(".actions.yours")
    before = page.text_content(".picture svg"), page.get_attribute(".actions", "data-decision")
    server.kill()
    page.wait_for_function("() => document.getElementById('connection').textContent !== ''")
    assert not page.is_visible(".actions.yours button")
    server.begin()
    page.wait_for_selector(".actions.yours button")
    assert (page.text_content(".picture svg"), page.get_attribute(".actions", "data-decision")) == before
    for _ in range(3):
        take_action(page)
    server.kill()
    (file,) = server.folder.glob("*.table")
    game_log, table = GameLog.open(file)
    game_log.close()
    assert table.decision > int(before[1])
    assert 9 <= sum(move.seat == 0 for move in table.moves()) <= 10
    server.begin()


def test_a_connection_that_is_lost_without_a_word_is_made_again(new_page):
    page = new_page()
    connections, silent = [], []

    def connect(connection):
        server = connection.connect_to_server()
        connections.append(connection)
        connection.on_message(lambda message: None if connection in silent else server.send(message))

    page.route_web_socket("**/ws", connect)
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    page.wait_for_selector(".actions.yours")
    before = page.get_attribute(".actions", "data-decision")
    silent += connections
    page.click(".actions button[data-action] >> nth=0")
    page.wait_for_selector(".actions.yours button[data-action]:enabled")
    assert (len(connections), page.get_attribute(".actions", "data-decision")) == (2, before)
    take_action(page)


@pytest.mark.parametrize("rules", ["tiny", "standard"])
def test_the_keyboard_alone_is_enough_from_the_form_to_the_score_sheet(new_page, rules):
    page = new_page()
    page.wait_for_selector("#begin")

    def press(key: str, until: str, most: int = 60) -> None:
        for _ in range(most):
            if page.evaluate("selector => document.activeElement.matches(selector)", until):
                return
            page.keyboard.press(key)
        raise AssertionError(f"{until}: not reached with {key}")

    press("Tab", "#preset")
    page.keyboard.type(rules)
    press("Tab", "#pace")
    page.keyboard.type("at once")
    press("Tab", "#begin")
    page.keyboard.press("Enter")
    page.wait_for_selector(".picture svg")
    for _ in range(300):
        page.wait_for_selector(".actions.yours button, .review:not([hidden])")
        if page.is_visible(".review"):
            break
        before = page.get_attribute(".actions", "data-decision")
        press("Tab", ".actions.yours button[data-action], .actions.yours input")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_function("before => document.querySelector('.actions').dataset.decision !== before", arg=before)
    page.wait_for_selector(".actions.ending")
    assert "Total" in page.text_content(".picture svg")
    press("Tab", ".ending a[href$='/0/all']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#step")
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.picture').textContent.includes('Total')")


def test_each_page_has_a_title_and_links_to_what_is_gone_say_so(new_page, server):
    page = new_page()
    page.wait_for_selector("#begin")
    assert page.title() == "New table \u2013 Auction games"
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    page.wait_for_selector(".actions.yours")
    assert page.title().startswith("Your turn: ")
    assert page.title().endswith(" \u2013 Warehouse 51")
    gone = {
        f"#/table/{'A' * 16}/x": "There is no such table, or the link is not valid.",
        "#/table/x": "There is no such table, or the link is not valid.",
        f"{page.url.split('/', 3)[3].rpartition('/')[0]}/forged": "There is no such table, or the link is not valid.",
        f"#/replay/{'A' * 16}": "There is no such replay here. Open its file again.",
    }
    for address, said in gone.items():
        page.goto(server.address + address)
        page.wait_for_selector(".nothing h1")
        assert (page.inner_text("h1"), page.title()) == (said, f"{said} \u2013 Auction games")
        page.click(".nothing a")
        page.wait_for_selector("#begin")
        assert page.title() == "New table \u2013 Auction games"
    page.go_back()
    page.wait_for_selector(".nothing h1")


def test_a_server_that_does_not_answer_is_told_and_the_page_goes_on_when_it_does(new_page, server):
    page = new_page()
    page.wait_for_selector("#begin")
    server.kill()
    page.click("#begin")
    page.wait_for_function("() => document.getElementById('alert').textContent === 'The server does not answer.'")
    server.begin()
    set_up(page, seats=("heuristic", "random", "random"), pace="null", begin="#watch")
    page.click("#forward")
    page.wait_for_url("**/1/all")
    server.kill()
    page.click("#forward")
    page.wait_for_function("() => document.getElementById('alert').textContent === 'The server does not answer.'")
    server.begin()
    page.click("#forward")
    page.wait_for_url("**/2/all")
    assert page.inner_text("#alert") == ""


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_five_players_with_long_names_fit_a_phone_in_each_language(new_page, server, game):
    names = ["Wilhelmina-Maximiliane W", "Őzgerincfűtő Árvíztűrő Ü", "<b>O'Brien & Co 12345678", "W" * 24, "i" * 24]
    page = new_page(viewport=SMALL_PHONE, has_touch=True, is_mobile=True)
    for language in LANGUAGES:
        page.goto(server.address)
        begin = page.wait_for_selector("#begin")
        page.select_option("#language", language)
        page.wait_for_function("begin => !begin.isConnected", arg=begin)  # it is drawn anew
        assert page.evaluate("document.documentElement.lang") == language
        page.select_option("#game", game)
        page.select_option("#players", str(len(names)))
        for seat, name in enumerate(names):
            page.fill(f"#name{seat}", name)
        check_width(page)
        set_up(page, game, seats=(PERSON, *["heuristic"] * (len(names) - 1)))
        for _ in range(4):
            take_action(page)
            check_width(page)
        page.tap("#tab-points")
        if game == "warehouse51_v1":  # the other one has a row for each seat, with the whole name
            assert page.locator(".points thead abbr").all_inner_texts() == ["WMW", "ŐÁÜ", "<&C1", "WWWWW.", "Iiiii."]
        else:
            assert page.locator(".points tbody th").all_text_contents() == names
        page.tap("#tab-seats")
        shown = page.inner_text(".seats")
        assert [name for name in names if name not in shown] == []
