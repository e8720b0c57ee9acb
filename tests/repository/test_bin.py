"""bin/set_up: messages about what a machine lacks, extras, and no work in a second run."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path):
    """A folder with the files that bin/set_up reads, and no .venv."""
    shutil.copytree(ROOT / "bin", tmp_path / "bin")
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def interpreter(folder: Path, name: str, without: str) -> Path:
    """This Python under another name; a command that contains `without` fails with a message."""
    path = folder / name
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *"{without}"*) echo ERROR: no network; exit 1;; esac\nexec "{sys.executable}" "$@"\n',
        "utf-8",
    )
    path.chmod(0o755)
    return path


def installed(clone: Path, printing: str = '"-m pip install"* | "-m uv"*') -> Path:
    """An environment in which pip and uv, or other commands, only print their arguments."""
    (clone / ".venv" / "bin").mkdir(parents=True)
    python = clone / ".venv" / "bin" / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in {printing}) echo "$*"; exit 0;; esac\nexec "{sys.executable}" "$@"\n', "utf-8"
    )
    python.chmod(0o755)
    return clone


def set_up(folder: Path, *arguments: str, python: object = sys.executable) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "bin/set_up", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
    )


def test_a_python_that_is_too_old_is_named_with_its_version(clone):
    old = interpreter(clone, "python3.9", without="sys.exit(not (3, 11)")
    result = set_up(clone, python=old)
    assert result.returncode == 1
    assert "Python 3.11, 3.12, 3.13 or 3.14 is needed" in result.stderr
    assert f"{old} is {sys.version_info[0]}.{sys.version_info[1]}" in result.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_does_not_exist_is_named(clone):
    result = set_up(clone, python="python-of-nowhere")
    assert result.returncode == 1
    assert "Tried: python-of-nowhere, not found or not working" in result.stderr


def test_the_package_to_install_is_named_when_python_lacks_venv(clone):
    result = set_up(clone, python=interpreter(clone, "python3.12", without="ensurepip"))
    assert result.returncode == 1
    assert "sudo apt-get install python3.12-venv" in result.stderr
    assert not (clone / ".venv").exists()


def test_a_second_run_installs_nothing_until_a_listed_version_changes(clone):
    installed(clone)
    first, second = set_up(clone), set_up(clone)
    assert "installing the packages for 'train'" in first.stdout
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    for name in ("uv.lock", "bin/constraints-torch.txt", "bin/constraints-uv.txt"):
        with (clone / name).open("a", encoding="utf-8") as file:
            file.write("# another version\n")
        assert "installing" in set_up(clone).stdout, name


def test_the_tests_need_more_than_the_quickstart_which_then_needs_nothing_more(clone):
    installed(clone)
    assert len(set_up(clone, "train").stdout.splitlines()) == 2
    assert "--require-hashes --no-deps --requirement .venv/requirements.txt" in log_of(clone)
    assert all(f"--extra {extra} " in log_of(clone) for extra in ("train", "arena", "play"))
    assert "installing the packages for 'dev'" in set_up(clone, "dev").stdout
    assert set_up(clone, "train").stdout == ""


def log_of(clone: Path) -> str:
    return (clone / ".venv" / "set_up.log").read_text("utf-8")


def test_the_tests_install_all_packages_with_hashes_but_pytorch(clone):
    installed(clone)
    set_up(clone, "dev")
    uv, export, with_hashes, pytorch, repository = log_of(clone).splitlines()
    assert "--require-hashes --no-deps --requirement bin/constraints-uv.txt" in uv
    assert "--frozen" in export
    assert "--extra dev" in export
    assert "--require-hashes --no-deps --requirement .venv/requirements.txt" in with_hashes
    assert "-m uv pip install" in pytorch
    assert "--torch-backend auto --requirement bin/constraints-torch.txt" in pytorch
    assert "--no-deps --no-build-isolation --editable ." in repository


def test_pip_installs_pytorch_where_uv_cannot(clone):
    python = installed(clone) / ".venv" / "bin" / "python"
    refusing = python.read_text("utf-8").replace("case", 'case "$*" in *--torch-backend*) exit 2;; esac\ncase', 1)
    python.write_text(refusing, "utf-8")
    assert set_up(clone).returncode == 0
    assert "-m pip install --disable-pip-version-check --no-input --requirement bin/constraints-torch.txt" in log_of(
        clone
    )


def test_every_package_but_pytorch_is_pinned_with_hashes_and_once_for_each_python(clone):
    pytest.importorskip("uv")
    set_up(installed(clone, '"-m pip install"*'), "dev")
    listed = (clone / ".venv" / "requirements.txt").read_text("utf-8").splitlines()
    packages = [line for line in listed if line[0].isalnum()]
    assert all(re.fullmatch(r"[a-z0-9-]+==[^ ]+( ;.*)? \\", line) for line in packages)
    assert len(packages) > 100
    assert sum(line.startswith("    --hash=sha256:") for line in listed) > 2 * len(packages)
    assert not [line for line in packages if re.match("torch==|triton|cuda|nvidia", line)]
    needed = importlib.metadata.requires("w51_env") or []
    extras = [
        name
        for name in needed
        if re.search(r"extra == '(train|arena|play|render|video|games|export|ray|test|docs|dev)'", name)
    ]
    names = {re.split(r"[^\w.-]", name)[0].lower().replace("_", "-") for name in extras} - {"w51-env", "torch"}
    names |= {"hatchling", "editables", "sympy"}  # sympy: PyTorch needs it
    pins = [Requirement(line.removesuffix("\\")) for line in packages]
    for python in ("3.11.0", "3.11.7", "3.12.0", "3.13.0", "3.14.0"):
        for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")):
            environment = {"python_version": python.rpartition(".")[0], "python_full_version": python}
            environment |= {"sys_platform": system, "platform_machine": machine}
            chosen = [pin.name for pin in pins if pin.marker is None or pin.marker.evaluate(environment)]
            assert len(set(chosen)) == len(chosen)
            assert names <= set(chosen)


def test_uv_lock_is_what_pyproject_toml_asks_for_and_names_the_public_index_only():
    pytest.importorskip("uv")
    command = [sys.executable, "-m", "uv", "lock", "--check", "--offline"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    lock = (ROOT / "uv.lock").read_text("utf-8")
    assert set(re.findall(r"https?://[^/]+", lock)) == {"https://pypi.org", "https://files.pythonhosted.org"}
    torch = re.search("^torch==(.*)", (ROOT / "bin" / "constraints-torch.txt").read_text("utf-8"), re.MULTILINE)[1]
    assert f'name = "torch"\nversion = "{torch}"' in lock


_COMMANDS = ("awk", "bash", "cat", "cmp", "cp", "cut", "dirname", "env", "grep", "head", "mkdir", "rm", "sed", "tail")


def with_npm(clone: Path, script: str) -> dict[str, str]:
    """The environment of a machine whose npm is this script; empty: it has none."""
    (clone / "table").mkdir()
    shutil.copy(ROOT / "table" / "package-lock.json", clone / "table")
    commands = clone / "commands"
    commands.mkdir()
    for name in _COMMANDS:
        (commands / name).symlink_to(str(shutil.which(name)))
    if script:
        (commands / "npm").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (commands / "npm").chmod(0o755)
    return {"PATH": str(commands)}


def set_up_with(clone: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    command = [str(shutil.which("bash")), "bin/set_up", "dev"]
    return subprocess.run(command, cwd=clone, env={**os.environ, **environment}, capture_output=True, text=True)


def test_what_checks_the_javascript_is_installed_once_from_the_lock_file(clone):
    environment = with_npm(installed(clone), 'mkdir -p node_modules && echo "$*" >>called')
    first, second = set_up_with(clone, environment), set_up_with(clone, environment)
    assert "checks the JavaScript" in first.stdout
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    (clone / "table" / "package-lock.json").write_text("{}", "utf-8")
    assert set_up_with(clone, environment).returncode == 0
    assert (clone / "table" / "called").read_text("utf-8") == "ci\nci\n"


def test_without_npm_all_else_is_installed_and_the_message_names_the_packages(clone):
    result = set_up_with(clone, with_npm(installed(clone), ""))
    assert result.returncode == 0, result.stderr
    assert "sudo apt-get install nodejs npm" in result.stdout
    assert "Set-up: done" in result.stdout


def test_what_npm_says_is_shown_when_it_fails(clone):
    result = set_up_with(clone, with_npm(installed(clone), "echo npm error network unreachable >&2; exit 1"))
    assert result.returncode == 1
    assert "npm error network unreachable" in result.stderr


def test_the_lock_file_of_the_javascript_names_no_registry_and_pins_every_package():
    lock = json.loads((ROOT / "table" / "package-lock.json").read_text("utf-8"))
    packages = {name: found for name, found in lock["packages"].items() if name}
    assert all(found["integrity"].startswith("sha512-") for found in packages.values())
    assert "http" not in "".join(found.get("resolved", "") for found in packages.values())


@pytest.mark.slow
@pytest.mark.parametrize(("file", "package"), [("bin/constraints-uv.txt", "uv"), ("uv.lock", "absl-py")])
def test_a_package_with_another_hash_is_refused_by_name(clone, file, package):
    """Needs the network: a new environment, and packages whose hashes are not those that are listed."""
    text = (clone / file).read_text("utf-8")
    (clone / file).write_text(re.sub("sha256:[0-9a-f]+", f"sha256:{64 * '0'}", text), "utf-8")
    result = set_up(clone)
    if "NewConnectionError" in log_of(clone):
        pytest.skip("no network")
    assert result.returncode == 1
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in result.stderr
    assert f"{package}==" in result.stderr
    assert f"Expected sha256 {64 * '0'}" in result.stderr


def test_an_unknown_extra_is_refused(clone):
    result = set_up(clone, "everything")
    assert (result.returncode, result.stderr.strip()) == (1, "set_up everything: the argument is train or dev.")


def test_a_failed_installation_shows_the_errors_of_pip_and_is_tried_again(clone):
    (clone / ".venv" / "bin").mkdir(parents=True)
    interpreter(clone / ".venv" / "bin", "python", without="-m pip install")
    for _ in range(2):
        result = set_up(clone)
        assert result.returncode == 1
        assert "The packages could not be installed. From .venv/set_up.log:" in result.stderr
        assert "    ERROR: no network" in result.stderr


@pytest.mark.parametrize("script", ["bin/test", ".ci/run", ".github/workflows/ci.yml"])
def test_the_tests_that_a_script_names_exist(script):
    named = re.findall(r"\b(tests/[\w/]+\.py)(?:::(\w+))?", (ROOT / script).read_text("utf-8"))
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8"), name
