"""Kernels that games share, each made of a game's own: the best legal action, the first field that is wrong."""

from w51_env.compiler.compile import kernel
from w51_env.engine.limits import VALID


def best_of(points):
    """The kernel that chooses by `points`, a kernel (rules, obs, action) -> float."""

    @kernel
    def best(rules, obs, legal, count, action, highest):
        """The first legal action with the most points, if these are more than `most`; else `action`."""
        for position in range(count):
            candidate = int(legal.actions[position])
            value = points(rules, obs, candidate)
            if value > highest:
                highest = value
                action = candidate
        return action

    return best


def first_wrong(in_auction, without_choice, in_cards):
    """The kernel `inconsistent_field` of `engine.game.Kernels`, made of three of a game, each with the same result.

    Args:
        in_auction: Checks the auction of a running game.
        without_choice: Finds running games that never end, because the seat to move has no action.
        in_cards: Checks the cards, also of a game that is over: an illegal action may have ended it in any phase, or
            its record may be all zero.
    """

    @kernel
    def inconsistent_field(rules, game):
        if not game.over:
            field = in_auction(rules, game)
            if field == VALID:
                field = without_choice(rules, game)
            if field != VALID:
                return field
        return in_cards(rules, game)

    return inconsistent_field
