"""`make`: the modules of this folder as one `Game`."""

import math
from dataclasses import asdict
from typing import Any

from w51_env.auctions import equilibrium, state
from w51_env.auctions.actions import NUM_ACTIONS, action_table
from w51_env.auctions.bots import BOTS, choose
from w51_env.auctions.event_types import EVENT_TYPES, max_events
from w51_env.auctions.hidden import resample_hidden
from w51_env.auctions.legal import legal_actions
from w51_env.auctions.observe import LAYOUT, OBSERVED_OPTIONS, observe
from w51_env.auctions.play import move, pay_rewards, set_up
from w51_env.auctions.rules import CHOICES, FORMS, PRESETS, UNOBSERVED_OPTIONS, AuctionOptions, pack
from w51_env.auctions.validity import inconsistent_field, ranges
from w51_env.auctions.values import deal_probability
from w51_env.engine.game import Game, Kernels, SealedBids
from w51_env.engine.limits import Limits
from w51_env.engine.options import make_options, reward_range

NAME = "auctions"
VERSION = 0

KERNELS = Kernels(
    set_up,
    move,
    legal_actions,
    observe,
    choose,
    resample_hidden,
    inconsistent_field=inconsistent_field,
    pay_rewards=pay_rewards,
    bots_draw=False,
)


def make(num_players: int | None = None, preset: str = "default", **options: Any) -> Game:
    """An auction of one or two lots with its options resolved.

    Args:
        num_players: 2 to 6; None: the number of the preset (3 unless the preset sets it).
        preset: One of `rules.PRESETS`.
        **options: Any attribute of `rules.AuctionOptions`.

    Raises:
        OptionError: An unknown preset or option, or a value that is not allowed.
    """
    chosen = make_options(AuctionOptions, PRESETS, preset, options, num_players)
    packed, steps = pack(chosen), equilibrium.steps(chosen)
    if steps is not None:
        packed["equilibrium"][0, : len(steps)] = steps
    packed.flags.writeable = False
    return Game(
        name=NAME,
        version=VERSION,
        num_players=chosen.num_players,
        max_players=state.MAX_PLAYERS,
        options=asdict(chosen),
        rules=packed,
        record=state.GAME,
        limits=Limits(state.GAME, ranges(packed[0])),
        actions=action_table(),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=BOTS if steps is not None else BOTS[:-1],
        absent_bots={} if steps is not None else {BOTS[-1]: equilibrium.why_none(chosen)},
        kernels=KERNELS,
        max_events=max_events(chosen.num_rounds),
        reward_range=_payoff_range(chosen) if chosen.reward == "payoff" else _zero_sum_range(chosen),
        make=make,
        observed_options=OBSERVED_OPTIONS,
        unobserved=UNOBSERVED_OPTIONS,
        presets=tuple(PRESETS),
        choices=CHOICES,
        forms=FORMS,
        sealed_bids=None if packed["two_bids"][0] else SealedBids("bids", state.NOT_BID, state.PASSED, NUM_ACTIONS),
        deal_probability=deal_probability if chosen.num_rounds == 1 else None,
        show="w51_env.auctions.show:PRESENTATION",
    )


def _payoff_range(options: AuctionOptions) -> tuple[float, float]:
    """The least and the greatest payoff of a round, as parts of the highest value."""
    lots = state.LOTS if options.two_lots else 1
    least = -lots * options.max_bid - options.entry_fee
    most = lots * options.max_value * (1 + options.synergy / 100) + (options.payee == "losers") * options.max_bid
    return least / options.max_value, most / options.max_value


def _zero_sum_range(options: AuctionOptions) -> tuple[float, float]:
    least, most = _payoff_range(options)
    points = math.ceil(2 * state.CENTS * options.max_value * max(most, -least))
    return reward_range(options.reward, options.num_players, points)
