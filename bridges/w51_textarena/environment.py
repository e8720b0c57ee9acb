"""TextArena: the games as environments that its `make` and its loop take.

```python
import textarena as ta
import w51_textarena

w51_textarena.register()
env = ta.make("Warehouse51-v1")
env.reset(num_players=4, seed=1)
done = False
while not done:
    player_id, observation = env.get_observation()
    done, step_info = env.step(action="[pass]")
rewards, game_info = env.close()
```
"""

from typing import Any

import textarena
from textarena.envs.registration import ENV_REGISTRY

from w51_agents.language.answers import AnswerError
from w51_agents.language.env import TextEnv
from w51_env.engine.errors import OptionError
from w51_env.engine.registry import registered_games
from w51_env.views.language import ENGLISH


class TextArenaEnv(textarena.Env):
    """One game in TextArena's protocol; each player is a seat and reads a prompt made from what this seat may know.

    A player may err `error_allowance` times in a row and reads why. The next error ends the game: the reward is -1 for
    this player, and 1 divided equally among the others.

    Args:
        game: Id of a registered game, as `warehouse51_v1`.
        language: Of the table and the events.
        error_allowance: Number of answers in a row that may fail.
        **options: Options of the game but for `num_players`.
    """

    def __init__(self, game: str, language: str = ENGLISH, error_allowance: int = 2, **options: Any):
        self._game = game
        self._language = language
        self._allowance = error_allowance
        self._options = options
        self._text: TextEnv | None = None

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game; OptionError for a number of players that the game does not have."""
        self._text = TextEnv(self._game, language=self._language, num_players=num_players, **self._options)
        self.state = textarena.FFAMultiPlayerState(num_players, seed=seed, error_allowance=self._allowance)
        self._text.reset(seed)
        self.state.reset(game_state={"game": self._game}, player_prompt_function=self._rules)
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the action in an answer; `(done, info)`."""
        text, state = self._begun(), self.state
        player = state.current_player_id
        kind = textarena.ObservationType.PLAYER_ACTION
        state.add_observation(from_id=player, to_id=player, message=action, observation_type=kind)
        try:
            text.step(action)
        except AnswerError as error:
            if state.set_invalid_move(reason=str(error)):
                share = 1.0 / (state.num_players - 1)
                rewards = {seat: -1.0 if seat == player else share for seat in range(state.num_players)}
                state.set_game_outcome(rewards, reason=f"Player {player} did not name a legal action: {error}")
            return state.step(rotate_player=False)
        if text.over:
            self._finish(text)
        done, info = state.step(rotate_player=False)
        if not done:
            self._ask()
        return done, info

    def _begun(self) -> TextEnv:
        if self._text is None:
            raise OptionError("step: call reset first")
        return self._text

    def _rules(self, player_id: int, game_state: dict[str, Any]) -> str:
        return f"You are Player {player_id}.\n\n{self._begun().rules}"

    def _ask(self) -> None:
        """Give the seat to move its prompt."""
        text = self._begun()
        seat = text.seat
        self.state.manually_set_current_player_id(seat, force=True)
        kind = textarena.ObservationType.GAME_BOARD
        self.state.add_observation(to_id=seat, message=text.prompt(seat), observation_type=kind)

    def _finish(self, text: TextEnv) -> None:
        rewards = dict(enumerate(text.rewards))
        winners = [f"Player {seat}" for seat, player in enumerate(text.view(0).players) if player["score"]["rank"] == 1]
        kind = textarena.ObservationType.GAME_BOARD
        for seat in range(text.game.num_players):
            self.state.add_observation(to_id=seat, message=text.prompt(seat), observation_type=kind)
        self.state.set_game_outcome(rewards, reason=f"{' and '.join(winners)} won by the rules")


def register() -> None:
    """Register every game of this package with TextArena, as `Warehouse51-v1`; a second call does nothing."""
    for game in registered_games():
        stem, _, version = game.rpartition("_v")
        name = f"{''.join(part.capitalize() for part in stem.split('_'))}-v{version}"
        if name not in ENV_REGISTRY:
            textarena.register(id=name, entry_point=TextArenaEnv, game=game)
