"""OpenEnv's own server and client on games of scripted models."""

import socket
import threading
import time

import pytest

from tests.clients.record import client
from tests.clients.scripted import NONSENSE, first_legal

pytestmark = client("openenv-core", "server and client: whole games of one model and of several, rewards by seat")
pytest.importorskip("openenv.core", reason="openenv-core is not installed; bash bin/test --clients installs it")

from w51_agents.language.openenv_server import Answer, GameClient, app  # noqa: E402


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
        ({"relics": "/etc/hostname"}, "a name of letters"),
    ],
)
def test_what_the_server_refuses_is_named(served, arguments, named):
    with pytest.raises(RuntimeError, match=named):
        served.reset(**arguments)
