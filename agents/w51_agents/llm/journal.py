"""Answers on disk as they come, so that a run that is killed in the middle of a game need not ask for them again."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from w51_agents.language.llm.models import Message, ModelReply
from w51_agents.system.errors import report_os_errors
from w51_agents.system.secrets import hidden


class Journal:
    """Answers of this run and of earlier ones in a folder, each with what was asked, in a game of a seed.

    An answer of an earlier run is given once, to the same question in the same games. A line that is damaged, as by a
    kill in the middle of its writing, is left out.

    Args:
        folder: The folder; None: nothing is kept.
    """

    def __init__(self, folder: Path | None):
        self._folder, self._seed = folder, 0
        self._kept: dict[str, list[ModelReply]] = {}
        self._path: Path | None = None
        if self._folder is not None:
            with report_os_errors(f"journal {self._folder}: cannot be read"):
                for path in sorted(self._folder.glob("*.jsonl")):
                    self._read(path)

    def begin(self, seed: int) -> None:
        """The games that follow are those of this seed."""
        self._seed = seed

    def take(self, messages: Sequence[Message]) -> ModelReply | None:
        """The answer of an earlier run to this question, once; None if there is none."""
        replies = self._kept.get(self._key(messages)) if self._kept else None
        return replies.pop(0) if replies else None

    def keep(self, messages: Sequence[Message], reply: ModelReply) -> None:
        """Write an answer; FileError if it cannot be written."""
        if self._folder is None:
            return
        without_secrets = {"text": hidden(reply.text), "reasoning": hidden(reply.reasoning)}
        line = json.dumps({"key": self._key(messages), "reply": {**asdict(reply), **without_secrets}})
        with report_os_errors(f"journal {self._folder}: cannot be written"):
            if self._path is None or not self._path.stem.startswith(f"{os.getpid()}-"):  # a process forked from another
                self._folder.mkdir(parents=True, exist_ok=True)
                self._path = self._folder / f"{os.getpid()}-{os.urandom(4).hex()}.jsonl"
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def _key(self, messages: Sequence[Message]) -> str:
        return hashlib.sha256(json.dumps([self._seed, list(messages)]).encode()).hexdigest()

    def _read(self, path: Path) -> None:
        for line in path.read_text("utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
                self._kept.setdefault(str(entry["key"]), []).append(ModelReply(**entry["reply"]))
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
