"""Positions as one seat sees them: written from states, read as states, refused where they contradict themselves."""

import json

import numpy as np
import pytest

from w51_env import make_vec
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import OptionError
from w51_env.views.language import LANGUAGES, Words
from w51_env.warehouse51.state import CERTIFY
from w51_table.positions.evening import Evening
from w51_table.positions.position import position_format, read_position, write_position

NAMES = ("Ida", "Ben", "Zoe", "Max")
START = {"game": "warehouse51_v1", "seat": 0, "gaps": {"0": ["holy_grail"], "3": ["excalibur"]}, "revealer": 1}
OPEN = {**START, "lot": "book_of_thoth", "bid": 2, "leader": 3, "to_move": 0}


@pytest.mark.parametrize(
    ("game", "num_players", "options"),
    [
        ("warehouse51_v1", 3, {}),
        ("warehouse51_v1", 4, {"preset": "hu"}),
        ("warehouse51_v1", 5, {"relics": "generated:3"}),
        ("alles_futsch_v1", 4, {}),
        ("alles_futsch_v1", 5, {"cards": "random"}),
    ],
)
def test_a_position_that_is_read_looks_as_before_to_its_seat(game, num_players, options):
    batch = make_vec(game, 4, seed=3, num_players=num_players, autoreset="disabled", **options)
    batch.reset()
    other, phases = Batch(batch.game, 1, autoreset="disabled"), set()
    for step in range(300):
        index, seat = step % 4, step % num_players
        state = batch.games[index]
        if not state["over"] and state["phase"] <= CERTIFY:
            position = read_position(json.loads(json.dumps(write_position(batch.game, state, seat))))
            other.load(position.states)
            np.testing.assert_array_equal(other.observe(seat)[0], batch.observe(seat)[index])
            phases.add(int(state["phase"]))
        if batch.games["over"].all():
            break
        batch.step(batch.sample_actions(step))
    assert len(phases) > 3


def test_a_position_says_nothing_that_its_seat_cannot_know():
    """The same position is written of every state that the seat cannot tell apart."""
    batch = make_vec("warehouse51_v1", 1, seed=5, num_players=4, autoreset="disabled")
    batch.reset()
    for step in range(60):
        seat = int(batch.seat[0])
        written = write_position(batch.game, batch.games[0], seat)
        for state in Determinizer(batch.game, batch.games[0], seat).draw(5, step):
            assert write_position(batch.game, state, seat) == written
        batch.step(batch.sample_actions(step))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relics": [["muramasa"], ["muramasa"], [], []]}, "Muramasa is in two places."),
        ({"relics": [["book_of_thoth"], [], [], []]}, "Book of Thoth is in two places."),
        ({"pawned": ["muramasa"]}, "Muramasa is pawned, but nobody owns it."),
        ({"ingots": [30, 30, 1, 0]}, "The players hold 61 ingots, but only 60 are in the game."),
        ({"passed": [0]}, "Ida is to move, but has passed."),
        ({"passed": [3]}, "Max leads, so Max has not passed and is not to move."),
        ({"bid": 11}, "Max has bid 11, but holds 10 ingots."),
        ({"leader": None}, "The standing bid is 2; a bid above 0 needs the seat that made it"),
        (
            {"gaps": {"0": ["holy_grail"]}},
            "Counterfeits in the gap between Max and Ida: there is one card, but 0 are entered.",
        ),
        ({"gaps": {"0": ["book_of_thoth"], "3": ["excalibur"]}}, "No counterfeit card shows Book of Thoth."),
        ({"gaps": {"0": ["excalibur"], "3": ["excalibur"]}}, "The counterfeit card of Excalibur is in two places."),
        ({"gaps": {"1": ["excalibur"]}}, "gaps: 1, but the seat knows the gaps 0, 3"),
        ({"certificates": {"muramasa": None}}, "Muramasa gave nobody a certificate."),
        ({"lot": "ame_no_nuhoko"}, "bid: 2, but only an open auction has it"),
        ({"seat": 4}, "seat: 4, but an integer from 0 to 3 is allowed"),
        ({"money": 3}, "position: money is no entry; allowed are game, options, seat, ingots,"),
        ({"lot": "grail"}, 'lot: "grail", but one of seven_league_boots, holy_grail'),
        ({"phase": "take"}, "Book of Thoth is in two places."),
        ({"game": "chess_v1"}, "game: 'chess_v1'"),
    ],
)
def test_what_contradicts_itself_is_said(change, message):
    with pytest.raises(OptionError) as caught:
        read_position({**OPEN, **change}, Words("en", NAMES))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"face_up": ["vase+vase+clock", "vase+vase+clock"]}, "The card [vase, vase, clock] is in two places."),
        ({"card": "vase+clock+clock", "bid": 5}, "The standing bid is 5; a bid needs the seat that made it"),
        ({"card": "vase+clock+clock", "passed": [0]}, "Ida is to move, but has passed."),
        ({"lacks": ["vase", "vase", "clock"]}, "Two players cannot lack the same row."),
    ],
)
def test_what_contradicts_itself_at_alles_futsch_is_said(change, message):
    table = {"game": "alles_futsch_v1", "options": {"num_players": 3}, "seat": 0, "lacks": ["vase", "jewel", "clock"]}
    with pytest.raises(OptionError) as caught:
        read_position({**table, "face_up": ["jewel+jewel+jewel"], **change}, Words("en", NAMES[:3]))
    assert message in str(caught.value)


def test_contradictions_are_said_in_every_language():
    said = set()
    for language in LANGUAGES:
        with pytest.raises(OptionError) as caught:
            read_position({**OPEN, "bid": 11}, Words(language, NAMES))
        said.add(str(caught.value))
    assert len(said) == len(LANGUAGES)


def test_the_reserve_has_the_ingots_that_no_player_holds():  # S2
    assert read_position({**START, "ingots": [3, 9, 10, 18]}).states["reserve"][0] == 20


def test_an_action_shows_what_it_was_arranged_to_show():
    game, states, seat = read_position(START)
    form = position_format(game)
    action = game.actions.id("choose_deck_blue")
    reveal = form.reveal(game, states[0], action, seat)
    assert reveal.kind == "relic"
    assert len(reveal.choices) == 8
    for relic in reveal.choices:
        batch = Batch(game, 1, autoreset="disabled")
        arranged = states.copy()
        form.arrange(game, arranged[0], action, seat, [relic])
        batch.load(arranged)
        batch.step(np.array([action]))
        assert batch.view(0, seat).table["lot"]["relic"] == relic


LACKS = {"game": "alles_futsch_v1", "options": {"num_players": 3}, "seat": 0, "lacks": ["vase", "clock", "jewel"]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"position": LACKS | {"lacks": ["vase", "clock", "jewel", "vase"]}}, "cannot lack the same row"),
        ({"position": LACKS | {"objects": [{"vase": 1}] * 4}}, "an entry for each of 3 seats"),
        ({"position": LACKS, "names": 5}, "names: 5, but texts of at most 24 letters are needed"),
        ({"position": LACKS, "names": {"0": "Ann"}}, "but texts of at most 24 letters are needed"),
        ({"position": START, "events": [{"action": []}]}, "event: "),
        ({"position": LACKS | {"game": "os:abort"}}, "'os:abort' is unknown"),
        ({"position": LACKS | {"options": {"cards": "cards.toml"}}}, "cards: 'cards.toml', but allowed here are"),
        ({"position": {**START, "looked": {"9" * 5000: []}}}, "5,000 digits, but at most 40"),
    ],
)
def test_what_is_no_evening_is_said(data, message):
    with pytest.raises(OptionError, match=message):
        Evening(data)
