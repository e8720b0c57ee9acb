"""Makes a release: version and date, tests, wheel and sdist, tried in an empty environment; packages, checksums, tag.

A commit says the version and the date at all `PLACES` and in CHANGELOG.md, whose section "Unreleased" becomes that of
the version. What is released is in dist/VERSION: wheel and sdist, which two builds of one machine write with the same
bytes, the networks, `results.tar` (all files of results), `sbom.json` (all packages of uv.lock, CycloneDX),
`SHA256SUMS` and `notes.md`.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from bin.description import described

ROOT = Path(__file__).resolve().parent.parent
UV = (sys.executable, "-m", "uv", "--quiet")
EXTRAS = "train,arena,play"
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
INSTALL = "docs/install.md"
VERSIONED, DATED, YEAR = "version", "date", "year"
# (file, pattern with the old text between two groups, what stands there)
PLACES = (
    ("w51_env/__init__.py", r'(__version__ = ")[^"]+(")', VERSIONED),
    ("CITATION.cff", r"(\nversion: )\S+(\n)", VERSIONED),
    ("CITATION.cff", r"(\ndate-released: )\S+(\n)", DATED),
    ("docs/how_to/cite.md", r"(\n  version = \{)[^}]+(\})", VERSIONED),
    ("docs/how_to/cite.md", r"(\n  year    = \{)[^}]+(\})", YEAR),
    (INSTALL, r"(w51_env-)[\d.abrc]+(-py3-none-any)", VERSIONED),
    (INSTALL, r"(bin/release )[\d.abrc]+( --draft)", VERSIONED),
)
THIS, DATE = PLACES[0], PLACES[2]
# (file, what it says before the package is in the index, what afterwards)
PUBLISHED = (
    (
        INSTALL,
        "It is not in the package index yet: install it from a clone, or from a wheel that was built from one.",
        "`pip install 'w51_env[train,arena,play]'` has all that the commands need; `w51_env` the environments alone.",
    ),
    (
        "README.md",
        "`pip install 'FILE.whl[train,arena,play]'` from a wheel",
        "`pip install 'w51_env[train,arena,play]'`",
    ),
)
# (file, what the address of the repository comes after, and the line of an older one; the line)
ADDRESSED = (
    ("CITATION.cff", r"(\ndate-released: .*\n)(?:repository-code: .*\n)?", 'repository-code: "{}"\n'),
    ("docs/how_to/cite.md", r"(\n  year    = \{.*\},\n)(?:  url     = .*\n)?", "  url     = {{{}}},\n"),
)
WEIGHTS = ROOT / "agents" / "w51_agents" / "pretrained"
RESULTS = ("benchmarks/results", "benchmarks/leaderboard", "experiments")
UNRELEASED = "## Unreleased\n"
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BRANCH = "main"
PYTHONS, IF_HERE = ("3.11", "3.12", "3.13"), ("3.14",)
T = TypeVar("T")


def main() -> None:
    """Make a release, or say why there is none."""
    parser = argparse.ArgumentParser(prog="bash bin/release", description="Make a release of a clean tree.")
    parser.add_argument("version", help="as 0.1.0")
    parser.add_argument("--draft", action="store_true", help="commit nothing and make no tag")
    parser.add_argument("--no-tests", action="store_true", help="of a draft: without bash bin/test")
    chosen = parser.parse_args()
    if chosen.no_tests and not chosen.draft:
        parser.error("--no-tests: for a --draft alone")
    check_tree(chosen.version, is_draft=chosen.draft)
    notes = notes_of(chosen.version)
    pythons = [] if chosen.no_tests else find_pythons()
    address = web_address(output("git", "config", "--default", "", "remote.origin.url"))
    if not address:
        print("the remote 'origin' is no web address: the description on a package index and the notes have no links")
    if not chosen.draft:
        if not address:
            sys.exit("a release names its address: git remote add origin https://HOST/OWNER/NAME")
        write_version(chosen.version, datetime.now(UTC).date().isoformat(), address)
        print("== version and date are written; if a step fails, take them back with: git restore .")
    if not chosen.no_tests:
        step("tests", lambda: run("bash", "bin/test"))
    folder = ROOT / "dist" / chosen.version
    wheel = step("wheel and sdist, twice", lambda: build(folder, address))
    for version in pythons:
        step(f"tests/env with Python {version} and the four dependencies alone", partial(try_python, version, wheel))
    step(f"an empty environment with {wheel.name}[{EXTRAS}]", lambda: try_out(wheel))
    add_assets(folder)
    notes = described(notes, f"{address}/{{}}/v{chosen.version}/" if address else "")
    (folder / "notes.md").write_text(notes, "utf-8")
    lock = ("--frozen", "--all-extras", "--format", "cyclonedx1.5", "--output-file", str(folder / "sbom.json"))
    run(*UV, "export", *lock)
    files = sorted(path for path in folder.iterdir() if path.name not in ("SHA256SUMS", ".gitignore"))
    (folder / "SHA256SUMS").write_text("".join(f"{digest(path)}  {path.name}\n" for path in files), "utf-8")
    if not chosen.draft:
        if output("git", "status", "--porcelain"):  # else as after a release of this day whose tag was deleted
            run("git", "commit", "--quiet", "--all", "--message", f"Release {chosen.version}")
        run("git", "tag", "--annotate", f"v{chosen.version}", "--message", f"w51_env {chosen.version}")
    print(f"== {folder.relative_to(ROOT)}\n{(folder / 'SHA256SUMS').read_text('utf-8')}", end="")
    print(
        "a draft: nothing is committed and there is no tag"
        if chosen.draft
        else f"publish with: git push --atomic origin {BRANCH} v{chosen.version}"
    )


def check_tree(version: str, *, is_draft: bool) -> None:
    """End with an error unless this tree can become this version, or is it if that is a draft."""
    if not VERSION.fullmatch(version):
        sys.exit(f"version: {version!r}, but a number as 0.1.0 or 0.1.0rc1 is needed")
    if changed := output("git", "status", "--porcelain"):
        sys.exit(f"the tree is not clean; commit or remove these files:\n{changed}")
    if is_draft:
        if version != said(THIS):
            sys.exit(f"version: {version}, but this tree is {said(THIS)}, and a draft changes nothing")
    else:
        check_git(version)
    if not (ROOT / "tests" / "lab" / "versions" / version).exists():
        sys.exit(
            f"version: {version}, but tests/lab/versions has no files of it, which later versions have to read; "
            f"make and commit them: python -m tests.lab.versions.make {version}"
        )


def check_git(version: str) -> None:
    """End with an error unless git can commit and tag this version here."""
    if (branch := output("git", "branch", "--show-current")) != BRANCH:
        sys.exit(
            f"branch: {branch or 'none'}, but a release is made on {BRANCH} (git switch {BRANCH}), a --draft anywhere"
        )
    identity = ("git", "var", "GIT_COMMITTER_IDENT")
    if subprocess.run(identity, cwd=ROOT, capture_output=True, check=False).returncode:
        sys.exit("git does not know who you are: git config --global user.name NAME, and the same with user.email")
    if output("git", "tag", "--list", f"v{version}"):
        sys.exit(
            f"version: {version}, but there is a tag v{version}; if it was never pushed: git tag --delete v{version}"
        )


def notes_of(version: str) -> str:
    """The section of the changelog for this version, which is still called unreleased or already has its name."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for heading in (UNRELEASED, f"## {version} "):
        _, found, section = text.partition(heading)
        if found:
            section = section.partition("\n## ")[0]
            return section.partition("\n")[2].strip() + "\n" if heading != UNRELEASED else section.strip() + "\n"
    sys.exit(f"CHANGELOG.md: no section {UNRELEASED.strip()!r} or '## {version} (DATE)'")


def write_version(version: str, date: str, address: str) -> None:
    """Write version, date and address where they are said; the package is in the index from now on."""
    new = {VERSIONED: version, DATED: date, YEAR: date[:4]}
    changelog = ("CHANGELOG.md", rf"(\n## )(?:Unreleased|{re.escape(version)} \(.*\))(\n)", "heading")
    new["heading"] = f"{version} ({date})"
    for name, pattern, what in (*PLACES, changelog):
        path = ROOT / name
        text, count = re.subn(pattern, rf"\g<1>{new[what]}\g<2>", path.read_text("utf-8"))
        if count != 1:
            sys.exit(f"{name}: {count} places of {pattern}, but one is needed")
        path.write_text(text, "utf-8")
    for name, pattern, line in ADDRESSED:
        path = ROOT / name
        path.write_text(re.sub(pattern, rf"\g<1>{line.format(address)}", path.read_text("utf-8")), "utf-8")
    for name, before, after in PUBLISHED:
        path = ROOT / name
        path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")


def said(place: tuple[str, str, str]) -> str:
    """What a place of `PLACES` says: the version, the date or its year."""
    name, pattern, _ = place
    [match] = re.finditer(pattern, (ROOT / name).read_text("utf-8"))
    return match[0].removeprefix(match[1]).removesuffix(match[2])


def build(folder: Path, address: str) -> Path:
    """Build wheel and sdist twice; the wheel. Ends with an error if their bytes differ."""
    epoch = f"{datetime.fromisoformat(f'{said(DATE)}T00:00:00+00:00').timestamp():.0f}"
    with tempfile.TemporaryDirectory() as again:
        for place in (folder, again):
            once = ("build", "--clear", "--python", sys.executable, "--no-build-isolation", "--out-dir", str(place))
            run(*UV, *once, SOURCE_DATE_EPOCH=epoch, W51_REPOSITORY=address)  # by the hatchling of uv.lock
        for path in folder.glob("w51_env-*"):
            if digest(path) != digest(Path(again) / path.name):
                sys.exit(f"{path.name}: two builds of the same tree differ")
    [wheel] = folder.glob("*.whl")
    return wheel


def web_address(remote: str) -> str:
    """The web address of a git remote such as `git@github.com:OWNER/NAME.git`; empty if it has none."""
    host = r"(?P<host>[\w.-]+\.\w+)"
    for begin in (rf"https://(?:[^@/]+@)?{host}/", rf"ssh://git@{host}(?::\d+)?/", rf"git@{host}:"):
        if found := re.fullmatch(rf"{begin}(?P<path>.+?)(?:\.git)?/?", remote):
            return f"https://{found['host']}/{found['path']}"
    return ""


def add_assets(folder: Path) -> None:
    """Put the networks, each under the name of its agent, and the files of results beside the wheel."""
    for path in sorted(WEIGHTS.rglob("*.safetensors")):
        agent = path.parent.name
        shutil.copyfile(path, folder / f"{agent}-{path.name}")
    run("git", "archive", "--format=tar", "--output", str(folder / "results.tar"), "HEAD", *RESULTS)


def find_pythons() -> list[str]:
    """The versions of Python that tests/env is run with; ends with an error if one of `PYTHONS` is not here."""
    found = []
    for version in (*PYTHONS, *IF_HERE):
        find = (*UV, "python", "find", "--system", "--no-python-downloads", version)
        done = subprocess.run(find, capture_output=True, text=True, check=False)
        if not done.returncode:
            found.append(version)
        elif version in IF_HERE:
            print(f"Python {version} is not here, and not tried")
        else:
            names = "where pyenv has it, name all: PYENV_VERSION=3.11.7:3.12.1:3.13.0 bash bin/release ..."
            sys.exit(f"Python {version} is needed, for tests/env ({names})\n{done.stderr}")
    return found


def try_python(version: str, wheel: Path) -> None:
    """Run the tests of the environment with one version of Python."""
    with tempfile.TemporaryDirectory() as name:
        python = Path(name) / "env/bin/python"
        run(*UV, "venv", "--no-python-downloads", "--python", version, str(python.parents[1]))
        run(*UV, "pip", "install", "--python", str(python), str(wheel), "pytest", "hypothesis", "pytest-xdist")
        run(str(python), "-m", "pytest", "tests/env", "--quiet", "--numprocesses", "auto", "--dist", "worksteal")


def try_out(wheel: Path) -> None:
    """Run what the README shows with the wheel alone, in an empty environment and folder; own cards, the benchmark."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python, w51 = folder / "env/bin/python", folder / "env/bin/w51"
        run(*UV, "venv", str(folder / "env"))
        torch = ("--constraint", str(ROOT / "bin" / "constraints-torch.txt"))
        install = (*UV, "pip", "install", "--python", str(python), f"{wheel}[{EXTRAS}]", *torch)
        if subprocess.run((*install, "--torch-backend", "auto"), check=False).returncode:
            run(*install)  # as bin/set_up
        readme, cards = (PROGRAM.findall((ROOT / page).read_text("utf-8")) for page in ("README.md", "docs/relics.md"))
        for number, code in enumerate(readme, 1):
            step(f"README, program {number} of {len(readme)}", partial(run, str(python), "-c", code, cwd=folder))
        step("docs/relics.md: own cards", partial(run, str(python), "-c", "\n".join(cards), cwd=folder))
        small = ("decisions=20_000", "evaluation.games=40", "evaluation.against=[heuristic]")
        agents = ("runs/selfplay_quick", "pretrained", "heuristic")
        for command in (
            ("train", "--config", "selfplay_quick", *small),
            ("evaluate", *agents, "--games", "60"),
            ("play", "export", *agents, "game.html"),
            ("benchmark", "runs/selfplay_quick", "--quick", "--track", "warehouse51-4"),
        ):
            step(f"w51 {' '.join(command)}", partial(run, str(w51), *command, cwd=folder))
        visitor = ("--tables", "1", "--browsers", "1", "--alone", "--think", "0.2", "--seconds", "60")
        load = (sys.executable, "-m", "benchmarks.web_tables", *visitor, "--w51", str(w51))
        step("w51 play, for a minute", partial(run, *load))


def step(what: str, do: Callable[[], T]) -> T:
    """Do something, with a line about it and its time."""
    begun = time.monotonic()
    print(f"== {what}", flush=True)
    result = do()
    print(f"   {time.monotonic() - begun:.0f} s", flush=True)
    return result


def run(*command: str, cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; ends with an error if it fails."""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, check=False)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {' '.join(command)[:200]}")


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
