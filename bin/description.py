"""The long description of the wheel: README.md, whose links go to the repository that `W51_REPOSITORY` names.

A package index shows the description by itself, where a path of this repository leads nowhere. Without `W51_REPOSITORY`
(as `https://github.com/OWNER/NAME`) what is linked stays as words, and pictures are left out. Called by hatchling.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "W51_REPOSITORY"
PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<path>(?!https?:)[^)\s]+)\)")
LINK = re.compile(r"(?<!!)\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?P<path>(?!https?:)[^)\s]+)\)")


class Description(MetadataHookInterface):
    """Fills in the fields `readme` and `urls` of the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the long description, and the repository where it is known."""
        repository = os.environ.get(VARIABLE, "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text("utf-8")
        where = f"{repository}/{{}}/v{metadata['version']}/" if repository else ""
        metadata["readme"] = {"content-type": "text/markdown", "text": described(text, where)}
        metadata["urls"] = {"Repository": repository} if repository else {}


def described(text: str, where: str) -> str:
    """A page without paths of this repository.

    Args:
        text: The page, Markdown.
        where: Begin of the addresses of files, with `{}` for `blob` (pages) or `raw` (bytes). Empty: nowhere.

    Returns:
        The page, its links and pictures with addresses; or the words of links, and no pictures.
    """
    if not where:
        return re.sub(r"\n{3,}", "\n\n", LINK.sub(r"\g<text>", PICTURE.sub("", text)))
    pictured = PICTURE.sub(rf"![\g<text>]({where.format('raw')}\g<path>)", text)
    return LINK.sub(rf"[\g<text>]({where.format('blob')}\g<path>)", pictured)
