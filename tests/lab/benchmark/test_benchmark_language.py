"""The benchmark's track for language models, with a stub of a server in place of a model."""

import json
import re
from copy import deepcopy

import numpy as np
import pytest

pytest.importorskip("openai", reason="needs the extra 'llm'")

from tests.agents.chat_servers import chooses_first, first_legal, serving
from tests.commands import invoke, succeeded
from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import SPENT
from w51_agents.language.prompts import PROMPTS
from w51_lab.benchmark.entry import BenchmarkEntry, TrackEntry, read_entry
from w51_lab.benchmark.matches import figures_of
from w51_lab.benchmark.play import tracks_for
from w51_lab.benchmark.protocol import EVERY, LANGUAGE, Setting, Track
from w51_lab.benchmark.sizes import check_chosen
from w51_lab.benchmark.track_figures import NUM_COLUMNS, packed, unpacked
from w51_lab.benchmark.verify import verify
from w51_lab.benchmark.whole import check_whole
from w51_lab.commands.benchmark import app

SMALL = Track("small", (Setting("warehouse51_v1", {"num_players": 3, "preset": "mini"}, ("random",)),), 2, 2)
PRICES = "input_price=3,output_price=15"  # for a million tokens


@pytest.fixture(autouse=True)
def small_track(monkeypatch) -> None:
    """The mini game in place of the whole one: 12 games."""
    monkeypatch.setitem(EVERY, LANGUAGE, SMALL)


def test_the_entry_of_a_language_model_has_model_prompts_tokens_cost_and_invalid_answers(tmp_path):
    def answer(messages, number):
        return "hm" if number % 10 == 0 else f"[{first_legal(messages[1]['content'])}]"

    with serving(answer) as stub:
        model = f"{stub.name},{PRICES}"
        printed, errors = succeeded(invoke(app, model, "--name", "stub", "--workers", "1", "--folder", tmp_path))
        entry, asked = read_entry(tmp_path / "entry.json"), len(stub.requests)
    assert re.search(r"about \d+ decisions; with [0-9,]+ tokens read and 300 written for each, .* a cost of", errors)
    run = entry.runs[0]
    assert (list(run.tracks), run.exact, entry.size) == ([LANGUAGE], {}, "twelfth")
    match = run.tracks[LANGUAGE].settings[0].matches[0]
    assert (match.model["model"], match.model["prompts"]) == ("stub", PROMPTS)
    assert match.usage["questions"] == asked > 50
    assert (match.usage["input_tokens"], match.usage["output_tokens"]) == (100 * asked, 10 * asked)
    assert match.usage["cost"] == pytest.approx(asked * (100 * 3 + 10 * 15) / 1e6)
    assert match.decisions == asked - asked // 10  # each bad answer was followed by a good one
    assert match.forfeits == 0
    invalid = asked // 10 / asked
    row = f"| stub, {PROMPTS} | {asked:,} | {110 * asked:,} | {match.usage['cost']:.2f} | {invalid:.1%} |"
    assert row in printed
    assert verify(entry, 1, allowed=[run.agent]).cells == 0  # no question is asked again
    assert len(stub.requests) == asked


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The data of the entry of a model that says what it takes, and a function that changes its only match."""
    folder = tmp_path_factory.mktemp("asked")
    with pytest.MonkeyPatch.context() as patch, serving(chooses_first) as stub:
        patch.setitem(EVERY, LANGUAGE, SMALL)
        succeeded(invoke(app, f"{stub.name},{PRICES}", "--name", "stub", "--workers", "1", "--folder", folder))
        data = json.loads((folder / "entry.json").read_text())
        check_whole(BenchmarkEntry.model_validate(data))

    def changed(change) -> BenchmarkEntry:
        entry = deepcopy(data)
        track = entry["runs"][0]["tracks"][LANGUAGE]
        change(track["settings"][0]["matches"][0])
        track["figures"] = figures_of("stub", LANGUAGE, TrackEntry.model_validate(track).settings).model_dump()
        return BenchmarkEntry.model_validate(entry)

    return changed


def wins_all(match: dict) -> None:
    """Every game is won, with fewer points than the opponents have."""
    cells = unpacked(match["cells"], 2, 2).copy()
    cells[:, :, 0] = 180
    cells[:, :, 1], cells[:, :, 2] = np.minimum(cells[:, :, 1], 9), np.maximum(cells[:, :, 2], 60)
    match["cells"] = packed(cells)


def sets(**values):
    """A change of values of a match, or of what its model used."""
    return lambda match: [
        (match if key in match else match["usage"]).update({key: value(match) if callable(value) else value})
        for key, value in values.items()
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (wins_all, "wins with fewer points than those who lost"),
        (sets(decisions=0), "0 decisions, but 12 games were played in 18 seats"),
        (sets(decisions=10**15), "1,000,000,000,000,000 decisions, but 12 games"),
        (sets(decisions=0, forfeits=1.0), "0 decisions, but 12 games were played"),
        (sets(forfeits=1.0), r"100\.0% of [0-9]+ decisions are forfeited, but .* max_forfeits=0\.05"),
        (sets(cost=1e12), r"a cost of 1e\+12, but its tokens cost 0\."),
        (sets(cost=0.0), "a cost of 0, but its tokens cost"),
        (sets(input_tokens=1e12), "a cost of .*, but its tokens cost"),
        (sets(cached_tokens=1e12), "cannot be of [0-9]+ decisions"),
        (sets(questions=0.0), "cannot be of [0-9]+ decisions"),
        (sets(questions=lambda match: 7.0 * match["decisions"]), "cannot be of [0-9]+ decisions"),
        (sets(questions=lambda match: match["decisions"] + 0.5), "cannot be of [0-9]+ decisions"),
        (sets(usage={}), "the usage of a model has questions, input_tokens"),
        (sets(milliseconds=1e12), r"1e\+12 ms a decision, but .* are the most by its name"),
        (sets(model={}), "its model is {}"),
    ],
)
def test_what_no_model_can_have_is_refused(asked, change, message):
    with pytest.raises(AgentError, match=message):
        check_whole(asked(change))


def test_a_bot_in_the_track_of_language_models_is_played_again(tmp_path):
    succeeded(invoke(app, "random", "--quick", "--track", LANGUAGE, "--folder", tmp_path))
    entry = read_entry(tmp_path / "entry.json")
    assert verify(entry, 0.02).cells == 4
    data = json.loads(entry.model_dump_json())
    track = data["runs"][0]["tracks"][LANGUAGE]
    match = track["settings"][0]["matches"][0]
    match["cells"] = packed(unpacked(match["cells"], 2, 2) + np.eye(1, NUM_COLUMNS, 1, dtype=np.int32))
    track["figures"] = figures_of("stub", LANGUAGE, TrackEntry.model_validate(track).settings).model_dump()
    with pytest.raises(AgentError, match="2 of 2 deals of a line-up end otherwise here"):
        verify(BenchmarkEntry.model_validate(data), 0.02)


def test_the_author_of_a_language_model_chooses_its_size_and_no_other_author():
    for size in ("full", "quarter", "twelfth", "quick", None):
        check_chosen(size, ["llm:cat", "llm:dog"])
    with pytest.raises(AgentError, match="--size: 'half', but allowed is full or quarter or twelfth or quick"):
        check_chosen("half", ["llm:cat"])
    with pytest.raises(AgentError, match="--size: 'twelfth', but allowed is quick; any other size follows from"):
        check_chosen("twelfth", ["llm:cat", "heuristic"])


def test_a_language_model_plays_no_track_whose_games_are_played_again():
    with pytest.raises(AgentError, match=r"track: 'held-out', but llm:cat is a language model, for language-models"):
        tracks_for("llm:cat", [LANGUAGE, "held-out"])


def test_a_model_that_never_answers_well_forfeits_and_its_entry_says_so(tmp_path):
    with serving(lambda messages, number: "hm") as stub:
        model = f"{stub.name},max_forfeits=1"
        printed, _ = succeeded(invoke(app, model, "--name", "stub", "--workers", "1", "--folder", tmp_path))
        asked = len(stub.requests)
    assert f"| {asked:,} | {110 * asked:,} | 0.00 | 100.0% |" in printed
    assert re.search(r"\| forfeits \| stub \|.* 100\.0% \|", printed)


def test_a_dry_run_asks_nothing_and_a_limit_holds_for_all_games_of_an_entry(tmp_path):
    with serving(chooses_first) as stub:
        words = (f"{stub.name},input_price=100", "--name", "stub", "--folder", tmp_path / "games")  # 0.01 a question
        said, _ = succeeded(invoke(app, *words, "--dry-run", "--size", "full"))
        assert re.search(r"12 games of size 'full' in language-models\n.* about \d+ decisions; .*a cost of", said)
        assert (len(stub.requests), (tmp_path / "games").exists()) == (0, False)
        status, _, errors = invoke(app, *words, "--max-cost", 0.5)
        assert (status, len(stub.requests) <= 50) == (SPENT, True)
        assert "and --max-cost is 0.5; the same command goes on with a higher limit" in errors
        asked = len(stub.requests)
        succeeded(invoke(app, *words, "--max-cost", 100))
    entry = read_entry(tmp_path / "games" / "entry.json")
    assert len(stub.requests) == entry.runs[0].tracks[LANGUAGE].settings[0].matches[0].usage["questions"] > asked
