"""Checks of figures: each is in a file, says when it was measured, and none is typed by hand."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.renew import MEASUREMENTS, command

ROOT = Path(__file__).resolve().parents[2]
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


def pages() -> dict[str, str]:
    """No page: what is here are checks."""
    return {}


def problems() -> list[str]:
    """Files that no page shows, figures without a date or commit, figures typed by hand."""
    names = sorted(path.stem for path in RESULTS.glob("*.json"))
    known = sorted([*(one.name for one in MEASUREMENTS), PROOFS])
    found = [f"benchmarks/renew.py measures {', '.join(known)}; the files are {', '.join(names)}"] * (known != names)
    return [*found, *_not_shown(names), *_typed(), *_options(), *_commits()]


def _not_shown(names: list[str]) -> Iterator[str]:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "_generators").glob("*.py"))
    texts = [page.read_text("utf-8") for page in (*PAGES, *(ROOT / "docs" / "lab").glob("*.md"))]
    for name in names:
        if f'"{name}"' not in sources and f'"{name}.json"' not in sources:
            yield f"{name}.json: no generator reads it"
        machine = json.loads((RESULTS / f"{name}.json").read_text("utf-8")).get("machine", {})
        said = f"{machine.get('date')}, `{machine.get('commit')}`"
        if name != PROOFS and not any(said in text for text in texts):
            yield f"{name}.json: no page says {said}"


def _typed() -> Iterator[str]:
    for page in PAGES:
        for match in MEASURED.finditer(GENERATED.sub("", page.read_text("utf-8"))):
            yield f"{page.relative_to(ROOT)}: {match[0]} is measured, and no file has it"


def _options() -> Iterator[str]:
    """Options of measurements that their modules do not take."""
    for one in MEASUREMENTS:
        module = command(one, Path("x.json"), is_short=True)[2].removeprefix("benchmarks.")
        source = (ROOT / "benchmarks" / f"{module}.py").read_text("utf-8")
        options = {word for word in f"{one.module} {one.short}".split() if word.startswith("--")} - {"--set"}
        for option in sorted(options):
            if option.removeprefix("--no-").removeprefix("--").replace("-", "_") not in source:
                yield f"{one.name}: benchmarks/{module}.py has no {option}"


def _commits() -> Iterator[str]:
    """Files that name no commit of this history, or one with uncommitted changes."""
    folders = (RESULTS, ROOT / "benchmarks" / "leaderboard", ROOT / "experiments" / "results")
    for path in sorted(path for folder in folders for path in folder.rglob("*.json")):
        data, name = json.loads(path.read_text("utf-8")), path.relative_to(ROOT)
        named = [one["commit"] for one in (data, *data.values()) if isinstance(one, dict) and "commit" in one]
        if not named:
            yield f"{name}: names no commit"
        for commit in named:
            if not re.fullmatch(r"[0-9a-f]{7,40}", commit) or not _is_known(commit):
                yield f"{name}: {commit} is no commit of this history; measure again in a clean clone"
        if "later_changes" in data.get("machine", {}):
            yield f"{name}: has later changes; measure again in a clean clone"


def _is_known(commit: str) -> bool:
    history = _history()
    return history is None or any(one.startswith(commit) for one in history)


@cache
def _history() -> list[str] | None:
    """The commits up to this one; None where there are none or not all."""
    git = ["git", "-C", str(ROOT)]
    shallow = subprocess.run(
        [*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False
    )
    if shallow.stdout.strip() != "false":
        return None
    return subprocess.run([*git, "rev-list", "HEAD"], capture_output=True, text=True, check=True).stdout.split()
