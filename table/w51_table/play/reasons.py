"""Why a decision was a mistake, and what a way to play has in common, in sentences."""

from collections.abc import Sequence

from w51_agents.search.deliberation import Verdict
from w51_agents.search.price_limit import PriceLimit
from w51_env.views.language import Words
from w51_env.views.view import Data, View
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.advice import bid_of

_MANY = 8  #        decisions of an auction, from which a way to play is told
_SHARE = 0.5  #     of them, from which it is one
_UNLIKELY = 0.25  # of them, that the coach would hardly ever have considered
_PRICE = 0.03  #    of the win: what a way to play costs at least


def reason_of(verdict: Verdict, limit: PriceLimit | None, view: View, words: Words) -> str:
    """Why a decision was a mistake, from what its seat knew.

    Args:
        verdict: On the decision.
        limit: How high the seat could have gone; None if there was nothing to bid for.
        view: What the seat knew.
        words: The language.
    """
    actions = {action["id"]: action for action in view.actions}
    bid, better = bid_of(actions[verdict.judged.action]), bid_of(actions[verdict.advice.action])
    lot: Data = view.table.get("lot") or {}
    if limit is None or not (bid or better):
        chances = (words.decimal(one.chance, ".0%") for one in (verdict.advice, verdict.judged))
        return words("reason.chances", better=next(chances), chance=next(chances))
    highest = 0 if limit.highest is None else bid_of(actions[limit.highest])
    if bid <= better:
        return words("reason.too_low" if bid else "reason.let_go", limit=words.number(max(highest, better)))
    if view.table.get("beliefs", {}).get(lot.get("relic")) == 1:
        return words("reason.counterfeit")
    totals = [(player.get("standing") or {}).get("total", 0) for player in view.players]
    payee = lot.get("payee")
    if bid - highest < 2 and payee not in (None, view.seat) and totals[payee] == max(totals):
        return words("reason.leader", name=view.players[payee]["name"])
    if highest < bid:
        return words("reason.over" if highest else "reason.not_worth", over=words.number(bid - highest),
                     limit=words.number(highest))  # fmt: skip
    return words("reason.cheaper", better=words.number(better))


def habit_of(frames: Sequence[Frame], verdicts: dict[int, Verdict], unlikely: int, words: Words) -> str:
    """What the bids of a seat have in common that costs it its chance; empty if they have nothing.

    Args:
        frames: The decisions of the seat.
        verdicts: On these, by number.
        unlikely: The number of decisions that the coach would hardly ever have considered.
        words: The language.
    """
    bids = []  # of each decision between bids and a pass: the least one, the chosen one, all that the seat had
    cost = 0.0
    for frame in frames:
        actions = frame.view(frame.seat).actions
        amounts = sorted(filter(None, map(bid_of, actions)))
        if amounts and any(action["kind"] == "pass" for action in actions):
            bids.append((amounts[0], next(bid_of(one) for one in actions if one["id"] == frame.action), amounts[-1]))
            cost += verdicts[frame.number].behind.mean if frame.number in verdicts else 0.0
    if len(bids) < _MANY or cost < _PRICE:
        return ""
    made = [one for one in bids if one[1]]
    counts = {
        "never": 0 if made else len(bids),
        "all_in": sum(least < bid == most for least, bid, most in made),
        "double": sum(bid > least and bid >= 2 * (least - 1) for least, bid, _ in made),
        "drawn": len(bids) * (unlikely > _UNLIKELY * len(frames)),
    }
    share = _SHARE * max(len(made), _MANY / 2)
    key = next((name for name, count in counts.items() if count > share), None)
    if key is None:
        return ""
    count = unlikely if key == "drawn" else counts[key]
    of = {"never": len(bids), "drawn": len(frames)}.get(key, len(made))
    return words(f"habit.{key}", count=count, of=of, cost=words.decimal(cost, ".0%"))
