"""PyTorch and numpy as the networks of this package need them, whatever this process has set."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.context import ForkProcess
from multiprocessing.process import current_process

import numpy as np
import torch

_DEVICES = ("cpu", "cuda")
_EXACT = "ieee"  # float32 and nothing less
_BACKENDS = [torch.backends.mkldnn, torch.backends.cuda]
_MATMULS = [
    each.matmul for each in _BACKENDS if hasattr(getattr(each, "matmul", None), "fp32_precision")
]  # PyTorch 2.9
_process = os.getpid()


class _Float32:
    """The settings that all threads of a process share; those of the process are back when no thread is inside."""

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = torch.get_default_dtype(), _precisions()
                _set_shared(torch.float32, [_EXACT] * len(_MATMULS))
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _set_shared(*self._before)


def _set_shared(dtype: torch.dtype, precisions: list[str]) -> None:
    torch.set_default_dtype(dtype)
    for matmul, precision in zip(_MATMULS, precisions, strict=True):
        matmul.fp32_precision = precision


def _precisions() -> list[str]:
    """Of the matrix products of float32 on a processor and on a GPU; also `set_float32_matmul_precision` sets them."""
    return [matmul.fp32_precision for matmul in _MATMULS]


_float32 = _Float32()
# A fork while another thread is inside: the child would wait for it.
os.register_at_fork(after_in_child=_float32.__init__)  # type: ignore[misc]


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """PyTorch on so many threads: sums depend on their number, and threads that wait in loops slow others down."""
    before = torch.get_num_threads()
    if before != count:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        if before != count:
            torch.set_num_threads(before)


@contextmanager
def own_settings(threads: int | None = None) -> Iterator[None]:
    """Inside, networks compute in float32, on the devices that the code names, with gradients.

    Replaces for a while: the default dtype and device, the precision of matrix products, `no_grad`, `inference_mode`
    and autocast of PyTorch, `seterr` of numpy.

    Args:
        threads: Number of PyTorch's threads. None: that of the process; 1 in a forked one, where more would hang if the
            parent had used them.
    """
    with ExitStack() as stack:
        if threads is None and is_forked():
            threads = 1
        if threads is not None:
            stack.enter_context(torch_threads(threads))
        stack.enter_context(_float32)
        if torch.get_default_device().type != "cpu":  # the mode costs time in each call of PyTorch
            stack.enter_context(torch.device("cpu"))
        for device in _DEVICES:
            if torch.is_autocast_enabled(device):
                stack.enter_context(torch.autocast(device, enabled=False))
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        stack.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        yield


@contextmanager
def playing() -> Iterator[None]:
    """`own_settings` on one thread and without gradients; in little time if the process has changed none of them."""
    with own_settings(1) if _has_changed() else torch_threads(1), torch.no_grad():
        yield


def _has_changed() -> bool:
    """Whether the process has changed a setting that changes what a network computes; in some 3 us."""
    made = torch.empty(0)
    try:
        is_exact = torch.get_float32_matmul_precision() == "highest"
    except RuntimeError:  # set by `fp32_precision` of a backend, which this call does not know
        is_exact = False
    is_usual = made.dtype is torch.float32 and made.device.type == "cpu" and is_exact
    return not is_usual or any(map(torch.is_autocast_enabled, _DEVICES))


@contextmanager
def loading() -> Iterator[None]:
    """`own_settings` while weights are loaded: on one thread, and without a draw from PyTorch's global generator."""
    with own_settings(1), torch.random.fork_rng(devices=()):
        yield


def is_forked() -> bool:
    """Whether this process is the child of a fork, as far as it can be known."""
    return os.getpid() != _process or isinstance(current_process(), ForkProcess)
