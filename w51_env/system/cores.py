"""How many cores this process may use, and how many others want them."""

import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Cores by affinity and, in a container, by its quota of processor time; at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return cores if quota is None else max(1, min(cores, int(quota)))


def load_note() -> str | None:
    """A sentence for the start of long work if other processes keep the cores busy; None if they do not."""
    cores, load = usable_cores(), os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load < cores:
        return None
    return (
        f"This machine is loaded: about {load:.0f} other processes want its cores, and this one may use {cores}; "
        f"it will take about {(load + cores) / cores:.1f} times as long."
    )


def _quota() -> float | None:
    """Cores' worth of processor time of the control group (versions 2 and 1), or None without a limit."""
    for read in (_quota_v2, _quota_v1):
        try:
            return read()
        except (OSError, ValueError):
            continue
    return None


def _quota_v2() -> float | None:
    quota, period = (_CGROUP / "cpu.max").read_text("ascii").split()
    return None if quota == "max" else int(quota) / int(period)


def _quota_v1() -> float | None:
    quota, period = (int((_CGROUP / "cpu" / f"cpu.cfs_{name}_us").read_text("ascii")) for name in ("quota", "period"))
    return None if quota < 0 else quota / period
