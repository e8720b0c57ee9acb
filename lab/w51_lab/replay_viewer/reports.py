"""What agents report of the decisions of a replay or table, as texts."""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from w51_agents.named.explanation import Choice, Explanation
from w51_agents.networks.load import POINTS
from w51_agents.search.deliberation import CLEAR
from w51_env.views.language import Words
from w51_lab.replay_viewer.frames import Frame

_ROWS = 8  #         actions of a report at most; the others are one row
_RARE = 0.001  #     probability below which a report says no more


class Spoken(TypedDict):
    """What a page needs of the record of a language model's decision in a transcript."""

    prompt: str
    answer: str
    reasoning: str
    action: str | None


class Report(NamedTuple):
    """What an agent reports of one decision, as texts.

    Attributes:
        title: The agent and its action.
        value: Its value; empty if it has none.
        rows: For each action a label, a fraction 0 to 1 for a bar, and a text.
    """

    title: str
    value: str = ""
    rows: Sequence[tuple[str, float, str]] = ()


def report_of(explanation: Explanation, frame: Frame, words: Words) -> Report:
    """The explanation of a frame's decision as texts in a language."""
    texts = frame.view(frame.seat, words).action_texts()
    rows = [_row(choice, explanation.action, frame.action, texts, words) for choice in explanation.choices[:_ROWS]]
    rest = explanation.choices[_ROWS:]
    if rest:
        total = sum(choice.probability or 0 for choice in rest)
        label = _percent(total, words) if rest[0].probability is not None else ""
        rows.append((label, total, words("explanation.rest", count=len(rest))))
    title = words("explanation.chooses", agent=explanation.agent, action=texts[explanation.action])
    return Report(title, _value(explanation, frame.game.num_players, words), rows)


def spoken_report(name: str, record: Spoken) -> Report:
    """What a language model was told and said at a decision: a record of its transcript."""
    parts = [("thought", record["reasoning"]), ("said", record["answer"]), ("was told", record["prompt"])]
    text = "\n\n".join(f"{name} {did}:\n{words.strip()}" for did, words in parts if words)
    return Report(f"{name}: {record['action'] or 'no action, so one was drawn at random'}", text)


def _value(explanation: Explanation, num_players: int, words: Words) -> str:
    """What the agent expects, in the unit of its values; of a search the number of its playouts."""
    if (chance := explanation.chance(num_players)) is not None:
        return words("explanation.chance", chance=words.decimal(chance, ".0%"))
    if explanation.value is not None:
        key, form = ("points", "+.1f") if explanation.unit == POINTS else ("value", "+.3f")
        return words(f"explanation.{key}", value=words.decimal(explanation.value, form))
    if any(choice.utility is not None for choice in explanation.choices):
        return words("explanation.playouts", playouts=sum(choice.playouts for choice in explanation.choices))
    return ""


def _row(
    choice: Choice, chosen: int, played: int | None, texts: dict[int, str], words: Words
) -> tuple[str, float, str]:
    """Label, fraction and text of one action of a report, with marks of what the agent chose and what was played."""
    label, fraction = "", 0.0
    if choice.probability is not None:
        label, fraction = _percent(choice.probability, words), choice.probability
    elif choice.utility is not None:
        label, fraction = measured(choice.utility, choice.error, words), choice.utility
    mark = f" ({words('page.played')})" if choice.action == played else ""
    return label, fraction, ("▸ " if choice.action == chosen else "") + texts[choice.action] + mark


def _percent(probability: float, words: Words) -> str:
    is_rare = 0 < probability < _RARE
    return f"{'< ' * is_rare}{words.decimal(_RARE if is_rare else probability, '.1%')}"


def measured(chance: float, error: float | None, words: Words) -> str:
    """A chance with the interval of two standard errors on each side, in as many digits as this allows."""
    return " ± ".join(words.decimal(each, ".0%") for each in (chance, *([] if error is None else [CLEAR * error])))
