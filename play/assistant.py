"""An MCP server (modelcontextprotocol.io): an assistant sits at a table with agents, and reads its view only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from w51_env.agents.agent import needs_extra
from w51_env.core.language import ENGLISH, Words
from w51_env.core.options import check_choice
from w51_env.play.agent_pool import AgentPool, Question
from w51_env.play.table import PERSON, Setup, Table, TableError
from w51_env.text.answers import AnswerError, AnswerReader
from w51_env.text.prompts import turn_prompt
from w51_env.text.rules import rules_page

with needs_extra("an assistant's table needs the MCP package, which comes with", "llm"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

_INSTRUCTIONS = (
    "You sit at a table of the game {game} as {name}. Call `rules` once, then `look`; then call `act` with the name of "
    "one legal action, again and again until the game is over. `act` returns after the other players have decided."
)


class AssistantTable:
    """One game at a time in which an assistant holds a seat and agents hold the others.

    Args:
        game: Id of a registered game.
        agents: Name of the agent in each other seat, from seat 0 on, as in evaluate.py.
        seat: The assistant's seat.
        seed: Seed of the first game; later games have the next seeds.
        language: Of the table and the events.
        **options: Options of the game but for `num_players`.

    Raises:
        OptionError: An unknown game, option, seat or language.
        AgentError: An unknown agent.
    """

    def __init__(
        self,
        game: str,
        agents: Sequence[str],
        seat: int = 0,
        seed: int = 0,
        language: str = ENGLISH,
        options: Mapping[str, Any] | None = None,
    ):
        check_choice("seat", seat, range(len(agents) + 1))
        self._holders = (*agents[:seat], PERSON, *agents[seat:])
        self._game = game
        self._options = {**(options or {}), "num_players": len(self._holders)}
        self._words = Words(language)
        self._pool = AgentPool()
        self.seat = seat
        self._seed = seed
        self._begin(seed)
        for name in agents:
            self._make(name)

    def rules(self) -> str:
        """The rules on one page."""
        return rules_page(self.table.game)

    def look(self) -> str:
        """What the seat may know, what happened since its last decision, and its legal actions."""
        table, seat = self.table, self.seat
        view = table.view(seat, self._words, table.last_decision(seat))
        every = table.view(seat, self._words, 0).news
        return turn_prompt(view, [event["text"] for event in every[: len(every) - len(view.news)]])

    def act(self, action: str) -> str:
        """Play an action of the seat, let the agents decide until it is to move again, and look.

        Raises:
            AnswerError: Not one legal action; nothing has changed.
            TableError: The game is over.
        """
        if self.table.over:
            raise TableError("the game is over: new_game begins another")
        legal = self.table.view(self.seat, self._words, self.table.decision).actions
        self.table.play(AnswerReader(self.table.game.actions).read(action, legal))
        self._play_agents()
        return self.look()

    def new_game(self, seed: int | None = None) -> str:
        """Leave this game, begin another, and look; None: the next seed."""
        self._begin(self._seed + 1 if seed is None else seed)
        self._play_agents()
        return self.look()

    def close(self) -> None:
        """End the agents' processes."""
        self._pool.close()

    def _begin(self, seed: int) -> None:
        names = [f"{name} ({seat})" for seat, name in enumerate(self._holders)]
        self.table = Table(Setup(self._game, self._options, seed, self._holders, tuple(names)))
        self._seed = seed

    def _make(self, name: str) -> None:
        size, actions = self.table.game.layout.size, len(self.table.game.actions)
        nothing = np.zeros((0, size), np.int8), np.zeros((0, actions), np.int8)
        answer = self._pool.ask(Question(self._game, self.table.game.options, name, 0, *nothing)).result()
        if answer.failure:
            raise TableError(answer.failure)

    def _play_agents(self) -> None:
        while (name := self.table.agent_to_move()) is not None:
            arguments = self.table.observation[None], self.table.action_mask[None], self.table.determinizer()
            question = Question(self._game, self.table.game.options, name, self.table.agent_seed(), *arguments)
            self.table.play(int(self._pool.ask(question).result().actions[0]))


def make_server(table: AssistantTable) -> MCPServer:
    """The MCP server of a table, with the tools `rules`, `look`, `act` and `new_game`; `run()` serves it."""
    name = f"seat {table.seat}"
    server = MCPServer("w51_env", instructions=_INSTRUCTIONS.format(game=table.table.game.id, name=name))

    @server.tool()
    def rules() -> str:
        """The rules of the game on one page."""
        return table.rules()

    @server.tool()
    def look() -> str:
        """What you may know of the game, what happened since your last decision, and your legal actions."""
        return table.look()

    @server.tool()
    def act(action: str) -> str:
        """Play one of your legal actions, by name as `bid_5`. Returns the table when you are to move again."""
        try:
            return table.act(action)
        except (AnswerError, TableError) as error:
            raise ToolError(str(error)) from None

    @server.tool()
    def new_game(seed: int | None = None) -> str:
        """Give up this game and begin another one, with a seed of your choice or the next one."""
        return table.new_game(seed)

    return server
