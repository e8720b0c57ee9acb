"""Positions of Warehouse 51 as one seat sees them: read, and checked for what contradicts itself."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.options import check_range
from w51_env.engine.plain_data import in_short
from w51_env.views.language import Words
from w51_env.warehouse51 import state
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.descriptions import gap_text
from w51_table.positions.position import Fields, PositionError
from w51_table.positions.warehouse51.hidden_cards import deal_gaps, known_gaps, sort_decks

_TEXT = "warehouse51.position"
KEYS = (
    *("ingots", "relics", "gaps", "revealer", "lot", "bid", "leader", "passed", "to_move", "pawned", "unsold"),
    *("first_player", "last_winner", "looked", "certificates", "bought", "bids", "secret_bid", "phase", "turn"),
)
LAST_PHASE = state.CERTIFY  # after it the counterfeits are turned over, and nothing is hidden
_CHOOSING = (state.TAKE, state.GIVE, state.LOOK)  # phases in which the lot has an owner


def read(game: Game, data: Mapping[str, object], seat: int, words: Words) -> np.ndarray:
    """(1,) structured: a state in which the seat sees this; see `PositionFormat.read`."""
    return _Reader(game, data, seat, words).states


class _Reader:
    """Reads one position into `states`, field by field."""

    def __init__(self, game: Game, data: Mapping[str, object], seat: int, words: Words):
        self.game, self.seat, self.words = game, seat, words
        self.fields, self._data = Fields(data, game.num_players), data
        self.relics = load_relic_set(game.options["relics"])
        self.known = {relic: index for index, relic in enumerate(self.relics.ids)}
        self.states = np.zeros(1, game.record)
        self.record: Any = self.states[0]
        self._places()
        self._money()
        self._auction()
        self._memory()
        deal_gaps(game, self.record, seat, self._gaps())
        sort_decks(game, self.record)

    def refused(self, key: str, field: str, **values: Any) -> PositionError:
        """The error that names what contradicts itself."""
        return PositionError(self.words(f"{_TEXT}.{key}", **values), field)

    def name(self, relic: int) -> str:
        return self.relics.relics[relic].name_in(self.words.language)

    def _places(self) -> None:
        """S3: where each relic is; T1: the lot."""
        record, fields = self.record, self.fields
        record["place"] = state.ABSENT
        record["place"][: len(self.relics)] = state.IN_DECK
        record["lot"] = state.NO_RELIC
        owned = [
            fields.ids(f"relics[{seat}]", self.known, given) for seat, given in enumerate(fields.for_seats("relics"))
        ]
        for place, relics in [*enumerate(owned), (state.UNSOLD, fields.ids("unsold", self.known))]:
            for relic in relics:
                if record["place"][relic] != state.IN_DECK:
                    raise self.refused("relic_twice", "relics", relic=self.name(relic))
                record["place"][relic] = place
        for relic in fields.ids("pawned", self.known):
            if record["place"][relic] < 0:
                raise self.refused("pawned_free", "pawned", relic=self.name(relic))
            record["pawned"][relic] = 1
        if (pawned := int(record["pawned"].sum())) > state.PAWN_TOKENS:
            raise self.refused("pawn_tokens", "pawned", count=pawned, tokens=state.PAWN_TOKENS)

    def _money(self) -> None:
        """S2: no ingot is made or lost, so the reserve has the rest."""
        record, options = self.record, self.game.options
        ingots = self.fields.numbers("ingots", options["start_ingots"], state.MAX_INGOTS)
        in_play = self.game.num_players * options["start_ingots"] + options["reserve"]
        if (held := sum(ingots)) > in_play:
            raise self.refused("too_many_ingots", "ingots", ingots=held, in_play=in_play)
        record["ingots"][: len(ingots)] = ingots
        record["reserve"] = in_play - held

    def _auction(self) -> None:
        """T1, T2, T5: the phase, the lot, the bids and the seat to move."""
        record, fields = self.record, self.fields
        names = {name: phase for phase, name in enumerate(state.PHASES[: LAST_PHASE + 1])}
        phase = fields.id("phase", names) if "phase" in fields else None
        relic = fields.id("lot", self.known) if "lot" in fields else state.NO_RELIC
        if phase is None:
            phase = state.REVEAL if relic < 0 else self._kind_of_auction(relic)
        bought = phase in _CHOOSING
        if relic >= 0 and (record["place"][relic] >= 0) != bought:
            raise self.refused("relic_twice", "relics", relic=self.name(relic))
        if relic >= 0 and not bought:
            record["place"][relic] = state.ON_THE_BLOCK
        record["revealer"] = fields.seat("revealer", 0)
        left = (int(record["revealer"]) + 1) % self.game.num_players
        record["lot"], record["phase"] = relic, phase
        record["seat"] = fields.seat("to_move", left if phase in state.AUCTIONS else int(record["revealer"]))
        record["leader"], record["secret_bid"] = state.NOBODY, state.NOT_BID
        record["turn"] = fields.number("turn", 0, state.MAX_RELICS)
        if phase == state.OPEN_AUCTION:
            self._open_bids(relic)
        elif wrong := next((name for name in ("bid", "leader", "passed") if self._data.get(name)), None):
            raise OptionError(f"{wrong}: {in_short(self._data[wrong])}, but only an open auction has it")
        if phase == state.BLIND_AUCTION:
            self._secret_bids(left)

    def _kind_of_auction(self, relic: int) -> int:
        return state.BLIND_AUCTION if self.relics.relics[relic].weapon else state.OPEN_AUCTION

    def _open_bids(self, relic: int) -> None:
        """T2, T3: who is still in, and the standing bid."""
        record, fields = self.record, self.fields
        passed, bid = fields.seats("passed"), fields.number("bid", 0, state.MAX_INGOTS)
        record["bidding"][: self.game.num_players] = 1
        record["bidding"][passed] = 0
        mover = int(record["seat"])
        if mover in passed:
            raise self.refused("has_passed", "to_move", seat=self.words.seat(mover))
        if (bid > 0) != ("leader" in fields):
            raise self.refused("no_leader", "leader", bid=bid)
        if bid:
            leader = fields.seat("leader", 0)
            if leader in passed or leader == mover:
                raise self.refused("leader_out", "leader", seat=self.words.seat(leader))
            if bid > (held := int(record["ingots"][leader])):
                raise self.refused("bid_too_high", "bid", seat=self.words.seat(leader), bid=bid, ingots=held)
            record["leader"], record["standing_bid"] = leader, bid
            record["highest_bid"][leader, relic] = bid

    def _secret_bids(self, left: int) -> None:
        """T5: those from the revealer's left to the seat to move have bid; what others bid is not known."""
        record, seat = self.record, left
        while seat != record["seat"]:
            own = self.fields.number("secret_bid", 0, int(record["ingots"][seat])) if seat == self.seat else 0
            record["secret_bid"][seat] = own
            seat = (seat + 1) % self.game.num_players

    def _memory(self) -> None:
        """What happened before: who bought what, who bid what; E2: certificates; who looked at which gap."""
        record, fields = self.record, self.fields
        num_players = self.game.num_players
        owned = record["place"][: len(self.relics)] >= 0
        record["buyer"] = state.NOBODY
        record["buyer"][: len(self.relics)][owned] = record["place"][: len(self.relics)][owned]
        for relic, sale in fields.items("bought"):
            buyer, price = Fields({"bought": sale}, 2).numbers("bought", 0, state.MAX_INGOTS)
            index = fields.id("bought", self.known, relic)
            record["buyer"][index], record["price"][index] = check_range("bought", buyer, 0, num_players - 1), price
        for relic, bids in fields.items("bids"):
            highest = Fields({"bids": bids}, num_players).numbers("bids", 0, state.MAX_INGOTS)
            record["highest_bid"][:num_players, fields.id("bids", self.known, relic)] = highest
        last = int(record["revealer"]) if owned.any() else state.NOBODY
        record["last_winner"] = fields.seat("last_winner", last)
        record["first_player"] = fields.seat("first_player", int(record["revealer"]))
        for seat, gaps in fields.by_seat("looked").items():
            record["looked"][seat, Fields({"looked": gaps}, num_players).seats("looked")] = 1
        self._certificates()

    def _certificates(self) -> None:
        """E2: the relics that gave a certificate, and what it was put on; without them, those that were bought."""
        record, fields = self.record, self.fields
        record["certificate_from"] = record["certificate_on"] = state.NO_RELIC
        bought = [
            i for i, relic in enumerate(self.relics.relics) if relic.effect == "certificate" and record["buyer"][i] >= 0
        ]
        given = {fields.id("certificates", self.known, giver): on for giver, on in fields.items("certificates")}
        tokens = given or dict.fromkeys(bought[: state.CERTIFICATES])
        if wrong := [giver for giver in given if giver not in bought]:
            raise self.refused("no_certificate", "certificates", relic=self.name(wrong[0]))
        for token, (giver, on) in enumerate(list(tokens.items())[: state.CERTIFICATES]):
            record["certificate_from"][token] = giver
            record["certificate_on"][token] = (
                state.NO_RELIC if on is None else fields.id("certificates", self.known, on)
            )

    def _gaps(self) -> dict[int, list[int]]:
        """S4: the relics on the cards of each gap that the seat knows."""
        given = self.fields.by_seat("gaps").items()
        known = {gap: self.fields.ids(f"gaps[{gap}]", self.known, shown) for gap, shown in given}
        needed, cards = known_gaps(self.game, self.record, self.seat), int(self.game.rules["gap_cards"][0])
        if wrong := sorted(set(known) - set(needed)):
            allowed = ", ".join(map(str, needed))
            raise OptionError(f"gaps: {wrong[0]}, but the seat knows the gaps {allowed}")
        seen: set[int] = set()
        for gap in needed:
            named, least = known.get(gap, []), max(0, cards - self.relics.blank_counterfeits)
            if not least <= len(named) <= cards:
                raise self.refused(
                    "gap_cards", f"gaps[{gap}]", gap=gap_text(self.game, self.words, gap), cards=cards, count=len(named)
                )
            for relic in named:
                if not self.relics.relics[relic].counterfeit:
                    raise self.refused("no_counterfeit", "gaps", relic=self.name(relic))
                if relic in seen:
                    raise self.refused("counterfeit_twice", "gaps", relic=self.name(relic))
                seen.add(relic)
        return {gap: known.get(gap, []) for gap in needed}
