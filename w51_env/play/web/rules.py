"""The rules in short with the options and cards of a game, and a picture of each phase from a game of random play."""

from functools import lru_cache
from typing import Any

import numpy as np

from w51_env.core.game import Game
from w51_env.play.table import Setup, Table
from w51_env.play.web.messages import pack
from w51_env.render.svg import draw
from w51_env.views.language import Words
from w51_env.views.view import View

_SEED = 3  # of the game that the pictures are from
_KEPT = 32


@lru_cache(maxsize=_KEPT)
def rules_data(game: Game, language: str, form: str) -> dict[str, Any]:
    """The rules for a page.

    Args:
        game: The game with its rules bound.
        language: Of the texts.
        form: Layout of the pictures.

    Returns:
        `lines`, as `views.view.Rendering.explanation` gives them; `examples`: a headline and a packed picture
        for each phase.
    """
    words = Words(language)
    views = _examples(game, words)
    explain = game.presentation.rendering.explanation
    lines = explain(views[0], words) if explain is not None else []
    return {"lines": lines, "examples": [(view.headline, pack(_draw(view, form))) for view in views]}


def _draw(view: View, form: str) -> str:
    return draw(view, theme="auto", form=form, headline=False)


def _examples(game: Game, words: Words) -> list[View]:
    """The first view of each phase, as the seat to move sees it; the game is always the same one."""
    seats = ("random",) * game.num_players
    table = Table(Setup(game.id, dict(game.options), _SEED, seats))
    generator = np.random.default_rng(_SEED)
    found: dict[str, View] = {}
    while not table.over:
        assert table.seat is not None
        view = table.view(table.seat, words, table.last_decision(table.seat))
        found.setdefault(view.phase, view)
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    return [*found.values(), table.view("public", words, table.decision)]
