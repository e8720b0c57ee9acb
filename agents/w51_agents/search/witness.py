"""Who sits where: by what each seat has bid, and how likely each player would have bid that."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent, probabilities_of
from w51_agents.search.playouts import batches_by_size
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game

_STATES = 4  #     determinizations in which a decision is looked at
_SLIP = 0.03  #    of a probability: what is hidden may make a player choose otherwise
_PASSED, _BID, _IN_SECRET, _SHOWN = "passed", "bid", "bid_in_secret", "bid_shown"
_OWN, _FORCED = 1, 5  #  of the row of a history: the seat that reads it; the column that says whether it was forced
_ROWS = 2048  #    events of a game that are read


class Witness:
    """Remembers how likely each of some players would have done what each seat did.

    It follows each auction from a decision of its own seat on, in determinizations of that decision, to the seat's next
    decision or to the end of the auction; it does not know the states before.

    Args:
        game: The game with its rules bound.
        players: The players.
    """

    rows = _ROWS

    @staticmethod
    def follows(game: Game) -> bool:
        """Whether it knows the bids of a game by their names, and what events say of them."""
        return len(_bids_of(game)) > 1 and {_PASSED, _BID} <= {each.name for each in game.event_types}

    def __init__(self, game: Game, players: Sequence[Agent]):
        self._game, self._players = game, players
        self._names = ["", *(each.name for each in game.event_types)]  # as in the rows of a history
        self._bids = _bids_of(game)
        self._batch = batches_by_size(partial(Batch, game, seed=0, autoreset="disabled", keep_final=False))
        self._logs = dict[int, np.ndarray]()
        self._kept = dict[int, tuple[np.ndarray, int, int]]()

    def shares(self, info: Mapping[str, Any]) -> np.ndarray:
        """(num_players, players) how likely each player has each seat, with what has happened since the seat's last
        decision.
        """
        if (number := info.get("memory")) is None:  # nobody tells the games apart
            return np.full((self._game.num_players, len(self._players)), 1 / len(self._players))
        if info["is_first"]:
            self._logs[number] = np.zeros((self._game.num_players, len(self._players)))
            self._kept.pop(number, None)
        if number in self._kept:
            states, action, past = self._kept.pop(number)
            self._follow(states, action, info["history"][past:], self._logs[number])
        likely = np.exp(self._logs[number] - self._logs[number].max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def keep(self, info: Mapping[str, Any], action: int) -> None:
        """Remember the decision of the seat, from which the others go on."""
        if "memory" in info and action in self._bids.values():
            determinizer: Determinizer = info["determinizer"]
            self._kept[info["memory"]] = determinizer.draw(_STATES, 0), action, len(info["history"])

    def _follow(self, states: np.ndarray, action: int, rows: np.ndarray, logs: np.ndarray) -> None:
        """Add the logarithms of probabilities of what the others did after an action of the seat that decided."""
        decisions = [*self._decisions(states, action, rows)]
        if not decisions:
            return
        observations, masks, seats, chosen = zip(*decisions, strict=True)
        for number, player in enumerate(self._players):
            chances = probabilities_of(player, np.concatenate(observations), np.concatenate(masks))
            of_chosen = chances.reshape(len(seats), _STATES, -1)[np.arange(len(seats)), :, chosen]
            np.add.at(logs[:, number], list(seats), np.log(_SLIP + (1 - _SLIP) * of_chosen.mean(axis=1)))

    def _decisions(self, states: np.ndarray, action: int, rows: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """What the others decided: observations and masks in the determinizations, the seat, its action."""
        batch, own = self._batch(_STATES), int(states["seat"][0])
        batch.load(np.resize(states, batch.num_games))
        batch.step(np.full(batch.num_games, action))
        shown = {int(row[1]): int(row[2]) for row in rows if self._names[row[0]] == _SHOWN}
        for row in rows[(rows[:, 1] != _OWN) & (rows[:, _FORCED] == 0)]:
            seat, name = (own + int(row[1]) - _OWN) % self._game.num_players, self._names[row[0]]
            if name not in (_PASSED, _BID, _IN_SECRET) or (batch.seat != seat).any():
                return
            amount = 0 if name == _PASSED else int(row[2]) if name == _BID else shown.get(int(row[1]), -1)
            chosen = self._bids.get(amount)
            if chosen is None or not batch.action_mask[:, chosen].all():
                return
            yield batch.observation[:_STATES].copy(), batch.action_mask[:_STATES].copy(), seat, chosen
            batch.step(np.full(batch.num_games, chosen))


def _bids_of(game: Game) -> dict[int, int]:
    """The action of each amount; 0 is to pass."""
    names = ((action, re.fullmatch(r"pass|bid_(\d+)", each.name)) for action, each in enumerate(game.actions))
    return {int(match[1] or 0): action for action, match in names if match}
