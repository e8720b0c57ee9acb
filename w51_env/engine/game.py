"""The contract of a game. Everything in `engine` and `adapters` is written once, for any `Game`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from w51_env.engine.errors import IllegalActionError
from w51_env.engine.events import Event, EventType
from w51_env.engine.imports import import_object
from w51_env.engine.items import ItemTable
from w51_env.engine.layout import Layout
from w51_env.engine.limits import Limits, check_record
from w51_env.engine.options import EXEMPT_OPTIONS, check_choice, plain

Kernel = Callable[..., Any]

PUBLIC = "public"  # a viewer who has only public information
ALL = "all"  # privileged: a viewer of everything that is hidden, asked for by name
Viewer = int | str | None  # a seat, PUBLIC, or None for a privileged viewer of everything

NO_ACTION = -1  # in arrays of actions: the game is over

# The controller of a seat, by name and by index: the caller of `Batch.step`, or one of `Game.bots`.
EXTERNAL, EXTERNAL_INDEX = "external", -1
RANDOM, RANDOM_INDEX = "random", 0  # the first bot of every game, played by the core

# Fields that the records of all games have: of the state, and of the rules.
RECORD_FIELDS = ("stream", "decisions", "seat", "over", "scores", "ranks")
RULES_FIELDS = ("num_players", "reward", "ask_forced")

# The presentation of a game without one of its own. A name, so that the engine imports nothing that shows games.
GENERAL = "w51_env.views.presentation:GENERAL"

MAX_ACTIONS = 256  # of a game: an id is a byte in the lists of legal actions


@dataclass(frozen=True)
class Action:
    """One entry of the action table: a stable name for data and a readable text."""

    name: str
    text: str


class ActionTable(Sequence[Action]):
    """All actions of a game, for all seats and phases; the index is the action id."""

    def __init__(self, actions: Sequence[Action]):
        self._actions = tuple(actions)
        self._ids = {action.name: index for index, action in enumerate(self._actions)}
        if len(self._actions) > MAX_ACTIONS:
            raise ValueError(f"{len(self._actions)} actions, but a table has {MAX_ACTIONS} at most")
        if len(self._ids) != len(self._actions):
            raise ValueError("two actions of the table have the same name")

    def __len__(self) -> int:
        return len(self._actions)

    def __getitem__(self, index: Any) -> Any:
        return self._actions[index]

    def id(self, name: str) -> int:
        """The id of the action of this name; KeyError if there is none."""
        return self._ids[name]

    def illegal(self, action: int, legal: Iterable[int], who: str = "") -> IllegalActionError:
        """The error for an action that is not among the `legal` ones; `who`: " for seat 2", or nothing."""
        name = self[action].name if 0 <= action < len(self) else f"ids go from 0 to {len(self) - 1}"
        allowed = ", ".join(f"{choice} ({self[choice].name})" for choice in legal)
        return IllegalActionError(f"action {action} ({name}) is not legal{who}; legal are {allowed}")


@dataclass(frozen=True)
class SealedBids:
    """Where the record of a game stores bids that are hidden until all are made; a search imputes those of others.

    Attributes:
        field: Name of the record's field, integers (max_players,): the amount that each seat has bid.
        not_bid: Value of the field for a seat that has not bid yet.
        first_action: The action that bids 0; amount b is the action `first_action + b`.
        num_actions: Number of such actions.
    """

    field: str
    not_bid: int
    first_action: int
    num_actions: int


class BotKnowledge(NamedTuple):
    """A record of the game's own, which bots read in the place of an observation: writing it takes less time.

    Attributes:
        record: Its structured dtype.
        memory: () -> (max_players,) of these records, all zero (`compiler.compile.scratch_records`): one for each seat,
            in which bots may also keep what they thought, until the call ends in which they play.
        seen: () -> (max_players,) records of what `of_state` keeps of states, to write only what has changed since the
            last decision of the seat. Bots do not get it: there may be hidden things in it.
        of_state: (rules, game, seat, known, seen). Writes what `seat` may know, from a state.
        of_observation: (rules, observation, known). Writes the same from the observation of that seat.
    """

    record: np.dtype
    memory: Any
    seen: Any
    of_state: Kernel
    of_observation: Kernel


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of a game. All that is not a number is a record: `rules` and `game`; `legal`, whose
    `actions` uint8 takes action ids; `log` (engine.events); `observation`, with `values` int8 (layout.size,).

    Attributes:
        set_up: (rules, game, log). Sets up a game that is all zero but for its `stream`, up to the first decision.
        move: (rules, game, action, log, forced). Plays a legal action, and all that follows up to the next decision.
        legal_actions: (rules, game, legal) -> count, for the seat to move; 0 when the game is over.
        observe: (rules, game, seat, out). Writes all of `out.values`, (layout.size,) int8: the observation of `seat`.
        choose: (bot, rules, observation, legal, count, bits) -> action. The action of a bot, `bot` from 1, from the
            observation of an agent, or `knowledge`; `bits` are 64 random bits for this decision.
        resample_hidden: (rules, game, seat). Redraws everything that `seat` cannot know, from the new `stream` in
            `game`.
        heuristic_features: (rules, observation, out). Writes all of `out.values`, (heuristic_features.size,) int8:
            what the heuristic bot computes from an observation. None if the game has none.
        inconsistent_field: (rules, game) -> index in the record of a field that contradicts others, VALID if there is
            none; of a state whose numbers are in their ranges (`Game.limits`). None: nothing more is checked.
        end_game: (rules, game, log). Ends a game as if nobody had anything more to decide: writes `scores` and `ranks`.
            None if points are not counted before the end.
        pay_rewards: (rules, game, slot). Writes the reward of each seat of a finished game to `slot.rewards`. None: one
            of `engine.options.REWARDS`, as `rules.reward` says (`engine.victory`).
        knowledge: What `choose` takes as `observation`, if that is less than an observation. None: an observation.
        bots_draw: Whether `choose` uses its random bits. If not, a batch does not draw them.
    """

    set_up: Kernel
    move: Kernel
    legal_actions: Kernel
    observe: Kernel
    choose: Kernel
    resample_hidden: Kernel
    heuristic_features: Kernel | None = None
    inconsistent_field: Kernel | None = None
    end_game: Kernel | None = None
    pay_rewards: Kernel | None = None
    knowledge: BotKnowledge | None = None
    bots_draw: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A game with its rules bound: all that a batch, an adapter or a renderer needs.

    Attributes:
        name: The game's name, as in its folder.
        version: Raised when behaviour changes; the suffix of the entry module (`warehouse51_v1`).
        num_players: Seats in play; `max_players` is the size of the per-seat arrays.
        options: Every option, resolved, as plain data; `make(**options)` gives the same game. An option that is given
            as the path of a file holds what is in the file, in one form for the same content.
        rules: (1,) structured array, the options and tables that kernels read. Must have the fields `num_players`,
            `reward` (an index into engine.options.REWARDS, unless `kernels.pay_rewards` reads it), `ask_forced`.
        record: The structured dtype of a game's state. Must have the fields `stream` uint64, `decisions` uint16,
            `seat` int8 (to move), `over` int8, `scores` int16 (max_players,), `ranks` int8 (max_players,).
        actions, layout, event_types: The tables of actions, observation slices and events.
        bots: Names of the bots: `random`, played by the core, then those of `kernels.choose`.
        absent_bots: Names of the bots that the game has for other options, each with the reason.
        max_events: The most events one step can cause, and no fewer than those of two games, if history is to be kept.
        reward_range: The least and the greatest reward of one seat.
        make: (num_players, **options) -> Game; how the same game is made again from a replay.
        heuristic_features: What the heuristic bot computes, as named slices, for learners
            (`engine.bots.HeuristicFeatures`); None if the game has none.
        items: Its items as numbers, for networks that play with any items; None if the game has none.
        lots_left: The slice of the observation whose sum falls by 1 with each lot that begins; empty if there is none.
        fixed_slices: Slices that stay the same for a seat through a game, and differ between games.
        sealed_bids: Where the record stores sealed bids; None if the game has none.
        limits: The ranges of the fields of the record, in which all states must be that a batch is given; None: states
            are not checked, and wrong ones may crash the process.
        deal_probability: (game, state) -> probability of one state after the set-up, for exact solutions of small
            games; None if it is not known.
        observed_options: Names of the options whose values the observation shows.
        unobserved: Names of the options that change the play and that no observation shows: an agent is trained for one
            value of each, and its checkpoint is refused for another.
        exempt_options: Names of all other options, each with the reason why an agent need not observe it.
        presets: Names of the presets that `make` takes; the first is the default one.
        choices: Allowed values of the options that have a list of them, for forms; options that name data have their
            built-in names.
        forms: Regular expressions of the other texts that options take; the path of a file is none.
        show: How the game is shown, a `views.presentation.Presentation`, or where it is: `"module:NAME"`, which is
            imported when something is shown. The default shows the slices of the observation.
        option_files: The options that were given as the path of a file, with this path.
    """

    name: str
    version: int
    num_players: int
    max_players: int
    options: Mapping[str, Any]
    rules: np.ndarray
    record: np.dtype
    actions: ActionTable
    layout: Layout
    event_types: tuple[EventType, ...]
    bots: tuple[str, ...]
    kernels: Kernels
    max_events: int
    reward_range: tuple[float, float]
    make: Callable[..., "Game"]
    heuristic_features: Layout | None = None
    items: ItemTable | None = None
    lots_left: str = ""
    fixed_slices: tuple[str, ...] = ()
    sealed_bids: SealedBids | None = None
    limits: Limits | None = None
    deal_probability: Callable[["Game", Any], float] | None = None
    observed_options: tuple[str, ...] = ()
    unobserved: tuple[str, ...] = ()
    exempt_options: Mapping[str, str] = field(default_factory=lambda: EXEMPT_OPTIONS)
    presets: tuple[str, ...] = ()
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    show: Any = GENERAL
    absent_bots: Mapping[str, str] = field(default_factory=dict)
    option_files: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the records, and that each option is observed, unobserved or exempt, so that none is forgotten."""
        check_record(f"{self.name}: the record of the state", self.record, RECORD_FIELDS)
        check_record(f"{self.name}: the record of the rules", self.rules.dtype, RULES_FIELDS)
        for name in self.options:
            sets = ("observed_options", "unobserved", "exempt_options")
            owners = [name_of_set for name_of_set in sets if name in getattr(self, name_of_set)]
            if len(owners) != 1:
                raise ValueError(
                    f"{self.name}: option {name!r} is in {' and '.join(owners) or 'none'} of {', '.join(sets)}, but "
                    "must be in exactly one: a new option in unobserved (docs/architecture.md, To add an option)"
                )

    @property
    def id(self) -> str:
        """Name and version, as `warehouse51_v1`."""
        return f"{self.name}_v{self.version}"

    @property
    def decides(self) -> str:
        """What results are compared by, as the option `reward` pays: "win", "rank" or "payoff", the final scores."""
        reward = self.options.get("reward", "win")
        return reward if reward in ("win", "rank") else "payoff"

    def why_absent(self, bot: Any) -> str:
        """Why the game has no bot of this name, as the end of a message; empty if no options give it one."""
        is_absent = isinstance(bot, str) and bot in self.absent_bots
        return f"; with these options there is none: {self.absent_bots[bot]}" if is_absent else ""

    def kept_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options that were given for the game as plain data, with what it keeps of a file in place of its path."""
        kept = {name: plain(value) for name, value in options.items()}
        return {**kept, **{name: self.options[name] for name in self.option_files if name in kept}}

    @property
    def presentation(self) -> Any:
        """The `views.presentation.Presentation` of the game."""
        return _import(self.show) if isinstance(self.show, str) else self.show

    def event_text(self, event: Event, words: Any = None) -> str:
        """An event as a sentence; `words`: language and names of the seats, None: English and `Player 0`."""
        text: str = self.presentation.event_text(self, event, words)
        return text

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Game({self.id!r}{options})"

    def __deepcopy__(self, memo: dict) -> "Game":
        return self

    def __reduce__(self) -> tuple:
        return partial(self.make, **self.options), ()


def check_viewer(game: Game, viewer: Any) -> int | str:
    """The viewer as plain data.

    OptionError unless it is a seat, `PUBLIC` or `ALL`: None, which is everything elsewhere, is not allowed.
    """
    checked: int | str = check_choice("viewer", viewer, (PUBLIC, ALL, *range(game.num_players)))
    return checked


_import = cache(import_object)  # a view asks for its presentation each time
