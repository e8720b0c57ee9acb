"""How auctions are shown: views, texts, the page of rules. No rule is here."""

from w51_env.auctions.show.picture import picture
from w51_env.auctions.show.text import table_lines
from w51_env.auctions.show.view import VIEW
from w51_env.engine.imports import by_name
from w51_env.views.presentation import Presentation
from w51_env.views.view import Rendering

PRESENTATION = Presentation(
    VIEW,
    Rendering(
        table_lines,
        picture,
        by_name("w51_agents.language.auctions.rules_page:explain_lines"),
        by_name("w51_agents.language.auctions.rules_page:rules_page"),
    ),
    "w51_lab.behaviour.auctions.columns:BEHAVIOUR",
)
