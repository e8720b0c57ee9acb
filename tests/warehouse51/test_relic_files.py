"""Relic files (S3, S4, section 6): the built-in sets, and every kind of mistake in a user's file, named by its key."""

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.warehouse51.relic_files import relic, write_relic_file
from tests.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.core.batch import Batch
from w51_env.core.errors import OptionError
from w51_env.core.events import Event
from w51_env.core.game import ALL
from w51_env.render.text import table
from w51_env.warehouse51 import relics
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, FIRST_KINDS
from w51_env.warehouse51.relics import (
    RelicFileError,
    built_in_relic_sets,
    kept_relics,
    load_relic_set,
    parse_relic_set,
    relics_text,
)

GOOD = """\
schema = 1
name = "of a test"
counterfeits = 2

[[relic]]
id = "sword"
name = { en = "Sword", fr = "Épée" }
category = "blue"
value = 2
alignment = "neutral"
weapon = true
counterfeit = true
sources = { name = "review" }

[[relic]]
id = "chain"
name = { en = "Chain" }
category = "red"
value = 1
alignment = "cursed"
timing = "permanent"
effect = "bid_cap"
amount = 3
weapon = false
counterfeit = true
"""

LONG = 61 * "x"
NAME_NEEDED = "a line of 1 to 60 characters is needed, with no spaces around it"
SWORD = r"relic\[0\] \('sword'\): "


def mistakes(text: str) -> list[str]:
    """The mistakes that are named, one a line."""
    with pytest.raises(RelicFileError) as caught:
        parse_relic_set(text, "my.toml")
    headline, *lines = str(caught.value).split("\n")
    assert headline == f"my.toml: {len(lines)} mistake(s)"
    return [line.strip() for line in lines]


# ---- good files


def test_a_users_file_is_played(tmp_path):  # S3, option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    table = Table(3, relics=str(path), counterfeits_per_gap=0).play("choose_deck_red", "bid_2", "pass", "pass")
    assert table.owner("chain") == 1
    assert table.play("pass", "pass").legal() == {"pass", "bid_1", "bid_2", "bid_3"}  # blind, and the cap holds


def test_a_file_that_begins_with_a_mark_of_its_encoding_is_read(tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8-sig")
    game = warehouse51.make(3, relics=str(path), counterfeits_per_gap=0)
    assert game.options == warehouse51.make(3, relics=GOOD, counterfeits_per_gap=0).options


@pytest.mark.parametrize("becomes", [None, "", GOOD.replace("Sword", "Spear")])
def test_a_game_keeps_its_cards_whatever_becomes_of_the_file(becomes, tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    batch = Batch(
        warehouse51.make(3, relics=path, counterfeits_per_gap=0), 1, seed=1, autoreset="disabled", events=True
    )
    batch.reset()
    if becomes is None:
        path.unlink()
    else:
        path.write_text(becomes, "utf-8")
    batch.step(np.array([batch.game.actions.id("choose_deck_blue")]))
    for again in (batch, pickle.loads(pickle.dumps(batch))):
        game = again.game
        assert "Lot: Sword (blue 2, blind auction)" in table(again.view(0, ALL))
        assert game.event_text(Event(event="revealed", seat=0, relic=0)) == "Player 0 turns over Sword."
        assert game.actions[game.actions.id("pawn_sword")].text == "pawn Sword"
    made_again = batch.game.make(**batch.game.options)
    assert made_again.options == batch.game.options


@pytest.mark.parametrize(
    "change",
    [
        lambda text: f"# a comment\n\n{text}",
        lambda text: text.replace(" = ", "="),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace('name = "of a test"', 'name = "of another"'),
        lambda text: text.replace('{ name = "review" }', '{ name = "rulebook" }'),
        lambda text: text.replace("counterfeits = 2\n", "counterfeits = 2\nblank_counterfeits = 0\n"),
    ],
)
def test_a_set_is_its_cards_whatever_the_form_of_its_file(change, tmp_path):  # S3, option: relics
    path = tmp_path / "mine.toml"
    path.write_bytes(change(GOOD).encode())
    assert change(GOOD) != GOOD
    game = warehouse51.make(3, relics=path, counterfeits_per_gap=0)
    assert game.options == warehouse51.make(3, relics=GOOD, counterfeits_per_gap=0).options
    assert game.option_files == {"relics": str(path)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sword", "Spear"),
        ('"sword"', '"spear"'),
        ("value = 2", "value = 3"),
        ("counterfeits = 2\n", "counterfeits = 2\nblank_counterfeits = 1\n"),
        ('en = "Sword"', 'en = "Sword", pl = "Miecz"'),
    ],
)
def test_other_cards_are_another_set(old, new):  # S3, option: relics
    assert old in GOOD
    games = [warehouse51.make(3, relics=text, counterfeits_per_gap=0) for text in (GOOD, GOOD.replace(old, new))]
    assert games[0].options != games[1].options


@pytest.mark.parametrize("name", built_in_relic_sets())
def test_a_copy_of_a_built_in_set_is_this_set(name, tmp_path):  # S3, option: relics
    path = tmp_path / "copy.toml"
    built_in = Path(relics.__file__).parent / "relic_sets" / f"{name}.toml"
    path.write_text("# mine\n" + built_in.read_text("utf-8").replace(f'name = "{name}"', 'name = "mine"'), "utf-8")
    assert load_relic_set(str(path)).name == "mine"
    assert kept_relics(load_relic_set(str(path))) == name
    again = parse_relic_set(relics_text(load_relic_set(name)), "again")  # loses nothing that counts
    assert kept_relics(again) == name


def test_names_in_any_script_are_kept_as_they_are():  # S3, option: relics
    odd = GOOD.replace('{ en = "Sword", fr = "Épée" }', '{ en = "\\"Sword\\" \\\\ é", "zh-\\u0001\\u007f" = "剑 🗡" }')
    kept = warehouse51.make(3, relics=odd, counterfeits_per_gap=0).options["relics"]
    assert load_relic_set(kept).relics[0].name == {"en": '"Sword" \\ é', "zh-\x01\x7f": "剑 🗡"}


def test_mistakes_in_the_text_that_options_keep_are_named():  # option: relics
    with pytest.raises(RelicFileError, match=rf"^relics: 1 mistake\(s\)\n  {SWORD}value: 5"):
        warehouse51.make(3, relics=GOOD.replace("value = 2", "value = 5"))
    with pytest.raises(OptionError, match="relics 'of a test': 6 counterfeit cards are dealt"):
        warehouse51.make(3, relics=GOOD)


def test_relics_are_put_in_the_order_of_the_categories():  # S3
    swapped = GOOD.replace('"blue"', '"golden"').replace('"red"', '"green"')
    assert parse_relic_set(swapped, "my.toml").ids == ("chain", "sword")


def test_every_field_says_where_it_is_known_from():  # S3
    sword = parse_relic_set(GOOD, "my.toml").relics[0]
    assert sword.source("name") == "review"
    assert sword.source("value") == "reconstructed"  # not named
    assert sword.name["fr"] == "Épée"


def test_the_built_in_set_has_the_relics_of_the_box():  # S3, S4
    relics = load_relic_set("reconstruction-1").relics
    assert Counter(relic.category for relic in relics) == {"blue": 8, "green": 7, "golden": 6, "red": 5}
    assert sum(relic.counterfeit for relic in relics) == 23
    known = {relic.id: relic for relic in relics if relic.source("effect") == "rulebook"}
    assert {name: relic.effect for name, relic in known.items()} == {
        "unicorns_horn": "cancels_counterfeit",
        "gleipnir": "certificate",
        "book_of_thoth": "certificate",
        "shirt_of_nessus": "loses_ties",
        "yata_no_kagami": "wins_ties",
    }


def test_the_built_in_set_has_every_kind_of_effect_that_the_game_began_with():  # S3
    assert load_relic_set("reconstruction-1").effects == {kind.name for kind in EFFECT_KINDS[:FIRST_KINDS]}


def test_the_built_in_sets_have_no_mistakes():  # S3, preset: mini, preset: nano
    assert built_in_relic_sets() == ("mini", "nano", "reconstruction-1")
    for name in built_in_relic_sets():
        assert load_relic_set(name).name == name


# ---- mistakes in one key


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # the set
        ("schema = 1", "schema = 2", "schema: 2, but this version reads 1"),
        ("schema = 1", "schema = true", "schema: True, but this version reads 1"),
        ("schema = 1\n", "", "schema: missing, but this version reads 1"),
        ('name = "of a test"', "name = 51", "name: 51, but " + NAME_NEEDED),
        ('name = "of a test"\n', "", "name: missing, but " + NAME_NEEDED),
        ("schema = 1", "schema = 1\ncounterfiets = 2", "counterfiets: unknown key (did you mean 'counterfeits'?)"),
        # wrong counts
        ("counterfeits = 2", "counterfeits = 3", "counterfeits: 3, but 2 relics are marked counterfeit = true"),
        ("counterfeits = 2\n", "", "counterfeits: missing, but 2 relics are marked counterfeit = true"),
        (
            "counterfeits = 2",
            "counterfeits = 2\nblank_counterfeits = -1",
            "blank_counterfeits: -1, but 0 to 26 is allowed",
        ),
        (
            "counterfeits = 2",
            "counterfeits = 2\nblank_counterfeits = 27",
            "blank_counterfeits: 27, but 0 to 26 is allowed",
        ),
        (
            "counterfeits = 2",
            'counterfeits = 2\nblank_counterfeits = "7"',
            "blank_counterfeits: '7', but 0 to 26 is allowed",
        ),
        ("counterfeits = 2", "counterfeits = 2.0", "counterfeits: 2.0, but 2 relics are marked counterfeit = true"),
        # ids and names
        (
            'id = "sword"',
            f'id = "{LONG}"',
            f"relic[0] ('{LONG}'): id: '{LONG}', but up to 60 lower-case letters, digits and _ are allowed",
        ),
        ('"of a test"', '" "', "name: ' ', but " + NAME_NEEDED),
        ('"Sword"', '""', "relic[0] ('sword'): name.en: '', but " + NAME_NEEDED),
        ('"Sword"', '"  "', "relic[0] ('sword'): name.en: '  ', but " + NAME_NEEDED),
        ('"Sword"', '"Sword "', "relic[0] ('sword'): name.en: 'Sword ', but " + NAME_NEEDED),
        ('"Sword"', r'"Big\nsword"', r"relic[0] ('sword'): name.en: 'Big\nsword', but " + NAME_NEEDED),
        ('"Sword"', r'"Big\u2028sword"', r"relic[0] ('sword'): name.en: 'Big\u2028sword', but " + NAME_NEEDED),
        ('"Sword"', f'"{LONG}"', f"relic[0] ('sword'): name.en: '{LONG}', but " + NAME_NEEDED),
        ('"Sword"', "3", "relic[0] ('sword'): name.en: 3, but " + NAME_NEEDED),
        ('"Sword"', '"Chain"', "relic name 'Chain': used 2 times, but English names are unique"),
        ('id = "sword"', 'id = "chain"', "relic id 'chain': used 2 times, but ids are unique"),
        (
            'id = "sword"',
            'id = "Big Sword"',
            "relic[0] ('Big Sword'): id: 'Big Sword', but up to 60 lower-case letters, digits and _ are allowed",
        ),
        ('id = "sword"', "id = 7", "relic[0] (7): id: 7, but up to 60 lower-case letters, digits and _ are allowed"),
        (
            'name = { en = "Sword", fr = "Épée" }',
            'name = "Sword"',
            "relic[0] ('sword'): name: 'Sword', but a table with at least 'en' is needed",
        ),
        (
            'name = { en = "Sword", fr = "Épée" }',
            'name = { fr = "Épée" }',
            "relic[0] ('sword'): name: {'fr': 'Épée'}, but a table with at least 'en' is needed",
        ),
        ('fr = "Épée"', "fr = 1", "relic[0] ('sword'): name.fr: 1, but " + NAME_NEEDED),
        # category, value, weapon, counterfeit
        (
            '"blue"',
            '"blu"',
            "relic[0] ('sword'): category: 'blu', but allowed are blue, green, golden, red (did you mean 'blue'?)",
        ),
        ('"blue"', "4", "relic[0] ('sword'): category: 4, but allowed are blue, green, golden, red"),
        ("value = 2", "value = 4", "relic[0] ('sword'): value: 4, but 1, 2 or 3 is allowed"),
        ("value = 2", "value = 0", "relic[0] ('sword'): value: 0, but 1, 2 or 3 is allowed"),
        ("value = 2", "value = 1.5", "relic[0] ('sword'): value: 1.5, but 1, 2 or 3 is allowed"),
        ("value = 2", "value = true", "relic[0] ('sword'): value: True, but 1, 2 or 3 is allowed"),
        ("weapon = true", "weapon = 1", "relic[0] ('sword'): weapon: 1, but true or false is allowed"),
        (
            "weapon = true",
            "weapno = true\nweapon = true",
            "relic[0] ('sword'): weapno: unknown key (did you mean 'weapon'?)",
        ),
        # alignment, timing, effect, amount
        ('"cursed"', '"evil"', "relic[1] ('chain'): alignment: 'evil', but allowed are blessed, cursed, neutral"),
        ('"cursed"', '"blessed"', "relic[1] ('chain'): alignment: 'blessed', but bid_cap is cursed"),
        ('"permanent"', '"immediate"', "relic[1] ('chain'): timing: 'immediate', but bid_cap is permanent"),
        ('"permanent"', '"always"', "relic[1] ('chain'): timing: 'always', but bid_cap is permanent"),
        ('timing = "permanent"\n', "", "relic[1] ('chain'): timing: missing, but bid_cap is permanent"),
        ("amount = 3", "amount = 0", "relic[1] ('chain'): amount: 0, but bid_cap takes 1 to 70"),
        ("amount = 3", "amount = 71", "relic[1] ('chain'): amount: 71, but bid_cap takes 1 to 70"),
        ("amount = 3", 'amount = "3"', "relic[1] ('chain'): amount: '3', but bid_cap takes 1 to 70"),
        ("amount = 3\n", "", "relic[1] ('chain'): amount: missing, but bid_cap takes 1 to 70"),
        # sources
        (
            '{ name = "review" }',
            '{ name = "hearsay" }',
            "relic[0] ('sword'): sources.name: 'hearsay', but allowed are rulebook, review, reconstructed",
        ),
        (
            '{ name = "review" }',
            '{ vlaue = "review" }',
            "relic[0] ('sword'): sources.vlaue: no such field (did you mean 'value'?)",
        ),
        (
            '{ name = "review" }',
            '{ amount = "review" }',
            "relic[0] ('sword'): sources.amount: 'review', but the relic has no amount",
        ),
        (
            '{ name = "review" }',
            '{ effect = "review" }',
            "relic[0] ('sword'): sources.effect: 'review', but the relic has no effect",
        ),
        ('{ name = "review" }', '"review"', "relic[0] ('sword'): sources: 'review', but a table is needed"),
    ],
)
def test_each_mistake_is_named_with_its_key_its_value_and_what_is_allowed(old, new, message):  # S3, S4, option: relics
    assert GOOD.count(old) >= 1
    assert mistakes(GOOD.replace(old, new, 1)) == [message]


def test_true_is_no_count_of_counterfeits():  # S4, option: relics
    one = GOOD.replace("counterfeit = true", "counterfeit = false", 1)
    assert mistakes(one.replace("counterfeits = 2", "counterfeits = true")) == [
        "counterfeits: True, but 1 relics are marked counterfeit = true"
    ]


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
    assert found[0].startswith("relic[1] ('chain'): effect: 'bid_cup' is unknown; allowed are certificate, ")
    assert found[0].endswith(" (did you mean 'bid_cap'?)")


def test_a_neutral_relic_has_no_effect():  # S3, option: relics
    assert mistakes(GOOD.replace('"cursed"', '"neutral"')) == [
        "relic[1] ('chain'): timing: 'permanent', but a relic without an effect has none",
        "relic[1] ('chain'): amount: 3, but a relic without an effect has none",
        "relic[1] ('chain'): effect: 'bid_cap', but a neutral relic has none",
    ]


@pytest.mark.parametrize("alignment", ["blessed", "cursed"])
def test_a_blessed_or_cursed_relic_has_an_effect(alignment):  # S3, option: relics
    assert mistakes(GOOD.replace('"neutral"', f'"{alignment}"')) == [
        f"relic[0] ('sword'): effect: missing, but a {alignment} relic has one"
    ]


def test_two_relics_that_may_match_a_bid_are_too_many():  # T2, S3, effect: may_match_bid, option: relics
    chain = (
        GOOD[GOOD.index('[[relic]]\nid = "chain"') :]
        .replace("bid_cap", "may_match_bid")
        .replace("amount = 3\n", "")
        .replace("cursed", "blessed")
    )
    one = GOOD[: GOOD.index('[[relic]]\nid = "chain"')] + chain
    assert len(parse_relic_set(one, "my.toml")) == 2
    two = (
        one.replace("counterfeits = 2", "counterfeits = 3")
        + "\n"
        + chain.replace("chain", "rope").replace("Chain", "Rope")
    )
    assert mistakes(two) == [
        "effect: 2 relics have may_match_bid, but at most 1 may: two could match each other forever"
    ]


def test_an_effect_without_an_amount_takes_none():  # S3, option: relics
    assert mistakes(GOOD.replace('"permanent"', '"scoring"').replace("bid_cap", "loses_ties")) == [
        "relic[1] ('chain'): amount: 3, but loses_ties takes none"
    ]


@pytest.mark.parametrize("kind", EFFECT_KINDS, ids=lambda kind: kind.name)
def test_each_effect_has_one_timing_and_alignment_and_a_range_of_amounts(kind):  # S3, option: relics
    text = (
        GOOD.replace('"permanent"', f'"{kind.timing}"')
        .replace('"cursed"', f'"{kind.alignment}"')
        .replace("bid_cap", kind.name)
    )
    if kind.amount is None:
        assert parse_relic_set(text.replace("amount = 3\n", ""), "my.toml").relics[1].effect == kind.name
    else:
        for amount in kind.amount:
            assert (
                parse_relic_set(text.replace("amount = 3", f"amount = {amount}"), "my.toml").relics[1].amount == amount
            )
        low, high = kind.amount
        for amount in (low - 1, high + 1):
            assert mistakes(text.replace("amount = 3", f"amount = {amount}")) == [
                f"relic[1] ('chain'): amount: {amount}, but {kind.name} takes {low} to {high}"
            ]
    other = {"blessed": "cursed", "cursed": "blessed"}[kind.alignment]
    assert f"relic[1] ('chain'): alignment: '{other}', but {kind.name} is {kind.alignment}" in mistakes(
        text.replace(f'"{kind.alignment}"', f'"{other}"')
    )


# ---- all of them at once, and files that are no relic files


def test_all_mistakes_are_listed_at_once():  # S3, option: relics
    text = (
        GOOD.replace("schema = 1", "schema = 2").replace("value = 2", "value = 9").replace("amount = 3", "amount = 99")
    )
    assert mistakes(text.replace("counterfeits = 2", "counterfeits = 1")) == [
        "schema: 2, but this version reads 1",
        "relic[0] ('sword'): value: 9, but 1, 2 or 3 is allowed",
        "relic[1] ('chain'): amount: 99, but bid_cap takes 1 to 70",
        "counterfeits: 1, but 2 relics are marked counterfeit = true",
    ]


@pytest.mark.parametrize("relics", ["", "relic = 3", "relic = []", "relic = [1, 2]", "[relic]\nid = 3"])
def test_a_file_without_relics_is_an_error(relics):  # S3, option: relics
    head = 'schema = 1\nname = "of a test"\ncounterfeits = 0\n'
    assert mistakes(head + relics) == ["relic: at least one [[relic]] table is needed"]


def test_a_file_with_too_many_relics_is_an_error():  # S3, option: relics
    entry = (
        '[[relic]]\nid = "r{0}"\nname = {{ en = "R{0}" }}\ncategory = "red"\nvalue = 1\nalignment = "neutral"\n'
        "weapon = false\ncounterfeit = false\n"
    )
    head = 'schema = 1\nname = "of a test"\ncounterfeits = 0\n'
    assert len(parse_relic_set(head + "".join(map(entry.format, range(26))), "my.toml")) == 26
    assert mistakes(head + "".join(map(entry.format, range(27)))) == ["relic: 27 relics, but at most 26 are allowed"]


def test_a_set_that_could_bring_more_points_than_are_counted_is_an_error(tmp_path):  # G2, option: relics
    path = write_relic_file(tmp_path, *(relic(f"red_{number}", "red") for number in range(26)))
    # One player could have 26 sets of one colour, 60 ingots and a first place: 26 x 5 + 60 / 5 + 5 = 147 points.
    with pytest.raises(
        OptionError, match="a seat with all relics and 60 ingots has 147 points, but at most 127 fit the score"
    ):
        warehouse51.make(4, relics=path, counterfeits_per_gap=0)


def test_an_unknown_relic_is_named_with_the_nearest():
    with pytest.raises(
        OptionError, match=r"relic 'excalibr' is not in the relic set 'reconstruction-1' \(did you mean 'excalibur'\?\)"
    ):
        load_relic_set("reconstruction-1").index("excalibr")


def test_a_file_that_is_not_toml_is_an_error(tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace("schema = 1", "schema: 1"), "utf-8")
    with pytest.raises(RelicFileError, match=r"mine\.toml: not valid TOML: .*line 1"):
        warehouse51.make(3, relics=str(path))


def test_a_file_that_is_not_text_is_an_error(tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RelicFileError, match=r"mine\.toml: cannot be read: .*utf-8"):
        warehouse51.make(3, relics=str(path))


def test_mistakes_in_a_file_are_named_when_a_game_is_made(tmp_path):  # option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace("value = 2", "value = 5"), "utf-8")
    with pytest.raises(
        RelicFileError, match=rf"mine\.toml: 1 mistake\(s\)\n  {SWORD}value: 5, but 1, 2 or 3 is allowed"
    ):
        warehouse51.make(3, relics=str(path))


@pytest.mark.parametrize("missing", ["no_such_file.toml", "folder", 5000 * "x", "\0"])
def test_a_missing_file_is_an_error(missing, tmp_path):  # option: relics
    (tmp_path / "folder").mkdir()
    path = str(tmp_path / missing)
    with pytest.raises(
        OptionError, match="is neither a file nor a built-in relic set \\(mini, nano, reconstruction-1\\)"
    ):
        warehouse51.make(3, relics=path)


def test_a_misspelt_built_in_set_is_an_error():  # option: relics
    with pytest.raises(
        OptionError, match=r"relics: 'reconstruction1' is neither .* \(did you mean 'reconstruction-1'\?\)"
    ):
        warehouse51.make(4, relics="reconstruction1")


@pytest.mark.parametrize(("num_players", "dealt"), [(3, 6), (4, 4), (5, 5)])
def test_a_set_needs_counterfeits_for_all_players(
    num_players, dealt, tmp_path
):  # S4, option: relics, option: counterfeits_per_gap
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    message = f"relics '.*': {dealt} counterfeit cards are dealt to {num_players} players, but the set has 2"
    with pytest.raises(OptionError, match=message):
        warehouse51.make(num_players, relics=str(path))
    path_with_blanks = tmp_path / "with_blanks.toml"
    path_with_blanks.write_text(
        GOOD.replace("counterfeits = 2", f"counterfeits = 2\nblank_counterfeits = {dealt - 2}"), "utf-8"
    )
    assert warehouse51.make(num_players, relics=str(path_with_blanks)).num_players == num_players


@pytest.mark.parametrize("taken", ["deck_blue", "gap_0", "relic_7"])
def test_an_id_that_would_name_another_action_is_an_error(taken):  # S3, option: relics
    assert mistakes(GOOD.replace('"sword"', f'"{taken}"')) == [
        f"relic[0] ('{taken}'): id: '{taken}' is the name of another action"
    ]
