"""What a viewer may know of Warehouse 51, as plain data with its words (`views.view`)."""

from functools import lru_cache
from typing import Any

from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_env.views.presentation import final_score
from w51_env.views.view import Data, ViewContext, ViewFunctions
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import built_in_relic_sets, load_relic_set
from w51_env.warehouse51.show.descriptions import NAME, describe_action, describe_event, name_tie_breakers
from w51_env.warehouse51.show.payees import payee_for
from w51_env.warehouse51.show.standing import Knowledge, gains, standings
from w51_env.warehouse51.show.state_values import State, seat_or_none
from w51_env.warehouse51.show.view_parts import (
    CertificateView,
    GapView,
    LotView,
    OwnedView,
    RelicView,
    SeatView,
    StandingView,
    TableView,
)
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


def show(context: ViewContext) -> tuple[str, str, list[Data], Data]:
    """Phase, headline, players (`SeatView`) and table (`TableView`)."""
    game, record, words = context.game, context.record, context.words
    state = State(record, game)
    known = Knowledge(context, state)
    phase = "over" if record["over"] else PHASES[state.phase]
    headline = words(f"{NAME}.phase.{phase}", seat=words.seat(int(record["seat"])))
    standing = standings(context, state, known)
    players = [_player(context, state, seat, standing[seat]) for seat in range(game.num_players)]
    return phase, headline, players, dict(_table(context, state, known))


def _player(context: ViewContext, state: State, seat: int, standing: StandingView) -> Any:
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
        standing=standing,
        score=final_score(record, seat, points),
    )


def _owned(state: State, index: int) -> OwnedView:
    return OwnedView(
        relic=state.ids[index],
        pawned=bool(state.pawned[index]),
        certified=index in state.certificate_on,
        buyer=seat_or_none(state.buyer[index]),
        price=state.price[index],
    )


def _table(context: ViewContext, state: State, known: Knowledge) -> TableView:
    game, record = context.game, context.record
    relic_set = load_relic_set(game.options["relics"])
    left = (game.rules["deck_size"][0] - record["drawn"]).tolist()
    used = game.rules["deck_size"][0].tolist()
    categories = [category for category, size in zip(CATEGORIES, used, strict=True) if size]
    return TableView(
        relics=relic_views(game.options["relics"], context.words.language),
        categories=categories,
        decks={category: count for category, count in zip(CATEGORIES, left, strict=True) if category in categories},
        lot=_lot(context, state, known),
        reserve=int(record["reserve"]),
        pawn_tokens=PAWN_TOKENS
        - sum(pawned and place != EXPOSED for pawned, place in zip(state.pawned, state.place, strict=True)),
        first_player=int(record["first_player"]),
        revealer=int(record["revealer"]),
        last_winner=seat_or_none(int(record["last_winner"])),
        certificates=_certificates(state),
        unsold=state.at(UNSOLD),
        exposed=state.at(EXPOSED),
        gaps=[_gap(context, state, known, gap) for gap in range(game.num_players)],
        beliefs=known.beliefs,
        counterfeits_shown=state.shown,
        options={name: value for name, value in game.options.items() if name not in ("relics", "reward")},
        deck_order=_deck_order(record, state, relic_set) if context.viewer == ALL else None,
    )


def _lot(context: ViewContext, state: State, known: Knowledge) -> LotView | None:
    if state.lot == NO_RELIC:
        return None
    record, relic = context.record, load_relic_set(context.game.options["relics"]).relics[state.lot]
    is_open = state.phase == OPEN_AUCTION
    leader = seat_or_none(int(record["leader"])) if is_open else None
    payer = context.viewer if leader is None else leader
    return LotView(
        relic=relic.id,
        auction="blind" if relic.weapon else "open",
        running=is_open or state.phase == BLIND_AUCTION,
        standing_bid=int(record["standing_bid"]) if is_open else 0,
        leader=leader,
        payee=payee_for(context.game, payer) if isinstance(payer, int) else None,
        gains=gains(context, state, known),
    )


def _certificates(state: State) -> list[CertificateView]:
    return [
        CertificateView(
            giver=state.ids[giver], holder=state.holder(token), on=state.ids[on] if on != NO_RELIC else None
        )
        for token, (giver, on) in enumerate(zip(state.certificate_from, state.certificate_on, strict=True))
        if giver != NO_RELIC
    ]


def _gap(context: ViewContext, state: State, known: Knowledge, gap: int) -> GapView:
    num_players = context.game.num_players
    dealt = [index for index in range(len(state.ids)) if gap in known.gaps and state.gap[index] == gap]
    return GapView(
        gap=gap,
        seats=[gap, (gap + 1) % num_players],
        cards=int(context.game.rules["gap_cards"][0]),
        known=gap in known.gaps,
        relics=[state.ids[index] for index in dealt],
        cancelled=[state.ids[index] for index in dealt if state.shown and state.cancelled[index]],
        looked=[seat for seat in range(num_players) if state.looked[seat][gap]],
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
            value_source=relic.source("value") if relics in built_in_relic_sets() else "",
        )
        for relic in load_relic_set(relics).relics
    }


VIEW = ViewFunctions(show, describe_action, describe_event, name_tie_breakers)
