"""The end of the game: A5."""

from w51_env.alles_futsch.event_types import EVENT
from w51_env.alles_futsch.objects import objects_of
from w51_env.alles_futsch.state import MAX_OWNED, NOBODY, NUM_TYPES, OVER
from w51_env.compiler.compile import kernel, late
from w51_env.engine.events import emit

_MORE_THAN_OBJECTS = MAX_OWNED * NUM_TYPES + 1


@late("alles_futsch")
def end_game(rules, game, log):
    """A5: most cash wins; tie: more objects; else shared. A6: a seat that is broke ranks behind all others."""
    for seat in range(rules.num_players):
        game.scores[seat] = game.money[seat]
        rank = 1
        for other in range(rules.num_players):
            if rank_key(game, other) > rank_key(game, seat):
                rank += 1
        game.ranks[seat] = rank
        emit(log, EVENT.FINISHED, seat, game.money[seat], objects_of(game, seat), rank, 0)
    game.phase = OVER
    game.over = 1
    game.seat = NOBODY


@kernel
def rank_key(game, seat):
    """A5: cash, then objects, as one number. A6: less than any of these for the seat that is broke."""
    if seat == game.broke:
        return -1
    return int(game.money[seat]) * _MORE_THAN_OBJECTS + objects_of(game, seat)
