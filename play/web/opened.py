"""A game that everybody may see whole: a finished one, or one that agents play. It is shown step by step."""

from collections.abc import Iterable, Sequence

import numpy as np

from w51_env.agents.insight import Insight
from w51_env.core.events import Event
from w51_env.core.frames import Frame, frames_of
from w51_env.core.game import Game
from w51_env.core.replay import Replay
from w51_env.play.agent_pool import Question, hint_agent, is_quick
from w51_env.play.table import PERSON, Table


class OpenReplay:
    """The frames of a game as far as it has been played, with what agents report of its decisions.

    Args:
        game_id: Id of the game.
        frames: Its decisions so far, and its last state.
        names: Name of each seat's holder.
        agents: Name of the agent in each seat; None: a person, or not known.
        seed: Seed of the agents' draws.
        adviser: Name of the agent that the page shows first, or `none`; None: the one that decides, else that of hints.

    Attributes:
        lots: (step, event) for each lot: where it begins, and with what.
        insights: What an agent reported, by step and name of the agent.
        failure: What went wrong last; None if nothing did.
    """

    def __init__(
        self,
        game_id: str,
        frames: Iterable[Frame],
        names: Sequence[str],
        agents: Sequence[str | None],
        seed: int,
        adviser: str | None = None,
    ):
        self.game_id = game_id
        self.frames: list[Frame] = []
        self.names = tuple(names)
        self.agents = tuple(agents)
        self.adviser = adviser
        self.lots: list[tuple[int, Event]] = []
        self.insights: dict[tuple[int, str], Insight] = {}
        self.failure: Exception | None = None
        self._seed = seed
        for frame in frames:
            self._add(frame)

    @classmethod
    def of(cls, replay: Replay, adviser: str | None = None) -> "OpenReplay":
        """Play a replay through; ReplayError if it does not lead to its recorded result."""
        replay.verify()
        nobody = [None] * len(replay.controllers)
        return cls(replay.game_id, frames_of(replay), replay.players, nobody, replay.seed, adviser)

    @classmethod
    def of_table(cls, table: Table) -> "OpenReplay":
        """The game of a table, as far as it has been played."""
        setup = table.setup
        agents = [None if holder == PERSON else holder for holder in setup.seats]
        return cls(setup.game, frames_of(table.replay()), setup.names, agents, setup.seed)

    @property
    def game(self) -> Game:
        """The game with its rules bound."""
        return self.frames[0].game

    @property
    def complete(self) -> bool:
        """Whether no step can be added."""
        return self.frames[-1].seat < 0

    def add(self, action: int, frame: Frame) -> None:
        """Add the action that was chosen in the last frame, and the frame after it."""
        self.frames[-1] = self.frames[-1].chosen(action)
        self._add(frame)

    def agent_at(self, step: int) -> str:
        """Name of the agent that decided at a step, else that of the hint agent."""
        return self.agents[self.frames[step].seat] or hint_agent(self.game)

    def question(self, steps: list[int], agent: str, *, insight: bool = False) -> Question:
        """The decisions at these steps, for an agent; insight is of one decision, as are searches."""
        frames = [self.frames[step] for step in steps]
        size, actions = self.game.layout.size, len(self.game.actions)
        info = None
        if not is_quick(agent):
            (frame,) = frames
            info = {"determinizer": frame.determinizer(), "view": frame.view(frame.seat), "earlier": ()}
        seed = int(np.random.SeedSequence([self._seed, steps[0] if steps else 0]).generate_state(1)[0])
        return Question(
            self.game_id,
            self.game.options,
            agent,
            seed,
            np.array([frame.observation for frame in frames], np.int8).reshape(-1, size),
            np.array([frame.mask for frame in frames], np.int8).reshape(-1, actions),
            info,
            insight,
        )

    def _add(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.lots += [(frame.number, event) for event in frame.lots]
