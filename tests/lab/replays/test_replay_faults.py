"""Replays: whatever is wrong with a file is named."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.replays.saved import WAREHOUSE, change, change_options, fault, played
from w51_env.engine.errors import OptionError, ReplayError
from w51_env.engine.game import Game
from w51_env.engine.registry import make_game
from w51_lab.replays.digests import tables_digest
from w51_lab.replays.replay import Replay
from w51_table.play.playback import Playback

OF_V0 = f"a game of warehouse51_v0, whose rules are not those of {WAREHOUSE}: "
KEYS = ("schema", "game", "options", "digests", "seed", "controllers", "moves", "final")
ZEROS = "0" * 64
Change = Callable[[dict[str, Any]], Any]  # of the data of a replay; the whole text if it returns bytes


def put(key: str, value: Any) -> Change:
    """Another value at a key, or at `key.key`."""

    def change(data: dict[str, Any]) -> None:
        *path, last = key.split(".")
        for part in path:
            data = data[part]
        data[last] = value

    return change


def take(key: str) -> Change:
    return lambda data: data.pop(key) and None


def twice(key: str) -> Change:
    """A key that is there twice in the text."""
    return lambda data: json.dumps(data).replace(f'"{key}": ', f'"{key}": 1, "{key}": ', 1).encode()


def cut_off(part: int) -> Change:
    """A text that ends early, after so many of twelve parts."""

    def change(data: dict[str, Any]) -> bytes:
        text = json.dumps(data).encode()
        return text[: part * len(text) // 12]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((lambda data, text=text: text, "not JSON: ") for text in (b"", b"{", b"\xff\xfe", b"[" * 100_000)),
        *((cut_off(part), "not JSON: ") for part in range(1, 12)),
        (lambda data: b"[1, 2]", "file: [1, 2], but an object with schema, game, "),
        (lambda data: data.update(schema=1, something_old=1), "schema: 1, but this version reads 2"),
        *((take(key), f"{key}: missing; ") for key in KEYS),
        (put("sede", 1), "sede: unknown key; allowed are schema, game, options, "),
        *((twice(key), f"{key}: used twice in one object, first as ") for key in ("seed", "over")),
        (put("seed", "7"), 'seed: "7", but an integer is needed'),
        (put("seed", True), "seed: true, but an integer is needed"),
        (put("seed", -1), "seed: -1, but an integer from 0 to 2**64-1 is allowed"),
        (put("seed", 2**64), "seed: 18446744073709551616, but an integer from 0 to 2**64-1 is allowed"),
        (put("options", []), "options: [], but an object is needed"),
        (put("options.relics", ["mini"]), 'options.relics: ["mini"], but a text, a number, true, false or null is'),
        (put("digests", {"options": ""}), "digests.tables: missing; a text is needed"),
        (put("moves", {"0": "pass"}), 'moves: {"0": "pass"}, but a list is needed'),
        (put("moves", [17]), "moves[0]: 17, but a text is needed"),
        (put("moves", ["bid_3"]), "moves[0]: 'bid_3', but a seat and an action are needed, as '2 bid_13'"),
        (put("players", ["Ann"]), "players: 1 of them, but the game has 3 seats"),
        (put("players", [1, 2, 3]), "players[0]: 1, but a text is needed"),
        (put("controllers", ["external"]), "controllers: 1 of them, but the game has 3 seats"),
        (put("controllers", ["external", "external", "rndom"]), "controllers: 'rndom', but allowed are external, "),
        (put("final", {"over": True}), "final.scores: missing; a list is needed"),
        (put("final.over", 1), "final.over: 1, but true or false is needed"),
        (put("final.scores", [1.5]), "final.scores[0]: 1.5, but an integer is needed"),
        (put("game", "warehouse15_v0"), "game: 'warehouse15_v0' is unknown; known are warehouse51_v1"),
        (put("game", "warehouse51_v7"), "game: 'warehouse51_v7', but this version of the package plays warehouse51_v1"),
        *(
            (put(f"options.{name}", value), "options: changed since the game was played: digests.options is ")
            for name, value in (("reward", "rank"), ("num_players", 4), ("pawn_limit", 1.0), ("ask_forced", True))
        ),
        (put("options", {}), "options: changed since the game was played"),
        (put("digests.tables", ZEROS), f"digests.tables: '{ZEROS}', but the options now stand for "),
        (lambda data: data["moves"].pop() and None, "final.over: true, but the game is not over after its "),
        (put("final.over", False), "final.over: false, but the game is over after its "),
        (put("final.scores", [1, 2, 3]), "final.scores: [1, 2, 3], but the "),
        (put("final.digest", ZEROS), f"final.digest: '{ZEROS}', but the "),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named(change: Change, message: str, saved: Path):
    data = json.loads(saved.read_text("utf-8"))
    content = change(data)
    saved.write_bytes(content if isinstance(content, bytes) else json.dumps(data).encode())
    assert fault(saved).startswith(message)


def test_an_object_of_another_kind_is_no_replay(tmp_path: Path):
    (tmp_path / "summary.json").write_text('{"versions": {}, "games": 4}')
    with pytest.raises(ReplayError, match="no replay: neither schema nor moves are in it"):
        Replay.load(tmp_path / "summary.json")


def test_a_near_key_the_legal_moves_and_the_moves_that_are_left_are_named(saved: Path):
    change(saved, sede=1)
    assert fault(saved).endswith("(did you mean 'seed'?)")
    played(preset="nano").save(saved)
    made = change(saved)["moves"]
    for move, message in (
        ("1 bid_3", "'1 bid_3' is not legal; legal are pass, bid_1, bid_2"),
        ("1 bit_1", "'1 bit_1' is not legal; legal are pass, bid_1, bid_2"),
        ("2 bid_1", "'2 bid_1', but it is the turn of seat 1"),
    ):
        change(saved, moves=["0 choose_deck_blue", move, "2 pass"])
        assert fault(saved) == f"moves[1]: {message}"
    change(saved, moves=[*made, "0 pass", "1 pass"])
    assert fault(saved) == f"moves[{len(made)}]: '0 pass', but the game is over after {len(made)} moves; 2 are left"
    change(saved, moves=made, seed=Replay.parse(saved.read_text("utf-8")).seed ^ 1)
    fault(saved)


def test_a_path_with_a_nul_character_or_without_a_file_is_refused(saved: Path):
    with pytest.raises(ReplayError, match="a path without a NUL character is needed"):
        Replay.load(saved).save(f"{saved}\0")
    assert fault(saved.with_name("nowhere.json")) == "cannot be read: No such file or directory"


def test_a_replay_of_an_earlier_version_is_read_where_it_ends_the_same(saved: Path):
    change(saved, game="warehouse51_v0")
    assert Replay.load(saved).game().id == WAREHOUSE
    assert Playback.of_replay(Replay.load(saved)).game_id == WAREHOUSE
    change(saved, final={**json.loads(saved.read_text("utf-8"))["final"], "digest": ZEROS})
    assert fault(saved).startswith(f"{OF_V0}final.digest: ")


def test_a_replay_of_an_earlier_version_whose_rules_matter_is_refused():  # R7
    message = fault(Path(__file__).with_name("warehouse51_v0.json"))  # a certificate is placed, its giver pawned
    assert message.startswith(f"{OF_V0}moves[14]: '2 certify_lantern'")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("relics", "no_such_set", "options: relics: 'no_such_set', but allowed here are mini, nano"),
        ("relics", "schema = 1\n", "options: relics: 2 mistake(s)\n"),
        ("num_players", 6, "options: num_players: 6, but allowed are 3, 4, 5"),
        ("pawn_limits", 1, "options: option 'pawn_limits' is unknown"),
    ],
)
def test_an_unknown_option_or_value_is_named(name: str, value: Any, message: str, saved: Path):
    change_options(saved, **{name: value})
    assert message in fault(saved)


def test_a_replay_names_no_file_of_this_machine(saved: Path, tmp_path: Path):
    cards = tmp_path / "cards.toml"
    cards.write_text((files("w51_env.warehouse51") / "relic_sets" / "mini.toml").read_text("utf-8"), "utf-8")
    change_options(saved, relics=str(cards))
    assert fault(saved).startswith(f"options: relics: '{str(cards)[:20]}")
    assert "but allowed here are mini, nano" in fault(saved)


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
