"""How Warehouse 51 is shown: views, texts, pictures, behaviour tables, the page of rules. No rule is here."""

from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering
from w51_env.warehouse51.show.behaviour import BEHAVIOUR
from w51_env.warehouse51.show.picture import picture
from w51_env.warehouse51.show.rules_page import rules_page
from w51_env.warehouse51.show.score_table import score_table
from w51_env.warehouse51.show.standing import alternatives, beliefs
from w51_env.warehouse51.show.text import explain_lines, table_lines
from w51_env.warehouse51.show.view import VIEW

_RENDERING = Rendering(
    table_lines, picture, explain_lines, rules_page, score_table, beliefs, confirmed=frozenset({"pawn"})
)

PRESENTATION = Presentation(VIEW, _RENDERING, BEHAVIOUR, alternatives)
