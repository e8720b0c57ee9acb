"""OpenSpiel: all games as `pyspiel` games of sequential moves, with perfect-recall information states.

Importing this module registers the games under their ids: `pyspiel.load_game("warehouse51_v1(preset=nano)")`.
All chance is in the deal. Where the deals can be listed (`engine.deals`), one chance node has an outcome for each, with
its probability. Elsewhere four chance nodes draw one byte each of the seed from which the engine deals; the seed is
that of `Batch.reset(seed=...)`. OpenSpiel's own mode of sampled chance cannot save the state of a Python game.

OpenSpiel saves and loads states of Python games with pickle: load only what you saved yourself.
"""

import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ImportError("OpenSpiel is not installed; it comes with: pip install 'w51_env[games]'") from error

from w51_env.adapters.openspiel_compact import COMPACT, PRESETS, compact_tables
from w51_env.adapters.openspiel_information import make_observer
from w51_env.adapters.openspiel_state import SEED_BYTES, AuctionState
from w51_env.adapters.simulator import Position, Simulator
from w51_env.engine.deals import deals
from w51_env.engine.errors import OptionError
from w51_env.engine.game import ActionTable, Game
from w51_env.engine.options import REWARDS, check_choice, check_flag, check_range, plain
from w51_env.engine.registry import make_game, registered_games

CHANCE_MODES = ("auto", "explicit", "seed")
HISTORY, ALL = 64, -1  # rows of the history in the information state tensor: by default, and for perfect recall
_MAX_PLAYERS = 10
_OWN_PARAMETERS = ("preset", "num_players")  # options that are parameters by themselves
_INTEGER = re.compile(r"-?\d+")
_SEED_OUTCOMES = [(byte, 1 / 256) for byte in range(256)]


def make(
    game_id: str, *, chance: str = "auto", history: int = HISTORY, compact: bool | None = None, **options: Any
) -> "AuctionGame":
    """A registered game as a `pyspiel.Game`.

    Args:
        game_id: A registered id, as `warehouse51_v1`.
        chance: `explicit`: one chance node with all deals; `seed`: chance nodes that draw a seed; `auto`: explicit
            where the deals can be listed.
        history: Rows of the history in the information state tensor: the last events and own actions; ALL (-1): as
            many as the longest game has, so that the tensor has perfect recall, as the string always has.
        compact: Leave out actions and numbers of the observation that the game never uses (`openspiel_compact`), and
            rows of the history beyond the longest game. None: for the presets `nano` and `mini`.
        **options: Options of the game, such as `num_players` and `preset`.

    Raises:
        OptionError: An unknown game or option, or a value that is not allowed.
    """
    make_game(game_id, **options)  # its errors name what the caller passed
    params: dict[str, Any] = {name: plain(options.pop(name)) for name in _OWN_PARAMETERS if name in options}
    if options:
        params["options"] = _parameter(options)
    if chance != "auto":
        params["chance"] = plain(chance)
    if history != HISTORY:
        params["history"] = plain(history)
    if compact is not None:
        params["compact"] = "yes" if check_flag("compact", compact) else "no"
    return pyspiel.load_game(game_id, params)


def register(game_id: str) -> None:
    """Register a game of `engine.registry` with OpenSpiel under the same id."""
    # A class and not a function: OpenSpiel drops it after the interpreter has ended, when a function crashes.
    game_type = _game_type(game_id, make_game(game_id))
    pyspiel.register_game(game_type, type(game_id, (AuctionGame,), {"game_id": game_id}))


def _is_zero_sum(game: Game) -> bool:
    """Whether rewards sum to 0: those that the engine pays do."""
    return game.kernels.pay_rewards is None or game.options["reward"] in REWARDS


def _game_type(game_id: str, game: Game) -> pyspiel.GameType:
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=game_id,
        long_name=f"w51_env {game_id}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if _is_zero_sum(game) else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=_MAX_PLAYERS,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "preset": "default",
            "num_players": 0,
            "options": "",
            "chance": "auto",
            "history": HISTORY,
            "compact": "auto",
        },
    )


class _OfThread(threading.local):
    def __init__(self, game: Game):
        self.simulator = Simulator(game)


class AuctionGame(pyspiel.Game):
    """A game of `engine.registry` as a `pyspiel.Game`; made by `make` or `pyspiel.load_game`.

    Args:
        params: `preset`; `num_players` (0: that of the preset); `options`, as `name:value;name:value`; `chance`;
            `history`, as in `make`; `compact`: `yes`, `no`, or `auto`.

    Attributes:
        game_id: Its id, in the subclass that `register` makes.
        game: The game with its rules bound.
        simulator: Plays its positions, with memory of the thread that asks.
        roots: The deals, where chance is explicit; else empty.
        number_of: The number of each of these deals by its record.
        compact: Which actions and numbers of the observation it uses; None: all.
    """

    game_id: str

    def __init__(self, params: dict[str, Any] | None = None):
        params = params or {}
        chance, history = params.get("chance", "auto"), params.get("history", HISTORY)
        chance = check_choice("chance", chance, CHANCE_MODES)
        self.game = make_game(self.game_id, **_options(params))
        if self.game.option_files:  # OpenSpiel makes the game again from its parameters: they keep what was in files
            options = self.game.kept_options(_options(params))
            others = {name: value for name, value in options.items() if name not in _OWN_PARAMETERS}
            params = {**params, "options": _parameter(others)}
        history = check_range("history", history, ALL, 2**20)
        compact = check_choice("compact", params.get("compact", "auto"), COMPACT)
        is_compact = compact == "yes" or (compact == "auto" and params.get("preset") in PRESETS)
        self.compact = compact_tables(self.game) if is_compact else None
        self._of_thread = _OfThread(self.game)
        self.roots, probabilities = _roots(self.simulator, chance)
        self.number_of = {root.record: number for number, root in enumerate(self.roots)}
        self._history = self.game.max_events if history == ALL else history
        if self.compact is not None:
            self._history = min(self._history, self.compact.rows)
        self.deals = list(enumerate(probabilities)) or _SEED_OUTCOMES
        low, high = self.game.reward_range
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.actions),
            max_chance_outcomes=len(self.deals),
            num_players=self.game.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if _is_zero_sum(self.game) else None,
            max_game_length=self.game.max_events,
        )
        game_type = _game_type(self.game_id, self.game)
        named = {name: value for name, value in params.items() if value != game_type.parameter_specification[name]}
        super().__init__(game_type, info, named)

    def __reduce__(self) -> tuple:
        return pyspiel.load_game, (str(self),)

    @property
    def simulator(self) -> Simulator:
        return self._of_thread.simulator

    def new_initial_state(self, *_: Any) -> "AuctionState":
        return AuctionState(self)

    def max_chance_nodes_in_history(self) -> int:
        return 1 if self.roots else SEED_BYTES

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        return make_observer(self.game, self.compact, self._history, iig_obs_type, params)

    @property
    def actions(self) -> ActionTable:
        """The actions by the ids of this game: those of `game`, or of its compact table."""
        return self.game.actions if self.compact is None else self.compact.table

    def action_of(self, action: int) -> int:
        """The id in `game` of an action of this game."""
        return action if self.compact is None else self.compact.actions[action]

    def own_ids(self, actions: Iterable[int]) -> list[int]:
        """The ids in this game of actions of `game`, in order."""
        if self.compact is None:
            return list(actions)
        return [self.compact.id_of(self.game, action) for action in actions]


def _roots(simulator: Simulator, chance: str) -> tuple[tuple[Position, ...], tuple[float, ...]]:
    """All first positions and their probabilities; both empty if chance draws seeds."""
    if chance == "seed":
        return (), ()
    try:
        states, probabilities = deals(simulator.game)
    except OptionError:
        if chance == "explicit":
            raise
        return (), ()
    return tuple(map(simulator.position, states)), tuple(probabilities.tolist())


# ---- options as parameters of OpenSpiel, which are numbers, flags and one line of text


def _options(params: dict[str, Any]) -> dict[str, Any]:
    """The options of the game in OpenSpiel's parameters."""
    options = {name: params[name] for name in _OWN_PARAMETERS if params.get(name) not in (None, 0, "default")}
    for part in filter(None, params.get("options", "").split(";")):
        name, separator, value = part.partition(":")
        if not separator:
            raise OptionError(f"options: {part!r}, but name:value;name:value is needed")
        options[name] = _decoded(value)
    return options


def _parameter(options: Mapping[str, Any]) -> str:
    values = {name: plain(value) for name, value in options.items()}
    texts = (quote(value, safe="") if isinstance(value, str) else str(value).lower() for value in values.values())
    return ";".join(f"{name}:{text}" for name, text in zip(values, texts, strict=True))


def _decoded(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    return words[text] if text in words else int(text) if _INTEGER.fullmatch(text) else unquote(text)


for _game_id in registered_games():
    register(_game_id)
