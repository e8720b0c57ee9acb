"""Learning curves of several runs in one figure: `w51 curves`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import errors_reported
from w51_agents.console.terminal import print_line
from w51_agents.named.registry import split_label
from w51_agents.system.files import check_writable
from w51_lab.trainings.curves import AXES, FORMATS, draw_runs, read_curves

console = Console()
app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@errors_reported()
def main(
    runs: Annotated[
        list[str], typer.Argument(help="Folders of runs, or of runs of several seeds; LABEL=FOLDER names one.")
    ],
    out: Annotated[Path, typer.Option(help=f"The figure: {', '.join(f'*{end}' for end in FORMATS)}.")] = Path(
        "curves.png"
    ),
    over: Annotated[str, typer.Option(metavar="|".join(AXES), help="What the horizontal axis is.")] = next(iter(AXES)),
) -> None:
    """Draw the win rates of several runs during training, on fixed deals, in one figure.

    A run plays these matches every 5 minutes, and with evaluation.decisions=N every N decisions.

    Example: w51 curves PPO=runs/quick-seeds self-play=runs/selfplay_quick --out curves.pdf
    """
    if over not in AXES:
        raise AgentError(f"--over {over}: but allowed are {', '.join(AXES)}")
    if out.suffix not in FORMATS:
        raise AgentError(f"--out {out}: {out.suffix!r}, but allowed are {', '.join(FORMATS)}")
    check_writable(out)
    labelled = [split_label(run) for run in runs]
    draw_runs([read_curves(label or Path(folder).name, Path(folder)) for label, folder in labelled], over, out)
    print_line(console, f"Figure: {out}")
