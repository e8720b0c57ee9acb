"""Behaviour tables agree with the engine: scores, money, sales, objects."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.env import third_game
from tests.env.warehouse51.relic_files import every_kind
from tests.lab.behaviour.behaviour_matches import record, recorded_bots, seats_of
from w51_agents.agent.interface import AgentError
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import GENERAL, Game
from w51_lab.behaviour import BehaviourRecorder, schemas
from w51_lab.behaviour.alles_futsch.columns import OUTCOMES, SOURCES
from w51_lab.behaviour.contract import MISSING, Tables
from w51_lab.behaviour.summary import summarise_behaviour

GAMES = [
    pytest.param(warehouse51.make(3), id="warehouse51-3"),
    pytest.param(warehouse51.make(4, "hu"), id="warehouse51-hu-4"),
    pytest.param(warehouse51.make(5, "fr", relics=every_kind()), id="warehouse51-fr-5-every-effect"),
    pytest.param(warehouse51.make(None, "mini"), id="warehouse51-mini"),
    pytest.param(alles_futsch.make(2), id="alles_futsch-2"),
    pytest.param(alles_futsch.make(4), id="alles_futsch-4"),
    pytest.param(alles_futsch.make(5, "short", no_buyer="taken"), id="alles_futsch-short-5"),
]
MONEY = {"warehouse51": "ingots", "alles_futsch": "money"}


def assert_same(one: Tables, other: Tables) -> None:
    assert one.keys() == other.keys()
    for name, table in one.items():
        for column, values in table.items():
            np.testing.assert_array_equal(values, other[name][column], err_msg=f"{name}.{column}")


def by_seat(game: Game, table: dict[str, np.ndarray], column: str, num_games: int) -> np.ndarray:
    """(games, seats) sums of a column."""
    sums = np.zeros((num_games, game.num_players), np.int64)
    np.add.at(sums, (table["game"], table["seat"]), table[column])
    return sums


@pytest.mark.parametrize("game", GAMES)
def test_points_of_all_sources_are_the_score(game: Game):
    batch, tables = record(game, 96)
    np.testing.assert_array_equal(by_seat(game, tables["points"], "points", 96), batch.final_scores)
    np.testing.assert_array_equal(tables["seats"]["score"], batch.final_scores.reshape(-1))
    np.testing.assert_array_equal(tables["seats"]["rank"], batch.final_ranks.reshape(-1))
    np.testing.assert_allclose(np.bincount(tables["seats"]["game"], tables["seats"]["wins"]), 1, rtol=1e-5)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_row_of_money_equals_the_state(game: Game):
    batch, tables = record(game, 96)
    money = tables["money"]
    final = np.zeros((96, game.num_players), np.int64)
    final[money["game"], money["seat"]] = money["money"]  # of several rows the last stays
    wrong = f"an event that moves {MONEY[game.name]} is missing in w51_env/{game.name}/behaviour_tables.py"
    np.testing.assert_array_equal(final, batch.games[MONEY[game.name]][:, : game.num_players], err_msg=wrong)
    assert money["money"].min() >= 0
    np.testing.assert_array_equal(
        money["money"][money["lot"] == 0], game.options["start_ingots" if game.name == "warehouse51" else "start_money"]
    )


@pytest.mark.parametrize("game", GAMES)
def test_lots_and_bids_agree_with_the_events(game: Game):
    batch, tables = record(game, 32, events=True)
    lots, bids = tables["lots"], tables["bids"]
    names = np.array([kind.name for kind in game.event_types])[tables["events"]["kind"]]
    counts = Counter(names.tolist())
    sold = lots["seat"] != MISSING
    assert counts["revealed"] + counts["selected"] == len(sold)
    assert counts["sold" if game.name == "warehouse51" else "bought"] == sold.sum()
    np.testing.assert_array_equal(lots["price"][~sold], MISSING)
    first = np.flatnonzero(np.diff(lots["game"], prepend=-1))
    np.testing.assert_array_equal(lots["lot"][first], 1)
    np.testing.assert_array_equal(np.diff(lots["lot"])[np.diff(lots["game"]) == 0], 1)
    assert (lots["bids"] - lots["bidders"]).min() >= 0
    assert bids["bids"].sum() == lots["bids"].sum()
    assert bids["bought"].sum() == (sold & (lots["price"] > 0)).sum()
    np.testing.assert_array_equal(bids["highest"][bids["bought"]], lots["price"][sold & (lots["price"] > 0)])
    assert (lots["price"][sold] - lots["other_bid"][sold]).min() >= 0
    if game.name == "warehouse51":
        assert counts["bid"] + (tables["events"]["a"][names == "bid_shown"] > 0).sum() == lots["bids"].sum()
        np.testing.assert_array_equal(lots["price"][sold], batch.games["price"][lots["game"], lots["relic"]][sold])
        np.testing.assert_array_equal(lots["seat"], batch.games["buyer"][lots["game"], lots["relic"]])
        seen = batch.games["highest_bid"][lots["game"], :, lots["relic"]][:, : game.num_players]
        rivals = np.where(np.arange(game.num_players) == lots["seat"][:, None], 0, seen)
        np.testing.assert_array_equal(lots["other_bid"], rivals.max(axis=1))


@pytest.mark.parametrize("game", [warehouse51.make(4), alles_futsch.make(4)], ids=lambda game: game.name)
def test_bots_inside_and_outside_the_batch_give_the_same_tables(game: Game):
    _, inside = record(game, 48, events=True)
    _, outside = record(game, 48, external=True, events=True)
    assert_same(inside, outside)


def test_every_row_has_its_deal_line_up_and_agent():
    game = warehouse51.make(3)
    _, tables = record(game, 16)
    agents = seats_of(game, 16)
    for table in tables.values():
        np.testing.assert_array_equal(table["deal"], table["game"] // 2 + 7)
        np.testing.assert_array_equal(table["lineup"], 3)
        sits = table["seat"] != MISSING
        np.testing.assert_array_equal(table["agent"][sits], agents[table["game"], table["seat"]][sits])
        np.testing.assert_array_equal(table["agent"][~sits], MISSING)


@pytest.mark.parametrize("game", GAMES)
def test_tables_have_the_columns_of_their_schemas(game: Game):
    _, tables = record(game, 4, events=True)
    described = schemas(game, events=True)
    assert tables.keys() == described.keys()
    for name, schema in described.items():
        assert list(tables[name]) == [column.name for column in schema.columns]
        for column in schema.columns:
            values = tables[name][column.name]
            assert values.dtype == np.dtype(column.dtype)
            if column.nullable or column.dtype == "b1" or column.dtype == "f4":
                continue
            if column.labels is not None or column.agent_of is not None:
                assert values.min() >= 0, f"{name}.{column.name}"
            if column.labels is not None:
                np.testing.assert_array_less(values, len(column.labels))


def test_a_third_game_offers_its_own_tables_and_statistics():
    game = third_game.make(3)
    batch, tables = recorded_bots(game, ["random", "shader", "random"], 5)
    assert set(tables) == {"seats", "bids"}
    bids = tables["bids"]
    np.testing.assert_array_equal(bids["bid"].reshape(5, 3), batch.games["bids"][:, :3])
    np.testing.assert_array_equal(bids["worth"].reshape(5, 3), batch.games["worth"][:, :3])
    summary = summarise_behaviour(game, ("random", "shader"), [tables])
    assert [entry.name for entry in summary.statistics] == ["overbids", "bid"]
    random, shader = summary.agents
    above = (bids["bid"] > bids["worth"])[(bids["agent"] == 0) & (bids["bid"] > 0)]
    assert random.statistics["bids"]["overbids"] == pytest.approx(above.mean())
    assert above.any()
    assert random.statistics["bids"]["bid"] == pytest.approx(bids["bid"][bids["agent"] == 0].mean())
    assert shader.statistics["bids"]["overbids"] == 0
    assert (random.lots, random.money_by_lot, random.points) == (None, [], {})


def test_a_game_that_offers_no_behaviour_has_its_events_and_seats():
    game = replace(third_game.make(3), show=GENERAL)
    batch, tables = recorded_bots(game, ["random", "shader", "random"], 5)
    assert set(tables) == {"seats", "events"}
    assert len(tables["events"]["game"]) == len(batch.event_rows())
    np.testing.assert_array_equal(tables["seats"]["score"].reshape(5, 3), batch.final_scores)


def test_unfinished_games_have_no_tables():
    game = warehouse51.make(3)
    batch = Batch(game, 2, seed=1, autoreset="disabled", events=True)
    recorder = BehaviourRecorder(game)
    batch.reset()
    recorder.read(batch)
    with pytest.raises(AgentError, match="2 games are not over"):
        recorder.tables(batch, np.arange(2), 0, np.zeros((2, 3), int))


# ---- Alles Futsch!


def test_every_object_of_a_bought_card_is_placed_unless_someone_is_broke():
    batch, tables = record(alles_futsch.make(4), 96)
    lots, objects = tables["lots"], tables["objects"]
    placed = lots["taken"] + lots["sold"] + lots["lost"]
    bought, whole = lots["seat"] != MISSING, (batch.games["broke"] < 0)[lots["game"]]
    np.testing.assert_array_equal(placed[bought & whole], 3)
    np.testing.assert_array_equal(placed[~bought], 0)
    outcomes = np.bincount(objects["outcome"], minlength=len(OUTCOMES))
    assert outcomes.tolist() == [lots[outcome].sum() for outcome in OUTCOMES]


def test_the_table_of_objects_agrees_with_the_final_state():
    batch, tables = record(alles_futsch.make(4), 96)
    objects = tables["objects"]
    has = objects["owner"] != MISSING
    owned = np.zeros((96, 4, 5), np.int64)
    np.add.at(owned, (objects["game"][has], objects["owner"][has], objects["type"][has]), 1)
    np.testing.assert_array_equal(owned, batch.games["owned"][:, :4])
    sold = objects["outcome"] == OUTCOMES.index("sold")
    np.testing.assert_array_equal(objects["price"][~sold], MISSING)
    assert (sold & ~has).any(), "one who went broke does not get the object"


def test_worth_of_a_card_is_the_money_that_its_objects_brought():
    _, tables = record(alles_futsch.make(3), 64)
    lots, objects = tables["lots"], tables["objects"]
    np.testing.assert_array_equal(lots["worth"][lots["seat"] == MISSING], 0)
    points = dict(zip(SOURCES, tables["points"]["points"].reshape(-1, len(SOURCES)).sum(axis=0).tolist(), strict=True))
    assert lots["price"][lots["seat"] != MISSING].sum() == -points["cards"]
    assert objects["price"][objects["price"] != MISSING].sum() == points["sales"] == -points["purchases"]
    fines_and_bonuses_of_others = lots["worth"].sum() - points["sales"] - points["fines"] - points["bonuses"]
    taken_alone = lots["sold"] == 0
    assert fines_and_bonuses_of_others <= -points["fines"]
    np.testing.assert_array_equal(
        lots["worth"][taken_alone] % 30, 0
    )  # bonuses alone: who takes no more than three pays no fine


@pytest.mark.parametrize("options", [{}, {"no_buyer": "taken"}])
def test_what_a_card_would_bring_its_buyer_is_what_it_brings(options):
    _, tables = record(alles_futsch.make(4, **options), 96)
    lots, stakes = tables["lots"], tables["stakes"]
    last = np.append(lots["game"][1:] != lots["game"][:-1], True)  # in which somebody may go broke
    whole = (lots["seat"] != MISSING) & ~last
    worth = stakes["worth"].reshape(-1, 4)[np.arange(len(whole)), lots["seat"]]
    assert whole.sum() > 300
    np.testing.assert_array_equal(worth[whole], lots["worth"][whole])
    assert len(set(lots["worth"][whole].tolist())) > 4
    assert stakes["money"].min() >= 0
    assert (tables["calls"]["money"] - tables["calls"]["bid"]).min() >= 0
