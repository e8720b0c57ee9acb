"""What the command line adds to the form: agents by name, and options such as own cards."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.testclient import TestClient

from tests.table.play.games import played_at_random
from tests.table.web.visitors import bearer, live_table, new_table, play_alone, serving, visits
from w51_env import warehouse51
from w51_env.engine.errors import OptionError
from w51_table.play.table import PERSON, TableError
from w51_table.web.new_game import OWN, Extras

CARDS = (Path(warehouse51.__file__).parent / "relic_sets/nano.toml").read_text("utf-8").replace('"nano"', '"cards"')
SEARCH = "search:playouts=2"


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[], AbstractContextManager[TestClient]]:
    cards = tmp_path / "own" / "harbour.toml"
    cards.parent.mkdir()
    (tmp_path / "tables").mkdir()
    cards.write_text(CARDS.replace("value = 2", "value = 1", 1))
    options = {"relics": str(cards), "counterfeits_per_gap": 1, "num_players": 3}
    return partial(serving, tmp_path / "tables", agents=[f"Deep={SEARCH}"], options=options)


def test_own_cards_and_named_agents_are_offered_and_played_without_their_paths(serve, tmp_path: Path):
    with serve() as client:
        offer = client.get("/api/offer").json()
        game = next(one for one in offer["games"] if one["id"] == "warehouse51_v1")
        own = game["presets"][0]
        assert (own["name"], own["players"], own["options"]["relics"]) == (OWN, 3, "harbour.toml")
        assert "harbour.toml" in next(one["choices"] for one in game["options"] if one["name"] == "relics")
        assert "Deep" in own["agents"]
        table = new_table(client, [PERSON, "Deep", "random"], preset=OWN)
        chosen = new_table(client, [PERSON] * 3, options={"relics": "harbour.toml", "counterfeits_per_gap": 1})
        for made in (table, chosen):
            assert "value = 1" in live_table(client, made.table).table.setup.options["relics"]
        with visits(client, table, 0) as [browser]:
            play_alone(browser, 1000)
            assert browser.received[-1]["over"]
            assert [seat["agent"] for seat in browser.received[-1]["seats"]] == ["", "Deep", "random"]
            texts = browser.texts
        about = client.get(f"/api/replays/{table.table}").json()
        assert "Deep" in about["agents"]
        thoughts = client.get(f"/api/replays/{table.table}/0/thoughts?agent=Deep")
        assert thoughts.json()["title"].startswith("Deep")
        guest = bearer(live_table(client, chosen.table).keys.invitation)
        rules = client.get(f"/api/rules/{table.table}").text
        shown = [*texts, str(offer), str(about), thoughts.text, rules]
        assert not [text for text in shown if str(tmp_path) in text or SEARCH in text]
        assert client.get(f"/api/invitations/{chosen.table}", headers=guest).status_code == 200
        assert client.get("/api/replays/x/0/thoughts").status_code == 400
    with serve() as client:  # the file of the table holds the cards and the name
        assert live_table(client, table.table).agents == ["", "Deep", "random"]


@pytest.mark.parametrize(
    ("agents", "options", "error", "reason"),
    [
        (["heuristic=search:playouts=2"], {}, TableError, "the name 'heuristic' is taken"),
        (["person=random"], {}, TableError, "the name 'person' is taken"),
        (["A=random", "A=heuristic"], {}, TableError, "the name 'A' is taken"),
        (["runs/a/best.zip", "runs/b/best.zip"], {}, TableError, "give it another one: NAME=runs/b/best.zip"),
        (["runs/heuristic"], {}, TableError, "the name 'heuristic' is taken"),
        ([], {"relcs": "x"}, OptionError, "option 'relcs' is unknown"),
        ([], {"relics": "mini", "sale_price": 3}, OptionError, "no game has all of them"),
        ([], {"relics": "no/such.toml"}, OptionError, "neither a file nor a built-in relic set"),
    ],
)
def test_what_cannot_be_offered_is_an_error_at_the_start(agents, options, error, reason):
    with pytest.raises(error, match=reason):
        Extras.of(agents, options)


def test_a_page_cannot_choose_what_was_not_offered(client):
    for change in ({"preset": OWN}, {"options": {"relics": "harbour.toml"}}, {"seats": [PERSON, "Deep", "random"]}):
        answer = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": [PERSON] * 3, **change})
        assert answer.status_code == 400, change


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        ("runs/mine/best.safetensors", "best.safetensors"),
        ("../lr=0.1,seed=2/mine:sampled", "mine:sampled"),
        ("sb3:own models/x.zip", "sb3:x.zip"),
        ("my.module:Class,path=weights/x.pt", "my.module:Class,path=x.pt"),
        ("search:playouts=2,prior=runs/mine", "search:playouts=2,prior=mine"),
        ("mimic:runs/a>runs/b,lots=4", "mimic:a>b,lots=4"),
        ("llm:./own/model.sh", "llm:model.sh"),
        ("llm:http://127.0.0.1:8000/v1,model=a/b", "llm:http://127.0.0.1:8000/v1,model=b"),
    ],
)
def test_visitors_see_no_folder_of_an_agent(tmp_path, agent, shown):
    assert Extras.of([agent], {}).agents == {shown: agent}
    with serving(tmp_path, agents=[agent]) as client:
        assert f'"{shown}"' in client.get("/api/offer").text
        form = {"game": "warehouse51_v1", "seats": [PERSON, shown, "random"]}
        told = client.post("/api/tables", json=form).text + client.get("/api/offer").text
        assert not [folder for folder in ("runs/", "weights/", "own/", "models/", "../") if folder in told]


def test_no_language_model_of_the_owner_reads_cards_of_a_visitor(tmp_path):
    cards = CARDS.replace("value = 2", "value = 1", 1)
    refused, options = "it reads no cards of visitors", {"relics": cards, "counterfeits_per_gap": 1}
    with serving(tmp_path, agents=["Model=llm:echo pass"]) as client:
        form = {"game": "warehouse51_v1", "seats": [PERSON, "Model", "random"]}
        assert refused in client.post("/api/tables", json={**form, "options": options}).text
        assert refused not in client.post("/api/tables", json=form).text
        position = {"game": "warehouse51_v1", "options": {"num_players": 3, **options}, "seat": 0, "lot": "lantern",
                    "revealer": 2, "to_move": 0}  # fmt: skip
        answer = client.post("/api/advice/answer?agent=Model&language=en", json={"position": position})
        assert refused in answer.text, answer.text
        replay = played_at_random(**options).replay().encode()
        name = client.post("/api/replays", content=replay).json()["replay"]
        assert refused in client.get(f"/api/replays/{name}/1/thoughts?agent=Model").text
