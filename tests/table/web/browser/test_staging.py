"""What the web table dwells on, in a real browser: a blind auction frame by frame, orders, taking back, the dock."""

import re
import time
from typing import Any

import pytest

from tests.table.web.browser.pages import NO_CHROMIUM, PHONE, axe_core, confirm, findings, play_to, set_up, take_action
from w51_table.play.table import PERSON

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]

# What a visitor sees at a moment: hands over fists, what is said over the lot, the name of the lot.
MOMENT = """() => ({
  hands: [...document.querySelectorAll('.hand')].map((hand) => [Number(hand.dataset.hand), Number(hand.textContent)]),
  leads: [...document.querySelectorAll('.hand.leads')].length,
  said: [...document.querySelectorAll('.moment p')].map((line) => line.textContent),
  hidden: Boolean(document.querySelector('.picture.dwelling')),
  heading: document.querySelector('h1').textContent,
  lot: document.querySelector('.picture [data-part="lot"]')?.getAttribute('aria-label')?.split(',')[0] ?? '',
  yours: Boolean(document.querySelector('.actions.yours button')),
})"""
# Adds up what the browser measures of layouts that shift, also soon after a click.
JUMPS = """() => {
  window.jumps = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) jumps += one.value; })
    .observe({ type: 'layout-shift' });
}"""
SEED = "7"  # its fourth lot or so is a weapon, with a tie


def watch(page: Any, milliseconds: int, every: int = 50) -> list[dict[str, Any]]:
    """The moments that differ from the one before."""
    seen: list[dict[str, Any]] = []
    for _ in range(milliseconds // every):
        moment = page.evaluate(MOMENT)
        if not seen or seen[-1] != moment:
            seen.append(moment)
        page.wait_for_timeout(every)
    return seen


def bid_in_secret(page: Any) -> None:
    """Play to a blind auction, and bid 3 there with everything told."""
    page.fill("#seed", SEED)
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"))
    play_to(page, "h1:text('secret')")
    page.evaluate("localStorage.setItem('w51.staging', '\"normal\"')")
    page.fill(".amount input", "3")
    page.click(".amount .primary")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_blind_auction_is_told_before_the_next_lot_is_shown(new_page, motion):
    page = new_page(reduced_motion=motion)
    bid_in_secret(page)
    sold = page.evaluate(MOMENT)["lot"]
    moments = watch(page, 9000)
    opening = [moment for moment in moments if moment["hands"]]
    assert [len(moment["hands"]) for moment in opening if not moment["leads"]][-1] == 4  # all hands, one after another
    assert all(moment["lot"] == sold for moment in opening)  # no hand is over another lot's auction
    assert opening[-1]["leads"] == 1  # of the tied, one leads
    assert "A tie at" in opening[-1]["said"][0]
    assert {moment["heading"] for moment in opening} == {"The secret bids are opened."}
    told = next(index for index, moment in enumerate(moments) if any(" buys " in line for line in moment["said"]))
    assert moments[told]["hidden"]  # the next lot
    assert moments[told]["heading"] == "The auction is over."
    assert not moments[told]["hands"]
    assert [moment["yours"] for moment in moments[: told + 1]].count(True) <= 1  # before the bid was sent
    assert not moments[-1]["said"]
    assert not moments[-1]["hidden"]
    assert not page.query_selector_all(".flying, .moment")


def test_a_key_skips_what_is_being_told(new_page):
    page = new_page()
    bid_in_secret(page)
    page.wait_for_selector(".hand")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('.hand, .moment')", timeout=1500)


LINES = """() => { window.counted = []; (function look() {
  const lines = [...document.querySelectorAll('.picture [data-line]')];
  if (lines.length && !document.querySelector('.counting')) counted.push([document.querySelector('h1').textContent,
    lines.filter((line) => line.style.opacity !== '0').map((line) => Number(line.dataset.line))]);
  requestAnimationFrame(look);
})(); }"""


def test_the_score_is_counted_line_by_line_and_the_winner_comes_last(new_page):
    page = new_page(staging="fast")
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    page.evaluate(LINES)
    while take_action(page):
        pass
    page.wait_for_selector(".actions.ending")
    counted = [moment for moment in page.evaluate("counted") if moment[1]]
    seen = [max(lines) for _, lines in counted]
    assert seen == sorted(seen)
    assert len(set(seen)) > 4
    assert {headline.lower() for headline, lines in counted if max(lines) < max(seen)} == {"the game is over"}


@pytest.mark.parametrize(("game", "limits"), [("warehouse51_v1", (1, 2)), ("alles_futsch_v1", (20000, 40000))])
def test_a_whole_game_needs_two_clicks_a_lot_and_at_most_one_confirmation(new_page, game, limits):
    page = new_page()
    page.fill("#seed", "5")
    set_up(page, game, seats=(PERSON, "heuristic", "heuristic"))
    clicks: dict[int, int] = {}
    confirmations = 0
    for _ in range(400):
        page.wait_for_selector(".actions.yours button[data-action], .review:not([hidden])")
        if page.is_visible(".review"):
            break
        before = page.get_attribute(".actions", "data-decision")
        lot = page.locator(".log .lot").count()
        is_bid = game == "warehouse51_v1" or page.query_selector(".amount")  # else an object is placed
        if page.is_visible("#up-to"):
            page.fill(".amount input", str(limits[lot % 2]))
            enabled = page.is_enabled("#up-to")
            page.click("#up-to" if enabled else ".actions [data-kind=pass]")
        elif page.is_visible(".amount .primary"):
            page.fill(".amount input", "1")
            page.click(".amount .primary")
        else:
            page.click(".actions.yours button[data-action] >> nth=0")
        if is_bid:
            clicks[lot] = clicks.get(lot, 0) + 1
        confirmations += confirm(page, before)
    assert confirmations <= 1
    assert max(clicks.values()) <= 2
    page.wait_for_selector(".actions.ending #again")


def test_an_order_bids_the_least_and_can_be_stopped(new_page):
    page = new_page()
    page.fill("#seed", SEED)
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"), pace="0")
    play_to(page, "#up-to")
    least = page.input_value(".amount input")
    page.fill(".amount input", str(int(least) + 3))
    page.click("#up-to")
    assert f"up to {int(least) + 3}" in page.inner_text(".actions .order")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.log li')].some((line) => /Player 1 bids/.test(line.textContent))"
    )
    assert f"bids {least}." in page.inner_text(".log")  # no more than it takes
    stop = "() => { document.querySelector('#stop')?.click(); return !document.querySelector('#stop, .order') }"
    assert page.evaluate(stop)  # at once; others may have passed before, and then there is none


def test_an_order_is_over_when_the_card_is_sold(new_page):
    page = new_page()
    page.fill("#seed", SEED)
    set_up(page, "alles_futsch_v1", seats=(PERSON, "heuristic", "heuristic"), pace="0.4")
    play_to(page, "#up-to")
    page.click("#up-to")
    page.wait_for_function("() => [...document.querySelectorAll('.log li')].at(-1)?.textContent.includes(' buys ')")
    assert not page.query_selector(".order")  # its buyer places the objects


def test_a_bid_that_nobody_has_answered_is_taken_back(new_page):
    page = new_page()
    page.fill("#seed", SEED)
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"), pace="2.5")
    play_to(page, "#up-to")
    before = page.get_attribute(".actions", "data-decision")
    page.click(".amount .primary")
    page.click("#undo")
    page.wait_for_selector(".actions.yours .amount")
    assert page.get_attribute(".actions", "data-decision") == before
    page.click(".actions [data-kind=pass]")
    page.wait_for_selector("#undo")
    page.wait_for_selector("#undo", state="detached", timeout=6000)


@pytest.mark.parametrize(
    "viewport", [{"width": 844, "height": 390}, PHONE, {"width": 720, "height": 450}, {"width": 1440, "height": 900}]
)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_dock_is_in_view_on_every_screen_and_axe_finds_nothing(new_page, viewport, colours):
    page = new_page(viewport=viewport, color_scheme=colours, bypass_csp=True)
    set_up(page, seats=(PERSON, "heuristic", "heuristic", "heuristic"))
    page.wait_for_selector(".actions.yours")
    page.evaluate(JUMPS)
    for _ in range(12):
        page.wait_for_selector(".actions.yours")
        page.evaluate("() => scrollTo(0, 0)")
        dock = page.locator(".actions").bounding_box()
        assert dock["y"] < viewport["height"] - 40
        assert dock["y"] + min(dock["height"], viewport["height"] / 2) <= viewport["height"] + 1
        if not take_action(page):
            break
    page.wait_for_selector(".actions.yours")
    if viewport == PHONE:  # each jump is a part of the screen times how far it moves; a good page has less than 0.1
        assert page.evaluate("jumps") < 0.1
    if viewport["height"] == 390:  # all that can be tapped is in view
        picture = page.locator(".stage .picture svg").bounding_box()
        assert picture["y"] >= 0
        assert picture["y"] + picture["height"] <= 390.5
        assert "Player 1" in page.text_content(".stage .picture svg")
    assert not findings(page, axe_core(), "table")
    if viewport["width"] == 1440:
        assert page.locator(".score table").bounding_box()["y"] < 500


def test_a_page_that_is_loaded_again_in_a_blind_auction_keeps_the_own_bid(new_page):
    host = new_page()
    host.fill("#seed", SEED)
    set_up(host, seats=(PERSON, PERSON, "heuristic", "heuristic"))
    host.click("#invite")
    guest = new_page()
    guest.goto(host.get_attribute("[data-copy=invitation]", "title"))
    guest.click("[data-seat='1']")
    guest.wait_for_selector(".picture svg")
    host.click("dialog .close")
    bidder, other = host, guest
    while not bidder.is_visible("h1:text('Your turn'):text('secret')"):
        if bidder.is_visible(".actions.yours"):
            take_action(bidder)
        bidder.wait_for_timeout(500)
        bidder, other = (host, guest) if host.is_visible(".actions.yours") else (guest, host)
    bidder.fill(".amount input", "3")
    bidder.click(".amount .primary")
    other.wait_for_selector("h1:text('Your turn')")
    bidder.wait_for_selector("button:text('Take back')")
    shown = [page.text_content(".picture svg") for page in (bidder, other)]
    for page in (bidder, other):
        page.reload()
        page.wait_for_selector(".picture svg")
    bidder.wait_for_selector("button:text('Take back')")
    other.wait_for_selector(".actions.yours .amount input")
    assert [page.text_content(".picture svg") for page in (bidder, other)] == shown
    assert shown[0].count("3") > shown[1].count("3")  # the own bid


def test_who_has_passed_skips_to_the_next_own_decision(new_page):
    page = new_page(staging="normal", viewport={"width": 1440, "height": 900})
    set_up(page, "alles_futsch_v1", seats=(PERSON, *["heuristic"] * 4), pace="2.5")
    wide = page.evaluate(
        "(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(document.querySelector('.scroll'))"
    )
    assert wide[0] <= wide[1]  # the points of all five
    play_to(page, ".actions.yours [data-kind=pass]")  # who begins selects a card first
    page.click(".actions.yours [data-kind=pass]")
    page.wait_for_selector("#hurry")
    before = int(page.get_attribute(".actions", "data-decision"))
    page.click("#hurry")
    page.wait_for_selector(".actions.yours")
    assert int(page.get_attribute(".actions", "data-decision")) > before + 1
    assert not page.is_visible("#hurry")


def test_an_amount_stays_over_a_reload_and_a_pass_skips_if_that_is_chosen(new_page):
    page = new_page(staging="normal")
    set_up(page, "alles_futsch_v1", seats=(PERSON, *["heuristic"] * 3), pace="2.5")
    play_to(page, ".actions.yours .amount input")
    page.fill(".amount input", "23000")
    page.reload()
    page.wait_for_selector(".actions.yours .amount input")
    assert page.input_value(".amount input") == "23000"
    page.click(".options summary")
    page.check("#hurry-always")
    before = int(page.get_attribute(".actions", "data-decision"))
    begun = time.monotonic()
    page.click(".actions.yours [data-kind=pass]")
    page.wait_for_function(
        "before => document.querySelector('.actions.yours') && "
        "document.querySelector('.actions').dataset.decision > before + 3",
        arg=before,
    )
    assert time.monotonic() - begun < 2.5 * 3


def test_the_line_of_the_actions_says_who_is_awaited_and_away(new_page):
    page = new_page()
    page.fill("#name1", "Zoe")
    set_up(page, preset="nano", seats=(PERSON, PERSON, PERSON))
    page.wait_for_selector(".actions.yours, .actions p:text('is not connected')")
    while page.is_visible(".actions.yours"):
        take_action(page)
        page.wait_for_timeout(300)
    assert re.search(r"Waiting for .+, who is not connected\.", page.inner_text(".actions"))


def test_the_log_says_who_has_won_once_the_sheet_is_counted(new_page):
    page = new_page()
    page.route("**/api/review/*/*", lambda route: route.abort())  # a review may be there, or fail, before that
    set_up(page, preset="nano", seats=(PERSON, "random", "random"))
    page.evaluate("localStorage.setItem('w51.staging', '\"normal\"')")
    while take_action(page):
        pass
    page.wait_for_selector(".review > p:text('does not answer')")
    counting = page.inner_text(".log")
    page.wait_for_selector(".actions.ending a[href^='#/replay/']")
    assert "rank 1" not in counting
    assert "rank 1" in page.inner_text(".log")
