"""The report of a tournament: complete, safe for any name of an agent, and the same bytes each time."""

import copy
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra 'arena'")
pytest.importorskip("jinja2", reason="needs the extra 'arena'")

from matplotlib.image import imread

from agents.agent import AgentError
from arena.behaviour import BehaviourRecorder, summarise_behaviour
from arena.page import report
from arena.page.figures import marks
from arena.page.report import ReplayLink, write_page
from w51_env.core.batch import Batch
from w51_env.core.registry import make_game

pytestmark = pytest.mark.slow

SECTIONS = ("standings", "pairs", "meta-game", "seats", "behaviour", "matches", "replays", "forfeits", "method")
PICTURES = {"win_rate", "score_rank", "ratings", "pairs", "meta_game", "seats", "prices", "money", "points", "habits"}
BASICS = ("schema", "game", "players", "games", "equal_share", "confidence", "agents")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "$\\frac{1}{2}$ & co",
    "a\x00\x1b[31m\nb",
    "倉庫",
)


class Page(HTMLParser):
    """A parsed page: tags, the values of attributes, and the text."""

    def __init__(self, path: Path):
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, key, value in self.attributes if key == name]

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(value for tag, key, value in self.attributes if (tag, key) == ("section", "id"))


def around(mean: float, reach: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - reach, "high": mean + reach}


def invented(names: tuple[str, ...] = ("heuristic", "random"), players: int = 4) -> dict[str, Any]:
    """A complete summary of invented numbers; the first agent is the strongest."""
    shares = np.linspace(0.4, 0.1, len(names)).tolist()
    agents = [
        {
            "name": name,
            "seats": 3,
            "games": 2400,
            "win_rate": around(share, 0.01),
            "score": around(50 * share, 0.2),
            "rank": around(3.5 - 4 * share, 0.05),
            "rating": {"mu": 20 + 20 * share, "sigma": 0.9},
            "elo": around(1300 + 800 * share, 20),
            "nash": float(place == 0),
            "nash_skill": share - shares[0],
            "alpha_rank": float(place == 0),
            "forfeits": {
                "errors": place,
                "illegal": 0,
                "late": 0,
                "skipped": 0,
                "first": "ValueError: <b>no</b>" if place else None,
            },
            "decisions": 10000,
            "seconds_per_decision": 1.5e-5,
        }
        for place, (name, share) in enumerate(zip(names, shares, strict=True))
    ]
    pairs = [
        {
            "first": names[j],
            "second": names[i],
            "win_rate": around(shares[j] - shares[i], 0.02),
            "decided": True,
            "better": names[i],
        }
        for i, j in combinations(range(len(names)), 2)
    ]
    matches = [
        {
            "lineup": [a["name"], *[b["name"]] * (players - 1)],
            "agents": [{key: x[key] for key in ("name", "win_rate", "score", "rank")} for x in (a, b)],
        }
        for a, b in combinations(agents, 2)
    ]
    return {
        "schema": 1,
        "game": "warehouse51_v0",
        "options": {"num_players": players, "pawn_limit": 4, "start_ingots": 10},
        "players": players,
        "versions": {"w51_env": "1.0", "changed_since": True, "numpy": "2.0"},
        "deals": {"name": "seed 7", "count": 100, "digest": "c0ffee"},
        "seatings": "rotations",
        "games": 400 * len(matches),
        "seconds": 1.5,
        "equal_share": 1 / players,
        "confidence": 0.95,
        "agents": agents,
        "pairs": pairs,
        "payoffs": {"agents": list(names), "table": [[None if a == b else a - b for b in shares] for a in shares]},
        "design_effect": {"win_rate": 0.32},
        "stopped": None,
        "seats": [[share + 0.01 * seat for seat in range(players)] for share in shares],
        "matches": matches,
        "behaviour": {
            "money": "ingots",
            "point_price": 5,
            "colours": {"blue": "#3b86c0"},
            "statistics": [
                {
                    "group": "pawns",
                    "name": "redeemed",
                    "meaning": "relics",
                    "panel": "relics pawned",
                    "fraction": False,
                },
                {"group": "pawns", "name": "lost", "meaning": "relics", "panel": "relics pawned", "fraction": False},
                {"group": "bids", "name": "won", "meaning": "fraction of bids", "panel": "", "fraction": True},
            ],
            "agents": [
                {
                    "name": name,
                    "games": 100,
                    "bought": 2.5,
                    "price": 6.0,
                    "worth": 2.0,
                    "price_less_worth": -0.8,
                    "prices": [
                        {
                            "category": "blue",
                            "value": 1,
                            "bought": 2.5,
                            "price": 6.0,
                            "worth": 2.0,
                            "price_less_worth": -0.8,
                        }
                    ],
                    "money_by_lot": [10.0, 12.0, None],
                    "points": {"ingots": 4.0, "blue": 7.5},
                    "pawns": {"redeemed": 0.3, "lost": 0.2},
                    "bids": {"won": 0.125},
                }
                for name in names
            ],
        },
    }


def played(game_id: str, names: tuple[str, str], games: int = 20) -> dict[str, Any]:
    """The recorded behaviour of two bots in a few games."""
    game = make_game(game_id, num_players=4)
    seats = np.array([0, 1, 0, 1])
    batch = Batch(game, games, controllers=[names[agent] for agent in seats], autoreset="disabled", events=True)
    recorder = BehaviourRecorder(game)
    batch.reset(seed=1)
    recorder.read(batch)
    return summarise_behaviour(game, names, recorder.tables(batch, np.arange(games), 0, np.tile(seats, (games, 1))))


def replays_in(folder: Path) -> list[ReplayLink]:
    return [
        ReplayLink(folder / "replays" / "deal 3.json", 3, ("heuristic", "random", "random", "random"), (31, 8, 7, 12))
    ]


@pytest.fixture
def no_pictures(monkeypatch):
    """For tests of texts only, as pictures take long."""
    monkeypatch.setattr(report, "_draw", lambda summary, folder: {})


@pytest.fixture
def no_pngs(monkeypatch):
    """For tests of the page that need no layout of the figures."""
    monkeypatch.setattr(report, "freeze_layout", lambda figure: figure.set_layout_engine("none"))
    monkeypatch.setattr(report, "write_png", lambda figure, path: None)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    return folder, Page(write_page(invented(), folder, replays_in(folder)))


def test_a_full_summary_gives_every_section_and_every_picture(full):
    folder, page = full
    assert page.sections == SECTIONS
    assert {path.stem for path in folder.glob("*.png")} == PICTURES
    assert page.tags["svg"] == page.tags["figure"] == len(PICTURES)
    assert all(f"{name}.png" in page.values("href") for name in PICTURES)


def test_the_folder_contains_only_the_page_and_its_pictures(full):
    folder, _ = full
    assert {path.name for path in folder.iterdir()} == {"report.html", *(f"{name}.png" for name in PICTURES)}


def test_the_page_has_the_numbers_with_their_intervals(full):
    _, page = full
    assert "heuristic has the highest win rate: 40.0% (95% interval 39.0% to 41.0%)" in page.text
    assert "20.00 ± 0.20" in page.text
    assert "+28.0 to +32.0" in page.text  # the pair was random less heuristic; the stronger comes first
    assert "heuristic, 3 \N{MULTIPLICATION SIGN} random" in page.text
    assert "12.5%" in page.text  # a statistic of the game that is a fraction


def test_the_method_lists_changed_options_deals_seatings_and_the_design_effect(full):
    _, page = full
    for words in (
        "pawn_limit = 4",
        "100, seed 7",
        "c0ffee",
        "each rotation of the agents",
        "3.1 times as many independent games",
        "w51_env 1.0, changed since, numpy 2.0",
        "as planned",
    ):
        assert words in page.text
    assert "start_ingots" not in page.text


@pytest.mark.usefixtures("no_pictures")
def test_the_page_says_that_play_was_stopped_early(tmp_path):
    stopped = {**invented(), "stopped": {"deals": 60, "of": 1000, "reason": "decided"}}
    assert "early, after 60 of 1,000 deals: decided" in Page(write_page(stopped, tmp_path)).text


@pytest.mark.usefixtures("no_pictures")
def test_all_options_of_an_unknown_game_are_listed(tmp_path):
    page = Page(write_page({**invented(), "game": "somebodys_game_v3"}, tmp_path))
    assert "pawn_limit = 4, start_ingots = 10" in page.text


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("key", "section"),
    [("pairs", "pairs"), ("seats", "seats"), ("matches", "matches"), ("behaviour", "behaviour"), ("payoffs", "pairs")],
)
def test_a_section_without_data_is_left_out(key, section, tmp_path):
    summary = invented()
    del summary[key]
    if section == "pairs":
        summary.pop("pairs", None)
        summary.pop("payoffs", None)
    page = Page(write_page(summary, tmp_path))
    assert page.sections == tuple(name for name in SECTIONS if name not in (section, "replays"))


def test_the_basics_alone_give_a_page(tmp_path):
    summary = {key: value for key, value in invented().items() if key in BASICS}
    summary["agents"] = [
        {"name": agent["name"], "win_rate": {"mean": agent["win_rate"]["mean"]}} for agent in summary["agents"]
    ]
    page = Page(write_page(summary, tmp_path))
    assert page.sections == ("standings", "method")
    assert [path.name for path in tmp_path.glob("*.png")] == ["win_rate.png"]
    assert not re.search("nan|None", page.text)


@pytest.mark.usefixtures("no_pngs")
def test_ratings_and_equilibria_may_each_be_absent(tmp_path):
    summary = invented()
    for key in ("behaviour", "seats", "pairs"):
        del summary[key]
    for agent in summary["agents"]:
        for key in ("elo", "nash", "nash_skill", "rank"):
            del agent[key]
    page = Page(write_page(summary, tmp_path))
    assert "meta-game" in page.sections
    assert "Elo" not in page.text


@pytest.mark.usefixtures("no_pictures")
def test_a_sentence_says_that_nobody_forfeited(tmp_path):
    summary = invented()
    for agent in summary["agents"]:
        agent["forfeits"] = {"errors": 0, "illegal": 0, "late": 0, "first": None}
    assert "No agent forfeited a decision." in Page(write_page(summary, tmp_path)).text


def test_the_first_failure_of_an_agent_is_shown(full):
    _, page = full
    assert "ValueError: <b>no</b>" in page.text
    assert page.source.count("ValueError: &lt;b&gt;no&lt;/b&gt;") == 1


@pytest.mark.usefixtures("no_pngs")
def test_an_undecided_pair_is_called_undecided(tmp_path):
    summary = invented()
    summary["pairs"][0].update(decided=False, better=None)
    del summary["behaviour"]
    page = Page(write_page(summary, tmp_path))
    assert "It is undecided whether it is better than random." in page.text
    assert "(+30)" in page.text


@pytest.mark.parametrize("key", BASICS)
def test_a_summary_without_a_basic_is_refused_by_its_name(key, tmp_path):
    summary = invented()
    del summary[key]
    with pytest.raises(AgentError, match=f"summary: {key}"):
        write_page(summary, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_agent_without_a_win_rate_is_refused(tmp_path):
    summary = invented()
    summary["agents"][1]["win_rate"] = None
    with pytest.raises(AgentError, match="agent 'random', but a name and a win rate are needed"):
        write_page(summary, tmp_path)


@pytest.mark.usefixtures("no_pngs")
def test_names_are_shown_literally(tmp_path, full):
    page = Page(write_page(invented(HOSTILE), tmp_path))
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
    write_page(copy.deepcopy(invented()), tmp_path, replays_in(tmp_path))
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_pictures_have_the_width_of_a_column_or_a_page(full):
    folder, _ = full
    for path in folder.glob("*.png"):
        assert imread(path).shape[1] in (990, 2040), path.name  # 3.3 and 6.8 inches at 300 dots


def test_links_to_replays_are_relative_with_the_agents_of_the_seats(full):
    _, page = full
    assert "replays/deal%203.json" in page.values("href")
    assert "heuristic: 31" in page.text


def test_a_replay_elsewhere_is_refused(tmp_path):
    link = ReplayLink(tmp_path.parent / "game.json", 0, ("random",), (1,))
    with pytest.raises(AgentError, match=r"replay .*game.json: not in the folder of the report"):
        write_page(invented(), tmp_path, [link])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_a_folder_that_cannot_be_written_is_refused(kind, tmp_path):
    folder = tmp_path / "here"
    if kind == "a file":
        folder.write_text("")
    with pytest.raises(AgentError, match=r"output .*report.html: cannot be written"):
        write_page(invented(), folder)


@pytest.mark.usefixtures("no_pngs")
def test_thirty_agents_fit(tmp_path):
    names = tuple(f"runs/warehouse51_selfplay_standard-{number}/checkpoint.safetensors" for number in range(30))
    page = Page(write_page(invented(names), tmp_path))
    assert page.sections == tuple(name for name in SECTIONS if name != "replays")
    assert page.tags["details"] == 2  # pairs and matches, which are long
    assert all(name in page.text for name in names)
    assert len(page.source) < 2_000_000


def test_thirty_agents_have_different_marks_and_labels():
    long = "runs/" + "w" * 40
    look = marks([f"{long}{number:02d}{long}" for number in range(30)])
    assert len({(mark.colour, mark.marker) for mark in look.values()}) == 30
    assert len({mark.label for mark in look.values()}) == 30
    assert max(len(mark.label) for mark in look.values()) < 32


@pytest.mark.usefixtures("no_pngs")
def test_a_pair_without_an_interval_is_undecided(tmp_path):
    summary = {key: value for key, value in invented().items() if key in (*BASICS, "pairs")}
    summary["pairs"][0].update(win_rate={"mean": 0.3, "low": None, "high": None}, decided=None, better=None)
    assert "It is undecided" in Page(write_page(summary, tmp_path)).text


@pytest.mark.usefixtures("no_pngs")
def test_an_agent_alone_has_a_page(tmp_path):
    summary = {key: value for key, value in invented(("random",)).items() if key not in ("behaviour", "pairs", "seats")}
    assert "1 agent, 4 players" in Page(write_page(summary, tmp_path)).text


@pytest.mark.usefixtures("no_pngs")
@pytest.mark.parametrize(("game", "word"), [("warehouse51_v0", "counterfeits bought"), ("alles_futsch_v0", "objects")])
def test_behaviour_of_real_games_is_drawn(game, word, tmp_path):
    summary = {key: value for key, value in invented().items() if key in BASICS}
    summary["behaviour"] = played(game, ("heuristic", "random"))
    page = Page(write_page({**summary, "game": game}, tmp_path))
    assert {f"{name}.png" for name in ("prices", "money", "points", "habits")} <= set(page.values("href"))
    assert word in page.text
