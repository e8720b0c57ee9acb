"""The benchmark as a command: entries, their verification, what is refused, and a stop in the middle."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs._generators.leaderboard import about_table
from tests.commands import ROOT, invoke, refused, succeeded
from tests.lab.arena.small import stored_blocks
from w51_agents.agent.interface import AgentError, BatchAgent
from w51_lab.benchmark import matches, play, sizes
from w51_lab.benchmark.copies import check_copies
from w51_lab.benchmark.entry import About, BenchmarkEntry, digest_of, read_about, read_entry, write_entry
from w51_lab.benchmark.leaderboard import track_tables, write_entry_table
from w51_lab.benchmark.lineage import about_of
from w51_lab.benchmark.matches import Ways, figures_of
from w51_lab.benchmark.protocol import EVERY, EXACT, PANEL_FILES, PARTS, size_for
from w51_lab.benchmark.sizes import check_size, size_in, size_of
from w51_lab.benchmark.track_figures import packed, unpacked
from w51_lab.benchmark.verify import verify
from w51_lab.commands.benchmark import app
from w51_lab.report.exports import markdown_text

TRACK = "alles-futsch-2"
QUICK = ("random", "--quick", "--track", TRACK)
IN_TRACK = f"runs.0.tracks.{TRACK}"  # paths in an entry
MATCH = f"{IN_TRACK}.settings.0.matches"


@pytest.fixture(scope="module")
def entry(tmp_path_factory) -> BenchmarkEntry:
    """A quick entry of one track."""
    folder = tmp_path_factory.mktemp("benchmark")
    printed, _ = succeeded(invoke(app, *QUICK, "--folder", folder, "--workers", 1))
    assert EVERY[TRACK].title in printed
    return read_entry(folder / "entry.json")


def changed(entry: BenchmarkEntry, values: dict[str, Any]) -> BenchmarkEntry:
    """The entry with other values, by their paths in it."""
    data = json.loads(entry.model_dump_json())
    for at, value in values.items():
        *path, last = [int(part) if part.isdecimal() else part for part in at.split(".")]
        reduce(lambda part, key: part[key], path, data)[last] = value
    return BenchmarkEntry.model_validate(data)


def test_an_entry_is_verified_and_in_the_tables(entry):
    assert str(verify(entry, 0.05)).endswith("0 ended otherwise")
    figures = entry.runs[0].tracks[TRACK].figures
    assert figures.strength.mean < 0.5 < 1.0 < figures.members["heuristic"].reverse.mean
    assert "| random (quick) |" in track_tables([entry])[TRACK]


def forged(entry: BenchmarkEntry, forge: Callable[[list[np.ndarray]], object]) -> BenchmarkEntry:
    """The entry with other cells of its matches, and figures that follow."""
    matches = entry.runs[0].tracks[TRACK].settings[0].matches
    cells = [unpacked(match.cells, 1, match.deals.count).copy() for match in matches]
    forge(cells)
    other = changed(entry, {f"{MATCH}.{number}.cells": packed(one) for number, one in enumerate(cells)})
    figures = figures_of("random", TRACK, other.runs[0].tracks[TRACK].settings)
    return changed(other, {f"{IN_TRACK}.figures": figures.model_dump()})


def mirrored(cells: np.ndarray) -> np.ndarray:
    """The results of the opponent as those of the agent, of two players."""
    return np.stack([120 - cells[..., 0], cells[..., 2], cells[..., 1]], axis=-1)


OTHERWISE, WINS, POINTS, OF_OTHERS = "end otherwise here", np.s_[..., 0], np.s_[..., 1], np.s_[..., 2]
RESULTS, FEWER = np.s_[...], "wins with fewer points than those who lost"
SEARCHED = "search:playouts=10,playout_bot=collector"
# What is forged: the matches, the cells, the new value, and the message of the refusal.
FORGED = {
    "the results of the opponents": ((0, 1, 2), RESULTS, mirrored, OTHERWISE),
    "those of the search": ((2,), RESULTS, mirrored, f"{SEARCHED}: [3-6] of 6 .* {OTHERWISE}, at m"),
    "a deal among bots": (
        (0,),
        np.s_[:, 7, 1:3],
        lambda points: points + 1,
        f"heuristic: 1 of 20 .* {OTHERWISE}, at most 0 may",
    ),
    "wins alone": ((0,), WINS, lambda _: 120, f"heuristic: {FEWER}"),
    "wins of the opponents alone": ((0,), RESULTS, lambda _: (0, 900, 800), f"heuristic: {FEWER}"),
    "parts of wins": ((0,), np.s_[:, 3, 0], lambda _: 61, "heuristic: parts of wins that no games can give"),
    "points beyond the game": ((0,), POINTS, lambda _: 10**6, "points beyond 0 to [0-9]+, which a seat of the game"),
    "fewer points of opponents": ((0, 1, 2), OF_OTHERS, lambda points: points - 5, OTHERWISE),
}


@pytest.mark.parametrize(("matches", "at", "value", "message"), FORGED.values(), ids=FORGED)
def test_forged_games_are_refused(entry, matches, at, value, message):
    def forge(cells) -> None:
        for match in matches:
            cells[match][at] = value(cells[match][at])

    with pytest.raises(AgentError, match=message):
        verify(forged(entry, forge), 0.02)


def test_the_games_with_another_opponent_are_refused(entry):
    with pytest.raises(AgentError, match=OTHERWISE):
        verify(forged(entry, lambda cells: cells.insert(0, cells.pop(2))), 0.02)


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (f"{MATCH}.0.milliseconds", 50, "heuristic: decisions, their time or forfeits of a bot"),
        (f"{MATCH}.0.decisions", 10**15, "heuristic: decisions, their time or forfeits of a bot"),
        (f"{MATCH}.0.forfeits", 1.0, "heuristic: decisions, their time or forfeits of a bot"),
        (f"{MATCH}.0.usage", {"cost": 1e12}, "random is no language model, but has .*'cost'"),
        (f"{MATCH}.0.model", {"model": "x"}, "random is no language model, but has the model"),
        ("runs.0.refused", {TRACK: "cannot"}, f"it plays {TRACK}, but says that its agent cannot"),
        ("runs.0.refused", {"warehouse51-4": "cannot"}, "says that its agent cannot play warehouse51-4, but it can"),
        ("runs.0.tracks", {}, "it has no track"),
        (f"{MATCH}.0.slow", ["random"], "names random among slow agents, which it is not"),
        (f"{MATCH}.1.slow", ["mine"], "files or slow agents of mine, which did not play"),
        (f"{MATCH}.1.files", {"mine": ["0" * 64]}, "files or slow agents of mine, which did not play"),
        (f"{MATCH}.0.deals.count", 10**9, "1000000000 deals, but 20 are those of the protocol"),
        (f"{MATCH}.1.files", {"random": ["0" * 64]}, "the files of random are not those"),
        (f"{MATCH}.0.deals.digest", "0" * 64, "its deals have the digest 0000"),
        (f"{MATCH}.1.opponent", "random", "its opponents are not those of the protocol"),
        (f"{IN_TRACK}.figures.strength.mean", 0.9, "its figures do not follow from its games"),
        (f"{IN_TRACK}.figures.strength.mean", 10**300, "its figures do not follow from its games"),
        (f"{IN_TRACK}.settings.0.cards", "0" * 64, "its cards have the digest '0000"),
        (f"{IN_TRACK}.settings.0.options.start_money", 99, "its games are not those of the protocol"),
    ],
)
def test_a_forged_fact_is_refused(entry, at, value, message):
    with pytest.raises(AgentError, match=message):
        verify(changed(entry, {at: value}), 0.02)


@pytest.fixture(scope="module")
def styled(tmp_path_factory) -> BenchmarkEntry:
    """A quick entry of an agent that is called for its decisions."""
    folder = tmp_path_factory.mktemp("styled")
    agent = "mimic:random>heuristic,lots=1"
    succeeded(invoke(app, agent, *QUICK[1:], "--name", "styled", "--folder", folder, "--workers", 1))
    return read_entry(folder / "entry.json")


@pytest.mark.parametrize(
    ("match", "key", "of", "message"),
    [
        (0, "decisions", lambda _: 0, "heuristic: 0 decisions, but 40 games were played in 40 seats"),
        (0, "decisions", lambda _: 10**15, "1,000,000,000,000,000 decisions, but 40 games"),
        (0, "decisions", lambda number: number + 1, "decisions, but [0-9,]+ by the games played again"),
        (2, "decisions", lambda number: 2 * number, f"{SEARCHED}: .* by the games played again"),
        (0, "forfeits", lambda _: 0.01, "forfeits of 1.00%, but 0.00% in the games played again"),
        (2, "forfeits", lambda _: 1.0, "forfeits of 100.00%, but 0.00% in the games played again"),
        (0, "milliseconds", lambda _: 50.0, "50 ms a decision, but [0-9.]+ ms here"),
    ],
)
def test_decisions_forfeits_and_times_are_those_of_the_games(styled, match, key, of, message):
    verify(styled, 0.02, [TRACK])
    before = getattr(styled.runs[0].tracks[TRACK].settings[0].matches[match], key)
    with pytest.raises(AgentError, match=message):
        verify(changed(styled, {f"{MATCH}.{match}.{key}": of(before)}), 0.02)


def test_a_seed_whose_games_are_left_out_is_missed(entry, styled):
    other = changed(styled, {"runs.0.refused": {"alles-futsch-4": "other cards"}}).runs[0]
    with pytest.raises(AgentError, match="alles-futsch-4 is played by one of the seeds and not by another"):
        verify(entry.model_copy(update={"runs": (other, *entry.runs)}), 0.02)


def test_the_games_of_another_agent_are_refused(entry):
    other = changed(entry, {"runs.0.agent": "heuristic", "about.uses_heuristic": True})
    with pytest.raises(AgentError, match="its figures do not follow"):  # its games with itself would not count
        verify(other, 0.05)
    with pytest.raises(AgentError, match="agents: 2 given, but entry 'random' has 1"):
        verify(entry, 0.05, agents=["random", "random"])
    with pytest.raises(AgentError, match="is of random, which has this name everywhere, not of heuristic"):
        verify(entry, 0.05, agents=["heuristic"])


def with_text(entry: BenchmarkEntry, text: str) -> BenchmarkEntry:
    """The entry with a text wherever its author could write one that is printed."""
    members = entry.runs[0].tracks[TRACK].figures.model_dump()["members"]
    values = {f"{MATCH}.{number}.model": {"model": text, "prompts": text} for number in range(len(members))}
    values[f"{IN_TRACK}.figures.members"] = {**members, text: members["heuristic"]}
    return changed(entry, {**values, "runs.0.agent": text, "versions": {"w51_env": text}})


@pytest.mark.parametrize(
    "text", ["<!-- end -->", "<script>", "[a](javascript:b)", "a | b", "`a`", "**a**", "$a$", "&#60;b>", "_a_", "a\\"]
)
def test_all_text_of_an_entry_is_escaped_where_it_is_printed(entry, text, tmp_path):
    entry = with_text(entry, text)
    write_entry_table(entry, tmp_path / "figures.md")
    pages = [(tmp_path / "figures.md").read_text(), about_table([entry])]
    for page in pages:
        assert markdown_text(text) in page
        assert text not in page.replace(markdown_text(text), "")
        columns = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in page.split("\n\n")[-1].strip().splitlines()}
        assert len(columns) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("method", text) for text in ("a | b", "a\nb", "<b>", "[a](b)", "`a`")),
        ("met", ["a | b"]),
        *(("link", link) for link in ("javascript:alert(1)", "https://a.org/) [b](c", "data:text/html,a", "//a.org")),
    ],
)
def test_what_an_author_says_has_no_markup_and_links_of_the_web_alone(key, value, tmp_path):
    path = tmp_path / "about.yaml"
    path.write_text(json.dumps({key: value}))
    with pytest.raises(AgentError, match=rf"about\.yaml: {key}"):
        read_about(path)
    path.write_text(json.dumps({"link": "https://a.org/b_c?d=e#f"}))
    assert read_about(path).link == "https://a.org/b_c?d=e#f"


def test_the_figures_are_written_for_papers_and_for_pandas(entry, tmp_path):
    write_entry_table(entry, tmp_path / "figures.csv")
    with (tmp_path / "figures.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["figure"] in ("strength", "rate")]
    figures = entry.runs[0].tracks[TRACK].figures
    assert [row["opponent"] for row in rows] == ["panel", *figures.members]
    assert float(rows[0]["mean"]) == figures.strength.mean
    write_entry_table(entry, tmp_path / "figures.tex")
    text = (tmp_path / "figures.tex").read_text()
    mean, low, high = (f"{end:.2f}" for _, end in figures.strength)
    assert f"{EVERY[TRACK].title} & {mean} [{low}, {high}] & " in text
    assert text.count(r" \\") == 2


SLOW = {"milliseconds": 0.2, "decisions": 100}


def test_the_size_of_an_entry_follows_from_what_its_agents_are(entry, monkeypatch):
    def never(*arguments):
        raise AssertionError("a time was measured")

    monkeypatch.setattr("w51_lab.benchmark.sizes._milliseconds_in", never)
    names = [TRACK, EXACT]
    for agent in ("random", "pretrained", "pretrained-v2:greedy", "runs/mine", "mine.zip", "style:pretrained,bids=1"):
        assert size_of(agent, names, trust=False) == "full"
    searches = [f"search:{settings}" for settings in ("playouts=20", "playouts=21", "seconds=1")]
    assert [size_of(agent, names, trust=False) for agent in searches] == ["quarter", "twelfth", "twelfth"]
    with pytest.raises(AssertionError, match="a time was measured"):
        size_of("own:Class", names, trust=False)
    slow = changed(entry, {f"{MATCH}.{number}.{key}": value for number in range(3) for key, value in SLOW.items()})
    with pytest.raises(AgentError, match=r"with 0\.2 ms a decision it has the size 'full'"):
        check_size(slow.model_copy(update={"size": "quarter"}))
    search = changed(slow, {"runs.0.agent": "search:playouts=100"})
    check_size(search.model_copy(update={"size": "twelfth"}))
    check_size(changed(slow, {"runs.0.agent": "own:Class"}).model_copy(update={"size": "quarter"}))


def test_the_sizes_are_parts_of_the_deals_and_bots_and_networks_play_all(entry):
    assert [size_for(time) for time in (0.0, 0.25, 0.26, 2.5, 2.6, 1000.0)] == [
        *2 * ["full"],
        *2 * ["quarter"],
        *2 * ["twelfth"],
    ]
    assert [EVERY[TRACK].num_deals(size) for size in PARTS] == [120, 30, 10]
    with pytest.raises(AgentError, match="it has the size 'full'"):
        verify(entry.model_copy(update={"size": "quarter"}), 0.01)


class Busy:
    """An agent that takes three milliseconds of processor time for a decision."""

    def __init__(self, game):
        pass

    def reset(self, seed):
        pass

    def act(self, observation, mask, info=None):
        until = time.process_time() + 0.003
        while time.process_time() < until:
            pass
        return int(mask.argmax())


@pytest.mark.slow
def test_the_time_of_a_decision_is_measured_over_a_block_in_a_process_of_the_agent(monkeypatch):
    blocks = []
    monkeypatch.setattr(
        sizes, "plan_of", lambda *given, **more: blocks.append(plan := matches.plan_of(*given, **more)) or plan
    )
    took = sizes.milliseconds_of(f"{__name__}:Busy", [TRACK, "alles-futsch-4"], trust=False)
    assert 2.5 < took < 5
    [plan] = blocks  # it plays a twelfth after the first track
    assert plan.blocks[0].stop - plan.blocks[0].start > 50


def test_a_slow_agent_plays_a_part_of_the_deals_and_the_size_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(sizes, "milliseconds_of", lambda agent, names, trust: 2.0)
    played = {"own:Class": [TRACK], "random": [TRACK]}  # the slowest decides
    assert size_in(tmp_path, None, played, trust=False) == "quarter"
    assert size_in(tmp_path / "seeds", None, {"random": [TRACK], "heuristic": [TRACK]}, trust=False) == "full"
    assert size_in(tmp_path, None, {"random": [TRACK]}, trust=False) == "quarter"  # as its games were begun
    with pytest.raises(AgentError, match="has games of size 'quarter'; with --quick give another --folder"):
        size_in(tmp_path, "quick", played, trust=False)


def renamed(entry: BenchmarkEntry, name: str, agent: str) -> BenchmarkEntry:
    """The same games under other names."""
    return changed(entry, {"name": name, "runs.0.agent": agent})


def test_a_copy_of_another_entry_is_refused(entry):
    check_copies(entry, [entry])  # itself
    with pytest.raises(AgentError, match="a copy: 100% of the deals of runs/mine end as those of 'random'"):
        check_copies(renamed(entry, "random", "runs/mine"), [entry])
    with pytest.raises(AgentError, match="random is random or reads its files; its name must contain 'random'"):
        verify(renamed(entry, "SuperBidder", "random"), 0.02, others=[entry])
    with pytest.raises(AgentError, match="a copy: 100% of the deals of runs/mine end as those of 'random'"):
        check_copies(renamed(entry, "SuperBidder", "runs/mine"), [entry])
    seeds = entry.model_copy(update={"runs": (*entry.runs, *renamed(entry, "mine", "runs/mine").runs)})
    with pytest.raises(AgentError, match="random and runs/mine are one agent, but each seed needs its own"):
        check_copies(seeds, [])


@pytest.mark.parametrize(("name", "is_said"), [("10", False), ("playouts", False), ("mine: search, playouts=10", True)])
def test_the_name_of_a_copy_has_all_words_of_the_other_name(entry, name, is_said):
    search = renamed(entry, "search:playouts=10", "search:playouts=10")
    with nullcontext() if is_said else pytest.raises(AgentError, match="its name must contain 'search:playouts=10'"):
        check_copies(search.model_copy(update={"name": name}), [search])


def test_an_entry_is_verified_with_the_leaderboard_that_was_named(entry, tmp_path):
    write_entry(entry, tmp_path / "entry.json")
    printed, _ = succeeded(invoke(app, "--verify", tmp_path / "entry.json", "--leaderboard", tmp_path))
    assert printed.strip().endswith("compared with 1 entries")
    refused(invoke(app, "--verify", tmp_path / "entry.json", "--leaderboard", tmp_path / "none"), "no such folder")


def test_a_copy_of_a_network_of_this_package_is_refused(entry):
    network = {f"{MATCH}.0.files": {"pretrained": [PANEL_FILES["warehouse51_v1"]["pretrained"]]}}
    pretrained = changed(entry, {"name": "pretrained", "runs.0.agent": "pretrained", **network})
    with pytest.raises(AgentError, match="reads its files; its name must contain 'pretrained'"):
        check_copies(pretrained.model_copy(update={"name": "SuperBidder"}), [])
    greedy, search = (
        renamed(BenchmarkEntry.model_validate_json(text.replace('"pretrained":', f'"{agent}":')), name, agent)
        for text in [pretrained.model_dump_json()]
        for name, agent in (("pretrained:greedy",) * 2, ("search with pretrained", "search:prior=pretrained"))
    )
    check_copies(search, [pretrained, greedy])
    check_copies(pretrained, [greedy])


@pytest.mark.parametrize(
    "agent",
    [
        *("heuristic", "search:playouts=5", "search:playout_bot=random", "pretrained-v1:sampled", "exploiter"),
        *("style:heuristic,bids=1", "mimic:heuristic>random,lots=13", "mimic:random>heuristic,lots=1-2"),
        *("style:exploiter,bids=1", "style:pretrained,tilt=0.3", "search:prior=pretrained,playout_bot=pretrained-v2"),
    ],
)
def test_an_agent_that_uses_the_heuristic_says_so(agent):
    tracks = {agent: [EXACT if "heuristic" in agent else "warehouse51-4"]}
    assert about_of(About(), tracks).uses_heuristic is True
    with pytest.raises(AgentError, match=f"uses_heuristic is false, but {agent} uses the heuristic"):
        about_of(About(uses_heuristic=False), tracks)
    second = "pretrained-v2"
    others = {"random": [TRACK], second: [TRACK, "warehouse51-4"], f"search:playout_bot={second}": [TRACK]}
    assert about_of(About(), others).uses_heuristic is None


def test_quick_entries_come_last_and_without_a_place(entry):
    full = entry.model_copy(update={"name": "full", "size": "full"})
    table = track_tables([entry, full])[TRACK]
    assert table.index("| 1 | full |") < table.index("| quick | random (quick) |")


def test_an_entry_that_met_a_held_out_style_in_training_has_no_figure_for_it(entry):
    assert entry.runs[0].tracks[TRACK].figures.held_out.mean < 0.5  # random among search agents
    met = entry.model_copy(update={"about": About(met=("search:playouts=10,playout_bot=collector",))})
    assert "| met search:playouts=10,playout_bot=collector |" in track_tables([met])[TRACK]


def replaced(before: str, after: str) -> Callable[[str], str]:
    return lambda text: text.replace(before, after, 1)


def with_value(key: str, value: Any) -> Callable[[str], str]:
    """Another value in a match of the entry, with a digest that fits."""

    def change(text: str) -> str:
        data = json.loads(text)
        data["runs"][0]["tracks"][TRACK]["settings"][0]["matches"][0][key] = value
        return json.dumps({**data, "digest": digest_of(data)})

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-40], "damaged"),
        (lambda text: "[]", "damaged: list, but an object is needed"),
        (replaced('"size": "quick"', '"size": "full"'), "its digest is"),
        (replaced("w51-bench v6", "w51-bench v5"), "protocol 'w51-bench v5', but this is"),
        (replaced('"size"', '"sice"'), "sice: unknown key"),
        (lambda text: re.sub('"date": ".*"', '"date": "2026-13-01 00:00"', text), "does not match format"),
        (replaced('"cells"', '"cell"'), "cell: unknown key (did you mean 'cells'?)"),
        (replaced('"size": "quick"', '"size": "half"'), "should match pattern '^(full|quarter|twelfth|quick)$'"),
        (replaced('"name": "random"', '"name": "a | b"'), "one line without"),
        (replaced("{", '{"date": "x",'), 'date: used twice in one object, first as "x"'),
        (with_value("model", {"retries": 10**400}), "an integer of 401 digits, but at most 40 are allowed"),
        (with_value("decisions", 10**30), "000: input should be less than or equal to 1000000000000000"),
        (with_value("decisions", True), "decisions: True: input should be a valid integer"),
        (with_value("milliseconds", -1), "greater than or equal to 0"),
        (with_value("milliseconds", float("inf")), "should be a finite number"),
        (with_value("usage", {"cost": -1e300}), "greater than or equal to 0"),
        (with_value("usage", {"<b>": 1}), "input should be 'questions', 'input_tokens', 'output_tokens'"),
        (with_value("slow", ["random"] * 3), "should have at most 2 items"),
        (with_value("files", {"random": ["0"]}), "string should match pattern"),
        (with_value("opponent", "a\nb"), "one line of printable letters is needed"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_in_words(entry, tmp_path, change, message):
    path = write_entry(entry, tmp_path / "entry.json")
    path.write_text(change(path.read_text()))
    refused(invoke(app, "--verify", path), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "agents: none given"),
        (("random", "random"), "agents: random, random, but each seed needs an agent of its own"),
        (("heuristc",), "heuristc"),
        (("random", "--track", "chess"), "track: 'chess', but known are warehouse51-4"),
        (("random", "--about", "none.yaml"), "about none.yaml: cannot be read"),
        (("random", "--table", "figures.xlsx"), "--table figures.xlsx: '.xlsx', but allowed are .csv, .md, .tex"),
        (("random", "--name", "a|b"), "name 'a|b': Value error, but one line without < > | ` [ ] is needed"),
        (("random", "--name", 81 * "a"), "should have at most 80 characters; give it another one with --name"),
    ],
)
def test_what_cannot_be_played_is_refused_before_any_game(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(invoke(app, *arguments), message)


def test_a_folder_that_cannot_be_used_is_an_error_in_words(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "size.txt").write_bytes(b"\xff\xfe")
    for folder, message in ((tmp_path / "file" / "a", "cannot be made"), (tmp_path, "size.txt: cannot be read")):
        assert message in " ".join(refused(invoke(app, *QUICK, "--folder", folder)).split())


def test_agents_whose_long_names_end_alike_have_folders_of_their_own(entry, tmp_path, monkeypatch):
    folders = []

    def play(agent, names, without, folder, ways, advance):
        folders.append(folder.name)
        return entry.runs[0].model_copy(update={"agent": agent})

    monkeypatch.setattr("w51_lab.commands.benchmark._file_name", lambda text: "a")
    monkeypatch.setattr("w51_lab.commands.benchmark.play", play)
    succeeded(invoke(app, "heuristic", *QUICK, "--folder", tmp_path))
    assert folders == ["a", "a (2)"]


def test_games_beside_a_folder_with_files_of_others_are_found_again(tmp_path):
    (tmp_path / "match").mkdir()
    (tmp_path / "match" / "notes.txt").touch()
    plan = matches.plan_of("random", "heuristic", EVERY[TRACK].settings[0], 2)
    first, again = (matches.play_match(plan, tmp_path, "match", Ways("quick"), lambda *_: None) for _ in range(2))
    assert first == again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["match", "match-2"]


def test_tracks_that_an_agent_cannot_play_are_left_out_with_the_reason():
    found = play.refused("pretrained-v1", [TRACK, "held-out", "warehouse51-3"], Ways("quick"))
    assert list(found) == [TRACK, "held-out"]
    assert "no pretrained network" in found[TRACK]
    assert str(Path.home()) not in str(found)
    assert str(ROOT) not in str(found)


class OfAnotherGame(BatchAgent):
    """Plays Warehouse 51 and looks for a slice that Alles Futsch! does not have."""

    def __init__(self, game):
        self.reads = game.layout

    def reset(self, seed):
        pass

    def act_batch(self, observations, action_masks, infos=None):
        self.reads["counterfeit_left"]
        return action_masks.argmax(axis=1)


def test_an_agent_that_fails_at_each_decision_of_a_track_is_refused_before_it_plays(tmp_path):
    agent = "tests.lab.benchmark.test_benchmark:OfAnotherGame"
    command = (agent, "--quick", "--track", TRACK, "--folder", tmp_path / "games")
    refused(invoke(app, *command), "fails at each decision, first: ", "counterfeit_left")
    assert not (tmp_path / "games").exists()
    found = play.refused(agent, [TRACK, "warehouse51-3"], Ways("quick"))
    assert list(found) == [TRACK]


def test_an_entry_with_more_than_one_percent_of_forfeits_has_no_place_and_each_table_says_it(entry, tmp_path):
    full = entry.model_copy(update={"size": "full"})
    some = changed(full, {"name": "some", f"{MATCH}.0.forfeits": 0.009})
    many = changed(full, {"name": "many", f"{MATCH}.1.forfeits": 0.02})  # against the strong alone
    table = track_tables([many, some, entry])[TRACK]
    assert re.search(r"\| 1 \| some \|.* 0\.9% \|", table)
    assert re.search(r"\| forfeits \| many \|.* 2\.0% \|", table)
    for suffix, said in ((".tex", r"2.0\%"), (".csv", "panel,forfeits,0.02")):
        write_entry_table(many, tmp_path / f"figures{suffix}")
        assert said in (tmp_path / f"figures{suffix}").read_text()


@pytest.mark.slow
def test_a_killed_benchmark_goes_on_to_the_same_entry(entry, tmp_path):
    command = [sys.executable, "-m", "w51_env", "benchmark", *QUICK, "--folder", str(tmp_path / "cut")]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None and sum(map(stored_blocks, (tmp_path / "cut").glob("*/*"))) < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "cut" / "entry.json").exists()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    again = read_entry(tmp_path / "cut" / "entry.json")
    found, expected = (one.runs[0].tracks[TRACK] for one in (again, entry))
    assert found.figures == expected.figures


@pytest.mark.parametrize(
    ("agent", "reason"), [("runs/none", "there is no such file or folder"), ("pretrained-v1", "trained with relics=")]
)
def test_an_agent_that_plays_no_mini_game_makes_no_entry_of_mini_games_alone(tmp_path, agent, reason):
    refused(invoke(app, agent, "--track", EXACT, "--folder", tmp_path / "games"), reason)
    assert not (tmp_path / "games").exists()
