"""Relic sets: read from TOML files that `relic_checks` has checked (S3, S4, section 6)."""

import json
import os
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from w51_env.engine.errors import OptionError, W51Error, nearest
from w51_env.engine.plain_data import MAX_TOML, parse_toml
from w51_env.warehouse51.generated_relics import GENERATED, generate_relic_set, seed_of
from w51_env.warehouse51.relic_checks import FIELDS, SCHEMA, mistakes
from w51_env.warehouse51.relic_set import Relic, RelicSet
from w51_env.warehouse51.state import CATEGORIES


class RelicFileError(W51Error):
    """A relic file that cannot be used; the first mistakes in it are listed with their keys."""


_BUILT_IN = Path(__file__).parent / "relic_sets"
_MAX_BYTES = 4 * MAX_TOML  # of a relic file
AUCTIONED = {"open:": False, "blind:": True}  # prefixes of a set: whether all its relics are auctioned as weapons are
_Cards = tuple[tuple[Relic, ...], int]  # the relics without the sources of their fields, and the blank counterfeits


@cache
def built_in_relic_sets() -> tuple[str, ...]:
    """Names of the relic sets that come with the package."""
    return tuple(sorted(file.stem for file in _BUILT_IN.glob("*.toml")))


def load_relic_set(relics: str) -> RelicSet:
    """The relic set that the option `relics` stands for: a name, a path or the text of a file.

    A name is that of a built-in set, or `generated:SEED` (`generated_relics`). `open:` or `blind:` before a name or a
    path is the same set with all its relics auctioned openly, or all blind.

    Raises:
        OptionError: No set has this name and there is no such file.
        RelicFileError: The file cannot be used; the message lists the first mistakes with their keys.
    """
    built_in = built_in_relic_sets()
    if relics in built_in:
        return _built_in_relic_set(relics)
    if is_relic_text(relics):
        return _parse(relics, "relics")
    for prefix, weapon in AUCTIONED.items():
        if relics.startswith(prefix):
            of_set = load_relic_set(relics.removeprefix(prefix))
            auctioned = tuple(replace(relic, weapon=weapon) for relic in of_set.relics)
            return replace(of_set, name=prefix + of_set.name, relics=auctioned)
    if relics.startswith(GENERATED):
        return generate_relic_set(seed_of(relics))
    if not os.path.isfile(relics):  # noqa: PTH113 (`Path` raises OSError where a name is too long for a file)
        known = ", ".join(built_in)
        raise OptionError(
            f"relics: {relics!r} is neither a file nor a built-in relic set ({known}){nearest(relics, built_in)}"
        )
    return _parse(_read(Path(relics), relics), relics)


def kept_relics(relic_set: RelicSet) -> str:
    """What a game keeps of its option `relics`, the same for the same cards.

    It is the name of the built-in set that has these cards, else a text of them in a fixed form. So neither the path
    of a file, nor its comments, its form, the name of the set or the sources of its fields make another game of it;
    and a game, its copies and its replays keep their cards if the file changes.
    """
    cards = _cards(relic_set)
    same = (name for name, built_in in _built_in_cards().items() if built_in == cards)
    return next(same, None) or relics_text(relic_set)


def is_relic_text(relics: str) -> bool:
    """Whether the option `relics` is the text of a relic file. Such a text has several lines."""
    return "\n" in relics


def is_relic_file(relics: str) -> bool:
    """Whether the option `relics` is the path of a file, which may have a prefix of AUCTIONED."""
    for prefix in AUCTIONED:
        relics = relics.removeprefix(prefix)
    return relics not in built_in_relic_sets() and not is_relic_text(relics) and not relics.startswith(GENERATED)


def _cards(relic_set: RelicSet) -> _Cards:
    """All that makes the cards: a set without its name and the sources of its fields."""
    return tuple(replace(relic, sources={}) for relic in relic_set.relics), relic_set.blank_counterfeits


@cache
def _built_in_cards() -> dict[str, _Cards]:
    """The cards of each built-in set, by its name."""
    return {name: _cards(_built_in_relic_set(name)) for name in built_in_relic_sets()}


def relics_text(relic_set: RelicSet) -> str:
    """The cards of a set as the text of a relic file, in a fixed form: its keys, languages and relics in order."""
    lines = [f"schema = {SCHEMA}", 'name = "cards"']
    lines.append(f"counterfeits = {sum(relic.counterfeit for relic in relic_set.relics)}")
    lines.append(f"blank_counterfeits = {relic_set.blank_counterfeits}")
    for relic in relic_set.relics:
        names = ", ".join(f"{_quoted(language)} = {_quoted(relic.name[language])}" for language in sorted(relic.name))
        lines += ["", "[[relic]]", f"id = {_quoted(relic.id)}", f"name = {{ {names} }}"]
        for key in FIELDS[2:-1]:
            value = getattr(relic, key)
            if value is not None:
                lines.append(f"{key} = {_quoted(value) if isinstance(value, str) else str(value).lower()}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A text as a string of TOML, which is one of JSON but for the character 127."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(file: Path, origin: str) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise RelicFileError(f"{origin}: larger than {_MAX_BYTES:,} bytes, which no relic file is")
        return file.read_text("utf-8-sig")  # some editors write a byte order mark before the text
    except (OSError, UnicodeDecodeError) as error:
        raise RelicFileError(f"{origin}: cannot be read: {error}") from None


@cache
def _built_in_relic_set(name: str) -> RelicSet:
    return parse_relic_set(_read(_BUILT_IN / f"{name}.toml", name), name)


@lru_cache(maxsize=256)
def _parse(text: str, origin: str) -> RelicSet:
    """Parse once: the texts of a game need its relic set again and again."""
    return parse_relic_set(text, origin)


def parse_relic_set(text: str, origin: str) -> RelicSet:
    """Parse and check the TOML text of a relic set; `origin` is named in errors."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise RelicFileError(f"{origin}: not valid TOML: {error}") from None
    wrong = mistakes(data)
    if wrong:
        raise RelicFileError(f"{origin}: {len(wrong)} mistake(s)\n" + "\n".join(f"  {mistake}" for mistake in wrong))
    relics = [Relic(**entry) for entry in data["relic"]]
    relics.sort(key=lambda relic: CATEGORIES.index(relic.category))  # stable: the file's order within a category
    return RelicSet(data["name"], tuple(relics), data.get("blank_counterfeits", 0))
