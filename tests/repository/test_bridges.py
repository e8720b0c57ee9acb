"""The packages of `bridges`: what is built holds all of their modules, with versions and entry points that fit."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import w51_env

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("bridges/*/pyproject.toml"))
BUILD = "import sys, hatchling.build as backend; print(backend.build_wheel(sys.argv[1]))"


def project_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]


def test_each_wheel_holds_all_modules_and_what_its_entry_points_name(tmp_path: Path):
    pytest.importorskip("hatchling.build", reason="needs hatchling")
    assert [folder.name for folder in FOLDERS] == ["w51_inspect", "w51_openenv", "w51_textarena", "w51_verifiers"]
    for folder in FOLDERS:
        subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], cwd=folder, capture_output=True, check=True)
        [wheel] = tmp_path.glob(f"{folder.name}-*.whl")
        names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        assert names == {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*.py")}
        project = project_of(folder)
        entries = [
            *project.get("scripts", {}).values(),
            *project.get("entry-points", {}).get("inspect_ai", {}).values(),
        ]
        for module, _, name in (entry.partition(":") for entry in entries):
            path = f"{module.replace('.', '/')}.py"
            assert path in names
            tree = ast.parse((folder.parent / path).read_text("utf-8"))
            assert not name or name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_bridge_has_the_name_of_its_folder_and_takes_this_version(folder: Path):
    project = project_of(folder)
    [needed] = [one for one in map(Requirement, project["dependencies"]) if one.name == "w51_env"]
    assert project["name"] == folder.name
    assert needed.specifier.contains(w51_env.__version__)
