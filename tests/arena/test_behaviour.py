"""Tables of behaviour agree with the engine: scores, money, sales, who knew what, what relics were worth."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from agents.agent import AgentError
from arena.behaviour import BehaviourRecorder, concatenate, schemas, summarise_behaviour
from tests import third_game
from tests.arena.behaviour_matches import record, seats_of
from tests.warehouse51.endings import finish, table_without_counterfeits
from tests.warehouse51.relic_files import relic, table_with
from tests.warehouse51.table import Table
from w51_env import alles_futsch, warehouse51
from w51_env.alles_futsch.behaviour import OUTCOMES, SOURCES
from w51_env.core.batch import Batch
from w51_env.core.behaviour import MISSING, Tables
from w51_env.core.game import Game
from w51_env.warehouse51.behaviour_kernels import worth_to_owner
from w51_env.warehouse51.behaviour_tables import FATES

GAMES = [
    pytest.param(warehouse51.make(3), id="warehouse51-3"),
    pytest.param(warehouse51.make(4, "hu"), id="warehouse51-hu-4"),
    pytest.param(warehouse51.make(5, "fr"), id="warehouse51-fr-5"),
    pytest.param(warehouse51.make(None, "mini"), id="warehouse51-mini"),
    pytest.param(alles_futsch.make(2), id="alles_futsch-2"),
    pytest.param(alles_futsch.make(4), id="alles_futsch-4"),
    pytest.param(alles_futsch.make(5, "short", no_buyer="taken"), id="alles_futsch-short-5"),
]
MONEY = {"warehouse51": "ingots", "alles_futsch": "money"}


def by_seat(game: Game, table: dict[str, np.ndarray], column: str, num_games: int) -> np.ndarray:
    """(games, seats) sums of a column."""
    sums = np.zeros((num_games, game.num_players), np.int64)
    np.add.at(sums, (table["game"], table["seat"]), table[column])
    return sums


@pytest.mark.parametrize("game", GAMES)
def test_points_of_all_sources_are_the_score(game: Game):
    batch, tables = record(game, 96)
    assert (by_seat(game, tables["points"], "points", 96) == batch.final_scores).all()
    assert (tables["seats"]["score"] == batch.final_scores.reshape(-1)).all()
    assert (tables["seats"]["rank"] == batch.final_ranks.reshape(-1)).all()
    assert np.allclose(np.bincount(tables["seats"]["game"], tables["seats"]["wins"]), 1)


@pytest.mark.parametrize("game", GAMES)
def test_money_after_the_last_row_is_what_the_state_has(game: Game):
    batch, tables = record(game, 96)
    money = tables["money"]
    final = np.zeros((96, game.num_players), np.int64)
    final[money["game"], money["seat"]] = money["money"]  # of several rows the last stays
    assert (final == batch.games[MONEY[game.name]][:, : game.num_players]).all()
    assert (money["money"] >= 0).all()
    assert (
        money["money"][money["lot"] == 0]
        == game.options["start_ingots" if game.name == "warehouse51" else "start_money"]
    ).all()


def test_money_changes_by_prices_loans_and_effects():
    game = warehouse51.make(4)
    _, tables = record(game, 96, events=True)
    events, names = tables["events"], [kind.name for kind in game.event_kinds]
    flow = 40 * np.ones(96, np.int64)
    for name, column, sign in (
        ("surcharged", "a", -1),
        ("income", "a", 1),
        ("gained", "a", 1),
        ("pawned", "b", 1),
        ("redeemed", "b", -1),
    ):
        of_kind = events["kind"] == names.index(name)
        np.add.at(flow, events["game"][of_kind], sign * events[column][of_kind])
    money = tables["money"]
    at_the_end = money["lot"] == game.rules["num_relics"][0] + 1
    assert (np.bincount(money["game"][at_the_end], money["money"][at_the_end]) == flow).all()
    lots = tables["lots"]
    sold = lots["seat"] != MISSING
    assert (lots["payee"][sold] == (lots["seat"][sold] + 1) % 4).all()
    assert lots["surcharge"].sum() == events["a"][events["kind"] == names.index("surcharged")].sum()


@pytest.mark.parametrize("game", GAMES)
def test_lots_and_bids_agree_with_the_events(game: Game):
    batch, tables = record(game, 32, events=True)
    lots, bids = tables["lots"], tables["bids"]
    names = np.array([kind.name for kind in game.event_kinds])[tables["events"]["kind"]]
    told = Counter(names.tolist())
    sold = lots["seat"] != MISSING
    assert told["revealed"] + told["selected"] == len(sold)
    assert told["sold" if game.name == "warehouse51" else "bought"] == sold.sum()
    assert (lots["price"][~sold] == MISSING).all()
    first = np.flatnonzero(np.diff(lots["game"], prepend=-1))
    assert (lots["lot"][first] == 1).all()
    assert (np.diff(lots["lot"])[np.diff(lots["game"]) == 0] == 1).all()
    assert (lots["bids"] >= lots["bidders"]).all()
    assert bids["bids"].sum() == lots["bids"].sum()
    assert bids["bought"].sum() == (sold & (lots["price"] > 0)).sum()
    assert (bids["highest"][bids["bought"]] == lots["price"][sold & (lots["price"] > 0)]).all()
    assert (lots["other_bid"][sold] <= lots["price"][sold]).all()
    if game.name == "warehouse51":
        assert told["bid"] + (tables["events"]["a"][names == "bid_shown"] > 0).sum() == lots["bids"].sum()
        assert (lots["price"][sold] == batch.games["price"][lots["game"], lots["relic"]][sold]).all()
        assert (lots["seat"] == batch.games["buyer"][lots["game"], lots["relic"]]).all()
        seen = batch.games["highest_bid"][lots["game"], :, lots["relic"]][:, : game.num_players]
        rivals = np.where(np.arange(game.num_players) == lots["seat"][:, None], 0, seen)
        assert (lots["other_bid"] == rivals.max(axis=1)).all()


@pytest.mark.parametrize("game", [warehouse51.make(4), alles_futsch.make(4)], ids=lambda game: game.name)
def test_players_inside_the_batch_and_outside_leave_the_same_tables(game: Game):
    _, inside = record(game, 48, events=True)
    _, outside = record(game, 48, external=True, events=True)
    assert_same(inside, outside)


@pytest.mark.parametrize("game", [warehouse51.make(3), alles_futsch.make(3)], ids=lambda game: game.name)
def test_parts_put_together_are_the_whole(game: Game):
    whole = concatenate([record(game, 16, seed=seed)[1] for seed in (1, 2)])
    again = [record(game, 16, seed=seed)[1] for seed in (1, 2)]
    assert (whole["lots"]["game"] == np.concatenate([again[0]["lots"]["game"], again[1]["lots"]["game"] + 16])).all()
    assert set(np.unique(whole["seats"]["game"])) == set(range(32))
    for name, table in whole.items():
        assert {len(column) for column in table.values()} == {len(again[0][name]["game"]) + len(again[1][name]["game"])}


def test_tables_that_are_not_alike_can_not_be_put_together():
    game = warehouse51.make(None, "nano")
    with pytest.raises(AgentError, match="cannot be concatenated"):
        concatenate([record(game, 2)[1], record(game, 2, events=True)[1]])
    with pytest.raises(AgentError, match="no tables"):
        concatenate([])


def test_keys_and_agents_say_where_a_row_comes_from():
    game = warehouse51.make(3)
    _, tables = record(game, 16)
    agents = seats_of(game, 16)
    for table in tables.values():
        assert (table["deal"] == table["game"] // 2 + 7).all()
        assert (table["lineup"] == 3).all()
        sits = table["seat"] != MISSING
        assert (table["agent"][sits] == agents[table["game"], table["seat"]][sits]).all()
        assert (table["agent"][~sits] == MISSING).all()


@pytest.mark.parametrize("game", GAMES)
def test_columns_are_those_that_are_described(game: Game):
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
            if column.words is not None or column.agent_of is not None:
                assert (values >= 0).all(), f"{name}.{column.name}"
            if column.words is not None:
                assert (values < len(column.words)).all()


def recorded(game: Game) -> tuple[Batch, Tables]:
    """Five games of the third game, played by bots."""
    batch = Batch(game, 5, seed=1, controllers=["random", "shader", "random"], autoreset="disabled", events=True)
    recorder = BehaviourRecorder(game)
    batch.reset()
    recorder.read(batch)
    return batch, recorder.tables(batch, np.arange(5), np.arange(5), np.tile([0, 1, 0], (5, 1)))


def test_a_third_game_offers_its_own_tables_and_statistics():
    game = third_game.make(3)
    batch, tables = recorded(game)
    assert set(tables) == {"seats", "bids"}
    bids = tables["bids"]
    assert (bids["bid"].reshape(5, 3) == batch.games["bids"][:, :3]).all()
    assert (bids["worth"].reshape(5, 3) == batch.games["worth"][:, :3]).all()
    summary = summarise_behaviour(game, ("random", "shader"), tables)
    assert [entry["name"] for entry in summary["statistics"]] == ["overbids"]
    random, shader = summary["agents"]
    above = (bids["bid"] > bids["worth"])[(bids["agent"] == 0) & (bids["bid"] > 0)]
    assert random["bids"]["overbids"] == pytest.approx(above.mean())
    assert above.any()
    assert shader["bids"]["overbids"] == 0
    assert "price" not in random
    assert "money_by_lot" not in random


def test_a_game_that_offers_no_behaviour_has_its_events_and_seats():
    game = replace(third_game.make(3), behaviour=None)
    batch, tables = recorded(game)
    assert set(tables) == {"seats", "events"}
    assert len(tables["events"]["game"]) == len(batch.event_rows())
    assert (tables["seats"]["score"].reshape(5, 3) == batch.final_scores).all()


def test_games_under_way_have_no_tables_yet():
    game = warehouse51.make(3)
    batch = Batch(game, 2, seed=1, autoreset="disabled", events=True)
    recorder = BehaviourRecorder(game)
    batch.reset()
    recorder.read(batch)
    with pytest.raises(AgentError, match="2 games are not over"):
        recorder.tables(batch, np.arange(2), 0, np.zeros((2, 3), int))


# ---- Warehouse 51


def follow(table: Table, *actions: str) -> Tables:
    """The tables of what happens from here on, if all else is passed on and declined."""
    recorder = BehaviourRecorder(table.game)
    for action in actions:
        table.play(action)
        recorder.read(table.batch)
    while not table.over:
        table.play("decline" if "decline" in table.legal() else "pass")
        recorder.read(table.batch)
    return recorder.tables(table.batch, np.zeros(1, int), 0, np.arange(table.game.num_players)[None])


def test_the_buyer_knew_the_counterfeit_beside_it():
    for gap, knew in ((0, True), (1, True), (2, False), (3, False)):
        lots = follow(
            Table(4).decks("holy_grail").counterfeits(holy_grail=gap),
            "choose_deck_blue",
            "bid_1",
            "pass",
            "pass",
            "pass",
        )["lots"]
        assert lots["counterfeit"].tolist() == [True]
        assert lots["seat"].tolist() == [1]
        assert lots["buyer_knew"].tolist() == [knew]  # seat 1 sees the gaps 0 and 1
        assert FATES[lots["fate"][0]] == "exposed"
        assert lots["worth"].tolist() == [0]


def test_bidding_up_is_what_others_bid_for_a_counterfeit_they_know():
    tables = follow(
        Table(4).decks("holy_grail").counterfeits(holy_grail=2),
        *("choose_deck_blue", "bid_1", "bid_2", "bid_3", "pass", "bid_4", "bid_5", "pass", "bid_6", "pass"),
    )
    lots, bids = tables["lots"], tables["bids"]
    assert (lots["seat"][0], lots["price"][0], lots["other_bid"][0]) == (1, 6, 5)
    assert not lots["buyer_knew"][0]
    assert lots["bid_up"][0] == 3  # seats 2 (bids of 2 and 5) and 3 (3) sit beside gap 2
    assert bids["seat"].tolist() == [1, 2, 3]
    assert bids["knew"].tolist() == [False, True, True]
    assert bids["highest"].tolist() == [6, 5, 3]
    assert bids["bids"].tolist() == [3, 2, 1]


def test_nothing_is_known_of_a_relic_that_is_no_counterfeit():
    lots = follow(
        Table(4).decks("holy_grail").counterfeits(sharur=1), "choose_deck_blue", "bid_1", "pass", "pass", "pass"
    )["lots"]
    assert not lots["counterfeit"][0]
    assert not lots["buyer_knew"][0]
    assert lots["bid_up"][0] == 0
    assert FATES[lots["fate"][0]] == "kept"


def test_who_knew_agrees_with_what_each_seat_saw():
    """Against the private events of looking, and the neighbours, game by game."""
    game = warehouse51.make(4)
    batch, tables = record(game, 64, events=True)
    told = 0
    saw: dict[tuple[int, int, int], int] = {}  # by game, seat, relic: the lot
    events, names = tables["events"], [kind.name for kind in game.event_kinds]
    lot = 0
    for index, kind, seat, seen in zip(events["game"], events["kind"], events["seat"], events["b"], strict=True):
        lot = {"set_up": 0, "revealed": lot + 1}.get(names[kind], lot)
        if names[kind] == "saw":
            saw.setdefault((index, seat, seen), lot)
            told += 1
    assert told > 10
    bids = tables["bids"]
    gap = batch.games["counterfeit_gap"][bids["game"], bids["relic"]]
    columns = (bids[name] for name in ("game", "lot", "seat", "relic", "knew"))
    for index, number, seat, under_the_hammer, knew, at in zip(*columns, gap, strict=True):
        beside = at >= 0 and at in (seat, (seat - 1) % 4)
        assert knew == (beside or saw.get((index, seat, under_the_hammer), 99) < number)
    lots = tables["lots"]
    bought = bids["bought"] & bids["knew"]
    assert bought.sum() == lots["buyer_knew"].sum() > 0
    assert bids["bids"][bids["knew"] & ~bids["bought"]].sum() == lots["bid_up"].sum() > 0


def test_a_relic_is_worth_the_points_that_its_owner_would_have_less_without_it():
    table = (
        table_without_counterfeits(4).give(0, "holy_grail", "mjollnir", "sharur").give(1, "excalibur", "vorpal_sword")
    )
    finish(table.give(2, "oracle_bones", pawned=True).give(3, "philosophers_stone").ingots(10, 10, 10, 8), "decline")
    worth = worth_to_owner(table.game, table.batch.games)[0]
    expected = {
        "excalibur": 8 - 6,  # first in blue with values 2 and 2, second with one of them: the grail has 3
        "vorpal_sword": 8 - 6,
        "holy_grail": 6,  # second, then nothing
        "mjollnir": 7,  # alone in green and in golden
        "sharur": 6,
        "oracle_bones": 0,  # pawned
        "philosophers_stone": 2 - 1,  # 8 ingots; third in blue
    }
    assert {relic: int(worth[table.index(relic)]) for relic in expected} == expected


def test_a_relic_that_costs_points_is_worth_less_than_nothing(tmp_path):
    relics = (
        relic("stone", "blue", 1, "ingots_per_point", 6),
        relic("best", "blue", 3),
        relic("second", "blue", 2),
        relic("lot", "red"),
    )
    table = table_with(tmp_path, *relics).give(0, "stone").give(1, "best").give(2, "second").ingots(20, 0, 0, 0)
    finish(table)  # third in blue, and 3 points for 20 ingots instead of 4
    assert worth_to_owner(table.game, table.batch.games)[0][table.index("stone")] == -1


def test_what_is_worth_something_has_an_owner_at_the_end():
    batch, tables = record(warehouse51.make(4), 96)
    lots = tables["lots"]
    assert (lots["owner_worth"][lots["owner"] == MISSING] == 0).all()
    assert (lots["worth"][lots["owner"] != lots["seat"]] == 0).all()
    assert (lots["owner_worth"] > 0).any()
    neither = (lots["alignment"] == 2) & (np.array(FATES)[lots["fate"]] == "pawned")
    assert (lots["owner_worth"][neither] == 0).all()
    before = batch.games.copy()
    record(warehouse51.make(4), 96)
    assert (batch.games == before).all()


def test_pawned_relics_are_followed_to_the_end():
    batch, tables = record(warehouse51.make(4, pawn_limit=8), 128)
    pawns, lots = tables["pawns"], tables["lots"]
    assert (pawns["ingots"] == 5).all()
    assert (batch.games["pawned"][pawns["game"], pawns["relic"]] == ~pawns["redeemed"]).all()
    assert (pawns["redeem_price"][~pawns["redeemed"]] == MISSING).all()
    assert (pawns["redeem_price"][pawns["redeemed"]] != MISSING).all()
    assert pawns["redeemed"].any()
    pairs = set(
        zip(pawns["game"][~pawns["redeemed"]].tolist(), pawns["relic"][~pawns["redeemed"]].tolist(), strict=True)
    )
    pawned = np.array(FATES)[lots["fate"]] == "pawned"
    assert pawned.any()
    assert set(zip(lots["game"][pawned].tolist(), lots["relic"][pawned].tolist(), strict=True)) <= pairs


def test_protections_are_those_of_the_state():
    batch, tables = record(warehouse51.make(4), 128)
    protections = tables["protections"]
    certificates = protections["how"] == 0
    placed = np.stack([protections["game"], protections["relic"]], axis=1)
    assert {tuple(row) for row in placed[certificates]} == {
        (game, bearer) for game in range(128) for bearer in batch.games["certificate_on"][game].tolist() if bearer >= 0
    }
    assert {tuple(row) for row in placed[~certificates]} == set(
        zip(*map(np.ndarray.tolist, np.nonzero(batch.games["cancelled"])), strict=True)
    )
    assert protections["counterfeit"][~certificates].all()


# ---- Alles Futsch!


def test_every_object_of_a_bought_card_is_placed_unless_someone_is_broke():
    batch, tables = record(alles_futsch.make(4), 96)
    lots, objects = tables["lots"], tables["objects"]
    placed = lots["taken"] + lots["sold"] + lots["lost"]
    bought, whole = lots["seat"] != MISSING, (batch.games["broke"] < 0)[lots["game"]]
    assert (placed[bought & whole] == 3).all()
    assert (placed[~bought] == 0).all()
    outcomes = np.bincount(objects["outcome"], minlength=len(OUTCOMES))
    assert outcomes.tolist() == [lots[outcome].sum() for outcome in OUTCOMES]


def test_objects_told_are_objects_owned():
    batch, tables = record(alles_futsch.make(4), 96)
    objects = tables["objects"]
    has = objects["owner"] != MISSING
    owned = np.zeros((96, 4, 5), np.int64)
    np.add.at(owned, (objects["game"][has], objects["owner"][has], objects["type"][has]), 1)
    assert (owned == batch.games["owned"][:, :4]).all()
    sold = objects["outcome"] == OUTCOMES.index("sold")
    assert (objects["price"][~sold] == MISSING).all()
    assert (sold & ~has).any(), "one who went broke does not get the object"


def test_a_card_is_worth_what_its_objects_brought_at_once():
    _, tables = record(alles_futsch.make(3), 64)
    lots, objects = tables["lots"], tables["objects"]
    assert (lots["worth"][lots["seat"] == MISSING] == 0).all()
    points = dict(zip(SOURCES, tables["points"]["points"].reshape(-1, len(SOURCES)).sum(axis=0).tolist(), strict=True))
    assert lots["price"][lots["seat"] != MISSING].sum() == -points["cards"]
    assert objects["price"][objects["price"] != MISSING].sum() == points["sales"] == -points["purchases"]
    fines_and_bonuses_of_others = lots["worth"].sum() - points["sales"] - points["fines"] - points["bonuses"]
    taken_alone = lots["sold"] == 0
    assert fines_and_bonuses_of_others <= -points["fines"]
    assert (lots["worth"][taken_alone] % 30 == 0).all()  # bonuses alone: who takes no more than three pays no fine


def assert_same(one: Tables, other: Tables) -> None:
    assert one.keys() == other.keys()
    for name, table in one.items():
        for column, values in table.items():
            assert (values == other[name][column]).all(), f"{name}.{column}"
