"""Opponents that are agents: the same games as with the same bots, in every single-agent adapter."""

import copy
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.commands import ROOT
from tests.env.adapters.playing import choose, comparable, learner_vec_env
from w51_agents.agent.interface import BatchAgent
from w51_env import make_game, warehouse51
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.spaces import observation_space
from w51_env.engine.bots import Bot
from w51_env.engine.errors import GameOverError, IllegalActionError, OptionError

GAME = warehouse51.make(3)


class Heuristic:
    """The heuristic bot as an agent: it draws nothing, so it plays as the bot inside the batch."""

    def __init__(self, game=GAME):
        self._heuristic = Bot(game, "heuristic")
        self.seeds, self.sizes = [], []

    def reset(self, seed):
        self.seeds.append(seed)

    def act_batch(self, observations, action_masks, infos=None):
        self.sizes.append(len(observations))
        return self._heuristic.choose(observations, action_masks, np.zeros(len(observations), np.uint64))


class Seeing(Heuristic):
    """Keeps the dtypes of what it observes."""

    dtypes: set[str]

    def act_batch(self, observations, action_masks, infos=None):
        self.dtypes = {str(observations.dtype)}
        return super().act_batch(observations, action_masks)


class OfThisPackage(Seeing, BatchAgent):
    pass


def seeing(kind=Seeing, **attributes):
    return {"make": kind, "attributes": attributes}


@pytest.mark.parametrize(
    ("agent", "learner", "expected"),
    [
        (seeing(), "float32", "float32"),
        (seeing(), "int8", "int8"),
        (seeing(observation_dtype="int8"), "float32", "int8"),
        (seeing(observation_dtype="float32"), "int8", "float32"),
        (seeing(observation_space=observation_space(GAME, "float32")), "int8", "float32"),
        (seeing(observation_space=observation_space(GAME, "int8")), "float32", "int8"),
        (seeing(OfThisPackage), "float32", "int8"),
    ],
)
def test_an_opponent_observes_as_the_learner_does_unless_it_says_otherwise(agent, learner, expected):
    opponent = agent["make"]()
    vars(opponent).update(agent["attributes"])
    play_vector(LearnerVectorEnv(GAME, 4, opponents=opponent, observation_dtype=learner), 2)
    assert opponent.dtypes == {expected}


def test_an_opponent_with_an_unknown_form_of_observations_is_refused():
    opponent = Heuristic()
    opponent.observation_dtype = "float64"
    with pytest.raises(OptionError, match=r"Heuristic.observation_dtype: 'float64', but allowed are 'int8', 'float32'"):
        LearnerEnv(GAME, opponents=opponent)


@pytest.mark.parametrize("learner", [pytest.param("float32", marks=pytest.mark.slow), "int8"])
def test_a_model_of_stable_baselines_plays_in_environments_of_either_form_as_it_was_trained(learner: str):
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")
    from w51_agents.networks.maskable import MaskablePPOAgent

    class Wrapped:
        def __init__(self, model):
            self.model, self.observation_space = model, model.observation_space

        def reset(self, seed):
            pass

        def act_batch(self, observations, action_masks, infos=None):
            return self.model.predict(observations, action_masks=action_masks, deterministic=True)[0]

    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", learner_vec_env(GAME, 2), n_steps=4, batch_size=8, seed=1, device="cpu"
    )
    games = [
        LearnerVectorEnv(GAME, 8, opponents=opponent, observation_dtype=learner)
        for opponent in (Wrapped(model), MaskablePPOAgent(GAME, model.policy))
    ]
    assert play_vector(games[0], 20) == play_vector(games[1], 20)


def play_vector(envs: LearnerVectorEnv, steps: int) -> list:
    observations, infos = envs.reset(seed=5)
    given = [(observations.tobytes(), infos["seat"].tolist())]
    done = np.zeros(envs.num_envs, bool)
    for _ in range(steps):
        if envs.autoreset_mode == AutoresetMode.DISABLED and done.any():
            observations, infos = envs.reset(options={"reset_mask": done})
            masks = envs.action_masks().astype(np.int8)
        else:
            masks = infos["action_mask"]
        observations, rewards, done, _, infos = envs.step(choose(observations, masks))
        given.append((observations.tobytes(), rewards.tolist(), done.tolist(), comparable(infos)))
    return given


def test_the_seed_of_an_opponent_repeats_with_that_of_the_games_and_does_not_lead_to_it():
    first, again, other = Heuristic(), Heuristic(), Heuristic()
    for agent, seed in ((first, 5), (again, 5), (other, 6)):
        LearnerEnv(GAME, opponents=agent).reset(seed=seed)
    assert first.seeds == again.seeds != other.seeds
    assert not {5, 6} & {*first.seeds, *other.seeds}
    program = "import sys; from tests.env.adapters import test_opponents as t; agent = t.Heuristic()\n"
    program += "t.LearnerEnv(t.GAME, opponents=agent).reset(seed=5); print(agent.seeds[0])"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert int(found) != first.seeds[0]  # a hash without a secret would be the same


def play_out(envs: Any) -> None:
    for _ in range(10):
        envs.step(envs.action_masks().argmax(axis=1))


@pytest.mark.parametrize(("mode", "learner_seat"), list(zip(AutoresetMode, ["random", "rotate", 1], strict=True)))
@pytest.mark.parametrize("opponents", ["all", "one"])
def test_an_agent_plays_the_same_games_as_the_same_bot_inside_the_batch(mode, learner_seat, opponents):
    agent = Heuristic()
    pairs = {"all": ("heuristic", agent), "one": (["heuristic"] * 2, ["heuristic", agent])}
    given = [
        play_vector(
            LearnerVectorEnv(GAME, 12, opponents=chosen, learner_seat=learner_seat, autoreset_mode=mode), steps=80
        )
        for chosen in pairs[opponents]
    ]
    assert given[0] == given[1]
    assert sum(sum(done) for _, _, done, _ in given[0][1:]) > 12
    assert max(agent.sizes) > 4  # decisions of several games at once
    assert len(agent.seeds) == 1


@pytest.mark.parametrize("preset", ["nano", "mini"])
def test_episodes_without_a_decision_of_the_learner_are_left_out_as_with_bots(preset):
    game = warehouse51.make(3, preset=preset)
    for mode in AutoresetMode:
        bots, agents = (
            play_vector(LearnerVectorEnv(game, 16, opponents=chosen, autoreset_mode=mode), steps=30)
            for chosen in ("heuristic", Heuristic(game))
        )
        assert bots == agents


def test_two_agents_keep_their_places_around_the_learner():
    left, right = Heuristic(), Heuristic()
    env = LearnerEnv(GAME, opponents=[left, right], learner_seat="random", observation_dtype="int8")
    for seed in range(10):
        env.reset(seed=seed)
        codes = env._games.batch.controllers[0].tolist()
        assert sorted(codes) == [-3, -2, -1]
        assert codes[env.seat] == -1
    twice = LearnerEnv(GAME, opponents=[left, left], learner_seat=0)
    assert twice._games._controllers.tolist() == [-1, -2, -2]


def test_gymnasium_and_stable_baselines_play_the_same_games_against_an_agent():
    ours = learner_vec_env(GAME, 8, opponents=Heuristic(), observation_dtype="int8", illegal_action="lose", seed=3)
    theirs = LearnerVectorEnv(GAME, 8, opponents=Heuristic(), observation_dtype="int8", autoreset_mode="SameStep")
    observations, (expected, _) = ours.reset(), theirs.reset(seed=3)
    rng, finished, illegal = np.random.default_rng(0), 0, 0
    for _ in range(80):
        assert observations.tobytes() == expected.tobytes()
        actions = choose(observations, ours.action_masks().astype(np.int8))
        actions = np.where(rng.random(8) < 0.02, 184, actions)
        observations, rewards, dones, infos = ours.step(actions)
        expected, expected_rewards, *_ = theirs.step(actions)
        assert rewards.tolist() == expected_rewards.tolist()
        for index in np.flatnonzero(dones):
            assert infos[index]["rewards"][infos[index]["seat"]] == pytest.approx(rewards[index])
            illegal += infos[index]["illegal"]
            finished += 1
    assert finished > illegal > 2


def test_a_copy_in_the_middle_of_a_game_goes_on_alike_and_events_reach_back_to_the_learners_decision():
    env = LearnerEnv(GAME, opponents=Heuristic(), events=True, learner_seat=0)
    observation, info = env.reset(seed=4)
    assert info["events"][0]["event"] == "set_up"
    twin = copy.deepcopy(env)
    for _ in range(10):
        action = int(info["action_mask"].argmax())
        observation, _, _, _, info = env.step(action)
        again, _, _, _, told = twin.step(action)
        np.testing.assert_array_equal(again, observation)
        assert told["events"] == info["events"] == env.events()
        assert info["events"][0]["seat"] == 0


def test_a_name_of_an_agent_is_resolved_where_agents_are_installed():
    pytest.importorskip("torch", reason="needs the extra 'train'")
    env = gymnasium.make("w51_env/Warehouse51-v1", num_players=3, opponents=["pretrained", "search:playouts=2"])
    observation, info = env.reset(seed=1)
    for _ in range(12):
        observation, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    assert env.observation_space.contains(observation)
    with pytest.raises(OptionError, match=r"opponents: agent 'pretraind' is unknown; .*did you mean 'pretrained'"):
        LearnerEnv(GAME, opponents="pretraind")
    with pytest.raises(OptionError, match="opponents: agent 'exploiter': there is no pretrained network"):
        LearnerEnv(make_game("alles_futsch_v1"), opponents="exploiter")


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (lambda count: np.full(count, 184), "opponent Wrong: action 184 is not legal"),
        (lambda count: np.full(count, -1), "opponent Wrong: action -1 is not legal"),
        (lambda count: np.zeros(count + 1, int), r"opponent Wrong: act_batch gave int64 of shape .* are needed"),
        (lambda count: ["pass"] * count, "opponent Wrong: act_batch gave <U4 of shape"),
    ],
)
def test_a_wrong_action_of_an_agent_is_an_error_that_names_it_and_a_reset_goes_on(actions, message):
    class Wrong(Heuristic):
        wrong = False

        def act_batch(self, observations, action_masks, infos=None):
            return actions(len(observations)) if self.wrong else super().act_batch(observations, action_masks)

    agent = Wrong()
    envs = learner_vec_env(GAME, 4, opponents=agent, seed=1)
    envs.reset()
    agent.wrong = True
    with pytest.raises(IllegalActionError, match=message):
        play_out(envs)
    with pytest.raises(GameOverError, match="call reset first"):
        envs.step(np.zeros(4, int))
    agent.wrong = False
    envs.reset()
    envs.step(envs.action_masks().argmax(axis=1))


def test_attributes_of_single_games_are_those_of_gymnasiums_own_vector_environment():
    envs = LearnerVectorEnv(GAME, 3, render_mode="ansi")
    with pytest.raises(GameOverError, match="seat: the games have not begun; call reset first"):
        envs.get_attr("seat")
    with pytest.raises(GameOverError, match="seat: the games have not begun; call reset first"):
        learner_vec_env(GAME, 3).get_attr("seat")
    with pytest.raises(GameOverError, match="seat: the games have not begun; call reset first"):
        _ = LearnerEnv(GAME).seat
    _, infos = envs.reset(seed=1)
    assert envs.get_attr("seat") == envs.call("seat") == tuple(infos["seat"].tolist())
    assert [row.tolist() for row in envs.call("action_masks")] == infos["action_mask"].astype(bool).tolist()
    assert envs.call("render") == envs.render()
    assert envs.get_attr("render_mode") == ("ansi",) * 3
    with pytest.raises(AttributeError, match="step: a single game has the methods action_masks and render only"):
        envs.call("step", 0)
    with pytest.raises(AttributeError, match="share one batch"):
        envs.set_attr("render_mode", None)
