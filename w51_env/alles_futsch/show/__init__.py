"""How Alles Futsch! is shown: views, texts, pictures, behaviour tables, the page of rules. No rule is here."""

from w51_env.alles_futsch.show.picture import picture
from w51_env.alles_futsch.show.text import table_lines
from w51_env.alles_futsch.show.view import VIEW
from w51_env.engine.imports import by_name
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering

PRESENTATION = Presentation(
    VIEW,
    Rendering(
        table_lines,
        picture,
        by_name("w51_agents.language.alles_futsch.rules_page:explain_lines"),
        by_name("w51_agents.language.alles_futsch.rules_page:rules_page"),
        by_name("w51_agents.language.alles_futsch.score_table:score_table"),
        briefing=by_name("w51_agents.language.alles_futsch.briefing:briefing"),
    ),
    "w51_lab.behaviour.alles_futsch.columns:BEHAVIOUR",
    positions="w51_table.positions.alles_futsch:POSITIONS",
)
