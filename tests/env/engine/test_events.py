"""Events: rows that kernels emit, decoded for a viewer."""

import copy
import gc
import pickle
from itertools import product
from types import FunctionType, ModuleType

import numpy as np
import pytest

from tests.env.warehouse51.table import Table
from w51_env import make_game, registered_games, warehouse51, warehouse51_v1
from w51_env.engine.batch import Batch
from w51_env.engine.events import COLUMNS, EventJournal, Events, EventType
from w51_env.engine.game import PUBLIC
from w51_env.views.language import Words
from w51_env.warehouse51.event_types import EVENT_TYPES

KINDS = (
    EventType("moved", ("piece", "square"), "{seat} moves {piece} to {square}."),
    EventType("drew", ("card",), "{seat} draws {card}.", private=True),
)
ROWS = np.array([[0, 1, 7, 3, 0, 0], [1, 2, 40, 0, 0, 1], [0, 0, 9, 2, 0, 0]], np.int16)
MOVED, DREW, MOVED_AGAIN = (
    {"event": "moved", "seat": 1, "piece": 7, "square": 3, "forced": False},
    {"event": "drew", "seat": 2, "card": 40, "forced": True},
    {"event": "moved", "seat": 0, "piece": 9, "square": 2, "forced": False},
)


def test_rows_are_decoded_by_their_kind():
    events = Events(ROWS, KINDS)
    assert list(events) == [MOVED, DREW, MOVED_AGAIN]
    assert len(events) == 3
    assert events[1] == DREW
    assert events[-1] == MOVED_AGAIN
    assert events[:2] == [MOVED, DREW]
    assert repr(events) == repr([MOVED, DREW, MOVED_AGAIN])


@pytest.mark.parametrize(
    ("viewer", "expected"), [(0, [MOVED, MOVED_AGAIN]), (1, [MOVED, MOVED_AGAIN]), (2, [MOVED, DREW, MOVED_AGAIN])]
)
def test_a_private_event_is_seen_by_its_seat_alone(viewer: int, expected: list[dict]):
    events = Events(ROWS, KINDS, viewer)
    assert list(events) == expected
    assert len(events) == len(expected)
    assert events[len(expected) - 1] == MOVED_AGAIN
    with pytest.raises(IndexError):
        events[len(expected)]


def test_the_events_of_a_call_are_those_of_the_last_step_and_stay_as_they_were():  # T1, T2, T4
    table = Table(num_players=3).decks("holy_grail", "sharur").play("choose_deck_blue")
    grail, taken = table.relics.index("holy_grail"), table.batch.events(0)
    assert table.events() == [{"event": "revealed", "seat": 0, "relic": grail, "forced": False}]
    table.play("bid_3")
    assert table.events() == [{"event": "bid", "seat": 1, "ingots": 3, "matches": 0, "forced": False}]
    assert [event["event"] for event in taken] == ["revealed"]
    table.play("pass", "pass")
    assert table.events()[:2] == [
        {"event": "passed", "seat": 0, "forced": False},
        {"event": "sold", "seat": 1, "relic": grail, "ingots": 3, "payee": 2, "forced": False},
    ]
    assert (table.events()[2]["event"], table.events()[2]["forced"]) == ("revealed", True)  # without a choice


def test_the_next_set_up_follows_the_end_of_a_game():
    batch = Batch(warehouse51.make(None, "nano"), 1, seed=0, autoreset="same_step", events=True)
    batch.reset()
    while not batch.done[0]:
        batch.step(batch.sample_actions())
    names = [event["event"] for event in batch.events(0)]
    assert names.count("finished") == 3
    assert names.index("set_up") == len(names) - 1 - names[::-1].index("finished") + 1


def test_a_log_leaves_the_game_as_it_is():
    game = warehouse51.make(4)
    silent, logging = Batch(game, 8, seed=3), Batch(game, 8, seed=3, events=True)
    silent.reset()
    logging.reset()
    for step in range(150):
        actions = silent.sample_actions(step)
        silent.step(actions)
        logging.step(actions)
        assert silent.games.tobytes() == logging.games.tobytes()


# Fields that a sentence says in other words, or need not say.
OTHER_WORDS = {"matches": "", "slot": "", "type": "{a_type}"}


@pytest.mark.parametrize("game_id", registered_games())
def test_every_kind_of_event_has_a_sentence_with_its_fields(game_id: str):
    game = make_game(game_id)
    sentences = Words().section(f"{game.name}.event")
    for kind in game.event_types:
        assert len(kind.fields) <= 3
        for field in kind.fields:
            words = (f"{{{field}}}", OTHER_WORDS.get(field))
            assert any(part in sentences[kind.name] for part in words if part is not None), f"{kind.name}: {field}"


# ---- an object made for a viewer holds what this viewer may know, and nothing else


def arrays_within(thing: object) -> list[np.ndarray]:
    """All arrays that can be reached from an object: through attributes, containers and the bases of views."""
    found, seen, waiting = [], set(), [thing]
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, type | ModuleType | FunctionType):
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            found.append(item)
            waiting.append(item.base)
        waiting += gc.get_referents(item)
        waiting += [getattr(item, slot) for slot in getattr(type(item), "__slots__", ()) if hasattr(item, slot)]
    return found


def private_rows_of_others(thing: object, kinds: tuple[EventType, ...], viewer: int | str) -> int:
    """Number of rows within an object that are private events of other seats."""
    rows = [row for array in arrays_within(thing) if array.ndim == 2 and array.shape[1] == COLUMNS for row in array]
    return sum(kinds[row[0]].private and row[1] != viewer for row in rows)


@pytest.mark.parametrize("viewer", [0, 1, PUBLIC])
def test_events_of_a_viewer_hold_no_private_rows_of_others(viewer: int | str):
    for rows in (ROWS.copy(), np.concatenate([ROWS, ROWS])[:3]):
        events = Events(rows, KINDS, viewer)
        assert list(events) == [MOVED, MOVED_AGAIN]
        for thing in (events, pickle.loads(pickle.dumps(events)), copy.deepcopy(events)):
            assert arrays_within(thing)
            assert private_rows_of_others(thing, KINDS, viewer) == 0
        assert np.int16([1, 2, 40, 0, 0, 1]).tobytes() not in pickle.dumps(events)
    assert private_rows_of_others(Events(ROWS, KINDS, None), KINDS, viewer) == 1


def test_events_of_a_seat_in_a_batch_hold_no_private_rows_of_others():
    batch = Batch(warehouse51.make(3), 4, seed=0, autoreset="disabled", events=True)
    batch.reset()
    private = 0
    while (batch.seat >= 0).any():
        batch.step(batch.sample_actions())
        for index, viewer in product(np.unique(batch.event_rows()[:, 0]).tolist(), (0, 1, 2, PUBLIC)):
            hidden = private_rows_of_others(batch.events(index), EVENT_TYPES, viewer)
            private += hidden
            if hidden:
                events = batch.events(index, viewer)
                assert private_rows_of_others(events, EVENT_TYPES, viewer) == 0
                assert private_rows_of_others(pickle.loads(pickle.dumps(events)), EVENT_TYPES, viewer) == 0
    assert private > 0


def test_the_info_of_an_agent_holds_no_private_rows_of_others():
    env, rng, private = warehouse51_v1.raw_env(num_players=3, events=True), np.random.default_rng(1), 0
    for seed in range(3):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
            private += any(event["event"] == "saw" for event in env.batch.events(0))
            for viewer, agent in enumerate(env.agents):
                for given in (env.infos[agent], env.events(agent)):
                    assert private_rows_of_others(pickle.loads(pickle.dumps(given)), EVENT_TYPES, viewer) == 0
    assert private > 0


def test_a_journal_gives_each_seat_the_events_since_its_last_decision():
    journal = EventJournal(KINDS, 3)
    journal.add(ROWS.tobytes())
    assert list(journal.since_decision(2)) == [MOVED, DREW, MOVED_AGAIN]
    journal.add(ROWS[:1].tobytes(), 2)
    assert list(journal.since_decision(2)) == [MOVED]
    journal.add(ROWS[2:].tobytes(), 1)
    assert list(journal.since_decision(2)) == [MOVED, MOVED_AGAIN]
    assert list(journal.since_decision(2)) == [MOVED, MOVED_AGAIN]
    assert list(journal.since_decision(0)) == [MOVED, MOVED_AGAIN, MOVED, MOVED_AGAIN]
