"""Why ties of a finished game of Warehouse 51 are as they are (G4, G5), in sentences."""

from w51_env.views.language import Words
from w51_env.views.view import View


def tie_lines(view: View, words: Words) -> list[str]:
    """A sentence for each tie for a place of a majority, and for a tie of the highest totals that a relic breaks."""
    lines = [_majority(view, category, words) for category in view.table["categories"]]
    best = max(player["score"]["total"] for player in view.players)
    tied = [player["seat"] for player in view.players if player["score"]["total"] == best]
    breaker = _breaker(view, tied)
    if len({view.players[seat]["score"]["rank"] for seat in tied}) > 1:
        lines.append(words("warehouse51.tie.total", relic=breaker, points=best))
    return [line for line in lines if line]


def _majority(view: View, category: str, words: Words) -> str:
    """The sentence for the tie for the first place, else for the second; empty if there is none."""
    values = [player["standing"]["values"][category] for player in view.players]
    ranked = sorted({value for value in values if value}, reverse=True)
    for value in ranked[:2]:
        tied = [seat for seat, own in enumerate(values) if own == value]
        if len(tied) == 1:
            continue
        points = {view.players[seat]["score"]["points"][category] for seat in tied}
        texts = {"category": words(f"warehouse51.category.{category}"), "value": value}
        if len(points) > 1:
            return words("warehouse51.tie.broken", relic=_breaker(view, tied), **texts)
        names = words.listed([view.players[seat]["name"] for seat in tied])
        shared = points.pop()
        if shared:
            return words("warehouse51.tie.first", seats=names, points=shared, **texts)
        return words("warehouse51.tie.none", seats=names, **texts)
    return ""


def _breaker(view: View, tied: list[int]) -> str:
    """Names of the relics of tied seats that win ties, or lose them: these also pawned."""
    owned = [entry for seat in tied for entry in view.players[seat]["collection"]]
    relics = [(view.table["relics"][entry["relic"]], entry["pawned"]) for entry in owned]
    breaks = {("wins_ties", False), ("loses_ties", False), ("loses_ties", True)}
    return ", ".join(relic["name"] for relic, pawned in relics if (relic["effect"], pawned) in breaks)
