"""The log of the server, on standard error: at a rate, because whoever can connect can cause messages."""

import logging
from typing import Any

from w51_env.play.web.limits import Allowance

_BURST, _PER_SECOND = 20, 1.0


class Rate(logging.Filter):
    """Lets messages through at a rate, and says how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._allowance = Allowance(_BURST, _PER_SECOND)
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if not self._allowance.take():
            self._left_out += 1
            return False
        if self._left_out:
            record.msg = f"{record.getMessage()} ({self._left_out:,} messages before this one were left out)"
            record.args = None
            self._left_out = 0
        return True


# For `uvicorn.Config`; the messages of asyncio are about connections that could not be accepted.
LOG_CONFIG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"rate": {"()": Rate}},
    "formatters": {"line": {"format": "%(levelname)s: %(message)s"}},
    "handlers": {
        "log": {
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stderr",
            "filters": ["rate"],
            "formatter": "line",
        }
    },
    "loggers": {
        "uvicorn": {"handlers": ["log"], "level": "WARNING", "propagate": False},
        "asyncio": {"handlers": ["log"], "level": "WARNING", "propagate": False},
    },
}
