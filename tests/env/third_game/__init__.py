"""A sealed-bid auction of one lot: a third game, as small as a game can be. `docs/adding_a_game.md` explains it.

Each player knows what the lot is worth to them, 0 to 9. One after another they bid 0 to 9 in secret. The highest bid
wins; of equal bids, the first one. The winner scores the worth less the bid.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import EventType, emit
from w51_env.engine.game import Action, ActionTable, Game, Kernels, SealedBids
from w51_env.engine.layout import Layout
from w51_env.engine.options import REWARDS, check_choice, check_range, make_options, reward_range
from w51_env.views.presentation import Presentation
from w51_lab.behaviour.contract import SEAT, Behaviour, Column, EventColumns, Statistic, Tables, TableSchema

MAX_BID = 9
MAX_PLAYERS = 5
NOT_BID = -1

# ---- the state, and the rules as kernels read them

STATE = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (MAX_PLAYERS,)),
        ("ranks", "i1", (MAX_PLAYERS,)),
        ("over", "i1"),
        ("seat", "i1"),
        ("worth", "i1", (MAX_PLAYERS,)),
        ("bids", "i1", (MAX_PLAYERS,)),
        ("unused", "i1", (3,)),  # to a full word: numpy does not copy padding
    ],
    align=True,
)
RULES = np.dtype([("num_players", "i8"), ("reward", "i8"), ("ask_forced", "i8")])


@dataclass(frozen=True)
class Options:
    """The game's options."""

    num_players: int = 3
    reward: str = "margin"

    def __post_init__(self) -> None:
        check_range("num_players", self.num_players, 2, MAX_PLAYERS)
        check_choice("reward", self.reward, REWARDS)


PRESETS: dict[str, dict[str, Any]] = {"default": {}}

# ---- the rules


@kernel
def set_up(rules, game, log):
    for seat in range(rules.num_players):
        game.worth[seat] = rng.random_below(game.stream, rng.SET_UP + np.uint64(seat), MAX_BID + 1)
        game.bids[seat] = NOT_BID


@kernel
def legal_bids(rules, actions):
    """The bids that a seat may make: a determinization draws the bids of others among them."""
    for bid in range(MAX_BID + 1):
        actions[bid] = bid
    return MAX_BID + 1


@kernel
def legal_actions(rules, game, legal):
    return 0 if game.over else legal_bids(rules, legal.actions)


@kernel
def move(rules, game, action, log, forced):
    game.bids[game.seat] = action
    emit(log, BID, game.seat, action, 0, 0, forced)
    game.seat += 1
    if game.seat == rules.num_players:
        end(rules, game, log)


@kernel
def end(rules, game, log):
    winner = 0
    for seat in range(1, rules.num_players):
        if game.bids[seat] > game.bids[winner]:
            winner = seat
    game.scores[winner] = game.worth[winner] - game.bids[winner]
    for seat in range(rules.num_players):
        better = 0
        for other in range(rules.num_players):
            better += game.scores[other] > game.scores[seat]
        game.ranks[seat] = 1 + better
    emit(log, SOLD, winner, game.bids[winner], 0, 0, 0)
    game.over = 1


# ---- what a seat may know

LAYOUT = Layout(
    [
        ("num_players", (), 2, MAX_PLAYERS, "Seats in play."),
        ("worth", (), 0, MAX_BID, "What the lot is worth to the observer."),
        ("have_bid", (MAX_PLAYERS,), 0, 1, "1 for each seat that has bid, clockwise from the observer."),
        ("own_bid", (), NOT_BID, MAX_BID, "The observer's bid, -1 before it."),
        ("bids", (MAX_PLAYERS,), 0, MAX_BID, "All bids when the game is over, clockwise from the observer."),
    ]
)
WORTH, HAVE_BID, OWN_BID, BIDS = (LAYOUT[name].start for name in ("worth", "have_bid", "own_bid", "bids"))


@kernel
def observe(rules, game, seat, out):
    out.values[:] = 0
    out.values[0] = rules.num_players
    out.values[WORTH] = game.worth[seat]
    out.values[OWN_BID] = game.bids[seat]
    for distance in range(rules.num_players):
        other = (seat + distance) % rules.num_players
        out.values[HAVE_BID + distance] = game.bids[other] != NOT_BID
        if game.over:
            out.values[BIDS + distance] = game.bids[other]


@kernel
def resample_hidden(rules, game, seat):
    if game.over:
        return
    bids = np.empty(MAX_BID + 1, np.uint8)
    count = legal_bids(rules, bids)
    for other in range(rules.num_players):
        if other != seat:
            counter = rng.RESAMPLE + np.uint64(2 * other)
            game.worth[other] = rng.random_below(game.stream, counter, MAX_BID + 1)
            if game.bids[other] != NOT_BID:
                game.bids[other] = bids[rng.random_below(game.stream, counter + np.uint64(1), count)]


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """`shader` bids (n - 1) / n of its worth: the equilibrium for uniformly distributed worths."""
    return int(observation.values[WORTH]) * (rules.num_players - 1) // rules.num_players


# ---- events

BID, SOLD = range(2)
EVENT_TYPES = (
    EventType("bid", ("bid",), "{seat} bids {bid}.", private=True),
    EventType("sold", ("bid",), "{seat} wins with {bid}."),
)

# ---- what the arena reports of agents


def behaviour_schemas(game: Game) -> dict[str, TableSchema]:
    columns = (*SEAT, Column("worth", "i1", "worth of the lot to the seat"), Column("bid", "i1", "the bid of the seat"))
    return {"bids": TableSchema("each bid", columns)}


def behaviour_tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    made = events.where(BID)
    index, seat = events.game[made], events.seat[made]
    return {"bids": {"game": index, "seat": seat, "worth": states["worth"][index, seat], "bid": events.a[made]}}


OVERBIDS = Statistic(
    *("bids", "overbids", "fraction of its bids that are above the worth", "bids"),
    counted=lambda bids: bids["bid"] > bids["worth"],
    among=lambda bids: bids["bid"] > 0,
)
MEAN_BID = Statistic("bids", "bid", "mean of its bids", "bids", values=lambda bids: bids["bid"])

# ---- the game


def make(num_players: int | None = None, preset: str = "default", **options: Any) -> Game:
    chosen = make_options(Options, PRESETS, preset, options, num_players)
    rules = np.array([(chosen.num_players, REWARDS.index(chosen.reward), 0)], RULES)
    return Game(
        name="one_lot",
        version=0,
        num_players=chosen.num_players,
        max_players=MAX_PLAYERS,
        options=asdict(chosen),
        rules=rules,
        record=STATE,
        actions=ActionTable([Action(f"bid_{bid}", f"bid {bid}") for bid in range(MAX_BID + 1)]),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=("random", "shader"),
        kernels=Kernels(set_up, move, legal_actions, observe, choose, resample_hidden),
        max_events=2 * (MAX_PLAYERS + 1),
        reward_range=reward_range(chosen.reward, chosen.num_players, 2 * MAX_BID),
        make=make,
        observed_options=("num_players",),
        show=Presentation(behaviour=Behaviour(behaviour_schemas, behaviour_tables, (OVERBIDS, MEAN_BID))),
        sealed_bids=SealedBids("bids", NOT_BID, first_action=0, num_actions=MAX_BID + 1),
    )
