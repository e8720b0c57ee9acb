"""The thoughts of a seat: what its decisions ask again and again, kept as long as it knows the same.

Within an auction only the leader, the standing bid and who has passed change, so of some ten bids for a lot each seat
thinks about one. Thoughts belong to what is known (`known.changed`), so they are right whoever played in between.
"""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.bots.money import think_of_money
from w51_env.warehouse51.bots.weights import SET_CHANCE, for_players
from w51_env.warehouse51.state import MAX_CATEGORIES


@kernel
def think(rules, known):
    """Begin new thoughts, unless those of before are of what is known now."""
    if not known.changed:
        return
    known.changed = 0
    known.has_totals[:] = 0
    known.has_worth[:] = 0
    known.has_gain[:] = 0
    known.has_points[:] = 0
    known.has_pawn = 0
    known.has_score = 0
    known.relics_left = 0
    for category in range(MAX_CATEGORIES):
        left = int(known.deck_left[category])
        known.relics_left += left
        known.later[category] = min(1.0, for_players(rules, SET_CHANCE) * left / rules.num_players)
    known.relics[:, :] = 0
    for relic in range(rules.num_relics):
        known.relics[1 + known.owner[relic], rules.category[relic]] += not known.counterfeit[relic]
    think_of_money(rules, known)
