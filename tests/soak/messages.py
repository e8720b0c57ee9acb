"""Readers of what strangers send: tables of play, messages and files of a page, answers of language models."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import httpx2
import numpy as np

from tests.soak.damage import Reader, as_json, plain, restructured
from tests.soak.files import random_replay
from w51_agents.language.answers import AnswerReader
from w51_agents.language.llm.chat_server import ChatServer, _Client
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_table.play.agent_pool import AgentPool
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table
from w51_table.web.messages import parse
from w51_table.web.new_game import Extras, parse_table
from w51_table.web.registry import Replays, TableRegistry

_TABLE: dict[str, object] = {
    "game": "warehouse51_v1",
    "preset": "mini",
    "options": {},
    "seats": ["person", "random", "heuristic"],
    "names": ["A", "", ""],
}
_HELLO = {"type": "hello", "table": "a" * 12, "token": "b" * 20, "language": "en", "form": "narrow"}
_MESSAGES = (
    {"type": "act", "decision": 3, "action": 7},
    {"type": "hint", "decision": 3},
    {"type": "pace", "pace": 0.5},
    {"type": "pace", "pace": None},
)
_ANSWERS = (
    'I think blue is best.\n\n{"action": "choose_deck_blue"}',
    "ACTION: choose_deck_red",
    "[choose_deck_golden]",
    "I take one of the green relics, so: choose_deck_green.",
)
_COMPLETION = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "choose_deck_red"}}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 5},
}


def message_readers(folder: Path) -> list[Reader]:
    """All of them, with files made in `folder`."""
    folder.mkdir()
    return [_of_a_table(folder / "one.table"), *_of_a_page(folder), *_of_language_models(folder)]


def _sent(folder: Path, name: str, read: Callable[[bytes], object], corpus: list[bytes]) -> Reader:
    """A reader of what is not a file, kept in one."""
    path = folder / name.replace(" ", "_")
    return Reader(name, path, lambda: read(path.read_bytes()), corpus, plain(json.loads, as_json))


def _of_a_table(path: Path) -> Reader:
    table = Table(Setup("warehouse51_v1", {"preset": "mini"}, 1, (PERSON, "random", "heuristic")))
    while not table.over and table.decision < 12:
        table.play(int(np.flatnonzero(table.action_mask)[0]))
    GameLog.create(path, table, {"invitation": "x"}).close()
    return Reader("table", path, lambda: GameLog.open(path)[0].close(), [path.read_bytes()], _other_lines)


def _other_lines(content: bytes, chance: random.Random) -> bytes:
    lines = [json.loads(line) for line in content.decode().splitlines()]
    index = chance.choice((0, 0, chance.randrange(len(lines))))
    lines[index] = restructured(lines[index], chance)
    return b"".join(as_json(line) + b"\n" for line in lines)


def _of_a_page(folder: Path) -> list[Reader]:
    replay, replays = folder / "replay", Replays(TableRegistry(folder, AgentPool(), max_tables=4, idle=60.0))
    random_replay(Batch(make_game("warehouse51_v1", preset="mini"), 1, seed=1)).save(replay)
    return [
        _sent(folder, "new table", lambda content: parse_table(content, Extras()), [as_json(_TABLE)]),
        _sent(folder, "hello", lambda content: parse(_text(content)), [as_json(_HELLO)]),
        _sent(folder, "message", lambda content: parse(_text(content)), [as_json(data) for data in _MESSAGES]),
        _sent(folder, "sent replay", lambda content: replays.add(content), [replay.read_bytes()]),
    ]


def _of_language_models(folder: Path) -> list[Reader]:
    batch = Batch(make_game("warehouse51_v1", num_players=3), 1, seed=1)
    batch.reset()
    legal = batch.view(0, int(batch.seat[0])).actions
    reader = AnswerReader(batch.game.actions)
    path = folder / "completion"
    server = ChatServer("http://127.0.0.1:1/v1", "OPENAI_API_KEY", {"model": "m"}, 60.0)
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=httpx2.ByteStream(path.read_bytes())))
    server._client = lambda messages=(): _Client(httpx2.Headers(), 60.0, messages, True, transport=transport)  # type: ignore[method-assign]
    return [
        Reader(
            "chat completion",
            path,
            lambda: server.ask([{"role": "user", "content": "?"}]),
            [as_json(_COMPLETION)],
            plain(json.loads, as_json),
        ),
        _answer(folder / "answer", lambda content: reader.read(_text(content), legal)),
    ]


def _answer(path: Path, read: Callable[[bytes], object]) -> Reader:
    return Reader("answer", path, lambda: read(path.read_bytes()), [answer.encode() for answer in _ANSWERS])


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
