"""`w51 experiment populations`: a data set to cite."""

import csv
import hashlib
import json
from functools import partial
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.commands import invoke, refused, succeeded
from w51_lab.commands.experiment import app
from w51_lab.datasets.populations import POPULATIONS, plans_of

populations = partial(invoke, app, "populations")


def test_one_command_makes_tables_codebook_digests_and_licence_from_a_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    small = ("--games", 8, "--seed", 7, "--workers", 1)
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "one", "other"):
        succeeded(populations(folder, *small))
    files = {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*")} - {Path("dataset.json")}
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "other" / path).read_bytes(), path
    lines = (tmp_path / "one" / "SHA256SUMS").read_text("utf-8").splitlines()
    for line in lines:
        digest, name = line.split("  ")
        assert digest == hashlib.sha256((tmp_path / "one" / name).read_bytes()).hexdigest()
    assert {Path(line.split("  ")[1]) for line in lines} == files - {Path("README.md")}
    facts = json.loads((tmp_path / "one" / "dataset.json").read_text("utf-8"))
    assert facts["licence"] == "MIT"
    assert facts["command"].endswith("--games 8 --seed 7")
    assert set(facts["populations"]) == set(POPULATIONS)
    card = (tmp_path / "one" / "README.md").read_text("utf-8")
    assert "license: mit" in card
    for name, one in facts["populations"].items():
        assert one["deals"]["digest"][:16] in card
        seats = parquet.read_table(tmp_path / "one" / name / "seats.parquet").to_pydict()
        assert set(seats["agent"]) == set(one["agents"])
        with (tmp_path / "one" / name / "codebook.csv").open() as file:
            described = {(line["table"], line["column"]) for line in csv.DictReader(file)}
        assert {("seats", column) for column in seats} <= described
    refused(populations(tmp_path / "one", *small), "is complete already; check it with: sha256sum -c SHA256SUMS")


def test_a_game_without_a_heuristic_has_a_population_of_each_bot():
    plans = plans_of("auctions_v0", {"num_players": 2}, 16, 1)
    assert list(plans) == ["random", "truthful", "half", "equilibrium"]
    assert all(plan.names == (name,) and plan.num_games == 4 for name, plan in plans.items())


@pytest.mark.slow
def test_a_deal_has_the_same_cards_in_every_population(tmp_path: Path):
    succeeded(populations(tmp_path / "d", "--games", 32, "--game", "alles_futsch_v1", "--workers", 1))
    first = []
    for name in POPULATIONS:
        lots = parquet.read_table(tmp_path / "d" / name / "lots.parquet").to_pydict()
        cards = [
            (deal, card) for deal, card, lot in zip(lots["deal"], lots["card"], lots["lot"], strict=True) if lot <= 5
        ]
        first.append({deal: {card for one, card in cards if one == deal} for deal in (0, 1)})
    assert all(set(cards) == {0, 1} for cards in first)
    common = [set.intersection(*(cards[deal] for cards in first)) for deal in (0, 1)]
    assert all(common)  # of five cards face up, those selected first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess_v0"], "game: 'chess_v0' is unknown"),
        (["--games", 4], "games: 4, but at least 8 are needed"),
        (["--option", "payment_to=bank"], "payment_to"),
    ],
)
def test_bad_input_is_an_error_before_any_game(arguments: list, message: str, tmp_path: Path):
    refused(populations(tmp_path / "d", *arguments), message)
    assert not list(tmp_path.iterdir())
