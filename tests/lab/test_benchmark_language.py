"""The benchmark's track for language models, with a stub of a server in place of a model."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("openai", reason="needs the extra 'llm'")

from tests.agents.chat_servers import first_legal, serving
from tests.commands import invoke, succeeded
from w51_agents.agent.interface import AgentError
from w51_agents.language.prompts import PROMPTS
from w51_lab.benchmark.entry import BenchmarkEntry, TrackEntry, read_entry
from w51_lab.benchmark.play import figures_of, tracks_for
from w51_lab.benchmark.protocol import EVERY, LANGUAGE, Setting, Track
from w51_lab.benchmark.results import NUM_COLUMNS, packed, unpacked
from w51_lab.benchmark.verify import verify
from w51_lab.commands.benchmark import app

PRICES = "input_price=3,output_price=15"  # for a million tokens


@pytest.fixture(autouse=True)
def small_track(monkeypatch) -> None:
    """The mini game in place of the whole one: 12 games."""
    setting = Setting("warehouse51_v1", {"num_players": 3, "preset": "mini"}, ("random",))
    monkeypatch.setitem(EVERY, LANGUAGE, Track(EVERY[LANGUAGE].title, (setting,), 2, 2))


def test_the_entry_of_a_language_model_has_model_prompts_tokens_cost_and_invalid_answers(tmp_path):
    def answer(messages, number):
        return "hm" if number % 10 == 0 else f"[{first_legal(messages[1]['content'])}]"

    with serving(answer) as stub:
        model = f"{stub.name},{PRICES}"
        printed, errors = succeeded(invoke(app, model, "--name", "stub", "--workers", "1", "--folder", tmp_path))
        entry, asked = read_entry(tmp_path / "entry.json"), len(stub.requests)
    assert re.search(r"about \d+ decisions; with [0-9,]+ tokens read and 300 written for each, .* a cost of", errors)
    run = entry.runs[0]
    assert (list(run.tracks), run.exact, entry.size) == ([LANGUAGE], {}, "full")
    match = run.tracks[LANGUAGE].settings[0].matches[0]
    assert (match.model["model"], match.model["prompts"]) == ("stub", PROMPTS)
    assert match.usage["questions"] == asked > 50
    assert (match.usage["input_tokens"], match.usage["output_tokens"]) == (100 * asked, 10 * asked)
    assert match.usage["cost"] == pytest.approx(asked * (100 * 3 + 10 * 15) / 1e6)
    assert match.decisions == asked - asked // 10  # each bad answer was followed by a good one
    assert match.forfeits == 0
    invalid = asked // 10 / asked
    row = f"| stub, {PROMPTS} | {asked:,} | {110 * asked:,} | {match.usage['cost']:.2f} | {invalid:.1%} | 0.0% |"
    assert row in printed
    assert verify(entry, 1, allowed=[run.agent]).cells == 0  # no question is asked again
    assert len(stub.requests) == asked


def test_a_bot_in_the_track_of_language_models_is_played_again(tmp_path):
    succeeded(invoke(app, "random", "--quick", "--track", LANGUAGE, "--folder", tmp_path))
    entry = read_entry(tmp_path / "entry.json")
    assert verify(entry, 0.02).cells == 4
    data = json.loads(entry.model_dump_json())
    track = data["runs"][0]["tracks"][LANGUAGE]
    match = track["settings"][0]["matches"][0]
    match["cells"] = packed(unpacked(match["cells"], 3, 2) + 60 * np.eye(1, NUM_COLUMNS, dtype=np.int32))
    track["figures"] = figures_of(TrackEntry.model_validate(track).settings)
    with pytest.raises(AgentError, match="2 of 2 deals of a line-up end otherwise here"):
        verify(BenchmarkEntry.model_validate(data), 0.02)


def test_a_language_model_plays_no_track_whose_games_are_played_again():
    with pytest.raises(AgentError, match=r"track: 'held-out', but llm:cat is a language model, for language-models"):
        tracks_for("llm:cat", [LANGUAGE, "held-out"])


def test_a_model_that_never_answers_well_forfeits_and_its_entry_says_so(tmp_path):
    with serving(lambda messages, number: "hm") as stub:
        model = f"{stub.name},max_forfeits=1"
        printed, _ = succeeded(invoke(app, model, "--name", "stub", "--workers", "1", "--folder", tmp_path))
        asked = len(stub.requests)
    assert f"| {asked:,} | {110 * asked:,} | 0.00 | 100.0% | 100.0% |" in printed
