"""Behaviour tables of Warehouse 51: known counterfeits, worth of relics, pawns, protections, money."""

import numpy as np
import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table
from tests.lab.behaviour.behaviour_matches import record
from w51_env import warehouse51
from w51_env.warehouse51.payment import PAYMENTS
from w51_lab.behaviour import BehaviourRecorder
from w51_lab.behaviour.contract import MISSING, Tables
from w51_lab.behaviour.warehouse51.kernels import worth_to_seats
from w51_lab.behaviour.warehouse51.recorded_tables import FATES

BIDS = "choose_deck_blue bid_1 bid_2 bid_3 pass bid_4 bid_5 pass bid_6 pass"


def follow(table: Table, actions: str) -> Tables:
    """The tables of a game with these actions; afterwards everybody passes and declines."""
    recorder = BehaviourRecorder(table.game)
    for action in actions.split():
        table.play(action)
        recorder.read(table.batch)
    while not table.over:
        table.play("decline" if "decline" in table.legal() else "pass")
        recorder.read(table.batch)
    return recorder.tables(table.batch, np.zeros(1, int), 0, np.arange(table.game.num_players)[None])


def test_a_buyer_knows_the_counterfeits_beside_its_seat():
    for gap, knew in ((0, True), (1, True), (2, False), (3, False)):
        table = Table(4).decks("holy_grail").counterfeits(holy_grail=gap)
        lots = follow(table, "choose_deck_blue bid_1 pass pass pass")["lots"]
        assert lots["counterfeit"].tolist() == [True]
        assert lots["seat"].tolist() == [1]
        assert lots["buyer_knew"].tolist() == [knew]  # seat 1 sees the gaps 0 and 1
        assert FATES[lots["fate"][0]] == "exposed"
        assert lots["worth"].tolist() == [0]


def test_bids_of_others_on_a_counterfeit_they_know_count_as_bidding_up():
    tables = follow(Table(4).decks("holy_grail").counterfeits(holy_grail=2), BIDS)
    lots, bids = tables["lots"], tables["bids"]
    assert (lots["seat"][0], lots["price"][0], lots["other_bid"][0]) == (1, 6, 5)
    assert not lots["buyer_knew"][0]
    assert lots["bid_up"][0] == 3  # seats 2 (bids of 2 and 5) and 3 (3) sit beside gap 2
    assert bids["seat"].tolist() == [1, 2, 3]
    assert bids["knew"].tolist() == [False, True, True]
    assert bids["highest"].tolist() == [6, 5, 3]
    assert bids["bids"].tolist() == [3, 2, 1]


def test_stakes_and_calls_say_who_knew_who_dropped_out_and_what_each_held():
    tables = follow(Table(4).decks("holy_grail").counterfeits(holy_grail=2).ingots(10, 7, 8, 9), BIDS)
    stakes, calls = tables["stakes"], tables["calls"]
    assert stakes["seat"].tolist() == [0, 1, 2, 3]
    assert stakes["knew"].tolist() == [False, False, True, True]  # beside gap 2, and seat 3 though it dropped out
    assert stakes["dropped"].tolist() == [1, MISSING, 3, 2]
    assert stakes["highest"].tolist() == [0, 6, 5, 3]
    assert stakes["bought"].tolist() == [False, True, False, False]
    assert stakes["worth"].tolist() == [0, 0, 0, 0]  # a counterfeit
    assert calls["seat"].tolist() == [1, 2, 3, 0, 1, 2, 3, 1, 2]
    assert calls["bid"].tolist() == [1, 2, 3, 0, 4, 5, 0, 6, 0]
    assert calls["standing"].tolist() == [0, 1, 2, 3, 3, 4, 5, 5, 6]
    assert calls["call"].tolist() == list(range(1, 10))
    assert calls["ingots"].tolist() == [10] * 9


def rows_of(table: dict[str, np.ndarray], *names: str, rows: np.ndarray | slice = slice(None)) -> list[tuple]:
    return list(zip(*(table[name][rows].tolist() for name in names), strict=True))


def test_stakes_agree_with_lots_bids_and_money():
    game = warehouse51.make(4)
    _, tables = record(game, 48)
    lots, stakes, calls, bids, money = (tables[name] for name in ("lots", "stakes", "calls", "bids", "money"))
    assert stakes["game"].reshape(-1, 4)[:, 0].tolist() == lots["game"].tolist()
    assert stakes["lot"].reshape(-1, 4)[:, 0].tolist() == lots["lot"].tolist()
    held = {row[:3]: row[3] for row in rows_of(money, "game", "lot", "seat", "money")}
    for index, lot, seat, ingots in rows_of(stakes, "game", "lot", "seat", "ingots"):
        assert held[index, lot - 1, seat] == ingots
    bought = stakes["bought"].reshape(-1, 4)
    assert bought.any(axis=1).tolist() == (lots["seat"] != MISSING).tolist()
    np.testing.assert_array_equal(lots["seat"][bought.any(axis=1)], bought.argmax(axis=1)[bought.any(axis=1)])
    owned = lots["owner"] != MISSING
    worth = stakes["worth"].reshape(-1, 4)
    np.testing.assert_array_equal(worth[np.flatnonzero(owned), lots["owner"][owned]], lots["owner_worth"][owned])
    np.testing.assert_array_equal(worth[lots["counterfeit"] & ~owned], 0)
    assert stakes["bids"][stakes["bids"] > 0].tolist() == bids["bids"].tolist()
    assert (calls["bid"] > 0).sum() == bids["bids"].sum()
    assert (calls["ingots"] - calls["bid"]).min() >= 0
    np.testing.assert_array_equal(stakes["dropped"][np.repeat(lots["auction"] == 1, 4)], MISSING)


def test_a_genuine_relic_is_no_known_counterfeit():
    table = Table(4).decks("holy_grail").counterfeits(sharur=1)
    lots = follow(table, "choose_deck_blue bid_1 pass pass pass")["lots"]
    assert not lots["counterfeit"][0]
    assert not lots["buyer_knew"][0]
    assert lots["bid_up"][0] == 0
    assert FATES[lots["fate"][0]] == "kept"


def test_known_counterfeits_agree_with_the_private_events():
    """Compared with the private events of looks at gaps, and with the gaps beside the seats."""
    game = warehouse51.make(4)
    batch, tables = record(game, 64, events=True)
    looks = 0
    saw: dict[tuple[int, int, int], int] = {}  # by game, seat, relic: the lot
    events, names = tables["events"], [kind.name for kind in game.event_types]
    lot = 0
    for index, kind, seat, seen in zip(events["game"], events["kind"], events["seat"], events["b"], strict=True):
        lot = {"set_up": 0, "revealed": lot + 1}.get(names[kind], lot)
        if names[kind] == "saw":
            saw.setdefault((index, seat, seen), lot)
            looks += 1
    assert looks > 10
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


def test_worth_is_the_score_of_the_owner_less_its_score_without_the_relic():
    table = (
        table_without_counterfeits(4).give(0, "holy_grail", "mjollnir", "sharur").give(1, "excalibur", "vorpal_sword")
    )
    finish(table.give(2, "oracle_bones", pawned=True).give(3, "philosophers_stone").ingots(10, 10, 10, 8), "decline")
    by_seat = worth_to_seats(table.game, table.batch.games)[0]
    worth = [int(by_seat[relic, max(0, owner)]) for relic, owner in enumerate(table.batch.games["place"][0][:26])]
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


def test_a_relic_that_costs_points_has_a_negative_worth(tmp_path):
    relics = (
        relic("stone", "blue", 1, "ingots_per_point", 6),
        relic("best", "blue", 3),
        relic("second", "blue", 2),
        relic("lot", "red"),
    )
    table = table_with(tmp_path, *relics).give(0, "stone").give(1, "best").give(2, "second").ingots(20, 0, 0, 0)
    finish(table)  # third in blue, and 3 points for 20 ingots instead of 4
    assert worth_to_seats(table.game, table.batch.games)[0][table.index("stone"), 0] == -1


def test_a_relic_without_an_owner_has_no_worth():
    lots = record(warehouse51.make(4), 96)[1]["lots"]
    np.testing.assert_array_equal(lots["owner_worth"][lots["owner"] == MISSING], 0)
    np.testing.assert_array_equal(lots["worth"][lots["owner"] != lots["seat"]], 0)
    assert (lots["owner_worth"] > 0).any()
    neither = (lots["alignment"] == 2) & (np.array(FATES)[lots["fate"]] == "pawned")
    np.testing.assert_array_equal(lots["owner_worth"][neither], 0)


def test_pawns_agree_with_the_final_state():
    batch, tables = record(warehouse51.make(4, pawn_limit=8), 128)
    pawns, lots = tables["pawns"], tables["lots"]
    np.testing.assert_array_equal(pawns["ingots"], 5)
    np.testing.assert_array_equal(batch.games["pawned"][pawns["game"], pawns["relic"]], ~pawns["redeemed"])
    np.testing.assert_array_equal(pawns["redeem_price"][~pawns["redeemed"]], MISSING)
    assert (pawns["redeem_price"][pawns["redeemed"]] != MISSING).all()
    assert pawns["redeemed"].any()
    lost, pawned = ~pawns["redeemed"], np.array(FATES)[lots["fate"]] == "pawned"
    pairs = (set(rows_of(table, "game", "relic", rows=rows)) for table, rows in ((lots, pawned), (pawns, lost)))
    assert set() < next(pairs) <= next(pairs)


def test_protections_agree_with_the_final_state():
    batch, tables = record(warehouse51.make(4), 128)
    protections = tables["protections"]
    certificates = protections["how"] == 0
    assert set(rows_of(protections, "game", "relic", rows=certificates)) == {
        (game, bearer) for game in range(128) for bearer in batch.games["certificate_on"][game].tolist() if bearer >= 0
    }
    cancelled = np.argwhere(batch.games["cancelled"]).tolist()
    assert set(rows_of(protections, "game", "relic", rows=~certificates)) == set(map(tuple, cancelled))
    np.testing.assert_array_equal(protections["counterfeit"][~certificates], 1)


def test_money_changes_by_prices_loans_and_effects():
    game = warehouse51.make(4)
    _, tables = record(game, 96, events=True)
    events, names = tables["events"], [kind.name for kind in game.event_types]
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
    np.testing.assert_array_equal(np.bincount(money["game"][at_the_end], money["money"][at_the_end]), flow)
    lots = tables["lots"]
    sold = lots["seat"] != MISSING
    np.testing.assert_array_equal(lots["payee"][sold], (lots["seat"][sold] + 1) % 4)
    assert lots["surcharge"].sum() == events["a"][events["kind"] == names.index("surcharged")].sum()


@pytest.mark.parametrize("payment_to", PAYMENTS)
def test_money_follows_whoever_gets_the_price(payment_to):  # T4, option: payment_to
    batch, tables = record(warehouse51.make(3, payment_to=payment_to), 30)
    money, lots = tables["money"], tables["lots"]
    last = money["lot"] == money["lot"].max()
    assert money["money"][last].reshape(30, 3).tolist() == batch.games["ingots"][:, :3].tolist()
    sold = lots["seat"] != MISSING
    step = {"left": 1, "right": -1}.get(payment_to)
    expected = MISSING if step is None else (lots["seat"][sold] + step) % 3
    np.testing.assert_array_equal(lots["payee"][sold], expected)
