"""The generated pages are current, and every rule, effect kind, option and preset has code and a test."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

from docs import generate
from docs._citations import all_functions, all_tests
from docs._generators import rules_coverage, warehouse51
from tests.commands import ROOT, printed_by
from w51_env import __version__
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.rules import PRESETS, Warehouse51Options
from w51_env.warehouse51.state import PHASES


@pytest.mark.parametrize("generator", generate.generators())
def test_generated_pages_are_current_or_too_large_to_be_committed_and_have_no_problem(generator, monkeypatch):
    made, committed = generate.pages(generator), generate.is_committed(generator)
    monkeypatch.setattr(generate, "pages", lambda _: made)
    assert not committed or sorted(generate.stale(generator)) == [], "run: python docs/generate.py"
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    for page, text in made.items():
        assert (f"/{page}" in ignored) == (not committed)
        assert not committed or len(text.encode()) <= 100_000
    assert generate.problems(generator) == []


@pytest.mark.parametrize("game", ["warehouse51", "alles_futsch"])
def test_every_rule_effect_option_and_preset_has_a_statement_and_a_source(game):
    for entry in rules_coverage.entries(game):  # that each has a test and code is a problem of the generator
        assert entry.statement, entry.name
        assert entry.source, entry.name


def test_the_table_of_actions_names_every_phase():
    legal = " ".join(text for _, text in warehouse51.ACTION_GROUPS)
    assert [phase for phase in PHASES if f"`{phase}`" not in legal] == ["over"]


def test_nothing_is_left_out():
    listed = {(entry.kind, entry.name) for entry in rules_coverage.entries("warehouse51")}
    rules = {
        f"{chapter}{number}"
        for chapter, count in (("S", 5), ("T", 9), ("P", 4), ("E", 4), ("G", 5), ("R", 7))
        for number in range(1, count + 1)
    }
    assert {name for kind, name in listed if kind == "rule"} == rules
    assert {name for kind, name in listed if kind == "effect"} == set(EFFECT_NAMES)
    assert {name for kind, name in listed if kind == "option"} == set(Warehouse51Options.__dataclass_fields__)
    assert {name for kind, name in listed if kind == "preset"} == set(PRESETS)


# ---- how citations are found

CODE = '''\
"""T1: what a module says counts for nothing."""

def reveal(rules, game):
    """T1, T6: turn over."""
    def inside():
        """G1 to G3."""
        return rules.reserve
    if game.phase == 2:  # P3
        return PAWN
'''

TESTS = '''\
def test_one():  # T5, T9, effect: bid_cap
    assert True  # E1 is not cited here

def test_two(
    first,  # option: pawn_limit
    second,
):  # preset: hu, look_at_counterfeits, some words
    pass

def helper():  # T1
    pass

class TestThree:
    def test_three(self):
        """T2"""
'''


def test_code_cites_in_docstrings_and_comments(tmp_path):
    (tmp_path / "rules.py").write_text(CODE, "utf-8")
    found = {function.name: function for function in all_functions(tmp_path, ".")}
    assert found["reveal"].rules == {"T1", "T6", "P3"}
    assert found["inside"].rules == {"G1", "G2", "G3"}
    assert "PAWN" in found["reveal"].names
    assert "rules.reserve" not in found["reveal"].names
    assert "rules.reserve" in found["inside"].names


def test_tests_cite_on_their_first_line(tmp_path):
    (tmp_path / "test_rules.py").write_text(TESTS, "utf-8")
    one, three, two = all_tests(tmp_path, ".")
    assert (one.name, one.rules, one.marks) == ("test_one", {"T5", "T9"}, {("effect", "bid_cap")})
    assert (two.name, two.rules) == ("test_two", frozenset())
    assert two.marks == {("option", "pawn_limit"), ("preset", "hu"), ("", "look_at_counterfeits")}
    assert (three.name, three.rules, three.marks) == ("test_three", frozenset(), frozenset())


def test_a_stale_page_and_a_rule_without_a_test_fail_the_check(monkeypatch, capsys):
    monkeypatch.setattr(generate, "generators", lambda: ["alles_futsch", "rules_coverage"])
    monkeypatch.setattr(generate, "_on_disk", lambda page: "an older version")
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    monkeypatch.setattr(rules_coverage, "pages", lambda: {"docs/rules_coverage.md": "not committed"})
    known = rules_coverage._all_tests()
    monkeypatch.setattr(rules_coverage, "_all_tests", lambda: [test for test in known if "G4" not in test.rules])
    before = (ROOT / "docs/games/alles_futsch.md").read_text("utf-8")
    assert generate.main() == 1
    printed = capsys.readouterr().out
    assert "stale: docs/games/alles_futsch.md (run: python docs/generate.py)\n" in printed
    assert "problem: warehouse51: no test cites rule G4\n" in printed
    assert "docs/rules_coverage.md" not in printed
    assert (ROOT / "docs/games/alles_futsch.md").read_text("utf-8") == before


def test_a_citation_of_what_does_not_exist_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "test_typing_errors.py").write_text(
        "def test_one():  # T12, T0, G7, effect: bid_cup, preset: english\n    pass\n", "utf-8"
    )
    known = rules_coverage._all_tests()
    monkeypatch.setattr(rules_coverage, "_all_tests", lambda: known + all_tests(tmp_path, "."))
    assert rules_coverage.problems() == [
        "test_typing_errors.py: test_one cites G7, which is no rule",
        "test_typing_errors.py: test_one cites effect bid_cup, which does not exist (did you mean 'bid_cap'?)",
        "test_typing_errors.py: test_one cites preset english, which does not exist",
    ]


def test_the_script_runs_from_anywhere(tmp_path):
    assert "--check" in printed_by(ROOT / "docs" / "generate.py", "--help", folder=tmp_path)


# ---- names of files and modules

FOLDERS = "agents|benchmarks|configs|docs|lab/w51_lab|table/w51_table|tests|w51_env"
HOUSES = {"w51_env": ".", "w51_agents": "agents", "w51_lab": "lab", "w51_table": "table"}
PACKAGES = "|".join(["benchmarks", "docs", "experiments", "tests", *HOUSES])
PATH = re.compile(
    rf"(?<![\w/.-])(?:\.\./)*((?:{FOLDERS}|bin|\.github)/[a-z\d_./-]*\.(?:py|md|toml|yaml|yml|json|png))\b"
)
COMMAND = re.compile(r"\bpython ([\w/]+\.py)\b")
MODULE = re.compile(rf"(?<![\w/.-])((?:{PACKAGES})(?:\.\w+)+)(?![\w/])(?<!\.md)")
HOUSE_FILE = re.compile(r"\b(env|agents|lab|table): ([\w/]+\.py)")  # as the walks of docs/architecture.md name files
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
BUILT = {line.lstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()}
WRITTEN = sorted(
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("agents/**/*.md"))
    if not any(f"{path.relative_to(ROOT)}".startswith(built) for built in BUILT if built.startswith("docs/"))
)


def test_the_page_of_batches_lists_what_docstrings_call_privileged():
    listed = (ROOT / "docs" / "batched.md").read_text("utf-8").partition("## Privileged access")[2]
    privileged = {
        node.name
        for folder in (
            "w51_env/engine",
            "w51_env/adapters",
            "lab/w51_lab/replays",
            "w51_env/views",
            "agents",
            "lab/w51_lab/arena",
            "table/w51_table/play",
        )
        for path in sorted((ROOT / folder).rglob("*.py"))
        if re.search(r"Privileged|PRIVILEGED", text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.FunctionDef) and re.search(r"Privileged|PRIVILEGED", ast.get_docstring(node) or ""))
        or (isinstance(node, ast.ClassDef) and re.search(r"Privileged[:,]", ast.get_docstring(node) or ""))
    }
    assert len(privileged) > 10
    assert {name for name in privileged if not re.search(rf"\b{name}\b", listed)} == set()


def names_no_module(name: str) -> bool:
    """Whether a dotted name is neither a module nor a name in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(HOUSES.get(parts[0], "."), *parts[:end])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.with_suffix(".py").is_file() or path.is_dir():
            text = file.read_text("utf-8") if file.is_file() else ""
            return end < len(parts) and re.search(rf"\b{parts[end]}\b", text) is None
    return True


def missing_of(page: Path) -> list[str]:
    """The files and modules that a page names and that do not exist."""
    text = page.read_text("utf-8")
    paths = {path for path in PATH.findall(text) + COMMAND.findall(text) if path not in BUILT}
    if page.name == "leaderboard.md":  # entries name configs of their commits
        paths = {path for path in paths if not path.startswith("configs/")}
    paths |= {f"{HOUSES[f'w51_{house}']}/w51_{house}/{file}" for house, file in HOUSE_FILE.findall(text)}
    missing = [path for path in sorted(paths) if not (ROOT / path).exists()]
    missing += [link for link in LINK.findall(text) if not (page.parent / link).exists() and not link.startswith("<")]
    return missing + [name for name in sorted(set(MODULE.findall(text))) if names_no_module(name)]


def test_files_and_modules_that_pages_name_exist():
    missing = {str(page.relative_to(ROOT)): names for page in WRITTEN if (names := missing_of(page))}
    assert missing == {}


def test_what_is_cited_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "title", "authors", "message", "version", "license", "abstract"} <= citation.keys()
    assert citation["version"] == __version__
    page = (ROOT / "docs" / "how_to" / "cite.md").read_text("utf-8")
    (entry,) = re.findall(r"```bibtex\n(@software.*?\n})\n```", page, re.DOTALL)
    assert f"version = {{{__version__}}}" in entry
    assert citation["title"].replace("_", r"\_") in entry
