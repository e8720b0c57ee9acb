"""Money and objects of all seats, and what the objects of the card for auction would bring, from a view alone."""

from collections import Counter

from w51_agents.language.alles_futsch.ledger import ledger
from w51_agents.language.score_table import ScoreCell, ScoreTable
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.state import UNIT
from w51_env.views.language import Words
from w51_env.views.view import View

_NAME = "alles_futsch"


def score_table(view: View, words: Words) -> ScoreTable:
    """Rows for money, which decides, objects, which break ties, and the rank; who is broke ranks last (A6). At the end,
    if the news are all events, rows for where the money came from and went are before them.
    """
    holdings = [(not each["broke"], each["money"], sum(each["objects"].values())) for each in view.players]
    money = [ScoreCell(words.number(each[1]), "", each == max(holdings)) for each in holdings]
    ranks = [ScoreCell(str(1 + sum(other > each for other in holdings))) for each in holdings]
    rows = [
        (words(f"{_NAME}.picture.money"), money),
        (words(f"{_NAME}.picture.objects"), [ScoreCell(str(each[2])) for each in holdings]),
        (words("table.rank_row"), ranks),
    ]
    origins = _origins(view, words) if view.over and view.news and view.news[0]["event"] == "set_up" else []
    title, notes = (
        words("table.score_sheet" if view.over else "table.now"),
        [] if view.over else _lot_notes(view, words),
    )
    return ScoreTable(title, [*origins, *rows], [], notes, decides=len(origins), ledger=len(origins))


def _origins(view: View, words: Words) -> list[tuple[str, list[ScoreCell]]]:
    """The rows of the ledger: money at the start, and what was added or taken away."""
    start = [ScoreCell(words.number(UNIT * view.table["options"]["start_money"]))] * view.num_players
    rows = [(words(f"{_NAME}.ledger.start"), start)]
    for source, sums in ledger(view.news, view.num_players).items():
        cells = [ScoreCell(("+" if money > 0 else "") + words.number(money).replace("-", "\u2212")) for money in sums]
        rows.append((words(f"{_NAME}.ledger.{source}"), cells))
    return rows


def _lot_notes(view: View, words: Words) -> list[str]:
    """Where the money goes, and for each type on the card what becomes of it if the viewer buys, or has bought."""
    lot = view.table["lot"]
    if lot is None or not (lot["running"] or lot["leader"] == view.viewer):
        return []
    notes = [words(f"{_NAME}.score.pays_bank")] if lot["running"] else []
    if not isinstance(view.viewer, int):
        return notes
    options, objects = view.table["options"], view.players[view.viewer]["objects"]
    for kind, count in Counter(lot["card"] if lot["running"] else lot["to_place"]).items():
        in_set = min(count, max(0, SET_OF - objects[kind])) if kind in objects else 0
        bonus = in_set > 0 and objects[kind] + in_set == SET_OF
        outcomes = (("bonus" if bonus else "kept", in_set, "bonus"), ("sold", count - in_set, "sale_price"))
        for key, number, option in outcomes:
            if number:
                items = words(f"{_NAME}.count.{kind}", count=number)
                money = words.number(UNIT * options[option])
                notes.append(words(f"{_NAME}.score.{key}", count=items, money=money))
    return notes
