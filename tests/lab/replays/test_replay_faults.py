"""Replays: whatever is wrong with a file is named."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.replays.saved import WAREHOUSE, change, change_options, fault, played
from w51_env.engine.errors import OptionError, ReplayError
from w51_env.engine.game import Game
from w51_env.engine.registry import make_game
from w51_lab.replays.replay import Replay, tables_digest
from w51_table.play.playback import Playback

OF_V0 = f"a game of warehouse51_v0, whose rules are not those of {WAREHOUSE}: "


def test_a_path_with_a_nul_character_is_refused(saved: Path):
    with pytest.raises(ReplayError, match="a path without a NUL character is needed"):
        Replay.load(saved).save(f"{saved}\0")


def test_a_missing_file_is_named(tmp_path: Path):
    assert fault(tmp_path / "nowhere.json") == "cannot be read: No such file or directory"


@pytest.mark.parametrize("content", [b"", b"{", b'{"schema": 1', b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_not_json_is_refused(content: bytes, saved: Path):
    saved.write_bytes(content)
    assert fault(saved).startswith("not JSON: ")


def test_a_truncated_file_is_refused_wherever_it_ends(saved: Path):
    content = saved.read_bytes().rstrip()
    for end in range(0, len(content), 97):
        saved.write_bytes(content[:end])
        assert fault(saved).startswith("not JSON: ")


def test_json_of_another_kind_is_refused(saved: Path):
    saved.write_text("[1, 2]", "utf-8")
    assert fault(saved).startswith("file: [1, 2], but an object with schema, game, ")


def test_another_schema_is_refused_before_anything_else(saved: Path):
    change(saved, schema=1, something_old=1)
    assert fault(saved) == "schema: 1, but this version reads 2"


@pytest.mark.parametrize("key", ["schema", "game", "options", "digests", "seed", "controllers", "moves", "final"])
def test_a_missing_key_is_named(key: str, saved: Path):
    change(saved, **{key: None})
    assert fault(saved).startswith(f"{key}: missing; ")


def test_an_unknown_key_is_named_with_the_nearest(saved: Path):
    change(saved, sede=1)
    message = fault(saved)
    assert message.startswith("sede: unknown key; allowed are schema, game, options, ")
    assert message.endswith("(did you mean 'seed'?)")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seed", "7", 'seed: "7", but an integer is needed'),
        ("seed", True, "seed: true, but an integer is needed"),
        ("seed", -1, "seed: -1, but an integer from 0 to 2**64-1 is allowed"),
        ("seed", 2**64, "seed: 18446744073709551616, but an integer from 0 to 2**64-1 is allowed"),
        ("options", [], "options: [], but an object is needed"),
        (
            "options",
            {"relics": ["mini"]},
            'options.relics: ["mini"], but a text, a number, true, false or null is needed',
        ),
        ("digests", {"options": ""}, "digests.tables: missing; a text is needed"),
        ("moves", {"0": "pass"}, 'moves: {"0": "pass"}, but a list is needed'),
        ("moves", [17], "moves[0]: 17, but a text is needed"),
        ("moves", ["bid_3"], "moves[0]: 'bid_3', but a seat and an action are needed, as '2 bid_13'"),
        ("players", ["Ann"], "players: 1 of them, but the game has 3 seats"),
        ("players", [1, 2, 3], "players[0]: 1, but a text is needed"),
        ("controllers", ["external"], "controllers: 1 of them, but the game has 3 seats"),
        (
            "controllers",
            ["external", "external", "rndom"],
            "controllers: 'rndom', but allowed are external, random, heuristic (did you mean 'random'?)",
        ),
        ("final", {"over": True}, "final.scores: missing; a list is needed"),
        ("final", {"over": 1, "scores": [], "digest": ""}, "final.over: 1, but true or false is needed"),
        ("final", {"over": True, "scores": [1.5], "digest": ""}, "final.scores[0]: 1.5, but an integer is needed"),
    ],
)
def test_a_value_of_the_wrong_form_is_named_with_what_is_needed(key: str, value: Any, message: str, saved: Path):
    change(saved, **{key: value})
    assert fault(saved) == message


def test_a_replay_of_a_game_not_known_here_is_refused(saved: Path):
    change(saved, game="warehouse15_v0")
    assert fault(saved).startswith("game: 'warehouse15_v0' is unknown; known are warehouse51_v1")


def test_a_replay_of_another_version_of_the_game_is_refused(saved: Path):
    change(saved, game="warehouse51_v7")
    assert fault(saved) == "game: 'warehouse51_v7', but this version of the package plays warehouse51_v1"


def test_a_replay_of_an_earlier_version_is_read_where_it_ends_the_same(saved: Path):
    change(saved, game="warehouse51_v0")
    assert Replay.load(saved).game().id == WAREHOUSE
    assert Playback.of_replay(Replay.load(saved)).game_id == WAREHOUSE
    change(saved, final={**json.loads(saved.read_text("utf-8"))["final"], "digest": "0" * 64})
    assert fault(saved).startswith(
        f"a game of warehouse51_v0, whose rules are not those of {WAREHOUSE}: final.digest: "
    )


def test_a_replay_of_an_earlier_version_whose_rules_matter_is_refused():  # R7
    message = fault(Path(__file__).with_name("warehouse51_v0.json"))  # a certificate is placed, its giver pawned
    assert message.startswith(f"{OF_V0}moves[14]: '2 certify_lantern'")


def test_an_unknown_option_or_value_is_named(saved: Path):
    change_options(saved, relics="no_such_set")
    assert "'no_such_set' is neither a file nor a built-in relic set" in fault(saved)
    change_options(saved, relics="schema = 1\n")
    assert fault(saved).startswith("options: relics: 2 mistake(s)\n")
    change_options(saved, num_players=6)
    assert fault(saved) == "options: num_players: 6, but allowed are 3, 4, 5"
    change_options(saved, pawn_limits=1)
    assert "options: option 'pawn_limits' is unknown" in fault(saved)


def test_a_replay_names_no_file_of_this_machine(saved: Path, tmp_path: Path):
    cards = tmp_path / "cards.toml"
    cards.write_text((files("w51_env.warehouse51") / "relic_sets" / "mini.toml").read_text("utf-8"), "utf-8")
    change_options(saved, relics=str(cards))
    assert fault(saved) == f"options.relics: the path {str(cards)!r}, but a replay holds what the game kept of a file"


@pytest.mark.parametrize(
    ("name", "value"), [("reward", "rank"), ("num_players", 4), ("pawn_limit", 1.0), ("ask_forced", True)]
)
def test_a_changed_option_is_noticed_even_if_the_moves_lead_to_the_same_state(name: str, value: Any, saved: Path):
    options = json.loads(saved.read_text("utf-8"))["options"]
    change(saved, options={**options, name: value})
    assert fault(saved).startswith("options: changed since the game was played: digests.options is ")


def test_options_that_are_left_out_are_noticed(tmp_path: Path):
    path = tmp_path / "game.json"
    played().save(path)  # the default game, which no options would give again
    change(path, options={})
    assert fault(path).startswith("options: changed since the game was played")


@pytest.mark.parametrize(
    ("game", "digest"),
    [
        (make_game(WAREHOUSE), "1a00558432b577710f14b6009f6a7d08b848c96fcac7f69c2e4096eb75db6f4b"),
        (
            make_game("alles_futsch_v1", no_bid_selector="left"),
            "5f88547372c7eab819bed12dd204c7716f961e905ecd57766ebb4cd64404bd16",
        ),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_the_tables_are_those_of_replays_saved_before(game: Game, digest: str):
    assert tables_digest(game) == digest, "old replays fail; a new option's field has the option's name"


def test_tables_that_are_others_now_are_noticed(saved: Path):
    digests = json.loads(saved.read_text("utf-8"))["digests"]
    change(saved, digests={**digests, "tables": "0" * 64})
    message = fault(saved)
    assert message.startswith(f"digests.tables: '{'0' * 64}', but the options now stand for ")
    assert 'relics "mini"' in message


@pytest.mark.parametrize(("old", "new"), [('"seed": ', '"seed": 7, "seed": '), ('"over": ', '"over": true, "over": ')])
def test_a_key_that_is_there_twice_is_named(old: str, new: str, saved: Path):
    text = saved.read_text("utf-8")
    assert text.count(old) == 1
    saved.write_text(text.replace(old, new), "utf-8")
    key = old.split('"')[1]
    assert fault(saved).startswith(f"{key}: used twice in one object, first as ")


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "7", None])
def test_recording_needs_a_seed_that_a_game_can_have(seed: Any):
    with pytest.raises(OptionError, match=r"seed: .*, but an integer from 0 to 2\*\*64-1 is allowed"):
        Replay.record(make_game(WAREHOUSE), seed, [])


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.uint64(2**64 - 1)])
def test_a_replay_keeps_any_seed_that_a_game_can_have(seed: Any, tmp_path: Path):
    Replay.record(make_game(WAREHOUSE), seed, []).save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").seed == int(seed)


def test_a_replay_of_a_game_with_a_file_needs_the_file_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = (files("w51_env.warehouse51") / "relic_sets" / "nano.toml").read_text("utf-8")
    relic_file, path = tmp_path / "mine.toml", tmp_path / "game.json"
    relic_file.write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    saved = played(preset="nano", relics="mine.toml")
    saved.save(path)
    relic_file.unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    replay = Replay.load(path)
    assert replay == saved
    *_, (record, _) = replay.play()
    assert record["over"]


def test_an_illegal_move_is_named_with_its_place_and_the_legal_ones(saved: Path):
    replay = played(preset="nano")
    replay.save(saved)
    change(saved, moves=["0 choose_deck_blue", "1 bid_3", "2 pass"])
    assert fault(saved) == "moves[1]: '1 bid_3' is not legal; legal are pass, bid_1, bid_2"
    change(saved, moves=["0 choose_deck_blue", "1 bit_1"])
    assert fault(saved) == "moves[1]: '1 bit_1' is not legal; legal are pass, bid_1, bid_2"
    change(saved, moves=["0 choose_deck_blue", "2 bid_1"])
    assert fault(saved) == "moves[1]: '2 bid_1', but it is the turn of seat 1"


def test_moves_after_the_end_are_counted(saved: Path):
    moves = json.loads(saved.read_text("utf-8"))["moves"]
    change(saved, moves=[*moves, "0 pass", "1 pass"])
    assert fault(saved) == f"moves[{len(moves)}]: '0 pass', but the game is over after {len(moves)} moves; 2 are left"


def test_missing_moves_are_noticed(saved: Path):
    data = json.loads(saved.read_text("utf-8"))
    change(saved, moves=data["moves"][:-1])
    assert (
        fault(saved)
        == f"final.over: true, but the game is not over after its {len(data['moves']) - 1} moves: the end is missing"
    )
    change(saved, moves=data["moves"], final={**data["final"], "over": False})
    assert fault(saved) == f"final.over: false, but the game is over after its {len(data['moves'])} moves"


def test_a_game_that_leads_elsewhere_is_refused(saved: Path):
    data = json.loads(saved.read_text("utf-8"))
    change(saved, final={**data["final"], "scores": [1, 2, 3]})
    assert fault(saved).startswith(f"final.scores: [1, 2, 3], but the {len(data['moves'])} moves lead to ")
    change(saved, final={**data["final"], "digest": "0" * 64})
    assert fault(saved).startswith(f"final.digest: '{'0' * 64}', but the {len(data['moves'])} moves lead to ")


def test_another_seed_does_not_pass_unnoticed(saved: Path):
    change(saved, seed=Replay.load(saved).seed ^ 1)
    fault(saved)
