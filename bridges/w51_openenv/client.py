"""The client of the server."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server import State

from w51_openenv.models import Answer, Ask


class GameClient(EnvClient[Answer, Ask, State]):
    """A client of the server; `GameClient(base_url=...).sync()` is one without `await`."""

    def _step_payload(self, action: Answer) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Ask]:
        reward, done = payload.get("reward"), payload.get("done", False)
        return StepResult(Ask(**payload["observation"], reward=reward, done=done), reward, done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
