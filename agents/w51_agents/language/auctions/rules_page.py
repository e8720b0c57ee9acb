"""The rules in words, with the numbers of the options: on one page, for language models; and in short, for a table."""

from textwrap import fill

from w51_env.auctions.rules import AuctionOptions
from w51_env.auctions.show.view import lot_rules
from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import View

_NAME = "auctions"

_PAGE = """\
AUCTION: the rules

{num_players} bidders, numbered 0 to {last_seat}, compete for {lots} in each of {num_rounds} rounds.

Values. {values} {law}
{kept}{more}

Bids. {auction} Bids are multiples of {bid_step}, from {reserve} to {max_bid}. All decide at the same time: nobody sees
a decision of the others before all have decided. Of equal highest bids, one is drawn by lot.

Payments. {payee} {fee}{budget}
The winner of a lot gets its worth less what they pay. A bidder's score is the mean over all rounds, and the highest
score is first.{utility}
"""
_LAWS = {
    "uniform": "Each drawn number is uniform",
    "beta": "Each drawn number has the beta distribution with parameters {alpha} and {beta}",
    "two_point": "Each drawn number is {low} or {top}; {top} with a probability of {high_chance} %",
}


def rules_page(game: Game) -> str:
    """The rules of this game as plain text of some 1,000 characters, with its options."""
    options, words = AuctionOptions(**game.options), Words()
    rules = words.section("auctions.rules")
    law = _LAWS[options.distribution].format(
        alpha=options.alpha,
        beta=options.beta,
        low=min(options.low_value, options.top),
        top=options.top,
        high_chance=options.high_chance,
    )
    averse = f" Gains count with the utility x ** {1 - options.risk_aversion / 100:g}." if options.risk_aversion else ""
    page = _PAGE.format(
        num_players=options.num_players,
        last_seat=options.num_players - 1,
        num_rounds=options.num_rounds,
        values=rules[f"values_{options.values}"].format(max_value=options.max_value),
        law=" ".join(_differences(options)) if options.bidders else f"{law}, from 0 to {options.top}.",
        lots="two lots" if options.two_lots else "one lot",
        more="".join(f" {rule}" for rule in lot_rules(game.options, words)),
        kept=f"Values are {'kept in all rounds' if options.keep_values else 'drawn anew in each round'}.",
        auction=rules[f"auction_{options.auction}"],
        bid_step=options.bid_step,
        reserve=options.reserve,
        max_bid=options.max_bid,
        payee=rules[f"payee_{options.payee}"],
        fee=rules["entry_fee"].format(money=options.entry_fee) if options.entry_fee else "There is no entry fee.",
        budget=f" {rules['budget'].format(money=options.budget)}" if options.budget else "",
        utility=averse,
    )
    return "\n\n".join(fill(part, 120) for part in page.split("\n\n")) + "\n"


def _differences(options: AuctionOptions) -> list[str]:
    """What is known of each bidder, if they differ."""
    bidders = [options.bidder(seat) for seat in range(options.num_players)]
    return [
        f"Bidder {seat}'s number is from {one.low} to {one.high}, beta({one.alpha}, {one.beta}), where 1, 1 is uniform"
        + (f"; its gains count with the utility x ** {1 - one.risk_aversion / 100:g}." if one.risk_aversion else ".")
        for seat, one in enumerate(bidders)
    ]


def explain_lines(view: View, words: Words) -> list[str]:
    """The rules in short, with the options in force."""
    options = view.table["options"]
    lines = [words(f"{_NAME}.rules.values_{options['values']}", max_value=options["max_value"])]
    lines.append(words(f"{_NAME}.rules.auction_{options['auction']}"))
    lines += lot_rules(options, words)
    lines.append(words(f"{_NAME}.rules.payee_{options['payee']}"))
    amounts = ("reserve", "entry_fee", "budget")
    lines += [words(f"{_NAME}.rules.{name}", money=options[name]) for name in amounts if options[name]]
    lines.append(words(f"{_NAME}.rules.rounds", num_rounds=options["num_rounds"]))
    return [words(f"{_NAME}.rules.heading"), *(f"- {line}" for line in lines)]
