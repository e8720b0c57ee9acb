"""Tests with other libraries, in environments of their own: `bash bin/test --clients`. Writes docs/compatibility.md.

Each file of tests/clients/requirements is an environment, `.venv-clients-NAME`, that has the packages of `.venv` and
the file's own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tests" / "clients" / "requirements"
PAGE = ROOT / "docs" / "compatibility.md"
REPORT, LIBRARIES = "W51_ENV_CLIENTS_REPORT", "W51_ENV_CLIENTS"
BLOCK = re.compile(r"(<!-- table: clients -->\n).*?(<!-- end -->)", re.DOTALL)
HOUSES = ("", "agents", "lab", "table", "bridges")  # folders of the packages; .venv has them by an editable install
Row = dict[str, str]


def main(names: list[str]) -> int:
    """Run the tests of these environments, all without names; returns the exit status."""
    known = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
    if unknown := sorted(set(names) - set(known)):
        print(f"--clients: {', '.join(unknown)}: unknown; known are {', '.join(known)}", file=sys.stderr)
        return 2
    failed, rows = [], []
    for name in names or known:
        print(f"\n== clients: {name}", flush=True)
        folder = ROOT / f".venv-clients-{name}"
        report = folder.with_suffix(".json")
        report.unlink(missing_ok=True)
        if not install(name, folder) or not run_tests(name, folder, report):
            failed.append(name)
        if report.exists():
            rows += json.loads(report.read_text("utf-8"))
    if not names and rows:
        PAGE.write_text(filled(PAGE.read_text("utf-8"), rows), "utf-8")
        print(f"\n{PAGE.relative_to(ROOT)} is written")
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def install(name: str, folder: Path) -> bool:
    """Make the environment, or bring it up to date; prints the log's name if that fails."""
    log = folder.with_suffix(".log")
    python = folder / "bin" / "python"
    with log.open("w") as output:
        if not python.exists():
            subprocess.run(
                [sys.executable, "-m", "venv", "--without-pip", folder], stdout=output, stderr=output, check=True
            )
            [packages] = folder.glob("lib/python*/site-packages")
            [shared] = Path(sys.prefix).glob("lib/python*/site-packages")
            (packages / "shared.pth").write_text(f"{shared}\n")
        pip: list[str | Path] = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--quiet",
            "-r",
            REQUIREMENTS / f"{name}.txt",
        ]
        if subprocess.run(pip, stdout=output, stderr=output, check=False).returncode == 0:
            return True
    print(f"the packages could not be installed; see {log.relative_to(ROOT)}", file=sys.stderr)
    return False


def libraries(name: str) -> list[str]:
    """The names of the packages in a requirements file."""
    lines = (REQUIREMENTS / f"{name}.txt").read_text("utf-8").splitlines()
    return [re.split(r"[=<>\[ ]", line)[0] for line in lines if line and not line.startswith("#")]


def run_tests(name: str, folder: Path, report: Path) -> bool:
    """Run the tests of the libraries of one environment, slow ones too."""
    environment = os.environ | {
        REPORT: str(report),
        LIBRARIES: ",".join(libraries(name)),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(str(ROOT / house) for house in HOUSES),  # for the processes that tests start
    }
    pytest: list[str | Path] = [
        folder / "bin" / "python",
        "-m",
        "pytest",
        "--quiet",
        "-m",
        "client and not gpu",
        "tests/clients",
    ]
    return subprocess.run(pytest, cwd=ROOT, env=environment, check=False).returncode == 0


def filled(page: str, rows: list[Row]) -> str:
    """The page with the table of results, one row for each thing that was run."""
    results: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        results.setdefault((row["library"], row["version"], row["what"]), set()).add(row["result"])
    lines = ["| library | version | what was run | result |", "| --- | --- | --- | --- |"]
    for (library, version, what), outcome in sorted(results.items()):
        result = next(word for word in ("fails", "works", "skipped") if word in outcome)
        lines.append(f"| {library} | {version} | {what} | {result} |")
    table = "\n".join(lines)
    return BLOCK.sub(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
