"""The texts and tables of the report, and what it refuses."""

import pytest

from tests.lab.report.pages import NO_FORFEITS, SECTIONS, invented, written
from w51_env.engine.errors import FileError
from w51_lab.report import page as page_module
from w51_lab.report.figures import marks
from w51_lab.report.page import ReplayLink


@pytest.fixture(scope="module", autouse=True)
def no_pictures():
    """For tests of texts only, as pictures take long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "_draw", lambda summary, folder: {})
        yield


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    seats = ("heuristic", "random", "random", "random")
    file = folder / "replays" / "deal 3"
    replay = ReplayLink(file.with_suffix(".json"), 3, seats, (31, 8, 7, 12), file.with_suffix(".html"))
    return written(invented(), folder, [replay])


def test_the_page_has_the_numbers_with_their_intervals(page):
    assert "heuristic has the highest win rate: 40.0% (95% interval 39.0% to 41.0%)" in page.text
    assert "20.00 (19.80 to 20.20)" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert "+28.0 to +32.0" in page.text  # the pair was random less heuristic; the stronger comes first
    assert "heuristic, 3 \N{MULTIPLICATION SIGN} random" in page.text
    assert "12.5%" in page.text  # a statistic of the game that is a fraction


def test_only_a_table_with_counts_says_per_seat_of_a_game(page):
    assert "Pawns.</b> Per seat of a game.</span>" in page.source
    assert "Bids.</b> </span>" in page.source  # fractions only


def test_the_method_lists_changed_options_deals_seatings_and_the_design_effect(page):
    for words in (
        "pawn_limit = 4",
        "100, seed 7",
        "c0ffee",
        "each rotation of the agents",
        "0.32: these 400 games are worth about 1,250 independent ones",
        "w51_env 1.0, changed since, numpy 2.0",
        "as planned",
    ):
        assert words in page.text
    assert "start_ingots" not in page.text


def test_the_first_failure_of_an_agent_is_shown(page):
    assert "ValueError: <b>no</b>" in page.text
    assert page.source.count("ValueError: &lt;b&gt;no&lt;/b&gt;") == 1


def test_links_to_replays_are_relative_with_the_agents_of_the_seats(page):
    assert "replays/deal%203.json" in page.values("href")
    assert "heuristic: 31" in page.text


def test_beside_the_figures_is_a_game_to_watch_that_each_agent_won(page):
    assert "Watch a game that was won by heuristic." in page.text
    assert "replays/deal%203.html" in page.values("href")


UNKNOWN = {"mean": 0.3, "low": None, "high": None}


@pytest.mark.parametrize(
    ("part", "change", "text"),
    [
        ("", {"stopped": {"deals": 60, "of": 1000, "reason": "decided"}}, "early, after 60 of 1,000 deals: decided"),
        ("", {"game": "somebodys_game_v3"}, "pawn_limit = 4, start_ingots = 10"),  # all options of an unknown game
        ("agents", {"forfeits": NO_FORFEITS}, "No agent forfeited a decision."),
        (
            "pairs",
            {"win_rate": UNKNOWN, "decided": False, "better": None},
            "undecided whether it is better than random",
        ),
    ],
)
def test_the_page_says_what_is_special_about_the_games(part, change, text, tmp_path):
    summary = invented()
    for changed in summary[part] if part else [summary]:
        changed.update(change)
    assert text in written(summary, tmp_path).text


def test_a_section_without_data_is_left_out(tmp_path):
    summary = {**invented(), "behaviour": None}
    page = written(summary, tmp_path)
    assert page.sections == tuple(name for name in SECTIONS if name not in ("behaviour", "replays"))


def test_an_agent_alone_has_a_page(tmp_path):
    assert "1 agent, 4 players" in written(invented(("random",)), tmp_path).text


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_a_folder_that_cannot_be_written_is_refused(kind, tmp_path):
    folder = tmp_path / "here"
    if kind == "a file":
        folder.write_text("")
    with pytest.raises(FileError, match=r"output .*report.html: cannot be written"):
        written(invented(), folder)


def test_thirty_agents_have_different_marks_and_labels():
    long = "runs/" + "w" * 40
    look = marks([f"{long}{number:02d}{long}" for number in range(30)])
    assert len({(mark.colour, mark.marker) for mark in look.values()}) == 30
    assert len({mark.label for mark in look.values()}) == 30
    assert max(len(mark.label) for mark in look.values()) < 32
