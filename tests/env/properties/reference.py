"""The rules again, slowly and independently: what is legal and what is scored, as plain Python over plain data.

Written from the rules in words (docs/rules.toml) and the names of `state.py` only, so that a mistake of the engine is
not copied here. A state is the record as a dict of ints and lists (`plain`); everything is asked anew each time,
nothing is fast.
"""

from collections.abc import Iterable
from typing import Any

from w51_env.engine.game import Game
from w51_env.warehouse51.relic_set import Relic
from w51_env.warehouse51.relics import load_relic_set

State = dict[str, Any]

COLORS = ("blue", "green", "golden", "red")
MAJORITY_POINTS = {"blue": (8, 6), "green": (7, 5), "golden": (6, 4), "red": (5, 3)}  # G3
POINTS_PER_SET = 5  #    G2
INGOTS_PER_POINT = 5  #  G1
TOKENS = 6  #            P2
ENDING = ("redeem", "certify", "cancel", "over")
PHASE_NAMES = ("reveal", "open_auction", "blind_auction", "take", "give", "look", *ENDING)


def plain(record: Any) -> State:
    """A state record as a dict of ints and (nested) lists."""
    return {name: record[name].tolist() for name in record.dtype.names}


def all_plain(records: Any) -> list[State]:
    """The same of many records, which is faster."""
    names = records.dtype.names
    return [dict(zip(names, row, strict=True)) for row in zip(*(records[name].tolist() for name in names), strict=True)]


class Reference:
    """One state of a game, with questions about it."""

    def __init__(self, game: Game, state: State):
        self.options = game.options
        self.relics: tuple[Relic, ...] = load_relic_set(game.options["relics"]).relics
        self.state = state
        self.players = range(game.num_players)
        self.phase = PHASE_NAMES[state["phase"]]

    # ---- who has what

    def collection(self, seat: int) -> list[int]:
        return [relic for relic, place in enumerate(self.state["place"]) if place == seat]

    def pawned(self, relic: int) -> bool:
        return self.state["pawned"][relic] == 1

    def blessings(self, seat: int, effect: str) -> list[int]:
        """Section 6, P4: amounts of the working blessings of a kind; a pawned relic's does not work."""
        return [self.relics[relic].amount or 0 for relic in self._with_effect(seat, effect) if not self.pawned(relic)]

    def curses(self, seat: int, effect: str) -> list[int]:
        """Section 6, P4: amounts of the working curses of a kind; a pawned relic's works too, lifts_curses ends all."""
        if self.blessings(seat, "lifts_curses"):
            return []
        return [self.relics[relic].amount or 0 for relic in self._with_effect(seat, effect)]

    def _with_effect(self, seat: int, effect: str) -> list[int]:
        return [relic for relic in self.collection(seat) if self.relics[relic].effect == effect]

    # ---- the end of the game, one action

    def redeem_price(self, seat: int) -> int:
        """E1, redeem_price; of several, the seat uses the cheapest."""
        return min(self.blessings(seat, "redeem_price"), default=self.options["redeem_price"])

    def act_at_the_end(self, action: str) -> None:
        """E1, E2, E3: carry out an action of the seat to move on the state (but not what follows from it)."""
        state, seat = self.state, self.state["seat"]
        verb, _, relic_id = action.partition("_")
        if verb == "decline":
            return
        relic = [relic.id for relic in self.relics].index(relic_id)
        if verb == "redeem":
            price = self.redeem_price(seat)
            state["ingots"][seat] -= price
            state["reserve"] += price
            state["pawned"][relic] = 0
        elif verb == "certify":
            token = min(token for token in range(2) if self.holder(token) == seat)
            state["certificate_on"][token] = relic
        elif verb == "choose":
            state["cancelled"][relic] = 1

    # ---- what is legal

    def legal(self) -> set[str]:
        """Names of all legal actions of the seat to move."""
        if self.phase == "over":
            return set()
        seat = self.state["seat"]
        names = getattr(self, f"_{self.phase}")(seat)
        if self.phase not in ENDING:
            names |= self._pawn(seat)
        # E2 (hu): until the cards are turned over
        if self.options["certificate_timing"] == "anytime" and not self.state["shown"]:
            names |= self._certificates(seat)
        return names

    def _named(self, verb: str, relics: Iterable[int]) -> set[str]:
        return {f"{verb}_{self.relics[relic].id}" for relic in relics}

    def _reveal(self, seat: int) -> set[str]:
        """T1: any deck with something in it."""
        names = set()
        for category, color in enumerate(COLORS):
            size = sum(relic.category == color for relic in self.relics)
            if size > self.state["drawn"][category]:
                names.add(f"choose_deck_{color}")
        return names

    def affordable(self, seat: int) -> int:
        """T3 and bid_cap: the most a seat may bid."""
        return min([self.state["ingots"][seat], *self.curses(seat, "bid_cap")])

    def _open_auction(self, seat: int) -> set[str]:
        """T2, T3, may_match_bid."""
        standing = self.state["standing_bid"]
        names = {"pass"}
        for ingots in range(1, self.affordable(seat) + 1):
            matches = ingots == standing and self.state["leader"] != seat and self.blessings(seat, "may_match_bid")
            if ingots > standing or matches:
                names.add(f"bid_{ingots}")
        return names

    def _blind_auction(self, seat: int) -> set[str]:
        """T5, T3; a bid of 0 is called pass."""
        return {"pass", *(f"bid_{ingots}" for ingots in range(1, self.affordable(seat) + 1))}

    def _take(self, seat: int) -> set[str]:
        """take_relic, P4: an unpawned relic of value <= amount from another player."""
        most = self.relics[self.state["lot"]].amount
        others = [relic for other in self.players if other != seat for relic in self.collection(other)]
        return self._named(
            "choose", [relic for relic in others if not self.pawned(relic) and self.relics[relic].value <= most]
        )

    def _give(self, seat: int) -> set[str]:
        """give_relic, P4: an unpawned relic of one's own, not this one."""
        return self._named(
            "choose",
            [relic for relic in self.collection(seat) if not self.pawned(relic) and relic != self.state["lot"]],
        )

    def _look(self, seat: int) -> set[str]:
        """look_at_counterfeits, S4: a gap not beside; gap g lies between seats g and g + 1."""
        number = len(self.players)
        names = set()
        for gap in self.players:
            neighbours = {gap, (gap + 1) % number}
            if seat not in neighbours:
                names.add(f"choose_gap_{(gap - seat) % number}")
        return names

    def _pawn(self, seat: int) -> set[str]:
        """P1, P2, P4."""
        tokens_used = sum(self.pawned(relic) for relic in range(len(self.relics)))
        if self.state["ingots"][seat] > self.options["pawn_limit"]:
            return set()
        if self.state["reserve"] < self.options["pawn_loan"] or tokens_used == TOKENS:
            return set()
        return self._named("pawn", [relic for relic in self.collection(seat) if not self.pawned(relic)])

    def _redeem(self, seat: int) -> set[str]:
        """E1, redeem_price: any pawned relic that can be paid for, or no more."""
        mine = [relic for relic in self.collection(seat) if self.pawned(relic)]
        return {"decline"} | (
            self._named("redeem", mine) if self.state["ingots"][seat] >= self.redeem_price(seat) else set()
        )

    def _certify(self, seat: int) -> set[str]:
        """E2: a relic of one's own, or decline."""
        return {"decline"} | self._certificates(seat)

    def _certificates(self, seat: int) -> set[str]:
        if not any(self.holder(token) == seat for token in range(2)):
            return set()
        return self._named(
            "certify", [relic for relic in self.collection(seat) if relic not in self.state["certificate_on"]]
        )

    def holder(self, token: int) -> int | None:
        """E2: who may place a certificate: the buyer of the relic that gave it, or who owns it unpawned."""
        giver = self.state["certificate_from"][token]
        if giver == -1 or self.state["certificate_on"][token] != -1:
            return None
        if self.options["certificate_belongs_to"] == "buyer":
            return self.state["buyer"][giver]
        return None if self.pawned(giver) else self.state["place"][giver]  # R7

    def _cancel(self, seat: int) -> set[str]:
        """E3: one of the revealed counterfeits, or none."""
        return {"decline"} | self._named("choose", self.revealed_counterfeits())

    # ---- the end of the game

    def revealed_counterfeits(self) -> list[int]:
        """E3: relics in a collection whose counterfeit lies on the table, neither certified nor cancelled."""
        return [
            relic
            for relic in range(len(self.relics))
            if self.state["place"][relic] in self.players
            and self.state["counterfeit_gap"][relic] != -1
            and relic not in self.state["certificate_on"]
            and not self.state["cancelled"][relic]
        ]

    def working_horns(self) -> list[int]:
        """E3: relics that may cancel a counterfeit: owned, not pawned, not themselves an unprotected counterfeit."""
        unprotected = self.revealed_counterfeits()
        return [
            relic
            for relic in range(len(self.relics))
            if self.relics[relic].effect == "cancels_counterfeit"
            and self.state["place"][relic] in self.players
            and not self.pawned(relic)
            and relic not in unprotected
        ]

    def expose(self) -> None:
        """E3: what is revealed and not cancelled leaves its collection, pawned or not."""
        for relic in self.revealed_counterfeits():
            self.state["place"][relic] = -4

    def scoring_relics(self, seat: int, color: str) -> list[int]:
        """E1: what is still pawned does not score."""
        return [
            relic for relic in self.collection(seat) if self.relics[relic].category == color and not self.pawned(relic)
        ]

    def tie_status(self, seat: int) -> int:
        """G4: 1 wins ties, -1 loses them, 0 neither or both."""
        return bool(self.blessings(seat, "wins_ties")) - bool(self.curses(seat, "loses_ties"))

    def majority(self, color: str) -> dict[int, int]:
        """G3, G4: points of each seat for one category."""
        totals = {
            seat: sum(self.relics[relic].value for relic in self.scoring_relics(seat, color)) for seat in self.players
        }
        standing: dict[tuple[int, int], list[int]] = {}
        for seat, total in totals.items():
            if total > 0:
                standing.setdefault((total, self.tie_status(seat)), []).append(seat)
        groups = [standing[key] for key in sorted(standing, reverse=True)]
        first, second = MAJORITY_POINTS[color]
        points = dict.fromkeys(self.players, 0)
        if groups and len(groups[0]) == 1:
            points[groups[0][0]] = first
            if len(groups) > 1 and len(groups[1]) == 1:
                points[groups[1][0]] = second
        elif groups and len(groups[0]) == 2:
            for seat in groups[0]:
                points[seat] = second
        return points

    def points(self) -> list[list[int]]:
        """Section 5: points of each seat for ingots, sets, blue, green, golden, red."""
        colors = [color for color in COLORS if any(relic.category == color for relic in self.relics)]
        majorities = [self.majority(color) for color in COLORS]
        table = []
        for seat in self.players:
            ingots_per_point = min(
                self.blessings(seat, "ingots_per_point"), default=INGOTS_PER_POINT
            )  # of several, the best
            sets = min(len(self.scoring_relics(seat, color)) for color in colors)
            ingot_points = self.state["ingots"][seat] // ingots_per_point
            table.append([ingot_points, POINTS_PER_SET * sets, *(majority[seat] for majority in majorities)])
        return table

    def ranks(self, points: list[list[int]]) -> list[int]:
        """G5: by total, then as G4 says; equals stay equal."""
        keys = [(sum(parts), self.tie_status(seat)) for seat, parts in enumerate(points)]
        return [1 + sum(other > key for other in keys) for key in keys]
