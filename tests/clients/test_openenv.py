"""OpenEnv's own server and client on games of scripted models."""

import http.client
import inspect
import socket
import threading
import time
from pathlib import Path

import pytest
from starlette.routing import WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.clients.record import client
from tests.clients.scripted import NONSENSE, first_legal
from tests.doors import HIDDEN, Trap, changed, encoded

pytestmark = client("openenv-core", "server and client: whole games of one model and of several, rewards by seat")
pytest.importorskip("openenv.core", reason="openenv-core is not installed; bash bin/test --clients installs it")

from w51_openenv import Answer, GameClient  # noqa: E402
from w51_openenv.server.app import app  # noqa: E402
from w51_openenv.server.environment import GameEnvironment  # noqa: E402


@pytest.fixture(scope="module")
def served():
    """A client of a server, without `await`."""
    import uvicorn

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        with GameClient(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}").sync() as made:
            yield made
        server.should_exit = True
        thread.join()


def play(served, answer, **arguments):
    """All results of a game."""
    results = [served.reset(seed=1, **arguments)]
    while not results[-1].done:
        results.append(served.step(Answer(text=answer(results[-1].observation.prompt))))
    return results


def test_a_scripted_model_plays_a_whole_game(served):
    results = play(served, first_legal, players=["random", "model", "heuristic"])
    asked = [result.observation for result in results[:-1]]
    assert {one.seat for one in asked} == {1}
    assert all(first_legal(one.prompt).endswith(f"[{one.legal[0]}]") for one in asked)
    assert all(result.reward == 0 for result in results[:-1])
    assert results[-1].reward == results[-1].observation.rewards[1] != 0
    assert "the rules" in asked[0].system
    assert served.state().step_count == len(asked)


def test_all_seats_may_be_models(served):
    last = play(served, first_legal, game="alles_futsch_v1", players=["model", "model"])[-1]
    assert sum(last.observation.rewards) == pytest.approx(0)


def test_a_model_that_names_no_legal_action_is_asked_again_and_loses(served):
    results = play(served, lambda prompt: NONSENSE, players=["model", "random", "random"])
    assert [result.observation.again for result in results] == [False, True, True, False]
    assert results[-1].reward == -1
    assert results[-1].observation.forfeited_by == results[0].observation.seat


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"players": ["nobody"]}, "model"),
        ({"players": ["model", "nobody", "random"]}, "nobody"),
        ({"speed": 2}, "speed"),
        ({"relics": "/etc/hostname"}, "but allowed here are mini"),
    ],
)
def test_what_the_server_refuses_is_named(served, arguments, named):
    with pytest.raises(RuntimeError, match=named):
        served.reset(**arguments)


# The paths of the routes that take something, and what a program sends there; `{}`: nothing.
RESET = {"seed": 1, "episode_id": "x", "game": "warehouse51_v1", "players": ["model", "random", "random"],
         "mistakes": 2, "conversation": False, "language": "en", "relics": "nano", "preset": "nano",
         "filename": "x"}  # fmt: skip
CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "reset", "arguments": RESET}, "id": 1}
BODIES = {"/reset": RESET, "/step": {"action": {"text": "pass"}, "timeout_s": 1.0, "request_id": "x"}, "/mcp": CALL}
MESSAGES = {"/ws": [{"type": "reset", "data": RESET}, {"type": "step", "data": {"text": "pass"}}, {"type": "state"},
                    {"type": "mcp", "data": CALL}, {"type": "close"}], "/mcp": [CALL]}  # fmt: skip


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """The server as a process in a folder with a trap: the trap, the process, its address."""
    trap = Trap(tmp_path_factory.mktemp("doors") / "server")
    with trap.running("w51_openenv.server.app", "--port", 0, says="running on http://") as (
        process,
        address,
    ):
        yield trap, process, address


def asked(address: str, method: str, path: str, body: str | None = None, **headers: str) -> str:
    line = http.client.HTTPConnection(address, timeout=60)
    line.request(method, path, body, {"content-type": "application/json", **headers})
    answer = line.getresponse()
    text = answer.read().decode()
    line.close()
    assert answer.status < 500, f"{method} {path} {body}: {text}"
    return str(answer.status) if answer.status == 403 else text


def told(address: str, path: str, message: str, **headers: str) -> str:
    """What the server answers to a message; the reason for which it takes none."""
    try:
        with connect(f"ws://{address}{path}", additional_headers=headers) as line:
            line.send(message)
            return str(line.recv(timeout=60))
    except (ConnectionClosed, InvalidStatus) as error:
        return str(error)


def test_no_route_or_message_names_code_or_a_path(stranger):
    trap, process, address = stranger
    posts = {route.path for route in app.routes if "POST" in (getattr(route, "methods", None) or ())}
    sockets = {route.path for route in app.routes if isinstance(route, WebSocketRoute)}
    assert (posts, sockets) == ({*BODIES}, {*MESSAGES})
    assert {*inspect.signature(GameEnvironment.reset).parameters} - {"self", "options"} <= {*RESET}
    places = dict[str, list[tuple[object, str]]]()
    values = [value for value in trap.values() if value != "\ud800"]  # to which the library itself has no answer
    for path, body in BODIES.items():
        for where, value, made in changed(body, values):
            places.setdefault(f"{path} {where}", []).append((value, asked(address, "POST", path, encoded(made))))
    for path, messages in MESSAGES.items():
        for message in messages:
            for where, value, made in changed(message, trap.values(few=True)):
                name = f"{path} {message.get('type')} {where}"
                places.setdefault(name, []).append((value, told(address, path, encoded(made))))
    for where, answers in places.items():
        trap.check(answers, where)
    attack = {"game": "logging:basicConfig", "filename": HIDDEN, "filemode": "w"}
    assert "is unknown" in told(address, "/ws", encoded({"type": "reset", "data": attack}))
    trap.check([], "a factory that opens a file")
    assert process.poll() is None


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"host": "evil.example:8000"}, False),
    ],
)
def test_pages_of_other_sites_are_refused(stranger, headers, allowed):
    _, _, address = stranger
    assert (asked(address, "POST", "/reset", encoded(RESET), **headers) != "403") == allowed
    if "host" not in headers:  # the client of this test sends its own
        assert ("403" not in told(address, "/ws", encoded({"type": "state"}), **headers)) == allowed


@client("openenv-core", "`openenv validate`, but for a lock file")
def test_the_package_is_laid_out_as_the_hub_wants_it():
    from openenv.cli._cli_utils import validate_env_structure
    from openenv.cli._validation import validate_multi_mode_deployment

    folder = Path(__file__).resolve().parents[2] / "bridges" / "w51_openenv"
    assert validate_env_structure(folder) == ["Recommended directory missing: outputs/"]
    # uv can write it when w51_env is in an index
    assert validate_multi_mode_deployment(folder)[1] == ["Missing uv.lock - run 'uv lock' to generate it"]
