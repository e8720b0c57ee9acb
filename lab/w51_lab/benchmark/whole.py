"""Whether an entry is whole: games as in the protocol, possible numbers, figures that follow from the games.

No game is played: `verify` does that.
"""

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import is_llm
from w51_env import make_game
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry, Match, Played
from w51_lab.benchmark.play import figures_of, model_facts, tracks_for
from w51_lab.benchmark.protocol import EVERY, EXACT, EXACT_GAMES, Setting
from w51_lab.benchmark.results import WHOLE, halves_of, same, unpacked


def check_whole(entry: BenchmarkEntry) -> None:
    """AgentError, which says what is wrong, unless an entry is whole."""
    for run in entry.runs:
        where = f"entry of {run.agent}"
        tracks_for(run.agent, [*run.tracks, *([EXACT] if run.exact else [])])
        if run.exact and [*run.exact] != [*EXACT_GAMES]:
            raise AgentError(f"{where}: its mini games are not those of the protocol, {', '.join(EXACT_GAMES)}")
        for name in run.tracks:
            _check_track(run, name, entry.size, f"{where}, track {name}")


def _check_track(run: AgentRun, name: str, size: str, where: str) -> None:
    track, settings = run.tracks[name], EVERY[name].played(size)
    if [(one.game, one.options) for one in track.settings] != [(one.game, dict(one.options)) for one in settings]:
        raise AgentError(f"{where}: its games are not those of the protocol")
    for played, setting in zip(track.settings, settings, strict=True):
        if [match.opponent for match in played.matches] != [*setting.panel]:
            raise AgentError(f"{where}: its opponents are not those of the protocol, {', '.join(setting.panel)}")
        scores = _scores(played, setting, where)
        for match in played.matches:
            if (count := match.deals.get("count")) != (needed := EVERY[name].num_deals(size)):
                raise AgentError(f"{where}: {count!r} deals, but {needed} are those of the protocol")
            _check_match(run.agent, played.players, match, scores, f"{where}, {match.opponent}")
    if not same(track.figures, figures_of(track.settings)):
        raise AgentError(f"{where}: its figures do not follow from its games")


def _scores(played: Played, setting: Setting, where: str) -> tuple[int, int]:
    """The least and the most points that a seat of the game can have."""
    game = make_game(setting.game, **setting.options)
    if played.players != game.num_players:
        raise AgentError(f"{where}: {played.players} players, but the game has {game.num_players}")
    assert game.limits is not None  # the games of the protocol are those of this package
    return game.limits.ranges["scores"]


def _check_match(agent: str, players: int, match: Match, scores: tuple[int, int], where: str) -> None:
    """AgentError if a model is another one, or wins, points and prices of the cells cannot be."""
    if is_llm(agent) and match.model != {**model_facts(agent), "prompts": match.model.get("prompts")}:
        raise AgentError(f"{where}: its model is {match.model}, but that of {agent} is {model_facts(agent)}")
    cells = unpacked(match.cells, players, int(match.deals["count"]))
    seats = np.arange(1, players)[:, None]  # of the agent, in each line-up
    if cells[:, :, 0].min() < 0 or cells[:, :, 0].max() > WHOLE * players:
        raise AgentError(f"{where}: wins beyond the number of games")
    if halves_of(cells)[..., 1].min() < 0:
        raise AgentError(f"{where}: prices below 0")
    for points, of_seats in ((cells[:, :, 1], seats), (cells[:, :, 2], players - seats)):
        low, high = (end * players * of_seats for end in scores)
        if (points < low).any() or (points > high).any():
            raise AgentError(f"{where}: points beyond {scores[0]} to {scores[1]}, which a seat of the game can have")
