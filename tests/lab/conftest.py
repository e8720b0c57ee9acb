"""The tests of the laboratory need the extras `train` and `arena`; without their packages none is collected."""

from importlib.util import find_spec

NEEDED = ("torch", "sb3_contrib", "pyarrow", "openskill", "jinja2")
collect_ignore_glob = ["*"] * (not all(map(find_spec, NEEDED)))
