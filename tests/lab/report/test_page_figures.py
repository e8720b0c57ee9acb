"""Whole reports with their figures: complete, safe for any name of an agent, and the same bytes each time."""

import re
from typing import Any

import pytest
from matplotlib.image import imread

from tests.lab.behaviour.behaviour_matches import recorded_bots
from tests.lab.report.pages import SECTIONS, around, invented, written
from w51_env.engine.registry import make_game
from w51_lab.behaviour.summary import AgentBehaviour, summarise_behaviour
from w51_lab.report import page as page_module

pytestmark = pytest.mark.slow

PICTURES = {"win_rate", "score_rank", "ratings", "pairs", "meta_game", "seats", "prices", "money", "points", "habits"}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "$\\frac{1}{2}$ & co",
    "a\x00\x1b[31m\nb",
    "倉庫",
)


@pytest.fixture
def no_pngs(monkeypatch):
    """For tests of the page that need no layout of the figures."""
    monkeypatch.setattr(page_module, "freeze_layout", lambda figure: figure.set_layout_engine("none"))
    monkeypatch.setattr(page_module, "write_figure", lambda figure, path: None)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    return folder, written(invented(), folder)


def test_a_full_summary_gives_every_section_and_every_picture(full):
    folder, page = full
    assert page.sections == tuple(name for name in SECTIONS if name != "replays")
    figures = {f"{name}.{kind}" for name in PICTURES for kind in ("png", "pdf")}
    assert {path.name for path in folder.iterdir()} == {"report.html", *figures}
    assert page.tags["svg"] == page.tags["figure"] == len(PICTURES)
    assert figures <= set(page.values("href"))


def test_a_panel_has_a_section_with_its_populations(tmp_path):
    summary = invented(("hero", *HOSTILE))
    summary["panel"] = {"agent": "hero", **_directions(), "half": around(0.3, 0.01), "members": []}
    for place, name in enumerate(HOSTILE):
        populations = [
            {"seats": seats, "win_rate": around(0.5 - seats / 9, 0.02), "member_win_rate": around(seats / 9, 0.03)}
            for seats in (1, 2, 3)
        ]
        verdicts = {"invades": [True, False, None][place % 3], "resists": [None, True, False][place % 3]}
        member = {"name": name, **_directions(), "half": None, **verdicts, "populations": populations}
        summary["panel"]["members"].append(member)
    page = written(summary, tmp_path)
    assert "panel" in page.sections
    assert {"populations.png", "populations.pdf"} <= set(page.values("href"))
    assert imread(tmp_path / "populations.png").shape[0] > 300
    assert "It invades a population if it wins more than the equal share (25.0%) alone" in page.text
    assert page.tags["script"] == 0


def _directions() -> dict[str, Any]:
    return {key: around(0.4, 0.02) for key in ("invasion", "resistance", "strength")}


@pytest.mark.usefixtures("no_pngs")
def test_ratings_and_equilibria_may_be_absent(tmp_path):
    summary = invented()
    for agent in summary["agents"]:
        for key in ("elo", "rating", "nash", "nash_skill", "alpha_rank"):
            agent[key] = None
    page = written(summary, tmp_path)
    assert "meta-game" not in page.sections
    assert "Elo" not in page.text
    assert not {"ratings.png", "meta_game.png"} & set(page.values("href"))


@pytest.mark.usefixtures("no_pngs")
def test_an_undecided_difference_is_in_brackets(tmp_path):
    summary = invented()
    summary["pairs"][0].update(decided=False, better=None)
    assert "(+30)" in written(summary, tmp_path).text


@pytest.mark.usefixtures("no_pngs")
def test_names_are_shown_literally(tmp_path, full):
    page = written(invented(HOSTILE), tmp_path)
    assert page.tags["script"] == page.tags["img"] == 0
    assert set(page.tags) <= set(full[1].tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    for name in (*HOSTILE[:4], HOSTILE[5]):
        assert name in page.text
    assert "49" not in re.findall(r"\b49\b", page.text)


def test_nothing_is_loaded_from_anywhere(full):
    _, page = full
    assert not re.search("https?://", page.source)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert "src" not in {name for _, name, _ in page.attributes}
    assert all(re.fullmatch(r"#[\w-]+|[\w%/.-]+", link) for link in page.values("href"))
    assert not re.search(r"@import|url\((?!#)", page.source)


def test_ids_are_unique_and_references_are_resolved(full):
    _, page = full
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    references = [link[1:] for link in page.values("href") if link.startswith("#")] + re.findall(
        r"url\(#([^)]+)\)", page.source
    )
    assert set(references) <= set(ids)
    assert {word for value in page.values("aria-labelledby") for word in value.split()} <= set(ids)


def test_every_picture_has_a_text_for_readers_who_do_not_see_it(full):
    _, page = full
    described = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(described) == len(PICTURES)
    assert (
        "Win rates of 2 agents, from heuristic with 40.0% to random with 10.0%; the equal share is 25.0%." in described
    )


def test_text_of_figures_has_the_colours_of_the_page_for_the_dark_theme(full):
    _, page = full
    figures = re.findall(r"<svg.*?</svg>", page.source, re.DOTALL)
    assert not any("#1d2126" in figure or "#000000" in figure for figure in figures)
    assert {"prefers-color-scheme: dark", "@media print"} <= set(
        re.findall(r"prefers-color-scheme: dark|@media print", page.source)
    )


def test_the_same_summary_gives_the_same_bytes(tmp_path, full):
    folder, _ = full
    written(invented(), tmp_path)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_pictures_have_the_width_of_a_column_or_a_page(full):
    folder, _ = full
    for path in folder.glob("*.png"):
        assert imread(path).shape[1] in (990, 2040), path.name  # 3.3 and 6.8 inches at 300 dots


@pytest.mark.usefixtures("no_pngs")
def test_thirty_agents_fit(tmp_path):
    names = tuple(f"runs/warehouse51_selfplay_standard-{number}/checkpoint.safetensors" for number in range(30))
    page = written(invented(names), tmp_path)
    assert page.sections == tuple(name for name in SECTIONS if name != "replays")
    assert page.tags["details"] == 2  # pairs and matches, which are long
    assert all(name in page.text for name in names)
    assert len(page.source) < 2_000_000


@pytest.mark.usefixtures("no_pngs")
@pytest.mark.parametrize(("game", "word"), [("warehouse51_v1", "counterfeits bought"), ("alles_futsch_v1", "objects")])
def test_behaviour_of_real_games_is_drawn(game, word, tmp_path):
    made, bots = make_game(game, num_players=4), ("heuristic", "random")
    behaviour = summarise_behaviour(made, bots, [recorded_bots(made, 2 * bots, 20)[1]])
    summary = {**invented(), "behaviour": behaviour.model_dump(), "game": game}
    page = written(summary, tmp_path)
    assert {f"{name}.png" for name in ("prices", "money", "points", "habits")} <= set(page.values("href"))
    assert word in page.text


@pytest.mark.usefixtures("no_pngs")
def test_points_have_the_unit_of_the_game(tmp_path):
    summary = invented()
    assert "Mean points of a seat by source" in written(summary, tmp_path).text
    summary["behaviour"].update(money="thousands", point_price=1)
    assert "Mean thousands of a seat by source" in written(summary, tmp_path).text


@pytest.mark.usefixtures("no_pngs")
def test_lots_that_few_games_have_are_not_in_the_figure_of_money(tmp_path):
    from w51_lab.report.behaviour_figures import _lasting

    agent = {**invented()["behaviour"]["agents"][0], "money_by_lot": [10.0, 8.0, 30.0, None]}
    money = _lasting(AgentBehaviour.model_validate({**agent, "games_by_lot": [1.0, 0.2, 0.19, None]}))
    assert money[:2] == [10.0, 8.0]
    assert all(value != value for value in money[2:])
