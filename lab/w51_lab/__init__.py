"""The laboratory: who is better, and why. Matches, tournaments, statistics, reports, the benchmark, offline data."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from w51_lab.figure_backend import drop_missing_backend

if TYPE_CHECKING:
    from w51_lab.evaluators.verifiers_env import ChatHarness, GameEnv, GameTaskset

__all__ = ["ChatHarness", "GameEnv", "GameTaskset"]  # where verifiers looks for the environment `w51_lab`

drop_missing_backend()  # before anything imports Matplotlib


def __getattr__(name: str) -> Any:
    """The environment for verifiers, imported at first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("w51_lab.evaluators.verifiers_env"), name)
