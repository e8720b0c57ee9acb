"""What seats must believe of hidden cards at a step of a game, and what they might know instead."""

from typing import Any

from w51_env.core.game import ALL
from w51_env.replays.frames import Frame
from w51_env.views.language import Words
from w51_env.views.view import ViewContext


def beliefs_data(frame: Frame, viewer: int | str, words: Words) -> dict[str, Any]:
    """The probabilities that a viewer knows; for `ALL` those of each seat, and the truth.

    Returns:
        `names`: of the columns; `rows`: a name and a probability for each column. Both are empty for a game without
        beliefs.
    """
    believed = frame.game.presentation.rendering.beliefs
    if believed is None:
        return {"names": [], "rows": []}
    viewers = [*range(frame.game.num_players), ALL] if viewer == ALL else [viewer]
    columns = [believed(frame.view(each, words), words) for each in viewers]
    rows = [[cells[0][0], [cell[1] for cell in cells]] for cells in zip(*columns, strict=True)]
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
