"""Fixtures of several folders."""

import os

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

os.environ["LANGUAGE"] = "en"  # commands speak the language of the locale, also in processes of tests


@pytest.fixture
def one_thread():
    """PyTorch with one thread for one test: results are the same to the last bit, and small networks are faster."""
    torch = pytest.importorskip("torch", reason="needs the extra 'train'")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
