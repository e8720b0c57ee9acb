"""The checks of a relic file: every mistake by its key (S3, S4, section 6)."""

from collections import Counter
from itertools import islice
from typing import Any, TypeGuard

from w51_env.engine.errors import few, nearest
from w51_env.engine.plain_data import is_clear
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES
from w51_env.warehouse51.state import CATEGORIES, MAX_PLAYERS, MAX_RELICS

SCHEMA = 1
MAX_NAME = 60  # characters of a name or an id
NAME_NEEDED = f"a line of 1 to {MAX_NAME} characters is needed, all visible, with no spaces around it"
ALIGNMENTS = ("blessed", "cursed", "neutral")
SOURCES = ("rulebook", "review", "reconstructed")
FIELDS = (
    *("id", "name", "category", "value", "alignment", "timing", "effect", "amount", "weapon", "counterfeit"),
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


class _Mistakes(list[str]):
    """The mistakes of one table, each with its key, the value and what is allowed."""

    def __init__(self, table: dict[str, Any], keys: tuple[str, ...], where: str = ""):
        super().__init__(few(f"{where}{key}: unknown key{nearest(key, keys)}" for key in table if key not in keys))
        self._table, self._where = table, where

    def unless(self, right: bool, key: str, allowed: str) -> None:
        """A value that is not right."""
        if not right:
            self.append(f"{self._where}{key}: {_shown(self._table, key)}, but {allowed}")

    def unless_one_of(self, key: str, allowed: tuple[str, ...]) -> None:
        """A value that is given and is not among these."""
        right = key not in self._table or self._table[key] in allowed
        self.unless(right, key, _allowed_are(allowed, self._table.get(key)))


def mistakes(data: dict[str, Any]) -> list[str]:
    """The mistakes of a relic file, as of `few`, each with its key, the value and what is allowed."""
    found = _Mistakes(data, SET_FIELDS)
    found.unless(_is_int(data.get("schema")) and data["schema"] == SCHEMA, "schema", f"this version reads {SCHEMA}")
    found.unless(_is_name(data.get("name")), "name", NAME_NEEDED)
    entries = data.get("relic")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries) or not entries:
        return [*found, "relic: at least one [[relic]] table is needed"]
    if len(entries) > MAX_RELICS:
        found.append(f"relic: {len(entries)} relics, but at most {MAX_RELICS} are allowed")
    for index, entry in enumerate(entries[:MAX_RELICS]):
        found += _relic_mistakes(f"relic[{index}] ({entry.get('id', 'no id')!r}): ", entry)
    ids = [str(entry["id"]) for entry in entries if "id" in entry]
    names = [str(entry["name"]["en"]) for entry in entries if "en" in _table_of(entry.get("name"))]
    for what, all_of, unique in (("id", ids, "ids"), ("name", names, "English names")):
        found += [
            f"relic {what} {one!r}: used {times} times, but {unique} are unique"
            for one, times in Counter(all_of).items()
            if times > 1
        ]
    marked = sum(entry.get("counterfeit") is True for entry in entries)
    right = _is_int(data.get("counterfeits")) and data["counterfeits"] == marked
    found.unless(right, "counterfeits", f"{marked} relics are marked counterfeit = true")
    matching = sum(entry.get("effect") == "may_match_bid" for entry in entries)
    if matching > 1:
        found.append(
            f"effect: {matching} relics have may_match_bid, but at most 1 may: two could match each other forever"
        )
    blanks = data.get("blank_counterfeits", 0)
    found.unless(_is_int(blanks) and 0 <= blanks <= MAX_RELICS, "blank_counterfeits", f"0 to {MAX_RELICS} is allowed")
    return few(found)


def _relic_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    found = _Mistakes(entry, FIELDS, where)
    found += [f"{where}{key}: missing" for key in REQUIRED if key not in entry]
    relic_id = entry.get("id", "x")
    found.unless(_is_id(relic_id), "id", f"up to {MAX_NAME} lower-case letters, digits and _ are allowed")
    if _is_id(relic_id) and relic_id in RESERVED_IDS:
        found.append(f"{where}id: {relic_id!r} is the name of another action")
    names = entry.get("name", {"en": "x"})
    found.unless("en" in _table_of(names), "name", "a table with at least 'en' is needed")
    if "en" in _table_of(names):
        found += [
            f"{where}name.{language}: {text!r}, but {NAME_NEEDED}"
            for language, text in names.items()
            if not _is_name(text)
        ]
    found.unless_one_of("category", CATEGORIES)
    found.unless_one_of("alignment", ALIGNMENTS)
    value = entry.get("value", 1)
    found.unless(_is_int(value) and 1 <= value <= 3, "value", "1, 2 or 3 is allowed")
    for key in ("weapon", "counterfeit"):
        found.unless(isinstance(entry.get(key, True), bool), key, "true or false is allowed")
    _check_sources(where, entry, found)
    _check_effect(where, entry, found)
    return found


def _check_sources(where: str, entry: dict[str, Any], found: _Mistakes) -> None:
    sources = entry.get("sources", {})
    found.unless(isinstance(sources, dict), "sources", "a table is needed")
    for key, source in islice(_table_of(sources).items(), 2 * len(FIELDS)):  # no more can be right
        if key not in FIELDS:
            found.append(f"{where}sources.{key}: no such field{nearest(key, FIELDS)}")
        elif key not in entry and key not in REQUIRED:
            found.append(f"{where}sources.{key}: {source!r}, but the relic has no {key}")
        if source not in SOURCES:
            found.append(f"{where}sources.{key}: {source!r}, but {_allowed_are(SOURCES, source)}")


def _check_effect(where: str, entry: dict[str, Any], found: _Mistakes) -> None:
    """Find mistakes in the fields that the kind of effect fixes: timing, alignment, and whether there is an amount."""
    effect, alignment = entry.get("effect"), entry.get("alignment")
    if alignment == "neutral" or effect is None:
        for key in ("timing", "amount"):
            found.unless(key not in entry, key, "a relic without an effect has none")
        if effect is not None:
            found.unless(False, "effect", "a neutral relic has none")
        elif alignment in ("blessed", "cursed"):
            found.unless(False, "effect", f"a {alignment} relic has one")
        return
    if effect not in EFFECT_NAMES:
        found.append(f"{where}effect: {effect!r} is unknown; {_allowed_are(EFFECT_NAMES, effect)}")
        return
    kind = EFFECT_KINDS[EFFECT_NAMES.index(effect)]
    found.unless(
        alignment not in ALIGNMENTS or alignment == kind.alignment, "alignment", f"{effect} is {kind.alignment}"
    )
    found.unless(entry.get("timing") == kind.timing, "timing", f"{effect} is {kind.timing}")
    amount = entry.get("amount")
    if kind.amount is None:
        found.unless("amount" not in entry, "amount", f"{effect} takes none")
    else:
        low, high = kind.amount
        found.unless(_is_int(amount) and low <= amount <= high, "amount", f"{effect} takes {low} to {high}")


def _allowed_are(allowed: tuple[str, ...], given: Any) -> str:
    return f"allowed are {', '.join(allowed)}{nearest(given, allowed)}"


def _table_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _shown(table: dict[str, Any], key: str) -> str:
    return repr(table[key]) if key in table else "missing"


def _is_id(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= MAX_NAME
        and value.replace("_", "").isalnum()
        and is_clear(value)
        and value == value.lower()
    )


def _is_name(value: Any) -> bool:
    """Whether it is a line of 1 to MAX_NAME characters that a reader sees, without spaces around it."""
    return isinstance(value, str) and value == value.strip() and 1 <= len(value) <= MAX_NAME and is_clear(value)


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
