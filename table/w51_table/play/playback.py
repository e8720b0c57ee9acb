"""A playback: a game to step through, forward and back, with what agents have reported of its decisions."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from w51_agents.named.explanation import Explanation
from w51_env.engine.events import Event
from w51_env.engine.game import Game, check_viewer
from w51_env.engine.registry import current_id
from w51_env.views.language import Words
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import AgentPool
from w51_table.play.table import PERSON, Setup, Table, printable


class Playback:
    """The frames of a game as far as it has been played, of a replay or of a table. Whoever asks agents fills
    `explanations`, and `add`s what is played: `Performance`, or the session of a web table.

    Args:
        game_id: Id of the game, for `make_game`.
        frames: The decisions so far, and the last state.
        names: A name for each seat; empty: they have none.
        agents: Name of the agent in each seat; None: a person, or not known.
        seed: Seed of the agents' draws.
        goes_on: Frames may be added until the game is over.

    Attributes:
        default_agent: Name of the agent that is asked about decisions of seats without an agent; None: nobody.
        lots: (index, event) for each lot: the frame where it begins, and with what.
        explanations: What agents reported, by index of the frame and name of the agent.
        failure: What went wrong last while agents played; None if nothing did.
    """

    def __init__(
        self,
        game_id: str,
        frames: Iterable[Frame],
        names: Sequence[str],
        agents: Sequence[str | None],
        seed: int,
        *,
        goes_on: bool,
    ):
        self.game_id = game_id
        self.frames: list[Frame] = []
        self.names = tuple(map(printable, names))
        self.agents = tuple(agents)
        self.seed = seed
        self.default_agent: str | None = None
        self.lots: list[tuple[int, Event]] = []
        self.explanations: dict[tuple[int, str], Explanation] = {}
        self.failure: Exception | None = None
        self._goes_on = goes_on
        for frame in frames:
            self._append(frame)

    @classmethod
    def of_replay(cls, replay: Replay, default_agent: str | None = None) -> "Playback":
        """The playback of a replay that `Replay.load` or `verify` accepted."""
        game_id, no_agents = current_id(replay.game_id), [None] * len(replay.controllers)
        playback = cls(game_id, frames_of(replay), replay.names, no_agents, replay.seed, goes_on=False)
        playback.default_agent = default_agent
        return playback

    @classmethod
    def of_table(cls, table: Table) -> "Playback":
        """The playback of a table's game, as far as it has been played."""
        setup = table.setup
        agents = [None if holder == PERSON else holder for holder in setup.seats]
        replayed = Table(setup)
        playback = cls(setup.game, [replayed.frame()], setup.names, agents, setup.seed, goes_on=True)
        for action in table.actions:
            replayed.play(action)
            playback.add(action, replayed.frame())
        return playback

    @property
    def game(self) -> Game:
        """The game with its rules bound."""
        return self.frames[0].game

    @property
    def complete(self) -> bool:
        """Whether no frame can be added."""
        return not self._goes_on or self.frames[-1].seat < 0

    def lot_sentences(self, words: Words) -> list[tuple[int, str]]:
        """(index, sentence) for each lot: the frame where it begins, and with what."""
        return [
            (index, f"{number}. {self.game.event_text(event, words)}")
            for number, (index, event) in enumerate(self.lots, 1)
        ]

    def agent_at(self, index: int) -> str | None:
        """Name of the agent that decides a frame, else of the default_agent; None if nobody is asked."""
        seat = self.frames[index].seat
        return None if seat < 0 else self.agents[seat] or self.default_agent

    def actions_before(self, index: int) -> list[int]:
        """Action ids of the decisions before a frame."""
        return [frame.action for frame in self.frames[:index] if frame.action is not None]

    def add(self, action: int, frame: Frame) -> None:
        """Add the action that was chosen in the last frame, and the frame after it."""
        self.frames[-1] = replace(self.frames[-1], action=action)
        self._append(frame)

    def _append(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.lots += [(frame.number, event) for event in frame.lots]


class Performance:
    """A playback with a pool whose agents explain its decisions, and play on where it goes on.

    Args:
        playback: The playback.
        pool: Where its agents decide.
        table: The table of a playback that goes on, as far as it has been played.
    """

    def __init__(self, playback: Playback, pool: AgentPool, table: Table | None = None):
        self.playback = playback
        self._pool, self._table = pool, table

    def explanation(self, index: int) -> Explanation | None:
        """What the agent of a frame reports of its decision, asked the first time; None where there is no agent.

        Raises:
            AgentError: The agent is unknown, cannot play this game, or failed.
        """
        playback, agent = self.playback, self.playback.agent_at(index)
        if agent is None:
            return None
        if (index, agent) not in playback.explanations:
            game = playback.game_id, playback.seed, playback.actions_before(index)
            playback.explanations[index, agent] = self._pool.explain(playback.frames[index], agent, *game)
        return playback.explanations[index, agent]

    def advance(self) -> None:
        """Add a frame, if the playback is not complete: the agent to move plays what it reports."""
        if self._table is None or self.playback.complete:
            return
        explanation = self.explanation(len(self.playback.frames) - 1)
        if explanation is not None:
            self._table.play(explanation.action)
            self.playback.add(explanation.action, self._table.frame())


def played(setup: Setup) -> Playback:
    """A game that agents play to its end; AgentError if one of them fails."""
    table = Table(setup)
    with closing(AgentPool()) as pool:
        performance = Performance(Playback.of_table(table), pool, table)
        while not performance.playback.complete:
            performance.advance()
    return performance.playback


def parse_viewer(text: str, game: Game) -> int | str:
    """A viewer from its text: `public`, `all`, or a seat; OptionError if there is no such viewer."""
    return check_viewer(game, int(text) if text.isdecimal() and len(text) < 3 else text)
