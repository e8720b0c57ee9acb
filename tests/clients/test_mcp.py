"""The assistant's table, through a real process and the MCP package's own client."""

import re
import sys
from pathlib import Path

import pytest

from tests.clients.record import client

anyio = pytest.importorskip("anyio")
ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = ("assistant", "heuristic", "random", "--preset", "mini", "--seat", "1", "--seed", "3", "--language", "en")
ACTION = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)

pytestmark = [client("mcp", "stdio_client: a whole game at the assistant's table"), pytest.mark.slow]


async def in_session(work, *arguments: str):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=sys.executable, args=[str(ROOT / "play.py"), *arguments], cwd=str(ROOT))
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
