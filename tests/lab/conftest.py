"""The tests of the laboratory need the extras `train` and `arena`; without their packages none is collected."""

from importlib.util import find_spec

import pytest

NEEDED = ("torch", "sb3_contrib", "pyarrow", "openskill", "jinja2")
collect_ignore_glob = ["*"] * (not all(map(find_spec, NEEDED)))


@pytest.fixture
def not_laid_out(undrawn, monkeypatch) -> None:
    """Figures are not laid out either, for a test that writes several reports and is about none of them."""
    monkeypatch.setattr("matplotlib.figure.Figure.draw_without_rendering", lambda figure: None)
