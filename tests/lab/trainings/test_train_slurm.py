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


@pytest.mark.slow
def test_a_seed_that_runs_out_of_time_is_queued_again_and_goes_on(tmp_path):
    page = (ROOT / "docs" / "how_to" / "many_seeds.md").read_text()
    (script,) = re.findall(r"```sh\n(#!/bin/bash.*?)```", page, re.DOTALL)
    (tmp_path / "job").write_text(script.replace("--config standard", SMALL))
    (tmp_path / "scontrol").write_text('#!/bin/sh\necho "$@" >> queued\n')
    (tmp_path / "scontrol").chmod(0o755)
    path = f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    slurm = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": "3", "SLURM_JOB_ID": "17"}
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
