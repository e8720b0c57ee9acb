"""The cards of Warehouse 51 that a seat cannot see: counterfeits in gaps, and the order of the decks (S3, S4)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from w51_env.engine.game import Game
from w51_env.warehouse51 import state
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import load_relic_set


def known_gaps(game: Game, record: Any, seat: int) -> list[int]:
    """S4: the gaps whose cards the seat has seen: those beside it, and those at which it has looked."""
    gaps = range(game.num_players)
    beside = (seat, (seat - 1) % game.num_players)
    return [gap for gap in gaps if record["shown"] or gap in beside or record["looked"][seat, gap]]


def deal_gaps(game: Game, record: Any, seat: int, known: Mapping[int, Sequence[int]]) -> None:
    """S4: put the known cards into their gaps, and any cards that are left into the others."""
    relics, cards = load_relic_set(game.options["relics"]), int(game.rules["gap_cards"][0])
    record["counterfeit_gap"] = state.NO_GAP
    for gap, shown in known.items():
        record["counterfeit_gap"][list(shown)] = gap
    rest = iter(unseen(relics, record))
    for gap in range(game.num_players):
        for _ in range(cards if gap not in known else 0):
            if (relic := next(rest, None)) is not None:
                record["counterfeit_gap"][relic] = gap


def unseen(relics: RelicSet, record: Any, gaps: Iterable[int] | None = None) -> list[int]:
    """Relics whose counterfeit card is in none of these gaps; None: in no gap."""
    where = record["counterfeit_gap"].tolist()
    known = {*range(state.MAX_PLAYERS)} if gaps is None else {*gaps}
    return [index for index, relic in enumerate(relics.relics) if relic.counterfeit and where[index] not in known]


def sort_decks(game: Game, record: Any) -> None:
    """S3: in each deck those that were turned over come first, then the others."""
    record["deck"] = state.NO_RELIC
    for category, (start, size) in enumerate(zip(game.rules["deck_start"][0], game.rules["deck_size"][0], strict=True)):
        run = np.arange(start, start + size)
        in_deck = record["place"][run] == state.IN_DECK
        record["deck"][start : start + size] = [*run[~in_deck], *run[in_deck]]
        record["drawn"][category] = (~in_deck).sum()
