"""A game at a real table, entered by one of its players event by event."""

import json

import numpy as np
import pytest

from w51_env import make_vec
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.views.language import Words
from w51_env.warehouse51.relics import load_relic_set
from w51_lab.replays.replay import Replay
from w51_table.play.coach import Coach
from w51_table.play.evening import frame, replay_of
from w51_table.positions.evening import Evening, UnseenError
from w51_table.positions.position import position_format, read_position, write_position

NAMES = ["Ida", "Ben", "Zoe", "Max"]
START = {"game": "warehouse51_v1", "seat": 0, "gaps": {"0": ["holy_grail"], "3": ["excalibur"]}, "revealer": 1}
TURNED = [{"action": "choose_deck_blue", "shown": ["excalibur"]}]  # a weapon


def evening(*events, position=START, **data) -> Evening:
    return Evening({"position": position, "names": NAMES, "events": [*events], **data})


def entered(batch, seat: int) -> tuple[dict, list[dict]]:
    """Play a game with `ask_forced` at random to its end: the position before it as the seat sees it, and what the seat
    would enter.
    """
    game, form, events, bids = batch.game, position_format(batch.game), [], {}
    begun = write_position(game, batch.games[0], seat)
    step = 0
    while not batch.done[0]:
        state, mover, num_choices = batch.games[0].copy(), int(batch.seat[0]), batch.action_mask[0].sum()
        sealed = bool(form.sealed_phase) and batch.view(0, mover).phase == form.sealed_phase
        action = int(batch.sample_actions(step)[0])
        step += 1
        reveal = form.reveal(game, state, action, seat)
        batch.step(np.array([action]))
        after, name = batch.games[0], game.actions[action].name
        if sealed and 0 <= action - game.sealed_bids.first_action < game.sealed_bids.num_actions:
            bids[mover] = action - game.sealed_bids.first_action
            if len(bids) < game.num_players:
                continue
            events.append({"bids": [bids.pop(one) for one in range(game.num_players)]})
        else:
            events.append({"action": name})
        if reveal is not None:
            ids = list(form.names(game, Words()))
            if reveal.kind == "card":
                shown = [ids[after["deck"][state["next_card"]]]]
            elif reveal.kind == "relic":
                shown = [ids[after["lot"]]]
            else:
                seen = after["counterfeit_gap"]
                gaps = {int(gap) for gap in write_position(game, state, seat)["gaps"]}
                new = range(game.num_players) if reveal.kind == "end" else np.flatnonzero(after["looked"][seat])
                shown = [one for one in reveal.choices if seen[ids.index(one)] in {*new} - gaps]
            events[-1]["shown"] = shown
        elif not sealed and num_choices == 1:
            events.pop()
    return begun, events


@pytest.mark.parametrize(
    ("game_id", "seed", "num_players"),
    [("warehouse51_v1", 1, 4), ("warehouse51_v1", 8, 3), ("warehouse51_v1", 3, 5), ("alles_futsch_v1", 1, 3)],
)
def test_a_whole_game_entered_from_one_seat_ends_as_it_did(game_id, seed, num_players):
    batch = make_vec(game_id, 1, seed=seed, num_players=num_players, autoreset="disabled", ask_forced=True)
    batch.reset()
    begun, events = entered(batch, seat=1)
    begun["options"].pop("ask_forced")
    game = Evening({"position": begun, "events": json.loads(json.dumps(events))})
    assert game.state["over"]
    for field in ("scores", "ranks"):
        np.testing.assert_array_equal(game.state[field], batch.games[0][field], err_msg=field)
    replay = Replay.parse(replay_of(game).encode().decode())
    replay.verify()
    assert replay.final.scores == tuple(batch.games[0]["scores"][:num_players])


def test_a_relic_that_is_turned_over_has_to_be_named():
    with pytest.raises(UnseenError) as caught:
        evening({"action": "choose_deck_blue"})
    assert (caught.value.reveal.kind, caught.value.reveal.size) == ("relic", 1)
    assert evening(*TURNED).news == ["Ben turns over Excalibur."]


def test_in_a_blind_auction_the_player_is_advised_at_once_and_all_bids_come_together():
    game = evening(*TURNED)
    assert game.is_sealed
    assert game.advised()["seat"] == 0
    assert [state["seat"] for state in game.deciding()] == [2, 3, 0, 1]
    sold = evening(*TURNED, {"bids": [4, 2, 2, 6]})
    assert sold.news[-1] == "Max buys Excalibur and pays 6 to Ida."
    assert sold.position()["ingots"] == [16, 10, 10, 4]


def test_who_pawns_before_a_secret_bid_is_entered_before_the_bids():
    poor = {**START, "ingots": [3, 10, 10, 10], "relics": [["mjollnir"], [], [], []]}
    game = evening(*TURNED, {"action": "pawn_mjollnir"}, position=poor)
    assert game.advised()["ingots"][0] == 8
    sold = evening(*TURNED, {"action": "pawn_mjollnir"}, {"bids": [8, 0, 1, 0]}, position=poor)
    assert sold.news[-1] == "Ida buys Excalibur and pays 8 to Ben."


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([{"action": "pass"}], "Ben cannot do this now: pass"),
        ([{"action": "bid_99"}], "an action by its name is needed"),
        ([*TURNED, {"bids": [1, 2, 3]}], "they are those of all seats in a blind auction"),
        ([*TURNED, {"bids": [11, 0, 0, 0]}], "Ida cannot do this now: bid 11."),
        ([*TURNED, {"action": "bid_3"}], "cannot do this now"),
        (["pass"], "an action by its name is needed"),
    ],
)
def test_what_cannot_happen_is_refused(events, message):
    with pytest.raises(OptionError) as caught:
        evening(*events)
    assert message in str(caught.value)


def test_the_coach_advises_the_same_whatever_the_player_cannot_see():
    events = [*TURNED, {"bids": [4, 2, 2, 6]}, {"action": "choose_deck_red", "shown": ["oracle_bones"]}]
    named = {"excalibur", "holy_grail", "oracle_bones"}
    others = sorted({relic.id for relic in load_relic_set("reconstruction-1").relics} - named)
    game = evening(*events, position={**START, "unsold": others[:12]})  # playouts of half a game
    decision = frame(game, game.advised())
    batch = Batch(game.game, 1, autoreset="disabled")
    batch.load(np.array([decision.state], game.game.record))
    batch.resample_hidden(0, seed=1)
    other = decision.in_state(batch.games[0].copy())
    assert other.state != decision.state
    assert (other.state["counterfeit_gap"] != decision.state["counterfeit_gap"]).any()
    coach = Coach()
    assert coach.advise(other, 0) == coach.advise(decision, 0)


def test_the_python_of_an_evening_loads_its_position():
    game, names = evening(*TURNED, {"bids": [4, 2, 2, 6]}), {}
    exec(game.python(), names)
    np.testing.assert_array_equal(names["batch"].observe(0)[0], frame(game, game.state).observe(0))
    assert read_position(game.position()).seat == 0


def test_the_last_secret_bids_ask_for_the_counterfeits_that_are_turned_over():
    game = evening().game
    others = [relic for relic in position_format(game).names(game, Words()) if relic != "muramasa"]
    last = {**START, "unsold": others, "lot": "muramasa"}
    with pytest.raises(UnseenError) as caught:
        evening({"bids": [1, 0, 0, 0]}, position=last)
    assert (caught.value.reveal.kind, caught.value.reveal.size) == ("end", 2)
    ended = evening({"bids": [1, 0, 0, 0], "shown": ["muramasa", "sharur"]}, position=last)
    assert "Muramasa of Ida was a counterfeit and leaves the collection." in ended.news
