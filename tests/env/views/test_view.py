"""Views: plain data for each viewer, with the legal actions of its seat and its news."""

import json
from functools import cache
from itertools import count
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest

from tests.env import third_game
from tests.env.warehouse51.table import Table
from w51_env import make_vec, registered_games, warehouse51_v1
from w51_env.alles_futsch.show import view as alles_futsch_view
from w51_env.auctions.show import view as auctions_view
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import ALL, PUBLIC
from w51_env.views.language import Words
from w51_env.views.text_table import table
from w51_env.views.view import View
from w51_env.warehouse51.show import view as warehouse51_view

SHAPES: dict[str, tuple[Any, Any]] = {
    "warehouse51_v1": (warehouse51_view.TableView, warehouse51_view.SeatView),
    "alles_futsch_v1": (alles_futsch_view.CardTableView, alles_futsch_view.PlayerView),
    "auctions_v0": (auctions_view.AuctionTableView, auctions_view.BidderView),
}
THIRD = "tests.env.third_game:make"


def views_of_a_game(game_id: str, **options: Any) -> list[View]:
    """Every fifth of the views of every viewer before each decision of one random game, and at its end."""
    batch = make_vec(game_id, 1, seed=3, autoreset="disabled", events=True, **options)
    batch.reset()
    views, number = [], count()  # a decision has five views, or more
    for drawn in range(2000):
        viewers = (*range(batch.game.num_players), PUBLIC, ALL)
        views += [batch.view(0, viewer) for viewer in viewers if next(number) % 5 == 0]
        if batch.seat[0] < 0:
            return views
        batch.step(batch.sample_actions(drawn))
    raise AssertionError("the game goes on and on")


hints_of = cache(get_type_hints)


def fits(value: Any, kind: Any) -> bool:
    """Whether plain data is of the type that a TypedDict declares for it."""
    if is_typeddict(kind):
        hints = hints_of(kind)
        return (
            isinstance(value, dict) and set(value) == set(hints) and all(fits(value[key], hints[key]) for key in hints)
        )
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is list:
        return isinstance(value, list) and all(fits(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(item, arguments[1]) for item in value.values())
    if arguments:
        return any(fits(value, option) for option in arguments)
    return kind is Any or (value is None if kind in (None, type(None)) else type(value) is kind)


@pytest.mark.parametrize("game_id", registered_games())
def test_views_have_the_documented_shape_and_pass_through_json(game_id: str):
    of_table, of_player = SHAPES[game_id]
    for view in views_of_a_game(game_id):
        assert View.from_data(json.loads(json.dumps(view.as_data()))) == view
        assert fits(view.table, of_table)
        assert all(fits(player, of_player) for player in view.players)
        for action in view.actions:
            assert {"id", "name", "kind", "text"} <= set(action)
        for event in view.news:
            assert {"event", "seat", "forced", "text"} <= set(event)


@pytest.mark.parametrize("game_id", [*registered_games(), THIRD])
def test_actions_are_those_of_the_mask_for_the_seat_to_move_alone(game_id: str):
    batch = make_vec(game_id, 1, seed=3, autoreset="disabled")
    batch.reset()
    while (mover := int(batch.seat[0])) >= 0:
        legal = np.flatnonzero(batch.action_mask[0]).tolist()
        for viewer in (*range(batch.game.num_players), PUBLIC, ALL):
            view = batch.view(0, viewer)
            assert view.seat == mover
            assert [action["id"] for action in view.actions] == (legal if viewer in (mover, ALL) else [])
            assert all(action["name"] == batch.game.actions[action["id"]].name for action in view.actions)
        batch.step(batch.sample_actions(int(batch.games["decisions"][0])))
    assert batch.view(0, 0).seat is None
    assert batch.view(0, 0).over
    assert batch.view(0, 0).actions == []


def test_a_view_of_everything_is_asked_for_by_name():
    batch = make_vec("warehouse51_v1", 1, seed=0)
    batch.reset()
    for viewer in (None, 4, -1, "everything", True):
        with pytest.raises(OptionError, match=r"viewer: .* but allowed are 'public', 'all', 0, 1, 2, 3"):
            batch.view(0, viewer)  # type: ignore[arg-type]
    assert batch.view(0, ALL).table["deck_order"] is not None
    for viewer in (0, 1, 2, 3, PUBLIC):
        assert batch.view(0, viewer).table["deck_order"] is None


def test_there_is_no_view_before_the_first_reset_nor_of_a_game_that_is_not_there():
    batch = make_vec("warehouse51_v1", 2, seed=0)
    for view in (lambda: batch.view(0, PUBLIC), lambda: warehouse51_v1.raw_env().view("player_0")):
        with pytest.raises(GameOverError, match="view"):
            view()
    batch.reset()
    with pytest.raises(OptionError, match="index: 2, but an integer from 0 to 1 is allowed"):
        batch.view(2, PUBLIC)
    with pytest.raises(OptionError, match="names: 2 of them, but there are 4 seats"):
        batch.view(0, 1, words=Words("en", ["Anna", "Bo"]))


def test_data_of_another_shape_are_no_view():
    batch = make_vec("warehouse51_v1", 1, seed=0)
    batch.reset()
    data = batch.view(0, 1).as_data()
    for wrong in ({**data, "schema": 2}, {**data, "more": 1}, {key: data[key] for key in data if key != "news"}):
        with pytest.raises(OptionError, match="view: schema"):
            View.from_data(wrong)


# ---- who knows what


def test_actions_name_what_they_do():
    scene = Table(4).decks("holy_grail").play("choose_deck_blue")
    actions = {action["name"]: action for action in scene.batch.view(0, 1).actions}
    assert actions["bid_3"] == {"id": 7, "name": "bid_3", "kind": "bid", "ingots": 3, "text": "bid 3"}
    assert actions["pass"] == {"id": 4, "name": "pass", "kind": "pass", "text": "pass"}
    scene = Table(5).decks("oracle_bones", "sharur").play("choose_deck_red", "bid_1", "pass", "pass", "pass", "pass")
    look = scene.batch.view(0, 1).actions[0]
    assert (look["kind"], look["gap"]) == ("look", 2)
    assert look["text"] == "look at the gap between Player 2 and Player 3"


def test_bids_of_alles_futsch_name_the_amount():
    batch = make_vec("alles_futsch_v1", 1, seed=1, num_players=3, first_player=0, autoreset="disabled")
    batch.reset()
    for name in ("select_0", "raise_5", "add_40"):
        batch.step(np.array([batch.game.actions.id(name)]))
    actions = {action["name"]: action for action in batch.view(0, 1).actions}
    assert actions["raise_2"]["text"] == "bid 47,000"
    assert actions["raise_2"]["money"] == 47_000
    batch.step(np.array([batch.game.actions.id("raise_2")]))
    assert batch.view(0, 2).table["lot"]["standing_bid"] == 47_000


# ---- news


def test_news_are_the_events_since_the_viewers_last_decision():
    env = warehouse51_v1.raw_env(num_players=3, first_player=0)
    env.reset(seed=4)
    assert [event["event"] for event in env.view("player_0").news] == ["set_up"]
    played = []
    for _ in range(30):
        agent = env.agent_selection
        view = env.view(agent)
        assert view.viewer == int(agent[-1])
        assert view.actions
        assert [event["text"] for event in view.news] == [env.game.event_text(event) for event in env.events(agent)]
        assert env.view(agent) == view  # reading changes nothing
        played.append(view.news)
        env.step(view.actions[len(view.actions) // 2]["id"])
    assert max(map(len, played)) > 3


# ---- a game without a view of its own


def test_a_game_without_code_for_it_has_views():
    batch = make_vec(THIRD, 1, seed=5, num_players=3, autoreset="disabled", events=True)
    batch.reset()
    batch.games["worth"][0, :3] = [4, 9, 6]
    batch.refresh()
    batch.step(np.array([3]))
    own, other, public, everything = (batch.view(0, viewer) for viewer in (0, 1, PUBLIC, ALL))
    assert own.players[0]["observation"] == {
        "num_players": 3, "worth": 4, "have_bid": [1, 0, 0, 0, 0], "own_bid": 3, "bids": [0] * 5,
    }  # fmt: skip
    assert "observation" not in own.players[1]
    assert other.players[1]["observation"]["worth"] == 9
    assert not any("observation" in player for player in public.players)
    assert [player["observation"]["worth"] for player in everything.players] == [4, 9, 6]
    assert [event["text"] for event in own.news] == ["Player 0 bids 3."]
    assert other.news == public.news == []
    assert other.actions[2] == {"id": 2, "name": "bid_2", "kind": "", "text": "bid 2"}
    assert table(other).splitlines()[:4] == [
        "one_lot: Player 1 is to move",
        "Player 0",
        "Player 1 (you)",
        "    num_players: 3",
    ]
    batch.step(np.array([5]))
    batch.step(np.array([5]))
    assert batch.view(0, 0).players[1]["score"] == {"total": 4, "rank": 1}
    assert "Player 1 (4 points, rank 1)" in table(batch.view(0, PUBLIC))


def test_a_view_of_one_game_of_many_is_of_that_game():
    batch = Batch(third_game.make(2), 3, seed=1)
    batch.reset()
    for index in range(3):
        assert batch.view(index, 1).players[1]["observation"]["worth"] == batch.games["worth"][index, 1]
