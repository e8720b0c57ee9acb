"""Warehouse 51 as a `Game`: the modules of this folder put together."""

from dataclasses import asdict
from typing import Any

from w51_env.engine.game import Game, Kernels, SealedBids
from w51_env.engine.limits import Limits
from w51_env.engine.options import check_flag, make_options, plain, reward_range
from w51_env.engine.table_statistics import with_table_statistics
from w51_env.warehouse51.actions import BID, DECLINE, action_table
from w51_env.warehouse51.auction import meaning_of_decision
from w51_env.warehouse51.bots import BOTS, HEURISTIC_FEATURES, KNOWLEDGE, choose, heuristic_features
from w51_env.warehouse51.deals import deal_probability
from w51_env.warehouse51.ending import end_game
from w51_env.warehouse51.event_types import MAX_EVENTS, event_types_for
from w51_env.warehouse51.generated_relics import GENERATED
from w51_env.warehouse51.hidden import resample_hidden
from w51_env.warehouse51.items import item_table
from w51_env.warehouse51.legal import legal_actions
from w51_env.warehouse51.observe import OBSERVED_OPTIONS, layout_for, num_phases, observe
from w51_env.warehouse51.play import move, set_up
from w51_env.warehouse51.relics import is_relic_file, load_relic_set
from w51_env.warehouse51.rules import CHOICES, MAX_POINTS, PRESETS, UNOBSERVED_OPTIONS, Warehouse51Options, pack
from w51_env.warehouse51.state import GAME, MAX_PLAYERS, NOT_BID
from w51_env.warehouse51.validity import inconsistent_field, ranges

NAME = "warehouse51"
VERSION = 1

KERNELS = Kernels(
    set_up,
    move,
    legal_actions,
    observe,
    choose,
    resample_hidden,
    heuristic_features=heuristic_features,
    inconsistent_field=inconsistent_field,
    end_game=end_game,
    knowledge=KNOWLEDGE,
    bots_draw=False,
)
SEALED_BIDS = SealedBids("secret_bid", NOT_BID, first_action=BID, num_actions=DECLINE - BID)  # T5


def make(
    num_players: int | None = None, preset: str = "default", *, table_statistics: bool = False, **options: Any
) -> Game:
    """Make Warehouse 51 with its rules bound.

    Args:
        num_players: 3, 4 or 5; default: from the preset (4, in mini games 3).
        preset: `default`, `en`, `fr`, `de`, `hu`, or a mini game: `mini`, `nano`.
        table_statistics: Observe how each seat has bid so far, in a slice of this name (`engine.table_statistics`).
        **options: Options by name, as in `rules.Warehouse51Options`; they override those of the preset.

    Raises:
        OptionError: An unknown preset or option, or a value that is not allowed.
        RelicFileError: The relic file cannot be used.
    """
    chosen = make_options(Warehouse51Options, PRESETS, preset, options, num_players)
    relic_set = load_relic_set(chosen.relics)
    relics = plain(options.get("relics", chosen.relics))
    rules = pack(chosen, relic_set)
    layout = layout_for(relic_set.effects)
    game = Game(
        name=NAME,
        version=VERSION,
        num_players=chosen.num_players,
        max_players=MAX_PLAYERS,
        options=asdict(chosen),
        option_files={"relics": relics} if is_relic_file(relics) else {},
        rules=rules,
        record=GAME,
        limits=Limits(GAME, ranges(rules[0], num_phases(layout))),
        actions=action_table(relic_set),
        layout=layout,
        event_types=event_types_for(relic_set.effects),
        bots=BOTS,
        kernels=KERNELS,
        max_events=MAX_EVENTS,
        reward_range=reward_range(chosen.reward, chosen.num_players, MAX_POINTS),
        make=make,
        heuristic_features=HEURISTIC_FEATURES,
        items=item_table(relic_set, layout),
        lots_left="deck_left",
        fixed_slices=("first_player", "counterfeit_left", "counterfeit_right"),
        sealed_bids=SEALED_BIDS,
        deal_probability=deal_probability,
        observed_options=OBSERVED_OPTIONS,
        unobserved=UNOBSERVED_OPTIONS,
        presets=tuple(PRESETS),
        choices=CHOICES,
        forms={"relics": f"{GENERATED}[0-9]+"},
        show="w51_env.warehouse51.show:PRESENTATION",
    )
    counts = check_flag("table_statistics", table_statistics)
    return with_table_statistics(game, meaning_of_decision, "ingots") if counts else game
