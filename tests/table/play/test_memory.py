"""Agents that remember at tables: each decision is made in a new process, which first gets the seat's earlier ones."""

from contextlib import closing

import pytest

from tests.agents.remembering import HERE
from w51_table.play.agent_pool import AgentPool, frame_question, next_question
from w51_table.play.playback import Performance, Playback
from w51_table.play.table import PERSON, Setup, Table

OPTIONS = {"preset": "mini", "num_players": 3}


@pytest.mark.slow
@pytest.mark.parametrize("agent", [f"{HERE}:Remembers", f"{HERE}:Counts"])
def test_an_agent_of_a_page_has_made_the_earlier_decisions_of_its_seat(agent: str):
    table = Table(Setup("warehouse51_v1", OPTIONS, 5, (PERSON, agent, agent)))
    pool = AgentPool()
    try:
        for _ in range(14):
            answer = pool.ask(next_question(table, agent, explain=table.decision % 2 == 0)).result(120)
            assert answer.failure is None
            table.play(answer.action)
        playback = Playback.of_table(table)
        asked = frame_question(playback.frames[9], agent, "warehouse51_v1", 5, playback.actions_before(9))
        assert pool.ask(asked).result(120).explanation.action == playback.frames[9].action
    finally:
        pool.close()


@pytest.mark.slow
def test_an_agent_of_the_terminal_has_made_the_earlier_decisions_of_its_seat():
    table = Table(Setup("warehouse51_v1", OPTIONS, 5, (f"{HERE}:Remembers", f"{HERE}:Counts", "random")))
    with closing(AgentPool()) as pool:
        performance = Performance(Playback.of_table(table), pool, table)
        for _ in range(14):
            performance.advance()
    assert len(performance.playback.frames) == 15


def test_a_language_model_at_two_tables_remembers_each():
    from w51_agents.language.llm.memory import Memories

    memories, tables = Memories(), [Table(Setup("warehouse51_v1", OPTIONS, seed, ("random",) * 3)) for seed in (5, 6)]
    turns = [0, 0]
    for _ in range(12):
        for number, table in enumerate(tables):
            if table.seat == 0:
                memory = memories.of(table.info())
                assert len(memory.turns) == turns[number]
                memory.add_turn("prompt", "answer", 10_000)
                turns[number] += 1
                memories.decided(memory, table.info())
            table.play(int(table.action_mask.argmax()))
    assert min(turns) > 2


@pytest.mark.slow
def test_agents_of_a_terminal_play_what_they_chose_themselves_to_the_end(tmp_path):
    pytest.importorskip("textual")
    from tests.table.terminal.pilot import WIDE, played
    from tests.table.terminal.test_playing import new_table, to_the_end

    app = new_table(tmp_path, f"{HERE}:Remembers", f"{HERE}:Counts", **OPTIONS)
    played(app, to_the_end, WIDE)
    playback = Playback.of_table(app.table)
    chosen = [(frame.action, frame.mask.argmax()) for frame in playback.frames if frame.seat > 0]
    assert len(chosen) > 5
    assert all(action == first for action, first in chosen)  # one that fails plays at random
