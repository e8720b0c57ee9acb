"""The web table without a browser: what each visitor is sent, and what messages can and cannot do."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.websockets import WebSocketDisconnect

from tests.table.web.visitors import SOCKET, ids_of, live_table, new_table, play_alone, play_to, unpack, visits
from w51_env.engine import registry
from w51_env.engine.game import PUBLIC
from w51_env.pictures.seating import FORMS
from w51_env.views.language import LANGUAGES, Words
from w51_table.play.table import PERSON, Setup, Table, play_moves
from w51_table.web import messages, session, sockets
from w51_table.web.messages import MAX_BYTES, action_groups, shown
from w51_table.web.sockets import MALFORMED, NOT_FOUND, TOO_MANY


@pytest.mark.parametrize(("game", "seats"), [("warehouse51_v1", 3), ("alles_futsch_v1", 2)])
def test_every_message_is_what_the_seat_may_know_and_no_more(client, game, seats):
    """The seat would get the same messages in any state that is the same to it."""
    table = new_table(client, [PERSON] * seats, game)
    with visits(client, table, *range(seats), None) as browsers:
        play_to(client, table, browsers, last=30)
        live = live_table(client, table.table).table
        replayed = Table(live.setup)
        checked = 0
        for number, move in enumerate([*live.moves(), None]):
            for viewer, browser in zip([*range(seats), PUBLIC], browsers, strict=True):
                for message in browser.received:
                    if message["decision"] == number:
                        check_message(message, viewer, replayed, number)
                        checked += 1
            if move is not None:
                play_moves(replayed, [move])
        assert checked > live.decision
        words = Words("en", live.setup.names)
        for viewer, browser in zip([*range(seats), PUBLIC], browsers, strict=True):
            told = [line for message in browser.received for line in message["news"]]
            assert told == [live.game.event_text(event, words) for event in live.events(viewer)]
        secrets = [str(live.setup.seed), *table.tokens]
        for browser in browsers:
            assert not any(secret in text for text in browser.texts for secret in secrets)
            assert max(len(text.encode()) for text in browser.texts) <= MAX_BYTES


def check_message(message: dict[str, Any], viewer: int | str, table: Table, number: int) -> None:
    """Compare a message with the one that the viewer gets after all that it cannot know was redrawn."""
    words = Words("en", table.setup.names)
    before = table.record
    for seat in range(table.game.num_players) if viewer == PUBLIC else [viewer]:
        table._batch.resample_hidden(int(seat), seed=number)
        first = number - 1 if viewer == PUBLIC else table.last_decision(int(viewer))
        view = table.view(viewer, words, first)
        groups = action_groups(view.actions)
        expected = json.loads(json.dumps({**shown(view, "wide"), "actions": groups}))
        table._batch.games[0] = before
        table._batch.refresh()
        assert {key: message[key] for key in expected} == expected


def test_late_repeated_reordered_forged_and_illegal_actions_change_nothing_and_show_nothing(client):
    table = new_table(client, [PERSON, PERSON, PERSON])
    with visits(client, table, 0, 1, 2) as browsers:
        play_to(client, table, browsers, last=20)
        live = live_table(client, table.table)
        mover, other = live.table.seat, (live.table.seat + 1) % 3
        legal = ids_of(browsers[mover].received[-1])
        illegal = next(action for action in range(100) if action not in legal)
        state = live.table.record.tobytes()
        wrong = [
            (other, 20, legal[0]),  # forged: not this seat's turn
            (mover, 19, legal[0]),  # late, or repeated
            (mover, 21, legal[0]),  # early
            (mover, 20, illegal),
            (mover, 20, -1),
            (mover, 20, 10**9),
            (mover, -1, legal[0]),
        ]
        told = {
            "new": None,
            "news": None,
            "lots": None,
            "raises": None,
            "opened": None,
            "staged": None,
            "skipped": None,
            "undo": None,
        }
        for seat, decision, action in wrong:
            seen = browsers[seat].received[-1]
            browsers[seat].send(type="act", decision=decision, action=action)
            again = browsers[seat].receive()
            assert {**again, **told} == {**seen, **told}
            assert again["news"] == again["lots"] == again["opened"] == []
        assert live.table.record.tobytes() == state
        browsers[mover].send(type="act", decision=20, action=legal[0])
        browsers[mover].send(type="act", decision=20, action=legal[0])  # a double click
        browsers[mover].until(21)
        browsers[mover].receive()
        assert live.table.decision == 21
        assert [move.seat for move in live.table.moves(20)] == [mover]


def test_a_seat_that_cannot_bid_more_is_told_why_it_was_not_asked(client):
    options = {"start_ingots": 1, "first_player": 0, "relics": "mini"}
    table = new_table(client, [PERSON] * 3, options=options, seed="1")
    with visits(client, table, 0, 1, 2) as browsers:
        state = browsers[0].receive()
        while (mover := state["turn"]) == 0 or not any(one["kind"] == "bid" for one in state["actions"]):
            browsers[mover].send(type="act", decision=state["decision"], action=ids_of(state)[0])
            state = [browser.until(state["decision"] + 1) for browser in browsers][browsers[0].received[-1]["turn"]]
        highest = max(state["actions"], key=lambda one: one["number"] or 0)
        browsers[mover].send(type="act", decision=state["decision"], action=highest["id"])
        told = [browser.until(state["decision"] + 1)["skipped"] for browser in browsers]
    assert told[mover] is None
    assert {one["text"] for one in told if one} == {
        "You were not asked: with your ingots and relics you cannot bid more."
    }


def test_a_decision_is_taken_back_by_its_seat_and_all_get_the_table_anew(client, monkeypatch):
    table = new_table(client, [PERSON, PERSON, PERSON])
    with visits(client, table, 0, 1, 2) as browsers:
        live = live_table(client, table.table)
        last = 0
        while not live.table.decision or not live.may_undo(live.table.moves()[-1].seat):
            last += 1
            play_to(client, table, browsers, last=last)
        seat = live.table.moves()[-1].seat
        state = browsers[seat].received[-1]
        assert state["undo"]
        assert not any(browser.received[-1]["undo"] for number, browser in enumerate(browsers) if number != seat)
        other = (seat + 1) % 3
        browsers[other].send(type="act", decision=live.table.decision, action=None)  # forged
        browsers[other].receive()
        assert live.table.decision == last
        browsers[seat].send(type="act", decision=last, action=None)
        while not (again := browsers[seat].receive())["new"]:
            pass
        assert again["decision"] < last
        assert again["actions"]
        monkeypatch.setattr(session, "UNDO_SECONDS", -1.0)  # too late
        assert not live.may_undo(seat)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '"act"', "{}", '{"type":"act"}', '{"type":"act","decision":"0","action":1}',
     '{"type":"act","decision":0,"action":1,"seat":2}', '{"type":"hello","table":"x","language":"en"}',
     '{"type":"pace","pace":"fast"}', "[" * 1500],
)  # fmt: skip
def test_a_message_that_no_page_sends_ends_the_connection(client, text):
    table = new_table(client, [PERSON, "random", "random"])
    with visits(client, table, 0) as [browser]:
        browser.session.send_text(text)
        assert browser.until_closed() == MALFORMED


@pytest.mark.parametrize(
    ("table", "token", "code"),
    [("{table}", "x" * 22, NOT_FOUND), ("nothing", "", NOT_FOUND), ("../../etc/passwd", "", NOT_FOUND),
     ("A" * 16, "", NOT_FOUND), ("{table}", "x" * 65, MALFORMED)],
)  # fmt: skip
def test_a_wrong_link_opens_nothing(client, table, token, code):
    made = new_table(client, [PERSON, "random", "random"])
    with client.websocket_connect(SOCKET) as session:
        session.send_text(
            json.dumps({"type": "hello", "table": table.format(table=made.table), "token": token, "language": "en"})
        )
        with pytest.raises(WebSocketDisconnect) as closed:
            session.receive_text()
        assert closed.value.code == code


def test_a_flood_of_messages_ends_the_connection(client):
    table = new_table(client, [PERSON, "random", "random"])
    with visits(client, table, 0) as [browser]:
        for _ in range(200):
            browser.send(type="act", decision=-1, action=0)
        assert browser.until_closed() == TOO_MANY


def test_a_browser_that_comes_back_gets_the_table_as_it_is(client):
    table = new_table(client, [PERSON, PERSON, PERSON])
    with visits(client, table, 0, 1) as browsers:
        with visits(client, table, 2) as [gone]:
            play_to(client, table, [*browsers, gone], last=12)
            last = gone.received[-1]
        with visits(client, table, 2) as [back]:
            first = back.receive()
            assert first["new"]
            assert (first["picture"], first["actions"], first["decision"]) == (last["picture"], last["actions"], 12)
            assert len(first["news"]) >= 12
            play_to(client, table, [*browsers, back], last=15)


def test_visitors_of_one_seat_see_the_same_and_the_picture_is_drawn_once(client, monkeypatch):
    calls = []
    real = messages.draw
    monkeypatch.setattr(messages, "draw", lambda *given, **more: calls.append(1) or real(*given, **more))
    table = new_table(client, [PERSON, PERSON, PERSON])
    with visits(client, table, 0, 0) as [first, second]:
        assert first.receive()["picture"] == second.receive()["picture"]
    assert len(calls) == 1


@pytest.mark.parametrize(("bids", "adds", "controls"), [(20, 5, {"bid", "add"}), (20, 0, {"bid"}), (3, 0, set())])
def test_the_parts_of_a_bid_are_one_control_each_and_few_bids_are_buttons(bids, adds, controls):
    actions = [{"id": money, "kind": "bid", "money": money, "text": f"bid {money}"} for money in range(1, bids + 1)]
    for number in range(1, adds + 1):
        more = {"money": 20 * number, "up_to": min(117, 20 * number + 20)}
        actions.append({"id": 50 + number, "kind": "add", "text": "more", **more})
    actions.append({"id": 99, "kind": "pass", "text": "pass"})
    groups = action_groups(actions)
    assert {group["kind"] for group in groups if "choices" in group} == controls
    assert len(groups) == len(controls) + 1 + (0 if controls else bids)
    numbers = [group["number"] for group in groups if group["kind"] == "bid" and "number" in group]
    assert numbers == ([] if controls else list(range(1, bids + 1)))
    assert [group["most"] for group in groups if group["kind"] == "add"] == ([117] if adds else [])


def test_a_button_says_what_the_label_of_its_action_says():
    action = {"id": 7, "kind": "pawn", "relic": "seal", "text": "pawn Seal", "label": "pawn Seal for 3 (5 to redeem)"}
    (group,) = action_groups([action])
    assert (group["text"], group["part"]) == (action["label"], "relic:seal")


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_a_message_of_the_fullest_table_is_far_below_the_limit(game):
    names = tuple(f"Ő{'&' * 20} {seat}" for seat in range(5))
    table, generator = Table(Setup(game, {"num_players": 5}, 2, (PERSON,) * 5, names)), np.random.default_rng(2)
    sizes = []
    while not table.over:
        legal = np.flatnonzero(table.action_mask)
        kept = [action for action in legal if not table.game.actions[action].name.startswith("pawn")]
        table.play(int(generator.choice(kept or legal)))
        if table.over or table.decision % 50 == 0:
            for language, form in product(LANGUAGES, FORMS):
                words = Words(language, names)
                view = table.view(0, words, table.last_decision(0))
                news = [table.game.event_text(event, words) for event in table.events(0, table.decision - 40)]
                message = {**shown(view, form), "actions": action_groups(view.actions), "news": news}
                sizes.append(len(json.dumps(message, ensure_ascii=False).encode()))
    assert max(sizes) < MAX_BYTES / 2


def test_a_message_that_would_be_too_long_goes_without_words_or_picture(client, monkeypatch):
    table = new_table(client, [PERSON, PERSON, PERSON])
    received = []
    most = MAX_BYTES
    for _ in range(3):
        monkeypatch.setattr(sockets, "MAX_BYTES", most)
        with visits(client, table, 0) as [browser]:
            received.append(browser.receive())
        assert len(browser.texts[0].encode()) <= most
        most = len(browser.texts[0].encode()) - 1
    whole, without_words, without_both = received
    assert whole["text"]
    assert {**whole, "text": ""} == without_words
    assert {**whole, "text": "", "picture": ""} == without_both


def test_a_game_without_presets_is_begun_as_the_page_sends_it(client, monkeypatch):
    monkeypatch.setitem(registry._FACTORIES, "one_lot_v0", "tests.env.third_game:make")
    offered = client.get("/api/offer").json()["games"][-1]
    assert offered["presets"] == []
    new_table(client, [PERSON] * offered["default_players"], "one_lot_v0", preset="")


def test_a_game_without_a_view_of_its_own_is_played_to_the_review(client, monkeypatch):
    monkeypatch.setitem(registry._FACTORIES, "one_lot_v0", "tests.env.third_game:make")
    offered = client.get("/api/offer").json()["games"][-1]
    table = new_table(client, [PERSON] * offered["default_players"], "one_lot_v0")
    with visits(client, table, *range(len(table.tokens))) as browsers:
        play_to(client, table, browsers, last=1000)
        assert browsers[0].received[-1]["over"]
        assert unpack(browsers[0].received[-1]["picture"]).startswith("<svg")
    about = client.get(f"/api/replays/{table.table}").json()
    assert about.get("complete"), about
    assert client.get(f"/api/replays/{table.table}/1?viewer=0").json()["text"]
    assert len(client.get(f"/api/review/{table.table}").json()["standings"]) == len(table.tokens)


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("clock", {}),
        ("default", {"bidders": "0 60/0 100/10 50 2 2 30"}),
        ("units", {"auction": "vickrey"}),
        ("items", {}),
        ("sequence", {}),
    ],
)
def test_every_kind_of_auction_is_played_to_the_review(client, preset, options):
    offered = next(game for game in client.get("/api/offer").json()["games"] if game["id"] == "auctions_v0")
    assert set(options) <= {option["name"] for option in offered["options"]}
    table = new_table(client, [PERSON, "half", "truthful"], "auctions_v0", preset=preset, options=options)
    with visits(client, table, 0) as [browser]:
        play_alone(browser, moves=1000)
    review = client.get(f"/api/review/{table.table}").json()
    assert [len(standing) for standing in review["standings"]] == [4, 4, 4]  # payoffs are no whole numbers
    assert not review["judged"]
    for end in ("/chances", "/0", "/1", "/2"):
        assert client.get(f"/api/review/{table.table}{end}").status_code == 200
