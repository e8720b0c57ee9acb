"""Marks of tests that use another library, and their results for docs/compatibility.md."""

import pytest


def client(distribution: str, what: str) -> pytest.MarkDecorator:
    """The test uses the library of this name on the package index; `what` says in a few words what is run."""
    return pytest.mark.client(distribution, what)
