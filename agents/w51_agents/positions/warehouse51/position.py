"""Positions of Warehouse 51 as one seat sees them (`positions.position`): written, and played on as cards are seen."""

from typing import Any

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import Data
from w51_env.warehouse51 import actions, state
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.state_values import State
from w51_table.positions.position import PositionFormat, Reveal
from w51_table.positions.warehouse51.hidden_cards import deal_gaps, known_gaps, unseen
from w51_table.positions.warehouse51.position_reader import KEYS, LAST_PHASE, read


def write(game: Game, record: Any, seat: int) -> Data:
    """The position that a seat sees; see `PositionFormat.write`. Fields with their default are left out."""
    if record["phase"] > LAST_PHASE:
        raise OptionError("position: the counterfeits are turned over, so nothing is hidden from any seat")
    view, num_players = State(record, game), game.num_players
    ids, running = view.ids, view.phase in state.AUCTIONS
    of = {relic: index for index, relic in enumerate(ids)}
    gaps = {str(gap): [ids[i] for i in range(len(ids)) if view.gap[i] == gap] for gap in known_gaps(game, record, seat)}
    found: Data = {
        "ingots": view.ingots[:num_players],
        "relics": [view.at(owner) for owner in range(num_players)],
        "gaps": gaps,
        "revealer": int(record["revealer"]),
        "first_player": int(record["first_player"]),
        "last_winner": int(record["last_winner"]) if record["last_winner"] >= 0 else None,
        "lot": ids[view.lot] if view.lot >= 0 else None,
        "phase": None if running or view.phase == state.REVEAL else state.PHASES[view.phase],
        "to_move": int(record["seat"]),
        "turn": int(record["turn"]),
        "pawned": [relic for relic in ids if view.pawned[of[relic]]],
        "unsold": view.at(state.UNSOLD),
        "certificates": {
            ids[giver]: ids[on] if on >= 0 else None
            for giver, on in zip(view.certificate_from, view.certificate_on, strict=True)
            if giver >= 0
        },
        "looked": {str(s): [g for g, saw in enumerate(row) if saw] for s, row in enumerate(view.looked) if any(row)},
        "bought": {ids[i]: [buyer, view.price[i]] for i, buyer in enumerate(view.buyer) if buyer >= 0},
        "bids": {
            relic: bids
            for relic in ids
            if any(bids := [view.highest_bid[other][of[relic]] for other in range(num_players)])
        },
    }
    if view.phase == state.OPEN_AUCTION:
        found["passed"] = [other for other in range(num_players) if not view.bidding[other]]
        if record["leader"] >= 0:
            found |= {"bid": int(record["standing_bid"]), "leader": int(record["leader"])}
    if view.phase == state.BLIND_AUCTION and view.secret_bid[seat] != state.NOT_BID:
        found["secret_bid"] = view.secret_bid[seat]
    return {
        name: value for name, value in found.items() if value not in (None, [], {}) and (name, value) != ("turn", 0)
    }


def reveal(game: Game, record: Any, action: int, seat: int) -> Reveal | None:
    """T1 the relic on top, an effect's look at a gap, E3 all gaps; see `PositionFormat.reveal`."""
    relics = load_relic_set(game.options["relics"])
    gaps, cards = known_gaps(game, record, seat), int(game.rules["gap_cards"][0])
    blanks = relics.blank_counterfeits
    if record["phase"] == state.REVEAL and action < actions.PASS:
        left = [relics.ids[relic] for relic in _deck(game, record, action)]
        return Reveal("relic", tuple(left), 1, 1) if len(left) > 1 else None
    cards_left = tuple(relics.ids[index] for index in unseen(relics, record, gaps))
    if record["phase"] == state.LOOK and record["seat"] == seat and action >= actions.CHOOSE_GAP:
        gap = (seat + action - actions.CHOOSE_GAP) % game.num_players
        return Reveal("cards", cards_left, max(0, cards - blanks), cards) if gap not in gaps else None
    hidden = cards * (game.num_players - len(gaps))
    return (
        Reveal("end", cards_left, max(0, hidden - blanks), hidden)
        if hidden and _turns_over(game, record, action)
        else None
    )


def _deck(game: Game, record: Any, category: int) -> list[int]:
    start, size = int(game.rules["deck_start"][0][category]), int(game.rules["deck_size"][0][category])
    return sorted(record["deck"][start + int(record["drawn"][category]) : start + size].tolist())


def _turns_over(game: Game, record: Any, action: int) -> bool:
    """E3: whether the counterfeits are turned over after this action."""
    if record["drawn"].sum() < len(load_relic_set(game.options["relics"])):
        return False
    batch = Batch(game, 1, autoreset="disabled", observe=False)
    batch.load(np.array([record], game.record))
    batch.step(np.array([action]))
    return bool(batch.games[0]["shown"]) and not record["shown"]


def arrange(game: Game, record: Any, action: int, seat: int, shown: list[str]) -> None:
    """Change the state so that an action shows these relics to the seat; see `PositionFormat.arrange`."""
    relics = load_relic_set(game.options["relics"])
    indices = [relics.index(relic) for relic in shown]
    if record["phase"] == state.REVEAL:
        top = int(game.rules["deck_start"][0][action]) + int(record["drawn"][action])
        deck = record["deck"]
        at = deck.tolist().index(indices[0])
        deck[[top, at]] = deck[[at, top]]
        return
    where = record["counterfeit_gap"].tolist()
    known = {
        gap: [index for index, place in enumerate(where) if place == gap] for gap in known_gaps(game, record, seat)
    }
    cards = int(game.rules["gap_cards"][0])
    if record["phase"] == state.LOOK:
        known[(seat + action - actions.CHOOSE_GAP) % game.num_players] = indices
    else:
        hidden = [gap for gap in range(game.num_players) if gap not in known]
        known |= {gap: indices[number * cards : (number + 1) * cards] for number, gap in enumerate(hidden)}
    deal_gaps(game, record, seat, known)


def names(game: Game, words: Words) -> dict[str, str]:
    """The name of each relic, by its id."""
    return {relic.id: relic.name_in(words.language) for relic in load_relic_set(game.options["relics"]).relics}


POSITIONS = PositionFormat(KEYS, read, write, reveal, arrange, names, "blind_auction")
