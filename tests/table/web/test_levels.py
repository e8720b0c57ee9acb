"""Levels of the quick game: each is a table that the server sets up, the weakest first."""

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.web.visitors import first_state, live_table, new_table, play_alone, visits
from w51_table.play.table import PERSON


@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_each_level_is_offered_as_opponents_by_strength_and_can_be_played(client, game):
    offer = client.get("/api/offer").json()
    found = next(one for one in offer["games"] if one["id"] == game)
    levels = found["levels"]
    ratings = [level["rating"] for level in levels]
    assert ratings == sorted(set(ratings))
    assert [levels[0]["name"], levels[-1]["name"]] == ["beginner", "champion"]
    assert {f"level_{level['name']}" for level in levels} <= offer["words"].keys()
    for level in levels:
        assert level["agent"] in found["agents"]
    for level in levels[:2]:  # the agents of the others have tests of their own
        table = new_table(client, [PERSON, *[level["agent"]] * 2], game)
        assert first_state(client, table)["seats"][1]["agent"] == level["agent"]
        with visits(client, table, 0) as [browser]:
            play_alone(browser, moves=3)
        assert live_table(client, table.table).failure is None


def test_a_game_without_levels_offers_none_and_an_agent_beside_the_levels_is_refused(client):
    offer = client.get("/api/offer").json()
    assert next(one for one in offer["games"] if one["id"] == "auctions_v0")["levels"] == []
    seats = [PERSON, "style:/tmp/run,bids=8", "style:heuristic,bids=8"]
    answer = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": seats})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("seats[1]: 'style:/tmp/run,bids=8', but allowed are")
