"""Long random play: invariants, leaks, memory."""

import gc
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy

from tests.env.alles_futsch import generate as alles_futsch
from tests.env.invariants.fuzz import INVARIANTS, all_games, fuzz
from tests.env.properties import generate as warehouse51
from tests.env.properties.knowledge import CHANGES
from tests.env.properties.test_leaks import assert_nothing_hidden_is_seen
from tests.soak.record import Budget, ProofError
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

STRATEGIES = {"warehouse51": warehouse51.games(), "alles_futsch": alles_futsch.games()}
_PAGE = os.sysconf("SC_PAGE_SIZE")


def random_games(name: str, number: int, seed: int) -> list[Game]:
    """Games with any options and, for Warehouse 51, any relics; from the generators of the property tests."""
    found: list[Game] = []
    strategy: SearchStrategy = STRATEGIES[name]

    @seeded(seed)
    @settings(max_examples=number + 1, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(game: Game) -> None:
        found.append(game)

    collect()
    return found[1:]  # the first is the simplest one, in every call


def endless_games(seed: int, num_random: int = 40) -> Iterator[tuple[str, bool, Game]]:
    """Both games for ever: in turns all presets with all numbers of players, and games with random options.

    Yields:
        The game's name, whether its options are random, the game.
    """
    for turn in count():
        for name in INVARIANTS:
            yield from ((name, False, game) for _, game in all_games(name))
            yield from ((name, True, game) for game in random_games(name, num_random, seed + turn))


def steps(
    total: int, minutes: float | None, seed: int, num_games: int = 4096, each: int = 1_000_000, every: int = 10
) -> dict[str, int]:
    """Random steps of both games; returns counts.

    Args:
        total: Steps in all.
        minutes: Time limit.
        seed: Of the options and of the games.
        num_games: Games side by side.
        each: Steps of one game with one set of options.
        every: All invariants are checked in all games after each step of this number, and in each finished game at its
            end.

    Raises:
        BrokenInvariantError: Names the rule, the options and the game's seed.
    """
    counts = {"steps": 0, "states": 0, "every": every, "games": 0, "variants": 0, "with_random_options": 0}
    budget = Budget("steps", minutes, total, "steps")
    for turn, (name, is_random, game) in enumerate(endless_games(seed)):
        if budget.over:
            break
        wanted = min(each, total - budget.done)
        played = fuzz(game, wanted, min(num_games, wanted), seed + turn, INVARIANTS[name], every)
        counts["steps"] += played.steps
        counts["states"] += played.states
        counts["games"] += played.games
        counts["variants"] += 1
        counts["with_random_options"] += is_random
        budget.advance(played.steps)
    return counts


def leaks(total: int, minutes: float | None, seed: int, num_games: int = 200) -> dict[str, int]:
    """Pairs of states that differ only in what a seat cannot know; all that the seat is given must be the same bytes.

    Returns:
        Counts. A pair is one state, one seat and one kind of change.

    Raises:
        AssertionError: Names the slices of the observation that differ.
    """
    counts = {"pairs": 0, "variants": 0}
    budget = Budget("leaks", minutes, total, "pairs")
    for turn, (name, _, game) in enumerate(endless_games(seed)):
        if budget.over:
            break
        assert_nothing_hidden_is_seen(game, num_games, seed + turn, with_views=2)
        pairs = num_games * game.num_players * (1 + len(CHANGES[name]))  # resample_hidden and the changes
        counts["pairs"] += pairs
        counts["variants"] += 1
        budget.advance(pairs)
    return counts


def memory(total: int, minutes: float | None, seed: int, num_games: int = 4096) -> dict[str, int]:
    """Random steps of one batch with events; the memory of the process after a tenth of them and at the end, in KiB.

    Raises:
        ProofError: It grew by more than 8 MiB.
    """
    batch = Batch(make_game("warehouse51_v1", num_players=4), num_games, seed=seed, events=True)
    batch.reset()
    early = 0
    budget = Budget("memory", minutes, total, "steps")
    while not budget.over:
        batch.step(batch.sample_actions())
        for index in range(4):
            list(batch.events(index, viewer=0))
        budget.advance(num_games)
        if not early and budget.done >= min(total, 10_000_000) // 10:
            early = resident()
    late = resident()
    if not early:
        raise ProofError(f"memory: {budget.done:,} steps in {minutes} minutes are too few to compare anything")
    if late - early > 8 * 1024:
        raise ProofError(f"memory grew from {early:,} to {late:,} KiB in {budget.done:,} steps, seed {seed}")
    return {"steps": budget.done, "early_kib": early, "late_kib": late}


def resident() -> int:
    """Resident memory of this process in KiB."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE // 1024
