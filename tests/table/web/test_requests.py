"""The web table without a browser: who may speak to it, new tables, languages, the files of the page."""

import re

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.table.web.visitors import (
    ADDRESS,
    ORIGIN,
    SOCKET,
    Browser,
    bearer,
    first_state,
    new_table,
    unpack,
)  # fmt: skip
from w51_env.engine.errors import OptionError
from w51_env.views.language import LANGUAGES, Words
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table
from w51_table.web.app import make_app
from w51_table.web.server import ServerSettings
from w51_table.web.sockets import NOT_FOUND
from w51_table.web.start import serve


def speaks(client: TestClient, headers: dict[str, str]) -> bool:
    """Whether a connection with these headers is taken."""
    try:
        with client.websocket_connect(SOCKET, headers=headers):
            return True
    except WebSocketDisconnect:
        return False


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:5151", "origin": "http://localhost:5151"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": "10.0.0.7"}, 403),
        ({"host": "evil.example@127.0.0.1"}, 403),
        ({"host": "127.0.0.1#evil.example"}, 403),
        ({"host": "127.0.0.1:x"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "https://127.0.0.1:5151"}, 403),
        ({"origin": "http://127.0.0.1:5152"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": None}, 403),
    ],
)
def test_only_the_servers_own_page_may_speak_to_it(client, headers, status):
    given = {name: value for name, value in {**ORIGIN, **headers}.items() if value is not None}
    client.headers.clear()
    form = {"game": "warehouse51_v1", "seats": [PERSON] * 3}
    assert client.post("/api/tables", json=form, headers=given).status_code == status
    assert speaks(client, given) == (status == 200)


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("play.example.org", "https://play.example.org", 200),  # the proxy names its host, with or without the port
        ("play.example.org:8443", "https://play.example.org:8443", 200),
        ("play.example.org", "http://play.example.org", 200),
        ("127.0.0.1:5151", "https://play.example.org", 200),  # it names the server's
        ("127.0.0.1:5151", ADDRESS, 200),
        ("play.example.org", "https://other.example.org:8443", 200),  # allowed with its port
        ("play.example.org", "https://play.example.org:9000", 403),
        ("play.example.org", "https://other.example.org", 403),
        ("play.example.org.evil.example", "https://play.example.org.evil.example", 403),
        ("evil.example", "https://play.example.org", 403),
        ("127.0.0.1:5151", "https://127.0.0.1:5151", 403),
        ("play.example.org", "file://play.example.org", 403),
        ("play.example.org", None, 403),
    ],
)
def test_a_proxy_may_be_named_and_all_else_is_refused_as_before(tmp_path, host, origin, status):
    names = ("Play.Example.org", "other.example.org:8443")
    client = TestClient(make_app(ServerSettings(tmp_path, allowed_hosts=names)), base_url=ADDRESS)
    headers = {"host": host, **({"origin": origin} if origin else {})}
    assert client.post("/api/replays", content="{}", headers=headers).status_code == (400 if status == 200 else 403)
    assert speaks(client, headers) == (status == 200)


@pytest.mark.parametrize("name", ["https://play.example.org", "play.example.org/w51", "*.example.org", "*", ""])
def test_a_proxy_is_named_by_its_name(tmp_path, name):
    with pytest.raises(OptionError, match=r"a name is needed, as example\.org or example\.org:8443"):
        serve(ServerSettings(tmp_path, allowed_hosts=[name]), 0)


def test_links_have_the_address_of_the_page(client):
    table = new_table(client, [PERSON] * 3)
    path, own = f"/api/tables/{table.table}/invitation", bearer(table.tokens[0])
    for address, status in (("https://a.example/w51", 200), ("javascript:alert(1)", 400), (f"http://{'a' * 400}", 400)):
        answer = client.get(path, params={"address": address}, headers=own)
        assert answer.status_code == status
        assert status == 400 or answer.json()["link"].startswith(f"{address}/#/invite/{table.table}/")


def test_a_shared_server_answers_by_address_but_not_by_the_name_of_another_site(tmp_path):
    client = TestClient(make_app(ServerSettings(tmp_path, host="0.0.0.0")), base_url="http://127.0.0.1:5151")
    assert client.get("/", headers={"host": "192.168.1.5:5151"}).status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403


NO_CHOICE = {"num_cards": 1, "start_money": 1, "minimum_bid": 20}  # nobody can ever decide anything


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "game: 'chess'"),
        ({"game": "os:system"}, "game: 'os:system'"),
        ({"seats": [PERSON, PERSON, "os:system"]}, r"seats\[2\]: 'os:system', but allowed are person, random"),
        ({"seats": [PERSON, PERSON, "runs/x.safetensors"]}, "but allowed are"),
        ({"seats": [PERSON, PERSON, "search:playouts=99999999"]}, "but allowed are"),
        ({"seats": [PERSON]}, "num_players: 1"),
        ({"options": {"pawn_limit": 999}}, "pawn_limit"),
        ({"options": {"relics": "/etc/passwd"}}, "relics: '/etc/passwd', but allowed here are mini, nano"),
        ({"options": {"nonsense": 1}}, "nonsense"),
        ({"preset": "x"}, "preset"),
        (
            {"game": "alles_futsch_v1", "seats": [PERSON] * 2, "options": NO_CHOICE},
            "not possible: minimum_bid, start_money, num_cards",
        ),
        ({"pace": 0.123}, "pace: 0.123"),
        ({"more": 1}, "more"),
    ],
)
def test_a_table_that_was_not_offered_is_refused_with_the_reason(client, change, message):
    form = {"game": "warehouse51_v1", "seats": [PERSON, "random", "random"], **change}
    answer = client.post("/api/tables", json=form)
    assert answer.status_code == 400
    assert re.search(message, answer.json()["error"])
    assert len(client.app.state.server.tables) == 0


def test_a_form_or_a_replay_that_is_too_long_is_refused(client):
    assert client.post("/api/tables", content=b"x" * 20_000).status_code == 400
    assert client.post("/api/replays", content=b"x" * 600_000).status_code == 400


def test_a_path_that_no_page_asks_for_is_refused(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"{SOCKET}s"):
        pass
    assert client.get(f"/api/replays/x/{'9' * 5000}").status_code == 403


def test_names_are_cut_made_different_and_shown_as_text(client):
    table = new_table(
        client,
        [PERSON, "random", "random", "random"],
        names=["<script>alert(1)</script> and more", "a\x1b[31m\u202e", "a\x1b[31m\u202e", "👩\u200d👧 Zoë"],
    )
    assert table.names == ["<script>alert(1)</script", "a[31m", "a[31m 3", "👩👧 Zoë"]
    assert "<script" not in unpack(first_state(client, table)["picture"])


def test_the_file_of_a_table_runs_no_code_that_the_command_line_does_not_name(client, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strange.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    for name, seats in (
        ("A" * 16, ("strange:Agent", "random", "random")),
        ("B" * 16, (PERSON, "strange:Agent", "random")),
    ):
        tokens = ["secret" if seat == PERSON else "" for seat in seats]
        table = Table(Setup("warehouse51_v1", {"num_players": 3}, 1, seats))
        GameLog.create(tmp_path / f"{name}.table", table, {"tokens": tokens, "invitation": "guests"}).close()
        assert "--agent" in client.post(f"/api/replays/{name}/0/advance").json()["error"]
        with client.websocket_connect(SOCKET) as session:
            assert Browser(session, name, tokens[0]).until_closed() == NOT_FOUND
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_players_are_told_in_their_language(client, language):
    words = Words(language)
    replay, options = (words(f"error.{key}_unusable", reason="") for key in ("replay", "options"))
    assert language == "en" or replay != Words("en")("error.replay_unusable", reason="")
    answer = client.get(f"/api/review/nothing?language={language}")
    assert (answer.status_code, answer.json()["error"]) == (400, words("error.no_table"))
    assert client.get(f"/api/replays/nothing?language={language}").status_code == 400
    answer = client.post(f"/api/replays?language={language}", content=b"{")
    assert answer.json()["error"].startswith(f"{replay}not JSON")
    form = {"game": "warehouse51_v1", "options": {"pawn_limit": -1}, "seats": ["person", "random", "random"]}
    answer = client.post(f"/api/tables?language={language}", json=form)
    assert answer.json()["error"].startswith(f"{options}pawn_limit")
    name = new_table(client, ["pretrained", "random", "random"], options={"first_player": 0}).table
    thoughts = client.get(f"/api/replays/{name}/0/thoughts?agent=pretrained&language={language}").json()
    assert thoughts["title"].startswith(words("explanation.chooses", agent="pretrained", action=""))


def test_first_load_is_below_200_kb_and_names_no_other_host(client):
    size, left, seen = 0, {"/"}, set()
    while left - seen:
        path = min(left - seen)
        seen.add(path)
        answer = client.get(path)
        left |= {f"/{name}" for name in re.findall(r'(?:(?:src|href)=|from )"(?:\./)?([\w.]+)"', answer.text)}
        assert answer.status_code == 200
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", answer.text), path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        size += answer.num_bytes_downloaded
    for font in re.findall(r"url\(([\w./-]+)\)", client.get("/theme.css").text):
        answer = client.get(f"/{font}")
        assert answer.headers["content-type"] == "font/ttf"
        size += answer.num_bytes_downloaded
    assert {"/form.js", "/table.js", "/sounds.js"} <= seen
    for page in re.findall(r'import\("\.(/\w+\.js)"\)', client.get("/app.js").text):  # when they are opened
        assert client.get(page).status_code == 200
    offer = client.get("/api/offer")
    covers = [client.get(f"/api/covers/{game['id']}") for game in offer.json()["games"]]
    assert "content-encoding" not in offer.headers  # nor any other answer beside files
    assert size + sum(answer.num_bytes_downloaded for answer in [offer, *covers]) < 200_000


def test_a_page_that_the_browser_has_is_not_sent_again(client):
    tag = client.get("/app.js").headers["etag"]
    assert client.get("/app.js", headers={"if-none-match": tag}).status_code == 304
