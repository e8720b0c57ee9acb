"""Words by language: no entry is missing, unused or malformed, and games speak every language."""

import re
import string
import subprocess
from pathlib import Path

import pytest

from w51_agents.console.locale import locale_language
from w51_env import make_game, make_vec, registered_games
from w51_env.alles_futsch.state import TYPES
from w51_env.engine.batch import Batch
from w51_env.engine.game import ALL
from w51_env.views import language
from w51_env.views.language import (
    ENGLISH,
    FORMS,
    LANGUAGES,
    Translation,
    Words,
    entries,
    is_one,
    translated,
)
from w51_env.views.text_table import table
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.event_types import EVENT_TYPES
from w51_env.warehouse51.relic_checks import ALIGNMENTS
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import CATEGORIES, PHASES, POINT_SOURCES

ROOT = Path(__file__).resolve().parents[2]
OTHERS = tuple(code for code in LANGUAGES if code != ENGLISH)


def untranslated(code: str) -> set[str]:
    """The keys that a language's file lacks."""
    return {*translated(ENGLISH)} - {*translated(code)}


def texts(entry: Translation) -> list[str]:
    return [entry] if isinstance(entry, str) else [entry["one"], entry["other"]]


def placeholders(entry: Translation) -> set[str]:
    """Names in braces; `a_type` is `type` as the object of a sentence, and languages differ in which they need."""
    found = set()
    for text in texts(entry):
        for _, name, spec, conversion in string.Formatter().parse(text):
            assert not spec, f"{text!r}: only names stand in braces"
            assert not conversion, f"{text!r}: only names stand in braces"
            found |= {name.removeprefix("a_")} if name is not None else set()
    return found


# ---- the files


def test_there_is_one_file_for_each_language():
    folders = {language.file_of(code).parent for code in LANGUAGES}
    assert {path.stem for folder in folders for path in folder.glob("*.toml")} == set(LANGUAGES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_entry_is_a_text_or_the_forms_of_a_number(code: str):
    for key, entry in translated(code).items():
        assert isinstance(entry, str) or set(entry) == FORMS, f"{code}: {key}: {entry!r}"
        assert all(isinstance(text, str) and text for text in texts(entry)), f"{code}: {key}"
        if not isinstance(entry, str):
            assert entry["by"] in placeholders(entry), f"{code}: {key}: no {{{entry['by']}}} in it"


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_translates_the_entries_of_english_with_their_placeholders(code: str):
    english, other = translated(ENGLISH), translated(code)
    assert sorted(other.keys() - english.keys()) == [], f"missing in en.toml, or not needed in {code}.toml"
    differ = {key for key, entry in other.items() if placeholders(entry) != placeholders(english[key])}
    assert differ == set(), f"placeholders in {code}.toml"
    same = {key for key, entry in other.items() if texts(entry) == texts(english[key])}
    words = {key: len(re.findall(r"(?<!{)\b[A-Za-z]+", texts(english[key])[0])) for key in same}
    assert {key for key in same if words[key] > 2} == set(), f"English texts in {code}.toml"


WITHOUT = ("sealed_none", "shown_none", "sold_none")  # sentences of events that lack a number

# Tables whose keys a program puts together, each with all its entries.
FROM_DATA = {
    "warehouse51.phase": PHASES,
    "warehouse51.category": CATEGORIES,
    "warehouse51.alignment": ALIGNMENTS,
    "warehouse51.source": POINT_SOURCES,
    "warehouse51.points": POINT_SOURCES,
    "warehouse51.effect": EFFECT_NAMES,
    "alles_futsch.type": TYPES,
    "alles_futsch.a_type": TYPES,
    "alles_futsch.count": TYPES,
    "alles_futsch.phase": ("select", "bid", "place", "sell", "over"),
    "warehouse51.event": tuple(kind.name for kind in EVENT_TYPES),  # with those of effects that no built-in relic has
    "auctions.phase": ("bid", "clock", "over"),
    "auctions.event": (*(kind.name for kind in make_game("auctions_v0").event_types), *WITHOUT),
    "alles_futsch.event": tuple(kind.name for kind in make_game("alles_futsch_v1").event_types),
}


@pytest.mark.parametrize("section", FROM_DATA)
def test_tables_of_names_in_the_games_have_an_entry_for_each_name(section: str):
    entries, names = set(Words().section(section)), set(FROM_DATA[section])
    assert sorted(names - entries) == [], f"missing in [{section}] of the language files"
    assert sorted(entries - names) == [], f"in [{section}] of the language files, but no name in the game"


def test_every_entry_is_used():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    sources = [
        ROOT / name
        for name in listed
        if name.endswith((".py", ".js", ".html", ".jinja", ".css")) and not name.startswith(("tests/", "docs/"))
    ]
    code = "\n".join(path.read_text("utf-8") for path in sources if path.is_file())
    words = set(re.findall(r"\w+", code))
    beginnings = tuple(re.findall(r"(\w+_)(?:\$?{|[\"'`] *\+)", code))  # of keys that are put together: `agent_${name}`
    unused = [
        key
        for key in translated(ENGLISH)
        for table_of, name in [key.rsplit(".", 1)]
        if table_of not in FROM_DATA and not table_of.startswith("lesson_")  # tests of lessons have those
        if name not in words and not name.startswith(beginnings)
    ]
    assert unused == []
    asked = set(re.findall(r'\bword\((?:[^(){}"]*\? )?"(\w+)"(?: : "(\w+)")?', code))
    assert {key for keys in asked for key in keys if key} - set(Words().section("page")) == set(), "missing in [page]"


@pytest.mark.parametrize("relic", load_relic_set("reconstruction-1").relics, ids=lambda relic: relic.id)
def test_every_relic_of_the_game_has_a_name_in_every_language(relic):
    assert set(LANGUAGES) <= set(relic.name)


# ---- whole games


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game_id", registered_games())
def test_a_whole_game_speaks_the_language(game_id: str, code: str):
    """Every table, action and event of a game is made; no English sentence is left in another language."""
    names = ["Ada", "Bo", "Cy"]
    batch = Batch(make_game(game_id, num_players=3), 1, seed=2, autoreset="disabled", events=True)
    batch.reset()
    said: dict[str, set[str]] = {code: set(), ENGLISH: set()}
    drawn = 0
    while batch.seat[0] >= 0:
        for spoken, found in said.items():
            view = batch.view(0, int(batch.seat[0]), words=Words(spoken, names))
            found |= {item["text"] for item in (*view.actions, *view.news)} | {view.headline}
            found |= set(table(view).splitlines())
        drawn += 1
        batch.step(batch.sample_actions(drawn))
    for spoken, found in said.items():
        found |= set(table(batch.view(0, ALL, words=Words(spoken, names))).splitlines())
        assert not [text for text in found if "{" in text or "}" in text]
    if code != ENGLISH and not untranslated(code):
        same = {text for text in said[code] & said[ENGLISH] if len(text.split()) > 4}
        assert same == set()


def test_names_of_the_seats_stand_in_all_sentences():
    batch = make_vec("warehouse51_v1", 1, seed=1, num_players=3, first_player=1, events=True, autoreset="disabled")
    batch.reset()
    view = batch.view(0, 1, words=Words("de", ["Anna", "Bo", "Cem"]))
    assert view.headline == "Bo wählt einen Stapel"
    assert view.news[0]["text"] == "Bo beginnt."
    assert [player["name"] for player in view.players] == ["Anna", "Bo", "Cem"]


# ---- the class


def test_french_has_a_no_break_space_before_double_signs():
    titles = {"warehouse51.title", "alles_futsch.title"}
    for name, entry in translated("fr").items():
        for text in texts(entry):
            assert name in titles or not re.search(r"(?<!\u00a0)[:;!?%]", text), name


@pytest.mark.parametrize(
    ("code", "familiar"),
    [("fr", r"tu|toi|te|ton|ta|tes"), ("de", r"du|dich|dir|deine?[rmns]?"), ("hu", r"te|téged|tiéd")],
)
def test_players_are_addressed_formally(code: str, familiar: str):
    for name, entry in translated(code).items():
        for text in texts(entry):
            assert not re.search(rf"\b({familiar})\b", text, re.IGNORECASE), name


def test_forms_follow_the_number():
    assert Words("en")("table.points", points=1) == "1 point"
    assert Words("en")("table.points", points=0) == "0 points"
    assert Words("fr")("table.points", points=0) == "0 point"
    assert Words("de")("table.points", points=2) == "2 Punkte"
    assert Words("hu")("table.points", points=1) == "1 pont"
    assert [code for code in LANGUAGES if is_one(code, 0)] == ["fr"]


def test_numbers_are_written_as_the_language_does():
    assert [Words(code).number(1_234_000) for code in LANGUAGES] == [
        "1,234,000", "1\u00a0234\u00a0000", "1.234.000", "1\u00a0234\u00a0000",
    ]  # fmt: skip
    assert [Words(code).decimal(0.125, "+.1%") for code in LANGUAGES] == ["+12.5%", "+12,5%", "+12,5%", "+12,5%"]


def test_an_entry_that_a_file_lacks_is_english_and_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = {code: untranslated(code) for code in LANGUAGES}
    for code in LANGUAGES:
        lines = language.file_of(code).read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if code != "hu" or not line.startswith("still_in")]
        (tmp_path / f"{code}.toml").write_text("".join(kept), "utf-8")
    monkeypatch.setattr(language, "file_of", lambda code: tmp_path / f"{code}.toml")
    entries.cache_clear(), translated.cache_clear()
    try:
        assert (Words("hu")("table.still_in"), Words("de")("table.still_in")) == ("still in", "noch dabei")
        assert untranslated("hu") == {*before["hu"], "table.still_in"}
        assert untranslated("de") == before["de"]
    finally:
        entries.cache_clear(), translated.cache_clear()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"LANG": "hu_HU.UTF-8"}, "hu"),
        ({"LANG": "de_AT@euro"}, "de"),
        ({"LANG": "ja_JP.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "fr_CA"}, "fr"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "ja:hu:de"}, "hu"),
        ({"LANG": ""}, "en"),
    ],
)
def test_the_language_of_the_locale_is_taken_if_there_is_one(settings, expected, monkeypatch: pytest.MonkeyPatch):
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert locale_language() == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("de", "de"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7", "fr"),
        ("ja, hu;q=0.3, de; q=0.5", "de"),
        ("ja;q=x, hu;q=0", "en"),
        ("", "en"),
    ],
)
def test_a_browser_says_which_language_it_wants_most(header, expected, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("starlette", reason="needs the extra 'play'")
    from w51_table.web.page import accepted_language

    monkeypatch.setenv("LANGUAGE", "en")
    assert accepted_language(header) == expected


def test_no_name_controls_a_terminal():
    assert Words("en", ["\x1b[2JAnna", "Bo\nCem", "Ünal Ж"]).names == (" [2JAnna", "Bo Cem", "Ünal Ж")


@pytest.mark.parametrize(("code", "said"), [("en", "and"), ("fr", "et"), ("de", "und"), ("hu", "és")])
def test_names_are_listed_as_a_sentence_has_them(code, said):
    lists = [Words(code).listed(names) for names in ((), ("Zoe",), ("Zoe", "Ben"), ("Zoe", "Ben", "Eva"))]
    assert lists == ["", "Zoe", f"Zoe {said} Ben", f"Zoe, Ben {said} Eva"]
