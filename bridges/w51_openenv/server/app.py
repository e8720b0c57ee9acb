"""The server of games, for models that are trained or evaluated elsewhere.

```
python -m w51_openenv.server.app --port 8000
```
"""

import argparse
from collections.abc import Collection

import uvicorn
from openenv.core.env_server import create_app
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse

from w51_agents.system.request_checks import RequestChecks
from w51_env.engine.errors import W51Error
from w51_openenv.models import Answer, Ask
from w51_openenv.server.environment import GameEnvironment

MAX_SESSIONS = 256


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
