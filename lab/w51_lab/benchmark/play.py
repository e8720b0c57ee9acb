"""Plays the tracks of the benchmark: a tournament for each game and opponent, kept in a folder, so that it resumes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.exact.exploitability import exploitability
from w51_agents.exact.tree import build_tree
from w51_agents.isolation.isolated import IsolatedAgent
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.engine.errors import W51Error
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.seatings import MATCH
from w51_lab.arena.spending import forecast
from w51_lab.benchmark.entry import AgentRun, Exact, Played, TrackEntry
from w51_lab.benchmark.matches import Advance, Ways, cards_of, figures_of, num_players, plan_of, play_match
from w51_lab.benchmark.protocol import (
    ATTACKER,
    EVERY,
    EXACT,
    EXACT_GAMES,
    LANGUAGE_TRACKS,
    STRANGER,
    TRACKS,
    Setting,
)

_UNMEASURED = TournamentState(slow=())
_FOLDERS = re.compile(r"(?<![^\s'=(])/(?:[^\s/:']+/)+")  # an entry is published: it names no folder of a machine


def tracks_for(agent: str, chosen: Sequence[str]) -> list[str]:
    """The names of the tracks that an agent plays: those that were chosen, else all for its kind.

    Raises:
        AgentError: An unknown track, or one in which a language model is chosen that is not for these: nobody could
            play its games again.
    """
    known = [*EVERY, EXACT]
    if unknown := [name for name in chosen if name not in known]:
        raise AgentError(f"track: {unknown[0]!r}, but known are {', '.join(known)}")
    if is_llm(agent) and (others := [name for name in chosen if name not in LANGUAGE_TRACKS]):
        raise AgentError(f"track: {others[0]!r}, but {agent} is a language model, for {', '.join(LANGUAGE_TRACKS)}")
    return list(dict.fromkeys(chosen)) or ([*LANGUAGE_TRACKS] if is_llm(agent) else [*TRACKS, EXACT])


def refused(agent: str, names: Sequence[str], ways: Ways) -> dict[str, str]:
    """The tracks with a game that an agent cannot play, such as cards that it was not trained with, and why.

    Code of others plays a few games of each to show it.

    Raises:
        AgentError: It can play none, or is unknown.
    """
    errors: dict[str, W51Error] = {}
    with_games = [name for name in names if name != EXACT]
    if not with_games:
        setting = next(iter(EXACT_GAMES.values()))
        make_agent(agent, make_game(setting.game, **setting.options), trust=ways.trust)
    for name in with_games:
        try:
            for setting in EVERY[name].played(ways.size):
                _try(plan_of(agent, setting.panel[0], setting, 2, _UNMEASURED, trust=ways.trust))
        except W51Error as error:
            errors[name] = error
    if errors and len(errors) == len(with_games):
        raise errors[with_games[0]]
    return {name: _FOLDERS.sub("", str(error)) for name, error in errors.items()}


def _try(plan: Plan) -> None:
    """AgentError with its first failure if the agent of a tournament, of others, fails at each decision of a block."""
    try:
        if isinstance(plan.agents[0], IsolatedAgent):
            tried = play_block(plan, plan.blocks[0]).statistics[0]
            if tried.first is not None and tried.forfeited >= tried.decisions + tried.skipped:
                raise AgentError(f"agent {plan.names[0]}: fails at each decision, first: {tried.first.message}")
    finally:
        plan.close()


def num_games(played: Mapping[str, Sequence[str]], ways: Ways) -> int:
    """Number of games of all agents, of which each plays these tracks."""
    return sum(
        EVERY[name].num_deals(ways.size) * players * (players - 1)
        for names in played.values()
        for name, setting, _ in _matches(names, ways.size)
        for players in (num_players(setting),)
    ) + sum(
        EVERY[name].num_attack_deals(ways.size) * num_players(EVERY[name].settings[0])
        for agent, names in played.items()
        for name in names
        if name != EXACT
        for _ in attackers_of(agent, name, ways)
    )


def costs(played: Mapping[str, Sequence[str]], ways: Ways) -> list[str]:
    """What the games of each language model in these tracks will use, in a sentence; none for other agents."""
    return [
        line
        for agent in filter(is_llm, played)
        for line in forecast([
            plan_of(agent, opponent, setting, EVERY[name].num_deals(ways.size), _UNMEASURED)
            for name, setting, opponent in _matches(played[agent], ways.size)
        ])
    ]  # fmt: skip


def _matches(names: Sequence[str], size: str) -> Iterator[tuple[str, Setting, str]]:
    """Track, game and opponent of each match of these tracks."""
    for name in names:
        for setting in EVERY[name].played(size) if name != EXACT else ():
            for opponent in setting.panel:
                yield name, setting, opponent


def play(
    agent: str, names: Sequence[str], without: Mapping[str, str], folder: Path, ways: Ways, advance: Advance
) -> AgentRun:
    """Play an agent in these tracks but those that it refuses, or what is missing of them in a folder.

    Raises:
        AgentError, OptionError, FileError: The agent is unknown, cannot play a game, or fails to be stored.
        SpendingError: Language models have used as much as they may.
    """
    played = [name for name in names if name != EXACT and name not in without]
    tracks = {name: play_track(agent, name, folder, ways, advance) for name in played}
    exact = exact_of(agent, ways.trust) if EXACT in names else {}
    return AgentRun(agent=agent, tracks=tracks, refused=dict(without), exact=exact)


def play_track(agent: str, name: str, folder: Path, ways: Ways, advance: Advance) -> TrackEntry:
    """The games of one track and their figures."""
    track, settings = EVERY[name], []
    for number, setting in enumerate(track.played(ways.size)):
        matches = []
        for index, opponent in enumerate(setting.panel):
            place = f"{name}-{number}-{index}-{opponent.partition(':')[0]}"
            plan = plan_of(agent, opponent, setting, track.num_deals(ways.size), trust=ways.trust)
            matches.append(play_match(plan, folder, place, ways, advance))
        settings.append(
            Played(
                game=setting.game,
                options=dict(setting.options),
                cards=cards_of(plan.game),
                players=plan.game.num_players,
                matches=tuple(matches),
            )
        )
    attacks = []
    for number, attacker in enumerate(attackers_of(agent, name, ways)):
        deals = track.num_attack_deals(ways.size)
        plan = plan_of(attacker, agent, track.settings[0], deals, form=MATCH, trust=ways.trust)
        attacks.append(play_match(plan, folder, f"{name}-attack-{number}", ways, advance, agent_at=1))
    return TrackEntry(settings=tuple(settings), figures=figures_of(agent, name, settings), attacks=tuple(attacks))


def attackers_of(agent: str, track: str, ways: Ways) -> list[str]:
    """Those who search a response to an agent in a track, and those who were trained as one."""
    if not EVERY[track].attack_deals or is_llm(agent):
        return []
    setting, own = EVERY[track].settings[0], ATTACKER.format(agent)
    try:
        make_agent(own, make_game(setting.game, **setting.options), trust=ways.trust)
    except W51Error:  # it cannot be asked in playouts
        return [STRANGER, *ways.responses]
    return [*dict.fromkeys([own, STRANGER]), *ways.responses]


def exact_of(agent: str, trust: bool) -> dict[str, Exact]:
    """Exact exploitability of an agent in each mini game."""
    return {name: _exact_in(setting, agent, trust) for name, setting in EXACT_GAMES.items()}


def _exact_in(setting: Setting, agent: str, trust: bool) -> Exact:
    game = make_game(setting.game, **setting.options)
    try:
        points = 100 * exploitability(build_tree(game), agent, make_agent(agent, game, trust=trust)).exploitability
    except W51Error as error:
        return Exact(points=None, reason=_FOLDERS.sub("", str(error)))
    return Exact(points=round(points, 3))
