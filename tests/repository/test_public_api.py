"""docs/public_api.md: every name that it promises is there."""

import importlib
import re
from itertools import zip_longest
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest

import w51_env

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "public_api.md").read_text("utf-8")
ROWS = re.findall(r"^\| (`w51_(?:env|agents|lab)[^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)
NEEDS = {
    "openspiel": "pyspiel",
    "openspiel_policy": "pyspiel",
    "rllib": "ray.rllib",
    "sb3_vec_env": "stable_baselines3",
}
NAME = re.compile(r"`(\w+)`")


def test_every_public_id_is_registered():
    for id in re.findall(r"`(w51_env/[A-Z]\w+-v\d)`", PAGE):
        assert gymnasium.spec(id).id == id
    ids = re.findall(r"`(w51_env/[a-z]\w+_v\d)`", PAGE)
    assert len(ids) == 3
    if hasattr(pettingzoo, "make"):
        for id in ids:
            pettingzoo.make("aec", id)


@pytest.mark.parametrize(("modules", "names"), ROWS, ids=[modules for modules, _ in ROWS])
def test_every_public_name_is_there(modules, names):
    paths = re.findall(r"`([\w.]+)`", modules)
    groups = names.split(";") if ";" in names else [names]
    for path, group in zip_longest(paths, groups, fillvalue=groups[-1]):
        package = NEEDS.get(path.rpartition(".")[2])
        if package is not None:
            pytest.importorskip(package, exc_type=ImportError)
        module = importlib.import_module(path)
        owner = None
        for part in group.split(", "):
            name, *members = NAME.findall(part)
            if owner is not None and not hasattr(module, name):
                members = [name]  # the list of members goes on
            else:
                owner = getattr(module, name)
            for member in members:
                assert hasattr(owner, member), f"{path}.{owner.__name__}.{member}"


def test_the_arrays_of_a_batch_keep_their_names():
    batch = w51_env.make_vec("warehouse51_v1", num_envs=2, seed=1)
    arrays = NAME.findall(PAGE.partition("The arrays of a batch")[2].partition(")")[0])
    assert len(arrays) > 10
    for name in arrays:
        assert isinstance(getattr(batch, name), np.ndarray), name
