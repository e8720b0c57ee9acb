"""OpenEnv: a server of games for models that are trained or evaluated elsewhere, and its client.

```
python -m w51_agents.language.openenv_server --port 8000
```
"""

import argparse
from collections.abc import Collection, Sequence
from typing import Any

from w51_agents.language.model_game import MODEL, ModelGame, Question, check_players
from w51_env.engine.errors import GameOverError, W51Error
from w51_env.engine.registry import game_from_outside
from w51_env.views.language import ENGLISH

try:
    import uvicorn
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server import Action, Environment, Observation, State, create_app
    from pydantic import Field
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse

    from w51_agents.system.request_checks import RequestChecks
except ImportError as error:
    raise ImportError(
        f"w51_agents.language.openenv_server needs OpenEnv: pip install 'w51_env[openenv]' ({error})"
    ) from error

PLAYERS = (MODEL, "heuristic", "heuristic", "heuristic")
MAX_SESSIONS = 256


class Answer(Action):
    """What a model has answered, in free words.

    Attributes:
        text: The answer.
    """

    text: str


class Ask(Observation):
    """What a model is asked; at the end, the results.

    Attributes:
        seat: The seat that is asked; -1 at the end.
        system: What a model reads before its first prompt.
        prompt: What it reads now; empty at the end.
        legal: The names of the legal actions.
        again: Whether the last answer was refused; the prompt then says why.
        rewards: The reward of each seat, at the end. `reward` is that of the seat that has answered last.
        refused: For each seat, how many answers were refused.
        forfeited_by: The seat that lost by its mistakes; -1: none.
    """

    seat: int = -1
    system: str = ""
    prompt: str = ""
    legal: list[str] = Field(default=[])
    again: bool = False
    rewards: list[float] = Field(default=[])
    refused: list[int] = Field(default=[])
    forfeited_by: int = -1


class GameEnvironment(Environment[Answer, Ask, State]):
    """One session of the server: a game at a time."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game: ModelGame | None = None
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "warehouse51_v1",
        players: Sequence[str] = PLAYERS,
        mistakes: int = 2,
        conversation: bool = False,
        language: str = ENGLISH,
        **options: Any,
    ) -> Ask:
        """Begin a game; the arguments are those of `ModelGame`, but none names code or a file of this machine."""
        check_players(players)
        made = game_from_outside(game, {**options, "num_players": len(players)})
        begun = ModelGame(made, players, mistakes=mistakes, conversation=conversation, language=language)
        self.close()
        self._game = begun
        self._state = State(episode_id=episode_id)
        return self._observed(self._game.reset(seed), None)

    def step(self, action: Answer, timeout_s: float | None = None, **kwargs: Any) -> Ask:
        """Play an answer, or refuse it."""
        if self._game is None or self._game.question is None:
            raise GameOverError("step: the game is over, or has not begun: reset begins one")
        seat = self._game.question.seat
        self._state.step_count += 1
        return self._observed(self._game.answer(action.text), seat)

    @property
    def state(self) -> State:
        """The number of answers of this game; nothing that a seat may not know."""
        return self._state

    def close(self) -> None:
        """Release the game."""
        if self._game is not None:
            self._game.close()
            self._game = None

    def _observed(self, question: Question | None, answered: int | None) -> Ask:
        game = self._game
        assert game is not None
        facts: dict[str, Any] = {"system": game.system, "refused": game.refused}
        if question is not None:
            asked = {"seat": question.seat, "prompt": question.prompt, "legal": list(question.legal)}
            return Ask(**facts, **asked, again=question.again, reward=0.0)
        forfeited_by = -1 if game.forfeited_by is None else game.forfeited_by
        reward = 0.0 if answered is None else game.rewards[answered]
        return Ask(**facts, rewards=game.rewards, forfeited_by=forfeited_by, reward=reward, done=True)


class GameClient(EnvClient[Answer, Ask, State]):
    """A client of the server; `GameClient(base_url=...).sync()` is one without `await`."""

    def _step_payload(self, action: Answer) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Ask]:
        reward, done = payload.get("reward"), payload.get("done", False)
        return StepResult(Ask(**payload["observation"], reward=reward, done=done), reward, done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


def make_app(host: str = "127.0.0.1", allowed_hosts: Collection[str] = ()) -> Starlette:
    """The server for programs, not for pages of other sites.

    Args:
        host: The address that it listens on.
        allowed_hosts: Names of proxies through which it may be reached, with the port where it is no usual one.
    """
    made = create_app(GameEnvironment, Answer, Ask, env_name="w51_env", max_concurrent_envs=MAX_SESSIONS)
    made.add_middleware(RequestChecks, host=host, allowed_hosts=allowed_hosts, programs=True)
    made.add_exception_handler(W51Error, _refused)
    return made


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 400)


app = make_app()


def main() -> None:
    """Serve on this machine only, unless another address is named."""
    parser = argparse.ArgumentParser(description="Games for language models, by the protocol of OpenEnv.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--allow-host", action="append", default=[], help="Name of a proxy; can be repeated.")
    arguments = parser.parse_args()
    uvicorn.run(make_app(arguments.host, arguments.allow_host), host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    main()
