"""Scoring: G1 ingots, G2 sets, G3 majorities, G4 ties, G5 the winner.

E1, E3: a relic counts for values and sets if it is in the collection and unpawned.
"""

import numpy as np

from w51_env.compiler.compile import kernel, scratch
from w51_env.engine.events import emit
from w51_env.warehouse51 import state
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.ownership import has_blessing, has_curse, min_blessing_amount

POINTS_PER_SET = 5  #                                        G2
INGOTS_FOR_A_POINT = 5  #                                    G1
PLACE_POINTS = np.array([[8, 6], [7, 5], [6, 4], [5, 3]], np.int8)  # G3: [category, first or second]

NUM_SOURCES = len(state.POINT_SOURCES)

_numbers = scratch(state.MAX_PLAYERS, np.int64)


@kernel
def score_game(rules, game, log):
    """E4: compute all points, totals and ranks. A relic that is pawned (E1) or exposed (E3) does not count."""
    ties = _numbers()
    for seat in range(rules.num_players):
        game.points[seat, state.INGOT_POINTS] = ingot_points(rules, game, seat)
        ties[seat] = tie_rank(rules, game, seat)
    score_sets(rules, game)
    for category in range(state.MAX_CATEGORIES):
        score_majority(rules, game, category, ties)
    for seat in range(rules.num_players):
        total = 0
        for source in range(NUM_SOURCES):
            points = game.points[seat, source]
            total += points
            if points > 0:
                emit(log, EVENT.SCORED, seat, source, points, 0, 0)
        game.scores[seat] = total
    rank_seats(rules, game, ties)
    for seat in range(rules.num_players):
        emit(log, EVENT.FINISHED, seat, game.scores[seat], game.ranks[seat], 0, 0)


@kernel
def ingot_points(rules, game, seat):
    """G1: a point for every full 5 ingots, or as many as ingots_per_point says."""
    return game.ingots[seat] // min_blessing_amount(rules, game, seat, EFFECT.INGOTS_PER_POINT, INGOTS_FOR_A_POINT)


@kernel
def score_sets(rules, game):
    """G2: 5 points for every set of one scoring relic of each category that the relic set has."""
    sets, count = _numbers(), _numbers()
    sets[:] = state.MAX_PLAYERS * NUM_SOURCES  # more than any collection holds
    for category in range(state.MAX_CATEGORIES):
        if rules.deck_size[category] > 0:
            count[:] = 0
            start = rules.deck_start[category]
            for relic in range(start, start + rules.deck_size[category]):
                if game.place[relic] >= 0:
                    count[game.place[relic]] += game.pawned[relic] == 0
            for seat in range(rules.num_players):
                sets[seat] = min(sets[seat], count[seat])
    for seat in range(rules.num_players):
        game.points[seat, state.SET_POINTS] = POINTS_PER_SET * sets[seat]


@kernel
def tie_rank(rules, game, seat):
    """G4: 1 for one who wins ties, -1 for one who loses them, 0 for others and for one who has both."""
    return int(has_blessing(rules, game, seat, EFFECT.WINS_TIES)) - int(has_curse(rules, game, seat, EFFECT.LOSES_TIES))


@kernel
def score_majority(rules, game, category, ties):
    """G3, G4: points for the first and second place of a category; `ties`: the tie rank of each seat."""
    key = _numbers()  # value and tie rank in one number; 0 takes no part
    key[:] = 0
    start = rules.deck_start[category]
    for relic in range(start, start + rules.deck_size[category]):
        if game.place[relic] >= 0 and game.pawned[relic] == 0:
            key[game.place[relic]] += 3 * int(rules.value[relic])
    first = 0
    for seat in range(rules.num_players):
        if key[seat] > 0:
            key[seat] += ties[seat] + 1
        first = max(first, key[seat])
    if first == 0:
        return
    tied_first = 0
    second = 0
    for seat in range(rules.num_players):
        if key[seat] == first:
            tied_first += 1
        elif key[seat] > second:
            second = key[seat]
    tied_second = 0
    for seat in range(rules.num_players):
        if second > 0 and key[seat] == second:
            tied_second += 1
    for seat in range(rules.num_players):
        points = 0
        if key[seat] == first and tied_first == 1:
            points = PLACE_POINTS[category, 0]
        elif key[seat] == first and tied_first == 2:
            points = PLACE_POINTS[category, 1]
        elif key[seat] == second and second > 0 and tied_first == 1 and tied_second == 1:
            points = PLACE_POINTS[category, 1]
        game.points[seat, state.MAJORITY_POINTS + category] = points


@kernel
def rank_seats(rules, game, ties):
    """G5: by total, then G4; equal ranks stay equal (1, 2, 2, 4)."""
    for seat in range(rules.num_players):
        key = 3 * game.scores[seat] + ties[seat]
        rank = 1
        for other in range(rules.num_players):
            if 3 * game.scores[other] + ties[other] > key:
                rank += 1
        game.ranks[seat] = rank
