"""What a viewer knows of the counterfeits, and the points of all seats if the game ended now, as this viewer knows."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from w51_env.engine.game import ALL, Game
from w51_env.engine.standing import Standing
from w51_env.views.view import ViewContext
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.state_values import State
from w51_env.warehouse51.show.view_parts import StandingView
from w51_env.warehouse51.state import EXPOSED, NO_GAP, NO_RELIC, POINT_SOURCES

_STANDINGS: WeakKeyDictionary[Game, Standing] = WeakKeyDictionary()  # of games that somebody has


class Knowledge:
    """What a viewer knows of the counterfeits.

    Attributes:
        gaps: Gaps whose cards the viewer knows.
        beliefs: For each relic the probability that its counterfeit card was dealt to a gap: exact, from the number of
            cards that the viewer has not seen; what others do is not taken into account.
    """

    def __init__(self, context: ViewContext, state: State):
        num_players, viewer = context.game.num_players, context.viewer
        knows_all = state.shown or viewer == ALL
        looked = state.looked[viewer] if isinstance(viewer, int) else [0] * num_players
        self.gaps = {
            gap for gap in range(num_players) if knows_all or looked[gap] or viewer in (gap, (gap + 1) % num_players)
        }
        relic_set = load_relic_set(context.game.options["relics"])
        in_a_gap = int(context.game.rules["gap_cards"][0])
        seen = {index for index, gap in enumerate(state.gap) if gap != NO_GAP and gap in self.gaps}
        unseen = relic_set.counterfeit_cards - in_a_gap * len(self.gaps)
        chance = in_a_gap * (num_players - len(self.gaps)) / unseen if unseen else 0.0
        self.beliefs = {
            relic.id: 1.0 if index in seen else chance if relic.counterfeit else 0.0
            for index, relic in enumerate(relic_set.relics)
        }

    def may_be_counterfeit(self, state: State, index: int) -> bool:
        """Whether the viewer cannot tell if this relic will leave its collection as a counterfeit."""
        return 0 < self.beliefs[state.ids[index]] < 1 and index not in state.certificate_on

    def conceal(self, record: Any) -> np.ndarray:
        """(1,) records: a copy of the state in which no relic has an unknown counterfeit card."""
        known = np.array([record])
        gaps = known["counterfeit_gap"][0]
        gaps[[gap not in self.gaps for gap in gaps.tolist()]] = NO_GAP
        known["cancelled"] *= known["shown"][:, None]  # before the cards are turned over, it means nothing
        return known


def _standing_of(game: Game) -> Standing:
    if (found := _STANDINGS.get(game)) is None:
        found = _STANDINGS[game] = Standing(game)
    return found


def standings(context: ViewContext, state: State, known: Knowledge) -> list[StandingView]:
    """The standing of each seat."""
    ended = _standing_of(context.game).ended(known.conceal(context.record))
    values = _values(context, ended[0]["place"], state)
    return [
        StandingView(
            points=_points(ended[0], seat),
            total=int(ended["scores"][0][seat]),
            values=values[seat],
            doubtful=_doubtful(context, state, known, seat),
        )
        for seat in range(context.game.num_players)
    ]


def gains(context: ViewContext, state: State, known: Knowledge) -> list[dict[str, int]]:
    """What the points of each seat would change by, by source, if it had the lot at the end; its price is left out."""
    num_players = context.game.num_players
    if state.lot == NO_RELIC:
        return [{} for _ in range(num_players)]
    states = np.repeat(known.conceal(context.record), num_players + 1)
    states["place"][:, state.lot] = [EXPOSED, *range(num_players)]
    without, *owning = _standing_of(context.game).ended(states)
    points = [(_points(without, seat), _points(owned, seat)) for seat, owned in enumerate(owning)]
    return [{source: after[source] - before[source] for source in after} for before, after in points]


def _points(ended: Any, seat: int) -> dict[str, int]:
    return dict(zip(POINT_SOURCES, ended["points"][seat].tolist(), strict=True))


def _values(context: ViewContext, place: np.ndarray, state: State) -> list[dict[str, int]]:
    """The sum of the values that count in each category, for each seat."""
    relics = load_relic_set(context.game.options["relics"]).relics
    sums: list[dict[str, int]] = [dict.fromkeys((relic.category for relic in relics), 0) for _ in state.ingots]
    for index, relic in enumerate(relics):
        if place[index] >= 0 and not state.pawned[index]:
            sums[place[index]][relic.category] += relic.value
    return sums


def _doubtful(context: ViewContext, state: State, known: Knowledge, seat: int) -> list[str]:
    relics = load_relic_set(context.game.options["relics"]).relics
    owned = (index for index in range(len(relics)) if state.place[index] == seat)
    return list(dict.fromkeys(relics[index].category for index in owned if known.may_be_counterfeit(state, index)))
