"""The tables of docs/views.md: the fields of a view, of the parts that each game adds, and missing translations."""

import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from docs import _tables
from w51_env.alles_futsch.show import view as alles_futsch
from w51_env.views.language import ENGLISH, LANGUAGES, translated
from w51_env.views.view import View
from w51_env.warehouse51.show import view_parts as warehouse51

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/views.md"
_FIELD = re.compile(r"^    (\w+): ([^#\n]+?)(?:\s+# +(.*))?$", re.MULTILINE)


def pages() -> dict[str, str]:
    """The text of the page, by its path in the repository."""
    tables = {
        "view": _tables.attributes(View),
        "warehouse51": _parts(
            warehouse51,
            (
                "SeatView",
                "OwnedView",
                "StandingView",
                "TableView",
                "RelicView",
                "LotView",
                "GapView",
                "CertificateView",
            ),
        ),
        "alles_futsch": _parts(alles_futsch, ("PlayerView", "CardTableView", "CardLotView")),
        "untranslated": _tables.table(("language", "entries that it lacks"), map(_untranslated, LANGUAGES[1:])),
    }
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), tables)}


def _untranslated(language: str) -> tuple[str, str]:
    missing = [key for key in translated(ENGLISH) if key not in translated(language)]
    return f"`{language}`", ", ".join(f"`{key}`" for key in missing) or "none"


def _parts(module: ModuleType, names: Iterable[str]) -> str:
    """A row for each field of the parts of a game's view, with the comment beside it in the source."""
    rows = []
    for name in names:
        part = getattr(module, name)
        fields = _FIELD.findall(inspect.getsource(part))
        if [field for field, _, _ in fields] != list(part.__annotations__):
            raise KeyError(f"{module.__name__}.{name}: a field is not on a line of its own")
        rows += [(f"`{name}`", f"`{field}`", f"`{kind}`", meaning) for field, kind, meaning in fields]
    return _tables.table(("part", "field", "type", "meaning"), rows)
