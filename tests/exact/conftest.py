"""The tree of nano, built once for all tests here."""

import pytest

from w51_env import warehouse51
from w51_env.agents.exact.tree import Tree, build_tree


@pytest.fixture(scope="session")
def nano() -> Tree:
    return build_tree(warehouse51.make(preset="nano"))
