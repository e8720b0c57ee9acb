"""The state of a training run as a file: what is read is what was written, and nothing else is read."""

import pickle

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from tests.agents.networks.selfplay import network_for
from tests.agents.networks.small import ONE_LOT
from w51_agents import AgentError, make_agent
from w51_agents.networks import tensor_file
from w51_agents.networks.making import save_network
from w51_agents.training import trainer_state as module
from w51_agents.training.trainer_state import FORMAT, TrainerState, load_state, save_state
from w51_env import make_game


def some() -> TrainerState:
    inner = TrainerState(
        {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "c/d": np.array(7, np.int64)}, {"position": 3, "none": None}
    )
    state = TrainerState({"a": np.zeros(0, np.uint8)}, {"share": 0.1, "nan": float("nan"), "big": 2**70, "name": "ä"})
    state.include("inner", inner)
    return state


@pytest.fixture
def path(tmp_path):
    """The file of a saved state."""
    save_state(some(), tmp_path / "one.safetensors")
    return tmp_path / "one.safetensors"


def test_a_loaded_state_equals_the_saved_one(path):
    found = load_state(path)
    assert {name: (array.dtype, array.tolist()) for name, array in found.arrays.items()} == {
        name: (array.dtype, array.tolist()) for name, array in some().arrays.items()
    }
    assert repr(found.facts) == repr(some().facts)  # nan is not equal to itself
    inner = found.part("inner")
    assert inner.arrays.keys() == {"b", "c/d"}
    assert inner.facts == {"position": 3, "none": None}


def test_arrays_are_saved_by_value_whatever_their_memory_order(tmp_path):
    turned = np.arange(6).reshape(2, 3).T
    save_state(TrainerState({"turned": turned}), tmp_path / "one.safetensors")
    assert load_state(tmp_path / "one.safetensors").arrays["turned"].tolist() == turned.tolist()


# ---- files of states and of networks


@pytest.fixture(params=["state", "network"])
def written(request, tmp_path):
    """A file, and what reads it."""
    path, game = tmp_path / "one.safetensors", make_game(ONE_LOT)
    if request.param == "state":
        save_state(some(), path)
        return path, load_state
    save_network(network_for(game, (2,)), game, path)
    return path, lambda path: make_agent(str(path), game)


def test_every_damaged_byte_and_any_truncation_is_an_error_in_words(written):
    path, read = written
    whole = path.read_bytes()
    damaged = [whole[:size] for size in (0, 7, 100, -1)]
    damaged += [whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :] for at in range(0, len(whole), 7)]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(
            AgentError, match=r"one\.safetensors: .*(damaged|format|is needed|written by|a network for)"
        ):
            read(path)


def test_a_file_of_any_size_is_an_error_before_it_is_read(written):
    path, read = written
    with path.open("wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    with pytest.raises(AgentError, match=r"damaged.*: 1,000,000,000,000 bytes, but at most 4,294,967,296 are read"):
        read(path)


class PanicException(BaseException):
    """As safetensors raises it."""


@pytest.mark.parametrize("error", [PanicException, MemoryError])
def test_memory_that_ends_while_a_file_is_read_is_an_error_in_words(written, monkeypatch, error):
    def full(path, kind):
        raise error("no room")

    path, read = written
    monkeypatch.setattr(tensor_file, "safe_open", full)
    with pytest.raises(AgentError, match=r"one\.safetensors: .*damaged.*: no room"):
        read(path)


def test_a_pickle_is_refused_without_running_it(written, tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "sprung").touch, ()

    path, read = written
    for write in (lambda: path.write_bytes(pickle.dumps(Trap())), lambda: torch.save(Trap(), path)):
        write()
        with pytest.raises(AgentError, match="damaged"):
            read(path)
    assert not (tmp_path / "sprung").exists()


# ---- files of states


def test_a_missing_state_is_named(tmp_path):
    with pytest.raises(AgentError, match=r"none\.safetensors: there is none, or it is damaged: .*No such file"):
        load_state(tmp_path / "none.safetensors")


def test_another_kind_of_file_is_an_error(tmp_path):
    path = tmp_path / "one.safetensors"
    path.write_bytes(save({"weights": np.zeros(3)}))
    with pytest.raises(AgentError, match=f"format None, but '{FORMAT} 2' is needed"):
        load_state(path)


def test_a_state_of_another_version_is_an_error_that_names_both(tmp_path, monkeypatch):
    path = tmp_path / "one.safetensors"
    monkeypatch.setattr(module, "__version__", "0.0.7")
    save_state(some(), path)
    monkeypatch.setattr(module, "__version__", "0.0.8")
    with pytest.raises(
        AgentError, match=r"written by w51_env 0\.0\.7, but this is 0\.0\.8; continue the run with 0\.0\.7"
    ):
        load_state(path)
