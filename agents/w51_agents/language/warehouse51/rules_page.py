"""The rules in words, with the numbers of the options: on one page, for language models; and in short, for a table."""

from typing import cast

from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_env.warehouse51.relic_set import Relic
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.rules import Warehouse51Options
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT, PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.show.payees import payment_key
from w51_env.warehouse51.show.view_parts import RelicView, TableView
from w51_env.warehouse51.state import CATEGORIES, CERTIFICATES, PAWN_TOKENS

_NAME = "warehouse51"

_PAGE = """\
WAREHOUSE 51: the rules

{num_players} players bid for relics with gold ingots. Seats are numbered 0 to {last_seat}; the left neighbour of a
seat is the next number, and seat 0 follows seat {last_seat}. The highest score at the end wins.

Set-up. Each player has {start_ingots} ingots, the pawnbroker's reserve has {reserve}. Relics lie in a face-down deck
for each category. Counterfeit cards, each showing one relic, are shuffled: {gap_cards} face down in each gap between
two neighbours. You see the cards in the gaps on your left and on your right, so each card is known to two players.

Auctions. The revealer (the winner of the last auction) chooses a deck; its top relic is the lot.
- Open auction: from the revealer's left, each player bids more than the standing bid or passes for good, until all but
  one have passed and a bid stands.
- Blind auction (relics marked "blind"): all bid in secret, 0 or more; the highest bid wins. Of tied players the first
  wins, clockwise from the revealer, the revealer included.
Nobody bids more than they hold. The winner pays {payee}, and gets the relic. Without a bid the
relic leaves the game and the same player reveals again. When the decks are empty, the auctions are over.

Effects. An immediate effect applies once, when its relic is bought at auction. Others work for the relic's owner.

Pawning. At any decision of yours before the auctions are over you may pawn a relic for {pawn_loan} ingots from the
reserve, if you hold {pawn_limit} ingots or fewer, the reserve has them and fewer than {pawn_tokens} relics are pawned.
While a relic is pawned its blessing does not work, its curse does, and it cannot be taken or given.

The end, in this order, clockwise from the winner of the last auction:
1. Pawned relics may be redeemed for {redeem_price} ingots each. A relic that stays pawned does not score.
2. Certificates ({certificates} in the game) are put on relics of their holders{certificate_note}.
3. Counterfeit cards are turned over. A relic on one leaves its collection with its effects, unless it has a
   certificate{cancel_note}.

Score. 1 point for every {ingots_for_a_point} ingots; {points_per_set} points for each set of one relic of {each};
and for the highest and second-highest total value in each category: {majorities}. Two who tie
for first both get the second place's points, and nobody else gets any; two who tie for second get nothing; more than
two who tie for a place get nothing, nor does any place after it. A total of 0 gets nothing.

Relics (value; effect):
{relics}
"""


_PAYEES = {
    "left": "the LEFT NEIGHBOUR, not a bank",
    "right": "the RIGHT NEIGHBOUR, not a bank",
    "bank": "the price to the RESERVE",
    "others": "ALL OTHERS in equal parts (what is left over goes, one ingot each, to the first from the left)",
    "part": "{refund} percent of the price, rounded down, to ALL OTHERS in equal parts, and the rest to the RESERVE",
}


def rules_page(game: Game) -> str:
    """The rules of this game as plain text of some 5,000 characters, with its options and its relics."""
    options = Warehouse51Options(**game.options)
    relic_set = load_relic_set(options.relics)
    present = [name for name in CATEGORIES if any(relic.category == name for relic in relic_set.relics)]
    places = {name: PLACE_POINTS[CATEGORIES.index(name)] for name in present}
    anytime = options.certificate_timing == "anytime"
    cancels = "cancels_counterfeit" in relic_set.effects
    holder = "" if options.certificate_belongs_to == "buyer" else ", who own the relic that gave them, unpawned"
    return _PAGE.format(
        num_players=options.num_players,
        last_seat=options.num_players - 1,
        start_ingots=options.start_ingots,
        reserve=options.reserve,
        gap_cards=options.gap_cards,
        payee=_PAYEES[payment_key(game.options)].format(refund=options.refund),
        pawn_loan=options.pawn_loan,
        pawn_limit=options.pawn_limit,
        pawn_tokens=PAWN_TOKENS,
        redeem_price=options.redeem_price,
        certificates=CERTIFICATES,
        certificate_note=holder + ("; they may do so at any decision of theirs, too" if anytime else ""),
        cancel_note="; a relic with the blessing to cancel saves one" if cancels else "",
        ingots_for_a_point=INGOTS_FOR_A_POINT,
        points_per_set=POINTS_PER_SET,
        each=", ".join(present),
        majorities=", ".join(f"{name} {first}/{second}" for name, (first, second) in places.items()),
        relics="\n".join(f"- {category}: {_relics_of(relic_set.relics, category)}" for category in present),
    )


def _relics_of(relics: tuple[Relic, ...], category: str) -> str:
    return "; ".join(_describe(relic) for relic in relics if relic.category == category)


def _describe(relic: Relic) -> str:
    notes = [str(relic.value)]
    notes += ["blind"] if relic.weapon else []
    notes += [f"{relic.alignment}: {relic.effect_text()}"] if relic.effect else []
    notes += [] if relic.counterfeit else ["never counterfeit"]
    return f"{relic.name['en']} ({'; '.join(notes)})"


def explain_lines(view: View, words: Words) -> list[str]:
    """The rules in short with the options in force, and every relic by category."""
    table = cast(TableView, view.table)
    options = {**table["options"], "counterfeits": table["gaps"][0]["cards"]}
    options["payment"] = words(f"{_NAME}.rules.payment_{payment_key(options)}", refund=options["refund"])
    rules = [words(f"{_NAME}.rules.start", **options)]
    rules += words(f"{_NAME}.rules.text", **options).strip().splitlines()
    if options["certificate_timing"] == "anytime":
        rules.append(words(f"{_NAME}.rules.anytime"))
    if options["certificate_belongs_to"] == "owner":
        rules.append(words(f"{_NAME}.rules.by_owner"))
    lines = [words(f"{_NAME}.rules.heading"), *(f"- {line}" for line in rules), "", words(f"{_NAME}.rules.relics")]
    return lines + [_relic_line(relic, words) for relic in table["relics"].values()]


def _relic_line(relic: RelicView, words: Words) -> str:
    notes = []
    if relic["effect"]:
        notes.append(f"{words(f'{_NAME}.alignment.' + relic['alignment'])}: {relic['effect_text']}")
    notes += [words(f"{_NAME}.rules.{key}") for key in ("weapon", "counterfeit") if relic[key]]
    name = f"{words(f'{_NAME}.category.' + relic['category'])} {relic['value']}  {relic['name']}"
    return f"- {name}" + (f" ({'; '.join(notes)})" if notes else "")
