"""The page of advice for a real table in a browser: a position, some events, advice, and the evening that is kept."""

import json
import time

import pytest

from tests.table.web.browser.pages import NO_CHROMIUM, PHONE, axe_core, check_width, findings
from w51_lab.replays.replay import Replay

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]

OWNED = {"0": ["golden_fleece", "cornucopia"], "1": ["holy_grail"], "2": ["mjollnir"], "3": ["sharur"]}


def enter(page, lot: str = "book_of_thoth") -> int:
    """Enter a table with five relics sold and one for auction; how many taps and fields it took."""
    page.click("a[href='#/advice']")
    page.wait_for_selector("#take")
    page.select_option("#running", "true")
    taps = ["#relic-holy_grail", "#relic-excalibur"]  # the counterfeits beside oneself
    for place, relics in {**OWNED, "lot": [lot]}.items():
        taps += [f"#brush-{place}", *(f"#relic-{relic}" for relic in relics)]
    for tap in taps:
        page.click(tap)
    for seat, ingots in enumerate((7, 14, 9, 8)):
        page.fill(f"#ingots{seat}", str(ingots))
    page.select_option("#revealer", "2")
    return len(taps) + 6


def kept(page) -> dict:
    return json.loads(page.evaluate("localStorage.getItem('w51.advice')"))


@pytest.mark.parametrize("size", [{}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_position_is_entered_and_axe_finds_nothing(new_page, size, colours):
    page, script = new_page(color_scheme=colours, **size), axe_core()
    begun = time.monotonic()
    assert enter(page) < 30
    found = findings(page, script, "form")
    check_width(page)
    page.click("#take")
    page.wait_for_selector(".advice .actions [data-event=pass]")
    assert time.monotonic() - begun < 180
    found += findings(page, script, "table")
    check_width(page)
    assert found == []


def test_relics_are_typed_and_another_number_of_players_keeps_them(new_page):
    page = new_page()
    enter(page)
    owner = page.inner_text("#relic-mjollnir")
    page.click("#brush-1")
    page.fill("#find-relic", "gle")
    assert page.locator(".deck .found").count() == 1
    page.press("#find-relic", "Enter")
    assert "Ben" in page.inner_text("#relic-gleipnir")
    assert page.evaluate("document.activeElement.id") == "find-relic"
    page.fill("#ingots1", "15")
    before = int(page.input_value("#players"))
    page.select_option("#players", str(before + 1))
    page.wait_for_selector(f"#name{before}")
    assert page.inner_text("#relic-mjollnir") == owner
    assert "Ben" in page.inner_text("#relic-gleipnir")
    page.click("#name1")
    page.keyboard.type("Leo")
    page.keyboard.press("Tab")
    page.wait_for_selector("#relic-gleipnir:has-text('Leo')")
    assert page.inner_text("#brush-1") == "Leo"  # instead of the name that was proposed
    assert [page.input_value(f"#{field}") for field in ("ingots1", "running")] == ["15", "true"]


def test_the_rules_of_a_book_are_chosen_and_kept_when_the_table_is_corrected(new_page):
    page = new_page()
    enter(page)
    page.select_option("#rules", label="Hungarian rulebook")
    assert page.input_value("#ingots1") == "14"
    page.click("#take")
    page.wait_for_selector(".advice .actions [data-event=pass]")
    options = kept(page)["position"]["options"]
    assert [options[name] for name in ("pawn_limit", "certificate_timing")] == [4, "anytime"]
    page.click("button:text('Correct the table')")
    assert page.locator("#rules option:checked").inner_text() == "Hungarian rulebook"


def test_each_event_is_two_taps_and_the_evening_is_kept(new_page, tmp_path):
    page = new_page()
    enter(page)
    page.click("#take")
    page.click("[data-event=pass]")  # Max, on the left of the revealer
    page.wait_for_selector(".advised")  # one's own decision
    assert page.inner_text(".advised")
    page.click("[data-event=bid_2]")
    page.wait_for_function("() => document.querySelector('h1').textContent.startsWith('Ben')")
    assert [event["action"] for event in kept(page)["events"]] == ["pass", "bid_2"]
    page.reload()
    page.wait_for_selector("[data-event=pass]")
    assert "Ben" in page.inner_text("h1")
    page.click("#undo")
    page.wait_for_selector(".advised")
    with page.expect_download() as download:
        page.click("[data-export=replay]")
    download.value.save_as(tmp_path / "replay.json")
    assert str(Replay.load(tmp_path / "replay.json").moves[0]) == "3 pass"
    page.click("[data-export=watch]")
    page.wait_for_selector(".controls #step")


def test_secret_bids_come_together_and_a_relic_is_turned_over_with_two_taps(new_page):
    page = new_page()
    enter(page, lot="muramasa")
    page.click("#take")
    page.wait_for_selector(".advised")  # before anybody has bid
    for number in ("4", "7"):  # the second one takes the place of the first
        page.click("#bid0")
        page.keyboard.type(number)
        page.keyboard.press("Tab")
    assert page.input_value("#bid0") == "7"
    for seat, bid in enumerate((0, 3, 1, 2)):
        page.fill(f"#bid{seat}", str(bid))
    page.click(".sealed button")
    page.click("[data-event=choose_deck_blue]")
    page.click("[data-event=unicorns_horn]")
    page.wait_for_function("() => document.querySelector('.log').textContent.includes(\"Unicorn's Horn\")")
    assert "Ben buys Muramasa and pays 3 to Zoe." in page.inner_text(".log")


def test_what_contradicts_itself_is_said_and_nothing_is_lost(new_page):
    page = new_page()
    enter(page)
    page.fill("#ingots1", "70")
    page.click("#take")
    page.wait_for_selector(".mistake:not(:empty)")
    assert page.inner_text("label:has(#ingots0) .mistake") == (
        "The players hold 94 ingots, but only 60 are in the game."
    )
    page.fill("#ingots1", "1212")
    assert page.inner_text(".mistake") == ""
    page.click("#take")
    page.wait_for_selector("#ingots1[aria-invalid]:focus")
    assert page.inner_text("label:has(#ingots1) .mistake") == (
        "1212 is not possible here: a whole number from 0 to 70."
    )
    page.set_input_files("[type=file]", {"name": "x.json", "mimeType": "application/json", "buffer": b"[1]"})
    page.wait_for_selector("label:has([type=file]) .mistake")
    assert page.inner_text(".mistake") == "This file holds no evening and no position."
    assert page.is_disabled("#leader")
    page.fill("#ingots1", "14")
    page.click("#take")
    page.wait_for_selector(".advice .actions")
    page.click("text=Correct the table")
    page.wait_for_selector("#take")
    assert page.input_value("#ingots1") == "14"
    assert "Ben" in page.inner_text("#relic-holy_grail")


def test_the_form_keeps_what_was_chosen_when_the_language_or_the_layout_changes(new_page):
    page = new_page()
    enter(page)
    page.fill("#name2", "Zora")
    page.fill("#standing", "3")
    page.select_option("#leader", "2")
    page.fill("#ingots1", "15")
    page.select_option("#running", "false")
    for change in (lambda: page.select_option("#language", "de"), lambda: page.set_viewport_size(PHONE)):
        change()
        page.wait_for_function("() => document.querySelector('#take')?.textContent === 'Zum Tisch'")
        assert page.get_attribute("#name0", "placeholder") == "Spieler 1"
        assert [page.input_value(f"#{field}") for field in ("name0", "name2", "running", "revealer")] == [
            *("", "Zora", "false", "2")
        ]
    page.select_option("#running", "true")
    assert [page.input_value(f"#{field}") for field in ("ingots1", "standing", "leader", "to_move")] == [
        *("15", "3", "2", "null")
    ]
    assert "Zora" in page.inner_text("#relic-mjollnir")
    page.fill("#ingots1", "14")
    page.click("#take")
    page.wait_for_selector(".advice .actions [data-event=pass]")
    page.goto(page.url.partition("#")[0])
    page.wait_for_selector("#game")
    page.click("a[href='#/advice']")
    page.wait_for_selector(".advice .actions")  # the table, not the form


@pytest.mark.parametrize("size", [{}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}])
def test_a_table_of_alles_futsch_is_entered_and_a_high_bid_is_one_event_of_the_page(new_page, size):
    page, script = new_page(**size), axe_core()
    page.click("a[href='#/advice']")
    page.select_option("#game", "alles_futsch_v1")
    page.wait_for_selector("#lacks3")
    page.select_option("#running", "true")
    for seat, (money, lacks) in enumerate(((180, "vase"), (150, "clock"), (210, "jewel"), (160, "painting"))):
        page.fill(f"#money{seat}", str(money))
        page.select_option(f"#lacks{seat}", lacks)
    page.fill("#vase1", "2")
    for card in ("painting-painting-vase", "sculpture-clock-jewel"):
        page.click(f"#card-{card}")
    page.click("#brush-lot")
    page.click("#card-vase-jewel-jewel")
    found = findings(page, script, "form")
    page.click("#take")
    page.wait_for_selector(".advised")
    found += findings(page, script, "table")
    check_width(page)
    assert found == []
    page.fill(".amount input", "47000")
    page.click(".amount button")
    page.wait_for_function("() => document.querySelector('h1').textContent.startsWith('Ben')")
    assert [event["action"] for event in kept(page)["events"]] == ["add_40", "raise_7"]
    page.click("text=Correct the table")
    assert page.input_value("#standing") == "47"
    assert page.input_value("#vase1") == "2"
