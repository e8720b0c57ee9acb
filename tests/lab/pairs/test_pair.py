"""`w51 experiment pair`: one option of a game is changed, and all else is equal."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from tests.commands import invoke, refused
from tests.env.engine.test_options_contract import BESIDE
from w51_env import make_game
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor
from w51_lab.commands.experiment import PairOptions, app, spec_of
from w51_lab.pairs.effects import PlayedPair, effects_of
from w51_lab.pairs.option_pair import OptionPair, drawn_otherwise, parse_change

experiment = partial(invoke, app, "pair")
BOTH_FORMS = "relics=open:reconstruction-1,blind:reconstruction-1"
# For each option two values, and what chance draws otherwise.
_FIRST = {"seat", "first_player", "revealer"}
OPTIONS: dict[str, dict[str, Any]] = {
    "warehouse51_v1": {
        "first_player": ("random,0", _FIRST),
        "pawn_limit": ("5,4", set()),
        "certificate_timing": ("end,anytime", set()),
        "certificate_belongs_to": ("buyer,owner", set()),
        "start_ingots": ("10,8", set()),
        "reserve": ("20,10", set()),
        "pawn_loan": ("5,4", set()),
        "redeem_price": ("10,8", set()),
        "counterfeits_per_gap": ("null,2", {"counterfeit_gap"}),
        "relics": ("open:reconstruction-1,blind:reconstruction-1", set()),
        "reward": ("win,margin", set()),
        "ask_forced": ("false,true", set()),
        "payment_to": ("left,others", set()),
        "refund": ("100,50", set()),
    },
    "alles_futsch_v1": {
        "first_player": ("random,0", {"seat", "selector"}),
        "start_money": ("200,100", set()),
        "cards": ("multisets,random", {"seat", "selector", "deck", "face_up"}),
        "num_cards": ("35,20", set()),
        "minimum_bid": ("1,5", set()),
        "no_bid_selector": ("same,left", set()),
        "no_buyer": ("lost,taken", set()),
        "deck_exhausted": ("play_on,end", set()),
        "sale_price": ("20,10", set()),
        "fine": ("10,0", set()),
        "bonus": ("30,0", set()),
        "reward": ("win,rank", set()),
        "ask_forced": ("false,true", set()),
    },
    "auctions_v0": {
        **dict.fromkeys(("reserve", "entry_fee", "risk_aversion"), ("0,10", set())),
        **dict.fromkeys(("max_value", "low_value", "high_chance"), ("50,40", {"signals"})),
        **dict.fromkeys(("alpha", "beta"), ("2,3", {"signals"})),
        "auction": ("first_price,english", set()),
        "values": ("private,affiliated", {"signals", "common"}),
        "distribution": ("two_point,beta", {"signals"}),
        "max_bid": ("100,50", set()),
        "bid_step": ("1,5", set()),
        "payee": ("bank,losers", set()),
        "budget": ("0,100", set()),
        "num_rounds": ("1,3", set()),
        "keep_values": ("false,true", set()),
        "items": ("1,2", {"second_signals", "second_lot"}),
        "synergy": ("0,10", set()),
        "one_each": ("false,true", set()),
        "bidders": ("0 60/0 60/0 100,0 60/0 60/0 60", {"signals"}),
        "reward": ("payoff,win", set()),
        "ask_forced": ("false,true", set()),
    },
}


def pair_of(text: str, *agents: str, **spec: Any) -> OptionPair:
    return OptionPair(TournamentSpec(agents=agents or ("heuristic",), **spec), parse_change(text))


def played(pair: OptionPair) -> PlayedPair:
    first, second = (run(plan, make_executor(plan, 1)) for plan in pair.plans)
    return PlayedPair(pair, first, second)


@pytest.mark.parametrize("game_id", OPTIONS)
def test_a_pair_has_equal_deals_whatever_option_is_changed_where_the_option_permits_it(game_id: str):
    assert {"num_players", *OPTIONS[game_id]} == set(make_game(game_id).options)
    for option, (values, others) in OPTIONS[game_id].items():
        agent = "truthful" if game_id == "auctions_v0" else "heuristic"
        pair = pair_of(
            f"{option}={values}",
            agent,
            game=game_id,
            options=BESIDE.get(option, {}),
        )
        assert set(pair.unequal()) == others, option
        first, second = (game.options[option] for game in pair.games)
        assert first != second


def test_other_cards_are_no_equal_lots():
    first, second = (make_game("warehouse51_v1", relics=relics) for relics in ("reconstruction-1", "generated:1"))
    assert {"cards", "deck"} <= set(drawn_otherwise(first, second, np.arange(20, dtype=np.uint64)))


def test_the_same_lots_are_auctioned_openly_and_blind():
    pair = played(pair_of(BOTH_FORMS, games=6))
    (part,) = pair.parts
    lots = part["lots"]
    np.testing.assert_array_equal(lots["auction_first"], 0)
    np.testing.assert_array_equal(lots["auction_second"], 1)
    np.testing.assert_array_equal(np.bincount(lots["game"]), 26)
    for side, result in (("first", pair.first), ("second", pair.second)):
        own = result.behaviour[0]["lots"]
        by_card = {
            (game, relic): price for game, relic, price in zip(own["game"], own["relic"], own["price"], strict=True)
        }
        found = zip(lots["game"], lots["relic"], lots[f"price_{side}"], strict=True)
        assert all(by_card[game, relic] == price for game, relic, price in found)


def test_lots_of_a_card_that_comes_up_twice_are_paired_in_their_order():
    pair = played(pair_of("minimum_bid=1,3", game="alles_futsch_v1", options={"cards": "random"}, games=4))
    lots = pair.parts[0]["lots"]
    for side in ("first", "second"):
        keys = list(zip(lots["game"].tolist(), lots[f"lot_{side}"].tolist(), strict=True))
        assert len(set(keys)) == len(keys) > 60
    order = np.lexsort((lots["lot_first"], lots["card"], lots["game"]))
    same = (np.diff(lots["game"][order]) == 0) & (np.diff(lots["card"][order]) == 0)
    assert same.any()
    np.testing.assert_array_less(0, np.diff(lots["lot_second"][order])[same])


def test_an_option_that_changes_nothing_has_no_effect_on_anything():
    effects = effects_of([played(pair_of("reward=win,margin", "heuristic", "random", games=24))])
    assert len({effect.measure for effect in effects}) > 25
    assert {effect.agent for effect in effects} == {"all seats", "heuristic", "random"}
    assert all(effect.first == effect.second and effect.difference.mean == 0 for effect in effects)
    json.dumps([effect.model_dump() for effect in effects], allow_nan=False)


def test_prices_and_worth_of_auctions_are_compared_in_one_unit():
    pair = played(pair_of("auction=first_price,second_price", "equilibrium", game="auctions_v0", games=40))
    effects = {effect.measure: effect for effect in effects_of([pair])}
    assert effects["price_less_worth"].first == pytest.approx(-effects["lots.payoff"].first)
    assert effects["lots.revenue"].unit == effects["score"].unit == effects["lots.surplus"].unit == "units"
    assert effects["lots.revenue"].first + effects["lots.surplus"].first == pytest.approx(effects["worth"].first)


def test_who_loses_pays_in_the_revenue_of_an_all_pay_auction_and_unsold_lots_count():
    """Revenue equivalence (Krishna 2009, chapter 3): 50 of 100 with three bidders; with a reserve of a half 5/12."""
    pair = played(pair_of("auction=first_price,all_pay", "equilibrium", game="auctions_v0", games=3000))
    effects = {effect.measure: effect for effect in effects_of([pair])}
    assert effects["lots.price"].difference.high < -15  # the winners pay less
    revenue, gained = effects["lots.revenue"], effects["lots.surplus"]
    assert revenue.difference.low < 0 < revenue.difference.high
    assert (revenue.first, revenue.second) == (pytest.approx(50, abs=1), pytest.approx(50, abs=1.5))
    assert gained.first / 3 == pytest.approx(effects["score"].first, abs=0.01)
    assert effects["bids.paid"].second == pytest.approx(revenue.second / 3)
    two = {"num_players": 2, "auction": "second_price"}
    pair = played(pair_of("reserve=0,50", "equilibrium", game="auctions_v0", games=3000, options=two))
    effects = {effect.measure: effect for effect in effects_of([pair])}
    assert effects["lots.revenue"].second == pytest.approx(500 / 12, abs=1.5)
    assert effects["lots.efficiency"].second == pytest.approx(75, abs=2)
    price, same = effects["lots.price"], effects["lots.price_of_the_same"]
    assert (price.deals, price.of) == (3000, 3000)
    assert same.deals < same.of
    lots = [part["lots"] for part in pair.second.behaviour]
    paid, sold = (
        sum(lot["price"][lot["seat"] >= 0].sum() for lot in lots),
        sum((lot["seat"] >= 0).sum() for lot in lots),
    )
    assert price.second == pytest.approx(paid / sold)


def test_one_agent_is_changed_on_the_same_deals_and_in_the_same_seats():
    pair = pair_of("agent=heuristic,random", games=16)
    assert pair.unequal() == ()
    one = played(pair)
    np.testing.assert_array_equal(one.first.games.seats, one.second.games.seats)
    of_seat_0 = {"of seat 0": lambda lots: lots["seat_first"] == 0}
    effects = {(effect.measure, effect.agent): effect for effect in effects_of([one], of_seat_0)}
    won = effects["win_rate", "agent"]
    beside = [effects[f"win_rate.left_{left}", "all seats"] for left in (1, 2, 3)]
    assert won.second < won.first == pytest.approx(1 - sum(effect.first for effect in beside))
    lots = one.parts[0]["lots"]
    both = (lots["seat_first"] == 0) & (lots["seat_second"] >= 0)
    by_deal = [lots["worth_first"][both & (lots["deal"] == deal)].mean() for deal in np.unique(lots["deal"][both])]
    assert effects["lots.worth_of_the_same, of seat 0", "all seats"].first == pytest.approx(np.mean(by_deal))
    assert effects["score_spread", "all seats"].first == pytest.approx(one.first.games.scores.std(axis=1).mean())


def test_the_command_writes_effects_paired_tables_and_their_codebook(tmp_path: Path):
    arguments = ("payment_to=left,bank", "heuristic", "--games", 24, "--out", tmp_path / "p", "--workers", 1)
    status, printed, errors = experiment(*arguments)
    assert status == 0, errors
    assert "Equal deals" in errors
    found = json.loads((tmp_path / "p" / "effects.json").read_text("utf-8"))
    assert [found[side]["value"] for side in ("first", "second")] == ["left", "bank"]
    assert found["deals"]["unequal"] == []
    effects = {(effect["measure"], effect["agent"]): effect for effect in found["effects"]}
    lots = parquet.read_table(tmp_path / "p" / "lots.parquet").to_pydict()
    rows = [row for row in zip(lots["deal"], lots["price_first"], lots["price_second"], strict=True) if None not in row]
    deals = sorted({deal for deal, _, _ in rows})
    by_deal = [np.mean([second - first for one, first, second in rows if one == deal]) for deal in deals]
    same = effects["lots.price_of_the_same", "all seats"]
    assert same["difference"]["mean"] == pytest.approx(np.mean(by_deal))
    assert same["difference"]["low"] < same["difference"]["mean"] < same["difference"]["high"] < 0
    assert f"{same['first']:.2f}" in printed
    columns = {line.split(",")[1] for line in (tmp_path / "p" / "codebook.csv").read_text("utf-8").splitlines()}
    assert {*lots, *parquet.read_schema(tmp_path / "p" / "seats.parquet").names} <= columns
    before = {path.name: path.read_bytes() for path in (tmp_path / "p").glob("*.*")}
    assert {"effects.png", "effects.pdf", "effects.csv", "seats.csv", "lots.csv"} <= before.keys()
    assert experiment(*arguments)[0] == 0  # nothing is played again
    assert {path.name: path.read_bytes() for path in (tmp_path / "p").glob("*.*")} == before
    refused(experiment(*arguments, "--seed", 2), "was played with another value of seed; name another --out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["payment_too=left,bank", "heuristic"], "option 'payment_too' is unknown; known are first_player, pawn_limit"),
        (["payment_to=left", "heuristic"], "OPTION=FIRST,SECOND is needed"),
        (["payment_to", "heuristic"], "OPTION=FIRST,SECOND is needed"),
        (["payment_to=left,left", "heuristic"], "payment_to: 'left' and 'left' make the same game"),
        (["counterfeits_per_gap=null,1", "heuristic"], "counterfeits_per_gap: None and 1 make the same game"),
        (["payment_to=left,banks", "heuristic"], "payment_to: 'banks', but allowed are"),
        (["num_players=3,4", "heuristic"], "num_players: changes the number of seats"),
        (["preset=en,de", "heuristic"], "option 'preset' is unknown"),
        (["reserve=20,10", "heuristic", "--option", "reserve=15"], "reserve: given for both sides as 15"),
        (["payment_to=left,bank", "pretrained"], "payment_to=bank: "),
        (["payment_to=left,bank"], "agents: none given"),
        (["payment_to=left,bank", "trained"], "trained: needs --train"),
        (["payment_to=left,bank", "heuristic", "--seeds", "1-2"], "--seeds: needs --train"),
        (["agent=heuristic,heuristic", "random"], "agent: 'heuristic' on both sides, but two agents are needed"),
        (["agent=heuristic,heuristics", "random"], "agent 'heuristics' is unknown"),
        (["agent=trained,random", "trained", "--train", "selfplay_quick"], "agent: both sides have the same rules"),
        (["payment_to=left,bank", "heuristic", "--train", "selfplay_quick"], "--train: no agent is 'trained'"),
        (["payment_to=left,bank", "--train", "selfplay_quik"], "did you mean 'selfplay_quick'?"),
        (["payment_to=left,bank", "--train", "selfplay_quick", "--set", "decision=1"], "decision: unknown key"),
        (["payment_to=left,bank", "trained", "pretrained", "--train", "selfplay_quick"], "payment_to=bank: "),
    ],
)
def test_bad_input_is_an_error_in_words_before_any_game_or_training(arguments: list[str], message: str, tmp_path: Path):
    refused(experiment(*arguments, "--out", tmp_path / "pair"), message)
    assert not (tmp_path / "pair").exists()


def test_the_game_and_the_options_of_a_training_are_those_of_its_config_unless_others_are_given():
    options, change = PairOptions(train="auctions_quick"), parse_change("auction=first_price,all_pay")
    spec = spec_of(options, change, ["trained"])
    assert (spec.game, spec.options) == ("auctions_v0", {"num_players": 2, "preset": "coarse"})
    spec = spec_of(PairOptions(train="auctions_quick", players=3), parse_change("preset=mini,coarse"), ["trained"])
    assert spec.options == {"num_players": 3}
    spec = spec_of(PairOptions(train="auctions_quick", game="alles_futsch_v1"), change, ["trained"])
    assert (spec.game, spec.options) == ("alles_futsch_v1", {})


@pytest.mark.slow
def test_agents_are_trained_anew_for_each_side(tmp_path: Path):
    arguments = ("payment_to=left,bank", "trained", "heuristic", "--train", "selfplay_quick", "--games", 16)
    arguments += ("--set", "decisions=20000", "--seeds", "1,2", "--workers", 1, "--out", tmp_path / "pair")
    status, _, errors = experiment(*arguments)
    assert status == 0, errors
    assert errors.count("Training for payment_to=left") == errors.count("Training for payment_to=bank") == 2
    found = json.loads((tmp_path / "pair" / "effects.json").read_text("utf-8"))
    assert found["trainings"] == [1, 2]
    assert {effect["agent"] for effect in found["effects"]} == {"all seats", "trained", "heuristic"}
    assert all(len(effect["trainings"]) == 2 for effect in found["effects"])
    seats = parquet.read_table(tmp_path / "pair" / "seats.parquet").to_pydict()
    assert set(seats["training"]) == {1, 2}
    start = f"selfplay.start={tmp_path / 'pair' / 'seed-1' / 'trained' / 'first'}"
    others = ("payment_to=left,bank", "--train", "selfplay_quick", "--set", "decisions=20000", "--games", 8)
    status, _, errors = experiment(*others, "--set", start, "--workers", 1, "--out", tmp_path / "across")
    assert status == 0, errors
