"""The site of the documentation: built without a warning, complete, and readable without a network."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT

pytestmark = pytest.mark.slow
SOUGHT = ("make_vec", "certificate_timing", "exploitability", "MaskedCategorical")
# What a page loads by itself; a link that a reader may follow is none of it.
LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\bsrc="(\w+:)?//|<link[^>]*\bhref="(\w+:)?//|url\((\w+:)?//')


@pytest.fixture(scope="module")
def site() -> Path:
    done = subprocess.run(["bash", "bin/docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ROOT / "docs" / "_build" / "html"


@pytest.mark.parametrize("word", SOUGHT)
def test_the_search_finds(site: Path, word: str):
    index = (site / "searchindex.js").read_text("utf-8").lower()  # of stems of words
    assert any(f'"{word.lower()[:length]}"' in index for length in range(len(word), len(word) - 6, -1))


def test_no_page_loads_anything_from_the_network(site: Path):
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        assert not LOADED.search(page.read_text("utf-8")), page


def test_every_public_class_and_function_has_an_entry(site: Path):
    from docs._site import api

    pages = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    missing = [
        f"{module.__name__}.{name}"
        for module in api.public_modules()
        for name in api.public_names(module)
        if f'id="{module.__name__}.{name}"' not in pages
    ]
    assert missing == []
