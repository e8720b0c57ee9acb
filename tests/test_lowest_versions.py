"""The lowest versions of other packages that pyproject.toml allows have all that is imported. Needs uv."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

EXTRAS = ("train", "arena", "play", "video", "games", "export", "llm")
INSTALLED = re.compile(r"torch==|triton|nvidia|cuda")  # gigabytes: that of this environment is taken
IMPORT_ALL = """
import pkgutil, warnings
from importlib import import_module

warnings.simplefilter("ignore")
OTHERS = ("cluster", "rllib", "rllib_learner")  # of extras that are left out
for package in ("w51_env", "w51_agents", "w51_lab", "w51_table"):
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        if not module.name.endswith(("__main__", *OTHERS)):
            import_module(module.name)
"""


@pytest.mark.slow
def test_the_lowest_versions_have_what_is_imported(tmp_path: Path):
    uv = shutil.which("uv") or pytest.skip("needs uv")
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    command = [uv, "pip", "compile", "pyproject.toml", "--resolution", "lowest-direct", "--no-annotate", *extras]
    found = subprocess.run(
        [*command, "--python", sys.executable], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode:
        pytest.skip(f"no package index: {found.stderr[-200:]}")
    listed, packages = tmp_path / "lowest.txt", tmp_path / "packages"
    listed.write_text("".join(line for line in found.stdout.splitlines(keepends=True) if not INSTALLED.match(line)))
    install = [uv, "pip", "install", "--no-deps", "--target", packages, "--python", sys.executable, "-r", listed]
    subprocess.run(install, check=True, capture_output=True)
    path = os.pathsep.join(map(str, [packages, *(ROOT / folder for folder in ("", "agents", "lab", "table"))]))
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    program = "from w51_agents.console.w51 import main; main(['export', 'pretrained', 'model.onnx'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
