"""A double auction of one seller and one buyer: a game in one file, whose rewards are payoffs and not wins.

The seller, seat 0, has a cost and asks; the buyer, seat 1, has a value and bids; both are uniform, both decide in
secret. If the bid is at least the ask, they trade at the price in the middle. Chatterjee and Samuelson ("Bargaining
under incomplete information", Operations Research 31, 1983) found an equilibrium in which both are linear: the bot
`linear` plays it. Nothing of it is zero-sum: a trade pays both.

    w51 evaluate linear truthful --game examples.double_auction:make
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import EventType, emit
from w51_env.engine.game import Action, ActionTable, Game, Kernels, SealedBids
from w51_env.engine.layout import Layout
from w51_env.engine.options import REWARDS as ZERO_SUM
from w51_env.engine.options import check_choice, check_range, make_options, reward_range
from w51_env.engine.victory import pay_rewards as pay_zero_sum

TOP = 24  #  the highest value, cost and price
SELLER, BUYER = range(2)
NOT_BID = -1
REWARDS = (*ZERO_SUM, "payoff")
PAYOFF = len(ZERO_SUM)

STATE = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (2,)),  #  gains in halves, as a price may end in one
        ("ranks", "i1", (2,)),
        ("over", "i1"),
        ("seat", "i1"),
        ("worth", "i1", (2,)),  #   the seller's cost, the buyer's value
        ("bids", "i1", (2,)),
        ("unused", "i1", (2,)),
    ],
    align=True,
)
RULES = np.dtype([("num_players", "i8"), ("reward", "i8"), ("ask_forced", "i8")])


@dataclass(frozen=True)
class Options:
    """The options: who sees a game's rewards as wins, as ranks or as margins plays against the other, not for gains."""

    num_players: int = 2
    reward: str = "payoff"

    def __post_init__(self) -> None:
        check_range("num_players", self.num_players, 2, 2)
        check_choice("reward", self.reward, REWARDS)


@kernel
def set_up(rules, game, log):
    for seat in range(2):
        game.worth[seat] = rng.random_below(game.stream, rng.SET_UP + np.uint64(seat), TOP + 1)
        game.bids[seat] = NOT_BID


@kernel
def legal_actions(rules, game, legal):
    for price in range(TOP + 1):
        legal.actions[price] = price
    return 0 if game.over else TOP + 1


@kernel
def move(rules, game, action, log, forced):
    game.bids[game.seat] = action
    emit(log, NAMED, game.seat, action, 0, 0, forced)
    if game.seat == SELLER:
        game.seat = BUYER
        return
    ask, bid = int(game.bids[SELLER]), int(game.bids[BUYER])
    if bid >= ask:
        game.scores[SELLER] = ask + bid - 2 * int(game.worth[SELLER])
        game.scores[BUYER] = 2 * int(game.worth[BUYER]) - ask - bid
        emit(log, TRADED, BUYER, ask, bid, 0, 0)
    for seat in range(2):
        game.ranks[seat] = 1 + (game.scores[1 - seat] > game.scores[seat])
    game.over = 1


@kernel
def pay_rewards(rules, game, slot):
    """A gain as a part of the highest value. Without this kernel all rewards are zero-sum."""
    if rules.reward != PAYOFF:
        pay_zero_sum(rules, game, slot)
        return
    for seat in range(2):
        slot.rewards[seat] = game.scores[seat] / (2.0 * TOP)


LAYOUT = Layout(
    [
        ("is_buyer", (), 0, 1, "1 for the buyer."),
        ("worth", (), 0, TOP, "The observer's cost or value."),
        ("bids", (2,), NOT_BID, TOP, "Ask and bid: the own one once it is named, both when the game is over."),
    ]
)
WORTH, BIDS = LAYOUT["worth"].start, LAYOUT["bids"].start


@kernel
def observe(rules, game, seat, out):
    out.values[0] = seat
    out.values[WORTH] = game.worth[seat]
    for other in range(2):
        out.values[BIDS + other] = game.bids[other] if game.over or other == seat else NOT_BID


@kernel
def resample_hidden(rules, game, seat):
    if not game.over:
        other = 1 - seat
        game.worth[other] = rng.random_below(game.stream, rng.RESAMPLE, TOP + 1)
        if game.bids[other] != NOT_BID:
            game.bids[other] = rng.random_below(game.stream, rng.RESAMPLE + np.uint64(1), TOP + 1)


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """1 `linear`: two thirds of the value and a twelfth of the highest; of the cost and a quarter. 2: `truthful`."""
    worth = int(observation.values[WORTH])
    if bot == 2:
        return worth
    return (2 * worth + (TOP // 8 if observation.values[0] else 3 * TOP // 4) + 1) // 3  # rounded


NAMED, TRADED = range(2)
EVENT_TYPES = (
    EventType("named", ("price",), "{seat} names the price {price}.", private=True),
    EventType("traded", ("ask", "bid"), "{seat} buys: {ask} was asked and {bid} bid."),
)


def make(num_players: int | None = None, preset: str = "default", **options: Any) -> Game:
    """The game with its options."""
    chosen = make_options(Options, {"default": {}}, preset, options, num_players)
    is_zero_sum = chosen.reward != "payoff"
    return Game(
        name="double_auction",
        version=0,
        num_players=2,
        max_players=2,
        options=asdict(chosen),
        rules=np.array([(2, REWARDS.index(chosen.reward), 0)], RULES),
        record=STATE,
        actions=ActionTable([Action(f"price_{price}", f"name {price}") for price in range(TOP + 1)]),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=("random", "linear", "truthful"),
        kernels=Kernels(
            set_up, move, legal_actions, observe, choose, resample_hidden, pay_rewards=pay_rewards, bots_draw=False
        ),
        max_events=6,
        reward_range=reward_range(chosen.reward, 2, 4 * TOP) if is_zero_sum else (-1.0, 1.0),
        make=make,
        exempt_options={"num_players": "there are always two", "reward": "changes what a result pays"},
        sealed_bids=SealedBids("bids", NOT_BID, first_action=0, num_actions=TOP + 1),
    )
