"""Short versions of the long proofs, and what they find when something is wrong."""

import ast
import gc
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tomllib

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")
pytest.importorskip("pyarrow", reason="needs the extra 'arena'")

from tests.env.invariants.any_game import BrokenInvariantError
from tests.env.properties.test_leaks import assert_nothing_hidden_is_seen
from tests.soak import api, crash, jobs, mutate, play, readers, tournament
from tests.soak.crash import Fault, Job
from tests.soak.damage import Reader, as_json, damaged, plain, restructured
from tests.soak.mutants import mutants
from tests.soak.record import ROOT, Budget, ProofError
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="too slow in plain Python")


@pytest.mark.slow
def test_random_steps_of_random_games_break_no_invariant():
    counts = play.steps(40_000, None, seed=1, num_games=64, each=1_000)
    assert counts["steps"] >= 40_000
    assert counts["with_random_options"] > 10


def test_random_games_differ_by_seed_and_are_the_same_for_a_seed():
    one, again, other = ([game.options for game in play.random_games("alles_futsch", 2, seed)] for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.slow
def test_no_pair_of_states_shows_a_seat_what_it_cannot_know():
    assert play.leaks(3_000, None, seed=1, num_games=10)["pairs"] >= 3_000


@pytest.mark.slow
def test_memory_is_flat():
    assert play.memory(400_000, None, seed=1, num_games=512)["steps"] >= 400_000


@pytest.mark.slow
def test_calls_of_a_batch_are_done_or_refused_without_a_change():
    counts = api.fuzz_batches(1_800, None, seed=1)
    assert min(counts["done"], counts["refused"]) > 200


@pytest.mark.slow
def test_damaged_files_are_read_or_refused():
    counts = readers.fuzz_readers(220, None, seed=1)["counts"]
    assert sum(number for name, number in counts.items() if "refused" in name) > 100


@pytest.mark.slow
def test_a_disturbed_run_or_tournament_is_resumed_to_the_same_end():
    found = crash.crash(jobs.all_jobs(), 6, None, seed=1, workers=2)
    assert sum(found["faults"].values()) == 6
    assert found["possible"] > 1000


# ---- the proofs find what is wrong


def write_twice(folder, lasting: bool) -> Job:
    """A program that writes two files; without `lasting` a resumed one forgets the first."""

    def main(arguments: list[str]) -> None:
        if arguments == ["begin"] or lasting:
            (folder / "one").write_text("1")
        (folder / "two").write_text("2")

    def outcome(place) -> list[str]:
        return sorted(path.name for path in place.iterdir())

    return Job("writer", main, lambda _: ["begin"], lambda _: ["resume"], outcome, lambda _: True)


@pytest.mark.parametrize("kind", ["kill", "torn write"])
def test_a_killed_program_is_seen_as_killed(kind, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    ended = crash._in_child(write_twice(folder, lasting=True), ["begin"], folder, Fault(kind, 0))
    assert ended.status == crash.DIED
    assert not (folder / "two").exists()


def test_a_full_disk_is_an_error_from_the_chosen_call_on(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    ended = crash._in_child(write_twice(folder, lasting=True), ["begin"], folder, Fault("disk full", 1))
    assert "No space left on device" in ended.output
    assert [path.name for path in folder.iterdir()] == ["one"]


def test_each_place_is_disturbed_once_before_any_is_twice(tmp_path):
    job = write_twice(tmp_path, lasting=True)
    faults = [(job, Fault(kind, at, f"place {at % 3}")) for kind in ("kill", "sigterm") for at in range(12)]
    ordered, places = crash._each_place_first(faults, seed=1)
    assert places == 6
    assert len({(fault.kind, fault.where) for _, fault in ordered[:6]}) == 6
    assert sorted(fault.at for _, fault in ordered) == sorted(fault.at for _, fault in faults)


def test_the_place_of_a_call_is_its_folder_and_kind_of_file(tmp_path):
    folder = tmp_path / "work"
    job = write_twice(folder, lasting=True)
    folder.mkdir()
    assert crash._in_child(job, ["begin"], folder, None).calls == ["open *", "open *"]


@pytest.mark.parametrize("lasting", [True, False])
def test_lost_work_is_found(lasting, tmp_path):
    folder = tmp_path / "work"
    job = write_twice(folder, lasting)
    crash._reference(job, folder)
    shutil.rmtree(folder)
    if lasting:
        assert crash._try(job, Fault("kill", 0), folder, ["one", "two"]) == "died"
    else:
        with pytest.raises(ProofError, match="writer, kill at 0: the resumed program ended differently"):
            crash._try(job, Fault("kill", 0), folder, ["one", "two"])


def hang(*arguments) -> None:
    time.sleep(60)


def fail(*arguments) -> None:
    raise ZeroDivisionError


def test_a_program_that_hangs_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(crash, "MAX_SECONDS", 0.2)
    job = Job("sleeper", hang, lambda _: [], lambda _: [], list, lambda _: True)
    with pytest.raises(ProofError, match=r"sleeper, None: did not end in 0\.2 s"):
        crash.crash([job], 1, 0.1, seed=1)


@pytest.mark.parametrize(("call", "message"), [(fail, "ZeroDivisionError"), (hang, "took more than 1 s")])
def test_a_call_that_fails_or_hangs_is_found(call, message, monkeypatch):
    monkeypatch.setattr(api, "MAX_SECONDS", 1)
    monkeypatch.setattr(api, "CALLS", {"planted": call})
    with pytest.raises(ProofError, match=message):
        api.fuzz_batches(10**6, 0.1, seed=1)


def test_a_broken_invariant_is_found(monkeypatch):
    step = Batch.step

    def richer(batch: Batch, *arguments):
        step(batch, *arguments)
        batch.games["ingots"][0, 0] += 1

    monkeypatch.setattr(Batch, "step", richer)
    with pytest.raises(BrokenInvariantError):
        play.steps(10**6, 0.1, seed=1, num_games=64)


def test_a_leak_is_found(monkeypatch):
    game = make_game("alles_futsch_v1")
    assert_nothing_hidden_is_seen(game, 8, seed=1, with_views=0)
    monkeypatch.setattr(Batch, "observe", lambda batch, seat: batch.games["deck"].copy())
    with pytest.raises(AssertionError, match=r"seat 0 of .* sees a difference in"):
        assert_nothing_hidden_is_seen(game, 8, seed=1, with_views=0)


def test_memory_that_grows_is_found_and_too_few_steps_prove_nothing(monkeypatch):
    kept, step = [], Batch.step

    def leaking(batch: Batch, *arguments):
        kept.append(mmap.mmap(-1, 500_000))  # new pages: freed memory of the tests before could hide a leak
        kept[-1].write(b"x" * 500_000)
        return step(batch, *arguments)

    monkeypatch.setattr(Batch, "step", leaking)
    gc.freeze()  # `memory` collects garbage; what was there before need not be searched
    with pytest.raises(ProofError, match="memory grew from"):
        play.memory(2_000, 1.0, seed=1, num_games=64)
    with pytest.raises(ProofError, match="too few to compare"):
        play.memory(10**8, 1e-9, seed=1, num_games=64)


def test_a_tournament_that_does_not_end_is_found():
    with pytest.raises(ProofError, match=r"was not over in 0\.001 minutes"):
        tournament.tournament(10**6, 0.001, seed=1)


def reader_of(path, read) -> Reader:
    return Reader("small", path, read, [b'{"a": [1, 2]}'], plain(lambda content: [1], as_json))


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: int("x"), "ValueError"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "it died"),
        (lambda: time.sleep(60), "it died or took more than 1 s"),
    ],
)
def test_a_reader_that_fails_is_found_with_the_file(read, message, tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "MAX_SECONDS", 1)
    with pytest.raises(ProofError, match=message):
        readers._in_fork(reader_of(tmp_path / "file", read), 3, 1, tmp_path)
    assert (tmp_path / "refused_wrongly_file").exists()


def test_the_same_seed_damages_alike():
    one, again = (damaged(b"0123456789" * 20, random.Random(3), [b"other"]) for _ in range(2))
    assert one == again != b"0123456789" * 20
    data = {"a": [1, {"b": 2}], "c": "text"}
    assert as_json(restructured(data, random.Random(5))) == as_json(restructured(data, random.Random(5)))
    assert data == {"a": [1, {"b": 2}], "c": "text"}


def test_every_mutant_is_another_program_and_has_a_name_of_its_own():
    found = mutants()
    assert len({mutant.name for mutant in found}) == len(found) > 1000
    for mutant in found[::97]:
        assert ast.unparse(mutant.tree()) not in ast.unparse(ast.parse((ROOT / mutant.path).read_text("utf-8")))


def test_explained_survivors_are_mutants_and_have_reasons():
    explained = tomllib.loads(mutate.EXPLAINED.read_text("utf-8"))
    assert explained.keys() <= {mutant.name for mutant in mutants()}
    assert all(len(reason) > 10 for reason in explained.values())


@pytest.mark.slow
def test_changed_rules_are_noticed_by_the_tests_that_execute_them(tmp_path):
    program = f"""
from pathlib import Path
from tests.soak.mutate import mutate
tests = ["tests/env/warehouse51/test_scoring.py"]
print(mutate(None, None, 1, Path({str(tmp_path / "mutate.json")!r}), "scoring.py: score_sets", 2, tests))
print(mutate(2, None, 1, Path({str(tmp_path / "mutate.json")!r}), "alles_futsch/auction.py", 1, tests))
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    own, of_the_other_game = map(ast.literal_eval, ended.stdout.splitlines()[-2:])
    assert own["noticed"] == own["possible"] - own["survived"] > 5
    assert own["rate"] > 0.7
    assert (of_the_other_game["survived"], of_the_other_game["rate"]) == (2, 0.0)
    assert len(of_the_other_game["survivors"]) == 2


def test_the_budget_ends_by_number_or_by_time():
    done, late = Budget("x", None, 10, "things"), Budget("x", 1e-9, 10, "things")
    done.advance(10)
    assert done.over
    assert late.over
