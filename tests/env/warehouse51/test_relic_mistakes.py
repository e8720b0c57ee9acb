"""Every kind of mistake in a relic file (S3, S4, section 6), named by its key."""

import re
import time

import pytest

from tests.env.warehouse51.relic_files import CHAIN, GOOD, SWORD, relic, write_relic_file
from w51_env import warehouse51
from w51_env.engine.errors import OptionError
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS
from w51_env.warehouse51.relics import RelicFileError, load_relic_set, parse_relic_set

LONG = 61 * "x"
NO_NAME = ", but a line of 1 to 60 characters is needed, all visible, with no spaces around it"
NO_ID = ", but up to 60 lower-case letters, digits and _ are allowed"
COLOURS, KNOWN_SOURCES = "blue, green, golden, red", "rulebook, review, reconstructed"
# Lines of GOOD, and parts of them.
OF_A_TEST, FAKES = 'name = "of a test"', "counterfeits = 2"
NAMES, SOURCES = '{ en = "Sword", fr = "Épée" }', '{ name = "review" }'


def changed(changes: dict[str, str], text: str = GOOD) -> str:
    """A relic file with some texts replaced by others."""
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def mistakes(text: str) -> list[str]:
    """The mistakes that are named, one a line."""
    with pytest.raises(RelicFileError) as caught:
        parse_relic_set(text, "my.toml")
    headline, *lines = str(caught.value).split("\n")
    assert headline == f"my.toml: {len(lines)} mistake(s)"
    return [line.strip() for line in lines]


# ---- mistakes in one key


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # the set
        ("schema = 1", "schema = 2", "schema: 2, but this version reads 1"),
        ("schema = 1\n", "", "schema: missing, but this version reads 1"),
        (OF_A_TEST, "name = 51", f"name: 51{NO_NAME}"),
        (OF_A_TEST, 'name = " "', f"name: ' '{NO_NAME}"),
        (OF_A_TEST, 'name = "a\\u202Eb"', f"name: 'a\\u202eb'{NO_NAME}"),
        (f"{OF_A_TEST}\n", "", f"name: missing{NO_NAME}"),
        ("schema = 1", "schema = 1\ncounterfiets = 2", "counterfiets: unknown key (did you mean 'counterfeits'?)"),
        # wrong counts
        (FAKES, "counterfeits = 3", "counterfeits: 3, but 2 relics are marked counterfeit = true"),
        (FAKES, "counterfeits = 2.0", "counterfeits: 2.0, but 2 relics are marked counterfeit = true"),
        (f"{FAKES}\n", "", "counterfeits: missing, but 2 relics are marked counterfeit = true"),
        (FAKES, f"{FAKES}\nblank_counterfeits = -1", "blank_counterfeits: -1, but 0 to 26 is allowed"),
        (FAKES, f"{FAKES}\nblank_counterfeits = 27", "blank_counterfeits: 27, but 0 to 26 is allowed"),
        (FAKES, f'{FAKES}\nblank_counterfeits = "7"', "blank_counterfeits: '7', but 0 to 26 is allowed"),
        # ids and names
        ('"sword"', f'"{LONG}"', f"relic[0] ('{LONG}'): id: '{LONG}'{NO_ID}"),
        ('"sword"', '"Big Sword"', f"relic[0] ('Big Sword'): id: 'Big Sword'{NO_ID}"),
        ('"sword"', "7", f"relic[0] (7): id: 7{NO_ID}"),
        ('"sword"', '"chain"', "relic id 'chain': used 2 times, but ids are unique"),
        ('"Sword"', '"Chain"', "relic name 'Chain': used 2 times, but English names are unique"),
        ('"Sword"', '""', f"{SWORD}name.en: ''{NO_NAME}"),
        ('"Sword"', '"Sword "', f"{SWORD}name.en: 'Sword '{NO_NAME}"),
        ('"Sword"', r'"Big\nsword"', rf"{SWORD}name.en: 'Big\nsword'{NO_NAME}"),
        ('"Sword"', f'"{LONG}"', f"{SWORD}name.en: '{LONG}'{NO_NAME}"),
        ('"Sword"', "3", f"{SWORD}name.en: 3{NO_NAME}"),
        ('fr = "Épée"', "fr = 1", f"{SWORD}name.fr: 1{NO_NAME}"),
        (NAMES, '"Sword"', f"{SWORD}name: 'Sword', but a table with at least 'en' is needed"),
        (NAMES, '{ fr = "Épée" }', f"{SWORD}name: {{'fr': 'Épée'}}, but a table with at least 'en' is needed"),
        # category, value, weapon, counterfeit
        ('"blue"', '"blu"', f"{SWORD}category: 'blu', but allowed are {COLOURS} (did you mean 'blue'?)"),
        ('"blue"', "4", f"{SWORD}category: 4, but allowed are {COLOURS}"),
        ("value = 2", "value = 4", f"{SWORD}value: 4, but 1, 2 or 3 is allowed"),
        ("value = 2", "value = 0", f"{SWORD}value: 0, but 1, 2 or 3 is allowed"),
        ("value = 2", "value = true", f"{SWORD}value: True, but 1, 2 or 3 is allowed"),
        ("weapon = true", "weapon = 1", f"{SWORD}weapon: 1, but true or false is allowed"),
        ("weapon = true", "weapno = 1\nweapon = true", f"{SWORD}weapno: unknown key (did you mean 'weapon'?)"),
        # alignment, timing, effect, amount
        ('"cursed"', '"evil"', f"{CHAIN}alignment: 'evil', but allowed are blessed, cursed, neutral"),
        ('"cursed"', '"blessed"', f"{CHAIN}alignment: 'blessed', but bid_cap is cursed"),
        ('"permanent"', '"immediate"', f"{CHAIN}timing: 'immediate', but bid_cap is permanent"),
        ('timing = "permanent"\n', "", f"{CHAIN}timing: missing, but bid_cap is permanent"),
        ("amount = 3", 'amount = "3"', f"{CHAIN}amount: '3', but bid_cap takes 1 to 70"),
        ("amount = 3\n", "", f"{CHAIN}amount: missing, but bid_cap takes 1 to 70"),
        # sources
        (SOURCES, '{ name = "hearsay" }', f"{SWORD}sources.name: 'hearsay', but allowed are {KNOWN_SOURCES}"),
        (SOURCES, '{ vlaue = "review" }', f"{SWORD}sources.vlaue: no such field (did you mean 'value'?)"),
        (SOURCES, '{ amount = "review" }', f"{SWORD}sources.amount: 'review', but the relic has no amount"),
        (SOURCES, '{ effect = "review" }', f"{SWORD}sources.effect: 'review', but the relic has no effect"),
        (SOURCES, '"review"', f"{SWORD}sources: 'review', but a table is needed"),
    ],
)
def test_each_mistake_is_named_with_its_key_its_value_and_what_is_allowed(old, new, message):  # S3, S4, option: relics
    assert GOOD.count(old) >= 1
    assert mistakes(GOOD.replace(old, new, 1)) == [message]


def test_names_and_ids_have_up_to_60_characters():  # option: relics
    text = GOOD.replace('"sword"', f'"{60 * "x"}"').replace('"Sword"', f'"{60 * "é"}"')
    assert parse_relic_set(text, "my.toml").names[0] == 60 * "é"


@pytest.mark.parametrize("key", ["id", "name", "category", "value", "alignment", "weapon", "counterfeit"])
def test_each_missing_field_is_named(key):  # S3, option: relics
    head, relic, tail = GOOD.partition('[[relic]]\nid = "sword"')
    lines = (relic + tail).split("\n")
    lines.remove(next(line for line in lines if line.startswith(f"{key} = ")))
    name = "'no id'" if key == "id" else "'sword'"
    found = mistakes(head + "\n".join(lines))
    assert f"relic[0] ({name}): {key}: missing" in found
    others = ["counterfeits: 2, but 1 relics are marked counterfeit = true"] if key == "counterfeit" else []
    assert [mistake for mistake in found if not mistake.endswith(": missing")] == others


def test_an_unknown_effect_is_named_with_all_that_are_known():  # S3, option: relics
    found = mistakes(GOOD.replace("bid_cap", "bid_cup"))
    assert len(found) == 1
    assert found[0].startswith(f"{CHAIN}effect: 'bid_cup' is unknown; allowed are certificate, ")
    assert found[0].endswith(" (did you mean 'bid_cap'?)")


ENTRY = (
    '[[relic]]\nid = "r{0}"\nname = {{ en = "R{0}" }}\ncategory = "red"\nvalue = 1\nalignment = "neutral"\n'
    "weapon = false\ncounterfeit = false\n"
)
HEAD = 'schema = 1\nname = "of a test"\ncounterfeits = 0\n'


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            changed({'"cursed"': '"neutral"'}),
            [
                f"{CHAIN}timing: 'permanent', but a relic without an effect has none",
                f"{CHAIN}amount: 3, but a relic without an effect has none",
                f"{CHAIN}effect: 'bid_cap', but a neutral relic has none",
            ],
        ),
        *(
            (changed({'"neutral"': f'"{marked}"'}), [f"{SWORD}effect: missing, but a {marked} relic has one"])
            for marked in ("blessed", "cursed")
        ),
        (
            changed({'"permanent"': '"scoring"', "bid_cap": "loses_ties"}),
            [f"{CHAIN}amount: 3, but loses_ties takes none"],
        ),
        *(
            (changed({'"sword"': f'"{taken}"'}), [f"relic[0] ('{taken}'): id: '{taken}' is the name of another action"])
            for taken in ("deck_blue", "gap_0", "relic_7")
        ),
        (  # all at once
            changed({"schema = 1": "schema = 2", "value = 2": "value = 9", FAKES: "counterfeits = 1"}),
            [
                "schema: 2, but this version reads 1",
                f"{SWORD}value: 9, but 1, 2 or 3 is allowed",
                "counterfeits: 1, but 2 relics are marked counterfeit = true",
            ],
        ),
        *(
            (HEAD + relics, ["relic: at least one [[relic]] table is needed"])
            for relics in ("", "relic = 3", "relic = []", "relic = [1, 2]", "[relic]\nid = 3")
        ),
        (HEAD + "".join(map(ENTRY.format, range(27))), ["relic: 27 relics, but at most 26 are allowed"]),
    ],
)
def test_mistakes_of_several_keys_are_listed_at_once(text, named):  # S3, option: relics
    assert mistakes(text) == named


def test_a_file_may_have_26_relics():  # S3, option: relics
    assert len(parse_relic_set(HEAD + "".join(map(ENTRY.format, range(26))), "my.toml")) == 26


def test_two_relics_that_may_match_a_bid_are_too_many():  # T2, S3, effect: may_match_bid, option: relics
    one = changed({"bid_cap": "may_match_bid", "amount = 3\n": "", "cursed": "blessed"})
    assert len(parse_relic_set(one, "my.toml")) == 2
    rope = changed({"chain": "rope", "Chain": "Rope"}, one[one.index('[[relic]]\nid = "chain"') :])
    assert mistakes(f"{changed({FAKES: 'counterfeits = 3'}, one)}\n{rope}") == [
        "effect: 2 relics have may_match_bid, but at most 1 may: two could match each other forever"
    ]


@pytest.mark.parametrize("kind", EFFECT_KINDS, ids=lambda kind: kind.name)
def test_each_effect_has_one_timing_and_alignment_and_a_range_of_amounts(kind):  # S3, option: relics
    text = changed({'"permanent"': f'"{kind.timing}"', '"cursed"': f'"{kind.alignment}"', "bid_cap": kind.name})
    if kind.amount is None:
        assert parse_relic_set(changed({"amount = 3\n": ""}, text), "my.toml").relics[1].effect == kind.name
    else:
        low, high = kind.amount
        for amount in (low, high):
            relics = parse_relic_set(changed({"amount = 3": f"amount = {amount}"}, text), "my.toml").relics
            assert relics[1].amount == amount
        for amount in (low - 1, high + 1):
            found = mistakes(changed({"amount = 3": f"amount = {amount}"}, text))
            assert found == [f"{CHAIN}amount: {amount}, but {kind.name} takes {low} to {high}"]
    other = {"blessed": "cursed", "cursed": "blessed"}[kind.alignment]
    found = mistakes(changed({f'"{kind.alignment}"': f'"{other}"'}, text))
    assert f"{CHAIN}alignment: '{other}', but {kind.name} is {kind.alignment}" in found


# ---- all of them at once, and files that are no relic files


def test_a_set_that_could_bring_more_points_than_are_counted_is_an_error(tmp_path):  # G2, option: relics
    path = write_relic_file(tmp_path, *(relic(f"red_{number}", "red") for number in range(26)))
    # One player could have 26 sets of one colour, 60 ingots and a first place: 26 x 5 + 60 / 5 + 5 = 147 points.
    message = "a seat with all relics and 60 ingots has 147 points, but at most 127 fit the score"
    with pytest.raises(OptionError, match=message):
        warehouse51.make(4, relics=path, counterfeits_per_gap=0)


def test_an_unknown_relic_is_named_with_the_nearest():
    message = r"relic 'excalibr' is not in the relic set 'reconstruction-1' \(did you mean 'excalibur'\?\)"
    with pytest.raises(OptionError, match=message):
        load_relic_set("reconstruction-1").index("excalibr")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.replace("schema = 1", "schema: 1").encode(), r"mine\.toml: not valid TOML: .*line 1"),
        (b"\xff\xfe\x00", r"mine\.toml: cannot be read: .*utf-8"),
        (b"#\n" * 300_000, r"mine\.toml: larger than 400,000 bytes"),
    ],
)
def test_a_file_that_is_not_toml_or_not_text_is_an_error(content, message, tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(RelicFileError, match=message):
        warehouse51.make(3, relics=str(path))


@pytest.mark.parametrize("missing", ["no_such_file.toml", ".", 5000 * "x", "\0"])
def test_a_missing_file_is_an_error(missing, tmp_path):  # option: relics
    message = r"is neither a file nor a built-in relic set \(mini, nano, reconstruction-1\)"
    with pytest.raises(OptionError, match=message):
        warehouse51.make(3, relics=f"{tmp_path}/{missing}")


@pytest.mark.parametrize(("num_players", "dealt"), [(3, 6), (4, 4), (5, 5)])
def test_a_set_needs_counterfeits_for_all_players(
    num_players, dealt
):  # S4, option: relics, option: counterfeits_per_gap
    message = f"relics '.*': {dealt} counterfeit cards are dealt to {num_players} players, but the set has 2"
    with pytest.raises(OptionError, match=message):
        warehouse51.make(num_players, relics=GOOD)
    with_blanks = GOOD.replace(FAKES, f"{FAKES}\nblank_counterfeits = {dealt - 2}")
    assert warehouse51.make(num_players, relics=with_blanks).num_players == num_players


# ---- texts that take long to read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 40_000 + "a = 1\n", "line 1 has 80,005 characters, but at most 1,000 are allowed"),
        ("\n[" + "a." * 600 + "a]", "line 2 has 1,203 characters"),
        ("#\n" * 60_000, "120,000 characters, but at most 100,000 are allowed"),
        ("a = \n" + "[" * 900, "not valid TOML"),
    ],
)
def test_a_text_that_would_take_long_is_refused_before_it_is_read(text: str, message: str):
    with pytest.raises(RelicFileError, match=re.escape(message)):
        load_relic_set(text)


@pytest.mark.parametrize(
    "text",
    [
        GOOD + "".join(f"k{number} = 1\n" for number in range(9_000)),
        GOOD + "[[relic]]\n" * 9_000,
        GOOD + "[relic.sources]\n" + "".join(f"k{number} = 1\n" for number in range(9_000)),
    ],
    ids=["keys", "relics", "sources"],
)
def test_of_thousands_of_mistakes_the_first_are_said(text: str):
    begun = time.process_time()
    with pytest.raises(RelicFileError, match="and more mistakes") as error:
        load_relic_set(text)
    assert time.process_time() - begun < 2
    assert len(str(error.value)) < 5_000
