"""An MCP server (modelcontextprotocol.io): an assistant sits at a table with agents, and reads its view only."""

import sys
from collections.abc import Callable
from dataclasses import replace
from textwrap import shorten
from threading import Lock

from w51_agents.agent.seeds import process_secret, secret_seed
from w51_agents.console.terminal import printable
from w51_agents.language.answers import AnswerReader
from w51_agents.language.prompts import rules_page, turn_prompt
from w51_agents.system.errors import needs_extra
from w51_env.engine.errors import W51Error
from w51_env.engine.options import check_seed
from w51_env.views.language import ENGLISH, Words
from w51_table.play.agent_pool import AgentPool, next_question, only_make
from w51_table.play.table import PERSON, PlayerError, Setup, Table, TableError, error_text

with needs_extra("an assistant's table needs the MCP package, which comes with", "llm"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

_INSTRUCTIONS = (
    "You sit at a table of the game {game} as {name}. Call `rules` once, then `look`; then call `act` with the name of "
    "one legal action, again and again until the game is over. `act` returns after the other players have decided."
)
_MAX_NAME = 100  # of an agent that failed


class AssistantTable:
    """One game at a time in which an assistant holds a seat and agents hold the others.

    Args:
        setup: What the first table is set up with; `person` is the seat of the assistant.
        language: Of the table and the events.
        trust: Load pickled models, which can run any code.

    Attributes:
        table: The game in progress. Privileged.
        seat: The assistant's seat.

    Raises:
        OptionError: An unknown game, option or language.
        TableError: No seat of a person, or an agent that cannot be made.
    """

    def __init__(self, setup: Setup, language: str = ENGLISH, *, trust: bool = False):
        if setup.seats.count(PERSON) != 1:
            raise TableError(f"seats: {', '.join(setup.seats)}, but exactly one must be {PERSON}")
        self.seat = setup.seats.index(PERSON)
        self._words = Words(language, setup.names)
        self._pool = AgentPool(trust=trust)
        self._failures: dict[str, None] = {}  # agents that failed since the assistant's last decision
        self.table = Table(setup)
        self._reader = AnswerReader(self.table.game.actions)
        for name in dict.fromkeys(setup.seats):
            question = only_make(name, self.table.game, setup.game)
            if name != PERSON and (failure := self._pool.ask(question).result().failure):
                raise TableError(failure)
        self._play_agents()

    def rules(self) -> str:
        """The rules on one page."""
        return rules_page(self.table.game)

    def look(self) -> str:
        """What the seat may know, what happened since its last decision, and its legal actions."""
        # Without the reason, which may hold what the agent's seat alone may know.
        failures = [error_text(PlayerError("agent_failed_here", agent=name), self._words) for name in self._failures]
        notes = "".join(f"{failure}\n" for failure in failures)
        return notes + turn_prompt(*self.table.view_and_history(self.seat, self._words))

    def act(self, action: str) -> str:
        """Play an action of the seat, let the agents decide until it is to move again, and look.

        Raises:
            AnswerError: Not one legal action; nothing has changed.
            TableError: The game is over.
        """
        if self.table.over:
            raise TableError("the game is over: new_game begins another")
        legal = self.table.view(self.seat, self._words, self.table.decision).actions
        self.table.play(self._reader.read(action, legal))
        self._failures.clear()
        self._play_agents()
        return self.look()

    def new_game(self, seed: int | None = None) -> str:
        """Leave this game, begin another one, and look.

        Args:
            seed: The same number gives the same game at this table; None: the next game. The seed of the game is
                computed from it with a secret: the assistant could deal a game whose seed it knows.

        Raises:
            OptionError: A seed that is not allowed; the game goes on.
        """
        setup = self.table.setup
        place = ("after", setup.seed) if seed is None else ("given", check_seed("seed", seed))
        self.table = Table(replace(setup, seed=secret_seed(process_secret(), *place)))
        self._failures.clear()
        self._play_agents()
        return self.look()

    def close(self) -> None:
        """End the agents' processes."""
        self._pool.close()

    def _play_agents(self) -> None:
        table = self.table
        while (name := table.agent_to_move()) is not None:
            answer = self._pool.ask(next_question(table, name)).result()
            if answer.failure is not None:
                self._failures[shorten(name, _MAX_NAME)] = None
                print(f"agent {printable(name)} failed: {printable(answer.failure)}", file=sys.stderr, flush=True)
            table.play(answer.action)


def make_server(table: AssistantTable) -> MCPServer:
    """The MCP server of a table, with the tools `rules`, `look`, `act` and `new_game`; `run()` serves it."""
    name = f"seat {table.seat}"
    server = MCPServer("w51_env", instructions=_INSTRUCTIONS.format(game=table.table.game.id, name=name))

    lock = Lock()  # the server runs each call in a thread of its own

    def one_at_a_time(call: Callable[[], str]) -> str:
        try:
            with lock:
                return call()
        except W51Error as error:
            raise ToolError(str(error)) from None

    @server.tool()
    def rules() -> str:
        """The rules of the game on one page."""
        return one_at_a_time(table.rules)

    @server.tool()
    def look() -> str:
        """What you may know of the game, what happened since your last decision, and your legal actions."""
        return one_at_a_time(table.look)

    @server.tool()
    def act(action: str) -> str:
        """Play one of your legal actions, by name as `bid_5`. Returns the table when you are to move again."""
        return one_at_a_time(lambda: table.act(action))

    @server.tool()
    def new_game(seed: int | None = None) -> str:
        """Leave this game, begin another one: a number gives the same game each time, none the next."""
        return one_at_a_time(lambda: table.new_game(seed))

    return server
