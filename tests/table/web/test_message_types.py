"""What goes out is of its type: a renamed key, a lost field or a wrong type is an error before it reaches a page."""

import re
from typing import Any, get_args

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from pydantic import ValidationError

from tests.commands import ROOT
from tests.table.web.visitors import first_state, new_table, visits
from w51_env.pictures.seating import NARROW_SCREENS
from w51_table.play.table import PERSON
from w51_table.web import sockets
from w51_table.web.app import changing, reading
from w51_table.web.outgoing import answer_type, as_json, json_response
from w51_table.web.table_requests import TableRequests

STATUS = {"over": False, "yours": True, "headline": "", "standings": [("Ann", "3")]}


def renamed(message: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in message.items()}


def test_a_state_with_a_renamed_lost_or_wrong_field_is_not_sent(client):
    state = first_state(client, new_table(client, [PERSON, "random", "random"]))
    state |= {"opened": [], "actions": [], "score": None}  # JSON has no tuples
    as_json(state)
    wrong = [
        renamed(state, "undo", "retract"),
        {key: value for key, value in state.items() if key != "turn"},
        {**state, "undo": 0},
        {**state, "more": 1},
        {**state, "seats": [{"name": "Ann"}]},
        {**state, "actions": [{"kind": "bid", "id": 1, "text": "", "part": "lot", "number": "3"}]},
        {"type": "hint", "decision": 1},
        {"type": "tick"},
    ]
    for message in wrong:
        with pytest.raises(ValidationError):
            as_json(message)


@pytest.mark.parametrize(
    "wrong",
    [renamed(STATUS, "yours", "own"), {"over": False}, {**STATUS, "over": None}, {**STATUS, "standings": [("Ann", 3)]}],
)
def test_an_answer_with_a_renamed_lost_or_wrong_field_is_not_given(wrong):
    status = TableRequests.status
    assert json_response(status, STATUS).status_code == 200
    with pytest.raises(ValidationError):
        json_response(status, wrong)


def test_every_answer_has_a_strict_type_or_is_a_file(client):
    """TypedDict and `strict`: a handler that says `dict` would let everything out."""
    server = client.app.state.server
    for path, handle in {**changing(server), **reading(server)}.items():
        made = answer_type(handle)
        for one in get_args(made) or (made,):
            assert one is None or one.__pydantic_config__["strict"], path


def test_a_message_that_cannot_be_sent_ends_the_connection_and_the_page_asks_again(client, monkeypatch):
    """It left the page waiting: the task that sends had failed without a word."""
    table = new_table(client, [PERSON, "random", "random"])
    monkeypatch.setattr(sockets, "state_message", lambda session, client: {"type": "state"})
    with pytest.raises(ValidationError), visits(client, table, 0) as [browser]:
        browser.until_closed()


def test_the_width_at_which_the_layout_changes_stands_once():
    files = [
        path
        for folder in ("table/w51_table", "lab/w51_lab", "w51_env/pictures")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js", ".css", ".html")
    ]
    [width] = re.findall(r"\d+px", NARROW_SCREENS)
    assert [path.name for path in files if width.removesuffix("px") in path.read_text("utf-8")] == ["seating.py"]
