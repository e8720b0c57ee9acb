"""Who plays the playouts to the end: a bot, a network, or a mixture of these."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.networks.load import checkpoint_of, load_agent
from w51_agents.search.agent_playouts import PlayerPlayouts, Population, PopulationPlayouts, agent_playouts
from w51_agents.search.playouts import LeafBatch, Outcomes, Player, Playouts
from w51_agents.system.files import exists
from w51_env.engine.bots import Bot
from w51_env.engine.errors import nearest
from w51_env.engine.game import Game

_HIGH_BITS = np.uint64(40)  #  of a random stream, which no seat changes


class Mixture:
    """Several players of playouts as one: each as likely as the others, it has all seats in a determinization.

    Who plays follows from the random stream of a determinization. So all candidates of a decision meet the same one
    there, and it has chosen the secret bids, too.

    Args:
        parts: The players, each with the playouts in which it has all seats.
    """

    def __init__(self, parts: Sequence[tuple[Player, Playouts]]):
        self._players = [player for player, _ in parts]
        self._playouts = [playouts for _, playouts in parts]

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`."""
        actions = np.empty(len(bits), np.int64)
        for number, rows in self._shares(bits):
            arrays = (np.ascontiguousarray(array[rows]) for array in (observations, action_masks, bits))
            actions[rows] = self._players[number].choose(*arrays)
        return actions

    def play(self, leaves: LeafBatch) -> Outcomes:
        """The outcome of one playout from each leaf, as `Playouts.play`."""
        shares = list(self._shares(leaves.states["stream"]))
        played = [
            self._playouts[number].play(LeafBatch(leaves.states[rows], leaves.actions[rows])) for number, rows in shares
        ]
        order = np.argsort(np.concatenate([rows for _, rows in shares]))
        return Outcomes(*(np.concatenate(parts)[order] for parts in zip(*played, strict=True)))

    def _shares(self, streams: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """The number of each player that is drawn, with the rows that it plays."""
        drawn = (streams.astype(np.uint64) >> _HIGH_BITS) % np.uint64(len(self._players))
        for number in np.unique(drawn).tolist():
            yield int(number), np.flatnonzero(drawn == number)


def members(name: str, game: Game) -> list[str]:
    """The names in a name of players: `heuristic+pretrained-v2` has two. A path may have a plus sign in it."""
    is_one = name in game.bots or exists(checkpoint_of(name, game))
    return [name] if is_one else name.split("+")


def make_playouts(game: Game, name: str, *, trust: bool = False) -> tuple[Player, Playouts | Mixture]:
    """The player of this name, and the playouts in which it has all seats.

    Args:
        game: The game with its rules bound.
        name: A bot; a network of self-play: `pretrained-v2`, a checkpoint or the folder of a run; or several of these,
            joined by plus signs, of which one is drawn for each determinization.
        trust: A checkpoint may name third-party code.

    Raises:
        AgentError: Neither of them.
        MissingPackageError: PyTorch, for a network.
    """
    parts = [_one(game, one, trust) for one in members(name, game)]
    if len(parts) == 1:
        return parts[0]
    mixture = Mixture(parts)
    return mixture, mixture


def _one(game: Game, name: str, trust: bool = False, draws: bool = True) -> tuple[Player, Playouts]:
    """The same for one player; a network that draws does so that playouts differ."""
    if name in game.bots:
        return Bot(game, name), Playouts(game, name)
    path = checkpoint_of(name, game)
    if not exists(path):
        raise AgentError(
            f"playout_bot: {name!r}, but the bots of {game.id} are {', '.join(game.bots)}{nearest(name, game.bots)}; "
            "or it is the checkpoint of a network"
        )
    try:
        agent: Any = load_agent(game, name, trust=trust)
    except AgentError as error:
        raise AgentError(f"playout_bot: {name!r}: {error}") from None
    agent.greedy = agent.greedy and not draws
    return agent_playouts(game, agent)


def make_population(
    game: Game, bot: str, network: str | None, *, draws: bool = True
) -> tuple[Player | Population, Playouts]:
    """Who plays to the end where nobody knows who sits at the table, and who has chosen the secret bids.

    Args:
        game: The game with its rules bound.
        bot: A bot of the game.
        network: The name of a network as for `make_playouts`, which then has each seat as likely as the bot; None: the
            bot has all seats.
        draws: The network draws its actions, also one that by its name takes the likeliest.

    Raises:
        AgentError: As of `make_playouts`.
        MissingPackageError: As of `make_playouts`.
    """
    if network is None:
        return _one(game, bot)
    _, playouts = _one(game, network, draws=draws)
    assert isinstance(playouts, PlayerPlayouts)
    population = PopulationPlayouts(game, playouts, bot)
    return population.population, population
