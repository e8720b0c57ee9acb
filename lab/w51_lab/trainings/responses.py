"""The best responses to an agent, learned ones and a search: which is best, as data, a figure and sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from w51_agents.named.registry import make_agent
from w51_agents.networks.load import load_agent
from w51_agents.search.response_settings import RESPONSE
from w51_agents.system.files import write_json
from w51_agents.training.run import Run
from w51_agents.training.run_facts import MatchRow
from w51_lab.arena.matches import Results, play_matches
from w51_lab.statistics.records import Record
from w51_lab.trainings import curves
from w51_lab.trainings.baselines import BaselineMatches, match_row
from w51_lab.trainings.exploit import SEARCH, Response

EXPLOIT, PICTURE = "exploit.json", "exploit.png"
_MOST_SEARCHED = 400  # games of a search, each of which takes a second or more


class Point(Record):
    """A point of a curve: the match after so many decisions of training."""

    decisions: int
    games: int
    win_rate: float
    low: float
    high: float


class LearnedFacts(Point):
    """A learned response and its curve, whose last point it is."""

    response: str
    seconds: float
    curve: list[Point]


class SearchFacts(Response):
    """The search, with the most playouts of a decision."""

    response: str
    playouts: int


class ChosenResponse(Response):
    """The best response in games of one number of players, as `exploit.json` has it, in games not used to choose it.

    Attributes:
        response: `cold`, `warm`, `mixture` or `search`.
        playouts: Of a search, the most playouts of a decision.
        decisions: Of a learned one, those that it learned from.
        responses: Those that it was chosen from.
    """

    response: str
    playouts: int | None
    decisions: int | None
    responses: list[LearnedFacts | SearchFacts]

    def sentence(self) -> str:
        """Return the result in a sentence, after the response it is of."""
        budget = f"{self.decisions:,} decisions" if self.playouts is None else f"{self.playouts:,} playouts a decision"
        return f"{super().sentence()} It is the {self.response} one, of {budget}."


@dataclass(frozen=True)
class LearnedResponse:
    """A response at the end of its run.

    Attributes:
        kind: `cold`, `warm` or `mixture`.
        run: Its run, complete.
        results: Its match against the agent for each number of players.
    """

    kind: str
    run: Run
    results: list[Results]

    def curve(self, players: int) -> list[MatchRow]:
        """Its matches against the agent in games of a number of players, the last one being that at the end."""
        rows = [row for row in self.run.matches if row.players == players]
        results = next(results for results in self.results if len(results.lineup) == players)
        last = match_row(self.run, results.names[1], results)
        return [*(row for row in rows if row.decisions < last.decisions), last]


def best_responses(
    learned: Sequence[LearnedResponse], folder: Path, playouts: int | None = None
) -> list[ChosenResponse]:
    """Choose the best response for each number of players; write all of them and their curves into a folder.

    If there are several learned ones, the best of them plays as many games once more, on other deals: the largest of
    several estimates is too high. A search that wins more than it there takes its place.

    Args:
        learned: The responses that were learned.
        folder: The folder.
        playouts: The most playouts of a decision of the search; None: there is none.
    """
    chosen = list[ChosenResponse]()
    for index, results in enumerate(learned[0].results):
        players = len(results.lineup)
        best = max(learned, key=lambda response: response.results[index].standings()[0].win_rate)
        measured = Response.found_in(best.results[index] if len(learned) == 1 else _once_more(best, index))
        kind = best.kind
        budget: tuple[int | None, int | None] = None, best.run.trainer.decisions
        others: list[LearnedFacts | SearchFacts] = [_data(response, players) for response in learned]
        if playouts is not None:
            searched = Response.found_in(_searched(best.run, index, playouts))
            others.append(SearchFacts(**dict(searched), response=SEARCH, playouts=playouts))
            if searched.win_rate > measured.win_rate:
                measured = searched
                kind = SEARCH
                budget = (playouts, None)
        most, decisions = budget
        chosen.append(
            ChosenResponse(**dict(measured), response=kind, playouts=most, decisions=decisions, responses=others)
        )
    write_json(chosen, folder / EXPLOIT)
    matches = [
        replace(row, against=response.kind)
        for response in learned
        for results in response.results
        for row in response.curve(len(results.lineup))
    ]
    title = f"Best responses to {curves.short_name(chosen[0].agent)}: {learned[0].run.game.id}"
    curves.draw_strength(matches, title, folder / PICTURE)
    return chosen


def _once_more(best: LearnedResponse, index: int) -> Results:
    """The match of a response against the agent on deals of another seed."""
    run = best.run
    game, baselines = BaselineMatches(run.config, run.game).baselines[index]
    pair = [(best.kind, load_agent(game, run.checkpoint)), *baselines]
    return play_matches(game, pair, run.config.evaluation.games, run.config.seed + 1)


def _searched(run: Run, index: int, playouts: int) -> Results:
    """The match of a search against the agent, on deals that no response learned from."""
    game, [(name, agent)] = BaselineMatches(run.config, run.game).baselines[index]
    response = make_agent(f"{RESPONSE}{name},playouts={playouts}", game)
    games = min(run.config.evaluation.games, _MOST_SEARCHED)
    return play_matches(game, [(SEARCH, response), (name, agent)], games, run.config.seed + 1)


def _data(learned: LearnedResponse, players: int) -> LearnedFacts:
    """A response and its curve."""
    points = [
        Point(decisions=row.decisions, games=row.games, win_rate=row.win_rate, low=row.low, high=row.high)
        for row in learned.curve(players)
    ]
    return LearnedFacts(**dict(points[-1]), response=learned.kind, seconds=learned.run.seconds, curve=points)
