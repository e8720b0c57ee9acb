"""The notebooks of the documentation run, and print what they show."""

import contextlib
import io
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorials").glob("*.ipynb"))


SLOW = {"gymnasium_agent"}  # it trains


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] * (path.stem in SLOW)) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_a_notebook_runs_and_prints_what_it_shows(path: Path):
    if path.stem == "gymnasium_agent":
        pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), namespace)
        shown = "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")
        assert printed.getvalue() == shown, f"{path.name}, cell {number}"


def test_there_are_three():
    assert len(NOTEBOOKS) == 3
