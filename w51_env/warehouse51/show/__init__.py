"""How Warehouse 51 is shown: views, texts, pictures, behaviour tables, the page of rules. No rule is here."""

from w51_env.engine.imports import by_name
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering
from w51_env.warehouse51.show.picture import picture
from w51_env.warehouse51.show.picture_cards import tiles
from w51_env.warehouse51.show.text import table_lines
from w51_env.warehouse51.show.view import VIEW

_RENDERING = Rendering(
    table_lines,
    picture,
    by_name("w51_agents.language.warehouse51.rules_page:explain_lines"),
    by_name("w51_agents.language.warehouse51.rules_page:rules_page"),
    by_name("w51_agents.language.warehouse51.score_table:score_table"),
    by_name("w51_agents.language.warehouse51.score_table:beliefs"),
    by_name("w51_agents.language.warehouse51.briefing:briefing"),
    confirmed=frozenset({"pawn"}),
    cards=tiles,
)

PRESENTATION = Presentation(
    VIEW,
    _RENDERING,
    "w51_lab.behaviour.warehouse51.columns:BEHAVIOUR",
    by_name("w51_table.positions.warehouse51.alternatives:alternatives"),
    "w51_table.positions.warehouse51.position:POSITIONS",
)
