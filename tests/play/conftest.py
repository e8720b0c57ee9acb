"""The web table in the process of a test."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def client(tmp_path, monkeypatch) -> Iterator[object]:
    pytest.importorskip("starlette", reason="needs the extra 'play'")
    from starlette.testclient import TestClient

    from tests.play.visitors import ADDRESS, ORIGIN, InProcessPool
    from w51_env.play.web import server

    monkeypatch.setattr(server, "AgentPool", InProcessPool)
    app = server.make_app(server.Settings(tmp_path, language="en"))
    with TestClient(app, base_url=ADDRESS, headers=ORIGIN) as client:
        yield client
