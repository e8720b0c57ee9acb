"""The evaluation that ends a run: the checkpoint as it was written, against each baseline and these against each other."""

from itertools import combinations

from rich.console import Console

from agents.files import write_json
from agents.policies.load import load_agent
from agents.training.run import Run
from arena import plots
from arena.matches import Results, play_matches
from arena.standings import standings_data, standings_table

EVALUATION, PICTURE = "evaluation.json", "evaluation.png"


def evaluate(run: Run, console: Console) -> list[Results]:
    """Play, print, draw and keep the tables; the matches of the learner come first for each number of players."""
    found = []
    for game, baselines in run.tables:
        learner = (run.config.name, load_agent(game, run.checkpoint))
        pairs = [(learner, baseline) for baseline in baselines]
        pairs += [(stronger, weaker) for weaker, stronger in combinations(baselines, 2)]
        for pair in pairs:
            title = f"{pair[0][0]} against {pair[1][0]}, {game.num_players} players"
            with console.status(f"Playing {run.config.evaluation.games:,} games, {title} ..."):
                found.append(play_matches(game, pair, run.config.evaluation.games, run.config.seed))
            console.print(standings_table(found[-1], title))
    data = [{"players": len(results.places), **standings_data(results)} for results in found]
    write_json(data, run.folder / EVALUATION)
    plots.draw_evaluation(found, title_of(run), run.folder / PICTURE)
    return found


def draw_curves(run: Run) -> None:
    """Pictures of how the learner came along."""
    plots.draw_learning_curve(run.updates, par_of(run), title_of(run), run.folder / "learning_curve.png")
    if run.matches:
        plots.draw_strength(run.matches, title_of(run), run.folder / "strength.png")


def par_of(run: Run) -> float:
    """The win share of equals in the games in which the learner has others against it."""
    if run.config.trainer == "maskable_ppo":
        return 1.0 / run.game.num_players
    alone = [table for table in run.config.selfplay.tables if table.opponents != "self"]
    return sum(table.games / table.players for table in alone) / max(1, sum(table.games for table in alone))


def title_of(run: Run) -> str:
    """What was trained, for the heads of pictures."""
    return f"{run.config.name}: {run.game.id}, {run.config.trainer}, seed {run.config.seed}"
