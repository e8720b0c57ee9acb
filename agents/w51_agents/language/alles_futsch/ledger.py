"""Where the money of Alles Futsch! came from and went, from all events of a game."""

from collections import defaultdict
from collections.abc import Sequence

from w51_env.views.view import Data

SOURCES = ("cards", "sales", "purchases", "fines", "bonuses")
_OF = {"bought": ("cards", -1), "sold": ("sales", 1), "fined": ("fines", -1), "bonus": ("bonuses", 1)}


def ledger(events: Sequence[Data], num_players: int) -> dict[str, list[int]]:
    """For each of `SOURCES` the money that each seat got by it, or less than 0 what it paid.

    Args:
        events: All events of the game, as `View.news` holds them.
        num_players: Seats in play.
    """
    sums: dict[str, list[int]] = defaultdict(lambda: [0] * num_players)
    for event in events:
        if event["event"] in _OF:
            source, sign = _OF[event["event"]]
            sums[source][event["seat"]] += sign * event["money"]
        if event["event"] == "sold":
            sums["purchases"][event["buyer"]] -= event["money"]
    return {source: sums[source] for source in SOURCES}
