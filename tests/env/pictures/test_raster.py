"""Pictures as pixels, and the render modes of every interface, used by other libraries' own wrappers."""

from itertools import pairwise

import gymnasium
import numpy as np
import pytest

from tests.env.pictures.played import THIRD, views
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.pictures import raster
from w51_env.pictures.paint import DARK, PAINT
from w51_env.pictures.raster import rgb_array

pytest.importorskip("thorvg_python")

SHAPE = (720, 1280, 3)
ID = "w51_env/Warehouse51-v1"


def colour(code: str) -> list[int]:
    return list(bytes.fromhex(code[1:]))


def test_pixels_are_those_of_the_picture():
    view = views("warehouse51_v1", 4)[30]
    image = rgb_array(view, theme="dark")
    assert (image.shape, image.dtype) == (SHAPE, np.uint8)
    assert image[719, 0].tolist() == colour(DARK.floor)
    assert (image.reshape(-1, 3) == colour(PAINT["gold"])).all(axis=1).sum() > 100  # ingots
    assert rgb_array(view, form="narrow").shape[1] == 400


def test_text_is_drawn_where_it_begins_ends_or_has_its_middle():
    svg = "".join(
        f'<text x="100" y="{y}" font-size="20" fill="#000000" text-anchor="{anchor}">Warehouse</text>'
        for y, anchor in ((40, "start"), (80, "middle"), (120, "end"))
    )
    image = raster._rasterise(svg, 200, 140, "#ffffff").min(axis=2) < 128
    columns = [np.flatnonzero(image[y - 20 : y + 6].any(axis=0)) for y in (40, 80, 120)]
    assert [index.size > 0 for index in columns] == [True] * 3
    assert columns[0].min() >= 100
    assert columns[2].max() <= 100
    assert abs(columns[1].min() + columns[1].max() - 200) <= 3


def test_kept_blocks_give_the_same_pixels_as_new_ones():
    pictures = views("alles_futsch_v1", 3)[:6]
    first = [rgb_array(view).copy() for view in pictures]
    for view, image in zip(pictures, first, strict=True):
        raster._rasterise.cache_clear()
        np.testing.assert_array_equal(rgb_array(view), image)
    assert any((one != other).any() for one, other in pairwise(first))


def test_a_picture_is_the_callers_own():
    view = views("warehouse51_v1", 3)[0]
    image = rgb_array(view)
    image[:] = 0
    assert rgb_array(view).any()


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1", THIRD])
def test_every_interface_renders_pixels_of_one_size(game):
    env = TurnBasedEnv(game, render_mode="rgb_array")
    env.reset(seed=1)
    learner = LearnerEnv(game, render_mode="rgb_array")
    learner.reset(seed=1)
    envs = LearnerVectorEnv(game, 2, render_mode="rgb_array")
    envs.reset(seed=1)
    images = [env.render(), learner.render(), *envs.render()]
    assert [(image.shape, image.dtype) for image in images] == [(SHAPE, np.uint8)] * 4
    assert all(entry.metadata["render_fps"] == 2 for entry in (env, learner, envs))


def test_stable_baselines_gets_the_pictures_of_all_games_and_of_each():
    pytest.importorskip("stable_baselines3")
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv

    envs = LearnerVecEnv("alles_futsch_v1", 2, seed=1, render_mode="rgb_array")
    envs.reset()
    assert [image.shape for image in envs.get_images()] == [SHAPE] * 2
    assert envs.render().shape == (1440, 1280, 3)
    assert envs.metadata["render_fps"] == 2
    german = LearnerVecEnv("alles_futsch_v1", 1, seed=1, render_mode="rgb_array", language="de")
    german.reset()
    assert (german.get_images()[0] != envs.get_images()[0]).any()


def test_a_learner_sees_its_own_place_along_the_bottom_and_the_news():
    env = LearnerEnv("alles_futsch_v1", render_mode="rgb_array", learner_seat=1)
    _, info = env.reset(seed=3)
    before = env.render()
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert (env.render() != before).any()


@pytest.mark.filterwarnings("ignore")  # MoviePy's own
def test_gymnasium_records_videos_of_one_game_and_of_several(tmp_path):
    pytest.importorskip("moviepy")
    env = gymnasium.wrappers.RecordVideo(gymnasium.make(ID, render_mode="rgb_array"), str(tmp_path / "one"))
    _, info = env.reset(seed=1)
    for _ in range(4):
        _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    env.close()
    envs = gymnasium.wrappers.vector.RecordVideo(
        LearnerVectorEnv("warehouse51_v1", 2, render_mode="rgb_array"), str(tmp_path / "two"), video_length=3
    )
    envs.reset(seed=1)
    for _ in range(4):
        envs.step(envs.unwrapped.action_masks().argmax(axis=1))
    envs.close()
    for folder in ("one", "two"):
        assert any(file.stat().st_size > 10_000 for file in (tmp_path / folder).glob("*.mp4"))
