"""What the coach advises, in sentences: what the advice and its best alternative are worth, and what each costs."""

from w51_agents.language.score_table import lot_lines
from w51_agents.named.explanation import Choice, Explanation
from w51_agents.search.deliberation import CLEAR
from w51_env.views.language import Words
from w51_env.views.view import Data, View
from w51_lab.replay_viewer.reports import measured

AMOUNTS = ("ingots", "money")  # fields of actions that are bids, and of players what they have


def advice_sentences(advice: Explanation, view: View, words: Words) -> list[str]:
    """Why the coach gives its advice, for the seat to move."""
    actions = {action["id"]: action for action in view.actions}
    best, *others = advice.choices
    texts = {choice.action: actions[choice.action]["text"] for choice in advice.choices}
    worth = {
        "action": texts[best.action],
        "chance": measured(best.utility or 0.0, best.error or 0.0, words),
        "count": best.playouts,
    }
    limit = limit_sentences(advice, view, words)
    if not others:
        return [words("coach.only", **worth), *limit, *lot_lines(view)]
    [other] = others
    sentence = words("coach.best", **worth)
    compared = words(f"coach.{'better' if _is_clear(best, other) else 'close'}", action=texts[other.action],
                     chance=words.decimal(other.utility or 0.0, ".0%"),
                     points=words.decimal((best.points or 0.0) - (other.points or 0.0), "+.1f"))  # fmt: skip
    spent, otherwise = (bid_of(actions[choice.action]) for choice in (best, other))
    costs = [_left(actions[choice.action], view, words) for choice in (best, other)]
    lot = lot_lines(view)
    if lot and not spent and otherwise and _is_clear(best, other):  # what the lot would bring speaks against the advice
        lot = [words("coach.not_worth", amount=words.number(otherwise)), *lot]
    return [sentence, compared, *limit, *filter(None, costs), *lot]


def limit_sentences(advice: Explanation, view: View, words: Words) -> list[str]:
    """How high to go for the lot, as one sentence; none where nothing is to be bid for."""
    if advice.limit is None:
        return []
    amount = next((bid_of(one) for one in view.actions if one["id"] == advice.limit.highest), 0)
    return [words("coach.limit" if amount else "coach.no_limit", amount=words.number(amount))]


def _is_clear(best: Choice, other: Choice) -> bool:
    """Whether the chances of two actions differ by more than an interval of their difference allows."""
    return (best.utility or 0.0) - (other.utility or 0.0) > CLEAR * (other.lead_error or 0.0)


def bid_of(action: Data) -> int:
    """The bid of an action; 0 if it is none."""
    return next((int(action[name]) for name in AMOUNTS if name in action), 0)


def _left(action: Data, view: View, words: Words) -> str:
    """What a bid leaves to the seat that makes it, should it win; empty for other actions."""
    name = next((name for name in AMOUNTS if name in action), None)
    if name is None or not action[name] or view.seat is None or name not in view.players[view.seat]:
        return ""
    has = view.players[view.seat][name]
    return words("coach.leaves", action=action["text"], left=words.number(has - action[name]), of=words.number(has))
