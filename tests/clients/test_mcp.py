"""The assistant's table, through a real process and the MCP package's own client."""

import re
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.clients.record import client
from tests.doors import Trap, changed

anyio = pytest.importorskip("anyio")
ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = ("assistant", "heuristic", "random", "--preset", "mini", "--seat", "1", "--seed", "3", "--language", "en")
ACTION = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)

pytestmark = [client("mcp", "stdio_client: a whole game at the assistant's table"), pytest.mark.slow]


PROGRAM = (sys.executable, str(ROOT / "play.py"))


async def in_session(work, *arguments: str, command: tuple[str, ...] = PROGRAM, at=ROOT):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *before = command
    server = StdioServerParameters(command=program, args=[*before, *arguments], cwd=str(at))
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        return await work(session)


def text_of(result) -> str:
    return result.content[0].text


def test_an_assistant_plays_a_whole_game_and_reads_its_own_knowledge_only():
    async def work(session):
        tools = await session.list_tools()
        assert sorted(tool.name for tool in tools.tools) == ["act", "look", "new_game", "rules"]
        assert "WAREHOUSE 51: the rules" in text_of(await session.call_tool("rules", {}))
        page = text_of(await session.call_tool("look", {}))
        pages = [page]
        refused = await session.call_tool("act", {"action": "bid_70"})
        assert '"bid_70" is too high' in text_of(refused)
        assert text_of(await session.call_tool("look", {})) == page
        while "the game is over" not in pages[-1]:
            action = ACTION.findall(pages[-1])[0]
            pages.append(text_of(await session.call_tool("act", {"action": f"I choose {action}"})))
        assert "the game is over" in text_of(await session.call_tool("act", {"action": "pass"}))
        again = text_of(await session.call_tool("new_game", {"seed": 3}))
        assert again == text_of(await session.call_tool("new_game", {"seed": 3}))
        assert again != page  # the assistant does not know the seed of its game
        return pages

    pages = anyio.run(in_session, work, *ARGUMENTS)
    assert len(pages) > 3
    assert all(len(page) <= 4000 for page in pages)
    hidden = "Counterfeits in the gap between Player 2 and Player 0"
    assert all(hidden not in page for page in pages[:-1])


def test_no_argument_of_a_tool_names_code_or_a_path(tmp_path):
    trap, values = Trap(tmp_path / "server"), []

    async def work(session):
        for tool in (await session.list_tools()).tools:
            known = dict.fromkeys(tool.input_schema.get("properties", {}), 1)
            places = {}
            for where, value, given in changed({**known, "game": "x"}, trap.texts()):
                answer = text_of(await session.call_tool(tool.name, given))
                places.setdefault(where, []).append((value, answer))
            for where, answers in places.items():
                trap.check(answers, f"{tool.name}, {where}")
            values.append(tool.name)
        assert "WAREHOUSE 51" in text_of(await session.call_tool("rules", {}))

    anyio.run(partial(in_session, command=tuple(trap.command("play.py")), at=trap.folder), work, *ARGUMENTS)
    assert sorted(values) == ["act", "look", "new_game", "rules"]
