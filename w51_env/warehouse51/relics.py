"""Relic sets: read from TOML, with every mistake named by its key (S3, S4, section 6)."""

import json
import os
import tomllib
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeGuard

from w51_env.core.errors import OptionError, W51Error, nearest
from w51_env.views.language import Words
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES
from w51_env.warehouse51.state import CATEGORIES, MAX_PLAYERS, MAX_RELICS

SCHEMA = 1
MAX_NAME = 60  # characters of a name or an id
NAME_NEEDED = f"a line of 1 to {MAX_NAME} characters is needed, with no spaces around it"
ALIGNMENTS = ("blessed", "cursed", "neutral")
SOURCES = ("rulebook", "review", "reconstructed")
FIELDS = (
    "id",
    "name",
    "category",
    "value",
    "alignment",
    "timing",
    "effect",
    "amount",
    "weapon",
    "counterfeit",
    "sources",
)
REQUIRED = ("id", "name", "category", "value", "alignment", "weapon", "counterfeit")
# `choose_<id>` names an action, and so do `choose_deck_blue`, `choose_gap_0` and the ids that a small set lacks.
RESERVED_IDS = {
    *(f"deck_{category}" for category in CATEGORIES),
    *(f"gap_{gap}" for gap in range(MAX_PLAYERS)),
    *(f"relic_{index}" for index in range(MAX_RELICS)),
}
SET_FIELDS = ("schema", "name", "counterfeits", "blank_counterfeits", "relic")


class RelicFileError(W51Error):
    """A relic file that cannot be used; every mistake in it is listed with its key."""


@dataclass(frozen=True)
class Relic:
    """One relic, with the fields of a relic file.

    `sources` gives the source of each field: rulebook, review or reconstructed. A field without one is reconstructed.
    """

    id: str
    name: dict[str, str]
    category: str
    value: int
    alignment: str
    weapon: bool
    counterfeit: bool
    timing: str | None = None
    effect: str | None = None
    amount: int | None = None
    sources: dict[str, str] = field(default_factory=dict)

    def name_in(self, language: str) -> str:
        """Its name in a language; in English if the file has none."""
        return self.name.get(language, self.name["en"])

    def effect_text(self, words: Words | None = None) -> str:
        """What the relic does, in words (None: English); empty if it does nothing."""
        return (words or Words())(f"warehouse51.effect.{self.effect}", amount=self.amount) if self.effect else ""

    def source(self, key: str) -> str:
        """The source of the field `key`: rulebook, review or reconstructed."""
        return self.sources.get(key, "reconstructed")


@dataclass(frozen=True)
class RelicSet:
    """All relics of a game, by category in the order blue, green, golden, red; a relic's index is its id in the state.

    Attributes:
        name: The set's own name.
        relics: The relics, at most 26.
        blank_counterfeits: Counterfeit cards that show no relic, shuffled among the others (for mini games).
    """

    name: str
    relics: tuple[Relic, ...]
    blank_counterfeits: int = 0

    def __len__(self) -> int:
        return len(self.relics)

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each relic."""
        return tuple(relic.id for relic in self.relics)

    @property
    def names(self) -> tuple[str, ...]:
        """The English name of each relic."""
        return tuple(relic.name["en"] for relic in self.relics)

    @property
    def effects(self) -> frozenset[str]:
        """The effect kinds that its relics have."""
        return frozenset(relic.effect for relic in self.relics if relic.effect is not None)

    @property
    def counterfeit_cards(self) -> int:
        """Cards in the counterfeit pile, blank ones too."""
        return sum(relic.counterfeit for relic in self.relics) + self.blank_counterfeits

    def index(self, relic_id: str) -> int:
        """The index of the relic of this id."""
        try:
            return self.ids.index(relic_id)
        except ValueError:
            raise OptionError(
                f"relic {relic_id!r} is not in the relic set {self.name!r}{nearest(relic_id, self.ids)}"
            ) from None


_BUILT_IN = Path(__file__).parent / "relic_sets"
_MAX_BYTES = 1_000_000  # of a relic file
_Cards = tuple[tuple[Relic, ...], int]  # the relics without the sources of their fields, and the blank counterfeits


@cache
def built_in_relic_sets() -> tuple[str, ...]:
    """Names of the relic sets that come with the package."""
    return tuple(sorted(file.stem for file in _BUILT_IN.glob("*.toml")))


def load_relic_set(relics: str) -> RelicSet:
    """The relic set that the option `relics` stands for: a built-in name, a path or the text of a file.

    Raises:
        OptionError: No built-in set has this name and there is no such file.
        RelicFileError: The file cannot be used; the message lists every mistake with its key.
    """
    built_in = built_in_relic_sets()
    if relics in built_in:
        return _built_in_relic_set(relics)
    if is_relic_text(relics):
        return _parse(relics, "relics")
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
    """Whether the option `relics` is the path of a file."""
    return relics not in built_in_relic_sets() and not is_relic_text(relics)


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
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RelicFileError(f"{origin}: not valid TOML: {error}") from None
    mistakes = _mistakes(data)
    if mistakes:
        raise RelicFileError(
            f"{origin}: {len(mistakes)} mistake(s)\n" + "\n".join(f"  {mistake}" for mistake in mistakes)
        )
    relics = [Relic(**entry) for entry in data["relic"]]
    relics.sort(key=lambda relic: CATEGORIES.index(relic.category))  # stable: the file's order within a category
    return RelicSet(data["name"], tuple(relics), data.get("blank_counterfeits", 0))


def _mistakes(data: dict[str, Any]) -> list[str]:
    """Every mistake of a relic file, each with its key, the value and what is allowed."""
    found = [f"{key}: unknown key{nearest(key, SET_FIELDS)}" for key in data if key not in SET_FIELDS]
    if not _is_int(data.get("schema")) or data["schema"] != SCHEMA:
        found.append(f"schema: {_shown(data, 'schema')}, but this version reads {SCHEMA}")
    if not _is_name(data.get("name")):
        found.append(f"name: {_shown(data, 'name')}, but {NAME_NEEDED}")
    entries = data.get("relic")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries) or not entries:
        return [*found, "relic: at least one [[relic]] table is needed"]
    if len(entries) > MAX_RELICS:
        found.append(f"relic: {len(entries)} relics, but at most {MAX_RELICS} are allowed")
    for index, entry in enumerate(entries):
        found += _relic_mistakes(f"relic[{index}] ({entry.get('id', 'no id')!r})", entry)
    ids = Counter(str(entry["id"]) for entry in entries if "id" in entry)
    found += [
        f"relic id {relic!r}: used {times} times, but ids are unique" for relic, times in ids.items() if times > 1
    ]
    names = Counter(
        str(entry["name"]["en"]) for entry in entries if isinstance(entry.get("name"), dict) and "en" in entry["name"]
    )
    found += [
        f"relic name {name!r}: used {times} times, but English names are unique"
        for name, times in names.items()
        if times > 1
    ]
    marked = sum(entry.get("counterfeit") is True for entry in entries)
    if not _is_int(data.get("counterfeits")) or data["counterfeits"] != marked:
        found.append(f"counterfeits: {_shown(data, 'counterfeits')}, but {marked} relics are marked counterfeit = true")
    matching = sum(entry.get("effect") == "may_match_bid" for entry in entries)
    if matching > 1:
        found.append(
            f"effect: {matching} relics have may_match_bid, but at most 1 may: two could match each other forever"
        )
    blanks = data.get("blank_counterfeits", 0)
    if not _is_int(blanks) or not 0 <= blanks <= MAX_RELICS:
        found.append(f"blank_counterfeits: {blanks!r}, but 0 to {MAX_RELICS} is allowed")
    return found


def _relic_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    found = [f"{where}: {key}: unknown key{nearest(key, FIELDS)}" for key in entry if key not in FIELDS]
    found += [f"{where}: {key}: missing" for key in REQUIRED if key not in entry]

    def check(key: str, allowed: tuple[str, ...]) -> None:
        if key in entry and entry[key] not in allowed:
            found.append(
                f"{where}: {key}: {entry[key]!r}, but allowed are {', '.join(allowed)}{nearest(entry[key], allowed)}"
            )

    relic_id = entry.get("id", "x")
    if not _is_id(relic_id):
        found.append(f"{where}: id: {relic_id!r}, but up to {MAX_NAME} lower-case letters, digits and _ are allowed")
    elif relic_id in RESERVED_IDS:
        found.append(f"{where}: id: {relic_id!r} is the name of another action")
    name = entry.get("name", {"en": "x"})
    if not isinstance(name, dict) or "en" not in name:
        found.append(f"{where}: name: {name!r}, but a table with at least 'en' is needed")
    else:
        found += [
            f"{where}: name.{language}: {text!r}, but {NAME_NEEDED}"
            for language, text in name.items()
            if not _is_name(text)
        ]
    check("category", CATEGORIES)
    check("alignment", ALIGNMENTS)
    value = entry.get("value", 1)
    if not _is_int(value) or not 1 <= value <= 3:
        found.append(f"{where}: value: {value!r}, but 1, 2 or 3 is allowed")
    found += [
        f"{where}: {key}: {entry[key]!r}, but true or false is allowed"
        for key in ("weapon", "counterfeit")
        if key in entry and not isinstance(entry[key], bool)
    ]
    return found + _source_mistakes(where, entry) + _effect_mistakes(where, entry)


def _source_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    sources = entry.get("sources", {})
    if not isinstance(sources, dict):
        return [f"{where}: sources: {sources!r}, but a table is needed"]
    found = []
    for key, source in sources.items():
        if key not in FIELDS:
            found.append(f"{where}: sources.{key}: no such field{nearest(key, FIELDS)}")
        elif key not in entry and key not in REQUIRED:
            found.append(f"{where}: sources.{key}: {source!r}, but the relic has no {key}")
        if source not in SOURCES:
            found.append(
                f"{where}: sources.{key}: {source!r}, but allowed are {', '.join(SOURCES)}{nearest(source, SOURCES)}"
            )
    return found


def _effect_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    """Mistakes in the fields that the kind of effect fixes: timing, alignment, and whether there is an amount."""
    effect = entry.get("effect")
    if entry.get("alignment") == "neutral" or effect is None:
        found = [
            f"{where}: {key}: {entry[key]!r}, but a relic without an effect has none"
            for key in ("timing", "amount")
            if key in entry
        ]
        if effect is not None:
            found.append(f"{where}: effect: {effect!r}, but a neutral relic has none")
        elif entry.get("alignment") in ("blessed", "cursed"):
            found.append(f"{where}: effect: missing, but a {entry['alignment']} relic has one")
        return found
    if effect not in EFFECT_NAMES:
        allowed = f"{', '.join(EFFECT_NAMES)}{nearest(effect, EFFECT_NAMES)}"
        return [f"{where}: effect: {effect!r} is unknown; allowed are {allowed}"]
    kind = EFFECT_KINDS[EFFECT_NAMES.index(effect)]
    found = []
    if entry.get("alignment") in ALIGNMENTS and entry["alignment"] != kind.alignment:
        found.append(f"{where}: alignment: {entry['alignment']!r}, but {effect} is {kind.alignment}")
    if entry.get("timing") != kind.timing:
        found.append(f"{where}: timing: {_shown(entry, 'timing')}, but {effect} is {kind.timing}")
    amount = entry.get("amount")
    if kind.amount is None:
        if "amount" in entry:
            found.append(f"{where}: amount: {amount!r}, but {effect} takes none")
    elif not _is_int(amount) or not kind.amount[0] <= amount <= kind.amount[1]:
        found.append(
            f"{where}: amount: {_shown(entry, 'amount')}, but {effect} takes {kind.amount[0]} to {kind.amount[1]}"
        )
    return found


def _shown(table: dict[str, Any], key: str) -> str:
    return repr(table[key]) if key in table else "missing"


def _is_id(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= MAX_NAME
        and value.replace("_", "").isalnum()
        and value == value.lower()
    )


def _is_name(value: Any) -> bool:
    """Whether it is one line of text without spaces around it, of 1 to MAX_NAME characters."""
    if not isinstance(value, str) or value != value.strip() or not 1 <= len(value) <= MAX_NAME:
        return False
    return not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in value)  # controls and ends of lines


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
