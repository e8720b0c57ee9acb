"""The tree of nano, built once for all tests here."""

import pytest

from w51_agents.exact.tree import Tree, build_tree
from w51_env import warehouse51


@pytest.fixture(scope="session")
def nano() -> Tree:
    return build_tree(warehouse51.make(preset="nano"))
