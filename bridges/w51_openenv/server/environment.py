"""One session of the server, on `ModelGame`."""

from collections.abc import Sequence
from typing import Any

from openenv.core.env_server import Environment, State

from w51_agents.language.model_game import MODEL, ModelGame, Question, check_players
from w51_env.engine.errors import GameOverError
from w51_env.engine.registry import game_from_outside
from w51_env.views.language import ENGLISH
from w51_openenv.models import Answer, Ask

PLAYERS = (MODEL, "heuristic", "heuristic", "heuristic")


class GameEnvironment(Environment[Answer, Ask, State]):
    """One session of the server: a game at a time."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game: ModelGame | None = None
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "warehouse51_v1",
        players: Sequence[str] = PLAYERS,
        mistakes: int = 2,
        conversation: bool = False,
        language: str = ENGLISH,
        **options: Any,
    ) -> Ask:
        """Begin a game; the arguments are those of `ModelGame`, but none names code or a file of this machine."""
        check_players(players)
        made = game_from_outside(game, {**options, "num_players": len(players)})
        begun = ModelGame(made, players, mistakes=mistakes, conversation=conversation, language=language)
        self.close()
        self._game = begun
        self._state = State(episode_id=episode_id)
        return self._observed(self._game.reset(seed), None)

    def step(self, action: Answer, timeout_s: float | None = None, **kwargs: Any) -> Ask:
        """Play an answer, or refuse it."""
        if self._game is None or self._game.question is None:
            raise GameOverError("step: the game is over, or has not begun: reset begins one")
        seat = self._game.question.seat
        self._state.step_count += 1
        return self._observed(self._game.answer(action.text), seat)

    @property
    def state(self) -> State:
        """The number of answers of this game; nothing that a seat may not know."""
        return self._state

    def close(self) -> None:
        """Release the game."""
        if self._game is not None:
            self._game.close()
            self._game = None

    def _observed(self, question: Question | None, answered: int | None) -> Ask:
        game = self._game
        assert game is not None
        facts: dict[str, Any] = {"system": game.system, "refused": game.refused}
        if question is not None:
            asked = {"seat": question.seat, "prompt": question.prompt, "legal": list(question.legal)}
            return Ask(**facts, **asked, again=question.again, reward=0.0)
        forfeited_by = -1 if game.forfeited_by is None else game.forfeited_by
        reward = 0.0 if answered is None else game.rewards[answered]
        return Ask(**facts, rewards=game.rewards, forfeited_by=forfeited_by, reward=reward, done=True)
