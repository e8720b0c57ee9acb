"""The checks of a relic file: every mistake by its key (S3, S4, section 6)."""

from collections import Counter
from typing import Any, TypeGuard

from w51_env.engine.errors import nearest
from w51_env.engine.plain_data import is_clear
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES
from w51_env.warehouse51.state import CATEGORIES, MAX_PLAYERS, MAX_RELICS

SCHEMA = 1
MAX_NAME = 60  # characters of a name or an id
NAME_NEEDED = f"a line of 1 to {MAX_NAME} characters is needed, all visible, with no spaces around it"
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


def mistakes(data: dict[str, Any]) -> list[str]:
    """Every mistake of a relic file, each with its key, the value and what is allowed."""
    problems = [f"{key}: unknown key{nearest(key, SET_FIELDS)}" for key in data if key not in SET_FIELDS]
    if not _is_int(data.get("schema")) or data["schema"] != SCHEMA:
        problems.append(f"schema: {_shown(data, 'schema')}, but this version reads {SCHEMA}")
    if not _is_name(data.get("name")):
        problems.append(f"name: {_shown(data, 'name')}, but {NAME_NEEDED}")
    entries = data.get("relic")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries) or not entries:
        return [*problems, "relic: at least one [[relic]] table is needed"]
    if len(entries) > MAX_RELICS:
        problems.append(f"relic: {len(entries)} relics, but at most {MAX_RELICS} are allowed")
    for index, entry in enumerate(entries):
        problems += _relic_mistakes(f"relic[{index}] ({entry.get('id', 'no id')!r})", entry)
    ids = Counter(str(entry["id"]) for entry in entries if "id" in entry)
    problems += [
        f"relic id {relic!r}: used {times} times, but ids are unique" for relic, times in ids.items() if times > 1
    ]
    names = Counter(
        str(entry["name"]["en"]) for entry in entries if isinstance(entry.get("name"), dict) and "en" in entry["name"]
    )
    problems += [
        f"relic name {name!r}: used {times} times, but English names are unique"
        for name, times in names.items()
        if times > 1
    ]
    marked = sum(entry.get("counterfeit") is True for entry in entries)
    if not _is_int(data.get("counterfeits")) or data["counterfeits"] != marked:
        problems.append(
            f"counterfeits: {_shown(data, 'counterfeits')}, but {marked} relics are marked counterfeit = true"
        )
    matching = sum(entry.get("effect") == "may_match_bid" for entry in entries)
    if matching > 1:
        problems.append(
            f"effect: {matching} relics have may_match_bid, but at most 1 may: two could match each other forever"
        )
    blanks = data.get("blank_counterfeits", 0)
    if not _is_int(blanks) or not 0 <= blanks <= MAX_RELICS:
        problems.append(f"blank_counterfeits: {blanks!r}, but 0 to {MAX_RELICS} is allowed")
    return problems


def _relic_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    mistakes = [f"{where}: {key}: unknown key{nearest(key, FIELDS)}" for key in entry if key not in FIELDS]
    mistakes += [f"{where}: {key}: missing" for key in REQUIRED if key not in entry]

    def check(key: str, allowed: tuple[str, ...]) -> None:
        if key in entry and entry[key] not in allowed:
            mistakes.append(
                f"{where}: {key}: {entry[key]!r}, but allowed are {', '.join(allowed)}{nearest(entry[key], allowed)}"
            )

    relic_id = entry.get("id", "x")
    if not _is_id(relic_id):
        mistakes.append(f"{where}: id: {relic_id!r}, but up to {MAX_NAME} lower-case letters, digits and _ are allowed")
    elif relic_id in RESERVED_IDS:
        mistakes.append(f"{where}: id: {relic_id!r} is the name of another action")
    name = entry.get("name", {"en": "x"})
    if not isinstance(name, dict) or "en" not in name:
        mistakes.append(f"{where}: name: {name!r}, but a table with at least 'en' is needed")
    else:
        mistakes += [
            f"{where}: name.{language}: {text!r}, but {NAME_NEEDED}"
            for language, text in name.items()
            if not _is_name(text)
        ]
    check("category", CATEGORIES)
    check("alignment", ALIGNMENTS)
    value = entry.get("value", 1)
    if not _is_int(value) or not 1 <= value <= 3:
        mistakes.append(f"{where}: value: {value!r}, but 1, 2 or 3 is allowed")
    mistakes += [
        f"{where}: {key}: {entry[key]!r}, but true or false is allowed"
        for key in ("weapon", "counterfeit")
        if key in entry and not isinstance(entry[key], bool)
    ]
    return mistakes + _source_mistakes(where, entry) + _effect_mistakes(where, entry)


def _source_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    sources = entry.get("sources", {})
    if not isinstance(sources, dict):
        return [f"{where}: sources: {sources!r}, but a table is needed"]
    mistakes = []
    for key, source in sources.items():
        if key not in FIELDS:
            mistakes.append(f"{where}: sources.{key}: no such field{nearest(key, FIELDS)}")
        elif key not in entry and key not in REQUIRED:
            mistakes.append(f"{where}: sources.{key}: {source!r}, but the relic has no {key}")
        if source not in SOURCES:
            mistakes.append(
                f"{where}: sources.{key}: {source!r}, but allowed are {', '.join(SOURCES)}{nearest(source, SOURCES)}"
            )
    return mistakes


def _effect_mistakes(where: str, entry: dict[str, Any]) -> list[str]:
    """Mistakes in the fields that the kind of effect fixes: timing, alignment, and whether there is an amount."""
    effect = entry.get("effect")
    if entry.get("alignment") == "neutral" or effect is None:
        mistakes = [
            f"{where}: {key}: {entry[key]!r}, but a relic without an effect has none"
            for key in ("timing", "amount")
            if key in entry
        ]
        if effect is not None:
            mistakes.append(f"{where}: effect: {effect!r}, but a neutral relic has none")
        elif entry.get("alignment") in ("blessed", "cursed"):
            mistakes.append(f"{where}: effect: missing, but a {entry['alignment']} relic has one")
        return mistakes
    if effect not in EFFECT_NAMES:
        allowed = f"{', '.join(EFFECT_NAMES)}{nearest(effect, EFFECT_NAMES)}"
        return [f"{where}: effect: {effect!r} is unknown; allowed are {allowed}"]
    kind = EFFECT_KINDS[EFFECT_NAMES.index(effect)]
    mistakes = []
    if entry.get("alignment") in ALIGNMENTS and entry["alignment"] != kind.alignment:
        mistakes.append(f"{where}: alignment: {entry['alignment']!r}, but {effect} is {kind.alignment}")
    if entry.get("timing") != kind.timing:
        mistakes.append(f"{where}: timing: {_shown(entry, 'timing')}, but {effect} is {kind.timing}")
    amount = entry.get("amount")
    if kind.amount is None:
        if "amount" in entry:
            mistakes.append(f"{where}: amount: {amount!r}, but {effect} takes none")
    elif not _is_int(amount) or not kind.amount[0] <= amount <= kind.amount[1]:
        mistakes.append(
            f"{where}: amount: {_shown(entry, 'amount')}, but {effect} takes {kind.amount[0]} to {kind.amount[1]}"
        )
    return mistakes


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
