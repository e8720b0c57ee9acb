"""How Warehouse 51 is shown: views, texts, pictures, behaviour tables, the page of rules. No rule is here."""

from w51_env.engine.imports import by_name
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering
from w51_env.warehouse51.show.briefing import briefing
from w51_env.warehouse51.show.position import POSITIONS
from w51_env.warehouse51.show.rules_page import rules_page
from w51_env.warehouse51.show.score_table import score_table
from w51_env.warehouse51.show.standing import alternatives, beliefs
from w51_env.warehouse51.show.text import explain_lines, table_lines
from w51_env.warehouse51.show.view import VIEW

_RENDERING = Rendering(
    table_lines,
    by_name("w51_table.warehouse51.picture:picture"),
    explain_lines,
    rules_page,
    score_table,
    beliefs,
    briefing,
    confirmed=frozenset({"pawn"}),
    cards=by_name("w51_table.warehouse51.picture_cards:tiles"),
)

PRESENTATION = Presentation(
    VIEW, _RENDERING, "w51_lab.behaviour.warehouse51.columns:BEHAVIOUR", alternatives, POSITIONS
)
