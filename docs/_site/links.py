"""Links of the pages to files of the repository: a file is copied beside the site, a folder has no link."""

from typing import Any


def setup(app: Any) -> None:
    pass
