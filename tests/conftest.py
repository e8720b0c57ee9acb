"""Fixtures of several folders."""

import gc
import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import engine

# The same examples in every run. A failing test is shrunk for 20 seconds at most; Hypothesis takes 300 and has no
# setting for it.
settings.register_profile(
    "w51",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("w51")
engine.MAX_SHRINKING_SECONDS = 20

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a command in the background, and of its processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["LANGUAGE"] = "en"  # commands speak the language of the locale, also in processes of tests


def pytest_collection_finish() -> None:
    """Collections of garbage need not go through the modules of all tests, which stay, nor be as many: they took a
    tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


_AGENTS, _LAB = (Path(__file__).parent / folder for folder in ("agents", "lab"))
_DRAWING = tuple(_LAB / folder for folder in ("report", "statistics", "behaviour", "trainings"))


@pytest.fixture(autouse=True)
def undrawn(request, monkeypatch):
    """In most of these two folders a figure is a file of some bytes, as a report takes a second to draw."""
    folder = request.path.parent
    if (
        (folder.is_relative_to(_AGENTS) or folder.is_relative_to(_LAB))
        and folder not in _DRAWING
        and find_spec("matplotlib")
    ):
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", _save_nothing)


def _save_nothing(figure, target, **settings) -> None:
    if settings.get("format") == "svg":
        target.write(b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    else:
        Path(target).write_bytes(b"\x89PNG")


@pytest.fixture
def one_thread():
    """PyTorch with one thread for one test: results are the same to the last bit, and small networks are faster."""
    torch = pytest.importorskip("torch", reason="needs the extra 'train'")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
