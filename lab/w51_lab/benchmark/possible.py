"""Whether the numbers of a match can be: each by itself, and all together."""

from itertools import combinations_with_replacement

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import FEW, is_llm
from w51_agents.language.llm.llm_settings import parse_settings as llm_settings
from w51_agents.language.llm.models import Usage
from w51_agents.named.registry import BOTS
from w51_env.engine.game import Game
from w51_lab.benchmark.entry import Match
from w51_lab.benchmark.matches import model_facts
from w51_lab.benchmark.track_figures import WHOLE, unpacked

_LONGEST = np.iinfo(np.uint16).max  # decisions of a game
_QUESTIONS = 6  # of a decision: an answer or its notes may be refused, and all be asked for once more
_PAUSE = 120  # seconds that a server may ask for
_NEAR = 1e-6  # of a sum of prices


def check_match(agent: str, game: Game, match: Match, where: str, *, attack: bool = False) -> None:
    """AgentError, which says what is wrong, unless the numbers of a match can be those of an agent in a game.

    An attacker is alone among copies of the agent.
    """
    lineups = 1 if attack else game.num_players - 1
    cells = unpacked(match.cells, lineups, match.deals.count)
    _check_cells(game, cells, where)
    games = lineups * match.deals.count * game.num_players
    # Of the agent; on average over line-ups it has half of all.
    seats = games * (game.num_players - 1) if attack else games * game.num_players // 2
    if agent in BOTS:
        if (match.decisions, match.milliseconds, match.forfeits) != (0, 0.0, 0.0):
            raise AgentError(f"{where}: decisions, their time or forfeits of a bot, whose decisions are the engine's")
    elif not (1.0 - match.forfeits) * seats <= match.decisions <= _LONGEST * games:
        raise AgentError(f"{where}: {match.decisions:,} decisions, but {games:,} games were played in {seats:,} seats")
    if is_llm(agent):
        _check_model(agent, games, match, where)
    elif match.model or match.usage:
        raise AgentError(f"{where}: {agent} is no language model, but has the model {match.model}, {match.usage}")


def _check_cells(game: Game, cells: np.ndarray, where: str) -> None:
    players = game.num_players
    assert game.limits is not None  # the games of the protocol are those of this package
    low, high = game.limits.ranges["scores"]
    wins = cells[:, :, 0]
    if wins.min() < 0 or wins.max() > WHOLE * players:
        raise AgentError(f"{where}: wins beyond the number of games")
    for index, (of_deals, sums) in enumerate(zip(wins, cells[:, :, 1:3], strict=True)):
        seats = np.array([index + 1, players - index - 1])
        if (sums < low * players * seats).any() or (sums > high * players * seats).any():
            raise AgentError(f"{where}: points beyond {low} to {high}, which a seat of the game can have")
        if not np.isin(of_deals, _wins(players, index + 1)).all():
            raise AgentError(f"{where}: parts of wins that no games can give")
        # In a game that a seat wins, nobody has more points than that seat.
        for own, won in ((0, of_deals), (1, WHOLE * players - of_deals)):
            shared = -(-won // WHOLE)  # the fewest games in which one of these seats wins
            lost = players - shared
            best = sums[:, own] - low * (players * seats[own] - shared)  # points of the winning seats, at most
            if (sums[:, 1 - own] > seats[1 - own] * (best + high * lost)).any():
                raise AgentError(f"{where}: wins with fewer points than those who lost")


def _wins(players: int, seats: int) -> list[int]:
    """What the wins of some seats can be, in all games of a deal: in each, winners share one."""
    others = range(players - seats + 1)
    shares = {WHOLE * own // (own + other) for own in range(seats + 1) for other in others if own + other}
    return sorted({sum(won) for won in combinations_with_replacement(shares, players)})


def _check_model(agent: str, games: int, match: Match, where: str) -> None:
    """AgentError if the model is not that of the name of a language model, or if its questions and costs cannot be."""
    if match.model != {**model_facts(agent), "prompts": match.model.get("prompts")}:
        raise AgentError(f"{where}: its model is {match.model}, but that of {agent} is {model_facts(agent)}")
    settings = llm_settings(agent)
    used = Usage()
    decisions = match.decisions
    if match.usage.keys() != used.as_data().keys():
        raise AgentError(f"{where}: the usage of a model has {', '.join(used.as_data())}, and this {match.usage}")
    if decisions < games:
        raise AgentError(f"{where}: {decisions:,} decisions, but {games:,} games were played")
    if match.forfeits * decisions > settings.max_forfeits * max(decisions, FEW):
        raise AgentError(
            f"{where}: {match.forfeits:.1%} of {decisions:,} decisions are forfeited, but the model stops at more than "
            f"max_forfeits={settings.max_forfeits:g}"
        )
    questions, tokens = match.usage["questions"], match.usage["input_tokens"]
    made = (1.0 - match.forfeits) * decisions
    are_whole = all(match.usage[name].is_integer() for name in match.usage if name != "cost")
    if not are_whole or not made - 0.5 <= questions <= _QUESTIONS * decisions or match.usage["cached_tokens"] > tokens:
        raise AgentError(f"{where}: {match.usage} cannot be of {decisions:,} decisions")
    prices = settings.input_price, settings.cached_price, settings.output_price
    cached = prices[0] if prices[1] is None else prices[1]
    new = tokens - match.usage["cached_tokens"]
    cost = (new * prices[0] + match.usage["cached_tokens"] * cached + match.usage["output_tokens"] * prices[2]) / 1e6
    if abs(match.usage["cost"] - cost) > _NEAR * (1.0 + cost):
        raise AgentError(f"{where}: a cost of {match.usage['cost']:g}, but its tokens cost {cost:g}")
    most = 1000 * _QUESTIONS * (settings.retries + 1) * (settings.timeout + _PAUSE)
    if match.milliseconds > most:
        raise AgentError(f"{where}: {match.milliseconds:g} ms a decision, but {most:g} are the most by its name")
