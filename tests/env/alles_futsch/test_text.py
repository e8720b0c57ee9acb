"""Words for states; the golden playthroughs have a sentence of each event type."""

from tests.env.alles_futsch.table import Table
from w51_agents.language.alles_futsch.score_table import score_table
from w51_env.engine.game import ALL, PUBLIC
from w51_env.views.language import Words


def test_the_text_shows_the_whole_state():
    row = ["vase vase clock", "vase vase vase", "clock clock clock", "jewel jewel jewel", "vase clock jewel"]
    table = Table(2).cards(*row, "painting painting jewel").money(150, 90).give(0, vase=2).change(lost=[0, 0, 0, 0, 2])
    table.play("select_1", "raise_12")
    assert table.text(0).splitlines() == [
        "Alles Futsch!: Player 1 may bid",
        "Face up 0: [vase, vase, clock]",
        "Face up 2: [clock, clock, clock]",
        "Face up 3: [jewel, jewel, jewel]",
        "Face up 4: [vase, clock, jewel]",
        "For auction: [vase, vase, vase], standing bid 12,000 by Player 0",
        "Deck: 30 cards",
        "Lost: 2 jewels",
        "Player 0: 150,000 | sculpture 0, vase 2, clock 0, jewel 0 (still in, you)",
        "Player 1: 90,000 | painting 0, vase 0, clock 0, jewel 0 (still in)",
    ]
    assert "(still in, you)" not in table.text(PUBLIC)
    assert table.text(ALL).splitlines()[6].startswith("Deck: 30 cards, from the top: [painting, painting, jewel] [")


def test_the_text_shows_the_first_part_of_a_raise_and_the_objects_to_place():
    table = Table(3).cards("painting clock jewel").play("select_0")
    assert "For auction: [painting, clock, jewel], standing bid none" in table.text(0)
    table.play("add_40")
    assert "The seat to move raises by 40,000 and ..." in table.text(1)
    table.play("raise_2", "pass", "pass", "place_painting")
    assert table.text(1).splitlines()[:8:7] == ["Alles Futsch!: Player 0 chooses a buyer", "To sell: a painting"]
    assert "Bought: [painting, clock, jewel] by Player 0 for 42,000" in table.text(1)
    assert "To place: 1 clock, 1 jewel" in table.text(1)


def test_the_text_shows_the_end():
    table = Table(2).money(9, 0).cards("painting clock jewel").buy(5).play("place_painting")
    assert table.sentences()[:2] == [
        "Player 0 sells a painting to Player 1 and gets 0.",
        "Player 1 can't pay and is broke: the game ends.",
    ]
    assert table.text(1).splitlines()[0] == "Alles Futsch!: the game is over"
    assert "Player 0: 4,000 | sculpture 0, vase 0, clock 0, jewel 0 (rank 1)" in table.text(1)
    assert "Player 1: 0 | painting 0, vase 0, clock 0, jewel 0 (you, broke, rank 2)" in table.text(1)


def test_the_score_sheet_ranks_who_is_broke_last():  # A6
    table = Table(2).money(5, 0).cards("painting clock jewel").give(1, vase=2).buy(5).play("place_painting")
    view = table.batch.view(0, 1)
    money, objects, ranks = ([cell.text for cell in row[1]] for row in score_table(view, Words()).rows)
    assert (money, objects, ranks) == (["0", "0"], ["0", "2"], ["1", "2"])
