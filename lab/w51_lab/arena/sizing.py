"""How many games an interval of a wanted width needs, before any is played: as many as random players would need."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from w51_env.engine.game import RANDOM
from w51_lab.arena import seatings
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import collect
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.statistics.sequential import LOOK_EVERY, deals_to_plan

_DEALS, _MAX_GAMES = 200, 20_000  # of random players, by which the spread of differences is judged


class Needed(NamedTuple):
    """Deals that random players in the places of the agents would need, and games of each."""

    deals: int
    a_deal: int


def sized(spec: TournamentSpec) -> tuple[TournamentSpec, Needed]:
    """The specification with as many games as `precision` needs, and with rotations where seatings are not chosen."""
    rule = seatings.ROTATIONS if spec.seatings == "auto" else spec.seatings
    spec = spec.model_copy(update={"seatings": rule})
    needed = _needed(spec)
    most = next(one.le for one in TournamentSpec.model_fields["games"].metadata if hasattr(one, "le"))
    return spec.model_copy(update={"games": min(most, max(needed.deals, LOOK_EVERY) * needed.a_deal)}), needed


def size_line(plan: Plan, needed: Needed | None = None) -> Iterator[str]:
    """What `precision` needs, counted unless it is known, and what is planned, in a sentence; none without it."""
    if plan.spec.precision is not None:
        deals, a_deal = needed or _needed(plan.spec.model_copy(update={"seatings": plan.seatings}))
        yield (
            f"an interval {plan.spec.precision:g} points wide needs about {deals:,} deals ({deals * a_deal:,} games) "
            f"where agents differ by chance as random ones do; planned at most: {len(plan.deals.seeds):,} deals"
        )


def _needed(spec: TournamentSpec) -> Needed:
    """Plays random deals to count them."""
    changed = {"agents": (RANDOM,) * len(spec.agents), "names": (), "deals": None, "seed": 0, "games": 2}
    apart = {"behaviour": False, "replays": 0, "surprising": 0, "time_limit": None}
    few = Plan(spec.model_copy(update={**changed, **apart}))
    a_deal = few.num_games // len(few.deals.seeds)
    plan = Plan(few.spec.model_copy(update={"games": min(_DEALS * a_deal, _MAX_GAMES)}))
    games = collect(plan, list(InProcessExecutor(plan).results(plan.blocks)))
    # Random players play a deal alike in each seating, others do not: the games of a deal count as independent ones.
    by_game, (first, second) = games.by_game(games.results), np.triu_indices(len(games.agents), 1)
    differences = by_game[:, first] - by_game[:, second]
    of_deal = np.isfinite(differences).sum(axis=0) / len(games.deal_ids)
    met = of_deal > 0
    deviation = float((np.nanstd(differences[:, met], axis=0) / np.sqrt(of_deal[met])).max())
    return Needed(deals_to_plan(plan.width or 1.0, deviation, len(first)), a_deal)
