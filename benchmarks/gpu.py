"""What a GPU learns a second, for a machine that has one: `python -m benchmarks.gpu`, some eight minutes.

For `large` and `standard`, in float32 and bfloat16: decisions a second, alone and with two processes on the card. Then
where the time of an update of `large` goes, as `benchmarks.update` has it; a step of the network counts for what asks
for it, and transfers for where the processor waits for them.
"""

import subprocess
import sys
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.measure import RESULTS, ResultsFile, machine, write_json
from benchmarks.ranks import started

CONFIGS, PRECISIONS = ("large", "standard"), ("float32", "bfloat16")


def main(
    device: Annotated[str, typer.Option(help="Device; cpu tries the script.")] = "cuda",
    updates: Annotated[int, typer.Option(help="Updates of each measurement, after two.")] = 6,
    json_file: ResultsFile = RESULTS / "gpu.json",
) -> None:
    """Measure, print and keep."""
    rates = {}
    for config in CONFIGS:
        for precision in PRECISIONS:
            changes = f"selfplay.device={device} selfplay.precision={precision}"
            for processes in (1, 2):
                found = started(processes, 0, "updates", f"{config} {changes}", str(updates))
                rates[f"{config}, {precision}, {processes} processes"] = found["rate"]
                Console().print(config, precision, processes, f"{found['rate']:,.0f} decisions/s")
    line = [sys.executable, "-m", "benchmarks.update", "--config", "large", "--set", f"selfplay.device={device}"]
    subprocess.run(
        [*line, "--updates", str(updates), "--json", str(json_file.with_name("gpu_update.json"))], check=True
    )
    write_json(json_file, machine(), [], device=device, decisions_a_second=rates)


if __name__ == "__main__":
    typer.run(main)
