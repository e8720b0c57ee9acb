"""Skips tests whose library is not installed. For bin/clients.py: runs some libraries' tests and writes the results."""

import gc
import json
import os
from collections.abc import Generator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

REPORT, LIBRARIES = "W51_ENV_CLIENTS_REPORT", "W51_ENV_CLIENTS"
_RESULTS: list[dict[str, str]] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if LIBRARIES in os.environ:  # the libraries of one environment
        wanted = os.environ[LIBRARIES].split(",")
        items[:] = [item for item in items if (mark := item.get_closest_marker("client")) and mark.args[0] in wanted]
    for item in items:
        if item.get_closest_marker("client"):  # what other libraries warn about is not ours to change
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(autouse=True)
def what_libraries_leave_open_is_collected_with_their_test() -> Generator:
    gc.freeze()  # what was there before need not be searched
    yield
    gc.collect()


def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("client")
    if marker and not _version(marker.args[0]):
        pytest.skip(f"{marker.args[0]} is not installed; bash bin/test --clients installs it")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator:
    report = (yield).get_result()
    marker = item.get_closest_marker("client")
    if marker and (report.when == "call" or (report.when == "setup" and report.failed)):
        library, what = marker.args
        result = "works" if report.passed else "skipped" if report.skipped else "fails"
        _RESULTS.append({"library": library, "version": _version(library), "what": what, "result": result})


def pytest_sessionfinish() -> None:
    if (path := os.environ.get(REPORT)) and _RESULTS:
        Path(path).write_text(json.dumps(_RESULTS, indent=1) + "\n", "utf-8")


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
