"""Liar's Dice with one die each as a game of this package, with the rules and information states of OpenSpiel.

Each player rolls a die and sees it alone. In turn they bid a number of dice and a face, always higher, the number
first, or call the last bid. A six counts as any face. Whoever called wins if there are fewer dice of the face.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from experiments.two_players import TwoPlayerOptions
from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import EventType, emit
from w51_env.engine.game import Action, ActionTable, Game, Kernels
from w51_env.engine.layout import Layout
from w51_env.engine.options import make_options, reward_range

FACES = 6
BIDS = 2 * FACES  # the action of a bid: FACES * (dice - 1) + face
LIAR = BIDS

STATE = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (2,)),
        ("ranks", "i1", (2,)),
        ("over", "i1"),
        ("seat", "i1"),
        ("dice", "i1", (2,)),
        ("last", "i1"),  # 1 + the last bid
        ("bids", "i1", (BIDS,)),
        ("unused", "i1", (7,)),
    ],
    align=True,
)


@kernel
def set_up(rules, game, log):
    for seat in range(2):
        game.dice[seat] = rng.random_below(game.stream, rng.SET_UP + np.uint64(seat), FACES)


@kernel
def legal_actions(rules, game, legal):
    if game.over:
        return 0
    count = 0
    for action in range(game.last, BIDS + 1):
        if action < LIAR or game.last:
            legal.actions[count] = action
            count += 1
    return count


@kernel
def move(rules, game, action, log, forced):
    seat = int(game.seat)
    emit(log, BID, seat, action, 0, 0, forced)
    if action < LIAR:
        game.bids[action] = 1
        game.last = action + 1
        game.seat = 1 - seat
        return
    needed, face = (game.last - 1) // FACES + 1, (game.last - 1) % FACES
    found = 0
    for other in range(2):
        found += game.dice[other] == face or game.dice[other] == FACES - 1
    winner = seat if found < needed else 1 - seat
    for other in range(2):
        game.scores[other] = 1 if other == winner else -1
        game.ranks[other] = 1 if other == winner else 2
    game.over = 1


LAYOUT = Layout(
    [
        ("player", (2,), 0, 1, "1 for the observer's seat."),
        ("die", (FACES,), 0, 1, "1 for the face of the observer's die."),
        ("bids", (BIDS,), 0, 1, "1 for each bid that was made."),
    ]
)
PLAYER, DIE, MADE = (slice_.start for slice_ in LAYOUT.values())


@kernel
def observe(rules, game, seat, out):
    out.values[:] = 0
    out.values[PLAYER + seat] = 1
    out.values[DIE + game.dice[seat]] = 1
    for bid in range(BIDS):
        out.values[MADE + bid] = game.bids[bid]


@kernel
def resample_hidden(rules, game, seat):
    """Draw the other die."""
    if not game.over:
        game.dice[1 - seat] = rng.random_below(game.stream, rng.RESAMPLE, FACES)


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """`lowest` makes the lowest bid."""
    return legal[0]


BID = 0
EVENT_TYPES = (EventType("bid", ("action",), "{seat} bids: {action} (12: calls the last bid)."),)


def make(num_players: int | None = None, preset: str = "default", **options: Any) -> Game:
    """The game, `experiments.liars_dice_game:make`."""
    chosen = make_options(TwoPlayerOptions, {"default": {}}, preset, options, num_players)
    names = [f"bid_{bid // FACES + 1}_{bid % FACES + 1}" for bid in range(BIDS)]
    return Game(
        name="liars_dice",
        version=0,
        num_players=2,
        max_players=2,
        options=asdict(chosen),
        rules=chosen.pack(),
        record=STATE,
        actions=ActionTable([Action(name, name) for name in (*names, "liar")]),
        layout=LAYOUT,
        event_types=EVENT_TYPES,
        bots=("random", "lowest"),
        kernels=Kernels(set_up, move, legal_actions, observe, choose, resample_hidden),
        max_events=2,
        reward_range=reward_range(chosen.reward, 2, 2),
        make=make,
        observed_options=("num_players",),
        deal_probability=lambda game, state: FACES**-2,
    )
