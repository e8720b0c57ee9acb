"""Matches of a learner on fixed deals against its baselines, for each number of players."""

import json
from dataclasses import asdict
from pathlib import Path

from w51_agents.agent.interface import Agent
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import load_agent
from w51_agents.system.files import write_atomic
from w51_agents.training.ranks import ranks
from w51_agents.training.run import Run
from w51_agents.training.run_facts import MatchRow
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.game import Game
from w51_lab.arena.matches import Results, play_matches

EARLIER = "earlier"  # a folder in that of a run


class BaselineMatches:
    """The matches of a config: the learner in one seat, copies of a baseline in all others, for each number of players.

    The first process also plays against the learner's earlier states, which it keeps in the folder of the run.

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
        """Play the learner as it is now; a row for each match. The processes of the training share them."""
        rows = []
        group = ranks()
        games = run.config.evaluation.games_while_training
        matches = [(game, name, agent) for game, baselines in self.baselines for name, agent in baselines]
        start, stop = (len(matches) * number // group.count for number in (group.number, group.number + 1))
        for game, name, agent in [*matches[start:stop], *(self._earlier(run) if group.writes else ())]:
            learner = (run.config.name, run.trainer.agent(game))
            results = play_matches(game, [learner, (name, agent)], games, run.config.seed)
            rows.append(asdict(match_row(run, name, results)))
        if group.writes:
            self._keep(run)
        return [MatchRow(**row) for text in group.texts(json.dumps(rows)) for row in json.loads(text)]

    def _earlier(self, run: Run) -> list[tuple[Game, str, Agent]]:
        """The earlier states, the first one first, as opponents of the learner."""
        kept = enumerate(_kept(run), 1)
        return [
            (game, f"earlier {number}", load_agent(game, path)) for number, path in kept for game, _ in self.baselines
        ]

    def _keep(self, run: Run) -> None:
        """Keep the learner as it is now, if the next of its states is due."""
        due = int(run.config.evaluation.earlier * run.trainer.decisions / run.config.decisions) + 1
        if len(_kept(run)) < min(due, run.config.evaluation.earlier):
            (run.folder / EARLIER).mkdir(exist_ok=True)
            write_atomic(
                run.folder / EARLIER / f"{run.trainer.decisions:015}.safetensors", run.trainer.write_checkpoint
            )


def _kept(run: Run) -> list[Path]:
    """The checkpoints of the earlier states; none of a part of the training that a resumed run goes through again."""
    files = sorted((run.folder / EARLIER).glob("*.safetensors"))
    return [path for path in files if int(path.stem) < run.trainer.decisions]


def match_row(run: Run, against: str, results: Results) -> MatchRow:
    """The row of a match of the learner as it is now, the first agent of the results."""
    learner, games = results.standings()[0], results.wins[..., 0].size
    measured = (games, learner.mean_score, learner.win_rate, learner.low, learner.high, learner.mean_rank)
    return MatchRow(run.trainer.decisions, run.seconds, len(results.lineup), against, *measured, results.decides)
