"""What a viewer may know of Warehouse 51, as plain data with its words (`views.view`)."""

from functools import lru_cache
from typing import Any, TypedDict

from w51_env.core.game import ALL, Game
from w51_env.views.language import Words
from w51_env.views.presentation import final_score
from w51_env.views.view import Data, ViewContext, ViewFunctions
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.descriptions import NAME, describe_action, describe_event
from w51_env.warehouse51.state import (
    BLIND_AUCTION,
    CATEGORIES,
    CERTIFICATES,
    EXPOSED,
    IN_DECK,
    NO_RELIC,
    NOT_BID,
    OPEN_AUCTION,
    PAWN_TOKENS,
    PHASES,
    POINT_SOURCES,
    UNSOLD,
)


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
    counterfeits_shown: bool  #     whether the counterfeit cards are turned over for all
    options: Data  #                the options of the game but the relics and the reward
    deck_order: dict[str, list[str]] | None  # from the top, by category; privileged: only for the viewer `all`


class State:
    """The fields of one record as plain Python values: much faster to read than the record."""

    def __init__(self, record: Any, game: Game):
        self.place: list[int] = record["place"].tolist()
        self.pawned: list[int] = record["pawned"].tolist()
        self.buyer: list[int] = record["buyer"].tolist()
        self.price: list[int] = record["price"].tolist()
        self.gap: list[int] = record["counterfeit_gap"].tolist()
        self.cancelled: list[int] = record["cancelled"].tolist()
        self.certificate_from: list[int] = record["certificate_from"].tolist()
        self.certificate_on: list[int] = record["certificate_on"].tolist()
        self.looked: list[list[int]] = record["looked"].tolist()
        self.highest_bid: list[list[int]] = record["highest_bid"].tolist()
        self.ingots: list[int] = record["ingots"].tolist()
        self.bidding: list[int] = record["bidding"].tolist()
        self.secret_bid: list[int] = record["secret_bid"].tolist()
        self.phase, self.lot, self.shown = int(record["phase"]), int(record["lot"]), bool(record["shown"])
        self.ids = load_relic_set(game.options["relics"]).ids
        self.follows_relic = game.options["certificate_belongs_to"] == "owner"

    def at(self, place: int) -> list[str]:
        """Ids of the relics in a place, in the order of the relic set."""
        return [relic for index, relic in enumerate(self.ids) if self.place[index] == place]

    def holder(self, token: int) -> int | None:
        """E2: the seat that can place a certificate."""
        giver = self.certificate_from[token]
        if giver == NO_RELIC or self.certificate_on[token] != NO_RELIC:
            return None
        return _seat(self.place[giver] if self.follows_relic else self.buyer[giver])


def _seat(number: int) -> int | None:
    return number if number >= 0 else None


def show(context: ViewContext) -> tuple[str, str, list[Data], Data]:
    """Phase, headline, players (`SeatView`) and table (`TableView`)."""
    game, record, words = context.game, context.record, context.words
    state = State(record, game)
    phase = "over" if record["over"] else PHASES[state.phase]
    headline = words(f"{NAME}.phase.{phase}", seat=words.seat(int(record["seat"])))
    players = [_player(context, state, seat) for seat in range(game.num_players)]
    return phase, headline, players, dict(_table(context, state))  # type: ignore[arg-type]


def _player(context: ViewContext, state: State, seat: int) -> Any:
    record, ids = context.record, state.ids
    points = dict(zip(POINT_SOURCES, record["points"][seat].tolist(), strict=True))
    running = state.phase in (OPEN_AUCTION, BLIND_AUCTION)
    secret = state.secret_bid[seat]
    return SeatView(
        seat=seat,
        name=context.words.seat(seat),
        ingots=state.ingots[seat],
        collection=[_owned(state, index) for index in range(len(ids)) if state.place[index] == seat],
        certificates=sum(state.holder(token) == seat for token in range(CERTIFICATES)),
        bidding=bool(state.bidding[seat]) if state.phase == OPEN_AUCTION else None,
        bid=state.highest_bid[seat][state.lot] if running else 0,
        has_bid=secret != NOT_BID,
        secret_bid=secret if secret != NOT_BID and context.viewer in (seat, ALL) else None,
        bids={ids[index]: bid for index, bid in enumerate(state.highest_bid[seat]) if bid},
        score=final_score(record, seat, points),
    )


def _owned(state: State, index: int) -> OwnedView:
    return OwnedView(
        relic=state.ids[index],
        pawned=bool(state.pawned[index]),
        certified=index in state.certificate_on,
        buyer=_seat(state.buyer[index]),
        price=state.price[index],
    )


def _table(context: ViewContext, state: State) -> TableView:
    game, record = context.game, context.record
    relic_set = load_relic_set(game.options["relics"])
    left = (game.rules["deck_size"][0] - record["drawn"]).tolist()
    used = game.rules["deck_size"][0].tolist()
    categories = [category for category, size in zip(CATEGORIES, used, strict=True) if size]
    return TableView(
        relics=relic_views(game.options["relics"], context.words.language),
        categories=categories,
        decks={category: count for category, count in zip(CATEGORIES, left, strict=True) if category in categories},
        lot=_lot(record, state, relic_set),
        reserve=int(record["reserve"]),
        pawn_tokens=PAWN_TOKENS
        - sum(pawned and place != EXPOSED for pawned, place in zip(state.pawned, state.place, strict=True)),
        first_player=int(record["first_player"]),
        revealer=int(record["revealer"]),
        last_winner=_seat(int(record["last_winner"])),
        certificates=_certificates(state),
        unsold=state.at(UNSOLD),
        exposed=state.at(EXPOSED),
        gaps=[_gap(context, state, gap) for gap in range(game.num_players)],
        counterfeits_shown=state.shown,
        options={name: value for name, value in game.options.items() if name not in ("relics", "reward")},
        deck_order=_deck_order(record, state, relic_set) if context.viewer == ALL else None,
    )


def _lot(record: Any, state: State, relic_set: RelicSet) -> LotView | None:
    if state.lot == NO_RELIC:
        return None
    is_open = state.phase == OPEN_AUCTION
    return LotView(
        relic=state.ids[state.lot],
        auction="blind" if relic_set.relics[state.lot].weapon else "open",
        running=is_open or state.phase == BLIND_AUCTION,
        standing_bid=int(record["standing_bid"]) if is_open else 0,
        leader=_seat(int(record["leader"])) if is_open else None,
    )


def _certificates(state: State) -> list[CertificateView]:
    return [
        CertificateView(
            giver=state.ids[giver], holder=state.holder(token), on=state.ids[on] if on != NO_RELIC else None
        )
        for token, (giver, on) in enumerate(zip(state.certificate_from, state.certificate_on, strict=True))
        if giver != NO_RELIC
    ]


def _gap(context: ViewContext, state: State, gap: int) -> GapView:
    seats = [gap, (gap + 1) % context.game.num_players]
    viewer = context.viewer
    looked = [seat for seat in range(context.game.num_players) if state.looked[seat][gap]]
    known = state.shown or viewer == ALL or viewer in seats or viewer in looked
    dealt = [index for index in range(len(state.ids)) if known and state.gap[index] == gap]
    return GapView(
        gap=gap,
        seats=seats,
        cards=int(context.game.rules["gap_cards"][0]),
        known=known,
        relics=[state.ids[index] for index in dealt],
        cancelled=[state.ids[index] for index in dealt if state.shown and state.cancelled[index]],
        looked=looked,
    )


def _deck_order(record: Any, state: State, relic_set: RelicSet) -> dict[str, list[str]]:
    order: dict[str, list[str]] = {}
    for index in record["deck"].tolist():
        if index != NO_RELIC and state.place[index] == IN_DECK:
            order.setdefault(relic_set.relics[index].category, []).append(state.ids[index])
    return order


@lru_cache(maxsize=64)
def relic_views(relics: str, language: str) -> dict[str, RelicView]:
    """Every relic of a set by id; `relics` is the option of the game. All views share the dicts."""
    words = Words(language)
    return {
        relic.id: RelicView(
            id=relic.id,
            name=relic.name_in(words.language),
            category=relic.category,
            value=relic.value,
            alignment=relic.alignment,
            effect=relic.effect,
            amount=relic.amount,
            effect_text=relic.effect_text(words),
            weapon=relic.weapon,
            counterfeit=relic.counterfeit,
        )
        for relic in load_relic_set(relics).relics
    }


VIEW = ViewFunctions(show, describe_action, describe_event)
