"""Whether an entry is whole: games as in the protocol, possible numbers, figures that follow from the games.

No game is played: `verify` does that.
"""

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import is_llm
from w51_env import make_game
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry, TrackEntry
from w51_lab.benchmark.matches import figures_of
from w51_lab.benchmark.play import tracks_for
from w51_lab.benchmark.possible import check_match
from w51_lab.benchmark.protocol import EVERY, EXACT, EXACT_GAMES, STRANGER
from w51_lab.benchmark.track_figures import same


def check_whole(entry: BenchmarkEntry) -> None:
    """AgentError, which says what is wrong, unless an entry is whole."""
    for run in entry.runs:
        where = f"entry of {run.agent}"
        _check_tracks(run, entry.runs[0], where)
        if run.exact and [*run.exact] != [*EXACT_GAMES]:
            raise AgentError(f"{where}: its mini games are not those of the protocol, {', '.join(EXACT_GAMES)}")
        for name in run.tracks:
            _check_track(run, name, entry.size, f"{where}, track {name}")


def _check_tracks(run: AgentRun, first: AgentRun, where: str) -> None:
    """AgentError unless a run has all tracks of the first one, or says that its agent cannot play them."""
    if not run.tracks and not run.exact:
        raise AgentError(f"{where}: it has no track")
    tracks_for(run.agent, [*run.tracks, *run.refused, *([EXACT] if run.exact else [])])
    if both := run.tracks.keys() & run.refused.keys():
        raise AgentError(f"{where}: it plays {', '.join(sorted(both))}, but says that its agent cannot")
    asked, others = ({*one.tracks, *one.refused, *([EXACT] if one.exact else [])} for one in (run, first))
    if missing := asked ^ others:
        raise AgentError(f"{where}: {', '.join(sorted(missing))} is played by one of the seeds and not by another")


def _check_track(run: AgentRun, name: str, size: str, where: str) -> None:
    track, settings = run.tracks[name], EVERY[name].played(size)
    if [(one.game, one.options) for one in track.settings] != [(one.game, dict(one.options)) for one in settings]:
        raise AgentError(f"{where}: its games are not those of the protocol")
    for played, setting in zip(track.settings, settings, strict=True):
        if [match.opponent for match in played.matches] != [*setting.panel]:
            raise AgentError(f"{where}: its opponents are not those of the protocol, {', '.join(setting.panel)}")
        game = make_game(setting.game, **setting.options)
        if played.players != game.num_players:
            raise AgentError(f"{where}: {played.players} players, but the game has {game.num_players}")
        for match in played.matches:
            if (count := match.deals.count) != (needed := EVERY[name].num_deals(size)):
                raise AgentError(f"{where}: {count!r} deals, but {needed} are those of the protocol")
            check_match(run.agent, game, match, f"{where}, {match.opponent}")
    _check_attacks(run.agent, track, name, size, where)
    if not same(track.figures.model_dump(), figures_of(run.agent, name, track.settings).model_dump()):
        raise AgentError(f"{where}: its figures do not follow from its games")


def _check_attacks(agent: str, track: TrackEntry, name: str, size: str, where: str) -> None:
    """AgentError unless those who searched a response are among the attackers; networks may be more."""
    setting = EVERY[name].settings[0]
    if bool(track.attacks) != bool(EVERY[name].attack_deals and not is_llm(agent)):
        raise AgentError(f"{where}: {len(track.attacks)} attacks")
    game = make_game(setting.game, **setting.options)
    for match in track.attacks:
        if (count := match.deals.count) != (needed := EVERY[name].num_attack_deals(size)):
            raise AgentError(f"{where}, {match.opponent}: {count!r} deals, but {needed} are those of the protocol")
        check_match(agent, game, match, f"{where}, {match.opponent}", attack=True)
    if track.attacks and STRANGER not in [match.opponent for match in track.attacks]:
        raise AgentError(f"{where}: was not attacked by {STRANGER}")
