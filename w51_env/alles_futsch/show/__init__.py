"""How Alles Futsch! is shown: views, texts, pictures, behaviour tables, the page of rules. No rule is here."""

from w51_env.alles_futsch.show.briefing import briefing
from w51_env.alles_futsch.show.position import POSITIONS
from w51_env.alles_futsch.show.rules_page import rules_page
from w51_env.alles_futsch.show.score_table import score_table
from w51_env.alles_futsch.show.text import explain_lines, table_lines
from w51_env.alles_futsch.show.view import VIEW
from w51_env.engine.imports import by_name
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering

PRESENTATION = Presentation(
    VIEW,
    Rendering(
        table_lines,
        by_name("w51_table.alles_futsch.picture:picture"),
        explain_lines,
        rules_page,
        score_table,
        briefing=briefing,
    ),
    "w51_lab.behaviour.alles_futsch.columns:BEHAVIOUR",
    positions=POSITIONS,
)
