"""Writes the golden playthroughs: whole games as readable text, in which a change of a rule shows as a difference.

    python -m tests.env.playthroughs.generate          writes all files; `git diff` shows what has changed
    python -m tests.env.playthroughs.generate alles    only those whose name begins with `alles`

A file has every decision of one game: the events since the last one, what the seat to move observes, its legal actions
and its action. Of the observation it has the slices that are not zero the first time, then those that have changed
since the last decision of the seat, of large ones the changed entries. The privileged view stands at the beginning and
at the end.

The actions are random: a pass half of the time, else a low bid; other decisions are uniform.

The games were chosen by a search over presets and seeds. Together they have all events, phases, kinds of actions
and slices, which a test checks, and nearly all branches of the rules and texts.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.game import ALL, Game
from w51_env.engine.layout import Slice
from w51_env.engine.registry import make_game
from w51_env.views.text_table import table

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Playthrough:
    """One file: a game with its options, and the seed of its deal and its actions."""

    name: str
    game_id: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.txt"


def _of(game_id: str, preset: str, num_players: int, seed: int, **options: Any) -> Playthrough:
    name = f"{game_id.rpartition('_v')[0]}_{preset}_{num_players}"
    return Playthrough(name, game_id, seed, {"num_players": num_players, "preset": preset, **options})


_warehouse = partial(_of, "warehouse51_v1")
_alles_futsch = partial(_of, "alles_futsch_v1")
_auctions = partial(_of, "auctions_v0")


_SALE = {"reserve": 2, "entry_fee": 1, "budget": 30, "payee": "losers", "risk_aversion": 40}  # of an auction
PLAYTHROUGHS = (
    _warehouse("default", 3, seed=29, reward="rank"),
    _warehouse("hu", 4, seed=14, certificate_belongs_to="owner", ask_forced=True, reward="margin"),
    _warehouse("mini", 3, seed=0, first_player=0),
    _alles_futsch("default", 4, seed=29, no_bid_selector="left"),
    _alles_futsch("mini", 2, seed=4, minimum_bid=0, cards="random", ask_forced=True, reward="margin"),
    _auctions("repeated", 3, seed=4, num_rounds=4, auction="third_price", values="mineral", **_SALE),
    _auctions("clock", 3, seed=3, keep_values=True, num_rounds=2),
    _auctions("mini", 2, seed=1, auction="dutch", values="average"),
    _auctions("items", 2, seed=2, bidders="0 5/2 10 2 3"),
    _auctions("units", 3, seed=3, auction="vickrey"),
    _auctions("sequence", 3, seed=1, auction="second_price"),
)
_NUMBERED = ("bid_", "raise_", "add_")  # actions that are one of many
_BIDS = _NUMBERED[:2]


def lines_of(playthrough: Playthrough) -> Iterator[str]:
    """The text of a playthrough, line by line."""
    game = make_game(playthrough.game_id, **playthrough.options)
    batch = Batch(game, 1, seed=playthrough.seed, autoreset="disabled", events=True)
    batch.reset()
    dice = random.Random(playthrough.seed)
    shown = np.zeros((game.num_players, game.layout.size), np.int8)

    yield f"# {playthrough.game_id}, seed {playthrough.seed}"
    yield from (f"{name}: {value}" for name, value in game.options.items())
    yield from _section("Set-up, privileged view")
    yield from table(batch.view(0, ALL)).splitlines()
    yield from _events(game, batch)
    decision = 0
    while (seat := int(batch.seat[0])) >= 0:
        decision += 1
        yield from _section(f"Decision {decision}: player {seat}")
        yield from _observation(game, batch.observation[0], shown[seat])
        legal = np.flatnonzero(batch.action_mask[0]).tolist()
        yield f"legal: {_ranges(game, legal)}"
        action = _choose(game, legal, dice)
        yield f"action: {action} {game.actions[action].name}"
        batch.step(np.array([action]))
        yield from _events(game, batch)
    yield from _section("End, privileged view")
    yield from table(batch.view(0, ALL)).splitlines()
    for seat in range(game.num_players):
        yield from _section(f"Player {seat} at the end")
        yield from _observation(game, batch.final_observation[0, seat], shown[seat])
        score, rank, reward = batch.final_scores[0, seat], batch.final_ranks[0, seat], batch.rewards[0, seat]
        yield f"score {score}, rank {rank}, reward {reward:.4f}"


def _section(title: str) -> list[str]:
    return ["", f"## {title}"]


def _events(game: Game, batch: Batch) -> Iterator[str]:
    private = {kind.name for kind in game.event_types if kind.private}
    for event, (_, kind, _, *values, _) in zip(batch.events(0), batch.event_rows().tolist(), strict=True):
        assert not any(values[len(game.event_types[kind].fields) :]), f"{event}: numbers that it does not have"
        notes = ["forced"] * event["forced"] + [f"only for player {event['seat']}"] * (event["event"] in private)
        yield f"* {game.event_text(event)}" + (f" ({', '.join(notes)})" if notes else "")


def _observation(game: Game, observation: np.ndarray, shown: np.ndarray) -> Iterator[str]:
    """A line for each slice that differs from `shown`, which is then updated."""
    for part in game.layout.values():
        if (observation[part.slice] != shown[part.slice]).any():
            values = game.layout.read(observation, part.name)
            yield f"{part.name}: {_slice_text(game, part, values, values != game.layout.read(shown, part.name))}"
    shown[:] = observation


def _slice_text(game: Game, part: Slice, values: np.ndarray, changed: np.ndarray) -> str:
    """All of a few numbers, the name that is set in a one-hot slice, the changed entries of others."""
    if values.size == 1 or (part.high > 1 and values.size <= 6):
        return " ".join(map(str, values.ravel().tolist()))
    if values.ndim == 2:
        return "; ".join(
            f"{row} has {_slice_text(game, part, values[row], changed[row])}"
            for row in range(len(values))
            if changed[row].any()
        )
    names, small = _labels(game, part), values.size <= 10 or part.meaning.startswith("One-hot")
    entries = np.flatnonzero(values if small else changed)
    return (
        " ".join(
            names[entry] if part.high == 1 and values[entry] else f"{names[entry]}={values[entry]}" for entry in entries
        )
        or "-"
    )


def _labels(game: Game, part: Slice) -> list[str]:
    """Names along the last axis of a slice where the game has them, else numbers."""
    relics = [action.name.removeprefix("pawn_") for action in game.actions if action.name.startswith("pawn_")]
    named = part.meaning.removeprefix("One-hot: ").rstrip(".").split(", ")
    if part.shape[-1] == len(relics):
        return relics
    return named if len(named) == part.shape[-1] else [str(index) for index in range(part.shape[-1])]


def _ranges(game: Game, legal: list[int]) -> str:
    """Action names; neighbouring bids as `bid_2..bid_9`."""
    names = [game.actions[action].name for action in legal]
    words = [name for name in names if not name.startswith(_NUMBERED)]
    for prefix in _NUMBERED:
        numbered = [name for name in names if name.startswith(prefix)]
        words += [f"{numbered[0]}..{numbered[-1]}"] if len(numbered) > 2 else numbered
    return " ".join(words)


def _choose(game: Game, legal: list[int], dice: random.Random) -> int:
    """An action by `dice.random()` alone: its numbers are the same in every version of Python."""
    names = [game.actions[action].name for action in legal]
    bids = [action for action, name in zip(legal, names, strict=True) if name.startswith(_BIDS)]
    if bids and "pass" in names and dice.random() < 0.5:
        return game.actions.id("pass")
    if bids and dice.random() < 0.9:
        return bids[int(dice.random() * min(len(bids), 4))]
    return legal[int(dice.random() * len(legal))]


def text_of(playthrough: Playthrough) -> str:
    return "\n".join(lines_of(playthrough)) + "\n"


if __name__ == "__main__":
    for playthrough in PLAYTHROUGHS:
        if playthrough.name.startswith(tuple(sys.argv[1:]) or ""):
            playthrough.path.write_text(text_of(playthrough), "utf-8")
            print(f"{playthrough.path}: {playthrough.path.stat().st_size:,} bytes")
