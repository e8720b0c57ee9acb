"""What a page shows of a decision: an agent's numbers and reasons, and what seats must believe or might know."""

from collections import Counter

from w51_agents.named.explanation import Explanation
from w51_env.engine.game import ALL
from w51_env.views.language import Words
from w51_env.views.view import ViewContext
from w51_lab.replay_viewer.frames import Frame
from w51_lab.replay_viewer.reports import report_of
from w51_table.play.advice import advice_sentences
from w51_table.web.answer_types import Believed, ChoiceData, Thoughts
from w51_table.web.messages import curve_data


def thoughts_data(explanation: Explanation, frame: Frame, words: Words) -> Thoughts:
    """What an agent reports of a frame's decision."""
    view = frame.view(frame.seat, words)
    texts = view.action_texts()
    report = report_of(explanation, frame, words)
    choices: list[ChoiceData] = [
        {
            "action": choice.action,
            "text": texts[choice.action],
            "probability": choice.probability,
            "utility": choice.utility,
            "error": choice.error,
            "playouts": choice.playouts,
            "points": choice.points,
            "chosen": choice.action == explanation.action,
            "played": choice.action == frame.action,
        }
        for choice in explanation.choices
    ]
    is_advice = explanation.choices and explanation.choices[0].points is not None
    why = "\n".join(advice_sentences(explanation, view, words)) if is_advice else _why(explanation, texts, words)
    curve, is_whole = curve_data(explanation, view), explanation.is_whole
    return {"title": report.title, "value": report.value, "why": why, "choices": choices, "limit": curve,
            "whole": is_whole}  # fmt: skip


def _why(explanation: Explanation, texts: dict[int, str], words: Words) -> str:
    """Why the agent chose its action, from the numbers that it reports."""
    if len(explanation.choices) < 2:
        return ""
    best, second = explanation.choices[:2]
    if best.utility is None or second.utility is None:
        key = "likeliest" if best.action == explanation.action else "drawn"
        return words(f"explanation.{key}", action=texts[best.action])
    if best.action != explanation.action:
        return words("explanation.no_clear_lead", action=texts[best.action])
    lead = words.decimal(best.utility - second.utility, ".1%")
    return words("explanation.leads", lead=lead, action=texts[second.action])


def beliefs_data(frame: Frame, viewer: int | str, words: Words) -> Believed:
    """The probabilities that a viewer knows; for `ALL` those of each seat, and the truth.

    First what somebody knows, then what somebody thinks more or less likely than the most; nothing for a game without
    beliefs.
    """
    believed = frame.game.presentation.rendering.beliefs
    if believed is None:
        return {"names": [], "rows": []}
    viewers = [*range(frame.game.num_players), ALL] if viewer == ALL else [viewer]
    columns = [believed(frame.view(each, words), words) for each in viewers]
    rows = [(cells[0][0], [cell[1] for cell in cells]) for cells in zip(*columns, strict=True)]
    believers = columns[:-1] if viewer == ALL else columns
    base_rates = [Counter(chance for _, chance in column).most_common(1)[0][0] for column in believers if column]

    def order(row: tuple[str, list[float]]) -> int:
        chances = row[1][: len(base_rates)]
        return 0 if 1 in chances else 1 if chances != base_rates else 2

    rows.sort(key=order)
    return {"names": [_name(each, words) for each in viewers], "rows": rows}


def _name(viewer: int | str, words: Words) -> str:
    if isinstance(viewer, int):
        return words.seat(viewer)
    return words("page.truth") if viewer == ALL else words("page.sees_public")


def alternatives(frame: Frame, words: Words) -> list[tuple[str, Frame]]:
    """(text, frame): the same decision if the seat to move knew something else."""
    make = frame.game.presentation.alternatives
    if make is None or frame.seat < 0:
        return []
    context = ViewContext(frame.game, frame.state, frame.seat, words)
    return [(text, frame.in_state(state)) for text, state in make(context)]
