"""What all ways into a game have in common: bad input is named and changes nothing, results given stay as they were."""

import copy
import pickle
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.env.adapters.playing import learner_vec_env, play_out, snapshot
from tests.env.engine.batches import NO_SEEDS
from w51_env import make_vec, warehouse51, warehouse51_v1
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.engine.errors import GameOverError, IllegalActionError, OptionError

GAME = "warehouse51_v1"
OUTSIDE = (185, -1, -2, 2**40)  # the action space
NO_INTEGERS = (2**70, 1.5, True, np.True_, "pass", None, np.array([1, 2]))


class Way(NamedTuple):
    """One way into a game.

    Attributes:
        make: (arguments) -> the environment.
        reset: (env, seed) -> begins a game.
        step: (env, action) -> plays it, in the last of several games.
        masks: (env) -> the legal actions of each game.
        state: (env) -> all that must not change.
    """

    make: Callable[..., Any]
    reset: Callable[[Any, Any], Any]
    step: Callable[[Any, Any], Any]
    masks: Callable[[Any], np.ndarray]
    state: Callable[[Any], Any]


def seeded_before_reset(env: Any, seed: Any) -> Any:
    env.seed(seed)
    return env.reset()


def seeded_reset(env: Any, seed: Any) -> Any:
    return env.reset(seed=seed)


def step(env: Any, action: Any) -> Any:
    return env.step(action)


def in_last_game(env: Any, action: Any) -> Any:
    actions = env.action_masks().argmax(axis=1)
    actions[-1] = action
    return env.step(actions)


def masks(env: Any) -> np.ndarray:
    return np.atleast_2d(env.action_masks())


def masks_of_agent(env: Any) -> np.ndarray:
    return env.last()[0]["action_mask"][None]


def batch_state(env: Any) -> tuple:
    return env._games.batch.games.tobytes(), env.action_masks().tobytes(), np.array(env.seat).tolist()


LEARNER = {"gymnasium": Way(partial(LearnerEnv, GAME), seeded_reset, step, masks, batch_state)}
AGENTS = {
    "env": Way(warehouse51_v1.env, seeded_reset, step, masks_of_agent, snapshot),
    "raw_env": Way(warehouse51_v1.raw_env, seeded_reset, step, masks_of_agent, snapshot),
}
MANY = {
    "vector": Way(
        lambda num_envs=3, **arguments: LearnerVectorEnv(GAME, num_envs, **arguments),
        *(seeded_reset, in_last_game, masks, batch_state),
    ),
    "sb3": Way(
        lambda num_envs=3, **arguments: learner_vec_env(GAME, num_envs, **arguments),
        *(seeded_before_reset, in_last_game, masks, batch_state),
    ),
}
MAKE_VEC = {"make_vec": Way(partial(make_vec, GAME), *[lambda *_: None] * 4)}  # type: ignore[arg-type]
SINGLE, LEARNERS = {**AGENTS, **LEARNER}, {**LEARNER, **MANY}
WAYS = {**SINGLE, **MANY}


def each(ways: dict[str, Way]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", ways.values(), ids=list(ways))


def in_a_game(way: Way, **arguments: Any) -> Any:
    env = way.make(**arguments)
    way.reset(env, 1)
    for _ in range(5):
        way.step(env, int(way.masks(env)[-1].argmax()))
    return env


def refused(way: Way, env: Any, call: Callable[[], Any], error: type[Exception], message: str) -> None:
    before = way.state(env)
    with pytest.raises(error, match=message):
        call()
    assert way.state(env) == before
    way.step(env, int(way.masks(env)[-1].argmax()))


@each(WAYS)
@pytest.mark.parametrize("seed", NO_SEEDS, ids=str)
def test_what_is_no_seed_is_refused_and_nothing_has_changed(way: Way, seed: Any):
    env = in_a_game(way)
    message = re.escape(f"seed: {seed!r}, but an integer from 0 to 2**64-1 is allowed")
    refused(way, env, lambda: way.reset(env, seed), OptionError, message)


@each(SINGLE)
def test_seeds_may_be_integers_of_any_kind(way: Way):
    states = []
    for seed in (7, np.int8(7), np.uint64(7)):
        way.reset(env := way.make(), seed)
        states.append(way.state(env))
    assert states[0] == states[1] == states[2]


@each(WAYS)
def test_a_seed_names_a_game_and_none_goes_on_to_the_next(way: Way):
    env, twin = way.make(), way.make()
    states = []
    for each_env in (env, twin):
        way.reset(each_env, 11)
        first = way.state(each_env)
        if each_env is env:  # a game given up is an episode, too
            way.step(env, int(way.masks(env)[-1].argmax()))
        each_env.reset()
        states.append((first, way.state(each_env)))
    assert states[0] == states[1]
    assert states[0][0] != states[0][1]


@each(WAYS)
@pytest.mark.parametrize("wrong", OUTSIDE)
def test_an_action_outside_the_action_space_is_refused_and_nothing_has_changed(way: Way, wrong: int):
    env = in_a_game(way, **({} if way is WAYS["env"] else {"illegal_action": "raise"}))
    where = "game 2: " if way in MANY.values() else ""
    refused(way, env, lambda: way.step(env, wrong), IllegalActionError, f"^{where}action {wrong}.*ids go from 0 to 184")


@each(SINGLE)
@pytest.mark.parametrize("wrong", NO_INTEGERS, ids=str)
def test_what_is_no_action_is_refused_and_nothing_has_changed(way: Way, wrong: Any):
    env = in_a_game(way)
    refused(way, env, lambda: way.step(env, wrong), IllegalActionError, "an integer from 0 to 184 is needed")


@each({name: way for name, way in WAYS.items() if name != "env"})
def test_an_illegal_action_is_refused_where_it_is_to_raise_and_nothing_has_changed(way: Way):
    env = in_a_game(way, illegal_action="raise")
    message = r"action 184 .* is not legal for seat .; legal are"
    refused(way, env, lambda: way.step(env, 184), IllegalActionError, message)


SEATS = "learner_seat: {}, but allowed are 'random', 'rotate', 0, 1, 2, 3"


@pytest.mark.parametrize(
    ("ways", "wrong", "message"),
    [
        (WAYS | MAKE_VEC, {"num_players": 2}, "num_players: 2, but allowed are 3, 4, 5"),
        (WAYS | MAKE_VEC, {"preset": "defalt"}, r"preset: 'defalt' is unknown.*did you mean 'default'"),
        (WAYS | MAKE_VEC, {"start_ingot": 5}, "option 'start_ingot' is unknown.*did you mean 'start_ingots'"),
        (WAYS | MAKE_VEC, {"frameskip": 1}, "unexpected keyword argument 'frameskip'"),  # as Python says it
        (WAYS, {"observation_dtype": "float"}, "observation_dtype: 'float', but allowed are 'int8', 'float32'"),
        (WAYS, {"illegal_action": "ignore"}, "illegal_action: 'ignore', but allowed are raise, lose"),
        (WAYS, {"render_mode": "svg"}, "render_mode: 'svg', but allowed are None, .*'rgb_array'"),
        (WAYS, {"language": "xx"}, "language: 'xx'"),
        (AGENTS, {"events": "no"}, "events: 'no', but True or False is needed"),
        (AGENTS, {"render_seat": 4}, "render_seat: 4, but allowed are None, 0, 1, 2, 3"),
        (MAKE_VEC, {"controller": "random"}, "option 'controller' .*Batch itself takes .*did you mean 'controllers'"),
        (LEARNERS, {"opponent": "random"}, "option 'opponent' is unknown.* itself takes .*did you mean 'opponents'"),
        (LEARNERS, {"learner_seat": 4}, SEATS.format(4)),
        (LEARNERS, {"learner_seat": -1}, f"{SEATS.format(-1)}$"),
        (LEARNERS, {"learner_seat": "radnom"}, "learner_seat: 'radnom'.*did you mean 'random'"),
        (
            LEARNERS,
            {"opponents": "heuristc"},
            "opponents: agent 'heuristc' is unknown; known are random, heuristic.*did you mean 'heuristic'",
        ),
        (
            LEARNERS,
            {"opponents": None},
            r"opponents: None has no reset, act_batch, but a bot \(random, heuristic\),",
        ),
        (LEARNERS, {"opponents": ["random", 0, "random"]}, "opponents: 0 has no reset, act_batch, but a bot"),
        (LEARNERS, {"opponents": ["random"]}, "opponents: 1 given, but one for all or one for each of 3 other seats"),
    ],
)
def test_an_argument_that_is_not_allowed_is_named_with_what_is(
    ways: dict[str, Way], wrong: dict[str, Any], message: str
):
    for way in ways.values():
        with pytest.raises(ValueError, match=message) as error:
            way.make(**wrong)
        assert isinstance(error.value, TypeError) or "unexpected keyword" not in message


@each(MANY | MAKE_VEC)
@pytest.mark.parametrize("number", [0, 2.0, True, "2", None])
def test_the_number_of_games_is_a_positive_integer_and_fits_into_memory(way: Way, number: Any):
    with pytest.raises(OptionError, match=f"^num_envs: {number!r}, but a positive integer is needed"):
        way.make(num_envs=number)
    with pytest.raises(OptionError, match=r"1000000000000 games need .* GiB of memory, more than is available"):
        way.make(num_envs=10**12)


@each(WAYS)
def test_before_the_first_reset_there_is_no_game(way: Way):
    env = way.make()
    for call in (lambda: env.step(np.zeros(3, int) if way in MANY.values() else 0), lambda: way.masks(env)):
        with pytest.raises(GameOverError, match=r"call reset first|reset it"):
            call()


@each({name: way for name, way in WAYS.items() if name != "sb3"})
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_in_the_middle_of_a_game_goes_on_alike_and_apart(way: Way, copied: Callable[[Any], Any]):
    env = in_a_game(way, num_players=5)
    twin = copied(env)
    for _ in range(40):
        given = []
        for each_env in (env, twin):
            legal = way.masks(each_env)[-1]
            given.append(repr(way.step(each_env, int(legal.argmax()) if legal.any() else -1)) if legal.any() else "")
        assert given[0] == given[1]
        assert way.state(env) == way.state(twin)
    way.reset(env, None)
    way.reset(twin, None)
    assert way.state(env) == way.state(twin)


def test_a_game_that_is_made_takes_no_more_options():
    with pytest.raises(OptionError, match="options preset: the game warehouse51_v1 is made already"):
        LearnerEnv(warehouse51.make(3), preset="de")


@each({"env": WAYS["env"], "gymnasium": WAYS["gymnasium"]})
def test_a_game_that_is_over_takes_no_action(way: Way):
    env = way.make()
    way.reset(env, 1)
    way.step(env, 184)  # loses
    before = way.state(env)
    for action in (0, 4):
        with pytest.raises(GameOverError, match=f"action {action}, but the game is over"):
            way.step(env, action)
    assert way.state(env) == before
    if way is WAYS["env"]:
        play_out(env)  # None is the only action of each agent, and then there is none
        with pytest.raises(GameOverError, match="the game is over: reset it"):
            env.step(4)
