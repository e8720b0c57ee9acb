"""Runs the Python of the README and the documentation, and checks its output, the links and the commands."""

import contextlib
import io
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import pytest

from w51_env.engine import registry

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BUILT = (ROOT / "docs" / "_build", ROOT / "docs" / "api")  # by bin/docs
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if not any(page.is_relative_to(folder) for folder in BUILT)]
COMMITTED = [page for page in PAGES if page.name != "rules_coverage.md"]  # docs/generate.py writes that one
CARD = ROOT / "agents" / "w51_agents" / "pretrained" / "README.md"  # its code needs checkpoints of long trainings
CLIENTS = ROOT / "docs" / "recipes"  # run by tests/clients, with the libraries that they need
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```$)?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run(page: Path, block: re.Match, namespace: dict) -> str:
    """Output of a block, run with warnings as errors; a traceback names the line of the page."""
    text = page.read_text("utf-8")
    code = "\n" * text[: block.start("code")].count("\n") + block["code"]
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("error")
        exec(compile(code, name_of(page), "exec"), namespace)
    return printed.getvalue()


README_BLOCKS = list(BLOCK.finditer(README.read_text("utf-8")))


def line_of(block: re.Match) -> str:
    return f"line {README.read_text('utf-8')[: block.start()].count(chr(10)) + 2}"


@pytest.mark.parametrize("block", README_BLOCKS, ids=line_of)
def test_each_example_of_the_readme_runs_by_itself(block):
    if "stable_baselines3" in block["code"] or "sb3" in block["code"]:
        pytest.importorskip("sb3_contrib")
    printed = run(README, block, {"__name__": "__main__"})
    assert block["output"] is None or printed == block["output"]


def test_the_readme_has_an_example_of_every_interface():
    code = "\n".join(block["code"] for block in README_BLOCKS)
    for call in ("warehouse51_v1.env(", "make_vec(", "gymnasium.make(", "MaskablePPO("):
        assert call in code
    assert re.search(r"MaskablePPO\(.*seed=1", code)  # the same number each time


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if page.parent != CLIENTS], ids=name_of)
def test_the_examples_of_a_page_run_one_after_the_other(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # a page may write files
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))  # a page may register a game
    wandb = Mock(spec_set=("init", "log", "finish"))  # the service is not called
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    trial = Mock(number=0, suggest_float=lambda *limits, log: 1e-3)
    trial.should_prune = lambda: trial.report.called

    def optimize(objective, n_trials):
        with pytest.raises(ZeroDivisionError):
            objective(trial)

    study = Mock(optimize=optimize)
    optuna = Mock(TrialPruned=ZeroDivisionError, create_study=lambda **settings: study)
    monkeypatch.setitem(sys.modules, "optuna", optuna)  # an extra of nobody
    namespace = {"__name__": "__main__"}
    for block in BLOCK.finditer(page.read_text("utf-8")):
        printed = run(page, block, namespace)
        assert block["output"] is None or printed == block["output"]
    if page.name == "many_seeds.md":
        assert trial.report.call_args.args[1] >= 50_000
        assert wandb.log.call_args.kwargs["step"] >= 20_000
        logged = set(wandb.log.call_args.args[0])
        assert {"return", "entropy", "win rate/random, 4 players", "win rate/heuristic, 4 players"} <= logged


def test_every_link_between_pages_has_a_target():
    lost = [
        f"{name_of(page)}: {link[0]}"
        for page in (*PAGES, CARD)
        for link in LINK.finditer(page.read_text("utf-8"))
        for target in [(page.parent / link["path"]) if link["path"] else page]
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target))
    ]
    assert not lost, "\n".join(lost)


def test_lines_but_those_of_tables_have_120_columns_at_most():
    long = [
        f"{name_of(page)}: {line}"
        for page in (*COMMITTED, CARD)
        for line in re.sub(r"<!-- table.*?<!-- end -->", "", page.read_text("utf-8"), flags=re.DOTALL).splitlines()
        if len(line) > 120 and not line.startswith("|")
    ]
    assert not long, "\n".join(long)


def test_every_page_can_be_reached_from_the_index():
    pages = [ROOT / "docs" / "index.md"]
    for page in pages:
        links = {(page.parent / link["path"]).resolve() for link in LINK.finditer(page.read_text("utf-8"))}
        pages += [link for link in sorted(links) if link.suffix == ".md" and link.is_file() and link not in pages]
    assert set(COMMITTED) <= set(pages)


@cache
def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_helpers_of_the_tests_are_where_their_index_says():
    for row in re.findall(
        r"^\| (.*) \| (`tests/.*) \|$", (ROOT / "tests" / "README.md").read_text("utf-8"), re.MULTILINE
    ):
        needed, found = (re.findall(r"`(.*?)`", cell) for cell in row)
        text = "".join((ROOT / path).read_text("utf-8") for path in found)
        assert not [name for name in needed if not re.search(rf"^(async )?(def|class) {name}\b", text, re.MULTILINE)]


def test_the_first_commands_of_the_readme_exist():
    commands = re.findall(r"^bash (\S+)", README.read_text("utf-8"), re.MULTILINE)
    assert commands[:2] == ["bin/quickstart", "bin/test"]
    for command in commands:
        assert (ROOT / command).is_file()
