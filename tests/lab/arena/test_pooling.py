"""No agent of others combines what its seats see of one deal, or finds a deal by its seed."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.lab.arena import pooling
from tests.lab.arena.small import DRAWN, finish, same
from w51_agents import make_agent
from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import SingleAgent
from w51_agents.agent.seeds import SECRET_VARIABLE, is_stateless, secret_seed
from w51_agents.isolation.isolated import IsolatedAgent
from w51_env import make_game
from w51_lab import datasets
from w51_lab.arena.matches import play_matches
from w51_lab.arena.plan import ALL_SEATINGS, Plan, TournamentState
from w51_lab.arena.players import seated_players
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import TournamentResult
from w51_lab.replay_viewer.frames import frames_of
from w51_table.play.agent_pool import AgentPool, Answer, only_make
from w51_table.play.table import PERSON, Setup

MINI = {"preset": "mini", "num_players": 3}


@pytest.fixture
def notes(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    monkeypatch.setenv("POOLING", str(folder))
    return folder


def played(*agents: str, options: dict[str, object], **fields: object) -> tuple[Plan, TournamentResult]:
    """A tournament in which no decision is forfeited."""
    plan = Plan(TournamentSpec(agents=agents, options=options, **fields))  # type: ignore[arg-type]
    result = finish(plan)
    plan.close()
    assert not any(statistics.first for statistics in result.statistics)
    return plan, result


def seen(plan: Plan, result: TournamentResult, agent: str) -> dict[str, set[tuple[int, int, int]]]:
    """Each observation of the agent's decisions, with the deals, games and seats that it is of."""
    found = defaultdict(set)
    for block in result.results:
        for game in block.replays:
            players = [plan.names[index] for index in block.seats[game.row]]
            for frame in frames_of(game.replay(plan.game, players)):
                if frame.seat >= 0 and players[frame.seat] == agent:
                    number = block.block.number * 1000 + game.row
                    found[frame.observation.tobytes().hex()].add((game.seed, number, frame.seat))
    return found


@pytest.mark.parametrize(
    "line_up",
    [
        ("random", "Pools"),
        pytest.param(("Pools", "random"), marks=pytest.mark.slow),
        pytest.param(("Threaded", "random"), marks=pytest.mark.slow),
    ],
)
def test_no_process_of_an_agent_meets_two_seats_of_one_deal(line_up: tuple[str, str], notes: Path):
    agents = [f"tests.lab.arena.pooling:{name}" if name != "random" else name for name in line_up]
    # Not a mini game: so few deals are possible there that observations of different ones are equal.
    plan, result = played(*agents, options={"num_players": 3}, games=6, replays=6)
    name = next(agent for agent in agents if agent != "random")
    places, num_seen = seen(plan, result, name), 0
    for path in notes.glob("process-*"):
        met = defaultdict(set)
        for observation in path.read_text().split():
            if len(found := places.get(observation, set())) == 1:  # else it does not tell which game it is of
                ((deal, game, seat),) = found
                met[deal].add((game, seat))
                num_seen += 1
        assert all(len(games) == 1 for games in met.values()), f"{path.name} has met one deal in {met}"
    assert num_seen > 20


@pytest.mark.slow
def test_a_network_of_others_plays_in_processes_of_its_own_and_its_module_is_one_of_its_files(tmp_path):
    from tests.agents import outside
    from w51_agents.networks.making import make_network, save_network

    game, network = make_game("warehouse51_v1", num_players=3), "tests.agents.networks.outside:Attention"
    save_network(make_network(game, network, hidden_sizes=[8]), game, tmp_path / "one.safetensors")
    name = str(tmp_path / "one.safetensors")
    plan, result = played(name, "random", options={"num_players": 3}, games=6, trust=True)
    assert [file.path for file in plan.files[name]] == [name, outside.__file__]
    assert plan.deals.name == "seed kept secret"
    assert len(result.results) == 3  # each seating apart
    assert isinstance(plan.agents[0], IsolatedAgent)


def test_the_seed_of_an_agent_leads_neither_to_the_root_seed_nor_to_the_deals(notes: Path):
    played("tests.lab.arena.pooling:Derives", "random", options={"num_players": 3}, games=6)
    seeds = (notes / "seeds").read_text().split()
    assert len(set(seeds)) == len(seeds) > 3
    assert not (notes / "root").exists()
    known = (notes / "known").read_text() if (notes / "known").exists() else ""
    assert len(known) < 0.02 * len((notes / "unknown").read_text())


@pytest.mark.slow
def test_a_tournament_is_repeated_by_its_secret_and_the_deals_of_a_seed_stay(monkeypatch):
    fields = {"options": MINI, "games": 24, "seed": 0}
    plan, first = played(DRAWN, "heuristic", **fields)
    monkeypatch.setenv(SECRET_VARIABLE, "f" * 64)
    other, second = played(DRAWN, "heuristic", **fields)
    monkeypatch.setenv(SECRET_VARIABLE, plan.state.secret)
    _, again = played(DRAWN, "heuristic", **fields)
    assert same(first, again)
    assert not same(first, second)
    assert plan.deal_facts == other.deal_facts == Plan(TournamentSpec(agents=("random",), **fields)).deal_facts


@pytest.mark.slow
def test_the_secret_is_not_among_what_an_agent_is_given(tmp_path, notes: Path, monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, "f" * 64)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "looks.py").write_text(
        "import os\nfrom tests.lab.arena.pooling import *\nclass Looks(Pools):\n"
        "    def __init__(self, game):\n        assert 'W51_ENV_SECRET' not in os.environ\n"
    )
    played("looks:Looks", "random", options=MINI, games=6)


def test_who_is_stateless_cannot_be_claimed():
    class Mine(BotAgent):
        stateless = True

    game = Plan(TournamentSpec(agents=("random",), games=4)).game
    assert is_stateless(make_agent("heuristic", game))
    assert not is_stateless(Mine(game, "random"))
    assert not is_stateless(pooling.Pools(game))
    with_name = type("BotAgent", (pooling.Pools,), {"__module__": "w51_agents.agent.bots"})
    assert not is_stateless(with_name(game))


@pytest.fixture(scope="module")
def plan() -> Iterator[Plan]:
    """All pairs of two bots and an agent of others."""
    plan = Plan(
        TournamentSpec(agents=("heuristic", "random", DRAWN), options={"preset": "mini"}, games=60, format="pairs")
    )
    yield plan
    plan.close()


def test_each_seat_of_a_game_has_a_player_of_its_own(plan: Plan):
    seated = np.array([[0, 1, 2, 2, 2], [2, 2, 0, 2, 1]])
    players, seats = seated_players(plan.names, plan.agents, plan.game, seated)
    assert [(player.index, player.copy) for player in players] == [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]
    assert seats.tolist() == [[0, 1, 2, 3, 4], [2, 3, 0, 4, 1]]


def test_only_line_ups_with_agents_of_others_play_each_seating_apart(plan: Plan):
    apart = {block.lineup: block.seating != ALL_SEATINGS for block in plan.blocks}
    assert [apart[number] for number in range(6)] == [2 in lineup for lineup in plan.lineups.tolist()]
    by_game = [(block.lineup, deal, block.seating) for block in plan.blocks for deal in range(block.start, block.stop)]
    assert len(set(by_game)) == len(by_game)
    assert sum(plan.seated(block).shape[0] * plan.seated(block).shape[1] for block in plan.blocks) == plan.num_games


def test_slow_agents_are_measured_once_and_play_games_that_are_stored_one_by_one():
    fields = {"options": {"preset": "mini"}, "games": 12}
    plan = Plan(TournamentSpec(agents=("tests.lab.arena.pooling:Waits", "random"), **fields))
    assert plan.state.slow == ("tests.lab.arena.pooling:Waits",)
    assert [block.stop - block.start for block in plan.blocks] == [1] * plan.num_games
    plan.close()
    spec = TournamentSpec(agents=("heuristic", "random"), **fields)
    quick, slow = (Plan(spec, TournamentState(plan.state.secret, agents)) for agents in ((), ("random",)))
    assert slow.state.slow == ("random",)  # as it was measured before
    assert slow.blocks == plan.blocks != quick.blocks


def test_seeds_at_different_places_and_of_different_secrets_differ():
    places = [(secret, "match", number, copy) for secret in "ab" for number in range(40) for copy in range(40)]
    assert len({secret_seed(*place) for place in places}) == len(places)
    assert all(0 <= secret_seed(*place) < 2**64 for place in places)


class Keeps(SingleAgent):
    """Keeps its seeds, and plays the first legal action."""

    def __init__(self, game=None):
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def act(self, observation, action_mask, info=None) -> int:
        return int(np.flatnonzero(action_mask)[0])


def test_the_seeds_of_agents_in_datasets_and_matches_are_not_those_of_the_games():
    game = Plan(TournamentSpec(agents=("random",), options={"preset": "mini"}, games=4)).game
    agent = Keeps()
    datasets.record(game, ["keeps"], [agent], 2, seed=7)
    play_matches(game, [("keeps", agent)], 4, seed=7)
    generator = np.random.default_rng(np.random.SeedSequence(7).spawn(1)[0])
    generator.integers(2**63)
    assert len({*agent.seeds, 7, int(generator.integers(2**63))}) == 4


def test_a_pool_gives_agents_of_others_seeds_that_do_not_lead_to_the_table():
    asked = []
    pool = AgentPool()
    game = Plan(TournamentSpec(agents=("random",), options={"preset": "mini"}, games=4)).game
    for group in (pool._bots, pool._slow):
        group.ask = asked.append  # type: ignore[method-assign]
    for name in (DRAWN, "heuristic"):
        pool.ask(replace(only_make(name, game), seed=9))
    assert asked[0].seed != 9 == asked[1].seed
    pool.close()


def test_an_assistant_does_not_choose_the_seed_of_its_game(monkeypatch):
    pytest.importorskip("mcp")
    from w51_table.play.assistant import AssistantTable

    pool = SimpleNamespace(ask=lambda question: SimpleNamespace(result=Answer), close=lambda: None)
    monkeypatch.setattr("w51_table.play.assistant.AgentPool", lambda trust: pool)  # the person is the first to move
    options = {"preset": "mini", "num_players": 3, "first_player": 0}
    table = AssistantTable(Setup("warehouse51_v1", options, 3, (PERSON, "random", "random")))
    try:
        seeds = []
        for seed in (3, 3, 4, None):
            table.new_game(seed)
            seeds.append(table.table.setup.seed)
    finally:
        table.close()
    assert seeds[0] == seeds[1]
    assert len({*seeds, 3, 4, 5}) == 6
