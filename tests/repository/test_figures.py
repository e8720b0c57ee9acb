"""Figures of the documentation: each is in a file of benchmarks/results, and one command measures all of them anew."""

import json
import re
import subprocess

import pytest
import typer

from benchmarks import update
from benchmarks.renew import MEASUREMENTS, command, main
from docs import _strength
from docs._generators import benchmarks
from tests.commands import ROOT, invoke, printed_by, succeeded

RESULTS = ROOT / "benchmarks" / "results"
PROOFS = "soak"  # written by bin/soak
PAGES = [
    ROOT / "README.md",
    ROOT / "agents" / "w51_agents" / "pretrained" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "recipes").glob("*.md")),
]
GENERATED = re.compile(r"<!-- (?:table|figure): [\w-]+ -->.*?<!-- end -->|```.*?```", re.DOTALL)
# Speed, times of milliseconds, memory, and shares of a processor are measured; sizes that are allowed are in kB.
MEASURED = re.compile(
    r"\d[\d.,]*(?: ?[kM]| million| thousand)? ?"
    r"(?:(?:steps|decisions|games|moves)(?: ?/ ?s| per second| a second)|(?:ms|us|µs|MB|MiB|GB)\b|of a core)"
)
FILES = sorted(path.stem for path in RESULTS.glob("*.json"))
MEASURED_FILES = sorted(
    path
    for folder in (RESULTS, ROOT / "benchmarks" / "leaderboard", ROOT / "experiments" / "results")
    for path in folder.rglob("*.json")
)


@pytest.fixture(scope="module")
def history() -> list[str] | None:
    """The commits up to this one; None where there are none or not all."""
    git = ["git", "-C", str(ROOT)]
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    if shallow.stdout.strip() != "false":
        return None
    return subprocess.run([*git, "rev-list", "HEAD"], capture_output=True, text=True, check=True).stdout.split()


def test_one_command_measures_every_file_of_figures():
    assert sorted([*(one.name for one in MEASUREMENTS), PROOFS]) == FILES
    app = typer.Typer()
    app.command()(main)
    listed, _ = succeeded(invoke(app, "--list"))
    assert [line.split()[0] for line in listed.splitlines()] == [one.name for one in MEASUREMENTS]


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_figures_is_shown_by_the_documentation(name):
    sources = [path.read_text("utf-8") for path in (ROOT / "docs" / "_generators").glob("*.py")]
    assert any(f'"{name}"' in source or f'"{name}.json"' in source for source in sources)


@pytest.mark.parametrize("name", [name for name in FILES if name != PROOFS])
def test_a_page_says_when_and_on_which_commit_a_file_of_figures_was_measured(name):
    machine = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["machine"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", machine["date"])
    pages = [*PAGES, *(ROOT / "docs" / "lab").glob("*.md")]
    assert any(f"{machine['date']}, `{machine['commit']}`" in page.read_text("utf-8") for page in pages)


@pytest.mark.parametrize("path", MEASURED_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_of_figures_names_a_commit_of_this_history_without_uncommitted_changes(path, history):
    data = json.loads(path.read_text("utf-8"))
    facts = [one for one in (data, *data.values()) if isinstance(one, dict) and "commit" in one]
    assert facts, "names no commit"
    for one in facts:
        assert re.fullmatch(r"[0-9a-f]{7,40}", one["commit"]), "measure again in a clean clone"
        assert history is None or any(commit.startswith(one["commit"]) for commit in history), one["commit"]
    assert "later_changes" not in data.get("machine", {}), "measure again in a clean clone"


def test_the_steps_of_an_update_that_are_timed_exist():
    assert [step for (owner, name), step in update.STEPS.items() if not callable(getattr(owner, name, None))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_measured_figure_is_typed_by_hand(page):
    written = GENERATED.sub("", page.read_text("utf-8"))
    assert [match[0] for match in MEASURED.finditer(written)] == []


@pytest.mark.parametrize("measurement", MEASUREMENTS, ids=lambda one: one.name)
def test_the_command_of_each_measurement_takes_its_arguments(measurement, tmp_path):
    module = command(measurement, tmp_path / "x.json", is_short=True)[2].removeprefix("benchmarks.")
    source = (ROOT / "benchmarks" / f"{module}.py").read_text("utf-8")
    options = {word for word in f"{measurement.module} {measurement.short}".split() if word.startswith("--")}
    for option in options - {"--set"}:
        assert option.removeprefix("--no-").removeprefix("--").replace("-", "_") in source, option


@pytest.mark.slow
@pytest.mark.parametrize("name", ["isolation", "openspiel", "pretrained", "pictures"])
def test_a_short_measurement_writes_its_file_elsewhere(name, tmp_path):
    if name == "openspiel":
        pytest.importorskip("pyspiel", reason="needs the extra 'games'")
    before = (RESULTS / f"{name}.json").read_bytes()
    printed_by("-m", "benchmarks.renew", name, "--short", tmp_path)
    made, kept = (json.loads(text) for text in ((tmp_path / f"{name}.json").read_bytes(), before))
    assert made.keys() == kept.keys()
    assert (RESULTS / f"{name}.json").read_bytes() == before


def test_the_strength_in_the_readme_is_that_of_the_matches_and_its_figure_follows_the_theme():
    rates = _strength.rates_of([json.loads((RESULTS / f"{name}.json").read_text()) for name in _strength.RESULTS])
    changed = {**rates, ("pretrained", "heuristic"): {"win_rate": 0.615, "low": 0.6, "high": 0.63}}
    texts = [benchmarks.strength(one) for one in (rates, changed)]
    assert texts[0] in (ROOT / "README.md").read_text("utf-8")
    assert "they win 62, " in texts[1].replace("\n", " ") != texts[0].replace("\n", " ")
    assert len(texts[0].splitlines()) == 5
    drawn = _strength.figure(rates).decode()
    assert "prefers-color-scheme: dark" in drawn
    assert drawn.count("var(--ink)") > 10
    assert "#1d2126" not in drawn.partition("</style>")[2]
