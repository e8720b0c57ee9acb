"""A network's policy as a file that runs without this package: `w51 export`."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import GameOptions, command_with
from w51_agents.console.terminal import print_line
from w51_agents.named.files import files_of
from w51_agents.named.registry import make_agent, split_form, split_label
from w51_agents.networks.export import COMPARED, SUFFIXES, check_target, export_policy, model_card
from w51_agents.networks.load import SHIPPED
from w51_agents.system.files import check_writable, read_text, write_text
from w51_agents.training.log import PROGRESS
from w51_agents.training.run_facts import CONFIG, STATE, facts_of, read_state
from w51_env import __version__

console = Console()
app = typer.Typer(add_completion=False, rich_markup_mode=None)
_LIBRARIES = {".pt2": "pytorch", ".onnx": "onnx"}
_MAX_BYTES = 100_000_000  # of a file of a run


@app.command(cls=command_with(GameOptions))
def main(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(help="An agent with a network, by name.")],
    file: Annotated[Path, typer.Argument(help=f"The file to write: {', '.join(f'*{end}' for end in SUFFIXES)}.")],
) -> None:
    """Write the policy of a network as forward(observation, mask), for PyTorch (.pt2) or ONNX (.onnx).

    The file is read again and compared with the agent before it replaces another. A model card is written beside it.

    Example: w51 export runs/selfplay_quick policy.onnx
    """
    card = Path(f"{file}.md")
    check_target(file)
    check_writable(card)
    options: GameOptions = context.obj
    label, name = split_label(agent)
    label = label or Path(name).name
    game = options.make()
    made = make_agent(name, game, trust=options.trust)
    training = _training(split_form(name)[0])
    about = export_policy(made, file, label, [one.sha256 for one in files_of(name, game, made)])
    digest = sha256(file.read_bytes()).hexdigest()
    text = model_card(about, file.name, _LIBRARIES[file.suffix], digest, training, COMPARED)
    write_text(text, card)
    size, difference = file.stat().st_size / 1e6, about["difference"]
    within = f"probabilities within {difference:.0e} of the agent's"
    print_line(console, f"{file}: {size:.1f} MB, {SUFFIXES[file.suffix]}; {within}")
    print_line(console, f"{card}: its model card, with the SHA-256 of both")


def _training(name: str) -> str:
    """How an agent was trained, in Markdown: of a run the last row of its log and its config; empty: not known."""
    if name in SHIPPED:
        card = "agents/w51_agents/pretrained/README.md"
        return f"A network of w51_env {__version__}: see `{card}` there, *How it was trained*."
    run = Path(name)
    try:
        config = read_text(run / CONFIG, _MAX_BYTES)
        header, *_, last = read_text(run / PROGRESS, _MAX_BYTES).splitlines()
        row = dict(zip(header.split(","), last.split(","), strict=True))
        decisions, seconds = int(row["decisions"]), float(row["seconds"])
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError, KeyError) as error:
        raise AgentError(f"run {run}: its config or its log cannot be read: {error}") from None
    if (run / STATE).exists():  # else of a run whose other files are not here
        for update in facts_of(read_state(run)).progress[-1:]:
            decisions, seconds = update.decisions, update.seconds
    return f"{decisions:,} decisions in {seconds:,.0f} s.\n\n```yaml\n{config.strip()}\n```"
