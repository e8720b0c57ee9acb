"""The evaluation of a trained agent: its matches against the baselines as tables, data and a figure."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from rich.console import Console

from w51_agents.networks.load import load_agent
from w51_agents.system.files import write_json
from w51_agents.training.read_files import check_agent_files
from w51_agents.training.run import Run
from w51_lab.arena.matches import Results, play_matches
from w51_lab.report.terminal_tables import match_standings, standings_table
from w51_lab.report.values import Keywords, result_of, result_text
from w51_lab.statistics.estimates import CONFIDENCE
from w51_lab.trainings import curves
from w51_lab.trainings.baselines import BaselineMatches

EVALUATION, PICTURE = "evaluation.json", "evaluation.png"


def evaluate(run: Run, console: Console) -> list[Results]:
    """Evaluate the checkpoint of a run; print the tables and write them with a figure into its folder.

    For each number of players the learner plays alone among copies of each baseline, then each baseline alone among
    copies of the learner (`reverse`), then each baseline alone among copies of a weaker one.

    Raises:
        AgentError: The file of a baseline has changed since the run began.
    """
    all_results = []
    matches = BaselineMatches(run.config, run.game)
    check_agent_files(run.read_files, run.config, run.game, run.folder)
    for game, baselines in matches.baselines:
        learner = (run.config.name, load_agent(game, run.checkpoint))
        pairs = [(learner, baseline) for baseline in baselines]
        pairs += [(baseline, learner) for baseline in baselines if run.config.evaluation.reverse]
        pairs += [(stronger, weaker) for weaker, stronger in combinations(baselines, 2)]
        for pair in pairs:
            title = f"One {pair[0][0]} among {pair[1][0]}, {game.num_players} players"
            with console.status(f"Playing {run.config.evaluation.games:,} games, {title} ..."):
                all_results.append(play_matches(game, pair, run.config.evaluation.games, run.config.seed))
            table = standings_table(all_results[-1], title)
            if pair is not pairs[-1]:
                table.caption = None  # the last one says how all of them were played
            console.print(table)
    write_json([match_standings(results) for results in all_results], run.folder / EVALUATION)
    draw_evaluation(all_results, curves.title_of(run), run.folder / PICTURE)
    return all_results


def draw_evaluation(matches: Sequence[Results], title: str, path: Path) -> None:
    """Draw, for each match, what decides of the first agent and of its opponents, with intervals."""
    decides = matches[0].decides
    write, by_wins = result_text(decides), decides == "win"
    figure = Figure(figsize=(9, 1.6 + 0.9 * len(matches)), layout="constrained")
    figure.suptitle(title, fontsize=12, x=0.01, ha="left", weight="bold")
    axes = figure.subplots()
    # keeps the line of the equal share out of the labels
    blank = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    for row, results in enumerate(matches):
        for index, standing in enumerate(results.standings()[:2]):
            height = row + (-0.19 if index == 0 else 0.19)
            colour = curves.WIN_COLOUR if index == 0 else curves.OTHER_COLOUR
            error = [[standing.result - standing.low], [standing.high - standing.result]]
            line = {"ecolor": "black", "capsize": 3, "elinewidth": 1}
            axes.barh(height, standing.result, 0.34, color=colour, xerr=error, error_kw=line)
            label = f"{curves.short_name(standing.name)}  {write(standing.result)}" + (
                "" if standing.seats == 1 else " each"
            )
            beside: Keywords = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(label, (max(0.0, standing.high), height), fontsize=9.5, bbox=blank, zorder=4, **beside)
        share, name = (results.equal_share, "equal share") if by_wins else (0.0, "")
        ends = [row - 0.45, row + 0.45]
        axes.plot([share] * 2, ends, color=curves.EQUAL_COLOUR, linewidth=1, linestyle="--", zorder=3)
    above: Keywords = {"xycoords": ("data", "axes fraction"), "xytext": (3, 3), "textcoords": "offset points"}
    axes.annotate(name, (share, 1), color=curves.EQUAL_COLOUR, **above)
    several = len({len(results.lineup) for results in matches}) > 1
    labels = [
        "\nagainst ".join(map(curves.short_name, results.names[:2]))
        + (f", {len(results.lineup)} players" if several else "")
        for results in matches
    ]
    axes.set_yticks(range(len(matches)), labels)
    axes.invert_yaxis()
    if by_wins:
        axes.set_xlim(0, 1.0)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    else:
        axes.margins(x=0.3)  # room for the labels
    axes.set_xlabel(f"{result_of(decides)} of a seat, {CONFIDENCE:.0%} interval")
    axes.tick_params(axis="y", length=0)
    curves.remove_frame(axes)
    curves.save_figure(figure, path)
