"""The experiments, in small, as their pages say."""

import json
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")
import torch
import typer
from scipy import stats

from experiments import collusion, equilibrium, lots, mini_games, payee_exact, populations, reading, remembering
from experiments.analysis import fit, odds, p_value, table_of, unlike_first
from experiments.exploitability import LEARNERS
from experiments.from_nothing import BASE, EXPLOITED, MIXTURE, NAMES, OTHERS, WEIGHTS
from experiments.lab import measured
from experiments.passes import PART, Passing, sure_to_bid
from experiments.published_ppo import GAMES, OURS, PUBLISHED
from experiments.revive import idle_units
from tests.commands import invoke, printed_by, succeeded
from w51_agents import make_agent
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import load_network
from w51_env import make_game, make_vec
from w51_env.engine.batch import Batch
from w51_lab.statistics.estimates import holm


@pytest.mark.slow
def test_exploitability_over_training_trains_every_learner_and_draws(tmp_path):
    small = ["--decisions=20000", "--points=2", "--seeds=1", f"--data={tmp_path / 'found.json'}"]
    printed_by("-m", "experiments.exploitability", *small, f"--figure={tmp_path / 'figure'}")
    found = json.loads((tmp_path / "found.json").read_text())
    assert [curve["learner"] for curve in found["curves"]] == list(LEARNERS)
    for curve in found["curves"]:
        assert all(row["decisions"] >= due for row, due in zip(curve["points"], (10_000, 20_000), strict=True))
        assert 0 < curve["points"][-1]["mixture"] < 2 / 3
    assert found["cfr"] < 0.001 < found["uniform"]
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_teacher_names_passes_alone_and_pretrained_is_sure_not_to_need_them():
    game = make_game("warehouse51_v1", num_players=4)
    batch = Batch(game, 64, seed=1)
    batch.reset()
    said = []
    for _ in range(30):
        told = Passing(game).probabilities(batch.observation, batch.action_mask)
        assert not told[batch.action_mask == 0].any()
        said.append(told.sum(1))
        batch.step(batch.action_mask.argmax(1))
    assert set(np.concatenate(said).tolist()) == {0.0, float(np.float32(PART))}
    sure, asked = sure_to_bid(game, "pretrained", 40, 1)
    assert 0.3 < sure / asked < 0.9


@pytest.mark.slow
def test_each_method_learns_in_a_mini_game(tmp_path, monkeypatch):
    monkeypatch.setattr(mini_games, "GAMES", {mini_games.AUCTION: mini_games.GAMES[mini_games.AUCTION]})
    monkeypatch.setattr(mini_games, "TRIED", {name: tried[:1] for name, tried in mini_games.TRIED.items()})
    data = tmp_path / "found.json"
    run_here("mini_games", "--decisions=30000", "--seeds=2", f"--data={data}", f"--runs={tmp_path}")
    cells = json.loads(data.read_text())["cells"]
    assert [(cell["method"], cell["seed"]) for cell in cells] == [
        *product(mini_games.TRIED, (mini_games.OF_TUNING, 1, 2))
    ]
    exact = mini_games.exact(mini_games.AUCTION)
    uniform = exact.gain(exact.strategy(make_agent("random", exact.game)))
    most = dict(zip(mini_games.TRIED, (0.5, 0.5, 0.95, 0.8), strict=True))  # of what uniform play loses
    assert all(0 < cell["gain"] < most[cell["method"]] * uniform for cell in cells)


def run_here(name: str, *options: object) -> str:
    """What an experiment prints, run in this process: a new one would import PyTorch for seconds."""
    app = typer.Typer()
    app.command()(import_module(f"experiments.{name}").main)
    printed, _ = succeeded(invoke(app, *options))
    return printed


def small(name: str, folder: Path, *options: str) -> list[dict]:
    """The cells of an experiment in small; its figures are drawn, and a second run measures nothing again."""
    data = folder / "found.json"
    options = (*options, f"--data={data}", f"--figure={folder / 'figure'}")
    run_here(name, *options)
    before = data.read_bytes()
    run_here(name, *options)
    assert data.read_bytes() == before
    assert (folder / "figure.png").stat().st_size > 10_000
    found = json.loads(before)
    assert found["machine"]["python"]
    assert all(cell["seconds"] >= 0 for cell in found["cells"])
    return found["cells"]


@pytest.mark.slow
def test_remembering_solves_the_mini_game_with_memory_and_without_and_trains(tmp_path):
    options = ("--decisions=20000", "--seeds=1", "--iterations=60", f"--runs={tmp_path / 'runs'}")
    cells = small("remembering", tmp_path, *options)
    answered, *cells = cells
    assert 0 < answered["forgets"] < answered["exploitability"]
    assert [cell.get("arm", cell.get("solved")) for cell in cells] == [True, False, *remembering.ARMS]
    values = [cell["exploitability"] for cell in cells]
    assert 0 < values[0] < values[1] < 0.2
    assert all(0.02 < value < 2 / 3 for value in values[2:])
    assert cells[0]["states"] > cells[1]["states"]


@pytest.mark.slow
def test_populations_trains_every_network_and_measures_what_it_tells_and_wins(tmp_path):
    players = ("--population=heuristic", "--population=random", "--held-out=heuristic")
    sizes = ("--decisions=30000", "--seeds=1", "--deals=4", "--held-out-deals=4", "--rollouts=8")
    cells = small("populations", tmp_path, *players, *sizes, f"--runs={tmp_path / 'runs'}")
    assert [cell["arm"] for cell in cells] == list(populations.ARMS)
    for cell in cells:
        assert list(cell["wins"]) == ["heuristic", "random"]
        shares, counts = np.array(cell["told"]).T
        np.testing.assert_array_less(100, counts)
        assert ((shares >= 0) & (shares <= 1)).all()
        assert shares.max() > 1 / 3  # of three kinds


@pytest.mark.slow
def test_reading_trains_every_network_and_plays_them_and_the_gate(tmp_path):
    cells = small("reading", tmp_path, "--decisions=30000", "--seeds=1", "--deals=8", f"--runs={tmp_path / 'runs'}")
    assert [cell["arm"] for cell in cells] == [*reading.ARMS, reading.GATE]
    wins = {cell["arm"]: {name: rate for name, (rate, _) in cell["wins"].items()} for cell in cells}
    assert all(list(rates) == list(reading.MATCHES) for rates in wins.values())
    # After so few decisions the experts are stronger than networks that imitate them.
    assert wins[reading.GATE]["among heuristic"] > wins["observation"]["among heuristic"]
    assert wins[reading.GATE]["lone heuristic"] < wins["observation"]["lone heuristic"]


@pytest.mark.slow
@pytest.mark.parametrize("family", lots.FAMILIES)
def test_lots_solves_and_trains_in_every_family_of_auctions(family, tmp_path):
    sizes = ("--decisions=20000", "--seeds=1", "--settings=1")
    cells = small("lots", tmp_path, family, *sizes, f"--runs={tmp_path / 'runs'}")
    assert [cell["learner"] for cell in cells][-1] == lots.LEARNED
    losses = {cell["learner"]: max(cell["losses"]) for cell in cells}
    assert min(losses.values()) > -1e-9
    assert losses["equilibrium"] < min(losses["truthful"], losses[lots.LEARNED])


@pytest.mark.slow
def test_both_learners_are_measured_in_both_games(tmp_path):
    data = tmp_path / "found.json"
    run_here("published_ppo", "--decisions=4096", "--points=2", "--seeds=1", f"--data={data}")
    cells = json.loads(data.read_text())["cells"]
    assert [(cell["game"], cell["learner"]) for cell in cells] == [*product(GAMES, (OURS, PUBLISHED))]
    assert all(0 < value < 4.75 / 2 + 1 for cell in cells for value in cell["exploitability"])


def test_chance_value_keeps_a_network_that_plays_alike_and_whose_value_is_a_chance(tmp_path):
    kept = tmp_path / "kept.safetensors"
    printed = run_here("chance_value", "exploiter", "--games=40", f"--keep={kept}")
    assert [line.split(":")[0] for line in printed.splitlines()] == ["3 players", "4 players", "5 players"]
    game = make_game("warehouse51_v1")
    batch = make_vec("warehouse51_v1", 200, seed=0)
    batch.reset()
    before, after = (make_agent(name, game) for name in ("exploiter", str(kept)))
    seen, masks = batch.observation, batch.action_mask
    np.testing.assert_array_equal(after.act_batch(seen, masks), before.act_batch(seen, masks))
    values = after.values(seen, masks)
    assert (values != before.values(seen, masks)).any()
    assert abs(values.mean()) < 0.5


@pytest.mark.slow
def test_generalisation_plays_what_an_agent_accepts(tmp_path):
    cells = small("generalisation", tmp_path, "--deals=2", "--decisions=4000", f"--runs={tmp_path}")
    refused = {(cell["agent"], cell["relics"].partition(":")[0]) for cell in cells if cell["wins"] is None}
    assert refused == {("pretrained-v1", "generated")}


@pytest.mark.slow
def test_auctions_solves_one_lot_and_plays_both_forms(tmp_path):
    options = ("--decisions=20000", "--seeds=1", "--games=16", f"--runs={tmp_path / 'runs'}")
    cells = small("auctions", tmp_path, *options)
    lots = {cell["worth"]: (cell["open"], cell["blind"]) for cell in cells if "one_lot" in cell}
    assert lots == {worth: ([worth - 2, worth - 1, worth], [worth - 1, worth]) for worth in (5, 6, 7, 8)}
    played = [cell for cell in cells if "form" in cell]
    assert len(played) == 6
    assert all(0 < cell["efficiency"] <= 100 for cell in played)


def effects_of(cell: dict) -> dict[str, dict]:
    return {row["measure"]: row for row in cell["effects"]}


@pytest.mark.slow
def test_pairs_play_both_sides_of_each_rule(tmp_path):
    options = ("--decisions=20000", "--seeds=2", "--games=16", f"--runs={tmp_path / 'runs'}")
    cells = {(cell["pair"], cell["agent"]): cell for cell in small("pairs", tmp_path, *options)}
    assert len(cells) == 7
    assert [cell["unequal"] for cell in cells.values()] == [[]] * 2 + [["counterfeit_gap"]] * 2 + [[]] * 3
    forms = effects_of(next(iter(cells.values())))
    assert forms["lots.price_of_the_same"]["difference"]["high"] < 0 > forms["lots.bids"]["difference"]["high"]
    assert all(len(row["trainings"]) == 2 for row in cells["payment_to=left,bank", "trained"]["effects"])


@pytest.mark.slow
def test_payment_trains_for_each_payee_and_seats_agents_beside_a_random_player(tmp_path):
    (tmp_path / "runs").mkdir()
    options = ("--decisions=20000", "--seeds=2", "--games=16", f"--runs={tmp_path / 'runs'}")
    cells = small("pairs", tmp_path, "payment", *options)
    assert [cell["agent"] for cell in cells] == ["trained"] * 3 + ["random trained"] * 3
    assert effects_of(cells[1])["money_at_the_end"]["second"] < 10 < effects_of(cells[1])["money_at_the_end"]["first"]
    assert all(sum(row["first"] for row in cell["effects"]) <= 1 for cell in cells[3:])


@pytest.mark.slow
def test_knowing_compares_the_same_lots_without_counterfeits_and_an_agent_without_knowledge(tmp_path):
    cells = small("pairs", tmp_path, "knowing", "--games=40")
    places = list(product((3, 4, 5), ("heuristic", "pretrained-v1", "pretrained-v2")))
    assert [(cell["num_players"], cell["agent"]) for cell in cells] == places * 2
    for cell in cells[:9]:
        of_lots = effects_of(cell)
        worth = of_lots["lots.worth_of_the_same, known to others"]
        assert worth["first"] < of_lots["lots.worth_of_the_same, genuine"]["first"]
        assert worth["difference"]["mean"] > 0
        assert 0 < of_lots["doubtful"]["first"] < 0.3


@pytest.mark.slow
def test_bluff_plays_every_pair_with_and_without_bids_for_known_counterfeits(tmp_path):
    cells = small("pairs", tmp_path, "bluff", "--games=24")
    assert len(cells) == 9
    for cell in cells:
        bids = effects_of(cell)["counterfeits.known_bid_up"]
        assert bids["first"] > 0 == bids["second"]


@pytest.mark.slow
def test_scaling_measures_trainings_and_searches(tmp_path):
    options = ("--decisions=20000", "--points=2", "--seeds=1", "--deals=4", "--search-deals=2")
    cells = small("scaling", tmp_path, *options)
    assert [cell["playouts"] for cell in cells if "playouts" in cell] == [1, 3, 10, 30, 100]
    for cell in (cell for cell in cells if "width" in cell):
        assert [point["decisions"] >= due for point, due in zip(cell["points"], (10_000, 20_000), strict=True)]


@pytest.mark.slow
def test_psro_learns_responses_and_solves_the_mini_game(tmp_path):
    with_openspiel = all(map(find_spec, ("pyspiel", "cvxpy")))
    options = ["--iterations=2", "--decisions=20000", "--deals=4", "--exact-iterations=1"]
    options += [] if with_openspiel else ["--no-openspiel"]
    cells = small("psro", tmp_path, *options, f"--runs={tmp_path / 'runs'}")
    ours, *theirs = (cell["exploitability"] for cell in cells if "mini" in cell)
    assert ours[1] < ours[0]
    assert len(theirs) == with_openspiel
    assert all(ours[0] == pytest.approx(found[0]) for found in theirs)  # of uniform play, by two implementations
    assert [len(cell["mixture"]) for cell in cells if "iteration" in cell] == [1, 2]


@pytest.mark.slow
def test_memory_trains_with_it_and_without(tmp_path):
    options = ("--decisions=20000", "--seeds=1", "--deals=4", f"--runs={tmp_path / 'runs'}")
    (cell,) = small("memory", tmp_path, *options)
    assert len(list((tmp_path / "runs").glob("*/checkpoint.safetensors"))) == 2
    pairs = {(one, other) for one, other in product(("with", "without", "heuristic"), repeat=2) if one != other}
    assert {name for name in cell if " among " in name} == {f"{one} among {other}" for one, other in pairs}
    assert cell["heuristic among with"][0] > 0.5 > cell["with among heuristic"][0]


@pytest.mark.slow
def test_from_nothing_measures_every_variant(tmp_path):
    options = ("--decisions=40000", "--response=20000", "--seeds=1", "--deals=10", f"--runs={tmp_path / 'runs'}")
    run_here("from_nothing", *options, f"--data={tmp_path / 'found.json'}")
    cells = {cell["variant"]: cell for cell in json.loads((tmp_path / "found.json").read_text())["cells"]}
    assert list(cells) == NAMES
    assert {name for name, cell in cells.items() if "response" in cell} == set(EXPLOITED)
    assert {name for name, cell in cells.items() if "new cards" in cell} == {n for n in NAMES if "items" in n}
    for cell in cells.values():
        assert all(len(cell[name]) == len(OTHERS) for name in ("alone", "resists"))
        assert all(0 <= rate <= 1 for name in ("alone", "resists") for rate, _ in cell[name])
    # The same training, so the same entropy.
    assert cells[BASE]["entropy"] == cells[WEIGHTS]["entropy"] == cells[MIXTURE]["entropy"]


def test_a_value_of_own_layers_explains_more_at_the_end_of_the_game(tmp_path):
    run_here("win_value", "exploiter", "--games=700", "--players=3", f"--data={tmp_path / 'v.json'}")
    (cell,) = json.loads((tmp_path / "v.json").read_text())["cells"]
    assert cell["states"] > 3 * cell["held_out"] > 500
    for predictor in ("standing", "own layers"):
        assert cell[predictor][-1] > 0.06 > cell[predictor][0]


@pytest.mark.slow
def test_small_steps_by_worth_lead_to_an_equilibrium_and_responses_do_not(tmp_path):
    rules = "the response itself", "by worth, rate 4"
    run_here("local_responses", *(f"--rule={rule}" for rule in rules), f"--data={tmp_path / 'r.json'}")
    response, steps = json.loads((tmp_path / "r.json").read_text())["cells"]
    assert response["exploitability"][0] == steps["exploitability"][0] > 0.3
    assert min(response["exploitability"]) > 0.15
    assert steps["exploitability"][-1] < 0.03
    for cell in (response, steps):  # no local response wins more than a best one
        assert all(local < best + 1e-9 for local, best in zip(cell["local"], cell["exploitability"], strict=True))


@pytest.mark.slow
def test_each_round_learns_from_the_searched_decisions_of_all_rounds_before(tmp_path):
    command = ["-m", "experiments.expert_iteration", "--batches=1", "--playouts=8", "--rate=200", "--games=8"]
    command += ["--searches=4", f"--runs={tmp_path}", f"--data={tmp_path / 'e.json'}"]
    printed_by(*command, "--rounds=1")
    printed_by(*command, "--rounds=2")  # goes on
    cells = json.loads((tmp_path / "e.json").read_text())["cells"]
    first, second = (cell for cell in cells if "round" in cell)
    matches = [cell for cell in cells if "network" in cell]
    assert [first["nats"][0], first["gain"][0]] == pytest.approx([0, 0], abs=1e-6)
    assert second["nats"][0] > 1e-6
    assert {cell["network"] for cell in matches} == {0, 1, 2}
    assert all(0 <= cell["low"] <= cell["wins"] <= cell["high"] <= 1 for cell in matches)
    with np.load(tmp_path / "0.npz") as found:
        chosen = found["candidates"] >= 0
        np.testing.assert_array_equal(np.take_along_axis(found["masks"], found["candidates"].clip(0), 1)[chosen], 1)
        np.testing.assert_array_less(1, chosen.sum(1))
        assert not found["utilities"].mean(1)[~chosen].any()
        assert first["found"][2] == len(chosen) > 200
        assert first["response"][2] == len(found["wins"])


@pytest.mark.slow
def test_foresight_counts_every_change_and_says_what_each_action_leads_to(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.foresight.WORLDS", 4)
    run_here("foresight", "--batches=1", "--playouts=8", f"--runs={tmp_path}", f"--data={tmp_path / 'f.json'}")
    games, judged = json.loads((tmp_path / "f.json").read_text())["cells"]
    assert sum(share for share, _, _ in judged["changes"].values()) == pytest.approx(1)
    assert judged["changes"]["none"][1:] == [0, 0]
    assert 100 < judged["auctions"] < games["decisions"]
    with np.load(tmp_path / "900.npz") as found:
        ahead = found["ahead"]
    assert ahead.shape == (games["decisions"], 2, 4, 8)
    assert (np.abs(np.diff(ahead, axis=1)).mean((0, 1, 3))[1:] > 0).all()
    assert (ahead[..., 4:].sum(-1) <= 60).all()  # no ingots are made


def test_revived_units_are_active_and_change_no_policy(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.revive.STEPS", 100)
    game = make_game("warehouse51_v1", num_players=4)
    printed = run_here("revive", f"--out={tmp_path / 'r.safetensors'}")
    assert int(printed.split(" of ")[0]) > 90
    old = load_network(game, existing_checkpoint("pretrained-v2", game))
    new = load_network(game, tmp_path / "r.safetensors")
    assert len(idle_units(new, game, 5)) < 10
    batch = Batch(game, 50, seed=2)
    batch.reset()
    inputs = torch.from_numpy(old.inputs_for(game)(batch.observation)), torch.from_numpy(batch.action_mask != 0)
    for before, after in zip(old(*inputs), new(*inputs), strict=True):
        assert torch.allclose(before, after, atol=1e-5)


def test_measured_goes_on_where_it_stopped_and_begins_anew_with_other_settings(tmp_path):
    calls = []

    def measure(number: int) -> dict:
        calls.append(number)
        if calls == [1, 2]:
            raise KeyboardInterrupt
        return {"square": number**2}

    data, cells = tmp_path / "data.json", [{"number": number} for number in (1, 2, 3)]
    with pytest.raises(KeyboardInterrupt):
        measured(data, {"size": 1}, cells, measure)
    assert [cell["square"] for cell in measured(data, {"size": 1}, cells, measure)["cells"]] == [1, 4, 9]
    assert calls == [1, 2, 2, 3]
    measured(data, {"size": 2}, cells, measure)
    assert calls == [1, 2, 2, 3, 1, 2, 3]


def test_a_power_law_is_fitted_exactly():
    amounts = np.array([1.0, 10.0, 100.0, 1000.0])
    rates = 0.1 * amounts**0.5 / (3 + 0.1 * amounts**0.5)
    assert odds(0.25) == pytest.approx(1)
    found = fit(np.tile(amounts, 3), np.tile(rates, 3), np.repeat([1, 2, 3], 4))  # three trainings that are alike
    assert (found["exponent"], found["low"], found["high"]) == pytest.approx((0.5, 0.5, 0.5))


def test_the_meta_game_is_antisymmetric():
    table = table_of([{"wins": [[0.6, 0.1]]}, {"wins": [[0.5, 0.2], [0.3, 0.25]]}])
    np.testing.assert_array_equal(table, -table.T)
    assert table[1, 0] == pytest.approx(0.5)


@pytest.mark.slow
def test_equilibrium_computes_what_learners_lose_in_auctions(tmp_path):
    options = ("--decisions=8192", "--seeds=1", "--settings=2", f"--runs={tmp_path / 'runs'}")
    cells = small("equilibrium", tmp_path, *options)
    last = {(cell["learner"], cell["auction"]): cell for cell in cells}
    learners = [learner for learner, _ in last]
    solved, naive = ["fictitious play"] * 2 + ["CFR+"], ["half"] * 2 + ["truthful"] * 2
    assert learners == solved + naive + ["self-play PPO"] * 2 + ["MaskablePPO"]
    for (learner, _), cell in last.items():
        if learner in naive:
            assert cell["sampled"]["loss"] >= 0
            continue
        is_solver = learner in equilibrium.SOLVERS
        assert 0 <= cell["equilibrium_loss"] < 0.02
        assert (cell["sampled"]["loss"] < 0.001) if is_solver else (cell["sampled"]["loss"] > 0.02)
        assert len(cell["sampled"]["bids"]) == len(cell["equilibrium"]) == 21


@pytest.mark.slow
def test_collusion_compares_repeated_auctions_with_the_equilibrium_of_one_round(tmp_path):
    options = ("--decisions=8192", "--seeds=1", "--games=200", f"--runs={tmp_path / 'runs'}")
    cells = small("collusion", tmp_path, *options)
    learned = [cell for cell in cells if "condition" in cell]
    assert [cell["condition"] for cell in learned] == list(collusion.CONDITIONS)
    assert [cell["solved"] for cell in cells if "solved" in cell] == list(collusion.SOLVED)
    for cell in learned:
        assert cell["gain"] < 1
        assert len(cell["learned"]["prices"]) == collusion.ROUNDS
        assert cell["static"]["price"] == pytest.approx(20 / 3, abs=0.4)


@pytest.mark.parametrize("keep_values", [False, True])
def test_payoffs_of_rounds_add_up_to_the_reward(keep_values: bool):
    batch = make_vec("auctions_v0", 50, preset="coarse", num_rounds=4, keep_values=keep_values, autoreset="disabled")
    batch.reset(seed=1)
    payoffs, before = collusion.RoundPayoffs(batch.game), np.zeros(3)
    while not batch.done.all():
        before = payoffs(batch.games)
        batch.step(batch.sample_actions(int(batch.games["decisions"][0])))
    assert np.abs(payoffs(batch.games) - batch.rewards).max() < 1e-3
    np.testing.assert_array_less(np.abs(payoffs(batch.games) - before).max(axis=1), 0.5)


@pytest.mark.parametrize("refund", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("is_relative", [False, True])
def test_a_lot_without_secrets_has_the_price_at_which_nobody_gains_by_another_bid(monkeypatch, refund, is_relative):
    monkeypatch.setattr(payee_exact, "FAKE", 0.0)
    lot = payee_exact.OneLot(payee_exact.shares("others", refund), is_relative)
    lot.solve(400, None)
    found, price = lot.outcome(), payee_exact.WORTH / (1 + refund / (payee_exact.SEATS - 1))
    assert price - 1.1 < found["price"] < price + 0.05  # bids are whole ingots
    assert found["gap"] < 0.1


@pytest.mark.slow
def test_payee_solves_trains_crosses_rules_and_draws(tmp_path):
    options = ("--seeds=1", "--decisions=3000", "--games=8", "--iterations=2", f"--runs={tmp_path / 'runs'}")
    cells = small("payee", tmp_path, *options)
    trained = [cell for cell in cells if cell.get("agent") == "trained"]
    assert [cell["payee"] for cell in trained] == ["bank", "others", "half", "left", "right"]
    assert all(list(cell["under"]) == [other["payee"] for other in trained] for cell in trained)
    assert all(sum(cell["beside"]["0.3"]) == pytest.approx(1) for cell in trained)
    found = [cell["starts"] for cell in cells if "nano" in cell]
    assert len(found) == 5
    assert all(0 < start["price"] < 6 for starts in found for start in starts)


@pytest.mark.slow
def test_of_many_questions_without_an_answer_one_in_twenty_pages_answers_any():
    random = np.random.default_rng(1)
    pages = random.normal(size=(400, 10, 3))
    answered = [any(holm([p_value({"trainings": tuple(values)}) for values in page])) for page in pages]
    assert 0.02 < np.mean(answered) < 0.08


def test_a_difference_over_trainings_is_judged_by_students_t():
    values = (0.2, 0.5, 0.9, 0.1)
    assert p_value({"trainings": values}) == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-3)
    assert holm([0.04, 0.01, float("nan"), 0.03]) == [False, True, False, False]


def test_a_mean_is_unlike_the_first_if_it_is_so_among_all_of_the_page():
    first = np.array([[0.30, 0.10], [0.31, 0.12], [0.29, 0.11]])
    found = unlike_first([first, first + np.array([0.1, 0.01]), first])
    assert [list(one) for one in found] == [[True, False], [False, False]]
