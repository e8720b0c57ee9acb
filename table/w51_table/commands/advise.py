"""Advice on a position of a real table, as one of its players sees it: `w51 advise`."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import errors_reported
from w51_agents.console.terminal import command
from w51_agents.system.errors import reason_of
from w51_agents.system.files import read_text
from w51_agents.system.json_text import parse_json
from w51_env.engine.errors import OptionError
from w51_env.views.language import LANGUAGES, Words
from w51_env.views.text_table import table
from w51_lab.replay_viewer.reports import report_of
from w51_table.commands.setup import language_of
from w51_table.play.agent_pool import AgentPool
from w51_table.play.coach import COACH, Coach
from w51_table.play.evening import frame, replay_of
from w51_table.positions.evening import Evening
from w51_table.web.thoughts import beliefs_data, thoughts_data

COMMAND = command("advise")
EXAMPLES = f"""\b
Examples:
  {COMMAND} --example > position.json               a position to begin with
  {COMMAND} position.json                           what the coach advises, and why
  {COMMAND} position.json --agent pretrained
  {COMMAND} evening.json --replay game.json         an evening that the web page kept

Entering a table by tapping: {command("play")}, then "Advice for a real table".
"""
EXAMPLE = """{
 "position": {"game": "warehouse51_v1", "options": {"num_players": 4}, "seat": 0,
  "ingots": [7, 14, 9, 8], "relics": [["golden_fleece", "cornucopia"], ["holy_grail"], ["mjollnir"], ["sharur"]],
  "gaps": {"0": ["holy_grail"], "3": ["excalibur"]}, "revealer": 2,
  "lot": "book_of_thoth", "bid": 2, "leader": 3, "to_move": 0},
 "names": ["Ida", "Ben", "Zoe", "Max"], "events": []
}"""
_MAX_BYTES = 256 * 1024

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(epilog=EXAMPLES)
@errors_reported()
def advise(
    file: Annotated[
        Path | None, typer.Argument(help="A position, or an evening that the web page kept (.json).")
    ] = None,
    agent: Annotated[str, typer.Option(help="Who advises: the coach, or an agent.")] = COACH,
    language: Annotated[
        str | None, typer.Option(metavar="|".join(LANGUAGES), help="Language. Default: that of the locale.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(help="Write the evening as a replay to this file.")] = None,
    *,
    python: Annotated[
        bool, typer.Option("--python", help="Print a program that loads the position, no advice.")
    ] = False,
    example: Annotated[bool, typer.Option("--example", help="Print a position to begin with, no advice.")] = False,
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False,
) -> None:
    """Say what to do at a real table, from a position as one of its players sees it."""
    if example:
        typer.echo(EXAMPLE)
        return
    if file is None:
        raise AgentError(f"advise: a file is needed; {COMMAND} --example prints one")
    evening = Evening(_read(file), Words(language_of(language)))
    if replay is not None:
        replay_of(evening).save(replay)
    typer.echo(evening.python() if python else "\n\n".join(_parts(evening, agent, trust)))


def _read(file: Path) -> dict:
    """What is in a file: an evening, or a position alone."""
    try:
        data = parse_json(read_text(file, _MAX_BYTES))
    except (OSError, ValueError) as error:
        raise OptionError(f"{file}: cannot be read: {reason_of(error)}") from None
    return data if isinstance(data, dict) and "position" in data else {"position": data}


def _parts(evening: Evening, name: str, trust: bool) -> list[str]:
    """The table, the advice, and what the player must believe."""
    words = evening.words
    state = evening.advised()
    now = frame(evening, evening.state)
    parts = [table(now.view(evening.seat, words))]
    if state is None:
        parts.append(words("error.not_asked"))
    else:
        decision = frame(evening, state)
        if name == COACH:
            explanation = replace(Coach().conclude(decision, 0), agent=words(f"page.agent_{COACH}"))
        else:
            with closing(AgentPool(trust=trust)) as pool:
                explanation = pool.explain(decision, name, evening.game.id, 0).likeliest()
        report, why = report_of(explanation, decision, words), thoughts_data(explanation, decision, words)["why"]
        rows = [f"  {label}  {text}" for label, _, text in report.rows]
        parts.append("\n".join(filter(None, [report.title, report.value, *rows, why])))
        if explanation.limit is not None:
            texts = decision.view(decision.seat, words).action_texts()
            bids = [f"  {words.decimal(chance, '.0%')}  {texts[bid]}" for bid, chance, _ in explanation.limit.bids]
            parts.append("\n".join([words("page.limit_curve"), *bids]))
    beliefs: dict[float, list[str]] = {}
    for relic, (chance,) in beliefs_data(now, evening.seat, words)["rows"]:
        beliefs.setdefault(chance, []).append(relic)
    likely = [
        f"{words.decimal(chance, '.1%')}  {', '.join(relics)}" for chance, relics in sorted(beliefs.items())[::-1]
    ]
    return [*parts, "\n".join([words("advice.beliefs"), *likely])]
