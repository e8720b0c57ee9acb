"""The script for Slurm in docs/how_to/many_seeds.md, with what Slurm does: a signal, and the same script again."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, wait_for

SMALL = (
    "--config selfplay_quick decisions=60_000 evaluation.games=40 evaluation.against=[random] evaluation.minutes=100"
)


def write_job(folder: Path, **programs: str) -> dict[str, str]:
    """The script of the page as `job`, beside programs; the environment that Slurm starts it in."""
    page = (ROOT / "docs" / "how_to" / "many_seeds.md").read_text()
    (script,) = re.findall(r"```sh\n(#!/bin/bash.*?)```", page, re.DOTALL)
    (folder / "job").write_text(script.replace("--config standard", SMALL))
    for name, program in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{program}\n")
        (folder / name).chmod(0o755)
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": "3", "SLURM_JOB_ID": "17"}


def test_a_job_fails_if_its_training_fails_at_once(tmp_path):
    slurm = write_job(tmp_path, w51="exit 2")
    assert subprocess.run(["bash", "job"], cwd=tmp_path, env=slurm, check=False).returncode == 2


@pytest.mark.slow
def test_a_seed_that_runs_out_of_time_is_queued_again_and_goes_on(tmp_path):
    slurm = write_job(tmp_path, scontrol='echo "$@" >> queued')
    progress = tmp_path / "runs" / "standard-seed-3" / "progress.csv"
    job = subprocess.Popen(["bash", "job"], cwd=tmp_path, env=slurm, stdout=subprocess.DEVNULL)
    wait_for(lambda: progress.exists() and progress.read_text().count("\n") > 1)
    job.send_signal(signal.SIGUSR1)
    assert job.wait(60) in (130, 138)
    assert (tmp_path / "queued").read_text() == "requeue 17\n"
    assert not (progress.parent / "evaluation.json").exists()
    assert (
        subprocess.run(["bash", "job"], cwd=tmp_path, env=slurm, stdout=subprocess.DEVNULL, check=False).returncode == 0
    )
    assert (progress.parent / "evaluation.json").exists()
