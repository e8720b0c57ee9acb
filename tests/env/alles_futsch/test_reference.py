"""The engine against the slow reference: every mask, every state, and every mark of money, for any options."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings

from tests.env.alles_futsch.generate import games, many_games
from tests.env.alles_futsch.reference import TYPES, Card, Reference
from tests.env.alles_futsch.table import money_flows
from tests.env.properties.reference import all_plain
from tests.env.random_policies import random_policies
from w51_env import alles_futsch
from w51_env.alles_futsch.event_types import EVENT_TYPES, MAX_EVENTS
from w51_env.alles_futsch.state import CARDS, NO_CARD, PHASES
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


@cache
def card(index: int) -> Card:
    one, two, three = (TYPES[kind] for kind in CARDS[index])
    return one, two, three


def reference_of(game: Game, state: np.void) -> Reference:
    """The reference of a game that has just been set up."""
    lacks = [TYPES[kind] for kind in state["lacks"][: game.num_players]]
    return Reference(game.options, lacks, [card(index) for index in state["deck"]], int(state["selector"]))


def compare(batch: Batch, index: int, state: dict[str, Any], reference: Reference) -> None:
    """What the engine and the reference say of the same moment."""
    game, question = batch.game, reference.question
    assert bool(state["over"]) == (question is None)
    assert int(batch.seat[index]) == (-1 if question is None else question[0])
    legal = {game.actions[action].name for action in np.flatnonzero(batch.action_mask[index])}
    assert legal == (set() if question is None else question[1])
    assert state["money"][: game.num_players] == reference.money
    owned = [[reference.owned[seat][kind] for kind in TYPES] for seat in reference.seats]
    assert state["owned"][: game.num_players] == owned
    assert state["lost"] == [reference.lost[kind] for kind in TYPES]
    assert [None if up == NO_CARD else card(up) for up in state["face_up"]] == reference.row
    assert Counter({card(up): count for up, count in enumerate(state["gone"]) if count}) == Counter(reference.gone)
    assert game.options["num_cards"] - state["next_card"] == len(reference.deck)
    assert state["broke"] == (-1 if reference.broke is None else reference.broke)
    if question is None:
        assert state["scores"][: game.num_players] == reference.money
        assert state["ranks"][: game.num_players] == reference.ranks()
        assert batch.final_scores[index].tolist() == reference.money


def play_both(game: Game, num_games: int, seed: int) -> Counter[str]:
    """Play games to their ends in the engine and the reference; how often each phase and each event was met."""
    batch = Batch(game, num_games, seed=seed, autoreset="disabled", events=True)
    batch.reset()
    references = [reference_of(game, batch.games[index]) for index in range(num_games)]
    policies = random_policies(game, num_games, seed)
    seen: Counter[str] = Counter()
    money = [[game.options["start_money"]] * game.num_players for _ in range(num_games)]
    running = np.arange(num_games)
    while True:
        for index, state in zip(running, all_plain(batch.games[running]), strict=True):
            reference = references[index]
            compare(batch, index, state, reference)
            events = list(batch.events(index))
            flows = money_flows(events, game.num_players)
            assert reference.money == [before + flow for before, flow in zip(money[index], flows, strict=True)]
            assert sum(reference.money) + reference.paid_to_bank == game.num_players * game.options["start_money"]
            money[index] = list(reference.money)
            seen.update(event["event"] for event in events)
        seen.update(PHASES[phase] for phase in batch.games["phase"])
        if (batch.seat < 0).all():
            return seen
        actions = policies.choose(batch.action_mask)
        running = np.flatnonzero(batch.seat >= 0)
        for index in running:
            references[index].play(game.actions[actions[index]].name)
        batch.step(actions)


@many_games
def test_the_engine_plays_as_the_reference():  # A1, A2, A3, A4, A5
    seen: Counter[str] = Counter()
    other_rulings = {
        "no_bid_selector": "left",
        "no_buyer": "taken",
        "deck_exhausted": "end",
        "cards": "random",
        "minimum_bid": 0,
    }
    for num_players in (2, 3, 4, 5):
        seen += play_both(alles_futsch.make(num_players), num_games=4, seed=num_players)
        seen += play_both(alles_futsch.make(num_players, "short", **other_rulings), num_games=4, seed=num_players)
    for name in (*PHASES, *(kind.name for kind in EVENT_TYPES)):
        assert seen[name] >= 10, f"{name}: {seen[name]} times"


@many_games
@settings(max_examples=20)
@given(game=games())
def test_the_engine_plays_as_the_reference_with_any_options(game: Game):  # A1, A2, A3, A4, A5
    play_both(game, num_games=4, seed=4)


@many_games
@settings(max_examples=30)
@given(game=games())
def test_a_whole_game_in_one_step_fits_the_log(game: Game):  # with bots in all seats, `reset` plays it
    for bot in game.bots:
        batch = Batch(game, 64, seed=5, controllers=[bot] * game.num_players, autoreset="disabled", events=True)
        batch.reset()
        np.testing.assert_array_less(batch.seat, 0)
        assert max(len(batch.events(index)) for index in range(64)) < MAX_EVENTS // 2
