"""Relic files (S3, S4, section 6): the built-in sets, and the sets of a user."""

import pickle
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.env.warehouse51.relic_files import GOOD, SWORD
from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.events import Event
from w51_env.engine.game import ALL
from w51_env.views.text_table import table
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


def test_a_users_file_is_played(tmp_path):  # S3, option: relics
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    table = Table(3, relics=str(path), counterfeits_per_gap=0).play("choose_deck_red", "bid_2", "pass", "pass")
    assert table.owner("chain") == 1
    assert table.play("pass", "pass").legal() == {"pass", "bid_1", "bid_2", "bid_3"}  # blind, and the cap holds


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
        lambda text: f"\ufeff{text}",  # a mark of its encoding
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
    with pytest.raises(RelicFileError, match=rf"^relics: 1 mistake\(s\)\n  {re.escape(SWORD)}value: 5"):
        warehouse51.make(3, relics=GOOD.replace("value = 2", "value = 5"))
    with pytest.raises(OptionError, match="relics 'of a test': 6 counterfeit cards are dealt"):
        warehouse51.make(3, relics=GOOD)


def test_relics_are_put_in_the_order_of_the_categories_and_say_where_they_are_known_from():  # S3
    swapped = GOOD.replace('"blue"', '"golden"').replace('"red"', '"green"')
    chain, sword = parse_relic_set(swapped, "my.toml").relics
    assert (chain.id, sword.id, sword.name["fr"]) == ("chain", "sword", "Épée")
    assert (sword.source("name"), sword.source("value")) == ("review", "reconstructed")  # not named


def test_the_built_in_set_has_the_relics_of_the_box():  # S3, S4, preset: mini, preset: nano
    assert built_in_relic_sets() == ("mini", "nano", "reconstruction-1")
    built_in = load_relic_set("reconstruction-1")
    assert Counter(relic.category for relic in built_in.relics) == {"blue": 8, "green": 7, "golden": 6, "red": 5}
    assert sum(relic.counterfeit for relic in built_in.relics) == 23
    assert {relic.id: relic.effect for relic in built_in.relics if relic.source("effect") == "rulebook"} == {
        "unicorns_horn": "cancels_counterfeit",
        "gleipnir": "certificate",
        "book_of_thoth": "certificate",
        "shirt_of_nessus": "loses_ties",
        "yata_no_kagami": "wins_ties",
    }
    assert built_in.effects == {kind.name for kind in EFFECT_KINDS[:FIRST_KINDS]}


def test_a_set_has_all_its_relics_open_or_blind_by_a_prefix_and_is_dealt_the_same(tmp_path: Path):  # S3, option: relics
    (tmp_path / "mine.toml").write_text(relics_text(load_relic_set("reconstruction-1")), "utf-8")
    deals = []
    for prefix, weapon in (("open:", False), ("blind:", True)):
        for name in ("reconstruction-1", "generated:7", str(tmp_path / "mine.toml")):
            changed, usual = load_relic_set(prefix + name), load_relic_set(name)
            assert {relic.weapon for relic in changed.relics} == {weapon}
            assert changed.ids == usual.ids
            assert changed.effects == usual.effects
        game = warehouse51.make(relics=prefix + str(tmp_path / "mine.toml"))
        assert game.options == warehouse51.make(relics=f"{prefix}reconstruction-1").options
        assert set(game.option_files) == {"relics"}
        batch = Batch(game, 20, observe=False)
        batch.reset(seed=np.arange(20, dtype=np.uint64))
        deals.append(batch.games.tobytes())
    assert deals[0] == deals[1]
    with pytest.raises(OptionError, match="relics: 'nobody' is neither a file nor a built-in relic set"):
        load_relic_set("blind:nobody")
