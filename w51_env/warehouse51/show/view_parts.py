"""The parts of a view of Warehouse 51: plain data with these fields."""

from typing import TypedDict

from w51_env.views.view import Data


class RelicView(TypedDict):
    """A relic of the game, as its card shows it."""

    id: str
    name: str  #            in the language of the view
    category: str  #        blue, green, golden, red
    value: int
    alignment: str  #       blessed, cursed, neutral
    effect: str | None  #   kind of effect
    amount: int | None  #   its number
    effect_text: str  #     empty if it has no effect
    weapon: bool  #         auctioned blind
    counterfeit: bool  #    one of the counterfeit cards shows it
    value_source: str  #    of a built-in relic set: rulebook, review, reconstructed; else empty


class StandingView(TypedDict):
    """The points of a seat if the game ended now and unknown counterfeits were none."""

    points: dict[str, int]  #   by source
    total: int
    values: dict[str, int]  #   of the relics that count, by category
    doubtful: list[str]  #      categories in which a relic of the seat may be a counterfeit


class OwnedView(TypedDict):
    """A relic in a collection."""

    relic: str  #           id
    pawned: bool
    certified: bool
    buyer: int | None  #    who won it at auction
    price: int  #           ingots paid for it


class CertificateView(TypedDict):
    """A certificate that somebody has taken."""

    giver: str  #           relic that gave it
    holder: int | None  #   seat that can place it; None once it is placed, or if its giver left the game
    on: str | None  #       relic that it is on


class LotView(TypedDict):
    """The relic up for auction, or just bought while its buyer chooses for its effect."""

    relic: str  #           id
    auction: str  #         open, blind
    running: bool  #        False once it is bought
    standing_bid: int  #    open auction: the highest bid so far; else 0
    leader: int | None  #   open auction: who made it
    payee: int | None  #    whom the leader, or else the viewer, would pay; None: no seat alone (option payment_to)
    gains: list[dict[str, int]]  # for each seat what its points would change by, by source, if it had the relic


class GapView(TypedDict):
    """The counterfeit cards between two neighbours, as far as the viewer may know them."""

    gap: int
    seats: list[int]  #     the two neighbours
    cards: int  #           cards that were dealt to it
    known: bool  #          whether the viewer knows the cards
    relics: list[str]  #    relics that known cards show; a blank card shows none
    cancelled: list[str]  # those whose counterfeit was cancelled
    looked: list[int]  #    seats that have looked at it by an effect


class SeatView(TypedDict):
    """One player."""

    seat: int
    name: str
    ingots: int
    collection: list[OwnedView]  #  by category, in the order of the relic set
    certificates: int  #            to place
    bidding: bool | None  #         open auction: still in (True) or out (False); else None
    bid: int  #                     highest public bid for the lot; 0 if none
    has_bid: bool  #                blind auction: the secret bid is made
    secret_bid: int | None  #       the secret bid, if the viewer may know it
    bids: dict[str, int]  #         highest public bid for each relic that the seat has bid for
    standing: StandingView
    score: Data | None  #           at the end: total, rank, points by source


class TableView(TypedDict):
    """All but the players."""

    relics: dict[str, RelicView]  # every relic of the game by id
    categories: list[str]  #        those of the relic set
    decks: dict[str, int]  #        relics left by category
    lot: LotView | None
    reserve: int
    pawn_tokens: int  #             still free
    first_player: int
    revealer: int
    last_winner: int | None  #      of an auction
    certificates: list[CertificateView]
    unsold: list[str]
    exposed: list[str]  #           counterfeits that left a collection
    gaps: list[GapView]
    beliefs: dict[str, float]  #    probability that a counterfeit card in a gap shows the relic, as the viewer knows
    counterfeits_shown: bool  #     whether the counterfeit cards are turned over for all
    options: Data  #                the options of the game but the relics and the reward
    deck_order: dict[str, list[str]] | None  # from the top, by category; privileged: only for the viewer `all`
