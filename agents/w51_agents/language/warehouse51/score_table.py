"""The points of all seats with their reasons, and what the lot would bring, from a view alone."""

from typing import Any

from w51_agents.language.score_table import ScoreCell, ScoreTable
from w51_agents.language.warehouse51.ties import tie_lines
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT, PLACE_POINTS, POINTS_PER_SET
from w51_env.warehouse51.show.payees import payee_name
from w51_env.warehouse51.state import CATEGORIES

_NAME = "warehouse51"


def score_table(view: View, words: Words) -> ScoreTable:
    """Rows for ingots, sets, each category and the total; before the end another one for the lot."""
    categories = view.table["categories"]
    rows = [
        (words(f"{_NAME}.points.ingots"), [_ingots(view, player, words) for player in view.players]),
        (words(f"{_NAME}.points.sets"), [_sets(player, words) for player in view.players]),
        *((words(f"{_NAME}.category.{name}"), _majority(view, name, words)) for name in categories),
    ]
    best = max(player["standing"]["total"] for player in view.players)
    doubtful = any(player["standing"]["doubtful"] for player in view.players) and not view.over
    totals = [player["standing"]["total"] for player in view.players]
    rows.append((words("table.total"), [ScoreCell(str(total), "", total == best, doubtful) for total in totals]))
    if view.over:
        ranks = [ScoreCell(str(player["score"]["rank"])) for player in view.players]
        ranked = [*rows, (words("table.rank_row"), ranks)]
        return ScoreTable(words("table.score_sheet"), ranked, tie_lines(view, words), [], decides=len(rows) - 1)
    notes = [words("table.doubt")] if doubtful else []
    return ScoreTable(
        words("table.now"), rows + _lot_row(view, words), notes, _lot_notes(view, words), decides=len(rows) - 1
    )


def _ingots(view: View, player: Any, words: Words) -> ScoreCell:
    relics = view.table["relics"]
    owned = [relics[entry["relic"]] for entry in player["collection"] if not entry["pawned"]]
    each = [relic["amount"] for relic in owned if relic["effect"] == "ingots_per_point"]
    reason = words(f"{_NAME}.score.ingots", ingots=player["ingots"], each=min(each, default=INGOTS_FOR_A_POINT))
    return ScoreCell(str(player["standing"]["points"]["ingots"]), reason)


def _sets(player: Any, words: Words) -> ScoreCell:
    points = player["standing"]["points"]["sets"]
    reason = words(f"{_NAME}.score.sets", count=points // POINTS_PER_SET) if points else ""
    return ScoreCell(str(points), reason)


def _majority(view: View, category: str, words: Words) -> list[ScoreCell]:
    values = [player["standing"]["values"][category] for player in view.players]
    cells = []
    for player, value in zip(view.players, values, strict=True):
        points = player["standing"]["points"][category]
        place = place_of(category, points, value, values)
        reason = f"{value}: {words(f'table.{place}')}" if place else str(value or "")
        doubtful = category in player["standing"]["doubtful"] and not view.over
        cells.append(ScoreCell(str(points), reason, place == "first", doubtful))
    return cells


def place_of(category: str, points: int, value: int, values: list[int]) -> str:
    """The place that these points stand for: first, second, shared, tie; empty for none."""
    first, second = PLACE_POINTS[CATEGORIES.index(category)]
    if points == first:
        return "first"
    if points == second:
        return "shared" if values.count(value) > 1 and value == max(values) else "second"
    return "tie" if value and values.count(value) > 1 and sum(other > value for other in values) < 2 else ""


def _lot_row(view: View, words: Words) -> list[tuple[str, list[ScoreCell]]]:
    lot = view.table["lot"]
    if lot is None or not lot["running"]:
        return []
    cells = [
        ScoreCell(
            f"{sum(gains.values()):+d}",
            ", ".join(f"{words(f'{_NAME}.points.{source}')} {points:+d}" for source, points in gains.items() if points),
        )
        for gains in lot["gains"]
    ]
    return [(words(f"{_NAME}.score.with_lot", relic=view.table["relics"][lot["relic"]]["name"]), cells)]


def _lot_notes(view: View, words: Words) -> list[str]:
    lot = view.table["lot"]
    if lot is None or not lot["running"]:
        return []
    notes = _payments(view, words)
    if isinstance(view.viewer, int):
        if view.table["beliefs"][lot["relic"]] == 1 and not view.table["counterfeits_shown"]:
            return [*notes, words(f"{_NAME}.card.you_know")]
        gains = lot["gains"][view.viewer]
        changes = [_change(view, source, points, words) for source, points in gains.items() if points]
        notes += changes or [words(f"{_NAME}.score.no_change")]
    return notes


def _payments(view: View, words: Words) -> list[str]:
    """Whom the viewer would pay, where that is in question, and whom the leader would pay."""
    leader, viewer = view.table["lot"]["leader"], view.viewer
    notes = []
    if isinstance(viewer, int) and (leader in (None, viewer) or view.seat == viewer):
        notes.append(words("table.you_pay", payee=payee_name(view, viewer, words)))
    if leader not in (None, viewer):
        key = "pays_you" if view.table["lot"]["payee"] == viewer else "pays"
        notes.append(words(f"table.{key}", seat=view.players[leader]["name"], payee=payee_name(view, leader, words)))
    return notes


def _change(view: View, source: str, change: int, words: Words) -> str:
    points = f"{change:+d}"
    if source == "sets" and change > 0:
        return words(f"{_NAME}.score.complete_set", points=points)
    if source in CATEGORIES and change > 0:
        assert isinstance(view.viewer, int)
        total = view.players[view.viewer]["standing"]["points"][source] + change
        values = [player["standing"]["values"][source] for player in view.players]
        lot = view.table["relics"][view.table["lot"]["relic"]]
        values[view.viewer] += lot["value"] if lot["category"] == source else 0
        place = place_of(source, total, values[view.viewer], values)
        return words(f"{_NAME}.score.become_{place}", category=words(f"{_NAME}.category.{source}"), points=points)
    return words(f"{_NAME}.score.change", source=words(f"{_NAME}.points.{source}"), points=points)


def beliefs(view: View, words: Words) -> list[tuple[str, float]]:
    """(name, probability that it is a counterfeit) of relics in play that have a card; the lot and owned ones first."""
    table = view.table
    lot = [] if table["lot"] is None else [table["lot"]["relic"]]
    owned = [one["relic"] for player in view.players for one in player["collection"]]
    gone = {*table["unsold"], *table["exposed"]}
    relics = [table["relics"][relic] for relic in dict.fromkeys([*lot, *owned, *table["relics"]]) if relic not in gone]
    return [(relic["name"], table["beliefs"][relic["id"]]) for relic in relics if relic["counterfeit"]]
