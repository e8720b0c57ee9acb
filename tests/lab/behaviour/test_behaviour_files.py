"""Tables of behaviour as files, and in some numbers for a report."""

import csv
import json
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.env import third_game
from tests.lab.behaviour.behaviour_matches import NAMES, record
from w51_agents.agent.interface import AgentError
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import FileError, MissingPackageError
from w51_env.engine.game import GENERAL, Game
from w51_lab.behaviour import (
    BehaviourRecorder,
    schemas,
    wide_table,
    write_behaviour,
    write_wide,
    writing,
)
from w51_lab.behaviour.contract import MISSING
from w51_lab.behaviour.summary import summarise_behaviour

BOTH = [pytest.param(warehouse51.make(4), id="warehouse51"), pytest.param(alles_futsch.make(4), id="alles_futsch")]


@pytest.mark.parametrize("game", BOTH)
def test_files_contain_the_tables(game: Game, tmp_path):
    _, tables = record(game, 16, events=True)
    paths = write_behaviour(game, NAMES, [tables], tmp_path / "behaviour")
    files = [f"{name}.{kind}" for name in tables for kind in ("csv", "parquet")]
    assert sorted(path.name for path in paths) == sorted([*files, "codebook.csv"])
    with (tmp_path / "behaviour" / "codebook.csv").open() as file:
        described = [(line["table"], line["column"], line["unit"], line["meaning"]) for line in csv.DictReader(file)]
    assert described == [
        (name, column.name, column.unit, column.meaning)
        for name, schema in schemas(game, events=True).items()
        for column in schema.columns
    ]
    for name, schema in schemas(game, events=True).items():
        read = parquet.read_table(tmp_path / "behaviour" / f"{name}.parquet").to_pydict()
        with (tmp_path / "behaviour" / f"{name}.csv").open() as file:
            lines = list(csv.DictReader(file))
        assert list(read) == list(lines[0]) == [column.name for column in schema.columns]
        for column in schema.columns:
            values = tables[name][column.name].tolist()
            labels = NAMES if column.agent_of else column.labels
            expected = [
                None if column.nullable and value == MISSING else labels[value] if labels else value for value in values
            ]
            assert read[column.name] == expected, f"{name}.{column.name}"
            if column.dtype != "f4":
                expected = [
                    "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                    for value in expected
                ]
                assert [line[column.name] for line in lines] == expected, f"{name}.{column.name}"


@pytest.mark.parametrize("game", BOTH)
def test_the_wide_table_has_every_seat_at_every_lot(game: Game, tmp_path):
    _, tables = record(game, 16)
    write_behaviour(game, NAMES, [tables, tables], tmp_path)
    wide = wide_table(tmp_path).to_pylist()
    lots = {(row["game"], row["lot"]): row for row in parquet.read_table(tmp_path / "lots.parquet").to_pylist()}
    seats = {(row["game"], row["seat"]): row for row in parquet.read_table(tmp_path / "seats.parquet").to_pylist()}
    assert len(wide) == 2 * 4 * len(tables["lots"]["lot"])
    for row in wide:
        lot, seat = lots[row["game"], row["lot"]], seats[row["game"], row["seat"]]
        assert (row["buyer"], row["buyer_agent"], row["price"]) == (lot["seat"], lot["agent"], lot["price"])
        assert (row["buyer_worth"], row["lot_bids"]) == (lot["worth"], lot["bids"])
        assert (row["agent"], row["score"], row["wins"]) == (seat["agent"], seat["score"], seat["wins"])
        assert row["bought"] == (row["seat"] == row["buyer"])
    assert [path.name for path in write_wide(tmp_path)] == ["wide.parquet", "wide.csv"]
    assert parquet.read_table(tmp_path / "wide.parquet").equals(wide_table(tmp_path))


def test_a_folder_without_tables_has_no_wide_table(tmp_path):
    with pytest.raises(AgentError, match=r"no stakes\.parquet"):
        wide_table(tmp_path)


def test_parquet_files_describe_their_columns(tmp_path):
    game = warehouse51.make(3)
    write_behaviour(game, NAMES, [record(game, 2)[1]], tmp_path)
    for name, schema in schemas(game).items():
        stored = parquet.read_schema(tmp_path / f"{name}.parquet")
        assert stored.metadata[b"description"].decode() == f"A row for {schema.rows}."
        assert stored.metadata[b"game"] == b"warehouse51_v1"
        assert json.loads(stored.metadata[b"options"])["num_players"] == 3
        for column in schema.columns:
            metadata = stored.field(column.name).metadata
            assert metadata[b"description"].decode() == column.meaning
            assert metadata.get(b"unit", b"").decode() == column.unit
    assert {column.name: column.unit for column in schemas(game)["lots"].columns}["price"] == "ingots"


def test_the_same_tables_make_the_same_files(tmp_path):
    game = warehouse51.make(3)
    for folder in ("one", "other"):
        write_behaviour(game, NAMES, [record(game, 4)[1]], tmp_path / folder)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


@pytest.mark.parametrize("rows", [1, 500, 10**6])
def test_the_files_of_several_parts_have_all_rows_whatever_the_size_of_a_row_group(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_ROWS", rows)
    game = warehouse51.make(3)
    parts = [record(game, 16, seed=seed)[1] for seed in (1, 2, 3)]
    write_behaviour(game, NAMES, parts, tmp_path)
    for name in parts[0]:
        read = parquet.read_table(tmp_path / f"{name}.parquet")
        games = [part[name]["game"] + 16 * number for number, part in enumerate(parts)]
        assert read["game"].to_pylist() == np.concatenate(games).tolist()
        assert read["deal"].to_pylist() == np.concatenate([part[name]["deal"] for part in parts]).tolist()
        with (tmp_path / f"{name}.csv").open() as file:
            assert [int(line["game"]) for line in csv.DictReader(file)] == read["game"].to_pylist()
    assert parquet.ParquetFile(tmp_path / "lots.parquet").num_row_groups == {1: 3, 500: 2, 10**6: 1}[rows]


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    game = warehouse51.make(None, "nano")
    with pytest.raises(MissingPackageError, match=r"pip install 'w51_env\[arena\]'"):
        write_behaviour(game, NAMES, [record(game, 2)[1]], tmp_path)


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    game = warehouse51.make(None, "nano")
    with pytest.raises(FileError, match="cannot be written"):
        write_behaviour(game, NAMES, [record(game, 2)[1]], tmp_path / "file")


# ---- summary


@pytest.mark.parametrize("game", BOTH)
def test_the_summary_is_plain_data_of_all_agents(game: Game):
    _, tables = record(game, 64)
    summary = summarise_behaviour(game, (*NAMES, "absent"), [tables])
    json.dumps(summary.model_dump(), allow_nan=False)
    found = summary.agents
    assert [agent.name for agent in found] == ["random", "heuristic", "absent"]
    assert sum(agent.games for agent in found) == 64 * 4
    assert found[2].games == 0
    assert found[2].lots.price is None
    for index, agent in enumerate(found[:2]):
        seats = tables["seats"]
        assert sum(agent.points.values()) == pytest.approx(seats["score"][seats["agent"] == index].mean())
        lots = tables["lots"]
        own = lots["agent"] == index
        assert agent.lots.bought == pytest.approx(own.sum() / agent.games)
        assert agent.lots.price == pytest.approx(lots["price"][own].mean())
        assert agent.lots.price_less_worth == pytest.approx(agent.lots.price / summary.point_price - agent.lots.worth)
        assert sum(kind.bought for kind in agent.prices) == pytest.approx(agent.lots.bought)
        assert sum(kind.bought * (kind.price or 0) for kind in agent.prices) == pytest.approx(
            agent.lots.bought * agent.lots.price
        )
        assert agent.money_by_lot[0] == game.options["start_ingots" if game.name == "warehouse51" else "start_money"]


def test_counterfeits_and_pawns_are_counted_per_seat_of_a_game():
    game = warehouse51.make(4)
    batch, tables = record(game, 64)
    summary = summarise_behaviour(game, NAMES, [tables])
    lots, bids = tables["lots"], tables["bids"]
    for index, agent in enumerate(summary.agents):
        fakes = agent.statistics["counterfeits"]
        of_agent = lots["counterfeit"] & (lots["agent"] == index)
        assert (fakes["bought_knowing"] + fakes["bought_unknowing"]) * agent.games == pytest.approx(of_agent.sum())
        known = bids["knew"] & (bids["agent"] == index)
        assert fakes["known_had_to_buy"] == pytest.approx(bids["bought"][known].mean())
        assert fakes["known_bid_up"] * agent.games == pytest.approx((known & ~bids["bought"]).sum())
        assert agent.statistics["pawns"]["pawned"] == pytest.approx(
            agent.statistics["pawns"]["redeemed"] + agent.statistics["pawns"]["lost"]
        )
        assert len(agent.money_by_lot) == 27
    total = sum(agent.money_at_the_end * agent.games for agent in summary.agents)
    assert total == pytest.approx(batch.games["ingots"].sum())


def test_the_summary_of_games_without_sales_has_no_prices():
    game = warehouse51.make(3)
    batch, recorder = Batch(game, 2, seed=1, autoreset="disabled", events=True), BehaviourRecorder(game)
    batch.reset()
    recorder.read(batch)
    passing = game.actions.id("pass")
    while (batch.seat >= 0).any():
        first = np.where(batch.action_mask[:, passing] > 0, passing, batch.action_mask.argmax(axis=1))
        batch.step(np.where(batch.seat >= 0, first, -1))
        recorder.read(batch)
    summary = summarise_behaviour(game, ("miser",), [recorder.tables(batch, np.arange(2), 0, np.zeros((2, 3), int))])
    (miser,) = summary.agents
    assert (miser.lots.bought, miser.lots.price, miser.lots.worth, miser.prices) == (0, None, None, [])
    assert miser.money_by_lot == [10.0] * 27


def test_a_game_without_behaviour_has_no_summary():
    game = replace(third_game.make(2), show=GENERAL)
    tables = {"seats": {"agent": np.array([0, 1, 1, 0]), "game": np.array([0, 0, 1, 1])}}
    assert summarise_behaviour(game, ("one", "two"), [tables]) is None


def test_the_summary_of_several_parts_covers_all_games():
    game = alles_futsch.make(3)
    parts = [record(game, 8, seed=seed)[1] for seed in (1, 2)]
    whole = summarise_behaviour(game, NAMES, parts)
    one, other = (summarise_behaviour(game, NAMES, [part]) for part in parts)
    for agent in range(2):
        games = [summary.agents[agent].games for summary in (one, other)]
        bought = [summary.agents[agent].lots.bought for summary in (one, other)]
        assert whole.agents[agent].lots.bought == pytest.approx(np.average(bought, weights=games))


def test_a_small_table_that_says_a_value_a_million_times_is_refused(tmp_path):
    for name in ("stakes", "lots", "seats"):
        parquet.write_table(pa.table({"seat": pa.array([0] * 5_000_000, pa.int8())}), tmp_path / f"{name}.parquet")
    with pytest.raises(AgentError, match=r"stakes\.parquet: 5,000,000 rows, but at most [\d,]+ are read from so small"):
        wide_table(tmp_path)
    for table in (pa.table({"seat": ["0"] * 9}), pa.table({"seat": pa.array([0] * 9, pa.int8())})):
        for name in ("stakes", "lots", "seats"):
            parquet.write_table(table, tmp_path / f"{name}.parquet")
        with pytest.raises(AgentError, match=r"has the type string|not written by this package"):
            wide_table(tmp_path)
    (tmp_path / "stakes.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(FileError, match=r"cannot be read: Couldn't deserialize"):
        wide_table(tmp_path)
