"""`make`: the modules of this folder as one `Game`."""

from dataclasses import asdict
from typing import Any

from w51_env.alles_futsch.actions import action_table
from w51_env.alles_futsch.auction import meaning_of_decision
from w51_env.alles_futsch.bots import BOTS, choose
from w51_env.alles_futsch.ending import end_game
from w51_env.alles_futsch.event_types import EVENT_TYPES, MAX_EVENTS
from w51_env.alles_futsch.heuristic_features import HEURISTIC_FEATURES, heuristic_features
from w51_env.alles_futsch.hidden import resample_hidden
from w51_env.alles_futsch.legal import legal_actions
from w51_env.alles_futsch.observe import LAYOUT, OBSERVED_OPTIONS, observe
from w51_env.alles_futsch.play import move
from w51_env.alles_futsch.rules import CHOICES, PRESETS, UNOBSERVED_OPTIONS, AllesFutschOptions, pack
from w51_env.alles_futsch.set_up import set_up
from w51_env.alles_futsch.state import GAME, MAX_MONEY, MAX_PLAYERS
from w51_env.alles_futsch.validity import inconsistent_field, ranges
from w51_env.engine.game import Game, Kernels
from w51_env.engine.limits import Limits
from w51_env.engine.options import check_flag, make_options, reward_range
from w51_env.engine.table_statistics import with_table_statistics

NAME = "alles_futsch"
VERSION = 1

KERNELS = Kernels(
    set_up,
    move,
    legal_actions,
    observe,
    choose,
    resample_hidden,
    inconsistent_field=inconsistent_field,
    end_game=end_game,
    heuristic_features=heuristic_features,
    bots_draw=False,
)


def make(
    num_players: int | None = None, preset: str = "default", *, table_statistics: bool = False, **options: Any
) -> Game:
    """Alles Futsch! with its options resolved.

    Args:
        num_players: 2 to 5; None: the number of the preset (4 unless the preset sets it).
        preset: `default`, `short` or `mini`.
        table_statistics: Observe how each seat has bid so far, in a slice of this name (`engine.table_statistics`).
        **options: Any attribute of `rules.AllesFutschOptions`.

    Raises:
        OptionError: An unknown preset or option, or a value that is not allowed.
    """
    chosen = make_options(AllesFutschOptions, PRESETS, preset, options, num_players)
    rules = pack(chosen)
    game = Game(
        name=NAME,
        version=VERSION,
        num_players=chosen.num_players,
        max_players=MAX_PLAYERS,
        options=asdict(chosen),
        rules=rules,
        record=GAME,
        limits=Limits(GAME, ranges(rules[0])),
        actions=action_table(),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=BOTS,
        kernels=KERNELS,
        max_events=MAX_EVENTS,
        reward_range=reward_range(chosen.reward, chosen.num_players, MAX_MONEY),
        make=make,
        lots_left="deck_left",
        heuristic_features=HEURISTIC_FEATURES,
        fixed_slices=("lacks",),
        observed_options=OBSERVED_OPTIONS,
        unobserved=UNOBSERVED_OPTIONS,
        presets=tuple(PRESETS),
        choices=CHOICES,
        show="w51_env.alles_futsch.show:PRESENTATION",
    )
    counts = check_flag("table_statistics", table_statistics)
    return with_table_statistics(game, meaning_of_decision, "thousands") if counts else game
