"""Links from the pages to the repository: the site has a copy of a file that a page links to, and none of a folder."""

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<path>(?!\w+:)[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")


def setup(app: Any) -> None:
    """Change links while the pages are read."""
    app.connect("source-read", _change_links)


def _change_links(app: Any, page: str, source: list[str]) -> None:
    root = Path(app.srcdir)
    folder = (root / page).parent

    def changed(link: re.Match[str]) -> str:
        target = (folder / link["path"]).resolve()
        if target.is_relative_to(root) and not target.is_dir():
            return link[0]
        if target.is_dir():
            return link["text"]
        return f"[{link['text']}](path:{link['path']})"

    source[0] = _LINK.sub(changed, source[0])
