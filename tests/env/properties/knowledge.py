"""Changes of what a seat can't know, made without the engine's own redraw, for tests that look for leaks."""

from collections.abc import Callable

import numpy as np

from w51_env.auctions.state import NOT_BID as NO_AUCTION_BID
from w51_env.engine.game import Game
from w51_env.warehouse51.state import BLIND_AUCTION, NO_GAP, NOT_BID

Change = Callable[[Game, np.void, int, np.random.Generator], None]


def known_gaps(game: Game, state: np.void, seat: int) -> set[int]:
    """S4, E3, look_at_counterfeits: gaps whose cards the seat has seen; gap g lies between seats g and g + 1."""
    players = game.num_players
    if state["shown"]:
        return set(range(players))
    return {seat, (seat - 1) % players} | {gap for gap in range(players) if state["looked"][seat][gap]}


def reverse_decks(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """S3: what is left of each deck, upside down."""
    rules = game.rules[0]
    for category in range(len(state["drawn"])):
        first = int(rules["deck_start"][category] + state["drawn"][category])
        end = int(rules["deck_start"][category] + rules["deck_size"][category])
        state["deck"][first:end] = state["deck"][first:end][::-1].copy()


def deal_unseen_counterfeits_anew(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """S4: other cards in the gaps that the seat has not seen."""
    rules = game.rules[0]
    known = known_gaps(game, state, seat)
    seen = [relic for relic in range(int(rules["num_relics"])) if state["counterfeit_gap"][relic] in known]
    unseen = [
        relic for relic in range(int(rules["num_relics"])) if rules["has_counterfeit"][relic] and relic not in seen
    ]
    blanks = int(rules["blank_counterfeits"]) - (len(known) * int(rules["gap_cards"]) - len(seen))
    pile = generator.permutation([*unseen, *[-1] * blanks])
    state["counterfeit_gap"][unseen] = NO_GAP
    places = [gap for gap in range(game.num_players) if gap not in known for _ in range(int(rules["gap_cards"]))]
    for gap, card in zip(places, pile, strict=False):
        if card >= 0:
            state["counterfeit_gap"][card] = gap


def change_secret_bids(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """T5: other bids in the other closed fists."""
    if state["phase"] == BLIND_AUCTION:
        for other in range(game.num_players):
            if other != seat and state["secret_bid"][other] != NOT_BID:
                state["secret_bid"][other] = generator.integers(0, state["ingots"][other] + 1)


def change_random_numbers(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """Another stream, from which another game would have been dealt."""
    state["stream"] = generator.integers(0, 2**64, dtype=np.uint64)


def shuffle_unseen_cards(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """A1: the cards that are not turned up in another order, those set aside among them."""
    state["deck"][state["next_card"] :] = generator.permutation(state["deck"][state["next_card"] :])


def change_values(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """L1, L2, L8, L9: other signals and secret bids of others, another common part, other lots to come."""
    if state["over"]:
        return
    highest, others = int(game.rules["max_value"][0]) + 1, np.arange(game.num_players) != seat
    signals, bids = state["signals"][: game.num_players], state["bids"][: game.num_players]
    signals[others] = generator.integers(0, highest, others.sum())
    bids[others & (bids != NO_AUCTION_BID)] = generator.integers(0, 2)
    second = state["second_bids"][: game.num_players]
    second[others & (second != NO_AUCTION_BID)] = 0
    if game.rules["two_bids"][0]:
        state["second_signals"][: game.num_players][others] = generator.integers(0, highest, others.sum())
    state["common"], state["lot"] = generator.integers(0, highest), generator.integers(0, 2)


def change_all(game: Game, state: np.void, seat: int, generator: np.random.Generator) -> None:
    """All of it at once."""
    for change in CHANGES[game.name][:-1]:
        change(game, state, seat, generator)


def changed(game: Game, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """Copies of (N,) states in which all that the seat cannot know is another."""
    states, generator = states.copy(), np.random.default_rng(seed)
    for state in states:
        change_all(game, state, seat, generator)
    return states


CHANGES: dict[str, tuple[Change, ...]] = {  # by the names of games
    "warehouse51": (
        reverse_decks,
        deal_unseen_counterfeits_anew,
        change_secret_bids,
        change_random_numbers,
        change_all,
    ),
    "alles_futsch": (shuffle_unseen_cards, change_random_numbers, change_all),
    "auctions": (change_values, change_random_numbers, change_all),
}
