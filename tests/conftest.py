"""What tests of several folders share."""

import pytest


@pytest.fixture
def one_thread():
    """PyTorch with one thread, in which results are the same to the last bit, and small networks faster; afterwards as before."""
    torch = pytest.importorskip("torch", reason="needs the extra 'train'")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
