"""The best responses that were learned to an agent: which is best, as data, a figure and sentences."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from w51_agents.networks.load import load_agent
from w51_agents.system.files import write_json
from w51_agents.training.run import Run
from w51_agents.training.run_facts import MatchRow
from w51_lab.arena.matches import Results, play_matches
from w51_lab.trainings import curves
from w51_lab.trainings.baselines import BaselineMatches, match_row
from w51_lab.trainings.exploit import Response

EXPLOIT, PICTURE = "exploit.json", "exploit.png"


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


@dataclass(frozen=True)
class ChosenResponse:
    """The best of the responses in games of one number of players.

    Attributes:
        kind: `cold`, `warm` or `mixture`.
        decisions: Decisions that it learned from.
        response: Its result, in games that were not used to choose it.
    """

    kind: str
    decisions: int
    response: Response

    def sentence(self) -> str:
        """Return the result in a sentence, after the response it is of."""
        return f"{self.response.sentence()} It is the {self.kind} one, of {self.decisions:,} decisions."


def best_responses(learned: Sequence[LearnedResponse], folder: Path) -> list[ChosenResponse]:
    """Choose the best response for each number of players; write all of them and their curves into a folder.

    If there are several, the best one plays as many games once more, on other deals: the largest of several estimates
    is too high.
    """
    responses, data = [], []
    for index, results in enumerate(learned[0].results):
        players = len(results.lineup)
        best = max(learned, key=lambda response: response.results[index].standings()[0].win_rate)
        measured = Response.found_in(best.results[index] if len(learned) == 1 else _once_more(best, index))
        responses.append(ChosenResponse(best.kind, best.run.trainer.decisions, measured))
        chosen = {"response": best.kind, "decisions": best.run.trainer.decisions}
        data.append({**asdict(measured), **chosen, "responses": [_data(response, players) for response in learned]})
    write_json(data, folder / EXPLOIT)
    matches = [
        replace(row, against=response.kind)
        for response in learned
        for results in response.results
        for row in response.curve(len(results.lineup))
    ]
    title = f"Best responses to {curves.short_name(responses[0].response.agent)}: {learned[0].run.game.id}"
    curves.draw_strength(matches, title, folder / PICTURE)
    return responses


def _once_more(best: LearnedResponse, index: int) -> Results:
    """The match of a response against the agent on deals of another seed."""
    run = best.run
    game, baselines = BaselineMatches(run.config, run.game).baselines[index]
    pair = [(best.kind, load_agent(game, run.checkpoint)), *baselines]
    return play_matches(game, pair, run.config.evaluation.games, run.config.seed + 1)


def _data(learned: LearnedResponse, players: int) -> dict[str, Any]:
    """A response and its curve as plain data."""
    curve = learned.curve(players)
    shown = ("decisions", "games", "win_rate", "low", "high")
    points = [{name: getattr(row, name) for name in shown} for row in curve]
    return {"response": learned.kind, "seconds": learned.run.seconds, **points[-1], "curve": points}
