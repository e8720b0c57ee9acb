"""Every route and message of the web table with code, paths and numbers in each field: a real server and socket."""

import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote, urlencode

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.routing import Mount, WebSocketRoute
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.doors import CODE, HIDDEN, SHAPES, Trap, changed, encoded
from tests.table.play.games import played_at_random
from w51_agents.system.request_checks import SOCKET
from w51_lab.replays.digests import options_digest
from w51_table import web
from w51_table.web.app import make_app
from w51_table.web.messages import Act, AskHint, Hello, Hurry, Ping, Received, SetDelay, StandIn
from w51_table.web.server import ServerSettings

FORM = {"game": "warehouse51_v1", "preset": "nano", "options": {"relics": "nano"}, "seats": ["person"] * 3,
        "names": ["Ann"], "pace": 0.0, "clock": None, "seed": "1"}  # fmt: skip
POSITION = {"game": "warehouse51_v1", "options": {"num_players": 3, "relics": "nano", "preset": "nano"}, "seat": 0,
            "ingots": [2, 2, 2], "revealer": 0, "first_player": 0, "lot": "lantern", "to_move": 0,
            "unsold": ["dagger"]}  # fmt: skip
EVENING = {"position": POSITION, "names": ["Ann", "Ben", "Cem"], "events": [{"action": "pass", "shown": ["dagger"]}]}
FLEA_MARKET = {"position": {"game": "alles_futsch_v1", "options": {"num_players": 4}, "seat": 0, "money": [200] * 4,
               "lacks": ["vase", "jewel", "sculpture", "clock"], "objects": [{"vase": 1}, {}, {}, {}],
               "face_up": ["empty", "painting+painting+clock"], "gone": ["vase+vase+clock"], "lost": {"vase": 1},
               "selector": 2, "to_move": 2, "phase": "bid", "card": "sculpture+sculpture+clock", "passed": [1],
               "to_place": ["vase"], "selling": None, "added": 0}, "events": []}  # fmt: skip
# The body of a request that changes something, by the path of its route; `replays`: a replay.
BODIES: dict[str, Any] = {
    "/api/tables": FORM,
    "/api/tables/{name}/rematch": {},
    "/api/invitations/{name}/{seat:int}": {},
    "/api/days/{game}": {"name": "Ann", "again": False},
    "/api/advice": EVENING,
    "/api/advice/answer": EVENING,
    "/api/advice/replay": EVENING,
    "/api/replays": json.loads(played_at_random(preset="nano").replay().encode()),
    "/api/replays/{name}/{step:int}/advance": {},
    "/api/replays/{name}/{step:int}/again": {"action": None},
}
MESSAGES: dict[type, dict[str, Any]] = {
    Hello: {"table": "x", "token": "x", "language": "en", "form": "wide"},
    Act: {"decision": 0, "action": 0},
    AskHint: {"decision": 0, "first": True},
    SetDelay: {"pace": 0.4},
    StandIn: {"seat": 0, "on": True},
    Hurry: {},
    Ping: {},
}
_GET = re.compile(r"""query_params\.get\("(\w+)"|number_of\(request, "(\w+)"\)""")


def routes(tmp_path: Path) -> list[tuple[str, str]]:
    """Method and path of each route of the application."""
    app = make_app(ServerSettings(tmp_path / "tables"))
    app.state.server.close()
    kinds = [route for route in app.routes if not isinstance(route, WebSocketRoute)]
    assert [route.path for route in app.routes if route not in kinds] == [SOCKET]
    return [
        ("GET", f"{route.path}/{{file}}") if isinstance(route, Mount) else (method, route.path)
        for route in kinds
        for method in sorted((getattr(route, "methods", None) or {"GET"}) - {"HEAD"})
    ]


def queries() -> list[str]:
    """All names that the server reads in the address of a request."""
    texts = [path.read_text("utf-8") for path in Path(web.__file__).parent.glob("*.py")]
    found = [first or second for text in texts for first, second in _GET.findall(text)]
    assert sum(text.count("query_params") for text in texts) == sum(text.count("query_params.get(") for text in texts)
    return sorted(set(found))


class Visitor:
    """Sends requests to a server, and keeps its trap.

    Args:
        trap: The folder of the server.
        process: The server.
        address: Host and port.
    """

    def __init__(self, trap: Trap, process: Any, address: str):
        self.trap, self.process, self.address = trap, process, address
        made, over, step = self.begin(["person"] * 3), self.begin(["random"] * 3)["table"], 0
        while not json.loads(self.ask("POST", f"/api/replays/{over}/{step}/advance"))["complete"]:
            step += 1
        self.table, self.token = made["table"], made["tokens"][0]
        self.names = {"tables": self.table, "invitations": self.table, "review": over}
        replay = json.loads(self.ask("POST", "/api/replays", encoded(BODIES["/api/replays"])))["replay"]
        self.values = {"name": replay, "game": "warehouse51_v1", "seat": 0, "step": 1, "format": "txt", "file": "x",
                       "topic": "left"}  # fmt: skip

    def begin(self, seats: list[str]) -> Any:
        """A new table."""
        return json.loads(self.ask("POST", "/api/tables", encoded({**FORM, "seats": seats})))

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> str:
        """The answer; AssertionError if it is an error of the server, or the server is gone."""
        sent = {"origin": f"http://{self.address}", **headers}
        if hasattr(self, "token"):
            sent["authorization"] = f"Bearer {self.token}"
        what = f"{method} {path[:200]} {(body or '')[:300]}"
        line = http.client.HTTPConnection(self.address, timeout=60)
        try:
            line.request(method, path, body, sent)
            answer = line.getresponse()
            text = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            raise AssertionError(f"{what}: {error!r}") from None
        finally:
            line.close()
        assert answer.status < 500, f"{what}: {text}"
        return text

    def path(self, template: str, **changes: Any) -> str:
        """The path of a route; KeyError for a part that this test does not know."""
        name = self.names.get([*template.split("/"), ""][2], self.values["name"])
        values = {**self.values, "name": name, **changes}
        return re.sub(r"{(\w+)(?::\w+)?}", lambda part: quote(str(values[part[1]]), safe=""), template)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory) -> Iterator[Visitor]:
    trap = Trap(tmp_path_factory.mktemp("doors") / "server")
    arguments = "--port", 0, "--folder", "tables", "--language", "en"
    with trap.running("play.py", *arguments, says="w51_env: http://") as (process, address):
        yield Visitor(trap, process, address.strip("/"))


FEW = pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["few", "all"])


@FEW
def test_no_route_takes_code_a_path_or_any_number_in_its_path(visitor, tmp_path, few):
    for method, template in routes(tmp_path):
        body = None if method == "GET" else encoded(BODIES[template])
        for part in re.findall(r"{(\w+)", template):
            paths = [(text, visitor.path(template, **{part: text})) for text in visitor.trap.texts(few=few)]
            answers = [(text, visitor.ask(method, path, body)) for text, path in paths]
            visitor.trap.check(answers, f"{method} {template}, {part}")
            visitor.ask(method, visitor.path(template, **{part: 10**25}), body)


@FEW
def test_no_route_takes_code_a_path_or_any_number_in_its_query(visitor, tmp_path, few):
    quick = ("/api/advice/{game}", "/api/tables/{name}", "/api/replays/{name}/{step:int}")
    for method, template in routes(tmp_path):
        if template == "/api/tables" or (few and template not in quick):
            continue  # it reads only the language, and takes so many tables a second
        body = None if method == "GET" else encoded(BODIES[template])
        for name in queries():
            for text in (*CODE[:2], HIDDEN, "9" * 5000):
                visitor.ask(method, f"{visitor.path(template)}?{urlencode({name: text})}", body)
        visitor.trap.check([], f"{method} {template}")


@FEW
@pytest.mark.parametrize(("template", "data"), [*BODIES.items(), ("/api/advice", FLEA_MARKET)])
def test_no_body_names_code_or_a_path(visitor, tmp_path, template, data, few):
    assert {path for method, path in routes(tmp_path) if method == "POST"} == {*BODIES}
    if template == "/api/replays":
        data = {**data, "moves": data["moves"][:1], "start": {"over": 0}}
    path, places = visitor.path(template), dict[str, list[tuple[Any, str]]]()
    for where, value, made in changed(data, visitor.trap.values(few=few)):
        if template == "/api/replays" and where.startswith("options."):
            made["digests"]["options"] = options_digest(made["options"])
        places.setdefault(where, []).append((value, visitor.ask("POST", path, encoded(made))))
    for where, answers in places.items():
        visitor.trap.check(answers, f"{template}, {where}")
    for value in SHAPES:
        visitor.ask("POST", path, encoded(value))


@FEW
def test_no_message_names_code_or_a_path(visitor, few):
    assert {*get_args(Received)} == {*MESSAGES}
    hello = {"type": "hello", "table": visitor.table, "token": visitor.token, "language": "en"}
    answers: dict[str, list[tuple[Any, str]]] = {}
    for kind, fields in MESSAGES.items():
        assert {*kind.model_fields} == {"type", *fields}
        named = get_args(kind.model_fields["type"].annotation)[0]
        for where, value, message in changed({"type": named, **fields}, visitor.trap.values(few=few)):
            answers.setdefault(where, []).append((value, said(visitor, hello, encoded(message), kind is Hello)))
    for where, found in answers.items():
        visitor.trap.check(found, where)
    assert visitor.process.poll() is None


def said(visitor: Visitor, hello: dict[str, str], message: str, first: bool) -> str:
    """What the server answers to a message, the first one or one after `hello`."""
    with connect(f"ws://{visitor.address}{SOCKET}", origin=f"http://{visitor.address}") as line:
        try:
            if not first:
                line.send(encoded(hello))
            line.send(message)
            line.send(encoded({"type": "nothing"}))  # for which it closes the connection
            while True:
                line.recv(timeout=20)
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 0
        assert code in (1009, 4400, 4404, 4429), message
        return str(code)


@pytest.mark.parametrize(
    ("path", "headers", "allowed"),
    [
        ("/api/advice/warehouse51_v1", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, False),
        ("/api/covers/warehouse51_v1", {"sec-fetch-site": "same-site"}, False),
        ("/api/advice/warehouse51_v1", {"sec-fetch-site": "same-origin"}, True),
        ("/api/advice/warehouse51_v1", {"sec-fetch-site": "none"}, True),
        ("/", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True),
    ],
)
def test_what_another_site_embeds_is_refused_and_a_link_opens_the_page(visitor, path, headers, allowed):
    answer = visitor.ask("GET", path, **headers)
    assert ("answers its own page only" not in answer) == allowed
