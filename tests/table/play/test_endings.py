"""What a page says of the end of a game: why ties are as they are, and where the money went."""

import pytest

from tests.table.play.games import played_at_random
from w51_agents.language.alles_futsch.ledger import SOURCES, ledger
from w51_agents.language.alles_futsch.score_table import score_table
from w51_agents.language.warehouse51.ties import tie_lines
from w51_env.views.language import Words
from w51_table.play.table import SET_UP

NAMES = ("Ann", "Ben", "Cem", "Dan")
WORDS = Words("en", NAMES)


def ended(game: str, seed: int):
    return played_at_random(game, seed, NAMES).view("all", WORDS, SET_UP)


@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_leads_from_the_money_at_the_start_to_that_at_the_end(seed):
    view = ended("alles_futsch_v1", seed)
    sums = ledger(view.news, len(NAMES))
    assert tuple(sums) == SOURCES
    for seat, player in enumerate(view.players):
        assert 200_000 + sum(of[seat] for of in sums.values()) == player["money"]
    score = score_table(view, WORDS)
    assert score.ledger == score.decides == 1 + len(SOURCES)
    assert [cell.text for cell in score.rows[score.decides][1]] == [
        WORDS.number(each["money"]) for each in view.players
    ]


def test_each_tie_for_a_place_has_its_reason():
    reasons = []
    for seed in (0, 3, 5, 8, 13, 21):
        view = ended("warehouse51_v1", seed)
        said = tie_lines(view, WORDS)
        reasons += said
        for category in view.table["categories"]:
            values = [player["standing"]["values"][category] for player in view.players]
            tied = max(values) and values.count(max(values)) > 1
            assert not tied or any(category in line for line in said)
    kinds = ("each scores as the second", "score nothing", "breaks the tie")
    assert all(any(kind in line for line in reasons) for kind in kinds)
