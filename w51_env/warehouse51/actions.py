"""The flat action table: 185 ids for all seats and phases (rules T1, T2, T5, P1, E1, E2, E3, section 6)."""

from collections.abc import Sequence

from w51_env.engine.game import Action, ActionTable
from w51_env.views.language import Words
from w51_env.warehouse51.effect_kinds import parts_in_use
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.state import CATEGORIES, MAX_CATEGORIES, MAX_INGOTS, MAX_PLAYERS, MAX_RELICS

CHOOSE_DECK = 0  #                               + category
PASS = CHOOSE_DECK + MAX_CATEGORIES  #           out of an open auction; a bid of 0 in a blind one
BID = PASS  #                                    + ingots, 1..70
DECLINE = BID + MAX_INGOTS + 1  #                end of the game: nothing more here
PAWN = DECLINE + 1  #                            + relic
REDEEM_RELIC = PAWN + MAX_RELICS
CERTIFY_RELIC = REDEEM_RELIC + MAX_RELICS
CHOOSE_RELIC = CERTIFY_RELIC + MAX_RELICS  #     to take, to give, to cancel the counterfeit of
CHOOSE_GAP = CHOOSE_RELIC + MAX_RELICS  #        + clockwise distance from the gap on the mover's left, 0..4
FIRST_ADDED = CHOOSE_GAP + MAX_PLAYERS  #        those of ADDED_ACTIONS

_TEXT = "warehouse51.action"

# Actions of effect kinds added later, each with its kind. New ones are appended.
ADDED_ACTIONS: list[tuple[str, Action]] = []


def action_table(relics: RelicSet, added: Sequence[tuple[str, Action]] = ADDED_ACTIONS) -> ActionTable:
    """The table with the names of a relic set; ids without a relic are named `relic_7` and never legal.

    An id never changes: added actions come last, and a game has them only up to the last one that its relics need.
    """
    ids = [*relics.ids, *(f"relic_{relic}" for relic in range(len(relics), MAX_RELICS))]
    names = [*relics.names, *ids[len(relics) :]]
    words = Words()
    actions = [
        Action(f"choose_deck_{name}", words(f"{_TEXT}.reveal", category=words(f"warehouse51.category.{name}")))
        for name in CATEGORIES
    ]
    actions.append(Action("pass", words("warehouse51.any.pass")))
    actions += [Action(f"bid_{bid}", words(f"{_TEXT}.bid", ingots=bid)) for bid in range(1, MAX_INGOTS + 1)]
    actions.append(Action("decline", words(f"{_TEXT}.decline")))
    for verb, key in (
        ("pawn", f"{_TEXT}.pawn"),
        ("redeem", f"{_TEXT}.redeem"),
        ("certify", f"{_TEXT}.certify"),
        ("choose", "warehouse51.any.choose"),
    ):
        actions += [Action(f"{verb}_{id}", words(key, relic=name)) for id, name in zip(ids, names, strict=True)]
    actions += [Action(f"choose_gap_{gap}", words("warehouse51.any.look", distance=gap)) for gap in range(MAX_PLAYERS)]
    return ActionTable([*actions, *parts_in_use(added, relics.effects)])
