"""Sphinx: how `bash bin/docs` makes the site from these pages and the docstrings."""

import os
import sys
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # a compiled function shows no signature
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs._site import api, links  # noqa: E402
from w51_env import __version__  # noqa: E402

project = "w51_env"
author = "w51_env contributors"
copyright = author  # noqa: A001 - Sphinx names it so
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["_site", "_generators", "_build"]

toc_object_entries = False  # or every page has the names of all objects

html_theme = "furo"
html_title = "w51_env"
html_favicon = "../table/w51_table/web/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(ROOT / "docs/_static/scorer.js")
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "off"  # notebooks run in the tests and are committed with what they print

default_role = "code"  # what docstrings set in backticks
autodoc_mock_imports = api.ABSENT
autodoc_default_options = {"members": True, "undoc-members": True, "show-inheritance": True}
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # attributes of one name in several classes


def setup(app):  # type: ignore[no-untyped-def]
    """Called by Sphinx."""
    api.setup(app)
    links.setup(app)
