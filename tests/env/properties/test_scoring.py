"""Scoring of random ends of games, with pawned relics, certificates and counterfeits, against the slow reference."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from tests.env.properties.generate import games
from tests.env.properties.reference import COLORS, Reference, all_plain
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.state import CERTIFICATES, NO_GAP, NO_RELIC, PAWN_TOKENS, REDEEM, UNSOLD


def lay_out_random_ends(batch: Batch, seed: int) -> None:
    """Set every game of a batch to a random state after the last auction, with the last seat to redeem (E1) to move."""
    generator = np.random.default_rng(seed)
    rules, players = batch.game.rules[0], batch.game.num_players
    relics = int(rules["num_relics"])
    total = players * int(rules["start_ingots"]) + int(rules["reserve"])
    givers = np.flatnonzero(rules["effect"][:relics] == EFFECT.CERTIFICATE)
    cards = np.concatenate(
        [np.flatnonzero(rules["has_counterfeit"][:relics]), np.full(rules["blank_counterfeits"], NO_RELIC)]
    )
    for state in batch.games:
        seats = generator.permutation(players)[
            : generator.integers(1, players + 1)
        ]  # few owners: long collections; all: ties
        unsold = generator.choice([0.1, 0.7])  # with few relics, many totals are 0 or tied
        place = generator.choice([UNSOLD, *seats], relics, p=[unsold, *[(1 - unsold) / len(seats)] * len(seats)])
        owned = np.flatnonzero(place >= 0)
        state["place"][:relics] = place
        state["buyer"][:relics] = np.where(place >= 0, place, -1)
        state["price"][:relics] = place >= 0
        state["drawn"] = rules["deck_size"]
        state["lot"] = state["leader"] = -1
        state["standing_bid"] = 0
        state["bidding"] = 0
        shares = np.sort(generator.integers(0, total + 1, players))
        state["ingots"][:players] = np.diff(np.concatenate([[0], shares]))
        state["reserve"] = total - shares[-1]
        state["pawned"] = 0
        state["pawned"][generator.permutation(owned)[: generator.integers(0, PAWN_TOKENS + 1)]] = 1
        for token, giver in enumerate(generator.permutation(np.intersect1d(givers, owned))[:CERTIFICATES]):
            state["certificate_from"][token] = giver
            if generator.random() < 0.5:
                free = np.setdiff1d(owned, state["certificate_on"])
                state["certificate_on"][token] = generator.choice(free) if len(free) else NO_RELIC
        gaps = np.repeat(np.arange(players), rules["gap_cards"])
        laid = generator.permutation(cards)[: len(gaps)]
        state["counterfeit_gap"] = NO_GAP
        state["counterfeit_gap"][laid[laid != NO_RELIC]] = gaps[laid != NO_RELIC]
        state["last_winner"] = generator.integers(players)
        state["phase"] = REDEEM
        state["turn"] = players - 1
        state["seat"] = (state["last_winner"] + players - 1) % players
    batch.refresh()


def play_and_compare(game: Game, num_games: int, seed: int) -> list[Reference]:
    """Play random ends of games and compare exposed relics, points and ranks. Returns the references at the end."""
    batch = Batch(game, num_games, seed=seed, autoreset="disabled")
    batch.reset()
    lay_out_random_ends(batch, seed)
    finished: list[Reference] = []
    step = 0
    while (batch.seat >= 0).any():
        running = np.flatnonzero(batch.seat >= 0)
        before = batch.games[running]
        actions = batch.sample_actions(step)
        batch.step(actions)
        step += 1
        ended = batch.seat[running] < 0
        states, over = all_plain(before[ended]), running[ended]
        for index, state, after in zip(over, states, all_plain(batch.games[over]), strict=True):
            reference = Reference(game, state)
            reference.act_at_the_end(game.actions[actions[index]].name)
            reference.expose()
            players, points = game.num_players, reference.points()
            assert after["place"] == reference.state["place"]
            assert after["points"][:players] == points, reference.state
            assert after["scores"][:players] == [sum(each) for each in points]
            assert after["ranks"][:players] == reference.ranks(points)
            finished.append(reference)
    assert len(finished) == num_games
    return finished


def tie_kinds(reference: Reference) -> set[str]:
    """Which cases of G4 a final state shows."""
    kinds = set()
    status = [reference.tie_status(seat) for seat in reference.players]
    for color in COLORS:
        totals = [
            sum(reference.relics[relic].value for relic in reference.scoring_relics(seat, color))
            for seat in reference.players
        ]
        positive = sorted((total for total in totals if total > 0), reverse=True)
        if not positive:
            kinds.add("nobody has any")
            continue
        first = positive.count(positive[0])
        tied_first = [status[seat] for seat in reference.players if totals[seat] == positive[0]]
        kinds.add(f"{min(first, 3)} first")
        if first == 1 and len(positive) > 1:
            kinds.add(f"{min(positive.count(positive[1]), 3)} second")
        if first > 1 and 1 in tied_first:
            kinds.add(f"{min(first, 3)} first with Yata")
        if first > 1 and -1 in tied_first:
            kinds.add(f"{min(first, 3)} first with the Shirt")
    points = reference.points()
    totals = [sum(of_seat) for of_seat in points]
    if totals.count(max(totals)) > 1:
        kinds.add("tied victory" if reference.ranks(points).count(1) > 1 else "tied victory broken")
    return kinds


@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_random_ends_of_the_game_are_scored_as_the_rules_say(num_players: int):  # E1, E2, E3, E4, G1, G2, G3, G4, G5
    finished = play_and_compare(warehouse51.make(num_players), num_games=600, seed=num_players)
    seen = Counter(kind for reference in finished for kind in tie_kinds(reference))
    for kind in (
        "nobody has any",
        "1 first",
        "2 first",
        "1 second",
        "2 second",
        "2 first with Yata",
        "2 first with the Shirt",
    ):
        assert seen[kind] >= 20, f"{kind}: only {seen[kind]} states"
    assert seen["tied victory"] >= 10
    assert seen["tied victory broken"] >= 5
    if num_players > 3:
        assert seen["3 first"] >= 5
    exposed = sum(reference.state["place"].count(-4) for reference in finished)
    assert exposed >= 400


@settings(max_examples=40)
@given(game=games())
def test_any_relic_set_is_scored_as_the_rules_say(game: Game):
    play_and_compare(game, num_games=16, seed=11)


def test_the_owner_of_a_working_horn_is_asked_and_no_one_else():  # E3
    game = warehouse51.make(4)
    batch = Batch(game, 1000, seed=3, autoreset="disabled")
    batch.reset()
    lay_out_random_ends(batch, 3)
    asked = left_out = 0
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        before = all_plain(batch.games[running])
        actions = batch.sample_actions(1)
        batch.step(actions)
        for index, state, now in zip(running, before, all_plain(batch.games[running]), strict=True):
            reference = Reference(game, state)
            was_cancelling = reference.phase == "cancel"
            reference.act_at_the_end(game.actions[actions[index]].name)
            after = Reference(game, now)
            horns = reference.working_horns()
            if after.phase == "cancel":
                assert [after.state["place"][horn] for horn in horns] == [after.state["seat"]]
                asked += 1
            elif after.phase == "over" and not was_cancelling:
                assert not horns or not reference.revealed_counterfeits()
                left_out += 1
    assert asked >= 100
    assert left_out >= 100
