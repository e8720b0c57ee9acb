"""Relic sets drawn from a seed."""

import hashlib

import pytest

from w51_env import make_game
from w51_env.engine.errors import OptionError
from w51_env.warehouse51 import generated_relics
from w51_env.warehouse51.effect_kinds import EFFECT_KINDS, EFFECT_NAMES, FIRST_KINDS, EffectKind
from w51_env.warehouse51.generated_relics import TEST, TRAINING, generate_relic_set
from w51_env.warehouse51.relics import load_relic_set, relics_text
from w51_env.warehouse51.state import CATEGORIES, MAX_RELICS


def test_each_seed_has_its_cards_and_a_file_of_them_loads_equal():
    sets = [generate_relic_set(seed) for seed in [*TRAINING[:40], *TEST]]
    assert len({relics_text(relic_set) for relic_set in sets}) == len(sets)
    for relic_set in sets:
        text = relics_text(relic_set)
        assert load_relic_set(text).relics == relic_set.relics
        assert relics_text(load_relic_set(relic_set.name)) == text
        assert {relic.category for relic in relic_set.relics} == set(CATEGORIES)
        assert len(relic_set.relics) <= MAX_RELICS


def test_together_they_have_every_kind_of_effect_that_the_game_began_with():
    effects = {relic.effect for seed in TRAINING[:40] for relic in generate_relic_set(seed).relics}
    assert effects - {None} == set(EFFECT_NAMES[:FIRST_KINDS])


def test_a_seed_keeps_its_cards_when_a_kind_of_effect_is_added(monkeypatch: pytest.MonkeyPatch):
    before = [generate_relic_set(seed) for seed in (TRAINING[0], TEST[0])]
    added = EffectKind("imagined", "immediate", "blessed", (1, 3))
    monkeypatch.setattr(generated_relics, "EFFECT_KINDS", (*EFFECT_KINDS, added))
    assert [generate_relic_set(seed) for seed in (TRAINING[0], TEST[0])] == before


@pytest.mark.parametrize(("seed", "digest"), [(TRAINING[0], "4e6e96a5f42d4421"), (TEST[0], "ece6ddd5373217b2")])
def test_the_cards_of_a_seed_are_those_of_earlier_results(seed: int, digest: str):
    """Trained agents, replays and published results name a set by its seed."""
    assert hashlib.sha256(relics_text(generate_relic_set(seed)).encode()).hexdigest()[:16] == digest


def test_seeds_to_train_and_to_test_are_apart():
    assert not set(TRAINING) & set(TEST)


@pytest.mark.parametrize("relics", ["generated:", "generated:-1", "generated:one"])
def test_a_seed_that_is_none_is_named(relics: str):
    with pytest.raises(OptionError, match=rf"relics: '{relics}', but generated:SEED needs a seed such as 1"):
        make_game("warehouse51_v1", relics=relics)
