"""Words of the games and of their tables by language, from data files: English in `w51_env/languages`, the
others in `w51_table/languages`.

A key is dotted: `warehouse51.event.sold` is the entry `sold` of the table `[warehouse51.event]`. `en.toml` has every
key; another language may lack some, which are then shown in English. docs/views.md says how to add one.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from w51_env.engine.options import check_name
from w51_env.engine.plain_data import is_clear

ENGLISH = "en"
LANGUAGES = ("en", "fr", "de", "hu")
FORMS = {"by", "one", "other"}

Paint = Callable[[str, str], str]  # (style, text) -> the text, with colour where there is some

# A text; or the forms `one` and `other` for a number, and `by`, the placeholder of the number.
Translation = str | Mapping[str, str]


class Words:
    """The words of one language, with the names of the seats of one table.

    Args:
        language: One of `LANGUAGES`.
        names: A name for each seat; none: `Player 0` and so on. Characters that cannot be printed become spaces, so
            that no name controls a terminal.

    Raises:
        OptionError: An unknown language.
    """

    def __init__(self, language: str = ENGLISH, names: Sequence[str] = ()):
        self.language = check_language(language)
        self.names = tuple("".join(letter if is_clear(letter) else " " for letter in name) for name in names)
        self._entries = entries(language)

    def __call__(self, key: str, **values: Any) -> str:
        """The text of a key with its placeholders filled in; KeyError if no language has the key."""
        entry = self._entries[key]
        if not isinstance(entry, str):
            entry = entry["one" if is_one(self.language, values[entry["by"]]) else "other"]
        return entry.format(**values)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def seat(self, seat: int | None) -> str:
        """The name of a seat; None and -1: nobody."""
        if seat is None or seat < 0:
            return self("table.nobody")
        return self.names[seat] if self.names else self("table.player", seat=seat)

    def seats(self, num_players: int) -> list[str]:
        """The names of all seats."""
        return [self.seat(seat) for seat in range(num_players)]

    def listed(self, names: Sequence[str]) -> str:
        """Names as a sentence lists them: `Ann, Ben and Cem`."""
        if len(names) < 2:
            return "".join(names)
        return self("table.and", before=", ".join(names[:-1]), last=names[-1])

    def number(self, number: int) -> str:
        """A whole number with the thousands set apart as the language has it: `12,000`."""
        return f"{number:,}".replace(",", self("table.thousands"))

    def decimal(self, number: float, form: str) -> str:
        """A number as `format` writes it, with the decimal sign of the language: 0.5 as ".1%" is `50,0%` in French."""
        return format(number, form).replace(".", self("table.decimal"))

    def section(self, table: str) -> dict[str, str]:
        """The texts of one table by entry, not filled in; of forms by number the general one."""
        return {
            key.removeprefix(f"{table}."): entry if isinstance(entry, str) else entry["other"]
            for key, entry in self._entries.items()
            if key.startswith(f"{table}.")
        }


@cache
def words_of(language: str) -> Words:
    """The words of a language, with the usual names of the seats."""
    return Words(language)


def check_language(language: str) -> str:
    """The language. OptionError unless it is one of `LANGUAGES`."""
    return check_name("language", language, LANGUAGES)


def is_one(language: str, number: int) -> bool:
    """Whether a number takes the form `one`: in French 0 does, too."""
    return number == 1 or (number == 0 and language == "fr")


@cache
def entries(language: str) -> Mapping[str, Translation]:
    """Every entry of a language by its dotted key; an entry that its file lacks is English."""
    return {**translated(ENGLISH), **translated(language)}


@cache
def translated(language: str) -> Mapping[str, Translation]:
    """The entries of a language's own file."""
    return dict(_flat("", tomllib.loads(file_of(language).read_text("utf-8"))))


def file_of(language: str) -> Any:
    """The file of a language."""
    return files("w51_env" if language == ENGLISH else "w51_table") / "languages" / f"{language}.toml"


def _flat(prefix: str, table: Mapping[str, Any]) -> list[tuple[str, Translation]]:
    flat: list[tuple[str, Translation]] = []
    for name, value in table.items():
        if isinstance(value, dict) and set(value) != FORMS:
            flat += _flat(f"{prefix}{name}.", value)
        else:
            flat.append((f"{prefix}{name}", value))
    return flat
