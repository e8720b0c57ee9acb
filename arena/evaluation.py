"""Matches of a learner on fixed deals against its baselines: while training goes on, and after it."""

from itertools import combinations

from rich.console import Console

from agents.agent import Agent
from agents.files import write_json
from agents.policies.load import load_agent
from agents.registry import make_agent
from agents.training.config import TrainingConfig
from agents.training.plots import title_of
from agents.training.run import MatchRow, Run
from arena import plots
from arena.matches import Results, play_matches
from arena.tables import standings_data, standings_table
from w51_env.core.game import Game

EVALUATION, PICTURE = "evaluation.json", "evaluation.png"


class BaselineMatches:
    """The matches of a config: the learner in one seat, copies of a baseline in all others, for each number of players.

    Args:
        config: `evaluation` lists the baselines and the numbers of players.
        game: The game of the config.

    Attributes:
        baselines: For each number of players the game and the baselines in it, by name.

    Raises:
        AgentError: An unknown baseline.
        OptionError: A number of players that the game does not have.
    """

    def __init__(self, config: TrainingConfig, game: Game):
        self.baselines: list[tuple[Game, list[tuple[str, Agent]]]] = []
        for num_players in config.evaluation.num_players or (game.num_players,):
            sized = game.make(**{**game.options, "num_players": num_players})
            agents = [(name, make_agent(name, sized)) for name in config.evaluation.against]
            self.baselines.append((sized, agents))

    def __call__(self, run: Run) -> list[MatchRow]:
        """Play the learner as it is now; a row for each match."""
        rows = []
        for game, baselines in self.baselines:
            learner = (run.config.name, run.trainer.agent(game))
            for name, agent in baselines:
                games = run.config.evaluation.games_while_training
                results = play_matches(game, [learner, (name, agent)], games, run.config.seed)
                own = results.standings()[0]
                measured = (results.wins[..., 0].size, own.mean_score, own.win_rate, own.low, own.high)
                rows.append(MatchRow(run.trainer.decisions, run.seconds, game.num_players, name, *measured))
        return rows


def evaluate(run: Run, console: Console) -> list[Results]:
    """Evaluate the checkpoint of a run; print the tables and write them with a figure into its folder.

    The matches of the learner come first for each number of players, then those between two baselines.
    """
    found = []
    for game, baselines in BaselineMatches(run.config, run.game).baselines:
        learner = (run.config.name, load_agent(game, run.checkpoint))
        pairs = [(learner, baseline) for baseline in baselines]
        pairs += [(stronger, weaker) for weaker, stronger in combinations(baselines, 2)]
        for pair in pairs:
            title = f"{pair[0][0]} against {pair[1][0]}, {game.num_players} players"
            with console.status(f"Playing {run.config.evaluation.games:,} games, {title} ..."):
                found.append(play_matches(game, pair, run.config.evaluation.games, run.config.seed))
            console.print(standings_table(found[-1], title))
    data = [{"players": len(results.lineup), **standings_data(results)} for results in found]
    write_json(data, run.folder / EVALUATION)
    plots.draw_evaluation(found, title_of(run), run.folder / PICTURE)
    return found
