"""The state of `w51_env.adapters.openspiel`: chance outcomes, then positions of the engine."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyspiel

from w51_env.adapters.openspiel_information import Seen, first_seen, seen_next
from w51_env.adapters.simulator import Position, Simulator
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import ALL, NO_ACTION
from w51_env.views import text_table

SEED_BYTES = 4
_MAX_DENOMINATOR = 60  #  of rewards that are zero-sum: that of a win shared among 4 of 5 players
_CHANCE, _TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


class _Point:
    """A point in the history of a game; it never changes, but for a cache of what the seats saw.

    Attributes:
        chance: The chance outcomes so far.
        position: The position of the game; None before the deal.
        before: The point before the last decision; None at the deal, and after unpickling.
        action: The last decision.
        legal: The legal actions of the player to move, by the ids of OpenSpiel's game.
        player: The player to move, as in OpenSpiel.
        seen: What seats saw up to here.
    """

    __slots__ = ("action", "before", "chance", "legal", "player", "position", "root", "seen")

    def __init__(
        self,
        chance: tuple[int, ...],
        position: Any,
        root: Any,
        legal: bytes = b"",
        before: Any = None,
        action: int = NO_ACTION,
    ):
        self.chance = chance
        self.legal = legal
        self.position = position
        self.root = root
        self.before = before
        self.action = action
        self.seen: dict[int, Seen] = {}
        self.player = _CHANCE if position is None else position.seat if position.seat >= 0 else _TERMINAL

    def __deepcopy__(self, memo: dict) -> "_Point":
        return self

    def __reduce__(self) -> tuple:
        return _Point, (self.chance, self.position, self.root, self.legal)


_START = _Point((), None, None)


class AuctionState(pyspiel.State):
    """One state; the methods are those of `pyspiel.State`. Privileged, as every OpenSpiel state: its string, history
    and serialization hold what is hidden from players. Information states and observations hold nothing hidden.
    """

    def __init__(self, game: Any):
        super().__init__(game)
        self._at = _START

    def current_player(self) -> int:
        return self._at.player

    def is_terminal(self) -> bool:
        return self._at.player == _TERMINAL

    def is_chance_node(self) -> bool:
        """As in `pyspiel.State`; for Python, without the way through C++."""
        return self._at.player == _CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """As in `pyspiel.State`; without the way through C++, too."""
        at = self._at
        if at.player >= 0 and player in (None, at.player):
            return sorted(at.legal)
        return super().legal_actions() if player is None else super().legal_actions(player)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._at.legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.get_game().deals

    def _apply_action(self, action: int) -> None:
        at, game = self._at, self.get_game()
        if at.position is not None:
            if game.compact is None:
                position = game.simulator.play(at.position, action)
                legal = position.legal
            else:
                if action not in at.legal:
                    raise game.actions.illegal(action, at.legal, f" for seat {at.player}")
                action = game.action_of(action)
                position = game.simulator.play(at.position, action)
                legal = _legal(game, position)
            at = _Point(at.chance, position, at.root, legal, at, action)
        else:
            chance = (*at.chance, action)
            root: Position | None = None  # while bytes of the seed are missing
            if game.roots:
                root = game.roots[action]
            elif len(chance) == SEED_BYTES:
                root = game.simulator.deal(int.from_bytes(bytes(chance), "big"))
            at = _Point(chance, root, root, b"" if root is None else _legal(game, root))
        self._at = at

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            return f"deal {action}" if self.get_game().roots else f"seed byte {action}"
        return self.get_game().actions[action].name

    def returns(self) -> list[float]:
        position = self._at.position
        if position is None or position.seat >= 0:
            return [0.0] * self.get_game().game.num_players
        return [_exact(reward) for reward in position.rewards]

    def __str__(self) -> str:
        position, simulator = self._at.position, self.get_game().simulator
        if position is None:
            return f"deal {' '.join(map(str, self._at.chance))}".strip()
        game = simulator.game
        state = simulator.record(position)
        observe = partial(simulator.observe, position)
        return text_table.table(
            game.presentation.make_view(game, state, ALL, legal=sorted(position.legal), news=(), observe=observe)
        )

    # ---- what a seat may know

    def is_dealt(self) -> bool:
        """Whether the deal is made, so that there is something to observe."""
        return self._at.position is not None

    def observe(self, player: int) -> np.ndarray:
        """(layout.size,) int8: the observation of a seat; overwritten by the next call."""
        return self.get_game().simulator.observe(self._at.position, player)

    def seen(self, player: int) -> Seen:
        """What a seat saw so far. Computed when asked for, from the decisions since it was asked for last."""
        simulator = self.get_game().simulator
        points = []
        point = self._at
        while player not in point.seen:
            if point.position is point.root:
                point.seen[player] = first_seen(simulator, point.root, player)
            elif point.before is None:
                self._replay()
                return self.seen(player)
            else:
                points.append(point)
                point = point.before
        seen = point.seen[player]
        for point in reversed(points):
            action = point.action if point.before.player == player else None
            seen = seen_next(simulator, seen, player, action, point.position)
        self._at.seen[player] = seen
        return seen

    def _replay(self) -> None:
        """Make the points of the game again, which are not in a serialized state."""
        chance, root = self._at.chance, self._at.root
        game = self.get_game()
        point = _Point(chance, root, root, _legal(game, root))
        for action in map(game.action_of, self.history()[len(chance) :]):
            position = game.simulator.play(point.position, action)
            point = _Point(chance, position, root, _legal(game, position), point, action)
        self._at = point

    def resample_from_infostate(self, player: int, sampler: Any) -> "AuctionState":
        """A state that looks the same to a player: all that it cannot know is redrawn, others' sealed bids too.

        Args:
            player: The seat.
            sampler: A `pyspiel.UniformProbabilitySampler`. Where chance draws a seed, the history of the new state has
                the seed of the old one, though the deal is another.
        """
        at, game = self._at, self.get_game()
        before = self.history()
        seed = int(sampler() * 2**53)
        own = [game.action_of(action) for action in before[len(at.chance) :]]
        deal, actions = _redrawn(game.simulator, at.root, own, at.position, player, seed)
        state = game.new_initial_state()
        for outcome in [game.number_of[deal.tobytes()]] if game.roots else at.chance:
            state.apply_action(outcome)
        if not game.roots:  # no seed of this deal is known
            root = game.simulator.position(deal)
            state._at = _Point(at.chance, root, root, _legal(game, root))
        for action in game.own_ids(actions):
            state.apply_action(action)
        return state


def _exact(reward: float) -> float:
    """The reward that was rounded to float32: a small fraction, or else a short decimal number."""
    fraction = float(Fraction(reward).limit_denominator(_MAX_DENOMINATOR))
    return fraction if np.float32(fraction) == reward else float(str(np.float32(reward)))


def _legal(game: Any, position: Position) -> bytes:
    """The legal actions of a position, by the ids of OpenSpiel's game."""
    return position.legal if game.compact is None else bytes(game.own_ids(position.legal))


# ---- determinizations: another history of the game that looks the same to one seat


def _redrawn(
    simulator: Simulator, root: Position, actions: list[int], at: Position, seat: int, seed: int
) -> tuple[np.ndarray, list[int]]:
    """A deal and actions that are consistent with everything a seat knows, drawn uniformly.

    Args:
        simulator: Plays the game.
        root: The position after the true deal.
        actions: The decisions since then.
        at: The position after them.
        seat: The seat.
        seed: 0 to 2**64-1; the same seed gives the same deal.

    Returns:
        (1,) structured: the other deal, of random stream 0; and the same actions with other sealed bids of others.
    """
    game, true = simulator.game, simulator.record(at)
    drawn = Determinizer(game, true, seat).draw(1, seed)
    other_actions = list(actions)
    if game.sealed_bids is not None:
        _replace_bids(simulator, root, other_actions, drawn[0], true)
        drawn[game.sealed_bids.field] = true[game.sealed_bids.field]
    before, after, first = (np.frombuffer(data, np.uint8) for data in (at.record, drawn.tobytes(), root.record))
    deal = np.where(before == after, first, after).view(game.record)  # what is redrawn is where the deal put it
    deal["stream"] = 0  # no rule reads it after the deal
    return deal, other_actions


def _replace_bids(simulator: Simulator, root: Position, actions: list[int], drawn: np.void, true: np.void) -> None:
    """Change the actions by which seats made sealed bids that are still hidden to the bids in `drawn`."""
    bids = simulator.game.sealed_bids
    assert bids is not None
    changed = set(np.flatnonzero(drawn[bids.field] != true[bids.field]).tolist())  # a forced bid is not an action
    movers, position = [], root
    for action in actions if changed else []:
        movers.append(position.seat)
        position = simulator.play(position, action)
    for index in reversed(range(len(movers))):
        if movers[index] in changed and 0 <= actions[index] - bids.first_action < bids.num_actions:
            changed.remove(movers[index])
            actions[index] = bids.first_action + int(drawn[bids.field][movers[index]])
