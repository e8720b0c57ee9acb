"""`human`: the table in a window where there is a display, printed where there is none."""

import gymnasium
import numpy as np
import pytest

from tests.env.pictures.played import views
from w51_env import alles_futsch_v1, warehouse51_v1
from w51_env.adapters.rendering import Renderer
from w51_env.pictures.raster import rgb_array
from w51_env.pictures.window import Screen, has_display

pygame = pytest.importorskip("pygame")
pytest.importorskip("thorvg_python")

ID = "w51_env/Warehouse51-v1"


@pytest.fixture
def screen(monkeypatch):
    """SDL's driver without a screen, which keeps what it would show."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield lambda: pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    pygame.display.quit()


def of_pettingzoo():
    env = alles_futsch_v1.env(num_players=3, render_mode="human")
    env.reset(seed=1)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))  # renders
    return env, Renderer("rgb_array")(env.unwrapped._rendered_view()), "Alles Futsch!"


def of_gymnasium():
    env = gymnasium.make(ID, num_players=3, render_mode="human")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    return env, Renderer("rgb_array")(env.unwrapped._view()), "Warehouse 51"


def of_gymnasiums_wrapper():
    env = gymnasium.wrappers.HumanRendering(gymnasium.make(ID, num_players=3, render_mode="rgb_array"))
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    return env, env.unwrapped.render(), None  # the title is the wrapper's own


@pytest.mark.parametrize("play", [of_pettingzoo, of_gymnasium, of_gymnasiums_wrapper])
def test_the_window_shows_the_table_and_goes_with_the_environment(screen, play):
    env, picture, title = play()
    np.testing.assert_array_equal(screen(), picture)
    assert title is None or pygame.display.get_caption()[0] == title
    env.close()
    assert not pygame.display.get_init()


def test_a_window_of_another_size_shows_the_whole_table(screen):
    render = Renderer("human")
    view = views("warehouse51_v1", 3)[30]
    render(view)
    pygame.display.set_mode((640, 500), pygame.RESIZABLE)  # the picture gets 640 x 360, in the middle
    render(view)
    small = pygame.transform.smoothscale(pygame.surfarray.make_surface(rgb_array(view).swapaxes(0, 1)), (640, 360))
    shown = screen()
    np.testing.assert_array_equal(shown[70:430], pygame.surfarray.array3d(small).swapaxes(0, 1))
    np.testing.assert_array_equal(*np.broadcast_arrays(shown[:70], rgb_array(view)[0, 0]))
    render.close()


def test_a_window_that_its_user_closes_stays_closed(screen, capsys):
    render = Renderer("human")
    views_of_game = views("warehouse51_v1", 3)
    render(views_of_game[0])
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for view in views_of_game[1:4]:
        render(view)
    assert not pygame.display.get_init()
    assert capsys.readouterr().out == ""


def test_without_a_display_the_table_is_printed(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if not has_display():
        Screen(30).show(views("warehouse51_v1", 3)[0])
        assert "Player 0" in capsys.readouterr().out


def test_a_display_that_does_not_answer_is_none(monkeypatch, capsys):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setenv("DISPLAY", ":65000")
    env = warehouse51_v1.env(render_mode="human")
    env.reset(seed=1)
    env.render()
    env.close()
    assert "Player 0" in capsys.readouterr().out
