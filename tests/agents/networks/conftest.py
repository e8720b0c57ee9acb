"""The tests of networks need the extra `train`; without its packages none is collected. Each has one thread."""

from importlib.util import find_spec

import pytest

NEEDED = ("torch", "sb3_contrib", "safetensors", "tensorboardX")
collect_ignore_glob = ["*"] * (not all(map(find_spec, NEEDED)))
collect_ignore = ["test_export.py"] * (not all(map(find_spec, ("onnx", "onnxruntime"))))


@pytest.fixture(autouse=True)
def with_one_thread(one_thread):
    """PyTorch is the quickest so with small networks."""
