"""Attempts to look good on the benchmark without being good."""

import numpy as np
import pytest

from tests.commands import invoke, refused, succeeded
from w51_agents.agent.interface import AgentError
from w51_lab.benchmark.entry import About, BenchmarkEntry, Deals, Match, read_entry, write_entry
from w51_lab.benchmark.fresh import check_fresh
from w51_lab.benchmark.leaderboard import Line, exploited_by
from w51_lab.benchmark.lineage import about_of
from w51_lab.benchmark.matches import Ways, is_own
from w51_lab.benchmark.play import attackers_of
from w51_lab.benchmark.protocol import ATTACKER, EVERY, MIMIC, PANEL_FILES, STRANGER, Setting, Track
from w51_lab.benchmark.track_figures import NUM_COLUMNS, WHOLE, packed
from w51_lab.commands.benchmark import app

TRACK = "alles-futsch-2"
COMMIT = "0123456789" * 4  # of the commit that adds the entry
BOTS = Track("small", (Setting("alles_futsch_v1", {"num_players": 2}, ("random",)),), 24, 24)
CONFIG = """\
name: mine
decisions: 1000
game: warehouse51_v1
trainer: selfplay
selfplay: {{start: {start}, games: [{{num_players: 4, num_envs: 8, opponents: {opponents}}}]}}
"""


@pytest.fixture(scope="module")
def heuristic(tmp_path_factory) -> BenchmarkEntry:
    """The entry of a bot against another one, without attacks."""
    folder = tmp_path_factory.mktemp("entry")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EVERY, TRACK, BOTS)
        succeeded(invoke(app, "heuristic", "--quick", "--track", TRACK, "--folder", folder, "--workers", 1))
    return read_entry(folder / "entry.json")


def test_an_agent_that_knows_the_published_deals_is_refused_on_those_of_a_later_commit(
    heuristic, tmp_path, monkeypatch
):
    monkeypatch.setitem(EVERY, TRACK, BOTS)
    path = write_entry(heuristic, tmp_path / "entry.json")
    verify = ("--verify", path, "--leaderboard", tmp_path, "--commit")
    printed, _ = succeeded(invoke(app, *verify, COMMIT))
    assert f"{TRACK}: strength 2.00" in printed
    refused(invoke(app, *verify, "HEAD"), "deals:HASH of a commit")
    [run] = heuristic.runs  # on the deals of the version it plays as the heuristic, on others at random
    knows = heuristic.model_copy(update={"runs": (run.model_copy(update={"agent": "random"}),)})
    with pytest.raises(AgentError, match=r"a strength of [12]\.\d+ on the published deals, but of 1\.00 .* 01234567"):
        check_fresh(knows, COMMIT)


def match(opponent: str, wins: float, files: dict[str, str] | None = None) -> Match:
    """24 deals of four players, in each of which an attacker wins so many of its four games."""
    cells = np.zeros((1, 24, NUM_COLUMNS), np.int32)
    cells[..., 0] = WHOLE * wins
    return Match(
        opponent=opponent,
        deals=Deals(name="deals", count=24, digest="0"),
        files={name: (digest,) for name, digest in (files or {}).items()},
        secret="0" * 64,
        slow=(),
        decisions=1000,
        milliseconds=0.1,
        forfeits=0.0,
        cells=packed(cells),
    )


def test_an_agent_that_notices_a_search_for_responses_hides_from_one_attacker_alone(heuristic):
    ways = Ways("full")
    assert attackers_of("heuristic", "warehouse51-4", ways) == [ATTACKER.format("heuristic"), STRANGER]
    # Code of others could play otherwise in playouts: it is never asked.
    assert attackers_of("tests.lab.benchmark.test_benchmark:Busy", "warehouse51-4", ways) == [STRANGER]
    [run] = heuristic.runs
    [played] = run.tracks[TRACK].settings
    attacks = (match(ATTACKER.format("heuristic"), 1.0), match(STRANGER, 2.0))
    settings = (played.model_copy(update={"players": 4}),)
    track = run.tracks[TRACK].model_copy(update={"attacks": attacks, "settings": settings})
    name, rate = exploited_by(Line(heuristic, [run.model_copy(update={"tracks": {TRACK: track}})], TRACK))
    assert (name, rate.mean) == (STRANGER, 0.5)


def test_the_games_of_an_opponent_of_the_panel_with_itself_count_under_no_name():
    digest = PANEL_FILES["warehouse51_v1"]["pretrained-v2"]
    assert is_own("runs/mine", match("pretrained-v2", 1.0, {"runs/mine": digest, "pretrained-v2": digest}))
    assert is_own("pretrained-v2", match("pretrained-v2", 1.0))
    assert not is_own("runs/mine", match("pretrained-v2", 1.0, {"runs/mine": "0" * 64, "pretrained-v2": digest}))


def test_whom_an_agent_met_is_read_from_what_it_was_trained_with(tmp_path):
    tracks = ["warehouse51-4"]
    assert about_of(About(met=("heuristic",)), {"exploiter": tracks}).met == ("heuristic", "pretrained-v1")
    of_pretrained = about_of(About(), {"pretrained": tracks})
    assert MIMIC in About.model_validate(of_pretrained.model_dump()).met  # a file can have it
    for name, start, opponents in (("first", "null", "pretrained-v2"), ("second", tmp_path / "first", "exploiter")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(CONFIG.format(start=start, opponents=opponents))
    found = about_of(About(), {str(tmp_path / "second"): tracks}).met
    assert found == ("heuristic", "pretrained-v1", "pretrained-v2")
