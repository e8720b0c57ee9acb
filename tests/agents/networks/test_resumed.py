"""A training that stopped goes on as one that did not stop: the same weights, games and memories to the last bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.agents.networks.selfplay import spread
from tests.agents.networks.small import ALONE, in_mini, small
from tests.agents.networks.test_any_cards import config as of_cards
from tests.agents.networks.test_kinds import PLAIN as KINDS
from tests.agents.networks.test_outside import config_of as of_others
from tests.agents.networks.test_training_threads import POPULATION
from w51_agents.agent.interface import BatchAgent
from w51_agents.named import registry
from w51_agents.networks.making import save_network
from w51_agents.training import learner_settings
from w51_agents.training.registry import trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.trainer_state import TrainerState, load_state, save_state
from w51_env import make_game

MINI = make_game("warehouse51_v1", preset="mini")
MIXED = {
    "games": [{"num_players": 3, "num_envs": 12}, {"num_players": 3, "num_envs": 6, "opponents": "pool"}],
    "average_kl": 0.1, "pool": 2, "pool_every": 1, "num_steps": 8,
}  # fmt: skip


def selfplay(**changes: Any) -> Callable[[Path], TrainingConfig]:
    return lambda folder: small("selfplay", folder, selfplay={**ALONE, **changes})


def mini(**changes: Any) -> Callable[[Path], TrainingConfig]:
    return lambda folder: in_mini(folder, **changes)


def against(network: str | None, form: str = "") -> Callable[[Path], TrainingConfig]:
    """Against a network that does not learn."""

    def config(folder: Path) -> TrainingConfig:
        save_network(spread(MINI, network=network), MINI, folder / "other.safetensors")
        others = f"{folder / 'other.safetensors'}{form}"
        games = [{"num_players": 3, "num_envs": 6, "opponents": others}, {"num_players": 3, "num_envs": 4}]
        return in_mini(folder, games=games, num_steps=3)

    return config


def opponents(name: str) -> dict[str, Any]:
    return {"games": [{"num_players": 3, "num_envs": 6, "opponents": name}]}


CONFIGS = {
    "maskable_ppo": lambda folder: small("maskable_ppo", folder),
    "all of self-play": lambda folder: small("selfplay", folder),
    "alone": selfplay(),
    "a teacher that draws": selfplay(teacher="random"),
    "a base policy": selfplay(base_policy="shader"),
    "a base policy that draws": selfplay(base_policy="random"),
    "an agent that draws": selfplay(**opponents("dice")),
    "an agent of others that remembers": mini(**opponents("tests.agents.remembering:Counts"), num_steps=3),
    "a network": against(None),
    "a network that draws and remembers": against("recurrent", ":sampled"),
    "a network that reads what happened": against("history"),
    "history": mini(**MIXED, network="history", network_settings={"events": 12, "event_width": 8, "heads": 2}),
    "recurrent": mini(**MIXED, network="recurrent", burn_in=1),
    "any cards": of_cards,
    "who plays": mini(**{**KINDS, "num_steps": 8}),
    "code of others": of_others,
    "several parts": lambda folder: small("selfplay", folder, selfplay=POPULATION),
}


def content(state: TrainerState) -> tuple[dict, dict]:
    return {name: (array.shape, array.tobytes()) for name, array in state.arrays.items()}, state.facts


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_resumed_training_goes_on_as_if_it_had_not_stopped(kind, tmp_path, monkeypatch):
    monkeypatch.setitem(registry._FACTORIES, "dice", lambda game: Dice())
    if kind == "several parts":
        monkeypatch.setattr(learner_settings, "_MIN_PART", 4)
    config = CONFIGS[kind](tmp_path)
    game, make = make_game(config.game, **config.options), trainer_spec(config.trainer).make
    first, second = make(config, game), make(config, game)
    for _ in range(3):
        first.update()
    save_state(first.state(), tmp_path / "state.safetensors")
    after: list[list[tuple[dict, dict]]] = []
    for trainer in (first, second):
        if trainer is second:
            trainer.restore(load_state(tmp_path / "state.safetensors"))
        after.append([])
        for _ in range(2):
            trainer.update()
            after[-1].append(content(trainer.state()))
        trainer.close()
    assert after[0] == after[1]


class Dice(BatchAgent):
    """It plays by draws of its own."""

    def reset(self, seed):
        self.generator = np.random.default_rng(seed)

    def act_batch(self, observations, action_masks, infos=None):
        return (action_masks * self.generator.random(action_masks.shape)).argmax(axis=1)
